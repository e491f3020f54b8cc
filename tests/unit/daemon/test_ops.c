/* daemon/ops: a log that hangs, a reader that does not read, and a late session delay no client,
 * and lose no line that has room. */
#include "config.h"

#include "lib/unit.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "daemon/ops.h"
#include "run/stop.h"

#define MANY	1024		/* sessions: memory given back for so many is free at once */

static struct pace_serve serve;
static struct pace_serve_cfg sc;
static struct pace_ops *ops;
static int log_fd;		/* where what is written to stderr can be read */
static char said[1 << 20];

static void
setup(void)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_ge(dup2(fds[1], STDERR_FILENO), 0);
	close(fds[1]);
	log_fd = fds[0];
	ck_assert_int_eq(fcntl(log_fd, F_SETFL, O_NONBLOCK), 0);
	memset(&serve, 0, sizeof(serve));
	ck_assert_int_eq(pace_responder_init(&serve.responder, 64, 64), 0);
	pace_stop = 0;
}

static void
begin(const struct pace_ops_cfg *cfg)
{
	struct pace_err err;

	ck_assert_int_eq(pace_ops_open(&ops, cfg, &err), 0);
	ck_assert_int_eq(pace_ops_listen(ops, &(struct pace_sandbox_user){ .uid = geteuid() }, &err), 0);
	pace_ops_hook(ops, &sc);
	ck_assert_int_eq(pace_ops_begin(ops, &serve, "::"), 0);
}

/* Return the text written so far, once it contains this. */
static const char *
read_until(const char *word)
{
	struct pollfd p = { .fd = log_fd, .events = POLLIN };
	size_t len = 0;

	said[0] = '\0';
	while (strstr(said, word) == NULL) {
		ssize_t n;

		ck_assert_msg(poll(&p, 1, 20000) == 1, "no '%s' in: %s", word, said);
		n = read(log_fd, said + len, sizeof(said) - 1 - len);
		ck_assert_int_gt(n, 0);
		len += (size_t)n;
		said[len] = '\0';
	}
	return said;
}

static void
fill_the_pipe(void)
{
	int fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	char x[4096];

	memset(x, 'x', sizeof(x));
	ck_assert_int_ge(fd, 0);
	for (size_t n = sizeof(x); n > 0; n /= 2)
		while (write(fd, x, n) > 0)
			;
	close(fd);
}

/* The events of a session, as they are logged. */
static void
tell(enum pace_session_event_kind kind, int slot)
{
	static struct pace_session_stats v = { .number = 1, .peer = { .family = 4, .port = 9 } };
	const struct pace_session_event n = { .kind = kind, .peer = &v.peer, .view = &v,
	    .watch = &sc.watches[slot], .code = "policy", .text = "no" };

	v.all.frames++;
	pace_stats_page_post(&sc.watches[slot], &v, true);
	sc.observer.news(sc.observer.ctx, &n);
}

START_TEST(a_session_that_is_late_may_tell_what_it_does)
{
	begin(&(struct pace_ops_cfg){ .json = true, .max_sessions = MANY });
	tell(PACE_SESSION_EVENT_OPENED, MANY - 1);
	serve.responder.places.active = 1;
	pace_ops_close(ops);
	read_until("\"event\":\"stop\"");
	for (int i = 0; i < 1000; i++)
		tell(PACE_SESSION_EVENT_CLOSED, MANY - 1);
}
END_TEST

START_TEST(a_log_that_hangs_holds_up_nobody)
{
	begin(&(struct pace_ops_cfg){ .json = true, .max_sessions = MANY });
	read_until("listening");
	fill_the_pipe();
	for (int i = 0; i < 1000; i++) {
		tell(PACE_SESSION_EVENT_RUN, 0);
		pace_ops_warn(ops, "file %d", i);
		pace_ops_reloaded(ops, PACE_LOG_NOTICE, "file %d", i);
		sc.look(sc.look_ctx, &serve.responder);
	}
	pace_ops_close(ops);
	read_until("\"event\":\"stop\"");
	ck_assert_ptr_nonnull(strstr(said, "\"text\":\"file 1\""));
	ck_assert_ptr_nonnull(strstr(said, "\"event\":\"events_lost\""));
}
END_TEST

static int
connect_to(const char *path)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char x[4096];

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", path);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&sa, sizeof(sa)), 0);
	ck_assert_int_gt(read(fd, x, sizeof(x)), 0);
	return fd;
}

/* A folder for the status socket, and its name. */
static char folder[32], name[64];

static void
begin_with_status(void)
{
	snprintf(folder, sizeof(folder), "/tmp/udpace-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(name, sizeof(name), "%s/status", folder);
	begin(&(struct pace_ops_cfg){ .json = true, .max_sessions = MANY, .status = name });
	read_until("listening");
}

static void
end_with_status(void)
{
	pace_ops_close(ops);
	ck_assert_int_eq(rmdir(folder), 0);
}

/* The newest line that a reader of the status got has this, sooner or later. */
static void
await_status(int fd, const char *word)
{
	static char line[1 << 16];
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;

	do {
		ck_assert_msg(poll(&p, 1, 20000) == 1, "no '%s' in: %s", word, line);
		n = read(fd, line, sizeof(line) - 1);
		ck_assert_int_gt(n, 0);
		line[n] = '\0';
	} while (strstr(line, word) == NULL);
}

/* Another process made it not wait: what it does not take is lost, and counted. */
START_TEST(lines_that_the_log_does_not_take_are_counted)
{
	char x[4096];
	int fd;

	begin_with_status();
	fd = connect_to(name);
	ck_assert_int_eq(fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK), 0);
	fill_the_pipe();
	pace_ops_warn(ops, "this is lost");
	await_status(fd, "\"events_lost\":1");
	while (read(log_fd, x, sizeof(x)) > 0)
		;
	pace_ops_warn(ops, "this is not");
	read_until("\"event\":\"events_lost\"");
	ck_assert_ptr_nonnull(strstr(said, "this is not"));
	ck_assert_ptr_null(strstr(said, "this is lost"));
	await_status(fd, "\"events_lost\":1");	/* the word of it is none of them */
	close(fd);
	end_with_status();
}
END_TEST

/* The log continues: its readers have all lines. */
START_TEST(a_log_that_hangs_keeps_what_it_needs)
{
	int fd;

	begin_with_status();
	fd = connect_to(name);
	fill_the_pipe();
	pace_ops_warn(ops, "it hangs at this");
	pace_ops_close(ops);
	ck_assert_int_ne(access(name, F_OK), 0);
	read_until("\"event\":\"stop\"");
	close(fd);
	rmdir(folder);
}
END_TEST

/* His next line would be due in an hour. */
START_TEST(who_does_not_read_is_closed_whatever_his_interval)
{
	static const char ask[] = "{\"interval_ms\":3600000}\n";
	struct pollfd p = { .events = POLLRDHUP };

	begin_with_status();
	p.fd = connect_to(name);
	ck_assert_int_gt(write(p.fd, "{\"interval_ms\":100}\n", 20), 0);
	for (int i = 0; i < MANY; i++)		/* lines longer than a socket takes */
		pace_stats_page_post(&sc.watches[i], &(struct pace_session_stats){ .number = 1 }, true);
	ck_assert_int_eq(poll(&p, 1, 1500), 0);
	ck_assert_int_gt(write(p.fd, ask, sizeof(ask) - 1), 0);
	ck_assert_int_eq(poll(&p, 1, 20000), 1);
	close(p.fd);
	end_with_status();
}
END_TEST

static double
cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

START_TEST(without_a_file_for_him_a_reader_waits_and_nobody_spins)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	struct pollfd p = { .events = POLLIN };
	struct rlimit limit, none;
	double used;

	begin_with_status();
	p.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", name);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){ 3, limit.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_assert_int_eq(connect(p.fd, (const struct sockaddr *)&sa, sizeof(sa)), 0);
	used = cpu_seconds();
	ck_assert_int_eq(poll(&p, 1, 3000), 0);
	used = cpu_seconds() - used;
	ck_assert_msg(used < 0.5, "%g s of 3 s", used);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(poll(&p, 1, 20000), 1);
	close(p.fd);
	end_with_status();
}
END_TEST

static const struct { bool json, quiet; const char *line, *counts; } forms[] = {
	{ false, false, "not of any session", ", in 0 s: 7 junk, 3 in the name of clients\n" },
	{ false, true, NULL, NULL },
	{ true, false, "\"event\":\"abuse\"", "\"strays\":3" },
	{ true, true, NULL, NULL },
};

START_TEST(strangers_are_told_of_once_and_not_when_quiet)
{
	const char *first;

	begin(&(struct pace_ops_cfg){ .json = forms[_i].json, .quiet = forms[_i].quiet,
	    .max_sessions = 4 });
	serve.responder.counts.junk = 7;
	atomic_store(&serve.responder.shared.strays, 3);
	pace_ops_warn(ops, "a warning");
	pace_ops_close(ops);
	close(STDERR_FILENO);
	said[read(log_fd, said, sizeof(said) - 1)] = '\0';
	ck_assert_msg(strstr(said, "listening") != NULL && strstr(said, "a warning") != NULL,
	    "%s", said);
	if (forms[_i].line == NULL) {
		ck_assert_msg(strstr(said, "junk") == NULL, "%s", said);
		return;
	}
	first = strstr(said, forms[_i].line);
	ck_assert_msg(first != NULL && strstr(first, forms[_i].counts) != NULL, "%s", said);
	ck_assert(strstr(first + 1, forms[_i].line) == NULL);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("ops_run");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, a_session_that_is_late_may_tell_what_it_does);
	tcase_add_test(tc, a_log_that_hangs_holds_up_nobody);
	tcase_add_test(tc, lines_that_the_log_does_not_take_are_counted);
	tcase_add_test(tc, a_log_that_hangs_keeps_what_it_needs);
	tcase_add_test(tc, who_does_not_read_is_closed_whatever_his_interval);
	tcase_add_test(tc, without_a_file_for_him_a_reader_waits_and_nobody_spins);
	tcase_add_loop_test(tc, strangers_are_told_of_once_and_not_when_quiet, 0,
	    COUNT_OF(forms));
	return unit_run_apart(tc, "ops_run");
}
