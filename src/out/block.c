/* Print one point as a block: pace_text_point of text.h. */
#include "out/text.h"

#include <math.h>
#include <string.h>

#include "doc/loss_attribution.h"
#include "out/block.h"
#include "out/streams_text.h"
#include "out/table.h"

#define FIGURE		PACE_COUNT_WIDTH

/* v: requested, sent, received; NAN: not measured.  Without a receiver there is no third one. */
static void
three(const struct pace_block *b, const char *name, const double v[3], int decimals,
    const char *unit)
{
	pace_say_label(&b->s, name);
	for (int i = 0; i < (b->p->ask.no_receiver ? 2 : 3); i++)
		pace_say_fixed(&b->s, FIGURE, v[i], decimals);
	pace_say(&b->s, "   %s\n", unit);
}

static double
positive(bool known, double v, double one)
{
	return known && v > 0 ? v / one : NAN;
}

/* Frames that a capture saw, its interface, and its own drops.  The drops of the responder's
 * capture do not fit here: a note reports them. */
static void
say_witness(const struct pace_block *b, const struct pace_wire_check *w, const char *name,
    int column)
{
	char dropped[64] = "", words[96];

	if (column == 1 && !w->has_drops)
		snprintf(dropped, sizeof(dropped), "; drops unknown");
	else if (column == 1 && w->dropped > 0)
		snprintf(dropped, sizeof(dropped), "; dropped %s", PACE_AS_COUNT(w->dropped));
	snprintf(words, sizeof(words), "%.15s%s", w->interface, dropped);
	pace_say_counted(&b->s, (column + 1) * FIGURE,
	    &(struct pace_counted){ name, w->frames, 0, words });
}

/* Requested time from the first to the last departure, comparable with the measured ones. */
static double
asked_duration_ns(const struct pace_point *p)
{
	const struct pace_params *a = &p->ask;

	if (a->duration_ns > 0)
		return (double)a->duration_ns;
	return a->count == 0 ? 0 :
	    (double)(a->count * a->bursts - 1) * pace_params_spacing_ns(a) +
	    (double)(a->bursts - 1) * (double)a->burst_gap_ns;
}

/* The requested rate on the wire is computed with the sender's ratio of wire to data: the
 * frames are the same. */
static void
say_rates(const struct pace_block *b)
{
	const struct pace_point *p = b->p;
	const struct pace_params *a = &p->ask;
	/* the measured rates include the pauses between bursts */
	double asked_bps = pace_params_streams(a) * (a->bursts < 2 || a->spacing == 0 ?
	    pace_params_rate_bps(a) :
	    (double)(a->count * a->bursts - 1) * a->size_bytes * 8e9 / asked_duration_ns(p));
	double per_data = positive(p->tx.user_rate_bps > 0, p->tx.wire_rate_bps,
	    p->tx.user_rate_bps);
	const double data[3] = {
		positive(true, asked_bps, b->rate.one),
		positive(true, p->tx.user_rate_bps, b->rate.one),
		positive(p->has_rx, p->rx.user_rate_bps, b->rate.one),
	};
	const double wire[3] = {
		data[0] * per_data,
		positive(true, p->tx.wire_rate_bps, b->rate.one),
		positive(p->has_rx, p->rx.wire_rate_bps, b->rate.one),
	};

	three(b, "rate of data", data, b->rate.decimals, b->rate.unit);
	three(b, "rate on the wire", wire, b->rate.decimals, b->rate.unit);
}

static void
say_asked_and_achieved(const struct pace_block *b)
{
	const struct pace_point *p = b->p;
	struct pace_scale t = pace_scale_time((double)p->tx.duration_ns);
	const double gap[3] = {
		positive(true, pace_params_gap_ns(&p->ask), b->time.one),
		pace_figure_of(&p->tx.gap, PACE_MEAN, 0) / b->time.one,
		p->has_rx ? pace_figure_of(&p->rx.gap, PACE_MEAN, 0) / b->time.one : NAN,
	}, duration[3] = {
		positive(true, asked_duration_ns(p), t.one),
		positive(true, (double)p->tx.duration_ns, t.one),
		positive(p->has_rx, (double)p->rx.duration_ns, t.one),
	};

	pace_say(&b->s, "%*s%*s%*s", PACE_LABEL, "", FIGURE, "requested", FIGURE, "sent");
	if (!p->ask.no_receiver)
		pace_say(&b->s, "%*s", FIGURE, "received");
	pace_say(&b->s, "   unit\n");
	pace_say_label(&b->s, "frames");
	pace_say_count(&b->s, FIGURE, p->ledger.asked);
	pace_say_count(&b->s, FIGURE, p->tx.frames);
	if (!p->ask.no_receiver)
		pace_say_count(&b->s, FIGURE, p->has_rx ? p->rx.unique : PACE_NOT_KNOWN);
	pace_say(&b->s, "\n");
	if (p->tx.qdisc_bypass) {
		pace_say_label(&b->s, "engine");
		pace_say(&b->s, "  packet: past the routing, firewall and queues of this host\n");
	}
	if (p->tx.extra_frames > 0)
		pace_say_counted(&b->s, 2 * FIGURE, &(struct pace_counted){ "besides",
		    p->tx.extra_frames, 0, "descriptors and stop" });
	if (p->has_wire)
		say_witness(b, &p->wire, pace_block_wire(p, false), 1);
	if (p->has_rx && p->rx.has_wire)
		say_witness(b, &p->rx.wire, pace_block_wire(p, true), 2);
	say_rates(b);
	three(b, "mean gap", gap, 3, b->time.unit);
	three(b, "duration", duration, t.decimals, t.unit);
}

/* Print for each location its likely figure, then the range that the host's counters allow. */
static void
say_places(const struct pace_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;
	char name[64], words[192] = "", all[256];

	if (r->rcvbuf_granted > 0)
		snprintf(words, sizeof(words), "; %s (requested %s), ~%s frames",
		    PACE_AS_BYTES(r->rcvbuf_granted),
		    r->rcvbuf_asked == 0 ? "none" : PACE_AS_BYTES(r->rcvbuf_asked),
		    PACE_AS_COUNT(pace_loss_attribution_holds(r->rcvbuf_granted,
		    b->p->ask.size_bytes)));
	for (int i = 0; i < PACE_PLACES; i++) {
		const struct pace_share *s = &b->p->ledger.place[i];

		if (s->high == 0 && i != PACE_RX_SOCKET && i != PACE_NETWORK)
			continue;
		snprintf(name, sizeof(name), "  %s",
		    pace_loss_attribution_place((enum pace_place)i));
		if (s->low == s->high)
			snprintf(all, sizeof(all), "exact%s", i == PACE_RX_SOCKET ? words : "");
		else
			snprintf(all, sizeof(all), "%s to %s", PACE_AS_COUNT(s->low),
			    PACE_AS_COUNT(s->high));
		pace_say_counted(&b->s, FIGURE, &(struct pace_counted){ name, s->n, 0, all });
	}
}

static void
say_not_sent(const struct pace_block *b)
{
	const struct pace_tx *t = &b->p->tx;
	char name[64], words[32 + PACE_REFUSALS * 96];
	size_t n = (size_t)snprintf(words, sizeof(words), "refused by %s:",
	    b->p->ask.direction == PACE_DOWN ? "the responder" : "this host");

	if (t->refused == 0)
		return;
	for (int i = 0; i < PACE_REFUSALS && t->refusals[i].code != 0; i++)
		n += (size_t)snprintf(words + n, sizeof(words) - n, "%s %llu %s", i > 0 ? "," : "",
		    (unsigned long long)t->refusals[i].frames,
		    pace_loss_attribution_errno(t->refusals[i].code, name, sizeof(name)));
	pace_say_counted(&b->s, FIGURE, &(struct pace_counted){ "not sent", t->refused, 0, words });
}

/* Frames of the schedule that did not leave this host. */
static void
say_unsent(const struct pace_block *b)
{
	const struct pace_point *p = b->p;
	/* a run limited by time: the sender was too slow for all frames of its schedule */
	const struct pace_counted unscheduled = { "not due", p->interrupted ? 0 :
	    pace_params_not_due(&p->ask, p->ledger.asked, p->tx.skipped), 0,
	    "their send time was after the end of the run" };

	say_not_sent(b);
	pace_say_troubles(&b->s, &unscheduled, 1);
}

static void
say_fate(const struct pace_block *b)
{
	const struct pace_point *p = b->p;
	const struct pace_rx_result *r = p->has_rx ? &p->rx : NULL;
	const struct pace_counted troubles[] = {
		{ "CE marked", p->rx.marks.ecn[PACE_ECN_CE], p->rx.marks.frames,
		    "congestion experienced" },
		{ "DSCP changed", p->rx.marks.dscp_changed, p->rx.marks.frames, "on the way" },
		{ "ECN changed", p->rx.marks.ecn_changed, p->rx.marks.frames, "on the way" },
		{ "foreign", p->rx.foreign, 0, "not of this run" },
		{ "beyond window", p->rx.beyond_window, 0, "too old to tell late from duplicate" },
		{ "no stamp", p->rx.unstamped, p->rx.frames, "of the requested kind" },
		{ "clock steps", p->rx.clock_steps, 0, "" },
		{ "absurd times", p->rx.invalid_timestamps, p->rx.unique, "impossible departures" },
		{ "not kept", p->rx.records_missed, 0, "no room for their records" },
	};
	char text[512];

	pace_say(&b->s, "\n");
	pace_say_lost(&b->s, r);
	if (r != NULL && r->lost > 0)
		say_places(b);
	pace_say_reordered(&b->s, r);
	pace_say_counted(&b->s, FIGURE, &(struct pace_counted){ "duplicates",
	    r != NULL ? r->duplicates : PACE_NOT_KNOWN, r != NULL ? r->frames : 0, "" });
	if (r != NULL && r->has_messages)
		pace_say_messages(&b->s, "messages", &r->messages);
	if (p->ask.verify)
		pace_say_counted(&b->s, FIGURE, &(struct pace_counted){ "corrupt",
		    r != NULL ? r->corrupt : PACE_NOT_KNOWN, r != NULL ? r->frames : 0, "" });
	if (r != NULL)
		pace_say_troubles(&b->s, troubles, PACE_COUNT_OF(troubles));
	say_unsent(b);
	if (p->tx.refused > 0 || (r != NULL && r->lost > 0)) {
		pace_say(&b->s, "\n");
		pace_say_wrapped(&b->s, "  > ", pace_loss_attribution_say(p, text, sizeof(text)));
	}
}

static void
say_title(const struct pace_block *b)
{
	const struct pace_params *a = &b->p->ask;
	char trains[64] = "", bursts[64] = "", every[80] = "as fast as possible", streams[32] = "";

	if (a->spacing > 0)
		snprintf(every, sizeof(every), "every %s", PACE_AS_USEC(pace_params_spacing_ns(a)));
	if (a->train > 1)
		snprintf(trains, sizeof(trains), ", in trains of %llu",
		    (unsigned long long)a->train);
	if (a->bursts > 1)
		snprintf(bursts, sizeof(bursts), ", %llu bursts", (unsigned long long)a->bursts);
	if (a->streams > 1)
		snprintf(streams, sizeof(streams), "%u streams of ", a->streams);
	if (a->two_way && a->direction == PACE_DOWN)	/* the up stream's block stands above */
		pace_say(&b->s, "\n");
	pace_say_sentence(&b->s, "", "%s%s%u B %s%s%s: %s%s",
	    a->direction == PACE_DOWN ? "down: " : a->two_way ? "up: " : "", streams, a->size_bytes, every, trains,
	    bursts, pace_verdict_name(b->p->verdict), b->p->interrupted ? ", interrupted" : "");
}

/* The requested or agreed begin, and how well it was met. */
static void
say_begin(const struct pace_block *b)
{
	const struct pace_begin *g = &b->p->begin;
	char text[192], error[32], most[32];

	if (g->group[0] != '\0' && g->error_known)
		snprintf(text, sizeof(text), "%s, %u clients; began %s %s the agreed time, error "
		    "below %s", g->group, g->members, pace_print(PACE_UNIT_USEC,
		    fabs((double)g->error_ns), error, sizeof(error)), g->error_ns < 0 ? "before" :
		    "after", pace_print(PACE_UNIT_USEC, (double)g->error_max_ns, most,
		    sizeof(most)));
	else if (g->group[0] != '\0')
		snprintf(text, sizeof(text), "%s, %u clients; error of the begin unknown", g->group,
		    g->members);
	if (g->start_at[0] != '\0')
		pace_say_wrapped(&b->s, "  start at  ", g->start_at);
	if (g->group[0] != '\0')
		pace_say_wrapped(&b->s, "  group  ", text);
}

int
pace_text_point(FILE *f, const struct pace_point *p, bool detail, bool utf8)
{
	/* the requested spacing sets the scale of times, or else the measured gaps */
	const struct pace_hist *h = p->has_rx && p->rx.gap.stats.n > 0 ? &p->rx.gap : &p->tx.gap;
	double gap_ns = p->ask.spacing > 0 ? pace_params_gap_ns(&p->ask) :
	    (double)pace_hist_quantile(h, 0.5);
	struct pace_notes notes;
	double bps = fmax(pace_params_streams(&p->ask) * pace_params_rate_bps(&p->ask),
	    p->tx.wire_rate_bps);
	struct pace_block b = {
		.s = { f, utf8 }, .p = p,
		.rate = pace_scale_rate(bps, bps),
		.time = pace_scale_time(gap_ns),
	};

	say_title(&b);
	say_asked_and_achieved(&b);
	if (p->ask.no_receiver) {
		say_unsent(&b);
		pace_block_gaps(&b);
	} else {
		/* an error stays */
		(void)pace_streams_text(f, p, PACE_STREAMS_TABLE, utf8);
		say_begin(&b);
		say_fate(&b);
		pace_block_gaps(&b);
		pace_block_delays(&b);
		pace_block_intervals(&b);
	}
	pace_block_energy(&b);
	if (detail)
		pace_block_detail(&b);
	pace_point_notes(p, &notes);
	pace_say_notes(&b.s, "  ! ", &notes);
	return pace_say_end(&b.s);
}
