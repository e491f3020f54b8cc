#include "config.h"

#include "report/cmp.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SAME	1e-9	/* spacings that differ by less are one */

double
pace_cmp_ratio(double a, double b)
{
	return a > 0 && b >= 0 && isfinite(a) && isfinite(b) ? b / a : NAN;
}

static int
sign(double v)
{
	return (v > 0) - (v < 0);
}

static int
by_place(const struct pace_pair *x, const struct pace_pair *y)
{
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	if (x->dscp != y->dscp)
		return x->dscp < y->dscp ? -1 : 1;
	if (fabs(x->spacing_ns - y->spacing_ns) <= SAME * fmax(x->spacing_ns, y->spacing_ns))
		return 0;
	return sign(x->spacing_ns - y->spacing_ns);
}

static int
compare_pairs(const void *x, const void *y)
{
	return by_place(x, y);
}

/* --- streams ----------------------------------------------------------------------------- */

static size_t
cells_of(const struct pace_sweep *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += w->line[i].n;
	return n;
}

/* All cells of a run, each as a pair without its partner; how many. */
static size_t
list(const struct pace_sweep *w, bool is_b, struct pace_pair *v)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < w->line[i].n; k++) {
			const struct pace_sweep_cell *cell = &w->line[i].cell[k];

			v[n++] = (struct pace_pair){ .size_bytes = w->line[i].size_bytes,
			    .dscp = w->line[i].dscp, .spacing_ns = cell->spacing_ns,
			    .a = is_b ? NULL : cell, .b = is_b ? cell : NULL,
			    .wire_bytes = w->line[i].wire_bytes };
		}
	return n;
}

/* Neighbours at the same place become one. */
static size_t
join(struct pace_pair *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct pace_pair *last = kept > 0 ? &v[kept - 1] : NULL;

		if (last != NULL && by_place(last, &v[i]) == 0 &&
		    (last->a == NULL) != (v[i].a == NULL) && (last->a == NULL) == (last->b != NULL)) {
			last->a = last->a != NULL ? last->a : v[i].a;
			last->b = last->b != NULL ? last->b : v[i].b;
		} else {
			v[kept++] = v[i];
		}
	}
	return kept;
}

static int
pair_streams(struct pace_cmp *c)
{
	size_t n = cells_of(&c->a) + cells_of(&c->b);

	c->pair = calloc(n > 0 ? n : 1, sizeof(*c->pair));
	if (c->pair == NULL)
		return -ENOMEM;
	n = list(&c->a, false, c->pair);
	n += list(&c->b, true, c->pair + n);
	qsort(c->pair, n, sizeof(*c->pair), compare_pairs);
	c->n = join(c->pair, n);
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
	uint32_t a = ((const struct pace_rtt_point_pair *)x)->size_bytes;
	uint32_t b = ((const struct pace_rtt_point_pair *)y)->size_bytes;

	return (a > b) - (a < b);
}

static int
pair_trips(struct pace_cmp *c, const struct pace_run *a, const struct pace_run *b)
{
	c->trip = calloc(a->trips + b->trips + 1, sizeof(*c->trip));
	if (c->trip == NULL)
		return -ENOMEM;
	for (size_t i = a->trips; i > 0; i--)	/* the first one stays */
		find(c, a->trip[i - 1].ask.size_bytes)->a = &a->trip[i - 1];
	for (size_t i = b->trips; i > 0; i--)
		find(c, b->trip[i - 1].ask.size_bytes)->b = &b->trip[i - 1];
	qsort(c->trip, c->trips, sizeof(*c->trip), by_size);
	return 0;
}

/* --- both ---------------------------------------------------------------------------------------- */

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
	if (pair_streams(c) != 0 || pair_trips(c, a, b) != 0) {
		pace_cmp_free(c);
		return -ENOMEM;
	}
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
