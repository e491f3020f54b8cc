/*
 * confine.h - a responder gives away its rights, and says what came of it.
 *
 * Errors     told on stderr with the cure; an exit status.
 */
#ifndef PACE_DAEMON_CONFINE_H
#define PACE_DAEMON_CONFINE_H

#include <stdbool.h>

#include "daemon/ops.h"
#include "plat/sandbox.h"

/* Is there such a user?  Nothing is changed. */
int	pace_confine_check(const char *user, bool no_sandbox);

/* For good, see sandbox.h; u: what pace_sandbox_user said of cfg.  Warnings go to ops;
 * tell: also what is left, on stderr. */
int	pace_confine(const struct pace_sandbox_cfg *cfg, const struct pace_sandbox_user *u,
	    struct pace_ops *ops, bool tell);

#endif
