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

static void
catch(int sig)
{
	struct sigaction sa = { .sa_handler = on_signal }, old;

	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
		return;
	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);	/* no SA_RESTART: waits end */
}

void
pace_stop_catch(void)
{
	catch(SIGINT);
	catch(SIGTERM);
}

int
pace_stop_status(void)
{
	return 128 + (int)pace_stop;
}
