#include "config.h"

#include "ops/caught.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/rates.h"
#include "ops/event.h"
#include "ops/status.h"

#define SUM	1		/* its session */

/* --- counts ----------------------------------------------------------------- */

static json_t *
count(const struct pace_tally *n, bool numbered)
{
	struct pace_jw w = pace_jw_begin();

	pace_tally_put_seen(&w, n, numbered);
	return w.o;
}

/* --- gaps ------------------------------------------------------------------- */

/* What was added between two copies of the sums; its extremes are not known. */
static json_t *
new_gaps(const struct pace_stats *now, const struct pace_stats *then)
{
	struct pace_stats_part part = pace_stats_since(now, then);
	struct pace_jw w;

	if (part.n == 0)
		return json_null();
	w = pace_jw_begin();
	pace_jw_count(&w, "count", part.n);
	pace_jw_real(&w, "mean", part.mean);
	pace_jw_real(&w, "stddev", part.stddev);
	pace_jw_put(&w, "min", json_null());
	pace_jw_put(&w, "max", json_null());
	return w.o;
}

static json_t *
all_gaps(const struct pace_stats *g)
{
	struct pace_jw w;

	if (g->n == 0)
		return json_null();
	w = pace_jw_begin();
	pace_jw_count(&w, "count", g->n);
	pace_jw_real(&w, "mean", pace_stats_mean(g));
	pace_jw_real(&w, "stddev", pace_stats_stddev(g));
	pace_jw_put(&w, "min", json_integer(g->min));
	pace_jw_put(&w, "max", json_integer(g->max));
	return w.o;
}

static json_t *
distribution(const struct pace_coarse *c)
{
	struct pace_coarse_list l;
	json_t *bins;
	struct pace_jw w;

	pace_coarse_list(c, &l);
	if (pace_coarse_count(&l) == 0)
		return json_null();
	w = pace_jw_begin();
	bins = json_array();
	for (uint32_t i = 0; i < l.n; i++)
		bins = pace_js_append(bins, json_pack("[III]", (json_int_t)l.bin[i].low,
		    (json_int_t)l.bin[i].high, (json_int_t)l.bin[i].count));
	pace_jw_count(&w, "below", l.below);
	pace_jw_put(&w, "bins", bins);
	return w.o;
}

/* --- sessions --------------------------------------------------------------- */

/* A session, of the sum where s is NULL. */
struct session {
	const struct pace_caught_stream *s, *then;	/* then NULL: it was not there */
	const struct pace_caught *now;
	struct pace_tally n, added;
	bool		numbered;
	const char	*state;
	int64_t		age_ns, silent_ns, interval_ns;
};

static int64_t
not_below_0(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

static json_t *
run_of(const struct session *t)
{
	const struct pace_caught_stream *s = t->s;
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "run", 1);
	pace_jw_text(&w, "kind", "stream");
	pace_jw_text(&w, "direction", "seen");
	pace_jw_count(&w, "size_bytes", s != NULL ? s->size_bytes : 0);
	pace_jw_put(&w, "wire_bytes", s != NULL ? pace_js_known(s->wire_bytes) : json_null());
	pace_jw_put(&w, "spacing_ns", json_null());
	pace_jw_bool(&w, "ended", t->now->over || (s != NULL && s->ended));
	pace_jw_count(&w, "elapsed_ns", (uint64_t)t->age_ns);
	pace_jw_put(&w, "jitter_ns", s != NULL && s->has_jitter ? json_integer(s->jitter_ns) :
	    json_null());
	pace_jw_put(&w, "gap_ns", s != NULL ? all_gaps(&s->gaps) : json_null());
	pace_jw_put(&w, "gap_histogram_ns", s != NULL ? distribution(&s->gap) : json_null());
	pace_jw_put(&w, "delay_above_min_histogram_ns", json_null());
	pace_jw_put(&w, "received", count(&t->n, t->numbered));
	return w.o;
}

static json_t *
interval_of(const struct session *t)
{
	static const struct pace_stats none;
	struct pace_jw w = pace_jw_begin();

	pace_tally_put_seen(&w, &t->added, t->numbered);
	pace_jw_real(&w, "user_rate_bps", pace_rate_bps(t->added.bytes, t->interval_ns));
	pace_jw_real(&w, "wire_rate_bps", pace_rate_bps(t->added.wire_bytes, t->interval_ns));
	pace_jw_put(&w, "gap_ns", t->s == NULL ? json_null() :
	    new_gaps(&t->s->gaps, t->then != NULL ? &t->then->gaps : &none));
	pace_jw_put(&w, "delay_above_min_ns", json_null());
	return w.o;
}

static json_t *
flow_of(const struct pace_caught_stream *s)
{
	struct pace_jw w;
	char id[24];

	if (s == NULL)
		return json_null();
	w = pace_jw_begin();
	snprintf(id, sizeof(id), "%" PRIu64, s->stream);
	pace_jw_text(&w, "source", s->source);
	pace_jw_count(&w, "source_port", s->source_port);
	pace_jw_text(&w, "destination", s->destination);
	pace_jw_count(&w, "destination_port", s->destination_port);
	pace_jw_text(&w, "format", s->format);
	pace_jw_text(&w, "stream", id);
	pace_jw_count(&w, "streams", s->streams);
	pace_jw_bool(&w, "numbered", s->numbered);
	pace_jw_count(&w, "dscp", s->dscp);
	pace_jw_put(&w, "vlan", pace_js_known(s->vlan));
	pace_jw_count(&w, "restarts", s->restarts);
	return w.o;
}

static json_t *
session(const struct session *t)
{
	const struct pace_caught_stream *s = t->s;
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "session", s != NULL ? s->number : SUM);
	pace_jw_text(&w, "peer", s != NULL ? s->source : "");
	pace_jw_put(&w, "peer_port", s != NULL ? json_integer(s->source_port) : json_null());
	pace_jw_text(&w, "label", s != NULL ? "" : "all flows");
	pace_jw_text(&w, "key", "");
	pace_jw_text(&w, "state", t->state);
	pace_jw_count(&w, "age_ns", (uint64_t)t->age_ns);
	pace_jw_count(&w, "silent_ns", (uint64_t)t->silent_ns);
	pace_jw_bool(&w, "lease", false);
	pace_jw_put(&w, "rcvbuf_bytes", json_null());
	pace_jw_count(&w, "runs", 1);
	pace_jw_put(&w, "run", run_of(t));
	pace_jw_put(&w, "flow", flow_of(s));
	pace_jw_put(&w, "received", count(&t->n, t->numbered));
	pace_jw_put(&w, "interval", t->interval_ns > 0 ? interval_of(t) : json_null());
	return w.o;
}

static json_t *
sum(const struct pace_caught *now, const struct pace_caught *then, int64_t began_ns)
{
	const struct session t = { .now = now, .n = now->n, .added = pace_tally_since(&now->n, &then->n),
	    .numbered = true, .state = now->over ? "ready" : "running",
	    .age_ns = not_below_0(now->at_ns - began_ns), .interval_ns = now->at_ns - then->at_ns };

	return session(&t);
}

static json_t *
stream(const struct pace_caught *now, const struct pace_caught *then, int i)
{
	static const struct pace_tally none;
	const struct pace_caught_stream *s = &now->stream[i], *was = &then->stream[i];
	bool known = was->number == s->number;
	int64_t silent_ns = not_below_0(now->wall_ns - s->last_ns);
	const struct session t = { .s = s, .then = known ? was : NULL, .now = now, .n = s->n,
	    .added = pace_tally_since(&s->n, known ? &was->n : &none), .numbered = s->numbered,
	    .state = s->ended ? "closed" : now->over || silent_ns > PACE_CAUGHT_QUIET_NS ? "ready" :
	    "running", .age_ns = not_below_0(now->wall_ns - s->first_ns), .silent_ns = silent_ns,
	    .interval_ns = now->at_ns - then->at_ns };

	return session(&t);
}

/* --- lines ------------------------------------------------------------------ */

static json_t *
capture(const struct pace_caught *now, const struct pace_caught *then)
{
	struct pace_jw w = pace_jw_begin();
	uint64_t dropped = now->dropped + now->interface_dropped;
	uint64_t before = then->dropped + then->interface_dropped;

	pace_jw_bool(&w, "over", now->over);
	pace_jw_count(&w, "frames", now->frames);
	pace_jw_count(&w, "bytes", now->bytes);
	pace_jw_count(&w, "udp", now->udp);
	pace_jw_count(&w, "flows", now->flows);
	pace_jw_count(&w, "streams", now->streams);
	pace_jw_count(&w, "streams_not_told", now->untold);
	pace_jw_count(&w, "frames_not_followed", now->unfollowed);
	pace_jw_put(&w, "dropped", now->has_drops ? pace_js_count(now->dropped) : json_null());
	pace_jw_put(&w, "interface_dropped", now->has_drops ?
	    pace_js_count(now->interface_dropped) : json_null());
	pace_jw_put(&w, "interval_dropped", now->has_drops ?
	    pace_js_count(dropped > before ? dropped - before : 0) : json_null());
	return w.o;
}

static json_t *
totals(const struct pace_caught *now, int64_t began_ns)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "uptime_ns", (uint64_t)not_below_0(now->at_ns - began_ns));
	pace_jw_count(&w, "sessions_active", now->streams);
	pace_jw_put(&w, "received", count(&now->n, true));
	return w.o;
}

char *
pace_caught_line(const struct pace_caught *now, const struct pace_caught *then, int64_t began_ns,
    const struct pace_glance *host)
{
	struct pace_jw w = pace_jw_begin();
	json_t *list = pace_js_append(json_array(), sum(now, then, began_ns));
	char time[32];

	for (int i = 0; i < PACE_CAUGHT_STREAMS; i++)
		if (now->stream[i].number != 0)
			list = pace_js_append(list, stream(now, then, i));
	pace_jw_text(&w, "time", pace_event_time(now->wall_ns, time, sizeof(time)));
	pace_jw_put(&w, "interval_ns", pace_js_known((uint64_t)not_below_0(now->at_ns - then->at_ns)));
	pace_jw_put(&w, "capture", capture(now, then));
	pace_jw_put(&w, "totals", totals(now, began_ns));
	pace_jw_put(&w, "counters", host != NULL ? pace_glance_put(host) : json_null());
	pace_jw_put(&w, "sessions", list);
	return pace_status_text(&w);
}

char *
pace_caught_first(const struct pace_caught_head *h)
{
	struct pace_jw w = pace_jw_begin();
	char time[32];

	pace_jw_text(&w, "schema", PACE_STATUS_SCHEMA);
	pace_jw_text(&w, "kind", "capture");
	pace_jw_text(&w, "version", PACKAGE_VERSION);
	pace_jw_text(&w, "host", h->host);
	pace_jw_count(&w, "pid", (uint64_t)getpid());
	pace_jw_text(&w, "started", pace_event_time(h->started_wall_ns, time, sizeof(time)));
	pace_jw_text(&w, "interface", h->interface);
	pace_jw_text(&w, "filter", h->filter);
	pace_jw_text(&w, "address", "");
	pace_jw_count(&w, "port", 0);
	pace_jw_count(&w, "interval_ms", (uint64_t)(h->interval_ns / 1000000));
	return pace_status_text(&w);
}
