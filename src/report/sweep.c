#include "config.h"

#include "report/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc/params.h"

/* --- one figure of a leaf ---------------------------------------------------------- */

static double
rate(bool known, double bps)
{
	return known && bps > 0 ? bps : NAN;
}

/* Nothing arrived: a rate of 0, not an unknown one. */
static double
received_wire(const struct pace_stream_point *l)
{
	if (l->has_rx && l->rx.unique == 0 && l->tx.frames > 0)
		return 0;
	return rate(l->has_rx, l->rx.wire_rate_bps);
}

static double
received_user(const struct pace_stream_point *l)
{
	if (l->has_rx && l->rx.unique == 0 && l->tx.frames > 0)
		return 0;
	return rate(l->has_rx, l->rx.user_rate_bps);
}

static double
sent_wire(const struct pace_stream_point *l)
{
	return rate(true, l->tx.wire_rate_bps);
}

double
pace_stream_point_loss(const struct pace_stream_point *l)
{
	return l->has_rx && l->tx.frames > 0 ? (double)l->rx.lost / (double)l->tx.frames : NAN;
}

static double
reordered(const struct pace_stream_point *l)
{
	return l->has_rx ? (double)l->rx.reordered : NAN;
}

/* --- spreads --------------------------------------------------------------------------- */

#define REPEATS_MAX	1024	/* more than that count no further */

struct pace_spread
pace_sweep_cell_spread(const struct pace_sweep_cell *c, double (*get)(const struct pace_stream_point *l))
{
	double v[REPEATS_MAX];
	size_t n = 0;

	for (; n < c->n && n < REPEATS_MAX; n++)
		v[n] = get(c->point[n]);
	return pace_spread_of(v, n);
}

/* --- putting in order --------------------------------------------------------------------- */

/* A point, measured or failed. */
struct item {
	uint32_t	size_bytes;
	int		dscp;
	double		spacing_ns;
	const struct pace_stream_point *point;	/* NULL: failed */
};

static int
by_line(const struct item *x, const struct item *y)
{
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	return (x->dscp > y->dscp) - (x->dscp < y->dscp);
}

static int
by_place(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int d = by_line(x, y);

	if (d != 0)
		return d;
	if (x->spacing_ns != y->spacing_ns)
		return x->spacing_ns < y->spacing_ns ? -1 : 1;
	if ((x->point == NULL) != (y->point == NULL))
		return x->point == NULL ? 1 : -1;	/* failed ones last */
	return x->point == NULL || x->point->index < y->point->index ? -1 : 1;
}

static struct item *
gather(const struct pace_run *r, size_t *n)
{
	struct item *v = calloc(r->n + r->failures + 1, sizeof(*v));

	*n = 0;
	for (size_t i = 0; v != NULL && i < r->n; i++)
		v[(*n)++] = (struct item){ r->point[i].ask.size_bytes, r->point[i].origin.dscp,
		    pace_params_spacing_ns(&r->point[i].ask), &r->point[i] };
	/* One that does not tell its code point is of the first line of its size. */
	for (size_t i = 0; v != NULL && i < r->failures; i++) {
		struct item *f = &v[*n];

		*f = (struct item){ r->failed[i].size_bytes, r->failed[i].dscp,
		    r->failed[i].spacing_ns, NULL };
		for (size_t k = 0; k < r->n && r->failed[i].dscp < 0; k++)
			if (v[k].size_bytes == f->size_bytes && (f->dscp < 0 || v[k].dscp < f->dscp))
				f->dscp = v[k].dscp;
		++*n;
	}
	if (v != NULL)
		qsort(v, *n, sizeof(*v), by_place);
	return v;
}

static void
add_to_cell(struct pace_sweep_cell *c, const struct item *i)
{
	if (i->point == NULL) {
		c->failed++;
		return;
	}
	c->degraded |= i->point->verdict == PACE_DEGRADED;
	c->frames += (double)i->point->tx.frames;
	c->n++;
}

static void
close_cell(struct pace_sweep *w, struct pace_sweep_cell *c)
{
	c->wire_bps = pace_sweep_cell_spread(c, received_wire);
	c->user_bps = pace_sweep_cell_spread(c, received_user);
	c->sent_wire_bps = pace_sweep_cell_spread(c, sent_wire);
	c->loss = pace_sweep_cell_spread(c, pace_stream_point_loss);
	c->reordered = pace_sweep_cell_spread(c, reordered);
	w->repeated |= c->n > 1;
	w->most_bps = fmax(w->most_bps, c->wire_bps.n > 0 ? c->wire_bps.high : 0);
	w->most_sent_bps = fmax(w->most_sent_bps, c->sent_wire_bps.n > 0 ? c->sent_wire_bps.high : 0);
	w->told |= c->loss.n > 0;
	w->longest_ns = fmax(w->longest_ns, c->spacing_ns);
	if (c->n == 0)
		return;
	c->frames /= (double)c->n;
	for (size_t i = 0; i < c->n; i++) {
		const double frames = (double)c->point[i]->tx.frames;

		w->most_frames = fmax(w->most_frames, frames);
		w->least_frames = w->least_frames > 0 ? fmin(w->least_frames, frames) : frames;
	}
}

static void
name_line(struct pace_line *l, bool with_dscp)
{
	snprintf(l->label, sizeof(l->label), "%u", l->size_bytes);
	if (with_dscp && l->dscp >= 0)
		snprintf(l->label, sizeof(l->label), "%u DSCP %d", l->size_bytes, l->dscp);
}

static void
fill(struct pace_sweep *w, const struct item *v, size_t n)
{
	struct pace_sweep_cell *c = NULL;
	size_t cells = 0;

	for (size_t i = 0; i < n; i++) {
		bool new_line = i == 0 || by_line(&v[i - 1], &v[i]) != 0;
		struct pace_line *l = &w->line[new_line ? w->n++ : w->n - 1];

		w->leaves[i] = v[i].point;
		if (new_line)
			*l = (struct pace_line){ .size_bytes = v[i].size_bytes,
			    .dscp = v[i].dscp, .cell = &w->cells[cells] };
		if (new_line || v[i - 1].spacing_ns != v[i].spacing_ns) {
			c = &w->cells[cells++];
			c->spacing_ns = v[i].spacing_ns;
			c->point = &w->leaves[i];
			l->n++;
		}
		if (l->wire_bytes <= 0 && v[i].point != NULL)
			l->wire_bytes = pace_stream_point_wire_bytes(v[i].point);
		add_to_cell(c, &v[i]);
	}
	for (size_t i = 0; i < cells; i++)
		close_cell(w, &w->cells[i]);
}

static int
by_number(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void
find_spacings(struct pace_sweep *w)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < w->line[i].n; k++)
			w->spacing_ns[n++] = w->line[i].cell[k].spacing_ns;
	qsort(w->spacing_ns, n, sizeof(*w->spacing_ns), by_number);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || w->spacing_ns[i] != w->spacing_ns[kept - 1])
			w->spacing_ns[kept++] = w->spacing_ns[i];
	w->spacings = kept;
}

int
pace_sweep_make(struct pace_sweep *w, const struct pace_run *r)
{
	struct item *v;
	bool codes = false;
	size_t n;

	memset(w, 0, sizeof(*w));
	v = gather(r, &n);
	w->line = calloc(n + 1, sizeof(*w->line));
	w->cells = calloc(n + 1, sizeof(*w->cells));
	w->leaves = calloc(n + 1, sizeof(struct pace_stream_point *));
	w->spacing_ns = calloc(n + 1, sizeof(*w->spacing_ns));
	if (v == NULL || w->line == NULL || w->cells == NULL || w->leaves == NULL ||
	    w->spacing_ns == NULL) {
		free(v);
		pace_sweep_free(w);
		return -ENOMEM;
	}
	fill(w, v, n);
	find_spacings(w);
	free(v);
	for (size_t i = 1; i < w->n; i++)
		codes |= w->line[i].dscp != w->line[0].dscp;
	for (size_t i = 0; i < w->n; i++)
		name_line(&w->line[i], codes);
	return 0;
}

void
pace_sweep_free(struct pace_sweep *w)
{
	free(w->line);
	free(w->cells);
	free(w->leaves);
	free(w->spacing_ns);
	memset(w, 0, sizeof(*w));
}

size_t
pace_sweep_shown(const struct pace_sweep *w, size_t at[PACE_LINES])
{
	if (w->n <= PACE_LINES) {
		for (size_t i = 0; i < w->n; i++)
			at[i] = i;
		return w->n;
	}
	for (size_t i = 0; i < PACE_LINES; i++)
		at[i] = (i * (w->n - 1) + (PACE_LINES - 1) / 2) / (PACE_LINES - 1);
	return PACE_LINES;
}
