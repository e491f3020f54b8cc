/*
 * seal.h - the tag of a control message, and the window that rejects replayed ones.
 *
 * Trailer    after header, body and padding of a datagram with flag 1
 *               offset from the end  size  field
 *                    32                8   id     fingerprint of the key
 *                    24                8   nonce  the client's, big-endian
 *                    16               16   tag
 * Tag        BLAKE2b-128 over every byte before it, keyed with the session's
 *            key: header (type and so direction, stream, session number,
 *            request number, time), body, padding, id and nonce.
 * Session key  BLAKE2b-256 of "udpace 1 session", the client's nonce and the session's
 *            number (8 bytes each, big-endian), keyed with the secret.  The session's
 *            number is the responder's nonce: random for each session, 0 before a session
 *            is open.
 * Check      first length and flag, then id and nonce, then the tag in constant time; only
 *            after that may the body be read.
 * Replay     a client gives each tagged message, including repeats, a later tx_ns than the
 *            message before.  The 64 latest accepted times are kept.  A message is rejected
 *            if its time is among them or older than all of them, or if its number is below
 *            that of the last accepted message other than FETCH and REPORT.
 * Memory     fixed; pace_seal_wipe wipes its keys.
 * Threads    none of its own.
 * Source     RFC 7693; the window as in RFC 6479, with times instead of numbers.
 */
#ifndef PACE_PROTO_SEAL_H
#define PACE_PROTO_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/wire.h"
#include "proto/keys.h"

#define PACE_TAG_SIZE		16
#define PACE_REPLAY_WINDOW	64

struct pace_seal {
	bool	on;			/* false: the session's messages have no tag */
	uint8_t	id[PACE_KEY_ID_SIZE];
	uint64_t nonce, session;
	uint8_t	key[PACE_KEY_SIZE];
};

void	pace_seal_derive(struct pace_seal *s, const struct pace_key *k, uint64_t nonce,
	    uint64_t session);
void	pace_seal_wipe(struct pace_seal *s);

/*
 * Append the trailer to len bytes, whose header has the flag; returns the new length, or
 * -ENOBUFS.  If the seal is off, or len is an error, it returns len.
 */
int	pace_seal_put(const struct pace_seal *s, uint8_t *buf, size_t size, int len);

/* True if the tag is valid for this session.  The header has been decoded and has the flag; the
 * seal is on. */
bool	pace_seal_check(const struct pace_seal *s, const uint8_t *buf, size_t len);

/* Read the trailer without any check; false: too short. */
bool	pace_seal_peek(const uint8_t *buf, size_t len, uint8_t id[PACE_KEY_ID_SIZE],
	    uint64_t *nonce);

/* The tagged requests accepted so far. */
struct pace_replay {
	int64_t	seen[PACE_REPLAY_WINDOW];
	uint64_t number;		/* of the last request except FETCH and REPORT */
};

/* Begin with one accepted request, the OPEN. */
void	pace_replay_begin(struct pace_replay *r, uint64_t number, int64_t tx_ns);

/* If a request with a valid tag is new, remember it and return true. */
bool	pace_replay_new(struct pace_replay *r, const struct pace_hdr *h);

/* The nonces of opened sessions, enough for the lifetime of a cookie. */
#define PACE_NONCES	4096
struct pace_nonces {
	uint64_t v[PACE_NONCES];	/* 0: empty; no nonce is 0 */
	unsigned next;
};

bool	pace_nonce_used(const struct pace_nonces *n, uint64_t nonce);
void	pace_nonce_use(struct pace_nonces *n, uint64_t nonce);

#endif
