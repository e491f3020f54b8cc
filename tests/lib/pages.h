/*
 * pages.h - a monitor's screens as text, for a sum: first the glyphs of all rows, then the role of each
 * cell as a letter.
 */
#ifndef TESTS_PAGES_H
#define TESTS_PAGES_H

#include "live/snap.h"
#include "out/glyph.h"
#include "ui/view.h"

static inline void
pages_cells(FILE *f, const struct pace_canvas *g)
{
	for (int i = 0; i < g->rows * g->cols; i++) {
		char glyph[5] = "";

		if (g->cell[i].glyph != 0)
			pace_glyph_put(g->cell[i].glyph, glyph);
		fprintf(f, "%s%s", glyph, i % g->cols == g->cols - 1 ? "\n" : "");
	}
	for (int i = 0; i < g->rows * g->cols; i++)
		fputc('a' + (int)g->cell[i].role, f);
	fputc('\n', f);
}

/* Every page, as it is shown at first; false: no memory. */
static inline bool
pages_write(FILE *f, const struct pace_snap *s)
{
	struct pace_canvas g = { .rows = 0 };
	bool good = true;

	for (int page = 0; good && page < PACE_PAGES; page++) {
		struct pace_ui ui = { .speed = 1, .page = (enum pace_page)page };

		good = pace_canvas_size(&g, 48, 100, false) == 0;
		if (!good)
			break;
		pace_view_draw(&g, s, &ui);
		pages_cells(f, &g);
	}
	pace_canvas_free(&g);
	return good;
}

#endif
