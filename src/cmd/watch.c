#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "core/wire.h"
#include "daemon/scrape.h"
#include "daemon/watch_state.h"
#include "daemon/watch_status.h"
#include "doc/watched.h"
#include "live/watch_metrics.h"
#include "out/json.h"
#include "out/say.h"
#include "out/watch_text.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/facts.h"
#include "plat/notify.h"
#include "plat/root.h"
#include "run/stop.h"
#include "run/watch.h"
#include "run/watch_lines.h"
#include "run/watch_plan.h"

#define SPACING_MAX	(INT64_C(4) * PACE_SEC)	/* START has 32 bits of ns */

#define AT(field)	offsetof(struct pace_watch_opts, field)

static const struct pace_opt opts[] = {
	{ "size", 'p', PACE_OPT_NUM, AT(size), PACE_UNIT_BYTES, 64, PACE_WATCH_SIZE_MAX, "100", "SIZE",
	    "UDP payload of each frame", "Streams" },
	{ "spacing", 'w', PACE_OPT_NUM, AT(spacing), PACE_UNIT_USEC, 1000000, SPACING_MAX, "100ms",
	    "TIME", "time from one frame to the next", "Streams" },
	{ "exchange", 0, PACE_OPT_NUM, AT(exchange), PACE_UNIT_USEC, 20000000, 60 * PACE_SEC, "1s",
	    "TIME", "time from one exchange of time stamps to the next", "Streams" },
	{ "interval", 0, PACE_OPT_NUM, AT(interval), PACE_UNIT_SEC, PACE_SEC, 3600 * PACE_SEC,
	    "10s", "TIME", "length of an interval of --jsonl", "Streams" },
	{ "duration", 't', PACE_OPT_NUM, AT(duration), PACE_UNIT_SEC, PACE_SEC,
	    86400 * 366 * PACE_SEC, NULL,
	    "TIME", "end after this time; by default watch until stopped", "Streams" },
	PACE_PORT_ROW(struct pace_watch_opts),
	PACE_REACH_ROWS(struct pace_watch_opts),
	PACE_DSCP_ROW(struct pace_watch_opts),
	{ "label", 0, PACE_OPT_STR, PACE_NET_AT(struct pace_watch_opts, label), 0, 0,
	    PACE_LABEL_SIZE - 1, NULL, "TEXT", "name of this client in the responders' status",
	    "Network" },
	PACE_STAMP_ROWS(struct pace_watch_opts),
	PACE_CPU_ROW(struct pace_watch_opts, "core to run on"),
	PACE_SINK_ROWS(struct pace_watch_opts, "tables", "a path"),
	{ "metrics", 0, PACE_OPT_STR, AT(metrics), 0, 0, 0, NULL, "[ADDR:]PORT",
	    "serve the figures for Prometheus on this port; without ADDR on 127.0.0.1", "Output" },
	{ "state", 0, PACE_OPT_STR, AT(state), 0, 0, 0, NULL, "FILE",
	    "keep the counts in this file, and go on with them after a restart", "Output" },
	{ "status-socket", 0, PACE_OPT_STR, AT(status), 0, 0, 0, NULL, "PATH",
	    "Unix socket with the state of all paths, for udpace monitor --attach", "Output" },
	PACE_PRIVATE_ROW(struct pace_watch_opts),
	PACE_QUIET_ROW(struct pace_watch_opts, "do not print when a path goes down or comes back"),
};

static int
head(FILE *f, const struct pace_result *r, const struct pace_watch_plan *plan, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const struct pace_watch_opts *o = &plan->v[0].opts;

	(void)r;
	pace_say(&s, "udpace watch: %zu path%s, first: %s of data every %s, an exchange every %s\n",
	    plan->n, plan->n == 1 ? "" : "s", PACE_AS_BYTES(o->size), PACE_AS_USEC(o->spacing),
	    PACE_AS_SEC(o->exchange));
	return pace_say_end(&s);
}

static int
row_head(FILE *f, const void *plan, bool utf8)
{
	(void)plan;
	(void)f;
	(void)utf8;			/* after the watch, with the rows */
	return 0;
}

static int
row(FILE *f, const void *plan, const struct pace_watched *w, bool utf8)
{
	(void)plan;
	return pace_watch_text_row(f, w, utf8);
}

static int
block(FILE *f, const struct pace_watched *w, bool detail, bool utf8)
{
	(void)detail;
	return pace_watch_text_row(f, w, utf8);
}

PACE_SINK_KIND(watch_sink, pace_watched_to_json, pace_watch_csv_head, pace_watch_csv_row, NULL, head,
    row_head, row, block);

/* One run of the command. */
struct watching {
	const struct pace_watch_opts *opts;
	const struct pace_cmd *cmd;
	char		*const *operands;
	int		noperands;
	struct pace_watch_plan plan;
	struct pace_watch_run *run;
	struct pace_sink sink;
	struct pace_result result;
	struct pace_watched row;
	size_t		restored;		/* paths that go on with earlier counts */
	size_t		paths, measured;	/* with a last row, and those of them with figures */
	struct pace_scrape *scrape;	/* NULL: no metrics */
	struct pace_watch_status *status;	/* NULL: no status socket */
	struct pace_watch_state_file *state;		/* NULL: no --state */
	struct pace_watch_lines *lines;		/* NULL: no --jsonl */
	struct pace_notify notify;
};

/* --- metrics ---------------------------------------------------------------------------- */

static const struct pace_watched *
shown_path(void *ctx, size_t i)
{
	return &pace_watch_run_shown(((struct watching *)ctx)->run, i)->w;
}

static char *
text_for_scrape(void *ctx, size_t *size)
{
	struct watching *g = ctx;
	size_t n = pace_watch_run_lock(g->run);
	char *text = pace_watch_metrics_text(shown_path, g, n, size);

	pace_watch_run_unlock(g->run);
	return text;
}

/* Serve metrics, of which all paths have some from the begin: an exit status. */
static int
open_metrics(struct watching *g)
{
	const struct pace_scrape_cfg sc = { .text = text_for_scrape, .ctx = g };
	struct pace_err err = { .code = 0 };
	int rc;

	if (g->opts->metrics == NULL)
		return PACE_EXIT_OK;
	rc = pace_scrape_open(&g->scrape, g->opts->metrics, &sc, &err);
	if (rc == 0 && (rc = pace_scrape_begin(g->scrape)) < 0)
		(void)pace_fail(&err, -rc, "metrics");
	if (rc == 0)
		return PACE_EXIT_OK;
	pace_complain("--metrics: '%s': %s", g->opts->metrics, pace_err_why(&err));
	return err.code == EINVAL ? PACE_EXIT_USAGE : PACE_EXIT_NO_RESULT;
}

/* Create the status socket before there are threads, and serve it later: an exit status. */
static int
open_status(struct watching *g)
{
	struct pace_err err = { .code = 0 };

	if (g->opts->status == NULL || pace_watch_status_open(&g->status, g->opts->status, &err) == 0)
		return PACE_EXIT_OK;
	pace_complain("--status-socket: '%s': %s", g->opts->status, pace_err_why(&err));
	return PACE_EXIT_USAGE;
}

static int
begin_threads(struct watching *g)
{
	int rc = g->status == NULL ? 0 :
	    pace_watch_status_begin(g->status, g->run, g->result.host);

	if (rc == 0 && g->state != NULL)
		rc = pace_watch_state_begin(g->state, g->run);
	if (rc == 0 && g->sink.jsonl != NULL)
		rc = pace_watch_lines_begin(&g->lines, &g->sink);
	if (rc == 0)
		return PACE_EXIT_OK;
	pace_complain("cannot start a thread: %s", strerror(rc < 0 ? -rc : rc));
	return PACE_EXIT_NO_RESULT;
}

static bool
counted_before(void *ctx, const struct pace_watch_target *t, struct pace_watched *w)
{
	struct watching *g = ctx;
	bool found = pace_watch_state_find(g->state, t, w);

	g->restored += found;
	return found;
}

/* --- an interval ----------------------------------------------------------------------- */

static void
on_interval(void *ctx, size_t number, const struct pace_watched *w,
    const struct pace_watch_counts *span, const struct pace_watch_path *p)
{
	struct watching *g = ctx;
	struct pace_watch_span s = { .state = w->state, .counts = *span, .of = p->of_last,
	    .clock_known = w->clock_known,
	    .offset_ns = w->offset_ns, .bound_ns = w->bound_ns };

	memcpy(s.name, w->name, sizeof(s.name));
	memcpy(s.why, w->why, sizeof(s.why));
	pace_watch_lines_put(g->lines, number, &s);
}

/* --- the document ---------------------------------------------------------------------- */

static void
describe(struct watching *g, int argc, char *const *argv)
{
	struct pace_result *r = &g->result;

	r->kind = "watch";
	pace_clock_rfc3339(pace_clock_wall(), r->started, sizeof(r->started));
	r->argc = argc;
	r->argv = argv;
	if (!g->opts->net.private) {
		pace_facts_host_name(r->host);
		pace_facts_read(&r->client, pace_root_default(), "", false);
	}
	snprintf(r->client.version, sizeof(r->client.version), "%s", PACKAGE_VERSION);
}

static void
note_path(struct watching *g, const struct pace_watched *w)
{
	/* that all were lost is a figure, if the far end answers */
	bool measured = w->counts.received > 0 ||
	    (w->counts.lost > 0 && w->counts.exchanges > 0);

	g->paths++;
	g->measured += measured;
	if (!measured)
		pace_note(&g->result.notes, "no_result", "%s: %s", w->name, w->why[0] != '\0' ? w->why :
		    "the far end reported no frame");
	if (w->counts.refused > 0)
		pace_note(&g->result.notes, "refused", "%s: this host's kernel refused %" PRIu64
		    " frames", w->name, w->counts.refused);
}

/* The rows of n paths, and their delays in another table. */
static void
write_rows(struct watching *g, const struct pace_watched *(*path)(struct watching *g, size_t i),
    size_t n)
{
	bool table = pace_sink_has_table(&g->sink), utf8 = g->sink.utf8;

	if (table)
		pace_sink_check(&g->sink, pace_watch_text_row_head(stdout, utf8));
	for (size_t i = 0; i < n; i++) {
		const struct pace_watched *w = path(g, i);

		note_path(g, w);
		pace_sink_point(&g->sink, w, NULL);
	}
	if (!table)
		return;
	printf("\n");
	pace_sink_check(&g->sink, pace_watch_text_delay_head(stdout, utf8));
	for (size_t i = 0; i < n; i++)
		pace_sink_check(&g->sink, pace_watch_text_delay_row(stdout, path(g, i), utf8));
}

static const struct pace_watched *
path_now(struct watching *g, size_t i)
{
	pace_watch_run_figures(g->run, i, &g->row);
	return &g->row;
}

static const struct pace_watched *
path_ended(struct watching *g, size_t i)
{
	(void)i;
	return &g->row;
}

static void
on_ended(void *ctx, const struct pace_watched *w)
{
	struct watching *g = ctx;

	/* a pipe that nobody reads does not stop the other paths */
	if (g->lines != NULL && !pace_watch_lines_drain(g->lines)) {
		pace_notice("--jsonl is read too slowly: a path that ended is not written");
		g->sink.failed = true;
		return;
	}
	g->row = *w;
	write_rows(g, path_ended, 1);
	if (pace_sink_has_table(&g->sink))
		printf("\n");
	fflush(stdout);
}

/* Without --duration a stop is the usual end. */
static int
status_of(const struct watching *g)
{
	if (g->measured == 0)
		return PACE_EXIT_NO_RESULT;
	if (g->result.interrupted)
		return pace_stop_status();
	return g->measured < g->paths || g->sink.failed ? PACE_EXIT_PARTIAL : PACE_EXIT_OK;
}

/* --- the service -------------------------------------------------------------------------- */

static int
read_plan(void *ctx, struct pace_watch_plan *plan)
{
	struct watching *g = ctx;

	return pace_watch_plan_make(plan, g->cmd, g->opts, g->operands, g->noperands);
}

static void
on_reload(void *ctx, bool begins)
{
	struct watching *g = ctx;

	if (begins)
		pace_notify_reloading(&g->notify);
	else
		pace_notify_ready(&g->notify);
}

static void
on_alive(void *ctx)
{
	pace_notify_alive(&((struct watching *)ctx)->notify);
}

static int
watch(struct watching *g, int argc, char *const *argv)
{
	struct pace_watch_run_cfg rc = { .plan = &g->plan, .stop = &pace_stop,
	    .interval_ns = g->opts->interval, .duration_ns = g->opts->duration,
	    .quiet = g->opts->net.quiet, .again = &pace_hup,
	    .shown = g->opts->metrics != NULL || g->opts->status != NULL || g->opts->state != NULL,
	    .read_plan = read_plan, .interval = g->sink.jsonl != NULL ? on_interval : NULL, .ended = on_ended,
	    .reloading = on_reload, .alive = on_alive, .ctx = g };
	int status = open_status(g);

	if (status == PACE_EXIT_OK && g->state != NULL) {
		rc.before = counted_before;
		rc.before_ns = pace_watch_state_before(g->state);
	}
	if (status == PACE_EXIT_OK)
		status = pace_watch_run_open(&g->run, &rc);
	describe(g, argc, argv);
	if (status == PACE_EXIT_OK)
		status = open_metrics(g);
	if (status == PACE_EXIT_OK)
		status = begin_threads(g);
	if (status != PACE_EXIT_OK)
		return status;
	pace_stop_catch();
	if (pace_watch_plan_is_file(g->operands, g->noperands))
		pace_hup_catch();
	pace_sink_begin(&g->sink, &watch_sink, &g->plan, &g->result, 2);
	if (g->restored > 0)
		pace_notice("the counts of %zu of %zu paths continue", g->restored, g->plan.n);
	pace_notify_open(&g->notify);
	pace_notify_ready(&g->notify);
	pace_watch_run_go(g->run);
	pace_notify_stopping(&g->notify);
	if (g->state != NULL && pace_watch_state_end(g->state) != PACE_EXIT_OK)
		g->sink.failed = true;		/* it said why */
	pace_watch_lines_end(g->lines);
	g->lines = NULL;
	g->result.interrupted = g->opts->duration > 0 && pace_stop != 0;
	write_rows(g, path_now, pace_watch_run_paths(g->run));
	if (pace_sink_has_table(&g->sink))
		pace_sink_check(&g->sink, pace_watch_text_explain(stdout, g->sink.utf8));
	pace_sink_end(&g->sink, &g->result, NULL);
	pace_notify_close(&g->notify);
	return status_of(g);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc, char **all_argv)
{
	const struct pace_watch_opts *o = arg;
	struct watching g = { .opts = o, .cmd = cmd, .operands = argv, .noperands = argc,
	    .notify.fd = -1 };
	int status;

	if (pace_sink_contradicts(&o->sink) || pace_net_contradicts(&o->net) ||
	    (o->state != NULL && pace_sink_writes_to(&o->sink, "state", o->state)))
		return PACE_EXIT_USAGE;
	if (pace_opt_given(cmd, o, "cpu") && pace_affinity_pin((int)o->net.cpu) < 0) {
		pace_peer_no_core((int)o->net.cpu);
		return PACE_EXIT_USAGE;
	}
	status = pace_watch_plan_make(&g.plan, cmd, o, argv, argc);
	/* another watcher may have the file, and then nothing of its output is replaced */
	if (status == PACE_EXIT_OK && o->state != NULL)
		status = pace_watch_state_open(&g.state, o->state);
	if (status == PACE_EXIT_OK)
		status = pace_sink_open(&g.sink, &o->sink);
	if (status == PACE_EXIT_OK) {
		status = watch(&g, all_argc, all_argv);
		pace_sink_close(&g.sink);
	}
	pace_scrape_close(g.scrape);
	pace_watch_status_close(g.status);
	pace_watch_state_close(g.state);
	pace_watch_lines_end(g.lines);
	pace_watch_run_close(g.run);
	pace_watch_plan_free(&g.plan);
	return status;
}

static const char *const examples[] = {
	"# 10 frames/s to two hosts until Ctrl-C, then the figures of each path",
	"udpace watch hostb hostc",
	"# the paths of a file for a day, one line a path and minute",
	"udpace watch mesh.ini --interval 60s --duration 24h --jsonl mesh.jsonl",
	"# the same paths as metrics for Prometheus",
	"udpace watch mesh.ini --metrics 9235",
	"# routers with a STAMP reflector, a request each second",
	"udpace watch router1 router2 --stamp --spacing 1s",
	"# the same paths for udpace monitor --attach /tmp/mesh",
	"udpace watch mesh.ini --status-socket /tmp/mesh",
	NULL
};

const struct pace_cmd pace_cmd_watch = {
	"watch", "watch many paths at a low rate, for hours or days", "FILE|HOST...", 1,
	PACE_WATCH_PATHS, opts, sizeof(opts) / sizeof(opts[0]), examples,
	sizeof(struct pace_watch_opts), run, NULL,
};
