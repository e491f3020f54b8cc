#include "config.h"

#include "report/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc/params.h"
#include "report/pick.h"

#define REPEATS_MAX	1024	/* further repetitions are ignored */

struct pace_spread
pace_sweep_cell_spread(const struct pace_sweep_cell *c, enum pace_value v)
{
	double all[REPEATS_MAX];
	size_t n = 0;

	for (; n < c->n && n < REPEATS_MAX; n++)
		all[n] = pace_value(c->point[n], v);
	return pace_spread_of(all, n);
}

/* --- putting in order --------------------------------------------------------------------- */

/* A point, measured or failed. */
struct item {
	uint32_t	size_bytes;
	int		dscp;
	uint32_t	streams;
	double		spacing_ns;
	const struct pace_stream_point *point;	/* NULL: failed */
};

static int
by_line(const struct item *x, const struct item *y)
{
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	if (x->streams != y->streams)
		return x->streams < y->streams ? -1 : 1;
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
		return x->point == NULL ? 1 : -1;	/* failed points last */
	return x->point == NULL || x->point->index < y->point->index ? -1 : 1;
}

static struct item *
gather(const struct pace_run *r, size_t *n)
{
	struct item *v = calloc(r->n + r->failures + 1, sizeof(*v));

	*n = 0;
	for (size_t i = 0; v != NULL && i < r->n; i++)
		v[(*n)++] = (struct item){ r->point[i].ask.size_bytes, (int)r->point[i].ask.dscp,
		    pace_params_streams(&r->point[i].ask), pace_params_spacing_ns(&r->point[i].ask),
		    &r->point[i] };
	/* A failed point without code point belongs to the first line of its size. */
	for (size_t i = 0; v != NULL && i < r->failures; i++) {
		struct item *f = &v[*n];

		*f = (struct item){ r->failed[i].size_bytes, r->failed[i].dscp,
		    r->failed[i].streams, r->failed[i].spacing_ns, NULL };
		for (size_t k = 0; k < r->n && r->failed[i].dscp < 0; k++)
			if (v[k].size_bytes == f->size_bytes &&
			    (f->dscp < 0 || v[k].dscp < f->dscp))
				f->dscp = v[k].dscp;
		++*n;
	}
	if (v != NULL)
		qsort(v, *n, sizeof(*v), by_place);
	return v;
}

static void
close_cell(struct pace_sweep *w, struct pace_sweep_cell *c)
{
	c->wire_bps = pace_sweep_cell_spread(c, PACE_RECEIVED_WIRE);
	c->user_bps = pace_sweep_cell_spread(c, PACE_RECEIVED_USER);
	c->sent_wire_bps = pace_sweep_cell_spread(c, PACE_SENT_WIRE);
	c->loss = pace_sweep_cell_spread(c, PACE_LOSS);
	c->reordered = pace_sweep_cell_spread(c, PACE_REORDERED);
	w->repeated |= c->n > 1;
	w->most_bps = fmax(w->most_bps, c->wire_bps.n > 0 ? c->wire_bps.high : 0);
	w->most_sent_bps = fmax(w->most_sent_bps,
	    c->sent_wire_bps.n > 0 ? c->sent_wire_bps.high : 0);
	w->has_rx |= c->loss.n > 0;
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
fill(struct pace_sweep *w, const struct item *v, size_t n)
{
	struct pace_sweep_cell *c = NULL;
	size_t cells = 0;

	for (size_t i = 0; i < n; i++) {
		bool new_line = i == 0 || by_line(&v[i - 1], &v[i]) != 0;
		struct pace_line *l = &w->line[new_line ? w->n++ : w->n - 1];

		w->streams[i] = v[i].point;
		if (new_line)
			*l = (struct pace_line){ .size_bytes = v[i].size_bytes,
			    .dscp = v[i].dscp, .streams = v[i].streams, .cell = &w->cells[cells] };
		if (new_line || v[i - 1].spacing_ns != v[i].spacing_ns) {
			c = &w->cells[cells++];
			c->spacing_ns = v[i].spacing_ns;
			c->point = &w->streams[i];
			l->n++;
		}
		if (l->wire_bytes <= 0 && v[i].point != NULL)
			l->wire_bytes = l->streams *
			    pace_stream_point_wire_bytes(v[i].point);
		if (v[i].point == NULL) {
			c->failed++;
			continue;
		}
		c->degraded |= v[i].point->verdict == PACE_DEGRADED;
		c->frames += (double)v[i].point->tx.frames;
		c->n++;
	}
	for (size_t i = 0; i < cells; i++)
		close_cell(w, &w->cells[i]);
}

void
pace_sweep_label(char label[PACE_SWEEP_LABEL], uint32_t size_bytes, uint32_t streams, int dscp)
{
	int k = snprintf(label, PACE_SWEEP_LABEL, "%u", size_bytes);

	if (streams > 1)
		k += snprintf(label + k, PACE_SWEEP_LABEL - (size_t)k, " × %u", streams);
	if (dscp >= 0)
		snprintf(label + k, PACE_SWEEP_LABEL - (size_t)k, " DSCP %d", dscp);
}

int
pace_sweep_make(struct pace_sweep *w, const struct pace_run *r)
{
	struct item *v;
	bool codes = false, streams = false;
	size_t n;

	memset(w, 0, sizeof(*w));
	v = gather(r, &n);
	w->line = calloc(n + 1, sizeof(*w->line));
	w->cells = calloc(n + 1, sizeof(*w->cells));
	w->streams = calloc(n + 1, sizeof(struct pace_stream_point *));
	w->spacing_ns = calloc(n + 1, sizeof(*w->spacing_ns));
	if (v == NULL || w->line == NULL || w->cells == NULL || w->streams == NULL ||
	    w->spacing_ns == NULL) {
		free(v);
		pace_sweep_free(w);
		return -ENOMEM;
	}
	fill(w, v, n);
	free(v);
	n = 0;
	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < w->line[i].n; k++)
			w->spacing_ns[n++] = w->line[i].cell[k].spacing_ns;
	qsort(w->spacing_ns, n, sizeof(*w->spacing_ns), pace_pick_by_number);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || w->spacing_ns[i] != w->spacing_ns[w->spacings - 1])
			w->spacing_ns[w->spacings++] = w->spacing_ns[i];
	for (size_t i = 1; i < w->n; i++) {
		codes |= w->line[i].dscp != w->line[0].dscp;
		streams |= w->line[i].streams != w->line[0].streams;
	}
	w->mixed = codes || streams;
	for (size_t i = 0; i < w->n; i++) {
		struct pace_line *l = &w->line[i];

		pace_sweep_label(l->label, l->size_bytes, l->streams, codes ? l->dscp : -1);
	}
	return 0;
}

size_t
pace_sweep_columns(const struct pace_sweep *w, size_t all)
{
	return w->mixed ? all : all - 2;
}

void
pace_sweep_free(struct pace_sweep *w)
{
	free(w->line);
	free(w->cells);
	free(w->streams);
	free(w->spacing_ns);
	memset(w, 0, sizeof(*w));
}
