/*
 * The hosts: P5 core time, P19 where frames were lost, P20 what interfaces counted.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/fig.h"
#include "report/load.h"
#include "report/sweep_view.h"
#include "report/words.h"

#define LABELS_WIDE	16	/* that fit below a panel of the page's width */

static void
put_index(struct pace_figure *s, const struct pace_sweep_view *v, size_t labels)
{
	pace_figure_int(s, "COLUMNS", (long)v->w.spacings);
	pace_sweep_view_index_ticks(s, v, labels);
	pace_figure_text(s, "X_UNIT", v->time.name);
}

/* --- core time -------------------------------------------------------------------------- */

static const struct pace_table_column load_columns[] = {
	{ "place", NULL, 0 },
	{ "size_bytes", "Payload (B)", 0 },
	{ "spacing_us", "Spacing (µs)", 6 },
	{ "receiver_softirq_percent", "Receiver softirq (%)", 3 },
	{ "receiver_system_percent", "system (%)", 3 },
	{ "receiver_user_percent", "user (%)", 3 },
	{ "sender_softirq_percent", "Sender softirq (%)", 3 },
	{ "sender_system_percent", "system (%)", 3 },
	{ "sender_user_percent", "user (%)", 3 },
};
#define LOAD_COLUMNS	(sizeof(load_columns) / sizeof(load_columns[0]))

#define PART(name, side, part) \
	static double \
	name(const struct pace_stream_point *l) \
	{ \
		return pace_load_part(&l->side, part); \
	}
PART(their_softirq, theirs, PACE_LOAD_SOFTIRQ)
PART(their_system, theirs, PACE_LOAD_SYSTEM)
PART(their_user, theirs, PACE_LOAD_USER)
PART(our_softirq, ours, PACE_LOAD_SOFTIRQ)
PART(our_system, ours, PACE_LOAD_SYSTEM)
PART(our_user, ours, PACE_LOAD_USER)

static void
put_load(struct pace_figure *s, struct pace_table *t, const struct pace_sweep_view *v,
    const struct pace_line *l)
{
	pace_table_break(s, t);
	for (size_t i = 0; i < l->n; i++) {
		const struct pace_sweep_cell *c = &l->cell[i];

		pace_table_row(s, t, (double[LOAD_COLUMNS]){
		    (double)pace_sweep_view_index(v, c->spacing_ns), l->size_bytes, c->spacing_ns / 1e3,
		    pace_sweep_cell_spread(c, their_softirq).mid,
		    pace_sweep_cell_spread(c, their_system).mid, pace_sweep_cell_spread(c, their_user).mid,
		    pace_sweep_cell_spread(c, our_softirq).mid, pace_sweep_cell_spread(c, our_system).mid,
		    pace_sweep_cell_spread(c, our_user).mid });
	}
}

static bool
line_has_load(const struct pace_line *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (pace_sweep_cell_spread(&l->cell[i], their_user).n > 0 ||
		    pace_sweep_cell_spread(&l->cell[i], our_user).n > 0)
			return true;
	return false;
}

/* The smallest and the largest size; the rest is in the table. */
static void
put_loads(struct pace_figure *s, const struct pace_sweep_view *v)
{
	struct pace_table *t = pace_figure_table(s, "load", "Core time of all points",
	    load_columns, LOAD_COLUMNS);
	const char *name[2];
	size_t first = 0, last = v->w.n - 1;

	while (first < last && !line_has_load(&v->w.line[first]))
		first++;
	while (last > first && !line_has_load(&v->w.line[last]))
		last--;
	name[0] = v->w.line[first].label;
	name[1] = v->w.line[last].label;
	put_load(s, t, v, &v->w.line[first]);
	if (last > first)
		put_load(s, t, v, &v->w.line[last]);
	for (size_t i = 0; i < v->w.n; i++)
		if (i != first && i != last)
			put_load(s, t, v, &v->w.line[i]);
	pace_figure_texts(s, "NAME", name, last > first ? 2 : 1);
	pace_figure_int(s, "PANELS", last > first ? 2 : 1);
}

static void
make_cpu(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct pace_sweep_view v;

	(void)b;
	if (!pace_sweep_view_make(&v, r, s))
		return;
	pace_words_subtitle(s, r, v.w.n > 2 ? "smallest and largest size" : "");
	pace_words_footer(s, r, "counted from before the first frame to the end of the wait for "
	    "late ones");
	pace_figure_say(s, &s->caption, "Time of the core of each host that was idle least. The kernel "
	    "counts it in ticks, and over the whole point with its wait for late frames: of a short "
	    "stream the core was busier while it ran than the bars say.");
	put_index(s, &v, v.w.n > 1 ? LABELS_WIDE / 2 : LABELS_WIDE);
	put_loads(s, &v);
	pace_sweep_view_free(&v);
}

static bool
has_load(const struct pace_report_data *b, const struct pace_run *r)
{
	(void)b;
	for (size_t i = 0; i < r->n; i++)
		if (r->point[i].ours.has_busiest || r->point[i].theirs.has_busiest)
			return true;
	return false;
}

const struct pace_fig pace_fig_cpu = {
	"P5", "cpu", "cpu.gp", "Core time against spacing", 900, 616, has_load, make_cpu,
};

/* --- where frames were lost ------------------------------------------------------------------ */

#define GROUPS	6

/* What a reader does something about, in the order of the way. */
static const char *const groups[GROUPS] = { "sender", "network", "NIC, driver", "softnet",
    "filter, checksum", "socket buffer" };

static int
group_of(enum pace_place p)
{
	switch (p) {
	case PACE_TX_QDISC:
	case PACE_TX_NIC:	return 0;
	case PACE_NETWORK:	return 1;
	case PACE_RX_NIC:	return 2;
	case PACE_RX_SOFTNET:	return 3;
	case PACE_RX_SOCKET:	return 5;
	default:		return 4;
	}
}

static const struct pace_table_column where_columns[] = {
	{ "place", NULL, 0 },
	{ "size_bytes", "Payload (B)", 0 },
	{ "spacing_us", "Spacing (µs)", 6 },
	{ "sender_percent", "Sender (%)", 5 },
	{ "network_percent", "Network (%)", 5 },
	{ "nic_percent", "NIC, driver (%)", 5 },
	{ "softnet_percent", "Softnet (%)", 5 },
	{ "filter_percent", "Filter, checksum, late (%)", 5 },
	{ "socket_percent", "Socket buffer (%)", 5 },
	{ "from", NULL, 0 },		/* sums of the shares, for the bars */
	{ "sum_1", NULL, 0 }, { "sum_2", NULL, 0 }, { "sum_3", NULL, 0 },
	{ "sum_4", NULL, 0 }, { "sum_5", NULL, 0 }, { "sum_6", NULL, 0 },
};
#define WHERE_COLUMNS	(sizeof(where_columns) / sizeof(where_columns[0]))
#define SHARES_AT	3
#define SUMS_AT		10

/* Of the frames that were to be sent, over all repetitions. */
static bool
add_shares(const struct pace_sweep_cell *c, double share[GROUPS])
{
	double asked = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct pace_ledger *l = &c->point[i]->ledger;

		if (!c->point[i]->has_rx)
			continue;
		asked += (double)l->asked;
		share[0] += (double)l->tx_refused;
		for (int p = 0; p < PACE_PLACES; p++)
			share[group_of((enum pace_place)p)] += (double)l->place[p].n;
	}
	for (int k = 0; k < GROUPS; k++)
		share[k] = asked > 0 ? 100 * share[k] / asked : NAN;
	return asked > 0;
}

static double
put_bar(struct pace_figure *s, struct pace_table *t, const struct pace_sweep_view *v,
    const struct pace_line *l, const struct pace_sweep_cell *c)
{
	double row[WHERE_COLUMNS] = { (double)pace_sweep_view_index(v, c->spacing_ns), l->size_bytes,
	    c->spacing_ns / 1e3 };
	double sum = 0;

	add_shares(c, row + SHARES_AT);
	row[SUMS_AT - 1] = isnan(row[SHARES_AT]) ? NAN : 0;
	for (int k = 0; k < GROUPS; k++)
		row[SUMS_AT + k] = sum += row[SHARES_AT + k];
	pace_table_row(s, t, row);
	return isnan(sum) ? 0 : sum;
}

/* The worst point of a line, per cent. */
static double
worst(const struct pace_line *l)
{
	double most = 0;

	for (size_t i = 0; i < l->n; i++) {
		double share[GROUPS] = { 0 }, sum = 0;

		if (!add_shares(&l->cell[i], share))
			continue;
		for (int k = 0; k < GROUPS; k++)
			sum += share[k];
		most = fmax(most, sum);
	}
	return most;
}

#define BARS_MAX	3	/* panels */

/* The lines with the most loss, in their own order. */
static size_t
choose(const struct pace_sweep_view *v, size_t at[BARS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < v->w.n; i++) {
		size_t least = 0;

		if (!(worst(&v->w.line[i]) > 0))
			continue;
		if (n < BARS_MAX) {
			at[n++] = i;
			continue;
		}
		for (size_t k = 1; k < n; k++)
			if (worst(&v->w.line[at[k]]) < worst(&v->w.line[at[least]]))
				least = k;
		if (worst(&v->w.line[i]) <= worst(&v->w.line[at[least]]))
			continue;
		memmove(at + least, at + least + 1, (n - least - 1) * sizeof(*at));
		at[n - 1] = i;
	}
	return n;
}

static void
put_bars(struct pace_figure *s, const struct pace_sweep_view *v)
{
	struct pace_table *t = pace_figure_table(s, "where", "Where frames were lost, of the frames "
	    "that were to be sent", where_columns, WHERE_COLUMNS);
	size_t at[BARS_MAX], n = choose(v, at);
	double high[BARS_MAX], step[BARS_MAX];
	const char *name[BARS_MAX];

	for (size_t i = 0; i < n; i++) {
		const struct pace_line *l = &v->w.line[at[i]];
		double most = 0;

		pace_table_break(s, t);
		for (size_t k = 0; k < l->n; k++)
			most = fmax(most, put_bar(s, t, v, l, &l->cell[k]));
		high[i] = most * 1.08;
		step[i] = pace_axis_step(most, 4);
		name[i] = l->label;
	}
	pace_figure_nums(s, "HIGH", high, n);
	pace_figure_nums(s, "STEP", step, n);
	pace_figure_texts(s, "NAME", name, n);
	pace_figure_int(s, "PANELS", (long)n);
	s->height = 80 + 24 + 186 * (int)n - 46 + 90;
}

static void
make_where(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct pace_sweep_view v;

	(void)b;
	if (!pace_sweep_view_make(&v, r, s))
		return;
	pace_words_subtitle(s, r, v.w.n > BARS_MAX ? "the sizes with the most loss" : "");
	pace_words_footer(s, r, "of the frames that were to be sent");
	pace_figure_say(s, &s->caption, "Each lost frame at the place that claims it; where a host counts all its traffic that "
	    "is known within bounds only, which the ledger of the result has. Sender: refused by "
	    "send(), dropped in its queue or its driver. Filter, checksum: also what came so late that "
	    "it may have been a copy. Network: what no counter claims.");
	put_index(s, &v, LABELS_WIDE);
	pace_figure_texts(s, "PLACE", groups, GROUPS);
	put_bars(s, &v);
	pace_sweep_view_free(&v);
}

static bool
has_losses(const struct pace_report_data *b, const struct pace_run *r)
{
	(void)b;
	for (size_t i = 0; i < r->n; i++)
		if (r->point[i].has_rx &&
		    (r->point[i].rx.lost > 0 || r->point[i].ledger.tx_refused > 0))
			return true;
	return false;
}

const struct pace_fig pace_fig_where = {
	"P19", "where", "where.gp", "Where frames were lost", 900, 640, has_losses, make_where,
};

/* --- counters ------------------------------------------------------------------------------------ */

static double
per_second(const struct pace_host_load *l, bool known, uint64_t n)
{
	return l->c.known && known && l->c.at_ns > 0 ? (double)n * 1e9 / (double)l->c.at_ns : NAN;
}

static double
core_count(const struct pace_host_load *l, enum pace_core_count k)
{
	return per_second(l, l->c.has_core[k], l->c.all.n[k]);
}

static double
interface_count(const struct pace_host_load *l, const enum pace_if_count *k, size_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < l->c.interfaces; i++)
		for (size_t j = 0; j < n && l->c.interface[i].route; j++)
			sum += l->c.interface[i].n[k[j]];
	return per_second(l, l->c.interfaces > 0, sum);
}

static double
pauses(const struct pace_host_load *l)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < l->c.stats; i++)
		if (strstr(l->c.stat[i].name, "pause") != NULL)
			sum += l->c.stat[i].n;
	return per_second(l, l->c.interfaces > 0, sum);
}

static double
their_interrupts(const struct pace_stream_point *l)
{
	return core_count(&l->theirs, PACE_CORE_INTERRUPTS);
}

static double
our_interrupts(const struct pace_stream_point *l)
{
	return core_count(&l->ours, PACE_CORE_INTERRUPTS);
}

static double
their_squeezed(const struct pace_stream_point *l)
{
	return core_count(&l->theirs, PACE_CORE_SOFTNET_SQUEEZED);
}

static double
their_nic(const struct pace_stream_point *l)
{
	static const enum pace_if_count k[] = { PACE_IF_RX_DROPPED, PACE_IF_RX_FIFO,
	    PACE_IF_RX_ERRORS };

	return interface_count(&l->theirs, k, 3);
}

static double
all_pauses(const struct pace_stream_point *l)
{
	double ours = pauses(&l->ours), theirs = pauses(&l->theirs);

	return isnan(ours) ? theirs : isnan(theirs) ? ours : ours + theirs;
}

#define COUNTERS	5

static const struct counter {
	const char *name, *unit;
	double	(*get)(const struct pace_stream_point *l);
} counters[COUNTERS] = {
	{ "receiver: interrupts of all cores", "1/s", their_interrupts },
	{ "receiver: times a core gave up with frames left (squeezed)", "1/s", their_squeezed },
	{ "receiver: dropped, overrun, damaged in the NIC", "Frames/s", their_nic },
	{ "pause frames and times, as the drivers count them", "1/s", all_pauses },
	{ "sender: interrupts of all cores", "1/s", our_interrupts },
};

static const struct pace_table_column counter_columns[] = {
	{ "size_bytes", "Payload (B)", 0 },
	{ "spacing_us", "Spacing (µs)", 6 },
	{ "x", NULL, 0 },
	{ "a", "a (1/s)", 6 }, { "b", "b (1/s)", 6 }, { "c", "c (1/s)", 6 },
	{ "d", "d (1/s)", 6 }, { "e", "e (1/s)", 6 },
};

/* Of a run: its largest value; 0: nothing to show. */
static double
largest(const struct pace_run *r, const struct counter *k)
{
	double most = 0;

	for (size_t i = 0; i < r->n; i++)
		most = fmax(most, k->get(&r->point[i]));	/* NAN is passed over */
	return most;
}

static void
put_counts(struct pace_figure *s, const struct pace_sweep_view *v, const struct counter *const *k,
    size_t n)
{
	struct pace_table *t = pace_figure_table(s, "counts", "Counters, in the order of the panels",
	    counter_columns, 3 + n);

	for (size_t i = 0; i < v->w.n; i++) {
		const struct pace_line *l = &v->w.line[i];

		pace_table_break(s, t);
		for (size_t j = 0; j < l->n; j++) {
			double row[3 + COUNTERS] = { l->size_bytes, l->cell[j].spacing_ns / 1e3,
			    pace_sweep_view_place(v, l->cell[j].spacing_ns) };

			for (size_t m = 0; m < n; m++)
				row[3 + m] = pace_sweep_cell_spread(&l->cell[j], k[m]->get).mid;
			pace_table_row(s, t, row);
		}
	}
}

static void
put_panels(struct pace_figure *s, const struct pace_run *r, const struct pace_sweep_view *v)
{
	const struct counter *shown[COUNTERS];
	const char *name[COUNTERS], *unit[COUNTERS];
	char text[COUNTERS][40];
	double high[COUNTERS], step[COUNTERS], one[COUNTERS];
	size_t n = 0;

	for (size_t i = 0; i < COUNTERS; i++) {
		const double most = largest(r, &counters[i]);

		if (!(most > 0))
			continue;
		one[n] = most >= 2e6 ? 1e6 : most >= 2e3 ? 1e3 : 1;
		snprintf(text[n], sizeof(text[n]), "%s%s", one[n] > 1e3 ? "Million " : one[n] > 1 ?
		    "Thousand " : "", counters[i].unit);
		high[n] = most / one[n] * 1.08;
		step[n] = pace_axis_step(high[n], 4);
		name[n] = counters[i].name;
		unit[n] = text[n];
		shown[n++] = &counters[i];
	}
	pace_figure_int(s, "PANELS", (long)n);
	pace_figure_texts(s, "NAME", name, n);
	pace_figure_texts(s, "UNIT", unit, n);
	pace_figure_nums(s, "HIGH", high, n);
	pace_figure_nums(s, "STEP", step, n);
	pace_figure_nums(s, "ONE", one, n);
	put_counts(s, v, shown, n);
	s->height = 80 + 24 + 176 * (int)n - 46 + 90;
}

static void
make_counters(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct pace_sweep_view v;

	(void)b;
	if (!pace_sweep_view_make(&v, r, s))
		return;
	pace_words_subtitle(s, r, "");
	pace_words_footer(s, r, "per second of the point, wait for late frames included");
	pace_figure_say(s, &s->caption, "What the hosts counted meanwhile, of all traffic: interrupts "
	    "tell how the NIC coalesces, pause frames that a receiver or switch held the sender back.");
	pace_view_lines(s, &v);
	put_panels(s, r, &v);
	pace_sweep_view_free(&v);
}

static bool
has_counters(const struct pace_report_data *b, const struct pace_run *r)
{
	(void)b;
	for (size_t i = 0; i < COUNTERS; i++)
		if (largest(r, &counters[i]) > 0)
			return true;
	return false;
}

const struct pace_fig pace_fig_counters = {
	"P20", "counters", "counters.gp", "What hosts and interfaces counted", 900, 640,
	has_counters, make_counters,
};
