#include "config.h"

#include "server/admission/throttle.h"

#include <sodium.h>
#include <stdlib.h>

#define A_SECOND(n)	{ INT64_C(1000000000) / (n), (n) }	/* and as many at once */

const struct pace_sketch_limit pace_throttle_limits[PACE_THROTTLE_KINDS][PACE_PREFIXES] = {
	[PACE_THROTTLE_HELLO] = { A_SECOND(2000), A_SECOND(4000), A_SECOND(8000) },
	[PACE_THROTTLE_OPEN] = { A_SECOND(50), A_SECOND(100), A_SECOND(200) },
	[PACE_THROTTLE_REST] = { A_SECOND(20), A_SECOND(40), A_SECOND(80) },
};

struct pace_throttle *
pace_throttle_new(void)
{
	struct pace_throttle *l = sodium_init() < 0 ? NULL : malloc(sizeof(*l));

	if (l == NULL)
		return NULL;
	randombytes_buf(l->key, sizeof(l->key));
	for (int kind = 0; kind < PACE_THROTTLE_KINDS; kind++)
		pace_sketch_init(&l->sketch[kind], pace_throttle_limits[kind]);
	return l;
}

void
pace_throttle_free(struct pace_throttle *l)
{
	free(l);
}

bool
pace_throttle_take(struct pace_throttle *l, enum pace_throttle_kind kind,
    const struct pace_addr *from, const uint8_t *id, int64_t now_ns)
{
	struct pace_sketch_source source = id != NULL ? pace_sketch_of_key(l->key, id) :
	    pace_sketch_of(l->key, from);

	return pace_sketch_take(&l->sketch[kind], &source, now_ns);
}
