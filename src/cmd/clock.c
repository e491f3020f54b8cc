#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cmd/cmds.h"
#include "doc/clock_doc.h"
#include "out/clock_text.h"
#include "out/stamp_text.h"
#include "proto/msg.h"
#include "run/probe.h"
#include "run/stop.h"

#define REOPEN_S	1	/* interval of the attempts to open the session again */

struct clock_cfg {
	struct pace_given given;
	struct pace_net_opts net;
	int64_t		count, interval;
	struct pace_sink_cfg sink;
	bool		live;
};

#define AT(field)	offsetof(struct clock_cfg, field)

static const struct pace_opt opts[] = {
	{ "count", 'l', PACE_OPT_NUM, AT(count), PACE_UNIT_COUNT, 2, 10000000, "200", "N",
	    "exchanges; with --continuous, exchanges per line", "Exchanges" },
	{ "interval", 0, PACE_OPT_NUM, AT(interval), PACE_UNIT_USEC, 100000, 15 * PACE_SEC, "10ms",
	    "TIME", "mean time from one exchange to the next, varied by +- 50 %", "Exchanges" },
	{ "continuous", 0, PACE_OPT_FLAG, AT(live), 0, 0, 0, NULL, NULL,
	    "repeat until stopped, one line per estimate", "Exchanges" },
	PACE_NET_ROWS(struct clock_cfg),
	PACE_MARK_ROWS(struct clock_cfg),
	PACE_DSCP_ROW(struct clock_cfg),
	PACE_STAMP_ROWS(struct clock_cfg),
	PACE_CPU_ROW(struct clock_cfg, "core to run on"),
	PACE_SINK_ROWS(struct clock_cfg, "text", "an estimate"),
	PACE_PRIVATE_ROW(struct clock_cfg),
	PACE_QUIET_ROW(struct clock_cfg, "print no notices"),
};

static int
head(FILE *f, const struct pace_result *r, const struct clock_cfg *cfg, bool utf8)
{
	return pace_clock_text_head(f, r, (uint64_t)cfg->count, cfg->interval, cfg->live, utf8);
}

static int
row_head(FILE *f, const void *plan, bool utf8)
{
	(void)plan;
	return pace_clock_text_row_head(f, utf8);
}

static int
row(FILE *f, const void *plan, const void *point, bool utf8)
{
	(void)plan;
	return pace_clock_text_row(f, point, utf8);
}

static int
block(FILE *f, const void *point, bool detail, bool utf8)
{
	(void)detail;
	return pace_clock_text_block(f, point, utf8);
}

PACE_SINK_KIND(clock_sink, pace_clock_to_json, pace_clock_csv_head, pace_clock_csv_row,
    NULL, head, row_head, row, block);

struct clock_watch {
	const struct clock_cfg *cfg;
	struct pace_probe *p;
	struct pace_clock k, part;	/* the estimate; its part from one session */
	uint64_t	answered;	/* in all sessions */
	bool		deaf;		/* no answer: open a new session first */
	bool		reported;		/* this was reported */
};

/* --- sessions; the path may fail for a while, the responder may restart --------------- */

static void
tell_once(struct clock_watch *w, const struct pace_err *err)
{
	if (!w->reported)
		pace_peer_tell(&w->p->peer, err);
	w->reported = true;
}

static int64_t
now_ns(const struct clock_watch *w)
{
	return w->p->peer.client.io.now(w->p->peer.client.io.ctx);
}

static int
reopen(struct clock_watch *w, struct pace_err *err)
{
	const struct timespec pause = { .tv_sec = REOPEN_S };
	int rc = pace_client_open(&w->p->peer.client, err);

	if (pace_stop != 0)
		return pace_fail(err, EINTR, "stopped");
	w->deaf = rc < 0;
	if (rc < 0) {
		tell_once(w, err);
		nanosleep(&pause, NULL);	/* a stop signal ends it */
		return pace_stop != 0 ? pace_fail(err, EINTR, "stopped") : rc;
	}
	w->p->result.responder = w->p->peer.client.responder;
	pace_note(&w->p->result.notes, "session_reopened", "the responder did not answer for a "
	    "while, so the session was opened again; earlier exchanges are not used after that");
	return 0;
}

/* Make all exchanges of an estimate, in as many sessions as necessary. */
static int
exchange(struct clock_watch *w, struct pace_err *err)
{
	int64_t start = now_ns(w), count = w->cfg->count, due = count;
	uint64_t timeouts;
	int rc = 0;

	memset(&w->k, 0, sizeof(w->k));
	w->answered = 0;
	while (due > 0) {
		if (w->deaf) {
			rc = reopen(w, err);
			/* exchanges that were due without a session are skipped */
			due = count - (now_ns(w) - start) / w->cfg->interval;
			if (rc == -EINTR)
				return rc;
			if (rc < 0 || due <= 0)
				continue;
		}
		rc = pace_client_clock(&w->p->peer.client, (uint64_t)due, w->cfg->interval,
		    &w->part, err);
		/* A new session may be with another host, so no line may cover two sessions.
		 * The session with the most answers counts. */
		timeouts = w->k.timeouts + w->part.timeouts;
		w->answered += w->part.exchanges;
		if (w->part.exchanges >= w->k.exchanges)
			w->k = w->part;
		w->k.timeouts = timeouts;
		w->deaf = rc == -ESTALE || rc == -ETIMEDOUT || rc == -ESHUTDOWN;
		if (rc != -ESTALE)
			break;
	}
	if (w->k.exchanges > 0 && rc != -EINTR && rc != -ENOMEM)
		return 0;
	return rc < 0 ? rc : pace_failf(err, ETIMEDOUT, "clock", "nothing was answered");
}

/* --- judging -------------------------------------------------------------------------- */

/* Note and report lost and unsent exchanges. */
static void
judge_exchanges(struct clock_watch *w)
{
	struct pace_notes *n = &w->p->result.notes;
	int before = n->n;

	w->p->unusable |= pace_clock_judge(n, (uint64_t)w->cfg->count, w->answered,
	    w->k.timeouts, pace_stop != 0);
	for (int i = before; i < n->n && !w->cfg->net.quiet; i++)
		fprintf(stderr, "%s: %s\n", w->p->peer.cfg.host, n->v[i].text);
}

/* Make one estimate.  False: stop. */
static bool
estimate(struct pace_probe *p, size_t i)
{
	struct clock_watch *w = p->ctx;
	struct pace_err err = { .code = 0 };
	int rc;

	(void)i;
	w->p = p;
	rc = exchange(w, &err);
	if (rc < 0 && rc != -EINTR) {
		tell_once(w, &err);
		pace_peer_note(&p->result.notes, &err);
		p->failed++;
	}
	if (w->k.exchanges > 0) {
		if (w->k.fit.segments > 1)
			pace_note(&p->result.notes, "clock_not_linear", "no single line fits the "
			    "exchanges: a clock stepped, or its rate changed");
		if (w->k.their_steps + w->k.our_steps > 0)
			pace_note(&p->result.notes, "wall_clock_set",
			    "%s wall clock was set during the run",
			    w->k.their_steps > 0 ? "the responder's" : "this host's");
		p->unusable |= w->k.fit.segments != 1;
		judge_exchanges(w);
		pace_sink_point(&p->sink, &w->k, NULL);
		p->done++;
	}
	w->reported &= w->deaf;
	return rc == 0 || w->deaf;
}

static bool
next(struct pace_probe *p, size_t i)
{
	return i == 0 || (((const struct clock_watch *)p->ctx)->cfg->live && pace_stop == 0);
}

/* With --continuous, a run that was stopped is a success. */
static int
status_of(const struct pace_probe *p, int status)
{
	bool live = ((const struct clock_watch *)p->ctx)->cfg->live;

	return live && pace_stop != 0 && p->done > 0 && !p->sink.failed ? PACE_EXIT_OK : status;
}

/* What the replies of a reflector say besides, of the last estimate. */
static json_t *
end(struct pace_probe *p)
{
	const struct pace_pinger *g = &p->peer.client.pinger;
	struct pace_stamp_session *stamp = g->stamp;
	const struct pace_say s = { stdout, p->sink.utf8 };

	if (stamp == NULL || p->done == 0)
		return NULL;
	pace_stamp_session_end(stamp, g->next - g->first - stamp->result.replies);
	if (pace_sink_has_table(&p->sink)) {
		pace_say_stamp(&s, &stamp->result);
		pace_sink_check(&p->sink, pace_say_end(&s));
	}
	return json_pack("{s:o}", "stamp", pace_fields_to_json(&pace_stamp_fields, &stamp->result));
}

static const struct pace_probe_kind clock_kind = { .name = "clock", .sink = &clock_sink,
	.late = true, .next = next, .point = estimate, .end = end, .status = status_of };

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct clock_cfg *cfg = arg;
	struct pace_probe_cfg pc = { .peer = pace_peer_cfg(cmd, cfg, &cfg->net, argv[0]),
	    .sink = cfg->sink, .argc = all_argc, .argv = all_argv };
	struct clock_watch w = { .cfg = cfg };

	(void)argc;
	static const char *const not_stamp[] = { "key", NULL };

	if (pace_sink_contradicts(&cfg->sink) || pace_net_contradicts(&cfg->net) ||
	    pace_stamp_contradicts(cmd, cfg, &cfg->net, not_stamp))
		return PACE_EXIT_USAGE;
	pc.peer.light = cfg->interval >= PACE_LIGHT_PING_NS;
	return pace_probe_run(&pc, &clock_kind, &w, cfg, cfg->live ? 0 : 1);
}

static const char *const examples[] = {
	"# offset of hostb's clock from ours, with its error bound",
	"udpace clock hostb",
	"# for ten seconds: the skew to some parts in 10^9",
	"udpace clock hostb --count 1000",
	"# one line every two seconds until Ctrl-C",
	"udpace clock hostb --continuous",
	"# the clock of a router that has a STAMP reflector",
	"udpace clock router1 --stamp",
	NULL
};

const struct pace_cmd pace_cmd_clock = {
	"clock", "measure offset and skew of a responder's clock, with a bound", "HOST", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct clock_cfg), run, NULL,
};
