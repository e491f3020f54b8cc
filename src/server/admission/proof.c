#include "config.h"

#include "server/admission/proof.h"

#include <string.h>

static struct pace_proof_epoch *
slot(struct pace_proof *p, uint64_t n)
{
	return &p->epoch[n % PACE_PROOF_EPOCHS];
}

void
pace_proof_begin(struct pace_proof *p, uint64_t value, int64_t now_ns)
{
	memset(p, 0, sizeof(*p));
	p->back_ns = INT64_MAX;
	pace_proof_renew(p, value, 0, now_ns);
}

bool
pace_proof_due(const struct pace_proof *p, int64_t now_ns)
{
	return now_ns - p->epoch[(p->epochs - 1) % PACE_PROOF_EPOCHS].began_ns >=
	    PACE_PROOF_EPOCH_NS;
}

void
pace_proof_renew(struct pace_proof *p, uint64_t value, uint64_t frame, int64_t now_ns)
{
	*slot(p, p->epochs++) = (struct pace_proof_epoch){ value, now_ns, frame };
}

uint64_t
pace_proof_value(const struct pace_proof *p)
{
	return p->epoch[(p->epochs - 1) % PACE_PROOF_EPOCHS].value;
}

void
pace_proof_take(struct pace_proof *p, uint64_t value, int64_t now_ns)
{
	uint64_t kept = p->epochs < PACE_PROOF_EPOCHS ? 0 : p->epochs - PACE_PROOF_EPOCHS;

	if (value == 0)
		return;
	for (uint64_t n = p->epochs; n > p->proven && n > kept; n--) {
		const struct pace_proof_epoch *e = slot(p, n - 1);

		if (e->value != value)
			continue;
		p->proven = n;
		p->newest = *e;
		if (now_ns - e->began_ns < p->back_ns)
			p->back_ns = now_ns - e->began_ns;
		return;
	}
}

int64_t
pace_proof_until(const struct pace_proof *p, uint64_t frame, int64_t now_ns)
{
	int64_t most_ns = PACE_PROOF_MOST_NS;

	if (p->proven == 0)
		return INT64_MIN;
	if (p->back_ns < PACE_PROOF_MOST_NS - PACE_PROOF_NS)
		most_ns = PACE_PROOF_NS + p->back_ns;
	if (frame < p->newest.frame + PACE_PROOF_FRAMES && now_ns >= p->newest.began_ns + most_ns)
		return now_ns + 1;
	return p->newest.began_ns + most_ns;
}
