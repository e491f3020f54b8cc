/*
 * nic.h - let network devices stamp frames.
 *
 * Purpose    find the device of an address, make it stamp every frame in both
 *            directions, read its clock beside the system's, and restore its setting.
 * Setting    applies to the whole device and all its users.  The first caller that
 *            needs stamps changes it, if necessary; the last one to drop the device
 *            restores it, at the latest at exit().  If another program has changed it
 *            meanwhile, it stays as it is.
 * Refused    without any change, as far as this can be checked first: no such stamps,
 *            no clock, filters for PTP only, no permission (CAP_NET_ADMIN, and to
 *            read /dev/ptpN), or a setting that could not be restored.
 * Clock      the device's (PHC): any epoch, any rate near 1.  It is read several times
 *            between readings of CLOCK_REALTIME; the closest readings are used.
 * Errors     -errno; err names device and reason.
 * Memory     one allocation a device.   Threads  any.
 * Source     linux/net_tstamp.h, linux/ptp_clock.h.
 */
#ifndef PACE_PLAT_NIC_H
#define PACE_PLAT_NIC_H

#include <stdint.h>

#include "core/err.h"
#include "core/io.h"

struct ethtool_ts_info;
struct ptp_sys_offset_extended;
struct pace_nic;

/* Make the device with this address stamp; release *n with pace_nic_drop. */
int	pace_nic_take(struct pace_nic **n, const struct pace_addr *local,
	    struct pace_err *err);
/* NULL is accepted. */
void	pace_nic_drop(struct pace_nic *n);

/* Read both clocks at one moment, or -errno. */
int	pace_nic_read(const struct pace_nic *n, int64_t *phc_ns, int64_t *wall_ns);

/* --- without any device --- */

/* The reason why a device with these capabilities cannot stamp; NULL: it can. */
const char	*pace_nic_lacks(const struct ethtool_ts_info *info);

/* The index of the reading between the two closest system readings, the first among equals;
 * -1: none. */
int	pace_nic_shortest(const struct ptp_sys_offset_extended *x);

#endif
