#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmds.h"
#include "cli/serve.h"
#include "cli/stop.h"

struct respond_cfg {
	struct pace_given given;
	const char	*bind;
	int64_t		port, cpu, max_sessions, max_records;
	bool		ipv4, ipv6, one_off, private, quiet, verbose;
};

#define AT(field)	offsetof(struct respond_cfg, field)

static const struct pace_opt opts[] = {
	{ "bind", 0, PACE_OPT_STR, AT(bind), 0, 0, 0, NULL, "ADDR",
	    "address to listen on; all, IPv4 and IPv6, without it", "Network" },
	{ "port", 'u', PACE_OPT_NUM, AT(port), PACE_UNIT_COUNT, 0, 65535, "14233", "PORT",
	    "UDP port; 0 takes a free one", "Network" },
	{ "ipv4", '4', PACE_OPT_FLAG, AT(ipv4), 0, 0, 0, NULL, NULL,
	    "IPv4 only", "Network" },
	{ "ipv6", '6', PACE_OPT_FLAG, AT(ipv6), 0, 0, 0, NULL, NULL,
	    "IPv6 only", "Network" },
	{ "cpu", 'a', PACE_OPT_NUM, AT(cpu), PACE_UNIT_COUNT, 0, 1023, NULL, "CORE",
	    "core for the receiving threads", "Host" },
	{ "max-sessions", 0, PACE_OPT_NUM, AT(max_sessions), PACE_UNIT_COUNT, 1,
	    PACE_SESSIONS_MAX, "64", "N", "clients served at once", "Session" },
	{ "max-records", 0, PACE_OPT_NUM, AT(max_records), PACE_UNIT_COUNT, 0,
	    PACE_RECORD_LIMIT, "1048576", "N",
	    "frames that a run may have recorded, 29 bytes each", "Session" },
	{ "private", 0, PACE_OPT_FLAG, AT(private), 0, 0, 0, NULL, NULL,
	    "tell clients nothing of this host: no facts, no counters", "Session" },
	{ "one-off", 0, PACE_OPT_FLAG, AT(one_off), 0, 0, 0, NULL, NULL,
	    "end after one client's session", "Session" },
	{ "quiet", 'q', PACE_OPT_FLAG, AT(quiet), 0, 0, 0, NULL, NULL,
	    "say nothing but errors", "Output" },
	{ "verbose", 'v', PACE_OPT_FLAG, AT(verbose), 0, 0, 0, NULL, NULL,
	    "also count what was dropped, at the end", "Output" },
};

/* In any thread. */
static void
say_session(void *ctx, const struct pace_news *n)
{
	char text[64];

	(void)ctx;
	if (n->kind != PACE_NEWS_CLOSED || n->silent)
		return;
	fprintf(stderr, "%s port %u: %" PRIu64 " runs, %" PRIu64 " frames received\n",
	    pace_addr_text(n->peer, text, sizeof(text)), n->peer->port, n->view->runs,
	    n->view->all.frames);
}

static int
bind_address(const struct pace_cmd *cmd, const struct respond_cfg *cfg,
    struct pace_addr *a)
{
	int family = cfg->ipv4 ? 4 : cfg->ipv6 ? 6 : 0;
	struct pace_err err;

	memset(a, 0, sizeof(*a));
	if (cfg->ipv4 && cfg->ipv6) {
		pace_complain("%s: --ipv4 and --ipv6 exclude each other; without both it "
		    "listens on both", cmd->name);
		return -1;
	}
	if (cfg->bind != NULL &&
	    pace_resolve(cfg->bind, family, (uint16_t)cfg->port, a, 1, &err) < 0) {
		pace_complain("--bind: '%s': %s", cfg->bind, err.text);
		return -1;
	}
	if (cfg->bind == NULL)
		a->family = (uint8_t)family;
	a->port = (uint16_t)cfg->port;
	return 0;
}

static void
say_listening(const struct pace_serve *s)
{
	static const struct pace_addr any;
	char text[64];

	pace_addr_text(&s->cfg.bind, text, sizeof(text));
	if (s->cfg.bind.family == 0 ||
	    memcmp(s->cfg.bind.ip, any.ip, sizeof(any.ip)) == 0)
		snprintf(text, sizeof(text), "%s", s->cfg.bind.family == 4 ? "0.0.0.0" : "::");
	fprintf(stderr, "listening on %s port %u\n", text, s->port);
}

static void
say_counts(const struct pace_responder_counts *c)
{
	fprintf(stderr, "%" PRIu64 " hellos, %" PRIu64 " sessions, %" PRIu64 " refused, %"
	    PRIu64 " for sessions that are gone, %" PRIu64 " dropped as junk\n", c->hellos,
	    c->opened, c->refused, c->resets, c->junk);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	static struct pace_serve serve;		/* 60 KiB: off the stack */
	const struct respond_cfg *cfg = arg;
	struct pace_serve_cfg sc = { .max_sessions = (int)cfg->max_sessions,
	    .max_records = (uint64_t)cfg->max_records,
	    .cpu = pace_opt_given(cmd, cfg, "cpu") ? (int)cfg->cpu : -1,
	    .one_off = cfg->one_off, .private = cfg->private, .stop = &pace_stop,
	    .herald = { .news = cfg->quiet ? NULL : say_session } };
	struct pace_err err = { .code = 0 };

	(void)argc; (void)argv; (void)all_argc; (void)all_argv;
	if (bind_address(cmd, cfg, &sc.bind) < 0)
		return 2;
	if (pace_serve_open(&serve, &sc, &err) < 0) {
		pace_complain("%s%sport %d: %s", cfg->bind != NULL ? cfg->bind : "",
		    cfg->bind != NULL ? " " : "", (int)cfg->port,
		    err.code == EADDRINUSE ? "another program has it" :
		    err.code == EADDRNOTAVAIL ? "this host has no such address" :
		    strerror(err.code));
		return 3;
	}
	pace_stop_catch();
	say_listening(&serve);
	pace_serve_run(&serve);
	if (cfg->verbose)
		say_counts(&serve.responder.counts);
	(void)pace_serve_close(&serve);	/* it is static */
	return 0;
}

static const char *const examples[] = {
	"# until Ctrl-C, on the usual port",
	"udpace respond",
	"# on one address, receiving on core 2",
	"udpace respond --bind 10.0.0.2 --cpu 2",
	"# for a script: one client, a free port",
	"udpace respond --one-off --port 0",
	NULL
};

const struct pace_cmd pace_cmd_respond = {
	"respond", "answer the probes of other hosts", "", 0, 0,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct respond_cfg), run, NULL,
};
