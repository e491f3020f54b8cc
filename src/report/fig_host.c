/*
 * The hosts: core time (P5), loss locations (P19), counters of interfaces (P20).
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "report/axis.h"
#include "report/fig.h"
#include "report/loss_groups.h"
#include "report/words.h"

#define LABELS_WIDE	16	/* labels that fit below a panel as wide as the page */

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
	{ "sender_user_percent", "user (%)", 3 }, { "degraded", "Degraded", 0 },
	{ "streams", "Streams", 0 }, { "dscp", "DSCP", 0 },
};
#define LOAD_COLUMNS	(sizeof(load_columns) / sizeof(load_columns[0]))
/* Columns from the fourth on, in this order. */
static const enum pace_value loads[] = { PACE_RX_SOFTIRQ, PACE_RX_SYSTEM, PACE_RX_USER,
    PACE_TX_SOFTIRQ, PACE_TX_SYSTEM, PACE_TX_USER };
#define LOADS		(sizeof(loads) / sizeof(loads[0]))

static void
put_load(struct pace_figure *s, struct pace_table *t, const struct pace_sweep_view *v,
    const struct pace_line *l)
{
	pace_table_break(s, t);
	for (size_t i = 0; i < l->n; i++) {
		const struct pace_sweep_cell *c = &l->cell[i];
		double row[LOAD_COLUMNS] = { (double)pace_sweep_view_index(v, c->spacing_ns),
		    l->size_bytes, c->spacing_ns / 1e3 };

		for (size_t k = 0; k < LOADS; k++)
			row[3 + k] = pace_sweep_cell_spread(c, loads[k]).mid;
		row[3 + LOADS] = c->degraded;
		row[4 + LOADS] = l->streams;
		row[5 + LOADS] = pace_line_dscp(l);
		pace_table_row(s, t, row);
	}
}

static bool
has_load(const struct pace_line *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (pace_sweep_cell_spread(&l->cell[i], PACE_RX_USER).n > 0 ||
		    pace_sweep_cell_spread(&l->cell[i], PACE_TX_USER).n > 0)
			return true;
	return false;
}

/* Panels show the smallest and the largest size; the table has all sizes. */
static void
make_cpu(const struct pace_run *r, const struct pace_sweep_view *v, struct pace_figure *s)
{
	struct pace_table *t = pace_figure_table(s, "load", "Core time of all points",
	    load_columns, pace_sweep_columns(&v->w, LOAD_COLUMNS));
	const struct pace_line *line = v->w.line;
	size_t first = 0, last = v->w.n - 1;

	if (v->w.n > 2)
		pace_words_subtitle(s, r, v->w.mixed ? "first and last line" :
		    "smallest and largest size");
	put_index(s, v, v->w.n > 1 ? LABELS_WIDE / 2 : LABELS_WIDE);
	while (first < last && !has_load(&line[first]))
		first++;
	while (last > first && !has_load(&line[last]))
		last--;
	put_load(s, t, v, &line[first]);
	if (last > first)
		put_load(s, t, v, &line[last]);
	for (size_t i = 0; i < v->w.n; i++)
		if (i != first && i != last)
			put_load(s, t, v, &line[i]);
	pace_figure_texts(s, "NAME", (const char *const[]){ line[first].label, line[last].label },
	    last > first ? 2 : 1);
	pace_figure_int(s, "PANELS", last > first ? 2 : 1);
}

const struct pace_fig pace_fig_cpu = {
	"P5", "cpu", "cpu.gp", "Core time against spacing", 900, 616, .of_sweep = true,
	.marked = true,
	.wanted = pace_value_has_cores, .make_view = make_cpu,
	.formula = "busy time of the core / time from the first to the last departure",
	.caption = "Core time of the busiest core of each host. The kernel counts it in "
	    "ticks, and also while the responder waits for late frames: a stream shorter than "
	    "a tenth of that time has no bar.",
};

/* --- where frames were lost ------------------------------------------------------------------ */

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
	{ "from", NULL, 0 },		/* sums of the shares, where the bars begin */
	{ "sum_1", NULL, 0 }, { "sum_2", NULL, 0 }, { "sum_3", NULL, 0 },
	{ "sum_4", NULL, 0 }, { "sum_5", NULL, 0 }, { "sum_6", NULL, 0 },
	{ "sender_least_percent", "at least: sender (%)", 5 },
	{ "network_least_percent", "network (%)", 5 },
	{ "nic_least_percent", "NIC, driver (%)", 5 },
	{ "softnet_least_percent", "softnet (%)", 5 },
	{ "filter_least_percent", "filter, checksum, late (%)", 5 },
	{ "socket_least_percent", "socket buffer (%)", 5 }, { "degraded", "Degraded", 0 },
};
#define WHERE_COLUMNS	(sizeof(where_columns) / sizeof(where_columns[0]))
#define SHARES_AT	3
#define SUMS_AT		10
#define LEAST_AT	16

/* Highest loss of a line's points, per cent. */
static double
worst(const struct pace_line *l)
{
	double most = 0;

	for (size_t i = 0; i < l->n; i++)
		most = fmax(most, pace_loss_groups_share(l->cell[i].point, l->cell[i].n,
		    (double[PACE_LOSS_GROUPS]){ 0 }, (double[PACE_LOSS_GROUPS]){ 0 }));
	return most;
}

#define BARS_MAX	3	/* number of panels */

/* The lines with the most loss, in their usual order. */
static size_t
choose(const struct pace_sweep_view *v, size_t at[BARS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < v->w.n; i++) {
		const double loss = worst(&v->w.line[i]);
		size_t least = 0;

		if (!(loss > 0))
			continue;
		if (n < BARS_MAX) {
			at[n++] = i;
			continue;
		}
		for (size_t k = 1; k < n; k++)
			if (worst(&v->w.line[at[k]]) < worst(&v->w.line[at[least]]))
				least = k;
		if (loss <= worst(&v->w.line[at[least]]))
			continue;
		memmove(at + least, at + least + 1, (n - least - 1) * sizeof(*at));
		at[n - 1] = i;
	}
	return n;
}

static void
make_where(const struct pace_run *r, const struct pace_sweep_view *v, struct pace_figure *s)
{
	struct pace_table *t = pace_figure_table(s, "where", "Where frames were lost, of the "
	    "frames that were to be sent", PACE_COLUMNS(where_columns));
	size_t at[BARS_MAX], n = choose(v, at);
	const char *name[BARS_MAX];
	char axis[16], what[64];

	if (v->w.n > BARS_MAX) {
		snprintf(what, sizeof(what), "the %s with the most loss", pace_words_lines(r));
		pace_words_subtitle(s, r, what);
	}
	put_index(s, v, LABELS_WIDE);
	pace_figure_texts(s, "PLACE", pace_loss_groups, PACE_LOSS_GROUPS);
	for (size_t i = 0; i < n; i++) {
		const struct pace_line *l = &v->w.line[at[i]];
		const double most = worst(l);

		pace_table_break(s, t);
		for (size_t j = 0; j < l->n; j++) {
			const struct pace_sweep_cell *c = &l->cell[j];
			double row[WHERE_COLUMNS] = {
			    (double)pace_sweep_view_index(v, c->spacing_ns),
			    l->size_bytes, c->spacing_ns / 1e3 };
			double sum = 0;

			pace_loss_groups_share(c->point, c->n, row + SHARES_AT, row + LEAST_AT);
			row[SUMS_AT - 1] = isnan(row[SHARES_AT]) ? NAN : 0;
			for (int k = 0; k < PACE_LOSS_GROUPS; k++)
				row[SUMS_AT + k] = sum += row[SHARES_AT + k];
			row[WHERE_COLUMNS - 1] = c->degraded;
			pace_table_row(s, t, row);
		}
		snprintf(axis, sizeof(axis), "Y%zu", i + 1);
		pace_axis_from_zero(s, axis, most, 4);
		name[i] = l->label;
	}
	pace_figure_texts(s, "NAME", name, n);
	pace_figure_int(s, "PANELS", (long)n);
	s->height = 80 + 24 + 186 * (int)n - 46 + 90;
}

static bool
has_losses(const struct pace_stream_point *l)
{
	return l->rx.lost > 0 || l->ledger.tx_refused > 0;
}

const struct pace_fig pace_fig_where = {
	"P19", "where", "where.gp", "Where frames were lost", 900, 640, .of_sweep = true,
	.marked = true,
	.has = has_losses, .make_view = make_where,
	.formula = "of the frames that were to be sent",
	.caption = "Location of each lost frame. Full colour: the least number that a counter "
	    "proves. Pale: the likely location, because a counter of the host also counts "
	    "other traffic. Sender: refused by send(), dropped in its queue or its driver. "
	    "Filter, checksum: includes frames too late to tell from duplicates. Network: "
	    "frames that no counter claims.",
};

/* --- counters --------------------------------------------------------------------------------- */

static const struct counter {
	const char *name, *what;
	enum pace_value value;
} counters[] = {
	{ "receiver: interrupts of all cores", "Interrupts", PACE_RX_INTERRUPTS },
	{ "receiver: times a core gave up with frames left (squeezed)", "Times", PACE_RX_SQUEEZED },
	{ "receiver: dropped, overrun, corrupted in the NIC", "Frames", PACE_RX_NIC_DROPS },
	{ "pause frames and times, as the drivers count them", "Counts", PACE_PAUSES },
	{ "sender: interrupts of all cores", "Interrupts", PACE_TX_INTERRUPTS },
};
#define COUNTERS	(sizeof(counters) / sizeof(counters[0]))

static const struct pace_table_column counter_columns[] = {
	{ "size_bytes", "Payload (B)", 0 },
	{ "spacing_us", "Spacing (µs)", 6 },
	{ "x", NULL, 0 },
	{ "degraded", "Degraded", 0 },
	{ "a", "a (1/s)", 6 }, { "b", "b (1/s)", 6 }, { "c", "c (1/s)", 6 },
	{ "d", "d (1/s)", 6 }, { "e", "e (1/s)", 6 },
};

static void
make_counters(const struct pace_run *r, const struct pace_sweep_view *v, struct pace_figure *s)
{
	enum pace_value shown[COUNTERS];
	const char *name[COUNTERS];
	char axis[COUNTERS][40], ticks[16];
	double one[COUNTERS];
	struct pace_table *t;
	size_t n = 0;

	pace_view_lines(s, v);
	for (size_t i = 0; i < COUNTERS; i++) {
		const double most = pace_value_largest(r, counters[i].value);

		if (!(most > 0))
			continue;
		snprintf(axis[n], sizeof(axis[n]), "%s (%s)", counters[i].what,
		    pace_axis_frames(most).name);
		one[n] = pace_axis_frames(most).one;
		snprintf(ticks, sizeof(ticks), "Y%zu", n + 1);
		pace_axis_from_zero(s, ticks, most / one[n], 4);
		name[n] = counters[i].name;
		shown[n++] = counters[i].value;
	}
	pace_figure_int(s, "PANELS", (long)n);
	pace_figure_texts(s, "NAME", name, n);
	pace_figure_strings(s, "AXIS", axis[0], sizeof(axis[0]), n);
	pace_figure_nums(s, "ONE", one, n);
	t = pace_figure_table(s, "counts", "Counters, in the order of the panels",
	    counter_columns, 4 + n);
	for (size_t i = 0; i < v->w.n; i++) {
		const struct pace_line *l = &v->w.line[i];

		pace_table_break(s, t);
		for (size_t j = 0; j < l->n; j++) {
			double row[4 + COUNTERS] = { l->size_bytes, l->cell[j].spacing_ns / 1e3,
			    pace_sweep_view_place(v, l->cell[j].spacing_ns), l->cell[j].degraded };

			for (size_t m = 0; m < n; m++)
				row[4 + m] = pace_sweep_cell_spread(&l->cell[j], shown[m]).mid;
			pace_table_row(s, t, row);
		}
	}
	s->height = 80 + 24 + 176 * (int)n - 46 + 90;
}

static bool
has_counters(const struct pace_run *r)
{
	for (size_t i = 0; i < COUNTERS; i++)
		if (pace_value_largest(r, counters[i].value) > 0)
			return true;
	return false;
}

const struct pace_fig pace_fig_counters = {
	"P20", "counters", "counters.gp", "Counters of hosts and interfaces", 900, 640,
	.marked = true,
	.of_sweep = true,
	.wanted = has_counters, .make_view = make_counters,
	.formula = "counts / time from the first to the last departure",
	.caption = "Counters of the hosts, for all traffic. Interrupts show how the NIC "
	    "coalesces; pause frames show that a receiver or switch held the sender back. The "
	    "hosts also count while the responder waits for late frames: interrupts of a "
	    "stream shorter than a tenth of that time are left out.",
};
