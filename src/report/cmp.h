/*
 * cmp.h - two runs beside each other: what both measured, and what only one did.
 *
 * Pairs      streams by size, code point and spacing (equal to 1 part in 10^9), the
 *            repetitions of a run put together (sweep.h); round trips by size, the first
 *            of repeated ones.  In order of size, code point, spacing; one that only one
 *            run has is in its place, without its partner.
 * Ratio      B / A; NAN where one is not known or A is 0.
 * Memory     pace_cmp_free, idempotent; the leaves stay the runs'.
 * Errors     -ENOMEM, nothing is left to free.
 */
#ifndef PACE_REPORT_CMP_H
#define PACE_REPORT_CMP_H

#include "report/report_data.h"
#include "report/sweep.h"

struct pace_pair {
	uint32_t	size_bytes;
	int		dscp;		/* -1: not told */
	double		spacing_ns;
	const struct pace_sweep_cell *a, *b;	/* NULL: that run has no such point */
	double		wire_bytes;
};

struct pace_rtt_point_pair {
	uint32_t	size_bytes;
	const struct pace_rtt_point *a, *b;
};

struct pace_cmp {
	size_t		n, trips;
	struct pace_pair *pair;
	struct pace_rtt_point_pair *trip;
	size_t		both, only_a, only_b;	/* of n and trips together */
	struct pace_sweep a, b;		/* private */
};

int	pace_cmp_make(struct pace_cmp *c, const struct pace_run *a, const struct pace_run *b);
void	pace_cmp_free(struct pace_cmp *c);

double	pace_cmp_ratio(double a, double b);

#endif
