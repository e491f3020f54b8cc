/*
 * tcp_run.h - moves the bytes of a run of TCP connections (core/tcp.h).
 *
 * Purpose    one thread and one epoll for all connections of one end.  A sender writes until its
 *            socket takes no more; a receiver reads and forgets.  A connection's end is the
 *            sender's FIN, which the receiver answers with its own: so the sender knows that all
 *            was received.
 * Dead       a sender whose peer acknowledges nothing for PACE_TCP_SILENT_NS has failed
 *            (TCP_USER_TIMEOUT); a receiver waits for its caller to stop it.
 * Memory     figures and PACE_TCP_ROWS rows, from create on; 1 MiB to read into, and one write.
 * Threads    pace_tcp_run_add, stop and look may be called by any thread, all else by one.
 * Trust      what comes over a connection is counted, never read.
 */
#ifndef PACE_PLAT_TCP_RUN_H
#define PACE_PLAT_TCP_RUN_H

#include "core/tcp.h"

extern const struct pace_tcp_engine pace_tcp_engine;

/* Hand over a connected socket that has proven itself; the run closes it.  answer: tell the other end
 * that it is accepted.  -EEXIST: that connection is there already, or the run is over; -EINVAL: the run
 * has none of that number.  fd then stays the caller's. */
int	pace_tcp_run_add(struct pace_tcp_run *r, bool down, uint32_t stream, int fd, bool answer);

#endif
