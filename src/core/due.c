#include "core/due.h"

void
pace_due_init(struct pace_due *d, void *memory, size_t n)
{
	d->n = n;
	d->ns = memory;
	d->heap = (uint32_t *)(d->ns + n);
	d->place = d->heap + n;
	for (size_t i = 0; i < n; i++) {
		d->ns[i] = INT64_MAX;
		d->heap[i] = d->place[i] = (uint32_t)i;
	}
}

static void
put(struct pace_due *d, size_t at, uint32_t i)
{
	d->heap[at] = i;
	d->place[i] = (uint32_t)at;
}

/* The child of a place that is due first; n: it has none. */
static size_t
child_of(const struct pace_due *d, size_t at)
{
	size_t a = 2 * at + 1, b = a + 1;

	if (a >= d->n)
		return d->n;
	return b < d->n && d->ns[d->heap[b]] < d->ns[d->heap[a]] ? b : a;
}

void
pace_due_set(struct pace_due *d, size_t i, int64_t ns)
{
	size_t at = d->place[i], next;

	d->ns[i] = ns;
	for (; at > 0 && ns < d->ns[d->heap[(at - 1) / 2]]; at = (at - 1) / 2)
		put(d, at, d->heap[(at - 1) / 2]);
	for (; (next = child_of(d, at)) < d->n && d->ns[d->heap[next]] < ns; at = next)
		put(d, at, d->heap[next]);
	put(d, at, (uint32_t)i);
}
