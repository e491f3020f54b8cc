/* The wall clock against the probe clock, as a socket's stamps need it. */
#include "config.h"

#include "plat/sock_io.h"

#include <stdlib.h>

#include "plat/clock.h"

void
pace_sock_pair(struct pace_sock *s)
{
	struct pace_clockmap before = s->map;
	int64_t real, raw;

	pace_clock_pair(&real, &raw);
	pace_clockmap_pair(&s->map, real, raw);
	if (s->map.steps != before.steps) {
		s->before = before;
		s->stepped = true;
		s->doubt_ns = raw + llabs(s->map.stepped_ns - before.stepped_ns);
	}
}
