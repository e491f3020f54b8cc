/*
 * capture_pair.h - match two captures of one path: udpace capture --pair.
 *
 * Purpose    loss, order and one-way delay of any traffic between the two places of
 *            capture.
 * Passes     the first finds the flows in both captures and their formats, the second the
 *            difference between the captures' stamps (cap/align.h).  The third matches the
 *            frames, in the order of the corrected stamps: the clocks may be hours apart,
 *            and the captures may have begun at different times.
 * Direction  without flows in both directions, all go from the first capture to the second.
 *            With both, the flows whose frames appear later at the second capture, by its
 *            clock minus the first's, go from the first to the second; the difference is
 *            the round-trip time.  Both directions relate the clocks, so delays are known.
 * Limits     the busiest PACE_CAPTURE_PAIR_FLOWS flows.
 * Files      all opened at the start, so that rights can be given up; first read in
 *            pace_capture_pair_read.
 */
#ifndef PACE_CAPTURE_CAPTURE_PAIR_H
#define PACE_CAPTURE_CAPTURE_PAIR_H

#include <signal.h>

#include "cap/flow.h"
#include "core/err.h"
#include "doc/capture.h"

#define PACE_CAPTURE_PAIR_FLOWS	16

struct pace_capture_pair;

/* Open both captures; after a failure *b is NULL. */
int	pace_capture_pair_open(struct pace_capture_pair **b, const char *sender,
	    const char *receiver, const struct pace_cap_cfg *cfg, struct pace_err *err);

/* Read and match them.  -EINVAL, step "filter"; -EINTR: *stop is no longer 0; 1: a file is
 * damaged, with words in err, and the part read counts. */
int	pace_capture_pair_read(struct pace_capture_pair *b, const char *filter,
	    const volatile sig_atomic_t *stop, struct pace_err *err);

/* Does one capture have frames too short to be classified? */
bool	pace_capture_pair_is_cut(const struct pace_capture_pair *b);

/* Return the number of flows in both captures; fill s from flow i. */
size_t	pace_capture_pair_flows(const struct pace_capture_pair *b);
void	pace_capture_pair_fill(struct pace_seen *s, const struct pace_capture_pair *b, size_t i);

/* Fill c from the sender's capture, with the names of both. */
void	pace_capture_pair_capture(struct pace_capture *c, const struct pace_capture_pair *b);

/* NULL is accepted. */
void	pace_capture_pair_close(struct pace_capture_pair *b);

#endif
