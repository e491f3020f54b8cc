#include "out/send_text.h"

#include <math.h>

#include "out/table.h"

/* --- the head --------------------------------------------------------------------------- */

int
pace_send_text_head(FILE *f, const struct pace_result *r, const struct pace_link *link,
    const struct pace_params *asks, size_t n, const struct pace_send *send, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	int rc = pace_text_head(f, r, link, asks, n, utf8);
	char ttl[32] = "";

	if (rc < 0)
		return rc;
	pace_say_sentence(&s, "  format   ", "%s%s%s%s", send->format,
	    send->detail[0] != '\0' ? ": " : "", send->detail,
	    send->from_file ? "; payload from the file" : "");
	if (send->ttl > 0)
		snprintf(ttl, sizeof(ttl), ", TTL %u", send->ttl);
	pace_say_sentence(&s, "  to       ", "%s%s%s", send->multicast ? "a multicast group" :
	    "one host", ttl, !send->multicast ? "" : send->loop ?
	    "; also to receivers on this host" : "; not to receivers on this host");
	return pace_say_end(&s);
}

/* --- rows ------------------------------------------------------------------------------- */

static const struct pace_column columns[] = {
	{ "streams", 8, PACE_ROW_NUMBER }, { "size", 6, PACE_ROW_BYTES },
	{ "spacing", 9, PACE_ROW_TIME }, { "sent", 8, PACE_ROW_RATE },
	{ "frames", 12, PACE_ROW_FRAMES }, { "refused", 8, PACE_ROW_FRAMES },
	{ "gap p50", 9, PACE_ROW_TIME }, { "gap p99", 9, PACE_ROW_TIME },
};
#define FLAGS_ROOM	5

static struct pace_row_table
table_of(const struct pace_rows *rows, struct pace_scale units[PACE_ROW_UNITS])
{
	pace_text_row_units(rows, units);
	return (struct pace_row_table){ columns, PACE_COUNT_OF(columns), units,
	    rows->streams > 1 ? 0 : 1u };
}

int
pace_send_text_row_head(FILE *f, const struct pace_rows *rows, bool utf8)
{
	struct pace_scale units[PACE_ROW_UNITS];
	const struct pace_row_table t = table_of(rows, units);

	return pace_row_table_head(f, &t, utf8);
}

int
pace_send_text_row(FILE *f, const struct pace_rows *rows, const struct pace_point *p, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const struct pace_tx *tx = &p->tx;
	const double v[] = { pace_params_streams(&p->ask), p->ask.size_bytes,
	    pace_params_spacing_ns(&p->ask), tx->wire_rate_bps > 0 ? tx->wire_rate_bps : NAN,
	    (double)tx->frames, (double)tx->refused,
	    pace_gap_quantile(&p->ask, &tx->gap, &tx->gap_error, 0.5),
	    pace_gap_quantile(&p->ask, &tx->gap, &tx->gap_error, 0.99) };
	struct pace_scale units[PACE_ROW_UNITS];
	const struct pace_row_table t = table_of(rows, units);
	char flags[PACE_FLAGS_MAX];

	pace_say_cells(&s, &t, v);
	pace_say_flags(&s, FLAGS_ROOM, pace_flags_row(&p->notes, p->verdict == PACE_DEGRADED,
	    p->interrupted, flags, rows->flags));
	return pace_say_end(&s);
}

int
pace_send_text_row_foot(FILE *f, const struct pace_flags *used, bool utf8)
{
	return pace_row_table_foot(f, "  sent: rate on the wire; gaps: between departures\n", used, utf8);
}
