/*
 * ledger_doc.h - write and read the ledger of a point.
 *
 * Shape      { "asked", "tx_refused", a member per location, "bounds": { location: [low,
 *              high] } for locations that are not exact, "interface_frames": { "tx_nic",
 *              "rx_nic" }, "diagnosis" }.
 * null       a location without a counter; all locations without the responder's part.
 * Trust      checks types and ranges; pace_point_broken checks the sum of the locations.
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
