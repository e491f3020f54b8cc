#include "config.h"

#include "report/summary.h"

#include <math.h>
#include <string.h>

#include "doc/loss_attribution.h"
#include "report/axis.h"
#include "report/markup.h"
#include "report/sweep.h"
#include "report/words.h"

/* --- streams ------------------------------------------------------------------------- */

/* The cell of a line with the highest received rate, among those without loss or all. */
static const struct pace_sweep_cell *
best(const struct pace_line *l, bool loss_free)
{
	const struct pace_sweep_cell *c = NULL;

	for (size_t i = 0; i < l->n; i++) {
		const struct pace_sweep_cell *k = &l->cell[i];

		if (k->user_bps.n == 0 || k->loss.n == 0 || (loss_free && k->loss.high > 0))
			continue;
		if (c == NULL || k->user_bps.mid > c->user_bps.mid)
			c = k;
	}
	return c;
}

/* Write a cell with a spacing. */
static void
put_spacing(FILE *f, double ns)
{
	if (ns <= 0)
		pace_cell_print(f, "b-to-b");
	else
		pace_cell_number(f, ns / 1e3, 6);
}

static void
put_bests(FILE *f, const struct pace_sweep *w, struct pace_axis_unit rate)
{
	const struct pace_bins none = { .n = 0 };
	bool repeats = false;

	fputs("<h3>Best rate without loss</h3>\n<table>", f);
	HEADS(f, rate.name, "Payload (B)", "Data (Mbit/s)", "Wire (Mbit/s)", "Spacing (µs)",
	    "Frames, none lost", "No loss from … on (µs)", "PDV p50 (µs)", "p99 (µs)", "p99.9 (µs)",
	    "Highest rate (Mbit/s)", "with loss (%)");
	for (const struct pace_line *l = w->line; l < w->line + w->n; l++) {
		const struct pace_sweep_cell *c = best(l, true), *most = best(l, false);
		double quiet = NAN;	/* no loss from this spacing on; NAN: none such */

		for (size_t i = l->n; i > 0; i--) {
			const struct pace_sweep_cell *k = &l->cell[i - 1];

			if (k->loss.n == 0 || k->loss.high > 0)
				break;
			quiet = k->spacing_ns;
		}
		repeats |= c != NULL && c->n > 1;
		fputs("<tr>", f);
		pace_cell_words(f, l->label);
		pace_cell_number(f, c != NULL ? c->user_bps.mid / rate.one : NAN, 6);
		pace_cell_number(f, c != NULL ? c->wire_bps.mid / rate.one : NAN, 6);
		put_spacing(f, c != NULL ? c->spacing_ns : NAN);
		/* frames of all repetitions */
		pace_cell_frames(f, c != NULL ? c->frames * (double)c->n : NAN);
		put_spacing(f, quiet);
		pace_cell_quantiles(f, c != NULL ? &c->point[0]->rx.pdv : &none);
		pace_cell_number(f, most != NULL ? most->user_bps.mid / rate.one : NAN, 6);
		pace_cell_number(f, most != NULL ? most->loss.mid * 100 : NAN, 4);
		fputs("</tr>\n", f);
	}
	fprintf(f, "</table>\n<p class=\"small\">No loss in N frames means a loss ratio below 3/N with "
	    "95 %% confidence. No loss from … on: no loss at this spacing and all larger ones. "
	    "PDV: delay above the minimum%s.</p>\n", repeats ? ", of the first repetition" : "");
}

/* The values that figures against spacing would show. */
static void
put_points(FILE *f, const struct pace_sweep *w, struct pace_axis_unit rate)
{
	static const enum pace_value hosts[] = { PACE_TX_BUSY, PACE_RX_BUSY, PACE_TX_INTERRUPTS,
	    PACE_RX_INTERRUPTS, PACE_RX_NIC_DROPS, PACE_PAUSES };

	fputs("<h3>All points</h3>\n<div class=\"wide\"><table>", f);
	HEADS(f, rate.name, "Payload (B)", "Spacing (µs)", "Sent, wire (Mbit/s)",
	    "Received, wire (Mbit/s)", "Lost (%)", "Reordered", "Frames sent", "Points", "Failed",
	    "Degraded", "Busiest core: sender (%)", "receiver (%)", "Interrupts: sender (1/s)",
	    "receiver (1/s)", "NIC drops: receiver (frames/s)", "Pause frames (1/s)");
	for (const struct pace_line *l = w->line; l < w->line + w->n; l++)
		for (const struct pace_sweep_cell *c = l->cell; c < l->cell + l->n; c++) {
			fputs("<tr>", f);
			if (w->mixed)
				pace_cell_words(f, l->label);
			else
				pace_cell_print(f, "%u", l->size_bytes);
			put_spacing(f, c->spacing_ns);
			pace_cell_number(f, c->sent_wire_bps.mid / rate.one, 6);
			pace_cell_number(f, c->wire_bps.mid / rate.one, 6);
			pace_cell_number(f, c->loss.mid * 100, 5);
			pace_cell_frames(f, c->reordered.mid);
			pace_cell_frames(f, c->n > 0 ? c->frames : NAN);
			pace_cell_print(f, "%zu", c->n);
			pace_cell_print(f, "%zu", c->failed);
			pace_cell_print(f, c->degraded ? "yes" : "no");
			for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
				pace_cell_number(f, pace_sweep_cell_spread(c, hosts[i]).mid, 4);
			fputs("</tr>\n", f);
		}
	fputs("</table></div>\n", f);
}

static void
put_places(FILE *f, const struct pace_run *r)
{
	struct { double n, low, high; } all[PACE_PLACES] = { { 0 } };
	double lost = 0, refused = 0;
	char text[40];

	for (size_t i = 0; i < r->n; i++) {
		refused += (double)r->point[i].ledger.tx_refused;
		lost += r->point[i].has_rx ? (double)r->point[i].rx.lost : 0;
		for (int p = 0; p < PACE_PLACES && r->point[i].has_rx; p++) {
			const struct pace_share *s = &r->point[i].ledger.place[p];

			all[p].n += (double)s->n;
			all[p].low += (double)s->low;
			all[p].high += (double)s->high;
		}
	}
	if (!(lost > 0) && !(refused > 0))
		return;
	fputs("<h3>Lost frames by location, all points</h3>\n<table>", f);
	HEADS(f, NULL, "Place", "Frames", "at least", "at most");
	if (refused > 0)
		fprintf(f, "<tr><td>refused by send()</td><td>%s</td><td></td><td></td></tr>\n",
		    pace_axis_count(refused, text, sizeof(text)));
	for (int p = 0; p < PACE_PLACES; p++) {
		if (!(all[p].n > 0) && !(all[p].high > 0))
			continue;
		fputs("<tr>", f);
		pace_cell_words(f, pace_loss_attribution_place((enum pace_place)p));
		pace_cell_frames(f, all[p].n);
		pace_cell_frames(f, all[p].low);
		pace_cell_frames(f, all[p].high);
		fputs("</tr>\n", f);
	}
	fputs("</table>\n", f);
}

static void
put_counts(FILE *f, const struct pace_run *r, const struct pace_sweep *w)
{
	size_t degraded = 0, silent = 0;

	for (size_t i = 0; i < r->n; i++) {
		degraded += r->point[i].verdict == PACE_DEGRADED;
		silent += !r->point[i].has_rx;
	}
	fprintf(f, "<p>%zu point%s measured: %zu %s, %zu spacing%s", r->n, r->n == 1 ? "" : "s",
	    w->n, w->n == 1 ? "size" : pace_words_lines(r), w->spacings,
	    w->spacings == 1 ? "" : "s");
	if (r->failures > 0)
		fprintf(f, "; %zu failed", r->failures);
	if (r->skipped > 0)
		fprintf(f, "; %zu %s skipped", r->skipped, r->skipped == 1 ? "point" : "points");
	if (silent > 0)
		fprintf(f, "; %zu without the responder's counts", silent);
	if (degraded > 0)
		fprintf(f, "; %zu whose sender did not keep the spacing", degraded);
	fputs(".</p>\n", f);
}

static void
put_clock_quality(FILE *f, const struct pace_run *r)
{
	double bound = NAN, error = NAN;
	size_t known = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct pace_clock_estimate *e = &r->point[i].clock.fit;

		if (e->segments == 0)
			continue;
		known++;
		bound = fmax(bound, e->bound_ns);
		error = fmax(error, e->uncertainty_ns);
	}
	if (r->n == 0)
		return;
	if (known == 0) {
		fputs("<p>Clocks: offset not known, one-way delays are relative.</p>\n", f);
		return;
	}
	fprintf(f, "<p>Clocks: offset known in %zu of %zu points, error for equal minimum "
	    "delays at most %.2f µs, for any delays at most %.2f µs.</p>\n", known, r->n,
	    error / 1e3, bound / 1e3);
}

static void
put_streams(FILE *f, const struct pace_run *r)
{
	const struct pace_axis_unit rate = pace_value_rate_unit(r);
	struct pace_sweep w;

	if (r->n + r->failures == 0 || pace_sweep_make(&w, r) != 0)
		return;
	put_counts(f, r, &w);
	if (r->n > 0)
		put_bests(f, &w, rate);
	if (r->n > 0 && !pace_run_has_sweep(r))
		put_points(f, &w, rate);
	put_places(f, r);
	put_clock_quality(f, r);
	pace_sweep_free(&w);
	if (r->failures == 0)
		return;
	fputs("<h3>Failed points</h3>\n<table class=\"words\">", f);
	HEADS(f, NULL, "Payload (B)", "Spacing (µs)", "Reason");
	for (size_t i = 0; i < r->failures; i++) {
		fprintf(f, "<tr><td>%u</td>", r->failed[i].size_bytes);
		put_spacing(f, r->failed[i].spacing_ns);
		pace_cell_words(f, r->failed[i].reason);
		fputs("</tr>\n", f);
	}
	fputs("</table>\n", f);
}

/* --- a capture ---------------------------------------------------------------------------- */

static void
put_seen(FILE *f, const struct pace_stream_point *l, bool delays, struct pace_axis_unit rate)
{
	const bool known = l->numbered, heaped = l->heaps.any && !known;
	const double lost = (double)l->rx.lost, sent = (double)l->tx.frames;

	fputs("<tr>", f);
	pace_cell_words(f, l->name);
	pace_cell_frames(f, (double)l->rx.frames);
	pace_cell_number(f, l->rx.user_rate_bps > 0 ? l->rx.user_rate_bps / rate.one : NAN, 6);
	pace_cell_number(f, l->rx.wire_rate_bps > 0 ? l->rx.wire_rate_bps / rate.one : NAN, 6);
	/* lost frames by sequence numbers, or by the bytes missing in heaps */
	pace_cell_frames(f, known ? lost : heaped ? round(l->heaps.frames_missing) : NAN);
	pace_cell_number(f, known && sent > 0 ? 100 * lost / sent : heaped ?
	    100 * l->heaps.frame_loss_ratio : NAN, 4);
	pace_cell_frames(f, known && l->rx.runs.stats.n > 0 ? pace_bins_max(&l->rx.runs) : NAN);
	pace_cell_frames(f, known ? (double)l->rx.reordered : NAN);
	pace_cell_frames(f, known ? (double)l->rx.duplicates : NAN);
	pace_cell_quantiles(f, &l->rx.gap);
	if (delays)
		pace_cell_quantiles(f, &l->rx.owd);
	fputs("</tr>\n", f);
}

static void
put_capture(FILE *f, const struct pace_run *r)
{
	static const char *const heads[] = { "Stream", "Frames", "Data (Mbit/s)", "Wire (Mbit/s)",
		"Lost", "Lost (%)", "Longest", "Reordered", "Duplicates", "Gap p50 (µs)",
		"p99 (µs)", "p99.9 (µs)", "One way p50 (µs)", "p99 (µs)", "p99.9 (µs)" };
	const struct pace_capture *c = &r->capture;
	const bool delays = pace_run_has_delays(r);
	const struct pace_axis_unit rate = pace_value_rate_unit(r);
	char all[40], udp[40];

	fprintf(f, "<p>%s frame%s %s, %s of them UDP, in %zu stream%s. ",
	    pace_axis_count((double)c->frames, all, sizeof(all)), c->frames == 1 ? "" : "s",
	    c->socket[0] != '\0' ? "received" : "captured",
	    pace_axis_count((double)c->udp, udp, sizeof(udp)), r->n, r->n == 1 ? "" : "s");
	if (c->socket[0] != '\0')
		fprintf(f, "The socket of this host dropped %s: its buffer was full, or their "
		    "checksum was wrong.</p>\n",
		    pace_axis_count((double)c->dropped, all, sizeof(all)));
	else if (c->has_drops)
		fprintf(f, "The capture itself lost %s.</p>\n", pace_axis_count((double)c->dropped +
		    (double)c->interface_dropped, all, sizeof(all)));
	else
		fputs("The file does not say what the capture itself lost.</p>\n", f);
	if (c->other_file[0] != '\0') {
		fputs("<p>Lost frames are in the first capture but not in the second, ", f);
		pace_html_text(f, c->other_file);
		fputs(", or the reverse for flows in the other direction.</p>\n", f);
	}
	if (r->n == 0)
		return;
	fputs("<h3>Streams</h3>\n<table>", f);
	pace_cell_heads(f, rate.name, heads, sizeof(heads) / sizeof(heads[0]) - (delays ? 0 : 3));
	for (size_t i = 0; i < r->n; i++)
		put_seen(f, &r->point[i], delays, rate);
	fputs("</table>\n", f);
}

/* --- warnings -------------------------------------------------------------------------------- */

struct warning {
	const struct pace_note *note;	/* the first note of its code */
	size_t	points;			/* points with the note; 0: a note of the run */
	size_t	runs;			/* of two parts from one document: one */
	const json_t *last;		/* the document of the last run with the note */
};

#define WARNINGS_MAX	256

struct warnings {
	struct warning	v[WARNINGS_MAX];
	size_t		n;
};

static void
count_note(struct warnings *w, const struct pace_run *r, const struct pace_note *note,
    size_t points)
{
	struct warning *v = w->v;

	while (v < w->v + w->n && strcmp(v->note->code, note->code) != 0)
		v++;
	if (v == w->v + WARNINGS_MAX)
		return;
	if (v == w->v + w->n)
		w->v[w->n++] = (struct warning){ .note = note };
	v->points += points;
	v->runs += v->last != r->extra;
	v->last = r->extra;
}

static void
count_notes(struct warnings *w, const struct pace_run *r)
{
	for (size_t i = 0; i < r->tcps && !r->tcp_borrowed; i++)
		for (int k = 0; k < r->tcp[i]->notes.n; k++)
			count_note(w, r, &r->tcp[i]->notes.v[k], 1);
	for (int i = 0; i < r->head.r.notes.n; i++)
		count_note(w, r, &r->head.r.notes.v[i], 0);
	for (size_t i = 0; i < r->n; i++)
		for (int k = 0; k < r->point[i].remarks.n; k++)
			count_note(w, r, &r->point[i].remarks.v[k], 1);
	for (size_t i = 0; i < r->trips; i++)
		for (int k = 0; k < r->trip[i].remarks.n; k++)
			count_note(w, r, &r->trip[i].remarks.v[k], 1);
}

void
pace_summary_warnings(FILE *f, const struct pace_report_data *b)
{
	struct warnings w = { .n = 0 };

	for (size_t i = 0; i < b->n; i++)
		count_notes(&w, b->run[i]);
	if (w.n == 0)
		return;
	fputs("<h2 id=\"warnings\">Warnings</h2>\n<ul>\n", f);
	for (const struct warning *v = w.v; v < w.v + w.n; v++) {
		fputs("<li>", f);
		pace_html_text(f, v->note->text);
		if (v->points > 1)
			fprintf(f, " <span class=\"small\">(also, with other numbers: %zu points "
			    "in all)</span>", v->points);
		else if (v->runs > 1)
			fprintf(f, " <span class=\"small\">(in %zu runs)</span>", v->runs);
		fputs("</li>\n", f);
	}
	fputs("</ul>\n", f);
}

/* --- a run ------------------------------------------------------------------------------------ */

void
pace_summary_html(FILE *f, const struct pace_run *r)
{
	char who[512];

	fputs("<h2>", f);
	pace_html_text(f, r->head.r.kind);
	fputs(" ", f);
	pace_html_text(f, pace_words_who(r, who, sizeof(who)));
	fputs("</h2>\n<p class=\"who\">", f);
	if (r->head.r.label[0] != '\0') {
		pace_html_text(f, r->head.r.label);
		fputs(" · ", f);
	}
	pace_html_text(f, r->head.r.started);
	fputs(" · ", f);
	pace_html_text(f, r->name);
	fputs("</p>\n", f);
	if (r->head.r.argc > 0)
		fputs("<p class=\"small\">Command: <code>", f);
	for (int i = 0; i < r->head.r.argc; i++) {
		if (i > 0)
			putc(' ', f);
		pace_html_text(f, r->head.r.argv[i]);
	}
	if (r->head.r.argc > 0)
		fputs("</code></p>\n", f);
	if (!r->whole)
		fprintf(f, "<p class=\"remark\">This run was interrupted: points are "
		    "missing%s.</p>\n", r->torn > 0 ? ", and a line of the file that was cut off "
		    "is left out" : "");
	if (r->n + r->failures + r->trips + r->clocks + r->tcps + r->strange == 0)
		fputs("<p class=\"remark\">There are no points in this result.</p>\n", f);
	if (r->strange > 0)
		fprintf(f, "<p class=\"remark\">%zu %s of a kind that this version of "
		    "udpace does not know: left out.</p>\n", r->strange,
		    r->strange == 1 ? "point is" : "points are");
	if (r->seen)
		put_capture(f, r);
	else if (strcmp(r->head.r.kind, "capacity") == 0)
		pace_summary_capacity(f, r);
	else
		put_streams(f, r);
	pace_summary_tcp(f, r);
	pace_summary_rtt(f, r);
	pace_summary_clocks(f, r);
}
