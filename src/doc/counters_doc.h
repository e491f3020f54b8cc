/*
 * counters_doc.h - write and read a host's counters around a point.
 *
 * Shape      "cpu": one object per core: "core", "user_ns" ... and the core's
 *            counts; "counters": "duration_ns", "thread", "interfaces" (the
 *            session's, and those with a counter above 0), "snmp" with the
 *            kernel's names, "energy".
 * Absent     a counter that the host does not have.  Energy is null if it
 *            cannot be read; "energy_unavailable" then gives the reason.
 * Energy     over "duration_ns"; per bit of `bytes` of user data, minus the
 *            energy of the idle host if that is known.
 * Trust      input of the peer: numbers, names and their count are checked.
 * Memory     the arrays of *c.  Release them with pace_counters_free, also after
 *            a failure.  Reading releases the old contents of *c, so *c must be
 *            zeroed or the result of an earlier read.
 * Errors     -EPROTO, -ENOMEM.  NULL: no memory.
 */
#ifndef PACE_DOC_COUNTERS_DOC_H
#define PACE_DOC_COUNTERS_DOC_H

#include <jansson.h>

#include "core/counters.h"
#include "doc/field.h"

extern const struct pace_fields pace_counters_fields;

/* Write the counters, or JSON null if they are not known. */
json_t	*pace_cpu_to_json(const struct pace_counters *c);
json_t	*pace_counters_to_json(const struct pace_counters *c, uint64_t bytes);

/* Read *c.  If cpu and counters are null, *c is not known. */
int	pace_counters_from_json(struct pace_counters *c, const json_t *cpu,
	    const json_t *counters);

#endif
