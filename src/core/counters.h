/*
 * counters.h - what one host counted around one point.
 *
 * Purpose    the shape of a reading, and the difference of two: cores,
 *            interfaces, protocol counters, the probe's own thread.
 * Known      has_ flags: a counter that this host does not have is not 0.  A
 *            core or an interface is left out of a difference when it was not
 *            there all the time; an interface also when a counter of it went
 *            back.  Counts of cores have 32 bits in the kernel and wrap.  What a
 *            sum over those that are left cannot tell is then not known.
 * Whose      cores and softnet count the whole machine, the rest the network
 *            namespace: all of it bounds what happened to a stream, nothing
 *            of it is the stream's alone.
 * Units      ns of time, else as the names say.
 * Memory     three arrays, filled by plat/ and doc/; core neither allocates nor
 *            frees: pace_counters_free is for who has filled them.
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
	bool		route;		/* frames of the session go through it, or through what lies on it */
	uint64_t	n[PACE_IF_COUNTS];
	bool		has_qdisc;
	uint64_t	qdisc_drops;
};

/* A counter of a driver, by its own name; in a difference only what changed. */
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

/* The interfaces that a host does not tell one by one; no interface can be called so. */
#define PACE_OTHERS	"the others"

/* Of a stream. */
enum pace_side { PACE_BEFORE, PACE_AFTER };

struct pace_counters {
	bool		known;		/* else nothing was read */
	int64_t		at_ns;		/* probe clock; of a difference its length */
	struct { uint64_t user_ns, system_ns, voluntary, involuntary; } thread;
	uint32_t	cores, interfaces, stats;
	struct pace_core_use *core;
	struct pace_if_use *interface;
	struct pace_if_stat *stat;
	struct pace_core_use all;	/* sums over the cores; of a difference */
	bool		has_cpu, has_core[PACE_CORE_COUNTS];
	bool		route_left;	/* an interface of the route is not in the difference */
	/* [0] of IPv4, [1] of IPv6 */
	bool		has_snmp[2][PACE_SNMPS];
	uint64_t	snmp[2][PACE_SNMPS];
	struct pace_energy energy;
};

/* What documents call them: "user", "interrupts", "rx_bytes", and the kernel's
 * own names of the protocol's counters; ipv6: those of snmp6. */
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

/* *now becomes what happened since *then. */
void	pace_counters_since(struct pace_counters *now, const struct pace_counters *then);

/* What may have died at a place of this host, as far as its counters tell: upper
 * bounds, in what the kernel counts (a train that goes through in one piece is
 * one). */
struct pace_host_drops {
	bool		has_nic, has_softnet, has_ip, has_ingress, has_qdisc;
	uint64_t	rx_nic, rx_softnet, rx_ip, rx_ingress, tx_qdisc, tx_nic;
	/* of the bounds, what is believed: drivers tell the same twice, other
	 * interfaces have frames of their own */
	uint64_t	rx_nic_likely, tx_nic_likely, rx_ingress_likely;
};

void	pace_counters_drops(const struct pace_counters *c, bool ipv6,
	    struct pace_host_drops *d);

/* Frames that the session's interface counted, of all traffic; false: not known.
 * Of interfaces on top of each other the lowest one counts: the largest figure. */
bool	pace_counters_seen(const struct pace_counters *c, uint64_t *rx, uint64_t *tx);

#endif
