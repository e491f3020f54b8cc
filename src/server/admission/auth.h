/*
 * auth.h - authenticate messages that belong to no open session.
 *
 * Purpose    the keys of a responder, which the listener and the sessions share and which
 *            may change while they run.  A check shows whether a HELLO, an OPEN or a
 *            message for an ended session was tagged with one of these keys.
 * Replay     the nonce of a tagged OPEN opens one session only.  Forgotten nonces are so
 *            old that their cookies have expired.
 * Memory     a key that was found is copied; wipe it with pace_auth_peer_wipe.
 * Threads    any: a mutex inside.
 */
#ifndef PACE_SERVER_ADMISSION_AUTH_H
#define PACE_SERVER_ADMISSION_AUTH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/io.h"
#include "core/wire.h"
#include "proto/keys.h"
#include "proto/seal.h"

struct pace_msg_open;

struct pace_auth {
	pthread_mutex_t	lock;
	struct pace_keys keys;
	struct pace_nonces opened;
};

void	pace_auth_init(struct pace_auth *d);
void	pace_auth_free(struct pace_auth *d);

/* Replace the keys; open sessions continue.  The function takes over *ks. */
void	pace_auth_rekey(struct pace_auth *d, struct pace_keys *ks);

/* True if the responder still has the key with this fingerprint. */
bool	pace_auth_knows(struct pace_auth *d, const uint8_t id[PACE_KEY_ID_SIZE]);

/* True if there is any key. */
bool	pace_auth_has_keys(struct pace_auth *d);

/* The sender of a message that belongs to no open session. */
struct pace_auth_peer {
	struct pace_key	key;		/* if seal.on: the key of the valid tag */
	struct pace_seal seal;		/* for the answer */
};

/*
 * Check a message with header *h.  False: it must not be answered, because its tag is wrong,
 * its key is unknown, or it has no tag although required is set.
 */
bool	pace_auth_admits(struct pace_auth *d, bool required, const struct pace_hdr *h,
	    const uint8_t *buf, size_t len, struct pace_auth_peer *g);
void	pace_auth_peer_wipe(struct pace_auth_peer *g);

/* Read an OPEN that pace_auth_admits accepted: 0 or -EPROTO.  The nonce of a tagged OPEN is that
 * of its trailer. */
int	pace_open_read(const struct pace_hdr *h, const uint8_t *buf, size_t len,
	    const struct pace_auth_peer *g, struct pace_msg_open *m);

/* True if a session was opened with this nonce / remember this nonce. */
bool	pace_auth_nonce_used(struct pace_auth *d, uint64_t nonce);
void	pace_auth_remember(struct pace_auth *d, uint64_t nonce);

#endif
