/*
 * table.h - print the lines that make up the tables for people.
 *
 * Purpose    labels, counts, figures of histograms, their picture, and tables with
 *            one row a point.  The caller chooses the content, table.c the layout.
 * Rule       an unknown value is "-", never 0: PACE_NOT_KNOWN for counts, NAN for figures.
 * Units      histograms and rows are given in base units (ns, bit/s, frames);
 *            struct pace_scale is the unit in which they are shown.
 */
#ifndef PACE_OUT_TABLE_H
#define PACE_OUT_TABLE_H

#include "doc/flag.h"
#include "doc/result.h"
#include "out/say.h"
#include "out/scale.h"
#include "out/strip.h"

#define PACE_LABEL		18	/* column of a line's first figure */
#define PACE_COUNT_WIDTH	14
#define PACE_NOT_KNOWN		UINT64_MAX
#define PACE_COUNT_OF(a)	(sizeof(a) / sizeof((a)[0]))

void	pace_say_label(const struct pace_say *s, const char *label);

/* A count, its share of whole unless that is 0, and words unless they are NULL or "". */
struct pace_counted {
	const char	*label;
	uint64_t	n, whole;
	const char	*words;
};

void	pace_say_counted(const struct pace_say *s, int width, const struct pace_counted *c);
/* Print those of the n counts that are above 0: each one is a problem. */
void	pace_say_troubles(const struct pace_say *s, const struct pace_counted *v, size_t n);

/* Print messages, of this name: complete, incomplete, lost. */
void	pace_say_messages(const struct pace_say *s, const char *name,
	    const struct pace_message_stats *m);

/* Print lost frames and their runs; reordered frames and their extent.  r NULL: not known. */
void	pace_say_lost(const struct pace_say *s, const struct pace_rx_result *r);
void	pace_say_reordered(const struct pace_say *s, const struct pace_rx_result *r);

/* --- figures of histograms, a line each -------------------------------------------- */

enum pace_hist_figure { PACE_MIN, PACE_MAX, PACE_MEAN, PACE_STDDEV, PACE_QUANTILE };

struct pace_hist_column {
	const char	*title;
	int		width;
	enum pace_hist_figure kind;
	double		q;
};
#define PACE_HIST_FIGURES	6

struct pace_hist_table {
	int		label;		/* column of the first figure */
	const char	*behind;	/* title of the text after the unit */
	int		n;
	struct pace_hist_column v[PACE_HIST_FIGURES];
};

/* For gaps and delays: min p50 p99 p99.9 max; delays have room for a sign.  For spread: mean
 * std dev p1 p50 p99. */
extern const struct pace_hist_table pace_gap_table, pace_delay_table, pace_spread_table;
extern const struct pace_scale pace_in_frames, pace_in_ns;

struct pace_hist_line {
	const char	*label;
	const struct pace_hist *h;
	const struct pace_scale *u;
};

/* Return a figure of h in base units; NAN: too few values. */
double	pace_figure_of(const struct pace_hist *h, enum pace_hist_figure kind, double q);

void	pace_say_hist_head(const struct pace_say *s, const struct pace_hist_table *t,
	    const char *name);
/* Print a line of figures.  A figure that is too wide loses decimals, then digits, like the
 * cells of a row.  v: the figures of t in base units; stamp: text after the unit, may be
 * NULL. */
void	pace_say_figures(const struct pace_say *s, const struct pace_hist_table *t,
	    const char *label, const double *v, const struct pace_scale *u, const char *stamp);
void	pace_say_hists(const struct pace_say *s, const struct pace_hist_table *t,
	    const struct pace_hist_line *v, size_t n);

/* A strip with the values of its edges, and a marked value below it. */
struct pace_picture {
	const char	*title;
	const struct pace_strip *strip;
	const char	*mark;		/* "requested"; NULL: no mark */
	double		mark_ns;
};

void	pace_say_picture(const struct pace_say *s, const struct pace_picture *p,
	    const struct pace_scale *u);

void	pace_say_notes(const struct pace_say *s, const char *first, const struct pace_notes *n);

/* --- a row a point --------------------------------------------------------------------- */

/* In place of a number of decimals. */
#define PACE_AS_PERCENT		(-1)	/* a ratio, shown in per cent */
#define PACE_IN_GROUPS		(-2)	/* groups of three digits */
#define PACE_THAT_FIT		(-3)	/* as many as fit, at most 2 */
#define PACE_AS_TRANSPORT	(-5)	/* 0: UDP, 1: TCP */
#define PACE_AS_DIRECTION	(-4)	/* enum pace_direction, by its name */

struct pace_column {
	const char	*title;
	int		width, unit;	/* unit: index into the table's units */
};

struct pace_row_table {
	const struct pace_column *v;
	size_t		n;
	const struct pace_scale *units;
	unsigned	left_out;	/* bit i: column i is left out */
};

void	pace_say_heads(const struct pace_say *s, const struct pace_row_table *t);
/* The same, to a stream: 0 or -errno of it. */
int	pace_row_table_head(FILE *f, const struct pace_row_table *t, bool utf8);
/* Print the cells of a row; the line is not ended.  v has a value in base units for each
 * column, including those left out.  A value that is too wide loses decimals, then digits
 * ("12.3M"), so the next column stays in place. */
void	pace_say_cells(const struct pace_say *s, const struct pace_row_table *t, const double *v);
/* Print the flags at the end of a row, at most room letters; "+" replaces the last ones if
 * there are more. */
void	pace_say_flags(const struct pace_say *s, size_t room, const char *flags);
/* Print below the table what the flags mean. */
void	pace_say_legend(const struct pace_say *s, const struct pace_flags *used);
/* Print a line, and then that: 0 or -errno of the stream. */
int	pace_row_table_foot(FILE *f, const char *line, const struct pace_flags *used, bool utf8);

#endif
