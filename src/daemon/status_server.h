/*
 * status_server.h - the status socket and its readers.
 *
 * Socket     a Unix stream socket, always of mode 0600.  A socket left by a dead
 *            process is replaced; a socket in use or another file is not.  At the end
 *            it is removed if it is still ours and the current user of the process
 *            may remove it.
 * Readers    at most PACE_STATUS_SERVER.  Each has its own interval and gets the events
 *            since its own last line.  A reader that does not read gets no new line
 *            until it has read, and is dropped after PACE_READER_STUCK_NS.  The
 *            server never waits for a reader.
 * Threads    one.
 */
#ifndef PACE_DAEMON_STATUS_SERVER_H
#define PACE_DAEMON_STATUS_SERVER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <stdint.h>

#include "core/err.h"
#include "live/status.h"

#define PACE_STATUS_SERVER		8
#define PACE_READER_STUCK_NS	INT64_C(5000000000)

struct pace_status_server;

/* Check whether a socket with this name is possible; creates none.  -errno, words in err. */
int	pace_status_server_check(const char *path, struct pace_err *err);

/* Create the socket; sessions: number of boards.  -errno with words in err. */
int	pace_status_server_open(struct pace_status_server **r, const char *path, int sessions,
	    struct pace_err *err);
void	pace_status_server_close(struct pace_status_server *r);	/* NULL is accepted */

/* Give the socket's file to another user. */
int	pace_status_server_give(const struct pace_status_server *r, uid_t uid, gid_t gid,
	    struct pace_err *err);

/* Remove only the socket's file; other threads may use r meanwhile.  NULL is accepted. */
void	pace_status_server_remove(const struct pace_status_server *r);

/* Set the first line for new readers; its strings are the caller's. */
void	pace_status_server_head(struct pace_status_server *r, const struct pace_status_head *h);

/* Add the descriptors to wait for, at most PACE_STATUS_SERVER + 1; returns their number.  Reduces
 * *until_ns to the next time when pace_status_server_serve or pace_status_server_update has work. */
int	pace_status_server_wait(struct pace_status_server *r, struct pollfd *fds, int64_t now_ns,
	    int64_t *until_ns);

/* Accept new readers, read their requests, and continue unfinished writes.  If no descriptor is
 * free, new readers wait, and the server tries again after a second. */
void	pace_status_server_serve(struct pace_status_server *r, const struct pollfd *fds, int n,
	    int64_t now_ns);

/* Return when the next line is due; INT64_MAX: there is no reader. */
int64_t	pace_status_server_due(const struct pace_status_server *r);

/* A copy of the boards. */
struct pace_status_update {
	const struct pace_session_stats *views;
	const uint64_t	*turns;		/* a view.recent with another turn is old */
	struct pace_stats_page *watches;	/* for distributions; NULL: none */
	const struct pace_totals *totals;
	const struct pace_host_sample *host;	/* NULL: not read */
	int64_t		now_ns, wall_ns;
	/* Add what boards do not have to session i, which is filled; NULL: nothing. */
	void		(*add)(void *ctx, int i, const struct pace_session_pair *pair,
			    struct pace_status_session *to);
	void		*ctx;
};

/* Write a line to every reader that is due. */
void	pace_status_server_update(struct pace_status_server *r, const struct pace_status_update *n);

/* Is there a reader? */
bool	pace_status_server_any(const struct pace_status_server *r);

#endif
