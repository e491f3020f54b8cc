/*
 * monitor - shows what becomes of a stream of its own, or what a responder of this host,
 * or a file of what was told, says of sessions.
 */
#include "config.h"

#include "ui/monitor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "cmd/monitor_live.h"
#include "live/live_run.h"
#include "out/glyph.h"
#include "plat/clock.h"
#include "run/peer.h"
#include "run/sink.h"
#include "run/stop.h"
#include "ui/line.h"
#include "ui/view.h"

#define SOCKET		"/run/udpace/status"	/* unless one is named */
#define SEC		INT64_C(1000000000)
#define MS		INT64_C(1000000)
#define HOUR		(3600 * SEC)
#define SUMMARY_ROWS	10

struct monitor_cfg {
	struct pace_given given;
	bool		attach, plain, force, ascii, braille;
	const char	*replay, *jsonl, *dump;
	int64_t		speed, from_ns, interval_ns, count, unit, page, theme, colour;
	struct monitor_stream stream;
	struct pace_net_opts net;
};

#define AT(field)	offsetof(struct monitor_cfg, field)

static const struct pace_opt opts[] = {
	{ "attach", 0, PACE_OPT_FLAG, AT(attach), 0, 0, 0, NULL, NULL,
	    "show the sessions of a responder of this host; SOCKET is its --status-socket, "
	    SOCKET " unless given", "Source" },
	{ "replay", 0, PACE_OPT_STR, AT(replay), 0, 0, 0, NULL, "FILE",
	    "show what --jsonl has recorded; - is stdin", "Source" },
	{ "interval", 0, PACE_OPT_NUM, AT(interval_ns), PACE_UNIT_SEC, SEC / 10, 60 * SEC, "1s",
	    "TIME", "of HOST and --attach: from one look to the next", "Source" },
	{ "speed", 0, PACE_OPT_NUM, AT(speed), PACE_UNIT_COUNT, 0, 1000000, "1", "FACTOR",
	    "of --replay: so many times as fast as it was; 0 is at once", "Source" },
	{ "from", 0, PACE_OPT_NUM, AT(from_ns), PACE_UNIT_SEC, 0, 100000000 * SEC, NULL, "TIME",
	    "of --replay: begin so long after its start", "Source" },
	{ "size", 'p', PACE_OPT_LIST, AT(stream.size), PACE_UNIT_BYTES, PACE_HDR_SIZE, PACE_FRAME_MAX,
	    "1472", "SIZE", "UDP payload of a frame", "Stream" },
	{ "spacing", 'w', PACE_OPT_LIST, AT(stream.spacing), PACE_UNIT_USEC, 0, PACE_SPACING_MAX_NS,
	    "1ms", "TIME", "from one frame to the next; 0: as fast as possible", "Stream" },
	{ "rate", 'r', PACE_OPT_LIST, AT(stream.rate), PACE_UNIT_BPS, 1, INT64_C(1000000000000), NULL,
	    "RATE", "user data rate, instead of --spacing", "Stream" },
	{ "duration", 't', PACE_OPT_NUM, AT(stream.duration_ns), PACE_UNIT_SEC, SEC, 10000 * HOUR, NULL,
	    "TIME", "end then; without, it goes on until it is left", "Stream" },
	{ "train", 0, PACE_OPT_NUM, AT(stream.train), PACE_UNIT_COUNT, 0, 65536, "0", "N",
	    "frames back to back every N spacings; 0: 1, or the most at spacing 0", "Stream" },
	{ "ping", 0, PACE_OPT_NUM, AT(stream.ping_ns), PACE_UNIT_SEC, MS, SEC, "10ms", "TIME",
	    "from one round trip beside the stream to the next", "Stream" },
	{ "verify", 0, PACE_OPT_FLAG, AT(stream.verify), 0, 0, 0, NULL, NULL,
	    "check every payload, count the damaged", "Stream" },
	PACE_NET_ROWS(struct monitor_cfg),
	PACE_DSCP_ROW(struct monitor_cfg),
	{ "sndbuf", 0, PACE_OPT_NUM, AT(stream.sndbuf), PACE_UNIT_BYTES, 2048, INT64_C(1) << 30, "16M",
	    "SIZE", "send buffer to ask for", "Network" },
	{ "rcvbuf", 0, PACE_OPT_NUM, AT(stream.rcvbuf), PACE_UNIT_BYTES, 2048, INT64_C(1) << 26, "16M",
	    "SIZE", "receive buffer to ask for, at the responder", "Network" },
	PACE_CPU_ROW(struct monitor_cfg, "core for the sender; what is drawn keeps off it"),
	{ "busy-poll", 0, PACE_OPT_FLAG, AT(stream.busy_poll), 0, 0, 0, NULL, NULL,
	    "let the responder spin while it receives", "Host" },
	PACE_LEASE_ROWS(struct monitor_cfg),
	{ "plain", 0, PACE_OPT_FLAG, AT(plain), 0, 0, 0, NULL, NULL,
	    "a line each interval, and nothing that moves the cursor", "Output" },
	{ "dump-screen", 0, PACE_OPT_STR, AT(dump), 0, 0, 0, NULL, "SIZE",
	    "print the screen there would be in the end, 80x24 for example, and no lines", "Output" },
	{ "units", 0, PACE_OPT_CHOICE, AT(unit), 0, 0, 2, "wire", "wire|ip|data",
	    "what rates count: frames on the line, IP packets, or their payload", "Output" },
	{ "count", 0, PACE_OPT_NUM, AT(count), PACE_UNIT_COUNT, 1, 1000000000, NULL, "N",
	    "end after so many intervals", "Output" },
	{ "jsonl", 0, PACE_OPT_STR, AT(jsonl), 0, 0, 0, NULL, "FILE",
	    "record what is shown, for --replay; - is stdout, and nothing else goes there", "Output" },
	{ "force", 0, PACE_OPT_FLAG, AT(force), 0, 0, 0, NULL, NULL,
	    "let --jsonl replace a file", "Output" },
	{ "view", 0, PACE_OPT_CHOICE, AT(page), 0, 0, 7, "overview",
	    "overview|rate|histogram|sweep|host|streams|events|help", "what the screen shows first", "Screen" },
	{ "ascii", 0, PACE_OPT_FLAG, AT(ascii), 0, 0, 0, NULL, NULL,
	    "plain characters alone, no lines and no blocks", "Screen" },
	{ "braille", 0, PACE_OPT_FLAG, AT(braille), 0, 0, 0, NULL, NULL,
	    "graphs twice as fine, where the font has braille", "Screen" },
	{ "color", 0, PACE_OPT_CHOICE, AT(colour), 0, 0, 2, "auto", "auto|always|never",
	    "auto: unless NO_COLOR is set", "Screen" },
	{ "theme", 0, PACE_OPT_CHOICE, AT(theme), 0, 0, 3, "default",
	    "default|contrast|mono|red-free", "colours", "Screen" },
};

/* --- beginning and end ----------------------------------------------------- */

static int
no_source(const struct monitor_cfg *cfg, const char *socket, int rc)
{
	pace_complain("%s: %s", socket, rc == -ENOENT || rc == -ECONNREFUSED ?
	    "no responder tells of its sessions there" : strerror(-rc));
	if (cfg->attach && (rc == -ENOENT || rc == -ECONNREFUSED))
		pace_hint("start one with \"udpace respond --status-socket %s\"", socket);
	return PACE_EXIT_NO_RESULT;
}

/* A stream of our own. */
static int
open_live(struct monitor *m, const struct pace_cmd *cmd, const struct monitor_cfg *cfg,
    const char *host)
{
	struct pace_live_cfg live = { .peer = pace_peer_cfg(cmd, cfg, &cfg->net, host),
	    .interval_ns = cfg->interval_ns };
	int status = pace_net_contradicts(&cfg->net) ? PACE_EXIT_USAGE :
	    monitor_stream_cfg(cmd, cfg, &cfg->stream, (int)cfg->net.dscp, &live);

	if (status == PACE_EXIT_OK)
		status = pace_live_begin(&m->live, &live);
	if (status == PACE_EXIT_OK && pace_status_source_made(&m->lines, pace_live_fd(m->live), pace_live_next,
	    m->live) < 0) {
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

	if (rc < 0 && cfg->attach)
		return no_source(cfg, socket, rc);
	if (rc < 0) {
		pace_complain("--replay: '%s' cannot be read: %s", cfg->replay, strerror(-rc));
		return PACE_EXIT_NO_RESULT;
	}
	m->bad = pace_status_source_refused(m->lines);
	if (cfg->from_ns > 0) {
		m->from_ns = pace_status_source_first(m->lines) + cfg->from_ns;
		pace_status_source_seek(m->lines, m->from_ns, pace_clock_raw());
	}
	return PACE_EXIT_OK;
}

/* The file of --jsonl: asked for before the lines are looked for, written only then. */
static const char *
record_file(const struct monitor_cfg *cfg)
{
	return cfg->jsonl != NULL && strcmp(cfg->jsonl, "-") != 0 ? cfg->jsonl : NULL;
}

static int
may_record(const struct monitor_cfg *cfg)
{
	const struct pace_sink_cfg sink = { .jsonl = cfg->jsonl };

	if (pace_sink_may_write("jsonl", record_file(cfg), cfg->force) != 0)
		return PACE_EXIT_USAGE;
	return cfg->replay != NULL && pace_sink_writes_to(&sink, "replay", cfg->replay) ?
	    PACE_EXIT_USAGE : PACE_EXIT_OK;
}

static int
open_record(struct monitor *m, const struct monitor_cfg *cfg)
{
	const char *path = record_file(cfg);

	m->record_name = cfg->jsonl;
	if (cfg->jsonl == NULL)
		return PACE_EXIT_OK;
	m->record = path == NULL ? stdout : fopen(path, "we");
	if (m->record != NULL)
		return PACE_EXIT_OK;
	pace_complain("--jsonl: '%s' cannot be written: %s", path, strerror(errno));
	return PACE_EXIT_USAGE;
}

/* What went wrong, and the exit status. */
static int
judge(struct monitor *m)
{
	int status = pace_stop != 0 ? pace_stop_status() : PACE_EXIT_OK;
	char said[4 * sizeof(m->snap->error)];

	if (m->live != NULL && pace_stop == 0)
		status = pace_live_judge(m->live);
	if (m->over < 0 && m->over != -ENODATA) {
		pace_complain("the sessions cannot be followed: %s", strerror(-m->over));
		status = PACE_EXIT_NO_RESULT;
	}
	if (m->snap->error[0] != '\0')
		pace_complain("the responder says: %s", pace_glyph_clean(m->snap->error, m->utf8, said,
		    sizeof(said)));
	if (m->dropped > 0)
		pace_complain("the responder dropped this reader %llu times, and was asked anew: lines "
		    "are missing", (unsigned long long)m->dropped);
	if (m->bad > 0)
		pace_complain("%llu lines were not understood: they are none of "
		    PACE_STATUS_SCHEMA, (unsigned long long)m->bad);
	if (m->snap->lines == 0 && m->snap->sweep == NULL && pace_stop == 0 &&
	    status == PACE_EXIT_OK) {
		pace_complain("nothing was told of any session");
		status = PACE_EXIT_NO_RESULT;
	}
	if (m->record_failed != 0 && m->on_screen)
		pace_complain("--jsonl: '%s': %s", m->record_name, m->ui.record_error);
	if ((m->record_failed != 0 || (m->dropped > 0 && m->record != NULL)) && status == PACE_EXIT_OK)
		status = PACE_EXIT_PARTIAL;
	return status;
}

/* "80x24": columns and rows. */
static bool
parse_size(const char *text, int *rows, int *cols)
{
	int end = 0;

	return sscanf(text, "%4dx%4d%n", cols, rows, &end) == 2 && text[end] == '\0' && *cols >= 1 &&
	    *rows >= 1 && *cols <= PACE_CANVAS_MOST && *rows <= PACE_CANVAS_MOST;
}

/* As it would be on a terminal of that size. */
static void
dump(struct monitor *m, int rows, int cols)
{
	struct pace_canvas g = { .rows = 0 };

	if (pace_canvas_size(&g, rows, cols, m->utf8) < 0)
		return;
	pace_view_draw(&g, m->snap, &m->ui);
	pace_canvas_dump(&g, stdout);
	pace_canvas_free(&g);
}

static int
watch(struct monitor *m, const struct monitor_cfg *cfg)
{
	int rows = 0, cols = 0;
	bool enough;

	pace_stop_catch();
	m->on_screen = !cfg->plain && cfg->dump == NULL && monitor_has_terminal(m);
	if (!m->on_screen || monitor_screen(m, (enum pace_colour)cfg->colour) < 0) {
		m->on_screen = false;
		m->lines_too = cfg->dump == NULL && m->record != stdout;
		monitor_plain(m);
	}
	if (m->live != NULL) {		/* it ends with what the responder counted in the end */
		enough = monitor_is_done(m);
		pace_live_stop(m->live);
		monitor_rest(m, !enough);
	}
	m->ui.over = monitor_is_lost(m);
	if (cfg->dump != NULL && parse_size(cfg->dump, &rows, &cols))
		dump(m, rows, cols);
	else if (m->record != stdout)
		pace_line_summary(stdout, m->snap, m->ui.unit, SUMMARY_ROWS, m->utf8);
	return judge(m);
}

static int
check(const struct pace_cmd *cmd, const struct monitor_cfg *cfg, int operands)
{
	const char *of_replay = pace_opt_given(cmd, cfg, "speed") ? "speed" :
	    pace_opt_given(cmd, cfg, "from") ? "from" : NULL;
	const char *of_host = monitor_stream_given(cmd, cfg);
	int rows, cols;

	if ((cfg->attach && cfg->replay != NULL) || (cfg->replay != NULL && operands > 0))
		pace_complain("%s: one of HOST, --attach and --replay FILE says what to show", cmd->name);
	else if (!cfg->attach && cfg->replay == NULL && operands == 0)
		pace_complain("%s: HOST, --attach or --replay FILE says what to show", cmd->name);
	else if ((cfg->attach || cfg->replay != NULL) && of_host != NULL)
		pace_complain("%s: --%s is of a HOST that a stream is sent to", cmd->name, of_host);
	else if (cfg->replay == NULL && of_replay != NULL)
		pace_complain("%s: --%s is of --replay", cmd->name, of_replay);
	else if (cfg->replay != NULL && pace_opt_given(cmd, cfg, "interval"))
		pace_complain("%s: --interval is of HOST and --attach: a recorded one stays what it was",
		    cmd->name);
	else if (cfg->dump != NULL && !parse_size(cfg->dump, &rows, &cols))
		pace_complain("--dump-screen: '%.60s' is no size such as 80x24, 1x1 to %dx%d", cfg->dump,
		    PACE_CANVAS_MOST, PACE_CANVAS_MOST);
	else if (cfg->ascii && cfg->braille)
		pace_complain("%s: --ascii has no --braille", cmd->name);
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
	struct monitor m = { .most = (uint64_t)cfg->count };
	int status = check(cmd, cfg, argc);

	(void)all_argc; (void)all_argv;
	choose(&m, cfg, pace_opt_given(cmd, cfg, "speed"));
	if (status == PACE_EXIT_OK)
		status = may_record(cfg);
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
	"# watch the way to a host, with a stream that does no harm",
	"udpace monitor hostb",
	"# what the responder of this host is doing",
	"udpace monitor --attach",
	"# keep it, and look through the night",
	"udpace monitor --attach --plain --jsonl night.jsonl",
	"udpace monitor --replay night.jsonl --speed 600",
	NULL
};

const struct pace_cmd pace_cmd_monitor = {
	"monitor", "watch a path, or the sessions of a responder, while they go on", "[HOST|SOCKET]", 0, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct monitor_cfg), run, NULL,
};
