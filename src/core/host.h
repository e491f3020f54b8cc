/*
 * host.h - what one host says of itself: what bears on a measurement.
 *
 * Absent     "", 0, or a fact that is not known (has).
 * Trust      no names, no addresses: a responder tells these to strangers.
 * Units      of facts: as the kernel has them, in the names where there is one.
 */
#ifndef PACE_CORE_HOST_H
#define PACE_CORE_HOST_H

#include <stdbool.h>
#include <stdint.h>

enum pace_fact {
	/* of the host */
	PACE_FACT_STEAL_PPM,		/* of the cores' time since the start */
	PACE_FACT_TIMER_SLACK_NS,	/* of the thread that waits */
	PACE_FACT_REALTIME,		/* 1: under SCHED_FIFO or SCHED_RR */
	PACE_FACT_BUFFERS_FORCED,	/* 1: this process may exceed the limits of buffers */
	/* sysctl */
	PACE_FACT_RMEM_MAX, PACE_FACT_RMEM_DEFAULT, PACE_FACT_WMEM_MAX, PACE_FACT_WMEM_DEFAULT,
	PACE_FACT_BACKLOG, PACE_FACT_BUDGET, PACE_FACT_BUDGET_USECS, PACE_FACT_RT_RUNTIME_US,
	/* of the interface towards the peer */
	PACE_FACT_SPEED_MBPS, PACE_FACT_MTU, PACE_FACT_TXQUEUELEN,
	PACE_FACT_RX_RING, PACE_FACT_RX_RING_MAX, PACE_FACT_TX_RING, PACE_FACT_TX_RING_MAX,
	PACE_FACT_RX_USECS, PACE_FACT_RX_FRAMES, PACE_FACT_ADAPTIVE_RX, PACE_FACT_QUEUES,
	PACE_FACT_GRO, PACE_FACT_LRO, PACE_FACT_GRO_FORWARDING, PACE_FACT_GRO_LIST,
	PACE_FACT_NIC_STAMPS,		/* 1: it stamps every frame both ways */
	PACE_FACTS
};

/* What is beyond makes no sense, and is not told; -1: no limit. */
#define PACE_FACT_LEAST	(-1)
#define PACE_FACT_MOST	INT64_C(1000000000000000)

/* Where documents have it, and by what name: { "sysctl", "net.core.rmem_max" };
 * group NULL: of the host itself. */
struct pace_fact_name { const char *group, *name; };
struct pace_fact_name	pace_fact_name(enum pace_fact f);

/* A queue of the interface: its interrupt, and the cores that may take it. */
#define PACE_IRQS	64
struct pace_irq {
	uint32_t	irq;
	char		queue[32], cores[32];
};

struct pace_host {
	char	version[32];	/* udpace's */
	char	kernel[64], machine[32], cpu[96], clocksource[32];
	char	governor[32];	/* "mixed": not the same for all cores */
	char	virt[32];	/* "no", or by whom: "KVM" */
	int	cores;
	char	stamp_spoilers[128];	/* devices whose offloads blur arrival stamps */
	char	interface[16], driver[32];
	bool	has[PACE_FACTS];
	int64_t	fact[PACE_FACTS];
	int	irqs;		/* the first PACE_IRQS of them */
	bool	more_irqs;	/* there are others */
	struct pace_irq irq[PACE_IRQS];
};

static inline bool
pace_host_knows(const struct pace_host *h, enum pace_fact f, int64_t *v)
{
	*v = h->fact[f];
	return h->has[f];
}

/* Does it say anything of itself? */
static inline bool
pace_host_tells(const struct pace_host *h)
{
	return h->kernel[0] != '\0' || h->cores > 0;
}

/* Is this core in a list as the kernel writes it, "0-3,8"? */
bool	pace_cores_hold(const char *list, int core);

#endif
