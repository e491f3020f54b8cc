/*
 * summary_own.h - what the front page's tables are made of; for verdict*.c alone.
 */
#ifndef PACE_REPORT_SUMMARY_OWN_H
#define PACE_REPORT_SUMMARY_OWN_H

#include "report/summary.h"

/* A row's next cell: of numbers; of one, "–" where it is NAN; in µs; of words. */
void	pace_cell_print(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void	pace_cell_number(FILE *f, double v, int digits);
void	pace_cell_micros(FILE *f, double ns);
void	pace_cell_words(FILE *f, const char *text);

/* Median, 99 and 99.9 %, in µs. */
void	pace_cell_quantiles(FILE *f, const struct pace_bins *b);

/* A table's first row. */
void	pace_cell_heads(FILE *f, const char *const *head, size_t n);
#define HEADS(f, ...) \
	pace_cell_heads(f, (const char *const[]){ __VA_ARGS__ }, \
	    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

/* Tables of a run; those of what it has not are left out. */
void	pace_summary_rtt(FILE *f, const struct pace_run *r);
void	pace_summary_clocks(FILE *f, const struct pace_run *r);
void	pace_summary_capacity(FILE *f, const struct pace_run *r);
void	pace_summary_hosts(FILE *f, const struct pace_run *r);

#endif
