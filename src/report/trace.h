/*
 * trace.h - reduce the frame records of a run to the detail a picture can show.
 *
 * Purpose    show 10^6 frames in at most PACE_TRACE_BINS bins: minimum, median, 99th
 *            percentile and maximum of each bin, and its lost frames.
 * Frames     each number once, without duplicates and without frames too old to tell
 *            late from duplicate.
 * Losses     numbers in holes that never arrived, and those after the highest number
 *            (unless room for records ran out: later frames are then unknown).
 *            Numbers in a hole are placed evenly between the frames around it.
 * Delay      arrival - departure - theta(departure).  If theta is not known, arrival -
 *            departure: only its variation is meaningful.
 * Expected   arrival minus expected arrival, on the sender's clock if theta is known;
 *            expected: the first record's arrival plus a multiple of the requested spacing.
 * By time    delay and loss by departure, received bytes by arrival on
 *            the sender's clock; from the first record's departure.
 * Units      ns; doubles: differences of times in a forged file may be huge.
 * Memory     malloced, about 16 bytes a record while it works.
 * Trust      records are data with any value.
 * Errors     -ENOMEM.
 */
#ifndef PACE_REPORT_TRACE_H
#define PACE_REPORT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/record_file.h"

#define PACE_TRACE_BINS	2000

struct pace_trace_bin {
	double		x;		/* first number, or first ns, of the bin */
	uint64_t	n;		/* frames with a value; 0: the next four are NAN */
	double		min, p50, p99, max;
	uint64_t	lost;
	uint64_t	arrived;	/* frames; only by time */
};

struct pace_trace {
	double		width;		/* width of a bin: numbers, or ns */
	double		from, to;	/* range of all bins */
	size_t		bins;		/* 0: no data */
	uint64_t	frames, lost;	/* in all bins */
	double		lowest, highest;	/* of all values; NAN: none */
	double		p50, p99, p999;	/* of all values; NAN: none, or too few */
	struct pace_trace_bin *v;
};

enum pace_trace_what { PACE_TRACE_DELAY, PACE_TRACE_EXPECTED };

/* Reduce by frame number.  PACE_TRACE_EXPECTED needs a run with a spacing. */
int	pace_trace_by_number(struct pace_trace *t, const struct pace_record_run *run,
	    enum pace_trace_what what);

/* Reduce the delay by time, in about `wanted` bins; their width is 1, 2 or 5 times a power
 * of ten ns. */
int	pace_trace_by_time(struct pace_trace *t, const struct pace_record_run *run,
	    size_t wanted);

/* Return the time from the first departure to the last arrival in the records, ns; 0: no
 * records. */
double	pace_trace_duration(const struct pace_record_run *run);

/* Release the trace; may be called again. */
void	pace_trace_free(struct pace_trace *t);

#endif
