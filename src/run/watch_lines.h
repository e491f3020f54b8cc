/*
 * watch_lines.h - writes the intervals of watched paths as JSON lines, in a thread of its own.
 *
 * Purpose    the thread that sends only copies an interval into a ring; it does not wait for the disk
 *            or the reader of a pipe, unless these are PACE_WATCH_LINES intervals behind.
 * Errors     of the file go to the sink, which reports them.
 * Threads    one puts intervals; another one, private, writes them.  Drain before anything else
 *            is written to the sink.
 */
#ifndef PACE_RUN_WATCH_LINES_H
#define PACE_RUN_WATCH_LINES_H

#include "doc/watched.h"
#include "run/sink.h"

#define PACE_WATCH_LINES	1024	/* a power of two */

struct pace_watch_lines;

/* Begin to write to sink->jsonl, which is open: 0 or -errno. */
int	pace_watch_lines_begin(struct pace_watch_lines **l, struct pace_sink *sink);
/* An interval of a path. */
void	pace_watch_lines_put(struct pace_watch_lines *l, size_t number,
	    const struct pace_watch_span *s);
/* Wait until all are written; false: not within half a second. */
bool	pace_watch_lines_drain(struct pace_watch_lines *l);
void	pace_watch_lines_end(struct pace_watch_lines *l);	/* drains it; NULL is accepted */

#endif
