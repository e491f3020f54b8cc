/*
 * clock_doc.h - "clock" of a point, and the state of a wall clock, both ways.
 *
 * Shape      see udpace-result(5).
 * Trust      hostile until checked: -EPROTO, the output is then unspecified.
 * NULL       no memory.
 */
#ifndef PACE_DOC_CLOCK_DOC_H
#define PACE_DOC_CLOCK_DOC_H

#include <jansson.h>

#include "doc/field.h"
#include "doc/result.h"

extern const struct pace_fields pace_clock_fields, pace_clock_state_fields;

/* What the offset rests on, in the document's words. */
#define PACE_CLOCK_METHOD	"two-sided max margin"
#define PACE_CLOCK_ASSUMES	"equal minimum delays in both directions"

json_t	*pace_clock_to_json(const struct pace_clock *c);
int	pace_clock_from_json(struct pace_clock *c, const json_t *j);

/* { "synchronised", "error_ns", "error_max_ns", "frequency_ppm" }, or null. */
json_t	*pace_clock_state_to_json(const struct pace_clock_state *s);
int	pace_clock_state_from_json(struct pace_clock_state *s, const json_t *j);

#endif
