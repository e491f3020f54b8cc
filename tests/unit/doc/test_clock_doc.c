/* clock_doc.h: their clock against ours, there and back. */
#include "doc/clock_doc.h"

#include <check.h>
#include <errno.h>
#include <math.h>

#include "lib/fill.h"
#include "lib/mutate.h"

static struct pace_clock c, back;

static void
known(void)
{
	memset(&c, 0, sizeof(c));
	fill_known_clock(&c);
}

/* Typed by hand from fill_known_clock; frac_ns is rounded into the offset. */
static const char golden[] =
	"{\"method\":\"two-sided max margin\","
	"\"assumes\":\"equal minimum delays in both directions\","
	"\"exchanges\":179,\"timeouts\":1,\"stamp\":\"kernel\",\"offset_ns\":-1234566,"
	"\"skew_ppm\":2.5,\"skew_error_max_ppm\":1.14742,\"uncertainty_ns\":176.8,"
	"\"offset_error_max_ns\":355.7,\"one_segment\":true,"
	"\"wanders\":false,\"wall_offset_ns\":-35000,\"segments\":["
	"{\"from_ns\":4940000000,\"to_ns\":5560000000,\"t_ns\":5250000000,"
	"\"offset_ns\":-1234566,\"skew_ppm\":2.5,\"offset_error_max_ns\":355.7}],"
	"\"from_ns\":5000000000,\"to_ns\":5500000000,\"min_rtt_ns\":23400,"
	"\"min_rtt_before_ns\":23500,\"min_rtt_during_ns\":23400,\"min_rtt_after_ns\":null,"
	"\"client\":{\"synchronised\":true,\"error_ns\":1000,\"error_max_ns\":250000,"
	"\"frequency_ppm\":-12.345,\"steps\":0,\"slews\":2},"
	"\"responder\":{\"synchronised\":false,\"error_ns\":1000,\"error_max_ns\":250000,"
	"\"frequency_ppm\":0.0,\"steps\":0,\"slews\":0}}";

static char *
written(const struct pace_clock *k)
{
	json_t *j = pace_clock_to_json(k);
	char *text = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(12));

	json_decref(j);
	return text;
}

START_TEST(a_clock_looks_like_this)
{
	char *text;

	known();
	text = written(&c);
	ck_assert_str_eq(text, golden);
	free(text);
}
END_TEST

static int
read_text(const char *text)
{
	json_t *j = json_loads(text, 0, NULL);
	int rc;

	ck_assert_msg(j != NULL, "no JSON: %s", text);
	rc = pace_clock_from_json(&back, j);
	json_decref(j);
	return rc;
}

static void
check_state(const struct pace_clock_state *a, const struct pace_clock_state *b)
{
	ck_assert_int_eq(a->known, b->known);
	ck_assert_int_eq(a->synchronised, b->synchronised);
	ck_assert_int_eq(a->error_ns, b->error_ns);
	ck_assert_int_eq(a->error_max_ns, b->error_max_ns);
	ck_assert_double_eq_tol(a->frequency_ppm, b->frequency_ppm, 1e-9);
}

static void
check_rtts(const struct pace_clock *a, const struct pace_clock *b)
{
	ck_assert_int_eq(a->min_rtt_ns, b->min_rtt_ns);
	ck_assert_int_eq(a->before_ns, b->before_ns);
	ck_assert_int_eq(a->during_ns, b->during_ns);
	ck_assert_int_eq(a->after_ns, b->after_ns);
}

/* Half a ns of the offset and 1e-9 ppm are lost, nothing else. */
static void
check_lines(const struct pace_clock_estimate *a, const struct pace_clock_estimate *b)
{
	ck_assert_int_eq(a->segments, b->segments);
	ck_assert_int_eq(a->wanders, b->wanders);
	ck_assert_double_eq_tol(a->bound_ns, b->bound_ns, 1e-11 * a->bound_ns + 1e-9);
	ck_assert_double_eq_tol(a->uncertainty_ns, b->uncertainty_ns,
	    1e-11 * a->bound_ns + 1e-9);
	for (int i = 0; i < a->segments; i++) {
		const struct pace_clock_segment *s = &a->v[i], *t = &b->v[i];

		ck_assert_int_eq(s->from_ns, t->from_ns);
		ck_assert_int_eq(s->to_ns, t->to_ns);
		ck_assert_int_eq(s->line.t_ns, t->line.t_ns);
		ck_assert_int_eq(s->line.offset_ns + (s->line.frac_ns >= 0.5), t->line.offset_ns);
		ck_assert_double_eq_tol(s->line.rate, t->line.rate, 0.51e-15);
		ck_assert_double_eq_tol(s->bound_ns, t->bound_ns, 1e-11 * s->bound_ns + 1e-9);
	}
}

START_TEST(a_clock_comes_back_and_is_written_alike)
{
	char *text, *again;

	fill_salt(_i);
	memset(&c, 0, sizeof(c));
	memset(&back, 0x5a, sizeof(back));
	fill_clock(&c);
	text = written(&c);
	ck_assert_int_eq(read_text(text), 0);
	ck_assert_uint_eq(c.exchanges, back.exchanges);
	ck_assert_uint_eq(c.timeouts, back.timeouts);
	ck_assert_int_eq(c.stamp, back.stamp);
	ck_assert_int_eq(c.from_ns, back.from_ns);
	ck_assert_int_eq(c.to_ns, back.to_ns);
	ck_assert_int_eq(c.wall_offset_ns, back.wall_offset_ns);
	ck_assert_uint_eq(c.our_steps, back.our_steps);
	ck_assert_uint_eq(c.our_slews, back.our_slews);
	ck_assert_uint_eq(c.their_steps, back.their_steps);
	ck_assert_uint_eq(c.their_slews, back.their_slews);
	check_rtts(&c, &back);
	check_lines(&c.fit, &back.fit);
	check_state(&c.ours, &back.ours);
	check_state(&c.theirs, &back.theirs);
	again = written(&back);
	ck_assert_str_eq(text, again);
	free(text);
	free(again);
}
END_TEST

/* The value in the middle follows from the reported line, whatever its offset and slope. */
START_TEST(a_line_far_away_gives_the_same_offset_when_read_back)
{
	char *text, *again;

	known();
	c.fit.v[0].line.t_ns = -(INT64_C(1) << 59);
	c.fit.v[0].line.rate = 1e-3 / (3 + _i);
	text = written(&c);
	ck_assert_int_eq(read_text(text), 0);
	again = written(&back);
	ck_assert_str_eq(text, again);
	free(text);
	free(again);
}
END_TEST

/* A peer may have its clock where it likes. */
START_TEST(an_offset_of_any_size_comes_back)
{
	static const int64_t offset[] = { INT64_MIN, INT64_MAX, INT64_C(1) << 61, -1, 0 };
	char *text;

	known();
	c.fit.v[0].line = (struct pace_clock_line){ .t_ns = 5250000000, .offset_ns = offset[_i] };
	c.wall_offset_ns = offset[_i];
	c.fit.bound_ns = c.fit.v[0].bound_ns = 1e19;
	text = written(&c);
	ck_assert_int_eq(read_text(text), 0);
	ck_assert_int_eq(back.fit.v[0].line.offset_ns, offset[_i]);
	ck_assert_int_eq(back.wall_offset_ns, offset[_i]);
	ck_assert_double_eq(back.fit.bound_ns, 1e19);
	free(text);
}
END_TEST

/* A clock without exchanges has zeros, and no times that look real. */
START_TEST(without_an_exchange_nothing_is_told)
{
	static const char *const null[] = { "stamp", "offset_ns", "skew_ppm", "skew_error_max_ppm",
	    "uncertainty_ns", "offset_error_max_ns", "one_segment", "wanders", "wall_offset_ns", "min_rtt_ns",
	    "min_rtt_before_ns", "min_rtt_during_ns", "min_rtt_after_ns" };
	json_t *j;

	memset(&c, 0, sizeof(c));
	j = pace_clock_to_json(&c);
	for (int i = 0; i < COUNT_OF(null); i++)
		ck_assert_msg(json_is_null(json_object_get(j, null[i])), "%s", null[i]);
	ck_assert_uint_eq(json_array_size(json_object_get(j, "segments")), 0);
	ck_assert_int_eq(pace_clock_from_json(&back, j), 0);
	ck_assert_int_eq(back.min_rtt_ns, PACE_NO_TIME);
	json_object_set_new(j, "min_rtt_during_ns", json_integer(5));
	ck_assert_int_eq(pace_clock_from_json(&back, j), -EPROTO);
	json_decref(j);
}
END_TEST

static double
member(const char *key)
{
	json_t *j = pace_clock_to_json(&c);
	double v = json_number_value(json_object_get(j, key));

	json_decref(j);
	return v;
}

/* 0, 1, 2 ppm from 5.0, 5.2, 5.4 s on; the middle of the run goes through them. */
START_TEST(offset_and_skew_are_those_in_the_middle_of_the_run)
{
	known();
	c.fit.segments = 3;
	for (int i = 0; i < 3; i++)
		c.fit.v[i] = (struct pace_clock_segment){ .from_ns = 5000000000 + i * 200000000,
		    .to_ns = 5150000000 + i * 200000000, .line = { .t_ns = 5000000000,
		    .offset_ns = 1000 * i, .rate = 1e-6 * i } };
	c.from_ns = 5000000000 + _i * 200000000;
	c.to_ns = c.from_ns + 100000000;
	ck_assert_double_eq_tol(member("skew_ppm"), _i, 1e-9);
	ck_assert_double_eq(member("offset_ns"), _i * (1000 + 200 * _i + 50));
	ck_assert_double_eq(member("offset_error_max_ns"), 355.7);
}
END_TEST

static const char *const not_read[] = {
	"/method", "/assumes", "/offset_ns", "/skew_ppm", "/skew_error_max_ppm", "/one_segment", NULL
};
static const char *const booleans[] = {
	"/wanders", "/client/synchronised", "/responder/synchronised", NULL
};
static const char *const may_be_negative[] = {
	"/wall_offset_ns", "/from_ns", "/to_ns", "/min_rtt*", "/client/frequency_ppm",
	"/responder/frequency_ppm", "/segments/0/from_ns", "/segments/0/t_ns",
	"/segments/0/offset_ns", "/segments/0/skew_ppm", NULL
};
static const char *const may_be_null[] = {
	"/stamp", "/min_rtt*", "/client/synchronised", "/responder/synchronised", NULL
};
static const char *const may_be_absent[] = {
	"/client/synchronised", "/responder/synchronised", "/segments/0", NULL
};

START_TEST(no_member_can_be_spoiled_unseen)
{
	char path[256];
	json_t *good, *bad;
	int node, rc;

	known();
	good = pace_clock_to_json(&c);
	for (node = 1; (bad = mutate(good, node, _i, path)) != NULL; node++) {
		rc = pace_clock_from_json(&back, bad);
		json_decref(bad);
		if (mutate_listed(not_read, path))
			ck_assert_msg(rc == 0, "%s is not read", path);
		else if ((_i == MUTATE_REMOVE && !mutate_listed(may_be_absent, path)) ||
		    (_i == 1 && !mutate_listed(may_be_null, path)) || _i == 2 || _i == 7 ||
		    (_i == 3 && !mutate_listed(may_be_negative, path)) ||
		    (_i == 6 && strcmp(path, "/segments") != 0) ||
		    (_i == 8 && !mutate_listed(booleans, path)))
			ck_assert_msg(rc == -EPROTO, "%s", path);
	}
	ck_assert_int_eq(node, 42);		/* each was tried */
	json_decref(good);
}
END_TEST

/* Members of the one segment at the edges of what may be. */
static const struct { const char *member, *value; int rc; } edges[] = {
	{ "skew_ppm", "1000", 0 }, { "skew_ppm", "-1000", 0 },
	{ "skew_ppm", "1000.01", -EPROTO }, { "skew_ppm", "-1000.01", -EPROTO },
	{ "offset_error_max_ns", "0", 0 }, { "offset_error_max_ns", "-0.1", -EPROTO },
	{ "to_ns", "4940000000", 0 }, { "to_ns", "4939999999", -EPROTO },
	{ "from_ns", "-1152921504606846976", 0 }, { "from_ns", "-1152921504606846977", -EPROTO },
	{ "t_ns", "1152921504606846976", 0 }, { "t_ns", "1152921504606846977", -EPROTO },
	{ "offset_ns", "1.0", -EPROTO },
};

START_TEST(a_segment_has_its_limits)
{
	json_t *j;

	known();
	j = pace_clock_to_json(&c);
	json_object_set_new(json_array_get(json_object_get(j, "segments"), 0),
	    edges[_i].member, json_loads(edges[_i].value, JSON_DECODE_ANY, NULL));
	ck_assert_int_eq(pace_clock_from_json(&back, j), edges[_i].rc);
	json_decref(j);
}
END_TEST

/* Neighbours may overlap, but none comes before the one before it. */
START_TEST(segments_are_in_order)
{
	static const struct { int64_t from, to; int rc; } second[] = {
		{ 300, 400, 0 }, { 200, 400, 0 }, { 190, 400, 0 }, { 100, 200, 0 },
		{ 99, 400, -EPROTO }, { 150, 199, -EPROTO },
	};
	char *text;

	known();
	c.fit.segments = 2;
	c.fit.v[0].from_ns = 100;
	c.fit.v[0].to_ns = 200;
	c.fit.v[1] = c.fit.v[0];
	c.fit.v[1].from_ns = second[_i].from;
	c.fit.v[1].to_ns = second[_i].to;
	text = written(&c);
	ck_assert_int_eq(read_text(text), second[_i].rc);
	free(text);
}
END_TEST

START_TEST(more_segments_than_there_is_room_for_are_refused)
{
	json_t *j, *all;

	known();
	j = pace_clock_to_json(&c);
	all = json_object_get(j, "segments");
	for (int n = 1; n < _i; n++)
		json_array_append(all, json_array_get(all, 0));
	ck_assert_int_eq(pace_clock_from_json(&back, j), _i <= PACE_CLOCK_SEGMENTS ? 0 : -EPROTO);
	json_decref(j);
}
END_TEST

START_TEST(the_state_of_a_wall_clock_comes_back)
{
	struct pace_clock_state s = { true, true, 5, 7, -1000 }, k = { .known = true };
	json_t *j = pace_fields_to_json(&pace_clock_state_fields, &s);
	char *text = json_dumps(j, JSON_COMPACT);

	ck_assert_str_eq(text, "{\"synchronised\":true,\"error_ns\":5,\"error_max_ns\":7,"
	    "\"frequency_ppm\":-1000.0}");
	ck_assert(pace_fields_from_json(&pace_clock_state_fields, &k, j));
	check_state(&s, &k);
	json_object_set_new(j, "frequency_ppm", json_real(-1000.1));
	ck_assert(!pace_fields_from_json(&pace_clock_state_fields, &k, j));
	free(text);
	json_decref(j);
	ck_assert(!pace_fields_from_json(&pace_clock_state_fields, &k, NULL));
}
END_TEST

START_TEST(what_is_no_clock_is_refused)
{
	static const char *const bad[] = { "[]", "{}", "null", "{\"segments\":[]}" };
	json_t *j = json_loads(bad[_i], JSON_DECODE_ANY, NULL);

	ck_assert_int_eq(pace_clock_from_json(&back, j), -EPROTO);
	ck_assert_int_eq(pace_clock_from_json(&back, NULL), -EPROTO);
	json_decref(j);
}
END_TEST

static const struct { uint64_t answered, timeouts; bool stopped, lost, unsent, bad; } judged[] = {
	{ 200, 0, false, false, false, false },
	{ 180, 20, false, false, false, false }, { 179, 21, false, true, false, true },
	{ 199, 0, false, false, true, false }, { 180, 0, false, false, true, false },
	{ 179, 0, false, false, true, true }, { 20, 0, true, false, false, false },
	{ 10, 2, true, true, false, true }, { 0, 0, false, false, true, true },
};

/* Of 200 exchanges a tenth may be lost, and a tenth be unsent; the latter is always noted. */
START_TEST(lost_and_unsent_exchanges_are_noted)
{
	struct pace_notes n = { .n = 0 };
	bool lost = false, unsent = false;

	ck_assert_int_eq(pace_clock_judge(&n, 200, judged[_i].answered, judged[_i].timeouts,
	    judged[_i].stopped), judged[_i].bad);
	for (int i = 0; i < n.n; i++) {
		lost |= strcmp(n.v[i].code, "exchanges_lost") == 0;
		unsent |= strcmp(n.v[i].code, "exchanges_unsent") == 0;
	}
	ck_assert_int_eq(lost, judged[_i].lost);
	ck_assert_int_eq(unsent, judged[_i].unsent);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("clock_doc");

	unit_seed(tc);
	tcase_add_test(tc, a_clock_looks_like_this);
	tcase_add_loop_test(tc, a_clock_comes_back_and_is_written_alike, 0, 100);
	tcase_add_loop_test(tc, a_line_far_away_gives_the_same_offset_when_read_back, 0, 8);
	tcase_add_loop_test(tc, an_offset_of_any_size_comes_back, 0, 5);
	tcase_add_test(tc, without_an_exchange_nothing_is_told);
	tcase_add_loop_test(tc, offset_and_skew_are_those_in_the_middle_of_the_run, 0, 3);
	tcase_add_loop_test(tc, no_member_can_be_spoiled_unseen, 0, MUTATE_KINDS);
	tcase_add_loop_test(tc, a_segment_has_its_limits, 0, COUNT_OF(edges));
	tcase_add_loop_test(tc, segments_are_in_order, 0, 6);
	tcase_add_loop_test(tc, more_segments_than_there_is_room_for_are_refused, 1, 18);
	tcase_add_test(tc, the_state_of_a_wall_clock_comes_back);
	tcase_add_loop_test(tc, what_is_no_clock_is_refused, 0, 4);
	tcase_add_loop_test(tc, lost_and_unsent_exchanges_are_noted, 0, COUNT_OF(judged));
	return unit_run(tc, "clock_doc");
}
