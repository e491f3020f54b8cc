#include "config.h"

#include "stream/sender.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/payload.h"
#include "core/rates.h"
#include "core/schedule.h"
#include "core/sparse.h"
#include "core/units.h"
#include "core/wire.h"
#include "doc/intervals.h"
#include "doc/params.h"
#include "doc/stall.h"
#include "proto/msg.h"

#define CLEAR_NS	INT64_C(2000000)	/* no other work this close to a frame */
#define REFIT_NS	INT64_C(50000000)	/* the first time; then each time twice as late */
#define REFUSALS_MAX	64			/* in a row, then the run ends */
#define FASTEST_NS	10			/* shortest time of a frame */
#define SHOW_EVERY	256			/* frames between two looks at progress */
#define STALL_MAX_NS	1000000
#define IDLE_NS		50000		/* a spacing at which the sender always spins */
#define CHUNK_MAX	64		/* the kernel's most in one UDP_SEGMENT */
#define SAMPLE_NS	8000		/* no departure stamps at a shorter spacing, which they would
					 * disturb */
#define WARM_LEAST_NS	10000		/* frames closer together keep the caches warm */
#define FULL_NS		50000		/* retry after this time if the socket buffer is full */
#define EXTRA_TRIES	100
#define READ_NS		1500		/* for one datagram */
#define READS_FASTEST	128		/* without a spacing, whatever the time */
#define STUCK_NS	INT64_C(5000000000)	/* give up if it is full for this long */

/* The state of a run. */
struct pace_sending {
	struct pace_sender s;
	struct pace_tx	*tx;
	struct pace_schedule sched;	/* of trains; a single frame is a train of 1 */
	uint64_t	train, burst;	/* frames; burst 0: one stream */
	int		chunk;		/* frames handed to the kernel at once */
	uint64_t	asked, due;	/* slots used; slots in all */
	int64_t		end_ns;		/* if limited by duration; otherwise far away */
	int64_t		first_ns, last_ns, late_ns, step_ns;
	uint64_t	last_burst;
	int		refusals;	/* in a row */
	int64_t		stuck_ns;	/* since when the socket buffer is full; 0: it is not */
	struct pace_hdr	hdr;
	bool		sample;		/* departure stamps are requested */
	uint64_t	every;		/* frames from sample to sample */
	int64_t		ping_ns, look_ns, refit_ns;	/* due times: ping, reading replies, fit
							 * of the rate */
	int64_t		every_ns;	/* from ping to ping */
	bool		slow;		/* a frame comes less often than pings and looks */
	int64_t		heard_ns;	/* the pinger's, at the last ping */
	uint64_t	unheard;	/* pings without an answer since */
	bool		silent;		/* the silence is long enough to end the run */
	struct pace_usage usage;	/* of the host when the run began */
	struct pace_interval *interval;	/* of the frame sent last; NULL: no intervals */
	uint64_t	next_interval;	/* first number of the next one */
	/* The beginning that does not count has a result of its own; afterwards numbers go on from
	 * omit, and tx has what counts. */
	uint64_t	omit;		/* slots */
	bool		omits;		/* these frames are being sent */
	struct pace_tx	*omitted, *counted;	/* omitted NULL: there are none */
	uint64_t	base;		/* number of the first frame that counts, or 0 */
	uint64_t	again;		/* frames after which the framing's extra is due; 0: never */
	uint64_t	asked0, skipped0, shifts0;	/* when it left */
	int64_t		shifted0_ns;
	uint8_t		frames[PACE_FRAME_MAX];
};

static int
chunk_of(const struct pace_params *ask)
{
	uint64_t most = PACE_FRAME_MAX / ask->size_bytes;

	if (most > CHUNK_MAX)
		most = CHUNK_MAX;
	return (int)(ask->train < most ? ask->train : most);
}

uint64_t
pace_sender_limit(const struct pace_params *ask)
{
	uint64_t frames = pace_params_frames(ask);

	return frames > 0 ? frames : (uint64_t)(ask->duration_ns / FASTEST_NS) + 1;
}

/* --- work between frames ---------------------------------------------------- */

/* Make exchanges, and fit the clock's rate now and then. */
static void
ping(struct pace_sending *r, int64_t now)
{
	struct pace_pinger *p = r->s.pinger;

	(void)pace_pinger_send(p, PACE_PINGER_SIZE, PACE_PINGER_SIZE);
	r->ping_ns = now + r->every_ns;
	r->look_ns = now + r->every_ns / 2;
	if (r->s.progress != NULL)
		atomic_store_explicit(&r->s.progress->sent, r->tx->frames, memory_order_relaxed);
	r->unheard = p->heard_ns != r->heard_ns ? 0 : r->unheard + 1;
	r->heard_ns = p->heard_ns;
	r->silent = r->heard_ns != 0 &&
	    r->unheard > (uint64_t)(PACE_SENDER_SILENT_NS / r->every_ns);
	if (now < r->refit_ns)
		return;
	p->rate = pace_clockfit_rate(r->s.fit);
	r->refit_ns = now + (now - r->first_ns);
}

/* True behind the last frame of a sample. */
static bool
sampled(const struct pace_sending *r)
{
	return r->sample && (r->tx->frames & (r->every - 1)) == PACE_TX_STAMPS_RUN;
}

static void
look(struct pace_sending *r)
{
	(void)pace_pinger_poll(r->s.pinger);
	pace_pinger_settle(r->s.pinger, false);
	r->look_ns = r->ping_ns + 1;
}

/* Other work follows a frame, where there is time; before a frame it would delay it.  One task is
 * enough for a frame, unless there are few frames: that of a stream among several may be the only
 * chance for long. */
static void
beside(struct pace_sending *r, int64_t now)
{
	struct pace_pinger *p = r->s.pinger;
	struct pace_beside *b = r->s.beside;

	if (p == NULL) {
		if (r->s.reads_stamps && sampled(r))
			pace_echo_departures(r->s.echo->at, r->s.io);
		return;
	}
	if (b != NULL && now >= b->due_ns) {
		b->act(b->ctx, now);
		if (!r->slow)
			return;
	}
	if (r->slow && now >= r->look_ns)
		look(r);
	if (now >= r->ping_ns) {
		ping(r, now);
	} else if (now >= r->look_ns) {
		look(r);
	} else if (sampled(r)) {
		pace_pinger_departures(p);
	}
}

/* --- a frame, a train -------------------------------------------------------- */

/* Go on to the interval of the next number, which leaves now. */
static void
next_interval(struct pace_sending *r, int64_t now)
{
	struct pace_intervals *v = r->s.intervals;

	if (r->tx->frames >= r->next_interval) {
		v->n = pace_intervals_at(v, r->s.ask, r->tx->frames) + 1;
		r->interval = &v->v[v->n - 1];
		r->next_interval = pace_intervals_first(v, r->s.ask, v->n);
	}
	if (r->interval->tx.departure_ns == PACE_NO_FIGURE)
		r->interval->tx.departure_ns = now - r->first_ns;
}

static void
note_departure(struct pace_sending *r, int64_t now)
{
	struct pace_tx *tx = r->tx;
	uint64_t burst = r->burst > 0 ? r->asked / r->burst : 0;
	int64_t gap = now - r->last_ns;

	if (tx->frames == 0) {
		r->first_ns = now;
	} else if (burst == r->last_burst) {
		pace_hist_add(&tx->gap, gap);
		if (r->step_ns > 0) {
			pace_hist_add(&tx->gap_error, gap - r->step_ns);
			/* from -near to near, in one comparison */
			tx->near_gaps += (uint64_t)(gap - r->step_ns) + PACE_TX_NEAR_NS <=
			    2 * PACE_TX_NEAR_NS;
		}
	}
	r->last_burst = burst;
	r->last_ns = now;
	if (r->interval != NULL)
		next_interval(r, now);
}

/* -errno: the run must end. */
static int
note_refusal(struct pace_sending *r, int rc, uint64_t frames)
{
	struct pace_refusal *why = r->tx->refusals;

	while (why->code != 0 && why->code != -rc && why < r->tx->refusals + PACE_REFUSALS - 1)
		why++;
	if (why->code == 0)
		why->code = -rc;
	why->frames += frames;
	r->tx->refused += frames;
	if (r->interval != NULL)
		r->interval->tx.refused += frames;
	r->tx->refused_errno = -rc;
	r->refusals++;
	if (rc == -EMSGSIZE)
		return rc;
	return r->refusals >= REFUSALS_MAX && rc != -EAGAIN && rc != -ENOBUFS ? rc : 0;
}

static void
note_late(struct pace_sending *r, uint64_t frames)
{
	r->tx->late_frames += frames;
	if (r->interval != NULL)
		r->interval->tx.late_frames += frames;
}

static void
sample(struct pace_sending *r, int64_t now)
{
	if (r->s.pinger != NULL)
		pace_pinger_sample(r->s.pinger, r->hdr.seq, now);
	else
		pace_echo_sample(r->s.echo, r->hdr.seq, now);
}

static void
unsample(struct pace_sending *r)
{
	if (r->s.pinger != NULL)
		pace_pinger_unsample(r->s.pinger);
	else
		pace_echo_unsample(r->s.echo, r->s.io);
}

/* Write what changes from frame to frame: number and time. */
static void
put_frame(struct pace_sending *r, uint8_t *frame, uint64_t seq)
{
	r->hdr.seq = seq;
	if (r->s.framing != NULL)
		r->s.framing->put(r->s.framing->ctx, frame, seq, r->hdr.tx_ns);
	else
		pace_hdr_encode(frame, r->s.ask->size_bytes, &r->hdr);
}

static int
send_one(struct pace_sending *r, int64_t now)
{
	struct pace_io *io = r->s.io;
	struct pace_out out = { .buf = r->frames, .len = r->s.ask->size_bytes };
	int rc;

	r->hdr.tx_ns = now;
	put_frame(r, r->frames, r->base + r->tx->frames);
	out.stamp = r->sample && pace_tx_stamps_wants(r->hdr.seq, r->every);
	if (out.stamp)
		sample(r, now);
	rc = io->send(io->ctx, &out, 1);
	if (rc < 0 && out.stamp)
		unsample(r);
	return rc;
}

/* Send up to a chunk of frames, each with its header; returns how many left, or -errno. */
static int
send_chunk(struct pace_sending *r, int64_t now, int n)
{
	struct pace_io *io = r->s.io;
	size_t size = r->s.ask->size_bytes;
	bool segmented;
	int rc;

	r->hdr.tx_ns = now;
	for (int i = 0; i < n; i++)
		put_frame(r, r->frames + (size_t)i * size, r->base + r->tx->frames + (uint64_t)i);
	rc = io->train(io->ctx, r->frames, size, n, &segmented);
	if (rc > 0)
		r->tx->engine = segmented ? PACE_ENGINE_SEGMENT : PACE_ENGINE_SENDMMSG;
	return rc;
}

/* The socket buffer is full, and there is no spacing to keep: wait.  0; -EAGAIN: it has been full
 * for too long. */
static int
wait_for_room(struct pace_sending *r, int64_t now)
{
	struct pace_io *io = r->s.io;

	if (r->stuck_ns == 0)
		r->stuck_ns = now;
	if (now - r->stuck_ns > STUCK_NS)
		return -EAGAIN;
	(void)io->sleep_until(io->ctx, now + FULL_NS, NULL);
	return 0;
}

/* The datagram besides the frames is due again: it leaves in the time until the next slot.  At
 * spacing 0 the send buffer is often full. */
static void
send_again(struct pace_sending *r, int64_t now)
{
	const struct pace_framing *f = r->s.framing;
	struct pace_io *io = r->s.io;
	uint8_t buf[PACE_EXTRA_ROOM];
	struct pace_out out = { .buf = buf,
	    .len = f->extra(f->ctx, PACE_EXTRA_AGAIN, buf, sizeof(buf)) };

	int rc = -EAGAIN;

	r->again += f->again;
	for (int i = 0; out.len > 0 && rc == -EAGAIN && i < EXTRA_TRIES; i++) {
		rc = io->send(io->ctx, &out, 1);
		if (rc == -EAGAIN)
			(void)io->sleep_until(io->ctx, now + (i + 1) * FULL_NS, NULL);
	}
	if (rc > 0)
		r->tx->extra_frames++;
}

/* Send the frames of the next slot: a train, shortened at the end of the run or of its burst.  0;
 * -errno: the run must end.  A refusal affects the rest of the train. */
static int
one_slot(struct pace_sending *r, int64_t now)
{
	uint64_t left = r->due - r->asked - r->sched.skipped * r->train, n;
	int rc = 0;

	if (r->burst > 0 && left > r->burst - r->asked % r->burst)
		left = r->burst - r->asked % r->burst;
	left = n = left < r->train ? left : r->train;
	while (left > 0) {
		rc = r->train == 1 ? send_one(r, now) :
		    send_chunk(r, now, left < (uint64_t)r->chunk ? (int)left : r->chunk);
		if (rc < 0)
			break;
		if (left == n)
			note_departure(r, now);
		r->refusals = 0;
		r->stuck_ns = 0;
		r->tx->frames += (uint64_t)rc;
		if (r->s.progress != NULL && r->tx->frames % SHOW_EVERY < (uint64_t)rc)
			atomic_store_explicit(&r->s.progress->sent, r->tx->frames,
			    memory_order_relaxed);
		left -= (uint64_t)rc;
	}
	r->asked += n - left;
	if (left == 0)
		rc = 0;
	else if (rc == -EAGAIN && r->s.ask->spacing == 0)
		return wait_for_room(r, now);	/* the rest stays due */
	else {
		rc = note_refusal(r, rc, left);
		r->asked += left;
	}
	while (r->again > 0 && r->base + r->tx->frames >= r->again)
		send_again(r, now);
	pace_schedule_advance(&r->sched);
	return rc;
}

/* --- a beginning that does not count ------------------------------------------ */

static void
reset_tx(struct pace_tx *tx)
{
	pace_sparse_zero(tx, sizeof(*tx));
	pace_tx_reset_hists(tx);
	tx->stamp = PACE_STAMP_USER;
}

/* Record the kernel's departure stamps there; NULL: nowhere. */
static void
sample_to(const struct pace_sending *r, struct pace_tx *tx)
{
	struct pace_tx_stamps to = { .every = r->every, .step_ns = r->step_ns,
	    .burst = r->burst };

	if (tx != NULL) {
		to.stack = &tx->stack;
		to.gap_error = &tx->stamped_gap_error;
	}
	if (r->s.pinger != NULL)
		r->s.pinger->frames = to;
	else if (r->s.echo != NULL)
		r->s.echo->frames = to;
}

static void
begin_intervals(struct pace_sending *r)
{
	if (r->s.intervals == NULL || !pace_intervals_scheduled(r->s.ask))
		return;
	r->s.intervals->n = 1;
	r->interval = &r->s.intervals->v[0];
	r->next_interval = pace_intervals_first(r->s.intervals, r->s.ask, 1);
}

/* The next frame is the first one that counts. */
static void
begin_to_count(struct pace_sending *r)
{
	r->omits = false;
	r->base = r->omit;
	r->tx = r->counted;
	r->asked0 = r->asked;
	r->skipped0 = r->sched.skipped;
	r->shifts0 = r->sched.schedule_shifts;
	r->shifted0_ns = r->sched.schedule_shifted_ns;
	r->tx->due_wall_ns = r->sched.due_ns + r->s.io->wall(r->s.io->ctx);
	if (r->s.ask->duration_ns > 0)
		r->end_ns = r->sched.due_ns + r->s.ask->duration_ns;
	sample_to(r, r->tx);
	begin_intervals(r);
}

/* --- the run ----------------------------------------------------------------- */

static bool
stopped(const struct pace_sending *r)
{
	const struct pace_pinger *p = r->s.pinger;

	return r->silent || (r->s.beside != NULL && r->s.beside->over) ||
	    (r->s.halt != NULL && atomic_load_explicit(r->s.halt, memory_order_relaxed)) ||
	    (r->s.stop != NULL && *r->s.stop) ||
	    (r->s.cut != NULL && *r->s.cut) || (p != NULL && (p->dismissed || p->cut));
}

/* Wait until the frame is due; returns the time then. */
static int64_t
wait_for_slot(struct pace_sending *r)
{
	struct pace_io *io = r->s.io;
	int64_t now;

	while (r->sched.due_ns - CLEAR_NS > r->look_ns && !stopped(r)) {
		now = io->sleep_until(io->ctx, r->look_ns < r->ping_ns ? r->look_ns :
		    r->ping_ns, NULL);
		beside(r, now);
	}
	return io->sleep_until(io->ctx, r->sched.due_ns, r->s.stalls != NULL ? r->s.stalls :
	    &r->tx->stalls);
}

static void
begin(struct pace_sending *r, const struct pace_sender *s, struct pace_tx *tx)
{
	const struct pace_params *ask = s->ask;
	size_t size = ask->size_bytes;
	int64_t now = s->io->now(s->io->ctx) + PACE_SENDER_LEAD_NS;

	reset_tx(tx);
	r->s = *s;
	r->tx = r->counted = tx;
	r->omit = pace_params_omitted(ask);
	if (r->omitted != NULL) {
		reset_tx(r->omitted);
		r->tx = r->omitted;
		r->omits = true;
	}
	r->train = ask->train;
	r->chunk = chunk_of(ask);
	r->sample = r->train == 1 && pace_spacing_ns(ask->spacing) >= SAMPLE_NS &&
	    (s->pinger != NULL || s->echo != NULL);
	r->hdr = (struct pace_hdr){ .type = ask->direction == PACE_DOWN ? PACE_FRAME_DOWN : PACE_DATA,
	    .run = s->run, .stream = s->stream, .session = s->session };
	r->again = s->framing != NULL ? s->framing->again : 0;
	if (s->framing != NULL)
		s->framing->begin(s->framing->ctx, r->frames, now + s->io->wall(s->io->ctx));
	else
		pace_payload_fill(r->frames + PACE_HDR_SIZE, size - PACE_HDR_SIZE, s->seed);
	for (int i = 1; i < r->chunk; i++)
		memcpy(r->frames + (size_t)i * size, r->frames, size);
	r->burst = ask->bursts > 1 ? ask->count : 0;
	r->every = pace_tx_stamps_every(ask);
	r->step_ns = pace_spacing_ns(ask->spacing * r->train);
	r->late_ns = r->step_ns > 1000 ? r->step_ns : 1000;
	sample_to(r, r->omits ? NULL : tx);
	r->due = pace_sender_limit(ask) + r->omit;
	if (!r->omits)
		begin_intervals(r);
	r->every_ns = s->ping_ns > 0 ? s->ping_ns : PACE_SENDER_PING_NS;
	r->slow = r->step_ns > r->every_ns / 2;
	r->first_ns = now;
	r->ping_ns = now + r->every_ns;	/* also while the first frame is not due */
	r->look_ns = now + r->every_ns / 2;
	r->refit_ns = now + REFIT_NS;
	r->heard_ns = s->pinger != NULL ? s->pinger->heard_ns : 0;
	if (s->pinger == NULL || s->only_frames)	/* no other work */
		r->look_ns = r->ping_ns = INT64_MAX;
}

int64_t
pace_sender_begin_ns(const struct pace_sender *s)
{
	int64_t soon = s->io->now(s->io->ctx) + PACE_SENDER_LEAD_NS;

	return s->begin_ns != 0 && s->begin_ns > soon ? s->begin_ns : soon;
}

void
pace_sending_at(struct pace_sending *r, int64_t t0_ns)
{
	const struct pace_sender *s = &r->s;
	const struct pace_params *ask = s->ask;
	uint64_t trains = r->burst > 0 ? (r->burst + r->train - 1) / r->train : 0;

	pace_schedule_start(&r->sched, t0_ns, ask->spacing * r->train, trains, ask->burst_gap_ns);
	r->sched.catch_up = ask->catch_up;
	r->end_ns = ask->duration_ns > 0 && !r->omits ? t0_ns + ask->duration_ns : INT64_MAX;
	r->tx->due_wall_ns = r->sched.due_ns + s->io->wall(s->io->ctx);
}

static void
end(struct pace_sending *r)
{
	struct pace_tx *tx = r->counted;
	uint64_t first = r->train < tx->frames ? r->train : tx->frames;
	uint64_t later = tx->frames - first;

	if (r->s.pinger != NULL)
		pace_pinger_departures(r->s.pinger);
	else if (r->s.echo != NULL)
		pace_echo_departures(r->s.echo->at, r->s.io);
	sample_to(r, NULL);
	tx->first_ns = r->first_ns;
	tx->bytes = tx->frames * r->s.ask->size_bytes;
	tx->duration_ns = tx->frames > 0 ? r->last_ns - r->first_ns : 0;
	tx->user_rate_bps = pace_rate_bps(later * r->s.ask->size_bytes, tx->duration_ns);
	tx->wire_rate_bps = pace_rate_bps(later * r->s.wire_bytes, tx->duration_ns);
	if (r->omits)
		return;			/* no frame counts */
	tx->schedule_shifts = r->sched.schedule_shifts - r->shifts0;
	tx->schedule_shifted_ns = r->sched.schedule_shifted_ns - r->shifted0_ns;
	tx->skipped = (r->sched.skipped - r->skipped0) * r->train;
}

/* Record what the host did since then, and what froze the sender. */
static void
take_usage(struct pace_io *io, const struct pace_usage *then, struct pace_tx *tx)
{
	struct pace_usage now;

	io->usage(io->ctx, &now);
	tx->preempted = now.preempted - then->preempted;
	tx->steal_ns = now.steal_ns - then->steal_ns;
	if (io->causes != NULL && tx->stalls.max_ns > STALL_MAX_NS)
		io->causes(io->ctx, &tx->causes);
}

/* True for the first stream of its thread: what befalls the thread is recorded once. */
static bool
is_first(const struct pace_sender *s, const struct pace_tx *tx)
{
	return s->stalls == NULL || s->stalls == &tx->stalls;
}

struct pace_sending *
pace_sending_begin(const struct pace_sender *s, struct pace_tx *tx)
{
	struct pace_sending *r = calloc(1, sizeof(*r));

	if (r != NULL && s->ask->omit_ns > 0)
		r->omitted = malloc(sizeof(*r->omitted));
	if (r == NULL || (s->ask->omit_ns > 0 && r->omitted == NULL)) {
		free(r);
		return NULL;
	}
	if (is_first(s, tx) && s->io->causes != NULL)
		s->io->causes(s->io->ctx, NULL);
	begin(r, s, tx);
	if (s->io->ready != NULL)
		s->io->ready(s->io->ctx, r->train == 1 && r->step_ns >= WARM_LEAST_NS,
		    s->awake_ns > 0 && r->step_ns <= s->awake_ns);
	if (is_first(s, tx))
		s->io->usage(s->io->ctx, &r->usage);
	pace_sending_at(r, pace_sender_begin_ns(s));
	return r;
}

int
pace_sending_step(struct pace_sending *r, int64_t until_ns)
{
	int64_t now = INT64_MIN;
	int rc = 0;

	while (rc == 0 && r->asked + r->sched.skipped * r->train < r->due) {
		uint64_t before = r->tx->frames;
		int64_t behind;

		if (r->omits && r->asked + r->sched.skipped * r->train >= r->omit) {
			begin_to_count(r);
			before = 0;
		}
		if (r->sched.due_ns >= until_ns || now >= until_ns - 1)
			return 1;
		now = wait_for_slot(r);
		if (stopped(r) || now >= r->end_ns)
			break;
		behind = pace_schedule_depart(&r->sched, now);
		r->hdr.late_ns = behind < PACE_LATE_UNKNOWN ? (uint32_t)behind : PACE_LATE_UNKNOWN;
		rc = one_slot(r, now);
		if (behind > r->late_ns)
			note_late(r, r->tx->frames - before);
		beside(r, now);
	}
	return rc == 0 && r->silent ? -ETIMEDOUT : rc;
}

int64_t
pace_sending_due(const struct pace_sending *r)
{
	return r->sched.due_ns;
}

int64_t
pace_sending_shifted(const struct pace_sending *r)
{
	return r->sched.schedule_shifted_ns;
}

uint64_t
pace_sending_left(const struct pace_sending *r)
{
	return r->omitted == NULL || r->omits ? r->tx->frames : r->omitted->frames + r->tx->frames;
}

int64_t
pace_sending_reads(const struct pace_sending *r, int64_t now_ns)
{
	int64_t spare_ns = r->sched.due_ns - now_ns, least = 2 * (int64_t)r->train;

	if (r->s.ask->spacing == 0)
		return least + READS_FASTEST;
	return least + (spare_ns > 0 ? spare_ns / READ_NS : 0);
}

void
pace_sending_resume(struct pace_sending *r, int64_t now_ns)
{
	pace_schedule_move(&r->sched, now_ns);
}

void
pace_sending_proof(struct pace_sending *r, uint64_t proof)
{
	r->hdr.proof = proof;
}

uint64_t
pace_sending_end(struct pace_sending *r)
{
	uint64_t asked;

	if (r == NULL)
		return 0;
	asked = r->omits ? 0 : r->asked - r->asked0;
	if (is_first(&r->s, r->counted))
		take_usage(r->s.io, &r->usage, r->counted);
	end(r);
	if (r->s.io->ready != NULL)
		r->s.io->ready(r->s.io->ctx, false, false);
	free(r->omitted);
	free(r);
	return asked;
}

int
pace_sender_run(const struct pace_sender *s, struct pace_tx *tx, uint64_t *asked)
{
	struct pace_sending *r = pace_sending_begin(s, tx);
	int rc = r != NULL ? pace_sending_step(r, INT64_MAX) : -ENOMEM;

	*asked = pace_sending_end(r);
	return rc;
}

void
pace_sender_idle(struct pace_io *io, int64_t ns, const volatile sig_atomic_t *stop,
    struct pace_tx *tx)
{
	struct pace_schedule sched;
	struct pace_usage u0;
	int64_t t0, now;

	memset(tx, 0, sizeof(*tx));
	if (io->causes != NULL)
		io->causes(io->ctx, NULL);
	io->usage(io->ctx, &u0);
	now = t0 = io->now(io->ctx);
	pace_schedule_start(&sched, t0, pace_spacing_from_ns(IDLE_NS), 0, 0);
	while (now < t0 + ns && (stop == NULL || !*stop)) {
		now = io->sleep_until(io->ctx, sched.due_ns, &tx->stalls);
		(void)pace_schedule_depart(&sched, now);
		pace_schedule_advance(&sched);
	}
	take_usage(io, &u0, tx);
	tx->duration_ns = now - t0;
	tx->schedule_shifts = sched.schedule_shifts;
	tx->schedule_shifted_ns = sched.schedule_shifted_ns;
}

/* --- the verdict --------------------------------------------------------------- */

static const char *
span(double ns, char buf[32])
{
	return pace_print(PACE_UNIT_USEC, ns, buf, 32);
}

static const char *
number(uint64_t n, char buf[32])
{
	return pace_print(PACE_UNIT_COUNT, (double)n, buf, 32);
}

enum pace_verdict
pace_sender_judge(const struct pace_params *ask, const struct pace_tx *tx, uint64_t asked,
    bool lost, struct pace_notes *notes)
{
	double want = pace_params_gap_ns(ask), got = pace_stats_mean(&tx->gap.stats);
	char a[32], b[32], why[sizeof(notes->v[0].text)];
	int bad = 0;

	lost &= !ask->no_receiver;	/* nothing is concluded about losses */
	if (ask->spacing == 0)
		return PACE_TRAIN;	/* no spacing was requested */
	if (tx->late_frames * 100 > tx->frames) {
		pace_note(notes, "frames_late", "%s of %s frames left more than a spacing late",
		    number(tx->late_frames, a), number(tx->frames, b));
		bad += lost || tx->late_frames * 10 > tx->frames;
	}
	if (tx->stalls.max_ns > STALL_MAX_NS) {
		pace_note(notes, "sender_stalled", "%s", pace_stall_say(tx, why, sizeof(why)));
		bad += lost;
	}
	if (tx->schedule_shifts > 0)
		pace_note(notes, "schedule_slipped", "the schedule was moved %s time%s, by %s "
		    "in all", number(tx->schedule_shifts, a), tx->schedule_shifts == 1 ? "" : "s",
		    span((double)tx->schedule_shifted_ns, b));
	if (tx->refused * 100 > asked) {
		pace_note(notes, "frames_refused", "the kernel refused %s of %s frames: %s",
		    number(tx->refused, a), number(asked, b), strerror(tx->refused_errno));
		bad++;
	}
	if (tx->gap.stats.n > 0 && !(got > want * 0.99 && got < want * 1.01)) {
		pace_note(notes, "spacing_not_kept", "the mean spacing was %s where %s was "
		    "requested", span(got, a), span(want, b));
		bad++;
	}
	if (bad > 0)
		return PACE_DEGRADED;
	return ask->train > 1 ? PACE_TRAIN : PACE_PACED;
}
