#include "doc/hist_doc.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "doc/js.h"

/* Edges of the outermost bins, which also hold all values beyond them. */
#define LOWEST		(-PACE_HIST_MAX - 1)
#define HIGHEST		(PACE_HIST_MAX + 1)

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
