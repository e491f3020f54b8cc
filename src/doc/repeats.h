/*
 * repeats.h - summarise points that were measured several times.
 *
 * Purpose    median and range of a repeated point: a single run may have been
 *            disturbed.
 * Same       points with equal size, spacing, code point and direction, sorted in this order.
 * Counted    runs that have the receiver's part; a rate only if it is known.
 * Memory     a few numbers per run, malloced; pace_repeats_free.
 */
#ifndef PACE_DOC_REPEATS_H
#define PACE_DOC_REPEATS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "doc/field.h"
#include "doc/result.h"
#include "doc/spread.h"

extern const struct pace_fields pace_repeated_fields;

struct pace_repeated_run {
	enum pace_direction direction;
	uint32_t	size_bytes, dscp, streams;
	uint64_t	spacing;
	double		wire_bps, user_bps, loss, reordered, gap_p99_ns;	/* NAN: not known */
};

struct pace_repeats {
	struct pace_repeated_run *v;
	size_t		n, room;
};

struct pace_repeated {
	enum pace_direction direction;
	uint32_t	size_bytes, dscp, streams;
	uint64_t	spacing;
	size_t		runs;
	struct pace_spread wire_bps, user_bps, loss, reordered, gap_p99_ns;
};

/* Add a run.  -ENOMEM: it is not added. */
int	pace_repeats_add(struct pace_repeats *r, const struct pace_point *p);

/* Return *n groups, malloced; NULL: no groups, or no memory.  Sorts the runs. */
struct pace_repeated	*pace_repeats_group(struct pace_repeats *r, size_t *n);

/* Return [ { "size_bytes", "spacing_ns", "dscp", "runs", "wire_rate_bps": { "runs",
 * "median", "min", "max" } or null, ... } ] */
json_t	*pace_repeats_to_json(struct pace_repeats *r);

void	pace_repeats_free(struct pace_repeats *r);

#endif
