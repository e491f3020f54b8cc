#include "doc/point_doc.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/record.h"
#include "core/schedule.h"
#include "core/wire.h"
#include "doc/clock_doc.h"
#include "doc/counters_doc.h"
#include "doc/field.h"
#include "doc/ledger_doc.h"
#include "doc/loss_attribution.h"
#include "doc/rx_result_doc.h"
#include "doc/wire_check_doc.h"

#define FP32		4294967296.0	/* 2^32: one ns of a spacing */
#define ERRNO_MAX	4095

json_t *
pace_spacing_to_json(uint64_t spacing)
{
	if ((spacing & UINT32_MAX) == 0)
		return json_integer((json_int_t)(spacing >> 32));
	return json_real((double)spacing / FP32);
}

/* --- what was asked for ------------------------------------------------------------- */

#define A	struct pace_params

static const char *const stamps[] = { "kernel", "nic" };

static void
put_spacing(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_put(w, name, pace_spacing_to_json(*(const uint64_t *)s));
}

static void
get_spacing(struct pace_jr *j, const char *name, void *s)
{
	double ns = pace_jr_real(j, name);

	j->bad |= !(ns >= 0 && ns <= (double)PACE_SPACING_MAX_NS);
	*(uint64_t *)s = j->bad ? 0 : (uint64_t)round(ns * FP32);
}

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

static const struct pace_field lens_rows[] = {
	{ "low_ns", PACE_INT(A, lens.low) },
	{ "width_ns", PACE_INT(A, lens.width), .low = 1, .high = PACE_JS_MAX },
	{ "bins", PACE_COUNT(A, lens.bins), .low = 1, .high = PACE_LINEAR_HIST_MAX_BINS },
	{ .name = NULL },
};

static const struct pace_field record_rows[] = {
	{ "room", PACE_COUNT(A, record.room), .low = 1, .high = PACE_RECORD_LIMIT },
	{ "skip", PACE_COUNT(A, record.skip) },
	{ "lost_only", PACE_BOOL(A, record.lost_only) },
	{ .name = NULL },
};

static const struct pace_fields lens_fields = { .name = "lens", .row = lens_rows };
static const struct pace_fields record_fields = { .name = "record", .row = record_rows };

static const struct pace_field ask_rows[] = {
	{ "size_bytes", PACE_COUNT(A, size_bytes), .low = 1, .high = PACE_FRAME_MAX,
	    .text = "User data of a frame, header of the probe included." },
	{ "spacing_ns", PACE_OWN_OF(A, spacing, put_spacing, get_spacing),
	    .type = "'type': 'number', 'minimum': 0",
	    .text = "Between the starts of two frames; 0: as fast as possible. A real number when "
	    "it follows from a rate and is no whole number of nanoseconds." },
	{ "count", PACE_COUNT(A, count),
	    .text = "Frames asked for, of each burst if there are several; 0 in a run by time." },
	{ "asked_duration_ns", PACE_NS(A, duration_ns), .when = PACE_F_OR_ABSENT,
	    .text = "Length of a run by time; absent in a run by count." },
	{ "train", PACE_COUNT(A, train), .low = 1, .high = PACE_JS_MAX,
	    .text = "Frames sent back to back every so many spacings; 1: each on its own. Gaps are "
	    "then those from train to train." },
	{ "catch_up", PACE_NAME(A, catch_up, pace_catch_up_names),
	    .text = "What became of frames that were overdue: \"auto\", \"burst\", \"slip\" or "
	    "\"skip\"; see udpace-throughput(1)." },
	{ "busy_poll", PACE_BOOL(A, busy_poll),
	    .text = "Whether the responder was asked to spin." },
	{ "stamp", PACE_NAME(A, nic, stamps),
	    .text = "What was to stamp frames at both ends: \"kernel\" or \"nic\", the network "
	    "devices." },
	{ "bursts", PACE_COUNT(A, bursts), .low = 1, .high = PACE_JS_MAX,
	    .text = "Bursts; 1: one stream." },
	{ "burst_gap_ns", PACE_NS(A, burst_gap_ns), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_LAX, .given = has_bursts,
	    .text = "Pause after a burst; only when there are several." },
	{ "verify", PACE_BOOL(A, verify), .text = "Whether payloads were checked." },
	{ "grace_ns", PACE_NS(A, grace_ns), .text = "How long late frames were waited for." },
	{ "dscp", PACE_COUNT(A, dscp), .high = 63,
	    .text = "Differentiated services code point of its frames." },
	{ "repeat", PACE_COUNT(A, repeat), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    .given = has_repeats },
	{ "repeats", PACE_COUNT(A, repeats), .low = 2, .high = UINT32_MAX,
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX, .given = has_repeats, .none = 1,
	    .text = "Of a point that is measured several times: which one this is, from 0, and how "
	    "many there are." },
	{ "lens", PACE_SELF(lens_fields), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    PACE_F_IF(A, lens.bins),
	    .text = "The linear histogram asked for: `low_ns`, `width_ns`, `bins`; absent if none "
	    "was." },
	{ "record", PACE_SELF(record_fields), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    PACE_F_IF(A, record.room),
	    .text = "Frames to be kept one by one: `room` for so many, those with numbers from "
	    "`skip` on, and with `lost_only` only those beside a hole; absent if none were asked "
	    "for." },
	{ .name = NULL },
};

static const struct pace_fields ask_fields = { .name = "ask", .row = ask_rows };

/* --- tx ------------------------------------------------------------------------------ */

#define T	struct pace_tx

static const struct pace_field stalls_rows[] = {
	{ "count", PACE_COUNT(struct pace_stalls, count) },
	{ "total_ns", PACE_NS(struct pace_stalls, total_ns) },
	{ "max_ns", PACE_NS(struct pace_stalls, max_ns) },
	{ .name = NULL },
};

const struct pace_fields pace_stalls_fields = { .name = "stalls", .row = stalls_rows };

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

static const struct pace_field tx_rows[] = {
	{ "engine", PACE_NAME(T, engine, pace_engine_names),
	    .text = "How frames were handed to the kernel: \"single\" (one by one), \"segment\" "
	    "(trains in one piece, cut up by the kernel: UDP_SEGMENT) or \"sendmmsg\" (trains, "
	    "where that was refused)." },
	{ "frames", PACE_COUNT(T, frames) },
	{ "bytes", PACE_COUNT(T, bytes),
	    .text = "Frames that the kernel accepted, and the user data in them." },
	{ "duration_ns", PACE_NS(T, duration_ns), .when = PACE_F_OR_NULL, .given = is_timed,
	    .text = "First to last departure." },
	{ "user_rate_bps", PACE_REAL(T, user_rate_bps), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_ABOVE_0, .given = is_rated },
	{ "wire_rate_bps", PACE_REAL(T, wire_rate_bps), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_ABOVE_0, .given = is_rated,
	    .text = "User data, and Ethernet line time with preamble, gap, headers, FCS, fragments "
	    "and VLAN tags, of frames 2 to n over `duration_ns`. null when fewer than two frames "
	    "were sent." },
	{ "late_frames", PACE_COUNT(T, late_frames),
	    .text = "Frames that left more than one spacing, 1 \xc2\xb5s at least, after their "
	    "moment." },
	{ "refused", PACE_COUNT(T, refused), .text = "Frames that the kernel did not accept." },
	{ "refusals", PACE_OWN(put_refusals, get_refusals),
	    .type = "'type': 'array', 'maxItems': 8, 'items': { 'type': 'array', 'minItems': 3, "
	    "'maxItems': 3, 'prefixItems': [ { 'type': 'integer', 'minimum': 1 }, "
	    "{ 'type': 'string' }, { 'type': 'integer', 'minimum': 0 } ] }",
	    .text = "All its reasons, each [errno, name, frames]; the frames add up to "
	    "`refused`." },
	{ "refused_errno", PACE_INT(T, refused_errno), .low = 1, .high = ERRNO_MAX,
	    .when = PACE_F_OR_ABSENT,
	    .text = "Its last reason, an errno(3); absent if it refused none." },
	{ "gap_ns", PACE_HIST(T, gap, pace_unit_ns),
	    .text = "Histogram of the time between departures, those between bursts left out." },
	{ "gap_error_ns", PACE_HIST(T, gap_error, pace_unit_ns),
	    .text = "Histogram of the same less `spacing_ns`, signed. Where a bin of `gap_ns` is 64 "
	    "ns wide this one shows single nanoseconds." },
	{ "stamp", PACE_NAME(T, stamp, pace_stamp_names),
	    .text = "Where departures were stamped: \"user\" (a clock read just before the send), "
	    "\"kernel\" or \"nic\"; null if nothing was." },
	{ "stack_ns", PACE_HIST(T, stack, pace_unit_ns),
	    .text = "Histogram of the time from the departure stamp to the transmit stamp of the "
	    "kernel, or of the device when those were asked for, of every 64th frame; empty for "
	    "trains and spacings below 8 \xc2\xb5s, and where there are no such stamps. Its mean is "
	    "the delay of the sending host's stack, its standard deviation the jitter." },
	{ "slips", PACE_COUNT(T, slips) },
	{ "slipped_ns", PACE_NS(T, slipped_ns),
	    .text = "How often the sender was so far behind that the schedule was moved, and by "
	    "how much in all." },
	{ "skipped", PACE_COUNT(T, skipped),
	    .text = "Slots left out with --catch-up skip; not part of `ledger.asked`." },
	{ "stalls", PACE_OBJECT(T, stalls, pace_stalls_fields),
	    .text = "Freezes of the sending thread seen while it waited for a moment, of more than "
	    "5 \xc2\xb5s: `count`, `total_ns`, `max_ns`." },
	{ "preempted", PACE_COUNT(T, preempted),
	    .text = "Involuntary context switches of the sending thread." },
	{ "steal_ns", PACE_NS(T, steal_ns),
	    .text = "Time that the hypervisor took from all cores of the sending host, as far as it "
	    "tells." },
	{ "sndbuf_asked_bytes", PACE_COUNT(T, sndbuf_asked), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .type = PACE_TYPE_KNOWN },
	{ "sndbuf_granted_bytes", PACE_COUNT(T, sndbuf_granted), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .type = PACE_TYPE_KNOWN,
	    .text = "Send buffer asked for and granted by the kernel; null if not known." },
	{ .name = NULL },
};

const struct pace_fields pace_tx_fields = { .name = "tx", .row = tx_rows,
    .text = "The sender's side; bytes are of user data." };

/* --- notes --------------------------------------------------------------------------- */

static const struct pace_field note_rows[] = {
	{ "code", PACE_TEXT(struct pace_note, code), .type = "'type': 'string', 'minLength': 1",
	    .text = "For programs." },
	{ "text", PACE_TEXT(struct pace_note, text), .text = "For people." },
	{ .name = NULL },
};

const struct pace_fields pace_note_fields = { .name = "note", .row = note_rows };

json_t *
pace_notes_to_json(const struct pace_notes *n)
{
	json_t *j = json_array();

	for (int i = 0; i < n->n; i++)
		j = pace_js_append(j, pace_fields_to_json(&pace_note_fields, &n->v[i]));
	return j;
}

int
pace_notes_from_json(struct pace_notes *n, const json_t *o)
{
	n->n = 0;
	if (!json_is_array(o))
		return -EPROTO;
	for (size_t i = 0; i < json_array_size(o); i++) {
		struct pace_note note;

		if (!pace_fields_from_json(&pace_note_fields, &note, json_array_get(o, i)) ||
		    note.code[0] == '\0')
			return -EPROTO;
		pace_note(n, note.code, "%s", note.text);
	}
	return 0;
}

void
pace_notes_put(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_put(w, name, pace_notes_to_json(s));
}

void
pace_notes_get(struct pace_jr *j, const char *name, void *s)
{
	j->bad |= pace_notes_from_json(s, pace_jr_get(j, name)) != 0;
}

/* --- the point ----------------------------------------------------------------------- */

#define P	struct pace_point

static bool
has_no_rx(const void *s)
{
	return !((const P *)s)->has_rx;
}

/* Of the members of a receiver's result that is missing it is the last. */
static void
move_here(struct pace_jw *w, const char *name, const void *s)
{
	(void)s;
	json_object_del(w->o, name);
	pace_jw_put(w, name, json_null());
}

static void
put_cpu(struct pace_jw *w, const char *name, const void *s)
{
	const P *p = s;
	struct pace_jw cpu = pace_jw_begin();

	pace_jw_put(&cpu, "responder", p->has_rx ? pace_cpu_to_json(&p->theirs) : json_null());
	pace_jw_put(&cpu, "client", pace_cpu_to_json(&p->ours));
	pace_jw_put(w, name, cpu.o);
}

static void
put_counters(struct pace_jw *w, const char *name, const void *s)
{
	const P *p = s;
	struct pace_jw counters = pace_jw_begin();

	pace_jw_put(&counters, "responder", p->has_rx ?
	    pace_counters_to_json(&p->theirs, p->rx.bytes) : json_null());
	pace_jw_put(&counters, "client", pace_counters_to_json(&p->ours, p->tx.bytes));
	pace_jw_put(w, name, counters.o);
}

/* The client's; the responder's are the receiver's. */
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

/* The sender's side; the responder's is the receiver's. */
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

static const struct pace_field point_rows[] = {
	{ "started", PACE_TEXT(P, started), .when = PACE_F_OR_ABSENT,
	    .type = PACE_TYPE_TIME,
	    .text = "Date and time at which its first frame was due, RFC 3339 with nanoseconds, "
	    "UTC. The wait for the responder's lease is before it." },
	{ "size_bytes", PACE_PART(P, ask, ask_fields) },
	{ "verdict", PACE_NAME(P, verdict, pace_verdict_names),
	    .text = "\"paced\": the spacing was kept. \"degraded\": it was not, and the notes say in "
	    "which way: the figures are those of what was sent, not of what was asked for. "
	    "\"train\": no spacing was asked for." },
	{ "interrupted", PACE_BOOL(P, interrupted), .text = "True if this point was cut short." },
	{ "tx", PACE_OBJECT(P, tx, pace_tx_fields), .text = "The sender's side, below." },
	{ "rx", PACE_PART(P, rx, pace_rx_result_fields), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_WRITTEN, PACE_F_HAS(P, has_rx) },
	{ "corrupt", PACE_OWN(move_here, NULL), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_WRITTEN, .given = has_no_rx },
	{ "cpu", PACE_OWN(put_cpu, NULL),
	    .type = "'type': 'object', 'required': ['client', 'responder'], "
	    "'additionalProperties': { '$ref': '#/$defs/cores' }" },
	{ "counters", PACE_OWN(put_counters, get_counters),
	    .type = "'type': 'object', 'required': ['client', 'responder'], "
	    "'additionalProperties': { '$ref': '#/$defs/counters_or_null' }",
	    .text = "What both hosts counted, below." },
	{ "wire", PACE_OWN(put_wire, get_wire), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    .given = has_rx_wire, .type = "'$ref': '#/$defs/wire'",
	    .text = "Only with --capture of udpace-throughput(1): the stream as captures of the "
	    "sender's interface and of the responder's saw it, below." },
	{ "ipv6", PACE_BOOL(P, ipv6), .text = "Whether it went by IPv6." },
	{ "ledger", PACE_OWN(put_ledger, get_ledger), .type = "'$ref': '#/$defs/ledger'",
	    .text = "Where the frames went, below." },
	{ "clock", PACE_OWN_OF(P, clock, put_clock, get_clock), .type = "'$ref': '#/$defs/clock'",
	    .text = "The responder's clock against the client's, below." },
	{ "owd_relative", PACE_BOOL(P, owd_relative),
	    .text = "True if the offset of the clocks is not known, or not well enough: "
	    "`clock.bound_ns` is clearly above the median of the delay. Only the variation is told "
	    "then." },
	{ "wire", PACE_OWN(put_wire, NULL), .when = PACE_F_OR_ABSENT, .flags = PACE_F_WRITTEN,
	    .given = has_tx_wire_only },	/* it stands here then */
	{ "notes", PACE_NOTES_ROW(P, notes),
	    .text = "What is worth knowing about the point, as in the document." },
	{ .name = NULL },
};

const struct pace_fields pace_point_fields = { .name = "stream_point", .row = point_rows,
    .rules = "'allOf': [ { 'if': { 'properties': { 'verify': { 'const': true } } }, "
    "'then': { 'required': ['corrupt'] } }, "
    "{ 'if': { 'properties': { 'owd_relative': { 'const': true } } }, "
    "'then': { 'properties': { 'owd_ns': { 'type': 'null' }, "
    "'owd_scheduled_ns': { 'type': 'null' } } }, "
    "'else': { 'if': { 'properties': { 'rx': { 'type': 'object' } } }, "
    "'then': { 'properties': { 'owd_ns': { 'type': 'object' }, "
    "'owd_scheduled_ns': { 'type': 'object' } } } } } ]" };

json_t *
pace_point_to_json(const struct pace_point *p)
{
	struct pace_jw w = { .o = pace_fields_to_json(&pace_point_fields, p) };
	struct pace_notes notes;

	pace_point_notes(p, &notes);
	pace_jw_put(&w, "notes", pace_notes_to_json(&notes));	/* with why a part is missing */
	if (!p->ask.verify)
		json_object_del(w.o, "corrupt");
	if (p->owd_relative) {		/* not to be told as if they were absolute */
		pace_jw_put(&w, "owd_ns", json_null());
		pace_jw_put(&w, "owd_scheduled_ns", json_null());
	}
	return w.o;
}

int
pace_point_from_json(struct pace_point *p, const json_t *o)
{
	struct pace_jr j = { .o = o };

	pace_counters_free(&p->ours);
	pace_counters_free(&p->theirs);
	memset(p, 0, sizeof(*p));
	pace_rx_result_reset(&p->rx);
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
