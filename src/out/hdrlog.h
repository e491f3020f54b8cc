/*
 * hdrlog.h - histograms as a log of HdrHistogram, one line a point.
 *
 * Format     histogram log 1.2: comments, a legend, then lines of tag, start
 *            and length in s, maximum, and the histogram in base64: cookie
 *            0x1c849314, length, and zlib's deflate of cookie 0x1c849313, length,
 *            offset 0, digits 2, lowest 1, highest 2^40 - 1, ratio 1.0, and the
 *            counts as ZigZag LEB128, a negative one being a run of empty bins.
 *            Numbers before the counts are big-endian.
 * Bins       ours are HdrHistogram's with 2 digits: counts go over one by one.
 * Negatives  it has none: bins below 0 are left out, the caller tells.
 * Maximum    in ms of a histogram of ns, as its own writers do; else as it is.
 * Times      from the start of the run; each line is as long as its frames took to
 *            leave.
 * zlib       without it only the encoding is there: pace_hdrlog_works.
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

/* Of a build. */
bool	pace_hdrlog_works(void);

/* Bytes written, at most PACE_ZIGZAG_MAX. */
size_t	pace_zigzag(uint8_t *to, int64_t v);

/* The histogram before it is deflated; bytes written. */
size_t	pace_hdrlog_encode(uint8_t to[PACE_HDRLOG_MAX], const struct pace_hist *h);

struct pace_hdrlog_line {
	const char	*tag;		/* without blanks and commas */
	double		start_s, length_s;
	bool		ns;		/* what the histogram is of; else frames */
};

/* RFC 3339, UTC, as s since the epoch; false: it is not. */
bool	pace_hdrlog_epoch(const char *started, double *s);

int	pace_hdrlog_head(FILE *f, const struct pace_result *r);
int	pace_hdrlog_put(FILE *f, const struct pace_hdrlog_line *line, const struct pace_hist *h);

/* Values below 0. */
uint64_t	pace_hdrlog_left_out(const struct pace_hist *h);

#endif
