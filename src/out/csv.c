#include "out/csv.h"

#include <math.h>
#include <stddef.h>

#include "out/block.h"
#include "out/say.h"
#include "out/scale.h"

/*
 * A column: its header is name_unit, put writes the cell from the member at
 * offset at, or nothing when it was not measured.
 */
struct column {
	const char	*name, *unit;
	void		(*put)(FILE *f, const void *member, const struct column *c);
	size_t		at;
	bool		rx;	/* the responder's: empty when its part is missing */
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
	const uint32_t n = *(const uint32_t *)member;

	(void)c;
	if (n > 0)
		fprintf(f, "%lu", (unsigned long)n);
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

/* Of nothing, or of a single frame. */
static void
duration(FILE *f, const void *member, const struct column *c)
{
	if (*(const int64_t *)member > 0)
		integer(f, member, c);
}

static void
real(FILE *f, double v, int decimals)
{
	char text[340];

	if (isfinite(v))
		fputs(pace_fixed(v, decimals, text, sizeof(text)), f);
}

/* 0 is how a rate that could not be computed is kept. */
static void
rate(FILE *f, const void *member, const struct column *c)
{
	(void)c;
	if (*(const double *)member > 0)
		real(f, *(const double *)member, 1);
}

static void
spacing(FILE *f, const void *member, const struct column *c)
{
	const struct pace_ask *a = member;

	(void)c;
	real(f, pace_ask_spacing_ns(a), (a->spacing & UINT32_MAX) == 0 ? 0 : 6);
}

static void
verdict(FILE *f, const void *member, const struct column *c)
{
	(void)c;
	fputs(pace_verdict_name(*(const enum pace_verdict *)member), f);
}

static void
stamp(FILE *f, const void *member, const struct column *c)
{
	const enum pace_stamp s = *(const enum pace_stamp *)member;

	(void)c;
	if (s != PACE_STAMP_NONE)
		fputs(pace_stamp_name(s), f);
}

static void
ratio(FILE *f, uint64_t part, uint64_t whole)
{
	if (whole > 0)
		real(f, (double)part / (double)whole, 12);
}

static void
loss_ratio(FILE *f, const void *member, const struct column *c)
{
	const struct pace_receipt *r = member;

	(void)c;
	ratio(f, r->lost, r->lost + r->unique);
}

static void
reordered_ratio(FILE *f, const void *member, const struct column *c)
{
	const struct pace_receipt *r = member;

	(void)c;
	ratio(f, r->reordered, r->unique);
}

/* Only of a run that verified. */
static void
corrupt(FILE *f, const void *member, const struct column *c)
{
	const struct pace_point *p = member;

	if (p->ask.verify)
		count(f, &p->rx.corrupt, c);
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
	struct pace_notes n;

	(void)c;
	pace_point_notes(member, &n);
	for (int i = 0; i < n.n; i++) {
		if (i > 0)
			fputc(' ', f);
		for (const char *s = n.v[i].code; *s != '\0'; s++)
			fputc(*s == ',' || *s == '"' || *s == ' ' ? '?' : *s, f);
	}
}

/* Told only where the clocks are known well enough. */
static void
owd(FILE *f, const struct pace_point *p, const struct column *c,
    void (*put)(FILE *, const void *, const struct column *))
{
	if (p->rx.has_owd && !p->owd_relative)
		put(f, &p->rx.owd, c);
}

static void
owd_quantile(FILE *f, const void *member, const struct column *c)
{
	owd(f, member, c, hist_quantile);
}

static void
owd_min(FILE *f, const void *member, const struct column *c)
{
	owd(f, member, c, hist_min);
}

static void
owd_max(FILE *f, const void *member, const struct column *c)
{
	owd(f, member, c, hist_max);
}

static void
jitter(FILE *f, const void *member, const struct column *c)
{
	const struct pace_receipt *r = member;

	(void)c;
	if (r->ipdv.stats.n > 0)
		real(f, r->jitter_ns, 3);
}

static void
clock_offset(FILE *f, const void *member, const struct column *c)
{
	const struct pace_clock *k = member;

	(void)c;
	if (k->fit.segments > 0)
		fprintf(f, "%lld", (long long)pace_clock_at(&k->fit,
		    k->from_ns + (k->to_ns - k->from_ns) / 2));
}

static void
clock_skew(FILE *f, const void *member, const struct column *c)
{
	const struct pace_clock *k = member;

	(void)c;
	if (k->fit.segments > 0)
		real(f, pace_clock_rate_at(&k->fit, pace_clock_mid(k)) * 1e6, 6);
}

static void
clock_bound(FILE *f, const void *member, const struct column *c)
{
	const struct pace_clock *k = member;

	(void)c;
	if (k->fit.segments > 0)
		real(f, k->fit.bound_ns, 3);
}

#define AT(member)	offsetof(struct pace_point, member)
#define TX(name, unit, put, member)	{ name, unit, put, AT(member), false, 0 }
#define RX(name, unit, put, member)	{ name, unit, put, AT(member), true, 0 }
#define HIST(rx, name, member) \
	{ name "_min", "ns", hist_min, AT(member), rx, 0 }, \
	{ name "_mean", "ns", hist_mean, AT(member), rx, 0 }, \
	{ name "_stddev", "ns", hist_stddev, AT(member), rx, 0 }, \
	{ name "_p1", "ns", hist_quantile, AT(member), rx, 0.01 }, \
	{ name "_p50", "ns", hist_quantile, AT(member), rx, 0.5 }, \
	{ name "_p90", "ns", hist_quantile, AT(member), rx, 0.9 }, \
	{ name "_p99", "ns", hist_quantile, AT(member), rx, 0.99 }, \
	{ name "_p99_9", "ns", hist_quantile, AT(member), rx, 0.999 }, \
	{ name "_max", "ns", hist_max, AT(member), rx, 0 }

static const struct column columns[] = {
	TX("size", "bytes", bytes, ask.size_bytes),
	TX("spacing", "ns", spacing, ask),
	TX("count", "", count, ask.count),
	TX("asked_duration", "ns", duration, ask.duration_ns),
	TX("train", "", count, ask.train),
	TX("bursts", "", count, ask.bursts),
	TX("verdict", "", verdict, verdict),
	TX("interrupted", "", flag, interrupted),

	TX("tx", "frames", count, tx.frames),
	TX("tx", "bytes", count, tx.bytes),
	TX("tx_duration", "ns", duration, tx.duration_ns),
	TX("tx_user_rate", "bps", rate, tx.user_rate_bps),
	TX("tx_wire_rate", "bps", rate, tx.wire_rate_bps),
	TX("tx_late", "frames", count, tx.late_frames),
	TX("tx_refused", "frames", count, tx.refused),
	TX("tx_preempted", "", count, tx.preempted),
	TX("tx_steal", "ns", integer, tx.steal_ns),
	TX("tx_skipped", "", count, tx.skipped),
	TX("tx_slips", "", count, tx.slips),
	TX("tx_slipped", "ns", integer, tx.slipped_ns),
	TX("tx_stalls", "", count, tx.stalls.count),
	TX("tx_stall_max", "ns", integer, tx.stalls.max_ns),
	TX("tx_stamp", "", stamp, tx.stamp),
	HIST(false, "tx_gap", tx.gap),
	HIST(false, "tx_gap_error", tx.gap_error),

	RX("rx", "frames", count, rx.frames),
	RX("rx_unique", "frames", count, rx.unique),
	RX("rx", "bytes", count, rx.bytes),
	RX("rx_duration", "ns", duration, rx.duration_ns),
	RX("rx_user_rate", "bps", rate, rx.user_rate_bps),
	RX("rx_wire_rate", "bps", rate, rx.wire_rate_bps),
	RX("rx_coalesced_stamps", "", count, rx.coalesced_stamps),
	RX("rx_unstamped", "frames", count, rx.unstamped),
	RX("rx_clock_steps", "", count, rx.clock_steps),
	RX("rx_stamp", "", stamp, rx.stamp),
	RX("rx_rcvbuf_asked", "bytes", bytes, rx.rcvbuf_asked),
	RX("rx_rcvbuf_granted", "bytes", bytes, rx.rcvbuf_granted),
	RX("rx_socket_drops", "frames", count, rx.socket_drops),
	HIST(true, "rx_gap", rx.gap),
	HIST(true, "rx_gap_error", rx.gap_error),

	RX("loss", "frames", count, rx.lost),
	RX("loss", "ratio", loss_ratio, rx),
	RX("loss_runs", "", hist_count, rx.runs),
	RX("loss_longest_run", "frames", hist_max, rx.runs),
	TX("ledger_asked", "frames", count, ledger.asked),
	RX("ledger_rx_checksum", "frames", count, ledger.rx_checksum),
	RX("ledger_rx_socket", "frames", count, ledger.rx_socket),
	RX("ledger_network", "frames", count, ledger.network),
	RX("duplicates", "frames", count, rx.duplicates),
	RX("replicated", "frames", count, rx.replicated),
	{ "corrupt", "frames", corrupt, 0, true, 0 },
	RX("foreign", "frames", count, rx.foreign),
	RX("reordered", "frames", count, rx.reordered),
	RX("reordered", "ratio", reordered_ratio, rx),
	RX("reordered_extent_max", "frames", hist_max, rx.extent),
	RX("reordered_late_max", "ns", hist_max, rx.late_ns),
	RX("beyond_window", "frames", count, rx.beyond_window),
	{ "notes", "", codes, 0, false, 0 },

	{ "owd_p50", "ns", owd_quantile, 0, true, 0.5 },
	{ "owd_p99", "ns", owd_quantile, 0, true, 0.99 },
	{ "owd_min", "ns", owd_min, 0, true, 0 },
	{ "owd_max", "ns", owd_max, 0, true, 0 },
	{ "pdv_p99", "ns", hist_quantile, AT(rx.pdv), true, 0.99 },
	{ "ipdv_p1", "ns", hist_quantile, AT(rx.ipdv), true, 0.01 },
	{ "ipdv_p99", "ns", hist_quantile, AT(rx.ipdv), true, 0.99 },
	RX("jitter_rfc3550", "ns", jitter, rx),
	TX("clock_offset", "ns", clock_offset, clock),
	TX("clock_skew", "ppm", clock_skew, clock),
	TX("clock_bound", "ns", clock_bound, clock),
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
pace_csv_head(FILE *f)
{
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(f, "%s%s%s%s", i > 0 ? "," : "", columns[i].name,
		    columns[i].unit[0] != '\0' ? "_" : "", columns[i].unit);
	return end_line(f);
}

int
pace_csv_point(FILE *f, const struct pace_point *p)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct column *c = &columns[i];

		if (i > 0)
			fputc(',', f);
		if (!c->rx || p->has_rx)
			c->put(f, (const char *)p + c->at, c);
	}
	return end_line(f);
}
