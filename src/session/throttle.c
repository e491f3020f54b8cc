#include "config.h"

#include "session/throttle.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"

#define SECOND_NS	INT64_C(1000000000)

static void
begin(struct pace_sketch *s, int64_t per_second, int64_t burst)
{
	s->every_ns = SECOND_NS / per_second;
	s->burst = burst;
	/* Written to, so that a flood does not make the process grow. */
	for (int row = 0; row < PACE_LIMIT_ROWS; row++)
		for (int i = 0; i < PACE_LIMIT_COLUMNS; i++)
			s->paid_ns[row][i] = INT64_MIN;
}

struct pace_throttle *
pace_throttle_new(void)
{
	struct pace_throttle *l = sodium_init() < 0 ? NULL : malloc(sizeof(*l));

	if (l == NULL)
		return NULL;
	randombytes_buf(l->key, sizeof(l->key));
	begin(&l->flows, PACE_LIMIT_FLOW, PACE_LIMIT_FLOW_BURST);
	begin(&l->houses, PACE_LIMIT_HOUSE, PACE_LIMIT_HOUSE_BURST);
	return l;
}

void
pace_throttle_free(struct pace_throttle *l)
{
	free(l);
}

/* The columns of a source, 15 bits for each row. */
static uint64_t
columns_of(const struct pace_throttle *l, const struct pace_addr *from, bool flow)
{
	uint8_t text[1 + 16 + 2] = { from->family }, hash[crypto_shorthash_BYTES];
	size_t n = from->family == 4 ? 4 : flow ? 16 : 8;
	struct pace_rd r = { .p = hash, .left = sizeof(hash) };

	memcpy(text + 1, from->ip, n);
	if (flow) {
		text[17] = (uint8_t)(from->port >> 8);
		text[18] = (uint8_t)from->port;
	}
	crypto_shorthash(hash, text, sizeof(text), l->key);
	return pace_rd_be(&r, 8);
}

static int64_t *
column(struct pace_sketch *s, uint64_t columns, int row)
{
	return &s->paid_ns[row][columns >> 15 * row & (PACE_LIMIT_COLUMNS - 1)];
}

/* When this source will have paid for one more; now_ns or sooner is no debt. */
static int64_t
debt(struct pace_sketch *s, uint64_t columns, int64_t now_ns)
{
	int64_t least = INT64_MAX;

	for (int row = 0; row < PACE_LIMIT_ROWS; row++)
		if (*column(s, columns, row) < least)
			least = *column(s, columns, row);
	return (least > now_ns ? least : now_ns) + s->every_ns;
}

static bool
has_credit(const struct pace_sketch *s, int64_t paid_ns, int64_t now_ns)
{
	return paid_ns - now_ns <= s->burst * s->every_ns;
}

/* Columns that others have run further into debt stay as they are. */
static void
charge(struct pace_sketch *s, uint64_t columns, int64_t paid_ns)
{
	for (int row = 0; row < PACE_LIMIT_ROWS; row++)
		if (*column(s, columns, row) < paid_ns)
			*column(s, columns, row) = paid_ns;
}

bool
pace_throttle_take(struct pace_throttle *l, const struct pace_addr *from, int64_t now_ns)
{
	uint64_t flow = columns_of(l, from, true), house = columns_of(l, from, false);
	int64_t flow_ns = debt(&l->flows, flow, now_ns);
	int64_t house_ns = debt(&l->houses, house, now_ns);

	/* What is refused costs nothing: who goes on asking is not silenced for ever. */
	if (!has_credit(&l->flows, flow_ns, now_ns) || !has_credit(&l->houses, house_ns, now_ns))
		return false;
	charge(&l->flows, flow, flow_ns);
	charge(&l->houses, house, house_ns);
	return true;
}
