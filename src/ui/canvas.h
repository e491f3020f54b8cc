/*
 * canvas.h - a screen as cells: what a view draws and who shows it copies.
 *
 * Cells      a glyph and its role; what a role looks like is the theme's.  The right
 *            half of a wide glyph is a cell with glyph 0.
 * Clipping   everything may be put anywhere: what lies outside is left out, and a wide
 *            glyph of which half lies outside becomes a blank.
 * ASCII      with utf8 false no cell holds anything else.
 * Memory     one block, kept when the size stays the same.
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

/* All blank; 0 or -ENOMEM, and then of no size.  The first time of a zeroed struct. */
int	pace_canvas_size(struct pace_canvas *g, int rows, int cols, bool utf8);
void	pace_canvas_free(struct pace_canvas *g);

void	pace_canvas_put(struct pace_canvas *g, int row, int col, uint32_t glyph, enum pace_role role);
/* A text of the network or ours, at most width cells; how many it took. */
int	pace_canvas_text(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
	    const char *text);
/* The same, its end at col + width; a longer one loses its end. */
void	pace_canvas_right(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
	    const char *text);
/* At col, at most width cells; how many it took. */
int	pace_canvas_say(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
	    const char *fmt, ...) __attribute__((format(printf, 6, 7)));
void	pace_canvas_rule(struct pace_canvas *g, int row, int col, int width);
void	pace_canvas_role(struct pace_canvas *g, int row, int col, int width, enum pace_role role);

/* The rows as text, without blanks at their ends. */
void	pace_canvas_dump(const struct pace_canvas *g, FILE *f);

#endif
