#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmds.h"
#include "cli/probe.h"
#include "core/schedule.h"
#include "core/wire.h"
#include "session/msg.h"

#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)
#define HOUR	(3600 * SEC)
#define PLAN_MAX	100000
#define FRAMES_MAX	INT64_C(1000000000000000)
#define PACE_TRAIN_MAX	64		/* of those that nobody asked for */

struct throughput_cfg {
	struct pace_given given;
	struct pace_list size, spacing, rate;
	int64_t		count, duration, bursts, burst_gap, grace, train, catch_up;
	struct pace_lens_arg linear;
	int64_t		port, source_port, dscp, ttl, vlan, sndbuf, rcvbuf, cpu;
	int64_t		max_loss, min_rate;
	const char	*label, *jsonl, *output;
	bool		verify, busy_poll, ipv4, ipv6, fragment, no_wait, json, csv, force, quiet, verbose;
};

#define AT(field)	offsetof(struct throughput_cfg, field)

static const struct pace_opt opts[] = {
	{ "size", 'p', PACE_OPT_LIST, AT(size), PACE_UNIT_BYTES, PACE_HDR_SIZE,
	    PACE_FRAME_MAX, "1472", "LIST", "UDP payload of a frame", "Stream" },
	{ "spacing", 'w', PACE_OPT_LIST, AT(spacing), PACE_UNIT_USEC, 0,
	    PACE_SPACING_MAX_NS, "1ms", "LIST",
	    "from one frame to the next; 0: as fast as possible", "Stream" },
	{ "rate", 'r', PACE_OPT_LIST, AT(rate), PACE_UNIT_BPS, 1, INT64_C(1000000000000),
	    NULL, "LIST", "user data rate, instead of --spacing", "Stream" },
	{ "count", 'l', PACE_OPT_NUM, AT(count), PACE_UNIT_COUNT, 1, INT64_C(1000000000000),
	    NULL, "N", "frames of a point, or of each burst", "Stream" },
	{ "duration", 't', PACE_OPT_NUM, AT(duration), PACE_UNIT_SEC, MS, 24 * HOUR, "10s",
	    "TIME", "length of a point, instead of --count", "Stream" },
	{ "bursts", 'n', PACE_OPT_NUM, AT(bursts), PACE_UNIT_COUNT, 1, 1000000000, "1", "N",
	    "bursts of --count frames each", "Stream" },
	{ "burst-gap", 'g', PACE_OPT_NUM, AT(burst_gap), PACE_UNIT_USEC, 0, 60 * SEC, "0",
	    "TIME", "pause between bursts, beside the spacing", "Stream" },
	{ "train", 0, PACE_OPT_NUM, AT(train), PACE_UNIT_COUNT, 0, 65536, "0", "N",
	    "frames back to back every N spacings; 0: 1, or the most at spacing 0", "Stream" },
	{ "catch-up", 0, PACE_OPT_CHOICE, AT(catch_up), 0, 0, 0, "auto",
	    "auto|burst|slip|skip", "what becomes of frames that are overdue", "Stream" },
	{ "verify", 0, PACE_OPT_FLAG, AT(verify), 0, 0, 0, NULL, NULL,
	    "check every payload, count the damaged", "Stream" },
	{ "linear", 0, PACE_OPT_LENS, AT(linear), 0, 0, 0, NULL, "LOW:WIDTH:BINS",
	    "also a linear histogram of arrival gaps", "Stream" },
	{ "grace", 0, PACE_OPT_NUM, AT(grace), PACE_UNIT_SEC, 0, 60 * SEC, "500ms", "TIME",
	    "wait for late frames after the last one", "Stream" },
	{ "port", 'u', PACE_OPT_NUM, AT(port), PACE_UNIT_COUNT, 1, 65535, "14233", "PORT",
	    "the responder's UDP port", "Network" },
	{ "source-port", 'U', PACE_OPT_NUM, AT(source_port), PACE_UNIT_COUNT, 1, 65535, NULL,
	    "PORT", "send from this port", "Network" },
	{ "ipv4", '4', PACE_OPT_FLAG, AT(ipv4), 0, 0, 0, NULL, NULL, "IPv4 only", "Network" },
	{ "ipv6", '6', PACE_OPT_FLAG, AT(ipv6), 0, 0, 0, NULL, NULL, "IPv6 only", "Network" },
	{ "dscp", 'Q', PACE_OPT_DSCP, AT(dscp), PACE_UNIT_COUNT, 0, 63, "0", "DSCP",
	    "code point of every frame, a number or a name", "Network" },
	{ "ttl", 0, PACE_OPT_NUM, AT(ttl), PACE_UNIT_COUNT, 1, 255, NULL, "N",
	    "time to live, or hop limit", "Network" },
	{ "fragment", 0, PACE_OPT_FLAG, AT(fragment), 0, 0, 0, NULL, NULL,
	    "let sizes above the path MTU go as fragments", "Network" },
	{ "vlan", 0, PACE_OPT_NUM, AT(vlan), PACE_UNIT_COUNT, 0, 2, "0", "N",
	    "VLAN tags to count in wire rates", "Network" },
	{ "sndbuf", 0, PACE_OPT_NUM, AT(sndbuf), PACE_UNIT_BYTES, 2048, INT64_C(1) << 30,
	    "16M", "SIZE", "send buffer to ask for", "Network" },
	{ "rcvbuf", 0, PACE_OPT_NUM, AT(rcvbuf), PACE_UNIT_BYTES, 2048, INT64_C(1) << 26,
	    "16M", "SIZE", "receive buffer to ask for, at the responder", "Network" },
	{ "cpu", 'a', PACE_OPT_NUM, AT(cpu), PACE_UNIT_COUNT, 0, 1023, NULL, "CORE",
	    "core for the sender", "Host" },
	{ "busy-poll", 0, PACE_OPT_FLAG, AT(busy_poll), 0, 0, 0, NULL, NULL,
	    "let the responder spin while it receives", "Host" },
	{ "label", 0, PACE_OPT_STR, AT(label), 0, 0, PACE_LABEL_SIZE - 1, NULL, "TEXT",
	    "what waiting clients are told of this one", "Session" },
	{ "no-wait", 0, PACE_OPT_FLAG, AT(no_wait), 0, 0, 0, NULL, NULL,
	    "exit 3 at once when another client measures", "Session" },
	{ "json", 0, PACE_OPT_FLAG, AT(json), 0, 0, 0, NULL, NULL,
	    "one JSON document instead of the table", "Output" },
	{ "csv", 0, PACE_OPT_FLAG, AT(csv), 0, 0, 0, NULL, NULL,
	    "CSV, one row a point, instead of the table", "Output" },
	{ "jsonl", 0, PACE_OPT_STR, AT(jsonl), 0, 0, 0, NULL, "FILE",
	    "also one JSON object a line as it happens; - is stdout", "Output" },
	{ "output", 'o', PACE_OPT_STR, AT(output), 0, 0, 0, NULL, "FILE",
	    "also the JSON document, to a file", "Output" },
	{ "force", 0, PACE_OPT_FLAG, AT(force), 0, 0, 0, NULL, NULL,
	    "let --output and --jsonl replace a file", "Output" },
	{ "quiet", 'q', PACE_OPT_FLAG, AT(quiet), 0, 0, 0, NULL, NULL,
	    "no progress and no notices", "Output" },
	{ "verbose", 'v', PACE_OPT_FLAG, AT(verbose), 0, 0, 0, NULL, NULL,
	    "more of each point", "Output" },
	{ "max-loss", 0, PACE_OPT_NUM, AT(max_loss), PACE_UNIT_RATIO, 0, 1000000000, NULL,
	    "RATIO", "exit 1 above this loss", "Limits" },
	{ "min-rate", 0, PACE_OPT_NUM, AT(min_rate), PACE_UNIT_BPS, 1,
	    INT64_C(1000000000000), NULL, "RATE", "exit 1 below this received user data rate",
	    "Limits" },
};

/* Two options that cannot both be given? */
static bool
both(const struct pace_cmd *cmd, const struct throughput_cfg *cfg, const char *a,
    const char *b, const char *why)
{
	if (!pace_opt_given(cmd, cfg, a) || !pace_opt_given(cmd, cfg, b))
		return false;
	pace_complain("--%s and --%s exclude each other: %s", a, b, why);
	return true;
}

static bool
contradictory(const struct pace_cmd *cmd, const struct throughput_cfg *cfg)
{
	if (both(cmd, cfg, "spacing", "rate", "each sets the spacing") ||
	    both(cmd, cfg, "count", "duration", "each ends the stream") ||
	    both(cmd, cfg, "ipv4", "ipv6", "without both the host's first address is taken") ||
	    both(cmd, cfg, "json", "csv", "each wants the standard output"))
		return true;
	if (cfg->jsonl != NULL && strcmp(cfg->jsonl, "-") == 0 && (cfg->json || cfg->csv)) {
		pace_complain("--jsonl - and --%s exclude each other: each wants the standard "
		    "output", cfg->json ? "json" : "csv");
		return true;
	}
	if (cfg->bursts > 1 && cfg->count > FRAMES_MAX / cfg->bursts) {
		pace_complain("--count and --bursts: %lld bursts of %lld frames are more than "
		    "10^15 frames", (long long)cfg->bursts, (long long)cfg->count);
		return true;
	}
	if (cfg->bursts > 1 && !pace_opt_given(cmd, cfg, "count")) {
		pace_complain("--bursts needs --count: the frames of each burst");
		return true;
	}
	return false;
}

static void
make_ask(const struct pace_cmd *cmd, const struct throughput_cfg *cfg, int64_t size,
    uint64_t spacing, struct pace_ask *a)
{
	memset(a, 0, sizeof(*a));
	a->size_bytes = (uint32_t)size;
	a->spacing = spacing;
	a->count = (uint64_t)cfg->count;
	a->duration_ns = pace_opt_given(cmd, cfg, "count") ? 0 : cfg->duration;
	a->train = (uint64_t)cfg->train;
	if (a->train == 0)
		a->train = spacing == 0 ? PACE_FRAME_MAX / (uint64_t)size : 1;
	if (cfg->train == 0 && a->train > PACE_TRAIN_MAX)
		a->train = PACE_TRAIN_MAX;
	a->catch_up = (enum pace_catch_up)cfg->catch_up;
	a->busy_poll = cfg->busy_poll;
	a->bursts = (uint64_t)cfg->bursts;
	a->burst_gap_ns = cfg->burst_gap;
	a->verify = cfg->verify;
	a->grace_ns = cfg->grace;
	a->lens.low = cfg->linear.low;
	a->lens.width = cfg->linear.width;
	a->lens.bins = (uint32_t)cfg->linear.bins;
}

/* Every size with every spacing or rate; *n points, NULL after a complaint. */
static struct pace_ask *
make_plan(const struct pace_cmd *cmd, const struct throughput_cfg *cfg, size_t *n)
{
	const struct pace_list *pace = pace_opt_given(cmd, cfg, "rate") ? &cfg->rate : &cfg->spacing;
	size_t all = (size_t)cfg->size.n * (size_t)pace->n, k = 0;
	struct pace_ask *v;

	if (all > PLAN_MAX) {
		pace_complain("%zu points are too many (at most %d)", all, PLAN_MAX);
		return NULL;
	}
	v = calloc(all, sizeof(*v));
	for (int i = 0; v != NULL && i < cfg->size.n; i++) {
		for (int j = 0; j < pace->n; j++) {
			uint64_t spacing = pace == &cfg->spacing ? pace_spacing_from_ns(pace->v[j]) :
			    pace_spacing_from_rate((uint32_t)cfg->size.v[i], pace->v[j]);

			if (pace == &cfg->rate && spacing == 0) {
				pace_complain("--rate: %lld bit/s of %lld-byte frames would be a "
				    "spacing above 2 s", (long long)pace->v[j],
				    (long long)cfg->size.v[i]);
				free(v);
				return NULL;
			}
			if (pace_spacing_ns(spacing) > 0 && cfg->train > PACE_SPACING_MAX_NS /
			    pace_spacing_ns(spacing)) {
				pace_complain("--train: '%lld' frames of this spacing would leave "
				    "less often than every 2 s", (long long)cfg->train);
				free(v);
				return NULL;
			}
			make_ask(cmd, cfg, cfg->size.v[i], spacing, &v[k++]);
		}
	}
	if (v == NULL)
		pace_complain("out of memory");
	*n = k;
	return v;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct throughput_cfg *cfg = arg;
	struct pace_probe_cfg pc = {
		.host = argv[0], .port = (uint16_t)cfg->port,
		.source_port = (uint16_t)cfg->source_port,
		.family = cfg->ipv4 ? 4 : cfg->ipv6 ? 6 : 0,
		.dscp = (int)cfg->dscp, .ttl = (int)cfg->ttl, .fragment = cfg->fragment,
		.vlan_tags = (uint32_t)cfg->vlan,
		.sndbuf_bytes = (uint32_t)cfg->sndbuf, .rcvbuf_bytes = (uint32_t)cfg->rcvbuf,
		.sndbuf_given = pace_opt_given(cmd, cfg, "sndbuf"),
		.rcvbuf_given = pace_opt_given(cmd, cfg, "rcvbuf"),
		.cpu = pace_opt_given(cmd, cfg, "cpu") ? (int)cfg->cpu : -1,
		.size_given = pace_opt_given(cmd, cfg, "size"), .label = cfg->label, .no_wait = cfg->no_wait, .quiet = cfg->quiet,
		.max_loss = pace_opt_given(cmd, cfg, "max-loss") ? (double)cfg->max_loss / 1e9 : -1,
		.min_rate_bps = (double)cfg->min_rate,
		.sink = { .json = cfg->json, .csv = cfg->csv, .jsonl = cfg->jsonl,
		    .output = cfg->output, .force = cfg->force, .detail = cfg->verbose },
		.argc = all_argc, .argv = all_argv,
	};
	struct pace_ask *plan;
	int status;

	(void)argc;
	if (contradictory(cmd, cfg))
		return 2;
	plan = make_plan(cmd, cfg, &pc.n);
	if (plan == NULL)
		return 2;
	pc.asks = plan;
	status = pace_probe_run(&pc);
	free(plan);
	return status;
}

static const char *const examples[] = {
	"# 1472 bytes every 1 ms for 10 s: does no harm",
	"udpace throughput hostb",
	"# a gigabit of full frames, the document to a file",
	"udpace throughput hostb --spacing 12.5us --count 100k -o run.json",
	"# UDPmon's picture: sizes and spacings",
	"udpace throughput hostb --size 64,512,1472 --spacing 0:40:4us --count 10k --csv",
	NULL
};

const struct pace_cmd pace_cmd_throughput = {
	"throughput", "stream frames at a spacing, and say what became of them", "HOST", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct throughput_cfg), run,
};
