/*
 * capture_fill.h - fill points of the document from the flows of a capture.
 *
 * Purpose    the only code that knows both kinds of structs; adds the notes that the
 *            figures of a stream need.
 */
#ifndef PACE_CAPTURE_CAPTURE_FILL_H
#define PACE_CAPTURE_CAPTURE_FILL_H

#include "cap/flow.h"
#include "doc/capture.h"

/* Fill s, after a reset, from one stream. */
void	pace_seen_fill(struct pace_seen *s, const struct pace_cap_stream *from, bool live);

/* Fill only addresses and start. */
void	pace_seen_fill_flow(struct pace_seen *s, const struct pace_cap_flow *f, int64_t first_ns);

/* Fill the counts; the caller fills the source. */
void	pace_capture_fill(struct pace_capture *c, const struct pace_cap_table *t);

/* Add notes on the whole capture; returns true if figures are not usable. */
bool	pace_capture_notes(struct pace_notes *n, const struct pace_capture *c);

#endif
