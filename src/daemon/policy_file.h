/*
 * policy_file.h - the policy of a responder from a file: udpace-policy(5).
 *
 * Shape      INI.  Every section is a rule, its name that of the section (letters,
 *            digits, '-', '_', at most 31); [default] is for all others.  `key` and
 *            `network` say whom it is for, with blanks between several; a line that
 *            begins with a blank goes on with them.
 * Parser     inih; without it no file can be read, and the message says so.
 * Errors     -errno, words with file and line in err.
 * Memory     none but the policy, which is the caller's and is only then of use when 0
 *            is returned.
 */
#ifndef PACE_DAEMON_POLICY_FILE_H
#define PACE_DAEMON_POLICY_FILE_H

#include <stdio.h>

#include "core/err.h"
#include "core/policy.h"

/* path: for messages. */
int	pace_policy_read(struct pace_policy *p, FILE *f, const char *path, struct pace_err *err);
int	pace_policy_load(struct pace_policy *p, const char *path, struct pace_err *err);

#endif
