/*
 * How frames were lost (P13): lengths of losses, and how far one is from the next, each
 * beside what independent losses would do; and how late frames came (P14).
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "core/units.h"
#include "doc/params.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/grid.h"
#include "report/logaxis.h"
#include "report/pick.h"
#include "report/words.h"

#define STREAMS_MAX	8192
#define SHOWN		3		/* streams of a figure: those with most losses in a row */
#define CURVE		120		/* places of what independent losses would do */

static const struct pace_table_column run_columns[] = {
	{ "stream", "Stream", 0 }, { "length", "Lost in a row", 0 }, { "count", "Times", 0 },
};
static const struct pace_table_column gap_columns[] = {
	{ "stream", NULL, 0 }, { "distance", "From loss to loss, frames", 0 },
	{ "share", "Share at least as far", 6 },
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

/* Those that come first in order; malloced, how many there were in *all. */
static const struct pace_stream_point **
most_of(const struct pace_run *r, bool (*has)(const struct pace_stream_point *l),
    int (*order)(const void *a, const void *b), size_t *all)
{
	const struct pace_stream_point **v = calloc(STREAMS_MAX, sizeof(*v));
	size_t n = v != NULL ? pace_pick_streams(r, has, v, STREAMS_MAX) : 0;

	*all = n < STREAMS_MAX ? n : STREAMS_MAX;
	if (v != NULL)
		qsort(v, *all, sizeof(*v), order);
	return v;
}

static void
name_stream(char *buf, size_t size, const struct pace_stream_point *l)
{
	char spacing[32] = "back to back";

	if (l->name[0] != '\0') {
		snprintf(buf, size, "%.*s", (int)size - 1, l->name);
		return;
	}
	if (l->ask.spacing > 0)
		pace_print(PACE_UNIT_USEC, pace_params_gap_ns(&l->ask), spacing, sizeof(spacing));
	snprintf(buf, size, "%u B, %s", l->ask.size_bytes, spacing);
}

/* --- losses ------------------------------------------------------------------------------ */

struct tables {
	struct pace_table *runs, *gaps, *curve, *sum;
};

struct loss_axes {
	double	length, times;		/* highest of all streams */
	double	distance[SHOWN], share[SHOWN];	/* of each: farthest, smallest */
};

static double
loss_ratio(const struct pace_stream_point *l)
{
	return (double)l->rx.lost / fmax((double)l->tx.frames, (double)l->rx.lost);
}

/* Wide bins of long runs stand at their middle. */
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
	size_t n = pace_survivors(&l->rx.distances, 1, v);

	a->distance[k] = 1;
	a->share[k] = 0.1;
	pace_table_break(s, t);
	if (n == 0)				/* one loss alone: its place is kept */
		pace_table_row(s, t, (double[]){ k + 1, 1, NAN });
	for (size_t i = 0; i < n; i++) {
		pace_table_row(s, t, (double[]){ k + 1, (double)v[i].value, v[i].share });
		a->distance[k] = fmax(a->distance[k], (double)v[i].value);
		a->share[k] = fmin(a->share[k], v[i].share);
	}
}

/*
 * Losses independent of each other, each frame lost with probability p: a loss has
 * exactly n frames with (1 - p) p^(n-1), and the next one is d or more frames away with
 * (1 - p)^(d-1).
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

		pace_table_row(s, t, (double[]){ k + 1, d, share >= a->share[k] / 4 ? share : NAN });
	}
	pace_table_break(s, t);
	for (int i = 1; i <= CURVE; i++) {
		double times = (double)l->rx.runs.stats.n * (1 - p) * pow(p, i - 1);

		pace_table_row(s, t, (double[]){ k + 1, i, times >= 0.3 ? times : NAN });
	}
}

static void
put_host_counter(struct pace_figure *s, struct pace_table *t, const struct pace_stream_point *l, int k)
{
	const double p = loss_ratio(l);
	const double row[] = { k + 1, l->ask.size_bytes, pace_params_gap_ns(&l->ask) / 1e3,
	    (double)l->tx.frames, (double)l->rx.lost, 100 * p, (double)l->rx.runs.stats.n,
	    pace_stats_mean(&l->rx.runs.stats), p < 1 ? 1 / (1 - p) : NAN,
	    pace_bins_max(&l->rx.runs) };

	pace_table_row(s, t, row);
}

static void
note_stream(char *buf, size_t size, const struct pace_stream_point *l)
{
	const double p = loss_ratio(l);
	char lost[40], expected[40] = "-";

	if (p < 1)
		snprintf(expected, sizeof(expected), "%.4g", 1 / (1 - p));
	snprintf(buf, size, "%s lost (%.3g %%), mean length %.4g, independent: %s",
	    pace_axis_count((double)l->rx.lost, lost, sizeof(lost)), 100 * p,
	    pace_stats_mean(&l->rx.runs.stats), expected);
}

static void
put_axes(struct pace_figure *s, const struct loss_axes *a, int n)
{
	pace_logaxis_put(s, "RUN", "x", 1, fmax(a->length, 10), 8);
	pace_logaxis_put(s, "TIMES", "y", 1, fmax(a->times, 10), 8);
	for (int k = 0; k < n; k++) {
		char name[32];

		snprintf(name, sizeof(name), "SHARE%d", k + 1);
		pace_logaxis_put(s, name, "y", fmin(a->share[k], 0.1), 1, 8);
		snprintf(name, sizeof(name), "FAR%d", k + 1);
		pace_logaxis_put(s, name, "x", 1, fmax(a->distance[k], 10), 8);
	}
}

static void
make_losses(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct tables t;
	struct loss_axes a = { .length = 1 };
	char name[SHOWN][80], note[SHOWN][160], what[120] = "";
	const char *names[SHOWN], *notes[SHOWN];
	size_t all;
	const struct pace_stream_point **v = most_of(r, has_losses, by_losses, &all);
	int n = (int)(all < SHOWN ? all : SHOWN);

	(void)b;
	t.runs = pace_figure_table(s, "runs", "Lengths of losses", run_columns, 3);
	t.gaps = pace_figure_table(s, "gaps", NULL, gap_columns, 3);
	t.curve = pace_figure_table(s, "curve", NULL, curve_columns, 3);
	t.sum = pace_figure_table(s, "summary", "The streams", sum_columns,
	    sizeof(sum_columns) / sizeof(sum_columns[0]));
	for (int k = 0; k < n; k++) {
		put_runs(s, t.runs, v[k], k, &a);
		put_gaps(s, t.gaps, v[k], k, &a);
		put_curve(s, t.curve, v[k], k, &a);
		put_host_counter(s, t.sum, v[k], k);
		name_stream(name[k], sizeof(name[k]), v[k]);
		note_stream(note[k], sizeof(note[k]), v[k]);
		names[k] = name[k];
		notes[k] = note[k];
	}
	put_axes(s, &a, n);
	pace_figure_texts(s, "NAME", names, (size_t)n);
	pace_figure_texts(s, "NOTE", notes, (size_t)n);
	pace_figure_int(s, "STREAMS", n);
	if ((size_t)n < all)
		snprintf(what, sizeof(what), "%d of %zu streams with losses: those that lost most often",
		    n, all);
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, "dashed: losses independent of each other at the same ratio");
	pace_figure_say(s, &s->caption, "Whether frames were lost one by one or in groups. Losses that "
	    "know nothing of each other follow the dashed lines; a queue that overflows, or a "
	    "receiver that pauses, loses many in a row, and then none for long.");
	s->height = 180 - 62 + n * (230 + 62);
	free(v);
}

static bool
wants_losses(const struct pace_report_data *b, const struct pace_run *r)
{
	const struct pace_stream_point *v[1];

	(void)b;
	return pace_pick_streams(r, has_losses, v, 1) > 0;
}

const struct pace_fig pace_fig_losses = {
	"P13", "losses", "losses.gp", "How frames were lost", 900, 600, wants_losses,
	make_losses,
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
make_distance(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct pace_panel_grid g = { .what = "Places late", .things = "Frames",
	    .unit = { "frames", 1 }, .low = 1, .high = 10 };
	size_t all;
	const struct pace_stream_point **v = most_of(r, has_disorder, by_reordered, &all);
	char what[120] = "";

	(void)b;
	g.n = all < ORDER_PANELS ? all : ORDER_PANELS;
	for (size_t i = 0; i < g.n; i++) {
		const struct pace_bins *e = &v[i]->rx.extent;
		double tail = pace_bins_quantile(e, 0.999);

		g.panel[i] = (struct pace_panel){ .bins = e, .mark = NAN };
		name_stream(g.panel[i].name, sizeof(g.panel[i].name), v[i]);
		g.high = (int64_t)fmax((double)g.high, isnan(tail) ? pace_bins_max(e) : tail);
	}
	g.columns = g.n == 1 ? 1 : 2;
	if (g.n > 0)
		pace_panel_grid_put(s, &g);
	if (g.n < all)
		snprintf(what, sizeof(what), "the %zu of %zu streams with most frames out of order",
		    g.n, all);
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, "arrivals since the first frame with a higher number (RFC 4737 4.2.1)");
	pace_figure_say(s, &s->caption, "How late frames came that were overtaken. A receiver that holds "
	    "back as many frames as the axis shows puts them in order again.");
	free(v);
}

static bool
wants_distance(const struct pace_report_data *b, const struct pace_run *r)
{
	const struct pace_stream_point *v[1];

	(void)b;
	return pace_pick_streams(r, has_disorder, v, 1) > 0;
}

const struct pace_fig pace_fig_distance = {
	"P14", "reordering", "hist.gp", "How late reordered frames came", 900, 600,
	wants_distance, make_distance,
};
