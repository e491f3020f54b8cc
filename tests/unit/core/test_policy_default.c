/* The built-in policy and the shipped default.ini are one table, in two forms. */
#include "lib/unit.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/policy_file.h"

static struct pace_policy file, built_in;

static void
setup(void)
{
	const char *top = getenv("top_srcdir");
	struct pace_err err = { .code = 0 };
	char path[4096];
	int rc;

	snprintf(path, sizeof(path), "%s/policy/default.ini", top != NULL ? top : ".");
	rc = pace_policy_load(&file, path, &err);
	ck_assert_msg(rc == 0, "%s", err.text);
	pace_policy_built_in(&built_in);
}

START_TEST(each_rule_has_the_same_values)
{
	ck_assert_int_eq(file.rules, built_in.rules);
	ck_assert_int_eq(file.has_default, built_in.has_default);
	for (int i = 0; i < file.rules; i++) {
		const struct pace_limits *a = &file.rule[i], *b = &built_in.rule[i];

		ck_assert_str_eq(a->rule, b->rule);
		for (int k = 0; k < PACE_LIMITS; k++)
			ck_assert_msg(a->most[k] == b->most[k], "[%s] %s: %lld in the file, %lld built in",
			    a->rule, pace_limit_info[k].name, (long long)a->most[k],
			    (long long)b->most[k]);
		ck_assert_int_eq(a->allow, b->allow);
		ck_assert_int_eq(a->invited, b->invited);
		ck_assert_int_eq(a->reverse, b->reverse);
		ck_assert_int_eq(a->reverse_bps, b->reverse_bps);
		ck_assert_int_eq(a->host_facts, b->host_facts);
		ck_assert_int_eq(a->busy_poll, b->busy_poll);
		ck_assert_int_eq(a->capture, b->capture);
		ck_assert_int_eq(a->stamp_nic, b->stamp_nic);
		ck_assert_int_eq(a->group, b->group);
	}
}
END_TEST

START_TEST(each_rule_is_for_the_same_keys_and_networks)
{
	ck_assert_int_eq(file.nets, built_in.nets);
	for (int i = 0; i < file.nets; i++) {
		ck_assert_str_eq(file.net[i].text, built_in.net[i].text);
		ck_assert_int_eq(file.net[i].rule, built_in.net[i].rule);
		ck_assert_int_eq(file.net[i].family, built_in.net[i].family);
		ck_assert_int_eq(file.net[i].bits, built_in.net[i].bits);
		ck_assert_mem_eq(file.net[i].ip, built_in.net[i].ip, sizeof(file.net[i].ip));
	}
	ck_assert_int_eq(file.names, built_in.names);
	for (int i = 0; i < file.names; i++) {
		ck_assert_str_eq(file.name[i].name, built_in.name[i].name);
		ck_assert_int_eq(file.name[i].rule, built_in.name[i].rule);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("policy_default");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, each_rule_has_the_same_values);
	tcase_add_test(tc, each_rule_is_for_the_same_keys_and_networks);
	return unit_run(tc, "policy_default");
}
