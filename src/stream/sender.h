/*
 * sender.h - send the frames of one run on an absolute schedule.
 *
 * Purpose    a frame's moment is t0 + k spacing; wait for it, stamp, send,
 *            and record the gaps that were really made.
 * Refusals   a frame that the kernel refuses is not sent and not repeated:
 *            its slot passes, its number goes to the next frame, so that
 *            numbers stay without holes.  At spacing 0 there are no slots:
 *            a full socket is waited for.
 * Verdict    degraded: more than 1 % of the frames late, a freeze above
 *            1 ms, a mean spacing off by more than 1 %, or more than 1 % of
 *            the frames refused.  A schedule that slipped is only noted.
 * Trains     ask.train frames leave back to back every ask.train spacings,
 *            each with its own header; gaps are those between trains.  What
 *            the kernel refuses of a train is counted frame by frame.
 * Truth      of every 64th single frame (spacing 8 µs or more) the kernel's
 *            own departure stamp is asked for: tx.stack.
 * Clock      every 50 ms, or as ping_ns says, a PING follows a frame; half-way between two pings
 *            what came back is taken.  Where frames are rare the pings keep
 *            the session and its lease alive.
 * Silence    pings that were answered and for PACE_SENDER_SILENT_NS are not any more end the
 *            run.  A shorter hole in the path is measured, whatever ICMP messages say.
 * Memory     64 KiB of stack; nothing is allocated.
 * Threads    one, the caller's; progress may be read by others.
 */
#ifndef PACE_STREAM_SENDER_H
#define PACE_STREAM_SENDER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "core/io.h"
#include "doc/result.h"
#include "stream/pinger.h"

/* Written now and then by the sender, read by whoever shows it. */
struct pace_progress {
	_Atomic uint64_t	sent;
};

/* Something else that is done behind a frame, when it is due; short, and it never waits. */
struct pace_beside {
	int64_t		due_ns;		/* set anew by act */
	void		(*act)(void *ctx, int64_t now_ns);
	void		*ctx;
	bool		over;		/* set by act: the run is to end */
};

struct pace_sender {
	struct pace_io	*io;
	const struct pace_params *ask;
	uint64_t	session;
	uint8_t		stream;
	uint64_t	seed;
	uint32_t	wire_bytes;	/* line time of one frame */
	const volatile sig_atomic_t *stop, *cut;	/* may be NULL; either ends it */
	struct pace_progress *progress;	/* may be NULL */
	struct pace_pinger *pinger;	/* of the session: pings go out beside the frames */
	struct pace_clockfit *fit;	/* what the pinger's exchanges go into, for the rate */
	int64_t		ping_ns;	/* from ping to ping; 0: PACE_SENDER_PING_NS */
	struct pace_beside *beside;	/* NULL: nothing else is done */
};

#define PACE_SENDER_SILENT_NS	INT64_C(11000000000)	/* so long without an answer to a ping ends it */
#define PACE_SENDER_PING_NS	INT64_C(50000000)	/* from ping to ping, unless said otherwise */

/* Frames that are handed to the kernel at once, at most. */
int	pace_sender_chunk(const struct pace_params *ask);

/* A bound that the numbers of a run's frames stay below. */
uint64_t	pace_sender_limit(const struct pace_params *ask);

/*
 * Fills tx, and *asked with the frames that came due.  0; -ETIMEDOUT: silence, which may be of the way back only; -EMSGSIZE: too large for the path; -errno:
 * the kernel refuses every frame.  tx holds also then what was sent.
 */
int	pace_sender_run(const struct pace_sender *s, struct pace_tx *tx, uint64_t *asked);

/* Keep a schedule of 50 us for so long without a frame: stalls, slips, their causes and the
 * duration in tx tell how well this host could send. */
void	pace_sender_idle(struct pace_io *io, int64_t ns, const volatile sig_atomic_t *stop,
	    struct pace_tx *tx);

/* The verdict on what was sent, with its reasons as notes. */
enum pace_verdict	pace_sender_judge(const struct pace_params *ask,
			    const struct pace_tx *tx, uint64_t asked,
			    struct pace_notes *notes);

#endif
