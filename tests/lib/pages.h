/*
 * pages.h - all pages of a monitor with their colours, for a sum.
 */
#ifndef TESTS_PAGES_H
#define TESTS_PAGES_H

#include "ui/theme.h"
#include "ui/view.h"

/* Every page, as it is shown at first; false: no memory. */
static inline bool
pages_write(FILE *f, const struct pace_snap *s)
{
	struct pace_canvas g = { .rows = 0 };
	struct pace_ui ui = { .speed = 1 };

	for (int page = 0; page < PACE_PAGES; page++) {
		if (pace_canvas_size(&g, 48, 100, false) != 0)
			return false;
		ui.page = (enum pace_page)page;
		pace_view_draw(&g, s, &ui);
		pace_theme_dump(&g, PACE_THEME_USUAL, f);
	}
	pace_canvas_free(&g);
	return true;
}

#endif
