/*
 * totals.h - a responder's counts since its start, in one struct.
 *
 * Purpose    the single source of the counts in log, status and metrics, with their names in
 *            each.
 * Numbers    never decrease, unless the member's comment says that it may.
 * Threads    none: a copy.
 */
#ifndef PACE_LIVE_TOTALS_H
#define PACE_LIVE_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "doc/field.h"
#include "server/responder.h"

/* The reason of a refusal: the codes of udpace-protocol(7). */
enum pace_refused { PACE_REFUSED_BUSY, PACE_REFUSED_CLOSING, PACE_REFUSED_COOKIE,
	PACE_REFUSED_FULL, PACE_REFUSED_KEY, PACE_REFUSED_MEMORY, PACE_REFUSED_POLICY,
	PACE_REFUSED_RECORDS, PACE_REFUSED_REQUEST, PACE_REFUSED_SESSION, PACE_REFUSED_STAMP,
	PACE_REFUSED_OTHER, PACE_REFUSED_KINDS };

const char	*pace_refused_name(enum pace_refused r);
enum pace_refused	pace_refused_of(const char *code);

struct pace_totals {
	int64_t		started_ns, now_ns;	/* probe clock */
	int64_t		started_wall_ns;
	uint64_t	active, light;		/* open sessions; the light ones of them; may decrease */
	struct pace_tally tally;		/* its lost may decrease */
	/* counters, all uint64_t, because differences are taken word by word: */
	struct pace_responder_counts at_port;	/* of the listener */
	uint64_t	refused[PACE_REFUSED_KINDS];
	uint64_t	opened, closed;		/* clients' sessions */
	uint64_t	streams, round_trips, tcp;	/* runs that began, */
	uint64_t	complete, abandoned;	/* and that ended */
	uint64_t	lost_socket, lost_late, lost_elsewhere;	/* of ended streams */
	uint64_t	events_lost;		/* events that could not be logged */
	/* current values: */
	int64_t		lease_ns;		/* time until the lease ends without renewal; 0:
						 * free */
	uint64_t	lease_number;		/* session with the lease; 0: none, or not known */
};

/* A count as a metric; label NULL: none.  The rows of a metric stand together. */
struct pace_total {
	size_t		at;
	const char	*metric, *label, *help;
};

extern const struct pace_total pace_total_counts[];
extern const size_t pace_total_counts_n;

uint64_t	pace_totals_refused(const struct pace_totals *t);	/* all reasons */
uint64_t	pace_total_count(const struct pace_totals *t, size_t i);

/* The listener's counts, with their names in each output and their place in the struct. */
struct pace_port_count {
	const char	*name, *help;
	const char	*words;	/* in the log line about datagrams without a session; NULL: not
				 * in it */
	size_t		at;	/* in struct pace_responder_counts */
	int		hostile;	/* an ordinary client does not increase it */
	bool		optional;	/* a summary in the log omits it while it is 0 */
};

extern const struct pace_port_count pace_port_counts[];
extern const size_t pace_port_counts_n;

uint64_t	pace_port_count(const struct pace_responder_counts *c, size_t i);

/*
 * Add the counts of n boards, except those of sessions up to the number in counted, which
 * are already in the sums.  The caller keeps `last` between calls: if a board is being
 * written all the time, its previous copy is used, so that no sum decreases.
 */
void	pace_totals_add_boards(struct pace_totals *t, struct pace_stats_page *boards,
	    struct pace_session_stats *last, const uint64_t *counted, size_t n);

/* The difference of two copies of the totals; members that may decrease have their value in
 * `now`. */
struct pace_totals	pace_totals_since(const struct pace_totals *now,
			    const struct pace_totals *then);

/* Fields for reading: those that a monitor shows; other members stay unchanged. */
extern const struct pace_fields pace_totals_fields;
extern const struct pace_fields pace_seen_totals_fields;	/* for a capture; when read, as
								 * above */

#endif
