/*
 * stall.h - why a sender was frozen, in words.
 *
 * Purpose    every cause with its share of the time that the sender was frozen, the
 *            largest first, and the process that took the core.
 * Order      amounts that are exact are counted first: a bound explains no more than
 *            what is left.  What is left in the end is told as not accounted for.
 * Preempted  a thread that no other one has preempted was not frozen by the time that it
 *            waited for a core after it had slept.
 * Memory     the caller's.   Threads  any.
 */
#ifndef PACE_DOC_STALL_H
#define PACE_DOC_STALL_H

#include <stddef.h>

#include "doc/result.h"

/* "the sender was frozen for up to 12.0 ms, ...: ..." into buf, which it returns. */
char	*pace_stall_say(const struct pace_tx *tx, char *buf, size_t size);

#endif
