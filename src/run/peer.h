/*
 * peer.h - the responder that a probe talks to: options, socket, session.
 *
 * Purpose    what throughput, latency and clock share: who, how to reach it,
 *            what to say when that fails.
 * Errors     told on stderr; functions that can fail return an exit status.
 */
#ifndef PACE_RUN_PEER_H
#define PACE_RUN_PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/client.h"
#include "core/err.h"
#include "doc/result.h"
#include "opt/opt.h"
#include "plat/sock.h"

/* Options; every member has its row below. */
struct pace_net_opts {
	int64_t		port, source_port, dscp, ttl, cpu;
	const char	*label, *key;
	bool		ipv4, ipv6, no_wait, quiet, private;
};

#define PACE_NET_AT(cfg, member)	(offsetof(cfg, net) + offsetof(struct pace_net_opts, member))
#define PACE_NET_ROWS(cfg) \
	{ "port", 'u', PACE_OPT_NUM, PACE_NET_AT(cfg, port), PACE_UNIT_COUNT, 1, 65535, \
	    "14233", "PORT", "the responder's UDP port", "Network" }, \
	{ "source-port", 'U', PACE_OPT_NUM, PACE_NET_AT(cfg, source_port), PACE_UNIT_COUNT, \
	    1, 65535, NULL, "PORT", "send from this port", "Network" }, \
	{ "ipv4", '4', PACE_OPT_FLAG, PACE_NET_AT(cfg, ipv4), 0, 0, 0, NULL, NULL, \
	    "IPv4 only", "Network" }, \
	{ "ipv6", '6', PACE_OPT_FLAG, PACE_NET_AT(cfg, ipv6), 0, 0, 0, NULL, NULL, \
	    "IPv6 only", "Network" }, \
	{ "ttl", 0, PACE_OPT_NUM, PACE_NET_AT(cfg, ttl), PACE_UNIT_COUNT, 1, 255, NULL, "N", \
	    "time to live, or hop limit", "Network" }, \
	{ "key", 0, PACE_OPT_STR, PACE_NET_AT(cfg, key), 0, 0, 0, NULL, "FILE", \
	    "show the responder the first key in FILE; FILE:NAME: the one of that name", \
	    "Network" }
#define PACE_DSCP_ROW(cfg) \
	{ "dscp", 'Q', PACE_OPT_DSCP, PACE_NET_AT(cfg, dscp), PACE_UNIT_COUNT, 0, 63, "0", \
	    "DSCP", "code point of every frame, a number or a name", "Network" }
#define PACE_CPU_ROW(cfg, help) \
	{ "cpu", 'a', PACE_OPT_NUM, PACE_NET_AT(cfg, cpu), PACE_UNIT_COUNT, 0, 1023, NULL, \
	    "CORE", help, "Host" }
#define PACE_LEASE_ROWS(cfg) \
	{ "label", 0, PACE_OPT_STR, PACE_NET_AT(cfg, label), 0, 0, PACE_LABEL_SIZE - 1, NULL, \
	    "TEXT", "what waiting clients are told of this one", "Session" }, \
	{ "no-wait", 0, PACE_OPT_FLAG, PACE_NET_AT(cfg, no_wait), 0, 0, 0, NULL, NULL, \
	    "exit 3 at once when another client measures", "Session" }
#define PACE_PRIVATE_ROW(cfg) \
	{ "private", 0, PACE_OPT_FLAG, PACE_NET_AT(cfg, private), 0, 0, 0, NULL, NULL, \
	    "keep facts and counters of this host out of the result", "Output" }
#define PACE_QUIET_ROW(cfg, help) \
	{ "quiet", 'q', PACE_OPT_FLAG, PACE_NET_AT(cfg, quiet), 0, 0, 0, NULL, NULL, \
	    help, "Output" }

/* Two that cannot both be given?  Told. */
bool	pace_net_contradicts(const struct pace_net_opts *net);

struct pace_peer_cfg {
	const char	*host;
	uint16_t	port, source_port;
	int		family;		/* 4, 6, 0: any */
	int		dscp, ttl;	/* ttl 0: the system's */
	int		cpu;		/* -1: any */
	const char	*label;		/* may be NULL */
	const char	*key;		/* FILE or FILE:NAME; NULL: none is shown */
	bool		no_wait, quiet, private;
	bool		fragment;
	bool		has_size, has_fragment;	/* are there such options to hint at? */
	const struct pace_cmd *cmd;
	const void	*opts;		/* of cmd */
	uint32_t	sndbuf_bytes, rcvbuf_bytes;	/* ours; the responder's; 0: the system's */
};

/* What the options say.  cpu is one's own where it was given. */
struct pace_peer_cfg	pace_peer_cfg(const struct pace_cmd *cmd, const void *cfg,
		    const struct pace_net_opts *net, const char *host);

struct pace_peer {
	struct pace_peer_cfg cfg;
	struct pace_addr addr;
	struct pace_sock sock;
	struct pace_counting counting;
	struct pace_client client;
	struct pace_keys keys;		/* client.key is one of them, or NULL */
	bool		told_busy;
	_Atomic bool	*waiting;	/* set while another client measures; may be NULL */
};

/* Resolve and open the socket; nothing is sent.  pace_peer_close always. */
int	pace_peer_open(struct pace_peer *p, const struct pace_peer_cfg *cfg);
void	pace_peer_close(struct pace_peer *p);

/* Who, where and by whom, for the document. */
void	pace_peer_describe(const struct pace_peer *p, struct pace_result *r,
	    const char *kind, int argc, char *const *argv);

/* Get a session: 0 or -errno; a failure is told, and noted in r. */
int	pace_peer_connect(struct pace_peer *p, struct pace_result *r);

/* Tells that --cpu is none that we may have. */
void	pace_peer_no_core(int cpu);

/* On stderr, with a hint; and in a document. */
void	pace_peer_tell(const struct pace_peer *p, const struct pace_err *err);
void	pace_peer_note(struct pace_notes *notes, const struct pace_err *err);

#endif
