/*
 * peer.h - the responder that a probe measures against: options, socket, session.
 *
 * Purpose    the common part of throughput, latency and clock: the responder's address,
 *            the way to reach it, and the error messages if that fails.
 * Errors     an error message on stderr; functions that can fail return an exit status.
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

/* Options; each member has its row below. */
struct pace_net_opts {
	int64_t		port, source_port, dscp, ttl, cpu, sndbuf, rcvbuf;
	int64_t		ecn, flow_label, priority, engine;
	const char	*source, *interface;
	const char	*label, *key, *stamp_key;
	bool		stamp, twamp_light;
	bool		ipv4, ipv6, no_wait, quiet, private;
};

#define PACE_NET_AT(cfg, member) \
	(offsetof(cfg, net) + offsetof(struct pace_net_opts, member))
#define PACE_PORT_ROW(cfg) \
	{ "port", 'u', PACE_OPT_NUM, PACE_NET_AT(cfg, port), PACE_UNIT_COUNT, 1, 65535, \
	    "14233", "PORT", "the responder's UDP port", "Network" }
#define PACE_FAMILY_ROWS(cfg) \
	{ "ipv4", '4', PACE_OPT_FLAG, PACE_NET_AT(cfg, ipv4), 0, 0, 0, NULL, NULL, \
	    "IPv4 only", "Network" }, \
	{ "ipv6", '6', PACE_OPT_FLAG, PACE_NET_AT(cfg, ipv6), 0, 0, 0, NULL, NULL, \
	    "IPv6 only", "Network" }
#define PACE_KEY_ROW(cfg) \
	{ "key", 0, PACE_OPT_STR, PACE_NET_AT(cfg, key), 0, 0, 0, NULL, \
	    "FILE[:NAME]", "authenticate with the first key in FILE, or with that of NAME", \
	    "Network" }
#define PACE_REACH_ROWS(cfg) \
	PACE_FAMILY_ROWS(cfg), \
	{ "ttl", 0, PACE_OPT_NUM, PACE_NET_AT(cfg, ttl), PACE_UNIT_COUNT, 1, 255, NULL, "N", \
	    "time to live, or hop limit", "Network" }, \
	PACE_KEY_ROW(cfg)
#define PACE_NET_ROWS(cfg) \
	PACE_PORT_ROW(cfg), \
	{ "source-port", 'U', PACE_OPT_NUM, PACE_NET_AT(cfg, source_port), PACE_UNIT_COUNT, \
	    1, 65535, NULL, "PORT", "send from this port", "Network" }, \
	PACE_REACH_ROWS(cfg)
/* Where frames leave, and as what. */
#define PACE_SOURCE_ROWS(cfg) \
	{ "source", 0, PACE_OPT_STR, PACE_NET_AT(cfg, source), 0, 0, 0, NULL, "ADDR", \
	    "send from this address of this host", "Network" }, \
	{ "interface", 0, PACE_OPT_STR, PACE_NET_AT(cfg, interface), 0, 0, 15, NULL, "IF", \
	    "send and receive on this interface only", "Network" }
#define PACE_MARK_ROWS(cfg) \
	PACE_SOURCE_ROWS(cfg), \
	{ "ecn", 0, PACE_OPT_CHOICE, PACE_NET_AT(cfg, ecn), 0, 0, PACE_ECNS - 1, "not-ect", \
	    "not-ect|ect1|ect0|ce", "ECN code point of each frame", "Network" }, \
	{ "flow-label", 0, PACE_OPT_NUM, PACE_NET_AT(cfg, flow_label), PACE_UNIT_COUNT, 1, \
	    PACE_FLOW_LABEL_MAX, NULL, "N", "IPv6 flow label of what this host sends", \
	    "Network" }, \
	{ "priority", 0, PACE_OPT_NUM, PACE_NET_AT(cfg, priority), PACE_UNIT_COUNT, 0, INT32_MAX, \
	    NULL, "N", "priority in the queues of this host (SO_PRIORITY)", "Network" }
#define PACE_DSCP_ROW(cfg) \
	{ "dscp", 'Q', PACE_OPT_DSCP, PACE_NET_AT(cfg, dscp), PACE_UNIT_COUNT, 0, 63, "0", \
	    "DSCP", "code point of each frame, a number or a name", "Network" }
#define PACE_STAMP_ROWS(cfg) \
	{ "stamp", 0, PACE_OPT_FLAG, PACE_NET_AT(cfg, stamp), 0, 0, 0, NULL, NULL, \
	    "HOST is a STAMP reflector (RFC 8762), such as a router; --port is then 862 by " \
	    "default", "STAMP" }, \
	{ "twamp-light", 0, PACE_OPT_FLAG, PACE_NET_AT(cfg, twamp_light), 0, 0, 0, NULL, NULL, \
	    "with --stamp: send no session identifier and no extensions", "STAMP" }, \
	{ "stamp-key", 0, PACE_OPT_STR, PACE_NET_AT(cfg, stamp_key), 0, 0, 0, NULL, \
	    "FILE[:NAME]", "with --stamp: authenticated mode with the first secret in FILE, or " \
	    "with that of NAME", "STAMP" }
#define PACE_BUFFER_ROWS(cfg) \
	{ "sndbuf", 0, PACE_OPT_NUM, PACE_NET_AT(cfg, sndbuf), PACE_UNIT_BYTES, 2048, \
	    INT64_C(1) << 30, "16M", "SIZE", "requested size of the send buffer", "Network" }, \
	{ "rcvbuf", 0, PACE_OPT_NUM, PACE_NET_AT(cfg, rcvbuf), PACE_UNIT_BYTES, 2048, \
	    INT64_C(1) << 26, "16M", "SIZE", "requested size of the responder's receive buffer", \
	    "Network" }
enum { PACE_ENGINE_OPTION_SOCKET, PACE_ENGINE_OPTION_PACKET };
#define PACE_ENGINE_ROW(cfg) \
	{ "engine", 0, PACE_OPT_CHOICE, PACE_NET_AT(cfg, engine), 0, 0, 0, "socket", \
	    "socket|packet", "how frames leave: by a UDP socket, or whole, past this host's " \
	    "routing, firewall and queues", "Host" }
#define PACE_CPU_ROW(cfg, help) \
	{ "cpu", 'a', PACE_OPT_NUM, PACE_NET_AT(cfg, cpu), PACE_UNIT_COUNT, 0, 1023, NULL, \
	    "CORE", help, "Host" }
#define PACE_LEASE_ROWS(cfg) \
	{ "label", 0, PACE_OPT_STR, PACE_NET_AT(cfg, label), 0, 0, PACE_LABEL_SIZE - 1, NULL, \
	    "TEXT", "name of this run that waiting clients see", "Session" }, \
	{ "no-wait", 0, PACE_OPT_FLAG, PACE_NET_AT(cfg, no_wait), 0, 0, 0, NULL, NULL, \
	    "do not wait; exit 3 if another client is measuring", "Session" }
#define PACE_PRIVATE_ROW(cfg) \
	{ "no-host-info", 0, PACE_OPT_FLAG, PACE_NET_AT(cfg, private), 0, 0, 0, NULL, NULL, \
	    "leave facts and counters of this host out of the result", "Output" }
#define PACE_QUIET_ROW(cfg, help) \
	{ "quiet", 'q', PACE_OPT_FLAG, PACE_NET_AT(cfg, quiet), 0, 0, 0, NULL, NULL, \
	    help, "Output" }

/* Do two options exclude each other?  If so, prints an error. */
bool	pace_net_contradicts(const struct pace_net_opts *net);

/* The same about options of a command with PACE_STAMP_ROWS; not_stamp: names of options that need
 * a responder of udpace, up to a NULL. */
bool	pace_stamp_contradicts(const struct pace_cmd *cmd, const void *cfg,
	    const struct pace_net_opts *net, const char *const *not_stamp);

/* The same about options of a command with PACE_ENGINE_ROW. */
bool	pace_engine_contradicts(const struct pace_cmd *cmd, const void *cfg,
	    const struct pace_net_opts *net);

/* Is this --size too small for a STAMP request, or one that padding cannot make? */
bool	pace_stamp_size_contradicts(const struct pace_net_opts *net, int64_t size);
void	pace_size_too_small(int64_t size, size_t least);

struct pace_peer_cfg {
	const char	*host;
	uint16_t	port, source_port;
	int		family;		/* 4 or 6; 0: either */
	int		dscp, ttl;	/* ttl 0: the system's default */
	enum pace_ecn	ecn;
	uint32_t	flow_label;	/* 0: the kernel's choice */
	bool		has_priority;	/* else the kernel's choice */
	int		priority;
	const char	*source, *interface;	/* NULL: by the route */
	int		cpu;		/* -1: any core */
	const struct pace_threads *threads;	/* that send several streams, the first on cpu; NULL:
						 * one does */
	const char	*label;		/* may be NULL */
	const char	*key;		/* FILE or FILE:NAME; NULL: use no key */
	bool		stamp, twamp_light;	/* the host is a STAMP reflector */
	const char	*stamp_key;	/* FILE or FILE:NAME; NULL: the open mode */
	bool		no_wait, quiet, private;
	bool		alone;		/* there is no responder: streams are only sent */
	bool		loop;		/* to a group: also to its members on this host */
	bool		light;		/* a light session is enough, as far as known */
	bool		fragment;
	bool		packet;		/* --engine packet */
	bool		receives;	/* this host receives: rcvbuf_bytes is its own */
	int64_t		start_at_ns;	/* begin of the first point, our wall clock; 0: at once */
	char		group[PACE_GROUP_NAME];	/* that begins together; "": none */
	uint32_t	group_size;
	bool		has_size, has_fragment;	/* the command has these options, so hints may
						 * name them */
	const struct pace_cmd *cmd;
	const void	*opts;		/* the options of cmd, parsed */
	uint32_t	sndbuf_bytes, rcvbuf_bytes;	/* our send buffer; the responder's
							 * receive buffer; 0: the system's
							 * default */
};

/* Take the configuration from the options.  cpu becomes this thread's core if --cpu was given. */
struct pace_peer_cfg	pace_peer_cfg(const struct pace_cmd *cmd, const void *cfg,
		    const struct pace_net_opts *net, const char *host);

#define PACE_PEER_BUSY_SIZE	192	/* a label and three numbers */

struct pace_peer {
	struct pace_peer_cfg cfg;
	struct pace_addr addr;
	struct pace_addr source;	/* of --source and --interface; family 0: any */
	struct pace_sock sock;
	struct pace_sock *flow[PACE_STREAMS];	/* of further streams; NULL: none */
	struct pace_warm *warm;
	struct pace_counting counting;
	struct pace_client client;
	struct pace_keys keys;		/* client.key is one of these, or NULL */
	struct pace_stamp_session stamp;	/* of --stamp: client.pinger.stamp */
	struct pace_stamp_keys stamp_keys;	/* stamp.key is one of these, or NULL */
	bool		printed_group;	/* the user knows that the group is incomplete */
	bool		printed_busy;
	_Atomic bool	*waiting;	/* set while another client measures; may be NULL */
};

/* False: complained, control frames do not fit this path's MTU. */
bool	pace_peer_has_room(const struct pace_peer_cfg *cfg, const struct pace_link *link);

/* Resolve the host and open the socket; send nothing.  Call pace_peer_close in any case. */
int	pace_peer_open(struct pace_peer *p, const struct pace_peer_cfg *cfg);
void	pace_peer_close(struct pace_peer *p);

/* Describe command, hosts and addresses in the document. */
void	pace_peer_describe(const struct pace_peer *p, struct pace_result *r,
	    const char *kind, int argc, char *const *argv);

/* Open a session: 0 or -errno.  An error is printed, and noted in r. */
int	pace_peer_connect(struct pace_peer *p, struct pace_result *r);

/* Describe the client that is measuring, how long it may take, and our place in line. */
char	*pace_peer_busy_text(const struct pace_msg_error *who, char *buf, size_t size);

/* Read --cpu LIST: *t gets a thread for each core.  0; -errno after an error message: a core is
 * named twice, or this process may not use it. */
int	pace_peer_threads(const struct pace_list *list, struct pace_threads *t);

/* Print that this process may not use the core of --cpu. */
void	pace_peer_no_core(int cpu);

/* Print an error with a hint on stderr; note an error in the document. */
void	pace_peer_tell(const struct pace_peer *p, const struct pace_err *err);
void	pace_peer_note(struct pace_notes *notes, const struct pace_err *err);

#endif
