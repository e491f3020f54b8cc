/* Of the streams of a capture arrival gaps (P23), between two of them delays (P24). */
#include "config.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "report/axis.h"
#include "report/fig.h"
#include "report/grid.h"
#include "report/words.h"

#define SHOWN	6		/* the busiest */

/* What is drawn of each stream. */
struct kind {
	size_t		at;		/* its bins, in struct pace_stream_point */
	const char	*what;
	bool		from_zero;
	uint64_t	least;		/* values that tell something */
};

#define OF(member)	offsetof(struct pace_stream_point, rx.member)

static const struct kind gaps = { OF(gap), "Time between arrivals", true, 1 };
static const struct kind delays = { OF(owd), "One-way delay", false, 1 };
static const struct kind above = { OF(pdv), "One-way delay above the quickest frame's", true, 2 };

static const struct pace_bins *
bins_of(const struct kind *k, const struct pace_stream_point *l)
{
	return (const void *)((const char *)l + k->at);
}

static size_t
with_values(const struct pace_run *r, const struct kind *k, const struct pace_stream_point **v)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (bins_of(k, &r->point[i])->stats.n >= k->least) {
			if (n < SHOWN)
				v[n] = &r->point[i];
			n++;
		}
	return n;
}

/* Up to the widest p99.9 of all, or where it is not known to the largest value; from 0, or
 * the lowest p0.1. */
static void
put_limits(struct pace_panel_grid *g, const struct kind *k, const struct pace_stream_point *const *v)
{
	double low = INFINITY, high = -INFINITY, room;

	for (size_t i = 0; i < g->n; i++) {
		const struct pace_bins *bins = bins_of(k, v[i]);
		double tail = pace_bins_quantile(bins, 0.999);

		high = fmax(high, isnan(tail) ? pace_bins_max(bins) : tail);
		tail = pace_bins_quantile(bins, 0.001);
		low = fmin(low, isnan(tail) ? pace_bins_min(bins) : tail);
	}
	low = k->from_zero ? 0 : low;
	room = fmax((high - low) * 0.05, 1);
	g->low = (int64_t)floor(low >= 0 ? fmax(low - room, 0) : low - room);
	g->high = (int64_t)ceil(high + room);
}

static void
make(const struct pace_run *r, struct pace_figure *s, const struct kind *k)
{
	struct pace_panel_grid g = { .what = k->what, .things = "Frames" };
	const struct pace_stream_point *v[SHOWN];
	size_t all = with_values(r, k, v);
	char what[80] = "", name[2 * sizeof(v[0]->name)];

	g.n = all < SHOWN ? all : SHOWN;
	for (size_t i = 0; i < g.n; i++) {
		g.panel[i] = (struct pace_panel){ .bins = bins_of(k, v[i]), .mark = NAN };
		snprintf(g.panel[i].name, sizeof(g.panel[i].name), "%.*s",
		    (int)sizeof(g.panel[i].name) - 1,
		    pace_enhanced(v[i]->name, name, sizeof(name)));
	}
	put_limits(&g, k, v);
	g.unit = pace_axis_time(fmax(fabs((double)g.high), fabs((double)g.low)));
	g.columns = g.n == 1 ? 1 : 2;
	pace_panel_grid_put(s, &g);
	if (g.n < all)
		snprintf(what, sizeof(what), "the busiest %zu of %zu streams", g.n, all);
	pace_words_subtitle(s, r, what);
}

static void
make_streams(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	(void)b;
	make(r, s, &gaps);
	pace_words_footer(s, r, "stamps of the capture");
	pace_figure_say(s, &s->caption, "How far apart the frames of each stream came. A second hump at "
	    "twice the gap is single losses; what is left of the main one came in a queue.");
}

static bool
wants_streams(const struct pace_report_data *b, const struct pace_run *r)
{
	const struct pace_stream_point *v[SHOWN];

	(void)b;
	return r->seen && with_values(r, &gaps, v) > 0;
}

static void
make_delays(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	bool known = pace_run_has_delays(r);

	(void)b;
	make(r, s, known ? &delays : &above);
	pace_words_footer(s, r, "stamps of both captures");
	pace_figure_say(s, &s->caption, known ? "How long each frame took from one capture to the other, "
	    "their clocks related by what went both ways. A tail to the right is a queue." :
	    "How much longer each frame took than the quickest of its stream: how the two captures' "
	    "clocks are related is not known. A tail to the right is a queue.");
}

static bool
wants_delays(const struct pace_report_data *b, const struct pace_run *r)
{
	const struct pace_stream_point *v[SHOWN];

	(void)b;
	return r->seen && r->capture.other_file[0] != '\0' &&
	    with_values(r, pace_run_has_delays(r) ? &delays : &above, v) > 0;
}

const struct pace_fig pace_fig_streams = {
	"P23", "streams", "hist.gp", "Arrival spacing of the streams", 900, 600,
	wants_streams, make_streams,
};

const struct pace_fig pace_fig_delays = {
	"P24", "delays", "hist.gp", "One-way delay between two captures", 900, 600,
	wants_delays, make_delays,
};
