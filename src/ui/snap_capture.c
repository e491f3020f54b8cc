/* Lines of udpace-status/1 that a capture tells: its flows, and what it dropped itself. */
#include "config.h"

#include "ui/snap_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "doc/js.h"
#include "out/time_text.h"

#define DOUBT_NS	INT64_C(5000000000)	/* a frame may wait in the ring before its number is seen */
#define CALM		3			/* lines without a loss: it is over */

/* --- flows ------------------------------------------------------------------ */

const char *
pace_flow_end(const char *address, uint16_t port, char buf[PACE_FLOW_END])
{
	snprintf(buf, PACE_FLOW_END, strchr(address, ':') != NULL ? "[%s]:%u" : "%s:%u", address, port);
	return buf;
}

/* What it is called everywhere: "10.0.0.1:4000 > 10.0.0.2:5004". */
static void
name(struct pace_snap_session *v)
{
	const struct pace_snap_flow *f = &v->flow;
	const int most = (int)(sizeof(v->label) / 2 - 4);
	char from[PACE_FLOW_END], to[PACE_FLOW_END];

	if (f->sum)
		return;
	snprintf(v->label, sizeof(v->label), "%.*s > %.*s", most,
	    pace_flow_end(f->source, f->source_port, from), most,
	    pace_flow_end(f->destination, f->destination_port, to));
	if (f->streams > 1)
		snprintf(v->label + strlen(v->label), sizeof(v->label) - strlen(v->label), " #%s",
		    f->stream);
}

void
pace_said_flow(struct pace_snap_session *v, const json_t *o, bool *bad)
{
	struct pace_snap_flow *f = &v->flow;
	struct pace_jr r = { .o = o };

	if (o == NULL)
		return;
	f->known = true;
	f->sum = f->numbered = json_is_null(o);
	if (f->sum)
		return;
	pace_jr_text(&r, "source", f->source, sizeof(f->source));
	pace_jr_text(&r, "destination", f->destination, sizeof(f->destination));
	pace_jr_text(&r, "format", f->format, sizeof(f->format));
	pace_jr_text_or_empty(&r, "stream", f->stream, sizeof(f->stream));
	f->source_port = (uint16_t)pace_jr_int(&r, "source_port", 0, 65535);
	f->destination_port = (uint16_t)pace_jr_int(&r, "destination_port", 0, 65535);
	f->streams = pace_jr_count_or_0(&r, "streams");
	f->numbered = pace_jr_bool(&r, "numbered");
	*bad |= r.bad;
	name(v);
}

/* --- the capture ------------------------------------------------------------ */

void
pace_capture_head(struct pace_snap *s, const json_t *line)
{
	struct pace_jr r = { .o = line };
	char kind[16];

	pace_jr_text_or_empty(&r, "kind", kind, sizeof(kind));
	memset(&s->capture, 0, sizeof(s->capture));
	if (strcmp(kind, "capture") != 0)
		return;
	s->capture.known = true;
	pace_jr_text_or_empty(&r, "interface", s->capture.interface, sizeof(s->capture.interface));
	pace_jr_text_or_empty(&r, "filter", s->capture.filter, sizeof(s->capture.filter));
}

bool
pace_capture_read(struct pace_snap_capture *c, const json_t *line)
{
	const json_t *o = json_object_get(line, "capture");
	struct pace_jr r = { .o = o };

	c->just_dropped = 0;
	if (o == NULL)
		return true;
	c->known = true;		/* a record may be without its first line */
	c->over = pace_jr_bool(&r, "over");
	c->frames = pace_jr_count(&r, "frames");
	c->udp = pace_jr_count_or_0(&r, "udp");
	c->flows = pace_jr_count_or_0(&r, "flows");
	c->streams = pace_jr_count_or_0(&r, "streams");
	c->untold = pace_jr_count_or_0(&r, "streams_not_told");
	c->unfollowed = pace_jr_count_or_0(&r, "frames_not_followed");
	c->has_drops = pace_jr_has(&r, "dropped");
	c->dropped = pace_jr_count_or_0(&r, "dropped");
	c->interface_dropped = pace_jr_count_or_0(&r, "interface_dropped");
	c->just_dropped = pace_jr_count_or_0(&r, "interval_dropped");
	return !r.bad;
}

uint64_t
pace_capture_dropped(const struct pace_snap *s)
{
	uint64_t all = s->capture.dropped + s->capture.interface_dropped;

	return all > s->capture.base ? all - s->capture.base : 0;
}

void
pace_capture_take(struct pace_snap *s, const struct pace_snap_capture *c, int64_t span_ns)
{
	int64_t doubt_ns = c->doubt_ns > span_ns ? c->doubt_ns - span_ns : 0;
	char n[40];

	s->capture = *c;
	s->capture.doubt_ns = c->just_dropped > 0 ? DOUBT_NS : doubt_ns;
	s->capture.doubt = (doubt_ns > 0 ? c->doubt : 0) + c->just_dropped;
	if (c->just_dropped > 0)
		pace_snap_note(s, 0, PACE_MOOD_BAD, "the capture itself dropped %s frames: losses may be its "
		    "own", pace_print(PACE_UNIT_COUNT, (double)c->just_dropped, n, sizeof(n)));
}

/* --- events ----------------------------------------------------------------- */

static const char *
number_text(uint64_t n, char buf[40])
{
	return pace_print(PACE_UNIT_COUNT, (double)n, buf, 40);
}

/* One event as long as it goes on. */
static void
tell_loss(struct pace_snap *s, struct pace_snap_session *v, const struct pace_tick *t)
{
	char lost[40], all[40], span[40], dropped[40];
	struct pace_snap_event *e;
	bool gone = v->loss_event != 0 && s->events - v->loss_event >= PACE_SNAP_EVENTS;

	if (v->loss_event == 0 && t->n.lost <= 0)
		return;
	v->flow.calm = t->n.lost > 0 ? 0 : v->flow.calm + 1;
	if (v->flow.calm >= CALM || (gone && t->n.lost <= 0)) {
		v->loss_event = 0;
		v->flow.calm = 0;
		pace_snap_note(s, v->number, PACE_MOOD_PLAIN, "no loss any more");
		return;
	}
	if (v->loss_event == 0 || gone) {
		v->loss_ns = 0;
		v->loss = (struct pace_tally){ .frames = 0 };
		pace_snap_note(s, v->number, PACE_MOOD_BAD, " ");
		v->loss_event = s->events;
	}
	v->loss_ns += v->loss_ns < PACE_LOST_MOST ? t->span_ns : 0;
	pace_tally_add(&v->loss, &t->n);
	e = &s->event[(v->loss_event - 1) % PACE_SNAP_EVENTS];
	snprintf(e->text, sizeof(e->text), "lost %s of %s in %s, by number%s%s",
	    number_text(v->loss.lost > 0 ? (uint64_t)v->loss.lost : 0, lost),
	    number_text((v->loss.lost > 0 ? (uint64_t)v->loss.lost : 0) + v->loss.frames, all),
	    pace_span_text(v->loss_ns, span), v->flow.doubtful > 0 ? "; perhaps the capture's own, it dropped " :
	    "", v->flow.doubtful > 0 ? number_text(pace_capture_dropped(s), dropped) : "");
}

void
pace_flow_tell(struct pace_snap *s, const struct pace_change *c)
{
	struct pace_snap_session *is = c->is;
	const struct pace_tick *t = c->tick;

	if (t != NULL && t->n.lost > 0 && s->capture.doubt_ns > 0)
		is->flow.doubtful += is->flow.doubtful < PACE_LOST_MOST ? t->n.lost : 0;
	if (is->flow.sum)
		return;			/* its streams tell */
	if (c->fresh)
		pace_snap_note(s, is->number, PACE_MOOD_PLAIN, "%s: %s", is->flow.format, is->label);
	if (t != NULL && t->kind != PACE_TICK_NONE)
		tell_loss(s, is, t);
	if (c->fresh || c->was->phase == is->phase || s->capture.over)
		return;
	if (is->phase == PACE_READY)
		pace_snap_note(s, is->number, PACE_MOOD_WARN, "nothing comes any more");
	else if (is->phase == PACE_CLOSED)
		pace_snap_note(s, is->number, PACE_MOOD_PLAIN, "its sender ended it");
	else if (is->phase == PACE_RUNNING)
		pace_snap_note(s, is->number, PACE_MOOD_PLAIN, "frames come again");
}
