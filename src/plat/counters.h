/*
 * counters.h - read a host's counters: /proc, drivers, queue disciplines.
 *
 * Purpose    fills struct pace_counters, before and after a point.
 * Cost       some ms on large hosts: never while frames are sent.
 * Absent     a counter that is missing or makes no sense is left out.
 * Memory     three arrays, released by pace_counters_free.  *c must be zeroed or hold a
 *            reading, which is released first.
 * Threads    any; the reading has the CPU time of the calling thread.
 */
#ifndef PACE_PLAT_COUNTERS_H
#define PACE_PLAT_COUNTERS_H

#include "core/counters.h"
#include "core/io.h"
#include "plat/energy.h"

/* How to read, and the interface of the session's frames. */
struct pace_counting {
	const char	*root;
	struct pace_meter *meter;	/* NULL: no energy */
	bool		hide;		/* for an unknown client: only the route's interface, no
					 * addresses in names */
	char		route[16];	/* "": not known */
};

/* side: the order in which interface and IP counters are read, chosen so that a frame that
 * passes between the two readings never counts for IP alone. */
void	pace_counters_read(struct pace_counters *c, const struct pace_counting *how,
	    enum pace_side side);

/* Read only quick counters, for use while frames arrive: CPU time of the cores, softnet, IP
 * and UDP, and the interfaces' common counters.  No interrupts, drivers, queues, energy. */
void	pace_counters_host_sample(struct pace_counters *c, const char *root);

/* Read only IP and UDP counters into *c, without allocation. */
void	pace_counters_snmp(struct pace_counters *c, const char *root);

/* CPU time of this process so far. */
void	pace_counters_process(uint64_t *user_ns, uint64_t *system_ns);

/* Read only the energy, quickly; returns the time of the reading. */
int64_t	pace_counters_energy(struct pace_energy *e, const struct pace_counting *how);

/* The interface of the kernel's route to this peer; local: our own address, used if the route
 * does not give one.  "": not known. */
void	pace_route_to(const struct pace_addr *peer, const struct pace_addr *local,
	    const char *root, char name[16]);

/* Read the drops of queue disciplines by interface index; returns their number, at most
 * `most`, or -errno. */
struct pace_qdisc_drops { int index; bool root; uint64_t drops; };
int	pace_qdisc_read(struct pace_qdisc_drops *v, int most);

#endif
