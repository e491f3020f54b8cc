#include "config.h"

#include "run/stop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

volatile sig_atomic_t pace_stop;
volatile sig_atomic_t pace_hup;
volatile sig_atomic_t pace_usr1;

static void (*volatile last_words)(void);

/* Some programs signal the process and its group.  Two signals within this time are one. */
#define SAME_NS	INT64_C(200000000)

static int64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void
on_signal(int sig)
{
	void (*words)(void) = last_words;
	static int64_t first_ns;	/* no other thread handles these signals */

	if (pace_stop == 0)
		pace_stop = sig;
	if (first_ns == 0) {
		first_ns = now_ns();
	} else if (now_ns() - first_ns > SAME_NS) {
		if (words != NULL)
			words();
		_exit(128 + sig);
	}
}

void
pace_stop_last(void (*words)(void))
{
	last_words = words;
}

/* End the run as after a stop signal, with an orderly close of the session: the reader of our
 * output is gone, or the time is over.  A stop signal that follows is the first one. */
static void
on_end(int sig)
{
	if (pace_stop == 0)
		pace_stop = sig;
}

/* An inherited "ignore" stays, except for the signals with `always`. */
static void
catch(int sig, void (*handler)(int), bool always)
{
	struct sigaction sa = { .sa_handler = handler }, old;

	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_IGN && !always)
		return;
	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);	/* no SA_RESTART: a signal ends a wait */
}

void
pace_stop_catch(void)
{
	catch(SIGINT, on_signal, false);
	catch(SIGTERM, on_signal, false);
	catch(SIGPIPE, on_end, false);
}

void
pace_stop_after(int64_t ns)
{
	/* the second signal has its default action */
	struct sigaction sa = { .sa_handler = on_end, .sa_flags = (int)SA_RESETHAND };
	struct itimerval t = { .it_value = { .tv_sec = (time_t)(ns / 1000000000),
	    .tv_usec = (suseconds_t)(ns % 1000000000 / 1000) }, .it_interval = { .tv_sec = 10 } };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

static void
set_flag(int sig)
{
	*(sig == SIGHUP ? &pace_hup : &pace_usr1) = 1;
}

void
pace_hup_catch(void)
{
	catch(SIGHUP, set_flag, true);
}

void
pace_usr1_catch(void)
{
	catch(SIGUSR1, set_flag, true);
}

int
pace_stop_status(void)
{
	return 128 + (int)pace_stop;
}
