#include "out/tcp_csv.h"

#include "out/cells.h"

/* The figures of a row. */
struct tcp_csv_row {
	enum pace_direction direction;
	bool		interrupted;
	struct pace_tcp_params ask;
	struct pace_tcp_way way;
	struct pace_notes notes;
};

#define R	struct tcp_csv_row

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
	COL("direction", "", PACE_CELL_DIRECTION, direction),
	COL("streams", "", PACE_CELL_U32, ask.streams),
	COL("duration", "ns", PACE_CELL_POSITIVE, ask.duration_ns),
	IF("length", "bytes", PACE_CELL_COUNT, ask.length_bytes, has_length, 0),
	COL("write", "bytes", PACE_CELL_U32, ask.write_bytes),
	IF("rate", "bps", PACE_CELL_COUNT, ask.rate_bps, has_rate, 0),
	IF("window", "bytes", PACE_CELL_U32, ask.window_bytes, has_window, 0),
	IF("mss", "bytes", PACE_CELL_U32, ask.mss_bytes, has_mss, 0),
	COL("congestion", "", PACE_CELL_TEXT, ask.congestion),
	COL("interrupted", "", PACE_CELL_FLAG, interrupted),
	IF("goodput", "bps", PACE_CELL_RATE, way.sums.goodput_bps, is_received, 0),
	IF("received", "bytes", PACE_CELL_COUNT, way.sums.received_bytes, is_received, 0),
	COL("acknowledged", "bytes", PACE_CELL_COUNT, way.acknowledged_bytes),
	COL("retransmits", "segments", PACE_CELL_COUNT, way.sums.retransmits),
	COL("retransmitted", "bytes", PACE_CELL_COUNT, way.sums.retransmitted_bytes),
	COL("dsack_duplicates", "", PACE_CELL_COUNT, way.sums.dsack_duplicates),
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
pace_tcp_csv_way(FILE *f, const struct pace_tcp_point *p, bool down)
{
	const struct tcp_csv_row row = { down ? PACE_DOWN : PACE_UP, p->interrupted, p->ask,
	    p->way[down], p->notes };

	return pace_cells_row(f, columns, COLUMNS, &row);
}

int
pace_tcp_csv_point(FILE *f, const struct pace_tcp_point *p)
{
	int rc = p->ask.up ? pace_tcp_csv_way(f, p, false) : 0;

	return rc == 0 && p->ask.down ? pace_tcp_csv_way(f, p, true) : rc;
}

/* --- intervals ---------------------------------------------------------------------------- */

#undef R
#define R	struct pace_tcp_csv_interval

static void
end_of(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fputs(*(const bool *)member ? "receiver" : "sender", f);
}

static const struct pace_csv_column interval_columns[] = {
	COL("point", "", PACE_CELL_COUNT, point),
	COL("direction", "", PACE_CELL_DIRECTION, direction),
	COL("stream", "", PACE_CELL_U32, stream),
	OWN("end", end_of, receiver),
	COL("at", "ns", PACE_CELL_INTEGER, row.at_ns),
	COL("bytes", "", PACE_CELL_COUNT, row.bytes),
	COL("retransmits", "segments", PACE_CELL_COUNT, row.info.retransmits),
	COL("retransmitted", "bytes", PACE_CELL_COUNT, row.info.retransmitted_bytes),
	COL("segments_out", "", PACE_CELL_COUNT, row.info.segments_out),
	COL("dsack_duplicates", "", PACE_CELL_COUNT, row.info.dsack_duplicates),
	COL("reorder_events", "", PACE_CELL_COUNT, row.info.reorder_events),
	COL("reordering", "segments", PACE_CELL_U32, row.info.reordering),
	COL("mss", "bytes", PACE_CELL_U32, row.info.mss_bytes),
	COL("cwnd", "segments", PACE_CELL_U32, row.info.cwnd_segments),
	COL("peer_window", "bytes", PACE_CELL_U32, row.info.peer_window_bytes),
	COL("rtt", "ns", PACE_CELL_POSITIVE, row.info.rtt_ns),
	COL("rtt_var", "ns", PACE_CELL_POSITIVE, row.info.rtt_var_ns),
	COL("rtt_min", "ns", PACE_CELL_POSITIVE, row.info.rtt_min_ns),
	COL("delivery", "bps", PACE_CELL_COUNT, row.info.delivery_bps),
	COL("pacing", "bps", PACE_CELL_COUNT, row.info.pacing_bps),
	COL("busy", "ns", PACE_CELL_INTEGER, row.info.busy_ns),
	COL("window_limited", "ns", PACE_CELL_INTEGER, row.info.window_limited_ns),
	COL("buffer_limited", "ns", PACE_CELL_INTEGER, row.info.buffer_limited_ns),
};
#define INTERVAL_COLUMNS	(sizeof(interval_columns) / sizeof(interval_columns[0]))

int
pace_tcp_csv_intervals_head(FILE *f)
{
	return pace_cells_head(f, interval_columns, INTERVAL_COLUMNS);
}

int
pace_tcp_csv_interval(FILE *f, const struct pace_tcp_csv_interval *i)
{
	return pace_cells_row(f, interval_columns, INTERVAL_COLUMNS, i);
}
