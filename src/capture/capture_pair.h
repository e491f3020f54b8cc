/*
 * capture_pair.h - two captures of one path, matched: udpace capture --between.
 *
 * Purpose    loss, order and one-way delay of any traffic between the places where
 *            the captures were made.
 * Passes     the first finds the flows that are in both and their formats, the second how
 *            far apart the captures' stamps are (cap/align.h), the third matches the frames,
 *            in the order of the stamps after that: clocks may be hours apart, and the
 *            captures may have begun at different times.
 * Direction  the busiest flow goes from the first capture to the second.  Where there are
 *            flows against it, those go so whose frames are seen later at the second, by
 *            its clock less that of the first: by the way there and back.  With both
 *            directions there is a relation of the clocks, and delays are known.
 * Limits     PACE_CAPTURE_PAIR_FLOWS flows, the busiest.
 * Files      opened at once, so that rights can be given away; not read before begin.
 */
#ifndef PACE_CAPTURE_CAPTURE_PAIR_H
#define PACE_CAPTURE_CAPTURE_PAIR_H

#include <signal.h>

#include "cap/flow.h"
#include "core/err.h"
#include "doc/capture.h"

#define PACE_CAPTURE_PAIR_FLOWS	16

struct pace_capture_pair;

/* *b NULL after a failure. */
int	pace_capture_pair_open(struct pace_capture_pair **b, const char *sender, const char *receiver,
	    const struct pace_cap_cfg *cfg, struct pace_err *err);

/* -EINVAL, step "filter"; -EINTR: *stop is no longer 0; 1: a file is damaged, in words, and
 * what was read counts. */
int	pace_capture_pair_read(struct pace_capture_pair *b, const char *filter,
	    const volatile sig_atomic_t *stop, struct pace_err *err);

/* One of them has frames that are too short to tell whose they are. */
bool	pace_between_is_cut(const struct pace_capture_pair *b);

/* Flows in both. */
size_t	pace_capture_pair_flows(const struct pace_capture_pair *b);
void	pace_capture_pair_fill(struct pace_seen *s, const struct pace_capture_pair *b, size_t i);

/* What the sender's capture holds, with the names of both. */
void	pace_capture_pair_capture(struct pace_capture *c, const struct pace_capture_pair *b);

/* NULL is accepted. */
void	pace_capture_pair_close(struct pace_capture_pair *b);

#endif
