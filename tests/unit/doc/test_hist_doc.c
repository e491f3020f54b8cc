/* hist_doc.h: there and back, and what must not come back. */
#include "doc/hist_doc.h"

#include <check.h>
#include <errno.h>
#include <math.h>

#include "lib/mutate.h"
#include "lib/unit.h"

static struct pace_hist h, back;	/* too large for the stack */

static int
read_text(const char *text)
{
	json_t *j = json_loads(text, 0, NULL);
	int rc;

	ck_assert_msg(j != NULL, "no JSON: %s", text);
	rc = pace_hist_from_json(&back, j, "ns");
	json_decref(j);
	return rc;
}

static void
there_and_back(const char *unit)
{
	json_t *j = pace_hist_to_json(&h, unit), *k = mutate_through_text(j);

	ck_assert_int_eq(pace_hist_from_json(&back, k, unit), 0);
	json_decref(j);
	json_decref(k);
}

static void
check_same(void)
{
	double scale = 1 + fmax(fabs((double)h.stats.min), fabs((double)h.stats.max));

	ck_assert_uint_eq(back.stats.n, h.stats.n);
	ck_assert_uint_eq(back.clipped, h.clipped);
	ck_assert_mem_eq(back.pos, h.pos, sizeof(h.pos));
	ck_assert_mem_eq(back.neg, h.neg, sizeof(h.neg));
	ck_assert_int_eq(back.stats.min, h.stats.min);
	ck_assert_int_eq(back.stats.max, h.stats.max);
	ck_assert_double_eq_tol(pace_stats_mean(&back.stats),
	    pace_stats_mean(&h.stats), 1e-11 * scale);
	ck_assert_double_eq_tol(pace_stats_stddev(&back.stats),
	    pace_stats_stddev(&h.stats), 1e-10 * scale);
}

START_TEST(without_bins_its_figures_are_those_that_are_told)
{
	json_t *j, *again;

	pace_hist_reset(&h);
	for (int i = 0; i < 2000; i++)
		pace_hist_add(&h, 1000 + (i * 7919) % 5000);
	j = pace_hist_to_json(&h, "ns");
	pace_hist_strip_bins(j);
	ck_assert_ptr_null(json_object_get(j, "bins"));
	ck_assert_int_eq(pace_hist_from_json(&back, j, "ns"), 0);
	ck_assert(back.bare && pace_hist_sums(&back));
	ck_assert_uint_eq(back.stats.n, h.stats.n);
	ck_assert_int_eq(back.stats.max, h.stats.max);
	for (int i = 0; i < PACE_HIST_LISTED; i++)
		if (pace_hist_has_quantile(h.stats.n, pace_hist_listed[i]))
			ck_assert_int_eq(pace_hist_quantile(&back, pace_hist_listed[i]),
			    pace_hist_quantile(&h, pace_hist_listed[i]));
	ck_assert(isnan(pace_hist_share(&back, 0, 1)));
	again = pace_hist_to_json(&back, "ns");
	ck_assert(json_equal(j, again));
	json_decref(again);
	json_decref(j);
}
END_TEST

#define BARE(percentiles)	"{\"unit\":\"ns\",\"count\":4,\"min\":-3,\"max\":300,\"mean\":76.75," \
	"\"stddev\":148.881105,\"percentiles\":{" percentiles "}}"

START_TEST(percentiles_that_no_histogram_has_are_refused)
{
	static const char *const bad[] = { BARE(""), BARE("\"10\":-3,\"25\":-3,\"50\":5,\"75\":5"),
	    BARE("\"10\":-4,\"25\":-3,\"50\":5,\"75\":5,\"90\":300"),
	    BARE("\"10\":-3,\"25\":-3,\"50\":5,\"75\":4,\"90\":300"),
	    BARE("\"10\":-3,\"25\":-3,\"50\":5,\"75\":5,\"90\":301"),
	    BARE("\"10\":-3,\"25\":-3,\"50\":\"5\",\"75\":5,\"90\":300") };

	ck_assert_int_eq(read_text(BARE("\"10\":-3,\"25\":-3,\"50\":5,\"75\":5,\"90\":300")), 0);
	for (int i = 0; i < COUNT_OF(bad); i++)
		ck_assert_msg(read_text(bad[i]) == -EPROTO, "%s", bad[i]);
}
END_TEST

START_TEST(the_text_is_the_one_of_the_contract)
{
	static const char golden[] = "{\"unit\":\"ns\",\"count\":4,\"min\":-3,"
	    "\"max\":300,\"mean\":76.75,\"stddev\":148.881105,"
	    "\"percentiles\":{\"10\":-3,\"25\":-3,\"50\":5,\"75\":5,\"90\":300},"
	    "\"bins\":[[-3,-2,1],[5,6,2],[300,302,1]]}";
	json_t *j;
	char *text;

	pace_hist_reset(&h);
	pace_hist_add(&h, 300);
	pace_hist_add_n(&h, 5, 2);
	pace_hist_add(&h, -3);
	j = pace_hist_to_json(&h, "ns");
	text = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(9));
	ck_assert_str_eq(text, golden);
	free(text);
	json_decref(j);
}
END_TEST

START_TEST(an_empty_histogram_has_no_figures)
{
	json_t *j;
	char *text;

	pace_hist_reset(&h);
	j = pace_hist_to_json(&h, "frames");
	text = json_dumps(j, JSON_COMPACT);
	ck_assert_str_eq(text, "{\"unit\":\"frames\",\"count\":0,\"bins\":[]}");
	free(text);
	json_decref(j);
	there_and_back("frames");
	check_same();
}
END_TEST

START_TEST(any_histogram_comes_back)
{
	int64_t span[] = { 1, 300, 100000, INT64_C(1) << 41, INT64_C(1) << 60 };
	int64_t base[] = { 0, -150, 1000000, 1234567890123, -(INT64_C(1) << 40) };

	unit_state += (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15);
	pace_hist_reset(&h);
	for (int n = (int)unit_between(1, 2000); n > 0; n--)
		pace_hist_add_n(&h, base[_i / 5 % 5] + unit_between(0, span[_i % 5]),
		    (uint64_t)unit_between(1, 5));
	there_and_back("ns");
	check_same();
	there_and_back("ns");			/* and its figures can be merged */
	pace_hist_merge(&back, &h);
	ck_assert_double_eq_tol(pace_stats_mean(&back.stats), pace_stats_mean(&h.stats),
	    1e-9 * fmax(1, fabs(pace_stats_mean(&h.stats))));
}
END_TEST

START_TEST(values_beyond_the_last_bin_come_back)
{
	static const int64_t value[] = { PACE_HIST_MAX, PACE_HIST_MAX + 1,
	    INT64_C(1) << 50, -PACE_HIST_MAX - 1, -PACE_HIST_MAX - 2,
	    -(INT64_C(1) << 50) };

	pace_hist_reset(&h);
	pace_hist_add_n(&h, value[_i % 6], 3);
	if (_i >= 6)
		pace_hist_add(&h, 0);
	there_and_back("ns");
	check_same();
}
END_TEST

START_TEST(a_percentile_is_there_when_there_are_enough_values)
{
	static const struct { int n; const char *name; bool there; } want[] = {
		{ 1, "50", true }, { 1, "10", true }, { 999, "1", false },
		{ 1000, "1", true }, { 999, "99", false }, { 1000, "99", true },
		{ 9999, "99.9", false }, { 10000, "99.9", true },
		{ 99999, "99.99", false }, { 100000, "99.99", true },
	};
	json_t *j, *p;

	pace_hist_reset(&h);
	pace_hist_add_n(&h, 7, (uint64_t)want[_i].n);
	j = pace_hist_to_json(&h, "ns");
	p = json_object_get(json_object_get(j, "percentiles"), want[_i].name);
	ck_assert_int_eq(p != NULL, want[_i].there);
	json_decref(j);
}
END_TEST

#define FIGURES	"\"mean\":5,\"stddev\":0,\"percentiles\":{}"
#define ONE	"{\"unit\":\"ns\",\"count\":1,\"min\":5,\"max\":5," FIGURES

static const struct { const char *text; int rc; } documents[] = {
	{ ONE ",\"bins\":[[5,6,1]]}", 0 },
	{ ONE ",\"bins\":[[5,6,1]],\"more\":[1,{}]}", 0 },	/* unknown: ignored */
	{ "{\"unit\":\"ns\",\"count\":0,\"bins\":[]}", 0 },
	{ "[]", -EPROTO },
	{ "{\"unit\":\"frames\",\"count\":0,\"bins\":[]}", -EPROTO },
	{ "{\"unit\":\"nsx\",\"count\":0,\"bins\":[]}", -EPROTO },
	{ "{\"unit\":1,\"count\":0,\"bins\":[]}", -EPROTO },
	{ "{\"unit\":\"ns\",\"count\":0}", 0 },
	{ "{\"unit\":\"ns\",\"count\":0,\"bins\":{}}", -EPROTO },
	{ "{\"unit\":\"ns\",\"count\":0,\"bins\":[],\"min\":1}", -EPROTO },
	{ "{\"unit\":\"ns\",\"count\":0,\"bins\":[[5,6,0]]}", -EPROTO },
	{ "{\"unit\":\"ns\",\"count\":1,\"bins\":[[5,6,1]]}", -EPROTO },	/* no figures */
	{ "{\"unit\":\"ns\",\"count\":-1,\"bins\":[]}", -EPROTO },
	{ "{\"unit\":\"ns\",\"count\":0.0,\"bins\":[]}", -EPROTO },
	{ ONE ",\"bins\":[[5,6,2]]}", -EPROTO },		/* sum */
	{ ONE ",\"bins\":[]}", -EPROTO },
	{ ONE ",\"bins\":[[5,6,-1],[6,7,2]]}", -EPROTO },
	{ ONE ",\"bins\":[[5,7,1]]}", -EPROTO },		/* not ours */
	{ ONE ",\"bins\":[[6,5,1]]}", -EPROTO },
	{ ONE ",\"bins\":[[5,6]]}", -EPROTO },
	{ ONE ",\"bins\":[[5,6,1,1]]}", -EPROTO },
	{ ONE ",\"bins\":[[5.0,6,1]]}", -EPROTO },
	{ ONE ",\"bins\":[5,6,1]}", -EPROTO },
	{ ONE ",\"bins\":[{\"a\":5,\"b\":6,\"c\":1}]}", -EPROTO },
	{ ONE ",\"bins\":[[4,5,1]]}", -EPROTO },		/* min not inside */
	{ ONE ",\"bins\":[[5,6,1]],\"clipped\":1}", -EPROTO },
	{ ONE ",\"bins\":[[5,6,1]],\"clipped\":-1}", -EPROTO },
	{ ONE ",\"bins\":[[-9223372036854775808,9223372036854775807,1]]}", -EPROTO },
	{ ONE ",\"bins\":[[9223372036854775807,-9223372036854775808,1]]}", -EPROTO },
	/* count over 2^62, in one and in the sum */
	{ "{\"unit\":\"ns\",\"count\":4611686018427387904,\"min\":5,\"max\":5," FIGURES
	    ",\"bins\":[[5,6,4611686018427387904]]}", -EPROTO },
	{ "{\"unit\":\"ns\",\"count\":2,\"min\":5,\"max\":6," FIGURES ",\"bins\":"
	    "[[5,6,4611686018427387903],[6,7,4611686018427387903]]}", -EPROTO },
	/* a sum that wraps round to the count */
	{ "{\"unit\":\"ns\",\"count\":2,\"min\":1,\"max\":5," FIGURES ",\"bins\":"
	    "[[1,2,4611686018427387903],[2,3,4611686018427387903],"
	    "[3,4,4611686018427387903],[4,5,4611686018427387903],[5,6,6]]}", -EPROTO },
#define TWO(min, max, mean, sd, bins) "{\"unit\":\"ns\",\"count\":2,\"min\":" min \
	",\"max\":" max ",\"mean\":" mean ",\"stddev\":" sd ",\"bins\":" bins "}"
	{ TWO("5", "6", "5.5", "0.7", "[[5,6,1],[6,7,1]]"), 0 },
	{ TWO("5", "6", "5.5", "0.7", "[[6,7,1],[5,6,1]]"), -EPROTO },	/* order */
	{ TWO("5", "6", "5.5", "0.7", "[[5,6,1],[5,6,1]]"), -EPROTO },	/* twice */
	{ TWO("6", "5", "5.5", "0.7", "[[5,6,1],[6,7,1]]"), -EPROTO },
	{ TWO("5", "6", "7", "0.7", "[[5,6,1],[6,7,1]]"), -EPROTO },
	{ TWO("5", "6", "4.9", "0.7", "[[5,6,1],[6,7,1]]"), -EPROTO },
	{ TWO("5", "6", "5.5", "-0.7", "[[5,6,1],[6,7,1]]"), -EPROTO },
	{ TWO("5", "6", "5.5", "0.71", "[[5,6,1],[6,7,1]]"), -EPROTO },
	{ TWO("5", "6", "5.5", "0.7079", "[[5,6,1],[6,7,1]]"), 0 },
	{ TWO("5", "6", "5.5", "null", "[[5,6,1],[6,7,1]]"), -EPROTO },
	{ TWO("5", "6", "\"5.5\"", "0.7", "[[5,6,1],[6,7,1]]"), -EPROTO },
	{ TWO("5.0", "6", "5.5", "0.7", "[[5,6,1],[6,7,1]]"), -EPROTO },
	{ TWO("-4611686018427387904", "6", "0", "1", "[[5,6,1],[6,7,1]]"), -EPROTO },
	{ TWO("300", "301", "300.5", "0.7", "[[300,302,2]]"), 0 },	/* one bin */
	{ TWO("301", "300", "300.5", "0", "[[300,302,2]]"), -EPROTO },
	{ TWO("299", "301", "300", "0.1", "[[300,302,2]]"), -EPROTO },
	{ TWO("300", "302", "301", "0.1", "[[300,302,2]]"), -EPROTO },
	/* beyond the last bin without being counted there */
	{ TWO("1095216660480", "9000000000000", "2e12", "1e3",
	    "[[1095216660480,1099511627776,2]]"), -EPROTO },
	{ "{\"unit\":\"ns\",\"count\":1,\"min\":300,\"max\":301,\"mean\":300,\"stddev\":0,"
	    "\"bins\":[[300,302,1]]}", -EPROTO },	/* one value, two sizes */
};

START_TEST(a_document_is_refused_for_each_lie)
{
	ck_assert_msg(read_text(documents[_i].text) == documents[_i].rc,
	    "%d expected: %s", documents[_i].rc, documents[_i].text);
}
END_TEST

START_TEST(a_clipped_document_says_how_many)
{
	static const char form[] = "{\"unit\":\"ns\",\"count\":2,\"min\":5,"
	    "\"max\":%s,\"mean\":1e12,\"stddev\":0,\"clipped\":%d,"
	    "\"bins\":[[5,6,1],[1095216660480,1099511627776,1]]}";
	static const struct { const char *max; int clipped, rc; } want[] = {
		{ "2000000000000", 1, 0 }, { "2000000000000", 2, -EPROTO },
		{ "2000000000000", 0, -EPROTO }, { "1099511627776", 1, 0 },
		{ "1099511627775", 1, -EPROTO }, { "1099511627775", 0, 0 },
	};
	char text[400];

	snprintf(text, sizeof(text), form, want[_i].max, want[_i].clipped);
	ck_assert_int_eq(read_text(text), want[_i].rc);
}
END_TEST

static uint64_t counts[PACE_LINEAR_HIST_MAX_BINS], counts_back[PACE_LINEAR_HIST_MAX_BINS];

START_TEST(a_lens_comes_back)
{
	struct pace_linear_hist l = { .low = -500, .width = 7, .bins = (uint32_t)_i,
	    .count = counts }, m = { .count = counts_back };
	json_t *j, *k;

	memset(counts, 0, sizeof(counts));
	for (int n = 0; n < 3000; n++)
		pace_linear_hist_add(&l, unit_between(-1000, 40000));
	j = pace_linear_hist_to_json(&l);
	k = mutate_through_text(j);
	ck_assert_int_eq(pace_linear_hist_from_json(&m, k), 0);
	ck_assert_int_eq(m.low, l.low);
	ck_assert_int_eq(m.width, l.width);
	ck_assert_uint_eq(m.bins, l.bins);
	ck_assert_uint_eq(m.underflow, l.underflow);
	ck_assert_uint_eq(m.overflow, l.overflow);
	ck_assert_mem_eq(counts_back, counts, l.bins * sizeof(counts[0]));
	ck_assert_uint_eq(pace_linear_hist_total(&m), 3000);
	json_decref(j);
	json_decref(k);
}
END_TEST

START_TEST(a_lens_is_refused_for_each_lie)
{
	static const char *const bad[] = {
		"[]", "{}",
		"{\"low\":0,\"width\":0,\"counts\":[1],\"underflow\":0,\"overflow\":0}",
		"{\"low\":0,\"width\":-1,\"counts\":[1],\"underflow\":0,\"overflow\":0}",
		"{\"low\":0,\"width\":1099511627777,\"counts\":[1],\"underflow\":0,\"overflow\":0}",
		"{\"low\":0,\"width\":1,\"counts\":[],\"underflow\":0,\"overflow\":0}",
		"{\"low\":0,\"width\":1,\"counts\":[-1],\"underflow\":0,\"overflow\":0}",
		"{\"low\":0,\"width\":1,\"counts\":[1.5],\"underflow\":0,\"overflow\":0}",
		"{\"low\":0,\"width\":1,\"counts\":{\"0\":1},\"underflow\":0,\"overflow\":0}",
		"{\"low\":0,\"width\":1,\"counts\":[1],\"underflow\":-1,\"overflow\":0}",
		"{\"low\":0,\"width\":1,\"counts\":[1],\"underflow\":0}",
	};
	struct pace_linear_hist m = { .count = counts_back };
	json_t *j = json_loads(bad[_i % 11], 0, NULL);

	ck_assert_int_eq(pace_linear_hist_from_json(&m, j), -EPROTO);
	json_decref(j);
}
END_TEST

START_TEST(a_lens_of_one_bin_too_many_is_refused)
{
	struct pace_linear_hist m = { .count = counts_back };
	json_t *j = json_pack("{s:i,s:i,s:[],s:i,s:i}", "low", 0, "width", 1,
	    "counts", "underflow", 0, "overflow", 0);

	for (int i = 0; i <= PACE_LINEAR_HIST_MAX_BINS; i++)
		json_array_append_new(json_object_get(j, "counts"), json_integer(1));
	ck_assert_int_eq(pace_linear_hist_from_json(&m, j), -EPROTO);
	json_array_remove(json_object_get(j, "counts"), 0);
	ck_assert_int_eq(pace_linear_hist_from_json(&m, j), 0);
	json_decref(j);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("hist_doc");

	unit_seed(tc);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, without_bins_its_figures_are_those_that_are_told);
	tcase_add_test(tc, percentiles_that_no_histogram_has_are_refused);
	tcase_add_test(tc, the_text_is_the_one_of_the_contract);
	tcase_add_test(tc, an_empty_histogram_has_no_figures);
	tcase_add_loop_test(tc, any_histogram_comes_back, 0, 50);
	tcase_add_loop_test(tc, values_beyond_the_last_bin_come_back, 0, 12);
	tcase_add_loop_test(tc, a_percentile_is_there_when_there_are_enough_values, 0, 10);
	tcase_add_loop_test(tc, a_document_is_refused_for_each_lie, 0, COUNT_OF(documents));
	tcase_add_loop_test(tc, a_clipped_document_says_how_many, 0, 6);
	tcase_add_loop_test(tc, a_lens_comes_back, 1, 3);
	tcase_add_loop_test(tc, a_lens_is_refused_for_each_lie, 0, 11);
	tcase_add_test(tc, a_lens_of_one_bin_too_many_is_refused);
	return unit_run(tc, "hist_doc");
}
