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

#include "cli/sink.h"
#include "doc/result.h"

struct pace_probe_cfg {
	const char	*host;
	uint16_t	port, source_port;
	int		family;		/* 4, 6, 0: any */
	int		dscp, ttl;	/* ttl 0: the system's */
	bool		fragment;
	uint32_t	vlan_tags;
	uint32_t	sndbuf_bytes, rcvbuf_bytes;
	bool		sndbuf_given, rcvbuf_given;	/* then a clamped one is a failure */
	int		cpu;		/* -1: any */
	const char	*label;		/* may be NULL */
	bool		no_wait, quiet;
	double		max_loss;	/* ratio; negative: no limit */
	double		min_rate_bps;	/* 0: no limit */
	struct pace_sink_cfg sink;
	bool		size_given;	/* else a size too large for the path is cut to fit */
	struct pace_ask	*asks;
	size_t		n;
	int		argc;		/* the whole command line, for the document */
	char		**argv;
};

/* The exit status.  What went wrong has been told. */
int	pace_probe_run(const struct pace_probe_cfg *cfg);

#endif
