#include "config.h"

#include "server/admission/auth.h"

#include <sodium.h>
#include <string.h>

#include "proto/msg.h"

void
pace_auth_init(struct pace_auth *d)
{
	memset(d, 0, sizeof(*d));
	pthread_mutex_init(&d->lock, NULL);
}

void
pace_auth_free(struct pace_auth *d)
{
	pthread_mutex_lock(&d->lock);	/* a session may still use it */
	pace_keys_free(&d->keys);
	pthread_mutex_unlock(&d->lock);
}

void
pace_auth_rekey(struct pace_auth *d, struct pace_keys *ks)
{
	struct pace_keys old;

	pthread_mutex_lock(&d->lock);
	old = d->keys;
	d->keys = *ks;
	pthread_mutex_unlock(&d->lock);
	pace_keys_free(&old);
	*ks = (struct pace_keys){ .n = 0 };
}

bool
pace_auth_has_keys(struct pace_auth *d)
{
	bool some;

	pthread_mutex_lock(&d->lock);
	some = d->keys.n > 0;
	pthread_mutex_unlock(&d->lock);
	return some;
}

/* Copy a key unless key is NULL: the original may be freed at any time. */
static bool
find_key(struct pace_auth *d, const uint8_t id[PACE_KEY_ID_SIZE], struct pace_key *key)
{
	const struct pace_key *k;

	pthread_mutex_lock(&d->lock);
	k = pace_keys_find(&d->keys, id);
	if (k != NULL && key != NULL)
		*key = *k;
	pthread_mutex_unlock(&d->lock);
	return k != NULL;
}

bool
pace_auth_knows(struct pace_auth *d, const uint8_t id[PACE_KEY_ID_SIZE])
{
	return find_key(d, id, NULL);
}

bool
pace_auth_admits(struct pace_auth *d, bool required, const struct pace_hdr *h,
    const uint8_t *buf, size_t len, struct pace_auth_peer *g)
{
	uint8_t id[PACE_KEY_ID_SIZE];
	uint64_t nonce;

	memset(g, 0, sizeof(*g));
	if (!h->sealed)
		return !required;
	if (!pace_seal_peek(buf, len, id, &nonce) || nonce == 0 || !find_key(d, id, &g->key))
		return false;
	pace_seal_derive(&g->seal, &g->key, nonce, h->session);
	if (pace_seal_check(&g->seal, buf, len))
		return true;
	pace_auth_peer_wipe(g);
	return false;
}

void
pace_auth_peer_wipe(struct pace_auth_peer *g)
{
	sodium_memzero(g, sizeof(*g));
}

int
pace_open_read(const struct pace_hdr *h, const uint8_t *buf, size_t len,
    const struct pace_auth_peer *g, struct pace_msg_open *m)
{
	json_t *body = pace_request_body(h, buf, len);
	int rc = pace_msg_open(body, m);

	json_decref(body);
	if (rc == 0 && g->seal.on)
		m->nonce = g->seal.nonce;
	return rc;
}

bool
pace_auth_nonce_used(struct pace_auth *d, uint64_t nonce)
{
	bool used;

	pthread_mutex_lock(&d->lock);
	used = pace_nonce_used(&d->opened, nonce);
	pthread_mutex_unlock(&d->lock);
	return used;
}

void
pace_auth_remember(struct pace_auth *d, uint64_t nonce)
{
	pthread_mutex_lock(&d->lock);
	pace_nonce_use(&d->opened, nonce);
	pthread_mutex_unlock(&d->lock);
}
