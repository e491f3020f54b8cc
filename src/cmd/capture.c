#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_own.h"
#include "cmd/cmds.h"
#include "plat/clock.h"
#include "plat/facts.h"
#include "plat/root.h"

#define SEC	INT64_C(1000000000)

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

/* --- how streams are written ----------------------------------------------- */

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

const struct pace_sink_kind pace_capture_kind = { to_json, pace_capture_csv_head, csv_point,
    head, row_head, row, block };

/* --- of both kinds --------------------------------------------------------- */

void
pace_capture_tell(const struct pace_err *err)
{
	pace_complain("%s", pace_err_why(err));
	if (err->code == ENOSYS)
		pace_hint("install libpcap-dev and build it again");
}

bool
pace_capture_format(struct capture *t, struct pace_cap_cfg *cfg)
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

void
pace_capture_describe(struct capture *t, const char *file, int argc, char *const *argv)
{
	struct pace_result *r = &t->result;
	const char *interface = t->cfg->interface;

	r->kind = "capture";
	pace_clock_rfc3339(pace_clock_wall(), r->started, sizeof(r->started));
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

void
pace_capture_end(struct capture *t)
{
	if (pace_sink_has_table(&t->sink))
		pace_sink_check(&t->sink, pace_capture_text_tail(stdout, &t->result, t->sink.utf8));
	pace_sink_end(&t->sink, &t->result,
	    json_pack("{s:o}", "capture", pace_capture_to_json(&t->c)));
}

/* --- the command ----------------------------------------------------------- */

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
		status = pace_capture_two(t, argv, all_argc, all_argv);
	else
		status = pace_capture_one(t, argv[0], all_argc, all_argv);
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
