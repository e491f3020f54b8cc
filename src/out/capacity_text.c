#include "out/capacity_text.h"

#include <math.h>
#include <string.h>

#include "core/units.h"
#include "doc/params.h"
#include "out/say.h"
#include "out/scale.h"
#include "out/text.h"

#define PRINT_MAX	64

static double
on_wire(const struct pace_capacity *c, double bps)
{
	return bps * (double)c->wire_bytes / c->size_bytes;
}

static const char *
print(enum pace_unit unit, double v, char buf[PRINT_MAX])
{
	return pace_print(unit, v, buf, PRINT_MAX);
}

/* --- the plan --------------------------------------------------------------------------- */

static void
say_range(const struct pace_say *s, const struct pace_capacity *c)
{
	static const char *const highest[] = { "", ", what the interface has room for",
		": the interface does not tell its rate" };
	char low[PRINT_MAX], high[PRINT_MAX], precision[PRINT_MAX];

	pace_say(s, "  search   from %s to %s of data%s; to %s\n",
	    print(PACE_UNIT_BPS, c->search.cfg.low_bps, low),
	    print(PACE_UNIT_BPS, c->search.cfg.high_bps, high), highest[c->highest],
	    print(PACE_UNIT_RATIO, c->search.cfg.precision, precision));
}

static void
say_rules(const struct pace_say *s, const struct pace_capacity *c)
{
	char ratio[PRINT_MAX], time[PRINT_MAX], sustain[PRINT_MAX];

	pace_say(s, "  passes   with %s%s, no queue growing, in trials of %s; at the end for %s\n",
	    c->max_loss > 0 ? "loss up to " : "no loss",
	    c->max_loss > 0 ? print(PACE_UNIT_RATIO, c->max_loss, ratio) : "",
	    print(PACE_UNIT_SEC, (double)c->duration_ns, time),
	    print(PACE_UNIT_SEC, (double)c->sustain_ns, sustain));
}

int
pace_capacity_text_head(FILE *f, const struct pace_result *r, const struct pace_capacity *c,
    bool utf8)
{
	const struct pace_say s = { f, utf8 };
	int rc = pace_text_head(f, r, NULL, NULL, 0, utf8);

	if (rc < 0)
		return rc;
	pace_say(&s, "  size     %u B of data = %llu B on the wire\n", c->size_bytes,
	    (unsigned long long)c->wire_bytes);
	say_range(&s, c);
	say_rules(&s, c);
	return pace_say_end(&s);
}

/* --- trials ----------------------------------------------------------------------------- */

enum capacity_text_unit_of { NUMBER, RATE, TIME, SECONDS, FRAMES, PERCENT, MILLISECONDS };
static const struct {
	const char	*title;
	enum capacity_text_unit_of	unit;
	int		width;
} columns[] = {
	{ "trial", NUMBER, 6 }, { "data", RATE, 10 }, { "wire", RATE, 10 },
	{ "spacing", TIME, 10 }, { "for", SECONDS, 6 }, { "frames", NUMBER, 9 },
	{ "lost", FRAMES, 8 }, { "lost", PERCENT, 9 }, { "delay grew", MILLISECONDS, 12 },
};
#define COLUMNS		(sizeof(columns) / sizeof(columns[0]))

static struct pace_scale
rate_of(const struct pace_capacity *c)
{
	struct pace_scale rate = pace_scale_rate(c->search.cfg.low_bps,
	    on_wire(c, c->search.cfg.high_bps));

	if (rate.decimals < 2)		/* half a per cent must be seen */
		rate.decimals = 2;
	return rate;
}

int
pace_capacity_text_row_head(FILE *f, const struct pace_capacity *c, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const char *units[] = { [NUMBER] = "", [RATE] = rate_of(c).unit, [TIME] = "\xc2\xb5s",
	    [SECONDS] = "s", [FRAMES] = "frames", [PERCENT] = "%    ", [MILLISECONDS] = "ms" };

	for (size_t i = 0; i < COLUMNS; i++)
		pace_say_cell(&s, columns[i].width, columns[i].title);
	pace_say(&s, "\n");
	for (size_t i = 0; i < COLUMNS; i++)
		pace_say_cell(&s, columns[i].width, units[columns[i].unit]);
	pace_say(&s, "\n");
	return pace_say_end(&s);
}

static void
say_verdict(const struct pace_say *s, const struct pace_point *p, const struct pace_capacity_trial *t)
{
	static const char *const whys[] = { "", "frames were lost", "a queue grew",
		"this host refused frames", "the sender was frozen", "frames left late",
		"the sender did not keep the rate", "no result" };
	char stall[PRINT_MAX] = "";

	if (t->verdict == PACE_TRIAL_PASSED) {
		pace_say(s, "  passed\n");
		return;
	}
	if (t->why == PACE_WHY_STALLED)
		print(PACE_UNIT_SEC, (double)p->tx.stalls.max_ns, stall);
	pace_say(s, "  %s: %s%s%s\n", t->verdict == PACE_TRIAL_FAILED ? "failed" : "invalid",
	    whys[t->why], stall[0] != '\0' ? " for " : "", stall);
}

int
pace_capacity_text_row(FILE *f, const struct pace_capacity *c, const struct pace_point *p,
    bool utf8)
{
	const struct pace_say s = { f, utf8 };
	struct pace_scale rate = rate_of(c);
	struct pace_capacity_trial t = { .growth_ns = NAN };
	double asked = (double)p->ledger.asked;
	char text[PRINT_MAX];

	(void)pace_search_next(&c->search, &t.ask);
	pace_trial_judge(c, p, &t);
	pace_say_fixed(&s, columns[0].width, (double)c->n + 1, 0);
	pace_say_fixed(&s, columns[1].width, t.ask.bps / rate.one, rate.decimals);
	pace_say_fixed(&s, columns[2].width, on_wire(c, t.ask.bps) / rate.one, rate.decimals);
	pace_say_fixed(&s, columns[3].width, pace_params_spacing_ns(&p->ask) / 1e3, 3);
	pace_say_fixed(&s, columns[4].width, (double)p->ask.duration_ns / 1e9, 1);
	pace_say_fixed(&s, columns[5].width, asked, 0);
	pace_say_fixed(&s, columns[6].width, p->has_rx ? (double)t.lost : NAN, 0);
	pace_say_cell(&s, columns[7].width, pace_percent(p->has_rx && asked > 0 ?
	    (double)t.lost / asked : NAN, text, sizeof(text)));
	pace_say_fixed(&s, columns[8].width, t.growth_ns / 1e6, 2);
	say_verdict(&s, p, &t);
	return pace_say_end(&s);
}

/* --- what they say --------------------------------------------------------------------- */

static void
say_label(const struct pace_say *s, const char *what)
{
	pace_say(s, "  %-11s", what);
}

static void
say_rate(const struct pace_say *s, const struct pace_capacity *c, double bps)
{
	struct pace_scale rate = pace_scale_rate(bps, on_wire(c, bps));
	char spacing[PRINT_MAX];

	if (rate.decimals < 2)
		rate.decimals = 2;
	pace_say_fixed(s, 0, bps / rate.one, rate.decimals);
	pace_say(s, " %s of data, ", rate.unit);
	pace_say_fixed(s, 0, on_wire(c, bps) / rate.one, rate.decimals);
	pace_say(s, " %s on the wire: %u B every %s\n", rate.unit, c->size_bytes,
	    print(PACE_UNIT_USEC, c->size_bytes * 8e9 / bps, spacing));
}

/* 3.7e-6, whatever the locale. */
static const char *
print_tiny(double v, char buf[PRINT_MAX])
{
	int e = v > 0 ? (int)floor(log10(v)) : 0;
	char digits[PRINT_MAX];
	double m = v / pow(10, e);

	if (v >= 0.001)
		return print(PACE_UNIT_RATIO, v, buf);
	if (m >= 9.95) {		/* would be printed as 10.0 */
		m /= 10;
		e++;
	}
	snprintf(buf, PRINT_MAX, "%se%d", pace_fixed(m, 1, digits, sizeof(digits)), e);
	return buf;
}

/* "no loss in 812 345 frames: loss ratio below 3.7e-6 with 95 %" */
static void
say_loss(const struct pace_say *s, const struct pace_trials *at)
{
	char n[PRINT_MAX], lost[PRINT_MAX], limit[PRINT_MAX];

	print(PACE_UNIT_COUNT, (double)at->frames, n);
	print(PACE_UNIT_COUNT, (double)at->lost, lost);
	say_label(s, "");
	if (at->frames == 0)
		pace_say(s, "no valid trial of it\n");
	else
		pace_say(s, "%s%s in %s frames: loss ratio below %s with 95 %%\n",
		    at->lost > 0 ? lost : "no loss", at->lost > 0 ? " lost" : "", n,
		    print_tiny(pace_search_loss_limit(at->lost, at->frames), limit));
}

static void
say_found(const struct pace_say *s, const struct pace_capacity *c)
{
	const struct pace_search *f = &c->search;
	struct pace_found found = pace_capacity_found(c);
	struct pace_trials lowest = pace_capacity_at(c, f->cfg.low_bps);
	char time[PRINT_MAX];

	say_label(s, "capacity");
	if (found.bps <= 0 && c->refused[0] != '\0') {
		pace_say(s, "not known: the responder refused to measure it\n");
		return;
	}
	if (found.bps <= 0 && pace_capacity_by_sender(c)) {
		pace_say(s, "not known: the sender did not keep %s of data, the lowest rate asked for\n",
		    print(PACE_UNIT_BPS, f->cfg.low_bps, time));
		return;
	}
	if (found.bps <= 0) {
		pace_say(s, "none: %s of data, the lowest rate asked for, did not pass\n",
		    print(PACE_UNIT_BPS, f->cfg.low_bps, time));
		say_loss(s, &lowest);
		return;
	}
	if (pace_capacity_limit(c) >= PACE_LIMIT_SENDER)
		pace_say(s, "at least ");
	say_rate(s, c, found.bps);
	say_loss(s, &found.at);
	say_label(s, "");
	pace_say(s, found.sustained ? "sustained for %s\n" : "in trials of %s only: the search was not "
	    "finished\n", print(PACE_UNIT_SEC, (double)(found.sustained ? c->sustain_ns :
	    c->duration_ns), time));
	if (!pace_capacity_by_sender(c))
		return;
	say_label(s, "");
	pace_say(s, "limited by the sender: it sent that much, and the path took it\n");
}

static void
say_failed(const struct pace_say *s, const struct pace_capacity *c)
{
	double bps = pace_capacity_failed(c);

	if (bps <= 0 || pace_capacity_found(c).bps <= 0)
		return;
	say_label(s, c->search.by_sender ? "not kept" : "too much");
	say_rate(s, c, bps);
}

static const char *
limit_words(const struct pace_capacity *c)
{
	static const char *const highest[] = { "the highest rate asked for: the path took it",
		"the rate of this host's interface: the path took it",
		"the highest rate tried: the path took it; --to for more" };

	switch (pace_capacity_limit(c)) {
	case PACE_LIMIT_PATH:		return "the path: ";
	case PACE_LIMIT_RESPONDER:	return "the responder's host: ";
	case PACE_LIMIT_SENDER:
		return c->search.by_sender ? "the sender: this host could not keep that rate; the "
		    "path may take more" : "this host: ";
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
		snprintf(text, sizeof(text), "%s; before the first trial %s", limit_words(c), c->idle.why);
	else
		snprintf(text, sizeof(text), "%s%s", limit_words(c), limit == PACE_LIMIT_POLICY ?
	    c->refused : limit == PACE_LIMIT_UNKNOWN ||
	    limit == PACE_LIMIT_HIGHEST || c->search.by_sender ? "" : c->cause.diagnosis);
	pace_say_wrapped(s, "  limit      ", text);
	if (c->search.best_bps > 0 || c->cause.why != PACE_WHY_LOSS || !c->search.done)
		return;
	pace_say_wrapped(s, "             ", "a lower --from looks below; --max-loss lets a rate "
	    "pass that loses some, as where every rate does");
}

static void
say_count(const struct pace_say *s, const struct pace_capacity *c)
{
	size_t invalid = 0;

	for (size_t i = 0; i < c->n; i++)
		invalid += c->v[i].verdict != PACE_TRIAL_PASSED &&
		    c->v[i].verdict != PACE_TRIAL_FAILED;
	say_label(s, "trials");
	pace_say(s, "%zu", c->n);
	if (invalid > 0)
		pace_say(s, ", %zu of them invalid and made again: the sender was disturbed",
		    invalid);
	pace_say(s, "\n");
}

int
pace_capacity_text(FILE *f, const struct pace_capacity *c, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	if (c->n > 0 || c->refused[0] != '\0') {
		pace_say(&s, "\n");
		say_found(&s, c);
		say_failed(&s, c);
		say_limit(&s, c);
		say_count(&s, c);
	}
	return pace_say_end(&s);
}
