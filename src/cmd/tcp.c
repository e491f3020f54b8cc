#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "cmd/latency.h"
#include "doc/conclusions.h"
#include "doc/tcp_doc.h"
#include "out/tcp_csv.h"
#include "out/tcp_text.h"
#include "plat/clock.h"
#include "plat/tcp_run.h"
#include "run/point_control.h"
#include "run/probe.h"

#define POINT_COST_NS	INT64_C(500000000)	/* time of a point besides writing */
#define NAME_CHARACTERS	"abcdefghijklmnopqrstuvwxyz0123456789_-"
#define GUESS_BPS	1e9			/* of a stream, to guess how long --length takes */

struct tcp_cfg {
	struct pace_given given;
	struct pace_net_opts net;
	struct pace_list streams, size;
	int64_t		reply_size, count;
	int64_t		duration, length, write, rate, window, mss, interval, min_goodput;
	const char	*congestion, *beside;
	struct pace_sink_cfg sink;
	bool		request, reverse, two_way, no_delay, zero_copy, dry_run;
};

#define AT(field)	offsetof(struct tcp_cfg, field)

static const struct pace_opt opts[] = {
	{ "streams", 'P', PACE_OPT_LIST, AT(streams), PACE_UNIT_COUNT, 1, PACE_TCP_STREAMS, "1",
	    "LIST", "connections at once; a point for each number", "Connections" },
	{ "duration", 't', PACE_OPT_NUM, AT(duration), PACE_UNIT_SEC, 10000000, 86400 * PACE_SEC,
	    "10s", "TIME", "how long to send", "Connections" },
	{ "length", 'l', PACE_OPT_NUM, AT(length), PACE_UNIT_BYTES, 1, INT64_C(1) << 50, NULL,
	    "SIZE", "data of each connection, instead of --duration", "Connections" },
	{ "reverse", 0, PACE_OPT_FLAG, AT(reverse), 0, 0, 0, NULL, NULL,
	    "the responder sends, this host receives", "Connections" },
	{ "two-way", 0, PACE_OPT_FLAG, AT(two_way), 0, 0, 0, NULL, NULL,
	    "both send at once, each on connections of its own", "Connections" },
	{ "dry-run", 0, PACE_OPT_FLAG, AT(dry_run), 0, 0, 0, NULL, NULL,
	    "print the plan and its duration; send nothing", "Connections" },
	{ "request", 0, PACE_OPT_FLAG, AT(request), 0, 0, 0, NULL, NULL,
	    "measure round trips by size over one connection, and over UDP beside", "Requests" },
	{ "size", 0, PACE_OPT_LIST, AT(size), PACE_UNIT_BYTES, 1, PACE_TCP_REQUEST,
	    "64,512,1024,1448,2048,3072,4096,6144,8192", "LIST", "data of a request", "Requests" },
	{ "reply-size", 0, PACE_OPT_NUM, AT(reply_size), PACE_UNIT_BYTES, 1, PACE_TCP_REQUEST, NULL,
	    "SIZE", "data of a reply; without it, that of the request", "Requests" },
	{ "count", 0, PACE_OPT_NUM, AT(count), PACE_UNIT_COUNT, 1, 1000000000, "1000", "N",
	    "requests of each size, each after the reply to the one before", "Requests" },
	{ "rate", 'r', PACE_OPT_NUM, AT(rate), PACE_UNIT_BPS, 8000, INT64_C(10000000000000), NULL,
	    "RATE", "pace the data of each connection (SO_MAX_PACING_RATE)", "TCP" },
	{ "window", 0, PACE_OPT_NUM, AT(window), PACE_UNIT_BYTES, 2048, INT64_C(1) << 30, NULL,
	    "SIZE", "requested send and receive buffers of both hosts; without it, the kernels "
	    "adapt them", "TCP" },
	{ "mss", 0, PACE_OPT_NUM, AT(mss), PACE_UNIT_BYTES, 88, 32767, NULL, "SIZE",
	    "maximum segment size", "TCP" },
	{ "congestion", 0, PACE_OPT_STR, AT(congestion), 0, 0, PACE_TCP_ALGORITHM - 1, NULL, "NAME",
	    "congestion control of the senders, such as cubic or bbr", "TCP" },
	{ "write", 0, PACE_OPT_NUM, AT(write), PACE_UNIT_BYTES, 1, 16 << 20, "128K", "SIZE",
	    "data of each call that sends", "TCP" },
	{ "no-delay", 0, PACE_OPT_FLAG, AT(no_delay), 0, 0, 0, NULL, NULL,
	    "send small segments at once (TCP_NODELAY)", "TCP" },
	{ "zero-copy", 0, PACE_OPT_FLAG, AT(zero_copy), 0, 0, 0, NULL, NULL,
	    "send without copying the data into the kernel (MSG_ZEROCOPY)", "TCP" },
	{ "interval", 'i', PACE_OPT_NUM, AT(interval), PACE_UNIT_SEC, 1000000, 3600 * PACE_SEC,
	    "100ms",
	    "TIME", "length of the intervals in the document; it doubles while there would be too "
	    "many", "TCP" },
	PACE_PORT_ROW(struct tcp_cfg),
	PACE_FAMILY_ROWS(struct tcp_cfg),
	PACE_KEY_ROW(struct tcp_cfg),
	PACE_SOURCE_ROWS(struct tcp_cfg),
	PACE_DSCP_ROW(struct tcp_cfg),
	PACE_CPU_ROW(struct tcp_cfg, "core to run on"),
	PACE_LEASE_ROWS(struct tcp_cfg),
	PACE_SINK_ROWS(struct tcp_cfg, "table", "a direction"),
	PACE_PRIVATE_ROW(struct tcp_cfg),
	PACE_QUIET_ROW(struct tcp_cfg, "print no progress and no notices"),
	{ "verbose", 'v', PACE_OPT_FLAG, AT(sink.detail), 0, 0, 0, NULL, NULL,
	    "print more: of a single point, each connection", "Output" },
	{ "beside", 0, PACE_OPT_STR, AT(beside), 0, 0, 0, NULL, "FILE",
	    "compare with the highest rate without loss of this result of throughput or "
	    "capacity", "Limits" },
	{ "min-goodput", 0, PACE_OPT_NUM, AT(min_goodput), PACE_UNIT_BPS, 1,
	    INT64_C(10000000000000), NULL, "RATE",
	    "exit 1 if all connections of a direction together have less", "Limits" },
};

/* One run of the program. */
struct tcp_points {
	const struct tcp_cfg *cfg;
	struct pace_tcp_params asks[PACE_LIST_MAX];
	size_t		n;
	struct pace_tcp_way beside[2];	/* by direction: UDP's rate */
	struct pace_tcp_point *point;	/* being measured; NULL: none */
};

/* --- output ------------------------------------------------------------------------------ */

static int
head(FILE *f, const struct pace_result *r, const struct tcp_points *t, bool utf8)
{
	return pace_tcp_text_head(f, r, t->asks, t->n, utf8);
}

static int
row_head(FILE *f, const struct tcp_points *t, bool utf8)
{
	(void)t;
	return pace_tcp_text_row_head(f, utf8);
}

static int
row(FILE *f, const struct tcp_points *t, const struct pace_tcp_point *point, bool utf8)
{
	(void)t;
	return pace_tcp_text_row(f, point, utf8);
}

PACE_SINK_KIND(tcp_sink, pace_tcp_point_to_json, pace_tcp_csv_head, pace_tcp_csv_point, NULL, head,
    row_head, row, pace_tcp_text_point);

/* --- the result beside ------------------------------------------------------------------- */

/* Take the highest rate without loss of each direction, of a search or of measured points. */
static bool
read_beside(struct tcp_points *t)
{
	struct pace_conclusions *c = calloc(1, sizeof(*c));
	struct pace_err err = { .code = 0 };
	bool any = false;
	int rc;

	if (c == NULL) {
		pace_complain("out of memory");
		return false;
	}
	pace_conclusions_begin(c);
	rc = pace_conclusions_read(c, t->cfg->beside, true, &err);
	for (size_t i = 0; i < c->searches; i++)
		if (c->search[i].user_bps > 0)
			t->beside[c->search[i].direction] = (struct pace_tcp_way){
			    .udp_bps = c->search[i].user_bps,
			    .udp_limit = strcmp(c->search[i].limit, "path") == 0 ||
			    strcmp(c->search[i].limit, "responder") == 0 };
	any = t->beside[0].udp_bps > 0 || t->beside[1].udp_bps > 0;
	if (rc == 0 && !any)
		rc = pace_conclusions_read(c, t->cfg->beside, false, &err);
	pace_conclusions_close(c);
	for (int down = 0; down < 2 && !any; down++)
		t->beside[down] = (struct pace_tcp_way){ .udp_bps = c->clean[down].user_bps,
		    .udp_limit = c->failed[down].sent_bps > c->clean[down].user_bps };
	any = any || c->points > 0;
	pace_conclusions_free(c);
	free(c);
	if (rc == -ENOENT)
		pace_complain("--beside: there is no file '%s'", t->cfg->beside);
	else if (rc < 0)
		pace_complain("--beside: %s", pace_err_why(&err));
	else if (!any)
		pace_complain("--beside: %s has no points of UDP: give a result of throughput or "
		    "capacity", t->cfg->beside);
	return rc == 0 && any;
}

/* --- the probe --------------------------------------------------------------------------- */

/* Options of streams, and of requests. */
static const char *const of_streams[] = { "streams", "duration", "length", "reverse", "two-way",
	"rate", "write", "zero-copy", "interval", "beside", "min-goodput", NULL };
static const char *const of_requests[] = { "size", "reply-size", "count", NULL };

/* True if an option of the other kind was given. */
static bool
mixes(const struct pace_cmd *cmd, const struct tcp_cfg *cfg)
{
	for (const char *const *o = cfg->request ? of_streams : of_requests; *o != NULL; o++) {
		if (!pace_opt_given(cmd, cfg, *o))
			continue;
		pace_complain(cfg->request ? "--%s and --request exclude each other" :
		    "--%s needs --request", *o);
		return true;
	}
	return false;
}

static bool
contradictory(const struct pace_cmd *cmd, const struct tcp_cfg *cfg)
{
	if (mixes(cmd, cfg))
		return true;
	if (cfg->length > 0 && pace_opt_given(cmd, cfg, "duration"))
		pace_complain("--duration and --length exclude each other: both say when to end");
	else if (cfg->reverse && cfg->two_way)
		pace_complain("--reverse and --two-way exclude each other");
	else if (cfg->congestion != NULL && (cfg->congestion[0] == '\0' ||
	    cfg->congestion[strspn(cfg->congestion, NAME_CHARACTERS)] != '\0'))
		pace_complain("--congestion: '%s' is not a name; 'sysctl "
		    "net.ipv4.tcp_available_congestion_control' lists them", cfg->congestion);
	else
		return pace_sink_contradicts(&cfg->sink) || pace_net_contradicts(&cfg->net);
	return true;
}

static int64_t
cost_ns(const struct pace_probe *p, size_t i)
{
	const struct pace_tcp_params *a = &((const struct tcp_points *)p->ctx)->asks[i];
	double rate = a->rate_bps > 0 ? (double)a->rate_bps : GUESS_BPS;

	return POINT_COST_NS + (a->duration_ns > 0 ? a->duration_ns :
	    (int64_t)fmin(8e9 * (double)a->length_bytes / rate, 1e18));
}

static int
prepare(struct pace_probe *p)
{
	struct pace_client *c = &p->peer.client;

	c->tcp = &pace_tcp_engine;
	c->source = p->peer.source;
	c->interface = p->cfg->peer.interface;
	return PACE_EXIT_OK;
}

static bool
renew(struct pace_probe *p)
{
	struct tcp_points *t = p->ctx;

	pace_tcp_point_free(t->point);
	t->point = pace_tcp_point_new();
	return t->point != NULL;
}

static bool
has_figures(const struct pace_tcp_point *p)
{
	return p->ours.end[0] != NULL || p->ours.end[1] != NULL;
}

/* Measure one number of connections, a second time if the responder was restarted. */
static int
measure(struct pace_probe *p, size_t i, struct pace_err *err)
{
	const struct tcp_points *t = p->ctx;
	struct pace_tcp_point *point = t->point;
	int rc;

	point->ask = t->asks[i];
	(void)pace_probe_show(p, i, 0, cost_ns(p, i));
	rc = pace_client_tcp(&p->peer.client, point, err);
	if (rc == -ESTALE && !has_figures(point) && pace_client_open(&p->peer.client, err) == 0)
		rc = pace_client_tcp(&p->peer.client, point, err);
	for (int down = 0; down < 2; down++) {
		point->way[down].udp_bps = t->beside[down].udp_bps;
		point->way[down].udp_limit = t->beside[down].udp_limit;
	}
	if (t->cfg->beside != NULL)
		pace_clean(point->beside, sizeof(point->beside), t->cfg->beside,
		    strlen(t->cfg->beside));
	if (point->started_wall_ns != 0)
		pace_clock_rfc3339(point->started_wall_ns, point->started, sizeof(point->started));
	pace_show_end(&p->show);
	return rc;
}

/* True if a figure cannot be used, or a limit was exceeded. */
static bool
is_unusable(const struct tcp_cfg *cfg, struct pace_tcp_point *point)
{
	bool unusable = point->notes.n > 0;

	for (int down = 0; down < 2; down++) {
		const struct pace_tcp_way *w = &point->way[down];

		if (down ? !point->ask.down : !point->ask.up)
			continue;
		unusable |= w->known && w->sums.received_bytes == 0;
		if (cfg->min_goodput == 0 || !w->known ||
		    w->sums.goodput_bps >= (double)cfg->min_goodput)
			continue;
		pace_note(&point->notes, "below_min_goodput", "%s: %.4g Mbit/s, below the limit of "
		    "%.4g Mbit/s", down ? "down" : "up", w->sums.goodput_bps / 1e6,
		    (double)cfg->min_goodput / 1e6);
		unusable = true;
	}
	return unusable;
}

static bool
one_point(struct pace_probe *p, size_t i)
{
	struct tcp_points *t = p->ctx;
	struct pace_err err = { .code = 0 };
	bool skipped;		/* always false: such a point cannot be skipped */
	int rc = pace_probe_measure(p, i, PACE_POINT_CONTROL_UNNAMED, &skipped, &err);

	if (rc < 0 && rc != -EINTR)
		pace_probe_failed(p, &p->result.notes, &err);
	if (t->point != NULL && has_figures(t->point)) {
		p->unusable |= is_unusable(t->cfg, t->point);
		pace_sink_point(&p->sink, t->point, NULL);
		p->done++;
	}
	return rc == 0 || rc == -EDQUOT;	/* the policy may admit the next point */
}

static const struct pace_probe_kind tcp_kind = { .name = "tcp", .sink = &tcp_sink,
	.prepare = prepare, .cost_ns = cost_ns, .point = one_point, .renew = renew,
	.measure = measure };

static struct pace_tcp_params
params_of(const struct tcp_cfg *cfg, int64_t streams)
{
	struct pace_tcp_params a = { .streams = (uint32_t)streams,
	    .up = !cfg->reverse, .down = cfg->reverse || cfg->two_way,
	    .duration_ns = cfg->length > 0 ? 0 : cfg->duration,
	    .length_bytes = (uint64_t)cfg->length, .write_bytes = (uint32_t)cfg->write,
	    .rate_bps = (uint64_t)cfg->rate, .window_bytes = (uint32_t)cfg->window,
	    .mss_bytes = (uint32_t)cfg->mss, .no_delay = cfg->no_delay,
	    .zero_copy = cfg->zero_copy, .dscp = (uint32_t)cfg->net.dscp,
	    .interval_ns = cfg->interval };

	if (cfg->congestion != NULL)
		snprintf(a.congestion, sizeof(a.congestion), "%s", cfg->congestion);
	return a;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc, char **all_argv)
{
	const struct tcp_cfg *cfg = arg;
	struct pace_probe_cfg pc = { .peer = pace_peer_cfg(cmd, cfg, &cfg->net, argv[0]),
	    .sink = cfg->sink, .dry_run = cfg->dry_run, .argc = all_argc, .argv = all_argv };
	struct tcp_points *t;
	int status;

	(void)argc;
	if (contradictory(cmd, cfg))
		return PACE_EXIT_USAGE;
	if (cfg->request)
		return pace_requests_run(&(struct pace_requests){ .cmd = cmd, .opts = cfg,
		    .net = &cfg->net, .sink = &cfg->sink, .size = &cfg->size,
		    .reply_size = cfg->reply_size, .count = cfg->count, .dry_run = cfg->dry_run,
		    .how = params_of(cfg, 1) }, argv[0], all_argc, all_argv);
	t = calloc(1, sizeof(*t));
	if (t == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	t->cfg = cfg;
	for (int i = 0; i < cfg->streams.n; i++)
		t->asks[t->n++] = params_of(cfg, cfg->streams.v[i]);
	status = cfg->beside != NULL && !read_beside(t) ? PACE_EXIT_USAGE :
	    pace_probe_run(&pc, &tcp_kind, t, t, t->n);
	pace_tcp_point_free(t->point);
	free(t);
	return status;
}

static const char *const examples[] = {
	"# what does TCP achieve, and what limits it?",
	"udpace tcp hostb",
	"# against the number of connections, in both directions",
	"udpace tcp hostb --streams 1,2,4,8 --two-way",
	"# what the responder can send here, with another congestion control",
	"udpace tcp hostb --reverse --congestion reno --duration 30s",
	"# paced to 900 Mbit/s, with buffers for a long path",
	"udpace tcp hostb --rate 900M --window 64M",
	"# round trips over TCP against size, beside those over UDP",
	"udpace tcp hostb --request --no-delay",
	"# beside what UDP carries without loss",
	"udpace tcp hostb --beside udp.json",
	NULL
};

const struct pace_cmd pace_cmd_tcp = {
	"tcp", "measure what TCP achieves, and what limits it", "HOST", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct tcp_cfg), run, NULL,
};
