/*
 * nic.h - devices that stamp frames themselves, while somebody wants them to.
 *
 * Purpose    find the device of an address, have it stamp every frame both
 *            ways, read its clock beside the system's, and leave it as it was.
 * Setting    one for the whole device, of all who use it.  It is changed when the
 *            first one here wants stamps and it does not give them yet, and put
 *            back when the last one drops it, at the latest by exit(); not where
 *            somebody else has changed it meanwhile.
 * Refused    before anything is changed, where that can be seen: no such stamps,
 *            no clock, filters for PTP only, no permission (CAP_NET_ADMIN, and to
 *            read /dev/ptpN), a setting that could not be put back.
 * Clock      of the device (PHC): any epoch, any rate near 1; several readings
 *            between two of CLOCK_REALTIME, the one with the least between them.
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

/* The device with this address stamps from now on: *n, dropped by pace_nic_drop. */
int	pace_nic_take(struct pace_nic **n, const struct pace_addr *local,
	    struct pace_err *err);
/* NULL is accepted. */
void	pace_nic_drop(struct pace_nic *n);

/* Both clocks at one moment, or -errno. */
int	pace_nic_read(const struct pace_nic *n, int64_t *phc_ns, int64_t *wall_ns);

/* --- without any device --- */

/* What one that says this lacks, in words; NULL: nothing. */
const char	*pace_nic_lacks(const struct ethtool_ts_info *info);

/* Which of the readings lies between the closest two of the system; the first of
 * equals; -1: none. */
int	pace_nic_shortest(const struct ptp_sys_offset_extended *x);

#endif
