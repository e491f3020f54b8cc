#include "out/capture_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/units.h"
#include "out/say.h"
#include "out/strip.h"

#define LABEL		18	/* columns before the first figure */
#define FIGURE		14
#define GAP		10
#define TEXT_MAX	64
#define WHERE_MAX	200

struct capture_text_block {
	struct pace_say	s;
	const struct pace_seen *p;
	struct pace_scale rate, time;
};

/* "10.0.0.1:5004", "[fe80::1]:5004" */
static char *
end_of_flow(const struct pace_seen *s, bool source, char *buf, size_t size)
{
	const char *address = source ? s->source : s->destination;
	unsigned port = source ? s->source_port : s->destination_port;

	if (s->ip == 6)
		snprintf(buf, size, "[%s]:%u", address, port);
	else
		snprintf(buf, size, "%s:%u", address, port);
	return buf;
}

/* One of several is told apart by its number. */
static char *
name_of(const struct pace_seen *s, char *buf, size_t size)
{
	char from[TEXT_MAX + 16], to[TEXT_MAX + 16], stream[TEXT_MAX] = "", tag[32] = "";

	if (s->streams > 1 || strcmp(s->stream, "0") != 0)
		snprintf(stream, sizeof(stream), " stream %s", s->stream);
	if (s->vlan != 0)
		snprintf(tag, sizeof(tag), " VLAN %u", s->vlan);
	snprintf(buf, size, "%s > %s%s%s", end_of_flow(s, true, from, sizeof(from)),
	    end_of_flow(s, false, to, sizeof(to)), tag, stream);
	return buf;
}

static void
label(const struct capture_text_block *b, const char *text)
{
	pace_say(&b->s, "  %s", text);
	pace_say_cell(&b->s, LABEL - 2 - pace_width(text), "");
}

static void
count_line(const struct capture_text_block *b, const char *name, uint64_t n, uint64_t whole,
    const char *what)
{
	char text[TEXT_MAX];

	label(b, name);
	pace_say_count(&b->s, FIGURE, n);
	if (n > 0 && whole > 0) {
		pace_percent((double)n / (double)whole, text, sizeof(text));
		text[strcspn(text, " ")] = '\0';
		pace_say(&b->s, "   %s %%", text);
	}
	if (what[0] != '\0')
		pace_say(&b->s, "   %s", what);
	pace_say(&b->s, "\n");
}

static void
figure_line(const struct capture_text_block *b, const char *name, double v, const struct pace_scale *u)
{
	label(b, name);
	pace_say_fixed(&b->s, FIGURE, v > 0 ? v / u->one : NAN, u->decimals);
	pace_say(&b->s, "   %s\n", u->unit);
}

static void
say_sizes(const struct capture_text_block *b)
{
	char low[TEXT_MAX], high[TEXT_MAX], text[3 * TEXT_MAX];

	snprintf(low, sizeof(low), "%u", b->p->size_min);
	snprintf(high, sizeof(high), "%u", b->p->size_max);
	snprintf(text, sizeof(text), "%s to %s", low, high);
	label(b, "size");
	pace_say_cell(&b->s, FIGURE, b->p->size_min == b->p->size_max ? low : text);
	pace_say(&b->s, "   B\n");
}

static void
say_flow(const struct capture_text_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;
	struct pace_scale t = pace_scale_time((double)r->duration_ns);

	if (b->p->between.any)
		count_line(b, "sent", b->p->between.sent, 0, b->p->between.backwards ?
		    "from the second capture to the first" : "");
	count_line(b, b->p->between.any ? "received" : "frames", r->frames, 0, "");
	say_sizes(b);
	figure_line(b, "rate of data", r->user_rate_bps, &b->rate);
	figure_line(b, "rate on the wire", r->wire_rate_bps, &b->rate);
	if (r->gap.stats.n > 0)
		figure_line(b, "mean gap", pace_stats_mean(&r->gap.stats), &b->time);
	figure_line(b, "duration", (double)r->duration_ns, &t);
}

/* --- loss and order -------------------------------------------------------------------- */

static void
say_lost(const struct capture_text_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;
	char text[2 * TEXT_MAX] = "", count[TEXT_MAX];

	if (r->runs.stats.n > 0)
		snprintf(text, sizeof(text), "%" PRIu64 " run%s, longest %s", r->runs.stats.n,
		    r->runs.stats.n > 1 ? "s" : "", pace_print(PACE_UNIT_COUNT,
		    (double)r->runs.stats.max, count, sizeof(count)));
	count_line(b, "lost", r->lost, r->lost + r->unique, text);
}

static void
say_reordered(const struct capture_text_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;
	char text[2 * TEXT_MAX] = "", late[TEXT_MAX];

	if (r->reordered > 0)
		snprintf(text, sizeof(text), "furthest %" PRId64 " places, latest %s",
		    r->extent.stats.max, pace_print(PACE_UNIT_USEC,
		    (double)r->late_ns.stats.max, late, sizeof(late)));
	count_line(b, "reordered", r->reordered, r->unique, text);
}

static void
say_heaps(const struct capture_text_block *b)
{
	const struct pace_seen_heaps *h = &b->p->heaps;
	uint64_t all = h->complete + h->incomplete + h->lost;
	char percent[2 * TEXT_MAX], missing[TEXT_MAX] = "";

	if (h->bytes_missing > 0)
		snprintf(missing, sizeof(missing), "%" PRIu64 " B are missing", h->bytes_missing);
	count_line(b, "heaps", all, 0, "");
	count_line(b, "  complete", h->complete, all, "");
	count_line(b, "  incomplete", h->incomplete, all, missing);
	count_line(b, "  lost whole", h->lost, all, "");
	if (h->unsized > 0)
		count_line(b, "  unsized", h->unsized, 0, "nobody told their size");
	label(b, "lost frames");
	pace_say_fixed(&b->s, FIGURE, h->frames_missing, 0);
	pace_percent(h->frame_loss_ratio, percent, sizeof(percent));
	percent[strcspn(percent, " ")] = '\0';
	pace_say(&b->s, "   %s %%   by the bytes that are missing\n", percent);
	if (h->duplicates > 0)
		count_line(b, "duplicates", h->duplicates, b->p->rx.frames, "");
	if (h->late > 0)
		count_line(b, "too late", h->late, b->p->rx.frames, "of heaps that were given up");
	if (h->absurd > 0)
		count_line(b, "absurd", h->absurd, b->p->rx.frames, "not used");
}

static void
say_fate(const struct capture_text_block *b)
{
	const struct pace_seen *p = b->p;

	pace_say(&b->s, "\n");
	if (p->heaps.any)
		say_heaps(b);
	if (!p->numbered && p->heaps.any)
		return;
	if (!p->numbered) {
		label(b, "lost");
		pace_say_cell(&b->s, FIGURE, "-");
		pace_say(&b->s, "   no numbers are known in its payload\n");
		return;
	}
	say_lost(b);
	say_reordered(b);
	count_line(b, "duplicates", p->rx.duplicates, p->rx.frames, "");
	if (p->rx.beyond_window > 0)
		count_line(b, "beyond window", p->rx.beyond_window, 0,
		    "too old to tell late from duplicate");
	if (p->early > 0)
		count_line(b, "early", p->early, 0, "numbers before the first one captured");
	if (p->between.any && p->between.twins > 0)
		count_line(b, "alike", p->between.twins, p->between.sent, "not told from another one");
	if (p->between.any && p->between.foreign > 0)
		count_line(b, "foreign", p->between.foreign, p->between.received,
		    "received and not sent");
	if (p->strays > 0)
		count_line(b, "stray", p->strays, 0, "numbers far from all others: counted nowhere else");
	if (p->restarts > 0)
		count_line(b, "restarts", p->restarts, 0, "times the numbers began anew");
	if (p->unnumbered > 0)
		count_line(b, "unnumbered", p->unnumbered, p->frames,
		    "of the flow: control, or cut too short");
}

/* --- times ---------------------------------------------------------------------------------- */

static void
hist_line(const struct capture_text_block *b, const char *name, const struct pace_hist *h,
    const struct pace_scale *u)
{
	static const double q[] = { 0.5, 0.99, 0.999 };
	bool any = h->stats.n > 0;

	pace_say(&b->s, "  %-*s", LABEL - 2 - 4, name);	/* a negative time has room */
	pace_say_fixed(&b->s, GAP, any ? (double)h->stats.min / u->one : NAN, u->decimals);
	for (int i = 0; i < 3; i++)
		pace_say_fixed(&b->s, GAP, pace_hist_has_quantile(h->stats.n, q[i]) ?
		    (double)pace_hist_quantile(h, q[i]) / u->one : NAN, u->decimals);
	pace_say_fixed(&b->s, GAP, any ? (double)h->stats.max / u->one : NAN, u->decimals);
	pace_say(&b->s, "   %s\n", u->unit);
}

static void
say_picture(const struct capture_text_block *b)
{
	const struct pace_hist *h = &b->p->rx.gap;
	char bars[PACE_STRIP_TEXT];
	struct pace_strip strip;

	if (h->stats.n == 0)
		return;
	pace_strip_reset(&strip, h->stats.min, h->stats.max);
	pace_strip_add(&strip, h, 0);
	pace_strip_draw(&strip, b->s.utf8, bars);
	pace_say(&b->s, "\n  gaps seen, %s (log of the counts%s)\n", b->time.unit,
	    strip.log ? ", log axis" : "");
	pace_say_fixed(&b->s, GAP + 2, (double)strip.low / b->time.one, b->time.decimals);
	pace_say(&b->s, " |%s| ", bars);
	pace_say_fixed(&b->s, 0, (double)strip.high / b->time.one, b->time.decimals);
	pace_say(&b->s, "\n");
}

static void
table_head(const struct capture_text_block *b, const char *name)
{
	pace_say(&b->s, "\n  %-*s%*s%*s%*s%*s%*s   unit\n", LABEL - 2, name, GAP - 4, "min", GAP,
	    "p50", GAP, "p99", GAP, "p99.9", GAP, "max");
}

static void
say_gaps(const struct capture_text_block *b)
{
	if (b->p->rx.gap.stats.n == 0)
		return;
	table_head(b, "gap");
	hist_line(b, "seen", &b->p->rx.gap, &b->time);
	say_picture(b);
}

/* Between two captures. */
static void
say_owd(const struct capture_text_block *b, const struct pace_scale *u)
{
	const struct pace_seen_between *w = &b->p->between;
	char equal[TEXT_MAX], any[TEXT_MAX];

	if (!b->p->rx.has_owd)
		return;
	hist_line(b, "one way", &b->p->rx.owd, u);
	label(b, "error");
	pace_say(&b->s, "   \xc2\xb1 %s for equally short ways, \xc2\xb1 %s in any case\n",
	    pace_print(PACE_UNIT_USEC, w->uncertainty_ns, equal, sizeof(equal)),
	    pace_print(PACE_UNIT_USEC, w->bound_ns, any, sizeof(any)));
}

static void
say_delays(const struct capture_text_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;
	struct pace_scale u = pace_scale_time(r->has_owd ?
	    (double)pace_hist_quantile(&r->owd, 0.5) : (double)r->pdv.stats.max / 4);
	char now[TEXT_MAX], most[TEXT_MAX];

	if (!b->p->has_delay || r->pdv.stats.n < 2)
		return;
	table_head(b, r->has_owd ? "delay" : "delay, relative");
	say_owd(b, &u);
	hist_line(b, "PDV", &r->pdv, &u);
	hist_line(b, "IPDV", &r->ipdv, &u);
	label(b, "jitter");
	pace_say(&b->s, "   %s at the end, highest %s (RFC 3550)\n",
	    pace_print(PACE_UNIT_USEC, r->jitter_ns, now, sizeof(now)),
	    pace_print(PACE_UNIT_USEC, r->jitter_max_ns, most, sizeof(most)));
	if (b->p->between.any)
		return;
	label(b, "");
	pace_say(&b->s, "   from its sender's stamps; the clocks' drift is in it\n");
}

/* --- for who wants more ---------------------------------------------------------------------- */

static void
spread_line(const struct capture_text_block *b, const char *name, const struct pace_hist *h,
    const struct pace_scale *u)
{
	static const double q[] = { 0.01, 0.5, 0.99 };
	bool any = h->stats.n > 0;

	label(b, name);
	pace_say_fixed(&b->s, GAP, any ? pace_stats_mean(&h->stats) / u->one : NAN, u->decimals);
	pace_say_fixed(&b->s, GAP, any ? pace_stats_stddev(&h->stats) / u->one : NAN, u->decimals);
	for (int i = 0; i < 3; i++)
		pace_say_fixed(&b->s, GAP, pace_hist_has_quantile(h->stats.n, q[i]) ?
		    (double)pace_hist_quantile(h, q[i]) / u->one : NAN, u->decimals);
	pace_say(&b->s, "   %s\n", u->unit);
}

static void
say_detail(const struct capture_text_block *b)
{
	static const struct pace_scale frames = { "frames", 1, 1 };
	const struct pace_seen *p = b->p;
	const struct pace_rx_result *r = &p->rx;

	pace_say(&b->s, "\n  %-*s%*s%*s%*s%*s%*s   unit\n", LABEL - 2, "detail", GAP, "mean", GAP,
	    "std dev", GAP, "p1", GAP, "p50", GAP, "p99");
	spread_line(b, "gap", &r->gap, &b->time);
	if (p->numbered) {
		spread_line(b, "loss run", &r->runs, &frames);
		spread_line(b, "loss distance", &r->distances, &frames);
		spread_line(b, "loss-free run", &r->good_runs, &frames);
		spread_line(b, "reorder extent", &r->extent, &frames);
		spread_line(b, "reorder lateness", &r->late_ns, &b->time);
	}
	count_line(b, "same stamp", r->coalesced_stamps, r->frames,
	    "less than 50 ns after the one before");
	count_line(b, "stamped back", p->backwards, r->frames, "before the one before");
	count_line(b, "of the flow", p->frames, 0, "datagrams");
	if (p->unfollowed > 0)
		count_line(b, "not followed", p->unfollowed, p->frames, "no room for their streams");
}

/* --- a stream ---------------------------------------------------------------------------------- */

static void
say_notes(const struct capture_text_block *b)
{
	const struct pace_notes *n = &b->p->notes;

	if (n->n > 0)
		pace_say(&b->s, "\n");
	for (int i = 0; i < n->n; i++)
		pace_say_wrapped(&b->s, "  ! ", n->v[i].text);
}

int
pace_capture_text_block(FILE *f, const struct pace_seen *p, bool detail, bool utf8)
{
	struct capture_text_block b = { .s = { f, utf8 }, .p = p,
	    .rate = pace_scale_rate(p->rx.wire_rate_bps, p->rx.wire_rate_bps),
	    .time = pace_scale_time((double)pace_hist_quantile(&p->rx.gap, 0.5)) };
	char name[WHERE_MAX];

	pace_say(&b.s, "%s: %s", name_of(p, name, sizeof(name)),
	    p->title[0] != '\0' ? p->title : p->format);
	if (p->dscp > 0 || p->dscp_changes > 0)
		pace_say(&b.s, ", DSCP %u%s", p->dscp, p->dscp_changes > 0 ? " and others" : "");
	pace_say(&b.s, "\n");
	say_flow(&b);
	say_fate(&b);
	say_gaps(&b);
	say_delays(&b);
	if (detail)
		say_detail(&b);
	say_notes(&b);
	return pace_say_end(&b.s);
}

/* --- the capture ---------------------------------------------------------------------------------- */

struct pace_capture_rows
pace_capture_rows(const struct pace_capture *c, double busiest_bps, double gap_ns)
{
	return (struct pace_capture_rows){ .c = c, .rate = pace_scale_rate(busiest_bps,
	    busiest_bps), .time = pace_scale_time(gap_ns) };
}

static void
say_kinds(const struct pace_say *s, const struct pace_capture *c)
{
	const struct { uint64_t n; const char *what; } kinds[] = {
		{ c->udp, "UDP" }, { c->fragments, "later fragments" }, { c->other, "others" },
		{ c->cut_short, "cut too short to tell" }, { c->bad, "contradict themselves" },
	};
	bool first = true;

	pace_say(s, "  ");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].n == 0)
			continue;
		pace_say(s, "%s", first ? "         " : ", ");
		pace_say_count(s, 0, kinds[i].n);
		pace_say(s, " %s", kinds[i].what);
		first = false;
	}
	pace_say(s, "\n");
}

/* What the capture itself did not see: never hidden. */
static void
say_drops(const struct pace_say *s, const struct pace_capture *c)
{
	pace_say(s, "  dropped  ");
	if (!c->has_drops) {
		pace_say(s, "not told in a file: what the capture lost looks like loss\n");
		return;
	}
	pace_say_count(s, 0, c->dropped);
	pace_say(s, " for want of room, ");
	pace_say_count(s, 0, c->interface_dropped);
	pace_say(s, " by the interface%s\n", c->dropped + c->interface_dropped > 0 ?
	    ": these look like loss" : "");
}

int
pace_capture_text_head(FILE *f, const struct pace_capture_rows *r, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const struct pace_capture *c = r->c;
	char text[TEXT_MAX];

	pace_say(&s, "udpace capture %s %s", c->interface[0] != '\0' ? "on" : "of",
	    c->interface[0] != '\0' ? c->interface : c->file);
	if (c->other_file[0] != '\0')
		pace_say(&s, " and %s", c->other_file);
	if (c->filter[0] != '\0')
		pace_say(&s, ", %s", c->filter);
	pace_say(&s, "\n  frames   ");
	pace_say_count(&s, 0, c->frames);
	if (c->frames > 0)
		pace_say(&s, " in %s", pace_print(PACE_UNIT_SEC,
		    (double)c->last_ns - (double)c->first_ns, text, sizeof(text)));
	if (c->cut > 0) {
		pace_say(&s, ", ");
		pace_say_count(&s, 0, c->cut);
		pace_say(&s, " of them captured in part");
	}
	pace_say(&s, "\n");
	if (c->frames > c->udp)
		say_kinds(&s, c);
	if (c->frames > 0)
		pace_say(&s, "  stamps   in %s\n", c->resolution_ns == 1 ? "ns" :
		    "\xc2\xb5s: gaps are no finer");
	say_drops(&s, c);
	pace_say(&s, "\n");
	return pace_say_end(&s);
}

/* --- rows --------------------------------------------------------------------------------------------- */

int
pace_capture_text_row_head(FILE *f, const struct pace_capture_rows *r, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	pace_say(&s, "      frames      rate     lost  reordered  dupl.   gap p50   gap p99  "
	    "format    from > to\n");
	pace_say(&s, "            ");
	pace_say_cell(&s, 10, r->rate.unit);
	pace_say(&s, "        %%                  ");
	pace_say_cell(&s, 10, r->time.unit);
	pace_say_cell(&s, 10, r->time.unit);
	pace_say(&s, "\n");
	return pace_say_end(&s);
}

static void
count_cell(const struct pace_say *s, int width, const struct pace_seen *p, uint64_t n)
{
	if (p->numbered)
		pace_say_count(s, width, n);
	else
		pace_say_cell(s, width, "-");
}

int
pace_capture_text_row(FILE *f, const struct pace_capture_rows *r, const struct pace_seen *p,
    bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const struct pace_rx_result *rx = &p->rx;
	char text[TEXT_MAX], name[WHERE_MAX];

	pace_say_count(&s, 12, rx->frames);
	pace_say_fixed(&s, 10, rx->wire_rate_bps > 0 ? rx->wire_rate_bps / r->rate.one : NAN,
	    r->rate.decimals);
	pace_say_cell(&s, 9, pace_percent(p->numbered ? (double)rx->lost /
	    (double)(rx->lost + rx->unique) : p->heaps.any ? p->heaps.frame_loss_ratio : NAN,
	    text, sizeof(text)));
	count_cell(&s, 11, p, rx->reordered);
	count_cell(&s, 7, p, rx->duplicates);
	pace_say_fixed(&s, 10, rx->gap.stats.n > 0 ? (double)pace_hist_quantile(&rx->gap, 0.5) /
	    r->time.one : NAN, r->time.decimals);
	pace_say_fixed(&s, 10, pace_hist_has_quantile(rx->gap.stats.n, 0.99) ?
	    (double)pace_hist_quantile(&rx->gap, 0.99) / r->time.one : NAN, r->time.decimals);
	pace_say(&s, "  %-8s  %s%s\n", p->format, name_of(p, name, sizeof(name)),
	    p->notes.n > 0 ? "  !" : "");
	return pace_say_end(&s);
}

int
pace_capture_text_tail(FILE *f, const struct pace_result *r, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	if (r->notes.n > 0)
		pace_say(&s, "\n");
	for (int i = 0; i < r->notes.n; i++)
		pace_say_wrapped(&s, "! ", r->notes.v[i].text);
	return pace_say_end(&s);
}
