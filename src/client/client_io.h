/*
 * client_io.h - one request, one reply: functions that the parts of the client share.
 *
 * Purpose    private to client*.c: send, match and repeat requests.
 * Errors     -errno; functions with an err parameter also write the error text.
 */
#ifndef PACE_CLIENT_CLIENT_IO_H
#define PACE_CLIENT_CLIENT_IO_H

#include "client/client.h"
#include "core/coarse_hist.h"
#include "proto/report.h"

#define PACE_CONTROL_NS	INT64_C(10000000000)	/* deadline of most requests */

int64_t	pace_client_now(struct pace_client *c);
bool	pace_client_stopped(const struct pace_client *c);
/* True if stopped, or if the responder stops or ended the run: send no more, but fetch. */
bool	pace_client_ends(const struct pace_client *c);
/* Write the error text; returns -ESHUTDOWN. */
int	pace_client_dismissed(const struct pace_client *c, struct pace_err *err);

/* With a key: tag all messages for this session from now on. */
void	pace_client_seal(struct pace_client *c, uint64_t session);

/* Send a request with this number; 0 or -errno. */
int	pace_client_send(struct pace_client *c, uint8_t type, uint64_t request, json_t *body);

/* The same about a stream of the run. */
int	pace_client_send_stream(struct pace_client *c, uint8_t type, uint8_t stream,
	    uint64_t request, json_t *body);

/* Wait for a reply of this type with a number from first to first + n - 1.  Returns its number -
 * first; the reply is then in c->in.  -EAGAIN: none until until_ns; other -errno. */
int	pace_client_wait(struct pace_client *c, uint8_t type, uint64_t first, uint64_t n,
	    int64_t until_ns);

/* If only hints came since since_ns, for long enough, and no answer: return the -errno that they
 * mean; otherwise 0. */
int	pace_client_hinted(struct pace_client *c, int64_t since_ns);

/* True if rc is a failure that may pass: no answer, no buffer, port unreachable, filtered. */
bool	pace_client_may_pass(int rc);

/* Wait until until_ns; or_stop: a stop, or the responder's, ends the wait. */
void	pace_client_pause(struct pace_client *c, int64_t until_ns);
void	pace_client_pause_or_stop(struct pace_client *c, int64_t until_ns);

/* Repeat a request until it is answered or patience_ns is over; the caller keeps body. */
int	pace_client_request(struct pace_client *c, uint8_t type, json_t *body,
	    int64_t patience_ns);

/* Make a request like pace_client_request, with an error text; releases body.  The caller
 * releases *reply, which is NULL if there is no JSON reply; *e gets a refusal. */
int	pace_client_control(struct pace_client *c, uint8_t type, const char *step, json_t *body,
	    int64_t patience_ns, json_t **reply, struct pace_msg_error *e,
	    struct pace_err *err);

/* Turn a refusal into an error; returns it. */
int	pace_client_refusal(struct pace_client *c, const struct pace_msg_error *e, const char *step,
	    struct pace_err *err);

int	pace_client_tell(int rc, const char *step, int64_t patience_ns, struct pace_err *err);

/* Fetch size bytes of the run's result or of its records into to (client_fetch.c). */
int	pace_client_fetch(struct pace_client *c, enum pace_part part, uint8_t *to, uint32_t size,
	    struct pace_err *err);

/* Fetch the results of n streams, each of its size. */
struct pace_fetched {
	uint32_t	size;
	uint8_t		*to;
};
int	pace_client_fetch_streams(struct pace_client *c, const struct pace_fetched *v, uint32_t n,
	    struct pace_err *err);

/* --- several streams --- */

/* Open flows 1 .. n - 1 of the session, if they are not open (client_flows.c). */
int	pace_client_flows(struct pace_client *c, uint32_t n, struct pace_err *err);

/* Return the receive buffer that is requested for a flow of n at the responder. */
uint32_t	pace_client_flow_rcvbuf(const struct pace_client *c, uint32_t n);

/* A run of p->ask.streams streams (client_streams.c).  prepare: p's streams and their flows; run:
 * send them; collect: fetch their results; close: judge each, and the sum. */
int	pace_client_streams_prepare(struct pace_client *c, struct pace_point *p,
	    struct pace_err *err);
int	pace_client_streams_run(struct pace_client *c, const struct pace_sender *s,
	    struct pace_point *p);
int	pace_client_streams_collect(struct pace_client *c, struct pace_point *p,
	    struct pace_err *err);
void	pace_client_streams_close(struct pace_point *p, void (*judge)(struct pace_point *one));

/* Check the tag if there is a key; reads no more than that and ignores hints. */
bool	pace_client_genuine(struct pace_client *c, const struct pace_hdr *h, const uint8_t *buf,
	    size_t len);

/* Return the departure time for a request that is sent now. */
int64_t	pace_client_departure(struct pace_client *c);

/* Return the deadline for the answer to FINISH: less after a long silence (client.c). */
int64_t	pace_client_patience(struct pace_client *c);
/* Send FINISH with the frames sent and wait until the responder's result is ready (client.c). */
int	pace_client_finish(struct pace_client *c, const struct pace_point *p, int64_t patience_ns,
	    uint32_t *size, struct pace_err *err);

/* Write why a stream ended into *err (client.c). */
int	pace_client_tell_send(const struct pace_client *c, int rc, struct pace_err *err);

/* Begin a run; c->run gets its number (client.c). */
int	pace_client_start(struct pace_client *c, const struct pace_msg_start *asked,
	    struct pace_err *err);

/* --- a run whose frames the client receives (client_down.c) --- */

/* What a live run does beside. */
struct pace_client_down_live {
	struct pace_beside *beside;
	int64_t		ping_ns;	/* between two exchanges */
	struct pace_report *own;	/* receives the figures so far */
	struct pace_coarse_hist gap, delay;
};

/* Receive the run, with exchanges, up to the end of its grace time: 0; -ENOMEM; -ETIMEDOUT:
 * nothing more arrived.  live: NULL for a run that is no live one. */
int	pace_client_down_run(struct pace_client *c, const struct pace_msg_start *m,
	    struct pace_client_down_live *live);

/* Bring live->own up to date. */
void	pace_client_down_look(struct pace_client *c, struct pace_client_down_live *live);

/* Make the run's result; j is the responder's part of it. */
int	pace_client_down_result(struct pace_client *c, struct pace_point *p, const json_t *j);

/* --- exchanges (client_clock.c) --- */

/* From now on count exchanges in *clock: those sent before from_ns, during the run, and after
 * to_ns (INT64_MAX: the run is not over). */
void	pace_client_clock_begin(struct pace_client *c, struct pace_clock *clock);
void	pace_client_clock_end(struct pace_client *c);

/* Make n exchanges about interval_ns apart. */
void	pace_client_pings(struct pace_client *c, uint64_t n, int64_t interval_ns);

/* Wait briefly for replies under way, then fit the clock. */
void	pace_client_settle(struct pace_client *c);

#endif
