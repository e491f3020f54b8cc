#include "out/latency_text.h"

#include <math.h>
#include <string.h>

#include "out/stamp_text.h"
#include "out/table.h"
#include "out/text.h"

#define US		"\xc2\xb5s"

/* --- head -------------------------------------------------------------------- */

/* Smallest and largest request or reply. */
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

static const char *
range_of(const struct range *r, char text[64])
{
	snprintf(text, 64, r->low == r->high ? "of %u B" : "from %u B to %u B", r->low, r->high);
	return text;
}

static void
say_sizes(const struct pace_say *s, const struct pace_latency_params *asks, size_t n)
{
	struct range size = { asks[0].size_bytes, asks[0].size_bytes };
	struct range reply = { asks[0].reply_bytes, asks[0].reply_bytes };
	char sizes[64], replies[64];
	bool alike = n > 1;
	size_t tcp = 0;

	for (size_t i = 0; i < n; i++) {
		widen(&size, asks[i].size_bytes);
		widen(&reply, asks[i].reply_bytes);
		alike &= asks[i].size_bytes == asks[i].reply_bytes;
		tcp += asks[i].tcp;
	}
	if (tcp > 0 && n > 1) {
		pace_say_sentence(s, "  sizes     ", "%zu %s over TCP, %zu of them over UDP, replies %s",
		    tcp, range_of(&size, sizes), n - tcp, alike ? "as large" : range_of(&reply,
		    replies));
		return;
	}
	if (alike)
		snprintf(replies, sizeof(replies), "as large");
	else
		range_of(&reply, replies);
	if (n > 1)
		pace_say_sentence(s, "  sizes     ", "%zu %s of data, replies %s", n,
		    range_of(&size, sizes), replies);
	else
		pace_say(s, "  size      %u B of data, replies %s\n", size.low, replies);
}

static void
say_requests(const struct pace_say *s, const struct pace_latency_params *a, size_t n)
{
	double count = (double)a->count, all = count * (double)n;
	char each[96] = "", when[160] = "ping-pong: each one after the reply to the previous one";

	if (n > 1)
		snprintf(each, sizeof(each), " of each, %s in all", PACE_AS_COUNT(all));
	if (a->interval_ns > 0)
		snprintf(when, sizeof(when), "one every %s, %s", PACE_AS_USEC(a->interval_ns),
		    PACE_AS_SEC(all * (double)a->interval_ns));
	pace_say_sentence(s, "  requests  ", "%s%s, %s", PACE_AS_COUNT(count), each, when);
	pace_say(s, "  time-out  %s%s\n", PACE_AS_SEC(a->timeout_ns),
	    a->busy_poll ? "; client and responder poll busily" : "");
}

int
pace_latency_text_head(FILE *f, const struct pace_result *r,
    const struct pace_latency_params *asks, size_t n, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	struct pace_result named = *r;

	for (size_t i = 0; i < n; i++)
		if (asks[i].tcp)
			named.kind = "tcp --request";	/* the command, not its document */
	(void)pace_text_head(f, &named, NULL, NULL, 0, utf8);	/* f keeps the error */
	if (n > 0) {
		say_sizes(&s, asks, n);
		say_requests(&s, asks, n);
	}
	return pace_say_end(&s);
}

/* --- block of one size ---------------------------------------------------------- */

/* More upper quantiles than for gaps, because round trips have a long tail. */
static const struct pace_hist_table trip_table = { PACE_LABEL, "", 6, {
	{ "min", 9, PACE_MIN, 0 }, { "p50", 9, PACE_QUANTILE, 0.5 },
	{ "p90", 9, PACE_QUANTILE, 0.9 }, { "p99", 9, PACE_QUANTILE, 0.99 },
	{ "p99.9", 9, PACE_QUANTILE, 0.999 }, { "max", 10, PACE_MAX, 0 },
} }, trip_spread_table = { PACE_LABEL, "", 6, {
	{ "mean", 9, PACE_MEAN, 0 }, { "std dev", 9, PACE_STDDEV, 0 },
	{ "p1", 9, PACE_QUANTILE, 0.01 }, { "p25", 9, PACE_QUANTILE, 0.25 },
	{ "p75", 9, PACE_QUANTILE, 0.75 }, { "p99.99", 10, PACE_QUANTILE, 0.9999 },
} };

struct latency_text_block {
	struct pace_say	s;
	const struct pace_latency *p;
	struct pace_scale time;
};

static void
say_title(const struct latency_text_block *b)
{
	const struct pace_latency *p = b->p;

	char every[96] = "ping-pong";
	bool paced = p->ask.interval_ns > 0;

	if (paced)
		snprintf(every, sizeof(every), "every %s", PACE_AS_USEC(p->ask.interval_ns));
	pace_say_sentence(&b->s, "", "%s%u B, replies of %u B, %s%s%s%s", p->ask.tcp ? "TCP, " : "",
	    p->ask.size_bytes, p->ask.reply_bytes, every, paced || p->verdict == PACE_DEGRADED ? ": " : "",
	    paced || p->verdict == PACE_DEGRADED ? pace_verdict_name(p->verdict) : "",
	    p->interrupted ? ", interrupted" : "");
}

static void
say_fate(const struct latency_text_block *b)
{
	const struct pace_latency *p = b->p;
	char span[96] = "", after[192] = "", refused[128];
	const struct pace_counted always[] = {
		{ "requests sent", p->sent, 0, span },
		{ "replies", p->received, 0, "" },
		{ "timed out", p->timeouts, p->sent, after },
	}, troubles[] = {
		{ "late requests", p->late_requests, p->sent, "sent more than one interval late" },
		{ "duplicates", p->duplicates, 0, "replies received again" },
		{ "foreign", p->foreign, 0, "replies to no request of this run" },
		{ "not stamped", p->unstamped, p->received, "of the replies by the kernel" },
		{ "not sent", p->refused, 0, refused },
	};

	if (p->duration_ns > 0)
		snprintf(span, sizeof(span), "in %s", PACE_AS_SEC(p->duration_ns));
	if (p->timeouts > 0 && p->late_replies > 0)
		snprintf(after, sizeof(after), "after %s; %s arrived later",
		    PACE_AS_SEC(p->ask.timeout_ns), PACE_AS_COUNT(p->late_replies));
	else if (p->timeouts > 0)
		snprintf(after, sizeof(after), "after %s", PACE_AS_SEC(p->ask.timeout_ns));
	snprintf(refused, sizeof(refused), "refused by this host%s%.60s",
	    p->refused_errno != 0 ? ": " : "",
	    p->refused_errno != 0 ? strerror(p->refused_errno) : "");
	for (size_t i = 0; i < PACE_COUNT_OF(always); i++)
		pace_say_counted(&b->s, PACE_COUNT_WIDTH, &always[i]);
	pace_say_troubles(&b->s, troubles, PACE_COUNT_OF(troubles));
}

static void
say_times(const struct latency_text_block *b, const struct pace_hist_table *t, const char *name)
{
	const struct pace_hist_line lines[] = {
		{ "application", &b->p->rtt, &b->time }, { "kernel", &b->p->kernel, &b->time },
		{ "network", &b->p->network, &b->time },
		{ "residence", &b->p->residence, &b->time },
	};

	const struct pace_hist_line ways[] = {
		{ "one-way there", &b->p->there, &b->time },
		{ "one-way back", &b->p->back, &b->time },
	};

	pace_say_hist_head(&b->s, t, name);
	pace_say_hists(&b->s, t, lines, PACE_COUNT_OF(lines));
	if (b->p->has_clock)
		pace_say_hists(&b->s, t, ways, PACE_COUNT_OF(ways));
}

static void
say_requests_lost(const struct latency_text_block *b)
{
	const struct pace_latency *p = b->p;
	const struct pace_counted troubles[] = {
		{ "duplicated", p->requests.duplicates, 0, "requests, on the way there" },
		{ "reordered", p->requests.reordered, p->sent, "requests, on the way there" },
		{ "unanswered", p->requests.unanswered, p->sent, "because of the responder's "
		    "limits" },
	};

	pace_say_sentence(&b->s, "  lost            ", "%s on the way to the responder, %s on the "
	    "way back", PACE_AS_COUNT(p->lost_there), PACE_AS_COUNT(p->lost_back));
	pace_say_troubles(&b->s, troubles, PACE_COUNT_OF(troubles));
}

/* The clock of the far end, and what it counted. */
static void
say_far_end(const struct latency_text_block *b)
{
	const struct pace_latency *p = b->p;

	pace_say(&b->s, "\n");
	pace_say_far_clock(&b->s, p->by_stamp ? "reflector - client" : "responder - client",
	    &p->clock);
	if (p->by_stamp)
		pace_say_stamp(&b->s, &p->stamp);
	else if (p->has_requests)
		say_requests_lost(b);
}

static void
say_picture(const struct latency_text_block *b)
{
	const struct pace_hist *h = &b->p->rtt;
	struct pace_strip strip;
	const struct pace_picture picture = { "round trips of the application", &strip, "p50",
	    (double)pace_hist_quantile(h, 0.5) };

	if (h->stats.n == 0)
		return;
	pace_strip_reset(&strip, h->stats.min, h->stats.max);
	pace_strip_add(&strip, h, 0);
	pace_say_picture(&b->s, &picture, &b->time);
}

static void
say_detail(const struct latency_text_block *b)
{
	const struct pace_latency *p = b->p;
	char longest[96] = "";
	const struct pace_counted counts[] = {
		{ "kernel stamps", p->kernel.stats.n, p->received, "of the replies" },
		{ p->by_stamp ? "reflector times" : "responder stamps", p->residence.stats.n,
		    p->received, "of the replies" },
		{ "stalls", p->stalls.count, 0, longest },
	};

	if (p->stalls.count > 0)
		snprintf(longest, sizeof(longest), "longest %s", PACE_AS_USEC(p->stalls.max_ns));
	say_times(b, &trip_spread_table, "detail");
	for (size_t i = 0; i < PACE_COUNT_OF(counts); i++)
		pace_say_counted(&b->s, PACE_COUNT_WIDTH, &counts[i]);
}

int
pace_latency_text_point(FILE *f, const struct pace_latency *p, bool detail, bool utf8)
{
	const struct latency_text_block b = { .s = { f, utf8 }, .p = p,
	    .time = pace_scale_time((double)pace_hist_quantile(&p->rtt, 0.5)) };

	say_title(&b);
	say_fate(&b);
	say_times(&b, &trip_table, "round trip");
	say_picture(&b);
	if (p->has_clock)
		say_far_end(&b);
	if (detail)
		say_detail(&b);
	pace_say_notes(&b.s, "  ! ", &p->notes);
	return pace_say_end(&b.s);
}

/* --- rows ---------------------------------------------------------------------- */

enum { BYTES, REQUESTS, PERCENT, TIME, MEDIAN, OVER };
static const struct pace_scale units[] = {
	[BYTES] = { "B", 1, 0 }, [REQUESTS] = { "", 1, 0 },
	[PERCENT] = { "out %  ", 1, PACE_AS_PERCENT }, [TIME] = { US, 1e3, PACE_THAT_FIT },
	[MEDIAN] = { "p50 " US, 1e3, PACE_THAT_FIT }, [OVER] = { "", 1, PACE_AS_TRANSPORT },
};
static const struct pace_column columns[] = {
	{ "over", 5, OVER }, { "size", 6, BYTES }, { "reply", 6, BYTES }, { "sent", 7, REQUESTS },
	{ "timed", 9, PERCENT }, { "min", 8, TIME }, { "p50", 8, TIME }, { "p99", 8, TIME },
	{ "max", 8, TIME }, { "kernel", 8, MEDIAN }, { "network", 8, MEDIAN },
};
/* the optional columns */
#define TRANSPORT	0
#define REPLY		2
#define NETWORK		10
#define FLAGS_ROOM	3		/* 80 columns in all */

static struct pace_row_table
table_of(const struct pace_latency_rows *rows)
{
	return (struct pace_row_table){ columns, PACE_COUNT_OF(columns), units,
	    (rows->replies ? 0 : 1u << REPLY) | (rows->transports ? 1u << NETWORK :
	    1u << TRANSPORT) };
}

struct pace_latency_rows
pace_latency_text_rows(const struct pace_latency_params *asks, size_t n)
{
	struct pace_latency_rows rows = { .replies = false };

	for (size_t i = 0; i < n; i++) {
		rows.replies |= asks[i].reply_bytes != asks[i].size_bytes;
		rows.transports |= asks[i].tcp;
	}
	return rows;
}

int
pace_latency_text_row_head(FILE *f, const struct pace_latency_rows *rows, bool utf8)
{
	const struct pace_row_table t = table_of(rows);

	return pace_row_table_head(f, &t, utf8);
}

/* Below a row: what a reflector shows of each direction. */
static void
say_directions(const struct pace_say *s, const struct pace_latency *p)
{
	const struct pace_stamp_result *r = &p->stamp;
	char delays[160] = "not known", losses[96] = "in a direction that is not known";

	if (p->there.stats.n > 0 && p->back.stats.n > 0)
		snprintf(delays, sizeof(delays), "%s there, %s back, \xc2\xb1 %s at any delays",
		    PACE_AS_USEC(pace_hist_quantile(&p->there, 0.5)),
		    PACE_AS_USEC(pace_hist_quantile(&p->back, 0.5)),
		    PACE_AS_USEC(p->clock.fit.bound_ns));
	if (r->counter == PACE_COUNTER_OWN)
		snprintf(losses, sizeof(losses), "%s there, %s back%s%s", PACE_AS_COUNT(r->lost_there),
		    PACE_AS_COUNT(r->lost_back), r->lost_unknown > 0 ? ", not known " : "",
		    r->lost_unknown > 0 ? PACE_AS_COUNT(r->lost_unknown) : "");
	pace_say_sentence(s, "        one way: ", "p50 %s", delays);
	if (p->timeouts > 0)
		pace_say_sentence(s, "        lost:    ", "%s", losses);
}

int
pace_latency_text_row(FILE *f, const struct pace_latency_rows *rows,
    const struct pace_latency *p, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const struct pace_row_table t = table_of(rows);
	const double v[] = { p->ask.tcp, p->ask.size_bytes, p->ask.reply_bytes, (double)p->sent,
	    p->sent > 0 ? (double)p->timeouts / (double)p->sent : NAN,
	    pace_figure_of(&p->rtt, PACE_MIN, 0), pace_figure_of(&p->rtt, PACE_QUANTILE, 0.5),
	    pace_figure_of(&p->rtt, PACE_QUANTILE, 0.99), pace_figure_of(&p->rtt, PACE_MAX, 0),
	    pace_figure_of(&p->kernel, PACE_QUANTILE, 0.5),
	    pace_figure_of(&p->network, PACE_QUANTILE, 0.5) };
	char flags[PACE_FLAGS_MAX];

	pace_say_cells(&s, &t, v);
	pace_say_flags(&s, FLAGS_ROOM, pace_flags_row(&p->notes, p->verdict == PACE_DEGRADED,
	    p->interrupted, flags, rows->flags));
	if (p->by_stamp)
		say_directions(&s, p);
	return pace_say_end(&s);
}

int
pace_latency_text_row_foot(FILE *f, const struct pace_flags *used, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	pace_say_legend(&s, used);
	return pace_say_end(&s);
}

/* --- fit ----------------------------------------------------------------------- */

/* Decimals for two digits of the error; without an error, for three of the value. */
static int
decimals_of(double v, double error)
{
	double first;

	if (error < 5e-7 && v == 0)
		return 0;
	first = error < 5e-7 ? log10(fabs(v)) - 2 : log10(error) - 1;
	return (int)fmin(fmax(-floor(first), 0), 6);
}

/* "12.41 µs" or "(12.412 ± 0.051) µs"; before: text to its left. */
static const char *
value_of(const char *before, double v, const double *error, const char *unit, char text[160])
{
	int decimals = decimals_of(v, error != NULL ? *error : 0);
	const char *value = PACE_AS_FIXED(v, decimals);

	if (error != NULL)
		snprintf(text, 160, "%s(%s \xc2\xb1 %s) %s", before, value,
		    PACE_AS_FIXED(*error, decimals), unit);
	else if (value[0] == '-' && before[0] == '+')
		snprintf(text, 160, "- %s %s", value + 1, unit);
	else
		snprintf(text, 160, "%s%s %s", before, value, unit);
	return text;
}

/* R² and the point with the largest distance from the line. */
static const char *
quality_of(const struct pace_say *s, const struct pace_linefit *l, char text[256])
{
	double worst_ns = round(l->worst);
	bool rounds = l->r2 < 1 && l->r2 >= 0.99995;	/* would be printed as 1 */
	char worst[128] = "";

	if (worst_ns != 0)
		snprintf(worst, sizeof(worst), ", furthest %s%s at %.0f B", worst_ns > 0 ? "+" : "",
		    PACE_AS_USEC(worst_ns), l->worst_x);
	snprintf(text, 256, ", R%s %s%s%s", s->utf8 ? "\xc2\xb2" : "^2", rounds ? "> " : "",
	    PACE_AS_FIXED(rounds ? 0.9999 : l->r2, 4), worst);
	return text;
}

static void
say_line(const struct pace_say *s, const char *name, const struct pace_linefit *l)
{
	struct pace_scale t = pace_scale_time(l->intercept);
	double error = l->intercept_stderr / t.one;
	char first[64], text[160], slope[160];

	snprintf(first, sizeof(first), "%s = ", name);
	pace_say_sentence(s, first, "%s %s %s size",
	    value_of("", l->intercept / t.one, l->has_errors ? &error : NULL, t.unit, text),
	    value_of("+ ", l->slope, l->has_errors ? &l->slope_stderr : NULL, "ns/byte", slope),
	    s->utf8 ? "\xc3\x97" : "x");
}

int
pace_latency_text_fit(FILE *f, const struct pace_latency_fits *fits, bool utf8)
{
	const struct { const char *name, *what; const struct pace_linefit *l; } lines[] = {
		{ fits->name != NULL ? fits->name : "round trip", "minimum", &fits->min },
		{ "          ", "median", &fits->median },
	};
	const struct pace_say s = { f, utf8 };
	double expected = fits->expected_slope;
	char quality[256] = "", times[128] = "";

	pace_say(&s, "\n");
	for (int i = 0; i < 2; i++) {
		if (!lines[i].l->has_line)
			continue;
		say_line(&s, lines[i].name, lines[i].l);
		pace_say_sentence(&s, "             ", "%s, %zu sizes%s", lines[i].what,
		    lines[i].l->n,
		    lines[i].l->has_errors ? quality_of(&s, lines[i].l, quality) : "");
	}
	if (!fits->min.has_line)
		pace_say(&s, "%s = -   a line needs replies at two sizes\n", lines[0].name);
	if (expected > 0 && fits->min.has_line)
		snprintf(times, sizeof(times), "; the minimum's slope is %s times that",
		    PACE_AS_FIXED(fits->min.slope / expected, 2));
	if (expected > 0)
		pace_say_sentence(&s, "  ", "the link alone: %s ns/byte%s",
		    PACE_AS_FIXED(expected, decimals_of(expected, 0)), times);
	return pace_say_end(&s);
}
