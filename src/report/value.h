/*
 * value.h - numbers of a stream by name, for figures against spacing or size.
 *
 * Units      bit/s; loss and locations as ratios of the frames sent; core time of the
 *            core that was idle least, in per cent of the time from the stream's first
 *            to its last departure; counters per second of that time.
 * Absent     NAN.  Core time and interrupts are also absent if the stream lasted less
 *            than a tenth of the time that the host counted, which includes the wait for
 *            late frames.
 */
#ifndef PACE_REPORT_VALUE_H
#define PACE_REPORT_VALUE_H

#include "report/axis.h"
#include "report/report_data.h"

enum pace_value {
	PACE_RECEIVED_WIRE, PACE_RECEIVED_USER, PACE_SENT_WIRE, PACE_SENT_USER,
	PACE_LOSS, PACE_REORDERED,	/* a ratio; frames */
	/* lost in the network, or in the hosts, per cent of the frames sent: likely, at
	 * least, at most */
	PACE_LOST_NETWORK, PACE_LOST_NETWORK_LOW, PACE_LOST_NETWORK_HIGH,
	PACE_LOST_HOSTS, PACE_LOST_HOSTS_LOW, PACE_LOST_HOSTS_HIGH,
	/* busy: all but idle and iowait; irq counts as softirq, nice as user */
	PACE_RX_SOFTIRQ, PACE_RX_SYSTEM, PACE_RX_USER, PACE_RX_BUSY,
	PACE_TX_SOFTIRQ, PACE_TX_SYSTEM, PACE_TX_USER, PACE_TX_BUSY,
	/* counters of the receiver, of both hosts, of the sender */
	PACE_RX_INTERRUPTS, PACE_RX_SQUEEZED, PACE_RX_NIC_DROPS, PACE_PAUSES, PACE_TX_INTERRUPTS
};

double	pace_value(const struct pace_stream_point *l, enum pace_value v);

/* Return the rate of user data in an interval, bit/s; 0: nothing arrived; NAN: not known. */
struct pace_interval;
double	pace_value_interval_bps(const struct pace_stream_point *l, const struct pace_interval *o);

/* Return the largest value of all streams; 0: nothing to show. */
double	pace_value_largest(const struct pace_run *r, enum pace_value v);

/* Return one unit for all rates of a run and of the run it is compared with. */
struct pace_axis_unit	pace_value_rate_unit(const struct pace_run *r);

/* Return whether a stream has the core time of a host. */
bool	pace_value_has_cores(const struct pace_run *r);

#endif
