/*
 * campaign_show.h - the view Sweep of a running campaign.
 *
 * Purpose    the process itself measures, as without a display.  A child draws, with
 *            low priority and not on the sender's core.
 * Output     text printed during the display is stored, and printed after the user leaves
 *            the display.  The campaign then continues with lines, as without a display.
 * Signals    both processes get the terminal's signals.  SIGTSTP ends the running point
 *            (run/point_control.h), the display leaves its screen, and both processes stop.
 *            After SIGCONT the point is measured again: a campaign never stops in the middle
 *            of a point.  A second SIGINT or SIGTERM ends both at once, after the terminal
 *            is restored and the stored text is printed.
 * Terminal   restored by the child, or by the parent if the child was killed: the screen
 *            is left and its modes are restored before the stored text is printed.
 * Threads    one thread waits for the child; the caller's thread starts and ends it.
 */
#ifndef PACE_UI_CAMPAIGN_SHOW_H
#define PACE_UI_CAMPAIGN_SHOW_H

struct pace_campaign_show;

/* Start the display.  NULL: there is no suitable terminal; a message says so, unless lines
 * were to be expected. */
struct pace_campaign_show	*pace_campaign_show_begin(void);
/* End the display after the campaign, and print the stored text.  NULL is accepted. */
void	pace_campaign_show_end(struct pace_campaign_show *w);

#endif
