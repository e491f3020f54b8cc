/*
 * Several streams on the simulated network: what each of them gets is the truth, whatever happens
 * to frames, control frames and forged datagrams.
 */
#include "lib/unit.h"

#include <errno.h>
#include <string.h>

#include "client/client_io.h"
#include "core/schedule.h"
#include "simnet.h"

#define SEC	INT64_C(1000000000)

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_params wanted;
static struct pace_err err;

/* What the network did to each stream. */
static struct { uint64_t sent, dropped, copied; } truth[PACE_STREAMS];
static uint32_t victim = UINT32_MAX;		/* its frames are dropped, copied, delayed */

static void
setup(void)
{
	net = sim_new(unit_rnd());
	ck_assert_int_eq(pace_client_init(&cl), 0);
	cl.io = sim_client_io(net);
	cl.open_flow = sim_open_flow;
	cl.flow_ctx = &net->client;
	cl.rcvbuf_bytes = 1 << 20;
	cl.link = (struct pace_link){ .family = 4, .mtu = 1500 };
	pt = pace_point_new();
	memset(&err, 0, sizeof(err));
	memset(truth, 0, sizeof(truth));
	victim = UINT32_MAX;
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_point_free(pt);
}

static void
ask(uint32_t streams, int64_t spacing_ns, uint64_t count)
{
	wanted = (struct pace_params){ .size_bytes = 200, .streams = streams,
	    .spacing = pace_spacing_from_ns(spacing_ns), .count = count, .train = 1,
	    .bursts = 1, .grace_ns = 500000000 };
}

static int
measure(void)
{
	int rc = 0;

	pace_point_free(pt);
	pt = pace_point_new();
	pt->ask = wanted;
	if (!cl.open)
		rc = pace_client_open(&cl, &err);
	return rc < 0 ? rc : pace_client_point(&cl, pt, &err);
}

/* Log each frame; of the victim every fifth is dropped, copied or late, in turn. */
static enum sim_fate
hurt(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	uint64_t seq = buf[23];

	(void)ctx;
	(void)len;
	if (way != SIM_TO_RESPONDER || buf[3] != PACE_DATA)
		return SIM_PASS;
	truth[buf[16]].sent++;
	if (buf[16] != victim || seq % 5 != 0)
		return SIM_PASS;
	if (seq % 15 == 0) {
		truth[buf[16]].dropped++;
		return SIM_DROP;
	}
	if (seq % 15 == 5) {
		truth[buf[16]].copied++;
		return SIM_DUP;
	}
	*delay_ns += 3000000;
	return SIM_PASS;
}

/* The figures of each stream are the log's. */
static void
check(uint32_t streams, uint64_t count)
{
	ck_assert_ptr_nonnull(pt->streams);
	for (uint32_t i = 0; i < streams; i++) {
		const struct pace_point *one = pt->streams[i];
		const char *broken = pace_point_broken(one);

		ck_assert_msg(broken == NULL, "stream %u: %s", i, broken);
		ck_assert(one->has_rx);
		ck_assert_uint_eq(one->tx.frames, count);
		ck_assert_uint_eq(one->tx.frames, truth[i].sent);
		ck_assert_uint_eq(one->rx.lost, truth[i].dropped);
		ck_assert_uint_eq(one->rx.duplicates, truth[i].copied);
		ck_assert_uint_eq(one->rx.unique, count - truth[i].dropped);
		ck_assert_uint_eq(one->rx.foreign, 0);
		ck_assert_uint_eq(one->rx.reordered > 0, i == victim);
		ck_assert_uint_eq(one->ledger.place[PACE_NETWORK].n, truth[i].dropped);
	}
	ck_assert_msg(pace_point_broken(pt) == NULL, "%s", pace_point_broken(pt));
	ck_assert_uint_eq(pt->tx.frames, streams * count);
	ck_assert_uint_eq(pt->ledger.asked, streams * count);
}

START_TEST(each_stream_is_exact)
{
	net->hook = hurt;
	ask(16, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	check(16, 200);
	/* one merged schedule: each stream keeps its spacing */
	for (uint32_t i = 0; i < 16; i++) {
		const struct pace_hist *gap = &pt->streams[i]->rx.gap;

		ck_assert_int_eq(gap->stats.min, 100000);
		ck_assert_int_eq(gap->stats.max, 100000);
		ck_assert_uint_eq(gap->stats.n, 199);
	}
	ck_assert_uint_eq(net->responder.counts.opened, 1);
	ck_assert_uint_eq(net->responder.counts.flows, 15);
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	ck_assert_int_eq(sim_sessions(net), 0);
	for (int i = 0; i < SIM_FLOWS; i++)
		ck_assert_ptr_null(net->flows[i]);
}
END_TEST

START_TEST(what_happens_to_one_stream_is_told_of_that_one)
{
	net->hook = hurt;
	victim = 7;
	ask(16, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_gt(truth[7].dropped, 5);
	ck_assert_uint_gt(truth[7].copied, 5);
	check(16, 200);
}
END_TEST

START_TEST(control_loss_changes_nothing)
{
	for (int way = 0; way < 2; way++)
		net->control[way] = (struct sim_impair){ .loss = 0.3, .dup = 0.1,
		    .jitter_ns = 2000000 };
	net->hook = hurt;
	victim = 7;
	ask(16, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	check(16, 200);
}
END_TEST

START_TEST(as_many_streams_as_a_run_may_have)
{
	net->hook = hurt;
	ask(PACE_STREAMS, 1000000, 20);
	ck_assert_int_eq(measure(), 0);
	check(PACE_STREAMS, 20);
}
END_TEST

START_TEST(runs_of_a_session_have_different_numbers_of_streams)
{
	static const uint32_t streams[] = { 2, 1, 8, 4, 1 };

	net->hook = hurt;
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		memset(truth, 0, sizeof(truth));
		ask(streams[i], 50000, 50);
		ck_assert_int_eq(measure(), 0);
		if (streams[i] > 1)
			check(streams[i], 50);
		else
			ck_assert_uint_eq(pt->rx.unique, 50);
	}
	ck_assert_uint_eq(net->responder.counts.flows, 7);
}
END_TEST

START_TEST(back_to_back_streams_take_turns)
{
	net->hook = hurt;
	ask(3, 0, 100);
	wanted.train = 10;
	ck_assert_int_eq(measure(), 0);
	check(3, 100);
}
END_TEST

START_TEST(with_a_key_each_flow_is_authenticated)
{
	struct pace_key key;
	struct pace_keys ks;
	char text[PACE_KEY_LINE_MAX];

	pace_key_make(&key, "lab");
	pace_key_line(&key, text);
	ck_assert_int_eq(pace_keys_read(&ks, text, strlen(text), &err), 0);
	pace_auth_rekey(&net->responder.shared.auth, &ks);
	net->responder.shared.keys_required = true;
	for (int way = 0; way < 2; way++)
		net->control[way] = (struct sim_impair){ .loss = 0.3, .dup = 0.1,
		    .jitter_ns = 2000000 };
	cl.key = &key;
	net->hook = hurt;
	ask(8, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	check(8, 200);
	ck_assert_uint_eq(net->responder.counts.flows, 7);
}
END_TEST

/* --- hostile ---------------------------------------------------------------------- */

/* A well-formed frame of stream k from this port of the client's host. */
static void
forge(uint16_t port, uint8_t stream, uint64_t seq)
{
	uint8_t buf[200] = { 0 };
	struct pace_hdr h = { .type = PACE_DATA, .run = cl.run, .stream = stream,
	    .session = cl.session, .seq = seq, .tx_ns = net->now_ns };
	struct pace_addr from = net->client.addr;

	from.port = port;
	pace_hdr_encode(buf, sizeof(buf), &h);
	sim_inject(net, &from, buf, sizeof(buf));
}

static void
forge_frames(struct sim *s)
{
	uint16_t port = s->client.addr.port;

	if (!cl.open || cl.flow == NULL || cl.flow[3].session == 0)
		return;
	forge((uint16_t)(port + 1), 2, 5);	/* stream 2 from the port of stream 1 */
	forge((uint16_t)(port + 2), 9, 5);	/* no such stream */
	forge((uint16_t)(port + 900), 3, 5);	/* no port of the session */
	forge(port, 3, 5);
	s->tick = NULL;
}

START_TEST(a_frame_of_another_flow_is_foreign)
{
	uint64_t foreign = 0;

	net->tick_ns = 1000000;
	ask(4, 100000, 3000);
	ck_assert_int_eq(measure(), 0);		/* the flows are open */
	net->tick = forge_frames;
	net->ticked_ns = net->now_ns + 130000000;
	ck_assert_int_eq(measure(), 0);
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(pt->streams[i]->rx.unique, 3000);
		ck_assert_uint_eq(pt->streams[i]->rx.duplicates, 0);
		foreign += pt->streams[i]->rx.foreign;
	}
	ck_assert_uint_eq(foreign, 3);
}
END_TEST

static uint8_t cookie[PACE_COOKIE_SIZE];

/* OPEN of a flow from any address, with a cookie that is right for it. */
static void
open_from(const struct pace_addr *from, uint64_t session, uint8_t stream, bool good)
{
	struct pace_msg_open m = { .nonce = cl.nonce };
	struct pace_hdr h = { .type = PACE_OPEN, .stream = stream, .session = session,
	    .seq = 4711 };
	uint8_t buf[512];
	int len;

	pace_cookie_make(&net->responder.shared.cookies, from, 0,
	    net->responder.io.now(net->responder.io.ctx), cookie);
	cookie[5] ^= good ? 0 : 1;
	memcpy(m.cookie, cookie, sizeof(cookie));
	len = pace_msg_put(buf, sizeof(buf), &h, pace_msg_open_json(&m), 384);
	ck_assert_int_gt(len, 0);
	sim_inject(net, from, buf, (size_t)len);
	sim_pass(net, SEC / 10);
}

START_TEST(a_flow_needs_the_address_and_the_session_of_its_client)
{
	struct pace_addr from;

	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	from = somebody;
	from.port = 999;
	open_from(&from, cl.session, 1, true);		/* another host */
	from = net->client.addr;
	from.port = 999;
	open_from(&from, cl.session + 1, 1, true);	/* another session */
	open_from(&from, cl.session, 1, false);		/* without a cookie */
	open_from(&from, cl.session, 0, true);		/* the session's own flow */
	ck_assert_uint_eq(net->responder.counts.flows, 0);
	ck_assert_uint_eq(net->responder.counts.opened, 1);
	open_from(&from, cl.session, 1, true);
	ck_assert_uint_eq(net->responder.counts.flows, 1);
}
END_TEST

/* HELLO, and OPEN for another session, in the name of the port of stream k. */
static void
forge_new_client(uint8_t stream)
{
	struct pace_hdr h = { .type = PACE_HELLO, .seq = 4711 };
	struct pace_addr from = net->own[stream]->addr;
	uint8_t buf[PACE_HELLO_SIZE];
	int len = pace_msg_put(buf, sizeof(buf), &h, json_object(), PACE_HELLO_SIZE);

	ck_assert_int_gt(len, 0);
	sim_inject(net, &from, buf, (size_t)len);
	open_from(&from, cl.session + 1, stream, false);
	open_from(&from, 0, 0, false);
}

START_TEST(a_forged_client_does_not_close_a_flow)
{
	net->hook = hurt;
	ask(4, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	sim_pass(net, 2 * SEC);
	for (uint8_t i = 1; i < 4; i++)
		forge_new_client(i);
	memset(truth, 0, sizeof(truth));
	ck_assert_int_eq(measure(), 0);
	check(4, 200);
	ck_assert_uint_eq(net->responder.counts.flows, 3);
}
END_TEST

/* OPEN of a new client at the port of stream k, with a cookie of the session. */
static void
open_anew(uint8_t stream)
{
	struct pace_msg_open m = { .nonce = cl.nonce + 1 };
	struct pace_hdr h = { .type = PACE_OPEN, .seq = 4712 };
	struct pace_addr from = net->own[stream]->addr;
	uint8_t buf[512];
	int len;

	pace_cookie_make(&net->responder.shared.cookies, &from, cl.session,
	    net->responder.io.now(net->responder.io.ctx), m.cookie);
	len = pace_msg_put(buf, sizeof(buf), &h, pace_msg_open_json(&m), 384);
	ck_assert_int_gt(len, 0);
	sim_inject(net, &from, buf, (size_t)len);
	sim_pass(net, SEC / 10);
}

START_TEST(a_flow_makes_way_for_a_new_client_at_its_port)
{
	int open = 0;

	ask(4, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	open_anew(2);				/* less than 1 s old */
	for (int i = 0; i < SIM_FLOWS; i++)
		open += net->flows[i] != NULL;
	ck_assert_int_eq(open, 3);
	sim_pass(net, 2 * SEC);
	open_anew(2);
	for (int i = 0; i < SIM_FLOWS; i++)
		open -= net->flows[i] != NULL;
	ck_assert_int_eq(open, 1);
	ck_assert_int_eq(sim_sessions(net), 1);
	open_anew(2);				/* the listener wants a cookie of its own */
	ck_assert_uint_eq(net->responder.counts.cookies, 1);
}
END_TEST

START_TEST(a_rule_limits_the_streams)
{
	struct pace_policy *p = calloc(1, sizeof(*p));

	pace_policy_reset(p);
	p->rule[0].most[PACE_LIMIT_STREAMS] = 3;
	net->rules = pace_rules_new();
	pace_rules_set(net->rules, p);
	net->responder.shared.rules = net->rules;
	ask(3, 1000000, 20);
	ck_assert_int_eq(measure(), 0);
	ask(4, 1000000, 20);
	ck_assert_int_eq(measure(), -EDQUOT);
	ck_assert_ptr_nonnull(strstr(err.text, "4 streams are more than its 3"));
	ck_assert_uint_eq(net->responder.counts.flows, 2);
	ask(3, 1000000, 20);
	ck_assert_int_eq(measure(), 0);
	/* the sum of the streams counts: 100 Mbit/s */
	ask(3, 30000, 1000000);
	ck_assert_int_eq(measure(), -EDQUOT);
	free(p);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("streams");

	unit_seed();
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_stream_is_exact);
	tcase_add_test(tc, what_happens_to_one_stream_is_told_of_that_one);
	tcase_add_test(tc, control_loss_changes_nothing);
	tcase_add_test(tc, as_many_streams_as_a_run_may_have);
	tcase_add_test(tc, runs_of_a_session_have_different_numbers_of_streams);
	tcase_add_test(tc, back_to_back_streams_take_turns);
	tcase_add_test(tc, with_a_key_each_flow_is_authenticated);
	tcase_add_test(tc, a_frame_of_another_flow_is_foreign);
	tcase_add_test(tc, a_flow_needs_the_address_and_the_session_of_its_client);
	tcase_add_test(tc, a_forged_client_does_not_close_a_flow);
	tcase_add_test(tc, a_flow_makes_way_for_a_new_client_at_its_port);
	tcase_add_test(tc, a_rule_limits_the_streams);
	return unit_run(tc, "streams");
}
