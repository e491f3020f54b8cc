#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmds.h"
#include "cli/outfile.h"
#include "doc/record_file.h"
#include "out/columns.h"

enum { EXIT_USAGE = 2, EXIT_NO_RESULT = 3, EXIT_NOT_WRITTEN = 4 };

struct export_cfg {
	struct pace_given given;
	int64_t		format, point;
	const char	*output;
	bool		absolute, force;
};

#define AT(field)	offsetof(struct export_cfg, field)

static const struct pace_opt opts[] = {
	{ "point", 0, PACE_OPT_NUM, AT(point), PACE_UNIT_COUNT, 0, UINT32_MAX, NULL, "N",
	    "only this point's run, as numbered in the result, from 0", "Rows" },
	{ "absolute", 0, PACE_OPT_FLAG, AT(absolute), 0, 0, 0, NULL, NULL,
	    "times of the probe clock, not from a run's first record", "Rows" },
	{ "format", 0, PACE_OPT_CHOICE, AT(format), 0, 0, 0, "csv", PACE_COLUMNS_FORMATS,
	    "how rows are written", "Output" },
	{ "output", 'o', PACE_OPT_STR, AT(output), 0, 0, 0, NULL, "FILE",
	    "to a file, not to the standard output", "Output" },
	{ "force", 0, PACE_OPT_FLAG, AT(force), 0, 0, 0, NULL, NULL,
	    "let --output replace a file", "Output" },
};

/* Before a large file is read for nothing. */
static int
check_output(const struct export_cfg *cfg)
{
	int rc = cfg->output != NULL ? pace_outfile_check(cfg->output, cfg->force) : 0;

	if (rc == -EEXIST) {
		pace_complain("--output: '%s' is there already", cfg->output);
		pace_hint("another name, or --force to replace it");
	} else if (rc < 0) {
		pace_complain("--output: '%s' cannot be written: %s", cfg->output,
		    strerror(-rc));
	}
	return rc;
}

static bool
has_point(const struct pace_record_file *file, uint32_t point)
{
	for (size_t i = 0; i < file->n; i++)
		if (file->runs[i].point == point)
			return true;
	return false;
}

struct rows {
	const struct pace_record_file *file;
	struct pace_columns_cfg columns;
};

static int
write_rows(FILE *f, void *ctx)
{
	const struct rows *r = ctx;

	return pace_columns_write(f, r->file, &r->columns);
}

static int
write_out(const struct export_cfg *cfg, struct rows *r)
{
	int rc = cfg->output != NULL ? pace_outfile_write(cfg->output, write_rows, r) :
	    write_rows(stdout, r);

	if (rc == 0)
		return 0;
	pace_complain("%s: %s", cfg->output != NULL ? cfg->output : "standard output",
	    strerror(-rc));
	clearerr(stdout);		/* told: main need not do it again */
	return EXIT_NOT_WRITTEN;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct export_cfg *cfg = arg;
	struct pace_record_file file;
	struct rows rows = { .file = &file, .columns = {
		.format = (enum pace_columns_format)cfg->format, .absolute = cfg->absolute,
		.one = pace_opt_given(cmd, cfg, "point"), .point = (uint32_t)cfg->point } };
	struct pace_err err = { .code = 0 };
	int status;

	(void)argc; (void)all_argc; (void)all_argv;
	if (check_output(cfg) < 0)
		return EXIT_USAGE;
	if (pace_record_file_load(argv[0], &file, &err) < 0) {
		pace_complain("%s: %s", argv[0], err.text);
		return EXIT_NO_RESULT;
	}
	if (rows.columns.one && !has_point(&file, rows.columns.point)) {
		pace_complain("--point: %s has no records of point %lld", argv[0],
		    (long long)cfg->point);
		status = EXIT_NO_RESULT;
	} else {
		status = write_out(cfg, &rows);
	}
	pace_record_file_free(&file);
	return status;
}

static const char *const examples[] = {
	"# a spreadsheet's table of every frame",
	"udpace export run.records -o run.csv",
	"# one point for gnuplot",
	"udpace export run.records --point 3 --format gnuplot -o run.dat",
	NULL
};

const struct pace_cmd pace_cmd_export = {
	"export", "turn a file of frame records into columns", "FILE", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct export_cfg), run, NULL,
};
