#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmds.h"
#include "cmd/export_result.h"
#include "doc/record_file.h"
#include "out/hdrlog.h"
#include "out/udpmon_records.h"
#include "run/outfile.h"

#define AT(field)	offsetof(struct pace_export_cfg, field)

static const struct pace_opt opts[] = {
	{ "histogram", 0, PACE_OPT_STR, AT(histogram), 0, 0, 0, NULL, "NAME",
	    "write the bins of this histogram, not the points", "Rows" },
	{ "intervals", 0, PACE_OPT_FLAG, AT(intervals), 0, 0, 0, NULL, NULL,
	    "csv, tsv: write the intervals of a throughput or tcp result, not the points", "Rows" },
	{ "point", 0, PACE_OPT_NUM, AT(point), PACE_UNIT_COUNT, 0, UINT32_MAX, NULL, "N",
	    "write only this point; the first is 0", "Rows" },
	{ "per-stream", 0, PACE_OPT_FLAG, AT(per_stream), 0, 0, 0, NULL, NULL,
	    "also write a row, or with --histogram the bins, of each stream", "Rows" },
	{ "absolute", 0, PACE_OPT_FLAG, AT(absolute), 0, 0, 0, NULL, NULL,
	    "records: write times of the probe clock, not since the first frame", "Rows" },
	{ "format", 0, PACE_OPT_CHOICE, AT(format), 0, 0, 0, "csv", PACE_EXPORT_FORMATS,
	    "format of the rows", "Output" },
	{ "short", 0, PACE_OPT_FLAG, AT(brief), 0, 0, 0, NULL, NULL,
	    "csv, tsv: write the most important columns only", "Output" },
	{ "output", 'o', PACE_OPT_STR, AT(output), 0, 0, 0, NULL, "FILE",
	    "write to FILE instead of standard output", "Output" },
	{ "force", 0, PACE_OPT_FLAG, AT(force), 0, 0, 0, NULL, NULL,
	    "let --output replace an existing file", "Output" },
};

/* Check the output before a large file is read.  The input must not be replaced by an extract of
 * itself. */
static bool
output_is_good(const struct pace_export_cfg *cfg, const char *input)
{
	struct stat a, b;
	int rc;

	if (cfg->output == NULL)
		return true;
	rc = pace_outfile_check(cfg->output, cfg->force);
	if (rc == -EEXIST) {
		pace_complain("--output: '%s' already exists", cfg->output);
		pace_hint("use another name, or --force to replace it");
	} else if (rc < 0) {
		pace_complain("--output: '%s' cannot be written: %s", cfg->output,
		    strerror(-rc));
	} else if (stat(cfg->output, &a) != 0 || stat(input, &b) != 0 ||
	    a.st_dev != b.st_dev || a.st_ino != b.st_ino || !S_ISREG(a.st_mode)) {
		return true;
	} else {
		pace_complain("--output: '%s' is also the input file", cfg->output);
	}
	return false;
}

/* --- records ------------------------------------------------------------------------ */

struct rows {
	const struct pace_export_cfg *cfg;
	const struct pace_record_file *file;
};

static int
write_rows(FILE *f, void *ctx)
{
	const struct rows *r = ctx;
	const struct pace_columns_cfg columns = { .format = pace_export_columns(r->cfg),
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

/* UDPmon's dump has one row per frame. */
static bool
dumps(const struct pace_export_cfg *cfg, const struct pace_record_file *file)
{
	for (size_t i = 0; i < file->n; i++) {
		const struct pace_record_run *run = &file->runs[i];

		if (cfg->one && run->point != cfg->point)
			continue;
		if (!pace_udpmon_dumpable(run)) {
			pace_complain("--format udpmon: point %lu has %llu frames; that is too "
			    "many for one row per frame", (unsigned long)run->point,
			    (unsigned long long)run->sent);
			pace_hint("--format csv has one row per record");
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

	if (cfg->brief) {
		pace_complain("--short: %s has frame records, which have no short form", cfg->name);
		return false;
	}
	if (cfg->intervals) {
		pace_complain("--intervals: %s has frame records, no intervals", cfg->name);
		return false;
	}
	if (option == NULL)
		return true;
	if (strcmp(option, "--absolute") == 0) {
		pace_complain("--absolute: UDPmon's times begin with the first frame");
		pace_hint("use --format csv, tsv or gnuplot");
	} else {
		pace_complain("%s: %s has frame records, no histograms", option, cfg->name);
		pace_hint("give the result that --output or --jsonl of that run wrote");
	}
	return false;
}

static int
export_records(const struct pace_export_cfg *cfg, FILE *f)
{
	struct pace_record_file file;
	struct rows rows = { cfg, &file };
	struct pace_err err = { .code = 0 };
	bool has_point = !cfg->one;
	int status;

	if (!suits_records(cfg))
		return PACE_EXIT_USAGE;
	if (pace_record_file_read(f, &file, &err) < 0) {
		pace_complain("%s: %s", cfg->name, err.text);
		return PACE_EXIT_NO_RESULT;
	}
	for (size_t i = 0; i < file.n; i++)
		has_point |= file.runs[i].point == cfg->point;
	if (!has_point) {
		pace_complain("--point: %s has no records of point %lld", cfg->name,
		    (long long)cfg->point);
		status = PACE_EXIT_NO_RESULT;
	} else if (cfg->format == EXPORT_UDPMON) {
		status = dumps(cfg, &file) ? pace_export_write(cfg, write_dump, &rows) :
		    PACE_EXIT_USAGE;
	} else {
		status = pace_export_write(cfg, write_rows, &rows);
	}
	pace_record_file_free(&file);
	return status;
}

/* --- the file ------------------------------------------------------------------------ */

/* With O_NONBLOCK open() does not wait for the writer of a pipe. */
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

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	struct pace_export_cfg *cfg = arg;
	bool standard = strcmp(argv[0], "-") == 0;
	int status, c;
	FILE *f;

	(void)argc; (void)all_argc; (void)all_argv;
	cfg->one = pace_opt_given(cmd, cfg, "point");
	cfg->name = standard ? "standard input" : argv[0];
	if (cfg->format == EXPORT_HDR && !pace_hdrlog_works()) {
		pace_complain("--format hdr: this udpace was built without zlib");
		pace_hint("install zlib with its headers, and configure --with-zlib");
		return PACE_EXIT_USAGE;
	}
	if (!output_is_good(cfg, argv[0]))
		return PACE_EXIT_USAGE;
	f = standard ? stdin : open_input(argv[0]);
	if (f == NULL)
		return PACE_EXIT_NO_RESULT;
	c = getc(f);		/* records begin with a U, a result with a brace */
	if (c != 'U') {
		if (c != EOF)
			ungetc(c, f);
		status = pace_export_result(cfg, f);
	} else if (fseeko(f, 0, SEEK_SET) == -1) {
		pace_complain("%s: frame records cannot be read from a pipe", cfg->name);
		pace_hint("give the name of their file");
		status = PACE_EXIT_NO_RESULT;
	} else {
		status = export_records(cfg, f);
	}
	if (!standard)
		fclose(f);
	return status;
}

static const char *const examples[] = {
	"# a table for a spreadsheet: the points of a sweep, or every frame",
	"udpace export sweep.json -o sweep.csv",
	"udpace export run.records -o run.csv",
	"# the intervals of a run that was measured with --interval",
	"udpace export run.json --intervals -o run.csv",
	"# one histogram for gnuplot",
	"udpace export sweep.json --histogram owd --format gnuplot -o owd.dat",
	"# the output that UDPmon would print, for macros that read it",
	"udpace export sweep.json --format udpmon -o sweep.txt",
	NULL
};

const struct pace_cmd pace_cmd_export = {
	"export", "turn a result or frame records into columns", "FILE", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct pace_export_cfg), run,
	NULL,
};
