/*
 * facts.h - read what this host is, as far as it bears on a measurement.
 *
 * Purpose    fills struct pace_host from uname, /proc and /sys.
 * Absent     what cannot be read is "" or 0.
 */
#ifndef PACE_FACTS_H
#define PACE_FACTS_H

#include "core/host.h"

void	pace_facts_read(struct pace_host *h);

#endif
