/*
 * cells.h - tables of CSV columns: what csv.c and latency_csv.c share.
 *
 * Purpose    private to out/: a column is a name, a unit, and how its cell is
 *            written from a member of the point.
 * Cells      an empty one was not measured or does not apply.
 */
#ifndef PACE_OUT_CELLS_H
#define PACE_OUT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "doc/result.h"

/* The header is name_unit, put writes the cell from the member at offset at,
 * or nothing. */
struct pace_csv_column {
	const char	*name, *unit;
	void		(*put)(FILE *f, const void *member, const struct pace_csv_column *c);
	size_t		at;
	bool		rx;	/* the responder's: empty when its part is missing */
	double		q;	/* of a histogram */
};

/* Types of the member: uint64_t; uint32_t; bool; int64_t; int64_t. */
void	pace_cell_count(FILE *f, const void *member, const struct pace_csv_column *c);
void	pace_cell_u32(FILE *f, const void *member, const struct pace_csv_column *c);
void	pace_cell_flag(FILE *f, const void *member, const struct pace_csv_column *c);
void	pace_cell_integer(FILE *f, const void *member, const struct pace_csv_column *c);
void	pace_cell_positive(FILE *f, const void *member, const struct pace_csv_column *c);	/* 0: empty */
void	pace_cell_verdict(FILE *f, const void *member, const struct pace_csv_column *c);
/* struct pace_hist */
void	pace_cell_hist_count(FILE *f, const void *member, const struct pace_csv_column *c);
void	pace_cell_hist_min(FILE *f, const void *member, const struct pace_csv_column *c);
void	pace_cell_hist_max(FILE *f, const void *member, const struct pace_csv_column *c);
void	pace_cell_hist_mean(FILE *f, const void *member, const struct pace_csv_column *c);
void	pace_cell_hist_stddev(FILE *f, const void *member, const struct pace_csv_column *c);
void	pace_cell_hist_quantile(FILE *f, const void *member, const struct pace_csv_column *c);
/* struct pace_notes: the codes, separated by blanks. */
void	pace_cell_codes(FILE *f, const void *member, const struct pace_csv_column *c);

/* Not finite: nothing. */
void	pace_cell_real(FILE *f, double v, int decimals);

#define PACE_HIST_COLUMNS(rx, name, at) \
	{ name "_min", "ns", pace_cell_hist_min, at, rx, 0 }, \
	{ name "_mean", "ns", pace_cell_hist_mean, at, rx, 0 }, \
	{ name "_stddev", "ns", pace_cell_hist_stddev, at, rx, 0 }, \
	{ name "_p1", "ns", pace_cell_hist_quantile, at, rx, 0.01 }, \
	{ name "_p50", "ns", pace_cell_hist_quantile, at, rx, 0.5 }, \
	{ name "_p90", "ns", pace_cell_hist_quantile, at, rx, 0.9 }, \
	{ name "_p99", "ns", pace_cell_hist_quantile, at, rx, 0.99 }, \
	{ name "_p99_9", "ns", pace_cell_hist_quantile, at, rx, 0.999 }, \
	{ name "_max", "ns", pace_cell_hist_max, at, rx, 0 }

/* 0 or -errno of the stream. */
int	pace_cells_head(FILE *f, const struct pace_csv_column *v, size_t n);
int	pace_cells_row(FILE *f, const struct pace_csv_column *v, size_t n, const void *point,
	    bool has_rx);

#endif
