/*
 * Loss patterns (P13): lengths of losses and distances between them, compared with independent
 * losses; and the lateness of reordered frames (P14).
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "doc/params.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/grid.h"
#include "report/pick.h"
#include "report/words.h"

#define SHOWN		3		/* streams in the figure: those with the most losses in a
					 * row */
#define CURVE		120		/* points of the curve of independent losses */

static const struct pace_table_column run_columns[] = {
	{ "stream", "Stream", 0 }, { "length", "Lost in a row", 0 }, { "count", "Times", 0 },
};
static const struct pace_table_column gap_columns[] = {
	{ "stream", NULL, 0 }, { "distance", "From loss to loss, frames", 0 },
	{ "share", "Share with this distance or more", 6 },
};
static const struct pace_table_column curve_columns[] = {
	{ "stream", NULL, 0 }, { "x", NULL, 0 }, { "expected", NULL, 6 },
};
static const struct pace_table_column sum_columns[] = {
	{ "stream", "Stream", 0 }, { "size_bytes", "Payload (B)", 0 },
	{ "spacing_us", "Spacing (µs)", 6 }, { "sent", "Sent", 0 }, { "lost", "Lost", 0 },
	{ "percent", "Lost (%)", 4 }, { "periods", "Losses in a row", 0 },
	{ "mean_run", "Mean length", 4 }, { "expected_run", "if independent", 4 },
	{ "longest", "Longest", 0 },
};

static bool
has_losses(const struct pace_stream_point *l)
{
	return l->rx.lost > 0 && l->rx.runs.n > 0;
}

static int
by_losses(const void *a, const void *b)
{
	uint64_t x = (*(const struct pace_stream_point *const *)a)->rx.runs.stats.n;
	uint64_t y = (*(const struct pace_stream_point *const *)b)->rx.runs.stats.n;

	return (x < y) - (x > y);
}

/* Return the run's streams for which has is true, sorted by order; malloced, their number in
 * *all. */
static const struct pace_stream_point **
most_of(const struct pace_run *r, bool (*has)(const struct pace_stream_point *l),
    int (*order)(const void *a, const void *b), size_t *all)
{
	const struct pace_stream_point **v = pace_pick_all(r, has, all);

	if (v != NULL)
		qsort(v, *all, sizeof(*v), order);
	return v;
}

/* --- losses ------------------------------------------------------------------------------ */

struct loss_axes {
	double	length, times;		/* largest value of all streams */
	double	distance[SHOWN], share[SHOWN];	/* of each stream: largest, smallest */
};

static double
loss_ratio(const struct pace_stream_point *l)
{
	return (double)l->rx.lost / fmax((double)l->tx.frames, (double)l->rx.lost);
}

/* A wide bin of long runs is placed at its middle. */
static void
put_runs(struct pace_figure *s, struct pace_table *t, const struct pace_stream_point *l, int k,
    struct loss_axes *a)
{
	pace_table_break(s, t);
	for (size_t i = 0; i < l->rx.runs.n; i++) {
		const struct pace_bin *b = &l->rx.runs.v[i];
		double length = (double)b->low + (double)(b->high - 1 - b->low) / 2;

		pace_table_row(s, t, (double[]){ k + 1, length, (double)b->count });
		a->length = fmax(a->length, length);
		a->times = fmax(a->times, (double)b->count);
	}
}

static void
put_gaps(struct pace_figure *s, struct pace_table *t, const struct pace_stream_point *l, int k,
    struct loss_axes *a)
{
	struct pace_survivor v[PACE_SURVIVORS_MAX];
	size_t n = pace_survivors(&l->rx.loss_distances, 1, v);

	a->distance[k] = 1;
	a->share[k] = 0.1;
	pace_table_break(s, t);
	if (n == 0)				/* no distance: keep the block */
		pace_table_row(s, t, (double[]){ k + 1, 1, NAN });
	for (size_t i = 0; i < n; i++) {
		pace_table_row(s, t, (double[]){ k + 1, (double)v[i].value, v[i].share });
		a->distance[k] = fmax(a->distance[k], (double)v[i].value);
		a->share[k] = fmin(a->share[k], v[i].share);
	}
}

/*
 * Model of independent losses, each frame lost with probability p: a loss has exactly n frames
 * with (1 - p) p^(n-1), and the next one is d or more frames away with (1 - p)^(d-1).
 */
static void
put_curve(struct pace_figure *s, struct pace_table *t, const struct pace_stream_point *l, int k,
    const struct loss_axes *a)
{
	const double p = loss_ratio(l), far = fmax(a->distance[k], 10);

	pace_table_break(s, t);
	for (int i = 0; i < CURVE; i++) {
		double d = pow(far, (double)i / (CURVE - 1));
		double share = p < 1 ? exp((d - 1) * log1p(-p)) : d > 1 ? 0 : 1;

		pace_table_row(s, t, (double[]){ k + 1, d,
		    share >= a->share[k] / 4 ? share : NAN });
	}
	pace_table_break(s, t);
	for (int i = 1; i <= CURVE; i++) {
		double times = (double)l->rx.runs.stats.n * (1 - p) * pow(p, i - 1);

		pace_table_row(s, t, (double[]){ k + 1, i, times >= 0.3 ? times : NAN });
	}
}

/* Add a row to the table of streams, and write the panel's note. */
static void
put_sum(struct pace_figure *s, struct pace_table *t, const struct pace_stream_point *l, int k,
    char *note, size_t size)
{
	const double p = loss_ratio(l), mean = pace_stats_mean(&l->rx.runs.stats);
	char lost[40], expected[40] = "-";

	pace_table_row(s, t, (double[]){ k + 1, l->ask.size_bytes,
	    pace_params_spacing_ns(&l->ask) / 1e3, (double)l->tx.frames, (double)l->rx.lost,
	    100 * p, (double)l->rx.runs.stats.n, mean, p < 1 ? 1 / (1 - p) : NAN,
	    pace_bins_max(&l->rx.runs) });
	if (p < 1)
		snprintf(expected, sizeof(expected), "%.4g", 1 / (1 - p));
	snprintf(note, size, "%s lost (%.3g %%), mean length %.4g, independent: %s",
	    pace_axis_count((double)l->rx.lost, lost, sizeof(lost)), 100 * p, mean, expected);
}

static void
make_losses(const struct pace_run *r, struct pace_figure *s)
{
	struct pace_table *runs = pace_figure_table(s, "runs", "Lengths of losses",
	    PACE_COLUMNS(run_columns));
	struct pace_table *gaps = pace_figure_table(s, "gaps", NULL, PACE_COLUMNS(gap_columns));
	struct pace_table *curve = pace_figure_table(s, "curve", NULL, PACE_COLUMNS(curve_columns));
	struct pace_table *sum = pace_figure_table(s, "summary", "The streams",
	    PACE_COLUMNS(sum_columns));
	struct loss_axes a = { .length = 1 };
	char name[SHOWN][80], note[SHOWN][160], what[120];
	size_t all;
	const struct pace_stream_point **v = most_of(r, has_losses, by_losses, &all);
	int n = (int)(all < SHOWN ? all : SHOWN);

	s->failed |= v == NULL;
	for (int k = 0; k < n; k++) {
		put_runs(s, runs, v[k], k, &a);
		put_gaps(s, gaps, v[k], k, &a);
		put_curve(s, curve, v[k], k, &a);
		put_sum(s, sum, v[k], k, note[k], sizeof(note[k]));
		pace_words_stream(v[k], true, name[k], sizeof(name[k]));
	}
	pace_axis_log(s, "RUN", "x", 1, fmax(a.length, 10), 8);
	pace_axis_log(s, "TIMES", "y", 1, fmax(a.times, 10), 8);
	for (int k = 0; k < n; k++) {
		snprintf(what, sizeof(what), "SHARE%d", k + 1);
		pace_axis_log(s, what, "y", fmin(a.share[k], 0.1), 1, 8);
		snprintf(what, sizeof(what), "FAR%d", k + 1);
		pace_axis_log(s, what, "x", 1, fmax(a.distance[k], 10), 8);
	}
	pace_figure_strings(s, "NAME", name[0], sizeof(name[0]), (size_t)n);
	pace_figure_strings(s, "NOTE", note[0], sizeof(note[0]), (size_t)n);
	pace_figure_int(s, "STREAMS", n);
	if ((size_t)n < all) {
		snprintf(what, sizeof(what), "%d of %zu streams with losses: those that lost most "
		    "often", n, all);
		pace_words_subtitle(s, r, what);
	}
	s->height = 180 - 62 + n * (230 + 62);
	free(v);
}

const struct pace_fig pace_fig_losses = {
	"P13", "losses", "losses.gp", "How frames were lost", 900, 600,
	.marked = true,
	.of_arrivals = true, .has = has_losses, .make = make_losses,
	.formula = "dashed: losses independent of each other at the same ratio",
	.caption = "Single losses or groups of losses. Independent losses follow the dashed "
	    "lines. A queue that overflows, or a receiver that pauses, loses many frames in a "
	    "row and then no frame for a long time.",
};

/* --- order -------------------------------------------------------------------------------- */

#define ORDER_PANELS	6

static bool
has_disorder(const struct pace_stream_point *l)
{
	return l->rx.reordered > 0 && l->rx.extent.n > 0;
}

static int
by_reordered(const void *a, const void *b)
{
	uint64_t x = (*(const struct pace_stream_point *const *)a)->rx.reordered;
	uint64_t y = (*(const struct pace_stream_point *const *)b)->rx.reordered;

	return (x < y) - (x > y);
}

static void
make_distance(const struct pace_run *r, struct pace_figure *s)
{
	struct pace_panel_grid g = { .what = "Places late", .things = "Frames",
	    .unit = { "frames", 1 }, .low = 1, .high = 10 };
	size_t all;
	const struct pace_stream_point **v = most_of(r, has_disorder, by_reordered, &all);
	char what[120];

	s->failed |= v == NULL;
	g.n = all < ORDER_PANELS ? all : ORDER_PANELS;
	for (size_t i = 0; i < g.n; i++) {
		const struct pace_bins *e = &v[i]->rx.extent;

		g.panel[i] = (struct pace_panel){ .bins = e, .mark = NAN };
		pace_words_stream(v[i], true, g.panel[i].name, sizeof(g.panel[i].name));
		g.high = (int64_t)fmax((double)g.high, pace_bins_tail(e, 0.999));
	}
	g.columns = g.n == 1 ? 1 : 2;
	if (g.n > 0)
		pace_panel_grid_put(s, &g);
	if (g.n < all) {
		snprintf(what, sizeof(what), "the %zu of %zu streams with most reordered frames",
		    g.n, all);
		pace_words_subtitle(s, r, what);
	}
	free(v);
}

const struct pace_fig pace_fig_distance = {
	"P14", "reordering", "hist.gp", "How late reordered frames came", 900, 600,
	.marked = true,
	.of_arrivals = true, .has = has_disorder, .make = make_distance,
	.formula = "arrivals since the first frame with a higher number (RFC 4737 4.2.1)",
	.caption = "Lateness of reordered frames. A receiver that buffers this number of "
	    "frames restores their order.",
};
