/*
 * policy_use.h - the policy of respond: from --policy or built in, read again at SIGHUP.
 *
 * Names      a word without '/' and '.' is a policy that comes with udpace.
 * Memory     the rules are to stay as long as there is a session.
 * Errors     told on stderr.
 */
#ifndef PACE_DAEMON_POLICY_USE_H
#define PACE_DAEMON_POLICY_USE_H

#include "out/policy_text.h"
#include "proto/keys.h"
#include "server/admission/rules.h"

struct pace_policy_use {
	char	path[4096];	/* "": built in */
	struct pace_rules *rules;
	const char	*keys_path;	/* NULL: no keys are asked for */
	struct pace_known_keys keys;
};

/* An exit status; name NULL: the built-in one. */
int	pace_policy_open(struct pace_policy_use *u, const char *name);

void	pace_policy_close(struct pace_policy_use *u);

/* A file with a fault changes nothing: false. */
bool	pace_policy_reread(struct pace_policy_use *u);

/* The keys in use, of that file: their names are kept. */
void	pace_policy_keys(struct pace_policy_use *u, const char *path, const struct pace_keys *ks);

/* Tell of each rule that names keys which nobody can show. */
void	pace_policy_warn(const struct pace_policy_use *u);

/* caps but its keys: what holds, on standard output: an exit status. */
int	pace_policy_show(const struct pace_policy_use *u, const struct pace_caps *caps);

#endif
