/*
 * trace.h - the records of a run, reduced to what a picture can show.
 *
 * Purpose    10^6 frames in at most PACE_TRACE_BINS bins: lowest, middle, 99th
 *            percentile and highest value of each, and what was lost in it.
 * Frames     each number once: copies, and what is too old to be told from
 *            one, are left out.
 * Losses     numbers in holes, less those that came late, and those behind the
 *            highest (not when room for records ran out: nothing is
 *            known of them).  Numbers in a hole left as if evenly between
 *            the frames on its sides.
 * Delay      arrival - departure - theta(departure); the clock's relation
 *            not being known, arrival - departure, and then only its
 *            variation means something.
 * Expected   arrival on the sender's clock (as far as known), less that of the first
 *            record carried on by the spacing asked for.
 * By time    delay and loss by departure, received bytes by arrival on
 *            the sender's clock; from the first record's.
 * Units      ns; doubles: differences of times of a forged file may be huge.
 * Memory     malloced, about 16 bytes a record while it works.
 * Trust      records are data of any value.
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
	uint64_t	n;		/* frames with a value; 0: the four are NAN */
	double		min, p50, p99, max;
	uint64_t	lost;
	uint64_t	arrived;	/* frames; by time only */
};

struct pace_trace {
	double		width;		/* of a bin: numbers, or ns */
	double		from, to;	/* of all bins */
	size_t		bins;		/* 0: there was nothing */
	uint64_t	frames, lost;	/* in all of them */
	double		lowest, highest;	/* of all values; NAN: none */
	double		p50, p99, p999;	/* of all values; NAN: none, or too few */
	struct pace_trace_bin *v;
};

enum pace_trace_what { PACE_TRACE_DELAY, PACE_TRACE_EXPECTED };

/* By frame number.  Expected: of a run with a spacing. */
int	pace_trace_by_number(struct pace_trace *t, const struct pace_record_run *run,
	    enum pace_trace_what what);

/* Delay by time, in bins of about a given number; their width is 1, 2 or 5 times a power
 * of ten ns. */
int	pace_trace_by_time(struct pace_trace *t, const struct pace_record_run *run,
	    size_t wanted);

/* First departure to last arrival, ns, as far as records go; 0 when there are none. */
double	pace_trace_duration(const struct pace_record_run *run);

/* Idempotent. */
void	pace_trace_free(struct pace_trace *t);

#endif
