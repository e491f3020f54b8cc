/*
 * session_run.h - the runs of a session: from START to the last FETCH.
 *
 * Purpose    private to session*.c: the session's state, and the functions that its parts
 *            call in each other.
 */
#ifndef PACE_SERVER_SESSION_RUN_H
#define PACE_SERVER_SESSION_RUN_H

#include "doc/intervals_doc.h"
#include "proto/report.h"
#include "server/admission/run_limiter.h"
#include "server/session.h"
#include "server/session_stats.h"
#include "stream/echo.h"
#include "stream/light_receiver.h"
#include "stream/reader.h"
#include "stream/receiver.h"

/* The state of the client's live reports. */
struct pace_reporting {
	uint64_t	number;		/* of the last REPORT that was answered */
	uint64_t	since;		/* handed covers what came after this report */
	int64_t		paid_ns;	/* when all answers so far are paid for (GCRA) */
	struct pace_recent handed, fresh;	/* sent, maybe lost; not sent yet */
	struct pace_host_counters host;		/* at the first request for them; at_ns 0: not
						 * requested yet */
};

/* A flow and its stream of the run. */
struct pace_session_flow {
	struct pace_flow at;
	int64_t		opened_ns;
	bool		leaves;		/* its client restarted: close it after this batch */
	bool		lent;		/* during this run another thread reads it */
	int		core;		/* whose thread has read it; -1: one thread reads all */
	struct pace_receiver *receiver;	/* with the lease, from the first stream on */
	struct pace_captured_stream *rx_captured, *tx_captured;	/* NULL: no capture */
	uint32_t	drops;		/* newest drop count of the socket */
	bool		finished;	/* from FINISH: */
	uint64_t	sent;
	char		*result;	/* PACE_READY: JSON text */
	uint32_t	result_size;
	struct pace_slice last;		/* PACE_READY: the final figures */
};

struct pace_session {
	struct pace_session_cfg cfg;
	struct pace_session_flow own;	/* the session's socket, flow 0 */
	struct pace_session_flow *flow[PACE_STREAMS];	/* by number; NULL: not open */
	uint32_t	flows;		/* the numbers of all open ones are below this */
	uint32_t	flow_turn;	/* the next flow to read, if not all are read at once */
	uint64_t	id;
	enum pace_session_state state;
	struct pace_replay replay;	/* of tagged requests */
	int64_t		heard_ns;	/* last valid frame of the client */
	struct pace_polling polling;	/* until when the clock steps us, because frames came */
	int64_t		active_ns;	/* last message that needs the lease */
	int64_t		ready_ns;	/* when the last run ended */
	int64_t		born_at_ns;	/* when this client life began */
	int64_t		waits_ns, waits_asked_ns;	/* waits for the lease since; last
						 * request for it; 0: does not wait */
	int64_t		used_ns;	/* last time it measured or requested the lease */
	bool		answered;	/* the OPEN */
	bool		lease_lost;	/* during the run */
	struct pace_usage usage;	/* when the run began */
	struct pace_counters counters;	/* when the run began */
	struct pace_energy born;	/* when the session began */
	int64_t		born_ns;	/* time of born */
	uint64_t	born_grants;	/* of the lease; 0: a session held it */
	bool		has_idle;
	double		idle_watts;	/* of the host between that and the first run */
	int64_t		renewed_ns;	/* last renewal of the lease */
	int64_t		end_ns;		/* PACE_DRAINING: of the grace time; PACE_CLOSED: of
					 * lingering */
	uint8_t		run_number;	/* current run, 0: none yet */
	uint64_t	start_request;	/* number of the START that began it */
	struct pace_msg_start run;
	struct pace_msg_finish finish;
	bool		collects;	/* two-way: the client waits for the result */
	bool		grace_over;	/* two-way: the up stream is complete, the result waits */
	enum pace_capture_answer capture;	/* answer to the run's request for a capture */
	int64_t		tap_ns;		/* since when the capture is waited for; 0: not yet */
	bool		leased;		/* the session holds the lease */
	int64_t		begin_ns;	/* when its group's run begins; 0: no group */
	struct pace_session_down *down;	/* of the last run whose frames we send, until the next
					 * run; or NULL */
	struct pace_session_threads *threads;	/* that read flows of this run; NULL: none */
	struct pace_echo echo;
	struct pace_run_limiter limiter;
	struct pace_send_credit credit;
	struct pace_reporting report;
	uint64_t	reports;	/* answered */
	uint64_t	answers, answer_bytes;	/* sent, without replies to PINGs */
	struct pace_traffic load;		/* of the batch: datagrams with the session's
						 * number */
	uint64_t	credited;	/* bytes of load already credited for answers */
	uint64_t	weighed, weighed_bytes;	/* sent frames that the run limiter has counted */
	char		*host;		/* JSON text about this host; NULL: none */
	uint32_t	host_size;
	struct pace_host_text *shared_host;	/* has host; NULL: host is the session's own */
	uint64_t	runs;
	int64_t		part_ns;	/* the responder stops at this time; 0: it does not */
	int64_t		parting_ns;	/* when part_ns was set */
	int64_t		noticed_ns;	/* last notice of it to the client; 0: none yet */
	int64_t		cut_reported_ns;	/* last notice that its run was ended; 0: none yet */
	uint64_t	leftovers;	/* frames since the run was ended */
	/* for observers */
	bool		reported;	/* observers know that this client life began; its end
					 * is not reported yet */
	struct pace_session_stats seen;
	struct pace_shapes *shapes;	/* of this run; gaps as last posted; NULL: a light
					 * session, its receiver has them */
	int64_t		shapes_ns;	/* when shapes were posted; 0: not yet */
	int64_t		streams_ns;	/* the same of streams */
	struct pace_tally past;		/* of the runs before this one */
	uint64_t	pings, pings0;	/* answered; when the run began */
	struct pace_session_tcp *tcp;	/* of the last run of TCP; NULL: it was none */
	struct pace_session_pings *asked;	/* that arrived, of the last run of exchanges; NULL:
						 * none yet */
	size_t		room;		/* size of one buffer */
	size_t		wanted;		/* bytes of it to use, from the next batch on */
	struct pace_in	*in;		/* PACE_READER_BATCH; NULL: a light session */
	uint8_t		*buffers;
	uint8_t		*reply;		/* PACE_CONTROL_ROOM bytes */
	/* of a light session */
	struct pace_light_receiver *light;	/* of its last stream, in the memory after
						 * this struct; NULL: none yet */
	struct pace_terms watch;	/* of a stream */
	struct pace_bucket exchanges;	/* PINGs a second */
	bool		unseen;		/* frames came that its figures and limits do not have yet */
};

/* True if the session shares the listener's socket, and has no lease. */
static inline bool
pace_session_is_light(const struct pace_session *s)
{
	return s->cfg.light != NULL;
}

/* Send an answer.  An answer to a request has its type, stream and number.  body is
 * released. */
void	pace_session_send(struct pace_session *s, int len);
void	pace_session_answer(struct pace_session *s, const struct pace_hdr *request,
	    json_t *body);
/* Answer a request at the socket of another of its flows. */
void	pace_session_answer_at(struct pace_session *s, const struct pace_io *io,
	    const struct pace_hdr *request, json_t *body);
void	pace_session_refuse(struct pace_session *s, const struct pace_hdr *request,
	    const char *code, const char *text);
/* Make a refusal that contains the limits, so that the client can adapt; returns what it says. */
struct pace_msg_error	pace_session_refuse_by_policy(struct pace_session *s,
			    const struct pace_hdr *h, const char *text);

/* Return the drop count of a flow's socket, as far as it is known. */
uint32_t	pace_session_drops(const struct pace_session_flow *f);

/* Return this host's wall clock now. */
int64_t	pace_session_wall(const struct pace_session *s);

/* Return the streams of the run: flows 0 to this number - 1. */
uint32_t	pace_session_streams(const struct pace_session *s);

/* True if the run has streams in both directions. */
static inline bool
pace_session_is_two_way(const struct pace_session *s)
{
	return !s->run.pings && s->run.ask.two_way;
}

/* True if frames of a stream are expected. */
bool	pace_session_streaming(const struct pace_session *s);

/* --- requests of a run of exchanges (session_pings.c) --- */

size_t	pace_session_pings_size(void);
int	pace_session_pings_begin(struct pace_session *s, const struct pace_msg_start *m);
/* Count a PING of len bytes with the session's number, before it is decided whether to answer it.
 * True: it is a request of the run, for the first time. */
bool	pace_session_pings_take(struct pace_session *s, const struct pace_hdr *h, size_t len);
/* Such a request is not answered. */
void	pace_session_pings_unanswered(struct pace_session *s);
void	pace_session_pings_tell(const struct pace_session *s, struct pace_msg_ready *m);

/* --- a run of TCP beside PINGs (session_tcp.c) --- */

/* begin: -ENOMEM, -errno of the host; secret: what proves a connection; look: judge what was sent and
 * received since the last call; over: true if the run has ended, or was ended because a FINISH waits
 * for it too long; side: the figures of it then. */
#define PACE_SESSION_TCP_NS	INT64_C(10000000)	/* between two looks */
int	pace_session_tcp_begin(struct pace_session *s, const struct pace_msg_start *m);
const uint8_t	*pace_session_tcp_secret(const struct pace_session *s);
void	pace_session_tcp_look(struct pace_session *s, int64_t now);
bool	pace_session_tcp_over(struct pace_session *s, bool stop, int64_t now);
const struct pace_tcp_side	*pace_session_tcp_side(struct pace_session *s);
void	pace_session_tcp_free(struct pace_session *s);

/* Return how many bytes the client can fetch of the run that ended. */
uint64_t	pace_session_fetchable(const struct pace_session *s);

/* End the run without a result: release its lease and memory. */
void	pace_session_let_go(struct pace_session *s);

/* Free the run's result / release the lease and the receiver, and end the capture. */
void	pace_session_forget(struct pace_session *s);
void	pace_session_give_up(struct pace_session *s);

/* End the run: the client is instructed to stop, and FINISH gives the reason. */
void	pace_session_cut(struct pace_session *s);
void	pace_session_tell_cut(struct pace_session *s, int64_t now);
bool	pace_session_was_cut(const struct pace_session *s);

/* Make the result if the grace time is over and the capture is complete. */
void	pace_session_drain(struct pace_session *s, int64_t now);

/* A run whose frames the responder sends (session_down.c).  begin: -ENOMEM; heard: a PING of this
 * stream returned this proof, returns the proof for its answer, 0: none; step: send a slice of
 * frames; wake: when to step again, 0: at once; show: what was sent so far; finish: the answer to
 * FINISH. */
#define PACE_SESSION_ASK_NS	INT64_C(100000000)	/* between two FINISHs of such a run */
int	pace_session_down_begin(struct pace_session *s, int64_t now);
/* True while frames are left to send. */
bool	pace_session_down_sends(const struct pace_session *s);
/* Return how many datagrams to read before the next frame; when this is due, INT64_MAX: not
 * known. */
int64_t	pace_session_down_reads(const struct pace_session *s, int64_t now);
int64_t	pace_session_down_due(const struct pace_session *s);
/* Put the sender's part into a stream's result of a two-way run. */
void	pace_session_down_put(struct pace_session *s, uint32_t stream, json_t *result);
void	pace_session_down_free(struct pace_session *s);
/* Threads that send (session_down_threads.c).  shares: there are some; stop: wait for their end. */
bool	pace_session_down_shares(const struct pace_session *s);
void	pace_session_down_stop(struct pace_session *s);
uint64_t	pace_session_down_heard(struct pace_session *s, uint32_t stream, uint64_t proof,
		    int64_t now);
void	pace_session_down_step(struct pace_session *s, int64_t now);
int64_t	pace_session_down_wake(const struct pace_session *s, int64_t now);
void	pace_session_down_show(const struct pace_session *s, struct pace_tally *t);
/* The same of one stream. */
void	pace_session_down_show_stream(const struct pace_session *s, uint32_t stream,
	    struct pace_tally *t);
void	pace_session_down_finish(struct pace_session *s, uint32_t stream, bool stop,
	    struct pace_msg_ready *m);

/* Return a stream's result of such a run that is over, its tx and intervals. */
struct pace_tx_result	*pace_session_down_result(struct pace_session *s, uint32_t stream,
			    const struct pace_tx **tx, const struct pace_intervals **v);

/* True if all frames of such a run have left, or it was stopped; how many of a stream have left. */
bool	pace_session_down_over(const struct pace_session *s);
uint64_t	pace_session_down_sent(const struct pace_session *s, uint32_t stream);

/* Such a run is over (session_result.c): fill in what the session knows of a result. */
void	pace_session_down_close(struct pace_session *s, struct pace_session_flow *f,
	    struct pace_tx_result *r);
/* A result without its intervals would not be what was requested; NULL is one without memory. */
json_t	*pace_session_with_intervals(json_t *j, const struct pace_intervals *v,
	    enum pace_interval_part part);

/* The flows beside the session's socket (session_flow.c).  opened: accept an OPEN; close: remove
 * the flow. */
void	pace_session_flow_opened(struct pace_session *s, struct pace_session_flow *f,
	    const struct pace_hdr *h, const struct pace_in *in, int64_t now);
void	pace_session_flow_close(struct pace_session *s, uint32_t stream);

/*
 * Other threads that read flows of a run (session_threads.c), so that several cores receive.
 * start: after the run began; without threads, or if none can be started, the session reads all.
 * stop: before the session changes or reads what belongs to these flows; without effect if there
 * are none.  look: judge what they received since the last call; true: something.  sum: add
 * their live figures.  rate: the clock's rate for their receivers.
 */
#define PACE_SESSION_THREADS_NS	INT64_C(10000000)	/* between two looks, at most */
void	pace_session_threads_start(struct pace_session *s);
void	pace_session_threads_stop(struct pace_session *s);
bool	pace_session_threads_look(struct pace_session *s, int64_t now);
void	pace_session_threads_sum(struct pace_session *s, struct pace_tally *sum,
	    struct pace_recent *batch);
void	pace_session_threads_rate(struct pace_session *s, double rate);

/* Get a flow's live figures; add its extremes to those of a batch (session_observe.c). */
void	pace_session_look_at(const struct pace_session_flow *f, struct pace_slice *now,
	    struct pace_recent *batch);

/* Get a stream's figures from the thread that reads its flow; all 0: none yet. */
void	pace_session_threads_slice(const struct pace_session *s, uint32_t stream,
	    struct pace_slice *v);

/* Judge what a thread of the session received, or its PINGs and the replies to them (session.c). */
void	pace_session_count(struct pace_session *s, uint64_t frames, uint64_t bytes, int64_t now);
void	pace_session_count_pings(struct pace_session *s, const struct pace_traffic *pings,
	    int64_t now);

/* The captures of a run's streams (session_capture.c).  begin: of all, if the client requests it
 * and may, or of none; wait: true if they have not seen all yet, look again after
 * PACE_SESSION_LOOK_NS; drop: end them without a result. */
#define PACE_SESSION_LOOK_NS	INT64_C(10000000)
void	pace_session_begin_captures(struct pace_session *s);
bool	pace_session_captures_wait(struct pace_session *s, int64_t now);
void	pace_session_drop_captures(struct pace_session *s);
void	pace_session_drop_capture(struct pace_session *s, struct pace_session_flow *f);
/* End the capture of what a flow's stream received, or sent, if there is one, and add what it saw
 * to the result. */
void	pace_session_end_capture(struct pace_session *s, struct pace_session_flow *f,
	    struct pace_rx_result *rx);
void	pace_session_end_tx_capture(struct pace_session *s, struct pace_session_flow *f,
	    struct pace_tx_result *tx);

/* Answer a REPORT (session_observe.c). */
void	pace_session_report(struct pace_session *s, const struct pace_hdr *h, const json_t *body,
	    int64_t now);

/* Inform observers (session_observe.c) after a batch, and about events. */
void	pace_session_show(struct pace_session *s);
void	pace_session_post(struct pace_session *s);	/* the whole board */
void	pace_session_opened(struct pace_session *s);
void	pace_session_run_began(struct pace_session *s);
/* rates NULL: the run was not finished, or is no stream.  A second call has no effect. */
void	pace_session_run_ended(struct pace_session *s, const char *how,
	    const struct pace_run_rates *rates);
void	pace_session_over(struct pace_session *s, const char *how);
void	pace_session_gone(struct pace_session *s);
void	pace_session_refused(struct pace_session *s, const struct pace_msg_error *e);
/* The session waits because of another client, which *e describes. */
void	pace_session_waits(struct pace_session *s, const struct pace_msg_error *e, int64_t now);

/* Begin and end of a client life (session_open.c).  welcome answers the OPEN with this request
 * number; stray counts a foreign datagram. */
void	pace_session_welcome(struct pace_session *s, uint64_t request);
void	pace_session_hello(struct pace_session *s, struct pace_session_flow *f,
	    const struct pace_in *in, int64_t now);
void	pace_session_open(struct pace_session *s, const struct pace_hdr *h,
	    const struct pace_in *in, int64_t now);
void	pace_session_close(struct pace_session *s, const struct pace_hdr *h, int64_t now);
void	pace_session_stray(struct pace_session *s);
/* True if the session must end for another client. */
bool	pace_session_leaves(const struct pace_session *s);

/* Requests. */
void	pace_session_start(struct pace_session *s, const struct pace_hdr *h,
	    const json_t *body, int64_t now);
void	pace_session_finish(struct pace_session *s, const struct pace_hdr *h,
	    const json_t *body, int64_t now);
void	pace_session_fetch(struct pace_session *s, const struct pace_hdr *request,
	    const json_t *body);

#endif
