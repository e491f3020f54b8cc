/*
 * clockmap.h - turn kernel stamps (CLOCK_REALTIME) into probe-clock times.
 *
 * Purpose    the kernel stamps frames with the wall clock, and NTP slews and
 *            steps that clock.  Paired readings of both clocks remove this.
 * Method     linear interpolation between pairs.  The map keeps the last
 *            PACE_CLOCKMAP_PAIRS pairs that are PACE_CLOCKMAP_KEEP_NS apart; a
 *            closer pair replaces the newest.  A stamp that is read late then
 *            lies between two pairs.  Outside the pairs the map extrapolates
 *            with the slope of the newest 20 ms, limited to 600 ppm from 1.
 *            Readings less than 2 ms apart give no slope: their error is far
 *            above any slew.  The map is continuous, so it distorts no gap.
 *            After a step, or if a clock did not advance between two pairs,
 *            only the newest pair is used, with slope 1.
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
	int64_t		real_s, raw_s;	/* the pair at which the rate was last checked */
	double		rate;		/* the rate found there, minus 1 */
	bool		has_rate;
};

void	pace_clockmap_reset(struct pace_clockmap *m);
void	pace_clockmap_pair(struct pace_clockmap *m, int64_t real_ns, int64_t raw_ns);
/* Probe-clock time of a wall-clock stamp.  Needs one pair. */
int64_t	pace_clockmap_raw(const struct pace_clockmap *m, int64_t real_ns);

#endif
