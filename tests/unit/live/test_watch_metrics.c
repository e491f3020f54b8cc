/* live/watch_metrics: two paths as OpenMetrics text, every count another number. */
#include "live/watch_metrics.h"

#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

static struct pace_watched path[2];
static char *text;

static const struct pace_watched *
path_at(void *ctx, size_t i)
{
	(void)ctx;
	return &path[i];
}

static void
setup(void)
{
	size_t size;

	path[0] = (struct pace_watched){ .name = "a\"b\\c\n", .state = PACE_WATCH_UP,
	    .clock_known = true, .offset_ns = INT64_C(-2500000000), .bound_ns = 1500.5,
	    .counts = { .up_ns = INT64_C(90000000000), .sent = 1, .received = 2, .lost = -3,
	    .socket_lost_max = 4, .unreported = 5, .refused = 6, .skipped = 7, .duplicates = 8,
	    .reordered = 9, .congestion_marks = 10, .exchanges = 11, .timeouts = 12,
	    .lost_there = 13, .lost_back = 14, .replies_reordered = 15, .sessions = 16 },
	    .rtt = { .below = 3, .n = 4, .bin = { { 2048, 2176, 5 }, { 3840, 4096, 1 },
	    { 4096, 4352, 7 }, { INT64_C(4294967296), INT64_C(4563402752), 2 } } },
	    .up = { .below = 21 }, .down = { .below = 22 }, .above = { .below = 23 },
	    .up_error = { .below = 24 }, .down_error = { .below = 25 } };
	path[1] = (struct pace_watched){ .name = "d", .state = PACE_WATCH_OPENING };
	text = pace_watch_metrics_text(path_at, NULL, 2, &size);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(size, strlen(text));
}

static void
teardown(void)
{
	free(text);
}

/* the first one's label: what is no text of a label is escaped or replaced */
#define A	"{peer=\"a\\\"b\\\\c?\""

static const char *const lines[] = {
	"up" A "} 1", "up{peer=\"d\"} 0",
	"frames_sent_total" A "} 1", "frames_received_total" A "} 2",
	"frames_lost" A "} -3", "frames_lost_at_socket_max" A "} 4",
	"frames_unreported_total" A "} 5",
	"frames_refused_total" A "} 6",
	"frames_skipped_total" A "} 7",
	"frames_duplicated_total" A "} 8",
	"frames_reordered_total" A "} 9",
	"frames_congestion_marked_total" A "} 10",
	"exchanges_total" A "} 11", "exchange_timeouts_total" A "} 12",
	"exchanges_lost_there" A "} 13",
	"exchanges_lost_back" A "} 14",
	"replies_reordered_total" A "} 15", "sessions_total" A "} 16",
	"up_seconds" A "} 90",
	"clock_offset_seconds" A "} -2.5",
	"clock_error_max_seconds" A "} 1.5005e-06",
	/* a bucket has all that is below it, and values below 0 */
	"round_trip_seconds_bucket" A ",le=\"4.096e-06\"} 9",
	"round_trip_seconds_bucket" A ",le=\"8.192e-06\"} 16",
	"round_trip_seconds_bucket" A ",le=\"4.294967296\"} 16",
	"round_trip_seconds_bucket" A ",le=\"+Inf\"} 18",
	"round_trip_seconds_bucket{peer=\"d\",le=\"+Inf\"} 0",
	"delay_to_seconds_bucket" A ",le=\"+Inf\"} 21",
	"delay_from_seconds_bucket" A ",le=\"+Inf\"} 22",
	"delay_variation_seconds_bucket" A ",le=\"+Inf\"} 23",
	"gap_error_to_seconds_bucket" A ",le=\"+Inf\"} 24",
	"gap_error_from_seconds_bucket" A ",le=\"+Inf\"} 25",
};

START_TEST(a_line_has_its_count)
{
	char line[160];

	snprintf(line, sizeof(line), "\nudpace_path_%s\n", lines[_i]);
	ck_assert_msg(strstr(text, line) != NULL, "no %s", line);
}
END_TEST

static int
count_of(const char *part)
{
	int n = 0;

	for (const char *p = text; (p = strstr(p, part)) != NULL; p++)
		n++;
	return n;
}

START_TEST(a_clock_that_is_not_known_has_no_offset)
{
	ck_assert_int_eq(count_of("{peer=\"d\"}"), count_of(A "}") - 2);
	ck_assert_ptr_null(strstr(text, "clock_offset_seconds{peer=\"d\"}"));
	ck_assert_ptr_null(strstr(text, "clock_error_max_seconds{peer=\"d\"}"));
	ck_assert_ptr_nonnull(strstr(text, "# TYPE udpace_path_clock_offset_seconds gauge\n"
	    "# UNIT udpace_path_clock_offset_seconds seconds\n"));
	ck_assert_ptr_nonnull(strstr(text, "# TYPE udpace_path_frames_sent counter\n# HELP"));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("watch_metrics");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_line_has_its_count, 0, COUNT_OF(lines));
	tcase_add_test(tc, a_clock_that_is_not_known_has_no_offset);
	return unit_run(tc, "watch_metrics");
}
