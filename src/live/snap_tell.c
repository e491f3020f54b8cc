/* What happened, in words. */
#include "config.h"

#include "live/snap_read.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/units.h"
#include "out/time_text.h"

/* --- events ---------------------------------------------------------------- */

static const char *
bounds_text(struct pace_bounds b, char buf[PACE_BOUNDS_SIZE])
{
	return pace_bounds_text(&b, 12, buf);	/* an event has one line */
}

void
pace_loss_begin(struct pace_snap *s, struct pace_snap_session *v)
{
	v->loss_ns = 0;
	v->loss = (struct pace_tally){ .frames = 0 };
	pace_snap_note(s, v->now.number, PACE_MOOD_BAD, " ");
	v->loss_event = s->events;
}

/* Where nothing comes, what is missing is known only when a frame comes again: the time
 * until then was one of loss. */
static void
tell_loss(struct pace_snap *s, struct pace_snap_session *v, const struct pace_tick *t)
{
	char lost[40], all[40], socket[PACE_BOUNDS_SIZE], before[PACE_BOUNDS_SIZE];
	struct pace_snap_event *e;

	if (t->n.lost <= 0) {
		v->loss_event = t->dead ? v->loss_event : 0;
		v->dead_ns = !t->dead ? 0 : v->dead_ns < PACE_LOST_MOST ? v->dead_ns + t->span_ns : v->dead_ns;
		return;
	}
	if (v->loss_event == 0 || s->events - v->loss_event >= PACE_SNAP_EVENTS)
		pace_loss_begin(s, v);
	v->loss_ns += v->loss_ns < PACE_LOST_MOST ? t->span_ns + v->dead_ns : 0;
	v->dead_ns = 0;
	pace_tally_add(&v->loss, &t->n);
	e = &s->event[(v->loss_event - 1) % PACE_SNAP_EVENTS];
	snprintf(e->text, sizeof(e->text), "lost %s of %s in %s: socket %s, before it %s",
	    pace_print_count((uint64_t)v->loss.lost, lost),
	    pace_print_count((uint64_t)v->loss.lost + v->loss.frames, all),
	    pace_span_text(v->loss_ns, (char[40]){ 0 }),
	    bounds_text(pace_count_socket(&v->loss), socket),
	    bounds_text(pace_count_elsewhere(&v->loss), before));
}

static void
tell_run(struct pace_snap *s, const struct pace_snap_session *v)
{
	const struct pace_run_stats *r = &v->now.run;
	const struct pace_tally *n = &v->now.this_run;
	bool ended = v->now.ended;
	char spacing[40], frames[40], lost[40];
	uint64_t train = r->train > 1 ? r->train : 1;

	if (!ended && r->pings) {
		pace_snap_note(s, v->now.number, PACE_MOOD_PLAIN, "round trips of %u B began",
		    r->size_bytes);
	} else if (!ended) {
		pace_snap_note(s, v->now.number, PACE_MOOD_PLAIN, "a stream began: %s%u B %s%s",
		    train > 1 ? "trains of frames back to back, " : "",
		    r->size_bytes, r->spacing_ns == 0 ? "as fast as possible" : train > 1 ?
		    "each, one train every " : "every ", r->spacing_ns > 0 ? pace_print(PACE_UNIT_USEC,
		    (double)r->spacing_ns * (double)train, spacing, sizeof(spacing)) : "");
	} else if (!r->pings) {
		pace_snap_note(s, v->now.number, n->lost > 0 ? PACE_MOOD_WARN : PACE_MOOD_PLAIN,
		    "the stream ended: %s frames came, %s lost", pace_print_count(n->frames, frames),
		    pace_print_count(pace_tally_lost(n), lost));
	} else {
		pace_snap_note(s, v->now.number, PACE_MOOD_PLAIN, "the round trips ended: %s answered",
		    pace_print_count(n->round_trips, frames));
	}
}

void
pace_change_tell(struct pace_snap *s, const struct pace_change *c)
{
	const struct pace_session_status *was = c->was;
	struct pace_snap_session *is = c->is;
	const struct pace_tick *t = c->tick;

	if (is->now.run.number != was->run.number)
		is->dead_ns = 0;
	if (is->now.flow.known) {
		pace_flow_tell(s, c);
		return;
	}
	if (c->fresh && is->now.state != PACE_ENDED)
		pace_snap_note(s, is->now.number, PACE_MOOD_PLAIN, "session of %s%s%s", is->now.peer,
		    is->now.label[0] != '\0' ? ", " : "", is->now.label);
	if (is->now.run.number != 0 && (c->fresh || is->now.run.number != was->run.number) && !is->now.ended)
		tell_run(s, is);
	if (t != NULL && t->kind != PACE_TICK_NONE)
		tell_loss(s, is, t);
	if (t != NULL && t->dead && (c->last == NULL || !c->last->dead))
		pace_snap_note(s, is->now.number, PACE_MOOD_BAD, "nothing comes of a stream that goes on");
	if (t != NULL && t->n.corrupt > 0)
		pace_snap_note(s, is->now.number, PACE_MOOD_BAD, "%" PRIu64 " frames came with a damaged "
		    "payload", t->n.corrupt);
	if (!c->fresh && is->now.ended && (!was->ended || was->run.number != is->now.run.number))
		tell_run(s, is);
	if (!c->fresh && is->now.state == PACE_ENDED && was->state != PACE_ENDED)
		pace_snap_note(s, is->now.number, PACE_MOOD_PLAIN, "the session ended");
}
