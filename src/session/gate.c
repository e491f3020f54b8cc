#include "config.h"

#include "session/gate.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#include "core/cursor.h"

#define SLOT_NS	INT64_C(30000000000)

int
pace_gate_init(struct pace_gate *g)
{
	if (sodium_init() < 0)
		return -EIO;
	randombytes_buf(g->secret, sizeof(g->secret));
	return 0;
}

static void
cookie_of(const struct pace_gate *g, const struct pace_addr *peer, int64_t slot,
    uint8_t cookie[PACE_COOKIE_SIZE])
{
	uint8_t text[8 + 1 + 2 + 16];
	struct pace_wr w = { .p = text, .left = sizeof(text) };

	pace_wr_be(&w, (uint64_t)slot, 8);
	pace_wr_be(&w, peer->family, 1);
	pace_wr_be(&w, peer->port, 2);
	memset(w.p, 0, 16);
	memcpy(w.p, peer->ip, peer->family == 4 ? 4 : 16);
	crypto_generichash(cookie, PACE_COOKIE_SIZE, text, sizeof(text),
	    g->secret, sizeof(g->secret));
}

void
pace_gate_cookie(const struct pace_gate *g, const struct pace_addr *peer,
    int64_t now_ns, uint8_t cookie[PACE_COOKIE_SIZE])
{
	cookie_of(g, peer, now_ns / SLOT_NS, cookie);
}

bool
pace_gate_opens(const struct pace_gate *g, const struct pace_addr *peer,
    int64_t now_ns, const uint8_t cookie[PACE_COOKIE_SIZE])
{
	uint8_t good[PACE_COOKIE_SIZE];

	for (int64_t ago = 0; ago <= 1; ago++) {
		cookie_of(g, peer, now_ns / SLOT_NS - ago, good);
		if (sodium_memcmp(good, cookie, sizeof(good)) == 0)
			return true;
	}
	return false;
}

uint64_t
pace_gate_random(void)
{
	uint64_t v;

	do
		randombytes_buf(&v, sizeof(v));
	while (v == 0);
	return v;
}
