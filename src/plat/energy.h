/*
 * energy.h - read the energy counters of this host (RAPL).
 *
 * Purpose    joules used since the meter was opened.  A thread reads the counters
 *            often enough to see every wrap; a host without counters has no thread.
 * Threads    read: any.
 * Errors     none: struct pace_energy has the reason why a reading failed.
 */
#ifndef PACE_PLAT_ENERGY_H
#define PACE_PLAT_ENERGY_H

#include "core/energy.h"

struct pace_meter;

/* NULL: no memory.  root: root.h. */
struct pace_meter	*pace_meter_new(const char *root);
void	pace_meter_free(struct pace_meter *m);

void	pace_meter_read(struct pace_meter *m, struct pace_energy *e);

#endif
