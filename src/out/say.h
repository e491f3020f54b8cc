/*
 * say.h - words and numbers of a table, for a terminal that may not know
 * UTF-8.
 *
 * Width      counted in characters, not bytes; a number wider than its
 *            column pushes the rest to the right, it is never cut.
 * ASCII      µ becomes u, ± "+-", any other character outside ASCII '?'.
 * Locale     none: the decimal point is '.'.
 * Errors     stick to the FILE; pace_say_end tells.
 */
#ifndef PACE_OUT_SAY_H
#define PACE_OUT_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pace_say {
	FILE	*f;
	bool	utf8;
};

/* At most 1023 bytes at once. */
void	pace_say(const struct pace_say *s, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));
/* Characters on the screen. */
int	pace_width(const char *text);
/* Right-aligned, at least width characters. */
void	pace_say_cell(const struct pace_say *s, int width, const char *text);
/* A fixed number of decimals; not finite: "-". */
void	pace_say_fixed(const struct pace_say *s, int width, double v, int decimals);
/* Digits in groups of three. */
void	pace_say_count(const struct pace_say *s, int width, uint64_t n);
/* Words broken at column 78, later lines indented like the first. */
void	pace_say_wrapped(const struct pace_say *s, const char *first, const char *text);
/* 0 or -errno: what was said is out. */
int	pace_say_end(const struct pace_say *s);

/* Per cent with room for four decimals, so that a column's points stand below
 * each other: "0", "2.61", "0.0024", "<0.0001"; NaN: "-". */
char	*pace_percent(double ratio, char *buf, size_t size);
char	*pace_fixed(double v, int decimals, char *buf, size_t size);

#endif
