/*
 * snap_read.h - the steps from what goes on to the snapshot; private to snap_*.c.
 *
 * Purpose    ticks and figures are taken (snap_take.c), and what happened is told of
 *            (snap_tell.c).
 */
#ifndef PACE_LIVE_SNAP_READ_H
#define PACE_LIVE_SNAP_READ_H

#include <jansson.h>

#include "live/snap.h"

/* Keep these distributions; -ENOMEM. */
int	pace_dists_add(struct pace_snap_session *v, const struct pace_coarse_hist_list of[PACE_DISTS],
	    int64_t at_ns);
void	pace_snap_session_free(struct pace_snap_session *v);	/* what it points to */

/* What a capture has come to in span_ns; not known: nothing new. */
void	pace_capture_take(struct pace_snap *s, const struct pace_capture_status *c, int64_t span_ns);

/* A line of a result: of its begin, a point, its end.  As pace_snap_feed. */
int	pace_sweep_feed(struct pace_snap *s, const json_t *line);

/* A tick of a session: what it was (kind, dead), its place in the history (-ENOMEM), and
 * what it does to the figures. */
void	pace_tick_judge(struct pace_tick *t, const struct pace_session_status *was,
	    const struct pace_session_status *is);
int	pace_tick_add(struct pace_snap_session *v, const struct pace_tick *t);
void	pace_tick_figures(struct pace_snap_session *v, const struct pace_tick *t);

/* What a session was and what it is. */
struct pace_change {
	const struct pace_session_status *was;
	struct pace_snap_session *is;
	bool		fresh;			/* it was not known before */
	const struct pace_tick *tick, *last;	/* of this line, NULL: none; the one before */
};

/* The events that come of it. */
void	pace_change_tell(struct pace_snap *s, const struct pace_change *c);
/* An event of a loss that goes on: its text follows. */
void	pace_loss_begin(struct pace_snap *s, struct pace_snap_session *v);
/* Of a stream that a capture sees. */
void	pace_flow_tell(struct pace_snap *s, const struct pace_change *c);

#endif
