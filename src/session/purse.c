#include "config.h"

#include "session/purse.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#include "core/cursor.h"

#define PORTION_NS	(INT64_C(1000000000) * PACE_TILL_PORTION / PACE_TILL_PER_SECOND)
#define DEPTH_NS	(PORTION_NS * (PACE_TILL_DEPTH / PACE_TILL_PORTION))

int
pace_till_init(struct pace_till *t)
{
	if (sodium_init() < 0)
		return -EIO;
	pthread_mutex_init(&t->lock, NULL);
	randombytes_buf(t->key, sizeof(t->key));
	for (int i = 0; i < PACE_TILL_PLACES; i++)
		t->paid_ns[i] = INT64_MIN;
	return 0;
}

static bool
till_gives(struct pace_till *t, unsigned place, int64_t now_ns)
{
	int64_t *paid = &t->paid_ns[place], from;
	bool yes;

	pthread_mutex_lock(&t->lock);
	from = *paid > now_ns ? *paid : now_ns;
	yes = from - now_ns + PORTION_NS <= DEPTH_NS;
	if (yes)
		*paid = from + PORTION_NS;
	pthread_mutex_unlock(&t->lock);
	return yes;
}

void
pace_purse_init(struct pace_purse *p, struct pace_till *till, const struct pace_addr *house)
{
	uint8_t text[1 + 8] = { house->family }, hash[crypto_shorthash_BYTES];
	struct pace_rd r = { .p = hash, .left = sizeof(hash) };

	memset(p, 0, sizeof(*p));
	p->till = till;
	if (till == NULL)
		return;
	memcpy(text + 1, house->ip, house->family == 4 ? 4 : 8);
	crypto_shorthash(hash, text, sizeof(text), till->key);
	p->place = (unsigned)(pace_rd_be(&r, 8) % PACE_TILL_PLACES);
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
	if (p->drawn < n && till_gives(p->till, p->place, now_ns))
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
