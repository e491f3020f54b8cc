#include "config.h"

#include "report/script.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

/* Line widths are px of the SVG; other formats scale them. */
#define PNG_SCALE	(5.0 / 3)
#define PDF_PX_INCH	120.0
#define SUBTITLE_MAX	124	/* characters in a width of 900 px */
#define TOP_PX		80	/* top of the panels below one line of subtitle */
#define SUBTITLE_PX	19	/* height of a second line of subtitle */

static int
end(FILE *f)
{
	errno = 0;
	if (fflush(f) == 0 && !ferror(f))
		return 0;
	return errno != 0 ? -errno : -EIO;
}

/* Return the end of a line of at most SUBTITLE_MAX characters, before a separator if there
 * is one. */
static size_t
line_end(const char *text, size_t max)
{
	size_t chars = 0, at = 0, best = 0;

	for (; text[at] != '\0'; at++) {
		if (((unsigned char)text[at] & 0xc0) == 0x80)
			continue;
		if (chars++ == max)
			return best > 0 ? best : at;
		if (strncmp(text + at, " \302\267 ", 4) == 0)
			best = at;
	}
	return at;
}

static void
put_line(FILE *f, const char *name, const char *text, size_t len)
{
	char words[1024], escaped[2 * sizeof(words)];

	snprintf(words, sizeof(words), "%.*s", (int)len, text);
	fprintf(f, "%s = ", name);
	pace_quote(f, pace_enhanced(words, escaped, sizeof(escaped)));
	putc('\n', f);
}

/* Write head and titles; the subtitle has at most two lines. */
static void
put_titles(FILE *f, const struct pace_script *c, const struct pace_figure *s)
{
	const size_t max = SUBTITLE_MAX * (size_t)c->width / 900;
	const size_t first = line_end(s->subtitle, max);
	const char *sub = s->subtitle + first;
	const int more = *sub != '\0' ? SUBTITLE_PX : 0, height = c->height + more;

	fprintf(f, "# Made by udpace report; runs by hand in this folder:\n"
	    "#   gnuplot %s.gp\n"
	    "#   gnuplot -e \"TERMINAL='svg'; OUTPUT='%s.svg'\" %s.gp\n"
	    "if (!exists('TERMINAL')) TERMINAL = 'png'\n"
	    "if (!exists('OUTPUT')) OUTPUT = '%s.'.TERMINAL\n", c->base, c->base, c->base,
	    c->base);
	fprintf(f, "FONT = 'Liberation Sans'\n"
	    "if (TERMINAL eq 'png') set terminal pngcairo enhanced color butt dashlength 2 "
	    "font FONT.',11' fontscale 1.5 linewidth 1.6 pointscale 1.25 size %.0f,%.0f "
	    "background 'white'\n"
	    "if (TERMINAL eq 'svg') set terminal svg enhanced butt dashlength 2 "
	    "font FONT.',13' linewidth 1.3 size %d,%d dynamic background 'white' name 'fig'\n"
	    "if (TERMINAL eq 'pdf') set terminal pdfcairo enhanced color butt dashlength 2 "
	    "font FONT.',11' fontscale 0.62 linewidth 1.1 pointscale 0.55 size %.2fin,%.2fin "
	    "background 'white'\n", c->width * PNG_SCALE, height * PNG_SCALE, c->width,
	    height, c->width / PDF_PX_INCH, height / PDF_PX_INCH);
	fputs("AMP = TERMINAL eq 'svg' ? '\\&amp;' : '\\&'; "
	    "GT = TERMINAL eq 'svg' ? '\\&gt;' : '>'; "
	    "QUOTE = \"'\"\n", f);
	fprintf(f, "set output OUTPUT\nW = %d.0\nH = %d.0\n", c->width, height);
	put_line(f, "TITLE", s->title, strlen(s->title));
	put_line(f, "SUB1", s->subtitle, first);
	if (strncmp(sub, " \302\267 ", 4) == 0)
		sub += 4;
	put_line(f, "SUB2", sub, line_end(sub, max));
	put_line(f, "FOOTER", s->footer, line_end(s->footer, max * 5 / 4));
	fprintf(f, "TOP = %d.0\n", TOP_PX + more);
}

static void
put_rows(FILE *f, const struct pace_table *t)
{
	for (size_t i = 0; i < t->rows; i++) {
		if (t->starts[i])
			fputs("\n\n", f);
		for (size_t k = 0; k < t->columns; k++) {
			const double v = t->v[i * t->columns + k];

			fprintf(f, isnan(v) ? "%sNaN" : "%s%.12g", k > 0 ? " " : "", v);
		}
		putc('\n', f);
	}
}

static void
put_names(FILE *f, const struct pace_table *t)
{
	fputs("#", f);
	for (size_t i = 0; i < t->columns; i++)
		fprintf(f, " %s", t->column[i].name);
	putc('\n', f);
}

/* The index of a table's first group in the file of pace_script_data. */
static size_t
index_of(const struct pace_figure *s, const struct pace_table *t)
{
	size_t n = 0;

	for (const struct pace_table *k = s->table; k < t; k++) {
		n += k->rows > 0;
		for (size_t i = 0; i < k->rows; i++)
			n += k->starts[i];
	}
	return n;
}

/* Define a table's data block: the body reads "points" as POINTS, and its length as
 * POINTS_ROWS. */
static void
put_table(FILE *f, const struct pace_script *c, const struct pace_figure *s,
    const struct pace_table *t)
{
	char upper[24] = "";

	for (size_t i = 0; t->name[i] != '\0' && i + 1 < sizeof(upper); i++)
		upper[i] = (char)toupper((unsigned char)t->name[i]);
	fprintf(f, "%s_ROWS = %zu\n", upper, t->rows);
	if (t->rows > PACE_BLOCK_ROWS) {
		fprintf(f, "%s = '\"%s.dat\"'\n%s_AT = %zu\n", upper, c->base, upper,
		    index_of(s, t));
		return;
	}
	fprintf(f, "%s = '$%s'\n%s_AT = 0\n$%s << EOD\n", upper, t->name, upper, t->name);
	put_names(f, t);
	if (t->rows > 0)
		put_rows(f, t);
	fputs("EOD\n", f);
}

int
pace_script_write(FILE *f, const struct pace_script *c, const struct pace_figure *s)
{
	put_titles(f, c, s);
	fputs(c->prolog, f);
	fwrite(s->var_text, 1, s->var_size, f);
	for (size_t i = 0; i < s->tables; i++)
		put_table(f, c, s, &s->table[i]);
	fputs(c->body, f);
	return end(f);
}

int
pace_script_data(FILE *f, const struct pace_figure *s)
{
	bool first = true;

	for (size_t i = 0; i < s->tables; i++) {
		const struct pace_table *t = &s->table[i];

		if (!first)
			fputs("\n\n", f);
		fprintf(f, "# table %s\n", t->name);
		put_names(f, t);
		if (t->rows == 0)
			continue;	/* comments alone do not make a group */
		put_rows(f, t);
		first = false;
	}
	return end(f);
}
