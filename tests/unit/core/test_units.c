/* units.h: what is read, what is refused, and how values are printed. */
#include "core/units.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lib/unit.h"

#define N	PACE_UNIT_COUNT
#define B	PACE_UNIT_BYTES
#define U	PACE_UNIT_USEC
#define S	PACE_UNIT_SEC
#define R	PACE_UNIT_BPS
#define P	PACE_UNIT_RATIO
#define G9	INT64_C(1000000000)

static const struct {
	enum pace_unit unit;
	const char *text;
	int64_t value;
} good[] = {
	{ N, "0", 0 }, { N, "1", 1 }, { N, "007", 7 }, { N, "50000", 50000 },
	{ N, "10k", 10000 }, { N, "1M", 1000000 }, { N, "1.5k", 1500 },
	{ N, "1e6", 1000000 }, { N, "1e0", 1 }, { N, "2.5e3", 2500 },
	{ N, "1e18", INT64_C(1000000000000000000) }, { N, "0e18", 0 },
	{ N, "1e018", INT64_C(1000000000000000000) },
	{ N, "0.000000000000000001e18", 1 },
	{ N, "100_000", 100000 }, { N, "1_0_0", 100 }, { N, "1_000k", 1000000 },
	{ N, "1.000", 1 }, { N, "9223372036854775807", INT64_MAX },
	{ N, "9223372036854775.807k", INT64_MAX },
	{ N, "9.223372036854775807e18", INT64_MAX },
	{ N, "00000000000000000000000000000000000001", 1 },
	{ N, "1.00000000000000000000000000000000000000", 1 },

	{ B, "1472", 1472 }, { B, "1472B", 1472 }, { B, "1kB", 1000 },
	{ B, "1MB", 1000000 }, { B, "1GB", G9 }, { B, "1K", 1024 },
	{ B, "64K", 65536 }, { B, "1M", 1048576 }, { B, "1G", 1073741824 },
	{ B, "1KiB", 1024 }, { B, "16MiB", 16777216 }, { B, "2GiB", INT64_C(2147483648) },
	{ B, "0.5K", 512 }, { B, "1.5KiB", 1536 }, { B, "0.0009765625K", 1 },
	/* 2^-30 to its last digit: one byte */
	{ B, "0.000000000931322574615478515625GiB", 1 },
	{ B, "8589934591.999999999068677425384521484375G", INT64_MAX },

	{ U, "10", 10000 }, { U, "0.7", 700 }, { U, "0.7us", 700 }, { U, "10us", 10000 },
	{ U, "10\xc2\xb5s", 10000 }, { U, "10\xce\xbcs", 10000 },
	{ U, "500ns", 500 }, { U, "1.5ms", 1500000 }, { U, "2ms", 2000000 },
	{ U, "30s", 30 * G9 }, { U, "5m", 300 * G9 }, { U, "1h", 3600 * G9 },
	{ U, "0.001us", 1 }, { U, "0.0010", 1 }, { U, "0", 0 }, { U, "0.0us", 0 },
	{ U, "9223372036854775807ns", INT64_MAX },
	{ U, "9223372036854775.807", INT64_MAX },
	{ S, "10", 10 * G9 }, { S, "0.1", 100000000 }, { S, "10us", 10000 },
	{ S, "2ms", 2000000 }, { S, "30s", 30 * G9 }, { S, "0.5h", 1800 * G9 },
	{ S, "1.25m", 75 * G9 }, { S, "9223372036.854775807s", INT64_MAX },
	{ S, "9223372036.854775807", INT64_MAX },

	{ R, "0", 0 }, { R, "1", 1 }, { R, "100k", 100000 }, { R, "950M", 950000000 },
	{ R, "9.5G", 9500000000 }, { R, "1T", 1000000000000 },
	{ R, "1bit/s", 1 }, { R, "1kbit/s", 1000 }, { R, "1Mbit/s", 1000000 },
	{ R, "9.5Gbit/s", 9500000000 }, { R, "1Tbit/s", 1000000000000 },
	{ R, "1bps", 1 }, { R, "1kbps", 1000 }, { R, "1Mbps", 1000000 },
	{ R, "1Gbps", G9 }, { R, "1Tbps", 1000000000000 },
	{ R, "1B/s", 8 }, { R, "1kB/s", 8000 }, { R, "1MB/s", 8000000 },
	{ R, "1.2GB/s", 9600000000 }, { R, "1TB/s", 8000000000000 },
	{ R, "0.125B/s", 1 }, { R, "9223372.036854775807T", INT64_MAX },

	{ P, "0", 0 }, { P, "1", G9 }, { P, "0.001", 1000000 }, { P, "0.1%", 1000000 },
	{ P, "100%", G9 }, { P, "0.000000001", 1 }, { P, "0.0000001%", 1 },
	{ P, "50%", 500000000 }, { P, "1.0", G9 }, { P, "0%", 0 },
};

START_TEST(a_quantity_is_read_exactly)
{
	for (int i = 0; i < COUNT_OF(good); i++) {
		int64_t v = -1;
		int rc = pace_parse(good[i].unit, good[i].text, &v);

		ck_assert_msg(rc == 0, "'%s' is refused", good[i].text);
		ck_assert_msg(v == good[i].value, "'%s' is read as %lld",
		    good[i].text, (long long)v);
	}
}
END_TEST

static const struct {
	enum pace_unit unit;
	const char *text;
	int rc;
} bad[] = {
	/* finer than the base unit */
	{ U, "0.0005us", -ERANGE }, { U, "0.0005", -ERANGE }, { U, "0.1ns", -ERANGE },
	{ U, "1.00000000000000000000000000000000000001s", -ERANGE },
	{ S, "0.0000000001", -ERANGE }, { N, "1.5", -ERANGE }, { N, "0.0001k", -ERANGE },
	{ N, "1.25e1", -ERANGE }, { B, "0.5", -ERANGE }, { B, "0.0001kB", -ERANGE },
	{ B, "0.00048828125K", -ERANGE }, { R, "0.1", -ERANGE }, { R, "0.1B/s", -ERANGE },
	{ P, "0.0000000001", -ERANGE }, { P, "0.00000001%", -ERANGE },
	/* more than 63 bits, more than all */
	{ N, "9223372036854775808", -ERANGE }, { N, "18446744073709551616", -ERANGE },
	{ N, "18446744073709551617", -ERANGE }, { N, "9223372036854775.808k", -ERANGE },
	{ N, "99999999999999999999999999999999999999999", -ERANGE },
	{ N, "1e19", -ERANGE }, { N, "10e18", -ERANGE }, { N, "9.223372036854775808e18", -ERANGE },
	{ N, "1e99999999999999999999999", -ERANGE }, { N, "1e4294967296", -ERANGE },
	{ U, "9223372036854775808ns", -ERANGE }, { U, "9223372036854775.808", -ERANGE },
	{ S, "9223372036.854775808s", -ERANGE }, { S, "2562048h", -ERANGE },
	{ B, "8589934592G", -ERANGE }, { R, "9223372.036854775808T", -ERANGE },
	{ R, "1152921504606846976B/s", -ERANGE },
	{ P, "1.000000001", -ERANGE }, { P, "100.1%", -ERANGE }, { P, "2", -ERANGE },
	{ P, "99999999999999999999", -ERANGE },
	/* not a quantity at all, whatever the kind */
	{ U, "", -EINVAL }, { U, ".", -EINVAL }, { U, "5.", -EINVAL }, { U, ".5", -EINVAL },
	{ U, "5.us", -EINVAL }, { U, "1..2", -EINVAL }, { U, "1.2.3", -EINVAL },
	{ U, " 5", -EINVAL }, { U, "5 ", -EINVAL }, { U, "5 us", -EINVAL },
	{ U, "5us ", -EINVAL }, { U, "\t5", -EINVAL }, { U, "5\n", -EINVAL },
	{ U, "-1", -EINVAL }, { U, "+1", -EINVAL }, { U, "-0", -EINVAL },
	{ U, "0x10", -EINVAL }, { N, "0x10", -EINVAL }, { U, "nan", -EINVAL },
	{ U, "inf", -EINVAL }, { U, "us", -EINVAL }, { U, "1h30m", -EINVAL },
	{ U, "10u", -EINVAL }, { U, "10US", -EINVAL }, { U, "10usec", -EINVAL },
	{ U, "10\xc2\xb5", -EINVAL }, { U, "10\xb5s", -EINVAL }, { U, "10\xc2s", -EINVAL },
	{ U, "1,5us", -EINVAL }, { U, "1'000", -EINVAL }, { U, "1e3", -EINVAL },
	{ U, "1e3us", -EINVAL }, { U, "100_000", -EINVAL }, { U, "1:2", -EINVAL },
	{ U, "10K", -EINVAL }, { U, "10%", -EINVAL }, { U, "10B", -EINVAL },
	{ N, "1e", -EINVAL }, { N, "1e+6", -EINVAL }, { N, "1e-6", -EINVAL },
	{ N, "1E6", -EINVAL }, { N, "1e6k", -EINVAL }, { N, "1e6.5", -EINVAL },
	{ N, "e6", -EINVAL }, { N, "1e1_0", -EINVAL }, { N, "1e6 ", -EINVAL },
	{ N, "_1", -EINVAL }, { N, "1_", -EINVAL }, { N, "1__0", -EINVAL },
	{ N, "1_.5k", -EINVAL }, { N, "1.5_0k", -EINVAL }, { N, "1._5k", -EINVAL },
	{ N, "10K", -EINVAL }, { N, "10m", -EINVAL }, { N, "10us", -EINVAL },
	{ N, "10kk", -EINVAL }, { N, "10kB", -EINVAL },
	{ B, "1k", -EINVAL }, { B, "1b", -EINVAL }, { B, "1KB", -EINVAL },
	{ B, "1kiB", -EINVAL }, { B, "1Ki", -EINVAL }, { B, "1T", -EINVAL },
	{ B, "1e3", -EINVAL }, { B, "1KiBs", -EINVAL },
	{ R, "1K", -EINVAL }, { R, "1Gb", -EINVAL }, { R, "1GB", -EINVAL },
	{ R, "1Gbit", -EINVAL }, { R, "1Gbit/", -EINVAL }, { R, "1Kbit/s", -EINVAL },
	{ R, "1e9", -EINVAL }, { R, "1kpps", -EINVAL },
	{ P, "1e-5", -EINVAL }, { P, "1%%", -EINVAL }, { P, "%", -EINVAL },
	{ P, "1 %", -EINVAL }, { P, "1k", -EINVAL },
	/* not a quantity comes before too large */
	{ U, "99999999999999999999x", -EINVAL }, { U, "0.00000000001x", -EINVAL },
	{ N, "99999999999999999999 ", -EINVAL },
};

START_TEST(what_is_no_quantity_is_refused_and_changes_nothing)
{
	for (int i = 0; i < COUNT_OF(bad); i++) {
		char *exact = strdup(bad[i].text);
		int64_t v = -77;
		int rc = pace_parse(bad[i].unit, exact, &v);

		ck_assert_msg(rc == bad[i].rc, "'%s' gives %d", bad[i].text, rc);
		ck_assert_msg(v == -77, "'%s' changes the value", bad[i].text);
		free(exact);
	}
}
END_TEST

/* Every unit that moves the point, with the places it moves it by. */
static const struct {
	enum pace_unit unit;
	const char *name;
	int places;
} decimal[] = {
	{ N, "", 0 }, { N, "k", 3 }, { N, "M", 6 }, { N, "e4", 4 }, { N, "e18", 18 },
	{ B, "kB", 3 }, { B, "MB", 6 }, { B, "GB", 9 }, { U, "", 3 }, { U, "us", 3 },
	{ U, "ns", 0 }, { U, "ms", 6 }, { U, "s", 9 }, { S, "", 9 }, { S, "ms", 6 },
	{ R, "k", 3 }, { R, "Gbit/s", 9 }, { R, "Tbps", 12 },
};

/* Write an integer with the point moved, as on paper, and read it back. */
START_TEST(random_quantities_come_back_exactly)
{
	for (int i = 0; i < 20000; i++) {
		int row = (int)unit_between(0, COUNT_OF(decimal) - 1);
		int whole = 40 - decimal[row].places;
		int64_t v = (int64_t)(unit_rnd_any_size() >> 1), back = -1;
		char digits[48], text[96];

		snprintf(digits, sizeof(digits), "%040lld", (long long)v);
		snprintf(text, sizeof(text), "%.*s%s%s%s%s", whole, digits,
		    whole < 40 ? "." : "", digits + whole,
		    whole < 40 && unit_rnd() & 1 ? "000" : "", decimal[row].name);
		if (pace_parse(decimal[row].unit, text, &back) != 0 || back != v)
			ck_abort_msg("'%s' is read as %lld", text, (long long)back);
	}
}
END_TEST

/* Random text from the letters that matter never crashes, and what is
 * accepted starts with a digit and has no blank or sign. */
START_TEST(random_text_is_survived)
{
	static const char letters[] = "0123456789..eekKMGTiBbps/unmsh%_:,-+ \xc2\xb5\xce\xbc";

	for (int i = 0; i < 20000; i++) {
		size_t n = (size_t)unit_between(0, 12);
		char *exact = malloc(n + 1);
		int64_t v = -1, list[8];

		for (size_t k = 0; k < n; k++)
			exact[k] = letters[unit_between(0, sizeof(letters) - 2)];
		exact[n] = '\0';
		for (int unit = N; unit <= (int)P; unit++) {
			int rc = pace_parse((enum pace_unit)unit, exact, &v), count;

			count = pace_parse_list((enum pace_unit)unit, exact, list, 8);
			if (rc != 0 ? rc != -EINVAL && rc != -ERANGE :
			    v < 0 || exact[0] < '0' || exact[0] > '9' ||
			    strpbrk(exact, "-+ ,:") != NULL ||
			    count != 1 || list[0] != v)
				ck_abort_msg("'%s' gives %d", exact, rc);
			if (count > 8)
				ck_abort_msg("'%s' gives %d values", exact, count);
		}
		free(exact);
	}
}
END_TEST

static const struct {
	enum pace_unit unit;
	const char *text;
	int n;				/* or -errno */
	int64_t v[8];
} lists[] = {
	{ B, "1472", 1, { 1472 } },
	{ B, "64,512,1472", 3, { 64, 512, 1472 } },
	{ B, "1K,1kB,1", 3, { 1024, 1000, 1 } },
	{ U, "10us,2ms,0.7", 3, { 10000, 2000000, 700 } },
	{ N, "0:4:1", 5, { 0, 1, 2, 3, 4 } },
	{ N, "0:5:2", 3, { 0, 2, 4 } },			/* no step falls on 5 */
	{ N, "0:6:2", 4, { 0, 2, 4, 6 } },
	{ N, "7:7:1", 1, { 7 } },
	{ N, "0:3:5", 1, { 0 } },
	{ N, "1,5:7:1,2", 5, { 1, 5, 6, 7, 2 } },
	{ N, "0:2:1k", 3, { 0, 1000, 2000 } },		/* bare takes STEP's unit */
	{ N, "0:2e3:1k", 3, { 0, 1000, 2000 } },	/* 2e3 is not bare */
	{ U, "0:30:10us", 4, { 0, 10000, 20000, 30000 } },
	{ U, "0us:30us:10us", 4, { 0, 10000, 20000, 30000 } },
	{ U, "0:30:10", 4, { 0, 10000, 20000, 30000 } },
	{ U, "0:2:1ms", 3, { 0, 1000000, 2000000 } },
	{ U, "500us:2:1ms", 2, { 500000, 1500000 } },
	{ U, "1us:0.3ms:0.1ms", 3, { 1000, 101000, 201000 } },
	{ U, "0.5:0.7:0.1us", 3, { 500, 600, 700 } },
	{ S, "1:2:1ms", 2, { 1000000, 2000000 } },
	{ S, "1:2:500ms", 1, { 1000000 } },		/* 1 ms, and 501 is too far */
	{ S, "1s:2s:500ms", 3, { G9, 1500000000, 2 * G9 } },
	{ P, "0:1:0.5%", 3, { 0, 5000000, 10000000 } },
	{ P, "0:1:0.5", 3, { 0, 500000000, G9 } },
	{ N, "9223372036854775806:9223372036854775807:1", 2,
	    { INT64_MAX - 1, INT64_MAX } },
	{ N, "1:9223372036854775807:9223372036854775806", 2, { 1, INT64_MAX } },
	{ N, "9223372036854775800:9223372036854775807:9", 1, { INT64_MAX - 7 } },

	{ N, "1,2,3,4,5,6,7,8", 8, { 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ N, "1,2,3,4,5,6,7,8,9", -E2BIG, { 0 } },
	{ N, "1:8:1", 8, { 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ N, "1:9:1", -E2BIG, { 0 } },
	{ N, "1,2:9:1", -E2BIG, { 0 } },
	{ N, "1,2:8:1", 8, { 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ N, "0:9223372036854775807:1", -E2BIG, { 0 } },
	{ N, "0:4294967296:1", -E2BIG, { 0 } },		/* 2^32 + 1 values */
	{ N, "0:4294967295:1", -E2BIG, { 0 } },

	{ N, "", -EINVAL, { 0 } }, { N, ",", -EINVAL, { 0 } }, { N, "1,", -EINVAL, { 0 } },
	{ N, ",1", -EINVAL, { 0 } }, { N, "1,,2", -EINVAL, { 0 } },
	{ N, "1, 2", -EINVAL, { 0 } }, { N, "1;2", -EINVAL, { 0 } },
	{ N, ":", -EINVAL, { 0 } }, { N, "::", -EINVAL, { 0 } }, { N, "1:2", -EINVAL, { 0 } },
	{ N, "1:2:", -EINVAL, { 0 } }, { N, ":2:1", -EINVAL, { 0 } },
	{ N, "1::1", -EINVAL, { 0 } }, { N, "1:2:3:4", -EINVAL, { 0 } },
	{ N, "1:2:3:", -EINVAL, { 0 } }, { N, "0:4:0", -EINVAL, { 0 } },
	{ N, "4:0:1", -EINVAL, { 0 } }, { N, "0:4:-1", -EINVAL, { 0 } },
	{ N, "0..4:1", -EINVAL, { 0 } },
	{ U, "0:40:1x", -EINVAL, { 0 } }, { U, "0x:40:1us", -EINVAL, { 0 } },
	{ U, "0:0.0005:1us", -ERANGE, { 0 } }, { N, "1,9223372036854775808", -ERANGE, { 0 } },
	{ U, "0:9223372036854775807:1us", -ERANGE, { 0 } },
};

START_TEST(a_list_is_read_in_order)
{
	for (int i = 0; i < COUNT_OF(lists); i++) {
		char *exact = strdup(lists[i].text);
		int64_t *v = malloc(8 * sizeof(*v));
		int n = pace_parse_list(lists[i].unit, exact, v, 8);

		ck_assert_msg(n == lists[i].n, "'%s' gives %d", exact, n);
		for (int k = 0; k < n; k++)
			ck_assert_msg(v[k] == lists[i].v[k], "'%s' value %d", exact, k);
		free(exact);
		free(v);
	}
}
END_TEST

/* Two spellings of UDPmon's classic scan, and a mixed one. */
START_TEST(a_sweep_has_both_ends)
{
	int64_t a[64], b[64];

	ck_assert_int_eq(pace_parse_list(U, "0:40:1us", a, 64), 41);
	ck_assert_int_eq(pace_parse_list(U, "0us:40us:1us", b, 64), 41);
	ck_assert_mem_eq(a, b, 41 * sizeof(a[0]));
	ck_assert_int_eq(a[40], 40000);
	ck_assert_int_eq(pace_parse_list(U, "1us:2ms:100us", a, 64), 20);
	ck_assert_int_eq(a[0], 1000);
	ck_assert_int_eq(a[19], 1901000);
	ck_assert_int_eq(pace_parse_list(U, "0:40:1us", a, 41), 41);
	ck_assert_int_eq(pace_parse_list(U, "0:40:1us", a, 40), -E2BIG);
	ck_assert_int_eq(pace_parse_list(U, "1", a, 0), -E2BIG);
}
END_TEST

START_TEST(random_ranges_agree_with_counting)
{
	for (int i = 0; i < 5000; i++) {
		int64_t low = unit_between(0, 100), high = unit_between(0, 100);
		int64_t step = unit_between(1, 20), v[128];
		char text[96];
		int n = 0, got;

		snprintf(text, sizeof(text), "%lld:%lld:%lld", (long long)low,
		    (long long)high, (long long)step);
		got = pace_parse_list(N, text, v, 128);
		for (int64_t x = low; x <= high; x += step, n++)
			if (n >= got || v[n] != x)
				ck_abort_msg("'%s' has no %lld", text, (long long)x);
		ck_assert_int_eq(got, n > 0 ? n : -EINVAL);
	}
}
END_TEST

static const struct {
	enum pace_unit unit;
	double value;
	const char *text;
} printed[] = {
	{ U, 0, "0 ns" }, { U, -0.0, "0 ns" }, { U, 0.5, "0.5 ns" }, { U, 0.123456, "0.123 ns" },
	{ U, 0.05, "0.05 ns" }, { U, 1e-300, "0 ns" }, { U, -1e-300, "0 ns" },
	{ U, 0.9994, "0.999 ns" }, { U, 0.9996, "1.00 ns" },
	{ U, 1, "1.00 ns" }, { U, 16.25, "16.3 ns" }, { U, 700, "700 ns" },
	{ U, 999.4, "999 ns" }, { U, 999.5, "1.00 µs" }, { U, 999.95, "1.00 µs" },
	{ U, 1000, "1.00 µs" }, { U, 1004, "1.00 µs" }, { U, 1006, "1.01 µs" },
	{ U, 9990, "9.99 µs" }, { U, 9994, "9.99 µs" }, { U, 9996, "10.0 µs" },
	{ U, 10000, "10.0 µs" }, { U, 12340, "12.3 µs" }, { U, 99940, "99.9 µs" },
	{ U, 99960, "100 µs" }, { U, 123456, "123 µs" }, { U, 999500, "1.00 ms" },
	{ U, 1e6, "1.00 ms" }, { U, 1e9, "1.00 s" }, { U, 3.6e12, "3600 s" },
	{ U, 999.6e9, "1000 s" }, { U, -1500, "-1.50 µs" }, { U, -0.5, "-0.5 ns" },
	{ U, -999.95, "-1.00 µs" }, { S, 1e10, "10.0 s" }, { S, 10000, "10.0 µs" },

	{ R, 0, "0 bit/s" }, { R, 1, "1.00 bit/s" }, { R, 64000, "64.0 kbit/s" },
	{ R, 1177600000, "1.18 Gbit/s" }, { R, 9.93e6, "9.93 Mbit/s" },
	{ R, 9932000000, "9.93 Gbit/s" }, { R, 1230400000, "1.23 Gbit/s" },
	{ R, 1e11, "100 Gbit/s" }, { R, 9.999e8, "1.00 Gbit/s" }, { R, 1e12, "1.00 Tbit/s" },
	{ R, 1.5e15, "1500 Tbit/s" },

	{ B, 0, "0 B" }, { B, 1, "1 B" }, { B, 64, "64 B" }, { B, 1023, "1023 B" },
	{ B, 1024, "1 KiB" }, { B, 1025, "1025 B" }, { B, 1472, "1472 B" },
	{ B, 8192, "8 KiB" }, { B, 8972, "8972 B" }, { B, 10239, "10239 B" },
	{ B, 10240, "10 KiB" }, { B, 10241, "10.0 KiB" }, { B, 65507, "64.0 KiB" },
	{ B, 65536, "64 KiB" }, { B, 212992, "208 KiB" }, { B, 1023 * 1024, "1023 KiB" },
	{ B, 1048575, "1.00 MiB" }, { B, 1048576, "1 MiB" }, { B, 1572864, "1.50 MiB" },
	{ B, 16777216, "16 MiB" }, { B, 1073741824, "1 GiB" }, { B, 12.5, "12.5 B" },
	{ B, 1e15, "931323 GiB" }, { B, -1472, "-1472 B" },

	{ N, 0, "0" }, { N, 7, "7" }, { N, 999, "999" }, { N, 1000, "1 000" },
	{ N, 50000, "50 000" }, { N, 999999, "999 999" }, { N, 1234567, "1 234 567" },
	{ N, 10000000, "10 000 000" }, { N, 9007199254740992, "9 007 199 254 740 992" },
	{ N, 2.5, "3" }, { N, 0.4, "0" }, { N, -0.4, "0" }, { N, -0.5, "-1" },
	{ N, -50000, "-50 000" },

	{ P, 0, "0 %" }, { P, 1, "100 %" }, { P, 0.00033, "0.033 %" }, { P, 0.5, "50.0 %" },
	{ P, 0.1234, "12.3 %" }, { P, 0.01, "1.00 %" }, { P, 0.001, "0.1 %" },
	{ P, 1e-9, "0.0000001 %" }, { P, 0.00123456, "0.123 %" }, { P, 0.99999, "100 %" },
	{ P, -0.001, "-0.1 %" }, { P, 12.5, "1250 %" },

	{ U, (double)NAN, "-" }, { R, (double)INFINITY, "-" }, { N, (double)-INFINITY, "-" },
};

START_TEST(a_value_is_printed_for_people)
{
	for (int i = 0; i < COUNT_OF(printed); i++) {
		char buf[32];

		ck_assert_ptr_eq(pace_print(printed[i].unit, printed[i].value,
		    buf, sizeof(buf)), buf);
		ck_assert_str_eq(buf, printed[i].text);
	}
}
END_TEST

START_TEST(what_is_counted_has_a_name)
{
	char buf[64];

	ck_assert_str_eq(pace_print_counted(1, "frame", buf), "1 frame");
	ck_assert_str_eq(pace_print_counted(0, "frame", buf), "0 frames");
	ck_assert_str_eq(pace_print_counted(1, "reply", buf), "1 reply");
	ck_assert_str_eq(pace_print_counted(20000, "reply", buf), "20 000 replies");
}
END_TEST

/* In a buffer of exactly size bytes: the start of the whole text. */
static void
check_cut_off(enum pace_unit unit, double value, size_t size)
{
	char whole[512], *exact = malloc(size > 0 ? size : 1);

	pace_print(unit, value, whole, sizeof(whole));
	memset(exact, 'x', size);
	pace_print(unit, value, exact, size);
	if (size > 0) {
		ck_assert(memchr(exact, '\0', size) != NULL);
		ck_assert(strncmp(exact, whole, strlen(exact)) == 0);
		if (strlen(whole) < size)
			ck_assert_str_eq(exact, whole);
	}
	free(exact);
}

START_TEST(print_never_leaves_its_buffer)
{
	static const double values[] = { 0, 1234567, -1234567, 0.5, 1e300, -1e300, 1e-300 };

	for (int unit = N; unit <= (int)P; unit++)
		for (int i = 0; i < COUNT_OF(values); i++)
			for (size_t size = 0; size < 20; size++)
				check_cut_off((enum pace_unit)unit, values[i], size);
}
END_TEST

/* Each printed value is within half a unit of its third digit. */
START_TEST(what_is_printed_is_near_the_value)
{
	static const struct { const char *name; double worth; } names[] = {
		{ "ns", 1 }, { "µs", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
	};

	for (int i = 0; i < 20000; i++) {
		double value = (double)(unit_rnd_any_size() >> 16) / 8, got = -1;
		char buf[32], *end;

		pace_print(S, value, buf, sizeof(buf));
		got = strtod(buf, &end);
		for (int k = 0; k < COUNT_OF(names); k++)
			if (strcmp(end + 1, names[k].name) == 0)
				got *= names[k].worth;
		if (!(fabs(got - value) <= value * 0.0050001) ||
		    (strcspn(buf, " ") > 4 && value >= 1 && value < 9999e9))
			ck_abort_msg("%.17g is printed %s", value, buf);
	}
}
END_TEST

static const struct { int64_t bytes; const char *text; } exact[] = {
	{ 0, "0 B" }, { 1472, "1472 B" }, { 9000, "9000 B" }, { 65535, "65535 B" },
	{ 65536, "64 KiB" }, { 65537, "65 537 B" }, { 100000, "100 kB" }, { 1000000, "1 MB" },
	{ 4000000, "4 MB" }, { 4 << 20, "4 MiB" }, { 1500000, "1500 kB" },
	{ 500000000000, "500 GB" }, { 9500000000, "9500 MB" }, { INT64_C(1) << 30, "1 GiB" },
	{ INT64_C(10) << 30, "10 GiB" }, { 1000000000000, "1000 GB" },
	{ 123456789, "123 456 789 B" }, { 9007199254740993, "9 007 199 254 740 993 B" },
};

START_TEST(bytes_that_were_written_are_printed_exactly)
{
	char buf[40];

	for (int i = 0; i < COUNT_OF(exact); i++) {
		ck_assert_ptr_eq(pace_print_exact(exact[i].bytes, buf, sizeof(buf)), buf);
		ck_assert_str_eq(buf, exact[i].text);
	}
	pace_print_exact(9007199254740993, buf, 6);
	ck_assert_str_eq(buf, "9 007");
}
END_TEST

START_TEST(bytes_that_were_counted_are_printed_in_decimal_units)
{
	char buf[40];

	ck_assert_str_eq(pace_print_decimal(0, buf, sizeof(buf)), "0 B");
	ck_assert_str_eq(pace_print_decimal(999, buf, sizeof(buf)), "999 B");
	ck_assert_str_eq(pace_print_decimal(10752000, buf, sizeof(buf)), "10.8 MB");
	ck_assert_str_eq(pace_print_decimal(4e6, buf, sizeof(buf)), "4 MB");
	ck_assert_str_eq(pace_print_decimal(2.5e12, buf, sizeof(buf)), "2.50 TB");
	ck_assert_str_eq(pace_print_decimal(INFINITY, buf, sizeof(buf)), "-");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("units");

	unit_seed(tc);
	tcase_add_test(tc, a_quantity_is_read_exactly);
	tcase_add_test(tc, what_is_no_quantity_is_refused_and_changes_nothing);
	tcase_add_test(tc, random_quantities_come_back_exactly);
	tcase_add_test(tc, random_text_is_survived);
	tcase_add_test(tc, a_list_is_read_in_order);
	tcase_add_test(tc, a_sweep_has_both_ends);
	tcase_add_test(tc, random_ranges_agree_with_counting);
	tcase_add_test(tc, a_value_is_printed_for_people);
	tcase_add_test(tc, what_is_counted_has_a_name);
	tcase_add_test(tc, print_never_leaves_its_buffer);
	tcase_add_test(tc, what_is_printed_is_near_the_value);
	tcase_add_test(tc, bytes_that_were_written_are_printed_exactly);
	tcase_add_test(tc, bytes_that_were_counted_are_printed_in_decimal_units);
	return unit_run(tc, "units");
}
