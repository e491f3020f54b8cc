/*
 * readers.h - the status socket and who reads there.
 *
 * Socket     a Unix stream socket of mode 0600, never wider; one that a dead
 *            process left is replaced, a living one's or any other file is not.
 *            Removed at the end if it is still ours, and if the user that the process
 *            has become may do that.
 * Readers    PACE_READERS at most.  Each has its own interval and gets what came
 *            since its own last line.  Who does not read gets no new line until he
 *            has; after PACE_READER_STUCK_NS he is dropped.  Nobody is waited for.
 * Threads    one.
 */
#ifndef PACE_READERS_H
#define PACE_READERS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <stdint.h>

#include "core/err.h"
#include "live/status.h"

#define PACE_READERS		8
#define PACE_READER_STUCK_NS	INT64_C(5000000000)

struct pace_readers;

/* Could there be a socket of this name?  Nothing is made: -errno with words in err. */
int	pace_readers_check(const char *path, struct pace_err *err);

/* sessions: boards there are.  -errno with words in err. */
int	pace_readers_open(struct pace_readers **r, const char *path, int sessions,
	    struct pace_err *err);
void	pace_readers_close(struct pace_readers *r);	/* NULL will do */

/* The socket's file belongs to that user from now on. */
int	pace_readers_give(const struct pace_readers *r, uid_t uid, gid_t gid, struct pace_err *err);

/* Only the socket's file, whatever another thread does meanwhile.  NULL will do. */
void	pace_readers_remove(const struct pace_readers *r);

/* What new readers are told first; strings are the caller's. */
void	pace_readers_head(struct pace_readers *r, const struct pace_status_head *h);

/* Add what to wait for: at most PACE_READERS + 1; how many.  *until_ns is brought forward
 * to when pace_readers_serve or pace_readers_tell has something to do by the clock. */
int	pace_readers_wait(struct pace_readers *r, struct pollfd *fds, int64_t now_ns,
	    int64_t *until_ns);

/* Take who comes and what they say, go on with what is not written yet.  With no file left
 * to take somebody, who comes waits: it is tried again a second later. */
void	pace_readers_serve(struct pace_readers *r, const struct pollfd *fds, int n,
	    int64_t now_ns);

/* When the next line is due; INT64_MAX: nobody reads. */
int64_t	pace_readers_due(const struct pace_readers *r);

/* The boards as they are. */
struct pace_news_sheet {
	const struct pace_view *views;
	const uint64_t	*turns;		/* view.recent.turn is so where something came since */
	struct pace_watch *watches;	/* for distributions; NULL: there are none */
	const struct pace_totals *totals;
	const struct pace_glance *host;	/* NULL: not looked at */
	int64_t		now_ns, wall_ns;
};

/* A line for everybody who is due. */
void	pace_readers_tell(struct pace_readers *r, const struct pace_news_sheet *n);

/* Does anybody read? */
bool	pace_readers_any(const struct pace_readers *r);

#endif
