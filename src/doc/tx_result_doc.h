/*
 * tx_result_doc.h - write and read the part of a run that a sending responder reports.
 *
 * Purpose    the responder writes this JSON and its client reads it; the counterpart of
 *            rx_result_doc.h.
 * Errors     -EPROTO: wrong members, or inconsistent figures.  NULL: no memory.
 * Memory     JSON is allocated.   Threads  any.
 * Trust      comes from the network: types, ranges and sums are checked.
 */
#ifndef PACE_DOC_TX_RESULT_DOC_H
#define PACE_DOC_TX_RESULT_DOC_H

#include <jansson.h>
#include <stdint.h>

#include "doc/result.h"

struct pace_tx_result {
	uint64_t	asked;		/* frames that came due */
	int64_t		due_ns;		/* when the first one was due, its probe clock; 0: none */
	int		failed;		/* errno that ended it; 0: none */
	bool		lease_lost;	/* another client may have measured at the same time */
	struct pace_clock_state clock;	/* the responder's wall clock, at the end */
	bool		has_wire;	/* its interface was captured */
	struct pace_wire_check wire;
};

json_t	*pace_tx_result_to_json(const struct pace_tx_result *r, const struct pace_tx *tx,
	    const struct pace_counters *c);

/* Read o into *r, *tx and *c; the old contents of *c are not released. */
int	pace_tx_result_from_json(struct pace_tx_result *r, struct pace_tx *tx,
	    struct pace_counters *c, const json_t *o);

#endif
