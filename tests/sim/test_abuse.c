/*
 * Floods, replays and squatters on the simulated network: who measures is not
 * harmed, who has proven nothing gets little, and a place can be had.
 */
#include "lib/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "core/schedule.h"
#include "server/session_run.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_err err;
static int64_t spacing_ns;

static void
new_client(void)
{
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	cl.rcvbuf_bytes = 1 << 20;
}

static void
setup(void)
{
	net = sim_new(unit_rnd());
	new_client();
	pt = pace_point_new();
	spacing_ns = 10000;
	memset(&err, 0, sizeof(err));
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_point_free(pt);
}

static int
measure(uint64_t count)
{
	int rc = cl.open ? 0 : pace_client_open(&cl, &err);

	pace_point_free(pt);
	pt = pace_point_new();
	pt->ask = (struct pace_params){ .size_bytes = 64, .spacing = pace_spacing_from_ns(spacing_ns),
	    .count = count, .train = 1, .bursts = 1, .grace_ns = 500000000 };
	return rc < 0 ? rc : pace_client_point(&cl, pt, &err);
}

static void
exact(uint64_t count)
{
	const char *broken = pace_point_broken(pt);

	ck_assert_msg(broken == NULL, "%s", broken);
	ck_assert(pt->has_rx);
	ck_assert_uint_eq(pt->tx.frames, count);
	ck_assert_uint_eq(pt->rx.unique, count);
	ck_assert_uint_eq(pt->rx.lost + pt->rx.duplicates + pt->rx.reordered, 0);
}

static struct pace_addr
spoofed(uint32_t i)
{
	return (struct pace_addr){ .family = 4, .port = (uint16_t)(1024 + i % 60000),
	    .ip = { 198, 18, (uint8_t)(i >> 8), (uint8_t)i } };
}

static int
hello(uint8_t buf[1024])
{
	struct pace_hdr h = { .type = PACE_HELLO, .seq = unit_rnd() };

	return pace_msg_put(buf, 1024, &h, json_object(), PACE_HELLO_SIZE);
}

/* A key that admits no client. */
static size_t
any_request(uint8_t buf[1024])
{
	struct pace_msg_open open = { .nonce = unit_rnd() };
	struct pace_msg_finish finish = { .sent = 1 };
	struct pace_msg_fetch fetch = { .offset = 0 };
	struct pace_hdr h = { .seq = unit_rnd(), .session = unit_rnd(), .run = 1 };

	switch (unit_between(0, 4)) {
	case 0:
		return (size_t)hello(buf);
	case 1:
		h.type = PACE_OPEN;
		for (size_t i = 0; i < sizeof(open.cookie); i++)
			open.cookie[i] = (uint8_t)unit_rnd();
		return (size_t)pace_msg_put(buf, 1024, &h, pace_msg_open_json(&open), 160);
	case 2:
		h.type = PACE_FINISH;
		return (size_t)pace_msg_put(buf, 1024, &h, pace_msg_finish_json(&finish), 160);
	case 3:
		h.type = PACE_FETCH;
		return (size_t)pace_msg_put(buf, 1024, &h, pace_msg_fetch_json(&fetch), 160);
	default:
		h.type = PACE_DATA;
		return (size_t)pace_hdr_encode(buf, 64, &h);
	}
}

/* --- floods ---------------------------------------------------------------------- */

static uint64_t flooded;

/* Two foreign datagrams for every frame of the client: from 10,000 addresses, and from one. */
static enum sim_fate
flood(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_addr from;
	uint8_t other[1024];

	(void)ctx;
	(void)len;
	(void)delay_ns;
	if (way != SIM_TO_RESPONDER || buf[3] != PACE_DATA)
		return SIM_PASS;
	for (int i = 0; i < 2; i++) {
		from = spoofed(i == 0 ? (uint32_t)unit_between(0, 9999) : 65535);
		sim_inject(net, &from, other, any_request(other));
		flooded++;
	}
	return SIM_PASS;
}

START_TEST(ten_thousand_spoofed_sources_change_nothing)
{
	net->hook = flood;
	ck_assert_int_eq(measure(100000), 0);
	exact(100000);
	ck_assert_uint_gt(flooded, 100000);
	ck_assert_int_eq(sim_sessions(net), 1);
	ck_assert_uint_eq(net->responder.counts.opened, 1);
	ck_assert_uint_eq(net->worst_gain, 0);
	ck_assert_uint_lt(net->stranger_out, net->stranger_in);
	ck_assert_uint_gt(net->stranger_out, 0);
}
END_TEST

START_TEST(one_address_is_answered_at_its_rate)
{
	const uint64_t burst =
	    (uint64_t)pace_reply_limit_limits[PACE_REPLY_LIMIT_HELLO][PACE_PREFIX_HOST].burst;
	struct pace_addr from = spoofed(1);
	uint8_t buf[1024];
	uint64_t before = net->responder.counts.hellos;

	for (int i = 0; i < 100000; i++) {
		from.port++;
		sim_inject(net, &from, buf, (size_t)hello(buf));
		sim_pass(net, SEC / 10000);
	}
	ck_assert_uint_ge(net->responder.counts.hellos - before, 10 * burst);
	ck_assert_uint_le(net->responder.counts.hellos - before, 11 * burst);
	/* No other client waits for that. */
	ck_assert_int_eq(measure(100), 0);
	exact(100);
}
END_TEST

/* Before each HELLO of the client, 400 of another socket behind the same address. */
static enum sim_fate
neighbour(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_addr from = net->client.addr;
	uint8_t other[1024];

	(void)ctx;
	(void)len;
	(void)delay_ns;
	from.port++;
	for (int i = 0; way == SIM_TO_RESPONDER && buf[3] == PACE_HELLO && i < 400; i++)
		sim_inject(net, &from, other, (size_t)hello(other));
	return SIM_PASS;
}

START_TEST(a_neighbour_that_floods_keeps_nobody_out)
{
	net->hook = neighbour;
	ck_assert_int_eq(measure(100), 0);
	exact(100);
}
END_TEST

/* Requests in the client's own name, too short for an answer: they use up nothing. */
START_TEST(a_hello_that_is_never_answered_keeps_nobody_out)
{
	struct pace_hdr h = { .type = PACE_HELLO };
	uint8_t buf[PACE_HDR_SIZE];

	ck_assert_int_eq(pace_hdr_encode(buf, sizeof(buf), &h), PACE_HDR_SIZE);
	for (int i = 0; i < 1000; i++) {
		sim_inject(net, &net->client.addr, buf, sizeof(buf));
		if (i % 10 == 9)
			sim_pass(net, SEC / 10000);
	}
	ck_assert_uint_eq(net->responder.counts.limited, 0);
	ck_assert_uint_ge(net->responder.counts.junk, 1000);
	ck_assert_int_eq(measure(100), 0);
	exact(100);
}
END_TEST

/* --- what was seen on the wire, again ------------------------------------------ */

struct wire {
	uint8_t	buf[64][1024];
	size_t	len[64];
	int	n;
	bool	play;
	uint64_t played;
};

static enum sim_fate
listen(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct wire *w = ctx;

	(void)delay_ns;
	if (way != SIM_TO_RESPONDER || len > sizeof(w->buf[0]))
		return SIM_PASS;
	if (!w->play && buf[3] != PACE_DATA && buf[3] != PACE_PING && w->n < 64) {
		memcpy(w->buf[w->n], buf, len);
		w->len[w->n++] = len;
	} else if (w->play && buf[3] == PACE_DATA && buf[23] % 16 == 0) {
		int i = (int)(w->played++ % (uint64_t)w->n);

		sim_inject(net, &net->client.addr, w->buf[i], w->len[i]);
	}
	return SIM_PASS;
}

/* From its very address and port, while its cookie is still good. */
START_TEST(an_old_session_that_is_played_again_ends_no_new_one)
{
	static struct wire w;

	memset(&w, 0, sizeof(w));
	net->hook = listen;
	net->hook_ctx = &w;
	ck_assert_int_eq(measure(100), 0);
	exact(100);
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	ck_assert_int_eq(sim_sessions(net), 0);
	ck_assert_int_ge(w.n, 6);
	w.play = true;
	ck_assert_int_eq(measure(5000), 0);
	exact(5000);
	ck_assert_uint_gt(w.played, 300);
	ck_assert_int_eq(sim_sessions(net), 1);
	ck_assert_uint_gt(atomic_load(&net->responder.shared.strays), 100);
}
END_TEST

/* The first cookie was made by a process that has ended. */
static enum sim_fate
age(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int *times = ctx;

	(void)len;
	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_OPEN && *times > 0) {
		--*times;
		memset(net->responder.shared.cookies.secret, *times,
		    sizeof(net->responder.shared.cookies.secret));
	}
	return SIM_PASS;
}

START_TEST(a_cookie_that_got_old_is_asked_for_again)
{
	int times = 2;

	net->hook = age;
	net->hook_ctx = &times;
	ck_assert_int_eq(measure(100), 0);
	exact(100);
	ck_assert_uint_eq(net->responder.counts.cookies, 2);
}
END_TEST

/* --- places ------------------------------------------------------------------------ */

/* A client that does no more than prove its address. */
static void
squat(const struct pace_addr *from)
{
	struct pace_msg_open m = { .nonce = unit_rnd() };
	struct pace_hdr h = { .type = PACE_OPEN, .seq = 1 };
	uint8_t buf[1024];

	pace_cookie_make(&net->responder.shared.cookies, from, 0, net->now_ns, m.cookie);
	sim_inject(net, from, buf, (size_t)pace_msg_put(buf, sizeof(buf), &h,
	    pace_msg_open_json(&m), 160));
	sim_pass(net, SEC / 10);
}

static void
squat_all(void)
{
	for (uint32_t i = 0; i < SIM_SESSIONS; i++) {
		struct pace_addr from = spoofed(i % 8);

		from.port = (uint16_t)(5000 + i);
		squat(&from);
	}
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS);
}

/* Each session hears something of its own every 20 s. */
static void
stay(int64_t ns, bool in_line)
{
	struct pace_msg_fetch fetch = { .part = PACE_PART_HOST };
	struct pace_msg_start start = { .ask = { .size_bytes = 64, .train = 1, .bursts = 1,
	    .count = 1, .spacing = pace_spacing_from_ns(1000) }, .limit = 1, .wire_bytes = 84,
	    .at_most_ns = SEC };
	uint8_t buf[1024];

	for (; ns > 0; ns -= 20 * SEC) {
		for (int i = 0; i < SIM_SESSIONS; i++) {
			struct sim_end *e = &net->sessions[i];
			struct pace_hdr h = { .seq = 9 };
			int len;

			if (!e->used)
				continue;
			h.session = e->session->id;
			h.type = in_line ? PACE_START : PACE_FETCH;
			h.run = in_line ? (uint8_t)(e->session->run_number + 1) : 0;
			len = pace_msg_put(buf, sizeof(buf), &h, in_line ?
			    pace_msg_start_json(&start) : pace_msg_fetch_json(&fetch), 160);
			sim_inject(net, &e->addr, buf, (size_t)len);
		}
		sim_pass(net, ns < 20 * SEC ? ns : 20 * SEC);
	}
}

START_TEST(who_does_not_measure_makes_room_for_who_does)
{
	squat_all();
	stay(PACE_PLACE_UNUSED_NS + 5 * SEC, false);
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS);
	ck_assert_int_eq(measure(100), 0);
	exact(100);
	/* One for one, and no more. */
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS);
	ck_assert_uint_eq(net->responder.counts.refused, 0);
}
END_TEST

/* Round trips that are over are no measurement, even if their client asks for this and that. */
START_TEST(who_has_measured_makes_room)
{
	struct pace_latency *lat = pace_latency_new();
	struct pace_addr from = spoofed(0);

	ck_assert_ptr_nonnull(lat);
	net->poll_ns = 2000;
	lat->ask = (struct pace_latency_params){ .size_bytes = 64, .reply_bytes = 64, .count = 10,
	    .interval_ns = SEC / 1000, .timeout_ns = SEC };
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(pace_client_latency(&cl, lat, &err), 0);
	free(lat);
	for (int64_t ns = 0; ns < PACE_PLACE_UNUSED_NS + 5 * SEC; ns += 5 * SEC)
		stay(5 * SEC, false);
	for (uint32_t i = 1; i <= SIM_SESSIONS; i++) {
		from.ip[1] = (uint8_t)i;
		squat(&from);
	}
	squat(&from);			/* it asks again: the place is free by now */
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS);
	ck_assert_uint_eq(net->responder.counts.refused, 0);
}
END_TEST

/* Each of another network, and one of the comer's has as many already. */
START_TEST(a_fresh_session_is_not_sent_away)
{
	struct pace_addr from = spoofed(0);
	int64_t began;

	for (uint32_t i = 0; i < SIM_SESSIONS; i++) {
		from.ip[1] = (uint8_t)i;
		squat(&from);
	}
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS);
	stay(PACE_PLACE_UNUSED_NS / 2, false);
	began = net->now_ns;
	ck_assert_int_eq(measure(100), -EACCES);
	ck_assert_str_eq(err.step, "open");
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS);
	ck_assert_int_lt(net->now_ns - began, 5 * SEC);
}
END_TEST

/* Where there are keys: who has one finds a place, and is not sent away for who has none. */
START_TEST(who_has_a_key_has_a_place)
{
	char text[PACE_KEY_LINE_MAX];
	struct pace_keys ks;
	struct pace_key alice;

	pace_key_make(&alice, "alice");
	pace_key_line(&alice, text);
	ck_assert_int_eq(pace_keys_read(&ks, text, strlen(text), &err), 0);
	pace_auth_rekey(&net->responder.shared.auth, &ks);
	for (uint32_t i = 0; i < SIM_SESSIONS; i++) {
		struct pace_addr from = spoofed(i % 8);

		from.port = (uint16_t)(5000 + i);
		squat(&from);
	}
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS * 3 / 4);
	cl.key = &alice;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS * 3 / 4 + 1);
	for (int i = 0; i < 4; i++) {
		stay(20 * SEC, false);
		ck_assert_int_eq(pace_pinger_send(&cl.pinger, 64, 64), 0);
	}
	/* of no use for a minute is the one with the key alone */
	for (int i = 0; i < SIM_SESSIONS; i++)
		if (net->sessions[i].used && net->sessions[i].session->cfg.key[0] == '\0')
			net->sessions[i].session->used_ns = net->now_ns;
	for (uint16_t i = 0; i < 8; i++) {
		struct pace_addr from = spoofed(100);

		from.port = (uint16_t)(7000 + i);
		squat(&from);
	}
	sim_pass(net, SEC);
	ck_assert_int_eq(measure(100), 0);
	exact(100);
}
END_TEST

/* Opened and closed again from so many ports; of one host, or of one for each eight. */
static void
come_and_go(int n, bool of_others)
{
	for (int i = 0; i < n; i++) {
		sim_forget_limits(net);
		net->client.addr.port++;
		if (of_others && i % 8 == 0)
			net->client.addr.ip[3]++;
		ck_assert_int_eq(pace_client_open(&cl, &err), 0);
		pace_client_close(&cl);
	}
}

START_TEST(closed_sessions_of_one_host_leave_half_to_others)
{
	int64_t began = net->now_ns;

	come_and_go(SIM_SESSIONS / 2, false);
	ck_assert_int_lt(net->now_ns - began, SEC / 2);
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS / 2);
	come_and_go(1, false);			/* when the first of them has left */
	ck_assert_int_ge(net->now_ns - began, PACE_SESSION_LINGER_NS);
	ck_assert_int_le(net->now_ns - began, 2 * SEC);
	ck_assert_uint_eq(net->responder.counts.refused, 0);
}
END_TEST

START_TEST(a_closed_session_leaves_where_its_place_is_wanted)
{
	int64_t began;

	come_and_go(SIM_SESSIONS, true);
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS);
	began = net->now_ns;
	come_and_go(1, true);
	ck_assert_int_le(net->now_ns - began, SEC / 2);
	ck_assert_uint_eq(net->responder.counts.refused, 0);
}
END_TEST

START_TEST(closed_sessions_without_a_key_take_no_place_of_who_has_one)
{
	char text[PACE_KEY_LINE_MAX];
	struct pace_keys ks;
	struct pace_key alice;

	pace_key_make(&alice, "alice");
	pace_key_line(&alice, text);
	ck_assert_int_eq(pace_keys_read(&ks, text, strlen(text), &err), 0);
	pace_auth_rekey(&net->responder.shared.auth, &ks);
	come_and_go(SIM_SESSIONS * 3 / 4, true);
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS * 3 / 4);
	come_and_go(1, true);			/* one comes, one goes */
	ck_assert_int_le(sim_sessions(net), SIM_SESSIONS * 3 / 4);
	cl.key = &alice;
	come_and_go(1, true);
	ck_assert_uint_eq(net->responder.counts.refused, 0);
}
END_TEST

/* 90 s into the stream the others have left, and as many clients come as there are places. */
static enum sim_fate
crowd(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_msg_open m = { .nonce = 1 };
	struct pace_hdr h = { .type = PACE_OPEN, .seq = 1 };
	uint8_t other[1024];

	(void)ctx;
	(void)len;
	(void)delay_ns;
	for (uint32_t i = 0; way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && buf[22] == 9000 >> 8 &&
	    buf[23] == (9000 & 255) && i < SIM_SESSIONS; i++) {
		struct pace_addr from = spoofed(i % 8);

		from.port = (uint16_t)(5000 + i);
		pace_cookie_make(&net->responder.shared.cookies, &from, 0, net->now_ns, m.cookie);
		sim_inject(net, &from, other, (size_t)pace_msg_put(other, sizeof(other), &h,
		    pace_msg_open_json(&m), 160));
	}
	return SIM_PASS;
}

START_TEST(who_measures_is_not_sent_away)
{
	net->hook = crowd;
	spacing_ns = 10000000;
	ck_assert_int_eq(measure(10000), 0);
	exact(10000);
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS);
}
END_TEST

START_TEST(one_network_of_64_bits_gets_a_quarter_for_itself)
{
	struct pace_addr from = { .family = 6, .ip = { 0x20, 1, 0xd, 0xb8 } };

	for (int i = 0; i < SIM_SESSIONS; i++) {
		from.ip[8 + i % 8] ^= (uint8_t)(i + 1);
		from.port = (uint16_t)(1000 + i);
		squat(&from);
	}
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS / 4);
	from.ip[7] ^= 1;			/* the network beside it */
	squat(&from);
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS / 4 + 1);
	ck_assert_int_eq(measure(100), 0);
}
END_TEST

START_TEST(a_session_ends_after_a_day)
{
	struct pace_addr from = spoofed(1);

	squat(&from);
	stay(PACE_SESSION_LIFE_NS - 60 * SEC, false);
	ck_assert_int_eq(sim_sessions(net), 1);
	stay(120 * SEC, false);
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

/* The stream of somebody who never says FINISH. */
START_TEST(a_run_ends_after_three_days)
{
	struct pace_addr from = spoofed(1);
	struct pace_session *s = NULL;
	struct pace_hdr h = { .type = PACE_DATA, .run = 1 };
	uint8_t buf[64];

	squat(&from);
	for (int i = 0; i < SIM_SESSIONS; i++)
		if (net->sessions[i].used)
			s = net->sessions[i].session;
	ck_assert_ptr_nonnull(s);
	h.session = s->id;
	stay(SEC, true);			/* its START */
	ck_assert_int_eq(s->state, PACE_RUNNING);
	for (int64_t t = 0; t < PACE_SESSION_LIFE_NS + PACE_AT_MOST_NS - 60 * SEC; t += 20 * SEC) {
		pace_hdr_encode(buf, sizeof(buf), &h);
		sim_inject(net, &from, buf, sizeof(buf));
		sim_pass(net, 20 * SEC);
		ck_assert_int_eq(sim_sessions(net), 1);
	}
	for (int i = 0; i < 10; i++) {
		sim_inject(net, &from, buf, sizeof(buf));
		sim_pass(net, 20 * SEC);
	}
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

/* --- a responder that dies without a word ------------------------------------------ */

struct hole { int64_t from_ns, to_ns; };

/* Nothing passes either way for a while. */
static enum sim_fate
hole(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	const struct hole *h = ctx;

	(void)way;
	(void)buf;
	(void)len;
	(void)delay_ns;
	return net->now_ns >= h->from_ns && net->now_ns < h->to_ns ? SIM_DROP : SIM_PASS;
}

static const struct { int64_t stream_s, from_s, to_s; int rc; int64_t least_s, most_s; } holes[] = {
	{ 60, 10, 20, 0, 60, 63 },		/* a path that comes back is measured */
	{ 600, 10, 10000, -ETIMEDOUT, 22, 25 },	/* one that does not: 11 s, and FINISH */
	{ 20, 15, 10000, -ETIMEDOUT, 24, 26 },	/* FINISH waits 10 s from the last answer */
	{ 20, 11, 10000, -ETIMEDOUT, 21, 23 },	/* and 1.5 s at least */
};

START_TEST(silence_ends_a_run_when_it_cannot_end_well)
{
	int64_t began = net->now_ns;
	struct hole h = { began + holes[_i].from_s * SEC, began + holes[_i].to_s * SEC };

	net->hook = hole;
	net->hook_ctx = &h;
	spacing_ns = 10000000;
	ck_assert_int_eq(measure((uint64_t)holes[_i].stream_s * 100), holes[_i].rc);
	ck_assert_int_ge(net->now_ns - began, holes[_i].least_s * SEC);
	ck_assert_int_le(net->now_ns - began, holes[_i].most_s * SEC);
	ck_assert_int_eq(pt->has_rx, holes[_i].rc == 0);
	ck_assert_uint_gt(pt->tx.frames, 1000);
	if (holes[_i].rc == 0)
		ck_assert_uint_eq(pt->rx.lost, (uint64_t)(holes[_i].to_s - holes[_i].from_s) * 100);
}
END_TEST

/* The way back is out; or no PING is answered as long as frames are sent. */
static enum sim_fate
deaf(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	const struct hole *h = ctx;

	if (way == SIM_TO_RESPONDER || (h->to_ns == 0 && buf[3] != (PACE_PING | PACE_REPLY)))
		return SIM_PASS;
	return h->to_ns == 0 ? SIM_DROP : hole(ctx, way, buf, len, delay_ns);
}

/* Only this point has the note "cut short". */
static bool
was_cut_short(void)
{
	for (int i = 0; i < pt->notes.n; i++)
		if (strcmp(pt->notes.v[i].code, "cut_short") == 0)
			return true;
	return false;
}

START_TEST(a_stream_without_answers_has_its_result_all_the_same)
{
	int64_t began = net->now_ns;
	struct hole h = { began + 10 * SEC, _i == 0 ? began + 22 * SEC : 0 };

	spacing_ns = 10000000;
	ck_assert_int_eq(measure(100), 0);
	ck_assert(!pt->interrupted && !was_cut_short());
	net->hook = deaf;
	net->hook_ctx = &h;
	ck_assert_int_eq(measure(60000), 0);
	ck_assert(pt->has_rx && pt->interrupted && was_cut_short());
	ck_assert_uint_ge(pt->tx.frames, 1090);
	ck_assert_uint_le(pt->tx.frames, 2100);
	ck_assert_uint_eq(pt->rx.unique, pt->tx.frames);
	net->hook = NULL;
	ck_assert_int_eq(measure(100), 0);	/* and a sweep continues */
	ck_assert(!pt->interrupted && !was_cut_short());
	exact(100);
}
END_TEST

static int
fetch_request(uint8_t buf[1024], uint64_t session, enum pace_part part, uint8_t run)
{
	struct pace_msg_fetch fetch = { .part = part };
	struct pace_hdr h = { .type = PACE_FETCH, .seq = 99, .session = session, .run = run };

	return pace_msg_put(buf, 1024, &h, pace_msg_fetch_json(&fetch), 0);
}

/* --- turns --------------------------------------------------------------------------- */

static int
take_lease(struct pace_lease *l, uint64_t session, int64_t now_ns)
{
	struct pace_msg_error who;

	return sim_take_lease(l, session, &somebody, now_ns, SEC, "", &who);
}

START_TEST(the_lease_goes_to_who_waits_longest)
{
	static struct pace_lease l;
	struct pace_msg_error who;
	int64_t t = 1000 * SEC;

	pace_lease_init(&l);
	ck_assert_int_eq(take_lease(&l, 1, t), 0);
	ck_assert_int_eq(sim_take_lease(&l, 2, &somebody, t, 7 * SEC, "second", &who), -EBUSY);
	ck_assert_int_eq(take_lease(&l, 3, t), -EBUSY);
	pace_lease_release(&l, 1);
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(sim_take_lease(&l, 3, &somebody, t + 2 * SEC, SEC, "", &who), -EBUSY);
	ck_assert_str_eq(who.label, "second");
	ck_assert_int_eq(who.wait_ns, 7 * SEC);
	ck_assert_int_eq(take_lease(&l, 1, t + 2 * SEC), -EBUSY);
	ck_assert_int_eq(take_lease(&l, 2, t + 3 * SEC), 0);
	pace_lease_release(&l, 2);
	/* 3 does not ask any more */
	ck_assert_int_eq(take_lease(&l, 1, t + 2 * SEC + PACE_LEASE_ASK_NS), -EBUSY);
	ck_assert_int_eq(take_lease(&l, 1, t + 2 * SEC + PACE_LEASE_ASK_NS + 1), 0);
	ck_assert(!pace_lease_wanted(&l, t + 9 * SEC));
	/* a client without a session does not wait, and a full line does not stop others */
	ck_assert_int_eq(take_lease(&l, 4, t + 9 * SEC), -EBUSY);
	pace_lease_leave(&l, 4);
	ck_assert(!pace_lease_wanted(&l, t + 9 * SEC));
	for (uint64_t i = 0; i < 2 * PACE_LEASE_LINE; i++)
		ck_assert_int_eq(take_lease(&l, 100 + i, t + 9 * SEC), -EBUSY);
	pace_lease_release(&l, 1);
	ck_assert_int_eq(take_lease(&l, 100 + PACE_LEASE_LINE, t + 9 * SEC), -EBUSY);
	ck_assert_int_eq(take_lease(&l, 100, t + 9 * SEC), 0);
}
END_TEST

/* A host with many sessions, two with one, and each asks again when it is done: the two
 * wait for one turn of the many. */
START_TEST(many_sessions_of_a_host_are_no_more_than_one)
{
	static struct pace_lease l;
	static const uint8_t host[] = { 1, 1, 1, 1, 1, 2, 3 };
	struct pace_msg_error who;
	int turns[4] = { 0 }, last = 0, t;

	pace_lease_init(&l);
	for (t = 0; t < 300; t++) {
		int served = 0;

		for (int i = 0; i < (int)sizeof(host); i++) {
			struct pace_addr a = { .family = 6, .port = (uint16_t)i,
			    .ip = { 0x20, 1, [7] = host[i], [15] = (uint8_t)i } };

			if (sim_take_lease(&l, 1 + (uint64_t)i, &a, 1000 * SEC + t, 0, "", &who) == 0 &&
			    served == 0)
				served = 1 + i;
		}
		ck_assert_int_gt(served, 0);
		pace_lease_release(&l, (uint64_t)served);
		if (t > 10)
			ck_assert_int_ne(host[served - 1], last);
		last = host[served - 1];
		turns[last]++;
	}
	for (int i = 1; i <= 3; i++)
		ck_assert_int_ge(turns[i], 95);
}
END_TEST

START_TEST(a_turn_is_long_and_ends_when_somebody_waits)
{
	static struct pace_lease l;
	int64_t t = 1000 * SEC, s;

	pace_lease_init(&l);
	for (s = 0; s < 1000; s++)
		ck_assert_int_eq(take_lease(&l, 1, t + s * SEC), 0);	/* alone */
	t += s * SEC;
	ck_assert_int_eq(take_lease(&l, 2, t), -EBUSY);
	ck_assert_int_eq(take_lease(&l, 1, t), -EBUSY);
	ck_assert_int_eq(take_lease(&l, 2, t + SEC), 0);
	t += SEC;
	for (s = 0; s < PACE_LEASE_TURN_NS / SEC; s++) {
		ck_assert_int_eq(take_lease(&l, 1, t + s * SEC), -EBUSY);
		ck_assert_int_eq(take_lease(&l, 2, t + s * SEC), 0);
	}
	ck_assert_int_eq(take_lease(&l, 2, t + PACE_LEASE_TURN_NS), -EBUSY);
	ck_assert_int_eq(take_lease(&l, 1, t + PACE_LEASE_TURN_NS), 0);
}
END_TEST

/* Its turn is over: one was there before, and another one comes now. */
static void
rivals_come(void *ctx, const struct pace_msg_error *who)
{
	struct pace_lease *l = &net->responder.shared.lease;
	int *times = ctx;

	(void)who;
	if ((*times)++ > 0)
		return;
	ck_assert_int_eq(take_lease(l, 78, net->now_ns), -EBUSY);
	ck_assert_int_eq(take_lease(l, 77, net->now_ns), 0);
	pace_lease_release(l, 77);
	ck_assert_int_eq(take_lease(l, 78, net->now_ns), -EBUSY);	/* we are first now */
}

START_TEST(who_lets_another_in_keeps_its_place_in_line)
{
	struct pace_lease *l = &net->responder.shared.lease;
	int times = 0;

	ck_assert_int_eq(measure(100), 0);
	ck_assert_int_eq(take_lease(l, 77, net->now_ns), -EBUSY);
	l->since_ns = net->now_ns - PACE_LEASE_TURN_NS;
	cl.on_busy = rivals_come;
	cl.busy_ctx = &times;
	ck_assert_int_eq(measure(100), 0);
	exact(100);
	ck_assert_int_eq(times, 1);
	ck_assert(pace_lease_wanted(l, net->now_ns));
	pace_client_close(&cl);
	sim_pass(net, SEC / 10);
	ck_assert_int_eq(take_lease(l, 78, net->now_ns), 0);
	/* a client that has left does not delay others */
	ck_assert_int_eq(l->waiting, 0);
}
END_TEST

/* A waiting client that closes its session, or becomes silent, leaves the line. */
START_TEST(who_leaves_waits_no_longer)
{
	struct pace_lease *l = &net->responder.shared.lease;

	ck_assert_int_eq(take_lease(l, 77, net->now_ns), 0);
	cl.no_wait = true;
	ck_assert_int_eq(measure(100), -EBUSY);
	ck_assert_int_eq(l->waiting, 1);
	pace_client_close(&cl);
	sim_pass(net, SEC / 10);
	ck_assert_int_eq(l->waiting, 0);
	ck_assert_int_eq(measure(100), -EBUSY);
	ck_assert_int_eq(l->waiting, 1);
	sim_kill_responder(net);
	ck_assert_int_eq(l->waiting, 0);
}
END_TEST

/* Another client asks each second for a run, and says good-bye when it has had it. */
static struct { struct pace_addr from; int64_t began_ns, next_ns, got_ns; } rival;

static struct sim_end *
rivals_end(void)
{
	for (int i = 0; i < SIM_SESSIONS; i++)
		if (net->sessions[i].used && pace_addr_same(&net->sessions[i].addr, &rival.from))
			return &net->sessions[i];
	return NULL;
}

static enum sim_fate
compete(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_msg_start start = { .ask = { .size_bytes = 64, .train = 1, .bursts = 1,
	    .count = 1, .spacing = pace_spacing_from_ns(1000) }, .limit = 1, .wire_bytes = 84,
	    .at_most_ns = SEC };
	struct sim_end *e = rivals_end();
	struct pace_hdr h = { .type = PACE_START, .run = 1, .seq = (uint64_t)net->now_ns };
	uint8_t mine[1024];
	bool has;

	(void)ctx;
	(void)way;
	(void)buf;
	(void)len;
	(void)delay_ns;
	if (e == NULL || net->now_ns < rival.next_ns)
		return SIM_PASS;
	rival.next_ns = net->now_ns + SEC;
	h.session = e->session->id;
	has = e->session->state == PACE_RUNNING;
	if (has && rival.got_ns == 0)
		rival.got_ns = net->now_ns;
	/* one at a time, and its memory, and its word to those who watch */
	for (int i = 0; has && i < SIM_SESSIONS; i++)
		ck_assert(!net->sessions[i].used || &net->sessions[i] == e ||
		    (net->sessions[i].session->own.receiver == NULL &&
		    !net->sessions[i].session->seen.leased));
	h.type = has ? PACE_CLOSE : PACE_START;
	sim_inject(net, &rival.from, mine, (size_t)pace_msg_put(mine, sizeof(mine), &h, has ?
	    json_object() : pace_msg_start_json(&start), 160));
	return SIM_PASS;
}

/* A sweep of minutes lets another client measure between two points, and continues.  That is
 * true as well if it does not wait for others at its start, and if control frames are lost. */
START_TEST(a_sweep_lets_another_in)
{
	rival.from = spoofed(7);
	squat(&rival.from);
	rival.began_ns = rival.next_ns = net->now_ns;
	rival.got_ns = 0;
	cl.no_wait = _i == 1;
	if (_i == 2)
		net->control[0].loss = net->control[1].loss = 0.3;
	spacing_ns = 10000000;
	ck_assert_int_eq(measure(500), 0);
	exact(500);
	net->hook = compete;
	for (int i = 0; i < 24; i++) {		/* 5 s each */
		ck_assert_int_eq(measure(500), 0);
		exact(500);
		ck_assert(!pt->rx.lease_lost);
	}
	ck_assert_int_gt(rival.got_ns, 0);
	ck_assert_int_lt(rival.got_ns - rival.began_ns, PACE_LEASE_TURN_NS + 25 * SEC);
	ck_assert_int_gt(rival.got_ns - rival.began_ns, PACE_LEASE_TURN_NS - 10 * SEC);
}
END_TEST

static bool
lease_is_free(void)
{
	return pace_lease_left(&net->responder.shared.lease, net->now_ns) == 0;
}

/* The status of the only session, as a monitor gets it. */
static const struct pace_session_stats *
sessions_view(void)
{
	for (int i = 0; i < SIM_SESSIONS; i++)
		if (net->sessions[i].used)
			return &net->sessions[i].session->seen;
	ck_abort_msg("no session");
}

/* It answers, and does nothing with its result. */
START_TEST(exchanges_alone_keep_no_lease)
{
	ck_assert_int_eq(measure(100), 0);
	for (int i = 0; i < 13; i++) {
		ck_assert(i > 8 || !lease_is_free());
		ck_assert_int_eq(pace_pinger_send(&cl.pinger, 64, 64), 0);
		sim_pass(net, SEC);
	}
	ck_assert(lease_is_free());
	ck_assert(!sessions_view()->leased);
	ck_assert_int_eq(measure(100), 0);
	exact(100);
}
END_TEST

/* It never ends: one chunk a second.  Loop test: no client waits, or one does. */
START_TEST(a_fetch_without_end_keeps_others_no_longer_than_it_may_take)
{
	uint8_t buf[1024];
	int len;

	rival.from = spoofed(7);
	squat(&rival.from);
	rival.next_ns = net->now_ns;
	rival.got_ns = 0;
	ck_assert_int_eq(measure(100), 0);
	rival.began_ns = net->now_ns;
	net->hook = _i == 1 ? compete : NULL;
	len = fetch_request(buf, cl.session, PACE_PART_RESULT, cl.run);
	for (int i = 0; i < 20; i++) {
		sim_inject(net, &net->client.addr, buf, (size_t)len);
		sim_pass(net, SEC);
	}
	ck_assert_int_eq(rival.got_ns > 0, _i == 1);
	ck_assert_int_eq(lease_is_free(), _i == 1);
	if (_i == 1) {
		ck_assert_int_gt(rival.got_ns - rival.began_ns, 2 * SEC);
		ck_assert_int_lt(rival.got_ns - rival.began_ns, 6 * SEC);
	}
	/* what it fetches is there all the same */
	sim_discard(net);
	sim_inject(net, &net->client.addr, buf, (size_t)len);
	sim_pass(net, SEC / 2);
	ck_assert_int_eq(net->client.q.n, 1);
	ck_assert_uint_gt(net->client.q.first[0]->len, 1000);
}
END_TEST

/* --- what a client that has proven nothing but its address can have ------------------ */

#define WIRE	66			/* a datagram's bytes on the wire, but for its own */

static uint64_t wire[2], datagrams[2];

static enum sim_fate
count_wire(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx;
	(void)buf;
	(void)delay_ns;
	wire[way] += len + WIRE;
	datagrams[way]++;
	return SIM_PASS;
}

/* The first chunk of a result, as small as a request can be, 5000 times a second. */
START_TEST(a_result_is_no_endless_source)
{
	const uint64_t seconds = 20;
	uint8_t buf[1024];
	int len;

	memset(wire, 0, sizeof(wire));
	net->hook = count_wire;
	spacing_ns = 2000000;
	ck_assert_int_eq(measure(1000), 0);	/* more than one chunk of result */
	len = fetch_request(buf, cl.session, PACE_PART_RESULT, cl.run);
	for (uint64_t i = 0; i < seconds * 5000; i++) {
		sim_inject(net, &net->client.addr, buf, (size_t)len);
		wire[SIM_TO_RESPONDER] += (uint64_t)len + WIRE;
		sim_pass(net, SEC / 5000);
		sim_discard(net);
	}
	ck_assert_uint_le(wire[SIM_TO_CLIENT], wire[SIM_TO_RESPONDER] + PACE_CREDIT_POOL_DEPTH +
	    (seconds + 4) * PACE_CREDIT_POOL_PER_SECOND);
	ck_assert_uint_ge(wire[SIM_TO_CLIENT], wire[SIM_TO_RESPONDER] + PACE_CREDIT_POOL_DEPTH / 2 +
	    seconds * PACE_CREDIT_POOL_PER_SECOND / 2);
}
END_TEST

/* Until when this house has paid. */
static int64_t
paid(const struct pace_send_credit *p)
{
	return p->credit_pool->prefixes.paid_ns[0][p->from.columns[PACE_PREFIX_HOST] &
	    (PACE_RATE_SKETCH_COLUMNS - 1)];
}

START_TEST(more_than_a_portion_takes_nothing_from_the_allowance)
{
	struct pace_credit_pool *t = &net->responder.shared.credit_pool;
	struct pace_send_credit p;
	int64_t before;

	pace_send_credit_init(&p, t, &net->client.addr);
	before = paid(&p);
	ck_assert(!pace_send_credit_draw(&p, PACE_CREDIT_POOL_PORTION + 1, net->now_ns));
	ck_assert_int_eq(paid(&p), before);
	ck_assert(pace_send_credit_draw(&p, PACE_CREDIT_POOL_PORTION, net->now_ns));
	ck_assert_int_eq(p.drawn, 0);
}
END_TEST

/* A request without a reply is not charged: other clients of this network keep their allowance.
 * Loop test: replies that are too large by a byte, too small, and far too large. */
START_TEST(a_ping_without_an_answer_costs_nothing)
{
	static const uint16_t replies[] = { 65, PACE_PING_SIZE - 1, 60000 };
	struct pace_ping ping = { .reply_bytes = replies[_i] };
	struct pace_hdr h = { .type = PACE_PING };
	const struct pace_session *s = NULL;
	struct pace_send_credit before;
	uint8_t buf[64] = { 0 };
	int64_t until;

	ck_assert_int_eq(measure(10), 0);
	for (int i = 0; i < SIM_SESSIONS; i++)
		if (net->sessions[i].used)
			s = net->sessions[i].session;
	h.session = s->id;
	before = s->credit;
	until = paid(&s->credit);
	for (int i = 0; i < 100; i++) {
		h.seq = 1000000 + (uint64_t)i;
		ck_assert_int_gt(pace_ping_encode(buf, sizeof(buf), &h, &ping), 0);
		sim_inject(net, &net->client.addr, buf, sizeof(buf));
		sim_pass(net, 1000000);
	}
	ck_assert_int_eq(net->client.q.n, 0);
	ck_assert_int_eq(s->credit.drawn, before.drawn);
	ck_assert_double_gt(s->credit.earned, before.earned + 6400);
	ck_assert_int_eq(paid(&s->credit), until);
}
END_TEST

/* PINGs are small and no more than was sent, but work, and beside another's run.  Loop
 * test: of one session, and of all that one host can have. */
START_TEST(exchanges_outside_of_a_run_are_not_endless)
{
	const uint64_t seconds = 10, sessions = _i == 0 ? 1 : 16;
	const struct pace_ping p = { .reply_bytes = PACE_PING_SIZE };
	struct pace_hdr h = { .type = PACE_PING };
	struct pace_addr from = spoofed(1);
	uint8_t buf[96] = { 0 };

	for (uint64_t i = 0; i < sessions; i++) {
		from.port++;
		squat(&from);
	}
	ck_assert_int_eq(sim_sessions(net), (int)sessions);
	memset(datagrams, 0, sizeof(datagrams));
	net->hook = count_wire;
	for (uint64_t i = 0; i < seconds * 40000; i++) {
		const struct sim_end *e = &net->sessions[i % sessions];

		h.seq = i;
		h.session = e->session->id;
		ck_assert_int_gt(pace_ping_encode(buf, sizeof(buf), &h, &p), 0);
		sim_inject(net, &e->addr, buf, sizeof(buf));
		sim_pass(net, SEC / 40000);
	}
	ck_assert_uint_lt(datagrams[SIM_TO_CLIENT], 40000 + seconds * 12000);
	/* The least interval of udpace clock is 100 µs. */
	ck_assert_uint_gt(datagrams[SIM_TO_CLIENT], seconds * 10000);
	/* Another host has its own. */
	net->hook = NULL;
	ck_assert_int_eq(measure(100), 0);
	exact(100);
}
END_TEST

/* As many records as frames, 30 % of all control lost: how long the fetch takes, without
 * an allowance and with. */
static int64_t
fetches_records(bool stranger, bool bad)
{
	uint8_t *columns;
	int64_t began;

	sim_free(net);
	net = sim_new(77);
	new_client();
	net->responder.shared.max_records = 1000000;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	if (!stranger)
		pace_send_credit_init(&net->sessions[0].session->credit, NULL, &net->client.addr);
	pt->ask = (struct pace_params){ .size_bytes = 32, .spacing = pace_spacing_from_ns(5000),
	    .count = 200000, .train = 1, .bursts = 1, .grace_ns = 500000000,
	    .record.room = 1000000 };
	ck_assert_int_eq(pace_client_point(&cl, pt, &err), 0);
	ck_assert_uint_eq(pt->rx.records, 200000);
	if (bad)
		net->control[0].loss = net->control[1].loss = 0.3;
	began = net->now_ns;
	ck_assert_int_eq(pace_client_records(&cl, pt, &columns, &err), 0);
	free(columns);
	return net->now_ns - began;
}

START_TEST(records_are_fetched_as_fast_as_ever)
{
	int64_t free_ns = fetches_records(false, _i), ns = fetches_records(true, _i);

	ck_assert_int_eq(ns, free_ns);
}
END_TEST

/* --- one life after the other ------------------------------------------------------ */

/* The client opens sessions from one port as fast as it can, and proves its address each
 * time. */
START_TEST(lives_of_one_client_are_seconds_apart)
{
	int64_t began = net->now_ns;

	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq(pace_client_open(&cl, &err), 0);
		cl.open = false;
	}
	ck_assert_int_ge(net->now_ns - began, 4 * PACE_SESSION_LEAST_NS);
	ck_assert_int_lt(net->now_ns - began, 10 * PACE_SESSION_LEAST_NS);
	ck_assert_int_eq(sim_sessions(net), 1);
	ck_assert_int_eq(measure(100), 0);
	exact(100);
}
END_TEST

/* --- reports and counters ------------------------------------------------------------ */

static struct { uint64_t lines, all, keyed; } heard_of;

static void
hear(void *ctx, const struct pace_session_event *n)
{
	(void)ctx;
	heard_of.all++;
	heard_of.lines += !n->silent;
	heard_of.keyed += n->view != NULL && n->view->key[0] != '\0' && !n->silent;
}

/* Sessions that are opened and closed, from one address after the other. */
START_TEST(sessions_of_strangers_do_not_fill_a_log)
{
	const int lives = 400;
	struct pace_hdr h = { .type = PACE_CLOSE, .seq = 5 };
	int64_t began = net->now_ns;
	uint8_t buf[1024];
	uint64_t unlogged;

	memset(&heard_of, 0, sizeof(heard_of));
	net->responder.shared.observer.news = hear;
	for (uint32_t i = 0; i < (uint32_t)lives; i++) {
		struct pace_addr from = spoofed(i);

		squat(&from);
		for (int k = 0; k < SIM_SESSIONS; k++) {
			if (!net->sessions[k].used || !pace_addr_same(&net->sessions[k].addr, &from))
				continue;
			h.session = net->sessions[k].session->id;
			sim_inject(net, &from, buf, (size_t)pace_msg_put(buf, sizeof(buf), &h,
			    json_object(), 160));
		}
	}
	sim_pass(net, 2 * SEC);
	ck_assert_uint_eq(heard_of.all, 2 * (uint64_t)lives);	/* the responder reports each, so
								 * that it can be counted */
	ck_assert_uint_ge(heard_of.lines, PACE_SESSION_LINES);
	ck_assert_uint_le(heard_of.lines, PACE_SESSION_LINES + 1 +
	    (uint64_t)((net->now_ns - began) / PACE_SESSION_LINE_NS));
	unlogged = heard_of.all - heard_of.lines;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_uint_eq(pace_responder_counted(&net->responder).unlogged, unlogged);
	/* A client with a key is always reported. */
	net->responder.shared.logged_ns = INT64_MAX / 2;
	for (int k = 0; k < SIM_SESSIONS; k++) {
		if (!net->sessions[k].used)
			continue;
		snprintf(net->sessions[k].session->cfg.key, PACE_KEY_NAME_SIZE, "alice");
		snprintf(net->sessions[k].session->seen.key, PACE_KEY_NAME_SIZE, "alice");
	}
	pace_client_close(&cl);
	ck_assert_uint_eq(heard_of.keyed, 1);
}
END_TEST

START_TEST(every_kind_is_counted_where_it_belongs)
{
	struct pace_addr from = spoofed(3);
	struct pace_responder_counts h;
	uint8_t buf[1024];
	struct pace_msg_open open = { .nonce = 1 };
	struct pace_hdr hdr = { .type = PACE_OPEN };

	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	sim_inject(net, &from, buf, (size_t)pace_msg_put(buf, sizeof(buf), &hdr,
	    pace_msg_open_json(&open), 160));		/* a cookie of zeros */
	hdr.type = PACE_FINISH;
	sim_inject(net, &from, buf, (size_t)pace_msg_put(buf, sizeof(buf), &hdr, NULL, 160));
	sim_inject(net, &from, buf, 5);
	sim_inject(net, &net->client.addr, buf, 5);	/* in the client's name */
	for (int i = 0; i <= pace_reply_limit_limits[PACE_REPLY_LIMIT_HELLO][PACE_PREFIX_HOST].burst; i++)
		sim_inject(net, &from, buf, (size_t)hello(buf));
	sim_pass(net, SEC);
	h = pace_responder_counted(&net->responder);
	ck_assert_uint_eq(h.cookies, 1);
	ck_assert_uint_eq(h.resets, 1);
	ck_assert_uint_eq(h.junk, 1);
	ck_assert_uint_eq(h.strays, 1);
	ck_assert_uint_eq(h.limited, 1);
	ck_assert_uint_eq(h.refused, 0);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("abuse");

	unit_seed(tc);
	sim_sums(tc, "abuse");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, ten_thousand_spoofed_sources_change_nothing);
	tcase_add_test(tc, one_address_is_answered_at_its_rate);
	tcase_add_test(tc, a_neighbour_that_floods_keeps_nobody_out);
	tcase_add_test(tc, a_hello_that_is_never_answered_keeps_nobody_out);
	tcase_add_test(tc, an_old_session_that_is_played_again_ends_no_new_one);
	tcase_add_test(tc, a_cookie_that_got_old_is_asked_for_again);
	tcase_add_test(tc, who_does_not_measure_makes_room_for_who_does);
	tcase_add_test(tc, a_fresh_session_is_not_sent_away);
	tcase_add_test(tc, who_has_a_key_has_a_place);
	tcase_add_test(tc, closed_sessions_of_one_host_leave_half_to_others);
	tcase_add_test(tc, a_closed_session_leaves_where_its_place_is_wanted);
	tcase_add_test(tc, closed_sessions_without_a_key_take_no_place_of_who_has_one);
	tcase_add_test(tc, who_measures_is_not_sent_away);
	tcase_add_test(tc, one_network_of_64_bits_gets_a_quarter_for_itself);
	tcase_add_test(tc, a_session_ends_after_a_day);
	tcase_add_test(tc, a_run_ends_after_three_days);
	tcase_add_loop_test(tc, silence_ends_a_run_when_it_cannot_end_well, 0, COUNT_OF(holes));
	tcase_add_loop_test(tc, a_stream_without_answers_has_its_result_all_the_same, 0, 2);
	tcase_add_test(tc, the_lease_goes_to_who_waits_longest);
	tcase_add_test(tc, a_turn_is_long_and_ends_when_somebody_waits);
	tcase_add_test(tc, many_sessions_of_a_host_are_no_more_than_one);
	tcase_add_test(tc, who_lets_another_in_keeps_its_place_in_line);
	tcase_add_test(tc, who_leaves_waits_no_longer);
	tcase_add_loop_test(tc, a_sweep_lets_another_in, 0, 3);
	tcase_add_test(tc, exchanges_alone_keep_no_lease);
	tcase_add_loop_test(tc, a_fetch_without_end_keeps_others_no_longer_than_it_may_take, 0, 2);
	tcase_add_test(tc, a_result_is_no_endless_source);
	tcase_add_test(tc, more_than_a_portion_takes_nothing_from_the_allowance);
	tcase_add_loop_test(tc, a_ping_without_an_answer_costs_nothing, 0, 3);
	tcase_add_loop_test(tc, exchanges_outside_of_a_run_are_not_endless, 0, 2);
	tcase_add_loop_test(tc, records_are_fetched_as_fast_as_ever, 0, 2);
	tcase_add_test(tc, lives_of_one_client_are_seconds_apart);
	tcase_add_test(tc, sessions_of_strangers_do_not_fill_a_log);
	tcase_add_test(tc, every_kind_is_counted_where_it_belongs);
	tcase_add_test(tc, who_has_measured_makes_room);
	return unit_run(tc, "abuse");
}
