/*
 * host.h - the facts of a host that affect a measurement.
 *
 * Absent     "", 0, or a fact whose has is false.
 * Trust      no names and no addresses, because a responder sends these facts to
 *            clients that it does not know.
 * Units      the kernel's; a fact's name gives its unit.
 */
#ifndef PACE_CORE_HOST_H
#define PACE_CORE_HOST_H

#include <stdbool.h>
#include <stdint.h>

enum pace_fact {
	/* of the host */
	PACE_FACT_STEAL_PPM,		/* part of the cores' time since the boot */
	PACE_FACT_TIMER_SLACK_NS,	/* of the thread that waits */
	PACE_FACT_REALTIME,		/* 1: runs under SCHED_FIFO or SCHED_RR */
	PACE_FACT_BUFFERS_FORCED,	/* 1: this process may exceed the buffer limits */
	/* sysctl */
	PACE_FACT_RMEM_MAX, PACE_FACT_RMEM_DEFAULT, PACE_FACT_WMEM_MAX, PACE_FACT_WMEM_DEFAULT,
	PACE_FACT_BACKLOG, PACE_FACT_BUDGET, PACE_FACT_BUDGET_USECS, PACE_FACT_RT_RUNTIME_US,
	/* of the interface towards the peer */
	PACE_FACT_SPEED_MBPS, PACE_FACT_MTU, PACE_FACT_TXQUEUELEN,
	PACE_FACT_RX_RING, PACE_FACT_RX_RING_MAX, PACE_FACT_TX_RING, PACE_FACT_TX_RING_MAX,
	PACE_FACT_RX_USECS, PACE_FACT_RX_FRAMES, PACE_FACT_ADAPTIVE_RX, PACE_FACT_QUEUES,
	PACE_FACT_GRO, PACE_FACT_LRO, PACE_FACT_GRO_FORWARDING, PACE_FACT_GRO_LIST,
	PACE_FACT_NIC_STAMPS,		/* 1: it stamps every frame both ways */
	PACE_FACT_PACKET_ENGINE,	/* of a client, at an Ethernet interface; 1: it may use
					 * --engine packet */
	PACE_FACTS
};

/* Values outside this range make no sense and are dropped; -1: no limit. */
#define PACE_FACT_LEAST	(-1)
#define PACE_FACT_MOST	INT64_C(1000000000000000)

/* A fact's group and name in the result document: { "sysctl", "net.core.rmem_max" };
 * group NULL: a member of the host itself. */
struct pace_fact_name { const char *group, *name; };
struct pace_fact_name	pace_fact_name(enum pace_fact f);

/* A queue of the interface: its interrupt, and the cores that may handle it. */
#define PACE_IRQS	64
struct pace_irq {
	uint32_t	irq;
	char		queue[32], cores[32];
};

struct pace_host {
	char	version[32];	/* of udpace */
	char	kernel[64], machine[32], cpu[96], clocksource[32];
	char	governor[32];	/* "mixed": the cores differ */
	char	virt[32];	/* "no", or the hypervisor: "KVM" */
	int	cores;
	char	stamp_spoilers[128];	/* devices whose offloads blur arrival stamps */
	char	interface[16], driver[32];
	char	numa_cores[64];	/* of the interface's NUMA node */
	bool	has[PACE_FACTS];
	int64_t	fact[PACE_FACTS];
	int	irqs;		/* at most PACE_IRQS */
	bool	more_irqs;	/* the interface has more */
	struct pace_irq irq[PACE_IRQS];
};

static inline bool
pace_host_knows(const struct pace_host *h, enum pace_fact f, int64_t *v)
{
	*v = h->fact[f];
	return h->has[f];
}

/* Does the host report any facts? */
static inline bool
pace_host_tells(const struct pace_host *h)
{
	return h->kernel[0] != '\0' || h->cores > 0;
}

/* Is this core in a list in the kernel's form, "0-3,8"? */
bool	pace_cores_hold(const char *list, int core);

#endif
