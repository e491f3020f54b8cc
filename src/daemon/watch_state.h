/*
 * watch_state.h - the counts of a watcher in a file, so that they survive a restart.
 *
 * Purpose    read the file at the begin, write it every minute and at the end.  A path goes on with
 *            its counts if its name, host and options are as before.
 * Form       JSON lines: a head with the schema, the time when the watch began and the number of
 *            paths, then a line a path.  Frames on the way when it was written are unreported
 *            afterwards.
 * Writing    to a temporary file, which is renamed; a failure is reported once.
 * Lock       one process at a time has the file: FILE.lock beside it is locked, and removed at the
 *            end.
 * Trust      the file may contain anything: counts that contradict each other are rejected, and
 *            with them the file.
 * Threads    one of its own, which writes; the run's lock is held while it copies.
 */
#ifndef PACE_DAEMON_WATCH_STATE_H
#define PACE_DAEMON_WATCH_STATE_H

#include "run/watch.h"

struct pace_watch_state_file;

/* Read the file, if it is there: an exit status, after messages. */
int	pace_watch_state_open(struct pace_watch_state_file **s, const char *path);
/* How long the watch lasted before now. */
int64_t	pace_watch_state_before(const struct pace_watch_state_file *s);
/* What was counted of a path; false: nothing. */
bool	pace_watch_state_find(const struct pace_watch_state_file *s, const struct pace_watch_target *t,
	    struct pace_watched *w);
/* Begin to write the paths of this run, which shows its figures and outlives s.  -errno. */
int	pace_watch_state_begin(struct pace_watch_state_file *s, struct pace_watch_run *run);
/* Write it for the last time, when the run has ended: an exit status. */
int	pace_watch_state_end(struct pace_watch_state_file *s);
void	pace_watch_state_close(struct pace_watch_state_file *s);	/* NULL is accepted */

#endif
