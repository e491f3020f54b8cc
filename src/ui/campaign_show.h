/*
 * campaign_show.h - the view Sweep of a campaign that goes on.
 *
 * Purpose    the process that was called measures, as without a display; a child of it
 *            draws, with less right to a core and off the one that sends.
 * Output     what is printed while the display is there is kept, and printed when it was
 *            left.  Then the campaign goes on with lines, as without it.
 * Signals    both get those of the terminal.  SIGTSTP ends the running point (run/point_control.h),
 *            the display leaves its screen, and both stop; with SIGCONT that point is
 *            measured anew.  A campaign does not stand still in the middle of a point.
 *            A second SIGINT or SIGTERM ends both at once, with the terminal given back and
 *            what was kept printed.
 * Terminal   given back by the child; where that was killed, by the parent: its screen is
 *            left and its modes are as they were before what was kept is printed.
 * Threads    one more, which waits for the child; begun and ended by the same thread.
 */
#ifndef PACE_UI_CAMPAIGN_SHOW_H
#define PACE_UI_CAMPAIGN_SHOW_H

struct pace_campaign_show;

/* NULL: there is no terminal for it, or it cannot be had: told, unless lines were to
 * be expected. */
struct pace_campaign_show	*pace_campaign_show_begin(void);
/* The campaign is over: the display ends, what was kept is printed.  NULL will do. */
void	pace_campaign_show_end(struct pace_campaign_show *w);

#endif
