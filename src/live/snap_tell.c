/* Makes events of changes, and counts what a capture dropped itself. */
#include "config.h"

#include "live/snap_read.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/units.h"
#include "out/time_text.h"

#define STREAMS_TOLD	8
#define DOUBT_NS	INT64_C(5000000000)	/* time that a frame may wait in the ring before
						 * its number is known */
#define CALM		3			/* a loss has ended after this number of lines
						 * without one */

/* --- loss ------------------------------------------------------------------ */

static const char *
bounds_text(struct pace_bounds b, char buf[PACE_BOUNDS_SIZE])
{
	return pace_bounds_text(&b, 12, buf);	/* an event has a single line */
}

/* Begin the event of a loss; its text is written later. */
static void
begin_loss(struct pace_snap *s, struct pace_snap_session *v)
{
	v->loss_ns = 0;
	v->loss = (struct pace_tally){ .frames = 0 };
	pace_snap_note(s, pace_session_key(&v->now), PACE_MOOD_BAD, " ");
	v->loss_event = s->events;
}

/* True if many streams have such an event: more would hide all others. */
static bool
are_many(const struct pace_snap *s)
{
	int n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->session[i].now.stream > 0 && s->session[i].loss_event != 0;
	return n >= STREAMS_TOLD;
}

/* While no frame arrives, the loss is known only when the next one arrives, so the time until
 * then counts as time with loss. */
static void
tell_loss(struct pace_snap *s, struct pace_snap_session *v, const struct pace_tick *t)
{
	char lost[40], all[40], socket[PACE_BOUNDS_SIZE], before[PACE_BOUNDS_SIZE];
	struct pace_snap_event *e;
	int at;

	if (t->n.lost <= 0) {
		v->loss_event = t->dead ? v->loss_event : 0;
		v->dead_ns = !t->dead ? 0 : v->dead_ns < PACE_LOST_MOST ?
		    v->dead_ns + t->span_ns : v->dead_ns;
		return;
	}
	if (v->loss_event == 0 && v->now.stream > 0 && are_many(s))
		return;
	if (v->loss_event == 0 || s->events - v->loss_event >= PACE_SNAP_EVENTS)
		begin_loss(s, v);
	v->loss_ns += v->loss_ns < PACE_LOST_MOST ? t->span_ns + t->behind_ns + v->dead_ns : 0;
	v->dead_ns = 0;
	pace_tally_add(&v->loss, &t->n);
	e = &s->event[(v->loss_event - 1) % PACE_SNAP_EVENTS];
	at = snprintf(e->text, sizeof(e->text), "lost %s of %s in %s",
	    pace_print_count((uint64_t)v->loss.lost, lost),
	    pace_print_count((uint64_t)v->loss.lost + v->loss.frames, all),
	    pace_span_text(v->loss_ns, (char[40]){ 0 }));
	if (v->now.probe.has_stamp)	/* by direction, see the overview */
		return;
	snprintf(e->text + at, sizeof(e->text) - (size_t)at, ": socket %s, before it %s",
	    bounds_text(pace_count_socket(&v->loss), socket),
	    bounds_text(pace_count_elsewhere(&v->loss), before));
}

/* --- a capture ------------------------------------------------------------- */

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
	char n[64];

	if (c->known)
		k->now = *c;
	k->now.just_dropped = c->just_dropped;
	k->doubt_ns = c->just_dropped > 0 ? DOUBT_NS : doubt_ns;
	k->doubt = (doubt_ns > 0 ? k->doubt : 0) + c->just_dropped;
	if (c->just_dropped > 0)
		pace_snap_note(s, 0, PACE_MOOD_BAD,
		    "the capture itself dropped %s: losses may be its own",
		    pace_print_counted(c->just_dropped, "frame", n));
}

/* Make one event for as long as the loss continues. */
static void
tell_missing(struct pace_snap *s, struct pace_snap_session *v, const struct pace_tick *t)
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
		pace_snap_note(s, pace_session_key(&v->now), PACE_MOOD_PLAIN, "no loss any more");
		return;
	}
	if (v->loss_event == 0 || gone)
		begin_loss(s, v);
	v->loss_ns += v->loss_ns < PACE_LOST_MOST ? t->span_ns : 0;
	pace_tally_add(&v->loss, &t->n);
	e = &s->event[(v->loss_event - 1) % PACE_SNAP_EVENTS];
	snprintf(e->text, sizeof(e->text), "lost %s of %s in %s, by number%s%s",
	    pace_print_count(pace_tally_lost(&v->loss), lost),
	    pace_print_count(pace_tally_lost(&v->loss) + v->loss.frames, all),
	    pace_span_text(v->loss_ns, span), v->doubtful > 0 ?
	    "; perhaps the capture's own, it dropped " :
	    "", v->doubtful > 0 ? pace_print_count(pace_capture_dropped(s), dropped) : "");
}

static void
tell_flow(struct pace_snap *s, const struct pace_change *c)
{
	struct pace_snap_session *is = c->is;
	const struct pace_tick *t = c->tick;

	if (t != NULL && t->n.lost > 0 && s->capture.doubt_ns > 0)
		is->doubtful += is->doubtful < PACE_LOST_MOST ? t->n.lost : 0;
	if (is->now.flow.sum)
		return;			/* its streams report it */
	if (c->fresh)
		pace_snap_note(s, pace_session_key(&is->now), PACE_MOOD_PLAIN, "%s: %s", is->now.flow.format,
		    is->now.label);
	if (t != NULL && t->kind != PACE_TICK_NONE)
		tell_missing(s, is, t);
	if (c->fresh || c->was->state == is->now.state || s->capture.now.over)
		return;
	if (is->now.state == PACE_READY)
		pace_snap_note(s, pace_session_key(&is->now), PACE_MOOD_WARN, "nothing comes any more");
	else if (is->now.state == PACE_CLOSED)
		pace_snap_note(s, pace_session_key(&is->now), PACE_MOOD_PLAIN, "its sender ended it");
	else if (is->now.state == PACE_RUNNING)
		pace_snap_note(s, pace_session_key(&is->now), PACE_MOOD_PLAIN, "frames come again");
}

/* --- outages --------------------------------------------------------------- */

/* True of one of several streams if all are in its outage: their session tells. */
static bool
is_of_all(const struct pace_snap *s, const struct pace_snap_session *v)
{
	int at = v->now.stream > 0 ? pace_snap_find(s, v->now.number) : -1;

	return at >= 0 && s->session[at].out_line == s->lines;
}

/* Outages of our own stream, counted by its sender.  The line after one that began and ended
 * between two lines reports it. */
static void
tell_outage(struct pace_snap *s, const struct pace_change *c)
{
	const struct pace_probe_status *was = &c->was->probe, *is = &c->is->now.probe;
	uint64_t number = pace_session_key(&c->is->now), unknown;
	char span[40], lost[40], more[40];

	if (is->out.now_ns > 0 || was->out.now_ns > 0 || is->out.n > was->out.n)
		c->is->out_line = s->lines;
	if (is->out.now_ns > 0 && was->out.now_ns == 0 && !is_of_all(s, c->is))
		pace_snap_note(s, number, PACE_MOOD_BAD, "outage: %s", c->tick == NULL ?
		    "nothing is heard of the responder" : is->has_stamp ?
		    "no reply of the reflector arrives" : "no frame of the stream arrives");
	if (is->unreported > was->unreported)
		c->is->unknown += is->unreported - was->unreported;
	if (is->out.now_ns > 0 || is->out.n == 0 ||
	    (was->out.now_ns == 0 && is->out.n == was->out.n) || is_of_all(s, c->is))
		return;
	unknown = c->is->unknown;
	c->is->unknown = 0;
	pace_snap_note(s, number, PACE_MOOD_WARN, "the outage is over after %s: lost %s%s%s",
	    pace_span_text(is->out.all_ns - (was->out.all_ns - was->out.now_ns), span),
	    pace_print_count(is->out.lost > was->out.lost ? is->out.lost - was->out.lost : 0, lost),
	    unknown > 0 ? ", not known " : "", unknown > 0 ? pace_print_count(unknown, more) : "");
}

static bool
is_wider(const struct pace_stamp_range *is, const struct pace_stamp_range *was)
{
	return was->high != 0 && (is->low != was->low || is->high != was->high);
}

/* The route, or a marking on it, changed. */
static void
tell_header(struct pace_snap *s, const struct pace_change *c)
{
	const struct pace_stamp_result *was = &c->was->probe.stamp, *is = &c->is->now.probe.stamp;
	uint64_t number = pace_session_key(&c->is->now);

	if (is_wider(&is->ttl_there, &was->ttl_there))
		pace_snap_note(s, number, PACE_MOOD_WARN, "another TTL at the reflector, so far %u to "
		    "%u: the route changed", is->ttl_there.low, is->ttl_there.high);
	if (is_wider(&is->ttl_back, &was->ttl_back))
		pace_snap_note(s, number, PACE_MOOD_WARN, "another TTL of replies, so far %u to %u: "
		    "the route back changed", is->ttl_back.low, is->ttl_back.high);
	if (is->changed_there > 0 && was->changed_there == 0)
		pace_snap_note(s, number, PACE_MOOD_WARN, "requests with DSCP %u reach the reflector "
		    "with %u", is->dscp_sent, is->dscp_there);
	if (is->changed_back > 0 && was->changed_back == 0)
		pace_snap_note(s, number, PACE_MOOD_WARN, "replies to DSCP %u come with %u",
		    is->dscp_sent, is->dscp_back);
}

/* --- a responder ----------------------------------------------------------- */

static void
tell_run(struct pace_snap *s, const struct pace_snap_session *v)
{
	const struct pace_run_stats *r = &v->now.run;
	const struct pace_tally *n = &v->now.this_run;
	bool ended = v->now.ended;
	char spacing[40], frames[64], lost[40], began[64] = "a stream began: ";
	uint64_t train = r->train > 1 ? r->train : 1;

	if (r->stamp && !ended) {
		pace_snap_note(s, pace_session_key(&v->now), PACE_MOOD_PLAIN, "STAMP requests of %u B began, one "
		    "every %s", r->size_bytes, pace_print(PACE_UNIT_USEC, (double)r->spacing_ns,
		    spacing, sizeof(spacing)));
	} else if (r->tcp > 0 && !ended) {
		pace_snap_note(s, pace_session_key(&v->now), PACE_MOOD_PLAIN, "a run of TCP with %u "
		    "connection%s began", r->tcp, r->tcp == 1 ? "" : "s");
	} else if (r->tcp > 0) {
		pace_snap_note(s, pace_session_key(&v->now), PACE_MOOD_PLAIN, "the run of TCP ended: %s "
		    "bytes came, %s were sent", pace_print_count(n->tcp_bytes, frames),
		    pace_print_count(n->tcp_sent_bytes, lost));
	} else if (!ended && r->pings) {
		pace_snap_note(s, pace_session_key(&v->now), PACE_MOOD_PLAIN, "round trips of %u B began",
		    r->size_bytes);
	} else if (!ended) {
		if (r->streams > 1)
			snprintf(began, sizeof(began), "%u streams began, each ", r->streams);
		pace_snap_note(s, pace_session_key(&v->now), PACE_MOOD_PLAIN, "%s%s%u B %s%s", began,
		    train > 1 ? "trains of frames back to back, " : "",
		    r->size_bytes, r->spacing_ns == 0 ? "as fast as possible" : train > 1 ?
		    "each, one train every " : "every ", r->spacing_ns > 0 ?
		    pace_print(PACE_UNIT_USEC,
		    (double)r->spacing_ns * (double)train, spacing, sizeof(spacing)) : "");
	} else if (pace_session_sends(&v->now)) {
		pace_snap_note(s, pace_session_key(&v->now), PACE_MOOD_PLAIN, "the %s ended: %s sent",
		    r->streams > 1 ? "streams" : "stream", pace_print_counted(n->sent_frames, "frame", frames));
	} else if (!r->pings) {
		pace_snap_note(s, pace_session_key(&v->now), n->lost > 0 ? PACE_MOOD_WARN : PACE_MOOD_PLAIN,
		    "the %s ended: %s came, %s lost%s%s", r->stamp ? "requests" :
		    r->streams > 1 || r->two_way ? "streams" : "stream",
		    pace_print_counted(n->frames, r->stamp ? "reply" : "frame", frames),
		    pace_print_count(pace_tally_lost(n), lost), r->two_way ? "; sent: " : "",
		    r->two_way ? pace_print_count(n->sent_frames, spacing) : "");
	} else {
		pace_snap_note(s, pace_session_key(&v->now), PACE_MOOD_PLAIN,
		    "the round trips ended: %s answered",
		    pace_print_count(n->round_trips, frames));
	}
}

void
pace_change_tell(struct pace_snap *s, const struct pace_change *c)
{
	const struct pace_session_status *was = c->was;
	struct pace_snap_session *is = c->is;
	const struct pace_tick *t = c->tick;
	bool one = is->now.stream > 0;

	if (is->now.run.number != was->run.number)
		is->dead_ns = 0;
	if (is->now.flow.known) {
		tell_flow(s, c);
		return;
	}
	if (one && c->fresh)
		return;			/* its session tells what began and ended */
	if (c->fresh && is->now.state != PACE_ENDED)
		pace_snap_note(s, pace_session_key(&is->now), PACE_MOOD_PLAIN, "session of %s%s%s",
		    is->now.peer,
		    is->now.label[0] != '\0' ? ", " : "", is->now.label);
	if (!one && is->now.run.number != 0 &&
	    (c->fresh || is->now.run.number != was->run.number) && !is->now.ended)
		tell_run(s, is);
	if (t != NULL && t->kind != PACE_TICK_NONE)
		tell_loss(s, is, t);
	if (t != NULL && t->dead && !is->now.probe.known && (c->last == NULL || !c->last->dead))
		pace_snap_note(s, pace_session_key(&is->now), PACE_MOOD_BAD,
		    "nothing comes of a stream that goes on");
	if (is->now.probe.known)
		tell_outage(s, c);
	if (is->now.probe.has_stamp && was->probe.has_stamp)
		tell_header(s, c);
	if (t != NULL && t->n.corrupt > 0)
		pace_snap_note(s, pace_session_key(&is->now), PACE_MOOD_BAD,
		    "%s came with a damaged payload",
		    pace_print_counted(t->n.corrupt, "frame", (char[64]){ 0 }));
	if (one)
		return;
	if (!c->fresh && is->now.ended && (!was->ended || was->run.number != is->now.run.number))
		tell_run(s, is);
	if (!c->fresh && is->now.state == PACE_ENDED && was->state != PACE_ENDED)
		pace_snap_note(s, pace_session_key(&is->now), PACE_MOOD_PLAIN, "the session ended");
}
