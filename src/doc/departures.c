#include "config.h"

#include "doc/departures.h"

#include <math.h>

/* Return by how much the arrivals of other gaps are nearer to the spacing than those of stamped
 * gaps. */
static double
bias_of(const struct pace_rx_result *r)
{
	double all = (double)r->gap_error.stats.n, stamped = (double)r->stamped_gaps;
	double near = all * pace_hist_share(&r->gap_error, 0, PACE_TX_NEAR_NS);
	double stamped_near = (double)r->stamped_gaps_near;

	return (near - stamped_near) / (all - stamped) - stamped_near / stamped;
}

bool
pace_departures(const struct pace_point *p, struct pace_departures *d)
{
	const struct pace_hist *h = &p->tx.stamped_gap_error;

	if (p->ask.spacing == 0 || h->stats.n < PACE_DEPARTURES_LEAST || h->bare || !p->has_rx ||
	    p->rx.gap_error.bare || p->rx.stamped_gaps < PACE_DEPARTURES_LEAST ||
	    p->rx.stamped_gaps >= p->rx.gap_error.stats.n)
		return false;
	d->gaps = h->stats.n;
	d->stamped = pace_hist_share(h, 0, PACE_TX_NEAR_NS);
	d->bias = bias_of(&p->rx);
	d->share = fmin(1, fmax(0, d->stamped + d->bias));
	return true;
}
