/*
 * loss_attribution.h - attribute the lost frames of a point to locations, and say what
 *                      to do about them.
 *
 * Purpose    turns the counters of both hosts into the ledger, and the ledger into
 *            a sentence.
 * Claims     a counter proves no particular frame lost (ledger.h).  A counter that counts a
 *            piece of several frames as one drop claims that many frames per drop.
 * Memory     none.   Threads  any.
 */
#ifndef PACE_DOC_LOSS_ATTRIBUTION_H
#define PACE_DOC_LOSS_ATTRIBUTION_H

#include <stddef.h>

#include "doc/result.h"

/* Fill p->ledger from tx, rx, ours and theirs; has_rx must be true. */
void	pace_loss_attribution_close(struct pace_point *p);

/* Return where most frames were lost.  In a tie the network comes first, then the location that a frame
 * comes to last. */
enum pace_place	pace_loss_attribution_worst(const struct pace_point *p);

/* Write the diagnosis into buf and return it, at most 511 bytes: "2 298 of 2 312 lost frames
 * ... socket buffer (granted 208 KiB, about 184 frames): raise net.core.rmem_max there". */
char	*pace_loss_attribution_say(const struct pace_point *p, char *buf, size_t size);

/* Return the name of a location for tables: "socket buffer", without the host. */
const char	*pace_loss_attribution_place(enum pace_place place);

/* Return about how many frames of this size a receive buffer holds. */
uint64_t	pace_loss_attribution_holds(uint32_t buffer_bytes, uint32_t size_bytes);

/* Write the name of an errno into buf and return it: "ENOBUFS", "errno 4711". */
char	*pace_loss_attribution_errno(int code, char *buf, size_t size);

#endif
