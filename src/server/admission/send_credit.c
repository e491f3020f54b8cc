#include "config.h"

#include "server/admission/send_credit.h"

#include <sodium.h>
#include <string.h>

#define PORTION_NS	(INT64_C(1000000000) * PACE_CREDIT_POOL_PORTION / \
			PACE_CREDIT_POOL_PER_SECOND)

int
pace_credit_pool_init(struct pace_credit_pool *t)
{
	static const struct pace_rate_sketch_limit limits[PACE_PREFIXES] = {
		{ PORTION_NS, PACE_CREDIT_POOL_DEPTH / PACE_CREDIT_POOL_PORTION },
		{ PORTION_NS / 2, 2 * PACE_CREDIT_POOL_DEPTH / PACE_CREDIT_POOL_PORTION },
		{ PORTION_NS / 4, 4 * PACE_CREDIT_POOL_DEPTH / PACE_CREDIT_POOL_PORTION },
	};

	if (sodium_init() < 0)
		return -EIO;
	pthread_mutex_init(&t->lock, NULL);
	randombytes_buf(t->key, sizeof(t->key));
	pace_rate_sketch_init(&t->prefixes, limits);
	return 0;
}

void
pace_send_credit_init(struct pace_send_credit *p, struct pace_credit_pool *credit_pool,
    const struct pace_addr *house)
{
	memset(p, 0, sizeof(*p));
	p->credit_pool = credit_pool;
	if (credit_pool != NULL)
		p->from = pace_rate_sketch_of(credit_pool->key, house);
}

void
pace_send_credit_earn(struct pace_send_credit *p, uint64_t bytes)
{
	p->earned += (double)bytes;
}

bool
pace_send_credit_draw(struct pace_send_credit *p, uint64_t bytes, int64_t now_ns)
{
	int64_t n = (int64_t)bytes;

	if (p->credit_pool == NULL)
		return true;
	if (n > PACE_CREDIT_POOL_PORTION)
		return false;		/* it would cost a portion, and nothing would be sent */
	if (p->drawn < n) {
		pthread_mutex_lock(&p->credit_pool->lock);
		if (pace_rate_sketch_take(&p->credit_pool->prefixes, &p->from, now_ns))
			p->drawn += PACE_CREDIT_POOL_PORTION;
		pthread_mutex_unlock(&p->credit_pool->lock);
	}
	if (p->drawn < n)
		return false;
	p->drawn -= n;
	return true;
}

bool
pace_send_credit_pay(struct pace_send_credit *p, uint64_t bytes, int64_t now_ns)
{
	if (p->earned < (double)bytes)
		return pace_send_credit_draw(p, bytes, now_ns);
	p->earned -= (double)bytes;
	return true;
}
