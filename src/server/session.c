/*
 * Life of a session: open -> (start -> running -> draining -> ready, or
 * start -> pinging)* -> closed.  A START with the next run number begins a run from any state; the
 * run that was there is forgotten.  While frames come fast nobody is woken
 * for each: the socket is emptied by the clock, the kernel's
 * stamps do not need a quick reader.  Frames pay for that: the clock wakes nobody for
 * a client that announced fast frames and sends few.
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
#define DRAIN_MIN_NS	INT64_C(20000)	/* never spin unasked */
#define RARE_NS		INT64_C(100000)		/* frames further apart wake us */
#define POLL_FRAMES	8			/* the clock may wake us for so many steps ahead, */
#define POLL_MOST_NS	INT64_C(50000000)	/* but not longer */
#define PING_PONG_NS	INT64_C(2000000)	/* no interval was announced: a spin for the next PING */
#define PING_BATCH	4			/* a spin is quicker with few */
#define PING_FREE	128			/* bytes; larger ones need the lease */
#define PING_COST	48			/* bytes of the allowance, outside of a run */
#define TICK_NS		INT64_C(1000000000)
#define CUT_NS		INT64_C(10000000)	/* what still comes of an ended run wakes nobody */
#define LINGER_NS	INT64_C(100000000)	/* a closed one looks so often if it is in the way */
#define NOTICE_NS	INT64_C(200000000)
#define PART_SPARE_NS	INT64_C(2000000000)	/* to end a stream, let it drain and fetch its result */
#define READY_NS	INT64_C(3000000000)	/* to fetch a result, while others wait, and */
#define READY_PER_S	(4 << 20)		/* a second more for so many bytes, */
#define READY_MAX_NS	INT64_C(6000000000)	/* up to this */
#define PART_QUIET_NS	INT64_C(1200000000)	/* longer than between two requests */
#define FRAME_CHARGE	2304			/* kernel's charge for a frame of 1472 B */

/* --- what is not for us ---------------------------------------------------- */

/* Anybody can write the client's address on a datagram: one without the session's number
 * is counted here, and nowhere else. */
static void
foreign(struct pace_session *s)
{
	pace_session_stray(s);
	if (pace_session_streaming(s))
		pace_receiver_foreign(s->receiver);
}

/* Its client does not know yet that the run was ended, or does not care: not hostile, and
 * not part of anything. */
static void
leftover(struct pace_session *s)
{
	s->leftovers++;
	atomic_fetch_add_explicit(&s->cfg.shared->leftovers, 1, memory_order_relaxed);
}

/* --- what is for us ---------------------------------------------------------- */

/* It carries the session's number: the policy counts it. */
static void
count(struct pace_session *s, const struct pace_in *in)
{
	s->load.frames++;
	s->load.bytes += in->len;
}

/* What was counted pays for answers: before one is sent, and behind each batch. */
static void
credit(struct pace_session *s)
{
	uint64_t brought = s->load.bytes + s->load.frames * s->limiter.overhead;

	pace_send_credit_earn(&s->credit, brought - s->credited);
	s->credited = brought;
}

/* --- a datagram ------------------------------------------------------------ */

/* Is a run going on that another client must not disturb? */
static bool
measuring(const struct pace_session *s)
{
	return pace_session_streaming(s) || s->state == PACE_PINGING;
}

/* Does it hold the lease of a run that is over? */
static bool
run_is_over(const struct pace_session *s)
{
	return s->state == PACE_READY || (s->state == PACE_PINGING && s->seen.run.ended_ns != 0);
}

/* From frame to frame, as the client announced it. */
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

/* A frame came.  It pays for as much polling as the client announced for the next one, and
 * one look: a client whose frames are rarer is not polled for them. */
static void
allow_polling(struct pace_session *s, int64_t now)
{
	int64_t step_ns = announced_ns(s) + DRAIN_MIN_NS;
	int64_t until_ns = (s->poll_until_ns > now ? s->poll_until_ns : now) + step_ns;
	int64_t most_ns = POLL_FRAMES * (int64_t)s->run.ask.train * step_ns;

	most_ns = now + (most_ns < POLL_MOST_NS ? most_ns : POLL_MOST_NS);
	s->poll_until_ns = until_ns < most_ns ? until_ns : most_ns;
}

/* Outside of a run PINGs are paid from the allowance: each is work, however small. */
static bool
affords_ping(struct pace_session *s, const struct pace_ping *p, int64_t now)
{
	if ((!s->leased || run_is_over(s)) && (s->limiter.spent || !pace_send_credit_draw(&s->credit, PING_COST, now)))
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
		s->heard_ns = now;	/* to hear at FINISH why nothing is answered */
		s->leftovers++;
		return;
	}
	pace_ping_decode(&p, in->buf);
	if (s->state == PACE_CLOSED ||
	    (in->len > PING_FREE && (!s->leased || in->len > s->run.ask.size_bytes)) ||
	    !pace_echo_takes(&s->echo, in->len, &p) || !affords_ping(s, &p, now) ||
	    !pace_echo_answer(&s->echo, &s->cfg.io, s->id, h, in))
		return;
	s->heard_ns = now;
	if (!run_is_over(s))
		s->active_ns = now;
	s->pings++;
	if (s->state == PACE_PINGING)
		allow_polling(s, now);
	if (s->state == PACE_RUNNING)
		pace_receiver_rate(s->receiver, pace_rate_of_ping(p.rate_2p40));
}

static bool
is_request(uint8_t type)
{
	return type == PACE_START || type == PACE_FINISH || type == PACE_FETCH ||
	    type == PACE_CLOSE || type == PACE_REPORT;
}

/*
 * Is it the client that speaks?  With a key its tag says so, else the number of
 * the session.  Our own answers, sent back to us, have good tags: they are no
 * requests.
 */
static bool
is_clients(const struct pace_session *s, const struct pace_hdr *h, const struct pace_in *in)
{
	const struct pace_seal *seal = &s->cfg.seal;

	if (h->session != s->id || h->sealed != seal->on)
		return false;
	return !seal->on || (is_request(h->type) && in->len <= in->size &&
	    pace_seal_check(seal, in->buf, in->len));
}

static void
on_request(struct pace_session *s, const struct pace_hdr *h, const struct pace_in *in,
    int64_t now)
{
	json_t *body;

	credit(s);
	s->heard_ns = now;
	if (h->type != PACE_REPORT)
		s->active_ns = now;	/* who only looks does not need the lease */
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
			on_request(s, h, in, now);	/* a copy is nothing, neither is it foreign */
	}
}

static void
on_data(struct pace_session *s, const struct pace_hdr *h, const struct pace_in *in, int64_t now)
{
	if (h->stream == s->stream && pace_session_streaming(s)) {
		pace_receiver_take(s->receiver, h, in);
		s->heard_ns = s->active_ns = now;
		allow_polling(s, now);
	} else if (h->stream == s->stream && pace_session_was_cut(s)) {
		leftover(s);
	} else {
		foreign(s);
	}
}

static void
take(struct pace_session *s, const struct pace_in *in, int64_t now)
{
	struct pace_hdr h;
	int rc;

	if (in->from.family != 0 && !pace_addr_same(&in->from, &s->cfg.peer)) {
		pace_session_stray(s);
		return;
	}
	if (in->has_drops)
		s->drops = in->drops;
	rc = pace_hdr_decode(&h, in->buf, in->len < in->size ? in->len : in->size);
	if (rc == 0 && h.type == PACE_DATA && h.session == s->id) {
		count(s, in);
		on_data(s, &h, in, now);
	} else if (rc == 0 && h.type == PACE_PING && h.session == s->id) {
		count(s, in);
		on_ping(s, &h, in, now);
	} else if (rc == 0 && h.type == PACE_HELLO) {
		pace_session_hello(s, in, now);
	} else if (rc == 0 && h.type != PACE_DATA) {
		on_control(s, &h, in, now);
	} else if (rc == -EPROTONOSUPPORT && h.type == PACE_HELLO) {
		pace_session_hello(s, in, now);
	} else {
		foreign(s);
	}
}

/* Datagrams that came in one piece are taken one by one. */
static void
take_all(struct pace_session *s, const struct pace_in *in, int64_t now)
{
	struct pace_in one = *in;

	if (in->segment == 0 || in->len <= in->segment) {
		take(s, in, now);
		return;
	}
	for (size_t at = 0; at < in->len && at < in->size; at += in->segment) {
		one.buf = in->buf + at;
		one.len = in->len - at < in->segment ? in->len - at : in->segment;
		one.size = in->size - at < one.len ? in->size - at : one.len;
		take(s, &one, now);
	}
}

/* --- holding it to its terms -------------------------------------------------- */

/* What was sent since the last time. */
static void
weigh_answers(struct pace_session *s, struct pace_traffic *l)
{
	uint64_t frames = s->answers + s->echo.replies, bytes = s->answer_bytes + s->echo.bytes;

	l->out_frames = frames - s->weighed;
	l->out_bytes = bytes - s->weighed_bytes;
	s->weighed = frames;
	s->weighed_bytes = bytes;
}

/* --- stepping -------------------------------------------------------------- */

/*
 * The responder ends.  Will this run be over by itself, with time left to fetch
 * what it found?  If not its client is told: with the answer to a CLOSE that it
 * never asked for, again and again, for it may get lost.
 */
static void
notice(struct pace_session *s, int64_t now)
{
	struct pace_hdr h = { .type = PACE_CLOSE, .stream = s->stream };
	int64_t over_ns = s->seen.run.began_ns + pace_params_cost_ns(&s->run.ask);
	int64_t last_ns = s->part_ns - PART_SPARE_NS;

	if (s->state == PACE_RUNNING && over_ns <= last_ns && s->run.ask.spacing > 0 &&
	    now < last_ns)
		return;
	if ((s->state != PACE_RUNNING && s->state != PACE_PINGING && s->state != PACE_OPENED) ||
	    now - s->noticed_ns < NOTICE_NS)
		return;
	s->noticed_ns = now;
	pace_session_answer(s, &h, NULL);
}

/* Is there nothing left to do for this client, or no time?  What it asks later
 * the listener answers. */
static bool
parted(const struct pace_session *s, int64_t now)
{
	int64_t since_ns = s->heard_ns > s->parting_ns ? s->heard_ns : s->parting_ns;
	bool quiet = now - since_ns > PART_QUIET_NS;

	return now >= s->part_ns || s->state == PACE_CLOSED ||
	    (s->state == PACE_OPENED && quiet) || (s->state == PACE_READY && quiet);
}

/* Has it had more than enough time to fetch what it measured, and does somebody wait? */
static bool
dawdles(const struct pace_session *s, int64_t now)
{
	int64_t ns = READY_NS + (int64_t)(1e9 / READY_PER_S * (double)pace_session_fetchable(s));

	return run_is_over(s) && now - s->ready_ns > (ns < READY_MAX_NS ? ns : READY_MAX_NS) &&
	    pace_lease_wanted(&s->cfg.shared->lease, now);
}

/* Its run took longer than it may while others wait. */
static void
end_turn(struct pace_session *s)
{
	snprintf(s->limiter.why, sizeof(s->limiter.why), "the run was ended: other clients wait, and "
	    "it lasted longer than a turn of %d s, or than announced",
	    (int)(PACE_LEASE_TURN_NS / 1000000000));
	pace_session_cut(s);
}

static void
keep_lease(struct pace_session *s, int64_t now)
{
	s->renewed_ns = now;
	if (measuring(s) && !run_is_over(s) &&
	    pace_lease_overdue(&s->cfg.shared->lease, s->id, now)) {
		end_turn(s);
		return;
	}
	if (now - s->active_ns < PACE_LEASE_NS && !dawdles(s, now)) {
		/* heard since the last look: the lease goes on from then */
		if (!pace_lease_renew(&s->cfg.shared->lease, s->id, s->active_ns))
			s->lease_lost = true;
	} else if (!measuring(s) || run_is_over(s)) {
		pace_session_give_up(s);
	} else if (now - s->active_ns >= PACE_SESSION_IDLE_NS) {
		pace_session_let_go(s);	/* REPORT alone keeps no run */
	}
}

/* What the responder must know if it looks for a place. */
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

static void
do_periodic(struct pace_session *s, int64_t now)
{
	if (s->state == PACE_DRAINING && pace_session_drained(s, now))
		pace_session_result(s);
	tell_place(s, now);
	if (s->part_ns != 0)
		notice(s, now);
	if (pace_session_was_cut(s) && s->leftovers > 0 && now - s->cut_told_ns >= NOTICE_NS)
		pace_session_tell_cut(s, now);
	if (s->leased && now - s->renewed_ns >= TICK_NS)
		keep_lease(s, now);
}

/* How long the socket may fill before it is emptied: an eighth of it. */
static int64_t
drain_interval(const struct pace_session *s)
{
	int64_t spacing = pace_spacing_ns(s->run.ask.spacing);
	int64_t frames = (int64_t)s->cfg.rcvbuf_granted * 2 / FRAME_CHARGE;
	int64_t charge = s->run.ask.size_bytes / 1472 + 1;
	int64_t interval = frames / charge * spacing / 8;

	if (interval < DRAIN_MIN_NS)
		return DRAIN_MIN_NS;
	return interval < DRAIN_NS ? interval : DRAIN_NS;
}

/* Has it had its time, or must it leave for another client? */
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
	    pace_spacing_ns(s->run.ask.spacing * s->run.ask.train) < RARE_NS) {
		w.at_ns = now + drain_interval(s);
		w.on_data = false;
	}
	return w;
}

/* All that a batch brought, and what was answered to it. */
static void
take_batch(struct pace_session *s, int n, int64_t now)
{
	uint64_t replies = s->echo.replies + s->reports;

	s->load = (struct pace_traffic){ .frames = 0 };
	s->credited = 0;
	for (int i = 0; i < n; i++)
		take_all(s, &s->in[i], now);
	if (n <= 0)
		return;			/* what is sent of itself is weighed with the next that comes */
	credit(s);
	weigh_answers(s, &s->load);
	s->load.pings = pace_session_streaming(s) ? s->echo.replies + s->reports - replies : 0;
	if (!pace_run_limiter_count(&s->limiter, &s->load, now, pace_session_wall(s)))
		pace_session_cut(s);
}

/* Room for any control message once frames rest: a FINISH with many lines of theta is longer
 * than what is looked at of a frame. */
static size_t
room_now(const struct pace_session *s, int64_t now)
{
	return s->wanted < PACE_CONTROL_ROOM && now >= s->poll_until_ns ? PACE_CONTROL_ROOM :
	    s->wanted;
}

struct pace_wake
pace_session_step(struct pace_session *s)
{
	const struct pace_io *io = &s->cfg.io;
	int64_t now = io->now(io->ctx);
	int n, batch = s->state == PACE_PINGING ? PING_BATCH : PACE_SESSION_BATCH;
	bool some = false;

	if (!s->answered) {
		pace_session_welcome(s, s->cfg.request);
		pace_session_opened(s);
	}
	s->answered = true;
	for (int round = 0; round < ROUNDS; round++) {
		size_t room = room_now(s, now);

		for (int i = 0; i < batch; i++)
			s->in[i].size = room;
		n = io->recv(io->ctx, s->in, batch);
		take_batch(s, n, now);
		some = some || n > 0;
		if (n < batch)
			break;
	}
	if (s->echo.known != s->echo.asked)
		pace_echo_departures(&s->echo, io);
	if (some)
		pace_session_show(s);
	now = io->now(io->ctx);
	do_periodic(s, now);
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
	pace_send_credit_init(&s->credit, cfg->terms.limits.reverse ? NULL : &cfg->shared->credit_pool, &cfg->peer);
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
	s->id = cfg->id != 0 ? cfg->id : pace_random();
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
	pace_echo_free(&s->echo);
	pace_counters_free(&s->counters);
	pace_seal_wipe(&s->cfg.seal);
	free(s->host);
	free(s->buffers);
	free(s);
}
