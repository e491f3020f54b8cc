/*
 * rx_result_doc.h - write and read the responder's part of a point.
 *
 * Shape      { "rx": {...}, "loss": {...}, "duplicates", "replicated",
 *              "corrupt", "foreign", "reordering": {...}, "owd_ns", "pdv_ns",
 *            "ipdv_ns" and the other delays, "records": {...},
 *            "wall_clock": {...}, "cpu": { "responder" }, "counters":
 *            { "responder" } }, and, if the run was captured, "wire": { "rx" }
 *            (wire_check_doc.h).  These are the members of a point; "corrupt" is
 *            present only if the run verifies payloads.
 * null       rates and ratios of too few frames, the duration without frames, a
 *            stamp or buffer that is not known, delays without a known clock.
 * Trust      comes from a responder that may lie: types, ranges and relations
 *            between figures are checked.  Ratios and means follow from other
 *            figures and are not read.  The number of frames sent is not known
 *            here: the caller compares it with unique + lost.
 * Counters   c: see counters_doc.h.
 * Errors     -EPROTO, -ENOMEM: the result is then unspecified.  NULL: no memory.
 */
#ifndef PACE_DOC_RX_RESULT_DOC_H
#define PACE_DOC_RX_RESULT_DOC_H

#include <jansson.h>
#include <stdbool.h>

#include "doc/field.h"
#include "doc/result.h"

json_t	*pace_rx_result_to_json(const struct pace_rx_result *r, const struct pace_counters *c,
	    bool verify);
/* c NULL: without the host's counters. */
int	pace_rx_result_from_json(struct pace_rx_result *r, struct pace_counters *c, const json_t *j,
	    bool verify);

/* A receiver's result without "cpu", "counters" and "wire"; then the parts of it that other
 * documents with arrivals share: "rx", "loss", "reordering", delays, and "messages", whose struct
 * is pace_message_stats. */
extern const struct pace_fields pace_rx_result_fields, pace_rx_flow_fields, pace_loss_fields,
    pace_reordering_fields, pace_delay_fields, pace_message_fields;
/* Are the figures for frames, loss, order and delay consistent with each other? */
bool	pace_rx_result_holds(const struct pace_rx_result *r);

#endif
