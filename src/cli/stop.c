#include "config.h"

#include "cli/stop.h"

#include <stddef.h>
#include <unistd.h>

volatile sig_atomic_t pace_stop;

static void
on_signal(int sig)
{
	if (pace_stop != 0)
		_exit(128 + sig);
	pace_stop = sig;
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

int
pace_stop_status(void)
{
	return 128 + (int)pace_stop;
}
