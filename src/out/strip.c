#include "out/strip.h"

#include <math.h>
#include <string.h>

#define LEVELS	8
#define LOG_AT	8.0	/* ratio of the highest to the lowest value from which the axis is
			 * logarithmic */

static const char *const blocks[LEVELS + 1] = {
	" ", "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
	"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88",
};
static const char *const ascii[] = { " ", ".", ":", "-", "=", "+", "*", "#" };

static double
axis(const struct pace_strip *s, double v)
{
	return s->log ? log(fmax(v, 1)) : v;
}

/* Position of a value: 0 at the left edge, PACE_STRIP_COLUMNS at the right one. */
static double
place(const struct pace_strip *s, double v)
{
	double left = axis(s, (double)s->low), right = axis(s, (double)s->high + 1);

	return PACE_STRIP_COLUMNS * (axis(s, v) - left) / (right - left);
}

void
pace_strip_reset(struct pace_strip *s, int64_t low, int64_t high)
{
	memset(s, 0, sizeof(*s));
	s->low = low;
	s->high = high;
	s->log = low >= 0 && (double)high > LOG_AT * fmax((double)low, 1);
}

/* Spread count evenly from position a to position b. */
static void
spread(struct pace_strip *s, double a, double b, double count)
{
	int first = (int)floor(a);

	if (first >= PACE_STRIP_COLUMNS)	/* rounding at the right edge */
		first = PACE_STRIP_COLUMNS - 1;
	if (b <= first + 1 || b <= a) {
		s->count[first] += count;
		return;
	}
	for (int c = first; c < PACE_STRIP_COLUMNS && c < b; c++)
		s->count[c] += count * (fmin(b, c + 1) - fmax(a, c)) / (b - a);
}

void
pace_strip_add(struct pace_strip *s, const struct pace_hist *h, int64_t shift)
{
	double edge[2] = { (double)s->low, (double)s->high + 1 };
	struct pace_bin bin;
	int iter = 0;

	while (pace_hist_next(h, &iter, &bin)) {
		double low = fmax((double)bin.low + (double)shift, edge[0]);
		double high = fmin((double)bin.high + (double)shift, edge[1]);

		if (low < high)
			spread(s, fmax(place(s, low), 0), place(s, high),
			    (double)bin.count);
	}
}

int
pace_strip_column(const struct pace_strip *s, int64_t v)
{
	double at = floor(place(s, (double)v));

	if (!(at > 0))
		return 0;
	return at < PACE_STRIP_COLUMNS ? (int)at : PACE_STRIP_COLUMNS - 1;
}

/* Height of a bar: from 1 for a single value (or part of one) to top for the largest count. */
static int
level(double count, double most, int top)
{
	if (count <= 0)
		return 0;
	if (most <= 1)
		return top;
	return 1 + (int)round((top - 1) * log(fmax(count, 1)) / log(most));
}

void
pace_strip_draw(const struct pace_strip *s, bool utf8, char *buf)
{
	const char *const *bars = utf8 ? blocks : ascii;
	int top = utf8 ? LEVELS : (int)(sizeof(ascii) / sizeof(ascii[0])) - 1;
	double most = 0;

	for (int c = 0; c < PACE_STRIP_COLUMNS; c++)
		most = fmax(most, s->count[c]);
	for (int c = 0; c < PACE_STRIP_COLUMNS; c++) {
		const char *bar = bars[level(s->count[c], most, top)];

		memcpy(buf, bar, strlen(bar));
		buf += strlen(bar);
	}
	*buf = '\0';
}
