/*
 * order.h - the points of a plan in a random order.
 *
 * Purpose    what changes slowly while a sweep runs (other traffic, temperature) must
 *            not look like an effect of size or spacing: a shuffled order turns it
 *            into scatter.
 * Repeats    one seed, the same order, on every machine and in every version.
 * Memory     none.   Threads  none.
 * Source     Fisher and Yates; numbers beyond the last whole multiple are thrown away,
 *            so that all orders are equally likely.
 */
#ifndef PACE_CORE_ORDER_H
#define PACE_CORE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* n elements of size bytes each (at most PACE_SHUFFLE_SIZE). */
#define PACE_SHUFFLE_SIZE	256
void	pace_shuffle(void *v, size_t n, size_t size, uint64_t seed);

#endif
