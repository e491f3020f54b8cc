/*
 * session_run.h - the runs of a session: from START to the last FETCH.
 *
 * Purpose    private to session*.c: the state both parts work on, and what
 *            they do for each other.
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

/* What a reader of reports was told. */
struct pace_reporting {
	uint64_t	number;		/* of the last REPORT that was answered */
	uint64_t	since;		/* the report that handed begins behind */
	int64_t		paid_ns;	/* answers up to now are paid for then */
	struct pace_recent handed, fresh;	/* told, and maybe lost; not told yet */
	struct pace_host_counters host;		/* as it was when it was first looked at; at_ns 0: not yet */
};

struct pace_session {
	struct pace_session_cfg cfg;
	uint64_t	id;
	enum pace_session_state state;
	struct pace_replay replay;	/* of tagged requests */
	int64_t		heard_ns;	/* last valid frame of the client */
	int64_t		poll_until_ns;	/* so long the clock wakes us, as frames came */
	int64_t		active_ns;	/* last of what needs the lease */
	int64_t		ready_ns;	/* when the last run ended */
	int64_t		born_at_ns;	/* this client's life here */
	int64_t		used_ns;	/* last seen measuring, or asking for the lease */
	bool		answered;	/* the OPEN */
	bool		lease_lost;	/* in mid run */
	struct pace_usage usage;	/* when the run began */
	struct pace_counters counters;	/* the same */
	struct pace_energy born;	/* when the session began, */
	int64_t		born_ns;	/* which was then */
	uint64_t	born_grants;	/* of the lease; 0: somebody had it */
	bool		has_idle;
	double		idle_watts;	/* of the host between that and the first run */
	int64_t		renewed_ns;	/* lease */
	int64_t		end_ns;		/* PACE_DRAINING: of the grace time; PACE_CLOSED: of lingering */
	uint8_t		stream;		/* current run, 0: none yet */
	uint64_t	start_request;	/* the one that began it */
	struct pace_msg_start run;
	struct pace_msg_finish finish;
	enum pace_capture_answer capture;	/* what came of asking for one for this run */
	struct pace_rx_captured *rx_captured;	/* NULL: it is not captured */
	int64_t		tap_ns;		/* since when we wait for the capture; 0: not yet */
	bool		leased;		/* we hold the lease */
	struct pace_receiver *receiver;	/* while we do, from the first stream on */
	struct pace_echo echo;
	struct pace_run_limiter limiter;
	struct pace_send_credit credit;
	struct pace_reporting report;
	uint64_t	reports;	/* answered */
	uint64_t	answers, answer_bytes;	/* sent, PING's apart */
	struct pace_traffic load;		/* of the batch: what carries the session's number */
	uint64_t	credited;	/* bytes of it that answers are paid with */
	uint64_t	weighed, weighed_bytes;	/* of all sent, what the run limiter knows of */
	uint32_t	drops;		/* newest count seen beside a frame */
	char		*host;		/* JSON text of this host; NULL: nothing is told */
	uint32_t	host_size;
	char		*result;	/* PACE_READY: JSON text */
	uint32_t	result_size;
	uint64_t	runs;
	int64_t		part_ns;	/* not 0: the responder ends, and is gone by then */
	int64_t		parting_ns;	/* since when that is so */
	int64_t		noticed_ns;	/* the client was told so last, 0: not yet */
	int64_t		cut_told_ns;	/* that its run is ended: the same */
	uint64_t	leftovers;	/* frames since then */
	/* for those who watch */
	bool		told;		/* of this client life, and not of its end */
	struct pace_session_stats seen;
	struct pace_shapes shapes;	/* of this run; gaps as they were posted last */
	int64_t		shapes_ns;	/* when that was; 0: not yet */
	struct pace_tally past;		/* of the runs before this one */
	uint64_t	pings, pings0;	/* answered; when the run began */
	size_t		room;		/* of one buffer */
	size_t		wanted;		/* of it, from the next batch on */
	struct pace_in	in[PACE_SESSION_BATCH];
	uint8_t		*buffers;
	uint8_t		reply[PACE_CONTROL_ROOM];
};

/* Answers; those to a request have its type, stream and number.  body is
 * released. */
void	pace_session_send(struct pace_session *s, int len);
void	pace_session_answer(struct pace_session *s, const struct pace_hdr *request,
	    json_t *body);
void	pace_session_refuse(struct pace_session *s, const struct pace_hdr *request,
	    const char *code, const char *text);

/* This host's wall clock now. */
int64_t	pace_session_wall(const struct pace_session *s);

/* Are frames of a stream expected? */
bool	pace_session_streaming(const struct pace_session *s);

/* How much there is to be fetched of the run that ended. */
uint64_t	pace_session_fetchable(const struct pace_session *s);

/* It does not go on: the lease and the memory of a run that has not ended are free. */
void	pace_session_let_go(struct pace_session *s);

/* The run's result is not wanted any more; nor is the lease, nor the device. */
void	pace_session_forget(struct pace_session *s);
void	pace_session_give_up(struct pace_session *s);

/* The run is ended: the client is told to stop, and FINISH will say why. */
void	pace_session_cut(struct pace_session *s);
void	pace_session_tell_cut(struct pace_session *s, int64_t now);
bool	pace_session_was_cut(const struct pace_session *s);

/* The capture (session_tap.c): the run that has begun is captured, if that is wanted and
 * can be; the grace time is over, and what was captured is there; it ends, rx gets what was
 * seen (NULL: nobody does).  Again: nothing happens. */
void	pace_session_capture(struct pace_session *s);
bool	pace_session_drained(struct pace_session *s, int64_t now);
void	pace_session_capture_end(struct pace_session *s, struct pace_rx_result *rx);

/* The end of the grace time. */
void	pace_session_result(struct pace_session *s);

/* REPORT (session_report.c): a run begins; a batch came; one was asked for. */
void	pace_session_report_begin(struct pace_session *s);
void	pace_session_report_add(struct pace_session *s, const struct pace_recent *batch);
void	pace_session_report(struct pace_session *s, const struct pace_hdr *h, const json_t *body,
	    int64_t now);

/* Tell those who watch (session_watch.c): after a batch, and what happened. */
void	pace_session_show(struct pace_session *s);
void	pace_session_post(struct pace_session *s);	/* the whole board */
void	pace_session_opened(struct pace_session *s);
void	pace_session_run_began(struct pace_session *s);
/* rx NULL: it was not finished, or is no stream.  Again: nothing happens. */
void	pace_session_run_ended(struct pace_session *s, const char *how,
	    const struct pace_rx_result *rx);
void	pace_session_over(struct pace_session *s, const char *how);
void	pace_session_gone(struct pace_session *s);
void	pace_session_refused(struct pace_session *s, const struct pace_msg_error *e);

/* Who comes and goes (session_open.c).  It begins: its OPEN, which was that request, is
 * answered; and what is nobody's is counted. */
void	pace_session_welcome(struct pace_session *s, uint64_t request);
void	pace_session_hello(struct pace_session *s, const struct pace_in *in, int64_t now);
void	pace_session_open(struct pace_session *s, const struct pace_hdr *h,
	    const struct pace_in *in, int64_t now);
void	pace_session_close(struct pace_session *s, const struct pace_hdr *h, int64_t now);
void	pace_session_stray(struct pace_session *s);
/* Must it end, for another client's sake? */
bool	pace_session_leaves(const struct pace_session *s);

/* Requests. */
void	pace_session_start(struct pace_session *s, const struct pace_hdr *h,
	    const json_t *body, int64_t now);
void	pace_session_finish(struct pace_session *s, const struct pace_hdr *h,
	    const json_t *body, int64_t now);
void	pace_session_fetch(struct pace_session *s, const struct pace_hdr *request,
	    const json_t *body);

#endif
