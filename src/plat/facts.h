/*
 * facts.h - read what this host is, as far as it bears on a measurement.
 *
 * Purpose    fills struct pace_host from uname, /proc, /sys and the driver of the
 *            interface.
 * Root       below another root (root.h) nothing is asked of the running kernel.
 * Absent     what cannot be read is "" or not known.
 * Cost       some ms, some ten on hosts of many interfaces.   Threads  any.
 */
#ifndef PACE_PLAT_FACTS_H
#define PACE_PLAT_FACTS_H

#include "core/host.h"

/* interface: towards the peer, "": none.  hidden: for a stranger, no addresses and no
 * other interfaces in any name. */
void	pace_facts_read(struct pace_host *h, const char *root, const char *interface, bool hidden);

/* The interface of the default route, "": none. */
void	pace_facts_default_route(const char *root, char name[16]);

#endif
