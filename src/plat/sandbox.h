/*
 * sandbox.h - give away what a responder does not need, for good.
 *
 * Purpose    another user, no capabilities but a few, none to be gained by
 *            running a program, and few system calls (filter.h).
 * User       root changes to the user PACE_SANDBOX_USER, or to uid and gid 65534 without
 *            groups where there is none, as in images without /etc/passwd.
 * Kept       of those that the process has: CAP_NET_ADMIN where cfg says so (stamps of
 *            the NIC; it also lifts net.core.rmem_max); CAP_NET_BIND_SERVICE where the
 *            port is a privileged one, for the sessions' sockets are bound to it too.
 * Checked    afterwards, by asking the kernel: what is not gone is an error.
 * Threads    capabilities are those of a thread: to be called while there is one,
 *            else -EBUSY.
 * Then       files can be read, with the rights of the user; none can be written.
 *            Sockets that listen are to be open already.  A user other than root
 *            cannot look into the process, and it leaves no core file: there may
 *            be keys in it.
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
	bool		off;		/* no more than that; user NULL: stay who we are */
	int		sock;		/* is given to that user, for the kernel lets only one user
					 * share a port; -1: none */
	uint16_t	port;		/* to bind sockets to later; 0: none */
	bool		net_admin;	/* CAP_NET_ADMIN is needed */
	bool		unlinks;	/* files will be removed at the end */
	const char	*again[8];	/* files to be read again later; NULL ends */
};

/* What came of it. */
struct pace_sandbox {
	uint32_t	uid;
	uint64_t	caps;		/* bit N: capability N is left */
	bool		confined;	/* not cfg.off */
	bool		bounded;	/* nothing can be gained by running a program as root either */
	const char	*unfiltered;	/* why system calls are not filtered; NULL: they are */
	bool		refused;	/* because the kernel refused, not this build or cfg.off */
	const char	*unreadable;	/* step "again": which of cfg.again */
};

/* Whom it changes to, or who we are. */
struct pace_sandbox_user {
	uid_t		uid;
	gid_t		gid;
	char		name[64];	/* "": there is no name */
};

/* Of cfg only user and off are looked at.  -errno with words: no such user; step "user". */
int	pace_sandbox_user(struct pace_sandbox_user *u, const struct pace_sandbox_cfg *cfg,
	    struct pace_err *err);

/* A user that cannot be had: step "user"; one that cannot read cfg.again: step "again". */
int	pace_sandbox_enter(struct pace_sandbox *got, const struct pace_sandbox_cfg *cfg,
	    struct pace_err *err);

/* Of a command that opens one thing and then reads what others wrote: change to user (NULL:
 * stay who we are), no capability is left and none can be gained; system calls are not
 * filtered, for it writes its result.  Checked as above. */
int	pace_sandbox_drop(const char *user, struct pace_err *err);

/* "user 998, no capabilities, system calls filtered". */
char	*pace_sandbox_text(const struct pace_sandbox *got, char *buf, size_t size);

#endif
