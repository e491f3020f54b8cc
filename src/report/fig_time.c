/*
 * A run over time (P18): rate, loss and one-way delay, of one recorded stream in bins, of the
 * intervals of a stream, or of a stream that was measured repeatedly.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/units.h"
#include "doc/intervals.h"
#include "doc/params.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/trace.h"
#include "report/value.h"
#include "report/words.h"

#define LONG_NS		2e9	/* shorter recorded streams have only the figure by frame number */
#define BINS		250	/* approximate number of bins */
#define REPEATS_LEAST	4
#define MARKED		60	/* intervals; more of them are a line */
#define SPAN_MAX_S	3e8	/* a longer span has no dates: the file is forged */

static const struct pace_table_column columns[] = {
	{ "t_s", "Time (s)", 6 }, { "rate_mbps", "Received (Mbit/s)", 5 },
	{ "sent", "Frames", 0 }, { "lost", "Lost", 0 }, { "lost_percent", "Lost (%)", 4 },
	{ "p50_us", "Delay p50 (µs)", 4 }, { "p99_us", "p99 (µs)", 4 },
	{ "max_us", "max (µs)", 4 }, { "degraded", "Degraded", 0 },
};
enum { T, RATE, FRAMES, LOST, PERCENT, P50, P99, MAX, DEGRADED, COLUMNS };

/* Sums and extremes of the rows. */
struct sums {
	double	rate, delay, least_delay, frames;	/* maxima; smallest delay above 0 */
	bool	quantiles;		/* intervals of several streams have only the highest delay */
	double	from, to;		/* s */
	double	lost;
	size_t	rows;
};

/* --- when ------------------------------------------------------------------------------ */

/* Convert RFC 3339 in UTC to seconds since 1970; NAN: not such a time. */
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
	m->quantiles = m->quantiles || !isnan(row[P50]);
	if (row[P50] > 0)
		m->least_delay = fmin(m->least_delay, row[P50]);
	m->frames = fmax(m->frames, row[FRAMES]);
	m->lost += isnan(row[LOST]) ? 0 : row[LOST];
	m->rows++;
}

/* --- what there is ------------------------------------------------------------------------- */

/* The longest recorded stream; NULL: none, or too short. */
static const struct pace_record_run *
longest(const struct pace_run *r)
{
	const struct pace_record_file *f = r->records;
	const struct pace_record_run *best = NULL;
	double ns = 0;

	for (size_t i = 0; f != NULL && i < f->n; i++) {
		double d = f->runs[i].lost_only || !pace_run_has_records(r, &f->runs[i]) ? 0 :
		    pace_trace_duration(&f->runs[i]);

		if (d > ns) {
			best = &f->runs[i];
			ns = d;
		}
	}
	return ns >= LONG_NS ? best : NULL;
}

static bool
same(const struct pace_stream_point *a, const struct pace_stream_point *b)
{
	return a->ask.size_bytes == b->ask.size_bytes && a->ask.spacing == b->ask.spacing &&
	    a->ask.dscp == b->ask.dscp && a->ask.train == b->ask.train &&
	    pace_params_streams(&a->ask) == pace_params_streams(&b->ask);
}

/* Find the stream that was measured most often at known times; return how often. */
static size_t
most_repeated(const struct pace_run *r, const struct pace_stream_point **which)
{
	size_t most = 0;

	*which = NULL;
	for (size_t i = 0; i < r->n && most < r->n - i; i++) {
		size_t n = 0;

		for (size_t k = i; k < r->n; k++)
			n += same(&r->point[i], &r->point[k]) &&
			    !isnan(seconds_of(r->point[k].started));
		if (n > most) {
			most = n;
			*which = &r->point[i];
		}
	}
	return most;
}

/* The stream with the most intervals; NULL: none has two. */
static const struct pace_stream_point *
divided(const struct pace_run *r)
{
	const struct pace_stream_point *best = NULL;
	uint32_t most = 1;

	for (size_t i = 0; i < r->n; i++) {
		const struct pace_intervals *v = r->point[i].intervals;

		if (v != NULL && v->n > most) {
			best = &r->point[i];
			most = v->n;
		}
	}
	return best;
}

static bool
wants_time(const struct pace_run *r)
{
	const struct pace_stream_point *l;

	return longest(r) != NULL || divided(r) != NULL ||
	    most_repeated(r, &l) >= REPEATS_LEAST;
}

/* --- the sheet -------------------------------------------------------------------------------- */

static void
put_axes(struct pace_figure *s, const struct sums *m, double start)
{
	static const double steps[] = { 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
	    3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800 };
	const double span = fmax(m->to - m->from, 1e-3);
	const bool utc = !isnan(start) && span < SPAN_MAX_S;
	const double least = m->quantiles ? m->least_delay : m->delay / 100;
	size_t i = 0;
	double step;
	char lost[40];

	while (i + 1 < sizeof(steps) / sizeof(steps[0]) && span / steps[i] > 8)
		i++;
	step = span / steps[i] > 12 ? pace_axis_step(span, 8) : steps[i];
	start = utc ? start : 0;
	pace_figure_int(s, "UTC", utc);
	pace_figure_num(s, "START", start);
	pace_figure_num(s, "T_LOW", start + m->from - 0.005 * span);
	pace_figure_num(s, "T_HIGH", start + m->to + 0.005 * span);
	pace_figure_num(s, "T_STEP", step);
	pace_figure_markup(s, "T_FORMAT", !utc ? "%%g" : step < 1 ? "%%H:%%M:%%.1S" :
	    step < 60 ? "%%H:%%M:%%S" : span < 2 * 86400 ? "%%H:%%M" : "%%d %%b");
	pace_axis_put_rate(s, m->rate * 1e6, 5);
	pace_axis_put_loss(s, "LOSS", fmax(m->frames, 10), 1);
	pace_figure_markup(s, "LOST_NOTE", m->lost > 0 ? "%s frame%s lost" : "none lost",
	    pace_axis_count(m->lost, lost, sizeof(lost)), m->lost > 1 ? "s" : "");
	pace_figure_int(s, "HAS_DELAY", m->delay > 0);
	pace_figure_int(s, "QUANTILES", m->quantiles);
	pace_axis_log(s, "OWD", "y", fmax(fmin(least, m->delay), m->delay / 1e5 + 1e-3),
	    fmax(m->delay, 1), 10);
	s->height = m->delay > 0 ? 760 : 506;
}

static void
say_time(struct pace_figure *s, const struct pace_run *r, const char *stream, const char *bins)
{
	char what[200];

	snprintf(what, sizeof(what), "%s · %s", stream, bins);
	pace_words_subtitle(s, r, what);
}

static void
from_records(struct pace_figure *s, const struct pace_run *r, const struct pace_record_run *run,
    struct pace_table *t)
{
	struct sums m = { .least_delay = INFINITY };
	struct pace_trace trace;
	double began = NAN;
	char bins[64], width[32], stream[96], which[32] = "";

	if (pace_trace_by_time(&trace, run, BINS) != 0) {
		s->failed = true;
		return;
	}
	m.from = trace.from / 1e9;
	m.to = trace.to / 1e9;
	for (size_t k = 0; k < trace.bins; k++) {
		const struct pace_trace_bin *b = &trace.v[k];
		/* the run covers only a part of the last bin, so its rate is not known */
		const bool part = k + 1 == trace.bins && k > 0;
		const double all = (double)(b->n + b->lost);

		put_row(s, t, &m, (double[COLUMNS]){ (b->x + trace.width / 2) / 1e9,
		    part ? NAN : (double)b->arrived * run->size_bytes * 8 / trace.width * 1e3,
		    all, (double)b->lost, all > 0 ? 100 * (double)b->lost / all : NAN,
		    (b->p50 - trace.lowest) / 1e3, (b->p99 - trace.lowest) / 1e3,
		    (b->max - trace.lowest) / 1e3 });
	}
	for (size_t i = 0; i < r->n; i++)
		if (r->point[i].index == run->point)
			began = seconds_of(r->point[i].started);
	put_axes(s, &m, began);
	snprintf(bins, sizeof(bins), "bins of %s", pace_print(PACE_UNIT_USEC, trace.width, width,
	    sizeof(width)));
	if (run->stream > 0)
		snprintf(which, sizeof(which), ", stream %u", run->stream - 1);
	snprintf(stream, sizeof(stream), "%u B, %s%s", run->size_bytes,
	    pace_axis_say_spacing((double)run->spacing / 4294967296.0, width, sizeof(width)),
	    which);
	say_time(s, r, stream, bins);
	pace_words_footer(s, r, "time of the point's start and the sender's clock since");
	pace_trace_free(&trace);
}

static double
known_us(int64_t figure)
{
	return figure != PACE_NO_FIGURE ? (double)figure / 1e3 : NAN;
}

/* An interval whose frames left late stands where they left. */
static void
from_intervals(struct pace_figure *s, const struct pace_run *r,
    const struct pace_stream_point *l, struct pace_table *t)
{
	const struct pace_intervals *v = l->intervals;
	struct sums m = { .least_delay = INFINITY };
	char width[32], bins[64], stream[80];

	for (uint32_t i = 0; i < v->n; i++) {
		const struct pace_interval *o = &v->v[i];
		double from = (double)(o->tx.departure_ns != PACE_NO_FIGURE ? o->tx.departure_ns :
		    o->from_ns) / 1e9, length = (double)(o->to_ns - o->from_ns) / 1e9;
		double sent = (double)o->sent, lost = (double)o->lost;

		put_row(s, t, &m, (double[COLUMNS]){ from + length / 2,
		    pace_value_interval_bps(l, o) / 1e6, sent, lost,
		    sent > 0 ? 100 * lost / sent : NAN, known_us(o->rx.pdv.p50),
		    known_us(o->rx.pdv.p99), known_us(o->rx.pdv.max) });
		m.to = fmax(m.to, from + length);
	}
	put_axes(s, &m, seconds_of(l->started));
	snprintf(bins, sizeof(bins), "intervals of %s", pace_print(PACE_UNIT_USEC,
	    (double)(v->v[0].to_ns - v->v[0].from_ns), width, sizeof(width)));
	say_time(s, r, pace_words_stream(l, true, stream, sizeof(stream)), bins);
	pace_words_footer(s, r, "time since the first frame left");
}

static void
from_points(struct pace_figure *s, const struct pace_run *r, const struct pace_stream_point *which,
    struct pace_table *t)
{
	struct sums m = { .least_delay = INFINITY, .from = INFINITY, .to = -INFINITY };
	double start = INFINITY;
	char points[64], stream[80];

	for (size_t i = 0; i < r->n; i++)
		if (same(&r->point[i], which))
			start = fmin(start, seconds_of(r->point[i].started));
	for (size_t i = 0; i < r->n; i++) {
		const struct pace_stream_point *l = &r->point[i];
		const double at = seconds_of(l->started) - start, n = (double)l->tx.frames;
		const double lost = l->has_rx ? (double)l->rx.lost : NAN;

		if (!same(l, which) || isnan(at))
			continue;
		put_row(s, t, &m, (double[COLUMNS]){ at,
		    l->has_rx ? l->rx.user_rate_bps / 1e6 : NAN, n, lost,
		    n > 0 ? 100 * lost / n : NAN, pace_bins_quantile(&l->rx.pdv, 0.5) / 1e3,
		    pace_bins_quantile(&l->rx.pdv, 0.99) / 1e3,
		    pace_bins_max(&l->rx.pdv) / 1e3, l->verdict == PACE_DEGRADED });
		m.from = fmin(m.from, at);
		m.to = fmax(m.to, at);
	}
	put_axes(s, &m, start);
	snprintf(points, sizeof(points), "measured %zu times", m.rows);
	say_time(s, r, pace_words_stream(which, true, stream, sizeof(stream)), points);
}

static void
make_time(const struct pace_run *r, struct pace_figure *s)
{
	const struct pace_record_run *run = longest(r);
	const struct pace_stream_point *which, *parts = divided(r);
	struct pace_table *t = pace_figure_table(s, "time", "Over time", PACE_COLUMNS(columns));

	pace_figure_int(s, "POINTS", run == NULL && (parts == NULL ||
	    parts->intervals->n <= MARKED));
	if (run != NULL)
		from_records(s, r, run, t);
	else if (parts != NULL)
		from_intervals(s, r, parts, t);
	else if (most_repeated(r, &which) > 0)
		from_points(s, r, which, t);
}

const struct pace_fig pace_fig_time = {
	"P18", "time", "time.gp", "Over time", 900, 760,
	.marked = true,
	.wanted = wants_time, .make = make_time, .formula = "",
	.caption = "The run over time. The upper edge of the delay is the maximum of each "
	    "bin, not a mean, so a single late frame is visible.",
};
