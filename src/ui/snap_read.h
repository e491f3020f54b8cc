/*
 * snap_read.h - the steps from a line to the snapshot; private to snap_*.c.
 *
 * Purpose    a line is parsed whole (snap_parse.c) before it changes anything; then its
 *            ticks and figures are taken (snap_take.c) and what happened is told of
 *            (snap_tell.c).
 */
#ifndef PACE_SNAP_READ_H
#define PACE_SNAP_READ_H

#include <jansson.h>

#include "ui/snap.h"

/* What a line says of a session. */
struct pace_said {
	struct pace_snap_session v;	/* without history */
	bool		has_interval;
	struct pace_tick tick;
	const json_t	*dist[PACE_DISTS];	/* of the line, checked; NULL: none */
};

/* bad becomes true where o is not a session of the schema. */
void	pace_said_read(struct pace_said *s, const json_t *o, bool *bad);
/* The member probe of a session; without it nothing is known. */
void	pace_said_probe(struct pace_snap_probe *p, const json_t *o, bool *bad);
/* What came since belongs to it, too. */
void	pace_way_add(struct pace_snap_way *to, const struct pace_snap_way *w);
/* "2026-11-22T10:11:12.345Z" as ns since 1970; 0: it is none. */
int64_t	pace_said_time(const json_t *v);

/* A distribution; false: it is none. */
bool	pace_dist_read(struct pace_coarse_list *l, const json_t *o);
/* The counters of a host, false: it is no such object.  null is, and known is not set. */
bool	pace_host_read(struct pace_snap_host *h, const json_t *o);
/* Keep what the line told; -ENOMEM. */
int	pace_dists_add(struct pace_snap_session *v, const struct pace_said *said, int64_t at_ns);
void	pace_snap_session_free(struct pace_snap_session *v);	/* what it points to */

/* The member flow of a session (null in that of the sum), and the member capture of a line;
 * without it of is what it was, nothing being dropped.  pace_capture_take: that is so now, for
 * span_ns. */
void	pace_said_flow(struct pace_snap_session *v, const json_t *o, bool *bad);
bool	pace_capture_read(struct pace_snap_capture *of, const json_t *line);
void	pace_capture_take(struct pace_snap *s, const struct pace_snap_capture *c, int64_t span_ns);
/* What the first line says of a capture; of another one nothing is known. */
void	pace_capture_head(struct pace_snap *s, const json_t *line);

/* A line of a result: of its begin, a point, its end.  As pace_snap_feed. */
int	pace_sweep_feed(struct pace_snap *s, const json_t *line);

/* A tick of a session: what it was (kind, dead), its place in the history (-ENOMEM), and
 * what it does to the figures. */
void	pace_tick_judge(struct pace_tick *t, const struct pace_snap_session *was,
	    const struct pace_snap_session *is);
int	pace_tick_add(struct pace_snap_session *v, const struct pace_tick *t);
void	pace_tick_figures(struct pace_snap_session *v, const struct pace_tick *t);

/* What a session was and what it is. */
struct pace_change {
	const struct pace_snap_session *was;
	struct pace_snap_session *is;
	bool		fresh;			/* it was not known before */
	const struct pace_tick *tick, *last;	/* of this line, NULL: none; the one before */
};

/* The events that come of it. */
void	pace_change_tell(struct pace_snap *s, const struct pace_change *c);
/* Of a stream that a capture sees. */
void	pace_flow_tell(struct pace_snap *s, const struct pace_change *c);

#endif
