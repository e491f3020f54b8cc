/*
 * align.h - how far the stamps of two captures of one path are apart.
 *
 * Purpose    frames can only be matched (match.h) when both captures are read at about
 *            the same place: clocks may be hours apart, and one capture may have begun
 *            long before the other.
 * Sample     the frames whose key's hash is low: in both captures the same ones, wherever
 *            these begin.  How low is what room there is for: it is halved when more than
 *            PACE_CAP_SAMPLE different ones were met.  Of a key the first stamp counts, and
 *            how often it came.
 * Common     keys that came once in each capture, those that came more often where there are
 *            fewer than PACE_CAP_ALIGN_FEW of the former.
 * Line       common keys in order of time, in at most PACE_CAP_ALIGN_BLOCKS blocks; each
 *            has the median of second stamp - first stamp: drift and steps of a clock are
 *            followed, a few keys that only look alike do no harm.
 * Units      ns.  The difference is the clocks' and the path's together.
 * Memory     the caller's, some 800 KiB a sample; no allocation.   Threads  none.
 * Cost       some 10 ns a frame; align sorts the sample.
 * Trust      keys and stamps are anything; a search is PACE_CAP_SAMPLE_TRIES slots long at
 *            most, and what finds none is left out.
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
	uint64_t	below;		/* hashes that are kept */
	uint32_t	n;		/* slots in use */
	struct pace_cap_sampled {
		uint64_t	hash;
		int64_t		t_ns;	/* the first */
		uint32_t	times;	/* 0: the slot is free */
		uint32_t	flow;
	} slot[2 * PACE_CAP_SAMPLE];
};

/* In both. */
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

/* A frame of a flow, which both captures number alike. */
void	pace_cap_sample_add(struct pace_cap_sample *s, uint32_t flow, uint64_t key, int64_t t_ns);

/* How many there are in v, which has room for PACE_CAP_SAMPLE.  Both samples are empty
 * afterwards. */
size_t	pace_cap_common(struct pace_cap_sample *x, struct pace_cap_sample *y,
	    struct pace_cap_common *v);

/* The line of one flow's; v is sorted.  n of a is 0 where it has none. */
void	pace_cap_align(struct pace_cap_align *a, struct pace_cap_common *v, size_t n, uint32_t flow);

/* The second capture's stamp less the first's, at the first's t_ns; 0: nothing is known. */
int64_t	pace_cap_align_at(const struct pace_cap_align *a, int64_t t_ns);

/* By how much (the median) those of a flow are further apart than the line says.  v is
 * sorted anew.  How many there are; 0: *more_ns is 0. */
size_t	pace_cap_align_more(const struct pace_cap_align *a, struct pace_cap_common *v, size_t n,
	    uint32_t flow, int64_t *more_ns);

#endif
