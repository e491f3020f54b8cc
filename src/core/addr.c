#include "core/io.h"

#include <string.h>

bool
pace_addr_same(const struct pace_addr *a, const struct pace_addr *b)
{
	return a->family == b->family && a->port == b->port &&
	    a->scope == b->scope &&
	    memcmp(a->ip, b->ip, a->family == 4 ? 4 : 16) == 0;
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
