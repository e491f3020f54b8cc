#include "doc/watched.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/wire.h"
#include "doc/coarse_doc.h"

const char *const pace_watch_state_names[PACE_WATCH_STATES] = { "down", "opening", "up", "ended" };

#define W	struct pace_watched
#define C	struct pace_watch_counts
#define LIST	struct pace_coarse_hist_list
#define COUNT_MOST	(INT64_C(1) << 50)	/* largest that are read: sums cannot overflow */
#define TIME_MOST	(INT64_C(1) << 61)

struct pace_watch_counts
pace_watch_counts_since(const struct pace_watch_counts *now, const struct pace_watch_counts *then)
{
	struct pace_watch_counts d = *now;
	const uint64_t *t = (const uint64_t *)then;
	uint64_t *v = (uint64_t *)&d;

	for (size_t i = 0; i < sizeof(d) / sizeof(*v); i++)
		v[i] -= t[i];
	d.from_ns = then->to_ns;
	d.to_ns = now->to_ns;
	d.in_flight = now->in_flight;
	return d;
}

static const size_t lists[] = { offsetof(W, total), offsetof(W, rtt), offsetof(W, up),
	offsetof(W, down), offsetof(W, up_error), offsetof(W, down_error), offsetof(W, departure),
	offsetof(W, gap), offsetof(W, above) };

void
pace_watched_add(struct pace_watched *w, const struct pace_watched *before)
{
	struct pace_watch_counts now = w->counts;
	const uint64_t *t = (const uint64_t *)&before->counts;
	uint64_t *v = (uint64_t *)&w->counts;

	for (size_t i = 0; i < sizeof(now) / sizeof(*v); i++)
		v[i] += t[i];
	w->counts.from_ns = now.from_ns;
	w->counts.to_ns = now.to_ns;
	w->counts.in_flight = now.in_flight;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		pace_coarse_hist_join((LIST *)((char *)w + lists[i]),
		    (const LIST *)((const char *)before + lists[i]));
}

double
pace_watch_loss(const struct pace_watch_counts *c)
{
	double lost = c->lost > 0 ? (double)c->lost : 0, n = (double)c->received + lost;

	return n > 0 ? lost / n : NAN;
}

/* --- a distribution ------------------------------------------------------------------- */

static const struct { const char *name; double q; } quantiles[] = {
	{ "1", 0.01 }, { "10", 0.1 }, { "50", 0.5 }, { "90", 0.9 }, { "99", 0.99 }, { "99.9", 0.999 },
};

static json_t *
quantiles_of(const LIST *l)
{
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		json_object_set_new(o, quantiles[i].name, json_integer(
		    pace_coarse_hist_quantile(l, quantiles[i].q)));
	return o;
}

static void
put_distribution(struct pace_jw *w, const char *name, const void *member)
{
	const LIST *l = member;
	json_t *bins;

	if (pace_coarse_hist_count(l) == 0) {
		pace_jw_put(w, name, json_null());
		return;
	}
	bins = json_array();
	for (uint32_t i = 0; i < l->n; i++)
		json_array_append_new(bins, json_pack("[I, I, I]", (json_int_t)l->bin[i].low,
		    (json_int_t)l->bin[i].high, (json_int_t)l->bin[i].count));
	pace_jw_put(w, name, json_pack("{s:s, s:I, s:I, s:o, s:o}", "unit", "ns", "count",
	    (json_int_t)pace_coarse_hist_count(l), "below", (json_int_t)l->below,
	    "percentiles", quantiles_of(l), "bins", bins));
}

static void
get_distribution(struct pace_jr *j, const char *name, void *list)
{
	if (pace_jr_has(j, name))
		pace_histogram_get(j, name, list);
}

const struct pace_fields pace_watch_distribution_fields = { .name = "watch_distribution",
    .text = "A distribution with few bins: 1/16 of the value wide, or wider in the tails.",
    .rules = "'additionalProperties': false", .row = PACE_FIELDS(
	{ "unit", .type = "'const': 'ns'" },
	{ "count", .type = PACE_TYPE_COUNT },
	{ "below", .type = PACE_TYPE_COUNT, .text = "Values below 0; they are in no bin." },
	{ "percentiles", .type = "'type': 'object', 'additionalProperties': { 'type': 'integer' }",
	    .text = "By percentile: the middle of its bin." },
	{ "bins", .type = "'type': 'array', 'items': { 'type': 'array', 'minItems': 3, 'maxItems': 3, "
	    "'items': { 'type': 'integer' } }", .text = "Occupied bins [low, high, count]: low <= "
	    "value < high." },
) };

/* --- the counts --------------------------------------------------------------------------- */

#define N(name, m, words) { name, PACE_COUNT(C, m), .text = words }
#define LOST_ONE_WAY(m) PACE_INT(C, m), .low = -(INT64_C(1) << 50), .high = INT64_C(1) << 50, \
			.flags = PACE_F_LAX

const struct pace_fields pace_watch_counts_fields = { .name = "watch_counts",
    .text = "What became of the frames of a path: sent = received + lost + in_flight + unreported. "
    "To a STAMP reflector each frame is an exchange, received if its reply came, and lost if not: "
    "on the way there or back.",
    .row = PACE_FIELDS(
	{ "from_ns", PACE_NS(C, from_ns) },
	{ "to_ns", PACE_NS(C, to_ns), .text = "The time that they cover, from the begin of the watch." },
	{ "up_ns", PACE_NS(C, up_ns), .text = "Time in it from the begin of a stream to the last "
	    "answer in its session." },
	N("sent", sent, "Frames that left."),
	N("refused", refused, "Frames that this host's kernel refused; they are in no other count."),
	N("skipped", skipped, "Slots that had passed when this host got to them."),
	N("received", received, "Frames that arrived, copies not counted."),
	{ "lost", PACE_INT(C, lost), .low = -(INT64_C(1) << 50), .high = INT64_C(1) << 50,
	    .text = "Frames that the far end knows to be missing, or without a reply by STAMP. Late ones are found later, so an "
	    "interval may have fewer than 0." },
	N("in_flight", in_flight, "Frames that the newest report does not tell of."),
	N("unreported", unreported, "Frames of sessions that died before they reported on them."),
	N("socket_lost_max", socket_lost_max, "Lost frames that the far end's socket may have dropped: "
	    "at most; the others were lost before it, in the network or its host."),
	N("duplicates", duplicates, NULL), N("reordered", reordered, NULL), N("late", late, NULL),
	N("foreign", foreign, "As in udpace-status(5)."),
	N("congestion_marks", congestion_marks, NULL),
	N("dscp_changed", dscp_changed, "Frames that arrived marked CE, or with another DSCP."),
	N("exchanges", exchanges, NULL),
	N("timeouts", timeouts, "Exchanges with and without an answer."),
	N("sessions", sessions, "Sessions that were opened."),
	{ "exchanges_lost_there", LOST_ONE_WAY(lost_there) },
	{ "exchanges_lost_back", LOST_ONE_WAY(lost_back), .text = "Those of the `timeouts` whose request "
	    "did not reach the far end, and whose reply did not come back, as far as that is known. "
	    "Both follow some seconds later." },
	{ "replies_reordered", PACE_COUNT(C, replies_reordered), .flags = PACE_F_LAX,
	    .text = "Replies of exchanges that came after the reply to a later request." },
) };

/* --- a path -------------------------------------------------------------------------------- */

static bool
has_clock(const void *s)
{
	return ((const W *)s)->clock_known;
}

static void
put_loss(struct pace_jw *w, const char *name, const void *counts)
{
	double loss = pace_watch_loss(counts);

	pace_jw_put(w, name, isfinite(loss) ? json_real(loss) : json_null());
}

#define DISTRIBUTION(name, m, words) { name, \
	PACE_OWN_OF(W, m, put_distribution, get_distribution), .type = \
	"'anyOf': [{ '$ref': '#/$defs/watch_distribution' }, { 'type': 'null' }]", .text = words }
#define CLOCK	.when = PACE_F_OR_NULL, .given = has_clock

const struct pace_fields pace_watched_fields = { .name = "watched_path",
    .text = "A path of udpace watch, since its begin.", .row = PACE_FIELDS(
	{ "name", PACE_TEXT(W, name), .text = "As given by the user." },
	{ "address", PACE_TEXT(W, address), .when = PACE_F_OR_NULL },
	{ "port", PACE_COUNT(W, port), .low = 1, .high = UINT16_MAX,
	    .text = "Address and UDP port that were used last; null: none was found." },
	{ "state", PACE_NAME(W, state, pace_watch_state_names),
	    .text = "\"up\": the stream ran; \"down\": no session, it was tried again and again; "
	    "\"opening\"; \"ended\"." },
	{ "why", PACE_TEXT(W, why), .when = PACE_F_OR_ABSENT, .text = "Why it is down." },
	{ "size_bytes", PACE_COUNT(W, size_bytes), .low = PACE_DATA_SIZE, .high = PACE_FRAME_MAX },
	{ "spacing_ns", PACE_NS(W, spacing_ns), .text = "Frames of the stream." },
	{ "counts", PACE_OBJECT(W, counts, pace_watch_counts_fields) },
	{ "loss_ratio", PACE_OWN_OF(W, counts, put_loss, NULL), .type = PACE_TYPE_RATIO,
	    .text = "lost / (received + lost); null: nothing was reported." },
	DISTRIBUTION("rtt_total_ns", total, NULL),
	DISTRIBUTION("rtt_ns", rtt, "Round trips of the exchanges, with and without the far end's "
	    "residence time; without it only if the times of the reply are usable."),
	DISTRIBUTION("up_owd_ns", up, NULL),
	DISTRIBUTION("down_owd_ns", down, "One-way delay of the exchanges to the far end and back, by "
	    "the estimate of the clock of their time; see offset_error_max_ns."),
	DISTRIBUTION("up_gap_error_ns", up_error, NULL),
	DISTRIBUTION("down_gap_error_ns", down_error, "Of each two exchanges in succession: by how much "
	    "the gap between the requests was changed on the way to the far end, and that between the "
	    "replies on the way back."),
	DISTRIBUTION("departure_late_ns", departure, "Departure of each frame after its due time."),
	DISTRIBUTION("gap_ns", gap, "Gaps between arrivals at the far end; null by STAMP."),
	DISTRIBUTION("above_min_ns", above, "Delay of each frame above the lowest one of the last 5 to "
	    "10 minutes; by STAMP, of each round trip."),
	{ "offset_ns", PACE_INT(W, offset_ns), .low = INT64_MIN, .high = INT64_MAX,
	    .when = PACE_F_OR_NULL, PACE_F_HAS(W, clock_known) },
	{ "skew_ppm", PACE_REAL(W, skew_ppm), CLOCK },
	{ "skew_error_max_ppm", PACE_REAL(W, skew_error_ppm), CLOCK, .flags = PACE_F_FROM_0 },
	{ "uncertainty_ns", PACE_REAL(W, uncertainty_ns), CLOCK, .flags = PACE_F_FROM_0 },
	{ "offset_error_max_ns", PACE_REAL(W, bound_ns), CLOCK, .flags = PACE_F_FROM_0,
	    .text = "The newest estimate of the far end's clock, as in `clock`; null: none. By STAMP, the "
	    "offset is that of the wall clocks." },
	{ "stamp", PACE_OBJECT(W, stamp, pace_stamp_fields), PACE_F_HAS(W, by_stamp),
	    .when = PACE_F_OR_ABSENT, .text = "Of a STAMP reflector: what its replies in the newest "
	    "session say, as in `latency`; absent otherwise." },
) };

json_t *
pace_watched_to_json(const struct pace_watched *w)
{
	return pace_fields_to_json(&pace_watched_fields, w);
}

/* As the identity of watched.h; TIMES: the first members are times. */
static bool
is_possible(const C *c)
{
	enum { TIMES = offsetof(C, sent) / sizeof(int64_t) };
	const int64_t *v = (const int64_t *)c;

	for (size_t i = 0; i < sizeof(*c) / sizeof(*v); i++)
		if (v[i] < 0 || v[i] > (i < TIMES ? TIME_MOST : COUNT_MOST))
			return false;
	return c->from_ns <= c->to_ns && c->up_ns <= c->to_ns - c->from_ns &&
	    c->sent == c->received + (uint64_t)c->lost + c->in_flight + c->unreported;
}

int
pace_watched_from_json(struct pace_watched *w, const json_t *o)
{
	memset(w, 0, sizeof(*w));
	return pace_fields_from_json(&pace_watched_fields, w, o) && is_possible(&w->counts) ? 0 : -EPROTO;
}

/* --- an interval --------------------------------------------------------------------------- */

#define S	struct pace_watch_span

static bool
has_span_clock(const void *s)
{
	return ((const S *)s)->clock_known;
}

#define DELAY(name, m, words) \
	{ name "_min_ns", PACE_INT(S, m.min_ns), .when = PACE_F_OR_ABSENT, PACE_F_IF(S, m.n) }, \
	{ name "_max_ns", PACE_INT(S, m.max_ns), .when = PACE_F_OR_ABSENT, PACE_F_IF(S, m.n), \
	    .text = words }

const struct pace_fields pace_watch_span_fields = { .name = "watch_interval",
    .text = "A line of --jsonl with the event \"interval\": a path in one interval.",
    .row = PACE_FIELDS(
	{ "name", PACE_TEXT(S, name) },
	{ "state", PACE_NAME(S, state, pace_watch_state_names) },
	{ "why", PACE_TEXT(S, why), .when = PACE_F_OR_ABSENT,
	    .text = "As in the document, at the end of the interval." },
	{ "counts", PACE_OBJECT(S, counts, pace_watch_counts_fields) },
	{ "loss_ratio", PACE_OWN_OF(S, counts, put_loss, NULL), .type = PACE_TYPE_RATIO,
	    .text = "Of the interval." },
	DELAY("rtt_total", of.total, NULL), DELAY("rtt", of.rtt, NULL), DELAY("up_owd", of.up, NULL),
	DELAY("down_owd", of.down, "Extremes of the exchanges; absent: there was none."),
	{ "offset_ns", PACE_INT(S, offset_ns), .low = INT64_MIN, .high = INT64_MAX,
	    .when = PACE_F_OR_NULL, .given = has_span_clock },
	{ "offset_error_max_ns", PACE_REAL(S, bound_ns), .when = PACE_F_OR_NULL,
	    .given = has_span_clock, .flags = PACE_F_FROM_0, .text = "As in the document." },
) };

json_t *
pace_watch_span_to_json(const struct pace_watch_span *s)
{
	return pace_fields_to_json(&pace_watch_span_fields, s);
}
