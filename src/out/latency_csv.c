#include "out/latency_csv.h"

#include <math.h>
#include <stddef.h>

#include "out/say.h"

/*
 * A column: its header is name_unit, put writes the cell from the member at
 * offset at, or nothing when it was not measured.
 */
struct column {
	const char	*name, *unit;
	void		(*put)(FILE *f, const void *member, const struct column *c);
	size_t		at;
	double		q;	/* of a histogram */
};

static void
count(FILE *f, const void *member, const struct column *c)
{
	(void)c;
	fprintf(f, "%llu", (unsigned long long)*(const uint64_t *)member);
}

static void
bytes(FILE *f, const void *member, const struct column *c)
{
	(void)c;
	fprintf(f, "%lu", (unsigned long)*(const uint32_t *)member);
}

static void
flag(FILE *f, const void *member, const struct column *c)
{
	(void)c;
	fputc(*(const bool *)member ? '1' : '0', f);
}

static void
integer(FILE *f, const void *member, const struct column *c)
{
	(void)c;
	fprintf(f, "%lld", (long long)*(const int64_t *)member);
}

/* Of nothing, of a single request, of ping-pong. */
static void
unless_0(FILE *f, const void *member, const struct column *c)
{
	if (*(const int64_t *)member > 0)
		integer(f, member, c);
}

static void
real(FILE *f, double v, int decimals)
{
	char text[340];

	fputs(pace_fixed(v, decimals, text, sizeof(text)), f);
}

static void
mode(FILE *f, const void *member, const struct column *c)
{
	(void)c;
	fputs(*(const int64_t *)member > 0 ? "open-loop" : "ping-pong", f);
}

static void
verdict(FILE *f, const void *member, const struct column *c)
{
	(void)c;
	fputs(pace_verdict_name(*(const enum pace_verdict *)member), f);
}

static void
timeouts_ratio(FILE *f, const void *member, const struct column *c)
{
	const struct pace_latency *p = member;

	(void)c;
	if (p->sent > 0)
		real(f, (double)p->timeouts / (double)p->sent, 12);
}

static void
hist_count(FILE *f, const void *member, const struct column *c)
{
	count(f, &((const struct pace_hist *)member)->stats.n, c);
}

static void
hist_min(FILE *f, const void *member, const struct column *c)
{
	const struct pace_hist *h = member;

	if (h->stats.n > 0)
		integer(f, &h->stats.min, c);
}

static void
hist_max(FILE *f, const void *member, const struct column *c)
{
	const struct pace_hist *h = member;

	if (h->stats.n > 0)
		integer(f, &h->stats.max, c);
}

static void
hist_mean(FILE *f, const void *member, const struct column *c)
{
	const struct pace_hist *h = member;

	(void)c;
	if (h->stats.n > 0)
		real(f, pace_stats_mean(&h->stats), 3);
}

static void
hist_stddev(FILE *f, const void *member, const struct column *c)
{
	const struct pace_hist *h = member;

	(void)c;
	if (h->stats.n > 0)
		real(f, pace_stats_stddev(&h->stats), 3);
}

static void
hist_quantile(FILE *f, const void *member, const struct column *c)
{
	const struct pace_hist *h = member;

	if (pace_hist_has_quantile(h->stats.n, c->q))
		fprintf(f, "%lld", (long long)pace_hist_quantile(h, c->q));
}

/* Codes may have been read from a file: what would need quoting becomes '?'. */
static void
codes(FILE *f, const void *member, const struct column *c)
{
	const struct pace_notes *n = member;

	(void)c;
	for (int i = 0; i < n->n; i++) {
		if (i > 0)
			fputc(' ', f);
		for (const char *s = n->v[i].code; *s != '\0'; s++)
			fputc(*s == ',' || *s == '"' || *s == ' ' ? '?' : *s, f);
	}
}

#define AT(member)	offsetof(struct pace_latency, member)
#define COL(name, unit, put, member)	{ name, unit, put, AT(member), 0 }
#define HIST(name, member) \
	{ name, "frames", hist_count, AT(member), 0 }, \
	{ name "_min", "ns", hist_min, AT(member), 0 }, \
	{ name "_mean", "ns", hist_mean, AT(member), 0 }, \
	{ name "_stddev", "ns", hist_stddev, AT(member), 0 }, \
	{ name "_p1", "ns", hist_quantile, AT(member), 0.01 }, \
	{ name "_p50", "ns", hist_quantile, AT(member), 0.5 }, \
	{ name "_p90", "ns", hist_quantile, AT(member), 0.9 }, \
	{ name "_p99", "ns", hist_quantile, AT(member), 0.99 }, \
	{ name "_p99_9", "ns", hist_quantile, AT(member), 0.999 }, \
	{ name "_max", "ns", hist_max, AT(member), 0 }

static const struct column columns[] = {
	COL("size", "bytes", bytes, ask.size_bytes),
	COL("reply", "bytes", bytes, ask.reply_bytes),
	COL("count", "", count, ask.count),
	COL("mode", "", mode, ask.interval_ns),
	COL("interval", "ns", unless_0, ask.interval_ns),
	COL("timeout", "ns", integer, ask.timeout_ns),
	COL("busy_poll", "", flag, ask.busy_poll),
	COL("verdict", "", verdict, verdict),
	COL("interrupted", "", flag, interrupted),

	COL("sent", "frames", count, sent),
	COL("refused", "frames", count, refused),
	COL("received", "frames", count, received),
	COL("timeouts", "frames", count, timeouts),
	{ "timeouts", "ratio", timeouts_ratio, 0, 0 },
	COL("late_replies", "frames", count, late_replies),
	COL("duplicates", "frames", count, duplicates),
	COL("foreign", "frames", count, foreign),
	COL("late_requests", "frames", count, late_requests),
	COL("unstamped", "frames", count, unstamped),
	COL("duration", "ns", unless_0, duration_ns),
	COL("stalls", "", count, stalls.count),
	COL("stall_max", "ns", integer, stalls.max_ns),

	HIST("rtt", rtt),
	HIST("rtt_kernel", kernel),
	HIST("rtt_network", network),
	HIST("residence", residence),
	COL("notes", "", codes, notes),
};
#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

static int
end_line(FILE *f)
{
	const struct pace_say s = { f, true };

	fputc('\n', f);
	return pace_say_end(&s);
}

int
pace_latency_csv_head(FILE *f)
{
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(f, "%s%s%s%s", i > 0 ? "," : "", columns[i].name,
		    columns[i].unit[0] != '\0' ? "_" : "", columns[i].unit);
	return end_line(f);
}

int
pace_latency_csv_point(FILE *f, const struct pace_latency *p)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i > 0)
			fputc(',', f);
		columns[i].put(f, (const char *)p + columns[i].at, &columns[i]);
	}
	return end_line(f);
}
