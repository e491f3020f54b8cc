#include "config.h"

#include "live/live_run_own.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/rates.h"
#include "doc/params.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/sock.h"
#include "run/stop.h"

#define RUN_NS		INT64_C(3600000000000)	/* of one run, where the policy says nothing */
#define SHORTEST_NS	INT64_C(100000000)	/* of what is worth being begun */
#define CUTS_MOST	4			/* of one run's length, by a policy that changes its mind */
#define LEAST_NS	INT64_C(1000000)
#define GRACE_NS	INT64_C(100000000)	/* a run is followed by the next: a fifth, if nothing is missing */
#define LOOK_MS		100

/* --- the measuring thread --------------------------------------------------- */

static void
wake(struct pace_live *l)
{
	const uint64_t one = 1;

	if (write(l->wake, &one, sizeof(one)) < 0)
		return;			/* it has been told more than once, and will look */
}

/* How long the next run may be; 0: no more. */
static int64_t
left_ns(const struct pace_live *l)
{
	int64_t most = l->peer.client.longest_ns > 0 && l->peer.client.longest_ns < RUN_NS ?
	    l->peer.client.longest_ns : RUN_NS, left = most;

	if (l->stop)
		return 0;
	if (l->cfg.duration_ns > 0 && l->began_ns != 0)
		left = l->began_ns + l->cfg.duration_ns - pace_clock_raw();
	else if (l->cfg.duration_ns > 0)
		left = l->cfg.duration_ns;
	return left < LEAST_NS ? 0 : left < most ? left : most;
}

static bool
on_report(void *ctx, const char *body, size_t len, int64_t now_ns)
{
	struct pace_live *l = ctx;
	uint64_t put = atomic_load_explicit(&l->items.put, memory_order_relaxed);
	struct pace_live_item *i = &l->item[put % PACE_LIVE_ITEMS];

	if (put - atomic_load_explicit(&l->items.got, memory_order_acquire) >= PACE_LIVE_ITEMS ||
	    len > sizeof(i->body))
		return false;		/* nobody reads: the next one has it all */
	atomic_store_explicit(&l->core, pace_affinity_here(NULL), memory_order_relaxed);
	i->run = l->run;
	i->session = l->sessions;
	i->last = left_ns(l) == 0;
	i->now_ns = now_ns;
	i->sent = l->pt->tx.frames;
	i->refused = l->pt->tx.refused;
	i->asked = l->peer.client.pinger.sent;
	i->late = l->pt->tx.late_frames;
	i->gaps = l->pt->tx.gap.stats;
	i->near = l->pt->tx.near_gaps;
	i->len = len;
	memcpy(i->body, body, len);
	atomic_store_explicit(&l->items.put, put + 1, memory_order_release);
	wake(l);
	return true;
}

static void
on_exchange(void *ctx, const struct pace_exchange *x)
{
	struct pace_live *l = ctx;
	uint64_t put = atomic_load_explicit(&l->times.put, memory_order_relaxed);

	/* The last ones of a run are not told when they really left there. */
	l->followed |= (x->flags & PACE_PING_T3_KERNEL) != 0;
	if ((l->followed && (x->flags & PACE_PING_T3_KERNEL) == 0) ||
	    put - atomic_load_explicit(&l->times.got, memory_order_acquire) >= PACE_LIVE_TIMES)
		return;
	l->time[put % PACE_LIVE_TIMES] = (struct pace_live_time){ .t1_ns = pace_exchange_t1(x),
	    .t2_ns = x->t2_ns, .t3_ns = pace_exchange_t3(x), .t4_ns = pace_exchange_t4(x) };
	atomic_store_explicit(&l->times.put, put + 1, memory_order_release);
}

/* From the first run on the reader may show it. */
static void
on_start(void *ctx)
{
	struct pace_live *l = ctx;

	l->run++;
	atomic_store(&l->waiting, false);
	if (l->began_ns == 0)
		l->began_ns = pace_clock_raw();
	atomic_store(&l->phase, PACE_LIVE_GOES);
	wake(l);
}

static void
on_busy(void *ctx, const struct pace_msg_error *who)
{
	struct pace_live *l = ctx;

	atomic_store(&l->waiting, true);
	if (!atomic_load(&l->hushed))
		l->on_busy(l->busy_ctx, who);
}

/* One run.  Where it is too long for the responder's policy, and that says what is not,
 * a shorter one. */
static int
one_run(struct pace_live *l)
{
	struct pace_client *c = &l->peer.client;
	const struct pace_watching w = { .report_ns = l->cfg.interval_ns, .ping_ns = l->cfg.ping_ns,
	    .begun = on_start, .report = on_report, .ctx = l };
	int64_t longest_ns = c->longest_ns;
	int rc;

	memset(&l->pt->tx, 0, sizeof(l->pt->tx));
	l->pt->notes.n = 0;
	l->pt->ask = l->cfg.ask;
	l->pt->ask.count = 0;
	l->pt->ask.duration_ns = left_ns(l);
	l->pt->ask.grace_ns = GRACE_NS;
	rc = pace_client_live(c, l->pt, &w, &l->err);
	if (rc == -EDQUOT && c->longest_ns >= SHORTEST_NS && c->longest_ns < l->pt->ask.duration_ns &&
	    ++l->cuts < CUTS_MOST)
		return 0;
	l->cuts = 0;
	if (rc != -EDQUOT)
		c->longest_ns = longest_ns;
	return rc;
}

static int
pin(struct pace_live *l)
{
	int cpu = l->cfg.peer.cpu, rc = cpu < 0 ? 0 : pace_affinity_pin(cpu);

	atomic_store(&l->core, pace_affinity_here(&l->tid));
	return rc < 0 ? pace_fail(&l->err, -rc, "sched_setaffinity") : 0;
}

static void *
measure(void *ctx)
{
	struct pace_live *l = ctx;
	int rc = pin(l);

	while (rc == 0 && left_ns(l) > 0) {
		rc = one_run(l);
		if (rc != -ESTALE || l->stop)
			continue;
		/* a responder that was restarted has forgotten us, but may take us again */
		rc = pace_client_open(&l->peer.client, &l->err);
		l->sessions += rc == 0;
	}
	l->rc = rc;
	pace_client_close(&l->peer.client);
	atomic_store(&l->phase, PACE_LIVE_OVER);
	wake(l);
	return NULL;
}

/* --- begin ------------------------------------------------------------------- */

/* A size that was not asked for fits any path. */
static int
fit_size(struct pace_live *l)
{
	int mtu = pace_sock_mtu(&l->peer.sock, l->peer.addr.family);
	struct pace_link link = { .family = l->peer.addr.family, .mtu = mtu > 0 ? (uint32_t)mtu : 0 };
	uint32_t most = pace_payload_max(&link);

	l->peer.client.link = link;
	if (mtu <= 0 || l->cfg.ask.size_bytes <= most)
		return PACE_EXIT_OK;
	if (!l->cfg.size_given && most >= PACE_HELLO_SIZE) {
		pace_params_fit(&l->cfg.ask, most);
		return PACE_EXIT_OK;
	}
	pace_complain("--size: '%u' does not fit the path MTU of %d bytes (at most %u bytes with IPv%d)",
	    l->cfg.ask.size_bytes, mtu, most, l->peer.addr.family);
	return PACE_EXIT_USAGE;
}

/* Signals are the reader's, who comes last where there are not cores enough. */
static int
start_thread(struct pace_live *l)
{
	sigset_t all, old;
	int rc;

	l->core = l->off = -1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&l->thread, NULL, measure, l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	l->started = rc == 0;
	if (rc != 0) {
		pace_complain("cannot start: %s", strerror(rc));
		return PACE_EXIT_NO_RESULT;
	}
	(void)pace_affinity_yield();
	return PACE_EXIT_OK;
}

/* Another client may measure: that is waited for before anything is shown. */
static int
wait_for_begin(struct pace_live *l)
{
	struct pollfd p = { .fd = l->wake, .events = POLLIN };

	while (atomic_load(&l->phase) == PACE_LIVE_BEGINS) {
		if (pace_stop != 0)
			l->stop = 1;
		(void)poll(&p, 1, LOOK_MS);
	}
	if (l->began_ns != 0)
		return PACE_EXIT_OK;
	pace_live_stop(l);
	return pace_stop != 0 ? pace_stop_status() : pace_live_judge(l);
}

static int
open_session(struct pace_live *l)
{
	struct pace_peer_cfg pc = l->cfg.peer;
	struct pace_client *c = &l->peer.client;
	struct pace_err err = { .code = 0 };
	int rc;

	if (pc.cpu >= 0 && pace_affinity_try(pc.cpu) < 0) {
		pace_peer_no_core(pc.cpu);
		return PACE_EXIT_USAGE;
	}
	pc.cpu = -1;			/* the thread's that sends */
	rc = pace_peer_open(&l->peer, &pc);
	if (rc == PACE_EXIT_OK)
		rc = fit_size(l);
	if (rc != PACE_EXIT_OK)
		return rc;
	l->on_busy = c->on_busy;
	l->busy_ctx = c->busy_ctx;
	c->on_busy = on_busy;
	c->busy_ctx = l;
	c->on_exchange = on_exchange;
	c->exchange_ctx = l;
	if (pace_client_open(c, &err) < 0) {
		if (pace_stop == 0)
			pace_peer_tell(&l->peer, &err);
		return pace_stop != 0 ? pace_stop_status() : PACE_EXIT_NO_RESULT;
	}
	l->sessions = 1;
	c->stop = l->peer.sock.stop = &l->stop;
	return PACE_EXIT_OK;
}

int
pace_live_begin(struct pace_live **out, const struct pace_live_cfg *cfg)
{
	struct pace_live *l = calloc(1, sizeof(*l));
	int rc = PACE_EXIT_OK;

	*out = l;
	if (l != NULL) {
		l->cfg = *cfg;
		l->peer.sock.fd = -1;
		l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		l->pt = pace_point_new();
		pace_clockfit_reset(&l->story.fit);
	}
	if (l == NULL || l->wake < 0 || l->pt == NULL) {
		pace_complain("cannot start: out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	pace_stop_catch();
	rc = open_session(l);
	if (rc == PACE_EXIT_OK)
		rc = start_thread(l);
	if (rc == PACE_EXIT_OK)
		rc = wait_for_begin(l);
	return rc;
}

/* --- end ----------------------------------------------------------------------- */

void
pace_live_stop(struct pace_live *l)
{
	if (!l->started || l->joined)
		return;
	l->stop = 1;
	pthread_join(l->thread, NULL);
	l->joined = true;
}

void
pace_live_hush(struct pace_live *l)
{
	atomic_store(&l->hushed, true);
}

bool
pace_live_is_waiting(const struct pace_live *l)
{
	return atomic_load(&l->waiting);
}

bool
pace_live_is_done(const struct pace_live *l)
{
	return atomic_load(&l->phase) == PACE_LIVE_OVER && (l->rc == 0 || l->rc == -EINTR);
}

int
pace_live_judge(const struct pace_live *l)
{
	if (l->story.bad > 0)
		pace_complain("%llu reports of the responder made no sense",
		    (unsigned long long)l->story.bad);
	if (pace_live_is_done(l))
		return PACE_EXIT_OK;
	pace_peer_tell(&l->peer, &l->err);
	return PACE_EXIT_NO_RESULT;
}

void
pace_live_free(struct pace_live *l)
{
	if (l == NULL)
		return;
	pace_live_stop(l);
	pace_peer_close(&l->peer);
	if (l->wake >= 0)
		close(l->wake);
	pace_point_free(l->pt);
	free(l);
}

/* --- lines ----------------------------------------------------------------------- */

int
pace_live_fd(const struct pace_live *l)
{
	return l->wake;
}

/* The sender goes where the kernel lets it; who draws goes out of its way. */
static void
keep_off(struct pace_live *l)
{
	int core = atomic_load_explicit(&l->core, memory_order_relaxed);

	if (core < 0 || core == l->off || atomic_load(&l->phase) != PACE_LIVE_GOES)
		return;
	l->off = core;
	(void)pace_affinity_keep_off(l->tid, core);
}

int
pace_live_next(void *ctx, int64_t now_ns, struct pace_status_source_item *item)
{
	struct pace_live *l = ctx;
	bool over = atomic_load(&l->phase) == PACE_LIVE_OVER;	/* what came before it is there */
	uint64_t n;

	if (read(l->wake, &n, sizeof(n)) < 0 && errno != EAGAIN)
		return -errno;
	keep_off(l);
	return pace_live_take(l, now_ns, item) ? 1 : over ? -ENODATA : 0;
}
