/*
 * counters.h - read what a host counts: /proc, drivers, queue disciplines.
 *
 * Purpose    fills struct pace_counters, before and after a point.
 * Cost       some ms on large hosts: never while frames are sent.
 * Absent     what is not there or makes no sense is not told.
 * Memory     three arrays, released by pace_counters_free; what *c held before
 *            is released first, so it must be zeroed or read already.
 * Threads    any; the thread that reads is the one whose time is told.
 */
#ifndef PACE_PLAT_COUNTERS_H
#define PACE_PLAT_COUNTERS_H

#include "core/counters.h"
#include "core/io.h"
#include "plat/energy.h"

/* Where to look, and which interfaces the session's frames take. */
struct pace_counting {
	const char	*root;
	struct pace_meter *meter;	/* NULL: no energy */
	bool		hide;		/* for a stranger: only the route, no addresses in names */
	char		route[16];	/* "": not known */
};

/* side: an interface is read before IP, or after it, so that a frame that passes between
 * the two readings is IP's only if it is the interface's. */
void	pace_counters_read(struct pace_counters *c, const struct pace_counting *how,
	    enum pace_side side);

/* What is quick to read, for who looks while frames come: time of the cores, softnet, IP
 * and UDP, and the interfaces' common counters.  No interrupts, drivers, queues, energy. */
void	pace_counters_host_sample(struct pace_counters *c, const char *root);

/* CPU time of this process so far. */
void	pace_counters_process(uint64_t *user_ns, uint64_t *system_ns);

/* Energy alone, and when: quick. */
int64_t	pace_counters_energy(struct pace_energy *e, const struct pace_counting *how);

/* The interface that frames to this peer leave by, as the kernel routes them; local: our
 * own address, which tells where the route does not.  "": not known. */
void	pace_route_to(const struct pace_addr *peer, const struct pace_addr *local,
	    const char *root, char name[16]);

/* Drops of queue disciplines by the number of the interface: how many there are,
 * at most `most`, or -errno. */
struct pace_qdisc_drops { int index; bool root; uint64_t drops; };
int	pace_qdisc_read(struct pace_qdisc_drops *v, int most);

#endif
