#include "config.h"

#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "core/record.h"
#include "doc/params.h"
#include "doc/utc.h"
#include "plat/clock.h"
#include "plat/sock.h"
#include "proto/msg.h"
#include "run/resume.h"
#include "run/stop.h"
#include "run/stream_opts.h"

#define FRAMES_MAX	INT64_C(1000000000000000)

enum { STAMP_KERNEL, STAMP_NIC };	/* values of --stamp */

struct throughput_cfg {
	struct pace_given given;
	struct pace_stream_opts stream;
	int64_t		omit, interval, message, grace, stamp, order, seed, repeat;
	struct pace_linear_hist_arg linear;
	struct pace_net_opts net;
	int64_t		max_loss, min_rate;
	struct pace_sink_cfg sink;
	const char	*resume, *record, *start_at, *group;
	bool		reverse, two_way;
	bool		verify, busy_poll, energy, record_lost, fit, measure_skipped, per_stream;
};

#define AT(field)	offsetof(struct throughput_cfg, field)

static const struct pace_opt opts[] = {
	PACE_STREAM_ROWS(struct throughput_cfg, PACE_HDR_SIZE, "UDP payload of a frame",
	    "frames per point, or per burst", "length of a point, instead of --count"),
	{ "omit", 'O', PACE_OPT_NUM, AT(omit), PACE_UNIT_SEC, PACE_MS, PACE_HOUR, NULL, "TIME",
	    "before that, send this long without counting", "Stream" },
	{ "reverse", 'R', PACE_OPT_FLAG, AT(reverse), 0, 0, 0, NULL, NULL,
	    "the responder sends, and this host receives", "Stream" },
	{ "two-way", 0, PACE_OPT_FLAG, AT(two_way), 0, 0, 0, NULL, NULL,
	    "both hosts send at the same time, each as --size, --spacing and so on say", "Stream" },
	PACE_SEVERAL_ROWS(struct throughput_cfg,
	    "streams at once, each with its own port, size, spacing and frames"),
	{ "interval", 'i', PACE_OPT_NUM, AT(interval), PACE_UNIT_SEC, PACE_MS, 24 * PACE_HOUR, NULL,
	    "TIME", "also report each TIME of the stream: frames, loss, rate, gaps, delay",
	    "Stream" },
	{ "message", 0, PACE_OPT_NUM, AT(message), PACE_UNIT_COUNT, 2, INT64_C(1000000000000), NULL,
	    "N", "every N frames of a stream are a message: count those that are complete", "Stream" },
	{ "verify", 0, PACE_OPT_FLAG, AT(verify), 0, 0, 0, NULL, NULL,
	    "check every payload and count corrupted frames", "Stream" },
	{ "linear", 0, PACE_OPT_LINEAR, AT(linear), 0, 0, 0, NULL, "LOW:WIDTH:BINS",
	    "add a linear histogram of arrival gaps", "Stream" },
	{ "grace", 0, PACE_OPT_NUM, AT(grace), PACE_UNIT_SEC, 0, 60 * PACE_SEC, "500ms", "TIME",
	    "wait for late frames after the last frame", "Stream" },
	{ "order", 0, PACE_OPT_CHOICE, AT(order), 0, 0, 0, "size", PACE_ORDERS,
	    "order of a sweep's points: by size, by spacing, or random", "Sweep" },
	{ "seed", 0, PACE_OPT_NUM, AT(seed), PACE_UNIT_COUNT, 0, UINT32_MAX, NULL, "N",
	    "seed of --order shuffle, to repeat an order", "Sweep" },
	{ "repeat", 0, PACE_OPT_NUM, AT(repeat), PACE_UNIT_COUNT, 1, 1000, "1", "N",
	    "measure each point N times; print median and spread at the end", "Sweep" },
	{ "fit-mtu", 0, PACE_OPT_FLAG, AT(fit), 0, 0, 0, NULL, NULL,
	    "omit sizes that exceed the path MTU", "Sweep" },
	PACE_DRY_RUN_ROW(struct throughput_cfg, "print the plan and its duration; send nothing",
	    "Sweep"),
	{ "resume", 0, PACE_OPT_STR, AT(resume), 0, 0, 0, NULL, "FILE",
	    "measure the points missing in FILE, the --output of an earlier run", "Sweep" },
	{ "measure-skipped", 0, PACE_OPT_FLAG, AT(measure_skipped), 0, 0, 0, NULL, NULL,
	    "with --resume: also measure skipped points", "Sweep" },
	PACE_NET_ROWS(struct throughput_cfg),
	PACE_MARK_ROWS(struct throughput_cfg),
	PACE_FRAME_ROWS(struct throughput_cfg),
	PACE_BUFFER_ROWS(struct throughput_cfg),
	PACE_CORES_ROW(struct throughput_cfg,
	    "core for the sender, with --reverse for the receiver, with --two-way for both; "
	    "several: a thread on each sends or receives its share of --streams"),
	PACE_ENGINE_ROW(struct throughput_cfg),
	{ "busy-poll", 0, PACE_OPT_FLAG, AT(busy_poll), 0, 0, 0, NULL, NULL,
	    "let neither the receiver nor this sender sleep between frames", "Host" },
	{ "stamp", 0, PACE_OPT_CHOICE, AT(stamp), 0, 0, 0, "kernel", "kernel|nic",
	    "source of time stamps: the kernels or the network devices of both hosts", "Host" },
	{ "energy", 0, PACE_OPT_FLAG, AT(energy), 0, 0, 0, NULL, NULL,
	    "measure 5 s of idle first; report the energy above idle", "Host" },
	PACE_CAPTURE_ROW(struct throughput_cfg),
	PACE_LEASE_ROWS(struct throughput_cfg),
	{ "start-at", 0, PACE_OPT_STR, AT(start_at), 0, 0, 40, NULL, "TIME",
	    "begin at this time (UTC): 2026-01-31T12:00:00Z, or +5s from now", "Session" },
	{ "group", 0, PACE_OPT_STR, AT(group), 0, 0, PACE_GROUP_NAME + 2, NULL, "NAME:N",
	    "begin together with the other clients of this group, N in all", "Session" },
	PACE_SINK_ROWS(struct throughput_cfg, "table", "a point"),
	{ "per-stream", 0, PACE_OPT_FLAG, AT(per_stream), 0, 0, 0, NULL, NULL,
	    "also print a row for each stream", "Output" },
	PACE_SHORT_ROWS(struct throughput_cfg),
	{ "record", 0, PACE_OPT_STR, AT(record), 0, 0, 0, NULL, "FILE[:SKIP[:N]]",
	    "also write the times of each frame to FILE: N frames after the first SKIP", "Output" },
	{ "record-lost", 0, PACE_OPT_FLAG, AT(record_lost), 0, 0, 0, NULL, NULL,
	    "record only the frames before and after each loss", "Output" },
	PACE_PRIVATE_ROW(struct throughput_cfg),
	PACE_QUIET_ROW(struct throughput_cfg, "print no progress and no notices"),
	{ "verbose", 'v', PACE_OPT_FLAG, AT(sink.detail), 0, 0, 0, NULL, NULL,
	    "print more about each point", "Output" },
	{ "max-loss", 0, PACE_OPT_NUM, AT(max_loss), PACE_UNIT_RATIO, 0, 1000000000, NULL,
	    "RATIO", "exit 1 if the loss is higher", "Limits" },
	{ "min-rate", 0, PACE_OPT_NUM, AT(min_rate), PACE_UNIT_BPS, 1,
	    INT64_C(1000000000000), NULL, "RATE", "exit 1 if the received user data rate is lower",
	    "Limits" },
};

/* --start-at: false after an error message. */
static bool
read_start(const struct throughput_cfg *cfg, int64_t *at_ns)
{
	int64_t now = pace_clock_wall(), after;

	*at_ns = 0;
	if (cfg->start_at == NULL || cfg->sink.journal != NULL)
		return true;		/* a resumed run has begun already */
	if (cfg->start_at[0] == '+' && pace_parse(PACE_UNIT_SEC, cfg->start_at + 1, &after) == 0 &&
	    after >= 0 && after <= 24 * PACE_HOUR) {
		*at_ns = now + after;
		return true;
	}
	if (pace_utc_parse(cfg->start_at, at_ns) != 0)
		pace_complain("--start-at: '%s' is not a time; write 2026-01-31T12:00:00Z (UTC), or "
		    "+5s from now, at most +24h", cfg->start_at);
	else if (*at_ns <= now)
		pace_complain("--start-at: %s is in the past", cfg->start_at);
	else if (*at_ns - now > 24 * PACE_HOUR)
		pace_complain("--start-at: %s is more than 24 h ahead", cfg->start_at);
	else
		return true;
	return false;
}

/* --group NAME:N: false after an error message. */
static bool
read_group(const struct throughput_cfg *cfg, char *name, uint32_t *size)
{
	const char *colon = cfg->group != NULL ? strrchr(cfg->group, ':') : NULL;
	int64_t n;

	if (cfg->group == NULL)
		return true;
	if (colon != NULL && colon - cfg->group < PACE_GROUP_NAME) {
		memcpy(name, cfg->group, (size_t)(colon - cfg->group));
		name[colon - cfg->group] = '\0';
		if (pace_msg_group_name(name) && pace_parse(PACE_UNIT_COUNT, colon + 1, &n) == 0 &&
		    n >= 2 && n <= PACE_GROUP_MAX) {
			*size = (uint32_t)n;
			return true;
		}
	}
	pace_complain("--group: '%s' is not NAME:N: a name of 1 to %d letters, digits, '.', '_' or "
	    "'-', and 2 to %d clients", cfg->group, PACE_GROUP_NAME - 1, PACE_GROUP_MAX);
	return false;
}

/* --omit counts from a frame number, which follows from one schedule. */
static bool
omit_contradicts(const struct pace_cmd *cmd, const struct throughput_cfg *cfg)
{
	bool fastest = false;

	if (!pace_opt_given(cmd, cfg, "omit"))
		return false;
	for (int i = 0; i < cfg->stream.spacing.n && !pace_opt_given(cmd, cfg, "rate"); i++)
		fastest |= cfg->stream.spacing.v[i] == 0;
	if (fastest)
		pace_complain("--omit: at spacing 0 no frame has a time; use --spacing above 0, or "
		    "--rate");
	else if (cfg->stream.bursts > 1)
		pace_complain("--omit and --bursts exclude each other: bursts have no beginning to "
		    "leave out");
	else if (pace_stream_several(&cfg->stream))
		pace_complain("--omit needs one stream: omit --streams");
	else
		return pace_opt_both(cmd, cfg, "omit", "capture", "--capture compares all frames");
	return true;
}

static bool
contradictory(const struct pace_cmd *cmd, const struct throughput_cfg *cfg)
{
	if (pace_stream_contradicts(cmd, cfg, &cfg->stream) ||
	    pace_opt_both(cmd, cfg, "fit-mtu", "fragment",
	    "--fit-mtu omits large sizes, --fragment sends them") ||
	    pace_opt_both(cmd, cfg, "two-way", "reverse", "--two-way includes the reverse direction") ||
	    pace_opt_both(cmd, cfg, "reverse", "group", "members of a group send") ||
	    pace_opt_both(cmd, cfg, "reverse", "start-at", "only a client that sends begins at a time") ||
	    pace_opt_both(cmd, cfg, "two-way", "group", "members of a group only send") ||
	    pace_opt_both(cmd, cfg, "two-way", "start-at", "the responder's stream begins with its answer") ||
	    omit_contradicts(cmd, cfg) || pace_engine_contradicts(cmd, cfg, &cfg->net))
		return true;
	if (cfg->order != PACE_ORDER_SHUFFLE && pace_opt_given(cmd, cfg, "seed"))
		pace_complain("--seed needs --order shuffle");
	else
		return pace_sink_contradicts(&cfg->sink) || pace_net_contradicts(&cfg->net);
	return true;
}

/* Make the plan: each size with each spacing or rate, and so on.  *n: points; NULL after an error message. */
static struct pace_params *
make_plan(const struct pace_cmd *cmd, const struct throughput_cfg *cfg, uint64_t seed, size_t *n)
{
	struct pace_plan_cfg pc = pace_stream_plan(cmd, cfg, &cfg->stream, &cfg->net);

	pc.order = (enum pace_order)cfg->order;
	pc.seed = seed;
	pc.repeats = (uint32_t)cfg->repeat;
	pc.each.direction = cfg->reverse ? PACE_DOWN : PACE_UP;
	pc.each.two_way = cfg->two_way;
	pc.each.interval_ns = pace_opt_given(cmd, cfg, "interval") ? cfg->interval : 0;
	pc.each.message = (uint64_t)cfg->message;
	pc.each.omit_ns = pace_opt_given(cmd, cfg, "omit") ? cfg->omit : 0;
	pc.each.busy_poll = cfg->busy_poll;
	pc.each.nic = cfg->stamp == STAMP_NIC;
	pc.each.verify = cfg->verify;
	pc.each.grace_ns = cfg->grace;
	pc.each.linear.low = cfg->linear.low;
	pc.each.linear.width = cfg->linear.width;
	pc.each.linear.bins = (uint32_t)cfg->linear.bins;
	return pace_plan_make(&pc, n);
}

/* The seed of a shuffled order: the given one, that of the run's first part, or a new one. */
static uint64_t
seed_of(const struct pace_cmd *cmd, const struct throughput_cfg *cfg)
{
	const json_t *order = cfg->sink.journal != NULL ? cfg->sink.journal->order : NULL;

	if (pace_opt_given(cmd, cfg, "seed"))
		return (uint64_t)cfg->seed;
	if (order != NULL)
		return (uint64_t)json_integer_value(json_object_get(order, "seed"));
	return randombytes_random();
}

/* --- --record FILE[:SKIP[:N]] ---------------------------------------------------- */

struct record_arg {
	char		*path;		/* malloced; NULL: no records */
	uint64_t	skip, n;	/* n 0: as many as the responder allows */
};

/* Take ":number" from the end of a text: 1; 0: no number there; -1: not a number, after an error
 * message.  A part that begins with a digit must be a number. */
static int
cut_number(char *text, uint64_t *v)
{
	char *colon = strrchr(text, ':');
	int64_t n;

	if (colon == NULL || colon == text || colon[1] < '0' || colon[1] > '9')
		return 0;
	if (pace_parse(PACE_UNIT_COUNT, colon + 1, &n) != 0 || n < 0 || n > FRAMES_MAX) {
		pace_complain("--record: '%s' is not a number of frames", colon + 1);
		pace_hint("write FILE[:SKIP[:N]]; a file of that name is given as ./%s:", text);
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
			pace_complain("--record-lost needs --record FILE");
		return !cfg->record_lost;
	}
	r->path = strdup(cfg->record);
	if (r->path == NULL || r->path[0] == '\0') {
		pace_complain("--record: '' is not a file name");
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

/* Let our network device stamp from before the first datagram to the end; if it cannot, send
 * nothing. */
static int
run_stamped(const struct pace_streams_cfg *pc)
{
	struct pace_addr peer;
	struct pace_nic *nic;
	struct pace_err err;
	int status;

	if (pace_resolve(pc->probe.peer.host, pc->probe.peer.family, pc->probe.peer.port, &peer, 1,
	    &err) < 0)
		return pace_streams_run(pc);	/* it reports the error */
	pace_stop_catch();		/* the device's settings must be restored */
	if (pace_sock_take_nic(&nic, &peer, &err) < 0) {
		pace_complain("--stamp nic: %s", pace_err_why(&err));
		pace_hint("--stamp kernel works with any device");
		return PACE_EXIT_NO_RESULT;
	}
	status = pace_streams_run(pc);
	pace_nic_drop(nic);
	return status;
}

static int
measure(const struct pace_cmd *cmd, const struct throughput_cfg *cfg, struct pace_streams_cfg *pc)
{
	static const char *const names[] = { "size", "spacing", "shuffle" };
	struct record_arg record;
	struct pace_params *plan;
	uint64_t seed = seed_of(cmd, cfg);
	json_t *order;
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
	order = json_pack("{s:s, s:i}", "by", names[cfg->order], "repeats", (int)cfg->repeat);
	if (cfg->order == PACE_ORDER_SHUFFLE)
		json_object_set_new(order, "seed", json_integer((json_int_t)seed));
	pc->probe.members = pc->n > 1 ? json_pack("{s:O}", "order", order) : NULL;
	json_decref(order);
	status = cfg->stamp == STAMP_NIC ? run_stamped(pc) : pace_streams_run(pc);
	json_decref(pc->probe.members);
	free(record.path);
	free(plan);
	return status;
}

static int
start(const struct pace_cmd *cmd, const void *arg, const char *host, int all_argc,
    char *const *all_argv)
{
	const struct throughput_cfg *cfg = arg;
	struct pace_threads threads;
	struct pace_streams_cfg pc = {
		.probe = { .peer = pace_peer_cfg(cmd, cfg, &cfg->net, host), .sink = cfg->sink,
		    .argc = all_argc, .argv = all_argv },
		.rcvbuf_given = pace_opt_given(cmd, cfg, "rcvbuf"),
		.max_loss = pace_opt_given(cmd, cfg, "max-loss") ? (double)cfg->max_loss / 1e9 : -1,
		.min_rate_bps = (double)cfg->min_rate,
		.energy = cfg->energy,
		.fit = cfg->fit,
		.per_stream = cfg->per_stream,
	};

	if (!pace_stream_apply(&pc, cmd, cfg, &cfg->stream, &threads))
		return PACE_EXIT_USAGE;
	pc.probe.peer.receives = cfg->reverse || cfg->two_way;
	if (cfg->sink.journal != NULL && cfg->record != NULL) {
		pace_complain("--resume: the frame records of %s were lost with the run, so it "
		    "cannot be continued", cfg->sink.output);
		return PACE_EXIT_NO_RESULT;
	}
	return contradictory(cmd, cfg) || !read_start(cfg, &pc.probe.peer.start_at_ns) ||
	    !read_group(cfg, pc.probe.peer.group, &pc.probe.peer.group_size) ? PACE_EXIT_USAGE :
	    measure(cmd, cfg, &pc);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct throughput_cfg *cfg = arg;

	(void)argc;
	if (cfg->resume != NULL)
		return pace_resume(cmd, cfg, cfg->resume, start);
	if (cfg->measure_skipped) {
		pace_complain("--measure-skipped needs --resume with the file of the run");
		return PACE_EXIT_USAGE;
	}
	return start(cmd, cfg, argv[0], all_argc, all_argv);
}

static const char *const examples[] = {
	"# 1472 bytes every 1 ms for 10 s, a light load",
	"udpace throughput hostb",
	"# full frames at 1 Gbit/s, the document in a file",
	"udpace throughput hostb --spacing 12.5us --count 100k -o run.json",
	"# the reverse direction: the responder sends",
	"udpace throughput hostb --reverse --spacing 12.5us --count 100k",
	"# both directions at the same time",
	"udpace throughput hostb --two-way --spacing 12.5us --count 100k",
	"# nine streams of 8 kB frames, as a correlator sends them",
	"udpace throughput hostb --streams 9 --size 8000 --spacing 100us",
	"# incast: run this on each of 8 hosts; all streams begin together",
	"udpace throughput hostb --group incast:8 --rate 200M",
	"# sizes and spacings of a UDPmon scan",
	"udpace throughput hostb --size 64,1472 --spacing 0:40:4us --count 10k --csv",
	NULL
};

const struct pace_cmd pace_cmd_throughput = {
	"throughput", "measure rate, loss, order, spacing and delay of a stream of "
	    "frames", "HOST", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct throughput_cfg), run,
	"resume",
};
