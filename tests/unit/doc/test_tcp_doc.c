/* tcp_doc.h: what a responder says goes round, contradictions are refused, and the figures of a
 * direction are those of its ends. */
#include "doc/tcp_doc.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/mutate.h"
#include "lib/unit.h"

#define SEC	INT64_C(1000000000)
#define STREAMS	2

static struct pace_tcp_params ask;
static struct pace_tcp_end up[STREAMS], down[STREAMS];
static struct pace_tcp_row rows[2 * STREAMS][2];
static struct pace_tcp_side side, got;
static struct pace_counters none, counters;

static void
fill(struct pace_tcp_end *e, struct pace_tcp_row *row, uint64_t bytes, bool sends)
{
	*e = (struct pace_tcp_end){ .connected = true, .complete = true, .bytes = bytes,
	    .written = sends ? bytes : 0, .first_ns = 1000, .last_ns = SEC + 1000, .sndbuf_bytes = 7,
	    .rcvbuf_bytes = 8, .congestion = "reno", .rows = 2, .row = row,
	    .info = { .retransmits = 5, .retransmitted_bytes = 7240, .segments_out = 100,
	    .mss_bytes = 1448, .cwnd_segments = 10, .rtt_ns = 3000, .rtt_min_ns = 2000,
	    .busy_ns = SEC / 2, .window_limited_ns = SEC / 4, .buffer_limited_ns = 1 } };
	row[0] = (struct pace_tcp_row){ SEC / 2, bytes / 2, e->info };
	row[1] = (struct pace_tcp_row){ SEC, bytes, e->info };
}

static void
setup(void)
{
	ask = (struct pace_tcp_params){ .streams = STREAMS, .up = true, .down = true,
	    .duration_ns = SEC, .write_bytes = 1000, .interval_ns = SEC / 2 };
	for (int i = 0; i < STREAMS; i++) {
		fill(&up[i], rows[i], 125000000, false);
		fill(&down[i], rows[STREAMS + i], 250000000, true);
	}
	side = (struct pace_tcp_side){ .interval_ns = SEC / 2, .duration_ns = SEC + 2000,
	    .cpu_ns = SEC / 5, .end = { up, down } };
}

static int
read_side(const json_t *j)
{
	int rc = pace_tcp_side_from_json(&got, &ask, &counters, j);

	if (rc < 0)
		pace_tcp_side_free(&got, STREAMS);
	return rc;
}

static int
round_trip(void)
{
	json_t *j = pace_tcp_side_to_json(&side, &ask, &none);
	int rc = read_side(j);

	json_decref(j);
	return rc;
}

START_TEST(what_is_said_is_read)
{
	ck_assert_int_eq(round_trip(), 0);
	ck_assert(got.interval_ns == SEC / 2 && got.duration_ns == SEC + 2000 && got.cpu_ns == SEC / 5);
	for (int i = 0; i < STREAMS; i++) {
		const struct pace_tcp_end *e = &got.end[1][i];

		ck_assert(e->connected && e->complete && e->bytes == 250000000 && e->written == e->bytes);
		ck_assert(e->first_ns == 1000 && e->last_ns == SEC + 1000 && e->rows == 2);
		ck_assert(e->sndbuf_bytes == 7 && e->rcvbuf_bytes == 8);
		ck_assert_str_eq(e->congestion, "reno");
		ck_assert_int_eq(memcmp(&e->info, &down[i].info, sizeof(e->info)), 0);
		ck_assert_int_eq(memcmp(e->row, rows[STREAMS + i], sizeof(rows[0])), 0);
		ck_assert(got.end[0][i].bytes == 125000000 && got.end[0][i].written == 0);
	}
	pace_tcp_side_free(&got, STREAMS);
}
END_TEST

static void
refuses(void)
{
	ck_assert_int_eq(round_trip(), -EPROTO);
	setup();
	ck_assert_int_eq(round_trip(), 0);
	pace_tcp_side_free(&got, STREAMS);
}

START_TEST(contradictions_are_refused)
{
	down[1].bytes = down[1].written + 1;	/* more was acknowledged than written */
	refuses();
	up[0].written = 1;			/* a receiver wrote */
	refuses();
	up[0].last_ns = up[0].first_ns - 1;
	refuses();
	up[0].row[1].bytes = up[0].bytes + 1;
	refuses();
	up[0].row[0].bytes = up[0].row[1].bytes + 1;	/* a count goes back */
	refuses();
	up[0].row[0].at_ns = up[0].row[1].at_ns + 1;
	refuses();
	up[1].failed = ECONNRESET;		/* and complete */
	refuses();
}
END_TEST

/* Nothing that is changed may crash, and what is taken holds. */
START_TEST(every_broken_member_is_survived)
{
	json_t *good = pace_tcp_side_to_json(&side, &ask, &none);
	int taken = 0, refused = 0;

	for (int kind = 0; kind < MUTATE_KINDS; kind++)
		for (int node = 1; ; node++) {
			char path[256];
			json_t *bad = mutate(good, node, kind, path);

			if (bad == NULL)
				break;
			if (read_side(bad) == 0) {
				taken++;
				pace_tcp_side_free(&got, STREAMS);
			} else {
				refused++;
			}
			json_decref(bad);
		}
	ck_assert_int_gt(refused, 5 * taken);
	json_decref(good);
}
END_TEST

START_TEST(another_number_of_streams_is_refused)
{
	json_t *j = pace_tcp_side_to_json(&side, &ask, &none);

	ask.streams = STREAMS + 1;
	ck_assert_int_eq(pace_tcp_side_from_json(&got, &ask, &counters, j), -EPROTO);
	pace_tcp_side_free(&got, STREAMS + 1);
	json_decref(j);
}
END_TEST

static struct pace_tcp_point *
point(void)
{
	struct pace_tcp_point *p = pace_tcp_point_new();

	p->ask = ask;
	p->ask.down = false;
	fill(&down[0], rows[2], 125000000, true);	/* what this host sent */
	fill(&down[1], rows[3], 125000000, true);
	side.end[0] = down;
	side.end[1] = NULL;
	ck_assert_int_eq(pace_tcp_side_copy(&p->ours, &side, STREAMS), 0);
	side.end[0] = up;
	ck_assert_int_eq(pace_tcp_side_copy(&p->theirs, &side, STREAMS), 0);
	p->has_theirs = true;
	return p;
}

START_TEST(a_direction_has_the_figures_of_its_ends)
{
	struct pace_tcp_point *p = point();
	const struct pace_tcp_sums *s = &p->way[0].sums;
	json_t *j;

	p->ours.end[0][1].info.rtt_min_ns = 1500;
	p->theirs.end[0][1].first_ns = 500;
	p->client.known = p->client.has_cpu = true;
	p->client.cores = 1;
	p->client.core = calloc(1, sizeof(*p->client.core));
	p->client.core->ns[PACE_CPU_SYSTEM] = 30;
	p->client.core->ns[PACE_CPU_SOFTIRQ] = 15;
	p->client.core->ns[PACE_CPU_IRQ] = 5;
	p->client.core->ns[PACE_CPU_USER] = 40;
	p->client.core->ns[PACE_CPU_IDLE] = 10;
	pace_tcp_close(p);
	ck_assert(p->way[0].known && s->received_bytes == 250000000 && s->duration_ns == SEC + 500);
	ck_assert_double_eq_tol(s->goodput_bps, 2e9 / (1 + 500e-9), 10);
	ck_assert(p->way[0].acknowledged_bytes == 250000000 && s->retransmits == 10 && s->dsack_duplicates == 0);
	ck_assert(s->retransmitted_bytes == 14480 && s->busy_ns == SEC && s->window_limited_ns == SEC / 2);
	ck_assert(s->buffer_limited_ns == 2 && s->rtt_ns == 3000 && s->rtt_min_ns == 1500);
	ck_assert_double_eq_tol(s->sender_cpu, 0.2, 0.001);
	ck_assert_double_eq_tol(s->sender_core, 0.5, 1e-9);
	ck_assert(isnan(s->receiver_core) && p->notes.n == 0);
	ck_assert_int_eq(p->way[0].limit, PACE_TCP_RECEIVE_WINDOW);
	j = pace_tcp_point_to_json(p);
	ck_assert_uint_eq(json_array_size(json_object_get(json_object_get(j, "up"), "streams")), STREAMS);
	ck_assert_ptr_null(json_object_get(j, "down"));
	json_decref(j);
	pace_tcp_point_free(p);
}
END_TEST

/* A responder cannot have read more than was sent, nor sent less than was read. */
START_TEST(what_was_not_written_cannot_arrive)
{
	struct pace_tcp_point *p = point();

	ck_assert(pace_tcp_agrees(p));
	p->theirs.end[0][1].bytes = p->ours.end[0][1].written + 1;
	ck_assert(!pace_tcp_agrees(p));
	p->theirs.end[0][1].bytes = 0;
	p->ask.down = true;
	ck_assert_int_eq(pace_tcp_side_room(&p->ours, true, STREAMS), 0);
	ck_assert_int_eq(pace_tcp_side_room(&p->theirs, true, STREAMS), 0);
	ck_assert(pace_tcp_agrees(p));
	p->ours.end[1][0].bytes = 1;
	ck_assert(!pace_tcp_agrees(p));
	p->theirs.end[1][0].written = 1;
	ck_assert(pace_tcp_agrees(p));
	pace_tcp_point_free(p);
}
END_TEST

START_TEST(a_failed_connection_is_noted)
{
	struct pace_tcp_point *p = point();

	p->ours.end[0][1].failed = ENOENT;
	pace_tcp_close(p);
	ck_assert_int_eq(p->notes.n, 1);
	ck_assert_str_eq(p->notes.v[0].code, "connections_failed");
	ck_assert_ptr_nonnull(strstr(p->notes.v[0].text, "1 of 2 connections failed at the client's"));
	pace_tcp_point_free(p);
}
END_TEST

START_TEST(without_the_receiver_there_is_no_goodput)
{
	struct pace_tcp_point *p = point();
	json_t *j, *way;

	pace_tcp_side_free(&p->theirs, STREAMS);
	p->has_theirs = false;
	pace_tcp_close(p);
	ck_assert(!p->way[0].known && p->way[0].limit == PACE_TCP_UNKNOWN);
	j = pace_tcp_point_to_json(p);
	way = json_object_get(j, "up");
	ck_assert(json_is_null(json_object_get(way, "goodput_bps")));
	ck_assert(json_is_null(json_object_get(json_array_get(json_object_get(way, "streams"), 0),
	    "receiver")));
	json_decref(j);
	pace_tcp_point_free(p);
}
END_TEST

/* A point whose parts all have figures. */
static json_t *
written(void)
{
	struct pace_tcp_point *p = point();
	json_t *j;

	strcpy(p->started, "2026-11-27T10:00:00.000000Z");
	p->client.known = p->client.has_cpu = true;
	p->client.cores = 1;
	p->client.core = calloc(1, sizeof(*p->client.core));
	p->client.core->ns[PACE_CPU_SYSTEM] = 30;
	p->client.core->ns[PACE_CPU_IDLE] = 70;
	p->theirs.end[0][1].failed = ECONNRESET;
	p->theirs.end[0][1].complete = false;
	pace_tcp_close(p);
	j = pace_tcp_point_to_json(p);
	pace_tcp_point_free(p);
	return j;
}

START_TEST(a_point_that_is_written_is_read)
{
	json_t *j = written(), *again;
	struct pace_tcp_point *p = pace_tcp_point_new();

	ck_assert_int_eq(pace_tcp_point_from_json(p, j), 0);
	ck_assert(p->has_theirs && p->way[0].known && p->ours.end[1] == NULL && p->notes.n == 1);
	ck_assert(p->theirs.end[0][1].failed == ECONNRESET && isnan(p->way[0].sums.receiver_core));
	ck_assert_int_eq(p->ours.end[0][1].rows, 2);
	again = pace_tcp_point_to_json(p);
	ck_assert(json_equal(j, again));
	json_decref(again);
	json_decref(j);
	pace_tcp_point_free(p);
}
END_TEST

START_TEST(every_broken_point_is_survived)
{
	json_t *good = written();
	int taken = 0, refused = 0;

	for (int kind = 0; kind < MUTATE_KINDS; kind++)
		for (int node = 1; ; node++) {
			char path[256];
			json_t *bad = mutate(good, node, kind, path);
			struct pace_tcp_point *p = pace_tcp_point_new();

			if (bad == NULL) {
				pace_tcp_point_free(p);
				break;
			}
			if (pace_tcp_point_from_json(p, bad) == 0)
				taken++;
			else
				refused++;
			pace_tcp_point_free(p);
			json_decref(bad);
		}
	ck_assert_int_gt(refused, 2 * taken);
	json_decref(good);
}
END_TEST

/* Sentences about a limit have figures of both ends. */
START_TEST(a_limit_without_both_ends_is_refused)
{
	for (int i = 0; i < 2; i++) {
		json_t *j = written(), *list = json_object_get(json_object_get(j, "up"), "streams");
		struct pace_tcp_point *p = pace_tcp_point_new();

		for (size_t k = 0; k < STREAMS; k++)
			json_object_set_new(json_array_get(list, k), i == 0 ? "sender" : "receiver",
			    json_null());
		ck_assert_int_eq(pace_tcp_point_from_json(p, j), -EPROTO);
		pace_tcp_point_free(p);
		p = pace_tcp_point_new();
		json_object_set_new(json_object_get(j, "up"), "limit", json_string("unknown"));
		ck_assert_int_eq(pace_tcp_point_from_json(p, j), 0);
		json_decref(j);
		pace_tcp_point_free(p);
	}
}
END_TEST

START_TEST(an_end_that_is_missing_is_missing_of_all)
{
	json_t *j = written(), *one = json_array_get(json_object_get(json_object_get(j, "up"),
	    "streams"), 1);
	struct pace_tcp_point *p = pace_tcp_point_new();

	json_object_set_new(one, "receiver", json_null());
	ck_assert_int_eq(pace_tcp_point_from_json(p, j), -EPROTO);
	json_decref(j);
	pace_tcp_point_free(p);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("tcp_doc");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, what_is_said_is_read);
	tcase_add_test(tc, contradictions_are_refused);
	tcase_add_test(tc, every_broken_member_is_survived);
	tcase_add_test(tc, another_number_of_streams_is_refused);
	tcase_add_test(tc, a_direction_has_the_figures_of_its_ends);
	tcase_add_test(tc, what_was_not_written_cannot_arrive);
	tcase_add_test(tc, a_failed_connection_is_noted);
	tcase_add_test(tc, without_the_receiver_there_is_no_goodput);
	tcase_add_test(tc, a_point_that_is_written_is_read);
	tcase_add_test(tc, every_broken_point_is_survived);
	tcase_add_test(tc, a_limit_without_both_ends_is_refused);
	tcase_add_test(tc, an_end_that_is_missing_is_missing_of_all);
	return unit_run(tc, "tcp_doc");
}
