/*
 * capture_feed.h - the status of a capture that goes on: a thread that reads frames, and
 * another that shows what came.
 *
 * Purpose    reading is not disturbed by showing: at the end of an interval the thread that
 *            reads fills what it has come to into one of two places that are there already,
 *            and neither allocates, locks nor waits; where both are full still, that
 *            interval is a part of the next one.  The display runs with less right to a
 *            core and off the one that reads.
 * Status     capture_sample.h.
 * Threads    pace_capture_feed_look: the one that reads; all else: one other.
 */
#ifndef PACE_LIVE_CAPTURE_FEED_H
#define PACE_LIVE_CAPTURE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cap/flow.h"
#include "plat/pcap.h"

struct pace_capture_feed_cfg {
	const char	*interface, *filter;
	int64_t		interval_ns;
	bool		private;	/* nothing of this host */
};

struct pace_capture_feed;
struct pace_status_source_item;

/* NULL: no memory. */
struct pace_capture_feed	*pace_capture_feed_new(const struct pace_capture_feed_cfg *cfg);
void	pace_capture_feed_free(struct pace_capture_feed *w);	/* NULL will do */

/* After some frames.  over: the capture has ended, and its table is finished; the last
 * call. */
void	pace_capture_feed_look(struct pace_capture_feed *w, const struct pace_cap_table *t,
	    struct pace_pcap *p, bool over);

/* Read frames in a thread of its own, from now on. */
int	pace_capture_feed_start(struct pace_capture_feed *w, void (*read)(void *ctx), void *ctx);
/* Wait for its end. */
void	pace_capture_feed_join(struct pace_capture_feed *w);

/* Can be read when there is a line. */
int	pace_capture_feed_fd(const struct pace_capture_feed *w);
/* As pace_status_source_next; ctx is the struct pace_capture_feed. */
int	pace_capture_feed_next(void *ctx, int64_t now_ns, struct pace_status_source_item *item);

#endif
