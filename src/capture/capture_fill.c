#include "config.h"

#include "capture/capture_fill.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/rates.h"
#include "plat/clock.h"

void
pace_seen_fill_flow(struct pace_seen *s, const struct pace_cap_flow *f, int64_t first_ns)
{
	int family = f->key.ip == 6 ? AF_INET6 : AF_INET;

	(void)inet_ntop(family, f->key.source, s->source, sizeof(s->source));
	(void)inet_ntop(family, f->key.dest, s->destination, sizeof(s->destination));
	s->source_port = f->key.source_port;
	s->destination_port = f->key.dest_port;
	s->ip = f->key.ip;
	s->dscp = f->dscp;
	s->dscp_changes = f->dscp_changes;
	s->vlan = f->vlan;
	s->frames = f->frames;
	s->bytes = f->bytes;
	s->wire_bytes = f->line_bytes;
	s->unnumbered = f->unnumbered;
	s->unfollowed = f->unfollowed;
	s->streams = f->streams;
	snprintf(s->format, sizeof(s->format), "%s", f->format->name);
	snprintf(s->title, sizeof(s->title), "%s", f->format->title);
	pace_clock_rfc3339(first_ns, s->started, sizeof(s->started));
}

/* Rates of frames 2 .. n, as everywhere. */
static void
fill_arrivals(struct pace_rx_result *r, const struct pace_cap_stream *from)
{
	r->frames = from->frames;
	r->unique = from->seq != NULL ? from->seq->unique : from->frames;
	r->bytes = from->bytes;
	r->duration_ns = from->last_ns > from->first_ns ? from->last_ns - from->first_ns : 0;
	r->user_rate_bps = pace_rate_bps(from->bytes - from->first_bytes, r->duration_ns);
	r->wire_rate_bps = pace_rate_bps(from->line_bytes - from->first_line_bytes,
	    r->duration_ns);
	r->gap = from->gap;
	r->coalesced_stamps = from->coalesced;
}

void
pace_seen_fill_numbers(struct pace_rx_result *r, const struct pace_seq *q)
{
	r->duplicates = q->duplicates;
	r->replicated = q->replicated;
	r->lost = q->lost;
	r->reordered = q->reordered;
	r->beyond_window = q->beyond;
	r->window = q->window;
	memcpy(r->degree, q->degree, sizeof(r->degree));
	r->free_runs = q->free_runs;
	r->free_sum = q->free_sum;
	r->free_sumsq = q->free_sumsq;
	r->runs = q->runs;
	r->distances = q->distances;
	r->good_runs = q->good_runs;
	r->extent = q->extent;
	r->late_ns = q->late_ns;
}

static void
fill_delays(struct pace_rx_result *r, const struct pace_cap_delays *d)
{
	pace_hist_add_shifted(&r->pdv, &d->transit, -d->transit.stats.min);
	r->ipdv = d->ipdv;
	r->jitter_ns = d->jitter_ns;
	r->jitter_max_ns = d->jitter_max_ns;
	r->absurd_times = d->absurd;
}

static void
fill_heaps(struct pace_seen_heaps *to, const struct pace_cap_heaps *h)
{
	*to = (struct pace_seen_heaps){
		.any = true,
		.complete = h->complete,
		.incomplete = h->incomplete,
		.lost = pace_cap_heaps_lost(h),
		.unsized = h->unsized,
		.loss_ratio = pace_cap_heaps_loss(h),
		.duplicates = h->duplicates,
		.late = h->late,
		.absurd = h->absurd,
		.bytes_missing = h->missing_bytes,
		.frames_missing = pace_cap_heaps_missing(h),
		.frame_loss_ratio = pace_cap_heaps_datagram_loss(h),
	};
}

static void
add_notes(struct pace_seen *s)
{
	if (s->restarts > 0)
		pace_note(&s->notes, "numbers_restarted", "the numbers began anew %" PRIu64
		    " times: what was lost around that is not known", s->restarts);
	if (s->unfollowed > 0)
		pace_note(&s->notes, "streams_not_followed", "%" PRIu64 " frames of this flow are of "
		    "streams for which there was no room", s->unfollowed);
	if (s->dscp_changes > 0)
		pace_note(&s->notes, "dscp_changed", "its DSCP changed %" PRIu64 " times",
		    s->dscp_changes);
	if (s->rx.absurd_times > 0)
		pace_note(&s->notes, "absurd_times", "%" PRIu64 " stamps of the sender are more than "
		    "an hour from the first", s->rx.absurd_times);
}

void
pace_seen_fill(struct pace_seen *s, const struct pace_cap_stream *from, bool live)
{
	pace_seen_reset(s);
	pace_seen_fill_flow(s, from->flow, from->first_ns);
	snprintf(s->stream, sizeof(s->stream), "%" PRIu64,
	    from->flow->format->secret ? from->order : from->id);
	s->size_min = from->size_min;
	s->size_max = from->size_max;
	s->backwards = from->backwards;
	fill_arrivals(&s->rx, from);
	s->rx.stamp = live ? PACE_STAMP_KERNEL : PACE_STAMP_NONE;
	s->numbered = from->seq != NULL;
	if (s->numbered) {
		pace_seen_fill_numbers(&s->rx, from->seq);
		s->from_start = from->from_start;
		s->ended = from->ended;
		s->early = from->early;
		s->strays = from->strays;
		s->restarts = from->restarts;
	}
	s->has_delay = from->delays != NULL;
	if (s->has_delay)
		fill_delays(&s->rx, from->delays);
	if (from->heaps != NULL)
		fill_heaps(&s->heaps, from->heaps);
	add_notes(s);
}

void
pace_capture_fill(struct pace_capture *c, const struct pace_cap_table *t)
{
	c->frames = t->frames;
	c->bytes = t->bytes;
	c->first_ns = t->first_ns;
	c->last_ns = t->last_ns;
	c->resolution_ns = t->frames == 0 ? 0 : t->fine ? 1 : 1000;
	c->udp = t->kinds[PACE_CAP_UDP];
	c->fragments = t->kinds[PACE_CAP_FRAGMENT];
	c->other = t->kinds[PACE_CAP_OTHER];
	c->cut_short = t->kinds[PACE_CAP_SHORT];
	c->bad = t->kinds[PACE_CAP_BAD];
	c->cut = t->cut;
	c->large = t->large;
	c->flows = t->flows;
	c->streams = t->streams;
	c->unfollowed = t->others;
	for (size_t i = 0; i < t->flows; i++)
		c->unfollowed += t->flow[i].unfollowed;
}

bool
pace_capture_notes(struct pace_notes *n, const struct pace_capture *c)
{
	const uint64_t dropped = c->dropped + c->interface_dropped;

	if (dropped > 0)
		pace_note(n, "capture_dropped", "the capture itself lost %" PRIu64 " frames (%" PRIu64
		    " for want of room, %" PRIu64 " by the interface): losses may be its own",
		    dropped, c->dropped, c->interface_dropped);
	if (c->large > 0)
		pace_note(n, "frames_merged", "%" PRIu64 " frames are larger than any link carries: an "
		    "offload merged several into one; turn off gro, gso and tso with ethtool -K",
		    c->large);
	if (c->cut_short > 0)
		pace_note(n, "cut_too_short", "%" PRIu64 " frames were captured too short to tell "
		    "what they are: capture with a larger snap length", c->cut_short);
	if (c->bad > 0)
		pace_note(n, "bad_frames", "%" PRIu64 " frames contradict themselves and are counted "
		    "nowhere else", c->bad);
	if (c->fragments > 0)
		pace_note(n, "fragments", "%" PRIu64 " frames are later fragments: their datagrams are "
		    "counted by the first one, whole or not", c->fragments);
	if (c->unfollowed > 0)
		pace_note(n, "not_followed", "%" PRIu64 " frames are of flows or streams for which there "
		    "was no room", c->unfollowed);
	if (c->frames > 0 && c->resolution_ns > 1)
		pace_note(n, "coarse_stamps", "stamps are in \xc2\xb5s: gaps are no finer");
	return dropped > 0 || c->large > 0 || c->cut_short > 0;
}
