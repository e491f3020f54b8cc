/*
 * cmp.h - match the points of two runs, and find those that only one run has.
 *
 * Pairs      streams by size, code point and spacing (equal to 1 part in 10^9), with
 *            the repetitions of a run combined (sweep.h); round trips by size, the first
 *            one if repeated.  Sorted by size, code point, spacing; a point of only one
 *            run has its place in this order, without a partner.
 * Ratio      B / A; NAN if one is not known or A is 0.
 * Memory     release with pace_cmp_free, which may be called again; the runs own the
 *            points.
 * Errors     -ENOMEM; nothing is left to release.
 */
#ifndef PACE_REPORT_CMP_H
#define PACE_REPORT_CMP_H

#include "report/report_data.h"
#include "report/sweep.h"

struct pace_pair {
	uint32_t	size_bytes;
	int		dscp;		/* -1: not known */
	double		spacing_ns;
	uint32_t	streams;	/* 0: each run has one number of streams */
	const struct pace_sweep_cell *a, *b;	/* NULL: the run has no such point */
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
	/* number of streams of all points; 0: several numbers.  Points with different numbers are
	 * compared by their aggregates if neither is 0. */
	uint32_t	streams_a, streams_b;
	size_t		both, only_a, only_b;	/* counts over n and trips */
	struct pace_sweep a, b;		/* private */
};

int	pace_cmp_make(struct pace_cmp *c, const struct pace_run *a, const struct pace_run *b);
void	pace_cmp_free(struct pace_cmp *c);

double	pace_cmp_ratio(double a, double b);

/* Values of one run; c or p NULL: NAN.  rate: received on the wire; lost: per cent; delay:
 * quantile q of the one-way delay in µs, median over the repetitions; delay_error: its
 * largest error in µs; rtt: quantile q of round trips in µs, q 0 the minimum. */
double	pace_cmp_rate(const struct pace_sweep_cell *c);
double	pace_cmp_lost(const struct pace_sweep_cell *c);
double	pace_cmp_delay(const struct pace_sweep_cell *c, double q);
double	pace_cmp_delay_error(const struct pace_sweep_cell *c);
double	pace_cmp_rtt(const struct pace_rtt_point *p, double q);

#endif
