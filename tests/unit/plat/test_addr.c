/* io.h: what makes two peers the same. */
#include "core/io.h"

#include <string.h>

#include "lib/unit.h"

static const struct pace_addr v4 = { 4, 14233, 0, { 192, 0, 2, 1 } };
static const struct pace_addr v6 = { 6, 14233, 3, { 0xfe, 0x80, [15] = 1 } };

static void
check_differs(const struct pace_addr *a, const struct pace_addr *b)
{
	ck_assert(!pace_addr_same(a, b));
	ck_assert(!pace_addr_same(b, a));
}

START_TEST(an_address_is_itself)
{
	struct pace_addr a = v4, b = v6;

	ck_assert(pace_addr_same(&a, &v4));
	ck_assert(pace_addr_same(&b, &v6));
	check_differs(&v4, &v6);
}
END_TEST

START_TEST(family_port_and_zone_count)
{
	struct pace_addr a = v6, b = v6, c = v6;

	a.family = 4;
	b.port++;
	c.scope++;
	check_differs(&a, &v6);
	check_differs(&b, &v6);
	check_differs(&c, &v6);
}
END_TEST

/* Loop test: _i is the byte of the address that differs. */
START_TEST(every_byte_counts_that_the_family_uses)
{
	struct pace_addr a = v4, b = v6;

	a.ip[_i] ^= 1;
	b.ip[_i] ^= 1;
	ck_assert_int_eq(pace_addr_same(&a, &v4), _i >= 4);
	check_differs(&b, &v6);
}
END_TEST

/* A byte of the address differs: is the prefix the same?  Host, site, network. */
static const struct { uint8_t family; int at; bool same[PACE_PREFIXES]; } prefixes[] = {
	{ 4, 0, { false, false, false } }, { 4, 2, { false, false, false } },
	{ 4, 3, { false, false, true } }, { 4, 4, { true, true, true } },
	{ 6, 0, { false, false, false } }, { 6, 5, { false, false, false } },
	{ 6, 6, { false, false, true } }, { 6, 7, { false, true, true } },
	{ 6, 8, { true, true, true } }, { 6, 15, { true, true, true } },
};

START_TEST(a_prefix_is_the_first_bytes_of_the_address)
{
	struct pace_addr a = { prefixes[_i].family, 1, 2, { 32, 1, 13, 184 } }, b = a, c;

	memset(a.ip + 4, 0x55, 12);
	memcpy(b.ip, a.ip, sizeof(b.ip));
	b.ip[prefixes[_i].at] ^= 0x80;
	b.port = 7;
	b.scope = 7;
	for (enum pace_prefix p = 0; p < PACE_PREFIXES; p++) {
		ck_assert_int_eq(pace_addr_same_prefix(&a, &b, p), prefixes[_i].same[p]);
		c = pace_addr_prefix(&a, p);
		b = pace_addr_prefix(&b, p);
		ck_assert_int_eq(pace_addr_same(&b, &c), prefixes[_i].same[p]);
		ck_assert_uint_eq(c.port + c.scope + c.ip[15], 0);
	}
}
END_TEST

START_TEST(families_have_no_prefix_in_common)
{
	struct pace_addr a = { .family = 4 }, b = { .family = 6 };

	for (enum pace_prefix p = 0; p < PACE_PREFIXES; p++)
		ck_assert(!pace_addr_same_prefix(&a, &b, p));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("addr");

	tcase_add_test(tc, an_address_is_itself);
	tcase_add_test(tc, family_port_and_zone_count);
	tcase_add_loop_test(tc, every_byte_counts_that_the_family_uses, 0, 16);
	tcase_add_loop_test(tc, a_prefix_is_the_first_bytes_of_the_address, 0, COUNT_OF(prefixes));
	tcase_add_test(tc, families_have_no_prefix_in_common);
	return unit_run(tc, "addr");
}
