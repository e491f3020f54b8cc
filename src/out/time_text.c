#include "config.h"

#include "out/time_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/units.h"

#define S	INT64_C(1000000000)

char *
pace_clock_text(int64_t ns, char *buf, size_t size)
{
	int64_t s = ns / S;

	if (ns < 0)
		snprintf(buf, size, "-");
	else if (s < 3600)
		snprintf(buf, size, "%" PRId64 ":%02d", s / 60, (int)(s % 60));
	else
		snprintf(buf, size, "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60),
		    (int)(s % 60));
	return buf;
}

const char *
pace_span_text(int64_t ns, char buf[40])
{
	int64_t whole = (ns + S / 2) / S;

	if (ns >= 600 * S)
		pace_clock_text(ns, buf, 40);
	else if (whole > 0 && llabs(ns - whole * S) <= whole * (S / 100))
		snprintf(buf, 40, "%d s", (int)whole);
	else
		pace_print(PACE_UNIT_SEC, (double)ns, buf, 40);
	return buf;
}

char *
pace_day_text(int64_t at_ns, char *buf, size_t size)
{
	int64_t s = at_ns / S % 86400;

	if (at_ns <= 0)
		snprintf(buf, size, "--:--:--Z");
	else
		snprintf(buf, size, "%02d:%02d:%02dZ", (int)(s / 3600), (int)(s / 60 % 60),
		    (int)(s % 60));
	return buf;
}
