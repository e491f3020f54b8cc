#include "config.h"

#include "plat/sandbox.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "plat/filter.h"
#include "plat/instrumented.h"
#include "plat/names.h"
#include "plat/root.h"

#define BIT(cap)	(UINT64_C(1) << (cap))
#define CAPS_MOST	64
#define NOBODY		65534		/* user and group */

/* --- capabilities ------------------------------------------------------------ */

static int
caps_get(uint64_t *permitted, uint64_t *effective)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2];

	memset(d, 0, sizeof(d));
	if (syscall(SYS_capget, &h, d) == -1)
		return -errno;
	*permitted = (uint64_t)d[1].permitted << 32 | d[0].permitted;
	*effective = (uint64_t)d[1].effective << 32 | d[0].effective;
	return 0;
}

/* Permitted and effective; nothing is inherited. */
static int
caps_set(uint64_t caps)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2];

	memset(d, 0, sizeof(d));
	d[0].permitted = d[0].effective = (uint32_t)caps;
	d[1].permitted = d[1].effective = (uint32_t)(caps >> 32);
	return syscall(SYS_capset, &h, d) == -1 ? -errno : 0;
}

static uint64_t
caps_wanted(const struct pace_sandbox_cfg *cfg)
{
	uint64_t caps = cfg->net_admin ? BIT(CAP_NET_ADMIN) : 0;
	int64_t first = 1024;		/* port that needs no privilege */

	(void)pace_root_int(&first, "", "/proc/sys/net/ipv4/ip_unprivileged_port_start");
	if (cfg->port != 0 && cfg->port < first)
		caps |= BIT(CAP_NET_BIND_SERVICE);
	return caps;
}

/* Drop the bounding set: the most that a program started by us could have.  Without CAP_SETPCAP
 * it stays; no_new_privs and the filter then prevent that a program starts. */
static void
drop_bounding(void)
{
	for (unsigned long cap = 0; cap < CAPS_MOST; cap++)
		if (prctl(PR_CAPBSET_READ, cap, 0UL, 0UL, 0UL) == 1)
			(void)prctl(PR_CAPBSET_DROP, cap, 0UL, 0UL, 0UL);
}

static int
drop_caps(uint64_t keep, struct pace_err *err)
{
	uint64_t permitted, effective;
	int rc = caps_get(&permitted, &effective);

	if (rc == 0 && permitted != effective)
		rc = caps_set(permitted);	/* a change of user took them from the effective */
	if (rc < 0)
		return pace_fail(err, -rc, "capset");
	/* User 0 is a user like others; this cannot be taken back. */
	(void)prctl(PR_SET_SECUREBITS, (unsigned long)(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
	    SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
	    SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED), 0UL, 0UL, 0UL);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0UL, 0UL, 0UL);
	rc = caps_set(permitted & keep);
	return rc < 0 ? pace_fail(err, -rc, "capset") : 0;
}

/* --- the user ------------------------------------------------------------------- */

static int
take_entry(struct pace_sandbox_user *u, const struct passwd *p)
{
	u->uid = p->pw_uid;
	u->gid = p->pw_gid;
	return snprintf(u->name, sizeof(u->name), "%s", p->pw_name) < (int)sizeof(u->name) ?
	    0 : -ENAMETOOLONG;
}

/* "0" to "4294967294"; false: not the number of a user. */
static bool
read_number(const char *user, uid_t *uid)
{
	char *end;
	unsigned long long n;

	if (!isdigit((unsigned char)user[0]))
		return false;
	n = strtoull(user, &end, 10);
	*uid = (uid_t)n;
	return *end == '\0' && n < UINT32_MAX;
}

/* One thread only.  A number needs no entry: its group has the same. */
static int
find_user(struct pace_sandbox_user *u, const char *user, struct pace_err *err)
{
	const struct passwd *p = getpwnam(user);

	if (p == NULL && read_number(user, &u->uid)) {
		p = getpwuid(u->uid);
		u->gid = (gid_t)u->uid;
		if (p == NULL)
			return 0;
	}
	if (p == NULL)
		return pace_failf(err, ENOENT, "user", "this host has no user '%.64s'"
		    PACE_STATIC_USERS, user);
	return take_entry(u, p) < 0 ? pace_fail(err, ENAMETOOLONG, "user") : 0;
}

int
pace_sandbox_user(struct pace_sandbox_user *u, const struct pace_sandbox_cfg *cfg,
    struct pace_err *err)
{
	const struct passwd *p;

	*u = (struct pace_sandbox_user){ .uid = geteuid(), .gid = getegid() };
	if (cfg->user != NULL)
		return find_user(u, cfg->user, err);
	if (cfg->off || u->uid != 0)
		return 0;
	p = getpwnam(PACE_SANDBOX_USER);
	if (p != NULL && p->pw_uid != 0)
		return take_entry(u, p) < 0 ? pace_fail(err, ENAMETOOLONG, "user") : 0;
	u->uid = u->gid = NOBODY;
	return 0;
}

/* By the system call that is called step. */
static int
refused(const struct pace_sandbox_user *u, const char *step, struct pace_err *err)
{
	int code = errno;
	char number[16];
	const char *name = u->name;

	snprintf(number, sizeof(number), "%u", (unsigned int)u->uid);
	if (name[0] == '\0')
		name = number;
	if (code == EPERM && geteuid() != 0)
		return pace_failf(err, EPERM, "user", "only root can change to user '%s'", name);
	return pace_failf(err, code, "user", "cannot change to user '%s': %s: %s", name, step,
	    strerror(code));
}

static int
change_to(const struct pace_sandbox_user *u, struct pace_err *err)
{
	const char *step = "setgroups";

	if ((u->name[0] != '\0' ? initgroups(u->name, u->gid) : setgroups(0, NULL)) == -1)
		goto fail;
	step = "setresgid";
	if (setresgid(u->gid, u->gid, u->gid) == -1)
		goto fail;
	step = "setresuid";
	if (setresuid(u->uid, u->uid, u->uid) == -1)
		goto fail;
	return 0;
fail:
	return refused(u, step, err);
}

static int
check_user(const struct pace_sandbox_user *u, struct pace_err *err)
{
	uid_t r, e, s;
	gid_t gr, ge, gs;

	if (getresuid(&r, &e, &s) == -1 || getresgid(&gr, &ge, &gs) == -1 || r != u->uid ||
	    e != u->uid || s != u->uid || gr != u->gid || ge != u->gid || gs != u->gid ||
	    (u->name[0] == '\0' && getgroups(0, NULL) != 0) ||
	    (u->uid != 0 && setresuid((uid_t)-1, 0, (uid_t)-1) == 0))
		return pace_fail(err, EPERM, "check the change of user");
	return 0;
}

static int
become(const struct pace_sandbox_cfg *cfg, uint64_t keep, struct pace_err *err)
{
	struct pace_sandbox_user u;
	int rc = pace_sandbox_user(&u, cfg, err);

	if (rc < 0 || (geteuid() == u.uid && getuid() == u.uid && getegid() == u.gid))
		return rc;
	if (cfg->sock != -1 && fchown(cfg->sock, u.uid, (gid_t)-1) == -1)
		return refused(&u, "fchown", err);
	if (keep != 0)
		(void)prctl(PR_SET_KEEPCAPS, 1UL, 0UL, 0UL, 0UL);
	rc = change_to(&u, err);
	(void)prctl(PR_SET_KEEPCAPS, 0UL, 0UL, 0UL, 0UL);
	return rc < 0 ? rc : check_user(&u, err);
}

/* --- all of it --------------------------------------------------------------------- */

static int
count_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = 0;

	if (d == NULL)
		return 1;		/* no /proc: not known */
	for (const struct dirent *e; (e = readdir(d)) != NULL;)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static int
check_caps(struct pace_sandbox *got, uint64_t keep, struct pace_err *err)
{
	uint64_t permitted, effective;

	if (caps_get(&permitted, &effective) < 0 || (permitted & ~keep) != 0 ||
	    effective != permitted)
		return pace_fail(err, EPERM, "check the capabilities");
	if (prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL) != 1)
		return pace_fail(err, EPERM, "check no_new_privs");
	got->caps = permitted;
	return 0;
}

/* A kernel without seccomp, or in a container that does not allow it: go on, and say so. */
static int
filter(struct pace_sandbox *got, const struct pace_sandbox_cfg *cfg, struct pace_err *err)
{
	int rc;

	got->unfiltered = pace_filter_lacks();
	if (got->unfiltered != NULL)
		return 0;
	rc = pace_filter_enter(cfg->unlinks, err);
	if (rc == -EINVAL || rc == -ENOSYS || rc == -ECANCELED || rc == -EPERM) {
		got->unfiltered = "this kernel does not let it";
		got->refused = true;
		return 0;
	}
	return rc;
}

/* Write no core file, and keep other processes of the same user out; the kernel confirms it. */
static int
hide(struct pace_err *err)
{
#ifndef PACE_INSTRUMENTED
	if (prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL) == -1 ||
	    prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL) != 0)
		return pace_fail(err, EPERM, "check that no core is left");
#endif
	(void)err;
	return 0;
}

static int
confine(struct pace_sandbox *got, const struct pace_sandbox_cfg *cfg, uint64_t keep,
    struct pace_err *err)
{
	int rc = drop_caps(keep, err);

	if (rc < 0)
		return rc;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == -1)
		return pace_fail(err, errno, "no_new_privs");
	got->confined = true;
	rc = check_caps(got, keep, err);
	if (rc == 0)
		rc = hide(err);
	return rc < 0 ? rc : filter(got, cfg, err);
}

int
pace_sandbox_enter(struct pace_sandbox *got, const struct pace_sandbox_cfg *cfg,
    struct pace_err *err)
{
	uint64_t keep = caps_wanted(cfg), effective;
	int rc = 0;

	*got = (struct pace_sandbox){ .unfiltered = "switched off" };
	/* Sanitizers may have one of their own. */
	if (!cfg->off && pace_filter_lacks() == NULL && count_threads() > 1)
		return pace_failf(err, EBUSY, "sandbox",
		    "another thread runs already, of a library that was preloaded?");
	if (!cfg->off)
		drop_bounding();
	rc = become(cfg, keep, err);
	if (rc == 0 && !cfg->off)
		rc = confine(got, cfg, keep, err);
	if (rc < 0)
		return rc;
	got->uid = geteuid();
	if (cfg->off)
		(void)caps_get(&got->caps, &effective);
	for (size_t i = 0; i < sizeof(cfg->again) / sizeof(cfg->again[0]) &&
	    cfg->again[i] != NULL; i++)
		if (access(cfg->again[i], R_OK) == -1) {
			got->unreadable = cfg->again[i];
			return pace_fail(err, errno, "again");
		}
	return 0;
}

int
pace_sandbox_drop(const char *user, struct pace_err *err)
{
	const struct pace_sandbox_cfg cfg = { .user = user, .sock = -1 };
	struct pace_sandbox got;
	int rc = 0;

	drop_bounding();
	if (user != NULL)
		rc = become(&cfg, 0, err);
	if (rc == 0)
		rc = drop_caps(0, err);
	if (rc == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == -1)
		rc = pace_fail(err, errno, "no_new_privs");
	return rc < 0 ? rc : check_caps(&got, 0, err);
}

char *
pace_sandbox_text(const struct pace_sandbox *got, char *buf, size_t size)
{
	char caps[96];
	uint64_t others;

	others = got->caps & ~(BIT(CAP_NET_ADMIN) | BIT(CAP_NET_BIND_SERVICE));
	snprintf(caps, sizeof(caps), "%s%s%s%s", got->caps == 0 ? "no capabilities" :
	    "capabilities", (got->caps & BIT(CAP_NET_ADMIN)) != 0 ? " CAP_NET_ADMIN" : "",
	    (got->caps & BIT(CAP_NET_BIND_SERVICE)) != 0 ? " CAP_NET_BIND_SERVICE" : "",
	    others != 0 ? " and others" : "");
	snprintf(buf, size, "%suser %u, %s, system calls %s%s", got->confined ? "" : "off: ",
	    (unsigned int)got->uid, caps, got->unfiltered == NULL ? "filtered" : "not filtered: ",
	    got->unfiltered == NULL ? "" : got->unfiltered);
	return buf;
}
