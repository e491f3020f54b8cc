#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "core/wire.h"
#include "daemon/scrape.h"
#include "doc/watched.h"
#include "live/watch_metrics.h"
#include "out/json.h"
#include "out/say.h"
#include "out/watch_text.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/facts.h"
#include "plat/root.h"
#include "run/stop.h"
#include "run/watch.h"
#include "run/watch_plan.h"

#define SEC		INT64_C(1000000000)
#define SPACING_MAX	(INT64_C(4) * SEC)	/* START has 32 bits of ns */

#define AT(field)	offsetof(struct pace_watch_opts, field)

static const struct pace_opt opts[] = {
	{ "size", 'p', PACE_OPT_NUM, AT(size), PACE_UNIT_BYTES, 64, PACE_WATCH_SIZE_MAX, "100", "SIZE",
	    "UDP payload of each frame", "Streams" },
	{ "spacing", 'w', PACE_OPT_NUM, AT(spacing), PACE_UNIT_USEC, 1000000, SPACING_MAX, "100ms",
	    "TIME", "time from one frame to the next", "Streams" },
	{ "exchange", 0, PACE_OPT_NUM, AT(exchange), PACE_UNIT_USEC, 20000000, 60 * SEC, "1s", "TIME",
	    "time from one exchange of time stamps to the next", "Streams" },
	{ "interval", 0, PACE_OPT_NUM, AT(interval), PACE_UNIT_SEC, SEC, 3600 * SEC, "10s", "TIME",
	    "length of an interval of --jsonl", "Streams" },
	{ "duration", 't', PACE_OPT_NUM, AT(duration), PACE_UNIT_SEC, SEC, 86400 * 366 * SEC, NULL,
	    "TIME", "end after this time; by default watch until stopped", "Streams" },
	PACE_PORT_ROW(struct pace_watch_opts),
	PACE_REACH_ROWS(struct pace_watch_opts),
	PACE_DSCP_ROW(struct pace_watch_opts),
	{ "label", 0, PACE_OPT_STR, PACE_NET_AT(struct pace_watch_opts, label), 0, 0,
	    PACE_LABEL_SIZE - 1, NULL, "TEXT", "name of this client in the responders' status",
	    "Network" },
	PACE_CPU_ROW(struct pace_watch_opts, "core to run on"),
	PACE_SINK_ROWS(struct pace_watch_opts, "tables", "a path"),
	{ "metrics", 0, PACE_OPT_STR, AT(metrics), 0, 0, 0, NULL, "[ADDR:]PORT",
	    "serve the figures for Prometheus on this port; without ADDR on 127.0.0.1", "Output" },
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
	struct pace_watch_plan plan;
	struct pace_watch_run *run;
	struct pace_sink sink;
	struct pace_result result;
	size_t		measured;	/* paths with figures */
	struct pace_scrape *scrape;	/* NULL: no metrics */
	pthread_mutex_t	lock;		/* of seen */
	struct pace_watched *seen;	/* for metrics: each path at the end of its last interval */
};

/* --- metrics ---------------------------------------------------------------------------- */

static const struct pace_watched *
seen_path(void *ctx, size_t i)
{
	return &((struct watching *)ctx)->seen[i];
}

static char *
text_for_scrape(void *ctx, size_t *size)
{
	struct watching *g = ctx;
	char *text;

	pthread_mutex_lock(&g->lock);
	text = pace_watch_metrics_text(seen_path, g, g->plan.n, size);
	pthread_mutex_unlock(&g->lock);
	return text;
}

/* The thread that sends never waits for a reader: then the next interval shows it. */
static void
show(struct watching *g, size_t i, const struct pace_watched *w)
{
	if (g->scrape == NULL || pthread_mutex_trylock(&g->lock) != 0)
		return;
	g->seen[i] = *w;
	pthread_mutex_unlock(&g->lock);
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
	g->seen = calloc(g->plan.n, sizeof(*g->seen));
	rc = g->seen == NULL ? pace_fail(&err, ENOMEM, "metrics") :
	    pace_scrape_open(&g->scrape, g->opts->metrics, &sc, &err);
	for (size_t i = 0; i < g->plan.n && rc == 0; i++)
		pace_watch_run_figures(g->run, i, &g->seen[i]);
	if (rc == 0 && (rc = pace_scrape_begin(g->scrape)) < 0)
		(void)pace_fail(&err, -rc, "metrics");
	if (rc == 0)
		return PACE_EXIT_OK;
	pace_complain("--metrics: '%s': %s", g->opts->metrics, pace_err_why(&err));
	return err.code == EINVAL ? PACE_EXIT_USAGE : PACE_EXIT_NO_RESULT;
}

/* --- an interval ----------------------------------------------------------------------- */

static void
on_interval(void *ctx, size_t i, const struct pace_watched *w, const struct pace_watch_counts *span,
    const struct pace_watch_path *p)
{
	struct watching *g = ctx;
	struct pace_watch_span s = { .state = w->state, .counts = *span, .rtt = p->rtt_last,
	    .up = p->up_last, .down = p->down_last, .clock_known = w->clock_known,
	    .offset_ns = w->offset_ns, .bound_ns = w->bound_ns };

	show(g, i, w);
	memcpy(s.name, w->name, sizeof(s.name));
	memcpy(s.why, w->why, sizeof(s.why));
	if (g->sink.jsonl != NULL)
		pace_sink_fail(&g->sink, pace_jsonl_point(g->sink.jsonl, "interval", i,
		    pace_watch_span_to_json(&s)), "--jsonl");
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
	bool measured = w->counts.received > 0;

	g->measured += measured;
	if (!measured)
		pace_note(&g->result.notes, "no_result", "%s: %s", w->name, w->why[0] != '\0' ? w->why :
		    "the far end reported no frame");
	if (w->counts.refused > 0)
		pace_note(&g->result.notes, "refused", "%s: this host's kernel refused %" PRIu64
		    " frames", w->name, w->counts.refused);
}

static void
write_paths(struct watching *g)
{
	bool table = pace_sink_has_table(&g->sink);
	struct pace_watched w;

	if (table)
		pace_sink_check(&g->sink, pace_watch_text_row_head(stdout, g->sink.utf8));
	for (size_t i = 0; i < g->plan.n; i++) {
		pace_watch_run_figures(g->run, i, &w);
		note_path(g, &w);
		pace_sink_point(&g->sink, &w, NULL);
	}
	if (!table)
		return;
	printf("\n");
	pace_sink_check(&g->sink, pace_watch_text_delay_head(stdout, g->sink.utf8));
	for (size_t i = 0; i < g->plan.n; i++) {
		pace_watch_run_figures(g->run, i, &w);
		pace_sink_check(&g->sink, pace_watch_text_delay_row(stdout, &w, g->sink.utf8));
	}
	pace_sink_check(&g->sink, pace_watch_text_explain(stdout, g->sink.utf8));
}

/* Without --duration a stop is the usual end. */
static int
status_of(const struct watching *g)
{
	if (g->measured == 0)
		return PACE_EXIT_NO_RESULT;
	if (g->result.interrupted)
		return pace_stop_status();
	return g->measured < g->plan.n || g->sink.failed ? PACE_EXIT_PARTIAL : PACE_EXIT_OK;
}

static int
watch(struct watching *g, int argc, char *const *argv)
{
	const struct pace_watch_run_cfg rc = { .plan = &g->plan, .stop = &pace_stop,
	    .interval_ns = g->opts->interval, .duration_ns = g->opts->duration,
	    .quiet = g->opts->net.quiet, .interval = on_interval, .ctx = g };
	int status = pace_watch_run_open(&g->run, &rc);

	if (status == PACE_EXIT_OK)
		status = open_metrics(g);
	if (status != PACE_EXIT_OK)
		return status;
	pace_stop_catch();
	describe(g, argc, argv);
	pace_sink_begin(&g->sink, &watch_sink, &g->plan, &g->result, 2);
	pace_watch_run_go(g->run);
	g->result.interrupted = g->opts->duration > 0 && pace_stop != 0;
	write_paths(g);
	pace_sink_end(&g->sink, &g->result, NULL);
	return status_of(g);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc, char **all_argv)
{
	const struct pace_watch_opts *o = arg;
	struct watching g = { .opts = o, .lock = PTHREAD_MUTEX_INITIALIZER };
	int status;

	if (pace_sink_contradicts(&o->sink) || pace_net_contradicts(&o->net))
		return PACE_EXIT_USAGE;
	if (pace_opt_given(cmd, o, "cpu") && pace_affinity_pin((int)o->net.cpu) < 0) {
		pace_peer_no_core((int)o->net.cpu);
		return PACE_EXIT_USAGE;
	}
	status = pace_watch_plan_make(&g.plan, cmd, o, argv, argc);
	if (status == PACE_EXIT_OK)
		status = pace_sink_open(&g.sink, &o->sink);
	if (status == PACE_EXIT_OK) {
		status = watch(&g, all_argc, all_argv);
		pace_sink_close(&g.sink);
	}
	pace_scrape_close(g.scrape);
	free(g.seen);
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
	NULL
};

const struct pace_cmd pace_cmd_watch = {
	"watch", "watch many paths at a low rate, for hours or days", "FILE|HOST...", 1,
	PACE_WATCH_PATHS, opts, sizeof(opts) / sizeof(opts[0]), examples,
	sizeof(struct pace_watch_opts), run, NULL,
};
