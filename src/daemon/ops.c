#include "config.h"

#include "daemon/ops_own.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "live/metrics.h"
#include "plat/clock.h"
#include "plat/facts.h"
#include "plat/root.h"
#include "plat/thread.h"
#include "run/stop.h"

#define JOIN_S		1			/* limit of the wait for a blocked pipe */

static void
release(struct pace_ops *o)
{
	pace_scrape_close(o->scrape);
	pace_status_server_close(o->readers);
	if (o->wake >= 0)
		close(o->wake);
	pace_host_sample_free(&o->glance);
	free(o->watches);
	free(o->counted);
	free(o->seen);
	free(o->views);
	free(o->turns);
	free(o->ring);
	free(o);
}

/* Get the figures of each stream of the client that measures, if it has several: their number. */
static size_t
read_streams(struct pace_ops *o, struct pace_stream_stats v[PACE_STREAMS])
{
	uint64_t number = 0, run = 0;
	size_t n = 0;
	int slot = 0;

	pthread_mutex_lock(&o->lock);
	for (int i = 0; i < o->cfg.max_sessions; i++) {
		const struct pace_session_stats *s = &o->seen[i];

		if (!s->leased || s->run.streams < 2 || s->state == PACE_ENDED)
			continue;
		slot = i;
		number = s->number;
		run = s->run.number;
		n = s->run.streams;
	}
	pthread_mutex_unlock(&o->lock);
	for (size_t k = 0; k < n; k++)
		if (!pace_stream_page_read(&o->watches[slot].stream[k], &v[k]) ||
		    v[k].number != number || v[k].run != run)
			memset(&v[k], 0, sizeof(v[k]));
	return n;
}

char *
pace_ops_metrics(void *ctx, size_t *size)
{
	struct pace_stream_stats v[PACE_STREAMS];
	struct pace_totals t;

	pace_ops_sum_up(ctx, &t, NULL);
	return pace_metrics_text(&t, v, read_streams(ctx, v), size);
}

int
pace_ops_open(struct pace_ops **out, const struct pace_ops_cfg *cfg, struct pace_err *err)
{
	struct pace_ops *o = calloc(1, sizeof(*o));
	struct pace_scrape_cfg sc = { .text = pace_ops_metrics, .ctx = o };
	size_t n = (size_t)cfg->max_sessions;
	int rc = 0;

	*out = NULL;
	if (o == NULL)
		return pace_fail(err, ENOMEM, "start");
	o->cfg = *cfg;
	o->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (o->wake < 0)
		rc = pace_fail(err, errno, "start");
	pthread_mutex_init(&o->lock, NULL);
	pace_oplog_open(&o->log, cfg->json, cfg->quiet, cfg->verbose);
	o->root = pace_root_default();
	o->sums.started_ns = pace_clock_raw();
	o->sums.started_wall_ns = pace_clock_wall();
	o->watches = calloc(n, sizeof(*o->watches));
	o->counted = calloc(n, sizeof(*o->counted));
	o->seen = calloc(n, sizeof(*o->seen));
	o->views = calloc(n, sizeof(*o->views));
	o->turns = calloc(n, sizeof(*o->turns));
	o->ring = calloc(PACE_OPS_RING, sizeof(*o->ring));
	if (o->watches == NULL || o->counted == NULL || o->seen == NULL || o->views == NULL ||
	    o->turns == NULL || o->ring == NULL)
		rc = pace_fail(err, ENOMEM, "start");
	if (rc == 0 && cfg->metrics != NULL)
		rc = pace_scrape_open(&o->scrape, cfg->metrics, &sc, err);
	if (rc < 0) {
		release(o);
		return rc;
	}
	(void)pace_ops_place(o, PACE_EVENT_START);
	*out = o;
	return 0;
}

int
pace_ops_check(const struct pace_ops_cfg *cfg, struct pace_err *err)
{
	int rc = cfg->metrics != NULL ? pace_scrape_check(cfg->metrics, err) : 0;

	return rc == 0 && cfg->status != NULL ? pace_status_server_check(cfg->status, err) : rc;
}

int
pace_ops_listen(struct pace_ops *o, const struct pace_sandbox_user *owner, struct pace_err *err)
{
	int rc = o->cfg.status == NULL ? 0 :
	    pace_status_server_open(&o->readers, o->cfg.status, o->cfg.max_sessions, err);

	return rc == 0 && o->readers != NULL ?
	    pace_status_server_give(o->readers, owner->uid, owner->gid, err) : rc;
}

void
pace_ops_hook(struct pace_ops *o, struct pace_serve_cfg *sc)
{
	sc->observer = (struct pace_observer){ .news = pace_ops_event, .ctx = o };
	sc->watches = o->watches;
	sc->look = pace_ops_look;
	sc->look_ctx = o;
}

int
pace_ops_begin(struct pace_ops *o, struct pace_serve *s, const char *address)
{
	struct pace_event *e;
	struct pace_status_head head;
	char host[128];
	int rc;

	o->serve = s;
	pace_facts_host_name(host);
	pace_head_fill(&head, host, o->sums.started_wall_ns, PACE_STATUS_USUAL_NS);
	snprintf(head.address, sizeof(head.address), "%s", address);
	head.port = s->port;
	if (o->readers != NULL)
		pace_status_server_head(o->readers, &head);
	pace_ops_sum_up(o, &o->minute, NULL);
	e = pace_ops_place(o, PACE_EVENT_LISTENING);	/* no lock: the thread does not run yet */
	if (e != NULL) {
		snprintf(e->peer, sizeof(e->peer), "%s", address);
		e->port = s->port;
	}
	if (s->cfg.reflect != NULL && (e = pace_ops_place(o, PACE_EVENT_LISTENING)) != NULL) {
		snprintf(e->peer, sizeof(e->peer), "%s", address);
		e->port = s->cfg.reflect->port;
		snprintf(e->code, sizeof(e->code), "STAMP");
		snprintf(e->text, sizeof(e->text), "%s%s", s->cfg.reflect->reflector->table != NULL ?
		    "stateful" : "stateless", s->cfg.reflect->reflector->nic ?
		    ", arrivals stamped by the network device" : "");
	}
	pace_usr1_catch();
	pace_ops_wake(o);
	rc = pace_thread_start(&o->thread, pace_ops_run, o);
	o->running = rc == 0;
	return rc < 0 ? rc : pace_scrape_begin(o->scrape);
}

/* End the log's thread.  False: it is blocked by the log. */
static bool
end_thread(struct pace_ops *o)
{
	struct timespec until;

	if (!o->running)
		return true;
	pthread_mutex_lock(&o->lock);
	o->end = true;
	pthread_mutex_unlock(&o->lock);
	pace_ops_wake(o);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += JOIN_S;
	return pthread_timedjoin_np(o->thread, NULL, &until) == 0;
}

void
pace_ops_close(struct pace_ops *o)
{
	uint64_t ended;
	bool alone;

	if (o == NULL)
		return;
	if (o->serve != NULL) {
		pthread_mutex_lock(&o->lock);
		o->sums.at_port = pace_responder_counted(&o->serve->responder);
		pthread_mutex_unlock(&o->lock);
		pace_ops_tell_stopping(o, 0);
	}
	/* a session that did not end in time still reports events */
	alone = end_thread(o) &&
	    (o->serve == NULL || pace_places_active(&o->serve->responder.places, &ended) == 0);
	pace_scrape_close(o->scrape);
	o->scrape = NULL;
	pace_status_server_remove(o->readers);
	if (alone)
		release(o);
}
