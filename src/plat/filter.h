/*
 * filter.h - restrict the system calls of a responder (seccomp).
 *
 * Purpose    an allow list, which later threads inherit.
 * Refused    with ENOSYS, as from a kernel without the call: C libraries have a
 *            fallback for this.  Opening a file to write is refused with EPERM.
 * Killed     a process that runs a program, traces another or mounts something: our
 *            code never does this, so an attacker has taken over.
 * Missing    without libseccomp, or with sanitizers or gcov, which need calls of
 *            their own: -ENOSYS.
 */
#ifndef PACE_PLAT_FILTER_H
#define PACE_PLAT_FILTER_H

#include <stdbool.h>

#include "core/err.h"

/* NULL: this build can filter calls; otherwise the reason why not. */
const char	*pace_filter_lacks(void);

/* Enter the filter for ever: the calling thread and all threads it starts.  unlinks: removing
 * files is allowed. */
int	pace_filter_enter(bool unlinks, struct pace_err *err);

#endif
