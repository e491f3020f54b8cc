/*
 * html.h - index.html of a report: one file that asks for no other.
 *
 * Holds      what the runs say of themselves, the table of verdicts, the warnings, each
 *            figure as inline SVG with its caption, its table and links to its files.
 * Figures    that could not be drawn are said, with the reason.
 * SVG        several in one page: their ids get a prefix, prolog and DOCTYPE go.
 * Trust      every text is escaped; the SVG is gnuplot's, of words that were escaped.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_REPORT_HTML_H
#define PACE_REPORT_HTML_H

#include <stdio.h>

#include "report/fig.h"

/* The first words of a page of ours. */
#define PACE_HTML_MARK	"<!-- udpace report -->"

/* A figure in this report. */
struct pace_plate {
	const struct pace_fig	*fig;
	const struct pace_run	*run;
	char			base[64];	/* "fig-01-spacing" */
	int			number;
	struct pace_figure	sheet;
	bool			has[3];		/* as pace_formats */
	char			why[256];	/* of one that is not there */
};

extern const char *const pace_formats[3];	/* "svg", "png", "pdf" */

struct pace_page {
	const struct pace_report_data	*book;
	const struct pace_plate	*plate;
	size_t			n;
	const char		*folder;
	const char		*remark;	/* for the reader, at the top; NULL: none */
};

int	pace_html_write(FILE *f, const struct pace_page *p);

/* Escaped for element content and quoted attributes. */
void	pace_html_text(FILE *f, const char *text);

/* svg, as an element of a page: ids get the prefix, and it gets the title. */
void	pace_html_svg(FILE *f, const char *svg, const char *prefix, const char *title);

#endif
