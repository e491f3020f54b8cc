/*
 * capture_feed.h - the status of a running capture: one thread reads frames, another shows
 * the results.
 *
 * Purpose    the display never disturbs the reading thread.  At the end of an interval that
 *            thread copies its results into one of two preallocated buffers; it does not
 *            allocate, lock or wait.  If both buffers are still full, the interval becomes
 *            part of the next one.  The display runs in a low-priority thread, never on the
 *            reading thread's core.
 * Status     capture_sample.h.
 * Threads    pace_capture_feed_look: the reading thread; everything else: one other thread.
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
	bool		socket;		/* interface is the address and port of sockets */
	/* frames that the capture itself lost; called by the reading thread with ctx */
	void		(*drops)(void *ctx, struct pace_pcap_drops *d);
	void		*ctx;
	int64_t		interval_ns;
	bool		private;	/* leave facts and counters of this host out */
};

struct pace_capture_feed;
struct pace_status_source_item;

/* Make a feed; NULL: no memory. */
struct pace_capture_feed	*pace_capture_feed_new(const struct pace_capture_feed_cfg *cfg);
void	pace_capture_feed_free(struct pace_capture_feed *w);	/* accepts NULL */

/* Called by the reading thread after some frames.  over: the capture has ended and its table is
 * complete; no call follows. */
void	pace_capture_feed_look(struct pace_capture_feed *w, const struct pace_cap_table *t,
	    bool over);

/* Start the thread that reads frames. */
int	pace_capture_feed_start(struct pace_capture_feed *w, void (*read)(void *ctx), void *ctx);
/* Wait until the reading thread ends. */
void	pace_capture_feed_join(struct pace_capture_feed *w);

/* A file descriptor that is readable when a line is available. */
int	pace_capture_feed_fd(const struct pace_capture_feed *w);
/* As pace_status_source_next; ctx is the struct pace_capture_feed. */
int	pace_capture_feed_next(void *ctx, int64_t now_ns, struct pace_status_source_item *item);

#endif
