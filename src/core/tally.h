/*
 * tally.h - what arrived: the counts of a run, a session or a stream, in one table.
 *
 * Purpose    one struct for all who count, tell, add up and show, and one row a count: its
 *            name in documents, its metric, and who knows it.
 * Layout     the struct is words of 64 bits alone, in the order of the table.
 * Bounds     counts saturate at 2^62 - 1, lost of many runs is within +-2^61.
 * Units      frames, bytes.   Memory  none.   Threads  any.
 */
#ifndef PACE_CORE_TALLY_H
#define PACE_CORE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pace_tally {
	uint64_t	frames;		/* each once */
	uint64_t	bytes, wire_bytes;	/* of those: UDP payload, line time */
	uint64_t	unnumbered;	/* of those: whether others are lost is not known */
	int64_t		lost;		/* as far as known */
	uint64_t	socket_drops;	/* by the kernel, for want of buffer; whole pieces as one */
	uint64_t	socket_likely, socket_high;	/* frames lost there: the best estimate; at most */
	uint64_t	duplicates, reordered;
	uint64_t	late;		/* so late that they may have been copies */
	uint64_t	foreign;	/* datagrams that are no frames of the run */
	uint64_t	corrupt;
	uint64_t	round_trips;	/* requests answered */
};

#define PACE_TALLY_COUNTS	(sizeof(struct pace_tally) / sizeof(uint64_t))
#define PACE_LOST_MOST	(INT64_C(1) << 50)	/* that is read */

/* How a capture, which only watches, tells a count. */
enum pace_tally_seen { PACE_TALLY_ABSENT, PACE_TALLY_UNKNOWN, PACE_TALLY_KNOWN,
	PACE_TALLY_BY_NUMBER };		/* known of frames that have numbers */

struct pace_tally_count {
	const char	*name;
	enum pace_tally_seen seen;
	bool		always;		/* nobody leaves it out */
	const char	*metric, *unit, *help;	/* of a responder's totals; NULL: there is none */
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

/* What came since then.  Lost may be below 0; other counts that fell are of another life:
 * nothing is known to have come. */
struct pace_tally	pace_tally_since(const struct pace_tally *now, const struct pace_tally *then);

/* The n-th part, or one with all that is left over by n - 1 of these. */
struct pace_tally	pace_tally_part(const struct pace_tally *all, uint64_t n, bool rest);

static inline uint64_t
pace_tally_lost(const struct pace_tally *t)
{
	return t->lost > 0 ? (uint64_t)t->lost : 0;
}

/* Lost of what should have come, 0 to 1; NAN of nothing. */
double	pace_tally_loss(const struct pace_tally *t);

#endif
