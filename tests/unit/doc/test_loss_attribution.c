/* fate.h: from what two hosts counted to places, from places to a sentence. */
#include "doc/loss_attribution.h"

#include <check.h>
#include <errno.h>

#include "lib/fill.h"

static struct pace_point *p;
static struct pace_if_use here[2], there[2];
static char text[512];

static void
setup(void)
{
	p = pace_point_new();
	memset(here, 0, sizeof(here));
	memset(there, 0, sizeof(there));
	p->ask.size_bytes = 1472;
	p->has_rx = true;
	p->tx.frames = 1000;
	p->rx.unique = 900;
	p->rx.lost = 100;
	p->ours = (struct pace_counters){ .known = true, .interfaces = 2, .interface = here };
	p->theirs = (struct pace_counters){ .known = true, .interfaces = 2, .interface = there };
	here[1].route = there[1].route = true;
	/* all devices count, including other traffic */
	here[1].has_qdisc = true;
	here[1].n[PACE_IF_TX_FRAMES] = there[1].n[PACE_IF_RX_FRAMES] = 1100;
	p->theirs.has_core[PACE_CORE_SOFTNET_DROPPED] = true;
	for (int i = 0; i < 2; i++)
		p->theirs.has_snmp[0][i == 0 ? PACE_IP_IN_RECEIVES : PACE_IP_IN_DELIVERS] = true;
	p->theirs.snmp[0][PACE_IP_IN_RECEIVES] = p->theirs.snmp[0][PACE_IP_IN_DELIVERS] = 1100;
}

static void
teardown(void)
{
	p->ours.interface = p->theirs.interface = NULL;
	pace_point_free(p);
}

static const struct pace_share *
place(enum pace_place at)
{
	pace_loss_attribution_close(p);
	ck_assert_msg(pace_point_broken(p) == NULL || strstr(pace_point_broken(p), "delay") != NULL ||
	    strstr(pace_point_broken(p), "frames received") != NULL, "%s", pace_point_broken(p));
	return &p->ledger.place[at];
}

static void
says(const char *words)
{
	pace_loss_attribution_close(p);
	pace_loss_attribution_say(p, text, sizeof(text));
	ck_assert_msg(strstr(text, words) != NULL, "\"%s\" is not in \"%s\"", words, text);
}

START_TEST(nothing_lost_is_nothing_to_tell)
{
	p->rx.unique = 1000;
	p->rx.lost = 0;
	says("no frame was lost");
	p->has_rx = false;
	pace_loss_attribution_say(p, text, sizeof(text));
	ck_assert_str_eq(text, "nothing is known");
}
END_TEST

/* The dropped frames may have been duplicates. */
START_TEST(the_socket_has_no_more_than_it_dropped)
{
	p->rx.socket_lost_likely = p->rx.socket_lost_max = 98;
	p->rx.rcvbuf_asked = 16777216;
	p->rx.rcvbuf_granted = 212992;
	ck_assert_uint_eq(place(PACE_RX_SOCKET)->n, 98);
	ck_assert_uint_eq(place(PACE_RX_SOCKET)->low, 0);
	ck_assert_uint_eq(place(PACE_RX_SOCKET)->high, 98);
	ck_assert_uint_eq(place(PACE_NETWORK)->n, 2);
	ck_assert_uint_eq(place(PACE_NETWORK)->low, 2);
	ck_assert_uint_eq(place(PACE_NETWORK)->high, 100);
	pace_loss_attribution_say(p, text, sizeof(text));
	ck_assert_str_eq(text, "probably 98 of 100 lost frames died in the responder's socket buffer "
	    "(granted 208 KiB, about 184 frames): raise net.core.rmem_max there");
	p->rx.rcvbuf_granted = p->rx.rcvbuf_asked;
	says("ask for more with --rcvbuf");
}
END_TEST

START_TEST(a_socket_that_dropped_nothing_is_exact)
{
	ck_assert_uint_eq(place(PACE_RX_SOCKET)->high, 0);
	ck_assert_uint_eq(place(PACE_NETWORK)->low, 100);
	says("all 100 lost frames died in the network");
}
END_TEST

START_TEST(a_wrong_checksum_is_none_of_the_buffers)
{
	p->rx.socket_lost_likely = p->rx.socket_lost_max = 60;
	p->rx.socket_drops = 90;
	p->rx.bad_checksums = 30;
	ck_assert_uint_eq(place(PACE_RX_CHECKSUM)->n, 30);
	ck_assert_uint_eq(place(PACE_RX_SOCKET)->n, 30);
	ck_assert_uint_eq(place(PACE_RX_SOCKET)->high, 60);
	p->rx.bad_checksums = 1000;			/* of other sockets, too */
	ck_assert_uint_eq(place(PACE_RX_CHECKSUM)->high, 90);
}
END_TEST

static const struct { enum pace_place at; const char *words; } places[] = {
	{ PACE_RX_NIC, "up to 70 of 100 lost frames died in the responder's NIC or its driver" },
	{ PACE_RX_SOFTNET, "up to 70 of 100 lost frames died in the responder's softnet backlog" },
	{ PACE_RX_IP, "up to 70 of 100 lost frames died in the responder's IP layer" },
	{ PACE_RX_INGRESS, "up to 70 of 100 lost frames died in the responder's host between" },
	{ PACE_TX_QDISC, "up to 70 of 100 lost frames died in this host's queue discipline" },
	{ PACE_TX_NIC, "up to 70 of 100 lost frames died in this host's NIC: was its link down?" },
	{ PACE_RX_LATE, "up to 70 of 100 lost frames died in the responder's window" },
};

static void
count_at(enum pace_place at, uint64_t n)
{
	if (at == PACE_RX_NIC)
		there[1].n[PACE_IF_RX_DROPPED] = n;
	if (at == PACE_RX_SOFTNET)
		p->theirs.all.n[PACE_CORE_SOFTNET_DROPPED] = n;
	if (at == PACE_RX_IP)
		p->theirs.snmp[0][PACE_IP_IN_DELIVERS] = 1100 - n;
	if (at == PACE_RX_INGRESS) {
		p->theirs.snmp[0][PACE_IP_IN_RECEIVES] = 1100 - n;
		p->theirs.snmp[0][PACE_IP_IN_DELIVERS] = 1100 - n;
	}
	if (at == PACE_TX_QDISC)
		here[1].qdisc_drops = n;
	if (at == PACE_TX_NIC)
		here[1].n[PACE_IF_TX_DROPPED] = n;
	if (at == PACE_RX_LATE)
		p->rx.beyond_window = n;
}

START_TEST(a_counter_of_a_host_is_a_bound)
{
	count_at(places[_i].at, 70);
	ck_assert_uint_eq(place(places[_i].at)->n, 70);
	ck_assert_uint_eq(place(places[_i].at)->low, 0);
	ck_assert_uint_eq(place(PACE_NETWORK)->low, 30);
	ck_assert_uint_eq(place(PACE_NETWORK)->high, 100);
	says(places[_i].words);
	count_at(places[_i].at, 30);
	says("at least 70 of 100 lost frames died in the network");
	count_at(places[_i].at, 500);
	ck_assert_uint_eq(place(places[_i].at)->n, 100);
	says("up to 100 of 100 lost frames died in");
}
END_TEST

/* Kernels count a piece of 44 frames of 1472 bytes as one. */
START_TEST(pieces_of_trains_are_counted_as_one)
{
	p->ask.train = 1000;
	p->tx.engine = PACE_ENGINE_SEGMENT;
	there[1].n[PACE_IF_RX_DROPPED] = 2;
	ck_assert_uint_eq(place(PACE_RX_NIC)->n, 88);
	p->ask.train = 10;
	ck_assert_uint_eq(place(PACE_RX_NIC)->n, 88);	/* put together again there, across trains */
	there[1].n[PACE_IF_RX_DROPPED] = 0;
	here[1].n[PACE_IF_TX_DROPPED] = 2;
	ck_assert_uint_eq(place(PACE_TX_NIC)->n, 20);
	p->tx.engine = PACE_ENGINE_SENDMMSG;
	ck_assert_uint_eq(place(PACE_TX_NIC)->n, 2);
	p->ask.train = 1;
	there[1].n[PACE_IF_RX_DROPPED] = 2;
	ck_assert_uint_eq(place(PACE_RX_NIC)->n, 2);
}
END_TEST

START_TEST(what_send_told_the_queue_did_not_hide)
{
	p->tx.refused = 50;
	p->tx.refusals[0] = (struct pace_refusal){ EAGAIN, 10 };
	p->tx.refusals[1] = (struct pace_refusal){ ENOBUFS, 40 };
	here[1].qdisc_drops = 45;
	ck_assert_uint_eq(place(PACE_TX_QDISC)->n, 5);
	ck_assert_uint_eq(place(PACE_TX_QDISC)->high, 45);	/* a filter may have said it, uncounted */
	says("this host refused 50 of 1 050 frames (ENOBUFS): its queue was full");
	says("; about 95 of 100 lost frames died in the network");
	here[1].qdisc_drops = 0;			/* no queue: something else said no */
	says("no queue counted them");
	p->tx.qdisc_bypass = true;			/* its drops were of other frames */
	here[1].qdisc_drops = 45;
	ck_assert_uint_eq(place(PACE_TX_QDISC)->high, 0);
	ck_assert(place(PACE_TX_QDISC)->known);
	says("(ENOBUFS): the driver's ring was full");
}
END_TEST

/* Frames that this host's interface did not count never left, those that the other's
 * did not count never came. */
START_TEST(what_was_not_seen_was_not_there)
{
	here[1].n[PACE_IF_TX_FRAMES] = 920;
	there[1].n[PACE_IF_RX_FRAMES] = 920;
	ck_assert_uint_eq(place(PACE_TX_NIC)->low, 80);
	ck_assert_uint_eq(place(PACE_TX_NIC)->n, 80);
	ck_assert_uint_eq(place(PACE_NETWORK)->high, 20);
	says("80 of 100 lost frames died in this host's NIC: was its link down?");
	/* a filter there dropped as many of others: it cannot have had ours */
	here[1].n[PACE_IF_TX_FRAMES] = 1100;
	p->theirs.snmp[0][PACE_IP_IN_DELIVERS] = 900;
	ck_assert_uint_eq(place(PACE_RX_IP)->n, 20);
	ck_assert_uint_eq(place(PACE_RX_IP)->high, 20);
	ck_assert_uint_eq(place(PACE_NETWORK)->low, 80);
	says("at least 80 of 100 lost frames died in the network");
	here[1].has_qdisc = false;		/* they may have died in the queue */
	ck_assert_uint_eq(place(PACE_TX_NIC)->low, 0);
	/* of trains pieces are counted: nothing follows */
	p->ask.train = 8;
	ck_assert_uint_eq(place(PACE_RX_IP)->high, 100);
}
END_TEST

START_TEST(a_host_that_does_not_count_claims_nothing)
{
	p->ours.known = p->theirs.known = false;
	for (int i = 0; i < PACE_NETWORK; i++)
		if (i != PACE_RX_SOCKET && i != PACE_RX_CHECKSUM && i != PACE_RX_LATE)
			ck_assert(!place((enum pace_place)i)->known);
	ck_assert_uint_eq(place(PACE_NETWORK)->low, 0);
	ck_assert_uint_eq(place(PACE_NETWORK)->n, 100);
	says("100 of 100 lost frames died in the network, or on a host that does not report");
}
END_TEST

/* Measured: shared by the kernel's slab classes. */
static const struct { uint32_t size, charge; } charges[] = {
	{ 64, 832 }, { 100, 832 }, { 200, 1280 }, { 500, 1280 }, { 1000, 2304 }, { 1472, 2304 },
	{ 4000, 8448 }, { 8972, 16640 },
};

START_TEST(a_buffer_holds_what_the_kernel_charges)
{
	/* the kernel doubles what it grants */
	ck_assert_uint_eq(pace_loss_attribution_holds(50 * charges[_i].charge, charges[_i].size), 100);
	ck_assert_uint_eq(pace_loss_attribution_holds(50 * charges[_i].charge - 1, charges[_i].size), 99);
}
END_TEST

START_TEST(one_frame_is_not_frames)
{
	p->rx.lost = 1;
	p->rx.unique = 999;
	says("1 of 1 lost frame died in the network");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("fate");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, nothing_lost_is_nothing_to_tell);
	tcase_add_test(tc, the_socket_has_no_more_than_it_dropped);
	tcase_add_test(tc, a_socket_that_dropped_nothing_is_exact);
	tcase_add_test(tc, a_wrong_checksum_is_none_of_the_buffers);
	tcase_add_loop_test(tc, a_counter_of_a_host_is_a_bound, 0, COUNT_OF(places));
	tcase_add_test(tc, pieces_of_trains_are_counted_as_one);
	tcase_add_test(tc, what_send_told_the_queue_did_not_hide);
	tcase_add_test(tc, what_was_not_seen_was_not_there);
	tcase_add_test(tc, a_host_that_does_not_count_claims_nothing);
	tcase_add_loop_test(tc, a_buffer_holds_what_the_kernel_charges, 0, COUNT_OF(charges));
	tcase_add_test(tc, one_frame_is_not_frames);
	return unit_run(tc, "fate");
}
