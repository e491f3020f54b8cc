/*
 * sparse.h - zero and copy large memory that is mostly zero.
 *
 * Purpose    a histogram has 70 KiB and few occupied bins.  Memory that is zero already, or
 *            equal already, is only read.  Pages that were never written therefore use no memory,
 *            and many streams need little.
 * Cost       about as much as memset and memcpy.
 * Memory     none.   Threads  any.
 */
#ifndef PACE_CORE_SPARSE_H
#define PACE_CORE_SPARSE_H

#include <stddef.h>

void	pace_sparse_zero(void *to, size_t size);
void	pace_sparse_copy(void *to, const void *from, size_t size);

#endif
