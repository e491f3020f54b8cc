#include "config.h"

#include "live/capture_feed.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/err.h"
#include "live/capture_scan.h"
#include "live/host_sample.h"
#include "live/status_source.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/facts.h"
#include "plat/root.h"
#include "plat/thread.h"

#define BOXES		2

struct pace_capture_feed {
	struct pace_capture_feed_cfg cfg;
	pthread_t	thread;
	bool		started, joined;
	void		(*read)(void *ctx);
	void		*ctx;
	int		wake;		/* eventfd */
	_Atomic int	core, tid;	/* of the reading thread; core below 0: not known */
	/* handed over: */
	_Atomic uint64_t put, got;
	_Atomic bool	ended;		/* last is valid */
	struct pace_capture_sample box[BOXES], last;
	/* of the reading thread: */
	struct pace_capture_scan look;
	int64_t		due_ns;
	/* of the display: */
	int64_t		began_ns;
	int		off;		/* the core that the display avoids */
	bool		head_written, last_written;
	struct pace_host_sample host;
	struct pace_capture_sample then;
	struct pace_status_head head;
	struct pace_status status;
	struct pace_status_session session[PACE_CAPTURE_SAMPLE_STREAMS + 1];
};

struct pace_capture_feed *
pace_capture_feed_new(const struct pace_capture_feed_cfg *cfg)
{
	struct pace_capture_feed *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->cfg = *cfg;
	w->core = w->off = -1;
	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->wake < 0) {
		free(w);
		return NULL;
	}
	w->began_ns = w->then.at_ns = pace_clock_raw();
	w->then.wall_ns = pace_clock_wall();
	w->due_ns = w->began_ns + cfg->interval_ns;
	return w;
}

void
pace_capture_feed_free(struct pace_capture_feed *w)
{
	if (w == NULL)
		return;
	pace_capture_feed_join(w);
	close(w->wake);
	pace_host_sample_free(&w->host);
	free(w);
}

/* --- the reading thread ----------------------------------------------------- */

static void
wake(const struct pace_capture_feed *w)
{
	const uint64_t one = 1;

	(void)!write(w->wake, &one, sizeof(one));
}

static void
fill(struct pace_capture_feed *w, struct pace_capture_sample *c, const struct pace_cap_table *t)
{
	struct pace_pcap_drops d;

	w->cfg.drops(w->cfg.ctx, &d);	/* before the table, so that the drops of this interval
					 * are known in time */
	c->at_ns = pace_clock_raw();
	c->wall_ns = pace_clock_wall();
	c->c.has_drops = d.known;
	c->c.dropped = d.kernel;
	c->c.interface_dropped = d.interface;
	pace_capture_scan(&w->look, c, t);
}

void
pace_capture_feed_look(struct pace_capture_feed *w, const struct pace_cap_table *t, bool over)
{
	uint64_t put = atomic_load_explicit(&w->put, memory_order_relaxed);
	int64_t now_ns = pace_clock_raw();

	if (over) {
		fill(w, &w->last, t);
		w->last.c.over = true;
		atomic_store_explicit(&w->ended, true, memory_order_release);
		wake(w);
		return;
	}
	if (now_ns < w->due_ns)
		return;
	if (put - atomic_load_explicit(&w->got, memory_order_acquire) < BOXES) {
		fill(w, &w->box[put % BOXES], t);
		atomic_store_explicit(&w->put, put + 1, memory_order_release);
		atomic_store_explicit(&w->core, pace_affinity_here(NULL), memory_order_relaxed);
		wake(w);
	}
	w->due_ns += (now_ns - w->due_ns) / w->cfg.interval_ns * w->cfg.interval_ns +
	    w->cfg.interval_ns;
}

static void *
run(void *arg)
{
	struct pace_capture_feed *w = arg;
	int tid, core = pace_affinity_here(&tid);

	atomic_store(&w->tid, tid);
	atomic_store(&w->core, core);
	w->read(w->ctx);
	return NULL;
}

/* The other thread handles signals, and yields if there are not enough cores. */
int
pace_capture_feed_start(struct pace_capture_feed *w, void (*read)(void *ctx), void *ctx)
{
	int rc;

	w->read = read;
	w->ctx = ctx;
	rc = pace_thread_start(&w->thread, run, w);
	w->started = rc == 0;
	if (rc == 0)
		(void)pace_affinity_yield();
	return rc;
}

void
pace_capture_feed_join(struct pace_capture_feed *w)
{
	if (!w->started || w->joined)
		return;
	pthread_join(w->thread, NULL);
	w->joined = true;
}

/* --- the display ------------------------------------------------------------ */

int
pace_capture_feed_fd(const struct pace_capture_feed *w)
{
	return w->wake;
}

static void
fill_head(struct pace_capture_feed *w)
{
	struct pace_status_head *h = &w->head;
	char host[128] = "";

	if (!w->cfg.private)
		pace_facts_host_name(host);
	pace_head_fill(h, host, w->then.wall_ns, w->cfg.interval_ns);
	h->capture = true;
	h->socket = w->cfg.socket;
	pace_clean(h->interface, sizeof(h->interface), w->cfg.interface, strlen(w->cfg.interface));
	pace_clean(h->filter, sizeof(h->filter), w->cfg.filter, strlen(w->cfg.filter));
}

/* Make a status from a sample, which is then the previous one. */
static void
fill_status(struct pace_capture_feed *w, const struct pace_capture_sample *now)
{
	w->status.session = w->session;
	pace_capture_sample_status(&w->status, now, &w->then, w->began_ns);
	if (!w->cfg.private)
		pace_host_fill(&w->status.host,
		    pace_host_sample_at(&w->host, pace_root_default(), now->at_ns));
	w->then = *now;
}

int
pace_capture_feed_next(void *ctx, int64_t now_ns, struct pace_status_source_item *item)
{
	struct pace_capture_feed *w = ctx;
	bool ended = atomic_load_explicit(&w->ended, memory_order_acquire);	/* read before
										 * the boxes */
	uint64_t got = atomic_load_explicit(&w->got, memory_order_relaxed), n;
	int core = atomic_load(&w->core);

	(void)now_ns;
	if (!w->head_written) {
		w->head_written = true;
		fill_head(w);
		item->head = &w->head;
		return 1;
	}
	if (w->last_written)
		return -ENODATA;
	if (read(w->wake, &n, sizeof(n)) < 0 && errno != EAGAIN)
		return -errno;
	if (core >= 0 && core != w->off) {
		w->off = core;
		(void)pace_affinity_keep_off(atomic_load(&w->tid), core);
	}
	if (got != atomic_load_explicit(&w->put, memory_order_acquire)) {
		fill_status(w, &w->box[got % BOXES]);
		atomic_store_explicit(&w->got, got + 1, memory_order_release);
	} else if (ended) {
		w->last_written = true;	/* nothing follows */
		fill_status(w, &w->last);
	} else {
		return 0;
	}
	item->status = &w->status;
	return 1;
}
