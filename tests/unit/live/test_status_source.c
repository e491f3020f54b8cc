/* cli/lines: a record is played in its own time, whatever the file holds. */
#include "lib/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/status_source.h"

#define SEC	INT64_C(1000000000)
#define BEGIN	(1000 * SEC)		/* on the probe clock */

/* A file of that text, opened. */
static struct pace_status_source *
opened(const char *text, size_t len, double speed, int want)
{
	char name[] = "/tmp/test_lines.XXXXXX";
	int fd = mkstemp(name), rc;
	struct pace_err err = { .code = 0 };
	struct pace_status_source *l;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
	close(fd);
	rc = pace_status_source_replay(&l, name, speed, &err);
	unlink(name);
	ck_assert_int_eq(rc, want);
	return l;
}

/* The number of lines due at that time. */
static int
told(struct pace_status_source *l, int64_t now_ns)
{
	struct pace_status_source_item item;
	int n = 0;

	while (pace_status_source_next(l, now_ns, &item) > 0)
		n++;
	return n;
}

#define AT(day, time)	"{\"time\":\"" day "T" time ".000Z\"}\n"

START_TEST(lines_come_in_their_own_time)
{
	static const char text[] = "{\"schema\":1}\n" AT("2026-11-20", "10:00:00")
	    AT("2026-11-20", "10:00:02") AT("2026-11-20", "10:00:04");
	struct pace_status_source *l = opened(text, sizeof(text) - 1, 2, 0);

	ck_assert_int_eq(told(l, BEGIN), 2);
	ck_assert_int_eq(pace_status_source_due(l, BEGIN) - BEGIN, SEC + 1);
	ck_assert_int_eq(told(l, BEGIN + SEC - 1), 0);
	ck_assert_int_eq(told(l, BEGIN + SEC), 1);
	ck_assert_int_eq(told(l, BEGIN + 2 * SEC), 1);
	ck_assert_int_eq(pace_status_source_due(l, BEGIN + 2 * SEC), INT64_MAX);
	pace_status_source_close(l);
}
END_TEST

/* From 1 s of the record on, at four times its speed. */
START_TEST(another_speed_holds_from_now_on)
{
	static const char text[] = AT("2026-11-20", "10:00:00") AT("2026-11-20", "10:00:02")
	    AT("2026-11-20", "10:00:10");
	struct pace_status_source *l = opened(text, sizeof(text) - 1, 1, 0);

	ck_assert_int_eq(told(l, BEGIN), 1);
	pace_status_source_set_speed(l, 4, BEGIN + SEC);
	ck_assert_double_eq(pace_status_source_speed(l), 4);
	ck_assert_int_eq(told(l, BEGIN + SEC + SEC / 4 - 1), 0);
	ck_assert_int_eq(told(l, BEGIN + SEC + SEC / 4), 1);
	ck_assert_int_eq(told(l, BEGIN + SEC + 9 * SEC / 4 - 1), 0);
	ck_assert_int_eq(told(l, BEGIN + SEC + 9 * SEC / 4), 1);
	pace_status_source_close(l);
}
END_TEST

START_TEST(what_was_sought_is_due_at_once_also_while_it_stands_still)
{
	static const char text[] = AT("2026-11-20", "10:00:00") AT("2026-11-20", "10:00:10")
	    AT("2026-11-20", "10:00:20");
	struct pace_status_source_item item;
	struct pace_status_source *l = opened(text, sizeof(text) - 1, 1, 0);

	ck_assert_int_eq(told(l, BEGIN), 1);
	pace_status_source_hold(l, true, BEGIN);
	ck_assert_int_eq(pace_status_source_due(l, BEGIN + 99 * SEC), INT64_MAX);
	ck_assert(!pace_status_source_seek(l, pace_status_source_at(l, BEGIN + 99 * SEC) + 10 * SEC, BEGIN + 99 * SEC));
	ck_assert_int_eq(pace_status_source_due(l, BEGIN + 99 * SEC), BEGIN + 99 * SEC);
	ck_assert_int_eq(told(l, BEGIN + 99 * SEC), 1);
	ck_assert_int_eq(pace_status_source_due(l, BEGIN + 99 * SEC), INT64_MAX);
	ck_assert(pace_status_source_seek(l, pace_status_source_first(l), BEGIN + 100 * SEC));
	ck_assert_int_eq(pace_status_source_due(l, BEGIN + 100 * SEC), BEGIN + 100 * SEC);
	ck_assert(!pace_status_source_again(l));
	ck_assert_int_eq(told(l, BEGIN + 100 * SEC), 1);
	ck_assert(pace_status_source_again(l));
	ck_assert(!pace_status_source_seek(l, pace_status_source_last(l), BEGIN + 100 * SEC));
	ck_assert_int_eq(pace_status_source_next(l, BEGIN + 100 * SEC, &item), 1);
	ck_assert(pace_status_source_again(l));
	ck_assert_int_eq(pace_status_source_next(l, BEGIN + 100 * SEC, &item), 1);
	ck_assert(!pace_status_source_again(l));
	pace_status_source_close(l);
}
END_TEST

/* One second of the record is played before a pause, and the next one after it. */
START_TEST(a_pause_is_no_time_of_the_record)
{
	static const char text[] = AT("2026-11-20", "10:00:00") AT("2026-11-20", "10:00:02")
	    AT("2026-11-20", "10:00:10");
	struct pace_status_source *l = opened(text, sizeof(text) - 1, 1, 0);

	ck_assert_int_eq(told(l, BEGIN), 1);
	pace_status_source_hold(l, true, BEGIN + SEC);
	ck_assert_int_eq(told(l, BEGIN + 50 * SEC), 0);
	ck_assert_int_eq(pace_status_source_at(l, BEGIN + 50 * SEC) - pace_status_source_first(l), SEC);
	pace_status_source_hold(l, false, BEGIN + 50 * SEC);
	ck_assert_int_eq(told(l, BEGIN + 51 * SEC - 1), 0);
	ck_assert_int_eq(told(l, BEGIN + 51 * SEC), 1);
	ck_assert_int_eq(told(l, BEGIN + 59 * SEC - 1), 0);
	ck_assert_int_eq(told(l, BEGIN + 59 * SEC), 1);
	pace_status_source_close(l);
}
END_TEST

/* Half a line of a responder that ended is not continued by the next responder's line. */
START_TEST(another_responder_at_the_socket_begins_a_line)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct pace_status_source_item item;
	struct pace_status_source *l;
	struct pace_err err = { .code = 0 };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), one, two;
	char ask[64] = "";

	snprintf(name.sun_path, sizeof(name.sun_path), "/tmp/test_lines.%ld", (long)getpid());
	unlink(name.sun_path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	ck_assert_int_eq(listen(fd, 2), 0);
	ck_assert_int_eq(pace_status_source_attach(&l, name.sun_path, SEC, &err), 0);
	one = accept(fd, NULL, NULL);
	ck_assert_int_gt(recv(one, ask, sizeof(ask) - 1, 0), 0);
	ck_assert_str_eq(ask, "{\"interval_ms\":1000}\n");
	ck_assert_int_eq(send(one, "{\"half\":", 8, 0), 8);
	ck_assert_int_eq(pace_status_source_next(l, BEGIN, &item), 0);
	close(one);
	ck_assert_int_eq(pace_status_source_next(l, BEGIN, &item), -ENODATA);
	ck_assert_int_eq(pace_status_source_reattach(l), 0);
	two = accept(fd, NULL, NULL);
	ck_assert_int_eq(send(two, "{}\n", 3, 0), 3);
	ck_assert_int_eq(pace_status_source_next(l, BEGIN, &item), 1);
	ck_assert_uint_eq(item.len, 2);
	close(two);
	close(fd);
	unlink(name.sun_path);
	pace_status_source_close(l);
}
END_TEST

/* Two centuries at a sixteenth of their pace are more than a clock can count. */
START_TEST(no_wait_is_too_long)
{
	static const char text[] = AT("1970-01-01", "00:00:01") AT("2200-12-31", "00:00:00");
	struct pace_status_source *l = opened(text, sizeof(text) - 1, 0.0625, 0);
	int64_t due_ns;

	ck_assert_int_eq(told(l, BEGIN), 1);
	due_ns = pace_status_source_due(l, BEGIN);
	ck_assert_int_gt(due_ns, BEGIN + 3600 * SEC);
	ck_assert_int_lt(due_ns, INT64_MAX);
	pace_status_source_close(l);
}
END_TEST

START_TEST(what_can_be_no_line_is_refused)
{
	static const char text[] = "x\n\n\0\n [1]\n" AT("2026-11-20", "10:00:00") "{\n\"time\"\n";
	struct pace_status_source *l = opened(text, sizeof(text) - 1, 0, 0);

	ck_assert_uint_eq(pace_status_source_refused(l), 4);
	ck_assert_int_eq(told(l, BEGIN), 2);
	pace_status_source_close(l);
}
END_TEST

START_TEST(a_line_that_is_too_long_is_refused)
{
	size_t len = PACE_LINE_MOST + 2;
	char *text = malloc(len);
	struct pace_status_source *l;

	memset(text, ' ', len);
	text[0] = '{';
	text[len - 1] = '\n';
	l = opened(text, len, 0, 0);
	ck_assert_uint_eq(pace_status_source_refused(l), 1);
	ck_assert_int_eq(told(l, BEGIN), 0);
	pace_status_source_close(l);
	text[len - 2] = '\n';			/* as long as one may be */
	l = opened(text, len - 1, 0, 0);
	ck_assert_int_eq(told(l, BEGIN), 1);
	pace_status_source_close(l);
	free(text);
}
END_TEST

/* None of them has a time: an earlier version searched all of them for each one. */
START_TEST(a_file_of_many_lines_is_read_once)
{
	size_t n = 1 << 20;
	char *text = malloc(2 * n);
	struct pace_status_source *l;

	for (size_t i = 0; i < n; i++)
		memcpy(text + 2 * i, "{\n", 2);
	l = opened(text, 2 * n, 1, 0);
	ck_assert_int_eq(told(l, BEGIN), (int)n);
	pace_status_source_close(l);
	free(text);
}
END_TEST

START_TEST(a_file_of_too_many_lines_is_refused)
{
	size_t len = 2 * PACE_LINES_N + 1;
	char *text = malloc(len + 1);

	for (size_t i = 0; i <= PACE_LINES_N; i++)
		memcpy(text + 2 * i, "{\n", 2);
	ck_assert_ptr_null(opened(text, len, 1, -EFBIG));
	pace_status_source_close(opened(text, len - 1, 1, 0));
	free(text);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("lines");

	tcase_add_test(tc, lines_come_in_their_own_time);
	tcase_add_test(tc, another_speed_holds_from_now_on);
	tcase_add_test(tc, a_pause_is_no_time_of_the_record);
	tcase_add_test(tc, what_was_sought_is_due_at_once_also_while_it_stands_still);
	tcase_add_test(tc, another_responder_at_the_socket_begins_a_line);
	tcase_add_test(tc, no_wait_is_too_long);
	tcase_add_test(tc, what_can_be_no_line_is_refused);
	tcase_add_test(tc, a_line_that_is_too_long_is_refused);
	tcase_add_test(tc, a_file_of_many_lines_is_read_once);
	tcase_add_test(tc, a_file_of_too_many_lines_is_refused);
	return unit_run(tc, "lines");
}
