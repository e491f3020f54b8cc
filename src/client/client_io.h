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
#include "stream/merged.h"

#define PACE_CONTROL_NS	INT64_C(10000000000)	/* deadline of most requests */

int64_t	pace_client_now(struct pace_client *c);

/* Write to a result of ours how its frames were handed to the kernel. */
void	pace_client_describe_tx(const struct pace_client *c, struct pace_tx *t);
bool	pace_client_stopped(const struct pace_client *c);
/* True if stopped, or if the responder stops or ended the run: send no more, but fetch. */
bool	pace_client_ends(const struct pace_client *c);
/* Write the error text; returns -ESHUTDOWN. */
int	pace_client_dismissed(const struct pace_client *c, struct pace_err *err);

/* With a key: tag all messages for this session from now on. */
void	pace_client_seal(struct pace_client *c, uint64_t session);

/* Send a request with this number; 0 or -errno. */
int	pace_client_send(struct pace_client *c, uint8_t type, uint64_t request, json_t *body);

/* Send such a request about one stream of the run. */
int	pace_client_send_stream(struct pace_client *c, uint8_t type, uint8_t stream,
	    uint64_t request, json_t *body);

/* Request a report about a stream with the next number.  seen: number of the newest one that was
 * received. */
int	pace_client_ask_report(struct pace_client *c, uint32_t stream, uint64_t seen, uint32_t want);

/* Match one datagram with a request: a reply of this type with a number from first to first + n -
 * 1.  Returns its number - first; -EAGAIN: it is another datagram, perhaps the pinger's, and was
 * taken; -EPROTONOSUPPORT: the responder speaks another version. */
int	pace_client_match(struct pace_client *c, uint8_t type, uint64_t first, uint64_t n,
	    const struct pace_in *in);

/* Begin to open a session: number the requests, choose a nonce.  Then complete the opening with the
 * reply to OPEN: 0 or -EPROTO. */
void	pace_client_opening(struct pace_client *c);
int	pace_client_opened(struct pace_client *c, const json_t *reply, uint32_t *host_bytes);

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

/* Fetch size bytes of the result or of the records of a stream into to (client_fetch.c). */
int	pace_client_fetch(struct pace_client *c, enum pace_part part, uint32_t stream, uint8_t *to,
	    uint32_t size, struct pace_err *err);

/* Fetch a part of size bytes; *j NULL: it is not JSON (client.c). */
int	pace_client_fetch_json(struct pace_client *c, enum pace_part part, uint32_t size, json_t **j,
	    struct pace_err *err);

/* Fetch the results of n streams, each of its size. */
struct pace_fetched {
	uint32_t	size;
	uint8_t		*to;
};
int	pace_client_fetch_streams(struct pace_client *c, const struct pace_fetched *v, uint32_t n,
	    struct pace_err *err);

/* Open a session with a STAMP reflector (client_stamp.c). */
int	pace_client_stamp_open(struct pace_client *c, struct pace_err *err);

/* Measure the other clock beside the round trips of a series, and with it the one-way delays of the
 * exchanges that were kept; of STAMP also find out what the replies say, of which judge adds notes. */
struct pace_client_delays;
struct pace_client_delays	*pace_client_delays_new(void);	/* release with free */
void	pace_client_delays_keep(struct pace_client_delays *d, const struct pace_exchange *x);
void	pace_client_delays_begin(struct pace_client *c, struct pace_latency *p);
void	pace_client_delays_end(struct pace_client *c, struct pace_latency *p,
	    const struct pace_client_delays *d);
void	pace_client_stamp_judge(struct pace_latency *p);

/* --- several streams --- */

/* Open flows 1 .. n - 1 of the session, if they are not open (client_flows.c). */
int	pace_client_flows(struct pace_client *c, uint32_t n, struct pace_err *err);

/* Return the receive buffer that is requested for a flow of n at the responder. */
uint32_t	pace_client_flow_rcvbuf(const struct pace_client *c, uint32_t n);

/* Return the socket of a stream. */
struct pace_io	*pace_client_flow_io(struct pace_client *c, uint32_t stream);

/* A run of p->ask.streams streams (client_streams.c).  prepare: p's streams and their flows; run:
 * send them; collect: finish them and fetch their results; close: judge each, and the sum. */
int	pace_client_streams_prepare(struct pace_client *c, struct pace_point *p,
	    struct pace_err *err);
int	pace_client_streams_run(struct pace_client *c, const struct pace_sender *s,
	    struct pace_point *p);
int	pace_client_streams_collect(struct pace_client *c, struct pace_point *p,
	    struct pace_err *err);
/* Only wait until the results of all streams are ready. */
int	pace_client_streams_finish(struct pace_client *c, const struct pace_point *p,
	    int64_t patience_ns, struct pace_err *err);
void	pace_client_streams_close(struct pace_point *p, void (*judge)(struct pace_point *one));

/* Check the tag if there is a key; reads no more than that and ignores hints. */
bool	pace_client_genuine(struct pace_client *c, const struct pace_hdr *h, const uint8_t *buf,
	    size_t len);

/* Return the departure time for a request that is sent now. */
int64_t	pace_client_departure(struct pace_client *c);

/* Return the deadline for the answer to FINISH: less after a long silence (client.c). */
int64_t	pace_client_patience(struct pace_client *c);
/* A point without a responder (client_send.c). */
int	pace_client_send_point(struct pace_client *c, struct pace_point *p, struct pace_err *err);

/* Send FINISH with the frames sent and wait until the responder's result is ready (client.c). */
int	pace_client_finish(struct pace_client *c, const struct pace_point *p, int64_t patience_ns,
	    uint32_t *size, struct pace_err *err);

/* Complete p->intervals of a stream with the responder's part in j (client.c). */
int	pace_client_intervals(const struct pace_client *c, uint32_t stream, struct pace_point *p,
	    const json_t *j);

/* Write why a stream ended into *err (client.c). */
int	pace_client_tell_send(const struct pace_client *c, int rc, struct pace_err *err);

/* Begin a run; c->run gets its number (client.c). */
int	pace_client_start(struct pace_client *c, const struct pace_msg_start *asked,
	    struct pace_err *err);

/* --- a run whose frames the client receives, and perhaps sends as well (client_down.c) --- */

/* Additional work of a live run, done between frames. */
struct client_down;
struct pace_client_down_live {
	struct pace_beside *beside;
	bool		both;		/* the client sends as well */
	bool		counts_only;	/* figures are needed for reports only */
	int64_t		ping_ns;	/* between two exchanges */
	uint32_t	streams;	/* whose counts are summed, or wanted for each */
	struct client_down *run;	/* NULL: it is over */
	struct pace_report *own;	/* receives the figures so far */
	struct pace_coarse_hist gap, delay;
};

#define PACE_REPORTS_ASKED	64	/* newest requests that are remembered */

/* Reports during a run, of a live one or of a point (client_live.c). */
struct pace_client_watch {
	struct pace_client *c;
	const struct pace_watching *w;
	struct pace_beside beside;
	struct pace_client_down_live down;	/* if the responder sends; else own is NULL */
	uint64_t	newest;		/* number of this run's newest report that came */
	uint64_t	seen;		/* number of the newest report that was kept */
	int64_t		next_ns;	/* when the next report is due */
	int64_t		refused_ns;	/* since when only refusals came; 0: not so */
	/* of several streams: */
	uint32_t	streams;	/* whose slices are requested; 0: none are */
	uint32_t	turn;		/* of the next request, see struct pace_watching */
	uint16_t	asked[PACE_REPORTS_ASKED];	/* turns, by number of the request */
};

/* init: before the run is started; begin: the stream begins, with it the first interval of the
 * reports; end: it ended. */
void	pace_client_watch_init(struct pace_client_watch *w, struct pace_client *c,
	    const struct pace_watching *watching, const struct pace_params *a);
void	pace_client_watch_begin(struct pace_client_watch *w, int64_t begin_ns);
void	pace_client_watch_end(struct pace_client_watch *w);

/* Streams that one thread of the client sends (client_up.c): all, or one of several threads its
 * share; in a two-way run between the frames that it receives.  prepare: in the thread
 * that sends them; begin: the first frame of all streams is due at t0; step: send a frame, or a
 * train, if one is due before another look at the sockets; end: the streams are over, their results
 * complete; due: of the next frame, INT64_MAX: none. */
#define PACE_CLIENT_UP_EARLY_NS	INT64_C(300000)	/* wait for a frame this long before its time */
struct pace_client_up {
	struct pace_client *c;
	struct pace_sender sender;	/* of all streams */
	struct pace_point *p;		/* gets the results */
	struct pace_merged sends;	/* first and step are the caller's; step 0: of all streams */
	bool		prepared, begun, over;	/* over: all frames have left, or the run is stopped */
	int		rc;		/* 0, or why it is over: as pace_sending_step */
};
void	pace_client_up_prepare(struct pace_client_up *u);
void	pace_client_up_begin(struct pace_client_up *u, int64_t t0_ns);
void	pace_client_up_step(struct pace_client_up *u, int64_t now);
void	pace_client_up_end(struct pace_client_up *u, int rc);
int64_t	pace_client_up_due(const struct pace_client_up *u);
const struct pace_tx	*pace_client_up_tx(const struct pace_client_up *u, uint32_t stream);

/* Receive the run, with exchanges, up to the end of its grace time: 0; -ENOMEM; -ETIMEDOUT:
 * nothing more arrived; as pace_sender_run.  up: NULL for a run that is no two-way one; live: NULL
 * for a run that is no live one. */
int	pace_client_down_run(struct pace_client *c, const struct pace_msg_start *m,
	    struct pace_client_up *up, struct pace_client_down_live *live);

/* Bring live->own up to date. */
void	pace_client_down_look(struct pace_client *c, struct pace_client_down_live *live);
/* Get the figures of PACE_SLICES streams, after such a look. */
void	pace_client_down_slices(struct pace_client *c, const struct pace_client_down_live *live,
	    uint32_t first, struct pace_slice *v);

/* Make the result of a stream of the run; j is the responder's part of it
 * (client_down_result.c). */
int	pace_client_down_result(struct pace_client *c, uint32_t stream, struct pace_point *p,
	    const json_t *j);
/* End captures whose result nobody took (client_down_capture.c). */
void	pace_client_down_captures_drop(struct pace_client *c);

/* --- exchanges (client_clock.c) --- */

/* From now on count exchanges in *clock: those sent before from_ns, during the run, and after
 * to_ns (INT64_MAX: the run is not over). */
void	pace_client_clock_begin(struct pace_client *c, struct pace_clock *clock);
void	pace_client_clock_end(struct pace_client *c);
/* Count a finished exchange; also pinger.done while counting. */
void	pace_client_clock_take(struct pace_client *c, const struct pace_exchange *x);

/* Make n exchanges about interval_ns apart. */
void	pace_client_pings(struct pace_client *c, uint64_t n, int64_t interval_ns);

/* Wait briefly for replies under way, then fit the clock. */
void	pace_client_settle(struct pace_client *c);

#endif
