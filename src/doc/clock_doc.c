#include "doc/clock_doc.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "doc/field.h"

#define TIME_MAX	(INT64_C(1) << 60)
#define PPM_MAX		1000
#define PPM_DIGITS	1e9	/* a rate is told to 1e-9 ppm: what 12 digits hold */

#define TIME(s, m)	PACE_INT(s, m), .low = -TIME_MAX, .high = TIME_MAX

#define CLOCK_RULES	"'if': { 'properties': { 'segments': { 'maxItems': 0 } } }, " \
	"'then': { 'properties': { 'offset_ns': { 'type': 'null' }, " \
	"'skew_ppm': { 'type': 'null' }, 'uncertainty_ns': { 'type': 'null' }, " \
	"'bound_ns': { 'type': 'null' }, 'linear': { 'type': 'null' }, " \
	"'wanders': { 'type': 'null' }, 'wall_offset_ns': { 'type': 'null' } } }, " \
	"'else': { 'properties': { 'offset_ns': { 'type': 'integer' }, " \
	"'skew_ppm': { 'type': 'number' }, 'uncertainty_ns': { 'type': 'number' }, " \
	"'bound_ns': { 'type': 'number' }, 'linear': { 'type': 'boolean' }, " \
	"'wanders': { 'type': 'boolean' }, 'wall_offset_ns': { 'type': 'integer' } } }"

/* --- the state of a wall clock --------------------------------------------------- */

#define S	struct pace_clock_state

static const struct pace_field state_rows[] = {
	{ "synchronised", PACE_BOOL(S, synchronised) },
	{ "error_ns", PACE_INT(S, error_ns), .high = TIME_MAX, .text = "As estimated." },
	{ "error_max_ns", PACE_INT(S, error_max_ns), .high = TIME_MAX, .text = "At most." },
	{ "frequency_ppm", PACE_REAL(S, frequency_ppm), .low = -PPM_MAX, .high = PPM_MAX,
	    .text = "That it is corrected by." },
	{ .name = NULL },
};

const struct pace_fields pace_clock_state_fields = { .name = "wall_clock", .row = state_rows,
    .text = "What a kernel says of its wall clock." };

json_t *
pace_clock_state_to_json(const struct pace_clock_state *s)
{
	return s->known ? pace_fields_to_json(&pace_clock_state_fields, s) : json_null();
}

int
pace_clock_state_from_json(struct pace_clock_state *s, const json_t *o)
{
	*s = (struct pace_clock_state){ .known = !json_is_null(o) };
	return !s->known || pace_fields_from_json(&pace_clock_state_fields, s, o) ? 0 : -EPROTO;
}

/* --- a host's clocks ---------------------------------------------------------------- */

#define C	struct pace_clock
#define STEPS	"Times it was set during the point."
#define SLEWS	"Times its rate changed by more than 1 ppm."

static const struct pace_field client_rows[] = {
	{ "synchronised", PACE_PART(C, ours, pace_clock_state_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(C, ours.known) },
	{ "steps", PACE_COUNT(C, our_steps), .text = STEPS },
	{ "slews", PACE_COUNT(C, our_slews), .text = SLEWS },
	{ .name = NULL },
};

static const struct pace_field responder_rows[] = {
	{ "synchronised", PACE_PART(C, theirs, pace_clock_state_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(C, theirs.known) },
	{ "steps", PACE_COUNT(C, their_steps), .text = STEPS },
	{ "slews", PACE_COUNT(C, their_slews), .text = SLEWS },
	{ .name = NULL },
};

#define HOST_TEXT	"One host's wall clock; its state is absent when not known."

static const struct pace_fields client_fields = { .name = "clock_client", .row = client_rows,
    .text = HOST_TEXT };
static const struct pace_fields responder_fields = { .name = "clock_responder",
    .row = responder_rows, .text = HOST_TEXT };

/* --- the lines ------------------------------------------------------------------------ */

/* The lines as the document has them, in whole ns: what follows from them is
 * computed from these, so that it comes out the same when read back. */
static struct pace_clock_estimate
told(const struct pace_clock_estimate *e)
{
	struct pace_clock_estimate t = *e;

	for (int i = 0; i < t.segments; i++) {
		struct pace_clock_line *l = &t.v[i].line;

		l->offset_ns = pace_clock_line_at(l, l->t_ns);
		l->frac_ns = 0;
		l->rate = round(l->rate * 1e6 * PPM_DIGITS) / PPM_DIGITS * 1e-6;
	}
	return t;
}

static void
put_skew(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_real(w, name, ((const struct pace_clock_segment *)s)->line.rate * 1e6);
}

static void
get_skew(struct pace_jr *j, const char *name, void *s)
{
	double *rate = &((struct pace_clock_segment *)s)->line.rate;

	*rate = pace_jr_real(j, name) * 1e-6;
	j->bad |= fabs(*rate) > PPM_MAX * 1e-6;
}

#define G	struct pace_clock_segment

static const struct pace_field segment_rows[] = {
	{ "from_ns", TIME(G, from_ns) },
	{ "to_ns", TIME(G, to_ns) },
	{ "t_ns", TIME(G, line.t_ns) },
	{ "offset_ns", PACE_INT(G, line.offset_ns), .low = INT64_MIN, .high = INT64_MAX },
	{ "skew_ppm", PACE_OWN(put_skew, get_skew),
	    .type = "'type': 'number', 'minimum': -1000, 'maximum': 1000" },
	{ "bound_ns", PACE_REAL(G, bound_ns), .flags = PACE_F_FROM_0 },
	{ .name = NULL },
};

static const struct pace_fields segment_fields = { .name = "clock_segment",
    .row = segment_rows, .text = "their clock - ours = offset_ns + (t - t_ns) * skew_ppm / 1e6 "
    "from from_ns to to_ns of our clock" };

/* --- the whole ------------------------------------------------------------------------ */

static void
put_offset(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_clock *c = s;

	pace_jw_put(w, name, json_integer(pace_clock_at(&c->fit, pace_clock_mid(c))));
}

static void
put_rate(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_clock *c = s;

	pace_jw_real(w, name, pace_clock_rate_at(&c->fit, pace_clock_mid(c)) * 1e6);
}

static void
put_linear(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_bool(w, name, ((const struct pace_clock *)s)->fit.segments == 1);
}

static void
put_method(struct pace_jw *w, const char *name, const void *s)
{
	(void)s;
	pace_jw_text(w, name, PACE_CLOCK_METHOD);
}

static void
put_assumes(struct pace_jw *w, const char *name, const void *s)
{
	(void)s;
	pace_jw_text(w, name, PACE_CLOCK_ASSUMES);
}

/* What follows from the lines; the rest of them is read when there are lines. */
#define IF_KNOWN	.when = PACE_F_OR_NULL, .flags = PACE_F_WRITTEN | PACE_F_FROM_0, \
			PACE_F_IF(C, fit.segments)
#define RTT(m)		TIME(C, m), .when = PACE_F_OR_NULL, .none = PACE_NO_TIME

static const struct pace_field clock_rows[] = {
	{ "method", PACE_OWN(put_method, NULL), .type = "'type': 'string'" },
	{ "assumes", PACE_OWN(put_assumes, NULL), .type = "'type': 'string'",
	    .text = "The above in words: \"two-sided max margin\", \"equal minimum delays in both "
	    "directions\"." },
	{ "exchanges", PACE_COUNT(C, exchanges) },
	{ "timeouts", PACE_COUNT(C, timeouts), .text = "Exchanges answered, and not." },
	{ "stamp", PACE_NAME(C, stamp, pace_stamp_names),
	    .text = "Where their times were taken, as in `tx`; the least good of all." },
	{ "offset_ns", PACE_OWN(put_offset, NULL), IF_KNOWN,
	    .type = "'type': ['integer', 'null']", .text = "In the middle of the stream." },
	{ "skew_ppm", PACE_OWN(put_rate, NULL), IF_KNOWN,
	    .type = "'type': ['number', 'null'], 'minimum': -1000, 'maximum': 1000",
	    .text = "The gain of the responder's clock on the client's there, in parts per "
	    "million." },
	{ "uncertainty_ns", PACE_REAL(C, fit.uncertainty_ns), IF_KNOWN,
	    .text = "How far the offset may be off if the lowest delays in both directions are "
	    "equal, a real number. The error of the delay is half the difference of the two if "
	    "they are not." },
	{ "bound_ns", PACE_REAL(C, fit.bound_ns), IF_KNOWN,
	    .text = "How far it may be off at any delays, if the clocks ran straight, a real "
	    "number." },
	{ "linear", PACE_OWN(put_linear, NULL), IF_KNOWN, .type = "'type': ['boolean', 'null']",
	    .text = "True if one line was enough." },
	{ "wanders", PACE_BOOL(C, fit.wanders), IF_KNOWN,
	    .text = "True if the clocks did not keep to their lines; `bound_ns` is made wider by "
	    "what they strayed." },
	{ "wall_offset_ns", PACE_INT(C, wall_offset_ns), .low = INT64_MIN, .high = INT64_MAX,
	    IF_KNOWN,
	    .text = "The responder's wall clock less the client's, at the end. Delays do not "
	    "depend on it." },
	{ "segments", PACE_ARRAY(C, fit.v, fit.segments, segment_fields),
	    .text = "The lines, in ascending order; neighbours may overlap by a round trip. From "
	    "`from_ns` to `to_ns` the offset is `offset_ns` + (t - `t_ns`) * `skew_ppm` / 10^6, "
	    "within `bound_ns`." },
	{ "from_ns", TIME(C, from_ns) },
	{ "to_ns", TIME(C, to_ns), .text = "Begin and end of the stream." },
	{ "min_rtt_ns", RTT(min_rtt_ns),
	    .text = "Shortest round trip without the time spent at the responder." },
	{ "min_rtt_before_ns", RTT(before_ns) },
	{ "min_rtt_during_ns", RTT(during_ns) },
	{ "min_rtt_after_ns", RTT(after_ns),
	    .text = "The same before the stream, beside it and after it: where they differ, the "
	    "stream kept a queue from becoming empty. null if there was no exchange then." },
	{ "client", PACE_SELF(client_fields) },
	{ "responder", PACE_SELF(responder_fields),
	    .text = "The wall clock of each host, as its kernel tells: `synchronised`, `error_ns` "
	    "as estimated and `error_max_ns`, `frequency_ppm` that it is corrected by, all four "
	    "absent if not known; `steps`, how often it was set during the point, and `slews`, "
	    "how often its rate changed by more than 1 ppm. Kernels stamp frames with it." },
	{ .name = NULL },
};

const struct pace_fields pace_clock_fields = { .name = "clock", .row = clock_rows,
    .text = "The responder's probe clock against the client's; times are of the client's.",
    .rules = CLOCK_RULES };

json_t *
pace_clock_to_json(const struct pace_clock *c)
{
	struct pace_clock t = *c;

	t.fit = told(&c->fit);
	if (c->exchanges == 0)
		t.min_rtt_ns = t.before_ns = t.during_ns = t.after_ns = PACE_NO_TIME;
	return pace_fields_to_json(&pace_clock_fields, &t);
}

static bool
are_in_order(const struct pace_clock_estimate *e)
{
	for (int i = 0; i < e->segments; i++)
		if (e->v[i].to_ns < e->v[i].from_ns ||	/* neighbours may overlap by a round trip */
		    (i > 0 && (e->v[i].from_ns < e->v[i - 1].from_ns ||
		    e->v[i].to_ns < e->v[i - 1].to_ns)))
			return false;
	return true;
}

/* offset_ns, skew_ppm, linear and whether there is one follow from the lines. */
static void
read_estimate(struct pace_clock *c, struct pace_jr *j)
{
	c->fit.uncertainty_ns = pace_jr_real(j, "uncertainty_ns");
	c->fit.bound_ns = pace_jr_real(j, "bound_ns");
	c->fit.wanders = pace_jr_bool(j, "wanders");
	c->wall_offset_ns = pace_jr_int(j, "wall_offset_ns", INT64_MIN, INT64_MAX);
	if (!(c->fit.uncertainty_ns >= 0 && c->fit.bound_ns >= 0))
		j->bad = true;
}

int
pace_clock_from_json(struct pace_clock *c, const json_t *o)
{
	struct pace_jr j = { .o = o };

	memset(c, 0, sizeof(*c));
	pace_fields_get(&j, &pace_clock_fields, c);
	if (c->fit.segments > 0)
		read_estimate(c, &j);
	if (c->exchanges == 0 && (c->min_rtt_ns != PACE_NO_TIME || c->before_ns != PACE_NO_TIME ||
	    c->during_ns != PACE_NO_TIME || c->after_ns != PACE_NO_TIME))
		j.bad = true;
	return j.bad || !are_in_order(&c->fit) ? -EPROTO : 0;
}
