#include "config.h"

#include "server/admission/purse.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#define PORTION_NS	(INT64_C(1000000000) * PACE_TILL_PORTION / PACE_TILL_PER_SECOND)

int
pace_till_init(struct pace_till *t)
{
	static const struct pace_sketch_limit limits[PACE_PREFIXES] = {
		{ PORTION_NS, PACE_TILL_DEPTH / PACE_TILL_PORTION },
		{ PORTION_NS / 2, 2 * PACE_TILL_DEPTH / PACE_TILL_PORTION },
		{ PORTION_NS / 4, 4 * PACE_TILL_DEPTH / PACE_TILL_PORTION },
	};

	if (sodium_init() < 0)
		return -EIO;
	pthread_mutex_init(&t->lock, NULL);
	randombytes_buf(t->key, sizeof(t->key));
	pace_sketch_init(&t->houses, limits);
	return 0;
}

static bool
till_gives(struct pace_till *t, const struct pace_sketch_source *from, int64_t now_ns)
{
	bool yes;

	pthread_mutex_lock(&t->lock);
	yes = pace_sketch_take(&t->houses, from, now_ns);
	pthread_mutex_unlock(&t->lock);
	return yes;
}

void
pace_purse_init(struct pace_purse *p, struct pace_till *till, const struct pace_addr *house)
{
	memset(p, 0, sizeof(*p));
	p->till = till;
	if (till != NULL)
		p->from = pace_sketch_of(till->key, house);
}

void
pace_purse_earn(struct pace_purse *p, uint64_t bytes)
{
	p->earned += (double)bytes;
}

bool
pace_purse_draw(struct pace_purse *p, uint64_t bytes, int64_t now_ns)
{
	int64_t n = (int64_t)bytes;

	if (p->till == NULL)
		return true;
	if (n > PACE_TILL_PORTION)
		return false;		/* a portion would be gone, and nothing sent */
	if (p->drawn < n && till_gives(p->till, &p->from, now_ns))
		p->drawn += PACE_TILL_PORTION;
	if (p->drawn < n)
		return false;
	p->drawn -= n;
	return true;
}

bool
pace_purse_pay(struct pace_purse *p, uint64_t bytes, int64_t now_ns)
{
	if (p->earned < (double)bytes)
		return pace_purse_draw(p, bytes, now_ns);
	p->earned -= (double)bytes;
	return true;
}
