#include "config.h"

#include "cli/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "doc/ask.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/facts.h"
#include "plat/sock.h"
#include "session/client.h"

enum { OK = 0, NOT_USABLE = 1, USAGE = 2, NO_RESULT = 3, PARTIAL = 4 };

#define POINT_COST_NS	INT64_C(150000000)	/* of a point, beside stream and grace */

/* All that one call of the program holds. */
struct probe {
	const struct pace_probe_cfg *cfg;
	struct pace_addr peer;
	struct pace_sock sock;
	struct pace_client client;
	struct pace_result result;
	struct pace_sink sink;
	struct pace_show show;
	size_t		done;		/* points with a result */
	size_t		failed;		/* points without */
	bool		unusable;	/* a figure, or a limit was missed */
	bool		told_busy;
};

/* --- telling ------------------------------------------------------------------ */

static const char *
host_of(const struct probe *p)
{
	return p->cfg->host;
}

static void
hint_for(const struct probe *p, const struct pace_err *err)
{
	int code = err->code;

	if (strcmp(err->step, "send") == 0 && code == ECONNREFUSED)
		pace_hint("was it stopped, or did the host go down? what it had is lost");
	else if (code == ETIMEDOUT || code == ECONNREFUSED)
		pace_hint("start 'udpace respond' there, or open UDP port %u in the firewall",
		    p->cfg->port);
	else if (code == EBUSY)
		pace_hint("without --no-wait udpace waits for its turn");
	else if (code == EMSGSIZE)
		pace_hint("a smaller --size, or --fragment");
}

static void
tell_failure(const struct probe *p, const struct pace_err *err)
{
	const char *what = err->text[0] != '\0' ? err->text : strerror(err->code);

	pace_complain("%s port %u: %s", host_of(p), p->cfg->port, what);
	hint_for(p, err);
}

/* The document says it too. */
static void
note_failure(struct pace_notes *notes, const struct pace_err *err)
{
	pace_note(notes, "no_result", "%s: %s", err->step,
	    err->text[0] != '\0' ? err->text : strerror(err->code));
}

static void
say_busy(void *ctx, const struct pace_msg_error *who)
{
	struct probe *p = ctx;

	atomic_store(&p->show.waiting, true);
	if (p->told_busy || p->cfg->quiet)
		return;
	p->told_busy = true;
	fprintf(stderr, "%s is busy: %s is measuring, for at most %" PRId64
	    " s more; waiting\n", host_of(p),
	    who->label[0] != '\0' ? who->label : "another client",
	    who->wait_ns / 1000000000 + 1);
}

/* --- before the first frame ----------------------------------------------------- */

static int
resolve(struct probe *p)
{
	struct pace_err err;

	if (host_of(p)[0] == '\0') {
		pace_complain("HOST is empty");
		return USAGE;
	}
	if (pace_resolve(host_of(p), p->cfg->family, p->cfg->port, &p->peer, 1, &err) < 0) {
		pace_complain("%s: %s", host_of(p), err.text);
		pace_hint("give a host name or address%s", p->cfg->family == 0 ? "" :
		    ", or leave the address family open");
		return NO_RESULT;
	}
	return OK;
}

static int
open_socket(struct probe *p)
{
	const struct pace_probe_cfg *cfg = p->cfg;
	struct pace_sock_cfg sc = { .peer = p->peer, .dscp = cfg->dscp, .ttl = cfg->ttl,
	    .fragment = cfg->fragment, .tell_refusals = true,
	    .sndbuf_bytes = cfg->sndbuf_bytes,
	    .rcvbuf_bytes = 1 << 20, .stop = &pace_stop };
	struct pace_err err;

	if (cfg->cpu >= 0 && pace_affinity_pin(cfg->cpu) < 0) {
		pace_complain("--cpu: '%d': this process may not run on such a core", cfg->cpu);
		return USAGE;
	}
	sc.local.family = p->peer.family;
	sc.local.port = cfg->source_port;
	sc.guard_ns = pace_clock_guard();
	if (pace_sock_open(&p->sock, &sc, &err) < 0) {
		pace_complain("%s port %u: %s: %s", host_of(p), cfg->port, err.step,
		    strerror(err.code));
		return NO_RESULT;
	}
	return OK;
}

/* Sizes that the path does not take whole are refused before anything leaves. */
static int
check_sizes(struct probe *p, struct pace_link *link)
{
	int mtu = pace_sock_mtu(&p->sock, p->peer.family);
	uint32_t most;

	*link = (struct pace_link){ .family = p->peer.family, .vlan_tags = p->cfg->vlan_tags,
	    .mtu = mtu > 0 ? (uint32_t)mtu : 0 };
	most = pace_payload_max(link);
	for (size_t i = 0; i < p->cfg->n && !p->cfg->fragment && mtu > 0; i++) {
		if (p->cfg->asks[i].size_bytes <= most)
			continue;
		if (!p->cfg->size_given) {
			p->cfg->asks[i].size_bytes = most;	/* a default fits any path */
			continue;
		}
		pace_complain("--size: '%u' does not fit the path MTU of %d bytes "
		    "(at most %u bytes with IPv%d)", p->cfg->asks[i].size_bytes, mtu,
		    most, p->peer.family);
		pace_hint("a smaller --size, or --fragment to send it in pieces");
		return USAGE;
	}
	return OK;
}

static void
describe(struct probe *p)
{
	struct pace_result *r = &p->result;

	r->kind = "throughput";
	pace_clock_rfc3339(r->started, sizeof(r->started));
	r->argc = p->cfg->argc;
	r->argv = p->cfg->argv;
	pace_clean(r->target, sizeof(r->target), host_of(p), strlen(host_of(p)));
	pace_addr_text(&p->peer, r->address, sizeof(r->address));
	r->port = p->cfg->port;
	if (p->cfg->label != NULL)
		pace_clean(r->label, sizeof(r->label), p->cfg->label, strlen(p->cfg->label));
	pace_facts_read(&r->client);
}

static void
make_client(struct probe *p, const struct pace_link *link)
{
	struct pace_client *c = &p->client;

	c->io = pace_sock_io(&p->sock);
	memcpy(c->label, p->result.label, sizeof(c->label));
	c->rcvbuf_bytes = p->cfg->rcvbuf_bytes;
	c->sndbuf_asked = p->cfg->sndbuf_bytes;
	c->sndbuf_granted = p->sock.sndbuf_granted;
	c->link = *link;
	c->no_wait = p->cfg->no_wait;
	c->stop = &pace_stop;
	c->progress = &p->show.progress;
	c->on_busy = say_busy;
	c->busy_ctx = p;
}

/* --- judging a point --------------------------------------------------------------- */

static void
judge_buffers(struct probe *p, struct pace_point *pt)
{
	if (pt->rx.rcvbuf_granted < pt->rx.rcvbuf_asked) {
		pace_note(&pt->notes, "rcvbuf_clamped", "the responder's kernel granted a receive "
		    "buffer of %u KiB where %u KiB were asked for: raise net.core.rmem_max there",
		    pt->rx.rcvbuf_granted / 1024, pt->rx.rcvbuf_asked / 1024);
		p->unusable |= p->cfg->rcvbuf_given;
	}
	if (p->cfg->sndbuf_given && pt->tx.sndbuf_granted < pt->tx.sndbuf_asked) {
		pace_note(&pt->notes, "sndbuf_clamped", "the kernel granted a send buffer of %u KiB "
		    "where %u KiB were asked for: raise net.core.wmem_max",
		    pt->tx.sndbuf_granted / 1024, pt->tx.sndbuf_asked / 1024);
		p->unusable = true;
	}
}

static void
judge_stamps(struct probe *p, struct pace_point *pt)
{
	if (pt->rx.clock_steps > 0) {
		pace_note(&pt->notes, "clock_stepped", "the responder's clock was set while it "
		    "received: arrival gaps are not to be trusted");
		p->unusable = true;
	}
	if (pt->rx.unstamped > 0)
		pace_note(&pt->notes, "unstamped", "%" PRIu64 " frames came without a kernel stamp "
		    "and were timed when they were read", pt->rx.unstamped);
	if (pt->rx.coalesced_stamps * 1000 > pt->rx.unique)
		pace_note(&pt->notes, "stamps_coalesced", "%" PRIu64 " frames were stamped together "
		    "with the one before: the gaps show the receiver's batches, not the network",
		    pt->rx.coalesced_stamps);
}

/* A figure that could not be measured is told, and why. */
static void
judge_figures(struct probe *p, struct pace_point *pt)
{
	if (pt->tx.frames == 0) {
		pace_note(&pt->notes, "nothing_sent", "no frame left this host%s%s",
		    pt->tx.refused > 0 ? ": " : "",
		    pt->tx.refused > 0 ? strerror(pt->tx.refused_errno) : "");
		p->unusable = true;
	} else if (pt->rx.unique == 0) {
		pace_note(&pt->notes, "nothing_arrived", "no frame arrived: there are no rates "
		    "and no gaps; control frames are smaller, so look for an MTU or a filter");
		p->unusable = true;
	} else if (pt->rx.unique == 1) {
		pace_note(&pt->notes, "too_few_frames", "one frame has no rate and no gap");
	}
	if (pt->rx.lease_lost) {
		pace_note(&pt->notes, "lease_lost", "for more than 10 s nothing reached the "
		    "responder: another client may have measured meanwhile");
		p->unusable = true;
	}
}

static void
judge_limits(struct probe *p, struct pace_point *pt)
{
	double lost = (double)pt->rx.lost, sent = (double)pt->tx.frames;

	if (p->cfg->max_loss >= 0 && lost > p->cfg->max_loss * sent) {
		pace_note(&pt->notes, "above_max_loss", "%.4g %% of the frames were lost, "
		    "above the limit of %.4g %%", 100 * lost / sent, 100 * p->cfg->max_loss);
		p->unusable = true;
	}
	if (p->cfg->min_rate_bps > 0 && pt->rx.user_rate_bps < p->cfg->min_rate_bps) {
		pace_note(&pt->notes, "below_min_rate", "%.6g Mbit/s were received, below the limit "
		    "of %.6g Mbit/s", pt->rx.user_rate_bps / 1e6, p->cfg->min_rate_bps / 1e6);
		p->unusable = true;
	}
}

static void
judge(struct probe *p, struct pace_point *pt)
{
	const char *broken;

	p->unusable |= pt->verdict == PACE_DEGRADED;
	if (!pt->has_rx)
		return;
	judge_figures(p, pt);
	judge_buffers(p, pt);
	judge_stamps(p, pt);
	judge_limits(p, pt);
	broken = pace_point_broken(pt);
	if (broken != NULL) {
		pace_note(&pt->notes, "contradiction", "figures contradict each other: %s", broken);
		p->unusable = true;
	}
}

/* --- the points ----------------------------------------------------------------------- */

static int64_t
cost_ns(const struct pace_ask *a)
{
	return pace_ask_duration_ns(a) + a->grace_ns / 5 + POINT_COST_NS;
}

static void
show_begin(struct probe *p, size_t i)
{
	const struct pace_ask *a = &p->cfg->asks[i];
	int64_t rest = 0;

	for (size_t k = i + 1; k < p->cfg->n; k++)
		rest += cost_ns(&p->cfg->asks[k]);
	p->client.rest_ns = rest;
	pace_show_begin(&p->show, i, p->cfg->n, pace_ask_frames(a), cost_ns(a),
	    rest, p->cfg->quiet);
}

/* One point, once more when the responder has been restarted. */
static int
measure(struct probe *p, struct pace_point *pt, size_t i, struct pace_err *err)
{
	int rc;

	pt->ask = p->cfg->asks[i];
	show_begin(p, i);
	rc = pace_client_point(&p->client, pt, err);
	if (rc == -ESTALE && pt->tx.frames == 0) {
		rc = pace_client_open(&p->client, err);
		if (rc == 0)
			rc = pace_client_point(&p->client, pt, err);
	}
	pace_show_end(&p->show);
	return rc;
}

/* After a failed point: is there somebody to measure the next one with? */
static bool
recover(struct probe *p, size_t i, int rc)
{
	struct pace_err err;

	if (rc == -EINTR || rc == -EBUSY || i + 1 == p->cfg->n)
		return false;
	return pace_client_open(&p->client, &err) == 0;
}

/* False: there is no sense in going on. */
static bool
one_point(struct probe *p, size_t i)
{
	struct pace_point *pt = pace_point_new();
	struct pace_err err = { .code = 0 };
	int rc;

	if (pt == NULL) {
		pace_complain("out of memory");
		p->failed++;
		return false;
	}
	rc = measure(p, pt, i, &err);
	if (rc < 0 && rc != -EINTR) {
		tell_failure(p, &err);
		note_failure(pt->tx.frames > 0 ? &pt->notes : &p->result.notes, &err);
		p->failed++;
	}
	judge(p, pt);
	if (pt->has_rx)
		p->done++;
	if (pt->has_rx || pt->tx.frames > 0)
		pace_sink_point(&p->sink, pt);
	free(pt);
	return rc == 0 || recover(p, i, rc);
}

static int
status_of(const struct probe *p)
{
	if (pace_stop != 0)
		return pace_stop_status();
	if (p->done == 0)
		return NO_RESULT;
	if (p->failed > 0 || p->sink.failed)
		return PARTIAL;
	return p->unusable ? NOT_USABLE : OK;
}

static void
measure_all(struct probe *p, const struct pace_link *link)
{
	struct pace_err err = { .code = 0 };

	make_client(p, link);
	if (pace_client_open(&p->client, &err) < 0) {
		if (pace_stop == 0)
			tell_failure(p, &err);
		note_failure(&p->result.notes, &err);
		return;
	}
	p->result.has_responder = true;
	p->result.responder = p->client.responder;
	if (p->client.responder.stamp_spoilers[0] != '\0')
		pace_note(&p->result.notes, "stamp_spoilers", "offloads at the responder give "
		    "several frames one arrival stamp: %s; turn them off with ethtool -K",
		    p->client.responder.stamp_spoilers);
	for (size_t i = 0; i < p->cfg->n; i++)
		if (!one_point(p, i))
			break;
	pace_client_close(&p->client);
}

static int
run(struct probe *p)
{
	struct pace_link link;
	int rc = resolve(p);

	if (rc == OK)
		rc = open_socket(p);
	if (rc == OK)
		rc = check_sizes(p, &link);
	if (rc != OK)
		return rc;
	describe(p);
	pace_stop_catch();
	pace_sink_begin(&p->sink, &p->result, &link, p->cfg->asks, p->cfg->n);
	measure_all(p, &link);
	p->result.interrupted = pace_stop != 0;
	pace_sink_end(&p->sink, &p->result);
	return status_of(p);
}

int
pace_probe_run(const struct pace_probe_cfg *cfg)
{
	struct probe *p = calloc(1, sizeof(*p));
	int status;

	if (p == NULL || pace_client_init(&p->client) < 0) {
		pace_complain("cannot start: out of memory, or no random numbers");
		free(p);
		return NO_RESULT;
	}
	p->cfg = cfg;
	p->sock.fd = -1;
	status = pace_sink_open(&p->sink, &cfg->sink);
	if (status == OK)
		status = run(p);
	pace_sink_close(&p->sink);
	pace_sock_close(&p->sock);
	free(p);
	return status;
}
