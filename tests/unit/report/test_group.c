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
	point[1].has_rx = false;
	ck_assert_int_eq(pace_groups_find(&g, &data), 0);
	ck_assert_uint_eq(g.v->n, 3);
	ck_assert_uint_eq(g.v->answered, 2);
	ck_assert_uint_eq(g.v->lost, 200);
	ck_assert(!g.v->differ);
	ck_assert_uint_eq(g.v->stated, 3);
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
	tcase_add_test(tc, a_member_without_an_answer_adds_nothing);
	return unit_run(tc, "group");
}
