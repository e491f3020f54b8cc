/*
 * byte_sketch.h - what each network used of a day, in fixed memory.
 *
 * Purpose    the bytes of any number of networks (core/io.h: IPv4 /24, IPv6 /48), each
 *            under each rule, for budget-per-network.
 * Memory     fixed, 256 KiB.
 * Method     count-min: a network has one column in each row, by a keyed hash, and the
 *            least of them counts; only columns below the new count are raised.
 * Invariant  a network is never counted less than it used, so that no flood of networks
 *            gets one of them more.
 * Limits     it is counted more where each of its columns is shared with another network
 *            that used as much: where 100 networks have used up their budgets that is 1
 *            of 40 million others.
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
	uint8_t	key[16];	/* random: nobody can choose a network's columns */
	int64_t	day;		/* since 1970; a clock that is set back makes no new day */
	double	bytes[PACE_BYTE_RATE_SKETCH_ROWS][1 << PACE_BYTE_RATE_SKETCH_COLUMN_BITS];
};

/* -EIO: no random numbers. */
int	pace_byte_rate_sketch_init(struct pace_byte_rate_sketch *s);

/* The columns of the network that this address is in, under this rule. */
uint64_t	pace_byte_rate_sketch_columns(const struct pace_byte_rate_sketch *s, const char *rule,
	    const struct pace_addr *a);

/* Count so many more; what was used on that day, with these. */
double	pace_byte_rate_sketch_use(struct pace_byte_rate_sketch *s, uint64_t columns, int64_t day,
	    double bytes);

#endif
