#include "out/table.h"

#include <math.h>
#include <string.h>

#define EDGE	12	/* width of the value to the left of a strip */
#define UNIT	6	/* width of a unit that text follows */

const struct pace_hist_table pace_gap_table = { PACE_LABEL, "  stamp", 5, {
	{ "min", 6, PACE_MIN, 0 }, { "p50", 10, PACE_QUANTILE, 0.5 },
	{ "p99", 10, PACE_QUANTILE, 0.99 }, { "p99.9", 10, PACE_QUANTILE, 0.999 },
	{ "max", 10, PACE_MAX, 0 },
} };
const struct pace_hist_table pace_delay_table = { PACE_LABEL - 4, "", 5, {
	{ "min", 10, PACE_MIN, 0 }, { "p50", 10, PACE_QUANTILE, 0.5 },
	{ "p99", 10, PACE_QUANTILE, 0.99 }, { "p99.9", 10, PACE_QUANTILE, 0.999 },
	{ "max", 10, PACE_MAX, 0 },
} };
const struct pace_hist_table pace_spread_table = { PACE_LABEL, "", 5, {
	{ "mean", 10, PACE_MEAN, 0 }, { "std dev", 10, PACE_STDDEV, 0 },
	{ "p1", 10, PACE_QUANTILE, 0.01 }, { "p50", 10, PACE_QUANTILE, 0.5 },
	{ "p99", 10, PACE_QUANTILE, 0.99 },
} };
const struct pace_scale pace_in_frames = { "frames", 1, 1 }, pace_in_ns = { "ns", 1, 0 };

/* Number of blanks that fill a text up to width. */
static int
pad_of(int width, const char *text)
{
	int used = pace_width(text);

	return width > used ? width - used : 0;
}

void
pace_say_label(const struct pace_say *s, const char *label)
{
	pace_say(s, "  %s%*s", label, pad_of(PACE_LABEL - 2, label), "");
}

void
pace_say_counted(const struct pace_say *s, int width, const struct pace_counted *c)
{
	bool words = c->words != NULL && c->words[0] != '\0';
	char first[256], n[64] = "-", share[64] = "";

	if (c->n != PACE_NOT_KNOWN)
		pace_print(PACE_UNIT_COUNT, (double)c->n, n, sizeof(n));
	if (c->n > 0 && c->whole > 0) {
		pace_percent((double)c->n / (double)c->whole, share, sizeof(share));
		share[strcspn(share, " ")] = '\0';
	}
	snprintf(first, sizeof(first), "  %s%*s%s%s%s%s%s", c->label,
	    pad_of(PACE_LABEL - 2, c->label) + pad_of(width, n), "", n,
	    share[0] != '\0' ? "   " : "", share, share[0] != '\0' ? " %" : "",
	    words ? "   " : "");
	pace_say_wrapped(s, first, words ? c->words : "");
}

void
pace_say_troubles(const struct pace_say *s, const struct pace_counted *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].n > 0)
			pace_say_counted(s, PACE_COUNT_WIDTH, &v[i]);
}

void
pace_say_messages(const struct pace_say *s, const char *name, const struct pace_message_stats *m)
{
	const uint64_t all = m->complete + m->incomplete + m->lost;
	char lack[128] = "", time[128] = "";
	const struct pace_counted lines[] = { { name, all, 0, "" },
	    { "  complete", m->complete, all, time }, { "  incomplete", m->incomplete, all, lack },
	    { "  lost whole", m->lost, all, "" } },
	    cut = { "  cut", m->cut, 0, "at the edges of the capture, in no other count" };

	if (m->complete > 0)
		snprintf(time, sizeof(time), "in %s, at most %s",
		    PACE_AS_USEC((double)pace_hist_quantile(&m->span, 0.5)),
		    PACE_AS_USEC((double)m->span.stats.max));
	if (m->incomplete > 0)
		snprintf(lack, sizeof(lack), "%s missing, at most %s",
		    PACE_AS_COUNT(pace_hist_quantile(&m->missing, 0.5)),
		    PACE_AS_COUNT(m->missing.stats.max));
	for (size_t i = 0; i < PACE_COUNT_OF(lines); i++)
		pace_say_counted(s, PACE_COUNT_WIDTH, &lines[i]);
	pace_say_troubles(s, &cut, 1);
}

void
pace_say_lost(const struct pace_say *s, const struct pace_rx_result *r)
{
	struct pace_counted c = { "lost", PACE_NOT_KNOWN, 0, "" };
	char words[128];

	if (r != NULL) {
		const struct pace_stats *runs = &r->runs.stats;

		c.n = r->lost;
		c.whole = r->lost + r->unique;
		snprintf(words, sizeof(words), "%llu run%s, longest %s",
		    (unsigned long long)runs->n, runs->n > 1 ? "s" : "", PACE_AS_COUNT(runs->max));
		c.words = runs->n > 0 ? words : "";
	}
	pace_say_counted(s, PACE_COUNT_WIDTH, &c);
}

void
pace_say_reordered(const struct pace_say *s, const struct pace_rx_result *r)
{
	struct pace_counted c = { "reordered", PACE_NOT_KNOWN, 0, "" };
	char words[128];

	if (r != NULL) {
		c.n = r->reordered;
		c.whole = r->unique;
		snprintf(words, sizeof(words), "furthest %lld places, latest %s",
		    (long long)r->extent.stats.max, PACE_AS_USEC(r->late_ns.stats.max));
		c.words = r->reordered > 0 ? words : "";
	}
	pace_say_counted(s, PACE_COUNT_WIDTH, &c);
}

double
pace_figure_of(const struct pace_hist *h, enum pace_hist_figure kind, double q)
{
	const struct pace_stats *t = &h->stats;

	if (kind == PACE_QUANTILE)
		return pace_hist_has_quantile(t->n, q) ? (double)pace_hist_quantile(h, q) : NAN;
	return t->n == 0 ? NAN : kind == PACE_MIN ? (double)t->min :
	    kind == PACE_MAX ? (double)t->max :
	    kind == PACE_MEAN ? pace_stats_mean(t) : pace_stats_stddev(t);
}

/* Format v with as many decimals as fit, after one blank; if it does not fit without
 * decimals, with three digits and a prefix. */
static const char *
fit(int width, double v, int decimals, char text[340])
{
	static const char prefixes[] = "kMGTPE";
	size_t at = 0;

	while (pace_width(pace_fixed(v, decimals, text, 340)) >= width && decimals > 0)
		decimals--;
	if (pace_width(text) < width || !isfinite(v))
		return text;
	for (v /= 1e3; fabs(v) >= 999.5 && prefixes[at + 1] != '\0'; at++)
		v /= 1e3;
	decimals = fabs(v) < 9.995 ? 2 : fabs(v) < 99.95 ? 1 : 0;
	while (pace_width(pace_fixed(v, decimals, text, 340)) + 1 >= width && decimals > 0)
		decimals--;
	snprintf(text + strlen(text), 2, "%c", prefixes[at]);
	return text;
}

void
pace_say_hist_head(const struct pace_say *s, const struct pace_hist_table *t, const char *name)
{
	pace_say(s, "\n  %-*s", PACE_LABEL - 2, name);
	for (int i = 0; i < t->n; i++)
		pace_say(s, "%*s", t->v[i].width - (i == 0 ? PACE_LABEL - t->label : 0),
		    t->v[i].title);
	pace_say(s, "   unit%s\n", t->behind);
}

void
pace_say_figures(const struct pace_say *s, const struct pace_hist_table *t, const char *label,
    const double *v, const struct pace_scale *u, const char *stamp)
{
	int at = 2 + pace_width(label), end = t->label;
	char text[340];

	pace_say(s, "  %s", label);
	for (int i = 0; i < t->n; i++) {
		end += t->v[i].width;
		pace_say_cell(s, end - at, fit(end - at, v[i] / u->one, u->decimals, text));
		at = end;
	}
	pace_say(s, "   %s", u->unit);
	if (stamp != NULL)
		pace_say(s, "%*s%s", UNIT - pace_width(u->unit), "", stamp);
	pace_say(s, "\n");
}

void
pace_say_hists(const struct pace_say *s, const struct pace_hist_table *t,
    const struct pace_hist_line *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double figures[PACE_HIST_FIGURES];

		for (int k = 0; k < t->n; k++)
			figures[k] = pace_figure_of(v[i].h, t->v[k].kind, t->v[k].q);
		pace_say_figures(s, t, v[i].label, figures, v[i].u, NULL);
	}
}

void
pace_say_picture(const struct pace_say *s, const struct pace_picture *p,
    const struct pace_scale *u)
{
	int column = pace_strip_column(p->strip, (int64_t)round(p->mark_ns)), n;
	char bars[PACE_STRIP_TEXT], text[340];

	pace_strip_draw(p->strip, s->utf8, bars);
	pace_say(s, "\n  %s, %s (log of the counts%s)\n", p->title, u->unit,
	    p->strip->log ? ", log axis" : "");
	pace_say_cell(s, EDGE, fit(EDGE, (double)p->strip->low / u->one, u->decimals, text));
	pace_say(s, " |%s| ", bars);
	pace_say(s, "%s\n", fit(EDGE, (double)p->strip->high / u->one, u->decimals, text));
	if (p->mark == NULL)
		return;
	n = snprintf(text, sizeof(text), "%s %s", p->mark,
	    fit(2 * EDGE, p->mark_ns / u->one, u->decimals, (char [340]){ "" }));
	if (column + 2 + n <= PACE_STRIP_COLUMNS)
		pace_say(s, "%*s^ %s\n", EDGE + 2 + column, "", text);
	else
		pace_say(s, "%*s%s ^\n", EDGE + 2 + column - 1 - n, "", text);
}

void
pace_say_notes(const struct pace_say *s, const char *first, const struct pace_notes *n)
{
	if (n->n > 0)
		pace_say(s, "\n");
	for (int i = 0; i < n->n; i++)
		pace_say_wrapped(s, first, n->v[i].text);
}

static bool
is_left_out(const struct pace_row_table *t, size_t column)
{
	return (t->left_out >> column & 1) != 0;
}

void
pace_say_heads(const struct pace_say *s, const struct pace_row_table *t)
{
	for (int line = 0; line < 2; line++) {
		int width = 0;		/* includes the empty cells before it */

		for (size_t i = 0; i < t->n; i++) {
			const struct pace_column *c = &t->v[i];
			const char *text = line == 0 ? c->title : t->units[c->unit].unit;

			width += is_left_out(t, i) ? 0 : c->width;
			if (is_left_out(t, i) || text[0] == '\0')
				continue;
			pace_say_cell(s, width, text);
			width = 0;
		}
		pace_say(s, "\n");
	}
}

int
pace_row_table_head(FILE *f, const struct pace_row_table *t, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	pace_say_heads(&s, t);
	return pace_say_end(&s);
}

/* Decimal points are in one column; 100 % moves by a cell where it would touch the one before. */
static void
percent_in(int width, double v, char *text, size_t size)
{
	size_t n;

	pace_percent(v, text, size);
	n = strlen(text);
	if (n >= (size_t)width && text[n - 1] == ' ')
		text[n - 1] = '\0';
}

void
pace_say_cells(const struct pace_say *s, const struct pace_row_table *t, const double *v)
{
	char text[340];

	for (size_t i = 0; i < t->n; i++) {
		const struct pace_scale *u = &t->units[t->v[i].unit];
		int width = t->v[i].width;

		if (is_left_out(t, i))
			continue;
		if (u->decimals == PACE_AS_PERCENT)
			percent_in(width, v[i], text, sizeof(text));
		else if (u->decimals == PACE_AS_DIRECTION)
			snprintf(text, sizeof(text), "%s", pace_direction_names[v[i] > 0]);
		else if (u->decimals == PACE_AS_TRANSPORT)
			snprintf(text, sizeof(text), "%s", v[i] > 0 ? "TCP" : "UDP");
		else if (u->decimals == PACE_IN_GROUPS && !isnan(v[i]))
			pace_print(PACE_UNIT_COUNT, v[i], text, sizeof(text));
		else
			fit(width, v[i] / u->one, u->decimals == PACE_THAT_FIT ? 2 :
			    u->decimals < 0 ? 0 : u->decimals, text);
		if (u->decimals == PACE_IN_GROUPS && pace_width(text) >= width)
			fit(width, v[i], 0, text);
		pace_say_cell(s, width, text);
	}
}

void
pace_say_flags(const struct pace_say *s, size_t room, const char *flags)
{
	if (flags[0] != '\0')
		pace_say(s, " %.*s%s", (int)(strlen(flags) > room ? room - 1 : room), flags,
		    strlen(flags) > room ? "+" : "");
	pace_say(s, "\n");
}

void
pace_say_legend(const struct pace_say *s, const struct pace_flags *used)
{
	const char *words;
	char first[] = "  X  ";

	for (size_t i = 0; (words = pace_flags_legend(used, i, &first[2])) != NULL; i++)
		pace_say_wrapped(s, first, words);
}

int
pace_row_table_foot(FILE *f, const char *line, const struct pace_flags *used, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	pace_say(&s, "%s", line);
	pace_say_legend(&s, used);
	return pace_say_end(&s);
}
