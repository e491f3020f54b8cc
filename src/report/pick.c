#include "config.h"

#include "report/pick.h"

#include <stdlib.h>

#include "doc/params.h"

size_t
pace_pick(size_t n, size_t most, size_t *at)
{
	const size_t shown = n < most ? n : most;

	for (size_t i = 0; i < shown; i++)
		at[i] = shown == n ? i : (i * (n - 1) + (shown - 1) / 2) / (shown - 1);
	return shown;
}

int
pace_pick_by_number(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int
compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int
pace_pick_by_line(const struct pace_stream_point *x, const struct pace_stream_point *y)
{
	int c = compare(x->ask.size_bytes, y->ask.size_bytes);

	if (c == 0)
		c = compare(pace_params_streams(&x->ask), pace_params_streams(&y->ask));
	return c != 0 ? c : compare(x->ask.dscp, y->ask.dscp);
}

static int
by_place(const void *a, const void *b)
{
	const struct pace_stream_point *x = *(const struct pace_stream_point *const *)a;
	const struct pace_stream_point *y = *(const struct pace_stream_point *const *)b;
	int c = pace_pick_by_line(x, y);

	if (c == 0)
		c = compare(x->ask.spacing, y->ask.spacing);
	return c != 0 ? c : compare(x->index, y->index);
}

const struct pace_stream_point **
pace_pick_all(const struct pace_run *r, bool (*has)(const struct pace_stream_point *l), size_t *n)
{
	const struct pace_stream_point **v = calloc(r->n + 1, sizeof(*v));
	size_t all = 0;

	*n = 0;
	for (size_t i = 0; v != NULL && i < r->n; i++)
		if (r->point[i].has_rx && has(&r->point[i]))
			v[all++] = &r->point[i];
	if (all > 1)
		qsort(v, all, sizeof(*v), by_place);
	for (size_t i = 0; i < all; i++) {
		const struct pace_stream_point *last = *n > 0 ? v[*n - 1] : NULL;

		if (last == NULL || last->name[0] != '\0' ||
		    pace_pick_by_line(last, v[i]) != 0 ||
		    last->ask.spacing != v[i]->ask.spacing)
			v[(*n)++] = v[i];
	}
	return v;
}

bool
pace_pick_any(const struct pace_run *r, bool (*has)(const struct pace_stream_point *l))
{
	for (size_t i = 0; i < r->n; i++)
		if (r->point[i].has_rx && has(&r->point[i]))
			return true;
	return false;
}

static int
by_size(const void *a, const void *b)
{
	const struct pace_rtt_point *x = *(const struct pace_rtt_point *const *)a;
	const struct pace_rtt_point *y = *(const struct pace_rtt_point *const *)b;
	int c = compare(x->ask.size_bytes, y->ask.size_bytes);

	return c != 0 ? c : compare(x->index, y->index);
}

const struct pace_rtt_point **
pace_pick_rtt(const struct pace_run *r, size_t *n)
{
	const struct pace_rtt_point **v = calloc(r->trips + 1, sizeof(*v));
	size_t all = 0;

	*n = 0;
	for (size_t i = 0; v != NULL && i < r->trips; i++)
		if (r->trip[i].received > 0)
			v[all++] = &r->trip[i];
	if (all > 1)
		qsort(v, all, sizeof(*v), by_size);
	for (size_t i = 0; i < all; i++)
		if (i == 0 || v[*n - 1]->ask.size_bytes != v[i]->ask.size_bytes)
			v[(*n)++] = v[i];
	return v;
}

bool
pace_pick_any_rtt(const struct pace_run *r)
{
	for (size_t i = 0; i < r->trips; i++)
		if (r->trip[i].received > 0)
			return true;
	return false;
}

size_t
pace_pick_line(const struct pace_stream_point *const *v, size_t n, size_t *begin)
{
	size_t most = 0;

	*begin = 0;
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && pace_pick_by_line(v[k], v[i]) == 0; k++)
			;
		if (k - i >= most) {
			most = k - i;
			*begin = i;
		}
	}
	return most;
}
