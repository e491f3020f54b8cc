#include "config.h"

#include "server/admission/reply_limit.h"

#include <errno.h>
#include <sodium.h>

#define A_SECOND(n)	{ INT64_C(1000000000) / (n), (n) }	/* and a burst of n */

const struct pace_rate_sketch_limit pace_reply_limit_limits[PACE_REPLY_LIMIT_KINDS]
    [PACE_PREFIXES] = {
	[PACE_REPLY_LIMIT_HELLO] = { A_SECOND(2000), A_SECOND(4000), A_SECOND(8000) },
	[PACE_REPLY_LIMIT_OPEN] = { A_SECOND(50), A_SECOND(100), A_SECOND(200) },
	[PACE_REPLY_LIMIT_FLOW] = { A_SECOND(512), A_SECOND(1024), A_SECOND(2048) },
	[PACE_REPLY_LIMIT_REST] = { A_SECOND(20), A_SECOND(40), A_SECOND(80) },
};

int
pace_reply_limit_init(struct pace_reply_limit *l)
{
	if (sodium_init() < 0)
		return -EIO;
	randombytes_buf(l->key, sizeof(l->key));
	for (int kind = 0; kind < PACE_REPLY_LIMIT_KINDS; kind++)
		pace_rate_sketch_init(&l->sketch[kind], pace_reply_limit_limits[kind]);
	return 0;
}

bool
pace_reply_limit_take(struct pace_reply_limit *l, enum pace_reply_limit_kind kind,
    const struct pace_addr *from, const uint8_t *id, int64_t now_ns)
{
	struct pace_rate_sketch_source source = id != NULL ? pace_rate_sketch_of_key(l->key, id) :
	    pace_rate_sketch_of(l->key, from);

	return pace_rate_sketch_take(&l->sketch[kind], &source, now_ns);
}
