/*
 * due.h - which of many things is due first.
 *
 * Purpose    a heap of due times: a change costs log2 of the number, the first one costs nothing.
 * Times      all are there from the begin, due at INT64_MAX, which is never.
 * Units      the caller's.   Memory  the caller's.   Threads  none.
 */
#ifndef PACE_CORE_DUE_H
#define PACE_CORE_DUE_H

#include <stddef.h>
#include <stdint.h>

struct pace_due {
	size_t		n;
	int64_t		*ns;		/* by number; read it, but change it with pace_due_set */
	uint32_t	*heap, *place;	/* private: numbers in the heap's order; where each is */
};

/* Bytes of memory for n things, aligned for int64_t; make d with it.  n is 1 or more. */
#define PACE_DUE_BYTES(n)	((n) * (sizeof(int64_t) + 2 * sizeof(uint32_t)))
void	pace_due_init(struct pace_due *d, void *memory, size_t n);

/* Number i is due at ns. */
void	pace_due_set(struct pace_due *d, size_t i, int64_t ns);

/* The number that is due first. */
static inline size_t
pace_due_first(const struct pace_due *d)
{
	return d->heap[0];
}

#endif
