/*
 * view.h - the monitor's screens.
 *
 * Purpose    a screen depends only on the snapshot, the user's choices and its size: it
 *            uses no clock, no terminal, no state.
 * Sizes      any.  If there is no room, parts are left out in this order: hints, minimum
 *            and maximum, rows of graphs, words of the tabs, the line of keys.  Below 40 x
 *            10 one line has state, rate and loss.
 */
#ifndef PACE_UI_VIEW_H
#define PACE_UI_VIEW_H

#include "live/snap.h"
#include "ui/canvas.h"
#include "ui/hotkeys.h"

/* Draw into g, whose size is set; utf8 of g and bars of ui must agree. */
void	pace_view_draw(struct pace_canvas *g, const struct pace_snap *s, const struct pace_ui *ui);

/* The rows of a list, on a screen with that many rows. */
int	pace_view_list_rows(const struct pace_ui *ui, int rows, int cols);

/* Fix the axes as they are on a screen of that width, or release them. */
void	pace_view_hold(struct pace_ui *ui, const struct pace_snap *s, int cols);

#endif
