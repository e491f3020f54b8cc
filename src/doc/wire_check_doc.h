/*
 * wire_check_doc.h - "wire" of a point, both ways, and what is to be said of it.
 *
 * Shape      { "tx": SIDE or null, "rx": SIDE or null }, of which SIDE is
 *            { "interface", "frames", "missing", "copies", "packets",
 *              "dropped": null or { "kernel", "interface" }, "whole", "resolution_ns",
 *              "apart", "gap_ns": HIST, "gap_difference_ns": HIST }
 *            Missing: frames that the kernel accepted (tx.frames) and that were not seen.
 *            "rx" has "not_received", too: frames that were seen there and that its socket
 *            never had (rx.unique).
 * Trust      read may be forged: missing and not_received must be what follows, the
 *            histograms hold fewer gaps than frames, of departures as many each, and no more
 *            of them are apart.
 * Errors     -EPROTO.  NULL: no memory.
 */
#ifndef PACE_DOC_WIRE_CHECK_DOC_H
#define PACE_DOC_WIRE_CHECK_DOC_H

#include <jansson.h>

#include "doc/field.h"
#include "doc/result.h"

extern const struct pace_fields pace_wire_side_fields;

/* sent: tx.frames of the point. */
json_t	*pace_wire_check_to_json(const struct pace_wire_check *w, uint64_t sent);
int	pace_wire_check_from_json(struct pace_wire_check *w, uint64_t sent, const json_t *j);

/* The responder's; of the sender unique and lost frames of the receiver's result are sent ones. */
json_t	*pace_wire_check_rx_to_json(const struct pace_rx_result *r);
int	pace_wire_check_rx_from_json(struct pace_rx_result *r, const json_t *j);

/* NULL: its figures go together; else which do not, in words.  Of departures; of arrivals. */
const char	*pace_wire_check_broken(const struct pace_wire_check *w);
const char	*pace_wire_check_rx_broken(const struct pace_wire_check *w);

/* Where wire and sender disagree by more than the capture's own losses and the stamps'
 * resolution explain: notes "wire_frames", "wire_gaps"; "wire_copies", "wire_dropped" and
 * "wire_failed" say what the capture is worth. */
void	pace_wire_check_notes(struct pace_notes *n, const struct pace_wire_check *w, uint64_t sent);

/* The same of the responder's, of a point whose ledger is closed: "wire_rx_frames" tells
 * what its socket did not get, "wire_rx_ledger" where that is not what the ledger has there;
 * "wire_rx_gaps", "wire_rx_copies", "wire_rx_dropped", "wire_rx_failed". */
void	pace_wire_check_rx_notes(struct pace_notes *n, const struct pace_point *p);

#endif
