/*
 * sender.h - send the frames of one run on an absolute schedule.
 *
 * Purpose    frame k is due at t0 + k spacing: wait for this time, stamp, send, and record
 *            the departure gaps.
 * Refusals   a frame that the kernel refuses is not repeated.  Its slot passes and the next
 *            frame gets its number, so numbers have no holes.  At spacing 0 there are no
 *            slots: the sender waits while the socket buffer is full.
 * Verdict    degraded: more than 1 % of the frames late, a freeze above 1 ms, a mean spacing
 *            off by more than 1 %, or more than 1 % of the frames refused.  A schedule that
 *            slipped is only noted.
 * Omitted    the frames of the first ask.omit_ns leave like all others, but nothing of them is
 *            in the result: it is that of a run which begins with the first frame that counts.
 * Trains     ask.train frames leave back to back every ask.train spacings, each with its
 *            own header; gaps are those between trains.  Refusals in a train are counted
 *            frame by frame.
 * Stamps     the kernel's departure stamp is requested for 8 of 256 single frames or of more
 *            (spacing 8 µs or more; tx_stamps.h): tx.stack, tx.stamped_gap_error.
 * Clock      every 50 ms, or every ping_ns, a PING follows a frame; half-way between two
 *            pings the replies are read.  If frames are rare, the pings keep the session
 *            and its lease alive.
 * Silence    the run ends if pings were answered at first and then had no answer for
 *            PACE_SENDER_SILENT_NS.  A shorter outage of the path is measured, whatever
 *            ICMP messages say.
 * Framing    frames of other formats are prepared at the begin, and only their numbers and
 *            times are written when they leave.
 * Sleep      the thread sleeps until shortly before a frame, or not at all (awake_ns).  At 1 ms not to
 *            sleep takes a whole core for a tenth, and 33 for 19 % of the gaps on the wire are within
 *            0.2 µs of it (80 pairs of runs in a virtual machine).
 * Memory     64 KiB, allocated at the begin.
 * Threads    one, the caller's; other threads may read progress.
 */
#ifndef PACE_STREAM_SENDER_H
#define PACE_STREAM_SENDER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "core/framing.h"
#include "core/io.h"
#include "doc/result.h"
#include "stream/echo.h"
#include "stream/pinger.h"

/* Updated now and then by the sender; any thread may read it. */
struct pace_progress {
	_Atomic uint64_t	sent;
};

/* Another task that runs after a frame when it is due; it must be short and never wait. */
struct pace_beside {
	int64_t		due_ns;		/* next time, set by act */
	void		(*act)(void *ctx, int64_t now_ns);
	void		*ctx;
	bool		over;		/* set by act: end the run */
};

struct pace_sender {
	struct pace_io	*io;
	const struct pace_params *ask;
	const struct pace_framing *framing;	/* makes the frames; NULL: they are udpace's */
	uint64_t	session;
	uint8_t		run, stream;
	uint64_t	seed;
	uint32_t	wire_bytes;	/* line time of one frame */
	const volatile sig_atomic_t *stop, *cut;	/* may be NULL; either ends the run */
	struct pace_progress *progress;	/* may be NULL */
	struct pace_pinger *pinger;	/* the session's: pings go out between the frames; NULL:
					 * the other host or stream 0 pings, and only frames are
					 * sent */
	bool		only_frames;	/* the caller makes the pinger's exchanges */
	struct pace_echo *echo;		/* without a pinger: numbers the departure stamps; NULL:
					 * none are requested */
	bool		reads_stamps;	/* without a pinger: read the echo's departure stamps
					 * between frames, which nobody else does */
	struct pace_clockfit *fit;	/* takes the pinger's exchanges, for the rate */
	int64_t		ping_ns;	/* between two pings; 0: PACE_SENDER_PING_NS */
	struct pace_stalls *stalls;	/* of the thread, which sends several streams: those of
					 * its first one; NULL: those of the result */
	_Atomic bool	*halt;		/* set by another thread to end the run; NULL: none does */
	struct pace_beside *beside;	/* NULL: no other task */
	struct pace_intervals *intervals;	/* gets the sender's part; NULL: none */
	int64_t		begin_ns;	/* when the first frame is due; 0, or a time in the past: at
					 * once */
	int64_t		awake_ns;	/* the thread does not sleep before frames or trains that
					 * follow one another in this time; 0: it always may */
};

/* this long without an answer to a ping ends the run */
#define PACE_SENDER_SILENT_NS	INT64_C(11000000000)
/* awake_ns of who measures for a while: a core that slept is slower for the next frame */
#define PACE_SENDER_AWAKE_NS	INT64_C(1000000)
/* awake_ns of --busy-poll */
#define PACE_SENDER_NO_SLEEP_NS	INT64_MAX
/* default time between two pings */
#define PACE_SENDER_PING_NS	INT64_C(50000000)
/* from the begin of a run to its first frame */
#define PACE_SENDER_LEAD_NS	INT64_C(1000000)

/* Return a bound: all frame numbers of the run are below it. */
uint64_t	pace_sender_limit(const struct pace_params *ask);

/* Return when the first frame of a run is due that begins now. */
int64_t	pace_sender_begin_ns(const struct pace_sender *s);

/*
 * A run in steps, for a caller with other work between frames.  begin fills only the initial
 * fields of *tx; NULL: no memory.  step sends the frames due before until_ns, each at its time;
 * of overdue frames, the first and those that leave before until_ns; so with the time now + 1, no
 * second frame (or train) follows an overdue one.  1: more to send; 0: all
 * sent, or stopped; -errno as in pace_sender_run.  end fills *tx, frees the run and returns the
 * number of frames that came due; NULL is accepted.
 */
struct pace_sending;
struct pace_sending	*pace_sending_begin(const struct pace_sender *s, struct pace_tx *tx);
int	pace_sending_step(struct pace_sending *r, int64_t until_ns);
/* Restart: the first frame is due at t0_ns.  Only before the first step. */
void	pace_sending_at(struct pace_sending *r, int64_t t0_ns);
/* Return when the next frame is due; a time in the past moves the schedule. */
int64_t	pace_sending_due(const struct pace_sending *r);
/* Return by how much the schedule has moved in all. */
int64_t	pace_sending_shifted(const struct pace_sending *r);
/* Return how many frames have left, also of those that do not count. */
uint64_t	pace_sending_left(const struct pace_sending *r);
/* Return how many datagrams a caller that also receives should read before the next step: as many
 * as there is time for, and more than the run sends. */
int64_t	pace_sending_reads(const struct pace_sending *r, int64_t now_ns);
uint64_t	pace_sending_end(struct pace_sending *r);

/* Resume after the run had to pause until now_ns: the schedule continues from there. */
void	pace_sending_resume(struct pace_sending *r, int64_t now_ns);

/* Set the value that a responder's frames reveal from now on (wire.h). */
void	pace_sending_proof(struct pace_sending *r, uint64_t proof);

/*
 * Send the whole run.  Fills *tx, and *asked with the frames that came due.  0; -ETIMEDOUT: no
 * answers, perhaps because only the return path fails; -EMSGSIZE: frames too large for the path;
 * -errno: the kernel refuses every frame.  *tx is valid after failures as well.
 */
int	pace_sender_run(const struct pace_sender *s, struct pace_tx *tx, uint64_t *asked);

/* Keep a schedule of 50 us for ns without sending: stalls, slips, their causes and the duration in
 * *tx show how well this host can send. */
void	pace_sender_idle(struct pace_io *io, int64_t ns, const volatile sig_atomic_t *stop,
	    struct pace_tx *tx);

/* Judge what was sent; notes get the reasons.  degraded: the sender's faults may change a
 * conclusion.  Late frames or a freeze count if frames were lost (a burst after them may be the
 * cause) or if they are many.  lost: frames were lost, or this is not known. */
enum pace_verdict	pace_sender_judge(const struct pace_params *ask,
			    const struct pace_tx *tx, uint64_t asked, bool lost,
			    struct pace_notes *notes);

#endif
