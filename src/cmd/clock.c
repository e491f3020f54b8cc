#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmds.h"
#include "doc/clock_doc.h"
#include "out/clock_text.h"
#include "run/peer.h"
#include "run/sink.h"
#include "run/stop.h"

#define SEC		INT64_C(1000000000)
#define REOPEN_S	1	/* from one try to open the session again to the next */
#define LOST_SHARE	10	/* one in so many may be lost */

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
	    "exchanges; of each line with --live", "Exchanges" },
	{ "interval", 0, PACE_OPT_NUM, AT(interval), PACE_UNIT_USEC, 100000, 15 * SEC, "10ms",
	    "TIME", "from one to the next, +- 50 %", "Exchanges" },
	{ "live", 0, PACE_OPT_FLAG, AT(live), 0, 0, 0, NULL, NULL,
	    "go on, a line each time, until stopped", "Exchanges" },
	PACE_NET_ROWS(struct clock_cfg),
	PACE_DSCP_ROW(struct clock_cfg),
	PACE_CPU_ROW(struct clock_cfg, "core to run on"),
	PACE_SINK_ROWS(struct clock_cfg, "text", "an estimate"),
	PACE_PRIVATE_ROW(struct clock_cfg),
	PACE_QUIET_ROW(struct clock_cfg, "no notices"),
};

static json_t *
to_json(const void *point)
{
	return pace_clock_to_json(point);
}

static int
csv_point(FILE *f, const void *point)
{
	return pace_clock_csv_row(f, point);
}

static int
head(FILE *f, const struct pace_result *r, const void *plan, bool utf8)
{
	const struct clock_cfg *cfg = plan;

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

static const struct pace_sink_kind clock_kind = { to_json, pace_clock_csv_head, csv_point,
    head, row_head, row, block };

struct clock_watch {
	const struct clock_cfg *cfg;
	struct pace_peer peer;
	struct pace_result result;
	struct pace_sink sink;
	struct pace_clock k, part;	/* an estimate; of one session of it */
	uint64_t	answered;	/* in all its sessions */
	size_t		done;
	bool		deaf;		/* nobody answers: a new session first */
	bool		told;		/* that it is so */
	bool		failed, unusable;
};

/* --- sessions: the path may be away for a while, the responder restarted ------------- */

static void
tell_once(struct clock_watch *w, const struct pace_err *err)
{
	if (!w->told)
		pace_peer_tell(&w->peer, err);
	w->told = true;
}

static int64_t
now_ns(const struct clock_watch *w)
{
	return w->peer.client.io.now(w->peer.client.io.ctx);
}

static int
reopen(struct clock_watch *w, struct pace_err *err)
{
	const struct timespec pause = { .tv_sec = REOPEN_S };
	int rc = pace_client_open(&w->peer.client, err);

	if (pace_stop != 0)
		return pace_fail(err, EINTR, "stopped");
	w->deaf = rc < 0;
	if (rc < 0) {
		tell_once(w, err);
		nanosleep(&pause, NULL);	/* a stop ends it */
		return pace_stop != 0 ? pace_fail(err, EINTR, "stopped") : rc;
	}
	w->result.responder = w->peer.client.responder;
	pace_note(&w->result.notes, "session_reopened", "nothing was answered for a while: the "
	    "session was opened again, what was found before it is not used after it");
	return 0;
}

/* A new session may be of another host: no line goes through two of them.  The one
 * with the most answers counts. */
static void
keep_better(struct clock_watch *w)
{
	uint64_t timeouts = w->k.timeouts + w->part.timeouts;

	w->answered += w->part.exchanges;
	if (w->part.exchanges >= w->k.exchanges)
		w->k = w->part;
	w->k.timeouts = timeouts;
}

/* Exchanges of one estimate that are still to come, by the clock: while there was
 * no session theirs went by. */
static uint64_t
still_due(const struct clock_watch *w, int64_t start_ns)
{
	int64_t gone = (now_ns(w) - start_ns) / w->cfg->interval;

	return gone < w->cfg->count ? (uint64_t)(w->cfg->count - gone) : 0;
}

/* All exchanges of an estimate, in as many sessions as that takes. */
static int
exchange(struct clock_watch *w, struct pace_err *err)
{
	int64_t start = now_ns(w);
	uint64_t due = (uint64_t)w->cfg->count;
	int rc = 0;

	memset(&w->k, 0, sizeof(w->k));
	w->answered = 0;
	while (due > 0) {
		if (w->deaf) {
			rc = reopen(w, err);
			due = still_due(w, start);
			if (rc == -EINTR)
				return rc;
			if (rc < 0 || due == 0)
				continue;
		}
		rc = pace_client_clock(&w->peer.client, due, w->cfg->interval, &w->part, err);
		keep_better(w);
		w->deaf = rc == -ESTALE || rc == -ETIMEDOUT || rc == -ESHUTDOWN;
		if (rc != -ESTALE)
			break;
	}
	if (w->k.exchanges > 0 && rc != -EINTR && rc != -ENOMEM)
		return 0;
	return rc < 0 ? rc : pace_failf(err, ETIMEDOUT, "clock", "nothing was answered");
}

/* --- judging -------------------------------------------------------------------------- */

static void
judge_line(struct clock_watch *w)
{
	const struct pace_clock *k = &w->k;

	if (k->fit.segments > 1)
		pace_note(&w->result.notes, "clock_not_linear", "no one line fits the "
		    "exchanges: a clock stepped, or its rate changed");
	if (k->their_steps + k->our_steps > 0)
		pace_note(&w->result.notes, "wall_clock_set", "%s wall clock was set meanwhile",
		    k->their_steps > 0 ? "the responder's" : "this host's");
	w->unusable |= k->fit.segments != 1;
}

/* What of the exchanges asked for there was: noted, and told. */
static void
judge_exchanges(struct clock_watch *w)
{
	struct pace_notes *n = &w->result.notes;
	uint64_t asked = (uint64_t)w->cfg->count, tried = w->answered + w->k.timeouts;
	uint64_t unsent = pace_stop == 0 && tried < asked ? asked - tried : 0;
	int before = n->n;

	if (w->k.timeouts > tried / LOST_SHARE)
		pace_note(n, "exchanges_lost", "%" PRIu64 " of %" PRIu64 " exchanges timed out",
		    w->k.timeouts, tried);
	if (unsent > 0)
		pace_note(n, "exchanges_unsent", "%" PRIu64 " of %" PRIu64 " exchanges could not "
		    "be sent", unsent, asked);
	w->unusable |= w->k.timeouts > tried / LOST_SHARE || unsent > asked / LOST_SHARE;
	for (int i = before; i < n->n && !w->cfg->net.quiet; i++)
		fprintf(stderr, "%s: %s\n", w->peer.cfg.host, n->v[i].text);
}

/* One estimate: false, there is no sense in going on. */
static bool
estimate(struct clock_watch *w)
{
	struct pace_err err = { .code = 0 };
	int rc = exchange(w, &err);

	if (rc < 0 && rc != -EINTR) {
		tell_once(w, &err);
		pace_peer_note(&w->result.notes, &err);
		w->failed = true;
	}
	if (w->k.exchanges > 0) {
		judge_line(w);
		judge_exchanges(w);
		pace_sink_point(&w->sink, &w->k, NULL);
		w->done++;
	}
	w->told &= w->deaf;
	return rc == 0 || w->deaf;
}

static int
status_of(const struct clock_watch *w)
{
	if (pace_stop != 0)
		return w->cfg->live && w->done > 0 && !w->sink.failed ? PACE_EXIT_OK :
		    pace_stop_status();
	if (w->done == 0)
		return PACE_EXIT_NO_RESULT;
	if (w->failed || w->sink.failed)
		return PACE_EXIT_PARTIAL;
	return w->unusable ? PACE_EXIT_NOT_USABLE : PACE_EXIT_OK;
}

static int
watch(struct clock_watch *w, const struct pace_peer_cfg *peer, int argc, char **argv)
{
	int rc = pace_peer_open(&w->peer, peer);
	bool connected;

	if (rc != PACE_EXIT_OK)
		return rc;
	pace_peer_describe(&w->peer, &w->result, "clock", argc, argv);
	pace_stop_catch();
	connected = pace_peer_connect(&w->peer, &w->result) == 0;
	if (connected || !pace_sink_has_table(&w->sink))	/* no head of an empty page */
		pace_sink_begin(&w->sink, &clock_kind, w->cfg, &w->result, w->cfg->live ? 0 : 1);
	if (connected) {
		while (estimate(w) && w->cfg->live && pace_stop == 0)
			;
		pace_client_close(&w->peer.client);
	}
	w->result.interrupted = pace_stop != 0;
	pace_sink_end(&w->sink, &w->result, NULL);
	return status_of(w);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct clock_cfg *cfg = arg;
	struct pace_peer_cfg peer = pace_peer_cfg(cmd, cfg, &cfg->net, argv[0]);
	struct clock_watch *w;
	int status;

	(void)argc;
	if (pace_sink_contradicts(&cfg->sink) || pace_net_contradicts(&cfg->net))
		return PACE_EXIT_USAGE;
	w = calloc(1, sizeof(*w));
	if (w == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	w->cfg = cfg;
	w->peer.sock.fd = -1;
	status = pace_sink_open(&w->sink, &cfg->sink);
	if (status == PACE_EXIT_OK)
		status = watch(w, &peer, all_argc, all_argv);
	pace_sink_close(&w->sink);
	pace_peer_close(&w->peer);
	free(w);
	return status;
}

static const char *const examples[] = {
	"# how far is hostb's clock from ours, and how well is that known?",
	"udpace clock hostb",
	"# ten seconds of it: the rate to some parts in a thousand million",
	"udpace clock hostb --count 1000",
	"# a line every two seconds until Ctrl-C",
	"udpace clock hostb --live",
	NULL
};

const struct pace_cmd pace_cmd_clock = {
	"clock", "tell offset and rate of a responder's clock, with a bound", "HOST", 1, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct clock_cfg), run, NULL,
};
