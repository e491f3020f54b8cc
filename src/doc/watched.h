/*
 * watched.h - the figures of a watched path: what became of its frames, its delays, its clock.
 *
 * Counts     sent = received + lost + in_flight + unreported.  refused frames were not sent.  lost
 *            can go down as late frames arrive, and be below 0 for an interval.
 * Unreported frames of a session that died: after its last report nobody counted them.
 * Exchanges  lost_there and lost_back are those of the timeouts whose direction is known: a
 *            responder reports how many requests it answered, a STAMP reflector may count them.
 *            replies_reordered arrived after the reply to a later request.
 * Delays     total, rtt, up and down are of the exchanges, one-way delays by the estimate of the
 *            clock that covers them; above is of the frames, above the lowest delay of the last 5
 *            to 10 minutes.  up_error and down_error are of two exchanges in succession: the gap
 *            at the end of the way minus that at its beginning, without its sign.
 * STAMP      each frame is an exchange, received if its reply came; above is of round trips.
 * Units      ns, bytes, frames.   Memory  about 14 KiB in the struct.   Threads  none.
 */
#ifndef PACE_DOC_WATCHED_H
#define PACE_DOC_WATCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/coarse_hist.h"
#include "doc/field.h"
#include "doc/stamp_result.h"

enum pace_watch_state {
	PACE_WATCH_DOWN,	/* no session: it is tried again and again */
	PACE_WATCH_OPENING,
	PACE_WATCH_UP,		/* the stream runs, and the far end answers */
	PACE_WATCH_ENDED,
	PACE_WATCH_STATES
};
extern const char *const pace_watch_state_names[PACE_WATCH_STATES];

/* All 64-bit words, in the order of the table in watched.c. */
struct pace_watch_counts {
	int64_t		from_ns, to_ns;	/* since the watch began */
	int64_t		up_ns;		/* of that time: with answers of the far end */
	uint64_t	sent, refused, skipped;
	uint64_t	received;
	int64_t		lost;
	uint64_t	in_flight, unreported;
	uint64_t	socket_lost_max;
	uint64_t	duplicates, reordered, late, foreign;
	uint64_t	congestion_marks, dscp_changed;
	uint64_t	exchanges, timeouts;
	uint64_t	sessions;
	int64_t		lost_there, lost_back;	/* of the exchanges */
	uint64_t	replies_reordered;
};

/* The counts from `then` to `now`; in_flight is that of now. */
struct pace_watch_counts	pace_watch_counts_since(const struct pace_watch_counts *now,
			    const struct pace_watch_counts *then);

/* Add what was counted before; from_ns, to_ns and in_flight stay. */
struct pace_watched;
void	pace_watched_add(struct pace_watched *w, const struct pace_watched *before);

/* Lost frames / frames whose fate is known, 0 to 1; NAN: none is known. */
double	pace_watch_loss(const struct pace_watch_counts *c);

/* The exchanges in a time. */
struct pace_watch_delays {
	uint64_t	n;
	int64_t		min_ns, max_ns, sum_ns;
};

struct pace_watched {
	char		name[256], address[64];
	uint16_t	port;
	uint32_t	size_bytes;
	int64_t		spacing_ns;
	enum pace_watch_state state;
	char		why[192];	/* of the last failure; "": none */
	struct pace_watch_counts counts;
	/* of all exchanges and all frames */
	struct pace_coarse_hist_list total, rtt, up, down, up_error, down_error, departure, gap, above;
	/* the newest estimate; known: there is one */
	bool		clock_known;
	int64_t		offset_ns;
	double		skew_ppm, skew_error_ppm, uncertainty_ns, bound_ns;
	bool		by_stamp;
	struct pace_stamp_result stamp;	/* of the newest session */
};

/* Those of an interval: of the exchanges that were finished in it. */
struct pace_watch_exchanges {
	struct pace_watch_delays total, rtt, up, down;
};

/* A path in one interval. */
struct pace_watch_span {
	char		name[256];
	enum pace_watch_state state;
	char		why[192];
	struct pace_watch_counts counts;
	struct pace_watch_exchanges of;
	bool		clock_known;
	int64_t		offset_ns;
	double		bound_ns;
};

json_t	*pace_watch_span_to_json(const struct pace_watch_span *s);

extern const struct pace_fields pace_watch_span_fields, pace_watched_fields, pace_watch_counts_fields,
    pace_watch_distribution_fields;

json_t	*pace_watched_to_json(const struct pace_watched *w);
/* 0; -EPROTO. */
int	pace_watched_from_json(struct pace_watched *w, const json_t *o);

#endif
