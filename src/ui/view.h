/*
 * view.h - the monitor's screens.
 *
 * Purpose    a screen is a function of what is known, of what was chosen and of its
 *            size, and of nothing else: no clock, no terminal, no state.
 * Sizes      any.  What has no room is left out, first hints, then least and most, rows
 *            of graphs, words of the tabs, and the line of keys; below 40 x 10 one line
 *            says state, rate and loss.
 */
#ifndef PACE_UI_VIEW_H
#define PACE_UI_VIEW_H

#include "live/snap.h"
#include "ui/canvas.h"
#include "ui/hotkeys.h"

/* Fill g, which has its size; utf8 of g and bars of ui agree. */
void	pace_view_draw(struct pace_canvas *g, const struct pace_snap *s, const struct pace_ui *ui);

/* Rows of a list, on a screen of so many. */
int	pace_view_list_rows(const struct pace_ui *ui, int rows, int cols);

/* Hold the axes as they are on a screen of so many columns, or let them go. */
void	pace_view_hold(struct pace_ui *ui, const struct pace_snap *s, int cols);

#endif
