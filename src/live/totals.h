/*
 * totals.h - what a responder did since its start, in one struct.
 *
 * Purpose    the one place that logs, status and metrics take their counts from,
 *            each with its names.
 * Numbers    never fall, unless the field says so.
 * Threads    none: a copy.
 */
#ifndef PACE_LIVE_TOTALS_H
#define PACE_LIVE_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "doc/js.h"
#include "server/responder.h"

/* Why a request was refused: the codes of udpace-protocol(7). */
enum pace_refused { PACE_REFUSED_BUSY, PACE_REFUSED_CLOSING, PACE_REFUSED_COOKIE,
	PACE_REFUSED_FULL, PACE_REFUSED_KEY, PACE_REFUSED_MEMORY, PACE_REFUSED_POLICY,
	PACE_REFUSED_RECORDS, PACE_REFUSED_REQUEST, PACE_REFUSED_SESSION, PACE_REFUSED_STAMP,
	PACE_REFUSED_OTHER, PACE_REFUSED_KINDS };

const char	*pace_refused_name(enum pace_refused r);
enum pace_refused	pace_refused_of(const char *code);

struct pace_totals {
	int64_t		started_ns, now_ns;	/* probe clock */
	int64_t		started_wall_ns;
	uint64_t	active;			/* falls */
	struct pace_tally tally;		/* its lost falls */
	/* what only grows: words, as differences are taken */
	struct pace_responder_counts at_port;	/* of the listener */
	uint64_t	refused[PACE_REFUSED_KINDS];
	uint64_t	opened, closed;		/* client lives */
	uint64_t	streams, round_trips;	/* runs that began */
	uint64_t	complete, abandoned;	/* and ended */
	uint64_t	lost_socket, lost_late, lost_elsewhere;	/* of streams that ended */
	uint64_t	events_lost;		/* that were to be logged */
	/* now */
	int64_t		lease_ns;		/* until the lease is free by itself; 0: it is */
	uint64_t	lease_number;		/* session; 0: nobody's, or not known */
};

/* A count of them: its name in JSON, and its metric; label NULL: none.  Rows of one metric
 * follow one another. */
struct pace_total {
	const char	*name;
	bool		lost;		/* where frames of ended streams were lost: an object of them */
	size_t		at;
	const char	*metric, *label, *help;
};

extern const struct pace_total pace_total_counts[];
extern const size_t pace_total_counts_n;

uint64_t	pace_totals_refused(const struct pace_totals *t);	/* for whatever reason */
uint64_t	pace_total_count(const struct pace_totals *t, size_t i);

/* The counts of the listener: what each is called, and where. */
struct pace_port_count {
	const char	*name, *help;
	const char	*words;	/* of the line about what belongs to no session; NULL: not there */
	size_t		at;	/* in struct pace_responder_counts */
	int		hostile;	/* an ordinary client does not make it rise */
};

extern const struct pace_port_count pace_port_counts[];
extern const size_t pace_port_counts_n;

uint64_t	pace_port_count(const struct pace_responder_counts *c, size_t i);

/*
 * Add what stands on n boards, but for sessions up to the number in counted: they are in
 * the sums.  last is kept by the caller from one time to the next: of a board that is being
 * written all the while it has the copy before, so that no sum falls.
 */
void	pace_totals_add_boards(struct pace_totals *t, struct pace_stats_page *boards,
	    struct pace_session_stats *last, const uint64_t *counted, size_t n);

/* Of two copies of the totals, what came between; fields that may fall are now's. */
struct pace_totals	pace_totals_since(const struct pace_totals *now,
			    const struct pace_totals *then);

/* Members of an object; read: those that a monitor shows, the rest is 0. */
void	pace_totals_put(struct pace_jw *w, const struct pace_totals *t);
void	pace_totals_read(struct pace_totals *t, const json_t *o);

#endif
