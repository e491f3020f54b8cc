/* Lines of udpace-status/1 that a capture tells: its flows, and what it dropped itself. */
#include "config.h"

#include "live/snap_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "doc/js.h"
#include "out/time_text.h"

#define DOUBT_NS	INT64_C(5000000000)	/* a frame may wait in the ring before its number is seen */
#define CALM		3			/* lines without a loss: it is over */

uint64_t
pace_capture_dropped(const struct pace_snap *s)
{
	uint64_t all = s->capture.now.dropped + s->capture.now.interface_dropped;

	return all > s->capture.base ? all - s->capture.base : 0;
}

void
pace_capture_take(struct pace_snap *s, const struct pace_capture_status *c, int64_t span_ns)
{
	struct pace_snap_capture *k = &s->capture;
	int64_t doubt_ns = k->doubt_ns > span_ns ? k->doubt_ns - span_ns : 0;
	char n[40];

	if (c->known)
		k->now = *c;
	k->now.just_dropped = c->just_dropped;
	k->doubt_ns = c->just_dropped > 0 ? DOUBT_NS : doubt_ns;
	k->doubt = (doubt_ns > 0 ? k->doubt : 0) + c->just_dropped;
	if (c->just_dropped > 0)
		pace_snap_note(s, 0, PACE_MOOD_BAD, "the capture itself dropped %s frames: losses may be its "
		    "own", pace_print(PACE_UNIT_COUNT, (double)c->just_dropped, n, sizeof(n)));
}

/* --- events ----------------------------------------------------------------- */

/* One event as long as it goes on. */
static void
tell_loss(struct pace_snap *s, struct pace_snap_session *v, const struct pace_tick *t)
{
	char lost[40], all[40], span[40], dropped[40];
	struct pace_snap_event *e;
	bool gone = v->loss_event != 0 && s->events - v->loss_event >= PACE_SNAP_EVENTS;

	if (v->loss_event == 0 && t->n.lost <= 0)
		return;
	v->calm = t->n.lost > 0 ? 0 : v->calm + 1;
	if (v->calm >= CALM || (gone && t->n.lost <= 0)) {
		v->loss_event = 0;
		v->calm = 0;
		pace_snap_note(s, v->now.number, PACE_MOOD_PLAIN, "no loss any more");
		return;
	}
	if (v->loss_event == 0 || gone)
		pace_loss_begin(s, v);
	v->loss_ns += v->loss_ns < PACE_LOST_MOST ? t->span_ns : 0;
	pace_tally_add(&v->loss, &t->n);
	e = &s->event[(v->loss_event - 1) % PACE_SNAP_EVENTS];
	snprintf(e->text, sizeof(e->text), "lost %s of %s in %s, by number%s%s",
	    pace_print_count(pace_tally_lost(&v->loss), lost),
	    pace_print_count(pace_tally_lost(&v->loss) + v->loss.frames, all),
	    pace_span_text(v->loss_ns, span), v->doubtful > 0 ? "; perhaps the capture's own, it dropped " :
	    "", v->doubtful > 0 ? pace_print_count(pace_capture_dropped(s), dropped) : "");
}

void
pace_flow_tell(struct pace_snap *s, const struct pace_change *c)
{
	struct pace_snap_session *is = c->is;
	const struct pace_tick *t = c->tick;

	if (t != NULL && t->n.lost > 0 && s->capture.doubt_ns > 0)
		is->doubtful += is->doubtful < PACE_LOST_MOST ? t->n.lost : 0;
	if (is->now.flow.sum)
		return;			/* its streams tell */
	if (c->fresh)
		pace_snap_note(s, is->now.number, PACE_MOOD_PLAIN, "%s: %s", is->now.flow.format, is->now.label);
	if (t != NULL && t->kind != PACE_TICK_NONE)
		tell_loss(s, is, t);
	if (c->fresh || c->was->state == is->now.state || s->capture.now.over)
		return;
	if (is->now.state == PACE_READY)
		pace_snap_note(s, is->now.number, PACE_MOOD_WARN, "nothing comes any more");
	else if (is->now.state == PACE_CLOSED)
		pace_snap_note(s, is->now.number, PACE_MOOD_PLAIN, "its sender ended it");
	else if (is->now.state == PACE_RUNNING)
		pace_snap_note(s, is->now.number, PACE_MOOD_PLAIN, "frames come again");
}
