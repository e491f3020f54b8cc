/*
 * counters_doc.h - what a host counted around a point, both ways.
 *
 * Shape      "cpu": one object a core: "core", "user_ns" ... and the core's
 *            counts; "counters": "duration_ns", "thread", "interfaces" (the
 *            session's and those on which something happened), "snmp" by the
 *            kernel's own names, "energy".
 * Absent     a counter that the host does not have.  Energy is null where it
 *            cannot be read, and "energy_unavailable" says why.
 * Energy     over "duration_ns"; per bit of `bytes` of user data, less what the
 *            idle host would have used, when that is known.
 * Trust      of the peer: numbers, names and how many of each are checked.
 * Memory     the arrays of *c, released by pace_counters_free also after a
 *            failure; reading releases what *c held before, so it must be zeroed
 *            or read already.
 * Errors     -EPROTO, -ENOMEM.  NULL: no memory.
 */
#ifndef PACE_DOC_COUNTERS_DOC_H
#define PACE_DOC_COUNTERS_DOC_H

#include <jansson.h>

#include "core/counters.h"
#include "doc/field.h"

extern const struct pace_fields pace_counters_fields;

/* json null of counters that are not known. */
json_t	*pace_cpu_to_json(const struct pace_counters *c);
json_t	*pace_counters_to_json(const struct pace_counters *c, uint64_t bytes);

/* Both may be null: *c is then not known. */
int	pace_counters_from_json(struct pace_counters *c, const json_t *cpu,
	    const json_t *counters);

#endif
