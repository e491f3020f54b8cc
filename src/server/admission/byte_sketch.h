/*
 * byte_sketch.h - count the bytes each network used in a day, in fixed memory.
 *
 * Purpose    the bytes of any number of networks (core/io.h: IPv4 /24, IPv6 /48), for
 *            budget-per-network; each rule counts separately.
 * Memory     fixed, 256 KiB.
 * Method     count-min: a keyed hash gives a network one column in each row.  The least of
 *            these columns is the network's count; only columns below the new count rise.
 * Invariant  a network is never counted less than it used, so a flood from many networks
 *            does not enlarge the budget of any.
 * Limits     a network is counted too high if each of its columns is shared with another
 *            network that used at least as much.  If 100 networks have used up their
 *            budgets, this happens to 1 of 40 million others.
 * Source     Cormode, Muthukrishnan 2005; conservative update: Estan, Varghese 2002.
 * Threads    one at a time.
 */
#ifndef PACE_SERVER_ADMISSION_BYTE_SKETCH_H
#define PACE_SERVER_ADMISSION_BYTE_SKETCH_H

#include <stdint.h>

#include "core/io.h"

#define PACE_BYTE_RATE_SKETCH_ROWS		4
#define PACE_BYTE_RATE_SKETCH_COLUMN_BITS	13

struct pace_byte_rate_sketch {
	uint8_t	key[16];	/* random, so that no client can choose its columns */
	int64_t	day;		/* since 1970; setting the clock back starts no new day */
	double	bytes[PACE_BYTE_RATE_SKETCH_ROWS][1 << PACE_BYTE_RATE_SKETCH_COLUMN_BITS];
};

/* -EIO: no random numbers. */
int	pace_byte_rate_sketch_init(struct pace_byte_rate_sketch *s);

/* Return the columns, under this rule, of the network that contains this address. */
uint64_t	pace_byte_rate_sketch_columns(const struct pace_byte_rate_sketch *s,
	    const char *rule, const struct pace_addr *a);

/* Count these bytes on that day; returns the network's bytes of the day, including them. */
double	pace_byte_rate_sketch_use(struct pace_byte_rate_sketch *s, uint64_t columns, int64_t day,
	    double bytes);

#endif
