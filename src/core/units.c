/*
 * A quantity is cut into digits, fraction and unit first and valued after,
 * so that "not a quantity" always comes before "too large".  Everything is
 * done in integers: the fraction is multiplied by the unit digit by digit,
 * as on paper, which is exact for any number of digits.
 */
#include "core/units.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define EXP_MAX		18	/* 10^18 is the last power in 63 bits */
#define RATIO_ONE	INT64_C(1000000000)

struct units_text {
	const char	*p;
	size_t		n;
};

struct units_number {
	struct units_text	whole, part;	/* digits before and after the point */
	bool		has_exp;
	struct units_text	exp;		/* digits after the e */
	struct units_text	unit;
};

#define ON(unit)	(1u << (unit))
#define COUNT		ON(PACE_UNIT_COUNT)
#define BYTES		ON(PACE_UNIT_BYTES)
#define USEC		ON(PACE_UNIT_USEC)
#define SEC		ON(PACE_UNIT_SEC)
#define TIME		(USEC | SEC)
#define BPS		ON(PACE_UNIT_BPS)
#define RATIO		ON(PACE_UNIT_RATIO)

#define E3		INT64_C(1000)
#define E6		INT64_C(1000000)
#define E9		INT64_C(1000000000)
#define E12		INT64_C(1000000000000)

/* Every spelling and how many base units it is worth. */
static const struct {
	unsigned	units;		/* which kinds know it */
	const char	*name;
	int64_t		worth;
} spellings[] = {
	{ COUNT | BYTES | BPS, "", 1 },
	{ USEC, "", E3 }, { SEC, "", E9 }, { RATIO, "", RATIO_ONE },

	{ COUNT | BPS, "k", E3 }, { COUNT | BPS, "M", E6 },
	{ BPS, "G", E9 }, { BPS, "T", E12 },

	{ BYTES, "B", 1 },
	{ BYTES, "kB", E3 }, { BYTES, "MB", E6 }, { BYTES, "GB", E9 },
	{ BYTES, "K", 1 << 10 }, { BYTES, "M", 1 << 20 }, { BYTES, "G", 1 << 30 },
	{ BYTES, "KiB", 1 << 10 }, { BYTES, "MiB", 1 << 20 },
	{ BYTES, "GiB", 1 << 30 },

	{ TIME, "ns", 1 }, { TIME, "us", E3 },
	{ TIME, "\xc2\xb5s", E3 },		/* U+00B5 micro sign */
	{ TIME, "\xce\xbcs", E3 },		/* U+03BC Greek mu */
	{ TIME, "ms", E6 }, { TIME, "s", E9 },
	{ TIME, "m", 60 * E9 }, { TIME, "h", 3600 * E9 },

	{ BPS, "bit/s", 1 }, { BPS, "kbit/s", E3 }, { BPS, "Mbit/s", E6 },
	{ BPS, "Gbit/s", E9 }, { BPS, "Tbit/s", E12 },
	{ BPS, "bps", 1 }, { BPS, "kbps", E3 }, { BPS, "Mbps", E6 },
	{ BPS, "Gbps", E9 }, { BPS, "Tbps", E12 },
	{ BPS, "B/s", 8 }, { BPS, "kB/s", 8 * E3 }, { BPS, "MB/s", 8 * E6 },
	{ BPS, "GB/s", 8 * E9 }, { BPS, "TB/s", 8 * E12 },

	{ RATIO, "%", RATIO_ONE / 100 },
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Take the digits at the start of rest; false if there is none.  With
 * groups, single underscores between digits count as digits. */
static bool
take_digits(struct units_text *rest, bool groups, struct units_text *digits)
{
	const char *p = rest->p;
	size_t n = 0;

	while (n < rest->n && (is_digit(p[n]) || (groups && p[n] == '_' &&
	    n > 0 && is_digit(p[n - 1]) && n + 1 < rest->n && is_digit(p[n + 1]))))
		n++;
	*digits = (struct units_text){ p, n };
	rest->p += n;
	rest->n -= n;
	return n > 0;
}

static bool
take_char(struct units_text *rest, char c)
{
	if (rest->n == 0 || *rest->p != c)
		return false;
	rest->p++;
	rest->n--;
	return true;
}

static int
read_number(enum pace_unit unit, struct units_text rest, struct units_number *num)
{
	bool count = unit == PACE_UNIT_COUNT;

	*num = (struct units_number){ 0 };
	if (!take_digits(&rest, count, &num->whole))
		return -EINVAL;
	if (take_char(&rest, '.') && !take_digits(&rest, false, &num->part))
		return -EINVAL;
	num->has_exp = count && take_char(&rest, 'e');
	if (num->has_exp && (!take_digits(&rest, false, &num->exp) || rest.n > 0))
		return -EINVAL;
	num->unit = rest;
	return 0;
}

/* *v = *v * times + plus, or false. */
static bool
mul_add(int64_t *v, int64_t times, int64_t plus)
{
	if (*v > (INT64_MAX - plus) / times)
		return false;
	*v = *v * times + plus;
	return true;
}

static bool
whole_value(struct units_text digits, int64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < digits.n; i++)
		if (digits.p[i] != '_' && !mul_add(v, 10, digits.p[i] - '0'))
			return false;
	return true;
}

/* 0.digits times worth, from the last digit to the first: whatever the
 * product leaves behind the point must be 0. */
static bool
part_value(struct units_text digits, int64_t worth, int64_t *v)
{
	uint64_t carry = 0;

	for (size_t i = digits.n; i-- > 0;) {
		carry += (uint64_t)(digits.p[i] - '0') * (uint64_t)worth;
		if (carry % 10 != 0)
			return false;
		carry /= 10;
	}
	*v = (int64_t)carry;
	return true;
}

static bool
power_of_ten(struct units_text exp, int64_t *power)
{
	int64_t e;

	if (!whole_value(exp, &e) || e > EXP_MAX)
		return false;
	for (*power = 1; e > 0; e--)
		*power *= 10;
	return true;
}

static int64_t
worth_of(enum pace_unit unit, struct units_text name)
{
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		if ((spellings[i].units & ON(unit)) != 0 &&
		    strlen(spellings[i].name) == name.n &&
		    memcmp(spellings[i].name, name.p, name.n) == 0)
			return spellings[i].worth;
	return 0;
}

/* bare: the unit of a number that has neither unit nor exponent. */
static int
value_of(enum pace_unit unit, const struct units_number *num, struct units_text bare,
    int64_t *value)
{
	int64_t worth = worth_of(unit, num->unit.n == 0 ? bare : num->unit);
	int64_t v, part;

	if (worth == 0)
		return -EINVAL;
	if (num->has_exp && !power_of_ten(num->exp, &worth))
		return -ERANGE;
	if (!whole_value(num->whole, &v) || !part_value(num->part, worth, &part) ||
	    !mul_add(&v, worth, part))
		return -ERANGE;
	if (unit == PACE_UNIT_RATIO && v > RATIO_ONE)
		return -ERANGE;
	*value = v;
	return 0;
}

static const struct units_text no_unit = { "", 0 };

static int
parse_text(enum pace_unit unit, struct units_text t, int64_t *value)
{
	struct units_number num;
	int rc = read_number(unit, t, &num);

	return rc != 0 ? rc : value_of(unit, &num, no_unit, value);
}

int
pace_parse(enum pace_unit unit, const char *text, int64_t *value)
{
	return parse_text(unit, (struct units_text){ text, strlen(text) }, value);
}

/* Cut off the text before the first c, or all of it without a c. */
static struct units_text
take_until(struct units_text *rest, char c)
{
	const char *end = memchr(rest->p, c, rest->n);
	struct units_text head = { rest->p, end ? (size_t)(end - rest->p) : rest->n };

	rest->p += head.n;
	rest->n -= head.n;
	return head;
}

/* low, high and step in v; all three are read before any is valued. */
static int
parse_range(enum pace_unit unit, struct units_text rest, int64_t v[3])
{
	struct units_number num[3];
	int rc = 0;

	for (int i = 0; i < 3; i++) {
		if (i > 0 && !take_char(&rest, ':'))
			return -EINVAL;
		rc = read_number(unit, take_until(&rest, ':'), &num[i]);
		if (rc != 0)
			return rc;
	}
	if (rest.n > 0)
		return -EINVAL;
	for (int i = 0; i < 3 && rc == 0; i++)
		rc = value_of(unit, &num[i], num[2].unit, &v[i]);
	if (rc == 0 && (v[0] > v[1] || v[2] == 0))
		rc = -EINVAL;
	return rc;
}

/* One item of a list: how many values it put at v. */
static int
parse_item(enum pace_unit unit, struct units_text item, int64_t *v, int max)
{
	int64_t range[3] = { 0, 0, 1 }, more;
	int rc;

	if (memchr(item.p, ':', item.n) != NULL) {
		rc = parse_range(unit, item, range);
	} else {
		rc = parse_text(unit, item, &range[0]);
		range[1] = range[0];
	}
	if (rc != 0)
		return rc;
	more = (range[1] - range[0]) / range[2];	/* beyond the first */
	if (more >= max)
		return -E2BIG;
	for (int i = 0; i <= more; i++)
		v[i] = range[0] + i * range[2];
	return (int)more + 1;
}

int
pace_parse_list(enum pace_unit unit, const char *text, int64_t *v, int max)
{
	struct units_text rest = { text, strlen(text) };
	int n = 0, rc;

	do {
		rc = parse_item(unit, take_until(&rest, ','), v + n, max - n);
		if (rc < 0)
			return rc;
		n += rc;
	} while (take_char(&rest, ','));
	return n;
}

/* Units for printing, each step times the one before. */
struct units_ladder {
	double		step;
	int		rungs;
	const char	*name[5];
};

static const struct units_ladder times = { 1000, 4, { "ns", "\xc2\xb5s", "ms", "s" } };
static const struct units_ladder sizes = { 1024, 4, { "B", "KiB", "MiB", "GiB" } };
static const struct units_ladder volumes = { 1000, 5, { "B", "kB", "MB", "GB", "TB" } };
static const struct units_ladder rates = { 1000, 5,
	{ "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s" } };
static const struct units_ladder percent = { 1000, 1, { "%" } };

#define DECIMALS_MAX	12

/*
 * Three significant digits of v >= 0.  Printed as integers, because printf's
 * decimal point follows the locale.
 */
static void
print_digits(double v, char *buf, size_t size)
{
	unsigned long long q, one = 1;
	int decimals = 0;

	while (decimals < DECIMALS_MAX && round(v * (double)one * 10) < 1000) {
		one *= 10;
		decimals++;
	}
	if (decimals == 0) {
		snprintf(buf, size, "%.0f", round(v));
		return;
	}
	q = (unsigned long long)round(v * (double)one);
	if (q < one)				/* 0.5, not 0.500 */
		for (; q % 10 == 0 && decimals > 0; q /= 10, one /= 10)
			decimals--;
	if (decimals == 0)
		snprintf(buf, size, "%llu", q);
	else
		snprintf(buf, size, "%llu.%0*llu", q / one, decimals, q % one);
}

/* Print in the largest unit that gives at least 1 after rounding. */
static void
print_scaled(const struct units_ladder *l, double v, bool whole, char *buf, size_t size)
{
	char digits[340];
	int i = 0;

	for (; i + 1 < l->rungs && round(v) >= l->step; i++)
		v /= l->step;
	if (whole && v == floor(v))
		snprintf(digits, sizeof(digits), "%.0f", v);
	else
		print_digits(v, digits, sizeof(digits));
	snprintf(buf, size, "%s %s", digits, l->name[i]);
}

static void
print_bytes(double v, char *buf, size_t size)
{
	if (v < 10240 && v == floor(v) && fmod(v, 1024) != 0)
		snprintf(buf, size, "%.0f B", v);
	else
		print_scaled(&sizes, v, true, buf, size);
}

/* 1234567 as "1 234 567" */
static void
group(const char *digits, char *buf, size_t size)
{
	size_t n = strlen(digits), at = 0;

	for (size_t i = 0; i < n; i++) {
		bool blank = i > 0 && (n - i) % 3 == 0;

		if (at + blank + 1 >= size)
			break;
		if (blank)
			buf[at++] = ' ';
		buf[at++] = digits[i];
	}
	if (size > 0)
		buf[at] = '\0';
}

static void
print_count(double v, char *buf, size_t size)
{
	char digits[340];

	snprintf(digits, sizeof(digits), "%.0f", round(v));
	group(digits, buf, size);
}

char *
pace_print(enum pace_unit unit, double value, char *buf, size_t size)
{
	double v = fabs(value);
	/* no "-0": a count below one half rounds to nothing */
	double least = unit == PACE_UNIT_COUNT ? 0.5 : 0.5e-12;

	if (!isfinite(value)) {
		snprintf(buf, size, "-");
		return buf;
	}
	if (value <= -least && size > 1) {
		*buf = '-';
		pace_print(unit, v, buf + 1, size - 1);
		return buf;
	}
	switch (unit) {
	case PACE_UNIT_COUNT:	print_count(v, buf, size); break;
	case PACE_UNIT_BYTES:	print_bytes(v, buf, size); break;
	case PACE_UNIT_USEC:
	case PACE_UNIT_SEC:	print_scaled(&times, v, false, buf, size); break;
	case PACE_UNIT_BPS:	print_scaled(&rates, v, false, buf, size); break;
	case PACE_UNIT_RATIO:	print_scaled(&percent, v * 100, false, buf, size); break;
	}
	return buf;
}

char *
pace_print_count(uint64_t n, char buf[40])
{
	return pace_print(PACE_UNIT_COUNT, (double)n, buf, 40);
}

const char *
pace_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

char *
pace_print_counted(uint64_t n, const char *one, char buf[64])
{
	char count[40];
	size_t len = strlen(one);
	bool y = n != 1 && len > 0 && one[len - 1] == 'y';

	snprintf(buf, 64, "%s %.*s%s", pace_print_count(n, count), (int)(len - y), one,
	    y ? "ies" : pace_plural(n));
	return buf;
}

char *
pace_print_exact(int64_t bytes, char *buf, size_t size)
{
	static const struct { int64_t worth; const char *name; } v[] = {
		{ E9, "GB" }, { 1 << 30, "GiB" }, { E6, "MB" }, { 1 << 20, "MiB" },
		{ E3, "kB" }, { 1 << 10, "KiB" },
	};
	char digits[32], grouped[40];

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]) && bytes >= 65536; i++)
		if (bytes % v[i].worth == 0) {
			snprintf(buf, size, "%lld %s", (long long)(bytes / v[i].worth), v[i].name);
			return buf;
		}
	snprintf(digits, sizeof(digits), "%lld", (long long)bytes);
	group(digits, grouped, sizeof(grouped));
	snprintf(buf, size, "%s B", bytes < 65536 ? digits : grouped);
	return buf;
}

char *
pace_print_decimal(double bytes, char *buf, size_t size)
{
	if (isfinite(bytes) && bytes >= 0)
		print_scaled(&volumes, bytes, true, buf, size);
	else
		snprintf(buf, size, "-");
	return buf;
}
