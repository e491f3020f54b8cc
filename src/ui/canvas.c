#include "ui/canvas.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "out/glyph.h"

int
pace_canvas_size(struct pace_canvas *g, int rows, int cols, bool utf8)
{
	struct pace_screen_cell *cell = g->cell;

	rows = rows < 0 ? 0 : rows > PACE_CANVAS_MOST ? PACE_CANVAS_MOST : rows;
	cols = cols < 0 ? 0 : cols > PACE_CANVAS_MOST ? PACE_CANVAS_MOST : cols;
	if (cell == NULL || rows != g->rows || cols != g->cols)
		cell = realloc(cell, (size_t)(rows * cols > 0 ? rows * cols : 1) * sizeof(*cell));
	if (cell == NULL) {
		pace_canvas_free(g);
		return -ENOMEM;
	}
	*g = (struct pace_canvas){ .rows = rows, .cols = cols, .utf8 = utf8, .cell = cell };
	for (int i = 0; i < rows * cols; i++)
		cell[i] = (struct pace_screen_cell){ .glyph = ' ', .role = PACE_ROLE_TEXT };
	return 0;
}

void
pace_canvas_free(struct pace_canvas *g)
{
	free(g->cell);
	memset(g, 0, sizeof(*g));
}

static bool
is_inside(const struct pace_canvas *g, int row, int col)
{
	return row >= 0 && row < g->rows && col >= 0 && col < g->cols;
}

/* Overwriting half of a wide glyph clears its other half. */
static void
part(struct pace_canvas *g, int row, int col)
{
	struct pace_screen_cell *c = &g->cell[row * g->cols + col];

	if (c->glyph == 0 && col > 0)
		c[-1].glyph = ' ';
	if (col + 1 < g->cols && c[1].glyph == 0)
		c[1].glyph = ' ';
}

void
pace_canvas_put(struct pace_canvas *g, int row, int col, uint32_t glyph, enum pace_role role)
{
	if (!g->utf8)
		glyph = (uint32_t)(unsigned char)pace_glyph_ascii(glyph);
	if (pace_glyph_width(glyph) == 2 && is_inside(g, row, col) != is_inside(g, row, col + 1)) {
		pace_canvas_put(g, row, col, ' ', role);
		pace_canvas_put(g, row, col + 1, ' ', role);
		return;
	}
	if (!is_inside(g, row, col))
		return;
	part(g, row, col);
	g->cell[row * g->cols + col] = (struct pace_screen_cell){ .glyph = glyph, .role = role };
	if (pace_glyph_width(glyph) == 2) {
		part(g, row, col + 1);
		g->cell[row * g->cols + col + 1] =
		    (struct pace_screen_cell){ .glyph = 0, .role = role };
	}
}

int
pace_canvas_text(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
    const char *text)
{
	int at = 0;

	while (*text != '\0') {
		uint32_t glyph = pace_glyph_next(&text);
		int cells = g->utf8 ? pace_glyph_width(glyph) : 1;

		if (at + cells > width)
			break;
		pace_canvas_put(g, row, col + at, glyph, role);
		at += cells;
	}
	return at;
}

void
pace_canvas_right(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
    const char *text)
{
	int cells = pace_text_cells(text), skip = cells < width ? width - cells : 0;

	pace_canvas_text(g, row, col + skip, width - skip, role, text);
}

int
pace_canvas_say(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
    const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	return pace_canvas_text(g, row, col, width, role, text);
}

void
pace_canvas_rule(struct pace_canvas *g, int row, int col, int width)
{
	for (int i = 0; i < width; i++)
		pace_canvas_put(g, row, col + i, 0x2500, PACE_ROLE_RULE);
}

void
pace_canvas_role(struct pace_canvas *g, int row, int col, int width, enum pace_role role)
{
	for (int i = 0; i < width; i++)
		if (is_inside(g, row, col + i))
			g->cell[row * g->cols + col + i].role = role;
}

void
pace_canvas_dump(const struct pace_canvas *g, FILE *f)
{
	for (int r = 0; r < g->rows; r++) {
		const struct pace_screen_cell *c = &g->cell[r * g->cols];
		int n = g->cols;
		char text[5];

		while (n > 0 && c[n - 1].glyph == ' ')
			n--;
		for (int i = 0; i < n; i++)
			if (c[i].glyph != 0) {
				pace_glyph_put(c[i].glyph, text);
				fputs(text, f);
			}
		fputc('\n', f);
	}
}
