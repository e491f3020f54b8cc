/*
 * delay.h - one-way delay and its variation, as frames arrive.
 *
 * Purpose    histograms of delay in bounded memory, although the offset between
 *            the two clocks is known only at the end.
 * Raw delay  arrival (our clock) - departure (the sender's clock): the true delay
 *            plus theta, the offset of the clocks, which drifts by up to tens
 *            of µs a second.
 * Early      the first PACE_DELAY_EARLY frames are stored one by one and binned
 *            at the end, because a slow start makes a bad reference.
 * Windows    hold all later frames.  Each window bins values against a straight
 *            reference: the lowest raw delay so far, extended at the rate known
 *            now.  A new window begins at the first departure that is window_ns
 *            or more after the current window's first.  A reordered frame is
 *            binned in the window of its departure if that is the current or the
 *            previous one, otherwise in the current one.
 * Merging    when all PACE_DELAY_WINDOWS are used, neighbours are merged, and
 *            later windows are twice as long.  Each reference is first rotated
 *            about its window's middle to the rate known now.  The lower of the
 *            two parallel references is kept, and the other's values are shifted
 *            to it.  A wrong early rate therefore affects only the short windows
 *            of its time.
 * Error      of a value: 0.4 % of its distance from the reference when binned,
 *            and the same again for each shift (one a merging at most, log2 of
 *            the run / 64 ms mergings).  The stats shift exactly, but for a ns of
 *            rounding each time.  Errors of the rate add |error when binned| x
 *            half the window's length + |error when merged| x half the merged
 *            window's length.  That is at most a sixteenth of the run so far: a
 *            caller that finds the rate again whenever the run is twice as long
 *            keeps it small, as the rate's error shrinks with the length.
 * End        the caller gives theta, and each window is shifted by the error of
 *            its reference at the window's middle.  Without theta only variation
 *            is known: a line of the last known rate replaces theta, and pdv then
 *            includes this line's rate error x the run.  A step of theta takes
 *            effect at the middle of a window.
 * IPDV       for each two frames that were sent in succession and both arrived,
 *            in any order (RFC 3393, RFC 5481): each pair once, none across a
 *            lost frame.  A pair is missed if a frame whose number differs by a
 *            multiple of PACE_DELAY_RING arrives between the two.  The clocks'
 *            skew adds only skew x spacing, as in jitter.
 * PDV        delay - the lowest delay of the run (RFC 5481), never below 0.
 * Jitter     RFC 3550 A.8, in arrival order: 1/16 running mean of |change of the
 *            raw delay|, stored times 16.
 * Scheduled  delay from the scheduled send time, as an application sees it: delay
 *            + the frame's lateness, for frames that carry their lateness.
 * Units      ns.   Memory  fixed, 2.4 MiB in the struct, all of it touched by
 *            start; no allocation.   Threads  none.
 * Cost       constant per frame, except when a window begins (136 KiB are
 *            cleared) and when windows are merged (a few 100 µs).
 * Trust      departures come off the network: any value is accepted, and
 *            wrong ones spoil only these histograms.  A raw delay further
 *            than PACE_DELAY_MAX_NS from the first one is counted in absurd and
 *            not recorded.  The first frame itself may be wrong: while it is the
 *            only one, a second frame that disagrees replaces it, and the first
 *            is counted in absurd.  The run thus begins with two successive
 *            arrivals that agree.  If departures and theta give a delay beyond
 *            PACE_DELAY_FAR_NS, theta counts as not known.
 * Invariant  frames + absurd = calls of add;  pdv.n = frames = owd.n if
 *            absolute.
 */
#ifndef PACE_CORE_DELAY_H
#define PACE_CORE_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clockfit.h"
#include "core/hist.h"

#define PACE_DELAY_WINDOWS	16
#define PACE_DELAY_WINDOW_NS	INT64_C(4000000)	/* the first ones: a stall spoils no more */
#define PACE_DELAY_EARLY	1024
#define PACE_DELAY_RING		4096	/* a power of two */
#define PACE_DELAY_MAX_NS	(INT64_C(1) << 39)	/* 9 min */
/* 73 years: no two clocks differ by this, and no document holds it */
#define PACE_DELAY_FAR_NS	(INT64_C(1) << 61)

/* Private.  Every raw_ns is relative to the first frame's, first_raw_ns: small
 * whatever the clocks show. */
struct pace_delay_window {
	int64_t		t_ns, raw_ns;	/* reference: raw_ns at departure t_ns, moving at rate */
	double		rate;
	int64_t		first_ns, last_ns;	/* departures: that began it; the latest */
	struct pace_hist owd, sched;	/* of value - reference */
};

struct pace_delay_frame {
	uint64_t	seq;
	int64_t		tx_ns, raw_ns;
	uint32_t	late_ns;
};

struct pace_delay {
	uint64_t	frames, absurd;
	/* private */
	double		rate;		/* for the next window */
	int64_t		window_ns;	/* length of one, of departures */
	int		n, most;	/* windows used; of these */
	int64_t		first_raw_ns;
	struct pace_delay_frame early[PACE_DELAY_EARLY];	/* in no window */
	int64_t		last_raw_ns;	/* the previous arrival's */
	uint64_t	jitter16, jitter16_max;	/* ns x 16 */
	struct { uint64_t seq; int64_t raw_ns; } ring[PACE_DELAY_RING];	/* seq + 1; 0: empty */
	struct pace_hist ipdv;
	struct pace_delay_window w[PACE_DELAY_WINDOWS];
};

/* The figures of a run. */
struct pace_delays {
	bool		absolute;	/* owd, scheduled are known */
	uint64_t	absurd;
	struct pace_hist owd, scheduled, pdv, ipdv;
	double		jitter_ns, jitter_max_ns;	/* last, highest; 0 below two frames */
	int64_t		low_ns;		/* the lowest delay, above pace_delay_zero */
};

/* rate: skew of our clock against the sender's, the rise of the raw delay per ns; 0
 * when not known.  A rate beyond +-1e-3 is ignored. */
void	pace_delay_start(struct pace_delay *d, double rate);

/* Use half the windows, for less memory; after start. */
void	pace_delay_lean(struct pace_delay *d);

/* Set a better rate; it applies to later windows and to merging. */
void	pace_delay_rate(struct pace_delay *d, double rate);

#define PACE_DELAY_UNSCHEDULED	UINT32_MAX

/* Record a frame.  The caller leaves out duplicates.  late_ns: the time from the
 * scheduled to the actual departure; PACE_DELAY_UNSCHEDULED: not known. */
void	pace_delay_add(struct pace_delay *d, uint64_t seq, int64_t tx_ns, int64_t rx_ns,
	    uint32_t late_ns);

/* The delay of the last frame added, which left at tx_ns, minus the lowest delay of
 * the run so far, at the rate known now.  False: no frame was recorded.  Quick after
 * PACE_DELAY_EARLY frames. */
bool	pace_delay_above(const struct pace_delay *d, int64_t tx_ns, int64_t *above_ns);

/* Compute the figures.  theta: our clock - the sender's, at the sender's time.  If
 * theta is NULL, has no segment or is impossible, absolute is false and owd and
 * scheduled are empty.  d does not change: more frames may follow. */
void	pace_delay_finish(const struct pace_delay *d, const struct pace_clock_estimate *theta,
	    struct pace_delays *out);

/* The raw delay that counts as 0, for a departure at t_ns: theta, or without it (NULL) the first
 * frame's raw delay, extended at the rate known now.  At least one frame was recorded. */
int64_t	pace_delay_zero(const struct pace_delay *d, const struct pace_clock_estimate *theta,
	    int64_t t_ns);

#endif
