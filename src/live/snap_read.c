/*
 * Reads lines of udpace-status/1 into ticks, figures and events.  A line is read
 * completely before it changes anything.
 */
#include "config.h"

#include "live/snap_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "doc/js.h"
#include "doc/utc.h"

#define FINE_NS		INT64_C(10000000)
#define USUAL_MOST	INT64_C(3600000000000)	/* longest interval of a responder */

/* --- sessions -------------------------------------------------------------- */

/* Make room for one more session by removing an ended one.  NULL: no room. */
static struct pace_snap_session *
make_room(struct pace_snap *s)
{
	struct pace_snap_session *more;
	size_t i = 0;

	if (s->n >= PACE_SNAP_SESSIONS) {
		while (i < s->n && s->session[i].now.state != PACE_ENDED)
			i++;
		if (i == s->n) {
			s->left_out++;
			return NULL;
		}
		pace_snap_session_free(&s->session[i]);
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
add_session(struct pace_snap *s, const struct pace_session_status *is)
{
	struct pace_snap_session *v = make_room(s);
	size_t i = s->n;

	if (v == NULL)
		return NULL;
	while (i > 0 && pace_key_compare(pace_session_key(&s->session[i - 1].now),
	    pace_session_key(is)) > 0)
		i--;
	memmove(&s->session[i + 1], &s->session[i], (s->n - i) * sizeof(*v));
	s->n++;
	memset(&s->session[i], 0, sizeof(*v));
	s->session[i].now.number = is->number;
	s->session[i].now.stream = is->stream;
	return &s->session[i];
}

static int64_t
usual_of(const struct pace_snap *s)
{
	return s->interval_ns > 0 ? s->interval_ns : INT64_C(1000000000);
}

/* Add gaps for the time without lines. */
static int
add_blanks(struct pace_snap *s, struct pace_snap_session *v, int64_t span_ns)
{
	const struct pace_tick *last = pace_snap_tick(v, 0);
	int64_t usual = usual_of(s), since = 0, n;
	struct pace_tick none = { .kind = PACE_TICK_NONE, .span_ns = usual, .jitter_ns = -1 };
	int rc = 0;

	/* since the last line with this session; by uptime, because the wall clock may be set */
	if (last != NULL)
		since = v->up_ns > 0 && s->uptime_ns > v->up_ns ? s->uptime_ns - v->up_ns :
		    s->at_ns - last->at_ns;
	if (since <= 0 || span_ns <= 0)
		return 0;
	n = (since - span_ns + usual / 2) / usual;
	for (int64_t i = n < PACE_BLANKS ? n : PACE_BLANKS; i > 0 && rc == 0; i--) {
		none.at_ns = s->at_ns - span_ns - (i - 1) * usual;
		rc = pace_tick_add(v, &none);
	}
	return rc;
}

/* Divide a tick for a long time into several; the last one has the host's counts. */
static int
add_shared(const struct pace_snap *s, struct pace_snap_session *v, const struct pace_tick *t)
{
	int64_t usual = usual_of(s), n = s->agreed ? (t->span_ns + usual / 2) / usual : 1;
	int rc = 0;

	n = n > PACE_BLANKS ? PACE_BLANKS : n < 1 ? 1 : n;
	for (int64_t i = n; i > 0 && rc == 0; i--) {
		struct pace_tick part = *t;

		if (i > 1) {
			part.host_nic = part.host_ip = 0;
			part.host_gap = 0;
		}
		if (n > 1) {
			part.shared = true;
			part.n = pace_tally_part(&t->n, (uint64_t)n, i == n);
			part.span_ns = t->span_ns / n;
			part.active_ns = t->active_ns / n;
			part.at_ns = t->at_ns - (i - 1) * part.span_ns;
		}
		rc = pace_tick_add(v, &part);
	}
	return rc;
}

/* The responder is silent: add an outage tick for the time since the newest tick. */
static int
add_out(struct pace_snap *s, struct pace_snap_session *v)
{
	const struct pace_tick *last = pace_snap_tick(v, 0);
	int64_t usual = usual_of(s), span_ns = last != NULL ? s->at_ns - last->at_ns : usual;
	struct pace_tick t = { .kind = PACE_TICK_NONE, .out = true, .at_ns = s->at_ns,
	    .jitter_ns = -1 };
	int64_t n;
	int rc = 0;

	if (span_ns <= 0 || span_ns > PACE_BLANKS * usual)
		span_ns = usual;	/* the wall clock was set */
	n = span_ns < usual ? 1 : span_ns / usual;
	for (int64_t i = 0; i < n && rc == 0; i++) {
		t.span_ns = span_ns / n;
		rc = pace_tick_add(v, &t);
		v->outs++;
	}
	v->out_ns += span_ns;
	v->up_ns = s->uptime_ns;
	return rc;
}

/* The first line after a silence covers all of it.  If frames arrived all the time, only reports
 * were missing, and the time is divided as usual.  Otherwise the frames arrived at its end, in the
 * time that the lines of the silence left, but not faster than they were sent: frames arrived for
 * some time before the first report. */
static void
end_out(const struct pace_snap *s, struct pace_snap_session *v, struct pace_tick *t)
{
	double came_ns = (double)t->n.frames * (double)v->now.run.spacing_ns;
	int64_t all_ns = t->span_ns, least_ns = usual_of(s) / 2;

	if (v->outs > 0 && came_ns > (double)all_ns / 2) {
		for (; v->outs > 0; v->outs--)	/* a full ring has already lost its oldest */
			v->tick[--v->ticks % v->room] = (struct pace_tick){ .jitter_ns = -1 };
	} else if (v->outs > 0) {
		if (least_ns < (int64_t)came_ns)
			least_ns = (int64_t)came_ns;
		t->span_ns = all_ns - v->out_ns > least_ns ? all_ns - v->out_ns : least_ns;
		t->behind_ns = all_ns > t->span_ns ? all_ns - t->span_ns : 0;
	}
	v->outs = 0;
	v->out_ns = 0;
}

/* Add statistics of further values. */
static void
add_way(struct pace_moments *to, const struct pace_moments *w)
{
	if (w->n == 0)
		return;
	to->min = to->n == 0 || w->min < to->min ? w->min : to->min;
	to->max = to->n == 0 || w->max > to->max ? w->max : to->max;
	to->n += w->n < (uint64_t)PACE_JS_MAX - to->n ? w->n : (uint64_t)PACE_JS_MAX - to->n;
	to->mean += (w->mean - to->mean) * ((double)w->n / (double)to->n);
}

static int
take_session(struct pace_snap *s, const struct pace_status_session *in, int64_t span_ns)
{
	int at = pace_snap_find(s, pace_session_key(&in->now)), rc;
	struct pace_snap_session *v = at >= 0 ? &s->session[at] : add_session(s, &in->now);
	struct pace_tick t = { .at_ns = s->at_ns, .span_ns = span_ns, .n = in->interval.n,
	    .gaps = in->interval.gaps, .above = in->interval.above, .host_nic = s->newest_nic,
	    .host_ip = s->newest_ip, .host_gap = s->newest_gap, .jitter_ns = -1 };
	struct pace_tick before = { .kind = PACE_TICK_NONE };
	struct pace_session_status was;

	if (v == NULL)
		return s->left_out > 0 ? 0 : -ENOMEM;
	was = v->now;
	v->now = in->now;
	v->seen = true;
	for (int w = 0; w < PACE_WAYS && in->has_interval; w++)
		add_way(&v->way[w], &v->now.probe.way[w]);
	rc = pace_dists_add(v, in->dist, s->at_ns);
	if (v->ticks > 0)
		before = *pace_snap_tick(v, 0);
	if (t.gaps.n > 0)
		t.jitter_ns = v->now.jitter_ns;
	if (in->has_interval && span_ns > 0 && rc == 0) {
		end_out(s, v, &t);
		pace_tick_judge(&t, &was, &v->now);
		rc = add_blanks(s, v, span_ns);
		if (rc == 0)
			rc = add_shared(s, v, &t);
		v->newest = t;
		v->up_ns = s->uptime_ns;
		pace_tick_figures(v, &t);
	}
	if (!in->has_interval && rc == 0 && pace_snap_outage(v) > 0)
		rc = add_out(s, v);
	/* a watcher's path has no news until its next report */
	for (int f = 0; f < PACE_FIGURES && !in->has_interval && (!s->head.watch ||
	    pace_snap_outage(v) > 0); f++)
		v->of[f].known = false;
	pace_change_tell(s, &(struct pace_change){ .was = &was, .is = v, .fresh = at < 0,
	    .tick = in->has_interval ? &t : NULL, .last = &before });
	return rc;
}

/* Mark sessions that the line does not have as ended. */
static void
take_leave(struct pace_snap *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct pace_snap_session *v = &s->session[i];

		if (!v->seen && v->now.state != PACE_ENDED) {
			v->now.state = PACE_ENDED;
			v->now.lease = false;
			if (v->now.stream == 0)
				pace_snap_note(s, pace_session_key(&v->now), PACE_MOOD_PLAIN,
				    s->head.watch ? "the path ended" : "the session ended");
		}
		for (int f = 0; !v->seen && f < PACE_FIGURES; f++)
			v->of[f].known = false;
	}
}

static int
by_key(const void *a, const void *b)
{
	const struct pace_status_session *x = a, *y = b;

	return pace_key_compare(pace_session_key(&x->now), pace_session_key(&y->now));
}

/* Learn the interval from the lines, because a reader may have requested another one than the
 * head's.  One late line does not change it. */
static void
take_interval(struct pace_snap *s, int64_t span_ns)
{
	int64_t off = span_ns > s->last_span_ns ? span_ns - s->last_span_ns :
	    s->last_span_ns - span_ns;

	if (span_ns >= FINE_NS && span_ns <= USUAL_MOST && off < span_ns / 10) {
		s->interval_ns = (span_ns + FINE_NS / 2) / FINE_NS * FINE_NS;
		s->agreed = true;
	}
	s->last_span_ns = span_ns;
}

/* Lines come more often than samples of the host. */
static void
take_host(struct pace_snap *s, const struct pace_host_status *h)
{
	if (!h->known || (s->host.known && h->sums.at_ns == s->host.sums.at_ns))
		return;
	s->host_was = s->host;
	s->host = *h;
	if (!s->host_first.known)
		s->host_first = *h;
	for (size_t i = 0; i < s->n; i++) {
		struct pace_snap_session *v = &s->session[i];

		if (!s->host_begin.known)
			v->unseen = v->now.all;
		v->settled = v->looked;
		v->looked = v->now.all;
	}
	if (!s->host_begin.known)
		s->host_begin = *h;
}

/* Call it before the sessions are taken, because their ticks use it. */
static void
take_newest(struct pace_snap *s, const struct pace_host_status *h)
{
	s->newest_nic = s->newest_ip = 0;
	s->newest_gap = 0;
	if (!h->known || !s->host.known)
		return;
	s->newest_nic = pace_host_risen(h, &s->host, PACE_SUM_NIC_LOST) +
	    pace_host_risen(h, &s->host, PACE_SUM_BACKLOG_LOST);
	s->newest_ip = pace_host_risen(h, &s->host, PACE_SUM_UNDELIVERED);
	if (pace_host_counters_has(&h->sums, PACE_SUM_IP) &&
	    pace_host_counters_has(&s->host.sums, PACE_SUM_IP))
		s->newest_gap = (int64_t)pace_host_risen(h, &s->host, PACE_SUM_NIC) -
		    (int64_t)pace_host_risen(h, &s->host, PACE_SUM_IP);
}

int
pace_snap_take(struct pace_snap *s, struct pace_status *st)
{
	int rc = 0;

	qsort(st->session, st->n, sizeof(*st->session), by_key);
	for (size_t i = 1; i < st->n; i++)
		if (by_key(&st->session[i], &st->session[i - 1]) == 0)
			return -EINVAL;		/* the same twice */
	s->at_ns = st->wall_ns;
	s->uptime_ns = st->totals.now_ns - st->totals.started_ns;
	if (s->first_ns == 0)
		s->first_ns = s->at_ns - st->interval_ns;
	s->lines++;
	take_interval(s, st->interval_ns);
	pace_capture_take(s, &st->capture, st->interval_ns);
	for (size_t i = 0; i < s->n; i++)
		s->session[i].seen = false;
	take_newest(s, &st->host);
	for (size_t i = 0; i < st->n && rc == 0; i++)
		rc = take_session(s, &st->session[i], st->session[i].interval.own_span ?
		    st->session[i].interval.span_ns : st->interval_ns);
	take_leave(s);
	s->totals = st->totals;
	for (int i = 0; i < PACE_REFUSED_KINDS; i++)
		if (st->added.refused[i] > 0)
			pace_snap_note(s, 0, PACE_MOOD_WARN, "%" PRIu64 " request%s refused: %s",
			    st->added.refused[i], pace_plural(st->added.refused[i]),
			    pace_refused_name((enum pace_refused)i));
	take_host(s, &st->host);
	return rc;
}

void
pace_snap_begin(struct pace_snap *s, const struct pace_status_head *h)
{
	if (s->has_head && (strcmp(s->head.started, h->started) != 0 ||
	    strcmp(s->head.host, h->host) != 0)) {
		pace_snap_note(s, 0, PACE_MOOD_WARN, h->watch ? "another watcher began" :
		    "another responder began");
		pace_snap_forget(s);	/* or it was restarted */
	}
	s->has_head = true;
	s->head = *h;
	s->interval_ns = h->interval_ns;
	s->capture = (struct pace_snap_capture){ .now.known = h->capture };
}

/* --- lines ----------------------------------------------------------------- */

static int
feed_sessions(struct pace_snap *s, const json_t *line)
{
	struct pace_status st;
	int rc = pace_status_read(line, &st);

	if (rc < 0)
		return rc;
	rc = pace_snap_take(s, &st);
	free(st.session);
	return rc;
}

/* Check what the schema promises, so that a line can be sent to a terminal unchanged.  Only
 * results may contain non-ASCII characters. */
static bool
is_clean(const char *line, size_t len, bool *ascii)
{
	*ascii = true;
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			return false;
		*ascii &= (unsigned char)line[i] < 0x7f;
	}
	return true;
}

/* A note that the monitor's user made in the recording. */
static int
feed_note(struct pace_snap *s, const json_t *line)
{
	struct pace_jr r = { .o = line };
	char note[120], time[32];

	pace_jr_text(&r, "note", note, sizeof(note));
	pace_jr_text(&r, "time", time, sizeof(time));
	if (r.bad || pace_utc_read(time) == 0)
		return -EINVAL;
	pace_snap_note(s, 0, PACE_MOOD_WARN, "note: %s", note);
	return 1;
}

int
pace_snap_feed(struct pace_snap *s, const char *line, size_t len)
{
	bool ascii, clean = is_clean(line, len, &ascii);
	json_t *j = clean && (ascii || memmem(line, len, "\"event\"", 7) != NULL) ?
	    pace_js_parse_line(line, len, NULL) : NULL;
	struct pace_jr r = { .o = j };
	struct pace_status_head h;
	int rc = -EINVAL;

	s->line_has_point = false;
	s->line_of_sweep = json_object_get(j, "event") != NULL;
	if (s->line_of_sweep) {
		rc = pace_sweep_feed(s, j);
	} else if (!ascii) {
		rc = -EINVAL;
	} else if (json_object_get(j, "schema") != NULL) {
		rc = pace_status_read_head(j, &h) == 0 ? 1 : -EINVAL;
		if (rc > 0)
			pace_snap_begin(s, &h);
	} else if (json_object_get(j, "note") != NULL) {
		rc = feed_note(s, j);
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

int64_t
pace_snap_time(const char *line, size_t len)
{
	static const char member[] = "\"time\":";
	const char *end = line + len, *at = memmem(line, len, member, sizeof(member) - 1);
	char text[PACE_UTC_SIZE];

	if (at == NULL)
		return 0;
	at += sizeof(member) - 1;
	while (at < end && (*at == ' ' || *at == '"'))
		at++;
	if (end - at < PACE_UTC_SIZE - 1)
		return 0;
	memcpy(text, at, PACE_UTC_SIZE - 1);
	text[PACE_UTC_SIZE - 1] = '\0';
	return pace_utc_read(text);
}
