#include "out/latency_text.h"

#include <math.h>
#include <string.h>

#include "core/units.h"
#include "out/say.h"
#include "out/scale.h"
#include "out/strip.h"

#define LABEL		18	/* columns of a block before the first figure */
#define COUNT		14	/* columns of a count */
#define FIGURE		9	/* of a time; the last one of a line has one more */
#define EDGE		10	/* of the value left of a strip */
#define TEXT_MAX	64
#define US		"\xc2\xb5s"

/* Any value of a histogram in units of one, NAN when it has too few. */
static double
quantile(const struct pace_hist *h, double q, double one)
{
	return pace_hist_has_quantile(h->stats.n, q) ?
	    (double)pace_hist_quantile(h, q) / one : NAN;
}

static double
lowest(const struct pace_hist *h, double one)
{
	return h->stats.n > 0 ? (double)h->stats.min / one : NAN;
}

static double
highest(const struct pace_hist *h, double one)
{
	return h->stats.n > 0 ? (double)h->stats.max / one : NAN;
}

/* However wide, it stays apart from the one before. */
static void
time_cell(const struct pace_say *s, int width, double v, int decimals)
{
	pace_say(s, " ");
	pace_say_fixed(s, width - 1, v, decimals);
}

/* --- head -------------------------------------------------------------------- */

static void
say_target(const struct pace_say *s, const struct pace_result *r)
{
	pace_say(s, "udpace %s to %s", r->kind, r->target);
	if (r->address[0] != '\0')
		pace_say(s, " (%s port %u)", r->address, r->port);
	if (r->label[0] != '\0')
		pace_say(s, ", %s", r->label);
	pace_say(s, "\n");
}

/* From the smallest to the largest request or reply. */
struct range {
	uint32_t	low, high;
};

static void
widen(struct range *r, uint32_t bytes)
{
	if (bytes < r->low)
		r->low = bytes;
	if (bytes > r->high)
		r->high = bytes;
}

static void
say_range(const struct pace_say *s, const struct range *r)
{
	if (r->low == r->high)
		pace_say(s, "of %u B", r->low);
	else
		pace_say(s, "from %u B to %u B", r->low, r->high);
}

static void
say_sizes(const struct pace_say *s, const struct pace_latency_params *asks, size_t n)
{
	struct range size = { asks[0].size_bytes, asks[0].size_bytes };
	struct range reply = { asks[0].reply_bytes, asks[0].reply_bytes };
	bool alike = n > 1;

	for (size_t i = 0; i < n; i++) {
		widen(&size, asks[i].size_bytes);
		widen(&reply, asks[i].reply_bytes);
		alike &= asks[i].size_bytes == asks[i].reply_bytes;
	}
	if (n > 1) {
		pace_say(s, "  sizes     %zu ", n);
		say_range(s, &size);
	} else {
		pace_say(s, "  size      %u B", size.low);
	}
	pace_say(s, " of data, replies ");
	if (alike)
		pace_say(s, "as large");
	else
		say_range(s, &reply);
	pace_say(s, "\n");
}

static void
say_requests(const struct pace_say *s, const struct pace_latency_params *a, size_t n)
{
	double count = (double)a->count, all = count * (double)n;
	char text[TEXT_MAX];

	pace_say(s, "  requests  %s", pace_print(PACE_UNIT_COUNT, count, text, sizeof(text)));
	if (n > 1)
		pace_say(s, " of each, %s in all",
		    pace_print(PACE_UNIT_COUNT, all, text, sizeof(text)));
	if (a->interval_ns > 0) {
		pace_say(s, ", one every %s", pace_print(PACE_UNIT_USEC,
		    (double)a->interval_ns, text, sizeof(text)));
		pace_say(s, ", %s\n", pace_print(PACE_UNIT_SEC,
		    all * (double)a->interval_ns, text, sizeof(text)));
	} else {
		pace_say(s, ", ping-pong: each after the reply to the one before\n");
	}
	pace_say(s, "  time-out  %s%s\n", pace_print(PACE_UNIT_SEC,
	    (double)a->timeout_ns, text, sizeof(text)),
	    a->busy_poll ? "; both ends spin" : "");
}

int
pace_latency_text_head(FILE *f, const struct pace_result *r,
    const struct pace_latency_params *asks, size_t n, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	say_target(&s, r);
	if (n > 0) {
		say_sizes(&s, asks, n);
		say_requests(&s, asks, n);
	}
	return pace_say_end(&s);
}

/* --- block of one size ---------------------------------------------------------- */

struct latency_text_block {
	struct pace_say	s;
	const struct pace_latency *p;
	struct pace_scale time;
};

static void
label(const struct latency_text_block *b, const char *text)
{
	pace_say(&b->s, "  %-*s", LABEL - 2, text);
}

static void
say_title(const struct latency_text_block *b)
{
	const struct pace_latency *p = b->p;
	char text[TEXT_MAX];

	pace_say(&b->s, "%u B, replies of %u B, ", p->ask.size_bytes, p->ask.reply_bytes);
	if (p->ask.interval_ns > 0)
		pace_say(&b->s, "every %s: %s", pace_print(PACE_UNIT_USEC,
		    (double)p->ask.interval_ns, text, sizeof(text)),
		    pace_verdict_name(p->verdict));
	else
		pace_say(&b->s, "ping-pong%s",
		    p->verdict == PACE_DEGRADED ? ": degraded" : "");
	pace_say(&b->s, "%s\n", p->interrupted ? ", interrupted" : "");
}

/* A count, its share of a whole unless that is 0, and words. */
static void
count_line(const struct latency_text_block *b, const char *name, uint64_t n, uint64_t whole,
    const char *words)
{
	char text[TEXT_MAX];

	label(b, name);
	pace_say_count(&b->s, COUNT, n);
	if (n > 0 && whole > 0) {
		pace_percent((double)n / (double)whole, text, sizeof(text));
		text[strcspn(text, " ")] = '\0';
		pace_say(&b->s, "   %s %%", text);
	}
	if (words[0] != '\0')
		pace_say(&b->s, "   %s", words);
	pace_say(&b->s, "\n");
}

static void
say_timeouts(const struct latency_text_block *b)
{
	const struct pace_latency *p = b->p;
	char words[4 * TEXT_MAX], after[TEXT_MAX], late[TEXT_MAX];

	snprintf(words, sizeof(words), "after %s; %s came later",
	    pace_print(PACE_UNIT_SEC, (double)p->ask.timeout_ns, after, sizeof(after)),
	    pace_print(PACE_UNIT_COUNT, (double)p->late_replies, late, sizeof(late)));
	if (p->late_replies == 0)
		words[strcspn(words, ";")] = '\0';
	if (p->timeouts == 0)
		words[0] = '\0';
	count_line(b, "timed out", p->timeouts, p->sent, words);
}

/* Lines that only trouble brings. */
static void
say_troubles(const struct latency_text_block *b)
{
	const struct pace_latency *p = b->p;
	char words[2 * TEXT_MAX];

	if (p->late_requests > 0)
		count_line(b, "late requests", p->late_requests, p->sent,
		    "left more than an interval late");
	if (p->duplicates > 0)
		count_line(b, "duplicates", p->duplicates, 0, "replies that came again");
	if (p->foreign > 0)
		count_line(b, "foreign", p->foreign, 0, "no reply to what was asked");
	if (p->unstamped > 0)
		count_line(b, "not stamped", p->unstamped, p->received,
		    "of the replies by the kernel");
	if (p->refused == 0)
		return;
	snprintf(words, sizeof(words), "refused here%s%.60s", p->refused_errno != 0 ? ": " : "",
	    p->refused_errno != 0 ? strerror(p->refused_errno) : "");
	count_line(b, "not sent", p->refused, 0, words);
}

static void
say_fate(const struct latency_text_block *b)
{
	const struct pace_latency *p = b->p;
	char words[2 * TEXT_MAX] = "", text[TEXT_MAX];

	if (p->duration_ns > 0)
		snprintf(words, sizeof(words), "in %s", pace_print(PACE_UNIT_SEC,
		    (double)p->duration_ns, text, sizeof(text)));
	count_line(b, "requests sent", p->sent, 0, words);
	count_line(b, "replies", p->received, 0, "");
	say_timeouts(b);
	say_troubles(b);
}

static void
figures(const struct latency_text_block *b, const char *name, const double *v, int n)
{
	label(b, name);
	for (int i = 0; i < n; i++)
		time_cell(&b->s, FIGURE + (i == n - 1), v[i], b->time.decimals);
	pace_say(&b->s, "   %s\n", b->time.unit);
}

static void
time_line(const struct latency_text_block *b, const char *name, const struct pace_hist *h)
{
	double one = b->time.one;
	const double v[] = { lowest(h, one), quantile(h, 0.5, one), quantile(h, 0.9, one),
	    quantile(h, 0.99, one), quantile(h, 0.999, one), highest(h, one) };

	figures(b, name, v, 6);
}

static void
say_times(const struct latency_text_block *b)
{
	pace_say(&b->s, "\n  %-*s%*s%*s%*s%*s%*s%*s   unit\n", LABEL - 2, "round trip",
	    FIGURE, "min", FIGURE, "p50", FIGURE, "p90", FIGURE, "p99", FIGURE, "p99.9",
	    FIGURE + 1, "max");
	time_line(b, "application", &b->p->rtt);
	time_line(b, "kernel", &b->p->kernel);
	time_line(b, "network", &b->p->network);
	time_line(b, "residence", &b->p->residence);
}

/* The median, below its column. */
static void
say_mark(const struct latency_text_block *b, const struct pace_strip *strip)
{
	int64_t median_ns = pace_hist_quantile(&b->p->rtt, 0.5);
	int column = pace_strip_column(strip, median_ns), n;
	char text[TEXT_MAX], value[TEXT_MAX];

	n = snprintf(text, sizeof(text), "p50 %s", pace_fixed(
	    (double)median_ns / b->time.one, b->time.decimals, value, sizeof(value)));
	if (column + 2 + n <= PACE_STRIP_COLUMNS)
		pace_say(&b->s, "%*s^ %s\n", EDGE + 4 + column, "", text);
	else
		pace_say(&b->s, "%*s%s ^\n", EDGE + 4 + column - 1 - n, "", text);
}

static void
say_picture(const struct latency_text_block *b)
{
	const struct pace_hist *h = &b->p->rtt;
	char bars[PACE_STRIP_TEXT];
	struct pace_strip strip;

	if (h->stats.n == 0)
		return;
	pace_strip_reset(&strip, h->stats.min, h->stats.max);
	pace_strip_add(&strip, h, 0);
	pace_strip_draw(&strip, b->s.utf8, bars);
	pace_say(&b->s, "\n  round trips of the application, %s (log of the counts%s)\n",
	    b->time.unit, strip.log ? ", log axis" : "");
	pace_say_fixed(&b->s, 2 + EDGE, lowest(h, b->time.one), b->time.decimals);
	pace_say(&b->s, " |%s| ", bars);
	pace_say_fixed(&b->s, 0, highest(h, b->time.one), b->time.decimals);
	pace_say(&b->s, "\n");
	say_mark(b, &strip);
}

static void
spread_line(const struct latency_text_block *b, const char *name, const struct pace_hist *h)
{
	double one = b->time.one;
	bool any = h->stats.n > 0;
	const double v[] = { any ? pace_stats_mean(&h->stats) / one : NAN,
	    any ? pace_stats_stddev(&h->stats) / one : NAN, quantile(h, 0.01, one),
	    quantile(h, 0.25, one), quantile(h, 0.75, one), quantile(h, 0.9999, one) };

	figures(b, name, v, 6);
}

static void
say_detail(const struct latency_text_block *b)
{
	const struct pace_latency *p = b->p;
	char words[2 * TEXT_MAX], text[TEXT_MAX];

	pace_say(&b->s, "\n  %-*s%*s%*s%*s%*s%*s%*s   unit\n", LABEL - 2, "detail",
	    FIGURE, "mean", FIGURE, "std dev", FIGURE, "p1", FIGURE, "p25", FIGURE, "p75",
	    FIGURE + 1, "p99.99");
	spread_line(b, "application", &p->rtt);
	spread_line(b, "kernel", &p->kernel);
	spread_line(b, "network", &p->network);
	spread_line(b, "residence", &p->residence);
	count_line(b, "kernel stamps", p->kernel.stats.n, p->received, "of the replies");
	count_line(b, "responder stamps", p->residence.stats.n, p->received,
	    "of the replies");
	snprintf(words, sizeof(words), "longest %s", pace_print(PACE_UNIT_USEC,
	    (double)p->stalls.max_ns, text, sizeof(text)));
	count_line(b, "stalls", p->stalls.count, 0, p->stalls.count > 0 ? words : "");
}

int
pace_latency_text_point(FILE *f, const struct pace_latency *p, bool detail, bool utf8)
{
	const struct latency_text_block b = { .s = { f, utf8 }, .p = p,
	    .time = pace_scale_time((double)pace_hist_quantile(&p->rtt, 0.5)) };

	say_title(&b);
	say_fate(&b);
	say_times(&b);
	say_picture(&b);
	if (detail)
		say_detail(&b);
	if (p->notes.n > 0)
		pace_say(&b.s, "\n");
	for (int i = 0; i < p->notes.n; i++)
		pace_say_wrapped(&b.s, "  ! ", p->notes.v[i].text);
	return pace_say_end(&b.s);
}

/* --- rows ---------------------------------------------------------------------- */

/* Titles and units; the cells of pace_latency_text_row follow in this order. */
static const struct { const char *title, *unit; int width; } columns[] = {
	{ "size", "B", 6 }, { "reply", "B", 6 }, { "sent", "requests", 9 },
	{ "timed out", "%    ", 10 }, { "min", US, 8 }, { "p50", US, 8 }, { "p99", US, 8 },
	{ "max", US, 8 }, { "kernel", "p50 " US, 8 }, { "network", "p50 " US, 8 },
};
#define COLUMNS		(sizeof(columns) / sizeof(columns[0]))
#define REPLY		1		/* the column that may be left out */
#define TIMES		4		/* the first column of times */

struct pace_latency_rows
pace_latency_text_rows(const struct pace_latency_params *asks, size_t n)
{
	struct pace_latency_rows rows = { .replies = false };

	for (size_t i = 0; i < n; i++)
		rows.replies |= asks[i].reply_bytes != asks[i].size_bytes;
	return rows;
}

int
pace_latency_text_row_head(FILE *f, const struct pace_latency_rows *rows, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	for (size_t i = 0; i < COLUMNS; i++)
		if (i != REPLY || rows->replies)
			pace_say_cell(&s, columns[i].width, columns[i].title);
	pace_say(&s, "\n");
	for (size_t i = 0; i < COLUMNS; i++)
		if (i != REPLY || rows->replies)
			pace_say_cell(&s, columns[i].width, columns[i].unit);
	pace_say(&s, "\n");
	return pace_say_end(&s);
}

/* As many decimals as the width has room for, at most 2. */
static void
fitting_cell(const struct pace_say *s, int width, double v)
{
	char text[TEXT_MAX * 6];
	int decimals = 2;

	while (decimals > 0 && pace_width(pace_fixed(v, decimals, text, sizeof(text))) >= width)
		decimals--;
	time_cell(s, width, v, decimals);
}

/* What is wrong with the row above, if anything is. */
static void
say_marks(const struct pace_say *s, const struct pace_latency *p)
{
	char text[(PACE_NOTES + 2) * (sizeof(p->notes.v[0].code) + 1)];
	int n;

	n = snprintf(text, sizeof(text), "%s%s",
	    p->verdict == PACE_DEGRADED ? " degraded" : "",
	    p->interrupted ? " interrupted" : "");
	for (int i = 0; i < p->notes.n; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %s", p->notes.v[i].code);
	if (n > 0)
		pace_say_wrapped(s, "       ! ", text);
}

int
pace_latency_text_row(FILE *f, const struct pace_latency_rows *rows,
    const struct pace_latency *p, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const double us[] = { lowest(&p->rtt, 1e3), quantile(&p->rtt, 0.5, 1e3),
	    quantile(&p->rtt, 0.99, 1e3), highest(&p->rtt, 1e3),
	    quantile(&p->kernel, 0.5, 1e3), quantile(&p->network, 0.5, 1e3) };
	char text[TEXT_MAX];

	pace_say_fixed(&s, columns[0].width, p->ask.size_bytes, 0);
	if (rows->replies)
		pace_say_fixed(&s, columns[REPLY].width, p->ask.reply_bytes, 0);
	pace_say_fixed(&s, columns[2].width, (double)p->sent, 0);
	pace_say_cell(&s, columns[3].width, pace_percent(p->sent > 0 ?
	    (double)p->timeouts / (double)p->sent : NAN, text, sizeof(text)));
	for (size_t i = TIMES; i < COLUMNS; i++)
		fitting_cell(&s, columns[i].width, us[i - TIMES]);
	pace_say(&s, "\n");
	say_marks(&s, p);
	return pace_say_end(&s);
}

/* --- fit ----------------------------------------------------------------------- */

/* Two digits of the error, or three of the value when it has none to show. */
static int
decimals_of(double v, double error)
{
	double first;

	if (error < 5e-7 && v == 0)
		return 0;
	first = error < 5e-7 ? log10(fabs(v)) - 2 : log10(error) - 1;
	return (int)fmin(fmax(-floor(first), 0), 6);
}

/* "12.41 µs" or "(12.412 ± 0.051) µs"; before: what joins it to the left. */
static void
say_value(const struct pace_say *s, const char *before, double v, const double *error,
    const char *unit)
{
	int decimals = decimals_of(v, error != NULL ? *error : 0);
	char value[340], text[340];

	pace_fixed(v, decimals, value, sizeof(value));
	if (error != NULL)
		pace_say(s, "%s(%s \xc2\xb1 %s) %s", before, value,
		    pace_fixed(*error, decimals, text, sizeof(text)), unit);
	else if (value[0] == '-' && before[0] == '+')
		pace_say(s, "- %s %s", value + 1, unit);
	else
		pace_say(s, "%s%s %s", before, value, unit);
}

/* R² and the point furthest from the line. */
static void
say_quality(const struct pace_say *s, const struct pace_linefit *l)
{
	double worst_ns = round(l->worst);
	char text[TEXT_MAX];
	bool rounds = l->r2 < 1 && l->r2 >= 0.99995;	/* to 1, which it is not */

	if (!l->has_errors)
		return;
	pace_say(s, ", R%s %s%s", s->utf8 ? "\xc2\xb2" : "^2", rounds ? "> " : "",
	    pace_fixed(rounds ? 0.9999 : l->r2, 4, text, sizeof(text)));
	if (worst_ns != 0)
		pace_say(s, ", furthest %s%s at %.0f B", worst_ns > 0 ? "+" : "",
		    pace_print(PACE_UNIT_USEC, worst_ns, text, sizeof(text)), l->worst_x);
}

static void
say_line(const struct pace_say *s, const char *name, const struct pace_linefit *l)
{
	struct pace_scale t = pace_scale_time(l->intercept);
	double error = l->intercept_stderr / t.one;

	pace_say(s, "%s = ", name);
	say_value(s, "", l->intercept / t.one, l->has_errors ? &error : NULL, t.unit);
	pace_say(s, " ");
	say_value(s, "+ ", l->slope, l->has_errors ? &l->slope_stderr : NULL, "ns/byte");
	pace_say(s, " %s size\n", s->utf8 ? "\xc3\x97" : "x");
}

static void
say_expected(const struct pace_say *s, const struct pace_latency_fits *fits)
{
	double expected = fits->expected_slope;
	char text[340];

	if (!(expected > 0))
		return;
	pace_say(s, "  the link alone: %s ns/byte",
	    pace_fixed(expected, decimals_of(expected, 0), text, sizeof(text)));
	if (fits->min.has_line)
		pace_say(s, "; the minimum's slope is %s times that",
		    pace_fixed(fits->min.slope / expected, 2, text, sizeof(text)));
	pace_say(s, "\n");
}

int
pace_latency_text_fit(FILE *f, const struct pace_latency_fits *fits, bool utf8)
{
	const struct { const char *name, *what; const struct pace_linefit *l; } lines[] = {
		{ "\nround trip", "minimum", &fits->min },
		{ "          ", "median", &fits->median },
	};
	const struct pace_say s = { f, utf8 };

	for (int i = 0; i < 2; i++) {
		if (!lines[i].l->has_line)
			continue;
		say_line(&s, lines[i].name, lines[i].l);
		pace_say(&s, "             %s, %zu sizes", lines[i].what, lines[i].l->n);
		say_quality(&s, lines[i].l);
		pace_say(&s, "\n");
	}
	if (!fits->min.has_line)
		pace_say(&s, "\nround trip = -   a line needs replies at two sizes\n");
	say_expected(&s, fits);
	return pace_say_end(&s);
}
