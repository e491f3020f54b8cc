#include "config.h"

#include <string.h>

#include "capture/capture.h"
#include "cmd/cmds.h"

#define SEC	INT64_C(1000000000)

#define AT(field)	offsetof(struct capture_cfg, field)

static const struct pace_opt opts[] = {
	{ "interface", 'i', PACE_OPT_STR, AT(interface), 0, 0, 0, NULL, "IF",
	    "capture on this interface until Ctrl-C; any: on all", "Live" },
	{ "snap-length", 0, PACE_OPT_NUM, AT(snap), PACE_UNIT_BYTES, 64, 262144, "256", "BYTES",
	    "bytes captured of each frame", "Live" },
	{ "buffer", 0, PACE_OPT_NUM, AT(buffer), PACE_UNIT_BYTES, 1 << 20, 1 << 30, "64M", "BYTES",
	    "size of the kernel's ring buffer", "Live" },
	{ "promiscuous", 0, PACE_OPT_FLAG, AT(promiscuous), 0, 0, 0, NULL, NULL,
	    "also capture frames for other hosts, as on a mirror port", "Live" },
	{ "user", 0, PACE_OPT_STR, AT(user), 0, 0, 0, NULL, "NAME",
	    "run as this user once the source is open", "Live" },
	{ "monitor", 0, PACE_OPT_FLAG, AT(monitor), 0, 0, 0, NULL, NULL,
	    "show flows and their loss live", "Monitor" },
	{ "interval", 0, PACE_OPT_NUM, AT(interval_ns), PACE_UNIT_SEC, SEC / 10, 60 * SEC, "1s",
	    "TIME", "of --monitor: time from one update to the next", "Monitor" },
	{ "plain", 0, PACE_OPT_FLAG, AT(plain), 0, 0, 0, NULL, NULL,
	    "of --monitor: one line per flow and interval, no screen", "Monitor" },
	{ "monitor-jsonl", 0, PACE_OPT_STR, AT(lines), 0, 0, 0, NULL, "FILE",
	    "of --monitor: record the display, for udpace monitor --replay", "Monitor" },
	{ "duration", 't', PACE_OPT_NUM, AT(duration), PACE_UNIT_SEC, 1000000, 1000000 * SEC, NULL,
	    "TIME", "end after this time; in a file, by its time stamps", "Length" },
	{ "count", 'l', PACE_OPT_NUM, AT(count), PACE_UNIT_COUNT, 1, INT64_MAX, NULL, "N",
	    "end after this number of frames", "Length" },
	{ "pair", 0, PACE_OPT_FLAG, AT(between), 0, 0, 0, NULL, NULL,
	    "match the frames of two files: sender's and receiver's", "Two captures" },
	{ "format", 0, PACE_OPT_CHOICE, AT(format), 0, 0, 0, "auto", PACE_CAPTURE_FORMATS,
	    "format of all payloads, instead of recognising it", "Payload" },
	{ "sequence", 0, PACE_OPT_STR, AT(sequence), 0, 0, 0, NULL, "RULE",
	    "position of sequence numbers: OFFSET:BYTES:big|little[:MODULUS]", "Payload" },
	PACE_SINK_ROWS(struct capture_cfg, "text", "a stream"),
	PACE_SHORT_ROWS(struct capture_cfg),
	{ "no-host-info", 0, PACE_OPT_FLAG, AT(private), 0, 0, 0, NULL, NULL,
	    "leave facts of this host out of the result", "Output" },
	{ "quiet", 'q', PACE_OPT_FLAG, AT(quiet), 0, 0, 0, NULL, NULL,
	    "print no progress and no notices", "Output" },
	{ "verbose", 'v', PACE_OPT_FLAG, AT(sink.detail), 0, 0, 0, NULL, NULL,
	    "print a block with more figures for each stream", "Output" },
};

/* Check for options that exclude each other, and that a source is given. */
static bool
is_senseless(const struct pace_cmd *cmd, const struct capture_cfg *cfg, int argc)
{
	static const char *const live[] = { "snap-length", "buffer", "promiscuous", "monitor" };
	static const char *const shown[] = { "interval", "plain", "monitor-jsonl" };

	if (cfg->interface == NULL && argc == 0) {
		pace_complain("capture needs a FILE or --interface IF");
		pace_hint("see 'udpace capture --help'");
		return true;
	}
	if (cfg->interface != NULL && cfg->interface[0] == '\0') {
		pace_complain("--interface needs the name of an interface");
		return true;
	}
	if (cfg->between && (cfg->interface != NULL || argc < 2)) {
		pace_complain("--pair needs two files, the sender's and the receiver's");
		return true;
	}
	if (cfg->between && (cfg->duration > 0 || cfg->count > 0)) {
		pace_complain("--pair reads both files completely: omit --duration and --count");
		return true;
	}
	for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++)
		if (cfg->interface == NULL && pace_opt_given(cmd, cfg, live[i])) {
			pace_complain("--%s needs a live capture with --interface", live[i]);
			return true;
		}
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (!cfg->monitor && pace_opt_given(cmd, cfg, shown[i])) {
			pace_complain("--%s needs --monitor", shown[i]);
			return true;
		}
	if (cfg->monitor && (cfg->sink.json || cfg->sink.csv || cfg->sink.csv_short ||
	    (cfg->sink.jsonl != NULL && strcmp(cfg->sink.jsonl, "-") == 0))) {
		pace_complain("--monitor uses standard output; write the document with --output "
		    "FILE");
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
	if (is_senseless(cmd, arg, argc))
		return PACE_EXIT_USAGE;
	return pace_capture_command(arg, argc, argv, all_argc, all_argv);
}

static const char *const examples[] = {
	"# list the streams on an interface, until Ctrl-C",
	"udpace capture -i eth0",
	"# loss, order and gaps of one stream, for ten seconds",
	"udpace capture -i eth0 --duration 10 udp port 5004",
	"# see live which flow loses frames",
	"udpace capture -i eth0 --monitor",
	"# analyse a stream in a file",
	"udpace capture run.pcapng udp port 5004 -o run.json",
	"# account for every frame between two hosts, with one-way delays",
	"udpace capture --pair sender.pcap receiver.pcap",
	"# a detector with a 48-bit sequence number at byte 2",
	"udpace capture readout.pcap --sequence 2:6:big",
	NULL
};

const struct pace_cmd pace_cmd_capture = {
	"capture", "analyse other applications' streams, live or from a pcap file",
	"[FILE] [FILTER...]", 0, 1000, opts, sizeof(opts) / sizeof(opts[0]), examples,
	sizeof(struct capture_cfg), run, NULL,
};
