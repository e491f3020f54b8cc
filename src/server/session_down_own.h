/*
 * session_down_own.h - the streams that a session sends, and the threads that share them.
 *
 * Purpose    private to session_down*.c.
 * Parts      of n threads, thread k sends the streams k, k + n, k + 2n, ...; part 0 is that of the
 *            session's thread.  From start to stop a part, with its streams, their flows and
 *            proofs, belongs to its thread alone; others see only the atomic members.  In a two-way
 *            run the threads that read the flows (session_threads.c) have the parts.
 * Units      ns of the probe clock.
 */
#ifndef PACE_SERVER_SESSION_DOWN_OWN_H
#define PACE_SERVER_SESSION_DOWN_OWN_H

#include <stdatomic.h>

#include "doc/tx_result_doc.h"
#include "server/admission/proof.h"
#include "server/session_run.h"
#include "stream/merged.h"

struct down_stream {
	struct pace_proof proof;
	struct pace_tx	tx;
	struct pace_tx_result result;
	struct pace_intervals *intervals;	/* NULL: none are requested */
	struct pace_sending *run;	/* NULL: not begun, or over */
	bool		complete;
	int64_t		waiting_ns;	/* since when a frame waits for a proof; 0: none waits */
	_Atomic bool	proven;		/* a first proof came */
	_Atomic uint64_t left;		/* frames that have left */
};

struct down_part {
	struct pace_session *s;
	struct pace_session_down *d;
	struct pace_merged sends;
	/* of a thread: */
	struct pace_echo echo;
	bool		placed;		/* its frames are due from t0 on */
	int		failed;		/* -errno, or 0 */
	_Atomic int	rc;		/* failed, when it is over */
	_Atomic bool	over;		/* its frames have left, or the run was stopped */
	_Atomic uint64_t ping_bytes;	/* that came */
	_Atomic uint64_t unanswered;	/* PINGs; all others have */
	_Atomic uint64_t replies, reply_bytes;
	struct pace_traffic weighed;	/* the session's */
};

struct down_thread;
struct pace_session_down {
	struct pace_params ask;		/* the run's, in the direction of the responder's frames */
	bool		begun, over;
	bool		counted;	/* in the responder's count of sending sessions */
	uint64_t	paid;		/* frames that the run limiter has counted */
	uint32_t	parts;
	struct down_part *part;
	struct down_thread *thread;	/* of the parts from 1 on; NULL: none run */
	_Atomic bool	halt;		/* the threads end */
	_Atomic uint32_t prepared;	/* threads */
	_Atomic int64_t	t0_ns;		/* when the first frame is due; 0: not known yet */
	uint32_t	n;		/* streams */
	struct down_stream v[];
};

/* Begin the streams of a part, in the thread that sends them: -ENOMEM.  at: when the first frame of
 * all streams is due; end: fill in the results. */
int	pace_session_down_begin_part(struct down_part *p);
void	pace_session_down_at(struct down_part *p, int64_t t0_ns);
void	pace_session_down_end_part(struct down_part *p);

/* Take a proof of this stream; returns the value for the answer. */
uint64_t	pace_session_down_prove(struct down_stream *v, uint64_t proof, int64_t now);

/* Send the frames of a slice, also overdue ones, but none after its end.  0: more follow; 1: all
 * have left; -errno: the run must end. */
int	pace_session_down_slice(struct down_part *p, const struct pace_io *io, int64_t now);

/* Return when to send the next slice, 0: at once. */
int64_t	pace_session_down_part_wake(const struct down_part *p, int64_t now);

/*
 * The work of a thread that has a part (session_down_threads.c).  prepare: its streams, in this
 * thread; part_ping: count a PING of a stream and answer it; round: send what is due; part_over: its
 * streams have ended, their results are complete.  pings: what came of them since the last time.
 */
int	pace_session_down_part_init(struct down_part *p);	/* -ENOMEM */
void	pace_session_down_part_free(struct down_part *p);
void	pace_session_down_part_prepare(struct down_part *p);
void	pace_session_down_part_ping(struct down_part *p, const struct pace_hdr *h,
	    const struct pace_in *in, int64_t now);
void	pace_session_down_part_round(struct down_part *p, const struct pace_io *io);
void	pace_session_down_part_over(struct down_part *p);
void	pace_session_down_pings(struct pace_session *s, struct pace_traffic *sum);
/* True while it has frames to send. */
bool	pace_session_down_part_sends(const struct down_part *p);
/* The threads of a two-way run could not all start: the session's thread sends all streams. */
void	pace_session_down_alone(struct pace_session *s);

/*
 * The threads of the other parts (session_down_threads.c).  start: all are prepared, and begin at
 * t0_ns; -errno: not all could start.  look: account for what their clients sent; 1: all their
 * frames have left, 0: not yet, -errno: the run must end; the session's rule may have ended it.
 * stop: wait for their end; without effect if there are none.  settle: charge what the threads did
 * since the last look; a run that is not two-way is over, so it only counts for the budget.
 */
int	pace_session_down_start(struct pace_session *s);
int	pace_session_down_look(struct pace_session *s, int64_t now);
void	pace_session_down_settle(struct pace_session *s, const struct pace_traffic *pings);

#endif
