#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "core/rates.h"
#include "core/schedule.h"
#include "core/wire.h"
#include "doc/capacity.h"
#include "doc/point_doc.h"
#include "out/capacity_text.h"
#include "out/csv.h"
#include "out/text.h"
#include "run/streams.h"

#define RATE_MAX	INT64_C(1000000000000)
#define SINGLE_NS	5000		/* below this spacing frames leave in trains ... */
#define TRAIN_NS	20000		/* ... with this spacing between trains */
#define TRAIN_MOST	64
#define IDLE_NS		PACE_SEC	/* duration of the test of the sender before the first
					 * trial */
#define USUAL_BPS	10e9		/* assumed if the interface does not report its rate */

struct capacity_cfg {
	struct pace_given given;
	struct pace_net_opts net;
	int64_t		size, from, to, max_loss, duration, sustain, repeat, precision, train;
	int64_t		grace;
	int64_t		vlan;
	bool		reverse;
	struct pace_sink_cfg sink;
};

#define AT(field)	offsetof(struct capacity_cfg, field)

static const struct pace_opt opts[] = {
	{ "size", 'p', PACE_OPT_NUM, AT(size), PACE_UNIT_BYTES, PACE_HDR_SIZE, PACE_FRAME_MAX,
	    "1472", "SIZE", "UDP payload of a frame", "Search" },
	{ "low", 0, PACE_OPT_NUM, AT(from), PACE_UNIT_BPS, 100000, RATE_MAX,
	    "10M", "RATE", "lowest rate to try, of user data", "Search" },
	{ "high", 0, PACE_OPT_NUM, AT(to), PACE_UNIT_BPS, 100000, RATE_MAX, NULL,
	    "RATE", "highest rate to try; without it, the interface's rate", "Search" },
	{ "max-loss", 0, PACE_OPT_NUM, AT(max_loss), PACE_UNIT_RATIO, 0, 500000000, "0",
	    "RATIO", "a rate passes if the loss is at most this", "Search" },
	{ "precision", 0, PACE_OPT_NUM, AT(precision), PACE_UNIT_RATIO, 1000000, 200000000, "0.5%",
	    "RATIO", "relative precision of the rate found", "Search" },
	{ "duration", 't', PACE_OPT_NUM, AT(duration), PACE_UNIT_SEC, 100 * PACE_MS,
	    3600 * PACE_SEC, "1s", "TIME", "duration of a trial", "Search" },
	{ "reverse", 'R', PACE_OPT_FLAG, AT(reverse), 0, 0, 0, NULL, NULL,
	    "the responder sends, and this host receives", "Search" },
	{ "repeat", 0, PACE_OPT_NUM, AT(repeat), PACE_UNIT_COUNT, 1, 100, "2", "N",
	    "trials that a rate must pass", "Search" },
	{ "sustain", 0, PACE_OPT_NUM, AT(sustain), PACE_UNIT_SEC, 100 * PACE_MS,
	    24 * 3600 * PACE_SEC, "10s",
	    "TIME", "duration of the final trial at the rate found", "Search" },
	{ "train", 0, PACE_OPT_NUM, AT(train), PACE_UNIT_COUNT, 0, 64, "0", "N",
	    "frames back to back; 0: only if single frames are too close", "Search" },
	{ "grace", 0, PACE_OPT_NUM, AT(grace), PACE_UNIT_SEC, 0, 60 * PACE_SEC, "500ms", "TIME",
	    "wait for late frames after each trial", "Search" },
	PACE_NET_ROWS(struct capacity_cfg),
	PACE_MARK_ROWS(struct capacity_cfg),
	PACE_DSCP_ROW(struct capacity_cfg),
	{ "vlan", 0, PACE_OPT_NUM, AT(vlan), PACE_UNIT_COUNT, 0, 2, "0", "N",
	    "VLAN tags included in wire rates", "Network" },
	PACE_BUFFER_ROWS(struct capacity_cfg),
	PACE_CPU_ROW(struct capacity_cfg, "core for the sender, or with --reverse for the "
	    "receiver"),
	PACE_ENGINE_ROW(struct capacity_cfg),
	PACE_LEASE_ROWS(struct capacity_cfg),
	PACE_SINK_ROWS(struct capacity_cfg, "table", "a trial"),
	PACE_SHORT_ROWS(struct capacity_cfg),
	PACE_PRIVATE_ROW(struct capacity_cfg),
	PACE_QUIET_ROW(struct capacity_cfg, "print no progress and no notices"),
};

struct hunt {
	const struct capacity_cfg *cfg;
	const struct pace_cmd *cmd;
	const struct pace_params *asks;	/* with the size that fits the path */
	struct pace_capacity found;
	bool		pending;	/* a trial is running */
};

/* --- trials ------------------------------------------------------------------------ */

static enum pace_direction
direction_of(const struct capacity_cfg *cfg)
{
	return cfg->reverse ? PACE_DOWN : PACE_UP;
}

static void
make_ask(const struct capacity_cfg *cfg, uint32_t size_bytes, const struct pace_trial_params *t,
    struct pace_params *a)
{
	int64_t gap_ns;

	*a = (struct pace_params){ .direction = direction_of(cfg), .size_bytes = size_bytes,
	    .dscp = (uint32_t)cfg->net.dscp, .ecn = (enum pace_ecn)cfg->net.ecn,
	    .repeats = 1, .bursts = 1, .streams = 1, .grace_ns = cfg->grace,
	    .spacing = pace_spacing_from_rate(size_bytes, (int64_t)t->bps),
	    .duration_ns = t->lengthy ? cfg->sustain : cfg->duration,
	    .train = (uint64_t)cfg->train };
	gap_ns = pace_spacing_ns(a->spacing);
	if (a->train > 0)
		return;
	a->train = gap_ns >= SINGLE_NS ? 1 : gap_ns <= 0 ? TRAIN_MOST :
	    (uint64_t)(TRAIN_NS / gap_ns);
	if (a->train > TRAIN_MOST)
		a->train = TRAIN_MOST;
}

/* Test the sender without frames: what delays it now will delay it in every trial.  A responder
 * that sends cannot be tested from here. */
static void
idle(void *ctx, struct pace_client *client, struct pace_notes *notes, bool quiet)
{
	struct pace_capacity *c = &((struct hunt *)ctx)->found;
	struct pace_point *p = c->direction == PACE_UP ? pace_point_new() : NULL;

	if (p == NULL)
		return;
	pace_sender_idle(&client->io, IDLE_NS, client->stop, &p->tx);
	pace_capacity_idle(c, &p->tx);
	pace_point_free(p);
	if (!c->idle.busy)
		return;
	pace_note(notes, "sender_busy", "%s", c->idle.why);
	if (quiet)
		return;
	pace_notice("the sender's core is busy: the result may be this host's limit, not the "
	    "path's");
	pace_notice("%s", c->idle.why);
	pace_hint("choose another core with --cpu, or stop what runs on this one");
}

static bool
next(void *ctx, const struct pace_point *last, struct pace_params *ask)
{
	struct hunt *h = ctx;
	struct pace_trial_params t;

	if (h->pending)
		pace_capacity_take(&h->found, last);
	h->pending = !h->found.failed && pace_search_next(&h->found.search, &t);
	if (h->pending)
		make_ask(h->cfg, h->found.size_bytes, &t, ask);
	return h->pending;
}

static void
refused(void *ctx, const char *why)
{
	struct pace_capacity *c = &((struct hunt *)ctx)->found;

	snprintf(c->refused, sizeof(c->refused), "%s", why);
}

static void
begin(void *ctx, const struct pace_link *link, const struct pace_host *host)
{
	struct hunt *h = ctx;
	const struct capacity_cfg *cfg = h->cfg;
	struct pace_capacity *c = &h->found;
	struct pace_search_cfg search = { .low_bps = (double)cfg->from,
	    .precision = (double)cfg->precision / 1e9, .repeat = (int)cfg->repeat };
	double room = 0;	/* user data rate that the interface allows */
	int64_t mbps;

	c->direction = direction_of(cfg);
	c->size_bytes = h->asks[0].size_bytes;
	c->wire_bytes = pace_wire_bytes(link, c->size_bytes);
	c->max_loss = (double)cfg->max_loss / 1e9;
	c->duration_ns = cfg->duration;
	c->sustain_ns = cfg->sustain;
	if (pace_host_knows(host, PACE_FACT_SPEED_MBPS, &mbps) && mbps > 0)
		room = (double)mbps * 1e6 * c->size_bytes / (double)c->wire_bytes;
	c->highest = pace_opt_given(h->cmd, cfg, "high") ? PACE_HIGHEST_ASKED :
	    room > 0 ? PACE_HIGHEST_INTERFACE : PACE_HIGHEST_USUAL;
	search.high_bps = c->highest == PACE_HIGHEST_ASKED ? (double)cfg->to :
	    room > 0 ? room : USUAL_BPS;
	search.high_bps = fmax(search.high_bps, search.low_bps);
	pace_search_begin(&c->search, &search);
}

/* --- output -------------------------------------------------------------------------- */

PACE_SINK_KIND(capacity_sink, pace_point_to_json, pace_csv_head, pace_csv_point, pace_csv_short,
    pace_capacity_text_head, pace_capacity_text_row_head, pace_capacity_text_row, pace_text_point);

static json_t *
end(void *ctx, struct pace_probe *p)
{
	const struct pace_capacity *c = &((struct hunt *)ctx)->found;

	if (pace_capacity_limit(c) == PACE_LIMIT_SENDER)
		pace_note(&p->result.notes, "limited_by_sender",
		    "%s was the limit: the rate found is what it sent, and the path may carry more",
		    c->direction == PACE_DOWN ? "the responder" : "this host");
	if (pace_sink_has_table(&p->sink))
		pace_sink_check(&p->sink, pace_capacity_text(stdout, c, p->sink.utf8));
	return pace_capacity_to_json(c);
}

static int
status(void *ctx)
{
	const struct pace_capacity *c = &((struct hunt *)ctx)->found;

	if (c->failed) {
		pace_complain("out of memory");
		return PACE_EXIT_PARTIAL;
	}
	return pace_capacity_is_measured(c) ? PACE_EXIT_OK : PACE_EXIT_NOT_USABLE;
}

static const struct pace_streams_guide guide = { "capacity", &capacity_sink, begin, idle, next,
    refused, end, status };

/* --- the command ---------------------------------------------------------------------- */

static bool
contradictory(const struct pace_cmd *cmd, const struct capacity_cfg *cfg)
{
	bool to = pace_opt_given(cmd, cfg, "high");
	char low[32], high[32];

	(void)pace_print(PACE_UNIT_BPS, (double)cfg->from, low, sizeof(low));
	(void)pace_print(PACE_UNIT_BPS, (double)cfg->to, high, sizeof(high));
	if (to && cfg->to < cfg->from) {
		pace_complain("--low %s is above --high %s", low, high);
		return true;
	}
	if (cfg->sustain < cfg->duration) {
		pace_complain("--sustain must not be shorter than --duration: a shorter trial "
		    "proves less");
		return true;
	}
	if (pace_spacing_from_rate((uint32_t)cfg->size, cfg->from) == 0) {
		pace_complain("--low: %s of %lld-byte frames is a spacing of more than 2 s; "
		    "use a higher rate", low, (long long)cfg->size);
		return true;
	}
	return pace_sink_contradicts(&cfg->sink) || pace_net_contradicts(&cfg->net) ||
	    pace_engine_contradicts(cmd, cfg, &cfg->net);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct capacity_cfg *cfg = arg;
	struct pace_params asks[2];
	struct hunt h = { .cfg = cfg, .cmd = cmd, .asks = asks };
	struct pace_streams_cfg pc = {
		.probe = { .peer = pace_peer_cfg(cmd, cfg, &cfg->net, argv[0]), .sink = cfg->sink,
		    .argc = all_argc, .argv = all_argv },
		.vlan_tags = (uint32_t)cfg->vlan,
		.size_given = pace_opt_given(cmd, cfg, "size"),
		.sndbuf_given = pace_opt_given(cmd, cfg, "sndbuf"),
		.rcvbuf_given = pace_opt_given(cmd, cfg, "rcvbuf"),
		.max_loss = -1, .asks = asks, .n = 2, .guide = &guide, .ctx = &h,
		.plan = &h.found,
	};
	int rc;

	(void)argc;
	pc.probe.peer.receives = cfg->reverse;
	if (contradictory(cmd, cfg))
		return PACE_EXIT_USAGE;
	make_ask(cfg, (uint32_t)cfg->size, &(struct pace_trial_params){ (double)cfg->from, false },
	    &asks[0]);
	make_ask(cfg, (uint32_t)cfg->size, &(struct pace_trial_params){ fmax((double)cfg->to,
	    (double)cfg->from), true }, &asks[1]);
	rc = pace_streams_run(&pc);
	pace_capacity_free(&h.found);
	return rc;
}

static const char *const examples[] = {
	"# the highest rate without loss, up to the interface's rate",
	"udpace capacity hostb",
	"# loss of at most 0.1 %, three trials of 5 s at each rate",
	"udpace capacity hostb --max-loss 0.1% --duration 5s --repeat 3",
	"# the reverse direction: the responder sends",
	"udpace capacity hostb --reverse",
	"# small frames, up to 1 Gbit/s",
	"udpace capacity hostb --size 64 --high 1G",
	NULL
};

const struct pace_cmd pace_cmd_capacity = {
	"capacity", "search for the highest rate that a path carries", "HOST", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct capacity_cfg), run, NULL,
};
