/*
 * departures.h - how well the spacing was kept by what left the sending host.
 *
 * Purpose    the clock readings before the sends say how exactly frames were handed to the
 *            kernel.  Its stamps of sampled gaps say how they left it; but a stamp makes a send
 *            slower and its gap scatter more.  The arrivals of those gaps and of all others show
 *            by how much.
 * Estimate   share of stamped gaps within PACE_TX_NEAR_NS of the spacing, plus the share of the
 *            other arrival gaps, minus that of the stamped gaps' arrivals.  Where the network
 *            scatters more than stamps do, both shares are alike and the estimate is that of the
 *            stamped gaps, which may be too low by what the stamps add (up to 10 points on veth).
 */
#ifndef PACE_DOC_DEPARTURES_H
#define PACE_DOC_DEPARTURES_H

#include <stdbool.h>
#include <stdint.h>

#include "doc/result.h"

#define PACE_DEPARTURES_LEAST	100	/* gaps stamped and arrived, for an estimate */

struct pace_departures {
	uint64_t	gaps;		/* stamped */
	double		stamped;	/* share of these near the spacing */
	double		bias;		/* of stamped gaps; above 0: they scatter more */
	double		share;		/* the estimate, 0 to 1 */
};

/* False: too few stamped gaps, or no spacing. */
bool	pace_departures(const struct pace_point *p, struct pace_departures *d);

#endif
