/*
 * theme.h - the look of each role: attributes, and one of 8 colours on the terminal's own
 * background (but black on yellow).
 *
 * Rule       colour is never the only sign: bad news have a mark or a digit as well, and
 *            without colours a warning is bold.
 */
#ifndef PACE_UI_THEME_H
#define PACE_UI_THEME_H

#include <stdbool.h>
#include <stdio.h>

#include "ui/canvas.h"
#include "ui/hotkeys.h"

struct pace_look {
	/* 1 red, 2 green, 3 black on yellow, 5 magenta, 6 cyan; 0: the terminal's */
	int	colour;
	bool	bold, dim, reverse, underline;
};

struct pace_look	pace_theme_look(enum pace_theme t, enum pace_role r);

/* Write the rows as text with escape sequences, for a terminal or a program that draws them. */
void	pace_theme_dump(const struct pace_canvas *g, enum pace_theme t, FILE *f);

#endif
