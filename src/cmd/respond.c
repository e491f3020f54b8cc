#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "capture/rx_capture.h"
#include "cmd/cmds.h"
#include "daemon/confine.h"
#include "daemon/ops.h"
#include "daemon/policy_use.h"
#include "daemon/serve.h"
#include "plat/affinity.h"
#include "plat/files.h"
#include "plat/notify.h"
#include "plat/passed.h"
#include "run/keyfile.h"
#include "run/peer.h"
#include "run/stop.h"

struct respond_cfg {
	struct pace_given given;
	const char	*bind, *keys, *policy, *user, *status, *metrics, *capture;
	int64_t		port, cpu, max_sessions, max_records, log, capture_buffer;
	bool		ipv4, ipv6, polite, no_sandbox, one_off, private, quiet, verbose, check_config;
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
	{ "user", 0, PACE_OPT_STR, AT(user), 0, 0, 0, NULL, "NAME",
	    "run as this user once the port is open; root changes to udpace, or to 65534", "Host" },
	{ "capture", 0, PACE_OPT_STR, AT(capture), 0, 0, 0, NULL, "IF",
	    "capture there the streams of clients that ask for it and may, needs root", "Host" },
	{ "capture-buffer", 0, PACE_OPT_NUM, AT(capture_buffer), PACE_UNIT_BYTES, 1 << 20, 1 << 30,
	    "64M", "BYTES", "the kernel's ring for that", "Host" },
	{ "no-sandbox", 0, PACE_OPT_FLAG, AT(no_sandbox), 0, 0, 0, NULL, NULL,
	    "keep the user, all privileges and system calls: for debuggers", "Host" },
	{ "keys", 0, PACE_OPT_STR, AT(keys), 0, 0, 0, NULL, "FILE",
	    "serve only who shows one of the keys in FILE; read again on SIGHUP", "Access" },
	{ "polite", 0, PACE_OPT_FLAG, AT(polite), 0, 0, 0, NULL, NULL,
	    "tell clients without such a key that they need one; else they get no answer", "Access" },
	{ "max-sessions", 0, PACE_OPT_NUM, AT(max_sessions), PACE_UNIT_COUNT, 1,
	    PACE_SESSIONS_MAX, "64", "N", "clients served at once", "Session" },
	{ "max-records", 0, PACE_OPT_NUM, AT(max_records), PACE_UNIT_COUNT, 0,
	    PACE_RECORD_LIMIT, "1048576", "N",
	    "frames that a run may have recorded, 29 bytes each", "Session" },
	{ "policy", 0, PACE_OPT_STR, AT(policy), 0, 0, 0, NULL, "default|open|lab|FILE",
	    "who may measure how much; the first three come with udpace", "Session" },
	{ "private", 0, PACE_OPT_FLAG, AT(private), 0, 0, 0, NULL, NULL,
	    "tell clients nothing of this host: no facts, no counters", "Session" },
	{ "one-off", 0, PACE_OPT_FLAG, AT(one_off), 0, 0, 0, NULL, NULL,
	    "end after one client's session", "Session" },
	{ "check-config", 0, PACE_OPT_FLAG, AT(check_config), 0, 0, 0, NULL, NULL,
	    "read all files, say what would hold, and end", "Output" },
	{ "quiet", 'q', PACE_OPT_FLAG, AT(quiet), 0, 0, 0, NULL, NULL,
	    "of the log only warnings and errors, and nothing about strangers", "Output" },
	{ "verbose", 'v', PACE_OPT_FLAG, AT(verbose), 0, 0, 0, NULL, NULL,
	    "also a line for each run, and at the end what was dropped", "Output" },
	{ "log", 0, PACE_OPT_CHOICE, AT(log), 0, 0, 0, "text", "text|json",
	    "form of the lines on standard error", "Output" },
	{ "status-socket", 0, PACE_OPT_STR, AT(status), 0, 0, 0, NULL, "PATH",
	    "Unix socket that tells of all sessions, see udpace-status(5)", "Output" },
	{ "metrics", 0, PACE_OPT_STR, AT(metrics), 0, 0, 0, NULL, "[ADDR:]PORT",
	    "serve counters for Prometheus there; 127.0.0.1 without ADDR", "Output" },
};

static bool
lacks_zone(const struct pace_addr *a)
{
	return a->family == 6 && a->ip[0] == 0xfe && (a->ip[1] & 0xc0) == 0x80 && a->scope == 0;
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
		if (err.code == EAFNOSUPPORT)
			pace_complain("--bind: '%s' is an %s address, and --ipv%d was given", cfg->bind,
			    family == 4 ? "IPv6" : "IPv4", family);
		else
			pace_complain("--bind: '%s': %s", cfg->bind, err.text);
		return -1;
	}
	if (cfg->bind != NULL && lacks_zone(a)) {
		pace_complain("--bind: '%s' is an address of a link: say of which interface, as "
		    "%s%%eth0", cfg->bind, cfg->bind);
		return -1;
	}
	if (cfg->bind == NULL)
		a->family = (uint8_t)family;
	a->port = (uint16_t)cfg->port;
	return 0;
}

/* What a service manager bound for us, in place of --bind and --port. */
static int
take_passed(const struct pace_cmd *cmd, const struct respond_cfg *cfg,
    struct pace_serve_cfg *sc)
{
	struct pace_addr local;
	struct pace_err err;
	int fd = pace_passed(&local, &err);

	if (fd < 0) {
		pace_complain("respond: %s", pace_err_why(&err));
		return 3;
	}
	if (fd == 0)
		return 0;
	if (cfg->bind != NULL || pace_opt_given(cmd, cfg, "port") || cfg->ipv4 || cfg->ipv6) {
		pace_complain("respond: a socket was passed (LISTEN_FDS): its address and port are "
		    "those of that, without --bind, --port, --ipv4 and --ipv6");
		return 2;
	}
	sc->bind = local;
	sc->passed = fd;
	return 0;
}

static int
open_failed(const struct respond_cfg *cfg, const struct pace_serve_cfg *sc,
    const struct pace_err *err)
{
	if (sc->passed > 0)
		pace_complain("respond: LISTEN_FDS: %s", pace_err_why(err));
	else
		pace_complain("%s%sport %d: %s", cfg->bind != NULL ? cfg->bind : "",
		    cfg->bind != NULL ? " " : "", (int)cfg->port,
		    err->code == EADDRINUSE ? "another program has it" :
		    err->code == EADDRNOTAVAIL ? "this host has no such address" :
		    strerror(err->code));
	if (sc->passed <= 0 && err->code == EACCES)
		pace_hint("take a port from 1024 on, or start it as root with --user NAME");
	return 3;
}

static char *
listening_on(const struct pace_serve *s, char *text, size_t size)
{
	static const struct pace_addr any;

	pace_addr_text(&s->cfg.bind, text, size);
	if (s->cfg.bind.family == 0 ||
	    memcmp(s->cfg.bind.ip, any.ip, sizeof(any.ip)) == 0)
		snprintf(text, size, "%s", s->cfg.bind.family == 4 ? "0.0.0.0" : "::");
	return text;
}

/* The keys' file as it is now: how many, or -1, told.  The first time it must have keys;
 * later, one without any shuts everybody out, as who emptied it wanted. */
static int
read_keys(struct pace_policy_use *policy, const char *path, bool first, struct pace_keys *ks)
{
	if (pace_keyfile_read("--keys", path, ks) < 0)
		return -1;
	if (ks->n > 0 || !first) {
		pace_policy_keys(policy, path, ks);
		return ks->n;
	}
	pace_complain("--keys: %s: there is no key in it", path);
	pace_hint("udpace key new NAME -o %s", path);
	pace_keys_free(ks);
	return -1;
}

static int
load_keys(struct pace_shared *shared, struct pace_policy_use *policy, const char *path,
    bool first)
{
	struct pace_keys ks;
	int n = read_keys(policy, path, first, &ks);

	if (n < 0)
		return -1;
	pace_auth_rekey(&shared->auth, &ks);
	if (first)
		shared->keys_required = true;
	return n;
}

/* What SIGHUP reads again. */
struct respond_reading {
	const struct respond_cfg *cfg;
	struct pace_shared *shared;
	struct pace_policy_use policy;
	struct pace_ops *ops;
	struct pace_tapping *tapping;	/* NULL: nothing is captured */
};

static void
read_keys_again(struct respond_reading *r)
{
	const char *path = r->cfg->keys;
	int n = load_keys(r->shared, &r->policy, path, false);

	if (n > 0)
		pace_ops_reloaded(r->ops, PACE_LOG_NOTICE, "%s was read again: %d key%s", path, n,
		    n == 1 ? "" : "s");
	else if (n == 0)
		pace_ops_reloaded(r->ops, PACE_LOG_WARNING, "%s was read again: 0 keys: who needs "
		    "one is not served any more", path);
	else
		pace_ops_reloaded(r->ops, PACE_LOG_ERR, "%s was not read again: the keys stay as "
		    "they were", path);
}

static void
read_policy_again(struct respond_reading *r)
{
	const char *path = r->policy.path;
	int n;

	if (!pace_policy_reread(&r->policy)) {
		pace_ops_reloaded(r->ops, PACE_LOG_ERR, "%s was not read again: the policy that was "
		    "there still holds", path);
		return;
	}
	n = r->policy.rules->policy.rules;
	pace_ops_reloaded(r->ops, PACE_LOG_NOTICE, "policy read again: %s, %d rule%s", path, n,
	    n == 1 ? "" : "s");
}

/* What follows the program's name. */
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

/* What the policy has that nobody can use: not an error, so not of that level. */
static void
warn_of_policy(const struct respond_reading *r)
{
	pace_complain_to(tell_warning, r->ops);
	pace_policy_warn(&r->policy);
	pace_complain_to(NULL, NULL);
}

/* In the listener's thread: nothing is written here. */
static void
read_again(void *ctx)
{
	struct respond_reading *r = ctx;

	pace_complain_to(tell_error, r->ops);
	if (r->cfg->keys != NULL)
		read_keys_again(r);
	if (r->cfg->policy != NULL)
		read_policy_again(r);
	if (r->cfg->keys == NULL && r->cfg->policy == NULL)
		pace_ops_reloaded(r->ops, PACE_LOG_NOTICE, "SIGHUP: nothing to read again: there is "
		    "neither --keys nor --policy");
	warn_of_policy(r);
}

/* What the log, the status socket or the metrics could not have: an exit status. */
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

/* What can be known of the options before anything is opened: an exit status. */
static int
check_host(const struct pace_cmd *cmd, const struct respond_cfg *cfg)
{
	int rc = pace_opt_given(cmd, cfg, "cpu") ? pace_affinity_try((int)cfg->cpu) : 0;

	if (rc < 0) {
		pace_peer_no_core((int)cfg->cpu);
		if (rc == -EPERM)
			pace_hint("it is not allowed to choose: in a unit of systemd CPUAffinity=");
		return 2;
	}
	return pace_confine_check(cfg->user, cfg->no_sandbox);
}

static int
check_capture(const struct pace_cmd *cmd, const struct respond_cfg *cfg)
{
	if (cfg->capture != NULL && cfg->private)
		pace_complain("--capture: with --private clients are told nothing of this host: "
		    "leave one of them out");
	else if (cfg->capture == NULL && pace_opt_given(cmd, cfg, "capture-buffer"))
		pace_complain("--capture-buffer: is for --capture: give that, too");
	else
		return 0;
	return 2;
}

/* --check-config: no socket is opened, and nothing printed before all is seen to hold. */
static int
check_config(const struct respond_cfg *cfg, struct pace_policy_use *policy)
{
	const uint64_t sessions = (uint64_t)cfg->max_sessions;
	/* of one host: as the responder gives them out */
	const struct pace_caps caps = { .records = (uint64_t)cfg->max_records,
	    .sessions = sessions, .house = sessions < 8 ? sessions : sessions / 4,
	    .strangers = (uint64_t)pace_responder_strangers((int)cfg->max_sessions) };
	const struct pace_ops_cfg oc = ops_cfg(cfg);
	struct pace_keys ks;
	struct pace_err err = { .code = 0 };

	if (pace_ops_check(&oc, &err) < 0)
		return ops_failed(cfg, &err);
	if (cfg->keys != NULL) {
		if (read_keys(policy, cfg->keys, true, &ks) < 0)
			return 2;
		pace_keys_free(&ks);
	}
	pace_policy_warn(policy);
	return pace_policy_show(policy, &caps);
}

static int
open_ops(const struct respond_cfg *cfg, struct pace_ops **ops)
{
	const struct pace_ops_cfg oc = ops_cfg(cfg);
	struct pace_err err = { .code = 0 };

	return pace_ops_open(ops, &oc, &err) == 0 ? 0 : ops_failed(cfg, &err);
}

/* May somebody have a network device reconfigured? */
static bool
stamps_nic(const struct pace_policy *p)
{
	for (int i = 0; i < p->rules; i++)
		if (p->rule[i].allow && p->rule[i].stamp_nic)
			return true;
	return false;
}

/* After the port is open, before anything is received: an exit status. */
static int
confine(const struct respond_reading *r, const struct pace_serve *s)
{
	const struct respond_cfg *cfg = r->cfg;
	struct pace_sandbox_cfg sc = { .user = cfg->user, .off = cfg->no_sandbox,
	    .sock = s->sock.fd, .port = s->port, .unlinks = cfg->status != NULL,
	    .net_admin = stamps_nic(&r->policy.rules->policy) };
	struct pace_sandbox_user whom;
	struct pace_err err = { .code = 0 };
	int n = 0;

	if (pace_sandbox_user(&whom, &sc, &err) == 0 &&
	    pace_ops_listen(r->ops, &whom, &err) < 0)
		return ops_failed(cfg, &err);
	if (cfg->keys != NULL)
		sc.again[n++] = cfg->keys;
	if (cfg->policy != NULL)
		sc.again[n++] = r->policy.path;
	return pace_confine(&sc, &whom, r->ops, cfg->verbose && cfg->log == 0);
}

/* What may fail before the first datagram: an exit status. */
static int
prepare(struct respond_reading *r, struct pace_serve *serve)
{
	const struct respond_cfg *cfg = r->cfg;

	serve->responder.shared.polite = cfg->polite;
	if (cfg->keys != NULL && load_keys(&serve->responder.shared, &r->policy, cfg->keys,
	    true) < 0)
		return 2;
	warn_of_policy(r);
	if (r->tapping != NULL) {
		int status = pace_tapping_aim(r->tapping, serve->port);

		if (status != 0)
			return status;
	}
	return confine(r, serve);
}

static int
run_until_stopped(const struct respond_reading *r, struct pace_serve *serve)
{
	char text[64];
	int rc;

	pace_stop_catch();
	rc = r->tapping != NULL ? pace_tapping_start(r->tapping) : 0;
	if (rc != 0)
		return rc;
	rc = pace_ops_begin(r->ops, serve, listening_on(serve, text, sizeof(text)));
	if (rc < 0) {
		pace_complain("%s", strerror(-rc));
		return 4;
	}
	pace_serve_run(serve);
	return 0;
}

/* A socket for each session, what it reads of this host when it begins, and the rest. */
static void
allow_files(const struct respond_reading *r)
{
	uint64_t sessions = (uint64_t)r->cfg->max_sessions, wanted = 2 * sessions + 64;
	uint64_t may = pace_files_allow(wanted);

	if (may < wanted)
		pace_ops_warn(r->ops, "%" PRIu64 " sessions may want %" PRIu64 " open files, the "
		    "limit is %" PRIu64 ": ulimit -n, or LimitNOFILE= of the service", sessions,
		    wanted, may);
}

static int
respond(struct respond_reading *r, struct pace_serve *serve, struct pace_serve_cfg *sc)
{
	const struct respond_cfg *cfg = r->cfg;
	struct pace_notify notify;
	struct pace_err err = { .code = 0 };
	int status = open_ops(cfg, &r->ops);

	if (status != 0)
		return status;
	allow_files(r);
	pace_ops_hook(r->ops, sc);
	sc->notify = &notify;
	sc->tap = pace_rx_capture_hook(r->tapping);
	if (pace_serve_open(serve, sc, &err) < 0) {
		pace_ops_close(r->ops);
		return open_failed(cfg, sc, &err);
	}
	pace_notify_open(&notify);
	status = prepare(r, serve);
	if (status == 0)
		status = run_until_stopped(r, serve);
	pace_notify_close(&notify);
	pace_ops_close(r->ops);
	if (!pace_serve_close(serve)) {
		r->policy.rules = NULL;		/* a session has them */
		r->tapping = NULL;
	}
	return status;
}

static int
serve_as(const struct pace_cmd *cmd, struct respond_reading *r, struct pace_serve *serve,
    struct pace_serve_cfg *sc)
{
	const struct respond_cfg *cfg = r->cfg;
	int status = take_passed(cmd, cfg, sc);

	if (status == 0 && cfg->capture != NULL)
		status = pace_tapping_open(&r->tapping, cfg->capture, (int)cfg->capture_buffer);
	if (status == 0)
		status = respond(r, serve, sc);
	pace_tapping_close(r->tapping);
	return status;
}

/* Sessions come and go in threads: what one leaves goes back to the system, not into a
 * heap of its own that the next thread does not find. */
static void
return_memory(void)
{
#ifdef M_ARENA_MAX
	(void)mallopt(M_ARENA_MAX, 1);
	(void)mallopt(M_MMAP_THRESHOLD, 128 << 10);
	(void)mallopt(M_TRIM_THRESHOLD, 128 << 10);
#endif
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	static struct pace_serve serve;		/* large: off the stack */
	static struct respond_reading reading;
	const struct respond_cfg *cfg = arg;
	struct pace_serve_cfg sc = { .max_sessions = (int)cfg->max_sessions,
	    .max_records = (uint64_t)cfg->max_records,
	    .cpu = pace_opt_given(cmd, cfg, "cpu") ? (int)cfg->cpu : -1,
	    .one_off = cfg->one_off, .private = cfg->private, .stop = &pace_stop,
	    .reload = read_again };
	int status;

	(void)argc; (void)argv; (void)all_argc; (void)all_argv;
	return_memory();
	if (cfg->polite && cfg->keys == NULL) {
		pace_complain("--polite is for clients without a key of --keys: give that, too");
		return 2;
	}
	if (bind_address(cmd, cfg, &sc.bind) < 0)
		return 2;
	status = check_capture(cmd, cfg);
	if (status == 0)
		status = check_host(cmd, cfg);
	if (status != 0)
		return status;
	status = pace_policy_open(&reading.policy, cfg->policy);
	reading.cfg = cfg;
	sc.reload_ctx = &reading;
	reading.shared = &serve.responder.shared;
	sc.rules = reading.policy.rules;
	if (status == 0 && cfg->check_config)
		status = check_config(cfg, &reading.policy);
	else if (status == 0)
		status = serve_as(cmd, &reading, &serve, &sc);
	pace_policy_close(&reading.policy);
	return status;
}

static const char *const examples[] = {
	"# until Ctrl-C, on the usual port",
	"udpace respond",
	"# on one address, receiving on core 2",
	"udpace respond --bind 10.0.0.2 --cpu 2",
	"# for who has a key: udpace key new NAME -o udpace.keys",
	"udpace respond --keys udpace.keys",
	"# for everybody, within limits of one's own",
	"udpace respond --policy ./guests.ini",
	"# who may (udpace-policy(5)) has its streams captured on eth0 as well",
	"udpace respond --capture eth0 --keys udpace.keys",
	"# for a script: one client, a free port",
	"udpace respond --one-off --port 0",
	NULL
};

const struct pace_cmd pace_cmd_respond = {
	"respond", "answer the probes of other hosts", "", 0, 0,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct respond_cfg), run, NULL,
};
