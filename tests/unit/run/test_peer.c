/* peer.h: what a client says while it waits. */
#include "run/peer.h"

#include "lib/unit.h"

static const struct {
	struct pace_msg_error who;
	const char *text;
} busy[] = {
	{ { .wait_ns = INT64_C(3200000000), .label = "cam-b" },
	    "cam-b is measuring, for at most 4 s more; waiting" },
	{ { .wait_ns = 0 }, "another client is measuring, for at most 1 s more; waiting" },
	{ { .wait_ns = INT64_C(59999999999), .place = 1 },
	    "another client is measuring, for at most 60 s more; waiting" },
	{ { .wait_ns = INT64_C(10000000000), .place = 3, .label = "a" },
	    "a is measuring, for at most 11 s more; waiting, number 3 of this host in line" },
};

START_TEST(who_waits_is_told_for_whom_and_how_long)
{
	char text[PACE_PEER_BUSY_SIZE];

	ck_assert_str_eq(pace_peer_busy_text(&busy[_i].who, text, sizeof(text)), busy[_i].text);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("peer");

	tcase_add_loop_test(tc, who_waits_is_told_for_whom_and_how_long, 0, COUNT_OF(busy));
	return unit_run(tc, "peer");
}
