#include "config.h"

#include <string.h>

#include "capture/capture.h"
#include "cmd/cmds.h"

#define AT	CAPTURE_AT

static const struct pace_opt opts[] = {
	{ "interface", 'i', PACE_OPT_STR, AT(interface), 0, 0, 0, NULL, "IF",
	    "receive on this interface only, and join a multicast group there", "Live" },
	CAPTURE_JOIN_ROW("receive this multicast group, from SOURCE alone if it is given"),
	{ "rcvbuf", 0, PACE_OPT_NUM, AT(rcvbuf), PACE_UNIT_BYTES, 2048, 1 << 29, "16M", "SIZE",
	    "requested size of the receive buffer", "Live" },
	CAPTURE_USER_ROW,
	CAPTURE_MONITOR_ROWS,
	CAPTURE_LENGTH_ROWS("end after this time"),
	CAPTURE_PAYLOAD_ROWS,
	CAPTURE_OUTPUT_ROWS,
	{ "record", 0, PACE_OPT_STR, AT(record), 0, 0, 0, NULL, "FILE",
	    "also write the time and the first bytes of each frame to FILE, in pcap format",
	    "Output" },
};

static bool
is_lines(const struct capture_cfg *cfg)
{
	if (cfg->lines == NULL || !pace_sink_one_file(cfg->lines, cfg->record))
		return false;
	pace_complain("--record and --monitor-jsonl write to the same file");
	return true;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	struct capture_cfg *cfg = arg;

	cfg->port = argv[0];
	cfg->rcvbuf_given = pace_opt_given(cmd, cfg, "rcvbuf");
	if (cfg->interface != NULL && cfg->interface[0] == '\0') {
		pace_complain("--interface needs the name of an interface");
		return PACE_EXIT_USAGE;
	}
	if (cfg->record != NULL && (pace_sink_writes_to(&cfg->sink, "record", cfg->record) ||
	    is_lines(cfg)))
		return PACE_EXIT_USAGE;
	if (pace_capture_contradicts(cmd, cfg))
		return PACE_EXIT_USAGE;
	return pace_capture_command(cfg, argc, argv, all_argc, all_argv);
}

static const char *const examples[] = {
	"# what comes to a port: loss, order and gaps, until Ctrl-C",
	"udpace receive 5000",
	"# a multicast group, for ten seconds",
	"udpace receive 239.1.1.1:5000 --interface eth0 --duration 10",
	"# from one source alone",
	"udpace receive 5000 --join 232.1.1.1,10.0.0.1 --interface eth0",
	"# record each frame for hours, and analyse the record again",
	"udpace receive 5000 --record run.pcap -o run.json",
	"# an IPv6 group, live",
	"udpace receive '[ff15::1]:7148' --interface eth0 --format spead --monitor",
	NULL
};

const struct pace_cmd pace_cmd_receive = {
	"receive", "receive other applications' streams on a socket, without libpcap",
	"[ADDR:]PORT", 1, 1, opts, sizeof(opts) / sizeof(opts[0]), examples,
	sizeof(struct capture_cfg), run, NULL,
};
