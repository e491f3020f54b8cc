/* result.h, point_doc.h, result_doc.h: a whole document, there and back. */
#include "doc/result_doc.h"

#include <check.h>
#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/fill.h"
#include "lib/mutate.h"

static struct pace_point *p, *back;
static char path[] = "/tmp/udpace-doc-XXXXXX";

static void
setup(void)
{
	unit_file(path);
	p = pace_point_new();
	back = pace_point_new();
}

static void
teardown(void)
{
	unlink(path);
	pace_point_free(p);
	pace_point_free(back);
}

static char *words[] = { (char[]){ "udpace" }, (char[]){ "throughput" },
    (char[]){ "caf\xe9\033" } };

static struct pace_result
known_head(void)
{
	struct pace_result r = {
		.kind = "throughput", .started = "2026-11-20T15:04:05.123456789Z",
		.argc = 3, .argv = words, .host = "hostA", .target = "hostB", .address = "10.0.0.2",
		.port = 14233, .label = "nightly", .has_responder = true,
		.client = { .version = "0.1.0", .kernel = "Linux 6.1", .cores = 2 },
		.responder = { .version = "0.1.1", .machine = "aarch64" },
	};

	pace_note(&r.notes, "path", "text");
	return r;
}

START_TEST(a_new_point_is_whole_and_empty)
{
	ck_assert(pace_point_broken(p) == NULL);
	ck_assert_ptr_eq(p->rx.linear.count, p->rx.linear_counts);
	ck_assert_uint_eq(p->ask.train, 1);
	ck_assert_uint_eq(p->ask.bursts, 1);
}
END_TEST

START_TEST(a_note_is_there_once_and_clean)
{
	struct pace_notes n = { 0 };
	char code[16];

	pace_note(&n, "a", "one\n%s", "\033[2J");
	pace_note(&n, "a", "two");
	ck_assert_int_eq(n.n, 1);
	ck_assert_str_eq(n.v[0].text, "one??[2J");
	for (int i = 0; i < PACE_NOTES + 3; i++) {
		snprintf(code, sizeof(code), "c%d", i);
		pace_note(&n, code, "%0500d", i);
	}
	ck_assert_int_eq(n.n, PACE_NOTES);
	snprintf(code, sizeof(code), "c%d", PACE_NOTES - 2);
	ck_assert_str_eq(n.v[PACE_NOTES - 1].code, code);
	ck_assert_uint_eq(strlen(n.v[1].text), sizeof(n.v[1].text) - 1);
}
END_TEST

/* Every identity, broken by one. */
START_TEST(a_broken_identity_is_named)
{
	uint64_t *figure[] = { &p->ledger.asked, &p->tx.frames, &p->tx.refused,
	    &p->ledger.tx_refused, &p->rx.frames, &p->rx.unique, &p->rx.duplicates,
	    &p->rx.lost, &p->ledger.place[PACE_RX_SOCKET].n, &p->ledger.place[PACE_NETWORK].n,
	    &p->tx.gap.pos[3], &p->tx.gap_error.neg[3], &p->rx.gap.pos[0],
	    &p->rx.gap_error.neg[0], &p->rx.runs.pos[7], &p->rx.loss_distances.pos[7],
	    &p->rx.loss_free_runs.pos[7], &p->rx.extent.pos[7], &p->rx.late_ns.pos[7],
	    &p->rx.owd.pos[7], &p->rx.owd_scheduled.pos[7], &p->rx.pdv.pos[7],
	    &p->rx.ipdv.neg[7], &p->rx.invalid_timestamps, &p->rx.records };

	ck_assert_int_eq(COUNT_OF(figure), 25);
	fill_known(p);
	ck_assert(pace_point_broken(p) == NULL);
	++*figure[_i];
	ck_assert(pace_point_broken(p) != NULL);
	if (_i != 1 && _i != 2) {		/* the sender's own still hold */
		p->has_rx = false;
		ck_assert_int_eq(pace_point_broken(p) != NULL,
		    _i == 0 || _i == 3 || _i == 10 || _i == 11);
	}
}
END_TEST

/* Those of delays and clocks, one after the other; false: no more. */
static bool
spoil_clock(int i)
{
	struct pace_clock *c = &p->clock;

	switch (i) {
	case 0: c->exchanges = 0; break;
	case 1: c->min_rtt_ns--; break;
	case 2: c->min_rtt_ns = c->before_ns; break;
	case 3: c->min_rtt_ns = c->before_ns = c->during_ns = PACE_NO_TIME; break;
	case 4: c->after_ns = c->min_rtt_ns - 1; break;
	case 5: c->fit.bound_ns += 1; break;
	case 6: c->fit.v[0].bound_ns += 1; break;
	case 7: c->fit.uncertainty_ns = c->fit.bound_ns + 1; break;
	case 8: c->fit.segments = 0; break;
	default: return false;
	}
	return true;
}

START_TEST(a_clock_that_contradicts_itself_is_named)
{
	fill_known(p);
	if (_i == 9)
		ck_assert(!spoil_clock(_i));
	else
		ck_assert(spoil_clock(_i) && pace_point_broken(p) != NULL);
	p->has_rx = false;		/* a failed run may have had exchanges only */
	ck_assert_int_eq(pace_point_broken(p) == NULL, _i >= 8);
}
END_TEST

static void
spoil_delays(int i)
{
	struct pace_rx_result *r = &p->rx;

	switch (i) {
	case 0: pace_hist_add(&r->owd, 5); break;
	case 1: pace_hist_add_n(&r->owd_scheduled, 5, 2); break;
	case 2: r->has_owd = false; break;
	case 3: pace_hist_add(&r->ipdv, 5); break;
	case 4: r->has_owd = false; pace_hist_reset(&r->owd);
		pace_hist_reset(&r->owd_scheduled); break;	/* and not relative */
	case 5: p->ask.record.room = 3; r->records = 4; break;
	}
}

START_TEST(delays_that_contradict_each_other_are_named)
{
	fill_known(p);
	spoil_delays(_i);
	ck_assert(pace_point_broken(p) != NULL);
	p->owd_relative = true;
	ck_assert_int_eq(pace_point_broken(p) == NULL, _i == 4);
}
END_TEST

START_TEST(what_is_possible_is_not_named)
{
	fill_known(p);
	p->ask.record.room = p->rx.records = 4;
	p->rx.records_missed = 100;
	p->owd_relative = true;			/* the rx_result keeps what it had */
	ck_assert(pace_point_broken(p) == NULL);
	p->clock.exchanges = 0;
	p->clock.fit.segments = 0;
	ck_assert(pace_point_broken(p) == NULL);
	p->owd_relative = false;
	ck_assert(pace_point_broken(p) != NULL);
}
END_TEST

static void
check_tx(const struct pace_tx *a, const struct pace_tx *b)
{
	ck_assert_uint_eq(a->frames, b->frames);
	ck_assert_uint_eq(a->bytes, b->bytes);
	ck_assert_int_eq(a->duration_ns, b->duration_ns);
	ck_assert_double_eq_tol(a->user_rate_bps, b->user_rate_bps, 1e-11 * a->user_rate_bps + 1e-9);
	ck_assert_double_eq_tol(a->wire_rate_bps, b->wire_rate_bps, 1e-11 * a->wire_rate_bps + 1e-9);
	ck_assert_uint_eq(a->late_frames, b->late_frames);
	ck_assert_uint_eq(a->refused, b->refused);
	ck_assert_int_eq(a->refused_errno, b->refused_errno);
	ck_assert_uint_eq(a->schedule_shifts, b->schedule_shifts);
	ck_assert_int_eq(a->schedule_shifted_ns, b->schedule_shifted_ns);
	ck_assert_mem_eq(&a->stalls, &b->stalls, sizeof(a->stalls));
	ck_assert_int_eq(a->stamp, b->stamp);
	ck_assert_uint_eq(a->sndbuf_asked, b->sndbuf_asked);
	ck_assert_uint_eq(a->sndbuf_granted, b->sndbuf_granted);
	ck_assert_int_eq(a->engine, b->engine);
	ck_assert_int_eq(a->qdisc_bypass, b->qdisc_bypass);
	ck_assert_uint_eq(a->skipped, b->skipped);
	ck_assert_uint_eq(a->preempted, b->preempted);
	ck_assert_int_eq(a->steal_ns, b->steal_ns);
	ck_assert_mem_eq(a->stack.pos, b->stack.pos, sizeof(a->stack.pos));
	ck_assert_mem_eq(a->gap.pos, b->gap.pos, sizeof(a->gap.pos));
	ck_assert_mem_eq(a->gap_error.neg, b->gap_error.neg, sizeof(a->gap_error.neg));
}

static void
check_ask(const struct pace_params *a, const struct pace_params *b)
{
	double spacing = (double)a->spacing;

	ck_assert_uint_eq(a->size_bytes, b->size_bytes);
	ck_assert_double_eq_tol(spacing, (double)b->spacing, 1e-11 * spacing + 0.5);
	if ((a->spacing & UINT32_MAX) == 0)
		ck_assert_uint_eq(a->spacing, b->spacing);
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_int_eq(a->duration_ns, b->duration_ns);
	ck_assert_uint_eq(a->train, b->train);
	ck_assert_int_eq(a->catch_up, b->catch_up);
	ck_assert_int_eq(a->ecn, b->ecn);
	ck_assert_int_eq(a->busy_poll, b->busy_poll);
	ck_assert_int_eq(a->nic, b->nic);
	ck_assert_uint_eq(a->bursts, b->bursts);
	ck_assert_int_eq(a->burst_gap_ns, b->burst_gap_ns);
	ck_assert_int_eq(a->verify, b->verify);
	ck_assert_int_eq(a->grace_ns, b->grace_ns);
	ck_assert_int_eq(a->linear.low, b->linear.low);
	ck_assert_int_eq(a->linear.width, b->linear.width);
	ck_assert_uint_eq(a->linear.bins, b->linear.bins);
}

static void
check_notes(const struct pace_notes *a, const struct pace_notes *b)
{
	ck_assert_int_eq(a->n, b->n);
	for (int i = 0; i < a->n; i++) {
		ck_assert_str_eq(a->v[i].code, b->v[i].code);
		ck_assert_str_eq(a->v[i].text, b->v[i].text);
	}
}

/* Absolute values are read only if they were written. */
static void
check_delays(const struct pace_point *a, const struct pace_point *b)
{
	const struct pace_rx_result *r = &a->rx, *s = &b->rx;

	ck_assert_int_eq(b->owd_relative, a->owd_relative);
	ck_assert_uint_eq(b->ask.record.room, a->ask.record.room);
	ck_assert_uint_eq(b->clock.exchanges, a->clock.exchanges);
	ck_assert_int_eq(b->clock.fit.segments, a->clock.fit.segments);
	if (!a->has_rx)
		return;
	ck_assert_int_eq(s->has_owd, r->has_owd && !a->owd_relative);
	ck_assert_uint_eq(s->owd.stats.n, s->has_owd ? r->owd.stats.n : 0);
	ck_assert_uint_eq(s->owd_scheduled.stats.n, s->has_owd ? r->owd_scheduled.stats.n : 0);
	ck_assert_mem_eq(s->pdv.pos, r->pdv.pos, sizeof(r->pdv.pos));
	ck_assert_mem_eq(s->ipdv.neg, r->ipdv.neg, sizeof(r->ipdv.neg));
	if (a->ask.record.room > 0) {
		ck_assert_uint_eq(b->ask.record.skip, a->ask.record.skip);
		ck_assert_int_eq(b->ask.record.lost_only, a->ask.record.lost_only);
	}
}

static void
check_ledger(const struct pace_ledger *a, const struct pace_ledger *b)
{
	ck_assert_uint_eq(a->asked, b->asked);
	ck_assert_uint_eq(a->tx_refused, b->tx_refused);
	for (int i = 0; i < PACE_PLACES; i++) {
		ck_assert_int_eq(a->place[i].known, b->place[i].known);
		ck_assert_uint_eq(a->place[i].n, b->place[i].n);
		ck_assert_uint_eq(a->place[i].low, b->place[i].low);
		ck_assert_uint_eq(a->place[i].high, b->place[i].high);
	}
}

static void
check_energy(const struct pace_energy *a, const struct pace_energy *b)
{
	ck_assert_int_eq(a->known, b->known);
	ck_assert_str_eq(a->why, b->why);
	ck_assert_int_eq(a->domains, b->domains);
	ck_assert_int_eq(a->has_idle, b->has_idle);
	ck_assert_double_eq_tol(a->idle_watts, b->idle_watts, 1e-9);
	for (int i = 0; i < a->domains; i++) {
		ck_assert_str_eq(a->v[i].name, b->v[i].name);
		ck_assert_int_eq(a->v[i].counted, b->v[i].counted);
		ck_assert_double_eq_tol(a->v[i].joules, b->v[i].joules, 1e-6);
	}
}

static void
check_counters(const struct pace_counters *a, const struct pace_counters *b)
{
	ck_assert_int_eq(a->known, b->known);
	if (!a->known)
		return;
	ck_assert_int_eq(a->at_ns, b->at_ns);
	ck_assert_mem_eq(&a->thread, &b->thread, sizeof(a->thread));
	ck_assert_uint_eq(a->cores, b->cores);
	ck_assert_mem_eq(a->core, b->core, a->cores * sizeof(*a->core));
	ck_assert_mem_eq(a->all.ns, b->all.ns, sizeof(a->all.ns));
	ck_assert_mem_eq(a->all.n, b->all.n, sizeof(a->all.n));
	ck_assert_uint_eq(a->interfaces, b->interfaces);
	for (uint32_t i = 0; i < a->interfaces; i++) {
		ck_assert_str_eq(a->interface[i].name, b->interface[i].name);
		ck_assert_int_eq(a->interface[i].route, b->interface[i].route);
		ck_assert_mem_eq(a->interface[i].n, b->interface[i].n, sizeof(a->interface[i].n));
		ck_assert_int_eq(a->interface[i].has_qdisc, b->interface[i].has_qdisc);
		ck_assert_uint_eq(a->interface[i].qdisc_drops, b->interface[i].qdisc_drops);
	}
	ck_assert_uint_eq(a->stats, b->stats);
	for (uint32_t i = 0; i < a->stats; i++) {
		ck_assert_uint_eq(a->stat[i].interface, b->stat[i].interface);
		ck_assert_str_eq(a->stat[i].name, b->stat[i].name);
		ck_assert_uint_eq(a->stat[i].n, b->stat[i].n);
	}
	ck_assert_mem_eq(a->has_snmp, b->has_snmp, sizeof(a->has_snmp));
	ck_assert_mem_eq(a->snmp, b->snmp, sizeof(a->snmp));
	ck_assert_mem_eq(a->has_core, b->has_core, sizeof(a->has_core));
	check_energy(&a->energy, &b->energy);
}

START_TEST(a_point_comes_back)
{
	struct pace_notes notes;
	json_t *j, *k;

	fill_salt(_i);
	fill_point(p, (uint64_t)_i < 3 ? (uint64_t)_i : 1 + fill_below(FILL_MAX));
	p->has_rx = _i % 5 != 4;
	ck_assert_msg(pace_point_broken(p) == NULL, "%s", pace_point_broken(p));
	j = pace_point_to_json(p);
	k = mutate_through_text(j);
	memset(&back->ask, 0x5a, sizeof(back->ask));
	memset(&back->rx, 0x5a, sizeof(back->rx));
	ck_assert_int_eq(pace_point_from_json(back, k), 0);
	check_ask(&p->ask, &back->ask);
	check_tx(&p->tx, &back->tx);
	pace_point_notes(p, &notes);
	check_notes(&notes, &back->notes);
	ck_assert_int_eq(back->verdict, p->verdict);
	ck_assert_int_eq(back->interrupted, p->interrupted);
	ck_assert_int_eq(back->has_rx, p->has_rx);
	check_delays(p, back);
	if (p->has_rx)
		check_ledger(&back->ledger, &p->ledger);
	check_counters(&back->ours, &p->ours);
	if (p->has_rx)
		check_counters(&back->theirs, &p->theirs);
	json_decref(j);
	json_decref(k);
}
END_TEST

/* A second time gives the same text: nothing is lost or invented. */
START_TEST(a_point_read_back_is_written_alike)
{
	char *text, *again;
	json_t *j;

	fill_salt(_i + 1000);
	fill_point(p, 300);
	p->ask.spacing &= ~(uint64_t)UINT32_MAX;
	text = pace_result_dump(pace_point_to_json(p), NULL);
	j = json_loads(text, 0, NULL);
	ck_assert_int_eq(pace_point_from_json(back, j), 0);
	again = pace_result_dump(pace_point_to_json(back), NULL);
	ck_assert_str_eq(text, again);
	free(text);
	free(again);
	json_decref(j);
}
END_TEST

START_TEST(a_whole_spacing_is_an_integer)
{
	static const struct { uint64_t spacing; const char *text; } want[] = {
		{ 0, "0" }, { UINT64_C(10000) << 32, "10000" },
		{ (UINT64_C(3) << 31), "1.5" }, { UINT64_C(2000000000) << 32, "2000000000" },
	};
	json_t *j;
	char *text;

	p->ask.spacing = want[_i].spacing;
	j = pace_point_to_json(p);
	text = json_dumps(json_object_get(j, "spacing_ns"), JSON_ENCODE_ANY);
	ck_assert_str_eq(text, want[_i].text);
	free(text);
	json_decref(j);
}
END_TEST

START_TEST(without_an_rx_result_its_members_are_null_and_a_note_says_why)
{
	static const char *const null[] = { "rx", "loss", "duplicates", "replicated",
	    "corrupt", "foreign", "reordering", "owd_ns", "owd_scheduled_ns", "pdv_ns",
	    "ipdv_ns", "jitter_rfc3550_ns", "jitter_rfc3550_max_ns", "invalid_timestamps", "marks", "records",
	    "wall_clock" };
	json_t *j, *ledger;
	char *notes;

	fill_known(p);
	p->has_rx = false;
	p->ask.verify = true;
	j = pace_point_to_json(p);
	for (int i = 0; i < COUNT_OF(null); i++)
		ck_assert_msg(json_is_null(json_object_get(j, null[i])), "%s", null[i]);
	ledger = json_object_get(j, "ledger");
	ck_assert(json_is_null(json_object_get(ledger, "network")));
	ck_assert(json_is_null(json_object_get(ledger, "rx_socket")));
	ck_assert_int_eq(json_integer_value(json_object_get(ledger, "asked")), 50000);
	notes = json_dumps(json_object_get(j, "notes"), JSON_COMPACT);
	ck_assert(strstr(notes, "{\"code\":\"rx_missing\"") != NULL);
	free(notes);
	json_decref(j);
}
END_TEST

START_TEST(a_relative_delay_is_not_told)
{
	json_t *j;

	fill_known(p);
	p->owd_relative = _i == 1;
	j = pace_point_to_json(p);
	ck_assert_int_eq(json_is_null(json_object_get(j, "owd_ns")), _i);
	ck_assert_int_eq(json_is_null(json_object_get(j, "owd_scheduled_ns")), _i);
	ck_assert(json_is_object(json_object_get(j, "pdv_ns")));
	ck_assert(p->rx.has_owd && p->rx.owd.stats.n == 49976);
	ck_assert_int_eq(pace_point_from_json(back, j), 0);
	json_object_set_new(j, "owd_relative", json_boolean(_i == 0));
	ck_assert_int_eq(pace_point_from_json(back, j), -EPROTO);
	json_decref(j);
}
END_TEST

static const char *const may_be_absent[] = {
	"/direction", "/ecn", "/record", "/asked_duration_ns", "/burst_gap_ns", "/linear", "/tx/refused_errno",
	"/tx/sndbuf_asked_bytes", "/tx/sndbuf_granted_bytes", "/notes/*", "/ledger/bounds/*",
	"/tx/gap_ns/bins", "/tx/gap_error_ns/bins", "/tx/tx_stack_delay_ns/bins",	/* a short document */
	"/tx/stamped_gap_error_ns", "/tx/stamped_gap_error_ns/bins", "/departed_near_share",
	"/tx/qdisc_bypass", NULL
};

/* test_rx_result_doc tests the responder's members. */
START_TEST(no_member_of_the_sender_can_be_spoiled_unseen)
{
	static const char *const others[] = { "/rx*", "/loss*", "/duplicates",
	    "/replicated", "/corrupt", "/foreign", "/reordering*", "/marks*",
	    "/tx/gap_ns/percentiles*", "/tx/gap_error_ns/percentiles*",
	    "/tx/tx_stack_delay_ns/percentiles*", "/tx/stamped_gap_error_ns/percentiles*",
	    "/departed_near_share", "/owd_*", "/pdv_ns*", "/ipdv_ns*", "/jitter*",
	    "/invalid_timestamps", "/wall_clock*", "/clock/*",	/* test_clock_doc */
	    "/cpu*", "/counters*", "/ledger/interface_frames*", "/ledger/diagnosis",
	    "/ledger/unscheduled",
	    "/tx/refusals/*", NULL };
	json_t *good, *bad;
	char where[256];
	int rc, node;

	unit_state = 11;
	fill_point(p, 40);
	p->ask.record.room = 5000;
	p->ask.bursts = 2;
	p->tx.sndbuf_asked = 100;
	pace_note(&p->notes, "code", "text");
	good = pace_point_to_json(p);
	for (node = 1; (bad = mutate(good, node, _i, where)) != NULL; node++) {
		rc = pace_point_from_json(back, bad);
		json_decref(bad);
		if (mutate_listed(others, where))
			continue;
		if (_i == MUTATE_REMOVE && !mutate_listed(may_be_absent, where))
			ck_assert_msg(rc == -EPROTO, "%s may not be missing", where);
		if (_i == 2 && strncmp(where, "/notes/", 7) != 0)
			ck_assert_msg(rc == -EPROTO, "%s of a wrong type", where);
		if (_i == 8 && strcmp(where, "/verify") != 0 &&
		    strcmp(where, "/busy_poll") != 0 && strcmp(where, "/record/lost_only") != 0 &&
		    strcmp(where, "/ipv6") != 0 && strcmp(where, "/tx/qdisc_bypass") != 0 &&
		    strcmp(where, "/interrupted") != 0)
			ck_assert_msg(rc == -EPROTO, "%s of a wrong type", where);
		if (_i == 3 && strcmp(where, "/linear/low_ns") != 0 &&
		    strstr(where, "gap_error_ns/") == NULL &&
		    strstr(where, "stack_ns/") == NULL)
			ck_assert_msg(rc == -EPROTO, "%s may not be negative", where);
		if (_i == 9 && (strcmp(where, "/tx/frames") == 0 ||
		    strcmp(where, "/tx/refused") == 0 || (strncmp(where, "/ledger/", 8) == 0 &&
		    strncmp(where, "/ledger/bounds", 14) != 0)))
			ck_assert_msg(rc == -EPROTO, "%s lies", where);
	}
	ck_assert_int_gt(node, 100);
	json_decref(good);
}
END_TEST

/* A clock that went backwards leaves no duration: null, and no rates. */
START_TEST(a_negative_duration_is_null_and_comes_back_as_none)
{
	json_t *j;

	fill_known(p);
	p->tx.duration_ns = p->rx.duration_ns = -1;
	j = pace_point_to_json(p);
	ck_assert(json_is_null(json_object_get(json_object_get(j, "rx"), "duration_ns")));
	ck_assert(json_is_null(json_object_get(json_object_get(j, "tx"), "wire_rate_bps")));
	ck_assert_int_eq(pace_point_from_json(back, j), 0);
	ck_assert_int_eq(back->rx.duration_ns, 0);
	json_decref(j);
}
END_TEST

static void
write_known(int points)
{
	struct pace_result r = known_head();
	char *text[8] = { NULL };
	FILE *f = fopen(path, "w");

	for (int i = 0; i < points; i++) {
		pace_point_free(p);
		p = pace_point_new();
		fill_point(p, 1 + fill_below(500));
		p->has_rx = i != 2;
		text[i] = pace_result_dump(pace_point_to_json(p), NULL);
		ck_assert_ptr_nonnull(text[i]);
	}
	ck_assert_int_eq(pace_result_write_with(f, &r, NULL, text, (size_t)points), 0);
	fclose(f);
	for (int i = 0; i < points; i++)
		free(text[i]);
}

START_TEST(a_document_is_loaded_with_its_head_and_points)
{
	struct pace_result r = known_head();
	struct pace_head h;
	struct pace_err err;
	json_t *doc;

	fill_salt(_i);
	write_known(_i);
	ck_assert_int_eq(pace_result_load(path, &doc, &err), 0);
	ck_assert_uint_eq(json_array_size(json_object_get(doc, "points")), (size_t)_i);
	ck_assert_int_eq(pace_head_from_json(&h, doc), 0);
	ck_assert_str_eq(h.r.kind, r.kind);
	ck_assert_str_eq(h.r.started, r.started);
	ck_assert_int_eq(h.r.argc, 3);
	ck_assert_str_eq(h.r.argv[1], "throughput");
	ck_assert_str_eq(h.r.argv[2], "caf??");
	ck_assert_str_eq(h.r.host, r.host);
	ck_assert_str_eq(h.r.target, r.target);
	ck_assert_str_eq(h.r.address, r.address);
	ck_assert_uint_eq(h.r.port, r.port);
	ck_assert_str_eq(h.r.label, r.label);
	ck_assert_int_eq(h.r.has_responder, 1);
	ck_assert_mem_eq(&h.r.client, &r.client, sizeof(r.client));
	ck_assert_mem_eq(&h.r.responder, &r.responder, sizeof(r.responder));
	check_notes(&h.r.notes, &r.notes);
	pace_head_free(&h);
	pace_head_free(&h);
	json_decref(doc);
}
END_TEST

static int
last_byte(void)
{
	FILE *f = fopen(path, "r");
	int c;

	fseek(f, -2, SEEK_END);
	ck_assert_int_eq(fgetc(f), '}');
	c = fgetc(f);
	fclose(f);
	return c;
}

START_TEST(a_document_ends_with_one_newline)
{
	write_known(_i);
	ck_assert_int_eq(last_byte(), '\n');
}
END_TEST

START_TEST(a_full_disk_is_noticed)
{
	struct pace_result r = known_head();
	FILE *f = fopen("/dev/full", "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(pace_result_write_with(f, &r, NULL, NULL, 0), -ENOSPC);
	fclose(f);
}
END_TEST

static const struct { const char *text; int rc; const char *says; } files[] = {
	{ "", -EPROTO, "line 1" },
	{ "{\"schema\":\"udpace-result/1\"", -EPROTO, "line 1" },
	{ "{\"schema\":\"udpace-result/1\"}x", -EPROTO, "line 1" },
	{ "{\"schema\":\"udpace-result/1\",\"a\":1,\"a\":2}", -EPROTO, "duplicate" },
	{ "{\"schema\":\"udpace-result/1\",\"a\":NaN}", -EPROTO, "line 1" },
	{ "[]", -EPROTO, "no \"schema\"" },
	{ "{}", -EPROTO, "no \"schema\"" },
	{ "{\"schema\":1}", -EPROTO, "no \"schema\"" },
	{ "{\"schema\":\"other/1\"}", -EPROTO, "other/1" },
	{ "{\"schema\":\"udpace-result/2\"}", -EPROTONOSUPPORT, "udpace-result/2" },
	{ "{\"schema\":\"udpace-result/1\"}", 0, "" },
};

START_TEST(what_is_no_document_of_ours_is_not_loaded)
{
	FILE *f = fopen(path, "w");
	struct pace_err err = { 0 };
	json_t *doc;

	fputs(files[_i].text, f);
	fclose(f);
	ck_assert_int_eq(pace_result_load(path, &doc, &err), files[_i].rc);
	ck_assert_int_eq(doc != NULL, files[_i].rc == 0);
	ck_assert_msg(strstr(err.text, files[_i].says) != NULL, "%s", err.text);
	json_decref(doc);
}
END_TEST

START_TEST(a_file_that_cannot_be_opened_says_so)
{
	struct pace_err err;
	json_t *doc;

	ck_assert_int_eq(pace_result_load("/nowhere/x", &doc, &err), -ENOENT);
	ck_assert(strstr(err.text, "/nowhere/x") != NULL);
	ck_assert_int_lt(pace_result_load("/tmp", &doc, &err), 0);	/* a directory */
	ck_assert_ptr_null(doc);
}
END_TEST

START_TEST(a_spoiled_head_is_refused_or_read_without_harm)
{
	static const char *const optional[] = { "/target", "/address", "/port",
	    "/host", "/label", "/responder", "/notes/*", "/command/*", "/client/*",
	    "/responder/*", "/schema", "/version", NULL };
	struct pace_result r = known_head();
	json_t *good = pace_result_head_to_json(&r), *bad;
	struct pace_head h;
	char where[256];
	int rc;

	for (int node = 1; (bad = mutate(good, node, _i, where)) != NULL; node++) {
		rc = pace_head_from_json(&h, bad);
		if (_i == MUTATE_REMOVE && !mutate_listed(optional, where))
			ck_assert_msg(rc == -EPROTO, "%s may not be missing", where);
		if (_i == 3 && strcmp(where, "/schema") != 0 && strcmp(where, "/version") != 0)
			ck_assert_msg(rc == -EPROTO, "%s of a wrong type", where);
		if (rc == 0)
			pace_head_free(&h);
		json_decref(bad);
	}
	json_decref(good);
}
END_TEST

/* The exit status of validate.py, 77 when it cannot run. */
static int
validate(const char *doc)
{
	const char *python = getenv("PYTHON3"), *top = getenv("top_srcdir");
	char command[1024];
	int status;

	if (python == NULL || python[0] == '\0' || top == NULL)
		return 77;
	snprintf(command, sizeof(command), "'%s' '%s/tests/lib/validate.py' "
	    "'%s/src/doc/udpace-result.schema.json' '%s'", python, top, top, doc);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Documents that are complete, and documents that --resume can complete. */
static const struct { const char *text; bool whole; } wholes[] = {
	{ "{'interrupted':false,'points':[{}]}", true },
	{ "{'interrupted':false,'points':[{},{}],'notes':[]}", true },
	{ "{'interrupted':true,'points':[{}]}", false },
	{ "{'points':[{}]}", false },
	{ "{'interrupted':0,'points':[{}]}", false },
	{ "{'interrupted':false,'points':[]}", false },
	{ "{'interrupted':false,'points':5}", false },
	{ "{'interrupted':false}", false },
	{ "{'interrupted':false,'points':[{}],'failed':[{}]}", false },
	{ "{'interrupted':false,'points':[{}],'failed':null}", false },
	{ "[]", false },
};

START_TEST(a_document_is_whole_or_something_is_missing)
{
	char text[128];
	json_t *doc;

	snprintf(text, sizeof(text), "%s", wholes[_i].text);
	for (char *c = text; *c != '\0'; c++)
		if (*c == '\'')
			*c = '"';
	doc = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(doc);
	ck_assert(pace_result_is_whole(doc) == wholes[_i].whole);
	json_decref(doc);
}
END_TEST

START_TEST(every_document_is_of_the_schema)
{
	int status;

	fill_salt(_i);
	write_known(_i);
	status = validate(path);
	ck_assert_msg(status == 0 || status == 77, "validate.py: %d", status);
}
END_TEST

/* The schema and the identities see what is wrong. */
START_TEST(a_spoiled_document_is_not_of_the_schema)
{
	static const struct { const char *object, *member, *value; } spoil[] = {
		{ NULL, "count", "-1" }, { NULL, "verdict", "\"good\"" },
		{ NULL, "rx", "{}" }, { NULL, "duplicates", "null" },
		{ "tx", "frames", "\"1\"" }, { "tx", "user_rate_bps", "0" },
		{ "tx", "gap_ns", "{\"unit\":\"frames\",\"count\":0,\"bins\":[]}" },
		{ "rx", "stamp", "\"none\"" }, { "rx", "unstamped", "1.5" },
		{ "loss", "frames", "1000000" }, { "ledger", "network", "77777" },
		{ "rx", "gap_ns", "{\"unit\":\"ns\",\"count\":0,\"bins\":[[1,2,1]]}" },
		{ NULL, "pdv_ns", "null" }, { NULL, "owd_ns", "7" }, { NULL, "owd_relative", "0" },
		{ NULL, "owd_scheduled_ns", "{}" }, { NULL, "jitter_rfc3550_ns", "-0.5" },
		{ NULL, "jitter_rfc3550_max_ns", "\"1\"" }, { NULL, "invalid_timestamps", "null" },
		{ NULL, "records", "{\"kept\":1}" }, { NULL, "wall_clock", "true" },
		{ NULL, "ipdv_ns", "{\"unit\":\"frames\",\"count\":0,\"bins\":[]}" },
		{ NULL, "record", "{\"room\":0,\"skip\":0,\"lost_only\":true}" },
		{ NULL, "clock", "null" }, { "clock", "exchanges", "-1" },
		{ "clock", "offset_ns", "1.5" }, { "clock", "offset_error_max_ns", "-1" },
		{ "clock", "one_segment", "1" }, { "clock", "min_rtt_ns", "\"5\"" },
		{ "clock", "segments", "[{}]" }, { "clock", "segments", "null" },
		{ "clock", "client", "{\"steps\":0}" }, { "clock", "skew_ppm", "1001" },
		{ "clock", "responder", "{\"steps\":0,\"slews\":0,\"synchronised\":true}" },
		{ "wall_clock", "error_ns", "1.5" }, { "wall_clock", "frequency_ppm", "null" },
	};
	json_t *doc, *point, *o;
	int status;

	do
		write_known(1);
	while (!p->clock.ours.known || p->clock.exchanges == 0 || !p->rx.clock.known ||
	    p->owd_relative);
	ck_assert_int_eq(pace_result_load(path, &doc, NULL), 0);
	point = json_array_get(json_object_get(doc, "points"), 0);
	o = spoil[_i].object != NULL ? json_object_get(point, spoil[_i].object) : point;
	json_object_set_new(o, spoil[_i].member,
	    json_loads(spoil[_i].value, JSON_DECODE_ANY, NULL));
	json_dump_file(doc, path, 0);
	json_decref(doc);
	status = validate(path);
	ck_assert_msg(status == 1 || status == 77, "validate.py: %d", status);
}
END_TEST

static void
add_document_tests(TCase *tc)
{
	tcase_add_loop_test(tc, a_document_is_loaded_with_its_head_and_points, 0, 4);
	tcase_add_loop_test(tc, a_document_ends_with_one_newline, 0, 2);
	tcase_add_test(tc, a_full_disk_is_noticed);
	tcase_add_loop_test(tc, what_is_no_document_of_ours_is_not_loaded, 0, COUNT_OF(files));
	tcase_add_test(tc, a_file_that_cannot_be_opened_says_so);
	tcase_add_loop_test(tc, a_spoiled_head_is_refused_or_read_without_harm, 0, MUTATE_KINDS);
	tcase_add_loop_test(tc, a_document_is_whole_or_something_is_missing, 0, COUNT_OF(wholes));
	tcase_add_loop_test(tc, every_document_is_of_the_schema, 0, 8);
	tcase_add_loop_test(tc, a_spoiled_document_is_not_of_the_schema, 0, 36);
}

int
main(void)
{
	TCase *tc = tcase_create("result_doc");

	unit_seed(tc);
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_new_point_is_whole_and_empty);
	tcase_add_test(tc, a_note_is_there_once_and_clean);
	tcase_add_loop_test(tc, a_broken_identity_is_named, 0, 25);
	tcase_add_loop_test(tc, a_clock_that_contradicts_itself_is_named, 0, 10);
	tcase_add_loop_test(tc, delays_that_contradict_each_other_are_named, 0, 6);
	tcase_add_test(tc, what_is_possible_is_not_named);
	tcase_add_loop_test(tc, a_relative_delay_is_not_told, 0, 2);
	tcase_add_loop_test(tc, a_point_comes_back, 0, 30);
	tcase_add_loop_test(tc, a_point_read_back_is_written_alike, 0, 10);
	tcase_add_loop_test(tc, a_whole_spacing_is_an_integer, 0, 4);
	tcase_add_test(tc, without_an_rx_result_its_members_are_null_and_a_note_says_why);
	tcase_add_loop_test(tc, no_member_of_the_sender_can_be_spoiled_unseen, 0, MUTATE_KINDS);
	tcase_add_test(tc, a_negative_duration_is_null_and_comes_back_as_none);
	add_document_tests(tc);
	return unit_run(tc, "result_doc");
}
