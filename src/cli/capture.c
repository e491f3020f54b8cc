#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cap/flow.h"
#include "cli/between.h"
#include "cli/capture_fill.h"
#include "cli/capture_monitor.h"
#include "cli/cmds.h"
#include "cli/peer.h"
#include "cli/sink.h"
#include "cli/stop.h"
#include "doc/capture_doc.h"
#include "out/capture_text.h"
#include "plat/clock.h"
#include "plat/facts.h"
#include "plat/pcap.h"
#include "plat/root.h"
#include "plat/sandbox.h"

#define SEC	INT64_C(1000000000)
#define BATCH	4096		/* frames between two looks at the clock */
#define LOOK_NS	(SEC / 4)
#define SETTLE_NS	(SEC / 4)	/* the ring gives what it has each tenth of a second */
#define LATEST_NS	(5 * SEC)

struct capture_cfg {
	struct pace_given given;
	const char	*interface, *user, *sequence;
	int64_t		snap, buffer, duration, count, format;
	bool		between, promiscuous, private, quiet;
	bool		monitor, plain;
	const char	*lines;		/* of the monitor, NULL: no file */
	int64_t		interval_ns;
	struct pace_sink_cfg sink;
};

#define AT(field)	offsetof(struct capture_cfg, field)
#define FORMATS		"auto|udpace|udpmon|iperf3|iperf2|rtp|spead|vdif|vtp|lofar|plain"

static const struct pace_opt opts[] = {
	{ "interface", 'i', PACE_OPT_STR, AT(interface), 0, 0, 0, NULL, "IF",
	    "capture there, until Ctrl-C; any: all of them", "Live" },
	{ "snap-length", 0, PACE_OPT_NUM, AT(snap), PACE_UNIT_BYTES, 64, 262144, "256", "BYTES",
	    "of each frame that are looked at", "Live" },
	{ "buffer", 0, PACE_OPT_NUM, AT(buffer), PACE_UNIT_BYTES, 1 << 20, 1 << 30, "64M", "BYTES",
	    "the kernel's room for frames that wait", "Live" },
	{ "promiscuous", 0, PACE_OPT_FLAG, AT(promiscuous), 0, 0, 0, NULL, NULL,
	    "frames for other hosts too, as on a mirror port", "Live" },
	{ "user", 0, PACE_OPT_STR, AT(user), 0, 0, 0, NULL, "NAME",
	    "become this user as soon as the source is open", "Live" },
	{ "monitor", 0, PACE_OPT_FLAG, AT(monitor), 0, 0, 0, NULL, NULL,
	    "show flows and their losses while they go on", "Monitor" },
	{ "interval", 0, PACE_OPT_NUM, AT(interval_ns), PACE_UNIT_SEC, SEC / 10, 60 * SEC, "1s", "TIME",
	    "of --monitor: from one look to the next", "Monitor" },
	{ "plain", 0, PACE_OPT_FLAG, AT(plain), 0, 0, 0, NULL, NULL,
	    "of --monitor: a line a flow each interval, and no screen", "Monitor" },
	{ "monitor-jsonl", 0, PACE_OPT_STR, AT(lines), 0, 0, 0, NULL, "FILE",
	    "of --monitor: record what is shown, for udpace monitor --replay", "Monitor" },
	{ "duration", 't', PACE_OPT_NUM, AT(duration), PACE_UNIT_SEC, 1000000, 1000000 * SEC, NULL,
	    "TIME", "end after so long, of a file by its stamps", "Length" },
	{ "count", 'l', PACE_OPT_NUM, AT(count), PACE_UNIT_COUNT, 1, INT64_MAX, NULL, "N",
	    "end after so many frames", "Length" },
	{ "between", 0, PACE_OPT_FLAG, AT(between), 0, 0, 0, NULL, NULL,
	    "match the frames of two files: of the sender, of the receiver", "Two captures" },
	{ "format", 0, PACE_OPT_CHOICE, AT(format), 0, 0, 0, "auto", FORMATS,
	    "of all payloads, instead of recognising it", "Payload" },
	{ "sequence", 0, PACE_OPT_STR, AT(sequence), 0, 0, 0, NULL, "RULE",
	    "where numbers are: OFFSET:BYTES:big|little[:MODULUS]", "Payload" },
	PACE_SINK_ROWS(struct capture_cfg, "text", "a stream"),
	{ "private", 0, PACE_OPT_FLAG, AT(private), 0, 0, 0, NULL, NULL,
	    "keep facts of this host out of the result", "Output" },
	{ "quiet", 'q', PACE_OPT_FLAG, AT(quiet), 0, 0, 0, NULL, NULL,
	    "no progress and no notices", "Output" },
	{ "verbose", 'v', PACE_OPT_FLAG, AT(sink.detail), 0, 0, 0, NULL, NULL,
	    "a block for each stream, and more in it", "Output" },
};

struct capture {
	const struct capture_cfg *cfg;
	struct pace_pcap *pcap;
	struct pace_cap_table *table;
	struct pace_cap_rule rule;
	enum pace_cap_link link;
	struct pace_capture c;
	struct pace_result result;
	struct pace_sink sink;
	struct pace_seen *seen;
	struct pace_capture_rows rows;
	char		filter[512];
	int64_t		began_ns, shown_ns;
	int64_t		until_ns;	/* wall clock: what comes later is not wanted; 0: all is */
	bool		full;		/* count or duration is reached */
	bool		failed, unusable;
	struct pace_capture_monitor *monitor;	/* NULL: none */
	atomic_bool	left;		/* the one at its screen did */
	bool		unrecorded;	/* lines of it are missing in their file */
	bool		cut;		/* before what was asked for was reached */
	struct pace_err	err;		/* why it failed; code 0: it did not */
	int		finished;	/* what pace_cap_table_finish said */
};

/* --- how streams are written ----------------------------------------------------------- */

static json_t *
to_json(const void *point)
{
	return pace_seen_to_json(point);
}

static int
csv_point(FILE *f, const void *point)
{
	return pace_capture_csv_point(f, point);
}

static int
head(FILE *f, const struct pace_result *r, const void *plan, bool utf8)
{
	(void)r;
	return pace_capture_text_head(f, plan, utf8);
}

static int
row_head(FILE *f, const void *plan, bool utf8)
{
	return pace_capture_text_row_head(f, plan, utf8);
}

static int
row(FILE *f, const void *plan, const void *point, bool utf8)
{
	return pace_capture_text_row(f, plan, point, utf8);
}

static int
block(FILE *f, const void *point, bool detail, bool utf8)
{
	return pace_capture_text_block(f, point, detail, utf8);
}

static const struct pace_sink_kind capture_kind = { to_json, pace_capture_csv_head, csv_point,
    head, row_head, row, block };

/* --- opening ------------------------------------------------------------------------------ */

static void
tell(const struct pace_err *err)
{
	pace_complain("%s", err->text[0] != '\0' ? err->text : strerror(err->code));
	if (err->code == ENOSYS)
		pace_hint("install libpcap-dev and build it again");
}

/* The words of the filter as one. */
static bool
join_filter(struct capture *t, int argc, char **argv)
{
	size_t n = 0;

	for (int i = 0; i < argc; i++) {
		int put = snprintf(t->filter + n, sizeof(t->filter) - n, "%s%s", i > 0 ? " " : "",
		    argv[i]);

		if (put < 0 || (size_t)put >= sizeof(t->filter) - n) {
			pace_complain("the filter is longer than %zu bytes", sizeof(t->filter) - 1);
			return false;
		}
		n += (size_t)put;
	}
	return true;
}

static bool
choose_format(struct capture *t, struct pace_cap_cfg *cfg)
{
	char name[sizeof(FORMATS)];
	const char *word = FORMATS;
	struct pace_err err = { .code = 0 };

	*cfg = (struct pace_cap_cfg){ .format = NULL };
	if (t->cfg->sequence != NULL) {
		if (pace_cap_rule_parse(t->cfg->sequence, &t->rule, &err) < 0) {
			pace_complain("--sequence: '%s': %s", t->cfg->sequence, err.text);
			return false;
		}
		cfg->format = pace_cap_format("sequence");
		cfg->rule = &t->rule;
		return true;
	}
	for (int64_t i = 0; i < t->cfg->format; i++)
		word = strchr(word, '|') + 1;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "|"), word);
	cfg->format = t->cfg->format > 0 ? pace_cap_format(name) : NULL;
	return true;
}

/* Where frames come from is opened with the rights that we have; then they are given
 * away, and only then anything is read. */
static int
open_source(struct capture *t, const char *file)
{
	const struct pace_pcap_cfg cfg = { .interface = t->cfg->interface, .file = file,
	    .stop = &pace_stop, .snap_bytes = (int)t->cfg->snap, .buffer_bytes = (int)t->cfg->buffer,
	    .promiscuous = t->cfg->promiscuous };
	struct pace_err err = { .code = 0 };
	int rc = pace_pcap_open(&t->pcap, &cfg, &err);

	if (rc == 0 && !t->cfg->quiet && pace_pcap_notice(t->pcap)[0] != '\0')
		fprintf(stderr, "%s\n", pace_pcap_notice(t->pcap));
	if (rc == 0)
		rc = pace_sandbox_drop(t->cfg->user, &err);
	if (rc == 0)
		return PACE_EXIT_OK;
	tell(&err);
	return PACE_EXIT_NO_RESULT;
}

static int
begin(struct capture *t)
{
	struct pace_err err = { .code = 0 };
	int rc = pace_pcap_begin(t->pcap, t->filter, &err);

	if (rc == -EINVAL) {
		pace_complain("filter '%.200s': %s", t->filter, err.text);
		if (t->cfg->interface != NULL && access(t->filter, F_OK) == 0)
			pace_hint("with --interface no FILE is read: what follows is a filter");
		else
			pace_hint("man pcap-filter says what a filter may be");
		return PACE_EXIT_USAGE;
	}
	if (rc < 0) {
		tell(&err);
		return PACE_EXIT_NO_RESULT;
	}
	t->link = pace_pcap_link(t->pcap);
	snprintf(t->c.link, sizeof(t->c.link), "%s", pace_pcap_link_name(t->pcap));
	t->c.snap_bytes = (uint64_t)pace_pcap_snap_bytes(t->pcap);
	return PACE_EXIT_OK;
}

static void
describe(struct capture *t, const char *file, int argc, char *const *argv)
{
	struct pace_result *r = &t->result;
	const char *interface = t->cfg->interface;

	r->kind = "capture";
	pace_clock_rfc3339(r->started, sizeof(r->started));
	r->argc = argc;
	r->argv = argv;
	if (interface != NULL && !t->cfg->private)
		pace_facts_read(&r->client, pace_root_default(), interface, false);
	snprintf(r->client.version, sizeof(r->client.version), "%s", PACKAGE_VERSION);
	if (interface != NULL)
		pace_clean(t->c.interface, sizeof(t->c.interface), interface, strlen(interface));
	else
		pace_clean(t->c.file, sizeof(t->c.file), file, strlen(file));
	pace_clean(t->c.filter, sizeof(t->c.filter), t->filter, strlen(t->filter));
}

/* --- capturing ------------------------------------------------------------------------------- */

static void
take(void *ctx, const struct pace_cap_frame *f, int64_t now_ns)
{
	struct capture *t = ctx;

	if (t->cfg->duration > 0 && t->table->frames > 0 &&
	    now_ns - t->table->first_ns > t->cfg->duration)
		t->full = true;
	if (t->until_ns != 0 && now_ns > t->until_ns)
		t->full = true;
	if (!t->full)
		pace_cap_table_add(t->table, t->link, f, now_ns);
	t->full |= t->cfg->count > 0 && t->table->frames >= (uint64_t)t->cfg->count;
	if (t->full)
		pace_pcap_enough(t->pcap);
}

static void
show(struct capture *t, bool last)
{
	struct pace_pcap_drops d;
	int64_t now = pace_clock_raw();

	if (t->monitor != NULL || t->cfg->quiet || !isatty(STDERR_FILENO) || (!last && now - t->shown_ns < LOOK_NS))
		return;
	t->shown_ns = now;
	pace_pcap_drops(t->pcap, &d);
	fprintf(stderr, "\r\033[K");
	if (!last)
		fprintf(stderr, "%" PRIu64 " frames, %zu flows, %" PRIu64 " dropped",
		    t->table->frames, t->table->flows, d.kernel + d.interface);
}

/* What was there when it ended may be on its way through the ring still. */
static int
drain(struct capture *t, struct pace_err *err)
{
	int64_t ended_ns = pace_clock_raw(), began_ns;
	int rc;

	t->until_ns = pace_clock_wall();
	do {
		began_ns = pace_clock_raw();
		rc = pace_pcap_read(t->pcap, BATCH, take, t, err);
	} while (!t->full && (rc > 0 || (rc == 0 && began_ns - ended_ns < SETTLE_NS)) &&
	    began_ns - ended_ns < LATEST_NS);
	return rc;
}

static void
look(struct capture *t, bool over)
{
	if (t->monitor != NULL)
		pace_capture_watch_look(pace_capture_monitor_watch(t->monitor), t->table, t->pcap, over);
}

/* Was all that was asked for? */
static bool
is_done(const struct capture *t)
{
	return t->full || (t->cfg->duration == 0 && t->cfg->count == 0) || (t->cfg->duration > 0 &&
	    pace_clock_raw() - t->began_ns > t->cfg->duration);
}

static bool
is_over(const struct capture *t)
{
	return t->full || pace_stop != 0 || atomic_load(&t->left) || (t->cfg->interface != NULL && t->cfg->duration > 0 &&
	    pace_clock_raw() - t->began_ns > t->cfg->duration);
}

/* To the end of the file, or until it is enough. */
static void
capture(struct capture *t)
{
	struct pace_pcap_drops d;
	int rc = 0;

	t->began_ns = pace_clock_raw();
	if (t->cfg->interface != NULL && !t->cfg->quiet && t->monitor == NULL)
		fprintf(stderr, "capturing on %s%s\n", t->cfg->interface,
		    t->cfg->duration == 0 && t->cfg->count == 0 ? ", Ctrl-C ends it" : "");
	while (rc >= 0 && !is_over(t)) {
		rc = pace_pcap_read(t->pcap, BATCH, take, t, &t->err);
		look(t, false);
		show(t, false);
	}
	t->cut = !is_done(t);
	if (rc >= 0 && !t->full && t->cfg->interface != NULL)
		rc = drain(t, &t->err);
	show(t, true);
	t->c.whole = rc >= 0 || rc == -ENODATA;
	t->failed = !t->c.whole;
	pace_pcap_drops(t->pcap, &d);
	t->c.has_drops = d.known;
	t->c.dropped = d.kernel;
	t->c.interface_dropped = d.interface;
}

/* In a thread of its own, where it is shown meanwhile. */
static void
read_all(void *ctx)
{
	struct capture *t = ctx;

	capture(t);
	t->finished = pace_cap_table_finish(t->table);
	look(t, true);
}

static void
leave(void *ctx)
{
	struct capture *t = ctx;

	atomic_store(&t->left, true);
}

static int
open_monitor(struct capture *t)
{
	const struct capture_cfg *cfg = t->cfg;
	const struct pace_capture_monitor_cfg mc = {
		.watch = { .interface = t->c.interface, .filter = t->c.filter,
		    .interval_ns = cfg->interval_ns, .private = cfg->private },
		.plain = cfg->plain, .force = cfg->sink.force, .record = cfg->lines,
		.read = read_all, .leave = leave, .ctx = t };

	return cfg->monitor ? pace_capture_monitor_open(&t->monitor, &mc) : PACE_EXIT_OK;
}

/* --- telling ----------------------------------------------------------------------------------- */

/* A live capture without an end of its own is ended by Ctrl-C. */
static bool
is_interrupted(const struct capture *t)
{
	return pace_stop != 0 && (pace_stop != SIGINT || t->cfg->interface == NULL ||
	    t->cfg->duration > 0 || t->cfg->count > 0);
}

static double
busiest_bps(const struct pace_cap_table *t)
{
	double most = 0;

	for (size_t i = 0; i < t->streams; i++) {
		const struct pace_cap_stream *s = t->stream[i];

		most = fmax(most, pace_rate_bps(s->line_bytes - s->first_line_bytes,
		    s->last_ns - s->first_ns));
	}
	return most;
}

static void
tell_streams(struct capture *t)
{
	const struct pace_cap_table *table = t->table;
	bool blocks = t->cfg->sink.detail || table->streams == 1;

	t->rows = pace_capture_rows(&t->c, busiest_bps(table), table->streams > 0 ?
	    (double)pace_hist_quantile(&table->stream[0]->gap, 0.5) : 0);
	pace_sink_begin(&t->sink, &capture_kind, &t->rows, &t->result, blocks ? 1 : table->streams);
	for (size_t i = 0; i < table->streams; i++) {
		if (blocks && i > 0 && pace_sink_has_table(&t->sink))
			printf("\n");
		pace_seen_fill(t->seen, table->stream[i], t->cfg->interface != NULL);
		pace_sink_point(&t->sink, t->seen);
	}
	if (pace_sink_has_table(&t->sink))
		pace_sink_check(&t->sink, pace_capture_text_tail(stdout, &t->result, t->sink.utf8));
	pace_sink_end(&t->sink, &t->result,
	    json_pack("{s:o}", "capture", pace_capture_to_json(&t->c)));
}

static int
status_of(const struct capture *t)
{
	if (is_interrupted(t))
		return pace_stop_status();
	if (t->table->streams == 0)
		return PACE_EXIT_NO_RESULT;
	if (t->failed || t->sink.failed || t->unrecorded)
		return PACE_EXIT_PARTIAL;
	return t->unusable ? PACE_EXIT_NOT_USABLE : PACE_EXIT_OK;
}

/* Why there is no stream. */
static void
tell_nothing(const struct capture *t)
{
	if (t->c.udp == 0 && t->c.cut_short > 0)
		pace_complain("no UDP datagrams were seen: %" PRIu64 " frames were captured too short "
		    "to tell what they are", t->c.cut_short);
	else if (t->c.udp == 0)
		pace_complain("no UDP datagrams%s were seen", t->filter[0] != '\0' ?
		    " that the filter takes" : "");
	else
		pace_complain("none of %" PRIu64 " UDP datagrams has a number%s", t->c.udp,
		    t->cfg->sequence != NULL ? " where --sequence says" : " of this format");
}

static void
tell_damage(struct capture *t)
{
	tell(&t->err);
	snprintf(t->c.damage, sizeof(t->c.damage), "%s", t->err.text);
	pace_note(&t->result.notes, "damaged", "after %" PRIu64 " frames: %s", t->table->frames,
	    t->err.text);
}

static int
run_capture(struct capture *t)
{
	int status = begin(t), shown = PACE_EXIT_OK;

	if (status == PACE_EXIT_OK)
		status = open_monitor(t);
	if (status != PACE_EXIT_OK)
		return status;
	pace_stop_catch();
	if (t->monitor != NULL)
		shown = pace_capture_monitor_run(t->monitor);
	else
		read_all(t);
	if (shown == PACE_EXIT_NO_RESULT)
		return shown;
	if (t->finished < 0) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	if (t->failed)
		tell_damage(t);
	t->unrecorded = shown != PACE_EXIT_OK;
	pace_capture_fill(&t->c, t->table);
	t->result.interrupted = is_interrupted(t) || (t->monitor != NULL && t->cut);
	t->unusable = pace_capture_notes(&t->result.notes, &t->c);
	tell_streams(t);
	if (t->table->streams == 0)
		tell_nothing(t);
	return status_of(t);
}

/* --- two captures ------------------------------------------------------------------------------ */

static void
tell_between(struct capture *t, const struct pace_between *b)
{
	size_t n = pace_between_flows(b);
	bool blocks = t->cfg->sink.detail || n <= 2;

	pace_between_capture(&t->c, b);
	t->rows = pace_capture_rows(&t->c, 0, 0);
	if (n > 0) {
		pace_between_fill(t->seen, b, 0);
		t->rows = pace_capture_rows(&t->c, t->seen->rx.wire_rate_bps, 0);
	}
	pace_sink_begin(&t->sink, &capture_kind, &t->rows, &t->result, blocks ? 1 : n);
	for (size_t i = 0; i < n; i++) {
		if (blocks && i > 0 && pace_sink_has_table(&t->sink))
			printf("\n");
		pace_between_fill(t->seen, b, i);
		pace_sink_point(&t->sink, t->seen);
	}
	if (pace_sink_has_table(&t->sink))
		pace_sink_check(&t->sink, pace_capture_text_tail(stdout, &t->result, t->sink.utf8));
	pace_sink_end(&t->sink, &t->result,
	    json_pack("{s:o}", "capture", pace_capture_to_json(&t->c)));
}

static int
run_between(struct capture *t, struct pace_between *b)
{
	struct pace_err err = { .code = 0 };
	int rc;

	pace_stop_catch();
	rc = pace_between_read(b, t->filter, &pace_stop, &err);
	if (rc == -EINTR) {
		pace_complain("ended before all of both captures was matched: no result");
		return pace_stop_status();
	}
	if (rc == -EINVAL)
		pace_complain("filter '%.200s': %s", t->filter, err.text);
	else if (rc != 0)
		tell(&err);
	if (rc < 0)
		return rc == -EINVAL ? PACE_EXIT_USAGE : PACE_EXIT_NO_RESULT;
	if (rc > 0)
		pace_note(&t->result.notes, "damaged", "%s", err.text);
	tell_between(t, b);
	if (pace_between_flows(b) == 0) {
		pace_complain("no flow is in both captures%s", pace_between_is_cut(b) ?
		    ": one has frames that were captured too short to tell" : "");
		return PACE_EXIT_NO_RESULT;
	}
	return rc > 0 || t->sink.failed ? PACE_EXIT_PARTIAL : PACE_EXIT_OK;
}

static int
between(struct capture *t, char **file, int argc, char **argv)
{
	struct pace_between *b = NULL;
	struct pace_cap_cfg cfg;
	struct pace_err err = { .code = 0 };
	int status = PACE_EXIT_NO_RESULT, rc;

	if (!choose_format(t, &cfg))
		return PACE_EXIT_USAGE;
	t->seen = pace_seen_new();
	rc = t->seen == NULL ? pace_fail(&err, ENOMEM, "open") :
	    pace_between_open(&b, file[0], file[1], &cfg, &err);
	if (rc == 0)
		rc = pace_sandbox_drop(t->cfg->user, &err);
	if (rc < 0)
		tell(&err);
	else
		status = pace_sink_open(&t->sink, &t->cfg->sink);
	if (rc == 0 && status == PACE_EXIT_OK) {
		describe(t, file[0], argc, argv);
		status = run_between(t, b);
	}
	pace_between_close(b);
	return status;
}

/* --- one ----------------------------------------------------------------------------------------- */

static int
prepare(struct capture *t)
{
	struct pace_cap_cfg cfg;

	if (!choose_format(t, &cfg))
		return PACE_EXIT_USAGE;
	t->table = pace_cap_table_new(&cfg);
	t->seen = pace_seen_new();
	if (t->table != NULL && t->seen != NULL)
		return PACE_EXIT_OK;
	pace_complain("out of memory");
	return PACE_EXIT_NO_RESULT;
}

static int
one(struct capture *t, const char *file, int argc, char **argv)
{
	int status = prepare(t);

	if (status == PACE_EXIT_OK)
		status = open_source(t, file);
	if (status == PACE_EXIT_OK)
		status = pace_sink_open(&t->sink, &t->cfg->sink);
	if (status != PACE_EXIT_OK)
		return status;
	describe(t, file, argc, argv);
	return run_capture(t);
}

/* Two options that exclude each other; a source is there. */
static bool
is_senseless(const struct pace_cmd *cmd, const struct capture_cfg *cfg, int argc)
{
	static const char *const live[] = { "snap-length", "buffer", "promiscuous", "monitor" };
	static const char *const shown[] = { "interval", "plain", "monitor-jsonl" };

	if (cfg->interface == NULL && argc == 0) {
		pace_complain("capture: needs a FILE, or --interface IF");
		pace_hint("see 'udpace capture --help'");
		return true;
	}
	if (cfg->interface != NULL && cfg->interface[0] == '\0') {
		pace_complain("--interface: the name of one is needed");
		return true;
	}
	if (cfg->between && (cfg->interface != NULL || argc < 2)) {
		pace_complain("--between needs two files, of the sender and of the receiver");
		return true;
	}
	if (cfg->between && (cfg->duration > 0 || cfg->count > 0)) {
		pace_complain("--between takes all of both files: no --duration, no --count");
		return true;
	}
	for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++)
		if (cfg->interface == NULL && pace_opt_given(cmd, cfg, live[i])) {
			pace_complain("--%s is for a live capture, with --interface", live[i]);
			return true;
		}
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (!cfg->monitor && pace_opt_given(cmd, cfg, shown[i])) {
			pace_complain("--%s is of --monitor", shown[i]);
			return true;
		}
	if (cfg->monitor && (cfg->sink.json || cfg->sink.csv || (cfg->sink.jsonl != NULL &&
	    strcmp(cfg->sink.jsonl, "-") == 0))) {
		pace_complain("--monitor has the standard output: --output FILE keeps the document");
		return true;
	}
	if (cfg->lines != NULL && pace_sink_writes_to(&cfg->sink, "monitor-jsonl", cfg->lines))
		return true;
	if (cfg->sequence != NULL && pace_opt_given(cmd, cfg, "format")) {
		pace_complain("--sequence and --format exclude each other");
		return true;
	}
	return pace_sink_contradicts(&cfg->sink);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct capture_cfg *cfg = arg;
	const int words = cfg->between ? 2 : cfg->interface == NULL ? 1 : 0;	/* before the filter */
	struct capture *t;
	int status;

	if (is_senseless(cmd, cfg, argc))
		return PACE_EXIT_USAGE;
	t = calloc(1, sizeof(*t));
	if (t == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	t->cfg = cfg;
	if (!join_filter(t, argc - words, argv + words))
		status = PACE_EXIT_USAGE;
	else if (cfg->between)
		status = between(t, argv, all_argc, all_argv);
	else
		status = one(t, argv[0], all_argc, all_argv);
	pace_sink_close(&t->sink);
	pace_capture_monitor_free(t->monitor);
	pace_pcap_close(t->pcap);
	pace_cap_table_free(t->table);
	free(t->seen);
	free(t);
	return status;
}

static const char *const examples[] = {
	"# what streams there are on an interface, until Ctrl-C",
	"udpace capture -i eth0",
	"# loss, order and gaps of one, for ten seconds",
	"udpace capture -i eth0 --duration 10 udp port 5004",
	"# which flow loses frames, while they go on",
	"udpace capture -i eth0 --monitor",
	"# the same from a file",
	"udpace capture run.pcapng udp port 5004 -o run.json",
	"# what became of every frame between two hosts, with delays",
	"udpace capture --between sender.pcap receiver.pcap",
	"# a detector whose 48-bit number stands at byte 2",
	"udpace capture readout.pcap --sequence 2:6:big",
	NULL
};

const struct pace_cmd pace_cmd_capture = {
	"capture", "what others' streams do: loss, order, gaps, from a file or an interface",
	"[FILE] [FILTER...]", 0, 1000, opts, sizeof(opts) / sizeof(opts[0]), examples,
	sizeof(struct capture_cfg), run, NULL,
};
