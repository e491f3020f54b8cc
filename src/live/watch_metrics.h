/*
 * watch_metrics.h - watched paths as OpenMetrics text, with histograms of their delays.
 *
 * Labels     peer: the path's name.
 * Buckets    powers of two ns from 4 us to 4 s: at these edges the counts of coarse_hist.h are exact.
 *            There is no sum, because some values may be below 0, and so no count but that of +Inf.
 * Lost       is a gauge: it goes down when a late frame arrives.
 * Memory     the text, malloced.   Errors  NULL: no memory.
 */
#ifndef PACE_LIVE_WATCH_METRICS_H
#define PACE_LIVE_WATCH_METRICS_H

#include <stddef.h>

#include "doc/watched.h"

/* path: return path i; what it returns is valid until the next call. */
char	*pace_watch_metrics_text(const struct pace_watched *(*path)(void *ctx, size_t i), void *ctx,
	    size_t n, size_t *size);

#endif
