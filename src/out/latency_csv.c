#include "out/latency_csv.h"

#include "out/cells.h"

static void
mode(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fputs(*(const int64_t *)member > 0 ? "open-loop" : "ping-pong", f);
}

static void
timeouts_ratio(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_latency *p = member;

	(void)c;
	if (p->sent > 0)
		pace_cell_real(f, (double)p->timeouts / (double)p->sent, 12);
}

#define AT(member)	offsetof(struct pace_latency, member)
#define COL(name, unit, put, member)	{ name, unit, put, AT(member), false, 0 }
#define HIST(name, member) \
	{ name, "frames", pace_cell_hist_count, AT(member), false, 0 }, \
	PACE_HIST_COLUMNS(false, name, AT(member))

static const struct pace_csv_column columns[] = {
	COL("size", "bytes", pace_cell_u32, ask.size_bytes),
	COL("reply", "bytes", pace_cell_u32, ask.reply_bytes),
	COL("count", "", pace_cell_count, ask.count),
	COL("mode", "", mode, ask.interval_ns),
	COL("interval", "ns", pace_cell_positive, ask.interval_ns),
	COL("timeout", "ns", pace_cell_integer, ask.timeout_ns),
	COL("busy_poll", "", pace_cell_flag, ask.busy_poll),
	COL("verdict", "", pace_cell_verdict, verdict),
	COL("interrupted", "", pace_cell_flag, interrupted),

	COL("sent", "frames", pace_cell_count, sent),
	COL("refused", "frames", pace_cell_count, refused),
	COL("received", "frames", pace_cell_count, received),
	COL("timeouts", "frames", pace_cell_count, timeouts),
	{ "timeouts", "ratio", timeouts_ratio, 0, false, 0 },
	COL("late_replies", "frames", pace_cell_count, late_replies),
	COL("duplicates", "frames", pace_cell_count, duplicates),
	COL("foreign", "frames", pace_cell_count, foreign),
	COL("late_requests", "frames", pace_cell_count, late_requests),
	COL("unstamped", "frames", pace_cell_count, unstamped),
	COL("duration", "ns", pace_cell_positive, duration_ns),
	COL("stalls", "", pace_cell_count, stalls.count),
	COL("stall_max", "ns", pace_cell_integer, stalls.max_ns),

	HIST("rtt", rtt),
	HIST("rtt_kernel", kernel),
	HIST("rtt_network", network),
	HIST("residence", residence),
	COL("notes", "", pace_cell_codes, notes),
};
#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

int
pace_latency_csv_head(FILE *f)
{
	return pace_cells_head(f, columns, COLUMNS);
}

int
pace_latency_csv_point(FILE *f, const struct pace_latency *p)
{
	return pace_cells_row(f, columns, COLUMNS, p, true);
}
