/*
 * Lines of udpace-status/1, by field tables: writes a status as a line, and reads a line
 * back.  A line is read completely or rejected.
 */
#include "config.h"

#include "live/status.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/rates.h"
#include "doc/coarse_doc.h"
#include "doc/tally_doc.h"
#include "doc/utc.h"

#define FLAGS		(JSON_COMPACT | JSON_ENSURE_ASCII | PACE_JS_REAL)
#define FIGURE_MOST	INT64_C(1000000000000000000)
#define SPAN_MOST	INT64_C(86400000000000)	/* longest time that a line covers: under a day */

#define HEAD		struct pace_status_head
#define LINE		struct pace_status
#define SESSION		struct pace_status_session
#define RUN		struct pace_run_stats
#define PROBE		struct pace_probe_status
#define FLOW		struct pace_flow_status
#define CAPTURE		struct pace_capture_status
#define MOMENTS		struct pace_moments

#define OR_NULL_OF(table) "'anyOf': [{ '$ref': '#/$defs/" table "' }, { 'type': 'null' }]"

/* --- figures ----------------------------------------------------------------- */

/* Figures for display: an invalid one becomes 0. */
#define ABOUT(m)	PACE_REAL(MOMENTS, m), .high = FIGURE_MOST, .flags = PACE_F_LENIENT
#define MOMENT(m)	PACE_INT(MOMENTS, m)

static const struct pace_field extremes_rows[] = {
	{ "min", MOMENT(min) },
	{ "max", MOMENT(max) },
	{ .name = NULL },
};

static const struct pace_fields extremes_fields = { .name = "extremes", .row = extremes_rows };

static const struct pace_field gap_rows[] = {
	{ "count", PACE_COUNT(MOMENTS, n) },
	{ "mean", ABOUT(mean) },
	{ "stddev", ABOUT(stddev) },
	{ "min", PACE_ROWS(extremes_fields), PACE_F_HAS(MOMENTS, has_extremes),
	    .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX },
	{ .name = NULL },
};

static const struct pace_fields gap_fields = { .name = "gaps", .row = gap_rows };

#define ABOVE_EXTREME(m) MOMENT(m), .high = PACE_JS_MAX, PACE_F_HAS(MOMENTS, has_extremes), \
	.when = PACE_F_OR_NULL, .flags = PACE_F_LAX

static const struct pace_field above_rows[] = {
	{ "samples", PACE_COUNT(MOMENTS, n) },
	{ "min", ABOVE_EXTREME(min) },
	{ "mean", ABOUT(mean) },
	{ "max", ABOVE_EXTREME(max) },
	{ .name = NULL },
};

static const struct pace_fields above_fields = { .name = "delays_above", .row = above_rows };

static void
check_way(struct pace_jr *j, const char *name, void *s)
{
	const MOMENTS *m = s;

	(void)name;
	j->bad |= m->min > m->max || !isfinite(m->mean * (double)m->n);
}

/* Times of exchanges. */
static const struct pace_field way_rows[] = {
	{ "count", PACE_COUNT(MOMENTS, n), .low = 1 },
	{ "min", MOMENT(min) },
	{ "mean", PACE_REAL(MOMENTS, mean) },
	{ "max", MOMENT(max) },
	{ "", PACE_OWN(NULL, check_way) },
	{ .name = NULL },
};

static const struct pace_fields way_fields = { .name = "delays", .row = way_rows };

/* --- a run -------------------------------------------------------------------- */

enum { STREAM, ROUND_TRIPS, STAMP, TCP, KINDS };
static const char *const kinds[KINDS] = { "stream", "round_trips", "stamp", "tcp" };

static bool
is_stream(const void *run)
{
	return ((const RUN *)run)->pings == 0;
}

static void
put_known(struct pace_jw *w, const char *name, const void *n)
{
	pace_jw_put(w, name, pace_js_known(*(const uint64_t *)n));
}

static void
get_count(struct pace_jr *j, const char *name, void *n)
{
	*(uint64_t *)n = pace_jr_count(j, name);
}

static void
put_bytes(struct pace_jw *w, const char *name, const void *bytes)
{
	pace_jw_count(w, name, *(const uint32_t *)bytes);
}

/* More bytes than a frame can have become the maximum. */
static void
get_bytes(struct pace_jr *j, const char *name, void *bytes)
{
	uint64_t n = pace_jr_count(j, name);

	*(uint32_t *)bytes = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void
put_flag(struct pace_jw *w, const char *name, const void *flag)
{
	pace_jw_bool(w, name, *(const uint32_t *)flag != 0);
}

static void
put_kind(struct pace_jw *w, const char *name, const void *s)
{
	const RUN *r = s;

	pace_jw_text(w, name, kinds[r->tcp > 0 ? TCP : r->stamp ? STAMP : r->pings ? ROUND_TRIPS :
	    STREAM]);
}

static void
get_kind(struct pace_jr *j, const char *name, void *s)
{
	const char *text = json_string_value(pace_jr_get(j, name));
	RUN *r = s;

	r->stamp = text != NULL && strcmp(text, kinds[STAMP]) == 0;
	r->tcp = text != NULL && strcmp(text, kinds[TCP]) == 0;
	r->pings = r->tcp || (text != NULL && strcmp(text, kinds[ROUND_TRIPS]) == 0);
	j->bad |= text == NULL || (!r->stamp && !r->pings && strcmp(text, kinds[STREAM]) != 0);
}

static void
put_direction(struct pace_jw *w, const char *name, const void *member)
{
	const RUN *r = (const void *)((const char *)member - offsetof(RUN, down));

	pace_jw_text(w, name, r->pings || r->stamp || r->two_way ? "both" :
	    r->down ? "from_responder" : "to_responder");
}

static void
get_direction(struct pace_jr *j, const char *name, void *member)
{
	const char *text = json_string_value(json_object_get(j->o, name));
	RUN *r = (void *)((char *)member - offsetof(RUN, down));

	r->down = text != NULL && strcmp(text, "from_responder") == 0;
	r->two_way = text != NULL && strcmp(text, "both") == 0 && !r->pings &&
	    !r->stamp;
}

#define OF_STREAM	.when = PACE_F_OR_ABSENT, .given = is_stream

/* The parameters that the client requested. */
static const struct pace_field run_rows[] = {
	{ "run", PACE_COUNT(RUN, number), .text = "Its number." },
	{ "kind", PACE_OWN(put_kind, get_kind),
	    .type = "'enum': ['stream', 'round_trips', 'stamp', 'tcp']", .text = "Of \"stamp\", requests to a "
	    "STAMP reflector, the frames that `received` and `interval` count are its replies. Of "
	    "\"tcp\", `tcp_bytes` and `tcp_sent_bytes` are the data of the connections." },
	{ "connections", PACE_COUNT(RUN, tcp), PACE_F_IF(RUN, tcp), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_LAX, .text = "Connections of \"tcp\"." },
	{ "rtt_ns", PACE_NS(RUN, tcp_rtt_ns), PACE_F_IF(RUN, tcp), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_LAX, .text = "Mean round trip of the connections on which the responder "
	    "sends; 0: not known." },
	{ "direction", PACE_OWN_OF(RUN, down, put_direction, get_direction),
	    .type = "'enum': ['to_responder', 'from_responder', 'both', 'seen']",
	    .text = "\"to_responder\", \"from_responder\" or, of two at the same time, \"both\" "
	    "of a \"stream\"; \"both\" of all other kinds; \"seen\" in a capture." },
	{ "size_bytes", PACE_OWN_OF(RUN, size_bytes, put_bytes, get_bytes),
	    .type = PACE_TYPE_COUNT },
	{ "reply_bytes", PACE_COUNT(RUN, reply_bytes), PACE_F_IF(RUN, pings),
	    .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_WRITTEN, .text = "UDP payload of a frame, and of a reply if that "
	    "differs." },
	{ "wire_bytes", PACE_OWN_OF(RUN, wire_bytes, put_bytes, get_bytes), OF_STREAM,
	    .flags = PACE_F_LAX,
	    .type = PACE_TYPE_COUNT_OR_NULL, .text = "Line time of a frame." },
	{ "spacing_ns", PACE_NS(RUN, spacing_ns), OF_STREAM, .flags = PACE_F_LAX,
	    .type = PACE_TYPE_COUNT_OR_NULL, .text = "0: as fast as possible." },
	{ "streams", PACE_COUNT(RUN, streams), OF_STREAM, .flags = PACE_F_LAX,
	    .text = "At once, each with this size and spacing." },
	{ "train", PACE_COUNT(RUN, train), OF_STREAM, .flags = PACE_F_LAX },
	{ "bursts", PACE_COUNT(RUN, bursts), OF_STREAM, .flags = PACE_F_LAX,
	    .text = "Frames back to back, and bursts of such trains." },
	{ "frames_asked", PACE_OWN_OF(RUN, frames_asked, put_known, get_count), OF_STREAM,
	    .flags = PACE_F_LAX, .type = PACE_TYPE_KNOWN },
	{ "duration_asked_ns", PACE_OWN_OF(RUN, duration_asked_ns, put_known, get_count), OF_STREAM,
	    .flags = PACE_F_LAX, .type = PACE_TYPE_KNOWN,
	    .text = "Frames of each burst, or its duration; null: the other one is set." },
	{ "records", PACE_COUNT(RUN, records), OF_STREAM, .flags = PACE_F_WRITTEN,
	    .text = "Number of frames that are recorded." },
	{ "verify", PACE_OWN_OF(RUN, verify, put_flag, NULL), OF_STREAM, .flags = PACE_F_LAX,
	    .type = "'type': 'boolean'" },
	{ "busy_poll", PACE_OWN_OF(RUN, busy_poll, put_flag, NULL), .when = PACE_F_OR_ABSENT,
	    .type = "'type': 'boolean'",
	    .text = "Is the payload verified, and does the receiver poll?" },
	{ "at_most_ns", PACE_NS(RUN, at_most_ns), .none = -1, .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_WRITTEN,
	    .text = "Longest duration that the client planned." },
	{ .name = NULL },
};

const struct pace_fields pace_run_fields = { .name = "run_asked", .row = run_rows };

static void
put_seen_run(struct pace_jw *w, const char *name, const void *s)
{
	const RUN *r = s;

	pace_jw_count(w, name, r->number);
	pace_jw_text(w, "kind", kinds[0]);
	pace_jw_text(w, "direction", "seen");
	pace_jw_count(w, "size_bytes", r->size_bytes);
	pace_jw_put(w, "wire_bytes", pace_js_known(r->wire_bytes));
	pace_jw_put(w, "spacing_ns", json_null());
}

/* --- counts ------------------------------------------------------------------- */

static void
put_counts(struct pace_jw *w, const SESSION *s, const struct pace_tally *t)
{
	if (s->now.flow.known)
		pace_tally_put_seen(w, t, s->now.flow.numbered);
	else
		pace_tally_put(w, t);
}

static void
get_counts(struct pace_jr *j, const json_t *o, const SESSION *s, struct pace_tally *t)
{
	struct pace_jr r = { .o = o };

	pace_tally_read(&r, t, s->now.run.train > 1);
	j->bad |= r.bad;
}

static void
put_received_of(struct pace_jw *w, const char *name, const SESSION *s, const struct pace_tally *t)
{
	struct pace_jw o = pace_jw_begin();

	put_counts(&o, s, t);
	pace_jw_put(w, name, o.o);
}

static void
put_received(struct pace_jw *w, const char *name, const void *s)
{
	put_received_of(w, name, s, &((const SESSION *)s)->now.all);
}

static void
get_received(struct pace_jr *j, const char *name, void *s)
{
	get_counts(j, pace_jr_get(j, name), s, &((SESSION *)s)->now.all);
}

static void
put_run_received(struct pace_jw *w, const char *name, const void *s)
{
	put_received_of(w, name, s, &((const SESSION *)s)->now.this_run);
}

static void
get_run_received(struct pace_jr *j, const char *name, void *s)
{
	get_counts(j, pace_jr_get(j, name), s, &((SESSION *)s)->now.this_run);
}

static void
put_interval_counts(struct pace_jw *w, const char *name, const void *s)
{
	(void)name;
	put_counts(w, s, &((const SESSION *)s)->interval.n);
}

static void
get_interval_counts(struct pace_jr *j, const char *name, void *s)
{
	(void)name;
	get_counts(j, j->o, s, &((SESSION *)s)->interval.n);
}

/* --- a session's run ------------------------------------------------------------ */

static bool
is_no_flow(const void *s)
{
	return !((const SESSION *)s)->now.flow.known;
}

static bool
has_gaps(const void *s)
{
	return ((const SESSION *)s)->now.run.pings == 0;
}

static void
put_gaps(struct pace_jw *w, const char *name, const void *s)
{
	const MOMENTS *gaps = s;

	pace_jw_put(w, name, gaps->n > 0 ? pace_fields_to_json(&gap_fields, gaps) : json_null());
}

static void
get_gaps(struct pace_jr *j, const char *name, void *s)
{
	MOMENTS *gaps = s;

	j->bad |= !pace_fields_from_json(&gap_fields, gaps, json_object_get(j->o, name)) ||
	    (gaps->n > 0 && !gaps->has_extremes);
}

#define OF_GAPS		.when = PACE_F_OR_ABSENT, .given = has_gaps, .flags = PACE_F_LAX

static const struct pace_field session_run_rows[] = {
	{ "run", PACE_PART(SESSION, now.run, pace_run_fields), .when = PACE_F_OR_ABSENT,
	    .given = is_no_flow, .flags = PACE_F_STRICT },
	{ "run", PACE_OWN_OF(SESSION, now.run, put_seen_run, NULL), .when = PACE_F_OR_ABSENT,
	    PACE_F_IF(SESSION, now.flow.known), .flags = PACE_F_WRITTEN },
	{ "ended", PACE_BOOL(SESSION, now.ended) },
	{ "elapsed_ns", PACE_NS(SESSION, now.elapsed_ns),
	    .text = "Is it over, and how long has it lasted?" },
	{ "jitter_ns", PACE_NS(SESSION, now.jitter_ns), .none = -1, .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .text = "RFC 3550, now." },
	{ "gap_ns", PACE_OWN_OF(SESSION, now.gaps, put_gaps, get_gaps), OF_GAPS, .of = &gap_fields,
	    .type = OR_NULL_OF("gaps"), .text = "Arrival gaps of a stream, over the whole run." },
	{ "gap_histogram_ns", PACE_OWN_OF(SESSION, dist[PACE_DIST_GAP], pace_histogram_put,
	    pace_histogram_get),
	    OF_GAPS, .of = &pace_histogram_fields, .type = OR_NULL_OF("histogram"),
	    .text = "Distribution of the arrival gaps, at most 100 ms old." },
	{ "delay_above_min_histogram_ns",
	    PACE_OWN_OF(SESSION, dist[PACE_DIST_DELAY], pace_histogram_put, pace_histogram_get),
	    OF_GAPS, .of = &pace_histogram_fields, .type = OR_NULL_OF("histogram"),
	    .text = "Distribution of the delay above the minimum so far, of one frame per batch." },
	{ "received", PACE_OWN(put_run_received, get_run_received), .of = &pace_tally_fields,
	    .text = "Totals of this run." },
	{ .name = NULL },
};

static const struct pace_fields session_run_fields = { .name = "run", .row = session_run_rows };

/* --- an interval ------------------------------------------------------------------ */

static void
put_user_rate(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_status_interval *i = s;

	pace_jw_real(w, name, pace_rate_bps(i->n.bytes + i->n.sent_bytes, i->span_ns));
}

static void
put_wire_rate(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_status_interval *i = s;

	pace_jw_real(w, name, pace_rate_bps(i->n.wire_bytes + i->n.sent_wire_bytes,
	    i->span_ns));
}

static const struct pace_field interval_rows[] = {
	{ "span_ns", PACE_INT(SESSION, interval.span_ns), .low = 1, .high = SPAN_MOST,
	    PACE_F_HAS(SESSION, interval.own_span), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    .text = "Of a watcher's path or one of several streams: the time between the reports that "
	    "this covers; otherwise it is that of the line." },
	{ "", PACE_OWN(put_interval_counts, get_interval_counts) },
	{ "frames", PACE_ROWS(pace_tally_fields) },
	{ "user_rate_bps", PACE_OWN_OF(SESSION, interval, put_user_rate, NULL),
	    .type = PACE_TYPE_NOT_BELOW_0 },
	{ "wire_rate_bps", PACE_OWN_OF(SESSION, interval, put_wire_rate, NULL),
	    .type = PACE_TYPE_NOT_BELOW_0,
	    .text = "UDP payload and line time of the frames received, or sent by the "
	    "responder, over the interval." },
	{ "gap_ns", PACE_OBJECT(SESSION, interval.gaps, gap_fields),
	    PACE_F_IF(SESSION, interval.gaps.n),
	    .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    .text = "Arrival gaps of the newest run: `count`, `mean`, `stddev`, `min` and `max`." },
	{ "delay_above_min_ns", PACE_OBJECT(SESSION, interval.above, above_fields),
	    PACE_F_IF(SESSION, interval.above.n), .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    .text = "Delay above the minimum of the run: `samples`, `min`, `mean` and `max`. One "
	    "frame of each batch that was received together is a sample. Of one of several streams "
	    "`min` and `max` are null: a report has no room for them." },
	{ .name = NULL },
};

static const struct pace_fields interval_fields = { .name = "interval", .row = interval_rows };

/* --- a stream of our own, and flows ------------------------------------------------ */

static const struct pace_field leaving_rows[] = {
	{ "count", PACE_COUNT(PROBE, leaving.n) },
	{ "mean", PACE_REAL(PROBE, leaving.mean), .high = FIGURE_MOST, .flags = PACE_F_LENIENT },
	{ "stddev", PACE_REAL(PROBE, leaving.stddev), .high = FIGURE_MOST,
	    .flags = PACE_F_LENIENT },
	{ "near_frames", PACE_COUNT(PROBE, near), .flags = PACE_F_WRITTEN },
	{ .name = NULL },
};

static const struct pace_fields leaving_fields = { .name = "departures", .row = leaving_rows };

/* These figures have no sign: make negative ones positive. */
static void
check_probe(struct pace_jr *j, const char *name, void *s)
{
	PROBE *p = s;

	(void)j;
	(void)name;
	p->bound_ns = fabs(p->bound_ns);
	p->core = fabs(p->core);
	p->skew_error_ppm = fabs(p->skew_error_ppm);
}

#define WAY(which)	PACE_OBJECT(PROBE, way[which], way_fields), PACE_F_IF(PROBE, way[which].n), \
			.when = PACE_F_OR_NULL, .flags = PACE_F_LAX

static bool
is_sender(const void *probe)
{
	return !((const PROBE *)probe)->reverse;
}

static bool
has_clock(const void *probe)
{
	return ((const PROBE *)probe)->has_stamp && ((const PROBE *)probe)->has_bound;
}

#define OF_STAMP	.when = PACE_F_OR_ABSENT, .given = has_clock, .flags = PACE_F_LAX
#define OF_SENDER	.when = PACE_F_OR_ABSENT, .given = is_sender

static const struct pace_field probe_rows[] = {
	{ "sent", PACE_COUNT(PROBE, sent) },
	{ "refused", PACE_COUNT(PROBE, refused), OF_SENDER, .flags = PACE_F_LAX,
	    .text = "Frames of the whole stream that were sent, and that the sender's host "
	    "refused. If the responder sends, `sent` is from its reports, and `refused` and "
	    "`late_frames` are absent." },
	{ "interval_sent", PACE_COUNT(PROBE, interval_sent), .flags = PACE_F_LAX,
	    .text = "Frames sent since the line before." },
	{ "spacing_ns", PACE_SELF(leaving_fields), PACE_F_IF(PROBE, leaving.n),
	    .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .text = "Departure gaps of these frames, or of trains from train "
	    "to train: `count`, `mean`, `stddev` and `near_frames`, the number of gaps within 200 "
	    "ns of the requested spacing; 0 if no spacing was requested." },
	{ "late_frames", PACE_COUNT(PROBE, late), OF_SENDER, .flags = PACE_F_WRITTEN,
	    .text = "Frames that left more than a spacing late." },
	{ "round_trips_asked", PACE_COUNT(PROBE, asked), .flags = PACE_F_LAX,
	    .text = "Requests since the line before; some replies may still be on their way." },
	{ "round_trip_ns", WAY(PACE_WAY_BOTH),
	    .text = "Round-trip time of requests with a reply, without the time at the responder: "
	    "`count`, `min`, `mean` and `max`, or null." },
	{ "round_trip_total_ns", WAY(PACE_WAY_TOTAL),
	    .text = "The same with the time at the responder." },
	{ "there_ns", WAY(PACE_WAY_THERE) },
	{ "back_ns", WAY(PACE_WAY_BACK), .text = "One-way delay to the responder, and back, with "
	    "the same members." },
	{ "clock_bound_ns", PACE_REAL(PROBE, bound_ns), PACE_F_HAS(PROBE, has_bound),
	    .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    .text = "Error bound of `there_ns` and `back_ns`; null if they are not known." },
	{ "stamp", PACE_OBJECT(PROBE, stamp, pace_stamp_fields), PACE_F_HAS(PROBE, has_stamp),
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    .text = "For a STAMP reflector, what its replies say: the object `stamp` of "
	    "udpace-result(5), since the start." },
	{ "clock_offset_ns", PACE_REAL(PROBE, offset_ns), OF_STAMP },
	{ "clock_offset_error_ns", PACE_REAL(PROBE, offset_error_ns), OF_STAMP },
	{ "clock_skew_ppm", PACE_REAL(PROBE, skew_ppm), OF_STAMP,
	    .text = "The wall clock of the STAMP reflector minus that of this host; its error if the "
	    "minimum delays are equal in both directions (`clock_bound_ns`: at any delays); and the "
	    "rate of the reflector's clock relative to this host's raw clock." },
	{ "clock_skew_error_max_ppm", PACE_REAL(PROBE, skew_error_ppm), OF_STAMP,
	    .text = "Largest error of this rate for any delays, if it was constant in the time of the "
	    "exchanges in use." },
	{ "monitor_core", PACE_REAL(PROBE, core), .flags = PACE_F_LAX,
	    .text = "Share of a core that the monitor's own thread used, 0 to 1." },
	{ "outages", PACE_COUNT(PROBE, out.n), .flags = PACE_F_LAX,
	    .text = "Number of outages: nothing came from the responder, or no frame arrived, for "
	    "longer than an interval." },
	{ "outage_ns", PACE_NS(PROBE, out.now_ns), .flags = PACE_F_LAX,
	    .text = "Duration so far of the current outage, 0 without one. If the responder is "
	    "silent, the line has no `interval`." },
	{ "outages_ns", PACE_NS(PROBE, out.all_ns), .flags = PACE_F_LAX,
	    .text = "Duration of all outages." },
	{ "outage_lost", PACE_COUNT(PROBE, out.lost), .flags = PACE_F_LAX,
	    .text = "Frames reported as lost in past outages. They are part of `lost`." },
	{ "outage_reason", PACE_TEXT(PROBE, out.why), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    .text = "Reason of the current outage, if known." },
	{ "unreported", PACE_COUNT(PROBE, unreported), .flags = PACE_F_LAX,
	    .text = "Frames sent that no report covers: an outage delayed the report, and the "
	    "responder had then closed the session. Whether they were received or lost is unknown. "
	    "Received, `lost` and these add up to `sent`." },
	{ "", PACE_OWN(NULL, check_probe) },
	{ .name = NULL },
};

static const struct pace_fields probe_fields = { .name = "probe", .row = probe_rows };

static const struct pace_field flow_rows[] = {
	{ "source", PACE_TEXT(FLOW, source) },
	{ "source_port", PACE_COUNT(FLOW, source_port) },
	{ "destination", PACE_TEXT(FLOW, destination) },
	{ "destination_port", PACE_COUNT(FLOW, destination_port) },
	{ "format", PACE_TEXT(FLOW, format),
	    .text = "Its ends, and its format as in udpace-capture(1)." },
	{ "stream", PACE_TEXT(FLOW, stream), .flags = PACE_F_LAX },
	{ "streams", PACE_COUNT(FLOW, streams), .flags = PACE_F_LAX,
	    .text = "The stream within its flow, and how many streams that has." },
	{ "numbered", PACE_BOOL(FLOW, numbered), .text = "Is its loss known?" },
	{ "dscp", PACE_COUNT(FLOW, dscp), .flags = PACE_F_WRITTEN },
	{ "vlan", PACE_COUNT(FLOW, vlan), .when = PACE_F_OR_NULL, .flags = PACE_F_WRITTEN,
	    .text = "Fields of the first datagram of the flow; `vlan` null: no tag." },
	{ "restarts", PACE_COUNT(FLOW, restarts), .flags = PACE_F_WRITTEN,
	    .text = "How often its numbers restarted." },
	{ .name = NULL },
};

static const struct pace_fields flow_fields = { .name = "flow", .row = flow_rows };

static void
put_flow(struct pace_jw *w, const char *name, const void *s)
{
	const FLOW *f = &((const SESSION *)s)->now.flow;

	if (f->known)
		pace_jw_put(w, name, f->sum ? json_null() : pace_fields_to_json(&flow_fields, f));
}

/* null: the sum of all flows. */
static void
get_flow(struct pace_jr *j, const char *name, void *s)
{
	struct pace_session_status *v = &((SESSION *)s)->now;
	const json_t *o = json_object_get(j->o, name);

	v->flow.known = o != NULL;
	v->flow.sum = v->flow.numbered = json_is_null(o);
	if (o == NULL || v->flow.sum)
		return;
	j->bad |= !pace_fields_from_json(&flow_fields, &v->flow, o);
	pace_flow_name(v);
}

/* --- a session --------------------------------------------------------------------- */

static bool
has_port(const void *s)
{
	return !((const SESSION *)s)->now.flow.sum;
}

/* A stream's label is made from its flow. */
static void
put_label(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_session_status *v = &((const SESSION *)s)->now;

	pace_jw_text(w, name, v->flow.known && !v->flow.sum ? "" : v->label);
}

static void
get_label(struct pace_jr *j, const char *name, void *s)
{
	struct pace_session_status *v = &((SESSION *)s)->now;

	v->ipv6 = strchr(v->peer, ':') != NULL;
	pace_jr_text_or_empty(j, name, v->label, sizeof(v->label));
}

/* Documents number the streams from 0. */
static void
put_stream(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_session_status *v = &((const SESSION *)s)->now;

	if (v->stream > 0)
		pace_jw_count(w, name, v->stream - 1);
}

static void
get_stream(struct pace_jr *j, const char *name, void *s)
{
	if (pace_jr_has(j, name))
		((SESSION *)s)->now.stream = 1 +
		    (uint64_t)pace_jr_int(j, name, 0, PACE_STREAMS - 1);
}

static const struct pace_field session_rows[] = {
	{ "session", PACE_COUNT(SESSION, now.number), .low = 1,
	    .text = "Its running number, from 1. It is not the number that frames carry, which is a "
	    "secret." },
	{ "stream", PACE_OWN(put_stream, get_stream), .when = PACE_F_OR_ABSENT,
	    .type = PACE_TYPE_COUNT,
	    .text = "One of several streams of its run, from 0; absent: the session with all its "
	    "streams, which has an object of its own." },
	{ "peer", PACE_TEXT(SESSION, now.peer) },
	{ "peer_port", PACE_COUNT(SESSION, now.peer_port), .when = PACE_F_OR_NULL,
	    .given = has_port,
	    .flags = PACE_F_WRITTEN, .text = "The client's address." },
	{ "label", PACE_OWN(put_label, get_label), .type = "'type': 'string'" },
	{ "key", PACE_TEXT(SESSION, now.key), .flags = PACE_F_LAX,
	    .text = "The client's label, and the name of its key; empty without one. Labels come "
	    "from the network: display them with care." },
	/* lenient: later versions may have other states */
	{ "state", PACE_NAME(SESSION, now.state, pace_state_names), .flags = PACE_F_LENIENT,
	    .text = "\"open\", \"running\" (a stream), \"sending\" (one to its client), "
	    "\"draining\" (it ended, the responder waits for late frames), \"ready\" (its result "
	    "can be fetched), \"round_trips\", \"closed\", or \"ended\". A session that ended "
	    "appears once more for readers that knew it." },
	{ "age_ns", PACE_INT(SESSION, now.age_ns) },
	{ "silent_ns", PACE_INT(SESSION, now.silent_ns),
	    .text = "Time since it was opened, and since its client last sent anything." },
	{ "lease", PACE_BOOL(SESSION, now.lease), .flags = PACE_F_LENIENT,
	    .text = "Does it have the right to measure?" },
	{ "rcvbuf_bytes", PACE_COUNT(SESSION, now.rcvbuf_bytes), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .text =
	    "The receive buffer that the kernel granted to its socket." },
	{ "runs", PACE_COUNT(SESSION, now.runs), .text = "Number of runs that began." },
	{ "run", PACE_SELF(session_run_fields), PACE_F_IF(SESSION, now.run.number),
	    .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    .text = "The current or the last run; null without one." },
	{ "flow", PACE_OWN(put_flow, get_flow), .of = &flow_fields, .type = OR_NULL_OF("flow"),
	    .flags = PACE_F_LAX, .text = "In a capture, see below." },
	{ "received", PACE_OWN(put_received, get_received), .of = &pace_tally_fields,
	    .text = "Totals of all its runs." },
	{ "interval", PACE_SELF(interval_fields), PACE_F_HAS(SESSION, has_interval),
	    .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    .text = "Since this reader's last line; null in its first line." },
	{ "probe", PACE_OBJECT(SESSION, now.probe, probe_fields),
	    PACE_F_HAS(SESSION, now.probe.known),
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    .text = "For the monitor's own stream, see below." },
	{ .name = NULL },
};

static const struct pace_fields session_fields = { .name = "session", .row = session_rows };

/* --- lines -------------------------------------------------------------------------- */

static const struct pace_field capture_rows[] = {
	{ "over", PACE_BOOL(CAPTURE, over),
	    .text = "The capture has ended; this is the last line, with the figures of the "
	    "result." },
	{ "frames", PACE_COUNT(CAPTURE, frames) },
	{ "bytes", PACE_COUNT(CAPTURE, bytes), .flags = PACE_F_WRITTEN },
	{ "udp", PACE_COUNT(CAPTURE, udp), .flags = PACE_F_LAX,
	    .text = "Frames of all kinds, and datagrams." },
	{ "flows", PACE_COUNT(CAPTURE, flows), .flags = PACE_F_LAX },
	{ "streams", PACE_COUNT(CAPTURE, streams), .flags = PACE_F_LAX },
	{ "streams_not_told", PACE_COUNT(CAPTURE, unlisted), .flags = PACE_F_LAX,
	    .text = "Flows, their streams, and the streams beyond the 128 that `sessions` can hold." },
	{ "frames_not_followed", PACE_COUNT(CAPTURE, untracked), .flags = PACE_F_LAX,
	    .text = "Frames omitted for lack of memory; they are in no sum." },
	{ "dropped", PACE_COUNT(CAPTURE, dropped), PACE_F_HAS(CAPTURE, has_drops),
	    .when = PACE_F_OR_NULL, .flags = PACE_F_LAX },
	{ "interface_dropped", PACE_COUNT(CAPTURE, interface_dropped),
	    PACE_F_IF(CAPTURE, has_drops),
	    .when = PACE_F_OR_NULL, .flags = PACE_F_LAX },
	{ "interval_dropped", PACE_COUNT(CAPTURE, just_dropped), PACE_F_IF(CAPTURE, has_drops),
	    .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    .text = "Frames that the capture itself lost, because its buffer was full and in the "
	    "interface; and both since the line before. null if not known." },
	{ .name = NULL },
};

static const struct pace_fields capture_fields = { .name = "capture", .row = capture_rows };

static void
put_held(struct pace_jw *w, const char *name, const void *expires_ns)
{
	pace_jw_bool(w, name, *(const int64_t *)expires_ns > 0);
}

static const struct pace_field lease_rows[] = {
	{ "held", PACE_OWN_OF(struct pace_totals, lease_ns, put_held, NULL),
	    .type = "'type': 'boolean'" },
	{ "session", PACE_COUNT(struct pace_totals, lease_number), .when = PACE_F_OR_NULL },
	{ "expires_ns", PACE_INT(struct pace_totals, lease_ns) },
	{ .name = NULL },
};

static const struct pace_fields lease_fields = { .name = "lease", .row = lease_rows };

static bool
is_responder(const void *s)
{
	return !((const LINE *)s)->capture.known;
}

static void
put_time(struct pace_jw *w, const char *name, const void *wall_ns)
{
	char time[32];

	pace_jw_text(w, name, pace_utc_text(*(const int64_t *)wall_ns, time, sizeof(time)));
}

static void
get_time(struct pace_jr *j, const char *name, void *wall_ns)
{
	const json_t *time = json_object_get(j->o, name);

	*(int64_t *)wall_ns = json_is_string(time) ? pace_utc_read(json_string_value(time)) : 0;
	j->bad |= *(int64_t *)wall_ns == 0;
}

static void
put_totals(struct pace_jw *w, const char *name, const void *line)
{
	const LINE *s = line;

	pace_jw_put(w, name, pace_fields_to_json(s->capture.known ? &pace_seen_totals_fields :
	    &pace_totals_fields, &s->totals));
}

/* Missing counts are 0. */
static void
get_totals(struct pace_jr *j, const char *name, void *line)
{
	(void)pace_fields_from_json(&pace_totals_fields, &((LINE *)line)->totals,
	    json_object_get(j->o, name));
}

static void
put_added(struct pace_jw *w, const char *name, const void *line)
{
	const LINE *s = line;

	if (!s->capture.known)
		pace_jw_put(w, name, s->interval_ns > 0 ?
		    pace_fields_to_json(&pace_totals_fields, &s->added) : json_null());
}

static void
get_added(struct pace_jr *j, const char *name, void *line)
{
	(void)pace_fields_from_json(&pace_totals_fields, &((LINE *)line)->added,
	    json_object_get(j->o, name));
}

static void
put_sessions(struct pace_jw *w, const char *name, const void *line)
{
	const LINE *s = line;
	json_t *list = json_array();

	for (size_t i = 0; i < s->n; i++)
		list = pace_js_append(list, pace_fields_to_json(&session_fields, &s->session[i]));
	pace_jw_put(w, name, list);
}

/* Without memory there are no sessions. */
static void
get_sessions(struct pace_jr *j, const char *name, void *line)
{
	const json_t *list = json_object_get(j->o, name);
	LINE *s = line;

	j->bad |= !json_is_array(list);
	if (!j->bad)
		s->session = calloc(json_array_size(list) + 1, sizeof(*s->session));
	for (; s->session != NULL && s->n < json_array_size(list) && !j->bad; s->n++) {
		SESSION *v = &s->session[s->n];

		v->now.jitter_ns = -1;
		v->interval.span_ns = s->interval_ns;
		j->bad |= !pace_fields_from_json(&session_fields, v, json_array_get(list, s->n));
	}
}

static const struct pace_field line_rows[] = {
	{ "time", PACE_OWN_OF(LINE, wall_ns, put_time, get_time), .type = PACE_TYPE_TIME,
	    .text = "UTC, milliseconds." },
	{ "interval_ns", PACE_INT(LINE, interval_ns), .high = SPAN_MOST, .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .text = "Since this reader's last line; null in its first line." },
	{ "lease", PACE_OBJECT(LINE, totals, lease_fields), .when = PACE_F_OR_ABSENT,
	    .given = is_responder, .flags = PACE_F_WRITTEN,
	    .text = "The right to measure: `held`, the `session` that holds it, and `expires_ns`, "
	    "the time until it is free if the client stays silent." },
	{ "capture", PACE_OBJECT(LINE, capture, capture_fields), PACE_F_HAS(LINE, capture.known),
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX, .text = "For a capture, see below." },
	{ "totals", PACE_OWN(put_totals, get_totals), .of = &pace_totals_fields,
	    .type = "'anyOf': [{ '$ref': '#/$defs/totals' }, { '$ref': '#/$defs/capture_totals' }]",
	    .text = "Since the start, see below." },
	{ "interval", PACE_OWN(put_added, get_added), .type = OR_NULL_OF("totals"),
	    .flags = PACE_F_LAX,
	    .text = "The totals since this reader's last line, except `sessions_active` "
	    "and `sessions_light`; null in its first line." },
	{ "counters", PACE_OBJECT(LINE, host, pace_host_status_fields),
	    PACE_F_HAS(LINE, host.known),
	    .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    .text = "Counters of the kernel of the responder's host, see below." },
	{ "sessions", PACE_OWN(put_sessions, get_sessions), .of = &session_fields,
	    .type = "'type': 'array', 'items': { '$ref': '#/$defs/session' }",
	    .text = "One object for each session, in no order." },
	{ .name = NULL },
};

static const struct pace_fields line_fields = { .name = "line", .row = line_rows };

/* --- the first line ------------------------------------------------------------------- */

static void
put_schema(struct pace_jw *w, const char *name, const void *head)
{
	(void)head;
	pace_jw_text(w, name, PACE_STATUS_SCHEMA);
}

static void
get_schema(struct pace_jr *j, const char *name, void *head)
{
	char text[32];

	(void)head;
	pace_jr_text(j, name, text, sizeof(text));
	j->bad |= strcmp(text, PACE_STATUS_SCHEMA) != 0;
}

static void
put_pid(struct pace_jw *w, const char *name, const void *head)
{
	(void)head;
	pace_jw_count(w, name, (uint64_t)getpid());
}

static void
put_ms(struct pace_jw *w, const char *name, const void *interval_ns)
{
	pace_jw_count(w, name, (uint64_t)(*(const int64_t *)interval_ns / 1000000));
}

static void
get_ms(struct pace_jr *j, const char *name, void *interval_ns)
{
	*(int64_t *)interval_ns = pace_jr_int(j, name, 1, 3600000) * 1000000;
}

static void
put_speaker(struct pace_jw *w, const char *name, const void *head)
{
	const HEAD *h = head;

	if (h->capture || h->watch)
		pace_jw_text(w, name, h->capture ? "capture" : "watch");
}

static void
get_speaker(struct pace_jr *j, const char *name, void *head)
{
	const char *text = json_string_value(json_object_get(j->o, name));
	HEAD *h = head;

	h->capture = text != NULL && strcmp(text, "capture") == 0;
	h->watch = text != NULL && strcmp(text, "watch") == 0;
}

#define OF_CAPTURE	.when = PACE_F_OR_ABSENT, PACE_F_IF(HEAD, capture), .flags = PACE_F_LAX

static const struct pace_field head_rows[] = {
	{ "schema", PACE_OWN(put_schema, get_schema), .type = "'const': '" PACE_STATUS_SCHEMA "'",
	    .text = "\"" PACE_STATUS_SCHEMA "\"." },
	{ "kind", PACE_OWN(put_speaker, get_speaker), .flags = PACE_F_LAX,
	    .type = "'enum': ['capture', 'watch']",
	    .text = "\"capture\" or, for udpace watch, \"watch\"; absent for a responder." },
	{ "version", PACE_TEXT(HEAD, version) },
	{ "host", PACE_TEXT(HEAD, host) },
	{ "pid", PACE_OWN(put_pid, NULL), .type = PACE_TYPE_COUNT,
	    .text = "Process of the responder." },
	{ "started", PACE_TEXT(HEAD, started), .text = "When, UTC." },
	{ "interface", PACE_TEXT(HEAD, interface), OF_CAPTURE },
	{ "filter", PACE_TEXT(HEAD, filter), OF_CAPTURE, .text = "Present for a capture." },
	{ "socket", PACE_BOOL(HEAD, socket), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    .text = "true: sockets receive the datagrams (udpace-receive(1)), and `interface` has "
	    "their address and port; absent otherwise." },
	{ "address", PACE_TEXT(HEAD, address), .flags = PACE_F_LAX },
	{ "port", PACE_COUNT(HEAD, port), .high = 65535, .text = "Where it listens." },
	{ "interval_ms", PACE_OWN_OF(HEAD, interval_ns, put_ms, get_ms),
	    .type = "'type': 'integer', 'minimum': 1, 'maximum': 3600000",
	    .text = "Applies to the lines that follow." },
	{ .name = NULL },
};

static const struct pace_fields head_fields = { .name = "head", .row = head_rows };

/* --- any line --------------------------------------------------------------------------- */

static const struct pace_field none[] = { { .name = NULL } };

#define TEXT_TYPE	"'type': 'string'"
#define LINE_OF(member, table, otherwise) \
	"'if': { 'required': ['" member "'] }, 'then': { '$ref': '#/$defs/" table "' }, 'else': {" otherwise "}"

const struct pace_fields pace_status_fields = { .name = "status", .row = none,
    .text = "A line of a status socket, or of a recording of the monitor. Times are integer "
    "nanoseconds, sizes bytes, counts frames unless said otherwise. null: not known. Readers must "
    "ignore unknown members.",
    .rules = LINE_OF("schema", "head", LINE_OF("sessions", "line",
    "'anyOf': [{ 'required': ['error'], 'properties': { 'error': { " TEXT_TYPE ", 'description': "
    "'What was not understood.' } } }, { 'required': ['time', 'note'], 'properties': { 'time': { "
    PACE_TYPE_TIME " }, 'note': { " TEXT_TYPE ", 'description': 'Of the one at the monitor.' } } }]")) };

const struct pace_fields *const pace_status_tables[] = { &head_fields, &line_fields,
	&pace_seen_totals_fields, NULL };

/* Make the line from an object, which is released. */
static char *
text_of(json_t *o)
{
	char *text = o != NULL ? json_dumps(o, FLAGS) : NULL, *line = NULL;
	size_t len = text != NULL ? strlen(text) : 0;

	json_decref(o);
	if (text != NULL)
		line = realloc(text, len + 2);
	if (line == NULL) {
		free(text);
		return NULL;
	}
	memcpy(line + len, "\n", 2);
	return line;
}

char *
pace_status_line(const struct pace_status *s)
{
	return text_of(pace_fields_to_json(&line_fields, s));
}

char *
pace_status_first(const struct pace_status_head *h)
{
	return text_of(pace_fields_to_json(&head_fields, h));
}

char *
pace_status_error(const char *text)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "error", text);
	return text_of(w.o);
}

int
pace_status_read(const json_t *line, struct pace_status *s)
{
	bool good;

	memset(s, 0, sizeof(*s));
	good = pace_fields_from_json(&line_fields, s, line);
	if (good && s->session != NULL)
		return 0;
	free(s->session);
	return good ? -ENOMEM : -EINVAL;
}

int
pace_status_read_head(const json_t *line, struct pace_status_head *h)
{
	memset(h, 0, sizeof(*h));
	return pace_fields_from_json(&head_fields, h, line) ? 0 : -EINVAL;
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
