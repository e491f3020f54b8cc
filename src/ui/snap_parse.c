/* Lines of udpace-status/1: the values of a session. */
#include "config.h"

#include "ui/snap_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "doc/js.h"
#include "doc/tally_doc.h"

#define FIGURE_MOST	1e18
#define YEAR_MOST	2200		/* 2262 has no ns since 1970 any more */

/* --- values ---------------------------------------------------------------- */

static double
real_of(const json_t *o, const char *key)
{
	double x = json_number_value(json_object_get(o, key));

	return isfinite(x) && x >= 0 && x < FIGURE_MOST ? x : 0;
}

static void
read_count(struct pace_tally *n, const json_t *o, uint64_t train, bool *bad)
{
	struct pace_jr r = { .o = o };

	pace_tally_read(&r, n, train > 1);
	*bad |= r.bad;
}

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

int64_t
pace_said_time(const json_t *v)
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

/* --- a session ------------------------------------------------------------- */

static void
read_gaps(struct pace_snap_run *run, const json_t *o, bool *bad)
{
	struct pace_jr r = { .o = o };

	if (!json_is_object(o))
		return;
	run->gaps = pace_jr_count(&r, "count");
	run->gap_mean_ns = real_of(o, "mean");
	run->gap_stddev_ns = real_of(o, "stddev");
	run->gap_min_ns = pace_jr_int(&r, "min", -PACE_JS_MAX, PACE_JS_MAX);
	run->gap_max_ns = pace_jr_int(&r, "max", -PACE_JS_MAX, PACE_JS_MAX);
	*bad |= r.bad;
}

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
	read_count(&run->n, pace_jr_get(&r, "received"), run->train, &r.bad);
	read_gaps(run, json_object_get(o, "gap_ns"), &r.bad);
	*bad |= r.bad;
}

/* What is not there leaves its count at 0. */
static void
read_tick(struct pace_tick *t, const json_t *o, uint64_t train, bool *bad)
{
	const json_t *gap = json_object_get(o, "gap_ns");
	const json_t *above = json_object_get(o, "delay_above_min_ns");
	struct pace_jr g = { .o = gap }, d = { .o = above };

	read_count(&t->n, o, train, bad);
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

static const json_t *
dist_of(const json_t *run, const char *key, bool *bad)
{
	const json_t *o = json_object_get(run, key);
	struct pace_coarse_list l;

	if (o == NULL || json_is_null(o))
		return NULL;
	*bad |= !pace_dist_read(&l, o);
	return o;
}

void
pace_said_read(struct pace_said *s, const json_t *o, bool *bad)
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
	(void)pace_state_of(state, &v->phase);
	v->lease = json_is_true(json_object_get(o, "lease"));
	v->age_ns = pace_jr_int(&r, "age_ns", INT64_MIN, PACE_JS_MAX);
	v->silent_ns = pace_jr_int(&r, "silent_ns", INT64_MIN, PACE_JS_MAX);
	v->runs = pace_jr_count(&r, "runs");
	read_run(&v->run, run, &r.bad);
	read_count(&v->n, pace_jr_get(&r, "received"), v->run.train, &r.bad);
	pace_said_probe(&v->probe, json_object_get(o, "probe"), &r.bad);
	pace_said_flow(v, json_object_get(o, "flow"), &r.bad);
	s->tick.jitter_ns = -1;
	if (json_is_object(interval)) {
		s->has_interval = true;
		read_tick(&s->tick, interval, v->run.train, &r.bad);
		if (s->tick.gaps > 0 && json_is_integer(json_object_get(run, "jitter_ns")))
			s->tick.jitter_ns = json_integer_value(json_object_get(run, "jitter_ns"));
	}
	v->rcvbuf_bytes = pace_jr_count_or_0(&r, "rcvbuf_bytes");
	s->dist[PACE_DIST_GAP] = dist_of(run, "gap_histogram_ns", &r.bad);
	s->dist[PACE_DIST_DELAY] = dist_of(run, "delay_above_min_histogram_ns", &r.bad);
	*bad |= r.bad || v->number == 0;
}
