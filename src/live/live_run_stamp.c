/*
 * A live run with a STAMP reflector.  Nobody reports on the other side: what the replies say is
 * made into a report here.
 */
#include "config.h"

#include "live/live_run_own.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/schedule.h"

#define OVERHEAD_OF	1000U		/* any size that is not fragmented */

/* --- the measuring thread ------------------------------------------------------------ */

static void
on_begin(void *ctx)
{
	struct pace_live *l = ctx;

	l->run++;
	l->drops = l->peer.client.io.drops(l->peer.client.io.ctx);
	pace_live_goes(l);
}

static bool
on_report(void *ctx, const struct pace_stamp_live *now)
{
	struct pace_live *l = ctx;

	l->live = *now;
	l->pt->tx.frames = now->sent;
	l->pt->tx.refused = now->refused;
	l->pt->tx.late_frames = now->late;
	return pace_live_hand_over(l, PACE_LIVE_STAMP, "", 0, now->now_ns);
}

void
pace_live_stamp_item(struct pace_live *l, struct pace_live_item *i)
{
	struct pace_client *c = &l->peer.client;

	i->live = l->live;
	i->stamp = c->pinger.stamp->result;
	i->octets = c->pinger.stamp->octets;
	i->drops = c->io.drops(c->io.ctx) - l->drops;
	i->wall_ns = c->pinger.their_wall_ns - c->io.wall(c->io.ctx);
}

int
pace_live_stamp_run(struct pace_live *l)
{
	const struct pace_stamp_watching w = { .size_bytes = l->cfg.ask.size_bytes,
	    .spacing_ns = pace_spacing_ns(l->cfg.ask.spacing), .duration_ns = l->cfg.duration_ns,
	    .report_ns = l->cfg.interval_ns, .begun = on_begin, .report = on_report, .ctx = l };

	return pace_client_stamp_live(&l->peer.client, &w, &l->err);
}

/* --- the reader ------------------------------------------------------------------------- */

static uint64_t
wire_bytes(const struct pace_live *l, const struct pace_live_item *i)
{
	const struct pace_link *link = &l->peer.client.link;

	return i->octets + i->stamp.replies * ((uint64_t)pace_wire_bytes(link, OVERHEAD_OF) -
	    OVERHEAD_OF);
}

/* Why it would be an outage, if it is one: the session was opened with small requests. */
static void
explain(struct pace_live_scenario *s, const struct pace_live *l, const struct pace_live_item *i)
{
	const uint32_t size = l->cfg.ask.size_bytes;

	if (i->stamp.unverified > s->session.now.probe.stamp.unverified)
		snprintf(s->why, sizeof(s->why), "the HMAC of %" PRIu64 " repl%s is wrong",
		    i->stamp.unverified, i->stamp.unverified == 1 ? "y" : "ies");
	else if (i->stamp.replies == 0 && size > PACE_CLIENT_STAMP_OPENING)
		snprintf(s->why, sizeof(s->why), "smaller requests than %u bytes were "
		    "answered: try a smaller --size", size);
}

void
pace_live_stamp_report(struct pace_live_scenario *s, const struct pace_live *l,
    const struct pace_live_item *i, struct pace_report *r)
{
	uint64_t dropped = i->drops < i->live.lost ? i->drops : i->live.lost;

	explain(s, l, i);
	memset(r, 0, sizeof(*r));
	r->at_ns = i->now_ns;
	r->began_ns = s->first_ns;
	r->state = i->live.over ? PACE_READY : PACE_RUNNING;
	r->run = (struct pace_tally){ .frames = i->stamp.replies, .bytes = i->octets,
	    .wire_bytes = wire_bytes(l, i), .lost = (int64_t)i->live.lost,
	    .socket_drops = i->drops, .socket_lost_likely = dropped, .socket_lost_max = dropped,
	    .duplicates = i->live.duplicates, .reordered = i->stamp.reordered,
	    .foreign = i->live.foreign, .dscp_changed = i->stamp.changed_back };
	r->jitter_ns = -1;
	r->recent = s->above;
	pace_recent_none(&s->above);
	r->has_shapes = true;
	pace_coarse_hist_list(&s->rtt, &r->delay);
}

void
pace_live_stamp_fill(struct pace_probe_status *p, const struct pace_live_scenario *s,
    const struct pace_live_item *i)
{
	p->has_stamp = true;
	p->stamp = i->stamp;
	if (!p->has_bound)
		return;
	p->offset_ns = (double)(pace_clock_at(&s->theta, i->now_ns) + i->wall_ns);
	p->offset_error_ns = s->theta.uncertainty_ns;
	p->skew_ppm = pace_clock_rate_at(&s->theta, i->now_ns) * 1e6;
	p->skew_error_ppm = pace_clock_rate_bound_at(&s->theta, i->now_ns) * 1e6;
}
