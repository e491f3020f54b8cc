/*
 * sandbox.h - drop all rights that a responder does not need, for ever.
 *
 * Purpose    change to another user, keep few capabilities, gain none by running a
 *            program, and allow few system calls (filter.h).
 * User       root changes to the user PACE_SANDBOX_USER, or to uid and gid 65534 without
 *            groups if that user does not exist, as in images without /etc/passwd.
 * Kept       if the process has them: CAP_NET_ADMIN if cfg requests it (NIC stamps; it
 *            also lifts net.core.rmem_max); CAP_NET_BIND_SERVICE if the port is
 *            privileged, because the sessions' sockets bind to it later.
 * Checked    the kernel is asked afterwards: a right that is still there is an error.
 * Threads    capabilities belong to a thread: call it while there is only one, or get
 *            -EBUSY.
 * Then       files can be read with the user's rights, and none can be written.
 *            Listening sockets must be open already.  Users other than root cannot
 *            inspect the process, and it writes no core file, because it may hold keys.
 */
#ifndef PACE_PLAT_SANDBOX_H
#define PACE_PLAT_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/err.h"

#define PACE_SANDBOX_USER	"udpace"

struct pace_sandbox_cfg {
	const char	*user;		/* name or number, with its groups; NULL: see above */
	bool		off;		/* only change the user; user NULL: change nothing */
	int		sock;		/* given to that user, because the kernel shares a port
					 * only among sockets of one user; -1: none */
	uint16_t	port;		/* to bind sockets to later; 0: none */
	bool		net_admin;	/* CAP_NET_ADMIN is needed */
	bool		unlinks;	/* files will be removed at the end */
	const char	*again[8];	/* files that must stay readable; ends with NULL */
};

/* The result. */
struct pace_sandbox {
	uint32_t	uid;
	uint64_t	caps;		/* bit N: capability N is kept */
	bool		confined;	/* not cfg.off */
	const char	*unfiltered;	/* why system calls are not filtered; NULL: they are */
	bool		refused;	/* by the kernel, not by this build or cfg.off */
	const char	*unreadable;	/* step "again": the file of cfg.again */
};

/* The user after the change. */
struct pace_sandbox_user {
	uid_t		uid;
	gid_t		gid;
	char		name[64];	/* "": no name */
};

/* Find the user; uses only user and off of cfg.  -errno, step "user": no such user. */
int	pace_sandbox_user(struct pace_sandbox_user *u, const struct pace_sandbox_cfg *cfg,
	    struct pace_err *err);

/* Enter the sandbox.  Fails with step "user" if the user cannot be set, with step "again" if
 * the user cannot read a file of cfg.again. */
int	pace_sandbox_enter(struct pace_sandbox *got, const struct pace_sandbox_cfg *cfg,
	    struct pace_err *err);

/* For a command that opens a device or file and then reads untrusted data: change to user
 * (NULL: keep the user), drop all capabilities for ever.  System calls are not filtered,
 * because the command writes its result.  Checked as above. */
int	pace_sandbox_drop(const char *user, struct pace_err *err);

/* "user 998, no capabilities, system calls filtered". */
char	*pace_sandbox_text(const struct pace_sandbox *got, char *buf, size_t size);

#endif
