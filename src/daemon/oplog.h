/*
 * oplog.h - write lines of the log to standard error.
 *
 * Journal    if systemd reads standard error (JOURNAL_STREAM names it), text lines
 *            begin with <N>, the level; so do complaints (main.c).
 * Threads    one at a time.
 */
#ifndef PACE_DAEMON_OPLOG_H
#define PACE_DAEMON_OPLOG_H

#include <stdbool.h>

#include "live/event.h"

struct pace_oplog {
	bool	json, quiet, verbose, journal;
};

/* Does systemd read our standard error? */
bool	pace_oplog_is_journal(void);

void	pace_oplog_open(struct pace_oplog *l, bool json, bool quiet, bool verbose);
/* Write an event.  False: it should have been written but was not, or only in part. */
bool	pace_oplog_write(const struct pace_oplog *l, const struct pace_event *e);

#endif
