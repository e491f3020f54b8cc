/*
 * clockmap.h - turn kernel stamps (CLOCK_REALTIME) into probe-clock times.
 *
 * Purpose    the kernel stamps frames with the wall clock, which NTP slews
 *            and steps; paired readings of both clocks undo that.
 * Method     piecewise-linear between pairs, the last PACE_CLOCKMAP_PAIRS of
 *            them at least PACE_CLOCKMAP_KEEP_NS apart (closer ones replace
 *            the newest): a stamp that comes back late lies between two.
 *            Outside them it is carried on with the slope of the newest 20 ms,
 *            held within 600 ppm of 1; two readings less than 2 ms apart give
 *            no slope: their error is far above any slew.  The map is
 *            continuous where pairs meet, so no gap is torn.
 *            After a step, or when not both clocks went forward between
 *            the pairs, only the newest pair counts, with slope 1.
 * Step       the offset moved by more than 1 µs + 600 ppm of the time
 *            between two pairs (NTP slews by at most 500 ppm).
 * Slew       the rate over a second or more differs from the one before by
 *            more than 1 ppm (two readings are wrong by 0.05 ppm of it).
 * Units      ns, within +-2^62.   Memory  fixed.   Threads  none.
 */
#ifndef PACE_CORE_CLOCKMAP_H
#define PACE_CORE_CLOCKMAP_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_CLOCKMAP_PAIRS	64
#define PACE_CLOCKMAP_KEEP_NS	INT64_C(5000000)

struct pace_clockmap {
	int64_t		real1, raw1;	/* the last pair */
	uint64_t	pairs;
	uint64_t	steps;		/* how often the wall clock jumped */
	int64_t		stepped_ns;	/* sum of the jumps, signed */
	uint64_t	slews;		/* how often its rate changed */
	/* private */
	int		n;		/* pairs kept since the last step; the newest is the last */
	struct { int64_t real, raw; } kept[PACE_CLOCKMAP_PAIRS];
	int64_t		real_s, raw_s;	/* where the rate was last looked at */
	double		rate;		/* since the one before, as its difference from 1 */
	bool		has_rate;
};

void	pace_clockmap_reset(struct pace_clockmap *m);
void	pace_clockmap_pair(struct pace_clockmap *m, int64_t real_ns, int64_t raw_ns);
/* Probe-clock time of a wall-clock stamp.  Needs one pair. */
int64_t	pace_clockmap_raw(const struct pace_clockmap *m, int64_t real_ns);

#endif
