/*
 * text.h - print the tables for people.
 *
 * Head       the parameters of the run, as the program understood them.
 * Point      one run as a block: requested, sent and received side by side,
 *            lost frames with their locations, gaps with a picture, delays
 *            with their error.
 * Rows       a sweep, one line a point, below a heading with the units.
 * Rule       a value that was not measured is "-", never 0; units are in headings or
 *            in a column of their own; a row ends with its flags (flag.h).  80 columns.
 * utf8       false: ASCII only (us for µs, bars of punctuation).
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_TEXT_H
#define PACE_OUT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/rates.h"
#include "doc/flag.h"
#include "doc/result.h"
#include "out/scale.h"

/* Print the head.  link NULL: nothing about the wire. */
int	pace_text_head(FILE *f, const struct pace_result *r,
	    const struct pace_link *link, const struct pace_params *asks, size_t n,
	    bool utf8);

int	pace_text_point(FILE *f, const struct pace_point *p, bool detail, bool utf8);

/* Name a point in a sentence: "1472 B every 12.5 us, 4 streams, DSCP 46, from the responder". */
#define PACE_POINT_NAME	160
char	*pace_point_name(const struct pace_params *a, char buf[PACE_POINT_NAME]);

/* An interval of a run that goes on.  lost: as far as known; below 0: frames arrived late that
 * counted as lost before. */
struct pace_live_interval {
	enum pace_direction direction;
	int64_t		from_ns, to_ns;
	uint64_t	sent;		/* UINT64_MAX: not known */
	uint64_t	received, socket_lost;
	int64_t		lost;
	double		user_rate_bps;
};

/* Print a row; v NULL: the heads of the columns.  a: the point's parameters. */
int	pace_text_interval(FILE *f, const struct pace_params *a, const struct pace_live_interval *v,
	    bool utf8);

/* Units and columns of a sweep's rows. */
struct pace_rows {
	struct pace_scale rate, time;
	size_t		dscps;		/* several code points have a column */
	size_t		streams;	/* so have several numbers of streams */
	bool		two_way;	/* so has the direction */
	struct pace_flags *flags;	/* receives the flags of the rows; may be NULL */
};
#define PACE_DSCP_WIDTH	5

/* Units of columns, also of a sender's rows (send_text.h). */
enum { PACE_ROW_NUMBER, PACE_ROW_BYTES, PACE_ROW_TIME, PACE_ROW_RATE, PACE_ROW_FRAMES,
    PACE_ROW_PERCENT, PACE_ROW_WAY, PACE_ROW_UNITS };
void	pace_text_row_units(const struct pace_rows *rows, struct pace_scale units[PACE_ROW_UNITS]);

struct pace_rows	pace_text_rows(const struct pace_params *asks, size_t n);
int	pace_text_row_head(FILE *f, const struct pace_rows *rows, bool utf8);
int	pace_text_row(FILE *f, const struct pace_rows *rows,
	    const struct pace_point *p, bool utf8);
/* Print below the rows what their flags mean. */
int	pace_text_row_foot(FILE *f, const struct pace_flags *used, bool utf8);

/* Print the last line of a run: the number of findings on the hosts that may have disturbed
 * it. Prints nothing if there are none. */
int	pace_text_tail(FILE *f, const struct pace_result *r, bool utf8);

#endif
