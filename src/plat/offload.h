/*
 * offload.h - device features that spoil arrival stamps.
 *
 * Purpose    with rx-udp-gro-forwarding or rx-gro-list on, a device delivers
 *            several datagrams with one stamp even to a socket that did not
 *            request it; arrival gaps then show the device's batches.
 * Source     ethtool's feature ioctls (linux/ethtool.h).
 */
#ifndef PACE_PLAT_OFFLOAD_H
#define PACE_PLAT_OFFLOAD_H

#include <stddef.h>

/* List the devices of this network namespace with such a feature on: "eth0 rx-gro-list, eth1
 * ..."; "": none, or none can be read. */
void	pace_offload_spoilers(char *buf, size_t size);

#endif
