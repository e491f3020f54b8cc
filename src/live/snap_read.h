/*
 * snap_read.h - the steps from a status to the snapshot; private to snap_*.c.
 *
 * Purpose    make ticks and figures (snap_take.c), and events (snap_tell.c).
 */
#ifndef PACE_LIVE_SNAP_READ_H
#define PACE_LIVE_SNAP_READ_H

#include <jansson.h>

#include "live/snap.h"

/* Keep these distributions; -ENOMEM. */
int	pace_dists_add(struct pace_snap_session *v,
    const struct pace_coarse_hist_list of[PACE_DISTS],
	    int64_t at_ns);
/* Clear everything except the events. */
void	pace_snap_forget(struct pace_snap *s);
void	pace_snap_session_free(struct pace_snap_session *v);	/* frees the members */

/* Take the state of a capture after span_ns; not known: no change. */
void	pace_capture_take(struct pace_snap *s, const struct pace_capture_status *c,
    int64_t span_ns);

/* Take a line of a result: its start, a point, or its end.  Returns as pace_snap_feed. */
int	pace_sweep_feed(struct pace_snap *s, const json_t *line);

/* For a tick of a session: find kind and dead; add it to the history (-ENOMEM); update the
 * figures. */
void	pace_tick_judge(struct pace_tick *t, const struct pace_session_status *was,
	    const struct pace_session_status *is);
int	pace_tick_add(struct pace_snap_session *v, const struct pace_tick *t);
void	pace_tick_figures(struct pace_snap_session *v, const struct pace_tick *t);

/* A session before and after a line. */
struct pace_change {
	const struct pace_session_status *was;
	struct pace_snap_session *is;
	bool		fresh;			/* a new session */
	const struct pace_tick *tick, *last;	/* of this line (NULL: none); the one before */
};

/* Add the events that follow from the change. */
void	pace_change_tell(struct pace_snap *s, const struct pace_change *c);

#endif
