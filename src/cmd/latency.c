#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "core/wire.h"
#include "doc/latency_doc.h"
#include "out/latency_csv.h"
#include "out/latency_text.h"
#include "plat/clock.h"
#include "run/feed.h"
#include "run/peer.h"
#include "run/point_control.h"
#include "run/progress.h"
#include "run/resume.h"
#include "run/sink.h"
#include "run/stop.h"

#define SEC		INT64_C(1000000000)
#define INTERVAL_MIN	10000			/* ns: a request and a reply take some µs */
#define UNDER_WAY_MAX	131072			/* requests not answered yet */
#define POINT_COST_NS	INT64_C(30000000)	/* of a size, beside its requests */

struct latency_cfg {
	struct pace_given given;
	struct pace_net_opts net;
	struct pace_list size;
	struct pace_linear_hist_arg linear;
	int64_t		reply_size, count, interval, timeout, link_rate, max_loss, max_p99;
	struct pace_sink_cfg sink;
	const char	*resume;
	bool		ping_pong, busy_poll, fit, dry_run;
	/* not an option */
	struct pace_journal *journal;	/* of a run that goes on, NULL: of none */
};

#define AT(field)	offsetof(struct latency_cfg, field)

static const struct pace_opt opts[] = {
	{ "size", 'p', PACE_OPT_LIST, AT(size), PACE_UNIT_BYTES, PACE_PING_SIZE,
	    PACE_FRAME_MAX, "64,128,256,512,768,1024,1280,1472", "LIST",
	    "UDP payload of a request", "Requests" },
	{ "reply-size", 0, PACE_OPT_NUM, AT(reply_size), PACE_UNIT_BYTES, PACE_PING_SIZE,
	    PACE_FRAME_MAX, NULL, "SIZE", "of a reply; without it as large as the request",
	    "Requests" },
	{ "count", 'l', PACE_OPT_NUM, AT(count), PACE_UNIT_COUNT, 1, INT64_C(1000000000),
	    "1000", "N", "requests of each size", "Requests" },
	{ "interval", 'w', PACE_OPT_NUM, AT(interval), PACE_UNIT_USEC, INTERVAL_MIN, 5 * SEC,
	    "1ms", "TIME", "from request to request, answered or not", "Requests" },
	{ "ping-pong", 0, PACE_OPT_FLAG, AT(ping_pong), 0, 0, 0, NULL, NULL,
	    "the next request when the reply is there, not by --interval", "Requests" },
	{ "timeout", 0, PACE_OPT_NUM, AT(timeout), PACE_UNIT_SEC, 1000000, 10 * SEC, "1s",
	    "TIME", "a reply that takes longer is not counted as one", "Requests" },
	{ "linear", 0, PACE_OPT_LINEAR, AT(linear), 0, 0, 0, NULL, "LOW:WIDTH:BINS",
	    "also a linear histogram of round trips", "Requests" },
	{ "link-rate", 0, PACE_OPT_NUM, AT(link_rate), PACE_UNIT_BPS, 1000,
	    INT64_C(10000000000000), NULL, "RATE",
	    "the slope that a link of this rate would give, beside the fit", "Requests" },
	{ "fit", 0, PACE_OPT_FLAG, AT(fit), 0, 0, 0, NULL, NULL,
	    "leave out sizes that the path does not take whole", "Requests" },
	{ "dry-run", 0, PACE_OPT_FLAG, AT(dry_run), 0, 0, 0, NULL, NULL,
	    "say what would be measured, and how long; send nothing", "Requests" },
	{ "resume", 0, PACE_OPT_STR, AT(resume), 0, 0, 0, NULL, "FILE",
	    "measure what is missing in FILE of an earlier --output", "Requests" },
	PACE_NET_ROWS(struct latency_cfg),
	PACE_DSCP_ROW(struct latency_cfg),
	PACE_CPU_ROW(struct latency_cfg, "core to run on"),
	{ "busy-poll", 0, PACE_OPT_FLAG, AT(busy_poll), 0, 0, 0, NULL, NULL,
	    "both ends spin instead of sleeping", "Host" },
	PACE_LEASE_ROWS(struct latency_cfg),
	PACE_SINK_ROWS(struct latency_cfg, "table", "a size"),
	PACE_PRIVATE_ROW(struct latency_cfg),
	PACE_QUIET_ROW(struct latency_cfg, "no progress and no notices"),
	{ "verbose", 'v', PACE_OPT_FLAG, AT(sink.detail), 0, 0, 0, NULL, NULL,
	    "more of each size", "Output" },
	{ "max-loss", 0, PACE_OPT_NUM, AT(max_loss), PACE_UNIT_RATIO, 0, 1000000000, NULL,
	    "RATIO", "exit 1 above this share of requests without a reply", "Limits" },
	{ "max-p99", 0, PACE_OPT_NUM, AT(max_p99), PACE_UNIT_USEC, 1, 60 * SEC, NULL, "TIME",
	    "exit 1 when the 99th percentile of a round trip is above", "Limits" },
};

/* --- how round trips are written ------------------------------------------------- */

struct latency_plan {
	struct pace_latency_params *asks;
	size_t		n;
	struct pace_latency_rows rows;
};

static json_t *
to_json(const void *point)
{
	return pace_latency_to_json(point);
}

static int
csv_point(FILE *f, const void *point)
{
	return pace_latency_csv_point(f, point);
}

static int
head(FILE *f, const struct pace_result *r, const void *arg, bool utf8)
{
	const struct latency_plan *plan = arg;

	return pace_latency_text_head(f, r, plan->asks, plan->n, utf8);
}

static int
row_head(FILE *f, const void *arg, bool utf8)
{
	return pace_latency_text_row_head(f, &((const struct latency_plan *)arg)->rows, utf8);
}

static int
row(FILE *f, const void *arg, const void *point, bool utf8)
{
	return pace_latency_text_row(f, &((const struct latency_plan *)arg)->rows, point, utf8);
}

static int
block(FILE *f, const void *point, bool detail, bool utf8)
{
	return pace_latency_text_point(f, point, detail, utf8);
}

static const struct pace_sink_kind latency_kind = { to_json, pace_latency_csv_head, csv_point,
    head, row_head, row, block };

/* --- the plan ------------------------------------------------------------------------- */

static bool
contradictory(const struct pace_cmd *cmd, const struct latency_cfg *cfg)
{
	if (cfg->ping_pong && pace_opt_given(cmd, cfg, "interval")) {
		pace_complain("--ping-pong and --interval exclude each other: each says when the "
		    "next request leaves");
		return true;
	}
	if (!cfg->ping_pong && cfg->timeout / cfg->interval > UNDER_WAY_MAX) {
		pace_complain("--timeout: with one request every %lld ns that would be %lld "
		    "requests under way; at most %d", (long long)cfg->interval,
		    (long long)(cfg->timeout / cfg->interval), UNDER_WAY_MAX);
		return true;
	}
	return false;
}

static void
make_ask(const struct latency_cfg *cfg, int64_t size, struct pace_latency_params *a)
{
	memset(a, 0, sizeof(*a));
	a->size_bytes = (uint32_t)size;
	a->reply_bytes = (uint32_t)(cfg->reply_size > 0 ? cfg->reply_size : size);
	a->count = (uint64_t)cfg->count;
	a->interval_ns = cfg->ping_pong ? 0 : cfg->interval;
	a->timeout_ns = cfg->timeout;
	a->busy_poll = cfg->busy_poll;
	a->lens.low = cfg->linear.low;
	a->lens.width = cfg->linear.width;
	a->lens.bins = (uint32_t)cfg->linear.bins;
}

/* --- the probe ---------------------------------------------------------------------------- */

struct latency_trips {
	const struct latency_cfg *cfg;
	bool		size_given, max_loss_given;
	struct latency_plan	plan;
	struct pace_peer peer;
	struct pace_result result;
	struct pace_sink sink;
	struct pace_show show;
	double		x[PACE_LIST_MAX], min[PACE_LIST_MAX], median[PACE_LIST_MAX];
	size_t		fitted, done, failed;
	struct pace_journal *journal, own;	/* that in use, or NULL; a new one's room */
	bool		unusable;
};

/* Sizes that the path does not take whole are refused; default ones left out. */
static int
check_sizes(struct latency_trips *t)
{
	int mtu = pace_sock_mtu(&t->peer.sock, t->peer.addr.family);
	struct pace_link link = { .family = t->peer.addr.family, .mtu = mtu > 0 ? (uint32_t)mtu : 0 };
	uint32_t most = pace_payload_max(&link);
	size_t kept = 0;

	for (size_t i = 0; i < t->plan.n; i++) {
		if (mtu <= 0 || t->plan.asks[i].size_bytes <= most) {
			t->plan.asks[kept++] = t->plan.asks[i];
			continue;
		}
		if (!t->size_given || t->cfg->fit)
			continue;
		pace_complain("--size: '%u' does not fit the path MTU of %d bytes "
		    "(at most %u bytes with IPv%d)", t->plan.asks[i].size_bytes, mtu, most,
		    t->peer.addr.family);
		return PACE_EXIT_USAGE;
	}
	if (kept < t->plan.n && t->cfg->fit && !t->cfg->net.quiet)
		pace_notice("--fit: %zu of %zu sizes do not fit the path MTU of %d bytes and "
		    "are left out", t->plan.n - kept, t->plan.n, mtu);
	if (kept < t->plan.n && t->cfg->fit)
		pace_note(&t->result.notes, "sizes_left_out", "%zu of %zu sizes do not fit the "
		    "path MTU of %d bytes", t->plan.n - kept, t->plan.n, mtu);
	t->plan.n = kept;
	if (kept == 0) {
		pace_complain("the path MTU of %d bytes takes none of the sizes "
		    "(at most %u bytes with IPv%d)", mtu, most, t->peer.addr.family);
		pace_hint("give a --size; from 64 bytes on");
		return PACE_EXIT_USAGE;
	}
	return PACE_EXIT_OK;
}

static int64_t
cost_ns(const struct pace_latency_params *a)
{
	int64_t each = a->interval_ns > 0 ? a->interval_ns : 100000;

	/* at most 10^9 requests 5 s apart */
	return (int64_t)a->count * each + POINT_COST_NS;
}

static void
judge(struct latency_trips *t, struct pace_latency *p)
{
	const struct latency_cfg *cfg = t->cfg;
	double lost = (double)p->timeouts, sent = (double)p->sent;
	const char *broken = pace_latency_broken(p);

	t->unusable |= p->verdict == PACE_DEGRADED || p->received == 0;
	if (t->max_loss_given && lost * 1e9 > (double)cfg->max_loss * sent) {
		pace_note(&p->notes, "above_max_loss", "%.4g %% of the requests had no reply, "
		    "above the limit of %.4g %%", 100 * lost / sent, (double)cfg->max_loss / 1e7);
		t->unusable = true;
	}
	if (cfg->max_p99 > 0 && p->received > 0 &&
	    pace_hist_quantile(&p->rtt, 0.99) > cfg->max_p99) {
		pace_note(&p->notes, "above_max_p99", "the 99th percentile is %.3f us, above the "
		    "limit of %.3f us", (double)pace_hist_quantile(&p->rtt, 0.99) / 1e3,
		    (double)cfg->max_p99 / 1e3);
		t->unusable = true;
	}
	if (broken != NULL) {
		pace_note(&p->notes, "contradiction", "figures contradict each other: %s", broken);
		t->unusable = true;
	}
}

static void
keep_for_fit(struct latency_trips *t, const struct pace_latency *p)
{
	if (p->received == 0 || t->fitted == PACE_LIST_MAX)
		return;
	t->x[t->fitted] = p->ask.size_bytes;
	t->min[t->fitted] = (double)p->rtt.stats.min;
	t->median[t->fitted++] = (double)pace_hist_quantile(&p->rtt, 0.5);
}

static void
tell(struct latency_trips *t, struct pace_latency *p)
{
	judge(t, p);
	keep_for_fit(t, p);
	pace_sink_point(&t->sink, p, NULL);
	t->done++;
}

static void
keep_in_journal(struct latency_trips *t, const struct pace_latency *p, size_t i, int rc)
{
	if (t->journal != NULL && rc == 0 && !p->interrupted)
		pace_resume_add(t->journal, &t->sink, i, pace_latency_to_json(p));
}

static void
show_begin(struct latency_trips *t, size_t i)
{
	int64_t rest = 0;

	for (size_t k = i + 1; k < t->plan.n && rest < PACE_AT_MOST_NS; k++)
		rest += cost_ns(&t->plan.asks[k]);
	t->peer.client.rest_ns = rest;
	pace_show_begin(&t->show, i, t->plan.n, 0, cost_ns(&t->plan.asks[i]), rest,
	    t->cfg->net.quiet);
}

/* Others may measure while we stand still; a size that was cut by that begins anew. */
static int
measure_size(struct latency_trips *t, struct pace_latency *p, size_t i, struct pace_err *err)
{
	int rc;

	if (pace_point_control_rest_due()) {
		pace_client_close(&t->peer.client);
		pace_point_control_rest();
		rc = pace_client_open(&t->peer.client, err);
		if (rc < 0)
			return rc;
	}
	p->ask = t->plan.asks[i];
	show_begin(t, i);
	pace_point_control_begin(PACE_POINT_CONTROL_UNNAMED);
	rc = pace_client_latency(&t->peer.client, p, err);
	if (rc == -ESTALE && p->sent == 0 && pace_client_open(&t->peer.client, err) == 0)
		rc = pace_client_latency(&t->peer.client, p, err);
	(void)pace_point_control_end();
	if (p->due_wall_ns != 0)
		pace_clock_rfc3339(p->due_wall_ns, p->started, sizeof(p->started));
	pace_show_end(&t->show);
	return rc;
}

/* One size; once more when the responder has been restarted.  False: there is
 * no sense in going on. */
static bool
one_size(struct latency_trips *t, size_t i)
{
	struct pace_latency *p = NULL;
	struct pace_err err = { .code = 0 };
	int rc;

	do {
		free(p);
		p = pace_latency_new();
		rc = p != NULL ? measure_size(t, p, i, &err) : -ENOMEM;
	} while (rc == -EINTR && pace_stop == 0 && pace_point_control_rest_due());
	if (rc == -ESTALE && p->sent > 0)
		rc = pace_client_open(&t->peer.client, &err);	/* told in the point's notes */
	if (rc < 0 && rc != -EINTR) {
		pace_peer_tell(&t->peer, &err);
		pace_peer_note(&t->result.notes, &err);
		t->failed++;
	}
	if (p != NULL && p->sent > 0) {
		keep_in_journal(t, p, i, rc);
		tell(t, p);
	}
	free(p);
	return rc == 0 || rc == -EDQUOT;	/* the policy may allow the next one */
}

/* What was measured whole need not be measured again: tell it as if it just were. */
static bool
tell_journal(struct latency_trips *t)
{
	struct pace_latency *p = pace_latency_new();
	bool good = p != NULL && t->journal->planned == t->plan.n;

	for (size_t i = 0; good && i < t->plan.n; i++) {
		json_t *j = t->journal->line[i] >= 0 ? pace_journal_point(t->journal, i) : NULL;

		if (t->journal->line[i] < 0)
			continue;
		good = pace_latency_from_json(p, j) == 0 &&
		    p->ask.size_bytes == t->plan.asks[i].size_bytes &&
		    p->ask.reply_bytes == t->plan.asks[i].reply_bytes &&
		    p->ask.count == t->plan.asks[i].count;
		json_decref(j);
		if (good)
			tell(t, p);
	}
	if (!good)
		pace_complain("--resume: %s: a point is damaged, or not that of its command line",
		    t->journal->path);
	free(p);
	return good;
}

/* False: there is no sense in measuring. */
static bool
begin_journal(struct latency_trips *t)
{
	if (t->journal != NULL || !pace_journal_wanted(t->cfg->sink.output, t->plan.n))
		return true;
	if (!pace_resume_begin(&t->own, &t->sink, &t->result, json_object(), t->plan.n))
		return false;
	if (t->own.f != NULL)
		t->journal = &t->own;
	return true;
}

static void
end_journal(struct latency_trips *t)
{
	bool complete = t->done == t->plan.n && t->failed == 0 && !t->sink.failed &&
	    pace_stop == 0;

	if (t->journal != NULL)
		pace_resume_end(t->journal, complete, "latency");
}

static void
follow_plan(struct latency_trips *t)
{
	for (size_t i = 0; i < t->plan.n; i++) {
		if (pace_point_control_last && pace_stop == 0)
			pace_stop = SIGINT;
		if ((t->journal == NULL || t->journal->line[i] < 0) && !one_size(t, i))
			break;
	}
}

static void
measure_all(struct latency_trips *t)
{
	if (t->done == t->plan.n || pace_peer_connect(&t->peer, &t->result) != 0)
		return;
	if (begin_journal(t))
		follow_plan(t);
	pace_client_close(&t->peer.client);
}

static int
status_of(const struct latency_trips *t)
{
	if (pace_stop != 0)
		return pace_stop_status();
	if (t->done == 0)
		return PACE_EXIT_NO_RESULT;
	if (t->failed > 0 || t->sink.failed || t->done < t->plan.n)
		return PACE_EXIT_PARTIAL;
	return t->unusable ? PACE_EXIT_NOT_USABLE : PACE_EXIT_OK;
}

static json_t *
fits_to_json(const struct latency_trips *t, const struct pace_latency_fits *fits)
{
	json_t *fit = pace_latency_fits_to_json(fits);

	json_object_set_new(fit, "residuals",
	    pace_latency_residuals_to_json(&fits->min, t->x, t->min, t->fitted));
	json_object_set_new(json_object_get(fit, "median"), "residuals",
	    pace_latency_residuals_to_json(&fits->median, t->x, t->median, t->fitted));
	return json_pack("{s:o}", "fit", fit);
}

/* The line through the sizes; a link's share of it: request and reply each cross
 * it once, the reply only counts where it grows with the request. */
static void
finish(struct latency_trips *t)
{
	struct pace_latency_fits fits;
	double ways = t->cfg->reply_size > 0 ? 1 : 2;

	memset(&fits, 0, sizeof(fits));
	pace_latency_fit(&fits, t->x, t->min, t->median, t->fitted);
	if (t->cfg->link_rate > 0)
		fits.expected_slope = ways * 8e9 / (double)t->cfg->link_rate;
	if (pace_sink_has_table(&t->sink) && t->plan.n > 1)
		pace_sink_check(&t->sink, pace_latency_text_fit(stdout, &fits, t->sink.utf8));
	pace_sink_end(&t->sink, &t->result, fits_to_json(t, &fits));
}

/* --dry-run: the same words as before a run, and nothing more. */
static int
tell_plan(struct latency_trips *t)
{
	for (size_t i = 0; i < t->plan.n; i++)
		pace_feed_cost(cost_ns(&t->plan.asks[i]));
	if (!t->cfg->net.quiet)
		pace_sink_check(&t->sink, pace_latency_text_head(stdout, &t->result,
		    t->plan.asks, t->plan.n, t->sink.utf8));
	return t->sink.failed ? PACE_EXIT_PARTIAL : PACE_EXIT_OK;
}

static int
measure(struct latency_trips *t, const struct pace_peer_cfg *peer, int argc, char *const *argv)
{
	int rc = pace_peer_open(&t->peer, peer);

	if (rc == PACE_EXIT_OK)
		rc = check_sizes(t);
	if (rc != PACE_EXIT_OK)
		return rc;
	t->peer.waiting = &t->show.waiting;
	pace_peer_describe(&t->peer, &t->result, "latency", argc, argv);
	if (t->cfg->dry_run)
		return tell_plan(t);
	pace_stop_catch();
	t->plan.rows = pace_latency_text_rows(t->plan.asks, t->plan.n);
	pace_sink_begin(&t->sink, &latency_kind, &t->plan, &t->result, t->plan.n);
	if (t->journal != NULL) {
		pace_resume_head(&t->result, t->journal);
		if (!tell_journal(t))
			return PACE_EXIT_NO_RESULT;
	}
	measure_all(t);
	t->result.interrupted = pace_stop != 0;
	finish(t);
	end_journal(t);
	return status_of(t);
}

static int
start(const struct pace_cmd *cmd, const struct latency_cfg *cfg, const char *host, int all_argc,
    char *const *all_argv)
{
	struct pace_peer_cfg peer = pace_peer_cfg(cmd, cfg, &cfg->net, host);
	struct latency_trips *t;
	int status;

	if (contradictory(cmd, cfg) || pace_sink_contradicts(&cfg->sink) ||
	    pace_net_contradicts(&cfg->net))
		return PACE_EXIT_USAGE;
	t = calloc(1, sizeof(*t));
	if (t == NULL || (t->plan.asks = calloc((size_t)cfg->size.n, sizeof(*t->plan.asks))) == NULL) {
		pace_complain("out of memory");
		free(t);
		return PACE_EXIT_NO_RESULT;
	}
	t->cfg = cfg;
	t->size_given = pace_opt_given(cmd, cfg, "size");
	t->max_loss_given = pace_opt_given(cmd, cfg, "max-loss");
	t->peer.sock.fd = -1;
	for (int i = 0; i < cfg->size.n; i++)
		make_ask(cfg, cfg->size.v[i], &t->plan.asks[t->plan.n++]);
	t->journal = cfg->journal;
	status = cfg->journal == NULL ? pace_resume_check(&cfg->sink, t->plan.n) : PACE_EXIT_OK;
	if (status == PACE_EXIT_OK)
		status = pace_sink_open(&t->sink, &cfg->sink);
	if (status == PACE_EXIT_OK)
		status = measure(t, &peer, all_argc, all_argv);
	pace_sink_close(&t->sink);
	pace_peer_close(&t->peer);
	free(t->plan.asks);
	free(t);
	return status;
}

/* As it began, with the journal in hand. */
static int
go_on(const struct pace_cmd *cmd, void *arg, struct pace_journal *j, const char *host,
    int all_argc, char *const *all_argv)
{
	struct latency_cfg *cfg = arg;

	cfg->journal = j;
	if (!pace_resume_sink(&cfg->sink, j))
		return PACE_EXIT_NO_RESULT;
	return start(cmd, cfg, host, all_argc, all_argv);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct latency_cfg *cfg = arg;

	(void)argc;
	if (cfg->resume != NULL)
		return pace_resume(cmd, cfg, cfg->resume, go_on);
	return start(cmd, cfg, argv[0], all_argc, all_argv);
}

static const char *const examples[] = {
	"# round trips against frame size, with the line through them",
	"udpace latency hostb",
	"# as UDPmon measures: each request behind the last reply",
	"udpace latency hostb --ping-pong --cpu 2 --count 10k",
	"# is the slope that of a 10 Gbit/s link?",
	"udpace latency hostb --size 64:1472:64 --link-rate 10G",
	NULL
};

const struct pace_cmd pace_cmd_latency = {
	"latency", "measure round trips against frame size", "HOST", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct latency_cfg), run,
	"resume",
};
