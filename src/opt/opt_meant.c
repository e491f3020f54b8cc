#include "opt/opt_meant.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "opt/opt_typed.h"

#define ON(unit)	(1u << (unit))
#define TIME		(ON(PACE_UNIT_USEC) | ON(PACE_UNIT_SEC))

/* Units of other tools, in any case, and ours; also: a second unit that may be meant. */
static const struct {
	unsigned	units;
	const char	*theirs, *ours, *also;
} habits[] = {
	{ TIME, "ns|nsec|nsecs", "ns", NULL }, { TIME, "us|u|usec|usecs", "us", NULL },
	{ TIME, "ms|msec|msecs", "ms", NULL }, { TIME, "s|sec|secs|second|seconds", "s", NULL },
	{ TIME, "m|min|mins|minute|minutes", "m", NULL },
	{ TIME, "h|hr|hrs|hour|hours", "h", NULL },
	{ ON(PACE_UNIT_BYTES), "b|byte|bytes", "", NULL },
	{ ON(PACE_UNIT_BYTES), "k|kb", "K", "kB" }, { ON(PACE_UNIT_BYTES), "m|mb", "M", "MB" },
	{ ON(PACE_UNIT_BYTES), "g|gb", "G", "GB" }, { ON(PACE_UNIT_BYTES), "kib", "KiB", NULL },
	{ ON(PACE_UNIT_BYTES), "mib", "MiB", NULL }, { ON(PACE_UNIT_BYTES), "gib", "GiB", NULL },
	{ ON(PACE_UNIT_COUNT), "k", "k", NULL }, { ON(PACE_UNIT_COUNT), "m", "M", NULL },
	{ ON(PACE_UNIT_COUNT), "g", "e9", NULL },
	{ ON(PACE_UNIT_RATIO), "%|percent|pct", "%", NULL },
};

/* Is this one of the words in a list separated by '|', in any case? */
static bool
is_one_of(const char *words, const char *word)
{
	size_t len = strlen(word), n;

	for (; *words != '\0'; words += n + strspn(words + n, "|")) {
		n = strcspn(words, "|");
		if (n == len && strncasecmp(words, word, len) == 0)
			return true;
	}
	return false;
}

/* Return the suffix for a prefix with a form of bit/s.  A capital B may mean bytes: NULL. */
static const char *
rate_meant(const char *unit)
{
	static const char *const ours[] = { "k", "M", "G", "T" };
	const char *prefixes = "kmgt", *at = strchr(prefixes, tolower((unsigned char)unit[0]));
	bool prefix = unit[0] != '\0' && at != NULL;

	if (strchr(unit, 'B') != NULL || (unit[prefix] != '\0' &&
	    !is_one_of("b|bit|bits|b/s|bit/s|bits/s|bps|bit/sec|bits/sec", unit + prefix)))
		return NULL;
	return prefix ? ours[at - prefixes] : "";
}

/* Write the number with our unit into buf if the result is a quantity. */
static const char *
joined(enum pace_unit unit, const char *number, const char *ours, char *buf, size_t size)
{
	int64_t v;

	snprintf(buf, size, "%s%s", number, ours);
	return pace_parse(unit, buf, &v) == 0 ? buf : NULL;
}

const char *
pace_opt_meant(enum pace_unit unit, const char *text, char *buf, size_t size)
{
	size_t digits = strspn(text, "0123456789._"), n = strlen(text);
	const char *theirs = text + digits + strspn(text + digits, " "), *rate;
	char number[40];

	if (digits == 0 || n >= sizeof(number))
		return NULL;
	snprintf(number, sizeof(number), "%.*s", (int)digits, text);
	if (joined(unit, number, theirs, buf, size) != NULL)
		return buf;
	rate = unit == PACE_UNIT_BPS ? rate_meant(theirs) : NULL;
	if (rate != NULL)
		return joined(unit, number, rate, buf, size);
	for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++) {
		if ((habits[i].units & ON(unit)) == 0 || !is_one_of(habits[i].theirs, theirs) ||
		    joined(unit, number, habits[i].ours, buf, size) == NULL)
			continue;
		if (habits[i].also != NULL && strlen(buf) + n + 8 < size)
			snprintf(buf + strlen(buf), size - strlen(buf), " or %s%s", number,
			    habits[i].also);
		return buf;
	}
	return NULL;
}

/* Do these three give the range from low to high?  Writes it to buf. */
static bool
makes_range(enum pace_unit unit, const char *low, const char *high, const char *step,
    const int64_t end[2], char *buf, size_t size)
{
	int64_t v[PACE_LIST_MAX];
	int n;

	snprintf(buf, size, "%s:%s:%s", low, high, step);
	n = pace_parse_list(unit, buf, v, PACE_LIST_MAX);
	return n > 0 && v[0] == end[0] && v[n - 1] == end[1];
}

/* Write the range in ten equal steps or, if they are not whole numbers, in fewer. */
static const char *
with_step(enum pace_unit unit, const char *low, const char *high, char *buf, size_t size)
{
	char step[32], typed[2][32];
	int64_t end[2], parts = 10;

	if (pace_parse(unit, low, &end[0]) != 0 || pace_parse(unit, high, &end[1]) != 0 ||
	    end[0] >= end[1])
		return NULL;
	while ((end[1] - end[0]) % parts != 0)
		parts--;
	pace_opt_typed(unit, (end[1] - end[0]) / parts, step, sizeof(step));
	if (makes_range(unit, low, high, step, end, buf, size))
		return buf;
	/* the unit of the step would also apply to the bare ends */
	pace_opt_typed(unit, end[0], typed[0], sizeof(typed[0]));
	pace_opt_typed(unit, end[1], typed[1], sizeof(typed[1]));
	return makes_range(unit, typed[0], typed[1], step, end, buf, size) ? buf : NULL;
}

const char *
pace_opt_range_meant(enum pace_unit unit, const char *text, char *buf, size_t size)
{
	char low[40], high[40], step[40], range[128];
	int n = sscanf(text, "%39[^:]:%39[^:]:%39[^:]", low, high, step);
	int64_t v[PACE_LIST_MAX];

	if (n == 2 && strchr(strchr(text, ':') + 1, ':') == NULL &&
	    with_step(unit, low, high, range, sizeof(range)) != NULL)
		snprintf(buf, size, "has no step; write LOW:HIGH:STEP, such as %s", range);
	else if (n == 3 && snprintf(range, sizeof(range), "%s:%s:%s", high, low, step) > 0 &&
	    pace_parse_list(unit, range, v, PACE_LIST_MAX) > 0)
		snprintf(buf, size, "begins with the higher end; write %s", range);
	else
		return NULL;
	return buf;
}
