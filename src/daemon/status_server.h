/*
 * status_server.h - the status socket and who reads there.
 *
 * Socket     a Unix stream socket of mode 0600, never wider; one that a dead
 *            process left is replaced, a living one's or any other file is not.
 *            Removed at the end if it is still ours, and if the user that the process
 *            has become may do that.
 * Readers    PACE_STATUS_SERVER at most.  Each has its own interval and gets what came
 *            since its own last line.  Who does not read gets no new line until he
 *            has; after PACE_READER_STUCK_NS he is dropped.  Nobody is waited for.
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

/* Could there be a socket of this name?  Nothing is made: -errno with words in err. */
int	pace_status_server_check(const char *path, struct pace_err *err);

/* sessions: boards there are.  -errno with words in err. */
int	pace_status_server_open(struct pace_status_server **r, const char *path, int sessions,
	    struct pace_err *err);
void	pace_status_server_close(struct pace_status_server *r);	/* NULL will do */

/* The socket's file belongs to that user from now on. */
int	pace_status_server_give(const struct pace_status_server *r, uid_t uid, gid_t gid, struct pace_err *err);

/* Only the socket's file, whatever another thread does meanwhile.  NULL will do. */
void	pace_status_server_remove(const struct pace_status_server *r);

/* What new readers are told first; strings are the caller's. */
void	pace_status_server_head(struct pace_status_server *r, const struct pace_status_head *h);

/* Add what to wait for: at most PACE_STATUS_SERVER + 1; how many.  *until_ns is brought forward
 * to when pace_status_server_serve or pace_status_server_tell has something to do by the clock. */
int	pace_status_server_wait(struct pace_status_server *r, struct pollfd *fds, int64_t now_ns,
	    int64_t *until_ns);

/* Take who comes and what they say, go on with what is not written yet.  With no file left
 * to take somebody, who comes waits: it is tried again a second later. */
void	pace_status_server_serve(struct pace_status_server *r, const struct pollfd *fds, int n,
	    int64_t now_ns);

/* When the next line is due; INT64_MAX: nobody reads. */
int64_t	pace_status_server_due(const struct pace_status_server *r);

/* The boards as they are. */
struct pace_news_sheet {
	const struct pace_session_stats *views;
	const uint64_t	*turns;		/* view.recent.turn is so where something came since */
	struct pace_stats_page *watches;	/* for distributions; NULL: there are none */
	const struct pace_totals *totals;
	const struct pace_host_sample *host;	/* NULL: not looked at */
	int64_t		now_ns, wall_ns;
};

/* A line for everybody who is due. */
void	pace_status_server_tell(struct pace_status_server *r, const struct pace_news_sheet *n);

/* Does anybody read? */
bool	pace_status_server_any(const struct pace_status_server *r);

#endif
