/* order.h, plan.h: every point is there as often as asked for, in the order asked for;
 * a shuffled one favours no place. */
#include "core/order.h"
#include "core/schedule.h"
#include "run/plan.h"

#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

/* An order is a promise: a seed in an old document gives the same one for ever. */
START_TEST(a_seed_gives_the_order_that_it_always_gave)
{
	int v[8] = { 0, 1, 2, 3, 4, 5, 6, 7 }, w[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	/* by a model in another language: for i = 8 to 2 swap v[i - 1] and
	 * v[splitmix64 of seed 1 mod i] */
	static const int want[8] = { 4, 3, 2, 7, 5, 6, 0, 1 };

	pace_shuffle(v, 8, sizeof(v[0]), 1);
	ck_assert_mem_eq(v, want, sizeof(want));
	pace_shuffle(w, 8, sizeof(w[0]), 2);
	ck_assert_mem_ne(v, w, sizeof(w));
}
END_TEST

START_TEST(nothing_is_lost_and_no_place_is_favoured)
{
	enum { N = 6, RUNS = 12000 };
	static int seen[N][N];
	uint64_t seed = unit_rnd();

	memset(seen, 0, sizeof(seen));
	for (int run = 0; run < RUNS; run++) {
		unsigned char v[N] = { 0, 1, 2, 3, 4, 5 };
		unsigned set = 0;

		pace_shuffle(v, N, 1, seed + (uint64_t)run);
		for (int i = 0; i < N; i++) {
			set |= 1U << v[i];
			seen[v[i]][i]++;
		}
		ck_assert_uint_eq(set, (1U << N) - 1);
	}
	for (int i = 0; i < N * N; i++)		/* 2000 expected, sigma 41 */
		ck_assert_int_le(abs(seen[i / N][i % N] - RUNS / N), 250);
}
END_TEST

START_TEST(few_elements_are_shuffled_too)
{
	int v[2] = { 7, 8 };
	int swapped = 0;

	pace_shuffle(v, 0, sizeof(v[0]), 3);
	pace_shuffle(v, 1, sizeof(v[0]), 3);
	ck_assert_int_eq(v[0], 7);
	for (uint64_t seed = 0; seed < 100; seed++) {
		v[0] = 7;
		v[1] = 8;
		pace_shuffle(v, 2, sizeof(v[0]), seed);
		swapped += v[0] == 8;
	}
	ck_assert(swapped > 20 && swapped < 80);
}
END_TEST

/* --- plans --------------------------------------------------------------------------- */

static struct pace_list size = { 3, { 64, 512, 1472 } }, rate = { 2, { 10000000, 20000000 } };
static struct pace_list spacing = { 2, { 10000, 20000 } }, dscp = { 1, { 0 } };

static struct pace_plan_cfg
plan_cfg(enum pace_order order)
{
	return (struct pace_plan_cfg){ .size = &size, .spacing = &spacing, .dscp = &dscp,
	    .order = order, .seed = 5, .repeats = 1, .each = { .count = 10, .bursts = 1 } };
}

static void
spell(const struct pace_params *v, size_t n, char *text, size_t room)
{
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		snprintf(text + strlen(text), room - strlen(text), "%u/%lld%s%s ", v[i].size_bytes,
		    (long long)(pace_spacing_ns(v[i].spacing) / 1000), v[i].dscp > 0 ? "e" : "",
		    v[i].repeat > 0 ? "'" : "");
}

START_TEST(numbers_of_streams_are_beside_each_other)
{
	struct pace_plan_cfg cfg = plan_cfg(PACE_ORDER_SIZE);
	struct pace_list streams = { 3, { 1, 4, 256 } };
	struct pace_params *v;
	size_t n;

	cfg.each.streams = 2;
	cfg.dscp = &(struct pace_list){ 2, { 0, 46 } };
	v = pace_plan_make(&cfg, &n);
	ck_assert(v != NULL && n == 12 && v[0].streams == 2 && v[11].streams == 2);
	free(v);
	cfg.streams = &streams;
	v = pace_plan_make(&cfg, &n);
	ck_assert(v != NULL && n == 36);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(v[i].streams, (uint32_t)streams.v[i % 3]);
		ck_assert_uint_eq(v[i].dscp, i / 3 % 2 == 0 ? 0 : 46);
		ck_assert_uint_eq(v[i].size_bytes, (uint32_t)size.v[i / 12]);
	}
	free(v);
	cfg.repeats = PACE_PLAN_MAX / 36 + 1;
	ck_assert_ptr_null(pace_plan_make(&cfg, &n));
}
END_TEST

START_TEST(a_plan_goes_by_size_or_by_spacing)
{
	struct pace_plan_cfg cfg = plan_cfg(PACE_ORDER_SIZE);
	struct pace_params *v;
	char text[400];
	size_t n;

	v = pace_plan_make(&cfg, &n);
	spell(v, n, text, sizeof(text));
	ck_assert_str_eq(text, "64/10 64/20 512/10 512/20 1472/10 1472/20 ");
	ck_assert(v[5].count == 10 && v[5].repeats == 1 && v[5].train == 1);
	free(v);
	cfg.order = PACE_ORDER_SPACING;
	cfg.dscp = &(struct pace_list){ 2, { 0, 46 } };
	v = pace_plan_make(&cfg, &n);
	spell(v, n, text, sizeof(text));
	ck_assert_str_eq(text, "64/10 64/10e 512/10 512/10e 1472/10 1472/10e "
	    "64/20 64/20e 512/20 512/20e 1472/20 1472/20e ");
	free(v);
	cfg = plan_cfg(PACE_ORDER_SIZE);
	cfg.rate = &rate;		/* 64 B at 10 Mbit/s: 51.2 us */
	v = pace_plan_make(&cfg, &n);
	spell(v, n, text, sizeof(text));
	ck_assert_str_eq(text, "64/51 64/25 512/409 512/204 1472/1177 1472/588 ");
	free(v);
}
END_TEST

static int
in_words(const void *a, const void *b)
{
	const struct pace_params *x = a, *y = b;

	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	return x->spacing < y->spacing ? -1 : x->spacing > y->spacing;
}

START_TEST(repeats_come_in_whole_rounds)
{
	struct pace_plan_cfg cfg = plan_cfg(_i == 0 ? PACE_ORDER_SIZE : PACE_ORDER_SHUFFLE);
	struct pace_params *v;
	char text[400], first[400];
	size_t n;

	cfg.repeats = 2;
	v = pace_plan_make(&cfg, &n);
	ck_assert_uint_eq(n, 12);
	spell(v, 6, first, sizeof(first));
	spell(v + 6, 6, text, sizeof(text));
	for (char *p = text; (p = strchr(p, '\'')) != NULL;)
		memmove(p, p + 1, strlen(p));
	ck_assert((strcmp(text, first) != 0) == (_i == 1));	/* each round is shuffled again */
	if (_i == 1)
		ck_assert_str_ne(first, "64/10 64/20 512/10 512/20 1472/10 1472/20 ");
	for (int round = 0; round < 2; round++)
		qsort(v + 6 * round, 6, sizeof(*v), in_words);
	spell(v, n, text, sizeof(text));
	ck_assert_str_eq(text, "64/10 64/20 512/10 512/20 1472/10 1472/20 "
	    "64/10' 64/20' 512/10' 512/20' 1472/10' 1472/20' ");
	ck_assert(v[11].repeats == 2);
	free(v);
	v = pace_plan_make(&cfg, &n);		/* the same again */
	spell(v, 6, text, sizeof(text));
	ck_assert_str_eq(text, first);
	free(v);
}
END_TEST

START_TEST(what_cannot_be_planned_is_refused)
{
	struct pace_plan_cfg cfg = plan_cfg(PACE_ORDER_SIZE);
	struct pace_params *v;
	size_t n;

	cfg.repeats = PACE_PLAN_MAX / 6;
	v = pace_plan_make(&cfg, &n);
	ck_assert(v != NULL && n <= PACE_PLAN_MAX);
	free(v);
	cfg.repeats++;
	ck_assert_ptr_null(pace_plan_make(&cfg, &n));
	cfg = plan_cfg(PACE_ORDER_SIZE);
	cfg.train = 100001;			/* of 20 us: every 2.00002 s */
	ck_assert_ptr_null(pace_plan_make(&cfg, &n));
	cfg.train = 100000;
	v = pace_plan_make(&cfg, &n);
	ck_assert(v != NULL && v[0].train == 100000);
	free(v);
	cfg.rate = &(struct pace_list){ 1, { 10 } };	/* a frame of 64 B takes 51 s */
	ck_assert_ptr_null(pace_plan_make(&cfg, &n));
}
END_TEST

START_TEST(as_fast_as_possible_goes_in_trains)
{
	struct pace_plan_cfg cfg = plan_cfg(PACE_ORDER_SIZE);
	struct pace_list sizes = { 2, { 64, 8972 } }, none = { 1, { 0 } };
	struct pace_params *v;
	size_t n;

	cfg.size = &sizes;
	cfg.spacing = &none;
	v = pace_plan_make(&cfg, &n);
	ck_assert(n == 2 && v[0].train == 64 && v[1].train == 7);
	free(v);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("order");

	unit_seed(tc);
	tcase_add_test(tc, a_seed_gives_the_order_that_it_always_gave);
	tcase_add_test(tc, nothing_is_lost_and_no_place_is_favoured);
	tcase_add_test(tc, few_elements_are_shuffled_too);
	tcase_add_test(tc, a_plan_goes_by_size_or_by_spacing);
	tcase_add_test(tc, numbers_of_streams_are_beside_each_other);
	tcase_add_loop_test(tc, repeats_come_in_whole_rounds, 0, 2);
	tcase_add_test(tc, what_cannot_be_planned_is_refused);
	tcase_add_test(tc, as_fast_as_possible_goes_in_trains);
	return unit_run(tc, "order");
}
