/*
 * tcp_accept.h - accepts the TCP connections of sessions' runs.
 *
 * Purpose    one listening socket, on the port number of UDP, and a thread.  A connection shows
 *            within PACE_TCP_PROOF_NS that it belongs to a run (proto/tcp_hello.h) and comes from
 *            the address of the run's client, or is closed.  A proof is good for one connection.
 *            Each run has a thread that moves its bytes.
 * Limits     PACE_TCP_UNPROVEN connections may owe their proof, PACE_TCP_UNPROVEN_EACH of a /24
 *            or /48; more wait in the kernel, or are closed.  One that sends nothing stays with
 *            the kernel (TCP_DEFER_ACCEPT).
 * Threads    open and close for one; begin starts the one that accepts.
 */
#ifndef PACE_DAEMON_TCP_ACCEPT_H
#define PACE_DAEMON_TCP_ACCEPT_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/tcp.h"

#define PACE_TCP_PROOF_NS	INT64_C(1000000000)
#define PACE_TCP_UNPROVEN	64
#define PACE_TCP_UNPROVEN_EACH	24

struct pace_tcp_accept {
	struct pace_tcp_host host;	/* for the sessions */
	/* private */
	int		fd, wake;
	bool		began;
	pthread_t	thread;
	_Atomic bool	quit;
	pthread_mutex_t	lock;		/* of the runs */
	struct accepted_run	*runs;
};

/* Listen at this address and port; before rights are dropped.  -errno. */
int	pace_tcp_accept_open(struct pace_tcp_accept *a, const struct pace_addr *local, uint16_t port);
/* Start to accept.  -errno. */
int	pace_tcp_accept_begin(struct pace_tcp_accept *a);
/* Accept no more, after the last session has ended. */
void	pace_tcp_accept_close(struct pace_tcp_accept *a);

#endif
