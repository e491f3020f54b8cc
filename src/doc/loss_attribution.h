/*
 * loss_attribution.h - where the frames of a point died, and what to do about it.
 *
 * Purpose    from what both hosts counted to the ledger, and from the ledger to a
 *            sentence.
 * Claims     a counter of a host claims no frame for sure (ledger.h); those that count
 *            pieces of several frames as one claim as many times as many.
 * Memory     none.   Threads  any.
 */
#ifndef PACE_DOC_LOSS_ATTRIBUTION_H
#define PACE_DOC_LOSS_ATTRIBUTION_H

#include <stddef.h>

#include "doc/result.h"

/* p->ledger from tx, rx, ours and theirs; has_rx must be true. */
void	pace_loss_attribution_close(struct pace_point *p);

/* "2 298 of 2 312 lost frames died in the responder's socket buffer (granted 208
 * KiB, about 184 frames): raise net.core.rmem_max there".  At most 511 bytes. */
char	*pace_loss_attribution_say(const struct pace_point *p, char *buf, size_t size);

/* For tables: "socket buffer", of whose host it is a place. */
const char	*pace_loss_attribution_place(enum pace_place place);

/* Frames of this size that a receive buffer of so many bytes holds, about. */
uint64_t	pace_loss_attribution_holds(uint32_t buffer_bytes, uint32_t size_bytes);

/* "ENOBUFS"; "errno 4711". */
char	*pace_loss_attribution_errno(int code, char *buf, size_t size);

#endif
