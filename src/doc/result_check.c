/* The identities of a point, see result.h. */
#include "doc/result.h"

#include <stddef.h>

#include "doc/hist_doc.h"
#include "doc/intervals.h"
#include "doc/params.h"

/* Offsets of the receiver's histograms; those of delays come last. */
static const size_t rx_hists[] = {
#define AT(m)	offsetof(struct pace_rx_result, m)
	AT(gap), AT(gap_error), AT(runs), AT(loss_distances), AT(loss_free_runs), AT(extent),
	    AT(late_ns), AT(messages.missing), AT(messages.span),
	AT(owd), AT(owd_scheduled), AT(pdv), AT(ipdv),
};

#define RX_HISTS	(sizeof(rx_hists) / sizeof(rx_hists[0]))
#define DELAYS		4

/* Do the bins of all histograms from this one on sum to their counts? */
static bool
rx_hists_sum(const struct pace_rx_result *r, size_t from, size_t end)
{
	bool all = true;

	for (size_t i = from; i < end; i++)
		all &= pace_hist_sums((const void *)((const char *)r + rx_hists[i]));
	return all;
}

static const char *
tx_broken(const struct pace_point *p)
{
	uint64_t refused = 0;

	for (int i = 0; i < PACE_REFUSALS; i++)
		refused += p->tx.refusals[i].frames;
	if (p->ledger.asked != p->tx.frames + p->tx.refused)
		return "requested frames are not the sum of those sent and those refused";
	if (p->ledger.tx_refused != p->tx.refused)
		return "the ledger has a different number of refused frames";
	if (refused != p->tx.refused)
		return "the reasons for refusals do not sum to the refused frames";
	if (!pace_hist_sums(&p->tx.gap) || !pace_hist_sums(&p->tx.gap_error) ||
	    !pace_hist_sums(&p->tx.stamped_gap_error) || !pace_hist_sums(&p->tx.stack))
		return "a histogram of departures does not sum to its count";
	return NULL;
}

/* Is every location within its bounds, and is the sum right? */
static bool
ledger_sums(const struct pace_ledger *l, uint64_t lost)
{
	uint64_t sum = 0;

	for (int i = 0; i < PACE_PLACES; i++) {
		const struct pace_share *s = &l->place[i];

		if (s->low > s->n || s->n > s->high || s->high > lost)
			return false;
		sum += s->n;
	}
	return sum == lost;
}

/* Do the changes follow from what was sent and what arrived? */
static bool
marks_fit(const struct pace_params *a, const struct pace_marks *m)
{
	bool capable = a->ecn == PACE_ECN_ECT0 || a->ecn == PACE_ECN_ECT1;
	uint64_t kept = m->ecn[a->ecn] + (capable ? m->ecn[PACE_ECN_CE] : 0);

	return m->ecn_changed + kept == m->frames &&
	    (m->dscp == a->dscp ? m->dscp_changed + m->dscp_frames == m->frames :
	    m->dscp_changed >= m->dscp_frames);
}

/* Are all frames that a stream sent in its messages? */
static bool
messages_fit(const struct pace_point *p)
{
	const struct pace_message_stats *m = &p->rx.messages;
	const uint64_t n = p->ask.message, sent = p->tx.frames;

	return !p->rx.has_messages || n == 0 || p->streams != NULL ||
	    m->complete + m->incomplete + m->lost == sent / n + (sent % n > 0);
}

static const char *
rx_broken(const struct pace_point *p)
{
	const struct pace_rx_result *r = &p->rx;

	if (r->frames != r->unique + r->duplicates)
		return "frames received are not the sum of unique and duplicated ones";
	if (p->tx.frames < r->unique || r->lost != p->tx.frames - r->unique)
		return "lost frames are not those sent minus the unique ones received";
	if (r->socket_lost_likely > r->socket_lost_max)
		return "the estimate of frames lost in the socket exceeds its bound";
	if (!ledger_sums(&p->ledger, r->lost))
		return "the ledger's locations do not sum to the lost frames";
	if (!rx_hists_sum(r, 0, RX_HISTS - DELAYS))
		return "a histogram of the receiver does not sum to its count";
	if (!rx_hists_sum(r, RX_HISTS - DELAYS, RX_HISTS))
		return "a histogram of delays does not sum to its count";
	if (r->owd.stats.n != (r->has_owd ? r->pdv.stats.n : 0) ||
	    r->owd_scheduled.stats.n > r->owd.stats.n)
		return "delays and their variation have different numbers of frames";
	/* only the first frame of a train has a delay: fewer than arrived is correct */
	if (r->pdv.stats.n + r->invalid_timestamps > r->unique)
		return "more frames have a delay than arrived";
	if (r->ipdv.stats.n > 0 && r->ipdv.stats.n >= r->pdv.stats.n)
		return "there are more changes of the delay than delays";
	if (!p->owd_relative && (!r->has_owd || p->clock.fit.segments == 0))
		return "the delay is absolute, but the offset of the clocks is not known";
	if (r->marks.frames > r->unique || !marks_fit(&p->ask, &r->marks))
		return "the changed marks do not follow from those sent and those received";
	if (!messages_fit(p))
		return "the messages are not those that were sent";
	if (r->records > p->ask.record.room * pace_params_streams(&p->ask))
		return "there are more frame records than requested";
	return NULL;
}

static const char *
clock_broken(const struct pace_point *p)
{
	const struct pace_clock *c = &p->clock;
	const struct pace_clock_estimate *e = &c->fit;
	int64_t rtt_ns = c->before_ns < c->during_ns ? c->before_ns : c->during_ns;
	double bound_ns = 0;

	if (c->exchanges == 0)
		return e->segments == 0 ? NULL : "the clocks are known without an exchange";
	if (c->after_ns < rtt_ns)
		rtt_ns = c->after_ns;
	if (c->min_rtt_ns == PACE_NO_TIME || c->min_rtt_ns != rtt_ns)
		return "the shortest round trip is not that of any phase";
	if (p->has_rx && e->segments == 0)
		return "exchanges were answered, but the offset of the clocks is not known";
	for (int i = 0; i < e->segments; i++)
		if (e->v[i].bound_ns > bound_ns)
			bound_ns = e->v[i].bound_ns;
	if (e->segments > 0 && (e->bound_ns > bound_ns || e->bound_ns < bound_ns ||
	    e->uncertainty_ns > bound_ns))
		return "the bound of the clocks is not the widest of its segments'";
	return NULL;
}

/* Are the point's counts the sums of its streams'? */
static const char *
streams_broken(const struct pace_point *p)
{
	struct { uint64_t asked, sent, refused, frames, unique, lost; } n = { .sent = 0 };

	for (uint32_t i = 0; i < p->ask.streams; i++) {
		const struct pace_point *one = p->streams[i];
		const char *why = one->streams != NULL ? "a stream has streams" :
		    pace_point_broken(one);

		if (why != NULL)
			return why;
		if (p->has_rx && !one->has_rx)
			return "the receiver's result of a stream is missing";
		n.asked += one->ledger.asked;
		n.sent += one->tx.frames;
		n.refused += one->tx.refused;
		n.frames += one->rx.frames;
		n.unique += one->rx.unique;
		n.lost += one->rx.lost;
	}
	if (n.asked != p->ledger.asked || n.sent != p->tx.frames || n.refused != p->tx.refused)
		return "the streams' departures do not sum to those of the point";
	if (p->has_rx && (n.frames != p->rx.frames || n.unique != p->rx.unique ||
	    n.lost != p->rx.lost))
		return "the streams' arrivals do not sum to those of the point";
	return NULL;
}

const char *
pace_point_broken(const struct pace_point *p)
{
	const char *why = tx_broken(p);

	if (why == NULL && p->has_wire)
		why = pace_wire_check_broken(&p->wire);
	if (why == NULL && p->has_rx && p->rx.has_wire)
		why = pace_wire_check_rx_broken(&p->rx.wire);
	if (why == NULL)
		why = clock_broken(p);
	if (why == NULL && p->has_rx)
		why = rx_broken(p);
	if (why == NULL && p->has_rx && p->intervals != NULL)
		why = pace_intervals_broken(p);
	if (why == NULL && p->streams != NULL)
		why = streams_broken(p);
	return why;
}

/* Could n gaps come from this number of frames? */
static bool
between(uint64_t n, uint64_t frames)
{
	return n == 0 || n < frames;
}

const char *
pace_wire_check_rx_broken(const struct pace_wire_check *w)
{
	if (!pace_hist_sums(&w->gap) || !pace_hist_sums(&w->gap_difference))
		return "a histogram of the wire does not sum to its count";
	if (!between(w->gap.stats.n, w->frames) || !between(w->gap_difference.stats.n, w->frames))
		return "gaps on the wire are not those between its frames";
	if (w->gaps_differing > w->gap_difference.stats.n)
		return "more gaps differ than exist";
	if (w->packets > w->frames + w->copies)
		return "there are more captured packets than frames";
	return NULL;
}

const char *
pace_wire_check_broken(const struct pace_wire_check *w)
{
	if (w->gap_difference.stats.n != w->gap.stats.n && w->gap_difference.stats.n != 0)
		return "gaps on the wire are not those between its frames";
	return pace_wire_check_rx_broken(w);
}
