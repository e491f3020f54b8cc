/*
 * repeats.h - points that were measured several times, together.
 *
 * Purpose    median and spread of what a repeated point gave: one run may have met
 *            anything.
 * Same       size, spacing and code point are; told in that order.
 * Counted    runs whose receiver's part is there; a rate only where one is known.
 * Memory     a few numbers a run, malloced; pace_repeats_free.
 */
#ifndef PACE_DOC_REPEATS_H
#define PACE_DOC_REPEATS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "doc/field.h"
#include "doc/result.h"
#include "doc/spread.h"

extern const struct pace_fields pace_repeated_fields, pace_spread_fields;

struct pace_repeated_run {
	uint32_t	size_bytes, dscp;
	uint64_t	spacing;
	double		wire_bps, user_bps, loss, reordered, gap_p99_ns;	/* NAN: not known */
};

struct pace_repeats {
	struct pace_repeated_run *v;
	size_t		n, room;
};

struct pace_repeated {
	uint32_t	size_bytes, dscp;
	uint64_t	spacing;
	size_t		runs;
	struct pace_spread wire_bps, user_bps, loss, reordered, gap_p99_ns;
};

/* -ENOMEM: it is left out. */
int	pace_repeats_add(struct pace_repeats *r, const struct pace_point *p);

/* Groups, *n of them, malloced; NULL: none, or no memory.  The runs are sorted. */
struct pace_repeated	*pace_repeats_group(struct pace_repeats *r, size_t *n);

/* [ { "size_bytes", "spacing_ns", "dscp", "runs", "wire_rate_bps": { "runs", "median",
 * "min", "max" } or null, ... } ] */
json_t	*pace_repeats_to_json(struct pace_repeats *r);

void	pace_repeats_free(struct pace_repeats *r);

#endif
