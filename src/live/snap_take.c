/* Makes a tick of a session's history, and figures, from a line. */
#include "config.h"

#include "live/snap_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM	64		/* ticks */
#define GAPS_OF_RATE	10		/* with fewer gaps the mean is not reliable */
#define MOST_OF_IT	0.9
#define GAPS_OF_DEATH	20		/* a longer time without a frame, in spacings, is no
					 * accident */

/* --- figures --------------------------------------------------------------- */

static void
take(struct pace_range *r, double now, double low, double high, double weight)
{
	if (!isfinite(now) || !isfinite(low) || !isfinite(high))
		return;
	r->known = true;
	r->now = now;
	r->min = r->n == 0 || low < r->min ? low : r->min;
	r->max = r->n == 0 || high > r->max ? high : r->max;
	r->n++;
	r->sum += now * weight;
	r->weight += weight;
}

static void
take_moments(struct pace_range *r, const struct pace_moments *m)
{
	take(r, m->mean, m->has_extremes ? (double)m->min : m->mean,
	    m->has_extremes ? (double)m->max : m->mean, (double)m->n);
}

/* The rate of a partial interval is shown, so it must lie between minimum and maximum.  It
 * counts for nothing else, because a first such rate alone gives no range. */
static void
take_rate(struct pace_snap_session *v, const struct pace_tick *t, enum pace_live_figure f,
    double rate)
{
	if (t->kind == PACE_TICK_WHOLE) {
		take(&v->of[f], rate, rate, rate, (double)t->span_ns);
	} else if (isfinite(rate)) {
		v->of[f].known = true;
		v->of[f].now = rate;
		v->of[f].min = fmin(v->of[f].min, rate);
		v->of[f].max = fmax(v->of[f].max, rate);
	}
}

/* Rate sent, from the sender's own departures: reports are handed over later than their frames
 * are counted, and two may arrive together.  If most frames have no departure gap, as when
 * another run began or the responder sends, use the time in which frames came, or the interval. */
static double
sent_fps(const struct pace_session_status *v, const struct pace_tick *t)
{
	const struct pace_probe_status *p = &v->probe;
	double n = (double)p->leaving.n, sent = (double)p->interval_sent;
	double timed = n * (double)(v->run.train > 1 ? v->run.train : 1);
	double took = timed >= MOST_OF_IT * sent ? n * p->leaving.mean :
	    t->kind == PACE_TICK_PART && t->active_ns > 0 ? (double)t->active_ns :
	    (double)(t->span_ns + t->behind_ns);

	if (p->interval_sent == 0)
		return t->n.frames > 0 ? NAN : 0;
	return took > 0 ? 1e9 * sent / took : NAN;
}

static void
take_tcp(struct pace_snap_session *v, const struct pace_tick *t)
{
	const double rtt = (double)v->now.run.tcp_rtt_ns, s = (double)t->active_ns / 1e9;

	take_rate(v, t, PACE_FIG_TCP_IN, s > 0 ? 8 * (double)t->n.tcp_bytes / s : NAN);
	take_rate(v, t, PACE_FIG_TCP_OUT, s > 0 ? 8 * (double)t->n.tcp_sent_bytes / s : NAN);
	if (rtt > 0)
		take(&v->of[PACE_FIG_TCP_RTT], rtt, rtt, rtt, 1);
}

void
pace_tick_figures(struct pace_snap_session *v, const struct pace_tick *t)
{
	static const enum pace_live_figure ways[PACE_WAYS] = {
		[PACE_WAY_BOTH] = PACE_FIG_RTT, [PACE_WAY_THERE] = PACE_FIG_THERE,
		[PACE_WAY_BACK] = PACE_FIG_BACK, [PACE_WAY_TOTAL] = PACE_FIG_TOTAL,
	};
	double loss = pace_tally_loss(&t->n), order = (double)t->n.reordered;
	double should = (double)t->n.frames + (t->n.lost > 0 ? (double)t->n.lost : 0);

	for (int f = 0; f < PACE_FIGURES; f++)
		v->of[f].known = false;
	if (t->kind == PACE_TICK_NONE)
		return;
	for (enum pace_live_figure f = PACE_FIG_WIRE; f <= PACE_FIG_DATA; f++)
		take_rate(v, t, f, pace_tick_bps(t, f, v->now.ipv6));
	take_rate(v, t, PACE_FIG_FRAMES, pace_tick_fps(t));
	if (v->now.run.tcp > 0)
		take_tcp(v, t);
	if (v->now.probe.known)
		take_rate(v, t, PACE_FIG_SENT, sent_fps(&v->now, t));
	take(&v->of[PACE_FIG_LOSS], loss, loss, loss, should);
	if (!pace_tally_only_sent(&t->n))
		take(&v->of[PACE_FIG_ORDER], order, order, order, 1);
	if (t->gaps.n > 0)
		take_moments(&v->of[PACE_FIG_GAP], &t->gaps);
	if (t->jitter_ns >= 0)
		take(&v->of[PACE_FIG_JITTER], (double)t->jitter_ns, (double)t->jitter_ns,
		    (double)t->jitter_ns, 1);
	if (t->above.n > 0)
		take_moments(&v->of[PACE_FIG_DELAY], &t->above);
	for (int w = 0; w < PACE_WAYS; w++) {
		const struct pace_moments *m = &v->now.probe.way[w];

		if (m->n > 0)
			take(&v->of[ways[w]], m->mean, (double)m->min, (double)m->max, (double)m->n);
	}
}

/* --- history --------------------------------------------------------------- */

int
pace_tick_add(struct pace_snap_session *v, const struct pace_tick *t)
{
	uint64_t room = v->room == 0 ? FIRST_ROOM : 2 * v->room;
	uint64_t most = v->now.stream > 0 ? PACE_TICKS_OF_STREAM : PACE_TICKS;
	struct pace_tick *more;

	if (v->ticks == v->room && v->room < most) {
		room = room < most ? room : most;
		more = realloc(v->tick, (size_t)room * sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		v->tick = more;
		v->room = room;
	}
	v->tick[v->ticks++ % v->room] = *t;
	return 0;
}

/* A stream that began or ended in the interval ran for (number of frames) gaps.  Over the whole
 * interval its rate would show a dip that did not happen. */
static int64_t
active_of(const struct pace_tick *t, uint32_t streams)
{
	double ran = t->gaps.mean * (double)t->n.frames / (streams > 1 ? streams : 1);

	if (t->kind == PACE_TICK_WHOLE)
		return t->span_ns;
	if (t->kind == PACE_TICK_NONE || t->gaps.n < GAPS_OF_RATE || !(ran >= 1))
		return 0;
	return ran < (double)t->span_ns ? (int64_t)ran : t->span_ns;
}

static bool
is_streaming(const struct pace_session_status *s)
{
	return s->run.tcp > 0 ? s->state == PACE_PINGING && !s->ended :
	    (s->state == PACE_RUNNING || s->state == PACE_SENDING) && !s->run.pings;
}

/* A stream that ran before and after the interval ran during all of it. */
void
pace_tick_judge(struct pace_tick *t, const struct pace_session_status *was,
    const struct pace_session_status *is)
{
	const struct pace_run_stats *r = &is->run;
	bool runs = is_streaming(is);
	bool all_along = runs && is_streaming(was) && was->run.number == r->number &&
	    pace_tally_moved(&was->this_run) + pace_tally_tcp(&was->this_run) > 0;

	t->kind = all_along ? PACE_TICK_WHOLE :
	    runs || pace_tally_moved(&t->n) + pace_tally_tcp(&t->n) > 0 || t->n.lost > 0 ?
	    PACE_TICK_PART : PACE_TICK_NONE;
	t->active_ns = active_of(t, r->streams);
	/* a capture does not know whether the sender continues, and a sender what arrives */
	t->dead = (all_along || (runs && is->probe.interval_sent > GAPS_OF_DEATH)) &&
	    r->tcp == 0 && !is->flow.known && !pace_session_sends(is) && t->n.frames == 0 &&
	    r->bursts <= 1 && (double)t->span_ns > GAPS_OF_DEATH * (double)r->spacing_ns *
	    (double)(r->train > 0 ? r->train : 1);
}

/* --- distributions --------------------------------------------------------- */

/* Another run starts with empty distributions. */
int
pace_dists_add(struct pace_snap_session *v, const struct pace_coarse_hist_list of[PACE_DISTS],
    int64_t at_ns)
{
	bool any = pace_coarse_hist_count(&of[PACE_DIST_GAP]) > 0 ||
	    pace_coarse_hist_count(&of[PACE_DIST_DELAY]) > 0;
	struct pace_snap_dist *k;

	if (v->dists != NULL && v->dists->run != v->now.run.number)
		v->dists->lines = 0;
	if (!any)
		return 0;
	if (v->dists == NULL)
		v->dists = calloc(1, sizeof(*v->dists));
	if (v->dists == NULL)
		return -ENOMEM;
	v->dists->run = v->now.run.number;
	k = &v->dists->kept[v->dists->lines++ % PACE_DISTS_KEPT];
	k->at_ns = at_ns;
	memcpy(k->of, of, sizeof(k->of));
	return 0;
}
