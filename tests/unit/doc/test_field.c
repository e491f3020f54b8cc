/* field.h: every kind of row: when its member is written, required and rejected. */
#include "doc/field.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "lib/unit.h"

struct inner { int64_t ns; };

struct thing {
	uint64_t	n;
	uint32_t	small;
	uint16_t	port;
	int64_t		ns, at;
	double		x, rate;
	bool		flag, has;
	char		text[8];
	enum { RED, GREEN } colour;
	struct inner	in, list[3];
	int		count;
	int64_t		never;
};

#define T	struct thing

static const char *const colours[] = { NULL, "green" };

static const struct pace_field inner_rows[] = {
	{ "ns", PACE_NS(struct inner, ns) },
	{ .name = NULL },
};
static const struct pace_fields inner_fields = { .row = inner_rows };

static const struct pace_field rows[] = {
	{ "n", PACE_COUNT(T, n), .low = 1, .high = 9 },
	{ "small", PACE_COUNT(T, small) },
	{ "port", PACE_COUNT(T, port) },
	{ "ns", PACE_NS(T, ns), .when = PACE_F_OR_ABSENT },
	{ "at", PACE_INT(T, at), .when = PACE_F_OR_NULL, .none = -7 },
	{ "x", PACE_REAL(T, x), .low = -1, .high = 1 },
	{ "rate", PACE_REAL(T, rate), .when = PACE_F_OR_NULL, .flags = PACE_F_ABOVE_0 | PACE_F_STRICT,
	    PACE_F_IF(T, small) },
	{ "flag", PACE_BOOL(T, flag), .flags = PACE_F_LENIENT },
	{ "text", PACE_TEXT(T, text), .when = PACE_F_OR_ABSENT },
	{ "colour", PACE_NAME(T, colour, colours) },
	{ "in", PACE_OBJECT(T, in, inner_fields), .when = PACE_F_OR_NULL, PACE_F_HAS(T, has) },
	{ "list", PACE_ARRAY(T, list, count, inner_fields), .flags = PACE_F_LAX },
	{ "never", PACE_INT(T, never), .flags = PACE_F_WRITTEN },
	{ .name = NULL },
};
static const struct pace_fields fields = { .row = rows };

static const struct thing full = { .n = 9, .small = 4000000000, .port = 65535, .ns = 5, .at = -3,
	.x = 0.5, .rate = 2, .flag = true, .has = true, .text = "abc", .colour = GREEN,
	.in = { 6 }, .list = { { 1 }, { 2 } }, .count = 2, .never = 8 };

static void
is_written(const struct thing *t, const char *want)
{
	json_t *j = pace_fields_to_json(&fields, t);
	char *text = json_dumps(j, JSON_COMPACT);

	ck_assert_str_eq(text, want);
	free(text);
	json_decref(j);
}

START_TEST(what_is_not_there_is_absent_or_null)
{
	struct thing none = { .at = -7, .x = NAN, .colour = RED, .ns = 0 };

	is_written(&full, "{\"n\":9,\"small\":4000000000,\"port\":65535,\"ns\":5,\"at\":-3,\"x\":0.5,"
	    "\"rate\":2.0,\"flag\":true,\"text\":\"abc\",\"colour\":\"green\",\"in\":{\"ns\":6},"
	    "\"list\":[{\"ns\":1},{\"ns\":2}],\"never\":8}");
	is_written(&none, "{\"n\":0,\"small\":0,\"port\":0,\"at\":null,\"x\":null,\"rate\":null,"
	    "\"flag\":false,\"colour\":null,\"in\":null,\"list\":[],\"never\":0}");
}
END_TEST

START_TEST(what_was_written_is_read)
{
	json_t *j = pace_fields_to_json(&fields, &full);
	struct thing back = { .n = 0 };

	ck_assert(pace_fields_from_json(&fields, &back, j));
	ck_assert_int_eq(back.never, 0);
	back.never = full.never;
	is_written(&back, "{\"n\":9,\"small\":4000000000,\"port\":65535,\"ns\":5,\"at\":-3,\"x\":0.5,"
	    "\"rate\":2.0,\"flag\":true,\"text\":\"abc\",\"colour\":\"green\",\"in\":{\"ns\":6},"
	    "\"list\":[{\"ns\":1},{\"ns\":2}],\"never\":8}");
	ck_assert(!pace_fields_from_json(&fields, &back, NULL));
	json_decref(j);
}
END_TEST

/* One member replaced; NULL: removed. */
static const struct { const char *name, *by; bool good; } spoiled[] = {
	{ "n", "0", false }, { "n", "10", false }, { "n", "1", true }, { "n", "1.0", false },
	{ "n", NULL, false }, { "small", "4294967296", false }, { "port", "65536", false },
	{ "port", "-1", false }, { "ns", NULL, true }, { "ns", "null", true }, { "ns", "-1", false },
	{ "at", NULL, false }, { "at", "null", true }, { "at", "\"x\"", false },
	{ "x", "1.5", false }, { "x", "-1", true }, { "x", "null", false },
	{ "rate", "0", false }, { "rate", "null", false }, { "rate", "0.1", true },
	{ "small", "0", false },	/* a rate without what it needs */
	{ "flag", "3", true }, { "flag", NULL, true }, { "text", NULL, true }, { "text", "3", false },
	{ "colour", "\"red\"", false }, { "colour", "null", true }, { "colour", NULL, false },
	{ "in", "null", true }, { "in", NULL, false }, { "in", "{}", false }, { "in", "[]", false },
	{ "list", NULL, true }, { "list", "[{\"ns\":1},{\"ns\":1},{\"ns\":1}]", true },
	{ "list", "[{\"ns\":1},{\"ns\":1},{\"ns\":1},{\"ns\":1}]", false },
	{ "list", "[{\"ns\":-1}]", false }, { "list", "{}", false },
	{ "never", "\"x\"", true }, { "never", NULL, true }, { "more", "1", true },
};

START_TEST(a_member_is_refused_when_it_is_not_as_its_row_says)
{
	json_t *j = pace_fields_to_json(&fields, &full);
	struct thing t = { .n = 0 };

	if (spoiled[_i].by == NULL)
		json_object_del(j, spoiled[_i].name);
	else
		json_object_set_new(j, spoiled[_i].name, json_loads(spoiled[_i].by,
		    JSON_DECODE_ANY, NULL));
	ck_assert_int_eq(pace_fields_from_json(&fields, &t, j), spoiled[_i].good);
	json_decref(j);
}
END_TEST

START_TEST(what_is_null_leaves_nothing_behind)
{
	json_t *j = json_loads("{\"n\":1,\"small\":0,\"port\":1,\"at\":null,\"x\":0,\"rate\":null,"
	    "\"flag\":\"yes\",\"colour\":null,\"in\":null}", 0, NULL);
	struct thing t = full;

	ck_assert(pace_fields_from_json(&fields, &t, j));
	ck_assert(t.ns == 0 && t.at == -7 && !(t.rate > 0) && !t.flag && t.text[0] == '\0');
	ck_assert(t.colour == RED && !t.has);
	json_decref(j);
}
END_TEST

START_TEST(what_is_not_good_is_none_where_that_is_allowed)
{
	static const struct pace_field row[] = {
		{ "x", PACE_REAL(T, x), .high = 1, .flags = PACE_F_LENIENT },
		{ "at", PACE_INT(T, at), .none = -7, .flags = PACE_F_LENIENT },
		{ .name = NULL },
	};
	static const struct pace_fields lenient = { .row = row };
	json_t *j = json_pack("{s:f, s:s}", "x", 2.0, "at", "now");
	struct thing t = full;

	ck_assert(pace_fields_from_json(&lenient, &t, j));
	ck_assert(!(t.x > 0) && t.at == -7);
	json_decref(j);
}
END_TEST

int
main(void)
{
	TCase *c = tcase_create("field");

	tcase_add_test(c, what_is_not_there_is_absent_or_null);
	tcase_add_test(c, what_was_written_is_read);
	tcase_add_loop_test(c, a_member_is_refused_when_it_is_not_as_its_row_says, 0,
	    COUNT_OF(spoiled));
	tcase_add_test(c, what_is_null_leaves_nothing_behind);
	tcase_add_test(c, what_is_not_good_is_none_where_that_is_allowed);
	return unit_run(c, "field");
}
