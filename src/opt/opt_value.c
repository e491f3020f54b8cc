#include "opt/opt_value.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "core/hist.h"
#include "opt/opt_meant.h"
#include "opt/opt_typed.h"

#define RATIO_BARE	INT64_C(10000000)	/* 1 %: a smaller share needs no sign */
#define LENS_NS_MAX	INT64_C(1000000000000)	/* limit of bins in documents */

/* word follows a bare number, word_suffixed a number with a suffix */
static const struct {
	const char	*what, *such_as, *too_fine, *word, *word_suffixed;
} units[] = {
	[PACE_UNIT_COUNT] = { "a number", "1000", "is not a whole number", "", "" },
	[PACE_UNIT_BYTES] = { "a size", "1472", "is not a whole number of bytes",
	    " bytes", "" },
	[PACE_UNIT_USEC] = { "a time", "10us", "is finer than 1ns", "", "" },
	[PACE_UNIT_SEC] = { "a time", "10s", "is finer than 1ns", "", "" },
	[PACE_UNIT_BPS] = { "a rate", "9.5G", "is not a whole number of bit/s", " bit/s",
	    "bit/s" },
	[PACE_UNIT_RATIO] = { "a share", "0.1%", "is finer than 0.0000001%", "", "" },
};

static const char *
word_after(enum pace_unit unit, const char *typed)
{
	bool bare = isdigit((unsigned char)typed[strlen(typed) - 1]) != 0;

	return bare ? units[unit].word : units[unit].word_suffixed;
}

/* Write "32 to 65507" and, with the unit's word, "32 to 65507 bytes". */
static void
quantity_range(const struct pace_opt *o, bool worded, char *buf, size_t size)
{
	char low[32], high[32];

	pace_opt_typed(o->unit, o->min, low, sizeof(low));
	pace_opt_typed(o->unit, o->max, high, sizeof(high));
	if (o->max == INT64_MAX)
		snprintf(buf, size, "%s%s or more", low,
		    worded ? word_after(o->unit, low) : "");
	else
		snprintf(buf, size, "%s to %s%s", low, high,
		    worded ? word_after(o->unit, high) : "");
}

void
pace_opt_range(const struct pace_opt *o, char *buf, size_t size)
{
	buf[0] = '\0';
	switch (o->kind) {
	case PACE_OPT_NUM:
	case PACE_OPT_LIST:
		quantity_range(o, true, buf, size);
		break;
	case PACE_OPT_DSCP:
	case PACE_OPT_DSCP_LIST:
		snprintf(buf, size, "0 to 63, ef, le, cs0 to cs7, af11 to af43");
		break;
	case PACE_OPT_LINEAR:
		snprintf(buf, size, "times up to 1000s, 1 to %d bins", PACE_LINEAR_HIST_MAX_BINS);
		break;
	case PACE_OPT_STR:
		if (o->max > 0)
			snprintf(buf, size, "at most %" PRId64 " bytes", o->max);
		break;
	case PACE_OPT_FLAG:
	case PACE_OPT_CHOICE:
		break;
	}
}

/* Write the text as given, in quotes; a very long one is shortened. */
static const char *
quoted(const char *text, char *buf, size_t size)
{
	size_t len = strlen(text);

	if (len + 3 <= size)
		snprintf(buf, size, "'%s'", text);
	else
		snprintf(buf, size, "'%.*s...'", (int)(size - 6), text);
	return buf;
}

static int
beyond(const struct pace_opt *o, const char *text, bool above, char *why, size_t size)
{
	char limit[32], range[80], q[64];

	pace_opt_typed(o->unit, above ? o->max : o->min, limit, sizeof(limit));
	quantity_range(o, false, range, sizeof(range));
	snprintf(why, size, "%s is %s %s%s (%s)", quoted(text, q, sizeof(q)),
	    above ? "above" : "below", limit, word_after(o->unit, limit), range);
	return -1;
}

/*
 * pace_parse returns -ERANGE for a value that is too large, and for one that is too fine.
 * A value that is too fine fits without the digits after the point.
 */
static bool
is_too_fine(const struct pace_opt *o, const char *text)
{
	const char *point = strchr(text, '.');
	char whole[64];
	int64_t v;

	if (point == NULL)
		return false;
	snprintf(whole, sizeof(whole), "%.*s%s", (int)(point - text), text,
	    point + 1 + strspn(point + 1, "0123456789_"));
	return pace_parse(o->unit, whole, &v) == 0 && v < o->max;
}

static int
unparsed(const struct pace_opt *o, const char *text, int rc, char *why, size_t size)
{
	char range[80], q[64], meant[128];
	const char *what = units[o->unit].what;
	int64_t v[PACE_LIST_MAX];

	if (rc == -ERANGE && !is_too_fine(o, text))
		return beyond(o, text, true, why, size);
	quantity_range(o, true, range, sizeof(range));
	quoted(text, q, sizeof(q));
	if (rc == -ERANGE)
		snprintf(why, size, "%s %s (%s)", q, units[o->unit].too_fine, range);
	else if (o->kind == PACE_OPT_NUM && pace_parse_list(o->unit, text, v, PACE_LIST_MAX) > 0)
		snprintf(why, size, "%s is a list; this option takes one value (%s)", q, range);
	else if (pace_opt_meant(o->unit, text, meant, sizeof(meant)) != NULL)
		snprintf(why, size, "%s is not %s; write %s", q, what, meant);
	else if (o->kind == PACE_OPT_LIST && strchr(text, ':') != NULL &&
	    pace_opt_range_meant(o->unit, text, meant, sizeof(meant)) != NULL)
		snprintf(why, size, "%s %s", q, meant);
	else
		snprintf(why, size, "%s is not %s (%s, such as %s)", q, what, range,
		    units[o->unit].such_as);
	return -1;
}

/* A share of 1 % or more needs the sign: 1 may mean 1 % or all, and 0.5 may mean half a per
 * cent or one half.  Does it lack the sign? */
static bool
lacks_percent(const struct pace_opt *o, const char *text, char *why, size_t size)
{
	char q[64], share[32], whole[32] = "";
	int64_t v = 0;

	snprintf(share, sizeof(share), "%.20s%%", text);
	if (o->unit != PACE_UNIT_RATIO || (pace_parse(o->unit, text, &v) == 0 && v < RATIO_BARE) ||
	    pace_parse(o->unit, share, &v) != 0)	/* also for "1%" */
		return false;
	if (pace_parse(o->unit, text, &v) == 0)
		pace_opt_typed(o->unit, v, whole, sizeof(whole));
	snprintf(why, size, "%s needs a %%; write %s%s%s", quoted(text, q, sizeof(q)), share,
	    whole[0] != '\0' ? " or " : "", whole);
	return true;
}

static int
set_num(const struct pace_opt *o, int64_t *v, const char *text, char *why, size_t size)
{
	int rc = pace_parse(o->unit, text, v);

	if (lacks_percent(o, text, why, size))
		return -1;
	if (rc != 0)
		return unparsed(o, text, rc, why, size);
	return *v < o->min || *v > o->max ? beyond(o, text, *v > o->max, why, size) : 0;
}

static int
set_list(const struct pace_opt *o, struct pace_list *l, const char *text,
    char *why, size_t size)
{
	const char *end;
	char item[128], q[64];
	int n;

	l->n = 0;
	for (;; text = end + 1) {
		end = strchrnul(text, ',');
		if ((size_t)(end - text) >= sizeof(item))
			return unparsed(o, text, -EINVAL, why, size);
		snprintf(item, sizeof(item), "%.*s", (int)(end - text), text);
		/* one item at a time, so that the message can quote it */
		n = pace_parse_list(o->unit, item, l->v + l->n, PACE_LIST_MAX - l->n);
		if (n == -E2BIG) {
			snprintf(why, size, "%s makes more than %d values",
			    quoted(item, q, sizeof(q)), PACE_LIST_MAX);
			return -1;
		}
		if (n < 0)
			return unparsed(o, item, n, why, size);
		for (const int64_t *v = &l->v[l->n], *last = v + n; v < last; v++)
			if (*v < o->min || *v > o->max)
				return beyond(o, item, *v > o->max, why, size);
		l->n += n;
		if (*end == '\0')
			return 0;
	}
}

/* Return the code point of a name: RFC 2474, 2597, 3246, 8622; -1: no such name. */
static int
dscp_by_name(const char *t)
{
	size_t len = strlen(t);

	if (strcasecmp(t, "ef") == 0)
		return 46;
	if (strcasecmp(t, "le") == 0)
		return 1;
	if (len == 3 && strncasecmp(t, "cs", 2) == 0 && t[2] >= '0' && t[2] <= '7')
		return 8 * (t[2] - '0');
	if (len == 4 && strncasecmp(t, "af", 2) == 0 && t[2] >= '1' && t[2] <= '4' &&
	    t[3] >= '1' && t[3] <= '3')
		return 8 * (t[2] - '0') + 2 * (t[3] - '0');
	return -1;
}

static int
set_dscp(const struct pace_opt *o, int64_t *v, const char *text, char *why, size_t size)
{
	char range[80], q[64];

	*v = dscp_by_name(text);
	if (*v >= 0)
		return 0;
	if (pace_parse(PACE_UNIT_COUNT, text, v) == 0 && *v <= 63)
		return 0;
	pace_opt_range(o, range, sizeof(range));
	snprintf(why, size, "%s is not a DSCP (%s)", quoted(text, q, sizeof(q)), range);
	return -1;
}

static int
set_dscps(const struct pace_opt *o, struct pace_list *l, const char *text, char *why,
    size_t size)
{
	char item[32];
	size_t len;

	for (l->n = 0; l->n < PACE_LIST_MAX; text += len + 1) {
		len = strcspn(text, ",");
		snprintf(item, sizeof(item), "%.*s", (int)len, text);
		if (set_dscp(o, &l->v[l->n++], len < sizeof(item) ? item : text, why, size) == -1)
			return -1;
		if (text[len] == '\0')
			return 0;
	}
	snprintf(why, size, "more than %d values", PACE_LIST_MAX);
	return -1;
}

/* Set the index of a word in arg, where '|' separates the words. */
static int
set_choice(const struct pace_opt *o, int64_t *v, const char *text, char *why, size_t size)
{
	size_t len = strlen(text);
	const char *word = o->arg;
	char q[64];

	for (*v = 0; word != NULL; ++*v) {
		if (len > 0 && strcspn(word, "|") == len && strncmp(word, text, len) == 0)
			return 0;
		word = strchr(word, '|');
		word = word != NULL ? word + 1 : NULL;
	}
	snprintf(why, size, "%s is not one of %s", quoted(text, q, sizeof(q)), o->arg);
	return -1;
}

/* Parse LOW:WIDTH:BINS; a bare LOW takes the unit of WIDTH, as in a list's range. */
static int
parse_lens(struct pace_linear_hist_arg *l, const char *text)
{
	char low[32], width[32], bins[32], both[64];
	const char *digits = "0123456789._";
	int end = 0;

	if (sscanf(text, "%31[^:]:%31[^:]:%31[^:]%n", low, width, bins, &end) != 3 ||
	    text[end] != '\0')
		return -EINVAL;
	snprintf(both, sizeof(both), "%s%s", low,
	    low[strspn(low, digits)] == '\0' ? width + strspn(width, digits) : "");
	if (pace_parse(PACE_UNIT_USEC, both, &l->low) != 0 ||
	    pace_parse(PACE_UNIT_USEC, width, &l->width) != 0 ||
	    pace_parse(PACE_UNIT_COUNT, bins, &l->bins) != 0)
		return -EINVAL;
	if (l->low > LENS_NS_MAX || l->width < 1 || l->width > LENS_NS_MAX ||
	    l->bins < 1 || l->bins > PACE_LINEAR_HIST_MAX_BINS)
		return -ERANGE;
	return 0;
}

int
pace_opt_set(const struct pace_opt *o, void *cfg, const char *text, char *why, size_t size)
{
	void *field = (char *)cfg + o->at;
	char range[80], q[64];

	switch (o->kind) {
	case PACE_OPT_FLAG:
		*(bool *)field = true;
		return 0;
	case PACE_OPT_NUM:
		return set_num(o, field, text, why, size);
	case PACE_OPT_LIST:
		return set_list(o, field, text, why, size);
	case PACE_OPT_STR:
		*(const char **)field = text;
		if (o->max <= 0 || strlen(text) <= (size_t)o->max)
			return 0;
		snprintf(why, size, "%s is longer than %" PRId64 " bytes",
		    quoted(text, q, sizeof(q)), o->max);
		return -1;
	case PACE_OPT_DSCP:
		return set_dscp(o, field, text, why, size);
	case PACE_OPT_DSCP_LIST:
		return set_dscps(o, field, text, why, size);
	case PACE_OPT_CHOICE:
		return set_choice(o, field, text, why, size);
	case PACE_OPT_LINEAR:
		if (parse_lens(field, text) == 0)
			return 0;
		pace_opt_range(o, range, sizeof(range));
		snprintf(why, size, "%s is not LOW:WIDTH:BINS (%s, such as 0:1us:100)",
		    quoted(text, q, sizeof(q)), range);
		return -1;
	}
	return -1;
}
