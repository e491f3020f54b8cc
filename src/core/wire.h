/*
 * wire.h - the header that starts every datagram of udpace protocol 1.
 *
 *   offset size field
 *        0    2 magic     0x7550 ("uP")
 *        2    1 version   1
 *        3    1 type      enum pace_type; 0x80 set: the responder's reply
 *        4    1 flags     0 in version 1: others are not accepted
 *        5    1 stream    number of the run within its session
 *        6    2 check     over the other 30 bytes, see below
 *        8    8 session   random, given by the responder; 0 before that
 *       16    8 seq       DATA: frame number from 0; else request number
 *       24    8 tx_ns     departure, ns of the sender's probe clock
 *
 * Units      big-endian throughout, tx_ns two's complement.
 * Check      c = 1 + (sum over i = 1 .. 16 of i * w[i]) mod 65521, where
 *            w[i] are the header's big-endian 16-bit words with check as 0;
 *            so c is never 0.  65521 is prime: any single changed bit is
 *            found, and any exchange of two words unless they differ by just
 *            65521.  The UDP checksum, which a middlebox may recompute,
 *            finds no exchange.
 * Data       what follows a DATA header is the session's payload pattern
 *            (payload.h); every other type carries a body, see msg.h.
 * Versions   magic, version, type and seq keep their places in every
 *            version; HELLO keeps type 1.  So an unknown one can be answered.
 * Trust      decode believes nothing: length, then magic, version, check,
 *            flags.  What a type means, and whether there is one, is the
 *            caller's business.
 * Errors     -EMSGSIZE too short, -EPROTO not ours or damaged,
 *            -EPROTONOSUPPORT another version (type is still given).
 */
#ifndef PACE_WIRE_H
#define PACE_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define PACE_WIRE_MAGIC		0x7550
#define PACE_WIRE_VERSION	1
#define PACE_HDR_SIZE		32
#define PACE_FRAME_MAX		65507	/* largest UDP payload over IPv4 */

enum pace_type {
	PACE_HELLO = 1,		/* may I?                     -> COOKIE */
	PACE_OPEN = 2,		/* here is the cookie         -> session */
	PACE_START = 3,		/* a run with these figures   -> ready, or busy */
	PACE_DATA = 4,		/* a frame of the run         no reply */
	PACE_FINISH = 5,	/* so many were sent          -> result ready? */
	PACE_FETCH = 6,		/* bytes of the result        -> chunk */
	PACE_CLOSE = 7,		/* good-bye                   -> good-bye */
	PACE_KEEP = 8,		/* I am still here            no reply */
	PACE_REPLY = 0x80
};

struct pace_hdr {
	uint8_t		type;		/* with PACE_REPLY where it is one */
	uint8_t		stream;
	uint64_t	session;
	uint64_t	seq;
	int64_t		tx_ns;
};

/* Write PACE_HDR_SIZE bytes and return that.  -ENOBUFS when size is smaller,
 * and nothing is written. */
int	pace_hdr_encode(uint8_t *buf, size_t size, const struct pace_hdr *h);

/* Read the header of a datagram of len bytes; *h is untouched on failure,
 * except h->type for -EPROTONOSUPPORT. */
int	pace_hdr_decode(struct pace_hdr *h, const uint8_t *buf, size_t len);

#endif
