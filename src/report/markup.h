/*
 * markup.h - write pieces of the page: texts, and cells of tables.
 *
 * Trust      every text is escaped.
 * Numbers    a value that was not measured (NAN) is "–".
 */
#ifndef PACE_REPORT_MARKUP_H
#define PACE_REPORT_MARKUP_H

#include <stdio.h>

#include "report/bins.h"

/* In heads of columns, this text is replaced by the unit of the rates shown. */
#define PACE_CELL_RATE	"Mbit/s"

/* Write text, escaped for element content and quoted attributes. */
void	pace_html_text(FILE *f, const char *text);

/* Write the next cell of a row: printf format for numbers; a number with that many digits; a
 * count of frames, "100 000"; a time in µs; words. */
void	pace_cell_print(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void	pace_cell_number(FILE *f, double v, int digits);
void	pace_cell_frames(FILE *f, double v);
void	pace_cell_micros(FILE *f, double ns);
void	pace_cell_words(FILE *f, const char *text);

/* Write three cells: median, 99 % and 99.9 %, in µs. */
void	pace_cell_quantiles(FILE *f, const struct pace_bins *b);

/* Write the head cells of a table, one or a row; rate replaces "Mbit/s" in them. */
void	pace_cell_head(FILE *f, const char *text, const char *rate);
void	pace_cell_heads(FILE *f, const char *rate, const char *const *head, size_t n);
#define HEADS(f, rate, ...) \
	pace_cell_heads(f, rate, (const char *const[]){ __VA_ARGS__ }, \
	    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

#endif
