/*
 * capture_fill.h - from the flows of a capture to points of its document.
 *
 * Purpose    the only place that knows both shapes; adds the notes that a stream's
 *            figures need.
 */
#ifndef PACE_CAPTURE_CAPTURE_FILL_H
#define PACE_CAPTURE_CAPTURE_FILL_H

#include "cap/flow.h"
#include "doc/capture.h"

/* s is reset first. */
void	pace_seen_fill(struct pace_seen *s, const struct pace_cap_stream *from, bool live);

/* Parts of it: who and when; loss and order. */
void	pace_seen_fill_flow(struct pace_seen *s, const struct pace_cap_flow *f, int64_t first_ns);
void	pace_seen_fill_numbers(struct pace_rx_result *r, const struct pace_seq *q);

/* The counts; where it is from is the caller's. */
void	pace_capture_fill(struct pace_capture *c, const struct pace_cap_table *t);

/* What of the whole capture somebody must know: true, a figure is not usable. */
bool	pace_capture_notes(struct pace_notes *n, const struct pace_capture *c);

#endif
