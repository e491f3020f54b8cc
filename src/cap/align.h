/*
 * align.h - estimate the time difference between two captures of one path.
 *
 * Purpose    matching frames (match.h) requires that both captures are read at about the
 *            same time.  Their clocks may differ by hours, and one capture may start long
 *            before the other.
 * Sample     frames whose key has a low hash.  These are the same in both captures,
 *            wherever the captures start.  The hash limit is halved whenever the sample
 *            has more than PACE_CAP_SAMPLE keys.  The sample stores each key's first stamp
 *            and its number of frames.
 * Common     keys with one frame in each capture.  If there are fewer than
 *            PACE_CAP_ALIGN_FEW of them, keys with several frames are used too.
 * Line       common keys in order of time, divided into at most PACE_CAP_ALIGN_BLOCKS
 *            blocks.  Each block has the median of second stamp - first stamp: this follows
 *            drift and steps of a clock, and a few wrong pairs do no harm.
 * Units      ns.  The difference includes the clocks' offset and the path's delay.
 * Memory     the caller's, some 800 KiB a sample; no allocation.   Threads  none.
 * Cost       some 10 ns a frame; align sorts the sample.
 * Trust      keys and stamps may have any value.  A search visits at most
 *            PACE_CAP_SAMPLE_TRIES slots; a key that finds no free one is left out.
 */
#ifndef PACE_CAP_ALIGN_H
#define PACE_CAP_ALIGN_H

#include <stddef.h>
#include <stdint.h>

#define PACE_CAP_SAMPLE		16384
#define PACE_CAP_SAMPLE_TRIES	64
#define PACE_CAP_ALIGN_BLOCKS	64
#define PACE_CAP_ALIGN_FEW	8

struct pace_cap_sample {
	uint64_t	below;		/* hashes below this are in the sample */
	uint32_t	n;		/* slots in use */
	struct pace_cap_sampled {
		uint64_t	hash;
		int64_t		t_ns;	/* the first */
		uint32_t	times;	/* 0: the slot is free */
		uint32_t	flow;
	} slot[2 * PACE_CAP_SAMPLE];
};

/* A key of both captures. */
struct pace_cap_common {
	int64_t		t_ns;		/* in the first capture */
	int64_t		apart_ns;	/* the second's stamp - the first's */
	uint32_t	flow;
};

struct pace_cap_align {
	size_t		n;		/* blocks; 0: nothing is known */
	struct {
		int64_t		from_ns, apart_ns;
	} block[PACE_CAP_ALIGN_BLOCKS];
};

void	pace_cap_sample_reset(struct pace_cap_sample *s);

/* Add a frame of a flow; both captures use the same flow numbers. */
void	pace_cap_sample_add(struct pace_cap_sample *s, uint32_t flow, uint64_t key, int64_t t_ns);

/* Find the common keys; v has room for PACE_CAP_SAMPLE.  Returns their number and empties
 * both samples. */
size_t	pace_cap_common(struct pace_cap_sample *x, struct pace_cap_sample *y,
	    struct pace_cap_common *v);

/* Compute the line of one flow; sorts v.  a->n is 0 if the flow has no common keys. */
void	pace_cap_align(struct pace_cap_align *a, struct pace_cap_common *v, size_t n,
	    uint32_t flow);

/* The second capture's stamp minus the first's, at the first's t_ns; 0 when not known. */
int64_t	pace_cap_align_at(const struct pace_cap_align *a, int64_t t_ns);

/* The median difference of a flow's keys from the line; sorts v.  Returns the number of
 * keys; 0: *more_ns is 0. */
size_t	pace_cap_align_more(const struct pace_cap_align *a, struct pace_cap_common *v, size_t n,
	    uint32_t flow, int64_t *more_ns);

#endif
