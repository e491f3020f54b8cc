#include "config.h"

#include "doc/utc.h"

#include <stdio.h>
#include <time.h>

#define YEAR_MOST	2200		/* 2262 has no ns since 1970 any more */

char *
pace_utc_text(int64_t wall_ns, char *buf, size_t size)
{
	time_t s = (time_t)(wall_ns / 1000000000);
	struct tm tm = { .tm_year = 70, .tm_mday = 1 };
	char to_s[32];

	(void)gmtime_r(&s, &tm);
	strftime(to_s, sizeof(to_s), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf, size, "%s.%03dZ", to_s, (int)(wall_ns / 1000000 % 1000));
	return buf;
}

int64_t
pace_utc_read(const char *text)
{
	struct tm tm = { .tm_year = 0 };
	int ms, end = 0;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
	    &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms, &end) != 7 || text[end] != '\0' || end != 24)
		return 0;
	if (tm.tm_year < 1970 || tm.tm_year > YEAR_MOST || tm.tm_mon < 1 || tm.tm_mon > 12 ||
	    tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_hour < 0 || tm.tm_hour > 23 ||
	    tm.tm_min < 0 || tm.tm_min > 59 || tm.tm_sec < 0 || tm.tm_sec > 60 || ms < 0)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return (int64_t)timegm(&tm) * 1000000000 + ms * INT64_C(1000000);
}
