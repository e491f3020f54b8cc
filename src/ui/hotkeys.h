/*
 * hotkeys.h - the monitor's keys in one table, and the user's choices.
 *
 * Purpose    a row has a key, the views where it works, its action and its line of help.
 *            The keyboard, the help view, the last line of the screen and the man page's
 *            test all use this table.
 */
#ifndef PACE_UI_HOTKEYS_H
#define PACE_UI_HOTKEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/snap.h"

enum pace_page { PACE_PAGE_OVERVIEW, PACE_PAGE_RATE, PACE_PAGE_HIST, PACE_PAGE_SWEEP,
	PACE_PAGE_HOST, PACE_PAGE_STREAMS, PACE_PAGE_EVENTS, PACE_PAGES };

enum pace_bars { PACE_BARS_ASCII, PACE_BARS_BLOCK, PACE_BARS_BRAILLE };

enum pace_theme { PACE_THEME_USUAL, PACE_THEME_CONTRAST, PACE_THEME_MONO, PACE_THEME_REDFREE,
	PACE_THEMES };

enum pace_sort { PACE_SORT_NUMBER, PACE_SORT_LOST, PACE_SORT_RATE, PACE_SORT_NAME,
	PACE_SORT_TROUBLE, PACE_SORTS };

enum pace_metric { PACE_METRIC_LOSS, PACE_METRIC_RATE, PACE_METRIC_ORDER, PACE_METRICS };

/* The user's choices.  A view depends only on these and on the snapshot. */
struct pace_ui {
	enum pace_page	page;
	bool		help, paused;
	enum pace_live_figure unit;		/* of rates */
	int		window;		/* index of pace_windows */
	bool		linear;		/* delay */
	enum pace_dist	dist;		/* of the histogram */
	bool		dist_recent;	/* from the newest lines, not from the whole run */
	bool		dist_linear;	/* counts */
	int		dist_zoom;	/* steps: above 0 finer than the default, below 0 coarser */
	int		dist_pan;	/* steps to the right */
	enum pace_metric metric;	/* of the sweep's grid */
	struct pace_snap_cell point;	/* under its cursor; both 0: the newest */
	double		own_share;	/* the display's share of a core; 0: not known */
	double		held_bps, held_ns;	/* fixed tops of the axes; 0: automatic */
	enum pace_bars	bars;
	enum pace_theme	theme;
	uint64_t	session;	/* session shown; 0: the one that measures */
	uint64_t	cursor;		/* session in the list; 0: none yet */
	enum pace_sort	sort;
	bool		backwards;
	uint64_t	order[PACE_SNAP_SESSIONS];	/* of the list, fixed under the cursor */
	size_t		ordered;	/* entries of order; 0: sorted now */
	int		scroll;		/* lines, of events and help */
	int		rows;		/* rows that fit; 0: not known */
	uint64_t	events_seen;
	bool		campaign;	/* a campaign of this process */
	bool		asking;		/* asks whether to stop it: the next key is the answer */
	bool		keeps;		/* keep the last screen after that answer */
	bool		replay, held;
	double		speed;
	bool		over;		/* no more lines will arrive */
	int64_t		gone_ns;	/* time without a responder; 0: it is there */
	const char	*record;	/* file being written, NULL: none */
	const char	*record_error;	/* why writing stopped, NULL: it goes on */
	bool		typing;		/* keys are characters of a note */
	char		note[100];
	char		notice[160];	/* for the user, "": none */
};

#define PACE_WINDOWS	6
extern const int pace_windows[PACE_WINDOWS];	/* ticks in a column */

enum pace_act {
	PACE_ACT_NONE,
	/* pace_ui_act does these */
	PACE_ACT_PAGE_1, PACE_ACT_PAGE_2, PACE_ACT_PAGE_3, PACE_ACT_PAGE_4, PACE_ACT_PAGE_5,
	    PACE_ACT_PAGE_6,
	PACE_ACT_PAGE_7, PACE_ACT_NEXT_PAGE,
	PACE_ACT_LAST_PAGE, PACE_ACT_HELP, PACE_ACT_CLOSE, PACE_ACT_UP, PACE_ACT_DOWN,
	PACE_ACT_PAGE_UP, PACE_ACT_PAGE_DOWN, PACE_ACT_TOP, PACE_ACT_BOTTOM, PACE_ACT_OPEN,
	PACE_ACT_SORT, PACE_ACT_BACKWARDS, PACE_ACT_UNIT, PACE_ACT_LOG, PACE_ACT_LONGER,
	PACE_ACT_SHORTER, PACE_ACT_HOLD_SCALE, PACE_ACT_THEME, PACE_ACT_QUANTITY, PACE_ACT_RECENT,
	PACE_ACT_COARSER, PACE_ACT_FINER, PACE_ACT_PAN_LEFT, PACE_ACT_PAN_RIGHT,
	PACE_ACT_NOTE, PACE_ACT_METRIC, PACE_ACT_POINT_LEFT, PACE_ACT_POINT_RIGHT,
	/* the caller does these */
	PACE_ACT_PAUSE, PACE_ACT_RESET, PACE_ACT_QUIT, PACE_ACT_QUIT_KEEP, PACE_ACT_SAVE,
	PACE_ACT_SKIP, PACE_ACT_STOP_AFTER, PACE_ACT_STOP_NOW, PACE_ACT_LINES,
	PACE_ACT_REPAINT, PACE_ACT_BACK, PACE_ACT_ON, PACE_ACT_SLOWER, PACE_ACT_FASTER,
	PACE_ACTS
};

/* Keys that are not characters. */
enum { PACE_HOTKEY_UP = 0x200000, PACE_HOTKEY_DOWN, PACE_HOTKEY_LEFT, PACE_HOTKEY_RIGHT,
	PACE_HOTKEY_PAGE_UP,
	PACE_HOTKEY_PAGE_DOWN, PACE_HOTKEY_HOME, PACE_HOTKEY_END, PACE_HOTKEY_BACK_TAB,
	    PACE_HOTKEY_F1 };

struct pace_hotkey {
	int		code[3];	/* 0: none */
	const char	*name;		/* "SPACE, p" */
	unsigned	pages;		/* bits; PACE_IN_REPLAY, PACE_IN_CAMPAIGN: only there */
	enum pace_act	act;
	const char	*brief;		/* for the last line; NULL: not there */
	const char	*help;
};

#define PACE_HOTKEY_BACKSPACE	0x7f

#define PACE_IN(page)	(1U << (page))
#define PACE_IN_ALL	(PACE_IN(PACE_PAGES) - 1)
#define PACE_IN_REPLAY	(1U << 16)
#define PACE_IN_CAMPAIGN	(1U << 17)

/* The answers when the user is asked whether to leave or to stop a campaign. */
struct pace_answer {
	int		key;
	enum pace_act	act;		/* PACE_ACT_NONE: the campaign continues */
	const char	*words;
};
#define PACE_ANSWERS	4
extern const struct pace_answer pace_answers[PACE_ANSWERS];

/* Handle a key while the question is open: a key that is not an answer leaves it open, Esc
 * continues the campaign. */
enum pace_act	pace_ui_answer(struct pace_ui *ui, int key);

extern const struct pace_hotkey pace_hotkeys[];
extern const size_t pace_hotkeys_n;

/* Does this row apply now? */
bool	pace_hotkey_holds(const struct pace_hotkey *k, const struct pace_ui *ui);
enum pace_act	pace_hotkey_act(int code, const struct pace_ui *ui);

/* Do an action, or return it if the caller must do it. */
enum pace_act	pace_ui_act(struct pace_ui *ui, const struct pace_snap *s, enum pace_act act);

/* Handle a key while the user types a note.  True: Enter ended a note, which the caller
 * stores.  Esc, or Enter without text, drops it. */
bool	pace_ui_type(struct pace_ui *ui, int code);

/* Store the order of the list in v, which has s->n entries.  While the list has a cursor its
 * order stays, and new sessions come last. */
void	pace_ui_order(const struct pace_ui *ui, const struct pace_snap *s, size_t *v);
/* The index of the session that is shown: the chosen one; by default the one that measures, or a
 * watcher's worst path.  -1: there is none. */
int	pace_ui_shown(const struct pace_ui *ui, const struct pace_snap *s);
const char	*pace_theme_name(enum pace_theme t);

#endif
