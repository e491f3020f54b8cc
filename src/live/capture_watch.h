/*
 * capture_watch.h - the status of a capture that goes on: a thread that reads frames, and
 * another that shows what came.
 *
 * Purpose    reading is not disturbed by showing: at the end of an interval the thread that
 *            reads fills what it has come to into one of two places that are there already,
 *            and neither allocates, locks nor waits; where both are full still, that
 *            interval is a part of the next one.  The display runs with less right to a
 *            core and off the one that reads.
 * Status     caught.h.
 * Threads    pace_capture_watch_look: the one that reads; all else: one other.
 */
#ifndef PACE_CAPTURE_WATCH_H
#define PACE_CAPTURE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cap/flow.h"
#include "plat/pcap.h"

struct pace_capture_watch_cfg {
	const char	*interface, *filter;
	int64_t		interval_ns;
	bool		private;	/* nothing of this host */
};

struct pace_capture_watch;
struct pace_lines_item;

/* NULL: no memory. */
struct pace_capture_watch	*pace_capture_watch_new(const struct pace_capture_watch_cfg *cfg);
void	pace_capture_watch_free(struct pace_capture_watch *w);	/* NULL will do */

/* After some frames.  over: the capture has ended, and its table is finished; the last
 * call. */
void	pace_capture_watch_look(struct pace_capture_watch *w, const struct pace_cap_table *t,
	    struct pace_pcap *p, bool over);

/* Read frames in a thread of its own, from now on. */
int	pace_capture_watch_start(struct pace_capture_watch *w, void (*read)(void *ctx), void *ctx);
/* Wait for its end. */
void	pace_capture_watch_join(struct pace_capture_watch *w);

/* Can be read when there is a line. */
int	pace_capture_watch_fd(const struct pace_capture_watch *w);
/* As pace_lines_next; ctx is the struct pace_capture_watch. */
int	pace_capture_watch_next(void *ctx, int64_t now_ns, struct pace_lines_item *item);

#endif
