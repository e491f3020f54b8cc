#include "config.h"

#include "session/sender.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/payload.h"
#include "core/rates.h"
#include "core/schedule.h"
#include "core/wire.h"
#include "doc/ask.h"
#include "session/msg.h"

#define LEAD_NS		INT64_C(1000000)	/* from now to the first frame */
#define KEEP_NS		INT64_C(2000000000)	/* longest silence towards the responder */
#define REFUSALS_MAX	64			/* in a row, then it is hopeless */
#define UNREACHABLE_MAX	16			/* ICMP says that nobody is there */
#define FASTEST_NS	10			/* no frame takes less */
#define SHOW_EVERY	256			/* frames between two looks at progress */
#define STALL_MAX_NS	1000000

/* Where a run stands. */
struct run {
	const struct pace_sender *s;
	struct pace_tx	*tx;
	struct pace_schedule sched;
	uint64_t	burst;		/* frames a burst, 0: one stream */
	uint64_t	asked, due;	/* slots used; slots there are */
	int64_t		end_ns;		/* by duration; else far away */
	int64_t		first_ns, last_ns, late_ns;
	uint64_t	last_burst;
	int		refusals;	/* in a row */
	int		unreachable;	/* in all */
	struct pace_hdr	hdr;
	uint8_t		frame[PACE_FRAME_MAX];
};

uint64_t
pace_sender_limit(const struct pace_ask *ask)
{
	uint64_t frames = pace_ask_frames(ask);

	return frames > 0 ? frames : (uint64_t)(ask->duration_ns / FASTEST_NS) + 1;
}

/* --- one frame -------------------------------------------------------------- */

static void
note_departure(struct run *r, int64_t now)
{
	struct pace_tx *tx = r->tx;
	uint64_t burst = r->burst > 0 ? r->asked / r->burst : 0;
	int64_t gap = now - r->last_ns;

	if (tx->frames == 0) {
		r->first_ns = now;
	} else if (burst == r->last_burst) {
		pace_hist_add(&tx->gap, gap);
		if (r->s->ask->spacing > 0)
			pace_hist_add(&tx->gap_error, gap - pace_spacing_ns(r->s->ask->spacing));
	}
	r->last_burst = burst;
	r->last_ns = now;
	tx->frames++;
	if (r->s->progress != NULL && tx->frames % SHOW_EVERY == 0)
		atomic_store_explicit(&r->s->progress->sent, tx->frames, memory_order_relaxed);
}

/* Hand the frame to the kernel: 0, or -errno when it did not take it. */
static int
send_frame(struct run *r, int64_t now)
{
	struct pace_io *io = r->s->io;
	struct pace_out out = { .buf = r->frame, .len = r->s->ask->size_bytes };
	int rc;

	r->hdr.seq = r->tx->frames;
	r->hdr.tx_ns = now;
	pace_hdr_encode(r->frame, sizeof(r->frame), &r->hdr);
	rc = io->send(io->ctx, &out, 1);
	return rc < 0 ? rc : 0;
}

/* 0: go on; -errno: the run cannot go on. */
static int
note_refusal(struct run *r, int rc)
{
	r->tx->refused++;
	r->tx->refused_errno = -rc;
	r->refusals++;
	if (rc == -ECONNREFUSED)
		r->unreachable++;
	if (rc == -EMSGSIZE || r->unreachable >= UNREACHABLE_MAX)
		return rc;
	return r->refusals >= REFUSALS_MAX && rc != -EAGAIN && rc != -ENOBUFS ? rc : 0;
}

static int
one_frame(struct run *r, int64_t now)
{
	int rc = send_frame(r, now);

	if (rc == -EAGAIN && r->s->ask->spacing == 0)
		return 0;		/* wait for room: the slot stays */
	if (rc < 0) {
		rc = note_refusal(r, rc);
	} else {
		note_departure(r, now);
		r->refusals = 0;
	}
	r->asked++;
	pace_schedule_advance(&r->sched);
	return rc;
}

/* --- the run ----------------------------------------------------------------- */

/* Tell the responder that we live, where the next frame is far away. */
static void
keep_alive(struct run *r)
{
	struct pace_io *io = r->s->io;
	struct pace_hdr h = { .type = PACE_KEEP, .stream = r->s->stream,
	    .session = r->s->session };
	uint8_t buf[PACE_HDR_SIZE];
	struct pace_out out = { .buf = buf, .len = sizeof(buf) };

	pace_hdr_encode(buf, sizeof(buf), &h);
	(void)io->send(io->ctx, &out, 1);
}

static bool
stopped(const struct run *r)
{
	return r->s->stop != NULL && *r->s->stop;
}

/* Until the frame's moment; the time then. */
static int64_t
wait_for_slot(struct run *r)
{
	struct pace_io *io = r->s->io;
	int64_t now = io->now(io->ctx);

	while (r->sched.due_ns - now > KEEP_NS && !stopped(r)) {
		now = io->sleep_until(io->ctx, now + KEEP_NS / 2, NULL);
		keep_alive(r);
	}
	return io->sleep_until(io->ctx, r->sched.due_ns, &r->tx->stalls);
}

static void
begin(struct run *r, const struct pace_sender *s, struct pace_tx *tx)
{
	const struct pace_ask *ask = s->ask;
	int64_t spacing = pace_spacing_ns(ask->spacing);
	int64_t t0 = s->io->now(s->io->ctx) + LEAD_NS;

	memset(tx, 0, sizeof(*tx));
	pace_hist_reset(&tx->gap);
	pace_hist_reset(&tx->gap_error);
	tx->stamp = PACE_STAMP_USER;
	*r = (struct run){ .s = s, .tx = tx };
	r->burst = ask->bursts > 1 ? ask->count : 0;
	r->due = pace_sender_limit(ask);
	r->end_ns = ask->duration_ns > 0 ? t0 + ask->duration_ns : INT64_MAX;
	r->late_ns = spacing > 1000 ? spacing : 1000;
	r->hdr = (struct pace_hdr){ .type = PACE_DATA, .stream = s->stream,
	    .session = s->session };
	pace_payload_fill(r->frame + PACE_HDR_SIZE, ask->size_bytes - PACE_HDR_SIZE, s->seed);
	pace_schedule_start(&r->sched, t0, ask->spacing, r->burst, ask->burst_gap_ns);
}

static void
end(struct run *r)
{
	struct pace_tx *tx = r->tx;
	uint64_t later = tx->frames > 0 ? tx->frames - 1 : 0;

	tx->bytes = tx->frames * r->s->ask->size_bytes;
	tx->duration_ns = tx->frames > 0 ? r->last_ns - r->first_ns : 0;
	tx->user_rate_bps = pace_rate_bps(later * r->s->ask->size_bytes, tx->duration_ns);
	tx->wire_rate_bps = pace_rate_bps(later * r->s->wire_bytes, tx->duration_ns);
	tx->slips = r->sched.slips;
	tx->slipped_ns = r->sched.slipped_ns;
}

int
pace_sender_run(const struct pace_sender *s, struct pace_tx *tx, uint64_t *asked)
{
	struct run r;
	uint64_t left;
	bool late;
	int rc = 0;

	begin(&r, s, tx);
	while (rc == 0 && r.asked < r.due) {
		int64_t now = wait_for_slot(&r);

		if (stopped(&r) || now >= r.end_ns)
			break;
		late = pace_schedule_depart(&r.sched, now) > r.late_ns;
		left = tx->frames;
		rc = one_frame(&r, now);
		if (late && tx->frames > left)
			tx->late_frames++;
	}
	end(&r);
	*asked = r.asked;
	return rc;
}

/* --- the verdict --------------------------------------------------------------- */

static void
note_mean(const struct pace_ask *ask, const struct pace_tx *tx, struct pace_notes *notes,
    int *bad)
{
	double want = pace_ask_spacing_ns(ask);
	double got = pace_stats_mean(&tx->gap.stats);

	if (tx->gap.stats.n == 0 || (got > want * 0.99 && got < want * 1.01))
		return;
	pace_note(notes, "spacing_not_kept",
	    "the mean spacing was %.1f ns where %.1f ns was asked for", got, want);
	++*bad;
}

enum pace_verdict
pace_sender_judge(const struct pace_ask *ask, const struct pace_tx *tx, uint64_t asked,
    struct pace_notes *notes)
{
	int bad = 0;

	if (ask->spacing == 0)
		return PACE_TRAIN;	/* no spacing was asked for */
	if (tx->late_frames * 100 > tx->frames) {
		pace_note(notes, "frames_late", "%" PRIu64 " of %" PRIu64
		    " frames left more than a spacing late", tx->late_frames, tx->frames);
		bad++;
	}
	if (tx->stalls.max_ns > STALL_MAX_NS) {
		pace_note(notes, "sender_stalled",
		    "the sender was frozen for %.1f ms: another process, or the host of a "
		    "virtual machine", (double)tx->stalls.max_ns / 1e6);
		bad++;
	}
	if (tx->slips > 0)
		pace_note(notes, "schedule_slipped", "the schedule was moved %" PRIu64
		    " times, by %.1f µs in all", tx->slips, (double)tx->slipped_ns / 1e3);
	if (tx->refused * 100 > asked) {
		pace_note(notes, "frames_refused", "the kernel refused %" PRIu64 " of %" PRIu64
		    " frames: %s", tx->refused, asked, strerror(tx->refused_errno));
		bad++;
	}
	note_mean(ask, tx, notes, &bad);
	return bad > 0 ? PACE_DEGRADED : PACE_PACED;
}
