/*
 * block.h - the parts of pace_text_point, which block.c implements.
 *
 * Purpose    private to out/: shared by block.c, gaps.c, delays.c, hosts.c and
 *            intervals_text.c.
 */
#ifndef PACE_OUT_BLOCK_H
#define PACE_OUT_BLOCK_H

#include "doc/result.h"
#include "out/say.h"
#include "out/scale.h"

struct pace_block {
	struct pace_say	s;
	const struct pace_point *p;
	struct pace_scale rate, time;
};

/* Return the label of what a capture saw at this host's interface, or at the responder's; rx: at
 * the receiver's. */
static inline const char *
pace_block_wire(const struct pace_point *p, bool rx)
{
	return rx == (p->ask.direction == PACE_UP) ? "wire, responder" : "on the wire";
}

/* Print departure gaps, arrival gaps and the picture of the arrival gaps. */
void	pace_block_gaps(const struct pace_block *b);
/* Print one-way delays and their error. */
void	pace_block_delays(const struct pace_block *b);
void	pace_block_detail(const struct pace_block *b);
/* Print the resources that both hosts used. */
void	pace_block_hosts(const struct pace_block *b);
/* Print a row an interval, if there are any. */
void	pace_block_intervals(const struct pace_block *b);
/* Print the energy, if it was measured. */
void	pace_block_energy(const struct pace_block *b);
/* Print the clock estimates. */
void	pace_block_clocks(const struct pace_block *b);

#endif
