/* journal.h, resume.h: a continued run has the measured points, and distinguishes skipped ones. */
#include "run/journal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/folder.h"
#include "run/peer.h"
#include "run/resume.h"

static const char *const files[] = { "x.json.journal" };
static char *argv[] = { "udpace", "throughput", "192.0.2.1", NULL };
static struct pace_journal j;
static char output[128];

static void
setup(void)
{
	struct pace_result r = { .kind = "throughput", .started = "2026-01-01T00:00:00.000000000Z",
	    .argc = 3, .argv = argv, .target = "192.0.2.1", .address = "192.0.2.1", .port = 14233 };

	folder_make();
	folder_path(output, "x.json");
	ck_assert_int_eq(pace_journal_begin(&j, output, &r, json_object(), 3), 0);
}

static void
teardown(void)
{
	pace_journal_close(&j, false);
	folder_remove(files, COUNT_OF(files));
}

static void
add(size_t index, int size, bool skipped)
{
	ck_assert_int_eq(pace_journal_add(&j, index, json_pack("{s:i}", "size_bytes", size), NULL, skipped), 0);
}

static void
again(void)
{
	pace_journal_close(&j, false);
	ck_assert_int_eq(pace_journal_open(&j, output), PACE_EXIT_OK);
}

/* size 0: it has none. */
static void
has(size_t index, int size)
{
	json_t *point = pace_journal_point(&j, index);

	ck_assert_int_eq(json_integer_value(json_object_get(point, "size_bytes")), size);
	json_decref(point);
}

START_TEST(what_was_measured_is_not_undone_by_a_skip)
{
	add(0, 64, false);
	add(1, 65, true);
	again();
	ck_assert_uint_eq(j.done, 1);
	ck_assert_uint_eq(j.skipped, 1);
	add(0, 64, true);
	again();
	ck_assert_uint_eq(j.done, 1);
	ck_assert_uint_eq(j.skipped, 1);
	has(0, 64);
	has(1, 0);
}
END_TEST

START_TEST(what_was_skipped_may_be_measured_after_all)
{
	add(2, 66, true);
	again();
	pace_journal_unskip(&j);
	ck_assert_uint_eq(j.skipped, 0);
	add(2, 66, false);
	again();
	ck_assert_uint_eq(j.done, 1);
	ck_assert_uint_eq(j.skipped, 0);
	has(2, 66);
}
END_TEST

/* The power failed while a line was written. */
START_TEST(a_torn_line_is_written_over)
{
	char path[128];
	FILE *f;

	add(0, 64, false);
	pace_journal_close(&j, false);
	f = fopen(folder_path(path, files[0]), "a");
	ck_assert_ptr_nonnull(f);
	fputs("{\"event\":\"point\",\"index\":1,\"size_by", f);
	fclose(f);
	ck_assert_int_eq(pace_journal_open(&j, output), PACE_EXIT_OK);
	ck_assert_uint_eq(j.done, 1);
	add(1, 65, false);
	add(2, 66, false);
	again();
	ck_assert_uint_eq(j.done, 3);
	has(0, 64);
	has(1, 65);
	has(2, 66);
}
END_TEST

/* As a run that ended in the middle left it. */
START_TEST(a_run_that_did_not_end_is_not_begun_anew_unasked)
{
	struct pace_sink_cfg sink = { .output = output };

	ck_assert_int_eq(pace_resume_check(&sink, 2), PACE_EXIT_USAGE);	/* in use */
	pace_journal_close(&j, false);
	ck_assert_int_eq(pace_resume_check(&sink, 2), PACE_EXIT_USAGE);
	ck_assert_int_eq(pace_resume_check(&sink, 1), PACE_EXIT_OK);	/* keeps none */
	sink.force = true;
	ck_assert_int_eq(pace_resume_check(&sink, 2), PACE_EXIT_OK);
	sink.output = "y.journal";
	ck_assert_int_eq(pace_resume_check(&sink, 2), PACE_EXIT_USAGE);
	ck_assert_int_eq(pace_resume_check(&sink, 1), PACE_EXIT_OK);
}
END_TEST

/* A journal is removed only if nothing of its run may still be wanted. */
static const struct {
	bool	skips, complete, kept;
} ends[] = { { false, true, false }, { true, true, true }, { false, false, true } };

START_TEST(a_journal_is_kept_while_points_may_be_wanted)
{
	add(0, 64, false);
	add(1, 65, ends[_i].skips);
	add(2, 66, false);
	pace_resume_end(&j, ends[_i].complete, "throughput");
	ck_assert_int_eq(pace_journal_open(&j, output) == PACE_EXIT_OK, ends[_i].kept);
}
END_TEST

/* Nothing is left to measure: points were skipped, and the file could not be written. */
START_TEST(a_run_that_lacks_only_its_result_says_so)
{
	char said[512] = "";
	int saved = dup(STDERR_FILENO);
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	add(0, 64, false);
	add(1, 65, true);
	if (_i == 0)
		add(2, 66, false);
	dup2(fileno(f), STDERR_FILENO);
	pace_resume_end(&j, false, "throughput");
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	said[fread(said, 1, sizeof(said) - 1, f)] = '\0';
	fclose(f);
	ck_assert_msg(strstr(said, _i == 0 ? "to write the result" : "to measure the others") != NULL,
	    "%s", said);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("journal");

	tcase_add_loop_test(tc, a_run_that_lacks_only_its_result_says_so, 0, 2);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_was_measured_is_not_undone_by_a_skip);
	tcase_add_test(tc, a_torn_line_is_written_over);
	tcase_add_test(tc, what_was_skipped_may_be_measured_after_all);
	tcase_add_test(tc, a_run_that_did_not_end_is_not_begun_anew_unasked);
	tcase_add_loop_test(tc, a_journal_is_kept_while_points_may_be_wanted, 0, COUNT_OF(ends));
	return unit_run(tc, "journal");
}
