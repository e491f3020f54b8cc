#include "config.h"

#include "daemon/policy_use.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/policy_file.h"
#include "opt/opt.h"
#include "plat/datadir.h"

_Static_assert(PACE_KNOWN_MAX >= PACE_KEYS_MAX && PACE_RULE_NAME == PACE_KEY_NAME_SIZE,
    "the names of all keys have room");

/* Find the path of --policy: PACE_EXIT_OK, or an error that was printed. */
static int
find(struct pace_policy_use *u, const char *name)
{
	char file[64];
	int rc;

	if (name[0] != '\0' && strpbrk(name, "/.") == NULL && strlen(name) < 40) {
		snprintf(file, sizeof(file), "policy/%s.ini", name);
		rc = pace_data_path(u->path, sizeof(u->path), file);
		if (rc == 0)
			return PACE_EXIT_OK;
		pace_complain("--policy: udpace has no policy '%s': there is no %s", name,
		    u->path);
		pace_hint("write default, open or lab, or ./%s for a file of your own", name);
		return PACE_EXIT_USAGE;
	}
	if (name[0] != '\0' && (size_t)snprintf(u->path, sizeof(u->path), "%s", name) <
	    sizeof(u->path))
		return PACE_EXIT_OK;
	pace_complain("--policy: '%.40s' is not a file name", name);
	return PACE_EXIT_USAGE;
}

/* Read the file into the rules; false: an error was printed, and the rules are unchanged. */
static bool
load(struct pace_policy_use *u)
{
	struct pace_policy *p = malloc(sizeof(*p));
	struct pace_err err;
	int rc;

	if (p == NULL) {
		pace_complain("out of memory");
		return false;
	}
	rc = pace_policy_load(p, u->path, &err);
	if (rc == 0)
		pace_rules_set(u->rules, p);
	else
		pace_complain("%s", err.text);
	free(p);
	return rc == 0;
}

int
pace_policy_open(struct pace_policy_use *u, const char *name)
{
	u->path[0] = '\0';
	u->rules = pace_rules_new();
	if (u->rules == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	if (name == NULL)
		return PACE_EXIT_OK;
	if (find(u, name) != PACE_EXIT_OK)
		return PACE_EXIT_USAGE;
	return load(u) ? PACE_EXIT_OK : PACE_EXIT_USAGE;
}

void
pace_policy_close(struct pace_policy_use *u)
{
	pace_rules_free(u->rules);
	u->rules = NULL;
}

bool
pace_policy_reread(struct pace_policy_use *u)
{
	return u->path[0] == '\0' || load(u);
}

void
pace_policy_keys(struct pace_policy_use *u, const char *path, const struct pace_keys *ks)
{
	u->keys_path = path;
	u->keys.n = ks->n;
	for (int i = 0; i < ks->n; i++)
		memcpy(u->keys.name[i], ks->v[i].name, sizeof(u->keys.name[0]));
}

/* List the names in this rule without a key, separated by commas; returns their number. */
static int
list_unknown(const struct pace_policy_use *u, int rule, char *text, size_t size)
{
	const struct pace_policy *p = &u->rules->policy;
	size_t at = 0;
	int n = 0;

	text[0] = '\0';
	for (int i = 0; i < p->names; i++) {
		if (p->name[i].rule != rule || strcmp(p->name[i].name, "*") == 0 ||
		    pace_known_key(&u->keys, p->name[i].name))
			continue;
		if (at + sizeof(p->name[0].name) + 8 < size)
			at += (size_t)snprintf(text + at, size - at, "%s%s", n > 0 ? ", " : "",
			    p->name[i].name);
		else if (text[at - 1] != '.')
			at += (size_t)snprintf(text + at, size - at, ", ...");
		n++;
	}
	return n;
}

void
pace_policy_warn(const struct pace_policy_use *u)
{
	const struct pace_policy *p = &u->rules->policy;
	char names[256];

	for (int i = 1; i < p->rules; i++) {
		if (list_unknown(u, i, names, sizeof(names)) == 0)
			continue;
		if (u->keys_path != NULL)
			pace_complain("%s: warning: rule '%s': %s has no key of the name %s",
			    u->path, p->rule[i].rule, u->keys_path, names);
		else
			pace_complain("%s: warning: rule '%s' is for the key %s, which no client "
			    "can use: there is no --keys", u->path, p->rule[i].rule, names);
	}
}

int
pace_policy_show(const struct pace_policy_use *u, const struct pace_caps *caps)
{
	struct pace_caps all = *caps;

	printf("policy: %s\n", u->path[0] != '\0' ? u->path : "built in");
	if (u->keys_path != NULL) {
		printf("keys: %s: %d\n", u->keys_path, u->keys.n);
		all.keys = &u->keys;
	}
	return pace_policy_text(stdout, &u->rules->policy, &all) == 0 ? PACE_EXIT_OK :
	    PACE_EXIT_NO_RESULT;
}
