/* A stream of a capture as a row of CSV: capture_text.h. */
#include "out/capture_text.h"

#include "out/cells.h"

/* Addresses and names of formats: nothing in them needs quotes. */
static void
text(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fputs(member, f);
}

static void
port(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fprintf(f, "%u", (unsigned)*(const uint16_t *)member);
}

static void
rate(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	if (*(const double *)member > 0)
		pace_cell_real(f, *(const double *)member, 3);
}

static void
jitter(FILE *f, const void *point, const struct pace_csv_column *c)
{
	const struct pace_seen *p = point;

	(void)c;
	if (p->has_delay && p->rx.ipdv.stats.n > 0)
		pace_cell_real(f, p->rx.jitter_ns, 3);
}

static void
heaps(FILE *f, const struct pace_seen_heaps *h, uint64_t n)
{
	if (h->any)
		fprintf(f, "%llu", (unsigned long long)n);
}

static void
complete(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_seen_heaps *h = member;

	(void)c;
	heaps(f, h, h->complete);
}

static void
incomplete(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_seen_heaps *h = member;

	(void)c;
	heaps(f, h, h->incomplete);
}

static void
lost(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_seen_heaps *h = member;

	(void)c;
	heaps(f, h, h->lost);
}

#define AT(member)	offsetof(struct pace_seen, member)
#define COL(name, unit, put, member)	{ name, unit, put, AT(member), false, 0 }
/* Of a stream without numbers nothing is known. */
#define NUMBERED(name, unit, member)	{ name, unit, pace_cell_count, AT(member), true, 0 }

static const struct pace_csv_column columns[] = {
	COL("source", "", text, source),
	COL("source_port", "", port, source_port),
	COL("destination", "", text, destination),
	COL("destination_port", "", port, destination_port),
	COL("vlan", "", pace_cell_u32, vlan),
	COL("dscp", "", pace_cell_u32, dscp),
	COL("format", "", text, format),
	COL("stream", "", text, stream),
	COL("started", "", text, started),
	COL("flow", "frames", pace_cell_count, frames),
	COL("frames", "", pace_cell_count, rx.frames),
	COL("unique", "frames", pace_cell_count, rx.unique),
	COL("size_min", "bytes", pace_cell_u32, size_min),
	COL("size_max", "bytes", pace_cell_u32, size_max),
	COL("data", "bytes", pace_cell_count, rx.bytes),
	COL("duration", "ns", pace_cell_positive, rx.duration_ns),
	COL("user_rate", "bps", rate, rx.user_rate_bps),
	COL("wire_rate", "bps", rate, rx.wire_rate_bps),
	NUMBERED("lost", "frames", rx.lost),
	NUMBERED("loss_runs", "", rx.runs.stats.n),
	NUMBERED("reordered", "frames", rx.reordered),
	NUMBERED("duplicates", "frames", rx.duplicates),
	NUMBERED("beyond_window", "frames", rx.beyond_window),
	NUMBERED("early", "frames", early),
	NUMBERED("strays", "frames", strays),
	NUMBERED("restarts", "", restarts),
	PACE_HIST_COLUMNS(false, "gap", AT(rx.gap)),
	PACE_HIST_COLUMNS(false, "pdv", AT(rx.pdv)),
	PACE_HIST_COLUMNS(false, "ipdv", AT(rx.ipdv)),
	{ "jitter_rfc3550", "ns", jitter, 0, false, 0 },
	COL("heaps_complete", "", complete, heaps),
	COL("heaps_incomplete", "", incomplete, heaps),
	COL("heaps_lost", "", lost, heaps),
	COL("notes", "", pace_cell_codes, notes),
};
#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

int
pace_capture_csv_head(FILE *f)
{
	return pace_cells_head(f, columns, COLUMNS);
}

int
pace_capture_csv_point(FILE *f, const struct pace_seen *s)
{
	return pace_cells_row(f, columns, COLUMNS, s, s->numbered);
}
