#include "out/say.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/units.h"

#define COLUMNS	78

static bool
is_tail(char c)			/* second or later byte of a UTF-8 character */
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

int
pace_width(const char *text)
{
	int n = 0;

	for (; *text != '\0'; text++)
		n += !is_tail(*text);
	return n;
}

/* What stands for a character of a terminal without UTF-8. */
static const char *
ascii(const char *text)
{
	return strncmp(text, "\xc2\xb5", 2) == 0 ? "u" :
	    strncmp(text, "\xc2\xb1", 2) == 0 ? "+-" : "?";
}

static int
width_of(const struct pace_say *s, const char *text)
{
	int n = pace_width(text);

	for (; !s->utf8 && *text != '\0'; text++)
		if ((unsigned char)*text >= 0x80 && !is_tail(*text))
			n += (int)strlen(ascii(text)) - 1;
	return n;
}

static void
put(const struct pace_say *s, const char *text)
{
	if (s->utf8) {
		fputs(text, s->f);
		return;
	}
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < 0x80)
			fputc(*text, s->f);
		else if (!is_tail(*text))
			fputs(ascii(text), s->f);
	}
}

void
pace_say(const struct pace_say *s, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	put(s, text);
}

void
pace_say_cell(const struct pace_say *s, int width, const char *text)
{
	int used = width_of(s, text);

	fprintf(s->f, "%*s", width > used ? width - used : 0, "");
	put(s, text);
}

/* Printed as integers, because printf's decimal point follows the locale. */
char *
pace_fixed(double v, int decimals, char *buf, size_t size)
{
	unsigned long long one = 1, q;
	double magnitude = fabs(v);

	for (int i = 0; i < decimals; i++)
		one *= 10;
	if (!isfinite(v)) {
		snprintf(buf, size, "-");
	} else if (decimals == 0 || magnitude * (double)one >= 1e18) {
		snprintf(buf, size, "%.0f", round(v) + 0.0);	/* never "-0" */
	} else {
		q = (unsigned long long)round(magnitude * (double)one);
		snprintf(buf, size, "%s%llu.%0*llu", v < 0 && q > 0 ? "-" : "",
		    q / one, decimals, q % one);
	}
	return buf;
}

void
pace_say_fixed(const struct pace_say *s, int width, double v, int decimals)
{
	char text[340];

	pace_say_cell(s, width, pace_fixed(v, decimals, text, sizeof(text)));
}

void
pace_say_count(const struct pace_say *s, int width, uint64_t n)
{
	char text[64];

	pace_say_cell(s, width, pace_print(PACE_UNIT_COUNT, (double)n, text, sizeof(text)));
}

void
pace_say_wrapped(const struct pace_say *s, const char *first, const char *text)
{
	int indent = width_of(s, first), at = indent;

	put(s, first);
	while (*text != '\0') {
		char word[1024];
		size_t n = strcspn(text, " ");

		if (n >= sizeof(word))
			n = sizeof(word) - 1;
		memcpy(word, text, n);
		word[n] = '\0';
		text += n;
		text += strspn(text, " ");
		if (at > indent && at + 1 + width_of(s, word) > COLUMNS) {
			fprintf(s->f, "\n%*s", indent, "");
			at = indent;
		} else if (at > indent) {
			fputc(' ', s->f);
			at++;
		}
		put(s, word);
		at += width_of(s, word);
	}
	fputc('\n', s->f);
}

int
pace_say_end(const struct pace_say *s)
{
	errno = 0;
	if (fflush(s->f) == 0 && !ferror(s->f))
		return 0;
	return errno != 0 ? -errno : -EIO;
}

char *
pace_percent(double ratio, char *buf, size_t size)
{
	double v = ratio * 100;
	int decimals = v < 0.1 ? 4 : v < 1 ? 3 : 2;	/* three digits that tell */
	char text[32];

	if (!(v >= 0)) {
		snprintf(buf, size, "-    ");
	} else if (v == 0 || v >= 100) {
		snprintf(buf, size, "%.0f     ", v);
	} else if (v < 0.0001) {
		snprintf(buf, size, "<0.0001");
	} else {
		pace_fixed(v, decimals, text, sizeof(text));
		snprintf(buf, size, "%s%*s", text, 4 - decimals, "");
	}
	return buf;
}
