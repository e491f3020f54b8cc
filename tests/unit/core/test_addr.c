/* io.h: which addresses are groups, and which are public. */
#include "core/io.h"

#include "lib/unit.h"

static const struct {
	struct pace_addr a;
	bool		group, public;
} v[] = {
	{ { .family = 4, .ip = { 10, 1, 2, 3 } }, false, false },
	{ { .family = 4, .ip = { 11, 0, 0, 0 } }, false, true },
	{ { .family = 4, .ip = { 127, 255, 0, 1 } }, false, false },
	{ { .family = 4, .ip = { 172, 15, 255, 255 } }, false, true },
	{ { .family = 4, .ip = { 172, 16, 0, 0 } }, false, false },
	{ { .family = 4, .ip = { 172, 31, 255, 255 } }, false, false },
	{ { .family = 4, .ip = { 172, 32, 0, 0 } }, false, true },
	{ { .family = 4, .ip = { 192, 168, 1, 1 } }, false, false },
	{ { .family = 4, .ip = { 192, 169, 1, 1 } }, false, true },
	{ { .family = 4, .ip = { 100, 127, 255, 255 } }, false, false },
	{ { .family = 4, .ip = { 100, 128, 0, 0 } }, false, true },
	{ { .family = 4, .ip = { 198, 19, 255, 255 } }, false, false },
	{ { .family = 4, .ip = { 203, 0, 113, 9 } }, false, false },
	{ { .family = 4, .ip = { 8, 8, 8, 8 } }, false, true },
	{ { .family = 4, .ip = { 223, 255, 255, 255 } }, false, true },
	{ { .family = 4, .ip = { 224, 0, 0, 1 } }, true, false },
	{ { .family = 4, .ip = { 239, 255, 255, 255 } }, true, false },
	{ { .family = 4, .ip = { 240, 0, 0, 0 } }, false, true },
	{ { .family = 6, .ip = { 0xff, 0x02, [15] = 1 } }, true, false },
	{ { .family = 6, .ip = { 0xfe, 0xbf } }, false, false },
	{ { .family = 6, .ip = { 0xfe, 0xc0 } }, false, true },
	{ { .family = 6, .ip = { 0xfd, 0x99, [15] = 1 } }, false, false },
	{ { .family = 6, .ip = { 0x20, 0x01, 0x0d, 0xb8, 1 } }, false, false },
	{ { .family = 6, .ip = { 0x20, 0x01, 0x0d, 0xb9 } }, false, true },
	{ { .family = 6, .ip = { [15] = 1 } }, false, false },
	{ { .family = 6, .ip = { [15] = 2 } }, false, true },
	{ { .family = 6, .ip = { 0x10, [15] = 1 } }, false, true },
	{ { .family = 0 }, false, false },
};

START_TEST(an_address_is_a_group_or_public_or_neither)
{
	ck_assert_msg(pace_addr_is_group(&v[_i].a) == v[_i].group, "address %d", _i);
	ck_assert_msg(pace_addr_is_public(&v[_i].a) == v[_i].public, "address %d", _i);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("core_addr");

	tcase_add_loop_test(tc, an_address_is_a_group_or_public_or_neither, 0, COUNT_OF(v));
	return unit_run(tc, "core_addr");
}
