/*
 * wire.h - the header that starts every datagram of udpace protocol 1.
 *
 *   offset size field
 *        0    2 magic     0x7550 ("uP")
 *        2    1 version   1
 *        3    1 type      enum pace_type; 0x80 set: from the responder
 *        4    1 flags     1: sealed, a tag ends the datagram (udpace-protocol(7));
 *                         DATA and PING have none, other flags are not accepted
 *        5    1 run       its number within the session, modulo 256
 *        6    2 check     over these bytes and more, see below
 *        8    8 session   random, given by the responder; 0 before that
 *       16    1 stream    flow of the run, from 0; each has numbers of its own
 *       17    7 seq       DATA: frame number from 0; else request number
 *       24    8 tx_ns     departure, ns of the sender's probe clock
 *
 * A DATA frame of 36 bytes or more goes on with
 *       32    4 late      ns from when it was due to its departure, 2^32-1:
 *                         that long or longer
 * one of the responder, of 44 bytes or more, with
 *       36    8 proof     for the client's PINGs to return
 * a PING, always of 64 bytes or more, with
 *       32    2 reply     length of the wanted reply in bytes
 *       34    2 wanted    1: the kernel's stamp of the reply's departure; 0
 *       36    4 rate      the responder's clock's gain on the client's so far
 *                         known, in units of 2^-40, two's complement
 *       40   24           0
 *       64    8 proof     of 72 bytes or more: the newest one of the run that came; 0
 * and its reply with
 *       32    8 arrival   of the request, ns of the responder's probe clock
 *       40    8 departure of an earlier reply by the kernel's stamp
 *       48    8 wall      the responder's wall clock - its probe clock, ns
 *       56    4 back      how many numbers earlier that reply was; 0: none
 *       60    1 stamp     where arrival was taken, enum pace_stamp
 *       61    3           0
 *       64    8 proof     of 72 bytes or more: for a PING to return; 0: none is wanted
 *
 * Units      big-endian throughout, times two's complement.
 * Check      c = 1 + (sum over i of i * w[i]) mod 65521, where w[1] .. w[n] are
 *            the big-endian 16-bit words from offset 0 with check as 0;
 *            so c is never 0.  They cover the header of DATA, and late where there is
 *            one, and proof (n = 16, 18, 22); of a PING and its reply 64 or 72 bytes (n = 32, 36);
 *            of every other
 *            type all but the trailer of a sealed one, which the tag covers; an odd byte at
 *            the end is the upper one of its word.  65521 is prime: any single changed bit is
 *            found, and any exchange of two words unless they differ by just
 *            65521; a change of the type to one with more or fewer words
 *            covered is missed once in 65521.  The UDP checksum, which a
 *            middlebox may recompute, finds no exchange.
 * Data       the rest of a DATA frame is the session's payload pattern
 *            (payload.h); the rest of a PING or its reply means nothing;
 *            every other type carries a body, see msg.h.
 * Versions   magic, version, type, stream and seq keep their places in
 *            every version; HELLO keeps type 1.  So an unknown one can be answered.
 * Trust      decode believes nothing: length, then magic, version, check,
 *            flags.  The caller checks the tag, and whether the type exists.
 * Errors     -EMSGSIZE too short, -EPROTO not ours or damaged,
 *            -EPROTONOSUPPORT another version (type is still given, and seq
 *            with stream in its first byte, as an answer has to repeat them).
 */
#ifndef PACE_CORE_WIRE_H
#define PACE_CORE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACE_WIRE_MAGIC		0x7550
#define PACE_WIRE_VERSION	1
#define PACE_HDR_SIZE		32
#define PACE_DATA_SIZE		36	/* with late: where the payload begins */
#define PACE_DOWN_SIZE		44	/* the same with proof */
#define PACE_PING_SIZE		64	/* smallest PING, smallest reply */
#define PACE_PROOF_SIZE		72	/* one with proof */
#define PACE_FRAME_MAX		65507	/* largest UDP payload over IPv4 */
#define PACE_MSG_MAX		8192	/* body of a control message, bytes */
#define PACE_SEAL_SIZE		32	/* trailer of a sealed one */
#define PACE_CONTROL_ROOM	(PACE_HDR_SIZE + PACE_MSG_MAX + PACE_SEAL_SIZE)

enum pace_type {
	PACE_HELLO = 1,		/* may I?                     -> COOKIE */
	PACE_OPEN = 2,		/* here is the cookie         -> session */
	PACE_START = 3,		/* a run with these figures   -> ready, or busy */
	PACE_DATA = 4,		/* a frame of the run         no reply */
	PACE_FINISH = 5,	/* so many were sent          -> result ready? */
	PACE_FETCH = 6,		/* bytes of the result        -> chunk */
	PACE_CLOSE = 7,		/* good-bye                   -> good-bye */
	PACE_PING = 8,		/* what time is it?           -> times */
	PACE_REPORT = 9,	/* what came so far?          -> tallies */
	PACE_REPLY = 0x80,
	PACE_FRAME_DOWN = PACE_DATA | PACE_REPLY	/* a frame of the responder */
};

struct pace_hdr {
	uint8_t		type;		/* with PACE_REPLY where it is one */
	uint8_t		run;		/* its number within the session */
	bool		sealed;		/* control messages: a tag ends it */
	uint64_t	session;
	uint64_t	seq;		/* up to PACE_SEQ_MAX */
	int64_t		tx_ns;
	uint32_t	late_ns;	/* DATA; PACE_LATE_UNKNOWN where it is not carried */
	uint8_t		stream;		/* of its run */
	uint64_t	proof;		/* PACE_FRAME_DOWN; 0: not carried */
};
#define PACE_LATE_UNKNOWN	UINT32_MAX
#define PACE_SEQ_MAX		((UINT64_C(1) << 56) - 1)

/* Contents of a PING and of its reply; each leaves the other's members 0. */
struct pace_ping {
	uint16_t	reply_bytes;
	bool		stamp_reply;	/* report its departure later */
	int32_t		rate_2p40;
	uint64_t	proof;		/* in both; 0: none, or not carried */

	int64_t		arrival_ns, departure_ns, wall_ns;
	uint32_t	back;
	uint8_t		stamp;
};

/*
 * Write the header of a frame of size bytes, late with it where it belongs:
 * PACE_HDR_SIZE or PACE_DATA_SIZE.  -ENOBUFS when size is too small, or too large for a
 * control message, and nothing is written.  The body of a control message is there
 * already, up to size, its trailer is not.  Not for PING.
 */
int	pace_hdr_encode(uint8_t *buf, size_t size, const struct pace_hdr *h);

/* Header and body of a PING, or of its reply (h->type): PACE_PING_SIZE, or
 * -ENOBUFS. */
int	pace_ping_encode(uint8_t *buf, size_t size, const struct pace_hdr *h,
	    const struct pace_ping *p);

/* Read the header of a datagram of len bytes; *h is untouched on failure,
 * except h->type and h->seq for -EPROTONOSUPPORT. */
int	pace_hdr_decode(struct pace_hdr *h, const uint8_t *buf, size_t len);

/* The body behind a header that decode took as PING or its reply, of a datagram of len
 * bytes. */
void	pace_ping_decode(struct pace_ping *p, const uint8_t *buf, size_t len);

/* A rate as PING carries it (held within +-1819 ppm), and back. */
int32_t	pace_ping_rate(double rate);
double	pace_rate_of_ping(int32_t rate_2p40);

#endif
