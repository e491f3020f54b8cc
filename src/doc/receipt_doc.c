#include "doc/receipt_doc.h"

#include <errno.h>

#include "core/record.h"
#include "doc/clock_doc.h"
#include "doc/counters_doc.h"
#include "doc/hist_doc.h"
#include "doc/js.h"
#include "doc/witness_doc.h"

static json_t *
gap_to_json(const struct pace_receipt *r)
{
	struct pace_jw w = { .o = pace_hist_to_json(&r->gap, "ns") };

	if (r->lens.bins > 0)
		pace_jw_put(&w, "linear", pace_lens_to_json(&r->lens));
	return w.o;
}

static json_t *
rx_to_json(const struct pace_receipt *r)
{
	const double rate_bps[2] = { r->user_rate_bps, r->wire_rate_bps };
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "frames", r->frames);
	pace_jw_count(&w, "unique", r->unique);
	pace_jw_count(&w, "bytes", r->bytes);
	pace_jw_flow(&w, r->unique, r->duration_ns, rate_bps);
	pace_jw_put(&w, "gap_ns", gap_to_json(r));
	pace_jw_put(&w, "gap_error_ns", pace_hist_to_json(&r->gap_error, "ns"));
	pace_jw_count(&w, "coalesced_stamps", r->coalesced_stamps);
	pace_jw_count(&w, "unstamped", r->unstamped);
	pace_jw_stamp(&w, r->stamp);
	pace_jw_count(&w, "clock_steps", r->clock_steps);
	pace_jw_put(&w, "rcvbuf_asked_bytes", pace_js_known(r->rcvbuf_asked));
	pace_jw_put(&w, "rcvbuf_granted_bytes", pace_js_known(r->rcvbuf_granted));
	pace_jw_count(&w, "socket_drops", r->socket_drops);
	pace_jw_count(&w, "socket_likely", r->socket_likely);
	pace_jw_count(&w, "socket_high", r->socket_high);
	pace_jw_count(&w, "bad_checksums", r->bad_checksums);
	pace_jw_bool(&w, "lease_lost", r->lease_lost);
	return w.o;
}

json_t *
pace_loss_to_json(const struct pace_receipt *r)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "frames", r->lost);
	pace_jw_put(&w, "ratio", pace_js_ratio(r->lost, r->lost + r->unique));
	pace_jw_count(&w, "periods", r->runs.stats.n);
	pace_jw_put(&w, "runs", pace_hist_to_json(&r->runs, "frames"));
	pace_jw_put(&w, "distances", pace_hist_to_json(&r->distances, "frames"));
	pace_jw_put(&w, "good_runs", pace_hist_to_json(&r->good_runs, "frames"));
	return w.o;
}

/* [[n, frames] ...], n from 1; degree 0 is what is left of the reordered. */
static json_t *
degrees_to_json(const struct pace_receipt *r)
{
	json_t *j = json_array();

	for (int n = 1; n <= PACE_SEQ_DEGREES; n++) {
		json_t *pair;

		if (r->degree[n] == 0)
			continue;
		pair = json_pack("[i, o]", n, pace_js_count(r->degree[n]));
		j = pace_js_append(j, pair);
	}
	return j;
}

static json_t *
free_runs_to_json(const struct pace_receipt *r)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "runs", r->free_runs);
	pace_jw_count(&w, "sum", r->free_sum);
	pace_jw_count(&w, "sumsq", r->free_sumsq);
	pace_jw_put(&w, "mean", pace_js_ratio(r->free_sum, r->free_runs));
	return w.o;
}

json_t *
pace_reordering_to_json(const struct pace_receipt *r)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "frames", r->reordered);
	pace_jw_put(&w, "ratio", pace_js_ratio(r->reordered, r->unique));
	pace_jw_put(&w, "extent", pace_hist_to_json(&r->extent, "frames"));
	pace_jw_put(&w, "late_ns", pace_hist_to_json(&r->late_ns, "ns"));
	pace_jw_put(&w, "n_reordering", degrees_to_json(r));
	pace_jw_put(&w, "free_runs", free_runs_to_json(r));
	pace_jw_count(&w, "beyond_window", r->beyond_window);
	pace_jw_count(&w, "window_frames", r->window);
	return w.o;
}

/* Absolute delays are there or not; the variation is always known. */
static void
put_delays(struct pace_jw *w, const struct pace_receipt *r)
{
	bool jitter = r->ipdv.stats.n > 0;

	pace_jw_put(w, "owd_ns", r->has_owd ? pace_hist_to_json(&r->owd, "ns") : json_null());
	pace_jw_put(w, "owd_scheduled_ns", r->has_owd ?
	    pace_hist_to_json(&r->owd_scheduled, "ns") : json_null());
	pace_jw_put(w, "pdv_ns", pace_hist_to_json(&r->pdv, "ns"));
	pace_jw_put(w, "ipdv_ns", pace_hist_to_json(&r->ipdv, "ns"));
	pace_jw_put(w, "jitter_rfc3550_ns", jitter ? pace_js_real(r->jitter_ns) : json_null());
	pace_jw_put(w, "jitter_rfc3550_max_ns", jitter ? pace_js_real(r->jitter_max_ns) :
	    json_null());
	pace_jw_count(w, "absurd_times", r->absurd_times);
}

static json_t *
records_to_json(const struct pace_receipt *r)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "kept", r->records);
	pace_jw_count(&w, "missed", r->records_missed);
	return w.o;
}

/* { "responder": v }: the client's comes beside it later. */
static json_t *
theirs(json_t *v)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_put(&w, "responder", v);
	return w.o;
}

static json_t *
wire_to_json(const struct pace_receipt *r)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_put(&w, "rx", pace_witness_rx_to_json(r));
	return w.o;
}

json_t *
pace_receipt_to_json(const struct pace_receipt *r, const struct pace_counters *c, bool verify)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_put(&w, "rx", rx_to_json(r));
	pace_jw_put(&w, "loss", pace_loss_to_json(r));
	pace_jw_count(&w, "duplicates", r->duplicates);
	pace_jw_count(&w, "replicated", r->replicated);
	if (verify)
		pace_jw_count(&w, "corrupt", r->corrupt);
	pace_jw_count(&w, "foreign", r->foreign);
	pace_jw_put(&w, "reordering", pace_reordering_to_json(r));
	put_delays(&w, r);
	pace_jw_put(&w, "records", records_to_json(r));
	pace_jw_put(&w, "wall_clock", pace_clock_state_to_json(&r->clock));
	pace_jw_put(&w, "cpu", theirs(pace_cpu_to_json(c)));
	pace_jw_put(&w, "counters", theirs(pace_counters_to_json(c, r->bytes)));
	if (r->has_wire)
		pace_jw_put(&w, "wire", wire_to_json(r));
	return w.o;
}

static void
read_hist(struct pace_jr *r, const char *key, struct pace_hist *h, const char *unit)
{
	if (pace_hist_from_json(h, pace_jr_get(r, key), unit) != 0)
		r->bad = true;
}

/* The lens is a member of the gap histogram, and holds the same values. */
static void
read_gap(struct pace_jr *j, struct pace_receipt *r)
{
	struct pace_jr gap = { .o = pace_jr_get(j, "gap_ns") };

	read_hist(j, "gap_ns", &r->gap, "ns");
	if (!pace_jr_has(&gap, "linear"))
		return;
	if (pace_lens_from_json(&r->lens, pace_jr_get(&gap, "linear")) != 0 ||
	    pace_lens_total(&r->lens) != r->gap.stats.n)
		j->bad = true;
}

static bool
read_rx(struct pace_receipt *r, const json_t *o)
{
	struct pace_jr j = { .o = o };

	r->frames = pace_jr_count(&j, "frames");
	r->unique = pace_jr_count(&j, "unique");
	r->bytes = pace_jr_count(&j, "bytes");
	pace_jr_flow(&j, r->unique, &r->duration_ns, &r->user_rate_bps,
	    &r->wire_rate_bps);
	read_gap(&j, r);
	read_hist(&j, "gap_error_ns", &r->gap_error, "ns");
	r->coalesced_stamps = pace_jr_count(&j, "coalesced_stamps");
	r->unstamped = pace_jr_count(&j, "unstamped");
	r->stamp = pace_jr_stamp(&j);
	r->clock_steps = pace_jr_count(&j, "clock_steps");
	r->rcvbuf_asked = pace_jr_bytes_or_0(&j, "rcvbuf_asked_bytes");
	r->rcvbuf_granted = pace_jr_bytes_or_0(&j, "rcvbuf_granted_bytes");
	r->socket_drops = pace_jr_count(&j, "socket_drops");
	r->socket_likely = pace_jr_count(&j, "socket_likely");
	r->socket_high = pace_jr_count(&j, "socket_high");
	r->bad_checksums = pace_jr_count(&j, "bad_checksums");
	r->lease_lost = pace_jr_bool(&j, "lease_lost");
	return !j.bad;
}

bool
pace_loss_from_json(struct pace_receipt *r, const json_t *o)
{
	struct pace_jr j = { .o = o };

	r->lost = pace_jr_count(&j, "frames");
	read_hist(&j, "runs", &r->runs, "frames");
	read_hist(&j, "distances", &r->distances, "frames");
	read_hist(&j, "good_runs", &r->good_runs, "frames");
	return pace_jr_count(&j, "periods") == r->runs.stats.n && !j.bad;
}

static bool
read_degree(struct pace_receipt *r, const json_t *pair, uint64_t *left)
{
	const json_t *n = json_array_get(pair, 0), *count = json_array_get(pair, 1);
	uint64_t *slot;

	if (json_array_size(pair) != 2 || !json_is_integer(n) || !json_is_integer(count))
		return false;
	if (json_integer_value(n) < 1 || json_integer_value(n) > PACE_SEQ_DEGREES ||
	    json_integer_value(count) < 1 ||
	    (uint64_t)json_integer_value(count) > *left)
		return false;
	slot = &r->degree[json_integer_value(n)];
	if (*slot != 0)
		return false;
	*slot = (uint64_t)json_integer_value(count);
	*left -= *slot;
	return true;
}

static bool
read_degrees(struct pace_receipt *r, const json_t *o)
{
	uint64_t left = r->reordered;

	if (!json_is_array(o))
		return false;
	for (size_t i = 0; i < json_array_size(o); i++)
		if (!read_degree(r, json_array_get(o, i), &left))
			return false;
	r->degree[0] = left;
	return true;
}

static bool
read_free_runs(struct pace_receipt *r, const json_t *o)
{
	struct pace_jr j = { .o = o };

	r->free_runs = pace_jr_count(&j, "runs");
	r->free_sum = pace_jr_count(&j, "sum");
	r->free_sumsq = pace_jr_count_or_0(&j, "sumsq");	/* null: too large */
	return !j.bad;
}

bool
pace_reordering_from_json(struct pace_receipt *r, const json_t *o)
{
	struct pace_jr j = { .o = o };

	r->reordered = pace_jr_count(&j, "frames");
	read_hist(&j, "extent", &r->extent, "frames");
	read_hist(&j, "late_ns", &r->late_ns, "ns");
	r->beyond_window = pace_jr_count(&j, "beyond_window");
	r->window = pace_jr_count(&j, "window_frames");
	return read_degrees(r, pace_jr_get(&j, "n_reordering")) &&
	    read_free_runs(r, pace_jr_get(&j, "free_runs")) && !j.bad;
}

/* Both or neither. */
static void
read_owd(struct pace_jr *j, struct pace_receipt *r)
{
	r->has_owd = !json_is_null(pace_jr_get(j, "owd_ns"));
	if (r->has_owd) {
		read_hist(j, "owd_ns", &r->owd, "ns");
		read_hist(j, "owd_scheduled_ns", &r->owd_scheduled, "ns");
	} else if (!json_is_null(pace_jr_get(j, "owd_scheduled_ns"))) {
		j->bad = true;
	}
}

static double
read_jitter(struct pace_jr *j, const char *key, bool known)
{
	if (known)
		return pace_jr_real(j, key);
	j->bad |= !json_is_null(pace_jr_get(j, key));
	return 0;
}

static void
read_delays(struct pace_jr *j, struct pace_receipt *r)
{
	bool jitter;

	read_owd(j, r);
	read_hist(j, "pdv_ns", &r->pdv, "ns");
	read_hist(j, "ipdv_ns", &r->ipdv, "ns");
	jitter = r->ipdv.stats.n > 0;
	r->jitter_ns = read_jitter(j, "jitter_rfc3550_ns", jitter);
	r->jitter_max_ns = read_jitter(j, "jitter_rfc3550_max_ns", jitter);
	r->absurd_times = pace_jr_count(j, "absurd_times");
}

static bool
read_records(struct pace_receipt *r, const json_t *o)
{
	struct pace_jr j = { .o = o };

	r->records = pace_jr_count(&j, "kept");
	r->records_missed = pace_jr_count(&j, "missed");
	return !j.bad;
}

/* Values between n things: none, or fewer than n. */
static bool
between(const struct pace_hist *h, uint64_t n)
{
	return h->stats.n == 0 || h->stats.n < n;
}

static bool
arrivals_hold(const struct pace_receipt *r)
{
	if (r->frames != r->unique + r->duplicates)
		return false;
	if (r->unique == 0 && (r->frames > 0 || r->bytes > 0))
		return false;
	return r->replicated <= r->duplicates && r->replicated <= r->unique &&
	    r->corrupt <= r->frames && r->coalesced_stamps <= r->frames &&
	    r->unstamped <= r->frames && r->socket_likely <= r->socket_high &&
	    between(&r->gap, r->frames) && between(&r->gap_error, r->frames);
}

/* Of a train only the first frame has a delay. */
static bool
delays_hold(const struct pace_receipt *r)
{
	if (r->ipdv.stats.n > 0 && !(r->jitter_ns >= 0 && r->jitter_ns <= r->jitter_max_ns &&
	    r->jitter_max_ns < 1e18))
		return false;
	if (r->has_owd && (r->owd.stats.n != r->pdv.stats.n ||
	    r->owd_scheduled.stats.n > r->owd.stats.n))
		return false;
	return r->pdv.stats.n + r->absurd_times <= r->unique && r->pdv.stats.min >= 0 &&
	    between(&r->ipdv, r->pdv.stats.n) && r->records <= PACE_RECORD_LIMIT;
}

static bool
losses_hold(const struct pace_receipt *r)
{
	if (r->lost + r->unique > (uint64_t)PACE_JS_MAX)
		return false;
	if (r->runs.stats.n > r->lost || (r->runs.stats.n > 0) != (r->lost > 0))
		return false;
	if (r->lost > 0 && (r->runs.stats.min < 1 ||
	    (uint64_t)r->runs.stats.max > r->lost))
		return false;
	return between(&r->distances, r->lost) &&
	    between(&r->good_runs, r->runs.stats.n);
}

static bool
orders_hold(const struct pace_receipt *r)
{
	return r->reordered <= r->unique && r->free_runs == r->reordered &&
	    r->extent.stats.n == r->reordered && r->late_ns.stats.n == r->reordered;
}

bool
pace_receipt_holds(const struct pace_receipt *r)
{
	return arrivals_hold(r) && delays_hold(r) && losses_hold(r) && orders_hold(r);
}

static int
read_counters(struct pace_jr *j, struct pace_counters *c)
{
	struct pace_jr cpu = { .o = pace_jr_get(j, "cpu") };
	struct pace_jr counters = { .o = pace_jr_get(j, "counters") };

	return pace_counters_from_json(c, pace_jr_get(&cpu, "responder"),
	    pace_jr_get(&counters, "responder"));
}

/* A document has the client's beside it, and null where there was none here. */
static bool
read_wire(struct pace_receipt *r, struct pace_jr *j)
{
	struct pace_jr wire = { .o = pace_jr_has(j, "wire") ? pace_jr_get(j, "wire") : NULL };
	const json_t *rx = wire.o != NULL ? pace_jr_get(&wire, "rx") : NULL;

	if (rx == NULL || json_is_null(rx))
		return !wire.bad;
	return pace_witness_rx_from_json(r, rx) == 0;
}

int
pace_receipt_from_json(struct pace_receipt *r, struct pace_counters *c, const json_t *o,
    bool verify)
{
	int rc;
	struct pace_jr j = { .o = o };

	pace_receipt_reset(r);
	r->duplicates = pace_jr_count(&j, "duplicates");
	r->replicated = pace_jr_count(&j, "replicated");
	if (verify)
		r->corrupt = pace_jr_count(&j, "corrupt");
	r->foreign = pace_jr_count(&j, "foreign");
	if (!read_rx(r, pace_jr_get(&j, "rx")) ||
	    !pace_loss_from_json(r, pace_jr_get(&j, "loss")) ||
	    !pace_reordering_from_json(r, pace_jr_get(&j, "reordering")) ||
	    !read_records(r, pace_jr_get(&j, "records")) ||
	    pace_clock_state_from_json(&r->clock, pace_jr_get(&j, "wall_clock")) != 0)
		return -EPROTO;
	read_delays(&j, r);
	if (!read_wire(r, &j) || j.bad)
		return -EPROTO;
	rc = read_counters(&j, c);
	if (rc != 0)
		return rc;
	return pace_receipt_holds(r) ? 0 : -EPROTO;
}
