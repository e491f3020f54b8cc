#include "out/say.h"

#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define COLUMNS	79	/* the last column stays free: some terminals wrap after it */

bool
pace_say_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

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

/* Replacement of a character on a terminal without UTF-8. */
static const char *
ascii(const char *text)
{
	return strncmp(text, "\xc2\xb5", 2) == 0 ? "u" :
	    strncmp(text, "\xc2\xb1", 2) == 0 ? "+-" : "?";
}

/* Width of the first n bytes, in columns. */
static int
width_of(const struct pace_say *s, const char *text, size_t n)
{
	int width = 0;

	for (size_t i = 0; i < n; i++)
		if (!is_tail(text[i]))
			width += s->utf8 || (unsigned char)text[i] < 0x80 ? 1 :
			    (int)strlen(ascii(&text[i]));
	return width;
}

static void
put(const struct pace_say *s, const char *text, size_t n)
{
	if (s->utf8) {
		fwrite(text, 1, n, s->f);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)text[i] < 0x80)
			fputc(text[i], s->f);
		else if (!is_tail(text[i]))
			fputs(ascii(&text[i]), s->f);
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
	put(s, text, strlen(text));
}

void
pace_say_cell(const struct pace_say *s, int width, const char *text)
{
	int used = width_of(s, text, strlen(text));

	fprintf(s->f, "%*s", width > used ? width - used : 0, "");
	put(s, text, strlen(text));
}

/* Uses integers, because printf's decimal point depends on the locale. */
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
	pace_say_cell(s, width, n == UINT64_MAX ? "-" : PACE_AS_COUNT(n));
}

/* --- lines that are wrapped ------------------------------------------------------- */

/* Return whether a line must not end at this blank: a number keeps its groups and its unit,
 * "20 000", "12.5 us". */
static bool
holds(const char *text, size_t blank)
{
	const char *next = text + blank + 1;
	unsigned char last = (unsigned char)text[blank - 1];

	bool number = last >= '0' && last <= '9', more = next[0] >= '0' && next[0] <= '9';

	if (more)
		return number || last == 0xb1;	/* last byte of a plus-minus sign */
	return number && next[0] != ' ' && (strcspn(next, " ") <= strlen("KiB,") ||
	    strncmp(next + strspn(next, "kMGT"), "bit/s", strlen("bit/s")) == 0);
}

/* Number of bytes up to the next blank at which a line may end. */
static size_t
piece_of(const struct pace_say *s, const char *text, int room)
{
	size_t word = strcspn(text, " "), n = word;

	while (n > 0 && text[n] == ' ' && holds(text, n))
		n += 1 + strcspn(text + n + 1, " ");
	return width_of(s, text, n) <= room ? n : word;
}

/* Number of bytes of an overlong word that fit on the line, up to the end of a component of
 * a name, path or address if there is one. */
static size_t
part_of(const struct pace_say *s, const char *word, size_t n, int room)
{
	size_t part = 0, i = 0;

	while (i < n) {
		size_t next = i + 1;

		while (next < n && is_tail(word[next]))
			next++;
		if (i > 0 && width_of(s, word, next) > room)
			break;
		if (strchr("./:,-_>", word[i]) != NULL)
			part = next;
		i = next;
	}
	return i == n || part == 0 ? i : part;
}

/* more: text at the end of each line except the last. */
static void
wrap(const struct pace_say *s, const char *first, const char *text, const char *more)
{
	int indent = width_of(s, first, strlen(first)), at = 0;
	int room = COLUMNS - indent - (int)strlen(more);

	if (room < 1)
		room = 1;
	put(s, first, strlen(first));
	while (*text != '\0') {
		size_t n = piece_of(s, text, room);
		int width;

		if (width_of(s, text, n) > room)
			n = part_of(s, text, n, room);
		width = width_of(s, text, n);
		if (at > 0 && at + 1 + width > room) {
			fprintf(s->f, "%s\n%*s", more, indent, "");
			at = 0;
		} else if (at > 0) {
			fputc(' ', s->f);
			at++;
		}
		put(s, text, n);
		at += width;
		text += n;
		if (*text != ' ' && *text != '\0')
			at = room;	/* the rest of the word gets a new line */
		text += strspn(text, " ");
	}
	fputc('\n', s->f);
}

void
pace_say_wrapped(const struct pace_say *s, const char *first, const char *text)
{
	wrap(s, first, text, "");
}

void
pace_say_command(const struct pace_say *s, const char *first, const char *command)
{
	wrap(s, first, command, " \\");
}

void
pace_say_sentence(const struct pace_say *s, const char *first, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	pace_say_wrapped(s, first, text);
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
pace_skew_text(double ppm, double error_ppm, int decimals, const char *pm, char *buf, size_t size)
{
	const double one = pow(10, decimals);

	if (error_ppm > 0 && isfinite(error_ppm))
		snprintf(buf, size, "%s%s%s ppm", PACE_AS_FIXED(ppm, decimals), pm,
		    PACE_AS_FIXED(ceil(error_ppm * one) / one, decimals));
	else
		snprintf(buf, size, "%s ppm", PACE_AS_FIXED(ppm, decimals));
	return buf;
}

char *
pace_percent(double ratio, char *buf, size_t size)
{
	double v = ratio * 100;
	int decimals = v < 0.1 ? 4 : v < 1 ? 3 : 2;	/* three significant digits */
	char text[32];

	if (v < 0 && size > 1) {
		buf[0] = '-';
		pace_percent(-ratio, buf + 1, size - 1);
	} else if (isnan(v)) {
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
