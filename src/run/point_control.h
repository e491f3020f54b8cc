/*
 * point_control.h - ends the running point before its time.
 *
 * Purpose    a key on the screen of a campaign skips the running point.  Its stream ends as
 *            after a signal, at the responder as well; the run continues with the next point.
 * Index      the caller names the point by its index, so a late request cannot end the point
 *            after it.
 * Rest       SIGTSTP also ends the running point: the process stops between points, and that
 *            point is measured again from its start.
 * Threads    one measures (begin, end); any other may request the end.
 */
#ifndef PACE_RUN_POINT_CONTROL_H
#define PACE_RUN_POINT_CONTROL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set when the running point must end now; the sender reads it. */
extern volatile sig_atomic_t pace_point_control;

#define PACE_POINT_CONTROL_UNNAMED	SIZE_MAX	/* index of a point that cannot be
							 * skipped */

/* Handler of SIGTSTP: end the running point; a rest is then due. */
void	pace_point_control_on_rest(int sig);
bool	pace_point_control_rest_due(void);
/* Rest if a rest is due, by calling the function set with _rest_with; NULL: do nothing. */
void	pace_point_control_rest(void);
void	pace_point_control_rest_with(void (*rest)(void));

/* Point `index` of the plan begins, and may be ended from now on. */
void	pace_point_control_begin(size_t index);
/* The point is over.  True: its end was requested. */
bool	pace_point_control_end(void);
/* End point `index` now.  False: it is not the running point. */
bool	pace_point_control_point(size_t index);

/* Report that a run ended with `skipped` points left out; *alone: no other point is missing.
 * _reported returns and clears the last report; 0: no report. */
void	pace_point_control_report(size_t skipped, bool alone);
size_t	pace_point_control_reported(bool *alone);

/* Set by any thread: no further point begins, and the run ends as after a signal. */
extern volatile sig_atomic_t pace_point_control_last;

#endif
