/*
 * policy_use.h - the policy of respond: from --policy or built in, reread at SIGHUP.
 *
 * Names      a word without '/' and '.' names a policy that comes with udpace.
 * Memory     the rules must exist as long as a session does.
 * Errors     printed on stderr.
 */
#ifndef PACE_DAEMON_POLICY_USE_H
#define PACE_DAEMON_POLICY_USE_H

#include "out/policy_text.h"
#include "proto/keys.h"
#include "server/admission/rules.h"

struct pace_policy_use {
	char	path[4096];	/* "": built in */
	struct pace_rules *rules;
	const char	*keys_path;	/* NULL: no keys are required */
	struct pace_known_keys keys;
};

/* Open the policy; name NULL: the built-in one.  Returns an exit status. */
int	pace_policy_open(struct pace_policy_use *u, const char *name);

void	pace_policy_close(struct pace_policy_use *u);

/* Read the file again.  False: it has an error, and the policy is unchanged. */
bool	pace_policy_reread(struct pace_policy_use *u);

/* Remember the names of the keys in use, which come from the file path. */
void	pace_policy_keys(struct pace_policy_use *u, const char *path, const struct pace_keys *ks);

/* Warn of each rule for keys that no client can have. */
void	pace_policy_warn(const struct pace_policy_use *u);

/* Print the policy in effect on standard output (caps without its keys); an exit status. */
int	pace_policy_show(const struct pace_policy_use *u, const struct pace_caps *caps);

#endif
