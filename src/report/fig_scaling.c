/*
 * Several streams or TCP connections at once (P17): their rates against their number, and the loss
 * of each one.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "doc/params.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/pick.h"
#include "report/words.h"

static const struct pace_table_column rate_columns[] = {
	{ "streams", "Streams", 0 }, { "aggregate_mbps", "Together (Mbit/s)", 6 },
	{ "lowest_mbps", "Lowest stream (Mbit/s)", 6 }, { "mean_mbps", "Mean stream (Mbit/s)", 6 },
	{ "highest_mbps", "Highest stream (Mbit/s)", 6 }, { "lost_percent", "Lost (%)", 5 },
	{ "degraded", "Degraded", 0 },
};
static const struct pace_table_column loss_columns[] = {
	{ "stream", "Stream", 0 }, { "lost_percent", "Lost (%)", 5 },
	{ "received_mbps", "Received (Mbit/s)", 6 },
};
static const struct pace_table_column tcp_rate_columns[] = {
	{ "streams", "Connections", 0 }, { "aggregate_mbps", "Together (Mbit/s)", 6 },
	{ "lowest_mbps", "Lowest connection (Mbit/s)", 6 },
	{ "mean_mbps", "Mean connection (Mbit/s)", 6 },
	{ "highest_mbps", "Highest connection (Mbit/s)", 6 },
	{ "again_percent", "Bytes sent again (%)", 5 }, { "degraded", NULL, 0 },
};
static const struct pace_table_column tcp_loss_columns[] = {
	{ "stream", "Connection", 0 }, { "again_percent", "Bytes sent again (%)", 5 },
	{ "received_mbps", "Received (Mbit/s)", 6 },
};

/* A number of streams; of TCP, connections, and what they sent again is counted as lost. */
struct fig_scaling {
	uint32_t	streams;
	size_t		index;
	double		user_bps, lost_percent;
	bool		degraded;
	uint32_t	parts;
	const struct pace_part *part;
	struct pace_part *own;		/* to be freed */
};

static bool
is_split(const struct pace_stream_point *l)
{
	return l->has_rx && l->parts > 0;
}

static bool
wants_scaling(const struct pace_run *r)
{
	size_t known = 0;

	for (size_t i = 0; i < r->tcps; i++)
		known += r->tcp[i]->ask.streams > 1 &&
		    pace_tcp_receiver(r->tcp[i], r->tcp_down) != NULL;
	return known > 0 || pace_pick_any(r, is_split);
}

static int
by_streams(const void *a, const void *b)
{
	const struct fig_scaling *x = a, *y = b;

	if (x->streams != y->streams)
		return x->streams < y->streams ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static double
percent_lost(const struct pace_stream_point *l)
{
	const uint64_t n = l->rx.lost + l->rx.unique;

	return n > 0 ? 100 * (double)l->rx.lost / (double)n : NAN;
}

static double
percent_again(uint64_t again, uint64_t received)
{
	return received > 0 ? 100 * (double)again / (double)received : NAN;
}

/* Without the receiver's figures there is nothing to show. */
static bool
take_tcp(struct fig_scaling *g, const struct pace_tcp_point *p, bool down)
{
	const struct pace_tcp_side *tx = pace_tcp_sender(p, down), *rx = pace_tcp_receiver(p, down);
	const struct pace_tcp_sums *m = &p->way[down].sums;

	if (rx == NULL)
		return false;
	*g = (struct fig_scaling){ .streams = p->ask.streams, .user_bps = m->goodput_bps,
	    .lost_percent = percent_again(m->retransmitted_bytes, m->received_bytes) };
	g->part = g->own = calloc(p->ask.streams, sizeof(*g->own));
	g->parts = g->own != NULL ? p->ask.streams : 0;
	for (uint32_t i = 0; i < g->parts; i++) {
		const struct pace_tcp_end *e = &rx->end[down][i];
		double bps = pace_tcp_goodput(e);

		g->own[i] = (struct pace_part){ isnan(bps) ? 0 : bps, tx != NULL ? percent_again(
		    tx->end[down][i].info.retransmitted_bytes, e->bytes) : NAN };
	}
	return true;
}

/* Return the points of the same frames as the first one with streams, by the number of streams;
 * malloced. */
static struct fig_scaling *
gather(const struct pace_run *r, size_t *n)
{
	struct fig_scaling *v = calloc(r->n + r->tcps + 1, sizeof(*v));
	const struct pace_stream_point *first = NULL;

	*n = 0;
	for (size_t i = 0; i < r->n && first == NULL; i++)
		first = is_split(&r->point[i]) ? &r->point[i] : NULL;
	for (size_t i = 0; v != NULL && first != NULL && i < r->n; i++) {
		const struct pace_stream_point *l = &r->point[i];

		if (l->has_rx && l->ask.size_bytes == first->ask.size_bytes &&
		    l->ask.spacing == first->ask.spacing && l->ask.dscp == first->ask.dscp)
			v[(*n)++] = (struct fig_scaling){ pace_params_streams(&l->ask), l->index,
			    l->rx.user_rate_bps, percent_lost(l), l->verdict == PACE_DEGRADED,
			    l->parts, l->part, NULL };
	}
	for (size_t i = 0; v != NULL && i < r->tcps; i++)
		*n += take_tcp(&v[*n], r->tcp[i], r->tcp_down);
	if (v != NULL)
		qsort(v, *n, sizeof(*v), by_streams);
	return v;
}

/* Return the highest rate. */
static double
put_rates(struct pace_figure *s, const struct fig_scaling *v, size_t n, bool tcp)
{
	struct pace_table *t = pace_figure_table(s, "rates", "Received rates of data",
	    tcp ? tcp_rate_columns : rate_columns, sizeof(rate_columns) / sizeof(rate_columns[0]));
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct fig_scaling *l = &v[i];
		const double all = l->user_bps;
		double low = all, high = all, sum = 0;

		for (uint32_t k = 0; k < l->parts; k++) {
			low = fmin(low, l->part[k].user_bps);
			high = k == 0 ? l->part[k].user_bps : fmax(high, l->part[k].user_bps);
			sum += l->part[k].user_bps;
		}
		most = fmax(most, all);
		pace_table_row(s, t, (double[]){ l->streams, all / 1e6, low / 1e6,
		    (l->parts > 0 ? sum / l->parts : all) / 1e6, high / 1e6, l->lost_percent,
		    l->degraded });
	}
	return most;
}

/* Return the highest loss in per cent. */
static double
put_losses(struct pace_figure *s, const struct fig_scaling *l, bool tcp)
{
	struct pace_table *t = pace_figure_table(s, "losses", tcp ?
	    "Each connection of the last point" : "Each stream of the last point",
	    tcp ? tcp_loss_columns : loss_columns, sizeof(loss_columns) / sizeof(loss_columns[0]));
	double most = 0;

	for (uint32_t k = 0; k < l->parts; k++) {
		most = fmax(most, l->part[k].lost_percent);
		pace_table_row(s, t, (double[]){ k, l->part[k].lost_percent,
		    l->part[k].user_bps / 1e6 });
	}
	return most;
}

static void
put_numbers(struct pace_figure *s, const char *name, double low, double high)
{
	pace_axis_even(s, name, "x", low, high, fmax(1, pace_axis_step(high, 10)));
}

static void
say_what(struct pace_figure *s, const struct pace_run *r)
{
	const struct pace_stream_point *first = NULL;
	char what[160], spacing[64];

	for (size_t i = 0; i < r->n && first == NULL; i++)
		first = is_split(&r->point[i]) ? &r->point[i] : NULL;
	if (first != NULL)
		snprintf(what, sizeof(what), "%u B · spacing %s in each stream",
		    first->ask.size_bytes, pace_axis_say_spacing(
		    pace_params_spacing_ns(&first->ask), spacing, sizeof(spacing)));
	else
		snprintf(what, sizeof(what), "TCP %s the responder", r->tcp_down ? "from" : "to");
	pace_words_subtitle(s, r, what);
}

static void
make(const struct pace_run *r, struct pace_figure *s)
{
	const bool tcp = r->tcps > 0;
	const struct fig_scaling *last;
	size_t n;
	struct fig_scaling *v = gather(r, &n);
	double most;

	if (v == NULL || n == 0) {
		s->failed = true;
		free(v);
		return;
	}
	last = &v[n - 1];
	say_what(s, r);
	if (tcp)
		pace_figure_say(s, &s->title, "Rate of several TCP connections");
	most = put_rates(s, v, n, tcp);
	pace_axis_put_rate(s, most, 6);
	put_numbers(s, "X", 0, last->streams * 1.06);
	pace_figure_num(s, "SLOPE", v[0].user_bps / 1e6 / v[0].streams);
	most = put_losses(s, last, tcp);
	put_numbers(s, "N", -0.7, last->parts - 0.3);
	pace_axis_from_zero(s, "LOSS", most > 0 ? most : 1, 5);
	pace_figure_text(s, "LOSS_NOTE", most > 0 ? "" : tcp ? "no connection sent data again" :
	    "no stream lost a frame");
	pace_figure_text(s, "WHOSE", tcp ? "Connections" : "Streams");
	pace_figure_text(s, "ONE", tcp ? "connection" : "stream");
	pace_figure_text(s, "LOST", tcp ? "Bytes sent again (%)" : "Frames lost (%)");
	pace_figure_text(s, "LOST_OF", tcp ? "sent again by" : "loss of");
	pace_figure_int(s, "LAST", (long)last->parts);
	for (size_t i = 0; i < n; i++)
		free(v[i].own);
	free(v);
}

const struct pace_fig pace_fig_scaling = {
	"P17", "scaling", "scaling.gp", "Rate and loss of several streams", 900, 662,
	.marked = true, .wanted = wants_scaling, .make = make,
	.formula = "linear: the rate of the fewest streams, times their number",
	.caption = "Rate of data that was received of all streams together, and the range of the single "
	    "streams. Where the line leaves the dashed one, the streams take rate from each other, "
	    "or a host cannot keep up. Below: the loss of each stream at the highest number of "
	    "streams.",
};
