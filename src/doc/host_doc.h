/*
 * host_doc.h - write and read what a host reports about itself.
 *
 * Shape      { "version", "kernel", "machine", "cpu", "clocksource", "governor",
 *              "virtual", "stamp_spoilers", "cores", facts of the host, "sysctl":
 *              facts by the kernel's names, "interface": { "name", "driver",
 *              facts, "irqs": [{ "irq", "queue", "cores" } ...] } }; a member
 *            that is not known is absent.
 * Trust      texts come from the peer: they are cleaned and shortened.
 * Errors     -EPROTO for a wrong type or an impossible number.
 */
#ifndef PACE_DOC_HOST_DOC_H
#define PACE_DOC_HOST_DOC_H

#include <jansson.h>

#include "core/host.h"
#include "doc/field.h"

extern const struct pace_fields pace_host_fields;

json_t	*pace_host_to_json(const struct pace_host *h);
int	pace_host_from_json(struct pace_host *h, const json_t *j);

#endif
