#include "config.h"

#include "run/watch_lines.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "opt/opt.h"
#include "out/json.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/thread.h"
#include "run/stop.h"

#define WAIT_NS		INT64_C(1000000)	/* for a place in the ring */
#define LOOK_MS		100			/* for a stop */
#define DRAIN_MS	500

struct line {
	size_t		number;
	struct pace_watch_span span;
};

struct pace_watch_lines {
	struct pace_sink *sink;
	pthread_t	thread;
	sem_t		more;			/* as many as lines wait, and one at the end */
	_Atomic uint64_t put, got;
	struct line	ring[PACE_WATCH_LINES];
};

/* A pipe that nobody reads does not keep us after a stop. */
static int
write_line(const struct pace_watch_lines *l, const struct line *at)
{
	struct pollfd fd = { .fd = fileno(l->sink->jsonl), .events = POLLOUT };

	while (poll(&fd, 1, pace_stop != 0 ? 0 : LOOK_MS) == 0)
		if (pace_stop != 0) {
			if (!l->sink->jsonl_stuck)
				pace_complain("--jsonl: nobody reads it; what was not read is lost");
			l->sink->jsonl_stuck = l->sink->failed = true;
			return 0;
		}
	return pace_jsonl_point(l->sink->jsonl, "interval", at->number,
	    pace_watch_span_to_json(&at->span), NULL);
}

static void *
write_lines(void *ctx)
{
	struct pace_watch_lines *l = ctx;
	uint64_t got = 0;
	sigset_t gone;

	(void)pace_affinity_yield();
	sigemptyset(&gone);
	sigaddset(&gone, SIGPIPE);		/* stops the watch */
	pthread_sigmask(SIG_UNBLOCK, &gone, NULL);
	for (;;) {
		const struct line *at = &l->ring[got % PACE_WATCH_LINES];

		while (sem_wait(&l->more) != 0)
			;
		if (atomic_load_explicit(&l->put, memory_order_acquire) == got)
			return NULL;
		pace_sink_fail(l->sink, write_line(l, at), "--jsonl");
		atomic_store_explicit(&l->got, ++got, memory_order_release);
	}
}

int
pace_watch_lines_begin(struct pace_watch_lines **made, struct pace_sink *sink)
{
	struct pace_watch_lines *l = calloc(1, sizeof(*l));
	int rc;

	if (l == NULL)
		return -ENOMEM;
	l->sink = sink;
	(void)sem_init(&l->more, 0, 0);
	rc = pace_thread_start(&l->thread, write_lines, l);
	*made = rc == 0 ? l : NULL;
	if (rc != 0)
		free(l);
	return rc;
}

/* Wait until at most that many intervals are in the ring; false: not within so many ms. */
static bool
wait_for(struct pace_watch_lines *l, uint64_t most, int64_t ms)
{
	while (atomic_load_explicit(&l->put, memory_order_relaxed) -
	    atomic_load_explicit(&l->got, memory_order_acquire) > most) {
		if (ms-- <= 0)
			return false;
		(void)pace_clock_wait_until(pace_clock_raw() + WAIT_NS, 0, NULL, NULL);
	}
	return true;
}

void
pace_watch_lines_put(struct pace_watch_lines *l, size_t number, const struct pace_watch_span *s)
{
	uint64_t put = atomic_load_explicit(&l->put, memory_order_relaxed);

	(void)wait_for(l, PACE_WATCH_LINES - 1, INT64_MAX);
	l->ring[put % PACE_WATCH_LINES] = (struct line){ number, *s };
	atomic_store_explicit(&l->put, put + 1, memory_order_release);
	(void)sem_post(&l->more);
}

bool
pace_watch_lines_drain(struct pace_watch_lines *l)
{
	return wait_for(l, 0, DRAIN_MS);
}

void
pace_watch_lines_end(struct pace_watch_lines *l)
{
	if (l == NULL)
		return;
	(void)sem_post(&l->more);
	pthread_join(l->thread, NULL);
	(void)sem_destroy(&l->more);
	free(l);
}
