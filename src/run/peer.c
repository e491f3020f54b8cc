#include "config.h"

#include "run/peer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "doc/checkup.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/facts.h"
#include "plat/root.h"
#include "run/admitted.h"
#include "run/keyfile.h"
#include "run/point_control.h"
#include "run/stop.h"

bool
pace_net_contradicts(const struct pace_net_opts *net)
{
	if (net->ipv4 && net->ipv6)
		pace_complain("--ipv4 and --ipv6 exclude each other: without both the host's first "
		    "address is taken");
	return net->ipv4 && net->ipv6;
}

struct pace_peer_cfg
pace_peer_cfg(const struct pace_cmd *cmd, const void *cfg, const struct pace_net_opts *net,
    const char *host)
{
	return (struct pace_peer_cfg){
		.host = host, .port = (uint16_t)net->port,
		.source_port = (uint16_t)net->source_port,
		.family = net->ipv4 ? 4 : net->ipv6 ? 6 : 0,
		.dscp = (int)net->dscp, .ttl = (int)net->ttl,
		.cpu = pace_opt_given(cmd, cfg, "cpu") ? (int)net->cpu : -1,
		.label = net->label, .key = net->key, .no_wait = net->no_wait, .quiet = net->quiet,
		.private = net->private,
		.has_size = pace_opt_find(cmd, "size") != NULL,
		.has_fragment = pace_opt_find(cmd, "fragment") != NULL,
		.cmd = cmd, .opts = cfg,
	};
}

/* --- telling ------------------------------------------------------------------ */

static bool
is_step(const struct pace_err *err, const char *step)
{
	return strcmp(err->step, step) == 0;
}

/* Nobody answers: has somebody before, and had he something of ours? */
static void
hint_silence(const struct pace_peer *p, const struct pace_err *err)
{
	if (is_step(err, "hello")) {
		pace_hint("start 'udpace respond' there, or open UDP port %u in the firewall",
		    p->cfg.port);
		if (err->code == ETIMEDOUT)
			pace_hint(p->cfg.key != NULL ?
			    "a responder that does not know this key is silent, too" :
			    "one that wants a key is silent without: --key FILE");
	}
	else if (is_step(err, "send") && err->code == ECONNREFUSED)
		pace_hint("was it stopped, or did the host go down? what it had is lost");
	else if (is_step(err, "finish") || is_step(err, "fetch"))
		pace_hint("the responder or the path died meanwhile; what it had is lost");
	else
		pace_hint("the responder or the path died meanwhile");
}

/* Control frames are too large as well, in every step but that of the stream. */
static void
hint_size(const struct pace_peer *p, const struct pace_err *err)
{
	bool size = p->cfg.has_size && is_step(err, "send");
	bool fragment = p->cfg.has_fragment && !p->cfg.fragment;

	if (size || fragment)
		pace_hint("%s%s%s", size ? "a smaller --size" : "", size && fragment ? ", or " : "",
		    fragment ? "--fragment" : "");
	else
		pace_hint("the path MTU has no room for udpace's control frames");
}

/* A refusal of too many records says how many may be. */
static void
hint_records(const struct pace_err *err)
{
	const char *most = strstr(err->text, "at most ");
	unsigned long long n = most != NULL ? strtoull(most + strlen("at most "), NULL, 10) : 0;

	if (n > 0)
		pace_hint("--record FILE:SKIP:%llu for so many behind the first SKIP, "
		    "or respond --max-records there", n);
	else
		pace_hint("respond --max-records there");
}

/* Is it for its rate, size or length, and not for what it may not do at all? */
static bool
is_too_much(const char *text)
{
	static const char *const words[] = { "bit/s", "frames/s", "larger than its",
	    "longer than its", " a day", "run was ended" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i]) != NULL)
			return true;
	return false;
}

/* The command that would be admitted, once for all points of a sweep. */
static bool
hint_line(const struct pace_admitted *a, const struct pace_allowed *allowed)
{
	static char *last;
	char text[160], *line = a->argv != NULL ? pace_admitted_line(a, allowed) : NULL;

	if (line == NULL)
		return false;
	if (last == NULL || strcmp(last, line) != 0) {
		if (pace_admitted_text(allowed, text, sizeof(text)) > 0)
			pace_hint("allowed: %s", text);
		pace_hint("%s", line);
	}
	free(last);
	last = line;
	return true;
}

/* False: there is no such command. */
static bool
hint_admitted(const struct pace_peer *p)
{
	const struct pace_msg_error *e = &p->client.refused;
	const struct pace_given *given = p->cfg.opts;
	const struct pace_allowed allowed = { e->rate_bps, e->frame_rate, e->size_bytes,
	    e->longest_ns, e->left_bytes };
	const struct pace_link link = { .family = p->addr.family };
	const struct pace_admitted a = { .cmd = p->cfg.cmd, .cfg = given, .argc = given->argc,
	    .argv = given->argv, .overhead = (uint32_t)pace_wire_bytes(&link, 1000) - 1000,
	    .ended = strstr(e->text, "run was ended") != NULL };

	return is_too_much(e->text) && hint_line(&a, &allowed);
}

/* What would be allowed is in the responder's words. */
static void
hint_policy(const struct pace_peer *p, const struct pace_err *err)
{
	static const struct { const char *word, *hint; } v[] = {
		{ "run was ended", "stay below it; without a spacing a stream goes as fast as it can" },
		{ " a day", "fewer frames, or wait for the next day (UTC)" },
		{ "bit/s", "a lower rate, or a shorter run within it" },
		{ "frames/s", "frames further apart" },
		{ "larger", "a smaller --size within it" },
		{ "longer", "a shorter run, or fewer frames" },
		{ "records", "--record FILE:N for the first N frames" },
		{ "at once", "wait for one of them to end" },
		{ "spin", "leave out --busy-poll" },
		{ "stamp-nic", "leave out --stamp nic" },
		{ "more than it", "a --reply-size no larger than --size" },
	};

	if (hint_admitted(p))
		return;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		if (strstr(err->text, v[i].word) != NULL) {
			pace_hint("%s; who runs the responder may allow more: udpace-policy(5)",
			    v[i].hint);
			return;
		}
	pace_hint("who runs the responder may allow it: udpace-policy(5)");
}

static void
hint_key(const struct pace_peer *p)
{
	if (p->cfg.key == NULL) {
		pace_hint("--key FILE, with one that the responder has");
		return;
	}
	pace_hint("is it in the file of 'respond --keys' there? 'udpace key list FILE' "
	    "tells fingerprints");
	pace_hint("a responder without --keys knows none: leave --key away");
}

static void
hint_for(const struct pace_peer *p, const struct pace_err *err)
{
	int code = err->code;

	if (code == ETIMEDOUT || code == ECONNREFUSED)
		hint_silence(p, err);
	else if (code == EKEYREJECTED)
		hint_key(p);
	else if (code == EBUSY)
		pace_hint("without --no-wait udpace waits for its turn");
	else if (code == EMSGSIZE)
		hint_size(p, err);
	else if (code == EDQUOT)
		hint_policy(p, err);
	else if (code == EACCES && is_step(err, "start") && strstr(err->text, "records") != NULL)
		hint_records(err);
}

void
pace_peer_tell(const struct pace_peer *p, const struct pace_err *err)
{
	const char *what = pace_err_why(err);

	pace_complain("%s port %u: %s", p->cfg.host, p->cfg.port, what);
	hint_for(p, err);
}

void
pace_peer_note(struct pace_notes *notes, const struct pace_err *err)
{
	pace_note(notes, "no_result", "%s: %s", err->step, pace_err_why(err));
}

static void
say_busy(void *ctx, const struct pace_msg_error *who)
{
	struct pace_peer *p = ctx;

	if (p->waiting != NULL)
		atomic_store(p->waiting, true);
	if (p->told_busy || p->cfg.quiet)
		return;
	p->told_busy = true;
	pace_notice("%s is busy: %s is measuring, for at most %" PRId64 " s more; waiting", p->cfg.host,
	    who->label[0] != '\0' ? who->label : "another client",
	    who->wait_ns / 1000000000 + 1);
}

/* --- before the first frame ----------------------------------------------------- */

static int
resolve(struct pace_peer *p)
{
	struct pace_err err;

	if (p->cfg.host[0] == '\0') {
		pace_complain("HOST is empty");
		return PACE_EXIT_USAGE;
	}
	if (pace_resolve(p->cfg.host, p->cfg.family, p->cfg.port, &p->addr, 1, &err) < 0) {
		pace_complain("%s: %s", p->cfg.host, err.text);
		pace_hint("give a host name or address%s", p->cfg.family == 0 ? "" :
		    ", or leave the address family open");
		return PACE_EXIT_NO_RESULT;
	}
	return PACE_EXIT_OK;
}

void
pace_peer_no_core(int cpu)
{
	char cores[64];

	if (!pace_root_text(cores, sizeof(cores), pace_root_default(),
	    "/sys/devices/system/cpu/online"))
		cores[0] = '\0';
	pace_complain("--cpu: '%d': this process may not run on such a core%s%s", cpu,
	    cores[0] != '\0' ? "; this host has " : "", cores);
}

static int
open_socket(struct pace_peer *p)
{
	const struct pace_peer_cfg *cfg = &p->cfg;
	struct pace_sock_cfg sc = { .peer = p->addr, .dscp = cfg->dscp, .ttl = cfg->ttl,
	    .fragment = cfg->fragment, .tell_refusals = true,
	    .sndbuf_bytes = cfg->sndbuf_bytes,
	    .rcvbuf_bytes = 1 << 20, .stop = &pace_stop };
	struct pace_addr local;
	struct pace_err err;

	if (cfg->cpu >= 0 && pace_affinity_pin(cfg->cpu) < 0) {
		pace_peer_no_core(cfg->cpu);
		return PACE_EXIT_USAGE;
	}
	sc.local.family = p->addr.family;
	sc.local.port = cfg->source_port;
	sc.guard_ns = pace_clock_guard();
	if (pace_sock_open(&p->sock, &sc, &err) < 0) {
		pace_complain("%s port %u: %s: %s", cfg->host, cfg->port, err.step,
		    strerror(err.code));
		return PACE_EXIT_NO_RESULT;
	}
	p->counting.meter = pace_meter_new(p->counting.root);
	local = pace_sock_local(&p->sock);
	pace_route_to(&p->addr, &local, p->counting.root, p->counting.route);
	return PACE_EXIT_OK;
}

static void
make_client(struct pace_peer *p)
{
	struct pace_client *c = &p->client;
	const char *label = p->cfg.label;

	if (!p->cfg.private)
		p->sock.counting = &p->counting;
	c->io = pace_sock_io(&p->sock);
	if (label != NULL)
		pace_clean(c->label, sizeof(c->label), label, strlen(label));
	c->rcvbuf_bytes = p->cfg.rcvbuf_bytes;
	c->sndbuf_asked = p->cfg.sndbuf_bytes;
	c->sndbuf_granted = p->sock.sndbuf_granted;
	c->no_wait = p->cfg.no_wait;
	c->stop = &pace_stop;
	c->cut = &pace_point_control;
	c->on_busy = say_busy;
	c->busy_ctx = p;
}

int
pace_peer_open(struct pace_peer *p, const struct pace_peer_cfg *cfg)
{
	int rc;

	memset(p, 0, sizeof(*p));
	p->cfg = *cfg;
	p->sock.fd = -1;
	p->counting.root = pace_root_default();
	if (pace_client_init(&p->client) < 0) {
		pace_complain("cannot start: out of memory, or no random numbers");
		return PACE_EXIT_NO_RESULT;
	}
	rc = p->cfg.key == NULL || pace_keyfile_pick("--key", p->cfg.key, &p->keys,
	    &p->client.key) == 0 ? resolve(p) : PACE_EXIT_USAGE;
	if (rc == PACE_EXIT_OK)
		rc = open_socket(p);
	if (rc == PACE_EXIT_OK)
		make_client(p);
	return rc;
}

void
pace_peer_close(struct pace_peer *p)
{
	pace_sock_close(&p->sock);
	pace_client_free(&p->client);
	pace_keys_free(&p->keys);
	pace_meter_free(p->counting.meter);
	p->counting.meter = NULL;
}

/* --- the document, the session ------------------------------------------------------ */

void
pace_peer_describe(const struct pace_peer *p, struct pace_result *r, const char *kind,
    int argc, char *const *argv)
{
	struct pace_trial here = { .cpu = p->cfg.cpu, .has_clock = true };

	r->kind = kind;
	pace_clock_rfc3339(pace_clock_wall(), r->started, sizeof(r->started));
	r->argc = argc;
	r->argv = argv;
	pace_clean(r->target, sizeof(r->target), p->cfg.host, strlen(p->cfg.host));
	pace_addr_text(&p->addr, r->address, sizeof(r->address));
	r->port = p->cfg.port;
	memcpy(r->label, p->client.label, sizeof(r->label));
	if (p->client.key != NULL)
		memcpy(r->key, p->client.key->name, sizeof(r->key));
	pace_facts_read(&r->client, p->counting.root, p->counting.route, false);
	pace_clock_state(&here.clock);
	if (!p->cfg.private)
		pace_checkup_notes(&r->notes, PACE_CLIENT_HOST, &r->client, &here);
	if (p->cfg.private) {
		r->client = (struct pace_host){ .cores = 0 };
		snprintf(r->client.version, sizeof(r->client.version), "%s", PACKAGE_VERSION);
	}
}

int
pace_peer_connect(struct pace_peer *p, struct pace_result *r)
{
	struct pace_trial there = { .cpu = -1, .has_clock = true };
	struct pace_err err = { .code = 0 };
	int rc = pace_client_open(&p->client, &err);

	if (rc < 0) {
		if (pace_stop == 0)
			pace_peer_tell(p, &err);
		pace_peer_note(&r->notes, &err);
		return rc;
	}
	r->has_responder = true;
	r->responder = p->client.responder;
	there.clock = p->client.their_clock;
	pace_checkup_notes(&r->notes, PACE_RESPONDER_HOST, &r->responder, &there);
	if (r->responder.stamp_spoilers[0] != '\0')
		pace_note(&r->notes, "stamp_spoilers", "offloads at the responder give "
		    "several frames one arrival stamp: %s; turn them off with ethtool -K",
		    r->responder.stamp_spoilers);
	return 0;
}
