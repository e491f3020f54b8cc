/*
 * gnuplot.h - draw scripts with gnuplot, and verify the pictures.
 *
 * Purpose    gnuplot's exit status is not enough: it is 0 on a full disk, and after an
 *            error an incomplete picture remains.  Therefore gnuplot draws to a temporary
 *            name, any text on stderr is a failure, and the beginning and end of the
 *            picture are checked before it gets its final name.
 * Several    at most PACE_GNUPLOT_JOBS processes run at the same time.
 * Limits     gnuplot is killed after PACE_GNUPLOT_LIMIT_S seconds.
 * Errors     each drawing's `why` says in words what went wrong.
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

/* Return whether gnuplot is installed; searched only once. */
bool	pace_gnuplot_is_there(void);

struct pace_drawing {
	const char	*folder, *base;	/* report, fig-01-spacing */
	const char	*format;	/* "png", "svg", "pdf" */
	bool		done, good;
	char		why[256];	/* if not good */
	/* private */
	pid_t		pid;
	char		temporary[NAME_MAX], said[NAME_MAX];
	long		until_ms;
};

/* Draw all n scripts and set good and why in each.  stop: returns true to end early. */
void	pace_gnuplot_draw(struct pace_drawing *d, size_t n, bool (*stop)(void));

#endif
