/*
 * plan.h - makes the points of a sweep, in the order of their measurement.
 *
 * Purpose    every size with every spacing or rate, every code point and every number of
 *            streams, repeated as often as requested, in order or shuffled.
 * Repeats    come in rounds of all points, so a drift during the sweep affects all points
 *            alike.  Each round is shuffled on its own.
 * Memory     the plan is malloced.
 * Errors     NULL after an error message.
 */
#ifndef PACE_RUN_PLAN_H
#define PACE_RUN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/result.h"
#include "opt/opt.h"

enum pace_order { PACE_ORDER_SIZE, PACE_ORDER_SPACING, PACE_ORDER_SHUFFLE };
#define PACE_ORDERS	"size|spacing|shuffle"	/* as enum pace_order, for an option */

#define PACE_PLAN_MAX	100000

struct pace_plan_cfg {
	const struct pace_list *size, *spacing, *rate;	/* rate NULL: use spacing */
	const struct pace_list *dscp;
	const struct pace_list *streams;	/* numbers of streams; NULL: as in each */
	enum pace_order	order;
	uint64_t	seed;		/* for a shuffled order */
	uint32_t	repeats;	/* rounds; 1: no repeat */
	uint64_t	train;		/* frames in a train; 0: the default: 1, or the maximum
					 * at spacing 0 */
	struct pace_params	each;		/* parameters common to all points */
};

/* Make the plan; *n: its points.  Contradictory options are reported. */
struct pace_params	*pace_plan_make(const struct pace_plan_cfg *cfg, size_t *n);

#endif
