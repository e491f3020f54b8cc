#include "config.h"

#include "report/summary_own.h"

#include <math.h>
#include <string.h>

#include "doc/loss_attribution.h"
#include "report/axis.h"
#include "report/html.h"
#include "report/sweep.h"
#include "report/words.h"

/* --- streams ------------------------------------------------------------------------- */

/* The cell of a line that received most, of those without any loss or of all. */
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

/* The smallest spacing from which on nothing was lost at any; NAN: at the largest there was
 * loss. */
static double
quiet_from_ns(const struct pace_line *l)
{
	double from = NAN;

	for (size_t i = l->n; i > 0; i--) {
		const struct pace_sweep_cell *k = &l->cell[i - 1];

		if (k->loss.n == 0)
			continue;
		if (k->loss.high > 0)
			break;
		from = k->spacing_ns;
	}
	return from;
}

/* A spacing in its column. */
static void
spacing(FILE *f, double ns)
{
	if (ns <= 0)
		pace_cell_print(f, "b-to-b");
	else
		pace_cell_number(f, ns / 1e3, 6);
}

/* Frames of a cell, over all its repetitions. */
static double
frames_of(const struct pace_sweep_cell *c)
{
	return c->frames * (double)c->n;
}

static void
put_best(FILE *f, const struct pace_line *l)
{
	const struct pace_sweep_cell *c = best(l, true), *most = best(l, false);
	const struct pace_bins none = { .n = 0 };
	char text[40];

	fputs("<tr>", f);
	pace_cell_words(f, l->label);
	pace_cell_number(f, c != NULL ? c->user_bps.mid / 1e6 : NAN, 6);
	pace_cell_number(f, c != NULL ? c->wire_bps.mid / 1e6 : NAN, 6);
	spacing(f, c != NULL ? c->spacing_ns : NAN);
	if (c != NULL)
		pace_cell_print(f, "%s", pace_axis_count(frames_of(c), text, sizeof(text)));
	else
		pace_cell_print(f, "–");
	spacing(f, quiet_from_ns(l));
	pace_cell_quantiles(f, c != NULL ? &c->point[0]->rx.pdv : &none);
	pace_cell_number(f, most != NULL ? most->user_bps.mid / 1e6 : NAN, 6);
	pace_cell_number(f, most != NULL ? most->loss.mid * 100 : NAN, 4);
	fputs("</tr>\n", f);
}

static void
put_bests(FILE *f, const struct pace_sweep *w)
{
	fputs("<h3>Best rate without loss</h3>\n<table>", f);
	HEADS(f, "Payload (B)", "Data (Mbit/s)", "Wire (Mbit/s)", "Spacing (µs)", "Frames, none lost",
	    "No loss from … on (µs)", "PDV p50 (µs)", "p99 (µs)", "p99.9 (µs)", "Highest rate (Mbit/s)", "with loss (%)");
	for (size_t i = 0; i < w->n; i++)
		put_best(f, &w->line[i]);
	fputs("</table>\n<p class=\"small\">Of N frames none lost means: less than 3/N are, with "
	    "95 % confidence. No loss from … on: none at that spacing and at any larger one. "
	    "PDV: delay above the shortest one.</p>\n", f);
}

struct attributions { uint64_t n, low, high; bool known; };

static void
put_places(FILE *f, const struct pace_run *r)
{
	struct attributions all[PACE_PLACES] = { { 0 } };
	uint64_t lost = 0, refused = 0;
	char text[40];

	for (size_t i = 0; i < r->n; i++) {
		refused += r->point[i].ledger.tx_refused;
		lost += r->point[i].has_rx ? r->point[i].rx.lost : 0;
		for (int p = 0; p < PACE_PLACES && r->point[i].has_rx; p++) {
			const struct pace_share *s = &r->point[i].ledger.place[p];

			all[p].known |= s->known;
			all[p].n += s->n;
			all[p].low += s->low;
			all[p].high += s->high;
		}
	}
	if (lost == 0 && refused == 0)
		return;
	fputs("<h3>Loss by place, all points</h3>\n<table>", f);
	HEADS(f, "Place", "Frames", "at least", "at most");
	if (refused > 0)
		fprintf(f, "<tr><td>refused by send()</td><td>%s</td><td></td><td></td></tr>\n",
		    pace_axis_count((double)refused, text, sizeof(text)));
	for (int p = 0; p < PACE_PLACES; p++) {
		if (all[p].n == 0 && all[p].high == 0)
			continue;
		fputs("<tr>", f);
		pace_cell_words(f, pace_loss_attribution_place((enum pace_place)p));
		pace_cell_print(f, "%s", pace_axis_count((double)all[p].n, text, sizeof(text)));
		pace_cell_print(f, "%s", pace_axis_count((double)all[p].low, text, sizeof(text)));
		pace_cell_print(f, "%s", pace_axis_count((double)all[p].high, text, sizeof(text)));
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
	fprintf(f, "<p>%zu points measured: %zu sizes, %zu spacings", r->n, w->n, w->spacings);
	if (r->failures > 0)
		fprintf(f, "; %zu failed", r->failures);
	if (r->skipped > 0)
		fprintf(f, "; %zu %s skipped", r->skipped, r->skipped == 1 ? "point" : "points");
	if (silent > 0)
		fprintf(f, "; of %zu the responder's counts did not arrive", silent);
	if (degraded > 0)
		fprintf(f, "; in %zu the sender did not keep the spacing", degraded);
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
		fputs("<p>Clocks: their relation is not known, one-way delays are relative.</p>\n", f);
		return;
	}
	fprintf(f, "<p>Clocks: related in %zu of %zu points, error for equal delays at most "
	    "%.2f µs, for any delays at most %.2f µs.</p>\n", known, r->n, error / 1e3,
	    bound / 1e3);
}

static void
put_failed(FILE *f, const struct pace_run *r)
{
	if (r->failures == 0)
		return;
	fputs("<h3>Failed points</h3>\n<table class=\"words\">", f);
	HEADS(f, "Payload (B)", "Spacing (µs)", "Reason");
	for (size_t i = 0; i < r->failures; i++) {
		fprintf(f, "<tr><td>%u</td><td>%.6g</td>", r->failed[i].size_bytes,
		    r->failed[i].spacing_ns / 1e3);
		pace_cell_words(f, r->failed[i].reason);
		fputs("</tr>\n", f);
	}
	fputs("</table>\n", f);
}

static void
put_streams(FILE *f, const struct pace_run *r)
{
	struct pace_sweep w;

	if (r->n + r->failures == 0 || pace_sweep_make(&w, r) != 0)
		return;
	put_counts(f, r, &w);
	if (r->n > 0)
		put_bests(f, &w);
	put_places(f, r);
	put_clock_quality(f, r);
	put_failed(f, r);
	pace_sweep_free(&w);
}

/* --- a capture ---------------------------------------------------------------------------- */

/* By its numbers, or by the bytes that its heaps lack. */
static void
put_seen_lost(FILE *f, const struct pace_stream_point *l)
{
	const bool known = l->numbered && l->tx.frames > 0;

	pace_cell_number(f, l->numbered ? (double)l->rx.lost : l->heaped ? round(l->heap_frames) : NAN, 9);
	pace_cell_number(f, known ? 100 * (double)l->rx.lost / (double)l->tx.frames : l->heaped ?
	    100 * l->heap_ratio : NAN, 4);
}

static void
put_seen_row(FILE *f, const struct pace_stream_point *l, bool delays)
{
	const struct pace_stream_point_rx *r = &l->rx;
	const bool known = l->numbered;
	char text[40];

	fputs("<tr>", f);
	pace_cell_words(f, l->name);
	pace_cell_print(f, "%s", pace_axis_count((double)r->frames, text, sizeof(text)));
	pace_cell_number(f, r->user_rate_bps > 0 ? r->user_rate_bps / 1e6 : NAN, 6);
	pace_cell_number(f, r->wire_rate_bps > 0 ? r->wire_rate_bps / 1e6 : NAN, 6);
	put_seen_lost(f, l);
	pace_cell_number(f, known && r->runs.n > 0 ? pace_bins_max(&r->runs) : NAN, 9);
	pace_cell_number(f, known ? (double)r->reordered : NAN, 9);
	pace_cell_number(f, known ? (double)r->duplicates : NAN, 9);
	pace_cell_quantiles(f, &r->gap);
	if (delays)
		pace_cell_quantiles(f, &r->owd);
	fputs("</tr>\n", f);
}

static void
put_seen_table(FILE *f, const struct pace_run *r)
{
	const bool delays = pace_run_has_delays(r);

	fputs("<h3>Streams</h3>\n<table>", f);
	if (delays)
		HEADS(f, "Stream", "Frames", "Data (Mbit/s)", "Wire (Mbit/s)", "Lost", "Lost (%)",
		    "Longest", "Reordered", "Duplicates", "Gap p50 (µs)", "p99 (µs)", "p99.9 (µs)",
		    "One way p50 (µs)", "p99 (µs)", "p99.9 (µs)");
	else
		HEADS(f, "Stream", "Frames", "Data (Mbit/s)", "Wire (Mbit/s)", "Lost", "Lost (%)",
		    "Longest", "Reordered", "Duplicates", "Gap p50 (µs)", "p99 (µs)", "p99.9 (µs)");
	for (size_t i = 0; i < r->n; i++)
		put_seen_row(f, &r->point[i], delays);
	fputs("</table>\n", f);
}

static void
put_capture(FILE *f, const struct pace_run *r)
{
	const struct pace_capture *c = &r->capture;
	char all[40], udp[40];

	fprintf(f, "<p>%s frames captured, %s of them UDP, in %zu stream%s. ",
	    pace_axis_count((double)c->frames, all, sizeof(all)),
	    pace_axis_count((double)c->udp, udp, sizeof(udp)), r->n, r->n == 1 ? "" : "s");
	if (c->has_drops)
		fprintf(f, "The capture itself lost %s.</p>\n", pace_axis_count((double)c->dropped +
		    (double)c->interface_dropped, all, sizeof(all)));
	else
		fputs("What the capture itself lost is not told in a file.</p>\n", f);
	if (c->other_file[0] != '\0') {
		fputs("<p>Lost is what the first capture has and the second, ", f);
		pace_html_text(f, c->other_file);
		fputs(", has not, or, of a flow that goes back, the other way round.</p>\n", f);
	}
	if (r->n == 0)
		return;
	put_seen_table(f, r);
}

/* --- warnings -------------------------------------------------------------------------------- */

struct warning {
	const struct pace_note *note;	/* the first of its code */
	size_t	points;			/* that have it; 0: of the whole run */
};

#define WARNINGS_MAX	256

static void
count_note(struct warning *v, size_t *n, const struct pace_note *note, size_t points)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(v[i].note->code, note->code) == 0) {
			v[i].points += points;
			return;
		}
	if (*n < WARNINGS_MAX)
		v[(*n)++] = (struct warning){ note, points };
}

static size_t
gather(const struct pace_run *r, struct warning v[WARNINGS_MAX])
{
	size_t n = 0;

	for (int i = 0; i < r->head.r.notes.n; i++)
		count_note(v, &n, &r->head.r.notes.v[i], 0);
	for (size_t i = 0; i < r->n; i++)
		for (int k = 0; k < r->point[i].remarks.n; k++)
			count_note(v, &n, &r->point[i].remarks.v[k], 1);
	for (size_t i = 0; i < r->trips; i++)
		for (int k = 0; k < r->trip[i].remarks.n; k++)
			count_note(v, &n, &r->trip[i].remarks.v[k], 1);
	return n;
}

static void
put_warnings(FILE *f, const struct pace_run *r)
{
	struct warning v[WARNINGS_MAX];
	size_t n = gather(r, v);

	if (!r->whole)
		fprintf(f, "<p class=\"remark\">This run was interrupted: points are missing%s.</p>\n",
		    r->torn > 0 ? ", and a line of the file that was cut off is left out" : "");
	if (n == 0)
		return;
	fputs("<h3>Warnings</h3>\n<ul>\n", f);
	for (size_t i = 0; i < n; i++) {
		fputs("<li>", f);
		pace_html_text(f, v[i].note->text);
		if (v[i].points > 1)
			fprintf(f, " <span class=\"small\">(and so, with other numbers, in %zu points "
			    "in all)</span>", v[i].points);
		fputs("</li>\n", f);
	}
	fputs("</ul>\n", f);
}

/* --- a run ------------------------------------------------------------------------------------ */

static void
put_command(FILE *f, const struct pace_run *r)
{
	if (r->head.r.argc == 0)
		return;
	fputs("<p class=\"small\">Command: <code>", f);
	for (int i = 0; i < r->head.r.argc; i++) {
		if (i > 0)
			putc(' ', f);
		pace_html_text(f, r->head.r.argv[i]);
	}
	fputs("</code></p>\n", f);
}

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
	put_command(f, r);
	if (r->n + r->failures + r->trips + r->clocks + r->strange == 0)
		fputs("<p class=\"remark\">There are no points in this result.</p>\n", f);
	if (r->strange > 0)
		fprintf(f, "<p class=\"remark\">%zu points are of a kind that this version of udpace "
		    "does not know: they are left out.</p>\n", r->strange);
	if (r->seen)
		put_capture(f, r);
	else if (strcmp(r->head.r.kind, "capacity") == 0)
		pace_summary_capacity(f, r);
	else
		put_streams(f, r);
	pace_summary_rtt(f, r);
	pace_summary_clocks(f, r);
	put_warnings(f, r);
	pace_summary_hosts(f, r);
}
