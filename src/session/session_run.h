/*
 * session_run.h - the runs of a session: from START to the last FETCH.
 *
 * Purpose    private to session*.c: the state both parts work on, and what
 *            they do for each other.
 */
#ifndef PACE_SESSION_RUN_H
#define PACE_SESSION_RUN_H

#include "session/echo.h"
#include "session/receiver.h"
#include "session/session.h"

#define PACE_SESSION_BATCH	32

enum pace_session_state { PACE_OPENED, PACE_RUNNING, PACE_DRAINING, PACE_READY, PACE_PINGING, PACE_CLOSED };

struct pace_session {
	struct pace_session_cfg cfg;
	uint64_t	id;
	enum pace_session_state state;
	int64_t		heard_ns;	/* last valid frame of the client */
	int64_t		data_ns;	/* last frame of the run */
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
	struct pace_msg_start run;
	struct pace_msg_finish finish;
	bool		leased;		/* we hold the lease */
	struct pace_receiver *receiver;	/* while we do, from the first stream on */
	struct pace_echo echo;
	uint32_t	drops;		/* newest count seen beside a frame */
	char		*host;		/* JSON text of this host; NULL: nothing is told */
	uint32_t	host_size;
	char		*result;	/* PACE_READY: JSON text */
	uint32_t	result_size;
	uint64_t	runs, frames;
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

/* Are frames of a stream expected? */
bool	pace_session_streaming(const struct pace_session *s);

/* The run's result is not wanted any more; nor is the lease, nor the device. */
void	pace_session_forget(struct pace_session *s);
void	pace_session_give_up(struct pace_session *s);

/* The end of the grace time. */
void	pace_session_result(struct pace_session *s);

/* Requests. */
void	pace_session_start(struct pace_session *s, const struct pace_hdr *h,
	    const json_t *body, int64_t now);
void	pace_session_finish(struct pace_session *s, const struct pace_hdr *h,
	    const json_t *body, int64_t now);
void	pace_session_fetch(struct pace_session *s, const struct pace_hdr *request,
	    const json_t *body);

#endif
