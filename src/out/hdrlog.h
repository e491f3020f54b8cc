/*
 * hdrlog.h - write histograms as a log of HdrHistogram, one line a point.
 *
 * Format     histogram log 1.2: comments, a legend, then lines of tag, start
 *            and length in s, maximum, and the histogram in base64: cookie
 *            0x1c849314, length, and zlib's deflate of cookie 0x1c849313, length,
 *            offset 0, digits 2, lowest 1, highest 2^40 - 1, ratio 1.0, and the
 *            counts as ZigZag LEB128; a negative number is a run of empty bins.
 *            Numbers before the counts are big-endian.
 * Bins       our bins are those of HdrHistogram with 2 digits: each count is copied.
 * Negatives  the format has no negative values: bins below 0 are left out; the
 *            caller reports them (pace_hdrlog_left_out).
 * Maximum    in ms for a histogram of ns, as in HdrHistogram's own logs; otherwise
 *            in the histogram's unit.
 * Times      from the start of the run; the length is the time during which the
 *            point's frames departed.
 * zlib       without zlib only the encoding works: pace_hdrlog_works.
 * Errors     0 or -errno; -ENOSYS without zlib.
 * Source     HdrHistogram's V2 encoding and HistogramLogWriter (G. Tene).
 */
#ifndef PACE_OUT_HDRLOG_H
#define PACE_OUT_HDRLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/hist.h"
#include "doc/result.h"

#define PACE_ZIGZAG_MAX		9	/* bytes of a number */
#define PACE_HDRLOG_MAX		(40 + PACE_HIST_BINS * PACE_ZIGZAG_MAX)

/* Return whether this build has zlib. */
bool	pace_hdrlog_works(void);

/* Encode v; return the number of bytes, at most PACE_ZIGZAG_MAX. */
size_t	pace_zigzag(uint8_t *to, int64_t v);

/* Encode the histogram, not yet compressed; return the number of bytes. */
size_t	pace_hdrlog_encode(uint8_t to[PACE_HDRLOG_MAX], const struct pace_hist *h);

struct pace_hdrlog_line {
	const char	*tag;		/* without blanks and commas */
	double		start_s, length_s;
	bool		ns;		/* true: histogram of ns; false: of frames */
};

/* Convert an RFC 3339 time in UTC to s since the epoch; false: it is not such a time. */
bool	pace_hdrlog_epoch(const char *started, double *s);

int	pace_hdrlog_head(FILE *f, const struct pace_result *r);
int	pace_hdrlog_put(FILE *f, const struct pace_hdrlog_line *line, const struct pace_hist *h);

/* Return the number of values below 0, which the log leaves out. */
uint64_t	pace_hdrlog_left_out(const struct pace_hist *h);

#endif
