/* mesh.h: which hosts and pairs differ from the others; shell/report_mesh.sh has the documents. */
#include "report/mesh.h"

#include <math.h>
#include <stdlib.h>

#include "lib/unit.h"

#define HOSTS	8

static struct pace_mesh m;

static void
setup(void)
{
	m = (struct pace_mesh){ .n = HOSTS, .pair = calloc(HOSTS * HOSTS, sizeof(*m.pair)) };
	ck_assert_ptr_nonnull(m.pair);
	for (size_t i = 0; i < HOSTS * HOSTS; i++)
		for (int k = 0; k < PACE_MESH_MEASURES; k++)
			m.pair[i].v[k] = m.pair[i].error_ns = NAN;
}

static void
teardown(void)
{
	free(m.pair);
	free(m.finding);
}

static void
measured(size_t from, size_t to, enum pace_mesh_measure what, double v)
{
	m.pair[from * HOSTS + to].state = PACE_MESH_MEASURED;
	m.pair[from * HOSTS + to].frames = 10000;
	m.pair[from * HOSTS + to].v[what] = v;
}

/* Return the number of findings of that kind about that host; each is about this measure. */
static int
findings(enum pace_mesh_kind kind, size_t host, enum pace_mesh_measure what)
{
	int n = 0;

	for (size_t i = 0; i < m.findings; i++) {
		ck_assert_int_eq(m.finding[i].measure, what);
		n += m.finding[i].kind == kind && m.finding[i].from == host;
	}
	return n;
}

/* Of an even number of values the lower one is the median: half of the hosts may be bad. */
START_TEST(half_of_the_senders_may_be_bad)
{
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 4; k < 8; k++)
			measured(i, k, PACE_MESH_RTT, i < 2 ? 1e6 : 50e6);
	ck_assert_int_eq(pace_mesh_judge(&m), 0);
	ck_assert_uint_eq(m.findings, 2);
	for (size_t i = 2; i < 4; i++)
		ck_assert_int_eq(findings(PACE_MESH_SENDER, i, PACE_MESH_RTT), 1);
}
END_TEST

/* The lower rate of its two hosts explains that of a pair; what is far below is the pair's. */
START_TEST(a_slow_host_explains_its_pairs)
{
	const enum pace_mesh_measure what = _i == 0 ? PACE_MESH_RATE : PACE_MESH_GOODPUT;

	for (size_t i = 0; i < HOSTS; i++)
		for (size_t k = 0; k < HOSTS; k++)
			if (i != k)
				measured(i, k, what, i == 3 ? 1e9 : k == 5 ? 2e9 : 10e9);
	measured(0, 1, what, 1e9);
	ck_assert_int_eq(pace_mesh_judge(&m), 0);
	ck_assert_uint_eq(m.findings, 3);
	ck_assert_int_eq(findings(PACE_MESH_SENDER, 3, what), 1);
	ck_assert_int_eq(findings(PACE_MESH_RECEIVER, 5, what), 1);
	ck_assert_int_eq(findings(PACE_MESH_PAIR, 0, what), 1);
}
END_TEST

/* Pairs that all differ by 35 % say nothing of one of them, but a tenth of the rate does. */
START_TEST(a_pair_is_judged_by_the_spread_of_all)
{
	int pairs = 0;

	for (size_t i = 0; i < HOSTS; i++)
		for (size_t k = 0; k < HOSTS; k++)
			if (i != k)
				measured(i, k, PACE_MESH_RATE,
				    10e9 * exp((double)unit_between(-300, 300) / 1000));
	if (_i == 1)
		measured(0, 1, PACE_MESH_RATE, 1e9);
	ck_assert_int_eq(pace_mesh_judge(&m), 0);
	for (size_t i = 0; i < m.findings; i++)
		pairs += m.finding[i].kind == PACE_MESH_PAIR;
	ck_assert_int_eq(pairs, _i);
	ck_assert_int_eq(findings(PACE_MESH_PAIR, 0, PACE_MESH_RATE), _i);
}
END_TEST

/* More than half of a host's pairs, not half of them. */
START_TEST(a_host_of_which_most_pairs_fail_is_bad)
{
	const size_t fail = 2 + (size_t)_i;

	for (size_t k = 1; k < 5; k++)
		m.pair[k].state = k <= fail ? PACE_MESH_FAILED : PACE_MESH_MEASURED;
	ck_assert_int_eq(pace_mesh_judge(&m), 0);
	ck_assert_int_eq(findings(PACE_MESH_SENDER, 0, PACE_MESH_MEASURES), fail > 2);
	ck_assert_int_eq(findings(PACE_MESH_PAIR, 0, PACE_MESH_MEASURES), (int)fail);
}
END_TEST

/* What is said of each kind. */
static const struct {
	struct pace_mesh_finding d;
	const char	*text;
} said[] = {
	{ { .kind = PACE_MESH_SENDER, .measure = PACE_MESH_RATE, .from = 1, .value = 1e9,
	    .usual = 9.5e9 }, "b is bad as a sender: rate without loss 1.00 Gbit/s in the median of its "
	    "pairs; the median host has 9.50 Gbit/s" },
	{ { .kind = PACE_MESH_RECEIVER, .measure = PACE_MESH_LOSS, .from = 0, .value = 0.02,
	    .usual = 0.001 }, "a is bad as a receiver: loss 2 % in the median of its pairs; the median "
	    "host has 0.1 %" },
	{ { .kind = PACE_MESH_PAIR, .measure = PACE_MESH_DELAY, .from = 0, .to = 1, .value = 5e6,
	    .usual = 2e5 }, "a to b: one-way delay (p99) 5.00 ms; its hosts explain 200 \xc2\xb5s" },
	{ { .kind = PACE_MESH_CLOCK, .measure = PACE_MESH_OFFSET, .from = 1, .value = 3e6 },
	    "the clock of b is ahead of the median clock by 3.00 ms" },
	{ { .kind = PACE_MESH_CLOCK, .measure = PACE_MESH_OFFSET, .from = 1, .value = -3e6 },
	    "the clock of b is behind the median clock by 3.00 ms" },
	{ { .kind = PACE_MESH_RECEIVER, .measure = PACE_MESH_MEASURES, .from = 1, .value = 4,
	    .usual = 6 }, "b is bad as a receiver: 4 of its 6 pairs failed" },
	{ { .kind = PACE_MESH_PAIR, .measure = PACE_MESH_MEASURES, .from = 0, .to = 1 },
	    "a to b: not measured: no answer" },
	{ { .kind = PACE_MESH_PAIR, .measure = PACE_MESH_GOODPUT, .from = 0, .to = 1, .value = 1e9,
	    .usual = 9e9 }, "a to b: goodput of TCP 1.00 Gbit/s; its hosts explain 9.00 Gbit/s" },
};

START_TEST(a_finding_is_a_sentence)
{
	char *names[HOSTS] = { "a", "b" }, text[300];

	m.shown = names;
	snprintf(m.pair[1].why, sizeof(m.pair[1].why), "no answer");
	ck_assert_str_eq(pace_mesh_sentence(&m, &said[_i].d, text, sizeof(text)), said[_i].text);
}
END_TEST

/* Ten lines about pairs are printed; a pair that has one is none of the others. */
START_TEST(pairs_without_a_line_are_counted_once)
{
	static const struct { size_t pairs, measures; const char *rest; } of[] = {
		{ 4, 3, "" }, { 10, 1, "" }, { 11, 1, "1 more bad pair\n" }, { 6, 2, "1 more bad pair\n" },
		{ 7, 2, "2 more bad pairs\n" } };
	char *text, *line, shown[HOSTS][8];
	size_t size, n = 0;
	FILE *f = open_memstream(&text, &size);

	m.shown = calloc(HOSTS, sizeof(*m.shown));
	m.findings = of[_i].pairs * of[_i].measures;
	m.finding = calloc(m.findings, sizeof(*m.finding));
	ck_assert(f != NULL && m.shown != NULL && m.finding != NULL);
	for (size_t i = 0; i < HOSTS; i++) {
		snprintf(shown[i], sizeof(shown[i]), "host%zu", i);
		m.shown[i] = shown[i];
	}
	for (size_t i = 0; i < m.findings; i++) {
		size_t pair = i / of[_i].measures;

		m.finding[i] = (struct pace_mesh_finding){ .kind = PACE_MESH_PAIR, .from = pair / 7,
		    .to = 1 + pair % 7, .measure = (enum pace_mesh_measure)(i % of[_i].measures),
		    .value = 2, .usual = 1 };
	}
	pace_mesh_print(f, &m);
	fclose(f);
	line = text;
	for (char *end; (end = strstr(line, " to host")) != NULL; line = strchr(end, '\n') + 1)
		n++;
	ck_assert_uint_eq(n, m.findings < 10 ? m.findings : 10);
	ck_assert_str_eq(line, of[_i].rest);
	free(m.shown);
	free(text);
}
END_TEST

/* The offset of a pair is that of its receiver. */
START_TEST(a_clock_that_is_ahead_is_found)
{
	char *names[HOSTS] = { "a", "b", "c", "d", "e", "f", "g", "h" }, text[300];

	m.shown = names;
	for (size_t i = 0; i < HOSTS; i++)
		for (size_t k = 0; k < HOSTS; k++)
			if (i != k) {
				measured(i, k, PACE_MESH_OFFSET, k == 2 ? 5e6 : i == 2 ? -5e6 : 0);
				m.pair[i * HOSTS + k].error_ns = 1000;
			}
	ck_assert_int_eq(pace_mesh_judge(&m), 0);
	ck_assert_uint_eq(m.findings, 1);
	ck_assert_str_eq(pace_mesh_sentence(&m, m.finding, text, sizeof(text)),
	    "the clock of c is ahead of the median clock by 5.00 ms");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("mesh");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, half_of_the_senders_may_be_bad);
	tcase_add_loop_test(tc, a_slow_host_explains_its_pairs, 0, 2);
	tcase_add_loop_test(tc, a_pair_is_judged_by_the_spread_of_all, 0, 2);
	tcase_add_loop_test(tc, a_host_of_which_most_pairs_fail_is_bad, 0, 2);
	tcase_add_loop_test(tc, a_finding_is_a_sentence, 0, COUNT_OF(said));
	tcase_add_loop_test(tc, pairs_without_a_line_are_counted_once, 0, 5);
	tcase_add_test(tc, a_clock_that_is_ahead_is_found);
	return unit_run(tc, "mesh");
}
