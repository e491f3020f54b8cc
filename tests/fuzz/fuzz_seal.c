/*
 * Fuzzes arbitrary datagrams sent to a responder with a key.  The input is
 *
 *   1  what    bits 0-1: as it is; with a correct header check; tagged with the
 *              key; tagged, and changed afterwards
 *   2  where   of the change: which bit, modulo the number of bits
 *   n  bytes   the datagram, without its trailer if it is tagged
 *
 * Checks: a datagram tagged with the key is admitted; one that was changed afterwards or never
 * tagged is not; no byte beyond the datagram is read.
 */
#include "fuzz.h"
#include "keyed.h"
#include "mutate_datagrams.h"
#include "server/admission/auth.h"

static struct pace_auth auth;

static void
set_up(void)
{
	struct pace_keys ks;

	repair_random();
	if (keyed_key[KEY_A].name[0] != '\0')
		return;
	keyed_set_up();
	pace_auth_init(&auth);
	ks = keyed_list(true, false);
	pace_auth_rekey(&auth, &ks);
}

static bool
admitted(const uint8_t *bytes, size_t len)
{
	uint8_t *exact = fuzz_exact(bytes, len);
	struct pace_auth_peer g = { .seal = { .on = false } };
	struct pace_hdr h;
	bool in = pace_hdr_decode(&h, exact, len) == 0 && h.sealed &&
	    pace_auth_admits(&auth, true, &h, exact, len, &g);

	MUST(g.seal.on == in && (!in || strcmp(g.key.name, "a") == 0));
	pace_auth_peer_wipe(&g);
	free(exact);
	return in;
}

static void
tagged(uint8_t *buf, size_t len, size_t bit, bool change)
{
	struct pace_rd session = { .p = buf + 8, .left = 8 };
	uint64_t nonce = len >= PACE_HDR_SIZE ? pace_rd_be(&session, 8) | 1 : 1;
	size_t n = keyed_tag(KEY_A, nonce, buf, len);

	if (n == 0)
		return;
	MUST(admitted(buf, n));
	if (!change)
		return;
	bit %= 8 * n;
	buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
	if (bit < 8 * len && buf[4] == 1 && (buf[3] & ~PACE_REPLY) != PACE_DATA &&
	    (buf[3] & ~PACE_REPLY) != PACE_PING && bit / 8 > 2 && bit / 8 != 6 && bit / 8 != 7) {
		repair_header(buf, len);
		keyed_mark(buf, len);
	}
	MUST(!admitted(buf, n));
	MUST(!admitted(buf, n - 1));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pace_rd r = { .p = data, .left = size };
	unsigned what = (unsigned)pace_rd_be(&r, 1) % 4;
	size_t where = (size_t)pace_rd_be(&r, 2), room = r.left + PACE_SEAL_SIZE;
	uint8_t *buf;

	if (r.bad)
		return 0;
	set_up();
	buf = calloc(1, room);
	MUST(buf != NULL);
	if (r.left > 0)
		memcpy(buf, r.p, r.left);
	if (what == 1)
		(void)keyed_mark(buf, r.left - (r.left < PACE_SEAL_SIZE ? 0 : PACE_SEAL_SIZE));
	if (what < 2)
		MUST(!admitted(buf, r.left));
	else
		tagged(buf, r.left, where, what == 3);
	free(buf);
	return 0;
}

/* The change to the key or to the datagram. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };
	size_t at;

	if (size < 2 || chance_bytes(&c))
		return LLVMFuzzerMutate(data, size, max);
	if (chance_one_in(&c, 4)) {
		at = chance_of(&c, 2);
		data[at] = (uint8_t)chance_of(&c, 256);
		return size;
	}
	return 2 + mutate_datagram(&c, data + 2, size - 2, max - 2);
}
