/* run_limiter.h: when a run that breaks its own announcement ends. */
#include "server/admission/run_limiter.h"

#include "core/schedule.h"
#include "lib/unit.h"

#define SEC	INT64_C(1000000000)
#define FAR	1000			/* frames, and ... */
#define FAR_NS	(60 * SEC)		/* ... time that no run is cut for */

static struct pace_rules *rules;
static struct pace_terms terms;
static struct pace_run_limiter w;
static struct pace_msg_start m;

static void
setup(void)
{
	static struct pace_policy p;

	rules = pace_rules_new();
	ck_assert_ptr_nonnull(rules);
	pace_policy_reset(&p);
	p.rule[0].reverse = true;
	for (int i = 0; i < PACE_LIMITS; i++)
		p.rule[0].most[i] = PACE_NO_LIMIT;
	pace_rules_set(rules, &p);
	pace_rules_terms(rules, &(struct pace_addr){ .family = 4 }, "", &terms);
	pace_run_limiter_init(&w, rules, &terms, 4);
	m = (struct pace_msg_start){ .ask = { .size_bytes = 200, .train = 1, .bursts = 1,
	    .streams = 1, .spacing = pace_spacing_from_ns(SEC / 1000), .duration_ns = 10 * SEC },
	    .limit = 10000 };
}

static void
teardown(void)
{
	pace_rules_free(rules);
}

/* Does the run go on after so many frames in each direction, at that time? */
static bool
goes_on(uint64_t up, uint64_t down, int64_t now_ns)
{
	const struct pace_traffic l = { .frames = up, .out_frames = down };

	pace_run_limiter_begin(&w, &m, 0);
	return pace_run_limiter_count(&w, &l, now_ns, 0);
}

START_TEST(a_run_has_twice_its_frames_in_each_direction)
{
	ck_assert(goes_on(20000 + FAR, 0, SEC));
	ck_assert(!goes_on(20000 + FAR + 1, 0, SEC));
	m.ask.direction = PACE_DOWN;
	ck_assert(goes_on(0, 20000 + FAR, SEC));
	ck_assert(!goes_on(0, 20000 + FAR + 1, SEC));
	m.ask.direction = PACE_UP;
	m.ask.two_way = true;
	ck_assert(goes_on(20000, 20000 + FAR, SEC));
	ck_assert(!goes_on(20000, 20000 + FAR + 1, SEC));
	m.ask.two_way = false;
	m.ask.streams = 3;
	ck_assert(goes_on(60000 + FAR, 0, SEC));
	ck_assert(!goes_on(60000 + FAR + 1, 0, SEC));
}
END_TEST

/* What --omit leaves out is sent as well: it takes its frames and its time. */
START_TEST(omitted_frames_belong_to_the_run)
{
	ck_assert(goes_on(1, 0, 100 * SEC + FAR_NS));
	ck_assert(!goes_on(1, 0, 100 * SEC + FAR_NS + 1));
	m.ask.omit_ns = 5 * SEC;
	ck_assert(goes_on(1, 0, 150 * SEC + FAR_NS));
	ck_assert(!goes_on(1, 0, 150 * SEC + FAR_NS + 1));
	ck_assert(goes_on(30000 + FAR, 0, SEC));
	ck_assert(!goes_on(30000 + FAR + 1, 0, SEC));
	m.begin_in_ns = 7 * SEC;
	ck_assert(goes_on(1, 0, 157 * SEC + FAR_NS));
	ck_assert(!goes_on(1, 0, 157 * SEC + FAR_NS + 1));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("run_limiter");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_run_has_twice_its_frames_in_each_direction);
	tcase_add_test(tc, omitted_frames_belong_to_the_run);
	return unit_run(tc, "run_limiter");
}
