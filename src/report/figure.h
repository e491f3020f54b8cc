/*
 * figure.h - one figure in numbers and words: what its script draws, what its table
 * tells.
 *
 * Purpose    a figure computes here; script.h, and html.h, only write down.
 * Tables     rows of numbers, NAN: no value; of these the script's data blocks and
 *            the reader's tables are made, so that both say the same.  A break
 *            begins a new group of rows: gnuplot's next index.
 * Variables  for the template in plots/, in upper case.  text is anybody's and is
 *            escaped; markup is our own, in gnuplot's enhanced notation, with
 *            words of others through pace_enhanced only.
 * Errors     stick: no memory makes failed, asked for once.
 * Memory     begin, free.
 */
#ifndef PACE_REPORT_FIGURE_H
#define PACE_REPORT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pace_table_column {
	const char	*name;		/* for programs: "spacing_us" */
	const char	*head;		/* for people, with its unit: "Spacing (µs)" */
	int		digits;		/* significant ones to show; 0: a whole number */
};

#define PACE_TABLES	8
struct pace_table {
	const char	*name;		/* for the script, lower case: "points" */
	const char	*caption;	/* for people; NULL: it has only what the others have, or a curve */
	const struct pace_table_column *column;
	size_t		columns, rows, room;
	double		*v;		/* row by row */
	bool		*starts;	/* a group, each row */
};

struct pace_figure {
	char		*title;		/* what the figure shows; of our own */
	char		*subtitle;	/* who, over what, how many: anybody's words */
	char		*footer;	/* program, run, file, formula */
	char		*caption;	/* a sentence or two that the picture does not say */
	int		height;		/* px at a width of fig->width; 0: the figure's own */
	FILE		*vars;		/* private: the script's variables */
	char		*var_text;
	size_t		var_size;
	struct pace_table table[PACE_TABLES];
	size_t		tables;
	bool		failed;
};

void	pace_figure_begin(struct pace_figure *s);
/* Idempotent. */
void	pace_figure_free(struct pace_figure *s);
/* Everything is there: 0 or -ENOMEM.  Nothing may be added then. */
int	pace_figure_end(struct pace_figure *s);

/* A text of the sheet: s->title, ... */
void	pace_figure_say(struct pace_figure *s, char **to, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));

void	pace_figure_num(struct pace_figure *s, const char *name, double v);
void	pace_figure_int(struct pace_figure *s, const char *name, long v);
void	pace_figure_text(struct pace_figure *s, const char *name, const char *text);
void	pace_figure_markup(struct pace_figure *s, const char *name, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));
/* Arrays, from 1; n 0 makes one empty member. */
void	pace_figure_nums(struct pace_figure *s, const char *name, const double *v, size_t n);
void	pace_figure_texts(struct pace_figure *s, const char *name, const char *const *v, size_t n);

/* NULL: no memory; the functions below accept that. */
struct pace_table	*pace_figure_table(struct pace_figure *s, const char *name,
	    const char *caption, const struct pace_table_column *column, size_t columns);
void	pace_table_row(struct pace_figure *s, struct pace_table *t, const double *v);
/* The next row begins a group. */
void	pace_table_break(struct pace_figure *s, struct pace_table *t);

/* Words for enhanced text: all its marks escaped; size of twice their length and 1
 * is enough, what does not fit is left out.  Returns buf. */
char	*pace_enhanced(const char *text, char *buf, size_t size);
/* An expression of gnuplot that is this text: in quotes, after AMP and GT were set. */
void	pace_quote(FILE *f, const char *text);

#endif
