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

/* --- a point --------------------------------------------------------------------------- */

#define L	struct pace_latency

static bool
has_interval(const void *s)
{
	return ((const L *)s)->ask.interval_ns > 0;
}

static void
put_mode(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_text(w, name, has_interval(s) ? OPEN_LOOP : PING_PONG);
}

static void
get_mode(struct pace_jr *j, const char *name, void *s)
{
	char mode[16];
	bool open;

	pace_jr_text(j, name, mode, sizeof(mode));
	open = strcmp(mode, OPEN_LOOP) == 0;
	if ((!open && strcmp(mode, PING_PONG) != 0) ||
	    open != (json_object_get(j->o, "interval_ns") != NULL))
		j->bad = true;
	if (open)
		((L *)s)->ask.interval_ns = pace_jr_int(j, "interval_ns", 1, PACE_JS_MAX);
}

/* No duration of nothing, nor of a clock that went backwards. */
static bool
is_timed(const void *s)
{
	const L *p = s;

	return p->sent > 0 && p->duration_ns >= 0;
}

static void
put_rtt(struct pace_jw *w, const char *name, const void *s)
{
	const L *p = s;
	struct pace_jw rtt = { .o = pace_hist_to_json(&p->rtt, "ns") };

	if (p->lens.bins > 0)
		pace_jw_put(&rtt, "linear", pace_linear_hist_to_json(&p->lens));
	pace_jw_put(w, name, rtt.o);
}

static void
get_rtt(struct pace_jr *j, const char *name, void *s)
{
	L *p = s;
	struct pace_jr rtt = { .o = pace_jr_get(j, name) };

	j->bad |= pace_hist_from_json(&p->rtt, rtt.o, "ns") != 0;
	if (json_object_get(rtt.o, "linear") == NULL)
		return;
	j->bad |= pace_linear_hist_from_json(&p->lens, pace_jr_get(&rtt, "linear")) != 0;
	p->ask.lens.low = p->lens.low;
	p->ask.lens.width = p->lens.width;
	p->ask.lens.bins = p->lens.bins;
}

static const struct pace_field point_rows[] = {
	{ "size_bytes", PACE_COUNT(L, ask.size_bytes), .low = PACE_PING_SIZE,
	    .high = PACE_FRAME_MAX },
	{ "reply_bytes", PACE_COUNT(L, ask.reply_bytes), .low = PACE_PING_SIZE,
	    .high = PACE_FRAME_MAX, .text = "UDP payload of requests and of replies." },
	{ "count", PACE_COUNT(L, ask.count), .text = "Requests asked for." },
	{ "mode", PACE_OWN(put_mode, get_mode), .type = "'enum': ['open-loop', 'ping-pong']",
	    .text = "\"open-loop\": one request every `interval_ns`; or \"ping-pong\": the next one "
	    "when the reply is there or timed out." },
	{ "interval_ns", PACE_INT(L, ask.interval_ns), .low = 1, .high = PACE_JS_MAX,
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_WRITTEN,
	    .text = "From request to request; absent of \"ping-pong\"." },
	{ "timeout_ns", PACE_INT(L, ask.timeout_ns), .low = 1, .high = PACE_JS_MAX,
	    .text = "How long a reply was waited for." },
	{ "busy_poll", PACE_BOOL(L, ask.busy_poll), .text = "Whether both ends spin." },
	{ "verdict", PACE_NAME(L, verdict, pace_verdict_names),
	    .type = "'enum': ['paced', 'degraded']" },
	{ "interrupted", PACE_BOOL(L, interrupted),
	    .text = "As above; the verdict is \"paced\" or \"degraded\"." },
	{ "started", PACE_TEXT(L, started), .when = PACE_F_OR_ABSENT, .type = PACE_TYPE_TIME,
	    .text = "When its first request was due, as above." },
	{ "sent", PACE_COUNT(L, sent) },
	{ "refused", PACE_COUNT(L, refused),
	    .text = "Requests that left, and those that the kernel refused." },
	{ "refused_errno", PACE_INT(L, refused_errno), .low = 1, .high = 4095,
	    .when = PACE_F_OR_ABSENT, .text = "Why, if any was." },
	{ "received", PACE_COUNT(L, received) },
	{ "timeouts", PACE_COUNT(L, timeouts),
	    .text = "Requests answered in time, and not; their sum is `sent`." },
	{ "late_replies", PACE_COUNT(L, late_replies),
	    .text = "Of those timed out, answered after all." },
	{ "duplicates", PACE_COUNT(L, duplicates) },
	{ "foreign", PACE_COUNT(L, foreign),
	    .text = "Replies that came again; datagrams that answered nothing, or with times that "
	    "cannot be true." },
	{ "late_requests", PACE_COUNT(L, late_requests),
	    .text = "Left more than an interval, and more than 10 \xc2\xb5s, late." },
	{ "duration_ns", PACE_NS(L, duration_ns), .when = PACE_F_OR_NULL, .given = is_timed,
	    .text = "From the first request to the last; null if none was sent." },
	{ "stalls", PACE_OBJECT(L, stalls, pace_stalls_fields),
	    .text = "Of the client while it waited, as in `tx`." },
	{ "unstamped", PACE_COUNT(L, unstamped),
	    .text = "Replies in time without a stamp of this host's kernel." },
	{ "rtt_ns", PACE_OWN(put_rtt, get_rtt), .type = PACE_TYPE_HIST,
	    .text = "Clock read before sending to clock read after the reply was taken, of all that "
	    "were `received`; with `linear`, the linear histogram, if one was asked for." },
	{ "rtt_kernel_ns", PACE_HIST(L, kernel, pace_unit_ns),
	    .text = "Between the kernel's stamps of these two." },
	{ "rtt_network_ns", PACE_HIST(L, network, pace_unit_ns),
	    .text = "The same without the residence (RFC 8762)." },
	{ "residence_ns", PACE_HIST(L, residence, pace_unit_ns),
	    .text = "Between the responder's kernel stamps. All but the first histogram have those whose "
	    "stamps are known." },
	{ "notes", PACE_NOTES_ROW(L, notes), .text = "As above." },
	{ .name = NULL },
};

const struct pace_fields pace_latency_fields = { .name = "latency_point", .row = point_rows,
    .text = "Request and reply; times are of the client.",
    .rules = "'if': { 'properties': { 'mode': { 'const': 'open-loop' } } }, "
    "'then': { 'required': ['interval_ns'] }, "
    "'else': { 'properties': { 'interval_ns': false } }" };

json_t *
pace_latency_to_json(const struct pace_latency *p)
{
	return pace_fields_to_json(&pace_latency_fields, p);
}

int
pace_latency_from_json(struct pace_latency *p, const json_t *o)
{
	struct pace_jr j = { .o = o };

	memset(p, 0, sizeof(*p));
	p->lens.count = p->lens_count;
	pace_fields_get(&j, &pace_latency_fields, p);
	return j.bad || p->verdict == PACE_TRAIN || pace_latency_broken(p) != NULL ? -EPROTO : 0;
}

/* --- the fit --------------------------------------------------------------------------- */

#define F	struct pace_linefit

static void
put_worst_size(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_put(w, name, json_integer((json_int_t)((const F *)s)->worst_x));
}

#define OF_LINE		.when = PACE_F_OR_NULL, PACE_F_IF(F, has_line)
#define OF_ERRORS	.when = PACE_F_OR_NULL, PACE_F_IF(F, has_errors)

static const struct pace_field line_rows[] = {
	{ "slope_ns_per_byte", PACE_REAL(F, slope), OF_LINE },
	{ "intercept_ns", PACE_REAL(F, intercept), OF_LINE,
	    .text = "Of the line; null below two sizes." },
	{ "slope_stderr", PACE_REAL(F, slope_stderr), OF_ERRORS, .flags = PACE_F_FROM_0 },
	{ "intercept_stderr", PACE_REAL(F, intercept_stderr), OF_ERRORS, .flags = PACE_F_FROM_0 },
	{ "r2", PACE_REAL(F, r2), OF_ERRORS, .high = 1, .text = "null below three sizes." },
	{ "worst_residual_ns", PACE_REAL(F, worst), OF_LINE },
	{ "worst_residual_bytes", PACE_OWN(put_worst_size, NULL), OF_LINE,
	    .type = "'type': ['integer', 'null'], 'minimum': 1",
	    .text = "The point furthest from it." },
	{ "residuals", .when = PACE_F_OR_ABSENT,	/* put later */
	    .type = "'type': ['array', 'null'], 'items': { 'type': 'array', "
	    "'items': { 'type': 'number' }, 'minItems': 2, 'maxItems': 2 }",
	    .text = "[size in bytes, ns above the line] of every size; null: no line." },
	{ .name = NULL },
};

static const struct pace_fields line_fields = { .name = "latency_line", .row = line_rows,
    .text = "Least squares; null: no two sizes, or for errors and r2 no three points." };

static const struct pace_field fit_rows[] = {
	{ "points", PACE_COUNT(struct pace_latency_fits, min.n), .text = "Those with replies." },
	{ "slope_ns_per_byte", PACE_PART(struct pace_latency_fits, min, line_fields) },
	{ "median", PACE_OBJECT(struct pace_latency_fits, median, line_fields),
	    .text = "The same of the medians." },
	{ "expected_slope_ns_per_byte", PACE_REAL(struct pace_latency_fits, expected_slope),
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_ABOVE_0,
	    .text = "That of the link rate given; absent if none was." },
	{ .name = NULL },
};

const struct pace_fields pace_latency_fit_fields = { .name = "latency_fit", .row = fit_rows,
    .text = "Round trip of the application against request size; minimum of each point with "
    "replies." };

json_t *
pace_latency_fits_to_json(const struct pace_latency_fits *f)
{
	return pace_fields_to_json(&pace_latency_fit_fields, f);
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
