/* Every text output with the longest possible values: lines have at most 80 columns, and a word
 * is broken only if it is longer than a line. */
#include <math.h>
#include <string.h>

#include "core/policy.h"
#include "lib/unit.h"
#include "out/capacity_text.h"
#include "out/capture_text.h"
#include "out/checkup_text.h"
#include "out/clock_text.h"
#include "out/conclusions_text.h"
#include "out/latency_text.h"
#include "out/policy_text.h"
#include "out/sweep_text.h"
#include "out/table.h"
#include "out/text.h"

#define MANY		UINT64_C(98765432101234)
#define LONG_NS		INT64_C(98765432101234)
#define FAST_BPS	987654321012.0
#define IPV6		"2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff"
#define COLUMNS		80

static const char label[] = "a-label-without-a-blank-that-fits-every-line-there-is",
    device[] = "enp0s31f6np0123";
static char host[128];		/* the longest name there is: longer than a line */

static char text[1 << 16];
static struct pace_point *pt;
static struct pace_latency *trips;
static struct pace_seen *seen;
static struct pace_capture captured;
static struct pace_capacity found;
static struct pace_capacity_trial trial;
static struct pace_result result;
static struct pace_checkup checkup;
static struct pace_policy policy;
static struct pace_known_keys keys;
static struct pace_conclusions conclusions;

/* As many as there is room for. */
static void
fill_words(char *to, size_t size, const char *word)
{
	size_t n = 0;

	for (to[0] = '\0'; n + strlen(word) + 2 < size; n = strlen(to))
		snprintf(to + n, size - n, "%s%s", n > 0 ? " " : "", word);
}

/* One value a thousand times: all quantiles are there. */
static void
fill_hist(struct pace_hist *h, int64_t v)
{
	for (int i = 0; i < 100000; i++)
		pace_hist_add(h, i % 2 == 0 ? v : v / 7);
}

static void
fill_result(void)
{
	for (size_t i = 0; i < sizeof(host) - 1; i++)
		host[i] = i % 20 == 19 ? '.' : (char)('a' + i % 20);
	result = (struct pace_result){ .kind = "throughput", .address = IPV6, .port = 65535,
	    .started = "2026-11-20T15:04:05.123456789Z" };
	memcpy(result.target, host, sizeof(host));
	memcpy(result.label, label, sizeof(label));
	pace_note(&result.notes, "client_rmem_max", "text");
	pace_note(&result.notes, "responder_rmem_max", "%.250s", label);
}

static void
fill_wire(struct pace_wire_check *w)
{
	snprintf(w->interface, sizeof(w->interface), "%s", device);
	w->frames = w->copies = w->packets = w->dropped = MANY;
	w->has_drops = true;
	fill_hist(&w->gap, LONG_NS);
}

static void
fill_clock(struct pace_clock *k)
{
	k->exchanges = k->timeouts = MANY;
	k->fit.segments = 2;
	k->fit.wanders = true;
	for (int i = 0; i < 2; i++)
		k->fit.v[i] = (struct pace_clock_segment){ .from_ns = 0, .to_ns = LONG_NS,
		    .bound_ns = 9e15, .line = { .offset_ns = INT64_MIN / 2, .rate = -9.87654321e-4 } };
	k->fit.uncertainty_ns = k->fit.bound_ns = 9e15;
	k->to_ns = k->min_rtt_ns = LONG_NS;
	k->wall_offset_ns = -LONG_NS;
	k->our_steps = k->their_steps = k->our_slews = k->their_slews = MANY;
	k->ours = k->theirs = (struct pace_clock_state){ .known = true, .synchronised = true,
	    .error_ns = LONG_NS, .error_max_ns = LONG_NS, .frequency_ppm = -499.999 };
	k->stamp = PACE_STAMP_USER;
}

static void
fill_notes(struct pace_notes *n)
{
	static const char *const codes[] = { "spacing_not_kept", "sender_stalled", "frames_late",
		"frames_refused", "clock_stepped", "lease_lost", "above_max_loss" };

	for (size_t i = 0; i < PACE_COUNT_OF(codes); i++) {
		char words[256];

		fill_words(words, sizeof(words), i % 2 == 0 ? "word" : label);
		pace_note(n, codes[i], "%s", words);
	}
}

static void
fill_rx(struct pace_rx_result *r)
{
	r->frames = r->unique = r->lost = r->reordered = r->duplicates = r->corrupt = MANY;
	r->foreign = r->beyond_window = r->unstamped = r->clock_steps = MANY;
	r->invalid_timestamps = r->records_missed = r->coalesced_stamps = MANY;
	r->rcvbuf_granted = r->rcvbuf_asked = UINT32_MAX;
	r->user_rate_bps = r->wire_rate_bps = FAST_BPS;
	r->duration_ns = LONG_NS;
	r->has_owd = r->has_wire = true;
	r->jitter_ns = r->jitter_max_ns = 9e15;
	fill_hist(&r->gap, LONG_NS);
	fill_hist(&r->gap_error, LONG_NS);
	fill_hist(&r->runs, (int64_t)MANY);
	fill_hist(&r->extent, (int64_t)MANY);
	fill_hist(&r->late_ns, LONG_NS);
	fill_hist(&r->owd, LONG_NS);
	fill_hist(&r->owd_scheduled, LONG_NS);
	fill_hist(&r->pdv, LONG_NS);
	fill_hist(&r->ipdv, -LONG_NS);
	r->has_messages = true;
	r->messages.complete = r->messages.incomplete = r->messages.lost = r->messages.cut = MANY;
	fill_hist(&r->messages.missing, (int64_t)MANY);
	fill_hist(&r->messages.span, LONG_NS);
	fill_wire(&r->wire);
}

static void
fill_counters(struct pace_counters *c)
{
	c->known = c->has_cpu = true;
	c->at_ns = 1000000000;
	c->all.ns[PACE_CPU_USER] = INT64_C(1024000000000);
	c->has_core[PACE_CORE_INTERRUPTS] = true;
	c->all.n[PACE_CORE_INTERRUPTS] = MANY;
	c->thread.voluntary = MANY;
	c->energy.known = c->energy.has_idle = true;
	c->energy.idle_watts = 12345.67;
}

static void
fill_point(void)
{
	struct pace_params *a = &pt->ask;

	*a = (struct pace_params){ .size_bytes = 65507, .dscp = 63, .count = MANY, .train = 1000,
	    .bursts = MANY, .burst_gap_ns = LONG_NS, .repeats = 1000, .verify = true,
	    .spacing = pace_spacing_from_ns(PACE_SPACING_MAX_NS - 1) };
	pt->verdict = PACE_DEGRADED;
	pt->has_rx = pt->interrupted = pt->has_wire = true;
	fill_wire(&pt->wire);
	pt->tx.frames = pt->tx.refused = pt->tx.late_frames = pt->tx.preempted = MANY;
	pt->tx.schedule_shifts = pt->tx.stalls.count = MANY;
	pt->tx.schedule_shifted_ns = pt->tx.steal_ns = pt->tx.stalls.max_ns = LONG_NS;
	pt->tx.duration_ns = LONG_NS;
	pt->tx.user_rate_bps = pt->tx.wire_rate_bps = FAST_BPS;
	for (int i = 0; i < PACE_REFUSALS; i++)
		pt->tx.refusals[i] = (struct pace_refusal){ 90 + i, MANY };
	fill_hist(&pt->tx.gap, LONG_NS);
	fill_hist(&pt->tx.gap_error, LONG_NS);
	fill_rx(&pt->rx);
	pt->ledger.asked = pt->ledger.tx_refused = MANY;
	for (int i = 0; i < PACE_PLACES; i++)
		pt->ledger.place[i] = (struct pace_share){ true, MANY, MANY / 3, MANY };
	fill_counters(&pt->ours);
	fill_counters(&pt->theirs);
	fill_clock(&pt->clock);
	fill_notes(&pt->notes);
}

static void
fill_trips(void)
{
	trips->ask = (struct pace_latency_params){ .size_bytes = 65507, .reply_bytes = 65507,
	    .count = MANY, .interval_ns = LONG_NS, .timeout_ns = LONG_NS, .busy_poll = true };
	trips->verdict = PACE_DEGRADED;
	trips->interrupted = true;
	trips->sent = trips->received = trips->timeouts = trips->late_replies = MANY;
	trips->refused = trips->duplicates = trips->foreign = trips->late_requests = MANY;
	trips->unstamped = trips->stalls.count = MANY;
	trips->stalls.max_ns = trips->duration_ns = LONG_NS;
	trips->refused_errno = 105;
	fill_hist(&trips->rtt, LONG_NS);
	fill_hist(&trips->network, LONG_NS);
	fill_notes(&trips->notes);
}

static void
fill_capture(void)
{
	struct pace_capture *c = &captured;

	fill_words(c->file, sizeof(c->file), "/a/path/of/some/folders/to/a/file");
	fill_words(c->other_file, sizeof(c->other_file), "a-name-that-is-in-no-folder");
	fill_words(c->filter, sizeof(c->filter), "udp and not host " IPV6 " or");
	c->frames = c->cut = c->fragments = c->other = c->cut_short = c->bad = MANY;
	c->udp = 5;
	c->last_ns = LONG_NS;
	c->dropped = c->interface_dropped = MANY;
	c->has_drops = true;
	memset(seen->source, 'f', sizeof(seen->source) - 1);
	memset(seen->destination, 'e', sizeof(seen->destination) - 1);
	memcpy(seen->destination, IPV6, strlen(IPV6) + 1);
	seen->ip = 6;
	seen->source_port = seen->destination_port = 65535;
	seen->dscp = 63;
	seen->dscp_changes = seen->early = seen->outliers = seen->restarts = MANY;
	seen->vlan = 4095;
	seen->frames = seen->streams = seen->unnumbered = seen->untracked = MANY;
	seen->backwards = MANY;
	seen->size_min = 65506;
	seen->size_max = 65507;
	seen->numbered = seen->has_delay = true;
	memset(seen->title, 't', sizeof(seen->title) - 1);
	memset(seen->stream, '9', sizeof(seen->stream) - 1);
	memset(seen->format, 'v', 8);
	seen->heaps = (struct pace_seen_heaps){ true, MANY, MANY, MANY, MANY, MANY, 9e14, 0.123 };
	memset(seen->message, 's', 7);
	seen->pair = (struct pace_seen_pair){ .any = true, .backwards = true, .sent = MANY,
	    .received = MANY, .ambiguous = MANY, .foreign = MANY, .bound_ns = 9e15,
	    .uncertainty_ns = 9e15 };
	fill_rx(&seen->rx);
	fill_notes(&seen->notes);
}

static void
fill_capacity(enum pace_limit limit)
{
	found = (struct pace_capacity){ .size_bytes = 65507, .wire_bytes = 66666, .max_loss = 0.0123,
	    .duration_ns = LONG_NS, .sustain_ns = LONG_NS, .highest = PACE_HIGHEST_INTERFACE, .n = 1,
	    .v = &trial, .cause = { .limit = limit, .why = PACE_WHY_LOSS } };
	fill_words(found.cause.diagnosis, sizeof(found.cause.diagnosis), label);
	fill_words(found.refused, sizeof(found.refused), "a reason of the policy");
	found.search.cfg = (struct pace_search_cfg){ .low_bps = 123456, .high_bps = FAST_BPS,
	    .precision = 0.00123 };
	found.search.best_bps = FAST_BPS / 3;
	found.search.worst_bps = FAST_BPS / 2;
	found.search.done = true;
	trial = (struct pace_capacity_trial){ .ask = { .bps = FAST_BPS / 3, .lengthy = true },
	    .verdict = PACE_TRIAL_PASSED, .frames = MANY, .lost = MANY / 3 };
}

static void
fill_checkup(void)
{
	struct pace_finding f = { .level = PACE_LEVEL_BAD };

	fill_words(f.text, sizeof(f.text), label);
	fill_words(f.set, sizeof(f.set), "echo >/proc/sys/net/core/rmem_max");
	memcpy(checkup.target, host, sizeof(host));
	snprintf(checkup.client.interface, 16, "%s", device);
	memset(checkup.client.driver, 'd', sizeof(checkup.client.driver) - 1);
	checkup.responder = checkup.client;
	for (int p = 0; p < PACE_PATIENTS; p++) {
		checkup.of[p].looked = true;
		for (int i = 0; i < 4; i++) {
			f.level = (enum pace_level)i;
			checkup.of[p].v[checkup.of[p].n++] = f;
		}
	}
}

static void
fill_policy(void)
{
	char name[PACE_RULE_NAME];

	pace_policy_reset(&policy);
	policy.has_default = false;
	memset(name, 'r', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(pace_policy_rule(&policy, name), 1);
	policy.rule[1].allow = true;
	for (int k = 0; k < PACE_LIMITS; k++)
		policy.rule[1].most[k] = INT64_C(987654321012345);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "%031d", i);
		ck_assert_int_eq(pace_policy_name(&policy, 1, name), 0);
		memcpy(keys.name[i], name, sizeof(name));
		policy.net[i].rule = 1;
		snprintf(policy.net[i].text, sizeof(policy.net[i].text), IPV6 "/%d", 100 + i);
	}
	policy.nets = keys.n = 20;
}

static void
begin(void)
{
	pt = pace_point_new();
	trips = pace_latency_new();
	seen = calloc(1, sizeof(*seen));
	ck_assert(pt != NULL && trips != NULL && seen != NULL);
	fill_result();
	fill_point();
	fill_trips();
	fill_capture();
	fill_checkup();
	fill_policy();
}

static void
end(void)
{
	pace_point_free(pt);
	free(trips);
	free(seen);
}

/* --- the texts ------------------------------------------------------------------------ */

static void
draw_head(FILE *f)
{
	const struct pace_link link = { .family = 6, .mtu = 1280 };
	struct pace_params asks[2] = { pt->ask, pt->ask };

	pace_text_head(f, &result, &link, asks, 1, false);
	asks[1].dscp = asks[1].size_bytes = 16;
	asks[1].spacing = 5;
	pace_text_head(f, &result, &link, asks, 2, false);
	pace_text_tail(f, &result, false);
}

static void
draw_point(FILE *f)
{
	pace_text_point(f, pt, true, false);
	pt->ask.spacing = pace_spacing_from_ns(1);	/* the smallest units, the largest figures */
	pace_text_point(f, pt, true, false);
}

static void
draw_rows(FILE *f)
{
	struct pace_flags flags = { UINT64_MAX };

	for (size_t kinds = 0; kinds < 6; kinds++) {
		const struct pace_rows rows = { { "kbit/s", 1e3, 3 }, { "us", 1e3, 3 },
		    1 + kinds % 2, kinds > 3 ? 1 : 1 + kinds / 2, kinds > 3, &flags };

		pace_text_row_head(f, &rows, false);
		pace_text_row(f, &rows, pt, false);
	}
	pace_text_row_foot(f, &flags, false);
}

static void
draw_dispersions(FILE *f)
{
	struct pace_dispersion_size v = { .size_bytes = 65507, .n = MANY, .measured = MANY,
	    .by_responder = MANY, .by_sender = MANY, .fit = { .known = true, .capacity_bps = FAST_BPS,
	    .capacity_stderr_bps = FAST_BPS, .available_bps = FAST_BPS,
	    .available_stderr_bps = FAST_BPS } };
	const struct pace_dispersions all = { 1, &v, false };

	pace_dispersions_text(f, &all, false);
	v.fit.known = false;
	pace_dispersions_text(f, &all, false);
}

static void
draw_conclusions(FILE *f)
{
	struct pace_point_facts facts;
	struct pace_conclusions *c = &conclusions;

	pace_conclusions_begin(c);
	pace_point_facts(&facts, pt);
	pace_conclusions_add(c, &facts);
	facts.has_rx = false;
	pace_conclusions_add(c, &facts);
	pace_conclusions_close(c);
	c->clean[PACE_UP] = c->failed[PACE_UP];
	c->clean[PACE_UP].where = c->failed[PACE_UP].where = host;
	c->clean[PACE_DOWN] = c->failed[PACE_DOWN] = c->clean[PACE_UP];
	c->clean[PACE_DOWN].direction = c->failed[PACE_DOWN].direction = PACE_DOWN;
	c->ways[PACE_DOWN] = MANY;
	pace_conclusions_add_trips(c, trips);
	for (int i = 0; i < 2; i++)
		c->search[c->searches++] = (struct pace_searched){ 65507, i * FAST_BPS, FAST_BPS,
		    "highest", host, PACE_DOWN };
	c->failed_points = c->skipped = c->unread = c->unmeasured = MANY;
	pace_conclusions_text(f, c, "conclusions of all 99 steps", false);
	pace_conclusions_free(c);
}

static void
draw_capacity(FILE *f)
{
	for (int limit = PACE_LIMIT_UNKNOWN; limit <= PACE_LIMIT_POLICY; limit++)
		for (int sender = 0; sender < 2; sender++) {
			fill_capacity((enum pace_limit)limit);
			found.direction = sender != 0 ? PACE_DOWN : PACE_UP;
			found.search.by_sender = found.idle.busy = sender != 0;
			fill_words(found.idle.why, sizeof(found.idle.why), label);
			found.n = 0;
			pace_capacity_text_head(f, &result, &found, false);
			pace_capacity_text_row_head(f, &found, false);
			pace_capacity_text_row(f, &found, pt, false);
			found.n = 1;
			pace_capacity_text(f, &found, false);
			found.search.best_bps = 0;
			found.refused[0] = '\0';
			pace_capacity_text(f, &found, false);
		}
}

static void
draw_latency(FILE *f)
{
	const struct pace_linefit line = { .has_line = true, .has_errors = true, .n = MANY,
	    .intercept = -9.87654321e12, .intercept_stderr = 1.2e-6, .slope = -9.87654321e9,
	    .slope_stderr = 1.2e-6, .r2 = 0.99999, .worst = -9.8e12, .worst_x = 65507 };
	const struct pace_latency_fits fits = { line, line, 9.87654321e9, NULL };
	struct pace_latency_params asks[2] = { trips->ask, trips->ask };
	struct pace_flags flags = { UINT64_MAX };
	const struct pace_latency_rows rows = { true, true, &flags };

	pace_latency_text_head(f, &result, asks, 1, false);
	asks[1].size_bytes = 16;
	pace_latency_text_head(f, &result, asks, 2, false);
	pace_latency_text_point(f, trips, true, false);
	pace_latency_text_row_head(f, &rows, false);
	pace_latency_text_row(f, &rows, trips, false);
	pace_latency_text_row_foot(f, &flags, false);
	pace_latency_text_fit(f, &fits, false);
}

static void
draw_clock(FILE *f)
{
	pace_clock_text_head(f, &result, MANY, LONG_NS, true, false);
	pace_clock_text_block(f, &pt->clock, false);
	pt->clock.fit.segments = 1;
	pace_clock_text_block(f, &pt->clock, false);
	pace_clock_text_row_head(f, false);
	pace_clock_text_row(f, &pt->clock, false);
}

static void
draw_capture(FILE *f)
{
	struct pace_flags flags = { UINT64_MAX };
	struct pace_capture_rows rows = { &captured, { "kbit/s", 1e3, 3 }, { "us", 1e3, 3 }, &flags };

	pace_capture_text_head(f, &rows, false);
	memset(captured.interface, 'i', sizeof(captured.interface) - 1);
	pace_capture_text_head(f, &rows, false);
	pace_capture_text_row_head(f, &rows, false);
	pace_capture_text_row(f, &rows, seen, false);
	pace_capture_text_block(f, seen, true, false);
	seen->pair.any = seen->heaps.any = false;
	pace_capture_text_block(f, seen, true, false);
	seen->numbered = false;
	pace_capture_text_block(f, seen, true, false);
	pace_capture_text_tail(f, &result, &flags, false);
}

static void
draw_checkup(FILE *f)
{
	pace_checkup_text(f, &checkup, false);
}

static void
draw_policy(FILE *f)
{
	const struct pace_caps caps = { MANY, MANY, MANY / 3, MANY / 2, &keys }, free_for_all = {
	    MANY, MANY, MANY, MANY, NULL };

	for (int invited = 0; invited < 2; invited++) {
		policy.rule[0].invited = policy.rule[1].invited = invited != 0;
		pace_policy_text(f, &policy, &caps);
	}
	pace_policy_text(f, &policy, &free_for_all);
}

static const struct { const char *name; void (*draw)(FILE *f); } texts[] = {
	{ "head", draw_head }, { "point", draw_point }, { "rows", draw_rows },
	{ "dispersions", draw_dispersions }, { "conclusions", draw_conclusions },
	{ "capacity", draw_capacity }, { "latency", draw_latency }, { "clock", draw_clock },
	{ "capture", draw_capture }, { "checkup", draw_checkup }, { "policy", draw_policy },
};

/* It fits a line: where it begins it is whole. */
static void
check_whole(const char *word)
{
	for (const char *at = text; (at = strstr(at, "a-label")) != NULL; at += strlen(word))
		ck_assert_msg(strncmp(at, word, strlen(word)) == 0, "broken: %.80s", at);
}

START_TEST(every_text_fits_80_columns)
{
	const char *name = texts[_i].name;
	FILE *f = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(f);
	texts[_i].draw(f);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_msg(strlen(text) > 0 && strlen(text) + 1 < sizeof(text), "%s", name);
	ck_assert_msg(strstr(text, "nan") == NULL && strstr(text, "inf ") == NULL, "%s", text);
	check_whole(label);
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		ck_assert_msg(strlen(line) <= COLUMNS, "%s: %zu: %s", name, strlen(line), line);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("columns");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_loop_test(tc, every_text_fits_80_columns, 0, COUNT_OF(texts));
	return unit_run_apart(tc, "columns");
}
