#include "core/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * Length of the well-formed UTF-8 character at p, 0 if there is none in the
 * left bytes (Unicode table 3-7: no overlong form, no surrogate, nothing
 * above U+10FFFF).
 */
static size_t
utf8_len(const unsigned char *p, size_t left)
{
	unsigned char low = 0x80, high = 0xbf;	/* of the second byte */
	size_t n;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (left < n)
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/* A whole character (C0, DEL, C1) that acts on a terminal. */
static bool
is_control(const unsigned char *p, size_t n)
{
	if (n == 1)
		return p[0] < 0x20 || p[0] == 0x7f;
	return n == 2 && p[0] == 0xc2 && p[1] < 0xa0;
}

void
pace_clean(char *to, size_t size, const char *from, size_t len)
{
	const unsigned char *p = (const unsigned char *)from;
	size_t at = 0, used = 0;

	if (size == 0)
		return;
	while (at < len) {
		size_t n = utf8_len(p + at, len - at);
		bool keep = n > 0 && !is_control(p + at, n);
		size_t need = keep ? n : 1;

		if (need > size - 1 - used)
			break;
		if (keep)
			memcpy(to + used, p + at, n);
		else
			to[used] = '?';
		used += need;
		at += n > 0 ? n : 1;
	}
	to[used] = '\0';
}

int
pace_fail(struct pace_err *err, int code, const char *step)
{
	if (err != NULL) {
		err->code = code;
		err->step = step != NULL ? step : "";
		err->text[0] = '\0';
	}
	return -code;
}

int
pace_failf(struct pace_err *err, int code, const char *step,
    const char *fmt, ...)
{
	/*
	 * Cleaning makes two bytes one at most, so twice the room and one
	 * character more is never cut before the text is full: what vsnprintf
	 * cuts in half is not seen.
	 */
	char raw[2 * sizeof(err->text) + 4];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(raw, sizeof(raw), fmt, ap) < 0)
		raw[0] = '\0';
	va_end(ap);

	pace_fail(err, code, step);
	if (err != NULL)	/* last: an argument may point into err->text */
		pace_clean(err->text, sizeof(err->text), raw, strlen(raw));
	return -code;
}
