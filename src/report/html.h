/*
 * html.h - write index.html of a report: a single file that loads no other.
 *
 * Holds      the facts of the runs, the table of verdicts, the warnings, each
 *            figure as inline SVG with its caption, its table and links to its files.
 * Failures   a figure that could not be drawn is replaced by the reason.
 * SVG        ids get a prefix because a page has several SVGs; prolog and DOCTYPE are
 *            removed.
 * Trust      every text is escaped; the SVG comes from gnuplot, made of escaped texts.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_REPORT_HTML_H
#define PACE_REPORT_HTML_H

#include <stdio.h>

#include "report/fig.h"

/* The first words of a page that this program wrote. */
#define PACE_HTML_MARK	"<!-- udpace report -->"

/* A figure of this report. */
struct pace_plate {
	const struct pace_fig	*fig;
	const struct pace_run	*run;		/* NULL: not of one run */
	const struct pace_group	*group;		/* NULL: not of a group */
	char			base[64];	/* "fig-01-spacing" */
	int			number;
	struct pace_figure	sheet;
	bool			has[3];		/* indexed as pace_formats */
	char			why[256];	/* why it could not be drawn */
};

extern const char *const pace_formats[3];	/* "svg", "png", "pdf" */

struct pace_page {
	const struct pace_report_data	*book;
	const struct pace_plate	*plate;
	size_t			n;
	const char		*folder;
	const char		*remark;	/* note at the top of the page; may be NULL */
	const char		*up;		/* page of the mesh; NULL: none */
	const struct pace_groups	*groups;	/* NULL: none */
	const struct pace_mesh	*mesh;		/* of the page of a mesh, which has no book */
};

int	pace_html_write(FILE *f, const struct pace_page *p);

/* Parts of every page: up to the remark; a figure; the end, which returns the errors. */
void	pace_html_begin(FILE *f, const struct pace_page *p,
	    void (*title)(FILE *f, const struct pace_page *p));
void	pace_html_figure(FILE *f, const struct pace_page *p, const struct pace_plate *c);
int	pace_html_end(FILE *f, const char *what);

/* Write svg as an element of the page: ids get the prefix, the image gets the title. */
void	pace_html_svg(FILE *f, const char *svg, const char *prefix, const char *title);

#endif
