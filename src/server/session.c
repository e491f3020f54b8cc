/*
 * Life of a session: open -> (start -> running -> draining -> ready, or start -> pinging)* ->
 * closed.  A START with the next run number begins a run in any state; the earlier run is
 * forgotten.  While frames come fast, arrivals do not wake the session: it empties the socket
 * at fixed intervals, because the kernel's stamps do not need a quick reader.  This polling is
 * limited by the frames that arrive: a client that announced fast frames and sends few does
 * not keep the session awake.
 */
#include "config.h"

#include "proto/random.h"
#include "server/session_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/schedule.h"
#include "doc/host_doc.h"
#include "doc/params.h"

#define ROUNDS		64			/* batches a step */
#define DRAIN_NS	INT64_C(200000)
#define DRAIN_MIN_NS	INT64_C(20000)	/* never spin unless busy_poll is requested */
#define RARE_NS		INT64_C(100000)		/* frames further apart wake us */
#define POLL_FRAMES	8			/* a frame allows polling for this many spacings, */
#define POLL_MOST_NS	INT64_C(50000000)	/* but not longer */
/* without an announced interval: spin this long for the next PING */
#define PING_PONG_NS	INT64_C(2000000)
#define PING_BATCH	4			/* small batches keep a spin short */
#define PING_FREE	128			/* bytes; larger ones need the lease */
#define PING_COST	48			/* bytes of the allowance, outside a run */
#define TICK_NS		INT64_C(1000000000)
#define CUT_NS		INT64_C(10000000)	/* how often late frames of an ended run are read */
/* a closed session checks this often whether its place is needed */
#define LINGER_NS	INT64_C(100000000)
#define NOTICE_NS	INT64_C(200000000)
/* time to end a stream, drain it and fetch its result */
#define PART_SPARE_NS	INT64_C(2000000000)
#define READY_NS	INT64_C(3000000000)	/* to fetch a result while others wait, and */
#define READY_PER_S	(4 << 20)		/* one second more per this many bytes, */
#define READY_MAX_NS	INT64_C(6000000000)	/* up to this */
#define PART_QUIET_NS	INT64_C(1200000000)	/* longer than between two requests */
#define FLOWS_A_LOOK	16
#define FRAME_CHARGE	2304			/* kernel's charge for a frame of 1472 B */

/* --- foreign datagrams ------------------------------------------------------- */

/* Anybody can forge the client's address.  A datagram without the session's number is counted here
 * and nowhere else. */
static void
foreign_at(struct pace_session *s, struct pace_session_flow *f)
{
	pace_session_stray(s);
	if (pace_session_streaming(s) && f->receiver != NULL)
		pace_receiver_foreign(f->receiver);
}

static void
foreign(struct pace_session *s)
{
	foreign_at(s, &s->own);
}

/* --- accounting -------------------------------------------------------------- */

/* Count a datagram with the session's number for the policy. */
static void
count(struct pace_session *s, const struct pace_in *in)
{
	s->load.frames++;
	s->load.bytes += in->len;
}

/* Credit the counted bytes for answers: before each answer and after each batch. */
static void
credit(struct pace_session *s)
{
	uint64_t brought = s->load.bytes + s->load.frames * s->limiter.overhead;

	pace_send_credit_earn(&s->credit, brought - s->credited);
	s->credited = brought;
}

/* --- a datagram ------------------------------------------------------------ */

/* True if another client must not disturb the current run. */
static bool
measuring(const struct pace_session *s)
{
	return pace_session_streaming(s) || s->state == PACE_PINGING || s->state == PACE_SENDING;
}

/* True if the session holds the lease of a run that is over. */
static bool
run_is_over(const struct pace_session *s)
{
	return s->state == PACE_READY || (s->state == PACE_PINGING && s->seen.run.ended_ns != 0);
}

/* Return the time between two frames, as the client announced it. */
static int64_t
announced_ns(const struct pace_session *s)
{
	const struct pace_params *a = &s->run.ask;
	int64_t ns = pace_spacing_ns(a->spacing);

	if (s->state == PACE_PINGING)
		ns = a->duration_ns > 0 && a->count > 0 ?
		    (int64_t)((uint64_t)a->duration_ns / a->count) : PING_PONG_NS;
	return ns < POLL_MOST_NS ? ns : POLL_MOST_NS;
}

/* A frame arrived: it allows polling for some announced spacings, and one more check.  The
 * session does not poll for rarer frames. */
static void
allow_polling(struct pace_session *s, int64_t now)
{
	int64_t step_ns = announced_ns(s) + DRAIN_MIN_NS;
	int64_t until_ns = (s->poll_until_ns > now ? s->poll_until_ns : now) + step_ns;
	int64_t most_ns = POLL_FRAMES * (int64_t)s->run.ask.train * step_ns;

	most_ns = now + (most_ns < POLL_MOST_NS ? most_ns : POLL_MOST_NS);
	s->poll_until_ns = until_ns < most_ns ? until_ns : most_ns;
}

/* True if a PING may be answered.  Outside a run the allowance pays for it: even a small one costs
 * work. */
static bool
affords_ping(struct pace_session *s, const struct pace_ping *p, int64_t now)
{
	if ((!s->leased || run_is_over(s)) && (s->limiter.spent ||
	    !pace_send_credit_draw(&s->credit, PING_COST, now)))
		return false;
	return pace_send_credit_pay(&s->credit, p->reply_bytes + s->limiter.overhead, now);
}

static void
on_ping(struct pace_session *s, const struct pace_hdr *h, const struct pace_in *in,
    int64_t now)
{
	struct pace_ping p;

	credit(s);
	if (pace_session_was_cut(s)) {
		s->heard_ns = now;	/* keep the session: FINISH explains the silence */
		s->leftovers++;
		return;
	}
	pace_ping_decode(&p, in->buf, in->len);
	if (s->state == PACE_CLOSED ||
	    (in->len > PING_FREE && (!s->leased || in->len > s->run.ask.size_bytes)) ||
	    !pace_echo_takes(&s->echo, in->len, &p) || !affords_ping(s, &p, now))
		return;
	if (s->state == PACE_SENDING)
		pace_session_down_heard(s, p.proof, now);
	if (!pace_echo_answer(&s->echo, &s->cfg.io, s->id, h, in))
		return;
	s->heard_ns = now;
	if (!run_is_over(s))
		s->active_ns = now;
	s->pings++;
	if (s->state == PACE_PINGING)
		allow_polling(s, now);
	for (uint32_t i = 0; s->state == PACE_RUNNING && i < pace_session_streams(s); i++)
		pace_receiver_rate(s->flow[i]->receiver, pace_rate_of_ping(p.rate_2p40));
}

/*
 * True if the message is the client's: with a key it needs a valid tag, otherwise the session's
 * number.  Our own answers, reflected to us, have valid tags but are not requests.
 */
static bool
is_clients(const struct pace_session *s, const struct pace_hdr *h, const struct pace_in *in)
{
	const struct pace_seal *seal = &s->cfg.seal;

	if (h->session != s->id || h->sealed != seal->on)
		return false;
	return !seal->on || ((h->type == PACE_START || h->type == PACE_FINISH ||
	    h->type == PACE_FETCH || h->type == PACE_CLOSE || h->type == PACE_REPORT) &&
	    in->len <= in->size && pace_seal_check(seal, in->buf, in->len));
}

static void
on_request(struct pace_session *s, const struct pace_hdr *h, const struct pace_in *in,
    int64_t now)
{
	json_t *body;

	credit(s);
	s->heard_ns = now;
	if (h->type != PACE_REPORT)
		s->active_ns = now;	/* reading needs no lease */
	if (s->state == PACE_CLOSED && h->type != PACE_CLOSE) {
		foreign(s);
		return;
	}
	body = in->len <= in->size ? pace_request_body(h, in->buf, in->len) : NULL;
	if (h->type == PACE_START)
		pace_session_start(s, h, body, now);
	else if (h->type == PACE_FINISH)
		pace_session_finish(s, h, body, now);
	else if (h->type == PACE_FETCH)
		pace_session_fetch(s, h, body);
	else if (h->type == PACE_REPORT)
		pace_session_report(s, h, body, now);
	else if (h->type == PACE_CLOSE)
		pace_session_close(s, h, now);
	json_decref(body);
}

static void
on_control(struct pace_session *s, const struct pace_hdr *h, const struct pace_in *in,
    int64_t now)
{
	if (h->type == PACE_OPEN) {
		pace_session_open(s, h, in, now);
	} else if (!is_clients(s, h, in)) {
		foreign(s);
	} else {
		count(s, in);
		if (!s->cfg.seal.on || pace_replay_new(&s->replay, h))
			on_request(s, h, in, now);	/* a replay is ignored, and is not
							 * foreign */
	}
}

static void
on_data(struct pace_session *s, struct pace_session_flow *f, const struct pace_hdr *h,
    const struct pace_in *in, int64_t now)
{
	if (h->run == s->run_number && pace_session_streaming(s) &&
	    f->at.stream < pace_session_streams(s)) {
		pace_receiver_take(f->receiver, h, in);
		s->heard_ns = s->active_ns = now;
		allow_polling(s, now);
	} else if (h->run == s->run_number && pace_session_was_cut(s)) {
		/* Its client does not know yet that the run was ended, or ignores it: not
		 * foreign, but not part of a run. */
		s->leftovers++;
		atomic_fetch_add_explicit(&s->cfg.shared->leftovers, 1, memory_order_relaxed);
	} else {
		foreign_at(s, f);
	}
}

/* True if the header's stream is that of the flow.  FINISH and FETCH go over the session's own
 * socket for each stream of the run. */
static bool
is_of_flow(const struct pace_session *s, const struct pace_session_flow *f,
    const struct pace_hdr *h)
{
	if (f == &s->own && (h->type == PACE_FINISH || h->type == PACE_FETCH))
		return h->stream < pace_session_streams(s);
	return h->stream == f->at.stream;
}

static void
take(struct pace_session *s, struct pace_session_flow *f, const struct pace_in *in, int64_t now)
{
	struct pace_hdr h = { .type = 0 };
	int rc;

	if (in->from.family != 0 && !pace_addr_same(&in->from, &f->at.peer)) {
		pace_session_stray(s);
		return;
	}
	if (in->has_drops)
		f->drops = in->drops;
	rc = pace_hdr_decode(&h, in->buf, in->len < in->size ? in->len : in->size);
	if (rc == 0 && h.type == PACE_DATA && h.session == s->id && h.stream == f->at.stream) {
		count(s, in);
		on_data(s, f, &h, in, now);
	} else if (h.type == PACE_HELLO &&
	    (rc == -EPROTONOSUPPORT || (rc == 0 && h.stream == 0))) {
		pace_session_hello(s, f, in, now);
	} else if (f != &s->own) {
		if (h.type != PACE_OPEN || rc != 0)
			foreign_at(s, f);
		else
			pace_session_flow_opened(s, f, &h, in, now);
	} else if (rc == 0 && !is_of_flow(s, f, &h)) {
		foreign(s);
	} else if (rc == 0 && h.type == PACE_PING && h.session == s->id) {
		count(s, in);
		on_ping(s, &h, in, now);
	} else if (rc == 0 && h.type != PACE_DATA) {
		on_control(s, &h, in, now);
	} else {
		foreign(s);
	}
}

/* Split a datagram of several pieces (GRO) and take each piece. */
static void
take_all(struct pace_session *s, struct pace_session_flow *f, const struct pace_in *in,
    int64_t now)
{
	struct pace_in one = *in;

	if (in->segment == 0 || in->len <= in->segment) {
		take(s, f, in, now);
		return;
	}
	for (size_t at = 0; at < in->len && at < in->size; at += in->segment) {
		one.buf = in->buf + at;
		one.len = in->len - at < in->segment ? in->len - at : in->segment;
		one.size = in->size - at < one.len ? in->size - at : one.len;
		take(s, f, &one, now);
	}
}

/* --- stepping -------------------------------------------------------------- */

/*
 * The responder stops.  If this run will not end by itself with time left to fetch its result,
 * notify the client: send the answer to a CLOSE that it did not send, repeatedly, because it may
 * get lost.
 */
static void
notice(struct pace_session *s, int64_t now)
{
	struct pace_hdr h = { .type = PACE_CLOSE, .run = s->run_number };
	int64_t over_ns = s->seen.run.began_ns + s->run.begin_in_ns +
	    pace_params_cost_ns(&s->run.ask);
	int64_t last_ns = s->part_ns - PART_SPARE_NS;

	if ((s->state == PACE_RUNNING || s->state == PACE_SENDING) && over_ns <= last_ns &&
	    s->run.ask.spacing > 0 && now < last_ns)
		return;
	if ((!measuring(s) && s->state != PACE_OPENED) || s->state == PACE_DRAINING ||
	    now - s->noticed_ns < NOTICE_NS)
		return;
	s->noticed_ns = now;
	pace_session_answer(s, &h, NULL);
}

/* True if nothing is left to do for this client, or no time.  The listener answers its later
 * requests. */
static bool
parted(const struct pace_session *s, int64_t now)
{
	int64_t since_ns = s->heard_ns > s->parting_ns ? s->heard_ns : s->parting_ns;
	bool quiet = now - since_ns > PART_QUIET_NS;

	return now >= s->part_ns || s->state == PACE_CLOSED ||
	    (s->state == PACE_OPENED && quiet) || (s->state == PACE_READY && quiet);
}

/* True if other clients wait and this one had more than enough time to fetch its result. */
static bool
dawdles(const struct pace_session *s, int64_t now)
{
	int64_t ns = READY_NS + (int64_t)(1e9 / READY_PER_S * (double)pace_session_fetchable(s));

	return run_is_over(s) && now - s->ready_ns > (ns < READY_MAX_NS ? ns : READY_MAX_NS) &&
	    pace_lease_wanted(&s->cfg.shared->lease, now);
}

static void
keep_lease(struct pace_session *s, int64_t now)
{
	s->renewed_ns = now;
	if (measuring(s) && !run_is_over(s) &&
	    pace_lease_overdue(&s->cfg.shared->lease, s->id, now)) {
		snprintf(s->limiter.why, sizeof(s->limiter.why), "the run was ended: other clients "
		    "wait, and it lasted longer than a turn of %d s, or than announced",
		    (int)(PACE_LEASE_TURN_NS / 1000000000));
		pace_session_cut(s);
		return;
	}
	if (now - s->active_ns < PACE_LEASE_NS && !dawdles(s, now)) {
		/* messages came since the last check: renew the lease from then */
		if (!pace_lease_renew(&s->cfg.shared->lease, s->id, s->active_ns))
			s->lease_lost = true;
	} else if (!measuring(s) || run_is_over(s)) {
		pace_session_give_up(s);
	} else if (now - s->active_ns >= PACE_SESSION_IDLE_NS) {
		pace_session_let_go(s);	/* REPORT alone does not keep a run */
	}
}

/* Update the facts that the responder needs when it looks for a place. */
static void
tell_place(struct pace_session *s, int64_t now)
{
	struct pace_slot_state *p = s->cfg.place;
	bool measures = measuring(s) && s->leased && !s->lease_lost && !run_is_over(s);

	if (measures)
		s->used_ns = now;
	if (p == NULL)
		return;
	atomic_store_explicit(&p->measures, measures, memory_order_relaxed);
	atomic_store_explicit(&p->used_ns, s->used_ns, memory_order_relaxed);
}

/* Return how long the socket may fill before it is emptied: an eighth of its buffer. */
static int64_t
drain_interval(const struct pace_session *s)
{
	int64_t spacing = pace_spacing_ns(s->run.ask.spacing);
	int64_t frames = (int64_t)s->flow[pace_session_streams(s) - 1]->at.rcvbuf_granted * 2 /
	    FRAME_CHARGE;
	int64_t charge = s->run.ask.size_bytes / 1472 + 1;
	int64_t interval = frames / charge * spacing / 8;
	/* each look reads all flows */
	int64_t most = DRAIN_NS * (1 + pace_session_streams(s) / FLOWS_A_LOOK);

	if (interval < DRAIN_MIN_NS)
		return DRAIN_MIN_NS;
	return interval < most ? interval : most;
}

/* True if the session's time is over, or if it must leave for another client. */
static bool
has_had_its_time(const struct pace_session *s, int64_t now)
{
	int64_t age = now - s->born_at_ns;

	if (pace_session_leaves(s))
		return true;
	if (s->state == PACE_CLOSED || age < PACE_SESSION_LIFE_NS)
		return false;
	return !measuring(s) || age >= PACE_SESSION_LIFE_NS + PACE_AT_MOST_NS;
}

static struct pace_wake
next_wake(const struct pace_session *s, int64_t now)
{
	struct pace_wake w = { .at_ns = now + TICK_NS, .on_data = true };
	int64_t idle_ns = s->heard_ns + PACE_SESSION_IDLE_NS;

	if (s->state == PACE_CLOSED || s->state == PACE_DRAINING)
		w.at_ns = s->end_ns;
	if (s->state == PACE_CLOSED && now + LINGER_NS < s->end_ns)
		w.at_ns = now + LINGER_NS;
	if (idle_ns < w.at_ns)
		w.at_ns = idle_ns;
	w.done = now >= idle_ns || (s->state == PACE_CLOSED && now >= s->end_ns) ||
	    has_had_its_time(s, now) || (s->part_ns != 0 && parted(s, now));
	if (s->state == PACE_SENDING && pace_session_down_wake(s, now) < w.at_ns)
		w.at_ns = pace_session_down_wake(s, now);
	if (pace_session_was_cut(s)) {
		w.at_ns = now + CUT_NS;
		w.on_data = false;
	}
	if ((s->state != PACE_RUNNING && s->state != PACE_PINGING) || now >= s->poll_until_ns)
		return w;
	if (s->run.ask.busy_poll) {
		w.at_ns = 0;
		w.on_data = false;
	} else if (s->state == PACE_RUNNING &&
	    pace_spacing_ns(s->run.ask.spacing * s->run.ask.train) <
	    RARE_NS * pace_session_streams(s)) {
		w.at_ns = now + drain_interval(s);
		w.on_data = false;
	}
	return w;
}

/* Account for a batch and for the answers to it. */
static void
take_batch(struct pace_session *s, struct pace_session_flow *f, int n, int64_t now)
{
	uint64_t replies = s->echo.replies + s->reports, frames, bytes;

	s->load = (struct pace_traffic){ .frames = 0 };
	s->credited = 0;
	for (int i = 0; i < n; i++)
		take_all(s, f, &s->in[i], now);
	if (n <= 0)
		return;			/* frames sent without any received are weighed with the
					 * next batch */
	credit(s);
	frames = s->answers + s->echo.replies;
	bytes = s->answer_bytes + s->echo.bytes;
	s->load.out_frames = frames - s->weighed;
	s->load.out_bytes = bytes - s->weighed_bytes;
	s->weighed = frames;
	s->weighed_bytes = bytes;
	s->load.pings = pace_session_streaming(s) ? s->echo.replies + s->reports - replies : 0;
	if (!pace_run_limiter_count(&s->limiter, &s->load, now, pace_session_wall(s)))
		pace_session_cut(s);
}

/* Read what waits at a flow; true: something did. */
static bool
read_flow(struct pace_session *s, struct pace_session_flow *f, int64_t now)
{
	int n, batch = s->state == PACE_PINGING ? PING_BATCH : PACE_SESSION_BATCH;
	bool some = false;

	for (int round = 0; round < ROUNDS; round++) {
		/* Between frames, make room for any control message: a FINISH with many lines of
		 * theta is longer than the part of a frame that is read. */
		size_t room = s->wanted < PACE_CONTROL_ROOM && now >= s->poll_until_ns ?
		    PACE_CONTROL_ROOM : s->wanted;

		for (int i = 0; i < batch; i++)
			s->in[i].size = room;
		n = f->at.io.recv(f->at.io.ctx, s->in, batch);
		take_batch(s, f, n, now);
		some = some || n > 0;
		if (n < batch)
			break;
	}
	return some;
}

struct pace_wake
pace_session_step(struct pace_session *s)
{
	const struct pace_io *io = &s->cfg.io;
	int64_t now = io->now(io->ctx);
	bool some;

	if (!s->answered) {
		pace_session_welcome(s, s->cfg.request);
		pace_session_opened(s);
	}
	s->answered = true;
	if (s->state == PACE_SENDING)
		pace_session_down_step(s, now);
	now = io->now(io->ctx);
	some = read_flow(s, &s->own, now);
	for (uint32_t i = 1; i < s->flows; i++)
		if (s->flow[i] != NULL) {
			some = read_flow(s, s->flow[i], now) || some;
			if (s->flow[i]->leaves)
				pace_session_flow_close(s, i);
		}
	if (s->echo.back != s->echo.asked)
		pace_echo_departures(&s->echo, io);
	if (some)
		pace_session_show(s);
	now = io->now(io->ctx);
	pace_session_drain(s, now);
	tell_place(s, now);
	if (s->part_ns != 0)
		notice(s, now);
	if (s->state == PACE_SENDING)
		pace_session_show(s);
	if (pace_session_was_cut(s) && s->leftovers > 0 && now - s->cut_told_ns >= NOTICE_NS)
		pace_session_tell_cut(s, now);
	if (s->leased && now - s->renewed_ns >= TICK_NS)
		keep_lease(s, now);
	return next_wake(s, now);
}

void
pace_session_part(struct pace_session *s, int64_t until_ns)
{
	if (s->part_ns != 0)
		return;
	s->parting_ns = s->cfg.io.now(s->cfg.io.ctx);
	s->part_ns = until_ns;
}

struct pace_session *
pace_session_new(const struct pace_session_cfg *cfg)
{
	struct pace_session *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->cfg = *cfg;
	pace_run_limiter_init(&s->limiter, cfg->shared->rules, &s->cfg.terms, cfg->peer.family);
	pace_send_credit_init(&s->credit,
	    cfg->terms.limits.reverse ? NULL : &cfg->shared->credit_pool, &cfg->peer);
	s->room = PACE_FRAME_MAX + 1;
	s->buffers = malloc(PACE_SESSION_BATCH * s->room);
	if (s->buffers == NULL || pace_echo_init(&s->echo) < 0) {
		free(s->buffers);
		free(s);
		return NULL;
	}
	for (int i = 0; i < PACE_SESSION_BATCH; i++)
		s->in[i].buf = s->buffers + (size_t)i * s->room;
	s->wanted = PACE_CONTROL_ROOM;
	s->own.at = (struct pace_flow){ .peer = cfg->peer, .io = cfg->io,
	    .rcvbuf_granted = cfg->rcvbuf_granted };
	s->flow[0] = &s->own;
	s->flows = 1;
	s->id = cfg->id != 0 ? cfg->id : pace_random();
	if (cfg->place != NULL)
		atomic_store(&cfg->place->session, s->id);
	pace_replay_begin(&s->replay, cfg->request, cfg->request_tx_ns);
	s->heard_ns = s->born_at_ns = s->used_ns = cfg->io.now(cfg->io.ctx);
	return s;
}

int
pace_session_tell(struct pace_session *s, const struct pace_host *h)
{
	json_t *j = h != NULL ? pace_host_to_json(h) : NULL;

	free(s->host);
	s->host = j != NULL ? json_dumps(j, JSON_COMPACT) : NULL;
	json_decref(j);
	if (s->host != NULL && strlen(s->host) > PACE_HOST_MAX) {
		free(s->host);
		s->host = NULL;
	}
	s->host_size = s->host != NULL ? (uint32_t)strlen(s->host) : 0;
	return s->host != NULL || h == NULL ? 0 : -ENOMEM;
}

void
pace_session_free(struct pace_session *s)
{
	if (s == NULL)
		return;
	pace_session_forget(s);
	pace_session_give_up(s);
	pace_lease_leave(&s->cfg.shared->lease, s->id);
	pace_session_gone(s);
	for (uint32_t i = 1; i < s->flows; i++)
		pace_session_flow_close(s, i);
	pace_echo_free(&s->echo);
	pace_counters_free(&s->counters);
	pace_seal_wipe(&s->cfg.seal);
	free(s->host);
	free(s->buffers);
	free(s);
}
