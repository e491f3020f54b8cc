/* What goes on, as a line of udpace-status/1. */
#include "config.h"

#include "live/status.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/rates.h"
#include "doc/tally_doc.h"
#include "doc/utc.h"

#define FLAGS	(JSON_COMPACT | JSON_ENSURE_ASCII | PACE_JS_REAL)

/* As a line; what it was built in is released. */
static char *
text_of(struct pace_jw *w)
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

/* --- parts ------------------------------------------------------------------ */

static void
put_int(struct pace_jw *w, const char *key, int64_t v)
{
	pace_jw_put(w, key, json_integer(v));
}

static void
put_tally(struct pace_jw *w, const struct pace_tally *t, const struct pace_flow_status *f)
{
	if (f->known)
		pace_tally_put_seen(w, t, f->numbered);
	else
		pace_tally_put(w, t);
}

static json_t *
tally(const struct pace_tally *t, const struct pace_flow_status *f)
{
	struct pace_jw w = pace_jw_begin();

	put_tally(&w, t, f);
	return w.o;
}

static json_t *
gaps(const struct pace_moments *m)
{
	struct pace_jw w;

	if (m->n == 0)
		return json_null();
	w = pace_jw_begin();
	pace_jw_count(&w, "count", m->n);
	pace_jw_real(&w, "mean", m->mean);
	pace_jw_real(&w, "stddev", m->stddev);
	pace_jw_put(&w, "min", m->has_extremes ? json_integer(m->min) : json_null());
	pace_jw_put(&w, "max", m->has_extremes ? json_integer(m->max) : json_null());
	return w.o;
}

static json_t *
delays(const struct pace_moments *m, const char *count)
{
	struct pace_jw w;

	if (m->n == 0)
		return json_null();
	w = pace_jw_begin();
	pace_jw_count(&w, count, m->n);
	put_int(&w, "min", m->min);
	pace_jw_real(&w, "mean", m->mean);
	put_int(&w, "max", m->max);
	return w.o;
}

/* {"below": 0, "bins": [[low, high, count], ...]} */
static json_t *
distribution(const struct pace_coarse_hist_list *l)
{
	struct pace_jw w;
	json_t *bins;

	if (pace_coarse_hist_count(l) == 0)
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

/* --- a session --------------------------------------------------------------- */

void
pace_run_put(struct pace_jw *w, const struct pace_run_stats *r)
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

/* Of a stream that passes by. */
static void
put_seen_run(struct pace_jw *w, const struct pace_run_stats *r)
{
	pace_jw_count(w, "run", r->number);
	pace_jw_text(w, "kind", "stream");
	pace_jw_text(w, "direction", "seen");
	pace_jw_count(w, "size_bytes", r->size_bytes);
	pace_jw_put(w, "wire_bytes", pace_js_known(r->wire_bytes));
	pace_jw_put(w, "spacing_ns", json_null());
}

static json_t *
run_of(const struct pace_status_session *s)
{
	const struct pace_session_status *v = &s->now;
	struct pace_jw w;

	if (v->run.number == 0)
		return json_null();
	w = pace_jw_begin();
	if (v->flow.known)
		put_seen_run(&w, &v->run);
	else
		pace_run_put(&w, &v->run);
	pace_jw_bool(&w, "ended", v->ended);
	put_int(&w, "elapsed_ns", v->elapsed_ns);
	pace_jw_put(&w, "jitter_ns", v->jitter_ns >= 0 ? json_integer(v->jitter_ns) : json_null());
	if (!v->run.pings) {
		pace_jw_put(&w, "gap_ns", gaps(&v->gaps));
		pace_jw_put(&w, "gap_histogram_ns", distribution(&s->dist[PACE_DIST_GAP]));
		pace_jw_put(&w, "delay_above_min_histogram_ns", distribution(&s->dist[PACE_DIST_DELAY]));
	}
	pace_jw_put(&w, "received", tally(&v->this_run, &v->flow));
	return w.o;
}

static json_t *
interval(const struct pace_status_session *s, int64_t ns)
{
	const struct pace_interval *i = &s->interval;
	struct pace_jw w;

	if (!s->has_interval)
		return json_null();
	w = pace_jw_begin();
	put_tally(&w, &i->n, &s->now.flow);
	pace_jw_real(&w, "user_rate_bps", pace_rate_bps(i->n.bytes, ns));
	pace_jw_real(&w, "wire_rate_bps", pace_rate_bps(i->n.wire_bytes, ns));
	pace_jw_put(&w, "gap_ns", gaps(&i->gaps));
	pace_jw_put(&w, "delay_above_min_ns", delays(&i->above, "samples"));
	return w.o;
}

static json_t *
flow_of(const struct pace_flow_status *f)
{
	struct pace_jw w;

	if (f->sum)
		return json_null();
	w = pace_jw_begin();
	pace_jw_text(&w, "source", f->source);
	pace_jw_count(&w, "source_port", f->source_port);
	pace_jw_text(&w, "destination", f->destination);
	pace_jw_count(&w, "destination_port", f->destination_port);
	pace_jw_text(&w, "format", f->format);
	pace_jw_text(&w, "stream", f->stream);
	pace_jw_count(&w, "streams", f->streams);
	pace_jw_bool(&w, "numbered", f->numbered);
	pace_jw_count(&w, "dscp", f->dscp);
	pace_jw_put(&w, "vlan", pace_js_known(f->vlan));
	pace_jw_count(&w, "restarts", f->restarts);
	return w.o;
}

static json_t *
leaving(const struct pace_probe_status *p)
{
	struct pace_jw w;

	if (p->leaving.n == 0)
		return json_null();
	w = pace_jw_begin();
	pace_jw_count(&w, "count", p->leaving.n);
	pace_jw_real(&w, "mean", p->leaving.mean);
	pace_jw_real(&w, "stddev", p->leaving.stddev);
	pace_jw_count(&w, "near_frames", p->near);
	return w.o;
}

static json_t *
probe_of(const struct pace_probe_status *p)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "sent", p->sent);
	pace_jw_count(&w, "refused", p->refused);
	pace_jw_count(&w, "interval_sent", p->interval_sent);
	pace_jw_put(&w, "spacing_ns", leaving(p));
	pace_jw_count(&w, "late_frames", p->late);
	pace_jw_count(&w, "round_trips_asked", p->asked);
	pace_jw_put(&w, "round_trip_ns", delays(&p->way[PACE_WAY_BOTH], "count"));
	pace_jw_put(&w, "there_ns", delays(&p->way[PACE_WAY_THERE], "count"));
	pace_jw_put(&w, "back_ns", delays(&p->way[PACE_WAY_BACK], "count"));
	pace_jw_put(&w, "clock_bound_ns", p->has_bound ? pace_js_real(p->bound_ns) : json_null());
	pace_jw_real(&w, "monitor_core", p->core);
	return w.o;
}

static json_t *
session_of(const struct pace_status_session *s, int64_t interval_ns)
{
	const struct pace_session_status *v = &s->now;
	const struct pace_flow_status *f = &v->flow;
	bool stream = f->known && !f->sum;
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "session", v->number);
	pace_jw_text(&w, "peer", v->peer);
	pace_jw_put(&w, "peer_port", f->sum ? json_null() : json_integer(v->peer_port));
	pace_jw_text(&w, "label", stream ? "" : v->label);
	pace_jw_text(&w, "key", v->key);
	pace_jw_text(&w, "state", pace_state_name(v->state));
	put_int(&w, "age_ns", v->age_ns);
	put_int(&w, "silent_ns", v->silent_ns);
	pace_jw_bool(&w, "lease", v->lease);
	pace_jw_put(&w, "rcvbuf_bytes", pace_js_known(v->rcvbuf_bytes));
	pace_jw_count(&w, "runs", v->runs);
	pace_jw_put(&w, "run", run_of(s));
	if (f->known)
		pace_jw_put(&w, "flow", flow_of(f));
	pace_jw_put(&w, "received", tally(&v->all, f));
	pace_jw_put(&w, "interval", interval(s, interval_ns));
	if (v->probe.known)
		pace_jw_put(&w, "probe", probe_of(&v->probe));
	return w.o;
}

/* --- lines ------------------------------------------------------------------- */

static json_t *
lease(const struct pace_totals *t)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_bool(&w, "held", t->lease_ns > 0);
	pace_jw_put(&w, "session", pace_js_known(t->lease_number));
	put_int(&w, "expires_ns", t->lease_ns);
	return w.o;
}

static json_t *
totals(const struct pace_totals *t)
{
	struct pace_jw w = pace_jw_begin();

	pace_totals_put(&w, t);
	return w.o;
}

static void
put_responder(struct pace_jw *w, const struct pace_status *s)
{
	pace_jw_put(w, "lease", lease(&s->totals));
	pace_jw_put(w, "totals", totals(&s->totals));
	pace_jw_put(w, "interval", s->interval_ns > 0 ? totals(&s->added) : json_null());
}

static json_t *
drops(const struct pace_capture_status *c, uint64_t n)
{
	return c->has_drops ? pace_js_count(n) : json_null();
}

static void
put_capture(struct pace_jw *to, const struct pace_status *s)
{
	static const struct pace_flow_status all = { .known = true, .numbered = true };
	const struct pace_capture_status *c = &s->capture;
	struct pace_jw w = pace_jw_begin(), t = pace_jw_begin();

	pace_jw_bool(&w, "over", c->over);
	pace_jw_count(&w, "frames", c->frames);
	pace_jw_count(&w, "bytes", c->bytes);
	pace_jw_count(&w, "udp", c->udp);
	pace_jw_count(&w, "flows", c->flows);
	pace_jw_count(&w, "streams", c->streams);
	pace_jw_count(&w, "streams_not_told", c->untold);
	pace_jw_count(&w, "frames_not_followed", c->unfollowed);
	pace_jw_put(&w, "dropped", drops(c, c->dropped));
	pace_jw_put(&w, "interface_dropped", drops(c, c->interface_dropped));
	pace_jw_put(&w, "interval_dropped", drops(c, c->just_dropped));
	pace_jw_put(to, "capture", w.o);
	pace_jw_count(&t, "uptime_ns", (uint64_t)(s->totals.now_ns - s->totals.started_ns));
	pace_jw_count(&t, "sessions_active", s->totals.active);
	pace_jw_put(&t, "received", tally(&s->totals.tally, &all));
	pace_jw_put(to, "totals", t.o);
}

char *
pace_status_line(const struct pace_status *s)
{
	struct pace_jw w = pace_jw_begin();
	json_t *list = json_array();
	char time[32];

	pace_jw_text(&w, "time", pace_utc_text(s->wall_ns, time, sizeof(time)));
	pace_jw_put(&w, "interval_ns", pace_js_known((uint64_t)s->interval_ns));
	if (s->capture.known)
		put_capture(&w, s);
	else
		put_responder(&w, s);
	pace_jw_put(&w, "counters", pace_host_json(&s->host));
	for (size_t i = 0; i < s->n; i++)
		list = pace_js_append(list, session_of(&s->session[i], s->interval_ns));
	pace_jw_put(&w, "sessions", list);
	return text_of(&w);
}

char *
pace_status_first(const struct pace_status_head *h)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "schema", PACE_STATUS_SCHEMA);
	if (h->capture)
		pace_jw_text(&w, "kind", "capture");
	pace_jw_text(&w, "version", h->version);
	pace_jw_text(&w, "host", h->host);
	pace_jw_count(&w, "pid", (uint64_t)getpid());
	pace_jw_text(&w, "started", h->started);
	if (h->capture) {
		pace_jw_text(&w, "interface", h->interface);
		pace_jw_text(&w, "filter", h->filter);
	}
	pace_jw_text(&w, "address", h->address);
	pace_jw_count(&w, "port", h->port);
	pace_jw_count(&w, "interval_ms", (uint64_t)(h->interval_ns / 1000000));
	return text_of(&w);
}

char *
pace_status_error(const char *text)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "error", text);
	return text_of(&w);
}

