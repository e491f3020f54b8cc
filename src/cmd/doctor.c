#include "config.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmds.h"
#include "core/rates.h"
#include "doc/checkup.h"
#include "doc/result_doc.h"
#include "out/checkup_text.h"
#include "out/say.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/facts.h"
#include "plat/packet.h"
#include "plat/root.h"
#include "run/peer.h"
#include "run/stop.h"

#define SPIN_NS		(500 * PACE_MS)
#define TRIES		3		/* requests of each size */
#define TRY_NS		(20 * PACE_MS)	/* time from one request to the next */
#define PATIENCE_NS	(300 * PACE_MS)
#define SURE		512		/* bytes: the session was opened with frames of this size */

struct doctor_cfg {
	struct pace_given given;
	struct pace_net_opts net;
	const char	*interface;
	bool		fix, json;
};

#define AT(field)	offsetof(struct doctor_cfg, field)

static const struct pace_opt opts[] = {
	{ "interface", 'i', PACE_OPT_STR, AT(interface), 0, 0, 15, NULL, "NAME",
	    "interface to check; without it, the one towards HOST, or of the default "
	    "route", "Host" },
	PACE_CPU_ROW(struct doctor_cfg, "core that the client will run on"),
	PACE_NET_ROWS(struct doctor_cfg),
	PACE_DSCP_ROW(struct doctor_cfg),
	{ "fix", 0, PACE_OPT_FLAG, AT(fix), 0, 0, 0, NULL, NULL,
	    "print a script that applies the settings and restores the old ones; run "
	    "nothing", "Output" },
	{ "json", 0, PACE_OPT_FLAG, AT(json), 0, 0, 0, NULL, NULL,
	    "print a result document of kind doctor", "Output" },
	PACE_QUIET_ROW(struct doctor_cfg, "print no notices"),
};

struct doctor {
	const struct doctor_cfg *cfg;
	struct pace_peer peer;
	struct pace_result result;
	struct pace_checkup c;
	bool		failed;		/* HOST could not be reached */
};

/* --- the path ---------------------------------------------------------------------- */

/* Do requests of this size return?  1, 0, or -errno. */
static int
passes(struct doctor *d, uint32_t size, struct pace_err *err)
{
	struct pace_latency *p = pace_latency_new();
	int rc;

	if (p == NULL)
		return pace_fail(err, ENOMEM, "path");
	p->ask = (struct pace_latency_params){ .size_bytes = size, .reply_bytes = size,
	    .count = TRIES, .interval_ns = TRY_NS, .timeout_ns = PATIENCE_NS };
	rc = pace_client_latency(&d->peer.client, p, err);
	if (rc == 0 || rc == -EMSGSIZE || p->received > 0)	/* a size that this host cannot
								 * send is too large */
		rc = p->received > 0;
	free(p);
	return rc;
}

/* Find the largest size that passes, by bisection: 0, or -errno. */
static int
largest(struct doctor *d, uint32_t high, uint32_t *passed, struct pace_err *err)
{
	uint32_t low = SURE;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		int rc = passes(d, middle, err);

		if (pace_stop != 0)
			return pace_fail(err, EINTR, "stopped");
		if (rc < 0)
			return rc;
		*(rc > 0 ? &low : &high) = middle;
	}
	*passed = low;
	return 0;
}

static uint32_t
path_mtu(const struct doctor *d)
{
	int mtu = pace_sock_mtu(&d->peer.sock, d->peer.addr.family);

	return mtu > 0 ? (uint32_t)mtu : 1500;
}

static void
try_path(struct doctor *d, struct pace_path_trial *t)
{
	struct pace_link link = { .family = d->peer.addr.family };
	struct pace_err err = { .code = 0 };
	uint32_t high;
	int rc;

	(void)pace_host_knows(&d->c.client, PACE_FACT_MTU, &t->near_mtu);
	(void)pace_host_knows(&d->c.responder, PACE_FACT_MTU, &t->far_mtu);
	link.mtu = path_mtu(d);
	t->asked = high = pace_payload_max(&link);
	rc = passes(d, t->asked, &err);
	t->mtu = path_mtu(d);		/* a reply may have reported the MTU */
	t->mtu_reported = t->near_mtu > 0 && (int64_t)t->mtu < t->near_mtu;
	if (rc > 0) {
		t->passed = t->asked;
	} else if (rc == 0 && t->asked > SURE) {
		link.mtu = t->mtu;
		if (pace_payload_max(&link) < high)
			high = pace_payload_max(&link) + 1;
		rc = largest(d, high, &t->passed, &err);
	}
	if (rc < 0) {
		snprintf(t->why, sizeof(t->why), "%.95s", rc == -EBUSY ? "another client is "
		    "measuring" :
		    pace_err_why(&err));
		d->failed |= rc != -EBUSY;
	}
}

static void
look_there(struct doctor *d)
{
	struct pace_path_trial path = { .asked = 0 };
	struct pace_trial t = { .cpu = -1, .has_clock = true };
	struct pace_checkup *c = &d->c;

	if (pace_peer_connect(&d->peer, &d->result) < 0) {
		d->failed = true;
		return;
	}
	c->responder = d->peer.client.responder;
	t.clock = d->peer.client.their_clock;
	c->of[PACE_RESPONDER_HOST].looked = true;
	if (pace_host_tells(&c->responder))
		c->of[PACE_RESPONDER_HOST].n = pace_doctor_host(c->of[PACE_RESPONDER_HOST].v,
		    &c->responder, &t);
	else
		c->of[PACE_RESPONDER_HOST].n = pace_doctor_private(
		    c->of[PACE_RESPONDER_HOST].v);
	try_path(d, &path);
	pace_client_close(&d->peer.client);
	c->of[PACE_THE_PATH].looked = true;
	c->of[PACE_THE_PATH].n = pace_doctor_path(c->of[PACE_THE_PATH].v, &path);
}

/* --- this host ------------------------------------------------------------------------ */

static void
look_here(struct doctor *d, const char *interface)
{
	const char *root = pace_root_default();
	struct pace_trial t = { .cpu = d->peer.cfg.cpu };
	struct pace_checkup *c = &d->c;

	pace_facts_read(&c->client, root, interface, false);
	if (pace_root_is_real(root)) {
		int64_t now = pace_clock_raw();

		pace_facts_host_name(d->result.host);
		pace_packet_fact(&c->client);
		t.spun = t.has_clock = true;
		t.spin_ns = SPIN_NS;
		(void)pace_clock_wait_until(now + SPIN_NS, 2 * SPIN_NS, &t.stalls, &pace_stop);
		pace_clock_state(&t.clock);
	}
	c->of[PACE_CLIENT_HOST].looked = true;
	c->of[PACE_CLIENT_HOST].n = pace_doctor_host(c->of[PACE_CLIENT_HOST].v, &c->client, &t);
	d->result.client = c->client;
}

/* --- output ----------------------------------------------------------------------------- */

static int
tell_json(struct doctor *d)
{
	char *points[PACE_PATIENTS * PACE_FINDINGS];
	size_t n = 0;
	int rc;

	for (int p = 0; p < PACE_PATIENTS; p++)
		for (int i = 0; i < d->c.of[p].n; i++) {
			points[n] = pace_result_dump(pace_finding_to_json((enum pace_patient)p,
			    &d->c.of[p].v[i]), NULL);
			if (points[n] != NULL)
				n++;
		}
	rc = pace_result_write_with(stdout, &d->result, NULL, points, n);
	while (n > 0)
		free(points[--n]);
	return rc;
}

static int
tell(struct doctor *d)
{
	int rc = d->cfg->json ? tell_json(d) : d->cfg->fix ? pace_checkup_script(stdout, &d->c) :
	    pace_checkup_text(stdout, &d->c, pace_say_utf8());

	if (rc < 0)
		return PACE_EXIT_NO_RESULT;	/* the close of standard output reports errors */
	if (pace_stop != 0)
		return pace_stop_status();
	if (d->failed)
		return PACE_EXIT_NO_RESULT;
	return pace_checkup_count(&d->c, PACE_LEVEL_BAD) > 0 ? PACE_EXIT_NOT_USABLE : PACE_EXIT_OK;
}

/* Find an interface that exists: the given one, the one towards HOST, or that of the default
 * route. */
static int
choose_interface(const struct doctor *d, char interface[16])
{
	const char *given = d->cfg->interface, *root = pace_root_default();

	if (given == NULL) {
		snprintf(interface, 16, "%.15s", d->peer.counting.route);
		if (interface[0] == '\0')
			pace_facts_default_route(root, interface);
		return PACE_EXIT_OK;
	}
	snprintf(interface, 16, "%.15s", given);
	if (given[0] != '\0' && (!pace_root_is_real(root) || if_nametoindex(given) != 0))
		return PACE_EXIT_OK;
	pace_complain("--interface: this host has no '%s'", given);
	return PACE_EXIT_USAGE;
}

/* Here the checks of the hosts become findings, not notes. */
static void
drop_notes(struct pace_notes *n)
{
	int kept = 0;

	for (int i = 0; i < n->n; i++)
		if (strncmp(n->v[i].code, "client_", 7) != 0 &&
		    strncmp(n->v[i].code, "responder_", 10) != 0)
			n->v[kept++] = n->v[i];
	n->n = kept;
}

static int
examine(struct doctor *d, const struct pace_peer_cfg *peer, int argc, char **argv)
{
	const char *root = pace_root_default();
	char interface[16];
	int rc = PACE_EXIT_OK;

	if (!pace_root_is_real(root) && access(root, R_OK | X_OK) != 0) {
		pace_complain(PACE_ROOT_ENV ": '%s': %s", root, strerror(errno));
		return PACE_EXIT_USAGE;
	}
	d->peer.cfg = *peer;
	if (peer->host != NULL) {
		rc = pace_peer_open(&d->peer, peer);
		d->failed = rc == PACE_EXIT_NO_RESULT;	/* this host is checked in any case */
		rc = d->failed ? PACE_EXIT_OK : rc;
	}
	if (rc == PACE_EXIT_OK && (peer->host == NULL || d->failed) && peer->cpu >= 0 &&
	    pace_affinity_pin(peer->cpu) < 0) {
		pace_peer_no_core(peer->cpu);
		rc = PACE_EXIT_USAGE;
	}
	if (rc == PACE_EXIT_OK)
		rc = choose_interface(d, interface);
	if (rc != PACE_EXIT_OK)
		return rc;
	if (peer->host != NULL)
		pace_peer_describe(&d->peer, &d->result, "doctor", argc, argv);
	d->result.kind = "doctor";
	d->result.argc = argc;
	d->result.argv = argv;
	pace_clock_rfc3339(pace_clock_wall(), d->result.started, sizeof(d->result.started));
	snprintf(d->c.made, sizeof(d->c.made), "%s", d->result.started);
	snprintf(d->c.target, sizeof(d->c.target), "%s", d->result.target);
	pace_stop_catch();
	look_here(d, interface);
	if (peer->host != NULL && !d->failed && pace_stop == 0)
		look_there(d);
	drop_notes(&d->result.notes);
	d->result.interrupted = pace_stop != 0;
	return tell(d);
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct doctor_cfg *cfg = arg;
	struct pace_peer_cfg peer = pace_peer_cfg(cmd, cfg, &cfg->net, argc > 0 ? argv[0] : NULL);
	struct doctor *d;
	int status;

	if (pace_net_contradicts(&cfg->net))
		return PACE_EXIT_USAGE;
	if (cfg->fix && cfg->json) {
		pace_complain("%s: --fix and --json exclude each other: both write to standard "
		    "output", cmd->name);
		return PACE_EXIT_USAGE;
	}
	peer.no_wait = true;		/* do not disturb a running measurement */
	d = calloc(1, sizeof(*d));
	if (d == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	d->cfg = cfg;
	d->peer.sock.fd = -1;
	status = examine(d, &peer, all_argc, all_argv);
	if (peer.host != NULL)
		pace_peer_close(&d->peer);
	free(d);
	return status;
}

static const char *const examples[] = {
	"# what spoils measurements on this host?",
	"udpace doctor",
	"# also check the path to hostb, and hostb itself",
	"udpace doctor hostb",
	"# the settings as a script: sh tune.sh set, sh tune.sh restore",
	"udpace doctor hostb --fix >tune.sh",
	NULL
};

const struct pace_cmd pace_cmd_doctor = {
	"doctor", "find what on hosts and path spoils measurements, and the cure", "[HOST]", 0, 1,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct doctor_cfg), run, NULL,
};
