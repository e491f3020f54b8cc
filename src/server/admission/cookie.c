#include "config.h"

#include "server/admission/cookie.h"

#include <sodium.h>
#include <string.h>

#include "core/cursor.h"

#define SLOT_NS	INT64_C(30000000000)

int
pace_cookies_init(struct pace_cookies *g)
{
	if (sodium_init() < 0)
		return -EIO;
	pthread_mutex_init(&g->lock, NULL);
	g->slot = INT64_MIN;		/* before any slot */
	return 0;
}

/* Return the secrets that are valid now; make a new one in a new slot. */
static void
turn(struct pace_cookies *g, int64_t now_ns, uint8_t secret[2][32])
{
	int64_t slot = now_ns / SLOT_NS;

	pthread_mutex_lock(&g->lock);
	if (slot > g->slot) {
		if (slot - 1 == g->slot)
			memcpy(g->secret[1], g->secret[0], sizeof(g->secret[1]));
		else
			randombytes_buf(g->secret[1], sizeof(g->secret[1]));
		randombytes_buf(g->secret[0], sizeof(g->secret[0]));
		g->slot = slot;
	}
	memcpy(secret, g->secret, sizeof(g->secret));
	pthread_mutex_unlock(&g->lock);
}

static void
cookie_of(const uint8_t secret[32], const struct pace_addr *peer, uint64_t session,
    uint8_t cookie[PACE_COOKIE_SIZE])
{
	uint8_t text[8 + 1 + 2 + 16];
	struct pace_wr w = { .p = text, .left = sizeof(text) };

	pace_wr_be(&w, session, 8);
	pace_wr_be(&w, peer->family, 1);
	pace_wr_be(&w, peer->port, 2);
	memset(w.p, 0, 16);
	memcpy(w.p, peer->ip, peer->family == 4 ? 4 : 16);
	crypto_generichash(cookie, PACE_COOKIE_SIZE, text, sizeof(text), secret, 32);
}

void
pace_cookie_make(struct pace_cookies *g, const struct pace_addr *peer, uint64_t session,
    int64_t now_ns, uint8_t cookie[PACE_COOKIE_SIZE])
{
	uint8_t secret[2][32];

	turn(g, now_ns, secret);
	cookie_of(secret[0], peer, session, cookie);
	sodium_memzero(secret, sizeof(secret));
}

bool
pace_cookie_check(struct pace_cookies *g, const struct pace_addr *peer, uint64_t session,
    int64_t now_ns, const uint8_t cookie[PACE_COOKIE_SIZE])
{
	uint8_t secret[2][32], good[PACE_COOKIE_SIZE];
	bool opens = false;

	turn(g, now_ns, secret);
	for (int i = 0; i < 2; i++) {
		cookie_of(secret[i], peer, session, good);
		opens |= sodium_memcmp(good, cookie, sizeof(good)) == 0;
	}
	sodium_memzero(secret, sizeof(secret));
	return opens;
}
