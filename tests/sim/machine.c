#include "config.h"

#include "machine.h"

#include <check.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/watch_status.h"
#include "plat/addr.h"
#include "plat/clock.h"
#include "plat/counters.h"
#include "plat/energy.h"
#include "plat/facts.h"
#include "plat/packet.h"
#include "plat/sock.h"
#include "plat/warm.h"
#include "report/gnuplot.h"
#include "run/lookup.h"
#include "run/watch_lines.h"
#include "sums.h"

#define SOCKETS	64
#define MS	INT64_C(1000000)

struct sim_machine sim_machine = { .path_mtu = 1500, .facts = { .cores = 4, .version = "1.2",
    .kernel = "6.1", .governor = "powersave" } };

/* Those that were ever open; s NULL: the next one has this end of the network. */
static struct { const struct pace_sock *s; struct pace_io io; } opened[SOCKETS];
static int opened_n;

/* --- what is wrapped --------------------------------------------------------------------- */

int	__wrap_pace_sock_open(struct pace_sock *s, const struct pace_sock_cfg *cfg,
	    struct pace_err *err);
void	__wrap_pace_sock_close(struct pace_sock *s);
struct pace_io	__wrap_pace_sock_io(struct pace_sock *s);
int	__wrap_pace_sock_mtu(const struct pace_sock *s, int family);
struct pace_addr	__wrap_pace_sock_local(const struct pace_sock *s);
int	__wrap_pace_sock_mark(const struct pace_sock *s, int family, uint32_t dscp,
	    enum pace_ecn ecn);
int64_t	__wrap_pace_clock_raw(void);
int64_t	__wrap_pace_clock_wall(void);
int64_t	__wrap_pace_clock_guard(void);
void	__wrap_pace_clock_state(struct pace_clock_state *s);
int64_t	__wrap_pace_clock_wait_until(int64_t t_ns, int64_t guard_ns, struct pace_stalls *st,
	    const volatile sig_atomic_t *stop);
void	__wrap_pace_facts_read(struct pace_host *h, const char *root, const char *interface,
	    bool hidden);
void	__wrap_pace_facts_host_name(char name[128]);
void	__wrap_pace_packet_fact(struct pace_host *h);
void	__wrap_pace_route_to(const struct pace_addr *peer, const struct pace_addr *local,
	    const char *root, char name[16]);
struct pace_warm *__wrap_pace_warm_open(void);
struct pace_meter *__wrap_pace_meter_new(const char *root);
void	__wrap_pace_lookup_ask(struct pace_lookup *l, size_t i, const char *host, int family,
	    uint16_t port);
bool	__wrap_pace_lookup_take(struct pace_lookup *l, size_t *i,
	    struct pace_looked_up *answer);
int	__real_pace_thread_start(pthread_t *thread, void *(*run)(void *), void *arg);
int	__wrap_pace_thread_start(pthread_t *thread, void *(*run)(void *), void *arg);
int	__real_pace_watch_status_begin(struct pace_watch_status *s, struct pace_watch_run *run,
	    const char *host);
int	__wrap_pace_watch_status_begin(struct pace_watch_status *s, struct pace_watch_run *run,
	    const char *host);
void	__real_pace_watch_lines_put(struct pace_watch_lines *l, size_t number,
	    const struct pace_watch_span *s);
void	__wrap_pace_watch_lines_put(struct pace_watch_lines *l, size_t number,
	    const struct pace_watch_span *s);
int	__real_pthread_join(pthread_t thread, void **rc);
int	__wrap_pthread_join(pthread_t thread, void **rc);
int	__real_poll(struct pollfd *p, nfds_t n, int ms);
int	__wrap_poll(struct pollfd *p, nfds_t n, int ms);
int	__wrap___poll_chk(struct pollfd *p, nfds_t n, int ms, size_t size);
int	__real_clock_gettime(clockid_t clock, struct timespec *t);
int	__wrap_clock_gettime(clockid_t clock, struct timespec *t);
bool	__wrap_pace_gnuplot_is_there(void);
void	__wrap_pace_gnuplot_draw(struct pace_drawing *d, size_t n, bool (*stop)(void));
pid_t	__wrap_getpid(void);
time_t	__wrap_time(time_t *t);
int	__wrap_nanosleep(const struct timespec *ts, struct timespec *rest);
int	__wrap_isatty(int fd);

/* --- a display has a thread beside the one that measures: one goes on at a time ---------- */

static bool serves;		/* a watch: the next thread serves its status */

static struct {
	bool		on, over;	/* it began, it ended */
	bool		displays;	/* whose turn it is: of the thread that displays */
	pthread_t	thread;
	void		*(*run)(void *);
	void		*arg;
	struct pollfd	fd;		/* what the display waits for, */
	int64_t		until_ns;	/* and how long at most */
} two;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* of the thread whose turn it is */
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static _Thread_local bool measures, displays;

static void
pass_turn(void)
{
	bool next = !two.displays;

	two.displays = next;
	pthread_cond_broadcast(&turned);
	while (two.displays == next)
		pthread_cond_wait(&turned, &lock);
}

/* The measuring thread waits; the display goes on when it wants to. */
static bool
yield(struct sim_end *e, int64_t until_ns, bool on_data)
{
	struct sim *net = sim_machine.net;
	bool got;

	(void)e;
	net->client.wants = on_data;
	do {
		got = sim_advance(net, until_ns < two.until_ns ? until_ns : two.until_ns);
		if (net->now_ns >= two.until_ns || __real_poll(&two.fd, 1, 0) > 0)
			pass_turn();
	} while (!got && net->now_ns < until_ns);
	net->client.wants = false;
	return got;
}

static void
pass(int64_t ns)
{
	if (measures) {
		yield(NULL, sim_machine.net->now_ns + ns, false);
	} else if (displays) {
		two.until_ns = sim_machine.net->now_ns + ns;
		pass_turn();
	} else if (pthread_equal(sim_machine.first, pthread_self())) {
		sim_pass(sim_machine.net, ns);
	} else {
		(void)__real_poll(NULL, 0, 1);
	}
}

static void *
measure(void *ctx)
{
	measures = true;
	pthread_mutex_lock(&lock);
	while (two.displays)
		pthread_cond_wait(&turned, &lock);
	two.run(two.arg);
	two.over = two.displays = true;
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&lock);
	return ctx;
}

static void *
display(void *ctx)
{
	displays = true;
	pthread_mutex_lock(&lock);
	while (!two.displays)
		pthread_cond_wait(&turned, &lock);
	two.run(two.arg);
	two.over = true;
	two.until_ns = INT64_MAX;
	two.displays = false;
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&lock);
	return ctx;
}

/* Signals are not blocked: the network raises them in the thread that lets time pass. */
int
__wrap_pace_thread_start(pthread_t *thread, void *(*run_it)(void *), void *arg)
{
	if (sim_machine.as_call) {
		sim_machine.as_call = false;
		run_it(arg);
		*thread = pthread_self();
		return 0;
	}
	if ((!sim_machine.monitors && !sim_machine.on_terminal && !serves) || two.on)
		return __real_pace_thread_start(thread, run_it, arg);
	two.on = true;
	two.over = false;
	two.displays = sim_machine.monitors;
	two.run = run_it;
	two.arg = arg;
	two.fd.fd = -1;
	measures = !sim_machine.monitors;
	pthread_mutex_lock(&lock);
	sim_machine.net->yield = yield;
	ck_assert_int_eq(pthread_create(&two.thread, NULL, measures ? display : measure, NULL), 0);
	*thread = two.thread;
	if (measures)
		pass_turn();
	return 0;
}

int
__wrap_pace_watch_status_begin(struct pace_watch_status *s, struct pace_watch_run *run,
    const char *host)
{
	serves = true;
	return __real_pace_watch_status_begin(s, run, host);
}

int
__wrap_pthread_join(pthread_t thread, void **rc)
{
	if (pthread_equal(thread, pthread_self()))
		return 0;
	if (!two.on || !pthread_equal(thread, two.thread))
		return __real_pthread_join(thread, rc);
	two.fd.fd = -1;
	two.until_ns = INT64_MAX;
	if (!two.over)
		pass_turn();
	ck_assert(two.over);
	measures = false;
	pthread_mutex_unlock(&lock);
	two.on = serves = false;
	sim_machine.net->yield = NULL;
	return __real_pthread_join(thread, rc);
}

int
__wrap_poll(struct pollfd *p, nfds_t n, int ms)
{
	static int at_once;
	int got;

	if (displays) {
		got = __real_poll(p, n, 0);
		if (got == 0)
			pass(ms * MS);
		return got != 0 ? got : __real_poll(p, n, 0);
	}
	if (!measures && !pthread_equal(sim_machine.first, pthread_self()))
		return __real_poll(p, n, ms);
	if (!measures && __real_poll(p, n, 0) > 0) {
		ck_assert_msg(++at_once < 100, "nobody takes what was signalled");
		return 1;
	}
	at_once = 0;
	if (!measures && two.on && !two.over) {
		two.fd = n > 0 ? *p : (struct pollfd){ .fd = -1 };
		two.until_ns = sim_machine.net->now_ns + ms * MS;
		pass_turn();
	} else {
		pass(ms * MS);
	}
	return __real_poll(p, n, 0);
}

/* Where the C library checks the array's size. */
int
__wrap___poll_chk(struct pollfd *p, nfds_t n, int ms, size_t size)
{
	ck_assert_uint_le(n * sizeof(*p), size);
	return __wrap_poll(p, n, ms);
}

int
__wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	if (clock != CLOCK_THREAD_CPUTIME_ID)
		return __real_clock_gettime(clock, t);
	*t = (struct timespec){ .tv_sec = 1 };
	return 0;
}

/* --- in place of plat/ ------------------------------------------------------------------- */

static void __attribute__((format(printf, 1, 2)))
say(const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	sim_sum_text("asked", text, strlen(text));
}

static int
connect_end(int i, struct pace_err *err)
{
	if (!sim_machine.apart && i > 0)
		return sim_open_flow(&sim_machine.net->client, (uint32_t)i, &opened[i].io, err);
	opened[i].io = sim_machine.apart ? sim_one_more(sim_machine.net, i * 3 * MS, i * 7000) :
	    sim_client_io(sim_machine.net);
	return 0;
}

static int (*send_all)(void *ctx, const struct pace_out *out, int n);

static int
send_small(void *ctx, const struct pace_out *out, int n)
{
	return out[0].len > 1000 ? -EMSGSIZE : send_all(ctx, out, n);
}

/* What the program asks of its sockets belongs to what it does. */
int
__wrap_pace_sock_open(struct pace_sock *s, const struct pace_sock_cfg *cfg, struct pace_err *err)
{
	const uint32_t most = sim_machine.most_buffer;
	char peer[64], local[64];
	int i = 0;

	/* apart: a new one has a new port */
	while (i < opened_n && (opened[i].s != NULL || sim_machine.apart))
		i++;
	ck_assert_int_lt(i, SOCKETS);
	memset(s, 0, sizeof(*s));
	s->fd = -1;
	if (sim_machine.fault != NULL)
		return pace_fail(err, sim_machine.fault_code, sim_machine.fault);
	s->rcvbuf_granted = most > 0 ? most : cfg->rcvbuf_bytes;
	s->sndbuf_granted = most > 0 ? most : cfg->sndbuf_bytes;
	say("%s %u from %s %u, %u %u bytes, dscp %d ecn %d label %u ttl %d priority %d %d on %s:"
	    "%s%s%s%s",
	    pace_addr_text(&cfg->peer, peer, sizeof(peer)), cfg->peer.port,
	    pace_addr_text(&cfg->local, local, sizeof(local)), cfg->local.port, cfg->rcvbuf_bytes,
	    cfg->sndbuf_bytes, cfg->dscp, cfg->ecn, cfg->flow_label, cfg->ttl, cfg->prioritise,
	    cfg->priority, cfg->interface != NULL ? cfg->interface : "any",
	    cfg->fragment ? " fragments" : "", cfg->headers ? " headers" : "",
	    cfg->tell_refusals ? " refusals" : "", cfg->loop ? " loop" : "");
	if (i == opened_n && connect_end(i, err) < 0)
		return -ENOMEM;
	opened[i].s = s;
	opened_n += i == opened_n;
	return __wrap_pace_sock_mark(s, cfg->peer.family, (uint32_t)cfg->dscp, cfg->ecn);
}

void
__wrap_pace_sock_close(struct pace_sock *s)
{
	for (int i = 0; i < opened_n; i++)
		if (opened[i].s == s)
			opened[i].s = NULL;
}

static struct pace_io *
io_of(const struct pace_sock *s)
{
	int i = 0;

	while (i < opened_n && opened[i].s != s)
		i++;
	ck_assert_int_lt(i, opened_n);
	return &opened[i].io;
}

struct pace_io
__wrap_pace_sock_io(struct pace_sock *s)
{
	struct pace_io io = *io_of(s);

	if (sim_machine.only_small) {
		send_all = io.send;
		io.send = send_small;
		io.train = NULL;
	}
	return io;
}

int
__wrap_pace_sock_mark(const struct pace_sock *s, int family, uint32_t dscp, enum pace_ecn ecn)
{
	struct sim_end *e = io_of(s)->ctx;

	(void)family;
	e->mark = (uint8_t)(dscp << 2 | ecn);
	return 0;
}

int
__wrap_pace_sock_mtu(const struct pace_sock *s, int family)
{
	(void)s;
	(void)family;
	return sim_machine.path_mtu;
}

struct pace_addr
__wrap_pace_sock_local(const struct pace_sock *s)
{
	(void)s;
	return sim_machine.net->client.addr;
}

int64_t
__wrap_pace_clock_raw(void)
{
	return sim_machine.net->now_ns;
}

int64_t
__wrap_pace_clock_wall(void)
{
	/* as the client's io has it: soon after 1970 began */
	return sim_machine.net->now_ns + sim_machine.net->own_wall_ns;
}

int64_t
__wrap_pace_clock_guard(void)
{
	return 100000;
}

void
__wrap_pace_clock_state(struct pace_clock_state *s)
{
	*s = (struct pace_clock_state){ .known = true, .synchronised = true, .error_ns = 1000,
	    .error_max_ns = 20000, .frequency_ppm = 1.5 };
}

static bool	waits_for_thread;	/* a real one: no time passes here */

int64_t
__wrap_pace_clock_wait_until(int64_t t_ns, int64_t guard_ns, struct pace_stalls *st,
    const volatile sig_atomic_t *stop)
{
	(void)guard_ns;
	(void)st;
	(void)stop;
	if (waits_for_thread)
		(void)sched_yield();
	else if (t_ns > sim_machine.net->now_ns)
		pass(t_ns - sim_machine.net->now_ns);
	return sim_machine.net->now_ns;
}

/* The thread that writes has written it before anything else happens. */
void
__wrap_pace_watch_lines_put(struct pace_watch_lines *l, size_t number,
    const struct pace_watch_span *s)
{
	__real_pace_watch_lines_put(l, number, s);
	waits_for_thread = true;
	while (!pace_watch_lines_drain(l))
		;
	waits_for_thread = false;
}

void
__wrap_pace_facts_read(struct pace_host *h, const char *root, const char *interface, bool hidden)
{
	(void)root;
	(void)interface;
	(void)hidden;
	*h = sim_machine.facts;
}

void
__wrap_pace_facts_host_name(char name[128])
{
	snprintf(name, 128, "hosta");
}

void
__wrap_pace_packet_fact(struct pace_host *h)
{
	(void)h;
}

void
__wrap_pace_route_to(const struct pace_addr *peer, const struct pace_addr *local, const char *root,
    char name[16])
{
	(void)peer;
	(void)local;
	(void)root;
	snprintf(name, 16, "eth0");
}

struct pace_warm *
__wrap_pace_warm_open(void)
{
	return NULL;
}

struct pace_meter *
__wrap_pace_meter_new(const char *root)
{
	(void)root;
	return NULL;
}

#define LATE_NS	INT64_C(1004000000000)	/* four seconds after the begin */

/* A look-up is over when its answer is asked for, not when a thread has come to it. */
static struct { size_t i; struct pace_looked_up answer; } looked_up[SOCKETS];
static int looked_up_n;

void
__wrap_pace_lookup_ask(struct pace_lookup *l, size_t i, const char *host, int family, uint16_t port)
{
	struct pace_looked_up *a = &looked_up[looked_up_n].answer;

	(void)l;
	ck_assert_int_lt(looked_up_n, SOCKETS);
	*a = (struct pace_looked_up){ .n = 0 };
	if (strcmp(host, "late.example") == 0 && sim_machine.net->now_ns < LATE_NS)
		a->n = pace_fail(&a->err, EHOSTUNREACH, "resolve");
	else if (strcmp(host, "nowhere.example") == 0)
		a->n = pace_failf(&a->err, EHOSTUNREACH, "resolve", "Name or service not known");
	else
		a->n = pace_resolve(strcmp(host, "late.example") == 0 ? "192.0.2.12" : host, family,
		    port, a->v, PACE_LOOKUP_MAX, &a->err);
	looked_up[looked_up_n++].i = i;
}

bool
__wrap_pace_lookup_take(struct pace_lookup *l, size_t *i, struct pace_looked_up *answer)
{
	(void)l;
	if (looked_up_n == 0)
		return false;
	*i = looked_up[--looked_up_n].i;
	*answer = looked_up[looked_up_n].answer;
	return true;
}

bool
__wrap_pace_gnuplot_is_there(void)
{
	return true;
}

/* What would be drawn is what was written. */
void
__wrap_pace_gnuplot_draw(struct pace_drawing *d, size_t n, bool (*stop)(void))
{
	(void)stop;
	for (size_t i = 0; i < n; i++)
		d[i].done = d[i].good = true;
}

pid_t
__wrap_getpid(void)
{
	return 4711;
}

time_t
__wrap_time(time_t *t)
{
	(void)t;
	return (time_t)(__wrap_pace_clock_wall() / 1000000000);
}

int
__wrap_nanosleep(const struct timespec *ts, struct timespec *rest)
{
	(void)rest;
	pass((int64_t)ts->tv_sec * 1000000000 + ts->tv_nsec);
	return 0;
}

int
__wrap_isatty(int fd)
{
	return fd == STDERR_FILENO && sim_machine.on_terminal;
}
