/*
 * Fuzzes any bytes as the header of a datagram and as the body of a PING.  Checks: a decoded header
 * has only one encoding: encoding it gives the same bytes again, with the bytes that a PING leaves
 * free set to 0.  The input is also tried with a correct check, so that the code behind the check
 * is reached: then only a datagram that is too short is rejected.  This file calculates the check
 * itself, in the slow way.
 */
#include "core/wire.h"
#include "fuzz.h"

static bool
is_ping(const uint8_t *buf)
{
	return buf[3] == PACE_PING || buf[3] == (PACE_PING | PACE_REPLY);
}

static bool
is_frame(const uint8_t *buf)
{
	return (buf[3] & ~PACE_REPLY) == PACE_DATA;
}

/* The bytes that the check covers; 0: the frame is too short. */
static size_t
covered(const uint8_t *buf, size_t len)
{
	if (len < PACE_HDR_SIZE)
		return 0;
	if (is_ping(buf))
		return len < PACE_PING_SIZE ? 0 : len < PACE_PROOF_SIZE ? PACE_PING_SIZE :
		    PACE_PROOF_SIZE;
	if (buf[3] == PACE_FRAME_DOWN && len >= PACE_DOWN_SIZE)
		return PACE_DOWN_SIZE;
	if (is_frame(buf))
		return len >= PACE_DATA_SIZE ? PACE_DATA_SIZE : PACE_HDR_SIZE;
	if (buf[4] != 0)
		len -= len < PACE_HDR_SIZE + PACE_SEAL_SIZE ? len : PACE_SEAL_SIZE;
	return len <= PACE_CONTROL_ROOM ? len : 0;
}

static void
put_check(uint8_t *buf, size_t n)
{
	uint64_t sum = 0;

	buf[6] = buf[7] = 0;
	for (size_t i = 0; i < n; i++)
		sum += (i / 2 + 1) * ((uint64_t)buf[i] << (i % 2 == 0 ? 8 : 0));
	sum = 1 + sum % 65521;
	buf[6] = (uint8_t)(sum >> 8);
	buf[7] = (uint8_t)sum;
}

/* Magic, version, flags and check; the other fields stay. */
static void
repair(uint8_t *buf, size_t len)
{
	if (covered(buf, len) == 0)
		return;
	buf[0] = PACE_WIRE_MAGIC >> 8;
	buf[1] = PACE_WIRE_MAGIC & 0xff;
	buf[2] = PACE_WIRE_VERSION;
	buf[4] = 0;
	put_check(buf, covered(buf, len));
}

static void
clear_what_is_free(uint8_t *buf, size_t n)
{
	if ((buf[3] & PACE_REPLY) != 0)
		memset(buf + 61, 0, 3);
	else {
		buf[34] = 0;
		buf[35] &= 1;
		memset(buf + 40, 0, 24);
	}
	put_check(buf, n);
}

static void
encode_again(const struct pace_hdr *h, const uint8_t *buf, size_t len)
{
	size_t n = covered(buf, len);
	uint8_t *again = fuzz_exact(buf, len), *want = fuzz_exact(buf, len);
	struct pace_ping p;

	MUST(n == PACE_DATA_SIZE || n == PACE_DOWN_SIZE || h->late_ns == PACE_LATE_UNKNOWN);
	memset(again, 0x5a, is_ping(buf) || is_frame(buf) ? n : PACE_HDR_SIZE);
	if (is_ping(buf)) {
		pace_ping_decode(&p, buf, len);
		MUST(pace_ping_encode(again, len, h, &p) == (int)n);
		MUST(pace_ping_rate(pace_rate_of_ping(p.rate_2p40)) == p.rate_2p40 ||
		    p.rate_2p40 > 2000000000 || p.rate_2p40 < -2000000000);
		clear_what_is_free(want, n);
	} else
		MUST(pace_hdr_encode(again, is_frame(buf) ? len : n, h) > 0);
	MUST(memcmp(again, want, len) == 0);
	free(again);
	free(want);
}

static int
decode(const uint8_t *buf, size_t len)
{
	struct pace_hdr h, before;
	int rc;

	memset(&h, 0x5a, sizeof(h));
	before = h;
	rc = pace_hdr_decode(&h, buf, len);
	if (rc == 0) {
		encode_again(&h, buf, len);
		return rc;
	}
	MUST(rc < 0);
	if (len >= PACE_HDR_SIZE && buf[2] != PACE_WIRE_VERSION) {
		before.type = h.type;		/* may be reported */
		before.seq = h.seq;
	}
	MUST(memcmp(&h, &before, sizeof(h)) == 0);
	return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = fuzz_exact(data, size);
	size_t n;

	decode(copy, size);
	repair(copy, size);
	n = covered(copy, size);
	MUST(n == 0 ? decode(copy, size) < 0 : decode(copy, size) == 0);
	if (n > 0) {
		copy[size - 1] ^= 1;		/* corruption after the check was made */
		MUST((decode(copy, size) == 0) == (size > n));
	}
	free(copy);
	return 0;
}
