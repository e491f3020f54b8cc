#include "doc/latency_doc.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/wire.h"
#include "doc/hist_doc.h"
#include "doc/js.h"
#include "doc/point_doc.h"

#define OPEN_LOOP	"open-loop"
#define PING_PONG	"ping-pong"

static void
put_ask(struct pace_jw *w, const struct pace_latency_ask *a)
{
	pace_jw_count(w, "size_bytes", a->size_bytes);
	pace_jw_count(w, "reply_bytes", a->reply_bytes);
	pace_jw_count(w, "count", a->count);
	pace_jw_text(w, "mode", a->interval_ns > 0 ? OPEN_LOOP : PING_PONG);
	if (a->interval_ns > 0)
		pace_jw_put(w, "interval_ns", json_integer(a->interval_ns));
	pace_jw_put(w, "timeout_ns", json_integer(a->timeout_ns));
	pace_jw_bool(w, "busy_poll", a->busy_poll);
}

/* No duration of nothing, nor of a clock that went backwards. */
static void
put_counts(struct pace_jw *w, const struct pace_latency *p)
{
	pace_jw_count(w, "sent", p->sent);
	pace_jw_count(w, "refused", p->refused);
	if (p->refused_errno != 0)
		pace_jw_put(w, "refused_errno", json_integer(p->refused_errno));
	pace_jw_count(w, "received", p->received);
	pace_jw_count(w, "timeouts", p->timeouts);
	pace_jw_count(w, "late_replies", p->late_replies);
	pace_jw_count(w, "duplicates", p->duplicates);
	pace_jw_count(w, "foreign", p->foreign);
	pace_jw_count(w, "late_requests", p->late_requests);
	pace_jw_put(w, "duration_ns", p->sent > 0 && p->duration_ns >= 0 ?
	    json_integer(p->duration_ns) : json_null());
	pace_jw_put(w, "stalls", pace_stalls_to_json(&p->stalls));
	pace_jw_count(w, "unstamped", p->unstamped);
}

static json_t *
rtt_to_json(const struct pace_latency *p)
{
	struct pace_jw w = { .o = pace_hist_to_json(&p->rtt, "ns") };

	if (p->lens.bins > 0)
		pace_jw_put(&w, "linear", pace_lens_to_json(&p->lens));
	return w.o;
}

json_t *
pace_latency_to_json(const struct pace_latency *p)
{
	struct pace_jw w = pace_jw_begin();

	put_ask(&w, &p->ask);
	pace_jw_text(&w, "verdict", pace_verdict_name(p->verdict));
	pace_jw_bool(&w, "interrupted", p->interrupted);
	if (p->started[0] != '\0')
		pace_jw_text(&w, "started", p->started);
	put_counts(&w, p);
	pace_jw_put(&w, "rtt_ns", rtt_to_json(p));
	pace_jw_put(&w, "rtt_kernel_ns", pace_hist_to_json(&p->kernel, "ns"));
	pace_jw_put(&w, "rtt_network_ns", pace_hist_to_json(&p->network, "ns"));
	pace_jw_put(&w, "residence_ns", pace_hist_to_json(&p->residence, "ns"));
	pace_jw_put(&w, "notes", pace_notes_to_json(&p->notes));
	return w.o;
}

static int64_t
read_interval(struct pace_jr *j)
{
	char mode[16];

	pace_jr_text(j, "mode", mode, sizeof(mode));
	if (strcmp(mode, OPEN_LOOP) == 0)
		return pace_jr_int(j, "interval_ns", 1, PACE_JS_MAX);
	if (strcmp(mode, PING_PONG) != 0 || json_object_get(j->o, "interval_ns") != NULL)
		j->bad = true;
	return 0;
}

static void
read_ask(struct pace_latency_ask *a, struct pace_jr *j)
{
	a->size_bytes = (uint32_t)pace_jr_int(j, "size_bytes", PACE_PING_SIZE, PACE_FRAME_MAX);
	a->reply_bytes = (uint32_t)pace_jr_int(j, "reply_bytes", PACE_PING_SIZE, PACE_FRAME_MAX);
	a->count = pace_jr_count(j, "count");
	a->interval_ns = read_interval(j);
	a->timeout_ns = pace_jr_int(j, "timeout_ns", 1, PACE_JS_MAX);
	a->busy_poll = pace_jr_bool(j, "busy_poll");
}

static int64_t
read_duration(struct pace_jr *j, uint64_t sent)
{
	if (json_is_null(pace_jr_get(j, "duration_ns")))
		return 0;
	j->bad |= sent == 0;
	return pace_jr_int(j, "duration_ns", 0, PACE_JS_MAX);
}

static void
read_counts(struct pace_latency *p, struct pace_jr *j)
{
	p->sent = pace_jr_count(j, "sent");
	p->refused = pace_jr_count(j, "refused");
	if (pace_jr_has(j, "refused_errno"))
		p->refused_errno = (int)pace_jr_int(j, "refused_errno", 1, 4095);
	p->received = pace_jr_count(j, "received");
	p->timeouts = pace_jr_count(j, "timeouts");
	p->late_replies = pace_jr_count(j, "late_replies");
	p->duplicates = pace_jr_count(j, "duplicates");
	p->foreign = pace_jr_count(j, "foreign");
	p->late_requests = pace_jr_count(j, "late_requests");
	p->duration_ns = read_duration(j, p->sent);
	pace_stalls_from_json(&p->stalls, j);
	p->unstamped = pace_jr_count(j, "unstamped");
}

static bool
read_hist(struct pace_hist *h, const json_t *o, const char *key)
{
	return pace_hist_from_json(h, json_object_get(o, key), "ns") == 0;
}

static bool
read_lens(struct pace_latency *p, const json_t *o)
{
	const json_t *linear = json_object_get(json_object_get(o, "rtt_ns"), "linear");

	if (linear == NULL)
		return true;
	if (pace_lens_from_json(&p->lens, linear) != 0)
		return false;
	p->ask.lens.low = p->lens.low;
	p->ask.lens.width = p->lens.width;
	p->ask.lens.bins = p->lens.bins;
	return true;
}

int
pace_latency_from_json(struct pace_latency *p, const json_t *o)
{
	struct pace_jr j = { .o = o };

	memset(p, 0, sizeof(*p));
	p->lens.count = p->lens_count;
	read_ask(&p->ask, &j);
	p->verdict = pace_verdict_from_json(&j);
	if (p->verdict == PACE_TRAIN)
		j.bad = true;
	p->interrupted = pace_jr_bool(&j, "interrupted");
	pace_jr_text_or_empty(&j, "started", p->started, sizeof(p->started));
	read_counts(p, &j);
	if (j.bad || !read_hist(&p->rtt, o, "rtt_ns") || !read_lens(p, o) ||
	    !read_hist(&p->kernel, o, "rtt_kernel_ns") ||
	    !read_hist(&p->network, o, "rtt_network_ns") ||
	    !read_hist(&p->residence, o, "residence_ns") ||
	    pace_notes_from_json(&p->notes, json_object_get(o, "notes")) != 0)
		return -EPROTO;
	return pace_latency_broken(p) == NULL ? 0 : -EPROTO;
}

static void
put_line(struct pace_jw *w, const struct pace_linefit *l)
{
	bool line = l->has_line, errors = l->has_errors;

	pace_jw_real(w, "slope_ns_per_byte", line ? l->slope : NAN);
	pace_jw_real(w, "intercept_ns", line ? l->intercept : NAN);
	pace_jw_real(w, "slope_stderr", errors ? l->slope_stderr : NAN);
	pace_jw_real(w, "intercept_stderr", errors ? l->intercept_stderr : NAN);
	pace_jw_real(w, "r2", errors ? l->r2 : NAN);
	pace_jw_real(w, "worst_residual_ns", line ? l->worst : NAN);
	pace_jw_put(w, "worst_residual_bytes", line ?
	    json_integer((json_int_t)l->worst_x) : json_null());
}

json_t *
pace_latency_fits_to_json(const struct pace_latency_fits *f)
{
	struct pace_jw w = pace_jw_begin(), median = pace_jw_begin();

	pace_jw_count(&w, "points", f->min.n);
	put_line(&w, &f->min);
	put_line(&median, &f->median);
	pace_jw_put(&w, "median", median.o);
	if (f->expected_slope > 0)
		pace_jw_real(&w, "expected_slope_ns_per_byte", f->expected_slope);
	return w.o;
}

json_t *
pace_latency_residuals_to_json(const struct pace_linefit *f, const double *bytes,
    const double *ns, size_t n)
{
	json_t *all;

	if (!f->has_line)
		return json_null();
	all = json_array();
	for (size_t i = 0; i < n; i++) {
		json_t *pair = json_pack("[I, o]", (json_int_t)bytes[i],
		    pace_js_real(ns[i] - f->intercept - f->slope * bytes[i]));

		if (json_array_append_new(all, pair) == -1) {
			json_decref(all);
			return NULL;
		}
	}
	return all;
}
