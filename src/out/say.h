/*
 * say.h - print words and numbers of a table on a terminal that may not support
 * UTF-8.
 *
 * Width      in characters, not bytes; a number wider than its column moves
 *            the rest of the line to the right and is never cut.
 * ASCII      µ becomes u, ± becomes "+-", other characters outside ASCII '?'.
 * Locale     none: the decimal point is '.'.
 * Errors     stay in the FILE; pace_say_end returns them.
 */
#ifndef PACE_OUT_SAY_H
#define PACE_OUT_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/units.h"

struct pace_say {
	FILE	*f;
	bool	utf8;
};

/* Return whether the locale's character set is UTF-8. */
bool	pace_say_utf8(void);
/* Print formatted text, at most 1023 bytes a call. */
void	pace_say(const struct pace_say *s, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));
/* Return the number of characters on the screen. */
int	pace_width(const char *text);
/* Print text right-aligned, at least width characters. */
void	pace_say_cell(const struct pace_say *s, int width, const char *text);
/* Print v with a fixed number of decimals; not finite: "-". */
void	pace_say_fixed(const struct pace_say *s, int width, double v, int decimals);
/* Print n in groups of three digits; UINT64_MAX means unknown: "-". */
void	pace_say_count(const struct pace_say *s, int width, uint64_t n);
/* Print text in lines of at most 79 columns, broken between words; later lines are indented
 * like the first.  A number keeps its groups and its unit together.  Only a word longer than
 * a line is broken, after a '.' or '/' if possible. */
void	pace_say_wrapped(const struct pace_say *s, const char *first, const char *text);
/* Print a shell command in the same way; a broken line ends with '\', so the command stays
 * one. */
void	pace_say_command(const struct pace_say *s, const char *first, const char *command);
/* Print formatted text like pace_say_wrapped, at most 2047 bytes. */
void	pace_say_sentence(const struct pace_say *s, const char *first, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));
/* Flush; return 0 or -errno. */
int	pace_say_end(const struct pace_say *s);

/* Format a ratio in per cent, with room for four decimals, so that the points of a column
 * are aligned: "0", "2.61", "0.0024", "<0.0001"; NaN: "-". */
char	*pace_percent(double ratio, char *buf, size_t size);
char	*pace_fixed(double v, int decimals, char *buf, size_t size);
/* Format a skew and its largest error, with pm between them: "-1.25 ± 0.04 ppm"; the error is
 * rounded up, and omitted if it is not known. */
char	*pace_skew_text(double ppm, double error_ppm, int decimals, const char *pm, char *buf,
	    size_t size);

/* For arguments of pace_say and snprintf: the text is valid until the enclosing block ends. */
#define PACE_AS_TEXT(unit, v)	pace_print(unit, (double)(v), (char [64]){ "" }, 64)
#define PACE_AS_COUNT(n)	PACE_AS_TEXT(PACE_UNIT_COUNT, n)
#define PACE_AS_BYTES(n)	PACE_AS_TEXT(PACE_UNIT_BYTES, n)
#define PACE_AS_USEC(ns)	PACE_AS_TEXT(PACE_UNIT_USEC, ns)
#define PACE_AS_SEC(ns)		PACE_AS_TEXT(PACE_UNIT_SEC, ns)
#define PACE_AS_BPS(bps)	PACE_AS_TEXT(PACE_UNIT_BPS, bps)
#define PACE_AS_RATIO(v)	PACE_AS_TEXT(PACE_UNIT_RATIO, v)
#define PACE_AS_FIXED(v, decimals) pace_fixed(v, decimals, (char [64]){ "" }, 64)
#define PACE_AS_SKEW(ppm, error_ppm, decimals) \
	pace_skew_text(ppm, error_ppm, decimals, " \xc2\xb1 ", (char [64]){ "" }, 64)

#endif
