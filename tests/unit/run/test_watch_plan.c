/* watch_plan.h: a reload notices a path of which any option is another one. */
#include "run/watch_plan.h"

#include <stddef.h>
#include <string.h>

#include "lib/folder.h"

#define AT(member)	offsetof(struct pace_watch_opts, member)

static const struct pace_opt opts[] = {		/* as watch has them */
	{ "size", 'p', PACE_OPT_NUM, AT(size), PACE_UNIT_BYTES, 64, 1472, "100", "SIZE", "", "" },
	{ "spacing", 'w', PACE_OPT_NUM, AT(spacing), PACE_UNIT_USEC, 1000000, INT64_MAX, "100ms",
	    "TIME", "", "" },
	{ "exchange", 0, PACE_OPT_NUM, AT(exchange), PACE_UNIT_USEC, 20000000, INT64_MAX, "1s",
	    "TIME", "", "" },
	PACE_PORT_ROW(struct pace_watch_opts),
	PACE_REACH_ROWS(struct pace_watch_opts),
	PACE_DSCP_ROW(struct pace_watch_opts),
	PACE_STAMP_ROWS(struct pace_watch_opts),
};

static const struct pace_cmd cmd = { "watch", "", "FILE|HOST...", 1, 9, opts, COUNT_OF(opts), NULL,
    sizeof(struct pace_watch_opts), NULL, NULL };

static const char *const files[] = { "paths.ini" };

/* Lines of a path, and its text; the first one has defaults alone. */
static const struct {
	const char *lines, *text;
} paths[] = {
	{ "", "hostb port 14233 size 100 spacing 100000000 exchange 1000000000 ttl 0 dscp 0" },
	{ "host = hostc",
	    "hostc port 14233 size 100 spacing 100000000 exchange 1000000000 ttl 0 dscp 0" },
	{ "port = 7", "hostb port 7 size 100 spacing 100000000 exchange 1000000000 ttl 0 dscp 0" },
	{ "size = 200",
	    "hostb port 14233 size 200 spacing 100000000 exchange 1000000000 ttl 0 dscp 0" },
	{ "spacing = 20ms",
	    "hostb port 14233 size 100 spacing 20000000 exchange 1000000000 ttl 0 dscp 0" },
	{ "exchange = 3s",
	    "hostb port 14233 size 100 spacing 100000000 exchange 3000000000 ttl 0 dscp 0" },
	{ "ttl = 9",
	    "hostb port 14233 size 100 spacing 100000000 exchange 1000000000 ttl 9 dscp 0" },
	{ "dscp = cs1",
	    "hostb port 14233 size 100 spacing 100000000 exchange 1000000000 ttl 0 dscp 8" },
	{ "ipv4 = yes",
	    "hostb port 14233 size 100 spacing 100000000 exchange 1000000000 ttl 0 dscp 0 ipv4" },
	{ "ipv6 = yes",
	    "hostb port 14233 size 100 spacing 100000000 exchange 1000000000 ttl 0 dscp 0 ipv6" },
	{ "stamp = yes",
	    "hostb port 862 size 100 spacing 100000000 exchange 1000000000 ttl 0 dscp 0 stamp" },
	{ "stamp = yes\ntwamp-light = yes", "hostb port 862 size 100 spacing 100000000 "
	    "exchange 1000000000 ttl 0 dscp 0 stamp twamp-light" },
	/* secrets are not part of the text */
	{ "key = a.key",
	    "hostb port 14233 size 100 spacing 100000000 exchange 1000000000 ttl 0 dscp 0" },
	{ "key = b.key",
	    "hostb port 14233 size 100 spacing 100000000 exchange 1000000000 ttl 0 dscp 0" },
	{ "stamp = yes\nstamp-key = a.key",
	    "hostb port 862 size 168 spacing 100000000 exchange 1000000000 ttl 0 dscp 0 stamp" },
	{ "stamp = yes\nstamp-key = b.key",
	    "hostb port 862 size 168 spacing 100000000 exchange 1000000000 ttl 0 dscp 0 stamp" },
};

static void
setup(void)
{
	folder_make();
}

static void
teardown(void)
{
	folder_remove(files, COUNT_OF(files));
}

static void
read_path(struct pace_watch_plan *plan, const char *name, const char *lines)
{
	static struct pace_watch_opts own;
	char path[128], *operand = folder_path(path, files[0]);
	char *argv[] = { "watch", operand, NULL };
	FILE *f = fopen(operand, "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f, "[%s]\nhost = hostb\n%s\n", name, lines);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(pace_opt_parse(&cmd, &own, 2, argv), 1);
	ck_assert_int_eq(pace_watch_plan_make(plan, &cmd, &own, argv + 1, 1), PACE_EXIT_OK);
	ck_assert_uint_eq(plan->n, 1);
}

START_TEST(the_text_has_each_option)
{
	struct pace_watch_plan plan;
	char text[PACE_WATCH_TEXT];

	read_path(&plan, "b", paths[_i].lines);
	pace_watch_target_text(&plan.v[0], text, sizeof(text));
	ck_assert_str_eq(text, paths[_i].text);
	pace_watch_plan_free(&plan);
}
END_TEST

START_TEST(a_flag_may_be_no)
{
	struct pace_watch_plan plan;
	char text[PACE_WATCH_TEXT];

	read_path(&plan, "b", "ipv6 = no\nstamp = no");
	pace_watch_target_text(&plan.v[0], text, sizeof(text));
	ck_assert_str_eq(text, paths[0].text);
	pace_watch_plan_free(&plan);
}
END_TEST

START_TEST(a_path_with_another_option_is_another_one)
{
	struct pace_watch_plan plan, other;
	struct pace_watch_target copy;

	read_path(&plan, "b", paths[_i].lines);
	ck_assert_int_eq(pace_watch_target_copy(&copy, &plan.v[0]), 0);
	ck_assert(pace_watch_target_same(&copy, &plan.v[0]));
	pace_watch_target_free(&copy);
	for (int i = 0; i < COUNT_OF(paths); i++) {
		read_path(&other, "b", paths[i].lines);
		ck_assert_int_eq(pace_watch_target_same(&plan.v[0], &other.v[0]), i == _i);
		pace_watch_plan_free(&other);
	}
	read_path(&other, "c", paths[_i].lines);
	ck_assert(!pace_watch_target_same(&plan.v[0], &other.v[0]));
	pace_watch_plan_free(&other);
	pace_watch_plan_free(&plan);
}
END_TEST

START_TEST(each_key_of_a_path_is_tried)
{
	for (int k = 0; pace_watch_keys[k] != NULL; k++) {
		bool tried = false;
		char line[64];

		snprintf(line, sizeof(line), "%s = ", pace_watch_keys[k]);
		for (int i = 0; i < COUNT_OF(paths); i++) {
			const char *at = strstr(paths[i].lines, line);

			tried |= at != NULL && (at == paths[i].lines || at[-1] == '\n');
		}
		ck_assert_msg(tried, "%s", pace_watch_keys[k]);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("watch_plan");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, the_text_has_each_option, 0, COUNT_OF(paths));
	tcase_add_test(tc, a_flag_may_be_no);
	tcase_add_loop_test(tc, a_path_with_another_option_is_another_one, 0, COUNT_OF(paths));
	tcase_add_test(tc, each_key_of_a_path_is_tried);
	return unit_run(tc, "watch_plan");
}
