/*
 * udpace campaign: the steps of a file, one after the other, each a command with a
 * document of its own in one folder.
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
#include "doc/result_doc.h"
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
	    "N", "frames or requests of every point, in place of the file's", "Campaign" },
	{ "dry-run", 0, PACE_OPT_FLAG, AT(dry_run), 0, 0, 0, NULL, NULL,
	    "say what would be measured, and how long; send nothing", "Campaign" },
	{ "resume", 0, PACE_OPT_STR, AT(resume), 0, 0, 0, NULL, "DIR",
	    "measure what is missing in the folder of an earlier campaign", "Campaign" },
	{ "measure-skipped", 0, PACE_OPT_FLAG, AT(measure_skipped), 0, 0, 0, NULL, NULL,
	    "with --resume: also the points that were skipped", "Campaign" },
	PACE_NET_ROWS(struct campaign_cfg),
	PACE_CPU_ROW(struct campaign_cfg, "core for the sender"),
	PACE_LEASE_ROWS(struct campaign_cfg),
	{ "output", 'o', PACE_OPT_STR, AT(output), 0, 0, 0, NULL, "DIR",
	    "folder for the documents; else one named after campaign, host and time", "Output" },
	{ "monitor", 0, PACE_OPT_FLAG, AT(monitor), 0, 0, 0, NULL, NULL,
	    "show the points on a screen of their own as they end; q leaves that alone", "Output" },
	{ "force", 0, PACE_OPT_FLAG, AT(force), 0, 0, 0, NULL, NULL,
	    "let --output be a folder that is there, and replace what is in it", "Output" },
	PACE_PRIVATE_ROW(struct campaign_cfg),
	PACE_QUIET_ROW(struct campaign_cfg, "no progress and no notices"),
};

/* One call of the program. */
struct campaign_run {
	const struct pace_cmd *cmd;
	const struct campaign_cfg *cfg;
	struct pace_campaign campaign;
	const char	*file;		/* it was read from this one */
	const char	*host;
	char		dir[PATH_MAX];
	bool		again;		/* some of it may have been measured before */
	bool		dry;		/* only say what would be measured */
	int64_t		*cost_ns;	/* of each step, by its plan; -1: it does not tell */
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

/* Every step before the first frame of the first one: a dry run where there is one, so
 * that options which contradict each other and sizes too large for the path are found. */
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
		status = pace_opt_find(cmd, "dry-run") != NULL ? pace_words_run(&w, cmd) :
		    pace_words_parse(&w, cmd);
		if (status != PACE_EXIT_OK)
			pace_hint("in %s, [%s], which begins in line %d", r->file,
			    c->steps[i].name, c->steps[i].line);
		r->cost_ns[i] = pace_feed_cost_take();
		pace_words_free(&w);
	}
	return status;
}

static void
say_step(const struct campaign_run *r, size_t i, const char *more)
{
	printf("%s== %zu of %zu  %s%s\n\n", i > 0 ? "\n" : "", i + 1, r->campaign.n,
	    r->campaign.steps[i].name, more);
}

/* The status of a step that was measured before, to its end; -1: it was not. */
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
		pace_point_control_tell(json_array_size(skips), true);
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

static int
go_on(const struct campaign_run *r, const struct pace_cmd *cmd, const char *path)
{
	struct pace_words w;
	int status;

	if (pace_words_resume(&w, cmd, path, r->cfg->net.quiet, r->cfg->measure_skipped) < 0)
		return PACE_EXIT_NO_RESULT;
	status = pace_words_run(&w, cmd);
	pace_words_free(&w);
	return status;
}

static int
begin(const struct campaign_run *r, size_t i, const struct pace_cmd *cmd)
{
	struct pace_words w;
	int status = PACE_EXIT_OK;

	if (make_words(r, i, r->dry ? PACE_WORDS_PLAN : PACE_WORDS_MEASURE, &w) < 0)
		return PACE_EXIT_USAGE;
	if (r->dry && pace_opt_find(cmd, "dry-run") == NULL) {
		for (int k = 0; k < w.n; k++)
			printf("%s%s", k > 0 ? " " : "", w.v[k]);
		printf("\n");
	} else {
		status = pace_words_run(&w, cmd);
	}
	pace_words_free(&w);
	return status;
}

/* Are frames to be recorded, and is their file not there? */
static bool
lacks_records(const struct campaign_run *r, size_t i)
{
	const char *record = pace_step_get(&r->campaign.steps[i], "record");
	char path[PACE_FOLDER_PATH];

	pace_folder_step(path, r->dir, &r->campaign, i, ".records");
	return record != NULL && strcmp(record, "no") != 0 && access(path, F_OK) != 0;
}

/* What was measured whole takes no more time. */
static int64_t
cost_of(const struct campaign_run *r, size_t i)
{
	char path[PACE_FOLDER_PATH], journal[PACE_FOLDER_PATH];

	pace_folder_step(path, r->dir, &r->campaign, i, ".json");
	return r->again && access(path, F_OK) == 0 && pace_journal_name(path, journal,
	    sizeof(journal)) == 0 && access(journal, F_OK) != 0 ? 0 : r->cost_ns[i];
}

static void
follow_step(const struct campaign_run *r, size_t i, const struct pace_cmd *cmd)
{
	struct pace_feed_step s = { .number = i + 1, .of = r->campaign.n,
	    .name = r->campaign.steps[i].name, .command = cmd->name, .target = r->host,
	    .cost_ns = r->cost_ns[i], .after_whole = true };

	for (size_t k = i + 1; k < r->campaign.n; k++) {
		int64_t ns = cost_of(r, k);

		s.after_whole &= ns >= 0;
		s.after_ns = ns < 0 ? s.after_ns : ns > INT64_MAX - s.after_ns ? INT64_MAX : s.after_ns + ns;
	}
	pace_feed_step(&s);
}

static int
run_step(const struct campaign_run *r, size_t i)
{
	const struct pace_cmd *cmd = pace_words_command(&r->campaign.steps[i]);
	char path[PACE_FOLDER_PATH], journal[PACE_FOLDER_PATH];
	int status;

	follow_step(r, i, cmd);
	pace_folder_step(path, r->dir, &r->campaign, i, ".json");
	if (!r->again || pace_journal_name(path, journal, sizeof(journal)) < 0) {
		say_step(r, i, "");
		return begin(r, i, cmd);
	}
	status = status_before(path, r->cfg->measure_skipped);
	if (access(journal, F_OK) == 0 && status < 0) {
		say_step(r, i, ", goes on");
		return go_on(r, cmd, path);
	}
	if (lacks_records(r, i))
		status = -1;
	if (status >= 0) {
		say_step(r, i, ", measured before");
		return status;
	}
	say_step(r, i, "");
	return begin(r, i, cmd);
}

/* The status of all steps together. */
static int
together(int all, int status)
{
	if (all == PACE_EXIT_PARTIAL || status == PACE_EXIT_OK)
		return all;
	if (status == PACE_EXIT_NOT_USABLE)
		return PACE_EXIT_NOT_USABLE;
	return PACE_EXIT_PARTIAL;
}

static int
run_steps(const struct campaign_run *r)
{
	int status, all = PACE_EXIT_OK;
	size_t good = 0, skipped = 0, i;
	char title[256];
	bool alone;

	if (r->campaign.title != NULL) {
		pace_clean(title, sizeof(title), r->campaign.title, strlen(r->campaign.title));
		printf("%s\n\n", title);
	}
	for (i = 0; i < r->campaign.n; i++) {
		size_t here;

		if (pace_point_control_last && pace_stop == 0)
			pace_stop = SIGINT;
		if (pace_stop != 0)
			break;
		(void)pace_point_control_told(&alone);
		status = run_step(r, i);
		pace_point_control_rest();
		if (pace_stop != 0)
			break;
		here = pace_point_control_told(&alone);
		skipped += here;
		all = together(all, status);
		good += status == PACE_EXIT_OK || status == PACE_EXIT_NOT_USABLE || (here > 0 && alone);
		if (status == PACE_EXIT_NO_RESULT && good == 0)
			return PACE_EXIT_NO_RESULT;	/* nobody answers */
	}
	if (r->dry)
		return all;
	if (skipped > 0) {
		pace_complain("%zu %s skipped", skipped, skipped == 1 ? "point was" : "points were");
		pace_hint("udpace campaign --resume %s --measure-skipped to measure %s", r->dir,
		    skipped == 1 ? "it" : "them");
	}
	if (pace_stop != 0 || good < r->campaign.n)
		pace_complain("%zu of %zu steps are complete; udpace campaign --resume %s for the "
		    "others", good, r->campaign.n, r->dir);
	else if (!r->cfg->net.quiet)
		fprintf(stderr, "the documents are in %s; udpace report %s draws them\n",
		    r->dir, r->dir);
	return pace_stop != 0 ? pace_stop_status() : all;
}

/* What is printed at the end is printed on the terminal, as without a display. */
static int
run_and_show(const struct campaign_run *r)
{
	struct pace_campaign_show *w = r->cfg->monitor ? pace_campaign_show_begin() : NULL;
	int status = run_steps(r);

	pace_campaign_show_end(w);
	return status;
}

/* --- a new one ------------------------------------------------------------------------------- */

static int
load(struct campaign_run *r)
{
	struct pace_err err;
	int rc = pace_campaign_load(&r->campaign, r->file, &err);

	if (rc == 0)
		return PACE_EXIT_OK;
	pace_complain("%s", err.text);
	if (rc == -ENOENT)
		pace_hint("'udpace campaign' lists those that come with it");
	return rc == -EPROTO || rc == -ENOENT ? PACE_EXIT_USAGE : PACE_EXIT_NO_RESULT;
}

static int
start(struct campaign_run *r, const char *file, const char *host)
{
	char path[PATH_MAX];
	int status;

	r->file = pace_campaign_find(file, path);
	r->host = host;
	r->dry = r->cfg->dry_run;
	if (r->cfg->output == NULL)
		pace_folder_name(r->dir, r->file, r->host);
	else if ((size_t)snprintf(r->dir, sizeof(r->dir), "%s", r->cfg->output) >= sizeof(r->dir)) {
		pace_complain("--output: %s", strerror(ENAMETOOLONG));
		return PACE_EXIT_USAGE;
	}
	status = load(r);
	if (status == PACE_EXIT_OK)
		status = check_steps(r);
	if (status == PACE_EXIT_OK && !r->dry)
		status = pace_folder_make(&(struct pace_folder){ .dir = r->dir, .file = r->file,
		    .force = r->cfg->force, .argc = r->argc, .argv = r->argv });
	if (status == PACE_EXIT_OK && !(r->dry && r->cfg->net.quiet))
		status = run_and_show(r);
	return status;
}

/* --- --resume --------------------------------------------------------------------------------------- */

/* As it was called first, but with the file's copy. */
static int
start_again(struct campaign_run *r, struct campaign_cfg *cfg, const char *dir, char **argv, int argc)
{
	char file[PACE_FOLDER_PATH];
	int status, first = pace_opt_parse(r->cmd, cfg, argc, argv);

	if (first < 0 || first + 2 > argc) {
		pace_complain("--resume: the command line in %s/campaign.command is not understood", dir);
		return PACE_EXIT_NO_RESULT;
	}
	pace_folder_copy(file, dir);
	snprintf(r->dir, sizeof(r->dir), "%s", dir);
	cfg->net.quiet |= r->cfg->net.quiet;
	cfg->monitor = r->cfg->monitor;
	cfg->measure_skipped = r->cfg->measure_skipped;
	r->cfg = cfg;
	r->again = true;
	r->host = argv[first + 1];
	r->file = file;
	status = load(r);
	if (status == PACE_EXIT_OK)
		status = check_steps(r);
	return status == PACE_EXIT_OK ? run_and_show(r) : status;
}

static int
resume(struct campaign_run *r, const char *dir)
{
	struct campaign_cfg *cfg;
	char **words, **argv;		/* parsing changes the order of argv */
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
		return pace_campaign_list();
	if (r.cfg->resume == NULL && argc == 1) {
		pace_complain("campaign needs a HOST to measure to");
		pace_hint("see 'udpace campaign --help'");
		return PACE_EXIT_USAGE;
	}
	if (r.cfg->monitor && r.cfg->dry_run) {
		pace_complain("--monitor and --dry-run exclude each other: nothing is measured");
		return PACE_EXIT_USAGE;
	}
	if (r.cfg->measure_skipped && r.cfg->resume == NULL) {
		pace_complain("--measure-skipped needs --resume: the campaign with points that were "
		    "skipped");
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
	"# which campaigns there are",
	"udpace campaign",
	"# what one would measure, and how long it would take",
	"udpace campaign udpmon-throughput-1g hostb --dry-run",
	"# measure it; after a power cut measure the rest, and draw it",
	"udpace campaign udpmon-throughput-1g hostb -o scan",
	"udpace campaign --resume scan",
	"udpace report scan",
	NULL
};

const struct pace_cmd pace_cmd_campaign = {
	"campaign", "measure the steps of a file, such as UDPmon's scans", "[NAME|FILE HOST]", 0, 2,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct campaign_cfg), run, "resume",
};
