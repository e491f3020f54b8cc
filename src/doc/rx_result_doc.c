#include "doc/rx_result_doc.h"

#include <errno.h>

#include "core/record.h"
#include "doc/clock_doc.h"
#include "doc/counters_doc.h"
#include "doc/field.h"
#include "doc/js.h"
#include "doc/wire_check_doc.h"

#define JITTER_MAX_NS	INT64_C(1000000000000000000)
#define R	struct pace_rx_result

/* --- rates -------------------------------------------------------------------------- */

/* If the clock was set back, the duration between stamps may be below 0. */
static bool
is_timed(const void *s)
{
	const struct pace_rx_result *r = s;

	return r->unique > 0 && r->duration_ns >= 0;
}

/* A rate needs two frames and the time between them. */
static bool
is_rated(const void *s)
{
	const struct pace_rx_result *r = s;

	return r->unique >= 2 && r->duration_ns > 0;
}

const struct pace_fields pace_rx_flow_fields = { .row = PACE_FIELDS(
	{ "duration_ns", PACE_NS(R, duration_ns), .when = PACE_F_OR_NULL, .given = is_timed,
	    .text = "First to last arrival of unique frames." },
	{ "user_rate_bps", PACE_REAL(R, user_rate_bps), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_ABOVE_0, .given = is_rated },
	{ "wire_rate_bps", PACE_REAL(R, wire_rate_bps), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_ABOVE_0, .given = is_rated,
	    .text = "As in `tx`, of unique frames 2 to n over `duration_ns`. This is the rate of "
	    "the result; the rate in `tx` is a property of the sender." },
) };

/* --- rx ------------------------------------------------------------------------------ */

static const struct pace_fields rx_fields = { .name = "rx",
    .text = "Result of the receiver; bytes are those of user data in unique "
    "frames.", .row = PACE_FIELDS(
	{ "frames", PACE_COUNT(R, frames),
	    .text = "Frames of this point that arrived, including duplicates." },
	{ "unique", PACE_COUNT(R, unique), .text = "Frames without duplicates." },
	{ "bytes", PACE_COUNT(R, bytes), .text = "User data in unique frames." },
	{ "duration_ns", PACE_ROWS(pace_rx_flow_fields) },
	{ "gap_ns", PACE_HIST_LENS(R, gap, linear) },
	{ "gap_error_ns", PACE_HIST(R, gap_error, pace_unit_ns),
	    .text = "Histograms of the arrival gaps of unique frames, in the order of arrival, and "
	    "of these minus `spacing_ns`. `gap_ns` has a member `linear` if a linear histogram was "
	    "requested." },
	{ "stamped_gaps", PACE_COUNT(R, stamped_gaps), .when = PACE_F_OR_ABSENT },
	{ "stamped_gaps_near", PACE_COUNT(R, stamped_gaps_near), .when = PACE_F_OR_ABSENT,
	    PACE_F_IF(R, stamped_gaps),
	    .text = "Arrival gaps between frames whose departures the sender's kernel may have "
	    "stamped (`tx.stamped_gap_error_ns`), and how many of them were within 0.2 \xc2\xb5s of "
	    "`spacing_ns`; absent if there were none." },
	{ "coalesced_stamps", PACE_COUNT(R, coalesced_stamps),
	    .text = "Arrivals less than 50 ns after the previous one: they were stamped in one "
	    "batch, so this gap says nothing about the network." },
	{ "unstamped", PACE_COUNT(R, unstamped),
	    .text = "Arrivals without a stamp of the requested kind. If the device's stamp is "
	    "missing, the kernel's is used; if that is missing, the clock is read." },
	{ "stamp", PACE_NAME(R, stamp, pace_stamp_names),
	    .text = "Kind of the arrival stamps, as in `tx`; the least precise of all." },
	{ "clock_steps", PACE_COUNT(R, clock_steps),
	    .text = "How often the receiver's clock was set during the point; the gaps are then "
	    "unreliable." },
	{ "rcvbuf_asked_bytes", PACE_COUNT(R, rcvbuf_asked), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .type = PACE_TYPE_KNOWN },
	{ "rcvbuf_granted_bytes", PACE_COUNT(R, rcvbuf_granted), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .type = PACE_TYPE_KNOWN,
	    .text = "Receive buffer requested, and granted by the kernel; null if not known." },
	{ "core", PACE_COUNT(R, core), .high = PACE_CORE_MAX, .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(R, has_core),
	    .text = "Core of the thread that received this stream; absent if one thread received "
	    "all." },
	{ "socket_drops", PACE_COUNT(R, socket_drops),
	    .text = "Datagrams of the sender that the receiver's kernel dropped because the "
	    "buffer was full or a checksum was wrong: the count of its socket." },
	{ "socket_lost_likely", PACE_COUNT(R, socket_lost_likely) },
	{ "socket_lost_max", PACE_COUNT(R, socket_lost_max),
	    .text = "Lost frames among these drops: the best estimate, and the upper bound. For "
	    "the bound each datagram was a frame or, if trains are handed over in one piece, a "
	    "piece of up to 64 frames. The estimate counts in each hole of the numbers at most as "
	    "many frames as the socket dropped there. If frames were duplicated, a dropped "
	    "datagram may have been a duplicate; the estimate is then reduced by the share of "
	    "numbers that are missing where the socket dropped nothing. If frames were reordered, "
	    "the holes give no information, and every drop is counted." },
	{ "bad_checksums", PACE_COUNT(R, bad_checksums),
	    .text = "UDP datagrams with a wrong checksum that the receiver's host dropped during "
	    "the run, for all its sockets." },
	{ "lease_lost", PACE_BOOL(R, lease_lost),
	    .text = "True if the measurement lease was lost during the run, after more than 10 s "
	    "without a frame: another client may have measured at the same time." },
) };

/* --- loss ---------------------------------------------------------------------------- */

static void
put_loss_ratio(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_rx_result *r = s;

	pace_jw_put(w, name, pace_js_ratio(r->lost, r->lost + r->unique));
}

static void
put_periods(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_count(w, name, ((const struct pace_rx_result *)s)->runs.stats.n);
}

static void
check_periods(struct pace_jr *j, const char *name, void *s)
{
	struct pace_jr runs = { .o = pace_jr_get(j, "runs") };

	(void)s;
	j->bad |= pace_jr_count(j, name) != pace_jr_count(&runs, "count");
}

const struct pace_fields pace_loss_fields = { .name = "loss", .row = PACE_FIELDS(
	{ "frames", PACE_COUNT(R, lost),
	    .text = "Frames sent that had not arrived by the end of the grace time." },
	{ "ratio", PACE_OWN(put_loss_ratio, NULL), .type = PACE_TYPE_RATIO,
	    .text = "Ratio to the frames sent." },
	{ "periods", PACE_OWN(put_periods, check_periods), .type = PACE_TYPE_COUNT,
	    .text = "Number of runs of consecutive losses." },
	{ "runs", PACE_HIST(R, runs, pace_unit_frames),
	    .text = "Histogram of the lengths of these runs, in frames (RFC 3357)." },
	{ "loss_distances", PACE_HIST(R, loss_distances, pace_unit_frames),
	    .text = "Histogram of the differences between the numbers of one lost frame and the "
	    "next (RFC 3357)." },
	{ "loss_free_runs", PACE_HIST(R, loss_free_runs, pace_unit_frames),
	    .text = "Histogram of the numbers of frames that arrived between two runs of losses." },
) };

/* --- reordering ---------------------------------------------------------------------- */

/* Write [[n, frames] ...], n from 1; degree 0 is the rest of the reordered frames. */
static void
put_degrees(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_rx_result *r = s;
	json_t *list = json_array();

	for (int n = 1; n <= PACE_SEQ_DEGREES; n++)
		if (r->degree[n] > 0)
			list = pace_js_append(list, json_pack("[i, o]", n,
			    pace_js_count(r->degree[n])));
	pace_jw_put(w, name, list);
}

static void
get_degrees(struct pace_jr *j, const char *name, void *s)
{
	struct pace_rx_result *r = s;
	const json_t *list = pace_jr_get(j, name);
	uint64_t left = r->reordered;
	int64_t v[2];

	j->bad |= !json_is_array(list);
	for (size_t i = 0; i < json_array_size(list) && !j->bad; i++) {
		if (!pace_js_integers(json_array_get(list, i), v, 2) || v[0] < 1 ||
		    v[0] > PACE_SEQ_DEGREES || v[1] < 1 || (uint64_t)v[1] > left ||
		    r->degree[v[0]] != 0) {
			j->bad = true;
			break;
		}
		r->degree[v[0]] = (uint64_t)v[1];
		left -= (uint64_t)v[1];
	}
	r->degree[0] = left;
}

/* Also null if it is too large. */
static bool
is_always(const void *s)
{
	(void)s;
	return true;
}

static const struct pace_fields reordering_free_fields = {
    .name = "reordering_free_runs", .row = PACE_FIELDS(
	{ "runs", PACE_COUNT(R, reordering_free_runs) },
	{ "sum", PACE_COUNT(R, free_sum) },
	{ "sumsq", PACE_COUNT(R, free_sumsq), .when = PACE_F_OR_NULL, .given = is_always,
	    .text = "Number of the runs, sum of their lengths, and sum of the squared lengths; "
	    "null: too large." },
	{ "mean", PACE_RATIO(R, free_sum, reordering_free_runs), .type = PACE_TYPE_NOT_BELOW_0,
	    .text = "Mean length." },
) };

const struct pace_fields pace_reordering_fields = { .name = "reordering",
    .text = "RFC 4737", .row = PACE_FIELDS(
	{ "frames", PACE_COUNT(R, reordered),
	    .text = "Frames that arrived with a number below the next one expected (RFC 4737)." },
	{ "ratio", PACE_RATIO(R, reordered, unique), .type = PACE_TYPE_RATIO,
	    .text = "Ratio to the unique frames." },
	{ "extent", PACE_HIST(R, extent, pace_unit_frames),
	    .text = "Histogram of the number of arrivals since the first frame with a higher "
	    "number." },
	{ "late_ns", PACE_HIST(R, late_ns, pace_unit_ns),
	    .text = "Histogram of the time since that arrival." },
	{ "n_reordering", PACE_OWN(put_degrees, get_degrees),
	    .type = "'type': 'array', 'items': { 'type': 'array', 'minItems': 2, 'maxItems': 2, "
	    "'items': { 'type': 'integer', 'minimum': 1 } }",
	    .text = "Pairs of n and the number of frames that are n-reordered but not "
	    "(n+1)-reordered: the n arrivals before them have higher numbers. Only values of n "
	    "that occur, from 1; the last one, 64, means 64 or more. A program that plays frames "
	    "at once is disturbed by all of them, a program with a buffer of n frames by those "
	    "above n." },
	{ "reordering_free_runs", PACE_SELF(reordering_free_fields),
	    .text = "Runs of frames in order, each ended by a reordered one: `runs`, `sum` and "
	    "`sumsq` of their lengths, and their `mean`." },
	{ "beyond_window", PACE_COUNT(R, beyond_window),
	    .text = "Arrivals so late that they may be duplicates. They are in no other figure: such "
	    "a frame remains lost." },
	{ "window_frames", PACE_COUNT(R, window), .text = "Size of the window in frames; an "
	    "arrival further behind is too late." },
) };

/* --- messages ------------------------------------------------------------------------ */

#define M	struct pace_message_stats

static void
put_message_loss(struct pace_jw *w, const char *name, const void *s)
{
	const M *m = s;
	uint64_t bad = m->incomplete + m->lost;

	pace_jw_put(w, name, pace_js_ratio(bad, bad + m->complete));
}

const struct pace_fields pace_message_fields = { .name = "messages",
    .text = "Messages, which consist of several frames each.", .row = PACE_FIELDS(
	{ "complete", PACE_COUNT(M, complete), .text = "Messages of which every frame arrived." },
	{ "incomplete", PACE_COUNT(M, incomplete) },
	{ "lost", PACE_COUNT(M, lost), .text = "Messages that lack some frames, and messages of "
	    "which none arrived." },
	{ "cut", PACE_COUNT(M, cut), .when = PACE_F_OR_ABSENT,
	    .text = "Messages at the beginning and the end of a capture that was perhaps not there "
	    "for all their frames; they are in no other figure. Absent: none." },
	{ "loss_ratio", PACE_OWN(put_message_loss, NULL), .type = PACE_TYPE_RATIO,
	    .text = "Ratio of incomplete and lost messages to complete, incomplete and lost ones." },
	{ "missing", PACE_HIST(M, missing, pace_unit_frames),
	    .text = "Histogram of the number of frames that an incomplete message lacks." },
	{ "time_ns", PACE_HIST(M, span, pace_unit_ns),
	    .text = "Histogram of the time from the first to the last arrival of a complete "
	    "message." },
) };

static bool
messages_hold(const M *m)
{
	return m->missing.stats.n == m->incomplete && m->span.stats.n == m->complete &&
	    (m->incomplete == 0 || m->missing.stats.min >= 1);
}

/* --- delays -------------------------------------------------------------------------- */

/* Absolute delays may be unknown; the variation is always known. */
const struct pace_fields pace_delay_fields = { .name = "delay", .row = PACE_FIELDS(
	{ "pdv_ns", PACE_HIST(R, pdv, pace_unit_ns),
	    .text = "Delay minus the lowest delay of the point, of several streams minus the "
	    "lowest of the frame's own stream (RFC 5481), never negative. It needs only the "
	    "skew of the clocks, not their offset." },
	{ "ipdv_ns", PACE_HIST(R, ipdv, pace_unit_ns),
	    .text = "Delay minus that of the frame sent before, signed (RFC 5481), for neighbours "
	    "that both arrived, in any order. Skew times spacing remains in it." },
	{ "jitter_rfc3550_ns", PACE_REAL(R, jitter_ns), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_STRICT, PACE_F_IF(R, ipdv.stats.n), .high = JITTER_MAX_NS },
	{ "jitter_rfc3550_max_ns", PACE_REAL(R, jitter_max_ns), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_STRICT, PACE_F_IF(R, ipdv.stats.n), .high = JITTER_MAX_NS,
	    .text = "The smoothed jitter of RFC 3550 at the end, and its highest value, in order "
	    "of arrival; real numbers, null if `ipdv_ns` has no value." },
	{ "invalid_timestamps", PACE_COUNT(R, invalid_timestamps),
	    .text = "Frames whose departure time differs by more than 9 minutes from that of the "
	    "others; no figure of this section includes them." },
) };

static const struct pace_fields records_fields = { .name = "records", .row = PACE_FIELDS(
	{ "kept", PACE_COUNT(R, records) },
	{ "missed", PACE_COUNT(R, records_missed) },
) };

/* --- marks --------------------------------------------------------------------------- */

#define K	struct pace_marks

static const struct pace_fields marks_fields = { .name = "marks",
    .text = "Marks in the IP header as the frames arrived: of unique frames.", .row = PACE_FIELDS(
	{ "frames", PACE_COUNT(K, frames),
	    .text = "Frames whose marks the kernel reported; the other counts are of these." },
	{ "not_ect", PACE_COUNT(K, ecn[PACE_ECN_NOT_ECT]) },
	{ "ect1", PACE_COUNT(K, ecn[PACE_ECN_ECT1]) },
	{ "ect0", PACE_COUNT(K, ecn[PACE_ECN_ECT0]) },
	{ "ce", PACE_COUNT(K, ecn[PACE_ECN_CE]),
	    .text = "Frames by their ECN code point (RFC 3168); `ce`: congestion experienced." },
	{ "ecn_changed", PACE_COUNT(K, ecn_changed),
	    .text = "Frames with another ECN code point than was sent. CE counts as a change only "
	    "if the frames were not sent as ECN-capable, as \"ect0\" or \"ect1\"." },
	{ "dscp_changed", PACE_COUNT(K, dscp_changed),
	    .text = "Frames with another DSCP than was sent." },
	{ "dscp", PACE_COUNT(K, dscp), .high = 63 },
	{ "dscp_frames", PACE_COUNT(K, dscp_frames),
	    .text = "The DSCP that most frames arrived with, and their number." },
) };

static bool
marks_hold(const K *m, uint64_t unique)
{
	uint64_t left = m->frames;

	for (int i = 0; i < PACE_ECNS; i++) {
		if (m->ecn[i] > left)
			return false;
		left -= m->ecn[i];
	}
	return left == 0 && m->frames <= unique && m->ecn_changed <= m->frames &&
	    m->dscp_changed <= m->frames && m->dscp_frames <= m->frames &&
	    (m->dscp_frames > 0) == (m->frames > 0);
}

/* --- the whole ----------------------------------------------------------------------- */

const struct pace_fields pace_rx_result_fields = { .name = "rx_result", .row = PACE_FIELDS(
	{ "rx", PACE_SELF(rx_fields) },
	{ "loss", PACE_SELF(pace_loss_fields) },
	{ "duplicates", PACE_COUNT(R, duplicates),
	    .text = "Arrivals of a frame that had already arrived. They are counted here and in "
	    "`rx.frames`, in no other figure (RFC 5560)." },
	{ "replicated", PACE_COUNT(R, replicated),
	    .text = "Frames that arrived more than once." },
	{ "corrupt", PACE_COUNT(R, corrupt), .flags = PACE_F_LAX,
	    .text = "Frames with a good header and a corrupted payload; only if payloads are "
	    "verified. They count as received." },
	{ "foreign", PACE_COUNT(R, foreign),
	    .text = "Datagrams from the sender's address that are not frames of this point: wrong "
	    "length or number, an earlier point, or a corrupted header." },
	{ "reordering", PACE_SELF(pace_reordering_fields) },
	{ "messages", PACE_OBJECT(R, messages, pace_message_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(R, has_messages), .text = "Messages of `message_frames` frames each; absent "
	    "if they were not requested." },
	{ "owd_ns", PACE_HIST(R, owd, pace_unit_ns), .when = PACE_F_OR_NULL,
	    PACE_F_HAS(R, has_owd),
	    .text = "One-way delay: arrival on the receiver's clock minus departure on the "
	    "sender's clock, corrected by the estimate in `clock`. The departure is the sender's "
	    "clock read just before the frame is handed to its kernel, so the delay includes that "
	    "of the sending host's stack, `tx.tx_stack_delay_ns`. The arrival is the stamp of the "
	    "receiver's kernel, so the delay does not include the queue to the application. The "
	    "whole histogram may be shifted: by up to `clock.uncertainty_ns` if the minimum delays "
	    "in both directions are equal, by up to `clock.offset_error_max_ns` in any case. A single "
	    "value may be off by 0.4 % of its distance from the lowest one, and by the error of the "
	    "skew known at its time during a sixteenth of the run so far. null if "
	    "`owd_relative` is true." },
	{ "owd_scheduled_ns", PACE_HIST(R, owd_scheduled, pace_unit_ns), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_STRICT, PACE_F_IF(R, has_owd),
	    .text = "Delay from the scheduled send time, as seen by an application that cannot "
	    "wait; it includes the sender's lateness. For frames that carried their lateness." },
	{ "pdv_ns", PACE_ROWS(pace_delay_fields) },
	{ "marks", PACE_OBJECT(R, marks, marks_fields), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, PACE_F_IF(R, marks.frames),
	    .text = "null: the marks of no frame are known." },
	{ "records", PACE_SELF(records_fields),
	    .text = "Frames that were `kept` as records, and those `missed` because there was no "
	    "room." },
	{ "wall_clock", PACE_OBJECT(R, clock, pace_clock_state_fields), .when = PACE_F_OR_NULL,
	    PACE_F_HAS(R, clock.known),
	    .text = "Report of the receiver's kernel on its wall clock at the end, as in "
	    "`clock`, which repeats it; null if there is none." },
) };

/* { key: v } */
static json_t *
only(const char *key, json_t *v)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_put(&w, key, v);
	return w.o;
}

json_t *
pace_rx_result_to_json(const struct pace_rx_result *r, const struct pace_counters *c, bool verify)
{
	struct pace_jw w = { .o = pace_fields_to_json(&pace_rx_result_fields, r) };

	if (!verify)
		json_object_del(w.o, "corrupt");
	pace_jw_put(&w, "cpu", only("responder", pace_cpu_to_json(c)));
	pace_jw_put(&w, "counters", only("responder", pace_counters_to_json(c, r->bytes)));
	if (r->has_wire)
		pace_jw_put(&w, "wire", only("rx", pace_wire_check_rx_to_json(r)));
	return w.o;
}

/* --- consistency ------------------------------------------------------------------------ */

/* Is this a possible number of values between n frames: 0, or fewer than n? */
static bool
between(const struct pace_hist *h, uint64_t n)
{
	return h->stats.n == 0 || h->stats.n < n;
}

/* Only the first frame of a train has a delay. */
static bool
delays_hold(const struct pace_rx_result *r)
{
	if (r->ipdv.stats.n > 0 && !(r->jitter_ns >= 0 && r->jitter_ns <= r->jitter_max_ns &&
	    r->jitter_max_ns < (double)JITTER_MAX_NS))
		return false;
	return (!r->has_owd || (r->owd.stats.n == r->pdv.stats.n &&
	    r->owd_scheduled.stats.n <= r->owd.stats.n)) &&
	    r->pdv.stats.n + r->invalid_timestamps <= r->unique && r->pdv.stats.min >= 0 &&
	    between(&r->ipdv, r->pdv.stats.n) && r->records <= PACE_RECORD_LIMIT;
}

bool
pace_rx_result_holds(const struct pace_rx_result *r)
{
	bool arrivals = r->frames == r->unique + r->duplicates &&
	    (r->unique > 0 || (r->frames == 0 && r->bytes == 0)) &&
	    r->replicated <= r->duplicates && r->replicated <= r->unique &&
	    r->corrupt <= r->frames && r->coalesced_stamps <= r->frames &&
	    r->unstamped <= r->frames && r->socket_lost_likely <= r->socket_lost_max &&
	    between(&r->gap, r->frames) && between(&r->gap_error, r->frames) &&
	    r->stamped_gaps_near <= r->stamped_gaps &&
	    r->stamped_gaps <= r->gap_error.stats.n;
	bool losses = r->lost + r->unique <= (uint64_t)PACE_JS_MAX && r->runs.stats.n <= r->lost &&
	    (r->runs.stats.n > 0) == (r->lost > 0) && (r->lost == 0 ||
	    (r->runs.stats.min >= 1 && (uint64_t)r->runs.stats.max <= r->lost)) &&
	    between(&r->loss_distances, r->lost) && between(&r->loss_free_runs, r->runs.stats.n);
	bool order = r->reordered <= r->unique && r->reordering_free_runs == r->reordered &&
	    r->extent.stats.n == r->reordered && r->late_ns.stats.n == r->reordered;

	return arrivals && losses && order && messages_hold(&r->messages) && delays_hold(r) &&
	    marks_hold(&r->marks, r->unique);
}

/* Return the member `name` of the member object. */
static const json_t *
part(const json_t *o, const char *object, const char *name)
{
	return json_object_get(json_object_get(o, object), name);
}

int
pace_rx_result_from_json(struct pace_rx_result *r, struct pace_counters *c, const json_t *o,
    bool verify)
{
	int rc = 0;
	struct pace_jr j = { .o = o };

	pace_rx_result_reset(r);
	pace_fields_get(&j, &pace_rx_result_fields, r);
	if (!verify)
		r->corrupt = 0;
	if (pace_jr_has(&j, "wire")) {	/* in a document it also has the client's side */
		const json_t *wire = part(o, "wire", "rx");

		j.bad |= wire == NULL || (!json_is_null(wire) &&
		    pace_wire_check_rx_from_json(r, wire) != 0);
	}
	if (j.bad || (verify && !pace_jr_has(&j, "corrupt")))
		return -EPROTO;
	if (c != NULL)
		rc = pace_counters_from_json(c, part(o, "cpu", "responder"),
		    part(o, "counters", "responder"));
	if (rc != 0)
		return rc;
	return pace_rx_result_holds(r) ? 0 : -EPROTO;
}
