/*
 * fig.h - every figure a report knows, one table.
 *
 * Figure     is asked for each run in turn whether the run has what it shows, and
 *            makes then a sheet of it.
 * Order      of the report.
 * Names      id that of shared lists of figures ("P1"), name part of file names and
 *            of --only.
 */
#ifndef PACE_REPORT_FIG_H
#define PACE_REPORT_FIG_H

#include <stdbool.h>

#include "report/figure.h"
#include "report/report_data.h"

struct pace_fig {
	const char	*id, *name;
	const char	*body;		/* template in plots/: "spacing.gp" */
	const char	*title;
	int		width, height;	/* px of the SVG; a sheet may give another height */
	bool		(*wanted)(const struct pace_report_data *b, const struct pace_run *r);
	/* 0 or -ENOMEM; what is wrong with the sheet sticks in it */
	void		(*make)(const struct pace_report_data *b, const struct pace_run *r,
			    struct pace_figure *s);
};

/* Does the run have what the figure shows?  Of a capture: if it is of arrivals alone. */
bool	pace_fig_wanted(const struct pace_fig *f, const struct pace_report_data *b,
	    const struct pace_run *r);

/* NULL-terminated. */
extern const struct pace_fig *const pace_figs[];

extern const struct pace_fig pace_fig_spacing, pace_fig_network, pace_fig_map;
extern const struct pace_fig pace_fig_size, pace_fig_price, pace_fig_cpu, pace_fig_where,
	pace_fig_counters;
/* Of a book of two runs, asked for its first run; NULL-terminated. */
extern const struct pace_fig *const pace_figs_of_two[];

/* Streams of a capture; between two. */
extern const struct pace_fig pace_fig_streams, pace_fig_delays;

/* Distributions, single frames, time. */
extern const struct pace_fig pace_fig_latency, pace_fig_rtt_hist, pace_fig_gaps,
	pace_fig_spectrum, pace_fig_spread, pace_fig_frames, pace_fig_losses,
	pace_fig_distance, pace_fig_time, pace_fig_clock;

#endif
