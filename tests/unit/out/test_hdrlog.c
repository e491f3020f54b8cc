/* hdrlog.h against bytes typed in from HdrHistogram's description of V2. */
#include "config.h"

#include "out/hdrlog.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

static struct pace_hist h;
static uint8_t bytes[PACE_HDRLOG_MAX];
static char *text;

static void
setup(void)
{
	pace_hist_reset(&h);
}

static void
teardown(void)
{
	free(text);
	text = NULL;
}

static const struct { int64_t v; size_t n; uint8_t byte[PACE_ZIGZAG_MAX]; } numbers[] = {
	{ 0, 1, { 0x00 } },
	{ -1, 1, { 0x01 } },
	{ 1, 1, { 0x02 } },
	{ -2, 1, { 0x03 } },
	{ 63, 1, { 0x7e } },
	{ -64, 1, { 0x7f } },
	{ 64, 2, { 0x80, 0x01 } },
	{ -65, 2, { 0x81, 0x01 } },
	{ 8191, 2, { 0xfe, 0x7f } },
	{ -8192, 2, { 0xff, 0x7f } },
	{ 8192, 3, { 0x80, 0x80, 0x01 } },
	{ -4352, 2, { 0xff, 0x43 } },
	{ (INT64_C(1) << 55) - 1, 8, { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f } },
	{ INT64_C(1) << 55, 9, { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01 } },
	{ INT64_MAX, 9, { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
	{ INT64_MIN, 9, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
};

START_TEST(a_number_has_these_bytes)
{
	uint8_t *exact = malloc(numbers[_i].n);

	ck_assert_uint_eq(pace_zigzag(exact, numbers[_i].v), numbers[_i].n);
	ck_assert_mem_eq(exact, numbers[_i].byte, numbers[_i].n);
	free(exact);
}
END_TEST

/* V2 cookie, length of the counts, no offset, 2 digits, lowest 1, highest 2^40 - 1, 1.0 */
#define HEAD(len) \
	0x1c, 0x84, 0x93, 0x13, 0, 0, 0, len, 0, 0, 0, 0, 0, 0, 0, 2, \
	0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, \
	0x3f, 0xf0, 0, 0, 0, 0, 0, 0

START_TEST(an_empty_histogram_is_its_head)
{
	static const uint8_t golden[] = { HEAD(0) };

	ck_assert_uint_eq(pace_hdrlog_encode(bytes, &h), sizeof(golden));
	ck_assert_mem_eq(bytes, golden, sizeof(golden));
}
END_TEST

/* Bins 0, 2, 3, 127, 128, 256 (of 256 and 257), 4351 (the last). */
START_TEST(empty_bins_are_runs)
{
	static const uint8_t golden[] = { HEAD(16),
	    0x02,			/* 0: one */
	    0x00,			/* 1: none */
	    0x04, 0x80, 0x01,		/* 2: two; 3: 64 */
	    0xf5, 0x01,			/* 4..126: 123 empty ones */
	    0x02, 0x06,			/* 127: one; 128: three */
	    0xfd, 0x01,			/* 129..255: 127 */
	    0x0a,			/* 256: five */
	    0xfb, 0x3f,			/* 257..4350: 4094 */
	    0xc8, 0x01 };		/* 4351: 100 */

	pace_hist_add(&h, 0);
	pace_hist_add_n(&h, 2, 2);
	pace_hist_add_n(&h, 3, 64);
	pace_hist_add(&h, 127);
	pace_hist_add_n(&h, 128, 3);
	pace_hist_add_n(&h, 256, 2);
	pace_hist_add_n(&h, 257, 3);
	pace_hist_add_n(&h, PACE_HIST_MAX, 40);
	pace_hist_add_n(&h, INT64_MAX, 60);
	ck_assert_uint_eq(pace_hdrlog_encode(bytes, &h), sizeof(golden));
	ck_assert_mem_eq(bytes, golden, sizeof(golden));
}
END_TEST

START_TEST(values_below_0_are_left_out_and_counted)
{
	static const uint8_t golden[] = { HEAD(1), 0x04 };

	pace_hist_add_n(&h, -1, 7);
	pace_hist_add_n(&h, -123456, 5);
	pace_hist_add_n(&h, 0, 2);
	ck_assert_uint_eq(pace_hdrlog_encode(bytes, &h), sizeof(golden));
	ck_assert_mem_eq(bytes, golden, sizeof(golden));
	ck_assert_uint_eq(pace_hdrlog_left_out(&h), 12);
}
END_TEST

/* Every bin full: the most bytes that there can be. */
START_TEST(the_longest_one_fits)
{
	uint8_t *exact = malloc(PACE_HDRLOG_MAX);

	for (int i = 0; i < PACE_HIST_BINS; i++)
		h.pos[i] = UINT64_C(1) << 61;
	ck_assert_uint_eq(pace_hdrlog_encode(exact, &h), PACE_HDRLOG_MAX);
	free(exact);
}
END_TEST

static void
log_of(const char *started)
{
	const struct pace_hdrlog_line line = { "gap-0", 1.5, 0.25, true };
	struct pace_result r = { .kind = "throughput", .client = { .version = "1.2.3" } };
	size_t size;
	FILE *f;

	free(text);
	text = NULL;
	f = open_memstream(&text, &size);
	snprintf(r.started, sizeof(r.started), "%s", started);
	ck_assert_int_eq(pace_hdrlog_head(f, &r), 0);
	ck_assert_int_eq(pace_hdrlog_put(f, &line, &h), pace_hdrlog_works() ? 0 : -ENOSYS);
	fclose(f);
}

/* "HISTF": the cookie 1c 84 93 14 in base64. */
START_TEST(a_log_has_its_head_and_its_line)
{
	pace_hist_add(&h, 2500000);
	log_of("2026-11-20T15:04:05.250000000Z");
	ck_assert_ptr_eq(strstr(text, "#[Made by udpace 1.2.3: throughput]\n"), text);
	ck_assert(strstr(text, "\n#[Histogram log format version 1.2]\n") != NULL);
	ck_assert(strstr(text, "\n#[BaseTime: 1795187045.250 (seconds since epoch)]\n") != NULL);
	ck_assert(strstr(text, "\n#[StartTime: 1795187045.250 (seconds since epoch), "
	    "2026-11-20T15:04:05.250000000Z]\n") != NULL);
	ck_assert(strstr(text, "\n\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
	    "\"Interval_Compressed_Histogram\"\n") != NULL);
	if (pace_hdrlog_works())
		ck_assert(strstr(text, "\nTag=gap-0,1.500000000,0.250000000,2.500000,HISTFAAAA")
		    != NULL);
}
END_TEST

START_TEST(a_start_that_is_no_time_is_not_told)
{
	log_of("yesterday");
	ck_assert(strstr(text, "Time:") == NULL);
	log_of("2026-11-20T15:04:05+01");
	ck_assert(strstr(text, "Time:") == NULL);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("hdrlog");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_number_has_these_bytes, 0, COUNT_OF(numbers));
	tcase_add_test(tc, an_empty_histogram_is_its_head);
	tcase_add_test(tc, empty_bins_are_runs);
	tcase_add_test(tc, values_below_0_are_left_out_and_counted);
	tcase_add_test(tc, the_longest_one_fits);
	tcase_add_test(tc, a_log_has_its_head_and_its_line);
	tcase_add_test(tc, a_start_that_is_no_time_is_not_told);
	return unit_run(tc, "hdrlog");
}
