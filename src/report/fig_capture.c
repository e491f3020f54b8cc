/* Arrival gaps of a capture's streams (P23), their delays between two captures (P24). */
#include "config.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "report/axis.h"
#include "report/fig.h"
#include "report/grid.h"
#include "report/words.h"

#define SHOWN	6		/* streams of the highest rate */
#define NAME_CHARS	76	/* room next to a panel's note; longer names are cut */

/* A figure: which values of each stream it shows. */
struct kind {
	size_t		at;		/* offset of its bins in struct pace_stream_point */
	const char	*what;
	bool		from_zero;
	uint64_t	least;		/* smallest number of values that is worth a panel */
};

#define OF(member)	offsetof(struct pace_stream_point, rx.member)

static const struct kind gaps = { OF(gap), "Arrival gap", true, 1 };
static const struct kind delays = { OF(owd), "One-way delay", false, 1 };
static const struct kind above = { OF(pdv), "One-way delay above the quickest frame's", true, 2 };

static const struct pace_bins *
bins_of(const struct kind *k, const struct pace_stream_point *l)
{
	return (const void *)((const char *)l + k->at);
}

/* Count the streams with enough values; store the first SHOWN of them in v unless it is
 * NULL. */
static size_t
with_values(const struct pace_run *r, const struct kind *k, const struct pace_stream_point **v)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (bins_of(k, &r->point[i])->stats.n >= k->least) {
			if (v != NULL && n < SHOWN)
				v[n] = &r->point[i];
			n++;
		}
	return n;
}

static void
put_panels(const struct pace_run *r, struct pace_figure *s, const struct kind *k)
{
	struct pace_panel_grid g = { .what = k->what, .things = "Frames" };
	const struct pace_stream_point *v[SHOWN];
	size_t all = with_values(r, k, v);
	double low = INFINITY, high = -INFINITY, room;
	char what[80];

	g.n = all < SHOWN ? all : SHOWN;
	for (size_t i = 0; i < g.n; i++) {
		g.panel[i] = (struct pace_panel){ .bins = bins_of(k, v[i]), .mark = NAN };
		snprintf(g.panel[i].name, sizeof(g.panel[i].name), "%.*s%s", NAME_CHARS, v[i]->name,
		    strlen(v[i]->name) > NAME_CHARS ? "…" : "");
		high = fmax(high, pace_bins_tail(g.panel[i].bins, 0.999));
		low = fmin(low, pace_bins_tail(g.panel[i].bins, 0.001));
	}
	/* up to the longest tail; from 0 or from the lowest value */
	low = k->from_zero ? 0 : low;
	room = fmax((high - low) * 0.05, 1);
	g.low = (int64_t)floor(low >= 0 ? fmax(low - room, 0) : low - room);
	g.high = (int64_t)ceil(high + room);
	g.unit = pace_axis_time(fmax(fabs((double)g.high), fabs((double)g.low)));
	g.columns = 1;			/* one column, because the names are long */
	pace_panel_grid_put(s, &g);
	if (g.n < all) {
		snprintf(what, sizeof(what), "the busiest %zu of %zu streams", g.n, all);
		pace_words_subtitle(s, r, what);
	}
}

static void
make_streams(const struct pace_run *r, struct pace_figure *s)
{
	put_panels(r, s, &gaps);
}

static bool
wants_streams(const struct pace_run *r)
{
	return r->seen && with_values(r, &gaps, NULL) > 0;
}

static void
make_delays(const struct pace_run *r, struct pace_figure *s)
{
	const bool known = pace_run_has_delays(r);

	put_panels(r, s, known ? &delays : &above);
	if (!known)
		pace_figure_say(s, &s->caption, "Delay of each frame above the smallest delay "
		    "of its stream: the offset between the two captures' clocks is not known. "
		    "A tail to the right is a queue.");
}

static bool
wants_delays(const struct pace_run *r)
{
	return r->seen && r->capture.other_file[0] != '\0' &&
	    with_values(r, pace_run_has_delays(r) ? &delays : &above, NULL) > 0;
}

const struct pace_fig pace_fig_streams = {
	"P23", "streams", "hist.gp", "Arrival gaps of the streams", 900, 600,
	.of_arrivals = true, .wanted = wants_streams, .make = make_streams,
	.formula = "stamps of the capture",
	.caption = "Gaps between the arriving frames of each stream. A peak at twice the main "
	    "gap comes from single lost frames; gaps below the main peak come from frames "
	    "that left a queue.",
};

const struct pace_fig pace_fig_delays = {
	"P24", "delays", "hist.gp", "One-way delay between two captures", 900, 600,
	.of_arrivals = true, .wanted = wants_delays, .make = make_delays,
	.formula = "stamps of both captures",
	.caption = "Delay of each frame from one capture to the other; the clocks' offset is "
	    "estimated from the traffic in both directions. A tail to the right is a queue.",
};
