/*
 * stop.h - SIGINT and SIGTERM: first ask to end, then end.
 *
 * Purpose    one flag for the whole program; SIGPIPE sets it too.  The first signal sets it, a
 *            second one leaves at once.  An inherited "ignore" of SIGINT
 *            (a background job of a script) is kept.
 */
#ifndef PACE_STOP_H
#define PACE_STOP_H

#include <signal.h>

/* The signal that asked, 0: none yet. */
extern volatile sig_atomic_t pace_stop;

void	pace_stop_catch(void);

/* 128 + the signal. */
int	pace_stop_status(void);

#endif
