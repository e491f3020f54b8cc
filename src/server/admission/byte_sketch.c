#include "config.h"

#include "server/admission/byte_sketch.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "core/cursor.h"
#include "core/policy.h"

_Static_assert(sizeof(((struct pace_byte_rate_sketch *)0)->key) == crypto_shorthash_KEYBYTES,
    "the key is one of the hash");
_Static_assert(PACE_BYTE_RATE_SKETCH_ROWS * PACE_BYTE_RATE_SKETCH_COLUMN_BITS <= 64,
    "the columns of all rows fit into one hash");

int
pace_byte_rate_sketch_init(struct pace_byte_rate_sketch *s)
{
	if (sodium_init() < 0)
		return -EIO;
	memset(s, 0, sizeof(*s));
	randombytes_buf(s->key, sizeof(s->key));
	return 0;
}

uint64_t
pace_byte_rate_sketch_columns(const struct pace_byte_rate_sketch *s, const char *rule,
    const struct pace_addr *a)
{
	const struct pace_addr n = pace_addr_prefix(a, PACE_PREFIX_NETWORK);
	uint8_t text[PACE_RULE_NAME + 1 + sizeof(n.ip)] = { 0 }, hash[crypto_shorthash_BYTES];
	struct pace_rd r = { .p = hash, .left = sizeof(hash) };

	snprintf((char *)text, PACE_RULE_NAME, "%s", rule);
	text[PACE_RULE_NAME] = n.family;
	memcpy(text + PACE_RULE_NAME + 1, n.ip, sizeof(n.ip));
	crypto_shorthash(hash, text, sizeof(text), s->key);
	return pace_rd_be(&r, 8);
}

static double *
column(struct pace_byte_rate_sketch *s, uint64_t columns, int row)
{
	const uint64_t mask = (UINT64_C(1) << PACE_BYTE_RATE_SKETCH_COLUMN_BITS) - 1;

	return &s->bytes[row][columns >> PACE_BYTE_RATE_SKETCH_COLUMN_BITS * row & mask];
}

double
pace_byte_rate_sketch_use(struct pace_byte_rate_sketch *s, uint64_t columns, int64_t day,
    double bytes)
{
	double used;

	if (day > s->day) {
		memset(s->bytes, 0, sizeof(s->bytes));
		s->day = day;
	}
	used = *column(s, columns, 0);
	for (int row = 1; row < PACE_BYTE_RATE_SKETCH_ROWS; row++)
		if (*column(s, columns, row) < used)
			used = *column(s, columns, row);
	used += bytes;
	for (int row = 0; row < PACE_BYTE_RATE_SKETCH_ROWS; row++)
		if (*column(s, columns, row) < used)
			*column(s, columns, row) = used;
	return used;
}
