/*
 * cursor.h - read and write big-endian bytes without ever leaving the buffer.
 *
 * Purpose    straight-line codecs that test for trouble once, at the end.
 * Errors     sticky: after the first read or write beyond the end every
 *            later one does nothing (reads give 0) and bad stays set.
 * Threads    none.
 */
#ifndef PACE_CORE_CURSOR_H
#define PACE_CORE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pace_rd {
	const uint8_t	*p;
	size_t		left;
	bool		bad;
};

struct pace_wr {
	uint8_t		*p;
	size_t		left;
	bool		bad;
};

static inline uint64_t
pace_rd_be(struct pace_rd *r, size_t n)		/* next n <= 8 bytes */
{
	uint64_t v = 0;

	if (r->bad || r->left < n) {
		r->bad = true;
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		v = v << 8 | r->p[i];
	r->p += n;
	r->left -= n;
	return v;
}

static inline void
pace_wr_be(struct pace_wr *w, uint64_t v, size_t n)	/* low n <= 8 bytes of v */
{
	if (w->bad || w->left < n) {
		w->bad = true;
		return;
	}
	for (size_t i = n; i-- > 0; v >>= 8)
		w->p[i] = (uint8_t)v;
	w->p += n;
	w->left -= n;
}

#endif
