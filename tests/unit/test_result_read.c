/* result_read.h: a point at a time, whole or told. */
#include "doc/result_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/unit.h"

#define HEAD	"\"schema\":\"udpace-result/1\""

static char path[] = "/tmp/test_result_read.XXXXXX";
static char seen[256];
static int refuse_at;
static struct pace_result_read r;
static struct pace_err err;

static int
take(const json_t *point, size_t index, void *ctx, struct pace_err *e)
{
	size_t len = strlen(seen);

	(void)ctx;
	if (refuse_at == (int)index)
		return pace_failf(e, EPROTO, "test", "refused");
	snprintf(seen + len, sizeof(seen) - len, "%zu=%lld ", index,
	    (long long)json_integer_value(json_object_get(point, "n")));
	return 0;
}

static void
setup(void)
{
	seen[0] = '\0';
	refuse_at = -1;
	memset(&r, 0, sizeof(r));
	r.point = take;
	close(mkstemp(path));
}

static void
teardown(void)
{
	unlink(path);
	json_decref(r.head);
}

static int
read_text(const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
	return pace_result_read(path, &r, &err);
}

START_TEST(points_come_one_by_one_and_the_head_last)
{
	ck_assert_int_eq(read_text("{" HEAD ", \"points\": [ {\"n\":4,\"a\":[1,{\"points\":[3]}]} ,\n"
	    "{\"n\":5}], \"note\": \"points\", \"list\": [{\"points\": [7]}]}\n"), 0);
	ck_assert_str_eq(seen, "0=4 1=5 ");
	ck_assert_uint_eq(r.points, 2);
	ck_assert_uint_eq(json_array_size(json_object_get(r.head, "points")), 0);
	ck_assert_str_eq(json_string_value(json_object_get(r.head, "note")), "points");
	ck_assert(r.ended && !r.lines && r.torn == 0);
}
END_TEST

START_TEST(no_points_is_an_answer_too)
{
	ck_assert_int_eq(read_text("{" HEAD ",\"points\":[]}"), 0);
	ck_assert_uint_eq(r.points, 0);
}
END_TEST

static const struct { const char *text, *why; int rc; } bad[] = {
	{ "", "empty", -EPROTO },
	{ "hello", "no JSON object", -EPROTO },
	{ "{}", "no \"schema\"", -EPROTO },
	{ "{\"schema\":\"udpace-result/9\",\"points\":[]}", "udpace-result/9", -EPROTONOSUPPORT },
	{ "{\"schema\":\"other\",\"points\":[]}", "other", -EPROTO },
	{ "{" HEAD "}", "no \"points\"", -EPROTO },
	{ "{" HEAD ",\"points\":{}}", "no \"points\"", -EPROTO },
	{ "{" HEAD ",\"points\":[{\"n\":1}", "cut off", -EPROTO },
	{ "{" HEAD ",\"points\":[{\"n\":1},", "cut off", -EPROTO },
	{ "{" HEAD ",\"points\":[{\"n\":", "point 0", -EPROTO },
	{ "{" HEAD ",\"points\":[{\"n\":1,\"n\":2}]}", "point 0", -EPROTO },
	{ "{" HEAD ",\"points\":[{\"n\":1} {\"n\":2}]}", "no list", -EPROTO },
	{ "{" HEAD ",\"points\":[[1]]}", "no object", -EPROTO },
	{ "{" HEAD ",\"points\":[{\"n\":1},]}", "a comma", -EPROTO },
	{ "{" HEAD ",\"points\":[{}],\"points\":[{}]}", "twice", -EPROTO },
	{ "{" HEAD ",\"points\":[],\"a\":\"x", "cut off in a string", -EPROTO },
	{ "{" HEAD ",\"points\":[]", "cut off", -EPROTO },
	{ "{" HEAD ",\"points\":[]} {}", "behind its end", -EPROTO },
	{ "{" HEAD ",\"points\":[],,}", "line 1", -EPROTO },
};

START_TEST(what_is_no_whole_result_is_refused_with_words)
{
	ck_assert_int_eq(read_text(bad[_i].text), bad[_i].rc);
	ck_assert_msg(strstr(err.text, bad[_i].why) != NULL, "'%s' does not say '%s'", err.text,
	    bad[_i].why);
	ck_assert_ptr_null(r.head);
}
END_TEST

START_TEST(who_takes_points_may_refuse_one)
{
	refuse_at = 1;
	ck_assert_int_eq(read_text("{" HEAD ",\"points\":[{\"n\":1},{\"n\":2},{\"n\":3}]}"), -EPROTO);
	ck_assert_str_eq(seen, "0=1 ");
	ck_assert_str_eq(err.text, "refused");
}
END_TEST

#define START	"{\"event\":\"start\"," HEAD ",\"interrupted\":false}\n"
#define POINT	"{\"event\":\"point\",\"index\":0,\"n\":1}\n"

START_TEST(lines_are_read_to_their_end)
{
	ck_assert_int_eq(read_text(START POINT "{\"event\":\"later\"}\n\n" POINT
	    "{\"event\":\"end\",\"points\":2,\"interrupted\":true}\n"), 0);
	ck_assert_str_eq(seen, "0=1 1=1 ");
	ck_assert(r.lines && r.ended && r.torn == 0);
	ck_assert(json_is_true(json_object_get(r.head, "interrupted")));
}
END_TEST

START_TEST(a_writer_that_was_killed_is_told_of)
{
	ck_assert_int_eq(read_text(START POINT POINT "{\"event\":\"point\",\"ind"), 0);
	ck_assert_str_eq(seen, "0=1 1=1 ");
	ck_assert(!r.ended);
	ck_assert_uint_eq(r.torn, 1);
	json_decref(r.head);
	ck_assert_int_eq(read_text(START POINT), 0);
	ck_assert(!r.ended && r.torn == 0);
}
END_TEST

START_TEST(a_file_that_is_not_there_says_so)
{
	ck_assert_int_eq(pace_result_read("/no/such/file", &r, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "/no/such/file"));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("result_read");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, points_come_one_by_one_and_the_head_last);
	tcase_add_test(tc, no_points_is_an_answer_too);
	tcase_add_loop_test(tc, what_is_no_whole_result_is_refused_with_words, 0, COUNT_OF(bad));
	tcase_add_test(tc, who_takes_points_may_refuse_one);
	tcase_add_test(tc, lines_are_read_to_their_end);
	tcase_add_test(tc, a_writer_that_was_killed_is_told_of);
	tcase_add_test(tc, a_file_that_is_not_there_says_so);
	return unit_run(tc, "result_read");
}
