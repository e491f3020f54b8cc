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
pace_addr_same_house(const struct pace_addr *a, const struct pace_addr *b)
{
	return a->family == b->family && memcmp(a->ip, b->ip, a->family == 4 ? 4 : 8) == 0;
}
