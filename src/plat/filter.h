/*
 * filter.h - the system calls that are left to a responder (seccomp).
 *
 * Purpose    an allow list; threads that are started later have it too.
 * Refused    ENOSYS, as from a kernel that does not have the call: C libraries
 *            know what to do without it.  EPERM for opening a file to write.
 * Killed     who runs a program, traces another or mounts something: nothing of
 *            ours does, so that somebody else has got in.
 * Not there  built without libseccomp, or with sanitizers or gcov, which need
 *            calls of their own: -ENOSYS.
 */
#ifndef PACE_PLAT_FILTER_H
#define PACE_PLAT_FILTER_H

#include <stdbool.h>

#include "core/err.h"

/* NULL: calls can be filtered; else why this build cannot. */
const char	*pace_filter_lacks(void);

/* For good.  The calling thread and those that it starts.  unlinks: files may be
 * removed. */
int	pace_filter_enter(bool unlinks, struct pace_err *err);

#endif
