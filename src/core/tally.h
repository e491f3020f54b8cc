/*
 * tally.h - the counts of frames in a run, a session or a stream, in one table.
 *
 * Purpose    one struct for counting, reporting, adding and displaying.  Each count has a
 *            row in the table: its name in documents, its metric, and whether a capture
 *            knows it.
 * Direction  a frame that the responder sent counts in the members sent_* only; all others
 *            are of arrivals.
 * Layout     the struct has only 64-bit words, in the order of the table.
 * Bounds     counts saturate at 2^62 - 1; lost over many runs stays within +-2^61.
 * Units      frames, bytes.   Memory  none.   Threads  any.
 */
#ifndef PACE_CORE_TALLY_H
#define PACE_CORE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pace_tally {
	uint64_t	frames;		/* each once */
	uint64_t	bytes, wire_bytes;	/* of frames: UDP payload; on the wire */
	uint64_t	unnumbered;	/* frames without a number: their loss is not known */
	int64_t		lost;		/* as far as known */
	uint64_t	socket_drops;	/* the socket buffer was full; a piece of a train is one */
	uint64_t	socket_lost_likely, socket_lost_max;	/* frames lost there: the best
								 * estimate; at most */
	uint64_t	duplicates, reordered;
	uint64_t	late;		/* so late that they may be copies */
	uint64_t	foreign;	/* datagrams that are not frames of the run */
	uint64_t	corrupt;
	/* frames that arrived marked CE; with another DSCP, or ECN, than was sent */
	uint64_t	congestion_marks, dscp_changed, ecn_changed;
	uint64_t	round_trips;	/* requests answered */
	/* by the responder, of runs whose frames it sends; the last members, often 0 */
	uint64_t	sent_frames, sent_bytes, sent_wire_bytes;
	/* by the responder, over TCP connections: user data that it read; that it wrote; segments
	 * that it sent again */
	uint64_t	tcp_bytes, tcp_sent_bytes, tcp_retransmits;
};

#define PACE_TALLY_COUNTS	(sizeof(struct pace_tally) / sizeof(uint64_t))
#define PACE_LOST_MOST	(INT64_C(1) << 50)	/* limit when lost is read */

/* Whether a capture, which only watches, knows a count. */
enum pace_tally_seen { PACE_TALLY_ABSENT, PACE_TALLY_UNKNOWN, PACE_TALLY_KNOWN,
	PACE_TALLY_BY_NUMBER };		/* known for frames that have numbers */

struct pace_tally_count {
	const char	*name;
	enum pace_tally_seen seen;
	bool		always;		/* present in every document */
	const char	*metric, *unit, *help;	/* for a responder's totals; NULL: no metric */
};

extern const struct pace_tally_count pace_tally_counts[PACE_TALLY_COUNTS];

static inline uint64_t
pace_tally_get(const struct pace_tally *t, size_t i)
{
	return ((const uint64_t *)t)[i];
}

static inline void
pace_tally_set(struct pace_tally *t, size_t i, uint64_t n)
{
	((uint64_t *)t)[i] = n;
}

void	pace_tally_add(struct pace_tally *to, const struct pace_tally *t);

/* The counts from `then` to `now`.  lost may be below 0.  If another count fell, the
 * counting was restarted and the result is 0. */
struct pace_tally	pace_tally_since(const struct pace_tally *now,
	    const struct pace_tally *then);

/* One n-th of the counts; rest: what n - 1 such parts leave over. */
struct pace_tally	pace_tally_part(const struct pace_tally *all, uint64_t n, bool rest);

static inline uint64_t
pace_tally_lost(const struct pace_tally *t)
{
	return t->lost > 0 ? (uint64_t)t->lost : 0;
}

/* Frames of both directions. */
static inline uint64_t
pace_tally_moved(const struct pace_tally *t)
{
	return t->frames + t->sent_frames;
}

/* User data of TCP, both directions. */
static inline uint64_t
pace_tally_tcp(const struct pace_tally *t)
{
	return t->tcp_bytes + t->tcp_sent_bytes;
}

/* True if frames were sent and none was expected: nothing is known of loss and order. */
static inline bool
pace_tally_only_sent(const struct pace_tally *t)
{
	return t->sent_frames > 0 && t->frames == 0 && t->lost == 0;
}

/* Lost frames divided by expected frames, 0 to 1; NAN if none were expected. */
double	pace_tally_loss(const struct pace_tally *t);

#endif
