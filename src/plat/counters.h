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
	char		route[16];	/* "": not known */
};

void	pace_counters_read(struct pace_counters *c, const struct pace_counting *how);

/* The interface that has this address, "": none, or not known. */
void	pace_route_of(const struct pace_addr *local, const char *root, char name[16]);

/* Drops of queue disciplines by the number of the interface: how many there are,
 * at most `most`, or -errno. */
struct pace_qdisc_drops { int index; bool root; uint64_t drops; };
int	pace_qdisc_read(struct pace_qdisc_drops *v, int most);

#endif
