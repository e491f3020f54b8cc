/*
 * axis.h - calculate ranges, steps, ticks and units of axes: gnuplot calculates none
 * of them, because it fails on ranges that it cannot scale.
 *
 * Steps      1, 2 or 5 times a power of ten.
 * Units      in the names; one unit is chosen for a whole figure.
 * Script     NAME_LOW, NAME_HIGH, NAME_TICKS (the command that sets the ticks with
 *            labels) and NAME_BARE (without labels): see plots/prolog.gp.
 * Numbers    thousands separated, "10 000"; either all labels of an axis are powers
 *            of ten or none is.
 */
#ifndef PACE_REPORT_AXIS_H
#define PACE_REPORT_AXIS_H

#include "report/figure.h"

/* Round v > 0 up to 1, 2 or 5 times a power of ten. */
double	pace_axis_nice(double v);

/* Return a step that divides 0 .. high into at most n parts. */
double	pace_axis_step(double high, int n);

struct pace_axis_unit	pace_axis_rate(double high_bps);	/* "Gbit/s" */
struct pace_axis_unit	pace_axis_frames(double high_fps);	/* "thousand/s" */
struct pace_axis_unit	pace_axis_time(double high_ns);		/* "µs" */

/* Format v with n significant digits, without a 0 at the end of a fraction: "0.5", "1
 * 472.5", "−10 000". */
char	*pace_axis_digits(double v, int n, char *buf, size_t size);
/* Format a number with four digits, for ticks and names of lines. */
char	*pace_axis_say(double v, char *buf, size_t size);
/* Format a spacing: "20 µs", "b-to-b". */
char	*pace_axis_say_spacing(double ns, char *buf, size_t size);
/* Format a count: "100 000". */
char	*pace_axis_count(double v, char *buf, size_t size);

/* Set an axis ("x" or "y") from low to high, with ticks at multiples of step. */
void	pace_axis_even(struct pace_figure *s, const char *name, const char *axis, double low,
	    double high, double step);

/* Set an axis from 0 to a little above high. */
void	pace_axis_from_zero(struct pace_figure *s, const char *name, double high, int steps);

/* Set the axis of a rate from 0, in the figure's unit, which is returned: RATE_LOW ...,
 * RATE_ONE (Mbit/s in one of the unit) and RATE_UNIT. */
struct pace_axis_unit	pace_axis_put_rate(struct pace_figure *s, double high_bps, int steps);

/* Set the axis of rates down to least_bps.  A rate far above all paced ones (back to back
 * over loopback) would leave no room for these; the axis is then logarithmic, RATE_LOG 1. */
struct pace_axis_unit	pace_axis_put_rates(struct pace_figure *s, double least_bps,
    double paced_bps, double high_bps, int steps);

/* Set an axis between two numbers of any sign; around them if they are equal. */
void	pace_axis_between(struct pace_figure *s, const char *name, double low, double high,
	    int steps);

/*
 * The axis of spacings, which may include 0.  Linear from 0 if the largest spacing is less
 * than 20 times the smallest one above 0; otherwise logarithmic, with a separate place for 0,
 * labelled b-to-b.
 */
struct pace_axis_spacing {
	bool	log;
	bool	has_zero;
	double	low, high;		/* ends of the axis */
	double	zero_at;		/* place of 0 */
	double	least;			/* smallest spacing above 0; NAN: none */
};
/* Choose the axis for the n spacings v, in the unit shown, in any order. */
void	pace_axis_spacings(struct pace_axis_spacing *a, const double *v, size_t n);
double	pace_axis_place(const struct pace_axis_spacing *a, double spacing);
/* Set the script's variables X_*; XLOG is 0 or 1. */
void	pace_axis_put_spacing(struct pace_figure *s, const struct pace_axis_spacing *a);

/* Set an axis of loss in per cent: logarithmic, with a shelf for 0.  FLOOR is one lost frame
 * of `frames`, ZERO the middle of the shelf; Y_LOW .. Y_HIGH, Y_TICKS.  Zeros of several
 * lines would hide each other, so the shelf has a row for each line, ZERO_STEP times as high
 * as the row below it. */
void	pace_axis_put_loss(struct pace_figure *s, const char *name, double frames, size_t rows);

/* Set a logarithmic axis over low .. high, both above 0, extended to whole decades. */
void	pace_axis_decades(struct pace_figure *s, const char *name, const char *axis,
	    double low, double high);

/* Set a logarithmic axis that ends close to its data low .. high; axis "x" or "y", ticks at
 * 1, 2 and 5, with room for about that number of labels.  Whole decades would waste most of
 * a panel if the data lie within one. */
void	pace_axis_log(struct pace_figure *s, const char *name, const char *axis, double low,
	    double high, int labels);

/* Ticks at places that the caller chooses, on axis "x", "y" or "cb".  label is in enhanced
 * notation; "": a tick without a label.  Makes NAME_TICKS and NAME_BARE.  t may be NULL (no
 * memory). */
struct pace_ticks;
struct pace_ticks	*pace_ticks_begin(const char *axis);
void	pace_tick(struct pace_ticks *t, const char *label, double at);
void	pace_ticks_end(struct pace_figure *s, const char *name, struct pace_ticks *t);

#endif
