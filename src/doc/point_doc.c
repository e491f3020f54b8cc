#include "doc/point_doc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/record.h"
#include "core/schedule.h"
#include "core/wire.h"
#include "doc/clock_doc.h"
#include "doc/counters_doc.h"
#include "doc/departures.h"
#include "doc/field.h"
#include "doc/intervals_doc.h"
#include "doc/hist_doc.h"
#include "doc/ledger_doc.h"
#include "doc/loss_attribution.h"
#include "doc/rx_result_doc.h"
#include "doc/wire_check_doc.h"

#define FP32		4294967296.0	/* 2^32: one ns of a spacing */
#define ERRNO_MAX	4095
#define STREAMS		"streams"	/* the last row of a point */

json_t *
pace_spacing_to_json(uint64_t spacing)
{
	if ((spacing & UINT32_MAX) == 0)
		return json_integer((json_int_t)(spacing >> 32));
	return json_real((double)spacing / FP32);
}

void
pace_spacing_put(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_put(w, name, pace_spacing_to_json(*(const uint64_t *)s));
}

void
pace_spacing_get(struct pace_jr *j, const char *name, void *s)
{
	double ns = pace_jr_real(j, name);

	j->bad |= !(ns >= 0 && ns <= (double)PACE_SPACING_MAX_NS);
	*(uint64_t *)s = j->bad ? 0 : (uint64_t)round(ns * FP32);
}

/* --- the request ------------------------------------------------------------------------ */

#define A	struct pace_params

static const char *const stamps[] = { "kernel", "nic" };

static bool
has_bursts(const void *a)
{
	return ((const A *)a)->bursts > 1;
}

static bool
has_repeats(const void *a)
{
	return ((const A *)a)->repeats > 1;
}

static const struct pace_fields linear_arg_fields = { .name = "linear_asked", .row = PACE_FIELDS(
	{ "low_ns", PACE_INT(A, linear.low) },
	{ "width_ns", PACE_INT(A, linear.width), .low = 1, .high = PACE_JS_MAX },
	{ "bins", PACE_COUNT(A, linear.bins), .low = 1, .high = PACE_LINEAR_HIST_MAX_BINS },
) };
static const struct pace_fields record_fields = { .name = "record", .row = PACE_FIELDS(
	{ "room", PACE_COUNT(A, record.room), .low = 1, .high = PACE_RECORD_LIMIT },
	{ "skip", PACE_COUNT(A, record.skip) },
	{ "lost_only", PACE_BOOL(A, record.lost_only) },
) };

static bool
has_streams(const void *a)
{
	return ((const A *)a)->streams > 1;
}

static const struct pace_fields ask_fields = { .name = "ask", .row = PACE_FIELDS(
	{ "direction", PACE_NAME(A, direction, pace_direction_names), .flags = PACE_F_LAX,
	    .text = "Direction of the frames: \"up\" from the client to the responder, \"down\" "
	    "from the responder to the client. `tx` is the result of the sender, `rx` that of the "
	    "receiver." },
	{ "two_way", PACE_BOOL(A, two_way), .when = PACE_F_OR_ABSENT,
	    .text = "true: at the same time such a stream went in the other direction; the point "
	    "of that stream stands beside this one. Absent: false." },
	{ "size_bytes", PACE_COUNT(A, size_bytes), .low = 1, .high = PACE_FRAME_MAX,
	    .text = "User data of a frame, including the header of the probe." },
	{ "spacing_ns", PACE_SPACING(A, spacing),
	    .text = "Scheduled time from the start of one frame to the start of the next; 0: as "
	    "fast as possible. A real number if it follows from a rate and is not a whole number "
	    "of nanoseconds." },
	{ "count", PACE_COUNT(A, count),
	    .text = "Frames requested per burst; 0 for a run with a duration." },
	{ "asked_duration_ns", PACE_NS(A, duration_ns), .when = PACE_F_OR_ABSENT,
	    .text = "Requested duration; absent for a run with a number of frames." },
	{ "omit_ns", PACE_NS(A, omit_ns), .when = PACE_F_OR_ABSENT,
	    .text = "Length of the beginning that was sent but is in no figure of the point except "
	    "the counters of the hosts; absent: nothing was left out." },
	{ "train", PACE_COUNT(A, train), .low = 1, .high = PACE_JS_MAX,
	    .text = "Frames sent back to back every `train` spacings; 1: each frame on its own. "
	    "For trains all gaps are between trains." },
	{ "catch_up", PACE_NAME(A, catch_up, pace_catch_up_names),
	    .text = "Treatment of overdue frames: \"auto\", \"burst\", \"slip\" or \"skip\"; see "
	    "udpace-throughput(1)." },
	{ "busy_poll", PACE_BOOL(A, busy_poll),
	    .text = "Whether the receiver was requested to spin, and the sender if it is the client." },
	{ "stamp", PACE_NAME(A, nic, stamps),
	    .text = "Requested kind of stamps at both hosts: \"kernel\", or \"nic\" for the "
	    "network devices." },
	{ "bursts", PACE_COUNT(A, bursts), .low = 1, .high = PACE_JS_MAX,
	    .text = "Number of bursts; 1: one stream." },
	{ "burst_gap_ns", PACE_NS(A, burst_gap_ns), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_LAX, .given = has_bursts,
	    .text = "Pause after a burst; only if there are several bursts." },
	{ "verify", PACE_BOOL(A, verify), .text = "Whether payloads were verified." },
	{ "grace_ns", PACE_NS(A, grace_ns), .text = "Time to wait for late frames." },
	{ "no_receiver", PACE_BOOL(A, no_receiver), .when = PACE_F_OR_ABSENT,
	    .text = "true: nobody reports what arrives (udpace-send(1)), so the point has only the "
	    "sender's figures. Absent: false." },
	{ "dscp", PACE_COUNT(A, dscp), .high = 63,
	    .text = "Differentiated services code point of the frames." },
	{ "ecn", PACE_NAME(A, ecn, pace_ecn_names), .flags = PACE_F_LAX,
	    .text = "Their ECN code point (RFC 3168): \"not-ect\", \"ect0\", \"ect1\" or \"ce\"." },
	{ "interval_ns", PACE_NS(A, interval_ns), .when = PACE_F_OR_ABSENT,
	    .text = "Requested length of an interval; absent if none were requested. `intervals` "
	    "have this length or, if there would be more than 4096, a multiple." },
	{ "message_frames", PACE_COUNT(A, message), .low = 2, .high = PACE_JS_MAX,
	    .when = PACE_F_OR_ABSENT,
	    .text = "Number of frames that are one message; absent: no messages are counted." },
	{ "streams_asked", PACE_COUNT(A, streams), .low = 2, .high = PACE_STREAMS,
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX, .given = has_streams, .none = 1,
	    .text = "Number of streams, each with its own port, size and spacing; absent: one." },
	{ "stagger", PACE_NAME(A, stagger, pace_stagger_names), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_LAX, .given = has_streams,
	    .text = "Begin of the streams: \"even\" over one spacing, \"random\" in it, or "
	    "\"none\", all at once; only with several streams." },
	{ "repeat", PACE_COUNT(A, repeat), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    .given = has_repeats },
	{ "repeats", PACE_COUNT(A, repeats), .low = 2, .high = UINT32_MAX,
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX, .given = has_repeats, .none = 1,
	    .text = "For a point that is measured several times: the number of this repetition, "
	    "from 0, and their total." },
	{ "linear", PACE_SELF(linear_arg_fields), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    PACE_F_IF(A, linear.bins),
	    .text = "The requested linear histogram: `low_ns`, `width_ns`, `bins`; absent if not "
	    "requested." },
	{ "record", PACE_SELF(record_fields), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    PACE_F_IF(A, record.room),
	    .text = "Requested frame records: `room` for their number, from the frame number "
	    "`skip` on; with `lost_only` only frames next to a loss. Absent if not requested." },
) };

/* --- the begin -------------------------------------------------------------------------- */

#define B	struct pace_begin

static const struct pace_fields begin_fields = { .name = "begin",
    .text = "When the run began: at a requested time (--start-at), or together with the other "
    "members of a group (--group). Absent without these.", .row = PACE_FIELDS(
	{ "start_at", PACE_TEXT(B, start_at), .when = PACE_F_OR_ABSENT, .type = PACE_TYPE_TIME,
	    .text = "The requested time by the client's clock, RFC 3339, UTC." },
	{ "group", PACE_TEXT(B, group), .when = PACE_F_OR_ABSENT,
	    .text = "Name of the group." },
	{ "members", PACE_COUNT(B, members), .high = PACE_GROUP_MAX, .when = PACE_F_OR_ABSENT,
	    .text = "Clients that began together." },
	{ "responder_ns", PACE_INT(B, begin_ns), .when = PACE_F_OR_ABSENT,
	    .text = "The agreed begin on the responder's probe clock. It is the same in the "
	    "documents of all members of one run." },
	{ "error_ns", PACE_INT(B, error_ns), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    PACE_F_IF(B, error_known), PACE_F_HAS(B, error_known),
	    .text = "Departure of the first frame minus the agreed begin, with the clock estimate "
	    "of the whole run; absent if the clocks are not known. Without a group: minus the "
	    "requested time, by the client's clock." },
	{ "error_max_ns", PACE_NS(B, error_max_ns), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    PACE_F_IF(B, error_known),
	    .text = "Bound of the true difference: `error_ns` without its sign, plus the bound of "
	    "the clock estimate. Without a group, the error of the client's clock is not "
	    "included." },
) };

/* --- tx ------------------------------------------------------------------------------ */

#define T	struct pace_tx

const struct pace_fields pace_stalls_fields = { .name = "stalls", .row = PACE_FIELDS(
	{ "count", PACE_COUNT(struct pace_stalls, count) },
	{ "total_ns", PACE_NS(struct pace_stalls, total_ns) },
	{ "max_ns", PACE_NS(struct pace_stalls, max_ns) },
) };

static bool
is_timed(const void *s)
{
	const T *t = s;

	return t->frames > 0 && t->duration_ns >= 0;
}

/* A rate needs two frames and the time between them. */
static bool
is_rated(const void *s)
{
	const T *t = s;

	return t->frames >= 2 && t->duration_ns > 0;
}

/* [[errno, its name, frames] ...] */
static void
put_refusals(struct pace_jw *w, const char *key, const void *s)
{
	const T *t = s;
	json_t *list = json_array();
	char name[32];

	for (int i = 0; i < PACE_REFUSALS && t->refusals[i].code != 0; i++)
		list = pace_js_append(list, json_pack("[i, s, o]", t->refusals[i].code,
		    pace_loss_attribution_errno(t->refusals[i].code, name, sizeof(name)),
		    pace_js_count(t->refusals[i].frames)));
	pace_jw_put(w, key, list);
}

static void
get_refusals(struct pace_jr *j, const char *name, void *s)
{
	T *t = s;
	const json_t *list = pace_jr_get(j, name);

	j->bad |= !json_is_array(list) || json_array_size(list) > PACE_REFUSALS;
	for (size_t i = 0; !j->bad && i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		const json_t *code = json_array_get(one, 0), *frames = json_array_get(one, 2);

		j->bad |= !json_is_integer(code) || !json_is_integer(frames) ||
		    json_integer_value(code) < 1 || json_integer_value(code) > ERRNO_MAX ||
		    json_integer_value(frames) < 0 || json_integer_value(frames) > PACE_JS_MAX;
		t->refusals[i].code = (int)json_integer_value(code);
		t->refusals[i].frames = (uint64_t)json_integer_value(frames);
	}
}

const struct pace_fields pace_tx_fields = { .name = "tx",
    .text = "Result of the sender; bytes are those of user data.", .row = PACE_FIELDS(
	{ "engine", PACE_NAME(T, engine, pace_engine_names),
	    .text = "Call that handed the frames to the kernel: \"single\" (one by one), "
	    "\"segment\" (a train in one piece, which the kernel cuts up: UDP_SEGMENT) or "
	    "\"sendmmsg\" (trains, if \"segment\" was refused)." },
	{ "qdisc_bypass", PACE_BOOL(T, qdisc_bypass), .when = PACE_F_OR_ABSENT,
	    .text = "True with --engine packet: frames with headers of udpace's own went to the "
	    "driver, past routing, firewall and queue disciplines of the sending host. Absent: "
	    "false." },
	{ "frames", PACE_COUNT(T, frames) },
	{ "bytes", PACE_COUNT(T, bytes),
	    .text = "Frames that the kernel accepted, and their user data." },
	{ "extra_frames", PACE_COUNT(T, extra_frames), .when = PACE_F_OR_ABSENT,
	    .text = "Datagrams sent besides the frames and outside their schedule: with SPEAD the "
	    "descriptors before the first frame and the stop after the last one. Absent: none." },
	{ "duration_ns", PACE_NS(T, duration_ns), .when = PACE_F_OR_NULL, .given = is_timed,
	    .text = "First to last departure." },
	{ "user_rate_bps", PACE_REAL(T, user_rate_bps), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_ABOVE_0, .given = is_rated },
	{ "wire_rate_bps", PACE_REAL(T, wire_rate_bps), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_ABOVE_0, .given = is_rated,
	    .text = "Rate of user data, and of Ethernet line time with preamble, gap, headers, "
	    "FCS, fragments and VLAN tags, of frames 2 to n over `duration_ns`. null if fewer than "
	    "two frames were sent." },
	{ "late_frames", PACE_COUNT(T, late_frames),
	    .text = "Frames that left more than one spacing, at least 1 \xc2\xb5s, after their "
	    "scheduled time." },
	{ "refused", PACE_COUNT(T, refused), .text = "Frames that the kernel refused." },
	{ "refusals", PACE_OWN(put_refusals, get_refusals),
	    .type = "'type': 'array', 'maxItems': 8, 'items': { 'type': 'array', 'minItems': 3, "
	    "'maxItems': 3, 'prefixItems': [ { 'type': 'integer', 'minimum': 1 }, "
	    "{ 'type': 'string' }, { 'type': 'integer', 'minimum': 0 } ] }",
	    .text = "All reasons for refusals, each [errno, name, frames]; the frames sum to "
	    "`refused`." },
	{ "refused_errno", PACE_INT(T, refused_errno), .low = 1, .high = ERRNO_MAX,
	    .when = PACE_F_OR_ABSENT,
	    .text = "Reason of the last refusal, an errno(3); absent if there was none." },
	{ "gap_ns", PACE_HIST(T, gap, pace_unit_ns),
	    .text = "Histogram of the departure gaps, without those between bursts." },
	{ "gap_error_ns", PACE_HIST(T, gap_error, pace_unit_ns),
	    .text = "Histogram of the departure gap minus `spacing_ns`, signed. It resolves single "
	    "nanoseconds even if a bin of `gap_ns` is 64 ns wide." },
	{ "stamped_gap_error_ns", PACE_HIST(T, stamped_gap_error, pace_unit_ns),
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX, PACE_F_IF(T, stamped_gap_error.stats.n),
	    .text = "Histogram of that error by the transmit stamps of the kernel or, if requested, of "
	    "the device, for five gaps of 256, or of more where frames come fast: how those scatter "
	    "that left the host's stack. A stamp makes a send slower, so these scatter more than "
	    "the others do. Absent where `tx_stack_delay_ns` is empty." },
	{ "stamp", PACE_NAME(T, stamp, pace_stamp_names),
	    .text = "Kind of the departure stamps: \"user\" (a clock read just before the send), "
	    "\"kernel\" or \"nic\"; null if there are none." },
	{ "tx_stack_delay_ns", PACE_HIST(T, stack, pace_unit_ns),
	    .text = "Histogram of the time from the departure stamp to the transmit stamp of the "
	    "kernel or, if requested, of the device, for six frames of 256, or of more where they "
	    "come fast, of several streams only of stream 0; empty for trains, for spacings below "
	    "8 \xc2\xb5s, and without such stamps. Its mean is the delay of the sending host's "
	    "stack, its standard deviation the jitter." },
	{ "schedule_shifts", PACE_COUNT(T, schedule_shifts) },
	{ "schedule_shifted_ns", PACE_NS(T, schedule_shifted_ns),
	    .text = "How often the sender was so far behind that the schedule was moved, and by "
	    "how much in total." },
	{ "skipped", PACE_COUNT(T, skipped),
	    .text = "Slots left out with --catch-up skip; not part of `ledger.asked`." },
	{ "proof_waits", PACE_COUNT(T, proof_waits), .when = PACE_F_OR_ABSENT },
	{ "proof_waited_ns", PACE_NS(T, proof_waited_ns), .when = PACE_F_OR_ABSENT,
	    .text = "How often, and for how long in total, a sending responder paused because it "
	    "had no proof that its client receives; absent if it never paused. The schedule was "
	    "moved by the same time." },
	{ "stalls", PACE_OBJECT(T, stalls, pace_stalls_fields),
	    .text = "Freezes of the sending thread longer than 5 \xc2\xb5s, seen while it waited "
	    "for a scheduled time: `count`, `total_ns`, `max_ns`. One thread sends several streams: "
	    "its figures are those of each stream; the point has those of the thread that was frozen "
	    "longest." },
	{ "core", PACE_COUNT(T, core), .high = PACE_CORE_MAX, .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(T, has_core),
	    .text = "Core of the thread that sent this stream; absent if one thread sent all." },
	{ "preempted", PACE_COUNT(T, preempted),
	    .text = "Involuntary context switches of the sending thread." },
	{ "steal_ns", PACE_NS(T, steal_ns),
	    .text = "Time that the hypervisor took from all cores of the sending host, if it "
	    "reports this." },
	{ "sndbuf_asked_bytes", PACE_COUNT(T, sndbuf_asked), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .type = PACE_TYPE_KNOWN },
	{ "sndbuf_granted_bytes", PACE_COUNT(T, sndbuf_granted), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .type = PACE_TYPE_KNOWN,
	    .text = "Send buffer requested, and granted by the kernel; null if not known." },
) };

/* --- notes --------------------------------------------------------------------------- */

const struct pace_fields pace_note_fields = { .name = "note", .row = PACE_FIELDS(
	{ "code", PACE_TEXT(struct pace_note, code), .type = "'type': 'string', 'minLength': 1",
	    .text = "Id for programs." },
	{ "text", PACE_TEXT(struct pace_note, text), .text = "Text for people." },
) };

json_t *
pace_notes_to_json(const struct pace_notes *n)
{
	json_t *j = json_array();

	for (int i = 0; i < n->n; i++)
		j = pace_js_append(j, pace_fields_to_json(&pace_note_fields, &n->v[i]));
	return j;
}

void
pace_notes_put(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_put(w, name, pace_notes_to_json(s));
}

void
pace_notes_get(struct pace_jr *j, const char *name, void *s)
{
	const json_t *list = pace_jr_get(j, name);
	struct pace_notes *n = s;
	struct pace_note note;

	n->n = 0;
	j->bad |= !json_is_array(list);
	for (size_t i = 0; i < json_array_size(list) && !j->bad; i++) {
		j->bad |= !pace_fields_from_json(&pace_note_fields, &note,
		    json_array_get(list, i)) || note.code[0] == '\0';
		if (!j->bad)
			pace_note(n, note.code, "%s", note.text);
	}
}

/* --- the point ----------------------------------------------------------------------- */

#define P	struct pace_point

static bool
has_no_rx(const void *s)
{
	return !((const P *)s)->has_rx;
}

/* Write null for a member of a missing receiver's result, after all members so far. */
static void
move_here(struct pace_jw *w, const char *name, const void *s)
{
	(void)s;
	json_object_del(w->o, name);
	pace_jw_put(w, name, json_null());
}

/* { responder: ..., client: ... } */
static void
put_pair(struct pace_jw *w, const char *name, json_t *responder, json_t *client)
{
	struct pace_jw pair = pace_jw_begin();

	pace_jw_put(&pair, "responder", responder);
	pace_jw_put(&pair, "client", client);
	pace_jw_put(w, name, pair.o);
}

static void
put_counters(struct pace_jw *w, const char *name, const void *s)
{
	const P *p = s;

	bool down = p->ask.direction == PACE_DOWN;

	put_pair(w, "cpu", p->has_rx ? pace_cpu_to_json(&p->theirs) : json_null(),
	    pace_cpu_to_json(&p->ours));
	put_pair(w, name, p->has_rx ? pace_counters_to_json(&p->theirs,
	    down ? p->tx.bytes : p->rx.bytes) : json_null(),
	    pace_counters_to_json(&p->ours, down ? p->rx.bytes : p->tx.bytes));
}

/* The client's counters; the responder's are part of the receiver's result. */
static void
get_counters(struct pace_jr *j, const char *name, void *s)
{
	struct pace_jr cpu = { .o = pace_jr_get(j, "cpu") };
	struct pace_jr counters = { .o = pace_jr_get(j, name) };

	j->bad |= pace_counters_from_json(&((P *)s)->ours, pace_jr_get(&cpu, "client"),
	    pace_jr_get(&counters, "client")) != 0;
}

static bool
has_rx_wire(const void *s)
{
	const P *p = s;

	return p->has_rx && p->rx.has_wire;
}

static bool
has_tx_wire_only(const void *s)
{
	return ((const P *)s)->has_wire && !has_rx_wire(s);
}

static bool
has_intervals(const void *s)
{
	const P *p = s;

	return p->has_rx && p->intervals != NULL;
}

static void
put_wire(struct pace_jw *w, const char *name, const void *s)
{
	const P *p = s;
	struct pace_jw wire = pace_jw_begin();

	pace_jw_put(&wire, "rx", has_rx_wire(p) ?
	    pace_wire_check_rx_to_json(&p->rx) : json_null());
	pace_jw_put(&wire, "tx", p->has_wire ?
	    pace_wire_check_to_json(&p->wire, p->tx.frames) : json_null());
	pace_jw_put(w, name, wire.o);
}

/* The sender's side; the responder's is part of the receiver's result. */
static void
get_wire(struct pace_jr *j, const char *name, void *s)
{
	P *p = s;
	struct pace_jr wire = { .o = pace_jr_get(j, name) };
	const json_t *tx = pace_jr_get(&wire, "tx");

	p->has_wire = !json_is_null(tx);
	j->bad |= (!p->has_rx && !json_is_null(pace_jr_get(&wire, "rx"))) || wire.bad ||
	    (p->has_wire && pace_wire_check_from_json(&p->wire, p->tx.frames, tx) != 0);
}

static void
put_ledger(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_put(w, name, pace_ledger_to_json(s));
}

static void
get_ledger(struct pace_jr *j, const char *name, void *s)
{
	P *p = s;

	j->bad |= pace_ledger_from_json(&p->ledger, pace_jr_get(j, name), p->has_rx) != 0;
}

static void
put_clock(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_put(w, name, pace_clock_to_json(s));
}

static void
get_clock(struct pace_jr *j, const char *name, void *s)
{
	j->bad |= pace_clock_from_json(s, pace_jr_get(j, name)) != 0;
}

/* Rules of a point and of a stream. */
#define DELAY_RULES "{ 'if': { 'properties': { 'owd_relative': { 'const': true } } }, " \
    "'then': { 'properties': { 'owd_ns': { 'type': 'null' }, " \
    "'owd_scheduled_ns': { 'type': 'null' } } }, " \
    "'else': { 'if': { 'properties': { 'rx': { 'type': 'object' } } }, " \
    "'then': { 'properties': { 'owd_ns': { 'type': 'object' }, " \
    "'owd_scheduled_ns': { 'type': 'object' } } } } }"

#define STARTED_ROW	{ "started", PACE_TEXT(P, started), .when = PACE_F_OR_ABSENT, \
	    .type = PACE_TYPE_TIME, \
	    .text = "Scheduled time of the first frame, RFC 3339 with nanoseconds, UTC. The wait " \
	    "for the responder's lease comes before it." }
#define NOTES_ROW	{ "notes", PACE_NOTES_ROW(P, notes), \
	    .text = "Remarks on the point, as in the document." }

static void
put_departed(struct pace_jw *w, const char *name, const void *s)
{
	struct pace_departures d;

	pace_jw_real(w, name, pace_departures(s, &d) ? d.share : NAN);
}

/* Both ends of a point, or of one of its streams. */
static const struct pace_fields ends_fields = { .name = "ends", .row = PACE_FIELDS(
	{ "verdict", PACE_NAME(P, verdict, pace_verdict_names),
	    .text = "\"paced\": the sender kept the spacing. \"degraded\": the sender did not keep "
	    "the schedule, which changes the result, and the notes say how: the rate sent is not "
	    "the one requested, or frames were lost that may have been lost because of a burst of "
	    "a late or frozen sender. \"train\": no spacing was requested." },
	{ "departed_near_share", PACE_OWN(put_departed, NULL), .type = PACE_TYPE_RATIO,
	    .text = "Estimated share of the gaps that left the sending host within 0.2 \xc2\xb5s of "
	    "`spacing_ns`: that of the gaps stamped by the kernel, plus what the arrivals say about "
	    "their bias against all others; null: fewer than 100 such gaps." },
	{ "interrupted", PACE_BOOL(P, interrupted), .text = "True if this point was cut short." },
	{ "tx", PACE_OBJECT(P, tx, pace_tx_fields), .text = "Result of the sender, below." },
	{ "rx", PACE_PART(P, rx, pace_rx_result_fields), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_WRITTEN, PACE_F_HAS(P, has_rx) },
	{ "corrupt", PACE_OWN(move_here, NULL), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_WRITTEN, .given = has_no_rx },
) };

/* The judgements of both. */
static const struct pace_fields judged_fields = { .name = "judged", .row = PACE_FIELDS(
	{ "ledger", PACE_OWN(put_ledger, get_ledger), .type = "'$ref': '#/$defs/ledger'",
	    .text = "Locations of the lost frames, below." },
	{ "clock", PACE_OWN_OF(P, clock, put_clock, get_clock), .type = "'$ref': '#/$defs/clock'",
	    .text = "The responder's clock relative to the client's, below." },
	{ "owd_relative", PACE_BOOL(P, owd_relative),
	    .text = "True if the offset of the clocks is not known, or not well enough: "
	    "`clock.offset_error_max_ns` is clearly above the median of the delay. Then only "
	    "the variation of the delay is reported." },
) };

/* --- streams ------------------------------------------------------------------------- */

static const struct pace_fields stream_fields = { .name = "stream",
    .text = "One stream of a point.",
    .rules = "'allOf': [ " DELAY_RULES " ]", .row = PACE_FIELDS(
	{ "stream", .type = PACE_TYPE_COUNT, .text = "Its number, from 0." },
	STARTED_ROW,
	{ "verdict", PACE_ROWS(ends_fields) },
	{ "ledger", PACE_ROWS(judged_fields) },
	NOTES_ROW,
) };

static bool
is_split(const void *s)
{
	return ((const P *)s)->streams != NULL;
}

/* Write the members that a point and a stream share and that the tables cannot express. */
static void
put_exceptions(struct pace_jw *w, const P *p)
{
	struct pace_notes notes;

	pace_point_notes(p, &notes);
	pace_jw_put(w, "notes", pace_notes_to_json(&notes));	/* and why a part is missing */
	if (!p->ask.verify)
		json_object_del(w->o, "corrupt");
	if (p->owd_relative) {		/* do not report them as absolute */
		pace_jw_put(w, "owd_ns", json_null());
		pace_jw_put(w, "owd_scheduled_ns", json_null());
	}
}

static json_t *
stream_to_json(const P *p)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "stream", p->number - 1);
	pace_fields_put(&w, &stream_fields, p);
	put_exceptions(&w, p);
	json_object_del(json_object_get(json_object_get(w.o, "rx"), "gap_ns"), "linear");
	return w.o;
}

static json_t *
make_stream(const void *point, uint32_t i)
{
	return stream_to_json(((const P *)point)->streams[i]);
}

static json_t *
make_bare_stream(const void *point, uint32_t i)
{
	json_t *one = make_stream(point, i);

	pace_hist_strip_bins(one);
	return one;
}

/* The bins stay if all streams together have few: a document stays small. */
static bool
has_few_bins(const P *p)
{
	size_t bins = 0;

	for (uint32_t i = 0; i < p->ask.streams && bins <= PACE_STREAM_BINS; i++) {
		json_t *one = stream_to_json(p->streams[i]);

		bins += pace_hist_count_bins(one);
		json_decref(one);
	}
	return bins <= PACE_STREAM_BINS;
}

void
pace_point_list(const void *point, bool bare, struct pace_js_list *list)
{
	const P *p = point;

	*list = (struct pace_js_list){ .name = STREAMS, .of = p };
	if (p->streams == NULL)
		return;
	list->n = p->ask.streams;
	list->make = bare || !has_few_bins(p) ? make_bare_stream : make_stream;
}

static void
put_streams(struct pace_jw *w, const char *name, const void *s)
{
	struct pace_js_list list;
	json_t *all = json_array();

	pace_point_list(s, false, &list);
	for (uint32_t i = 0; i < list.n; i++)
		all = pace_js_append(all, list.make(list.of, i));
	pace_jw_put(w, name, all);
}

static bool
read_stream(P *p, const json_t *o)
{
	struct pace_jr j = { .o = o };

	p->has_rx = !json_is_null(pace_jr_get(&j, "rx"));
	if (pace_jr_count(&j, "stream") + 1 != p->number || (p->has_rx && (j.bad ||
	    pace_rx_result_from_json(&p->rx, NULL, o, p->ask.verify) != 0)))
		return false;
	pace_fields_get(&j, &stream_fields, p);
	return !j.bad && !(p->owd_relative && p->rx.has_owd);
}

/* One after the other: a list with a bad stream costs no more memory. */
static void
get_streams(struct pace_jr *j, const char *name, void *s)
{
	const json_t *list = pace_jr_get(j, name);
	P *p = s;

	j->bad |= !json_is_array(list) || p->ask.streams < 2 ||
	    json_array_size(list) != p->ask.streams;
	if (!j->bad)
		p->streams = calloc(p->ask.streams, sizeof(*p->streams));
	j->bad |= p->streams == NULL;
	for (uint32_t i = 0; !j->bad && i < p->ask.streams; i++)
		j->bad |= pace_point_add_stream(p, i) != 0 ||
		    !read_stream(p->streams[i], json_array_get(list, i));
}

/* --- the whole point ------------------------------------------------------------------- */

const struct pace_fields pace_point_fields = { .name = "stream_point",
    .rules = "'allOf': [ { 'if': { 'properties': { 'verify': { 'const': true } } }, "
    "'then': { 'required': ['corrupt'] } }, " DELAY_RULES " ]", .row = PACE_FIELDS(
	STARTED_ROW,
	{ "size_bytes", PACE_PART(P, ask, ask_fields) },
	{ "begin", PACE_OBJECT(P, begin, begin_fields), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_LAX, .text = "Only with --start-at or --group: when the run began." },
	{ "verdict", PACE_ROWS(ends_fields) },
	{ "cpu", .kind = PACE_F_OWN,	/* put with the counters */
	    .type = "'type': 'object', 'required': ['client', 'responder'], "
	    "'additionalProperties': { '$ref': '#/$defs/cores' }" },
	{ "counters", PACE_OWN(put_counters, get_counters),
	    .type = "'type': 'object', 'required': ['client', 'responder'], "
	    "'additionalProperties': { '$ref': '#/$defs/counters_or_null' }",
	    .text = "Counters of both hosts, below." },
	{ "wire", PACE_OWN(put_wire, get_wire), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    .given = has_rx_wire, .type = "'$ref': '#/$defs/wire'",
	    .text = "Only with --capture of udpace-throughput(1): the stream as seen by captures "
	    "of the sender's and of the receiver's interface, below." },
	{ "ipv6", PACE_BOOL(P, ipv6), .text = "Whether the frames were sent over IPv6." },
	{ "ledger", PACE_ROWS(judged_fields) },
	{ "wire", PACE_OWN(put_wire, NULL), .when = PACE_F_OR_ABSENT, .flags = PACE_F_WRITTEN,
	    .given = has_tx_wire_only },	/* without the responder's, it is here */
	{ "intervals", PACE_OWN(pace_intervals_put, pace_intervals_get),
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX, .given = has_intervals,
	    .type = "'type': 'array', 'maxItems': 4096, 'items': { '$ref': '#/$defs/interval' }",
	    .text = "Only with --interval of udpace-throughput(1): the parts of the run in time, "
	    "below; of several streams, their sums." },
	NOTES_ROW,
	{ STREAMS, PACE_OWN(put_streams, get_streams), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_LAX, .given = is_split, .of = &stream_fields,
	    .type = "'type': 'array', 'minItems': 2, 'maxItems': 256, "
	    "'items': { '$ref': '#/$defs/stream' }",
	    .text = "Only with several streams: the results of each one, below. The other members "
	    "of the point are then their aggregate." },
) };

json_t *
pace_point_to_json(const struct pace_point *p)
{
	struct pace_jw w = { .o = pace_fields_to_json(&pace_point_fields, p) };

	put_exceptions(&w, p);
	return w.o;
}

json_t *
pace_point_head_to_json(const struct pace_point *p)
{
	struct pace_fields head = pace_point_fields;
	struct pace_jw w = { .o = NULL };
	struct pace_field *rows;
	size_t n = 0;

	while (strcmp(head.row[n].name, STREAMS) != 0)
		n++;
	rows = calloc(n + 1, sizeof(*rows));
	if (rows == NULL)
		return NULL;
	memcpy(rows, head.row, n * sizeof(*rows));
	head.row = rows;
	w.o = pace_fields_to_json(&head, p);
	put_exceptions(&w, p);
	free(rows);
	return w.o;
}

int
pace_point_from_json(struct pace_point *p, const json_t *o)
{
	struct pace_jr j = { .o = o };

	pace_point_clear(p);
	p->has_rx = !json_is_null(pace_jr_get(&j, "rx"));
	if (p->has_rx && (j.bad || pace_rx_result_from_json(&p->rx, &p->theirs, o,
	    json_is_true(json_object_get(o, "verify"))) != 0))
		return -EPROTO;
	pace_fields_get(&j, &pace_point_fields, p);
	if (p->ask.repeats > 1 && (!pace_jr_has(&j, "repeat") || p->ask.repeat >= p->ask.repeats))
		return -EPROTO;
	if (j.bad || (p->owd_relative && p->rx.has_owd))
		return -EPROTO;
	return pace_point_broken(p) == NULL ? 0 : -EPROTO;
}
