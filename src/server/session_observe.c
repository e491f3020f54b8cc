/*
 * How a session informs others: its page of statistics after every batch, events, and reports to
 * its client.  Between runs the figures are those of the last run.
 */
#include "config.h"

#include "server/session_run.h"

#include <string.h>

#include "core/schedule.h"

static void
sum_up(struct pace_session *s)
{
	s->seen.all = s->past;
	pace_tally_add(&s->seen.all, &s->seen.this_run);
}

static void
post(struct pace_session *s, bool all)
{
	s->seen.heard_ns = s->heard_ns;
	if (all) {
		s->seen.state = s->state;
		s->seen.leased = s->leased && !s->lease_lost;
		s->seen.runs = s->runs;
	}
	if (s->cfg.watch != NULL)
		pace_stats_page_post(s->cfg.watch, &s->seen, all);
}

void
pace_session_post(struct pace_session *s)
{
	post(s, true);
}

/* Limit the log lines about clients without a key, so that they cannot fill a log: GCRA, as in
 * rate_sketch.h. */
static bool
too_many(struct pace_session *s)
{
	struct pace_shared *shared = s->cfg.shared;
	int64_t now = s->cfg.io.now(s->cfg.io.ctx), paid = atomic_load(&shared->logged_ns), next;

	if (s->cfg.key[0] != '\0')
		return false;
	do {
		next = (paid > now ? paid : now) + PACE_SESSION_LINE_NS;
		if (next - now > PACE_SESSION_LINES * PACE_SESSION_LINE_NS) {
			atomic_fetch_add(&shared->unlogged, 1);
			return true;
		}
	} while (!atomic_compare_exchange_weak(&shared->logged_ns, &paid, next));
	return false;
}

static void
tell_all(struct pace_session *s, struct pace_session_event n)
{
	n.silent = n.kind != PACE_SESSION_EVENT_REFUSED && too_many(s);
	n.peer = &s->cfg.peer;
	n.view = &s->seen;
	n.watch = s->cfg.watch;
	pace_observer_notify(&s->cfg.shared->observer, &n);
}

static void
tell(struct pace_session *s, enum pace_session_event_kind kind, const char *code, const char *text,
    const struct pace_run_rates *rates)
{
	tell_all(s, (struct pace_session_event){ .kind = kind, .code = code, .text = text,
	    .rates = rates });
}

/* --- distributions --- */

/* Fill in the distributions of a stream, complete at its end. */
static void
show_shapes(struct pace_session *s, const struct pace_recent *batch, bool end)
{
	if (s->shapes == NULL)
		return;
	if (batch->samples > 0)
		pace_coarse_hist_add(&s->shapes->delay, batch->above_max_ns);
	if (s->cfg.watch == NULL)
		return;
	if (pace_stats_page_wanted(s->cfg.watch) && (end || s->shapes_ns == 0 ||
	    s->heard_ns - s->shapes_ns >= PACE_SHAPES_NS)) {
		s->shapes->number = s->seen.number;
		s->shapes->run = s->seen.run.number;
		if (s->own.receiver != NULL)
			pace_receiver_shape(s->own.receiver, &s->shapes->gap);
		s->shapes_ns = s->heard_ns;
		pace_stats_page_post_shapes(s->cfg.watch, s->shapes);
	}
}

/* --- after a batch --- */

void
pace_session_look_at(const struct pace_session_flow *f, struct pace_slice *now,
    struct pace_recent *batch)
{
	struct pace_recent recent;

	pace_recent_none(&recent);
	pace_receiver_look(f->receiver, &now->run, &now->gaps, &now->jitter_ns, &recent);
	now->delays = pace_receiver_delays_seen(f->receiver);
	pace_recent_add(batch, &recent);
}

/* The counts of all streams; gaps and jitter of the first. */
static void
look_at_streams(struct pace_session *s, struct pace_recent *batch)
{
	struct pace_session_stats *v = &s->seen;
	struct pace_slice one;

	if (s->light != NULL) {
		pace_light_receiver_look(s->light, &v->this_run, &v->gaps, &v->jitter_ns, batch);
		return;
	}
	pace_receiver_look(s->own.receiver, &v->this_run, &v->gaps, &v->jitter_ns, batch);
	for (uint32_t i = 1; i < pace_session_streams(s); i++) {
		if (s->flow[i]->lent)
			continue;
		pace_session_look_at(s->flow[i], &one, batch);
		pace_tally_add(&v->this_run, &one.run);
	}
	pace_session_threads_sum(s, &v->this_run, batch);
}

/* Get the figures of a stream: live ones, or those of its result. */
static void
slice_of(struct pace_session *s, uint32_t stream, struct pace_slice *v)
{
	const struct pace_session_flow *f = s->flow[stream];
	struct pace_recent known;	/* the session has them already */

	pace_recent_none(&known);
	memset(v, 0, sizeof(*v));
	if (pace_session_streaming(s) && f->lent)
		pace_session_threads_slice(s, stream, v);
	else if (pace_session_streaming(s))
		pace_session_look_at(f, v, &known);
	else if (s->state == PACE_READY)
		*v = f->last;
	if (s->down != NULL)
		pace_session_down_show_stream(s, stream, &v->run);
}

/* Post the figures of the streams that no other thread reads.  Call it after look_at_streams. */
static void
post_streams(struct pace_session *s, bool end)
{
	struct pace_stream_stats one = { .number = s->seen.number, .run = s->runs };

	if (s->cfg.watch == NULL || pace_session_streams(s) < 2 ||
	    (!end && s->heard_ns - s->streams_ns < PACE_SHAPES_NS))
		return;
	s->streams_ns = s->heard_ns;
	for (uint32_t i = 0; i < pace_session_streams(s); i++) {
		if (s->flow[i] == NULL || (s->flow[i]->lent && s->threads != NULL))
			continue;
		slice_of(s, i, &one.now);
		one.port = i == 0 ? s->cfg.peer.port : s->flow[i]->at.peer.port;
		pace_stream_page_post(&s->cfg.watch->stream[i], &one);
	}
}

void
pace_session_show(struct pace_session *s)
{
	struct pace_recent batch;

	pace_recent_none(&batch);
	if (pace_session_streaming(s)) {
		look_at_streams(s, &batch);
		show_shapes(s, &batch, false);
	}
	if (s->down != NULL)
		pace_session_down_show(s, &s->seen.this_run);
	if (!s->run.pings)
		post_streams(s, false);
	s->seen.this_run.round_trips = s->pings - s->pings0;
	pace_recent_add(&s->report.fresh, &batch);
	sum_up(s);
	s->seen.heard_ns = s->heard_ns;
	pace_stats_page_add(s->cfg.watch, &s->seen, &batch);
}

/* --- what happens --- */

void
pace_session_opened(struct pace_session *s)
{
	struct pace_session_stats *v = &s->seen;

	memset(v, 0, sizeof(*v));
	memset(&s->past, 0, sizeof(s->past));
	s->pings = s->pings0 = 0;
	v->number = 1 + atomic_fetch_add(&s->cfg.shared->numbers, 1);
	v->opened_ns = s->heard_ns;
	v->light = pace_session_is_light(s);
	v->rcvbuf_bytes = s->cfg.rcvbuf_granted;
	v->peer = s->cfg.peer;
	memcpy(v->label, s->cfg.open.label, sizeof(v->label));
	memcpy(v->key, s->cfg.key, sizeof(v->key));
	pace_recent_none(&v->recent);
	v->recent.turn = s->cfg.watch == NULL ? 0 :
	    atomic_load_explicit(&s->cfg.watch->turn, memory_order_relaxed);
	s->reported = true;
	post(s, true);
	tell(s, PACE_SESSION_EVENT_OPENED, NULL, NULL, NULL);
}

/* True if the session waits: the lease's line forgets a session that stops its requests. */
static bool
waits(const struct pace_session *s, int64_t now)
{
	return s->waits_ns != 0 && now - s->waits_asked_ns <= PACE_LEASE_ASK_NS;
}

void
pace_session_run_began(struct pace_session *s)
{
	const struct pace_params *a = &s->run.ask;
	struct pace_run_stats *r = &s->seen.run;

	sum_up(s);
	s->past = s->seen.all;
	memset(&s->seen.this_run, 0, sizeof(s->seen.this_run));
	memset(&s->seen.gaps, 0, sizeof(s->seen.gaps));
	if (s->shapes != NULL)
		memset(s->shapes, 0, sizeof(*s->shapes));
	s->shapes_ns = 0;
	s->seen.jitter_ns = 0;
	s->pings0 = s->pings;
	s->past.round_trips = s->pings;
	s->report.since = 0;
	pace_recent_none(&s->report.handed);
	pace_recent_none(&s->report.fresh);
	*r = (struct pace_run_stats){ .number = s->runs, .size_bytes = a->size_bytes,
	    .reply_bytes = s->run.reply_bytes, .wire_bytes = s->run.wire_bytes,
	    .spacing_ns = pace_spacing_ns(a->spacing), .train = a->train,
	    .bursts = a->bursts, .frames_asked = a->count, .records = a->record.room,
	    .duration_asked_ns = a->duration_ns, .at_most_ns = s->run.at_most_ns,
	    .streams = s->run.pings ? 1 : pace_session_streams(s),
	    .began_ns = s->heard_ns, .pings = s->run.pings, .verify = a->verify,
	    .busy_poll = a->busy_poll, .down = a->direction == PACE_DOWN && !s->run.pings,
	    .two_way = pace_session_is_two_way(s), .tcp = pace_tcp_connections(&s->run.tcp) };
	post(s, true);
	tell_all(s, (struct pace_session_event){ .kind = PACE_SESSION_EVENT_RUN,
	    .wait_ns = waits(s, s->heard_ns) ? s->heard_ns - s->waits_ns : 0 });
	s->waits_ns = 0;
}

void
pace_session_run_ended(struct pace_session *s, const char *how, const struct pace_run_rates *rates)
{
	struct pace_session_stats *v = &s->seen;

	if (v->run.number == 0 || v->run.ended_ns != 0)
		return;
	if (rates != NULL) {
		/* The receivers' results are the final figures. */
		v->this_run = (struct pace_tally){ .round_trips = v->this_run.round_trips };
		for (uint32_t i = 0; i < pace_session_streams(s); i++)
			pace_tally_add(&v->this_run, &s->flow[i]->last.run);
		if (s->down != NULL)
			pace_session_down_show(s, &v->this_run);
	}
	if (!v->run.pings && s->own.receiver != NULL)	/* reports may follow */
		pace_receiver_shape(s->own.receiver, &s->shapes->gap);
	if (rates != NULL || s->down != NULL)
		post_streams(s, true);
	if (!v->run.pings && s->shapes_ns != 0)
		show_shapes(s, &(struct pace_recent){ .samples = 0 }, true);
	sum_up(s);
	v->run.sent = rates != NULL || (s->light != NULL && s->state == PACE_READY) ?
	    s->finish.sent : 0;
	v->run.lease_lost = s->lease_lost;
	v->run.ended_ns = s->cfg.io.now(s->cfg.io.ctx);
	post(s, true);
	tell(s, PACE_SESSION_EVENT_RUN_OVER, how, NULL, rates);
}

void
pace_session_over(struct pace_session *s, const char *how)
{
	if (!s->reported)
		return;
	if (s->unseen)
		pace_session_show(s);
	pace_session_run_ended(s, "abandoned", NULL);
	s->reported = false;
	post(s, true);
	tell(s, PACE_SESSION_EVENT_CLOSED, how, NULL, NULL);
}

void
pace_session_gone(struct pace_session *s)
{
	pace_session_over(s, pace_session_leaves(s) ? "evicted" :
	    s->part_ns != 0 ? "stopped" : "client_gone");
	s->state = PACE_ENDED;
	post(s, true);
}

void
pace_session_refused(struct pace_session *s, const struct pace_msg_error *e)
{
	tell(s, PACE_SESSION_EVENT_REFUSED, e->code, e->text, NULL);
}

/* Report a wait once, however often the client repeats its request. */
void
pace_session_waits(struct pace_session *s, const struct pace_msg_error *e, int64_t now)
{
	bool known = waits(s, now);

	s->waits_asked_ns = now;
	pace_session_refused(s, e);
	if (known)
		return;
	s->waits_ns = now;
	tell_all(s, (struct pace_session_event){ .kind = PACE_SESSION_EVENT_WAITS, .text = e->label,
	    .wait_ns = e->wait_ns, .place = e->place });
}

/* --- REPORT: tallies as on the page; extremes repeat until the client received them --- */

/* Limit the reports: ten a second, two in a burst (GCRA). */
static bool
is_due(struct pace_reporting *r, int64_t now)
{
	int64_t from = r->paid_ns > now ? r->paid_ns : now;

	if (from - now > PACE_REPORT_NS)
		return false;
	r->paid_ns = from + PACE_REPORT_NS;
	return true;
}

/* Only clients that may learn facts of the host get its counters, as the increase since their
 * first request.  An old reading, perhaps hours old, is no valid starting point. */
static void
put_host(struct pace_session *s, struct pace_host_counters *n, int64_t now)
{
	struct pace_host_counters_board *b = &s->cfg.shared->sums;

	if (s->host_size == 0)
		return;
	pace_host_counters_want(b, now);
	if (!pace_host_counters_read(b, n) || now - n->at_ns > 2 * PACE_HOST_COUNTERS_NS) {
		n->at_ns = 0;
		return;
	}
	if (s->report.host.at_ns == 0)
		s->report.host = *n;
	pace_host_counters_since(n, &s->report.host);
}

/* Make a report with slices from a stream on. */
static json_t *
report_slices(struct pace_session *s, const struct pace_report *m, uint32_t first)
{
	struct pace_slices v = { .first = first };
	uint32_t streams = pace_session_streams(s);

	for (; v.n < PACE_SLICES && first + v.n < streams && s->flow[first + v.n] != NULL; v.n++)
		slice_of(s, first + v.n, &v.of[v.n]);
	return pace_slices_json(m, &v, streams);
}

void
pace_session_report(struct pace_session *s, const struct pace_hdr *h, const json_t *body,
    int64_t now)
{
	const struct pace_session_stats *v = &s->seen;
	struct pace_reporting *r = &s->report;
	struct pace_report m = { .at_ns = now, .state = s->state };
	struct pace_report_request a;
	bool slices;

	/* of another run, or a replay: no answer, no change */
	if (s->runs == 0 || h->run != s->run_number || h->seq <= r->number ||
	    pace_report_asked(body, &a) != 0 || !is_due(r, now))
		return;
	slices = (a.want & PACE_WANT_STREAMS) != 0 && pace_session_streams(s) > 1;
	if (slices)
		a.want = 0;
	pace_session_show(s);		/* include what came before it in its batch */
	/* Extremes that were sent but not received are sent again with the new ones. */
	if (a.seen == r->number && a.seen != 0) {
		r->since = a.seen;
		r->handed = r->fresh;
	} else {
		pace_recent_add(&r->handed, &r->fresh);
	}
	pace_recent_none(&r->fresh);
	r->number = h->seq;
	m.began_ns = v->run.began_ns;
	m.run = v->this_run;
	m.gaps = v->gaps;
	m.jitter_ns = v->jitter_ns;
	m.since = r->since;
	m.recent = r->handed;
	m.rcvbuf_bytes = s->cfg.rcvbuf_granted;
	if ((a.want & PACE_WANT_HOST) != 0)
		put_host(s, &m.host, now);
	if ((a.want & PACE_WANT_SHAPES) != 0 && s->light != NULL && !s->seen.run.pings) {
		m.has_shapes = true;
		pace_coarse_hist_list(pace_light_receiver_gaps(s->light), &m.gap);
		pace_coarse_hist_list(pace_light_receiver_delays(s->light), &m.delay);
	} else if ((a.want & PACE_WANT_SHAPES) != 0 && !s->seen.run.pings && s->shapes != NULL) {
		/* After a run its distributions are kept. */
		if (pace_session_streaming(s))
			pace_receiver_shape(s->own.receiver, &s->shapes->gap);
		m.has_shapes = true;
		pace_coarse_hist_list(&s->shapes->gap, &m.gap);
		pace_coarse_hist_list(&s->shapes->delay, &m.delay);
	}
	pace_report_fit(&m);
	s->reports++;
	pace_session_answer(s, h, slices ? report_slices(s, &m, h->stream) : pace_report_json(&m));
}
