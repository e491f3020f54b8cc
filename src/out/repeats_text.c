#include "out/repeats_text.h"

#include <stdlib.h>

#include "out/say.h"

static const struct { const char *title; int width; } columns[] = {
	{ "size", 6 }, { "spacing", 10 }, { "runs", 6 },
	{ "recv wire", 11 }, { "lowest", 10 }, { "highest", 10 },
	{ "lost", 10 }, { "lowest", 10 }, { "highest", 10 },
};
enum { SIZE, SPACING, RUNS, RATE, RATE_LOW, RATE_HIGH, LOSS, LOSS_LOW, LOSS_HIGH, COLUMNS };

static void
say_head(const struct pace_say *s, const struct pace_rows *rows)
{
	const char *units[COLUMNS] = { "B", rows->time.unit, "", rows->rate.unit,
	    rows->rate.unit, rows->rate.unit, "%    ", "%    ", "%    " };

	pace_say(s, "\nmedian and spread of the runs of each point\n");
	if (rows->dscps > 1)
		pace_say_cell(s, PACE_DSCP_WIDTH, "dscp");
	for (int i = 0; i < COLUMNS; i++)
		pace_say_cell(s, columns[i].width, columns[i].title);
	pace_say(s, "\n");
	if (rows->dscps > 1)
		pace_say_cell(s, PACE_DSCP_WIDTH, "");
	for (int i = 0; i < COLUMNS; i++)
		pace_say_cell(s, columns[i].width, units[i]);
	pace_say(s, "\n");
}

static void
say_rate(const struct pace_say *s, const struct pace_rows *rows, const struct pace_spread *v)
{
	const double figures[] = { v->mid, v->low, v->high };

	for (int i = 0; i < 3; i++)
		pace_say_fixed(s, columns[RATE + i].width, figures[i] / rows->rate.one,
		    rows->rate.decimals);
}

static void
say_loss(const struct pace_say *s, const struct pace_spread *v)
{
	const double figures[] = { v->mid, v->low, v->high };
	char text[64];

	for (int i = 0; i < 3; i++)
		pace_say_cell(s, columns[LOSS + i].width, pace_percent(figures[i], text,
		    sizeof(text)));
}

int
pace_repeats_text(FILE *f, const struct pace_rows *rows, struct pace_repeats *repeats, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	struct pace_repeated *g;
	size_t n;

	g = pace_repeats_group(repeats, &n);
	if (n > 0)
		say_head(&s, rows);
	for (size_t i = 0; i < n; i++) {
		struct pace_params a = { .spacing = g[i].spacing };

		if (rows->dscps > 1)
			pace_say_fixed(&s, PACE_DSCP_WIDTH, g[i].dscp, 0);
		pace_say_fixed(&s, columns[SIZE].width, g[i].size_bytes, 0);
		pace_say_fixed(&s, columns[SPACING].width, pace_params_spacing_ns(&a) /
		    rows->time.one, rows->time.decimals);
		pace_say_fixed(&s, columns[RUNS].width, (double)g[i].runs, 0);
		say_rate(&s, rows, &g[i].wire_bps);
		say_loss(&s, &g[i].loss);
		pace_say(&s, "\n");
	}
	free(g);
	return pace_say_end(&s);
}
