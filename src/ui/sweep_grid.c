#include "ui/sweep_grid.h"

#include <math.h>
#include <string.h>

/* The index of v among n ascending values, or the index where it would be inserted. */
static int
place_of(const double *v, int n, double x)
{
	int at = 0;

	while (at < n && v[at] < x)
		at++;
	return at;
}

static void
add_size(struct pace_sweep_grid *g, uint64_t size)
{
	int at = 0;

	while (at < g->sizes && g->size[at] < size)
		at++;
	if ((at < g->sizes && g->size[at] == size) || g->sizes == PACE_GRID)
		return;
	memmove(&g->size[at + 1], &g->size[at], (size_t)(g->sizes - at) * sizeof(g->size[0]));
	g->size[at] = size;
	g->sizes++;
}

static void
add_spacing(struct pace_sweep_grid *g, double ns)
{
	int at = place_of(g->spacing, g->spacings, ns);

	if ((at < g->spacings && !(g->spacing[at] > ns)) || g->spacings == PACE_GRID)
		return;
	memmove(&g->spacing[at + 1], &g->spacing[at],
	    (size_t)(g->spacings - at) * sizeof(g->spacing[0]));
	g->spacing[at] = ns;
	g->spacings++;
}

void
pace_sweep_grid_of(struct pace_sweep_grid *g, const struct pace_snap_sweep *w)
{
	memset(g, 0, sizeof(*g));
	for (size_t i = 0; w != NULL && i < w->n; i++) {
		const struct pace_snap_point *p = &w->point[i];

		add_size(g, p->size_bytes);
		add_spacing(g, p->spacing_ns);
		g->most_bps = fmax(g->most_bps, p->wire_bps);	/* NAN is passed over */
		if (p->loss <= 0 && p->wire_bps > 0 &&
		    (g->best == NULL || p->wire_bps > g->best->wire_bps))
			g->best = p;
	}
	for (size_t i = 0; w != NULL && i < w->plans; i++) {
		add_size(g, w->plan[i].size_bytes);
		add_spacing(g, w->plan[i].spacing_ns);
	}
	if (w != NULL && w->is_now) {
		add_size(g, w->now_bytes);
		add_spacing(g, w->now_spacing_ns);
	}
}

const struct pace_snap_sweep *
pace_sweep_grid_shown(const struct pace_snap *s)
{
	const struct pace_snap_sweep *w = s->sweep;

	return w == NULL || s->last_sweep == NULL || w->n > 0 || w->is_now ? w : s->last_sweep;
}

static bool
is_same(double a, double b)
{
	return !(a < b) && !(a > b);
}

/* Without a plan any point may come until it ends. */
static bool
is_planned(const struct pace_snap_sweep *w, uint64_t size, double spacing_ns)
{
	for (size_t i = 0; i < w->plans; i++)
		if (w->plan[i].size_bytes == size && is_same(w->plan[i].spacing_ns, spacing_ns))
			return true;
	return w->plans == 0;
}

enum pace_cell_kind
pace_sweep_place(const struct pace_snap_sweep *w, uint64_t size, double spacing_ns)
{
	const struct pace_snap_point *p = pace_sweep_grid_point(w, size, spacing_ns);

	if (pace_sweep_grid_is_now(w, size, spacing_ns))
		return PACE_CELL_NOW;
	if (p != NULL)
		return p->skipped ? PACE_CELL_SKIPPED : isnan(p->loss) ? PACE_CELL_FAILED :
		    PACE_CELL_DONE;
	return !w->ended && is_planned(w, size, spacing_ns) ? PACE_CELL_TO_DO : PACE_CELL_NONE;
}

static int64_t
since(const struct pace_snap *s, int64_t then_ns)
{
	return then_ns > 0 && s->at_ns > then_ns ? s->at_ns - then_ns : 0;
}

double
pace_sweep_share(const struct pace_snap *s)
{
	const struct pace_snap_sweep *w = s->sweep;

	if (w == NULL || !w->is_now || w->now_at_ns == 0 || w->point_ns <= 0)
		return NAN;
	return fmin((double)since(s, w->now_at_ns) / (double)w->point_ns, 1);
}

/* The run may last longer than planned. */
static int64_t
left_of(int64_t planned_ns, int64_t spent_ns)
{
	return planned_ns > spent_ns ? planned_ns - spent_ns : 0;
}

int64_t
pace_sweep_step_left(const struct pace_snap *s)
{
	const struct pace_snap_sweep *w = s->sweep;

	if (w == NULL)
		return -1;
	if (w->ended)
		return 0;
	if (w->is_now)
		return left_of(w->left_ns, since(s, w->now_at_ns));
	return w->step.all_ns > 0 && w->step.at_ns > 0 && w->planned == 0 ?
	    left_of(w->step.all_ns, since(s, w->step.at_ns)) : -1;
}

int64_t
pace_sweep_all_left(const struct pace_snap *s, bool *least)
{
	int64_t step_ns = pace_sweep_step_left(s);

	*least = s->sweep != NULL && !s->sweep->step.after_whole;
	if (step_ns < 0 || s->sweep->step.after_ns > INT64_MAX - step_ns)
		return -1;
	return step_ns + s->sweep->step.after_ns;
}

const struct pace_snap_point *
pace_sweep_grid_point(const struct pace_snap_sweep *w, uint64_t size, double spacing_ns)
{
	for (size_t i = w != NULL ? w->n : 0; i-- > 0;)
		if (w->point[i].size_bytes == size && is_same(w->point[i].spacing_ns, spacing_ns))
			return &w->point[i];
	return NULL;
}

bool
pace_sweep_grid_is_now(const struct pace_snap_sweep *w, uint64_t size, double spacing_ns)
{
	return w->is_now && w->now_bytes == size && is_same(w->now_spacing_ns, spacing_ns);
}

static bool
is_set(const struct pace_snap_cell *cursor)
{
	return cursor->size_bytes != 0 || cursor->spacing_ns > 0;
}

const struct pace_snap_point *
pace_sweep_grid_chosen(const struct pace_snap_sweep *w, const struct pace_snap_cell *cursor)
{
	if (w == NULL || w->n == 0)
		return NULL;
	return is_set(cursor) ? pace_sweep_grid_point(w, cursor->size_bytes, cursor->spacing_ns) :
	    &w->point[w->n - 1];
}

static int
within(int at, int n)
{
	return at < 0 ? 0 : at >= n ? n - 1 : at;
}

void
pace_sweep_move(struct pace_snap_cell *cursor, const struct pace_snap *s, int sizes, int spacings)
{
	const struct pace_snap_sweep *w = pace_sweep_grid_shown(s);
	struct pace_sweep_grid g;
	int row = 0, col;

	pace_sweep_grid_of(&g, w);
	if (g.sizes == 0)
		return;
	if (!is_set(cursor) && w->n > 0)
		*cursor = (struct pace_snap_cell){ w->point[w->n - 1].size_bytes, w->point[w->n - 1].spacing_ns };
	else if (!is_set(cursor))
		*cursor = w->is_now ? (struct pace_snap_cell){ w->now_bytes, w->now_spacing_ns } : w->plan[0];
	while (row < g.sizes && g.size[row] < cursor->size_bytes)
		row++;
	col = place_of(g.spacing, g.spacings, cursor->spacing_ns);
	cursor->size_bytes = g.size[within(row + sizes, g.sizes)];
	cursor->spacing_ns = g.spacing[within(col + spacings, g.spacings)];
}
