/*
 * block.h - the parts of pace_text_point, which is in block.c.
 *
 * Purpose    private to out/: what block.c, gaps.c and csv.c share.
 */
#ifndef PACE_OUT_BLOCK_H
#define PACE_OUT_BLOCK_H

#include "doc/result.h"
#include "out/say.h"
#include "out/scale.h"

#define PACE_BLOCK_LABEL	18	/* columns before the first figure */

struct pace_block {
	struct pace_say	s;
	const struct pace_point *p;
	struct pace_scale rate, time;
};

void	pace_block_label(const struct pace_block *b, const char *text);
/* Departures and arrivals, and the picture of the arrivals. */
void	pace_block_gaps(const struct pace_block *b);
/* One-way delays, and how well they are known. */
void	pace_block_delays(const struct pace_block *b);
void	pace_block_detail(const struct pace_block *b);
/* Its part about what the hosts spent. */
void	pace_block_hosts(const struct pace_block *b);
/* Energy, where it is known. */
void	pace_block_energy(const struct pace_block *b);
/* Its part about clocks. */
void	pace_block_clocks(const struct pace_block *b);

#endif
