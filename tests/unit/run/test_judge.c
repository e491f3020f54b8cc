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
	cfg.max_loss = 0;			/* no loss at all; below that there is no limit */
	pt->rx.lost = 1;
	ck_assert(notes("above_max_loss"));
	pt->rx.lost = 0;
	ck_assert(!notes("above_max_loss"));
	cfg.max_loss = -1;
	pt->rx.lost = 1;
	ck_assert(!notes("above_max_loss"));
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

static const char *
text_of(const char *code)
{
	ck_assert(notes(code));
	for (int i = 0; i < pt->notes.n; i++)
		if (strcmp(pt->notes.v[i].code, code) == 0)
			return pt->notes.v[i].text;
	return "";
}

/* CE instead of ECT is congestion, and no other change. */
START_TEST(the_most_frequent_of_changed_marks_is_named)
{
	struct pace_marks *m = &pt->rx.marks;

	m->frames = 1000;
	m->ecn_changed = 40;
	m->ecn[PACE_ECN_NOT_ECT] = 930;
	m->ecn[PACE_ECN_ECT1] = 10;
	m->ecn[PACE_ECN_ECT0] = 30;
	ck_assert_str_eq(text_of("ecn_not_kept"), "ECN not-ect arrived as another one in 40 frames, "
	    "4 %, most often as ect0");
	m->ecn[PACE_ECN_ECT0] = 10;
	m->ecn[PACE_ECN_CE] = 20;
	ck_assert_str_eq(text_of("ecn_not_kept"), "ECN not-ect arrived as another one in 40 frames, "
	    "4 %, most often as ce");
	pt->ask.ecn = PACE_ECN_ECT0;
	m->ecn[PACE_ECN_NOT_ECT] = 5;
	m->ecn[PACE_ECN_ECT0] = 930;
	ck_assert_str_eq(text_of("ecn_not_kept"), "ECN ect0 arrived as another one in 40 frames, "
	    "4 %, most often as ect1");
	ck_assert_str_eq(text_of("congestion_experienced"), "congestion experienced (CE) in 20 "
	    "frames, 2 %");
}
END_TEST

START_TEST(energy_of_each_host_is_missed)
{
	pt->ours.energy.known = pt->ours.energy.has_idle = true;
	strcpy(pt->theirs.energy.why, "no sensor");
	ck_assert(!notes("no_energy_client") && !notes("no_energy_responder"));
	cfg.energy = true;
	ck_assert(!notes("no_energy_client"));
	ck_assert_str_eq(text_of("no_energy_responder"),
	    "the energy of the responder's host is not known: no sensor");
	pt->theirs.energy.known = pt->theirs.energy.has_idle = true;
	ck_assert(!notes("no_energy_client") && !notes("no_energy_responder"));
	pt->ours.energy.has_idle = false;
	ck_assert_str_eq(text_of("no_energy_client"), "the energy of this host is not known above "
	    "idle: another client measured during its idle time");
}
END_TEST

/* The receiver is this host if the responder sends. */
START_TEST(a_note_names_the_host_that_it_is_of)
{
	pt->rx.clock_steps = 1;
	pt->rx.rcvbuf_asked = pt->tx.sndbuf_asked = 65536;
	cfg.sndbuf_given = true;
	for (int down = 0; down < 2; down++) {
		const char *to = down ? "this host's" : "the responder's";
		const char *from = down ? "the responder's" : "this host's";

		pt->ask.direction = down ? PACE_DOWN : PACE_UP;
		ck_assert_ptr_eq(strstr(text_of("clock_stepped"), to), text_of("clock_stepped"));
		ck_assert_ptr_eq(strstr(text_of("rcvbuf_clamped"), to), text_of("rcvbuf_clamped"));
		ck_assert_ptr_eq(strstr(text_of("sndbuf_clamped"), from), text_of("sndbuf_clamped"));
		ck_assert_ptr_nonnull(strstr(text_of("rcvbuf_clamped"), down ? " here" : " there"));
		ck_assert_ptr_nonnull(strstr(text_of("sndbuf_clamped"), down ? " there" : " here"));
	}
	pt->tx.frames = 0;
	ck_assert_str_eq(text_of("nothing_sent"), "no frame left the responder");
	pt->ask.direction = PACE_UP;
	ck_assert_str_eq(text_of("nothing_sent"), "no frame left this host");
}
END_TEST

/* Control frames of 512 bytes arrived. */
START_TEST(the_path_mtu_is_suspected_if_frames_are_larger_than_control_frames)
{
	pt->rx.unique = pt->rx.frames = 0;
	pt->rx.lost = 1000;
	pt->ask.size_bytes = 512;
	ck_assert_ptr_null(strstr(text_of("nothing_arrived"), "MTU"));
	pt->ask.size_bytes = 513;
	ck_assert_ptr_nonnull(strstr(text_of("nothing_arrived"), "MTU"));
}
END_TEST

START_TEST(a_point_without_figures_or_lease_is_bad)
{
	const char *broken;

	pt->ledger.asked = 1000;
	pt->owd_relative = true;
	broken = pace_point_broken(pt);
	ck_assert_msg(broken == NULL, "%s", broken);
	ck_assert(!pace_judge(&cfg, pt));
	pt->rx.lease_lost = true;
	ck_assert(notes("lease_lost") && pace_judge(&cfg, pt));
	pt->rx.lease_lost = false;
	pt->rx.clock_steps = 1;
	ck_assert(notes("clock_stepped") && pace_judge(&cfg, pt));
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
	tcase_add_test(tc, the_most_frequent_of_changed_marks_is_named);
	tcase_add_test(tc, energy_of_each_host_is_missed);
	tcase_add_test(tc, a_note_names_the_host_that_it_is_of);
	tcase_add_test(tc, the_path_mtu_is_suspected_if_frames_are_larger_than_control_frames);
	tcase_add_test(tc, a_point_without_figures_or_lease_is_bad);
	return unit_run(tc, "judge");
}
