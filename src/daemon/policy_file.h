/*
 * policy_file.h - read a responder's policy from a file: udpace-policy(5).
 *
 * Shape      INI.  Each section is a rule and names it (letters, digits, '-', '_', at
 *            most 31); [default] applies to all other clients.  `key` and `network`
 *            list the clients of a rule, separated by blanks; a line that
 *            begins with a blank continues the list.
 * Parser     inih; without it no file can be read, and the message says so.
 * Errors     -errno, words with file and line in err.
 * Memory     only the policy, which is the caller's.  It is usable only if 0 is
 *            returned.
 */
#ifndef PACE_DAEMON_POLICY_FILE_H
#define PACE_DAEMON_POLICY_FILE_H

#include <stdio.h>

#include "core/err.h"
#include "core/policy.h"

/* Read a policy from a stream (path: for messages), or from a file. */
int	pace_policy_read(struct pace_policy *p, FILE *f, const char *path, struct pace_err *err);
int	pace_policy_load(struct pace_policy *p, const char *path, struct pace_err *err);

#endif
