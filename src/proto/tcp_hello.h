/*
 * tcp_hello.h - the first bytes of a TCP connection, which prove that it belongs to a run.
 *
 * Layout     offset  size  field
 *               0     4    "udpT"
 *               4     1    1, the version
 *               5     1    number of the run
 *               6     1    direction: 0 up, 1 down
 *               7     1    number of the stream
 *               8     8    number of the session, big-endian
 *              16    32    proof
 *            The responder answers with one byte, 1, when it has accepted the connection; it
 *            closes one that it does not accept.
 * Proof      BLAKE2b-256 of the bytes before it, keyed with the run's secret.  The responder
 *            draws the secret for each run, the reply to START has it; in a session with a key,
 *            the proof's key is BLAKE2b-256 of the secret, keyed with that of the session: an
 *            observer that reads the reply cannot connect.
 * Trust      pace_tcp_hello_read checks form alone, pace_tcp_hello_proves the proof.
 * Threads    any.   Memory  none.   Source  RFC 7693.
 */
#ifndef PACE_PROTO_TCP_HELLO_H
#define PACE_PROTO_TCP_HELLO_H

#include "core/tcp.h"
#include "proto/seal.h"

struct pace_tcp_hello {
	uint64_t	session;
	uint8_t		run, stream;
	bool		down;
};

/* Make the key of the proofs from the secret in the reply to START. */
void	pace_tcp_hello_key(const struct pace_seal *seal, uint8_t secret[PACE_TCP_SECRET]);

void	pace_tcp_hello_put(uint8_t to[PACE_TCP_HELLO], const struct pace_tcp_hello *h,
	    const uint8_t key[PACE_TCP_SECRET]);

/* False: not such a hello. */
bool	pace_tcp_hello_read(struct pace_tcp_hello *h, const uint8_t from[PACE_TCP_HELLO]);

/* True if the key's owner made it; in constant time. */
bool	pace_tcp_hello_proves(const uint8_t from[PACE_TCP_HELLO],
	    const uint8_t key[PACE_TCP_SECRET]);

#endif
