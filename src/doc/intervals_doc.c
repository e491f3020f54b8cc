#include "config.h"

#include "doc/intervals_doc.h"

#include <math.h>
#include <stdlib.h>

#define I	struct pace_interval
#define F	struct pace_figures

/* --- members of a point ------------------------------------------------------------- */

#define FIGURE(m)	PACE_INT(F, m), .when = PACE_F_OR_NULL, .flags = PACE_F_LAX, \
			.none = PACE_NO_FIGURE

const struct pace_fields pace_figures_fields = { .name = "figures", .row = PACE_FIELDS(
	{ "count", PACE_COUNT(F, n), .text = "Number of values." },
	{ "min", FIGURE(min), .text = "Lowest value; null without values." },
	{ "p50", FIGURE(p50) },
	{ "p99", FIGURE(p99), .text = "Quantiles as in a histogram; null if there are too few "
	    "values, or if intervals or streams were merged." },
	{ "max", FIGURE(max), .text = "Highest value." },
) };

#define SENDERS(m)	PACE_COUNT(I, m), .when = PACE_F_OR_NULL, .flags = PACE_F_LAX, .none = -1

const struct pace_fields pace_interval_fields = { .name = "interval", .row = PACE_FIELDS(
	{ "from_ns", PACE_NS(I, from_ns) },
	{ "to_ns", PACE_NS(I, to_ns),
	    .text = "Begin and end on the schedule, counted from the first frame. At spacing 0 "
	    "there is no schedule: departure times, counted from the first frame that arrived." },
	{ "sent", PACE_COUNT(I, sent), .text = "Frames whose number is due in the interval." },
	{ "refused", SENDERS(tx.refused), .text = "Frames that the kernel refused." },
	{ "late_frames", SENDERS(tx.late_frames),
	    .text = "Frames that left late, as in `tx`; both null at spacing 0." },
	{ "departure_ns", PACE_NS(I, tx.departure_ns), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, .none = PACE_NO_FIGURE,
	    .text = "Departure of the first frame of the interval, counted from that of the run. "
	    "It is later than `from_ns` if frames were refused or the schedule moved. null at "
	    "spacing 0, and if no frame was sent." },
	{ "received", PACE_COUNT(I, rx.received),
	    .text = "Frames of these that arrived, without duplicates, whenever they came." },
	{ "lost", PACE_COUNT(I, lost), .text = "`sent` minus `received`." },
	{ "socket_lost", PACE_COUNT(I, socket_lost), .flags = PACE_F_LAX,
	    .text = "Lost frames of the interval that are attributed to the receiver's socket; "
	    "their sum is `ledger.rx_socket`. All others were lost before it: their locations are "
	    "known only for the whole point." },
	{ "socket_lost_max", PACE_COUNT(I, socket_lost_max), .flags = PACE_F_LAX,
	    .text = "At most so many were lost there; 0: none, which is exact." },
	{ "socket_drops", PACE_COUNT(I, rx.socket_drops),
	    .text = "Datagrams that the receiver's socket dropped, counted when the next frame "
	    "arrived." },
	{ "reordered", PACE_COUNT(I, rx.reordered), .text = "Frames that arrived reordered." },
	{ "duplicates", PACE_COUNT(I, rx.duplicates), .text = "Further arrivals of a frame." },
	{ "user_rate_bps", PACE_REAL(I, rx.user_rate_bps), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_ABOVE_0,
	    .text = "Rate of user data, as in `rx`, from the first to the last arrival of the "
	    "interval's frames; null below two frames." },
	{ "gap_ns", PACE_OBJECT(I, rx.gap, pace_figures_fields),
	    .text = "Gaps that ended with a frame of the interval, as in `rx.gap_ns`." },
	{ "pdv_ns", PACE_OBJECT(I, rx.pdv, pace_figures_fields),
	    .text = "Delay minus the lowest delay of the point, as in `pdv_ns`. Add "
	    "`owd_ns.min` of the point for the one-way delay." },
	{ "unbinned", PACE_COUNT(I, rx.unbinned),
	    .text = "Frames that arrived when two later intervals had begun. They count "
	    "everywhere, but `p50` and `p99` do not include them." },
) };

void
pace_intervals_put(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_intervals *v = ((const struct pace_point *)s)->intervals;
	json_t *list = json_array();

	for (uint32_t i = 0; i < v->n; i++)
		list = pace_js_append(list, pace_fields_to_json(&pace_interval_fields, &v->v[i]));
	pace_jw_put(w, name, list);
}

void
pace_intervals_get(struct pace_jr *j, const char *name, void *s)
{
	struct pace_point *p = s;
	const json_t *list = pace_jr_get(j, name);
	size_t n = json_array_size(list);

	j->bad |= !json_is_array(list) || n > PACE_INTERVALS_MAX;
	if (j->bad)
		return;
	free(p->intervals);
	p->intervals = pace_intervals_of((uint32_t)n);
	j->bad |= p->intervals == NULL;
	for (size_t i = 0; !j->bad && i < n; i++)
		j->bad |= !pace_fields_from_json(&pace_interval_fields, &p->intervals->v[i],
		    json_array_get(list, i));
	if (!j->bad)
		p->intervals->n = (uint32_t)n;
}

/* --- rows --------------------------------------------------------------------------- */

#define RATE_MAX	1e15	/* bit/s */

/* The integers of a row; all have 64 bits. */
#define AT(m)	offsetof(I, m)
static const size_t tx_columns[] = { AT(tx.refused), AT(tx.late_frames), AT(tx.departure_ns) };
static const size_t rx_columns[] = { AT(from_ns), AT(rx.first), AT(rx.received), AT(rx.reordered),
	AT(rx.duplicates), AT(rx.socket_drops), AT(rx.unbinned),
	AT(rx.gap.n), AT(rx.gap.min), AT(rx.gap.p50), AT(rx.gap.p99), AT(rx.gap.max),
	AT(rx.pdv.n), AT(rx.pdv.min), AT(rx.pdv.p50), AT(rx.pdv.p99), AT(rx.pdv.max) };
#define TX_COLUMNS	(sizeof(tx_columns) / sizeof(tx_columns[0]))
#define RX_COLUMNS	(sizeof(rx_columns) / sizeof(rx_columns[0]))

static bool
is_figure(size_t at)
{
	return at == AT(tx.departure_ns) || (at >= AT(rx.gap.min) && at <= AT(rx.gap.max)) ||
	    (at >= AT(rx.pdv.min) && at <= AT(rx.pdv.max));
}

json_t *
pace_interval_rows(const struct pace_intervals *v, enum pace_interval_part part)
{
	const size_t *at = part == PACE_INTERVAL_TX ? tx_columns : rx_columns;
	size_t columns = part == PACE_INTERVAL_TX ? TX_COLUMNS : RX_COLUMNS;
	json_t *rows = json_array();

	for (uint32_t i = 0; i < v->n; i++) {
		const char *one = (const void *)&v->v[i];
		json_t *row = json_array();

		for (size_t k = 0; k < columns; k++)
			row = pace_js_append(row, json_integer(
			    *(const int64_t *)(const void *)(one + at[k])));
		if (part == PACE_INTERVAL_RX)
			row = pace_js_append(row, json_integer(
			    (json_int_t)llround(v->v[i].rx.user_rate_bps)));
		rows = pace_js_append(rows, row);
	}
	return rows;
}

static bool
read_row(I *o, enum pace_interval_part part, const json_t *row)
{
	const size_t *at = part == PACE_INTERVAL_TX ? tx_columns : rx_columns;
	size_t columns = part == PACE_INTERVAL_TX ? TX_COLUMNS : RX_COLUMNS;
	int64_t n[RX_COLUMNS + 1];

	if (!pace_js_integers(row, n, columns + (part == PACE_INTERVAL_RX)))
		return false;
	for (size_t k = 0; k < columns; k++) {
		bool none = is_figure(at[k]) && n[k] == PACE_NO_FIGURE;
		int64_t low = at[k] >= AT(rx.gap.min) && at[k] <= AT(rx.gap.max) &&
		    at[k] != AT(rx.gap.n) ? -PACE_JS_MAX : 0;

		if (!none && (n[k] < low || n[k] > PACE_JS_MAX))
			return false;
		*(int64_t *)(void *)((char *)o + at[k]) = n[k];
	}
	if (part == PACE_INTERVAL_RX && (n[columns] < 0 || (double)n[columns] > RATE_MAX))
		return false;
	if (part == PACE_INTERVAL_RX)
		o->rx.user_rate_bps = (double)n[columns];
	return true;
}

bool
pace_interval_rows_read(struct pace_intervals *v, enum pace_interval_part part,
    const json_t *rows)
{
	size_t n = json_array_size(rows);

	if (!json_is_array(rows) || n > v->room)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!read_row(&v->v[i], part, json_array_get(rows, i)))
			return false;
	if (n > v->n)
		v->n = (uint32_t)n;
	return true;
}
