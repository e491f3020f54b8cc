/*
 * passed.h - a socket that was passed by who started us (socket activation).
 *
 * Purpose    LISTEN_FDS and LISTEN_PID, and whether what came is a bound UDP
 *            socket; whether it can be shared is for pace_sock_open to see.
 * Source     sd_listen_fds(3).
 */
#ifndef PACE_PLAT_PASSED_H
#define PACE_PLAT_PASSED_H

#include "core/err.h"
#include "core/io.h"

/* 0: none was passed.  Its number, and the address that it is bound to (family 6 with
 * 0 as address may be both families).  -errno, told: of no use. */
int	pace_passed(struct pace_addr *local, struct pace_err *err);

#endif
