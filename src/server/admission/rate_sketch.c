#include "config.h"

#include "server/admission/rate_sketch.h"

#include <sodium.h>
#include <string.h>

#include "core/cursor.h"

#define KEY_FAMILY	'k'	/* not an address family */

void
pace_rate_sketch_init(struct pace_rate_sketch *s,
    const struct pace_rate_sketch_limit limit[PACE_PREFIXES])
{
	memcpy(s->limit, limit, sizeof(s->limit));
	/* Touch all pages now, so that a flood does not make the process grow. */
	for (int i = 0; i < PACE_RATE_SKETCH_COLUMNS; i++)
		s->paid_ns[0][i] = INT64_MIN;
	for (int row = 1; row < PACE_RATE_SKETCH_ROWS; row++)
		memcpy(s->paid_ns[row], s->paid_ns[0], sizeof(s->paid_ns[0]));
}

struct pace_rate_sketch_source
pace_rate_sketch_of(const uint8_t key[PACE_RATE_SKETCH_KEY], const struct pace_addr *from)
{
	struct pace_rate_sketch_source source;

	for (int p = 0; p < PACE_PREFIXES; p++) {
		struct pace_addr prefix = pace_addr_prefix(from, (enum pace_prefix)p);
		uint8_t text[2 + 16] = { prefix.family, (uint8_t)p };
		uint8_t hash[crypto_shorthash_BYTES];
		struct pace_rd r = { .p = hash, .left = sizeof(hash) };

		memcpy(text + 2, prefix.ip, sizeof(prefix.ip));
		crypto_shorthash(hash, text, sizeof(text), key);
		source.columns[p] = pace_rd_be(&r, 8);
	}
	return source;
}

/* As an IPv6 address, the first 8 bytes are a host of its own: no two keys share a prefix. */
struct pace_rate_sketch_source
pace_rate_sketch_of_key(const uint8_t key[PACE_RATE_SKETCH_KEY], const uint8_t id[8])
{
	struct pace_addr a = { .family = KEY_FAMILY };

	memcpy(a.ip, id, 8);
	return pace_rate_sketch_of(key, &a);
}

static int64_t *
column(struct pace_rate_sketch *s, uint64_t columns, int row)
{
	return &s->paid_ns[row][columns >> 15 * row & (PACE_RATE_SKETCH_COLUMNS - 1)];
}

/* Return when this prefix has paid for one more; a time up to now_ns is no debt. */
static int64_t
debt(struct pace_rate_sketch *s, uint64_t columns, int64_t every_ns, int64_t now_ns)
{
	int64_t least = INT64_MAX;

	for (int row = 0; row < PACE_RATE_SKETCH_ROWS; row++)
		if (*column(s, columns, row) < least)
			least = *column(s, columns, row);
	return (least > now_ns ? least : now_ns) + every_ns;
}

/* Columns with a larger debt, from other sources, stay unchanged. */
static void
owe(struct pace_rate_sketch *s, uint64_t columns, int64_t paid_ns)
{
	for (int row = 0; row < PACE_RATE_SKETCH_ROWS; row++)
		if (*column(s, columns, row) < paid_ns)
			*column(s, columns, row) = paid_ns;
}

bool
pace_rate_sketch_take(struct pace_rate_sketch *s, const struct pace_rate_sketch_source *from,
    int64_t now_ns)
{
	int64_t paid_ns[PACE_PREFIXES];

	for (int p = 0; p < PACE_PREFIXES; p++) {
		const struct pace_rate_sketch_limit *l = &s->limit[p];

		paid_ns[p] = debt(s, from->columns[p], l->every_ns, now_ns);
		if (paid_ns[p] - now_ns > l->burst * l->every_ns)
			return false;
	}
	for (int p = 0; p < PACE_PREFIXES; p++)
		owe(s, from->columns[p], paid_ns[p]);
	return true;
}

bool
pace_rate_sketch_pay(struct pace_rate_sketch *s, uint64_t columns, int64_t cost_ns,
    int64_t credit_ns, int64_t now_ns)
{
	int64_t paid_ns = debt(s, columns, cost_ns, now_ns);

	if (paid_ns - now_ns > credit_ns)
		return false;
	owe(s, columns, paid_ns);
	return true;
}
