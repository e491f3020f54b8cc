/*
 * Life of a session: open -> (start -> running -> draining -> ready, or start -> pinging)* ->
 * closed.  A START with the next run number begins a run in any state; the earlier run is
 * forgotten.  While frames come fast, the session polls (stream/reader.h).
 */
#include "config.h"

#include "proto/random.h"
#include "server/session_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doc/host_doc.h"
#include "doc/params.h"

#define ALTERNATE_NS	INT64_C(500000)		/* frames in and out, then the rest of a step */
#define PING_BATCH	4			/* small batches keep a spin short */
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
#define UNWEIGHED_MAX	16			/* frames of a light session */

/* --- foreign datagrams ------------------------------------------------------- */

/* Anybody can forge the client's address.  A datagram without the session's number is counted here
 * and nowhere else. */
static void
foreign_at(struct pace_session *s, struct pace_session_flow *f)
{
	pace_session_stray(s);
	if (pace_session_streaming(s) && s->light != NULL)
		pace_light_receiver_foreign(s->light);
	else if (pace_session_streaming(s) && f->receiver != NULL)
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

/* True if a light session's datagram is within its rate; otherwise count it and drop it. */
static bool
keeps_rate(struct pace_session *s, bool yes)
{
	s->cfg.light->dropped += !yes;
	return yes;
}

/* True if a PING may be answered.  Outside a run the allowance pays for it: even a small one costs
 * work. */
static bool
affords_ping(struct pace_session *s, const struct pace_ping *p, int64_t now)
{
	bool in_run = s->leased || (pace_session_is_light(s) && measuring(s));

	if (pace_session_is_light(s) &&
	    !keeps_rate(s, pace_bucket_afford(&s->exchanges, now, 1)))
		return false;
	if ((!in_run || run_is_over(s)) && (s->limiter.spent ||
	    !pace_send_credit_draw(&s->credit, PING_COST, now)))
		return false;
	return pace_send_credit_pay(&s->credit, p->reply_bytes + s->limiter.overhead, now);
}

/* Tell the clock's rate to the receivers. */
static void
set_rate(struct pace_session *s, double rate)
{
	for (uint32_t i = 0; i < pace_session_streams(s); i++)
		if (!s->flow[i]->lent)
			pace_receiver_rate(s->flow[i]->receiver, rate);
	pace_session_threads_rate(s, rate);
}

/* A PING of a further flow only proves that the frames of its stream arrive. */
static void
on_ping(struct pace_session *s, struct pace_session_flow *f, const struct pace_hdr *h,
    const struct pace_in *in, int64_t now)
{
	struct pace_ping p;
	uint64_t proof = 0;
	bool first;

	if (f != &s->own && s->state != PACE_SENDING && s->state != PACE_READY &&
	    !(pace_session_streaming(s) && pace_session_is_two_way(s))) {
		foreign_at(s, f);
		return;
	}
	credit(s);
	if (pace_session_was_cut(s)) {
		s->heard_ns = now;	/* keep the session: FINISH explains the silence */
		s->leftovers++;
		return;
	}
	first = pace_session_pings_take(s, h, in->len);
	pace_ping_decode(&p, in->buf, in->len);
	if (s->state == PACE_CLOSED ||
	    (in->len > PACE_PING_FREE && (!s->leased || in->len > s->run.ask.size_bytes)) ||
	    !pace_echo_takes(&s->echo, in->len, &p) || !affords_ping(s, &p, now)) {
		if (first)
			pace_session_pings_unanswered(s);
		return;
	}
	if (pace_session_down_sends(s))
		proof = pace_session_down_heard(s, h->stream, p.proof, now);
	if (!pace_echo_answer(&s->echo, &f->at.io, s->id, h, in, proof))
		return;
	s->heard_ns = now;
	if (!run_is_over(s))
		s->active_ns = now;
	s->pings++;
	if (s->state == PACE_PINGING)
		pace_polling_take(&s->polling, now);
	if (s->state == PACE_RUNNING && s->light != NULL)
		pace_light_receiver_rate(s->light, pace_rate_of_ping(p.rate_2p40));
	else if (s->state == PACE_RUNNING && f == &s->own)
		set_rate(s, pace_rate_of_ping(p.rate_2p40));
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
		s->heard_ns = s->active_ns = now;
		if (s->light == NULL)
			pace_receiver_take(f->receiver, h, in);
		else if (keeps_rate(s, pace_run_limiter_passes(&s->limiter, in->len, now)))
			pace_light_receiver_take(s->light, h, in);
		pace_polling_take(&s->polling, now);
	} else if (h->run == s->run_number && pace_session_was_cut(s)) {
		/* Its client does not know yet that the run was ended, or ignores it: not
		 * foreign, but not part of a run. */
		s->leftovers++;
		atomic_fetch_add_explicit(&s->cfg.shared->leftovers, 1, memory_order_relaxed);
	} else {
		foreign_at(s, f);
	}
}

/* True if the header's stream is that of the flow.  FINISH, FETCH and REPORT go over the session's
 * own socket for each stream of the run. */
static bool
is_of_flow(const struct pace_session *s, const struct pace_session_flow *f,
    const struct pace_hdr *h)
{
	if (f == &s->own && (h->type == PACE_FINISH || h->type == PACE_FETCH ||
	    h->type == PACE_REPORT))
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
	} else if (rc == 0 && h.type == PACE_PING && h.session == s->id &&
	    h.stream == f->at.stream) {
		count(s, in);
		on_ping(s, f, &h, in, now);
	} else if (f != &s->own) {
		if (h.type != PACE_OPEN || rc != 0)
			foreign_at(s, f);
		else
			pace_session_flow_opened(s, f, &h, in, now);
	} else if (rc == 0 && !is_of_flow(s, f, &h)) {
		foreign(s);
	} else if (rc == 0 && h.type != PACE_DATA && h.type != PACE_PING) {
		on_control(s, &h, in, now);
	} else {
		foreign(s);
	}
}

static void
take_all(struct pace_session *s, struct pace_session_flow *f, const struct pace_in *in,
    int64_t now)
{
	const struct pace_in *piece;
	struct pace_in room;

	for (size_t at = 0; (piece = pace_reader_piece(in, &at, &room)) != NULL;)
		take(s, f, piece, now);
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
		if (!pace_lease_renew(&s->cfg.shared->lease, s->id, s->active_ns)) {
			s->lease_lost = true;
			pace_session_post(s);
		}
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

	if (pace_session_is_light(s)) {		/* its client is there */
		measures = now - s->heard_ns < PACE_LEASE_NS;
		s->used_ns = s->heard_ns;
	} else if (measures) {
		s->used_ns = now;
	}
	if (p == NULL)
		return;
	atomic_store_explicit(&p->measures, measures, memory_order_relaxed);
	atomic_store_explicit(&p->used_ns, s->used_ns, memory_order_relaxed);
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

/* When to read the client's messages again. */
static struct pace_wake
next_read(const struct pace_session *s, int64_t now)
{
	struct pace_wake w = { .at_ns = now + TICK_NS, .on_data = true };
	int64_t idle_ns = s->heard_ns + PACE_SESSION_IDLE_NS, look_ns;

	if (s->state == PACE_CLOSED || (s->state == PACE_DRAINING && !s->grace_over))
		w.at_ns = s->end_ns;
	if (s->state == PACE_SENDING && pace_session_down_over(s))
		w.at_ns = now + PACE_SESSION_LOOK_NS;
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
	if ((s->state != PACE_RUNNING && s->state != PACE_PINGING) || pace_session_is_light(s))
		return w;
	look_ns = pace_polling_next(&s->polling, now);
	if (look_ns != PACE_READER_WAKES) {
		w.at_ns = look_ns;
		w.on_data = false;
	}
	return w;
}

static struct pace_wake
next_wake(const struct pace_session *s, int64_t now)
{
	struct pace_wake w = next_read(s, now);

	if (pace_session_down_sends(s) && pace_session_down_wake(s, now) < w.at_ns)
		w.at_ns = pace_session_down_wake(s, now);
	if (s->tcp != NULL && w.at_ns > now + PACE_SESSION_TCP_NS)
		w.at_ns = now + PACE_SESSION_TCP_NS;
	w.shares = s->threads != NULL || pace_session_down_shares(s);
	if (w.shares && w.at_ns > now + PACE_SESSION_THREADS_NS)
		w.at_ns = now + PACE_SESSION_THREADS_NS;
	return w;
}

/* Account for a load, and for what was sent since the last one; replies: before it. */
static void
weigh(struct pace_session *s, uint64_t replies, int64_t now)
{
	uint64_t frames, bytes;

	credit(s);
	frames = s->answers + s->echo.replies;
	bytes = s->answer_bytes + s->echo.bytes;
	s->load.out_frames = frames - s->weighed;
	s->load.out_bytes = bytes - s->weighed_bytes;
	s->weighed = frames;
	s->weighed_bytes = bytes;
	s->load.pings = pace_session_streaming(s) || s->state == PACE_SENDING ?
	    s->echo.replies + s->reports - replies : 0;
	if (!pace_run_limiter_count(&s->limiter, &s->load, now, pace_session_wall(s)))
		pace_session_cut(s);
}

/* Account for a batch and for the answers to it. */
static void
take_batch(struct pace_session *s, struct pace_session_flow *f, const struct pace_in *v, int n,
    int64_t now)
{
	uint64_t replies = s->echo.replies + s->reports;

	s->load = (struct pace_traffic){ .frames = 0 };
	s->credited = 0;
	for (int i = 0; i < n; i++)
		take_all(s, f, &v[i], now);
	if (n > 0)			/* frames sent without any received are weighed with the
					 * next batch */
		weigh(s, replies, now);
}

void
pace_session_count(struct pace_session *s, uint64_t frames, uint64_t bytes, int64_t now)
{
	s->load = (struct pace_traffic){ .frames = frames, .bytes = bytes };
	s->credited = 0;
	weigh(s, s->echo.replies + s->reports, now);
}

void
pace_session_count_pings(struct pace_session *s, const struct pace_traffic *pings, int64_t now)
{
	uint64_t replies = s->echo.replies + s->reports;

	s->load = (struct pace_traffic){ .frames = pings->frames, .bytes = pings->bytes };
	s->credited = 0;
	s->pings += pings->out_frames;
	s->echo.replies += pings->out_frames;
	s->echo.bytes += pings->out_bytes;
	weigh(s, replies, now);
}

/* The flow that is being read. */
struct session_reading {
	struct pace_session *s;
	struct pace_session_flow *f;
	int64_t now;
	size_t	room;
};

/* Between frames, make room for any control message: a FINISH with many lines of theta is longer
 * than the part of a frame that is read. */
static size_t
room_now(const struct pace_session *s, int64_t now)
{
	return s->wanted < PACE_CONTROL_ROOM && now >= s->polling.until_ns ? PACE_CONTROL_ROOM :
	    s->wanted;
}

static void
take_read(void *ctx, const struct pace_in *v, int n)
{
	struct session_reading *r = ctx;

	take_batch(r->s, r->f, v, n, r->now);
	r->room = room_now(r->s, r->now);
}

/* Read what waits at a flow, about `most` datagrams; true: something did. */
static bool
read_flow(struct pace_session *s, struct pace_session_flow *f, int64_t most, int64_t now)
{
	struct session_reading r = { .s = s, .f = f, .now = now, .room = room_now(s, now) };

	return pace_reader_read(&f->at.io, s->in, s->state == PACE_PINGING ? PING_BATCH :
	    PACE_READER_BATCH, most, &r.room, take_read, &r);
}

/* Return how many datagrams of a flow to read now. */
static int64_t
reads_now(const struct pace_session *s, int64_t now)
{
	int64_t most = pace_session_down_sends(s) ? pace_session_down_reads(s, now) : PACE_READER_MOST;

	return most < PACE_READER_MOST ? most : PACE_READER_MOST;
}

/* Read flows in turn until the next frame of our own is due, and at least one. */
static bool
read_in_turn(struct pace_session *s, int64_t now)
{
	const struct pace_io *io = &s->cfg.io;
	bool some = false;

	for (uint32_t k = 0; k < s->flows; k++) {
		uint32_t i = s->flow_turn = (s->flow_turn + 1) % s->flows;

		if (s->flow[i] == NULL || s->flow[i]->lent)
			continue;
		some = read_flow(s, s->flow[i], reads_now(s, now), now) || some;
		if (s->flow[i]->leaves)
			pace_session_flow_close(s, i);
		now = io->now(io->ctx);
		if (pace_session_down_sends(s) &&
		    pace_session_down_due(s) < now + PACE_READER_FLOW_NS)
			break;
	}
	return some;
}

/* Read the sockets between the frames of a two-way run: what came, as far as it can be read before
 * the next frame is due, and no less than is sent. */
static bool
alternate(struct pace_session *s, int64_t now)
{
	const struct pace_io *io = &s->cfg.io;
	int64_t until_ns = now + ALTERNATE_NS;
	bool some = false;

	do {
		pace_session_down_step(s, now);
		some = read_in_turn(s, io->now(io->ctx)) || some;
		now = io->now(io->ctx);
	} while (pace_session_down_sends(s) && now < until_ns &&
	    pace_session_down_wake(s, now) == 0);
	return some;
}

const struct pace_tally *
pace_session_counts(const struct pace_session *s)
{
	return &s->seen.all;
}

/* Bring a light session's figures and limits up to date; replies: before its last datagram. */
static void
catch_up(struct pace_session *s, uint64_t replies, int64_t now)
{
	weigh(s, replies, now);
	s->load = (struct pace_traffic){ .frames = 0 };
	s->credited = 0;
	s->unseen = false;
	pace_session_show(s);
}

/* Most datagrams are frames of a stream that goes on: several of them share the rest of the work. */
bool
pace_session_take(struct pace_session *s, const struct pace_in *in)
{
	bool frame = s->state == PACE_RUNNING && in->len >= PACE_HDR_SIZE && in->buf[3] == PACE_DATA;
	int64_t now = s->cfg.io.now(s->cfg.io.ctx);
	uint64_t replies = s->echo.replies + s->reports;

	if (!frame && s->unseen)
		catch_up(s, replies, now);
	take_all(s, &s->own, in, now);
	s->unseen = true;
	if (frame && s->load.frames < UNWEIGHED_MAX)
		return false;
	catch_up(s, replies, now);
	return true;
}

/* Read what waits at the sockets of a full session; true: something did.  While the session sends, a
 * frame may be due before all are read: then the others have their turn next time. */
static bool
read_flows(struct pace_session *s)
{
	const struct pace_io *io = &s->cfg.io;
	int64_t now = io->now(io->ctx);
	int64_t until_ns = s->state == PACE_SENDING ? pace_session_down_wake(s, now) : INT64_MAX;
	bool some;

	if (pace_session_down_sends(s) && s->state != PACE_SENDING)
		return alternate(s, now);
	some = read_flow(s, &s->own, PACE_READER_MOST, now);
	for (uint32_t k = 1; k < s->flows; k++) {
		uint32_t i;

		if (k > FLOWS_A_LOOK && until_ns != INT64_MAX && io->now(io->ctx) >= until_ns)
			break;
		i = s->flow_turn = s->flow_turn + 1 < s->flows ? s->flow_turn + 1 : 1;
		if (s->flow[i] == NULL || s->flow[i]->lent)
			continue;
		some = read_flow(s, s->flow[i], PACE_READER_MOST, now) || some;
		if (s->flow[i]->leaves)
			pace_session_flow_close(s, i);
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
	if (s->unseen)
		catch_up(s, s->echo.replies + s->reports, now);
	if (s->state == PACE_SENDING)
		pace_session_down_step(s, now);
	some = !pace_session_is_light(s) && read_flows(s);
	some = pace_session_threads_look(s, io->now(io->ctx)) || some;
	if (!s->echo.shares && pace_echo_waits(s->echo.at))
		pace_echo_departures(s->echo.at, io);
	if (some)
		pace_session_show(s);
	now = io->now(io->ctx);
	pace_session_tcp_look(s, now);
	pace_session_drain(s, now);
	tell_place(s, now);
	if (s->part_ns != 0)
		notice(s, now);
	if (s->state == PACE_SENDING)
		pace_session_show(s);
	if (pace_session_was_cut(s) && s->leftovers > 0 && now - s->cut_reported_ns >= NOTICE_NS)
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

static void
free_room(struct pace_session *s)
{
	pace_echo_free(&s->echo);
	if (pace_session_is_light(s))
		return;
	free(s->buffers);
	free(s->in);
	free(s->reply);
	free(s->shapes);
	free(s->asked);
}

/* A light session uses what all of them share. */
static int
make_room(struct pace_session *s)
{
	if (pace_session_is_light(s)) {
		s->reply = s->cfg.light->reply;
		pace_echo_share(&s->echo, s->cfg.light->departures);
		pace_bucket_fill(&s->exchanges, 1000000000 / PACE_LIGHT_PING_NS,
		    s->cfg.io.now(s->cfg.io.ctx));
		return 0;
	}
	s->room = PACE_FRAME_MAX + 1;
	s->buffers = malloc(PACE_READER_BATCH * s->room);
	s->in = calloc(PACE_READER_BATCH, sizeof(*s->in));
	s->reply = malloc(PACE_CONTROL_ROOM);
	s->shapes = calloc(1, sizeof(*s->shapes));
	if (pace_echo_init(&s->echo) < 0 || s->buffers == NULL || s->in == NULL ||
	    s->reply == NULL || s->shapes == NULL)
		return -ENOMEM;
	for (int i = 0; i < PACE_READER_BATCH; i++)
		s->in[i].buf = s->buffers + (size_t)i * s->room;
	return 0;
}

size_t
pace_session_light_size(void)
{
	size_t stream = pace_light_receiver_size(), pings = pace_session_pings_size();

	return sizeof(struct pace_session) + (stream > pings ? stream : pings);
}

struct pace_session *
pace_session_new(const struct pace_session_cfg *cfg)
{
	struct pace_session *s = cfg->light != NULL ? cfg->memory : calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	if (cfg->light != NULL)
		memset(s, 0, sizeof(*s));
	s->cfg = *cfg;
	pace_run_limiter_init(&s->limiter, cfg->shared->rules, &s->cfg.terms, cfg->peer.family);
	pace_send_credit_init(&s->credit,
	    cfg->terms.limits.reverse ? NULL : &cfg->shared->credit_pool, &cfg->peer);
	if (make_room(s) < 0) {
		free_room(s);
		free(s);
		return NULL;
	}
	s->wanted = PACE_CONTROL_ROOM;
	s->own.at = (struct pace_flow){ .peer = cfg->peer, .io = cfg->io,
	    .rcvbuf_asked = cfg->open.rcvbuf_bytes, .rcvbuf_granted = cfg->rcvbuf_granted,
	    .sndbuf_asked = cfg->open.sndbuf_bytes, .sndbuf_granted = cfg->sndbuf_granted };
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

struct pace_host_text *
pace_host_text_new(const struct pace_host *h)
{
	json_t *j = pace_host_to_json(h);
	char *text = j != NULL ? json_dumps(j, JSON_COMPACT) : NULL;
	size_t size = text != NULL ? strlen(text) : 0;
	struct pace_host_text *t = size > 0 && size <= PACE_HOST_MAX ?
	    malloc(sizeof(*t) + size) : NULL;

	json_decref(j);
	if (t != NULL) {
		t->users = 1;
		t->size = (uint32_t)size;
		memcpy(t->text, text, size);
	}
	free(text);
	return t;
}

void
pace_host_text_drop(struct pace_host_text *t)
{
	if (t != NULL && --t->users == 0)
		free(t);
}

void
pace_session_share(struct pace_session *s, struct pace_host_text *t)
{
	t->users++;
	s->shared_host = t;
	s->host = t->text;
	s->host_size = t->size;
}

void
pace_session_free(struct pace_session *s)
{
	if (s == NULL)
		return;
	if (s->down != NULL)		/* while it has the figures of its streams */
		pace_session_run_ended(s, "abandoned", NULL);
	pace_session_forget(s);
	pace_session_give_up(s);
	pace_lease_leave(&s->cfg.shared->lease, s->id);
	pace_session_gone(s);
	for (uint32_t i = 1; i < s->flows; i++)
		pace_session_flow_close(s, i);
	free_room(s);
	pace_counters_free(&s->counters);
	pace_seal_wipe(&s->cfg.seal);
	if (s->shared_host == NULL)
		free(s->host);
	pace_host_text_drop(s->shared_host);
	if (!pace_session_is_light(s))
		free(s);
}
