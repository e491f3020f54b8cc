#include "config.h"

#include "run/resume.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>


bool
pace_resume_alone(const struct pace_cmd *cmd, const void *given)
{
	for (int i = 0; i < cmd->nopts; i++) {
		const char *name = cmd->opts[i].name;

		if (strcmp(name, "resume") == 0 || strcmp(name, "quiet") == 0 ||
		    strcmp(name, "monitor") == 0 || strcmp(name, "measure-skipped") == 0 ||
		    !pace_opt_given(cmd, given, name))
			continue;
		pace_complain("--resume and --%s exclude each other: a resumed run keeps its "
		    "options",
		    name);
		return false;
	}
	return true;
}

static bool
is_of(const struct pace_journal *j, const struct pace_cmd *cmd)
{
	const struct pace_result *r = &j->head.r;

	if (r->argc > 1 && strcmp(r->argv[1], cmd->name) == 0)
		return true;
	pace_complain("--resume: %s belongs to udpace %s", j->path, r->argc > 1 ? r->argv[1] : "");
	if (r->argc > 1)
		pace_hint("udpace %s --resume %s", r->argv[1], j->output);
	return false;
}

/* May the file of --jsonl be overwritten?  Only if it has the lines of the run's first part. */
static bool
may_replace(const char *jsonl)
{
	static const char begin[] = "{\"event\":\"start\"";
	char head[sizeof(begin)] = "";
	FILE *f = fopen(jsonl, "re");
	bool ours;

	if (f == NULL)
		return true;
	ours = fread(head, 1, sizeof(begin) - 1, f) == 0 || strcmp(head, begin) == 0;
	fclose(f);
	if (!ours)
		pace_complain("--resume: '%s', the --jsonl file of the run, now has other contents",
		    jsonl);
	return ours;
}

/* Parse the run's own command line and start; argv has room for it. */
static int
parse_and_go(const struct pace_cmd *cmd, const void *given, struct pace_journal *j,
    pace_go_on go_on, void *cfg, char **argv)
{
	const struct pace_result *r = &j->head.r;
	struct pace_sink_cfg *sink = (void *)((char *)cfg + pace_opt_find(cmd, "output")->at -
	    offsetof(struct pace_sink_cfg, output));
	int argc = r->argc - 1, first;

	memcpy(argv, r->argv + 1, (size_t)argc * sizeof(*argv));
	first = pace_opt_parse(cmd, cfg, argc, argv);
	if (first < 0 || first >= argc) {
		pace_complain("--resume: the command line in %s is not valid", j->path);
		return PACE_EXIT_NO_RESULT;
	}
	if (pace_opt_given(cmd, given, "quiet"))	/* --quiet may also come from this
							 * command line */
		*(bool *)((char *)cfg + pace_opt_find(cmd, "quiet")->at) = true;
	if (sink->jsonl != NULL && strcmp(sink->jsonl, "-") != 0 && !may_replace(sink->jsonl))
		return PACE_EXIT_NO_RESULT;
	sink->journal = j;
	sink->output = j->output;
	sink->force = true;
	return go_on(cmd, cfg, argv[first], r->argc, r->argv);
}

int
pace_resume(const struct pace_cmd *cmd, const void *given, const char *file, pace_go_on go_on)
{
	struct pace_journal j = { .f = NULL };
	void *cfg = malloc(cmd->cfg_size);
	char **argv = NULL;
	int status = PACE_EXIT_USAGE;

	if (pace_resume_alone(cmd, given)) {
		status = pace_journal_open(&j, file);
		if (status == PACE_EXIT_OK && !is_of(&j, cmd))
			status = PACE_EXIT_USAGE;
		if (status == PACE_EXIT_OK && pace_opt_find(cmd, "measure-skipped") != NULL &&
		    pace_opt_given(cmd, given, "measure-skipped"))
			pace_journal_unskip(&j);
	}
	if (status == PACE_EXIT_OK) {
		argv = calloc((size_t)j.head.r.argc, sizeof(*argv));
		if (cfg != NULL && argv != NULL) {
			status = parse_and_go(cmd, given, &j, go_on, cfg, argv);
		} else {
			pace_complain("out of memory");
			status = PACE_EXIT_NO_RESULT;
		}
	}
	pace_journal_close(&j, false);
	free(argv);
	free(cfg);
	return status == PACE_JOURNAL_COMPLETE ? PACE_EXIT_OK : status;
}

static void
tell_in_use(const char *output)
{
	pace_complain("--output: another udpace is writing '%s'", output);
	pace_hint("wait until it ends, or use another name");
}

int
pace_resume_check(const struct pace_sink_cfg *sink, size_t points)
{
	char path[PATH_MAX];
	size_t len = sink->output != NULL ? strlen(sink->output) : 0;

	if (len > 8 && strcmp(sink->output + len - 8, ".journal") == 0 && points > 1) {
		pace_complain("--output: '%s': names that end in .journal are those of journals",
		    sink->output);
		return PACE_EXIT_USAGE;
	}
	if (sink->output == NULL || pace_journal_name(sink->output, path, sizeof(path)) < 0 ||
	    access(path, F_OK) != 0)
		return PACE_EXIT_OK;
	if (pace_journal_in_use(path)) {
		tell_in_use(sink->output);
		return PACE_EXIT_USAGE;
	}
	if (points < 2 || sink->force)
		return PACE_EXIT_OK;
	pace_complain("--output: '%s' exists: an earlier run for '%s' is incomplete", path,
	    sink->output);
	pace_hint("continue it with --resume %s, or start again with --force", sink->output);
	return PACE_EXIT_USAGE;
}

bool
pace_resume_begin(struct pace_journal *j, struct pace_sink *sink, const struct pace_result *r,
    json_t *extra, size_t points)
{
	int rc = pace_journal_begin(j, sink->cfg.output, r, extra, points);
	bool ours = rc != -EWOULDBLOCK;

	if (rc == 0)
		return true;
	if (ours) {
		pace_sink_fail(sink, rc, j->path);
	} else {
		tell_in_use(sink->cfg.output);
		sink->cfg.output = NULL;
	}
	pace_journal_close(j, ours);	/* an incomplete journal is useless */
	return ours;
}

void
pace_resume_add(struct pace_journal *j, struct pace_sink *sink, size_t index, json_t *point,
    const struct pace_js_list *list, bool skipped)
{
	int rc = pace_journal_add(j, index, point, list, skipped);

	if (rc < 0)
		pace_sink_fail(sink, rc, j->path);
}

void
pace_resume_end(struct pace_journal *j, bool complete, const char *command)
{
	const char *also = "to measure the others";

	if (complete && j->skipped > 0) {
		pace_complain("%zu %s skipped, %zu of %zu were measured", j->skipped,
		    j->skipped == 1 ? "point was" : "points were", j->done, j->planned);
		also = "--measure-skipped to measure skipped points";
	} else if (!complete) {
		pace_complain("%zu of %zu points were measured", j->done, j->planned);
		also = j->done + j->skipped == j->planned ? "to write the result" : also;
	}
	complete &= j->skipped == 0;
	if (!complete)
		pace_hint("udpace %s --resume %s %s", command, j->output, also);
	pace_journal_close(j, complete);
}
