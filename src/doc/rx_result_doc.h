/*
 * rx_result_doc.h - the responder's part of a point, both ways.
 *
 * Shape      { "rx": {...}, "loss": {...}, "duplicates", "replicated",
 *              "corrupt", "foreign", "reordering": {...}, "owd_ns", "pdv_ns",
 *            "ipdv_ns" and the rest of the delays, "records": {...},
 *            "wall_clock": {...}, "cpu": { "responder" }, "counters":
 *            { "responder" } }, and "wire": { "rx" } (wire_check_doc.h) of a run that was
 *            captured: the very members
 *            of a point; "corrupt" only of a run that verifies payloads.
 * null       rates and ratios of too few frames, the duration of none, a
 *            stamp or buffer that is not known, delays without a known clock.
 * Trust      comes from a responder that may lie: types, ranges and what
 *            must hold between figures are checked; ratios and means follow
 *            from them and are not read.  What was sent is not known here:
 *            compare unique + lost with it.
 * Counters   c: as counters_doc.h has it.
 * Errors     -EPROTO, -ENOMEM, the receiver's result is then unspecified.  NULL: no memory.
 */
#ifndef PACE_DOC_RX_RESULT_DOC_H
#define PACE_DOC_RX_RESULT_DOC_H

#include <jansson.h>
#include <stdbool.h>

#include "doc/field.h"
#include "doc/result.h"

json_t	*pace_rx_result_to_json(const struct pace_rx_result *r, const struct pace_counters *c,
	    bool verify);
int	pace_rx_result_from_json(struct pace_rx_result *r, struct pace_counters *c, const json_t *j,
	    bool verify);

/* Of a receiver's result beside "cpu", "counters" and "wire", and of it what documents of others who
 * count arrivals have, too: members of "rx", "loss", "reordering", and of delays. */
extern const struct pace_fields pace_rx_result_fields, pace_rx_fields, pace_rx_flow_fields,
    pace_loss_fields, pace_reordering_fields, pace_delay_fields;
/* Do frames, loss, order and delay as read agree with each other? */
bool	pace_rx_result_holds(const struct pace_rx_result *r);

#endif
