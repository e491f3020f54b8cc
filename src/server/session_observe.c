/*
 * What a session tells of itself: its board after every batch, news of what
 * happens.  Between runs all is what the last one left.
 */
#include "config.h"

#include "server/session_run.h"

#include <string.h>

#include "core/schedule.h"
#include "doc/params.h"

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

/* Who has proven nothing cannot fill a log: GCRA, as in reply_limit.h. */
static bool
too_many(struct pace_session *s)
{
	struct pace_shared *shared = s->cfg.shared;
	int64_t now = s->cfg.io.now(s->cfg.io.ctx), paid = atomic_load(&shared->told_ns), next;

	if (s->cfg.key[0] != '\0')
		return false;
	do {
		next = (paid > now ? paid : now) + PACE_SESSION_LINE_NS;
		if (next - now > PACE_SESSION_LINES * PACE_SESSION_LINE_NS) {
			atomic_fetch_add(&shared->untold, 1);
			return true;
		}
	} while (!atomic_compare_exchange_weak(&shared->told_ns, &paid, next));
	return false;
}

static void
tell(struct pace_session *s, enum pace_session_event_kind kind, const char *code, const char *text,
    const struct pace_rx_result *rx)
{
	const struct pace_session_event n = { .kind = kind, .silent = kind != PACE_SESSION_EVENT_REFUSED &&
	    too_many(s), .peer = &s->cfg.peer, .view = &s->seen,
	    .watch = s->cfg.watch, .code = code, .text = text, .rx = rx };

	pace_observer_notify(&s->cfg.shared->observer, &n);
}

/* --- recent moments --- */

static uint64_t
turn_now(const struct pace_session *s)
{
	return s->cfg.watch == NULL ? 0 :
	    atomic_load_explicit(&s->cfg.watch->turn, memory_order_relaxed);
}

static void
put_recent(struct pace_session *s, const struct pace_recent *batch, uint64_t turn)
{
	if (s->seen.recent.turn != turn)
		pace_recent_none(&s->seen.recent);
	s->seen.recent.turn = turn;
	pace_recent_add(&s->seen.recent, batch);
}

/* --- distributions --- */

static void
post_shapes(struct pace_session *s)
{
	s->shapes.number = s->seen.number;
	s->shapes.run = s->seen.run.number;
	if (s->receiver != NULL)
		pace_receiver_shape(s->receiver, &s->shapes.gap);
	s->shapes_ns = s->heard_ns;
	pace_stats_page_post_shapes(s->cfg.watch, &s->shapes);
}

/* Of a stream; at its end all of it. */
static void
show_shapes(struct pace_session *s, const struct pace_recent *batch, bool end)
{
	if (batch->samples > 0)
		pace_coarse_hist_add(&s->shapes.delay, batch->above_max_ns);
	if (s->cfg.watch == NULL)
		return;
	if (pace_stats_page_wanted(s->cfg.watch) && (end || s->shapes_ns == 0 ||
	    s->heard_ns - s->shapes_ns >= PACE_SHAPES_NS))
		post_shapes(s);
}

/* --- after a batch --- */

void
pace_session_show(struct pace_session *s)
{
	struct pace_recent batch;
	uint64_t turn = turn_now(s);

	pace_recent_none(&batch);
	if (pace_session_streaming(s)) {
		pace_receiver_look(s->receiver, &s->seen.this_run, &s->seen.gaps,
		    &s->seen.jitter_ns, &batch);
		show_shapes(s, &batch, false);
	}
	s->seen.this_run.round_trips = s->pings - s->pings0;
	pace_session_report_add(s, &batch);
	sum_up(s);
	put_recent(s, &batch, turn);
	post(s, false);
	/* Read meanwhile: this batch may have been seen or not. */
	if (turn_now(s) != turn) {
		put_recent(s, &batch, turn_now(s));
		post(s, false);
	}
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
	v->rcvbuf_bytes = s->cfg.rcvbuf_granted;
	v->peer = s->cfg.peer;
	memcpy(v->label, s->cfg.open.label, sizeof(v->label));
	memcpy(v->key, s->cfg.key, sizeof(v->key));
	pace_recent_none(&v->recent);
	v->recent.turn = turn_now(s);
	s->told = true;
	post(s, true);
	tell(s, PACE_SESSION_EVENT_OPENED, NULL, NULL, NULL);
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
	memset(&s->shapes, 0, sizeof(s->shapes));
	s->shapes_ns = 0;
	s->seen.jitter_ns = 0;
	s->pings0 = s->pings;
	s->past.round_trips = s->pings;
	pace_session_report_begin(s);
	*r = (struct pace_run_stats){ .number = s->runs, .size_bytes = a->size_bytes,
	    .reply_bytes = s->run.reply_bytes, .wire_bytes = s->run.wire_bytes,
	    .spacing_ns = pace_spacing_ns(a->spacing), .train = a->train,
	    .bursts = a->bursts, .frames_asked = a->count, .records = a->record.room,
	    .duration_asked_ns = a->duration_ns, .at_most_ns = s->run.at_most_ns,
	    .began_ns = s->heard_ns, .pings = s->run.pings, .verify = a->verify,
	    .busy_poll = a->busy_poll };
	post(s, true);
	tell(s, PACE_SESSION_EVENT_RUN, NULL, NULL, NULL);
}

/* The last word on a stream is the receiver's. */
static void
take_rx_result(struct pace_tally *t, const struct pace_rx_result *rx, uint32_t wire_bytes)
{
	*t = (struct pace_tally){ .frames = rx->unique, .bytes = rx->bytes,
	    .wire_bytes = rx->unique * wire_bytes, .duplicates = rx->duplicates,
	    .reordered = rx->reordered, .late = rx->beyond_window, .foreign = rx->foreign,
	    .corrupt = rx->corrupt, .lost = (int64_t)rx->lost,
	    .socket_likely = rx->socket_likely, .socket_high = rx->socket_high,
	    .socket_drops = rx->socket_drops, .round_trips = t->round_trips };
}

void
pace_session_run_ended(struct pace_session *s, const char *how, const struct pace_rx_result *rx)
{
	struct pace_session_stats *v = &s->seen;

	if (v->run.number == 0 || v->run.ended_ns != 0)
		return;
	if (rx != NULL)
		take_rx_result(&v->this_run, rx, s->run.wire_bytes);
	if (!v->run.pings && s->receiver != NULL)	/* reports may follow */
		pace_receiver_shape(s->receiver, &s->shapes.gap);
	if (!v->run.pings && s->shapes_ns != 0)
		show_shapes(s, &(struct pace_recent){ .samples = 0 }, true);
	sum_up(s);
	v->run.sent = rx != NULL ? s->finish.sent : 0;
	v->run.lease_lost = s->lease_lost;
	v->run.ended_ns = s->cfg.io.now(s->cfg.io.ctx);
	post(s, true);
	tell(s, PACE_SESSION_EVENT_RUN_OVER, how, NULL, rx);
}

void
pace_session_over(struct pace_session *s, const char *how)
{
	if (!s->told)
		return;
	pace_session_run_ended(s, "abandoned", NULL);
	s->told = false;
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
