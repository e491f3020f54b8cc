#include "config.h"

#include "report/html.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/markup.h"
#include "report/summary.h"
#include "report/words.h"

#define ROWS_MAX	5000	/* rows of a table in the page; the data file has all */

const char *const pace_formats[3] = { "svg", "png", "pdf" };

/* --- SVG --------------------------------------------------------------------------------- */

/* Text before an id's name. */
static const char *const marks[] = { "id=\"", "id='", "href=\"#", "href='#", "url(#" };

/* Write the tag up to its '>', with the prefix added to ids. */
static const char *
put_tag(FILE *f, const char *at, const char *prefix)
{
	char before = ' ';

	while (*at != '\0' && *at != '>') {
		size_t len = 0;

		/* "id=" must not be the end of another attribute's name */
		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && len == 0; i++)
			if (strncmp(at, marks[i], strlen(marks[i])) == 0 &&
			    (marks[i][0] != 'i' || isspace((unsigned char)before)))
				len = strlen(marks[i]);
		if (len == 0) {
			before = *at;
			putc(*at++, f);
			continue;
		}
		fwrite(at, 1, len, f);
		fputs(prefix, f);
		at += len;
	}
	return at;
}

void
pace_html_svg(FILE *f, const char *svg, const char *prefix, const char *title)
{
	const char *at = strstr(svg, "<svg");

	if (at == NULL)
		return;
	at = put_tag(f, at, prefix);
	fputs(" role=\"img\"><title>", f);
	pace_html_text(f, title);
	fputs("</title>", f);
	for (at += *at == '>'; *at != '\0'; ) {
		if (*at == '<')
			at = put_tag(f, at, prefix);
		else
			putc(*at++, f);
	}
}

/* --- figures ------------------------------------------------------------------------------ */

static void
put_table(FILE *f, const struct pace_table *t, const struct pace_axis_unit *rate, const char *base)
{
	fprintf(f, "<details><summary>");
	pace_html_text(f, t->caption);
	fprintf(f, ": %zu rows</summary>\n<div class=\"wide\"><table class=\"data\"><tr>", t->rows);
	for (size_t i = 0; i < t->columns; i++)
		if (t->column[i].head != NULL)
			pace_cell_head(f, t->column[i].head, rate->name);
	fputs("</tr>\n", f);
	for (size_t row = 0; row < t->rows && row < ROWS_MAX; row++) {
		fputs("<tr>", f);
		for (size_t i = 0; i < t->columns; i++) {
			const struct pace_table_column *c = &t->column[i];
			const double v = t->v[row * t->columns + i];

			if (c->head == NULL)
				continue;
			if (strstr(c->head, PACE_CELL_RATE) != NULL)
				pace_cell_number(f, v * 1e6 / rate->one, c->digits);
			else if (strcmp(c->name, "size_bytes") == 0)
				pace_cell_print(f, "%.0f", v);
			else if (c->digits > 0)
				pace_cell_number(f, v, c->digits);
			else
				pace_cell_frames(f, v);
		}
		fputs("</tr>\n", f);
	}
	fputs("</table></div>\n", f);
	if (t->rows > ROWS_MAX)
		fprintf(f, "<p>The first %d rows; all are in %s.dat.</p>\n", ROWS_MAX, base);
	fputs("</details>\n", f);
}

/* NULL: missing or empty. */
static char *
read_whole(const char *folder, const char *base)
{
	char path[PATH_MAX], *text = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.svg", folder, base);
	f = fopen(path, "re");
	if (f != NULL && getdelim(&text, &size, '\0', f) <= 0) {
		free(text);
		text = NULL;
	}
	if (f != NULL)
		fclose(f);
	return text;
}

void
pace_html_figure(FILE *f, const struct pace_page *p, const struct pace_plate *c)
{
	char *svg = c->has[0] ? read_whole(p->folder, c->base) : NULL, prefix[24];

	fprintf(f, "<figure id=\"fig-%d\">\n", c->number);
	if (svg != NULL) {
		snprintf(prefix, sizeof(prefix), "f%d-", c->number);
		pace_html_svg(f, svg, prefix, c->sheet.title);
		putc('\n', f);
	} else {
		fputs("<p class=\"missing\">This figure could not be drawn", f);
		if (c->why[0] != '\0')
			fputs(": ", f);
		pace_html_text(f, c->why);
		fputs(".</p>\n", f);
	}
	free(svg);
	fprintf(f, "<figcaption><b>Figure %d.</b> ", c->number);
	pace_html_text(f, c->sheet.title);
	fputs(". ", f);
	if (c->sheet.caption != NULL)
		pace_html_text(f, c->sheet.caption);
	fprintf(f, "</figcaption>\n<p class=\"files\">Files: <a href=\"%s.gp\">script</a> · "
	    "<a href=\"%s.dat\">data</a>", c->base, c->base);
	for (int i = 0; i < 3; i++)
		if (c->has[i])
			fprintf(f, " · <a href=\"%s.%s\">%s</a>", c->base, pace_formats[i],
			    pace_formats[i]);
	fputs("</p>\n", f);
	for (size_t i = 0; i < c->sheet.tables; i++)
		if (c->sheet.table[i].caption != NULL)
			put_table(f, &c->sheet.table[i], &c->sheet.rate, c->base);
	fputs("</figure>\n", f);
}

/* --- the page --------------------------------------------------------------------------------- */

static const char style[] =
    "body{font:15px/1.45 \"Liberation Sans\",Arial,Helvetica,sans-serif;color:#222;"
    "background:#fff;max-width:1000px;margin:1.5em auto;padding:0 1em}\n"
    "h1{font-size:1.6em;margin:.2em 0}h2{font-size:1.25em;margin:1.6em 0 .4em}"
    "h3{font-size:1.05em;margin:1.2em 0 .3em}\n"
    ".who,.files,.small{color:#5f5f5f;font-size:.92em}\n"
    "figure{margin:1.8em 0;break-inside:avoid}figure svg{width:100%;height:auto;display:block}\n"
    "svg text{font-family:\"Liberation Sans\",Arial,Helvetica,sans-serif}\n"
    "figcaption{margin:.4em 0}.files{margin:.2em 0}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.5em 0}\n"
    "th,td{padding:.18em .6em;text-align:right;border-bottom:1px solid #e3e3e3;"
    "vertical-align:top}th{border-bottom-color:#888;font-weight:600}\n"
    "th:first-child,td:first-child{padding-left:0}.facts td,.facts th,.words td,.words th"
    "{text-align:left}\n"
    ".wide{overflow-x:auto;max-height:32em}.data{font-size:.88em}\n"
    ".missing{border:1px solid #C2410C;padding:.8em;color:#8a2e08}"
    ".remark{border-left:4px solid #C2410C;padding:.2em .8em}\n"
    ".first li{margin:.25em 0}"
    "summary{cursor:pointer}a{color:#0b5394}\n"
    "@media print{body{max-width:none;margin:0;font-size:10pt}details{display:none}"
    ".files{display:none}h2,h3{break-after:avoid}tr{break-inside:avoid}}\n";

/* Write the kind of the run and its hosts. */
static void
put_name(FILE *f, const struct pace_run *r)
{
	char hosts[300];

	pace_html_text(f, r->head.r.kind);
	putc(' ', f);
	pace_html_text(f, pace_words_hosts(r, hosts, sizeof(hosts)));
}

/* Write the title; for several results, with the hosts if all results have the same. */
static void
put_title(FILE *f, const struct pace_page *p)
{
	const struct pace_report_data *b = p->book;
	char first[300] = "", other[300];
	bool same = b->n > 0;

	fputs("udpace report", f);
	if (b->n == 1) {
		fputs(": ", f);
		put_name(f, b->run[0]);
		return;
	}
	for (size_t i = 0; i < b->n; i++)
		same &= strcmp(pace_words_hosts(b->run[0], first, sizeof(first)),
		    pace_words_hosts(b->run[i], other, sizeof(other))) == 0;
	fprintf(f, ": %zu results%s", b->n, same ? " " : "");
	pace_html_text(f, same ? first : "");
}

/* Write the conclusions of each run and links to its figures. */
static void
put_first(FILE *f, const struct pace_page *p)
{
	for (size_t i = 0; i < p->book->n; i++) {
		const struct pace_run *r = p->book->run[i];

		if (p->book->n > 1) {
			fprintf(f, "<h3><a href=\"#run-%zu\">", i + 1);
			put_name(f, r);
			fputs("</a></h3>\n", f);
		}
		pace_summary_conclusions(f, r);
		fprintf(f, "<p class=\"small\"><a href=\"#run-%zu\">Tables</a>", i + 1);
		for (size_t k = 0; k < p->n; k++) {
			if (p->plate[k].run != r)
				continue;
			fprintf(f, " · <a href=\"#fig-%d\">Figure %d&#160;", p->plate[k].number,
			    p->plate[k].number);
			pace_html_text(f, p->plate[k].sheet.title);
			fputs("</a>", f);
		}
		fputs("</p>\n", f);
	}
}

/* Write each group as one experiment: its sentence and its figures. */
static void
put_groups(FILE *f, const struct pace_page *p)
{
	char text[1024];

	for (size_t i = 0; p->groups != NULL && i < p->groups->n; i++) {
		const struct pace_group *g = &p->groups->v[i];

		fputs("<h2>Group ", f);
		pace_html_text(f, g->name);
		fputs("</h2>\n<p class=\"first\">", f);
		pace_html_text(f, pace_group_say(g, text, sizeof(text)));
		fputs(".</p>\n", f);
		for (size_t k = 0; k < p->n; k++)
			if (p->plate[k].group == g)
				pace_html_figure(f, p, &p->plate[k]);
	}
}

void
pace_html_begin(FILE *f, const struct pace_page *p,
    void (*title)(FILE *f, const struct pace_page *p))
{
	fprintf(f, "<!DOCTYPE html>\n%s\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	    "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
	    "<meta name=\"generator\" content=\"udpace %s\"/>\n<title>", PACE_HTML_MARK,
	    PACKAGE_VERSION);
	title(f, p);
	fprintf(f, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
	title(f, p);
	fputs("</h1>\n", f);
	if (p->up != NULL)
		fprintf(f, "<p><a href=\"%s\">All pairs of the mesh</a></p>\n", p->up);
	if (p->remark != NULL) {
		fputs("<p class=\"remark\">", f);
		pace_html_text(f, p->remark);
		fputs("</p>\n", f);
	}
}

int
pace_html_end(FILE *f, const char *what)
{
	fprintf(f, "<p class=\"small\">Made by udpace report %s. %s</p>\n</body>\n</html>\n",
	    PACKAGE_VERSION, what);
	if (fflush(f) == 0 && !ferror(f))
		return 0;
	return errno != 0 ? -errno : -EIO;
}

int
pace_html_write(FILE *f, const struct pace_page *p)
{
	errno = 0;
	pace_html_begin(f, p, put_title);
	put_groups(f, p);
	put_first(f, p);
	pace_summary_warnings(f, p->book);
	for (size_t i = 0; i < p->book->n; i++) {
		fprintf(f, "<div id=\"run-%zu\"></div>\n", i + 1);
		pace_summary_html(f, p->book->run[i]);
		for (size_t k = 0; k < p->n; k++)
			if (p->plate[k].run == p->book->run[i])
				pace_html_figure(f, p, &p->plate[k]);
	}
	pace_summary_hosts(f, p->book);
	return pace_html_end(f, p->up != NULL ? "" : "Every figure has its data and the gnuplot "
	    "script that drew it beside this file.");
}
