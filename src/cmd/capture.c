#include "config.h"

#include <string.h>

#include "capture/capture.h"
#include "cmd/cmds.h"

#define AT	CAPTURE_AT

static const struct pace_opt opts[] = {
	{ "interface", 'i', PACE_OPT_STR, AT(interface), 0, 0, 0, NULL, "IF",
	    "capture on this interface until Ctrl-C; any: on all", "Live" },
	{ "snap-length", 0, PACE_OPT_NUM, AT(snap), PACE_UNIT_BYTES, 64, 262144, "256", "BYTES",
	    "bytes captured of each frame", "Live" },
	{ "buffer", 0, PACE_OPT_NUM, AT(buffer), PACE_UNIT_BYTES, 1 << 20, 1 << 30, "64M", "BYTES",
	    "size of the kernel's ring buffer", "Live" },
	{ "promiscuous", 0, PACE_OPT_FLAG, AT(promiscuous), 0, 0, 0, NULL, NULL,
	    "also capture frames for other hosts, as on a mirror port", "Live" },
	CAPTURE_JOIN_ROW("be a member of this multicast group, so that the network delivers it"),
	CAPTURE_USER_ROW,
	CAPTURE_MONITOR_ROWS,
	CAPTURE_LENGTH_ROWS("end after this time; in a file, by its time stamps"),
	{ "pair", 0, PACE_OPT_FLAG, AT(pair), 0, 0, 0, NULL, NULL,
	    "match the frames of two files: sender's and receiver's", "Two captures" },
	CAPTURE_PAYLOAD_ROWS,
	CAPTURE_OUTPUT_ROWS,
};

/* Check for options that exclude each other, and that a source is given. */
static bool
is_senseless(const struct pace_cmd *cmd, const struct capture_cfg *cfg, int argc)
{
	static const char *const live[] = { "snap-length", "buffer", "promiscuous", "join",
	    "monitor" };

	if (cfg->interface == NULL && argc == 0) {
		pace_complain("capture needs a FILE or --interface IF");
		pace_hint("see 'udpace capture --help'");
		return true;
	}
	if (cfg->interface != NULL && cfg->interface[0] == '\0') {
		pace_complain("--interface needs the name of an interface");
		return true;
	}
	if (cfg->pair && (cfg->interface != NULL || argc < 2)) {
		pace_complain("--pair needs two files, the sender's and the receiver's");
		return true;
	}
	if (cfg->pair && (cfg->duration > 0 || cfg->count > 0)) {
		pace_complain("--pair reads both files completely: omit --duration and --count");
		return true;
	}
	if (cfg->pair && cfg->message > 0) {
		pace_complain("--pair compares frames: omit --message");
		return true;
	}
	for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++)
		if (cfg->interface == NULL && pace_opt_given(cmd, cfg, live[i])) {
			pace_complain("--%s needs a live capture with --interface", live[i]);
			return true;
		}
	return pace_capture_contradicts(cmd, cfg);
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
	"# ask the network for a multicast group, from one source",
	"udpace capture -i eth0 --join 232.1.1.1,10.0.0.1 udp port 5004",
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
