/*
 * client_io.h - one request, one reply: what the parts of the client share.
 *
 * Purpose    private to client*.c: sending, matching and repeating requests.
 * Errors     -errno; those with an err have told it.
 */
#ifndef PACE_CLIENT_CLIENT_IO_H
#define PACE_CLIENT_CLIENT_IO_H

#include "client/client.h"

#define PACE_CONTROL_NS	INT64_C(10000000000)	/* patience with most requests */

int64_t	pace_client_now(struct pace_client *c);
bool	pace_client_stopped(const struct pace_client *c);
/* The same, or the responder ends: nothing more is sent, but fetched. */
bool	pace_client_ends(const struct pace_client *c);
int	pace_client_dismissed(const struct pace_client *c, struct pace_err *err);	/* -ESHUTDOWN */

/* Tag for this session from now on, where there is a key. */
void	pace_client_seal(struct pace_client *c, uint64_t session);

/* Send a request with this number: 0 or -errno. */
int	pace_client_send(struct pace_client *c, uint8_t type, uint64_t request, json_t *body);

/* Wait for a reply of that type with a number from first on, below first + n:
 * its number - first, and it lies in c->in; -EAGAIN: not by then; other
 * -errno. */
int	pace_client_wait(struct pace_client *c, uint8_t type, uint64_t first, uint64_t n,
	    int64_t until_ns);

/* Is there nothing but hints, for long enough?  -errno of what they mean, else 0.  Nothing
 * was answered since since_ns. */
int	pace_client_hinted(struct pace_client *c, int64_t since_ns);

/* No answer, no room, nobody there yet: try again? */
bool	pace_client_may_pass(int rc);

/* Let time pass; the second ends with a stop, or the responder. */
void	pace_client_pause(struct pace_client *c, int64_t until_ns);
void	pace_client_pause_or_stop(struct pace_client *c, int64_t until_ns);

/* Ask until answered or patience_ns is over; body stays the caller's. */
int	pace_client_request(struct pace_client *c, uint8_t type, json_t *body,
	    int64_t patience_ns);

/* The same with words; body is released.  *reply is the caller's, NULL when
 * there is none; a refusal stays in *e. */
int	pace_client_control(struct pace_client *c, uint8_t type, const char *step, json_t *body,
	    int64_t patience_ns, json_t **reply, struct pace_msg_error *e,
	    struct pace_err *err);

int	pace_client_tell(int rc, const char *step, int64_t patience_ns, struct pace_err *err);

/* size bytes of the run's result, or of its records, into to (client_fetch.c). */
int	pace_client_fetch(struct pace_client *c, enum pace_part part, uint8_t *to, uint32_t size,
	    struct pace_err *err);

/* May this reply be taken, that is, is its tag right where there is a key?  *body_len: up
 * to its trailer. */
bool	pace_client_may_take(struct pace_client *c, const struct pace_hdr *h, const uint8_t *buf,
	    size_t len, size_t *body_len);

/* The tag alone, where there is a key: nothing is read, and no hint taken. */
bool	pace_client_genuine(struct pace_client *c, const struct pace_hdr *h, const uint8_t *buf,
	    size_t len);

/* Departure of a request that is sent now. */
int64_t	pace_client_departure(struct pace_client *c);

/* Tell what was sent, wait until the responder is ready (client.c). */
int	pace_client_finish(struct pace_client *c, const struct pace_point *p, uint32_t *size,
	    struct pace_err *err);

/* Why a stream ended (client.c). */
int	pace_client_tell_send(const struct pace_client *c, int rc, struct pace_err *err);

/* Begin a run: its number in c->stream (client.c). */
int	pace_client_start(struct pace_client *c, const struct pace_msg_start *asked,
	    struct pace_err *err);

/* The answer to START of a run that may be captured; what is noted of that when the point's
 * ledger is closed (client_tap.c). */
int	pace_client_started(struct pace_client *c, const struct pace_msg_start *m,
	    const json_t *reply, struct pace_err *err);
void	pace_client_note_capture(const struct pace_client *c, struct pace_point *p);

/* --- exchanges (client_clock.c) --- */

/* Count exchanges in *clock from now on: those sent before from_ns, during, after
 * to_ns (INT64_MAX: not over yet) of it. */
void	pace_client_clock_begin(struct pace_client *c, struct pace_clock *clock);
void	pace_client_clock_end(struct pace_client *c);

/* n exchanges about interval_ns apart. */
void	pace_client_pings(struct pace_client *c, uint64_t n, int64_t interval_ns);

/* Wait a little for replies that are under way, then fit. */
void	pace_client_settle(struct pace_client *c);

#endif
