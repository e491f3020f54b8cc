/*
 * rx_intervals.h - the receiver's part of the intervals of a run, as frames arrive.
 *
 * Purpose    counts, gaps and delays of each interval (doc/intervals.h).
 * Quantiles  the two latest intervals have histograms.  An interval closes when the second
 *            one after it begins: p50 and p99 are then taken.  A frame that comes later counts
 *            in its interval, changes min and max, and is counted as unbinned.
 * Delays     of an interval are binned against its first delay, extended at the rate of the
 *            clocks that is known then; in the end the middle of the interval is moved to the
 *            line of the whole run, as in delay.h.
 * Memory     272 KiB and 232 bytes an interval, allocated by new; none per frame.
 * Cost       constant per frame; at the begin of an interval 136 KiB are read and cleared.
 * Threads    none.
 * Trust      numbers are below the run's limit; departure times come from the network and
 *            decide only about figures.
 */
#ifndef PACE_STREAM_RX_INTERVALS_H
#define PACE_STREAM_RX_INTERVALS_H

#include "core/delay.h"
#include "core/seq.h"
#include "doc/intervals.h"

struct pace_rx_intervals;

/* NULL: no intervals are requested, or no memory.  free accepts NULL. */
struct pace_rx_intervals	*pace_rx_intervals_new(const struct pace_params *a);
void	pace_rx_intervals_free(struct pace_rx_intervals *v);

/* Take a frame; further calls add to its interval.  kind: in order, reordered or duplicate. */
struct pace_hdr;
void	pace_rx_intervals_take(struct pace_rx_intervals *v, const struct pace_hdr *h,
	    int64_t rx_ns, enum pace_seq_kind kind);
void	pace_rx_intervals_gap(struct pace_rx_intervals *v, int64_t gap_ns);
void	pace_rx_intervals_delay(struct pace_rx_intervals *v, const struct pace_delay *d,
	    int64_t tx_ns, int64_t rx_ns);
void	pace_rx_intervals_drops(struct pace_rx_intervals *v, uint32_t drops);

/* The run is over; d and delays are its, theta as in pace_delay_finish. */
void	pace_rx_intervals_finish(struct pace_rx_intervals *v, const struct pace_delay *d,
	    const struct pace_delays *delays, const struct pace_clock_estimate *theta);

const struct pace_intervals	*pace_rx_intervals_result(const struct pace_rx_intervals *v);

#endif
