/*
 * stall.h - say in words why a sender was frozen.
 *
 * Purpose    lists every cause with its share of the time that the sender was frozen,
 *            the largest first, and the process that took the core.
 * Order      exact amounts are counted first; a cause known only by a bound gets at
 *            most the time that is left.  The rest is reported as not accounted for.
 * Preempted  if no other thread preempted the sender, its waits for a core after it had
 *            slept did not freeze it.
 * Memory     the caller's.   Threads  any.
 */
#ifndef PACE_DOC_STALL_H
#define PACE_DOC_STALL_H

#include <stddef.h>

#include "doc/result.h"

/* Write "the sender was frozen for up to 12.0 ms, ...: ..." into buf and return it. */
char	*pace_stall_say(const struct pace_tx *tx, char *buf, size_t size);

#endif
