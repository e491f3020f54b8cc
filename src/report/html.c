#include "config.h"

#include "report/html.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/axis.h"
#include "report/summary.h"
#include "report/words.h"

#define ROWS_MAX	5000	/* of a table in the page; all are in the data file */

const char *const pace_formats[3] = { "svg", "png", "pdf" };

void
pace_html_text(FILE *f, const char *text)
{
	for (; *text != '\0'; text++) {
		switch (*text) {
		case '&':	fputs("&amp;", f); break;
		case '<':	fputs("&lt;", f); break;
		case '>':	fputs("&gt;", f); break;
		case '"':	fputs("&quot;", f); break;
		case '\'':	fputs("&#39;", f); break;
		default:	putc(*text, f);
		}
	}
}

/* --- SVG --------------------------------------------------------------------------------- */

/* What stands in front of a name of an id. */
static const char *const marks[] = { "id=\"", "id='", "href=\"#", "href='#", "url(#" };

/* How long the mark is that text begins with, 0: none; before: what stands before it. */
static size_t
mark_at(const char *text, char before)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (strncmp(text, marks[i], strlen(marks[i])) != 0)
			continue;
		/* not of another attribute whose name ends like that */
		return marks[i][0] != 'i' || isspace((unsigned char)before) ? strlen(marks[i]) : 0;
	}
	return 0;
}

/* The tag's text up to its '>', with the prefix. */
static const char *
put_tag(FILE *f, const char *at, const char *prefix)
{
	char before = ' ';

	while (*at != '\0' && *at != '>') {
		size_t len = mark_at(at, before);

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

/* --- tables ------------------------------------------------------------------------------ */

static void
put_value(FILE *f, double v, int digits)
{
	if (isnan(v))
		fputs("–", f);
	else if (digits == 0)
		fprintf(f, "%.0f", v);
	else
		fprintf(f, "%.*g", digits, v);
}

static void
put_row(FILE *f, const struct pace_table *t, size_t row)
{
	fputs("<tr>", f);
	for (size_t i = 0; i < t->columns; i++) {
		if (t->column[i].head == NULL)
			continue;
		fputs("<td>", f);
		put_value(f, t->v[row * t->columns + i], t->column[i].digits);
		fputs("</td>", f);
	}
	fputs("</tr>\n", f);
}

static void
put_table(FILE *f, const struct pace_table *t, const char *base)
{
	fprintf(f, "<details><summary>");
	pace_html_text(f, t->caption);
	fprintf(f, ": %zu rows</summary>\n<div class=\"wide\"><table class=\"data\"><tr>", t->rows);
	for (size_t i = 0; i < t->columns; i++) {
		if (t->column[i].head == NULL)
			continue;
		fputs("<th>", f);
		pace_html_text(f, t->column[i].head);
		fputs("</th>", f);
	}
	fputs("</tr>\n", f);
	for (size_t i = 0; i < t->rows && i < ROWS_MAX; i++)
		put_row(f, t, i);
	fputs("</table></div>\n", f);
	if (t->rows > ROWS_MAX)
		fprintf(f, "<p>The first %d rows; all are in %s.dat.</p>\n", ROWS_MAX, base);
	fputs("</details>\n", f);
}

/* --- figures ------------------------------------------------------------------------------ */

static char *
read_whole(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	ssize_t len;

	if (f == NULL)
		return NULL;
	len = getdelim(&text, &size, '\0', f);
	fclose(f);
	if (len <= 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void
put_picture(FILE *f, const struct pace_page *p, const struct pace_plate *c)
{
	char path[PATH_MAX], prefix[24];
	char *svg = NULL;

	snprintf(path, sizeof(path), "%s/%s.svg", p->folder, c->base);
	if (c->has[0])
		svg = read_whole(path);
	if (svg == NULL) {
		fputs("<p class=\"missing\">This figure could not be drawn", f);
		if (c->why[0] != '\0')
			fputs(": ", f);
		pace_html_text(f, c->why);
		fputs(".</p>\n", f);
		return;
	}
	snprintf(prefix, sizeof(prefix), "f%d-", c->number);
	pace_html_svg(f, svg, prefix, c->sheet.title);
	putc('\n', f);
	free(svg);
}

static void
put_files(FILE *f, const struct pace_plate *c)
{
	fprintf(f, "<p class=\"files\">Files: <a href=\"%s.gp\">script</a> · "
	    "<a href=\"%s.dat\">data</a>", c->base, c->base);
	for (int i = 0; i < 3; i++)
		if (c->has[i])
			fprintf(f, " · <a href=\"%s.%s\">%s</a>", c->base, pace_formats[i],
			    pace_formats[i]);
	fputs("</p>\n", f);
}

static void
put_figure(FILE *f, const struct pace_page *p, const struct pace_plate *c)
{
	fprintf(f, "<figure id=\"fig-%d\">\n", c->number);
	put_picture(f, p, c);
	fprintf(f, "<figcaption><b>Figure %d.</b> ", c->number);
	pace_html_text(f, c->sheet.title);
	fputs(". ", f);
	if (c->sheet.caption != NULL)
		pace_html_text(f, c->sheet.caption);
	fputs("</figcaption>\n", f);
	put_files(f, c);
	for (size_t i = 0; i < c->sheet.tables; i++)
		if (c->sheet.table[i].caption != NULL)
			put_table(f, &c->sheet.table[i], c->base);
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
    "summary{cursor:pointer}a{color:#0b5394}\n"
    "@media print{body{max-width:none;margin:0;font-size:10pt}details{display:none}"
    ".files{display:none}h2,h3{break-after:avoid}tr{break-inside:avoid}}\n";

static void
put_run(FILE *f, const struct pace_page *p, const struct pace_run *r)
{
	pace_summary_html(f, r);
	for (size_t i = 0; i < p->n; i++)
		if (p->plate[i].run == r)
			put_figure(f, p, &p->plate[i]);
}

static void
put_title(FILE *f, const struct pace_report_data *b)
{
	char who[512];

	fputs("udpace report", f);
	if (b->n == 0)
		return;
	fputs(": ", f);
	pace_html_text(f, pace_words_who(b->run[0], who, sizeof(who)));
}

int
pace_html_write(FILE *f, const struct pace_page *p)
{
	errno = 0;
	fprintf(f, "<!DOCTYPE html>\n%s\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	    "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
	    "<meta name=\"generator\" content=\"udpace %s\"/>\n<title>", PACE_HTML_MARK,
	    PACKAGE_VERSION);
	put_title(f, p->book);
	fprintf(f, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>Measured with udpace</h1>\n",
	    style);
	if (p->remark != NULL) {
		fputs("<p class=\"remark\">", f);
		pace_html_text(f, p->remark);
		fputs("</p>\n", f);
	}
	for (size_t i = 0; i < p->book->n; i++)
		put_run(f, p, p->book->run[i]);
	fprintf(f, "<p class=\"small\">Made by udpace report %s. Every figure has its data and the "
	    "gnuplot script that drew it beside this file.</p>\n</body>\n</html>\n",
	    PACKAGE_VERSION);
	if (fflush(f) == 0 && !ferror(f))
		return 0;
	return errno != 0 ? -errno : -EIO;
}
