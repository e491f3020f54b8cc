/* Several streams at once (P17): their rates against their number, and the loss of each one. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "doc/params.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/words.h"

static const struct pace_table_column rate_columns[] = {
	{ "streams", "Streams", 0 }, { "aggregate_mbps", "Together (Mbit/s)", 6 },
	{ "lowest_mbps", "Lowest stream (Mbit/s)", 6 }, { "mean_mbps", "Mean stream (Mbit/s)", 6 },
	{ "highest_mbps", "Highest stream (Mbit/s)", 6 }, { "lost_percent", "Lost (%)", 5 },
	{ "degraded", "Degraded", 0 },
};
static const struct pace_table_column loss_columns[] = {
	{ "stream", "Stream", 0 }, { "lost_percent", "Lost (%)", 5 },
	{ "received_mbps", "Received (Mbit/s)", 6 },
};

static bool
is_split(const struct pace_stream_point *l)
{
	return l->has_rx && l->parts > 0;
}

static int
by_streams(const void *a, const void *b)
{
	const struct pace_stream_point *x = *(const struct pace_stream_point *const *)a;
	const struct pace_stream_point *y = *(const struct pace_stream_point *const *)b;

	if (x->ask.streams != y->ask.streams)
		return x->ask.streams < y->ask.streams ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Return the points of the same frames as the first one with streams, by the number of streams;
 * malloced. */
static const struct pace_stream_point **
gather(const struct pace_run *r, size_t *n)
{
	const struct pace_stream_point **v = calloc(r->n + 1, sizeof(*v));
	const struct pace_stream_point *first = NULL;

	*n = 0;
	for (size_t i = 0; i < r->n && first == NULL; i++)
		first = is_split(&r->point[i]) ? &r->point[i] : NULL;
	for (size_t i = 0; v != NULL && first != NULL && i < r->n; i++) {
		const struct pace_stream_point *l = &r->point[i];

		if (l->has_rx && l->ask.size_bytes == first->ask.size_bytes &&
		    l->ask.spacing == first->ask.spacing && l->ask.dscp == first->ask.dscp)
			v[(*n)++] = l;
	}
	if (v != NULL)
		qsort(v, *n, sizeof(*v), by_streams);
	return v;
}

static double
percent_lost(const struct pace_stream_point *l)
{
	const uint64_t n = l->rx.lost + l->rx.unique;

	return n > 0 ? 100 * (double)l->rx.lost / (double)n : NAN;
}

/* Return the highest rate. */
static double
put_rates(struct pace_figure *s, const struct pace_stream_point *const *v, size_t n)
{
	struct pace_table *t = pace_figure_table(s, "rates", "Received rates of data",
	    PACE_COLUMNS(rate_columns));
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct pace_stream_point *l = v[i];
		const double all = l->rx.user_rate_bps;
		double low = all, high = all, sum = 0;

		for (uint32_t k = 0; k < l->parts; k++) {
			low = fmin(low, l->part[k].user_bps);
			high = k == 0 ? l->part[k].user_bps : fmax(high, l->part[k].user_bps);
			sum += l->part[k].user_bps;
		}
		most = fmax(most, all);
		pace_table_row(s, t, (double[]){ pace_params_streams(&l->ask), all / 1e6, low / 1e6,
		    (l->parts > 0 ? sum / l->parts : all) / 1e6, high / 1e6, percent_lost(l),
		    l->verdict == PACE_DEGRADED });
	}
	return most;
}

/* Return the highest loss in per cent. */
static double
put_losses(struct pace_figure *s, const struct pace_stream_point *l)
{
	struct pace_table *t = pace_figure_table(s, "losses", "Each stream of the last point",
	    PACE_COLUMNS(loss_columns));
	double most = 0;

	for (uint32_t k = 0; k < l->parts; k++) {
		most = fmax(most, l->part[k].lost_percent);
		pace_table_row(s, t, (double[]){ k, l->part[k].lost_percent,
		    l->part[k].user_bps / 1e6 });
	}
	return most;
}

static void
put_numbers(struct pace_figure *s, const char *name, double low, double high)
{
	pace_axis_even(s, name, "x", low, high, fmax(1, pace_axis_step(high, 10)));
}

static void
make(const struct pace_run *r, struct pace_figure *s)
{
	const struct pace_stream_point *last, *first;
	char what[160], spacing[64];
	size_t n;
	const struct pace_stream_point **v = gather(r, &n);
	double most;

	if (v == NULL || n == 0) {
		s->failed = true;
		free(v);
		return;
	}
	first = v[0];
	last = v[n - 1];
	snprintf(what, sizeof(what), "%u B · spacing %s in each stream", first->ask.size_bytes,
	    pace_axis_say_spacing(pace_params_spacing_ns(&first->ask), spacing, sizeof(spacing)));
	pace_words_subtitle(s, r, what);
	most = put_rates(s, v, n);
	pace_axis_put_rate(s, most, 6);
	put_numbers(s, "X", 0, pace_params_streams(&last->ask) * 1.06);
	pace_figure_num(s, "SLOPE",
	    first->rx.user_rate_bps / 1e6 / pace_params_streams(&first->ask));
	most = put_losses(s, last);
	put_numbers(s, "N", -0.7, last->parts - 0.3);
	pace_axis_from_zero(s, "LOSS", most > 0 ? most : 1, 5);
	pace_figure_text(s, "LOSS_NOTE", most > 0 ? "" : "no stream lost a frame");
	pace_figure_int(s, "LAST", (long)last->parts);
	free(v);
}

const struct pace_fig pace_fig_scaling = {
	"P17", "scaling", "scaling.gp", "Rate and loss of several streams", 900, 662,
	.marked = true, .has = is_split, .make = make,
	.formula = "linear: the rate of the fewest streams, times their number",
	.caption = "Rate of data that all streams received together, and the range of the single "
	    "streams. Where the line leaves the dashed one, the streams take rate from each other, "
	    "or a host cannot keep up. Below: the loss of each stream at the highest number of "
	    "streams.",
};
