#include "config.h"

#include "plat/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "plat/affinity.h"
#include "plat/clock.h"

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

/* --- threads on cores --- */

struct pinned {
	pthread_t	thread;
	int		core;
	void		(*work)(void *arg);
	void		*arg;
};

static void *
run_pinned(void *arg)
{
	struct pinned *p = arg;

	pace_clock_no_slack();
	(void)pace_affinity_pin(p->core);
	p->work(p->arg);
	return NULL;
}

static int
start(const struct pace_threads *t, uint32_t k, void (*work)(void *arg), void *arg, void **handle)
{
	struct pinned *p = malloc(sizeof(*p));
	int rc;

	if (p == NULL)
		return -ENOMEM;
	*p = (struct pinned){ .core = t->core[k], .work = work, .arg = arg };
	rc = pace_thread_start(&p->thread, run_pinned, p);
	if (rc < 0) {
		free(p);
		return rc;
	}
	*handle = p;
	return 0;
}

static void
join(void *handle)
{
	struct pinned *p = handle;

	pthread_join(p->thread, NULL);
	free(p);
}

void
pace_threads_init(struct pace_threads *t)
{
	t->start = start;
	t->join = join;
}

void
pace_thread_small_pages(void)
{
	(void)prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL);
}
