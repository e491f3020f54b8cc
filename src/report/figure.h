/*
 * figure.h - one figure as numbers and texts: the variables of its script, the rows of
 * its tables.
 *
 * Purpose    a figure calculates here; script.h and html.h only write the result.
 * Tables     rows of numbers, NAN: no value.  The script's data blocks and the reader's
 *            tables are made from the same rows and therefore agree.  A break begins
 *            a new group of rows: gnuplot's next index.
 * Variables  for the template in plots/, in upper case.  `text` may come from anyone and is
 *            escaped; `markup` is our own, in gnuplot's enhanced notation: foreign
 *            words in it must pass through pace_enhanced.
 * Errors     are kept: failed is set if memory runs out, and checked once.
 * Memory     begin, free.
 */
#ifndef PACE_REPORT_FIGURE_H
#define PACE_REPORT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pace_axis_unit {
	const char	*name;
	double		one;		/* base units in one of this unit */
};

struct pace_table_column {
	const char	*name;		/* for programs: "spacing_us" */
	/* for people, with its unit: "Spacing (µs)"; the page replaces "Mbit/s" with the
	 * figure's unit */
	const char	*head;
	int		digits;		/* significant digits; 0: a whole number */
};

#define PACE_TABLES	8
struct pace_table {
	const char	*name;		/* for the script, lower case: "points" */
	const char	*caption;	/* for people; NULL: not shown to them */
	const struct pace_table_column *column;
	size_t		columns, rows, room;
	double		*v;		/* row by row */
	bool		*starts;	/* for each row: it starts a group */
};

struct pace_figure {
	char		*title;		/* title; our own words */
	char		*subtitle;	/* hosts, path, number of frames: foreign words */
	char		*footer;	/* program, run, file, formula */
	char		*caption;	/* one or two sentences that the picture does not say */
	int		width, height;	/* px; 0: those of the fig */
	struct pace_axis_unit rate;	/* unit of all rates */
	FILE		*vars;		/* private: the script's variables */
	char		*var_text;
	size_t		var_size;
	struct pace_table table[PACE_TABLES];
	size_t		tables;
	bool		failed;
};

void	pace_figure_begin(struct pace_figure *s);
/* Release the figure; may be called again. */
void	pace_figure_free(struct pace_figure *s);
/* Finish the figure; return 0 or -ENOMEM.  Nothing may be added afterwards. */
int	pace_figure_end(struct pace_figure *s);

/* Set a text of the figure: s->title, ... */
void	pace_figure_say(struct pace_figure *s, char **to, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));

void	pace_figure_num(struct pace_figure *s, const char *name, double v);
void	pace_figure_int(struct pace_figure *s, const char *name, long v);
void	pace_figure_text(struct pace_figure *s, const char *name, const char *text);
void	pace_figure_markup(struct pace_figure *s, const char *name, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));
/* Add an array, indexed from 1; n 0: one empty member. */
void	pace_figure_nums(struct pace_figure *s, const char *name, const double *v, size_t n);
void	pace_figure_texts(struct pace_figure *s, const char *name, const char *const *v, size_t n);
/* Add an array of n texts, each `size` bytes after the one before. */
void	pace_figure_strings(struct pace_figure *s, const char *name, const char *v, size_t size,
	    size_t n);

/* A list of columns and its length. */
#define PACE_COLUMNS(c)	c, sizeof(c) / sizeof((c)[0])
/* Add a table.  NULL: no memory; the functions below accept NULL. */
struct pace_table	*pace_figure_table(struct pace_figure *s, const char *name,
	    const char *caption, const struct pace_table_column *column, size_t columns);
void	pace_table_row(struct pace_figure *s, struct pace_table *t, const double *v);
/* Let the next row begin a group. */
void	pace_table_break(struct pace_figure *s, struct pace_table *t);

/* Escape text for enhanced notation; buf needs twice its length plus 1, the rest is cut off.
 * Returns buf. */
char	*pace_enhanced(const char *text, char *buf, size_t size);
/* Write text as an expression of gnuplot, in quotes; the script must set AMP and GT before. */
void	pace_quote(FILE *f, const char *text);

#endif
