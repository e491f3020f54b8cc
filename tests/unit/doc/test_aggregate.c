/* aggregate.h: three streams against sums worked out by hand; documents with streams. */
#include "doc/aggregate.h"

#include <math.h>

#include "doc/intervals.h"
#include "doc/hist_doc.h"
#include "doc/point_doc.h"
#include "doc/result_doc.h"
#include "out/json.h"
#include "lib/fill.h"

static struct pace_point *p, *back;

static void
setup(void)
{
	p = pace_point_new();
	back = pace_point_new();
}

static void
teardown(void)
{
	pace_point_free(p);
	pace_point_free(back);
}

/* A stream of 1000-byte frames, the first due at due_us, one each ms; `lost` in one run. */
static void
stream(uint32_t i, int64_t due_us, uint64_t sent, uint64_t lost)
{
	struct pace_point *one = p->streams[i];
	struct pace_tx *t = &one->tx;
	struct pace_rx_result *r = &one->rx;

	t->due_wall_ns = INT64_C(1000000000000) + due_us * 1000;
	snprintf(one->started, sizeof(one->started), "2026-11-20T15:04:05.%06d000Z", (int)due_us);
	t->frames = sent;
	t->bytes = sent * 1000;
	t->duration_ns = ((int64_t)sent - 1) * 1000000;
	t->user_rate_bps = 8e6;
	t->wire_rate_bps = 9e6;
	pace_hist_add_n(&t->gap, 1000000, sent - 1);
	pace_hist_add_n(&t->gap_error, 0, sent - 1);
	t->stamp = PACE_STAMP_USER;
	t->preempted = 5 + i;
	t->steal_ns = 1000;
	t->sndbuf_granted = 4096;
	one->ledger.asked = sent;
	one->has_rx = true;
	r->unique = r->frames = sent - lost;
	r->lost = lost;
	r->bytes = r->unique * 1000;
	r->duration_ns = t->duration_ns;
	r->user_rate_bps = 8e6 * (double)r->unique / (double)sent;
	r->wire_rate_bps = 9e6 * (double)r->unique / (double)sent;
	r->stamp = PACE_STAMP_KERNEL;
	r->window = 1024;
	r->rcvbuf_granted = 1000 + i;
	if (lost > 0) {
		pace_hist_add(&r->runs, (int64_t)lost);
		pace_hist_add_n(&r->loss_distances, 1, lost - 1);
		one->ledger.place[PACE_NETWORK].n = one->ledger.place[PACE_NETWORK].high = lost;
	}
	one->ledger.place[PACE_NETWORK].known = true;
	pace_hist_add_n(&r->pdv, 10, r->unique);
	r->jitter_ns = 0;
	one->owd_relative = true;
}

static void
three(void)
{
	p->ask.size_bytes = 1000;
	p->ask.spacing = UINT64_C(1000000) << 32;
	p->ask.count = 100;
	p->ask.streams = 3;
	ck_assert_int_eq(pace_point_split(p), 0);
	stream(0, 500, 100, 0);
	stream(1, 0, 100, 20);
	stream(2, 800, 100, 70);
}

static void
read_again(void)
{
	json_t *j = pace_point_to_json(p);

	ck_assert_ptr_nonnull(j);
	ck_assert_int_eq(pace_point_from_json(back, j), 0);
	json_decref(j);
}

START_TEST(counts_are_sums_and_the_duration_spans_all_streams)
{
	three();
	pace_point_aggregate(p);
	ck_assert_ptr_null(pace_point_broken(p));
	ck_assert(p->has_rx && p->tx.frames == 300 && p->tx.bytes == 300000);
	ck_assert(p->rx.unique == 210 && p->rx.lost == 90 && p->rx.bytes == 210000);
	ck_assert(p->ledger.asked == 300 && p->ledger.place[PACE_NETWORK].n == 90);
	/* stream 1 begins first, at 0 us; stream 2 ends last, 99 ms after 800 us */
	ck_assert_int_eq(p->tx.duration_ns, 99800000);
	ck_assert_int_eq(p->rx.duration_ns, 99800000);
	/* 299 frames of 8000 bit in 99.8 ms */
	ck_assert_double_eq_tol(p->tx.user_rate_bps, 23967935.87, 0.01);
	ck_assert_double_eq_tol(p->tx.wire_rate_bps, 26963927.86, 0.01);
	/* 209 frames */
	ck_assert_double_eq_tol(p->rx.user_rate_bps, 16753507.01, 0.01);
	ck_assert(p->tx.gap.stats.n == 297 && p->rx.pdv.stats.n == 210);
	ck_assert(p->rx.runs.stats.n == 2 && p->rx.runs.stats.max == 70);
	ck_assert_str_eq(p->started, "2026-11-20T15:04:05.000000000Z");
}
END_TEST

START_TEST(shared_figures_are_the_largest_and_differing_ones_not_known)
{
	three();
	pace_point_aggregate(p);
	ck_assert(p->tx.preempted == 7 && p->tx.steal_ns == 1000);
	ck_assert(p->tx.sndbuf_granted == 4096 && p->rx.rcvbuf_granted == 0);
	ck_assert(p->tx.stamp == PACE_STAMP_USER && p->rx.stamp == PACE_STAMP_KERNEL);
	ck_assert(p->owd_relative && !p->rx.has_owd);
}
END_TEST

START_TEST(without_times_the_duration_is_the_longest)
{
	three();
	stream(0, 0, 100, 0);
	p->streams[2]->tx.due_wall_ns = 0;
	pace_point_aggregate(p);
	ck_assert_int_eq(p->tx.duration_ns, 99000000);
}
END_TEST

START_TEST(the_worst_verdict_and_notes_with_their_number)
{
	three();
	p->streams[1]->verdict = PACE_DEGRADED;
	pace_note(&p->notes, "own", "of the point");
	pace_note(&p->streams[1]->notes, "late", "was late");
	pace_note(&p->streams[2]->notes, "late", "was late");
	pace_point_aggregate(p);
	ck_assert_int_eq(p->verdict, PACE_DEGRADED);
	ck_assert_int_eq(p->notes.n, 2);
	ck_assert_str_eq(p->notes.v[1].text, "2 of 3 streams: was late");
}
END_TEST

START_TEST(reasons_for_refusals_are_added)
{
	three();
	for (uint32_t i = 0; i < 3; i++) {
		p->streams[i]->tx.refused = p->streams[i]->ledger.tx_refused = 10;
		p->streams[i]->ledger.asked += 10;
		p->streams[i]->tx.refusals[0] = (struct pace_refusal){ i == 1 ? 11 : 105, 10 };
	}
	pace_point_aggregate(p);
	ck_assert_ptr_null(pace_point_broken(p));
	ck_assert(p->tx.refused == 30 && p->ledger.asked == 330);
	ck_assert(p->tx.refusals[0].code == 105 && p->tx.refusals[0].frames == 20);
	ck_assert(p->tx.refusals[1].code == 11 && p->tx.refusals[1].frames == 10);
}
END_TEST

START_TEST(a_missing_result_of_a_stream_is_missing_in_the_aggregate)
{
	struct pace_fairness f;

	three();
	p->streams[1]->has_rx = false;
	pace_rx_result_reset(&p->streams[1]->rx);
	pace_point_aggregate(p);
	ck_assert(!p->has_rx && p->rx.unique == 0 && p->tx.frames == 300);
	ck_assert_ptr_null(pace_point_broken(p));
	ck_assert(!pace_point_fairness(p, &f));
	read_again();
	ck_assert(!back->has_rx && !back->streams[1]->has_rx && back->streams[2]->has_rx);
}
END_TEST

START_TEST(counts_that_cannot_be_added_are_not_believed)
{
	three();
	for (uint32_t i = 0; i < 3; i++) {
		p->streams[i]->rx.duplicates = UINT64_C(1) << 61;
		p->streams[i]->rx.frames = p->streams[i]->rx.unique + (UINT64_C(1) << 61);
	}
	pace_point_aggregate(p);
	ck_assert(!p->has_rx);
	ck_assert_ptr_null(pace_point_broken(p));
}
END_TEST

/* A drop that the host counted once is one lost frame, not one of each stream. */
START_TEST(a_hosts_drops_are_counted_once)
{
	three();
	p->theirs.known = true;
	p->theirs.has_core[PACE_CORE_SOFTNET_DROPPED] = true;
	p->theirs.all.n[PACE_CORE_SOFTNET_DROPPED] = 15;
	pace_point_aggregate(p);
	ck_assert_ptr_null(pace_point_broken(p));
	ck_assert_uint_eq(p->ledger.place[PACE_RX_SOFTNET].n, 15);
	ck_assert_uint_eq(p->ledger.place[PACE_NETWORK].n, 75);
}
END_TEST

/* n intervals of a stream of 100 ms; all of its losses are in the first ones. */
static void
divide(uint32_t i, uint32_t n)
{
	struct pace_point *one = p->streams[i];
	uint64_t left = one->rx.lost;
	struct pace_intervals *v = pace_intervals_of(n);

	ck_assert_ptr_nonnull(v);
	free(one->intervals);
	one->intervals = v;
	v->n = n;
	for (uint32_t k = 0; k < n; k++) {
		struct pace_interval *o = &v->v[k];

		pace_intervals_none(v, k);
		o->from_ns = k * (INT64_C(100000000) / n);
		o->to_ns = (k + 1) * (INT64_C(100000000) / n);
		o->sent = 100 / n;
		o->lost = left < o->sent ? left : o->sent;
		o->rx.received = o->sent - o->lost;
		o->rx.user_rate_bps = o->rx.received > 0 ? 8e6 : 0;
		left -= o->lost;
	}
}

/* The longest intervals are those of the point; the rates of two neighbours do not add up. */
START_TEST(intervals_are_those_of_the_longest_ones)
{
	three();
	divide(0, 4);
	divide(1, 2);
	divide(2, 2);
	free(p->intervals);
	p->intervals = pace_intervals_of(4);
	pace_point_aggregate(p);
	ck_assert_ptr_null(pace_point_broken(p));
	ck_assert_uint_eq(p->intervals->n, 2);
	for (uint32_t k = 0; k < 2; k++) {
		ck_assert_int_eq(p->intervals->v[k].from_ns, k * INT64_C(50000000));
		ck_assert_int_eq(p->intervals->v[k].to_ns, (k + 1) * INT64_C(50000000));
		ck_assert_uint_eq(p->intervals->v[k].sent, 150);
		ck_assert_uint_eq(p->intervals->v[k].lost, k == 0 ? 70 : 20);
		ck_assert_double_eq(p->intervals->v[k].rx.user_rate_bps, 0);
	}
}
END_TEST

START_TEST(rates_of_equal_intervals_add_up)
{
	three();
	for (uint32_t i = 0; i < 3; i++)
		divide(i, 2);
	free(p->intervals);
	p->intervals = pace_intervals_of(4);
	pace_point_aggregate(p);
	ck_assert_double_eq(p->intervals->v[0].rx.user_rate_bps, 16e6);
	ck_assert_double_eq(p->intervals->v[1].rx.user_rate_bps, 24e6);
}
END_TEST

/* A socket's count of drops is read with the frame behind a drop; of several sockets, that frame
 * may be in any later interval. */
START_TEST(a_drop_may_be_in_any_interval_of_several_streams)
{
	struct pace_interval *v;

	three();
	free(p->intervals);
	p->intervals = pace_intervals_of(3);
	p->intervals->n = 3;
	v = p->intervals->v;
	for (uint32_t k = 0; k < 3; k++)
		pace_intervals_none(p->intervals, k);
	v[0].lost = 10;
	v[1].rx.received = v[2].rx.received = 10;
	v[2].rx.socket_drops = p->rx.socket_drops = 10;
	p->ledger.place[PACE_RX_SOCKET].high = 10;
	pace_intervals_locate(p);
	ck_assert_uint_eq(v[0].socket_lost, 0);
	ck_assert_uint_eq(v[0].socket_lost_max, 10);
}
END_TEST

START_TEST(the_clock_is_that_with_the_largest_error)
{
	three();
	for (uint32_t i = 0; i < 3; i++) {
		fill_known_clock(&p->streams[i]->clock);
		p->streams[i]->clock.fit.bound_ns = i == 1 ? 3000 : 1000;
	}
	pace_point_aggregate(p);
	ck_assert_double_eq(p->clock.fit.bound_ns, 3000);
}
END_TEST

START_TEST(fairness_is_jains_index)
{
	struct pace_fairness f;

	three();
	ck_assert(pace_point_fairness(p, &f));
	ck_assert(f.streams == 3 && f.best == 0 && f.worst == 2 && f.most_lost == 2);
	/* rates 10 : 8 : 3 of tenths: 21^2 / (3 * (100 + 64 + 9)) */
	ck_assert_double_eq_tol(f.jain, 441. / 519, 1e-12);
	for (uint32_t i = 0; i < 3; i++)
		p->streams[i]->rx.user_rate_bps = 0;
	ck_assert(pace_point_fairness(p, &f) && isnan(f.jain));
	ck_assert(!pace_point_fairness(back, &f));
}
END_TEST

START_TEST(a_document_keeps_the_streams)
{
	three();
	pace_note(&p->streams[2]->notes, "late", "was late");
	pace_point_aggregate(p);
	read_again();
	ck_assert_uint_eq(back->ask.streams, 3);
	ck_assert_int_eq(back->ask.stagger, PACE_STAGGER_EVEN);
	ck_assert_ptr_nonnull(back->streams);
	ck_assert_uint_eq(back->streams[2]->rx.lost, 70);
	ck_assert_uint_eq(back->streams[2]->ask.size_bytes, 1000);
	ck_assert_uint_eq(back->streams[2]->ask.streams, 1);
	ck_assert_str_eq(back->streams[2]->notes.v[0].text, "was late");
	ck_assert_uint_eq(back->rx.lost, 90);
	ck_assert(!back->streams[1]->rx.gap.bare && !back->streams[1]->tx.gap.bare);
}
END_TEST

/* Return the result of reading a document whose member at stream i, object, name is v. */
static int
read_with(size_t i, const char *object, const char *name, json_int_t v)
{
	json_t *j = pace_point_to_json(p);
	json_t *one = json_array_get(json_object_get(j, "streams"), i);
	int rc;

	json_object_set_new(object != NULL ? json_object_get(one, object) : one, name,
	    json_integer(v));
	rc = pace_point_from_json(back, j);
	json_decref(j);
	return rc;
}

/* The text of a point, written stream by stream; bare: without their bins. */
static json_t *
written(bool bare)
{
	struct pace_js_list list;
	char *text, *line = NULL;
	json_t *j, *also;
	size_t size;
	FILE *f = open_memstream(&line, &size);

	pace_point_list(p, bare, &list);
	ck_assert_uint_eq(list.n, 3);
	text = pace_result_dump(pace_point_head_to_json(p), &list);
	ck_assert_ptr_nonnull(text);
	j = json_loads(text, 0, NULL);
	ck_assert_int_eq(pace_jsonl_point(f, "point", 5, pace_point_head_to_json(p), &list), 0);
	fclose(f);
	also = json_loads(line, 0, NULL);
	ck_assert_int_eq(json_integer_value(json_object_get(also, "index")), 5);
	json_object_del(also, "index");
	json_object_del(also, "event");
	ck_assert(j != NULL && json_equal(j, also));
	json_decref(also);
	free(text);
	free(line);
	return j;
}

START_TEST(streams_written_one_by_one_are_those_of_the_whole)
{
	json_t *whole, *one;
	char *text;

	three();
	pace_point_aggregate(p);
	text = pace_result_dump(pace_point_to_json(p), NULL);	/* reals as they are written */
	whole = json_loads(text, 0, NULL);
	one = written(false);
	ck_assert(json_equal(one, whole));
	json_decref(one);
	one = written(true);
	pace_hist_strip_bins(json_object_get(whole, "streams"));
	ck_assert(json_equal(one, whole));
	json_decref(one);
	json_decref(whole);
	free(text);
}
END_TEST

START_TEST(a_stream_that_does_not_add_up_is_refused)
{
	json_t *j;

	three();
	pace_point_aggregate(p);
	ck_assert_int_eq(read_with(1, NULL, "stream", 1), 0);
	ck_assert_int_ne(read_with(1, NULL, "stream", 0), 0);
	ck_assert_int_ne(read_with(1, "tx", "frames", 99), 0);
	ck_assert_int_ne(read_with(1, "loss", "frames", 19), 0);
	ck_assert_int_ne(read_with(1, "ledger", "network", 19), 0);
	ck_assert_int_ne(read_with(1, NULL, "tx", 0), 0);
	j = pace_point_to_json(p);
	json_array_remove(json_object_get(j, "streams"), 2);
	ck_assert_int_ne(pace_point_from_json(back, j), 0);
	json_object_set_new(j, "streams_asked", json_integer(2));
	ck_assert_int_ne(pace_point_from_json(back, j), 0);	/* consistent, but not the sum */
	json_object_del(j, "streams");
	ck_assert_int_eq(pace_point_from_json(back, j), 0);
	json_decref(j);
	p->streams[0]->rx.unique--;
	ck_assert_ptr_nonnull(pace_point_broken(p));
}
END_TEST

START_TEST(many_streams_stay_below_4_mib)
{
	char *text;
	json_t *j;

	p->ask = (struct pace_params){ .size_bytes = 1472, .spacing = UINT64_C(100000) << 32,
	    .count = 500, .train = 1, .bursts = 1, .streams = PACE_STREAMS };
	ck_assert_int_eq(pace_point_split(p), 0);
	for (uint32_t i = 0; i < p->ask.streams; i++) {
		fill_tx(p->streams[i]);
		fill_rx(p->streams[i]);
		fill_delays(p->streams[i]);
		fill_clock(&p->streams[i]->clock);
		p->streams[i]->has_rx = p->streams[i]->owd_relative = true;
		p->streams[i]->ledger.asked = 500;
		pace_loss_attribution_close(p->streams[i]);
	}
	pace_point_aggregate(p);
	ck_assert_ptr_null(pace_point_broken(p));
	j = pace_point_to_json(p);
	text = json_dumps(j, JSON_REAL_PRECISION(12));
	printf("256 streams: %zu bytes\n", strlen(text));
	ck_assert_uint_lt(strlen(text), 4 << 20);
	ck_assert_int_eq(pace_point_from_json(back, j), 0);
	ck_assert(back->streams[255]->tx.gap.bare && !back->tx.gap.bare);
	free(text);
	json_decref(j);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("aggregate");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, counts_are_sums_and_the_duration_spans_all_streams);
	tcase_add_test(tc, shared_figures_are_the_largest_and_differing_ones_not_known);
	tcase_add_test(tc, without_times_the_duration_is_the_longest);
	tcase_add_test(tc, the_worst_verdict_and_notes_with_their_number);
	tcase_add_test(tc, reasons_for_refusals_are_added);
	tcase_add_test(tc, a_missing_result_of_a_stream_is_missing_in_the_aggregate);
	tcase_add_test(tc, counts_that_cannot_be_added_are_not_believed);
	tcase_add_test(tc, a_hosts_drops_are_counted_once);
	tcase_add_test(tc, intervals_are_those_of_the_longest_ones);
	tcase_add_test(tc, rates_of_equal_intervals_add_up);
	tcase_add_test(tc, a_drop_may_be_in_any_interval_of_several_streams);
	tcase_add_test(tc, the_clock_is_that_with_the_largest_error);
	tcase_add_test(tc, fairness_is_jains_index);
	tcase_add_test(tc, a_document_keeps_the_streams);
	tcase_add_test(tc, streams_written_one_by_one_are_those_of_the_whole);
	tcase_add_test(tc, a_stream_that_does_not_add_up_is_refused);
	tcase_add_test(tc, many_streams_stay_below_4_mib);
	return unit_run(tc, "aggregate");
}
