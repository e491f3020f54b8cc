/*
 * loss_groups.h - loss locations in groups that a reader can act on, for stacked bars.
 *
 * Groups     in the order of the path, from the sender to the receiver's socket.
 * Units      per cent of the frames that were to be sent.
 */
#ifndef PACE_REPORT_LOSS_GROUPS_H
#define PACE_REPORT_LOSS_GROUPS_H

#include "report/report_data.h"

#define PACE_LOSS_GROUPS	6

extern const char *const pace_loss_groups[PACE_LOSS_GROUPS];

/* Add up n points with the receiver's counts: share as attributed, least as proved; NAN: no
 * point has them.  Returns the sum of share; 0: not known. */
double	pace_loss_groups_share(const struct pace_stream_point *const *v, size_t n,
	    double share[PACE_LOSS_GROUPS], double least[PACE_LOSS_GROUPS]);

#endif
