/* The delays of one point and what they rest on: block.h. */
#include "out/block.h"

#include <math.h>

#include "core/units.h"

#define GAP		10	/* columns of a figure */
#define TEXT_MAX	64
#define SENTENCE_MAX	512

/* Words behind a label, on as many lines as they need. */
static void
sentence(const struct pace_block *b, const char *label, const char *text)
{
	char first[TEXT_MAX];

	snprintf(first, sizeof(first), "  %-*s", PACE_BLOCK_LABEL - 2, label);
	pace_say_wrapped(&b->s, first, text);
}

static void
delay_line(const struct pace_block *b, const char *name, const struct pace_hist *h,
    const struct pace_scale *t)
{
	static const double q[] = { 0.5, 0.99, 0.999 };
	bool any = h->stats.n > 0;

	pace_say(&b->s, "  %-*s", PACE_BLOCK_LABEL - 2 - 4, name);
	pace_say_fixed(&b->s, GAP, any ? (double)h->stats.min / t->one : NAN, t->decimals);
	for (int i = 0; i < 3; i++)
		pace_say_fixed(&b->s, GAP, pace_hist_has_quantile(h->stats.n, q[i]) ?
		    (double)pace_hist_quantile(h, q[i]) / t->one : NAN, t->decimals);
	pace_say_fixed(&b->s, GAP, any ? (double)h->stats.max / t->one : NAN, t->decimals);
	pace_say(&b->s, "   %s\n", t->unit);
}

static void
say_jitter(const struct pace_block *b)
{
	const struct pace_rx_result *r = &b->p->rx;
	char text[SENTENCE_MAX] = "-", last[TEXT_MAX], highest[TEXT_MAX];

	if (b->p->has_rx && r->ipdv.stats.n > 0)
		snprintf(text, sizeof(text), "%s at the end, highest %s (RFC 3550)",
		    pace_print(PACE_UNIT_USEC, r->jitter_ns, last, sizeof(last)),
		    pace_print(PACE_UNIT_USEC, r->jitter_max_ns, highest, sizeof(highest)));
	sentence(b, "jitter", text);
}

/* How far the delay may be off, or why there is none. */
static void
say_error(const struct pace_block *b)
{
	const struct pace_clock_estimate *e = &b->p->clock.fit;
	char text[SENTENCE_MAX], equal[TEXT_MAX], bound[TEXT_MAX];

	pace_print(PACE_UNIT_USEC, e->uncertainty_ns, equal, sizeof(equal));
	pace_print(PACE_UNIT_USEC, e->bound_ns, bound, sizeof(bound));
	if (e->segments == 0)
		snprintf(text, sizeof(text), "relative only: nothing is known of their clock");
	else if (b->p->owd_relative)
		snprintf(text, sizeof(text), "relative only: the clocks are known to "
		    "\xc2\xb1 %s, more than the delay itself", bound);
	else
		snprintf(text, sizeof(text), "\xc2\xb1 %s for equally short ways, "
		    "\xc2\xb1 %s in any case", equal, bound);
	sentence(b, "error", text);
}

static void
say_exchanges(const struct pace_block *b)
{
	const struct pace_clock *c = &b->p->clock;
	char text[SENTENCE_MAX], skew[TEXT_MAX] = "", lost[TEXT_MAX] = "";
	char number[TEXT_MAX], rtt[TEXT_MAX];

	if (c->fit.segments > 0)
		snprintf(skew, sizeof(skew), "their probe clock runs %s ppm against ours; ",
		    pace_fixed(pace_clock_rate_at(&c->fit, pace_clock_mid(c)) * 1e6, 3, number, sizeof(number)));
	if (c->timeouts > 0)
		snprintf(lost, sizeof(lost), ", %llu timed out", (unsigned long long)c->timeouts);
	if (c->exchanges == 0)
		snprintf(text, sizeof(text), "not known: no exchange was answered%s", lost);
	else
		snprintf(text, sizeof(text), "%s%llu exchange%s, shortest round trip %s%s%s", skew,
		    (unsigned long long)c->exchanges, c->exchanges > 1 ? "s" : "",
		    pace_print(PACE_UNIT_USEC, (double)c->min_rtt_ns, rtt, sizeof(rtt)), lost,
		    c->stamp < PACE_STAMP_KERNEL ? "; not all stamped by the kernel" : "");
	sentence(b, "clocks", text);
}

/* What makes the line, or the stamps, less than they seem. */
static void
say_clock_troubles(const struct pace_block *b)
{
	const struct pace_clock *c = &b->p->clock;
	char text[SENTENCE_MAX];

	if (c->fit.segments > 1) {
		snprintf(text, sizeof(text), "not linear: %d stretches, each with a line of its own",
		    c->fit.segments);
		sentence(b, "", text);
	}
	if (c->fit.wanders)
		sentence(b, "", "they wander: no straight line describes them well");
	if (c->our_steps + c->their_steps > 0) {
		snprintf(text, sizeof(text), "wall clocks were set meanwhile, ours %llu and theirs "
		    "%llu times; stamps near that are not to be trusted",
		    (unsigned long long)c->our_steps, (unsigned long long)c->their_steps);
		sentence(b, "", text);
	}
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

	pace_say(&b->s, "\n  %-*s%*s%*s%*s%*s%*s   unit\n", PACE_BLOCK_LABEL - 2 - 4, "delay",
	    GAP, "min", GAP, "p50", GAP, "p99", GAP, "p99.9", GAP, "max");
	delay_line(b, "one way", owd, &t);
	delay_line(b, "as scheduled", absolute ? &r->owd_scheduled : &none, &t);
	delay_line(b, "PDV", pdv, &v);
	delay_line(b, "IPDV", r != NULL ? &r->ipdv : &none, &v);
	if (p->ask.train > 1)
		sentence(b, "", "of the first frame of each train");
	say_jitter(b);
	if (pdv->stats.n > 0)
		say_error(b);
	say_exchanges(b);
	say_clock_troubles(b);
}

/* --- for who wants more ------------------------------------------------------------ */

static void
say_wall_clock(const struct pace_block *b, const char *whose,
    const struct pace_clock_state *s, uint64_t steps, uint64_t slews)
{
	char text[SENTENCE_MAX], state[4 * TEXT_MAX] = "state not known";
	char error[TEXT_MAX], most[TEXT_MAX], ppm[TEXT_MAX];

	if (s->known)
		snprintf(state, sizeof(state), "%s, error %s, at most %s, corrected by %s ppm",
		    s->synchronised ? "synchronised" : "not synchronised",
		    pace_print(PACE_UNIT_USEC, (double)s->error_ns, error, sizeof(error)),
		    pace_print(PACE_UNIT_USEC, (double)s->error_max_ns, most, sizeof(most)),
		    pace_fixed(s->frequency_ppm, 3, ppm, sizeof(ppm)));
	snprintf(text, sizeof(text), "%s: %s; set %llu times, rate changed %llu times",
	    whose, state, (unsigned long long)steps, (unsigned long long)slews);
	sentence(b, "wall clock", text);
}

/* Times are from the start of the stream. */
static void
say_segment(const struct pace_block *b, const struct pace_clock_segment *s)
{
	char text[SENTENCE_MAX], from[TEXT_MAX], to[TEXT_MAX], offset[TEXT_MAX];
	char ppm[TEXT_MAX], bound[TEXT_MAX];
	double zero = (double)b->p->clock.from_ns;

	snprintf(text, sizeof(text), "from %s to %s: theirs - ours %s, %s ppm, \xc2\xb1 %s",
	    pace_print(PACE_UNIT_SEC, (double)s->from_ns - zero, from, sizeof(from)),
	    pace_print(PACE_UNIT_SEC, (double)s->to_ns - zero, to, sizeof(to)),
	    pace_print(PACE_UNIT_USEC, (double)s->line.offset_ns, offset, sizeof(offset)),
	    pace_fixed(s->line.rate * 1e6, 4, ppm, sizeof(ppm)),
	    pace_print(PACE_UNIT_USEC, s->bound_ns, bound, sizeof(bound)));
	sentence(b, "clock line", text);
}

void
pace_block_clocks(const struct pace_block *b)
{
	const struct pace_clock *c = &b->p->clock;
	char text[SENTENCE_MAX], offset[TEXT_MAX];

	for (int i = 0; i < c->fit.segments; i++)
		say_segment(b, &c->fit.v[i]);
	if (c->fit.segments > 0) {
		snprintf(text, sizeof(text), "theirs - ours %s at the end",
		    pace_print(PACE_UNIT_USEC, (double)c->wall_offset_ns, offset, sizeof(offset)));
		sentence(b, "wall clock", text);
	}
	say_wall_clock(b, "ours", &c->ours, c->our_steps, c->our_slews);
	say_wall_clock(b, "theirs", &c->theirs, c->their_steps, c->their_slews);
}
