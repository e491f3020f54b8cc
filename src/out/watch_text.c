#include "out/watch_text.h"

#include <inttypes.h>
#include <math.h>

#include "out/cells.h"
#include "out/say.h"
#include "out/table.h"

enum { NUMBER, PERCENT, MICROSECONDS };
static const struct pace_scale units[] = {
	[NUMBER] = { "", 1, PACE_IN_GROUPS }, [PERCENT] = { "%", 1, PACE_AS_PERCENT },
	[MICROSECONDS] = { "\xc2\xb5s", 1e3, 1 },
};
static const struct pace_column frame_columns[] = {
	{ "sent", 11, NUMBER }, { "lost", 8, NUMBER }, { "loss", 8, PERCENT },
	{ "unreported", 11, NUMBER }, { "copies", 7, NUMBER }, { "reord", 6, NUMBER },
};
static const struct pace_column delay_columns[] = {
	{ "rtt p50", 10, MICROSECONDS }, { "p99", 10, MICROSECONDS }, { "to", 10, MICROSECONDS },
	{ "from", 10, MICROSECONDS }, { "bound", 9, MICROSECONDS }, { "pdv p99", 10, MICROSECONDS },
};
static const struct pace_row_table frame_table = { frame_columns, PACE_COUNT_OF(frame_columns),
	units, 0 };
static const struct pace_row_table delay_table = { delay_columns, PACE_COUNT_OF(delay_columns),
	units, 0 };

static double
quantile(const struct pace_coarse_hist_list *l, double q)
{
	return pace_coarse_hist_count(l) > 0 ? (double)pace_coarse_hist_quantile(l, q) : NAN;
}

/* The name stands at the end, where it needs no width. */
static int
say_row(FILE *f, const struct pace_row_table *t, const double *v, const struct pace_watched *w,
    bool utf8)
{
	const struct pace_say s = { f, utf8 };

	pace_say_cells(&s, t, v);
	pace_say(&s, "  %s%s\n", w->name, w->state == PACE_WATCH_DOWN ? " (down)" : "");
	return pace_say_end(&s);
}

int
pace_watch_text_row_head(FILE *f, bool utf8)
{
	return pace_row_table_head(f, &frame_table, utf8);
}

int
pace_watch_text_row(FILE *f, const struct pace_watched *w, bool utf8)
{
	const struct pace_watch_counts *c = &w->counts;

	return say_row(f, &frame_table, (const double []){ (double)c->sent, (double)c->lost,
	    pace_watch_loss(c), (double)c->unreported, (double)c->duplicates,
	    (double)c->reordered }, w, utf8);
}

int
pace_watch_text_delay_head(FILE *f, bool utf8)
{
	return pace_row_table_head(f, &delay_table, utf8);
}

int
pace_watch_text_delay_row(FILE *f, const struct pace_watched *w, bool utf8)
{
	return say_row(f, &delay_table, (const double []){ quantile(&w->rtt, 0.5),
	    quantile(&w->rtt, 0.99), quantile(&w->up, 0.5), quantile(&w->down, 0.5),
	    w->clock_known ? w->bound_ns : NAN, quantile(&w->above, 0.99) }, w, utf8);
}

int
pace_watch_text_explain(FILE *f, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	pace_say_wrapped(&s, "  ", "to, from: one-way delay to the path's far end and back, median of "
	    "the exchanges; bound: the largest error of both; pdv: delay of frames above the lowest "
	    "one");
	return pace_say_end(&s);
}

/* --- CSV ---------------------------------------------------------------------------------- */

static const struct { const char *name; size_t at; double q; } csv_delays[] = {
	{ "rtt_p50_ns", offsetof(struct pace_watched, rtt), 0.5 },
	{ "rtt_p99_ns", offsetof(struct pace_watched, rtt), 0.99 },
	{ "up_owd_p50_ns", offsetof(struct pace_watched, up), 0.5 },
	{ "down_owd_p50_ns", offsetof(struct pace_watched, down), 0.5 },
	{ "above_min_p99_ns", offsetof(struct pace_watched, above), 0.99 },
};

int
pace_watch_csv_head(FILE *f)
{
	const struct pace_say s = { f, true };

	pace_say(&s, "name,address,port,state");
	for (const struct pace_field *c = pace_watch_counts_fields.row; c->name != NULL; c++)
		pace_say(&s, ",%s", c->name);
	for (size_t i = 0; i < PACE_COUNT_OF(csv_delays); i++)
		pace_say(&s, ",%s", csv_delays[i].name);
	pace_say(&s, ",offset_ns,offset_error_max_ns\n");
	return pace_say_end(&s);
}

int
pace_watch_csv_row(FILE *f, const struct pace_watched *w)
{
	const struct pace_say s = { f, true };
	const int64_t *n = (const int64_t *)&w->counts;		/* all counts, in this order */

	pace_say(&s, "%s,%s,%u,%s", w->name, w->address, w->port, pace_watch_state_names[w->state]);
	for (size_t i = 0; i < sizeof(w->counts) / sizeof(*n); i++)
		pace_say(&s, ",%" PRId64, n[i]);
	for (size_t i = 0; i < PACE_COUNT_OF(csv_delays); i++) {
		pace_say(&s, ",");
		pace_cell_real(f, quantile((const void *)((const char *)w + csv_delays[i].at),
		    csv_delays[i].q), 0);
	}
	pace_say(&s, ",");
	pace_cell_real(f, w->clock_known ? (double)w->offset_ns : NAN, 0);
	pace_say(&s, ",");
	pace_cell_real(f, w->clock_known ? w->bound_ns : NAN, 1);
	pace_say(&s, "\n");
	return pace_say_end(&s);
}
