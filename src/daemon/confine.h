/*
 * confine.h - give up the rights of a responder, and report the outcome.
 *
 * Errors     printed on stderr with what to do; returns an exit status.
 */
#ifndef PACE_DAEMON_CONFINE_H
#define PACE_DAEMON_CONFINE_H

#include <stdbool.h>

#include "daemon/ops.h"
#include "plat/sandbox.h"

/* Check that the user exists; changes nothing. */
int	pace_confine_check(const char *user, bool no_sandbox);

/* Give up the rights for good, see sandbox.h.  u: result of pace_sandbox_user for cfg.  Warnings
 * go to ops.  tell: print the remaining rights on stderr. */
int	pace_confine(const struct pace_sandbox_cfg *cfg, const struct pace_sandbox_user *u,
	    struct pace_ops *ops, bool tell);

#endif
