#include "config.h"

#include "report/summary.h"

#include <math.h>
#include <string.h>

#include "core/units.h"
#include "doc/conclusions.h"
#include "doc/loss_attribution.h"
#include "out/tcp_text.h"
#include "report/axis.h"
#include "report/markup.h"

static void
add_point(struct pace_conclusions *c, const struct pace_stream_point *l)
{
	const bool known = l->has_rx && l->rx.has_owd && !l->owd_relative;

	pace_conclusions_add(c, &(struct pace_point_facts){ .ask = &l->ask, .ledger = &l->ledger,
	    .clock = &l->clock, .has_rx = l->has_rx, .degraded = l->verdict == PACE_DEGRADED,
	    .sent_bps = l->tx.user_rate_bps, .user_bps = l->rx.user_rate_bps,
	    .wire_bps = l->rx.wire_rate_bps, .received = l->rx.unique, .lost = l->rx.lost,
	    .owd_min_ns = known ? pace_bins_min(&l->rx.owd) : NAN,
	    .owd_p50_ns = known ? pace_bins_quantile(&l->rx.owd, 0.5) : NAN,
	    .departed_near = l->departed_near,
	    .note = l->remarks.v, .notes = l->remarks.n });
}

static void
put_rate(FILE *f, const struct pace_conclusions *c, enum pace_direction way)
{
	const struct pace_rated *p = &c->clean[way];
	char rate[32], wire[32], spacing[40], frames[40];

	if (c->answered == 0)
		return;
	if (!(p->user_bps > 0)) {
		fprintf(f, "<li><b>Highest rate without loss:</b> %s.</li>\n", c->lossy >= c->answered ?
		    "none, every point lost frames" : "at no point with a known rate");
		return;
	}
	fprintf(f, "<li><b>Highest rate without loss:</b> %s of user data (%s on the wire), %u B ",
	    pace_print(PACE_UNIT_BPS, p->user_bps, rate, sizeof(rate)),
	    pace_print(PACE_UNIT_BPS, p->wire_bps, wire, sizeof(wire)), p->size_bytes);
	fprintf(f, "%s%s", p->spacing > 0 ? "every " : "",
	    pace_axis_say_spacing((double)p->spacing / 4294967296.0, spacing, sizeof(spacing)));
	if (p->streams > 1)
		fprintf(f, ", %u streams", p->streams);
	if (p->dscp > 0)
		fprintf(f, ", DSCP %u", p->dscp);
	fprintf(f, "; %s frame%s.</li>\n",
	    pace_axis_count((double)p->received, frames, sizeof(frames)), p->received == 1 ? "" :
	    "s");
}

/* "18.1 µs" */
static const char *
micros(double ns, char text[40])
{
	char number[32];

	snprintf(text, 40, "%s µs", pace_axis_digits(ns / 1e3, 3, number, sizeof(number)));
	return text;
}

static void
put_delays(FILE *f, const struct pace_conclusions *c)
{
	char text[5][40];

	if (c->rtt_ns > 0)
		fprintf(f, "<li><b>Round-trip time:</b> at least %s.</li>\n",
		    micros(c->rtt_ns, text[0]));
	if (c->delays > 0)
		fprintf(f, "<li><b>One-way delay:</b> at least %s, with the sender's system call, "
		    "medians %s to %s; error %s if the minimum delays are symmetric, at most %s.</li>\n",
		    micros(c->owd_min_ns, text[0]), micros(c->owd_p50_low_ns, text[1]),
		    micros(c->owd_p50_high_ns, text[2]), micros(c->owd_error_ns, text[3]),
		    micros(c->owd_bound_ns, text[4]));
}

static void
put_losses(FILE *f, const struct pace_conclusions *c)
{
	char lost[40], n[40], low[40], high[40];
	const char *between = "; where: ";

	if (c->answered == 0)
		return;
	if (c->lost == 0) {
		fputs("<li><b>Frames lost:</b> none.</li>\n", f);
		return;
	}
	fprintf(f, "<li><b>Frames lost:</b> %s, in %zu of %zu points",
	    pace_axis_count((double)c->lost, lost, sizeof(lost)), c->lossy, c->answered);
	for (int p = 0; p < PACE_PLACES; p++) {
		const struct pace_share *s = &c->place[p];

		if (s->n == 0)
			continue;
		fprintf(f, "%s%s %s", between, pace_loss_attribution_place((enum pace_place)p),
		    pace_axis_count((double)s->n, n, sizeof(n)));
		if (s->low != s->high)
			fprintf(f, " (%s to %s)", pace_axis_count((double)s->low, low, sizeof(low)),
			    pace_axis_count((double)s->high, high, sizeof(high)));
		between = "; ";
	}
	fputs(".</li>\n", f);
}

static void
put_departures(FILE *f, const struct pace_conclusions *c)
{
	char spacing[40];

	if (c->departed == 0)
		return;
	fprintf(f, "<li><b>Departures:</b> an estimated %.0f %% of the gaps left the host within "
	    "0.2 µs of the spacing", 100 * c->departed_low);
	if (c->departed > 1)
		fprintf(f, " at the worst of %zu points (every %s), %.0f %% at the best",
		    c->departed, pace_axis_say_spacing((double)c->departed_spacing / 4294967296.0,
		    spacing, sizeof(spacing)), 100 * c->departed_high);
	fputs(".</li>\n", f);
}

static void
put_doubts(FILE *f, const struct pace_run *r, const struct pace_conclusions *c)
{
	const size_t silent = c->points - c->answered;

	if (c->degraded + silent + r->failures == 0 && r->whole)
		return;
	fputs("<li><b>Doubtful:</b>", f);
	if (c->degraded > 0)
		fprintf(f, " %zu of %zu points %s degraded, see Warnings.", c->degraded,
		    c->points, c->degraded == 1 ? "is" : "are");
	if (silent > 0)
		fprintf(f, " %zu %s without the responder's counts.", silent,
		    silent == 1 ? "point is" : "points are");
	if (r->failures > 0)
		fprintf(f, " %zu %s failed.", r->failures, r->failures == 1 ? "point" : "points");
	if (!r->whole)
		fputs(" The run was interrupted.", f);
	fputs("</li>\n", f);
}

static void
put_trips(FILE *f, const struct pace_run *r)
{
	for (size_t i = 0; i < r->trips; i++) {
		const struct pace_rtt_point *t = &r->trip[i];
		char text[3][40];

		if (i > 0 && i + 1 < r->trips)	/* only the first and the last size */
			continue;
		fprintf(f, "<li><b>Round-trip time, %u B:</b> ", t->ask.size_bytes);
		if (t->rtt.stats.n > 0)
			fprintf(f, "at least %s, 90 %% at most %s, all at most %s.</li>\n",
			    micros(pace_bins_min(&t->rtt), text[0]),
			    micros(pace_bins_tail(&t->rtt, 0.9), text[1]),
			    micros(pace_bins_max(&t->rtt), text[2]));
		else
			fputs("no replies.</li>\n", f);
	}
}

/* What TCP achieved at each number of connections, and why not more. */
static void
put_tcp(FILE *f, const struct pace_run *r)
{
	char rate[32], why[512];

	for (size_t i = 0; i < r->tcps; i++) {
		const struct pace_tcp_point *p = r->tcp[i];
		const struct pace_tcp_way *w = &p->way[r->tcp_down];

		fprintf(f, "<li><b>TCP, %u %s:</b> %s, ", p->ask.streams, p->ask.streams == 1 ?
		    "connection" : "connections", w->known && w->sums.goodput_bps > 0 ?
		    pace_print(PACE_UNIT_BPS, w->sums.goodput_bps, rate, sizeof(rate)) :
		    "goodput not known");
		pace_html_text(f, pace_tcp_why(p, r->tcp_down, why, sizeof(why)));
		if (pace_tcp_beside(p, r->tcp_down, why, sizeof(why))[0] != '\0') {
			fputs("; ", f);
			pace_html_text(f, why);
		}
		fputs(".</li>\n", f);
	}
}

void
pace_summary_conclusions(FILE *f, const struct pace_run *r)
{
	struct pace_conclusions c;

	if (r->seen || r->n + r->trips + r->tcps == 0)
		return;
	pace_conclusions_begin(&c);
	for (size_t i = 0; i < r->n; i++)
		add_point(&c, &r->point[i]);
	pace_conclusions_close(&c);
	fputs("<ul class=\"first\">\n", f);
	put_rate(f, &c, r->n > 0 ? r->point[0].ask.direction : PACE_UP);
	put_delays(f, &c);
	put_losses(f, &c);
	put_departures(f, &c);
	put_doubts(f, r, &c);
	put_trips(f, r);
	put_tcp(f, r);
	fputs("</ul>\n", f);
	pace_conclusions_free(&c);
}
