/*
 * stamp_session.h - the Session-Sender of STAMP: its requests, and what a reply says.
 *
 * Purpose    the pinger's exchanges with a STAMP or TWAMP-Light reflector instead of a responder:
 *            the pinger calls request to write one, and reply to read one.
 * Numbers    requests have the numbers 0, 2, 3, 4 ... of RFC 8762, modulo 2^32; number 1 is
 *            omitted, see doc/stamp_result.h.
 * Restarts   if the reflector's counter begins anew, the losses of both counters are added; those
 *            between them have no direction.
 * TLVs       as far as the size allows: Follow-Up Telemetry, Class of Service, Timestamp
 *            Information; in the authenticated mode the HMAC over them; then Extra Padding.
 * Times      T2 and T3 become the reflector's wall clock - wall_ns, so that they are near our
 *            probe clock if both wall clocks agree.
 * Trust      replies come off the network.  A reply is one if its request's number and T1 come
 *            back, and in the authenticated mode if its HMAC is right; the caller compares T1.
 *            In result, only accepted replies count; unverified are those that match a request
 *            but have a wrong HMAC.  What matches no request is in no count of the session.
 * Memory     fixed.   Threads  one.
 * Source     RFC 8762 section 4.2 and 4.3; RFC 8972 section 3 and 4.
 */
#ifndef PACE_STREAM_STAMP_SESSION_H
#define PACE_STREAM_STAMP_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/io.h"
#include "core/stamp.h"
#include "doc/stamp_result.h"
#include "proto/stamp_keys.h"

#define PACE_STAMP_REPLY_MIN	36	/* octets of an open reply up to T1 */
#define PACE_STAMP_NUMBERS	256	/* of replies that are remembered */

struct pace_stamp_session {
	/* set by the caller */
	const struct pace_stamp_key *key;	/* NULL: the open mode */
	bool		light;		/* TWAMP-Light: no SSID, no TLVs, zeros as padding */
	uint8_t		dscp, ttl;	/* of what is sent */
	struct pace_clock_state clock;	/* of our wall clock, for the error estimate */
	/* found, since pace_stamp_session_series */
	struct pace_stamp_result result;
	uint64_t	octets;		/* of the replies of this series */
	/* private */
	uint16_t	ssid;
	uint64_t	base;		/* the pinger's number of the first request */
	int64_t		wall_ns;	/* our wall clock - probe clock when the session began */
	int64_t		grain_ns;	/* all times so far are multiples of it; 1: not so */
	uint64_t	grains;		/* times that show it */
	bool		own;		/* a reply had another number than its request */
	uint64_t	first;		/* the pinger's number of this series' first request */
	struct pace_stamp_segment {	/* of this series, while the reflector's counter goes on */
		uint64_t first, last;	/* answered requests: lowest, highest */
		uint64_t replies;
		int64_t	low, high;	/* the reflector's numbers, relative to zero */
		uint32_t zero;
		uint64_t distinct;	/* numbers that came */
	} seen;
	struct { uint64_t n, there, back; } past;	/* segments before; losses in them */
	struct { uint64_t number; uint32_t seq; bool used; } theirs[PACE_STAMP_NUMBERS];
};

/* A reply that has come. */
struct pace_stamp_answer {
	uint64_t	number;		/* of the request, as the pinger numbers it */
	uint64_t	t1, t2, t3;	/* as on the wire */
	int64_t		t2_ns, t3_ns;
	bool		timed;		/* both were filled in */
	uint32_t	seq, asked_seq;	/* the reflector's; the request's, which came back */
	bool		stamped;	/* the reflector states that T2 is not a time of its
					 * control plane */
	bool		follows;	/* the departure of an earlier reply came with it: */
	uint64_t	follow_number;	/* of its request */
	int64_t		follow_ns;
	/* for result */
	uint16_t	error;
	uint8_t		ttl, mark;
	bool		has_ttl, has_mark;
	uint8_t		in_ttl;
	uint32_t	len, asked;
	bool		has_cos, has_time_info;
	struct pace_stamp_cos cos;
	struct pace_stamp_time_info time_info;
	uint8_t		flags;		/* of all TLVs together */
};

/* Begin a session, whose first request has this number. */
void	pace_stamp_session_begin(struct pace_stamp_session *s, uint64_t first, int64_t wall_ns);

/* Begin a series with this number: result is empty. */
void	pace_stamp_session_series(struct pace_stamp_session *s, uint64_t first);

/* Complete result; the series may go on.  lost: requests of the series without any reply. */
void	pace_stamp_session_end(struct pace_stamp_session *s, uint64_t lost);

/* Return how many requests of the series before the newest one with a reply have none so far. */
uint64_t	pace_stamp_session_missing(const struct pace_stamp_session *s);

/* The smallest request with all TLVs. */
uint32_t	pace_stamp_session_size(const struct pace_stamp_session *s);

/* Can a request have this size?  There is no padding of 1 to 3 octets. */
bool	pace_stamp_size_fits(uint32_t size, bool light, bool authenticated);

/* Write a request; *t1 is T1 on the wire.  0; -EMSGSIZE. */
int	pace_stamp_session_request(const struct pace_stamp_session *s, uint8_t *buf, uint32_t size,
	    uint64_t number, int64_t now_ns, uint64_t *t1);

/* Find the request of a datagram; next: the number of the next request.  False: it is no reply to
 * this session.  The caller then compares t1 with that of the request, and only then calls read. */
bool	pace_stamp_session_match(const struct pace_stamp_session *s, const struct pace_in *in,
	    uint64_t next, struct pace_stamp_answer *a);

/* Read the rest of a matched reply.  False: its HMAC is wrong; it is counted in result.unverified.
 * The caller then sets a->asked, and calls grain, and take or again. */
bool	pace_stamp_session_read(struct pace_stamp_session *s, const struct pace_in *in,
	    struct pace_stamp_answer *a);

/* Take account of the times of a reply whose t1 was compared; returns the power of ten that they
 * are all multiples of, at most 1 s, or 1: nothing coarser than 1 µs. */
int64_t	pace_stamp_session_grain(struct pace_stamp_session *s, const struct pace_stamp_answer *a);

/* Count the first reply to a request; usable: its times are plausible. */
void	pace_stamp_session_take(struct pace_stamp_session *s, const struct pace_stamp_answer *a,
	    bool usable);

/* Count a further reply to a request, whose first one had the reflector's number first_seq. */
void	pace_stamp_session_again(struct pace_stamp_session *s, const struct pace_stamp_answer *a,
	    uint32_t first_seq);

#endif
