/* stamp_session.h: which numbers of replies belong to a request of this session. */
#include "stream/stamp_session.h"

#include <string.h>

#include "lib/unit.h"

static struct pace_stamp_session s;

/* Which request does a reply with this number of its sender answer?  -1: none. */
static int64_t
answered(uint32_t number, uint64_t next)
{
	static uint8_t buf[PACE_STAMP_OPEN];
	const struct pace_stamp_reply p = { .seq = 1, .sender = { .seq = number } };
	const struct pace_in in = { .buf = buf, .size = sizeof(buf), .len = sizeof(buf) };
	struct pace_stamp_answer a;

	ck_assert_int_gt(pace_stamp_reply_encode(buf, sizeof(buf), false, &p), 0);
	return pace_stamp_session_match(&s, &in, next, &a) ? (int64_t)a.number : -1;
}

/* The first request, 100 for the pinger, has 0 on the wire; 1 is left out. */
START_TEST(only_numbers_that_were_sent_are_answered)
{
	ck_assert_int_eq(answered(0, 100), -1);
	ck_assert_int_eq(answered(0, 101), 100);
	ck_assert_int_eq(answered(1, 101), -1);
	ck_assert_int_eq(answered(2, 101), -1);
	for (uint32_t n = 2; n <= 10; n++)
		ck_assert_int_eq(answered(n, 110), 99 + n);
	ck_assert_int_eq(answered(0, 110), 100);
	ck_assert_int_eq(answered(1, 110), -1);
	ck_assert_int_eq(answered(11, 110), -1);
	for (uint32_t before = 1; before <= 200; before++)	/* of the session before */
		ck_assert_int_eq(answered(0U - before, 110), -1);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("stamp_session");

	memset(&s, 0, sizeof(s));
	s.light = true;
	pace_stamp_session_begin(&s, 100, 0);
	tcase_add_test(tc, only_numbers_that_were_sent_are_answered);
	return unit_run(tc, "stamp_session");
}
