/* Print the gaps of one point, and its detailed figures: block.h. */
#include "out/block.h"

#include <math.h>

#include "doc/departures.h"
#include "out/table.h"

static double
asked_ns(const struct pace_point *p)
{
	return pace_params_gap_ns(&p->ask);
}

/* error has finer bins near the spacing; captures have no error. */
static void
say_gaps(const struct pace_block *b, const char *label, const struct pace_hist *gap,
    const struct pace_hist *error, const char *stamp)
{
	const struct pace_hist_column *f = pace_gap_table.v;
	double v[PACE_HIST_FIGURES];

	for (int i = 0; i < pace_gap_table.n; i++)
		v[i] = f[i].kind != PACE_QUANTILE ? pace_figure_of(gap, f[i].kind, 0) :
		    pace_gap_quantile(&b->p->ask, gap, error, f[i].q);
	pace_say_figures(&b->s, &pace_gap_table, label, v, &b->time, stamp);
}

static const char *
stamp_name(enum pace_stamp stamp)
{
	return stamp == PACE_STAMP_NONE ? "-" : pace_stamp_name(stamp);
}

static void
say_picture(const struct pace_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;
	int64_t low = r->gap.stats.min, high = r->gap.stats.max;
	int64_t asked = (int64_t)round(asked_ns(b->p));
	bool keeps = b->p->ask.spacing > 0;
	struct pace_strip strip;
	const struct pace_picture picture = { "gaps received", &strip, keeps ? "requested" : NULL,
	    asked_ns(b->p) };

	if (!b->p->has_rx || r->gap.stats.n == 0)
		return;
	if (keeps && asked < low)
		low = asked;
	if (keeps && asked > high)
		high = asked;
	pace_strip_reset(&strip, low, high);
	/* Near the spacing, gap_error has finer bins. */
	if (keeps && r->gap_error.stats.n == r->gap.stats.n)
		pace_strip_add(&strip, &r->gap_error, asked);
	else
		pace_strip_add(&strip, &r->gap, 0);
	pace_say_picture(&b->s, &picture, &b->time);
}

/* Say how well the spacing was kept by what left the sending host. */
static void
say_departures(const struct pace_block *b)
{
	struct pace_departures d;

	if (!pace_departures(b->p, &d))
		return;
	pace_say_label(&b->s, "left the host");
	pace_say(&b->s, " %s %% within 0.2 \xc2\xb5s, estimated from %s stamped gaps\n",
	    PACE_AS_FIXED(100 * d.share, 1), PACE_AS_COUNT(d.gaps));
}

void
pace_block_gaps(const struct pace_block *b)
{
	static const struct pace_hist none;
	const struct pace_point *p = b->p;
	const struct pace_hist *tx = &p->tx.gap_error, *rx = &p->rx.gap_error;

	pace_say_hist_head(&b->s, &pace_gap_table, "gap");
	say_gaps(b, "sent", &p->tx.gap, tx, stamp_name(p->tx.stamp));
	if (p->has_wire)
		say_gaps(b, pace_block_wire(p, false), &p->wire.gap, NULL, "capture");
	if (p->has_rx && p->rx.has_wire)
		say_gaps(b, pace_block_wire(p, true), &p->rx.wire.gap, NULL, "capture");
	if (!p->ask.no_receiver)
		say_gaps(b, "received", p->has_rx ? &p->rx.gap : &none, rx,
	    stamp_name(p->has_rx ? p->rx.stamp : PACE_STAMP_NONE));
	if (p->ask.spacing > 0 && tx->stats.n > 0) {	/* how well it was kept */
		pace_say_label(&b->s, "within 0.2 \xc2\xb5s");
		pace_say(&b->s, " %s %% of the gaps sent",
		    PACE_AS_FIXED(100 * pace_hist_share(tx, 0, PACE_TX_NEAR_NS), 2));
		if (p->has_rx && rx->stats.n > 0)
			pace_say(&b->s, ", %s %% of those received",
			    PACE_AS_FIXED(100 * pace_hist_share(rx, 0, PACE_TX_NEAR_NS), 2));
		pace_say(&b->s, "\n");
	}
	say_departures(b);
	say_picture(b);
}

/* --- details ----------------------------------------------------------------------- */

static void
say_spreads(const struct pace_block *b)
{
	const struct pace_point *p = b->p;
	const struct pace_rx_result *r = &p->rx;
	const struct pace_hist_line sent[] = {
		{ "gap error, sent", &p->tx.gap_error, &pace_in_ns },
		{ "gap error, left", &p->tx.stamped_gap_error, &pace_in_ns },
		{ p->ask.nic ? "to NIC's stamp" : "to kernel's stamp", &p->tx.stack, &pace_in_ns },
	}, received[] = {
		{ "gap error, recv", &r->gap_error, &pace_in_ns },
		{ "loss run", &r->runs, &pace_in_frames },
		{ "loss distance", &r->loss_distances, &pace_in_frames },
		{ "loss-free run", &r->loss_free_runs, &pace_in_frames },
		{ "reorder extent", &r->extent, &pace_in_frames },
		{ "reorder lateness", &r->late_ns, &b->time },
	}, owd = { "one-way delay", &r->owd, &pace_in_ns }, varied[] = {
		{ "PDV", &r->pdv, &pace_in_ns },
		{ "IPDV", &r->ipdv, &pace_in_ns },
	};

	pace_say_hist_head(&b->s, &pace_spread_table, "detail");
	pace_say_hists(&b->s, &pace_spread_table, sent, PACE_COUNT_OF(sent));
	if (!p->has_rx)
		return;
	pace_say_hists(&b->s, &pace_spread_table, received, PACE_COUNT_OF(received));
	if (r->has_owd && !p->owd_relative)
		pace_say_hists(&b->s, &pace_spread_table, &owd, 1);
	pace_say_hists(&b->s, &pace_spread_table, varied, PACE_COUNT_OF(varied));
}

void
pace_block_detail(const struct pace_block *b)
{
	const struct pace_tx *t = &b->p->tx;
	char stolen[96], slipped[96], stalled[96];
	const struct pace_counted counts[] = {
		{ "same stamp", b->p->rx.coalesced_stamps, 0,
		    "stamped less than 50 ns after the previous frame" },
		{ "late frames", t->late_frames, 0, "departed more than one spacing late" },
		{ "preempted", t->preempted, 0, stolen },
		{ "schedule_shifts", t->schedule_shifts, 0, slipped },
		{ "stalls", t->stalls.count, 0, stalled },
	};

	snprintf(stolen, sizeof(stolen), "times; %s taken by the hypervisor",
	    PACE_AS_USEC(t->steal_ns));
	snprintf(slipped, sizeof(slipped), "%s in all", PACE_AS_USEC(t->schedule_shifted_ns));
	snprintf(stalled, sizeof(stalled), "longest %s", PACE_AS_USEC(t->stalls.max_ns));
	say_spreads(b);
	for (size_t i = b->p->has_rx ? 0 : 1; i < PACE_COUNT_OF(counts); i++)
		pace_say_counted(&b->s, PACE_COUNT_WIDTH - 4, &counts[i]);
	pace_block_hosts(b);
	pace_block_clocks(b);
}
