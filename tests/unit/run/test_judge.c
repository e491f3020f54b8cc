/* judge.c: what is noted of a point, and from where on it is not usable. */
#include "run/streams_own.h"

#include <string.h>

#include "lib/unit.h"

static struct pace_streams_cfg cfg;
static struct pace_point *pt;

static void
setup(void)
{
	cfg = (struct pace_streams_cfg){ .max_loss = -1 };
	pt = pace_point_new();
	ck_assert_ptr_nonnull(pt);
	pt->ask.size_bytes = 64;
	pt->has_rx = true;
	pt->tx.frames = pt->rx.unique = pt->rx.frames = 1000;
}

static void
teardown(void)
{
	pace_point_free(pt);
}

/* Judge again: is there this note? */
static bool
notes(const char *code)
{
	pt->notes.n = 0;
	(void)pace_judge(&cfg, pt);
	for (int i = 0; i < pt->notes.n; i++)
		if (strcmp(pt->notes.v[i].code, code) == 0)
			return true;
	return false;
}

START_TEST(one_stamp_in_a_thousand_may_be_shared)
{
	pt->rx.coalesced_stamps = 1;
	ck_assert(!notes("stamps_coalesced"));
	pt->rx.coalesced_stamps = 2;
	ck_assert(notes("stamps_coalesced"));
}
END_TEST

START_TEST(loss_and_rate_may_be_at_their_limits)
{
	cfg.max_loss = 0.01;
	cfg.min_rate_bps = 1e6;
	pt->rx.lost = 10;
	pt->rx.unique = pt->rx.frames = 990;
	pt->rx.user_rate_bps = 1e6;
	ck_assert(!notes("above_max_loss") && !notes("below_min_rate"));
	pt->rx.lost = 11;
	pt->rx.unique = pt->rx.frames = 989;
	ck_assert(notes("above_max_loss") && !notes("below_min_rate"));
	pt->rx.user_rate_bps = 0.9e6;
	ck_assert(notes("below_min_rate") && pace_judge(&cfg, pt));
}
END_TEST

START_TEST(a_buffer_may_be_as_large_as_requested)
{
	pt->rx.rcvbuf_asked = pt->rx.rcvbuf_granted = 65536;
	ck_assert(!notes("rcvbuf_clamped"));
	pt->rx.rcvbuf_granted--;
	ck_assert(notes("rcvbuf_clamped"));
	cfg.sndbuf_given = true;
	pt->tx.sndbuf_asked = pt->tx.sndbuf_granted = 65536;
	ck_assert(!notes("sndbuf_clamped"));
	pt->tx.sndbuf_granted--;
	ck_assert(notes("sndbuf_clamped"));
	cfg.sndbuf_given = false;		/* the default is no wish */
	ck_assert(!notes("sndbuf_clamped"));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("judge");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, one_stamp_in_a_thousand_may_be_shared);
	tcase_add_test(tc, loss_and_rate_may_be_at_their_limits);
	tcase_add_test(tc, a_buffer_may_be_as_large_as_requested);
	return unit_run(tc, "judge");
}
