/*
 * theme.h - how roles look: one of the 8 colours over the terminal's own background, but
 * yellow below black, and attributes.
 *
 * Rule       colour is never alone: what is bad has a sign or a digit as well, and without
 *            colours a warning is bold.
 */
#ifndef PACE_UI_THEME_H
#define PACE_UI_THEME_H

#include <stdbool.h>

#include "ui/canvas.h"
#include "ui/hotkeys.h"

struct pace_look {
	int	colour;		/* 1 red, 2 green, 3 black on yellow, 5 magenta, 6 cyan; 0: the terminal's */
	bool	bold, dim, reverse, underline;
};

struct pace_look	pace_theme_look(enum pace_theme t, enum pace_role r);

#endif
