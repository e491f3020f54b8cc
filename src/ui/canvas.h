/*
 * canvas.h - a screen as cells: a view draws it, the screen copies it.
 *
 * Cells      a glyph and its role; the theme decides how a role looks.  The right
 *            half of a wide glyph is a cell with glyph 0.
 * Clipping   anything may be drawn anywhere.  Cells outside the canvas are dropped; a
 *            wide glyph at the edge becomes a blank.
 * ASCII      with utf8 false, all cells hold ASCII.
 * Memory     one block, reused while the size stays the same.
 */
#ifndef PACE_UI_CANVAS_H
#define PACE_UI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PACE_CANVAS_MOST	1000	/* rows, columns */

enum pace_role { PACE_ROLE_TEXT, PACE_ROLE_FAINT, PACE_ROLE_NOW, PACE_ROLE_TITLE, PACE_ROLE_CHOSEN,
	PACE_ROLE_GOOD, PACE_ROLE_WARN, PACE_ROLE_BAD, PACE_ROLE_BAR, PACE_ROLE_RULE, PACE_ROLES };

struct pace_screen_cell {
	uint32_t	glyph;
	enum pace_role	role;
};

struct pace_canvas {
	int		rows, cols;
	bool		utf8;
	struct pace_screen_cell *cell;		/* row by row */
	int		cursor_row, cursor_col;
};

/* Set the size and clear all cells; 0, or -ENOMEM with size 0.  g is zeroed before the first
 * call. */
int	pace_canvas_size(struct pace_canvas *g, int rows, int cols, bool utf8);
void	pace_canvas_free(struct pace_canvas *g);

void	pace_canvas_put(struct pace_canvas *g, int row, int col, uint32_t glyph,
    enum pace_role role);
/* Draw a text, which may come off the network, in at most width cells; returns the cells
 * used. */
int	pace_canvas_text(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
	    const char *text);
/* Draw a text that ends at col + width; a longer text loses its end. */
void	pace_canvas_right(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
	    const char *text);
/* Draw a printf text at col in at most width cells; returns the cells used. */
int	pace_canvas_say(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
	    const char *fmt, ...) __attribute__((format(printf, 6, 7)));
void	pace_canvas_rule(struct pace_canvas *g, int row, int col, int width);
void	pace_canvas_role(struct pace_canvas *g, int row, int col, int width, enum pace_role role);

/* Write the rows as text, without trailing blanks. */
void	pace_canvas_dump(const struct pace_canvas *g, FILE *f);

#endif
