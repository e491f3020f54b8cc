/*
 * seal.h - the tag of a control message, and what has been seen of them.
 *
 * Trailer    behind header, body and padding of a datagram whose flag 1 is set
 *               offset from the end  size  field
 *                    32                8   id     fingerprint of the key
 *                    24                8   nonce  the client's, big-endian
 *                    16               16   tag
 * Tag        BLAKE2b-128 over every byte before it, keyed with the session's
 *            key: header (type and so direction, stream, session number,
 *            request number, time), body, padding, id and nonce.
 * Session key  BLAKE2b-256 of "udpace 1 session", the client's nonce and the
 *            session's number (8 bytes each, big-endian), keyed with the
 *            secret.  The session's number is the responder's nonce: drawn
 *            for each session, 0 before there is one.
 * Check      length and flag first, then id and nonce, then the tag in
 *            constant time; only then may anything look at the body.
 * Replay     a client gives each tagged message a later tx_ns than the one
 *            before, also where it repeats a request.  The 64 latest that were
 *            taken are kept: none is taken twice, nor one older than all
 *            of these.  One with a number below that of the last one that was
 *            neither FETCH nor REPORT is a thing of the past.
 * Memory     fixed; keys in it are wiped by pace_seal_wipe.
 * Threads    none of its own.
 * Source     RFC 7693; the window as in RFC 6479, for times in place of
 *            numbers.
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
	bool	on;			/* false: messages of this session have no tag */
	uint8_t	id[PACE_KEY_ID_SIZE];
	uint64_t nonce, session;
	uint8_t	key[PACE_KEY_SIZE];
};

void	pace_seal_derive(struct pace_seal *s, const struct pace_key *k, uint64_t nonce,
	    uint64_t session);
void	pace_seal_wipe(struct pace_seal *s);

/*
 * Put the trailer behind len bytes, whose header has the flag: the new
 * length, or -ENOBUFS.  A seal that is not on, or a length that is an
 * error, changes nothing.
 */
int	pace_seal_put(const struct pace_seal *s, uint8_t *buf, size_t size, int len);

/* Is it of this session and as it was sent?  The header has been decoded and has the
 * flag; so has the seal. */
bool	pace_seal_check(const struct pace_seal *s, const uint8_t *buf, size_t len);

/* What the trailer says, before anything is checked; false: too short for one. */
bool	pace_seal_peek(const uint8_t *buf, size_t len, uint8_t id[PACE_KEY_ID_SIZE],
	    uint64_t *nonce);

/* Tagged requests that were taken. */
struct pace_replay {
	int64_t	seen[PACE_REPLAY_WINDOW];
	uint64_t number;		/* of the last request that was no FETCH or REPORT */
};

/* Nothing but this one: the OPEN. */
void	pace_replay_begin(struct pace_replay *r, uint64_t number, int64_t tx_ns);

/* One whose tag is right: is it new?  Then it is remembered. */
bool	pace_replay_new(struct pace_replay *r, const struct pace_hdr *h);

/* Nonces of sessions that were opened, as many as a cookie may outlive. */
#define PACE_NONCES	4096
struct pace_nonces {
	uint64_t v[PACE_NONCES];	/* 0: none; a nonce never is */
	unsigned next;
};

bool	pace_nonce_used(const struct pace_nonces *n, uint64_t nonce);
void	pace_nonce_use(struct pace_nonces *n, uint64_t nonce);

#endif
