#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "core/record.h"
#include "core/schedule.h"
#include "core/wire.h"
#include "doc/params.h"
#include "plat/sock.h"
#include "run/plan.h"
#include "run/probe.h"
#include "run/resume.h"
#include "run/stop.h"
#include "server/session.h"

#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)
#define HOUR	(3600 * SEC)
#define FRAMES_MAX	INT64_C(1000000000000000)

enum { STAMP_KERNEL, STAMP_NIC };	/* --stamp's words */

struct throughput_cfg {
	struct pace_given given;
	struct pace_list size, spacing, rate;
	int64_t		count, duration, bursts, burst_gap, grace, train, catch_up, stamp;
	int64_t		order, seed, repeat;
	const char	*resume;
	struct pace_list dscp;
	struct pace_linear_hist_arg linear;
	struct pace_net_opts net;
	int64_t		vlan, sndbuf, rcvbuf;
	int64_t		max_loss, min_rate;
	struct pace_sink_cfg sink;
	const char	*record, *capture;
	bool		verify, busy_poll, energy, fragment, record_lost, fit, dry_run, measure_skipped;
	/* not an option */
	struct pace_journal *journal;	/* of a run that goes on, NULL: of none */
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
	{ "linear", 0, PACE_OPT_LINEAR, AT(linear), 0, 0, 0, NULL, "LOW:WIDTH:BINS",
	    "also a linear histogram of arrival gaps", "Stream" },
	{ "grace", 0, PACE_OPT_NUM, AT(grace), PACE_UNIT_SEC, 0, 60 * SEC, "500ms", "TIME",
	    "wait for late frames after the last one", "Stream" },
	{ "order", 0, PACE_OPT_CHOICE, AT(order), 0, 0, 0, "size", PACE_ORDERS,
	    "points of a sweep by size, by spacing, or in random order", "Sweep" },
	{ "seed", 0, PACE_OPT_NUM, AT(seed), PACE_UNIT_COUNT, 0, UINT32_MAX, NULL, "N",
	    "the same --order shuffle again", "Sweep" },
	{ "repeat", 0, PACE_OPT_NUM, AT(repeat), PACE_UNIT_COUNT, 1, 1000, "1", "N",
	    "measure every point so often; median and spread at the end", "Sweep" },
	{ "fit", 0, PACE_OPT_FLAG, AT(fit), 0, 0, 0, NULL, NULL,
	    "leave out sizes that the path does not take whole", "Sweep" },
	{ "dry-run", 0, PACE_OPT_FLAG, AT(dry_run), 0, 0, 0, NULL, NULL,
	    "say what would be measured, and how long; send nothing", "Sweep" },
	{ "resume", 0, PACE_OPT_STR, AT(resume), 0, 0, 0, NULL, "FILE",
	    "measure what is missing in FILE of an earlier --output", "Sweep" },
	{ "measure-skipped", 0, PACE_OPT_FLAG, AT(measure_skipped), 0, 0, 0, NULL, NULL,
	    "with --resume: also the points that were skipped", "Sweep" },
	PACE_NET_ROWS(struct throughput_cfg),
	{ "dscp", 'Q', PACE_OPT_DSCP_LIST, AT(dscp), PACE_UNIT_COUNT, 0, 63, "0", "LIST",
	    "code points of the frames, numbers or names", "Network" },
	{ "fragment", 0, PACE_OPT_FLAG, AT(fragment), 0, 0, 0, NULL, NULL,
	    "let sizes above the path MTU go as fragments", "Network" },
	{ "vlan", 0, PACE_OPT_NUM, AT(vlan), PACE_UNIT_COUNT, 0, 2, "0", "N",
	    "VLAN tags to count in wire rates", "Network" },
	{ "sndbuf", 0, PACE_OPT_NUM, AT(sndbuf), PACE_UNIT_BYTES, 2048, INT64_C(1) << 30,
	    "16M", "SIZE", "send buffer to ask for", "Network" },
	{ "rcvbuf", 0, PACE_OPT_NUM, AT(rcvbuf), PACE_UNIT_BYTES, 2048, INT64_C(1) << 26,
	    "16M", "SIZE", "receive buffer to ask for, at the responder", "Network" },
	PACE_CPU_ROW(struct throughput_cfg, "core for the sender"),
	{ "busy-poll", 0, PACE_OPT_FLAG, AT(busy_poll), 0, 0, 0, NULL, NULL,
	    "let the responder spin while it receives", "Host" },
	{ "stamp", 0, PACE_OPT_CHOICE, AT(stamp), 0, 0, 0, "kernel", "kernel|nic",
	    "what stamps the frames: both kernels, or both network devices", "Host" },
	{ "energy", 0, PACE_OPT_FLAG, AT(energy), 0, 0, 0, NULL, NULL,
	    "be idle for 5 s first, and tell the energy above that", "Host" },
	{ "capture", 0, PACE_OPT_STR, AT(capture), 0, 0, 0, NULL, "IF",
	    "also look at the stream on this interface: frames and gaps on the wire", "Host" },
	PACE_LEASE_ROWS(struct throughput_cfg),
	PACE_SINK_ROWS(struct throughput_cfg, "table", "a point"),
	{ "record", 0, PACE_OPT_STR, AT(record), 0, 0, 0, NULL, "FILE[:SKIP[:N]]",
	    "also each frame's times, to a file: N frames behind the first SKIP", "Output" },
	{ "record-lost", 0, PACE_OPT_FLAG, AT(record_lost), 0, 0, 0, NULL, NULL,
	    "record only the frames before and behind every loss", "Output" },
	PACE_PRIVATE_ROW(struct throughput_cfg),
	PACE_QUIET_ROW(struct throughput_cfg, "no progress and no notices"),
	{ "verbose", 'v', PACE_OPT_FLAG, AT(sink.detail), 0, 0, 0, NULL, NULL,
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
	    both(cmd, cfg, "count", "duration", "each ends the stream"))
		return true;
	if (cfg->bursts > 1 && cfg->count > FRAMES_MAX / cfg->bursts) {
		pace_complain("--count and --bursts: %lld bursts of %lld frames are more than "
		    "10^15 frames", (long long)cfg->bursts, (long long)cfg->count);
		return true;
	}
	if (both(cmd, cfg, "fit", "fragment", "one leaves large sizes out, one sends them"))
		return true;
	if (cfg->order != PACE_ORDER_SHUFFLE && pace_opt_given(cmd, cfg, "seed")) {
		pace_complain("--seed needs --order shuffle: no other order has one");
		return true;
	}
	if (cfg->bursts > 1 && !pace_opt_given(cmd, cfg, "count")) {
		pace_complain("--bursts needs --count: the frames of each burst");
		return true;
	}
	return false;
}

/* Every size with every spacing or rate; *n points, NULL after a complaint. */
static struct pace_params *
make_plan(const struct pace_cmd *cmd, const struct throughput_cfg *cfg, uint64_t seed, size_t *n)
{
	struct pace_plan_cfg pc = {
		.size = &cfg->size, .spacing = &cfg->spacing, .dscp = &cfg->dscp,
		.rate = pace_opt_given(cmd, cfg, "rate") ? &cfg->rate : NULL,
		.order = (enum pace_order)cfg->order, .seed = seed,
		.repeats = (uint32_t)cfg->repeat, .train = (uint64_t)cfg->train,
		.each = {
			.count = (uint64_t)cfg->count,
			.duration_ns = pace_opt_given(cmd, cfg, "count") ? 0 : cfg->duration,
			.catch_up = (enum pace_catch_up)cfg->catch_up,
			.busy_poll = cfg->busy_poll, .nic = cfg->stamp == STAMP_NIC,
			.bursts = (uint64_t)cfg->bursts, .burst_gap_ns = cfg->burst_gap,
			.verify = cfg->verify, .grace_ns = cfg->grace,
			.lens = { cfg->linear.low, cfg->linear.width,
			    (uint32_t)cfg->linear.bins },
		},
	};

	return pace_plan_make(&pc, n);
}

/* The seed of a shuffled order: given, that of the run's first part, or a new one. */
static uint64_t
seed_of(const struct pace_cmd *cmd, const struct throughput_cfg *cfg)
{
	const json_t *order = cfg->journal != NULL ? cfg->journal->order : NULL;

	if (pace_opt_given(cmd, cfg, "seed"))
		return (uint64_t)cfg->seed;
	if (order != NULL)
		return (uint64_t)json_integer_value(json_object_get(order, "seed"));
	return randombytes_random();
}

/* As the document tells it. */
static json_t *
order_to_json(const struct throughput_cfg *cfg, uint64_t seed)
{
	static const char *const names[] = { "size", "spacing", "shuffle" };
	json_t *o = json_pack("{s:s, s:i}", "by", names[cfg->order], "repeats", (int)cfg->repeat);

	if (cfg->order == PACE_ORDER_SHUFFLE)
		json_object_set_new(o, "seed", json_integer((json_int_t)seed));
	return o;
}

/* --- --record FILE[:SKIP[:N]] ---------------------------------------------------- */

struct record_arg {
	char		*path;		/* malloced; NULL: no records */
	uint64_t	skip, n;	/* n 0: as many as the run may have */
};

/* Take ":number" from the end of a text: 1; 0: none is there; -1: told that it is
 * none.  What begins with a digit is to be a number. */
static int
cut_number(char *text, uint64_t *v)
{
	char *colon = strrchr(text, ':');
	int64_t n;

	if (colon == NULL || colon == text || colon[1] < '0' || colon[1] > '9')
		return 0;
	if (pace_parse(PACE_UNIT_COUNT, colon + 1, &n) != 0 || n < 0 || n > FRAMES_MAX) {
		pace_complain("--record: '%s' is no number of frames", colon + 1);
		pace_hint("FILE[:SKIP[:N]]; a file of such a name can be given as ./%s:", text);
		return -1;
	}
	*v = (uint64_t)n;
	*colon = '\0';
	return 1;
}

static bool
read_record(const struct throughput_cfg *cfg, struct record_arg *r)
{
	uint64_t last = 0;
	int numbers;

	*r = (struct record_arg){ .path = NULL };
	if (cfg->record == NULL) {
		if (cfg->record_lost)
			pace_complain("--record-lost needs --record: the file to write to");
		return !cfg->record_lost;
	}
	r->path = strdup(cfg->record);
	if (r->path == NULL || r->path[0] == '\0') {
		pace_complain("--record: '' is no file name");
		free(r->path);
		return false;
	}
	numbers = cut_number(r->path, &last);
	if (numbers > 0) {
		int more = cut_number(r->path, &r->skip);

		numbers = more < 0 ? more : numbers + more;
	}
	if (numbers == 1)
		r->skip = last;
	if (numbers == 2)
		r->n = last;
	if (numbers == 2 && (last == 0 || last > PACE_RECORD_LIMIT)) {
		pace_complain("--record: '%llu': 1 to %llu frames can be recorded",
		    (unsigned long long)last, (unsigned long long)PACE_RECORD_LIMIT);
		numbers = -1;
	}
	if (numbers >= 0)
		return true;
	free(r->path);
	return false;
}

/* Our device stamps from before the first datagram to the end, or nothing is sent. */
static int
run_stamped(const struct pace_probe_cfg *pc)
{
	struct pace_addr peer;
	struct pace_nic *nic;
	struct pace_err err;
	int status;

	if (pace_resolve(pc->peer.host, pc->peer.family, pc->peer.port, &peer, 1, &err) < 0)
		return pace_probe_run(pc);	/* which says so */
	pace_stop_catch();		/* what is set must be put back */
	if (pace_sock_take_nic(&nic, &peer, &err) < 0) {
		pace_complain("--stamp nic: %s", pace_err_why(&err));
		pace_hint("--stamp kernel needs no such device");
		return PACE_EXIT_NO_RESULT;
	}
	status = pace_probe_run(pc);
	pace_nic_drop(nic);
	return status;
}

static int
measure(const struct pace_cmd *cmd, const struct throughput_cfg *cfg, struct pace_probe_cfg *pc)
{
	struct record_arg record;
	struct pace_params *plan;
	uint64_t seed = seed_of(cmd, cfg);
	int status;

	if (!read_record(cfg, &record))
		return PACE_EXIT_USAGE;
	plan = make_plan(cmd, cfg, seed, &pc->n);
	if (plan == NULL) {
		free(record.path);
		return PACE_EXIT_USAGE;
	}
	for (size_t i = 0; i < pc->n && record.path != NULL; i++) {
		plan[i].record.whole = record.n == 0;
		plan[i].record.room = record.n > 0 ? record.n : pace_params_records(&plan[i]);
		plan[i].record.skip = record.skip;
		plan[i].record.lost_only = cfg->record_lost;
	}
	pc->asks = plan;
	pc->record = record.path;
	pc->order = pc->n > 1 ? order_to_json(cfg, seed) : NULL;
	status = cfg->stamp == STAMP_NIC ? run_stamped(pc) : pace_probe_run(pc);
	json_decref(pc->order);
	free(record.path);
	free(plan);
	return status;
}

static int
start(const struct pace_cmd *cmd, const struct throughput_cfg *cfg, const char *host, int all_argc,
    char *const *all_argv)
{
	struct pace_probe_cfg pc = {
		.peer = pace_peer_cfg(cmd, cfg, &cfg->net, host),
		.vlan_tags = (uint32_t)cfg->vlan,
		.sndbuf_given = pace_opt_given(cmd, cfg, "sndbuf"),
		.rcvbuf_given = pace_opt_given(cmd, cfg, "rcvbuf"),
		.size_given = pace_opt_given(cmd, cfg, "size"),
		.max_loss = pace_opt_given(cmd, cfg, "max-loss") ? (double)cfg->max_loss / 1e9 : -1,
		.min_rate_bps = (double)cfg->min_rate,
		.energy = cfg->energy,
		.capture = cfg->capture,
		.fit = cfg->fit,
		.dry_run = cfg->dry_run,
		.journal = cfg->journal,
		.sink = cfg->sink,
		.argc = all_argc, .argv = all_argv,
	};

	pc.peer.dscp = (int)cfg->dscp.v[0];
	pc.peer.fragment = cfg->fragment;
	pc.peer.sndbuf_bytes = (uint32_t)cfg->sndbuf;
	pc.peer.rcvbuf_bytes = (uint32_t)cfg->rcvbuf;
	if (contradictory(cmd, cfg) || pace_sink_contradicts(&pc.sink) ||
	    pace_net_contradicts(&cfg->net))
		return PACE_EXIT_USAGE;
	return measure(cmd, cfg, &pc);
}

/* As it began, with the journal in hand. */
static int
go_on(const struct pace_cmd *cmd, void *arg, struct pace_journal *j, const char *host,
    int all_argc, char *const *all_argv)
{
	struct throughput_cfg *cfg = arg;

	if (cfg->record != NULL) {
		pace_complain("--resume: the records of %s were in memory only: they cannot go on",
		    j->output);
		return PACE_EXIT_NO_RESULT;
	}
	cfg->journal = j;
	if (!pace_resume_sink(&cfg->sink, j))
		return PACE_EXIT_NO_RESULT;
	return start(cmd, cfg, host, all_argc, all_argv);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct throughput_cfg *cfg = arg;

	(void)argc;
	if (cfg->resume != NULL)
		return pace_resume(cmd, cfg, cfg->resume, go_on);
	if (cfg->measure_skipped) {
		pace_complain("--measure-skipped needs --resume: the run with points that were skipped");
		return PACE_EXIT_USAGE;
	}
	return start(cmd, cfg, argv[0], all_argc, all_argv);
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
	"resume",
};
