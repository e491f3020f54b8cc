#include "config.h"

#include "daemon/watch_status.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/status_server.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/thread.h"

#define MOST		PACE_WATCH_STATUS_PATHS
#define LOOK_NS		INT64_C(200000000)	/* the thread looks whether it shall end */
#define ALONE_NS	INT64_C(1000000000)	/* the paths are looked at without readers as well */
#define SPAN_MOST_NS	INT64_C(86000000000000)

/* A path, besides its board. */
struct status_path {
	bool		used;			/* the run has it */
	char		address[64];
	uint16_t	port;
	struct pace_probe_status probe;
	int64_t		down_ns, outages_ns;	/* since when it is down, 0: it is not; before */
	uint64_t	lost;			/* when it went down */
	uint64_t	reports;		/* taken */
	struct pace_coarse_hist_list gap, above;
};

struct pace_watch_status {
	struct pace_status_server *server;
	struct pace_watch_run *run;
	pthread_t	thread;
	bool		runs;
	_Atomic bool	quit;
	int64_t		began_ns, began_wall_ns;
	struct pace_session_stats views[MOST];
	uint64_t	turns[MOST];
	struct status_path path[MOST];
};

/* --- a path's board --------------------------------------------------------------------------- */

static struct pace_tally
tally_of(const struct pace_watch_shown *v)
{
	const struct pace_watch_counts *c = &v->w.counts;

	return (struct pace_tally){ .frames = c->received, .bytes = c->received * v->w.size_bytes,
	    .wire_bytes = c->received * v->wire_bytes, .lost = c->lost,
	    .socket_lost_max = c->socket_lost_max, .duplicates = c->duplicates,
	    .reordered = c->reordered, .late = c->late, .foreign = c->foreign,
	    .congestion_marks = c->congestion_marks, .dscp_changed = c->dscp_changed,
	    .round_trips = c->exchanges };
}

/* Delays of frames since the report before, from the middle of their bins. */
static struct pace_recent
recent_of(const struct pace_coarse_hist_list *now, const struct pace_coarse_hist_list *then)
{
	struct pace_coarse_hist_list l = *now;
	struct pace_recent r;

	pace_recent_none(&r);
	pace_coarse_hist_since(&l, then);
	for (uint32_t i = 0; i < l.n; i++) {
		const struct pace_bin *b = &l.bin[i];
		int64_t middle = b->low + (b->high - b->low) / 2;

		if (middle > PACE_ABOVE_MOST || b->count > 1U << 20)
			continue;		/* an interval has no such */
		r.above_min_ns = r.samples == 0 ? b->low : r.above_min_ns;
		r.above_max_ns = b->high;
		r.samples += b->count;
		r.above_sum_ns += middle * (int64_t)b->count;
	}
	r.turn = 1;
	return r;
}

static struct pace_moments
moments_of(const struct pace_watch_delays *d)
{
	return (struct pace_moments){ .n = d->n, .mean = d->n > 0 ? (double)d->sum_ns / (double)d->n : 0,
	    .has_extremes = true, .min = d->min_ns, .max = d->max_ns };
}

static void
begin_board(struct pace_session_stats *b, struct status_path *p, const struct pace_watch_shown *v)
{
	const struct pace_watched *w = &v->w;

	memset(p, 0, sizeof(*p));
	*b = (struct pace_session_stats){ .number = v->number + 1, .state = PACE_OPENED, .light = 1,
	    .opened_ns = v->at_ns - (w->counts.to_ns - w->counts.from_ns), .runs = 1, .jitter_ns = -1 };
	b->heard_ns = b->opened_ns;
	pace_clean(b->label, sizeof(b->label), w->name, strlen(w->name));
	b->run = (struct pace_run_stats){ .number = 1, .size_bytes = w->size_bytes,
	    .spacing_ns = w->spacing_ns, .train = 1, .bursts = 1, .began_ns = b->opened_ns,
	    .stamp = w->by_stamp };
}

/* What the replies of the newest session say, and the losses of all. */
static void
take_stamp(struct pace_probe_status *p, const struct pace_watched *w)
{
	const struct pace_watch_counts *c = &w->counts;
	int64_t rest = c->lost - c->lost_there - c->lost_back;

	p->has_stamp = true;
	p->stamp = w->stamp;
	p->stamp.replies = c->received;
	p->stamp.lost_there = (uint64_t)c->lost_there;
	p->stamp.lost_back = (uint64_t)c->lost_back;
	p->stamp.lost_unknown = rest > 0 ? (uint64_t)rest : 0;
	p->offset_ns = (double)w->offset_ns;
	p->offset_error_ns = w->uncertainty_ns;
	p->skew_ppm = w->skew_ppm;
	p->skew_error_ppm = w->skew_error_ppm;
}

/* A new report: another interval. */
static void
take_report(struct pace_session_stats *b, struct status_path *p, const struct pace_watch_shown *v)
{
	const struct pace_watch_counts *c = &v->w.counts;

	if (p->down_ns != 0) {
		p->outages_ns += v->at_ns - p->down_ns;
		p->probe.out.lost += c->lost > (int64_t)p->lost ? (uint64_t)c->lost - p->lost : 0;
		p->down_ns = 0;
	}
	p->reports = v->reports;
	b->state = PACE_RUNNING;
	b->heard_ns = v->at_ns;
	b->run.wire_bytes = v->wire_bytes;
	b->run.sent = c->sent;
	b->all = b->this_run = tally_of(v);
	b->recent = recent_of(&v->w.above, &p->above);
	p->above = v->w.above;
	p->gap = v->w.gap;
	p->probe.way[PACE_WAY_TOTAL] = moments_of(&v->of.total);
	p->probe.way[PACE_WAY_BOTH] = moments_of(&v->of.rtt);
	p->probe.way[PACE_WAY_THERE] = moments_of(&v->of.up);
	p->probe.way[PACE_WAY_BACK] = moments_of(&v->of.down);
	p->probe.has_bound = v->w.clock_known;
	p->probe.bound_ns = v->w.bound_ns;
	p->probe.asked = v->of.rtt.n;
	if (v->w.by_stamp)
		take_stamp(&p->probe, &v->w);
}

/* The board stays as it was before, so that the next report covers all of it. */
static void
go_down(struct pace_session_stats *b, struct status_path *p, const struct pace_watch_shown *v)
{
	if (p->down_ns == 0) {
		p->down_ns = b->heard_ns;
		p->lost = v->w.counts.lost > 0 ? (uint64_t)v->w.counts.lost : 0;
		p->probe.out.n++;
	}
	b->state = PACE_RUNNING;	/* of a stream with an outage */
	snprintf(p->probe.out.why, sizeof(p->probe.out.why), "%s", v->w.why);
}

static void
take_path(struct pace_watch_status *s, int i, const struct pace_watch_shown *v, int64_t now)
{
	struct pace_session_stats *b = &s->views[i];
	struct status_path *p = &s->path[i];

	if (b->number != v->number + 1)
		begin_board(b, p, v);
	p->used = true;
	snprintf(p->address, sizeof(p->address), "%s", v->w.address);
	p->port = v->w.port;
	b->recent.turn = 0;
	if (v->w.state == PACE_WATCH_DOWN)
		go_down(b, p, v);
	else if (v->w.state != PACE_WATCH_OPENING && v->reports != p->reports)
		take_report(b, p, v);
	p->probe.known = true;
	p->probe.sent = v->w.counts.sent;
	p->probe.refused = v->w.counts.refused;
	p->probe.unreported = v->w.counts.unreported;
	p->probe.out.now_ns = p->down_ns != 0 ? now - p->down_ns : 0;
	p->probe.out.all_ns = p->outages_ns + p->probe.out.now_ns;
	if (p->down_ns == 0)
		p->probe.out.why[0] = '\0';
}

/* --- all paths ------------------------------------------------------------------------------- */

/* The board of a path, or a free one; a path keeps its board.  -1: all are taken. */
static int
find_board(const struct pace_watch_status *s, size_t i, uint64_t number)
{
	int free_one = -1;

	if (s->views[i].number == number)	/* the usual case */
		return (int)i;
	for (int k = 0; k < MOST; k++) {
		if (s->views[k].number == number)
			return k;
		if (s->views[k].number == 0 && !s->path[k].used && free_one < 0)
			free_one = k;
	}
	return free_one;
}

static void
take_paths(struct pace_watch_status *s, int64_t now, struct pace_totals *t)
{
	size_t n = pace_watch_run_lock(s->run);

	*t = (struct pace_totals){ .started_ns = s->began_ns, .now_ns = now, .active = n,
	    .opened = n, .light = n, .started_wall_ns = s->began_wall_ns };
	for (int k = 0; k < MOST; k++)
		s->path[k].used = false;
	for (size_t i = 0; i < n && i < MOST; i++) {
		const struct pace_watch_shown *v = pace_watch_run_shown(s->run, i);
		int at = find_board(s, i, v->number + 1);

		if (at >= 0)
			take_path(s, at, v, now);
	}
	pace_watch_run_unlock(s->run);
	for (int k = 0; k < MOST; k++) {
		if (!s->path[k].used)
			s->views[k].number = 0;
		else
			pace_tally_add(&t->tally, &s->views[k].all);
	}
}

/* What a board does not have; without a new report there is no interval. */
static void
add_path(void *ctx, int i, const struct pace_session_pair *pair, struct pace_status_session *to)
{
	const struct pace_watch_status *s = ctx;
	const struct status_path *p = &s->path[i];
	bool known = pair->then.number == pair->now.number;
	int64_t since = known ? pair->then.heard_ns : pair->now.opened_ns;
	int64_t span = pair->now.heard_ns - since;

	memcpy(to->now.peer, p->address, sizeof(p->address));
	to->now.peer_port = p->port;
	to->now.ipv6 = strchr(p->address, ':') != NULL;
	to->now.probe = p->probe;
	to->has_interval = to->has_interval && span > 0 && p->down_ns == 0;
	if (to->has_interval || !known) {	/* otherwise they are as before */
		to->dist[PACE_DIST_GAP] = p->gap;
		to->dist[PACE_DIST_DELAY] = p->above;
	}
	to->interval.own_span = true;
	to->interval.span_ns = span < SPAN_MOST_NS ? span : SPAN_MOST_NS;
	to->now.probe.interval_sent = to->has_interval ? pair->now.run.sent -
	    (known ? pair->then.run.sent : 0) : 0;
	for (int w = 0; w < PACE_WAYS && !to->has_interval; w++)
		to->now.probe.way[w].n = 0;
}

/* --- the thread ------------------------------------------------------------------------------ */

static void
wait_for_readers(struct pace_watch_status *s)
{
	struct pollfd fds[PACE_STATUS_SERVER + 1];
	int64_t now = pace_clock_raw(), until = now + LOOK_NS;
	int n = pace_status_server_wait(s->server, fds, now, &until);

	if (poll(fds, (nfds_t)n, until > now ? (int)((until - now + 999999) / 1000000) : 0) >= 0)
		pace_status_server_serve(s->server, fds, n, pace_clock_raw());
}

static void *
serve(void *ctx)
{
	struct pace_watch_status *s = ctx;
	struct pace_totals t;
	int64_t looked_ns = 0;

	(void)pace_affinity_yield();
	while (!atomic_load_explicit(&s->quit, memory_order_relaxed)) {
		int64_t now;

		wait_for_readers(s);
		now = pace_clock_raw();
		if (pace_status_server_any(s->server) ? pace_status_server_due(s->server) > now :
		    now - looked_ns < ALONE_NS)
			continue;
		take_paths(s, now, &t);
		looked_ns = now;
		if (pace_status_server_due(s->server) > now)
			continue;
		pace_status_server_update(s->server, &(struct pace_status_update){ .views = s->views,
		    .turns = s->turns, .totals = &t, .now_ns = now, .wall_ns = pace_clock_wall(),
		    .add = add_path, .ctx = s });
	}
	return NULL;
}

int
pace_watch_status_open(struct pace_watch_status **made, const char *path, struct pace_err *err)
{
	struct pace_watch_status *s = calloc(1, sizeof(*s));
	int rc = s == NULL ? pace_fail(err, ENOMEM, "status") :
	    pace_status_server_open(&s->server, path, MOST, err);

	*made = rc == 0 ? s : NULL;
	if (rc < 0)
		free(s);
	for (int i = 0; i < MOST && rc == 0; i++)
		s->turns[i] = 1;
	return rc;
}

int
pace_watch_status_begin(struct pace_watch_status *s, struct pace_watch_run *run, const char *host)
{
	struct pace_status_head h;
	int rc;

	s->run = run;
	s->began_ns = pace_clock_raw();
	s->began_wall_ns = pace_clock_wall();
	pace_head_fill(&h, host, s->began_wall_ns, PACE_STATUS_USUAL_NS);
	h.watch = true;
	pace_status_server_head(s->server, &h);
	rc = pace_thread_start(&s->thread, serve, s);
	s->runs = rc == 0;
	return rc;
}

void
pace_watch_status_close(struct pace_watch_status *s)
{
	if (s == NULL)
		return;
	atomic_store_explicit(&s->quit, true, memory_order_relaxed);
	if (s->runs)
		pthread_join(s->thread, NULL);
	pace_status_server_close(s->server);
	free(s);
}
