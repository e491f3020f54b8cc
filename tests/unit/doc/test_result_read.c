/* result_read.h: one point at a time; damage is reported. */
#include "doc/result_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doc/js.h"
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
	{ "hello", "not a JSON object", -EPROTO },
	{ "{}", "no \"schema\"", -EPROTO },
	{ "{\"schema\":\"udpace-result/9\",\"points\":[]}", "udpace-result/9", -EPROTONOSUPPORT },
	{ "{\"schema\":\"other\",\"points\":[]}", "other", -EPROTO },
	{ "{" HEAD "}", "no \"points\"", -EPROTO },
	{ "{" HEAD ",\"points\":{}}", "no \"points\"", -EPROTO },
	{ "{" HEAD ",\"points\":[{\"n\":1}", "cut off", -EPROTO },
	{ "{" HEAD ",\"points\":[{\"n\":1},", "cut off", -EPROTO },
	{ "{" HEAD ",\"points\":[{\"n\":", "point 0", -EPROTO },
	{ "{" HEAD ",\"points\":[{\"n\":1,\"n\":2}]}", "point 0", -EPROTO },
	{ "{" HEAD ",\"points\":[{\"n\":1} {\"n\":2}]}", "not a list", -EPROTO },
	{ "{" HEAD ",\"points\":[[1]]}", "not an object", -EPROTO },
	{ "{" HEAD ",\"points\":[{\"n\":1},]}", "a comma", -EPROTO },
	{ "{" HEAD ",\"points\":[{}],\"points\":[{}]}", "twice", -EPROTO },
	{ "{" HEAD ",\"points\":[],\"a\":\"x", "cut off in a string", -EPROTO },
	{ "{" HEAD ",\"points\":[]", "cut off", -EPROTO },
	{ "{" HEAD ",\"points\":[]} {}", "after its end", -EPROTO },
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

/* ---- memory ---- */

static size_t now_used, most_used;

static void *
counted(size_t size)
{
	size_t *p = malloc(size + 16);

	p[0] = size;
	now_used += size + 16;
	most_used = now_used > most_used ? now_used : most_used;
	return p + 2;
}

static void
uncounted(void *ptr)
{
	size_t *p = ptr;

	if (p == NULL)
		return;
	p -= 2;
	now_used -= p[0] + 16;
	free(p);
}

/* n times a piece of text between two others, in *len. */
static char *
piled(const char *before, const char *piece, size_t n, const char *behind, size_t *len)
{
	char *text;
	FILE *f = open_memstream(&text, len);

	fputs(before, f);
	for (size_t i = 0; i < n; i++)
		fputs(piece, f);
	fputs(behind, f);
	fclose(f);
	return text;
}

#define MIB	((size_t)1 << 20)
static const char *const piles[] = { "{},", "[],", "[[]],", "{\"\":{}},", "[{},0],", "{\"a\":[]}," };

/* 4 MiB, the largest result: of the network, a line of a file, a file, its outermost object. */
START_TEST(piles_of_empty_values_take_no_memory)
{
	size_t len, n = 4 * MIB / strlen(piles[_i]);
	char *list = piled("[", piles[_i], n, "0]", &len), *doc;

	json_set_alloc_funcs(counted, uncounted);
	ck_assert_ptr_null(pace_js_parse(list, len, NULL));
	ck_assert_ptr_null(pace_js_parse_line(list, len, NULL));
	doc = piled("{" HEAD ",\"points\":[{\"n\":4,\"x\":[", piles[_i], n, "0]}]}\n", &len);
	ck_assert_int_eq(read_text(doc), -EPROTO);
	ck_assert_ptr_nonnull(strstr(err.text, "more values"));
	free(doc);
	doc = piled("{" HEAD ",\"points\":[],\"x\":[", piles[_i], n, "0]}\n", &len);
	ck_assert_int_eq(read_text(doc), -EPROTO);
	ck_assert_uint_lt(most_used, 4 * MIB);
	free(doc);
	free(list);
}
END_TEST

/* As dense as histograms can be, and what only looks like many values. */
START_TEST(dense_documents_are_read)
{
	static const char *const good[] = { "[1,2,3],", "[123456789,123456799,12345],", "0,",
	    "\"{},{},[],\\\"{},{},{},\",", "{\"from_ns\":1,\"to_ns\":2,\"sent\":3,\"lost\":0}," };

	for (int i = 0; i < COUNT_OF(good); i++) {
		size_t len;
		char *list = piled("[", good[i], 100000, "0]", &len);
		json_t *j = pace_js_parse_line(list, len, NULL);

		ck_assert_uint_eq(json_array_size(j), 100001);
		json_decref(j);
		free(list);
	}
}
END_TEST

/* A parsed value takes about as much memory as was counted: the bound is one of memory. */
START_TEST(what_is_accepted_stays_within_its_bound)
{
	for (int i = 0; i < COUNT_OF(piles); i++) {
		size_t len;
		char *list = piled("[\"", "................................", 8192, "\",", &len), *all;
		json_t *j;

		all = piled(list, piles[i], 300000 / strlen(piles[i]), "0]", &len);
		json_set_alloc_funcs(counted, uncounted);
		most_used = now_used;
		j = pace_js_parse_line(all, len, NULL);
		ck_assert_uint_lt(most_used, PACE_JS_SPARE + (PACE_JS_TIMES + 8) * len);
		json_decref(j);
		free(all);
		free(list);
	}
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
	tcase_add_loop_test(tc, piles_of_empty_values_take_no_memory, 0, COUNT_OF(piles));
	tcase_add_test(tc, dense_documents_are_read);
	tcase_add_test(tc, what_is_accepted_stays_within_its_bound);
	tcase_add_test(tc, a_file_that_is_not_there_says_so);
	return unit_run(tc, "result_read");
}
