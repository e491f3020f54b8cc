/* format.h: the table, the user's rule; what each format says is in test_cap_marks. */
#include "cap/format.h"

#include <errno.h>
#include <string.h>

#include "lib/unit.h"

START_TEST(every_format_is_found_by_its_name_and_plain_is_last)
{
	size_t n;
	const struct pace_cap_format *f = pace_cap_formats(&n);

	ck_assert_uint_gt(n, 2);
	ck_assert_uint_le(n, PACE_CAP_FORMATS);
	for (size_t i = 0; i < n; i++) {
		ck_assert_ptr_eq(pace_cap_format(f[i].name), &f[i]);
		ck_assert_uint_gt(strlen(f[i].title), 0);
	}
	ck_assert_str_eq(f[n - 1].name, "plain");
	ck_assert_ptr_null(pace_cap_format("plai"));
	ck_assert_ptr_null(pace_cap_format(""));
}
END_TEST

START_TEST(nothing_makes_a_number_of_plain)
{
	const uint8_t bytes[40] = { 0x75, 0x50, 1, 4 };
	const struct pace_cap_datagram d = { bytes, 40, 40, 1, 2 };
	const struct pace_cap_format *plain = pace_cap_format("plain");
	struct pace_cap_mark m;

	ck_assert_int_eq(plain->fits(&d), 0);
	ck_assert(plain->mark(NULL, &d, &m));
	ck_assert(!m.has_seq && !m.has_time && !m.has_heap && !m.last);
}
END_TEST

static const struct {
	const char	*text;
	int		rc;
	struct pace_cap_rule rule;
} rules[] = {
	{ "4:4:big", 0, { 4, 4, false, 0 } },
	{ "0:8:little", 0, { 0, 8, true, 0 } },
	{ "2:2:be:1024", 0, { 2, 2, false, 1024 } },
	{ "2:2:le:65536", 0, { 2, 2, true, 65536 } },
	{ "65534:1:le:2", 0, { 65534, 1, true, 2 } },
	{ "0:8:big:9223372036854775807", 0, { 0, 8, false, INT64_MAX } },
	{ "65535:1:le", -ERANGE, { 0 } },
	{ "0:0:le", -ERANGE, { 0 } },
	{ "0:9:le", -ERANGE, { 0 } },
	{ "0:1:le:257", -ERANGE, { 0 } },
	{ "0:1:le:1", -ERANGE, { 0 } },
	{ "0:1:le:0", -ERANGE, { 0 } },
	{ "0:1:middle", -EINVAL, { 0 } },
	{ "0:1", -EINVAL, { 0 } },
	{ "0", -EINVAL, { 0 } },
	{ "", -EINVAL, { 0 } },
	{ ":1:le", -EINVAL, { 0 } },
	{ "0:1:le:", -EINVAL, { 0 } },
	{ "0:1:le:2:", -EINVAL, { 0 } },
	{ "0:1:le:2:3", -EINVAL, { 0 } },
	{ "-1:1:le", -EINVAL, { 0 } },
	{ "0:1:le ", -EINVAL, { 0 } },
	{ "00000000000000000000000000000000000000000000000000:1:le", -EINVAL, { 0 } },
};

START_TEST(a_rule_is_read_or_refused_and_then_left_alone)
{
	struct pace_cap_rule r, before;
	struct pace_err err = { 0 };

	memset(&r, 0x5a, sizeof(r));
	before = r;
	ck_assert_int_eq(pace_cap_rule_parse(rules[_i].text, &r, &err), rules[_i].rc);
	if (rules[_i].rc < 0) {
		ck_assert_mem_eq(&r, &before, sizeof(r));
		ck_assert_ptr_nonnull(strstr(err.text, "OFFSET:BYTES:ENDIAN"));
		return;
	}
	ck_assert_uint_eq(r.offset, rules[_i].rule.offset);
	ck_assert_uint_eq(r.bytes, rules[_i].rule.bytes);
	ck_assert_uint_eq(r.modulus, rules[_i].rule.modulus);
	ck_assert(r.little == rules[_i].rule.little);
}
END_TEST

static const uint8_t counted[10] = { 9, 8, 0x81, 2, 3, 4, 5, 6, 7, 0xf8 };

static const struct {
	struct pace_cap_rule rule;
	uint64_t	seq, modulus;
} read_as[] = {
	{ { 2, 8, false, 0 }, 0x81020304050607f8, 0 },
	{ { 2, 8, true, 0 }, 0xf807060504030281, 0 },
	{ { 2, 3, false, 0 }, 0x810203, 0x1000000 },
	{ { 2, 3, true, 0 }, 0x030281, 0x1000000 },
	{ { 9, 1, true, 0 }, 0xf8, 256 },
	{ { 0, 1, true, 10 }, 9, 10 },
};

START_TEST(a_rule_reads_its_bytes_and_no_others)
{
	const struct pace_cap_format *f = pace_cap_format("sequence");
	const struct pace_cap_rule *r = &read_as[_i].rule;
	struct pace_cap_datagram d = { NULL, r->offset + r->bytes, 10, 1, 2 };
	uint8_t *exact = malloc(d.captured);
	struct pace_cap_mark m;

	memcpy(exact, counted, d.captured);
	d.payload = exact;
	ck_assert(f->mark(r, &d, &m));
	ck_assert(m.has_seq && !m.has_time && !m.last);
	ck_assert_uint_eq(m.seq, read_as[_i].seq);
	ck_assert_uint_eq(m.modulus, read_as[_i].modulus);
	d.captured--;
	ck_assert(!f->mark(r, &d, &m));
	d.captured = 0;
	ck_assert(!f->mark(r, &d, &m));
	free(exact);
}
END_TEST

START_TEST(a_number_that_the_modulus_has_not_is_none)
{
	const struct pace_cap_datagram d = { counted, 10, 10, 1, 2 };
	const struct pace_cap_rule nine = { 0, 1, false, 9 }, far = { SIZE_MAX, 8, false, 0 };
	const struct pace_cap_format *f = pace_cap_format("sequence");
	struct pace_cap_mark m;

	ck_assert(!f->mark(&nine, &d, &m));
	ck_assert(!f->mark(&far, &d, &m));
	ck_assert(!f->mark(NULL, &d, &m));
	ck_assert_int_eq(f->fits(&d), 0);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("cap_format");

	tcase_add_test(tc, every_format_is_found_by_its_name_and_plain_is_last);
	tcase_add_test(tc, nothing_makes_a_number_of_plain);
	tcase_add_loop_test(tc, a_rule_is_read_or_refused_and_then_left_alone, 0, COUNT_OF(rules));
	tcase_add_loop_test(tc, a_rule_reads_its_bytes_and_no_others, 0, COUNT_OF(read_as));
	tcase_add_test(tc, a_number_that_the_modulus_has_not_is_none);
	return unit_run(tc, "cap_format");
}
