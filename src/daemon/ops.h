/*
 * ops.h - a responder's reports to its operators: log, status, metrics.
 *
 * Purpose    takes the events of sessions and copies of their boards, writes the
 *            log, serves the status socket and counts for metrics.
 * Threads    one thread for log and status; the library has one for metrics.
 *            Sessions and the listener hand over an event and continue: only
 *            the log's thread writes to standard error.  Lines that cannot be
 *            written in time are counted and reported; a slow reader or pipe delays
 *            no session.
 * Memory     about 360 KiB, plus 12 KiB per possible session, or 27 KiB with a status
 *            socket, plus 1.3 KiB per session and reader.  An event of a session
 *            allocates nothing.
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
	bool	json;			/* write the log as JSON, not as text */
	bool	quiet;			/* log only warnings and errors */
	bool	verbose;		/* text with the details that JSON always has */
	const char *status;		/* path of the status socket; NULL: none */
	const char *metrics;		/* [ADDR:]PORT; NULL: none */
	int	max_sessions;
};

struct pace_ops;

/* Create the socket for metrics; it is not served yet, and no thread runs.  -errno with words in
 * err, step the option. */
int	pace_ops_open(struct pace_ops **o, const struct pace_ops_cfg *cfg,
	    struct pace_err *err);

/* Check status and metrics as far as possible without opening them; errors as above. */
int	pace_ops_check(const struct pace_ops_cfg *cfg, struct pace_err *err);

/* Create the status socket for the user who will serve it; errors as above. */
int	pace_ops_listen(struct pace_ops *o, const struct pace_sandbox_user *owner,
	    struct pace_err *err);

/* Set the members of sc that let the server report to o. */
void	pace_ops_hook(struct pace_ops *o, struct pace_serve_cfg *sc);

/* Log that the server listens on address, and start.  -errno. */
int	pace_ops_begin(struct pace_ops *o, struct pace_serve *s, const char *address);

/* Log a message, from any thread; before pace_ops_begin it is kept until then.
 * pace_ops_reloaded: a file was read again (PACE_LOG_NOTICE, or _WARNING) or could not be
 * (_ERR).  pace_ops_warn: something the operator should know.  pace_ops_error: an error. */
void	pace_ops_reloaded(struct pace_ops *o, enum pace_log_level level, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));
void	pace_ops_warn(struct pace_ops *o, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));
void	pace_ops_error(struct pace_ops *o, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));

/*
 * Write the last lines and close everything; after pace_serve_run, before pace_serve_close.
 * Memory still used by a session that did not end in time, or by a log thread that is blocked,
 * remains until the program ends.  NULL is accepted.
 */
void	pace_ops_close(struct pace_ops *o);

#endif
