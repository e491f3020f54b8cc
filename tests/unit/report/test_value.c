/* value.h: each number of a stream is the one that its name says. */
#include "report/value.h"

#include <math.h>
#include <string.h>

#include "doc/intervals.h"
#include "lib/unit.h"

static struct pace_stream_point l;
static struct pace_core_use core[3];

static void
setup(void)
{
	memset(&l, 0, sizeof(l));
	memset(core, 0, sizeof(core));
	l.has_rx = true;
	l.tx.frames = 1000;
	l.tx.duration_ns = 1000000000;
	l.tx.user_rate_bps = 1e6;
	l.tx.wire_rate_bps = 2e6;
	l.rx.unique = 900;
	l.rx.lost = 100;
	l.rx.reordered = 7;
	l.rx.user_rate_bps = 3e6;
	l.rx.wire_rate_bps = 4e6;
	l.ledger.place[PACE_NETWORK] = (struct pace_share){ true, 40, 30, 60 };
}

static void
is(enum pace_value v, double wanted)
{
	ck_assert_double_eq(pace_value(&l, v), wanted);
}

static void
is_not_known(enum pace_value v)
{
	ck_assert(isnan(pace_value(&l, v)));
}

START_TEST(received_is_not_sent)
{
	is(PACE_SENT_USER, 1e6);
	is(PACE_SENT_WIRE, 2e6);
	is(PACE_RECEIVED_USER, 3e6);
	is(PACE_RECEIVED_WIRE, 4e6);
	is(PACE_REORDERED, 7);
}
END_TEST

START_TEST(losses_are_of_the_frames_sent)
{
	is(PACE_LOSS, 0.1);
	is(PACE_LOST_NETWORK, 4);
	is(PACE_LOST_NETWORK_LOW, 3);
	is(PACE_LOST_NETWORK_HIGH, 6);
	is(PACE_LOST_HOSTS, 6);
	is(PACE_LOST_HOSTS_LOW, 4);
	is(PACE_LOST_HOSTS_HIGH, 7);
	l.tx.frames = 0;
	is_not_known(PACE_LOSS);
}
END_TEST

START_TEST(a_rate_is_0_only_if_nothing_arrived)
{
	l.rx.user_rate_bps = 0;		/* of a single frame there is none */
	is_not_known(PACE_RECEIVED_USER);
	l.rx.unique = 0;
	is(PACE_RECEIVED_USER, 0);
	l.has_rx = false;
	is_not_known(PACE_RECEIVED_USER);
	is_not_known(PACE_LOSS);
	is_not_known(PACE_REORDERED);
	l.tx.user_rate_bps = 0;
	is_not_known(PACE_SENT_USER);
}
END_TEST

START_TEST(core_time_is_that_of_the_busiest_core)
{
	struct pace_run r = { .point = &l, .n = 1 };

	is_not_known(PACE_RX_BUSY);
	ck_assert(!pace_value_has_cores(&r));
	core[0].ns[PACE_CPU_IDLE] = 100;
	core[1].ns[PACE_CPU_SOFTIRQ] = 20;
	core[1].ns[PACE_CPU_IRQ] = 10;
	core[1].ns[PACE_CPU_SYSTEM] = 15;
	core[1].ns[PACE_CPU_USER] = 4;
	core[1].ns[PACE_CPU_NICE] = 1;
	core[1].ns[PACE_CPU_IOWAIT] = 50;
	core[2].ns[PACE_CPU_USER] = 49;
	core[2].ns[PACE_CPU_IDLE] = 51;
	l.receiver = (struct pace_counters){ .known = true, .has_cpu = true, .cores = 3,
	    .core = core, .at_ns = 100 };
	l.tx.duration_ns = 80;		/* and 20 of waiting for late frames */
	is(PACE_RX_SOFTIRQ, 37.5);
	is(PACE_RX_SYSTEM, 18.75);
	is(PACE_RX_USER, 6.25);
	is(PACE_RX_BUSY, 62.5);
	l.tx.duration_ns = 40;		/* busy without the stream, too */
	is(PACE_RX_BUSY, 100);
	is(PACE_RX_SOFTIRQ, 60);
	for (enum pace_value v = PACE_TX_SOFTIRQ; v <= PACE_TX_BUSY; v++)
		is_not_known(v);
	ck_assert(pace_value_has_cores(&r));
	l.tx.duration_ns = 9;		/* nearly all of it was waiting */
	is_not_known(PACE_RX_BUSY);
	ck_assert(!pace_value_has_cores(&r));
}
END_TEST

START_TEST(counters_are_per_second_of_whose_they_are)
{
	struct pace_if_use face[2] = { { .route = true }, { .route = false } };
	struct pace_if_stat stat[2] = { { .name = "rx_pause", .n = 8 }, { .name = "rx", .n = 5 } };
	struct pace_run r = { .point = &l, .n = 1 };

	for (int i = 0; i < 2; i++) {
		face[i].n[PACE_IF_RX_DROPPED] = 1;
		face[i].n[PACE_IF_RX_FIFO] = 2;
		face[i].n[PACE_IF_RX_ERRORS] = 3;
	}
	l.receiver = (struct pace_counters){ .known = true, .at_ns = 2000000000, .interfaces = 2,
	    .interface = face, .stats = 2, .stat = stat };
	l.receiver.has_core[PACE_CORE_SOFTNET_SQUEEZED] = true;
	l.receiver.all.n[PACE_CORE_SOFTNET_SQUEEZED] = 10;
	/* errors count a full ring again; the wait of a second is not the stream's */
	is(PACE_RX_NIC_DROPS, 4);
	is(PACE_RX_SQUEEZED, 10);
	is(PACE_PAUSES, 8);
	is_not_known(PACE_RX_INTERRUPTS);
	is_not_known(PACE_TX_INTERRUPTS);
	face[0].route = false;
	is_not_known(PACE_RX_NIC_DROPS);	/* no interface is the stream's */
	l.sender = l.receiver;
	is(PACE_PAUSES, 16);
	ck_assert_double_eq(pace_value_largest(&r, PACE_PAUSES), 16);
	ck_assert_double_eq(pace_value_largest(&r, PACE_TX_INTERRUPTS), 0);
	l.receiver.has_core[PACE_CORE_INTERRUPTS] = true;
	l.receiver.all.n[PACE_CORE_INTERRUPTS] = 300;
	is(PACE_RX_INTERRUPTS, 300);
	l.tx.duration_ns = 250000000;
	is(PACE_RX_INTERRUPTS, 1200);
	is(PACE_RX_SQUEEZED, 40);
	l.tx.duration_ns = 1000;
	is_not_known(PACE_RX_INTERRUPTS);
	is(PACE_RX_SQUEEZED, 1e7);
}
END_TEST

START_TEST(an_interval_without_arrivals_has_the_rate_0)
{
	struct pace_interval o = { .sent = 100 };

	ck_assert_double_eq(pace_value_interval_bps(&l, &o), 0);
	o.rx.received = 1;			/* one frame has no rate */
	ck_assert_double_nan(pace_value_interval_bps(&l, &o));
	o.rx.received = 2;
	o.rx.user_rate_bps = 5e6;
	ck_assert_double_eq(pace_value_interval_bps(&l, &o), 5e6);
	l.has_rx = false;			/* nobody told what arrived */
	o.rx.received = 0;
	o.rx.user_rate_bps = 0;
	ck_assert_double_nan(pace_value_interval_bps(&l, &o));
	l.has_rx = true;
	o.sent = 0;
	ck_assert_double_nan(pace_value_interval_bps(&l, &o));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("value");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, received_is_not_sent);
	tcase_add_test(tc, losses_are_of_the_frames_sent);
	tcase_add_test(tc, a_rate_is_0_only_if_nothing_arrived);
	tcase_add_test(tc, core_time_is_that_of_the_busiest_core);
	tcase_add_test(tc, counters_are_per_second_of_whose_they_are);
	tcase_add_test(tc, an_interval_without_arrivals_has_the_rate_0);
	return unit_run(tc, "value");
}
