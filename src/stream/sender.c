#include "config.h"

#include "stream/sender.h"

#include <errno.h>
#include <string.h>

#include "core/payload.h"
#include "core/rates.h"
#include "core/schedule.h"
#include "core/units.h"
#include "core/wire.h"
#include "doc/params.h"
#include "doc/stall.h"
#include "proto/msg.h"

#define LEAD_NS		INT64_C(1000000)	/* from now to the first frame */
#define CLEAR_NS	INT64_C(2000000)	/* nothing else within so long of a frame */
#define REFIT_NS	INT64_C(2000000000)	/* the first time; then each time twice as late */
#define REFUSALS_MAX	64			/* in a row, then it is hopeless */
#define FASTEST_NS	10			/* no frame takes less */
#define SHOW_EVERY	256			/* frames between two looks at progress */
#define STALL_MAX_NS	1000000
#define IDLE_NS		50000		/* a spacing at which the sender always spins */
#define CHUNK_MAX	64		/* the kernel's most in one UDP_SEGMENT */
#define SAMPLE_EVERY	64		/* of so many frames one is stamped by the kernel */
#define SAMPLE_NS	8000		/* but not where it would cost the spacing */
#define FULL_NS		50000		/* look again at a socket without room */
#define STUCK_NS	INT64_C(5000000000)	/* that has had none for so long: hopeless */

/* Where a run stands. */
struct sender_run {
	const struct pace_sender *s;
	struct pace_tx	*tx;
	struct pace_schedule sched;	/* of trains; a single frame is one of 1 */
	uint64_t	train, burst;	/* frames; burst 0: one stream */
	int		chunk;		/* frames handed over at once */
	uint64_t	asked, due;	/* slots used; slots there are */
	int64_t		end_ns;		/* by duration; else far away */
	int64_t		first_ns, last_ns, late_ns, step_ns;
	uint64_t	last_burst;
	int		refusals;	/* in a row */
	int64_t		stuck_ns;	/* since when the socket has no room, 0: it has */
	struct pace_hdr	hdr;
	bool		sample;		/* departure stamps are asked for */
	int64_t		ping_ns, look_ns, refit_ns;	/* due: a ping, to look for replies, the rate */
	int64_t		every_ns;	/* from ping to ping */
	int64_t		heard_ns;	/* the pinger's, at the last ping */
	uint64_t	unheard;	/* pings since */
	bool		silent;		/* so many that there is no sense in going on */
	uint8_t		frames[PACE_FRAME_MAX];
};

int
pace_sender_chunk(const struct pace_params *ask)
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

/* --- beside the frames ------------------------------------------------------ */

/* Is this one of the frames whose departure is asked for? */
static bool
is_sample(struct sender_run *r, int64_t now)
{
	if (!r->sample || r->tx->frames % SAMPLE_EVERY != 0)
		return false;
	pace_pinger_sample(r->s->pinger, now);
	return true;
}

/* Exchanges, and now and then what they say of the clock's rate. */
static void
ping(struct sender_run *r, int64_t now)
{
	struct pace_pinger *p = r->s->pinger;

	(void)pace_pinger_send(p, PACE_PINGER_SIZE, PACE_PINGER_SIZE);
	r->ping_ns = now + r->every_ns;
	r->look_ns = now + r->every_ns / 2;
	if (r->s->progress != NULL)
		atomic_store_explicit(&r->s->progress->sent, r->tx->frames, memory_order_relaxed);
	r->unheard = p->heard_ns != r->heard_ns ? 0 : r->unheard + 1;
	r->heard_ns = p->heard_ns;
	r->silent = r->heard_ns != 0 && r->unheard > (uint64_t)(PACE_SENDER_SILENT_NS / r->every_ns);
	if (now < r->refit_ns)
		return;
	p->rate = pace_clockfit_rate(r->s->fit);
	r->refit_ns = now + (now - r->first_ns);
}

/* Behind a frame there is time; before one it would make it late. */
static void
beside(struct sender_run *r, int64_t now)
{
	struct pace_pinger *p = r->s->pinger;
	struct pace_beside *b = r->s->beside;

	if (b != NULL && now >= b->due_ns) {
		b->act(b->ctx, now);
	} else if (now >= r->ping_ns) {
		ping(r, now);
	} else if (now >= r->look_ns) {
		(void)pace_pinger_poll(p);
		pace_pinger_settle(p, false);
		r->look_ns = r->ping_ns + 1;
	} else if (r->sample && r->tx->frames % SAMPLE_EVERY == SAMPLE_EVERY / 2) {
		pace_pinger_departures(p);
	}
}

/* --- a frame, a train -------------------------------------------------------- */

static void
note_departure(struct sender_run *r, int64_t now)
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
}

/* -errno: the run cannot go on. */
static int
note_refusal(struct sender_run *r, int rc, uint64_t frames)
{
	struct pace_refusal *why = r->tx->refusals;

	while (why->code != 0 && why->code != -rc && why < r->tx->refusals + PACE_REFUSALS - 1)
		why++;
	if (why->code == 0)
		why->code = -rc;
	why->frames += frames;
	r->tx->refused += frames;
	r->tx->refused_errno = -rc;
	r->refusals++;
	if (rc == -EMSGSIZE)
		return rc;
	return r->refusals >= REFUSALS_MAX && rc != -EAGAIN && rc != -ENOBUFS ? rc : 0;
}

static void
note_sent(struct sender_run *r, uint64_t frames)
{
	r->refusals = 0;
	r->stuck_ns = 0;
	r->tx->frames += frames;
	if (r->s->progress != NULL && r->tx->frames % SHOW_EVERY < frames)
		atomic_store_explicit(&r->s->progress->sent, r->tx->frames, memory_order_relaxed);
}

static int
send_one(struct sender_run *r, int64_t now)
{
	struct pace_io *io = r->s->io;
	struct pace_out out = { .buf = r->frames, .len = r->s->ask->size_bytes,
	    .alike = r->sample };
	int rc;

	r->hdr.seq = r->tx->frames;
	r->hdr.tx_ns = now;
	pace_hdr_encode(r->frames, out.len, &r->hdr);
	out.stamp = is_sample(r, now);
	rc = io->send(io->ctx, &out, 1);
	if (rc < 0 && out.stamp)
		pace_pinger_unsample(r->s->pinger);
	return rc;
}

/* Up to a chunk of frames, each with its header: how many left, or -errno. */
static int
send_chunk(struct sender_run *r, int64_t now, int n)
{
	struct pace_io *io = r->s->io;
	size_t size = r->s->ask->size_bytes;
	bool segmented;
	int rc;

	r->hdr.tx_ns = now;
	for (int i = 0; i < n; i++) {
		r->hdr.seq = r->tx->frames + (uint64_t)i;
		pace_hdr_encode(r->frames + (size_t)i * size, size, &r->hdr);
	}
	rc = io->train(io->ctx, r->frames, size, n, &segmented);
	if (rc > 0)
		r->tx->engine = segmented ? PACE_ENGINE_SEGMENT : PACE_ENGINE_SENDMMSG;
	return rc;
}

/* The socket is full, and there is no spacing to keep: 0 after a while, or
 * -EAGAIN when it has been for too long. */
static int
wait_for_room(struct sender_run *r, int64_t now)
{
	struct pace_io *io = r->s->io;

	if (r->stuck_ns == 0)
		r->stuck_ns = now;
	if (now - r->stuck_ns > STUCK_NS)
		return -EAGAIN;
	(void)io->sleep_until(io->ctx, now + FULL_NS, NULL);
	return 0;
}

/* What belongs to this slot: 0, or -errno when the run cannot go on.  A
 * refusal is of the frames that were left of the train. */
static int
one_slot(struct sender_run *r, int64_t now, uint64_t n)
{
	uint64_t left = n;
	int rc = 0;

	while (left > 0) {
		rc = r->train == 1 ? send_one(r, now) :
		    send_chunk(r, now, left < (uint64_t)r->chunk ? (int)left : r->chunk);
		if (rc < 0)
			break;
		if (left == n)
			note_departure(r, now);
		note_sent(r, (uint64_t)rc);
		left -= (uint64_t)rc;
	}
	r->asked += n - left;
	if (left == 0)
		rc = 0;
	else if (rc == -EAGAIN && r->s->ask->spacing == 0)
		return wait_for_room(r, now);	/* what is left stays due */
	else {
		rc = note_refusal(r, rc, left);
		r->asked += left;
	}
	pace_schedule_advance(&r->sched);
	return rc;
}

/* --- the run ----------------------------------------------------------------- */

static bool
stopped(const struct sender_run *r)
{
	const struct pace_pinger *p = r->s->pinger;

	return r->silent || (r->s->beside != NULL && r->s->beside->over) ||
	    (r->s->stop != NULL && *r->s->stop) ||
	    (r->s->cut != NULL && *r->s->cut) || p->dismissed || p->cut;
}

/* Until the frame's moment; the time then. */
static int64_t
wait_for_slot(struct sender_run *r)
{
	struct pace_io *io = r->s->io;
	int64_t now;

	while (r->sched.due_ns - CLEAR_NS > r->look_ns && !stopped(r)) {
		now = io->sleep_until(io->ctx, r->look_ns < r->ping_ns ? r->look_ns :
		    r->ping_ns, NULL);
		beside(r, now);
	}
	return io->sleep_until(io->ctx, r->sched.due_ns, &r->tx->stalls);
}

static void
fill_frames(struct sender_run *r)
{
	size_t size = r->s->ask->size_bytes;

	pace_payload_fill(r->frames + PACE_HDR_SIZE, size - PACE_HDR_SIZE, r->s->seed);
	for (int i = 1; i < r->chunk; i++)
		memcpy(r->frames + (size_t)i * size, r->frames, size);
}

static void
begin_schedule(struct sender_run *r, int64_t t0)
{
	const struct pace_params *ask = r->s->ask;
	uint64_t trains = 0;

	r->burst = ask->bursts > 1 ? ask->count : 0;
	if (r->burst > 0)
		trains = (r->burst + r->train - 1) / r->train;
	pace_schedule_start(&r->sched, t0, ask->spacing * r->train, trains, ask->burst_gap_ns);
	r->sched.catch_up = ask->catch_up;
	r->step_ns = pace_spacing_ns(ask->spacing * r->train);
	r->late_ns = r->step_ns > 1000 ? r->step_ns : 1000;
	r->end_ns = ask->duration_ns > 0 ? t0 + ask->duration_ns : INT64_MAX;
	r->due = pace_sender_limit(ask);
}

static void
begin(struct sender_run *r, const struct pace_sender *s, struct pace_tx *tx)
{
	const struct pace_params *ask = s->ask;

	memset(tx, 0, sizeof(*tx));
	pace_hist_reset(&tx->gap);
	pace_hist_reset(&tx->gap_error);
	pace_hist_reset(&tx->stack);
	tx->stamp = PACE_STAMP_USER;
	r->s = s;
	r->tx = tx;
	r->train = ask->train;
	r->chunk = pace_sender_chunk(ask);
	r->sample = r->train == 1 && pace_spacing_ns(ask->spacing) >= SAMPLE_NS;
	r->hdr = (struct pace_hdr){ .type = PACE_DATA, .stream = s->stream,
	    .session = s->session };
	s->pinger->stack = &tx->stack;
	fill_frames(r);
	begin_schedule(r, s->io->now(s->io->ctx) + LEAD_NS);
	tx->due_wall_ns = r->sched.due_ns + s->io->wall(s->io->ctx);
	r->every_ns = s->ping_ns > 0 ? s->ping_ns : PACE_SENDER_PING_NS;
	r->ping_ns = r->sched.due_ns + r->every_ns;
	r->look_ns = r->sched.due_ns + r->every_ns / 2;
	r->refit_ns = r->sched.due_ns + REFIT_NS;
	r->heard_ns = s->pinger->heard_ns;
}

static void
end(struct sender_run *r)
{
	struct pace_tx *tx = r->tx;
	uint64_t first = r->train < tx->frames ? r->train : tx->frames;
	uint64_t later = tx->frames - first;

	pace_pinger_departures(r->s->pinger);
	r->s->pinger->stack = NULL;
	tx->bytes = tx->frames * r->s->ask->size_bytes;
	tx->duration_ns = tx->frames > 0 ? r->last_ns - r->first_ns : 0;
	tx->user_rate_bps = pace_rate_bps(later * r->s->ask->size_bytes, tx->duration_ns);
	tx->wire_rate_bps = pace_rate_bps(later * r->s->wire_bytes, tx->duration_ns);
	tx->slips = r->sched.slips;
	tx->slipped_ns = r->sched.slipped_ns;
	tx->skipped = r->sched.skipped * r->train;
}

/* Frames of the next slot: a train, cut where the run or its burst ends. */
static uint64_t
next_train(const struct sender_run *r)
{
	uint64_t left = r->due - r->asked - r->sched.skipped * r->train;

	if (r->burst > 0 && left > r->burst - r->asked % r->burst)
		left = r->burst - r->asked % r->burst;
	return left < r->train ? left : r->train;
}

static void
send_all(struct sender_run *r, int *rc)
{
	while (*rc == 0 && r->asked + r->sched.skipped * r->train < r->due) {
		int64_t now = wait_for_slot(r);
		uint64_t before = r->tx->frames;
		int64_t behind;

		if (stopped(r) || now >= r->end_ns)
			break;
		behind = pace_schedule_depart(&r->sched, now);
		r->hdr.late_ns = behind < PACE_LATE_UNKNOWN ? (uint32_t)behind : PACE_LATE_UNKNOWN;
		*rc = one_slot(r, now, next_train(r));
		if (behind > r->late_ns)
			r->tx->late_frames += r->tx->frames - before;
		beside(r, now);
	}
}

/* What the host did since then, and what froze the sender, if something did. */
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

int
pace_sender_run(const struct pace_sender *s, struct pace_tx *tx, uint64_t *asked)
{
	struct sender_run r;
	struct pace_usage u0;
	int rc = 0;

	memset(&r, 0, sizeof(r));
	if (s->io->causes != NULL)
		s->io->causes(s->io->ctx, NULL);
	begin(&r, s, tx);
	s->io->usage(s->io->ctx, &u0);
	send_all(&r, &rc);
	take_usage(s->io, &u0, tx);
	end(&r);
	*asked = r.asked;
	return rc == 0 && r.silent ? -ETIMEDOUT : rc;
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
	tx->slips = sched.slips;
	tx->slipped_ns = sched.slipped_ns;
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

static void
note_mean(const struct pace_params *ask, const struct pace_tx *tx, struct pace_notes *notes,
    int *bad)
{
	double want = pace_params_gap_ns(ask);
	double got = pace_stats_mean(&tx->gap.stats);
	char a[32], b[32];

	if (tx->gap.stats.n == 0 || (got > want * 0.99 && got < want * 1.01))
		return;
	pace_note(notes, "spacing_not_kept", "the mean spacing was %s where %s was asked for",
	    span(got, a), span(want, b));
	++*bad;
}

enum pace_verdict
pace_sender_judge(const struct pace_params *ask, const struct pace_tx *tx, uint64_t asked,
    struct pace_notes *notes)
{
	char a[32], b[32], why[sizeof(notes->v[0].text)];
	int bad = 0;

	if (ask->spacing == 0)
		return PACE_TRAIN;	/* no spacing was asked for */
	if (tx->late_frames * 100 > tx->frames) {
		pace_note(notes, "frames_late", "%s of %s frames left more than a spacing late",
		    number(tx->late_frames, a), number(tx->frames, b));
		bad++;
	}
	if (tx->stalls.max_ns > STALL_MAX_NS) {
		pace_note(notes, "sender_stalled", "%s", pace_stall_say(tx, why, sizeof(why)));
		bad++;
	}
	if (tx->slips > 0)
		pace_note(notes, "schedule_slipped", "the schedule was moved %s times, by %s in all",
		    number(tx->slips, a), span((double)tx->slipped_ns, b));
	if (tx->refused * 100 > asked) {
		pace_note(notes, "frames_refused", "the kernel refused %s of %s frames: %s",
		    number(tx->refused, a), number(asked, b), strerror(tx->refused_errno));
		bad++;
	}
	note_mean(ask, tx, notes, &bad);
	if (bad > 0)
		return PACE_DEGRADED;
	return ask->train > 1 ? PACE_TRAIN : PACE_PACED;
}
