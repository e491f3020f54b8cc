/* A number of all ordered pairs of a mesh, one cell a pair. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "report/axis.h"
#include "report/fig.h"

#define NUMBERED	12	/* hosts: up to here a cell has its number */
#define LABELS		110	/* that fit */
#define MARGIN_LEFT	150	/* px: names of hosts */
#define MARGIN_RIGHT	120	/* px: the colour scale */

enum matrix_cell { UNMEASURED, ZERO, VALUE, FAILED, UNKNOWN };

static const struct pace_table_column columns[] = {
	{ "to", NULL, 0 }, { "from", NULL, 0 }, { "state", NULL, 0 }, { "value", NULL, 5 },
	{ "bad", NULL, 0 },
};
static const struct pace_table_column host_columns[] = {
	{ "host", NULL, 0 }, { "receives", NULL, 0 },
};

/* The smallest, and the largest known number; for logarithms only those above 0. */
static void
find_range(const struct pace_mesh *m, enum pace_mesh_measure what, double *low, double *high)
{
	const bool log = what == PACE_MESH_LOSS || what == PACE_MESH_DELAY || what == PACE_MESH_RTT;

	*low = INFINITY;
	*high = -INFINITY;
	for (size_t i = 0; i < m->n * m->n; i++) {
		const double v = m->pair[i].v[what];

		if (isnan(v) || (log && v <= 0))
			continue;
		*low = fmin(*low, v);
		*high = fmax(*high, v);
	}
	if (*low > *high)		/* all lost nothing, or all delays are below 0 */
		*low = *high = 1;
}

/* Set the colour scale CB, and return the base units in one unit of it. */
static double
put_scale(struct pace_figure *s, const struct pace_mesh *m, enum pace_mesh_measure what)
{
	struct pace_axis_unit unit = { "%", 0.01 };
	double low, high;

	find_range(m, what, &low, &high);
	if (pace_mesh_is_rate(what))
		unit = s->rate = pace_axis_rate(high);
	else if (what != PACE_MESH_LOSS)
		unit = pace_axis_time(fmax(fabs(low), fabs(high)));
	low /= unit.one;
	high /= unit.one;
	if (what == PACE_MESH_OFFSET) {
		high = fmax(fmax(fabs(low), fabs(high)), 1e-6);
		pace_axis_even(s, "CB", "cb", -high, high, pace_axis_step(high, 3));
	} else if (pace_mesh_is_rate(what)) {
		/* from 0, unless all rates are similar */
		if (low < 0.8 * high)
			low = 0;
		if (low > 0.98 * high)
			low = 0.9 * high;
		pace_axis_even(s, "CB", "cb", low, high, pace_axis_step(high - low, 5));
	} else {
		pace_axis_log(s, "CB", "cb", low, high, 6);
	}
	pace_figure_int(s, "CB_LOG", !pace_mesh_is_rate(what) && what != PACE_MESH_OFFSET);
	pace_figure_int(s, "CB_KIND", pace_mesh_is_rate(what) ? 1 :
	    what == PACE_MESH_OFFSET ? 2 : what == PACE_MESH_LOSS ? 0 : 3);
	pace_figure_markup(s, "BLANK", "%s", what == PACE_MESH_LOSS ? "0" :
	    what == PACE_MESH_RATE ? "lossy or degraded" : "not known");
	pace_figure_markup(s, "CB_NAME", "%s", unit.name);
	return unit.one;
}

static enum matrix_cell
state_of(const struct pace_mesh_pair *p, enum pace_mesh_measure what)
{
	if (p->state != PACE_MESH_MEASURED)
		return p->state == PACE_MESH_FAILED ? FAILED : UNMEASURED;
	if (isnan(p->v[what]))
		return UNKNOWN;
	return p->v[what] == 0 && what == PACE_MESH_LOSS ? ZERO : VALUE;
}

/* Names of hosts: numbers as well if the axis of the receivers has room for numbers only. */
static void
put_names(struct pace_figure *s, const struct pace_mesh *m)
{
	const size_t every = (m->n + LABELS - 1) / LABELS;
	char (*label)[48] = calloc(m->n, sizeof(*label));

	for (size_t i = 0; i < m->n && label != NULL; i++) {
		if (i % every != 0)
			continue;
		if (m->n <= NUMBERED)
			snprintf(label[i], sizeof(label[i]), "%.20s", m->shown[i]);
		else
			snprintf(label[i], sizeof(label[i]), "%.20s %zu", m->shown[i], i + 1);
	}
	s->failed |= label == NULL;
	if (label != NULL)
		pace_figure_strings(s, "NAME", label[0], sizeof(label[0]), m->n);
	free(label);
}

static void
put_cells(struct pace_figure *s, const struct pace_mesh *m, enum pace_mesh_measure what, double one)
{
	struct pace_table *t = pace_figure_table(s, "cells", NULL, PACE_COLUMNS(columns));
	struct pace_table *bad = pace_figure_table(s, "hosts", NULL, PACE_COLUMNS(host_columns));

	for (size_t i = 0; i < m->n * m->n; i++) {
		const struct pace_mesh_pair *p = &m->pair[i];

		if (i / m->n != i % m->n)
			pace_table_row(s, t, (double[]){ (double)(i % m->n + 1),
			    (double)(i / m->n + 1), state_of(p, what), p->v[what] / one,
			    (p->bad & 1U << what) != 0 });
	}
	for (size_t i = 0; i < m->findings; i++) {
		const struct pace_mesh_finding *d = &m->finding[i];

		if (d->kind != PACE_MESH_PAIR && (d->measure == what ||
		    d->measure == PACE_MESH_MEASURES))
			pace_table_row(s, bad, (double[]){ (double)d->from + 1,
			    d->kind != PACE_MESH_SENDER });
	}
}

static void
make(const struct pace_mesh *m, enum pace_mesh_measure what, struct pace_figure *s)
{
	const int px = m->n <= NUMBERED ? 54 : m->n <= 24 ? 28 : m->n <= 48 ? 18 : 13;

	s->width = (int)fmax(900, MARGIN_LEFT + px * (double)m->n + MARGIN_RIGHT);
	s->height = 200 + px * (int)m->n + (m->n <= NUMBERED ? 40 : 20);
	pace_figure_int(s, "N", (long)m->n);
	pace_figure_int(s, "CELL", px);
	pace_figure_int(s, "NUMBERED", m->n <= NUMBERED);
	put_names(s, m);
	put_cells(s, m, what, put_scale(s, m, what));
}

#define FIG(file, what, words) \
	{ "M", file, "matrix.gp", "", 900, 500, .make_mesh = make, .measure = what, \
	    .formula = "", .caption = words }

static const struct pace_fig rate = FIG("mesh-rate", PACE_MESH_RATE,
    "The highest wire rate that arrived without loss. Rows send, columns receive.");
static const struct pace_fig loss = FIG("mesh-loss", PACE_MESH_LOSS,
    "Lost frames, or requests without a reply, of all that were sent. Rows send, columns "
    "receive.");
static const struct pace_fig delay = FIG("mesh-delay", PACE_MESH_DELAY,
    "99 of 100 frames arrived sooner; of several points the largest value. Rows send, columns "
    "receive.");
static const struct pace_fig rtt = FIG("mesh-rtt", PACE_MESH_RTT,
    "99 of 100 replies arrived sooner; of several sizes the largest value. Rows ask, columns "
    "answer.");
static const struct pace_fig goodput = FIG("mesh-goodput", PACE_MESH_GOODPUT,
    "The highest goodput of TCP: what the receiver's program read. Rows send, columns receive.");
static const struct pace_fig offset = FIG("mesh-offset", PACE_MESH_OFFSET,
    "The wall clock of the column's host minus that of the row's host.");

const struct pace_fig *const pace_figs_of_mesh[] = {
	&rate, &loss, &delay, &rtt, &goodput, &offset, NULL
};
