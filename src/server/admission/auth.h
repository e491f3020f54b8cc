/*
 * auth.h - who may speak to a responder before there is a session.
 *
 * Purpose    the keys of a responder, shared by the listener and the sessions
 *            and changed while they run; whether a HELLO, an OPEN or the message
 *            of a session that is gone comes from one of them.
 * Replay     the nonce of a tagged OPEN opens once; older ones than are
 *            remembered have cookies that are not valid any more.
 * Memory     a key that was found is copied; pace_auth_peer_wipe.
 * Threads    any; what is changed is behind a lock.
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

/* Other keys from now on; what runs goes on.  *ks is taken. */
void	pace_auth_rekey(struct pace_auth *d, struct pace_keys *ks);

/* Is this key, by its fingerprint, still there? */
bool	pace_auth_knows(struct pace_auth *d, const uint8_t id[PACE_KEY_ID_SIZE]);

/* Has anybody been given a key? */
bool	pace_auth_has_keys(struct pace_auth *d);

/* Who sent a message that stands for itself. */
struct pace_auth_peer {
	struct pace_key	key;		/* seal.on: whose tag was right */
	struct pace_seal seal;		/* for the answer */
};

/*
 * Its header is *h.  False: it has no right to an answer: the tag is wrong or
 * of a key that is not there, or there is none where required is set.
 */
bool	pace_auth_admits(struct pace_auth *d, bool required, const struct pace_hdr *h,
	    const uint8_t *buf, size_t len, struct pace_auth_peer *g);
void	pace_auth_peer_wipe(struct pace_auth_peer *g);

/* What the OPEN says that it was admitted with: 0 or -EPROTO.  A tagged one's nonce is that
 * of its trailer. */
int	pace_open_read(const struct pace_hdr *h, const uint8_t *buf, size_t len,
	    const struct pace_auth_peer *g, struct pace_msg_open *m);

/* Has a session been opened with it?  Remember that. */
bool	pace_auth_nonce_used(struct pace_auth *d, uint64_t nonce);
void	pace_auth_remember(struct pace_auth *d, uint64_t nonce);

#endif
