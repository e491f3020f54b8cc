/*
 * demo - runs responder and client in one program, over loopback.  The figures are
 * those of this host's own stack; the purpose is to show what udpace measures.
 */
#include "config.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmds.h"
#include "core/schedule.h"
#include "daemon/serve.h"
#include "doc/result_doc.h"
#include "opt/call.h"
#include "out/say.h"
#include "plat/thread.h"
#include "report/gnuplot.h"
#include "run/streams.h"

struct demo_cfg {
	struct pace_given given;
	const char	*output;
	bool		quiet;
};

#define AT(field)	offsetof(struct demo_cfg, field)

static const struct pace_opt opts[] = {
	{ "output", 'o', PACE_OPT_STR, AT(output), 0, 0, 0, "udpace-demo.json", "FILE",
	    "file for the JSON document; replaces an older result", "Output" },
	{ "quiet", 'q', PACE_OPT_FLAG, AT(quiet), 0, 0, 0, NULL, NULL,
	    "print no progress and no notices", "Output" },
};

static const uint32_t sizes[] = { 64, 512, 1472 };
static const int64_t spacings_ns[] = { 5000, 10000, 20000, 50000 };

#define SIZES		(sizeof(sizes) / sizeof(sizes[0]))
#define SPACINGS	(sizeof(spacings_ns) / sizeof(spacings_ns[0]))

static volatile sig_atomic_t over;	/* ends the responder */

static struct pace_params
make_ask(uint32_t size, int64_t spacing_ns, uint64_t count)
{
	return (struct pace_params){ .size_bytes = size,
	    .spacing = pace_spacing_from_ns(spacing_ns), .count = count, .train = 1,
	    .repeats = 1, .bursts = 1, .streams = 1, .verify = true, .grace_ns = 200000000 };
}

static void *
serve(void *arg)
{
	pace_serve_run(arg);
	return NULL;
}

/* The responder's thread blocks signals; the client handles them. */
static int
start_responder(struct pace_serve *s, pthread_t *thread)
{
	struct pace_serve_cfg cfg = { .bind = { .family = 4, .ip = { 127, 0, 0, 1 } },
	    .max_sessions = 4, .max_light = 16, .max_records = PACE_RECORDS_DEFAULT, .cpu = -1, .stop = &over };
	struct pace_err err = { .code = 0 };
	int rc;

	if (pace_serve_open(s, &cfg, &err) < 0) {
		pace_complain("the demo's responder: %s: %s", err.step, strerror(err.code));
		return -1;
	}
	rc = pace_thread_start(thread, serve, s);
	if (rc == 0)
		return 0;
	pace_complain("the demo's responder: %s", strerror(-rc));
	(void)pace_serve_close(s);
	return -1;
}

/* Make the report by running udpace, as a user would. */
static int
draw(const struct demo_cfg *cfg)
{
	char program[] = "udpace", command[] = "report", end[] = "--", file[PATH_MAX];
	char *all[] = { program, command, end, file, NULL }, *argv[] = { command, end, file, NULL };

	if (!pace_gnuplot_is_there()) {
		printf("With gnuplot installed, 'udpace report %s' draws it.\n", cfg->output);
		return PACE_EXIT_OK;
	}
	if ((size_t)snprintf(file, sizeof(file), "%s", cfg->output) >= sizeof(file))
		return PACE_EXIT_PARTIAL;
	return pace_call(&pace_cmd_report, 3, argv, 4, all);
}

/* Print the last line: the result of the sweep. */
static void
conclude(const struct pace_rated *clean)
{
	if (clean->user_bps > 0)
		printf("Conclusion: this host received up to %s of data without loss, in frames of "
		    "%u bytes.\n", PACE_AS_BPS(clean->user_bps), clean->size_bytes);
	else
		printf("Conclusion: every rate had loss.\n");
}

static int
probe(const struct demo_cfg *cfg, const struct pace_serve *s, int argc, char **argv)
{
	struct pace_params one = make_ask(1472, 20000, 100000);
	struct pace_params sweep[SIZES * SPACINGS];
	struct pace_streams_cfg pc = { .probe = { .argc = argc, .argv = argv,
	    .peer = { .host = "127.0.0.1", .port = s->port, .cpu = -1,
	    .sndbuf_bytes = 16 << 20, .rcvbuf_bytes = 16 << 20, .quiet = cfg->quiet } },
	    .max_loss = -1, .size_given = true, .asks = &one, .n = 1 };
	struct pace_rated clean = { .user_bps = 0 };
	int status, drawn;

	printf("One stream over loopback, from this host to itself.\n\n");
	status = pace_streams_run(&pc);
	if (status > 1)
		return status;
	for (size_t i = 0; i < SIZES * SPACINGS; i++)
		sweep[i] = make_ask(sizes[i / SPACINGS], spacings_ns[i % SPACINGS], 20000);
	pc.asks = sweep;
	pc.n = SIZES * SPACINGS;
	pc.clean = &clean;
	pc.probe.sink.output = cfg->output;
	pc.probe.sink.force = true;
	printf("\nA small sweep: %zu sizes, %zu spacings.\n\n", SIZES, SPACINGS);
	status = pace_streams_run(&pc);
	if (status > 1)
		return status;
	printf("\nThe sweep's document is in %s; udpace-result(5) explains it.\n", cfg->output);
	drawn = draw(cfg);
	conclude(&clean);
	return drawn;
}

/* Without --force, only an older result is replaced. */
static bool
may_replace(const char *path)
{
	struct pace_err err;
	struct stat st;
	json_t *doc;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return true;
	if (pace_result_load(path, &doc, &err) == 0) {
		json_decref(doc);
		return true;
	}
	pace_complain("--output: '%s' already exists and is not a result of udpace", path);
	pace_hint("use another name");
	return false;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	static struct pace_serve s;		/* static because it is large */
	pthread_t thread;
	int status;

	(void)cmd; (void)argc; (void)argv;
	if (!may_replace(((const struct demo_cfg *)arg)->output))
		return PACE_EXIT_USAGE;
	if (start_responder(&s, &thread) < 0)
		return PACE_EXIT_NO_RESULT;
	status = probe(arg, &s, all_argc, all_argv);
	over = 1;
	pthread_join(thread, NULL);
	(void)pace_serve_close(&s);	/* *s is static */
	/* The demo sets no requirements, so degraded figures are no failure. */
	return status == PACE_EXIT_NOT_USABLE ? PACE_EXIT_OK : status;
}

static const char *const examples[] = {
	"# client and responder on this host: a table and a document",
	"udpace demo",
	"# another file for the document",
	"udpace demo -o /tmp/loopback.json",
	NULL
};

const struct pace_cmd pace_cmd_demo = {
	"demo", "measure against a responder on this host", "", 0, 0,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct demo_cfg), run, NULL,
};
