#include "config.h"

#include "ops/status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/rates.h"
#include "doc/js.h"
#include "ops/event.h"

#define FLAGS	(JSON_COMPACT | JSON_ENSURE_ASCII | PACE_JS_REAL)

static void
put_int(struct pace_jw *w, const char *key, int64_t v)
{
	pace_jw_put(w, key, json_integer(v));
}

char *
pace_status_text(struct pace_jw *w)
{
	char *text = w->o != NULL ? json_dumps(w->o, FLAGS) : NULL, *line = NULL;
	size_t len = text != NULL ? strlen(text) : 0;

	json_decref(w->o);
	if (text != NULL)
		line = realloc(text, len + 2);
	if (line == NULL) {
		free(text);
		return NULL;
	}
	memcpy(line + len, "\n", 2);
	return line;
}

/* --- totals --- */

static json_t *
port_counts(const struct pace_responder_counts *c)
{
	struct pace_jw w = pace_jw_begin();

	for (size_t i = 0; i < pace_port_counts_n; i++)
		put_int(&w, pace_port_counts[i].name, (int64_t)pace_port_count(c, i));
	return w.o;
}

static json_t *
refusals(const uint64_t refused[PACE_REFUSED_KINDS])
{
	struct pace_jw w = pace_jw_begin();

	for (int i = 0; i < PACE_REFUSED_KINDS; i++)
		if (refused[i] != 0)
			put_int(&w, pace_refused_name((enum pace_refused)i), (int64_t)refused[i]);
	return w.o;
}

void
pace_totals_put(struct pace_jw *w, const struct pace_totals *t)
{
	struct pace_jw received = pace_jw_begin(), lost = pace_jw_begin();

	pace_jw_count(w, "uptime_ns", (uint64_t)(t->now_ns - t->started_ns));
	pace_jw_put(w, "port", port_counts(&t->at_port));
	pace_jw_put(w, "refused", refusals(t->refused));
	pace_jw_count(w, "sessions_active", t->active);
	pace_jw_count(w, "sessions_opened", t->opened);
	pace_jw_count(w, "sessions_closed", t->closed);
	pace_jw_count(w, "streams", t->streams);
	pace_jw_count(w, "round_trip_runs", t->round_trips);
	pace_jw_count(w, "runs_complete", t->complete);
	pace_jw_count(w, "runs_abandoned", t->abandoned);
	pace_tally_put(&received, &t->tally);
	pace_jw_put(w, "received", received.o);
	pace_jw_count(&lost, "rx_socket", t->lost_socket);
	pace_jw_count(&lost, "rx_late", t->lost_late);
	pace_jw_count(&lost, "elsewhere", t->lost_elsewhere);
	pace_jw_put(w, "lost_of_ended_streams", lost.o);
	pace_jw_count(w, "events_lost", t->events_lost);
}

struct pace_totals
pace_totals_since(const struct pace_totals *now, const struct pace_totals *then)
{
	struct pace_totals t = *now;
	char *to = (char *)&t.at_port;

	for (size_t i = 0; i < pace_port_counts_n; i++) {
		uint64_t n = pace_port_count(&now->at_port, i) -
		    pace_port_count(&then->at_port, i);

		memcpy(to + pace_port_counts[i].at, &n, sizeof(n));
	}
	for (int i = 0; i < PACE_REFUSED_KINDS; i++)
		t.refused[i] -= then->refused[i];
	t.opened -= then->opened;
	t.closed -= then->closed;
	t.streams -= then->streams;
	t.round_trips -= then->round_trips;
	t.complete -= then->complete;
	t.abandoned -= then->abandoned;
	t.tally = pace_tally_since(&now->tally, &then->tally);
	t.lost_socket -= then->lost_socket;
	t.lost_late -= then->lost_late;
	t.lost_elsewhere -= then->lost_elsewhere;
	t.events_lost -= then->events_lost;
	t.started_ns = then->now_ns;
	return t;
}

/* --- a session --- */

void
pace_run_put(struct pace_jw *w, const struct pace_view_run *r)
{
	pace_jw_count(w, "run", r->number);
	pace_jw_text(w, "kind", r->pings ? "round_trips" : "stream");
	pace_jw_text(w, "direction", r->pings ? "both" : "to_responder");
	pace_jw_count(w, "size_bytes", r->size_bytes);
	if (r->pings) {
		pace_jw_count(w, "reply_bytes", r->reply_bytes);
	} else {
		pace_jw_count(w, "wire_bytes", r->wire_bytes);
		pace_jw_count(w, "spacing_ns", (uint64_t)r->spacing_ns);
		pace_jw_count(w, "train", r->train);
		pace_jw_count(w, "bursts", r->bursts);
		pace_jw_put(w, "frames_asked", pace_js_known(r->frames_asked));
		pace_jw_put(w, "duration_asked_ns", pace_js_known((uint64_t)r->duration_asked_ns));
		pace_jw_count(w, "records", r->records);
		pace_jw_bool(w, "verify", r->verify);
	}
	pace_jw_bool(w, "busy_poll", r->busy_poll);
	pace_jw_count(w, "at_most_ns", (uint64_t)r->at_most_ns);
}

/* What was added between two copies of the sums of one run. */
static json_t *
gaps(const struct pace_stats *now, const struct pace_stats *then, const struct pace_recent *r)
{
	struct pace_jw w = pace_jw_begin();
	struct pace_stats_part part = pace_stats_since(now, then);

	if (part.n == 0) {
		json_decref(w.o);
		return json_null();
	}
	pace_jw_count(&w, "count", part.n);
	pace_jw_real(&w, "mean", part.mean);
	pace_jw_real(&w, "stddev", part.stddev);
	pace_jw_put(&w, "min", r->gap_min_ns <= r->gap_max_ns ? json_integer(r->gap_min_ns) :
	    json_null());
	pace_jw_put(&w, "max", r->gap_min_ns <= r->gap_max_ns ? json_integer(r->gap_max_ns) :
	    json_null());
	return w.o;
}

static json_t *
delays(const struct pace_recent *r)
{
	struct pace_jw w;

	if (r->samples == 0)
		return json_null();
	w = pace_jw_begin();
	pace_jw_count(&w, "samples", r->samples);
	put_int(&w, "min", r->above_min_ns);
	pace_jw_real(&w, "mean", (double)r->above_sum_ns / (double)r->samples);
	put_int(&w, "max", r->above_max_ns);
	return w.o;
}

static json_t *
tally(const struct pace_tally *t)
{
	struct pace_jw w = pace_jw_begin();

	pace_tally_put(&w, t);
	return w.o;
}

static json_t *
interval(const struct pace_seen *s, int64_t ns)
{
	static const struct pace_stats none;
	static const struct pace_tally zero;
	bool known = s->then.number == s->now.number;
	bool same_run = known && s->then.run.number == s->now.run.number;
	struct pace_tally t = pace_tally_since(&s->now.all, known ? &s->then.all : &zero);
	struct pace_jw w = pace_jw_begin();

	pace_tally_put(&w, &t);
	pace_jw_real(&w, "user_rate_bps", pace_rate_bps(t.bytes, ns));
	pace_jw_real(&w, "wire_rate_bps", pace_rate_bps(t.wire_bytes, ns));
	pace_jw_put(&w, "gap_ns", gaps(&s->now.gaps, same_run ? &s->then.gaps : &none, &s->recent));
	pace_jw_put(&w, "delay_above_min_ns", delays(&s->recent));
	return w.o;
}

/* {"below": 0, "bins": [[low, high, count], ...]} */
static json_t *
list_json(const struct pace_coarse_list *l)
{
	struct pace_jw w;
	json_t *bins;

	if (l == NULL || pace_coarse_count(l) == 0)
		return json_null();
	w = pace_jw_begin();
	bins = json_array();
	for (uint32_t i = 0; i < l->n; i++)
		bins = pace_js_append(bins, json_pack("[III]", (json_int_t)l->bin[i].low,
		    (json_int_t)l->bin[i].high, (json_int_t)l->bin[i].count));
	pace_jw_count(&w, "below", l->below);
	pace_jw_put(&w, "bins", bins);
	return w.o;
}

static json_t *
shape(const struct pace_coarse *s)
{
	struct pace_coarse_list l;

	pace_coarse_list(s, &l);
	return list_json(&l);
}

static json_t *
gaps_of_run(const struct pace_stats *g)
{
	struct pace_jw w;

	if (g->n == 0)
		return json_null();
	w = pace_jw_begin();
	pace_jw_count(&w, "count", g->n);
	pace_jw_real(&w, "mean", pace_stats_mean(g));
	pace_jw_real(&w, "stddev", pace_stats_stddev(g));
	put_int(&w, "min", g->min);
	put_int(&w, "max", g->max);
	return w.o;
}

/* Of a stream. */
static void
put_shapes(struct pace_jw *w, const struct pace_seen *s)
{
	const struct pace_view *v = &s->now;
	bool known = s->shapes != NULL && s->shapes->number == v->number &&
	    s->shapes->run == v->run.number;

	pace_jw_put(w, "gap_ns", gaps_of_run(&v->gaps));
	pace_jw_put(w, "gap_histogram_ns", known ? shape(&s->shapes->gap) :
	    list_json(s->gap));
	pace_jw_put(w, "delay_above_min_histogram_ns", known ? shape(&s->shapes->delay) :
	    list_json(s->delay));
}

static json_t *
run_of(const struct pace_seen *s, int64_t now_ns)
{
	const struct pace_view *v = &s->now;
	int64_t until_ns = v->run.ended_ns != 0 ? v->run.ended_ns : now_ns;
	struct pace_jw w;

	if (v->run.number == 0)
		return json_null();
	w = pace_jw_begin();
	pace_run_put(&w, &v->run);
	pace_jw_bool(&w, "ended", v->run.ended_ns != 0);
	put_int(&w, "elapsed_ns", until_ns - v->run.began_ns);
	pace_jw_count(&w, "jitter_ns", (uint64_t)v->jitter_ns);
	if (!v->run.pings)
		put_shapes(&w, s);
	pace_jw_put(&w, "received", tally(&v->this_run));
	return w.o;
}

static json_t *
session_of(const struct pace_seen *s, const struct pace_status *st)
{
	const struct pace_view *v = &s->now;
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "session", v->number);
	pace_jw_text(&w, "peer", s->peer);
	pace_jw_count(&w, "peer_port", v->peer.port);
	pace_jw_text(&w, "label", v->label);
	pace_jw_text(&w, "key", v->key);
	pace_jw_text(&w, "state", pace_state_name((enum pace_session_state)v->state));
	put_int(&w, "age_ns", st->now.now_ns - v->opened_ns);
	put_int(&w, "silent_ns", st->now.now_ns - v->heard_ns);
	pace_jw_bool(&w, "lease", v->leased);
	pace_jw_put(&w, "rcvbuf_bytes", pace_js_known(v->rcvbuf_bytes));
	pace_jw_count(&w, "runs", v->runs);
	pace_jw_put(&w, "run", run_of(s, st->now.now_ns));
	pace_jw_put(&w, "received", tally(&v->all));
	pace_jw_put(&w, "interval", st->interval_ns > 0 ? interval(s, st->interval_ns) :
	    json_null());
	if (s->probe != NULL)
		pace_jw_put(&w, "probe", json_incref(s->probe));
	return w.o;
}

/* --- lines --- */

static json_t *
totals(const struct pace_totals *t)
{
	struct pace_jw w = pace_jw_begin();

	pace_totals_put(&w, t);
	return w.o;
}

static json_t *
lease(const struct pace_totals *t)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_bool(&w, "held", t->lease_ns > 0);
	pace_jw_put(&w, "session", pace_js_known(t->lease_number));
	put_int(&w, "expires_ns", t->lease_ns);
	return w.o;
}

char *
pace_status_line(const struct pace_status *s)
{
	struct pace_totals new = pace_totals_since(&s->now, &s->then);
	struct pace_jw w = pace_jw_begin();
	json_t *list = json_array();
	char time[32];

	pace_jw_text(&w, "time", pace_event_time(s->wall_ns, time, sizeof(time)));
	pace_jw_put(&w, "interval_ns", pace_js_known((uint64_t)s->interval_ns));
	pace_jw_put(&w, "lease", lease(&s->now));
	pace_jw_put(&w, "totals", totals(&s->now));
	pace_jw_put(&w, "interval", s->interval_ns > 0 ? totals(&new) : json_null());
	pace_jw_put(&w, "counters", s->host != NULL ? pace_glance_put(s->host) :
	    s->sums != NULL ? pace_glance_told(s->sums) : json_null());
	for (size_t i = 0; i < s->n; i++)
		list = pace_js_append(list, session_of(&s->seen[i], s));
	pace_jw_put(&w, "sessions", list);
	return pace_status_text(&w);
}

char *
pace_status_first(const struct pace_status_head *h)
{
	struct pace_jw w = pace_jw_begin();
	char time[32];

	pace_jw_text(&w, "schema", PACE_STATUS_SCHEMA);
	pace_jw_text(&w, "version", PACKAGE_VERSION);
	pace_jw_text(&w, "host", h->host);
	pace_jw_count(&w, "pid", (uint64_t)getpid());
	pace_jw_text(&w, "started", pace_event_time(h->started_wall_ns, time, sizeof(time)));
	pace_jw_text(&w, "address", h->address);
	pace_jw_count(&w, "port", h->port);
	pace_jw_count(&w, "interval_ms", (uint64_t)(h->interval_ns / 1000000));
	return pace_status_text(&w);
}

char *
pace_status_error(const char *text)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "error", text);
	return pace_status_text(&w);
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
