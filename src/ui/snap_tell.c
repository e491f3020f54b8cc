/* What happened, in words. */
#include "config.h"

#include "ui/snap_read.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/units.h"
#include "out/time_text.h"

/* --- events ---------------------------------------------------------------- */

static const char *
number_text(uint64_t n, char buf[40])
{
	return pace_print(PACE_UNIT_COUNT, (double)n, buf, 40);
}

static const char *
bounds_text(struct pace_bounds b, char buf[PACE_BOUNDS_SIZE])
{
	return pace_bounds_text(&b, 12, buf);	/* an event has one line */
}

static void
begin_loss(struct pace_snap *s, struct pace_snap_session *v)
{
	v->loss_ns = 0;
	v->loss = (struct pace_tally){ .frames = 0 };
	pace_snap_note(s, v->number, PACE_MOOD_BAD, " ");
	v->loss_event = s->events;
}

/* Where nothing comes, what is missing is known only when a frame comes again: the time
 * until then was one of loss. */
static bool
is_dead_time(struct pace_snap_session *v, const struct pace_tick *t)
{
	if (t->dead && t->n.lost <= 0) {
		v->dead_ns += v->dead_ns < PACE_LOST_MOST ? t->span_ns : 0;
		return true;
	}
	return false;
}

static void
tell_loss(struct pace_snap *s, struct pace_snap_session *v, const struct pace_tick *t)
{
	char lost[40], all[40], socket[PACE_BOUNDS_SIZE], before[PACE_BOUNDS_SIZE];
	struct pace_snap_event *e;

	if (is_dead_time(v, t))
		return;
	if (t->n.lost <= 0) {
		v->loss_event = 0;
		v->dead_ns = 0;
		return;
	}
	if (v->loss_event == 0 || s->events - v->loss_event >= PACE_SNAP_EVENTS)
		begin_loss(s, v);
	v->loss_ns += v->loss_ns < PACE_LOST_MOST ? t->span_ns + v->dead_ns : 0;
	v->dead_ns = 0;
	pace_tally_add(&v->loss, &t->n);
	e = &s->event[(v->loss_event - 1) % PACE_SNAP_EVENTS];
	snprintf(e->text, sizeof(e->text), "lost %s of %s in %s: socket %s, before it %s",
	    number_text((uint64_t)v->loss.lost, lost),
	    number_text((uint64_t)v->loss.lost + v->loss.frames, all),
	    pace_span_text(v->loss_ns, (char[40]){ 0 }),
	    bounds_text(pace_count_socket(&v->loss), socket),
	    bounds_text(pace_count_elsewhere(&v->loss), before));
}

static void
tell_run(struct pace_snap *s, const struct pace_snap_session *v)
{
	const struct pace_snap_run *r = &v->run;
	char spacing[40], frames[40], lost[40];
	uint64_t train = r->train > 1 ? r->train : 1;

	if (!r->ended && r->trips) {
		pace_snap_note(s, v->number, PACE_MOOD_PLAIN, "round trips of %" PRIu64 " B began",
		    r->size_bytes);
	} else if (!r->ended) {
		pace_snap_note(s, v->number, PACE_MOOD_PLAIN, "a stream began: %s%" PRIu64 " B %s%s",
		    train > 1 ? "trains of frames back to back, " : "",
		    r->size_bytes, r->spacing_ns == 0 ? "as fast as possible" : train > 1 ?
		    "each, one train every " : "every ", r->spacing_ns > 0 ? pace_print(PACE_UNIT_USEC,
		    (double)r->spacing_ns * (double)train, spacing, sizeof(spacing)) : "");
	} else if (!r->trips) {
		pace_snap_note(s, v->number, r->n.lost > 0 ? PACE_MOOD_WARN : PACE_MOOD_PLAIN,
		    "the stream ended: %s frames came, %s lost", number_text(r->n.frames, frames),
		    number_text(r->n.lost > 0 ? (uint64_t)r->n.lost : 0, lost));
	} else {
		pace_snap_note(s, v->number, PACE_MOOD_PLAIN, "the round trips ended: %s answered",
		    number_text(r->n.round_trips, frames));
	}
}

void
pace_change_tell(struct pace_snap *s, const struct pace_change *c)
{
	const struct pace_snap_session *was = c->was;
	struct pace_snap_session *is = c->is;
	const struct pace_tick *t = c->tick;

	if (is->run.number != was->run.number)
		is->dead_ns = 0;
	if (is->flow.known) {
		pace_flow_tell(s, c);
		return;
	}
	if (c->fresh && is->phase != PACE_ENDED)
		pace_snap_note(s, is->number, PACE_MOOD_PLAIN, "session of %s%s%s", is->peer,
		    is->label[0] != '\0' ? ", " : "", is->label);
	if (is->run.number != 0 && (c->fresh || is->run.number != was->run.number) && !is->run.ended)
		tell_run(s, is);
	if (t != NULL && t->kind != PACE_TICK_NONE)
		tell_loss(s, is, t);
	if (t != NULL && t->dead && (c->last == NULL || !c->last->dead))
		pace_snap_note(s, is->number, PACE_MOOD_BAD, "nothing comes of a stream that goes on");
	if (t != NULL && t->n.corrupt > 0)
		pace_snap_note(s, is->number, PACE_MOOD_BAD, "%" PRIu64 " frames came with a damaged "
		    "payload", t->n.corrupt);
	if (!c->fresh && is->run.ended && (!was->run.ended || was->run.number != is->run.number))
		tell_run(s, is);
	if (!c->fresh && is->phase == PACE_ENDED && was->phase != PACE_ENDED)
		pace_snap_note(s, is->number, PACE_MOOD_PLAIN, "the session ended");
}
