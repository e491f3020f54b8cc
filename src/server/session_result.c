/*
 * FINISH lets a run drain, and FETCH delivers its results and records, any number of times.  A
 * capture is waited for briefly after the grace time and added to the result.
 */
#include "config.h"

#include "server/session_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "doc/params.h"
#include "doc/rx_result_doc.h"
#include "doc/tcp_doc.h"
#include "doc/tx_result_doc.h"

#define ENERGY_LEAST_NS	INT64_C(1000000000)

/* Add the increase of the host's counters during the run. */
static void
count_host(struct pace_session *s, struct pace_counters *counters)
{
	struct pace_energy *e = &counters->energy;

	pace_io_counters(&s->cfg.io, counters, PACE_AFTER);
	pace_counters_since(counters, &s->counters);
	/* Fine-grained energy readings reveal what a processor computes (PLATYPUS, CVE-2020-8694):
	 * clients get no less than a second, in millijoules. */
	if (e->known && counters->at_ns < ENERGY_LEAST_NS) {
		e->known = false;
		snprintf(e->why, sizeof(e->why), "only an energy reading over at least one second is reported");
	}
	for (int i = 0; i < e->domains; i++)
		e->v[i].joules = round(e->v[i].joules * 1e3) / 1e3;
	counters->energy.has_idle = counters->energy.known && s->has_idle;
	counters->energy.idle_watts = s->idle_watts;
}

/* The result of this flow is j, which is released. */
static void
set_result(struct pace_session_flow *f, json_t *j)
{
	f->result = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(12));
	json_decref(j);
	f->result_size = f->result != NULL ? (uint32_t)strlen(f->result) : 0;
}

/* The results can be fetched without a time limit of their own. */
static void
set_ready(struct pace_session *s, const struct pace_run_rates *rates)
{
	s->state = PACE_READY;
	s->ready_ns = s->cfg.io.now(s->cfg.io.ctx);
	pace_run_limiter_end(&s->limiter, pace_session_wall(s));
	pace_session_run_ended(s, "complete", rates);
}

json_t *
pace_session_with_intervals(json_t *j, const struct pace_intervals *v,
    enum pace_interval_part part)
{
	struct pace_jw w = { .o = j };

	if (v != NULL)
		pace_jw_put(&w, "intervals", pace_interval_rows(v, part));
	return w.o;
}

/* Fill in what the session knows of the sender's result. */
void
pace_session_down_close(struct pace_session *s, struct pace_session_flow *f,
    struct pace_tx_result *r)
{
	struct pace_usage now;

	s->cfg.io.usage(s->cfg.io.ctx, &now);
	r->clock = now.clock;
	r->lease_lost = s->lease_lost;
	pace_session_end_tx_capture(s, f, r);
}

/* The results of the down direction can be fetched.  Only the first has the counters of the host. */
static void
down_ready(struct pace_session *s)
{
	struct pace_counters counters = { .known = false };

	count_host(s, &counters);
	pace_session_show(s);
	for (uint32_t i = 0; i < pace_session_streams(s); i++) {
		const struct pace_intervals *v;
		const struct pace_tx *tx;
		struct pace_tx_result *r = pace_session_down_result(s, i, &tx, &v);

		pace_session_down_close(s, s->flow[i], r);
		set_result(s->flow[i], pace_session_with_intervals(
		    pace_tx_result_to_json(r, tx, &counters), v, PACE_INTERVAL_TX));
		pace_counters_free(&counters);
		counters.known = false;
	}
	set_ready(s, NULL);
}

/* A run of TCP is over: its result can be fetched. */
static void
make_tcp_result(struct pace_session *s)
{
	struct pace_counters counters = { .known = false };

	count_host(s, &counters);
	set_result(&s->own, pace_tcp_side_to_json(pace_session_tcp_side(s), &s->run.tcp, &counters));
	pace_counters_free(&counters);
	pace_session_tcp_free(s);
	set_ready(s, NULL);
}

static struct pace_tally
tally_of(const struct pace_session *s, const struct pace_rx_result *rx)
{
	return (struct pace_tally){ .frames = rx->unique, .bytes = rx->bytes,
	    .wire_bytes = rx->unique * s->run.wire_bytes, .duplicates = rx->duplicates,
	    .reordered = rx->reordered, .late = rx->beyond_window, .foreign = rx->foreign,
	    .corrupt = rx->corrupt, .lost = (int64_t)rx->lost,
	    .congestion_marks = rx->marks.ecn[PACE_ECN_CE],
	    .dscp_changed = rx->marks.dscp_changed, .ecn_changed = rx->marks.ecn_changed,
	    .socket_lost_likely = rx->socket_lost_likely,
	    .socket_lost_max = rx->socket_lost_max, .socket_drops = rx->socket_drops };
}

/* Make the result of a flow's stream.  The counters of the host are reported once. */
static void
make_stream_result(struct pace_session *s, struct pace_session_flow *f,
    const struct pace_usage *now, const struct pace_counters *counters,
    struct pace_run_rates *rates)
{
	struct pace_msg_finish finish = s->finish;
	struct pace_rx_result *rx;
	json_t *j;

	finish.sent = f->sent;
	rx = pace_receiver_finish(f->receiver, &finish, pace_session_drops(f));
	rx->clock_steps = now->clock_steps - s->usage.clock_steps;
	rx->clock = now->clock;
	rx->bad_checksums = now->bad_checksums - s->usage.bad_checksums;
	pace_session_end_capture(s, f, rx);
	rx->lease_lost = s->lease_lost;
	rx->rcvbuf_asked = f->at.rcvbuf_asked;
	rx->rcvbuf_granted = f->at.rcvbuf_granted;
	rx->has_core = f->core >= 0;
	rx->core = rx->has_core ? (uint32_t)f->core : 0;
	f->last = (struct pace_slice){ .run = tally_of(s, rx), .gaps = rx->gap.stats,
	    .jitter_ns = (int64_t)rx->jitter_ns, .delays = pace_receiver_delays_seen(f->receiver) };
	j = pace_session_with_intervals(pace_rx_result_to_json(rx, counters, s->run.ask.verify),
	    pace_receiver_intervals(f->receiver), PACE_INTERVAL_RX);
	if (pace_session_is_two_way(s))
		pace_session_down_put(s, f->at.stream, j);
	set_result(f, j);
	if (rx->duration_ns > rates->duration_ns)
		rates->duration_ns = rx->duration_ns;
	rates->user_bps += rx->user_rate_bps;
	rates->wire_bps += rx->wire_rate_bps;
}

static void
end_light(struct pace_session *s)
{
	pace_light_receiver_finish(s->light, s->finish.sent);
	pace_session_show(s);
	set_ready(s, NULL);
}

static void
make_result(struct pace_session *s)
{
	const struct pace_counters none = { .known = false };
	struct pace_counters counters = { .known = false };
	struct pace_run_rates rates = { .duration_ns = 0 };
	struct pace_usage now;

	count_host(s, &counters);
	s->cfg.io.usage(s->cfg.io.ctx, &now);
	make_stream_result(s, &s->own, &now, &counters, &rates);
	pace_counters_free(&counters);
	for (uint32_t i = 1; i < pace_session_streams(s); i++) {
		struct pace_session_flow *f = s->flow[i];

		make_stream_result(s, f, &now, &none, &rates);
		s->finish.sent += f->sent;
		if (pace_receiver_records(f->receiver)->n > 0)
			continue;	/* they can be fetched */
		pace_receiver_free(f->receiver);
		f->receiver = NULL;
	}
	set_ready(s, &rates);
}

void
pace_session_drain(struct pace_session *s, int64_t now)
{
	if (s->state == PACE_SENDING && pace_session_down_over(s) &&
	    !pace_session_captures_wait(s, now))
		down_ready(s);
	if (s->state != PACE_DRAINING || now < s->end_ns)
		return;
	s->grace_over = pace_session_is_two_way(s);
	if (s->grace_over && !s->collects)
		return;			/* the down stream, or the client's clock, is not complete */
	if (pace_session_captures_wait(s, now))
		s->end_ns = now + PACE_SESSION_LOOK_NS;
	else if (s->light != NULL)
		end_light(s);
	else
		make_result(s);
}

/* The grace time begins when it is known how many frames of each stream were sent. */
static void
begin_drain(struct pace_session *s, int64_t now)
{
	bool complete = true;

	for (uint32_t i = 0; i < pace_session_streams(s); i++)
		if (!s->flow[i]->finished)
			return;
	if (s->down == NULL)			/* else threads may have frames to send */
		pace_session_threads_stop(s);	/* frames that still come are few */
	for (uint32_t i = 0; i < pace_session_streams(s); i++)
		complete = complete && !s->flow[i]->lent && (s->light != NULL ?
		    pace_light_receiver_complete(s->light, s->flow[i]->sent) :
		    pace_receiver_complete(s->flow[i]->receiver, s->flow[i]->sent));
	s->state = PACE_DRAINING;
	/* No frame is missing: only duplicates can still arrive. */
	s->end_ns = now + (complete ? s->run.ask.grace_ns / 5 : s->run.ask.grace_ns);
}

void
pace_session_finish(struct pace_session *s, const struct pace_hdr *h, const json_t *body,
    int64_t now)
{
	struct pace_msg_ready m = { .ready = false };
	struct pace_session_flow *flow = h->stream < pace_session_streams(s) ?
	    s->flow[h->stream] : NULL;
	struct pace_msg_finish f;

	if (s->limiter.why[0] != '\0' && h->run == s->run_number) {
		(void)pace_session_refuse_by_policy(s, h, s->limiter.why);
		return;
	}
	if (h->run != s->run_number || s->runs == 0 || s->state == PACE_OPENED || flow == NULL ||
	    pace_msg_finish(body, &f) != 0 || f.sent > s->run.limit) {
		pace_session_refuse(s, h, "request", "FINISH of a run that is not there");
		return;
	}
	if (s->state == PACE_RUNNING) {
		if (flow == &s->own)
			s->finish = f;
		flow->finished = true;
		flow->sent = f.sent;
		begin_drain(s, now);
	}
	if (pace_session_is_two_way(s) && f.collect && flow == &s->own &&
	    s->state == PACE_DRAINING) {
		s->finish.theta = f.theta;
		s->collects = true;
	}
	if (s->down != NULL)
		pace_session_down_finish(s, h->stream, f.stop || f.collect, &m);
	if (s->collects)
		pace_session_threads_stop(s);
	pace_session_drain(s, now);
	if (s->tcp != NULL && pace_session_tcp_over(s, f.stop, now)) {
		pace_session_tcp_look(s, now);	/* the last bytes count too */
		if (s->tcp == NULL)
			return;			/* they exceeded its rule: it ended, and the client knows */
		make_tcp_result(s);
	}
	if (s->state == PACE_PINGING && s->tcp == NULL && s->seen.run.ended_ns == 0) {
		pace_session_run_ended(s, "complete", NULL);
		s->ready_ns = now;
	}
	m.lease_lost = s->lease_lost;
	pace_session_pings_tell(s, &m);
	if (s->down == NULL || (pace_session_is_two_way(s) && f.collect)) {
		m.ready = s->state == PACE_READY || (s->state == PACE_PINGING && s->tcp == NULL);
		m.wait_ns = s->state == PACE_DRAINING && s->end_ns > now ? s->end_ns - now : 0;
	}
	if (s->tcp != NULL)
		m.wait_ns = PACE_SESSION_TCP_NS;
	if (m.wait_ns > s->run.ask.grace_ns)	/* it waits for the capture; clients expect no
						 * longer time */
		m.wait_ns = s->run.ask.grace_ns;
	m.size = flow->result_size;
	if (s->state == PACE_READY && m.size == 0 && s->light == NULL)
		pace_session_refuse(s, h, "memory", "the responder is out of memory");
	else
		pace_session_answer(s, h, pace_msg_ready_json(&m));
}

/* Return the size of the records; the receiver is freed with the lease. */
static uint32_t
records_size(const struct pace_session_flow *f)
{
	return f->receiver == NULL ? 0 :
	    (uint32_t)(pace_receiver_records(f->receiver)->n * PACE_RECORD_SIZE);
}

uint64_t
pace_session_fetchable(const struct pace_session *s)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < s->flows; i++)
		size += s->flow[i] != NULL ? s->flow[i]->result_size +
		    (uint64_t)records_size(s->flow[i]) : 0;
	return size;
}

/* Return the size of a part, and its text; NULL for records. */
static uint32_t
part_size(const struct pace_session *s, const struct pace_hdr *h, enum pace_part part,
    const char **text)
{
	const struct pace_session_flow *f = h->stream < s->flows ? s->flow[h->stream] : NULL;
	bool ready = s->state == PACE_READY && h->run == s->run_number && f != NULL &&
	    f->result != NULL;

	*text = part == PACE_PART_HOST ? s->host : part == PACE_PART_RESULT && ready ? f->result :
	    NULL;
	if (part == PACE_PART_HOST)
		return s->host_size;
	if (!ready)
		return 0;
	return part == PACE_PART_RECORDS ? records_size(f) : f->result_size;
}

void
pace_session_fetch(struct pace_session *s, const struct pace_hdr *request, const json_t *body)
{
	struct pace_hdr h = *request;
	struct pace_wr w = { .p = s->reply + PACE_HDR_SIZE, .left = 8 };
	struct pace_msg_fetch f = { .offset = 0 };
	uint32_t n, size = 0;
	const char *text = NULL;

	if (pace_msg_fetch(body, &f) == 0)
		size = part_size(s, &h, f.part, &text);
	if (f.offset >= size) {
		pace_session_refuse(s, request, "request", "FETCH of bytes that are not there");
		return;
	}
	n = size - f.offset < PACE_CHUNK_MAX ? size - f.offset : PACE_CHUNK_MAX;
	h.type |= PACE_REPLY;
	h.tx_ns = s->cfg.io.now(s->cfg.io.ctx);
	pace_wr_be(&w, f.offset, 4);
	pace_wr_be(&w, size, 4);
	if (text == NULL)
		pace_records_bytes(pace_receiver_records(s->flow[h.stream]->receiver), f.offset,
		    s->reply + PACE_HDR_SIZE + 8, n);
	else
		memcpy(s->reply + PACE_HDR_SIZE + 8, text + f.offset, n);
	pace_hdr_encode(s->reply, PACE_HDR_SIZE + 8 + n, &h);
	pace_session_send(s, pace_seal_put(&s->cfg.seal, s->reply, PACE_CONTROL_ROOM,
	    (int)(PACE_HDR_SIZE + 8 + n)));
}
