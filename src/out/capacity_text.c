#include "out/capacity_text.h"

#include <math.h>
#include <string.h>

#include "doc/params.h"
#include "out/table.h"
#include "out/text.h"

static double
on_wire(const struct pace_capacity *c, double bps)
{
	return bps * (double)c->wire_bytes / c->size_bytes;
}

/* Digits for a precision of half a per cent. */
static struct pace_scale
rate_scale(double low_bps, double high_bps)
{
	struct pace_scale rate = pace_scale_rate(low_bps, high_bps);

	if (rate.decimals < 2)
		rate.decimals = 2;
	return rate;
}

/* --- the plan --------------------------------------------------------------------------- */

int
pace_capacity_text_head(FILE *f, const struct pace_result *r, const struct pace_capacity *c,
    bool utf8)
{
	static const char *const highest[] = { "", ", the rate of the interface",
		": the interface's rate is not known" };
	const struct pace_say s = { f, utf8 };
	const struct pace_search_cfg *search = &c->search.cfg;
	const struct pace_params ask = { .direction = c->direction };
	int rc = pace_text_head(f, r, NULL, &ask, 0, utf8);

	if (rc < 0)
		return rc;
	pace_say(&s, "  size     %u B of data = %llu B on the wire\n", c->size_bytes,
	    (unsigned long long)c->wire_bytes);
	pace_say_sentence(&s, "  search   ", "from %s to %s of data%s; to %s",
	    PACE_AS_BPS(search->low_bps), PACE_AS_BPS(search->high_bps), highest[c->highest],
	    PACE_AS_RATIO(search->precision));
	pace_say_sentence(&s, "  passes   ", "with %s%s, no queue growing, in trials of %s; "
	    "at the end for %s",
	    c->max_loss > 0 ? "loss up to " : "no loss",
	    c->max_loss > 0 ? PACE_AS_RATIO(c->max_loss) : "",
	    PACE_AS_SEC(c->duration_ns), PACE_AS_SEC(c->sustain_ns));
	return pace_say_end(&s);
}

/* --- trials ----------------------------------------------------------------------------- */

enum { NUMBER, RATE, TIME, SECONDS, FRAMES, PERCENT, MILLISECONDS, UNITS };
static const struct pace_column columns[] = {
	{ "trial", 5, NUMBER }, { "data", 8, RATE }, { "wire", 8, RATE },
	{ "spacing", 8, TIME }, { "for", 6, SECONDS }, { "frames", 9, NUMBER },
	{ "lost", 7, FRAMES }, { "lost", 9, PERCENT }, { "growth", 8, MILLISECONDS },
};

static struct pace_row_table
table_of(const struct pace_capacity *c, struct pace_scale units[UNITS])
{
	units[NUMBER] = (struct pace_scale){ "", 1, 0 };
	units[RATE] = rate_scale(c->search.cfg.low_bps, on_wire(c, c->search.cfg.high_bps));
	units[TIME] = (struct pace_scale){ "\xc2\xb5s", 1e3, 3 };
	units[SECONDS] = (struct pace_scale){ "s", 1e9, 1 };
	units[FRAMES] = (struct pace_scale){ "frames", 1, 0 };
	units[PERCENT] = (struct pace_scale){ "%    ", 1, PACE_AS_PERCENT };
	units[MILLISECONDS] = (struct pace_scale){ "ms", 1e6, 2 };
	return (struct pace_row_table){ columns, PACE_COUNT_OF(columns), units, 0 };
}

int
pace_capacity_text_row_head(FILE *f, const struct pace_capacity *c, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	struct pace_scale units[UNITS];
	const struct pace_row_table t = table_of(c, units);

	pace_say_heads(&s, &t);
	return pace_say_end(&s);
}

static const struct { char letter; const char *words; } whys[] = {
	[PACE_WHY_LOSS] = { 'l', "frames were lost" },
	[PACE_WHY_QUEUE] = { 'q', "a queue grew" },
	[PACE_WHY_REFUSED] = { 'r', "the sending host refused frames" },
	[PACE_WHY_STALLED] = { 'f', "the sender was frozen" },
	[PACE_WHY_LATE] = { 'd', "frames departed late" },
	[PACE_WHY_RATE] = { 's', "the sender did not keep the spacing" },
	[PACE_WHY_NO_RESULT] = { 'n', "there is no result" },
};

static void
say_verdict(const struct pace_say *s, const struct pace_capacity_trial *t)
{
	if (t->verdict == PACE_TRIAL_PASSED)
		pace_say(s, "  passed\n");
	else
		pace_say(s, "  %-7s %c\n", t->verdict == PACE_TRIAL_FAILED ? "failed" : "invalid",
		    whys[t->why].letter);
}

/* Explain below the trials the letters of those that failed. */
static void
say_whys(const struct pace_say *s, const struct pace_capacity *c)
{
	char first[] = "  X  ";

	pace_say(s, "  growth: of the delay, from the first frame to the last\n");
	for (size_t why = 1; why < PACE_COUNT_OF(whys); why++) {
		bool used = false;

		for (size_t i = 0; i < c->n; i++)
			used |= c->v[i].why == why;
		first[2] = whys[why].letter;
		if (used)
			pace_say_wrapped(s, first, whys[why].words);
	}
}

int
pace_capacity_text_row(FILE *f, const struct pace_capacity *c, const struct pace_point *p,
    bool utf8)
{
	const struct pace_say s = { f, utf8 };
	struct pace_capacity_trial t = { .growth_ns = NAN };
	double asked = (double)p->ledger.asked, lost;
	struct pace_scale units[UNITS];
	const struct pace_row_table table = table_of(c, units);

	(void)pace_search_next(&c->search, &t.ask);
	pace_trial_judge(c, p, &t);
	lost = p->has_rx ? (double)t.lost : NAN;
	pace_say_cells(&s, &table, (const double []){ (double)c->n + 1, t.ask.bps,
	    on_wire(c, t.ask.bps), pace_params_spacing_ns(&p->ask), (double)p->ask.duration_ns,
	    asked, lost, asked > 0 ? lost / asked : NAN, t.growth_ns });
	say_verdict(&s, &t);
	return pace_say_end(&s);
}

/* --- their result --------------------------------------------------------------------- */

#define INDENT	"              "
#define FOUND	"  capacity    "

static void
say_rate(const struct pace_say *s, const struct pace_capacity *c, const char *first,
    const char *before, double bps)
{
	struct pace_scale rate = rate_scale(bps, on_wire(c, bps));

	pace_say_sentence(s, first, "%s%s %s of data, %s %s on the wire:", before,
	    PACE_AS_FIXED(bps / rate.one, rate.decimals), rate.unit,
	    PACE_AS_FIXED(on_wire(c, bps) / rate.one, rate.decimals), rate.unit);
	pace_say(s, INDENT "%u B every %s\n", c->size_bytes,
	    PACE_AS_USEC(c->size_bytes * 8e9 / bps));
}

/* "3.7e-6" in any locale. */
static const char *
print_tiny(double v, char buf[64])
{
	int e = v > 0 ? (int)floor(log10(v)) : 0;
	double m = v / pow(10, e);

	if (v >= 0.001)
		return pace_print(PACE_UNIT_RATIO, v, buf, 64);
	if (m >= 9.95) {		/* would be printed as 10.0 */
		m /= 10;
		e++;
	}
	snprintf(buf, 64, "%se%d", PACE_AS_FIXED(m, 1), e);
	return buf;
}

/* "no loss in 812 345 frames: loss ratio below 3.7e-6 with 95 %" */
static void
say_loss(const struct pace_say *s, const struct pace_trials *at)
{
	char limit[64];

	if (at->frames == 0)
		pace_say(s, INDENT "no valid trial at this rate\n");
	else
		pace_say_sentence(s, INDENT, "%s%s in %s frames: loss ratio below %s with 95 %%",
		    at->lost > 0 ? PACE_AS_COUNT(at->lost) : "no loss", at->lost > 0 ? " lost" : "",
		    PACE_AS_COUNT(at->frames),
		    print_tiny(pace_search_loss_limit(at->lost, at->frames), limit));
}

static void
say_none(const struct pace_say *s, const struct pace_capacity *c)
{
	double low_bps = c->search.cfg.low_bps;
	struct pace_trials lowest = pace_capacity_at(c, low_bps);

	if (c->refused[0] != '\0') {
		pace_say(s, FOUND "not known: the responder refused to measure it\n");
	} else if (pace_capacity_by_sender(c)) {
		pace_say_sentence(s, FOUND, "not known: the sender did not keep %s, the lowest "
		    "requested rate", PACE_AS_BPS(low_bps));
	} else {
		pace_say_sentence(s, FOUND, "none: %s, the lowest requested rate, did not pass",
		    PACE_AS_BPS(low_bps));
		say_loss(s, &lowest);
	}
}

static void
say_found(const struct pace_say *s, const struct pace_capacity *c)
{
	struct pace_found found = pace_capacity_found(c);
	double failed_bps = pace_capacity_failed(c);

	if (found.bps <= 0) {
		say_none(s, c);
		return;
	}
	say_rate(s, c, FOUND, pace_capacity_limit(c) >= PACE_LIMIT_SENDER ? "at least " : "",
	    found.bps);
	say_loss(s, &found.at);
	pace_say_sentence(s, INDENT, found.sustained ? "sustained for %s" : "in trials of %s only: "
	    "the search was not finished",
	    PACE_AS_SEC(found.sustained ? c->sustain_ns : c->duration_ns));
	if (pace_capacity_by_sender(c))
		pace_say(s, INDENT "limited by the sender: the path carried all that it sent\n");
	if (failed_bps > 0)
		say_rate(s, c, c->search.by_sender ? "  not kept    " : "  too much    ", "",
		    failed_bps);
}

static const char *
limit_words(const struct pace_capacity *c)
{
	static const char *const highest[] = { "the highest requested rate: the path carried it",
		"the rate of this host's interface: the path carried it",
		"the highest rate tried: the path carried it; try a higher --high" };

	static const char *const hosts[] = { "this host: ", "the responder's host: " };
	static const char *const too_slow[] = {
		"the sender: this host could not keep that rate; the path may carry more",
		"the sender: the responder could not keep that rate; the path may carry more" };
	bool down = c->direction == PACE_DOWN;

	switch (pace_capacity_limit(c)) {
	case PACE_LIMIT_PATH:		return "the path: ";
	case PACE_LIMIT_RECEIVER:	return hosts[!down];
	case PACE_LIMIT_SENDER:		return c->search.by_sender ? too_slow[down] : hosts[down];
	case PACE_LIMIT_HIGHEST:	return highest[c->highest];
	case PACE_LIMIT_POLICY:		return "the responder's policy: ";
	case PACE_LIMIT_UNKNOWN:	break;
	}
	return "not known: the search was not finished";
}

static void
say_limit(const struct pace_say *s, const struct pace_capacity *c)
{
	enum pace_limit limit = pace_capacity_limit(c);
	char text[1024];

	if (pace_capacity_by_sender(c) && c->idle.why[0] != '\0')
		snprintf(text, sizeof(text), "%s; before the first trial %s", limit_words(c),
		    c->idle.why);
	else
		snprintf(text, sizeof(text), "%s%s", limit_words(c), limit == PACE_LIMIT_POLICY ?
		    c->refused : limit == PACE_LIMIT_UNKNOWN || limit == PACE_LIMIT_HIGHEST ||
		    c->search.by_sender ? "" : c->cause.diagnosis);
	pace_say_wrapped(s, "  limit       ", text);
	if (c->search.best_bps > 0 || c->cause.why != PACE_WHY_LOSS || !c->search.done)
		return;
	pace_say_wrapped(s, INDENT, "use a lower --low to search below this rate; if every "
	    "rate loses frames, use --max-loss");
}

int
pace_capacity_text(FILE *f, const struct pace_capacity *c, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	size_t invalid = 0;

	if (c->n == 0 && c->refused[0] == '\0')
		return pace_say_end(&s);
	for (size_t i = 0; i < c->n; i++)
		invalid += c->v[i].verdict != PACE_TRIAL_PASSED &&
		    c->v[i].verdict != PACE_TRIAL_FAILED;
	if (c->n > 0)
		say_whys(&s, c);
	pace_say(&s, "\nconclusions\n");
	say_found(&s, c);
	say_limit(&s, c);
	pace_say(&s, "  trials      %zu", c->n);
	if (invalid > 0)
		pace_say(&s, ", %zu of them invalid and repeated: the sender was disturbed",
		    invalid);
	pace_say(&s, "\n");
	return pace_say_end(&s);
}
