/*
 * latency.h - round trips over TCP, beside those over UDP: udpace tcp --request.
 *
 * Purpose    the points, the table and the document are those of udpace latency; each size has a
 *            point over UDP, if a datagram of it fits the path, and one over TCP.
 */
#ifndef PACE_CMD_LATENCY_H
#define PACE_CMD_LATENCY_H

#include "core/tcp.h"
#include "opt/call.h"
#include "run/peer.h"
#include "run/sink.h"

struct pace_requests {
	const struct pace_cmd *cmd;
	const void	*opts;		/* the options of cmd, parsed */
	const struct pace_net_opts *net;
	const struct pace_sink_cfg *sink;
	const struct pace_list *size;
	int64_t		reply_size, count;	/* reply_size 0: that of the request */
	bool		dry_run;
	struct pace_tcp_params how;	/* options of the connections */
};

/* Measure, and return the exit status. */
int	pace_requests_run(const struct pace_requests *q, const char *host, int argc,
	    char *const *argv);

#endif
