/*
 * metrics.h - writes the totals as OpenMetrics text.
 *
 * Names      udpace_..., counters end in _total, units are base units (bytes, seconds) and
 *            part of the name.  Names never change, because dashboards use them.
 * Source     OpenMetrics 1.0: the lines of a family stand together, the text ends in "# EOF".
 */
#ifndef PACE_LIVE_METRICS_H
#define PACE_LIVE_METRICS_H

#include <stddef.h>
#include <stdio.h>

#include "live/totals.h"
#include "server/session_stats.h"

#define PACE_METRICS_TYPE	"application/openmetrics-text; version=1.0.0; charset=utf-8"

/* The text, malloced; *size without the final zero; NULL: no memory. */
/* Begin a family; unit may be NULL.  End the text. */
void	pace_metrics_family(FILE *f, const char *name, const char *type, const char *unit,
	    const char *help);
void	pace_metrics_end(FILE *f);

/* streams: of the client that measures, if it has n > 1 of them; number 0: not known.  A label has
 * the number of the stream, so there are at most PACE_STREAMS. */
char	*pace_metrics_text(const struct pace_totals *t, const struct pace_stream_stats *streams,
	    size_t n, size_t *size);

#endif
