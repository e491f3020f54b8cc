#include "doc/hist_doc.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "doc/field.h"

/* Edges of the outermost bins, which also hold all values beyond them. */
#define LOWEST		(-PACE_HIST_MAX - 1)
#define HIGHEST		(PACE_HIST_MAX + 1)
#define LENS_WIDTH_MAX	(INT64_C(1) << 40)	/* low + bins * width stays in 63 bits */

/* names of the percentiles in pace_hist_listed */
static const char *const percentiles[PACE_HIST_LISTED] = { "1", "10", "25", "50", "75", "90", "99",
	"99.9", "99.99" };

static json_t *
percentiles_of(const struct pace_hist *h)
{
	struct pace_jw w = pace_jw_begin();

	for (int i = 0; i < PACE_HIST_LISTED; i++)
		if (pace_hist_has_quantile(h->stats.n, pace_hist_listed[i]))
			pace_jw_put(&w, percentiles[i], json_integer(
			    pace_hist_quantile(h, pace_hist_listed[i])));
	return w.o;
}

json_t *
pace_hist_to_json(const struct pace_hist *h, const char *unit)
{
	struct pace_jw w = pace_jw_begin();
	json_t *bins = json_array();
	struct pace_bin bin;
	int iter = 0;

	while (pace_hist_next(h, &iter, &bin))
		bins = pace_js_append(bins, json_pack("[I, I, o]", (json_int_t)bin.low,
		    (json_int_t)bin.high, pace_js_count(bin.count)));
	pace_jw_put(&w, "unit", json_string(unit));
	pace_jw_count(&w, "count", h->stats.n);
	if (h->stats.n > 0) {
		pace_jw_put(&w, "min", json_integer(h->stats.min));
		pace_jw_put(&w, "max", json_integer(h->stats.max));
		pace_jw_real(&w, "mean", pace_stats_mean(&h->stats));
		pace_jw_real(&w, "stddev", pace_stats_stddev(&h->stats));
		pace_jw_put(&w, "percentiles", percentiles_of(h));
	}
	if (h->clipped > 0)
		pace_jw_count(&w, "clipped", h->clipped);
	if (h->bare)
		json_decref(bins);
	else
		pace_jw_put(&w, "bins", bins);
	return w.o;
}

size_t
pace_hist_count_bins(const json_t *j)
{
	const json_t *bins = json_object_get(j, "bins");
	size_t n = json_array_size(bins), i;
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)j, key, v)
		if (v != bins)
			n += pace_hist_count_bins(v);
	json_array_foreach(j, i, v)
		n += pace_hist_count_bins(v);
	return n;
}

void
pace_hist_strip_bins(json_t *j)
{
	const char *key;
	json_t *v;
	size_t i;

	if (json_is_array(json_object_get(j, "bins")) && json_object_get(j, "unit") != NULL)
		json_object_del(j, "bins");
	json_object_foreach(j, key, v)
		pace_hist_strip_bins(v);
	json_array_foreach(j, i, v)
		pace_hist_strip_bins(v);
}

/* Sums over the bins. */
struct hist_doc_span {
	struct pace_bin	first, last;
	uint64_t	sum;
};

/* The number of bins is bounded: each one is a valid bin, and none appears twice. */
static int
read_bins(struct pace_hist *h, const json_t *j, struct hist_doc_span *s)
{
	int64_t v[3];

	if (!json_is_array(j))
		return -EPROTO;
	for (size_t i = 0; i < json_array_size(j); i++) {
		struct pace_bin bin;

		if (!pace_js_integers(json_array_get(j, i), v, 3) || v[2] < 1 || v[2] > PACE_JS_MAX)
			return -EPROTO;
		bin = (struct pace_bin){ .low = v[0], .high = v[1], .count = (uint64_t)v[2] };
		if ((i > 0 && bin.low < s->last.high) || pace_hist_put(h, &bin) != 0)
			return -EPROTO;
		if (i == 0)
			s->first = bin;
		s->last = bin;
		s->sum += bin.count;	/* both below 2^62 */
		if (s->sum > (uint64_t)PACE_JS_MAX)
			return -EPROTO;
	}
	return 0;
}

/* Is v in the bin, or so far out that an outermost bin counts it? */
static bool
fits(int64_t v, const struct pace_bin *bin)
{
	if (v < LOWEST)
		return bin->low == LOWEST;
	if (v >= HIGHEST)
		return bin->high == HIGHEST;
	return bin->low <= v && v < bin->high;
}

static bool
extremes_fit(const struct pace_hist *h, const struct hist_doc_span *s)
{
	const struct pace_stats *t = &h->stats;
	uint64_t room = 0;		/* for values beyond the outermost bins */

	if (t->min < LOWEST)
		room += s->first.count;
	if (t->max >= HIGHEST)
		room += s->last.count;
	return t->min <= t->max && (t->n > 1 || t->min == t->max) &&
	    fits(t->min, &s->first) && fits(t->max, &s->last) &&
	    (h->clipped > 0) == (room > 0) && h->clipped <= room;
}

/*
 * Sums that give mean and stddev again.  Both were rounded when written: values
 * outside the possible range by that rounding are moved into it.  stddev is
 * largest for two values: their distance / sqrt(2).
 */
static bool
restore_sums(struct pace_stats *s, double mean, double stddev)
{
	double low = (double)s->min, high = (double)s->max, n = (double)s->n;
	double slack = 1e-9 * fmax(fabs(low), fabs(high));
	double range = (double)(s->max - s->min);	/* high - low has lost digits */

	if (mean < low - slack || mean > high + slack)
		return false;
	if (stddev < 0 || stddev > 0.708 * range)
		return false;
	stddev = fmin(stddev, 0.70711 * range);
	mean = fmin(fmax(mean, low), high);
	s->first = (int64_t)round(mean);
	s->sum = (mean - (double)s->first) * n;
	s->sum2 = stddev * stddev * (n - 1) + s->sum / n * s->sum;
	return true;
}

/* Without bins: are all percentiles present, ascending, and between the extremes? */
static bool
listed_fit(struct pace_hist *h, const json_t *j)
{
	int64_t before = h->stats.min;

	for (int i = 0; i < PACE_HIST_LISTED; i++) {
		const json_t *v = json_object_get(j, percentiles[i]);

		h->listed[i] = json_integer_value(v);
		if (!pace_hist_has_quantile(h->stats.n, pace_hist_listed[i]))
			continue;
		if (!json_is_integer(v) || h->listed[i] < before || h->listed[i] > h->stats.max)
			return false;
		before = h->listed[i];
	}
	return h->stats.min <= h->stats.max && (h->stats.n > 1 || h->stats.min == h->stats.max);
}

static int
read_figures(struct pace_hist *h, struct pace_jr *r, const struct hist_doc_span *s)
{
	double mean, stddev;
	bool fit;

	h->stats.min = pace_jr_int(r, "min", -PACE_JS_MAX, PACE_JS_MAX);
	h->stats.max = pace_jr_int(r, "max", -PACE_JS_MAX, PACE_JS_MAX);
	mean = pace_jr_real(r, "mean");
	stddev = pace_jr_real(r, "stddev");
	fit = h->bare ? listed_fit(h, pace_jr_get(r, "percentiles")) : extremes_fit(h, s);
	if (r->bad || !fit || !restore_sums(&h->stats, mean, stddev))
		return -EPROTO;
	return 0;
}

int
pace_hist_from_json(struct pace_hist *h, const json_t *j, const char *unit)
{
	struct pace_jr r = { .o = j };
	struct hist_doc_span s = { .sum = 0 };
	const char *said;

	pace_hist_reset(h);
	said = json_string_value(pace_jr_get(&r, "unit"));
	if (said == NULL || strcmp(said, unit) != 0)
		return -EPROTO;
	h->stats.n = pace_jr_count(&r, "count");
	h->clipped = pace_jr_count_or_0(&r, "clipped");
	h->bare = json_object_get(j, "bins") == NULL;
	if (!h->bare && read_bins(h, pace_jr_get(&r, "bins"), &s) != 0)
		return -EPROTO;
	if (r.bad || (!h->bare && s.sum != h->stats.n) || h->clipped > h->stats.n)
		return -EPROTO;
	h->bare &= h->stats.n > 0;
	if (h->stats.n > 0)
		return read_figures(h, &r, &s);
	return pace_jr_has(&r, "min") || pace_jr_has(&r, "max") ||
	    pace_jr_has(&r, "mean") || pace_jr_has(&r, "stddev") ? -EPROTO : 0;
}

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

bool
pace_hist_sums(const struct pace_hist *h)
{
	struct pace_bin bin;
	uint64_t sum = 0;
	int iter = 0;

	while (pace_hist_next(h, &iter, &bin))
		sum += bin.count;
	return h->bare || sum == h->stats.n;
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
