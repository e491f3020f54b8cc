#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "core/rates.h"
#include "core/schedule.h"
#include "core/wire.h"
#include "doc/capacity.h"
#include "doc/params.h"
#include "out/capacity_text.h"
#include "run/probe.h"

#define MS		INT64_C(1000000)
#define SEC		INT64_C(1000000000)
#define RATE_MAX	INT64_C(1000000000000)
#define SINGLE_NS	5000		/* frames closer than that leave in trains ... */
#define TRAIN_NS	20000		/* ... so far apart */
#define TRAIN_MOST	64
#define IDLE_NS		SEC		/* the sender is tried for so long before the first trial */
#define USUAL_BPS	10e9		/* where the interface does not tell its rate */

struct capacity_cfg {
	struct pace_given given;
	struct pace_net_opts net;
	int64_t		size, from, to, max_loss, duration, sustain, repeat, precision, train, grace;
	int64_t		vlan, sndbuf, rcvbuf;
	struct pace_sink_cfg sink;
};

#define AT(field)	offsetof(struct capacity_cfg, field)

static const struct pace_opt opts[] = {
	{ "size", 'p', PACE_OPT_NUM, AT(size), PACE_UNIT_BYTES, PACE_HDR_SIZE, PACE_FRAME_MAX,
	    "1472", "SIZE", "UDP payload of a frame", "Search" },
	{ "from", 0, PACE_OPT_NUM, AT(from), PACE_UNIT_BPS, 100000, RATE_MAX,
	    "10M", "RATE", "lowest rate to try, of user data", "Search" },
	{ "to", 0, PACE_OPT_NUM, AT(to), PACE_UNIT_BPS, 100000, RATE_MAX, NULL,
	    "RATE", "highest rate to try; else what the interface has room for", "Search" },
	{ "max-loss", 0, PACE_OPT_NUM, AT(max_loss), PACE_UNIT_RATIO, 0, 500000000, "0",
	    "RATIO", "a rate passes with no more loss than this", "Search" },
	{ "precision", 0, PACE_OPT_NUM, AT(precision), PACE_UNIT_RATIO, 1000000, 200000000, "0.5%",
	    "RATIO", "of the rate found", "Search" },
	{ "duration", 't', PACE_OPT_NUM, AT(duration), PACE_UNIT_SEC, 100 * MS, 3600 * SEC, "1s",
	    "TIME", "length of a trial", "Search" },
	{ "repeat", 0, PACE_OPT_NUM, AT(repeat), PACE_UNIT_COUNT, 1, 100, "2", "N",
	    "trials that a rate must pass", "Search" },
	{ "sustain", 0, PACE_OPT_NUM, AT(sustain), PACE_UNIT_SEC, 100 * MS, 24 * 3600 * SEC, "10s",
	    "TIME", "length of the trial that the rate found must pass, too", "Search" },
	{ "train", 0, PACE_OPT_NUM, AT(train), PACE_UNIT_COUNT, 0, 64, "0", "N",
	    "frames back to back; 0: only where single ones are too close", "Search" },
	{ "grace", 0, PACE_OPT_NUM, AT(grace), PACE_UNIT_SEC, 0, 60 * SEC, "500ms", "TIME",
	    "wait for late frames after each trial", "Search" },
	PACE_NET_ROWS(struct capacity_cfg),
	PACE_DSCP_ROW(struct capacity_cfg),
	{ "vlan", 0, PACE_OPT_NUM, AT(vlan), PACE_UNIT_COUNT, 0, 2, "0", "N",
	    "VLAN tags to count in wire rates", "Network" },
	{ "sndbuf", 0, PACE_OPT_NUM, AT(sndbuf), PACE_UNIT_BYTES, 2048, INT64_C(1) << 30,
	    "16M", "SIZE", "send buffer to ask for", "Network" },
	{ "rcvbuf", 0, PACE_OPT_NUM, AT(rcvbuf), PACE_UNIT_BYTES, 2048, INT64_C(1) << 26,
	    "16M", "SIZE", "receive buffer to ask for, at the responder", "Network" },
	PACE_CPU_ROW(struct capacity_cfg, "core for the sender"),
	PACE_LEASE_ROWS(struct capacity_cfg),
	PACE_SINK_ROWS(struct capacity_cfg, "table", "a trial"),
	PACE_PRIVATE_ROW(struct capacity_cfg),
	PACE_QUIET_ROW(struct capacity_cfg, "no progress and no notices"),
};

struct hunt {
	const struct capacity_cfg *cfg;
	const struct pace_cmd *cmd;
	const struct pace_params *asks;	/* with the size that fits the path */
	struct pace_capacity found;
	bool		pending;	/* a trial is out */
};

/* --- trials ------------------------------------------------------------------------ */

static void
make_ask(const struct capacity_cfg *cfg, uint32_t size_bytes, const struct pace_trial_params *t,
    struct pace_params *a)
{
	int64_t gap_ns;

	*a = (struct pace_params){ .size_bytes = size_bytes, .dscp = (uint32_t)cfg->net.dscp,
	    .repeats = 1, .bursts = 1, .grace_ns = cfg->grace,
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

/* Without frames: what freezes the sender now will freeze it in every trial. */
static void
idle(void *ctx, struct pace_client *client, struct pace_notes *notes, bool quiet)
{
	struct pace_capacity *c = &((struct hunt *)ctx)->found;
	struct pace_point *p = pace_point_new();

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
	pace_notice("the sender's core is busy: what is found may be this host's limit, not the path's");
	pace_notice("%s", c->idle.why);
	pace_hint("another core with --cpu, or end what runs there");
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

/* The rate of user data that the interface has room for; 0: it does not tell. */
static double
room_bps(const struct pace_capacity *c, const struct pace_host *host)
{
	int64_t mbps;

	return pace_host_knows(host, PACE_FACT_SPEED_MBPS, &mbps) && mbps > 0 ?
	    (double)mbps * 1e6 * c->size_bytes / (double)c->wire_bytes : 0;
}

static void
begin(void *ctx, const struct pace_link *link, const struct pace_host *host)
{
	struct hunt *h = ctx;
	const struct capacity_cfg *cfg = h->cfg;
	struct pace_capacity *c = &h->found;
	struct pace_search_cfg search = { .low_bps = (double)cfg->from,
	    .precision = (double)cfg->precision / 1e9, .repeat = (int)cfg->repeat };
	double room;

	c->size_bytes = h->asks[0].size_bytes;
	c->wire_bytes = pace_wire_bytes(link, c->size_bytes);
	c->max_loss = (double)cfg->max_loss / 1e9;
	c->duration_ns = cfg->duration;
	c->sustain_ns = cfg->sustain;
	room = room_bps(c, host);
	c->highest = pace_opt_given(h->cmd, cfg, "to") ? PACE_HIGHEST_ASKED :
	    room > 0 ? PACE_HIGHEST_INTERFACE : PACE_HIGHEST_USUAL;
	search.high_bps = c->highest == PACE_HIGHEST_ASKED ? (double)cfg->to :
	    room > 0 ? room : USUAL_BPS;
	search.high_bps = fmax(search.high_bps, search.low_bps);
	pace_search_begin(&c->search, &search);
}

/* --- what is told ------------------------------------------------------------------- */

static int
head(FILE *f, const struct pace_result *r, const void *ctx, bool utf8)
{
	return pace_capacity_text_head(f, r, &((const struct hunt *)ctx)->found, utf8);
}

static int
row_head(FILE *f, const void *ctx, bool utf8)
{
	return pace_capacity_text_row_head(f, &((const struct hunt *)ctx)->found, utf8);
}

static int
row(FILE *f, const void *ctx, const void *point, bool utf8)
{
	return pace_capacity_text_row(f, &((const struct hunt *)ctx)->found, point, utf8);
}

static int
tail(void *ctx, FILE *f, bool utf8)
{
	return pace_capacity_text(f, &((struct hunt *)ctx)->found, utf8);
}

static void
conclude(void *ctx, struct pace_notes *notes)
{
	const struct pace_capacity *c = &((struct hunt *)ctx)->found;

	if (pace_capacity_limit(c) == PACE_LIMIT_SENDER)
		pace_note(notes, "limited_by_sender", "the limit was this host: what the path takes is "
		    "not known, the rate found is what was sent");
}

static json_t *
extra(void *ctx)
{
	return pace_capacity_to_json(&((struct hunt *)ctx)->found);
}

/* A limit of the path's or the responder's was found, or none up to where it was to be
 * looked for. */
static int
status(void *ctx)
{
	const struct pace_capacity *c = &((struct hunt *)ctx)->found;
	enum pace_limit limit = pace_capacity_limit(c);

	if (c->failed) {
		pace_complain("out of memory");
		return PACE_EXIT_PARTIAL;
	}
	return c->search.best_bps > 0 && limit != PACE_LIMIT_UNKNOWN &&
	    limit != PACE_LIMIT_SENDER ? PACE_EXIT_OK : PACE_EXIT_NOT_USABLE;
}

static const struct pace_probe_guide guide = { .kind = "capacity", .begin = begin,
	.idle = idle, .next = next, .conclude = conclude, .refused = refused, .head = head, .row_head = row_head, .row = row, .tail = tail,
	.extra = extra, .status = status };

/* --- the command ---------------------------------------------------------------------- */

static bool
contradictory(const struct pace_cmd *cmd, const struct capacity_cfg *cfg)
{
	bool to = pace_opt_given(cmd, cfg, "to");

	if (to && cfg->to < cfg->from) {
		pace_complain("--from and --to: there is nothing between %lld and %lld bit/s",
		    (long long)cfg->from, (long long)cfg->to);
		return true;
	}
	if (cfg->sustain < cfg->duration) {
		pace_complain("--sustain is to be no shorter than --duration: a short trial proves "
		    "less, not more");
		return true;
	}
	if (pace_spacing_from_rate((uint32_t)cfg->size, cfg->from) == 0) {
		pace_complain("--from: %lld bit/s of %lld-byte frames would be a spacing above 2 s",
		    (long long)cfg->from, (long long)cfg->size);
		return true;
	}
	return pace_sink_contradicts(&cfg->sink) || pace_net_contradicts(&cfg->net);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct capacity_cfg *cfg = arg;
	struct pace_params asks[2];
	struct hunt h = { .cfg = cfg, .cmd = cmd, .asks = asks };
	struct pace_probe_cfg pc = {
		.peer = pace_peer_cfg(cmd, cfg, &cfg->net, argv[0]),
		.vlan_tags = (uint32_t)cfg->vlan,
		.size_given = pace_opt_given(cmd, cfg, "size"),
		.sndbuf_given = pace_opt_given(cmd, cfg, "sndbuf"),
		.rcvbuf_given = pace_opt_given(cmd, cfg, "rcvbuf"),
		.max_loss = -1, .sink = cfg->sink, .asks = asks, .n = 2,
		.guide = &guide, .ctx = &h, .argc = all_argc, .argv = all_argv,
	};
	int rc;

	(void)argc;
	if (contradictory(cmd, cfg))
		return PACE_EXIT_USAGE;
	make_ask(cfg, (uint32_t)cfg->size, &(struct pace_trial_params){ (double)cfg->from, false },
	    &asks[0]);
	make_ask(cfg, (uint32_t)cfg->size, &(struct pace_trial_params){ fmax((double)cfg->to,
	    (double)cfg->from), true }, &asks[1]);
	pc.peer.sndbuf_bytes = (uint32_t)cfg->sndbuf;
	pc.peer.rcvbuf_bytes = (uint32_t)cfg->rcvbuf;
	rc = pace_probe_run(&pc);
	pace_capacity_free(&h.found);
	return rc;
}

static const char *const examples[] = {
	"# the highest rate without loss, up to that of the interface",
	"udpace capacity hostb",
	"# no more than 0.1 % lost, trials of 5 s, three of each",
	"udpace capacity hostb --max-loss 0.1% --duration 5s --repeat 3",
	"# of small frames, up to 1 Gbit/s",
	"udpace capacity hostb --size 64 --to 1G",
	NULL
};

const struct pace_cmd pace_cmd_capacity = {
	"capacity", "search for the highest rate that a path takes", "HOST", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct capacity_cfg), run, NULL,
};
