/*
 * watch_status.h - the status socket of a watcher: each path is a session.
 *
 * Purpose    a thread copies what the run shows of its paths, and writes it to readers as lines of
 *            udpace-status/1.  A path has an interval when its next report came; the interval
 *            covers the time since the report before that the reader knows.  A path that is down
 *            has an outage.
 * Limits     the first PACE_WATCH_STATUS_PATHS paths.
 * Memory     about 10 KiB a path, 2 KiB more for each reader.
 * Threads    one of its own, which never holds the run's lock while it writes.
 */
#ifndef PACE_DAEMON_WATCH_STATUS_H
#define PACE_DAEMON_WATCH_STATUS_H

#include "core/err.h"
#include "run/watch.h"

#define PACE_WATCH_STATUS_PATHS	1024

struct pace_watch_status;

/* Create the socket; no thread runs yet.  -errno with words in err. */
int	pace_watch_status_open(struct pace_watch_status **s, const char *path, struct pace_err *err);
/* Serve the paths of this run, which outlives s.  host: "" to keep it private.  -errno. */
int	pace_watch_status_begin(struct pace_watch_status *s, struct pace_watch_run *run,
	    const char *host);
void	pace_watch_status_close(struct pace_watch_status *s);	/* NULL is accepted */

#endif
