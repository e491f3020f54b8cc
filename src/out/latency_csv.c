#include "out/latency_csv.h"

#include <inttypes.h>

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

static void
transport(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fputs(*(const bool *)member ? "tcp" : "udp", f);
}

PACE_IS_KNOWN(has_clock, struct pace_latency, p->has_clock && p->clock.fit.segments > 0)

/* Losses of a direction, from the responder's or the reflector's count. */
static void
lost(FILE *f, const struct pace_latency *p, uint64_t counted, uint64_t stamped)
{
	if (p->has_requests || (p->by_stamp && p->stamp.counter == PACE_COUNTER_OWN))
		fprintf(f, "%" PRIu64, p->by_stamp ? stamped : counted);
}

static void
lost_there(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_latency *p = member;

	(void)c;
	lost(f, p, p->lost_there, p->stamp.lost_there);
}

static void
lost_back(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_latency *p = member;

	(void)c;
	lost(f, p, p->lost_back, p->stamp.lost_back);
}

static void
offset(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_clock *k = member;

	(void)c;
	pace_cell_real(f, (double)pace_clock_at(&k->fit, pace_clock_mid(k)), 0);
}

#define AT(member)	offsetof(struct pace_latency, member)
#define COL(name, unit, cell, member)	{ name, unit, cell, AT(member), NULL, 0, NULL }
#define IF(name, unit, cell, member, known, q)	{ name, unit, cell, AT(member), known, q, NULL }
#define HIST(name, member) \
	COL(name, "frames", PACE_CELL_N, member), PACE_HIST_COLUMNS(NULL, name, AT(member))

static const struct pace_csv_column columns[] = {
	COL("size", "bytes", PACE_CELL_U32, ask.size_bytes),
	COL("reply", "bytes", PACE_CELL_U32, ask.reply_bytes),
	COL("count", "", PACE_CELL_COUNT, ask.count),
	PACE_OWN_COLUMN("mode", "", mode, AT(ask.interval_ns), NULL),
	COL("interval", "ns", PACE_CELL_POSITIVE, ask.interval_ns),
	COL("timeout", "ns", PACE_CELL_INTEGER, ask.timeout_ns),
	COL("busy_poll", "", PACE_CELL_FLAG, ask.busy_poll),
	COL("verdict", "", PACE_CELL_VERDICT, verdict),
	COL("interrupted", "", PACE_CELL_FLAG, interrupted),

	COL("sent", "frames", PACE_CELL_COUNT, sent),
	COL("refused", "frames", PACE_CELL_COUNT, refused),
	COL("received", "frames", PACE_CELL_COUNT, received),
	COL("timeouts", "frames", PACE_CELL_COUNT, timeouts),
	PACE_OWN_COLUMN("timeouts", "ratio", timeouts_ratio, 0, NULL),
	COL("late_replies", "frames", PACE_CELL_COUNT, late_replies),
	COL("duplicates", "frames", PACE_CELL_COUNT, duplicates),
	COL("foreign", "frames", PACE_CELL_COUNT, foreign),
	COL("late_requests", "frames", PACE_CELL_COUNT, late_requests),
	COL("unstamped", "frames", PACE_CELL_COUNT, unstamped),
	COL("duration", "ns", PACE_CELL_POSITIVE, duration_ns),
	COL("stalls", "", PACE_CELL_COUNT, stalls.count),
	COL("stall_max", "ns", PACE_CELL_INTEGER, stalls.max_ns),

	HIST("rtt", rtt),
	HIST("rtt_kernel", kernel),
	HIST("rtt_network", network),
	HIST("residence", residence),
	HIST("owd_there", there),
	HIST("owd_back", back),
	PACE_OWN_COLUMN("lost_there", "frames", lost_there, 0, NULL),
	PACE_OWN_COLUMN("lost_back", "frames", lost_back, 0, NULL),
	PACE_OWN_COLUMN("clock_offset", "ns", offset, AT(clock), has_clock),
	IF("clock_uncertainty", "ns", PACE_CELL_REAL, clock.fit.uncertainty_ns, has_clock, 1),
	IF("clock_bound", "ns", PACE_CELL_REAL, clock.fit.bound_ns, has_clock, 1),
	PACE_OWN_COLUMN("transport", "", transport, AT(ask.tcp), NULL),
	COL("notes", "", PACE_CELL_CODES, notes),
};
#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

const char pace_latency_csv_short[] = "size_bytes,reply_bytes,verdict,sent_frames,received_frames,"
    "timeouts_frames,timeouts_ratio,rtt_min_ns,rtt_mean_ns,rtt_p50_ns,rtt_p99_ns,rtt_p99_9_ns,"
    "rtt_max_ns,notes";

int
pace_latency_csv_head(FILE *f)
{
	return pace_cells_head(f, columns, COLUMNS);
}

int
pace_latency_csv_point(FILE *f, const struct pace_latency *p)
{
	return pace_cells_row(f, columns, COLUMNS, p);
}
