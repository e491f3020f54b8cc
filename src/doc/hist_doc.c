#include "doc/hist_doc.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "doc/field.h"

/* Edges of the outermost bins, which also hold what is beyond them. */
#define LOWEST		(-PACE_HIST_MAX - 1)
#define HIGHEST		(PACE_HIST_MAX + 1)
#define LENS_WIDTH_MAX	(INT64_C(1) << 40)	/* low + bins * width stays in 63 bits */

static const struct { const char *name; double q; } percentiles[] = {
	{ "1", 0.01 }, { "10", 0.1 }, { "25", 0.25 }, { "50", 0.5 }, { "75", 0.75 },
	{ "90", 0.9 }, { "99", 0.99 }, { "99.9", 0.999 }, { "99.99", 0.9999 },
};

static json_t *
percentiles_of(const struct pace_hist *h)
{
	struct pace_jw w = pace_jw_begin();

	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		if (pace_hist_has_quantile(h->stats.n, percentiles[i].q))
			pace_jw_put(&w, percentiles[i].name, json_integer(
			    pace_hist_quantile(h, percentiles[i].q)));
	return w.o;
}

static json_t *
bin_to_json(const struct pace_bin *bin)
{
	json_t *j = json_array();

	if (json_array_append_new(j, json_integer(bin->low)) == 0 &&
	    json_array_append_new(j, json_integer(bin->high)) == 0 &&
	    json_array_append_new(j, pace_js_count(bin->count)) == 0)
		return j;
	json_decref(j);
	return NULL;
}

static json_t *
bins_to_json(const struct pace_hist *h)
{
	json_t *j = json_array();
	struct pace_bin bin;
	int iter = 0;

	while (pace_hist_next(h, &iter, &bin)) {
		if (json_array_append_new(j, bin_to_json(&bin)) == -1) {
			json_decref(j);
			return NULL;
		}
	}
	return j;
}

json_t *
pace_hist_to_json(const struct pace_hist *h, const char *unit)
{
	struct pace_jw w = pace_jw_begin();

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
	pace_jw_put(&w, "bins", bins_to_json(h));
	return w.o;
}

/* What the bins say of themselves. */
struct hist_doc_span {
	struct pace_bin	first, last;
	uint64_t	sum;
};

static int
read_bin(struct pace_bin *bin, const json_t *j)
{
	const json_t *v[3];

	if (json_array_size(j) != 3)	/* 0 when it is no array */
		return -EPROTO;
	for (size_t i = 0; i < 3; i++) {
		v[i] = json_array_get(j, i);
		if (!json_is_integer(v[i]))
			return -EPROTO;
	}
	bin->low = json_integer_value(v[0]);
	bin->high = json_integer_value(v[1]);
	if (json_integer_value(v[2]) < 1 || json_integer_value(v[2]) > PACE_JS_MAX)
		return -EPROTO;
	bin->count = (uint64_t)json_integer_value(v[2]);
	return 0;
}

/* The number of bins is bounded: each is one of ours, and none comes twice. */
static int
read_bins(struct pace_hist *h, const json_t *j, struct hist_doc_span *s)
{
	struct pace_bin bin;

	if (!json_is_array(j))
		return -EPROTO;
	for (size_t i = 0; i < json_array_size(j); i++) {
		if (read_bin(&bin, json_array_get(j, i)) != 0 ||
		    (i > 0 && bin.low < s->last.high) ||
		    pace_hist_put(h, &bin) != 0)
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

/* In the bin, or so far out that an outermost bin counts it. */
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
 * Sums from which mean and stddev come out again.  They were rounded when
 * written: what is outside the possible by that much is moved back in.
 * stddev is largest for two values: their distance by the root of 2.
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

static int
read_figures(struct pace_hist *h, struct pace_jr *r, const struct hist_doc_span *s)
{
	double mean, stddev;

	h->stats.min = pace_jr_int(r, "min", -PACE_JS_MAX, PACE_JS_MAX);
	h->stats.max = pace_jr_int(r, "max", -PACE_JS_MAX, PACE_JS_MAX);
	mean = pace_jr_real(r, "mean");
	stddev = pace_jr_real(r, "stddev");
	if (r->bad || !extremes_fit(h, s) || !restore_sums(&h->stats, mean, stddev))
		return -EPROTO;
	return 0;
}

static bool
says(const json_t *j, const char *text)
{
	return json_is_string(j) && strcmp(json_string_value(j), text) == 0;
}

int
pace_hist_from_json(struct pace_hist *h, const json_t *j, const char *unit)
{
	struct pace_jr r = { .o = j };
	struct hist_doc_span s = { .sum = 0 };

	pace_hist_reset(h);
	if (!says(pace_jr_get(&r, "unit"), unit))
		return -EPROTO;
	h->stats.n = pace_jr_count(&r, "count");
	h->clipped = pace_jr_count_or_0(&r, "clipped");
	if (read_bins(h, pace_jr_get(&r, "bins"), &s) != 0)
		return -EPROTO;
	if (r.bad || s.sum != h->stats.n || h->clipped > s.sum)
		return -EPROTO;
	if (h->stats.n > 0)
		return read_figures(h, &r, &s);
	return pace_jr_has(&r, "min") || pace_jr_has(&r, "max") ||
	    pace_jr_has(&r, "mean") || pace_jr_has(&r, "stddev") ? -EPROTO : 0;
}

json_t *
pace_linear_hist_to_json(const struct pace_linear_hist *l)
{
	struct pace_jw w = pace_jw_begin();
	json_t *counts = json_array();

	for (uint32_t i = 0; i < l->bins; i++) {
		if (json_array_append_new(counts, pace_js_count(l->count[i])) == -1) {
			json_decref(counts);
			counts = NULL;
			break;
		}
	}
	pace_jw_put(&w, "low", json_integer(l->low));
	pace_jw_put(&w, "width", json_integer(l->width));
	pace_jw_put(&w, "counts", counts);
	pace_jw_count(&w, "underflow", l->underflow);
	pace_jw_count(&w, "overflow", l->overflow);
	return w.o;
}

/* Counts below 2^48 each: no sum of 4096 of them overflows. */
static int
read_counts(struct pace_linear_hist *l, const json_t *j)
{
	size_t n = json_array_size(j);

	if (n < 1 || n > PACE_LINEAR_HIST_MAX_BINS)
		return -EPROTO;
	for (size_t i = 0; i < n; i++) {
		const json_t *v = json_array_get(j, i);

		if (!json_is_integer(v) || json_integer_value(v) < 0 ||
		    json_integer_value(v) >> 48 != 0)
			return -EPROTO;
		l->count[i] = (uint64_t)json_integer_value(v);
	}
	l->bins = (uint32_t)n;
	return 0;
}

int
pace_linear_hist_from_json(struct pace_linear_hist *l, const json_t *j)
{
	struct pace_jr r = { .o = j };

	l->low = pace_jr_int(&r, "low", -PACE_JS_MAX, PACE_JS_MAX);
	l->width = pace_jr_int(&r, "width", 1, LENS_WIDTH_MAX);
	l->underflow = pace_jr_count(&r, "underflow");
	l->overflow = pace_jr_count(&r, "overflow");
	l->bins = 0;
	if (r.bad || l->underflow >> 61 != 0 || l->overflow >> 61 != 0)
		return -EPROTO;
	return read_counts(l, pace_jr_get(&r, "counts"));
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
	return sum == h->stats.n;
}

/* --- the schema ------------------------------------------------------------------------- */

static const struct pace_field linear_rows[] = {
	{ "low", .type = "'type': 'integer'" },
	{ "width", .type = PACE_TYPE_POSITIVE },
	{ "counts", .type = "'type': 'array', 'minItems': 1, 'items': { " PACE_TYPE_COUNT " }" },
	{ "underflow", .type = PACE_TYPE_COUNT },
	{ "overflow", .type = PACE_TYPE_COUNT },
	{ .name = NULL },
};

static const struct pace_fields linear_fields = { .name = "linear", .row = linear_rows };

#define FIGURE	.flags = PACE_F_LAX

static const struct pace_field hist_rows[] = {
	{ "unit", .type = "'enum': ['ns', 'frames']", .text = "\"ns\" or \"frames\"." },
	{ "count", .type = PACE_TYPE_COUNT, .text = "Values." },
	{ "min", FIGURE, .type = "'type': 'integer'" },
	{ "max", FIGURE, .type = "'type': 'integer'" },
	{ "mean", FIGURE, .type = "'type': 'number'" },
	{ "stddev", FIGURE, .type = "'type': 'number', 'minimum': 0",
	    .text = "Exact, not from the bins; absent when `count` is 0. `stddev` is that of a "
	    "sample, over n - 1." },
	{ "percentiles", FIGURE, .type = "'type': 'object', "
	    "'propertyNames': { 'pattern': '^[0-9]+(\\\\.[0-9]+)?$' }, "
	    "'additionalProperties': { 'type': 'number' }",
	    .text = "An object with the members \"1\", \"10\", \"25\", \"50\", \"75\", \"90\", \"99\", "
	    "\"99.9\" and \"99.99\", as far as there are enough values to speak of them: of the "
	    "outer ones, ten beyond. They are within 0.4% of the value." },
	{ "clipped", FIGURE, .type = PACE_TYPE_POSITIVE,
	    .text = "Values beyond the outermost bin, which are counted in it; absent if there are "
	    "none." },
	{ "bins", .type = "'type': 'array', 'items': { 'type': 'array', 'minItems': 3, "
	    "'maxItems': 3, 'prefixItems': [ { 'type': 'integer' }, { 'type': 'integer' }, "
	    "{ " PACE_TYPE_POSITIVE " } ] }",
	    .text = "The occupied bins in ascending order, each [low, high, count] with low <= "
	    "value < high. Bins are 1 wide below 256, then there are 128 for every doubling; "
	    "negative values have the same bins mirrored." },
	{ "linear", FIGURE, .of = &linear_fields,
	    .text = "The linear histogram that was asked for: `low` and `width` of the bins, their "
	    "`counts`, and the numbers of values below and above, `underflow` and `overflow`." },
	{ .name = NULL },
};

const struct pace_fields pace_hist_fields = { .name = "hist", .row = hist_rows,
    .text = "Occupied bins only, low <= value < high; a percentile is there when there are "
    "enough values to speak of it.",
    .rules = "'if': { 'properties': { 'count': { 'const': 0 } } }, "
    "'then': { 'properties': { 'bins': { 'maxItems': 0 }, 'min': false, 'max': false, "
    "'mean': false, 'stddev': false, 'percentiles': false } }, "
    "'else': { 'required': ['min', 'max', 'mean', 'stddev', 'percentiles'] }" };

static const struct pace_field none[] = { { .name = NULL } };

const struct pace_fields pace_hist_ns_fields = { .name = "hist_ns", .row = none,
    .rules = "'$ref': '#/$defs/hist', 'properties': { 'unit': { 'const': 'ns' } }" };
const struct pace_fields pace_hist_frames_fields = { .name = "hist_frames", .row = none,
    .rules = "'$ref': '#/$defs/hist', 'properties': { 'unit': { 'const': 'frames' } }" };
