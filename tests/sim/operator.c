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
#include "live/metrics.h"
#include "sums.h"

#define LOOK_NS	INT64_C(500000000)

static struct pace_ops *ops;
static char path[108];		/* of the status socket */
static struct pace_serve server;	/* only its lease is looked at, in a copy */
static int reader = -1;
static FILE *recording;		/* of its lines, for a monitor */

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
read_status(void)
{
	static char text[1 << 16];
	ssize_t n;

	while ((n = recv(reader, text, sizeof(text), MSG_DONTWAIT)) > 0)
		ck_assert_uint_eq(fwrite(text, 1, (size_t)n, recording), (size_t)n);
	fflush(recording);
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
	read_status();
}

/* As the thread of ops does it, but for the counters of the host. */
static void
look(struct sim *net)
{
	struct pace_totals t;

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
}

void
operator_begin(struct sim *net, const char *folder)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct pace_sandbox_user me = { .uid = getuid(), .gid = getgid() };
	struct pace_ops_cfg cfg = { .status = path, .max_sessions = SIM_SESSIONS };
	struct pace_status_head head;
	const char ask[] = "{\"interval_ms\":100}\n";
	struct pace_err err;
	char name[128];

	if (ops != NULL) {		/* of the responder before */
		close(reader);
		fclose(recording);
		pace_ops_close(ops);
	}
	snprintf(path, sizeof(path), "%s/.status", folder);
	ck_assert_int_eq(pace_ops_open(&ops, &cfg, &err), 0);
	ck_assert_int_eq(pace_ops_listen(ops, &me, &err), 0);
	pace_head_fill(&head, "hostb", net->now_ns, LOOK_NS);
	snprintf(head.address, sizeof(head.address), "0.0.0.0");
	head.port = 14233;
	pace_status_server_head(ops->readers, &head);
	for (int i = 0; i < SIM_SESSIONS; i++)
		pace_stats_page_want(&ops->watches[i], true);
	snprintf(name, sizeof(name), "%s/operator", folder);
	recording = fopen(name, "a");
	ck_assert_ptr_nonnull(recording);
	reader = socket(AF_UNIX, SOCK_STREAM, 0);
	strcpy(to.sun_path, path);
	ck_assert_int_eq(connect(reader, (struct sockaddr *)&to, sizeof(to)), 0);
	ck_assert_int_gt(send(reader, ask, sizeof(ask) - 1, 0), 0);
	serve(net->now_ns);
	serve(net->now_ns);
	net->responder.shared.observer = (struct pace_observer){ .news = pace_ops_event, .ctx = ops };
	net->watches = ops->watches;
	net->look = look;
	net->looked_ns = net->now_ns;
	net->look_ns = LOOK_NS;
}

void
operator_end(struct sim *net)
{
	struct pace_totals t;
	size_t size;
	char *text;

	net->look = NULL;
	look(net);
	pace_ops_sum_up(ops, &t, NULL);
	text = pace_metrics_text(&t, NULL, 0, &size);
	ck_assert_ptr_nonnull(text);
	sim_sum_text("metrics", text, size);
	free(text);
	close(reader);
	fclose(recording);
	pace_status_server_remove(ops->readers);	/* sessions that are left have the rest */
}
