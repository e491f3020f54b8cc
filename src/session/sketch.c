#include "config.h"

#include "session/sketch.h"

#include <sodium.h>
#include <string.h>

#include "core/cursor.h"

void
pace_sketch_init(struct pace_sketch *s, int64_t every_ns, int64_t burst)
{
	s->every_ns = every_ns;
	s->burst = burst;
	/* Written to, so that a flood does not make the process grow. */
	for (int row = 0; row < PACE_SKETCH_ROWS; row++)
		for (int i = 0; i < PACE_SKETCH_COLUMNS; i++)
			s->paid_ns[row][i] = INT64_MIN;
}

uint64_t
pace_sketch_places(const uint8_t key[PACE_SKETCH_KEY], const struct pace_addr *from, bool flow)
{
	uint8_t text[1 + 16 + 2] = { from->family }, hash[crypto_shorthash_BYTES];
	size_t n = from->family == 4 ? 4 : flow ? 16 : 8;
	struct pace_rd r = { .p = hash, .left = sizeof(hash) };

	memcpy(text + 1, from->ip, n);
	if (flow) {
		text[17] = (uint8_t)(from->port >> 8);
		text[18] = (uint8_t)from->port;
	}
	crypto_shorthash(hash, text, sizeof(text), key);
	return pace_rd_be(&r, 8);
}

static int64_t *
column(struct pace_sketch *s, uint64_t places, int row)
{
	return &s->paid_ns[row][places >> 15 * row & (PACE_SKETCH_COLUMNS - 1)];
}

/* When this source will have paid for one more; now_ns or sooner is no debt. */
static int64_t
debt(struct pace_sketch *s, uint64_t places, int64_t now_ns)
{
	int64_t least = INT64_MAX;

	for (int row = 0; row < PACE_SKETCH_ROWS; row++)
		if (*column(s, places, row) < least)
			least = *column(s, places, row);
	return (least > now_ns ? least : now_ns) + s->every_ns;
}

bool
pace_sketch_has(struct pace_sketch *s, uint64_t places, int64_t now_ns)
{
	return debt(s, places, now_ns) - now_ns <= s->burst * s->every_ns;
}

/* Columns that others have run further into debt stay as they are. */
void
pace_sketch_charge(struct pace_sketch *s, uint64_t places, int64_t now_ns)
{
	int64_t paid_ns = debt(s, places, now_ns);

	for (int row = 0; row < PACE_SKETCH_ROWS; row++)
		if (*column(s, places, row) < paid_ns)
			*column(s, places, row) = paid_ns;
}
