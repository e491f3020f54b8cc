/*
 * machine.h - the machine on which the whole program runs in test_commands.c.
 *
 * Purpose    the linker wraps what plat/ gives to the rooms above it, and some calls of libc: the
 *            program's sockets are ends of the simulated network, its clocks the simulation's, the
 *            facts of the host and the look-ups of names are given.  What it asks of its sockets
 *            goes into the sums (sums.h).
 * Threads    one goes on at a time: that which measures, and one that displays or serves beside
 *            it; the other waits until simulated time has come to it.
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/host.h"
#include "simnet.h"

extern struct sim_machine {
	struct sim	*net;
	pthread_t	first;		/* the thread of main */
	bool		apart;		/* each socket has an address of its own */
	uint32_t	most_buffer;	/* that the kernel grants; 0: what is asked */
	bool		only_small;	/* the path carries no frame as large as the MTU says */
	int		path_mtu;
	const char	*fault;		/* what the kernel does not let sockets do; NULL: nothing */
	int		fault_code;
	bool		on_terminal;	/* stderr is one: the next thread displays the progress */
	bool		monitors;	/* the next thread that starts is the one that measures */
	bool		as_call;	/* the next thread is a call: nothing else goes on meanwhile */
	struct pace_host facts;
} sim_machine;

#endif
