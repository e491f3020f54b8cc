/*
 * udpmon.h - points as the tables and histograms that UDPmon prints, for the
 * macros of its users.
 *
 * Streams    the table of udpmon_bw_mon -x: its titles, its order, its units,
 *            its separators; a new one when the size changes.
 * Trips      the table of udpmon_req, one row a size.
 * Histograms those of -H: a head, then edge ; count of every bin.
 * Values     ours, by our definitions, in UDPmon's units: udpace-export(1) tells
 *            the differences.  What we do not measure, or did not, is an empty
 *            cell.
 * Titles     stand above the values: UDPmon's own have one cell less behind the
 *            cores of each host.  Of the interfaces the session's is told.
 * Exact      bins of UDPmon's grid are filled only if no bin of ours lies across
 *            an edge of it: else the histogram is not written.
 * Errors     0 or -errno of the stream.
 * Source     udpmon_bw_mon.c, udpmon_req.c, hist.c, CPUStat.c, net_snmp.c of
 *            UDPmon (R. Hughes-Jones).
 */
#ifndef PACE_OUT_UDPMON_H
#define PACE_OUT_UDPMON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "doc/latency.h"
#include "doc/result.h"

/* The same for all points of a result. */
struct pace_udpmon_cfg {
	bool		hists;		/* -H */
	bool		ipv6;
	uint32_t	ours, theirs;	/* cores of the client's host, of the responder's */
};

/* cfg to have room for p's cores. */
void	pace_udpmon_widen(struct pace_udpmon_cfg *cfg, const struct pace_point *p);

/* UDPmon's line about itself. */
int	pace_udpmon_head(FILE *f, const struct pace_result *r);

/* Titles first when size_bytes is not that of the row before (0: there is none).
 * *left_out: the histogram of times could not be written. */
int	pace_udpmon_stream(FILE *f, const struct pace_udpmon_cfg *cfg, const struct pace_point *p,
	    uint32_t size_before, bool *left_out);

int	pace_udpmon_rtt_head(FILE *f);
int	pace_udpmon_rtt(FILE *f, const struct pace_udpmon_cfg *cfg, const struct pace_latency *p,
	    bool *left_out);

#endif
