/*
 * cells.h - tables of CSV columns.
 *
 * Purpose    a column has a name, a unit, and the way its cell is written from a member of the point.
 * Cells      an empty cell was not measured or does not apply.
 */
#ifndef PACE_OUT_CELLS_H
#define PACE_OUT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "doc/result.h"

/* The type of the member at offset at. */
enum pace_cell {
	PACE_CELL_OWN,		/* put writes the cell, which may stay empty */
	PACE_CELL_COUNT,	/* uint64_t */
	PACE_CELL_U32,
	PACE_CELL_FLAG,		/* bool */
	PACE_CELL_INTEGER,	/* int64_t */
	PACE_CELL_POSITIVE,	/* int64_t; 0: empty */
	PACE_CELL_REAL,		/* double with q decimals */
	PACE_CELL_RATE,		/* a rate: REAL, but empty if 0 (not computed) */
	PACE_CELL_TEXT,		/* char array of characters that need no quotes */
	PACE_CELL_DIRECTION,
	PACE_CELL_VERDICT,
	PACE_CELL_CODES,	/* struct pace_notes: the codes, separated by blanks */
	/* struct pace_hist */
	PACE_CELL_N,
	PACE_CELL_MIN,
	PACE_CELL_MAX,
	PACE_CELL_MEAN,
	PACE_CELL_STDDEV,
	PACE_CELL_QUANTILE,	/* q */
};

/* A column; its header is name_unit. */
struct pace_csv_column {
	const char	*name, *unit;
	enum pace_cell	cell;
	size_t		at;
	bool		(*known)(const void *point);	/* NULL: always known */
	double		q;
	void		(*put)(FILE *f, const void *member, const struct pace_csv_column *c);
};

/* Write v with that number of decimals; write nothing if v is not finite. */
void	pace_cell_real(FILE *f, double v, int decimals);

/* Write the codes of n.  They may come from a file: a character that would need quotes
 * becomes '?'. */
void	pace_cell_codes(FILE *f, const struct pace_notes *n);

/* Define the function `known` of a column: whether the point p has the value. */
#define PACE_IS_KNOWN(name, type, what) \
	static bool \
	name(const void *point) \
	{ \
		const type *p = point; \
		return what; \
	}

#define PACE_OWN_COLUMN(name, unit, put, at, known) \
	{ name, unit, PACE_CELL_OWN, at, known, 0, put }
#define PACE_HIST_COLUMNS(known, name, at) \
	{ name "_min", "ns", PACE_CELL_MIN, at, known, 0, NULL }, \
	{ name "_mean", "ns", PACE_CELL_MEAN, at, known, 0, NULL }, \
	{ name "_stddev", "ns", PACE_CELL_STDDEV, at, known, 0, NULL }, \
	{ name "_p1", "ns", PACE_CELL_QUANTILE, at, known, 0.01, NULL }, \
	{ name "_p50", "ns", PACE_CELL_QUANTILE, at, known, 0.5, NULL }, \
	{ name "_p90", "ns", PACE_CELL_QUANTILE, at, known, 0.9, NULL }, \
	{ name "_p99", "ns", PACE_CELL_QUANTILE, at, known, 0.99, NULL }, \
	{ name "_p99_9", "ns", PACE_CELL_QUANTILE, at, known, 0.999, NULL }, \
	{ name "_max", "ns", PACE_CELL_MAX, at, known, 0, NULL }

/* Print those cells of line, a CSV row below head, whose column is in names (comma
 * separated); NULL: all cells.  No cell may contain a comma. */
void	pace_csv_pick(FILE *f, const char *head, const char *line, const char *names,
    char separator);

/* Print the header, or the row of a point; return 0 or -errno of the stream. */
int	pace_cells_head(FILE *f, const struct pace_csv_column *v, size_t n);
int	pace_cells_row(FILE *f, const struct pace_csv_column *v, size_t n, const void *point);

#endif
