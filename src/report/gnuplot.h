/*
 * gnuplot.h - draw a script, and see that it was drawn.
 *
 * Purpose    gnuplot's exit status alone says little: it is 0 on a full disk, and after
 *            an error a picture drawn by half is left.  So it draws to a temporary
 *            name; any word on stderr is a failure; the picture's beginning and end
 *            are looked at; then it gets its name.
 * Several    two at a time: start returns when the last but one has ended.
 * Limits     PACE_GNUPLOT_LIMIT_S, then it is killed.
 * Errors     -ENOENT: there is no gnuplot; what else went wrong with a picture is told in
 *            its words.
 */
#ifndef PACE_REPORT_GNUPLOT_H
#define PACE_REPORT_GNUPLOT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PACE_GNUPLOT_LIMIT_S	30
#define PACE_GNUPLOT_JOBS	2
#define PACE_GNUPLOT_PACKAGE	"gnuplot-nox"

/* What drawing needs, found once. */
bool	pace_gnuplot_is_there(void);

struct pace_drawing {
	const char	*folder, *base;	/* report, fig-01-spacing */
	const char	*format;	/* "png", "svg", "pdf" */
	bool		done, good;
	char		why[256];	/* when not good */
	/* private */
	pid_t		pid;
	char		temporary[NAME_MAX], said[NAME_MAX];
	long		until_ms;
};

/* All n, some at a time; each says whether it is good.  stop: a reason to end early. */
void	pace_gnuplot_draw(struct pace_drawing *d, size_t n, bool (*stop)(void));

#endif
