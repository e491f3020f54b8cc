/*
 * dispersion.h - capacity and available bandwidth from a sweep of rates.
 *
 * Purpose    where a stream comes out slower than it went in, the ratio of the two
 *            rates is a line over the rate that went in:
 *            in/out = in/C + (C - A)/C  with capacity C and available bandwidth A,
 *            as long as one queue holds it up and other traffic is steady.
 * Points     those whose ratio is PACE_DISPERSION_RATIO or more; below, nothing was
 *            held up and they say nothing.  Three at least, not all of one rate.
 * Errors     one standard deviation, from those of the line and their covariance.
 * Known      only where the line rises by more than three of its errors: loss
 *            that is the same at every rate makes a flat one.
 * Units      bit/s on the wire.   Memory  the caller's.   Threads  none.
 * Source     Melander, Bjorkman, Gunningberg: TOPP, the fluid model.
 */
#ifndef PACE_CORE_DISPERSION_H
#define PACE_CORE_DISPERSION_H

#include <stdbool.h>
#include <stddef.h>

#define PACE_DISPERSION_RATIO	1.01
#define PACE_DISPERSION_POINTS	3

struct pace_dispersion {
	size_t	points;		/* held up */
	bool	known;		/* the rest */
	double	capacity_bps, capacity_stderr_bps;
	double	available_bps, available_stderr_bps;
	double	r2;
};

/* Was a stream held up that went in and came out at these rates? */
bool	pace_dispersion_held_up(double in_bps, double out_bps);

/* in[i], out[i]: rates of point i; work has room for 2 n, or is NULL when n is 0. */
void	pace_dispersion(struct pace_dispersion *d, const double *in, const double *out,
	    size_t n, double *work);

#endif
