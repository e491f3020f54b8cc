#include "config.h"

#include "report/markup.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/axis.h"

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

void
pace_cell_print(FILE *f, const char *fmt, ...)
{
	va_list ap;

	fputs("<td>", f);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fputs("</td>", f);
}

void
pace_cell_number(FILE *f, double v, int digits)
{
	char text[64];

	pace_cell_print(f, "%s", isnan(v) ? "–" : pace_axis_digits(v, digits, text, sizeof(text)));
}

void
pace_cell_frames(FILE *f, double v)
{
	char text[40];

	pace_cell_print(f, "%s", isnan(v) ? "–" : pace_axis_count(v, text, sizeof(text)));
}

void
pace_cell_micros(FILE *f, double ns)
{
	if (ns >= 1e5)
		pace_cell_frames(f, ns / 1e3);
	else if (isnan(ns))
		pace_cell_print(f, "–");
	else
		pace_cell_print(f, ns >= 1e4 ? "%.1f" : "%.2f", ns / 1e3);
}

void
pace_cell_words(FILE *f, const char *text)
{
	fputs("<td>", f);
	pace_html_text(f, text);
	fputs("</td>", f);
}

void
pace_cell_head(FILE *f, const char *text, const char *rate)
{
	const char *at = strstr(text, PACE_CELL_RATE);

	fputs("<th>", f);
	if (at != NULL) {
		fprintf(f, "%.*s%s", (int)(at - text), text, rate);
		text = at + strlen(PACE_CELL_RATE);
	}
	pace_html_text(f, text);
	fputs("</th>", f);
}

void
pace_cell_heads(FILE *f, const char *rate, const char *const *head, size_t n)
{
	fputs("<tr>", f);
	for (size_t i = 0; i < n; i++)
		pace_cell_head(f, head[i], rate);
	fputs("</tr>\n", f);
}

void
pace_cell_quantiles(FILE *f, const struct pace_bins *b)
{
	pace_cell_micros(f, pace_bins_quantile(b, 0.5));
	pace_cell_micros(f, pace_bins_quantile(b, 0.99));
	pace_cell_micros(f, pace_bins_quantile(b, 0.999));
}
