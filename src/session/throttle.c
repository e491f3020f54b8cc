#include "config.h"

#include "session/throttle.h"

#include <sodium.h>
#include <stdlib.h>

#define SECOND_NS	INT64_C(1000000000)

struct pace_throttle *
pace_throttle_new(void)
{
	struct pace_throttle *l = sodium_init() < 0 ? NULL : malloc(sizeof(*l));

	if (l == NULL)
		return NULL;
	randombytes_buf(l->key, sizeof(l->key));
	pace_sketch_init(&l->flows, SECOND_NS / PACE_LIMIT_FLOW, PACE_LIMIT_FLOW_BURST);
	pace_sketch_init(&l->houses, SECOND_NS / PACE_LIMIT_HOUSE, PACE_LIMIT_HOUSE_BURST);
	return l;
}

void
pace_throttle_free(struct pace_throttle *l)
{
	free(l);
}

bool
pace_throttle_take(struct pace_throttle *l, const struct pace_addr *from, int64_t now_ns)
{
	uint64_t flow = pace_sketch_places(l->key, from, true);
	uint64_t house = pace_sketch_places(l->key, from, false);

	/* What is refused costs nothing: who goes on asking is not silenced for ever. */
	if (!pace_sketch_has(&l->flows, flow, now_ns) ||
	    !pace_sketch_has(&l->houses, house, now_ns))
		return false;
	pace_sketch_charge(&l->flows, flow, now_ns);
	pace_sketch_charge(&l->houses, house, now_ns);
	return true;
}
