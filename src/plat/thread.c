#include "config.h"

#include "plat/thread.h"

#include <signal.h>

int
pace_thread_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);		/* a thread is born with its starter's mask */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}
