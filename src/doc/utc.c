#include "config.h"

#include "doc/utc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define YEAR_MOST	2200		/* ns since 1970 do not reach the end of 2262 */

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

int
pace_utc_parse(const char *text, int64_t *wall_ns)
{
	struct tm tm = { .tm_year = 0 };
	int64_t fraction = 0, unit = 1000000000;
	int end = 0;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
	    &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &end) != 6 || end != 19)
		return -EINVAL;
	if (tm.tm_year < 1970 || tm.tm_year > YEAR_MOST || tm.tm_mon < 1 || tm.tm_mon > 12 ||
	    tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_hour < 0 || tm.tm_hour > 23 ||
	    tm.tm_min < 0 || tm.tm_min > 59 || tm.tm_sec < 0 || tm.tm_sec > 60)
		return -EINVAL;
	text += end;
	if (*text == '.' && text[1] != 'Z')
		for (text++; *text >= '0' && *text <= '9' && unit > 1; text++)
			fraction += (*text - '0') * (unit /= 10);
	if (strcmp(text, "Z") != 0)
		return -EINVAL;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*wall_ns = (int64_t)timegm(&tm) * 1000000000 + fraction;
	return 0;
}

int64_t
pace_utc_read(const char *text)
{
	int64_t ns;

	return strlen(text) == 24 && text[19] == '.' && pace_utc_parse(text, &ns) == 0 ? ns : 0;
}
