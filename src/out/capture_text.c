#include "out/capture_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "out/table.h"

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

/* If a flow has several streams, the number identifies one. */
static char *
name_of(const struct pace_seen *s, char *buf, size_t size)
{
	char from[80], to[80], stream[64] = "", tag[32] = "";

	if (s->streams > 1 || strcmp(s->stream, "0") != 0)
		snprintf(stream, sizeof(stream), " stream %s", s->stream);
	if (s->vlan != 0)
		snprintf(tag, sizeof(tag), " VLAN %u", s->vlan);
	snprintf(buf, size, "%s > %s%s%s", end_of_flow(s, true, from, sizeof(from)),
	    end_of_flow(s, false, to, sizeof(to)), tag, stream);
	return buf;
}

static void
say_counted(const struct capture_text_block *b, const char *label, uint64_t n, uint64_t whole,
    const char *words)
{
	pace_say_counted(&b->s, PACE_COUNT_WIDTH, &(struct pace_counted){ label, n, whole, words });
}

static void
figure_line(const struct capture_text_block *b, const char *name, double v,
    const struct pace_scale *u)
{
	pace_say_label(&b->s, name);
	pace_say_fixed(&b->s, PACE_COUNT_WIDTH, v > 0 ? v / u->one : NAN, u->decimals);
	pace_say(&b->s, "   %s\n", u->unit);
}

static void
say_flow(const struct capture_text_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;
	struct pace_scale t = pace_scale_time((double)r->duration_ns);
	char size[16], sizes[32];

	if (b->p->pair.any)
		say_counted(b, "sent", b->p->pair.sent, 0, b->p->pair.backwards ?
		    "from the second capture to the first" : "");
	say_counted(b, b->p->pair.any ? "received" : "frames", r->frames, 0, "");
	snprintf(size, sizeof(size), "%u", b->p->size_min);
	snprintf(sizes, sizeof(sizes), "%u to %u", b->p->size_min, b->p->size_max);
	pace_say_label(&b->s, "size");
	pace_say_cell(&b->s, PACE_COUNT_WIDTH, b->p->size_min == b->p->size_max ? size : sizes);
	pace_say(&b->s, "   B\n");
	figure_line(b, "rate of data", r->user_rate_bps, &b->rate);
	figure_line(b, "rate on the wire", r->wire_rate_bps, &b->rate);
	if (r->gap.stats.n > 0)
		figure_line(b, "mean gap", pace_stats_mean(&r->gap.stats), &b->time);
	figure_line(b, "duration", (double)r->duration_ns, &t);
}

/* --- loss and order -------------------------------------------------------------------- */

static void
say_heaps(const struct capture_text_block *b)
{
	const struct pace_seen_heaps *h = &b->p->heaps;
	char percent[64];
	const struct pace_counted troubles[] = {
		{ "duplicates", h->duplicates, b->p->rx.frames, "" },
		{ "too late", h->late, b->p->rx.frames, "of heaps that were given up" },
		{ "absurd", h->absurd, b->p->rx.frames, "impossible heap fields: ignored" },
	};

	if (h->bytes_missing > 0)
		say_counted(b, "missing", h->bytes_missing, 0, "bytes of incomplete heaps");
	if (h->size_unknown > 0)
		say_counted(b, "  size_unknown", h->size_unknown, 0, "no datagram has their size");
	pace_say_label(&b->s, "lost frames");
	pace_say_fixed(&b->s, PACE_COUNT_WIDTH, h->frames_missing, 0);
	pace_percent(h->frame_loss_ratio, percent, sizeof(percent));
	percent[strcspn(percent, " ")] = '\0';
	pace_say(&b->s, "   %s %%   by the bytes that are missing\n", percent);
	pace_say_troubles(&b->s, troubles, PACE_COUNT_OF(troubles));
}

static void
say_fate(const struct capture_text_block *b)
{
	const struct pace_seen *p = b->p;
	const struct pace_seen_pair none = { .any = false };
	const struct pace_seen_pair *w = p->pair.any ? &p->pair : &none;
	const struct pace_counted troubles[] = {
		{ "beyond window", p->rx.beyond_window, 0, "too old to tell late from duplicate" },
		{ "early", p->early, 0, "numbers before the first one captured" },
		{ "alike", w->ambiguous, w->sent, "not distinguishable from another frame" },
		{ "foreign", w->foreign, w->received, "received but not sent" },
		{ "stray", p->outliers, 0, "numbers far from all others: ignored elsewhere" },
		{ "restarts", p->restarts, 0, "restarts of the numbering" },
		{ "unnumbered", p->unnumbered, p->frames,
		    "datagrams of the flow: control, or cut too short" },
	};

	char name[32];

	pace_say(&b->s, "\n");
	if (p->rx.has_messages) {
		snprintf(name, sizeof(name), p->message_frames > 0 ? "messages" : "%ss",
		    p->message);
		pace_say_messages(&b->s, name, &p->rx.messages);
	}
	if (p->heaps.any)
		say_heaps(b);
	if (!p->numbered && p->heaps.any)
		return;
	if (!p->numbered) {
		say_counted(b, "lost", PACE_NOT_KNOWN, 0, "no sequence numbers in its payload");
		return;
	}
	pace_say_lost(&b->s, &p->rx);
	pace_say_reordered(&b->s, &p->rx);
	say_counted(b, "duplicates", p->rx.duplicates, p->rx.frames, "");
	pace_say_troubles(&b->s, troubles, PACE_COUNT_OF(troubles));
}

/* --- times ---------------------------------------------------------------------------------- */

static void
say_gaps(const struct capture_text_block *b)
{
	const struct pace_hist *h = &b->p->rx.gap;
	struct pace_strip strip;
	const struct pace_picture picture = { "gaps seen", &strip, NULL, 0 };

	if (h->stats.n == 0)
		return;
	pace_say_hist_head(&b->s, &pace_delay_table, "gap");
	pace_say_hists(&b->s, &pace_delay_table, &(struct pace_hist_line){ "seen", h, &b->time },
	    1);
	pace_strip_reset(&strip, h->stats.min, h->stats.max);
	pace_strip_add(&strip, h, 0);
	pace_say_picture(&b->s, &picture, &b->time);
}

static void
say_delays(const struct capture_text_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;
	struct pace_scale u = pace_scale_time(r->has_owd ?
	    (double)pace_hist_quantile(&r->owd, 0.5) : (double)r->pdv.stats.max / 4);
	const struct pace_hist_line owd = { "one way", &r->owd, &u },
	    varied[] = { { "PDV", &r->pdv, &u }, { "IPDV", &r->ipdv, &u } };

	if (!b->p->has_delay || r->pdv.stats.n < 2)
		return;
	pace_say_hist_head(&b->s, &pace_delay_table, r->has_owd ? "delay" : "delay, relative");
	if (r->has_owd) {		/* between two captures */
		pace_say_hists(&b->s, &pace_delay_table, &owd, 1);
		pace_say_sentence(&b->s, "  error              ", "\xc2\xb1 %s for symmetric "
		    "minimum delays, \xc2\xb1 %s in any case",
		    PACE_AS_USEC(b->p->pair.uncertainty_ns),
		    PACE_AS_USEC(b->p->pair.bound_ns));
	}
	pace_say_hists(&b->s, &pace_delay_table, varied, PACE_COUNT_OF(varied));
	pace_say_label(&b->s, "jitter");
	pace_say(&b->s, "   %s at the end, highest %s (RFC 3550)\n",
	    PACE_AS_USEC(r->jitter_ns), PACE_AS_USEC(r->jitter_max_ns));
	if (b->p->pair.any)
		return;
	pace_say_label(&b->s, "");
	pace_say(&b->s, "   from its sender's stamps; the clocks' drift is in it\n");
}

/* --- details --------------------------------------------------------------------------- */

static void
say_detail(const struct capture_text_block *b)
{
	const struct pace_seen *p = b->p;
	const struct pace_rx_result *r = &p->rx;
	const struct pace_hist_line lines[] = {
		{ "gap", &r->gap, &b->time },
		{ "loss run", &r->runs, &pace_in_frames },	/* these need sequence numbers */
		{ "loss distance", &r->loss_distances, &pace_in_frames },
		{ "loss-free run", &r->loss_free_runs, &pace_in_frames },
		{ "reorder extent", &r->extent, &pace_in_frames },
		{ "reorder lateness", &r->late_ns, &b->time },
	};

	pace_say_hist_head(&b->s, &pace_spread_table, "detail");
	pace_say_hists(&b->s, &pace_spread_table, lines, p->numbered ? PACE_COUNT_OF(lines) : 1);
	say_counted(b, "same stamp", r->coalesced_stamps, r->frames,
	    "less than 50 ns after the previous frame");
	say_counted(b, "stamped back", p->backwards, r->frames, "earlier than the previous frame");
	say_counted(b, "of the flow", p->frames, 0, "datagrams");
	if (p->untracked > 0)
		say_counted(b, "not tracked", p->untracked, p->frames,
		    "no room for their streams");
}

/* --- a stream ----------------------------------------------------------------------- */

int
pace_capture_text_block(FILE *f, const struct pace_seen *p, bool detail, bool utf8)
{
	struct capture_text_block b = { .s = { f, utf8 }, .p = p,
	    .rate = pace_scale_rate(p->rx.wire_rate_bps, p->rx.wire_rate_bps),
	    .time = pace_scale_time((double)pace_hist_quantile(&p->rx.gap, 0.5)) };
	char name[WHERE_MAX], dscp[64] = "";

	if (p->dscp > 0 || p->dscp_changes > 0)
		snprintf(dscp, sizeof(dscp), ", DSCP %u%s", p->dscp,
		    p->dscp_changes > 0 ? " and others" : "");
	pace_say_sentence(&b.s, "", "%s: %s%s", name_of(p, name, sizeof(name)),
	    p->title[0] != '\0' ? p->title : p->format, dscp);
	say_flow(&b);
	say_fate(&b);
	say_gaps(&b);
	say_delays(&b);
	if (detail)
		say_detail(&b);
	pace_say_notes(&b.s, "  ! ", &p->notes);
	return pace_say_end(&b.s);
}

/* --- the capture -------------------------------------------------------------------- */

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
		{ c->cut_short, "cut too short to classify" },
		{ c->bad, "with contradictory headers" },
	};
	char text[PACE_COUNT_OF(kinds) * 80] = "";
	size_t n = 0;

	for (size_t i = 0; i < PACE_COUNT_OF(kinds); i++)
		if (kinds[i].n > 0)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %s",
			    n > 0 ? ", " : "", PACE_AS_COUNT(kinds[i].n), kinds[i].what);
	pace_say_wrapped(s, "           ", text);
}

static void
say_frames(const struct pace_say *s, const struct pace_capture *c)
{
	char span[80] = "", cut[96] = "";

	if (c->frames > 0)
		snprintf(span, sizeof(span), " in %s",
		    PACE_AS_SEC((double)c->last_ns - (double)c->first_ns));
	if (c->cut > 0 && c->socket[0] == '\0')	/* a socket reads only the headers */
		snprintf(cut, sizeof(cut), ", %s of them captured in part", PACE_AS_COUNT(c->cut));
	pace_say_sentence(s, "  frames   ", "%s%s%s", PACE_AS_COUNT(c->frames), span, cut);
	if (c->frames > c->udp)
		say_kinds(s, c);
}

int
pace_capture_text_head(FILE *f, const struct pace_capture_rows *r, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const struct pace_capture *c = r->c;
	bool live = c->interface[0] != '\0', second = c->other_file[0] != '\0';

	if (c->socket[0] != '\0')
		pace_say_sentence(&s, "udpace receive ", "on %s%s%s", c->socket,
		    strcmp(c->interface, "any") != 0 ? " of " : "",
		    strcmp(c->interface, "any") != 0 ? c->interface : "");
	else
		pace_say_sentence(&s, "udpace capture ", "%s %s%s%s%s%s", live ? "on" : "of",
		    live ? c->interface : c->file, second ? " and " : "",
		    second ? c->other_file : "", c->filter[0] != '\0' ? ", " : "", c->filter);
	if (c->group[0] != '\0')
		pace_say_sentence(&s, "  group    ", "%s, from %s", c->group,
		    c->source[0] != '\0' ? c->source : "any source");
	say_frames(&s, c);
	if (c->frames > 0)
		pace_say(&s, "  stamps   in %s\n", c->resolution_ns == 1 ? "ns" :
		    "\xc2\xb5s: gaps are no finer");
	if (c->rcvbuf_granted > 0)
		pace_say_sentence(&s, "  buffer   ", "%s granted of %s requested",
		    PACE_AS_BYTES(c->rcvbuf_granted), PACE_AS_BYTES(c->rcvbuf_asked));
	/* losses of the capture itself are always shown */
	if (c->socket[0] != '\0')
		pace_say_sentence(&s, "  dropped  ", "%s by the socket%s",
		    PACE_AS_COUNT(c->dropped),
		    c->dropped > 0 ? ": its buffer was full, or their checksum was wrong" : "");
	else if (c->has_drops)
		pace_say_sentence(&s, "  dropped  ", "%s by a full buffer, %s by the interface%s",
		    PACE_AS_COUNT(c->dropped), PACE_AS_COUNT(c->interface_dropped),
		    c->dropped + c->interface_dropped > 0 ? ": these look like loss" : "");
	else
		pace_say(&s, "  dropped  not known from a file: its own drops look like loss\n");
	pace_say(&s, "\n");
	return pace_say_end(&s);
}

/* --- rows --------------------------------------------------------------------------- */

enum { FRAMES, RATE, PERCENT, TIME, NOTHING, UNITS };
static const struct pace_column columns[] = {
	{ "frames", 12, FRAMES }, { "rate", 8, RATE }, { "lost", 9, PERCENT },
	{ "reordered", 10, FRAMES }, { "dupl.", 6, FRAMES }, { "gap p50", 9, TIME },
	{ "gap p99", 9, TIME },
	{ "  format", 8, NOTHING },
};
#define FIGURES		(PACE_COUNT_OF(columns) - 1)	/* the columns before the words */
#define FLAGS_ROOM	6	/* 80 columns in all */

static void
fill_units(struct pace_scale units[UNITS], const struct pace_capture_rows *r)
{
	units[FRAMES] = (struct pace_scale){ "", 1, PACE_IN_GROUPS };
	units[RATE] = r->rate;
	units[PERCENT] = (struct pace_scale){ "%", 1, PACE_AS_PERCENT };
	units[TIME] = r->time;
	units[NOTHING] = (struct pace_scale){ "", 1, 0 };
}

int
pace_capture_text_row_head(FILE *f, const struct pace_capture_rows *r, bool utf8)
{
	struct pace_scale units[UNITS];

	fill_units(units, r);
	return pace_row_table_head(f, &(struct pace_row_table){ columns, PACE_COUNT_OF(columns), units,
	    0 }, utf8);
}

int
pace_capture_text_row(FILE *f, const struct pace_capture_rows *r, const struct pace_seen *p,
    bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const struct pace_rx_result *rx = &p->rx;
	const double v[FIGURES] = { (double)rx->frames,
	    rx->wire_rate_bps > 0 ? rx->wire_rate_bps : NAN,
	    p->numbered ? (double)rx->lost / (double)(rx->lost + rx->unique) :
	    p->heaps.any ? p->heaps.frame_loss_ratio : NAN,
	    p->numbered ? (double)rx->reordered : NAN, p->numbered ? (double)rx->duplicates : NAN,
	    rx->gap.stats.n > 0 ? (double)pace_hist_quantile(&rx->gap, 0.5) : NAN,
	    pace_figure_of(&rx->gap, PACE_QUANTILE, 0.99) };
	struct pace_scale units[UNITS];
	char name[WHERE_MAX], flags[PACE_FLAGS_MAX];

	fill_units(units, r);
	pace_say_wrapped(&s, "", name_of(p, name, sizeof(name)));
	pace_say_cells(&s, &(struct pace_row_table){ columns, FIGURES, units, 0 }, v);
	pace_say(&s, "  %-8s", p->format);
	pace_say_flags(&s, FLAGS_ROOM, pace_flags_row(&p->notes, false, false, flags, r->flags));
	return pace_say_end(&s);
}

int
pace_capture_text_tail(FILE *f, const struct pace_result *r, const struct pace_flags *used,
    bool utf8)
{
	const struct pace_say s = { f, utf8 };

	pace_say_legend(&s, used);
	pace_say_notes(&s, "! ", &r->notes);
	return pace_say_end(&s);
}
