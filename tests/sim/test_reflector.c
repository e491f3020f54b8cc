/*
 * reflector.h on a virtual clock: requests go in through a struct pace_io, replies come out.
 * Whatever comes, no reply is longer than its request, and every request has one outcome.
 */
#include "server/reflector.h"

#include <string.h>

#include "lib/unit.h"

#define SEC	INT64_C(1000000000)
#define WALL	(INT64_C(1800000000) * SEC)	/* wall clock - probe clock */
#define PORT	8620
#define ROOM	64				/* requests at once */

static const struct pace_addr router = { .family = 4, .port = 40000, .ip = { 192, 0, 2, 1 } };
static const struct pace_addr us = { .family = 4, .ip = { 192, 0, 2, 9 } };

static struct {
	struct pace_in	in[ROOM];
	uint8_t		bytes[ROOM][65536];
	int		waiting, taken;
	int64_t		now_ns;
	uint8_t		out[ROOM][65536];
	struct pace_out	reply[ROOM];
	int		replies;
	int		refuse;		/* this reply is refused by the host; -1: none */
	uint32_t	stamps, told, renumbered;
	int64_t		left_ns[4096];
	uint64_t	asked;
} net;

static int
io_recv(void *ctx, struct pace_in *v, int n)
{
	int got = 0;

	(void)ctx;
	for (; got < n && net.taken < net.waiting; got++, net.taken++) {
		struct pace_in *from = &net.in[net.taken];
		uint8_t *buf = v[got].buf;
		size_t size = v[got].size;

		memcpy(buf, from->buf, from->len < size ? from->len : size);
		v[got] = *from;
		v[got].buf = buf;
		v[got].size = size;
	}
	return got;
}

static int
io_send(void *ctx, const struct pace_out *v, int n)
{
	(void)ctx;
	for (int i = 0; i < n; i++) {
		if (net.refuse == 0) {
			net.refuse = -1;
			return i > 0 ? i : -1;
		}
		net.refuse -= net.refuse > 0;
		ck_assert_int_lt(net.replies, ROOM);
		net.reply[net.replies] = v[i];
		memcpy(net.out[net.replies], v[i].buf, v[i].len);
		net.reply[net.replies].buf = net.out[net.replies];
		net.replies++;
		if (v[i].stamp)
			net.left_ns[net.stamps++ % 4096] = net.now_ns + 700;
	}
	return n;
}

static int
io_departures(void *ctx, struct pace_departure *d, int n)
{
	int got = 0;

	(void)ctx;
	for (; got < n && net.told < net.stamps; net.told++)
		d[got++] = (struct pace_departure){ .n = net.told,
		    .stamp_ns = net.left_ns[net.told % 4096] };
	return got;
}

static void
io_renumber(void *ctx)
{
	(void)ctx;
	net.stamps = net.told = 0;
	net.renumbered++;
}

static int64_t
io_now(void *ctx)
{
	(void)ctx;
	return net.now_ns;
}

static int64_t
io_wall(void *ctx)
{
	(void)ctx;
	return WALL;
}

static struct pace_reflector *
begin(bool stateful)
{
	struct pace_reflector *r = pace_reflector_new(stateful);

	ck_assert_ptr_nonnull(r);
	memset(&net, 0, sizeof(net));
	net.now_ns = 5 * SEC;
	net.refuse = -1;
	r->io = (struct pace_io){ .recv = io_recv, .send = io_send, .departures = io_departures,
	    .renumber = io_renumber, .now = io_now, .wall = io_wall };
	r->port = PORT;
	r->clock = (struct pace_clock_state){ .known = true, .synchronised = true,
	    .error_max_ns = SEC / 2 };
	return r;
}

static void
ask(const struct pace_addr *from, const uint8_t *buf, size_t len)
{
	struct pace_in *in = &net.in[net.waiting];

	ck_assert_int_lt(net.waiting, ROOM);
	memcpy(net.bytes[net.waiting], buf, len);
	*in = (struct pace_in){ .buf = net.bytes[net.waiting], .len = len, .from = *from,
	    .local = us, .stamp = PACE_STAMP_KERNEL, .stamp_ns = net.now_ns - 5000, .ttl = 250,
	    .mark = 10 << 2 | 2 };
	net.waiting++;
	net.asked++;
}

/* Let it answer what waits; returns the number of replies. */
static int
answer(struct pace_reflector *r)
{
	struct pace_reflector_counts c;
	uint64_t sum = 0;

	net.replies = 0;
	while (net.taken < net.waiting)
		ck_assert_int_gt(pace_reflector_step(r), 0);
	net.waiting = net.taken = 0;
	c = pace_reflector_counted(r);
	for (int i = 0; i < PACE_REFLECTOR_OUTCOMES; i++)
		sum += c.n[i];
	ck_assert_uint_eq(sum, net.asked);
	return net.replies;
}

static uint64_t
counted(const struct pace_reflector *r, enum pace_reflector_outcome what)
{
	return pace_reflector_counted(r).n[what];
}

/* A request with TLVs; returns its length. */
static size_t
make(uint8_t *buf, uint32_t seq, const void *tlvs, size_t n)
{
	const struct pace_stamp_request q = { seq, UINT64_C(0x1112131415161718), 0x8d21, 77 };

	ck_assert_int_eq(pace_stamp_request_encode(buf, PACE_STAMP_OPEN, false, &q),
	    PACE_STAMP_OPEN);
	if (n > 0)
		memcpy(buf + PACE_STAMP_OPEN, tlvs, n);
	return PACE_STAMP_OPEN + n;
}

static struct pace_stamp_reply
reply(int i)
{
	struct pace_stamp_reply p;

	ck_assert_int_eq(pace_stamp_reply_decode(&p, net.reply[i].buf, net.reply[i].len, false), 0);
	return p;
}

static struct pace_stamp_reply
exchange(struct pace_reflector *r, const struct pace_addr *from, uint32_t seq, const void *tlvs,
    size_t n)
{
	uint8_t buf[2048];

	ask(from, buf, make(buf, seq, tlvs, n));
	ck_assert_int_eq(answer(r), 1);
	ck_assert_uint_eq(net.reply[0].len, PACE_STAMP_OPEN + n);
	return reply(0);
}

START_TEST(a_reply_has_the_times_and_the_request)
{
	struct pace_reflector *r = begin(false);
	struct pace_stamp_reply p = exchange(r, &router, 41, NULL, 0);
	struct pace_stamp_error e = pace_stamp_error_of(p.error);

	ck_assert_uint_eq(p.seq, 41);
	ck_assert_uint_eq(p.sender.seq, 41);
	ck_assert_uint_eq(p.sender.t1, UINT64_C(0x1112131415161718));
	ck_assert_uint_eq(p.sender.error, 0x8d21);
	ck_assert_uint_eq(p.ssid, 77);
	ck_assert_uint_eq(p.ttl, 250);
	ck_assert_int_eq(pace_stamp_time_ns(p.t2, PACE_STAMP_NTP, WALL), WALL + net.now_ns - 5000);
	ck_assert_int_eq(pace_stamp_time_ns(p.t3, PACE_STAMP_NTP, WALL), WALL + net.now_ns);
	ck_assert(e.synchronised && e.format == PACE_STAMP_NTP && e.ns == SEC / 2);
	ck_assert(pace_addr_same(&net.reply[0].to, &router));
	ck_assert(pace_addr_same(&net.reply[0].from, &us));
	ck_assert_uint_eq(net.reply[0].tos, 10 << 2);	/* the DSCP of the request, no ECN */
	r->clock.known = false;
	e = pace_stamp_error_of(exchange(r, &router, 42, NULL, 0).error);
	ck_assert(!e.synchronised && e.ns == INT64_MAX);
	pace_reflector_free(r);
}
END_TEST

START_TEST(only_a_stateful_reflector_counts)
{
	struct pace_reflector *r = begin(_i);
	struct pace_addr other = router, far = router;

	other.port++;
	far.ip[3]++;
	for (uint32_t i = 0; i < 5; i++) {
		ck_assert_uint_eq(exchange(r, &router, 3 * i, NULL, 0).seq, _i ? i : 3 * i);
		ck_assert_uint_eq(exchange(r, &other, 9, NULL, 0).seq, _i ? i : 9);
		ck_assert_uint_eq(exchange(r, &far, 9, NULL, 0).seq, _i ? i : 9);
	}
	net.now_ns += PACE_REFLECTOR_IDLE_NS;
	ck_assert_uint_eq(exchange(r, &router, 15, NULL, 0).seq, _i ? 5 : 15);
	net.now_ns += PACE_REFLECTOR_IDLE_NS + 1;
	ck_assert_uint_eq(exchange(r, &router, 16, NULL, 0).seq, _i ? 0 : 16);
	pace_reflector_free(r);
}
END_TEST

/* Forged addresses fill the table; the session that runs keeps its count. */
START_TEST(a_flood_of_new_sessions_ends_no_session_that_runs)
{
	struct pace_reflector *r = begin(true);
	uint8_t buf[PACE_STAMP_OPEN];
	uint64_t answered;

	for (uint32_t i = 0; i < 2; i++)
		ck_assert_uint_eq(exchange(r, &router, i, NULL, 0).seq, i);
	for (int twice = 0; twice < 2; twice++)
		for (uint32_t i = 0; i < 3 * PACE_REFLECTOR_SESSIONS; i++) {
			struct pace_addr forged = { .family = 4, .port = 50000,
			    .ip = { (uint8_t)(1 + i % 191), (uint8_t)(i >> 8), (uint8_t)(i >> 16),
			    (uint8_t)i } };

			for (int k = 0; k <= twice; k++)
				ask(&forged, buf, make(buf, 0, NULL, 0));
			if (net.waiting > ROOM - 4)
				(void)answer(r);
		}
	(void)answer(r);
	ck_assert_uint_eq(exchange(r, &router, 2, NULL, 0).seq, 2);
	/* all places are taken by sessions with two requests */
	ck_assert_uint_gt(counted(r, PACE_REFLECTOR_FULL), 0);
	answered = counted(r, PACE_REFLECTED);
	ck_assert_uint_gt(answered, 3 * PACE_REFLECTOR_SESSIONS);
	pace_reflector_free(r);
}
END_TEST

START_TEST(one_network_gets_half_of_the_table_at_most)
{
	struct pace_reflector *r = begin(true);
	uint8_t buf[PACE_STAMP_OPEN];
	int mine = 0;

	for (uint32_t i = 0; i < 4 * PACE_REFLECTOR_SESSIONS; i++) {
		struct pace_addr a = { .family = 4, .port = (uint16_t)(1024 + (i >> 8)),
		    .ip = { 198, 51, 100, (uint8_t)i } };

		ask(&a, buf, make(buf, 0, NULL, 0));
		ask(&a, buf, make(buf, 1, NULL, 0));
		if (net.waiting > ROOM - 4)
			(void)answer(r);
	}
	for (int i = 0; i < PACE_REFLECTOR_SETS; i++)
		for (int k = 0; k < PACE_REFLECTOR_WAYS; k++)
			mine += r->table->session[i][k].name.peer.family != 0;
	ck_assert_int_le(mine, PACE_REFLECTOR_SESSIONS / 2);
	ck_assert_int_gt(mine, PACE_REFLECTOR_SESSIONS / 3);
	ck_assert_uint_eq(exchange(r, &router, 2, NULL, 0).seq, 0);
	pace_reflector_free(r);
}
END_TEST

/* Requests and replies, typed from the figures of RFC 8972 section 4 and RFC 9503: one TLV, or one
 * and what follows it.  The sender sets U; a known one comes back without it, any other with it
 * and otherwise as it came. */
static const struct {
	const char	*ask, *want;
	size_t		n;
	uint8_t		dscp;
} answers[] = {
#define TLV(a, w, dscp)	{ a, w, sizeof(a) - 1, dscp }
	TLV("\x80\1\0\3abc", "\0\1\0\3abc", 10),
	TLV("\x80\2\0\x10\x03\x5e\x9c\x40\0\1\0\x08\x02\0\0\0\0\1\0\0",
	    "\x80\2\0\x10\x03\x5e\x9c\x40\0\1\0\x08\x02\0\0\0\0\1\0\0", 10),
	/* by NTP, software; twice */
	TLV("\x80\3\0\4\0\0\0\0", "\0\3\0\4\1\2\1\2", 10),
	/* DSCP1 46; DSCP2 10, ECN 2 */
	TLV("\x80\4\0\4\xb8\0\0\0", "\0\4\0\4\xb8\xa8\0\0", 46),
	TLV("\x80\5\0\x0c\0\0\1\x2c\1\2\3\4\5\6\7\x08",
	    "\x80\5\0\x0c\0\0\1\x2c\1\2\3\4\5\6\7\x08", 10),
	TLV("\x80\6\0\4\x10\1\0\0", "\x80\6\0\4\x10\1\0\0", 10),
	/* a stateless reflector knows no departure */
	TLV("\x80\7\0\x10\1\2\3\4\5\6\7\1\2\3\4\5\6\7\1\2",
	    "\0\7\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 10),
	/* there is no secret to verify it with */
	TLV("\x80\x08\0\x10\1\2\3\4\5\6\7\1\2\3\4\5\6\7\1\2",
	    "\x20\x08\0\x10\1\2\3\4\5\6\7\1\2\3\4\5\6\7\1\2", 10),
	TLV("\x80\x09\0\4\xc0\0\2\1", "\x80\x09\0\4\xc0\0\2\1", 10),
	TLV("\x80\x0a\0\x08\x80\1\0\4\0\0\0\1", "\x80\x0a\0\x08\x80\1\0\4\0\0\0\1", 10),
	TLV("\x80\x0b\0\4\0\1\0\2", "\x80\x0b\0\4\0\1\0\2", 10),
	/* no 1500 octets and no 9 replies */
	TLV("\x80\x0c\0\x08\x05\xdc\0\x09\0\x0f\x42\x40",
	    "\x80\x0c\0\x08\x05\xdc\0\x09\0\x0f\x42\x40", 10),
	TLV("\x80\xff\0\2\1\2", "\x80\xff\0\2\1\2", 10),
	/* a sender that sets no U, or all flags */
	TLV("\0\x09\0\4\xc0\0\2\1", "\x80\x09\0\4\xc0\0\2\1", 10),
	TLV("\xff\4\0\4\xb8\0\0\0", "\0\4\0\4\xb8\xa8\0\0", 46),
	/* a known type may repeat, and follow one that is not known */
	TLV("\x80\xff\0\0\x80\4\0\4\x04\0\0\0\x80\4\0\4\x08\0\0\0",
	    "\x80\xff\0\0\0\4\0\4\x04\xa8\0\0\0\4\0\4\x08\xa8\0\0", 2),
	/* malformed: the rest as it came */
	TLV("\x80\4\0\3\xb8\0\0\x80\4\0\4\xb8\0\0\0", "\x40\4\0\3\xb8\0\0\x80\4\0\4\xb8\0\0\0", 10),
	TLV("\x80\4\0\4\xb8\0\0\0\x80\3\0\5\0\0\0\0\0\xe0\1\0\0",
	    "\0\4\0\4\xb8\xa8\0\0\x40\3\0\5\0\0\0\0\0\xe0\1\0\0", 46),
	TLV("\x80\1\0\x09xy", "\x40\1\0\x09xy", 10),
	TLV("\x80\x63\xff\xff\x80\4\0\4\xb8\0\0\0", "\xc0\x63\xff\xff\x80\4\0\4\xb8\0\0\0", 10),
	/* the fields of a Follow-Up Telemetry TLV of a wrong length are zeros */
	TLV("\x80\7\0\3abc\x80\4\0\4\xb8\0\0\0", "\x40\7\0\3\0\0\0\x80\4\0\4\xb8\0\0\0", 10),
	TLV("\x80\7\0\x12\1\2\3\4\5\6\7\1\2\3\4\5\6\7\1\2\1\2\x80\1\0\0",
	    "\x40\7\0\x12\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\x80\1\0\0", 10),
	TLV("\x80\7\0\x10\1\2\3", "\x40\7\0\x10\0\0\0", 10),
	TLV("\x80\7\xff\xff", "\x40\7\xff\xff", 10),
	/* no whole TLV */
	TLV("\x80\4\0", "\x80\4\0", 10),
};

START_TEST(tlvs_are_answered)
{
	struct pace_reflector *r = begin(false);

	(void)exchange(r, &router, 1, answers[_i].ask, answers[_i].n);
	ck_assert_mem_eq(net.reply[0].buf + PACE_STAMP_OPEN, answers[_i].want, answers[_i].n);
	ck_assert_uint_eq(net.reply[0].tos, answers[_i].dscp << 2);
	pace_reflector_free(r);
}
END_TEST

/* There is no secret: nothing is known about them, and none is used. */
START_TEST(an_hmac_in_the_open_mode_is_not_believed)
{
	static const uint8_t tlvs[] = { 0x80, 4, 0, 4, 0xb8, 0, 0, 0,
	    0x80, 8, 0, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	struct pace_reflector *r = begin(false);
	uint8_t want[sizeof(tlvs)];

	memcpy(want, tlvs, sizeof(want));
	want[0] = want[8] = PACE_STAMP_I;
	(void)exchange(r, &router, 1, tlvs, sizeof(tlvs));
	ck_assert_mem_eq(net.reply[0].buf + PACE_STAMP_OPEN, want, sizeof(want));
	ck_assert_uint_eq(net.reply[0].tos, 10 << 2);
	pace_reflector_free(r);
}
END_TEST

START_TEST(padding_of_twamp_light_comes_back)
{
	struct pace_reflector *r = begin(false);
	uint8_t buf[200];

	for (size_t len = 0; len < sizeof(buf); len++) {
		(void)make(buf, 1, NULL, 0);
		memset(buf + 14, 0, sizeof(buf) - 14);
		ask(&router, buf, len);
		ck_assert_int_eq(answer(r), len >= PACE_STAMP_LIGHT);
		if (len < PACE_STAMP_LIGHT)
			continue;
		ck_assert_uint_eq(net.reply[0].len, len);
		ck_assert_uint_eq(reply(0).ttl, 250);
		ck_assert_uint_eq(reply(0).sender.seq, 1);
		if (len > PACE_STAMP_OPEN)
			ck_assert_mem_eq(net.reply[0].buf + PACE_STAMP_OPEN, buf + PACE_STAMP_OPEN,
			    len - PACE_STAMP_OPEN);
	}
	ck_assert_uint_eq(counted(r, PACE_REFLECTOR_MALFORMED), PACE_STAMP_LIGHT);
	pace_reflector_free(r);
}
END_TEST

/* The departure of a reply is in a later one; a stateless reflector knows none. */
START_TEST(departures_follow_in_a_later_reply)
{
	static const uint8_t ask_it[20] = { 0x80, PACE_STAMP_TLV_FOLLOW_UP, 0, 16 };
	struct pace_reflector *r = begin(_i);
	struct pace_stamp_follow_up f;
	int64_t left_ns = 0;

	for (uint32_t i = 0; i < 3000; i++) {
		net.refuse = i == 1500 ? 0 : -1;
		if (net.refuse == 0) {
			uint8_t buf[PACE_STAMP_OPEN + 20];

			ask(&router, buf, make(buf, i, ask_it, 20));
			ck_assert_int_eq(answer(r), 0);
			ck_assert_int_eq((int)net.renumbered, _i);
			continue;
		}
		(void)exchange(r, &router, i, ask_it, 20);
		ck_assert_uint_eq(net.reply[0].buf[PACE_STAMP_OPEN], 0);
		ck_assert_int_eq(net.reply[0].stamp, _i);
		pace_stamp_follow_up_get(&f, net.reply[0].buf + PACE_STAMP_OPEN + 4);
		if (_i == 0 || i == 0) {
			ck_assert(f.seq == 0 && f.time == 0 && f.method == PACE_STAMP_BY_NONE);
		} else {
			ck_assert_uint_eq(f.seq, i == 1501 ? 1499 : i - 1);
			ck_assert_int_eq(pace_stamp_time_ns(f.time, PACE_STAMP_NTP, WALL), left_ns);
			ck_assert_uint_eq(f.method, PACE_STAMP_BY_SOFTWARE);
		}
		left_ns = WALL + net.now_ns + 700;
		net.now_ns += 1000000;
	}
	ck_assert_uint_eq(counted(r, PACE_REFLECTOR_UNSENT), 1);
	pace_reflector_free(r);
}
END_TEST

/* Every port: none below 1024, and not the reflector's own. */
START_TEST(no_reply_goes_where_a_loop_may_begin)
{
	struct pace_reflector *r = begin(false);
	struct pace_addr a = router;
	uint8_t buf[PACE_STAMP_OPEN];
	uint64_t loops = 0;

	for (int port = 0; port <= UINT16_MAX; port++) {
		bool may = port >= 1024 && port != PORT;

		a.port = (uint16_t)port;
		ask(&a, buf, make(buf, 1, NULL, 0));
		ck_assert_int_eq(answer(r), may);
		loops += !may;
		ck_assert_uint_eq(counted(r, PACE_REFLECTOR_LOOP), loops);
		if (may)
			ck_assert(pace_addr_same(&net.reply[0].to, &a));
	}
	ck_assert_uint_eq(loops, 1025);
	pace_reflector_free(r);
}
END_TEST

/* One forged datagram from reflector to reflector, at any two ports: the first reply ends it. */
START_TEST(reflectors_do_not_answer_each_other)
{
	struct pace_reflector *r = begin(_i);
	uint8_t buf[200];
	struct pace_addr a = router;
	size_t len;

	for (size_t n = PACE_STAMP_LIGHT; n < 200; n++) {
		memset(buf, 0, sizeof(buf));
		buf[4] = 0xe9;				/* a time of departure */
		a.port = 50000;
		ask(&a, buf, n);
		ck_assert_int_eq(answer(r), 1);
		len = net.reply[0].len;
		memcpy(buf, net.reply[0].buf, len);
		net.now_ns += 15000000000;		/* on its way back */
		ask(&a, buf, len);
		ck_assert_int_eq(answer(r), 0);
		memcpy(buf + 28, buf + 4, 8);		/* one that has no times answers it */
		memset(buf + 4, 0, 8);
		memset(buf + 16, 0, 8);
		ask(&a, buf, len);
		ck_assert_int_eq(answer(r), 0);
	}
	ck_assert_uint_eq(counted(r, PACE_REFLECTOR_LOOP), 2 * (200 - PACE_STAMP_LIGHT));
	pace_reflector_free(r);
}
END_TEST

/* --- the policy ------------------------------------------------------------------------------ */

static void
set_rule(struct pace_reflector *r, bool reflect, int64_t rate, int64_t frames)
{
	static struct pace_policy p;

	pace_policy_reset(&p);
	p.rule[0].reflect = reflect;
	p.rule[0].most[PACE_LIMIT_RATE] = rate;
	p.rule[0].most[PACE_LIMIT_FRAMES] = frames;
	if (r->rules == NULL)
		r->rules = pace_rules_new();
	ck_assert_ptr_nonnull(r->rules);
	pace_rules_set(r->rules, &p);
}

static void
end(struct pace_reflector *r)
{
	pace_rules_free(r->rules);
	pace_reflector_free(r);
}

START_TEST(the_policy_decides_and_may_change)
{
	struct pace_reflector *r = begin(false);
	uint8_t buf[PACE_STAMP_OPEN];

	set_rule(r, true, PACE_NO_LIMIT, PACE_NO_LIMIT);
	(void)exchange(r, &router, 1, NULL, 0);
	set_rule(r, false, PACE_NO_LIMIT, PACE_NO_LIMIT);
	ask(&router, buf, make(buf, 2, NULL, 0));
	ck_assert_int_eq(answer(r), 0);
	ck_assert_uint_eq(counted(r, PACE_REFLECTOR_DENIED), 1);
	end(r);
}
END_TEST

/* 44 octets are 110 on the wire.  A burst of a second, then so many a second for one network;
 * other networks are not affected. */
static const struct { int64_t rate, frames, a_second; size_t more; } limits[] = {
	{ PACE_NO_LIMIT, 100, 100, 0 },
	{ INT64_C(100000000), 100, 100, 0 },
	{ INT64_C(1000000), PACE_NO_LIMIT, 1136, 0 },		/* 1 Mbit/s / 880 bit */
	{ INT64_C(1000000), PACE_NO_LIMIT, 113, 990 },	/* 1100 octets, nearly */
	{ INT64_C(1000000000), PACE_NO_LIMIT, PACE_REFLECTOR_PER_S, 0 },
};

START_TEST(each_network_has_a_limit)
{
	struct pace_reflector *r = begin(false);
	const int64_t want = limits[_i].a_second;
	uint8_t buf[PACE_STAMP_OPEN + 1000] = { 0 };
	struct pace_addr a = router, other = { .family = 4, .port = 5000, .ip = { 192, 0, 3, 1 } };
	int64_t got = 0;

	set_rule(r, true, limits[_i].rate, limits[_i].frames);
	for (int second = 0; second < 2; second++) {
		for (int64_t i = 0; i < 2 * want; i += 20) {
			for (int k = 0; k < 20; k++) {
				a.ip[3] = (uint8_t)k;		/* of one network */
				ask(&a, buf, make(buf, 1, NULL, 0) + limits[_i].more);
			}
			got += answer(r);
		}
		ck_assert_int_ge(got, want * (second + 1) - 2 - second);
		ck_assert_int_le(got, want * (second + 1) + 2);
		net.now_ns += SEC;
	}
	net.now_ns -= SEC;
	(void)exchange(r, &other, 1, NULL, 0);
	end(r);
}
END_TEST

/* --- the authenticated mode ------------------------------------------------------------------ */

static void
set_key(struct pace_reflector *r, const char *text)
{
	struct pace_stamp_keys ks;

	ck_assert_int_eq(pace_stamp_keys_read(&ks, text, strlen(text), NULL), 0);
	pace_reflector_rekey(r, &ks);
}

/* A request with Class of Service, HMAC and padding, signed as wanted. */
static size_t
make_auth(uint8_t *buf, const struct pace_stamp_key *k, bool base, bool tlvs)
{
	const struct pace_stamp_request q = { 7, 8, 9, 10 };
	int len = pace_stamp_request_encode(buf, PACE_STAMP_AUTH, true, &q);

	len = pace_stamp_tlv_add(buf, 2048, (size_t)len, PACE_STAMP_TLV_COS, 4);
	len = pace_stamp_tlv_add(buf, 2048, (size_t)len, PACE_STAMP_TLV_HMAC, 16);
	len = pace_stamp_tlv_add(buf, 2048, (size_t)len, PACE_STAMP_TLV_PADDING, 5);
	if (base)
		pace_stamp_mac(k, buf, 96, NULL, 0, buf + 96);
	if (tlvs)
		pace_stamp_mac(k, buf, 4, buf + 112, 8, buf + 124);
	return (size_t)len;
}

START_TEST(the_hmac_is_checked_and_made)
{
	struct pace_reflector *r = begin(true);
	const struct pace_stamp_key *k;
	struct pace_stamp_reply p;
	uint8_t buf[2048];

	set_rule(r, true, PACE_NO_LIMIT, PACE_NO_LIMIT);
	set_key(r, "default text:a secret of routers\n");
	k = &r->keys.v[0];
	ask(&router, buf, make(buf, 1, NULL, 0));		/* the open mode */
	ask(&router, buf, make_auth(buf, k, false, true));
	ck_assert_int_eq(answer(r), 0);
	ck_assert_uint_eq(counted(r, PACE_REFLECTOR_UNVERIFIED), 2);
	for (uint32_t seq = 0; seq < 2; seq++) {
		bool right = seq == 1;
		uint8_t flag = right ? 0 : PACE_STAMP_I;

		ask(&router, buf, make_auth(buf, k, true, right));
		ck_assert_int_eq(answer(r), 1);
		memcpy(buf, net.reply[0].buf, net.reply[0].len);
		ck_assert_int_eq(pace_stamp_reply_decode(&p, buf, net.reply[0].len, true), 0);
		ck_assert(p.seq == seq && p.sender.seq == 7 && p.sender.t1 == 8 && p.ssid == 10);
		ck_assert(pace_stamp_mac_is(k, buf, 96, NULL, 0, buf + 96));
		ck_assert(buf[112] == flag && buf[120] == flag && buf[140] == flag);
		ck_assert_int_eq(pace_stamp_mac_is(k, buf, 4, buf + 112, 8, buf + 124), right);
		ck_assert_uint_eq(buf[117], right ? 0xa8 : 0);	/* DSCP2, ECN */
	}
	set_key(r, "");
	ask(&router, buf, make(buf, 1, NULL, 0));
	ck_assert_int_eq(answer(r), 1);
	end(r);
}
END_TEST

/* TLVs before and after the HMAC TLV, its length, and the flags of all TLVs in the reply; all
 * cases have the right HMAC at the place of the first HMAC TLV. */
static const struct {
	const char	*before;
	size_t		n;
	uint16_t	length;
	const char	*behind;
	size_t		m;
	const char	*flags;
	bool		acted;
} signed_tlvs[] = {
	{ "\x80\4\0\4\xb8\0\0\0", 8, 16, "", 0, "\0\0", true },
	{ "\x80\4\0\4\xb8\0\0\0\x80\xff\0\0", 12, 16, "\x80\1\0\0", 4, "\0\x80\0\0",
	    true },
	{ "", 0, 16, "", 0, "\0", false },
	/* it must come last, except for padding */
	{ "\x80\4\0\4\xb8\0\0\0", 8, 16, "\x80\3\0\4\0\0\0\0", 8, "\x20\x20\x20",
	    false },
	{ "\x80\4\0\4\xb8\0\0\0", 8, 16,
	    "\x80\x08\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20,
	    "\x20\x20\x20", false },
	{ "\x80\4\0\4\xb8\0\0\0", 8, 15, "", 0, "\x20\x60", false },
	/* a malformed TLV before it: the HMAC is not reached, so nothing is verified */
	{ "\x80\4\0\4\xb8\0\0\0\x80\3\0\3\0\0\0", 15, 16, "", 0, "\x20\x60\x80",
	    false },
};

START_TEST(an_hmac_of_tlvs_is_verified)
{
	struct pace_reflector *r = begin(false);
	const struct pace_stamp_request q = { 7, 8, 9, 10 };
	uint8_t buf[2048] = { 0 }, mac[PACE_STAMP_HMAC_SIZE];
	const size_t at = PACE_STAMP_AUTH + signed_tlvs[_i].n;
	const size_t behind = at + 4 + signed_tlvs[_i].length;
	const size_t len = behind + signed_tlvs[_i].m;
	const struct pace_stamp_key *k;
	const uint8_t *p;
	int n = 0;

	set_rule(r, true, PACE_NO_LIMIT, PACE_NO_LIMIT);
	set_key(r, "default text:a secret of routers\n");
	k = &r->keys.v[0];
	(void)pace_stamp_request_encode(buf, PACE_STAMP_AUTH, true, &q);
	memcpy(buf + PACE_STAMP_AUTH, signed_tlvs[_i].before, signed_tlvs[_i].n);
	memcpy(buf + at, "\x80\x08\0", 3);
	buf[at + 3] = (uint8_t)signed_tlvs[_i].length;
	memcpy(buf + behind, signed_tlvs[_i].behind, signed_tlvs[_i].m);
	pace_stamp_mac(k, buf, 96, NULL, 0, buf + 96);
	pace_stamp_mac(k, buf, 4, buf + PACE_STAMP_AUTH, signed_tlvs[_i].n, mac);
	memcpy(buf + at + 4, mac, signed_tlvs[_i].length);
	ask(&router, buf, len);
	ck_assert_int_eq(answer(r), 1);
	ck_assert_uint_eq(net.reply[0].len, len);
	p = net.reply[0].buf;
	for (size_t i = PACE_STAMP_AUTH; i < len; i += 4U + p[i + 3])
		ck_assert_uint_eq(p[i], (uint8_t)signed_tlvs[_i].flags[n++]);
	ck_assert_uint_eq(net.reply[0].tos, (signed_tlvs[_i].acted ? 46 : 10) << 2);
	pace_stamp_mac(k, p, 4, p + PACE_STAMP_AUTH, signed_tlvs[_i].n, mac);
	ck_assert_int_eq(memcmp(mac, p + at + 4, signed_tlvs[_i].length) == 0,
	    signed_tlvs[_i].flags[0] == 0);
	end(r);
}
END_TEST

/* --- anything -------------------------------------------------------------------------------- */

START_TEST(no_reply_is_longer_than_its_request)
{
	struct pace_reflector *r = begin(_i & 1);
	uint64_t replies = 0;
	uint8_t buf[PACE_REFLECTOR_ROOM + 100];

	if (_i & 2) {
		set_rule(r, true, PACE_NO_LIMIT, PACE_NO_LIMIT);
		set_key(r, "default hex:00112233\n");
	}
	for (int i = 0; i < 15000; i++) {
		size_t len = unit_rnd() % 4 != 0 ? unit_rnd() % 300 : unit_rnd() % sizeof(buf);
		struct pace_addr a = router;

		for (size_t k = 0; k < len; k += 8) {
			uint64_t x = unit_rnd() & (unit_rnd() % 2 ? UINT64_MAX :
			    0x800f000f800f000f);

			memcpy(buf + k, &x, len - k < 8 ? len - k : 8);
		}
		a.port = unit_rnd() % 8 != 0 ? 40000 : (uint16_t)unit_rnd();
		a.ip[3] = (uint8_t)unit_rnd();
		if ((_i & 2) && len >= 96 && unit_rnd() % 2)
			pace_stamp_mac(&r->keys.v[0], buf, 96, NULL, 0, buf + 96);
		ask(&a, buf, len);
		ck_assert_int_eq(answer(r) <= 1, 1);
		if (net.replies == 1) {
			ck_assert_uint_eq(net.reply[0].len, len);
			ck_assert(pace_addr_same(&net.reply[0].to, &a));
			replies++;
		}
	}
	ck_assert_uint_eq(replies, counted(r, PACE_REFLECTED));
	ck_assert_uint_gt(replies, 1000);
	end(r);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("reflector");

	unit_seed(tc);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, a_reply_has_the_times_and_the_request);
	tcase_add_loop_test(tc, only_a_stateful_reflector_counts, 0, 2);
	tcase_add_test(tc, a_flood_of_new_sessions_ends_no_session_that_runs);
	tcase_add_test(tc, one_network_gets_half_of_the_table_at_most);
	tcase_add_loop_test(tc, tlvs_are_answered, 0, COUNT_OF(answers));
	tcase_add_test(tc, an_hmac_in_the_open_mode_is_not_believed);
	tcase_add_test(tc, padding_of_twamp_light_comes_back);
	tcase_add_loop_test(tc, departures_follow_in_a_later_reply, 0, 2);
	tcase_add_test(tc, no_reply_goes_where_a_loop_may_begin);
	tcase_add_loop_test(tc, reflectors_do_not_answer_each_other, 0, 2);
	tcase_add_test(tc, the_policy_decides_and_may_change);
	tcase_add_loop_test(tc, each_network_has_a_limit, 0, COUNT_OF(limits));
	tcase_add_test(tc, the_hmac_is_checked_and_made);
	tcase_add_loop_test(tc, an_hmac_of_tlvs_is_verified, 0, COUNT_OF(signed_tlvs));
	tcase_add_loop_test(tc, no_reply_is_longer_than_its_request, 0, 4);
	return unit_run(tc, "reflector");
}
