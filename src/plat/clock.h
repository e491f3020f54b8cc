/*
 * clock.h - the probe clock, its relation to the wall clock, and waiting.
 *
 * Purpose    CLOCK_MONOTONIC_RAW is the probe clock: no NTP slew, no step.
 *            Kernel stamps are CLOCK_REALTIME; paired readings relate them.
 * Units      ns.   Threads  any.
 */
#ifndef PACE_PLAT_CLOCK_H
#define PACE_PLAT_CLOCK_H

#include <signal.h>
#include <stdint.h>

#include "core/io.h"

int64_t	pace_clock_raw(void);
int64_t	pace_clock_wall(void);

/* Read both clocks at one moment: the closest of five interleaved readings. */
void	pace_clock_pair(int64_t *real_ns, int64_t *raw_ns);

/* The kernel's state of the wall clock. */
void	pace_clock_state(struct pace_clock_state *s);

/*
 * Measure how long before a deadline a thread must stop sleeping and start to spin:
 * the p99 of this thread's wake-up lateness, limited to 60 .. 300 µs.  Takes about
 * 20 ms; also sets the thread's timer slack to 1 ns.
 */
int64_t	pace_clock_guard(void);

/* Set only the timer slack, for threads that sleep and never spin. */
void	pace_clock_no_slack(void);

/*
 * Sleep until guard_ns before t_ns, then spin (guard_ns 0: only sleep).
 * Returns the clock's reading at or after t_ns; earlier only if *stop becomes true
 * (stop may be NULL).  Interruptions of the spin are added to st (may be NULL).
 */
int64_t	pace_clock_wait_until(int64_t t_ns, int64_t guard_ns,
	    struct pace_stalls *st, const volatile sig_atomic_t *stop);

/* Print a wall-clock time as RFC 3339 UTC with nanoseconds: at most 40 bytes. */
void	pace_clock_rfc3339(int64_t wall_ns, char *buf, size_t size);

#endif
