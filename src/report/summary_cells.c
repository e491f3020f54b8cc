#include "config.h"

#include "report/summary_own.h"

#include <math.h>
#include <stdarg.h>

#include "report/html.h"

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
	if (isnan(v))
		pace_cell_print(f, "–");
	else
		pace_cell_print(f, "%.*g", digits, v);
}

void
pace_cell_micros(FILE *f, double ns)
{
	if (isnan(ns))
		pace_cell_print(f, "–");
	else
		pace_cell_print(f, ns >= 1e5 ? "%.0f" : ns >= 1e4 ? "%.1f" : "%.2f", ns / 1e3);
}

void
pace_cell_words(FILE *f, const char *text)
{
	fputs("<td>", f);
	pace_html_text(f, text);
	fputs("</td>", f);
}

void
pace_cell_heads(FILE *f, const char *const *head, size_t n)
{
	fputs("<tr>", f);
	for (size_t i = 0; i < n; i++) {
		fputs("<th>", f);
		pace_html_text(f, head[i]);
		fputs("</th>", f);
	}
	fputs("</tr>\n", f);
}

void
pace_cell_quantiles(FILE *f, const struct pace_bins *b)
{
	pace_cell_micros(f, pace_bins_quantile(b, 0.5));
	pace_cell_micros(f, pace_bins_quantile(b, 0.99));
	pace_cell_micros(f, pace_bins_quantile(b, 0.999));
}
