#include "opt/opt_typed.h"

#include <inttypes.h>
#include <stdio.h>

#define SEC_NS		INT64_C(1000000000)

/* From large to small; from: the least number of a unit, so that 60s is not 1m. */
struct scale {
	int64_t		base, from;
	const char	*suffix;
};

static const struct scale times[] = {
	{ 3600 * SEC_NS, 7200 * SEC_NS, "h" }, { 60 * SEC_NS, 120 * SEC_NS, "m" },
	{ SEC_NS, 1, "s" }, { 1000000, 1, "ms" }, { 1000, 1, "us" }, { 1, 1, "ns" },
};
static const struct scale bytes[] = {
	{ INT64_C(1) << 30, 1, "G" }, { 1 << 20, 1, "M" }, { 1 << 10, 1, "K" }, { 1, 0, "" },
};
static const struct scale rates[] = {
	{ 1000 * SEC_NS, 1, "T" }, { SEC_NS, 1, "G" }, { 1000000, 1, "M" },
	{ 1000, 1, "k" }, { 1, 0, "" },
};
static const struct scale counts[] = {
	{ 1000 * SEC_NS, 1, "e12" }, { SEC_NS, 1, "e9" }, { 1000000, 1, "M" }, { 1, 0, "" },
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
