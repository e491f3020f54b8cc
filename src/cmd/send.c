#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "core/schedule.h"
#include "core/wire.h"
#include "opt/host_port.h"
#include "run/plan.h"
#include "run/streams.h"

#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)
#define HOUR	(3600 * SEC)
#define FORMATS	"udpace|plain|sequence|udpmon|rtp|vdif|spead|vtp|lofar"

static const char *const formats[] = { "udpace", "plain", "sequence", "udpmon", "rtp", "vdif",
    "spead", "vtp", "lofar" };
static const unsigned flavours[] = { 40, 48 };	/* as --spead */

struct send_cfg {
	struct pace_given given;
	struct pace_list size, spacing, rate;
	int64_t		count, duration, bursts, burst_gap, train, catch_up, stagger;
	int64_t		format, heap, spead;
	const char	*payload, *sequence;
	struct pace_list dscp, streams, cpu;
	struct pace_net_opts net;
	int64_t		vlan;
	struct pace_sink_cfg sink;
	const char	*capture;
	bool		loop, allow_public, fragment, dry_run;
};

#define AT(field)	offsetof(struct send_cfg, field)
#define NET(member)	PACE_NET_AT(struct send_cfg, member)

static const struct pace_opt opts[] = {
	{ "size", 'p', PACE_OPT_LIST, AT(size), PACE_UNIT_BYTES, 1, PACE_FRAME_MAX, "1472", "LIST",
	    "UDP payload of a frame; without it, the largest up to 1472 that the format has",
	    "Stream" },
	{ "spacing", 'w', PACE_OPT_LIST, AT(spacing), PACE_UNIT_USEC, 0, PACE_SPACING_MAX_NS, "1ms",
	    "LIST", "time from one frame to the next; 0: as fast as possible", "Stream" },
	{ "rate", 'r', PACE_OPT_LIST, AT(rate), PACE_UNIT_BPS, 1, INT64_C(1000000000000), NULL,
	    "LIST", "user data rate, instead of --spacing", "Stream" },
	{ "count", 'l', PACE_OPT_NUM, AT(count), PACE_UNIT_COUNT, 1, INT64_C(1000000000000), NULL,
	    "N", "frames of a stream, or of each burst", "Stream" },
	{ "duration", 't', PACE_OPT_NUM, AT(duration), PACE_UNIT_SEC, MS, 24 * HOUR, "10s", "TIME",
	    "length of the stream, instead of --count", "Stream" },
	{ "streams", 'P', PACE_OPT_LIST, AT(streams), PACE_UNIT_COUNT, 1, PACE_STREAMS, "1", "LIST",
	    "streams at once, each with its own source port, size, spacing and frames", "Stream" },
	{ "stagger", 0, PACE_OPT_CHOICE, AT(stagger), 0, 0, 0, "even", "even|random|none",
	    "begin of the streams within one spacing; none: all at once", "Stream" },
	{ "bursts", 'n', PACE_OPT_NUM, AT(bursts), PACE_UNIT_COUNT, 1, 1000000000, "1", "N",
	    "bursts of --count frames each", "Stream" },
	{ "burst-gap", 'g', PACE_OPT_NUM, AT(burst_gap), PACE_UNIT_USEC, 0, 60 * SEC, "0", "TIME",
	    "pause between bursts, in addition to the spacing", "Stream" },
	{ "train", 0, PACE_OPT_NUM, AT(train), PACE_UNIT_COUNT, 0, 65536, "0", "N",
	    "send N frames back to back every N spacings; 0: 1, or the maximum at spacing 0",
	    "Stream" },
	{ "catch-up", 0, PACE_OPT_CHOICE, AT(catch_up), 0, 0, 0, "auto", "auto|burst|slip|skip",
	    "how the sender treats overdue frames", "Stream" },
	{ "dry-run", 0, PACE_OPT_FLAG, AT(dry_run), 0, 0, 0, NULL, NULL,
	    "print what would be sent, and its duration; send nothing", "Stream" },
	{ "format", 0, PACE_OPT_CHOICE, AT(format), 0, 0, 0, "udpace", FORMATS,
	    "format of the frames", "Frames" },
	{ "payload", 0, PACE_OPT_STR, AT(payload), 0, 0, 0, "pattern", "FILE|pattern",
	    "bytes behind the header of each frame, repeated if there are too few", "Frames" },
	{ "sequence", 0, PACE_OPT_STR, AT(sequence), 0, 0, 0, NULL, "RULE",
	    "with --format sequence: position of the numbers: OFFSET:BYTES:big|little[:MODULUS]",
	    "Frames" },
	{ "heap", 0, PACE_OPT_NUM, AT(heap), PACE_UNIT_COUNT, 1, 1000000, "16", "N",
	    "with --format spead: frames of a heap", "Frames" },
	{ "spead", 0, PACE_OPT_CHOICE, AT(spead), 0, 0, 0, "64-40", "64-40|64-48",
	    "with --format spead: its flavour", "Frames" },
	{ "port", 'u', PACE_OPT_NUM, NET(port), PACE_UNIT_COUNT, 1, 65535, "14233", "PORT",
	    "UDP port of the destination, if DEST has none", "Network" },
	{ "source-port", 'U', PACE_OPT_NUM, NET(source_port), PACE_UNIT_COUNT, 1, 65535, NULL,
	    "PORT", "send from this port", "Network" },
	{ "ipv4", '4', PACE_OPT_FLAG, NET(ipv4), 0, 0, 0, NULL, NULL, "IPv4 only", "Network" },
	{ "ipv6", '6', PACE_OPT_FLAG, NET(ipv6), 0, 0, 0, NULL, NULL, "IPv6 only", "Network" },
	{ "ttl", 0, PACE_OPT_NUM, NET(ttl), PACE_UNIT_COUNT, 1, 255, NULL, "N",
	    "time to live, or hop limit; without it, 1 to a multicast group", "Network" },
	{ "loop", 0, PACE_OPT_FLAG, AT(loop), 0, 0, 0, NULL, NULL,
	    "multicast: also to receivers on this host", "Network" },
	{ "allow-public", 0, PACE_OPT_FLAG, AT(allow_public), 0, 0, 0, NULL, NULL,
	    "allow a public address of one host; needs --rate and --duration", "Network" },
	PACE_MARK_ROWS(struct send_cfg),
	{ "dscp", 'Q', PACE_OPT_DSCP_LIST, AT(dscp), PACE_UNIT_COUNT, 0, 63, "0", "LIST",
	    "code points of frames, numbers or names", "Network" },
	{ "fragment", 0, PACE_OPT_FLAG, AT(fragment), 0, 0, 0, NULL, NULL,
	    "allow sizes above the path MTU, sent as fragments", "Network" },
	{ "vlan", 0, PACE_OPT_NUM, AT(vlan), PACE_UNIT_COUNT, 0, 2, "0", "N",
	    "VLAN tags included in wire rates", "Network" },
	{ "sndbuf", 0, PACE_OPT_NUM, NET(sndbuf), PACE_UNIT_BYTES, 2048, INT64_C(1) << 30, "16M",
	    "SIZE", "requested size of the send buffer", "Network" },
	{ "cpu", 'a', PACE_OPT_LIST, AT(cpu), PACE_UNIT_COUNT, 0, PACE_CORE_MAX, NULL, "LIST",
	    "core for the sender; several: a thread on each sends its share of --streams", "Host" },
	{ "capture", 0, PACE_OPT_STR, AT(capture), 0, 0, 0, NULL, "IF",
	    "also capture the stream on IF: frames and gaps on the wire", "Host" },
	PACE_SINK_ROWS(struct send_cfg, "table", "a point"),
	PACE_SHORT_ROWS(struct send_cfg),
	PACE_PRIVATE_ROW(struct send_cfg),
	PACE_QUIET_ROW(struct send_cfg, "print no progress and no notices"),
	{ "verbose", 'v', PACE_OPT_FLAG, AT(sink.detail), 0, 0, 0, NULL, NULL,
	    "print more about each point", "Output" },
};

/* Were both options given, although they exclude each other? */
static bool
both(const struct pace_cmd *cmd, const struct send_cfg *cfg, const char *a, const char *b,
    const char *why)
{
	if (!pace_opt_given(cmd, cfg, a) || !pace_opt_given(cmd, cfg, b))
		return false;
	pace_complain("--%s and --%s exclude each other: %s", a, b, why);
	return true;
}

/* Was an option given that only another format has? */
static bool
lacks_format(const struct pace_cmd *cmd, const struct send_cfg *cfg)
{
	static const char *const names[] = { "heap", "spead" };

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
	bool several = false;

	for (int i = 0; i < cfg->streams.n; i++)
		several |= cfg->streams.v[i] > 1;
	if (both(cmd, cfg, "spacing", "rate", "each sets the spacing") ||
	    both(cmd, cfg, "count", "duration", "each ends the stream") || lacks_format(cmd, cfg))
		return true;
	if (cfg->bursts > 1 && !pace_opt_given(cmd, cfg, "count"))
		pace_complain("--bursts needs --count, the frames of each burst");
	else if (cfg->bursts > 1 && cfg->count > INT64_C(1000000000000000) / cfg->bursts)
		pace_complain("--count and --bursts: %lld bursts of %lld frames are more than "
		    "10^15 frames", (long long)cfg->bursts, (long long)cfg->count);
	else if (!several && pace_opt_given(cmd, cfg, "stagger"))
		pace_complain("--stagger needs several streams: give --streams");
	else if (cfg->cpu.n > 1 && !several)
		pace_complain("--cpu: one stream needs one core; several cores need --streams");
	else if (cfg->allow_public && (!pace_opt_given(cmd, cfg, "rate") ||
	    !pace_opt_given(cmd, cfg, "duration")))
		pace_complain("--allow-public needs --rate and --duration");
	else
		return pace_sink_contradicts(&cfg->sink) || pace_net_contradicts(&cfg->net);
	return true;
}

/* NULL after an error message. */
static struct pace_params *
make_plan(const struct pace_cmd *cmd, const struct send_cfg *cfg, const struct pace_list *size,
    size_t *n)
{
	struct pace_plan_cfg pc = {
		.size = size, .spacing = &cfg->spacing, .dscp = &cfg->dscp,
		.streams = &cfg->streams,
		.rate = pace_opt_given(cmd, cfg, "rate") ? &cfg->rate : NULL,
		.repeats = 1, .train = (uint64_t)cfg->train,
		.each = {
			.direction = PACE_UP, .no_receiver = true,
			.ecn = (enum pace_ecn)cfg->net.ecn, .count = (uint64_t)cfg->count,
			.duration_ns = pace_opt_given(cmd, cfg, "count") ? 0 : cfg->duration,
			.catch_up = (enum pace_catch_up)cfg->catch_up,
			.stagger = (enum pace_stagger)cfg->stagger,
			.bursts = (uint64_t)cfg->bursts, .burst_gap_ns = cfg->burst_gap,
		},
	};

	return pace_plan_make(&pc, n);
}

static int
send_frames(const struct pace_cmd *cmd, const struct send_cfg *cfg, struct pace_streams_cfg *pc,
    struct pace_send_run *send)
{
	struct pace_list *size = malloc(sizeof(*size));
	struct pace_params *plan;
	int status = PACE_EXIT_USAGE;

	if (size == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	*size = cfg->size;
	if (!pc->size_given)
		size->v[0] = pace_send_fit(send, (uint32_t)size->v[0]);
	if (size->v[0] == 0)
		pace_complain("--size: no frame of this format fits %lld bytes",
		    (long long)cfg->size.v[0]);
	plan = size->v[0] > 0 ? make_plan(cmd, cfg, size, &pc->n) : NULL;
	free(size);
	if (plan == NULL)
		return status;
	pc->asks = plan;
	pc->send = send;
	status = pace_streams_run(pc);
	free(plan);
	return status;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc, char **all_argv)
{
	struct send_cfg *cfg = arg;
	const struct pace_send_cfg sc = { .format = formats[cfg->format], .sequence = cfg->sequence,
	    .payload = strcmp(cfg->payload, "pattern") != 0 ? cfg->payload : NULL,
	    .heap_frames = (uint64_t)cfg->heap, .address_bits = flavours[cfg->spead],
	    .allow_public = cfg->allow_public };
	struct pace_streams_cfg pc = {
		.probe = { .sink = cfg->sink, .dry_run = cfg->dry_run, .argc = all_argc,
		    .argv = all_argv },
		.vlan_tags = (uint32_t)cfg->vlan,
		.sndbuf_given = pace_opt_given(cmd, cfg, "sndbuf"),
		.size_given = pace_opt_given(cmd, cfg, "size"),
		.max_loss = -1, .capture = cfg->capture,
	};
	struct pace_threads threads;
	struct pace_send_run *send;
	char host[256];
	int64_t port;
	int status;

	(void)argc;
	if (contradictory(cmd, cfg) ||
	    !pace_host_port(argv[0], "DEST[:PORT]", host, sizeof(host), &port) ||
	    pace_peer_threads(&cfg->cpu, &threads) < 0)
		return PACE_EXIT_USAGE;
	if (port > 0 && pace_opt_given(cmd, cfg, "port")) {
		pace_complain("--port: '%s' has a port already", argv[0]);
		return PACE_EXIT_USAGE;
	}
	cfg->net.port = port > 0 ? port : cfg->net.port;
	pc.probe.peer = pace_peer_cfg(cmd, cfg, &cfg->net, host);
	pc.probe.peer.cpu = threads.n > 0 ? threads.core[0] : -1;
	pc.probe.peer.threads = &threads;
	pc.probe.peer.dscp = (int)cfg->dscp.v[0];
	pc.probe.peer.fragment = cfg->fragment;
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
