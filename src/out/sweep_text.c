#include "out/sweep_text.h"

#include <stdlib.h>

#include "out/table.h"

/* --- repeated points ------------------------------------------------------------------ */

enum { NUMBER, BYTES, TIME, RATE, PERCENT, WAY, UNITS };
static const struct pace_column columns[] = {
	{ "dscp", PACE_DSCP_WIDTH, NUMBER }, { "streams", 8, NUMBER }, { "size", 6, BYTES },
	{ "spacing", 8, TIME },
	{ "runs", 5, NUMBER },
	{ "recv", 8, RATE }, { "lowest", 8, RATE }, { "highest", 8, RATE },
	{ "lost", 9, PERCENT }, { "lowest", 9, PERCENT }, { "highest", 9, PERCENT },
	{ "way", 5, WAY },
};
#define WAY_AT	11

int
pace_repeats_text(FILE *f, const struct pace_rows *rows, struct pace_repeats *repeats, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const struct pace_scale units[UNITS] = { [NUMBER] = { "", 1, 0 }, [BYTES] = { "B", 1, 0 },
	    [TIME] = rows->time, [RATE] = rows->rate, [PERCENT] = { "%    ", 1, PACE_AS_PERCENT },
	    [WAY] = { "", 1, PACE_AS_DIRECTION } };
	const struct pace_row_table t = { columns, PACE_COUNT_OF(columns), units,
	    (rows->dscps > 1 ? 0 : 1u) | (rows->streams > 1 ? 0 : 2u) |
	    (rows->two_way ? 0 : 1u << WAY_AT) };
	struct pace_repeated *g;
	size_t n;

	g = pace_repeats_group(repeats, &n);
	if (n > 0) {
		pace_say(&s, "\nmedian and spread of the runs of each point, rates on the wire\n");
		pace_say_heads(&s, &t);
	}
	for (size_t i = 0; i < n; i++) {
		const struct pace_params a = { .spacing = g[i].spacing };
		const struct pace_spread *rate = &g[i].wire_bps, *loss = &g[i].loss;
		const double v[] = { g[i].dscp, g[i].streams, g[i].size_bytes,
		    pace_params_spacing_ns(&a), (double)g[i].runs, rate->mid, rate->low, rate->high,
		    loss->mid, loss->low, loss->high, g[i].direction };

		pace_say_cells(&s, &t, v);
		pace_say(&s, "\n");
	}
	free(g);
	return pace_say_end(&s);
}

/* --- dispersion ----------------------------------------------------------------------- */

#define DECIMALS	3	/* for the small errors of a quiet path */

static void
say_rate(const struct pace_say *s, const char *what, double bps, double error_bps)
{
	struct pace_scale rate = pace_scale_rate(bps, bps);

	pace_say(s, "  %-10s%10s \xc2\xb1 %s  %s on the wire\n", what,
	    PACE_AS_FIXED(bps / rate.one, DECIMALS), PACE_AS_FIXED(error_bps / rate.one, DECIMALS),
	    rate.unit);
}

static void
say_left_out(const struct pace_say *s, size_t points, const char *why)
{
	if (points > 0)
		pace_say_sentence(s, "  ", "%zu point%s left out: %s", points,
		    points == 1 ? "" : "s", why);
}

int
pace_dispersions_text(FILE *f, const struct pace_dispersions *all, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	for (size_t i = 0; i < all->n && !all->failed; i++) {
		const struct pace_dispersion_size *d = &all->v[i];

		if (!pace_dispersion_tells(d))
			continue;
		pace_say(&s, "\n");
		pace_say_sentence(&s, "", "dispersion of %u B: %zu of %zu points were held up on "
		    "the path", d->size_bytes, d->n, d->measured);
		if (d->fit.known) {
			say_rate(&s, "capacity", d->fit.capacity_bps, d->fit.capacity_stderr_bps);
			say_rate(&s, "available", d->fit.available_bps,
			    d->fit.available_stderr_bps);
		}
		/* the reason for a missing line, or points that it leaves out */
		if (d->n >= PACE_DISPERSION_POINTS && !d->fit.known)
			pace_say_wrapped(&s, "  ", "the ratio of sent to received does not grow "
			    "with the rate: no queue causes it, so the capacity is not known");
		say_left_out(&s, d->by_responder, "the responder's host lost frames, not the path");
		say_left_out(&s, d->by_sender, "the sender did not keep the spacing, or lost "
		    "frames");
	}
	return pace_say_end(&s);
}
