/*
 * udpmon_hist.h - histograms on UDPmon's grid; private to out/.
 *
 * Grid       `bins` bins of `width` units from low; values outside are counted
 *            separately.  unit: number of the histogram's units in one of UDPmon's.
 * Mean       of the values in range, each at the middle of its bin; exact if
 *            each bin has one value.
 */
#ifndef PACE_OUT_UDPMON_HIST_H
#define PACE_OUT_UDPMON_HIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/hist.h"

struct pace_udpmon_hist {
	int64_t		low, width;	/* UDPmon's units */
	uint32_t	bins;
	uint64_t	n;		/* in range */
	uint64_t	underflow, overflow;
	double		mean;		/* n > 0 */
	uint64_t	count[PACE_LINEAR_HIST_MAX_BINS];
};

/* Convert h, every value shifted by shift; false: a bin lies across an edge of the grid. */
bool	pace_udpmon_from_hist(struct pace_udpmon_hist *to, const struct pace_hist *h,
	    int64_t shift, int64_t unit);
/* Convert l; false: its edges are not whole units. */
bool	pace_udpmon_from_linear_hist(struct pace_udpmon_hist *to, const struct pace_linear_hist *l,
	    int64_t unit);

void	pace_udpmon_put_hist(FILE *f, int id, const char *title,
	    const struct pace_udpmon_hist *h);

#endif
