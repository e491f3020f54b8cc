#include "config.h"

#include "capture/capture_fill.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/rates.h"
#include "plat/clock.h"
#include "stream/receiver.h"

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
	s->untracked = f->untracked;
	s->streams = f->streams;
	snprintf(s->format, sizeof(s->format), "%s", f->format->name);
	snprintf(s->title, sizeof(s->title), "%s", f->format->title);
	pace_clock_rfc3339(first_ns, s->started, sizeof(s->started));
}

static void
fill_heaps(struct pace_seen_heaps *to, const struct pace_cap_heaps *h)
{
	*to = (struct pace_seen_heaps){
		.any = true,
		.size_unknown = h->size_unknown,
		.duplicates = h->duplicates,
		.late = h->late,
		.absurd = h->absurd,
		.bytes_missing = h->missing_bytes,
		.frames_missing = pace_cap_heaps_missing(h),
		.frame_loss_ratio = pace_cap_heaps_datagram_loss(h),
	};
}

static void
fill_messages(struct pace_seen *s, const struct pace_cap_stream *from)
{
	s->rx.has_messages = true;
	s->rx.messages = from->heaps != NULL ? from->heaps->stats : from->messages->stats;
	if (from->heaps == NULL)
		s->message_frames = from->messages->size;
	snprintf(s->message, sizeof(s->message), "%s", s->message_frames > 0 ? "frames" :
	    from->flow->format->message);
}

static void
add_notes(struct pace_seen *s, const struct pace_cap_stream *from)
{
	const uint64_t late = from->messages != NULL ? from->messages->late : 0;

	if (s->restarts > 0)
		pace_note(&s->notes, "numbers_restarted", "the numbers restarted %" PRIu64
		    " time%s: losses around a restart are not known", s->restarts,
		    s->restarts == 1 ? "" : "s");
	if (s->untracked > 0)
		pace_note(&s->notes, "streams_not_followed",
		    "%" PRIu64 " frames of this flow belong to streams beyond the limit",
		    s->untracked);
	if (s->dscp_changes > 0)
		pace_note(&s->notes, "dscp_changed", "its DSCP changed %" PRIu64 " time%s",
		    s->dscp_changes, s->dscp_changes == 1 ? "" : "s");
	if (late > 0)
		pace_note(&s->notes, "messages_late", "%" PRIu64 " frames are in no message: theirs "
		    "had been counted before, or its number does not follow", late);
	if (from->without_message > 0)
		pace_note(&s->notes, "messages_untracked", "%" PRIu64 " frames are in no message: "
		    "there is no memory for the messages of so many streams",
		    from->without_message);
	if (s->rx.invalid_timestamps > 0)
		pace_note(&s->notes, "invalid_timestamps", "%" PRIu64 " stamps of the sender are "
		    "more than an hour from the first", s->rx.invalid_timestamps);
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
	/* Rates refer to frames 2 .. n, as in all results. */
	s->rx.frames = from->frames;
	s->rx.unique = from->seq != NULL ? from->seq->unique : from->frames;
	s->rx.bytes = from->bytes;
	s->rx.duration_ns = from->last_ns > from->first_ns ? from->last_ns - from->first_ns : 0;
	s->rx.user_rate_bps = pace_rate_bps(from->bytes - from->first_bytes, s->rx.duration_ns);
	s->rx.wire_rate_bps = pace_rate_bps(from->line_bytes - from->first_line_bytes,
	    s->rx.duration_ns);
	s->rx.gap = from->gap;
	s->rx.coalesced_stamps = from->coalesced;
	s->rx.stamp = live ? PACE_STAMP_KERNEL : PACE_STAMP_NONE;
	s->numbered = from->seq != NULL;
	if (s->numbered) {
		pace_receiver_order(&s->rx, from->seq);
		s->from_start = from->from_start;
		s->ended = from->ended;
		s->early = from->early;
		s->outliers = from->outliers;
		s->restarts = from->restarts;
	}
	s->has_delay = from->delays != NULL;
	if (s->has_delay) {
		pace_hist_add_shifted(&s->rx.pdv, &from->delays->transit,
		    -from->delays->transit.stats.min);
		s->rx.ipdv = from->delays->ipdv;
		s->rx.jitter_ns = from->delays->jitter_ns;
		s->rx.jitter_max_ns = from->delays->jitter_max_ns;
		s->rx.invalid_timestamps = from->delays->absurd;
	}
	if (from->heaps != NULL)
		fill_heaps(&s->heaps, from->heaps);
	if (from->heaps != NULL || from->messages != NULL)
		fill_messages(s, from);
	add_notes(s, from);
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
	c->untracked = t->others;
	for (size_t i = 0; i < t->flows; i++)
		c->untracked += t->flow[i].untracked;
}

bool
pace_capture_notes(struct pace_notes *n, const struct pace_capture *c)
{
	const uint64_t dropped = c->dropped + c->interface_dropped;

	if (dropped > 0 && c->socket[0] != '\0')
		pace_note(n, "socket_dropped", "this host's socket dropped %" PRIu64
		    " datagrams: its buffer was full (raise --rcvbuf, or give udpace a core of its "
		    "own), or their checksum was wrong", dropped);
	else if (dropped > 0)
		pace_note(n, "capture_dropped", "the capture itself lost %" PRIu64 " frames "
		    "(%" PRIu64 " because its buffer was full, %" PRIu64
		    " in the interface): lost frames may be its own", dropped, c->dropped,
		    c->interface_dropped);
	if (c->large > 0)
		pace_note(n, "frames_merged", "%" PRIu64 " frames are larger than any link "
		    "carries: an offload merged several into one; turn off gro, gso and tso with "
		    "ethtool -K", c->large);
	if (c->cut_short > 0)
		pace_note(n, "cut_too_short", "%" PRIu64 " frames were captured too short to be "
		    "classified: capture with a larger snap length", c->cut_short);
	if (c->bad > 0)
		pace_note(n, "bad_frames", "%" PRIu64 " frames have inconsistent headers and are "
		    "counted nowhere else", c->bad);
	if (c->fragments > 0)
		pace_note(n, "fragments", "%" PRIu64 " frames are later fragments: a datagram is "
		    "counted by its first fragment, complete or not", c->fragments);
	if (c->untracked > 0)
		pace_note(n, "not_followed", "%" PRIu64 " frames belong to flows or streams beyond "
		    "the limit", c->untracked);
	if (c->frames > 0 && c->resolution_ns > 1)
		pace_note(n, "coarse_stamps", "stamps and gaps have a resolution of 1 \xc2\xb5s");
	return dropped > 0 || c->large > 0 || c->cut_short > 0;
}
