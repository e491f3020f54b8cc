/* The tables of HIST and of its member "linear", which is read and written by its table:
 * hist_doc.h. */
#include "doc/hist_doc.h"

#include <errno.h>

#include "doc/field.h"

#define LENS_WIDTH_MAX	(INT64_C(1) << 40)	/* low + bins * width stays in 63 bits */

static void
put_counts(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_linear_hist *l = s;
	json_t *counts = json_array();

	for (uint32_t i = 0; i < l->bins; i++)
		counts = pace_js_append(counts, pace_js_count(l->count[i]));
	pace_jw_put(w, name, counts);
}

/* Counts below 2^48 each: no sum of 4096 of them overflows. */
static void
get_counts(struct pace_jr *j, const char *name, void *s)
{
	struct pace_linear_hist *l = s;
	const json_t *list = pace_jr_get(j, name);
	size_t n = json_array_size(list);

	j->bad |= n < 1 || n > PACE_LINEAR_HIST_MAX_BINS;
	for (size_t i = 0; i < n && !j->bad; i++) {
		const json_t *v = json_array_get(list, i);

		j->bad |= !json_is_integer(v) || json_integer_value(v) < 0 ||
		    json_integer_value(v) >> 48 != 0;
		l->count[i] = (uint64_t)json_integer_value(v);
	}
	l->bins = j->bad ? 0 : (uint32_t)n;
}

#define L	struct pace_linear_hist
#define OUTSIDE(m)	PACE_COUNT(L, m), .high = (INT64_C(1) << 61) - 1, .type = PACE_TYPE_COUNT

static const struct pace_fields linear_fields = { .name = "linear", .row = PACE_FIELDS(
	{ "low", PACE_INT(L, low) },
	{ "width", PACE_INT(L, width), .low = 1, .high = LENS_WIDTH_MAX,
	    .type = PACE_TYPE_POSITIVE },
	{ "counts", PACE_OWN(put_counts, get_counts),
	    .type = "'type': 'array', 'minItems': 1, 'items': { " PACE_TYPE_COUNT " }" },
	{ "underflow", OUTSIDE(underflow) },
	{ "overflow", OUTSIDE(overflow) },
) };

json_t *
pace_linear_hist_to_json(const struct pace_linear_hist *l)
{
	return pace_fields_to_json(&linear_fields, l);
}

int
pace_linear_hist_from_json(struct pace_linear_hist *l, const json_t *j)
{
	return pace_fields_from_json(&linear_fields, l, j) ? 0 : -EPROTO;
}

uint64_t
pace_linear_hist_total(const struct pace_linear_hist *l)
{
	uint64_t n = l->underflow + l->overflow;

	for (uint32_t i = 0; i < l->bins; i++)
		n += l->count[i];
	return n;
}

/* --- the schema ------------------------------------------------------------------------- */

#define FIGURE	.flags = PACE_F_LAX

const struct pace_fields pace_hist_fields = { .name = "hist",
    .text = "Occupied bins only, low <= value < high; a percentile is present if there are enough "
    "values for it.",
    .rules = "'if': { 'properties': { 'count': { 'const': 0 } } }, "
    "'then': { 'properties': { 'bins': { 'maxItems': 0 }, 'min': false, 'max': false, "
    "'mean': false, 'stddev': false, 'percentiles': false } }, "
    "'else': { 'required': ['min', 'max', 'mean', 'stddev', 'percentiles'] }", .row = PACE_FIELDS(
	{ "unit", .type = "'enum': ['ns', 'frames']", .text = "\"ns\" or \"frames\"." },
	{ "count", .type = PACE_TYPE_COUNT, .text = "Number of values." },
	{ "min", FIGURE, .type = "'type': 'integer'" },
	{ "max", FIGURE, .type = "'type': 'integer'" },
	{ "mean", FIGURE, .type = "'type': 'number'" },
	{ "stddev", FIGURE, .type = "'type': 'number', 'minimum': 0",
	    .text = "Exact, not from the bins; absent if `count` is 0. `stddev` is that of a "
	    "sample, with n - 1." },
	{ "percentiles", FIGURE, .type = "'type': 'object', "
	    "'propertyNames': { 'pattern': '^[0-9]+(\\\\.[0-9]+)?$' }, "
	    "'additionalProperties': { 'type': 'number' }",
	    .text = "An object with the members \"1\", \"10\", \"25\", \"50\", \"75\", \"90\", "
	    "\"99\", \"99.9\" and \"99.99\". A percentile is present if there are enough values "
	    "for it; an outer one needs ten values beyond it. Each is within 0.4% of the exact "
	    "value." },
	{ "clipped", FIGURE, .type = PACE_TYPE_POSITIVE,
	    .text = "Values beyond the outermost bin, which counts them; absent if there are "
	    "none." },
	{ "bins", FIGURE, .type = "'type': 'array', 'items': { 'type': 'array', 'minItems': 3, "
	    "'maxItems': 3, 'prefixItems': [ { 'type': 'integer' }, { 'type': 'integer' }, "
	    "{ " PACE_TYPE_POSITIVE " } ] }",
	    .text = "The occupied bins in ascending order, each [low, high, count] with low <= "
	    "value < high. Bins are 1 wide below 256; above there are 128 per doubling. Negative "
	    "values have the same bins mirrored. Absent in a short document (--no-bins)." },
	{ "linear", FIGURE, .of = &linear_fields,
	    .text = "The linear histogram, if requested: `low` and `width` of the bins, their "
	    "`counts`, and the numbers of values below and above, `underflow` and `overflow`." },
) };

static const struct pace_field none[] = { { .name = NULL } };

const struct pace_fields pace_hist_ns_fields = { .name = "hist_ns", .row = none,
    .rules = "'$ref': '#/$defs/hist', 'properties': { 'unit': { 'const': 'ns' } }" };
const struct pace_fields pace_hist_frames_fields = { .name = "hist_frames", .row = none,
    .rules = "'$ref': '#/$defs/hist', 'properties': { 'unit': { 'const': 'frames' } }" };
