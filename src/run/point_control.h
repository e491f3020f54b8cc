/*
 * point_control.h - ends the point that is being measured before its time.
 *
 * Purpose    a key on the screen of a campaign skips the running point: the stream ends as
 *            by a signal, with the responder's part of it, and the run goes on with the
 *            next point.
 * Which      who asks names the point: one that has ended meanwhile is not another one's
 *            loss.
 * Rest       SIGTSTP ends the running point, too: the process stops between points, not in
 *            one, and that point is measured again from its begin.
 * Threads    one measures (begin, end); any other may ask.
 */
#ifndef PACE_RUN_POINT_CONTROL_H
#define PACE_RUN_POINT_CONTROL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The running point is to end now; for who sends. */
extern volatile sig_atomic_t pace_point_control;

#define PACE_POINT_CONTROL_UNNAMED	SIZE_MAX	/* index of a point that nobody can name */

/* A handler for SIGTSTP: the running point ends, and a rest is due. */
void	pace_point_control_on_rest(int sig);
bool	pace_point_control_rest_due(void);
/* Rest, if one is due, with what was given for it; NULL: nothing. */
void	pace_point_control_rest(void);
void	pace_point_control_rest_with(void (*rest)(void));

/* Point index of the plan begins: it may be cut. */
void	pace_point_control_begin(size_t index);
/* It is over.  True: it was asked to be. */
bool	pace_point_control_end(void);
/* End that point now.  False: it is not being measured. */
bool	pace_point_control_point(size_t index);

/* A run ended with so many points left out, *alone: and nothing else is missing.  What was
 * told since the last such question, which is 0 without one. */
void	pace_point_control_tell(size_t skipped, bool alone);
size_t	pace_point_control_told(bool *alone);

/* Asked for by any thread: no point begins any more, and the run ends as by a signal. */
extern volatile sig_atomic_t pace_point_control_last;

#endif
