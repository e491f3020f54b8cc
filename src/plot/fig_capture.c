/* Arrival gaps of the streams of a capture (P21). */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "plot/axis.h"
#include "plot/fig.h"
#include "plot/grid.h"
#include "plot/words.h"

#define SHOWN	6		/* the busiest */

static size_t
with_gaps(const struct pace_run *r, const struct pace_leaf **v)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->leaf[i].rx.gap.n > 0) {
			if (n < SHOWN)
				v[n] = &r->leaf[i];
			n++;
		}
	return n;
}

/* Up to the widest p99.9 of all, or where it is not known to the largest gap. */
static int64_t
highest(const struct pace_leaf *const *v, size_t n)
{
	double high = 1;

	for (size_t i = 0; i < n; i++) {
		double tail = pace_bins_quantile(&v[i]->rx.gap, 0.999);

		high = fmax(high, isnan(tail) ? pace_bins_max(&v[i]->rx.gap) : tail);
	}
	return (int64_t)(high * 1.05) + 1;
}

static void
make_streams(const struct pace_book *b, const struct pace_run *r, struct pace_sheet *s)
{
	struct pace_grid g = { .what = "Time between arrivals", .things = "Frames", .low = 0 };
	const struct pace_leaf *v[SHOWN];
	size_t all = with_gaps(r, v);
	char what[80] = "", name[2 * sizeof(v[0]->name)];

	(void)b;
	g.n = all < SHOWN ? all : SHOWN;
	for (size_t i = 0; i < g.n; i++) {
		g.panel[i] = (struct pace_panel){ .bins = &v[i]->rx.gap, .mark = NAN };
		snprintf(g.panel[i].name, sizeof(g.panel[i].name), "%.*s",
		    (int)sizeof(g.panel[i].name) - 1,
		    pace_enhanced(v[i]->name, name, sizeof(name)));
	}
	g.high = highest(v, g.n);
	g.unit = pace_axis_time((double)g.high);
	g.columns = g.n == 1 ? 1 : 2;
	pace_grid_put(s, &g);
	if (g.n < all)
		snprintf(what, sizeof(what), "the busiest %zu of %zu streams", g.n, all);
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, "stamps of the capture");
	pace_sheet_say(s, &s->caption, "How far apart the frames of each stream came. A second hump at "
	    "twice the gap is single losses; what is left of the main one came in a queue.");
}

static bool
wants_streams(const struct pace_book *b, const struct pace_run *r)
{
	const struct pace_leaf *v[SHOWN];

	(void)b;
	return r->seen && with_gaps(r, v) > 0;
}

const struct pace_fig pace_fig_streams = {
	"P21", "streams", "hist.gp", "Arrival spacing of the streams", 900, 600,
	wants_streams, make_streams,
};
