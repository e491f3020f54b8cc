#include "opt/opt_typed.h"

#include <inttypes.h>
#include <stdio.h>

/* From large to small; from: the least number of a unit, so that 60s is not 1m. */
struct scale {
	int64_t		base, from;
	const char	*suffix;
};

static const struct scale times[] = {
	{ 3600 * PACE_SEC, 7200 * PACE_SEC, "h" }, { 60 * PACE_SEC, 120 * PACE_SEC, "m" },
	{ PACE_SEC, 1, "s" }, { 1000000, 1, "ms" }, { 1000, 1, "us" }, { 1, 1, "ns" },
};
static const struct scale bytes[] = {
	{ INT64_C(1) << 30, 1, "G" }, { 1 << 20, 1, "M" }, { 1 << 10, 1, "K" }, { 1, 0, "" },
};
static const struct scale rates[] = {
	{ 1000 * PACE_SEC, 1, "T" }, { PACE_SEC, 1, "G" }, { 1000000, 1, "M" },
	{ 1000, 1, "k" }, { 1, 0, "" },
};
static const struct scale counts[] = {
	{ 1000 * PACE_SEC, 1, "e12" }, { PACE_SEC, 1, "e9" }, { 1000000, 1, "M" }, { 1, 0, "" },
};

static const struct scale *const scales[] = {
	[PACE_UNIT_COUNT] = counts,
	[PACE_UNIT_BYTES] = bytes,
	[PACE_UNIT_USEC] = times,
	[PACE_UNIT_SEC] = times,
	[PACE_UNIT_BPS] = rates,
	[PACE_UNIT_RATIO] = NULL,
};

/* Write parts per 10^9 as per cent, without trailing zeros. */
static void
typed_ratio(int64_t v, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%" PRId64 ".%07" PRId64, v / 10000000, v % 10000000);

	while (buf[n - 1] == '0')
		n--;
	snprintf(buf + n - (buf[n - 1] == '.'), 2, "%%");
}

char *
pace_opt_typed(enum pace_unit unit, int64_t v, char *buf, size_t size)
{
	const struct scale *s = scales[unit];

	if (v == 0) {
		snprintf(buf, size, "0");
	} else if (s == NULL) {
		typed_ratio(v, buf, size);
	} else {
		while (s->base > 1 && (v % s->base != 0 || v < s->from))
			s++;
		snprintf(buf, size, "%" PRId64 "%s", v / s->base, s->suffix);
	}
	return buf;
}
