/*
 * ethtool.h - ask a driver about its device, by ioctl.
 *
 * Purpose    one place for the requests of ethtool(8); devices are named, in this
 *            network namespace.
 * Errors     -errno; -EOPNOTSUPP: the driver does not support the request.
 * Memory     the caller's.   Threads  any.
 * Source     linux/ethtool.h.
 */
#ifndef PACE_PLAT_ETHTOOL_H
#define PACE_PLAT_ETHTOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Call an ioctl for a device name: SIOCETHTOOL, SIOCSHWTSTAMP. */
int	pace_device_params(const char *device, unsigned long request, void *data);

/* request: a struct of linux/ethtool.h with its cmd set. */
int	pace_ethtool(const char *device, void *request);

/* Call for each feature (ethtool -k) with the kernel's name and whether it is on. */
void	pace_ethtool_features(const char *device,
	    void (*feature)(void *ctx, const char *name, bool on), void *ctx);

/* Call for each of the driver's counters (ethtool -S). */
void	pace_ethtool_stats(const char *device,
	    void (*stat)(void *ctx, const char *name, uint64_t n), void *ctx);

#endif
