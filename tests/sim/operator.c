#include "config.h"

#include "operator.h"

#include <check.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/ops_own.h"
#include "lib/pages.h"
#include "sums.h"
#include "ui/line.h"

#define LOOK_NS	INT64_C(500000000)
#define SOON_NS	INT64_C(100000000)	/* in the first 2 s, since most runs are short */

static struct pace_ops *ops;
static struct pace_serve server;	/* only its lease is looked at, in a copy */
static const char *home;	/* the folder */
static int64_t began_ns;	/* the responder's start */

/* Of a status socket; fd -1: it is not connected. */
static struct reader {
	int	fd;
	FILE	*recording;	/* of its lines, for a monitor */
} of_responder = { .fd = -1 }, of_watch = { .fd = -1 };

/* Take the log's lines. */
static void
read_log(void)
{
	for (; ops->n > 0; ops->n--) {
		struct pace_event *e = &ops->ring[ops->first];
		char *text[] = { pace_event_text(e), pace_event_json(e) };

		for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++) {
			ck_assert_ptr_nonnull(text[i]);
			sim_sum_text("log", text[i], strlen(text[i]));
			free(text[i]);
		}
		ops->first = (ops->first + 1) % PACE_OPS_RING;
	}
}

static void
leave(struct reader *r)
{
	if (r->fd < 0)
		return;
	close(r->fd);
	fclose(r->recording);
	r->fd = -1;
}

/* Connect to a socket in the folder, if it is there, and record its lines in the file `name`. */
static void
attach(struct reader *r, const char *socket_name, const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char ask[] = "{\"interval_ms\":100}\n";
	char file[128];

	snprintf(to.sun_path, sizeof(to.sun_path), "%s/%s", home, socket_name);
	r->fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(r->fd, (struct sockaddr *)&to, sizeof(to)) == -1) {
		close(r->fd);
		r->fd = -1;
		return;
	}
	ck_assert_int_gt(send(r->fd, ask, sizeof(ask) - 1, 0), 0);
	snprintf(file, sizeof(file), "%s/%s", home, name);
	r->recording = fopen(file, "a");
	ck_assert_ptr_nonnull(r->recording);
}

static void
read_status(struct reader *r)
{
	static char text[1 << 16];
	ssize_t n;

	while ((n = recv(r->fd, text, sizeof(text), MSG_DONTWAIT)) > 0)
		ck_assert_uint_eq(fwrite(text, 1, (size_t)n, r->recording), (size_t)n);
	fflush(r->recording);
	if (n == 0)
		leave(r);
}

static void
serve(int64_t now_ns)
{
	struct pollfd fds[PACE_STATUS_SERVER + 1];
	int64_t until_ns = INT64_MAX;
	int n = pace_status_server_wait(ops->readers, fds, now_ns, &until_ns);

	/* poll() is the program's, in which time passes */
	ck_assert_int_ge(ppoll(fds, (nfds_t)n, &(struct timespec){ .tv_sec = 0 }, NULL), 0);
	pace_status_server_serve(ops->readers, fds, n, now_ns);
	read_status(&of_responder);
}

/* A watch has a thread that serves its socket; it takes turns with us. */
static void
look_at_watch(void)
{
	if (of_watch.fd < 0)
		attach(&of_watch, ".watching", "watching");
	if (of_watch.fd >= 0)
		read_status(&of_watch);
}

static void
read_metrics(void)
{
	size_t size;
	char *text = pace_ops_metrics(ops, &size);

	ck_assert_ptr_nonnull(text);
	sim_sum_text("metrics", text, size);
	free(text);
}

/* As the thread of ops does it, but for the counters of the host. */
static void
look(struct sim *net)
{
	static int looks;
	struct pace_totals t;

	net->look_ns = net->now_ns - began_ns < 4 * LOOK_NS ? SOON_NS : LOOK_NS;
	look_at_watch();
	if (net->down)
		return;
	ops->sums.at_port = pace_responder_counted(&net->responder);
	read_log();
	for (int i = 0; i < SIM_SESSIONS; i++)
		ops->turns[i] = atomic_load(&ops->watches[i].turn);
	server.responder.shared.lease = net->responder.shared.lease;
	ops->serve = &server;
	pace_ops_sum_up(ops, &t, ops->views);
	ops->serve = NULL;
	for (int i = 0; i < SIM_SESSIONS; i++)
		pace_stats_page_turn(&ops->watches[i]);
	pace_status_server_update(ops->readers, &(struct pace_status_update){ .views = ops->views,
	    .turns = ops->turns, .watches = ops->watches, .totals = &t, .now_ns = net->now_ns,
	    .wall_ns = net->now_ns });
	serve(net->now_ns);
	if (looks++ % 4 == 0)
		read_metrics();
}

/* Add what a monitor shows of the lines of a file: a line for each, and all pages in the middle and in
 * the end. */
static void
show(const char *name)
{
	struct pace_snap *s = pace_snap_new();
	struct pace_line_head head = { .rows = 0 };
	char path[128], *all = NULL, *shown;
	size_t room = 0, size, half;
	FILE *in, *out = open_memstream(&shown, &size);

	snprintf(path, sizeof(path), "%s/%s", home, name);
	in = fopen(path, "r");
	if (in == NULL || getdelim(&all, &room, '\0', in) < 0)
		all = strdup("");
	ck_assert(s != NULL && out != NULL && all != NULL);
	half = strlen(all) / 2;
	for (char *line = all, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		bool middle = (size_t)(line - all) < half && (size_t)(end - all) >= half;

		fprintf(out, "%d\n", pace_snap_feed(s, line, (size_t)(end - line)));
		pace_line_tick(out, s, PACE_FIG_WIRE, false, &head);
		ck_assert(!middle || pages_write(out, s));
	}
	ck_assert(pages_write(out, s));
	pace_line_summary(out, s, PACE_FIG_WIRE, 4, false);
	fclose(out);
	sim_sum_text("shown", shown, size);
	free(shown);
	free(all);
	if (in != NULL)
		fclose(in);
	pace_snap_free(s);
}

void
operator_begin(struct sim *net, const char *folder)
{
	struct pace_sandbox_user me = { .uid = getuid(), .gid = getgid() };
	static char path[108];
	struct pace_ops_cfg cfg = { .status = path, .max_sessions = SIM_SESSIONS };
	struct pace_status_head head;
	struct pace_err err;

	home = folder;
	leave(&of_responder);
	if (ops != NULL)		/* of the responder before */
		pace_ops_close(ops);
	snprintf(path, sizeof(path), "%s/.status", folder);
	ck_assert_int_eq(pace_ops_open(&ops, &cfg, &err), 0);
	ck_assert_int_eq(pace_ops_listen(ops, &me, &err), 0);
	pace_head_fill(&head, "hostb", net->now_ns, LOOK_NS);
	snprintf(head.address, sizeof(head.address), "0.0.0.0");
	head.port = 14233;
	pace_status_server_head(ops->readers, &head);
	for (int i = 0; i < SIM_SESSIONS; i++)
		pace_stats_page_want(&ops->watches[i], true);
	attach(&of_responder, ".status", "operator");
	ck_assert_int_ge(of_responder.fd, 0);
	serve(net->now_ns);
	serve(net->now_ns);
	net->responder.shared.observer = (struct pace_observer){ .news = pace_ops_event, .ctx = ops };
	net->watches = ops->watches;
	net->look = look;
	net->looked_ns = net->now_ns;
	net->look_ns = SOON_NS;
	began_ns = net->now_ns;
}

void
operator_end(struct sim *net)
{
	net->look = NULL;
	look(net);
	read_metrics();
	leave(&of_responder);
	leave(&of_watch);
	pace_status_server_remove(ops->readers);	/* sessions that are left have the rest */
	show("operator");
	show("watching");
}
