/*
 * A capture at the responder, or at a client that receives, on the simulated network: its counts
 * come with the result, a missing capture has a reason, and no run is disturbed.
 */
#include "lib/unit.h"

#include <stdlib.h>
#include <string.h>

#include "client/client_io.h"
#include "core/schedule.h"
#include "server/session.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)
#define MS	INT64_C(1000000)
#define OFFSET	INT64_C(1700000000000000000)	/* of the capture's clock */

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_err err;
static struct pace_policy pol;
static enum pace_direction direction;
static struct pace_rules *rules;

/* The capture: what the network carries, before the responder has it. */
static struct {
	struct pace_wire_checking seen;
	struct pace_capture_request ask;
	void		*memory;
	int64_t		*times;
	bool		on;
	uint64_t	begun, ended, told;
	int64_t		late_ns;	/* it has settled so long after it was asked first */
	uint64_t	eat;		/* of so many frames that were seen one dies; 0: none */
	int64_t		asked_ns;
	enum pace_capture_answer says;
	double		unlike;		/* of replies to START this share is lost */
} tap;

static enum pace_capture_answer
tap_begin(void *ctx, const struct pace_capture_request *a, struct pace_captured_stream **t)
{
	uint64_t room = a->limit < 1000 ? a->limit : 1000;

	ck_assert(!tap.on);
	if (tap.says != PACE_CAPTURE_GRANTED)
		return tap.says;
	tap.ask = *a;
	tap.memory = malloc(pace_seq_lean_memory(PACE_SEQ_WINDOW));
	tap.times = calloc(room, sizeof(*tap.times));
	pace_wire_check_begin(&tap.seen, a->streams, a->limit, a->train, a->burst, tap.memory);
	pace_wire_check_times(&tap.seen, tap.times, room);
	tap.on = true;
	tap.begun++;
	tap.asked_ns = 0;
	*t = ctx;
	return tap.says;
}

static bool
tap_settled(void *ctx, struct pace_captured_stream *t, uint64_t sent, int64_t since_ns)
{
	ck_assert(tap.on && (void *)t == ctx);
	ck_assert_uint_eq(sent, pt->ask.direction == PACE_DOWN ? pt->ask.count * pt->ask.bursts :
	    pt->tx.frames);
	if (tap.asked_ns == 0)
		tap.asked_ns = net->now_ns;
	(void)since_ns;
	return net->now_ns - tap.asked_ns >= tap.late_ns;
}

static void
tap_end(void *ctx, struct pace_captured_stream *t, struct pace_wire_check *w, const int64_t *stamps, uint64_t n)
{
	ck_assert(tap.on && (void *)t == ctx);
	tap.on = false;
	tap.ended++;
	if (w != NULL) {
		ck_assert(!tap.ask.departs || n == 0);
		if (!tap.ask.departs)
			pace_wire_check_compare(&tap.seen, stamps, n);
		*w = tap.seen.w;
		strcpy(w->interface, "eth0");
		w->complete = w->has_drops = true;
		tap.told++;
	}
	free(tap.memory);
	free(tap.times);
}

static const struct pace_capture_hook the_tap = { .ctx = &tap, .begin = tap_begin,
	.settled = tap_settled, .end = tap_end };

/* The wire in front of the host that captures. */
static enum sim_fate
on_wire(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_hdr h;

	(void)ctx;
	if (way == SIM_TO_CLIENT && buf[3] == (PACE_START | PACE_REPLY) && tap.unlike > 0 &&
	    (double)(unit_rnd() % 1000) < 1000 * tap.unlike)
		return SIM_DROP;
	if (pace_hdr_decode(&h, buf, len) != 0 || !tap.on || h.type != tap.ask.type ||
	    h.session != tap.ask.session || h.run != tap.ask.run)
		return SIM_PASS;
	ck_assert_uint_eq(len, tap.ask.size_bytes);
	if (tap.ask.departs)
		pace_wire_check_add(&tap.seen, h.seq, 1, h.tx_ns, net->now_ns + OFFSET);
	else
		pace_wire_check_arrive(&tap.seen, h.seq, 1, h.tx_ns,
		    net->now_ns + *delay_ns + OFFSET);
	return tap.eat > 0 && h.seq % tap.eat == 0 ? SIM_DROP : SIM_PASS;
}

static void
setup(void)
{
	const struct pace_addr lab = { .family = 4, .ip = { 192, 0, 2 } };

	memset(&tap, 0, sizeof(tap));
	direction = PACE_UP;
	tap.says = PACE_CAPTURE_GRANTED;
	net = sim_new(unit_rnd());
	net->poll_ns = 1000;
	net->hook = on_wire;
	net->responder.shared.tap = &the_tap;
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	cl.capture = true;
	pt = pace_point_new();
	rules = pace_rules_new();
	net->responder.shared.rules = rules;
	pace_policy_reset(&pol);
	ck_assert_int_eq(pace_policy_rule(&pol, "lab"), 1);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &lab, 24, "192.0.2.0/24"), 0);
	pol.rule[1].capture = pol.rule[1].reverse = true;
	pace_rules_set(rules, &pol);
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	ck_assert_uint_eq(tap.begun, tap.ended);
	pace_point_free(pt);
	pace_rules_free(rules);
}

static void
measure(uint64_t count, uint64_t train, uint64_t bursts)
{
	struct pace_params a = { .size_bytes = 200, .spacing = pace_spacing_from_ns(MS / 10),
	    .count = count, .train = train, .bursts = bursts, .burst_gap_ns = MS,
	    .grace_ns = 100 * MS, .direction = direction };

	if (!cl.open)
		ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	pace_point_free(pt);
	pt = pace_point_new();
	pt->ask = a;
	ck_assert_int_eq(pace_client_point(&cl, pt, &err), 0);
	ck_assert(pt->has_rx);
	ck_assert_ptr_null(pace_point_broken(pt));
}

static const char *
note(const char *code)
{
	for (int i = 0; i < pt->notes.n; i++)
		if (strcmp(pt->notes.v[i].code, code) == 0)
			return pt->notes.v[i].text;
	return NULL;
}

static void
agrees(uint64_t frames)
{
	const struct pace_wire_check *w = &pt->rx.wire;

	ck_assert(pt->rx.has_wire && w->complete);
	ck_assert_uint_eq(w->frames, frames);
	ck_assert_uint_eq(w->copies, 0);
	ck_assert_uint_eq(w->gap.stats.n, pt->rx.gap.stats.n);
	ck_assert_uint_eq(w->gaps_differing, 0);
	ck_assert_uint_gt(w->gap_difference.stats.n, 0);
	for (int i = 0; i < pt->notes.n; i++)
		ck_assert_msg(strncmp(pt->notes.v[i].code, "wire", 4) != 0, "%s",
		    pt->notes.v[i].text);
}

/* --- granted ------------------------------------------------------------------------------ */

START_TEST(what_arrives_agrees)
{
	measure(900, 1, 1);
	agrees(900);
	ck_assert_uint_eq(pt->rx.wire.gap_difference.stats.n, 899);
	measure(800, 8, 1);
	agrees(800);
	measure(100, 1, 5);
	agrees(500);
	ck_assert_uint_eq(tap.told, 3);
}
END_TEST

START_TEST(what_nobody_asks_for_is_not_captured)
{
	cl.capture = false;
	measure(100, 1, 1);
	ck_assert(!pt->rx.has_wire);
	ck_assert_uint_eq(tap.begun, 0);
	ck_assert_ptr_null(note("rx_capture_missing"));
}
END_TEST

START_TEST(what_dies_behind_the_wire_is_told)
{
	tap.eat = 10;
	measure(900, 1, 1);
	ck_assert_uint_eq(pt->rx.wire.frames, 900);
	ck_assert_uint_eq(pt->rx.unique, 810);
	ck_assert_ptr_nonnull(strstr(note("rx_capture_frames_differ"), "90 of 900 frames"));
	ck_assert_uint_eq(pt->rx.wire.gap_difference.stats.n, 809 - 89);
}
END_TEST

/* Lost before the capture: it and the socket agree. */
START_TEST(what_is_lost_in_the_network_is_seen_nowhere)
{
	net->data[SIM_TO_RESPONDER].loss = 0.2;
	measure(900, 1, 1);
	ck_assert_uint_lt(pt->rx.unique, 900);
	agrees(pt->rx.unique);
}
END_TEST

START_TEST(lost_and_doubled_control_changes_nothing)
{
	for (int way = 0; way < 2; way++)
		net->control[way] = (struct sim_impair){ .loss = 0.3, .dup = 0.2 };
	tap.unlike = 0.8;		/* START is sent again and again */
	for (int i = 0; i < 5; i++) {
		measure(200, 1, 1);
		agrees(200);
		ck_assert_int_eq(cl.captured, PACE_CAPTURE_GRANTED);
	}
	ck_assert_uint_eq(tap.begun, 5);
}
END_TEST

/* The run is over and the capture has not given all it has. */
START_TEST(a_late_capture_is_waited_for_and_no_longer)
{
	static const int64_t late[] = { 300 * MS, 1500 * MS, 60 * SEC };

	tap.late_ns = late[_i];
	measure(200, 1, 1);
	agrees(200);
	ck_assert_int_ge(net->now_ns - tap.asked_ns, late[_i] < 2 * SEC ? late[_i] : 2 * SEC);
	ck_assert_int_lt(net->now_ns - tap.asked_ns, 3 * SEC);
}
END_TEST

/* --- frames of the responder ------------------------------------------------------------- */

START_TEST(what_the_responder_sends_is_seen)
{
	const struct pace_wire_check *w = &pt->wire;

	direction = PACE_DOWN;
	tap.eat = 10;			/* behind its interface */
	tap.late_ns = 300 * MS;
	for (int i = 0; i < 2; i++) {
		measure(900, 1, 1);
		w = &pt->wire;
		ck_assert(tap.ask.departs && tap.ask.type == PACE_FRAME_DOWN);
		ck_assert(pt->has_wire && !pt->rx.has_wire && w->complete);
		ck_assert_uint_eq(pt->tx.frames, 900);
		ck_assert_uint_eq(w->frames, 900);
		ck_assert_uint_eq(w->gap.stats.n, pt->tx.gap.stats.n);
		ck_assert_uint_eq(pt->rx.unique, 810);
		ck_assert_int_ge(net->now_ns - tap.asked_ns, tap.late_ns);
		ck_assert_ptr_null(note("tx_capture_frames_differ"));
		ck_assert_ptr_null(note("tx_capture_missing"));
	}
	ck_assert_uint_eq(tap.told, 2);
}
END_TEST

START_TEST(what_the_client_receives_is_seen)
{
	direction = PACE_DOWN;
	net->responder.shared.tap = NULL;
	cl.hook = &the_tap;
	measure(900, 1, 1);
	ck_assert(!tap.ask.departs && tap.ask.type == PACE_FRAME_DOWN);
	agrees(900);
	ck_assert_uint_eq(pt->rx.wire.gap_difference.stats.n, 899);
	ck_assert(strstr(note("tx_capture_missing"), "not started with --capture") != NULL);
	tap.eat = 10;
	tap.late_ns = 60 * SEC;
	measure(200, 1, 1);
	ck_assert_uint_eq(pt->rx.wire.frames, 200);
	ck_assert_uint_eq(pt->rx.unique, 180);
	ck_assert_ptr_nonnull(strstr(note("rx_capture_frames_differ"), "lost in this host"));
	ck_assert_int_gt(tap.asked_ns, 0);
	ck_assert_int_ge(net->now_ns - tap.asked_ns, 2 * SEC);
	ck_assert_int_lt(net->now_ns - tap.asked_ns, 4 * SEC);
	tap.says = PACE_CAPTURE_ROOM;
	tap.eat = 0;
	measure(100, 1, 1);
	ck_assert(!pt->rx.has_wire && pt->rx.unique == 100);
	ck_assert(strstr(note("rx_capture_missing"), "this host did not capture") != NULL);
}
END_TEST

/* A client that is stopped ends its capture. */
START_TEST(no_capture_outlives_a_run)
{
	volatile sig_atomic_t stop = 1;

	direction = PACE_DOWN;
	net->responder.shared.tap = NULL;
	cl.hook = &the_tap;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	pt->ask = (struct pace_params){ .size_bytes = 200, .spacing = pace_spacing_from_ns(MS),
	    .count = 1000, .train = 1, .bursts = 1, .grace_ns = MS, .direction = PACE_DOWN };
	cl.stop = &stop;
	(void)pace_client_point(&cl, pt, &err);
	ck_assert(!tap.on);
	ck_assert_uint_eq(tap.begun, tap.ended);
}
END_TEST

/* --- refused ------------------------------------------------------------------------------- */

static void
refused(const char *words)
{
	ck_assert(!pt->rx.has_wire);
	ck_assert_uint_eq(pt->rx.unique, 100);
	ck_assert_ptr_nonnull(note("rx_capture_missing"));
	ck_assert_msg(strstr(note("rx_capture_missing"), words) != NULL, "%s", note("rx_capture_missing"));
	ck_assert_uint_eq(tap.begun, 0);
}

START_TEST(why_there_is_none_is_told)
{
	pol.rule[1].capture = false;
	pace_rules_set(rules, &pol);
	measure(100, 1, 1);
	refused("rule");
	pace_client_close(&cl);
	sim_pass(net, 5 * SEC);
	pol.rule[1].capture = true;
	pace_rules_set(rules, &pol);
	tap.says = PACE_CAPTURE_ROOM;
	measure(100, 1, 1);
	refused("no memory for it");
	tap.says = PACE_CAPTURE_FAILED;
	measure(100, 1, 1);
	refused("no longer be read");
	net->responder.shared.tap = NULL;
	measure(100, 1, 1);
	refused("--capture");
	net->responder.shared.lacks_pcap = true;
	measure(100, 1, 1);
	refused("libpcap");
}
END_TEST

/* It does not know the word: START is as it was, and its answer has no body. */
static enum sim_fate
make_older(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	static const char name[] = "\"capture\":true";

	(void)ctx; (void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_START)
		for (size_t i = PACE_HDR_SIZE; i + sizeof(name) <= len; i++)
			if (memcmp(buf + i, name, sizeof(name) - 1) == 0)
				buf[i + 1] = 'x';
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_START)
		sim_mend(buf, len);
	return SIM_PASS;
}

START_TEST(an_older_responder_tells_nothing)
{
	net->hook = make_older;
	measure(100, 1, 1);
	refused("--capture");
}
END_TEST

/* --- abandoned ------------------------------------------------------------------------------ */

START_TEST(whatever_ends_a_run_ends_its_capture)
{
	struct pace_msg_start m = { .limit = 100, .at_most_ns = SEC, .capture = true };

	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	m.ask = (struct pace_params){ .size_bytes = 200, .spacing = 1 << 20, .count = 100, .train = 1,
	    .bursts = 1 };
	for (uint64_t i = 0; i < 3; i++) {		/* another one */
		ck_assert_int_eq(pace_client_start(&cl, &m, &err), 0);
		ck_assert_int_eq(cl.captured, PACE_CAPTURE_GRANTED);
		ck_assert_uint_eq(tap.begun, i + 1);
		ck_assert_uint_eq(tap.ended, i);
	}
	m.pings = true;				/* one that is no stream */
	m.reply_bytes = 200;
	ck_assert_int_eq(pace_client_start(&cl, &m, &err), 0);
	ck_assert_int_eq(cl.captured, PACE_CAPTURE_NONE);
	ck_assert_uint_eq(tap.ended, 3);
	m.pings = false;
	ck_assert_int_eq(pace_client_start(&cl, &m, &err), 0);
	pace_client_close(&cl);			/* good-bye */
	ck_assert_uint_eq(tap.ended, 4);
	sim_pass(net, 5 * SEC);
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(pace_client_start(&cl, &m, &err), 0);
	sim_pass(net, 60 * SEC);		/* silence */
	ck_assert_uint_eq(tap.ended, 5);
	ck_assert_uint_eq(tap.told, 0);
}
END_TEST

/* --- messages -------------------------------------------------------------------------------- */

START_TEST(answers_to_start)
{
	static const struct { const char *body; int rc; enum pace_capture_answer said; } all[] = {
		{ "{\"capture\":\"granted\"}", 0, PACE_CAPTURE_GRANTED },
		{ "{\"capture\":\"rule\"}", 0, PACE_CAPTURE_RULE },
		{ "{\"capture\":\"what later ones say\"}", 0, PACE_CAPTURE_NONE },
		{ "{}", 0, PACE_CAPTURE_NONE },
		{ "{\"capture\":true}", -EPROTO, PACE_CAPTURE_NONE },
		{ "{\"capture\":null}", -EPROTO, PACE_CAPTURE_NONE },
	};
	struct pace_msg_started m;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		json_t *j = json_loads(all[i].body, 0, NULL);

		ck_assert_int_eq(pace_msg_started(j, &m), all[i].rc);
		ck_assert_int_eq(m.capture, all[i].said);
		json_decref(j);
	}
	ck_assert_int_eq(pace_msg_started(NULL, &m), 0);
	ck_assert_int_eq(m.capture, PACE_CAPTURE_NONE);
	for (int i = 0; i < PACE_CAPTURES; i++) {
		const struct pace_msg_started said = { .capture = (enum pace_capture_answer)i };
		json_t *j = pace_msg_started_json(&said);

		ck_assert_int_eq(pace_msg_started(j, &m), 0);
		ck_assert_int_eq(m.capture, i);
		json_decref(j);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("capture");

	unit_seed(tc);
	sim_sums(tc, "capture");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, what_arrives_agrees);
	tcase_add_test(tc, what_nobody_asks_for_is_not_captured);
	tcase_add_test(tc, what_dies_behind_the_wire_is_told);
	tcase_add_test(tc, what_is_lost_in_the_network_is_seen_nowhere);
	tcase_add_test(tc, lost_and_doubled_control_changes_nothing);
	tcase_add_loop_test(tc, a_late_capture_is_waited_for_and_no_longer, 0, 3);
	tcase_add_test(tc, what_the_responder_sends_is_seen);
	tcase_add_test(tc, what_the_client_receives_is_seen);
	tcase_add_test(tc, no_capture_outlives_a_run);
	tcase_add_test(tc, why_there_is_none_is_told);
	tcase_add_test(tc, an_older_responder_tells_nothing);
	tcase_add_test(tc, whatever_ends_a_run_ends_its_capture);
	tcase_add_test(tc, answers_to_start);
	return unit_run_apart(tc, "capture");
}
