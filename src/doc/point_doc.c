#include "doc/point_doc.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/record.h"
#include "core/schedule.h"
#include "core/wire.h"
#include "doc/clock_doc.h"
#include "doc/counters_doc.h"
#include "doc/fate.h"
#include "doc/hist_doc.h"
#include "doc/js.h"
#include "doc/ledger_doc.h"
#include "doc/receipt_doc.h"
#include "doc/witness_doc.h"

#define FP32	4294967296.0	/* 2^32: one ns of a spacing */

/* The responder's members beside "corrupt". */
static const char *const members[] = {
	"rx", "loss", "duplicates", "replicated", "foreign", "reordering", "owd_ns",
	"owd_scheduled_ns", "pdv_ns", "ipdv_ns", "jitter_rfc3550_ns",
	"jitter_rfc3550_max_ns", "absurd_times", "records", "wall_clock",
};

json_t *
pace_spacing_to_json(uint64_t spacing)
{
	if ((spacing & UINT32_MAX) == 0)
		return json_integer((json_int_t)(spacing >> 32));
	return json_real((double)spacing / FP32);
}

static json_t *
lens_to_json(const struct pace_ask *a)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_put(&w, "low_ns", json_integer(a->lens.low));
	pace_jw_put(&w, "width_ns", json_integer(a->lens.width));
	pace_jw_count(&w, "bins", a->lens.bins);
	return w.o;
}

static json_t *
record_to_json(const struct pace_ask *a)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "room", a->record.room);
	pace_jw_count(&w, "skip", a->record.skip);
	pace_jw_bool(&w, "lost_only", a->record.lost_only);
	return w.o;
}

static void
put_ask(struct pace_jw *w, const struct pace_ask *a)
{
	pace_jw_count(w, "size_bytes", a->size_bytes);
	pace_jw_put(w, "spacing_ns", pace_spacing_to_json(a->spacing));
	pace_jw_count(w, "count", a->count);
	if (a->duration_ns > 0)
		pace_jw_put(w, "asked_duration_ns", json_integer(a->duration_ns));
	pace_jw_count(w, "train", a->train);
	pace_jw_text(w, "catch_up", pace_catch_up_name(a->catch_up));
	pace_jw_bool(w, "busy_poll", a->busy_poll);
	pace_jw_stamp(w, a->nic ? PACE_STAMP_NIC : PACE_STAMP_KERNEL);
	pace_jw_count(w, "bursts", a->bursts);
	if (a->bursts > 1)
		pace_jw_put(w, "burst_gap_ns", json_integer(a->burst_gap_ns));
	pace_jw_bool(w, "verify", a->verify);
	pace_jw_put(w, "grace_ns", json_integer(a->grace_ns));
	pace_jw_count(w, "dscp", a->dscp);
	if (a->repeats > 1) {
		pace_jw_count(w, "repeat", a->repeat);
		pace_jw_count(w, "repeats", a->repeats);
	}
	if (a->lens.bins > 0)
		pace_jw_put(w, "lens", lens_to_json(a));
	if (a->record.room > 0)
		pace_jw_put(w, "record", record_to_json(a));
}

json_t *
pace_stalls_to_json(const struct pace_stalls *s)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "count", s->count);
	pace_jw_put(&w, "total_ns", json_integer(s->total_ns));
	pace_jw_put(&w, "max_ns", json_integer(s->max_ns));
	return w.o;
}

/* [[errno, its name, frames] ...] */
static json_t *
refusals_to_json(const struct pace_tx *t)
{
	json_t *j = json_array();
	char name[32];

	for (int i = 0; i < PACE_REFUSALS && t->refusals[i].code != 0; i++) {
		json_t *one = json_pack("[i, s, o]", t->refusals[i].code,
		    pace_fate_errno(t->refusals[i].code, name, sizeof(name)),
		    pace_js_count(t->refusals[i].frames));

		j = pace_js_append(j, one);
	}
	return j;
}

static json_t *
tx_to_json(const struct pace_tx *t)
{
	const double rate_bps[2] = { t->user_rate_bps, t->wire_rate_bps };
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "engine", pace_engine_name(t->engine));
	pace_jw_count(&w, "frames", t->frames);
	pace_jw_count(&w, "bytes", t->bytes);
	pace_jw_flow(&w, t->frames, t->duration_ns, rate_bps);
	pace_jw_count(&w, "late_frames", t->late_frames);
	pace_jw_count(&w, "refused", t->refused);
	pace_jw_put(&w, "refusals", refusals_to_json(t));
	if (t->refused_errno != 0)
		pace_jw_put(&w, "refused_errno", json_integer(t->refused_errno));
	pace_jw_put(&w, "gap_ns", pace_hist_to_json(&t->gap, "ns"));
	pace_jw_put(&w, "gap_error_ns", pace_hist_to_json(&t->gap_error, "ns"));
	pace_jw_stamp(&w, t->stamp);
	pace_jw_put(&w, "stack_ns", pace_hist_to_json(&t->stack, "ns"));
	pace_jw_count(&w, "slips", t->slips);
	pace_jw_put(&w, "slipped_ns", json_integer(t->slipped_ns));
	pace_jw_count(&w, "skipped", t->skipped);
	pace_jw_put(&w, "stalls", pace_stalls_to_json(&t->stalls));
	pace_jw_count(&w, "preempted", t->preempted);
	pace_jw_put(&w, "steal_ns", json_integer(t->steal_ns));
	pace_jw_put(&w, "sndbuf_asked_bytes", pace_js_known(t->sndbuf_asked));
	pace_jw_put(&w, "sndbuf_granted_bytes", pace_js_known(t->sndbuf_granted));
	return w.o;
}

static void
put_receipt(struct pace_jw *w, const struct pace_point *p)
{
	json_t *receipt = pace_receipt_to_json(&p->rx, &p->theirs, p->ask.verify), *v;
	const char *key;

	if (receipt == NULL)
		pace_jw_put(w, "rx", NULL);
	json_object_foreach(receipt, key, v)
		pace_jw_put(w, key, json_incref(v));
	json_decref(receipt);
	if (p->owd_relative) {		/* not to be told as if they were absolute */
		pace_jw_put(w, "owd_ns", json_null());
		pace_jw_put(w, "owd_scheduled_ns", json_null());
	}
}

static void
put_no_receipt(struct pace_jw *w, const struct pace_point *p)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		pace_jw_put(w, members[i], json_null());
	if (p->ask.verify)
		pace_jw_put(w, "corrupt", json_null());
	pace_jw_put(w, "cpu", json_pack("{s:n}", "responder"));
	pace_jw_put(w, "counters", json_pack("{s:n}", "responder"));
}

/* Beside the responder's, of which there is none where the receipt has none. */
static void
put_wire(struct pace_jw *w, const struct pace_point *p)
{
	bool rx = p->has_rx && p->rx.has_wire;
	struct pace_jw wire = { .o = rx ? json_incref(json_object_get(w->o, "wire")) :
	    json_pack("{s:n}", "rx") };

	if (p->has_wire || rx)
		pace_jw_put(&wire, "tx", p->has_wire ?
		    pace_witness_to_json(&p->wire, p->tx.frames) : json_null());
	if (p->has_wire || rx)
		pace_jw_put(w, "wire", wire.o);
	else
		json_decref(wire.o);
}

/* Beside the responder's. */
static void
put_counters(struct pace_jw *w, const struct pace_point *p)
{
	struct pace_jw cpu = { .o = json_incref(json_object_get(w->o, "cpu")) };
	struct pace_jw counters = { .o = json_incref(json_object_get(w->o, "counters")) };

	pace_jw_put(&cpu, "client", pace_cpu_to_json(&p->ours));
	pace_jw_put(&counters, "client", pace_counters_to_json(&p->ours, p->tx.bytes));
	pace_jw_put(w, "cpu", cpu.o);		/* NULL sticks */
	pace_jw_put(w, "counters", counters.o);
}

json_t *
pace_notes_to_json(const struct pace_notes *n)
{
	json_t *j = json_array();

	for (int i = 0; i < n->n; i++) {
		struct pace_jw w = pace_jw_begin();

		pace_jw_text(&w, "code", n->v[i].code);
		pace_jw_text(&w, "text", n->v[i].text);
		j = pace_js_append(j, w.o);
	}
	return j;
}

json_t *
pace_point_to_json(const struct pace_point *p)
{
	struct pace_jw w = pace_jw_begin();
	struct pace_notes notes;

	pace_point_notes(p, &notes);
	if (p->started[0] != '\0')
		pace_jw_text(&w, "started", p->started);
	put_ask(&w, &p->ask);
	pace_jw_text(&w, "verdict", pace_verdict_name(p->verdict));
	pace_jw_bool(&w, "interrupted", p->interrupted);
	pace_jw_put(&w, "tx", tx_to_json(&p->tx));
	if (p->has_rx)
		put_receipt(&w, p);
	else
		put_no_receipt(&w, p);
	put_counters(&w, p);
	pace_jw_bool(&w, "ipv6", p->ipv6);
	pace_jw_put(&w, "ledger", pace_ledger_to_json(p));
	pace_jw_put(&w, "clock", pace_clock_to_json(&p->clock));
	pace_jw_bool(&w, "owd_relative", p->owd_relative);
	put_wire(&w, p);
	pace_jw_put(&w, "notes", pace_notes_to_json(&notes));
	return w.o;
}

static uint64_t
read_spacing(struct pace_jr *r)
{
	double ns = pace_jr_real(r, "spacing_ns");

	if (ns < 0 || ns > (double)PACE_SPACING_MAX_NS) {
		r->bad = true;
		return 0;
	}
	return (uint64_t)round(ns * FP32);
}

static bool
read_lens(struct pace_ask *a, const json_t *o)
{
	struct pace_jr j = { .o = o };

	a->lens.low = pace_jr_int(&j, "low_ns", -PACE_JS_MAX, PACE_JS_MAX);
	a->lens.width = pace_jr_int(&j, "width_ns", 1, PACE_JS_MAX);
	a->lens.bins = (uint32_t)pace_jr_int(&j, "bins", 1, PACE_LENS_MAX_BINS);
	return !j.bad;
}

static bool
read_record(struct pace_ask *a, const json_t *o)
{
	struct pace_jr j = { .o = o };

	a->record.room = (uint64_t)pace_jr_int(&j, "room", 1, PACE_RECORD_LIMIT);
	a->record.skip = pace_jr_count(&j, "skip");
	a->record.lost_only = pace_jr_bool(&j, "lost_only");
	return !j.bad;
}

static enum pace_catch_up
read_catch_up(struct pace_jr *j)
{
	char text[16];

	pace_jr_text(j, "catch_up", text, sizeof(text));
	for (int c = PACE_CATCH_AUTO; c <= PACE_CATCH_SKIP; c++)
		if (strcmp(text, pace_catch_up_name((enum pace_catch_up)c)) == 0)
			return (enum pace_catch_up)c;
	j->bad = true;
	return PACE_CATCH_AUTO;
}

static enum pace_engine
read_engine(struct pace_jr *j)
{
	char text[16];

	pace_jr_text(j, "engine", text, sizeof(text));
	for (int e = PACE_ENGINE_SINGLE; e <= PACE_ENGINE_SENDMMSG; e++)
		if (strcmp(text, pace_engine_name((enum pace_engine)e)) == 0)
			return (enum pace_engine)e;
	j->bad = true;
	return PACE_ENGINE_SINGLE;
}

static void
read_ask(struct pace_ask *a, struct pace_jr *j)
{
	enum pace_stamp stamp;

	a->size_bytes = (uint32_t)pace_jr_int(j, "size_bytes", 1, PACE_FRAME_MAX);
	a->spacing = read_spacing(j);
	a->count = pace_jr_count(j, "count");
	a->duration_ns = (int64_t)pace_jr_count_or_0(j, "asked_duration_ns");
	a->train = (uint64_t)pace_jr_int(j, "train", 1, PACE_JS_MAX);
	a->catch_up = read_catch_up(j);
	a->busy_poll = pace_jr_bool(j, "busy_poll");
	stamp = pace_jr_stamp(j);
	if (stamp != PACE_STAMP_KERNEL && stamp != PACE_STAMP_NIC)
		j->bad = true;
	a->nic = stamp == PACE_STAMP_NIC;
	a->bursts = (uint64_t)pace_jr_int(j, "bursts", 1, PACE_JS_MAX);
	a->burst_gap_ns = (int64_t)pace_jr_count_or_0(j, "burst_gap_ns");
	a->verify = pace_jr_bool(j, "verify");
	a->grace_ns = (int64_t)pace_jr_count(j, "grace_ns");
	a->dscp = (uint32_t)pace_jr_int(j, "dscp", 0, 63);
	a->repeats = 1;
	if (pace_jr_has(j, "repeats")) {
		a->repeats = (uint32_t)pace_jr_int(j, "repeats", 2, UINT32_MAX);
		a->repeat = (uint32_t)pace_jr_int(j, "repeat", 0, (int64_t)a->repeats - 1);
	}
	if (pace_jr_has(j, "lens") && !read_lens(a, pace_jr_get(j, "lens")))
		j->bad = true;
	if (pace_jr_has(j, "record") && !read_record(a, pace_jr_get(j, "record")))
		j->bad = true;
}

void
pace_stalls_from_json(struct pace_stalls *s, struct pace_jr *from)
{
	struct pace_jr j = { .o = pace_jr_get(from, "stalls") };

	s->count = pace_jr_count(&j, "count");
	s->total_ns = (int64_t)pace_jr_count(&j, "total_ns");
	s->max_ns = (int64_t)pace_jr_count(&j, "max_ns");
	from->bad |= j.bad;
}

static bool
read_refusals(struct pace_tx *t, const json_t *list)
{
	if (!json_is_array(list) || json_array_size(list) > PACE_REFUSALS)
		return false;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		const json_t *code = json_array_get(one, 0), *frames = json_array_get(one, 2);

		if (!json_is_integer(code) || !json_is_integer(frames) ||
		    json_integer_value(code) < 1 || json_integer_value(code) > 4095 ||
		    json_integer_value(frames) < 0 || json_integer_value(frames) > PACE_JS_MAX)
			return false;
		t->refusals[i].code = (int)json_integer_value(code);
		t->refusals[i].frames = (uint64_t)json_integer_value(frames);
	}
	return true;
}

static bool
read_tx(struct pace_tx *t, const json_t *o)
{
	struct pace_jr j = { .o = o };

	t->engine = read_engine(&j);
	t->frames = pace_jr_count(&j, "frames");
	t->bytes = pace_jr_count(&j, "bytes");
	pace_jr_flow(&j, t->frames, &t->duration_ns, &t->user_rate_bps,
	    &t->wire_rate_bps);
	t->late_frames = pace_jr_count(&j, "late_frames");
	t->refused = pace_jr_count(&j, "refused");
	if (!read_refusals(t, pace_jr_get(&j, "refusals")))
		return false;
	if (pace_jr_has(&j, "refused_errno"))
		t->refused_errno = (int)pace_jr_int(&j, "refused_errno", 1, 4095);
	t->stamp = pace_jr_stamp(&j);
	t->slips = pace_jr_count(&j, "slips");
	t->slipped_ns = (int64_t)pace_jr_count(&j, "slipped_ns");
	t->skipped = pace_jr_count(&j, "skipped");
	t->preempted = pace_jr_count(&j, "preempted");
	t->steal_ns = (int64_t)pace_jr_count(&j, "steal_ns");
	t->sndbuf_asked = pace_jr_bytes_or_0(&j, "sndbuf_asked_bytes");
	t->sndbuf_granted = pace_jr_bytes_or_0(&j, "sndbuf_granted_bytes");
	pace_stalls_from_json(&t->stalls, &j);
	return pace_hist_from_json(&t->gap, pace_jr_get(&j, "gap_ns"), "ns") == 0 &&
	    pace_hist_from_json(&t->gap_error, pace_jr_get(&j, "gap_error_ns"), "ns") == 0 &&
	    pace_hist_from_json(&t->stack, pace_jr_get(&j, "stack_ns"), "ns") == 0 &&
	    !j.bad;
}

static int
read_ours(struct pace_counters *c, struct pace_jr *j)
{
	struct pace_jr cpu = { .o = pace_jr_get(j, "cpu") };
	struct pace_jr counters = { .o = pace_jr_get(j, "counters") };

	return pace_counters_from_json(c, pace_jr_get(&cpu, "client"),
	    pace_jr_get(&counters, "client"));
}

enum pace_verdict
pace_verdict_from_json(struct pace_jr *j)
{
	char text[16];

	pace_jr_text(j, "verdict", text, sizeof(text));
	for (int v = PACE_PACED; v <= PACE_TRAIN; v++)
		if (strcmp(text, pace_verdict_name((enum pace_verdict)v)) == 0)
			return (enum pace_verdict)v;
	j->bad = true;
	return PACE_DEGRADED;
}

int
pace_notes_from_json(struct pace_notes *n, const json_t *o)
{
	n->n = 0;
	if (!json_is_array(o))
		return -EPROTO;
	for (size_t i = 0; i < json_array_size(o); i++) {
		struct pace_jr j = { .o = json_array_get(o, i) };
		struct pace_note note;

		pace_jr_text(&j, "code", note.code, sizeof(note.code));
		pace_jr_text(&j, "text", note.text, sizeof(note.text));
		if (j.bad || note.code[0] == '\0')
			return -EPROTO;
		pace_note(n, note.code, "%s", note.text);
	}
	return 0;
}

/* The sender's side; the responder's is the receipt's. */
static bool
read_wire(struct pace_point *p, struct pace_jr *j)
{
	struct pace_jr wire = { .o = pace_jr_has(j, "wire") ? pace_jr_get(j, "wire") : NULL };
	const json_t *tx = wire.o != NULL ? pace_jr_get(&wire, "tx") : NULL;

	if (wire.o == NULL || (!p->has_rx && !json_is_null(pace_jr_get(&wire, "rx"))))
		return wire.o == NULL;
	p->has_wire = !json_is_null(tx);
	return !wire.bad && (!p->has_wire ||
	    pace_witness_from_json(&p->wire, p->tx.frames, tx) == 0);
}

int
pace_point_from_json(struct pace_point *p, const json_t *o)
{
	struct pace_jr j = { .o = o };

	pace_counters_free(&p->ours);
	pace_counters_free(&p->theirs);
	memset(p, 0, sizeof(*p));
	pace_receipt_reset(&p->rx);
	pace_jr_text_or_empty(&j, "started", p->started, sizeof(p->started));
	read_ask(&p->ask, &j);
	p->verdict = pace_verdict_from_json(&j);
	p->interrupted = pace_jr_bool(&j, "interrupted");
	p->has_rx = !json_is_null(pace_jr_get(&j, "rx"));
	if (j.bad || !read_tx(&p->tx, pace_jr_get(&j, "tx")))
		return -EPROTO;
	if (p->has_rx && pace_receipt_from_json(&p->rx, &p->theirs, o, p->ask.verify) != 0)
		return -EPROTO;
	if (read_ours(&p->ours, &j) != 0)
		return -EPROTO;
	p->ipv6 = pace_jr_bool(&j, "ipv6");
	if (pace_ledger_from_json(&p->ledger, pace_jr_get(&j, "ledger"), p->has_rx) != 0 ||
	    pace_clock_from_json(&p->clock, pace_jr_get(&j, "clock")) != 0 ||
	    pace_notes_from_json(&p->notes, pace_jr_get(&j, "notes")) != 0)
		return -EPROTO;
	p->owd_relative = pace_jr_bool(&j, "owd_relative");
	if (!read_wire(p, &j))
		return -EPROTO;
	if (j.bad || (p->owd_relative && p->rx.has_owd))
		return -EPROTO;
	return pace_point_broken(p) == NULL ? 0 : -EPROTO;
}
