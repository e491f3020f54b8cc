/*
 * monitor - shows a stream of its own live, the sessions of a responder on this host,
 * or a recording of either.
 */
#include "config.h"

#include "ui/monitor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "live/live_run.h"
#include "out/glyph.h"
#include "plat/clock.h"
#include "run/peer.h"
#include "run/plan.h"
#include "run/sink.h"
#include "run/stop.h"
#include "ui/line.h"
#include "ui/theme.h"
#include "ui/view.h"

#define SOCKET		"/run/udpace/status"	/* default socket */
#define SUMMARY_ROWS	10
#define REQUESTS_NS	(100 * PACE_MS)		/* from one STAMP request to the next */
#define REQUESTS_LEAST_NS	PACE_MS

/* Options of the monitor's own stream. */
struct monitor_stream {
	struct pace_list size, spacing, rate;
	int64_t		streams, stagger, train, duration_ns, ping_ns;
	bool		reverse, two_way, verify, busy_poll;
};

struct monitor_cfg {
	struct pace_given given;
	bool		attach, plain, force, ascii, braille;
	const char	*replay, *jsonl, *dump;
	int64_t		speed, from_ns, interval_ns, give_up_ns, count, unit, page, theme, colour;
	struct monitor_stream stream;
	struct pace_net_opts net;
};

#define AT(field)	offsetof(struct monitor_cfg, field)

static const struct pace_opt opts[] = {
	{ "attach", 0, PACE_OPT_FLAG, AT(attach), 0, 0, 0, NULL, NULL,
	    "show the sessions of a responder, or the paths of a watcher, on this host; SOCKET: its "
	    "--status-socket, by default " SOCKET, "Source" },
	{ "replay", 0, PACE_OPT_STR, AT(replay), 0, 0, 0, NULL, "FILE",
	    "show a recording made with --jsonl; - is stdin", "Source" },
	{ "interval", 0, PACE_OPT_NUM, AT(interval_ns), PACE_UNIT_SEC, PACE_SEC / 10, 60 * PACE_SEC,
	    "1s", "TIME", "of HOST and --attach: time from one update to the next", "Source" },
	{ "give-up", 0, PACE_OPT_NUM, AT(give_up_ns), PACE_UNIT_SEC, PACE_SEC, 10000 * PACE_HOUR,
	    NULL, "TIME",
	    "of HOST and --attach: end after an outage of this length; by default no outage ends "
	    "it", "Source" },
	{ "speed", 0, PACE_OPT_NUM, AT(speed), PACE_UNIT_COUNT, 0, 1000000, "1", "FACTOR",
	    "of --replay: speed relative to the recording; 0: without delay", "Source" },
	{ "from", 0, PACE_OPT_NUM, AT(from_ns), PACE_UNIT_SEC, 0, 100000000 * PACE_SEC, NULL,
	    "TIME", "of --replay: begin this long after the start", "Source" },
	{ "size", 'p', PACE_OPT_LIST, AT(stream.size), PACE_UNIT_BYTES, PACE_HDR_SIZE,
	    PACE_FRAME_MAX, "1472", "SIZE", "UDP payload of a frame", "Stream" },
	{ "spacing", 'w', PACE_OPT_LIST, AT(stream.spacing), PACE_UNIT_USEC, 0, PACE_SPACING_MAX_NS,
	    "1ms", "TIME", "time from one frame to the next; 0: as fast as possible", "Stream" },
	{ "rate", 'r', PACE_OPT_LIST, AT(stream.rate), PACE_UNIT_BPS, 1, INT64_C(1000000000000),
	    NULL, "RATE", "user data rate, instead of --spacing", "Stream" },
	{ "streams", 'P', PACE_OPT_NUM, AT(stream.streams), PACE_UNIT_COUNT, 1, PACE_STREAMS, "1",
	    "N", "streams at once, each with its own port, size and spacing, and each shown", "Stream" },
	{ "stagger", 0, PACE_OPT_CHOICE, AT(stream.stagger), 0, 0, 2, "even", "even|random|none",
	    "begin of the streams within one spacing; none: all at once", "Stream" },
	{ "duration", 't', PACE_OPT_NUM, AT(stream.duration_ns), PACE_UNIT_SEC, PACE_SEC,
	    10000 * PACE_HOUR,
	    NULL, "TIME", "end after this time; without it, run until it is quit", "Stream" },
	{ "reverse", 'R', PACE_OPT_FLAG, AT(stream.reverse), 0, 0, 0, NULL, NULL,
	    "the responder sends, and this host receives", "Stream" },
	{ "two-way", 0, PACE_OPT_FLAG, AT(stream.two_way), 0, 0, 0, NULL, NULL,
	    "both hosts send at the same time; each direction is a session of the display", "Stream" },
	{ "train", 0, PACE_OPT_NUM, AT(stream.train), PACE_UNIT_COUNT, 0, 65536, "0", "N",
	    "send N frames back to back every N spacings; 0: 1, or the maximum at spacing "
	    "0", "Stream" },
	{ "ping", 0, PACE_OPT_NUM, AT(stream.ping_ns), PACE_UNIT_SEC, PACE_MS, PACE_SEC, "10ms",
	    "TIME", "interval of round-trip measurements during the stream", "Stream" },
	{ "verify", 0, PACE_OPT_FLAG, AT(stream.verify), 0, 0, 0, NULL, NULL,
	    "check every payload and count corrupted frames", "Stream" },
	PACE_NET_ROWS(struct monitor_cfg),
	PACE_MARK_ROWS(struct monitor_cfg),
	PACE_DSCP_ROW(struct monitor_cfg),
	PACE_BUFFER_ROWS(struct monitor_cfg),
	PACE_STAMP_ROWS(struct monitor_cfg),
	PACE_CPU_ROW(struct monitor_cfg, "core for the sender, with --reverse for the receiver, "
	    "with --two-way for both; the display uses other cores"),
	{ "busy-poll", 0, PACE_OPT_FLAG, AT(stream.busy_poll), 0, 0, 0, NULL, NULL,
	    "let neither the receiver nor this sender sleep between frames", "Host" },
	PACE_LEASE_ROWS(struct monitor_cfg),
	{ "plain", 0, PACE_OPT_FLAG, AT(plain), 0, 0, 0, NULL, NULL,
	    "print one line per interval, without moving the cursor", "Output" },
	{ "dump-screen", 0, PACE_OPT_STR, AT(dump), 0, 0, 0, NULL, "SIZE",
	    "print only the final screen, for example at 80x24",
	    "Output" },
	{ "units", 0, PACE_OPT_CHOICE, AT(unit), 0, 0, 2, "wire", "wire|ip|data",
	    "layer of rates: frames on the wire, IP packets, or UDP payload", "Output" },
	{ "count", 0, PACE_OPT_NUM, AT(count), PACE_UNIT_COUNT, 1, 1000000000, NULL, "N",
	    "end after this number of intervals", "Output" },
	{ "jsonl", 0, PACE_OPT_STR, AT(jsonl), 0, 0, 0, NULL, "FILE",
	    "record the display for --replay; - is stdout, without other output",
	    "Output" },
	{ "force", 0, PACE_OPT_FLAG, AT(force), 0, 0, 0, NULL, NULL,
	    "let --jsonl replace an existing file", "Output" },
	{ "view", 0, PACE_OPT_CHOICE, AT(page), 0, 0, 7, "overview",
	    "overview|rate|histogram|sweep|host|streams|events|help",
	    "view shown first", "Screen" },
	{ "ascii", 0, PACE_OPT_FLAG, AT(ascii), 0, 0, 0, NULL, NULL,
	    "use ASCII characters only, no lines and no blocks", "Screen" },
	{ "braille", 0, PACE_OPT_FLAG, AT(braille), 0, 0, 0, NULL, NULL,
	    "draw graphs with braille characters, at twice the resolution", "Screen" },
	{ "color", 0, PACE_OPT_CHOICE, AT(colour), 0, 0, 2, "auto", "auto|always|never",
	    "use of colour; auto: unless NO_COLOR is set", "Screen" },
	{ "theme", 0, PACE_OPT_CHOICE, AT(theme), 0, 0, 3, "default",
	    "default|contrast|mono|red-free", "colours", "Screen" },
};

/* --- start and end --------------------------------------------------------- */

/* --- our own stream -------------------------------------------------------- */

/* Was an option for our own stream given? */
static const char *const names[] = { "size", "spacing", "rate", "reverse", "two-way", "streams",
	"stagger", "train", "duration", "ping", "verify", "busy-poll", "sndbuf", "rcvbuf", "port",
	"source-port", "ipv4", "ipv6", "ttl", "source", "interface", "ecn", "flow-label", "priority",
	"key", "dscp", "cpu", "label", "no-wait", "stamp", "twamp-light", "stamp-key" };

/* Options that need a responder. */
static const char *const not_stamp[] = { "rate", "reverse", "two-way", "streams", "stagger", "train",
	"ping", "verify", "busy-poll", "sndbuf", "rcvbuf", "key", "label", "no-wait", NULL };

/* Requests to a STAMP reflector take the place of the stream: an exit status. */
static int
make_requests(const struct pace_cmd *cmd, const struct monitor_cfg *cfg, struct pace_live_cfg *live)
{
	int64_t spacing_ns;

	if (!cfg->net.stamp)
		return PACE_EXIT_OK;
	if (live->size_given && pace_stamp_size_contradicts(&cfg->net, live->ask.size_bytes))
		return PACE_EXIT_USAGE;
	if (!pace_opt_given(cmd, cfg, "spacing"))
		live->ask.spacing = pace_spacing_from_ns(REQUESTS_NS);
	spacing_ns = pace_spacing_ns(live->ask.spacing);
	if (spacing_ns < REQUESTS_LEAST_NS) {
		pace_complain("--spacing: with --stamp, requests are at least 1 ms apart");
		return PACE_EXIT_USAGE;
	}
	live->ping_ns = spacing_ns;	/* exchanges are the requests */
	return PACE_EXIT_OK;
}

/* Make the stream from the options: an exit status.  The caller sets interval_ns and peer. */
static int
make_stream(const struct pace_cmd *cmd, const struct monitor_cfg *cfg, struct pace_live_cfg *live)
{
	const struct monitor_stream *s = &cfg->stream;
	const struct pace_list dscps = { .n = 1, .v = { cfg->net.dscp } };
	const struct pace_plan_cfg pc = {
		.size = &s->size, .spacing = &s->spacing, .dscp = &dscps,
		.rate = pace_opt_given(cmd, cfg, "rate") ? &s->rate : NULL,
		.repeats = 1, .train = (uint64_t)s->train,
		.each = { .direction = s->reverse ? PACE_DOWN : PACE_UP, .two_way = s->two_way,
		    .ecn = (enum pace_ecn)cfg->net.ecn, .duration_ns = 1, .bursts = 1,
		    .streams = (uint32_t)s->streams, .stagger = (enum pace_stagger)s->stagger,
		    .verify = s->verify,
		    .busy_poll = s->busy_poll },
	};
	struct pace_params *plan;
	size_t n = 0;

	if (pace_opt_both(cmd, cfg, "spacing", "rate", "each sets the spacing") ||
	    pace_opt_both(cmd, cfg, "two-way", "reverse",
	    "--two-way includes the reverse direction"))
		return PACE_EXIT_USAGE;
	if (s->streams < 2 && pace_opt_given(cmd, cfg, "stagger")) {
		pace_complain("--stagger needs several streams: give --streams");
		return PACE_EXIT_USAGE;
	}
	plan = pace_plan_make(&pc, &n);
	if (plan == NULL)
		return PACE_EXIT_USAGE;
	live->ask = plan[0];
	free(plan);
	if (n != 1) {
		pace_complain("%s watches one stream: give one value for --size, --spacing or "
		    "--rate", cmd->name);
		return PACE_EXIT_USAGE;
	}
	live->size_given = pace_opt_given(cmd, cfg, "size");
	live->ping_ns = s->ping_ns;
	live->duration_ns = pace_opt_given(cmd, cfg, "duration") ? s->duration_ns : 0;
	return make_requests(cmd, cfg, live);
}

static int
open_live(struct monitor *m, const struct pace_cmd *cmd, const struct monitor_cfg *cfg,
    const char *host)
{
	struct pace_live_cfg live = { .peer = pace_peer_cfg(cmd, cfg, &cfg->net, host),
	    .interval_ns = cfg->interval_ns, .give_up_ns = m->give_up_ns };
	int status = pace_net_contradicts(&cfg->net) || pace_stamp_contradicts(cmd, cfg, &cfg->net,
	    not_stamp) ? PACE_EXIT_USAGE : make_stream(cmd, cfg, &live);

	live.peer.receives = cfg->stream.reverse || cfg->stream.two_way;
	if (status == PACE_EXIT_OK)
		status = pace_live_begin(&m->live, &live);
	if (status == PACE_EXIT_OK && pace_status_source_made(&m->lines, pace_live_fd(m->live),
	    pace_live_next, m->live) < 0) {
		pace_complain("out of memory");
		status = PACE_EXIT_NO_RESULT;
	}
	return status;
}

static int
open_lines(struct monitor *m, const struct pace_cmd *cmd, const struct monitor_cfg *cfg,
    const char *operand)
{
	struct pace_err err = { .code = 0 };
	const char *socket = operand != NULL ? operand : SOCKET;
	int rc;

	if (!cfg->attach && cfg->replay == NULL)
		return open_live(m, cmd, cfg, operand);
	rc = cfg->attach ? pace_status_source_attach(&m->lines, socket, cfg->interval_ns, &err) :
	    pace_status_source_replay(&m->lines, cfg->replay, m->ui.speed, &err);

	if (rc < 0 && !cfg->attach) {
		pace_complain("--replay: '%s' cannot be read: %s", cfg->replay, strerror(-rc));
		return PACE_EXIT_NO_RESULT;
	}
	if (rc < 0) {
		bool nobody = rc == -ENOENT || rc == -ECONNREFUSED;

		pace_complain("%s: %s", socket, nobody ?
		    "no responder and no watcher has this status socket" : strerror(-rc));
		if (nobody)
			pace_hint("start one with \"udpace respond --status-socket %s\" or "
			    "\"udpace watch HOST... --status-socket %s\"", socket, socket);
		return PACE_EXIT_NO_RESULT;
	}
	m->bad = pace_status_source_refused(m->lines);
	if (cfg->from_ns > 0) {
		m->from_ns = pace_status_source_first(m->lines) + cfg->from_ns;
		pace_status_source_seek(m->lines, m->from_ns, pace_clock_raw());
	}
	return PACE_EXIT_OK;
}

static int
open_record(struct monitor *m, const struct monitor_cfg *cfg)
{
	m->record_name = cfg->jsonl;
	if (cfg->jsonl == NULL)
		return PACE_EXIT_OK;
	m->record = strcmp(cfg->jsonl, "-") == 0 ? stdout : fopen(cfg->jsonl, "we");
	if (m->record != NULL)
		return PACE_EXIT_OK;
	pace_complain("--jsonl: '%s' cannot be written: %s", cfg->jsonl, strerror(errno));
	return PACE_EXIT_USAGE;
}

/* Report errors; return the exit status. */
static int
judge(struct monitor *m)
{
	int status = pace_stop != 0 ? pace_stop_status() : PACE_EXIT_OK;
	char said[4 * sizeof(m->snap->error)];

	if (m->live != NULL && pace_stop == 0)
		status = pace_live_judge(m->live);
	if (m->gave_up && pace_stop == 0) {
		pace_complain("no responder has returned for %s, the time of --give-up",
		    pace_print(PACE_UNIT_SEC, (double)m->give_up_ns, said, sizeof(said)));
		status = PACE_EXIT_NO_RESULT;
	}
	if (m->over < 0 && m->over != -ENODATA) {
		pace_complain("the sessions cannot be shown: %s", strerror(-m->over));
		status = PACE_EXIT_NO_RESULT;
	}
	if (m->snap->error[0] != '\0')
		pace_complain("the responder says: %s",
		    pace_glyph_clean(m->snap->error, m->utf8, said, sizeof(said)));
	if (m->dropped > 0)
		pace_complain("the responder disconnected this reader %llu times; after "
		    "reconnecting, lines are missing", (unsigned long long)m->dropped);
	if (m->bad > 0)
		pace_complain("%llu lines were ignored, because they are not lines of "
		    PACE_STATUS_SCHEMA, (unsigned long long)m->bad);
	if (m->snap->lines == 0 && m->snap->sweep == NULL && pace_stop == 0 &&
	    status == PACE_EXIT_OK) {
		pace_complain("the input has no session");
		status = PACE_EXIT_NO_RESULT;
	}
	if (m->record_failed != 0 && m->on_screen)
		pace_complain("--jsonl: '%s': %s", m->record_name, m->ui.record_error);
	if ((m->record_failed != 0 || (m->dropped > 0 && m->record != NULL)) &&
	    status == PACE_EXIT_OK)
		status = PACE_EXIT_PARTIAL;
	return status;
}

/* "80x24": columns and rows. */
static bool
parse_size(const char *text, int *rows, int *cols)
{
	int end = 0;

	return sscanf(text, "%4dx%4d%n", cols, rows, &end) == 2 && text[end] == '\0' &&
	    *cols >= 1 && *rows >= 1 && *cols <= PACE_CANVAS_MOST && *rows <= PACE_CANVAS_MOST;
}

/* Draw the screen as on a terminal of that size. */
static void
dump(struct monitor *m, int rows, int cols, bool coloured)
{
	struct pace_canvas g = { .rows = 0 };

	if (pace_canvas_size(&g, rows, cols, m->utf8) < 0)
		return;
	pace_view_draw(&g, m->snap, &m->ui);
	if (coloured)
		pace_theme_dump(&g, m->ui.theme, stdout);
	else
		pace_canvas_dump(&g, stdout);
	pace_canvas_free(&g);
}

static int
watch(struct monitor *m, const struct monitor_cfg *cfg)
{
	int rows = 0, cols = 0;
	bool enough;

	pace_stop_catch();
	m->on_screen = !cfg->plain && cfg->dump == NULL && m->record != stdout &&
	    monitor_has_terminal("");
	if (!m->on_screen || monitor_screen(m, (enum pace_colour)cfg->colour) < 0) {
		m->on_screen = false;
		m->lines_too = cfg->dump == NULL && m->record != stdout;
		monitor_plain(m);
	}
	if (m->live != NULL) {		/* the final screen has the responder's final counts */
		enough = monitor_is_done(m);
		pace_live_stop(m->live);
		monitor_rest(m, !enough);
	}
	m->ui.over = monitor_is_lost(m);
	if (cfg->dump != NULL && parse_size(cfg->dump, &rows, &cols))
		dump(m, rows, cols, cfg->colour == PACE_COLOUR_ALWAYS);
	else if (m->record != stdout)
		pace_line_summary(stdout, m->snap, m->ui.unit, SUMMARY_ROWS, m->utf8);
	return judge(m);
}

static int
check(const struct pace_cmd *cmd, const struct monitor_cfg *cfg, int operands)
{
	const char *of_replay = pace_opt_given(cmd, cfg, "speed") ? "speed" :
	    pace_opt_given(cmd, cfg, "from") ? "from" : NULL;
	const char *of_host = NULL;
	int rows, cols;

	for (size_t i = sizeof(names) / sizeof(names[0]); i > 0; i--)
		if (pace_opt_given(cmd, cfg, names[i - 1]))
			of_host = names[i - 1];
	if ((cfg->attach && cfg->replay != NULL) || (cfg->replay != NULL && operands > 0))
		pace_complain("%s: HOST, --attach and --replay FILE exclude each other",
		    cmd->name);
	else if (!cfg->attach && cfg->replay == NULL && operands == 0)
		pace_complain("%s needs a HOST, --attach or --replay FILE", cmd->name);
	else if ((cfg->attach || cfg->replay != NULL) && of_host != NULL)
		pace_complain("%s: --%s needs a HOST to send a stream to", cmd->name, of_host);
	else if (cfg->replay == NULL && of_replay != NULL)
		pace_complain("%s: --%s needs --replay", cmd->name, of_replay);
	else if (cfg->replay != NULL && pace_opt_given(cmd, cfg, "give-up"))
		pace_complain("%s: --give-up needs a HOST or --attach: a recording ends by itself",
		    cmd->name);
	else if (cfg->replay != NULL && pace_opt_given(cmd, cfg, "interval"))
		pace_complain("%s: --interval needs a HOST or --attach: a recording keeps its "
		    "interval", cmd->name);
	else if (cfg->dump != NULL && !parse_size(cfg->dump, &rows, &cols))
		pace_complain("--dump-screen: '%.60s' is not a size such as 80x24, from 1x1 to "
		    "%dx%d",
		    cfg->dump, PACE_CANVAS_MOST, PACE_CANVAS_MOST);
	else if (cfg->ascii && cfg->braille)
		pace_complain("%s: --ascii and --braille exclude each other", cmd->name);
	else
		return PACE_EXIT_OK;
	return PACE_EXIT_USAGE;
}

static void
choose(struct monitor *m, const struct monitor_cfg *cfg, bool speed_given)
{
	monitor_glyphs(m, cfg->ascii);
	if (m->utf8 && cfg->braille)
		m->ui.bars = PACE_BARS_BRAILLE;
	m->ui.unit = (enum pace_live_figure)(PACE_FIG_WIRE + cfg->unit);
	m->ui.theme = (enum pace_theme)cfg->theme;
	m->ui.help = cfg->page == PACE_PAGES;
	m->ui.page = m->ui.help ? PACE_PAGE_OVERVIEW : (enum pace_page)cfg->page;
	m->ui.record = cfg->jsonl;
	m->ui.replay = cfg->replay != NULL;
	m->ui.speed = cfg->dump != NULL && !speed_given ? 0 : (double)cfg->speed;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc, char **all_argv)
{
	const struct monitor_cfg *cfg = arg;
	const struct pace_sink_cfg sink = { .jsonl = cfg->jsonl };
	const char *file = cfg->jsonl != NULL && strcmp(cfg->jsonl, "-") != 0 ? cfg->jsonl : NULL;
	struct monitor m = { .most = (uint64_t)cfg->count, .attaches = cfg->attach,
	    .page_given = pace_opt_given(cmd, cfg, "view"),
	    .give_up_ns = pace_opt_given(cmd, cfg, "give-up") ? cfg->give_up_ns : 0 };
	int status = check(cmd, cfg, argc);

	(void)all_argc; (void)all_argv;
	choose(&m, cfg, pace_opt_given(cmd, cfg, "speed"));
	/* the file is checked before the monitor waits for lines, and opened afterwards */
	if (status == PACE_EXIT_OK && (pace_sink_may_write("jsonl", file, cfg->force) != 0 ||
	    (cfg->replay != NULL && pace_sink_writes_to(&sink, "replay", cfg->replay))))
		status = PACE_EXIT_USAGE;
	if (status == PACE_EXIT_OK)
		status = open_lines(&m, cmd, cfg, argc > 0 ? argv[0] : NULL);
	if (status == PACE_EXIT_OK)
		status = open_record(&m, cfg);
	if (status == PACE_EXIT_OK && (m.snap = pace_snap_new()) == NULL) {
		pace_complain("out of memory");
		status = PACE_EXIT_NO_RESULT;
	}
	if (status == PACE_EXIT_OK)
		status = watch(&m, cfg);
	if (m.record != NULL && m.record != stdout && fclose(m.record) == EOF &&
	    m.record_failed == 0) {
		pace_complain("--jsonl: '%s': %s", m.record_name, strerror(errno));
		status = status == PACE_EXIT_OK ? PACE_EXIT_PARTIAL : status;
	}
	pace_status_source_close(m.lines);
	pace_live_free(m.live);
	pace_snap_free(m.snap);
	return status;
}

static const char *const examples[] = {
	"# watch the path to a host with a light stream",
	"udpace monitor hostb",
	"# watch the path from it: the responder sends",
	"udpace monitor hostb --reverse",
	"# watch 16 streams, which may take different paths",
	"udpace monitor hostb --streams 16 --view streams",
	"# watch a router that has a STAMP reflector",
	"udpace monitor router1 --stamp",
	"# watch the sessions of the responder on this host",
	"udpace monitor --attach",
	"# watch the paths of a watcher on this host",
	"udpace monitor --attach /run/udpace-watch/status",
	"# record a night, replay it at 600 times the speed",
	"udpace monitor --attach --plain --jsonl night.jsonl",
	"udpace monitor --replay night.jsonl --speed 600",
	NULL
};

const struct pace_cmd pace_cmd_monitor = {
	"monitor", "watch a path, or the sessions of a responder, live",
	"[HOST|SOCKET]", 0, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct monitor_cfg), run, NULL,
};
