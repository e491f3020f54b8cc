#include "config.h"

#include "report/pick.h"

#include <stdlib.h>

size_t
pace_pick(size_t n, size_t most, size_t *at)
{
	const size_t shown = n < most ? n : most;

	for (size_t i = 0; i < shown; i++)
		at[i] = shown == n ? i : (i * (n - 1) + (shown - 1) / 2) / (shown - 1);
	return shown;
}

static int
compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int
by_place(const void *a, const void *b)
{
	const struct pace_stream_point *x = *(const struct pace_stream_point *const *)a;
	const struct pace_stream_point *y = *(const struct pace_stream_point *const *)b;
	int c = compare(x->ask.size_bytes, y->ask.size_bytes);

	if (c == 0)
		c = compare(x->ask.spacing, y->ask.spacing);
	return c != 0 ? c : compare(x->index, y->index);
}

static bool
same_place(const struct pace_stream_point *a, const struct pace_stream_point *b)
{
	return a->name[0] == '\0' && a->ask.size_bytes == b->ask.size_bytes &&
	    a->ask.spacing == b->ask.spacing;
}

size_t
pace_pick_streams(const struct pace_run *r, bool (*has)(const struct pace_stream_point *l),
    const struct pace_stream_point **v, size_t room)
{
	const struct pace_stream_point **all = calloc(r->n > 0 ? r->n : 1, sizeof(*all));
	size_t n = 0, kept = 0;

	if (all == NULL)
		return 0;
	for (size_t i = 0; i < r->n; i++)
		if (r->point[i].has_rx && has(&r->point[i]))
			all[n++] = &r->point[i];
	qsort(all, n, sizeof(*all), by_place);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && same_place(all[i - 1], all[i]))
			continue;
		if (kept < room)
			v[kept] = all[i];
		kept++;
	}
	free(all);
	return kept;
}

static int
by_size(const void *a, const void *b)
{
	const struct pace_rtt_point *x = *(const struct pace_rtt_point *const *)a;
	const struct pace_rtt_point *y = *(const struct pace_rtt_point *const *)b;
	int c = compare(x->ask.size_bytes, y->ask.size_bytes);

	return c != 0 ? c : compare(x->index, y->index);
}

size_t
pace_pick_rtt(const struct pace_run *r, const struct pace_rtt_point **v, size_t room)
{
	const struct pace_rtt_point **all = calloc(r->trips > 0 ? r->trips : 1, sizeof(*all));
	size_t n = 0, kept = 0;

	if (all == NULL)
		return 0;
	for (size_t i = 0; i < r->trips; i++)
		if (r->trip[i].received > 0)
			all[n++] = &r->trip[i];
	qsort(all, n, sizeof(*all), by_size);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && all[i - 1]->ask.size_bytes == all[i]->ask.size_bytes)
			continue;
		if (kept < room)
			v[kept] = all[i];
		kept++;
	}
	free(all);
	return kept;
}

size_t
pace_pick_size(const struct pace_stream_point *const *v, size_t n, size_t *begin)
{
	size_t most = 0;

	*begin = 0;
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && v[k]->ask.size_bytes == v[i]->ask.size_bytes; k++)
			;
		if (k - i >= most) {
			most = k - i;
			*begin = i;
		}
	}
	return most;
}
