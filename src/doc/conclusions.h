/*
 * conclusions.h - conclusions from the points of a run, or of all runs of a campaign.
 *
 * Purpose    one judgement for the terminal and the report: highest rate without loss, RTT,
 *            one-way delay with its error, loss locations, and doubts about these.
 *            The spacing is judged by what left the host (departures.h).
 * Rule       only measured figures: NAN, 0 points or no doubt means "not known".
 * Trials     of a search for capacity are not counted as points; its result is.
 * Rates      of user data, sent and received, and received on the wire.  Repetitions of a
 *            point (same size, spacing, code point
 *            and number of streams) count as one point: it has loss if
 *            any of them has, and the lowest of their rates.
 * Doubts     the notes that flag.h regards as doubts, in the order found: the first one of
 *            each code, with the number of points that have it.
 * Memory     grows by 72 bytes per point; pace_conclusions_free.   Threads  none.
 */
#ifndef PACE_DOC_CONCLUSIONS_H
#define PACE_DOC_CONCLUSIONS_H

#include "core/err.h"
#include "doc/latency.h"
#include "doc/result.h"
#include "doc/tcp.h"

/* The facts used of a point. */
struct pace_point_facts {
	const struct pace_params *ask;
	const struct pace_ledger *ledger;
	const struct pace_clock *clock;
	bool		has_rx, degraded, interrupted;
	double		sent_bps, user_bps, wire_bps;	/* user data sent, received; 0: not known */
	uint64_t	received, lost;		/* unique frames; valid if has_rx */
	double		owd_min_ns, owd_p50_ns;	/* NAN: not known, or only relative */
	double		departed_near;		/* departures.h's share; NAN: not known */
	const struct pace_note *note;
	int		notes;
};

void	pace_point_facts(struct pace_point_facts *f, const struct pace_point *p);

/* A point, or all repetitions of one. */
struct pace_rated {
	uint32_t	size_bytes, dscp, streams;
	uint64_t	spacing;	/* 32.32 ns, 0: as fast as possible */
	double		sent_bps, user_bps, wire_bps;
	uint64_t	received, lost;
	const char	*where;		/* as in pace_conclusions */
	enum pace_direction direction;
};

/* Round-trip times of one size. */
struct pace_tripped {
	uint32_t	size_bytes;
	double		min_ns, p50_ns;
	double		there_ns, back_ns;	/* medians of one-way delays; NAN: not known */
	double		error_ns, bound_ns;	/* of these, as below */
};

/* Result of a search for capacity. */
struct pace_searched {
	uint32_t	size_bytes;
	double		user_bps, wire_bps;	/* 0: no rate found */
	char		limit[16];		/* "path", ""; as in documents */
	const char	*where;
	enum pace_direction direction;
};
/* What TCP achieved at most in a direction. */
struct pace_achieved {
	double		goodput_bps;	/* 0: nothing was measured */
	uint32_t	streams;
	enum pace_tcp_limit limit;
	const char	*where;
};
#define PACE_SEARCHES	99		/* the most steps of a campaign */

struct pace_doubt {
	struct pace_note note;
	size_t		points;
};

struct pace_conclusions {
	const char	*where;		/* step being added; NULL: there is only one run */
	size_t		points, answered;	/* streams; those with the responder's part */
	size_t		degraded, interrupted, lossy;	/* of streams and latency points */
	size_t		failed_points, skipped;	/* points without a result */
	size_t		unmeasured;		/* steps without a document */
	size_t		unread;			/* documents that are damaged */
	uint64_t	received, lost, refused;
	struct pace_share place[PACE_PLACES];	/* sums; known: at all points */
	/* by direction: */
	size_t		ways[PACE_DIRECTIONS];	/* of answered */
	uint64_t	lost_way[PACE_DIRECTIONS];	/* of lost */
	struct pace_rated clean[PACE_DIRECTIONS];	/* highest rate without loss; user_bps 0:
							 * none */
	struct pace_rated failed[PACE_DIRECTIONS];	/* lowest rate sent with loss; sent_bps 0:
							 * none */
	size_t		departed;		/* points with an estimate of departures */
	double		departed_low, departed_high;	/* their shares, 0 to 1 */
	uint64_t	departed_spacing;	/* of the lowest share */
	double		rtt_ns;			/* shortest, without residence */
	size_t		clocks, delays;		/* points with related clocks; with a delay */
	double		owd_min_ns, owd_p50_low_ns, owd_p50_high_ns;
	/* largest error of the points with a delay: for symmetric minimum delays; in any case */
	double		owd_error_ns, owd_bound_ns;
	size_t		trips, answered_trips;	/* latency points; those with replies */
	uint64_t	requests, timeouts;
	struct pace_tripped smallest, largest;	/* sizes with replies */
	size_t		searches;
	struct pace_searched search[PACE_SEARCHES];
	size_t		tcp_points;
	struct pace_achieved tcp[PACE_DIRECTIONS];
	int		doubts;
	struct pace_doubt doubt[PACE_NOTES];
	struct { size_t n, room; struct pace_rated *v; bool failed; } rated;	/* own */
};

void	pace_conclusions_begin(struct pace_conclusions *c);
void	pace_conclusions_add(struct pace_conclusions *c, const struct pace_point_facts *f);
void	pace_conclusions_add_trips(struct pace_conclusions *c, const struct pace_latency *p);
/* Add the document of step c->where; capacity: it is the result of a search.  -ENOENT: no such
 * file; other errors as in result_read.h.  After an error the points already read count. */
int	pace_conclusions_read(struct pace_conclusions *c, const char *path, bool capacity,
	    struct pace_err *err);
/* Compute clean and failed from all points; without memory they remain unknown. */
void	pace_conclusions_close(struct pace_conclusions *c);
/* Release the memory; a zeroed struct is accepted. */
void	pace_conclusions_free(struct pace_conclusions *c);

#endif
