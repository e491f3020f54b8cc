/*
 * monitor.h - the common part of screen and lines: the source of the lines, the snapshot,
 * the record.
 */
#ifndef PACE_UI_MONITOR_H
#define PACE_UI_MONITOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "live/snap.h"
#include "live/status_source.h"
#include "ui/hotkeys.h"
#include "ui/line.h"
#include "ui/screen.h"

struct pace_live;

struct monitor {
	struct pace_status_source *lines;
	struct pace_live *live;		/* our own stream; NULL: lines of another process */
	struct pace_snap *snap;
	FILE		*record;	/* NULL: none */
	const char	*record_name;
	int64_t		record_failed;	/* errno, 0: no error */
	bool		utf8;
	bool		on_screen;
	bool		ends;		/* leave the screen when no more lines will arrive */
	bool		lines_too;	/* print a line for each interval */
	struct pace_line_head head;	/* of these lines */
	struct pace_ui	ui;
	/* for a campaign: PACE_ACT_SKIP with a point's index, PACE_ACT_STOP_...; else NULL */
	void		(*order)(void *ctx, enum pace_act act, uint64_t index);
	void		*order_ctx;
	bool		page_given;	/* the user chose the first view */
	bool		greeted;	/* the first line was read */
	int64_t		from_ns;	/* show nothing before this time of day */
	uint64_t	count, most;	/* intervals shown, and their limit; most 0: none */
	bool		attaches;	/* the lines come from a status socket */
	uint64_t	attached;	/* lines of sessions at the time of attaching */
	char		started[32];	/* start of that responder */
	uint64_t	dropped;	/* times that the responder closed, but was still there */
	int64_t		gone_ns;	/* since then there is no responder; 0: it is there */
	int64_t		again_ns;	/* next attempt to attach */
	int64_t		give_up_ns;	/* longest time without a responder; 0: no limit */
	bool		gave_up;
	uint64_t	bad;		/* lines that could not be read */
	int		over;		/* -ENODATA: no more lines; other -errno; 0: it goes on */
};

/* Read the next line; record and count it, unless that was done before.  1: it has sessions to
 * show; 0: it has none, or no line is there now; below 0: over.  *any: a line was read. */
int	monitor_take(struct monitor *m, int64_t now_ns, bool *any);

/* Add a note with the present time to the record and to the events. */
void	monitor_note(struct monitor *m, const char *text);

/* Show the screen until the user leaves or a signal comes.  -errno of pace_screen_open. */
int	monitor_screen(struct monitor *m, enum pace_colour colour);

/* Print lines without a screen, until it is over or a signal comes. */
void	monitor_plain(struct monitor *m);

/* Is there a terminal that can move its cursor?  If this build has no screen, a message with the
 * option's name ("--monitor: ") says so. */
bool	monitor_has_terminal(const char *whose);

/* Read all remaining lines; show: print them, if lines are printed. */
void	monitor_rest(struct monitor *m, bool show);

/* Choose the characters and bars that the terminal has.  The Linux console has no block
 * characters, whatever the locale. */
void	monitor_glyphs(struct monitor *m, bool ascii);

/* Did the lines end for another reason than the end of our own stream? */
bool	monitor_is_lost(const struct monitor *m);

/* Were --count intervals shown? */
bool	monitor_is_done(const struct monitor *m);

#endif
