#include "ui/sweep.h"

#include <math.h>
#include <string.h>

/* Where v is, or would be, among n that ascend. */
static int
place_of(const double *v, int n, double x)
{
	int at = 0;

	while (at < n && v[at] < x)
		at++;
	return at;
}

static void
add_size(struct pace_grid *g, uint64_t size)
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
add_spacing(struct pace_grid *g, double ns)
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
pace_grid_of(struct pace_grid *g, const struct pace_snap_sweep *w)
{
	memset(g, 0, sizeof(*g));
	for (size_t i = 0; w != NULL && i < w->n; i++) {
		const struct pace_snap_point *p = &w->point[i];

		add_size(g, p->size_bytes);
		add_spacing(g, p->spacing_ns);
		g->most_bps = fmax(g->most_bps, p->wire_bps);	/* NAN is passed over */
		if (p->loss <= 0 && p->wire_bps > 0 && (g->best == NULL || p->wire_bps > g->best->wire_bps))
			g->best = p;
	}
	if (w != NULL && w->is_now) {
		add_size(g, w->now_bytes);
		add_spacing(g, w->now_spacing_ns);
	}
}

const struct pace_snap_point *
pace_grid_point(const struct pace_snap_sweep *w, uint64_t size, double spacing_ns)
{
	for (size_t i = w != NULL ? w->n : 0; i-- > 0;)
		if (w->point[i].size_bytes == size && !(w->point[i].spacing_ns < spacing_ns) &&
		    !(w->point[i].spacing_ns > spacing_ns))
			return &w->point[i];
	return NULL;
}

bool
pace_grid_is_now(const struct pace_snap_sweep *w, uint64_t size, double spacing_ns)
{
	return w->is_now && w->now_bytes == size && !(w->now_spacing_ns < spacing_ns) &&
	    !(w->now_spacing_ns > spacing_ns);
}

static bool
has_cursor(const struct pace_ui *ui)
{
	return ui->size_bytes != 0 || ui->spacing_ns > 0;
}

const struct pace_snap_point *
pace_grid_chosen(const struct pace_snap_sweep *w, const struct pace_ui *ui)
{
	if (w == NULL || w->n == 0)
		return NULL;
	return has_cursor(ui) ? pace_grid_point(w, ui->size_bytes, ui->spacing_ns) :
	    &w->point[w->n - 1];
}

static int
within(int at, int n)
{
	return at < 0 ? 0 : at >= n ? n - 1 : at;
}

void
pace_sweep_move(struct pace_ui *ui, const struct pace_snap *s, int sizes, int spacings)
{
	const struct pace_snap_sweep *w = s->sweep;
	struct pace_grid g;
	int row = 0, col;

	pace_grid_of(&g, w);
	if (w == NULL || w->n == 0)
		return;
	if (!has_cursor(ui)) {
		ui->size_bytes = w->point[w->n - 1].size_bytes;
		ui->spacing_ns = w->point[w->n - 1].spacing_ns;
	}
	while (row < g.sizes && g.size[row] < ui->size_bytes)
		row++;
	col = place_of(g.spacing, g.spacings, ui->spacing_ns);
	ui->size_bytes = g.size[within(row + sizes, g.sizes)];
	ui->spacing_ns = g.spacing[within(col + spacings, g.spacings)];
}
