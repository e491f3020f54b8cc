#include "doc/capacity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hist.h"
#include "core/stats.h"
#include "core/units.h"
#include "doc/loss_attribution.h"
#include "doc/params.h"
#include "doc/stall.h"

#define PATIENCE	3	/* invalid trials in a row */
#define TOO_SLOW	0.01	/* of the spacing */
#define STALL_NS	1000000	/* longer ones degrade a sender */
#define BUSY		0.02	/* share of the time without frames, taken by other work */
#define SAME		1e-9	/* rates that differ by less are one */

/* --- one trial --------------------------------------------------------------------- */

/* Return the delay of the last frame minus that of the first, by the sender's clock.  The rate is
 * that of the responder's clock, seen from the client's. */
static double
growth_ns(const struct pace_point *p)
{
	double rate = pace_clock_rate_at(&p->clock.fit, pace_clock_mid(&p->clock));
	double sender_ns = p->ask.direction == PACE_DOWN ? 1 + rate : 1 / (1 + rate);

	if (p->rx.unique < 2 || p->tx.frames < 2)
		return NAN;
	return (double)p->rx.duration_ns * sender_ns - (double)p->tx.duration_ns;
}

/* Tokens that were left may hide the queue for most of the trial, so the slowest tenth counts.
 * A frozen host delays only a few per cent of the frames. */
static bool
is_late_by(const struct pace_hist *h, double ns)
{
	return h->stats.n > 0 && (double)pace_hist_quantile(h, 0.9) >= ns;
}

static bool
did_queue_grow(const struct pace_capacity *c, const struct pace_point *p, double grown_ns)
{
	double most = c->search.cfg.precision / 2 * (double)p->tx.duration_ns;

	return grown_ns > most && is_late_by(&p->rx.pdv, grown_ns / 4);
}

/* Did the sender send bursts after freezes?  Such a stream is uneven whether it lost frames or
 * not; the verdict alone would be too lenient. */
static bool
is_uneven(const struct pace_point *p)
{
	return p->verdict == PACE_DEGRADED || p->tx.stalls.max_ns > STALL_NS ||
	    p->tx.late_frames * 100 > p->tx.frames;
}

/* Is an uneven stream accepted in this trial if the sender kept the mean rate? */
static bool
is_lenient(const struct pace_capacity *c, const struct pace_capacity_trial *t)
{
	return t->ask.lengthy || c->search.invalid >= PATIENCE;
}

/* Return why the sender makes the trial invalid, or PACE_WHY_NONE. */
static enum pace_why
spoilt(const struct pace_capacity *c, const struct pace_point *p,
    const struct pace_capacity_trial *t)
{
	/* deviation of the mean spacing; the slot of a refused frame is part of a gap */
	double slots = (double)p->ledger.asked / (double)p->tx.frames;
	double off = p->tx.gap.stats.n == 0 ? 1 :
	    fabs(pace_stats_mean(&p->tx.gap.stats) / (slots * pace_params_gap_ns(&p->ask)) - 1);

	if (off > c->search.cfg.precision / (is_lenient(c, t) ? 1 : 2))
		return PACE_WHY_RATE;
	if (!is_uneven(p) || is_lenient(c, t))
		return PACE_WHY_NONE;
	return p->tx.stalls.max_ns > STALL_NS ? PACE_WHY_STALLED : PACE_WHY_LATE;
}

/* A sender that is too slow is late from frame to frame; one that was held up now and then is
 * not. */
static bool
is_slow(const struct pace_point *p)
{
	return p->tx.gap_error.stats.n > 0 && (double)pace_hist_quantile(&p->tx.gap_error, 0.5) >
	    TOO_SLOW * pace_params_gap_ns(&p->ask);
}

static void
set(struct pace_capacity_trial *t, enum pace_trial_verdict v, enum pace_why why)
{
	t->verdict = v;
	t->why = why;
}

static void
judge_sent(const struct pace_capacity *c, const struct pace_point *p, struct pace_capacity_trial *t)
{
	/* Frames that left in a burst because the sender had been held up: their loss may be
	 * the sender's fault.  Short stalls are in every stream, and make no burst. */
	double held = p->tx.stalls.max_ns > STALL_NS ? (double)p->tx.stalls.total_ns : 0;
	double burst = !is_uneven(p) ? 0 : (double)p->tx.late_frames +
	    held / pace_params_spacing_ns(&p->ask);
	double allowed = c->max_loss * (double)p->ledger.asked;
	enum pace_why why = spoilt(c, p, t);
	/* With a busy host it is unknown how the path would have treated an even stream. */
	bool excused = c->idle.busy && is_uneven(p);
	bool grew = did_queue_grow(c, p, t->growth_ns);

	if ((double)p->tx.refused > allowed + burst)
		set(t, PACE_TRIAL_FAILED, PACE_WHY_REFUSED);	/* a queue of the sender is full */
	else if (why != PACE_WHY_NONE)
		set(t, is_slow(p) ? PACE_TRIAL_SLOW : PACE_TRIAL_DISTURBED, why);
	else if ((double)t->lost > allowed + burst && !excused)
		set(t, PACE_TRIAL_FAILED, PACE_WHY_LOSS);
	else if ((double)t->lost > allowed || (grew && excused))
		set(t, PACE_TRIAL_DISTURBED, p->tx.stalls.max_ns > STALL_NS ? PACE_WHY_STALLED :
		    PACE_WHY_LATE);
	else if (grew)
		set(t, PACE_TRIAL_FAILED, PACE_WHY_QUEUE);
	else
		set(t, PACE_TRIAL_PASSED, PACE_WHY_NONE);
}

void
pace_trial_judge(const struct pace_capacity *c, const struct pace_point *p,
    struct pace_capacity_trial *t)
{
	t->growth_ns = NAN;
	if (p == NULL || !p->has_rx || p->interrupted || p->tx.frames == 0) {
		set(t, PACE_TRIAL_DISTURBED, PACE_WHY_NO_RESULT);
		return;
	}
	t->frames = p->ledger.asked;
	t->lost = p->rx.lost + p->tx.refused;
	t->growth_ns = growth_ns(p);
	if ((double)t->lost <= c->max_loss * (double)t->frames &&
	    !did_queue_grow(c, p, t->growth_ns))
		t->sent_bps = fmin(p->tx.user_rate_bps, p->rx.user_rate_bps);
	judge_sent(c, p, t);
}

/* --- cause of a failure ----------------------------------------------------------------- */

static enum pace_limit
host_of(enum pace_place place)
{
	return place == PACE_NETWORK ? PACE_LIMIT_PATH : place >= PACE_TX_QDISC ?
	    PACE_LIMIT_SENDER : PACE_LIMIT_RECEIVER;
}

/* Where most frames were lost, as the sentence has it. */
static void
blame_loss(const struct pace_point *p, struct pace_cause *why)
{
	enum pace_place worst = pace_loss_attribution_worst(p);

	why->limit = host_of(worst);
	why->place = pace_place_name(worst);
	pace_loss_attribution_say(p, why->diagnosis, sizeof(why->diagnosis));
}

/* A queue of the sending host shows in the stamps that frames get when they leave the host. */
static void
blame_queue(const struct pace_point *p, double grown_ns, struct pace_cause *why)
{
	bool host = is_late_by(&p->tx.stack, grown_ns / 4);
	char grown[32], time[32];

	why->limit = host ? PACE_LIMIT_SENDER : PACE_LIMIT_PATH;
	why->place = pace_place_name(host ? PACE_TX_QDISC : PACE_NETWORK);
	snprintf(why->diagnosis, sizeof(why->diagnosis), "a queue %s grew by %s in %s, before it "
	    "lost a frame", !host ? "on the path" :
	    p->ask.direction == PACE_DOWN ? "of the responder's host" : "of this host",
	    pace_print(PACE_UNIT_SEC, grown_ns, grown, sizeof(grown)),
	    pace_print(PACE_UNIT_SEC, (double)p->tx.duration_ns, time, sizeof(time)));
}

static void
blame(const struct pace_point *p, const struct pace_capacity_trial *t, struct pace_cause *why)
{
	*why = (struct pace_cause){ .why = t->why };
	if (t->why == PACE_WHY_QUEUE) {
		blame_queue(p, t->growth_ns, why);
	} else if (t->why == PACE_WHY_REFUSED) {
		why->limit = PACE_LIMIT_SENDER;
		why->place = "tx_refused";
		pace_loss_attribution_say(p, why->diagnosis, sizeof(why->diagnosis));
	} else {
		blame_loss(p, why);
	}
}

/* --- the search ------------------------------------------------------------------------- */

static bool
is_same(double a, double b)
{
	return fabs(a - b) <= SAME * fabs(b);
}

void
pace_capacity_take(struct pace_capacity *c, const struct pace_point *p)
{
	struct pace_capacity_trial *t;

	if (c->n == c->room) {
		t = realloc(c->v, (c->room + 64) * sizeof(*t));
		if (t == NULL) {
			c->failed = true;
			return;
		}
		c->v = t;
		c->room += 64;
	}
	t = &c->v[c->n++];
	*t = (struct pace_capacity_trial){ .growth_ns = NAN };
	(void)pace_search_next(&c->search, &t->ask);
	pace_trial_judge(c, p, t);
	/* the document has every point with any figures */
	t->has_point = p != NULL && (p->has_rx || p->tx.frames > 0);
	t->point = c->points;
	c->points += t->has_point;
	if (t->verdict == PACE_TRIAL_FAILED)
		blame(p, t, &c->latest);
	pace_search_take(&c->search, t->verdict);
	if (t->verdict == PACE_TRIAL_FAILED && is_same(c->search.worst_bps, t->ask.bps))
		c->cause = c->latest;
}

void
pace_capacity_free(struct pace_capacity *c)
{
	free(c->v);
	c->v = NULL;
	c->n = c->room = 0;
}

struct pace_trials
pace_capacity_at(const struct pace_capacity *c, double bps)
{
	struct pace_trials all = { 0, 0, 0, 0, false };

	for (size_t i = 0; i < c->n; i++) {
		const struct pace_capacity_trial *t = &c->v[i];

		if (!is_same(t->ask.bps, bps))
			continue;
		if (t->verdict != PACE_TRIAL_PASSED && t->verdict != PACE_TRIAL_FAILED) {
			all.invalid++;
			continue;
		}
		all.n++;
		all.frames += t->frames;
		all.lost += t->lost;
		all.lengthy |= t->ask.lengthy;
	}
	return all;
}

void
pace_capacity_idle(struct pace_capacity *c, const struct pace_tx *tx)
{
	c->idle.ns = tx->duration_ns;
	c->idle.lost_ns = tx->schedule_shifted_ns;
	c->idle.busy = (double)tx->schedule_shifted_ns > BUSY * (double)tx->duration_ns;
	c->search.cfg.busy = c->idle.busy;
	if (tx->stalls.max_ns > STALL_NS)
		pace_stall_say(tx, c->idle.why, sizeof(c->idle.why));
}

bool
pace_capacity_by_sender(const struct pace_capacity *c)
{
	return c->search.by_sender && pace_capacity_limit(c) == PACE_LIMIT_SENDER;
}

struct pace_found
pace_capacity_found(const struct pace_capacity *c)
{
	struct pace_found f = { c->search.best_bps, c->search.sustained,
	    pace_capacity_at(c, c->search.best_bps) };

	if (!pace_capacity_by_sender(c))
		return f;
	for (size_t i = 0; i < c->n; i++)	/* the slowest that passed at this rate */
		if (c->v[i].verdict == PACE_TRIAL_PASSED &&
		    is_same(c->v[i].ask.bps, c->search.best_bps))
			f.bps = fmin(f.bps, c->v[i].sent_bps);
	for (size_t i = 0; i < c->n && !c->search.sustained; i++) {
		const struct pace_capacity_trial *t = &c->v[i];

		if (t->sent_bps > f.bps)
			f = (struct pace_found){ t->sent_bps, t->ask.lengthy,
			    { 1, 0, t->frames, t->lost, t->ask.lengthy } };
	}
	return f;
}

double
pace_capacity_failed(const struct pace_capacity *c)
{
	return c->search.worst_bps > pace_capacity_found(c).bps ? c->search.worst_bps : 0;
}

enum pace_limit
pace_capacity_limit(const struct pace_capacity *c)
{
	const struct pace_search *s = &c->search;

	if (c->refused[0] != '\0')
		return PACE_LIMIT_POLICY;
	if (!s->done)
		return PACE_LIMIT_UNKNOWN;
	if (s->worst_bps <= 0)
		return PACE_LIMIT_HIGHEST;
	return s->by_sender ? PACE_LIMIT_SENDER : c->cause.limit;
}

bool
pace_capacity_is_measured(const struct pace_capacity *c)
{
	enum pace_limit limit = pace_capacity_limit(c);

	return c->search.best_bps > 0 && limit != PACE_LIMIT_UNKNOWN && limit != PACE_LIMIT_SENDER;
}
