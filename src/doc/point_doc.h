/*
 * point_doc.h - one point of a document, both ways.
 *
 * Shape      the members of a point in udpace-result(5): what was asked for, "verdict",
 *            "tx", the responder's members (rx_result_doc.h), "ledger",
 *            "clock" (clock_doc.h), "wire" (wire_check_doc.h; absent: no capture),
 *            "owd_relative" (then owd_ns and
 *            owd_scheduled_ns are null), "notes" [{ "code", "text" } ...].
 * spacing_ns an integer when it is a whole number of ns, else a real: it
 *            comes back to 1 part in 10^12.
 * Absent     the responder's part: its members and the ledger's places are
 *            null and the note "no_receipt" says why.
 * Trust      a document may be damaged or forged: reading checks what
 *            rx_result_doc checks, and every identity of pace_point_broken.
 * Errors     -EPROTO, the point is then unspecified.  NULL: no memory.
 */
#ifndef PACE_DOC_POINT_DOC_H
#define PACE_DOC_POINT_DOC_H

#include <jansson.h>

#include "doc/field.h"
#include "doc/result.h"

extern const struct pace_fields pace_point_fields;

json_t	*pace_point_to_json(const struct pace_point *p);
int	pace_point_from_json(struct pace_point *p, const json_t *j);

/* "spacing_ns" of 32.32 ns. */
json_t	*pace_spacing_to_json(uint64_t spacing);

/* Members that points of round trips have, too. */
extern const struct pace_fields pace_stalls_fields, pace_note_fields;

json_t	*pace_notes_to_json(const struct pace_notes *n);
/* Those beyond PACE_NOTES are left out. */
int	pace_notes_from_json(struct pace_notes *n, const json_t *j);
/* Of a row. */
#define PACE_NOTES_ROW(s, m)	PACE_OWN_OF(s, m, pace_notes_put, pace_notes_get), \
    .type = "'type': 'array', 'items': { '$ref': '#/$defs/note' }"
void	pace_notes_put(struct pace_jw *w, const char *name, const void *notes);
void	pace_notes_get(struct pace_jr *j, const char *name, void *notes);

#endif
