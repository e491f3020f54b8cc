/* group.h: which documents are one experiment; shell/report_group.sh has the documents. */
#include "report/group.h"

#include <string.h>

#include "lib/unit.h"

#define RUNS	3

static struct pace_stream_point point[RUNS];
static struct pace_run run[RUNS];
static struct pace_run *runs[RUNS];
static struct pace_report_data data;
static struct pace_groups g;

/* Three hosts that began together; the second lost most. */
static void
setup(void)
{
	static char name[RUNS][8] = { "x.json", "y.json", "z.json" };

	memset(point, 0, sizeof(point));
	memset(run, 0, sizeof(run));
	for (int i = 0; i < RUNS; i++) {
		struct pace_stream_point *p = &point[i];

		p->has_rx = true;
		p->begin.begin_ns = 1000;
		p->begin.members = 3;
		snprintf(p->begin.group, sizeof(p->begin.group), "incast");
		p->tx.frames = 1000;
		p->tx.wire_rate_bps = 1e9;
		p->rx.wire_rate_bps = 9e8;
		p->rx.lost = i == 1 ? 200 : 100;
		p->rx.unique = 1000 - p->rx.lost;
		run[i].n = 1;
		run[i].point = p;
		run[i].name = name[i];
		snprintf(run[i].head.r.started, sizeof(run[i].head.r.started),
		    "2026-11-29T08:00:00Z");
		snprintf(run[i].head.r.host, sizeof(run[i].head.r.host), "host%d", i);
		runs[i] = &run[i];
	}
	data = (struct pace_report_data){ .run = runs, .n = RUNS };
}

static void
teardown(void)
{
	pace_groups_free(&g);
}

START_TEST(hosts_that_began_together_are_one_group)
{
	ck_assert_int_eq(pace_groups_find(&g, &data), 0);
	ck_assert_uint_eq(g.n, 1);
	ck_assert_uint_eq(g.v->n, 3);
	ck_assert_uint_eq(g.v->answered, 3);
	ck_assert_uint_eq(g.v->sent, 3000);
	ck_assert_uint_eq(g.v->lost, 400);
	ck_assert_uint_eq(g.v->worst, 1);
	ck_assert(g.v->differ);
	ck_assert_double_eq(g.v->sent_bps, 3e9);
	ck_assert_double_eq(g.v->received_bps, 2.7e9);
	ck_assert_str_eq(g.v->member[1].name, "host1");
}
END_TEST

/* The same document given twice; hosts of the same name are two if they started apart. */
START_TEST(a_document_counts_once)
{
	memcpy(run[2].head.r.host, run[0].head.r.host, sizeof(run[0].head.r.host));
	if (_i == 1)
		run[2].head.r.started[0] = '1';
	ck_assert_int_eq(pace_groups_find(&g, &data), 0);
	ck_assert_uint_eq(g.v->n, 2 + (size_t)_i);
	if (_i == 1)
		ck_assert_str_eq(g.v->member[2].name, "z.json");
}
END_TEST

START_TEST(another_begin_or_name_is_another_group)
{
	point[1].begin.begin_ns += _i == 0;
	point[2].begin.begin_ns += 2 * (_i == 0);
	if (_i == 1)
		point[0].begin.group[0] = 'I';
	ck_assert_int_eq(pace_groups_find(&g, &data), 0);
	ck_assert_uint_eq(g.n, _i == 0 ? 0 : 1);
	if (_i == 1)
		ck_assert_uint_eq(g.v->n, 2);
}
END_TEST

START_TEST(a_member_without_an_answer_adds_nothing)
{
	const uint64_t lost = 400 - point[_i].rx.lost;

	point[_i].has_rx = false;
	ck_assert_int_eq(pace_groups_find(&g, &data), 0);
	ck_assert_uint_eq(g.v->n, 3);
	ck_assert_uint_eq(g.v->answered, 2);
	ck_assert_uint_eq(g.v->lost, lost);
	ck_assert(g.v->differ == (_i != 1));
	ck_assert_uint_ne(g.v->worst, (size_t)_i);
	ck_assert_uint_eq(g.v->stated, 3);
}
END_TEST

/* Each host lost 10 frames in its qdisc, 20 in its interface, 30 in the network, the others in the
 * responder's host. */
static void
locate(void)
{
	static const uint64_t before[] = { [PACE_TX_QDISC] = 10, [PACE_TX_NIC] = 20,
		[PACE_NETWORK] = 30 };

	for (int i = 0; i < RUNS; i++) {
		for (size_t k = 0; k < COUNT_OF(before); k++)
			point[i].ledger.place[k].n = point[i].ledger.place[k].low =
			    point[i].ledger.place[k].high = before[k];
		point[i].ledger.place[PACE_RX_SOCKET].n = point[i].rx.lost - 60;
		snprintf(run[i].head.r.target, sizeof(run[i].head.r.target), "store");
	}
}

static void
one_port(void)
{
	for (int i = 0; i < RUNS; i++) {
		run[i].head.r.has_responder = true;
		run[i].head.r.responder.fact[PACE_FACT_SPEED_MBPS] = 10000;
		run[i].head.r.responder.has[PACE_FACT_SPEED_MBPS] = true;
	}
}

static void
another_port(void)
{
	one_port();
	run[2].head.r.responder.fact[PACE_FACT_SPEED_MBPS] = 40000;
}

static void
not_surely(void)
{
	point[1].ledger.place[PACE_TX_NIC].low = 5;
	point[0].ledger.place[PACE_NETWORK].high = 45;
}

static void
two_answer(void)
{
	point[1].has_rx = false;
}

static void
none_answers(void)
{
	for (int i = 0; i < RUNS; i++)
		point[i].has_rx = false;
}

static void
nothing_lost(void)
{
	for (int i = 0; i < RUNS; i++) {
		memset(&point[i].ledger, 0, sizeof(point[i].ledger));
		point[i].rx.lost = 0;
		point[i].rx.wire_rate_bps = 1e9;
	}
}

static void
two_have_no_document(void)
{
	for (int i = 0; i < RUNS; i++)
		point[i].begin.members = i == 1 ? 5 : 3;
}

static const struct {
	void	(*change)(void);
	const char *words;
} said[] = {
	{ one_port, "3 senders into one port of store (10.0 Gbit/s): 2.70 Gbit/s of 3.00 Gbit/s sent "
	    "arrive, 6.00 % lost before the host, 7.33 % lost in the host, host1 loses most (20.0 %)" },
	{ another_port, "3 senders to store: 2.70 Gbit/s of 3.00 Gbit/s sent arrive, 6.00 % lost before "
	    "the host, 7.33 % lost in the host, host1 loses most (20.0 %)" },
	{ not_surely, "3 senders to store: 2.70 Gbit/s of 3.00 Gbit/s sent arrive, 6.00 % lost before the "
	    "host, 7.33 % lost in the host (before it: 5.50 % to 6.50 %), host1 loses most (20.0 %)" },
	{ two_answer, "3 senders to store: 1.80 Gbit/s of 2.00 Gbit/s sent arrive, 6.00 % lost before the "
	    "host, 4.00 % lost in the host; 1 without the receiver's counts" },
	{ none_answers, "3 senders to store: nothing is known of what arrived" },
	{ nothing_lost, "3 senders to store: 3.00 Gbit/s of 3.00 Gbit/s sent arrive, no frame is lost" },
	{ two_have_no_document, "3 senders to store: 2.70 Gbit/s of 3.00 Gbit/s sent arrive, 6.00 % lost "
	    "before the host, 7.33 % lost in the host, host1 loses most (20.0 %); 2 of 5 members have "
	    "no document here" },
};

START_TEST(the_sentence_tells_where_frames_were_lost)
{
	char text[300];

	locate();
	said[_i].change();
	ck_assert_int_eq(pace_groups_find(&g, &data), 0);
	ck_assert_str_eq(pace_group_say(g.v, text, sizeof(text)), said[_i].words);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("group");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, hosts_that_began_together_are_one_group);
	tcase_add_loop_test(tc, a_document_counts_once, 0, 2);
	tcase_add_loop_test(tc, another_begin_or_name_is_another_group, 0, 2);
	tcase_add_loop_test(tc, a_member_without_an_answer_adds_nothing, 0, RUNS);
	tcase_add_loop_test(tc, the_sentence_tells_where_frames_were_lost, 0, COUNT_OF(said));
	return unit_run(tc, "group");
}
