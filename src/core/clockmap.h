/*
 * clockmap.h - turn kernel stamps (CLOCK_REALTIME) into probe-clock times.
 *
 * Purpose    the kernel stamps frames with the wall clock, which NTP slews
 *            and steps; paired readings of both clocks undo that.
 * Method     piecewise-linear between the last two pairs; a stamp outside
 *            them is carried on with the same slope, held within 600 ppm of
 *            1 (two readings 10 µs apart are wrong by far more than that).
 *            The map is continuous where pairs meet, so no gap is torn.
 *            After a step, or when not both clocks went forward between
 *            the pairs, only the newest pair counts, with slope 1.
 * Step       the offset moved by more than 1 µs + 600 ppm of the time
 *            between two pairs (NTP slews by at most 500 ppm).
 * Units      ns, within +-2^62.   Memory  fixed.   Threads  none.
 */
#ifndef PACE_CLOCKMAP_H
#define PACE_CLOCKMAP_H

#include <stdint.h>

struct pace_clockmap {
	int64_t		real0, raw0;	/* the pair before the last */
	int64_t		real1, raw1;	/* the last pair */
	uint64_t	pairs;
	uint64_t	steps;		/* how often the wall clock jumped */
	int64_t		stepped_ns;	/* sum of the jumps, signed */
};

void	pace_clockmap_reset(struct pace_clockmap *m);
void	pace_clockmap_pair(struct pace_clockmap *m, int64_t real_ns, int64_t raw_ns);
/* Probe-clock time of a wall-clock stamp.  Needs one pair. */
int64_t	pace_clockmap_raw(const struct pace_clockmap *m, int64_t real_ns);

#endif
