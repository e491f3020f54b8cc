#include "out/tcp_csv.h"

#include "out/cells.h"

/* The figures of a row. */
struct tcp_csv_row {
	bool		down, interrupted;
	struct pace_tcp_params ask;
	struct pace_tcp_way way;
	struct pace_notes notes;
};

#define R	struct tcp_csv_row

static void
direction(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fputs(*(const bool *)member ? "down" : "up", f);
}

static void
text(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fputs(member, f);
}

static void
limit(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fputs(pace_tcp_limit_names[*(const enum pace_tcp_limit *)member], f);
}

PACE_IS_KNOWN(has_length, R, p->ask.length_bytes > 0)
PACE_IS_KNOWN(has_rate, R, p->ask.rate_bps > 0)
PACE_IS_KNOWN(has_window, R, p->ask.window_bytes > 0)
PACE_IS_KNOWN(has_mss, R, p->ask.mss_bytes > 0)
PACE_IS_KNOWN(is_received, R, p->way.known)

#define IF(name, unit, cell, m, known, q)	{ name, unit, cell, offsetof(R, m), known, q, NULL }
#define COL(name, unit, cell, m)	IF(name, unit, cell, m, NULL, 0)
#define OWN(name, put, m)	PACE_OWN_COLUMN(name, "", put, offsetof(R, m), NULL)

static const struct pace_csv_column columns[] = {
	OWN("direction", direction, down),
	COL("streams", "", PACE_CELL_U32, ask.streams),
	COL("duration", "ns", PACE_CELL_POSITIVE, ask.duration_ns),
	IF("length", "bytes", PACE_CELL_COUNT, ask.length_bytes, has_length, 0),
	COL("write", "bytes", PACE_CELL_U32, ask.write_bytes),
	IF("rate", "bps", PACE_CELL_COUNT, ask.rate_bps, has_rate, 0),
	IF("window", "bytes", PACE_CELL_U32, ask.window_bytes, has_window, 0),
	IF("mss", "bytes", PACE_CELL_U32, ask.mss_bytes, has_mss, 0),
	OWN("congestion", text, ask.congestion),
	COL("interrupted", "", PACE_CELL_FLAG, interrupted),
	IF("goodput", "bps", PACE_CELL_RATE, way.sums.goodput_bps, is_received, 0),
	IF("received", "bytes", PACE_CELL_COUNT, way.sums.received_bytes, is_received, 0),
	COL("acknowledged", "bytes", PACE_CELL_COUNT, way.acknowledged_bytes),
	COL("retransmits", "segments", PACE_CELL_COUNT, way.retransmits),
	COL("retransmitted", "bytes", PACE_CELL_COUNT, way.sums.retransmitted_bytes),
	COL("busy", "ns", PACE_CELL_POSITIVE, way.sums.busy_ns),
	COL("window_limited", "ns", PACE_CELL_INTEGER, way.sums.window_limited_ns),
	COL("buffer_limited", "ns", PACE_CELL_INTEGER, way.sums.buffer_limited_ns),
	COL("rtt", "ns", PACE_CELL_POSITIVE, way.sums.rtt_ns),
	COL("rtt_min", "ns", PACE_CELL_POSITIVE, way.sums.rtt_min_ns),
	IF("sender_cpu", "ratio", PACE_CELL_REAL, way.sums.sender_cpu, is_received, 4),
	IF("receiver_cpu", "ratio", PACE_CELL_REAL, way.sums.receiver_cpu, is_received, 4),
	OWN("limit", limit, way.limit),
	COL("notes", "", PACE_CELL_CODES, notes),
};
#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

int
pace_tcp_csv_head(FILE *f)
{
	return pace_cells_head(f, columns, COLUMNS);
}

int
pace_tcp_csv_point(FILE *f, const struct pace_tcp_point *p)
{
	int rc = 0;

	for (int down = 0; down < 2 && rc == 0; down++) {
		const struct tcp_csv_row row = { down != 0, p->interrupted, p->ask, p->way[down],
		    p->notes };

		if (down ? p->ask.down : p->ask.up)
			rc = pace_cells_row(f, columns, COLUMNS, &row);
	}
	return rc;
}
