/*
 * script.h - write a figure's gnuplot script, which also runs by hand in the report's folder.
 *
 * Layout     the terminal (TERMINAL png, svg or pdf; OUTPUT), the look
 *            (plots/prolog.gp), variables, data blocks, the body (plots/NAME.gp).
 *            Tables of more than PACE_BLOCK_ROWS rows are not in the script: it
 *            reads them from the data file.
 * By hand    gnuplot fig-01-spacing.gp
 *            gnuplot -e "TERMINAL='svg'; OUTPUT='x.svg'" fig-01-spacing.gp
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_REPORT_SCRIPT_H
#define PACE_REPORT_SCRIPT_H

#include <stdio.h>

#include "report/figure.h"

#define PACE_BLOCK_ROWS	5000

struct pace_script {
	const char	*base;		/* "fig-01-spacing": name of all files of the figure */
	const char	*prolog, *body;	/* texts of the templates */
	int		width, height;	/* px of the SVG */
};

int	pace_script_write(FILE *f, const struct pace_script *c, const struct pace_figure *s);

/* Write all tables, for other programs: comments with names, columns separated by blanks,
 * two empty lines between groups and between tables. */
int	pace_script_data(FILE *f, const struct pace_figure *s);

#endif
