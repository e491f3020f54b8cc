/*
 * witness_doc.h - "wire" of a point, both ways, and what is to be said of it.
 *
 * Shape      { "interface", "frames", "missing", "copies", "packets",
 *              "dropped": null or { "kernel", "interface" }, "whole", "resolution_ns",
 *              "apart", "gap_ns": HIST, "gap_difference_ns": HIST }
 *            Missing: frames that the kernel accepted (tx.frames) and that were not seen.
 * Trust      read may be forged: missing must be what follows, the histograms hold as many
 *            gaps, fewer than frames, and no more of them are apart.
 * Errors     -EPROTO.  NULL: no memory.
 */
#ifndef PACE_WITNESS_DOC_H
#define PACE_WITNESS_DOC_H

#include <jansson.h>

#include "doc/result.h"

/* sent: tx.frames of the point. */
json_t	*pace_witness_to_json(const struct pace_witness *w, uint64_t sent);
int	pace_witness_from_json(struct pace_witness *w, uint64_t sent, const json_t *j);

/* NULL: its figures go together; else which do not, in words. */
const char	*pace_witness_broken(const struct pace_witness *w);

/* Where wire and sender disagree by more than the capture's own losses and the stamps'
 * resolution explain: notes "wire_frames", "wire_gaps"; "wire_copies", "wire_dropped" and
 * "wire_failed" say what the capture is worth. */
void	pace_witness_notes(struct pace_notes *n, const struct pace_witness *w, uint64_t sent);

#endif
