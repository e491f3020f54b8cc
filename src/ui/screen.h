/*
 * screen.h - a canvas on a terminal, and its keys.  The only part that uses curses; a
 * build without it has pace_screen_lacks instead.
 *
 * Terminal   taken by pace_screen_open, given back as it was by pace_screen_close, by
 *            exit(), and on fatal signals (SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL,
 *            SIGQUIT) before the process dies of them.  Other signals are the caller's:
 *            a handler of his that ends the process calls pace_screen_rescue first.
 * Stop       SIGTSTP and SIGCONT are taken care of by pace_screen_key.  Continued in the
 *            background nothing is read or painted until it is in front again.
 * Cost       only cells that changed are sent.
 * Threads    one; one screen.
 */
#ifndef PACE_UI_SCREEN_H
#define PACE_UI_SCREEN_H

#include "ui/canvas.h"
#include "ui/hotkeys.h"

enum pace_colour { PACE_COLOUR_AUTO, PACE_COLOUR_ALWAYS, PACE_COLOUR_NEVER };

/* What this build has no screen for the lack of; NULL: it has one. */
const char	*pace_screen_lacks(void);

/* 0; -ENODEV: this terminal cannot do it, or there is none; -ENOSYS: nor can this build. */
int	pace_screen_open(enum pace_colour colour);
void	pace_screen_close(void);	/* more than once will do */

void	pace_screen_size(int *rows, int *cols);
void	pace_screen_show(const struct pace_canvas *g, enum pace_theme theme);
/* Everything anew: another program wrote on the terminal. */
void	pace_screen_repaint(void);

#define PACE_SCREEN_RESIZED	(-1)
#define PACE_SCREEN_GONE	(-2)	/* the terminal is */
/* A key, or one of these; 0: there is none now. */
int	pace_screen_key(void);

/* In the background: there are no keys to wait for. */
bool	pace_screen_is_away(void);

/* Only what a signal handler may do. */
void	pace_screen_rescue(void);

/* What leaves the screen of this terminal, for one who takes it back from a process that
 * was killed: bytes to write, and how many.  Before pace_screen_open only; 0: not known. */
size_t	pace_screen_farewell(const char **text);

#endif
