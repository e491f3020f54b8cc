/* sink.h, outfile.h: a result is written whole, under the numbers and rights that it has. */
#include "run/sink.h"

#include <errno.h>
#include <string.h>

#include "lib/folder.h"
#include "run/outfile.h"

static const char *const files[] = { "x.jsonl" };
static char path[128];

static json_t *
to_json(const void *point)
{
	return json_pack("{s:i}", "figure", *(const int *)point);
}

static int
no_head(FILE *f)
{
	(void)f;
	return 0;
}

static int
no_row(FILE *f, const void *point)
{
	(void)f;
	(void)point;
	return 0;
}

static bool full;		/* the file system has no room, and tells so when a file is closed */

int	__real_fclose(FILE *f);
int	__wrap_fclose(FILE *f);

int
__wrap_fclose(FILE *f)
{
	int rc = __real_fclose(f);

	if (!full)
		return rc;
	errno = EDQUOT;
	return EOF;
}

static const struct pace_sink_kind kind = { .to_json = to_json, .csv_head = no_head,
    .csv_point = no_row };

static void
setup(void)
{
	folder_make();
	folder_path(path, files[0]);
}

static void
teardown(void)
{
	folder_remove(files, COUNT_OF(files));
}

/* It works without --output as well, which keeps all points until the end. */
START_TEST(lines_have_the_numbers_of_their_points)
{
	const struct pace_result r = { .kind = "throughput" };
	const struct pace_sink_cfg cfg = { .csv = true, .jsonl = path };
	struct pace_sink s;
	json_t *line;
	int n = 0;
	FILE *f;

	ck_assert_int_eq(pace_sink_open(&s, &cfg), 0);
	pace_sink_begin(&s, &kind, NULL, &r, 3);
	for (int i = 0; i < 3; i++)
		pace_sink_point(&s, &(int){ 10 + i }, NULL);
	pace_sink_end(&s, &r, NULL);
	pace_sink_close(&s);
	ck_assert(!s.failed);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while ((line = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL)) != NULL) {
		if (strcmp(json_string_value(json_object_get(line, "event")), "point") == 0) {
			ck_assert_int_eq(json_integer_value(json_object_get(line, "index")), n);
			ck_assert_int_eq(json_integer_value(json_object_get(line, "figure")), 10 + n);
			n++;
		}
		json_decref(line);
	}
	ck_assert_int_eq(n, 3);
	fclose(f);
}
END_TEST

static json_t *
to_hist(const void *point)
{
	return json_pack("{s:i,s:[{s:{s:s,s:i,s:[i],s:i}}]}", "bins", *(const int *)point, "of", "gap", "unit",
	    "ns", "count", 1, "bins", 7, "max", 3);
}

/* The exit status is known when the result is written. */
START_TEST(lines_that_are_lost_at_the_end_are_a_failure)
{
	const struct pace_result r = { .kind = "throughput" };
	const struct pace_sink_cfg cfg = { .csv = true, .jsonl = path };
	struct pace_sink s;

	ck_assert_int_eq(pace_sink_open(&s, &cfg), 0);
	pace_sink_begin(&s, &kind, NULL, &r, 1);
	pace_sink_point(&s, &(int){ 10 }, NULL);
	ck_assert(!s.failed);
	full = true;
	pace_sink_end(&s, &r, NULL);
	full = false;
	ck_assert(s.failed);
	pace_sink_close(&s);
}
END_TEST

START_TEST(short_lines_have_no_bins)
{
	const struct pace_sink_kind hists = { .to_json = to_hist, .csv_head = no_head, .csv_point = no_row };
	const struct pace_result r = { .kind = "throughput" };
	const struct pace_sink_cfg cfg = { .csv = true, .jsonl = path, .no_bins = true };
	char text[4096] = "";
	struct pace_sink s;
	FILE *f;

	ck_assert_int_eq(pace_sink_open(&s, &cfg), 0);
	pace_sink_begin(&s, &hists, NULL, &r, 1);
	pace_sink_point(&s, &(int){ 10 }, NULL);
	pace_sink_end(&s, &r, NULL);
	pace_sink_close(&s);
	f = fopen(path, "r");
	ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, f), 0);
	fclose(f);
	/* a count of bins is none of these */
	ck_assert_msg(strstr(text, "\"bins\":10,\"of\":[{\"gap\":{\"unit\":\"ns\",\"count\":1,\"max\":3}}]")
	    != NULL, "%s", text);
}
END_TEST

START_TEST(a_short_form_is_of_something)
{
	ck_assert(pace_sink_contradicts(&(struct pace_sink_cfg){ .no_bins = true }));
	ck_assert(pace_sink_contradicts(&(struct pace_sink_cfg){ .no_bins = true, .csv_short = true }));
	ck_assert(!pace_sink_contradicts(&(struct pace_sink_cfg){ .no_bins = true, .json = true }));
	ck_assert(!pace_sink_contradicts(&(struct pace_sink_cfg){ .no_bins = true, .output = path }));
	ck_assert(!pace_sink_contradicts(&(struct pace_sink_cfg){ .no_bins = true, .jsonl = path }));
	ck_assert(pace_sink_contradicts(&(struct pace_sink_cfg){ .csv = true, .csv_short = true }));
	ck_assert(pace_sink_contradicts(&(struct pace_sink_cfg){ .json = true, .csv_short = true }));
	ck_assert(pace_sink_contradicts(&(struct pace_sink_cfg){ .jsonl = "-", .csv_short = true }));
}
END_TEST

static int
write_word(FILE *f, void *word)
{
	return fputs(word, f) == EOF ? -1 : 0;
}

static int
write_half(FILE *f, void *word)
{
	(void)write_word(f, word);
	return -ENOSPC;
}

/* As if the shell had made it. */
START_TEST(a_file_has_the_rights_that_the_user_gives_to_his)
{
	mode_t was = umask(027);
	struct stat st;
	int rc = pace_outfile_write(path, write_word, "whole");

	umask(was);
	ck_assert_int_eq(rc, 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0640);
}
END_TEST

START_TEST(what_cannot_be_written_leaves_what_was_there)
{
	char text[16] = "";
	FILE *f;

	ck_assert_int_eq(pace_outfile_write(path, write_word, "whole"), 0);
	ck_assert_int_eq(pace_outfile_write(path, write_half, "half"), -ENOSPC);
	f = fopen(path, "r");
	ck_assert(f != NULL && fgets(text, sizeof(text), f) != NULL);
	fclose(f);
	ck_assert_str_eq(text, "whole");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("sink");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, lines_have_the_numbers_of_their_points);
	tcase_add_test(tc, short_lines_have_no_bins);
	tcase_add_test(tc, lines_that_are_lost_at_the_end_are_a_failure);
	tcase_add_test(tc, a_short_form_is_of_something);
	tcase_add_test(tc, a_file_has_the_rights_that_the_user_gives_to_his);
	tcase_add_test(tc, what_cannot_be_written_leaves_what_was_there);
	return unit_run(tc, "sink");
}
