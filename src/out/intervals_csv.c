#include "out/intervals_csv.h"

#include <inttypes.h>

#include "doc/params.h"
#include "out/cells.h"

#define R		struct pace_interval_row
#define AT(m)		offsetof(R, m)

static void
put_figure(FILE *f, const void *member, const struct pace_csv_column *c)
{
	int64_t v = *(const int64_t *)member;

	(void)c;
	if (v != PACE_NO_FIGURE)
		fprintf(f, "%" PRId64, v);
}

/* With a spacing; the point's verdict says more. */
PACE_IS_KNOWN(is_scheduled, R, p->v.tx.refused != UINT64_MAX)

#define COUNT(name, m)	{ name, "", PACE_CELL_COUNT, AT(m), NULL, 0, NULL }
#define TIME(name, m)	{ name, "ns", PACE_CELL_INTEGER, AT(m), NULL, 0, NULL }
#define FIGURE(name, m)	PACE_OWN_COLUMN(name, "ns", put_figure, AT(m), NULL)

static const struct pace_csv_column columns[] = {
	COUNT("point", point),
	{ "size", "bytes", PACE_CELL_U32, AT(size_bytes), NULL, 0, NULL },
	{ "spacing", "ns", PACE_CELL_REAL, AT(spacing_ns), NULL, 3, NULL },
	TIME("from", v.from_ns), TIME("to", v.to_ns), FIGURE("departure", v.tx.departure_ns),
	COUNT("sent", v.sent), COUNT("received", v.rx.received), COUNT("lost", v.lost),
	{ "refused", "", PACE_CELL_COUNT, AT(v.tx.refused), is_scheduled, 0, NULL },
	{ "late_frames", "", PACE_CELL_COUNT, AT(v.tx.late_frames), is_scheduled, 0, NULL },
	COUNT("socket_lost", v.socket_lost), COUNT("socket_lost_max", v.socket_lost_max),
	COUNT("socket_drops", v.rx.socket_drops), COUNT("reordered", v.rx.reordered),
	COUNT("duplicates", v.rx.duplicates),
	{ "user_rate", "bps", PACE_CELL_RATE, AT(v.rx.user_rate_bps), NULL, 0, NULL },
	COUNT("gap_count", v.rx.gap.n), FIGURE("gap_min", v.rx.gap.min),
	FIGURE("gap_p50", v.rx.gap.p50), FIGURE("gap_p99", v.rx.gap.p99),
	FIGURE("gap_max", v.rx.gap.max),
	COUNT("pdv_count", v.rx.pdv.n), FIGURE("pdv_min", v.rx.pdv.min),
	FIGURE("pdv_p50", v.rx.pdv.p50), FIGURE("pdv_p99", v.rx.pdv.p99),
	FIGURE("pdv_max", v.rx.pdv.max), COUNT("unbinned", v.rx.unbinned),
	{ "direction", "", PACE_CELL_DIRECTION, AT(direction), NULL, 0, NULL },
	{ "streams", "", PACE_CELL_U32, AT(streams), NULL, 0, NULL },
};
#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

int
pace_intervals_csv_head(FILE *f)
{
	return pace_cells_head(f, columns, COLUMNS);
}

int
pace_intervals_csv_row(FILE *f, const struct pace_interval_row *r)
{
	return pace_cells_row(f, columns, COLUMNS, r);
}
