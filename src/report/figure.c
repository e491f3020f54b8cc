#include "config.h"

#include "report/figure.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void
pace_figure_begin(struct pace_figure *s)
{
	memset(s, 0, sizeof(*s));
	s->vars = open_memstream(&s->var_text, &s->var_size);
	s->failed = s->vars == NULL;
}

void
pace_figure_free(struct pace_figure *s)
{
	if (s->vars != NULL)
		fclose(s->vars);
	for (size_t i = 0; i < s->tables; i++) {
		free(s->table[i].v);
		free(s->table[i].starts);
	}
	free(s->title);
	free(s->subtitle);
	free(s->footer);
	free(s->caption);
	free(s->var_text);
	memset(s, 0, sizeof(*s));
}

int
pace_figure_end(struct pace_figure *s)
{
	if (s->vars != NULL && (ferror(s->vars) || fclose(s->vars) != 0))
		s->failed = true;
	s->vars = NULL;
	return s->failed ? -ENOMEM : 0;
}

void
pace_figure_say(struct pace_figure *s, char **to, const char *fmt, ...)
{
	va_list ap;

	free(*to);
	va_start(ap, fmt);
	if (vasprintf(to, fmt, ap) < 0) {
		*to = NULL;
		s->failed = true;
	}
	va_end(ap);
}

/* --- gnuplot's notation --------------------------------------------------------------- */

char *
pace_enhanced(const char *text, char *buf, size_t size)
{
	size_t n = 0;

	for (; *text != '\0' && n + 2 < size; text++) {
		if (strchr("_^@&~{}\\", *text) != NULL)
			buf[n++] = '\\';
		buf[n++] = *text;
	}
	while (n > 0 && *text != '\0' && ((unsigned char)buf[n - 1] & 0xc0) == 0x80)
		n--;		/* drop the first byte of a character that was cut */
	if (n > 0 && *text != '\0' && ((unsigned char)buf[n - 1] & 0x80) != 0)
		n--;
	if (size > 0)
		buf[n] = '\0';
	return buf;
}

/*
 * gnuplot expands nothing in single quotes, neither @macro nor `command`.  It does not escape
 * characters that SVG needs as entities: AMP and GT, which the script sets for its terminal,
 * stand outside the quotes.  QUOTE does as well, because gnuplot 5.4 does not read every '' in
 * quotes as a quote (not as the first character, nor two in a row).
 */
void
pace_quote(FILE *f, const char *text)
{
	putc('\'', f);
	for (; *text != '\0'; text++) {
		if (strncmp(text, "\\&", 2) == 0) {
			fputs("'.AMP.'", f);
			text++;
		} else if (*text == '\\' && text[1] != '\0') {
			putc(*text++, f);
			putc(*text, f);
		} else if (*text == '>') {
			fputs("'.GT.'", f);
		} else if (*text == '\'') {
			fputs("'.QUOTE.'", f);
		} else {
			putc((unsigned char)*text < 0x20 ? ' ' : *text, f);
		}
	}
	putc('\'', f);
}

/* --- variables --------------------------------------------------------------------------- */

/* Never writes an integer: gnuplot divides integers without a remainder. */
void
pace_figure_num(struct pace_figure *s, const char *name, double v)
{
	char text[40];

	if (s->vars == NULL)
		return;
	snprintf(text, sizeof(text), "%.12g", v);
	if (!isfinite(v))
		fprintf(s->vars, "%s = NaN\n", name);
	else
		fprintf(s->vars, "%s = %s%s\n", name, text,
		    strpbrk(text, ".e") == NULL ? ".0" : "");
}

void
pace_figure_int(struct pace_figure *s, const char *name, long v)
{
	if (s->vars != NULL)
		fprintf(s->vars, "%s = %ld\n", name, v);
}

void
pace_figure_text(struct pace_figure *s, const char *name, const char *text)
{
	size_t size = 2 * strlen(text) + 3;
	char *buf = malloc(size);

	if (s->vars != NULL) {
		fprintf(s->vars, "%s = ", name);
		pace_quote(s->vars, buf != NULL ? pace_enhanced(text, buf, size) : "");
		putc('\n', s->vars);
	}
	free(buf);
}

void
pace_figure_markup(struct pace_figure *s, const char *name, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	if (s->vars == NULL)
		return;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0) {
		s->failed = true;
		text = NULL;
	}
	va_end(ap);
	fprintf(s->vars, "%s = ", name);
	pace_quote(s->vars, text != NULL ? text : "");
	putc('\n', s->vars);
	free(text);
}

static void
begin_array(struct pace_figure *s, const char *name, size_t n)
{
	if (s->vars != NULL)
		fprintf(s->vars, "array %s[%zu]\n", name, n > 0 ? n : 1);
}

void
pace_figure_nums(struct pace_figure *s, const char *name, const double *v, size_t n)
{
	char member[64];

	begin_array(s, name, n);
	for (size_t i = 0; i < n || i == 0; i++) {
		snprintf(member, sizeof(member), "%s[%zu]", name, i + 1);
		pace_figure_num(s, member, i < n ? v[i] : 0);
	}
}

void
pace_figure_strings(struct pace_figure *s, const char *name, const char *v, size_t size, size_t n)
{
	char member[64];

	begin_array(s, name, n);
	for (size_t i = 0; i < n || i == 0; i++) {
		snprintf(member, sizeof(member), "%s[%zu]", name, i + 1);
		pace_figure_text(s, member, i < n ? v + i * size : "");
	}
}

void
pace_figure_texts(struct pace_figure *s, const char *name, const char *const *v, size_t n)
{
	char member[64];

	begin_array(s, name, n);
	for (size_t i = 0; i < n || i == 0; i++) {
		snprintf(member, sizeof(member), "%s[%zu]", name, i + 1);
		pace_figure_text(s, member, i < n ? v[i] : "");
	}
}

/* --- tables ----------------------------------------------------------------------------- */

struct pace_table *
pace_figure_table(struct pace_figure *s, const char *name, const char *caption,
    const struct pace_table_column *column, size_t columns)
{
	struct pace_table *t = &s->table[s->tables];

	if (s->tables == PACE_TABLES) {
		s->failed = true;
		return NULL;
	}
	s->tables++;
	*t = (struct pace_table){ .name = name, .caption = caption, .column = column,
	    .columns = columns };
	return t;
}

static bool
make_room(struct pace_figure *s, struct pace_table *t)
{
	size_t room = t->room > 0 ? 2 * t->room : 64;
	double *v;
	bool *starts;

	if (t->rows + 1 < t->room)	/* plus one, for the mark of the next row */
		return true;
	v = reallocarray(t->v, room * t->columns, sizeof(*v));
	if (v != NULL)
		t->v = v;
	starts = reallocarray(t->starts, room, sizeof(*starts));
	if (starts != NULL)
		t->starts = starts;
	if (v == NULL || starts == NULL) {
		s->failed = true;
		return false;
	}
	memset(t->starts + t->room, 0, (room - t->room) * sizeof(*starts));
	t->room = room;
	return true;
}

void
pace_table_row(struct pace_figure *s, struct pace_table *t, const double *v)
{
	if (t == NULL || !make_room(s, t))
		return;
	memcpy(t->v + t->rows * t->columns, v, t->columns * sizeof(*v));
	t->rows++;
}

void
pace_table_break(struct pace_figure *s, struct pace_table *t)
{
	if (t != NULL && make_room(s, t))
		t->starts[t->rows] = t->rows > 0;
}
