/* Print a stream of a capture as a row of CSV: capture_text.h. */
#include "out/capture_text.h"

#include "out/cells.h"

static void
port(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fprintf(f, "%u", (unsigned)*(const uint16_t *)member);
}

PACE_IS_KNOWN(has_jitter, struct pace_seen, p->has_delay && p->rx.ipdv.stats.n > 0)
PACE_IS_KNOWN(has_messages, struct pace_seen, p->rx.has_messages)
PACE_IS_KNOWN(is_numbered, struct pace_seen, p->numbered)

#define AT(member)	offsetof(struct pace_seen, member)
#define KNOWN(is_known, name, unit, cell, member) \
	{ name, unit, cell, AT(member), is_known, 0, NULL }
#define COL(name, unit, cell, member)	KNOWN(NULL, name, unit, cell, member)
#define OWN(name, put, member)		PACE_OWN_COLUMN(name, "", put, AT(member), NULL)
#define RATE(name, member)	{ name, "bps", PACE_CELL_RATE, AT(member), NULL, 3, NULL }
/* A stream without sequence numbers has no loss or order: these cells are empty. */
#define NUMBERED(name, unit, member)	KNOWN(is_numbered, name, unit, PACE_CELL_COUNT, member)
#define MESSAGES(name, member)	KNOWN(has_messages, name, "", PACE_CELL_COUNT, rx.messages.member)

static const struct pace_csv_column columns[] = {
	COL("source", "", PACE_CELL_TEXT, source),
	OWN("source_port", port, source_port),
	COL("destination", "", PACE_CELL_TEXT, destination),
	OWN("destination_port", port, destination_port),
	COL("vlan", "", PACE_CELL_U32, vlan),
	COL("dscp", "", PACE_CELL_U32, dscp),
	COL("format", "", PACE_CELL_TEXT, format),
	COL("stream", "", PACE_CELL_TEXT, stream),
	COL("started", "", PACE_CELL_TEXT, started),
	COL("flow", "frames", PACE_CELL_COUNT, frames),
	COL("frames", "", PACE_CELL_COUNT, rx.frames),
	COL("unique", "frames", PACE_CELL_COUNT, rx.unique),
	COL("size_min", "bytes", PACE_CELL_U32, size_min),
	COL("size_max", "bytes", PACE_CELL_U32, size_max),
	COL("data", "bytes", PACE_CELL_COUNT, rx.bytes),
	COL("duration", "ns", PACE_CELL_POSITIVE, rx.duration_ns),
	RATE("user_rate", rx.user_rate_bps),
	RATE("wire_rate", rx.wire_rate_bps),
	NUMBERED("lost", "frames", rx.lost),
	NUMBERED("loss_runs", "", rx.runs.stats.n),
	NUMBERED("reordered", "frames", rx.reordered),
	NUMBERED("duplicates", "frames", rx.duplicates),
	NUMBERED("beyond_window", "frames", rx.beyond_window),
	NUMBERED("early", "frames", early),
	NUMBERED("outliers", "frames", outliers),
	NUMBERED("restarts", "", restarts),
	PACE_HIST_COLUMNS(NULL, "gap", AT(rx.gap)),
	PACE_HIST_COLUMNS(NULL, "pdv", AT(rx.pdv)),
	PACE_HIST_COLUMNS(NULL, "ipdv", AT(rx.ipdv)),
	{ "jitter_rfc3550", "ns", PACE_CELL_REAL, AT(rx.jitter_ns), has_jitter, 3, NULL },
	MESSAGES("messages_complete", complete),
	MESSAGES("messages_incomplete", incomplete),
	MESSAGES("messages_lost", lost),
	COL("notes", "", PACE_CELL_CODES, notes),
};
#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

const char pace_capture_csv_short[] = "source,source_port,destination,"
    "destination_port,format,stream,frames,"
    "duration_ns,user_rate_bps,wire_rate_bps,lost_frames,reordered_frames,"
    "duplicates_frames,gap_p50_ns,"
    "gap_p99_ns,jitter_rfc3550_ns,notes";

int
pace_capture_csv_head(FILE *f)
{
	return pace_cells_head(f, columns, COLUMNS);
}

int
pace_capture_csv_point(FILE *f, const struct pace_seen *s)
{
	return pace_cells_row(f, columns, COLUMNS, s);
}
