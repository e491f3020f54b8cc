#include "config.h"

#include "report/cmp.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define REPEATS_MAX	1024	/* further repetitions are ignored */
#define SAME	1e-9	/* relative difference of spacings that count as equal */

double
pace_cmp_ratio(double a, double b)
{
	return a > 0 && b >= 0 && isfinite(a) && isfinite(b) ? b / a : NAN;
}

double
pace_cmp_rate(const struct pace_sweep_cell *c)
{
	return c != NULL && c->n > 0 ? c->wire_bps.mid : NAN;
}

double
pace_cmp_lost(const struct pace_sweep_cell *c)
{
	return c != NULL && c->n > 0 ? c->loss.mid * 100 : NAN;
}

static bool
has_delay(const struct pace_stream_point *l)
{
	return l->has_rx && l->rx.has_owd && !l->owd_relative;
}

double
pace_cmp_delay(const struct pace_sweep_cell *c, double q)
{
	double all[REPEATS_MAX];
	size_t n = 0;

	for (size_t i = 0; c != NULL && i < c->n && i < REPEATS_MAX; i++)
		if (has_delay(c->point[i]))
			all[n++] = pace_bins_quantile(&c->point[i]->rx.owd, q) / 1e3;
	return n > 0 ? pace_spread_of(all, n).mid : NAN;
}

double
pace_cmp_delay_error(const struct pace_sweep_cell *c)
{
	double worst = NAN;

	for (size_t i = 0; c != NULL && i < c->n; i++)
		if (has_delay(c->point[i]))
			worst = fmax(worst, c->point[i]->clock.fit.uncertainty_ns / 1e3);
	return worst;
}

double
pace_cmp_rtt(const struct pace_rtt_point *p, double q)
{
	if (p == NULL)
		return NAN;
	return (q > 0 ? pace_bins_quantile(&p->rtt, q) : pace_bins_min(&p->rtt)) / 1e3;
}

static int
by_place(const void *a, const void *b)
{
	const struct pace_pair *x = a, *y = b;
	const double apart = x->spacing_ns - y->spacing_ns;

	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	if (x->dscp != y->dscp)
		return x->dscp < y->dscp ? -1 : 1;
	if (x->streams != y->streams)
		return x->streams < y->streams ? -1 : 1;
	if (fabs(apart) <= SAME * fmax(x->spacing_ns, y->spacing_ns))
		return 0;
	return apart < 0 ? -1 : 1;
}

/* --- streams ----------------------------------------------------------------------------- */

/* Return the number of streams of all points; 0: several numbers. */
static uint32_t
streams_of(const struct pace_sweep *w)
{
	for (size_t i = 1; i < w->n; i++)
		if (w->line[i].streams != w->line[0].streams)
			return 0;
	return w->n > 0 ? w->line[0].streams : 0;
}

/* List all cells of a run as pairs without a partner; v NULL: only count.  Returns the
 * number. */
static size_t
list(const struct pace_sweep *w, bool is_b, struct pace_pair *v)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < w->line[i].n; k++, n++) {
			const struct pace_sweep_cell *cell = &w->line[i].cell[k];

			if (v == NULL)
				continue;
			v[n] = (struct pace_pair){ .size_bytes = w->line[i].size_bytes,
			    .dscp = w->line[i].dscp, .streams = w->line[i].streams,
			    .spacing_ns = cell->spacing_ns,
			    .a = is_b ? NULL : cell, .b = is_b ? cell : NULL,
			    .wire_bytes = w->line[i].wire_bytes };
		}
	return n;
}

/* Join neighbours of the same size, code point, number of streams and spacing. */
static int
pair_streams(struct pace_cmp *c)
{
	size_t n = list(&c->a, false, NULL) + list(&c->b, true, NULL);
	struct pace_pair *v = calloc(n + 1, sizeof(*v));

	c->pair = v;
	if (v == NULL)
		return -ENOMEM;
	list(&c->b, true, v + list(&c->a, false, v));
	c->streams_a = streams_of(&c->a);
	c->streams_b = streams_of(&c->b);
	for (size_t i = 0; i < n && c->streams_a > 0 && c->streams_b > 0; i++)
		v[i].streams = 0;
	qsort(v, n, sizeof(*v), by_place);
	for (size_t i = 0; i < n; i++) {
		struct pace_pair *last = c->n > 0 ? &v[c->n - 1] : NULL;

		if (last != NULL && by_place(last, &v[i]) == 0 &&
		    (last->a == NULL) != (v[i].a == NULL) &&
		    (last->a == NULL) == (last->b != NULL)) {
			last->a = last->a != NULL ? last->a : v[i].a;
			last->b = last->b != NULL ? last->b : v[i].b;
		} else {
			v[c->n++] = v[i];
		}
	}
	return 0;
}

/* --- round trips ------------------------------------------------------------------------------ */

static struct pace_rtt_point_pair *
find(struct pace_cmp *c, uint32_t size)
{
	for (size_t i = 0; i < c->trips; i++)
		if (c->trip[i].size_bytes == size)
			return &c->trip[i];
	c->trip[c->trips].size_bytes = size;
	return &c->trip[c->trips++];
}

static int
by_size(const void *x, const void *y)
{
	const struct pace_rtt_point_pair *a = x, *b = y;

	return (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
}

/* --- both ------------------------------------------------------------------------------------ */

static void
count(struct pace_cmp *c, bool a, bool b)
{
	c->both += a && b;
	c->only_a += a && !b;
	c->only_b += b && !a;
}

int
pace_cmp_make(struct pace_cmp *c, const struct pace_run *a, const struct pace_run *b)
{
	*c = (struct pace_cmp){ .n = 0 };
	if (pace_sweep_make(&c->a, a) != 0)
		return -ENOMEM;
	if (pace_sweep_make(&c->b, b) != 0) {
		pace_sweep_free(&c->a);
		return -ENOMEM;
	}
	c->trip = calloc(a->trips + b->trips + 1, sizeof(*c->trip));
	if (c->trip == NULL || pair_streams(c) != 0) {
		pace_cmp_free(c);
		return -ENOMEM;
	}
	for (size_t i = a->trips; i > 0; i--)	/* backwards, to keep the first one */
		find(c, a->trip[i - 1].ask.size_bytes)->a = &a->trip[i - 1];
	for (size_t i = b->trips; i > 0; i--)
		find(c, b->trip[i - 1].ask.size_bytes)->b = &b->trip[i - 1];
	qsort(c->trip, c->trips, sizeof(*c->trip), by_size);
	for (size_t i = 0; i < c->n; i++)
		count(c, c->pair[i].a != NULL, c->pair[i].b != NULL);
	for (size_t i = 0; i < c->trips; i++)
		count(c, c->trip[i].a != NULL, c->trip[i].b != NULL);
	return 0;
}

void
pace_cmp_free(struct pace_cmp *c)
{
	pace_sweep_free(&c->a);
	pace_sweep_free(&c->b);
	free(c->pair);
	free(c->trip);
	*c = (struct pace_cmp){ .n = 0 };
}
