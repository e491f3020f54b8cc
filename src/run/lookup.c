#include "config.h"

#include "run/lookup.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "plat/addr.h"
#include "plat/thread.h"

#define HOST_SIZE	256

enum step { IDLE, ASKED, ANSWERED };

struct name {
	enum step	step;
	char		host[HOST_SIZE];
	int		family;
	uint16_t	port;
	struct pace_looked_up answer;
};

struct pace_lookup {
	pthread_t	thread;
	pthread_mutex_t	lock;
	pthread_cond_t	more;
	bool		busy, quit;
	bool		left;		/* the thread releases all when its look-up ends */
	_Atomic int	answers;	/* that were not fetched */
	size_t		n, next;	/* name to look at next */
	struct name	*v;
};

/* Find a name in this step, from l->next on; n: none. */
static size_t
find(struct pace_lookup *l, enum step step)
{
	for (size_t k = 0; k < l->n; k++) {
		size_t i = (l->next + k) % l->n;

		if (l->v[i].step == step)
			return i;
	}
	return l->n;
}

static void
release(struct pace_lookup *l)
{
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->more);
	free(l->v);
	free(l);
}

/* Look up one name, without the lock. */
static void
look_up(struct pace_lookup *l, size_t i)
{
	struct name name = l->v[i];
	struct pace_looked_up *a = &name.answer;

	l->busy = true;
	pthread_mutex_unlock(&l->lock);
	memset(a, 0, sizeof(*a));
	a->n = pace_resolve(name.host, name.family, name.port, a->v, PACE_LOOKUP_MAX, &a->err);
	pthread_mutex_lock(&l->lock);
	l->busy = false;
	l->v[i].answer = *a;
	l->v[i].step = ANSWERED;
	l->next = i + 1;
	atomic_fetch_add(&l->answers, 1);
}

static void *
run(void *ctx)
{
	struct pace_lookup *l = ctx;
	bool left;

	pthread_mutex_lock(&l->lock);
	while (!l->quit) {
		size_t i = find(l, ASKED);

		if (i < l->n)
			look_up(l, i);
		else
			pthread_cond_wait(&l->more, &l->lock);
	}
	left = l->left;
	pthread_mutex_unlock(&l->lock);
	if (left)
		release(l);
	return NULL;
}

struct pace_lookup *
pace_lookup_new(size_t n)
{
	struct pace_lookup *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->n = n;
	l->v = calloc(n, sizeof(*l->v));
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->more, NULL);
	if (l->v != NULL && pace_thread_start(&l->thread, run, l) == 0)
		return l;
	release(l);
	return NULL;
}

void
pace_lookup_free(struct pace_lookup *l)
{
	pthread_t thread;
	bool busy;

	if (l == NULL)
		return;
	pthread_mutex_lock(&l->lock);
	l->quit = true;
	busy = l->left = l->busy;
	thread = l->thread;
	pthread_cond_signal(&l->more);
	pthread_mutex_unlock(&l->lock);
	if (busy) {			/* it may take long */
		pthread_detach(thread);
		return;
	}
	pthread_join(thread, NULL);
	release(l);
}

void
pace_lookup_ask(struct pace_lookup *l, size_t i, const char *host, int family, uint16_t port)
{
	struct name *n = &l->v[i];

	pthread_mutex_lock(&l->lock);
	if (n->step == IDLE) {
		strncpy(n->host, host, sizeof(n->host) - 1);
		n->family = family;
		n->port = port;
		n->step = ASKED;
		pthread_cond_signal(&l->more);
	}
	pthread_mutex_unlock(&l->lock);
}

bool
pace_lookup_take(struct pace_lookup *l, size_t *i, struct pace_looked_up *answer)
{
	if (atomic_load_explicit(&l->answers, memory_order_relaxed) == 0)
		return false;
	pthread_mutex_lock(&l->lock);
	*i = find(l, ANSWERED);
	if (*i < l->n) {
		*answer = l->v[*i].answer;
		l->v[*i].step = IDLE;
		atomic_fetch_sub(&l->answers, 1);
	}
	pthread_mutex_unlock(&l->lock);
	return *i < l->n;
}
