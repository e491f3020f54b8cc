/*
 * passed.h - a socket passed by the parent process (socket activation).
 *
 * Purpose    read LISTEN_FDS and LISTEN_PID, and check that the socket is a bound UDP
 *            socket; pace_sock_open checks whether its port can be shared.
 * Source     sd_listen_fds(3).
 */
#ifndef PACE_PLAT_PASSED_H
#define PACE_PLAT_PASSED_H

#include "core/err.h"
#include "core/io.h"

/* Returns the socket's number and its bound address (family 6 with address 0 may serve both
 * families); 0: none was passed; -errno with a message: it cannot be used. */
int	pace_passed(struct pace_addr *local, struct pace_err *err);

#endif
