#include "config.h"

#include "live/live_run_own.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/rates.h"
#include "core/units.h"
#include "doc/params.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/sock.h"
#include "plat/thread.h"
#include "run/stop.h"

#define RUN_NS		INT64_C(3600000000000)	/* length of a run if the policy sets no limit */
#define SHORTEST_NS	INT64_C(100000000)	/* shortest run that is started */
#define CUTS_MOST	4			/* how often in a row a policy may shorten the
						 * next run */
#define LEAST_NS	INT64_C(1000000)
#define GRACE_NS	INT64_C(100000000)	/* grace before the next run; a fifth of it if no
						 * frame is missing */
#define LOOK_MS		100
#define JUMP_NS		INT64_C(5000000000)	/* of an offset: half of what the pinger follows */
#define AGAIN_MS	500			/* interval of the attempts in an outage */
#define END_NS		INT64_C(2000000000)	/* longest wait for the end of a run: above
						 * PACE_CLIENT_HINT_NS */

/* --- the measuring thread --------------------------------------------------- */

static void
wake(struct pace_live *l)
{
	const uint64_t one = 1;

	if (write(l->wake, &one, sizeof(one)) < 0)
		return;			/* already signalled several times; the reader will look */
}

/* Longest duration of the next run; 0: no further run. */
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

/* Record a sign of the responder.  A silence is known only by the sign that ends it. */
static void
hear(struct pace_live *l, int64_t now_ns)
{
	int64_t silent_ns = now_ns - atomic_load_explicit(&l->heard_ns, memory_order_relaxed);

	if (silent_ns > PACE_LIVE_SLACK_NS + l->cfg.ping_ns)
		atomic_store_explicit(&l->back_ns, now_ns, memory_order_relaxed);
	atomic_store_explicit(&l->heard_ns, now_ns, memory_order_relaxed);
}

bool
pace_live_hand_over(struct pace_live *l, enum pace_live_item_kind kind, const char *body, size_t len,
    int64_t now_ns)
{
	uint64_t put = atomic_load_explicit(&l->items.put, memory_order_relaxed);
	struct pace_live_item *i = &l->item[put % PACE_LIVE_ITEMS];

	if (put - atomic_load_explicit(&l->items.got, memory_order_acquire) >= PACE_LIVE_ITEMS ||
	    len > sizeof(i->body))
		return false;
	atomic_store_explicit(&l->core, pace_affinity_here(NULL), memory_order_relaxed);
	i->kind = kind;
	i->run = l->run;
	i->session = l->sessions;
	i->last = left_ns(l) == 0;
	i->now_ns = now_ns;
	i->asked = l->peer.client.pinger.sent;
	i->tx = (struct pace_live_sent){ .sent = l->pt->tx.frames, .refused = l->pt->tx.refused,
	    .late = l->pt->tx.late_frames, .gaps = l->pt->tx.gap.stats,
	    .near = l->pt->tx.near_gaps };
	if (l->streams > 0)
		pace_live_streams_item(l, i);
	if (pace_params_goes_down(&l->cfg.ask))
		i->own = l->own;
	if (kind == PACE_LIVE_STAMP)
		pace_live_stamp_item(l, i);
	i->len = len;
	memcpy(i->body, body, len);
	atomic_store_explicit(&l->items.put, put + 1, memory_order_release);
	wake(l);
	return true;
}

/* A report that is not handed over is no loss: the next one includes its counts. */
static bool
on_report(void *ctx, const char *body, size_t len, int64_t now_ns)
{
	hear(ctx, now_ns);
	return pace_live_hand_over(ctx, PACE_LIVE_REPORT, body, len, now_ns);
}

/* The run's last report was handed over, or the responder has forgotten the run: frames not
 * reported by now stay unreported. */
static void
on_end(void *ctx)
{
	struct pace_live *l = ctx;

	if (l->over == l->run)
		return;
	l->turn = 1;			/* of several streams, an item has not all */
	do {
		while (!pace_live_hand_over(l, PACE_LIVE_RUN_OVER, "", 0, pace_clock_raw()) &&
		    l->stop == 0)
			(void)poll(NULL, 0, LOOK_MS);
		l->turn += PACE_SLICES;
	} while (l->turn <= l->streams);
	l->over = l->run;
}

static void
on_exchange(void *ctx, const struct pace_exchange *x)
{
	struct pace_live *l = ctx;
	uint64_t put = atomic_load_explicit(&l->times.put, memory_order_relaxed);
	bool timed;

	hear(l, x->t4_ns);
	/* The responder does not report the departure stamps of a run's last replies. */
	l->followed |= (x->flags & PACE_PING_T3_KERNEL) != 0;
	if ((l->followed && (x->flags & PACE_PING_T3_KERNEL) == 0) ||
	    put - atomic_load_explicit(&l->times.got, memory_order_acquire) >= PACE_LIVE_TIMES)
		return;
	timed = !l->cfg.peer.stamp || (x->flags & PACE_PING_TIMES) != 0;
	if (timed && llabs(x->t2_ns - x->t1_ns - l->offset_ns) > JUMP_NS)
		l->clocks++;
	if (timed)
		l->offset_ns = x->t2_ns - x->t1_ns;
	l->time[put % PACE_LIVE_TIMES] = (struct pace_live_time){ .t1_ns = pace_exchange_t1(x),
	    .t2_ns = x->t2_ns, .t3_ns = pace_exchange_t3(x), .t4_ns = pace_exchange_t4(x),
	    .untimed = !timed, .clock = l->clocks };
	atomic_store_explicit(&l->times.put, put + 1, memory_order_release);
}

void
pace_live_goes(struct pace_live *l)
{
	if (l->began_ns == 0)
		l->began_ns = pace_clock_raw();
	atomic_store(&l->phase, PACE_LIVE_GOES);
	wake(l);
}

static void
on_start(void *ctx)
{
	struct pace_live *l = ctx;

	l->run++;
	atomic_store(&l->waiting, false);
	hear(l, pace_clock_raw());
	pace_live_goes(l);
}

static void
on_busy(void *ctx, const struct pace_msg_error *who)
{
	struct pace_live *l = ctx;
	char text[PACE_PEER_BUSY_SIZE];

	atomic_store(&l->waiting, true);
	pace_peer_busy_text(who, text, sizeof(text));
	(void)pace_live_hand_over(l, PACE_LIVE_BUSY, text, strlen(text), pace_clock_raw());
	if (!atomic_load(&l->hushed))
		l->on_busy(l->busy_ctx, who);
}

static struct pace_watching
watching(struct pace_live *l)
{
	return (struct pace_watching){ .report_ns = l->cfg.interval_ns, .ping_ns = l->cfg.ping_ns,
	    .begun = on_start, .ended = on_end, .report = on_report, .own = &l->own,
	    .own_of = l->own_of, .turn = l->streams > 0 ? &l->turn : NULL, .ctx = l };
}

/* Make one run.  If it is too long for the responder's policy, and the refusal states the limit,
 * make the next one shorter. */
static int
one_run(struct pace_live *l)
{
	struct pace_client *c = &l->peer.client;
	const struct pace_watching w = watching(l);
	int64_t longest_ns = c->longest_ns;
	int rc;

	memset(&l->pt->tx, 0, sizeof(l->pt->tx));
	l->pt->notes.n = 0;
	l->pt->ask = l->cfg.ask;
	l->pt->ask.count = 0;
	l->pt->ask.duration_ns = left_ns(l);
	l->pt->ask.grace_ns = GRACE_NS;
	rc = pace_client_live(c, l->pt, &w, &l->err);
	if (rc == -EDQUOT && c->longest_ns >= SHORTEST_NS &&
	    c->longest_ns < l->pt->ask.duration_ns &&
	    ++l->cuts < CUTS_MOST)
		return 0;
	l->cuts = 0;
	if (rc != -EDQUOT)
		c->longest_ns = longest_ns;
	return rc;
}

/* Can the failure pass?  Not if the responder would give the same answer again; before the first
 * run every answer is final. */
static bool
may_pass(const struct pace_live *l, int rc)
{
	static const int answers[] =
	    { EDQUOT, EKEYREJECTED, EPROTONOSUPPORT, ENOTSUP, EMSGSIZE, EINTR,
		ENOMEM, EACCES, EBUSY, EPROTO };	/* after the first run, the last three
							 * may change */
	size_t n = sizeof(answers) / sizeof(answers[0]) - (l->run == 0 ? 0 : 3);

	for (size_t i = 0; i < n; i++)
		if (rc == -answers[i])
			return false;
	return rc < 0 && left_ns(l) > 0;
}

/* Hand over the reason, but the same one only once. */
static void
report_failure(struct pace_live *l, char reported[PACE_OUTAGE_WHY])
{
	const char *text = pace_err_why(&l->err);
	char why[PACE_OUTAGE_WHY];

	pace_clean(why, sizeof(why), text, strlen(text));
	if (strcmp(why, reported) != 0 &&
	    pace_live_hand_over(l, PACE_LIVE_FAILURE, why, strlen(why) + 1, pace_clock_raw()))
		memcpy(reported, why, sizeof(why));
}

/* Retry during an outage until another run can begin.  While the responder has the session, end
 * the interrupted run; otherwise open a new session. */
static int
resume(struct pace_live *l, int rc)
{
	struct pace_client *c = &l->peer.client;
	const struct pace_watching w = watching(l);
	char reported[PACE_OUTAGE_WHY] = "";
	bool forgotten = rc == -ESTALE || rc == -ESHUTDOWN;
	bool at_once = rc == -ESTALE && l->over != l->run;	/* a run was in progress */

	atomic_store(&l->waiting, false);
	pace_live_goes(l);
	for (; may_pass(l, rc); at_once = false) {
		report_failure(l, reported);
		for (int ms = at_once ? AGAIN_MS : 0; ms < AGAIN_MS && left_ns(l) > 0; ms += LOOK_MS)
			(void)poll(NULL, 0, LOOK_MS);
		if (forgotten) {
			on_end(l);
			rc = pace_client_open(c, &l->err);
			l->sessions += rc == 0;
			if (rc == -EDQUOT)	/* the rule limits sessions per host; one of them
						 * may end */
				rc = -EBUSY;
		} else if (l->over != l->run) {
			rc = pace_client_live_end(c, l->pt, &w, END_NS, &l->err);
			forgotten = rc == -ESTALE || rc == -EACCES || rc == -EPROTO;
		} else {
			rc = 0;		/* no run to end: START itself failed */
		}
	}
	return rc;
}

static void *
measure(void *ctx)
{
	struct pace_live *l = ctx;
	int cpu = l->cfg.peer.cpu, rc = cpu < 0 ? 0 : pace_affinity_pin(cpu);

	atomic_store(&l->core, pace_affinity_here(&l->tid));
	rc = rc < 0 ? pace_fail(&l->err, -rc, "sched_setaffinity") : 0;
	while (rc == 0 && left_ns(l) > 0) {
		rc = l->cfg.peer.stamp ? pace_live_stamp_run(l) : one_run(l);
		if (may_pass(l, rc) && !l->cfg.peer.stamp)
			rc = resume(l, rc);
	}
	if (l->run > 0)
		on_end(l);
	l->rc = left_ns(l) == 0 ? 0 : rc;	/* the planned end counts, also in an outage */
	pace_client_close(&l->peer.client);
	atomic_store(&l->phase, PACE_LIVE_OVER);
	wake(l);
	return NULL;
}

/* --- start ------------------------------------------------------------------- */

/* Reduce the default size to fit the path. */
static int
fit_size(struct pace_live *l)
{
	int mtu = pace_sock_mtu(&l->peer.sock, l->peer.addr.family);
	struct pace_link link = { .family = l->peer.addr.family, .mtu = mtu > 0 ? (uint32_t)mtu :
	    0 };
	uint32_t most = pace_payload_max(&link);

	l->peer.client.link = link;
	if (l->cfg.peer.stamp && !l->cfg.size_given)
		l->cfg.ask.size_bytes = pace_pinger_size(&l->peer.client.pinger);
	if (mtu <= 0 || l->cfg.ask.size_bytes <= most)
		return PACE_EXIT_OK;
	if (!l->cfg.size_given && most >= PACE_HELLO_SIZE) {
		pace_params_fit(&l->cfg.ask, most);
		return PACE_EXIT_OK;
	}
	if (!l->cfg.peer.stamp && !pace_peer_has_room(&l->cfg.peer, &link))
		return PACE_EXIT_NO_RESULT;
	pace_complain("--size: '%u' does not fit the path MTU of %d bytes (at most %u bytes with IPv%d)",
	    l->cfg.ask.size_bytes, mtu, most, l->peer.addr.family);
	return PACE_EXIT_USAGE;
}

/* The reader handles signals, and yields if there are not enough cores. */
static int
start_thread(struct pace_live *l)
{
	int rc;

	l->core = l->off = -1;
	rc = pace_thread_start(&l->thread, measure, l);
	l->started = rc == 0;
	if (rc != 0) {
		pace_complain("cannot start: %s", strerror(-rc));
		return PACE_EXIT_NO_RESULT;
	}
	(void)pace_affinity_yield();
	return PACE_EXIT_OK;
}

/* Let the file descriptor be unreadable until something new is handed over: 0 or -errno. */
static int
clear_wake(const struct pace_live *l)
{
	uint64_t n;

	return read(l->wake, &n, sizeof(n)) < 0 && errno != EAGAIN ? -errno : 0;
}

/* Wait for the first run before anything is shown: another client may be measuring. */
static int
wait_for_begin(struct pace_live *l)
{
	struct pollfd p = { .fd = l->wake, .events = POLLIN };

	while (atomic_load(&l->phase) == PACE_LIVE_BEGINS) {
		if (pace_stop != 0)
			l->stop = 1;
		(void)poll(&p, 1, LOOK_MS);
		(void)clear_wake(l);
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
	pc.cpu = -1;			/* --cpu applies to the sending thread */
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
	l->heard_ns = pace_clock_raw();
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
	if (l == NULL || l->wake < 0 || l->pt == NULL || pace_live_streams_make(l) < 0) {
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

const char *
pace_live_waiting(const struct pace_live *l)
{
	return !atomic_load(&l->waiting) ? "" : l->story.busy[0] != '\0' ? l->story.busy :
	    "another client is measuring; waiting";
}

bool
pace_live_is_done(const struct pace_live *l)
{
	return atomic_load(&l->phase) == PACE_LIVE_OVER && !l->gave_up &&
	    (l->rc == 0 || l->rc == -EINTR);
}

int
pace_live_judge(const struct pace_live *l)
{
	char time[40];

	if (l->story.bad > 0)
		pace_complain("%llu report%s of the responder made no sense",
		    (unsigned long long)l->story.bad, pace_plural(l->story.bad));
	if (pace_live_is_done(l))
		return PACE_EXIT_OK;
	if (l->gave_up) {
		pace_complain("%s: the outage lasted %s: given up, as --give-up says",
		    l->cfg.peer.host,
		    pace_print(PACE_UNIT_SEC, (double)l->cfg.give_up_ns, time, sizeof(time)));
		return PACE_EXIT_NO_RESULT;
	}
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
	pace_live_streams_free(l);
	free(l);
}

/* --- lines ----------------------------------------------------------------------- */

int
pace_live_fd(const struct pace_live *l)
{
	return l->wake;
}

/* In an outage the measuring thread may be waiting for an answer. */
static void
end_in_time(struct pace_live *l, int64_t now_ns)
{
	const struct pace_live_scenario *s = l->back.is_out ? &l->back : &l->story;
	int64_t out_ns = s->is_out ? now_ns - s->out_ns : 0;

	if (l->cfg.give_up_ns > 0 && out_ns >= l->cfg.give_up_ns && l->stop == 0)
		l->gave_up = true;
	if (l->gave_up || (out_ns > 0 && l->cfg.duration_ns > 0 &&
	    now_ns - l->began_ns >= l->cfg.duration_ns))
		l->stop = 1;
}

int
pace_live_next(void *ctx, int64_t now_ns, struct pace_status_source_item *item)
{
	struct pace_live *l = ctx;
	int phase = atomic_load(&l->phase);	/* read before the items: all earlier ones are
						 * then there */
	int core = atomic_load_explicit(&l->core, memory_order_relaxed);
	int rc = clear_wake(l);

	if (rc < 0)
		return rc;
	/* the kernel may move the sender; the display avoids its core */
	if (core >= 0 && core != l->off && phase == PACE_LIVE_GOES) {
		l->off = core;
		(void)pace_affinity_keep_off(l->tid, core);
	}
	end_in_time(l, now_ns);
	return pace_live_take(l, now_ns, item) ? 1 : phase == PACE_LIVE_OVER ? -ENODATA : 0;
}
