/*
 * DSCP and ECN of frames on a network that changes them: what the receiver counts is what the
 * network did, in both directions, with loss and copies, one by one and in pieces.
 */
#include "lib/unit.h"

#include <string.h>

#include "client/client.h"
#include "core/schedule.h"
#include "simnet.h"
#include "sums.h"

#define MS	INT64_C(1000000)
#define FRAMES	3000

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_err err;

/* The network's action, and the mark with which each frame arrives first; -1: it does not
 * arrive. */
static struct world {
	enum sim_way	way;
	uint64_t	ce, bleach, clear, drop;	/* every so manyth frame; 0: none */
	uint8_t		sent;				/* the mark seen at the sender */
	int		arrived[FRAMES];
} it;

static bool
each(uint64_t nth, uint64_t number, uint64_t from)
{
	return nth > 0 && number % nth == from;
}

static uint8_t
remark(struct sim_packet *p)
{
	uint64_t n = p->number[0];
	uint8_t mark = p->mark;

	if (!p->data || n >= FRAMES)
		return mark;
	it.sent = mark;
	if (each(it.ce, n, 1))
		mark |= PACE_ECN_CE;
	if (each(it.clear, n, 2))
		mark &= 0xfc;
	if (each(it.bleach, n, 0))
		mark &= 3;
	it.arrived[n] = each(it.drop, n, 3) ? -1 : mark;
	return mark;
}

static enum sim_fate
lose(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	uint64_t n = 0;

	(void)ctx, (void)delay_ns;
	if (way != it.way || len < PACE_HDR_SIZE || (buf[3] & ~PACE_REPLY) != PACE_DATA)
		return SIM_PASS;
	for (int i = 16; i < 24; i++)
		n = n << 8 | buf[i];
	return each(it.drop, n, 3) ? SIM_DROP : n % 13 == 0 ? SIM_DUP : SIM_PASS;
}

static void
setup(void)
{
	it = (struct world){ .way = SIM_TO_RESPONDER };
	memset(it.arrived, -1, sizeof(it.arrived));
	net = sim_new(unit_rnd());
	net->hook = lose;
	net->remark = remark;
	net->gro = true;
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	pt = pace_point_new();
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_point_free(pt);
}

static void
measure(bool down, uint32_t dscp, enum pace_ecn ecn, uint64_t train)
{
	const char *broken;
	int rc;

	if (down) {
		it.way = SIM_TO_CLIENT;
		sim_reverse(net);
	} else {
		net->client.mark = (uint8_t)(dscp << 2 | ecn);
	}
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	pt->ask = (struct pace_params){ .direction = down ? PACE_DOWN : PACE_UP, .size_bytes = 200,
	    .spacing = pace_spacing_from_ns(100000), .count = FRAMES, .train = train, .bursts = 1,
	    .grace_ns = 50 * MS, .dscp = dscp, .ecn = ecn };
	rc = pace_client_point(&cl, pt, &err);
	ck_assert_msg(rc == 0, "%s: %s (%d)", err.step, err.text, rc);
	broken = pace_point_broken(pt);
	ck_assert_msg(broken == NULL, "%s", broken);
	ck_assert_uint_eq(it.sent, dscp << 2 | ecn);
}

/* Compare the result with the network's log. */
static void
counts_are_the_networks(void)
{
	const struct pace_marks *m = &pt->rx.marks;
	uint64_t ecn[PACE_ECNS] = { 0 }, dscp[64] = { 0 }, frames = 0, kept;

	for (int i = 0; i < FRAMES; i++) {
		if (it.arrived[i] < 0)
			continue;
		frames++;
		ecn[it.arrived[i] & 3]++;
		dscp[it.arrived[i] >> 2]++;
	}
	ck_assert_uint_eq(m->frames, frames);
	ck_assert_uint_eq(m->frames, pt->rx.unique);
	for (int i = 0; i < PACE_ECNS; i++)
		ck_assert_uint_eq(m->ecn[i], ecn[i]);
	kept = ecn[pt->ask.ecn] + (pt->ask.ecn == PACE_ECN_ECT0 || pt->ask.ecn == PACE_ECN_ECT1 ?
	    ecn[PACE_ECN_CE] : 0);
	ck_assert_uint_eq(m->ecn_changed, frames - kept);
	ck_assert_uint_eq(m->dscp_changed, frames - dscp[pt->ask.dscp]);
	ck_assert_uint_eq(m->dscp_frames, dscp[m->dscp]);
	for (int i = 0; i < 64; i++)
		ck_assert_uint_le(dscp[i], m->dscp_frames);
}

static uint8_t after;		/* marks of what the responder sends, all together */

static uint8_t
note_mark(struct sim_packet *p)
{
	if (p->way == SIM_TO_CLIENT)
		after |= p->mark;
	return p->mark;
}

/* What the responder sends after a marked stream, answers and the next stream, has no mark. */
START_TEST(a_mark_ends_with_its_stream)
{
	measure(true, 46, PACE_ECN_ECT1, 1);
	after = 0;
	net->remark = note_mark;
	pt->ask.dscp = 0;
	pt->ask.ecn = PACE_ECN_NOT_ECT;
	pt->ask.direction = _i == 0 ? PACE_DOWN : PACE_UP;
	ck_assert_int_eq(pace_client_point(&cl, pt, &err), 0);
	ck_assert_uint_gt(pt->rx.unique, 0);
	ck_assert_uint_eq(after, 0);
}
END_TEST

/* Up and down, frame by frame and in trains that arrive in pieces of one mark. */
START_TEST(every_changed_mark_is_counted)
{
	it.ce = 10;
	it.bleach = 7;
	it.clear = 9;
	it.drop = 11;
	measure(_i & 1, 46, PACE_ECN_ECT0, _i & 2 ? 16 : 1);
	counts_are_the_networks();
	ck_assert_uint_gt(pt->rx.duplicates, 0);
	ck_assert_uint_eq(pt->rx.marks.dscp, 46);
	ck_assert_uint_gt(pt->rx.marks.ecn[PACE_ECN_CE], 0);
	ck_assert_uint_gt(pt->rx.marks.ecn_changed, 0);
	ck_assert_uint_gt(pt->rx.marks.dscp_changed, 0);
}
END_TEST

START_TEST(kept_marks_are_no_change)
{
	measure(_i & 1, 10, (enum pace_ecn)(_i >> 1), 1);
	counts_are_the_networks();
	ck_assert_uint_eq(pt->rx.marks.ecn_changed + pt->rx.marks.dscp_changed, 0);
	ck_assert_uint_eq(pt->rx.marks.ecn[_i >> 1], FRAMES);
}
END_TEST

START_TEST(bleached_streams_show_what_arrived)
{
	it.bleach = 1;
	measure(_i, 46, PACE_ECN_NOT_ECT, 1);
	counts_are_the_networks();
	ck_assert_uint_eq(pt->rx.marks.dscp, 0);
	ck_assert_uint_eq(pt->rx.marks.dscp_changed, FRAMES);
}
END_TEST

/* A network must not mark frames that are not capable of it. */
START_TEST(marked_though_not_capable_is_a_change)
{
	it.ce = 4;
	measure(_i, 0, PACE_ECN_NOT_ECT, 1);
	counts_are_the_networks();
	ck_assert_uint_eq(pt->rx.marks.ecn_changed, FRAMES / 4);
	ck_assert_uint_eq(pt->rx.marks.ecn[PACE_ECN_CE], FRAMES / 4);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("marks");

	unit_seed(tc);
	sim_sums(tc, "marks");
	tcase_add_loop_test(tc, a_mark_ends_with_its_stream, 0, 2);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, every_changed_mark_is_counted, 0, 4);
	tcase_add_loop_test(tc, kept_marks_are_no_change, 0, 2 * PACE_ECNS);
	tcase_add_loop_test(tc, bleached_streams_show_what_arrived, 0, 2);
	tcase_add_loop_test(tc, marked_though_not_capable_is_a_change, 0, 2);
	return unit_run(tc, "marks");
}
