#include "doc/aggregate.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/rates.h"
#include "doc/intervals.h"
#include "doc/js.h"
#include "doc/loss_attribution.h"

#define MOST	((uint64_t)PACE_JS_MAX)

static uint64_t
sum(uint64_t a, uint64_t b)
{
	return a > MOST || b > MOST - a ? MOST : a + b;
}

static void
raise_to(uint64_t *most, uint64_t n)
{
	if (n > *most)
		*most = n;
}

/* Members that are added: offsets of counts, and of histograms. */
#define AT(s, m)	offsetof(struct s, m)
static const size_t tx_counts[] = {
	AT(pace_tx, frames), AT(pace_tx, bytes), AT(pace_tx, late_frames),
	AT(pace_tx, refused), AT(pace_tx, schedule_shifts), AT(pace_tx, skipped),
	AT(pace_tx, proof_waits), AT(pace_tx, near_gaps), AT(pace_tx, extra_frames),
};
static const size_t tx_hists[] = {
	AT(pace_tx, gap), AT(pace_tx, gap_error), AT(pace_tx, stamped_gap_error),
	AT(pace_tx, stack),
};
static const size_t rx_counts[] = {
#define RX(m)	AT(pace_rx_result, m)
	RX(frames), RX(unique), RX(bytes), RX(coalesced_stamps), RX(unstamped), RX(duplicates),
	RX(replicated), RX(corrupt), RX(foreign), RX(socket_drops), RX(socket_lost_likely),
	RX(socket_lost_max), RX(lost), RX(reordered), RX(beyond_window),
	RX(reordering_free_runs), RX(free_sum), RX(free_sumsq), RX(invalid_timestamps),
	RX(records), RX(records_missed), RX(stamped_gaps), RX(stamped_gaps_near),
	RX(messages.complete), RX(messages.incomplete), RX(messages.lost),
};
static const size_t rx_hists[] = {
	RX(gap), RX(gap_error), RX(runs), RX(loss_distances), RX(loss_free_runs), RX(extent),
	RX(late_ns), RX(messages.missing), RX(messages.span), RX(owd), RX(owd_scheduled), RX(pdv), RX(ipdv),
};
#define N(v)	(sizeof(v) / sizeof((v)[0]))

static void
add_counts(void *to, const void *from, const size_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t *v = (void *)((char *)to + at[i]);

		*v = sum(*v, *(const uint64_t *)(const void *)((const char *)from + at[i]));
	}
}

/* The most frequent DSCP is the sender's or, of those of the streams, the one with most frames. */
static void
add_marks(struct pace_marks *m, const struct pace_marks *one, uint32_t sent)
{
	uint64_t kept;

	m->frames = sum(m->frames, one->frames);
	for (int i = 0; i < PACE_ECNS; i++)
		m->ecn[i] = sum(m->ecn[i], one->ecn[i]);
	m->ecn_changed = sum(m->ecn_changed, one->ecn_changed);
	m->dscp_changed = sum(m->dscp_changed, one->dscp_changed);
	kept = m->frames - m->dscp_changed;
	if (one->dscp != sent && one->dscp == m->dscp) {
		m->dscp_frames = sum(m->dscp_frames, one->dscp_frames);
	} else if (one->dscp != sent && (m->dscp == sent || one->dscp_frames > m->dscp_frames)) {
		m->dscp = one->dscp;
		m->dscp_frames = one->dscp_frames;
	}
	if (m->dscp == sent || kept >= m->dscp_frames) {
		m->dscp = sent;
		m->dscp_frames = kept;
	}
}

/* A histogram whose count no document can hold is left out. */
static void
add_hists(void *to, const void *from, const size_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct pace_hist *h = (void *)((char *)to + at[i]);
		const struct pace_hist *one = (const void *)((const char *)from + at[i]);

		if (one->stats.n <= MOST - h->stats.n)
			pace_hist_merge(h, one);
	}
}

/* --- the sender -------------------------------------------------------------------------- */

static void
add_refusals(struct pace_tx *t, const struct pace_tx *one)
{
	for (int k = 0; k < PACE_REFUSALS && one->refusals[k].code != 0; k++) {
		int i = 0;

		while (i < PACE_REFUSALS - 1 && t->refusals[i].code != 0 &&
		    t->refusals[i].code != one->refusals[k].code)
			i++;
		if (t->refusals[i].code == 0)
			t->refusals[i].code = one->refusals[k].code;
		t->refusals[i].frames = sum(t->refusals[i].frames, one->refusals[k].frames);
	}
}

/* The streams' common value; *v is that of the streams so far. */
static void
agree(uint32_t *v, uint32_t one, bool first)
{
	*v = first || *v == one ? one : 0;
}

static void
add_tx(struct pace_tx *t, const struct pace_tx *one, bool first)
{
	add_counts(t, one, tx_counts, N(tx_counts));
	add_hists(t, one, tx_hists, N(tx_hists));
	add_refusals(t, one);
	t->schedule_shifted_ns = (int64_t)sum((uint64_t)t->schedule_shifted_ns,
	    (uint64_t)one->schedule_shifted_ns);
	t->proof_waited_ns = (int64_t)sum((uint64_t)t->proof_waited_ns,
	    (uint64_t)one->proof_waited_ns);
	raise_to(&t->preempted, one->preempted);
	if (one->steal_ns > t->steal_ns)
		t->steal_ns = one->steal_ns;
	if (one->stalls.total_ns > t->stalls.total_ns)
		t->stalls = one->stalls;
	if (one->causes.known && !t->causes.known)
		t->causes = one->causes;
	if (one->refused_errno != 0)
		t->refused_errno = one->refused_errno;
	if (first || one->engine > t->engine)
		t->engine = one->engine;
	if (one->frames > 0 && (t->stamp == PACE_STAMP_NONE || one->stamp < t->stamp))
		t->stamp = one->stamp;
	t->qdisc_bypass |= one->qdisc_bypass;
	agree(&t->sndbuf_asked, one->sndbuf_asked, first);
	agree(&t->sndbuf_granted, one->sndbuf_granted, first);
}

/* What captures of one side saw, if all streams were captured. */
static void
add_wire(bool *has, struct pace_wire_check *w, bool one_has, const struct pace_wire_check *one,
    bool first)
{
	*has = one_has && (first || *has);
	if (*has && first)
		*w = *one;
	else if (*has)
		pace_wire_check_merge(w, one);
	/* counts that a responder made up may be too large, or contradict each other */
	*has = *has && w->frames <= MOST && w->copies <= MOST && w->packets <= MOST &&
	    pace_wire_check_rx_broken(w) == NULL;
}

/* --- the receiver ------------------------------------------------------------------------ */

static void
add_linear(struct pace_linear_hist *l, const struct pace_linear_hist *one)
{
	l->low = one->low;
	l->width = one->width;
	l->bins = one->bins;
	l->underflow += one->underflow;		/* below 2^61, as the reader checks */
	l->overflow += one->overflow;
	for (uint32_t i = 0; i < one->bins; i++)
		l->count[i] += one->count[i];
}

static void
add_rx(struct pace_rx_result *r, const struct pace_rx_result *one, uint32_t dscp, bool first)
{
	add_counts(r, one, rx_counts, N(rx_counts));
	add_hists(r, one, rx_hists, N(rx_hists));
	add_linear(&r->linear, &one->linear);
	for (int i = 0; i <= PACE_SEQ_DEGREES; i++)
		r->degree[i] = sum(r->degree[i], one->degree[i]);
	add_marks(&r->marks, &one->marks, dscp);
	raise_to(&r->clock_steps, one->clock_steps);
	raise_to(&r->bad_checksums, one->bad_checksums);
	add_wire(&r->has_wire, &r->wire, one->has_wire, &one->wire, first);
	r->lease_lost |= one->lease_lost;
	r->has_messages = one->has_messages && (first || r->has_messages);
	r->jitter_ns = fmax(r->jitter_ns, one->jitter_ns);
	r->jitter_max_ns = fmax(r->jitter_max_ns, one->jitter_max_ns);
	if (one->unique > 0 && (r->stamp == PACE_STAMP_NONE || one->stamp < r->stamp))
		r->stamp = one->stamp;
	if (!r->clock.known)
		r->clock = one->clock;
	if (first || one->window < r->window)
		r->window = one->window;
	agree(&r->rcvbuf_asked, one->rcvbuf_asked, first);
	agree(&r->rcvbuf_granted, one->rcvbuf_granted, first);
}

/* --- duration and rates ------------------------------------------------------------------ */

/* The contribution of one stream, in one direction, to the rates. */
struct part {
	uint64_t	frames, bytes;
	int64_t		due_ns, duration_ns;
	double		user_bps, wire_bps;
};

static struct part
part_of(const struct pace_point *p, bool received)
{
	const struct pace_tx *t = &p->tx;
	const struct pace_rx_result *r = &p->rx;

	return received ? (struct part){ r->unique, r->bytes, t->due_wall_ns, r->duration_ns,
	    r->user_rate_bps, r->wire_rate_bps } :
	    (struct part){ t->frames, t->bytes, t->due_wall_ns, t->duration_ns,
	    t->user_rate_bps, t->wire_rate_bps };
}

/* Return the time from the first frame of any stream to the last one of any. */
static int64_t
union_ns(const struct pace_point *p, bool received)
{
	int64_t from = INT64_MAX, to = INT64_MIN, longest = 0;
	bool placed = true;

	for (uint32_t i = 0; i < p->ask.streams; i++) {
		struct part one = part_of(p->streams[i], received);

		if (one.frames == 0)
			continue;
		placed &= one.due_ns > 0 && one.duration_ns < INT64_MAX - one.due_ns;
		if (one.duration_ns > longest)
			longest = one.duration_ns;
		if (!placed)
			continue;
		if (one.due_ns < from)
			from = one.due_ns;
		if (one.due_ns + one.duration_ns > to)
			to = one.due_ns + one.duration_ns;
	}
	return placed && from < to ? to - from : longest;
}

/* The share of headers is the same for all frames: that of the streams' rates. */
static void
set_rates(const struct pace_point *p, bool received, int64_t duration_ns, double *user_bps,
    double *wire_bps)
{
	struct part all = part_of(p, received);
	double user = 0, wire = 0;

	*user_bps = *wire_bps = 0;
	if (all.frames < 2 || duration_ns <= 0)
		return;
	for (uint32_t i = 0; i < p->ask.streams; i++) {
		struct part one = part_of(p->streams[i], received);

		user += one.user_bps;
		wire += one.wire_bps;
	}
	*user_bps = pace_rate_bps(all.bytes - all.bytes / all.frames, duration_ns);
	*wire_bps = user > 0 ? *user_bps * (wire / user) : 0;
}

/* --- the rest of the point --------------------------------------------------------------- */

/* The clock with the largest error of those that know the offset, else of any exchange. */
static const struct pace_clock *
worst_clock(const struct pace_point *p)
{
	const struct pace_clock *worst = &p->streams[0]->clock;

	for (uint32_t i = 1; i < p->ask.streams; i++) {
		const struct pace_clock *c = &p->streams[i]->clock;

		if (worst->exchanges == 0 || (c->fit.segments > 0 && (worst->fit.segments == 0 ||
		    c->fit.bound_ns > worst->fit.bound_ns)))
			worst = c;
	}
	return worst;
}

static uint32_t
streams_with(const struct pace_point *p, const char *code)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->ask.streams; i++) {
		const struct pace_notes *v = &p->streams[i]->notes;
		bool has = false;

		for (int k = 0; k < v->n; k++)
			has |= strcmp(v->v[k].code, code) == 0;
		n += has;
	}
	return n;
}

/* Take the counters of the first stream that has some; a host has them once. */
static void
move_counters(struct pace_counters *to, struct pace_counters *from)
{
	if (to->known || !from->known)
		return;
	pace_counters_free(to);
	*to = *from;
	memset(from, 0, sizeof(*from));
}

static void
add_start(struct pace_point *p, const struct pace_point *one)
{
	/* of one form and in UTC: earlier ones sort before */
	if (one->started[0] != '\0' && (p->started[0] == '\0' ||
	    strcmp(one->started, p->started) < 0))
		memcpy(p->started, one->started, sizeof(p->started));
	if (one->tx.due_wall_ns != 0 && (p->tx.due_wall_ns == 0 ||
	    one->tx.due_wall_ns < p->tx.due_wall_ns))
		p->tx.due_wall_ns = one->tx.due_wall_ns;
}

static void
add_point(struct pace_point *p, struct pace_point *one, bool first)
{
	add_start(p, one);
	if (first || one->verdict == PACE_DEGRADED)
		p->verdict = one->verdict;
	p->interrupted |= one->interrupted;
	p->ipv6 |= one->ipv6;
	p->has_rx &= one->has_rx;
	p->owd_relative |= one->has_rx && one->rx.pdv.stats.n > 0 &&
	    (one->owd_relative || !one->rx.has_owd);
	p->ledger.asked = sum(p->ledger.asked, one->ledger.asked);
	p->ledger.tx_refused = sum(p->ledger.tx_refused, one->ledger.tx_refused);
	add_tx(&p->tx, &one->tx, first);
	if (one->has_rx)
		add_rx(&p->rx, &one->rx, p->ask.dscp, first);
	add_wire(&p->has_wire, &p->wire, one->has_wire, &one->wire, first);
	p->has_wire = p->has_wire && pace_wire_check_broken(&p->wire) == NULL;
	move_counters(&p->ours, &one->ours);
	move_counters(&p->theirs, &one->theirs);
	for (const struct pace_note *n = one->notes.v; n < one->notes.v + one->notes.n; n++)
		pace_note(&p->notes, n->code, "%u of %u streams: %s", streams_with(p, n->code),
		    p->ask.streams, n->text);
}

static void
clear(struct pace_point *p)
{
	memset(&p->tx, 0, sizeof(p->tx));
	pace_tx_reset_hists(&p->tx);
	pace_rx_result_reset(&p->rx);
	memset(&p->ledger, 0, sizeof(p->ledger));
	p->interrupted = p->ipv6 = p->owd_relative = p->has_wire = false;
	p->has_rx = true;
}

/* Delays are absolute if those of every stream are, and a clock says how exact they are. */
static void
close_delays(struct pace_point *p)
{
	p->owd_relative |= p->clock.fit.segments == 0;
	p->rx.has_owd = !p->owd_relative;
	if (p->rx.has_owd)
		return;
	pace_hist_reset(&p->rx.owd);
	pace_hist_reset(&p->rx.owd_scheduled);
}

void
pace_point_aggregate(struct pace_point *p)
{
	if (p->streams == NULL)
		return;
	clear(p);
	for (uint32_t i = 0; i < p->ask.streams; i++)
		add_point(p, p->streams[i], i == 0);
	pace_intervals_sum(p);
	p->clock = *worst_clock(p);
	p->tx.duration_ns = union_ns(p, false);
	set_rates(p, false, p->tx.duration_ns, &p->tx.user_rate_bps, &p->tx.wire_rate_bps);
	/* counts that a responder made up saturate: their identities no longer hold */
	if (!p->has_rx || p->rx.frames != p->rx.unique + p->rx.duplicates) {
		p->has_rx = false;
		pace_rx_result_reset(&p->rx);
		p->owd_relative = true;
		return;
	}
	p->rx.duration_ns = union_ns(p, true);
	set_rates(p, true, p->rx.duration_ns, &p->rx.user_rate_bps, &p->rx.wire_rate_bps);
	close_delays(p);
	pace_loss_attribution_close(p);
	pace_intervals_locate(p);
}

/* --- differences of the streams ---------------------------------------------------------- */

static double
loss_ratio(const struct pace_rx_result *r)
{
	uint64_t n = r->lost + r->unique;

	return n > 0 ? (double)r->lost / (double)n : 0;
}

bool
pace_point_fairness(const struct pace_point *p, struct pace_fairness *f)
{
	double total = 0, squares = 0;

	*f = (struct pace_fairness){ .streams = p->ask.streams, .jain = NAN };
	for (uint32_t i = 0; p->streams != NULL && i < f->streams; i++) {
		const struct pace_rx_result *r = &p->streams[i]->rx;
		double bps = r->user_rate_bps;

		if (!p->streams[i]->has_rx)
			return false;
		total += bps;
		squares += bps * bps;
		if (bps > p->streams[f->best]->rx.user_rate_bps)
			f->best = i;
		if (bps < p->streams[f->worst]->rx.user_rate_bps)
			f->worst = i;
		if (loss_ratio(r) > loss_ratio(&p->streams[f->most_lost]->rx))
			f->most_lost = i;
	}
	if (squares > 0)
		f->jain = total * total / (f->streams * squares);
	return p->streams != NULL;
}
