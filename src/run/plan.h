/*
 * plan.h - the points of a sweep, in the order in which they are measured.
 *
 * Purpose    every size with every spacing or rate and every code point, as often as
 *            asked for: one after the other, or shuffled.
 * Repeats    come in rounds of all points, so that what drifts while the sweep runs
 *            is in all points alike; a round is shuffled on its own.
 * Memory     the plan is malloced.
 * Errors     told; NULL.
 */
#ifndef PACE_RUN_PLAN_H
#define PACE_RUN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/result.h"
#include "opt/opt.h"

enum pace_order { PACE_ORDER_SIZE, PACE_ORDER_SPACING, PACE_ORDER_SHUFFLE };
#define PACE_ORDERS	"size|spacing|shuffle"	/* in that order, for an option */

#define PACE_PLAN_MAX	100000

struct pace_plan_cfg {
	const struct pace_list *size, *spacing, *rate;	/* rate NULL: by spacing */
	const struct pace_list *dscp;
	enum pace_order	order;
	uint64_t	seed;		/* of a shuffled order */
	uint32_t	repeats;	/* 1: once */
	uint64_t	train;		/* 0: 1, or the most at spacing 0 */
	struct pace_params	each;		/* what all points have alike */
};

/* *n points; what is contradictory is told. */
struct pace_params	*pace_plan_make(const struct pace_plan_cfg *cfg, size_t *n);

#endif
