#include "doc/clock_doc.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "doc/field.h"

#define TIME_MAX	(INT64_C(1) << 60)
#define LOST_SHARE	10	/* at most one exchange in LOST_SHARE may be lost */
#define PPM_MAX		1000
#define PPM_DIGITS	1e9	/* skew is written to 1e-9 ppm: what 12 digits hold */
#define ERROR_DIGITS	1e6	/* its error to 1e-6 ppm, rounded up */

#define TIME(s, m)	PACE_INT(s, m), .low = -TIME_MAX, .high = TIME_MAX

#define CLOCK_RULES	"'if': { 'properties': { 'segments': { 'maxItems': 0 } } }, " \
	"'then': { 'properties': { 'offset_ns': { 'type': 'null' }, " \
	"'skew_ppm': { 'type': 'null' }, 'skew_error_max_ppm': { 'type': 'null' }, " \
	"'uncertainty_ns': { 'type': 'null' }, " \
	"'offset_error_max_ns': { 'type': 'null' }, 'one_segment': { 'type': 'null' }, " \
	"'wanders': { 'type': 'null' }, 'wall_offset_ns': { 'type': 'null' } } }, " \
	"'else': { 'properties': { 'offset_ns': { 'type': 'integer' }, " \
	"'skew_ppm': { 'type': 'number' }, 'skew_error_max_ppm': { 'type': 'number' }, " \
	"'uncertainty_ns': { 'type': 'number' }, " \
	"'offset_error_max_ns': { 'type': 'number' }, 'one_segment': { 'type': 'boolean' }, " \
	"'wanders': { 'type': 'boolean' }, 'wall_offset_ns': { 'type': 'integer' } } }"

/* --- the state of a wall clock --------------------------------------------------- */

#define S	struct pace_clock_state

const struct pace_fields pace_clock_state_fields = { .name = "wall_clock",
    .text = "The kernel's report on its wall clock.", .row = PACE_FIELDS(
	{ "synchronised", PACE_BOOL(S, synchronised) },
	{ "error_ns", PACE_INT(S, error_ns), .high = TIME_MAX, .text = "Estimated error." },
	{ "error_max_ns", PACE_INT(S, error_max_ns), .high = TIME_MAX, .text = "Largest error." },
	{ "frequency_ppm", PACE_REAL(S, frequency_ppm), .low = -PPM_MAX, .high = PPM_MAX,
	    .text = "Frequency correction." },
) };

/* --- the lines ------------------------------------------------------------------------ */

/* A clock with the figures derived from its lines; their rates are in ppm. */
struct clock_doc {
	struct pace_clock c;
	int64_t		offset_ns;
	double		skew_ppm, skew_error_ppm;
	bool		linear;
};

#define G	struct pace_clock_segment

static const struct pace_fields segment_fields = { .name = "clock_segment",
    .text = "their clock - ours = offset_ns + (t - t_ns) * skew_ppm / 1e6 from from_ns to to_ns of "
    "our clock", .row = PACE_FIELDS(
	{ "from_ns", TIME(G, from_ns) },
	{ "to_ns", TIME(G, to_ns) },
	{ "t_ns", TIME(G, line.t_ns) },
	{ "offset_ns", PACE_INT(G, line.offset_ns), .low = INT64_MIN, .high = INT64_MAX },
	{ "skew_ppm", PACE_REAL(G, line.rate), .low = -PPM_MAX, .high = PPM_MAX },
	{ "offset_error_max_ns", PACE_REAL(G, bound_ns), .flags = PACE_F_FROM_0 },
) };

/* --- a host's clocks ---------------------------------------------------------------- */

#define C	struct clock_doc
#define STEPS	"Times it was set during the point."
#define SLEWS	"Times its rate changed by more than 1 ppm."

#define HOST_TEXT	"One host's wall clock; its state is absent when not known."

static const struct pace_fields client_fields = { .name = "clock_client",
    .text = HOST_TEXT, .row = PACE_FIELDS(
	{ "synchronised", PACE_PART(C, c.ours, pace_clock_state_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(C, c.ours.known) },
	{ "steps", PACE_COUNT(C, c.our_steps), .text = STEPS },
	{ "slews", PACE_COUNT(C, c.our_slews), .text = SLEWS },
) };
static const struct pace_fields responder_fields = { .name = "clock_responder", .text = HOST_TEXT,
    .row = PACE_FIELDS(
	{ "synchronised", PACE_PART(C, c.theirs, pace_clock_state_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(C, c.theirs.known) },
	{ "steps", PACE_COUNT(C, c.their_steps), .text = STEPS },
	{ "slews", PACE_COUNT(C, c.their_slews), .text = SLEWS },
) };

/* --- the whole ------------------------------------------------------------------------ */

/* Not read by the table: they follow from the lines, or code reads them if there are lines. */
#define IF_KNOWN	.when = PACE_F_OR_NULL, .flags = PACE_F_WRITTEN | PACE_F_FROM_0, \
			PACE_F_IF(C, c.fit.segments)
#define RTT(m)		TIME(C, c.m), .when = PACE_F_OR_NULL, .none = PACE_NO_TIME

const struct pace_fields pace_clock_fields = { .name = "clock",
    .text = "The responder's probe clock relative to the client's; times are those of the client's "
    "clock.",
    .rules = CLOCK_RULES, .row = PACE_FIELDS(
	{ "method", PACE_FIXED(PACE_CLOCK_METHOD), .type = "'type': 'string'" },
	{ "assumes", PACE_FIXED(PACE_CLOCK_ASSUMES), .type = "'type': 'string'",
	    .text = "Method and assumption in words: \"two-sided max margin\", \"equal minimum "
	    "delays in both directions\"." },
	{ "exchanges", PACE_COUNT(C, c.exchanges) },
	{ "timeouts", PACE_COUNT(C, c.timeouts), .text = "Exchanges with and without a reply." },
	{ "stamp", PACE_NAME(C, c.stamp, pace_stamp_names),
	    .text = "Kind of stamps of the exchanges, as in `tx`; the least precise of all." },
	{ "offset_ns", PACE_INT(C, offset_ns), .low = INT64_MIN, .high = INT64_MAX, IF_KNOWN,
	    .text = "Responder's clock minus client's clock in the middle of the stream." },
	{ "skew_ppm", PACE_REAL(C, skew_ppm), .low = -PPM_MAX, .high = PPM_MAX, IF_KNOWN,
	    .type = "'type': ['number', 'null'], 'minimum': -1000, 'maximum': 1000",
	    .text = "Skew there: rate of the responder's clock minus that of the client's, in "
	    "parts per million." },
	{ "skew_error_max_ppm", PACE_REAL(C, skew_error_ppm), IF_KNOWN,
	    .text = "Largest error of the skew for any delays, if the rate of each clock was "
	    "constant: 2 * `offset_error_max_ns` / (`to_ns` - `from_ns`) of its segment, and at most "
	    "500 ppm more than the absolute value of `skew_ppm`." },
	{ "uncertainty_ns", PACE_REAL(C, c.fit.uncertainty_ns), IF_KNOWN,
	    .text = "Largest error of the offset if the minimum delays in both directions are "
	    "equal, a real number. If they are not, half their difference is added to the error of "
	    "the delay." },
	{ "offset_error_max_ns", PACE_REAL(C, c.fit.bound_ns), IF_KNOWN,
	    .text = "Largest error of the offset for any delays, if the rate of each clock was "
	    "constant; a real number." },
	{ "one_segment", PACE_BOOL(C, linear), IF_KNOWN,
	    .text = "True if one line was enough." },
	{ "wanders", PACE_BOOL(C, c.fit.wanders), IF_KNOWN,
	    .text = "True if the clocks did not keep a constant rate; `offset_error_max_ns` then "
	    "includes their deviation." },
	{ "wall_offset_ns", PACE_INT(C, c.wall_offset_ns), .low = INT64_MIN, .high = INT64_MAX,
	    IF_KNOWN,
	    .text = "The responder's wall clock minus the client's, at the end. Delays do not "
	    "depend on it." },
	{ "segments", PACE_ARRAY(C, c.fit.v, c.fit.segments, segment_fields),
	    .text = "The lines, in ascending order; neighbours may overlap by a round trip. From "
	    "`from_ns` to `to_ns` the offset is `offset_ns` + (t - `t_ns`) * `skew_ppm` / 10^6, "
	    "within `offset_error_max_ns`." },
	{ "from_ns", TIME(C, c.from_ns) },
	{ "to_ns", TIME(C, c.to_ns), .text = "Begin and end of the stream." },
	{ "min_rtt_ns", RTT(min_rtt_ns),
	    .text = "Shortest round-trip time without the responder's residence time." },
	{ "min_rtt_before_ns", RTT(before_ns) },
	{ "min_rtt_during_ns", RTT(during_ns) },
	{ "min_rtt_after_ns", RTT(after_ns),
	    .text = "The minima before, during and after the stream. If they differ, a queue was "
	    "never empty during the stream. null if there was no exchange at that time." },
	{ "client", PACE_SELF(client_fields) },
	{ "responder", PACE_SELF(responder_fields),
	    .text = "The wall clock of each host, as its kernel reports it: `synchronised`, "
	    "estimated error `error_ns`, largest error `error_max_ns`, and frequency correction "
	    "`frequency_ppm`, all four absent if not known; `steps`, how often it was set during "
	    "the point; `slews`, how often its rate changed by more than 1 ppm. Kernels stamp "
	    "frames with this clock." },
) };

/* Lines are written in whole ns.  Derived figures are computed from the rounded lines, so they
 * are the same after reading. */
json_t *
pace_clock_to_json(const struct pace_clock *c)
{
	struct clock_doc t = { .c = *c, .linear = c->fit.segments == 1 };
	int64_t mid = pace_clock_mid(c);

	if (c->exchanges == 0)
		t.c.min_rtt_ns = t.c.before_ns = t.c.during_ns = t.c.after_ns = PACE_NO_TIME;
	for (int i = 0; i < c->fit.segments; i++) {
		struct pace_clock_line *l = &t.c.fit.v[i].line;

		l->offset_ns = pace_clock_line_at(l, l->t_ns);
		l->frac_ns = 0;
		l->rate = round(l->rate * 1e6 * PPM_DIGITS) / PPM_DIGITS * 1e-6;
	}
	t.offset_ns = pace_clock_at(&t.c.fit, mid);
	t.skew_ppm = pace_clock_rate_at(&t.c.fit, mid) * 1e6;
	t.skew_error_ppm = ceil(pace_clock_rate_bound_at(&t.c.fit, mid) * 1e6 * ERROR_DIGITS) /
	    ERROR_DIGITS;
	for (int i = 0; i < c->fit.segments; i++)
		t.c.fit.v[i].line.rate *= 1e6;
	return pace_fields_to_json(&pace_clock_fields, &t);
}

/* Compute offset_ns, skew_ppm and linear from the lines, which also say whether they exist. */
int
pace_clock_from_json(struct pace_clock *c, const json_t *o)
{
	struct clock_doc t = { .linear = false };
	struct pace_jr j = { .o = o };
	struct pace_clock_estimate *e = &t.c.fit;

	pace_fields_get(&j, &pace_clock_fields, &t);
	for (int i = 0; i < e->segments; i++)
		e->v[i].line.rate *= 1e-6;
	if (e->segments > 0) {
		e->uncertainty_ns = pace_jr_real(&j, "uncertainty_ns");
		e->bound_ns = pace_jr_real(&j, "offset_error_max_ns");
		e->wanders = pace_jr_bool(&j, "wanders");
		t.c.wall_offset_ns = pace_jr_int(&j, "wall_offset_ns", INT64_MIN, INT64_MAX);
		j.bad |= !(e->uncertainty_ns >= 0 && e->bound_ns >= 0);
	}
	*c = t.c;
	if (c->exchanges == 0 && (c->min_rtt_ns != PACE_NO_TIME || c->before_ns != PACE_NO_TIME ||
	    c->during_ns != PACE_NO_TIME || c->after_ns != PACE_NO_TIME))
		j.bad = true;
	/* segments are in order, but neighbours may overlap by a round trip */
	for (int i = 0; i < e->segments; i++)
		j.bad |= e->v[i].to_ns < e->v[i].from_ns ||
		    (i > 0 && (e->v[i].from_ns < e->v[i - 1].from_ns ||
		    e->v[i].to_ns < e->v[i - 1].to_ns));
	return j.bad ? -EPROTO : 0;
}

bool
pace_clock_judge(struct pace_notes *n, uint64_t asked, uint64_t answered, uint64_t timeouts,
    bool stopped)
{
	uint64_t tried = answered + timeouts;
	uint64_t unsent = !stopped && tried < asked ? asked - tried : 0;

	if (timeouts > tried / LOST_SHARE)
		pace_note(n, "exchanges_lost", "%" PRIu64 " of %" PRIu64 " exchanges timed out",
		    timeouts, tried);
	if (unsent > 0)
		pace_note(n, "exchanges_unsent", "%" PRIu64 " of %" PRIu64 " exchanges could not "
		    "be sent", unsent, asked);
	return timeouts > tried / LOST_SHARE || unsent > asked / LOST_SHARE;
}
