#include "config.h"

#include "report/summary.h"

#include <math.h>
#include <stdlib.h>

#include "report/markup.h"

/* --- round trips ------------------------------------------------------------------------- */

static void
put_fit_line(FILE *f, const char *what, const struct pace_linefit *l)
{
	if (!l->has_line)
		return;
	fprintf(f, "<tr><td>%s</td>", what);
	pace_cell_number(f, l->intercept / 1e3, 5);
	pace_cell_number(f, l->has_errors ? l->intercept_stderr / 1e3 : NAN, 4);
	pace_cell_number(f, l->slope, 5);
	pace_cell_number(f, l->has_errors ? l->slope_stderr : NAN, 4);
	pace_cell_number(f, l->has_errors ? l->r2 : NAN, 4);
	fputs("</tr>\n", f);
}

static void
put_fit(FILE *f, const struct pace_run *r)
{
	double *x = calloc(3 * r->trips, sizeof(*x)), *low = x + r->trips, *mid = low + r->trips;
	struct pace_latency_fits fits = { .expected_slope = 0 };
	size_t n = 0;

	if (x == NULL)
		return;
	for (size_t i = 0; i < r->trips; i++) {
		if (r->trip[i].rtt.stats.n == 0)
			continue;
		x[n] = r->trip[i].ask.size_bytes;
		low[n] = pace_bins_min(&r->trip[i].rtt);
		mid[n++] = pace_bins_quantile(&r->trip[i].rtt, 0.5);
	}
	pace_latency_fit(&fits, x, low, mid, n);
	free(x);
	if (!fits.min.has_line)
		return;
	fputs("<h3>Line through the sizes</h3>\n<table>", f);
	HEADS(f, NULL, "Round trip", "Fixed (µs)", "±", "ns per byte", "±", "R²");
	put_fit_line(f, "shortest", &fits.min);
	put_fit_line(f, "median", &fits.median);
	fputs("</table>\n", f);
}

void
pace_summary_rtt(FILE *f, const struct pace_run *r)
{
	if (r->trips == 0)
		return;
	fputs("<h3>Round trips of the application</h3>\n<table>", f);
	HEADS(f, NULL, "Payload (B)", "Requests", "No reply", "min (µs)", "p50 (µs)", "p99 (µs)",
	    "p99.9 (µs)", "max (µs)");
	for (size_t i = 0; i < r->trips; i++) {
		const struct pace_rtt_point *t = &r->trip[i];

		fprintf(f, "<tr><td>%u</td>", t->ask.size_bytes);
		pace_cell_frames(f, (double)t->sent);
		pace_cell_frames(f, (double)t->timeouts);
		pace_cell_micros(f, pace_bins_min(&t->rtt));
		pace_cell_quantiles(f, &t->rtt);
		pace_cell_micros(f, pace_bins_max(&t->rtt));
		fputs("</tr>\n", f);
	}
	fputs("</table>\n", f);
	put_fit(f, r);
}

/* --- clocks ------------------------------------------------------------------------------ */

void
pace_summary_clocks(FILE *f, const struct pace_run *r)
{
	if (r->clocks == 0)
		return;
	fputs("<h3>Clock of the responder against this host's</h3>\n<table>", f);
	HEADS(f, NULL, "Exchanges", "Offset (µs)", "Skew (ppm)",
	    "Error, equal minimum delays (µs)",
	    "Error, any delays (µs)", "Shortest round trip (µs)");
	for (size_t i = 0; i < r->clocks; i++) {
		const struct pace_clock *k = &r->clock[i];
		const bool known = k->fit.segments > 0;

		fputs("<tr>", f);
		pace_cell_frames(f, (double)k->exchanges);
		pace_cell_number(f, (double)k->wall_offset_ns / 1e3, 12);
		pace_cell_number(f, known ? k->fit.v[0].line.rate * 1e6 : NAN, 5);
		pace_cell_micros(f, known ? k->fit.uncertainty_ns : NAN);
		pace_cell_micros(f, known ? k->fit.bound_ns : NAN);
		pace_cell_micros(f, k->min_rtt_ns != PACE_NO_TIME ? (double)k->min_rtt_ns : NAN);
		fputs("</tr>\n", f);
	}
	fputs("</table>\n", f);
}
