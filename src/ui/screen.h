/*
 * screen.h - a canvas on a terminal, and its keys.  The only part that uses curses; a
 * build without it has pace_screen_lacks instead.
 *
 * Terminal   pace_screen_open takes it.  pace_screen_close and exit() restore it, and so do
 *            fatal signals (SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGQUIT) before the
 *            process ends.  The caller handles all other signals: a handler that ends the
 *            process calls pace_screen_rescue first.
 * Stop       pace_screen_key handles SIGTSTP and SIGCONT.  A process that continues in the
 *            background reads and paints nothing until it is in the foreground again.
 * Cost       only changed cells are sent.
 * Threads    one; one screen.
 */
#ifndef PACE_UI_SCREEN_H
#define PACE_UI_SCREEN_H

#include "ui/canvas.h"
#include "ui/hotkeys.h"

enum pace_colour { PACE_COLOUR_AUTO, PACE_COLOUR_ALWAYS, PACE_COLOUR_NEVER };

/* The library that this build lacks for a screen; NULL: it has a screen. */
const char	*pace_screen_lacks(void);

/* Open the screen: 0; -ENODEV: no terminal, or not a suitable one; -ENOSYS: this build has no
 * screen. */
int	pace_screen_open(enum pace_colour colour);
void	pace_screen_close(void);	/* may be called again */

void	pace_screen_size(int *rows, int *cols);
void	pace_screen_show(const struct pace_canvas *g, enum pace_theme theme);
/* Paint everything again, after another program wrote on the terminal. */
void	pace_screen_repaint(void);

#define PACE_SCREEN_RESIZED	(-1)
#define PACE_SCREEN_GONE	(-2)	/* the terminal is */
/* Read a key, or one of these; 0: no key now. */
int	pace_screen_key(void);

/* Is the process in the background, where no keys arrive? */
bool	pace_screen_is_away(void);

/* Restore the terminal from a signal handler. */
void	pace_screen_rescue(void);

/* The bytes that leave the screen of this terminal, for a parent whose drawing child was killed.
 * Returns their number; 0: not known.  Call it only before pace_screen_open. */
size_t	pace_screen_farewell(const char **text);

#endif
