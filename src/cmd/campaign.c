/*
 * udpace campaign: runs the steps of a file in turn.  Each step is a command, and its
 * document goes to a common folder.
 */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmds.h"
#include "doc/conclusions.h"
#include "doc/result_doc.h"
#include "out/conclusions_text.h"
#include "out/say.h"
#include "run/campaign_file.h"
#include "run/campaign_find.h"
#include "run/campaign_folder.h"
#include "run/campaign_words.h"
#include "run/feed.h"
#include "run/journal.h"
#include "run/peer.h"
#include "run/point_control.h"
#include "run/resume.h"
#include "run/stop.h"
#include "ui/campaign_show.h"

struct campaign_cfg {
	struct pace_given given;
	struct pace_net_opts net;
	int64_t		count;
	const char	*output, *resume;
	bool		dry_run, force, monitor, measure_skipped;
};

#define AT(field)	offsetof(struct campaign_cfg, field)

static const struct pace_opt opts[] = {
	{ "count", 'l', PACE_OPT_NUM, AT(count), PACE_UNIT_COUNT, 1, INT64_C(1000000000), NULL,
	    "N", "frames or requests per point, instead of the file's value", "Campaign" },
	{ "dry-run", 0, PACE_OPT_FLAG, AT(dry_run), 0, 0, 0, NULL, NULL,
	    "print the plan and its duration; send nothing", "Campaign" },
	{ "resume", 0, PACE_OPT_STR, AT(resume), 0, 0, 0, NULL, "DIR",
	    "measure the points missing in DIR, the folder of an earlier campaign", "Campaign" },
	{ "measure-skipped", 0, PACE_OPT_FLAG, AT(measure_skipped), 0, 0, 0, NULL, NULL,
	    "with --resume: also measure skipped points", "Campaign" },
	PACE_NET_ROWS(struct campaign_cfg),
	PACE_MARK_ROWS(struct campaign_cfg),
	PACE_CPU_ROW(struct campaign_cfg, "core for the sender"),
	PACE_LEASE_ROWS(struct campaign_cfg),
	{ "output", 'o', PACE_OPT_STR, AT(output), 0, 0, 0, NULL, "DIR",
	    "folder for the documents; without it, named after campaign, host and time", "Output" },
	{ "monitor", 0, PACE_OPT_FLAG, AT(monitor), 0, 0, 0, NULL, NULL,
	    "show the points on a screen as they end; q closes only the screen", "Output" },
	{ "force", 0, PACE_OPT_FLAG, AT(force), 0, 0, 0, NULL, NULL,
	    "let --output be an existing folder, and replace its contents", "Output" },
	PACE_PRIVATE_ROW(struct campaign_cfg),
	PACE_QUIET_ROW(struct campaign_cfg, "print no progress and no notices"),
};

/* One run of the program. */
struct campaign_run {
	const struct pace_cmd *cmd;
	const struct campaign_cfg *cfg;
	struct pace_campaign campaign;
	const char	*file;		/* file the campaign was read from */
	const char	*host;
	char		dir[PATH_MAX];
	bool		again;		/* resumed: some steps may have been measured before */
	bool		dry;		/* dry run: print the plan only */
	int64_t		*cost_ns;	/* planned time of each step; -1: not known */
	int		argc;
	char		*const *argv;
};

/* --- steps ------------------------------------------------------------------------------ */

static int
make_words(const struct campaign_run *r, size_t i, enum pace_words_for what, struct pace_words *w)
{
	const struct pace_words_cfg cfg = { .what = what, .cmd = r->cmd, .given = r->cfg,
	    .file = r->file, .host = r->host, .dir = r->dir };

	return pace_words_make(w, &cfg, &r->campaign, i);
}

/* Check each step before the first frame of the first step, by a dry run if its command has one.
 * This finds contradictory options and sizes too large for the path. */
static int
check_steps(struct campaign_run *r)
{
	const struct pace_campaign *c = &r->campaign;
	struct pace_words w;
	int status = PACE_EXIT_OK;

	r->cost_ns = malloc((c->n + 1) * sizeof(*r->cost_ns));
	if (r->cost_ns == NULL) {
		pace_complain("%s", strerror(ENOMEM));
		return PACE_EXIT_NO_RESULT;
	}
	for (size_t i = 0; i < c->n && status == PACE_EXIT_OK; i++) {
		const struct pace_cmd *cmd = pace_words_command(&c->steps[i]);

		if (make_words(r, i, PACE_WORDS_CHECK, &w) < 0)
			return PACE_EXIT_USAGE;
		status = pace_words_run(&w, cmd, pace_opt_find(cmd, "dry-run") == NULL);
		if (status != PACE_EXIT_OK)
			pace_hint("in %s, [%s], which begins in line %d", r->file,
			    c->steps[i].name, c->steps[i].line);
		r->cost_ns[i] = pace_feed_cost_take();
		pace_words_free(&w);
	}
	return status;
}

/* The status of a step measured completely before; -1: it was not. */
static int
status_before(const char *path, bool measure_skipped)
{
	struct pace_err err;
	json_t *doc, *point, *skips;
	int status = PACE_EXIT_OK;
	size_t i;

	if (access(path, F_OK) != 0 || pace_result_load(path, &doc, &err) < 0)
		return -1;
	skips = json_object_get(doc, "skipped");
	if (!pace_result_is_whole(doc) || (skips != NULL && measure_skipped))
		status = -1;
	else if (skips != NULL) {
		pace_point_control_report(json_array_size(skips), true);
		status = PACE_EXIT_PARTIAL;
	}
	json_array_foreach(json_object_get(doc, "points"), i, point) {
		const char *verdict = json_string_value(json_object_get(point, "verdict"));

		if (status == PACE_EXIT_OK && verdict != NULL && strcmp(verdict, "degraded") == 0)
			status = PACE_EXIT_NOT_USABLE;
	}
	json_decref(doc);
	return status;
}

static struct pace_say
on_terminal(void)
{
	return (struct pace_say){ stdout, pace_say_utf8() };
}

/* Print the command line of a step. */
static int
print_command(const struct pace_words *w)
{
	const struct pace_say s = on_terminal();
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (int k = 0; f != NULL && k < w->n; k++)
		fprintf(f, "%s%s", k > 0 ? " " : "", w->v[k]);
	if (f == NULL || fclose(f) != 0) {
		pace_complain("%s", strerror(ENOMEM));
		return PACE_EXIT_NO_RESULT;
	}
	pace_say_command(&s, "", text);
	free(text);
	return PACE_EXIT_OK;
}

/* Measure step i, or the points missing in the document `resume` (NULL: none). */
static int
measure(const struct campaign_run *r, size_t i, const struct pace_cmd *cmd, const char *resume)
{
	struct pace_words w;
	int status = PACE_EXIT_OK;

	if (resume != NULL && pace_words_resume(&w, cmd, resume, r->cfg->net.quiet,
	    r->cfg->measure_skipped) < 0)
		return PACE_EXIT_NO_RESULT;
	if (resume == NULL && make_words(r, i, r->dry ? PACE_WORDS_PLAN : PACE_WORDS_MEASURE,
	    &w) < 0)
		return PACE_EXIT_USAGE;
	if (r->dry && pace_opt_find(cmd, "dry-run") == NULL) {
		status = print_command(&w);
	} else {
		status = pace_words_run(&w, cmd, false);
	}
	pace_words_free(&w);
	return status;
}

/* Does the step request records whose file does not exist? */
static bool
lacks_records(const struct campaign_run *r, size_t i)
{
	const char *record = pace_step_get(&r->campaign.steps[i], "record");
	char path[PACE_FOLDER_PATH];

	pace_folder_step(path, r->dir, &r->campaign, i, ".records");
	return record != NULL && strcmp(record, "no") != 0 && access(path, F_OK) != 0;
}

static void
follow_step(const struct campaign_run *r, size_t i, const struct pace_cmd *cmd)
{
	struct pace_feed_step s = { .number = i + 1, .of = r->campaign.n,
	    .name = r->campaign.steps[i].name, .command = cmd->name, .target = r->host,
	    .cost_ns = r->cost_ns[i], .after_whole = true };

	for (size_t k = i + 1; k < r->campaign.n; k++) {
		char path[PACE_FOLDER_PATH], journal[PACE_FOLDER_PATH];
		int64_t ns = r->cost_ns[k];

		pace_folder_step(path, r->dir, &r->campaign, k, ".json");
		if (r->again && access(path, F_OK) == 0 && pace_journal_name(path, journal,
		    sizeof(journal)) == 0 && access(journal, F_OK) != 0)
			ns = 0;		/* a completed step takes no more time */
		s.after_whole &= ns >= 0;
		if (ns >= 0)
			s.after_ns = ns > INT64_MAX - s.after_ns ? INT64_MAX : s.after_ns + ns;
	}
	pace_feed_step(&s);
}

static int
run_step(const struct campaign_run *r, size_t i)
{
	const struct pace_cmd *cmd = pace_words_command(&r->campaign.steps[i]);
	char path[PACE_FOLDER_PATH], journal[PACE_FOLDER_PATH], first[64];
	const struct pace_say s = on_terminal();
	bool goes_on = false;
	int status = -1;

	follow_step(r, i, cmd);
	pace_folder_step(path, r->dir, &r->campaign, i, ".json");
	if (r->again && pace_journal_name(path, journal, sizeof(journal)) == 0) {
		status = status_before(path, r->cfg->measure_skipped);
		goes_on = status < 0 && access(journal, F_OK) == 0;
		if (!goes_on && lacks_records(r, i))
			status = -1;
	}
	snprintf(first, sizeof(first), "== %zu of %zu  ", i + 1, r->campaign.n);
	pace_say(&s, "%s", i > 0 ? "\n" : "");
	pace_say_sentence(&s, first, "%s%s", r->campaign.steps[i].name,
	    goes_on ? ", continued" : status >= 0 ? ", measured before" : "");
	pace_say(&s, "\n");
	return status >= 0 ? status : measure(r, i, cmd, goes_on ? path : NULL);
}

/* Conclusions from all documents.  Documents of steps from `begun` on may belong to another
 * campaign. */
static void
tell_conclusions(const struct campaign_run *r, size_t begun)
{
	const struct pace_say s = on_terminal();
	struct pace_conclusions *c = calloc(1, sizeof(*c));
	char path[PACE_FOLDER_PATH], title[96];
	struct pace_err err;
	size_t known;

	if (c == NULL)
		return;
	pace_conclusions_begin(c);
	for (size_t i = 0; i < r->campaign.n; i++) {
		const struct pace_cmd *cmd = pace_words_command(&r->campaign.steps[i]);

		c->where = r->campaign.steps[i].name;
		pace_folder_step(path, r->dir, &r->campaign, i, ".json");
		if (i >= begun && !r->again)
			c->unmeasured++;
		else
			(void)pace_conclusions_read(c, path, strcmp(cmd->name, "capacity") == 0,
			    &err);
	}
	pace_conclusions_close(c);
	known = r->campaign.n - c->unmeasured - c->unread;
	if (known < r->campaign.n)
		snprintf(title, sizeof(title), "conclusions of %zu of %zu steps", known,
		    r->campaign.n);
	else
		snprintf(title, sizeof(title), "conclusions of all %zu steps", r->campaign.n);
	(void)pace_conclusions_text(s.f, c, title, s.utf8);	/* the close of stdout reports
								 * errors */
	pace_conclusions_free(c);
	free(c);
}

static int
run_steps(const struct campaign_run *r)
{
	int status, all = PACE_EXIT_OK;
	size_t good = 0, skipped = 0, begun = 0;
	const struct pace_say s = on_terminal();
	char title[256];
	bool alone;

	if (r->campaign.title != NULL) {
		pace_clean(title, sizeof(title), r->campaign.title, strlen(r->campaign.title));
		pace_say_wrapped(&s, "", title);
		pace_say(&s, "\n");
	}
	for (size_t i = 0; i < r->campaign.n; i++) {
		size_t here;

		if (pace_point_control_last && pace_stop == 0)
			pace_stop = SIGINT;
		if (pace_stop != 0)
			break;
		(void)pace_point_control_reported(&alone);
		begun = i + 1;
		status = run_step(r, i);
		pace_point_control_rest();
		if (pace_stop != 0)
			break;
		here = pace_point_control_reported(&alone);
		skipped += here;
		if (all != PACE_EXIT_PARTIAL && status != PACE_EXIT_OK)
			all = status == PACE_EXIT_NOT_USABLE ? status : PACE_EXIT_PARTIAL;
		good += status == PACE_EXIT_OK || status == PACE_EXIT_NOT_USABLE ||
		    (here > 0 && alone);
		if (status == PACE_EXIT_NO_RESULT && good == 0)
			return PACE_EXIT_NO_RESULT;	/* no responder answers */
	}
	if (r->dry)
		return all;
	if (r->campaign.n > 1 || r->again)
		tell_conclusions(r, begun);
	if (skipped > 0) {
		pace_complain("%zu %s skipped", skipped,
		    skipped == 1 ? "point was" : "points were");
		pace_hint("udpace campaign --resume %s --measure-skipped to measure %s", r->dir,
		    skipped == 1 ? "it" : "them");
	}
	if (pace_stop != 0 || good < r->campaign.n)
		pace_complain("%zu of %zu steps are complete; udpace campaign --resume %s measures "
		    "the others", good, r->campaign.n, r->dir);
	else if (!r->cfg->net.quiet)
		fprintf(stderr, "the documents are in %s; udpace report %s makes the report\n",
		    r->dir, r->dir);
	return pace_stop != 0 ? pace_stop_status() : all;
}

/* --- a new campaign -------------------------------------------------------------------------- */

/* Run all steps; file, host and folder are known. */
static int
run_all(struct campaign_run *r)
{
	struct pace_campaign_show *show;
	struct pace_err err;
	int rc = pace_campaign_load(&r->campaign, r->file, &err), status;

	if (rc != 0) {
		pace_complain("%s", err.text);
		if (rc == -ENOENT)
			pace_hint("'udpace campaign' lists the installed campaigns");
		return rc == -EPROTO ? PACE_EXIT_USAGE : PACE_EXIT_NO_RESULT;
	}
	status = check_steps(r);
	if (status == PACE_EXIT_OK && !r->dry && !r->again)
		status = pace_folder_make(&(struct pace_folder){ .dir = r->dir, .file = r->file,
		    .force = r->cfg->force, .argc = r->argc, .argv = r->argv });
	if (status != PACE_EXIT_OK || (r->dry && r->cfg->net.quiet))
		return status;
	/* the final messages go to the terminal, as without a display */
	show = r->cfg->monitor ? pace_campaign_show_begin() : NULL;
	status = run_steps(r);
	pace_campaign_show_end(show);
	return status;
}

static int
start(struct campaign_run *r, const char *file, const char *host)
{
	char path[PATH_MAX];

	r->file = pace_campaign_find(file, path);
	if (r->file == NULL)
		return PACE_EXIT_NO_RESULT;
	r->host = host;
	r->dry = r->cfg->dry_run;
	if (r->cfg->output == NULL)
		pace_folder_name(r->dir, r->file, r->host);
	else if ((size_t)snprintf(r->dir, sizeof(r->dir), "%s", r->cfg->output) >= sizeof(r->dir)) {
		pace_complain("--output: %s", strerror(ENAMETOOLONG));
		return PACE_EXIT_USAGE;
	}
	return run_all(r);
}

/* --- --resume ----------------------------------------------------------------------- */

/* Start with the original command line and the copy of the file. */
static int
start_again(struct campaign_run *r, struct campaign_cfg *cfg, const char *dir, char **argv,
    int argc)
{
	char file[PACE_FOLDER_PATH];
	int first = pace_opt_parse(r->cmd, cfg, argc, argv);

	if (first < 0 || first + 2 > argc) {
		pace_complain("--resume: the command line in %s/campaign.command is not valid",
		    dir);
		return PACE_EXIT_NO_RESULT;
	}
	pace_folder_file(file, dir, PACE_FOLDER_COPY);
	snprintf(r->dir, sizeof(r->dir), "%s", dir);
	cfg->net.quiet |= r->cfg->net.quiet;
	cfg->monitor = r->cfg->monitor;
	cfg->measure_skipped = r->cfg->measure_skipped;
	r->cfg = cfg;
	r->again = true;
	r->host = argv[first + 1];
	r->file = file;
	return run_all(r);
}

static int
resume(struct campaign_run *r, const char *dir)
{
	struct campaign_cfg *cfg;
	char **words, **argv;		/* parsing reorders argv */
	int argc = 0, status = PACE_EXIT_NO_RESULT;

	if (!pace_resume_alone(r->cmd, r->cfg))
		return PACE_EXIT_USAGE;
	words = pace_folder_command(dir, &argc);
	if (words == NULL)
		return PACE_EXIT_NO_RESULT;
	cfg = malloc(sizeof(*cfg));
	argv = calloc((size_t)argc, sizeof(*argv));
	if (cfg != NULL && argv != NULL) {
		memcpy(argv, words + 1, (size_t)argc * sizeof(*argv));
		status = start_again(r, cfg, dir, argv, argc - 1);
	} else {
		pace_complain("--resume: %s", strerror(ENOMEM));
	}
	pace_folder_command_free(words);
	free(argv);
	free(cfg);
	return status;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	struct campaign_run r = { .cmd = cmd, .cfg = arg, .argc = all_argc, .argv = all_argv };
	int status;

	if (r.cfg->resume == NULL && argc == 0)
		return pace_campaign_list(false);
	if (r.cfg->resume == NULL && argc == 1) {
		pace_complain("campaign needs a HOST to measure");
		pace_hint("see 'udpace campaign --help'");
		return PACE_EXIT_USAGE;
	}
	if (r.cfg->monitor && r.cfg->dry_run) {
		pace_complain("--monitor and --dry-run exclude each other: a dry run measures "
		    "nothing");
		return PACE_EXIT_USAGE;
	}
	if (r.cfg->measure_skipped && r.cfg->resume == NULL) {
		pace_complain("--measure-skipped needs --resume with the folder of the campaign");
		return PACE_EXIT_USAGE;
	}
	if (pace_net_contradicts(&r.cfg->net))
		return PACE_EXIT_USAGE;
	status = r.cfg->resume != NULL ? resume(&r, r.cfg->resume) : start(&r, argv[0], argv[1]);
	pace_campaign_free(&r.campaign);
	free(r.cost_ns);
	return status;
}

static const char *const examples[] = {
	"# list the installed campaigns",
	"udpace campaign",
	"# print the plan of one campaign and its duration",
	"udpace campaign udpmon-throughput-1g hostb --dry-run",
	"# measure it; after a power cut measure the rest; make the report",
	"udpace campaign udpmon-throughput-1g hostb -o scan",
	"udpace campaign --resume scan",
	"udpace report scan",
	NULL
};

const struct pace_cmd pace_cmd_campaign = {
	"campaign", "measure the steps listed in a file, such as UDPmon's "
	    "scans", "[NAME|FILE HOST]", 0, 2,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct campaign_cfg), run, "resume",
};
