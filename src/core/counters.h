/*
 * counters.h - one host's counters before and after a point.
 *
 * Purpose    a reading of the counters, and the difference of two readings: cores,
 *            interfaces, protocol counters, the probe's own thread.
 * Known      has_ flags: a counter that this host does not have is not 0.  A
 *            difference leaves out a core or an interface that was not there
 *            all the time, and an interface with a counter that went back.
 *            The kernel's counts of cores have 32 bits and wrap.  A sum that
 *            lacks a core or an interface is not known.
 * Scope      cores and softnet count the whole machine, all others the network
 *            namespace.  They bound what happened to a stream; none of them
 *            counts the stream alone.
 * Units      times in ns; the names give the others.
 * Memory     three arrays, which plat/ and doc/ allocate.  The owner frees them
 *            with pace_counters_free.
 * Source     proc(5), Documentation/networking/statistics.rst of the kernel.
 */
#ifndef PACE_CORE_COUNTERS_H
#define PACE_CORE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/energy.h"

enum pace_cpu {
	PACE_CPU_USER, PACE_CPU_NICE, PACE_CPU_SYSTEM, PACE_CPU_IDLE, PACE_CPU_IOWAIT,
	PACE_CPU_IRQ, PACE_CPU_SOFTIRQ, PACE_CPU_STEAL, PACE_CPUS
};

enum pace_core_count {
	PACE_CORE_INTERRUPTS, PACE_CORE_NET_RX, PACE_CORE_NET_TX,
	PACE_CORE_SOFTNET_FRAMES, PACE_CORE_SOFTNET_DROPPED, PACE_CORE_SOFTNET_SQUEEZED,
	PACE_CORE_COUNTS
};

struct pace_core_use {
	uint32_t	core;
	uint64_t	ns[PACE_CPUS];
	uint64_t	n[PACE_CORE_COUNTS];
};

enum pace_if_count {
	PACE_IF_RX_BYTES, PACE_IF_RX_FRAMES, PACE_IF_RX_ERRORS, PACE_IF_RX_DROPPED,
	PACE_IF_RX_FIFO, PACE_IF_RX_FRAME_ERRORS,
	PACE_IF_TX_BYTES, PACE_IF_TX_FRAMES, PACE_IF_TX_ERRORS, PACE_IF_TX_DROPPED,
	PACE_IF_TX_FIFO, PACE_IF_TX_CARRIER, PACE_IF_COUNTS
};

struct pace_if_use {
	char		name[16];
	bool		route;		/* frames of the session go through it, or through what
					 * lies on it */
	uint64_t	n[PACE_IF_COUNTS];
	bool		has_qdisc;
	uint64_t	qdisc_drops;
};

/* A driver's counter, by the driver's name; a difference has only those that changed. */
struct pace_if_stat {
	uint32_t	interface;	/* which of the interfaces */
	char		name[32];
	uint64_t	n;
};

enum pace_snmp {
	PACE_IP_IN_RECEIVES, PACE_IP_IN_HDR_ERRORS, PACE_IP_IN_ADDR_ERRORS, PACE_IP_FORWARDED,
	PACE_IP_IN_DISCARDS, PACE_IP_IN_DELIVERS, PACE_IP_OUT_REQUESTS, PACE_IP_OUT_DISCARDS,
	PACE_IP_OUT_NO_ROUTES, PACE_IP_REASM_REQDS, PACE_IP_REASM_OKS, PACE_IP_REASM_FAILS,
	PACE_IP_FRAG_FAILS, PACE_IP_FRAG_CREATES,
	PACE_UDP_IN_DATAGRAMS, PACE_UDP_NO_PORTS, PACE_UDP_IN_ERRORS, PACE_UDP_OUT_DATAGRAMS,
	PACE_UDP_RCVBUF_ERRORS, PACE_UDP_SNDBUF_ERRORS, PACE_UDP_IN_CSUM_ERRORS,
	PACE_UDP_MEM_ERRORS,
	PACE_SNMPS
};

/* Stands for the interfaces that a host does not list; no interface can have this name. */
#define PACE_OTHERS	"the others"

/* Before or after a stream. */
enum pace_side { PACE_BEFORE, PACE_AFTER };

struct pace_counters {
	bool		known;		/* else nothing was read */
	int64_t		at_ns;		/* probe clock; of a difference its length */
	struct { uint64_t user_ns, system_ns, voluntary, involuntary; } thread;
	uint32_t	cores, interfaces, stats;
	struct pace_core_use *core;
	struct pace_if_use *interface;
	struct pace_if_stat *stat;
	struct pace_core_use all;	/* sums over the cores; only in a difference */
	bool		has_cpu, has_core[PACE_CORE_COUNTS];
	bool		route_left;	/* an interface of the route is not in the difference */
	/* [0] IPv4, [1] IPv6 */
	bool		has_snmp[2][PACE_SNMPS];
	uint64_t	snmp[2][PACE_SNMPS];
	struct pace_energy energy;
};

/* Names in the result document: "user", "interrupts", "rx_bytes"; protocol counters
 * have the kernel's names.  ipv6: the names of snmp6. */
const char	*pace_cpu_name(enum pace_cpu c);
const char	*pace_core_count_name(enum pace_core_count c);
const char	*pace_if_count_name(enum pace_if_count c);
const char	*pace_snmp_name(enum pace_snmp c, bool ipv6);

/* Idempotent. */
static inline void
pace_counters_free(struct pace_counters *c)
{
	free(c->core);
	free(c->interface);
	free(c->stat);
	memset(c, 0, sizeof(*c));
}

/* Replace *now by the difference from *then to *now. */
void	pace_counters_since(struct pace_counters *now, const struct pace_counters *then);

/* Frames that arrived and that the interface lost. */
uint64_t	pace_if_rx_lost(const struct pace_if_use *u);

/* Upper bounds of the frames that this host dropped, by location, from its counters.
 * The kernel counts a train that it handles in one piece as one. */
struct pace_host_drops {
	bool		has_nic, has_softnet, has_ip, has_ingress, has_qdisc;
	uint64_t	rx_nic, rx_softnet, rx_ip, rx_ingress, tx_qdisc, tx_nic;
	/* the likely part of each bound: drivers report one drop in two counters,
	 * and other interfaces drop frames of other traffic */
	uint64_t	rx_nic_likely, tx_nic_likely, rx_ingress_likely;
};

void	pace_counters_drops(const struct pace_counters *c, bool ipv6,
	    struct pace_host_drops *d);

/* Frames that the session's interface counted, including other traffic; false: not
 * known.  If interfaces are stacked, the lowest one is used: the largest figure. */
bool	pace_counters_seen(const struct pace_counters *c, uint64_t *rx, uint64_t *tx);

#endif
