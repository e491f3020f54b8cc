/*
 * fill.h - points as a run would leave them, for the tests of documents and tables.  Lost,
 * duplicated and late frames go through the real sequence tracker.
 */
#ifndef PACE_TEST_FILL_H
#define PACE_TEST_FILL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hist.h"
#include "core/ledger.h"
#include "core/rates.h"
#include "core/seq.h"
#include "doc/loss_attribution.h"
#include "doc/result.h"
#include "unit.h"

static inline uint64_t
fill_below(uint64_t n)
{
	return unit_rnd() % n;
}

/* Tests are forked with the state of main: each loop takes another. */
static inline void
fill_salt(int salt)
{
	unit_turn(salt);
}

struct fill_frame {
	uint64_t	seq;
	int64_t		at_ns;
};

#define FILL_MAX	2000
static struct fill_frame fill_frames[2 * FILL_MAX];

static inline int
fill_earlier(const void *a, const void *b)
{
	const struct fill_frame *x = a, *y = b;

	return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static inline int64_t
fill_spacing_ns(const struct pace_params *a)
{
	return (int64_t)((a->spacing + (UINT64_C(1) << 31)) >> 32);
}

static inline void
fill_tx(struct pace_point *p)
{
	struct pace_tx *t = &p->tx;
	int64_t spacing = fill_spacing_ns(&p->ask), gap;

	t->refused = fill_below(4) == 0 ? fill_below(p->ask.count + 1) : 0;
	t->refused_errno = t->refused > 0 ? 105 : 0;
	t->refusals[0] = (struct pace_refusal){ t->refused_errno, t->refused };
	if (t->refused > 1 && fill_below(2) == 0) {
		t->refusals[1] = (struct pace_refusal){ 11, fill_below(t->refused) };
		t->refusals[0].frames -= t->refusals[1].frames;
	}
	t->frames = p->ask.count - t->refused;
	t->bytes = t->frames * p->ask.size_bytes;
	for (uint64_t i = 1; i < t->frames; i++) {
		gap = spacing + (int64_t)fill_below(200) - (spacing > 100 ? 100 : 0);
		if (fill_below(100) == 0)
			gap += (int64_t)fill_below(100000);
		t->duration_ns += gap;
		pace_hist_add(&t->gap, gap);
		pace_hist_add(&t->gap_error, gap - spacing);
	}
	if (t->frames > 1) {
		t->user_rate_bps = pace_rate_bps(t->bytes - p->ask.size_bytes, t->duration_ns);
		t->wire_rate_bps = t->user_rate_bps * 1.0448;
	}
	t->late_frames = fill_below(t->frames + 1);
	t->schedule_shifts = fill_below(3);
	t->schedule_shifted_ns = (int64_t)t->schedule_shifts * 12345;
	t->stalls = (struct pace_stalls){ 3, 40000, 30000 };
	t->engine = (enum pace_engine)fill_below(3);
	t->qdisc_bypass = fill_below(2);
	t->skipped = fill_below(5);
	t->preempted = fill_below(100);
	t->steal_ns = (int64_t)fill_below(3) * 10000000;
	for (uint64_t i = fill_below(20); i > 0; i--)
		pace_hist_add(&t->stack, 500 + (int64_t)fill_below(5000));
	for (uint64_t i = fill_below(20); i > 0; i--)
		pace_hist_add(&t->stamped_gap_error, 500 - (int64_t)fill_below(1000));
	t->stamp = PACE_STAMP_USER;
	t->sndbuf_granted = 212992;
}

/* The frames that arrive, in order of arrival. */
static inline int
fill_arrivals(const struct pace_point *p)
{
	uint64_t loss = fill_below(3) == 0 ? 0 : fill_below(30);
	int64_t spacing = fill_spacing_ns(&p->ask), at;
	int n = 0;

	for (uint64_t k = 0; k < p->tx.frames; k++) {
		if (fill_below(100) < loss)
			continue;
		at = (int64_t)k * spacing + (int64_t)fill_below(100);
		if (fill_below(50) == 0)
			at += spacing * (int64_t)fill_below(20);
		fill_frames[n++] = (struct fill_frame){ k, at };
		if (fill_below(60) == 0)
			fill_frames[n++] = (struct fill_frame){ k, at + 7 };
	}
	qsort(fill_frames, (size_t)n, sizeof(fill_frames[0]), fill_earlier);
	return n;
}

static inline void
fill_gap(struct pace_rx_result *r, int64_t gap, int64_t spacing)
{
	pace_hist_add(&r->gap, gap);
	pace_hist_add(&r->gap_error, gap - spacing);
	pace_linear_hist_add(&r->linear, gap);
	r->coalesced_stamps += gap < 50;
}

static inline void
fill_order(struct pace_rx_result *r, const struct pace_seq *s)
{
	r->unique = s->unique;
	r->duplicates = s->duplicates;
	r->replicated = s->replicated;
	r->frames = s->unique + s->duplicates;
	r->beyond_window = s->beyond;
	r->lost = s->lost;
	r->reordered = s->reordered;
	memcpy(r->degree, s->degree, sizeof(r->degree));
	r->reordering_free_runs = s->reordering_free_runs;
	r->free_sum = s->free_sum;
	r->free_sumsq = s->free_sumsq;
	r->runs = s->figures->runs;
	r->loss_distances = s->figures->loss_distances;
	r->loss_free_runs = s->figures->loss_free_runs;
	r->extent = s->figures->extent;
	r->late_ns = s->figures->late_ns;
}

/* One frame of ten was marked CE, and one of seven has another DSCP; no random number is used. */
static inline void
fill_marks(const struct pace_params *a, struct pace_rx_result *r)
{
	struct pace_marks *m = &r->marks;
	uint64_t ce = r->unique / 10;

	if (r->unique == 0)
		return;
	m->frames = r->unique;
	m->ecn[a->ecn] = m->frames - ce;
	m->ecn[PACE_ECN_CE] += ce;
	m->ecn_changed = a->ecn == PACE_ECN_NOT_ECT ? ce : 0;
	m->dscp_changed = r->unique / 7;
	m->dscp = a->dscp;
	m->dscp_frames = m->frames - m->dscp_changed;
}

static inline void
fill_rx(struct pace_point *p)
{
	static struct pace_seq s;
	struct pace_rx_result *r = &p->rx;
	void *mem = malloc(pace_seq_memory(1024));
	int64_t first = 0, last = 0;
	int n = fill_arrivals(p);

	pace_seq_init(&s, 1024, p->tx.frames > 0 ? p->tx.frames : 1, mem);
	r->linear.low = p->ask.linear.low;
	r->linear.width = p->ask.linear.width;
	r->linear.bins = p->ask.linear.bins;
	for (int i = 0; i < n; i++) {
		int64_t at = fill_frames[i].at_ns;
		enum pace_seq_kind kind = pace_seq_add(&s, fill_frames[i].seq, at);

		if (kind == PACE_SEQ_DUPLICATE)
			continue;
		if (s.unique > 1)
			fill_gap(r, at - last, fill_spacing_ns(&p->ask));
		else
			first = at;
		last = at;
	}
	pace_seq_finish(&s, p->tx.frames);
	fill_order(r, &s);
	free(mem);
	r->duration_ns = last - first;
	r->bytes = r->unique * p->ask.size_bytes;
	if (r->unique > 1 && r->duration_ns > 0) {
		r->user_rate_bps = pace_rate_bps(r->bytes - p->ask.size_bytes, r->duration_ns);
		r->wire_rate_bps = r->user_rate_bps * 1.0448;
	}
	r->stamp = r->frames == 0 ? PACE_STAMP_NONE :
	    p->ask.nic ? PACE_STAMP_NIC : PACE_STAMP_KERNEL;
	r->corrupt = p->ask.verify ? fill_below(r->frames + 1) : 0;
	fill_marks(&p->ask, r);
	r->foreign = fill_below(3);
	r->clock_steps = fill_below(2);
	r->unstamped = fill_below(r->frames + 1);
	r->socket_drops = fill_below(r->lost + 3);
	r->socket_lost_max = r->socket_drops < r->lost ? r->socket_drops : r->lost;
	r->socket_lost_likely = fill_below(2) == 0 ? r->socket_lost_max : fill_below(r->socket_lost_max + 1);
	r->bad_checksums = fill_below(4) == 0 ? fill_below(20) : 0;
	r->lease_lost = fill_below(8) == 0;
	r->rcvbuf_asked = 4194304;
	r->rcvbuf_granted = 425984;
	r->window = 1024;
}

/* The lowest delay is 1000: so pdv is known beforehand. */
static inline void
fill_delays(struct pace_point *p)
{
	struct pace_rx_result *r = &p->rx;

	r->invalid_timestamps = fill_below(4) == 0 ? fill_below(r->unique + 1) : 0;
	for (uint64_t i = r->invalid_timestamps; i < r->unique; i++) {
		int64_t pdv = i == r->invalid_timestamps ? 0 : (int64_t)fill_below(5000);

		pace_hist_add(&r->pdv, pdv);
		if (i > r->invalid_timestamps && fill_below(20) > 0)
			pace_hist_add(&r->ipdv, unit_between(-5000, 5000));
		if (!r->has_owd)
			continue;
		pace_hist_add(&r->owd, 1000 + pdv);
		if (fill_below(20) > 0)
			pace_hist_add(&r->owd_scheduled, 1000 + pdv + (int64_t)fill_below(300));
	}
	if (r->ipdv.stats.n > 0) {
		r->jitter_ns = (double)fill_below(80000) / 16;
		r->jitter_max_ns = r->jitter_ns + (double)fill_below(80000) / 16;
	}
	r->records = p->ask.record.room > 0 ? fill_below(p->ask.record.room + 1) : 0;
	r->records_missed = fill_below(3) * fill_below(100);
}

static inline void
fill_state(struct pace_clock_state *s)
{
	s->known = fill_below(3) > 0;
	if (!s->known)
		return;
	s->synchronised = fill_below(2) == 0;
	s->error_ns = (int64_t)fill_below(UINT64_C(16000000000));
	s->error_max_ns = (int64_t)fill_below(UINT64_C(16000000000));
	s->frequency_ppm = (double)unit_between(-500000, 500000) / 1e3;
}

static inline void
fill_segments(struct pace_clock *c)
{
	int64_t from = c->from_ns - 60000000;

	c->fit.segments = fill_below(3) > 0 ? 1 : 1 + (int)fill_below(PACE_CLOCK_SEGMENTS);
	for (int i = 0; i < c->fit.segments; i++) {
		struct pace_clock_segment *s = &c->fit.v[i];

		s->from_ns = from;
		s->to_ns = from + (int64_t)fill_below(UINT64_C(1000000000));
		s->line.t_ns = s->from_ns + (s->to_ns - s->from_ns) / 2;
		s->line.offset_ns = unit_between(-(INT64_C(1) << 50), INT64_C(1) << 50);
		s->line.frac_ns = (double)fill_below(1000) / 1000;
		s->line.rate = (double)unit_between(-500000000, 500000000) / 1e12 / 3;
		s->bound_ns = (double)fill_below(1000000) / 7;
		c->fit.bound_ns = fmax(c->fit.bound_ns, s->bound_ns);
		from = s->to_ns + (int64_t)fill_below(1000000);
	}
	c->fit.uncertainty_ns = c->fit.bound_ns / 3;
	c->fit.wanders = fill_below(3) == 0;
	c->wall_offset_ns = unit_between(-1000000000, 1000000000);
}

/* Before, during and after: not all need have had an exchange. */
static inline void
fill_clock(struct pace_clock *c)
{
	int64_t *phase[] = { &c->before_ns, &c->during_ns, &c->after_ns };

	c->from_ns = (int64_t)(unit_rnd() >> 12);
	c->to_ns = c->from_ns + (int64_t)fill_below(UINT64_C(3000000000));
	c->timeouts = fill_below(3) * fill_below(100);
	c->min_rtt_ns = c->before_ns = c->during_ns = c->after_ns = PACE_NO_TIME;
	c->our_steps = fill_below(5) == 0;
	c->their_steps = fill_below(5) == 0;
	c->our_slews = fill_below(3);
	c->their_slews = fill_below(3);
	fill_state(&c->ours);
	fill_state(&c->theirs);
	if (fill_below(4) == 0)
		return;
	c->exchanges = 1 + fill_below(300);
	c->stamp = fill_below(3) == 0 ? PACE_STAMP_USER : PACE_STAMP_KERNEL;
	for (int i = 0, must = (int)fill_below(3); i < 3; i++)
		if (i == must || fill_below(2) == 0) {
			*phase[i] = (int64_t)fill_below(100000) - 50;
			c->min_rtt_ns = *phase[i] < c->min_rtt_ns ? *phase[i] : c->min_rtt_ns;
		}
	fill_segments(c);
}

static inline void
fill_energy(struct pace_energy *e)
{
	e->known = fill_below(2) == 0;
	if (!e->known)
		snprintf(e->why, sizeof(e->why), "no counters here");
	for (e->domains = 0; e->known && e->domains < 3; e->domains++) {
		snprintf(e->v[e->domains].name, sizeof(e->v[0].name), "package-%d", e->domains);
		e->v[e->domains].counted = fill_below(2) == 0;
		e->v[e->domains].joules = (double)(1 + fill_below(1000000)) / 8;
	}
	e->has_idle = e->known && fill_below(2) == 0;
	e->idle_watts = e->has_idle ? (double)fill_below(100) : 0;
}

static inline void
fill_interface(struct pace_counters *c, uint32_t i)
{
	struct pace_if_use *u = &c->interface[i];

	snprintf(u->name, sizeof(u->name), "eth%u", i);
	u->route = i == 0;
	for (int k = 0; k < PACE_IF_COUNTS; k++)
		u->n[k] = 1 + fill_below(k == PACE_IF_RX_DROPPED ? 5 : 1000);
	u->has_qdisc = fill_below(2) == 0;
	u->qdisc_drops = u->has_qdisc ? fill_below(9) : 0;
	for (int k = 0; k < 2; k++) {
		struct pace_if_stat *s = &c->stat[c->stats++];

		snprintf(s->name, sizeof(s->name), "rx_queue_%d_drops", k);
		s->interface = i;
		s->n = 1 + fill_below(10);
	}
}

/* A difference of two readings; a document has all its members. */
static inline void
fill_counters(struct pace_counters *c)
{
	c->known = c->has_cpu = true;
	c->at_ns = 1 + (int64_t)fill_below(UINT64_C(10000000000));
	c->thread.user_ns = fill_below(1000);
	c->thread.system_ns = fill_below(1000);
	c->thread.voluntary = fill_below(1000);
	c->thread.involuntary = fill_below(1000);
	c->cores = 1 + (uint32_t)fill_below(4);
	c->core = calloc(c->cores, sizeof(*c->core));
	for (int k = 0; k < PACE_CORE_COUNTS; k++)
		c->has_core[k] = fill_below(4) > 0;
	for (uint32_t i = 0; i < c->cores; i++) {
		c->core[i].core = 2 * i;
		for (int k = 0; k < PACE_CPUS; k++)
			c->all.ns[k] += c->core[i].ns[k] = fill_below(1000) * 10000000;
		for (int k = 0; k < PACE_CORE_COUNTS; k++)
			c->all.n[k] += c->core[i].n[k] = c->has_core[k] ? fill_below(5) : 0;
	}
	c->interfaces = 1 + (uint32_t)fill_below(3);
	c->interface = calloc(c->interfaces, sizeof(*c->interface));
	c->stat = calloc(2 * c->interfaces, sizeof(*c->stat));
	for (uint32_t i = 0; i < c->interfaces; i++)
		fill_interface(c, i);
	for (int v6 = 0; v6 < 2; v6++)
		for (int k = 0; k < PACE_SNMPS; k++) {
			c->has_snmp[v6][k] = fill_below(8) > 0;
			c->snmp[v6][k] = c->has_snmp[v6][k] ? fill_below(100) : 0;
		}
	fill_energy(&c->energy);
}

static inline void
fill_wire(struct pace_wire_check *w, uint64_t sent)
{
	snprintf(w->interface, sizeof(w->interface), "eth%d", (int)fill_below(9));
	w->frames = sent;
	w->copies = fill_below(3);
	w->packets = sent;
	w->has_drops = fill_below(2) == 0;
	w->dropped = w->has_drops ? fill_below(5) : 0;
	w->complete = fill_below(2) == 0;
	for (uint64_t i = 1; i < sent && i < 1000; i++) {
		pace_hist_add(&w->gap, 1000 + (int64_t)fill_below(1000));
		pace_hist_add(&w->gap_difference, (int64_t)fill_below(1000) - 500);
		w->gaps_differing += fill_below(9) == 0;
	}
}

/* A zeroed point (pace_point_new) becomes one of count frames. */
static inline void
fill_point(struct pace_point *p, uint64_t count)
{
	struct pace_params *a = &p->ask;

	a->size_bytes = 64 + (uint32_t)fill_below(8900);
	a->spacing = (1000 + fill_below(100000)) << 32;
	if (fill_below(2) == 0)
		a->spacing += unit_rnd() & UINT32_MAX;
	a->count = count;
	a->duration_ns = fill_below(2) == 0 ? 10000000 : 0;
	a->catch_up = (enum pace_catch_up)fill_below(4);
	a->busy_poll = fill_below(2) == 0;
	a->nic = fill_below(2) == 0;
	a->dscp = (uint32_t)fill_below(64);
	a->repeats = 1 + (uint32_t)fill_below(3);
	a->repeat = (uint32_t)fill_below(a->repeats);
	a->bursts = 1 + fill_below(3);
	a->burst_gap_ns = a->bursts > 1 ? 5000 : 0;
	a->verify = fill_below(2) == 0;
	a->grace_ns = 500000000;
	if (fill_below(2) == 0) {
		a->linear.low = (int64_t)fill_below(100) * 100;
		a->linear.width = 1 + (int64_t)fill_below(1000);
		a->linear.bins = 1 + (uint32_t)fill_below(200);
	}
	if (fill_below(2) == 0) {
		a->record.room = 1 + fill_below(10000);
		a->record.skip = fill_below(3);
		a->record.lost_only = fill_below(2) == 0;
	}
	fill_tx(p);
	p->has_rx = true;
	fill_rx(p);
	fill_clock(&p->clock);
	p->rx.has_owd = p->clock.fit.segments > 0 && fill_below(6) > 0;
	p->owd_relative = !p->rx.has_owd || fill_below(4) == 0;
	fill_delays(p);
	fill_state(&p->rx.clock);
	p->ipv6 = fill_below(2) == 0;
	if (fill_below(4) > 0)
		fill_counters(&p->ours);
	if (fill_below(4) > 0)
		fill_counters(&p->theirs);
	pace_loss_attribution_close(p);
	p->has_wire = fill_below(3) == 0;
	if (p->has_wire)
		fill_wire(&p->wire, p->tx.frames);
	p->rx.has_wire = fill_below(3) == 0;
	if (p->rx.has_wire)
		fill_wire(&p->rx.wire, p->rx.unique + fill_below(5));
	p->verdict = (enum pace_verdict)fill_below(3);
	p->interrupted = fill_below(2) == 0;
	for (uint64_t i = fill_below(4); i > 0; i--) {
		char code[16];

		snprintf(code, sizeof(code), "code_%d", (int)i);
		pace_note(&p->notes, code, "note %d with a \"quote\", \xc2\xb5s", (int)i);
	}
}

/* A point of fixed figures, for golden texts. */
static inline void
fill_known_tx(struct pace_point *p)
{
	struct pace_tx *t = &p->tx;

	t->frames = 50000;
	t->bytes = 50000 * UINT64_C(1472);
	t->stamp = PACE_STAMP_USER;
	for (int i = 0; i < 49999; i++) {
		int64_t error = i % 2 == 0 ? i % 40 : -(i % 40 - 1);

		if (i % 5000 == 4999)
			error = 100 + i / 5;
		t->duration_ns += 10000 + error;
		pace_hist_add(&t->gap, 10000 + error);
		pace_hist_add(&t->gap_error, error);
	}
	t->user_rate_bps = pace_rate_bps(49999 * UINT64_C(1472), t->duration_ns);
	t->wire_rate_bps = pace_rate_bps(49999 * UINT64_C(1538), t->duration_ns);
	t->late_frames = 2;
	t->stalls = (struct pace_stalls){ 2, 17000, 11300 };
}

static inline void
fill_known_rx(struct pace_point *p)
{
	struct pace_rx_result *r = &p->rx;

	r->unique = 49976;
	r->duplicates = 2;
	r->replicated = 2;
	r->frames = 49978;
	r->lost = 24;
	r->bytes = r->unique * 1472;
	r->stamp = PACE_STAMP_KERNEL;
	r->rcvbuf_asked = 4194304;
	r->rcvbuf_granted = 212992;
	r->socket_drops = 20;
	r->window = 65536;
	for (int i = 0; i < 49975; i++) {
		int64_t error = (i * 7919) % 601 - 300;

		if (i % 997 == 996)
			error = -9380 + i / 100;
		if (i % 997 == 0)
			error = 1000 + i * 3 / 10;
		if (i == 30000)
			error = 150550;
		r->duration_ns += 10000 + error;
		pace_hist_add(&r->gap, 10000 + error);
		pace_hist_add(&r->gap_error, error);
	}
	r->user_rate_bps = pace_rate_bps((r->unique - 1) * 1472, r->duration_ns);
	r->wire_rate_bps = pace_rate_bps((r->unique - 1) * 1538, r->duration_ns);
	pace_hist_add(&r->runs, 12);
	pace_hist_add(&r->runs, 8);
	pace_hist_add(&r->runs, 4);
	pace_hist_add_n(&r->loss_distances, 1, 21);
	pace_hist_add(&r->loss_distances, 4000);
	pace_hist_add(&r->loss_distances, 17000);
	pace_hist_add(&r->loss_free_runs, 3999);
	pace_hist_add(&r->loss_free_runs, 16999);
	r->reordered = 3;
	r->degree[0] = 1;
	r->degree[1] = 2;
	r->reordering_free_runs = 3;
	r->free_sum = 30000;
	r->free_sumsq = 300000000;
	pace_hist_add(&r->extent, 1);
	pace_hist_add(&r->extent, 1);
	pace_hist_add(&r->extent, 3);
	pace_hist_add(&r->late_ns, 9900);
	pace_hist_add(&r->late_ns, 10100);
	pace_hist_add(&r->late_ns, 31700);
}

/* Every second frame waits 200 ns, of every 100 one 3 µs. */
static inline void
fill_known_delays(struct pace_rx_result *r)
{
	int64_t before = 0;

	r->has_owd = true;
	for (int i = 0; i < 49976; i++) {
		int64_t pdv = i % 100 == 99 ? 3000 : i % 2 == 0 ? 0 : 200;

		pace_hist_add(&r->owd, 12000 + pdv);
		pace_hist_add(&r->owd_scheduled, 12100 + pdv);
		pace_hist_add(&r->pdv, pdv);
		if (i > 0)
			pace_hist_add(&r->ipdv, pdv - before);
		before = pdv;
	}
	r->clock = (struct pace_clock_state){ true, false, 1000, 250000, 0 };
	r->jitter_ns = 201.5;
	r->jitter_max_ns = 777.0625;
}

static inline void
fill_known_clock(struct pace_clock *c)
{
	c->exchanges = 179;
	c->timeouts = 1;
	c->from_ns = 5000000000;
	c->to_ns = 5500000000;
	c->stamp = PACE_STAMP_KERNEL;
	c->before_ns = 23500;
	c->min_rtt_ns = c->during_ns = 23400;
	c->after_ns = PACE_NO_TIME;
	c->wall_offset_ns = -35000;
	c->ours = (struct pace_clock_state){ true, true, 1000, 250000, -12.345 };
	c->theirs = (struct pace_clock_state){ true, false, 1000, 250000, 0 };
	c->our_slews = 2;
	c->fit = (struct pace_clock_estimate){ .segments = 1, .bound_ns = 355.7,
	    .uncertainty_ns = 176.8 };
	c->fit.v[0] = (struct pace_clock_segment){ .from_ns = 4940000000,
	    .to_ns = 5560000000, .bound_ns = 355.7,
	    .line = { 5250000000, -1234567, 0.75, 2.5e-6 } };
}

static inline void
fill_known(struct pace_point *p)
{
	p->ask.size_bytes = 1472;
	p->ask.spacing = UINT64_C(10000) << 32;
	p->ask.count = 50000;
	p->ask.grace_ns = 500000000;
	fill_known_tx(p);
	fill_known_rx(p);
	fill_known_delays(&p->rx);
	fill_known_clock(&p->clock);
	p->has_rx = true;
	p->rx.socket_lost_likely = p->rx.socket_lost_max = 20;
	pace_loss_attribution_close(p);
}

#endif
