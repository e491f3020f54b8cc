/*
 * stop.h - SIGINT and SIGTERM: first ask to end, then end; SIGHUP: read again.
 *
 * Purpose    one flag for the whole program; SIGPIPE sets it too.  The first signal sets it, a
 *            second one leaves at once.  An inherited "ignore" of SIGINT
 *            (a background job of a script) is kept.
 * Hang-up    only a responder catches SIGHUP, with files to read anew or without:
 *            its clients' runs are not lost; the others end with their terminal,
 *            as ever.  One that was ignored (nohup) is
 *            caught all the same: a hang-up then does no harm, and the
 *            operator's kill -HUP works.
 */
#ifndef PACE_RUN_STOP_H
#define PACE_RUN_STOP_H

#include <signal.h>

/* The signal that asked, 0: none yet. */
extern volatile sig_atomic_t pace_stop;

void	pace_stop_catch(void);

/* SIGHUP came; who has read his files anew sets it to 0 before. */
extern volatile sig_atomic_t pace_hup;

void	pace_hup_catch(void);

/* SIGUSR1 came: a summary is wanted; who gives it sets it to 0 before. */
extern volatile sig_atomic_t pace_usr1;

void	pace_usr1_catch(void);

/* Called before a second signal ends the process, in its handler: only what one may do.
 * NULL: nothing. */
void	pace_stop_last(void (*words)(void));

/* 128 + the signal. */
int	pace_stop_status(void);

#endif
