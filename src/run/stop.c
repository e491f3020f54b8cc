#include "config.h"

#include "run/stop.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

volatile sig_atomic_t pace_stop;
volatile sig_atomic_t pace_hup;
volatile sig_atomic_t pace_usr1;

static void (*volatile last_words)(void);

/* Some send a signal to the process and to its group: that is one stop. */
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
	static int64_t first_ns;	/* no other thread takes these signals */

	if (pace_stop == 0) {
		first_ns = now_ns();
		pace_stop = sig;
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

/* Nobody reads any more: end as if told to, but with a good-bye. */
static void
on_pipe(int sig)
{
	if (pace_stop == 0)
		pace_stop = sig;
}

static void
catch(int sig, void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler }, old;

	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
		return;
	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);	/* no SA_RESTART: waits end */
}

void
pace_stop_catch(void)
{
	catch(SIGINT, on_signal);
	catch(SIGTERM, on_signal);
	catch(SIGPIPE, on_pipe);
}

static void
on_hup(int sig)
{
	(void)sig;
	pace_hup = 1;
}

void
pace_hup_catch(void)
{
	struct sigaction sa = { .sa_handler = on_hup };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGHUP, &sa, NULL);
}

static void
on_usr1(int sig)
{
	(void)sig;
	pace_usr1 = 1;
}

void
pace_usr1_catch(void)
{
	struct sigaction sa = { .sa_handler = on_usr1 };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGUSR1, &sa, NULL);
}

int
pace_stop_status(void)
{
	return 128 + (int)pace_stop;
}
