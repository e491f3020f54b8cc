/*
 * Lines of udpace-status/1 become ticks, figures and events.  A line is read whole
 * before it changes anything.
 */
#include "config.h"

#include "ui/snap.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "doc/js.h"
#include "ui/line.h"

#define FIRST_ROOM	64		/* ticks */
#define LOST_MOST	(INT64_C(1) << 50)
#define GAPS_OF_DEATH	20		/* so many spacings without a frame are no accident */
#define FIGURE_MOST	1e18
#define FINE_NS		INT64_C(10000000)
#define YEAR_MOST	2200		/* 2262 has no ns since 1970 any more */
#define SPAN_MOST	INT64_C(86400000000000)	/* of a line: none is a day long */
#define USUAL_MOST	INT64_C(3600000000000)	/* a responder's longest interval */

/* What a line says of a session. */
struct said {
	struct pace_snap_session v;	/* without history */
	bool		has_interval;
	struct pace_tick tick;
};

/* --- values ---------------------------------------------------------------- */

static double
real_of(const json_t *o, const char *key)
{
	double x = json_number_value(json_object_get(o, key));

	return isfinite(x) && x >= 0 && x < FIGURE_MOST ? x : 0;
}

static int64_t
lost_of(struct pace_jr *r)
{
	int64_t n = pace_jr_int(r, "lost", INT64_MIN, INT64_MAX);

	return n > LOST_MOST ? LOST_MOST : n < -LOST_MOST ? -LOST_MOST : n;
}

static void
read_count(struct pace_count *n, const json_t *o, bool *bad)
{
	struct pace_jr r = { .o = o };

	n->frames = pace_jr_count(&r, "frames");
	n->bytes = pace_jr_count(&r, "bytes");
	n->wire_bytes = pace_jr_count(&r, "wire_bytes");
	n->lost = lost_of(&r);
	n->socket_drops = pace_jr_count_or_0(&r, "socket_drops");
	n->duplicates = pace_jr_count_or_0(&r, "duplicates");
	n->reordered = pace_jr_count_or_0(&r, "reordered");
	n->late = pace_jr_count_or_0(&r, "late");
	n->foreign = pace_jr_count_or_0(&r, "foreign");
	n->corrupt = pace_jr_count_or_0(&r, "corrupt");
	n->round_trips = pace_jr_count_or_0(&r, "round_trips");
	*bad |= r.bad;
}

/* "2026-11-22T10:11:12.345Z" as ns since 1970; 0: it is none. */
static int64_t
parse_time(const char *text)
{
	static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
	int year, month, day, hour, minute, second, ms, end = 0;
	int64_t days;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &year, &month, &day, &hour,
	    &minute, &second, &ms, &end) != 7 || text[end] != '\0' || end != 24)
		return 0;
	if (year < 1970 || year > YEAR_MOST || month < 1 || month > 12 || day < 1 || day > 31 ||
	    hour < 0 || hour > 23 ||
	    minute < 0 || minute > 59 || second < 0 || second > 60 || ms < 0)
		return 0;
	days = 365 * (year - 1970) + (year - 1969) / 4 - (year - 1901) / 100 + (year - 1601) / 400 +
	    before[month - 1] + day - 1;
	if (month > 2 && (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)))
		days++;
	return (((days * 24 + hour) * 60 + minute) * 60 + second) * INT64_C(1000000000) +
	    ms * INT64_C(1000000);
}

static int64_t
time_of(const json_t *v)
{
	return json_is_string(v) ? parse_time(json_string_value(v)) : 0;
}

int64_t
pace_snap_time(const char *line, size_t len)
{
	static const char member[] = "\"time\":";
	const char *end = line + len, *at = memmem(line, len, member, sizeof(member) - 1);
	char text[25];

	if (at == NULL)
		return 0;
	at += sizeof(member) - 1;
	while (at < end && (*at == ' ' || *at == '"'))
		at++;
	if (end - at < 24)
		return 0;
	memcpy(text, at, 24);
	text[24] = '\0';
	return parse_time(text);
}

static enum pace_phase
phase_of(const char *name)
{
	for (int i = 0; i < PACE_PHASES; i++)
		if (strcmp(name, pace_phase_name((enum pace_phase)i)) == 0)
			return (enum pace_phase)i;
	return PACE_PHASE_OPEN;
}

/* --- a session ------------------------------------------------------------- */

static void
read_run(struct pace_snap_run *run, const json_t *o, bool *bad)
{
	struct pace_jr r = { .o = o };
	char kind[16];

	if (!json_is_object(o))
		return;
	run->number = pace_jr_count(&r, "run");
	pace_jr_text(&r, "kind", kind, sizeof(kind));
	run->trips = strcmp(kind, "round_trips") == 0;
	run->ended = pace_jr_bool(&r, "ended");
	run->size_bytes = pace_jr_count(&r, "size_bytes");
	run->wire_bytes = pace_jr_count_or_0(&r, "wire_bytes");
	run->spacing_ns = (int64_t)pace_jr_count_or_0(&r, "spacing_ns");
	run->bursts = pace_jr_count_or_0(&r, "bursts");
	run->train = pace_jr_count_or_0(&r, "train");
	run->frames_asked = pace_jr_count_or_0(&r, "frames_asked");
	run->duration_asked_ns = (int64_t)pace_jr_count_or_0(&r, "duration_asked_ns");
	run->elapsed_ns = (int64_t)pace_jr_count(&r, "elapsed_ns");
	read_count(&run->n, pace_jr_get(&r, "received"), &r.bad);
	*bad |= r.bad;
}

/* What is not there leaves its count at 0. */
static void
read_tick(struct pace_tick *t, const json_t *o, bool *bad)
{
	const json_t *gap = json_object_get(o, "gap_ns");
	const json_t *above = json_object_get(o, "delay_above_min_ns");
	struct pace_jr g = { .o = gap }, d = { .o = above };

	read_count(&t->n, o, bad);
	if (json_is_object(gap)) {
		t->gaps = pace_jr_count(&g, "count");
		t->gap_mean_ns = real_of(gap, "mean");
		t->has_extremes = pace_jr_has(&g, "min") && pace_jr_has(&g, "max");
		if (t->has_extremes) {
			t->gap_min_ns = pace_jr_int(&g, "min", -PACE_JS_MAX, PACE_JS_MAX);
			t->gap_max_ns = pace_jr_int(&g, "max", -PACE_JS_MAX, PACE_JS_MAX);
		}
	}
	if (json_is_object(above)) {
		t->samples = pace_jr_count(&d, "samples");
		t->above_mean_ns = real_of(above, "mean");
		t->above_min_ns = pace_jr_int(&d, "min", 0, PACE_JS_MAX);
		t->above_max_ns = pace_jr_int(&d, "max", 0, PACE_JS_MAX);
	}
	*bad |= g.bad || d.bad;
}

static void
read_session(struct said *s, const json_t *o, bool *bad)
{
	struct pace_snap_session *v = &s->v;
	struct pace_jr r = { .o = o };
	const json_t *interval = json_object_get(o, "interval"), *run = json_object_get(o, "run");
	char state[32];

	memset(s, 0, sizeof(*s));
	v->number = pace_jr_count(&r, "session");
	pace_jr_text(&r, "peer", v->peer, sizeof(v->peer));
	v->ipv6 = strchr(v->peer, ':') != NULL;
	pace_jr_text_or_empty(&r, "label", v->label, sizeof(v->label));
	pace_jr_text_or_empty(&r, "key", v->key, sizeof(v->key));
	pace_jr_text(&r, "state", state, sizeof(state));
	v->phase = phase_of(state);
	v->lease = json_is_true(json_object_get(o, "lease"));
	v->age_ns = pace_jr_int(&r, "age_ns", INT64_MIN, PACE_JS_MAX);
	v->silent_ns = pace_jr_int(&r, "silent_ns", INT64_MIN, PACE_JS_MAX);
	v->runs = pace_jr_count(&r, "runs");
	read_run(&v->run, run, &r.bad);
	read_count(&v->n, pace_jr_get(&r, "received"), &r.bad);
	s->tick.jitter_ns = -1;
	if (json_is_object(interval)) {
		s->has_interval = true;
		read_tick(&s->tick, interval, &r.bad);
		if (s->tick.gaps > 0 && json_is_integer(json_object_get(run, "jitter_ns")))
			s->tick.jitter_ns = json_integer_value(json_object_get(run, "jitter_ns"));
	}
	*bad |= r.bad || v->number == 0;
}

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

/* Rates of a part of an interval are shown, but say nothing of the least. */
static void
take_rate(struct pace_snap_session *v, const struct pace_tick *t, enum pace_figure f, double rate)
{
	if (t->kind == PACE_TICK_WHOLE) {
		take(&v->of[f], rate, rate, rate, (double)t->span_ns);
	} else if (isfinite(rate)) {
		v->of[f].known = true;
		v->of[f].now = rate;
	}
}

static void
take_figures(struct pace_snap_session *v, const struct pace_tick *t)
{
	double loss = pace_count_loss(&t->n), order = (double)t->n.reordered;
	double should = (double)t->n.frames + (t->n.lost > 0 ? (double)t->n.lost : 0);

	for (int f = 0; f < PACE_FIGURES; f++)
		v->of[f].known = false;
	if (t->kind == PACE_TICK_NONE)
		return;
	for (enum pace_figure f = PACE_FIG_WIRE; f <= PACE_FIG_DATA; f++)
		take_rate(v, t, f, pace_tick_bps(t, f, v->ipv6));
	take_rate(v, t, PACE_FIG_FRAMES, t->span_ns > 0 ? 1e9 * (double)t->n.frames /
	    (double)t->span_ns : NAN);
	take(&v->of[PACE_FIG_LOSS], loss, loss, loss, should);
	take(&v->of[PACE_FIG_ORDER], order, order, order, 1);
	if (t->gaps > 0)
		take(&v->of[PACE_FIG_GAP], t->gap_mean_ns,
		    t->has_extremes ? (double)t->gap_min_ns : t->gap_mean_ns,
		    t->has_extremes ? (double)t->gap_max_ns : t->gap_mean_ns, (double)t->gaps);
	if (t->jitter_ns >= 0)
		take(&v->of[PACE_FIG_JITTER], (double)t->jitter_ns, (double)t->jitter_ns,
		    (double)t->jitter_ns, 1);
	if (t->samples > 0)
		take(&v->of[PACE_FIG_DELAY], t->above_mean_ns, (double)t->above_min_ns,
		    (double)t->above_max_ns, (double)t->samples);
}

/* --- history --------------------------------------------------------------- */

static int
add_tick(struct pace_snap_session *v, const struct pace_tick *t)
{
	uint64_t room = v->room == 0 ? FIRST_ROOM : 2 * v->room;
	struct pace_tick *more;

	if (v->ticks == v->room && v->room < PACE_TICKS) {
		room = room < PACE_TICKS ? room : PACE_TICKS;
		more = realloc(v->tick, (size_t)room * sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		v->tick = more;
		v->room = room;
	}
	v->tick[v->ticks++ % v->room] = *t;
	return 0;
}

/* A stream that ran before and after this interval ran all through it. */
static void
judge_tick(struct pace_tick *t, const struct pace_snap_session *was,
    const struct pace_snap_session *is)
{
	const struct pace_snap_run *r = &is->run;
	bool runs = is->phase == PACE_PHASE_RUNNING && !r->trips;
	bool all_along = runs && was->phase == PACE_PHASE_RUNNING && was->run.number == r->number &&
	    was->run.n.frames > 0;

	t->kind = all_along ? PACE_TICK_WHOLE : runs || t->n.frames > 0 || t->n.lost > 0 ?
	    PACE_TICK_PART : PACE_TICK_NONE;
	t->dead = all_along && t->n.frames == 0 && r->bursts <= 1 &&
	    (double)t->span_ns > GAPS_OF_DEATH * (double)r->spacing_ns *
	    (double)(r->train > 0 ? r->train : 1);
}

/* --- events ---------------------------------------------------------------- */

static const char *
number_text(uint64_t n, char buf[40])
{
	return pace_print(PACE_UNIT_COUNT, (double)n, buf, 40);
}

static void
tell_loss(struct pace_snap *s, struct pace_snap_session *v, const struct pace_tick *t)
{
	char lost[40], socket[40], elsewhere[40], span[40];
	struct pace_snap_event *e;

	if (t->n.lost <= 0) {
		v->loss_event = 0;
		return;
	}
	if (v->loss_event == 0 || s->events - v->loss_event >= PACE_SNAP_EVENTS) {
		v->loss_ns = 0;
		v->loss = (struct pace_count){ .frames = 0 };
		pace_snap_note(s, v->number, PACE_MOOD_BAD, " ");
		v->loss_event = s->events;
	}
	v->loss_ns += v->loss_ns < LOST_MOST ? t->span_ns : 0;
	pace_count_add(&v->loss, &t->n);
	e = &s->event[(v->loss_event - 1) % PACE_SNAP_EVENTS];
	snprintf(e->text, sizeof(e->text), "lost %s of %s in %s: socket buffer %s, before it %s",
	    number_text((uint64_t)v->loss.lost, lost),
	    number_text((uint64_t)v->loss.lost + v->loss.frames, span),
	    pace_span_text(v->loss_ns, (char[40]){ 0 }),
	    number_text(pace_count_socket(&v->loss), socket),
	    number_text(pace_count_elsewhere(&v->loss), elsewhere));
}

static void
tell_run(struct pace_snap *s, const struct pace_snap_session *v)
{
	const struct pace_snap_run *r = &v->run;
	char spacing[40], frames[40], lost[40];

	if (!r->ended && r->trips) {
		pace_snap_note(s, v->number, PACE_MOOD_PLAIN, "round trips of %" PRIu64 " B began",
		    r->size_bytes);
	} else if (!r->ended) {
		pace_snap_note(s, v->number, PACE_MOOD_PLAIN, "a stream began: %" PRIu64 " B %s%s",
		    r->size_bytes, r->spacing_ns > 0 ? "every " : "as fast as possible",
		    r->spacing_ns > 0 ? pace_print(PACE_UNIT_USEC, (double)r->spacing_ns, spacing,
		    sizeof(spacing)) : "");
	} else if (!r->trips) {
		pace_snap_note(s, v->number, r->n.lost > 0 ? PACE_MOOD_WARN : PACE_MOOD_PLAIN,
		    "the stream ended: %s frames came, %s lost", number_text(r->n.frames, frames),
		    number_text(r->n.lost > 0 ? (uint64_t)r->n.lost : 0, lost));
	} else {
		pace_snap_note(s, v->number, PACE_MOOD_PLAIN, "the round trips ended: %s answered",
		    number_text(r->n.round_trips, frames));
	}
}

/* fresh: it was not known before. */
static void
tell_changes(struct pace_snap *s, const struct pace_snap_session *was, bool fresh,
    struct pace_snap_session *is, const struct pace_tick *t, const struct pace_tick *last)
{
	if (fresh && is->phase != PACE_PHASE_ENDED)
		pace_snap_note(s, is->number, PACE_MOOD_PLAIN, "session of %s%s%s", is->peer,
		    is->label[0] != '\0' ? ", " : "", is->label);
	if (is->run.number != 0 && (fresh || is->run.number != was->run.number) && !is->run.ended)
		tell_run(s, is);
	if (t != NULL && t->kind != PACE_TICK_NONE)
		tell_loss(s, is, t);
	if (t != NULL && t->dead && (last == NULL || !last->dead))
		pace_snap_note(s, is->number, PACE_MOOD_BAD, "nothing comes of a stream that goes on");
	if (t != NULL && t->n.corrupt > 0)
		pace_snap_note(s, is->number, PACE_MOOD_BAD, "%" PRIu64 " frames came with a damaged "
		    "payload", t->n.corrupt);
	if (!fresh && is->run.ended && (!was->run.ended || was->run.number != is->run.number))
		tell_run(s, is);
	if (!fresh && is->phase == PACE_PHASE_ENDED && was->phase != PACE_PHASE_ENDED)
		pace_snap_note(s, is->number, PACE_MOOD_PLAIN, "the session ended");
}

/* --- lines ----------------------------------------------------------------- */

/* Room for one more: an ended one goes for it.  NULL: there is none. */
static struct pace_snap_session *
make_room(struct pace_snap *s)
{
	struct pace_snap_session *more;
	size_t i = 0;

	if (s->n >= PACE_SNAP_SESSIONS) {
		while (i < s->n && s->session[i].phase != PACE_PHASE_ENDED)
			i++;
		if (i == s->n) {
			s->left_out++;
			return NULL;
		}
		free(s->session[i].tick);
		memmove(&s->session[i], &s->session[i + 1], (s->n - i - 1) * sizeof(*s->session));
		s->n--;
	}
	if (s->n == s->room) {
		more = realloc(s->session, (s->room + 16) * 2 * sizeof(*more));
		if (more == NULL)
			return NULL;
		s->session = more;
		s->room = (s->room + 16) * 2;
	}
	return &s->session[s->n];
}

static struct pace_snap_session *
add_session(struct pace_snap *s, uint64_t number)
{
	struct pace_snap_session *v = make_room(s);
	size_t i = s->n;

	if (v == NULL)
		return NULL;
	while (i > 0 && s->session[i - 1].number > number)
		i--;
	memmove(&s->session[i + 1], &s->session[i], (s->n - i) * sizeof(*v));
	s->n++;
	memset(&s->session[i], 0, sizeof(*v));
	s->session[i].number = number;
	return &s->session[i];
}

/* Holes between lines are shown as such. */
static int
add_blanks(struct pace_snap *s, struct pace_snap_session *v, int64_t at_ns, int64_t span_ns)
{
	const struct pace_tick *last = pace_snap_tick(v, 0);
	int64_t usual = s->interval_ns > 0 ? s->interval_ns : INT64_C(1000000000), n;
	struct pace_tick none = { .kind = PACE_TICK_NONE, .span_ns = usual, .jitter_ns = -1 };
	int rc = 0;

	if (last == NULL || at_ns <= last->at_ns || span_ns <= 0)
		return 0;
	n = (at_ns - last->at_ns - span_ns + usual / 2) / usual;
	for (int64_t i = n < PACE_BLANKS ? n : PACE_BLANKS; i > 0 && rc == 0; i--) {
		none.at_ns = at_ns - span_ns - (i - 1) * usual;
		rc = add_tick(v, &none);
	}
	return rc;
}

static int
take_session(struct pace_snap *s, struct said *said, int64_t span_ns)
{
	int at = pace_snap_find(s, said->v.number), rc = 0;
	struct pace_snap_session *v = at >= 0 ? &s->session[at] : add_session(s, said->v.number);
	const struct pace_tick *last;
	struct pace_snap_session was;
	struct pace_tick before = { .kind = PACE_TICK_NONE };

	if (v == NULL)
		return s->left_out > 0 ? 0 : -ENOMEM;
	was = *v;
	*v = said->v;
	v->base = at >= 0 ? was.base : v->base;
	memcpy(v->of, was.of, sizeof(v->of));
	v->ticks = was.ticks;
	v->room = was.room;
	v->tick = was.tick;
	v->loss_event = was.loss_event;
	v->loss_ns = was.loss_ns;
	v->loss = was.loss;
	v->seen = true;
	last = pace_snap_tick(v, 0);
	if (last != NULL)
		before = *last;
	if (said->has_interval && span_ns > 0) {
		said->tick.at_ns = s->at_ns;
		said->tick.span_ns = span_ns;
		judge_tick(&said->tick, &was, v);
		rc = add_blanks(s, v, s->at_ns, span_ns);
		if (rc == 0)
			rc = add_tick(v, &said->tick);
		take_figures(v, &said->tick);
	}
	tell_changes(s, &was, at < 0, v, said->has_interval ? &said->tick : NULL, &before);
	return rc;
}

/* Those of which the line does not tell are over. */
static void
take_leave(struct pace_snap *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct pace_snap_session *v = &s->session[i];

		if (!v->seen && v->phase != PACE_PHASE_ENDED) {
			v->phase = PACE_PHASE_ENDED;
			v->lease = false;
			pace_snap_note(s, v->number, PACE_MOOD_PLAIN, "the session ended");
		}
		for (int f = 0; !v->seen && f < PACE_FIGURES; f++)
			v->of[f].known = false;
	}
}

static void
take_totals(struct pace_snap *s, const json_t *line)
{
	const json_t *totals = json_object_get(line, "totals");
	json_t *of = json_object_get(json_object_get(line, "interval"), "refused"), *v;
	struct pace_jr t = { .o = totals };
	const char *code;
	char name[32];
	struct pace_jr p = { .o = json_object_get(totals, "port") };

	s->uptime_ns = (int64_t)pace_jr_count_or_0(&t, "uptime_ns");
	s->active = pace_jr_count_or_0(&t, "sessions_active");
	s->opened = pace_jr_count_or_0(&t, "sessions_opened");
	s->streams = pace_jr_count_or_0(&t, "streams");
	s->junk = pace_jr_count_or_0(&p, "junk");
	s->refused = 0;
	json_object_foreach(json_object_get(totals, "refused"), code, v)
		if (json_is_integer(v) && json_integer_value(v) > 0)
			s->refused += (uint64_t)json_integer_value(v);
	json_object_foreach(of, code, v) {
		if (!json_is_integer(v) || json_integer_value(v) <= 0)
			continue;
		snprintf(name, sizeof(name), "%.31s", code);
		pace_snap_note(s, 0, PACE_MOOD_WARN, "%" PRId64 " requests refused: %s",
		    (int64_t)json_integer_value(v), name);
	}
}

static int
by_number(const void *a, const void *b)
{
	const struct said *x = a, *y = b;

	return x->v.number < y->v.number ? -1 : x->v.number > y->v.number;
}

/* No number twice. */
static bool
are_distinct(struct said *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_number);
	for (size_t i = 1; i < n; i++)
		if (v[i].v.number == v[i - 1].v.number)
			return false;
	return true;
}

/* A reader may have asked for another interval than the head tells; a line that came
 * late is none. */
static void
take_interval(struct pace_snap *s, int64_t span_ns)
{
	int64_t off = span_ns > s->last_span_ns ? span_ns - s->last_span_ns :
	    s->last_span_ns - span_ns;

	if (span_ns >= FINE_NS && span_ns <= USUAL_MOST && off < span_ns / 10)
		s->interval_ns = (span_ns + FINE_NS / 2) / FINE_NS * FINE_NS;
	s->last_span_ns = span_ns;
}

static int
take_all(struct pace_snap *s, const json_t *line, struct said *said, size_t n, int64_t at_ns,
    int64_t span_ns)
{
	int rc = 0;

	s->at_ns = at_ns;
	if (s->first_ns == 0)
		s->first_ns = at_ns;
	s->lines++;
	take_interval(s, span_ns);
	for (size_t i = 0; i < s->n; i++)
		s->session[i].seen = false;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = take_session(s, &said[i], span_ns);
	take_leave(s);
	take_totals(s, line);
	return rc;
}

/* 0: the line has none, as the first one; below 0: it cannot be. */
static int64_t
span_of(const json_t *line)
{
	const json_t *span = json_object_get(line, "interval_ns");
	int64_t ns = json_integer_value(span);

	if (span == NULL || json_is_null(span))
		return 0;
	return json_is_integer(span) && ns <= SPAN_MOST ? ns : -1;
}

static int
feed_sessions(struct pace_snap *s, const json_t *line)
{
	const json_t *list = json_object_get(line, "sessions");
	int64_t at_ns = time_of(json_object_get(line, "time")), span_ns = span_of(line);
	size_t n = json_array_size(list);
	struct said *said;
	bool bad = false;
	int rc = -EINVAL;

	if (!json_is_array(list) || at_ns == 0 || span_ns < 0)
		return -EINVAL;
	said = calloc(n + 1, sizeof(*said));
	if (said == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n && !bad; i++)
		read_session(&said[i], json_array_get(list, i), &bad);
	if (!bad && are_distinct(said, n))
		rc = take_all(s, line, said, n, at_ns, span_ns);
	free(said);
	return rc;
}

static int
feed_head(struct pace_snap *s, const json_t *line)
{
	struct pace_jr r = { .o = line };
	struct pace_snap_head head = { .port = 0 };
	char schema[32];
	int64_t interval_ns;

	pace_jr_text(&r, "schema", schema, sizeof(schema));
	pace_jr_text(&r, "host", head.host, sizeof(head.host));
	pace_jr_text(&r, "version", head.version, sizeof(head.version));
	pace_jr_text(&r, "started", head.started, sizeof(head.started));
	pace_jr_text_or_empty(&r, "address", head.address, sizeof(head.address));
	head.port = (uint64_t)pace_jr_int(&r, "port", 0, 65535);
	interval_ns = pace_jr_int(&r, "interval_ms", 1, 3600000) * 1000000;
	if (r.bad || strcmp(schema, PACE_SNAP_SCHEMA) != 0)
		return -EINVAL;
	if (s->has_head && (strcmp(s->head.started, head.started) != 0 ||
	    strcmp(s->head.host, head.host) != 0)) {
		pace_snap_clear(s);	/* another responder, or another life of it */
		pace_snap_note(s, 0, PACE_MOOD_WARN, "another responder began");
	}
	s->has_head = true;
	s->head = head;
	s->interval_ns = interval_ns;
	return 1;
}

/* What the schema promises: such a line does nothing to a terminal, as it is. */
static bool
is_ascii(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)line[i] < ' ' || (unsigned char)line[i] >= 0x7f)
			return false;
	return true;
}

int
pace_snap_feed(struct pace_snap *s, const char *line, size_t len)
{
	json_t *j = is_ascii(line, len) ? json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL) : NULL;
	struct pace_jr r = { .o = j };
	int rc = -EINVAL;

	if (json_object_get(j, "schema") != NULL) {
		rc = feed_head(s, j);
	} else if (json_object_get(j, "error") != NULL) {
		pace_jr_text(&r, "error", s->error, sizeof(s->error));
		rc = r.bad ? -EINVAL : 1;
		if (rc > 0)
			pace_snap_note(s, 0, PACE_MOOD_BAD, "the responder says: %s", s->error);
	} else if (json_is_object(j)) {
		rc = feed_sessions(s, j);
	}
	json_decref(j);
	return rc;
}
