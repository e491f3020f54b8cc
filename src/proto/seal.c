#include "config.h"

#include "proto/seal.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#include "core/cursor.h"

#define UNTAGGED	(PACE_SEAL_SIZE - PACE_TAG_SIZE)	/* of the trailer */

void
pace_seal_derive(struct pace_seal *s, const struct pace_key *k, uint64_t nonce,
    uint64_t session)
{
	uint8_t text[32] = "udpace 1 session";
	struct pace_wr w = { .p = text + 16, .left = 16 };

	pace_wr_be(&w, nonce, 8);
	pace_wr_be(&w, session, 8);
	crypto_generichash(s->key, sizeof(s->key), text, sizeof(text), k->secret,
	    sizeof(k->secret));
	memcpy(s->id, k->id, sizeof(s->id));
	s->nonce = nonce;
	s->session = session;
	s->on = true;
}

void
pace_seal_wipe(struct pace_seal *s)
{
	sodium_memzero(s, sizeof(*s));
}

static void
tag_of(const struct pace_seal *s, const uint8_t *buf, size_t len, uint8_t tag[PACE_TAG_SIZE])
{
	crypto_generichash(tag, PACE_TAG_SIZE, buf, len, s->key, sizeof(s->key));
}

int
pace_seal_put(const struct pace_seal *s, uint8_t *buf, size_t size, int len)
{
	struct pace_wr w;
	size_t body = (size_t)len;

	if (!s->on || len < 0)
		return len;
	if (body > size || size - body < PACE_SEAL_SIZE)
		return -ENOBUFS;
	memcpy(buf + body, s->id, sizeof(s->id));
	w = (struct pace_wr){ .p = buf + body + PACE_KEY_ID_SIZE, .left = 8 };
	pace_wr_be(&w, s->nonce, 8);
	tag_of(s, buf, body + UNTAGGED, buf + body + UNTAGGED);
	return len + PACE_SEAL_SIZE;
}

bool
pace_seal_peek(const uint8_t *buf, size_t len, uint8_t id[PACE_KEY_ID_SIZE], uint64_t *nonce)
{
	struct pace_rd r;

	if (len < PACE_HDR_SIZE + PACE_SEAL_SIZE)
		return false;
	memcpy(id, buf + len - PACE_SEAL_SIZE, PACE_KEY_ID_SIZE);
	r = (struct pace_rd){ .p = buf + len - PACE_SEAL_SIZE + PACE_KEY_ID_SIZE, .left = 8 };
	*nonce = pace_rd_be(&r, 8);
	return true;
}

bool
pace_seal_check(const struct pace_seal *s, const uint8_t *buf, size_t len)
{
	uint8_t id[PACE_KEY_ID_SIZE], tag[PACE_TAG_SIZE];
	uint64_t nonce;

	if (!s->on || !pace_seal_peek(buf, len, id, &nonce) || nonce != s->nonce ||
	    memcmp(id, s->id, sizeof(id)) != 0)
		return false;
	tag_of(s, buf, len - PACE_TAG_SIZE, tag);
	return sodium_memcmp(tag, buf + len - PACE_TAG_SIZE, sizeof(tag)) == 0;
}

/* --- replays ------------------------------------------------------------------- */

void
pace_replay_begin(struct pace_replay *r, uint64_t number, int64_t tx_ns)
{
	for (int i = 0; i < PACE_REPLAY_WINDOW; i++)
		r->seen[i] = INT64_MIN;
	r->seen[0] = tx_ns;
	r->number = number;
}

bool
pace_replay_new(struct pace_replay *r, const struct pace_hdr *h)
{
	int oldest = 0;

	if (h->seq < r->number)
		return false;
	for (int i = 0; i < PACE_REPLAY_WINDOW; i++) {
		if (r->seen[i] == h->tx_ns)
			return false;
		if (r->seen[i] < r->seen[oldest])
			oldest = i;
	}
	if (h->tx_ns < r->seen[oldest])
		return false;
	r->seen[oldest] = h->tx_ns;
	if (h->type != PACE_FETCH && h->type != PACE_REPORT)
		r->number = h->seq;
	return true;
}

bool
pace_nonce_used(const struct pace_nonces *n, uint64_t nonce)
{
	for (int i = 0; i < PACE_NONCES; i++)
		if (n->v[i] == nonce)
			return true;
	return false;
}

void
pace_nonce_use(struct pace_nonces *n, uint64_t nonce)
{
	n->v[n->next++ % PACE_NONCES] = nonce;
}
