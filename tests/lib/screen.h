/*
 * screen.h - a view as text, in memory that the caller frees.
 */
#ifndef PACE_TEST_SCREEN_H
#define PACE_TEST_SCREEN_H

#include <check.h>
#include <stdio.h>

#include "ui/view.h"

static char *
drawn(const struct pace_snap *s, const struct pace_ui *ui, int cols, int rows)
{
	struct pace_canvas g = { .rows = 0 };
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_int_eq(pace_canvas_size(&g, rows, cols, ui->bars != PACE_BARS_ASCII), 0);
	pace_view_draw(&g, s, ui);
	pace_canvas_dump(&g, f);
	fclose(f);
	pace_canvas_free(&g);
	return text;
}

#endif
