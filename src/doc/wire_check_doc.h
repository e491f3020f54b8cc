/*
 * wire_check_doc.h - write and read "wire" of a point, and the notes on it.
 *
 * Shape      { "tx": SIDE or null, "rx": SIDE or null }; SIDE is
 *            { "interface", "frames", "missing", "copies", "packets",
 *              "dropped": null or { "kernel", "interface" }, "complete", "resolution_ns",
 *              "gaps_differing", "gap_ns": HIST, "gap_difference_ns": HIST }
 *            missing: frames that the kernel accepted (tx.frames) and the capture lacks.
 *            "rx" also has "not_received": frames in the receiver's capture that did
 *            not reach its socket (rx.unique).
 * Trust      input may be forged: missing and not_received must equal the computed
 *            values; the histograms hold fewer gaps than frames, for departures the same
 *            number each, and at least as many as differ.
 * Errors     -EPROTO.  NULL: no memory.
 */
#ifndef PACE_DOC_WIRE_CHECK_DOC_H
#define PACE_DOC_WIRE_CHECK_DOC_H

#include <jansson.h>

#include "doc/field.h"
#include "doc/result.h"

extern const struct pace_fields pace_wire_side_fields;

/* Write and read the sender's side; sent: tx.frames of the point. */
json_t	*pace_wire_check_to_json(const struct pace_wire_check *w, uint64_t sent);
int	pace_wire_check_from_json(struct pace_wire_check *w, uint64_t sent, const json_t *j);

/* Write and read the receiver's side; frames sent = unique + lost of r. */
json_t	*pace_wire_check_rx_to_json(const struct pace_rx_result *r);
int	pace_wire_check_rx_from_json(struct pace_rx_result *r, const json_t *j);

/* Add notes if capture and sender disagree by more than the capture's own losses and the
 * resolution of the stamps explain: "tx_capture_frames_differ", "tx_capture_gaps_differ".
 * "tx_capture_copies", "tx_capture_dropped" and "tx_capture_failed" say how reliable the
 * capture is. */
void	pace_wire_check_notes(struct pace_notes *n, const struct pace_point *p);

/* Add the notes for the receiver's capture; the point's ledger is closed.
 * "rx_capture_frames_differ": frames did not reach the socket; "rx_capture_ledger_differs":
 * the ledger has another number for this; "rx_capture_gaps_differ", "rx_capture_copies",
 * "rx_capture_dropped", "rx_capture_failed" as for the sender. */
void	pace_wire_check_rx_notes(struct pace_notes *n, const struct pace_point *p);

#endif
