/*
 * host_counters.h - a host's counters between the wire and a socket, for reports.
 *
 * Purpose    a board between the thread that reads the host's counters and the sessions
 *            that report them, which have no time to read them.
 * Wanted     counters are read only for PACE_HOST_COUNTERS_WANT_NS after a request.
 * Counts     of the whole host since its start, as in live/host_sample.h.
 * Units      frames; ns of the probe clock.
 * Threads    one writer, any number of readers; no thread waits.
 */
#ifndef PACE_PROTO_HOST_COUNTERS_H
#define PACE_PROTO_HOST_COUNTERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/counters.h"

#define PACE_HOST_COUNTERS_NS		INT64_C(950000000)	/* from one reading to the next */
#define PACE_HOST_COUNTERS_WANT_NS	INT64_C(65000000000)

enum pace_host_counter { PACE_SUM_NIC, PACE_SUM_NIC_LOST, PACE_SUM_BACKLOG_LOST, PACE_SUM_SQUEEZED,
	PACE_SUM_IP_LOST, PACE_SUM_UDP, PACE_SUM_NO_PORT, PACE_SUM_BUFFER_FULL, PACE_SUM_CHECKSUM,
	PACE_SUM_IP, PACE_SUM_UNDELIVERED,	/* reached IP but no layer above it */
	PACE_HOST_COUNTERS_REPORTED,
	PACE_SUM_SOFTNET = PACE_HOST_COUNTERS_REPORTED, PACE_SUM_IP_DELIVERED,	/* not reported */
	PACE_HOST_COUNTERS };

struct pace_host_counters {
	int64_t		at_ns;		/* 0: no reading */
	uint64_t	has;		/* bit i: n[i] is known */
	uint64_t	n[PACE_HOST_COUNTERS];
};

#define PACE_HOST_COUNTERS_WORDS	(sizeof(struct pace_host_counters) / 8)

struct pace_host_counters_board {		/* initially all zero */
	_Atomic int64_t	wanted_ns;	/* wanted until then */
	_Atomic uint64_t edition;	/* odd while it is written */
	_Atomic uint64_t word[PACE_HOST_COUNTERS_WORDS];
};

static inline bool
pace_host_counters_has(const struct pace_host_counters *s, enum pace_host_counter i)
{
	return (s->has >> i & 1) != 0;
}

/* Return the counter's name in JSON: "nic_received". */
const char	*pace_host_counter_name(enum pace_host_counter s);

void	pace_host_counters_of(struct pace_host_counters *s, const struct pace_counters *c);

/* Replace *now by its increase since *then; keeps only counters known in both. */
void	pace_host_counters_since(struct pace_host_counters *now,
	    const struct pace_host_counters *then);

void	pace_host_counters_want(struct pace_host_counters_board *b, int64_t now_ns);
bool	pace_host_counters_wanted(struct pace_host_counters_board *b, int64_t now_ns);
void	pace_host_counters_post(struct pace_host_counters_board *b,
	    const struct pace_host_counters *s);
/* Copy the board.  False: it is empty, or no consistent copy was possible. */
bool	pace_host_counters_read(struct pace_host_counters_board *b, struct pace_host_counters *s);

#endif
