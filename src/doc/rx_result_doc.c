#include "doc/rx_result_doc.h"

#include <errno.h>

#include "core/record.h"
#include "doc/clock_doc.h"
#include "doc/counters_doc.h"
#include "doc/field.h"
#include "doc/hist_doc.h"
#include "doc/js.h"
#include "doc/wire_check_doc.h"

#define JITTER_MAX_NS	INT64_C(1000000000000000000)
#define R	struct pace_rx_result

/* --- rates -------------------------------------------------------------------------- */

/* Stamps of a clock that was set back may give a duration below 0. */
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

static const struct pace_field flow_rows[] = {
	{ "duration_ns", PACE_NS(R, duration_ns), .when = PACE_F_OR_NULL, .given = is_timed,
	    .text = "First to last arrival of unique frames." },
	{ "user_rate_bps", PACE_REAL(R, user_rate_bps), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_ABOVE_0, .given = is_rated },
	{ "wire_rate_bps", PACE_REAL(R, wire_rate_bps), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_ABOVE_0, .given = is_rated,
	    .text = "As in `tx`, of unique frames 2 to n over `duration_ns`. This is the rate of "
	    "the result; the one in `tx` is a property of the sender." },
	{ .name = NULL },
};

const struct pace_fields pace_rx_flow_fields = { .row = flow_rows };

/* --- rx ------------------------------------------------------------------------------ */

static void
put_gap(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_rx_result *r = s;
	struct pace_jw gap = { .o = pace_hist_to_json(&r->gap, "ns") };

	if (r->lens.bins > 0)
		pace_jw_put(&gap, "linear", pace_linear_hist_to_json(&r->lens));
	pace_jw_put(w, name, gap.o);
}

/* The lens is a member of the gap histogram, and holds the same values. */
static void
get_gap(struct pace_jr *j, const char *name, void *s)
{
	struct pace_rx_result *r = s;
	struct pace_jr gap = { .o = pace_jr_get(j, name) };

	j->bad |= pace_hist_from_json(&r->gap, gap.o, "ns") != 0;
	if (pace_jr_has(&gap, "linear"))
		j->bad |= pace_linear_hist_from_json(&r->lens, pace_jr_get(&gap, "linear")) != 0 ||
		    pace_linear_hist_total(&r->lens) != r->gap.stats.n;
}

static const struct pace_field rx_rows[] = {
	{ "frames", PACE_COUNT(R, frames),
	    .text = "Frames of this point that arrived, duplicates included." },
	{ "unique", PACE_COUNT(R, unique), .text = "The same without duplicates." },
	{ "bytes", PACE_COUNT(R, bytes), .text = "User data in unique frames." },
	{ "duration_ns", PACE_ROWS(pace_rx_flow_fields) },
	{ "gap_ns", PACE_OWN(put_gap, get_gap), .type = PACE_TYPE_HIST },
	{ "gap_error_ns", PACE_HIST(R, gap_error, pace_unit_ns),
	    .text = "Histograms of the time between arrivals of unique frames, in the order of "
	    "arrival, and of the same less `spacing_ns`. `gap_ns` has a member `linear` when a "
	    "linear histogram was asked for." },
	{ "coalesced_stamps", PACE_COUNT(R, coalesced_stamps),
	    .text = "Arrivals less than 50 ns after the one before: stamped in one batch, so that "
	    "the gap says nothing about the network." },
	{ "unstamped", PACE_COUNT(R, unstamped),
	    .text = "Arrivals without a stamp of the kind that was asked for. Those without one of "
	    "the device have the kernel's stamp, those without that were timed by reading the "
	    "clock." },
	{ "stamp", PACE_NAME(R, stamp, pace_stamp_names),
	    .text = "Where arrivals were stamped, as in `tx`; the least good of all." },
	{ "clock_steps", PACE_COUNT(R, clock_steps),
	    .text = "How often the responder's clock was set during the point: its gaps are then "
	    "not to be trusted." },
	{ "rcvbuf_asked_bytes", PACE_COUNT(R, rcvbuf_asked), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .type = PACE_TYPE_KNOWN },
	{ "rcvbuf_granted_bytes", PACE_COUNT(R, rcvbuf_granted), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .type = PACE_TYPE_KNOWN,
	    .text = "Receive buffer asked for and granted; null if not known." },
	{ "socket_drops", PACE_COUNT(R, socket_drops),
	    .text = "Datagrams of this client that the responder's kernel dropped because the "
	    "buffer was full, or a checksum wrong: the count of its socket." },
	{ "socket_likely", PACE_COUNT(R, socket_likely) },
	{ "socket_high", PACE_COUNT(R, socket_high),
	    .text = "How many lost frames these were: the best estimate, and at most. At most each "
	    "datagram was a frame, or, where trains are handed over in one piece, a piece of up to "
	    "64 frames. The estimate counts in each hole of the numbers no more frames than the "
	    "socket dropped there. Where copies arrived, the share of numbers that is missing "
	    "where the socket dropped nothing is taken off, because a dropped datagram may have "
	    "been a copy; where frames were reordered, holes tell nothing, and every drop is "
	    "counted." },
	{ "bad_checksums", PACE_COUNT(R, bad_checksums),
	    .text = "UDP datagrams with a wrong checksum that the responder's host dropped "
	    "meanwhile, of all its sockets." },
	{ "lease_lost", PACE_BOOL(R, lease_lost),
	    .text = "The measurement lease was lost in mid run, after more than 10 s without a "
	    "frame: another client may have measured meanwhile." },
	{ .name = NULL },
};

const struct pace_fields pace_rx_fields = { .name = "rx", .row = rx_rows,
    .text = "The responder's side; bytes are of user data in unique frames." };

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

static const struct pace_field loss_rows[] = {
	{ "frames", PACE_COUNT(R, lost),
	    .text = "Frames sent and not arrived by the end of the grace time." },
	{ "ratio", PACE_OWN(put_loss_ratio, NULL), .type = PACE_TYPE_RATIO,
	    .text = "Of the frames sent." },
	{ "periods", PACE_OWN(put_periods, check_periods), .type = PACE_TYPE_COUNT,
	    .text = "Runs of consecutive losses." },
	{ "runs", PACE_HIST(R, runs, pace_unit_frames),
	    .text = "Histogram of their lengths, in frames (RFC 3357)." },
	{ "distances", PACE_HIST(R, distances, pace_unit_frames),
	    .text = "Histogram of the differences between the numbers of one lost frame and the "
	    "next (RFC 3357)." },
	{ "good_runs", PACE_HIST(R, good_runs, pace_unit_frames),
	    .text = "Histogram of the numbers of frames that arrived between two periods of "
	    "loss." },
	{ .name = NULL },
};

const struct pace_fields pace_loss_fields = { .name = "loss", .row = loss_rows };

/* --- reordering ---------------------------------------------------------------------- */

static void
put_reordering_ratio(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_rx_result *r = s;

	pace_jw_put(w, name, pace_js_ratio(r->reordered, r->unique));
}

/* [[n, frames] ...], n from 1; degree 0 is what is left of the reordered. */
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

static bool
read_degree(struct pace_rx_result *r, const json_t *pair, uint64_t *left)
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

static void
get_degrees(struct pace_jr *j, const char *name, void *s)
{
	struct pace_rx_result *r = s;
	const json_t *list = pace_jr_get(j, name);
	uint64_t left = r->reordered;

	j->bad |= !json_is_array(list);
	for (size_t i = 0; i < json_array_size(list); i++)
		j->bad |= !read_degree(r, json_array_get(list, i), &left);
	r->degree[0] = left;
}

static void
put_free_mean(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_rx_result *r = s;

	pace_jw_put(w, name, pace_js_ratio(r->free_sum, r->free_runs));
}

/* And null when it is too large. */
static bool
is_always(const void *s)
{
	(void)s;
	return true;
}

static const struct pace_field free_runs_rows[] = {
	{ "runs", PACE_COUNT(R, free_runs) },
	{ "sum", PACE_COUNT(R, free_sum) },
	{ "sumsq", PACE_COUNT(R, free_sumsq), .when = PACE_F_OR_NULL, .given = is_always,
	    .text = "How many, and the sums of their lengths and of the squares of these; null: "
	    "too large." },
	{ "mean", PACE_OWN(put_free_mean, NULL), .type = PACE_TYPE_NOT_BELOW_0, .text = "Length." },
	{ .name = NULL },
};

static const struct pace_fields free_runs_fields = { .name = "free_runs",
    .row = free_runs_rows };

static const struct pace_field reordering_rows[] = {
	{ "frames", PACE_COUNT(R, reordered),
	    .text = "Frames that arrived with a number below the next one expected (RFC 4737)." },
	{ "ratio", PACE_OWN(put_reordering_ratio, NULL), .type = PACE_TYPE_RATIO,
	    .text = "Of the unique frames." },
	{ "extent", PACE_HIST(R, extent, pace_unit_frames),
	    .text = "Histogram of the number of arrivals since the first frame with a higher "
	    "number." },
	{ "late_ns", PACE_HIST(R, late_ns, pace_unit_ns),
	    .text = "Histogram of the time since that arrival." },
	{ "n_reordering", PACE_OWN(put_degrees, get_degrees),
	    .type = "'type': 'array', 'items': { 'type': 'array', 'minItems': 2, 'maxItems': 2, "
	    "'items': { 'type': 'integer', 'minimum': 1 } }",
	    .text = "Pairs of n and the number of frames that are n-reordered but not "
	    "(n+1)-reordered: the n arrivals before them have higher numbers. Only n from 1 that "
	    "occur; the last, 64, stands for that or more. A program that plays frames at once is "
	    "troubled by all, one that keeps a buffer of n frames by those above n." },
	{ "free_runs", PACE_SELF(free_runs_fields),
	    .text = "Runs of frames in order, each ended by a reordered one: `runs`, `sum` and "
	    "`sumsq` of their lengths, and their `mean`." },
	{ "beyond_window", PACE_COUNT(R, beyond_window),
	    .text = "Arrivals so far behind that a late frame cannot be told from a duplicate. "
	    "They are in no other figure: a frame that arrives so late stays lost." },
	{ "window_frames", PACE_COUNT(R, window), .text = "How far that is." },
	{ .name = NULL },
};

const struct pace_fields pace_reordering_fields = { .name = "reordering",
    .text = "RFC 4737", .row = reordering_rows };

/* --- delays -------------------------------------------------------------------------- */

/* Absolute delays are there or not; the variation is always known. */
static const struct pace_field delay_rows[] = {
	{ "pdv_ns", PACE_HIST(R, pdv, pace_unit_ns),
	    .text = "Delay less the lowest delay of the point (RFC 5481), never negative. It needs "
	    "no offset of the clocks, only their rate." },
	{ "ipdv_ns", PACE_HIST(R, ipdv, pace_unit_ns),
	    .text = "Delay less that of the frame sent before, signed (RFC 5481), of neighbours "
	    "that both arrived, in whatever order. The rate of the clocks times the spacing is "
	    "left in it." },
	{ "jitter_rfc3550_ns", PACE_REAL(R, jitter_ns), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_STRICT, PACE_F_IF(R, ipdv.stats.n), .high = JITTER_MAX_NS },
	{ "jitter_rfc3550_max_ns", PACE_REAL(R, jitter_max_ns), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_STRICT, PACE_F_IF(R, ipdv.stats.n), .high = JITTER_MAX_NS,
	    .text = "The smoothed jitter of RFC 3550 at the end, and its highest value, in order of "
	    "arrival; real numbers, null without a value in `ipdv_ns`." },
	{ "absurd_times", PACE_COUNT(R, absurd_times),
	    .text = "Frames whose departure is more than 9 minutes away from that of the others: "
	    "they are in none of the figures of this section." },
	{ .name = NULL },
};

const struct pace_fields pace_delay_fields = { .name = "delay", .row = delay_rows };

static const struct pace_field records_rows[] = {
	{ "kept", PACE_COUNT(R, records) },
	{ "missed", PACE_COUNT(R, records_missed) },
	{ .name = NULL },
};

static const struct pace_fields records_fields = { .name = "records", .row = records_rows };

/* --- the whole ----------------------------------------------------------------------- */

static const struct pace_field receipt_rows[] = {
	{ "rx", PACE_SELF(pace_rx_fields) },
	{ "loss", PACE_SELF(pace_loss_fields) },
	{ "duplicates", PACE_COUNT(R, duplicates),
	    .text = "Arrivals of a frame that had arrived before. They are counted here and in "
	    "`rx.frames`, in no other figure (RFC 5560)." },
	{ "replicated", PACE_COUNT(R, replicated),
	    .text = "Frames that arrived more than once." },
	{ "corrupt", PACE_COUNT(R, corrupt), .flags = PACE_F_LAX,
	    .text = "Frames whose header was good and whose payload was damaged; only when "
	    "verifying. They count as received." },
	{ "foreign", PACE_COUNT(R, foreign),
	    .text = "Datagrams from the client's address that are no frames of this point: of a "
	    "wrong length or number, of an earlier point, or with a damaged header." },
	{ "reordering", PACE_SELF(pace_reordering_fields) },
	{ "owd_ns", PACE_HIST(R, owd, pace_unit_ns), .when = PACE_F_OR_NULL,
	    PACE_F_HAS(R, has_owd),
	    .text = "One-way delay: arrival by the responder's clock less departure by the "
	    "client's, corrected for what `clock` says of the two. Departure is the client's clock "
	    "read just before the frame is handed to its kernel, so the delay of the sending "
	    "host's stack, `tx.stack_ns`, is part of it; arrival is the time stamp of the "
	    "responder's kernel, so its queue to the application is not. The whole histogram may "
	    "be shifted: by `clock.uncertainty_ns` if the lowest delays there and back are equal, "
	    "by `clock.bound_ns` whatever they are. null when `owd_relative` is true." },
	{ "owd_scheduled_ns", PACE_HIST(R, owd_scheduled, pace_unit_ns), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_STRICT, PACE_F_IF(R, has_owd),
	    .text = "The same from the moment the frame was due to leave, what an application sees "
	    "that cannot wait: how late the sender was is part of it. Of frames that said how late "
	    "they left." },
	{ "pdv_ns", PACE_ROWS(pace_delay_fields) },
	{ "records", PACE_SELF(records_fields),
	    .text = "Frames `kept` one by one, and those `missed` for want of room." },
	{ "wall_clock", PACE_OBJECT(R, clock, pace_clock_state_fields), .when = PACE_F_OR_NULL,
	    PACE_F_HAS(R, clock.known),
	    .text = "What the responder's kernel says of its wall clock at the end, as in "
	    "`clock.responder`, which repeats it; null if it does not tell." },
	{ .name = NULL },
};

const struct pace_fields pace_rx_result_fields = { .name = "receipt", .row = receipt_rows };

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

/* --- what holds of all --------------------------------------------------------------- */

/* Values between n things: none, or fewer than n. */
static bool
between(const struct pace_hist *h, uint64_t n)
{
	return h->stats.n == 0 || h->stats.n < n;
}

static bool
arrivals_hold(const struct pace_rx_result *r)
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
delays_hold(const struct pace_rx_result *r)
{
	if (r->ipdv.stats.n > 0 && !(r->jitter_ns >= 0 && r->jitter_ns <= r->jitter_max_ns &&
	    r->jitter_max_ns < (double)JITTER_MAX_NS))
		return false;
	if (r->has_owd && (r->owd.stats.n != r->pdv.stats.n ||
	    r->owd_scheduled.stats.n > r->owd.stats.n))
		return false;
	return r->pdv.stats.n + r->absurd_times <= r->unique && r->pdv.stats.min >= 0 &&
	    between(&r->ipdv, r->pdv.stats.n) && r->records <= PACE_RECORD_LIMIT;
}

static bool
losses_hold(const struct pace_rx_result *r)
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
orders_hold(const struct pace_rx_result *r)
{
	return r->reordered <= r->unique && r->free_runs == r->reordered &&
	    r->extent.stats.n == r->reordered && r->late_ns.stats.n == r->reordered;
}

bool
pace_rx_result_holds(const struct pace_rx_result *r)
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
read_wire(struct pace_rx_result *r, struct pace_jr *j)
{
	struct pace_jr wire = { .o = pace_jr_has(j, "wire") ? pace_jr_get(j, "wire") : NULL };
	const json_t *rx = wire.o != NULL ? pace_jr_get(&wire, "rx") : NULL;

	if (rx == NULL || json_is_null(rx))
		return !wire.bad;
	return pace_wire_check_rx_from_json(r, rx) == 0;
}

int
pace_rx_result_from_json(struct pace_rx_result *r, struct pace_counters *c, const json_t *o,
    bool verify)
{
	int rc;
	struct pace_jr j = { .o = o };

	pace_rx_result_reset(r);
	pace_fields_get(&j, &pace_rx_result_fields, r);
	if (!verify)
		r->corrupt = 0;
	if (!read_wire(r, &j) || j.bad || (verify && !pace_jr_has(&j, "corrupt")))
		return -EPROTO;
	rc = read_counters(&j, c);
	if (rc != 0)
		return rc;
	return pace_rx_result_holds(r) ? 0 : -EPROTO;
}
