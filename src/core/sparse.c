#include "core/sparse.h"

#include <string.h>

#define BLOCK	1024	/* a part of a page */

static const char zeros[BLOCK];

void
pace_sparse_zero(void *to, size_t size)
{
	char *p = to;

	for (size_t at = 0; at < size; at += BLOCK) {
		size_t n = size - at < BLOCK ? size - at : BLOCK;

		if (memcmp(p + at, zeros, n) != 0)
			memset(p + at, 0, n);
	}
}

void
pace_sparse_copy(void *to, const void *from, size_t size)
{
	char *p = to;
	const char *q = from;

	for (size_t at = 0; at < size; at += BLOCK) {
		size_t n = size - at < BLOCK ? size - at : BLOCK;

		if (memcmp(p + at, q + at, n) != 0)
			memcpy(p + at, q + at, n);
	}
}
