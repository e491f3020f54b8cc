/*
 * How it works.  A sample is a table with open addressing by the hash's low bits.  Whether a
 * key stays in the sample depends on the whole hash, from its high bits on: the two choices
 * are independent.
 */
#include "cap/align.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/splitmix.h"
#include "core/wide_time.h"

#define SLOTS		(2u * PACE_CAP_SAMPLE)
#define BLOCK_LEAST	32u

/* --- samples --------------------------------------------------------------------------- */

void
pace_cap_sample_reset(struct pace_cap_sample *s)
{
	memset(s, 0, sizeof(*s));
	s->below = UINT64_MAX;
}

/* Find the slot of a hash, or a free slot for it; NULL: neither within the search limit. */
static struct pace_cap_sampled *
slot_of(struct pace_cap_sample *s, uint64_t hash)
{
	for (unsigned i = 0; i < PACE_CAP_SAMPLE_TRIES; i++) {
		struct pace_cap_sampled *at = &s->slot[(hash + i) % SLOTS];

		if (at->times == 0 || at->hash == hash)
			return at;
	}
	return NULL;
}

/* Remove half of the keys.  A search ends at a free slot, so the other keys are inserted again:
 * first those after the end of a row, so that none lands behind its place. */
static void
halve(struct pace_cap_sample *s)
{
	unsigned begin = 0;

	s->below /= 2;
	while (begin < SLOTS && s->slot[begin].times != 0)
		begin++;
	s->n = 0;
	for (unsigned i = 0; i < SLOTS; i++) {
		struct pace_cap_sampled *from = &s->slot[(begin + i) % SLOTS], e = *from, *to;

		from->times = 0;
		to = e.times > 0 && e.hash < s->below ? slot_of(s, e.hash) : NULL;
		if (to == NULL)
			continue;
		*to = e;
		s->n++;
	}
}

void
pace_cap_sample_add(struct pace_cap_sample *s, uint32_t flow, uint64_t key, int64_t t_ns)
{
	uint64_t state = key ^ (uint64_t)flow << 56, hash = pace_splitmix64(&state);
	struct pace_cap_sampled *at;

	if (hash >= s->below)
		return;
	at = slot_of(s, hash);
	if (at == NULL)
		return;
	if (at->times == 0) {
		*at = (struct pace_cap_sampled){ hash, t_ns, 1, flow };
		s->n++;
	} else if (at->times < UINT32_MAX) {
		at->times++;
	}
	while (s->n > PACE_CAP_SAMPLE)
		halve(s);
}

/* --- what both have --------------------------------------------------------------------------- */

static size_t
collect(const struct pace_cap_sample *x, struct pace_cap_sample *y, bool once,
    struct pace_cap_common *v)
{
	size_t n = 0;

	for (unsigned i = 0; i < SLOTS; i++) {
		const struct pace_cap_sampled *e = &x->slot[i], *o;

		if (e->times == 0 || e->hash >= y->below)
			continue;
		o = slot_of(y, e->hash);
		if (o == NULL || o->times == 0 || (once && (e->times > 1 || o->times > 1)))
			continue;
		v[n++] = (struct pace_cap_common){ e->t_ns, pace_minus(o->t_ns, e->t_ns),
		    e->flow };
	}
	return n;
}

size_t
pace_cap_common(struct pace_cap_sample *x, struct pace_cap_sample *y, struct pace_cap_common *v)
{
	size_t n = collect(x, y, true, v);

	if (n < PACE_CAP_ALIGN_FEW)
		n = collect(x, y, false, v);
	pace_cap_sample_reset(x);
	pace_cap_sample_reset(y);
	return n;
}

/* --- the line ---------------------------------------------------------------------- */

static int
by_time(const void *a, const void *b)
{
	const struct pace_cap_common *x = a, *y = b;

	return (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns);
}

static int
by_apart(const void *a, const void *b)
{
	const struct pace_cap_common *x = a, *y = b;

	return (x->apart_ns > y->apart_ns) - (x->apart_ns < y->apart_ns);
}

/* Move the frames of a flow to the front; return their number. */
static size_t
gather(struct pace_cap_common *v, size_t n, uint32_t flow)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].flow == flow) {
			const struct pace_cap_common mine = v[i];

			v[i] = v[k];
			v[k++] = mine;
		}
	return k;
}

void
pace_cap_align(struct pace_cap_align *a, struct pace_cap_common *v, size_t n, uint32_t flow)
{
	size_t all = gather(v, n, flow);

	a->n = (all + BLOCK_LEAST - 1) / BLOCK_LEAST;
	if (a->n > PACE_CAP_ALIGN_BLOCKS)
		a->n = PACE_CAP_ALIGN_BLOCKS;
	qsort(v, all, sizeof(*v), by_time);
	for (size_t i = 0; i < a->n; i++) {
		size_t from = all * i / a->n, to = all * (i + 1) / a->n;

		a->block[i].from_ns = v[from].t_ns;
		qsort(v + from, to - from, sizeof(*v), by_apart);
		a->block[i].apart_ns = v[from + (to - from) / 2].apart_ns;
	}
}

int64_t
pace_cap_align_at(const struct pace_cap_align *a, int64_t t_ns)
{
	size_t i = 0;

	if (a->n == 0)
		return 0;
	while (i + 1 < a->n && a->block[i + 1].from_ns <= t_ns)
		i++;
	return a->block[i].apart_ns;
}

size_t
pace_cap_align_more(const struct pace_cap_align *a, struct pace_cap_common *v, size_t n,
    uint32_t flow, int64_t *more_ns)
{
	size_t all = gather(v, n, flow);

	*more_ns = 0;
	if (all == 0)
		return 0;
	for (size_t i = 0; i < all; i++)
		v[i].apart_ns = pace_minus(v[i].apart_ns, pace_cap_align_at(a, v[i].t_ns));
	qsort(v, all, sizeof(*v), by_apart);
	*more_ns = v[all / 2].apart_ns;
	return all;
}
