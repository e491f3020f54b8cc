#include "out/clock_text.h"

#include <inttypes.h>
#include <math.h>

#include "out/cells.h"
#include "out/table.h"
#include "out/text.h"

/* Figures that rows and blocks share. */
struct figures {
	bool	known;
	double	offset_ns, skew_ppm, skew_error_ppm, uncertainty_ns, bound_ns, min_rtt_ns, wall_ns;
};

static struct figures
figures_of(const struct pace_clock *k)
{
	int64_t mid = pace_clock_mid(k);
	struct figures f = { .known = k->fit.segments > 0 };

	f.min_rtt_ns = k->min_rtt_ns != PACE_NO_TIME ? (double)k->min_rtt_ns : NAN;
	if (!f.known) {
		f.offset_ns = f.skew_ppm = f.skew_error_ppm = f.uncertainty_ns = f.bound_ns = f.wall_ns = NAN;
		return f;
	}
	f.offset_ns = (double)pace_clock_at(&k->fit, mid);
	f.skew_ppm = pace_clock_rate_at(&k->fit, mid) * 1e6;
	f.skew_error_ppm = pace_clock_rate_bound_at(&k->fit, mid) * 1e6;
	f.uncertainty_ns = k->fit.uncertainty_ns;
	f.bound_ns = k->fit.bound_ns;
	f.wall_ns = (double)k->wall_offset_ns;
	return f;
}

int
pace_clock_text_head(FILE *f, const struct pace_result *r, uint64_t count,
    int64_t interval_ns, bool live, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	(void)pace_text_head(f, r, NULL, NULL, 0, utf8);	/* f keeps the error */
	pace_say(&s, "%" PRIu64 " exchanges, one every %s%s\n\n", count,
	    PACE_AS_USEC(interval_ns), live ? ", again and again" : "");
	return pace_say_end(&s);
}

/* --- the block --------------------------------------------------------------------- */

#define INDENT	"                "

static void
say_state(const struct pace_say *s, const char *whose, const struct pace_clock_state *c,
    uint64_t steps, uint64_t slews)
{
	char first[24], set[80] = "", slewed[80] = "", error[80];

	snprintf(first, sizeof(first), "    %-12s", whose);
	snprintf(error, sizeof(error), "synchronised, error by its kernel \xc2\xb1 %s",
	    PACE_AS_USEC(c->error_ns));
	if (steps > 0)
		snprintf(set, sizeof(set), "; set %" PRIu64 " time%s during the run", steps,
		    steps == 1 ? "" : "s");
	if (slews > 0)
		snprintf(slewed, sizeof(slewed), "; its rate was changed %" PRIu64 " time%s", slews,
		    slews == 1 ? "" : "s");
	pace_say_sentence(s, first, "%s%s%s", !c->known ? "state not known" :
	    !c->synchronised ? "not synchronised, according to its kernel" : error,
	    set, slewed);
}

static const char *
far_end(const struct pace_clock *k)
{
	return k->by_stamp ? "reflector" : "responder";
}

static void
say_known(const struct pace_say *s, const struct pace_clock *k, const struct figures *f)
{
	pace_say_sentence(s, "  probe clock   ", "%s - client %s \xc2\xb1 %s, at any delays "
	    "\xc2\xb1 %s", far_end(k), PACE_AS_USEC(f->offset_ns), PACE_AS_USEC(f->uncertainty_ns),
	    PACE_AS_USEC(f->bound_ns));
	pace_say(s, INDENT "skew %s\n", PACE_AS_SKEW(f->skew_ppm, f->skew_error_ppm, 4));
	if (k->fit.segments > 1)
		pace_say(s, INDENT "NOT LINEAR: %d segments, each with its own line\n",
		    k->fit.segments);
	else if (k->fit.wanders)
		pace_say(s, INDENT "it wanders: no line fits, even within the round trips\n");
	pace_say_sentence(s, "  wall clock    ", "%s's is %s %s client's, error as above", far_end(k),
	    PACE_AS_USEC(fabs(f->wall_ns)), f->wall_ns < 0 ? "behind" : "ahead of");
}

int
pace_clock_text_block(FILE *f, const struct pace_clock *k, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	struct figures g = figures_of(k);

	if (g.known)
		say_known(&s, k, &g);
	else
		pace_say(&s, "  probe clock   not known: no exchange was answered\n"
		    "  wall clock    -\n");
	say_state(&s, far_end(k), &k->theirs, k->their_steps, k->their_slews);
	say_state(&s, "client", &k->ours, k->our_steps, k->our_slews);
	pace_say_sentence(&s, "  based on      ", "%" PRIu64 " exchanges (%" PRIu64 " timed out), "
	    "shortest round trip %s,", k->exchanges, k->timeouts, PACE_AS_USEC(g.min_rtt_ns));
	pace_say_sentence(&s, INDENT, "%s stamps; the offset assumes symmetric minimum delays",
	    k->stamp == PACE_STAMP_NONE ? "no" : k->stamp == PACE_STAMP_USER ? "user" : "kernel");
	return pace_say_end(&s);
}

/* --- rows ----------------------------------------------------------------------------- */

enum { MICROSECONDS, PPM, RTT, NUMBER };
static const struct pace_scale units[] = {
	[MICROSECONDS] = { "\xc2\xb5s", 1e3, 3 }, [PPM] = { "ppm", 1, 3 },
	[RTT] = { "rtt \xc2\xb5s", 1e3, 3 }, [NUMBER] = { "", 1, PACE_IN_GROUPS },
};
static const struct pace_column columns[] = {
	{ "offset", 13, MICROSECONDS }, { "uncertain", 10, MICROSECONDS },
	{ "bound", 10, MICROSECONDS }, { "skew", 9, PPM }, { "wall offset", 14, MICROSECONDS },
	{ "shortest", 10, RTT }, { "answered", 9, NUMBER },
};
static const struct pace_row_table table = { columns, PACE_COUNT_OF(columns), units, 0 };

int
pace_clock_text_row_head(FILE *f, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	pace_say_wrapped(&s, "  ", "N: the clock is not linear, W: it wanders, "
	    "S: a wall clock was set");
	pace_say_heads(&s, &table);
	return pace_say_end(&s);
}

int
pace_clock_text_row(FILE *f, const struct pace_clock *k, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	struct figures g = figures_of(k);
	char flags[8];

	pace_say_cells(&s, &table, (const double []){ g.offset_ns, g.uncertainty_ns, g.bound_ns,
	    g.skew_ppm, g.wall_ns, g.min_rtt_ns, (double)k->exchanges });
	snprintf(flags, sizeof(flags), "%s%s", k->fit.segments > 1 ? "N" :
	    g.known && k->fit.wanders ? "W" : "", k->their_steps + k->our_steps > 0 ? "S" : "");
	pace_say_flags(&s, sizeof(flags), flags);
	return pace_say_end(&s);
}

/* --- CSV -------------------------------------------------------------------------------- */

int
pace_clock_csv_head(FILE *f)
{
	const struct pace_say s = { f, true };

	pace_say(&s, "exchanges,timeouts,offset_ns,skew_ppm,uncertainty_ns,bound_ns,"
	    "min_rtt_ns,wall_offset_ns,segments,wanders,stamp,our_steps,their_steps,"
	    "our_slews,their_slews,from_ns,to_ns,skew_error_max_ppm\n");
	return pace_say_end(&s);
}

int
pace_clock_csv_row(FILE *f, const struct pace_clock *k)
{
	const struct pace_say s = { f, true };
	struct figures g = figures_of(k);
	const struct { double v; int decimals; } reals[] = { { g.offset_ns, 0 }, { g.skew_ppm, 6 },
	    { g.uncertainty_ns, 1 }, { g.bound_ns, 1 }, { g.min_rtt_ns, 0 }, { g.wall_ns, 0 } };
	const int64_t span[] = { k->from_ns, k->to_ns };

	pace_say(&s, "%" PRIu64 ",%" PRIu64, k->exchanges, k->timeouts);
	for (size_t i = 0; i < PACE_COUNT_OF(reals); i++) {
		pace_say(&s, ",");
		pace_cell_real(f, reals[i].v, reals[i].decimals);
	}
	pace_say(&s, ",%d,%d,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
	    k->fit.segments, k->fit.wanders,
	    k->stamp == PACE_STAMP_NONE ? "" : pace_stamp_name(k->stamp),
	    k->our_steps, k->their_steps, k->our_slews, k->their_slews);
	for (size_t i = 0; i < PACE_COUNT_OF(span); i++)
		if (span[i] == PACE_NO_TIME)
			pace_say(&s, ",");
		else
			pace_say(&s, ",%" PRId64, span[i]);
	pace_say(&s, ",");
	pace_cell_real(f, ceil(g.skew_error_ppm * 1e6) / 1e6, 6);	/* never too small */
	pace_say(&s, "\n");
	return pace_say_end(&s);
}
