#include "lib/unit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/policy.h"

#define SEC	INT64_C(1000000000)

static struct pace_policy pol;
static char subject[PACE_SUBJECT_SIZE];

static void
setup(void)
{
	pace_policy_reset(&pol);
}

static struct pace_addr
v4(uint32_t ip)
{
	return (struct pace_addr){ .family = 4, .ip = { (uint8_t)(ip >> 24), (uint8_t)(ip >> 16),
	    (uint8_t)(ip >> 8), (uint8_t)ip } };
}

/* --- match ------------------------------------------------------------------------- */

/* Bit i of an address, the slow way. */
static int
bit(const struct pace_addr *a, int i)
{
	return a->ip[i / 8] >> (7 - i % 8) & 1;
}

struct net {
	struct pace_addr a;
	int	bits, rule;
};

static int
slow_match(const struct net *v, int n, const struct pace_addr *a)
{
	int longest = -1, rule = 0;

	for (int i = 0; i < n; i++) {
		bool in = v[i].a.family == a->family;

		for (int k = 0; in && k < v[i].bits; k++)
			in = bit(&v[i].a, k) == bit(a, k);
		if (in && v[i].bits > longest) {
			longest = v[i].bits;
			rule = v[i].rule;
		}
	}
	return rule;
}

/* Few bits are ever set, so that networks lie in each other. */
static struct pace_addr
some_address(void)
{
	struct pace_addr a = { .family = unit_rnd() % 2 == 0 ? 4 : 6 };

	for (int i = 0; i < (a.family == 4 ? 4 : 16); i++)
		a.ip[i] = (uint8_t)(unit_rnd() & unit_rnd() & (i == 0 ? 0x80 : 0x11));
	return a;
}

START_TEST(the_longest_network_wins)
{
	struct net v[60];
	int n = 0;

	unit_state += (uint64_t)_i << 32;	/* each loop its own dice */
	for (int i = 0; i < 20; i++) {
		char name[16];

		snprintf(name, sizeof(name), "r%d", i);
		ck_assert_int_eq(pace_policy_rule(&pol, name), i + 1);
	}
	for (int i = 0; i < COUNT_OF(v); i++) {
		struct pace_addr a = some_address();
		int all = a.family == 4 ? 32 : 128, bits = (int)unit_between(0, all);
		int rule = (int)unit_between(1, 20);

		for (int k = bits; k < all; k++)
			a.ip[k / 8] &= (uint8_t)~(0x80 >> k % 8);
		if (pace_policy_net(&pol, rule, &a, bits, "x") == 0)
			v[n++] = (struct net){ a, bits, rule };
	}
	ck_assert_int_gt(n, 20);
	for (int i = 0; i < 20000; i++) {
		struct pace_addr a = some_address();

		ck_assert_int_eq(pace_policy_match(&pol, &a, "", subject), slow_match(v, n, &a));
	}
}
END_TEST

START_TEST(a_key_beats_a_network_and_a_name_beats_any_key)
{
	struct pace_addr in = v4(0x0a010203), out = v4(0xc0000201), net = v4(0x0a000000);
	int keyed, any, nets;

	keyed = pace_policy_rule(&pol, "keyed");
	nets = pace_policy_rule(&pol, "nets");
	ck_assert_int_eq(pace_policy_net(&pol, nets, &net, 8, "10.0.0.0/8"), 0);
	ck_assert_int_eq(pace_policy_name(&pol, keyed, "alice"), 0);
	ck_assert_int_eq(pace_policy_match(&pol, &in, "alice", subject), keyed);
	ck_assert_str_eq(subject, "alice");
	ck_assert_int_eq(pace_policy_match(&pol, &in, "bob", subject), nets);
	ck_assert_str_eq(subject, "10.0.0.0/8");
	ck_assert_int_eq(pace_policy_match(&pol, &out, "bob", subject), 0);
	ck_assert_str_eq(subject, "");
	any = pace_policy_rule(&pol, "any");
	ck_assert_int_eq(pace_policy_name(&pol, any, "*"), 0);
	ck_assert_int_eq(pace_policy_match(&pol, &in, "bob", subject), any);
	ck_assert_str_eq(subject, "bob");
	ck_assert_int_eq(pace_policy_match(&pol, &in, "alice", subject), keyed);
	ck_assert_int_eq(pace_policy_match(&pol, &in, "", subject), nets);
	ck_assert_int_eq(pace_policy_match(&pol, &out, "", subject), 0);
}
END_TEST

START_TEST(what_is_there_twice_or_does_not_fit_is_refused)
{
	struct pace_addr a = v4(0x0a000000), odd = v4(0x0a000001), six = { .family = 6 };
	char name[16];

	ck_assert_int_eq(pace_policy_rule(&pol, "one"), 1);
	ck_assert_int_eq(pace_policy_rule(&pol, "one"), -EEXIST);
	ck_assert_int_eq(pace_policy_rule(&pol, "default"), -EEXIST);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &a, 8, "a"), 0);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &a, 8, "b"), -EEXIST);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &a, 9, "c"), 0);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &odd, 31, "d"), -EINVAL);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &odd, 32, "d"), 0);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &a, 33, "e"), -EINVAL);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &six, 128, "f"), 0);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &six, 129, "g"), -EINVAL);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &six, 0, "h"), 0);
	ck_assert_int_eq(pace_policy_name(&pol, 1, "k"), 0);
	ck_assert_int_eq(pace_policy_name(&pol, 1, "k"), -EEXIST);
	for (int i = 2; i < PACE_RULES_MAX; i++) {
		snprintf(name, sizeof(name), "r%d", i);
		ck_assert_int_eq(pace_policy_rule(&pol, name), i);
	}
	ck_assert_int_eq(pace_policy_rule(&pol, "more"), -ENOSPC);
	for (int i = pol.names; i < PACE_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		ck_assert_int_eq(pace_policy_name(&pol, 1, name), 0);
	}
	ck_assert_int_eq(pace_policy_name(&pol, 1, "more"), -ENOSPC);
	for (uint32_t i = (uint32_t)pol.nets; i < PACE_NETS_MAX; i++) {
		struct pace_addr b = v4(0xc0000000 + i);

		ck_assert_int_eq(pace_policy_net(&pol, 1, &b, 32, "n"), 0);
	}
	ck_assert_int_eq(pace_policy_net(&pol, 1, &odd, 30, "m"), -EINVAL);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &a, 30, "m"), -ENOSPC);
}
END_TEST

START_TEST(what_is_not_said_is_the_defaults)
{
	int rule = pace_policy_rule(&pol, "r");

	pol.rule[rule].most[PACE_LIMIT_RATE] = 5;
	pol.rule[rule].said = 1u << PACE_LIMIT_RATE | PACE_SAID_FACTS;
	pol.rule[rule].host_facts = false;
	pol.rule[0].most[PACE_LIMIT_RATE] = 7;		/* the file's default comes later */
	pol.rule[0].most[PACE_LIMIT_SIZE] = 8;
	pol.rule[0].reverse = pol.rule[0].capture = true;
	pol.rule[0].allow = false;
	pace_policy_settle(&pol);
	ck_assert_int_eq(pol.rule[rule].most[PACE_LIMIT_RATE], 5);
	ck_assert_int_eq(pol.rule[rule].most[PACE_LIMIT_SIZE], 8);
	ck_assert_int_eq(pol.rule[rule].most[PACE_LIMIT_DURATION], 10 * SEC);
	ck_assert(pol.rule[rule].reverse && !pol.rule[rule].host_facts && pol.rule[rule].capture);
	ck_assert(pol.rule[rule].allow && !pol.rule[rule].invited);
	ck_assert_int_eq(pol.rule[0].most[PACE_LIMIT_RATE], 7);
}
END_TEST

static const struct pace_limits *
built_in_of(const char *key, int family, const uint8_t *ip)
{
	struct pace_addr a = { .family = (uint8_t)family };

	memcpy(a.ip, ip, family == 4 ? 4 : 16);
	return &pol.rule[pace_policy_match(&pol, &a, key, subject)];
}

/* First and last address of each network, and their neighbours. */
static const struct {
	int	family;
	uint8_t	ip[16];
	const char *rule;
} places[] = {
	{ 4, { 9, 255, 255, 255 }, "default" }, { 4, { 10 }, "private" },
	{ 4, { 10, 255, 255, 255 }, "private" }, { 4, { 11 }, "default" },
	{ 4, { 172, 15, 255, 255 }, "default" }, { 4, { 172, 16 }, "private" },
	{ 4, { 172, 31, 255, 255 }, "private" }, { 4, { 172, 32 }, "default" },
	{ 4, { 192, 167, 255, 255 }, "default" }, { 4, { 192, 168 }, "private" },
	{ 4, { 192, 168, 255, 255 }, "private" }, { 4, { 192, 169 }, "default" },
	{ 4, { 169, 253, 255, 255 }, "default" }, { 4, { 169, 254 }, "private" },
	{ 4, { 169, 254, 255, 255 }, "private" }, { 4, { 169, 255 }, "default" },
	{ 4, { 126, 255, 255, 255 }, "default" }, { 4, { 127 }, "loopback" },
	{ 4, { 127, 255, 255, 255 }, "loopback" }, { 4, { 128 }, "default" },
	{ 4, { 203, 0, 113, 1 }, "default" }, { 4, { 100, 64, 0, 1 }, "default" },
	{ 6, { [15] = 1 }, "loopback" }, { 6, { [15] = 2 }, "default" },
	{ 6, { 0xfb, 0xff }, "default" }, { 6, { 0xfc }, "private" },
	{ 6, { 0xfd, 0xff }, "private" }, { 6, { 0xfe }, "default" },
	{ 6, { 0xfe, 0x7f }, "default" }, { 6, { 0xfe, 0x80 }, "private" },
	{ 6, { 0xfe, 0xbf }, "private" }, { 6, { 0xfe, 0xc0 }, "default" },
	{ 6, { 0x20, 1, 0xd, 0xb8 }, "default" },
};

START_TEST(built_in_networks_end_where_they_should)
{
	pace_policy_built_in(&pol);
	ck_assert_str_eq(built_in_of("", places[_i].family, places[_i].ip)->rule, places[_i].rule);
	ck_assert_str_eq(built_in_of("alice", places[_i].family, places[_i].ip)->rule, "any-key");
}
END_TEST

START_TEST(built_in_public_addresses_get_little_and_private_ones_a_gigabit)
{
	static const uint8_t public[16] = { 203, 0, 113, 1 }, near[16] = { 10, 1, 2, 3 },
	    here[16] = { 127, 0, 0, 1 };
	const struct pace_limits *l;

	pace_policy_built_in(&pol);
	l = built_in_of("", 4, public);
	ck_assert_int_eq(l->most[PACE_LIMIT_RATE], 100000000);
	ck_assert_int_eq(l->most[PACE_LIMIT_DURATION], 10 * SEC);
	ck_assert_int_eq(l->most[PACE_LIMIT_BUDGET], INT64_C(100000000000));
	ck_assert_int_eq(l->most[PACE_LIMIT_NETWORK], INT64_C(10000000000));
	ck_assert(l->allow && !l->reverse && !l->host_facts && !l->busy_poll && !l->capture);
	ck_assert(!l->invited && !l->stamp_nic);
	ck_assert_int_eq(l->group, PACE_GROUP_KEY);
	l = built_in_of("", 4, near);
	ck_assert_int_eq(l->group, PACE_GROUP_PRIVATE);
	ck_assert_int_eq(l->most[PACE_LIMIT_RATE], 1000000000);
	ck_assert_int_eq(l->most[PACE_LIMIT_DURATION], 60 * SEC);
	ck_assert_int_eq(l->most[PACE_LIMIT_BUDGET], PACE_NO_LIMIT);
	ck_assert(l->allow && l->reverse && l->host_facts && !l->busy_poll && !l->capture);
	ck_assert(!l->invited && !l->stamp_nic);
	for (int i = 0; i < 2; i++) {
		l = i == 0 ? built_in_of("alice", 4, public) : built_in_of("", 4, here);
		ck_assert(l->reverse && l->host_facts && l->busy_poll && l->capture);
		ck_assert_int_eq(l->group, i == 0 ? PACE_GROUP_KEY : PACE_GROUP_PRIVATE);
		ck_assert(!l->invited && !l->stamp_nic);
		for (int k = 0; k < PACE_LIMIT_WATCH_RATE; k++)
			ck_assert_int_eq(l->most[k], PACE_NO_LIMIT);
		ck_assert_int_eq(l->most[PACE_LIMIT_WATCH_RATE], 100000);
		ck_assert_int_eq(l->most[PACE_LIMIT_WATCH_FRAMES], 50);
	}
}
END_TEST

/* --- plans ---------------------------------------------------------------------------- */

static const struct pace_limits guests = { .rule = "guests", .allow = true, .most = {
	1000000000, 100000, 1472, 60 * SEC, 1000, 4, 16, 10000000000, 8000000000 } };

/* Frames of 1250 bytes on the wire are 10 000 bits: 100 000 a second are a gigabit. */
static const struct {
	struct pace_plan p;
	const char *said;	/* NULL: may be */
} plans[] = {
	{ { .size_bytes = 1184, .wire_bytes = 1250, .frames = 100000, .duration_ns = SEC,
	    .burst_frames = 100000, .burst_ns = SEC, .run_ns = SEC }, NULL },
	/* twice the rate fits a second, with the second that the bucket has */
	{ { .size_bytes = 1184, .wire_bytes = 1250, .frames = 200000, .duration_ns = SEC },
	    NULL },
	{ { .size_bytes = 1184, .wire_bytes = 1250, .frames = 200001, .duration_ns = SEC },
	    "2.00 Gbit/s for 1.00 s is more than its 1.00 Gbit/s" },
	{ { .size_bytes = 1184, .wire_bytes = 1250, .frames = 610000, .duration_ns = 10 * SEC },
	    NULL },
	{ { .size_bytes = 1184, .wire_bytes = 1250, .frames = 2000000, .duration_ns = 10 * SEC },
	    "2.00 Gbit/s for 10.0 s is more than its 1.00 Gbit/s" },
	/* short frames: the frames are too many before the bits are */
	{ { .size_bytes = 64, .wire_bytes = 130, .frames = 1200000, .duration_ns = 10 * SEC },
	    "120 000 frames/s for 10.0 s is more than its 100 000 frames/s" },
	{ { .size_bytes = 64, .wire_bytes = 130, .frames = 1100000, .duration_ns = 10 * SEC },
	    NULL },
	/* slow as a whole, but not in its bursts */
	{ { .size_bytes = 64, .wire_bytes = 130, .frames = 4000000, .duration_ns = 50 * SEC,
	    .burst_frames = 400000, .burst_ns = 2 * SEC },
	    "200 000 frames/s for 2.00 s is more than its 100 000 frames/s" },
	/* the rate of back-to-back frames is not known */
	{ { .size_bytes = 64, .wire_bytes = 130, .frames = 40000000 }, NULL },
	{ { .size_bytes = 1472, .wire_bytes = 1538 }, NULL },
	{ { .size_bytes = 1473, .wire_bytes = 1539 },
	    "frames of 1473 B are larger than its 1472 B" },
	{ { .run_ns = 60 * SEC }, NULL },
	{ { .run_ns = 61 * SEC }, "a run of 61.0 s is longer than its 60.0 s" },
	{ { .records = 1000 }, NULL },
	{ { .records = 1001 }, "records of 1 001 frames are more than its 1 000" },
	{ { .streams = 16 }, NULL },
	{ { .streams = 17 }, "17 streams are more than its 16" },
	{ { .reverse = true },
	    "it lets no client make the responder send more than it receives" },
	{ { .used_bytes = 9999999999 }, NULL },
	{ { .used_bytes = 10000000000 }, "its 10 GB a day are used up until 00:00 UTC" },
	{ { .wire_bytes = 1000, .frames = 1000000, .used_bytes = 9000000000 }, NULL },
	{ { .wire_bytes = 1000, .frames = 1000001, .used_bytes = 9000000000 },
	    "1.00 GB are more than is left today of its 10 GB a day: 1 GB" },
	{ { .wire_bytes = 1000, .frames = 400000, .other_bytes = 600000000, .used_bytes = 9000000000 },
	    NULL },
	{ { .wire_bytes = 1000, .frames = 500000, .other_bytes = 600000000, .used_bytes = 9000000000 },
	    "1.10 GB are more than is left today of its 10 GB a day: 1 GB" },
	{ { .used_network = 7999999999 }, NULL },
	{ { .used_network = 8000000000 },
	    "its 8 GB a day for each network are used up until 00:00 UTC" },
	{ { .wire_bytes = 1000, .frames = 1000001, .used_network = 7000000000 },
	    "1.00 GB are more than is left today of its 8 GB a day for each network: 1 GB" },
};

START_TEST(a_plan_that_is_too_much_is_refused_with_the_rules_name)
{
	char text[160] = "", want[200];
	bool refused = pace_limits_refuse(&guests, &plans[_i].p, text, sizeof(text));

	snprintf(want, sizeof(want), "rule 'guests': %s", plans[_i].said != NULL ?
	    plans[_i].said : "");
	ck_assert_str_eq(text, plans[_i].said != NULL ? want : "");
	ck_assert_int_eq(refused, plans[_i].said != NULL);
}
END_TEST

START_TEST(without_limits_nothing_is_refused_but_what_is_not_allowed)
{
	struct pace_plan p = { .size_bytes = 65507, .wire_bytes = 65573, .frames = 1e18,
	    .duration_ns = 1, .burst_frames = 1e18, .burst_ns = 1, .run_ns = INT64_MAX,
	    .records = UINT64_MAX, .reverse = true, .used_bytes = 1e30 };
	struct pace_limits l = guests;
	char text[160];

	for (int i = 0; i < PACE_LIMITS; i++)
		l.most[i] = PACE_NO_LIMIT;
	l.reverse = true;
	ck_assert(!pace_limits_refuse(&l, &p, text, sizeof(text)));
	l.allow = false;
	ck_assert(pace_limits_refuse(&l, &p, text, sizeof(text)));
	ck_assert_str_eq(text, "rule 'guests': it lets no client measure");
}
END_TEST

/* --- buckets --------------------------------------------------------------------------- */

#define TAKES	300

/* Between any two moments no more than 1.1 rate (t + 1 s): all pairs are looked at. */
START_TEST(a_bucket_lets_pass_what_every_window_allows)
{
	int64_t t[TAKES], now = 5 * SEC, rate;
	double n[TAKES];
	struct pace_bucket b;
	int refused = 0;

	unit_state += (uint64_t)_i << 32;	/* each loop its own dice */
	rate = unit_between(10, 100000);
	pace_bucket_fill(&b, rate, now);
	for (int i = 0; i < TAKES; i++) {
		bool fits = true;
		double sum = 0, most;

		now += unit_between(0, unit_rnd() % 8 == 0 ? 2 * SEC : SEC / 20);
		t[i] = now;
		n[i] = (double)unit_between(0, rate / 2);
		for (int k = i; k >= 0; k--) {
			sum += n[k];
			most = 1.1 * (double)rate * ((double)(now - t[k]) / 1e9 + 1);
			fits &= sum <= most * (1 + 1e-9);
		}
		ck_assert_int_eq(pace_bucket_take(&b, now, n[i]), fits);
		if (!fits) {		/* what did not fit is not there */
			b.left += n[i];
			n[i] = 0;
			refused++;
		}
	}
	ck_assert_int_gt(refused, 5);
}
END_TEST

START_TEST(an_endless_bucket_never_gets_empty)
{
	struct pace_bucket b;

	pace_bucket_fill(&b, PACE_NO_LIMIT, 0);
	for (int i = 0; i < 100; i++)
		ck_assert(pace_bucket_take(&b, i, 1e300));
}
END_TEST

/* --- budgets ---------------------------------------------------------------------------- */

static struct pace_budget budget;

START_TEST(a_budget_counts_by_rule_subject_and_day)
{
	double used[5][5] = { { 0 } };
	int64_t day = 20000;
	char rule[8], who[8];

	memset(&budget, 0, sizeof(budget));
	for (int i = 0; i < 20000; i++) {
		int r = (int)unit_between(0, 4), s = (int)unit_between(0, 4);
		double n = (double)unit_between(0, 1000);

		if (unit_rnd() % 200 == 0) {
			day++;
			memset(used, 0, sizeof(used));
		}
		snprintf(rule, sizeof(rule), "r%d", r);
		snprintf(who, sizeof(who), "s%d", s);
		used[r][s] += n;
		ck_assert_double_eq(pace_budget_use(&budget, rule, who, day, n), used[r][s]);
	}
	/* A clock that is set back makes no new day. */
	ck_assert_double_eq(pace_budget_use(&budget, rule, who, day - 1, 1) - 1,
	    pace_budget_use(&budget, rule, who, day, 0) - 1);
	ck_assert_int_le(budget.n, 25);
}
END_TEST

START_TEST(a_full_table_of_budgets_forgets_yesterdays_only)
{
	char who[16];

	memset(&budget, 0, sizeof(budget));
	for (int i = 0; i < PACE_ACCOUNTS; i++) {
		snprintf(who, sizeof(who), "%d", i);
		ck_assert_double_eq(pace_budget_use(&budget, "r", who, 7, 10), 10);
	}
	ck_assert(isinf(pace_budget_use(&budget, "r", "new", 7, 1)));
	ck_assert_double_eq(pace_budget_use(&budget, "r", "5", 7, 1), 11);
	ck_assert_double_eq(pace_budget_use(&budget, "r", "new", 8, 1), 1);
	ck_assert_double_eq(pace_budget_use(&budget, "r", "new", 8, 1), 2);
	ck_assert_int_eq(budget.n, PACE_ACCOUNTS);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("policy");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, the_longest_network_wins, 0, 20);
	tcase_add_test(tc, a_key_beats_a_network_and_a_name_beats_any_key);
	tcase_add_test(tc, what_is_there_twice_or_does_not_fit_is_refused);
	tcase_add_test(tc, what_is_not_said_is_the_defaults);
	tcase_add_loop_test(tc, built_in_networks_end_where_they_should, 0, COUNT_OF(places));
	tcase_add_test(tc, built_in_public_addresses_get_little_and_private_ones_a_gigabit);
	tcase_add_loop_test(tc, a_plan_that_is_too_much_is_refused_with_the_rules_name, 0,
	    COUNT_OF(plans));
	tcase_add_test(tc, without_limits_nothing_is_refused_but_what_is_not_allowed);
	tcase_add_loop_test(tc, a_bucket_lets_pass_what_every_window_allows, 0, 30);
	tcase_add_test(tc, an_endless_bucket_never_gets_empty);
	tcase_add_test(tc, a_budget_counts_by_rule_subject_and_day);
	tcase_add_test(tc, a_full_table_of_budgets_forgets_yesterdays_only);
	return unit_run(tc, "policy");
}
