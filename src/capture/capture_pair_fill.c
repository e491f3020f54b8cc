/* Results of matching two captures, as points of the document. */
#include "config.h"

#include "capture/capture_pair_own.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_fill.h"
#include "core/rates.h"
#include "core/units.h"
#include "stream/receiver.h"

#define ENOUGH		10	/* frames per direction to relate the clocks */
#define APART_NS	1e9	/* clocks that differ by more were not set */

bool
pace_capture_pair_is_cut(const struct pace_capture_pair *b)
{
	return b->side[0].table->kinds[PACE_CAP_SHORT] > 0 ||
	    b->side[1].table->kinds[PACE_CAP_SHORT] > 0;
}

size_t
pace_capture_pair_flows(const struct pace_capture_pair *b)
{
	return b->n;
}

static void
fill_delays(struct pace_seen *s, const struct pace_capture_pair *b,
    const struct pace_capture_pair_match *p)
{
	const struct pace_clock_estimate *theta = p->backwards ? &b->turned : &b->theta;
	struct pace_delays *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return;
	pace_delay_finish(p->delay, theta->uppers >= ENOUGH &&
	    theta->lowers >= ENOUGH ? theta : NULL, d);
	s->has_delay = true;
	s->pair.has_clock = d->absolute;
	s->pair.bound_ns = theta->bound_ns;
	s->pair.uncertainty_ns = theta->uncertainty_ns;
	pace_receiver_delays(&s->rx, d);
	free(d);
}

static void
fill_counts(struct pace_seen *s, const struct pace_capture_pair_match *p)
{
	const struct pace_cap_match *m = &p->match;
	const int64_t first = m->first_came.t_ns, last = m->last_came.t_ns;
	struct pace_rx_result *r = &s->rx;

	r->frames = m->matched + m->duplicates;
	r->unique = m->matched;
	r->bytes = m->bytes;
	r->duration_ns = last > first ? last - first : 0;
	if (r->unique > 1) {
		r->user_rate_bps = pace_rate_bps(m->bytes - m->first_came.bytes, r->duration_ns);
		r->wire_rate_bps = pace_rate_bps(m->line_bytes - m->first_came.line_bytes,
		    r->duration_ns);
	}
	r->gap = *p->gap;
	pace_receiver_order(r, &m->seq);
	r->duplicates = m->duplicates;
	s->pair = (struct pace_seen_pair){ .any = true, .backwards = p->backwards,
	    .sent = m->sent, .received = m->received, .ambiguous = m->ambiguous,
	    .foreign = m->foreign, .before_first = m->before_first, .after_last = m->after_last,
	    .foreign_before_first = m->foreign_before_first,
	    .foreign_after_last = m->foreign_after_last, .duplicate_bytes = m->duplicate_bytes,
	    .foreign_bytes = m->foreign_bytes };
	s->numbered = s->from_start = s->ended = true;
}

void
pace_capture_pair_fill(struct pace_seen *s, const struct pace_capture_pair *b, size_t i)
{
	const struct pace_capture_pair_match *p = &b->pair[i];
	const struct pace_cap_match *m = &p->match;
	double ahead = 0;
	char text[64];

	pace_seen_reset(s);
	pace_seen_fill_flow(s, p->at[!p->backwards], m->matched > 0 ?
	    m->first_came.t_ns : p->at[!p->backwards]->first_ns);
	snprintf(s->stream, sizeof(s->stream), "0");
	s->streams = 1;
	if (p->at[0]->first != NULL) {
		s->size_min = p->at[0]->first->size_min;
		s->size_max = p->at[0]->first->size_max;
	}
	fill_counts(s, p);
	fill_delays(s, b, p);
	if (m->ambiguous > m->sent / 100)
		pace_note(&s->notes, "ambiguous", "%" PRIu64 " frames are identical to others: "
		    "it is not known which of them were lost", m->ambiguous);
	if (m->foreign > m->received / 100 && m->foreign > 0)
		pace_note(&s->notes, "foreign", "%" PRIu64 " frames were received but not sent, "
		    "%" PRIu64 " of them before the first frame in both captures, %" PRIu64
		    " after the last: do both captures cover the same time?", m->foreign,
		    m->foreign_before_first, m->foreign_after_last);
	/* Worth knowing for a user who reads both captures side by side. */
	if (s->pair.has_clock)
		ahead = (double)pace_clock_at(&b->theta, b->pair[0].at[0]->first_ns);
	if (fabs(ahead) >= APART_NS)
		pace_note(&s->notes, "capture_clocks_differ",
		    "the clock of the second capture is %s %s that of the first",
		    pace_print(PACE_UNIT_SEC, fabs(ahead), text, sizeof(text)),
		    ahead > 0 ? "ahead of" : "behind");
	if (m->before_first + m->after_last > 0)
		pace_note(&s->notes, "lost_at_ends", "%" PRIu64 " lost frames were sent before "
		    "the first that arrived, %" PRIu64 " after the last: were both captures "
		    "running?", m->before_first, m->after_last);
	if (!s->pair.has_clock)
		pace_note(&s->notes, "owd_relative", "fewer than %d frames of one direction are in "
		    "both captures: the offset of the clocks is not known, delays are relative",
		    ENOUGH);
}

void
pace_capture_pair_capture(struct pace_capture *c, const struct pace_capture_pair *b)
{
	pace_capture_fill(c, b->side[0].table);
	snprintf(c->link, sizeof(c->link), "%s", b->link);
	c->snap_bytes = (uint64_t)pace_pcap_snap_bytes(b->side[0].pass[0]);
	pace_clean(c->file, sizeof(c->file), b->side[0].name, strlen(b->side[0].name));
	pace_clean(c->other_file, sizeof(c->other_file), b->side[1].name, strlen(b->side[1].name));
	c->complete = b->damage.code == 0;
	if (!c->complete)
		snprintf(c->read_error, sizeof(c->read_error), "%s", b->damage.text);
}
