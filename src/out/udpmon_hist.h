/*
 * udpmon_hist.h - histograms on UDPmon's grid; private to out/.
 *
 * Grid       bins bins of width units from low; what is outside is counted
 *            beside them.  unit: how many of the values' own make one of UDPmon's.
 * Mean       of what is in range, each bin by its middle; of bins of one value
 *            that is exact.
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

/* h with every value moved by shift; false: a bin lies across an edge. */
bool	pace_udpmon_from_hist(struct pace_udpmon_hist *to, const struct pace_hist *h,
	    int64_t shift, int64_t unit);
/* false: its edges are no whole units. */
bool	pace_udpmon_from_linear_hist(struct pace_udpmon_hist *to, const struct pace_linear_hist *l,
	    int64_t unit);

void	pace_udpmon_put_hist(FILE *f, int id, const char *title,
	    const struct pace_udpmon_hist *h);

#endif
