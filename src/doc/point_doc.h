/*
 * point_doc.h - write and read one point of a document.
 *
 * Shape      the members of a point in udpace-result(5): the request, "verdict",
 *            "tx", the responder's members (rx_result_doc.h), "ledger",
 *            "clock" (clock_doc.h), "wire" (wire_check_doc.h; absent: no capture),
 *            "owd_relative" (if true, owd_ns and owd_scheduled_ns are null),
 *            "notes" [{ "code", "text" } ...], "streams" (absent: one).
 * Streams    have the members of a point without the request and without what a host has
 *            once: "cpu", "counters", "wire", "ipv6", and the linear histogram.
 * spacing_ns an integer if it is a whole number of ns, else a real: reading
 *            restores it to 1 part in 10^12.
 * Absent     without the responder's part its members and the ledger's
 *            locations are null, and the note "rx_missing" says why.
 * Trust      a document may be damaged or forged: reading checks what
 *            rx_result_doc checks, and every identity of pace_point_broken.
 * Errors     -EPROTO: the point is then unspecified.  NULL: no memory.
 */
#ifndef PACE_DOC_POINT_DOC_H
#define PACE_DOC_POINT_DOC_H

#include <jansson.h>

#include "doc/field.h"
#include "doc/result.h"

extern const struct pace_fields pace_point_fields, pace_tx_fields;

/* Most bins of the histograms of all streams of a point in a document; above, none of the streams
 * has bins.  256 streams then stay below 4 MiB. */
#define PACE_STREAM_BINS	50000

json_t	*pace_point_to_json(const struct pace_point *p);
/* The same without its streams, which are this list; bare: histograms of streams have no bins.  The
 * list is of the point, a struct pace_point. */
json_t	*pace_point_head_to_json(const struct pace_point *p);
void	pace_point_list(const void *point, bool bare, struct pace_js_list *list);
int	pace_point_from_json(struct pace_point *p, const json_t *j);

/* "spacing_ns" from a spacing in 32.32 ns, as a value and as a row. */
json_t	*pace_spacing_to_json(uint64_t spacing);
#define PACE_SPACING(s, m)	PACE_OWN_OF(s, m, pace_spacing_put, pace_spacing_get), \
    .type = "'type': 'number', 'minimum': 0"
void	pace_spacing_put(struct pace_jw *w, const char *name, const void *spacing);
void	pace_spacing_get(struct pace_jr *j, const char *name, void *spacing);

/* Members that points of latency documents have as well. */
extern const struct pace_fields pace_stalls_fields, pace_note_fields;

json_t	*pace_notes_to_json(const struct pace_notes *n);
/* A row of notes.  Reading keeps the first PACE_NOTES notes. */
#define PACE_NOTES_ROW(s, m)	PACE_OWN_OF(s, m, pace_notes_put, pace_notes_get), \
    .type = "'type': 'array', 'items': { '$ref': '#/$defs/note' }"
void	pace_notes_put(struct pace_jw *w, const char *name, const void *notes);
void	pace_notes_get(struct pace_jr *j, const char *name, void *notes);

#endif
