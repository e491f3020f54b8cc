/*
 * A line of udpace-status/1, as what it tells of.  It is read whole, or refused.
 */
#include "config.h"

#include "live/status.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc/tally_doc.h"
#include "doc/utc.h"

#define FIGURE_MOST	1e18
#define COUNT_MOST	(INT64_C(1) << 55)	/* of a bin: all of them can be added */
#define SPAN_MOST	INT64_C(86400000000000)	/* of a line: none is a day long */

/* --- parts ------------------------------------------------------------------- */

static void
read_tally(struct pace_tally *n, const json_t *o, const struct pace_run_stats *run, bool *bad)
{
	struct pace_jr r = { .o = o };

	pace_tally_read(&r, n, run->train > 1);
	*bad |= r.bad;
}

static double
real_of(const json_t *o, const char *key)
{
	double x = json_number_value(json_object_get(o, key));

	return isfinite(x) && x >= 0 && x < FIGURE_MOST ? x : 0;
}

/* What is not there leaves its count at 0. */
static void
read_moments(struct pace_moments *m, const json_t *o, const char *count, int64_t least, bool *bad)
{
	struct pace_jr r = { .o = o };

	if (!json_is_object(o))
		return;
	m->n = pace_jr_count(&r, count);
	m->mean = real_of(o, "mean");
	m->stddev = real_of(o, "stddev");
	m->has_extremes = pace_jr_has(&r, "min") && pace_jr_has(&r, "max");
	if (m->has_extremes) {
		m->min = pace_jr_int(&r, "min", least, PACE_JS_MAX);
		m->max = pace_jr_int(&r, "max", least, PACE_JS_MAX);
	}
	*bad |= r.bad;
}

static bool
read_bin(struct pace_bin *b, const json_t *o)
{
	const json_t *low = json_array_get(o, 0), *high = json_array_get(o, 1);
	const json_t *count = json_array_get(o, 2);

	if (json_array_size(o) != 3 || !json_is_integer(low) || !json_is_integer(high) ||
	    !json_is_integer(count))
		return false;
	*b = (struct pace_bin){ .low = json_integer_value(low), .high = json_integer_value(high),
	    .count = (uint64_t)json_integer_value(count) };
	return pace_coarse_hist_is_bin(b->low, b->high) && json_integer_value(count) > 0 &&
	    json_integer_value(count) < COUNT_MOST;
}

static bool
read_list(struct pace_coarse_hist_list *l, const json_t *o)
{
	const json_t *bins = json_object_get(o, "bins");
	struct pace_jr r = { .o = o };

	l->below = (uint64_t)pace_jr_int(&r, "below", 0, COUNT_MOST);
	l->n = 0;
	if (r.bad || !json_is_array(bins) || json_array_size(bins) > PACE_COARSE_HIST_LIST)
		return false;
	for (uint32_t i = 0; i < (uint32_t)json_array_size(bins); i++) {
		if (!read_bin(&l->bin[i], json_array_get(bins, i)) ||
		    (i > 0 && l->bin[i].low < l->bin[i - 1].high))
			return false;
		l->n = i + 1;
	}
	return true;
}

/* Empty: it is not told. */
static void
read_distribution(struct pace_coarse_hist_list *l, const json_t *o, bool *bad)
{
	if (o != NULL && !json_is_null(o))
		*bad |= !read_list(l, o);
}

/* --- a session --------------------------------------------------------------- */

static uint32_t
bytes_of(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void
read_run(struct pace_status_session *s, const json_t *o, bool *bad)
{
	struct pace_session_status *v = &s->now;
	struct pace_jr r = { .o = o };
	char kind[16];

	v->jitter_ns = -1;
	if (!json_is_object(o))
		return;
	pace_jr_text(&r, "kind", kind, sizeof(kind));
	v->run = (struct pace_run_stats){ .number = pace_jr_count(&r, "run"),
	    .pings = strcmp(kind, "round_trips") == 0,
	    .size_bytes = bytes_of(pace_jr_count(&r, "size_bytes")),
	    .wire_bytes = bytes_of(pace_jr_count_or_0(&r, "wire_bytes")),
	    .spacing_ns = (int64_t)pace_jr_count_or_0(&r, "spacing_ns"),
	    .bursts = pace_jr_count_or_0(&r, "bursts"), .train = pace_jr_count_or_0(&r, "train"),
	    .frames_asked = pace_jr_count_or_0(&r, "frames_asked"),
	    .duration_asked_ns = (int64_t)pace_jr_count_or_0(&r, "duration_asked_ns") };
	v->ended = pace_jr_bool(&r, "ended");
	v->elapsed_ns = (int64_t)pace_jr_count(&r, "elapsed_ns");
	if (json_is_integer(json_object_get(o, "jitter_ns")))
		v->jitter_ns = json_integer_value(json_object_get(o, "jitter_ns"));
	read_tally(&v->this_run, pace_jr_get(&r, "received"), &v->run, &r.bad);
	read_moments(&v->gaps, json_object_get(o, "gap_ns"), "count", -PACE_JS_MAX, &r.bad);
	r.bad |= v->gaps.n > 0 && !v->gaps.has_extremes;
	read_distribution(&s->dist[PACE_DIST_GAP], json_object_get(o, "gap_histogram_ns"), &r.bad);
	read_distribution(&s->dist[PACE_DIST_DELAY], json_object_get(o, "delay_above_min_histogram_ns"),
	    &r.bad);
	*bad |= r.bad;
}

static void
read_interval(struct pace_status_session *s, const json_t *o, bool *bad)
{
	struct pace_interval *i = &s->interval;

	s->has_interval = json_is_object(o);
	if (!s->has_interval)
		return;
	read_tally(&i->n, o, &s->now.run, bad);
	read_moments(&i->gaps, json_object_get(o, "gap_ns"), "count", -PACE_JS_MAX, bad);
	read_moments(&i->above, json_object_get(o, "delay_above_min_ns"), "samples", 0, bad);
	*bad |= i->above.n > 0 && !i->above.has_extremes;
}

/* Times of exchanges. */
static void
read_way(struct pace_moments *w, const json_t *o, bool *bad)
{
	struct pace_jr r = { .o = o };

	if (!json_is_object(o))
		return;
	read_moments(w, o, "count", -PACE_JS_MAX, &r.bad);
	w->mean = pace_jr_real(&r, "mean");
	*bad |= r.bad || w->n == 0 || !w->has_extremes || w->min > w->max || !isfinite(w->mean * (double)w->n);
}

static void
read_probe(struct pace_probe_status *p, const json_t *o, bool *bad)
{
	static const char *const ways[PACE_WAYS] = { "round_trip_ns", "there_ns", "back_ns" };
	struct pace_jr r = { .o = o };

	if (!json_is_object(o))
		return;
	p->known = true;
	p->sent = pace_jr_count(&r, "sent");
	p->refused = pace_jr_count_or_0(&r, "refused");
	p->interval_sent = pace_jr_count_or_0(&r, "interval_sent");
	read_moments(&p->leaving, json_object_get(o, "spacing_ns"), "count", 0, &r.bad);
	p->asked = pace_jr_count_or_0(&r, "round_trips_asked");
	for (int i = 0; i < PACE_WAYS; i++)
		read_way(&p->way[i], json_object_get(o, ways[i]), &r.bad);
	p->has_bound = pace_jr_has(&r, "clock_bound_ns");
	if (p->has_bound)
		p->bound_ns = fabs(pace_jr_real(&r, "clock_bound_ns"));
	if (pace_jr_has(&r, "monitor_core"))
		p->core = fabs(pace_jr_real(&r, "monitor_core"));
	*bad |= r.bad;
}

/* null is that of the sum. */
static void
read_flow(struct pace_session_status *v, const json_t *o, bool *bad)
{
	struct pace_flow_status *f = &v->flow;
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
	pace_flow_name(v);
}

static void
read_session(struct pace_status_session *s, const json_t *o, bool *bad)
{
	struct pace_session_status *v = &s->now;
	struct pace_jr r = { .o = o };
	char state[32];

	v->number = pace_jr_count(&r, "session");
	pace_jr_text(&r, "peer", v->peer, sizeof(v->peer));
	v->ipv6 = strchr(v->peer, ':') != NULL;
	pace_jr_text_or_empty(&r, "label", v->label, sizeof(v->label));
	pace_jr_text_or_empty(&r, "key", v->key, sizeof(v->key));
	pace_jr_text(&r, "state", state, sizeof(state));
	(void)pace_state_of(state, &v->state);
	v->lease = json_is_true(json_object_get(o, "lease"));
	v->age_ns = pace_jr_int(&r, "age_ns", INT64_MIN, PACE_JS_MAX);
	v->silent_ns = pace_jr_int(&r, "silent_ns", INT64_MIN, PACE_JS_MAX);
	v->rcvbuf_bytes = pace_jr_count_or_0(&r, "rcvbuf_bytes");
	v->runs = pace_jr_count(&r, "runs");
	read_run(s, json_object_get(o, "run"), &r.bad);
	read_tally(&v->all, pace_jr_get(&r, "received"), &v->run, &r.bad);
	read_probe(&v->probe, json_object_get(o, "probe"), &r.bad);
	read_flow(v, json_object_get(o, "flow"), &r.bad);
	read_interval(s, json_object_get(o, "interval"), &r.bad);
	*bad |= r.bad || v->number == 0;
}

/* --- lines ------------------------------------------------------------------- */

static void
read_capture(struct pace_capture_status *c, const json_t *o, bool *bad)
{
	struct pace_jr r = { .o = o };

	if (o == NULL)
		return;
	c->known = true;
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
	*bad |= r.bad;
}

int
pace_status_read(const json_t *line, struct pace_status *s)
{
	const json_t *list = json_object_get(line, "sessions"), *span = json_object_get(line, "interval_ns");
	const json_t *time = json_object_get(line, "time");
	bool bad;

	memset(s, 0, sizeof(*s));
	s->wall_ns = json_is_string(time) ? pace_utc_read(json_string_value(time)) : 0;
	s->interval_ns = json_integer_value(span);
	bad = !json_is_array(list) || s->wall_ns == 0 || (span != NULL && !json_is_null(span) &&
	    (!json_is_integer(span) || s->interval_ns < 0 || s->interval_ns > SPAN_MOST));
	if (bad)
		return -EINVAL;
	s->session = calloc(json_array_size(list) + 1, sizeof(*s->session));
	if (s->session == NULL)
		return -ENOMEM;
	for (; s->n < json_array_size(list) && !bad; s->n++)
		read_session(&s->session[s->n], json_array_get(list, s->n), &bad);
	bad |= !pace_host_read(&s->host, json_object_get(line, "counters"));
	read_capture(&s->capture, json_object_get(line, "capture"), &bad);
	pace_totals_read(&s->totals, json_object_get(line, "totals"));
	pace_totals_read(&s->added, json_object_get(line, "interval"));
	if (!bad)
		return 0;
	free(s->session);
	return -EINVAL;
}

int
pace_status_read_head(const json_t *line, struct pace_status_head *h)
{
	struct pace_jr r = { .o = line };
	char text[32];

	memset(h, 0, sizeof(*h));
	pace_jr_text(&r, "schema", text, sizeof(text));
	r.bad |= strcmp(text, PACE_STATUS_SCHEMA) != 0;
	pace_jr_text_or_empty(&r, "kind", text, sizeof(text));
	h->capture = strcmp(text, "capture") == 0;
	pace_jr_text(&r, "host", h->host, sizeof(h->host));
	pace_jr_text(&r, "version", h->version, sizeof(h->version));
	pace_jr_text(&r, "started", h->started, sizeof(h->started));
	pace_jr_text_or_empty(&r, "address", h->address, sizeof(h->address));
	pace_jr_text_or_empty(&r, "interface", h->interface, sizeof(h->interface));
	pace_jr_text_or_empty(&r, "filter", h->filter, sizeof(h->filter));
	h->port = (uint64_t)pace_jr_int(&r, "port", 0, 65535);
	h->interval_ns = pace_jr_int(&r, "interval_ms", 1, 3600000) * 1000000;
	return r.bad ? -EINVAL : 0;
}

int
pace_status_request(const char *line, size_t len, int64_t *interval_ns)
{
	json_t *j = pace_js_parse(line, len, NULL);
	const json_t *v = json_object_get(j, "interval_ms");
	int64_t ms = json_is_integer(v) ? json_integer_value(v) : 0;
	int rc = -EINVAL;

	if (ms >= PACE_STATUS_LEAST_NS / 1000000 && ms <= PACE_STATUS_MOST_NS / 1000000) {
		*interval_ns = ms * 1000000;
		rc = 0;
	}
	json_decref(j);
	return rc;
}
