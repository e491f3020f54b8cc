#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "opt/host_port.h"
#include "run/stream_opts.h"

#define FORMATS	"udpace|plain|sequence|udpmon|rtp|vdif|spead|vtp|lofar"

static const char *const formats[] = { "udpace", "plain", "sequence", "udpmon", "rtp", "vdif",
    "spead", "vtp", "lofar" };
static const unsigned flavours[] = { 40, 48 };	/* as --spead */

struct send_cfg {
	struct pace_given given;
	struct pace_stream_opts stream;
	int64_t		format, heap, spead, descriptors;
	const char	*payload, *sequence;
	struct pace_net_opts net;
	struct pace_sink_cfg sink;
	bool		loop, allow_public;
};

#define AT(field)	offsetof(struct send_cfg, field)
#define NET(member)	PACE_NET_AT(struct send_cfg, member)

static const struct pace_opt opts[] = {
	PACE_STREAM_ROWS(struct send_cfg, 1,
	    "UDP payload of a frame; without it, the largest up to 1472 that the format has",
	    "frames of a stream, or of each burst", "length of the stream, instead of --count"),
	PACE_SEVERAL_ROWS(struct send_cfg,
	    "streams at once, each with its own source port, size, spacing and frames"),
	PACE_DRY_RUN_ROW(struct send_cfg,
	    "print what would be sent, and its duration; send nothing", "Stream"),
	{ "format", 0, PACE_OPT_CHOICE, AT(format), 0, 0, 0, "udpace", FORMATS,
	    "format of the frames", "Frames" },
	{ "payload", 0, PACE_OPT_STR, AT(payload), 0, 0, 0, "pattern", "FILE|pattern",
	    "bytes behind the header of each frame, repeated if there are too few", "Frames" },
	{ "sequence", 0, PACE_OPT_STR, AT(sequence), 0, 0, 0, NULL, "RULE",
	    "with --format sequence: position of the numbers: OFFSET:BYTES:big|little[:MODULUS]",
	    "Frames" },
	{ "heap", 0, PACE_OPT_NUM, AT(heap), PACE_UNIT_COUNT, 1, 1000000, "16", "N",
	    "with --format spead: frames of a heap", "Frames" },
	{ "descriptors-every", 0, PACE_OPT_NUM, AT(descriptors), PACE_UNIT_COUNT, 1, 1000000000, NULL,
	    "N", "with --format spead: send the descriptors again after each N heaps", "Frames" },
	{ "spead", 0, PACE_OPT_CHOICE, AT(spead), 0, 0, 0, "64-40", "64-40|64-48",
	    "with --format spead: its flavour", "Frames" },
	{ "port", 'u', PACE_OPT_NUM, NET(port), PACE_UNIT_COUNT, 1, 65535, "14233", "PORT",
	    "UDP port of the destination, if DEST has none", "Network" },
	{ "source-port", 'U', PACE_OPT_NUM, NET(source_port), PACE_UNIT_COUNT, 1, 65535, NULL,
	    "PORT", "send from this port", "Network" },
	PACE_FAMILY_ROWS(struct send_cfg),
	{ "ttl", 0, PACE_OPT_NUM, NET(ttl), PACE_UNIT_COUNT, 1, 255, NULL, "N",
	    "time to live, or hop limit; without it, 1 to a multicast group", "Network" },
	{ "loop", 0, PACE_OPT_FLAG, AT(loop), 0, 0, 0, NULL, NULL,
	    "multicast: also to receivers on this host", "Network" },
	{ "allow-public", 0, PACE_OPT_FLAG, AT(allow_public), 0, 0, 0, NULL, NULL,
	    "allow a public address of one host; needs --rate and --duration", "Network" },
	PACE_MARK_ROWS(struct send_cfg),
	PACE_FRAME_ROWS(struct send_cfg),
	{ "sndbuf", 0, PACE_OPT_NUM, NET(sndbuf), PACE_UNIT_BYTES, 2048, INT64_C(1) << 30, "16M",
	    "SIZE", "requested size of the send buffer", "Network" },
	PACE_CORES_ROW(struct send_cfg,
	    "core for the sender; several: a thread on each sends its share of --streams"),
	PACE_CAPTURE_ROW(struct send_cfg),
	PACE_SINK_ROWS(struct send_cfg, "table", "a point"),
	PACE_SHORT_ROWS(struct send_cfg),
	PACE_PRIVATE_ROW(struct send_cfg),
	PACE_QUIET_ROW(struct send_cfg, "print no progress and no notices"),
	{ "verbose", 'v', PACE_OPT_FLAG, AT(sink.detail), 0, 0, 0, NULL, NULL,
	    "print more about each point", "Output" },
};

/* Was an option given that only another format has? */
static bool
lacks_format(const struct pace_cmd *cmd, const struct send_cfg *cfg)
{
	static const char *const names[] = { "heap", "descriptors-every", "spead" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(formats[cfg->format], "spead") != 0 &&
		    pace_opt_given(cmd, cfg, names[i])) {
			pace_complain("--%s needs --format spead", names[i]);
			return true;
		}
	return false;
}

static bool
contradictory(const struct pace_cmd *cmd, const struct send_cfg *cfg)
{
	if (pace_stream_contradicts(cmd, cfg, &cfg->stream) || lacks_format(cmd, cfg))
		return true;
	if (!pace_stream_several(&cfg->stream) && pace_opt_given(cmd, cfg, "stagger"))
		pace_complain("--stagger needs several streams: give --streams");
	else if (cfg->allow_public && (!pace_opt_given(cmd, cfg, "rate") ||
	    !pace_opt_given(cmd, cfg, "duration")))
		pace_complain("--allow-public needs --rate and --duration");
	else
		return pace_sink_contradicts(&cfg->sink) || pace_net_contradicts(&cfg->net);
	return true;
}

static int
send_frames(const struct pace_cmd *cmd, struct send_cfg *cfg, struct pace_streams_cfg *pc,
    struct pace_send_run *send)
{
	struct pace_plan_cfg plan = pace_stream_plan(cmd, cfg, &cfg->stream, &cfg->net);
	int64_t *size = &cfg->stream.size.v[0], asked = *size;
	int status;

	plan.each.no_receiver = true;
	if (!pc->size_given)
		*size = pace_send_fit(send, (uint32_t)*size);
	if (*size == 0)
		pace_complain("--size: no frame of this format fits %lld bytes", (long long)asked);
	pc->asks = *size > 0 ? pace_plan_make(&plan, &pc->n) : NULL;
	if (pc->asks == NULL)
		return PACE_EXIT_USAGE;
	pc->send = send;
	status = pace_streams_run(pc);
	free(pc->asks);
	return status;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc, char **all_argv)
{
	struct send_cfg *cfg = arg;
	const struct pace_send_cfg sc = { .format = formats[cfg->format], .sequence = cfg->sequence,
	    .payload = strcmp(cfg->payload, "pattern") != 0 ? cfg->payload : NULL,
	    .heap_frames = (uint64_t)cfg->heap,
	    .describe_heaps = (uint64_t)cfg->descriptors, .address_bits = flavours[cfg->spead],
	    .allow_public = cfg->allow_public };
	struct pace_streams_cfg pc = {
		.probe = { .sink = cfg->sink, .argc = all_argc, .argv = all_argv },
		.max_loss = -1,
	};
	struct pace_threads threads;
	struct pace_send_run *send;
	char host[256];
	int64_t port;
	int status;

	(void)argc;
	if (contradictory(cmd, cfg) ||
	    !pace_host_port(argv[0], "DEST[:PORT]", host, sizeof(host), &port))
		return PACE_EXIT_USAGE;
	if (port > 0 && pace_opt_given(cmd, cfg, "port")) {
		pace_complain("--port: '%s' has a port already", argv[0]);
		return PACE_EXIT_USAGE;
	}
	cfg->net.port = port > 0 ? port : cfg->net.port;
	pc.probe.peer = pace_peer_cfg(cmd, cfg, &cfg->net, host);
	if (!pace_stream_apply(&pc, cmd, cfg, &cfg->stream, &threads))
		return PACE_EXIT_USAGE;
	pc.probe.peer.alone = true;
	pc.probe.peer.loop = cfg->loop;
	send = malloc(sizeof(*send));
	if (send == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	status = pace_send_open(send, &sc);
	if (status == PACE_EXIT_OK)
		status = send_frames(cmd, cfg, &pc, send);
	pace_send_close(send);
	free(send);
	return status;
}

static const char *const examples[] = {
	"# a multicast group, 1472 bytes every 1 ms for 10 s",
	"udpace send 239.1.1.1:5000 --interface eth0",
	"# what would be sent",
	"udpace send 239.1.1.1:5000 --rate 1G --size 8972 --dry-run",
	"# SPEAD heaps of 64 frames at 10 Gbit/s, smooth",
	"udpace send 239.1.1.1:7148 --format spead --heap 64 --size 8248 --rate 10G",
	"# a VLBI station: 8000 bytes of samples, 31250 frames a second",
	"udpace send 10.0.0.2:46227 --format vdif --size 8032 --spacing 32us",
	"# a LOFAR antenna field: four boards, a frame of each every 81.92 us",
	"udpace send 10.0.0.2:4346 --format lofar --size 7824 -w 81.92us -P 4",
	NULL
};

const struct pace_cmd pace_cmd_send = {
	"send", "send a stream without a responder: multicast, SPEAD, VDIF, LOFAR",
	"DEST[:PORT]", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct send_cfg), run, NULL,
};
