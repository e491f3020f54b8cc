#include "config.h"

#include "ui/screen.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "ui/theme.h"

#define ESC_MS	25		/* a key of its own, or the begin of another one? */

static SCREEN *screen;		/* NULL: the terminal is not ours */
static bool coloured;

/* The bytes that restore the terminal, for a signal handler. */
static struct termios before;
static volatile sig_atomic_t is_taken;
static char farewell[256];
static size_t farewell_len;

static volatile sig_atomic_t stopped, continued;

const char *
pace_screen_lacks(void)
{
	return NULL;
}

/* --- signals ------------------------------------------------------------------------ */

void
pace_screen_rescue(void)
{
	int error = errno;

	if (is_taken) {
		is_taken = 0;
		(void)!write(STDOUT_FILENO, farewell, farewell_len);
		(void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
	}
	errno = error;
}

/* The handler was for once: now it kills. */
static void
on_fatal(int sig)
{
	pace_screen_rescue();
	raise(sig);
}

static void
on_stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static void
on_continue(int sig)
{
	(void)sig;
	continued = 1;
}

static const struct caught {
	int	sig;
	void	(*handler)(int);
	int	flags;
} caught[] = {
	{ SIGSEGV, on_fatal, (int)SA_RESETHAND | SA_NODEFER },
	{ SIGBUS, on_fatal, (int)SA_RESETHAND | SA_NODEFER },
	{ SIGABRT, on_fatal, (int)SA_RESETHAND | SA_NODEFER },
	{ SIGFPE, on_fatal, (int)SA_RESETHAND | SA_NODEFER },
	{ SIGILL, on_fatal, (int)SA_RESETHAND | SA_NODEFER },
	{ SIGQUIT, on_fatal, (int)SA_RESETHAND | SA_NODEFER },
	{ SIGTSTP, on_stop, 0 },
	{ SIGCONT, on_continue, SA_RESTART },
};
#define CAUGHT	(sizeof(caught) / sizeof(caught[0]))

static struct sigaction others[CAUGHT];		/* what was there before */

/* A signal that the parent process ignored stays ignored. */
static void
take_signals(void)
{
	for (size_t i = 0; i < CAUGHT; i++) {
		struct sigaction sa = { .sa_handler = caught[i].handler,
		    .sa_flags = caught[i].flags };

		sigemptyset(&sa.sa_mask);
		if (sigaction(caught[i].sig, NULL, &others[i]) == 0 &&
		    others[i].sa_handler != SIG_IGN)
			sigaction(caught[i].sig, &sa, NULL);
	}
}

static void
return_signals(void)
{
	for (size_t i = 0; i < CAUGHT; i++)
		sigaction(caught[i].sig, &others[i], NULL);
}

/* One in the background may not change the terminal's modes: the kernel would stop it.
 * A terminal that has gone belongs to no process. */
static bool
is_ours(void)
{
	pid_t front = tcgetpgrp(STDIN_FILENO);

	return front < 0 || front == getpgrp();
}

/* Stop as by an uncaught signal, with the terminal restored.  If no shell could continue the
 * process (a group without a parent in its session), the kernel does not stop it. */
static void
stop_here(void)
{
	struct sigaction usual = { .sa_handler = SIG_DFL }, ours;
	sigset_t one, blocked;

	stopped = 0;
	if (is_ours() && !isendwin()) {
		def_prog_mode();
		endwin();
	}
	is_taken = 0;
	sigemptyset(&usual.sa_mask);
	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	sigaction(SIGTSTP, &usual, &ours);
	sigprocmask(SIG_UNBLOCK, &one, &blocked);
	raise(SIGTSTP);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	sigaction(SIGTSTP, &ours, NULL);
	continued = 1;
}

/* Was it continued in the background?  Then the terminal is another one's. */
static bool
is_away(void)
{
	return continued && !is_ours();
}

/* --- open and close ----------------------------------------------------------------- */

static int
keep(int c)
{
	if (farewell_len < sizeof(farewell))
		farewell[farewell_len++] = (char)c;
	return c;
}

/* Leave keypad mode and attributes, show the cursor, leave the screen of our own. */
static void
prepare_farewell(void)
{
	static const char *const names[] = { "rmkx", "sgr0", "cnorm", "rmcup" };

	farewell_len = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *s = tigetstr(names[i]);

		if (s != NULL && s != (char *)-1)
			tputs(s, 1, keep);
	}
}

size_t
pace_screen_farewell(const char **text)
{
	int error;

	*text = farewell;
	if (setupterm(NULL, STDOUT_FILENO, &error) != OK)
		return 0;
	prepare_farewell();
	del_curterm(cur_term);
	return farewell_len;
}

static void
start_colours(enum pace_colour colour)
{
	const char *no = getenv("NO_COLOR");	/* counts when it is not empty */

	coloured = colour != PACE_COLOUR_NEVER && has_colors() && (colour == PACE_COLOUR_ALWAYS ||
	    no == NULL || no[0] == '\0') && start_color() == OK;
	if (!coloured)
		return;
	use_default_colors();
	for (short i = 1; i < 8; i++)
		init_pair(i, i, -1);
	init_pair(COLOR_YELLOW, COLOR_BLACK, COLOR_YELLOW);	/* unreadable on white */
}

/* Is this terminal known, and can it move its cursor?  Checked before newterm(), which leaks
 * memory for an unknown one. */
static bool
can_move_cursor(void)
{
	const char *s;
	int error;
	bool can;

	if (setupterm(NULL, STDOUT_FILENO, &error) != OK)
		return false;
	s = tigetstr("cup");
	can = s != NULL && s != (char *)-1;
	del_curterm(cur_term);
	return can;
}

int
pace_screen_open(enum pace_colour colour)
{
	static bool once;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    tcgetattr(STDIN_FILENO, &before) < 0 || !can_move_cursor())
		return -ENODEV;
	take_signals();		/* first: curses does not replace our handlers */
	screen = newterm(NULL, stdout, stdin);	/* initscr() would end the process */
	if (screen == NULL) {
		return_signals();
		return -ENODEV;
	}
	prepare_farewell();
	is_taken = 1;
	if (!once)
		atexit(pace_screen_close);
	once = true;
	cbreak();
	noecho();
	nonl();
	set_escdelay(ESC_MS);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	start_colours(colour);
	return 0;
}

void
pace_screen_close(void)
{
	if (screen == NULL)
		return;
	if (!isendwin() && !is_away())
		endwin();
	is_taken = 0;
	delscreen(screen);
	screen = NULL;
	return_signals();
}

/* --- showing ------------------------------------------------------------------------- */

static void
put(int row, int col, const struct pace_screen_cell *c, enum pace_theme theme)
{
	struct pace_look k = pace_theme_look(theme, c->role);
	/* a warning must not look like plain text without colours either */
	attr_t how = (k.bold || (!coloured && k.colour == COLOR_YELLOW) ? A_BOLD : 0) |
	    (k.dim ? A_DIM : 0) | (k.reverse ? A_REVERSE : 0) | (k.underline ? A_UNDERLINE : 0);
	wchar_t text[2] = { (wchar_t)c->glyph, 0 };
	cchar_t cell;

	if (c->glyph != 0 && setcchar(&cell, text, how,
	    (short)(coloured ? k.colour : 0), NULL) == OK)
		mvadd_wch(row, col, &cell);	/* in the last corner it fails, and is there */
}

void
pace_screen_show(const struct pace_canvas *g, enum pace_theme theme)
{
	if (is_away())
		return;
	for (int r = 0; r < g->rows; r++)
		for (int c = 0; c < g->cols; c++)
			put(r, c, &g->cell[r * g->cols + c], theme);
	move(g->cursor_row, g->cursor_col);	/* seen: braille displays follow it */
	refresh();
}

bool
pace_screen_is_away(void)
{
	return is_away();
}

void
pace_screen_repaint(void)
{
	clearok(curscr, TRUE);
}

void
pace_screen_size(int *rows, int *cols)
{
	getmaxyx(stdscr, *rows, *cols);
}

/* --- keys ------------------------------------------------------------------------------ */

static int
special(wint_t code)
{
	switch (code) {
	case KEY_UP:	return PACE_HOTKEY_UP;
	case KEY_DOWN:	return PACE_HOTKEY_DOWN;
	case KEY_LEFT:	return PACE_HOTKEY_LEFT;
	case KEY_RIGHT:	return PACE_HOTKEY_RIGHT;
	case KEY_PPAGE:	return PACE_HOTKEY_PAGE_UP;
	case KEY_NPAGE:	return PACE_HOTKEY_PAGE_DOWN;
	case KEY_HOME:	return PACE_HOTKEY_HOME;
	case KEY_END:	return PACE_HOTKEY_END;
	case KEY_BTAB:	return PACE_HOTKEY_BACK_TAB;
	case KEY_F(1):	return PACE_HOTKEY_F1;
	case KEY_ENTER:	return '\r';
	case KEY_BACKSPACE: return PACE_HOTKEY_BACKSPACE;
	case KEY_RESIZE: return PACE_SCREEN_RESIZED;
	default:	return PACE_HOTKEY_F1 + 1;	/* some other key */
	}
}

int
pace_screen_key(void)
{
	wint_t code = 0;
	int rc;

	if (stopped)
		stop_here();
	if (is_away())
		return 0;
	if (continued) {
		continued = 0;
		is_taken = 1;
		reset_prog_mode();
		clearok(curscr, TRUE);
		refresh();
		return PACE_SCREEN_RESIZED;	/* it may have been, while we slept */
	}
	errno = 0;
	rc = get_wch(&code);
	if (rc == KEY_CODE_YES)
		return special(code);
	if (rc == OK)
		return code == 0 ? PACE_HOTKEY_F1 + 1 : (int)code;
	return errno == EIO ? PACE_SCREEN_GONE : 0;
}
