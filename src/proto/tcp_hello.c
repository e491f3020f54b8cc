#include "proto/tcp_hello.h"

#include <sodium.h>
#include <string.h>

#include "core/cursor.h"

#define HEAD	16
#define PROOF	(PACE_TCP_HELLO - HEAD)

static const uint8_t begin[] = { 'u', 'd', 'p', 'T', 1 };

void
pace_tcp_hello_key(const struct pace_seal *seal, uint8_t secret[PACE_TCP_SECRET])
{
	uint8_t out[PACE_TCP_SECRET];

	if (!seal->on)
		return;
	(void)crypto_generichash(out, sizeof(out), secret, PACE_TCP_SECRET, seal->key,
	    sizeof(seal->key));
	memcpy(secret, out, sizeof(out));
	sodium_memzero(out, sizeof(out));
}

static void
prove(uint8_t proof[PROOF], const uint8_t head[HEAD], const uint8_t key[PACE_TCP_SECRET])
{
	(void)crypto_generichash(proof, PROOF, head, HEAD, key, PACE_TCP_SECRET);
}

void
pace_tcp_hello_put(uint8_t to[PACE_TCP_HELLO], const struct pace_tcp_hello *h,
    const uint8_t key[PACE_TCP_SECRET])
{
	struct pace_wr w = { .p = to + 8, .left = 8 };

	memcpy(to, begin, sizeof(begin));
	to[5] = h->run;
	to[6] = h->down;
	to[7] = h->stream;
	pace_wr_be(&w, h->session, 8);
	prove(to + HEAD, to, key);
}

bool
pace_tcp_hello_read(struct pace_tcp_hello *h, const uint8_t from[PACE_TCP_HELLO])
{
	struct pace_rd r = { .p = from + 8, .left = 8 };

	*h = (struct pace_tcp_hello){ .run = from[5], .down = from[6] == 1, .stream = from[7],
	    .session = pace_rd_be(&r, 8) };
	return memcmp(from, begin, sizeof(begin)) == 0 && from[6] <= 1;
}

bool
pace_tcp_hello_proves(const uint8_t from[PACE_TCP_HELLO], const uint8_t key[PACE_TCP_SECRET])
{
	uint8_t proof[PROOF];

	prove(proof, from, key);
	return sodium_memcmp(proof, from + HEAD, PROOF) == 0;
}
