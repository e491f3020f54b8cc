/* watch_lines.h: what is put is written in order, or it is said and told that it was not. */
#include "run/watch_lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/unit.h"
#include "run/stop.h"

static struct pace_sink sink;
static struct pace_watch_lines *lines;
static int reader;

static void
setup(void)
{
	int fd[2];

	memset(&sink, 0, sizeof(sink));
	ck_assert_int_eq(pipe(fd), 0);
	reader = fd[0];
	sink.jsonl = fdopen(fd[1], "w");
	ck_assert_ptr_nonnull(sink.jsonl);
	setvbuf(sink.jsonl, NULL, _IOLBF, 0);
	ck_assert_int_eq(pace_watch_lines_begin(&lines, &sink), 0);
	pace_stop = 0;
}

static void
teardown(void)
{
	fclose(sink.jsonl);
	close(reader);
}

static void
put(size_t number)
{
	struct pace_watch_span s = { .state = PACE_WATCH_UP, .counts = { .sent = number } };

	snprintf(s.name, sizeof(s.name), "path%zu", number);
	pace_watch_lines_put(lines, number, &s);
}

START_TEST(intervals_are_written_in_order)
{
	static char text[1 << 16];
	const char *at = text;
	char name[32];
	ssize_t n;

	for (size_t i = 0; i < 20; i++)
		put(i);
	pace_watch_lines_end(lines);
	n = read(reader, text, sizeof(text) - 1);
	ck_assert_int_gt(n, 0);
	for (size_t i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "\"path%zu\"", i);
		at = strstr(at, name);
		ck_assert_msg(at != NULL, "no %s", name);
	}
	ck_assert(!sink.failed && !sink.jsonl_stuck);
}
END_TEST

/* Nobody reads, and the watch is stopped: it ends, and has failed. */
START_TEST(a_reader_that_hangs_is_told_by_the_status)
{
	static const char filler[4096];
	int fd = fileno(sink.jsonl), flags = fcntl(fd, F_GETFL);

	ck_assert_int_eq(fcntl(fd, F_SETFL, flags | O_NONBLOCK), 0);
	while (write(fd, filler, sizeof(filler)) > 0)
		;
	ck_assert_int_eq(fcntl(fd, F_SETFL, flags), 0);
	put(0);
	put(1);
	pace_stop = SIGTERM;
	pace_watch_lines_end(lines);
	ck_assert(sink.jsonl_stuck);
	ck_assert(sink.failed);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("watch_lines");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, intervals_are_written_in_order);
	tcase_add_test(tc, a_reader_that_hangs_is_told_by_the_status);
	return unit_run_apart(tc, "watch_lines");
}
