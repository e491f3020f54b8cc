/*
 * ledger_doc.h - the ledger of a point, both ways.
 *
 * Shape      { "asked", "tx_refused", a member a place, "bounds": { place: [low,
 *              high] } of those that are not exact, "seen": { "tx_nic", "rx_nic" },
 *              "diagnosis" }.
 * null       a place where nothing counts; all of them without the responder's part.
 * Trust      reads types and ranges; that the places add up pace_point_broken sees.
 * Errors     -EPROTO.  NULL: no memory.
 */
#ifndef PACE_DOC_LEDGER_DOC_H
#define PACE_DOC_LEDGER_DOC_H

#include <jansson.h>

#include "doc/field.h"
#include "doc/result.h"

extern const struct pace_fields pace_ledger_fields;

json_t	*pace_ledger_to_json(const struct pace_point *p);
int	pace_ledger_from_json(struct pace_ledger *l, const json_t *j, bool has_rx);

#endif
