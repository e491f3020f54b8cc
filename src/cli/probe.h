/*
 * probe.h - measure a plan of points against a host and tell the result.
 *
 * Purpose    what throughput and demo share: socket, session, points one
 *            after the other, outputs, exit status.
 */
#ifndef PACE_PROBE_H
#define PACE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/peer.h"
#include "cli/sink.h"
#include "doc/result.h"

struct pace_probe_cfg {
	struct pace_peer_cfg peer;
	uint32_t	vlan_tags;
	bool		sndbuf_given, rcvbuf_given;	/* then a clamped one is a failure */
	bool		energy;		/* wanted above idle: 5 s of that come first */
	double		max_loss;	/* ratio; negative: no limit */
	double		min_rate_bps;	/* 0: no limit */
	struct pace_sink_cfg sink;
	const char	*record;	/* file for the frames that asks want kept; NULL: none */
	bool		size_given;	/* else a size too large for the path is cut to fit */
	struct pace_ask	*asks;
	size_t		n;
	int		argc;		/* the whole command line, for the document */
	char		**argv;
};

/* The exit status.  What went wrong has been told. */
int	pace_probe_run(const struct pace_probe_cfg *cfg);

#endif
