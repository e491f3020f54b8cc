/* latency.h, latency_doc.h: a latency point there and back, and the fit. */
#include "doc/latency_doc.h"

#include <check.h>
#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/fill.h"
#include "lib/mutate.h"
#include "doc/result_doc.h"

static struct pace_latency *p, *back;
static char path[] = "/tmp/udpace-lat-XXXXXX";

static void
setup(void)
{
	unit_file(path);
	p = pace_latency_new();
	back = pace_latency_new();
}

static void
teardown(void)
{
	unlink(path);
	free(p);
	free(back);
}

static void
fill_ask(struct pace_latency_params *a, uint64_t count)
{
	a->size_bytes = 64 + (uint32_t)fill_below(8900);
	a->reply_bytes = 64 + (uint32_t)fill_below(8900);
	a->count = count;
	a->interval_ns = fill_below(2) == 0 ? 1 + (int64_t)fill_below(10000000) : 0;
	a->timeout_ns = 1000000000;
	a->busy_poll = fill_below(2) == 0;
	if (fill_below(2) == 0) {
		a->linear.low = (int64_t)fill_below(100) * 100;
		a->linear.width = 1 + (int64_t)fill_below(1000);
		a->linear.bins = 1 + (uint32_t)fill_below(200);
	}
	p->linear.low = a->linear.low;
	p->linear.width = a->linear.width;
	p->linear.bins = a->linear.bins;
}

static void
fill_reply(void)
{
	int64_t residence = 3000 + (int64_t)fill_below(2000);
	int64_t network = 8000 + (int64_t)fill_below(50000);
	int64_t rtt = network + residence + 4000 + (int64_t)fill_below(5000);

	p->received++;
	pace_hist_add(&p->rtt, rtt);
	if (p->linear.bins > 0)
		pace_linear_hist_add(&p->linear, rtt);
	if (fill_below(20) == 0) {
		p->unstamped++;
		return;
	}
	pace_hist_add(&p->kernel, network + residence);
	if (fill_below(5) == 0)
		return;
	pace_hist_add(&p->residence, residence);
	pace_hist_add(&p->network, network);
}

/* Where the requests without any reply were lost. */
static void
fill_requests(void)
{
	uint64_t lost = p->timeouts - p->late_replies;

	p->has_requests = true;
	p->lost_there = fill_below(lost + 1);
	p->requests.arrived = p->sent - p->lost_there;
	p->requests.unanswered = fill_below(lost - p->lost_there + 1);
	p->lost_back = lost - p->lost_there - p->requests.unanswered;
	p->requests.duplicates = fill_below(9);
	p->requests.reordered = fill_below(9);
}

/* A zeroed point becomes one of count requests. */
static void
fill_latency(uint64_t count)
{
	fill_ask(&p->ask, count);
	p->interrupted = fill_below(3) == 0;
	p->refused = fill_below(4) == 0 ? fill_below(count + 1) : 0;
	p->refused_errno = p->refused > 0 ? ENOBUFS : 0;
	p->sent = count - p->refused;
	if (p->interrupted)
		p->sent = fill_below(p->sent + 1);
	for (uint64_t i = 0; i < p->sent; i++) {
		if (fill_below(10) > 0)
			fill_reply();
		else
			p->timeouts++;
	}
	p->late_replies = fill_below(p->timeouts + 1);
	if (fill_below(2) == 0)
		fill_requests();
	p->late_requests = fill_below(p->sent + 1);
	p->duplicates = fill_below(3);
	p->foreign = fill_below(3);
	p->duration_ns = p->sent > 0 ? (int64_t)(p->sent - 1) * 12345 : 0;
	p->stalls = (struct pace_stalls){ 3, 40000, 30000 };
	p->verdict = fill_below(2) == 0 ? PACE_PACED : PACE_DEGRADED;
	for (uint64_t i = fill_below(3); i > 0; i--) {
		char code[16];

		snprintf(code, sizeof(code), "code_%d", (int)i);
		pace_note(&p->notes, code, "note %d with a \"quote\"", (int)i);
	}
}

START_TEST(a_new_point_is_whole_and_empty)
{
	ck_assert_ptr_null(pace_latency_broken(p));
	ck_assert_ptr_eq(p->linear.count, p->linear_counts);
	ck_assert_uint_eq(p->rtt.stats.n, 0);
	pace_hist_add(&p->rtt, 7);	/* a histogram only zeroed has a minimum of 0 */
	pace_hist_add(&p->residence, 7);
	ck_assert_int_eq(p->rtt.stats.min, 7);
	ck_assert_int_eq(p->residence.stats.min, 7);
}
END_TEST

/* 10 asked: 1 refused, 9 sent, 6 answered. */
static void
fill_small(void)
{
	p->ask = (struct pace_latency_params){ .size_bytes = 64, .reply_bytes = 128,
	    .count = 10, .interval_ns = 1000000, .timeout_ns = 500000000,
	    .linear = { 1000, 500, 4 } };
	p->linear.low = 1000;
	p->linear.width = 500;
	p->linear.bins = 4;
	p->sent = 9;
	p->refused = 1;
	p->refused_errno = 105;
	p->received = 6;
	p->timeouts = 3;
	p->late_replies = 3;
	p->late_requests = 9;
	p->unstamped = 6;
	p->duration_ns = 9000000;
	for (int64_t ns = 900; ns < 900 + 6 * 500; ns += 500) {
		pace_hist_add(&p->rtt, ns);
		pace_linear_hist_add(&p->linear, ns);
		pace_hist_add(&p->kernel, ns - 400);
		pace_hist_add(&p->network, ns - 500);
		pace_hist_add(&p->residence, 100);
	}
}

/* Every identity, broken by one. */
START_TEST(a_broken_identity_is_named)
{
	uint64_t *figure[] = { &p->sent, &p->received, &p->timeouts, &p->refused,
	    &p->late_replies, &p->late_requests, &p->unstamped, &p->ask.count,
	    &p->rtt.pos[3], &p->kernel.pos[3], &p->network.neg[3], &p->residence.pos[0],
	    &p->linear_counts[0], &p->linear.overflow, &p->linear.underflow };

	ck_assert_int_eq(COUNT_OF(figure), 15);
	fill_small();
	ck_assert_ptr_null(pace_latency_broken(p));
	++*figure[_i];
	ck_assert_ptr_nonnull(pace_latency_broken(p));
}
END_TEST

START_TEST(a_broken_count_of_the_responder_is_named)
{
	uint64_t *figure[] = { &p->requests.arrived, &p->requests.unanswered, &p->lost_there,
	    &p->lost_back };

	fill_small();
	p->late_replies = 0;
	p->has_requests = true;
	p->requests = (struct pace_request_counts){ .arrived = 8, .unanswered = 1 };
	p->lost_there = p->lost_back = 1;
	ck_assert_ptr_null(pace_latency_broken(p));
	++*figure[_i];
	ck_assert_ptr_nonnull(pace_latency_broken(p));
}
END_TEST

START_TEST(no_histogram_holds_more_than_there_were_replies)
{
	struct pace_hist *h[] = { &p->rtt, &p->kernel, &p->network, &p->residence };

	fill_small();
	pace_hist_add(h[_i], 1500);
	if (_i == 0)
		pace_linear_hist_add(&p->linear, 1500);
	ck_assert_ptr_nonnull(pace_latency_broken(p));
	p->sent++;			/* room for it */
	p->received++;
	p->ask.count++;
	if (_i != 0) {
		pace_hist_add(&p->rtt, 1500);
		pace_linear_hist_add(&p->linear, 1500);
	}
	ck_assert_ptr_null(pace_latency_broken(p));
}
END_TEST

START_TEST(fewer_round_trips_than_replies_are_broken)
{
	fill_small();
	p->sent++;
	p->received++;
	p->ask.count++;
	ck_assert_ptr_nonnull(pace_latency_broken(p));
}
END_TEST

START_TEST(only_an_interrupted_run_may_fall_short)
{
	fill_small();
	p->ask.count = 12;
	ck_assert_ptr_nonnull(pace_latency_broken(p));
	p->interrupted = true;
	ck_assert_ptr_null(pace_latency_broken(p));
	p->ask.count = 9;			/* 9 sent and 1 refused */
	ck_assert_ptr_nonnull(pace_latency_broken(p));
}
END_TEST

START_TEST(a_lens_is_the_one_asked_for)
{
	fill_small();
	p->ask.linear.bins = (uint32_t[]){ 5, 4, 4, 0 }[_i];
	p->ask.linear.low += _i == 1;
	p->ask.linear.width += _i == 2;
	ck_assert_ptr_nonnull(pace_latency_broken(p));
}
END_TEST

START_TEST(a_train_is_no_verdict_of_a_latency_probe)
{
	fill_small();
	p->verdict = PACE_DEGRADED;
	ck_assert_ptr_null(pace_latency_broken(p));
	p->verdict = PACE_TRAIN;
	ck_assert_ptr_nonnull(pace_latency_broken(p));
}
END_TEST

/* Read by a person against the figures of fill_small. */
static const char golden[] =
	"{\"size_bytes\":64,\"reply_bytes\":128,\"count\":10,\"mode\":\"open-loop\","
	"\"interval_ns\":1000000,\"timeout_ns\":500000000,\"busy_poll\":false,"
	"\"verdict\":\"paced\",\"interrupted\":false,\"sent\":9,\"refused\":1,"
	"\"refused_errno\":105,\"received\":6,\"timeouts\":3,\"late_replies\":3,"
	"\"duplicates\":0,\"foreign\":0,\"late_requests\":9,\"duration_ns\":9000000,"
	"\"stalls\":{\"count\":0,\"total_ns\":0,\"max_ns\":0},\"unstamped\":6,"
	"\"rtt_ns\":{\"unit\":\"ns\",\"count\":6,\"min\":900,\"max\":3400,\"mean\":2150.0,"
	"\"stddev\":935.414346693,\"percentiles\":{\"10\":902,\"25\":1404,\"50\":1900,"
	"\"75\":2904,\"90\":3400},"
	"\"bins\":[[900,904,1],[1400,1408,1],[1896,1904,1],[2400,2416,1],[2896,2912,1],"
	"[3392,3408,1]],"
	"\"linear\":{\"low\":1000,\"width\":500,\"counts\":[1,1,1,1],\"underflow\":1,"
	"\"overflow\":1}},"
	"\"rtt_kernel_ns\":";

START_TEST(the_text_is_the_one_of_the_contract)
{
	json_t *j;
	char *text;

	fill_small();
	j = pace_latency_to_json(p);
	text = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(12));
	text[sizeof(golden) - 1] = '\0';
	ck_assert_str_eq(text, golden);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(j,
	    "rtt_kernel_ns"), "min")), 500);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(j,
	    "rtt_network_ns"), "max")), 2900);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(j,
	    "residence_ns"), "max")), 100);
	ck_assert(json_is_array(json_object_get(j, "notes")));
	free(text);
	json_decref(j);
}
END_TEST

START_TEST(ping_pong_has_no_interval)
{
	json_t *j;

	fill_small();
	p->ask.interval_ns = 0;
	j = pace_latency_to_json(p);
	ck_assert_str_eq(json_string_value(json_object_get(j, "mode")), "ping-pong");
	ck_assert_ptr_null(json_object_get(j, "interval_ns"));
	ck_assert_int_eq(pace_latency_from_json(back, j), 0);
	json_object_set_new(j, "interval_ns", json_integer(5));
	ck_assert_int_eq(pace_latency_from_json(back, j), -EPROTO);
	json_object_set_new(j, "mode", json_string("open-loop"));
	ck_assert_int_eq(pace_latency_from_json(back, j), 0);
	ck_assert_int_eq(back->ask.interval_ns, 5);
	json_object_set_new(j, "interval_ns", json_integer(0));
	ck_assert_int_eq(pace_latency_from_json(back, j), -EPROTO);
	json_decref(j);
}
END_TEST

START_TEST(nothing_sent_has_no_duration)
{
	json_t *j;

	p->ask = (struct pace_latency_params){ .size_bytes = 64, .reply_bytes = 64,
	    .timeout_ns = 1 };
	j = pace_latency_to_json(p);
	ck_assert(json_is_null(json_object_get(j, "duration_ns")));
	ck_assert_int_eq(pace_latency_from_json(back, j), 0);
	ck_assert_int_eq(back->duration_ns, 0);
	json_object_set_new(j, "duration_ns", json_integer(0));
	ck_assert_int_eq(pace_latency_from_json(back, j), -EPROTO);
	json_decref(j);
	fill_small();
	p->duration_ns = -1;
	j = pace_latency_to_json(p);
	ck_assert(json_is_null(json_object_get(j, "duration_ns")));
	json_decref(j);
}
END_TEST

static void
check_ask(const struct pace_latency_params *a, const struct pace_latency_params *b)
{
	ck_assert_uint_eq(a->size_bytes, b->size_bytes);
	ck_assert_uint_eq(a->reply_bytes, b->reply_bytes);
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_int_eq(a->interval_ns, b->interval_ns);
	ck_assert_int_eq(a->timeout_ns, b->timeout_ns);
	ck_assert_int_eq(a->busy_poll, b->busy_poll);
	ck_assert_uint_eq(a->linear.bins, b->linear.bins);
	ck_assert_int_eq(a->linear.low, b->linear.low);
	ck_assert_int_eq(a->linear.width, b->linear.width);
}

static void
check_counts(const struct pace_latency *a, const struct pace_latency *b)
{
	ck_assert_int_eq(a->verdict, b->verdict);
	ck_assert_int_eq(a->interrupted, b->interrupted);
	ck_assert_uint_eq(a->sent, b->sent);
	ck_assert_uint_eq(a->refused, b->refused);
	ck_assert_int_eq(a->refused_errno, b->refused_errno);
	ck_assert_uint_eq(a->received, b->received);
	ck_assert_uint_eq(a->timeouts, b->timeouts);
	ck_assert_uint_eq(a->late_replies, b->late_replies);
	ck_assert_uint_eq(a->duplicates, b->duplicates);
	ck_assert_uint_eq(a->foreign, b->foreign);
	ck_assert_uint_eq(a->late_requests, b->late_requests);
	ck_assert_int_eq(a->duration_ns, b->duration_ns);
	ck_assert_mem_eq(&a->stalls, &b->stalls, sizeof(a->stalls));
	ck_assert_uint_eq(a->unstamped, b->unstamped);
	ck_assert_int_eq(a->has_requests, b->has_requests);
	ck_assert_mem_eq(&a->requests, &b->requests, sizeof(a->requests));
	ck_assert_uint_eq(a->lost_there, b->lost_there);
	ck_assert_uint_eq(a->lost_back, b->lost_back);
}

static void
check_hist(const struct pace_hist *a, const struct pace_hist *b)
{
	ck_assert_uint_eq(a->stats.n, b->stats.n);
	ck_assert_mem_eq(a->pos, b->pos, sizeof(a->pos));
	if (a->stats.n == 0)
		return;
	ck_assert_int_eq(a->stats.min, b->stats.min);
	ck_assert_int_eq(a->stats.max, b->stats.max);
	ck_assert_double_eq_tol(pace_stats_mean(&a->stats), pace_stats_mean(&b->stats), 1e-6);
}

START_TEST(a_point_comes_back)
{
	json_t *j, *k;

	fill_salt(_i);
	fill_latency(_i < 3 ? (uint64_t)_i : fill_below(3000));
	ck_assert_msg(pace_latency_broken(p) == NULL, "%s", pace_latency_broken(p));
	j = pace_latency_to_json(p);
	k = mutate_through_text(j);
	memset(back, 0x5a, sizeof(*back));
	ck_assert_int_eq(pace_latency_from_json(back, k), 0);
	check_ask(&p->ask, &back->ask);
	check_counts(p, back);
	check_hist(&p->rtt, &back->rtt);
	check_hist(&p->kernel, &back->kernel);
	check_hist(&p->network, &back->network);
	check_hist(&p->residence, &back->residence);
	ck_assert_ptr_eq(back->linear.count, back->linear_counts);
	ck_assert_uint_eq(p->linear.underflow, back->linear.underflow);
	ck_assert_uint_eq(p->linear.overflow, back->linear.overflow);
	ck_assert_mem_eq(p->linear_counts, back->linear_counts, sizeof(p->linear_counts));
	ck_assert_int_eq(p->notes.n, back->notes.n);
	for (int i = 0; i < p->notes.n; i++)
		ck_assert_str_eq(p->notes.v[i].text, back->notes.v[i].text);
	json_decref(j);
	json_decref(k);
}
END_TEST

/* A second time gives the same text: nothing is lost or invented. */
START_TEST(a_point_read_back_is_written_alike)
{
	char *text[2];
	json_t *j[2];

	fill_salt(_i + 1000);
	fill_latency(300);
	j[0] = pace_latency_to_json(p);
	ck_assert_int_eq(pace_latency_from_json(back, j[0]), 0);
	j[1] = pace_latency_to_json(back);
	for (int i = 0; i < 2; i++) {
		text[i] = json_dumps(j[i], JSON_REAL_PRECISION(9));
		json_decref(j[i]);
	}
	ck_assert_str_eq(text[0], text[1]);
	free(text[0]);
	free(text[1]);
}
END_TEST

#define LISTED(where, ...) \
	mutate_listed((const char *const[]){ __VA_ARGS__, NULL }, where)

/* Must the reader see what mutate_value did there? */
static bool
must_be_refused(int kind, const char *where)
{
	if (LISTED(where, "/rtt_ns/percentiles*", "/residence_ns/percentiles*",
	    "/rtt_kernel_ns/percentiles*", "/rtt_network_ns/percentiles*"))
		return false;			/* not read */
	switch (kind) {
	case MUTATE_REMOVE:
		return !LISTED(where, "/refused_errno", "/rtt_ns/linear", "/notes/0", "/rtt_ns/bins",
		    "/residence_ns/bins", "/rtt_kernel_ns/bins", "/rtt_network_ns/bins");	/* short */
	case 1:					/* null */
		return !LISTED(where, "/refused_errno", "/duration_ns");
	case 2:					/* a text */
		return !LISTED(where, "/notes/0/*");
	case 3:					/* -1 */
		return strcmp(where, "/rtt_ns/linear/low") != 0;
	case 6:					/* an empty array */
		return strcmp(where, "/notes") != 0;
	case 8:					/* true */
		return !LISTED(where, "/busy_poll", "/interrupted");
	case 9:					/* one more, 1 for what is no integer */
		return LISTED(where, "/sent", "/received", "/timeouts", "/refused",
		    "/rtt_ns/count", "/residence_ns/count", "/rtt_ns/bins/0/2",
		    "/rtt_ns/linear/counts/*", "/late_replies", "/late_requests",
		    "/unstamped");
	default:	/* an integer or real out of all proportion, an empty object */
		return true;
	}
}

START_TEST(no_member_can_be_spoiled_unseen)
{
	json_t *good, *bad;
	char where[256];
	int rc, node;

	fill_small();
	pace_note(&p->notes, "code", "text");
	good = pace_latency_to_json(p);
	for (node = 1; (bad = mutate(good, node, _i, where)) != NULL; node++) {
		rc = pace_latency_from_json(back, bad);
		ck_assert(rc == 0 || rc == -EPROTO);
		if (must_be_refused(_i, where))
			ck_assert_msg(rc == -EPROTO, "kind %d at %s", _i, where);
		if (rc == 0)
			ck_assert_ptr_null(pace_latency_broken(back));
		json_decref(bad);
	}
	ck_assert_int_gt(node, 80);
	json_decref(good);
}
END_TEST

/* Values that are in range for one type and not for a latency point. */
START_TEST(a_member_out_of_its_range_is_refused)
{
	static const struct { const char *member, *value; int rc; } spoil[] = {
		{ "size_bytes", "43", -EPROTO }, { "size_bytes", "65508", -EPROTO },
		{ "size_bytes", "65507", 0 }, { "reply_bytes", "43", -EPROTO },
		{ "reply_bytes", "65508", -EPROTO }, { "reply_bytes", "64", 0 },
		{ "timeout_ns", "0", -EPROTO }, { "verdict", "\"train\"", -EPROTO },
		{ "mode", "\"closed\"", -EPROTO }, { "mode", "\"ping-pong\"", -EPROTO },
		{ "refused_errno", "0", -EPROTO }, { "refused_errno", "4096", -EPROTO },
		{ "late_replies", "4", -EPROTO }, { "late_requests", "10", -EPROTO },
		{ "unstamped", "7", -EPROTO }, { "interval_ns", "0", -EPROTO },
		{ "rtt_kernel_ns", "{\"unit\":\"frames\",\"count\":0,\"bins\":[]}", -EPROTO },
		{ "rtt_kernel_ns", "{\"unit\":\"ns\",\"count\":0,\"bins\":[]}", 0 },
		{ "rtt_ns", "{\"unit\":\"ns\",\"count\":0,\"bins\":[]}", -EPROTO },
	};
	json_t *j;

	ck_assert_int_eq(COUNT_OF(spoil), 19);
	fill_small();
	j = pace_latency_to_json(p);
	json_object_set_new(j, spoil[_i].member,
	    json_loads(spoil[_i].value, JSON_DECODE_ANY, NULL));
	ck_assert_int_eq(pace_latency_from_json(back, j), spoil[_i].rc);
	json_decref(j);
}
END_TEST

START_TEST(what_is_no_object_is_no_point)
{
	static const char *const text[] = { "[]", "{}", "1", "null", "\"x\"" };
	json_t *j = json_loads(text[_i], JSON_DECODE_ANY, NULL);

	ck_assert_int_eq(pace_latency_from_json(back, j), -EPROTO);
	json_decref(j);
}
END_TEST

/* minima on 12000 + 1.5 x, medians on 13000 + 2 x but for the last. */
static struct pace_latency_fits
known_fits(size_t n)
{
	static const double size[] = { 64, 128, 1024, 1472 };
	static const double min[] = { 12096, 12192, 13536, 14208 };
	static const double median[] = { 13128, 13256, 15048, 15944 + 100 };
	struct pace_latency_fits f = { .expected_slope = 0 };

	pace_latency_fit(&f, size, min, median, n);
	return f;
}

static double
real_of(const json_t *j, const char *key)
{
	const json_t *v = json_object_get(j, key);

	ck_assert_msg(json_is_number(v), "%s", key);
	return json_number_value(v);
}

START_TEST(the_fit_has_both_lines)
{
	struct pace_latency_fits f = known_fits(4);
	json_t *j = pace_latency_fits_to_json(&f), *m = json_object_get(j, "median");

	ck_assert_double_eq_tol(real_of(j, "slope_ns_per_byte"), 1.5, 1e-12);
	ck_assert_double_eq_tol(real_of(j, "intercept_ns"), 12000, 1e-9);
	ck_assert_double_eq_tol(real_of(j, "slope_stderr"), 0, 1e-12);
	ck_assert_double_eq_tol(real_of(j, "intercept_stderr"), 0, 1e-9);
	ck_assert_double_eq_tol(real_of(j, "r2"), 1, 1e-12);
	ck_assert_double_eq_tol(real_of(j, "worst_residual_ns"), 0, 1e-9);
	ck_assert_int_eq(json_integer_value(json_object_get(j, "points")), 4);
	ck_assert_ptr_null(json_object_get(j, "expected_slope_ns_per_byte"));
	ck_assert_double_eq(real_of(m, "slope_ns_per_byte"), f.median.slope);
	ck_assert_double_eq(real_of(m, "intercept_ns"), f.median.intercept);
	ck_assert_double_eq(real_of(m, "slope_stderr"), f.median.slope_stderr);
	ck_assert_double_eq(real_of(m, "intercept_stderr"), f.median.intercept_stderr);
	ck_assert_double_eq(real_of(m, "r2"), f.median.r2);
	ck_assert_double_eq(real_of(m, "worst_residual_ns"), f.median.worst);
	ck_assert_double_gt(f.median.slope, 2);
	ck_assert_int_eq(json_integer_value(json_object_get(m, "worst_residual_bytes")), 1024);
	ck_assert_ptr_null(json_object_get(m, "points"));
	json_decref(j);
}
END_TEST

START_TEST(a_fit_tells_the_slope_expected)
{
	struct pace_latency_fits f = known_fits(4);
	json_t *j;

	f.expected_slope = 16;
	pace_latency_fit(&f, (double[]){ 1 }, (double[]){ 1 }, (double[]){ 1 }, 1);
	ck_assert_double_eq(f.expected_slope, 16);
	ck_assert(!f.min.has_line && !f.median.has_line);
	j = pace_latency_fits_to_json(&f);
	ck_assert_double_eq(real_of(j, "expected_slope_ns_per_byte"), 16);
	json_decref(j);
}
END_TEST

static const char *const line_members[] = { "slope_ns_per_byte", "intercept_ns",
	"worst_residual_ns", "worst_residual_bytes" };
static const char *const error_members[] = { "slope_stderr", "intercept_stderr", "r2" };

START_TEST(what_too_few_points_cannot_tell_is_null)
{
	struct pace_latency_fits f = known_fits((size_t)_i);
	json_t *j = pace_latency_fits_to_json(&f), *m = json_object_get(j, "median");

	for (int i = 0; i < COUNT_OF(line_members); i++) {
		ck_assert_int_eq(json_is_number(json_object_get(j, line_members[i])), _i >= 2);
		ck_assert_int_eq(json_is_null(json_object_get(m, line_members[i])), _i < 2);
	}
	for (int i = 0; i < COUNT_OF(error_members); i++) {
		ck_assert_int_eq(json_is_null(json_object_get(j, error_members[i])), _i < 3);
		ck_assert_int_eq(json_is_number(json_object_get(m, error_members[i])), _i >= 3);
	}
	ck_assert_int_eq(json_integer_value(json_object_get(j, "points")), _i);
	json_decref(j);
}
END_TEST

/* A document of points filled at random. */
static json_t *
document(int points)
{
	struct pace_result r = { .kind = "latency",
	    .started = "2026-11-20T15:04:05.123456789Z", .client = { .version = "0.1.0" } };
	json_t *doc = pace_result_head_to_json(&r), *list = json_array();
	struct pace_latency_fits f = known_fits((size_t)points);

	for (int i = 0; i < points; i++) {
		free(p);
		p = pace_latency_new();
		fill_latency(fill_below(500));
		json_array_append_new(list, pace_latency_to_json(p));
	}
	json_object_set_new(doc, "points", list);
	if (points % 2 == 1)
		f.expected_slope = 16;
	json_object_set_new(doc, "fit", pace_latency_fits_to_json(&f));
	return doc;
}

/* The exit status of validate.py, 77 when it cannot run. */
static int
validate(json_t *doc)
{
	const char *python = getenv("PYTHON3"), *top = getenv("top_srcdir");
	char command[1024];
	int status;

	json_dump_file(doc, path, JSON_REAL_PRECISION(12));
	json_decref(doc);
	if (python == NULL || python[0] == '\0' || top == NULL)
		return 77;
	snprintf(command, sizeof(command), "'%s' '%s/tests/lib/validate.py' "
	    "'%s/src/doc/udpace-result.schema.json' '%s'", python, top, top, path);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(every_document_is_of_the_schema)
{
	int status;

	fill_salt(_i);
	status = validate(document(_i % 5));
	ck_assert_msg(status == 0 || status == 77, "validate.py: %d", status);
}
END_TEST

/* NULL value: removed. */
static const struct { const char *object, *member, *value; } spoilt[] = {
	{ "point", "size_bytes", "63" }, { "point", "sent", "-1" },
	{ "point", "mode", "\"other\"" }, { "point", "verdict", "\"train\"" },
	{ "point", "timeouts", NULL }, { "point", "interval_ns", "0" },
	{ "point", "rtt_ns", NULL }, { "point", "residence_ns", "null" },
	{ "point", "rtt_kernel_ns", "{\"unit\":\"frames\",\"count\":0,\"bins\":[]}" },
	{ "point", "stalls", "{}" }, { "point", "notes", "[{}]" },
	{ "point", "mode", "\"ping-pong\"" }, { "point", "interval_ns", NULL },
	{ "doc", "fit", NULL }, { "fit-mtu", "slope_ns_per_byte", NULL },
	{ "fit-mtu", "median", NULL }, { "fit-mtu", "points", "-1" }, { "fit-mtu", "slope_stderr", "-1" },
	{ "fit-mtu", "r2", "1.5" }, { "fit-mtu", "worst_residual_bytes", "1.5" },
	{ "fit-mtu", "expected_slope_ns_per_byte", "0" }, { "median", "intercept_ns", "\"1\"" },
};

START_TEST(a_spoiled_document_is_not_of_the_schema)
{
	json_t *doc = document(3), *fit = json_object_get(doc, "fit"), *o = doc;
	const char *object = spoilt[_i].object;
	int status;

	fill_small();
	json_array_set_new(json_object_get(doc, "points"), 0, pace_latency_to_json(p));
	if (strcmp(object, "point") == 0)
		o = json_array_get(json_object_get(doc, "points"), 0);
	else if (strcmp(object, "doc") != 0)
		o = object[0] == 'f' ? fit : json_object_get(fit, "median");
	if (spoilt[_i].value == NULL)
		json_object_del(o, spoilt[_i].member);
	else
		json_object_set_new(o, spoilt[_i].member,
		    json_loads(spoilt[_i].value, JSON_DECODE_ANY, NULL));
	status = validate(doc);
	ck_assert_msg(status == 1 || status == 77, "validate.py: %d", status);
}
END_TEST

static void
add_document_tests(TCase *tc)
{
	tcase_add_test(tc, the_text_is_the_one_of_the_contract);
	tcase_add_test(tc, ping_pong_has_no_interval);
	tcase_add_test(tc, nothing_sent_has_no_duration);
	tcase_add_loop_test(tc, a_point_comes_back, 0, 40);
	tcase_add_loop_test(tc, a_point_read_back_is_written_alike, 0, 10);
	tcase_add_loop_test(tc, no_member_can_be_spoiled_unseen, 0, MUTATE_KINDS);
	tcase_add_loop_test(tc, a_member_out_of_its_range_is_refused, 0, 19);
	tcase_add_loop_test(tc, what_is_no_object_is_no_point, 0, 5);
	tcase_add_test(tc, the_fit_has_both_lines);
	tcase_add_test(tc, a_fit_tells_the_slope_expected);
	tcase_add_loop_test(tc, what_too_few_points_cannot_tell_is_null, 0, 5);
	tcase_add_loop_test(tc, every_document_is_of_the_schema, 0, 5);
	tcase_add_loop_test(tc, a_spoiled_document_is_not_of_the_schema, 0, COUNT_OF(spoilt));
}

int
main(void)
{
	TCase *tc = tcase_create("latency_doc");

	unit_seed(tc);
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_new_point_is_whole_and_empty);
	tcase_add_loop_test(tc, a_broken_identity_is_named, 0, 15);
	tcase_add_loop_test(tc, a_broken_count_of_the_responder_is_named, 0, 4);
	tcase_add_loop_test(tc, no_histogram_holds_more_than_there_were_replies, 0, 4);
	tcase_add_test(tc, fewer_round_trips_than_replies_are_broken);
	tcase_add_test(tc, only_an_interrupted_run_may_fall_short);
	tcase_add_loop_test(tc, a_lens_is_the_one_asked_for, 0, 4);
	tcase_add_test(tc, a_train_is_no_verdict_of_a_latency_probe);
	add_document_tests(tc);
	return unit_run_apart(tc, "latency_doc");
}
