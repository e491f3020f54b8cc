/*
 * axis.h - ranges, steps, ticks and units: computed here, never by gnuplot, which
 * fails on what it cannot scale.
 *
 * Steps      1, 2 or 5 times a power of ten.
 * Units      in the names; a unit is chosen once for a whole figure.
 * Script     NAME_LOW, NAME_HIGH, NAME_STEP, NAME_TICKS (the command that sets the
 *            ticks with labels) and NAME_BARE (without): see plots/prolog.gp.
 */
#ifndef PACE_REPORT_AXIS_H
#define PACE_REPORT_AXIS_H

#include "report/figure.h"

/* The next one upwards of 1, 2, 5 times a power of ten; v > 0. */
double	pace_axis_nice(double v);

/* A step that divides 0 .. high into at most n parts. */
double	pace_axis_step(double high, int n);

struct pace_axis_unit {
	const char	*name;
	double		one;		/* base units in one of it */
};
struct pace_axis_unit	pace_axis_rate(double high_bps);	/* "Gbit/s" */
struct pace_axis_unit	pace_axis_frames(double high_fps);	/* "kframe/s" */
struct pace_axis_unit	pace_axis_time(double high_ns);		/* "µs" */

/* "0.5"; for ticks and names of lines. */
char	*pace_axis_say(double v, char *buf, size_t size);
/* "100 000" */
char	*pace_axis_count(double v, char *buf, size_t size);

/* 0 .. high and a little room above, ticks every step. */
void	pace_axis_from_zero(struct pace_figure *s, const char *name, double high, int steps);

/* Between two numbers of any sign; when they are equal, around them. */
void	pace_axis_between(struct pace_figure *s, const char *name, double low, double high,
	    int steps);

/*
 * Spacings, 0 among them: linear from 0 when the largest is less than 20 times the smallest
 * above 0, else logarithmic with a place of its own for 0, labelled b-to-b.
 */
struct pace_axis_spacing {
	bool	log;
	bool	has_zero;
	double	low, high;		/* of the axis */
	double	zero_at;		/* where 0 stands */
	double	least;			/* smallest above 0; NAN: none */
};
/* v has n spacings of the unit shown, in any order. */
void	pace_axis_spacings(struct pace_axis_spacing *a, const double *v, size_t n);
double	pace_axis_place(const struct pace_axis_spacing *a, double spacing);
/* X_*; XLOG 0 or 1. */
void	pace_axis_put_spacing(struct pace_figure *s, const struct pace_axis_spacing *a);

/* Per cent on a logarithmic axis with a shelf for 0: FLOOR one frame of n lost, ZERO the
 * shelf, Y_LOW .. Y_HIGH, Y_TICKS. */
void	pace_axis_put_loss(struct pace_figure *s, const char *name, double frames);

/* A logarithmic axis over low .. high, both above 0, whole decades at the ends. */
void	pace_axis_decades(struct pace_figure *s, const char *name, const char *axis,
	    double low, double high);

/* Ticks at places of our own: axis "x", "y", "cb"; label in enhanced notation, "": a tick
 * without one.  NAME_TICKS and NAME_BARE.  NULL, no memory, is accepted. */
struct pace_ticks;
struct pace_ticks	*pace_ticks_begin(const char *axis);
void	pace_tick(struct pace_ticks *t, const char *label, double at);
void	pace_ticks_end(struct pace_figure *s, const char *name, struct pace_ticks *t);

#endif
