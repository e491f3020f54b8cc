#include "config.h"

#include "daemon/confine.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "opt/opt.h"

static int
user_failed(const char *user, const struct pace_err *err)
{
	pace_complain("%s: %s", user != NULL ? "--user" : "respond", pace_err_why(err));
	if (user == NULL)
		pace_hint("--user root keeps user 0, without its capabilities; --no-sandbox keeps "
		    "all of root");
	return PACE_EXIT_NO_RESULT;
}

int
pace_confine_check(const char *user, bool no_sandbox)
{
	const struct pace_sandbox_cfg cfg = { .user = user, .off = no_sandbox };
	struct pace_sandbox_user u;
	struct pace_err err = { .code = 0 };

	return pace_sandbox_user(&u, &cfg, &err) == 0 ? PACE_EXIT_OK : user_failed(user, &err);
}

/* Print the file, the user, and what to do.  If that user can stat the file, the file belongs to
 * another user; otherwise a folder above it is closed. */
static int
unreadable(const struct pace_sandbox_user *u, const char *path)
{
	struct stat st;
	char name[sizeof(u->name)];

	snprintf(name, sizeof(name), "%s", u->name);
	if (name[0] == '\0')
		snprintf(name, sizeof(name), "%u", (unsigned int)u->uid);
	pace_complain("respond: %s: user %s cannot read it again at SIGHUP", path, name);
	if (stat(path, &st) == 0)
		pace_hint("chown %s %s", name, path);
	else
		pace_hint("user %s may not enter its folder: move it to another one, such as "
		    "/etc/udpace, and chown %s it", name, name);
	pace_hint("or --user root, which keeps user 0 without its capabilities; or --no-sandbox");
	return PACE_EXIT_USAGE;
}

int
pace_confine(const struct pace_sandbox_cfg *cfg, const struct pace_sandbox_user *u,
    struct pace_ops *ops, bool tell)
{
	struct pace_sandbox got;
	struct pace_err err = { .code = 0 };
	char text[256];

	if (pace_sandbox_enter(&got, cfg, &err) < 0) {
		if (strcmp(err.step, "again") == 0)
			return unreadable(u, got.unreadable);
		if (strcmp(err.step, "user") == 0)
			return user_failed(cfg->user, &err);
		pace_complain("respond: %s: %s", err.step, pace_err_why(&err));
		if (!cfg->off)
			pace_hint("--no-sandbox runs without it");
		return PACE_EXIT_NO_RESULT;
	}
	if (got.refused)
		pace_ops_warn(ops, "system calls are not filtered: %s", got.unfiltered);
	if (tell)
		fprintf(stderr, "sandbox: %s\n", pace_sandbox_text(&got, text, sizeof(text)));
	return PACE_EXIT_OK;
}
