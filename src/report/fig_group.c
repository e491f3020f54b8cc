/*
 * A group of senders that began together: rates, losses and begins; over time; the order in which
 * frames of different senders arrive.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc/intervals.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/loss_groups.h"
#include "report/value.h"

#define DETAILED	24	/* senders: up to here a row is high */
#define LABELS		60	/* rows with a name */
#define COLOURS		6

/* Number the senders: the tables of the page have the numbers. */
static void
put_names(struct pace_figure *s, const struct pace_group *g)
{
	const size_t every = (g->n + LABELS - 1) / LABELS;
	char (*label)[48] = calloc(g->n, sizeof(*label));

	for (size_t i = 0; i < g->n && label != NULL; i++)
		if (i % every == 0)	/* longer names are cut */
			snprintf(label[i], sizeof(label[i]), "%.16s %zu%s", g->member[i].name,
			    i + 1, g->member[i].point->verdict == PACE_DEGRADED ? " ○" : "");
	s->failed |= label == NULL;
	if (label != NULL)
		pace_figure_strings(s, "NAME", label[0], sizeof(label[0]), g->n);
	free(label);
	pace_figure_int(s, "N", (long)g->n);
}

static void
put_rows(struct pace_figure *s, const struct pace_group *g, int above, int below)
{
	const int px = g->n <= DETAILED ? 26 : 14;

	pace_figure_int(s, "ROW", px);
	s->height = above + px * (int)g->n + below;
}

/* --- rates, losses, begins ---------------------------------------------------------------- */

static const struct pace_table_column sender_columns[] = {
	{ "sender", "Sender", 0 },
	{ "sent_mbps", "Sent, wire (Mbit/s)", 6 }, { "received_mbps", "Received, wire (Mbit/s)", 6 },
	{ "sender_percent", "Lost: sender (%)", 5 }, { "network_percent", "network (%)", 5 },
	{ "nic_percent", "NIC, driver (%)", 5 }, { "softnet_percent", "softnet (%)", 5 },
	{ "filter_percent", "filter, checksum, late (%)", 5 },
	{ "socket_percent", "socket buffer (%)", 5 },
	{ "from", NULL, 0 },		/* sums of the shares, where the bars begin */
	{ "sum_1", NULL, 0 }, { "sum_2", NULL, 0 }, { "sum_3", NULL, 0 },
	{ "sum_4", NULL, 0 }, { "sum_5", NULL, 0 }, { "sum_6", NULL, 0 },
	{ "begin_us", "First frame after the begin (µs)", 5 },
	{ "begin_low_us", "at least (µs)", 5 }, { "begin_high_us", "at most (µs)", 5 },
	{ "degraded", "Degraded", 0 },
};
#define SENDER_COLUMNS	(sizeof(sender_columns) / sizeof(sender_columns[0]))
enum { SENT = 1, RECEIVED, SHARES, SUMS = SHARES + PACE_LOSS_GROUPS + 1,
    BEGIN = SUMS + PACE_LOSS_GROUPS, BEGIN_LOW, BEGIN_HIGH, GROUP_DEGRADED };

/* Ranges of the rows. */
struct group_range { double rate, loss, low, high; };

static void
put_sender(struct pace_figure *s, struct pace_table *t, const struct pace_group *g, size_t i,
    struct group_range *m)
{
	const struct pace_stream_point *l = g->member[i].point;
	const struct pace_begin *b = &l->begin;
	/* the rest of the bound is that of the clock estimate */
	const double clock = (double)b->error_max_ns - fabs((double)b->error_ns);
	double row[SENDER_COLUMNS] = { (double)i + 1 }, least[PACE_LOSS_GROUPS], sum = 0;

	row[SENT] = l->tx.wire_rate_bps > 0 ? l->tx.wire_rate_bps / 1e6 : NAN;
	row[RECEIVED] = l->has_rx ? l->rx.wire_rate_bps / 1e6 : NAN;
	m->rate = fmax(m->rate, fmax(row[SENT], row[RECEIVED]));
	m->loss = fmax(m->loss, pace_loss_groups_share(&l, 1, row + SHARES, least));
	for (int k = 0; k < PACE_LOSS_GROUPS; k++)
		row[SUMS + k] = sum += row[SHARES + k];
	row[BEGIN] = b->error_known ? (double)b->error_ns / 1e3 : NAN;
	row[BEGIN_LOW] = b->error_known ? ((double)b->error_ns - clock) / 1e3 : NAN;
	row[BEGIN_HIGH] = b->error_known ? ((double)b->error_ns + clock) / 1e3 : NAN;
	m->low = fmin(m->low, row[BEGIN_LOW]);
	m->high = fmax(m->high, row[BEGIN_HIGH]);
	row[GROUP_DEGRADED] = l->verdict == PACE_DEGRADED;
	pace_table_row(s, t, row);
}

static void
put_across(struct pace_figure *s, const char *name, double low, double high, int steps)
{
	const double span = high > low ? high - low : 1;

	pace_axis_even(s, name, "x", low, low + span * 1.06, pace_axis_step(span * 1.06, steps));
}

static void
make_senders(const struct pace_group *g, struct pace_figure *s)
{
	struct pace_table *t = pace_figure_table(s, "senders", "Senders", PACE_COLUMNS(sender_columns));
	struct group_range m = { 0 };
	struct pace_axis_unit time;

	for (size_t i = 0; i < g->n; i++)
		put_sender(s, t, g, i, &m);
	put_names(s, g);
	put_rows(s, g, 150, 100);
	s->rate = pace_axis_rate(m.rate * 1e6);
	put_across(s, "X", 0, m.rate * 1e6 / s->rate.one, 4);
	pace_figure_num(s, "RATE_ONE", s->rate.one / 1e6);
	pace_figure_text(s, "RATE_UNIT", s->rate.name);
	put_across(s, "LOSS", 0, m.loss > 0 ? m.loss : 1, 4);
	pace_figure_text(s, "LOSS_NOTE", m.loss > 0 ? "" : "no frame lost");
	pace_figure_texts(s, "PLACE", pace_loss_groups, PACE_LOSS_GROUPS);
	time = pace_axis_time(fmax(fabs(m.low), fabs(m.high)) * 1e3);
	m.low = m.low * 1e3 / time.one;
	m.high = m.high * 1e3 / time.one;
	put_across(s, "BEGIN", m.low - 0.06 * (m.high - m.low), m.high, 4);
	pace_figure_num(s, "TIME_ONE", time.one / 1e3);
	pace_figure_text(s, "TIME_UNIT", time.name);
}

/* --- over time ---------------------------------------------------------------------------------- */

static const struct pace_table_column time_columns[] = {
	{ "sender", "Sender", 0 }, { "t_s", "Time (s)", 6 },
	{ "received_mbps", "Received (Mbit/s)", 5 }, { "lost_percent", "Lost (%)", 4 },
};
static const struct pace_table_column total_columns[] = {
	{ "t_s", "Time (s)", 6 }, { "received_mbps", "Received (Mbit/s)", 5 },
};

/* Return the number of intervals that all members have, of one length; 0: they differ. */
static uint32_t
common_intervals(const struct pace_group *g)
{
	const struct pace_intervals *first = g->member[0].point->intervals;
	uint32_t n = first != NULL ? first->n : 0;

	for (size_t i = 1; i < g->n && n > 0; i++) {
		const struct pace_intervals *v = g->member[i].point->intervals;

		if (v == NULL || v->n == 0 || v->v[0].to_ns - v->v[0].from_ns !=
		    first->v[0].to_ns - first->v[0].from_ns)
			return 0;
		n = v->n < n ? v->n : n;
	}
	return n;
}

/* Time since the agreed begin. */
static double
middle_s(const struct pace_stream_point *l, uint32_t i)
{
	const struct pace_interval *o = &l->intervals->v[i];
	const int64_t from = o->tx.departure_ns != PACE_NO_FIGURE ? o->tx.departure_ns : o->from_ns;

	return ((double)from + (double)(o->to_ns - o->from_ns) / 2 +
	    (l->begin.error_known ? (double)l->begin.error_ns : 0)) / 1e9;
}

static void
put_intervals(struct pace_figure *s, struct pace_table *t, const struct pace_group *g, size_t i,
    struct group_range *m)
{
	const struct pace_stream_point *l = g->member[i].point;

	pace_table_break(s, t);
	if (l->intervals == NULL)
		pace_table_row(s, t, (double[]){ (double)i + 1, NAN, NAN, NAN });
	for (uint32_t k = 0; l->intervals != NULL && k < l->intervals->n; k++) {
		const struct pace_interval *o = &l->intervals->v[k];
		const double rate = pace_value_interval_bps(l, o) / 1e6;
		const double lost = o->sent > 0 ? 100 * (double)o->lost / (double)o->sent : NAN;

		pace_table_row(s, t, (double[]){ (double)i + 1, middle_s(l, k), rate, lost });
		m->rate = fmax(m->rate, rate);
		m->loss = fmax(m->loss, lost);
		m->high = fmax(m->high, middle_s(l, k) + (double)(o->to_ns - o->from_ns) / 2e9);
	}
}

static void
put_total(struct pace_figure *s, const struct pace_group *g, struct group_range *m)
{
	struct pace_table *t = pace_figure_table(s, "total", "All senders together",
	    PACE_COLUMNS(total_columns));
	const uint32_t n = common_intervals(g);

	for (uint32_t k = 0; k < n; k++) {
		double sum = 0, at = 0;

		for (size_t i = 0; i < g->n; i++) {
			const struct pace_stream_point *l = g->member[i].point;

			sum += pace_value_interval_bps(l, &l->intervals->v[k]) / 1e6;
			at += middle_s(l, k) / (double)g->n;
		}
		pace_table_row(s, t, (double[]){ at, sum });
		m->rate = fmax(m->rate, sum);
	}
	if (n == 0)
		pace_table_row(s, t, (double[]){ NAN, NAN });
}

static void
make_time(const struct pace_group *g, struct pace_figure *s)
{
	struct pace_table *t = pace_figure_table(s, "time", "Over time", PACE_COLUMNS(time_columns));
	struct group_range m = { 0 };

	for (size_t i = 0; i < g->n; i++)
		put_intervals(s, t, g, i, &m);
	put_total(s, g, &m);
	put_names(s, g);
	/* more senders than colours: only the one that lost most has one */
	pace_figure_int(s, "WORST", (long)g->worst + 1);
	pace_figure_int(s, "COLOURED", g->n <= COLOURS);
	s->rate = pace_axis_rate(m.rate * 1e6);
	pace_axis_put_rate(s, m.rate * 1e6, 5);
	pace_axis_from_zero(s, "LOSS", m.loss > 0 ? m.loss : 1, 4);
	pace_figure_text(s, "LOSS_NOTE", m.loss > 0 ? "" : "no frame lost");
	put_across(s, "X", 0, m.high, 10);
}

/* --- the order of arrivals ------------------------------------------------------------------------ */

#define ARRIVALS	(UINT64_C(4) << 20)	/* of all members, at most */
#define SHOWN		400		/* about as many arrivals are drawn */
#define RUNS		20		/* longer runs are in the last row */

static const struct pace_table_column arrival_columns[] = {
	{ "t_us", "Since the begin (µs)", 0 }, { "sender", "Sender", 0 },
};
static const struct pace_table_column run_columns[] = {
	{ "length", "Frames in a row of one sender", 0 }, { "runs", "Times", 0 },
	{ "random", "if the order were random", 4 },
};

struct group_arrival {
	double	ns;			/* since the agreed begin, receiver's clock */
	size_t	sender;
};

struct group_arrivals {
	struct group_arrival *v;
	size_t	n;
	double	from, to;		/* all senders with records have frames between */
};

static int
by_time(const void *a, const void *b)
{
	const struct group_arrival *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->sender < y->sender ? -1 : x->sender > y->sender;
}

/* Add the first arrivals of a member, and cut the common time to them. */
static void
read_arrivals(struct group_arrivals *a, const struct pace_group *g, size_t i)
{
	const struct pace_record_file *f = g->member[i].run->records;
	double first = INFINITY, last = -INFINITY, cut = INFINITY;

	for (size_t k = 0; f != NULL && k < f->n; k++) {
		const struct pace_record_run *r = &f->runs[k];
		const uint64_t most = ARRIVALS / g->n / f->n;
		double end = -INFINITY;

		if (r->point != g->member[i].point->index || r->lost_only || r->skip > 0)
			continue;
		for (uint64_t j = 0; j < r->n && j < most; j++) {
			struct pace_record rec;

			/* reading the file has checked the flags */
			(void)pace_record_read(r->columns, r->n, j, &rec);
			end = (double)rec.rx_ns - (double)g->begin_ns;
			a->v[a->n++] = (struct group_arrival){ end, i };
			first = fmin(first, end);
		}
		last = fmax(last, end);
		if (r->n > most)
			cut = fmin(cut, end);
	}
	last = fmin(last, cut);
	if (first <= last) {
		a->from = fmax(a->from, first);
		a->to = fmin(a->to, last);
	}
}

/* Count runs of frames of one sender, and how many there were if the order were random. */
static void
put_runs(struct pace_figure *s, const struct pace_group *g, const struct group_arrivals *a)
{
	struct pace_table *t = pace_figure_table(s, "runs", "Frames of one sender in a row",
	    PACE_COLUMNS(run_columns));
	double runs[RUNS + 1] = { 0 }, most = 1, all = 0;
	double *share = calloc(g->n, sizeof(*share));
	size_t length = 0, longest = 0;

	s->failed |= share == NULL;
	for (size_t i = 0, before = 0; share != NULL && i <= a->n; i++) {
		if (i < a->n && (a->v[i].ns < a->from || a->v[i].ns > a->to))
			continue;
		if (length > 0 && (i == a->n || a->v[i].sender != before)) {
			runs[length < RUNS ? length : RUNS]++;
			longest = length > longest ? length : longest;
			length = 0;
		}
		if (i == a->n)
			break;
		before = a->v[i].sender;
		share[before]++;
		length++;
		all++;
	}
	for (int k = 1; share != NULL && k <= RUNS; k++) {
		double random = 0;

		for (size_t i = 0; i < g->n; i++) {
			const double p = share[i] / all;

			random += all * (1 - p) * pow(p, k) * (k < RUNS ? 1 - p : 1);
		}
		pace_table_row(s, t, (double[]){ k, runs[k], random });
		most = fmax(most, fmax(runs[k], random));
	}
	pace_axis_decades(s, "RUNS", "y", 0.5, most);
	pace_figure_int(s, "RUNS_MOST", RUNS);
	pace_figure_int(s, "LONGEST", (long)longest);
	free(share);
}

static void
put_arrivals(struct pace_figure *s, const struct group_arrivals *a)
{
	struct pace_table *t = pace_figure_table(s, "arrivals", NULL, PACE_COLUMNS(arrival_columns));
	struct pace_axis_unit unit;
	double from = NAN, to = NAN;

	for (size_t i = 0, n = 0; i < a->n && n < SHOWN; i++) {
		if (a->v[i].ns < a->from || a->v[i].ns > a->to)
			continue;
		if (n++ == 0)
			from = a->v[i].ns;
		to = a->v[i].ns;
		pace_table_row(s, t, (double[]){ to / 1e3, (double)a->v[i].sender + 1 });
	}
	if (isnan(from)) {
		from = to = 0;
		pace_table_row(s, t, (double[]){ NAN, NAN });
	}
	unit = pace_axis_time(fmax(fabs(from), fabs(to)));
	pace_axis_even(s, "T", "x", from / unit.one, (from < to ? to : from + unit.one) / unit.one,
	    pace_axis_step(from < to ? (to - from) / unit.one : 1, 8));
	pace_figure_num(s, "TIME_ONE", unit.one / 1e3);
	pace_figure_text(s, "TIME_UNIT", unit.name);
}

static void
make_arrivals(const struct pace_group *g, struct pace_figure *s)
{
	struct group_arrivals a = { .from = -INFINITY, .to = INFINITY };

	a.v = calloc(ARRIVALS, sizeof(*a.v));
	if (a.v == NULL) {
		s->failed = true;
		return;
	}
	for (size_t i = 0; i < g->n; i++)
		read_arrivals(&a, g, i);
	qsort(a.v, a.n, sizeof(*a.v), by_time);
	put_arrivals(s, &a);
	put_runs(s, g, &a);
	put_names(s, g);
	put_rows(s, g, 330, 90);
	free(a.v);
}

#define FIG(file, body, words, px) \
	"G", file, body, words, 900, px, .formula = ""

static const struct pace_fig senders = { FIG("group", "group.gp", "Senders of a group", 500),
	.make_group = make_senders,
	.caption = "Each row is a sender. Left: the rate that it sent, and that arrived. Middle: where "
	    "its frames were lost, of those to be sent. Right: when its first frame left after the "
	    "agreed begin; the true time is within the bar, which is the bound of the clock "
	    "estimate. ○: the sender did not keep its schedule.",
};
static const struct pace_fig over_time = { FIG("group-time", "group-time.gp",
	"Senders of a group over time", 560), .make_group = make_time,
	.has_group = pace_group_has_intervals,
	.caption = "Rate of data that arrived from each sender, and its loss, since the agreed "
	    "begin.",
};
static const struct pace_fig arrivals = { FIG("group-arrivals", "group-arrivals.gp",
	"Order of arrivals of a group", 560), .make_group = make_arrivals,
	.has_group = pace_group_has_records,
	.caption = "Above: the first arrivals from the time at which all senders have frames, by "
	    "the receiver's clock. Below: how many frames of one sender arrived in a row; if bars "
	    "are far beyond the line, the senders or the network send in bursts.",
};

const struct pace_fig *const pace_figs_of_group[] = { &senders, &over_time, &arrivals, NULL };
