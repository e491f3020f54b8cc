/* TCP over time (P25): goodput, congestion window, round trip and retransmissions. */
#include "config.h"

#include <math.h>

#include "core/units.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/words.h"

#define COLOURED	6	/* connections that have a colour of their own */

static const struct pace_table_column rate_columns[] = {
	{ "stream", "Connection", 0 }, { "t_s", "Time (s)", 6 },
	{ "goodput_mbps", "Goodput (Mbit/s)", 6 },
};
static const struct pace_table_column state_columns[] = {
	{ "stream", "Connection", 0 }, { "t_s", "Time (s)", 6 },
	{ "cwnd_kb", "Congestion window (kB)", 5 }, { "window_kb", "Receive window (kB)", 5 },
	{ "rtt_ms", "Round trip (ms)", 5 }, { "again", "Segments sent again", 0 },
};
static const struct pace_table_column all_columns[] = {
	{ "t_s", "Time (s)", 6 }, { "goodput_mbps", "Goodput (Mbit/s)", 6 },
	{ "again", "Segments sent again", 0 },
};
enum { CWND = 2, WINDOW, RTT, AGAIN };

struct fig_tcp {
	const struct pace_tcp_point *p;
	const struct pace_tcp_end *tx, *rx;	/* of each connection; NULL: none */
	double		rate, kb, rtt, again, to;	/* maxima */
};

/* The point with the most intervals, the last of equals; NULL: none has two. */
static const struct pace_tcp_point *
longest(const struct pace_run *r)
{
	const struct pace_tcp_point *best = NULL;
	uint32_t most = 2;

	for (size_t i = 0; i < r->tcps; i++) {
		const struct pace_tcp_side *tx = pace_tcp_sender(r->tcp[i], r->tcp_down);

		if (tx == NULL || pace_tcp_receiver(r->tcp[i], r->tcp_down) == NULL ||
		    tx->end[r->tcp_down][0].rows < most)
			continue;
		best = r->tcp[i];
		most = tx->end[r->tcp_down][0].rows;
	}
	return best;
}

static bool
has_rows(const struct pace_run *r)
{
	return longest(r) != NULL;
}

/* User data of interval k in Mbit/s; NAN: it was cut off by the end, and says little. */
static double
rate_in(const struct pace_tcp_end *e, uint32_t k, int64_t interval_ns)
{
	const double before = k > 0 ? (double)e->row[k - 1].at_ns : 0;
	const double bytes = (double)(e->row[k].bytes - (k > 0 ? e->row[k - 1].bytes : 0));
	const double ns = (double)e->row[k].at_ns - before;

	return ns > 0 && (k == 0 || ns >= (double)interval_ns / 2) ? 8e3 * bytes / ns : NAN;
}

static double
again_in(const struct pace_tcp_end *e, uint32_t k)
{
	return (double)e->row[k].info.retransmits - (k > 0 ?
	    (double)e->row[k - 1].info.retransmits : 0);
}

static void
put_rates(struct pace_figure *s, struct fig_tcp *t)
{
	struct pace_table *table = pace_figure_table(s, "rates", "Goodput of each connection",
	    PACE_COLUMNS(rate_columns));

	for (uint32_t i = 0; i < t->p->ask.streams; i++) {
		const struct pace_tcp_end *e = &t->rx[i];

		pace_table_break(s, table);
		for (uint32_t k = 0; k < e->rows; k++) {
			double rate = rate_in(e, k, t->p->ask.interval_ns);

			pace_table_row(s, table, (double[]){ i, (double)e->row[k].at_ns / 1e9,
			    rate });
			t->rate = fmax(t->rate, rate);
			t->to = fmax(t->to, (double)e->row[k].at_ns / 1e9);
		}
		if (e->rows == 0)	/* each connection is a group */
			pace_table_row(s, table, (double[]){ i, NAN, NAN });
	}
}

static void
put_states(struct pace_figure *s, struct fig_tcp *t)
{
	struct pace_table *table = pace_figure_table(s, "states", "The sender of each connection",
	    PACE_COLUMNS(state_columns));

	for (uint32_t i = 0; i < t->p->ask.streams; i++) {
		const struct pace_tcp_end *e = &t->tx[i];

		pace_table_break(s, table);
		for (uint32_t k = 0; k < e->rows; k++) {
			const struct pace_tcp_info *n = &e->row[k].info;
			const double row[] = { i, (double)e->row[k].at_ns / 1e9,
			    (double)n->cwnd_segments * n->mss_bytes / 1e3, n->peer_window_bytes / 1e3,
			    n->rtt_ns > 0 ? (double)n->rtt_ns / 1e6 : NAN, again_in(e, k) };

			pace_table_row(s, table, row);
			t->kb = fmax(t->kb, fmax(row[CWND], row[WINDOW]));
			t->rtt = fmax(t->rtt, row[RTT]);
			t->to = fmax(t->to, row[1]);
		}
		if (e->rows == 0)
			pace_table_row(s, table, (double[]){ i, NAN, NAN, NAN, NAN, NAN });
	}
}

/* Sums over the connections: their intervals end together. */
static void
put_all(struct pace_figure *s, struct fig_tcp *t)
{
	struct pace_table *table = pace_figure_table(s, "all", "All connections together",
	    PACE_COLUMNS(all_columns));

	for (uint32_t k = 0; ; k++) {
		double at = NAN, rate = NAN, again = 0;

		for (uint32_t i = 0; i < t->p->ask.streams; i++) {
			if (k < t->rx[i].rows) {
				double one = rate_in(&t->rx[i], k, t->p->ask.interval_ns);

				at = (double)t->rx[i].row[k].at_ns / 1e9;
				rate = isnan(one) ? rate : isnan(rate) ? one : rate + one;
			}
			if (k < t->tx[i].rows)
				again += again_in(&t->tx[i], k);
		}
		if (isnan(at))
			break;
		pace_table_row(s, table, (double[]){ at, rate, again });
		t->rate = fmax(t->rate, rate);
		t->again = fmax(t->again, again);
	}
}

static void
make_tcp(const struct pace_run *r, struct pace_figure *s)
{
	const struct pace_tcp_point *p = longest(r);
	struct fig_tcp t = { .p = p, .tx = pace_tcp_sender(p, r->tcp_down)->end[r->tcp_down],
	    .rx = pace_tcp_receiver(p, r->tcp_down)->end[r->tcp_down] };
	char what[120], control[24] = "";
	bool megabytes;

	put_rates(s, &t);
	put_states(s, &t);
	put_all(s, &t);
	megabytes = t.kb > 2000;
	pace_axis_even(s, "X", "x", 0, fmax(t.to, 1e-3) * 1.01, pace_axis_step(fmax(t.to, 1e-3), 10));
	pace_axis_put_rate(s, t.rate * 1e6, 5);
	pace_figure_text(s, "KB_UNIT", megabytes ? "MB" : "kB");
	pace_figure_num(s, "KB_ONE", megabytes ? 1e3 : 1);
	pace_axis_from_zero(s, "KB", fmax(t.kb, 1) / (megabytes ? 1e3 : 1), 5);
	pace_axis_from_zero(s, "RTT", t.rtt > 0 ? t.rtt : 1, 5);
	pace_axis_from_zero(s, "AGAIN", fmax(t.again, 1), 4);
	pace_figure_text(s, "AGAIN_NOTE", t.again > 0 ? "" : "none was sent again");
	pace_figure_int(s, "N", (long)p->ask.streams);
	pace_figure_int(s, "COLOURED", p->ask.streams <= COLOURED);
	if (t.tx[0].congestion[0] != '\0')
		snprintf(control, sizeof(control), ", %s", t.tx[0].congestion);
	snprintf(what, sizeof(what), "%u %s %s the responder%s · intervals of %s", p->ask.streams,
	    p->ask.streams == 1 ? "connection" : "connections", r->tcp_down ? "from" : "to", control,
	    pace_print(PACE_UNIT_SEC, (double)p->ask.interval_ns, (char[32]){ "" }, 32));
	pace_words_subtitle(s, r, what);
}

const struct pace_fig pace_fig_tcp = {
	"P25", "tcp", "tcp.gp", "TCP over time", 900, 872,
	.wanted = has_rows, .make = make_tcp,
	.formula = "goodput: what the receiver's program read; the rest: the sender's TCP_INFO",
	.caption = "A receive window below the congestion window holds the sender back; round trips "
	    "that grow with the window fill a queue; segments that are sent again halve the window.",
};
