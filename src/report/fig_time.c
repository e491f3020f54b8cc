/*
 * A run over time (P18): rate, loss and one-way delay, of one recorded stream in bins, or
 * of a stream that was measured again and again.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/units.h"
#include "doc/params.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/logaxis.h"
#include "report/trace.h"
#include "report/words.h"

#define LONG_NS		2e9	/* a shorter recorded stream has its own figure by number */
#define BINS		250	/* about */
#define REPEATS_LEAST	4
#define SPAN_MAX_S	3e8	/* no dates beyond: only a forged file has such */

static const struct pace_table_column columns[] = {
	{ "t_s", "Time (s)", 6 }, { "rate_mbps", "Received (Mbit/s)", 5 },
	{ "sent", "Frames", 0 }, { "lost", "Lost", 0 }, { "lost_percent", "Lost (%)", 4 },
	{ "p50_us", "Delay p50 (µs)", 4 }, { "p99_us", "p99 (µs)", 4 },
	{ "max_us", "max (µs)", 4 },
};
enum { T, RATE, FRAMES, LOST, PERCENT, P50, P99, MAX, COLUMNS };

/* What all of it was. */
struct sums {
	double	rate, delay, least_delay, frames;	/* highest of each; least above 0 */
	double	from, to;		/* s */
	double	lost;
	size_t	rows;
};

/* --- when ------------------------------------------------------------------------------ */

/* Seconds since 1970 of RFC 3339 in UTC; NAN: not one. */
static double
seconds_of(const char *text)
{
	struct tm tm;
	const char *rest;
	double s;

	memset(&tm, 0, sizeof(tm));
	rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	if (rest == NULL)
		return NAN;
	s = (double)timegm(&tm);
	return *rest == '.' ? s + strtod(rest, NULL) : s;
}

/* --- rows -------------------------------------------------------------------------------- */

static void
put_row(struct pace_figure *s, struct pace_table *t, struct sums *m, const double *row)
{
	pace_table_row(s, t, row);
	m->rate = fmax(m->rate, row[RATE]);
	m->delay = fmax(m->delay, row[MAX]);
	if (row[P50] > 0)
		m->least_delay = fmin(m->least_delay, row[P50]);
	m->frames = fmax(m->frames, row[FRAMES]);
	m->lost += isnan(row[LOST]) ? 0 : row[LOST];
	m->rows++;
}

/* Bins of which the run was only a part would show a rate that never was: the last. */
static void
put_trace(struct pace_figure *s, struct pace_table *t, struct sums *m,
    const struct pace_record_run *run, const struct pace_trace *trace)
{
	for (size_t k = 0; k < trace->bins; k++) {
		const struct pace_trace_bin *b = &trace->v[k];
		const bool part = k + 1 == trace->bins && k > 0;
		const double all = (double)(b->n + b->lost);
		double row[COLUMNS] = { (b->x + trace->width / 2) / 1e9,
		    part ? NAN : (double)b->arrived * run->size_bytes * 8 / trace->width * 1e3,
		    all, (double)b->lost, all > 0 ? 100 * (double)b->lost / all : NAN,
		    (b->p50 - trace->lowest) / 1e3, (b->p99 - trace->lowest) / 1e3,
		    (b->max - trace->lowest) / 1e3 };

		put_row(s, t, m, row);
	}
	m->from = trace->from / 1e9;
	m->to = trace->to / 1e9;
}

static void
put_leaf(struct pace_figure *s, struct pace_table *t, struct sums *m, const struct pace_stream_point *l,
    double start)
{
	const double n = (double)l->tx.frames, lost = l->has_rx ? (double)l->rx.lost : NAN;
	const struct pace_bins *d = &l->rx.pdv;
	double p99 = pace_bins_quantile(d, 0.99);
	double row[COLUMNS] = { seconds_of(l->origin.started) - start,
	    l->has_rx ? l->rx.user_rate_bps / 1e6 : NAN, n, lost, n > 0 ? 100 * lost / n : NAN,
	    pace_bins_quantile(d, 0.5) / 1e3, p99 / 1e3, pace_bins_max(d) / 1e3 };

	put_row(s, t, m, row);
	m->from = fmin(m->from, row[T]);
	m->to = fmax(m->to, row[T]);
}

/* --- what there is ------------------------------------------------------------------------- */

static const struct pace_record_run *
longest(const struct pace_record_file *f, double *ns)
{
	const struct pace_record_run *best = NULL;

	*ns = 0;
	for (size_t i = 0; f != NULL && i < f->n; i++) {
		double d = f->runs[i].lost_only ? 0 : pace_trace_duration(&f->runs[i]);

		if (d > *ns) {
			best = &f->runs[i];
			*ns = d;
		}
	}
	return *ns >= LONG_NS ? best : NULL;
}

static bool
same(const struct pace_stream_point *a, const struct pace_stream_point *b)
{
	return a->ask.size_bytes == b->ask.size_bytes && a->ask.spacing == b->ask.spacing &&
	    a->origin.dscp == b->origin.dscp;
}

/* The stream that was measured most often at a told time; how often. */
static size_t
most_repeated(const struct pace_run *r, const struct pace_stream_point **which)
{
	size_t most = 0;

	*which = NULL;
	for (size_t i = 0; i < r->n && most < r->n - i; i++) {
		size_t n = 0;

		for (size_t k = i; k < r->n; k++)
			n += same(&r->point[i], &r->point[k]) &&
			    !isnan(seconds_of(r->point[k].origin.started));
		if (n > most) {
			most = n;
			*which = &r->point[i];
		}
	}
	return most;
}

static bool
wants_time(const struct pace_report_data *b, const struct pace_run *r)
{
	const struct pace_stream_point *l;
	double ns;

	(void)b;
	return longest(r->records, &ns) != NULL || most_repeated(r, &l) >= REPEATS_LEAST;
}

/* --- the sheet -------------------------------------------------------------------------------- */

static void
put_time_axis(struct pace_figure *s, const struct sums *m, double start)
{
	static const double steps[] = { 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
	    3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800 };
	const double span = fmax(m->to - m->from, 1e-3);
	const bool utc = !isnan(start) && span < SPAN_MAX_S;
	size_t i = 0;
	double step;

	while (i + 1 < sizeof(steps) / sizeof(steps[0]) && span / steps[i] > 8)
		i++;
	step = span / steps[i] > 12 ? pace_axis_step(span, 8) : steps[i];
	pace_figure_int(s, "UTC", utc);
	pace_figure_num(s, "START", utc ? start : 0);
	pace_figure_num(s, "T_LOW", (utc ? start : 0) + m->from - 0.005 * span);
	pace_figure_num(s, "T_HIGH", (utc ? start : 0) + m->to + 0.005 * span);
	pace_figure_num(s, "T_STEP", step);
	pace_figure_markup(s, "T_FORMAT", !utc ? "%%g" : step < 1 ? "%%H:%%M:%%.1S" :
	    step < 60 ? "%%H:%%M:%%S" : span < 2 * 86400 ? "%%H:%%M" : "%%d %%b");
}

static void
put_axes(struct pace_figure *s, const struct sums *m, double start)
{
	const struct pace_axis_unit rate = pace_axis_rate(m->rate * 1e6);
	char lost[40];

	put_time_axis(s, m, start);
	pace_axis_from_zero(s, "RATE", m->rate * 1e6 / rate.one, 5);
	pace_figure_num(s, "RATE_ONE", rate.one / 1e6);
	pace_figure_text(s, "RATE_UNIT", rate.name);
	pace_axis_put_loss(s, "LOSS", fmax(m->frames, 10));
	pace_figure_markup(s, "LOST_NOTE", m->lost > 0 ? "%s frames lost" : "none lost",
	    pace_axis_count(m->lost, lost, sizeof(lost)));
	pace_figure_int(s, "HAS_DELAY", m->delay > 0);
	pace_logaxis_put(s, "OWD", "y", fmax(fmin(m->least_delay, m->delay), m->delay / 1e5 + 1e-3),
	    fmax(m->delay, 1), 10);
	s->height = m->delay > 0 ? 760 : 506;
}

static void
say_time(struct pace_figure *s, const struct pace_run *r, uint32_t size, double spacing,
    const char *bins, const char *formula)
{
	char what[200], every[40] = "back to back", text[32];

	if (spacing > 0)
		snprintf(every, sizeof(every), "every %s", pace_print(PACE_UNIT_USEC, spacing,
		    text, sizeof(text)));
	snprintf(what, sizeof(what), "%u B %s · %s", size, every, bins);
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, formula);
	pace_figure_say(s, &s->caption, "How steady it was. The upper edge of the delay is the highest "
	    "of each bin, never a mean: what happened once is seen.");
}

static void
from_records(struct pace_figure *s, const struct pace_run *r, const struct pace_record_run *run,
    struct pace_table *t)
{
	struct sums m = { .least_delay = INFINITY };
	struct pace_trace trace;
	char bins[64], width[32];
	double start = seconds_of(r->head.r.started);

	if (pace_trace_by_time(&trace, run, BINS) != 0) {
		s->failed = true;
		return;
	}
	put_trace(s, t, &m, run, &trace);
	put_axes(s, &m, start);
	snprintf(bins, sizeof(bins), "bins of %s", pace_print(PACE_UNIT_USEC, trace.width, width,
	    sizeof(width)));
	say_time(s, r, run->size_bytes, (double)run->spacing / 4294967296.0, bins,
	    "time of the run's start and the sender's clock since");
	pace_trace_free(&trace);
}

static void
from_points(struct pace_figure *s, const struct pace_run *r, const struct pace_stream_point *which,
    struct pace_table *t)
{
	struct sums m = { .least_delay = INFINITY, .from = INFINITY, .to = -INFINITY };
	double start = INFINITY;
	char points[64];

	for (size_t i = 0; i < r->n; i++)
		if (same(&r->point[i], which))
			start = fmin(start, seconds_of(r->point[i].origin.started));
	for (size_t i = 0; i < r->n; i++)
		if (same(&r->point[i], which) && !isnan(seconds_of(r->point[i].origin.started)))
			put_leaf(s, t, &m, &r->point[i], start);
	put_axes(s, &m, start);
	snprintf(points, sizeof(points), "measured %zu times", m.rows);
	say_time(s, r, which->ask.size_bytes, pace_params_gap_ns(&which->ask), points, "");
}

static void
make_time(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	const struct pace_record_run *run;
	const struct pace_stream_point *which;
	struct pace_table *t = pace_figure_table(s, "time", "Over time", columns, COLUMNS);
	double ns;

	(void)b;
	run = longest(r->records, &ns);
	pace_figure_int(s, "POINTS", run == NULL);
	if (run != NULL)
		from_records(s, r, run, t);
	else if (most_repeated(r, &which) > 0)
		from_points(s, r, which, t);
}

const struct pace_fig pace_fig_time = {
	"P18", "time", "time.gp", "Over time", 900, 760, wants_time, make_time,
};
