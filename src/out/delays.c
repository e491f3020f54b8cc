/* Print the delays of one point and the clock estimate they depend on: block.h. */
#include "out/block.h"

#include <stdarg.h>

#include "out/table.h"

#define SENTENCE_MAX	512

/* Print words after a label, on as many lines as they need. */
__attribute__((format(printf, 3, 4)))
static void
sentence(const struct pace_block *b, const char *label, const char *fmt, ...)
{
	char first[64], text[SENTENCE_MAX];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	snprintf(first, sizeof(first), "  %-*s", PACE_LABEL - 2, label);
	pace_say_wrapped(&b->s, first, text);
}

/* Print the error of the delay, or why the delay is only relative. */
static void
say_error(const struct pace_block *b)
{
	const struct pace_clock_estimate *e = &b->p->clock.fit;

	if (e->segments == 0)
		sentence(b, "error", "relative only: the offset between the clocks is not known");
	else if (b->p->owd_relative)
		sentence(b, "error", "relative only: the error of the clocks' offset, \xc2\xb1 %s, "
		    "exceeds the delay", PACE_AS_USEC(e->bound_ns));
	else
		sentence(b, "error", "\xc2\xb1 %s for symmetric minimum delays, \xc2\xb1 %s in any "
		    "case", PACE_AS_USEC(e->uncertainty_ns), PACE_AS_USEC(e->bound_ns));
}

/* Print reasons to doubt the clock line or the stamps. */
static void
say_clocks(const struct pace_block *b)
{
	const struct pace_clock *c = &b->p->clock;
	char skew[128] = "", lost[64] = "";

	if (c->fit.segments > 0)
		snprintf(skew, sizeof(skew), "skew %s; ",
		    PACE_AS_SKEW(pace_clock_rate_at(&c->fit, pace_clock_mid(c)) * 1e6,
		    pace_clock_rate_bound_at(&c->fit, pace_clock_mid(c)) * 1e6, 3));
	if (c->timeouts > 0)
		snprintf(lost, sizeof(lost), ", %llu timed out", (unsigned long long)c->timeouts);
	if (c->exchanges == 0)
		sentence(b, "clocks", "not known: no exchange was answered%s", lost);
	else
		sentence(b, "clocks", "%s%llu exchange%s, shortest round trip %s%s%s", skew,
		    (unsigned long long)c->exchanges, c->exchanges > 1 ? "s" : "",
		    PACE_AS_USEC(c->min_rtt_ns), lost,
		    c->stamp < PACE_STAMP_KERNEL ? "; not all stamped by the kernel" : "");
	if (c->fit.segments > 1)
		sentence(b, "", "not linear: %d segments, each with its own line",
		    c->fit.segments);
	if (c->fit.wanders)
		sentence(b, "", "the clocks wander: no straight line fits them well");
	if (c->our_steps + c->their_steps > 0)
		sentence(b, "", "wall clocks were set during the run (client %llu, responder %llu "
		    "times); do not trust stamps near these times",
		    (unsigned long long)c->our_steps, (unsigned long long)c->their_steps);
}

void
pace_block_delays(const struct pace_block *b)
{
	static const struct pace_hist none;
	const struct pace_point *p = b->p;
	const struct pace_rx_result *r = p->has_rx ? &p->rx : NULL;
	bool absolute = r != NULL && r->has_owd && !p->owd_relative;
	const struct pace_hist *owd = absolute ? &r->owd : &none;
	const struct pace_hist *pdv = r != NULL ? &r->pdv : &none;
	const struct pace_scale t = pace_scale_time((double)pace_hist_quantile(owd, 0.5));
	const struct pace_scale v = pace_scale_time((double)pace_hist_quantile(pdv, 0.5));
	const struct pace_hist_line lines[] = {
		{ "one way", owd, &t },
		{ "as scheduled", absolute ? &r->owd_scheduled : &none, &t },
		{ "PDV", pdv, &v },
		{ "IPDV", r != NULL ? &r->ipdv : &none, &v },
	};

	pace_say_hist_head(&b->s, &pace_delay_table, "delay");
	pace_say_hists(&b->s, &pace_delay_table, lines, PACE_COUNT_OF(lines));
	if (p->ask.train > 1)
		sentence(b, "", "of the first frame of each train");
	if (r != NULL && r->ipdv.stats.n > 0)
		sentence(b, "jitter", "%s at the end, highest %s (RFC 3550)",
		    PACE_AS_USEC(r->jitter_ns), PACE_AS_USEC(r->jitter_max_ns));
	else
		sentence(b, "jitter", "-");
	if (pdv->stats.n > 0)
		say_error(b);
	say_clocks(b);
}

/* --- details ----------------------------------------------------------------------- */

static void
say_wall_clock(const struct pace_block *b, const char *whose,
    const struct pace_clock_state *s, uint64_t steps, uint64_t slews)
{
	char state[256] = "state not known";

	if (s->known)
		snprintf(state, sizeof(state), "%s, error %s, at most %s, corrected by %s ppm",
		    s->synchronised ? "synchronised" : "not synchronised",
		    PACE_AS_USEC(s->error_ns), PACE_AS_USEC(s->error_max_ns),
		    PACE_AS_FIXED(s->frequency_ppm, 3));
	sentence(b, "wall clock", "%s: %s; set %llu time%s, rate changed %llu time%s",
	    whose, state, (unsigned long long)steps, steps == 1 ? "" : "s",
	    (unsigned long long)slews, slews == 1 ? "" : "s");
}

/* Times are relative to the start of the stream. */
void
pace_block_clocks(const struct pace_block *b)
{
	const struct pace_clock *c = &b->p->clock;
	double zero = (double)c->from_ns;

	for (int i = 0; i < c->fit.segments; i++) {
		const struct pace_clock_segment *s = &c->fit.v[i];

		sentence(b, "clock line", "from %s to %s: responder - client %s, %s ppm, "
		    "\xc2\xb1 %s",
		    PACE_AS_SEC((double)s->from_ns - zero), PACE_AS_SEC((double)s->to_ns - zero),
		    PACE_AS_USEC(s->line.offset_ns), PACE_AS_FIXED(s->line.rate * 1e6, 4),
		    PACE_AS_USEC(s->bound_ns));
	}
	if (c->fit.segments > 0)
		sentence(b, "wall clock", "responder - client %s at the end",
		    PACE_AS_USEC(c->wall_offset_ns));
	say_wall_clock(b, "client", &c->ours, c->our_steps, c->our_slews);
	say_wall_clock(b, "responder", &c->theirs, c->their_steps, c->their_slews);
}
