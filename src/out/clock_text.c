#include "out/clock_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "core/units.h"
#include "out/say.h"

#define PRINT_MAX	64
#define LABEL		16	/* columns before the first figure */

/* What a row and a block both show. */
struct figures {
	bool	known;
	double	offset_ns, skew_ppm, uncertainty_ns, bound_ns, min_rtt_ns, wall_ns;
};

static struct figures
figures_of(const struct pace_clock *k)
{
	int64_t mid = pace_clock_mid(k);
	struct figures f = { .known = k->fit.segments > 0 };

	f.min_rtt_ns = k->min_rtt_ns != PACE_NO_TIME ? (double)k->min_rtt_ns : NAN;
	if (!f.known) {
		f.offset_ns = f.skew_ppm = f.uncertainty_ns = f.bound_ns = f.wall_ns = NAN;
		return f;
	}
	f.offset_ns = (double)pace_clock_at(&k->fit, mid);
	f.skew_ppm = pace_clock_rate_at(&k->fit, mid) * 1e6;
	f.uncertainty_ns = k->fit.uncertainty_ns;
	f.bound_ns = k->fit.bound_ns;
	f.wall_ns = (double)k->wall_offset_ns;
	return f;
}

static char *
time_text(double ns, char *buf)
{
	return pace_print(PACE_UNIT_USEC, ns, buf, PRINT_MAX);
}

static void
label(const struct pace_say *s, const char *text)
{
	pace_say(s, "  %s%*s", text, LABEL - 2 - pace_width(text), "");
}

int
pace_clock_text_head(FILE *f, const struct pace_result *r, uint64_t count,
    int64_t interval_ns, bool live, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	char each[PRINT_MAX];

	pace_say(&s, "udpace clock, %s (%s port %u)\n", r->target, r->address, r->port);
	pace_say(&s, "%" PRIu64 " exchanges, one every %s%s\n\n", count,
	    time_text((double)interval_ns, each), live ? ", again and again" : "");
	return pace_say_end(&s);
}

/* --- the block --------------------------------------------------------------------- */

static void
say_probe(const struct pace_say *s, const struct figures *f)
{
	char offset[PRINT_MAX], error[PRINT_MAX], bound[PRINT_MAX], skew[PRINT_MAX];

	label(s, "probe clock");
	if (!f->known) {
		pace_say(s, "not known: nothing was answered\n");
		return;
	}
	pace_say(s, "theirs - ours %s \xc2\xb1 %s, at any delays \xc2\xb1 %s\n",
	    time_text(f->offset_ns, offset), time_text(f->uncertainty_ns, error),
	    time_text(f->bound_ns, bound));
	label(s, "");
	pace_say(s, "gains %s ppm on ours\n", pace_fixed(f->skew_ppm, 4, skew, sizeof(skew)));
}

static void
say_wall(const struct pace_say *s, const struct figures *f)
{
	char text[PRINT_MAX];

	label(s, "wall clock");
	if (!f->known)
		pace_say(s, "-\n");
	else
		pace_say(s, "theirs is %s %s ours, known as well as the probe clock's offset\n",
		    time_text(fabs(f->wall_ns), text), f->wall_ns < 0 ? "behind" : "ahead of");
}

static void
say_state(const struct pace_say *s, const char *whose, const struct pace_clock_state *c,
    uint64_t steps, uint64_t slews)
{
	char error[PRINT_MAX];

	label(s, whose);
	if (!c->known)
		pace_say(s, "its kernel tells nothing");
	else if (!c->synchronised)
		pace_say(s, "synchronised to nothing, as far as its kernel knows");
	else
		pace_say(s, "synchronised, its kernel thinks to \xc2\xb1 %s",
		    time_text((double)c->error_ns, error));
	if (steps > 0)
		pace_say(s, "; set %" PRIu64 " time%s meanwhile", steps, steps == 1 ? "" : "s");
	if (slews > 0)
		pace_say(s, "; its rate was changed %" PRIu64 " time%s", slews,
		    slews == 1 ? "" : "s");
	pace_say(s, "\n");
}

static void
say_basis(const struct pace_say *s, const struct pace_clock *k, const struct figures *f)
{
	char rtt[PRINT_MAX];

	label(s, "rests on");
	pace_say(s, "%" PRIu64 " exchanges (%" PRIu64 " timed out), shortest round trip %s,\n",
	    k->exchanges, k->timeouts, time_text(f->min_rtt_ns, rtt));
	label(s, "");
	pace_say(s, "%s stamps; the offset assumes equal minimum delays both ways\n",
	    k->stamp == PACE_STAMP_NONE ? "no" : k->stamp == PACE_STAMP_USER ? "user" : "kernel");
}

int
pace_clock_text_block(FILE *f, const struct pace_clock *k, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	struct figures g = figures_of(k);

	say_probe(&s, &g);
	if (k->fit.segments > 1) {
		label(&s, "");
		pace_say(&s, "NOT LINEAR: no one line fits, %d do\n", k->fit.segments);
	} else if (g.known && k->fit.wanders) {
		label(&s, "");
		pace_say(&s, "it wanders: further from a line than the round trips explain\n");
	}
	say_wall(&s, &g);
	say_state(&s, "  theirs", &k->theirs, k->their_steps, k->their_slews);
	say_state(&s, "  ours", &k->ours, k->our_steps, k->our_slews);
	say_basis(&s, k, &g);
	return pace_say_end(&s);
}

/* --- rows ----------------------------------------------------------------------------- */

int
pace_clock_text_row_head(FILE *f, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	pace_say(&s, "      offset   uncertain       bound    skew  wall offset   shortest"
	    "  answered\n");
	pace_say(&s, "          \xc2\xb5s          \xc2\xb5s          \xc2\xb5s     ppm"
	    "           \xc2\xb5s     rtt \xc2\xb5s\n");
	return pace_say_end(&s);
}

int
pace_clock_text_row(FILE *f, const struct pace_clock *k, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	struct figures g = figures_of(k);

	pace_say_fixed(&s, 12, g.offset_ns / 1e3, 3);
	pace_say_fixed(&s, 12, g.uncertainty_ns / 1e3, 3);
	pace_say_fixed(&s, 12, g.bound_ns / 1e3, 3);
	pace_say_fixed(&s, 8, g.skew_ppm, 3);
	pace_say_fixed(&s, 13, g.wall_ns / 1e3, 3);
	pace_say_fixed(&s, 11, g.min_rtt_ns / 1e3, 3);
	pace_say_count(&s, 10, k->exchanges);
	if (k->fit.segments > 1)
		pace_say(&s, "  not linear");
	else if (g.known && k->fit.wanders)
		pace_say(&s, "  wanders");
	if (k->their_steps + k->our_steps > 0)
		pace_say(&s, "  wall clock set");
	pace_say(&s, "\n");
	return pace_say_end(&s);
}

/* --- CSV -------------------------------------------------------------------------------- */

int
pace_clock_csv_head(FILE *f)
{
	const struct pace_say s = { f, true };

	pace_say(&s, "exchanges,timeouts,offset_ns,skew_ppm,uncertainty_ns,bound_ns,"
	    "min_rtt_ns,wall_offset_ns,segments,wanders,stamp,our_steps,their_steps,"
	    "our_slews,their_slews,from_ns,to_ns\n");
	return pace_say_end(&s);
}

static void
cell(const struct pace_say *s, double v, int decimals)
{
	char text[PRINT_MAX];

	pace_say(s, ",%s", isfinite(v) ? pace_fixed(v, decimals, text, sizeof(text)) : "");
}

static void
time_cell(const struct pace_say *s, int64_t ns)
{
	if (ns == PACE_NO_TIME)
		pace_say(s, ",");
	else
		pace_say(s, ",%" PRId64, ns);
}

int
pace_clock_csv_row(FILE *f, const struct pace_clock *k)
{
	const struct pace_say s = { f, true };
	struct figures g = figures_of(k);

	pace_say(&s, "%" PRIu64 ",%" PRIu64, k->exchanges, k->timeouts);
	cell(&s, g.offset_ns, 0);
	cell(&s, g.skew_ppm, 6);
	cell(&s, g.uncertainty_ns, 1);
	cell(&s, g.bound_ns, 1);
	cell(&s, g.min_rtt_ns, 0);
	cell(&s, g.wall_ns, 0);
	pace_say(&s, ",%d,%d,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
	    k->fit.segments, k->fit.wanders,
	    k->stamp == PACE_STAMP_NONE ? "" : pace_stamp_name(k->stamp),
	    k->our_steps, k->their_steps, k->our_slews, k->their_slews);
	time_cell(&s, k->from_ns);
	time_cell(&s, k->to_ns);
	pace_say(&s, "\n");
	return pace_say_end(&s);
}
