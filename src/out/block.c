/* One point as a block of text: pace_text_point of text.h. */
#include "out/text.h"

#include <math.h>
#include <string.h>

#include "core/units.h"
#include "doc/loss_attribution.h"
#include "out/block.h"

#define FIGURE		14
#define TEXT_MAX	64

void
pace_block_label(const struct pace_block *b, const char *text)
{
	pace_say(&b->s, "  %s", text);
	pace_say_cell(&b->s, PACE_BLOCK_LABEL - 2 - pace_width(text), "");
}

/* What sets the scale of times: asked for, or else as it was sent. */
static double
typical_gap_ns(const struct pace_point *p)
{
	const struct pace_hist *h = p->has_rx && p->rx.gap.stats.n > 0 ?
	    &p->rx.gap : &p->tx.gap;

	if (p->ask.spacing > 0)
		return pace_params_gap_ns(&p->ask);
	return (double)pace_hist_quantile(h, 0.5);
}

/* asked, sent, received; NAN: not measured. */
static void
three(const struct pace_block *b, const char *name, const double v[3], int decimals,
    const char *unit)
{
	pace_block_label(b, name);
	for (int i = 0; i < 3; i++)
		pace_say_fixed(&b->s, FIGURE, v[i], decimals);
	pace_say(&b->s, "   %s\n", unit);
}

static double
positive(bool known, double v, double one)
{
	return known && v > 0 ? v / one : NAN;
}

static void
say_frames(const struct pace_block *b)
{
	const struct pace_point *p = b->p;

	pace_block_label(b, "frames");
	pace_say_count(&b->s, FIGURE, p->ledger.asked);
	pace_say_count(&b->s, FIGURE, p->tx.frames);
	if (p->has_rx)
		pace_say_count(&b->s, FIGURE, p->rx.unique);
	else
		pace_say_cell(&b->s, FIGURE, "-");
	pace_say(&b->s, "\n");
}

/* What a capture saw, at which interface, and what it dropped itself; of the responder's,
 * for which there is no room here, a note says that. */
static void
say_witness(const struct pace_block *b, const struct pace_wire_check *w, const char *name, int column)
{
	char text[TEXT_MAX];

	pace_block_label(b, name);
	for (int i = 0; i < column; i++)
		pace_say_cell(&b->s, FIGURE, "");
	pace_say_count(&b->s, FIGURE, w->frames);
	pace_say(&b->s, "   %.15s", w->interface);
	if (column == 1 && !w->has_drops)
		pace_say(&b->s, "; drops unknown");
	else if (column == 1 && w->dropped > 0)
		pace_say(&b->s, "; dropped %s", pace_print(PACE_UNIT_COUNT, (double)w->dropped,
		    text, sizeof(text)));
	pace_say(&b->s, "\n");
}

static void
say_wire(const struct pace_block *b)
{
	const struct pace_point *p = b->p;

	if (p->has_wire)
		say_witness(b, &p->wire, "on the wire", 1);
	if (p->has_rx && p->rx.has_wire)
		say_witness(b, &p->rx.wire, "wire, responder", 2);
}

/* From first to last, as the others are. */
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

/* Rates that were sent and received are those of the whole run, with the pauses between
 * bursts in it. */
static double
asked_rate_bps(const struct pace_point *p)
{
	const struct pace_params *a = &p->ask;

	return a->bursts < 2 || a->spacing == 0 ? pace_params_rate_bps(a) :
	    (double)(a->count * a->bursts - 1) * a->size_bytes * 8e9 / asked_duration_ns(p);
}

/* The wire's share is that of the sender: the same frames. */
static void
say_rates(const struct pace_block *b)
{
	const struct pace_point *p = b->p;
	double asked_bps = asked_rate_bps(p);
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

static double
mean_of(bool known, const struct pace_hist *h, double one)
{
	return known && h->stats.n > 0 ? pace_stats_mean(&h->stats) / one : NAN;
}

static void
say_spacing(const struct pace_block *b)
{
	const struct pace_point *p = b->p;
	const double mean[3] = {
		positive(true, pace_params_gap_ns(&p->ask), b->time.one),
		mean_of(true, &p->tx.gap, b->time.one),
		mean_of(p->has_rx, &p->rx.gap, b->time.one),
	};

	three(b, "mean gap", mean, 3, b->time.unit);
}

static void
say_duration(const struct pace_block *b)
{
	const struct pace_point *p = b->p;
	struct pace_scale t = pace_scale_time((double)p->tx.duration_ns);
	const double v[3] = {
		positive(true, asked_duration_ns(p), t.one),
		positive(true, (double)p->tx.duration_ns, t.one),
		positive(p->has_rx, (double)p->rx.duration_ns, t.one),
	};

	three(b, "duration", v, t.decimals, t.unit);
}

static void
say_asked_and_achieved(const struct pace_block *b)
{
	pace_say(&b->s, "%*s%*s%*s%*s   unit\n", PACE_BLOCK_LABEL, "", FIGURE, "asked",
	    FIGURE, "sent", FIGURE, "received");
	say_frames(b);
	say_wire(b);
	say_rates(b);
	say_spacing(b);
	say_duration(b);
}

/* A count, its share of a whole, and words. */
static void
count_line(const struct pace_block *b, const char *name, uint64_t n, uint64_t whole,
    const char *words)
{
	char text[TEXT_MAX];

	pace_block_label(b, name);
	if (!b->p->has_rx) {
		pace_say_cell(&b->s, FIGURE, "-");
		pace_say(&b->s, "\n");
		return;
	}
	pace_say_count(&b->s, FIGURE, n);
	if (n > 0 && whole > 0) {
		pace_percent((double)n / (double)whole, text, sizeof(text));
		text[strcspn(text, " ")] = '\0';
		pace_say(&b->s, "   %s %%", text);
	}
	if (words[0] != '\0')
		pace_say(&b->s, "   %s", words);
	pace_say(&b->s, "\n");
}

/* What a counter of the host allows is told beside what is believed. */
static void
say_place(const struct pace_block *b, enum pace_place place, const char *words)
{
	const struct pace_share *s = &b->p->ledger.place[place];
	char name[TEXT_MAX], all[4 * TEXT_MAX], low[TEXT_MAX], high[TEXT_MAX];

	if (s->high == 0 && place != PACE_RX_SOCKET && place != PACE_NETWORK)
		return;
	snprintf(name, sizeof(name), "  %s", pace_loss_attribution_place(place));
	if (s->low == s->high)
		snprintf(all, sizeof(all), "exact%s%s", words[0] != '\0' ? "; " : "", words);
	else
		snprintf(all, sizeof(all), "%s to %s",
		    pace_print(PACE_UNIT_COUNT, (double)s->low, low, sizeof(low)),
		    pace_print(PACE_UNIT_COUNT, (double)s->high, high, sizeof(high)));
	count_line(b, name, s->n, 0, all);
}

static void
say_places(const struct pace_block *b)
{
	const struct pace_point *p = b->p;
	char asked[TEXT_MAX], granted[TEXT_MAX], holds[TEXT_MAX], words[3 * TEXT_MAX] = "";

	if (p->rx.rcvbuf_granted > 0)
		snprintf(words, sizeof(words), "%s (asked for %s), ~%s frames",
		    pace_print(PACE_UNIT_BYTES, p->rx.rcvbuf_granted, granted, sizeof(granted)),
		    p->rx.rcvbuf_asked == 0 ? "none" : pace_print(PACE_UNIT_BYTES,
		    p->rx.rcvbuf_asked, asked, sizeof(asked)),
		    pace_print(PACE_UNIT_COUNT, (double)pace_loss_attribution_holds(p->rx.rcvbuf_granted,
		    p->ask.size_bytes), holds, sizeof(holds)));
	for (int i = 0; i < PACE_PLACES; i++)
		say_place(b, (enum pace_place)i, i == PACE_RX_SOCKET ? words : "");
}

static void
say_lost(const struct pace_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;
	char words[2 * TEXT_MAX] = "", count[TEXT_MAX];

	if (r->runs.stats.n > 0)
		snprintf(words, sizeof(words), "%llu run%s, longest %s",
		    (unsigned long long)r->runs.stats.n, r->runs.stats.n > 1 ? "s" : "",
		    pace_print(PACE_UNIT_COUNT, (double)r->runs.stats.max,
		    count, sizeof(count)));
	count_line(b, "lost", r->lost, r->lost + r->unique, words);
	if (b->p->has_rx && r->lost > 0)
		say_places(b);
}

static void
say_reordered(const struct pace_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;
	char words[2 * TEXT_MAX] = "", late[TEXT_MAX];

	if (r->reordered > 0)
		snprintf(words, sizeof(words), "furthest %lld places, latest %s",
		    (long long)r->extent.stats.max, pace_print(PACE_UNIT_USEC,
		    (double)r->late_ns.stats.max, late, sizeof(late)));
	count_line(b, "reordered", r->reordered, r->unique, words);
}

/* Lines that only trouble brings. */
static void
say_troubles(const struct pace_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;

	if (!b->p->has_rx)
		return;
	if (r->foreign > 0)
		count_line(b, "foreign", r->foreign, 0, "not of this run");
	if (r->beyond_window > 0)
		count_line(b, "beyond window", r->beyond_window, 0,
		    "too old to tell late from duplicate");
	if (r->unstamped > 0)
		count_line(b, "no stamp", r->unstamped, r->frames, "of the kind asked for");
	if (r->clock_steps > 0)
		count_line(b, "clock steps", r->clock_steps, 0, "");
	if (r->absurd_times > 0)
		count_line(b, "absurd times", r->absurd_times, r->unique,
		    "departures that cannot be true");
	if (r->records_missed > 0)
		count_line(b, "not kept", r->records_missed, 0, "no room was left for them");
}

static void
say_not_sent(const struct pace_block *b)
{
	const struct pace_tx *t = &b->p->tx;
	char name[TEXT_MAX];

	if (t->refused == 0)
		return;
	pace_block_label(b, "not sent");
	pace_say_count(&b->s, FIGURE, t->refused);
	pace_say(&b->s, "   refused here:");
	for (int i = 0; i < PACE_REFUSALS && t->refusals[i].code != 0; i++)
		pace_say(&b->s, "%s %llu %s", i > 0 ? "," : "",
		    (unsigned long long)t->refusals[i].frames,
		    pace_loss_attribution_errno(t->refusals[i].code, name, sizeof(name)));
	pace_say(&b->s, "\n");
}

/* Of a run by time that fell behind for good. */
static void
say_not_due(const struct pace_block *b)
{
	const struct pace_point *p = b->p;
	uint64_t n = p->interrupted ? 0 : pace_params_not_due(&p->ask, p->ledger.asked, p->tx.skipped);

	if (n == 0)
		return;
	pace_block_label(b, "not due");
	pace_say_count(&b->s, FIGURE, n);
	pace_say(&b->s, "   the schedule went past the end\n");
}

static void
say_diagnosis(const struct pace_block *b)
{
	char text[512];

	if (b->p->tx.refused == 0 && (!b->p->has_rx || b->p->rx.lost == 0))
		return;
	pace_say(&b->s, "\n");
	pace_say_wrapped(&b->s, "  > ", pace_loss_attribution_say(b->p, text, sizeof(text)));
}

static void
say_fate(const struct pace_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;

	pace_say(&b->s, "\n");
	say_lost(b);
	say_reordered(b);
	count_line(b, "duplicates", r->duplicates, r->frames, "");
	if (b->p->ask.verify)
		count_line(b, "corrupt", r->corrupt, r->frames, "");
	say_troubles(b);
	say_not_sent(b);
	say_not_due(b);
	say_diagnosis(b);
}

static void
say_title(const struct pace_block *b)
{
	const struct pace_params *a = &b->p->ask;
	char text[TEXT_MAX];

	pace_say(&b->s, "%u B ", a->size_bytes);
	if (a->spacing == 0)
		pace_say(&b->s, "as fast as possible");
	else
		pace_say(&b->s, "every %s", pace_print(PACE_UNIT_USEC,
		    pace_params_spacing_ns(a), text, sizeof(text)));
	if (a->train > 1)
		pace_say(&b->s, ", in trains of %llu", (unsigned long long)a->train);
	if (a->bursts > 1)
		pace_say(&b->s, ", %llu bursts", (unsigned long long)a->bursts);
	pace_say(&b->s, ": %s%s\n", pace_verdict_name(b->p->verdict),
	    b->p->interrupted ? ", interrupted" : "");
}

static void
say_notes(const struct pace_block *b)
{
	struct pace_notes notes;

	pace_point_notes(b->p, &notes);
	if (notes.n > 0)
		pace_say(&b->s, "\n");
	for (int i = 0; i < notes.n; i++)
		pace_say_wrapped(&b->s, "  ! ", notes.v[i].text);
}

int
pace_text_point(FILE *f, const struct pace_point *p, bool detail, bool utf8)
{
	double bps = fmax(pace_params_rate_bps(&p->ask), p->tx.wire_rate_bps);
	struct pace_block b = {
		.s = { f, utf8 }, .p = p,
		.rate = pace_scale_rate(bps, bps),
		.time = pace_scale_time(typical_gap_ns(p)),
	};

	say_title(&b);
	say_asked_and_achieved(&b);
	say_fate(&b);
	pace_block_gaps(&b);
	pace_block_delays(&b);
	pace_block_energy(&b);
	if (detail)
		pace_block_detail(&b);
	say_notes(&b);
	return pace_say_end(&b.s);
}
