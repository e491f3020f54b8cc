/*
 * session_run.h - the runs of a session: from START to the last FETCH.
 *
 * Purpose    private to session*.c: the session's state, and the functions that its parts
 *            call in each other.
 */
#ifndef PACE_SERVER_SESSION_RUN_H
#define PACE_SERVER_SESSION_RUN_H

#include "proto/report.h"
#include "server/admission/run_limiter.h"
#include "server/session.h"
#include "server/session_stats.h"
#include "stream/echo.h"
#include "stream/receiver.h"

#define PACE_SESSION_BATCH	32

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
	bool		leaves;		/* its client begins anew: close it after this batch */
	struct pace_receiver *receiver;	/* with the lease, from the first stream on */
	uint32_t	drops;		/* newest drop count of the socket */
	bool		finished;	/* FINISH told this: */
	uint64_t	sent;
	char		*result;	/* PACE_READY: JSON text */
	uint32_t	result_size;
};

struct pace_session {
	struct pace_session_cfg cfg;
	struct pace_session_flow own;	/* the session's socket, flow 0 */
	struct pace_session_flow *flow[PACE_STREAMS];	/* by number; NULL: not open */
	uint32_t	flows;		/* the numbers of all open ones are below this */
	uint64_t	id;
	enum pace_session_state state;
	struct pace_replay replay;	/* of tagged requests */
	int64_t		heard_ns;	/* last valid frame of the client */
	int64_t		poll_until_ns;	/* until then the clock steps us, because frames came */
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
	enum pace_capture_answer capture;	/* answer to the run's request for a capture */
	struct pace_rx_captured *rx_captured;	/* NULL: no capture */
	int64_t		tap_ns;		/* since when the capture is waited for; 0: not yet */
	bool		leased;		/* the session holds the lease */
	int64_t		begin_ns;	/* when its group's run begins; 0: no group */
	struct pace_session_down *down;	/* of the last run whose frames we send, until the next
					 * run; or NULL */
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
	uint64_t	runs;
	int64_t		part_ns;	/* the responder stops at this time; 0: it does not */
	int64_t		parting_ns;	/* when part_ns was set */
	int64_t		noticed_ns;	/* last notice of it to the client; 0: none yet */
	int64_t		cut_told_ns;	/* last notice that its run was ended; 0: none yet */
	uint64_t	leftovers;	/* frames since the run was ended */
	/* for observers */
	bool		told;		/* observers know that this client life began; its end
					 * is not reported yet */
	struct pace_session_stats seen;
	struct pace_shapes shapes;	/* of this run; gaps as last posted */
	int64_t		shapes_ns;	/* when shapes were posted; 0: not yet */
	struct pace_tally past;		/* of the runs before this one */
	uint64_t	pings, pings0;	/* answered; when the run began */
	size_t		room;		/* size of one buffer */
	size_t		wanted;		/* bytes of it to use, from the next batch on */
	struct pace_in	in[PACE_SESSION_BATCH];
	uint8_t		*buffers;
	uint8_t		reply[PACE_CONTROL_ROOM];
};

/* Send an answer.  An answer to a request has its type, stream and number.  body is
 * released. */
void	pace_session_send(struct pace_session *s, int len);
void	pace_session_answer(struct pace_session *s, const struct pace_hdr *request,
	    json_t *body);
/* The same at another of its flows' sockets. */
void	pace_session_answer_at(struct pace_session *s, const struct pace_io *io,
	    const struct pace_hdr *request, json_t *body);
void	pace_session_refuse(struct pace_session *s, const struct pace_hdr *request,
	    const char *code, const char *text);

/* Return this host's wall clock now. */
int64_t	pace_session_wall(const struct pace_session *s);

/* Return the streams of the run: flows 0 to this number - 1. */
uint32_t	pace_session_streams(const struct pace_session *s);

/* True if frames of a stream are expected. */
bool	pace_session_streaming(const struct pace_session *s);

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

/* A run whose frames the responder sends (session_down.c).  begin: -ENOMEM; heard: a PING
 * returned this proof; step: send a slice of frames; wake: when to step again, 0: at once; show:
 * what was sent so far; finish: the answer to FINISH. */
#define PACE_SESSION_ASK_NS	INT64_C(100000000)	/* between two FINISHs of such a run */
int	pace_session_down_begin(struct pace_session *s, int64_t now);
void	pace_session_down_free(struct pace_session *s);
void	pace_session_down_heard(struct pace_session *s, uint64_t proof, int64_t now);
void	pace_session_down_step(struct pace_session *s, int64_t now);
int64_t	pace_session_down_wake(const struct pace_session *s, int64_t now);
void	pace_session_down_show(const struct pace_session *s, struct pace_tally *t);
void	pace_session_down_finish(struct pace_session *s, bool stop, struct pace_msg_ready *m);

/* Such a run is over (session_run.c): its result can be fetched. */
struct pace_tx_result;
void	pace_session_down_ready(struct pace_session *s, struct pace_tx_result *r,
	    const struct pace_tx *tx, const struct pace_intervals *v);

/* The flows beside the session's socket (session_flow.c).  opened: take an OPEN; close: forget
 * it. */
void	pace_session_flow_opened(struct pace_session *s, struct pace_session_flow *f,
	    const struct pace_hdr *h, const struct pace_in *in, int64_t now);
void	pace_session_flow_close(struct pace_session *s, uint32_t stream);

/* Answer a REPORT (session_observe.c). */
void	pace_session_report(struct pace_session *s, const struct pace_hdr *h, const json_t *body,
	    int64_t now);

/* Inform observers (session_observe.c) after a batch, and about events. */
void	pace_session_show(struct pace_session *s);
void	pace_session_post(struct pace_session *s);	/* the whole board */
void	pace_session_opened(struct pace_session *s);
void	pace_session_run_began(struct pace_session *s);
/* rx NULL: the run was not finished, or is no stream.  A second call has no effect. */
void	pace_session_run_ended(struct pace_session *s, const char *how,
	    const struct pace_rx_result *rx);
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
