#include "out/missing.h"

#include <stdlib.h>

#define NONE		UINT32_MAX	/* n is at most PACE_RECORD_LIMIT */

struct missing_number {
	uint64_t seq;
	uint32_t record;
};

/* first: for each record, the first record of the same number.  below, above: for each first
 * record, its neighbours in the list. */
struct missing_list {
	uint32_t *first, *below, *above;
};

static int
by_number(const void *a, const void *b)
{
	const struct missing_number *x = a, *y = b;

	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->record < y->record ? -1 : x->record > y->record;
}

static void
link_numbers(struct missing_list *l, struct missing_number *v, uint32_t n)
{
	uint32_t last = NONE;

	qsort(v, n, sizeof(*v), by_number);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t r = v[i].record;

		if (i > 0 && v[i].seq == v[i - 1].seq) {
			l->first[r] = last;
			continue;
		}
		l->first[r] = r;
		l->below[r] = last;
		l->above[r] = NONE;
		if (last != NONE)
			l->above[last] = r;
		last = r;
	}
}

/* On entry missing holds the numbers, on return the counts. */
static void
count_missing(const struct pace_record_run *run, struct missing_list *l, uint64_t *missing)
{
	for (uint32_t i = (uint32_t)run->n; i-- > 0;) {
		uint32_t below = l->below[l->first[i]];
		uint64_t next = below != NONE ? missing[below] + 1 : run->skip;
		struct pace_record rec;

		if (l->first[i] == i && below != NONE)
			l->above[below] = l->above[i];
		if (l->first[i] == i && l->above[i] != NONE)
			l->below[l->above[i]] = below;
		(void)pace_record_read(run->columns, run->n, i, &rec);
		missing[i] = rec.seq > next ? rec.seq - next : 0;
		if ((rec.flags & (PACE_RECORD_REORDERED | PACE_RECORD_DUPLICATE |
		    PACE_RECORD_BEYOND | PACE_RECORD_HOLE)) == 0)
			missing[i] = 0;
	}
}

uint64_t *
pace_missing_before(const struct pace_record_run *run)
{
	const uint32_t n = (uint32_t)run->n;
	struct missing_number *v = malloc(n * sizeof(*v));
	uint32_t *links = malloc(3 * (size_t)n * sizeof(*links));
	uint64_t *missing = malloc(n * sizeof(*missing));
	struct missing_list l = { links, links + n, links + 2 * (size_t)n };
	struct pace_record rec;

	if (v == NULL || links == NULL || missing == NULL) {
		free(missing);
		missing = NULL;
	} else {
		for (uint32_t i = 0; i < n; i++) {
			(void)pace_record_read(run->columns, n, i, &rec);
			v[i] = (struct missing_number){ rec.seq, i };
			missing[i] = rec.seq;
		}
		link_numbers(&l, v, n);
		count_missing(run, &l, missing);
	}
	free(v);
	free(links);
	return missing;
}
