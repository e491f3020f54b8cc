#include "config.h"

#include "run/sink.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doc/hist_doc.h"
#include "doc/result_doc.h"
#include "opt/opt.h"
#include "out/cells.h"
#include "out/json.h"
#include "out/say.h"
#include "out/text.h"
#include "run/outfile.h"
#include "run/stop.h"

void
pace_sink_fail(struct pace_sink *s, int rc, const char *where)
{
	if (rc < 0 && !s->failed) {
		/* The exit status reports SIGPIPE.  A stream keeps the fact that it failed, not
		 * the reason. */
		if (rc != -EPIPE && !(rc == -EIO && pace_stop == SIGPIPE))
			pace_complain("%s: %s", where, strerror(-rc));
		s->failed = true;
	}
}

void
pace_sink_check(struct pace_sink *s, int rc)
{
	pace_sink_fail(s, rc, "standard output");
}

int
pace_sink_may_write(const char *option, const char *path, bool force)
{
	int rc = path != NULL ? pace_outfile_check(path, force) : 0;

	if (rc == -EEXIST) {
		pace_complain("--%s: '%s' already exists", option, path);
		pace_hint("use another name, or --force to replace it");
	} else if (rc < 0) {
		pace_complain("--%s: '%s' cannot be written: %s", option, path, strerror(-rc));
	}
	return rc < 0 ? 2 : 0;
}

/* --- one file for two options --------------------------------------------------- */

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static bool
stat_dir(const char *path, struct stat *st)
{
	char dir[PATH_MAX];
	int n = snprintf(dir, sizeof(dir), "%.*s.", (int)(base_of(path) - path), path);

	return n > 0 && (size_t)n < sizeof(dir) && stat(dir, st) == 0;
}

bool
pace_sink_one_file(const char *a, const char *b)
{
	struct stat sa, sb;
	bool there = stat(a, &sa) == 0;

	if (there != (stat(b, &sb) == 0))
		return false;
	if (there)
		return sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino && !S_ISCHR(sa.st_mode);
	return strcmp(base_of(a), base_of(b)) == 0 && stat_dir(a, &sa) && stat_dir(b, &sb) &&
	    sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

bool
pace_sink_writes_to(const struct pace_sink_cfg *cfg, const char *option, const char *path)
{
	const char *jsonl = cfg->jsonl != NULL && strcmp(cfg->jsonl, "-") != 0 ? cfg->jsonl : NULL;
	const char *same = cfg->output != NULL && pace_sink_one_file(path, cfg->output) ? "output" :
	    jsonl != NULL && pace_sink_one_file(path, jsonl) ? "jsonl" : NULL;

	if (same != NULL)
		pace_complain("--%s and --%s exclude each other here: both write the file '%s'",
		    same, option, path);
	return same != NULL;
}

static bool
has_csv(const struct pace_sink_cfg *cfg)
{
	return cfg->csv || cfg->csv_short;
}

bool
pace_sink_contradicts(const struct pace_sink_cfg *cfg)
{
	if (cfg->csv && cfg->csv_short) {
		pace_complain("--csv and --csv-short exclude each other: both write to standard "
		    "output");
		return true;
	}
	if (cfg->json && has_csv(cfg)) {
		pace_complain("--json and --%s exclude each other: both write to standard output",
		    cfg->csv ? "csv" : "csv-short");
		return true;
	}
	if (cfg->no_bins && !cfg->json && cfg->jsonl == NULL && cfg->output == NULL) {
		pace_complain("--no-bins needs a document: --json, --jsonl or --output");
		return true;
	}
	if (cfg->jsonl != NULL && strcmp(cfg->jsonl, "-") == 0 && (cfg->json || has_csv(cfg))) {
		pace_complain("--jsonl - and --%s exclude each other: both write to standard "
		    "output", cfg->json ? "json" : cfg->csv ? "csv" : "csv-short");
		return true;
	}
	return cfg->jsonl != NULL && strcmp(cfg->jsonl, "-") != 0 &&
	    pace_sink_writes_to(&(struct pace_sink_cfg){ .output = cfg->output }, "jsonl",
	    cfg->jsonl);
}

int
pace_sink_open(struct pace_sink *s, const struct pace_sink_cfg *cfg)
{
	bool to_stdout = cfg->jsonl != NULL && strcmp(cfg->jsonl, "-") == 0;

	memset(s, 0, sizeof(*s));
	s->cfg = *cfg;
	s->utf8 = pace_say_utf8();
	if (pace_sink_may_write("output", cfg->output, cfg->force) != 0 ||
	    pace_sink_may_write("jsonl", to_stdout ? NULL : cfg->jsonl, cfg->force) != 0)
		return PACE_EXIT_USAGE;
	s->fresh = cfg->output != NULL && access(cfg->output, F_OK) != 0;
	if (cfg->jsonl == NULL)
		return 0;
	s->jsonl = to_stdout ? stdout : fopen(cfg->jsonl, "we");
	if (s->jsonl != NULL)
		return 0;
	pace_complain("--jsonl: '%s' cannot be written: %s", cfg->jsonl, strerror(errno));
	return PACE_EXIT_USAGE;
}

bool
pace_sink_has_table(const struct pace_sink *s)
{
	return !s->cfg.json && !has_csv(&s->cfg) && s->jsonl != stdout;
}

/* Write a CSV row; point NULL: the header line. */
static int
put_csv(struct pace_sink *s, const void *point)
{
	char *line = NULL;
	size_t size;
	FILE *f = s->cfg.csv_short ? open_memstream(&line, &size) : stdout;
	int rc;

	if (f == NULL)
		return -errno;
	rc = point != NULL ? s->kind->csv_point(f, point) : s->kind->csv_head(f);
	if (f == stdout)
		return rc;
	if (fclose(f) != 0 && rc == 0)
		rc = -ENOMEM;
	if (s->csv_names == NULL && rc == 0)
		s->csv_names = strdup(line);
	if (rc == 0 && s->csv_names != NULL)
		pace_csv_pick(stdout, s->csv_names, line, s->kind->csv_short, ',');
	free(line);
	if (rc != 0 || s->csv_names == NULL)
		return rc != 0 ? rc : -ENOMEM;
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : errno != 0 ? -errno : -EIO;
}

void
pace_sink_begin(struct pace_sink *s, const struct pace_sink_kind *kind, const void *plan,
    const struct pace_result *r, size_t n)
{
	s->kind = kind;
	s->plan = plan;
	s->one = n == 1;
	if (s->jsonl != NULL)
		pace_sink_fail(s, pace_jsonl_start(s->jsonl, r, NULL), "--jsonl");
	if (has_csv(&s->cfg))
		pace_sink_check(s, put_csv(s, NULL));
	if (!pace_sink_has_table(s))
		return;
	pace_sink_check(s, kind->head(stdout, r, plan, s->utf8));
	if (!s->one)
		pace_sink_check(s, kind->row_head(stdout, plan, s->utf8));
}

json_t *
pace_sink_json(const struct pace_sink *s, const void *point, json_t **json)
{
	if (*json == NULL) {
		*json = s->kind->to_json(point);
		if (s->cfg.no_bins)
			pace_hist_strip_bins(*json);
	}
	return json_incref(*json);
}

struct pace_js_list
pace_sink_list(const struct pace_sink *s, const void *point)
{
	struct pace_js_list list = { .n = 0 };

	if (s->kind->list != NULL)
		s->kind->list(point, s->cfg.no_bins, &list);
	return list;
}

static void
keep_text(struct pace_sink *s, json_t *json, const struct pace_js_list *list)
{
	char **more;

	if (s->n == s->room) {
		s->room = s->room > 0 ? 2 * s->room : 16;
		more = realloc(s->points, s->room * sizeof(*more));
		if (more == NULL) {
			s->room = s->n;
			pace_sink_fail(s, -ENOMEM, "result");
			json_decref(json);
			return;
		}
		s->points = more;
	}
	s->points[s->n] = pace_result_dump(json, list);
	if (s->points[s->n] == NULL)
		pace_sink_fail(s, -ENOMEM, "result");
	else
		s->n++;
}

void
pace_sink_csv(struct pace_sink *s, const void *point)
{
	if (has_csv(&s->cfg))
		pace_sink_check(s, put_csv(s, point));
}

void
pace_sink_point(struct pace_sink *s, const void *point, json_t **json)
{
	json_t *own = NULL, **made = json != NULL ? json : &own;
	bool document = s->cfg.json || s->cfg.output != NULL;
	bool line = s->jsonl != NULL && !s->jsonl_stuck;
	struct pace_js_list list = { .n = 0 };

	if (document || line)
		list = pace_sink_list(s, point);
	if (document)
		keep_text(s, pace_sink_json(s, point, made), &list);
	if (line)
		pace_sink_fail(s, pace_jsonl_point(s->jsonl, "point", s->written,
		    pace_sink_json(s, point, made), &list), "--jsonl");
	json_decref(own);
	s->written++;
	pace_sink_csv(s, point);
	if (!pace_sink_has_table(s))
		return;
	if (s->one)
		pace_sink_check(s, s->kind->block(stdout, point, s->cfg.detail, s->utf8));
	else
		pace_sink_check(s, s->kind->row(stdout, s->plan, point, s->utf8));
}

struct document {
	const struct pace_sink *sink;
	const struct pace_result *result;
	json_t		*extra;
};

static int
write_document(FILE *f, void *ctx)
{
	const struct document *d = ctx;

	return pace_result_write_with(f, d->result, d->extra, d->sink->points, d->sink->n);
}

/* Some file systems tell only here that lines are lost. */
static void
close_lines(struct pace_sink *s)
{
	if (s->jsonl == NULL || s->jsonl == stdout)
		return;
	if (fclose(s->jsonl) == EOF)
		pace_sink_fail(s, -errno, "--jsonl");
	s->jsonl = NULL;
}

void
pace_sink_end(struct pace_sink *s, const struct pace_result *r, json_t *extra)
{
	struct document d = { .sink = s, .result = r, .extra = extra };

	if (s->jsonl != NULL && !s->jsonl_stuck)
		pace_sink_fail(s, pace_jsonl_end(s->jsonl, r, s->written, extra), "--jsonl");
	if (pace_sink_has_table(s) && s->written > 0)	/* without points nothing follows the
							 * table */
		pace_sink_check(s, pace_text_tail(stdout, r, s->utf8));
	if (s->cfg.json)
		pace_sink_check(s, write_document(stdout, &d));
	if (s->cfg.output != NULL && !(s->fresh && s->n == 0))
		pace_sink_fail(s, pace_outfile_write(s->cfg.output, write_document, &d),
		    s->cfg.output);
	json_decref(extra);
	close_lines(s);
}

void
pace_sink_close(struct pace_sink *s)
{
	close_lines(s);
	for (size_t i = 0; i < s->n; i++)
		free(s->points[i]);
	free(s->points);
	free(s->csv_names);
}
