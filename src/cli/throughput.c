#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmds.h"
#include "cli/probe.h"
#include "cli/stop.h"
#include "core/record.h"
#include "core/schedule.h"
#include "core/wire.h"
#include "doc/ask.h"
#include "plat/sock.h"
#include "session/session.h"

#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)
#define HOUR	(3600 * SEC)
#define PLAN_MAX	100000
#define FRAMES_MAX	INT64_C(1000000000000000)
#define PACE_TRAIN_MAX	64		/* of those that nobody asked for */

enum { STAMP_KERNEL, STAMP_NIC };	/* --stamp's words */

struct throughput_cfg {
	struct pace_given given;
	struct pace_list size, spacing, rate;
	int64_t		count, duration, bursts, burst_gap, grace, train, catch_up, stamp;
	struct pace_lens_arg linear;
	struct pace_net_opts net;
	int64_t		vlan, sndbuf, rcvbuf;
	int64_t		max_loss, min_rate;
	struct pace_sink_cfg sink;
	const char	*record;
	bool		verify, busy_poll, energy, fragment, record_lost;
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
	PACE_NET_ROWS(struct throughput_cfg),
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
	a->nic = cfg->stamp == STAMP_NIC;
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

/* Frames to ask room for: those of the run, but no more than a responder keeps
 * unasked. */
static uint64_t
records_of(const struct pace_ask *a, const struct record_arg *r)
{
	uint64_t frames = pace_ask_frames(a);

	if (r->n > 0)
		return r->n;
	return frames > 0 && frames < PACE_RECORDS_DEFAULT ? frames : PACE_RECORDS_DEFAULT;
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
		pace_complain("--stamp nic: %s", err.text[0] != '\0' ? err.text :
		    strerror(err.code));
		pace_hint("--stamp kernel needs no such device");
		return PACE_EXIT_NO_RESULT;
	}
	status = pace_probe_run(pc);
	pace_nic_drop(nic);
	return status;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct throughput_cfg *cfg = arg;
	struct pace_probe_cfg pc = {
		.peer = pace_peer_cfg(cmd, cfg, &cfg->net, argv[0]),
		.vlan_tags = (uint32_t)cfg->vlan,
		.sndbuf_given = pace_opt_given(cmd, cfg, "sndbuf"),
		.rcvbuf_given = pace_opt_given(cmd, cfg, "rcvbuf"),
		.size_given = pace_opt_given(cmd, cfg, "size"),
		.max_loss = pace_opt_given(cmd, cfg, "max-loss") ? (double)cfg->max_loss / 1e9 : -1,
		.min_rate_bps = (double)cfg->min_rate,
		.energy = cfg->energy,
		.sink = cfg->sink,
		.argc = all_argc, .argv = all_argv,
	};
	struct record_arg record;
	struct pace_ask *plan;
	int status;

	(void)argc;
	pc.peer.fragment = cfg->fragment;
	pc.peer.sndbuf_bytes = (uint32_t)cfg->sndbuf;
	pc.peer.rcvbuf_bytes = (uint32_t)cfg->rcvbuf;
	if (contradictory(cmd, cfg) || pace_sink_contradicts(&pc.sink) ||
	    pace_net_contradicts(&cfg->net) || !read_record(cfg, &record))
		return 2;
	plan = make_plan(cmd, cfg, &pc.n);
	if (plan == NULL)
		return 2;
	for (size_t i = 0; i < pc.n && record.path != NULL; i++) {
		plan[i].record.room = records_of(&plan[i], &record);
		plan[i].record.skip = record.skip;
		plan[i].record.lost_only = cfg->record_lost;
	}
	pc.asks = plan;
	pc.record = record.path;
	status = cfg->stamp == STAMP_NIC ? run_stamped(&pc) : pace_probe_run(&pc);
	free(record.path);
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
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct throughput_cfg), run, NULL,
};
