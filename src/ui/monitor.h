/*
 * monitor.h - what the two ways to show sessions share: where lines come from, what is
 * known, and what is recorded.
 */
#ifndef PACE_UI_MONITOR_H
#define PACE_UI_MONITOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "live/snap.h"
#include "live/status_source.h"
#include "ui/hotkeys.h"
#include "ui/screen.h"

struct pace_live;

struct monitor {
	struct pace_status_source *lines;
	struct pace_live *live;		/* whose lines these are; NULL: somebody else's */
	struct pace_snap *snap;
	FILE		*record;	/* NULL: none */
	const char	*record_name;
	int64_t		record_failed;	/* errno, 0: it did not */
	bool		utf8;
	bool		on_screen;
	bool		ends;		/* the screen is left when nothing more will come */
	bool		lines_too;	/* a line is printed for each interval */
	struct pace_ui	ui;
	/* of a campaign: PACE_ACT_SKIP of point index, PACE_ACT_STOP_...; NULL: of none */
	void		(*order)(void *ctx, enum pace_act act, uint64_t index);
	void		*order_ctx;
	int64_t		from_ns;	/* time of day before which nothing is shown */
	uint64_t	count, most;	/* intervals that were shown; most 0: no limit */
	uint64_t	attached;	/* lines of sessions there were when it was attached */
	uint64_t	dropped;	/* times that the responder closed, and answered again */
	uint64_t	bad;		/* lines that were not understood */
	int		over;		/* -ENODATA: nothing more will come; else -errno; 0: it goes on */
};

/* Take the next line, and record and count it unless that was done before.  1: it told of
 * sessions, to be shown; 0: it did not, or there is none now; below 0: over.  *any: there was
 * a line. */
int	monitor_take(struct monitor *m, int64_t now_ns, bool *any);

/* A note at this moment: in the record, and among the events. */
void	monitor_note(struct monitor *m, const char *text);

/* On the terminal, until the one there leaves, or a signal.  -errno of pace_screen_open. */
int	monitor_screen(struct monitor *m, enum pace_colour colour);

/* Without a screen: as many lines as come, until it is over or a signal came. */
void	monitor_plain(struct monitor *m);

/* Is there a terminal that can move its cursor, and are its lines not wanted?  Told where this
 * build has no screen for it. */
bool	monitor_has_terminal(const struct monitor *m);

/* All that is there still; show: in lines, where these are wanted. */
void	monitor_rest(struct monitor *m, bool show);

/* Characters and bars that the terminal has.  The console has no blocks, whatever its locale
 * says. */
void	monitor_glyphs(struct monitor *m, bool ascii);

/* Will nothing more come, and not because a stream of ours was over? */
bool	monitor_is_lost(const struct monitor *m);

/* Was enough shown? */
bool	monitor_is_done(const struct monitor *m);

#endif
