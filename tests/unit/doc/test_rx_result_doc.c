/* rx_result_doc.h and host_doc.h: what a responder says of a run and of
 * itself, true or forged. */
#include "doc/rx_result_doc.h"

#include <check.h>
#include <errno.h>

#include "lib/fill.h"
#include "lib/mutate.h"
#include "doc/host_doc.h"

static struct pace_point *p;
static struct pace_rx_result *back;
static struct pace_counters counters;

static void
setup(void)
{
	p = pace_point_new();
	back = malloc(sizeof(*back));
}

static void
teardown(void)
{
	pace_point_free(p);
	pace_counters_free(&counters);
	free(back);
}

static void
check_hist(const struct pace_hist *a, const struct pace_hist *b)
{
	ck_assert_uint_eq(a->stats.n, b->stats.n);
	ck_assert_int_eq(a->stats.min, b->stats.min);
	ck_assert_int_eq(a->stats.max, b->stats.max);
	ck_assert_uint_eq(a->clipped, b->clipped);
	ck_assert_mem_eq(a->pos, b->pos, sizeof(a->pos));
	ck_assert_mem_eq(a->neg, b->neg, sizeof(a->neg));
}

static void
check_hists(const struct pace_rx_result *a, const struct pace_rx_result *b)
{
	check_hist(&a->gap, &b->gap);
	check_hist(&a->gap_error, &b->gap_error);
	check_hist(&a->runs, &b->runs);
	check_hist(&a->loss_distances, &b->loss_distances);
	check_hist(&a->loss_free_runs, &b->loss_free_runs);
	check_hist(&a->extent, &b->extent);
	check_hist(&a->late_ns, &b->late_ns);
	check_hist(&a->owd, &b->owd);
	check_hist(&a->owd_scheduled, &b->owd_scheduled);
	check_hist(&a->pdv, &b->pdv);
	check_hist(&a->ipdv, &b->ipdv);
	ck_assert_uint_eq(a->linear.bins, b->linear.bins);
	ck_assert_uint_eq(a->linear.underflow, b->linear.underflow);
	ck_assert_uint_eq(a->linear.overflow, b->linear.overflow);
	ck_assert_mem_eq(a->linear_counts, b->linear_counts, sizeof(a->linear_counts));
	ck_assert_ptr_eq(b->linear.count, b->linear_counts);
}

static void
check_delays(const struct pace_rx_result *a, const struct pace_rx_result *b)
{
	ck_assert_int_eq(a->has_owd, b->has_owd);
	ck_assert_double_eq(a->jitter_ns, b->jitter_ns);	/* sixteenths: exact */
	ck_assert_double_eq(a->jitter_max_ns, b->jitter_max_ns);
	ck_assert_uint_eq(a->invalid_timestamps, b->invalid_timestamps);
	ck_assert_uint_eq(a->records, b->records);
	ck_assert_uint_eq(a->records_missed, b->records_missed);
	ck_assert_int_eq(a->clock.known, b->clock.known);
	ck_assert_int_eq(a->clock.synchronised, b->clock.synchronised);
	ck_assert_int_eq(a->clock.error_ns, b->clock.error_ns);
	ck_assert_int_eq(a->clock.error_max_ns, b->clock.error_max_ns);
	ck_assert_double_eq_tol(a->clock.frequency_ppm, b->clock.frequency_ppm, 1e-9);
}

static void
check_same(const struct pace_rx_result *a, const struct pace_rx_result *b)
{
	ck_assert_uint_eq(a->frames, b->frames);
	ck_assert_uint_eq(a->unique, b->unique);
	ck_assert_uint_eq(a->bytes, b->bytes);
	ck_assert_int_eq(a->duration_ns, b->duration_ns);
	ck_assert_double_eq_tol(a->user_rate_bps, b->user_rate_bps, 1e-11 * a->user_rate_bps + 1e-9);
	ck_assert_double_eq_tol(a->wire_rate_bps, b->wire_rate_bps, 1e-11 * a->wire_rate_bps + 1e-9);
	ck_assert_uint_eq(a->coalesced_stamps, b->coalesced_stamps);
	ck_assert_uint_eq(a->unstamped, b->unstamped);
	ck_assert_int_eq(a->stamp, b->stamp);
	ck_assert_uint_eq(a->clock_steps, b->clock_steps);
	ck_assert_uint_eq(a->duplicates, b->duplicates);
	ck_assert_uint_eq(a->replicated, b->replicated);
	ck_assert_uint_eq(a->corrupt, b->corrupt);
	ck_assert_uint_eq(a->foreign, b->foreign);
	ck_assert_mem_eq(&a->marks, &b->marks, sizeof(a->marks));
	ck_assert_uint_eq(a->socket_drops, b->socket_drops);
	ck_assert_uint_eq(a->bad_checksums, b->bad_checksums);
	ck_assert_int_eq(a->lease_lost, b->lease_lost);
	ck_assert_uint_eq(a->rcvbuf_asked, b->rcvbuf_asked);
	ck_assert_uint_eq(a->rcvbuf_granted, b->rcvbuf_granted);
	ck_assert_uint_eq(a->lost, b->lost);
	ck_assert_uint_eq(a->reordered, b->reordered);
	ck_assert_uint_eq(a->beyond_window, b->beyond_window);
	ck_assert_uint_eq(a->window, b->window);
	ck_assert_uint_eq(a->reordering_free_runs, b->reordering_free_runs);
	ck_assert_uint_eq(a->free_sum, b->free_sum);
	ck_assert_uint_eq(a->free_sumsq, b->free_sumsq);
	ck_assert_mem_eq(a->degree, b->degree, sizeof(a->degree));
	check_hists(a, b);
	check_delays(a, b);
}

START_TEST(what_a_responder_found_comes_back)
{
	json_t *j, *k;

	fill_salt(_i);
	fill_point(p, (uint64_t)_i < 4 ? (uint64_t)_i : 1 + fill_below(FILL_MAX));
	j = pace_rx_result_to_json(&p->rx, &p->theirs, p->ask.verify);
	k = mutate_through_text(j);
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, k, p->ask.verify), 0);
	check_same(&p->rx, back);
	json_decref(j);
	json_decref(k);
}
END_TEST

START_TEST(what_could_not_be_measured_is_null)
{
	static const char *const null[] = { "duration_ns", "user_rate_bps",
	    "wire_rate_bps", "stamp", "rcvbuf_asked_bytes", "rcvbuf_granted_bytes" };
	json_t *j, *rx;

	p->rx.lost = (uint64_t)_i;		/* nothing arrived, of 0 or 1 */
	if (_i > 0)
		pace_hist_add(&p->rx.runs, 1);
	p->rx.user_rate_bps = p->rx.wire_rate_bps = 12;	/* not to be believed */
	p->rx.duration_ns = 5;
	j = pace_rx_result_to_json(&p->rx, &p->theirs, false);
	rx = json_object_get(j, "rx");
	for (int i = 0; i < COUNT_OF(null); i++)
		ck_assert_msg(json_is_null(json_object_get(rx, null[i])), "%s", null[i]);
	ck_assert_int_eq(json_is_null(json_object_get(json_object_get(j, "loss"),
	    "ratio")), _i == 0);
	ck_assert(json_object_get(j, "corrupt") == NULL);
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, false), 0);
	ck_assert_double_eq(back->user_rate_bps, 0);
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, true), -EPROTO);
	json_decref(j);
}
END_TEST

START_TEST(one_frame_has_a_duration_but_no_rate)
{
	json_t *j, *rx;

	p->rx.frames = p->rx.unique = 1;
	p->rx.bytes = 100;
	p->rx.duration_ns = _i;
	p->rx.user_rate_bps = 12;
	j = pace_rx_result_to_json(&p->rx, &p->theirs, false);
	rx = json_object_get(j, "rx");
	ck_assert_int_eq(json_integer_value(json_object_get(rx, "duration_ns")), _i);
	ck_assert(json_is_integer(json_object_get(rx, "duration_ns")));
	ck_assert(json_is_null(json_object_get(rx, "user_rate_bps")));
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, false), 0);
	json_object_set_new(rx, "user_rate_bps", json_real(5));
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, false), -EPROTO);
	json_decref(j);
}
END_TEST

/* Values that follow from others are not read; buffers may be unknown. */
static const char *const not_read[] = {
	"/loss/ratio", "/reordering/ratio", "/reordering/reordering_free_runs/mean",
	"/rx/gap_ns/percentiles*", "/rx/gap_error_ns/percentiles*",
	"/loss/runs/percentiles*", "/loss/loss_distances/percentiles*",
	"/loss/loss_free_runs/percentiles*", "/reordering/extent/percentiles*",
	"/reordering/late_ns/percentiles*", "/owd_ns/percentiles*",
	"/owd_scheduled_ns/percentiles*", "/pdv_ns/percentiles*", "/ipdv_ns/percentiles*",
	"/wire/rx/gap_ns/percentiles*", "/wire/rx/gap_difference_ns/percentiles*", NULL
};
static const char *const may_be_absent[] = {
	"/rx/rcvbuf_asked_bytes", "/rx/rcvbuf_granted_bytes", "/rx/gap_ns/linear",
	"/reordering/reordering_free_runs/sumsq", "/reordering/n_reordering/*", "/wire/rx/dropped",
	"/rx/gap_ns/linear/counts/*", "/wire", "/marks", NULL
};
static const char *const may_be_null[] = {
	"/rx/rcvbuf_asked_bytes", "/rx/rcvbuf_granted_bytes", "/rx/gap_ns/linear",
	"/reordering/reordering_free_runs/sumsq", "/rx/stamp", "/rx/user_rate_bps",
	"/rx/wire_rate_bps", "/wall_clock", "/wire", "/wire/rx", "/wire/rx/dropped",
	"/marks", NULL
};
static const char *const booleans[] = {
	"/rx/lease_lost", "/wall_clock/synchronised", "/wire/rx/complete", NULL
};
static const char *const may_be_negative[] = {
	"/rx/gap_ns/linear/low", "/rx/gap_error_ns/*", "/ipdv_ns/*", "/wall_clock/frequency_ppm",
	"/wire/rx/gap_difference_ns/*", NULL
};

/* Wrong types and signs are always seen, of every member that is read. */
static void
check_verdict(int kind, const char *path, int rc)
{
	if (strncmp(path, "/cpu", 4) == 0 || strncmp(path, "/counters", 9) == 0)
		return;			/* see test_counters_doc */
	if (mutate_listed(not_read, path)) {
		ck_assert_msg(rc == 0, "%s is not read", path);
		return;
	}
	if (kind == MUTATE_REMOVE && strlen(path) > 5 && strcmp(path + strlen(path) - 5, "/bins") == 0)
		return;			/* a short document */
	if (kind == MUTATE_REMOVE && !mutate_listed(may_be_absent, path))
		ck_assert_msg(rc == -EPROTO, "%s may not be missing", path);
	if (kind == 1 && !mutate_listed(may_be_null, path))
		ck_assert_msg(rc == -EPROTO, "%s may not be null", path);
	if ((kind == 2 && strcmp(path, "/wire/rx/interface") != 0) || (kind == 8 && !mutate_listed(booleans, path)))
		ck_assert_msg(rc == -EPROTO, "%s of a wrong type", path);
	if (kind == 6 && strstr(path, "n_reordering") == NULL)
		ck_assert_msg(rc == -EPROTO, "%s may not be []", path);
	if (kind == 9 && strstr(path, "linear/") != NULL &&
	    strstr(path, "low") == NULL && strstr(path, "width") == NULL)
		ck_assert_msg(rc == -EPROTO, "%s lies", path);
	if (kind == 4)
		ck_assert_msg(rc == -EPROTO || strstr(path, "rate_bps") != NULL,
		    "%s may not be 2^63 - 1", path);
	if (kind == 3 && !mutate_listed(may_be_negative, path))
		ck_assert_msg(rc == -EPROTO, "%s may not be negative", path);
}

START_TEST(no_member_can_be_spoiled_unseen)
{
	char path[256];
	json_t *good, *bad;
	int node;

	unit_state = 2377;		/* small, with something of everything */
	fill_point(p, 70);
	ck_assert(p->ask.verify && p->ask.linear.bins != 0 && p->rx.lost >= 3 &&
	    p->rx.reordered >= 2 && p->rx.duplicates >= 2 &&
	    p->rx.reordered != p->rx.degree[0] && p->rx.gap.stats.min > 0 &&
	    p->rx.has_owd && p->rx.clock.known && p->rx.ipdv.stats.n >= 20 &&
	    p->rx.has_wire && p->rx.wire.has_drops);
	good = pace_rx_result_to_json(&p->rx, &p->theirs, true);
	for (node = 1; (bad = mutate(good, node, _i, path)) != NULL; node++) {
		check_verdict(_i, path, pace_rx_result_from_json(back, &counters, bad, true));
		json_decref(bad);
	}
	ck_assert_int_gt(node, 200);
	json_decref(good);
}
END_TEST

/* Figures that are possible one by one but not together. */
static const struct { const char *object, *member; int by; } lies[] = {
	{ "rx", "frames", 1 }, { "rx", "unique", 1 }, { NULL, "duplicates", 1 },
	{ NULL, "replicated", 1000 }, { NULL, "corrupt", 1000000 },
	{ "rx", "coalesced_stamps", 1000000 }, { "rx", "unstamped", 1000000 },
	{ "loss", "periods", 1 }, { "loss", "frames", -1000000 },
	{ "reordering", "frames", 1 }, { "reordering", "frames", -1 },
	{ "marks", "frames", 1 }, { "marks", "ce", 1 }, { "marks", "not_ect", -1 },
	{ "marks", "ecn_changed", 1000000 }, { "marks", "dscp_changed", 1000000 },
	{ "marks", "dscp_frames", 1000000 },
	{ NULL, "invalid_timestamps", 1 }, { "records", "kept", 148102321 },
	{ "wall_clock", "error_max_ns", -250001 }, { "wall_clock", "error_ns", -1001 },
};

START_TEST(figures_must_agree_with_each_other)
{
	json_t *j, *o, *v;

	fill_known(p);
	fill_marks(&p->ask, &p->rx);
	j = pace_rx_result_to_json(&p->rx, &p->theirs, true);
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, true), 0);
	o = lies[_i].object != NULL ? json_object_get(j, lies[_i].object) : j;
	v = json_object_get(o, lies[_i].member);
	ck_assert(json_is_integer(v));
	json_integer_set(v, json_integer_value(v) + lies[_i].by);
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, true), -EPROTO);
	json_decref(j);
}
END_TEST

START_TEST(all_frames_may_be_reordered_but_no_more)
{
	struct pace_rx_result *r = &p->rx;
	uint64_t more;

	fill_known(p);
	more = r->unique - r->reordered;
	ck_assert(pace_rx_result_holds(r));
	for (int i = 0; i < 2; i++) {
		r->reordered += more;
		r->reordering_free_runs += more;
		pace_hist_add_n(&r->extent, 1, more);
		pace_hist_add_n(&r->late_ns, 1000, more);
		ck_assert_int_eq(pace_rx_result_holds(r), i == 0);
		more = 1;
	}
}
END_TEST

START_TEST(histograms_must_agree_with_the_counts)
{
	struct pace_rx_result *r = &p->rx;
	struct pace_hist *h[] = { &r->gap, &r->gap_error, &r->runs, &r->loss_distances,
	    &r->loss_free_runs, &r->extent, &r->late_ns, &r->owd, &r->owd_scheduled, &r->pdv,
	    &r->ipdv };
	json_t *j;

	fill_known(p);
	pace_hist_add_n(h[_i], 12, 50000);
	j = pace_rx_result_to_json(r, &p->theirs, false);
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, false), -EPROTO);
	json_decref(j);
}
END_TEST

/* One more or less than there can be. */
static int
read_again(const struct pace_rx_result *r)
{
	json_t *j = pace_rx_result_to_json(r, &p->theirs, false);
	int rc = pace_rx_result_from_json(back, &counters, j, false);

	json_decref(j);
	return rc;
}

/* Each incomplete message lacks a frame, and each complete one has a time. */
START_TEST(messages_come_back_and_agree_with_their_histograms)
{
	struct pace_message_stats *m = &p->rx.messages;

	p->rx.has_messages = true;
	m->complete = 3;
	m->incomplete = 2;
	m->lost = 7;
	pace_hist_add_n(&m->span, 1000, _i == 1 ? 4 : 3);
	pace_hist_add_n(&m->missing, _i == 2 ? 0 : 5, _i == 3 ? 1 : 2);
	ck_assert_int_eq(read_again(&p->rx), _i == 0 ? 0 : -EPROTO);
	if (_i > 0)
		return;
	ck_assert(back->has_messages);
	ck_assert_uint_eq(back->messages.complete, 3);
	ck_assert_uint_eq(back->messages.incomplete, 2);
	ck_assert_uint_eq(back->messages.lost, 7);
	check_hist(&back->messages.span, &m->span);
	check_hist(&back->messages.missing, &m->missing);
	p->rx.has_messages = false;
	ck_assert_int_eq(read_again(&p->rx), 0);
	ck_assert(!back->has_messages);
}
END_TEST

START_TEST(delays_and_variation_are_of_the_same_frames)
{
	fill_known(p);
	pace_hist_reset(&p->rx.pdv);
	pace_hist_add_n(&p->rx.pdv, 7, (uint64_t)(49975 + _i));	/* owd has 49976 */
	ck_assert_int_eq(read_again(&p->rx), _i == 1 ? 0 : -EPROTO);
	p->rx.has_owd = false;
	ck_assert_int_eq(read_again(&p->rx), _i <= 1 ? -(_i == 0) * EPROTO : -EPROTO);
}
END_TEST

START_TEST(a_frame_has_a_delay_or_an_absurd_time)
{
	struct pace_rx_result *r = &p->rx;

	r->frames = r->unique = 5;
	pace_hist_add_n(&r->pdv, 0, 3);
	r->invalid_timestamps = (uint64_t)_i;		/* of a train all but one have neither */
	ck_assert_int_eq(read_again(r), _i <= 2 ? 0 : -EPROTO);
}
END_TEST

START_TEST(variation_is_never_below_the_lowest_delay)
{
	p->rx.frames = p->rx.unique = 1;
	pace_hist_add(&p->rx.pdv, _i);
	ck_assert_int_eq(read_again(&p->rx), _i >= 0 ? 0 : -EPROTO);
}
END_TEST

START_TEST(changes_are_fewer_than_delays)
{
	p->rx.frames = p->rx.unique = 9;
	pace_hist_add_n(&p->rx.pdv, 0, 4);
	pace_hist_add_n(&p->rx.ipdv, -3, (uint64_t)_i);
	ck_assert_int_eq(read_again(&p->rx), _i < 4 ? 0 : -EPROTO);
}
END_TEST

START_TEST(jitter_is_told_of_changes_only_and_below_its_maximum)
{
	static const struct { int changes; const char *now, *highest; int rc; } want[] = {
		{ 1, "5.5", "5.5", 0 }, { 1, "5.5", "5", -EPROTO }, { 1, "-1", "5", -EPROTO },
		{ 1, "null", "5", -EPROTO }, { 1, "5", "null", -EPROTO },
		{ 1, "5", "1e18", -EPROTO }, { 0, "null", "null", 0 },
		{ 0, "0", "null", -EPROTO }, { 0, "null", "0", -EPROTO },
	};
	json_t *j;

	p->rx.frames = p->rx.unique = 9;
	pace_hist_add_n(&p->rx.pdv, 0, 9);
	pace_hist_add_n(&p->rx.ipdv, 0, (uint64_t)want[_i].changes);
	j = pace_rx_result_to_json(&p->rx, &p->theirs, false);
	json_object_set_new(j, "jitter_rfc3550_ns",
	    json_loads(want[_i].now, JSON_DECODE_ANY, NULL));
	json_object_set_new(j, "jitter_rfc3550_max_ns",
	    json_loads(want[_i].highest, JSON_DECODE_ANY, NULL));
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, false), want[_i].rc);
	json_decref(j);
}
END_TEST

START_TEST(both_delays_are_told_or_neither)
{
	static const char *const key[] = { "owd_ns", "owd_scheduled_ns" };
	json_t *j;

	fill_known(p);
	j = pace_rx_result_to_json(&p->rx, &p->theirs, false);
	json_object_set_new(j, key[_i], json_null());
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, false), -EPROTO);
	json_object_set_new(j, key[1 - _i], json_null());
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, false), 0);
	ck_assert(!back->has_owd);
	ck_assert_uint_eq(back->pdv.stats.n, 49976);
	json_decref(j);
}
END_TEST

START_TEST(each_free_run_was_closed_by_a_reordered_frame)
{
	json_t *j;

	fill_known(p);
	p->rx.reordering_free_runs++;
	j = pace_rx_result_to_json(&p->rx, &p->theirs, false);
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, false), -EPROTO);
	json_decref(j);
}
END_TEST

START_TEST(the_number_of_gaps_is_below_that_of_frames)
{
	struct pace_rx_result *r = &p->rx;
	json_t *j;

	r->frames = r->unique = 5;
	pace_hist_add_n(&r->gap, 12, (uint64_t)_i);
	j = pace_rx_result_to_json(r, &p->theirs, false);
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, false), _i < 5 ? 0 : -EPROTO);
	json_decref(j);
}
END_TEST

START_TEST(a_loss_run_is_not_longer_than_the_loss)
{
	json_t *j;

	p->rx.lost = 5;
	pace_hist_add(&p->rx.runs, _i);
	j = pace_rx_result_to_json(&p->rx, &p->theirs, false);
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, false),
	    _i >= 1 && _i <= 5 ? 0 : -EPROTO);
	json_decref(j);
}
END_TEST

START_TEST(degrees_are_listed_from_1_and_none_twice)
{
	static const struct { const char *text; int rc; } want[] = {
		{ "[]", 0 }, { "[[1,3]]", 0 }, { "[[1,1],[64,2]]", 0 },
		{ "[[1,4]]", -EPROTO }, { "[[0,1]]", -EPROTO }, { "[[65,1]]", -EPROTO },
		{ "[[1,1],[1,1]]", -EPROTO }, { "[[1,0]]", -EPROTO },
		{ "[[1,-1]]", -EPROTO }, { "[[1]]", -EPROTO }, { "[1,1]", -EPROTO },
		{ "[[1,1,1]]", -EPROTO }, { "{}", -EPROTO }, { "[[1.0,1]]", -EPROTO },
		{ "[[-9223372036854775808,1]]", -EPROTO },
	};
	json_t *j;

	fill_known(p);
	j = pace_rx_result_to_json(&p->rx, &p->theirs, false);
	json_object_set_new(json_object_get(j, "reordering"), "n_reordering",
	    json_loads(want[_i].text, 0, NULL));
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, j, false), want[_i].rc);
	json_decref(j);
}
END_TEST

START_TEST(damaged_text_does_no_harm)
{
	json_t *good, *bad;
	char *text, *exact;
	size_t len;

	fill_salt(_i);
	fill_point(p, 40);
	good = pace_rx_result_to_json(&p->rx, &p->theirs, false);
	text = json_dumps(good, JSON_COMPACT);
	len = strlen(text);
	exact = malloc(len);
	for (int round = 0; round < 200; round++) {
		memcpy(exact, text, len);
		for (uint64_t n = fill_below(4); n < 4; n++)
			exact[fill_below(len)] = "0123456789-.,[]{}e\""[fill_below(19)];
		bad = json_loadb(exact, len, 0, NULL);
		if (pace_rx_result_from_json(back, &counters, bad, false) == 0)
			ck_assert_uint_eq(back->frames, back->unique + back->duplicates);
		json_decref(bad);
	}
	free(exact);
	free(text);
	json_decref(good);
}
END_TEST

START_TEST(no_object_at_all_is_refused)
{
	json_t *array = json_array();

	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, NULL, false), -EPROTO);
	ck_assert_int_eq(pace_rx_result_from_json(back, &counters, array, false), -EPROTO);
	json_decref(array);
}
END_TEST

START_TEST(a_host_comes_back_with_what_is_known)
{
	struct pace_host h = { .kernel = "Linux 6.1", .cpu = "A \xc2\xb5 CPU", .cores = 2 };
	struct pace_host k;
	json_t *j = pace_host_to_json(&h);
	char *text = json_dumps(j, JSON_COMPACT);

	ck_assert_str_eq(text, "{\"kernel\":\"Linux 6.1\",\"cpu\":\"A \xc2\xb5 CPU\",\"cores\":2}");
	memset(&k, 0x5a, sizeof(k));
	ck_assert_int_eq(pace_host_from_json(&k, j), 0);
	ck_assert_mem_eq(&k, &h, sizeof(h));
	free(text);
	json_decref(j);
}
END_TEST

START_TEST(facts_and_interrupts_come_back)
{
	static struct pace_host h, k;
	json_t *j;

	memset(&h, 0, sizeof(h));
	snprintf(h.governor, sizeof(h.governor), "powersave");
	snprintf(h.virt, sizeof(h.virt), "KVM");
	snprintf(h.interface, sizeof(h.interface), "eth0");
	for (int i = 0; i < PACE_FACTS; i += 1 + _i) {
		h.has[i] = true;
		h.fact[i] = i % 2 == 0 ? i : -1;
	}
	h.irqs = PACE_IRQS;
	h.more_irqs = true;
	for (int i = 0; i < PACE_IRQS; i++)
		h.irq[i] = (struct pace_irq){ (uint32_t)i, "eth0-rx", "0-3" };
	j = pace_host_to_json(&h);
	ck_assert_int_eq(pace_host_from_json(&k, j), 0);
	ck_assert_mem_eq(&k, &h, sizeof(h));
	json_decref(j);
}
END_TEST

START_TEST(the_words_of_a_host_are_cleaned_and_cut)
{
	json_t *j = json_pack("{s:s, s:s}", "version", "1\033[2J\a",
	    "machine", "0123456789012345678901234567890123456789");
	struct pace_host k;

	ck_assert_int_eq(pace_host_from_json(&k, j), 0);
	ck_assert_str_eq(k.version, "1?[2J?");
	ck_assert_str_eq(k.machine, "0123456789012345678901234567890");
	json_decref(j);
}
END_TEST

START_TEST(a_host_of_wrong_types_is_refused)
{
	static const char *const bad[] = { "[]", "{\"cores\":0}", "{\"cores\":-1}",
	    "{\"cores\":65537}", "{\"cores\":\"2\"}", "{\"kernel\":1}",
	    "{\"cpu\":[]}", "{\"clocksource\":{}}", "{\"sysctl\":1}",
	    "{\"sysctl\":{\"net.core.rmem_max\":\"1\"}}", "{\"interface\":[]}",
	    "{\"interface\":{\"irqs\":{}}}", "{\"interface\":{\"irqs\":[1]}}",
	    "{\"interface\":{\"mtu\":1.5}}", "{\"steal_ppm\":[]}" };
	json_t *j = json_loads(bad[_i], 0, NULL);
	struct pace_host k;

	ck_assert_int_eq(pace_host_from_json(&k, j), -EPROTO);
	ck_assert_int_eq(pace_host_from_json(&k, NULL), -EPROTO);
	json_decref(j);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("rx_result_doc");

	unit_seed(tc);
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, what_a_responder_found_comes_back, 0, 40);
	tcase_add_loop_test(tc, what_could_not_be_measured_is_null, 0, 2);
	tcase_add_loop_test(tc, one_frame_has_a_duration_but_no_rate, 0, 2);
	tcase_add_loop_test(tc, no_member_can_be_spoiled_unseen, 0, MUTATE_KINDS);
	tcase_add_test(tc, all_frames_may_be_reordered_but_no_more);
	tcase_add_loop_test(tc, figures_must_agree_with_each_other, 0, COUNT_OF(lies));
	tcase_add_loop_test(tc, histograms_must_agree_with_the_counts, 0, 11);
	tcase_add_loop_test(tc, messages_come_back_and_agree_with_their_histograms, 0, 4);
	tcase_add_loop_test(tc, delays_and_variation_are_of_the_same_frames, 0, 3);
	tcase_add_loop_test(tc, a_frame_has_a_delay_or_an_absurd_time, 0, 5);
	tcase_add_loop_test(tc, variation_is_never_below_the_lowest_delay, -2, 2);
	tcase_add_loop_test(tc, changes_are_fewer_than_delays, 0, 6);
	tcase_add_loop_test(tc, jitter_is_told_of_changes_only_and_below_its_maximum, 0, 9);
	tcase_add_loop_test(tc, both_delays_are_told_or_neither, 0, 2);
	tcase_add_test(tc, each_free_run_was_closed_by_a_reordered_frame);
	tcase_add_loop_test(tc, the_number_of_gaps_is_below_that_of_frames, 0, 7);
	tcase_add_loop_test(tc, a_loss_run_is_not_longer_than_the_loss, 0, 7);
	tcase_add_loop_test(tc, degrees_are_listed_from_1_and_none_twice, 0, 15);
	tcase_add_loop_test(tc, damaged_text_does_no_harm, 0, 5);
	tcase_add_test(tc, no_object_at_all_is_refused);
	tcase_add_test(tc, a_host_comes_back_with_what_is_known);
	tcase_add_test(tc, the_words_of_a_host_are_cleaned_and_cut);
	tcase_add_loop_test(tc, a_host_of_wrong_types_is_refused, 0, 15);
	tcase_add_loop_test(tc, facts_and_interrupts_come_back, 0, 3);
	return unit_run(tc, "rx_result_doc");
}
