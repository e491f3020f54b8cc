#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "run/run_capture.h"
#include "cmd/cmds.h"
#include "daemon/confine.h"
#include "daemon/ops.h"
#include "daemon/policy_use.h"
#include "daemon/serve.h"
#include "daemon/tcp_accept.h"
#include "opt/regular.h"
#include "plat/files.h"
#include "plat/notify.h"
#include "plat/passed.h"
#include "run/keyfile.h"
#include "run/peer.h"
#include "run/stop.h"

#define TCP_FILES	(2 * PACE_TCP_STREAMS + PACE_TCP_UNPROVEN)	/* of a run of udpace tcp */

struct respond_cfg {
	struct pace_given given;
	const char	*bind, *keys, *policy, *user, *status, *metrics, *capture, *stamp_keys;
	struct pace_list cpu;
	int64_t		port, max_sessions, max_light, max_records, log, capture_buffer;
	int64_t		stamp_port, lifetime;
	bool		ipv4, ipv6, explain_refusal, no_sandbox, once, private, quiet, verbose;
	bool		check_config, stamp, stamp_stateful, no_tcp;
};

#define AT(field)	offsetof(struct respond_cfg, field)

static const struct pace_opt opts[] = {
	{ "bind", 0, PACE_OPT_STR, AT(bind), 0, 0, 0, NULL, "ADDR",
	    "address to listen on; without it, all IPv4 and IPv6 addresses", "Network" },
	{ "port", 'u', PACE_OPT_NUM, AT(port), PACE_UNIT_COUNT, 0, 65535, "14233", "PORT",
	    "UDP port; 0: any free port", "Network" },
	{ "ipv4", '4', PACE_OPT_FLAG, AT(ipv4), 0, 0, 0, NULL, NULL,
	    "IPv4 only", "Network" },
	{ "ipv6", '6', PACE_OPT_FLAG, AT(ipv6), 0, 0, 0, NULL, NULL,
	    "IPv6 only", "Network" },
	{ "no-tcp", 0, PACE_OPT_FLAG, AT(no_tcp), 0, 0, 0, NULL, NULL,
	    "do not listen for TCP, which udpace tcp needs", "Network" },
	{ "cpu", 'a', PACE_OPT_LIST, AT(cpu), PACE_UNIT_COUNT, 0, PACE_CORE_MAX, NULL, "LIST",
	    "core for receiving and sending; several: several streams of a run are received or sent "
	    "by a thread on each", "Host" },
	{ "user", 0, PACE_OPT_STR, AT(user), 0, 0, 0, NULL, "NAME",
	    "run as this user once the port is open; without it, root becomes udpace, or "
	    "65534", "Host" },
	{ "capture", 0, PACE_OPT_STR, AT(capture), 0, 0, 0, NULL, "IF",
	    "capture streams on this interface for clients that request it and are allowed to; "
	    "needs root", "Host" },
	{ "capture-buffer", 0, PACE_OPT_NUM, AT(capture_buffer), PACE_UNIT_BYTES, 1 << 20, 1 << 30,
	    "64M", "BYTES", "size of the kernel's ring buffer for --capture", "Host" },
	{ "no-sandbox", 0, PACE_OPT_FLAG, AT(no_sandbox), 0, 0, 0, NULL, NULL,
	    "keep the user, all privileges and system calls, for debugging", "Host" },
	{ "keys", 0, PACE_OPT_STR, AT(keys), 0, 0, 0, NULL, "FILE",
	    "serve only clients with a key in FILE; SIGHUP reads it again", "Access" },
	{ "explain-refusal", 0, PACE_OPT_FLAG, AT(explain_refusal), 0, 0, 0, NULL, NULL,
	    "answer clients without a key that they need one, instead of not at all",
	    "Access" },
	{ "max-sessions", 0, PACE_OPT_NUM, AT(max_sessions), PACE_UNIT_COUNT, 1,
	    PACE_SESSIONS_MAX, "64", "N", "clients served at once", "Session" },
	{ "max-light-sessions", 0, PACE_OPT_NUM, AT(max_light), PACE_UNIT_COUNT, 0,
	    PACE_LIGHT_MAX, "1024", "N", "clients served at once that need no measurement lease: "
	    "clocks, slow round trips, low-rate streams; 27 KiB each; 0: they use --max-sessions",
	    "Session" },
	{ "max-records", 0, PACE_OPT_NUM, AT(max_records), PACE_UNIT_COUNT, 0,
	    PACE_RECORD_LIMIT, "1048576", "N",
	    "frames that a run may record, 29 bytes each", "Session" },
	{ "policy", 0, PACE_OPT_STR, AT(policy), 0, 0, 0, NULL, "default|open|lab|FILE",
	    "access rules and limits; default, open and lab come with udpace", "Session" },
	{ "no-host-info", 0, PACE_OPT_FLAG, AT(private), 0, 0, 0, NULL, NULL,
	    "send clients no facts and no counters of this host", "Session" },
	{ "once", 0, PACE_OPT_FLAG, AT(once), 0, 0, 0, NULL, NULL,
	    "end after the session of one client", "Session" },
	{ "lifetime", 0, PACE_OPT_NUM, AT(lifetime), PACE_UNIT_SEC, INT64_C(1000000000),
	    INT64_C(30) * 86400 * 1000000000, NULL, "TIME",
	    "end after this time, whatever the clients do", "Session" },
	{ "stamp", 0, PACE_OPT_FLAG, AT(stamp), 0, 0, 0, NULL, NULL,
	    "also answer STAMP and TWAMP-Light, see udpace-stamp(7)", "STAMP" },
	{ "stamp-keys", 0, PACE_OPT_STR, AT(stamp_keys), 0, 0, 0, NULL, "FILE",
	    "secrets of STAMP's authenticated mode, by the rule of the policy; SIGHUP reads it "
	    "again", "STAMP" },
	{ "stamp-port", 0, PACE_OPT_NUM, AT(stamp_port), PACE_UNIT_COUNT, 0, 65535, "862", "PORT",
	    "UDP port for STAMP; 0: any free port", "STAMP" },
	{ "stamp-stateful", 0, PACE_OPT_FLAG, AT(stamp_stateful), 0, 0, 0, NULL, NULL,
	    "count the replies of each STAMP session, so that its losses have a direction",
	    "STAMP" },
	{ "check-config", 0, PACE_OPT_FLAG, AT(check_config), 0, 0, 0, NULL, NULL,
	    "read all files, print the configuration, and end", "Output" },
	{ "quiet", 'q', PACE_OPT_FLAG, AT(quiet), 0, 0, 0, NULL, NULL,
	    "log only warnings and errors, and nothing about unknown clients", "Output" },
	{ "verbose", 'v', PACE_OPT_FLAG, AT(verbose), 0, 0, 0, NULL, NULL,
	    "also log each run, and at the end the dropped datagrams", "Output" },
	{ "log", 0, PACE_OPT_CHOICE, AT(log), 0, 0, 0, "text", "text|json",
	    "format of the log on standard error", "Output" },
	{ "status-socket", 0, PACE_OPT_STR, AT(status), 0, 0, 0, NULL, "PATH",
	    "Unix socket with the state of all sessions, see udpace-status(5)", "Output" },
	{ "metrics", 0, PACE_OPT_STR, AT(metrics), 0, 0, 0, NULL, "[ADDR:]PORT",
	    "serve counters for Prometheus on this port; without ADDR on 127.0.0.1", "Output" },
};

static int
bind_address(const struct pace_cmd *cmd, const struct respond_cfg *cfg,
    struct pace_addr *a)
{
	int family = cfg->ipv4 ? 4 : cfg->ipv6 ? 6 : 0;
	struct pace_err err;

	memset(a, 0, sizeof(*a));
	if (cfg->ipv4 && cfg->ipv6) {
		pace_complain("%s: --ipv4 and --ipv6 exclude each other; without them it listens "
		    "on both", cmd->name);
		return -1;
	}
	if (cfg->bind != NULL &&
	    pace_resolve(cfg->bind, family, (uint16_t)cfg->port, a, 1, &err) < 0) {
		if (err.code == EAFNOSUPPORT)
			pace_complain("--bind: '%s' is an %s address, and --ipv%d was given",
			    cfg->bind, family == 4 ? "IPv6" : "IPv4", family);
		else
			pace_complain("--bind: '%s': %s", cfg->bind, err.text);
		return -1;
	}
	if (cfg->bind != NULL && a->family == 6 && a->ip[0] == 0xfe && (a->ip[1] & 0xc0) == 0x80 &&
	    a->scope == 0) {
		pace_complain("--bind: '%s' is a link-local address; add its interface, as in "
		    "%s%%eth0", cfg->bind, cfg->bind);
		return -1;
	}
	if (cfg->bind == NULL)
		a->family = (uint8_t)family;
	a->port = (uint16_t)cfg->port;
	return 0;
}

/* Use a socket that the service manager opened, instead of --bind and --port. */
static int
take_passed(const struct pace_cmd *cmd, const struct respond_cfg *cfg,
    struct pace_serve_cfg *sc)
{
	struct pace_addr local;
	struct pace_err err;
	int fd = pace_passed(&local, &err);

	if (fd < 0) {
		pace_complain("respond: %s", pace_err_why(&err));
		return PACE_EXIT_NO_RESULT;
	}
	if (fd == 0)
		return 0;
	if (cfg->bind != NULL || pace_opt_given(cmd, cfg, "port") || cfg->ipv4 || cfg->ipv6) {
		pace_complain("respond: a socket was passed (LISTEN_FDS) and has its address and "
		    "port: omit --bind, --port, --ipv4 and --ipv6");
		return PACE_EXIT_USAGE;
	}
	sc->bind = local;
	sc->passed = fd;
	return 0;
}

/* port: the one that could not be opened. */
static int
open_failed(const struct respond_cfg *cfg, int passed, int64_t port, const struct pace_err *err)
{
	if (passed > 0)
		pace_complain("respond: LISTEN_FDS: %s", pace_err_why(err));
	else
		pace_complain("%s%sport %d: %s", cfg->bind != NULL ? cfg->bind : "",
		    cfg->bind != NULL ? " " : "", (int)port,
		    err->code == EADDRINUSE ? "another program uses it" :
		    err->code == EADDRNOTAVAIL ? "this host has no such address" :
		    strerror(err->code));
	if (passed <= 0 && err->code == EACCES)
		pace_hint("use a port from 1024 on, or start respond as root with --user NAME");
	return PACE_EXIT_NO_RESULT;
}

/* Read the key file: the number of keys, or -1 after an error message.  At the start it must
 * have keys.  Later a file without keys locks out all clients, because whoever emptied it wanted
 * that. */
static int
read_keys(struct pace_policy_use *policy, const char *path, bool first, struct pace_keys *ks)
{
	if (pace_keyfile_read("--keys", path, ks) < 0)
		return -1;
	if (ks->n > 0 || !first) {
		pace_policy_keys(policy, path, ks);
		return ks->n;
	}
	pace_complain("--keys: %s: the file has no key", path);
	pace_hint("udpace key new NAME -o %s", path);
	pace_keys_free(ks);
	return -1;
}

/* Everything that SIGHUP reads again. */
struct respond_reading {
	const struct respond_cfg *cfg;
	struct pace_shared *shared;
	struct pace_policy_use policy;
	struct pace_ops *ops;
	struct pace_run_capture *tapping;	/* NULL: no capture */
	struct pace_reflect *reflect;	/* NULL: no STAMP */
	struct pace_tcp_accept *tcp;	/* NULL: no TCP */
};

/* Will SIGHUP read this file again?  A pipe gives its contents only once. */
static bool
rereads(const char *path)
{
	return path != NULL && !pace_is_passed(path);
}

static void
read_keys_again(struct respond_reading *r)
{
	const char *path = r->cfg->keys;
	struct pace_keys ks;
	int n = read_keys(&r->policy, path, false, &ks);

	if (n >= 0)
		pace_auth_rekey(&r->shared->auth, &ks);
	if (n > 0)
		pace_ops_reloaded(r->ops, PACE_LOG_NOTICE, "%s was read again: %d key%s", path, n,
		    n == 1 ? "" : "s");
	else if (n == 0)
		pace_ops_reloaded(r->ops, PACE_LOG_WARNING, "%s was read again: 0 keys: clients "
		    "that need one are no longer served", path);
	else
		pace_ops_reloaded(r->ops, PACE_LOG_ERR, "%s was not read again: the keys stay as "
		    "they were", path);
}

/* False: an error was printed. */
static bool
read_stamp_keys(const struct respond_reading *r, struct pace_stamp_keys *ks)
{
	const struct pace_policy *p = &r->policy.rules->policy;
	int rule;

	if (pace_keyfile_read_stamp("--stamp-keys", r->cfg->stamp_keys, ks) < 0)
		return false;
	for (int i = 0; i < ks->n; i++) {
		for (rule = 0; rule < p->rules && strcmp(p->rule[rule].rule, ks->v[i].rule) != 0;)
			rule++;
		if (rule < p->rules)
			continue;
		pace_complain("--stamp-keys: %s: the policy has no rule '%s'", r->cfg->stamp_keys,
		    ks->v[i].rule);
		pace_stamp_keys_free(ks);
		return false;
	}
	return true;
}

static void
read_stamp_keys_again(struct respond_reading *r)
{
	const char *path = r->cfg->stamp_keys;
	struct pace_stamp_keys ks;
	int n;

	if (!read_stamp_keys(r, &ks)) {
		pace_ops_reloaded(r->ops, PACE_LOG_ERR, "%s was not read again: the secrets stay "
		    "as they were", path);
		return;
	}
	n = ks.n;
	pace_reflector_rekey(r->reflect->reflector, &ks);
	pace_ops_reloaded(r->ops, PACE_LOG_NOTICE, "%s was read again: %d secret%s", path, n,
	    n == 1 ? "" : "s");
}

static void
read_policy_again(struct respond_reading *r)
{
	const char *path = r->policy.path;
	int n;

	if (!pace_policy_reread(&r->policy)) {
		pace_ops_reloaded(r->ops, PACE_LOG_ERR,
		    "%s was not read again: the policy that was there still holds", path);
		return;
	}
	n = r->policy.rules->policy.rules;
	pace_ops_reloaded(r->ops, PACE_LOG_NOTICE, "policy read again: %s, %d rule%s", path, n,
	    n == 1 ? "" : "s");
}

/* The message without the program's name. */
static const char *
words_of(const char *line)
{
	static const char ours[] = "udpace: ";

	if (strncmp(line, ours, sizeof(ours) - 1) == 0)
		line += sizeof(ours) - 1;
	return line + strspn(line, " ");
}

static void
tell_error(void *ctx, const char *line)
{
	pace_ops_error(ctx, "%s", words_of(line));
}

static void
tell_warning(void *ctx, const char *line)
{
	pace_ops_warn(ctx, "%s", words_of(line));
}

/* Warn about rules of the policy that no client can use. */
static void
warn_of_policy(const struct respond_reading *r)
{
	pace_complain_to(tell_warning, r->ops);
	pace_policy_warn(&r->policy);
	pace_complain_to(NULL, NULL);
}

/* Runs in the listener's thread, so it must not write. */
static void
read_again(void *ctx)
{
	struct respond_reading *r = ctx;

	pace_complain_to(tell_error, r->ops);
	if (rereads(r->cfg->keys))
		read_keys_again(r);
	if (rereads(r->cfg->policy))
		read_policy_again(r);
	if (rereads(r->cfg->stamp_keys))
		read_stamp_keys_again(r);
	if (r->cfg->keys == NULL && r->cfg->policy == NULL && r->cfg->stamp_keys == NULL)
		pace_ops_reloaded(r->ops, PACE_LOG_NOTICE,
		    "SIGHUP: nothing to read again: there is neither --keys nor --policy");
	else if (!rereads(r->cfg->keys) && !rereads(r->cfg->policy) &&
	    !rereads(r->cfg->stamp_keys))
		pace_ops_reloaded(r->ops, PACE_LOG_NOTICE,
		    "SIGHUP: nothing to read again: the files are pipes");
	warn_of_policy(r);
}

/* The log, the status socket or the metrics failed to start: an exit status. */
static int
ops_failed(const struct respond_cfg *cfg, const struct pace_err *err)
{
	const char *what = pace_err_why(err);

	if (strcmp(err->step, "status") == 0)
		pace_complain("--status-socket: '%s': %s", cfg->status, what);
	else if (strcmp(err->step, "metrics") == 0)
		pace_complain("--metrics: '%s': %s", cfg->metrics, what);
	else
		pace_complain("%s", what);
	return err->code == EINVAL ? 2 : 3;
}

static struct pace_ops_cfg
ops_cfg(const struct respond_cfg *cfg)
{
	return (struct pace_ops_cfg){ .json = cfg->log == 1, .quiet = cfg->quiet,
	    .verbose = cfg->verbose, .status = cfg->status, .metrics = cfg->metrics,
	    .max_sessions = (int)cfg->max_sessions };
}

/* Check the options before anything is opened: an exit status. */
static int
check_options(const struct pace_cmd *cmd, const struct respond_cfg *cfg,
    struct pace_threads *threads)
{
	int rc;

	if (cfg->capture != NULL && cfg->private) {
		pace_complain("--capture and --no-host-info exclude each other: a capture sends "
		    "clients counters of this host");
		return PACE_EXIT_USAGE;
	}
	if (cfg->capture == NULL && pace_opt_given(cmd, cfg, "capture-buffer")) {
		pace_complain("--capture-buffer needs --capture");
		return PACE_EXIT_USAGE;
	}
	if (!cfg->stamp && (cfg->stamp_keys != NULL || cfg->stamp_stateful ||
	    pace_opt_given(cmd, cfg, "stamp-port"))) {
		pace_complain("%s needs --stamp", cfg->stamp_keys != NULL ? "--stamp-keys" :
		    cfg->stamp_stateful ? "--stamp-stateful" : "--stamp-port");
		return PACE_EXIT_USAGE;
	}
	if (cfg->stamp && cfg->stamp_port == cfg->port && cfg->port != 0) {
		pace_complain("--stamp-port: port %d is the one of --port; STAMP needs its own",
		    (int)cfg->port);
		return PACE_EXIT_USAGE;
	}
	rc = pace_peer_threads(&cfg->cpu, threads);
	if (rc < 0) {
		if (rc == -EPERM)
			pace_hint("this process may not choose its core; use CPUAffinity= in a "
			    "systemd unit");
		return PACE_EXIT_USAGE;
	}
	return pace_confine_check(cfg->user, cfg->no_sandbox);
}

/* --check-config: opens no socket, and prints nothing before all files are checked. */
static int
check_config(struct respond_reading *r)
{
	const struct respond_cfg *cfg = r->cfg;
	struct pace_policy_use *policy = &r->policy;
	const uint64_t sessions = (uint64_t)cfg->max_sessions;
	/* as the responder applies them to one host */
	const struct pace_caps caps = { .records = (uint64_t)cfg->max_records,
	    .sessions = sessions, .house = sessions < 8 ? sessions : sessions / 4,
	    .strangers = (uint64_t)pace_responder_strangers((int)cfg->max_sessions) };
	const struct pace_ops_cfg oc = ops_cfg(cfg);
	struct pace_keys ks;
	struct pace_stamp_keys stamp_keys;
	struct pace_err err = { .code = 0 };

	if (pace_ops_check(&oc, &err) < 0)
		return ops_failed(cfg, &err);
	if (cfg->keys != NULL) {
		if (read_keys(policy, cfg->keys, true, &ks) < 0)
			return PACE_EXIT_USAGE;
		pace_keys_free(&ks);
	}
	if (cfg->stamp_keys != NULL) {
		if (!read_stamp_keys(r, &stamp_keys))
			return PACE_EXIT_USAGE;
		pace_stamp_keys_free(&stamp_keys);
	}
	pace_policy_warn(policy);
	return pace_policy_show(policy, &caps);
}

/* May a device be reconfigured to stamp frames, for any client? */
static bool
may_use_nic(const struct respond_reading *r)
{
	const struct pace_policy *p = &r->policy.rules->policy;
	bool may = false;

	for (int i = 0; i < p->rules; i++)
		may |= p->rule[i].allow && p->rule[i].stamp_nic;
	return may;
}

/* Drop privileges after the port is open and before anything is received: an exit status. */
static int
confine(const struct respond_reading *r, const struct pace_serve *s)
{
	const struct respond_cfg *cfg = r->cfg;
	struct pace_sandbox_cfg sc = { .user = cfg->user, .off = cfg->no_sandbox,
	    .sock = s->sock.fd, .port = s->port, .unlinks = cfg->status != NULL,
	    .net_admin = may_use_nic(r) };
	struct pace_sandbox_user whom;
	struct pace_err err = { .code = 0 };
	int n = 0;

	if (pace_sandbox_user(&whom, &sc, &err) == 0 &&
	    pace_ops_listen(r->ops, &whom, &err) < 0)
		return ops_failed(cfg, &err);
	if (rereads(cfg->keys))
		sc.again[n++] = cfg->keys;
	if (rereads(cfg->policy))
		sc.again[n++] = r->policy.path;
	if (rereads(cfg->stamp_keys))
		sc.again[n++] = cfg->stamp_keys;
	return pace_confine(&sc, &whom, r->ops, cfg->verbose && cfg->log == 0);
}

/* Do everything that may fail before the first datagram: an exit status. */
static int
prepare(struct respond_reading *r, struct pace_serve *serve)
{
	const struct respond_cfg *cfg = r->cfg;
	int status;

	serve->responder.shared.explain_refusal = cfg->explain_refusal;
	if (cfg->keys != NULL) {
		struct pace_keys ks;

		if (read_keys(&r->policy, cfg->keys, true, &ks) < 0)
			return PACE_EXIT_USAGE;
		pace_auth_rekey(&r->shared->auth, &ks);
		r->shared->keys_required = true;
	}
	if (cfg->stamp_keys != NULL) {
		struct pace_stamp_keys ks;

		if (!read_stamp_keys(r, &ks))
			return PACE_EXIT_USAGE;
		pace_reflector_rekey(r->reflect->reflector, &ks);
	}
	warn_of_policy(r);
	status = r->tapping != NULL ? pace_run_capture_aim(r->tapping, serve->port, NULL) : 0;
	return status != 0 ? status : confine(r, serve);
}

static int
run_until_stopped(const struct respond_reading *r, struct pace_serve *serve)
{
	static const struct pace_addr any;
	const struct pace_addr *bind = &serve->cfg.bind;
	char address[64];
	int rc;

	pace_stop_catch();
	rc = r->tapping != NULL ? pace_run_capture_start(r->tapping) : 0;
	if (rc != 0)
		return rc;
	pace_addr_text(bind, address, sizeof(address));
	if (bind->family == 0 || memcmp(bind->ip, any.ip, sizeof(any.ip)) == 0)
		snprintf(address, sizeof(address), "%s", bind->family == 4 ? "0.0.0.0" : "::");
	if (r->reflect != NULL && may_use_nic(r))
		pace_reflect_use_nic(r->reflect);
	rc = r->tcp != NULL ? pace_tcp_accept_begin(r->tcp) : 0;
	if (rc == 0)
		rc = pace_ops_begin(r->ops, serve, address);
	if (rc == 0 && r->reflect != NULL)
		rc = pace_reflect_begin(r->reflect);
	if (rc < 0) {
		pace_complain("%s", strerror(-rc));
		return PACE_EXIT_NO_RESULT;
	}
	pace_serve_run(serve);
	return 0;
}

/* Open the STAMP reflector, if one is wanted: an exit status. */
static int
open_reflect(struct respond_reading *r, struct pace_reflect *reflect, struct pace_serve_cfg *sc)
{
	const struct respond_cfg *cfg = r->cfg;
	struct pace_reflect_cfg rc = { .bind = sc->bind, .rules = sc->rules,
	    .stateful = cfg->stamp_stateful, .cpu = sc->cpu };
	struct pace_err err = { .code = 0 };

	if (!cfg->stamp)
		return PACE_EXIT_OK;
	rc.bind.port = (uint16_t)cfg->stamp_port;
	if (pace_reflect_open(reflect, &rc, &err) < 0)
		return open_failed(cfg, 0, cfg->stamp_port, &err);
	r->reflect = reflect;
	sc->reflect = reflect;
	return PACE_EXIT_OK;
}

/* Listen for TCP at the port of UDP.  Without it everything but udpace tcp works. */
static void
open_tcp(struct respond_reading *r, struct pace_tcp_accept *tcp, struct pace_serve *serve)
{
	int rc = r->cfg->no_tcp ? 1 : pace_tcp_accept_open(tcp, &serve->cfg.bind, serve->port);

	if (rc < 0)
		pace_ops_warn(r->ops, "TCP port %d: %s: udpace tcp cannot use this responder",
		    (int)serve->port, rc == -EADDRINUSE ? "another program uses it" : strerror(-rc));
	if (rc != 0)
		return;
	r->tcp = tcp;
	serve->cfg.tcp = &tcp->host;
}

static int
respond(struct respond_reading *r, struct pace_serve *serve, struct pace_serve_cfg *sc)
{
	static struct pace_tcp_accept tcp;
	const struct respond_cfg *cfg = r->cfg;
	struct pace_notify notify;
	const struct pace_ops_cfg oc = ops_cfg(cfg);
	/* per session a socket and a file of this host read at its start; 64 for everything else; what is
	 * left is for the further flows of sessions */
	uint64_t sessions = (uint64_t)cfg->max_sessions, wanted = 2 * sessions + 64, may;
	struct pace_err err = { .code = 0 };
	int status;

	if (pace_ops_open(&r->ops, &oc, &err) < 0)
		return ops_failed(cfg, &err);
	may = pace_files_allow(wanted + TCP_FILES + PACE_SERVE_FLOWS);
	sc->max_flows = may > wanted + TCP_FILES ? (int)(may - wanted - TCP_FILES) : 0;
	if (may < wanted)
		pace_ops_warn(r->ops, "%" PRIu64 " sessions may want %" PRIu64 " open files, the "
		    "limit is %" PRIu64 ": ulimit -n, or LimitNOFILE= of the service", sessions,
		    wanted, may);
	pace_ops_hook(r->ops, sc);
	sc->notify = &notify;
	sc->tap = pace_run_capture_hook(r->tapping);
	if (pace_serve_open(serve, sc, &err) < 0) {
		pace_ops_close(r->ops);
		return open_failed(cfg, sc->passed, cfg->port, &err);
	}
	open_tcp(r, &tcp, serve);
	pace_notify_open(&notify);
	status = prepare(r, serve);
	if (status == 0)
		status = run_until_stopped(r, serve);
	if (r->reflect != NULL)
		pace_reflect_end(r->reflect);
	pace_notify_close(&notify);
	pace_ops_close(r->ops);
	if (r->tcp != NULL)
		pace_tcp_accept_close(r->tcp);
	if (!pace_serve_close(serve)) {
		r->policy.rules = NULL;		/* the sessions own them now */
		r->tapping = NULL;
	}
	return status;
}

/* Sessions run in short-lived threads.  A single heap returns their memory to the system; with
 * one heap per thread the next thread could not reuse it. */
static void
return_memory(void)
{
#ifdef M_ARENA_MAX
	(void)mallopt(M_ARENA_MAX, 1);
	(void)mallopt(M_MMAP_THRESHOLD, 8 << 10);
	(void)mallopt(M_TRIM_THRESHOLD, 128 << 10);
#endif
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	static struct pace_serve serve;		/* static because it is large */
	static struct respond_reading reading;
	static struct pace_reflect reflect;
	static struct pace_threads threads;
	const struct respond_cfg *cfg = arg;
	struct pace_serve_cfg sc = { .max_sessions = (int)cfg->max_sessions,
	    .max_light = (int)cfg->max_light,
	    .max_records = (uint64_t)cfg->max_records,
	    .cpu = pace_opt_given(cmd, cfg, "cpu") ? (int)cfg->cpu.v[0] : -1,
	    .threads = &threads, .once = cfg->once, .private = cfg->private, .stop = &pace_stop,
	    .reload = read_again };
	int status;

	(void)argc; (void)argv; (void)all_argc; (void)all_argv;
	return_memory();
	if (pace_opt_given(cmd, cfg, "lifetime"))
		pace_stop_after(cfg->lifetime);
	if (cfg->explain_refusal && cfg->keys == NULL) {
		pace_complain("--explain-refusal needs --keys");
		return PACE_EXIT_USAGE;
	}
	if (bind_address(cmd, cfg, &sc.bind) < 0)
		return PACE_EXIT_USAGE;
	status = check_options(cmd, cfg, &threads);
	if (status != 0)
		return status;
	status = pace_policy_open(&reading.policy, cfg->policy);
	reading.cfg = cfg;
	sc.reload_ctx = &reading;
	reading.shared = &serve.responder.shared;
	sc.rules = reading.policy.rules;
	if (status == 0 && cfg->check_config) {
		status = check_config(&reading);
	} else if (status == 0) {
		status = take_passed(cmd, cfg, &sc);
		if (status == 0 && cfg->capture != NULL)
			status = pace_run_capture_open(&reading.tapping, cfg->capture,
			    (int)cfg->capture_buffer, "start it as root with --user NAME, or "
			    "give its service CAP_NET_RAW");
		if (status == 0)
			status = open_reflect(&reading, &reflect, &sc);
		if (status == 0)
			status = respond(&reading, &serve, &sc);
		pace_reflect_close(&reflect);
		pace_run_capture_close(reading.tapping);
	}
	pace_policy_close(&reading.policy);
	return status;
}

static const char *const examples[] = {
	"# until Ctrl-C, on the default port",
	"udpace respond",
	"# on one address, receiving on core 2",
	"udpace respond --bind 10.0.0.2 --cpu 2",
	"# several streams of a client on four cores",
	"udpace respond --cpu 2,3,4,5",
	"# for clients with a key, made by: udpace key new NAME -o udpace.keys",
	"udpace respond --keys udpace.keys",
	"# for all clients, within your own limits",
	"udpace respond --policy ./guests.ini",
	"# capture on eth0 for clients that may request it, udpace-policy(5)",
	"udpace respond --capture eth0 --keys udpace.keys",
	"# also for routers with STAMP, on a port that needs no privilege",
	"udpace respond --stamp --stamp-port 8620",
	"# for a script: one client, any free port",
	"udpace respond --once --port 0 --lifetime 60s",
	NULL
};

const struct pace_cmd pace_cmd_respond = {
	"respond", "answer the measurements of other hosts", "", 0, 0,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct respond_cfg), run, NULL,
};
