#include "config.h"

#include "run/peer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doc/checkup.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/facts.h"
#include "plat/packet.h"
#include "plat/root.h"
#include "plat/thread.h"
#include "plat/warm.h"
#include "run/admitted.h"
#include "run/keyfile.h"
#include "run/point_control.h"
#include "run/stop.h"
#include "stream/sender.h"

bool
pace_net_contradicts(const struct pace_net_opts *net)
{
	if (net->ipv4 && net->ipv6)
		pace_complain("--ipv4 and --ipv6 exclude each other: without them the host's first "
		    "address is used");
	else if (net->ipv4 && net->flow_label > 0)
		pace_complain("--ipv4 and --flow-label exclude each other: only IPv6 has flow "
		    "labels");
	return net->ipv4 && (net->ipv6 || net->flow_label > 0);
}

bool
pace_engine_contradicts(const struct pace_cmd *cmd, const void *cfg,
    const struct pace_net_opts *net)
{
	return net->engine == PACE_ENGINE_OPTION_PACKET &&
	    (pace_opt_both(cmd, cfg, "reverse", "engine", "this host sends no frames then") ||
	    (pace_opt_find(cmd, "fragment") != NULL && pace_opt_both(cmd, cfg, "fragment", "engine",
	    "whole frames are not fragmented")));
}

bool
pace_stamp_contradicts(const struct pace_cmd *cmd, const void *cfg,
    const struct pace_net_opts *net, const char *const *not_stamp)
{
	if (!net->stamp && (net->twamp_light || net->stamp_key != NULL)) {
		pace_complain("--%s needs --stamp", net->twamp_light ? "twamp-light" : "stamp-key");
		return true;
	}
	if (net->twamp_light && net->stamp_key != NULL) {
		pace_complain("--twamp-light and --stamp-key exclude each other: TWAMP-Light is "
		    "measured in the open mode only");
		return true;
	}
	for (; net->stamp && *not_stamp != NULL; not_stamp++)
		if (pace_opt_given(cmd, cfg, *not_stamp)) {
			pace_complain("--stamp and --%s exclude each other: --%s needs a responder of "
			    "udpace", *not_stamp, *not_stamp);
			return true;
		}
	return false;
}

void
pace_size_too_small(int64_t size, size_t least)
{
	pace_complain("--size: '%lld' is too small: a request has at least %zu bytes",
	    (long long)size, least);
}

bool
pace_stamp_size_contradicts(const struct pace_net_opts *net, int64_t size)
{
	const bool auth = net->stamp_key != NULL;
	const size_t least = pace_stamp_base(auth);

	if (pace_stamp_size_fits((uint32_t)size, net->twamp_light, auth))
		return false;
	if (size < (int64_t)least)
		pace_size_too_small(size, least);
	else
		pace_complain("--size: '%lld' is not possible: a STAMP request has %zu bytes, "
		    "or %zu and more; --twamp-light has no such gap",
		    (long long)size, least, least + PACE_STAMP_TLV_SIZE);
	return true;
}

struct pace_peer_cfg
pace_peer_cfg(const struct pace_cmd *cmd, const void *cfg, const struct pace_net_opts *net,
    const char *host)
{
	return (struct pace_peer_cfg){
		.host = host, .port = net->stamp && !pace_opt_given(cmd, cfg, "port") ?
		    PACE_STAMP_PORT : (uint16_t)net->port,
		.stamp = net->stamp, .twamp_light = net->twamp_light, .stamp_key = net->stamp_key,
		.source_port = (uint16_t)net->source_port,
		.family = net->ipv4 ? 4 : net->ipv6 || net->flow_label > 0 ? 6 : 0,
		.dscp = (int)net->dscp,
		.ttl = net->stamp && net->ttl == 0 ? UINT8_MAX : (int)net->ttl,	/* RFC 8762 */
		.packet = net->engine == PACE_ENGINE_OPTION_PACKET,
		.ecn = (enum pace_ecn)net->ecn, .flow_label = (uint32_t)net->flow_label,
		.has_priority = pace_opt_given(cmd, cfg, "priority"),
		.priority = (int)net->priority,
		.source = net->source, .interface = net->interface,
		.cpu = pace_opt_given(cmd, cfg, "cpu") ? (int)net->cpu : -1,
		.label = net->label, .key = net->key, .no_wait = net->no_wait, .quiet = net->quiet,
		.private = net->private,
		.sndbuf_bytes = (uint32_t)net->sndbuf, .rcvbuf_bytes = (uint32_t)net->rcvbuf,
		.has_size = pace_opt_find(cmd, "size") != NULL &&
		    pace_opt_find(cmd, "request") == NULL,	/* of frames */
		.has_fragment = pace_opt_find(cmd, "fragment") != NULL,
		.cmd = cmd, .opts = cfg,
	};
}

/* --- messages ----------------------------------------------------------------- */

static bool
is_step(const struct pace_err *err, const char *step)
{
	return strcmp(err->step, step) == 0;
}

/* No answer: the hint depends on whether the responder has answered before in this run. */
static void
hint_silence(const struct pace_peer *p, const struct pace_err *err)
{
	char port[24] = "";

	if (p->cfg.stamp) {
		pace_hint("check that a STAMP reflector or TWAMP-Light responder is configured there "
		    "for UDP port %u and this host's address; --port PORT for another port",
		    p->cfg.port);
		if (p->cfg.source_port > 0 && p->cfg.source_port < 1024)
			pace_hint("some reflectors do not answer --source-port %u: use 1024 or higher",
			    p->cfg.source_port);
		if (err->code == ETIMEDOUT)
			pace_hint(p->cfg.stamp_key != NULL ? "a reflector with another key, or "
			    "without one, does not answer either" : "an old reflector may answer "
			    "--twamp-light only; one with a key needs --stamp-key FILE");
		return;
	}
	if (pace_opt_given(p->cfg.cmd, p->cfg.opts, "port"))
		snprintf(port, sizeof(port), " --port %u", p->cfg.port);
	if (is_step(err, "hello")) {
		pace_hint("start 'udpace respond%s' there, or open UDP port %u in the firewall",
		    port, p->cfg.port);
		if (err->code == ETIMEDOUT)
			pace_hint(p->cfg.key != NULL ?
			    "a responder that does not have this key does not answer either" :
			    "a responder that requires a key does not answer without one: --key "
			    "FILE");
	}
	else if (is_step(err, "send") && err->code == ECONNREFUSED)
		pace_hint("the responder was stopped, or its host failed; its results are lost");
	else if (is_step(err, "finish") || is_step(err, "fetch"))
		pace_hint("the responder or the path failed during the run; the results are lost");
	else
		pace_hint("the responder or the path failed during the run");
}

bool
pace_peer_has_room(const struct pace_peer_cfg *cfg, const struct pace_link *link)
{
	if (pace_payload_max(link) >= PACE_HELLO_SIZE || cfg->fragment)
		return true;
	pace_complain("the path MTU of %u bytes has no room for udpace's control frames of %d bytes",
	    link->mtu, PACE_HELLO_SIZE);
	if (cfg->has_fragment)
		pace_hint("use --fragment to send them as fragments");
	return false;
}

/* Every step except that of the stream sends control frames, and these may be too large as well. */
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

/* Print the command that the policy admits, once for all points of a sweep. */
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

/* False: the refusal does not concern rate or length, or no such command exists. */
static bool
hint_admitted(const struct pace_peer *p)
{
	static const char *const too_much[] = { "bit/s", "frames/s", "larger than its",
	    "longer than its", " a day", "run was ended" };
	const struct pace_msg_error *e = &p->client.refused;
	const struct pace_given *given = p->cfg.opts;
	const struct pace_allowed allowed = { e->rate_bps, e->frame_rate, e->size_bytes,
	    e->longest_ns, e->left_bytes };
	const struct pace_link link = { .family = p->addr.family };
	const struct pace_admitted a = { .cmd = p->cfg.cmd, .cfg = given, .argc = given->argc,
	    .argv = given->argv, .overhead = (uint32_t)pace_wire_bytes(&link, 1000) - 1000,
	    .ended = strstr(e->text, "run was ended") != NULL,
	    .day = strstr(e->text, " a day") != NULL };

	for (size_t i = 0; i < sizeof(too_much) / sizeof(too_much[0]); i++)
		if (strstr(e->text, too_much[i]) != NULL)
			return hint_line(&a, &allowed);
	return false;
}

/* The responder's message already states what it allows. */
static void
hint_policy(const struct pace_peer *p, const struct pace_err *err)
{
	static const char *const v[][2] = {
		{ "run was ended", "stay below it; spacing 0 sends as fast as possible" },
		{ " a day", "fewer frames, or wait for the next day (UTC)" },
		{ "bit/s", "a lower rate, or a shorter run within it" },
		{ "frames/s", "a larger spacing" },
		{ "larger", "a smaller --size within it" },
		{ "longer", "a shorter run, or fewer frames" },
		{ "records", "--record FILE:N for the first N frames" },
		{ "streams are", "fewer --streams" },
		{ "at once", "wait for one of them to end" },
		{ "(reverse)", "omit --reverse" },
		{ "(busy-poll)", "omit --busy-poll" },
		{ "without a key", "use --key FILE with a key that the responder has" },
		{ "stamp-nic", "omit --stamp nic" },
		{ "more than it", "a --reply-size no larger than --size" },
	};
	const bool rated = strstr(err->text, "bit/s") != NULL ||
	    strstr(err->text, "frames/s") != NULL || strstr(err->text, "run was ended") != NULL;
	size_t i = 0, n = sizeof(v) / sizeof(v[0]);

	if (rated && pace_opt_find(p->cfg.cmd, "request") != NULL && pace_opt_given(p->cfg.cmd,
	    p->cfg.opts, "request")) {
		pace_hint("requests follow each other as fast as replies come: use a smaller --size, "
		    "or a smaller --count");
		return;
	}
	if (!p->cfg.has_size && p->client.refused.rate_bps > 0 && (strstr(err->text, "bit/s") != NULL ||
	    strstr(err->text, "run was ended") != NULL)) {	/* of TCP */
		pace_hint("give a --rate: all connections together, with their headers, have to stay "
		    "below it");
		return;
	}
	if (p->cfg.has_size && hint_admitted(p))
		return;
	while (i < n && strstr(err->text, v[i][0]) == NULL)
		i++;
	if (i < n)
		pace_hint("%s; the responder's operator can allow more: udpace-policy(5)", v[i][1]);
	else
		pace_hint("the responder's operator can allow it: udpace-policy(5)");
}

static void
hint_key(const struct pace_peer *p)
{
	if (p->cfg.stamp) {
		pace_hint("give the reflector's secret with --stamp-key FILE[:NAME]");
		return;
	}
	if (p->cfg.key == NULL) {
		pace_hint("use --key FILE with a key that the responder has");
		return;
	}
	pace_hint("check that the responder's --keys file has it; 'udpace key list FILE' prints "
	    "fingerprints");
	pace_hint("a responder without --keys has no keys: omit --key");
}

/* The refusal of too many records states how many are allowed. */
static void
hint_records(const struct pace_err *err)
{
	const char *most = strstr(err->text, "at most ");
	unsigned long long n = most != NULL ? strtoull(most + strlen("at most "), NULL, 10) : 0;

	if (n > 0)
		pace_hint("record fewer frames with --record FILE:SKIP:%llu, or start the "
		    "responder with a larger --max-records", n);
	else
		pace_hint("start the responder with a larger --max-records");
}

void
pace_peer_tell(const struct pace_peer *p, const struct pace_err *err)
{
	int code = err->code;

	pace_complain("%s port %u: %s", p->cfg.host, p->cfg.port, pace_err_why(err));
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
pace_peer_note(struct pace_notes *notes, const struct pace_err *err)
{
	pace_note(notes, "no_result", "%s: %s", err->step, pace_err_why(err));
}

char *
pace_peer_busy_text(const struct pace_msg_error *who, char *buf, size_t size)
{
	char place[64] = "";

	if (who->place > 1)
		snprintf(place, sizeof(place), ", number %" PRId64 " of this host in line",
		    who->place);
	snprintf(buf, size, "%s is measuring, for at most %" PRId64 " s more; waiting%s",
	    who->label[0] != '\0' ? who->label : "another client", who->wait_ns / 1000000000 + 1,
	    place);
	return buf;
}

static void
say_busy(void *ctx, const struct pace_msg_error *who)
{
	struct pace_peer *p = ctx;
	char text[PACE_PEER_BUSY_SIZE];

	if (p->waiting != NULL)
		atomic_store(p->waiting, true);
	if (strcmp(who->code, "group") == 0) {
		if (!p->printed_group && !p->cfg.quiet)
			pace_notice("group %s: %s; waiting", p->cfg.group, who->text);
		p->printed_group = true;
		return;
	}
	if (p->printed_busy || p->cfg.quiet)
		return;
	p->printed_busy = true;
	pace_notice("%s is busy: %s", p->cfg.host, pace_peer_busy_text(who, text, sizeof(text)));
}

/* --- before the first frame ----------------------------------------------------- */

void
pace_peer_no_core(int cpu)
{
	char cores[64];

	(void)pace_root_text(cores, sizeof(cores), pace_root_default(),
	    "/sys/devices/system/cpu/online");
	pace_complain("--cpu: '%d': this process may not run on this core%s%s", cpu,
	    cores[0] != '\0' ? "; this host has " : "", cores);
}

int
pace_peer_threads(const struct pace_list *list, struct pace_threads *t)
{
	*t = (struct pace_threads){ .n = 0 };
	pace_threads_init(t);
	if (list->n > PACE_CORES_MAX) {
		pace_complain("--cpu: %d cores are more than %d", list->n, PACE_CORES_MAX);
		return -EINVAL;
	}
	for (int i = 0; i < list->n; i++) {
		int core = (int)list->v[i], rc = pace_affinity_try(core);

		for (uint32_t k = 0; k < t->n; k++) {
			if (t->core[k] != core)
				continue;
			pace_complain("--cpu: core %d is named twice; each thread needs its own", core);
			return -EINVAL;
		}
		if (rc < 0) {
			pace_peer_no_core(core);
			return rc;
		}
		t->core[t->n++] = core;
	}
	return 0;
}

static const char *
why_no_port(int code)
{
	return code == EADDRINUSE ? "another socket of this host has this UDP port" :
	    code == EACCES ? "ports below 1024 need the capability CAP_NET_BIND_SERVICE" :
	    strerror(code);
}

/* Why the socket cannot be as the options ask: an exit status. */
static int
tell_socket(const struct pace_peer_cfg *cfg, const struct pace_err *err)
{
	if (cfg->source != NULL && is_step(err, "bind") && err->code == EADDRNOTAVAIL)
		pace_complain("--source: '%s' is not an address of %s%s", cfg->source,
		    cfg->interface != NULL ? "interface " : "this host",
		    cfg->interface != NULL ? cfg->interface : "");
	else if (is_step(err, "connect") && err->code == EACCES)
		pace_complain("%s is a broadcast address, or a route prohibits it: only single hosts "
		    "and multicast groups are sent to", cfg->host);
	else if (is_step(err, PACE_SOCK_INTERFACE))
		pace_complain("--interface: '%s': %s", cfg->interface, err->code == EPERM ?
		    "this needs the capability CAP_NET_RAW" : strerror(err->code));
	else if (is_step(err, PACE_SOCK_PRIORITY))
		pace_complain("--priority: '%d': %s", cfg->priority, err->code == EPERM ?
		    "values above 6 need the capability CAP_NET_ADMIN" : strerror(err->code));
	else if (is_step(err, "engine"))
		pace_complain("--engine packet: %s", pace_err_why(err));
	else if (is_step(err, PACE_SOCK_FLOW_LABEL))
		pace_complain("--flow-label: '%u': %s", cfg->flow_label, strerror(err->code));
	else {
		if (cfg->source_port > 0 && is_step(err, "bind"))
			pace_complain("--source-port: '%u': %s", cfg->source_port,
			    why_no_port(err->code));
		else
			pace_complain("%s port %u: %s: %s", cfg->host, cfg->port, err->step,
			    strerror(err->code));
		return PACE_EXIT_NO_RESULT;
	}
	return PACE_EXIT_USAGE;
}

/* Let frames of this socket leave whole.  Before the session is open, the first hop is not known. */
static int
use_packets(const struct pace_peer *p, struct pace_sock *s, bool open, struct pace_err *err)
{
	int rc = 0;

	if (!p->cfg.packet)
		return 0;
	if (s->packet == NULL)
		rc = pace_packet_open(&s->packet, s, p->cfg.interface, p->cfg.sndbuf_bytes, err);
	return rc == 0 && open ? pace_packet_aim(s->packet, s, err) : rc;
}

/* The socket of a stream; a given source port is that of the first one, the next ones follow. */
static struct pace_sock_cfg
socket_of(const struct pace_peer *p, uint32_t stream)
{
	const struct pace_peer_cfg *cfg = &p->cfg;
	struct pace_sock_cfg sc = { .peer = p->addr, .dscp = cfg->dscp, .ttl = cfg->ttl,
	    .fragment = cfg->fragment, .tell_refusals = true, .local = p->source,
	    .headers = cfg->stamp, .loop = cfg->loop,
	    .ecn = cfg->ecn, .flow_label = cfg->flow_label, .interface = cfg->interface,
	    .prioritise = cfg->has_priority, .priority = cfg->priority,
	    .sndbuf_bytes = cfg->sndbuf_bytes,
	    .rcvbuf_bytes = cfg->receives ? cfg->rcvbuf_bytes : 1 << 20, .stop = &pace_stop };

	sc.local.family = p->addr.family;
	if (cfg->source_port > 0)
		sc.local.port = (uint16_t)(cfg->source_port + stream);
	sc.guard_ns = pace_clock_guard();
	return sc;
}

static int
open_flow(void *ctx, uint32_t stream, struct pace_io *io, struct pace_err *err)
{
	struct pace_peer *p = ctx;
	struct pace_sock_cfg sc = socket_of(p, stream);
	struct pace_sock *s = malloc(sizeof(*s));
	int rc;

	if (s == NULL)
		return pace_fail(err, ENOMEM, "streams");
	if (p->cfg.source_port > 0 && sc.local.port < p->cfg.source_port) {
		free(s);
		return pace_failf(err, EADDRNOTAVAIL, "streams", "--source-port %u leaves no port "
		    "for stream %u", p->cfg.source_port, stream);
	}
	rc = pace_sock_open(s, &sc, err);
	if (rc == 0 && (rc = use_packets(p, s, true, err)) < 0)
		pace_sock_close(s);
	if (rc < 0) {
		free(s);
		return p->cfg.source_port > 0 && is_step(err, "bind") ? pace_failf(err, err->code,
		    "streams", "the source port of stream %u, %u: %s", stream, sc.local.port,
		    why_no_port(err->code)) : rc;
	}
	s->warm = p->warm;
	p->flow[stream] = s;
	*io = pace_sock_io(s);
	return 0;
}

static int
open_socket(struct pace_peer *p)
{
	const struct pace_peer_cfg *cfg = &p->cfg;
	struct pace_sock_cfg sc = socket_of(p, 0);
	struct pace_addr local;
	struct pace_err err;

	if (cfg->cpu >= 0 && pace_affinity_pin(cfg->cpu) < 0) {
		pace_peer_no_core(cfg->cpu);
		return PACE_EXIT_USAGE;
	}
	if (pace_sock_open(&p->sock, &sc, &err) < 0)
		return tell_socket(cfg, &err);
	if (use_packets(p, &p->sock, false, &err) < 0)
		return tell_socket(cfg, &err);
	p->sock.warm = p->warm = pace_warm_open();
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
	c->peer = p->addr;
	c->open_flow = open_flow;
	c->flow_ctx = p;
	c->threads = p->cfg.threads;
	if (label != NULL)
		pace_clean(c->label, sizeof(c->label), label, strlen(label));
	c->rcvbuf_bytes = p->cfg.rcvbuf_bytes;
	c->own_rcvbuf_asked = p->cfg.rcvbuf_bytes;
	c->own_rcvbuf_granted = p->sock.rcvbuf_granted;
	c->sndbuf_asked = p->cfg.sndbuf_bytes;
	c->sndbuf_granted = p->sock.sndbuf_granted;
	c->qdisc_bypass = p->cfg.packet;
	c->fragment = p->cfg.fragment;
	/* on a single core others would have to wait for the sender, or it for them */
	c->awake_ns = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? PACE_SENDER_AWAKE_NS : 0;
	c->no_wait = p->cfg.no_wait;
	c->alone = p->cfg.alone;
	c->light = p->cfg.light;
	c->start_at_ns = p->cfg.start_at_ns;
	memcpy(c->group, p->cfg.group, sizeof(c->group));
	c->group_size = p->cfg.group_size;
	c->stop = &pace_stop;
	c->cut = &pace_point_control;
	c->on_busy = say_busy;
	c->busy_ctx = p;
}

/* With --stamp the client makes exchanges with a reflector. */
static void
use_stamp(struct pace_peer *p)
{
	p->stamp.light = p->cfg.twamp_light;
	p->stamp.dscp = (uint8_t)p->cfg.dscp;
	p->stamp.ttl = (uint8_t)p->cfg.ttl;
	p->client.pinger.stamp = &p->stamp;
}

/* Is it HOST:PORT or [ADDRESS]:PORT, as other tools accept?  An IPv6 address has more colons.
 * If so, prints an error. */
static bool
has_port(const char *host)
{
	bool brackets = host[0] == '[';
	size_t n = strcspn(host + brackets, brackets ? "]" : ":");
	const char *rest = host + brackets + n;

	if (n == 0 || rest[0] == '\0' || (!brackets && strchr(rest + 1, ':') != NULL))
		return false;
	rest += brackets;
	if (rest[0] == '\0')
		pace_complain("%s: write HOST without brackets: %.*s", host, (int)n, host + 1);
	else if (rest[0] == ':' && rest[1 + strspn(rest + 1, "0123456789")] == '\0')
		pace_complain("%s: write the port as an option: %.*s --port %s", host, (int)n,
		    host + brackets, rest[1] != '\0' ? rest + 1 : "PORT");
	else
		return false;
	return true;
}

/* Read --source, and let it choose the family: an exit status. */
static int
read_source(struct pace_peer_cfg *cfg, struct pace_addr *source)
{
	*source = (struct pace_addr){ .family = 0 };
	if (cfg->source == NULL)
		return PACE_EXIT_OK;
	if (!pace_addr_literal(cfg->source, source)) {
		pace_complain("--source: '%s' is not an IP address", cfg->source);
		return PACE_EXIT_USAGE;
	}
	if (cfg->family != 0 && cfg->family != source->family) {
		pace_complain("--source: '%s' is an IPv%d address, but IPv%d was requested",
		    cfg->source, source->family, cfg->family);
		return PACE_EXIT_USAGE;
	}
	cfg->family = source->family;
	return PACE_EXIT_OK;
}

/* Give a link-local address, or a group, the zone of --interface: an exit status. */
static int
use_interface(const struct pace_peer_cfg *cfg, struct pace_addr *a)
{
	uint32_t zone;

	if (cfg->interface == NULL)
		return PACE_EXIT_OK;
	zone = pace_addr_zone(cfg->interface);
	if (zone == 0) {
		pace_complain("--interface: this host has no interface '%s'", cfg->interface);
		return PACE_EXIT_USAGE;
	}
	if (a->family != 6 || (!pace_addr_is_group(a) &&
	    (a->ip[0] != 0xfe || (a->ip[1] & 0xc0) != 0x80)))
		return PACE_EXIT_OK;
	if (a->scope != 0 && a->scope != zone) {
		pace_complain("--interface: the address has the zone of another interface than "
		    "'%s'", cfg->interface);
		return PACE_EXIT_USAGE;
	}
	a->scope = zone;
	return PACE_EXIT_OK;
}

int
pace_peer_open(struct pace_peer *p, const struct pace_peer_cfg *cfg)
{
	struct pace_err err;
	int rc;

	memset(p, 0, sizeof(*p));
	p->cfg = *cfg;
	p->sock.fd = -1;
	p->counting.root = pace_root_default();
	if (pace_client_init(&p->client) < 0) {
		pace_complain("cannot start: out of memory, or the kernel gave no random numbers");
		return PACE_EXIT_NO_RESULT;
	}
	if (cfg->key != NULL && pace_keyfile_pick("--key", cfg->key, &p->keys, &p->client.key) != 0)
		return PACE_EXIT_USAGE;
	if (cfg->stamp_key != NULL && pace_keyfile_pick_stamp("--stamp-key", cfg->stamp_key,
	    &p->stamp_keys, &p->stamp.key) != 0)
		return PACE_EXIT_USAGE;
	if (cfg->host[0] == '\0') {
		pace_complain("HOST is empty");
		return PACE_EXIT_USAGE;
	}
	if (has_port(cfg->host))
		return PACE_EXIT_USAGE;
	if (read_source(&p->cfg, &p->source) != PACE_EXIT_OK)
		return PACE_EXIT_USAGE;
	if (pace_resolve(cfg->host, p->cfg.family, cfg->port, &p->addr, 1, &err) < 0) {
		pace_complain("%s: %s", cfg->host, err.text);
		pace_hint("give a host name or address%s", p->cfg.family == 0 ? "" :
		    cfg->source != NULL ? " of the family of --source" :
		    cfg->flow_label > 0 ? " of IPv6, or omit --flow-label" :
		    ", or omit the address family");
		return PACE_EXIT_NO_RESULT;
	}
	if (use_interface(cfg, &p->addr) != PACE_EXIT_OK ||
	    use_interface(cfg, &p->source) != PACE_EXIT_OK)
		return PACE_EXIT_USAGE;
	rc = open_socket(p);
	if (rc == PACE_EXIT_OK)
		make_client(p);
	if (rc == PACE_EXIT_OK && cfg->stamp)
		use_stamp(p);
	return rc;
}

void
pace_peer_close(struct pace_peer *p)
{
	pace_sock_close(&p->sock);
	for (int i = 1; i < PACE_STREAMS; i++) {
		if (p->flow[i] == NULL)
			continue;
		pace_sock_close(p->flow[i]);
		free(p->flow[i]);
		p->flow[i] = NULL;
	}
	pace_warm_close(p->warm);
	p->warm = NULL;
	pace_client_free(&p->client);
	pace_keys_free(&p->keys);
	pace_stamp_keys_free(&p->stamp_keys);
	pace_meter_free(p->counting.meter);
	p->counting.meter = NULL;
}

/* --- the document, the session ------------------------------------------------------ */

void
pace_peer_describe(const struct pace_peer *p, struct pace_result *r, const char *kind,
    int argc, char *const *argv)
{
	struct pace_trial here = { .cpu = p->cfg.cpu, .has_clock = true };
	struct pace_addr local;

	r->kind = kind;
	r->protocol = p->cfg.stamp ? "stamp" : NULL;
	pace_clock_rfc3339(pace_clock_wall(), r->started, sizeof(r->started));
	r->argc = argc;
	r->argv = argv;
	pace_clean(r->target, sizeof(r->target), p->cfg.host, strlen(p->cfg.host));
	pace_addr_text(&p->addr, r->address, sizeof(r->address));
	r->port = p->cfg.port;
	r->flow_label = p->cfg.flow_label;
	r->has_priority = p->cfg.has_priority;
	r->priority = r->has_priority ? (uint32_t)p->cfg.priority : 0;
	if (!p->cfg.private) {
		local = pace_sock_local(&p->sock);
		pace_addr_text(&local, r->source, sizeof(r->source));
		snprintf(r->interface, sizeof(r->interface), "%s", p->counting.route);
	}
	memcpy(r->label, p->client.label, sizeof(r->label));
	if (p->client.key != NULL)
		memcpy(r->key, p->client.key->name, sizeof(r->key));
	if (p->stamp.key != NULL)
		snprintf(r->key, sizeof(r->key), "%s", p->stamp.key->rule);
	if (!p->cfg.private)
		pace_facts_host_name(r->host);
	pace_facts_read(&r->client, p->counting.root, p->counting.route, false);
	pace_packet_fact(&r->client);
	pace_clock_state(&here.clock);
	if (!p->cfg.private)
		pace_checkup_notes(&r->notes, PACE_CLIENT_HOST, &r->client, &here);
	if (p->cfg.private) {
		r->client = (struct pace_host){ .cores = 0 };
		snprintf(r->client.version, sizeof(r->client.version), "%s", PACKAGE_VERSION);
	}
}

/* Wait until the lease may be requested: members of a group wait for each other in that time. */
static void
wait_for_start(const struct pace_peer *p)
{
	int64_t ahead = p->cfg.group_size > 0 ? PACE_GATHER_NS : PACE_BEGIN_IN_MAX_NS;
	int64_t ns = p->cfg.start_at_ns - ahead - pace_clock_wall();

	if (p->cfg.start_at_ns == 0 || ns <= 0)
		return;
	if (!p->cfg.quiet)
		pace_notice("waiting %" PRId64 " s before the measurement is requested",
		    ns / 1000000000 + 1);
	(void)pace_clock_wait_until(pace_clock_raw() + ns, 0, NULL, &pace_stop);
}

int
pace_peer_connect(struct pace_peer *p, struct pace_result *r)
{
	struct pace_trial there = { .cpu = -1, .has_clock = true };
	struct pace_err err = { .code = 0 };
	int rc;

	wait_for_start(p);
	rc = pace_stop != 0 ? pace_fail(&err, EINTR, "start") : pace_client_open(&p->client, &err);
	if (rc == 0)
		rc = use_packets(p, &p->sock, true, &err);
	if (rc == 0 && p->cfg.packet)
		pace_pinger_unsample(&p->client.pinger);	/* departures are numbered anew */
	if (rc < 0) {
		if (pace_stop == 0)
			pace_peer_tell(p, &err);
		pace_peer_note(&r->notes, &err);
		return rc;
	}
	if (p->cfg.stamp || p->cfg.alone)
		return 0;
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
