/*
 * capture_monitor.h - the monitor of a capture that goes on.
 *
 * Purpose    frames are read in a thread of their own, as without a monitor; this one shows
 *            their flows, on a screen or in lines, and records the lines.
 * Ends       with the capture, or when the one at the terminal leaves.
 * Errors     told on stderr; an exit status is returned.
 */
#ifndef PACE_UI_CAPTURE_MONITOR_H
#define PACE_UI_CAPTURE_MONITOR_H

#include "live/capture_feed.h"

struct pace_capture_monitor_cfg {
	struct pace_capture_feed_cfg watch;
	bool		plain, force;
	const char	*record;	/* file of lines, NULL: none */
	void		(*read)(void *ctx);	/* reads frames, to its end or until it is told */
	void		(*leave)(void *ctx);	/* tells it */
	void		*ctx;
};

struct pace_capture_monitor;

/* Before anything is read: 0, or an exit status.  pace_capture_monitor_free always. */
int	pace_capture_monitor_open(struct pace_capture_monitor **to,
	    const struct pace_capture_monitor_cfg *cfg);
/* For the one that reads. */
struct pace_capture_feed	*pace_capture_monitor_feed(struct pace_capture_monitor *w);
/* Show it until it is over; it is read no more then.  An exit status of the record, or 0. */
int	pace_capture_monitor_run(struct pace_capture_monitor *w);
void	pace_capture_monitor_free(struct pace_capture_monitor *w);	/* NULL will do */

#endif
