/*
 * tcp.h - result of a TCP run, as structs.
 *
 * Purpose    what both ends measured, and the figures of each direction that follow.
 * Rate       goodput is user data that the receiver's program read, over the time from its first
 *            to its last byte.  A sender's rate is never a result: it may only fill a buffer.
 * Memory     pace_tcp_point_new; the ends and rows of both sides are the point's, until
 *            pace_tcp_point_free.
 * Trust      nothing is checked here; tcp_doc checks what it reads.
 */
#ifndef PACE_DOC_TCP_H
#define PACE_DOC_TCP_H

#include "core/tcp.h"
#include "core/tcp_limit.h"
#include "doc/result.h"

/* One direction. */
struct pace_tcp_way {
	bool		known;		/* the receiver's figures are there */
	struct pace_tcp_sums sums;
	uint64_t	acknowledged_bytes;
	enum pace_tcp_limit limit;
	double		udp_bps;	/* of another result: highest rate of user data without
					 * loss; 0: none */
	bool		udp_limit;	/* a higher rate lost frames there */
};

struct pace_tcp_point {
	struct pace_tcp_params ask;
	bool		interrupted;
	int64_t		started_wall_ns;	/* not in documents */
	char		started[40];	/* the same as RFC 3339, UTC; "": not known */
	struct pace_tcp_side ours, theirs;
	bool		has_theirs;	/* the responder's part came */
	struct pace_tcp_way way[2];	/* [0] up, [1] down */
	char		beside[128];	/* the file of this result of UDP; "": none */
	struct pace_counters client, responder;
	struct pace_notes notes;
};

/* NULL: no memory. */
struct pace_tcp_point	*pace_tcp_point_new(void);
void	pace_tcp_point_free(struct pace_tcp_point *p);	/* NULL is accepted */

/* Get memory for the ends of one direction, without rows.  -ENOMEM. */
int	pace_tcp_side_room(struct pace_tcp_side *s, bool down, uint32_t streams);
void	pace_tcp_side_free(struct pace_tcp_side *s, uint32_t streams);
/* Copy the figures of a run.  -ENOMEM; *to then has to be freed. */
int	pace_tcp_side_copy(struct pace_tcp_side *to, const struct pace_tcp_side *from,
	    uint32_t streams);

/* Return the side that sends in a direction, or receives; NULL: its figures are missing. */
const struct pace_tcp_side	*pace_tcp_sender(const struct pace_tcp_point *p, bool down);
const struct pace_tcp_side	*pace_tcp_receiver(const struct pace_tcp_point *p, bool down);

/* Return an end's goodput in bit/s; NAN: less than two bytes at two times. */
double	pace_tcp_goodput(const struct pace_tcp_end *receiver);

/* Return the window that a stream needs for its share of UDP's rate, in bytes; NAN: not known. */
double	pace_tcp_needs(const struct pace_tcp_point *p, bool down);

/* Are the ends of both sides possible together?  Of each connection, what arrived was written. */
bool	pace_tcp_agrees(const struct pace_tcp_point *p);

/* Compute the figures of both directions, and note what failed. */
void	pace_tcp_close(struct pace_tcp_point *p);

#endif
