/*
 * stop.h - SIGINT and SIGTERM end the run, then the process; SIGHUP: read files again.
 *
 * Purpose    one flag for the whole program; SIGPIPE sets it as well.  The first signal sets
 *            the flag, a second one ends the process at once.  SIGINT stays ignored if it was
 *            ignored at the start (a background job of a script).
 * Hang-up    a responder catches SIGHUP, whether it has files to read again or not, so that its
 *            clients' runs continue; so does a watcher with a file of paths.  Other commands end
 *            with their terminal, as usual.  Both catch SIGHUP even if that was ignored at the
 *            start (nohup): a hang-up does no harm then, and the operator's kill -HUP works.
 */
#ifndef PACE_RUN_STOP_H
#define PACE_RUN_STOP_H

#include <signal.h>
#include <stdint.h>

/* The signal that requested the end; 0: none yet. */
extern volatile sig_atomic_t pace_stop;

void	pace_stop_catch(void);

/* SIGHUP arrived.  The reader sets it to 0 before it reads the files again. */
extern volatile sig_atomic_t pace_hup;

void	pace_hup_catch(void);

/* SIGUSR1 arrived: a summary is requested.  The reader sets it to 0 before it prints one. */
extern volatile sig_atomic_t pace_usr1;

void	pace_usr1_catch(void);

/* Stop like a signal after this time, which is above 0; if the process still runs 10 s later, the
 * kernel ends it. */
void	pace_stop_after(int64_t ns);

/* Set a function to call before a second signal ends the process.  It runs in the signal handler
 * and may only do what is safe there.  NULL: no function. */
void	pace_stop_last(void (*words)(void));

/* The exit status: 128 + the signal. */
int	pace_stop_status(void);

#endif
