#include "live/capture_scan.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- entries ---------------------------------------------------------------- */

/* Find a free entry, or one of a silent stream; -1: none. */
static int
free_place(const struct pace_capture_scan *k, int64_t now_ns)
{
	int best = -1;

	for (int i = 0; i < PACE_CAPTURE_SAMPLE_STREAMS; i++) {
		const struct pace_cap_stream *s = k->place[i].stream;

		if (s == NULL)
			return i;
		if (now_ns - s->last_ns > PACE_LOOK_STALE_NS &&
		    (best < 0 || s->last_ns < k->place[best].stream->last_ns))
			best = i;
	}
	return best;
}

/* Give the stream an entry if one is available. */
static void
find_place(struct pace_capture_scan *k, struct pace_cap_stream *s, int64_t now_ns)
{
	int i;

	if (s->mark != 0 || (k->numbers > 0 && s->last_ns < k->since_ns))
		return;			/* it already has one, or is silent */
	i = free_place(k, now_ns);
	if (i < 0)
		return;
	if (k->place[i].stream != NULL)
		k->place[i].stream->mark = 0;
	k->place[i].stream = s;
	k->place[i].number = 2 + k->numbers++;
	s->mark = (uint32_t)i + 1;
}

/* --- streams ---------------------------------------------------------------- */

static struct pace_tally
count(const struct pace_cap_stream *s)
{
	struct pace_tally n = { .frames = s->frames, .bytes = s->bytes,
	    .wire_bytes = s->line_bytes, .unnumbered = s->frames };

	if (s->seq == NULL)
		return n;
	n.frames = s->seq->unique;
	n.unnumbered = 0;
	n.lost = (int64_t)pace_cap_stream_lost(s);
	n.duplicates = s->seq->duplicates;
	n.reordered = s->seq->reordered;
	n.late = s->seq->beyond;
	return n;
}

static void
describe(struct pace_flow_status *to, const struct pace_cap_stream *s)
{
	const struct pace_cap_flow *f = s->flow;
	int family = f->key.ip == 6 ? AF_INET6 : AF_INET;

	(void)inet_ntop(family, f->key.source, to->source, sizeof(to->source));
	(void)inet_ntop(family, f->key.dest, to->destination, sizeof(to->destination));
	snprintf(to->format, sizeof(to->format), "%s", f->format->name);
	snprintf(to->stream, sizeof(to->stream), "%" PRIu64, s->id);
	to->source_port = f->key.source_port;
	to->destination_port = f->key.dest_port;
	to->dscp = f->dscp;
	to->vlan = f->vlan;
}

static void
fill(struct pace_capture_sample_stream *to, uint64_t number, const struct pace_cap_stream *s)
{
	if (to->number != number) {
		memset(to, 0, sizeof(*to));
		describe(&to->flow, s);
		to->number = number;
	}
	to->size_bytes = s->size_max;
	to->wire_bytes = s->size_min == s->size_max ? (uint32_t)s->first_line_bytes : 0;
	to->flow.streams = s->flow->streams;
	to->flow.numbered = s->seq != NULL;
	to->flow.restarts = s->unwrap.restarts;
	to->ended = s->ended;
	to->jitter_ns = s->delays != NULL ? (int64_t)s->delays->jitter_ns : -1;
	to->first_ns = s->first_ns;
	to->last_ns = s->last_ns;
	to->n = count(s);
	if (to->gaps.n != s->gap.stats.n)
		pace_coarse_hist_of(&to->gap, &s->gap);
	to->gaps = s->gap.stats;
}

/* --- the table -------------------------------------------------------------- */

void
pace_capture_scan(struct pace_capture_scan *k, struct pace_capture_sample *c,
    const struct pace_cap_table *t)
{
	struct pace_cap_stream *s = NULL;

	c->c.frames = t->frames;
	c->c.bytes = t->bytes;
	c->c.udp = t->kinds[PACE_CAP_UDP];
	c->c.flows = t->flows;
	c->c.streams = 0;
	c->c.untracked = t->others;
	for (size_t i = 0; i < t->flows; i++)
		c->c.untracked += t->flow[i].untracked;
	memset(&c->n, 0, sizeof(c->n));
	while ((s = pace_cap_table_next(t, s)) != NULL) {
		struct pace_tally n = count(s);

		if (s->frames == 0)
			continue;
		c->c.streams++;
		pace_tally_add(&c->n, &n);
		find_place(k, s, t->last_ns);
	}
	c->c.unlisted = c->c.streams;
	for (int i = 0; i < PACE_CAPTURE_SAMPLE_STREAMS; i++)
		if (k->place[i].stream != NULL) {
			fill(&c->stream[i], k->place[i].number, k->place[i].stream);
			c->c.unlisted--;
		}
	k->since_ns = t->last_ns;
}
