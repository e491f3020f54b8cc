/*
 * client_down_own.h - a run whose frames the client receives, and the threads that share it.
 *
 * Purpose    private to client_down*.c.
 * Threads    while flow.lent, the flow with its socket and receiver belongs to its thread alone;
 *            others see only the atomic members, and what look copies.
 * Units      ns of the probe clock.
 */
#ifndef PACE_CLIENT_CLIENT_DOWN_OWN_H
#define PACE_CLIENT_CLIENT_DOWN_OWN_H

#include <stdatomic.h>

#include "client/client_io.h"
#include "stream/reader.h"

struct pace_client_down_threads;
struct down_flow {
	struct pace_io	*io;
	struct pace_receiver *rx;
	uint32_t	stream;
	uint32_t	drops;			/* newest drop count of the socket */
	bool		lent;			/* a thread has it, with its socket and receiver */
	int		core;			/* of its thread; -1: one thread reads all flows */
	_Atomic int64_t	heard_ns;		/* last datagram of the responder */
	_Atomic uint64_t unique;		/* frames received, as last posted by its thread */
	/* of stream 0 the pinger has these */
	int64_t		ping_ns;		/* when the next PING is due */
	uint64_t	pings, proof;
	/* from FINISH */
	bool		known;			/* all frames have left: sent of them */
	uint64_t	sent;
};

struct client_down {
	struct pace_client *c;
	struct pace_client_down_live *live;	/* NULL: it is no live run */
	struct pace_client_up *up;		/* NULL: the client sends no frames */
	const struct pace_params *ask;
	struct pace_in	in[PACE_READER_BATCH];
	uint8_t		*buffers;
	size_t		room;			/* of one */
	struct pace_polling polling;
	uint64_t	first;			/* number of the first FINISH */
	int64_t		began_ns, ping_ns, look_ns, ask_ns, refit_ns;
	int64_t		frame_ns;		/* last frame */
	int64_t		prove_ns;		/* between two PINGs of a further flow */
	bool		came;			/* a frame did */
	int64_t		stop_ns;		/* when the run was stopped; 0: it was not */
	bool		lost_flow;		/* it was, because a further flow was silent */
	int64_t		end_ns;			/* of the grace time; INT64_MAX: not known yet */
	bool		complete;		/* no frame is missing */
	bool		refused;		/* the responder has no such run, or ended it */
	uint32_t	turn;			/* of a two-way run: the flow that is read next */
	_Atomic int64_t	t0_ns;			/* when own frames begin; 0: not known yet */
	_Atomic bool	halt;			/* the threads end their own frames */
	struct pace_client_down_threads *threads;	/* NULL: one thread reads all flows */
	uint32_t	n;			/* flows */
	struct down_flow flow[];
};

/* Captures of what arrives (client_down_capture.c).  begin: of all streams, if the caller has one;
 * wait: at the end of the run, until they have seen all. */
void	pace_client_down_captures_begin(struct client_down *d, const struct pace_msg_start *m);
void	pace_client_down_captures_wait(struct client_down *d);

/* Take a frame of a flow, in the thread that reads it. */
void	pace_client_down_frame(struct down_flow *f, const struct pace_hdr *h,
	    const struct pace_in *in, int64_t now);
/* True for a copy of an answer that the client has already: no foreign frame. */
bool	pace_client_down_is_late(const struct pace_client *c, const struct pace_hdr *h);
/* Return a further flow's newest proof. */
void	pace_client_down_prove(const struct client_down *d, struct down_flow *f, int64_t now);

/*
 * Threads that receive flows of the run beside the client's own.  Of n threads, thread k reads the
 * flows k, k + n, ...; thread 0 is the client's, which also has all messages.  start: without
 * threads, or if one cannot be started, the client reads its flows; stop: before the grace time,
 * and before the receivers are read; rate: the clocks' rate for their receivers; look: add the
 * counts of their streams as last posted.  In a two-way run they also send the client's streams of
 * these flows, from t0_ns on; sent: 0 or -errno of one that failed; *all: all have left, or failed.
 */
void	pace_client_down_threads_start(struct client_down *d);
void	pace_client_down_threads_stop(struct client_down *d);
void	pace_client_down_threads_rate(struct client_down *d, double rate);
void	pace_client_down_threads_look(struct client_down *d, struct pace_tally *sum);
int	pace_client_down_threads_sent(const struct client_down *d, bool *all);

#endif
