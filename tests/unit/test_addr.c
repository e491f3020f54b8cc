/* io.h: what makes two peers the same. */
#include "core/io.h"

#include "../lib/unit.h"

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

int
main(void)
{
	TCase *tc = tcase_create("addr");

	tcase_add_test(tc, an_address_is_itself);
	tcase_add_test(tc, family_port_and_zone_count);
	tcase_add_loop_test(tc, every_byte_counts_that_the_family_uses, 0, 16);
	return unit_run(tc, "addr");
}
