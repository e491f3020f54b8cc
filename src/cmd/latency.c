#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "cmd/latency.h"
#include "core/wire.h"
#include "doc/latency_doc.h"
#include "out/conclusions_text.h"
#include "out/latency_csv.h"
#include "out/latency_text.h"
#include "plat/clock.h"
#include "plat/tcp_run.h"
#include "proto/msg.h"
#include "run/point_control.h"
#include "run/probe.h"
#include "run/resume.h"

#define INTERVAL_MIN	10000			/* ns: a request and its reply take some µs */
#define UNDER_WAY_MAX	131072			/* requests without a reply yet */
#define POINT_COST_NS	INT64_C(30000000)	/* time of a point in addition to its requests */

struct latency_cfg {
	struct pace_given given;
	struct pace_net_opts net;
	struct pace_list size;
	struct pace_linear_hist_arg linear;
	int64_t		reply_size, count, interval, timeout, link_rate, max_loss, max_p99;
	struct pace_sink_cfg sink;
	const char	*resume;
	bool		ping_pong, busy_poll, fit, dry_run, list;
	const struct pace_tcp_params *tcp;	/* also over TCP, so; NULL: only UDP */
};

#define AT(field)	offsetof(struct latency_cfg, field)

static const struct pace_opt opts[] = {
	{ "size", 'p', PACE_OPT_LIST, AT(size), PACE_UNIT_BYTES, PACE_STAMP_OPEN,
	    PACE_FRAME_MAX, "64,128,256,512,768,1024,1280,1472", "LIST",
	    "UDP payload of a request", "Requests" },
	{ "reply-size", 0, PACE_OPT_NUM, AT(reply_size), PACE_UNIT_BYTES, PACE_PING_SIZE,
	    PACE_FRAME_MAX, NULL, "SIZE", "size of a reply; without it, that of the request",
	    "Requests" },
	{ "count", 'l', PACE_OPT_NUM, AT(count), PACE_UNIT_COUNT, 1, INT64_C(1000000000),
	    "1000", "N", "requests per size", "Requests" },
	{ "interval", 'w', PACE_OPT_NUM, AT(interval), PACE_UNIT_USEC, INTERVAL_MIN, 5 * PACE_SEC,
	    "1ms", "TIME", "time from one request to the next, answered or not", "Requests" },
	{ "ping-pong", 0, PACE_OPT_FLAG, AT(ping_pong), 0, 0, 0, NULL, NULL,
	    "send the next request when the reply arrives, not by --interval", "Requests" },
	{ "timeout", 0, PACE_OPT_NUM, AT(timeout), PACE_UNIT_SEC, 1000000, 10 * PACE_SEC, "1s",
	    "TIME", "count a request as unanswered after this time", "Requests" },
	{ "linear", 0, PACE_OPT_LINEAR, AT(linear), 0, 0, 0, NULL, "LOW:WIDTH:BINS",
	    "add a linear histogram of round-trip times", "Requests" },
	{ "list", 0, PACE_OPT_FLAG, AT(list), 0, 0, 0, NULL, NULL,
	    "list each request in the document, at most 1000 of a size", "Requests" },
	{ "link-rate", 0, PACE_OPT_NUM, AT(link_rate), PACE_UNIT_BPS, 1000,
	    INT64_C(10000000000000), NULL, "RATE",
	    "also print the slope expected from a link of this rate", "Requests" },
	{ "fit-mtu", 0, PACE_OPT_FLAG, AT(fit), 0, 0, 0, NULL, NULL,
	    "omit sizes that exceed the path MTU", "Requests" },
	{ "dry-run", 0, PACE_OPT_FLAG, AT(dry_run), 0, 0, 0, NULL, NULL,
	    "print the plan and its duration; send nothing", "Requests" },
	{ "resume", 0, PACE_OPT_STR, AT(resume), 0, 0, 0, NULL, "FILE",
	    "measure the points missing in FILE, the --output of an earlier run", "Requests" },
	PACE_NET_ROWS(struct latency_cfg),
	PACE_MARK_ROWS(struct latency_cfg),
	PACE_DSCP_ROW(struct latency_cfg),
	PACE_STAMP_ROWS(struct latency_cfg),
	PACE_CPU_ROW(struct latency_cfg, "core to run on"),
	{ "busy-poll", 0, PACE_OPT_FLAG, AT(busy_poll), 0, 0, 0, NULL, NULL,
	    "both hosts poll instead of sleeping", "Host" },
	PACE_LEASE_ROWS(struct latency_cfg),
	PACE_SINK_ROWS(struct latency_cfg, "table", "a size"),
	PACE_SHORT_ROWS(struct latency_cfg),
	PACE_PRIVATE_ROW(struct latency_cfg),
	PACE_QUIET_ROW(struct latency_cfg, "print no progress and no notices"),
	{ "verbose", 'v', PACE_OPT_FLAG, AT(sink.detail), 0, 0, 0, NULL, NULL,
	    "print more about each size", "Output" },
	{ "max-loss", 0, PACE_OPT_NUM, AT(max_loss), PACE_UNIT_RATIO, 0, 1000000000, NULL,
	    "RATIO", "exit 1 if the share of unanswered requests is higher", "Limits" },
	{ "max-p99", 0, PACE_OPT_NUM, AT(max_p99), PACE_UNIT_USEC, 1, 60 * PACE_SEC, NULL, "TIME",
	    "exit 1 if the 99th percentile of the round-trip time is higher", "Limits" },
};

/* One run of the program. */
struct latency_trips {
	const struct latency_cfg *cfg;
	bool		size_given, max_loss_given;
	struct pace_latency_params *asks;
	struct pace_latency_rows rows;
	struct pace_flags flags;	/* for the rows */
	struct pace_latency *point;	/* being measured; NULL: none */
	/* points with replies, over UDP and over TCP */
	struct latency_line { double x[PACE_LIST_MAX], min[PACE_LIST_MAX], median[PACE_LIST_MAX];
		size_t n; } line[2];
	size_t		n;		/* points of asks */
	struct pace_conclusions conclusions;
};

/* --- output of round trips ------------------------------------------------------- */

static int
head(FILE *f, const struct pace_result *r, const struct latency_trips *t, bool utf8)
{
	return pace_latency_text_head(f, r, t->asks, t->n, utf8);
}

static int
row_head(FILE *f, const struct latency_trips *t, bool utf8)
{
	return pace_latency_text_row_head(f, &t->rows, utf8);
}

static int
row(FILE *f, const struct latency_trips *t, const struct pace_latency *point, bool utf8)
{
	return pace_latency_text_row(f, &t->rows, point, utf8);
}

PACE_SINK_KIND(latency_sink, pace_latency_to_json, pace_latency_csv_head,
    pace_latency_csv_point, pace_latency_csv_short, head, row_head, row, pace_latency_text_point);

/* --- the plan ------------------------------------------------------------------------- */

static bool
size_fits(const struct latency_cfg *cfg, int64_t size)
{
	return cfg->net.stamp ? pace_stamp_size_fits((uint32_t)size, cfg->net.twamp_light,
	    cfg->net.stamp_key != NULL) : size >= PACE_PING_SIZE && size <= PACE_FRAME_MAX &&
	    cfg->reply_size <= PACE_FRAME_MAX;
}

/* Is a given size too small, or one that padding cannot make? */
static bool
has_bad_size(const struct pace_cmd *cmd, const struct latency_cfg *cfg)
{
	for (int i = 0; i < cfg->size.n && pace_opt_given(cmd, cfg, "size"); i++) {
		if (cfg->net.stamp && pace_stamp_size_contradicts(&cfg->net, cfg->size.v[i]))
			return true;
		if (!cfg->net.stamp && cfg->size.v[i] < PACE_PING_SIZE) {
			pace_size_too_small(cfg->size.v[i], PACE_PING_SIZE);
			return true;
		}
	}
	return false;
}

/* Options that need a responder. */
static const char *const not_stamp[] = { "reply-size", "key", "label", "no-wait", "busy-poll",
	NULL };

static bool
contradictory(const struct pace_cmd *cmd, const struct latency_cfg *cfg)
{
	if (pace_stamp_contradicts(cmd, cfg, &cfg->net, not_stamp) || has_bad_size(cmd, cfg))
		return true;
	if (cfg->list && cfg->count > PACE_LISTED_MAX) {
		pace_complain("--list: at most %d requests of a size can be listed, not %lld: see "
		    "--count", PACE_LISTED_MAX, (long long)cfg->count);
		return true;
	}
	if (cfg->ping_pong && pace_opt_given(cmd, cfg, "interval")) {
		pace_complain("--ping-pong and --interval exclude each other: both set the time of "
		    "the next request");
		return true;
	}
	if (!cfg->ping_pong && cfg->timeout / cfg->interval > UNDER_WAY_MAX) {
		pace_complain("--timeout: one request every %lld ns leaves %lld requests "
		    "unanswered at a time; at most %d are possible", (long long)cfg->interval,
		    (long long)(cfg->timeout / cfg->interval), UNDER_WAY_MAX);
		return true;
	}
	return pace_sink_contradicts(&cfg->sink) || pace_net_contradicts(&cfg->net);
}

/* --- the probe ---------------------------------------------------------------------------- */

/* Reject sizes that the path does not carry unfragmented; omit such default sizes. */
static int
check_sizes(struct pace_probe *p)
{
	struct latency_trips *t = p->ctx;
	int mtu = pace_sock_mtu(&p->peer.sock, p->peer.addr.family);
	struct pace_link link = { .family = p->peer.addr.family,
	    .mtu = mtu > 0 ? (uint32_t)mtu : 0 };
	uint32_t most = pace_payload_max(&link);
	size_t kept = 0;

	p->peer.client.tcp = t->cfg->tcp != NULL ? &pace_tcp_engine : NULL;
	p->peer.client.source = p->peer.source;
	p->peer.client.interface = p->cfg->peer.interface;
	for (size_t i = 0; i < p->n; i++) {
		if (mtu <= 0 || t->asks[i].tcp || (t->asks[i].size_bytes <= most &&
		    (t->cfg->tcp == NULL || t->asks[i].reply_bytes <= most))) {
			t->asks[kept++] = t->asks[i];
			continue;
		}
		if (!t->size_given || t->cfg->tcp != NULL || t->cfg->fit)
			continue;
		pace_complain("--size: '%u' does not fit the path MTU of %d bytes "
		    "(at most %u bytes with IPv%d)", t->asks[i].size_bytes, mtu, most,
		    p->peer.addr.family);
		return PACE_EXIT_USAGE;
	}
	if (kept < p->n && t->cfg->fit && !t->cfg->net.quiet)
		pace_notice("--fit-mtu: %zu of %zu sizes do not fit the path MTU of %d bytes and "
		    "are omitted", p->n - kept, p->n, mtu);
	if (kept < p->n && t->cfg->fit)
		pace_note(&p->result.notes, "sizes_left_out", "%zu of %zu sizes do not fit the "
		    "path MTU of %d bytes", p->n - kept, p->n, mtu);
	p->n = t->n = kept;
	t->rows = pace_latency_text_rows(t->asks, t->n);
	t->rows.flags = &t->flags;
	if (kept > 0)
		return PACE_EXIT_OK;
	pace_complain("none of the sizes fits the path MTU of %d bytes (at most %u bytes with "
	    "IPv%d)", mtu, most, p->peer.addr.family);
	pace_hint("give a smaller --size, at least 64 bytes");
	return PACE_EXIT_USAGE;
}

static int64_t
cost_ns(const struct pace_probe *p, size_t i)
{
	const struct pace_latency_params *a = &((const struct latency_trips *)p->ctx)->asks[i];
	int64_t each = a->interval_ns > 0 ? a->interval_ns : 100000;

	/* no overflow: at most 10^9 requests 5 s apart */
	return (int64_t)a->count * each + POINT_COST_NS;
}

static bool
is_unusable(const struct latency_trips *t, struct pace_latency *l)
{
	const struct latency_cfg *cfg = t->cfg;
	double lost = (double)l->timeouts, sent = (double)l->sent;
	int64_t p99 = l->received > 0 ? pace_hist_quantile(&l->rtt, 0.99) : 0;
	bool above_loss = t->max_loss_given && lost * 1e9 > (double)cfg->max_loss * sent;
	bool above_p99 = cfg->max_p99 > 0 && p99 > cfg->max_p99;
	const char *broken = pace_latency_broken(l);

	if (above_loss)
		pace_note(&l->notes, "above_max_loss", "%.4g %% of the requests had no reply, "
		    "above the limit of %.4g %%", 100 * lost / sent, (double)cfg->max_loss / 1e7);
	if (above_p99)
		pace_note(&l->notes, "above_max_p99", "the 99th percentile is %.3f us, above the "
		    "limit of %.3f us", (double)p99 / 1e3, (double)cfg->max_p99 / 1e3);
	if (broken != NULL)
		pace_note(&l->notes, "contradiction", "figures contradict each other: %s", broken);
	return l->verdict == PACE_DEGRADED || l->received == 0 || above_loss || above_p99 ||
	    broken != NULL;
}

static void
tell(struct pace_probe *p, struct pace_latency *l)
{
	struct latency_trips *t = p->ctx;
	struct latency_line *line = &t->line[l->ask.tcp];

	p->unusable |= is_unusable(t, l);
	if (l->received > 0 && line->n < PACE_LIST_MAX) {
		line->x[line->n] = l->ask.size_bytes;
		line->min[line->n] = (double)l->rtt.stats.min;
		line->median[line->n++] = (double)pace_hist_quantile(&l->rtt, 0.5);
	}
	pace_sink_point(&p->sink, l, NULL);
	pace_conclusions_add_trips(&t->conclusions, l);
	p->done++;
}

static bool
renew(struct pace_probe *p)
{
	struct latency_trips *t = p->ctx;

	free(t->point);
	t->point = pace_latency_new();
	return t->point != NULL;
}

static int
exchange(struct pace_probe *p, struct pace_latency *l, struct pace_err *err)
{
	const struct latency_trips *t = p->ctx;

	return l->ask.tcp ? pace_client_tcp_requests(&p->peer.client, t->cfg->tcp, l, err) :
	    pace_client_latency(&p->peer.client, l, err);
}

/* Measure one size, a second time if the responder was restarted. */
static int
measure(struct pace_probe *p, size_t i, struct pace_err *err)
{
	const struct latency_trips *t = p->ctx;
	struct pace_latency *l = t->point;
	int rc;

	l->ask = t->asks[i];
	l->lists = t->cfg->list;
	p->show.asap = l->ask.interval_ns == 0;
	(void)pace_probe_show(p, i, l->ask.count, cost_ns(p, i));
	rc = exchange(p, l, err);
	if (rc == -ESTALE && l->sent == 0 && pace_client_open(&p->peer.client, err) == 0)
		rc = exchange(p, l, err);
	if (l->due_wall_ns != 0)
		pace_clock_rfc3339(l->due_wall_ns, l->started, sizeof(l->started));
	pace_show_end(&p->show);
	return rc;
}

static bool
one_size(struct pace_probe *p, size_t i)
{
	struct latency_trips *t = p->ctx;
	struct pace_err err = { .code = 0 };
	bool skipped;		/* always false: such a point cannot be skipped */
	int rc = pace_probe_measure(p, i, PACE_POINT_CONTROL_UNNAMED, &skipped, &err);
	struct pace_latency *l = t->point;

	if (rc == -ESTALE && l->sent > 0)
		rc = pace_client_open(&p->peer.client, &err);	/* noted in the point */
	if (rc < 0 && rc != -EINTR)
		pace_probe_failed(p, &p->result.notes, &err);
	if (l != NULL && l->sent > 0) {
		if (p->journal != NULL && rc == 0 && !l->interrupted)
			pace_resume_add(p->journal, &p->sink, i, pace_latency_to_json(l), NULL,
			    false);
		tell(p, l);
	}
	return rc == 0 || rc == -EDQUOT;	/* the policy may admit the next size */
}

static bool
tell_again(struct pace_probe *p, size_t i, const json_t *point)
{
	const struct latency_trips *t = p->ctx;
	const struct pace_latency_params *ask = &t->asks[i];

	if (renew(p) && pace_latency_from_json(t->point, point) == 0 &&
	    t->point->ask.size_bytes == ask->size_bytes &&
	    t->point->ask.reply_bytes == ask->reply_bytes && t->point->ask.count == ask->count) {
		tell(p, t->point);
		return true;
	}
	pace_complain("--resume: %s: a point is damaged, or does not match its command line",
	    p->journal->path);
	return false;
}

/* Fit a line through the sizes of UDP or of TCP, and print it. */
static json_t *
fit(struct pace_probe *p, bool tcp)
{
	const struct latency_trips *t = p->ctx;
	const struct latency_line *line = &t->line[tcp];
	struct pace_latency_fits fits = { .name = t->cfg->tcp == NULL ? NULL : tcp ? "TCP       " :
	    "UDP       " };
	/* of a link's rate: request and reply each cross the link once, and the reply counts only
	 * if its size grows with the request's */
	double ways = t->cfg->reply_size > 0 ? 1 : 2;
	json_t *all;

	pace_latency_fit(&fits, line->x, line->min, line->median, line->n);
	if (t->cfg->link_rate > 0)
		fits.expected_slope = ways * 8e9 / (double)t->cfg->link_rate;
	if (pace_sink_has_table(&p->sink) && (t->cfg->tcp != NULL ? line->n : p->n) > 1)
		pace_sink_check(&p->sink, pace_latency_text_fit(stdout, &fits, p->sink.utf8));
	all = pace_latency_fits_to_json(&fits);
	json_object_set_new(all, "residuals",
	    pace_latency_residuals_to_json(&fits.min, line->x, line->min, line->n));
	json_object_set_new(json_object_get(all, "median"), "residuals",
	    pace_latency_residuals_to_json(&fits.median, line->x, line->median, line->n));
	return all;
}

static json_t *
end(struct pace_probe *p)
{
	const struct latency_trips *t = p->ctx;
	bool table = pace_sink_has_table(&p->sink) && p->n > 1;
	json_t *members;

	if (table)
		pace_sink_check(&p->sink, pace_latency_text_row_foot(stdout, &t->flags,
		    p->sink.utf8));
	members = json_pack("{s:o}", "fit", fit(p, false));
	if (t->cfg->tcp != NULL)
		json_object_set_new(members, "fit_tcp", fit(p, true));
	if (table && t->conclusions.trips > 0)
		pace_sink_check(&p->sink,
		    pace_conclusions_text(stdout, &t->conclusions, "conclusions",
		    p->sink.utf8));
	return members;
}

static const struct pace_probe_kind latency_kind = { .name = "latency", .sink = &latency_sink,
	.counts = "requests sent",
	.prepare = check_sizes, .cost_ns = cost_ns, .again = tell_again, .point = one_size,
	.renew = renew, .measure = measure, .end = end };

/* True if no size and no rate needs the lease (session.h). */
static bool
is_light(const struct latency_cfg *cfg)
{
	bool small = cfg->reply_size <= PACE_PING_FREE;

	for (int i = 0; i < cfg->size.n; i++)
		small = small && cfg->size.v[i] <= PACE_PING_FREE && cfg->reply_size <= cfg->size.v[i];
	return small && !cfg->ping_pong && !cfg->busy_poll && cfg->interval >= PACE_LIGHT_PING_NS;
}

static void
add_ask(struct latency_trips *t, int64_t size, bool tcp)
{
	const struct latency_cfg *cfg = t->cfg;

	t->asks[t->n++] = (struct pace_latency_params){ .size_bytes = (uint32_t)size,
	    .reply_bytes = (uint32_t)(cfg->reply_size > 0 ? cfg->reply_size : size),
	    .count = (uint64_t)cfg->count, .interval_ns = cfg->ping_pong ? 0 : cfg->interval,
	    .timeout_ns = cfg->timeout, .busy_poll = cfg->busy_poll, .tcp = tcp,
	    .linear = { cfg->linear.low, cfg->linear.width, (uint32_t)cfg->linear.bins } };
}

/* Measure all sizes. */
static int
measure_all(const struct latency_cfg *cfg, struct pace_probe_cfg *pc, bool size_given,
    bool max_loss_given)
{
	struct latency_trips *t = calloc(1, sizeof(*t));
	int status = PACE_EXIT_NO_RESULT;

	if (t != NULL)
		t->asks = calloc(2 * (size_t)cfg->size.n, sizeof(*t->asks));
	if (t == NULL || t->asks == NULL) {
		pace_complain("out of memory");
		free(t);
		return status;
	}
	t->cfg = cfg;
	pace_conclusions_begin(&t->conclusions);
	t->size_given = size_given;
	t->max_loss_given = max_loss_given;
	for (int i = 0; i < cfg->size.n; i++) {
		if (size_fits(cfg, cfg->size.v[i]))
			add_ask(t, cfg->size.v[i], false);
		if (cfg->tcp != NULL)
			add_ask(t, cfg->size.v[i], true);
	}
	status = pace_probe_run(pc, &latency_kind, t, t, t->n);
	free(t->point);
	free(t->asks);
	free(t);
	return status;
}

static int
start(const struct pace_cmd *cmd, const void *arg, const char *host, int all_argc,
    char *const *all_argv)
{
	const struct latency_cfg *cfg = arg;
	struct pace_probe_cfg pc = { .peer = pace_peer_cfg(cmd, cfg, &cfg->net, host),
	    .sink = cfg->sink, .dry_run = cfg->dry_run,
	    .argc = all_argc, .argv = all_argv };
	int status;

	if (contradictory(cmd, cfg))
		return PACE_EXIT_USAGE;
	pc.peer.light = is_light(cfg);
	pc.members = json_object();
	status = measure_all(cfg, &pc, pace_opt_given(cmd, cfg, "size"),
	    pace_opt_given(cmd, cfg, "max-loss"));
	json_decref(pc.members);
	return status;
}

int
pace_requests_run(const struct pace_requests *q, const char *host, int argc, char *const *argv)
{
	struct latency_cfg cfg = { .net = *q->net, .size = *q->size, .reply_size = q->reply_size,
	    .count = q->count, .timeout = PACE_TCP_SILENT_NS, .sink = *q->sink, .ping_pong = true,
	    .dry_run = q->dry_run, .tcp = &q->how };
	struct pace_probe_cfg pc = { .peer = pace_peer_cfg(q->cmd, q->opts, q->net, host),
	    .sink = *q->sink, .dry_run = q->dry_run, .argc = argc, .argv = argv };

	return measure_all(&cfg, &pc, true, false);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct latency_cfg *cfg = arg;

	(void)argc;
	if (cfg->resume != NULL)
		return pace_resume(cmd, cfg, cfg->resume, start);
	return start(cmd, cfg, argv[0], all_argc, all_argv);
}

static const char *const examples[] = {
	"# round-trip times by frame size, with a fitted line",
	"udpace latency hostb",
	"# as UDPmon measures: each request after the previous reply",
	"udpace latency hostb --ping-pong --cpu 2 --count 10k",
	"# is the slope that of a 10 Gbit/s link?",
	"udpace latency hostb --size 64:1472:64 --link-rate 10G",
	"# a router that has a STAMP reflector, or answers TWAMP-Light",
	"udpace latency router1 --stamp --size 100 --dscp ef",
	NULL
};

const struct pace_cmd pace_cmd_latency = {
	"latency", "measure round trips by frame size", "HOST", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct latency_cfg), run,
	"resume",
};
