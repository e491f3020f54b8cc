/* run/feed.c: the data of a campaign for a display in another process. */
#include "lib/unit.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/snap.h"
#include "run/feed.h"
#include "ui/sweep_grid.h"

static int fd[2];
static char packet[PACE_FEED_ROOM + 1];
static struct pace_snap *snap;

static void
setup(void)
{
	struct pace_result r = { .target = { 0 } };

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd), 0);
	snap = pace_snap_new();
	ck_assert_ptr_nonnull(snap);
	strcpy(r.target, "192.0.2.1");
	pace_feed_to(fd[0]);
	pace_feed_begin(&r, NULL, 0);
}

static void
teardown(void)
{
	pace_feed_to(-1);
	close(fd[0]);
	close(fd[1]);
	pace_snap_free(snap);
}

/* How many packets there were; all of them are understood. */
static int
show(void)
{
	ssize_t n;
	int packets = 0;

	while ((n = recv(fd[1], packet, sizeof(packet), MSG_DONTWAIT)) >= 0) {
		ck_assert_int_gt(n, (ssize_t)sizeof(int32_t));
		ck_assert_int_le(n, PACE_FEED_ROOM);
		ck_assert_int_ge(pace_snap_feed(snap, packet + sizeof(int32_t),
		    (size_t)n - sizeof(int32_t)), 0);
		packets++;
	}
	return packets;
}

/* As many bins as full resolution can have, in each place where there are some. */
static json_t *
bins(int n)
{
	json_t *all = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(all, json_pack("[I,I,I]", (json_int_t)1000000 + i,
		    (json_int_t)1000001 + i, (json_int_t)1));
	return all;
}

static json_t *
point(int n)
{
	return json_pack("{s:i,s:f,s:{s:f,s:I,s:{s:o},s:{s:o}},s:{s:f,s:I,s:{s:o}},s:{s:I,s:{s:o}},"
	    "s:{s:s,s:o},s:{s:o}}",
	    "size_bytes", 1472, "spacing_ns", 20000.0,
	    "rx", "wire_rate_bps", 6.1e8, "unique", (json_int_t)9990,
	    "gap_ns", "bins", bins(n), "gap_error_ns", "bins", bins(n),
	    "loss", "ratio", 0.001, "frames", (json_int_t)10, "runs", "bins", bins(n),
	    "reordering", "frames", (json_int_t)3, "late_ns", "bins", bins(n),
	    "ledger", "diagnosis", "the socket's buffer was full", "lines", bins(n),
	    "delay", "bins", bins(n));
}

static const int sizes[] = { 0, 10, 100, 1000, 4000 };

START_TEST(a_point_is_told_however_many_bins_it_has)
{
	const struct pace_snap_point *p;

	pace_feed_point(point(sizes[_i]));
	ck_assert_int_eq(show(), 2);
	ck_assert_uint_eq(snap->sweep->n, 1);
	p = &snap->sweep->point[0];
	ck_assert_uint_eq(p->size_bytes, 1472);
	ck_assert_double_eq(p->spacing_ns, 20000);
	ck_assert_double_eq(p->wire_bps, 6.1e8);
	ck_assert_double_eq(p->loss, 0.001);
	ck_assert_uint_eq(p->lost, 10);
	ck_assert_uint_eq(p->reordered, 3);
	ck_assert_uint_eq(p->frames, 9990);
	ck_assert_str_eq(p->diagnosis, "the socket's buffer was full");
}
END_TEST

START_TEST(a_point_that_failed_is_one_without_loss)
{
	pace_feed_point(json_pack("{s:i,s:f,s:n,s:n,s:n}", "size_bytes", 64, "spacing_ns", 0.0,
	    "rx", "loss", "reordering"));
	pace_feed_point(json_pack("{s:i,s:f}", "size_bytes", 64, "spacing_ns", 0.0));
	ck_assert_int_eq(show(), 3);
	ck_assert_uint_eq(snap->sweep->n, 2);
	ck_assert(isnan(snap->sweep->point[0].loss));
	ck_assert(isnan(snap->sweep->point[1].loss));
}
END_TEST

#define MANY	2000

START_TEST(a_plan_is_told_whole)
{
	struct pace_result r = { .target = "192.0.2.1" };
	struct pace_params *plan = calloc(MANY, sizeof(*plan));

	for (int i = 0; i < MANY; i++) {
		plan[i].size_bytes = 65507;
		plan[i].spacing = (uint64_t)(i + 1) * 0x1234567;
		plan[i].train = 7;
		plan[i].repeat = i == MANY - 1;		/* the same once more */
	}
	pace_feed_step(&(struct pace_feed_step){ .number = 1, .of = 2, .name = "a",
	    .command = "throughput", .target = "hostb", .cost_ns = 9, .after_ns = 4 });
	pace_feed_begin(&r, plan, MANY);
	pace_feed_now(&plan[1], 1, 5, 7);
	pace_feed_notice("one\033 two");
	ck_assert_int_eq(show(), 1 + 1 + 1 + 7 + 1 + 1);
	ck_assert_uint_eq(snap->sweep->plans, MANY - 1);
	ck_assert_uint_eq(snap->sweep->train, 7);
	ck_assert_uint_eq(snap->sweep->planned, MANY);
	ck_assert_int_eq(snap->sweep->step.all_ns, 9);
	ck_assert_uint_eq(snap->sweep->now_index, 1);
	ck_assert_int_eq(snap->sweep->point_ns, 5);
	ck_assert_int_eq(pace_sweep_place(snap->sweep, 65507, snap->sweep->plan[1].spacing_ns),
	    PACE_CELL_NOW);
	ck_assert_int_gt(snap->at_ns, INT64_C(1700000000000000000));
	ck_assert_str_eq(pace_snap_event(snap, 0)->text, "one? two");
	free(plan);
}
END_TEST

START_TEST(costs_are_summed_until_asked_for)
{
	ck_assert_int_eq(pace_feed_cost_take(), -1);
	pace_feed_cost(3);
	pace_feed_cost(INT64_MAX - 5);
	ck_assert_int_eq(pace_feed_cost_take(), INT64_MAX - 2);
	pace_feed_cost(INT64_MAX);
	pace_feed_cost(1);
	ck_assert_int_eq(pace_feed_cost_take(), INT64_MAX);
	ck_assert_int_eq(pace_feed_cost_take(), -1);
}
END_TEST

START_TEST(nobody_follows)
{
	ck_assert_int_eq(show(), 1);
	pace_feed_to(-1);
	ck_assert(!pace_feed_is_on());
	pace_feed_point(point(10));
	pace_feed_end();
	ck_assert_int_eq(show(), 0);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("follow");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_point_is_told_however_many_bins_it_has, 0, COUNT_OF(sizes));
	tcase_add_test(tc, a_point_that_failed_is_one_without_loss);
	tcase_add_test(tc, a_plan_is_told_whole);
	tcase_add_test(tc, costs_are_summed_until_asked_for);
	tcase_add_test(tc, nobody_follows);
	return unit_run(tc, "follow");
}
