#include "out/tcp_csv.h"

#include <math.h>

#include "out/cells.h"

/* The figures of a row. */
struct tcp_csv_row {
	const struct pace_tcp_point *p;
	const struct pace_tcp_way *w;
	bool		down;
};

static const struct pace_tcp_params *
ask_of(const void *member)
{
	return &((const struct tcp_csv_row *)member)->p->ask;
}

static const struct pace_tcp_way *
way_of(const void *member)
{
	return ((const struct tcp_csv_row *)member)->w;
}

#define CELL(name, format, ...) \
	static void \
	put_##name(FILE *f, const void *m, const struct pace_csv_column *c) \
	{ \
		(void)c; \
		fprintf(f, format, __VA_ARGS__); \
	}
#define COUNT(name, value)	CELL(name, "%llu", (unsigned long long)(value))
/* A value that may be missing. */
#define SOME(name, value) \
	static void \
	put_##name(FILE *f, const void *m, const struct pace_csv_column *c) \
	{ \
		(void)c; \
		if ((value) > 0) \
			fprintf(f, "%llu", (unsigned long long)(value)); \
	}
#define REAL(name, value, decimals) \
	static void \
	put_##name(FILE *f, const void *m, const struct pace_csv_column *c) \
	{ \
		(void)c; \
		pace_cell_real(f, way_of(m)->known ? (value) : NAN, decimals); \
	}

CELL(direction, "%s", ((const struct tcp_csv_row *)m)->down ? "down" : "up")
COUNT(streams, ask_of(m)->streams)
SOME(duration, ask_of(m)->duration_ns)
SOME(length, ask_of(m)->length_bytes)
COUNT(write, ask_of(m)->write_bytes)
SOME(rate, ask_of(m)->rate_bps)
SOME(window, ask_of(m)->window_bytes)
SOME(mss, ask_of(m)->mss_bytes)
CELL(congestion, "%s", ask_of(m)->congestion)
CELL(interrupted, "%d", ((const struct tcp_csv_row *)m)->p->interrupted)
REAL(goodput, way_of(m)->sums.goodput_bps > 0 ? way_of(m)->sums.goodput_bps : NAN, 0)
COUNT(received, way_of(m)->sums.received_bytes)
COUNT(acknowledged, way_of(m)->acknowledged_bytes)
COUNT(retransmits, way_of(m)->retransmits)
COUNT(retransmitted, way_of(m)->sums.retransmitted_bytes)
SOME(busy, way_of(m)->sums.busy_ns)
COUNT(window_limited, way_of(m)->sums.window_limited_ns)
COUNT(buffer_limited, way_of(m)->sums.buffer_limited_ns)
SOME(rtt, way_of(m)->sums.rtt_ns)
SOME(rtt_min, way_of(m)->sums.rtt_min_ns)
REAL(sender_cpu, way_of(m)->sums.sender_cpu, 4)
REAL(receiver_cpu, way_of(m)->sums.receiver_cpu, 4)
CELL(limit, "%s", pace_tcp_limit_names[way_of(m)->limit])

static void
put_notes(FILE *f, const void *m, const struct pace_csv_column *c)
{
	(void)c;
	pace_cell_codes(f, &((const struct tcp_csv_row *)m)->p->notes);
}

#define COL(name, unit, put)	PACE_OWN_COLUMN(name, unit, put, 0, NULL)

static const struct pace_csv_column columns[] = {
	COL("direction", "", put_direction), COL("streams", "", put_streams),
	COL("duration", "ns", put_duration), COL("length", "bytes", put_length),
	COL("write", "bytes", put_write), COL("rate", "bps", put_rate),
	COL("window", "bytes", put_window), COL("mss", "bytes", put_mss),
	COL("congestion", "", put_congestion), COL("interrupted", "", put_interrupted),
	COL("goodput", "bps", put_goodput), COL("received", "bytes", put_received),
	COL("acknowledged", "bytes", put_acknowledged),
	COL("retransmits", "segments", put_retransmits),
	COL("retransmitted", "bytes", put_retransmitted),
	COL("busy", "ns", put_busy), COL("window_limited", "ns", put_window_limited),
	COL("buffer_limited", "ns", put_buffer_limited), COL("rtt", "ns", put_rtt),
	COL("rtt_min", "ns", put_rtt_min), COL("sender_cpu", "ratio", put_sender_cpu),
	COL("receiver_cpu", "ratio", put_receiver_cpu), COL("limit", "", put_limit),
	COL("notes", "", put_notes),
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
		const struct tcp_csv_row row = { p, &p->way[down], down != 0 };

		if (down ? p->ask.down : p->ask.up)
			rc = pace_cells_row(f, columns, COLUMNS, &row);
	}
	return rc;
}
