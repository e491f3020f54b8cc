/* The gaps of one point, and the figures for who wants more: block.h. */
#include "out/block.h"

#include <math.h>

#include "core/units.h"
#include "out/strip.h"

#define GAP		10	/* columns of a figure */
#define EDGE		10	/* of the value left of a strip */
#define TEXT_MAX	64
#define NEAR_NS		200

static bool
keeps_spacing(const struct pace_point *p)
{
	return p->ask.spacing > 0;
}

struct gaps {
	const struct pace_hist *gap, *error;
	enum pace_stamp	stamp;
};

static void
gap_cell(const struct pace_block *b, const struct gaps *g, double q)
{
	pace_say_fixed(&b->s, GAP, pace_gap_quantile(&b->p->ask, g->gap, g->error, q) /
	    b->time.one, b->time.decimals);
}

static void
gap_line(const struct pace_block *b, const char *name, const struct gaps *g)
{
	const struct pace_stats *t = &g->gap->stats;

	pace_block_label(b, name);
	pace_say_fixed(&b->s, GAP - 4, t->n > 0 ? (double)t->min / b->time.one : NAN,
	    b->time.decimals);
	gap_cell(b, g, 0.5);
	gap_cell(b, g, 0.99);
	gap_cell(b, g, 0.999);
	pace_say_fixed(&b->s, GAP, t->n > 0 ? (double)t->max / b->time.one : NAN,
	    b->time.decimals);
	pace_say(&b->s, "   %s%*s%s\n", b->time.unit, 6 - pace_width(b->time.unit), "",
	    g->stamp == PACE_STAMP_NONE ? "-" : pace_stamp_name(g->stamp));
}

/* As a capture saw them: no bins around the spacing. */
static void
wire_line(const struct pace_block *b, const char *name, const struct pace_hist *h)
{
	static const double q[] = { 0.5, 0.99, 0.999 };
	bool any = h->stats.n > 0;

	pace_block_label(b, name);
	pace_say_fixed(&b->s, GAP - 4, any ? (double)h->stats.min / b->time.one : NAN,
	    b->time.decimals);
	for (int i = 0; i < 3; i++)
		pace_say_fixed(&b->s, GAP, pace_hist_has_quantile(h->stats.n, q[i]) ?
		    (double)pace_hist_quantile(h, q[i]) / b->time.one : NAN, b->time.decimals);
	pace_say_fixed(&b->s, GAP, any ? (double)h->stats.max / b->time.one : NAN,
	    b->time.decimals);
	pace_say(&b->s, "   %s%*scapture\n", b->time.unit, 6 - pace_width(b->time.unit), "");
}

/* How well the spacing was kept, in one figure. */
static void
say_share(const struct pace_block *b)
{
	const struct pace_hist *tx = &b->p->tx.gap_error, *rx = &b->p->rx.gap_error;
	char text[TEXT_MAX];

	if (!keeps_spacing(b->p) || tx->stats.n == 0)
		return;
	pace_block_label(b, "within 0.2 \xc2\xb5s");
	pace_say(&b->s, " %s %% of the gaps sent", pace_fixed(
	    100 * pace_hist_share(tx, 0, NEAR_NS), 2, text, sizeof(text)));
	if (b->p->has_rx && rx->stats.n > 0)
		pace_say(&b->s, ", %s %% of those received", pace_fixed(
		    100 * pace_hist_share(rx, 0, NEAR_NS), 2, text, sizeof(text)));
	pace_say(&b->s, "\n");
}

static int64_t
asked_ns(const struct pace_point *p)
{
	return (int64_t)round(pace_params_gap_ns(&p->ask));
}

static void
fill_strip(struct pace_strip *strip, const struct pace_point *p)
{
	const struct pace_rx_result *r = &p->rx;
	int64_t low = r->gap.stats.min, high = r->gap.stats.max;
	int64_t asked = asked_ns(p);

	if (keeps_spacing(p) && asked < low)
		low = asked;
	if (keeps_spacing(p) && asked > high)
		high = asked;
	pace_strip_reset(strip, low, high);
	/* The error's bins are the finer ones around the spacing. */
	if (keeps_spacing(p) && r->gap_error.stats.n == r->gap.stats.n)
		pace_strip_add(strip, &r->gap_error, asked);
	else
		pace_strip_add(strip, &r->gap, 0);
}

static void
say_mark(const struct pace_block *b, const struct pace_strip *strip)
{
	int column = pace_strip_column(strip, asked_ns(b->p));
	char text[TEXT_MAX], value[TEXT_MAX];
	int n;

	n = snprintf(text, sizeof(text), "asked %s", pace_fixed(
	    pace_params_gap_ns(&b->p->ask) / b->time.one, b->time.decimals,
	    value, sizeof(value)));
	if (column + 2 + n <= PACE_STRIP_COLUMNS)
		pace_say(&b->s, "%*s^ %s\n", EDGE + 4 + column, "", text);
	else
		pace_say(&b->s, "%*s%s ^\n", EDGE + 4 + column - 1 - n, "", text);
}

static void
say_picture(const struct pace_block *b)
{
	char bars[PACE_STRIP_TEXT];
	struct pace_strip strip;

	if (!b->p->has_rx || b->p->rx.gap.stats.n == 0)
		return;
	fill_strip(&strip, b->p);
	pace_strip_draw(&strip, b->s.utf8, bars);
	pace_say(&b->s, "\n  gaps received, %s (log of the counts%s)\n", b->time.unit,
	    strip.log ? ", log axis" : "");
	pace_say_fixed(&b->s, 2 + EDGE, (double)strip.low / b->time.one, b->time.decimals);
	pace_say(&b->s, " |%s| ", bars);
	pace_say_fixed(&b->s, 0, (double)strip.high / b->time.one, b->time.decimals);
	pace_say(&b->s, "\n");
	if (keeps_spacing(b->p))
		say_mark(b, &strip);
}

void
pace_block_gaps(const struct pace_block *b)
{
	static const struct pace_hist none;
	const struct pace_point *p = b->p;
	const struct gaps tx = { &p->tx.gap, &p->tx.gap_error, p->tx.stamp };
	const struct gaps rx = { p->has_rx ? &p->rx.gap : &none, &p->rx.gap_error,
	    p->has_rx ? p->rx.stamp : PACE_STAMP_NONE };

	pace_say(&b->s, "\n  %-*s%*s%*s%*s%*s%*s   unit  stamp\n", PACE_BLOCK_LABEL - 2, "gap",
	    GAP - 4, "min", GAP, "p50", GAP, "p99", GAP, "p99.9", GAP, "max");
	gap_line(b, "sent", &tx);
	if (p->has_wire)
		wire_line(b, "on the wire", &p->wire.gap);
	if (p->has_rx && p->rx.has_wire)
		wire_line(b, "wire, responder", &p->rx.wire.gap);
	gap_line(b, "received", &rx);
	say_share(b);
	say_picture(b);
}

/* --- for who wants more ------------------------------------------------------------ */

static void
spread_line(const struct pace_block *b, const char *name, const struct pace_hist *h,
    double one, int decimals, const char *unit)
{
	static const double q[] = { 0.01, 0.5, 0.99 };
	bool any = h->stats.n > 0;

	pace_block_label(b, name);
	pace_say_fixed(&b->s, GAP, any ? pace_stats_mean(&h->stats) / one : NAN, decimals);
	pace_say_fixed(&b->s, GAP, any ? pace_stats_stddev(&h->stats) / one : NAN, decimals);
	for (int i = 0; i < 3; i++)
		pace_say_fixed(&b->s, GAP, pace_hist_has_quantile(h->stats.n, q[i]) ?
		    (double)pace_hist_quantile(h, q[i]) / one : NAN, decimals);
	pace_say(&b->s, "   %s\n", unit);
}

static void
say_sender(const struct pace_block *b)
{
	const struct pace_tx *t = &b->p->tx;
	char text[TEXT_MAX];

	pace_block_label(b, "late frames");
	pace_say_count(&b->s, GAP, t->late_frames);
	pace_say(&b->s, "   left more than one spacing after their time\n");
	pace_block_label(b, "preempted");
	pace_say_count(&b->s, GAP, t->preempted);
	pace_say(&b->s, "   times; %s taken by the hypervisor\n", pace_print(PACE_UNIT_USEC,
	    (double)t->steal_ns, text, sizeof(text)));
	pace_block_label(b, "slips");
	pace_say_count(&b->s, GAP, t->slips);
	pace_say(&b->s, "   %s in all\n", pace_print(PACE_UNIT_USEC,
	    (double)t->slipped_ns, text, sizeof(text)));
	pace_block_label(b, "stalls");
	pace_say_count(&b->s, GAP, t->stalls.count);
	pace_say(&b->s, "   longest %s\n", pace_print(PACE_UNIT_USEC,
	    (double)t->stalls.max_ns, text, sizeof(text)));
}

static void
say_receiver(const struct pace_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;

	spread_line(b, "loss run", &r->runs, 1, 1, "frames");
	spread_line(b, "loss distance", &r->distances, 1, 1, "frames");
	spread_line(b, "loss-free run", &r->good_runs, 1, 1, "frames");
	spread_line(b, "reorder extent", &r->extent, 1, 1, "frames");
	spread_line(b, "reorder lateness", &r->late_ns, b->time.one,
	    b->time.decimals, b->time.unit);
	if (r->has_owd && !b->p->owd_relative)
		spread_line(b, "one-way delay", &r->owd, 1, 0, "ns");
	spread_line(b, "PDV", &r->pdv, 1, 0, "ns");
	spread_line(b, "IPDV", &r->ipdv, 1, 0, "ns");
	pace_block_label(b, "same stamp");
	pace_say_count(&b->s, GAP, r->coalesced_stamps);
	pace_say(&b->s, "   stamped less than 50 ns after the one before\n");
}

void
pace_block_detail(const struct pace_block *b)
{
	const struct pace_point *p = b->p;

	pace_say(&b->s, "\n  %-*s%*s%*s%*s%*s%*s   unit\n", PACE_BLOCK_LABEL - 2, "detail",
	    GAP, "mean", GAP, "std dev", GAP, "p1", GAP, "p50", GAP, "p99");
	spread_line(b, "gap error, sent", &p->tx.gap_error, 1, 0, "ns");
	spread_line(b, p->ask.nic ? "to NIC's stamp" : "to kernel's stamp", &p->tx.stack, 1, 0,
	    "ns");
	if (p->has_rx) {
		spread_line(b, "gap error, recv", &p->rx.gap_error, 1, 0, "ns");
		say_receiver(b);
	}
	say_sender(b);
	pace_block_hosts(b);
	pace_block_clocks(b);
}
