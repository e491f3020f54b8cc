#include "core/io.h"

#include <string.h>

bool
pace_addr_same(const struct pace_addr *a, const struct pace_addr *b)
{
	return a->family == b->family && a->port == b->port &&
	    a->scope == b->scope &&
	    memcmp(a->ip, b->ip, a->family == 4 ? 4 : 16) == 0;
}

bool
pace_addr_is_group(const struct pace_addr *a)
{
	return (a->family == 4 && a->ip[0] >> 4 == 0xe) || (a->family == 6 && a->ip[0] == 0xff);
}

struct addr_net {
	uint8_t		bits, ip[4];
};

static bool
is_in(const uint8_t *ip, const struct addr_net *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned bytes = v[i].bits / 8u, rest = v[i].bits % 8u;
		uint8_t mask = (uint8_t)(0xff00u >> rest);

		if (memcmp(ip, v[i].ip, bytes) == 0 &&
		    (rest == 0 || (ip[bytes] & mask) == v[i].ip[bytes]))
			return true;
	}
	return false;
}

bool
pace_addr_is_public(const struct pace_addr *a)
{
	static const struct addr_net v4[] = { { 8, { 10 } }, { 8, { 127 } }, { 8, { 0 } },
		{ 12, { 172, 16 } }, { 16, { 192, 168 } }, { 16, { 169, 254 } }, { 10, { 100, 64 } },
		{ 24, { 192, 0, 2 } }, { 24, { 198, 51, 100 } }, { 24, { 203, 0, 113 } },
		{ 15, { 198, 18 } } };
	static const struct addr_net v6[] = { { 7, { 0xfc } }, { 10, { 0xfe, 0x80 } },
		{ 32, { 0x20, 0x01, 0x0d, 0xb8 } } };
	static const uint8_t zeros[15];

	if (pace_addr_is_group(a))
		return false;
	if (a->family == 4)
		return !is_in(a->ip, v4, sizeof(v4) / sizeof(v4[0]));
	return a->family == 6 && !is_in(a->ip, v6, sizeof(v6) / sizeof(v6[0])) &&
	    (memcmp(a->ip, zeros, sizeof(zeros)) != 0 || a->ip[15] > 1);
}

static size_t
prefix_bytes(uint8_t family, enum pace_prefix p)
{
	static const uint8_t v4[PACE_PREFIXES] = { 4, 4, 3 }, v6[PACE_PREFIXES] = { 8, 7, 6 };

	return family == 4 ? v4[p] : v6[p];
}

struct pace_addr
pace_addr_prefix(const struct pace_addr *a, enum pace_prefix p)
{
	struct pace_addr n = { .family = a->family };

	memcpy(n.ip, a->ip, prefix_bytes(a->family, p));
	return n;
}

bool
pace_addr_same_prefix(const struct pace_addr *a, const struct pace_addr *b, enum pace_prefix p)
{
	return a->family == b->family && memcmp(a->ip, b->ip, prefix_bytes(a->family, p)) == 0;
}
