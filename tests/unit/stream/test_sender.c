/* sender.h: late trains and refusals, on a clock that a test holds and a kernel that refuses
 * what a test wants refused. */
#include "stream/sender.h"

#include <errno.h>
#include <string.h>

#include "lib/unit.h"

#define SPACING	INT64_C(100000)

/* The world: its clock, and what happens to which call. */
static int64_t now_ns;
static uint64_t waits, sends, taken, warmed, awake;
static uint64_t stamped, unread, beside_unread;	/* stamps asked for, not yet read; frames without one
						 * that left meanwhile */
static bool warm;
static int64_t spacing_ns = SPACING, awake_ns;
static int64_t (*late)(uint64_t wait);		/* ns; NULL: never */
static int (*refuse)(uint64_t send);		/* 0 or -errno; NULL: nothing */

static struct pace_params ask;
static struct pace_pinger pinger;
static struct pace_clockfit fit;
static struct pace_tx tx;
static uint64_t asked;

static int
world_send(void *ctx, const struct pace_out *v, int n)
{
	int rc;

	(void)ctx;
	if (v->len != ask.size_bytes)
		return n;		/* a ping */
	stamped += v->stamp;
	unread += v->stamp;
	beside_unread += !v->stamp && unread > 0;
	rc = refuse != NULL ? refuse(sends) : 0;
	sends++;
	taken += rc == 0;
	return rc < 0 ? rc : n;
}

static int
world_train(void *ctx, const uint8_t *frames, size_t size, int n, bool *segmented)
{
	int rc = refuse != NULL ? refuse(sends) : 0;

	(void)ctx;
	(void)frames;
	(void)size;
	*segmented = true;
	sends++;
	taken += rc == 0 ? (uint64_t)n : 0;
	return rc < 0 ? rc : n;
}

static int
world_departures(void *ctx, struct pace_departure *v, int n)
{
	(void)ctx;
	(void)v;
	(void)n;
	unread = 0;
	return 0;
}

static int
world_recv(void *ctx, struct pace_in *v, int n)
{
	(void)ctx;
	(void)v;
	(void)n;
	return 0;
}

static void
world_renumber(void *ctx)
{
	(void)ctx;
}

static void
world_usage(void *ctx, struct pace_usage *u)
{
	(void)ctx;
	memset(u, 0, sizeof(*u));
}

static int64_t
world_now(void *ctx)
{
	(void)ctx;
	return now_ns;
}

/* Only waits for a slot have stalls. */
static int64_t
world_sleep(void *ctx, int64_t t_ns, struct pace_stalls *st)
{
	(void)ctx;
	if (now_ns < t_ns)
		now_ns = t_ns;
	if (st != NULL && late != NULL)
		now_ns += late(waits);
	waits += st != NULL;
	return now_ns;
}

static void
world_ready(void *ctx, bool keeps_warm, bool stays_awake)
{
	(void)ctx;
	warm = keeps_warm;
	warmed += keeps_warm;
	awake += stays_awake;
}

static struct pace_io world = {
	.send = world_send, .train = world_train, .departures = world_departures,
	.renumber = world_renumber, .usage = world_usage, .recv = world_recv, .now = world_now,
	.wall = world_now, .sleep_until = world_sleep, .ready = world_ready,
};

static void
nobody_asks(void *ctx, const struct pace_exchange *x)
{
	(void)ctx;
	(void)x;
}

/* A run of count frames in trains; its status. */
static int
run(uint64_t count, uint32_t train)
{
	struct pace_sender s = { .io = &world, .ask = &ask, .session = 1, .pinger = &pinger,
	    .fit = &fit, .wire_bytes = 266, .awake_ns = awake_ns };
	int rc;

	memset(&pinger, 0, sizeof(pinger));
	ck_assert_int_eq(pace_pinger_init(&pinger, 64, PACE_FRAME_MAX), 0);
	pinger.io = world;
	pinger.done = nobody_asks;
	pinger.timeout_ns = 1000000000;
	pace_clockfit_reset(&fit);
	ask = (struct pace_params){ .busy_poll = ask.busy_poll, .direction = ask.direction };
	ask.size_bytes = 200;
	ask.spacing = pace_spacing_from_ns(spacing_ns);
	ask.count = count;
	ask.bursts = 1;
	ask.train = train;
	ask.catch_up = PACE_CATCH_BURST;
	now_ns = 1000000000;
	waits = sends = taken = stamped = unread = beside_unread = 0;
	rc = pace_sender_run(&s, &tx, &asked);
	pace_pinger_free(&pinger);
	return rc;
}

static bool
noted(const char *code)
{
	struct pace_notes n = { .n = 0 };

	(void)pace_sender_judge(&ask, &tx, asked, 0, &n);
	for (int i = 0; i < n.n; i++)
		if (strcmp(n.v[i].code, code) == 0)
			return true;
	return false;
}

static int64_t
late_once(uint64_t wait)
{
	return wait == 5 ? SPACING * 8 + 1 : 0;
}

static int64_t
late_just_not(uint64_t wait)
{
	return wait == 5 ? SPACING * 8 : 0;
}

/* A train that leaves more than a step late is all its frames late. */
START_TEST(frames_of_a_late_train_are_late)
{
	late = late_once;
	ck_assert_int_eq(run(800, 8), 0);
	ck_assert_uint_eq(tx.frames, 800);
	ck_assert_uint_eq(tx.late_frames, 8);
	ck_assert(!noted("frames_late"));	/* 1 %, no more */
	ck_assert_int_eq(run(792, 8), 0);
	ck_assert_uint_eq(tx.late_frames, 8);
	ck_assert(noted("frames_late"));
	late = late_just_not;
	ck_assert_int_eq(run(800, 8), 0);
	ck_assert_uint_eq(tx.late_frames, 0);
	late = late_once;			/* single ones: eight steps behind, and their heirs */
	ck_assert_int_eq(run(800, 1), 0);
	ck_assert_uint_eq(tx.late_frames, 8);
	late = NULL;
}
END_TEST

static int why, refusals;

static int
refuse_first(uint64_t send)
{
	return send >= 10 && send < 10 + (uint64_t)refusals ? why : 0;
}

/* A queue that is full becomes empty again: frames are lost, not the run. */
START_TEST(a_full_queue_ends_no_run)
{
	static const int full[] = { -ENOBUFS, -EAGAIN };

	refuse = refuse_first;
	for (int i = 0; i < COUNT_OF(full); i++) {
		for (uint32_t train = 1; train <= 4; train += 3) {
			why = full[i];
			refusals = 500;
			ck_assert_int_eq(run(1000 * train, train), 0);
			ck_assert_uint_eq(tx.refused, 500 * train);
			ck_assert_uint_eq(tx.frames, 500 * train);
			ck_assert_uint_eq(taken, tx.frames);
			ck_assert_uint_eq(asked, 1000 * train);
			ck_assert_int_eq(tx.refused_errno, -why);
			ck_assert_int_eq(tx.refusals[0].code, -why);
			ck_assert(noted("frames_refused"));
		}
	}
	refuse = NULL;
}
END_TEST

/* 63 errors of another kind in a row are tolerated; 64 end the run. */
START_TEST(refusals_in_a_row_end_a_run)
{
	refuse = refuse_first;
	why = -EPERM;
	refusals = 63;
	ck_assert_int_eq(run(1000, 1), 0);
	ck_assert_uint_eq(tx.refused, 63);
	ck_assert_uint_eq(tx.frames, 937);
	refusals = 64;
	ck_assert_int_eq(run(1000, 1), -EPERM);
	ck_assert_uint_eq(tx.frames, 10);
	ck_assert_uint_eq(tx.refused, 64);
	why = -EMSGSIZE;			/* no later one would be shorter */
	ck_assert_int_eq(run(1000, 1), -EMSGSIZE);
	ck_assert_uint_eq(tx.refused, 1);
	refuse = NULL;
}
END_TEST

/* The stamps of a sample are read behind its last frame: while they wait, the kernel holds the memory
 * of these frames back from those that follow. */
START_TEST(a_sample_is_read_at_once)
{
	ck_assert_int_eq(run(2560, 1), 0);
	ck_assert_uint_eq(stamped, 80);
	ck_assert_uint_eq(beside_unread, 0);
}
END_TEST

/* What sends is kept warm for a run of single frames that rest, not for others and not after it. */
START_TEST(caches_are_kept_warm_for_frames_that_rest)
{
	const struct { int64_t ns; uint32_t train; uint64_t on; } v[] = {
		{ 10000, 1, 1 }, { 9999, 1, 0 }, { 30000, 4, 0 }, { 0, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		spacing_ns = v[i].ns;
		warmed = 0;
		ck_assert_int_eq(run(100, v[i].train), 0);
		ck_assert_uint_eq(warmed, v[i].on);
		ck_assert(!warm);
	}
	spacing_ns = SPACING;
}
END_TEST

START_TEST(no_sleep_before_what_follows_soon_enough)
{
	static const struct {
		int64_t		awake_ns, spacing_ns;
		uint32_t	train;
		bool		on;
	} v[] = {
		{ PACE_SENDER_AWAKE_NS, 1000000, 1, true },
		{ PACE_SENDER_AWAKE_NS, 1000001, 1, false },
		{ PACE_SENDER_AWAKE_NS, 200000, 5, true },
		{ PACE_SENDER_AWAKE_NS, 200000, 6, false },
		{ PACE_SENDER_AWAKE_NS, 0, 1, true },
		{ PACE_SENDER_NO_SLEEP_NS, 2000000000, 1, true },
		{ 0, 20000, 1, false },
		{ 0, 0, 1, false },		/* a responder's sender may sleep whatever is asked */
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		awake_ns = v[i].awake_ns;
		spacing_ns = v[i].spacing_ns;
		awake = 0;
		ck_assert_int_eq(run(100, v[i].train), 0);
		ck_assert_uint_eq(awake, v[i].on);
	}
	awake_ns = 0;
	spacing_ns = SPACING;
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("sender");

	tcase_add_test(tc, frames_of_a_late_train_are_late);
	tcase_add_test(tc, a_full_queue_ends_no_run);
	tcase_add_test(tc, a_sample_is_read_at_once);
	tcase_add_test(tc, caches_are_kept_warm_for_frames_that_rest);
	tcase_add_test(tc, no_sleep_before_what_follows_soon_enough);
	tcase_add_test(tc, refusals_in_a_row_end_a_run);
	return unit_run(tc, "sender");
}
