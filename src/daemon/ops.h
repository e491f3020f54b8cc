/*
 * ops.h - what a responder tells those who run it: log, status, metrics.
 *
 * Purpose    takes the news of sessions and the copies of their boards, and
 *            writes the log, serves the status socket and counts for metrics.
 * Threads    one of its own for log and status, one of the library's for
 *            metrics.  Sessions and the listener hand over an event and go on:
 *            only that thread writes to standard error, what cannot be written
 *            in time is counted and told, nobody waits for a reader or a pipe.
 * Memory     about 360 KiB, and for each session that there may be 12 KiB, with a
 *            status socket 26, and, for each reader of it, 1.3 KiB; none is allocated by a
 *            session's news.
 */
#ifndef PACE_DAEMON_OPS_H
#define PACE_DAEMON_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "daemon/serve.h"
#include "live/event.h"
#include "plat/sandbox.h"

struct pace_ops_cfg {
	bool	json;			/* the log's lines, else text */
	bool	quiet;			/* of it only warnings and errors */
	bool	verbose;		/* text with the details that JSON always has */
	const char *status;		/* path of the status socket; NULL: none */
	const char *metrics;		/* [ADDR:]PORT; NULL: none */
	int	max_sessions;
};

struct pace_ops;

/* Makes the socket of metrics; nobody is served and no thread runs yet.  -errno with words
 * in err, step the option. */
int	pace_ops_open(struct pace_ops **o, const struct pace_ops_cfg *cfg,
	    struct pace_err *err);

/* What is wrong with these two that can be known beforehand.  The same errors. */
int	pace_ops_check(const struct pace_ops_cfg *cfg, struct pace_err *err);

/* Makes the status socket, for the user who will serve it.  The same errors. */
int	pace_ops_listen(struct pace_ops *o, const struct pace_sandbox_user *owner,
	    struct pace_err *err);

/* What the server must know to tell us. */
void	pace_ops_hook(struct pace_ops *o, struct pace_serve_cfg *sc);

/* The server listens there: say so and begin.  -errno. */
int	pace_ops_begin(struct pace_ops *o, struct pace_serve *s, const char *address);

/* For the log, in any thread; before pace_ops_begin it is kept until then.  A file was read
 * anew (PACE_LOG_NOTICE, or _WARNING), or could not be (_ERR); something else that who
 * runs this should know; what is wrong. */
void	pace_ops_reloaded(struct pace_ops *o, enum pace_log_level level, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));
void	pace_ops_warn(struct pace_ops *o, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));
void	pace_ops_error(struct pace_ops *o, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));

/*
 * The last lines, and everything is closed; when pace_serve_run is over, before
 * pace_serve_close.  What a session uses that did not end in time, or the thread when it
 * hangs at the log, is left to them until the program ends.  NULL will do.
 */
void	pace_ops_close(struct pace_ops *o);

#endif
