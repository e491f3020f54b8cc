/*
 * Keys on the simulated network: a client without a key, with another key, or with recorded
 * datagrams gets nothing and disturbs no other client.
 */
#include "lib/unit.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#include "client/client.h"
#include "core/schedule.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_err err;
static struct pace_key alice, bob;

/* The responder knows these from now on. */
static void
let_in(const struct pace_key *a, const struct pace_key *b)
{
	char text[2 * PACE_KEY_LINE_MAX] = "";
	struct pace_keys ks;

	if (a != NULL)
		pace_key_line(a, text);
	if (b != NULL)
		pace_key_line(b, text + strlen(text));
	ck_assert_int_eq(pace_keys_read(&ks, text, strlen(text), &err), 0);
	pace_auth_rekey(&net->responder.shared.auth, &ks);
	net->responder.shared.keys_required = true;
}

static void
new_client(const struct pace_key *k)
{
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	cl.rcvbuf_bytes = 1 << 20;
	cl.key = k;
	snprintf(cl.label, sizeof(cl.label), "tester");
}

static void
setup(void)
{
	ck_assert_int_ge(sodium_init(), 0);
	net = sim_new(unit_rnd());
	pace_key_make(&alice, "alice");
	pace_key_make(&bob, "bob");
	let_in(&alice, NULL);
	new_client(&alice);
	pt = pace_point_new();
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
	int rc = 0;

	pace_point_free(pt);
	pt = pace_point_new();
	pt->ask = (struct pace_params){ .size_bytes = 200, .spacing = pace_spacing_from_ns(20000),
	    .count = count, .train = 1, .bursts = 1, .grace_ns = 50000000 };
	if (!cl.open)
		rc = pace_client_open(&cl, &err);
	return rc < 0 ? rc : pace_client_point(&cl, pt, &err);
}

static void
is_exact(uint64_t count)
{
	const char *broken = pace_point_broken(pt);

	ck_assert_msg(broken == NULL, "%s", broken);
	ck_assert(pt->has_rx);
	ck_assert_uint_eq(pt->rx.unique, count);
	ck_assert_uint_eq(pt->rx.lost + pt->rx.duplicates + pt->rx.foreign, 0);
	ck_assert_int_eq(pt->rx.gap.stats.min, 20000);
	ck_assert_int_eq(pt->rx.gap.stats.max, 20000);
}

static void
measures(uint64_t count)
{
	int rc = measure(count);

	ck_assert_msg(rc == 0, "%s: %s (%d)", err.step, err.text, rc);
	is_exact(count);
}

static bool
is_control(const uint8_t *buf)
{
	uint8_t type = buf[3] & 0x7f;

	return type != PACE_DATA && type != PACE_PING;
}

/* --- with the key -------------------------------------------------------------- */

static enum sim_fate
all_is_sealed(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int *n = ctx;

	(void)delay_ns;
	if (is_control(buf)) {
		ck_assert_uint_eq(buf[4], 1);
		ck_assert_uint_ge(len, PACE_HDR_SIZE + PACE_SEAL_SIZE);
		n[way]++;
	} else {
		ck_assert_uint_eq(buf[4], 0);
	}
	return SIM_PASS;
}

START_TEST(who_has_the_key_measures_and_all_control_is_tagged)
{
	int n[2] = { 0, 0 };

	net->hook = all_is_sealed;
	net->hook_ctx = n;
	measures(100);
	measures(200);
	pace_client_close(&cl);
	ck_assert_int_ge(n[SIM_TO_RESPONDER], 9);
	ck_assert_int_eq(n[SIM_TO_CLIENT], n[SIM_TO_RESPONDER]);
	ck_assert_uint_eq(net->worst_gain, 0);
	sim_pass(net, 2 * SEC);
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

START_TEST(a_responder_may_take_clients_without_a_key_beside)
{
	net->responder.shared.keys_required = false;
	measures(50);
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	new_client(NULL);
	measures(50);
}
END_TEST

START_TEST(impaired_control_changes_no_result)
{
	const struct sim_impair bad = { .loss = 0.3, .dup = 0.3, .jitter_ns = 150000000 };

	net->rng += (uint64_t)_i << 32;
	net->control[SIM_TO_CLIENT] = net->control[SIM_TO_RESPONDER] = bad;
	for (int i = 0; i < 3; i++)
		measures(500);
	ck_assert_uint_eq(net->responder.counts.opened, 1);
}
END_TEST

/* --- without it ------------------------------------------------------------------- */

START_TEST(another_key_gets_silence)
{
	new_client(&bob);
	ck_assert_int_eq(measure(10), -ETIMEDOUT);
	ck_assert_str_eq(err.step, "hello");
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], 0);
}
END_TEST

START_TEST(no_key_gets_silence)
{
	new_client(NULL);
	ck_assert_int_eq(measure(10), -ETIMEDOUT);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], 0);
}
END_TEST

/* The fingerprint is that of a key which is there, the secret is not. */
START_TEST(another_secret_of_the_same_fingerprint_gets_silence)
{
	memcpy(bob.id, alice.id, sizeof(bob.id));
	new_client(&bob);
	ck_assert_int_eq(measure(10), -ETIMEDOUT);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], 0);
}
END_TEST

/* Loop test: another key, or none. */
START_TEST(a_polite_responder_refuses_with_no_more_than_it_got)
{
	net->responder.shared.explain_refusal = true;
	new_client(_i == 0 ? &bob : NULL);
	ck_assert_int_eq(measure(10), -EKEYREJECTED);
	ck_assert_uint_gt(net->sent[SIM_TO_CLIENT], 0);
	ck_assert_uint_eq(net->worst_gain, 0);
	ck_assert_uint_lt(net->stranger_out, net->stranger_in);
}
END_TEST

START_TEST(who_shows_a_key_never_goes_on_without)
{
	let_in(NULL, NULL);
	net->responder.shared.keys_required = false;
	ck_assert_int_eq(measure(10), -EKEYREJECTED);
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

/* A responder without keys that answers as if the flag were not there. */
static enum sim_fate
strip(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx;
	(void)delay_ns;
	if (is_control(buf) && way == SIM_TO_RESPONDER) {
		buf[4] = 0;
		sim_mend(buf, len);
	}
	return SIM_PASS;
}

START_TEST(nor_when_somebody_takes_the_tags_off)
{
	net->responder.shared.keys_required = false;
	net->hook = strip;
	ck_assert_int_eq(measure(10), -ETIMEDOUT);
	ck_assert_uint_gt(net->responder.counts.hellos, 3);
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

static int
open_message(uint8_t *buf, size_t size, uint64_t nonce, const struct pace_seal *seal)
{
	struct pace_hdr h = { .type = PACE_OPEN, .seq = 77, .tx_ns = 1, .sealed = seal != NULL };
	struct pace_msg_open m = { .nonce = nonce + (seal != NULL) };	/* the trailer's counts */
	int len;

	pace_cookie_make(&net->responder.shared.cookies, &net->client.addr, cl.open ? cl.session : 0,
	    net->now_ns, m.cookie);
	len = pace_msg_put(buf, size, &h, pace_msg_open_json(&m), 160);
	return seal != NULL ? pace_seal_put(seal, buf, size, len) : len;
}

/* Loop test: at the listener, or at the socket of a session that has a key. */
START_TEST(a_good_cookie_alone_opens_nothing)
{
	uint8_t buf[512];
	uint64_t said;
	int len;

	if (_i == 1)
		measures(20);
	said = net->sent[SIM_TO_CLIENT];
	len = open_message(buf, sizeof(buf), 99, NULL);
	sim_inject(net, &net->client.addr, buf, (size_t)len);
	sim_pass(net, SEC);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], said);
	ck_assert_uint_eq(net->responder.counts.opened, (uint64_t)_i);
	if (_i == 1)
		measures(20);
}
END_TEST

START_TEST(another_key_ends_no_session_of_this_one)
{
	struct pace_seal seal;
	uint8_t buf[512];
	uint64_t said;
	int len;

	let_in(&alice, &bob);
	measures(20);
	sim_pass(net, 3 * SEC);			/* a session this old makes way at once */
	said = net->sent[SIM_TO_CLIENT];
	pace_seal_derive(&seal, &bob, 99, 0);
	len = open_message(buf, sizeof(buf), 99, &seal);
	sim_inject(net, &net->client.addr, buf, (size_t)len);
	sim_pass(net, SEC);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], said);
	ck_assert_int_eq(sim_sessions(net), 1);
	measures(20);
	/* its own key does, and the listener has the word again */
	pace_seal_derive(&seal, &alice, 99, 0);
	len = open_message(buf, sizeof(buf), 99, &seal);
	said = net->sent[SIM_TO_CLIENT];
	sim_inject(net, &net->client.addr, buf, (size_t)len);
	sim_pass(net, SEC);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], said);
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

/* Without the number of a session, no request reveals that a responder is there. */
START_TEST(messages_of_no_session_get_silence)
{
	static const struct pace_addr stranger = { .family = 4, .port = 9, .ip = { 10, 9, 9, 9 } };
	static const uint8_t types[] = { PACE_HELLO, PACE_OPEN, PACE_START, PACE_FINISH,
		PACE_FETCH, PACE_CLOSE, PACE_PING };
	struct pace_seal seal;
	uint8_t buf[600];

	pace_seal_derive(&seal, &bob, 5, 6);
	for (int i = 0; i < 2 * COUNT_OF(types); i++) {
		struct pace_hdr h = { .type = types[i / 2], .session = 6, .seq = 1,
		    .sealed = i % 2 };
		int len;

		if (h.type == PACE_PING)
			continue;
		len = pace_msg_put(buf, sizeof(buf), &h, json_object(), 512);
		if (h.sealed)
			len = pace_seal_put(&seal, buf, sizeof(buf), len);
		sim_inject(net, &stranger, buf, (size_t)len);
		sim_pass(net, SEC);			/* not too often */
	}
	buf[2] = 2;					/* a HELLO of another version */
	buf[3] = PACE_HELLO;
	sim_inject(net, &stranger, buf, sizeof(buf));
	sim_pass(net, SEC);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], 0);
	/* two CLOSE, which has no answer here, and the other version */
	ck_assert_uint_eq(net->responder.counts.junk, 3);
	ck_assert_uint_eq(net->responder.counts.keyless, 10);
}
END_TEST

/* --- said before ------------------------------------------------------------------ */

#define KEPT	400
static struct { size_t len; uint8_t buf[2048]; } kept[KEPT];
static int nkept;

static enum sim_fate
keep(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)delay_ns;
	if (way == *(enum sim_way *)ctx && is_control(buf) && nkept < KEPT) {
		ck_assert_uint_le(len, sizeof(kept[0].buf));
		memcpy(kept[nkept].buf, buf, len);
		kept[nkept++].len = len;
	}
	return SIM_PASS;
}

/* Has it an answer for whom it does not know?  A cookie, which proves no address to who
 * does not get it; and, where there is no session, that there is none. */
static bool
harmless(uint8_t type)
{
	return type == PACE_HELLO || (sim_sessions(net) == 0 &&
	    (type == PACE_START || type == PACE_FINISH || type == PACE_FETCH));
}

/* All that was kept comes again: no answer, and nothing has changed. */
static void
all_again(const struct pace_addr *from)
{
	uint64_t said = net->sent[SIM_TO_CLIENT];
	int n = nkept;

	for (int i = 0; i < n; i++) {
		sim_forget_limits(net);
		sim_inject(net, from, kept[i].buf, kept[i].len);
		sim_pass(net, 1000000);
	}
	for (int i = 0; i < n; i++)
		said += harmless(kept[i].buf[3]);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], said);
	while (net->client.q.n > 0)
		(void)cl.io.recv(cl.io.ctx, &(struct pace_in){ .buf = kept[KEPT - 1].buf }, 1);
}

START_TEST(within_a_session_nothing_said_before_does_anything)
{
	enum sim_way way = SIM_TO_RESPONDER;

	net->hook = keep;
	net->hook_ctx = &way;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(nkept, 2 + 1);			/* HELLO, OPEN, of the host */
	all_again(&net->client.addr);
	for (int i = 0; i < 3; i++) {
		measures(30);
		all_again(&net->client.addr);
	}
	ck_assert_int_gt(nkept, 10);
	ck_assert_uint_eq(net->responder.counts.opened, 1);
}
END_TEST

START_TEST(what_an_earlier_session_said_does_nothing_in_a_later_one)
{
	enum sim_way way = SIM_TO_RESPONDER;

	net->hook = keep;
	net->hook_ctx = &way;
	measures(30);
	measures(30);
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	ck_assert_int_eq(sim_sessions(net), 0);
	net->hook = NULL;

	/* the client has left: the OPEN makes no session, although its cookie is valid */
	all_again(&net->client.addr);
	ck_assert_int_eq(sim_sessions(net), 0);
	ck_assert_uint_eq(net->responder.counts.opened, 1);

	new_client(&alice);				/* same address and port */
	measures(30);
	all_again(&net->client.addr);
	measures(30);
	all_again(&net->client.addr);
	measures(30);
	ck_assert_uint_eq(net->responder.counts.opened, 2);
}
END_TEST

/* While a stream runs: loop test over what is kept. */
static enum sim_fate
again_at_50(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx;
	(void)len;
	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && buf[23] == 50)
		for (int i = 0; i < nkept; i++)
			sim_inject(net, &net->client.addr, kept[i].buf, kept[i].len);
	return SIM_PASS;
}

/* Datagrams of another session count as foreign to the run, and have no other effect. */
START_TEST(what_was_said_before_disturbs_no_run)
{
	enum sim_way way = SIM_TO_RESPONDER;

	net->hook = keep;
	net->hook_ctx = &way;
	measures(30);
	if (_i == 1) {
		pace_client_close(&cl);
		sim_pass(net, 2 * SEC);
		new_client(&alice);
		measures(30);
	}
	net->hook = again_at_50;
	ck_assert_int_eq(measure(100), 0);
	ck_assert_uint_eq(pt->rx.unique, 100);
	ck_assert_uint_eq(pt->rx.lost + pt->rx.duplicates, 0);
	ck_assert_uint_eq(pt->rx.foreign > 2, _i == 1);
	ck_assert_uint_eq(net->responder.counts.opened, (uint64_t)_i + 1);
}
END_TEST

/* A START that was held back must not begin after the next one, nor a CLOSE. */
START_TEST(what_was_held_back_is_refused_when_its_time_is_over)
{
	struct pace_hdr h;
	uint64_t said;

	measures(30);
	h = (struct pace_hdr){ .type = PACE_CLOSE, .run = cl.run, .sealed = true,
	    .session = cl.session, .seq = 3, .tx_ns = net->now_ns + 5 };	/* START was 3 or less */
	kept[0].len = (size_t)pace_seal_put(&cl.seal, kept[0].buf, sizeof(kept[0].buf),
	    pace_msg_put(kept[0].buf, sizeof(kept[0].buf), &h, json_object(), 160));
	said = net->sent[SIM_TO_CLIENT];
	sim_inject(net, &net->client.addr, kept[0].buf, kept[0].len);
	sim_pass(net, SEC);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], said);
	measures(30);
}
END_TEST

/* Its numbers and times restart. */
START_TEST(a_client_of_the_same_port_and_key_replaces_the_one_that_was)
{
	for (int i = 0; i < 5; i++)
		measures(30);
	new_client(&alice);
	cl.tagged_ns = 0;
	measures(30);
	measures(30);
	ck_assert_uint_eq(net->responder.counts.opened, 2);
	ck_assert_int_eq(sim_sessions(net), 1);
}
END_TEST

/* The responder's own tags are good: its answers, sent back to it, must open nothing, nor shut
 * it by times of a clock that is far ahead. */
START_TEST(its_own_answers_sent_back_do_nothing)
{
	enum sim_way way = SIM_TO_CLIENT;
	uint8_t buf[256];

	net->theta_ns = 1000 * SEC;
	net->hook = keep;
	net->hook_ctx = &way;
	for (int i = 0; i < 3; i++)
		measures(30);
	for (int i = 0; i < nkept; i++)
		sim_inject(net, &net->client.addr, kept[i].buf, kept[i].len);
	net->hook = NULL;
	for (int i = 0; i < 2 * PACE_REPLAY_WINDOW; i++) {	/* chunks of a long result */
		struct pace_hdr h = { .type = PACE_FETCH | PACE_REPLY, .run = cl.run,
		    .sealed = true, .session = cl.session, .seq = cl.request,
		    .tx_ns = net->now_ns + net->theta_ns + i };

		sim_inject(net, &net->client.addr, buf, (size_t)pace_seal_put(&cl.seal, buf,
		    sizeof(buf), pace_msg_put(buf, sizeof(buf), &h, NULL, 0)));
	}
	sim_pass(net, SEC);
	measures(30);
	ck_assert_uint_eq(net->responder.counts.opened, 1);
}
END_TEST

/* --- changed on the way ---------------------------------------------------------- */

/* Every first copy of a request of this type is kept and goes no further. */
static struct { uint8_t type; bool got; } want;

static enum sim_fate
intercept(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx;
	(void)delay_ns;
	if (way != SIM_TO_RESPONDER || buf[3] != want.type || want.got)
		return SIM_PASS;
	memcpy(kept[0].buf, buf, len);
	kept[0].len = len;
	want.got = true;
	return SIM_DROP;
}

static int
run_until_intercepted(void *ctx, int64_t until_ns)
{
	struct pace_io real = sim_client_io(net);

	return want.got ? -EIO : real.wait(ctx, until_ns);
}

/* The client's side stops dead when its request was caught. */
static void
catch_request(uint8_t type)
{
	want.type = type;
	want.got = false;
	net->hook = intercept;
	cl.io.wait = run_until_intercepted;
	if (measure(20) == 0)
		pace_client_close(&cl);
	ck_assert(want.got);
	net->hook = NULL;
	sim_pass(net, SEC);
	while (net->client.q.n > 0)
		(void)cl.io.recv(cl.io.ctx, &(struct pace_in){ .buf = kept[KEPT - 1].buf }, 1);
}

static const uint8_t requests[] = { PACE_HELLO, PACE_OPEN, PACE_START, PACE_FINISH, PACE_FETCH,
	PACE_CLOSE };

START_TEST(no_request_with_any_bit_flipped_is_taken)
{
	uint64_t said, opened;

	catch_request(requests[_i]);
	said = net->sent[SIM_TO_CLIENT];
	opened = net->responder.counts.opened;
	for (size_t bit = 0; bit < 8 * kept[0].len; bit++) {
		if (bit % 4 == 0)
			sim_forget_limits(net);
		for (int mended = 0; mended < 2; mended++) {
			memcpy(kept[1].buf, kept[0].buf, kept[0].len);
			kept[1].buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
			if (mended)
				sim_mend(kept[1].buf, kept[0].len);
			if (mended && (bit / 8 == 6 || bit / 8 == 7))
				continue;		/* mended altogether */
			sim_inject(net, &net->client.addr, kept[1].buf, kept[0].len);
		}
		sim_pass(net, 1000000);
		ck_assert_msg(net->sent[SIM_TO_CLIENT] == said, "bit %zu is answered", bit);
	}
	for (size_t len = 0; len < kept[0].len; len++) {	/* nor cut anywhere */
		if (len % 8 == 0)
			sim_forget_limits(net);
		sim_inject(net, &net->client.addr, kept[0].buf, len);
		sim_pass(net, 1000000);
	}
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], said);
	ck_assert_uint_eq(net->responder.counts.opened, opened);
	ck_assert_uint_eq(net->responder.counts.limited, 0);
	sim_forget_limits(net);
	/* the very same without a flip is */
	sim_inject(net, &net->client.addr, kept[0].buf, kept[0].len);
	sim_pass(net, SEC);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], said + 1);
}
END_TEST

/*
 * Before the first answer of each type come all those that differ from it in
 * one bit from `from` on, those of the header with and without a good check.
 */
#define FLIPS	1500
struct flips {
	size_t	from, longest;
	uint64_t forged;
	bool	seen[16];
};

static void
forge_flipped(struct flips *f, const uint8_t *buf, size_t len, size_t bit)
{
	uint8_t copy[2048];

	memcpy(copy, buf, len);
	copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
	sim_forge(net, copy, len);
	f->forged++;
	if (bit / 8 == 6 || bit / 8 == 7)
		return;
	sim_mend(copy, len);
	sim_forge(net, copy, len);
	f->forged++;
}

static enum sim_fate
flip_answers(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct flips *f = ctx;
	int what = (buf[3] & 7) + (buf[5] > 0 ? 8 : 0);

	(void)delay_ns;
	if (way != SIM_TO_CLIENT || !is_control(buf) || f->seen[what])
		return SIM_PASS;
	f->seen[what] = true;
	if (len > f->longest)
		f->longest = len;
	for (size_t bit = f->from; bit < f->from + FLIPS && bit < 8 * len; bit++)
		forge_flipped(f, buf, len, bit);
	return SIM_PASS;
}

START_TEST(no_answer_with_any_bit_flipped_is_taken)
{
	struct flips f = { .longest = PACE_HDR_SIZE };

	net->hook = flip_answers;
	net->hook_ctx = &f;
	for (size_t from = 0; from < 8 * f.longest; from += FLIPS) {
		f = (struct flips){ .from = from, .longest = f.longest };
		new_client(&alice);
		measures(3);
		pace_client_close(&cl);
		ck_assert_uint_gt(f.forged, 0);
		/* one that became the answer to a CLOSE is the pinger's */
		ck_assert_uint_eq(cl.strays + cl.pinger.foreign, f.forged);
		sim_pass(net, 2 * SEC);
	}
	ck_assert_uint_gt(f.longest, PACE_CHUNK_MAX);
	ck_assert_uint_eq(net->responder.counts.opened, (8 * f.longest + FLIPS - 1) / FLIPS);
}
END_TEST

/* --- forged, and restarted ------------------------------------------------------------ */

/* The first answers of a type become refusals without a tag. */
struct forgery { uint8_t type; const char *code; int left; };

static enum sim_fate
forge(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct forgery *f = ctx;

	(void)delay_ns;
	if (way != SIM_TO_CLIENT || buf[3] != (f->type | PACE_REPLY) || f->left == 0)
		return SIM_PASS;
	f->left--;
	memset(buf + PACE_HDR_SIZE, 0, len - PACE_HDR_SIZE);
	snprintf((char *)buf + PACE_HDR_SIZE, len - PACE_HDR_SIZE, "{\"error\":\"%s\"}", f->code);
	buf[4] = 0;
	sim_mend(buf, len);
	return SIM_PASS;
}

static const struct { uint8_t type; const char *code; } forgeries[] = {
	{ PACE_HELLO, "key" }, { PACE_HELLO, "version" }, { PACE_HELLO, "full" },
	{ PACE_OPEN, "cookie" }, { PACE_OPEN, "key" }, { PACE_OPEN, "full" },
	{ PACE_START, "session" }, { PACE_START, "busy" }, { PACE_START, "request" },
	{ PACE_FINISH, "session" }, { PACE_FINISH, "memory" },
	{ PACE_FETCH, "session" }, { PACE_FETCH, "request" },
};

START_TEST(a_forged_refusal_ends_nothing)
{
	struct forgery f = { forgeries[_i].type, forgeries[_i].code, 3 };

	net->hook = forge;
	net->hook_ctx = &f;
	measures(30);
	ck_assert_int_eq(f.left, 0);
	ck_assert_uint_eq(net->responder.counts.opened, 1);
}
END_TEST

/* A forged answer, then silence for 3 s where those to the next request should be. */
struct gap { struct forgery f; uint8_t type; int64_t until_ns; };

static enum sim_fate
forge_then_lose(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct gap *g = ctx;

	if (way == SIM_TO_CLIENT && buf[3] == (g->type | PACE_REPLY) && buf[5] > 0) {
		if (g->until_ns == 0)
			g->until_ns = net->now_ns + 3 * SEC;
		if (net->now_ns < g->until_ns)
			return SIM_DROP;
	}
	return forge(&g->f, way, buf, len, delay_ns);
}

START_TEST(a_hint_is_forgotten_with_its_request)
{
	struct gap g = { { _i == 0 ? PACE_START : PACE_FINISH, "session", 1 },
	    _i == 0 ? PACE_FINISH : PACE_FETCH, 0 };

	net->hook = forge_then_lose;
	net->hook_ctx = &g;
	measures(30);
	ck_assert_int_gt(g.until_ns, 0);
	ck_assert_int_eq(g.f.left, 0);
}
END_TEST

/* If nothing else arrives, the message names it as a possible reason. */
START_TEST(a_refusal_that_stays_is_believed_soon)
{
	struct forgery f = { PACE_HELLO, "key", -1 };
	int64_t began = net->now_ns;

	net->hook = forge;
	net->hook_ctx = &f;
	ck_assert_int_eq(measure(30), -EKEYREJECTED);
	ck_assert_int_lt(net->now_ns - began, 3 * SEC);
}
END_TEST

/* An answer of the listener to an old request from elsewhere, handed to the client: its tag
 * is good, and the session is there all the same. */
static struct { uint8_t reset[512]; size_t reset_len; int stage; } shift;

static enum sim_fate
shift_reset(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	static const struct pace_addr elsewhere = { .family = 4, .port = 9, .ip = { 10, 9, 9, 9 } };

	(void)ctx;
	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_START && shift.stage == 0) {
		sim_inject(net, &elsewhere, buf, len);
		shift.stage = 1;
		return SIM_DROP;
	}
	if (way == SIM_TO_CLIENT && buf[3] == (PACE_START | PACE_REPLY) && shift.stage == 1) {
		memcpy(shift.reset, buf, len);		/* to another address: no host has it */
		shift.reset_len = len;
		shift.stage = 2;
	}
	return SIM_PASS;
}

static int
hand_reset(void *ctx, struct pace_in *v, int n)
{
	struct pace_io real = sim_client_io(net);

	if (shift.stage != 2 || net->client.q.n == 0)	/* it comes before the true one */
		return real.recv(ctx, v, n);
	memcpy(v->buf, shift.reset, shift.reset_len);
	v->len = shift.reset_len;
	shift.stage = 3;
	return 1;
}

START_TEST(a_reset_that_was_had_by_an_old_request_ends_nothing)
{
	memset(&shift, 0, sizeof(shift));
	net->hook = shift_reset;
	cl.io.recv = hand_reset;
	measures(30);
	ck_assert_int_eq(shift.stage, 3);
	ck_assert_uint_eq(net->responder.counts.resets, 1);
	ck_assert_uint_eq(net->responder.counts.opened, 1);
}
END_TEST

START_TEST(a_restarted_responder_is_noticed_and_a_new_session_goes_on)
{
	int64_t began;

	measures(30);
	sim_kill_responder(net);
	sim_start_responder(net);
	let_in(&alice, NULL);
	began = net->now_ns;
	ck_assert_int_eq(measure(30), -ESTALE);
	ck_assert_int_lt(net->now_ns - began, 3 * SEC);
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	measures(30);
}
END_TEST

/* When the result is to be fetched. */
static enum sim_fate
restart_at_fetch(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int64_t *when = ctx;

	(void)len;
	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_FETCH && buf[5] > 0 && *when == 0) {
		*when = net->now_ns;
		sim_kill_responder(net);
		sim_start_responder(net);
		let_in(&alice, NULL);
	}
	return SIM_PASS;
}

START_TEST(a_restart_is_noticed_while_fetching_too)
{
	int64_t when = 0;

	net->hook = restart_at_fetch;
	net->hook_ctx = &when;
	ck_assert_int_eq(measure(30), -ESTALE);
	ck_assert_int_gt(when, 0);
	ck_assert_int_lt(net->now_ns - when, 3 * SEC);
}
END_TEST

START_TEST(one_that_comes_back_without_the_key_is_silent)
{
	measures(30);
	sim_kill_responder(net);
	sim_start_responder(net);
	let_in(&bob, NULL);
	ck_assert_int_eq(measure(30), -ETIMEDOUT);
}
END_TEST

/* In mid stream the key goes, and its frames all come; the next run is refused. */
static enum sim_fate
key_goes(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx;
	(void)way;
	(void)len;
	(void)delay_ns;
	if (buf[3] == PACE_DATA && buf[23] == 15)
		let_in(&bob, NULL);
	return SIM_PASS;
}

START_TEST(a_key_that_is_taken_away_begins_no_run)
{
	net->hook = key_goes;
	measures(30);
	net->hook = NULL;
	ck_assert_int_eq(measure(30), -EKEYREJECTED);
	ck_assert_str_eq(err.step, "start");
	let_in(&alice, &bob);		/* it is back: so is its session */
	measures(30);
	let_in(&bob, NULL);
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	ck_assert_int_eq(measure(30), -ETIMEDOUT);
	new_client(&bob);
	measures(30);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("keys");

	unit_seed(tc);
	sim_sums(tc, "keys");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 240);
	tcase_add_test(tc, who_has_the_key_measures_and_all_control_is_tagged);
	tcase_add_test(tc, a_responder_may_take_clients_without_a_key_beside);
	tcase_add_loop_test(tc, impaired_control_changes_no_result, 0, 20);
	tcase_add_test(tc, another_key_gets_silence);
	tcase_add_test(tc, no_key_gets_silence);
	tcase_add_test(tc, another_secret_of_the_same_fingerprint_gets_silence);
	tcase_add_loop_test(tc, a_polite_responder_refuses_with_no_more_than_it_got, 0, 2);
	tcase_add_test(tc, who_shows_a_key_never_goes_on_without);
	tcase_add_test(tc, nor_when_somebody_takes_the_tags_off);
	tcase_add_loop_test(tc, a_good_cookie_alone_opens_nothing, 0, 2);
	tcase_add_test(tc, another_key_ends_no_session_of_this_one);
	tcase_add_test(tc, messages_of_no_session_get_silence);
	tcase_add_test(tc, within_a_session_nothing_said_before_does_anything);
	tcase_add_test(tc, what_an_earlier_session_said_does_nothing_in_a_later_one);
	tcase_add_loop_test(tc, what_was_said_before_disturbs_no_run, 0, 2);
	tcase_add_test(tc, what_was_held_back_is_refused_when_its_time_is_over);
	tcase_add_test(tc, a_client_of_the_same_port_and_key_replaces_the_one_that_was);
	tcase_add_test(tc, its_own_answers_sent_back_do_nothing);
	tcase_add_loop_test(tc, no_request_with_any_bit_flipped_is_taken, 0, COUNT_OF(requests));
	tcase_add_test(tc, no_answer_with_any_bit_flipped_is_taken);
	tcase_add_loop_test(tc, a_forged_refusal_ends_nothing, 0, COUNT_OF(forgeries));
	tcase_add_loop_test(tc, a_hint_is_forgotten_with_its_request, 0, 2);
	tcase_add_test(tc, a_refusal_that_stays_is_believed_soon);
	tcase_add_test(tc, a_reset_that_was_had_by_an_old_request_ends_nothing);
	tcase_add_test(tc, a_restarted_responder_is_noticed_and_a_new_session_goes_on);
	tcase_add_test(tc, a_restart_is_noticed_while_fetching_too);
	tcase_add_test(tc, one_that_comes_back_without_the_key_is_silent);
	tcase_add_test(tc, a_key_that_is_taken_away_begins_no_run);
	return unit_run_apart(tc, "keys");
}
