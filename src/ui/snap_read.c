/*
 * Lines of udpace-status/1 become ticks, figures and events.  A line is read whole
 * before it changes anything.
 */
#include "config.h"

#include "ui/snap_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doc/js.h"

#define FINE_NS		INT64_C(10000000)
#define SPAN_MOST	INT64_C(86400000000000)	/* of a line: none is a day long */
#define USUAL_MOST	INT64_C(3600000000000)	/* a responder's longest interval */

/* --- lines ----------------------------------------------------------------- */

/* Room for one more: an ended one goes for it.  NULL: there is none. */
static struct pace_snap_session *
make_room(struct pace_snap *s)
{
	struct pace_snap_session *more;
	size_t i = 0;

	if (s->n >= PACE_SNAP_SESSIONS) {
		while (i < s->n && s->session[i].phase != PACE_ENDED)
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

/* Since the line before that told of this session.  The wall clock may be set, uptime only
 * goes on. */
static int64_t
since_last(const struct pace_snap *s, const struct pace_snap_session *v)
{
	const struct pace_tick *last = pace_snap_tick(v, 0);

	if (last == NULL)
		return 0;
	return v->up_ns > 0 && s->uptime_ns > v->up_ns ? s->uptime_ns - v->up_ns : s->at_ns - last->at_ns;
}

static int64_t
usual_of(const struct pace_snap *s)
{
	return s->interval_ns > 0 ? s->interval_ns : INT64_C(1000000000);
}

/* Holes between lines are shown as such. */
static int
add_blanks(struct pace_snap *s, struct pace_snap_session *v, int64_t span_ns)
{
	int64_t usual = usual_of(s), since = since_last(s, v), n;
	struct pace_tick none = { .kind = PACE_TICK_NONE, .span_ns = usual, .jitter_ns = -1 };
	int rc = 0;

	if (since <= 0 || span_ns <= 0)
		return 0;
	n = (since - span_ns + usual / 2) / usual;
	for (int64_t i = n < PACE_BLANKS ? n : PACE_BLANKS; i > 0 && rc == 0; i--) {
		none.at_ns = s->at_ns - span_ns - (i - 1) * usual;
		rc = pace_tick_add(v, &none);
	}
	return rc;
}

/* A tick as so many ticks. */
static int
add_shared(const struct pace_snap *s, struct pace_snap_session *v, const struct pace_tick *t)
{
	int64_t usual = usual_of(s), n = s->agreed ? (t->span_ns + usual / 2) / usual : 1;
	int rc = 0;

	if (n > PACE_BLANKS)
		n = PACE_BLANKS;
	for (int64_t i = n; i > 1 && rc == 0; i--) {
		struct pace_tick part = *t;

		part.shared = true;
		part.host_nic = part.host_ip = 0;
		part.host_gap = 0;
		part.n = pace_tally_part(&t->n, (uint64_t)n, i == n);
		part.span_ns = t->span_ns / n;
		part.active_ns = t->active_ns / n;
		part.at_ns = t->at_ns - (i - 1) * part.span_ns;
		rc = pace_tick_add(v, &part);
	}
	if (n > 1 && rc == 0) {
		struct pace_tick part = *t;

		part.shared = true;
		part.n = pace_tally_part(&t->n, (uint64_t)n, false);
		part.span_ns = t->span_ns / n;
		part.active_ns = t->active_ns / n;
		return pace_tick_add(v, &part);
	}
	return rc < 0 ? rc : pace_tick_add(v, t);
}

static int
take_session(struct pace_snap *s, struct pace_said *said, int64_t span_ns)
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
	memcpy(v->past, was.past, sizeof(v->past));
	memcpy(v->way, was.way, sizeof(v->way));
	for (int w = 0; w < PACE_WAYS && said->has_interval; w++)
		pace_way_add(&v->way[w], &v->probe.newest[w]);
	v->ticks = was.ticks;
	v->room = was.room;
	v->tick = was.tick;
	v->dists = was.dists;
	v->newest = was.newest;
	v->up_ns = was.up_ns;
	v->unseen = was.unseen;
	v->settled = was.settled;
	v->looked = was.looked;
	v->loss_event = was.loss_event;
	v->loss_ns = was.loss_ns;
	v->dead_ns = was.dead_ns;
	v->loss = was.loss;
	v->flow.doubtful = was.flow.doubtful;
	v->flow.calm = was.flow.calm;
	v->seen = true;
	rc = pace_dists_add(v, said, s->at_ns);
	last = pace_snap_tick(v, 0);
	if (last != NULL)
		before = *last;
	if (said->has_interval && span_ns > 0) {
		said->tick.at_ns = s->at_ns;
		said->tick.span_ns = span_ns;
		said->tick.host_nic = s->newest_nic;
		said->tick.host_ip = s->newest_ip;
		said->tick.host_gap = s->newest_gap;
		pace_tick_judge(&said->tick, &was, v);
		rc = rc == 0 ? add_blanks(s, v, span_ns) : rc;
		if (rc == 0)
			rc = add_shared(s, v, &said->tick);
		v->newest = said->tick;
		v->up_ns = s->uptime_ns;
		pace_tick_figures(v, &said->tick);
	}
	for (int f = 0; f < PACE_FIGURES && !said->has_interval; f++)
		v->of[f].known = false;
	pace_change_tell(s, &(struct pace_change){ .was = &was, .is = v, .fresh = at < 0,
	    .tick = said->has_interval ? &said->tick : NULL, .last = &before });
	return rc;
}

/* Those of which the line does not tell are over. */
static void
take_leave(struct pace_snap *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct pace_snap_session *v = &s->session[i];

		if (!v->seen && v->phase != PACE_ENDED) {
			v->phase = PACE_ENDED;
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
	const struct pace_said *x = a, *y = b;

	return x->v.number < y->v.number ? -1 : x->v.number > y->v.number;
}

/* No number twice. */
static bool
are_distinct(struct pace_said *v, size_t n)
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

	if (span_ns >= FINE_NS && span_ns <= USUAL_MOST && off < span_ns / 10) {
		s->interval_ns = (span_ns + FINE_NS / 2) / FINE_NS * FINE_NS;
		s->agreed = true;
	}
	s->last_span_ns = span_ns;
}

/* Lines come more often than somebody looks at the host. */
static void
take_host(struct pace_snap *s, const struct pace_snap_host *h)
{
	if (!h->known || (s->host.known && h->at_ns == s->host.at_ns))
		return;
	s->host_was = s->host;
	s->host = *h;
	if (!s->host_first.known)
		s->host_first = *h;
	for (size_t i = 0; i < s->n; i++) {
		struct pace_snap_session *v = &s->session[i];

		if (!s->host_begin.known)
			v->unseen = v->n;
		v->settled = v->looked;
		v->looked = v->n;
	}
	if (!s->host_begin.known)
		s->host_begin = *h;
}

/* Before its sessions are taken: their ticks have it. */
static void
take_newest(struct pace_snap *s, const struct pace_snap_host *h)
{
	s->newest_nic = s->newest_ip = 0;
	s->newest_gap = 0;
	if (!h->known || !s->host.known)
		return;
	s->newest_nic = pace_host_risen(h, &s->host, PACE_HC_NIC_LOST) +
	    pace_host_risen(h, &s->host, PACE_HC_BACKLOG_LOST);
	s->newest_ip = pace_host_risen(h, &s->host, PACE_HC_UNDELIVERED);
	if (h->has[PACE_HC_IP] && s->host.has[PACE_HC_IP])
		s->newest_gap = (int64_t)pace_host_risen(h, &s->host, PACE_HC_NIC) -
		    (int64_t)pace_host_risen(h, &s->host, PACE_HC_IP);
}

static int
take_all(struct pace_snap *s, const json_t *line, struct pace_said *said, size_t n, int64_t at_ns,
    int64_t span_ns, const struct pace_snap_host *host, const struct pace_snap_capture *capture)
{
	struct pace_jr totals = { .o = json_object_get(line, "totals") };
	int rc = 0;

	s->at_ns = at_ns;
	s->uptime_ns = (int64_t)pace_jr_count_or_0(&totals, "uptime_ns");
	if (s->first_ns == 0)
		s->first_ns = at_ns;
	s->lines++;
	take_interval(s, span_ns);
	pace_capture_take(s, capture, span_ns);
	for (size_t i = 0; i < s->n; i++)
		s->session[i].seen = false;
	take_newest(s, host);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = take_session(s, &said[i], span_ns);
	take_leave(s);
	take_totals(s, line);
	take_host(s, host);
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
	int64_t at_ns = pace_said_time(json_object_get(line, "time")), span_ns = span_of(line);
	size_t n = json_array_size(list);
	struct pace_snap_capture capture = s->capture;
	struct pace_snap_host host;
	struct pace_said *said;
	bool bad = false;
	int rc = -EINVAL;

	if (!json_is_array(list) || at_ns == 0 || span_ns < 0)
		return -EINVAL;
	said = calloc(n + 1, sizeof(*said));
	if (said == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n && !bad; i++)
		pace_said_read(&said[i], json_array_get(list, i), &bad);
	bad |= !pace_host_read(&host, json_object_get(line, "counters")) ||
	    !pace_capture_read(&capture, line);
	if (!bad && are_distinct(said, n))
		rc = take_all(s, line, said, n, at_ns, span_ns, &host, &capture);
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
	pace_capture_head(s, line);
	return 1;
}

/* Of a result, which may have other characters. */
static bool
is_of_sweep(const char *line, size_t len)
{
	static const char event[] = "\"event\"";

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			return false;
	return memmem(line, len, event, sizeof(event) - 1) != NULL;
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

/* Of the one at a monitor's keyboard, in its record. */
static int
feed_note(struct pace_snap *s, const json_t *line)
{
	struct pace_jr r = { .o = line };
	char note[120];

	pace_jr_text(&r, "note", note, sizeof(note));
	if (r.bad || pace_said_time(json_object_get(line, "time")) == 0)
		return -EINVAL;
	pace_snap_note(s, 0, PACE_MOOD_WARN, "note: %s", note);
	return 1;
}

int
pace_snap_feed(struct pace_snap *s, const char *line, size_t len)
{
	bool ascii = is_ascii(line, len), of_sweep = !ascii && is_of_sweep(line, len);
	json_t *j = ascii || of_sweep ? pace_js_parse_line(line, len, NULL) : NULL;
	struct pace_jr r = { .o = j };
	int rc = -EINVAL;

	s->told_point = false;
	s->told_sweep = json_object_get(j, "event") != NULL;
	if (s->told_sweep) {
		rc = pace_sweep_feed(s, j);
	} else if (of_sweep) {
		rc = -EINVAL;
	} else if (json_object_get(j, "schema") != NULL) {
		rc = feed_head(s, j);
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
