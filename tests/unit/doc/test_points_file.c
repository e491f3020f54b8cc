/* points_file.h: documents, JSON lines, and what a killed run leaves. */
#include "doc/points_file.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

#define SCHEMA	"\"schema\":\"udpace-result/1\",\"kind\":\"latency\""
#define START	"{\"event\":\"start\"," SCHEMA "}\n"
#define POINT(i, v)	"{\"event\":\"point\",\"index\":" #i ",\"v\":" #v "}\n"
#define END	"{\"event\":\"end\",\"points\":2}\n"

static struct pace_points p;
static struct pace_err err;

static void
teardown(void)
{
	pace_points_free(&p);
}

static int
read_bytes(const char *text, size_t len)
{
	char *exact = malloc(len > 0 ? len : 1);
	FILE *f;
	int rc;

	pace_points_free(&p);
	memcpy(exact, text, len);
	err = (struct pace_err){ .code = 0 };
	f = len > 0 ? fmemopen(exact, len, "rb") : fopen("/dev/null", "rb");
	rc = pace_points_read(f, "file", &p, &err);
	fclose(f);
	free(exact);
	ck_assert(rc == 0 || (rc == -err.code && err.text[0] != '\0' && p.n == 0));
	return rc;
}

static int
read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

/* Point i has this number and this v. */
static void
is_point(size_t i, uint32_t index, int v)
{
	uint32_t found;
	json_t *point;

	ck_assert_int_eq(pace_points_get(&p, i, &point, &found, &err), 0);
	ck_assert_uint_eq(found, index);
	ck_assert_int_eq(json_integer_value(json_object_get(point, "v")), v);
	json_decref(point);
}

static const char *const documents[] = {
	"{" SCHEMA ",\"points\":[{\"v\":7},{\"v\":8}]}",
	"{\n " SCHEMA ",\n \"points\": [\n  {\"v\": 7},\n  {\"v\": 8}\n ]\n}\n",
	"{" SCHEMA ",\"points\":[{\"v\":7},{\"v\":8}]}\n",
};

START_TEST(a_document_is_read_however_it_is_laid_out)
{
	ck_assert_int_eq(read_text(documents[_i]), 0);
	ck_assert_str_eq(p.kind, "latency");
	ck_assert_uint_eq(p.n, 2);
	ck_assert(p.ended && !p.torn);
	is_point(0, 0, 7);
	is_point(1, 1, 8);
}
END_TEST

START_TEST(lines_are_read)
{
	ck_assert_int_eq(read_text(START POINT(0, 7) "{\"event\":\"weather\"}\n"
	    POINT(4294967295, 8) END), 0);
	ck_assert_str_eq(p.kind, "latency");
	ck_assert_uint_eq(p.n, 2);
	ck_assert(p.ended && !p.torn);
	is_point(0, 0, 7);
	is_point(1, 4294967295, 8);
}
END_TEST

/* Wherever a run was killed, every line that is whole counts. */
START_TEST(a_file_may_be_cut_anywhere_behind_its_first_line)
{
	static const char all[] = START POINT(0, 7) POINT(1, 8) END;
	const size_t first = strlen(START), second = first + strlen(POINT(0, 7)),
	    third = second + strlen(POINT(1, 8));

	for (size_t len = first; len <= strlen(all); len++) {
		ck_assert_int_eq(read_bytes(all, len), 0);
		/* a line that lacks nothing but its end is whole */
		ck_assert_uint_eq(p.n, (size_t)(len + 1 >= second) + (len + 1 >= third));
		ck_assert_int_eq(p.ended, len + 1 >= strlen(all));
		ck_assert_int_eq(p.torn, len != first && len + 1 != second && len != second &&
		    len + 1 != third && len != third && len + 1 < strlen(all));
	}
	for (size_t len = 0; len + 1 < first; len++)
		ck_assert_int_eq(read_bytes(all, len), -EPROTO);
}
END_TEST

START_TEST(many_lines_are_kept)
{
	char *text = malloc(100 + 1000 * 60), *at = text;

	at += sprintf(at, START);
	for (int i = 0; i < 1000; i++)
		at += sprintf(at, "{\"event\":\"point\",\"index\":%d,\"v\":%d}\n", i, 2 * i);
	ck_assert_int_eq(read_text(text), 0);
	free(text);
	ck_assert_uint_eq(p.n, 1000);
	ck_assert(!p.ended && !p.torn);
	for (int i = 0; i < 1000; i++)
		is_point((size_t)i, (uint32_t)i, 2 * i);
}
END_TEST

/* The rest of what is no result is result_read's to find. */
static const struct { const char *text; int rc; const char *words; } bad[] = {
	{ "", -EPROTO, "it is empty" },
	{ "seq,tx\n1,2\n", -EPROTO, "not a result of udpace" },
	{ "{\"schema\":\"udpace-result/2\"}", -EPROTONOSUPPORT, "is udpace-result/2" },
	{ "{\"schema\":\"udpace-result/1\",\"points\":[]}", -EPROTO, "no kind" },
	{ "{" SCHEMA "}", -EPROTO, "no \"points\"" },
	{ START "{\"event\":\"point\"}\n", -EPROTO, "point 0 has no number" },
	{ START POINT(0, 7) POINT(-1, 7), -EPROTO, "point 1 has no number" },
	{ START POINT(4294967296, 7), -EPROTO, "point 0 has no number" },
	{ "{\"event\":\"start\",\"schema\":\"udpace-result/9\",\"kind\":\"clock\"}\n",
	    -EPROTONOSUPPORT, "is udpace-result/9" },
};

/* A writer that was killed left a line without an end; another one went on behind it. */
START_TEST(a_torn_line_in_the_middle_is_left_out)
{
	ck_assert_int_eq(read_text(START POINT(0, 7) "{\"event\":\"poi\n" POINT(1, 8)), 0);
	ck_assert_uint_eq(p.n, 2);
	ck_assert(p.torn && !p.ended);
	is_point(0, 0, 7);
	is_point(1, 1, 8);
}
END_TEST

START_TEST(what_is_no_result_is_refused)
{
	ck_assert_int_eq(read_text(bad[_i].text), bad[_i].rc);
	ck_assert_msg(strstr(err.text, bad[_i].words) != NULL, "says: %s", err.text);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("points_file");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, a_document_is_read_however_it_is_laid_out, 0,
	    COUNT_OF(documents));
	tcase_add_test(tc, lines_are_read);
	tcase_add_test(tc, a_file_may_be_cut_anywhere_behind_its_first_line);
	tcase_add_test(tc, many_lines_are_kept);
	tcase_add_test(tc, a_torn_line_in_the_middle_is_left_out);
	tcase_add_loop_test(tc, what_is_no_result_is_refused, 0, COUNT_OF(bad));
	return unit_run(tc, "points_file");
}
