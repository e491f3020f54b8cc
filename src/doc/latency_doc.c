#include "doc/latency_doc.h"

#include <errno.h>
#include <string.h>

#include "core/wire.h"
#include "doc/clock_doc.h"
#include "doc/js.h"
#include "doc/point_doc.h"
#include "doc/tcp_doc.h"

#define OPEN_LOOP	"open-loop"
#define PING_PONG	"ping-pong"

/* --- a point --------------------------------------------------------------------------- */

#define L	struct pace_latency

static void
put_mode(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_text(w, name, ((const L *)s)->ask.interval_ns > 0 ? OPEN_LOOP : PING_PONG);
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

static const char *const transport_names[] = { "udp", "tcp" };

/* A duration needs two moments and a clock that did not go backwards. */
static bool
is_timed(const void *s)
{
	const L *p = s;

	return p->sent > 0 && p->duration_ns >= 0;
}

static void
put_clock(struct pace_jw *w, const char *name, const void *member)
{
	pace_jw_put(w, name, pace_clock_to_json(member));
}

static void
get_clock(struct pace_jr *j, const char *name, void *member)
{
	j->bad |= pace_clock_from_json(member, json_object_get(j->o, name)) < 0;
}

#define R	struct pace_request_counts

const struct pace_fields pace_request_counts_fields = { .name = "request_counts",
    .text = "What the responder counted of the requests.", .row = PACE_FIELDS(
	{ "arrived", PACE_COUNT(R, arrived), .text = "Different requests that arrived." },
	{ "duplicates", PACE_COUNT(R, duplicates) },
	{ "reordered", PACE_COUNT(R, reordered), .text = "Requests that arrived again, and those "
	    "that arrived after a later one." },
	{ "unanswered", PACE_COUNT(R, unanswered), .text = "Requests that arrived, but a limit of "
	    "the responder did not let it answer." },
) };

static const struct pace_fields listed_fields = { .name = "listed_request",
    .text = "A request.", .row = PACE_FIELDS(
	{ "sent_ns", PACE_NS(struct pace_listed, sent_ns), .text = "Departure, after that of the "
	    "first request." },
	{ "rtt_ns", PACE_NS(struct pace_listed, rtt_ns), .when = PACE_F_OR_NULL,
	    .none = PACE_NO_FIGURE, .text = "Its round-trip time, as in the histogram; null: no "
	    "reply in time." },
) };

const struct pace_fields pace_latency_fields = { .name = "latency_point",
    .text = "Request and reply; times are those of the client's clock.",
    .rules = "'if': { 'properties': { 'mode': { 'const': 'open-loop' } } }, "
    "'then': { 'required': ['interval_ns'] }, "
    "'else': { 'properties': { 'interval_ns': false } }", .row = PACE_FIELDS(
	{ "size_bytes", PACE_COUNT(L, ask.size_bytes), .low = 1, .high = PACE_TCP_REQUEST },
	{ "reply_bytes", PACE_COUNT(L, ask.reply_bytes), .low = 1,
	    .high = PACE_TCP_REQUEST, .text = "User data of requests and of replies. By STAMP, "
	    "replies should be as long as requests; `stamp` has their length." },
	{ "count", PACE_COUNT(L, ask.count), .text = "Number of requests." },
	{ "mode", PACE_OWN(put_mode, get_mode), .type = "'enum': ['open-loop', 'ping-pong']",
	    .text = "\"open-loop\": one request every `interval_ns`; or \"ping-pong\": the next "
	    "request is sent after the reply or its timeout." },
	{ "interval_ns", PACE_INT(L, ask.interval_ns), .low = 1, .high = PACE_JS_MAX,
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_WRITTEN,
	    .text = "Time between requests; absent for \"ping-pong\"." },
	{ "timeout_ns", PACE_INT(L, ask.timeout_ns), .low = 1, .high = PACE_JS_MAX,
	    .text = "Longest wait for a reply." },
	{ "busy_poll", PACE_BOOL(L, ask.busy_poll),
	    .text = "Whether client and responder poll continuously." },
	{ "transport", PACE_NAME(L, ask.tcp, transport_names), .when = PACE_F_OR_ABSENT,
	    PACE_F_IF(L, ask.tcp), .flags = PACE_F_LAX, .text = "\"tcp\": over one connection "
	    "(udpace tcp --request); absent: UDP." },
	{ "tcp", PACE_OBJECT(L, tcp, pace_tcp_info_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_IF(L, ask.tcp), .flags = PACE_F_STRICT, .text = "What this host's kernel says of "
	    "the connection after the last reply, as of the ends of a TCP run." },
	{ "verdict", PACE_NAME(L, verdict, pace_verdict_names),
	    .type = "'enum': ['paced', 'degraded']" },
	{ "interrupted", PACE_BOOL(L, interrupted),
	    .text = "As above; the verdict is \"paced\" or \"degraded\"." },
	{ "started", PACE_TEXT(L, started), .when = PACE_F_OR_ABSENT, .type = PACE_TYPE_TIME,
	    .text = "Scheduled time of the first request, as above." },
	{ "sent", PACE_COUNT(L, sent) },
	{ "refused", PACE_COUNT(L, refused),
	    .text = "Requests that were sent, and those that the kernel refused." },
	{ "refused_errno", PACE_INT(L, refused_errno), .low = 1, .high = 4095,
	    .when = PACE_F_OR_ABSENT, .text = "Reason of the last refusal; absent if there was "
	    "none." },
	{ "received", PACE_COUNT(L, received) },
	{ "timeouts", PACE_COUNT(L, timeouts),
	    .text = "Requests with a reply in time, and without; their sum is `sent`." },
	{ "late_replies", PACE_COUNT(L, late_replies),
	    .text = "Timeouts whose reply came later." },
	{ "duplicates", PACE_COUNT(L, duplicates) },
	{ "foreign", PACE_COUNT(L, foreign),
	    .text = "Replies that arrived again; datagrams that match no request, or have "
	    "impossible times." },
	{ "late_requests", PACE_COUNT(L, late_requests),
	    .text = "Requests that left more than an interval, at least 10 \xc2\xb5s, after their "
	    "scheduled time." },
	{ "duration_ns", PACE_NS(L, duration_ns), .when = PACE_F_OR_NULL, .given = is_timed,
	    .text = "From the first request to the last; null if none was sent." },
	{ "stalls", PACE_OBJECT(L, stalls, pace_stalls_fields),
	    .text = "Freezes of the client while it waited, as in `tx`." },
	{ "unstamped", PACE_COUNT(L, unstamped),
	    .text = "Replies in time without a stamp of this host's kernel." },
	{ "rtt_ns", PACE_HIST_LENS(L, rtt, linear),
	    .text = "Round-trip time of all `received` requests, from the clock read before "
	    "sending to the clock read after the reply was received; with `linear`, the linear "
	    "histogram, if requested." },
	{ "listed", PACE_ARRAY(L, listed, n_listed, listed_fields), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_LAX, .text = "Only with --list: every request in the order of sending, "
	    "below." },
	{ "rtt_kernel_ns", PACE_HIST(L, kernel, pace_unit_ns),
	    .text = "Round-trip time between the kernel's stamps of request and reply." },
	{ "rtt_network_ns", PACE_HIST(L, network, pace_unit_ns),
	    .text = "`rtt_kernel_ns` minus the residence time (RFC 8762)." },
	{ "residence_ns", PACE_HIST(L, residence, pace_unit_ns),
	    .text = "Residence time between the responder's kernel stamps. Each histogram except "
	    "the first has the requests whose stamps are known." },
	{ "requests", PACE_OBJECT(L, requests, pace_request_counts_fields),
	    .when = PACE_F_OR_ABSENT, PACE_F_HAS(L, has_requests), .text = "What the responder "
	    "counted of the requests, below; absent if it did not report it, with the next two." },
	{ "lost_there", PACE_COUNT(L, lost_there), .when = PACE_F_OR_ABSENT,
	    PACE_F_IF(L, has_requests) },
	{ "lost_back", PACE_COUNT(L, lost_back), .when = PACE_F_OR_ABSENT,
	    PACE_F_IF(L, has_requests), .text = "Requests lost on the way to the responder, and "
	    "replies lost on the way back. With `unanswered` they are `timeouts` - "
	    "`late_replies`." },
	{ "stamp", PACE_OBJECT(L, stamp, pace_stamp_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(L, by_stamp), .text = "Of a STAMP reflector, below; absent otherwise." },
	{ "clock", PACE_OWN_OF(L, clock, put_clock, get_clock), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(L, has_clock), .type = "'$ref': '#/$defs/clock'",
	    .text = "The responder's clock, as for a stream. By STAMP, the reflector's wall clock "
	    "relative to this host's wall clock as it was when the session began." },
	{ "owd_there_ns", PACE_HIST(L, there, pace_unit_ns), .when = PACE_F_OR_ABSENT,
	    PACE_F_IF(L, has_clock) },
	{ "owd_back_ns", PACE_HIST(L, back, pace_unit_ns), .when = PACE_F_OR_ABSENT,
	    PACE_F_IF(L, has_clock), .text = "One-way delay to the far end and back, with the "
	    "error of `clock`; of a responder, between the kernels' stamps. From more than 65,536 "
	    "requests, only every second, fourth, and so on is used." },
	{ "notes", PACE_NOTES_ROW(L, notes), .text = "As above." },
) };

json_t *
pace_latency_to_json(const struct pace_latency *p)
{
	return pace_fields_to_json(&pace_latency_fields, p);
}

/* Frames have limits that requests over TCP do not have. */
static bool
is_impossible(const struct pace_latency_params *a)
{
	const uint32_t least = a->size_bytes < a->reply_bytes ? a->size_bytes : a->reply_bytes;
	const uint32_t most = a->size_bytes > a->reply_bytes ? a->size_bytes : a->reply_bytes;

	return a->tcp ? a->interval_ns > 0 : least < PACE_STAMP_OPEN || most > PACE_FRAME_MAX;
}

int
pace_latency_from_json(struct pace_latency *p, const json_t *o)
{
	struct pace_jr j = { .o = o };

	memset(p, 0, sizeof(*p));
	p->linear.count = p->linear_counts;
	pace_fields_get(&j, &pace_latency_fields, p);
	p->ask.linear.low = p->linear.low;
	p->ask.linear.width = p->linear.width;
	p->ask.linear.bins = p->linear.bins;
	return j.bad || is_impossible(&p->ask) || p->verdict == PACE_TRAIN ||
	    pace_latency_broken(p) != NULL ? -EPROTO : 0;
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

static const struct pace_fields line_fields = { .name = "latency_line",
    .text = "A line fitted by least squares; null: fewer than two sizes or, for errors and r2, "
    "fewer than three.",
    .row = PACE_FIELDS(
	{ "slope_ns_per_byte", PACE_REAL(F, slope), OF_LINE },
	{ "intercept_ns", PACE_REAL(F, intercept), OF_LINE,
	    .text = "The line; null below two sizes." },
	{ "slope_stderr", PACE_REAL(F, slope_stderr), OF_ERRORS, .flags = PACE_F_FROM_0 },
	{ "intercept_stderr", PACE_REAL(F, intercept_stderr), OF_ERRORS, .flags = PACE_F_FROM_0 },
	{ "r2", PACE_REAL(F, r2), OF_ERRORS, .high = 1, .text = "Standard errors, and coefficient "
	    "of determination; null below three sizes." },
	{ "worst_residual_ns", PACE_REAL(F, worst), OF_LINE },
	{ "worst_residual_bytes", PACE_OWN(put_worst_size, NULL), OF_LINE,
	    .type = "'type': ['integer', 'null'], 'minimum': 1",
	    .text = "The point furthest from the line." },
	{ "residuals", .when = PACE_F_OR_ABSENT,	/* added later */
	    .type = "'type': ['array', 'null'], 'items': { 'type': 'array', "
	    "'items': { 'type': 'number' }, 'minItems': 2, 'maxItems': 2 }",
	    .text = "[size in bytes, ns above the line] of every size; null: no line." },
) };

const struct pace_fields pace_latency_fit_fields = { .name = "latency_fit",
    .text = "Round-trip time of the application as a function of request size; minimum of each "
    "point with replies.", .row = PACE_FIELDS(
	{ "points", PACE_COUNT(struct pace_latency_fits, min.n), .text = "Number of points with "
	    "replies." },
	{ "slope_ns_per_byte", PACE_PART(struct pace_latency_fits, min, line_fields) },
	{ "median", PACE_OBJECT(struct pace_latency_fits, median, line_fields),
	    .text = "The line through the medians, with the same members." },
	{ "expected_slope_ns_per_byte", PACE_REAL(struct pace_latency_fits, expected_slope),
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_ABOVE_0,
	    .text = "Slope expected at the given link rate; absent if no rate was given." },
) };

json_t *
pace_latency_fits_to_json(const struct pace_latency_fits *f)
{
	return pace_fields_to_json(&pace_latency_fit_fields, f);
}

json_t *
pace_latency_residuals_to_json(const struct pace_linefit *f, const double *bytes,
    const double *ns, size_t n)
{
	json_t *all = f->has_line ? json_array() : json_null();

	for (size_t i = 0; f->has_line && i < n; i++)
		all = pace_js_append(all, json_pack("[I, o]", (json_int_t)bytes[i],
		    pace_js_real(ns[i] - f->intercept - f->slope * bytes[i])));
	return all;
}
