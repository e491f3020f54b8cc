/*
 * facts.h - read the facts of this host that affect a measurement.
 *
 * Purpose    fills struct pace_host from uname, /proc, /sys and the driver of the
 *            interface.
 * Root       below another root (root.h) the running kernel is not asked.
 * Absent     a fact that cannot be read is "" or not known.
 * Cost       some ms; tens of ms on hosts with many interfaces.   Threads  any.
 */
#ifndef PACE_PLAT_FACTS_H
#define PACE_PLAT_FACTS_H

#include "core/host.h"

/* interface: towards the peer, "": none.  hidden: for an unknown client, without addresses
 * and without other interfaces. */
void	pace_facts_read(struct pace_host *h, const char *root, const char *interface, bool hidden);

/* The name of this host, cleaned; "": not known. */
void	pace_facts_host_name(char name[128]);

/* The interface of the default route, "": none. */
void	pace_facts_default_route(const char *root, char name[16]);

#endif
