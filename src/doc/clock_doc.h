/*
 * clock_doc.h - write and read "clock" of a point and the state of a wall clock.
 *
 * Shape      see udpace-result(5).
 * Trust      input is untrusted and checked: -EPROTO, the output is then unspecified.
 * NULL       no memory.
 */
#ifndef PACE_DOC_CLOCK_DOC_H
#define PACE_DOC_CLOCK_DOC_H

#include <jansson.h>

#include "doc/field.h"
#include "doc/result.h"

extern const struct pace_fields pace_clock_fields, pace_clock_state_fields;

/* The method of the offset and its assumption, as documents name them. */
#define PACE_CLOCK_METHOD	"two-sided max margin"
#define PACE_CLOCK_ASSUMES	"equal minimum delays in both directions"

json_t	*pace_clock_to_json(const struct pace_clock *c);
int	pace_clock_from_json(struct pace_clock *c, const json_t *j);

/* Note exchanges of an estimate that were lost, and requested ones that were not sent unless the
 * run was stopped.  True: so many that the estimate is not usable. */
bool	pace_clock_judge(struct pace_notes *n, uint64_t asked, uint64_t answered,
	    uint64_t timeouts, bool stopped);

#endif
