/*
 * fig.h - the table of all figures of a report.
 *
 * Figure     for each run, the report asks the figure whether the run has its data,
 *            and if so lets it make its numbers and texts.
 * Order      the order in the report.
 * Names      id is used by shared lists of figures ("P1"), name by file names and
 *            --figures.
 */
#ifndef PACE_REPORT_FIG_H
#define PACE_REPORT_FIG_H

#include <stdbool.h>

#include "report/figure.h"
#include "report/group.h"
#include "report/mesh.h"
#include "report/report_data.h"
#include "report/sweep_view.h"

struct pace_fig {
	const char	*id, *name;
	const char	*body;		/* template in plots/: "spacing.gp" */
	const char	*title;
	int		width, height;	/* px of the SVG; make may set another height */
	bool		of_sweep;	/* only for runs with several spacings */
	bool		marked;		/* marks degraded points */
	bool		of_arrivals;	/* also for captures: no sender is known */
	/* The run has the figure's data if has is true for one of its streams; without has,
	 * if wanted is true. */
	bool		(*has)(const struct pace_stream_point *l);
	bool		(*wanted)(const struct pace_run *r);
	/* One of the two is set; make_view gets the run's sweep.  s keeps an out-of-memory
	 * error. */
	void		(*make)(const struct pace_run *r, struct pace_figure *s);
	void		(*make_view)(const struct pace_run *r, const struct pace_sweep_view *v,
			    struct pace_figure *s);
	/* Figures of a mesh have this one instead. */
	void		(*make_mesh)(const struct pace_mesh *m, enum pace_mesh_measure what,
			    struct pace_figure *s);
	enum pace_mesh_measure measure;
	/* Figures of a group; without has_group every group has the data. */
	void		(*make_group)(const struct pace_group *g, struct pace_figure *s);
	bool		(*has_group)(const struct pace_group *g);
	/* Texts that make need not set: end of the footer ("" if none), caption. */
	const char	*formula, *caption;
};

/* Return whether the run has the figure's data. */
bool	pace_fig_wanted(const struct pace_fig *f, const struct pace_run *r);

/* Make the figure of a run that has its data, between pace_figure_begin and _end.  s keeps
 * errors. */
void	pace_fig_make(const struct pace_fig *f, const struct pace_run *r, struct pace_figure *s);

/* The same for a mesh and a figure with make_mesh. */
void	pace_fig_make_mesh(const struct pace_fig *f, const struct pace_mesh *m,
	    struct pace_figure *s);

/* The same for a group and a figure with make_group. */
void	pace_fig_make_group(const struct pace_fig *f, const struct pace_group *g,
	    struct pace_figure *s);

/* Figures of a group, NULL-terminated. */
extern const struct pace_fig *const pace_figs_of_group[];

/* Figures of a mesh, NULL-terminated. */
extern const struct pace_fig *const pace_figs_of_mesh[];

/* All figures, NULL-terminated. */
extern const struct pace_fig *const pace_figs[];

extern const struct pace_fig pace_fig_spacing, pace_fig_network, pace_fig_map;
extern const struct pace_fig pace_fig_scaling;
extern const struct pace_fig pace_fig_size, pace_fig_price, pace_fig_cpu, pace_fig_where,
	pace_fig_counters;
/* Figures of two runs that are compared, NULL-terminated. */
extern const struct pace_fig *const pace_figs_of_two[];

/* Streams of one capture; delays between two captures. */
extern const struct pace_fig pace_fig_streams, pace_fig_delays;

/* Distributions, single frames, time. */
extern const struct pace_fig pace_fig_transports, pace_fig_latency, pace_fig_rtt_hist, pace_fig_gaps,
	pace_fig_spectrum, pace_fig_spread, pace_fig_frames, pace_fig_losses,
	pace_fig_distance, pace_fig_time, pace_fig_tcp, pace_fig_clock;

#endif
