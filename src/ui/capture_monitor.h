/*
 * capture_monitor.h - the monitor of a running capture.
 *
 * Purpose    show the flows on a screen or in lines, and record the lines.  Another thread
 *            reads the frames, as without a monitor.
 * Ends       with the capture, or when the user leaves.
 * Errors     printed on stderr; an exit status is returned.
 */
#ifndef PACE_UI_CAPTURE_MONITOR_H
#define PACE_UI_CAPTURE_MONITOR_H

#include "live/capture_feed.h"

struct pace_capture_monitor_cfg {
	struct pace_capture_feed_cfg watch;
	bool		plain, force;
	const char	*record;	/* file for the lines, NULL: none */
	void		(*read)(void *ctx);	/* reads frames until the end, or until leave */
	void		(*leave)(void *ctx);	/* makes read return */
	void		*ctx;
};

struct pace_capture_monitor;

/* Open it before frames are read: 0, or an exit status.  Always call
 * pace_capture_monitor_free. */
int	pace_capture_monitor_open(struct pace_capture_monitor **to,
	    const struct pace_capture_monitor_cfg *cfg);
/* The feed for the reading thread. */
struct pace_capture_feed	*pace_capture_monitor_feed(struct pace_capture_monitor *w);
/* Show the capture to its end, and end the reading.  Returns the record's exit status, or 0. */
int	pace_capture_monitor_run(struct pace_capture_monitor *w);
void	pace_capture_monitor_free(struct pace_capture_monitor *w);	/* NULL is accepted */

#endif
