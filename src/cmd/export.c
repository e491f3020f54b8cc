#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmds.h"
#include "cmd/export.h"
#include "doc/record_file.h"
#include "out/columns.h"
#include "out/hdrlog.h"
#include "out/udpmon_records.h"
#include "run/outfile.h"

#define AT(field)	offsetof(struct pace_export_cfg, field)

static const struct pace_opt opts[] = {
	{ "histogram", 0, PACE_OPT_STR, AT(histogram), 0, 0, 0, NULL, "NAME",
	    "the bins of a histogram of a result, not its points", "Rows" },
	{ "point", 0, PACE_OPT_NUM, AT(point), PACE_UNIT_COUNT, 0, UINT32_MAX, NULL, "N",
	    "only this point, as numbered in the result, from 0", "Rows" },
	{ "absolute", 0, PACE_OPT_FLAG, AT(absolute), 0, 0, 0, NULL, NULL,
	    "records: times of the probe clock, not from the first", "Rows" },
	{ "format", 0, PACE_OPT_CHOICE, AT(format), 0, 0, 0, "csv", PACE_EXPORT_FORMATS,
	    "how rows are written", "Output" },
	{ "output", 'o', PACE_OPT_STR, AT(output), 0, 0, 0, NULL, "FILE",
	    "to a file, not to the standard output", "Output" },
	{ "force", 0, PACE_OPT_FLAG, AT(force), 0, 0, 0, NULL, NULL,
	    "let --output replace a file", "Output" },
};

/* What was measured is not to be replaced by a part of itself. */
static bool
is_input(const struct pace_export_cfg *cfg, const char *input)
{
	struct stat a, b;

	if (cfg->output == NULL || stat(cfg->output, &a) != 0 || stat(input, &b) != 0 ||
	    a.st_dev != b.st_dev || a.st_ino != b.st_ino || !S_ISREG(a.st_mode))
		return false;
	pace_complain("--output: '%s' is the file that is read", cfg->output);
	return true;
}

/* Before a large file is read for nothing. */
static int
check_output(const struct pace_export_cfg *cfg)
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

int
pace_export_write(const struct pace_export_cfg *cfg, int (*fn)(FILE *f, void *ctx), void *ctx)
{
	int rc = cfg->output != NULL ? pace_outfile_write(cfg->output, fn, ctx) :
	    fn(stdout, ctx);

	if (rc == 0)
		return 0;
	pace_complain("%s: %s", cfg->output != NULL ? cfg->output : "standard output",
	    strerror(-rc));
	clearerr(stdout);		/* told: main need not do it again */
	return EXIT_NOT_WRITTEN;
}

/* --- records ------------------------------------------------------------------------ */

static bool
has_point(const struct pace_record_file *file, uint32_t point)
{
	for (size_t i = 0; i < file->n; i++)
		if (file->runs[i].point == point)
			return true;
	return false;
}

struct rows {
	const struct pace_export_cfg *cfg;
	const struct pace_record_file *file;
};

static int
write_rows(FILE *f, void *ctx)
{
	static const enum pace_columns_format formats[] = { PACE_COLUMNS_CSV,
	    PACE_COLUMNS_TSV, PACE_COLUMNS_GNUPLOT };
	const struct rows *r = ctx;
	const struct pace_columns_cfg columns = { .format = formats[r->cfg->format],
	    .absolute = r->cfg->absolute, .one = r->cfg->one,
	    .point = (uint32_t)r->cfg->point };

	return pace_columns_write(f, r->file, &columns);
}

static int
write_dump(FILE *f, void *ctx)
{
	const struct rows *r = ctx;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->file->n; i++)
		if (!r->cfg->one || r->file->runs[i].point == r->cfg->point)
			rc = pace_udpmon_dump(f, &r->file->runs[i]);
	return rc;
}

/* UDPmon's dump has a row a frame. */
static bool
dumps(const struct pace_export_cfg *cfg, const struct pace_record_file *file)
{
	for (size_t i = 0; i < file->n; i++) {
		const struct pace_record_run *run = &file->runs[i];

		if (cfg->one && run->point != cfg->point)
			continue;
		if (!pace_udpmon_dumpable(run)) {
			pace_complain("--format udpmon: point %lu has %llu frames, too many for "
			    "a row each", (unsigned long)run->point,
			    (unsigned long long)run->sent);
			pace_hint("--format csv has a row a record");
			return false;
		}
	}
	return true;
}

static bool
suits_records(const struct pace_export_cfg *cfg)
{
	const char *option = cfg->histogram != NULL ? "--histogram" :
	    cfg->format == EXPORT_HDR ? "--format hdr" :
	    cfg->format == EXPORT_UDPMON && cfg->absolute ? "--absolute" : NULL;

	if (option == NULL)
		return true;
	if (strcmp(option, "--absolute") == 0) {
		pace_complain("--absolute: UDPmon's times begin with the first frame");
		pace_hint("--format csv, tsv or gnuplot");
	} else {
		pace_complain("%s: %s has frame records, no histograms", option, cfg->name);
		pace_hint("give the result: what --output or --jsonl of that run wrote");
	}
	return false;
}

static int
export_records(const struct pace_export_cfg *cfg, FILE *f)
{
	struct pace_record_file file;
	struct rows rows = { cfg, &file };
	struct pace_err err = { .code = 0 };
	int status;

	if (!suits_records(cfg))
		return EXIT_USAGE;
	if (pace_record_file_read(f, &file, &err) < 0) {
		pace_complain("%s: %s", cfg->name, err.text);
		return EXIT_NO_RESULT;
	}
	if (cfg->one && !has_point(&file, (uint32_t)cfg->point)) {
		pace_complain("--point: %s has no records of point %lld", cfg->name,
		    (long long)cfg->point);
		status = EXIT_NO_RESULT;
	} else if (cfg->format == EXPORT_UDPMON) {
		status = dumps(cfg, &file) ? pace_export_write(cfg, write_dump, &rows) :
		    EXIT_USAGE;
	} else {
		status = pace_export_write(cfg, write_rows, &rows);
	}
	pace_record_file_free(&file);
	return status;
}

/* --- the file ------------------------------------------------------------------------ */

/* Without O_NONBLOCK a pipe that nobody writes to would be waited for. */
static FILE *
open_input(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	FILE *f = NULL;

	if (fd == -1 || fstat(fd, &st) == -1) {
		pace_complain("%s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		pace_complain("%s: %s", path, S_ISDIR(st.st_mode) ? strerror(EISDIR) :
		    "not a regular file");
	} else {
		f = fdopen(fd, "rb");
		if (f == NULL)
			pace_complain("%s: %s", path, strerror(errno));
	}
	if (f == NULL && fd != -1)
		close(fd);
	return f;
}

/* Records begin with a U, a result with a brace. */
static int
export_from(const struct pace_export_cfg *cfg, FILE *f)
{
	int c = getc(f);

	if (c == 'U') {
		if (fseeko(f, 0, SEEK_SET) == -1) {
			pace_complain("%s: records are not read from a pipe", cfg->name);
			pace_hint("give the name of their file");
			return EXIT_NO_RESULT;
		}
		return export_records(cfg, f);
	}
	if (c != EOF)
		ungetc(c, f);
	return pace_export_result(cfg, f);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	struct pace_export_cfg *cfg = arg;
	bool standard = strcmp(argv[0], "-") == 0;
	int status;
	FILE *f;

	(void)argc; (void)all_argc; (void)all_argv;
	cfg->one = pace_opt_given(cmd, cfg, "point");
	cfg->name = standard ? "standard input" : argv[0];
	if (cfg->format == EXPORT_HDR && !pace_hdrlog_works()) {
		pace_complain("--format hdr: this udpace was built without zlib");
		pace_hint("configure --with-zlib, where zlib and its headers are installed");
		return EXIT_USAGE;
	}
	if (check_output(cfg) < 0 || is_input(cfg, argv[0]))
		return EXIT_USAGE;
	f = standard ? stdin : open_input(argv[0]);
	if (f == NULL)
		return EXIT_NO_RESULT;
	status = export_from(cfg, f);
	if (!standard)
		fclose(f);
	return status;
}

static const char *const examples[] = {
	"# a spreadsheet's table of the points of a sweep, or of every frame",
	"udpace export sweep.json -o sweep.csv",
	"udpace export run.records -o run.csv",
	"# one histogram for gnuplot",
	"udpace export sweep.json --histogram owd --format gnuplot -o owd.dat",
	"# what UDPmon would have printed, for the macros that read it",
	"udpace export sweep.json --format udpmon -o sweep.txt",
	NULL
};

const struct pace_cmd pace_cmd_export = {
	"export", "turn a result or frame records into columns", "FILE", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct pace_export_cfg), run,
	NULL,
};
