/*
 * delay.h - one-way delay and its variation, as frames arrive.
 *
 * Purpose    histograms of delay in bounded memory, although the relation of
 *            the two clocks is known only at the end.
 * Raw delay  arrival (our clock) - departure (the sender's clock): true delay
 *            plus theta, the offset of the clocks, which moves by up to tens
 *            of µs a second.
 * Early      the first PACE_DELAY_EARLY frames are kept as they are and
 *            placed at the end, exactly: a slow start is no reference.
 * Windows    of the rest; in each, values are binned against a straight
 *            reference: the lowest raw delay so far, carried on at the rate known
 *            now.  A window
 *            is left by the first departure window_ns or more behind the one
 *            that began it.  A reordered frame is put in the window of its
 *            departure if that is the current or the one before, else in
 *            the current.
 * Merging    when PACE_DELAY_WINDOWS are used up, neighbours are merged and
 *            the windows are twice as long from then on.  Each reference
 *            turns about its window's middle to the rate now known; of the
 *            then parallel two the lower stays, and the other's values are
 *            moved onto it.  So a rate that was not yet known does no harm
 *            beyond the short windows of its time.
 * Error      in a bin: 0.4 % of the distance from the reference, and as much
 *            again each time its values were moved (at most once for every
 *            merging, log2 of the run / 64 ms); stats move exactly, to a ns of
 *            rounding each time.
 *            Besides: |error of the rate when binned| x half the window then
 *            + |error of the rate when merged| x half the window since.
 * End        theta is given; every window is moved by what its reference is
 *            off at its middle.  Without theta only variation is known: theta
 *            is replaced by a line at the rate last known, whose error x the
 *            run is then in pdv.  A step of theta is seen at the middle of a
 *            window only.
 * IPDV       of frames that were sent one after the other and both arrived,
 *            in whatever order (RFC 3393, RFC 5481); each pair once, pairs
 *            with a hole never.  A pair is missed if a frame whose number
 *            is a multiple of PACE_DELAY_RING away came between the two.
 *            Of the clocks' rate only rate x spacing is in it, as in jitter.
 * PDV        delay - the lowest delay of the run (RFC 5481), never below 0.
 * Jitter     RFC 3550 A.8, arrival order: 1/16 running mean of |change of the
 *            raw delay|, kept times 16.
 * Scheduled  delay from the moment the frame was due to leave, what an
 *            application would see: delay + how late it left; of frames that
 *            told.
 * Units      ns.   Memory  fixed, 2.4 MiB in the struct, all of it touched by
 *            start; no allocation.   Threads  none.
 * Cost       the same for every frame, but where a window begins (136 KiB are
 *            cleared) and where windows are merged (a few 100 µs).
 * Trust      departures come off the network: any value is accepted, and
 *            wrong ones spoil only these histograms.  A raw delay further
 *            than PACE_DELAY_MAX_NS from the first one is not recorded and
 *            counted in absurd.  The first frame may be the wrong one: as
 *            long as it is alone, the next that does not agree takes its place
 *            (and it is counted), so the run begins where two that arrive one
 *            after the other agree.  Where departures and theta together make
 *            a delay beyond PACE_DELAY_FAR_NS, theta is taken as not known.
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
#define PACE_DELAY_FAR_NS	(INT64_C(1) << 61)	/* 73 years: of no clocks, and no document has it */

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
	int		n;		/* windows used */
	int64_t		first_raw_ns;
	struct pace_delay_frame early[PACE_DELAY_EARLY];	/* in no window */
	int64_t		last_raw_ns;	/* of the frame that came before */
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
};

/* rate: our clock's gain on the sender's, as far as known (the raw delay rises
 * by so much a ns); 0 when nothing is.  One beyond +-1e-3 is ignored. */
void	pace_delay_start(struct pace_delay *d, double rate);

/* Better known now; used from the next window on, and for merging. */
void	pace_delay_rate(struct pace_delay *d, double rate);

#define PACE_DELAY_UNSCHEDULED	UINT32_MAX

/* A frame that arrived for the first time: copies are the caller's to leave
 * out.  late_ns: how long after it was due it left, PACE_DELAY_UNSCHEDULED: not
 * told. */
void	pace_delay_add(struct pace_delay *d, uint64_t seq, int64_t tx_ns, int64_t rx_ns,
	    uint32_t late_ns);

/* By how much the delay of the frame added last, which left at tx_ns, is above the
 * lowest of the run so far, by the rate now known.  False: there is none.  Quick,
 * once there are PACE_DELAY_EARLY frames. */
bool	pace_delay_above(const struct pace_delay *d, int64_t tx_ns, int64_t *above_ns);

/* theta: our clock - the sender's, by the sender's time; NULL or of no segment:
 * not known, as where it makes no sense; absolute is false then and owd and scheduled are empty.  What d has is
 * left as it is: more frames may follow. */
void	pace_delay_finish(const struct pace_delay *d, const struct pace_clock_estimate *theta,
	    struct pace_delays *out);

#endif
