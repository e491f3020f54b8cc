/*
 * udpmon.h - print points as UDPmon's tables and histograms, for its users' macros.
 *
 * Streams    the table of udpmon_bw_mon -x: its titles, order, units and separators;
 *            a new table begins when the size changes.
 * Trips      the table of udpmon_req, one row a size.
 * Histograms those of -H: a head, then edge ; count of every bin.
 * Values     by our definitions, in UDPmon's units; udpace-export(1) lists the
 *            differences.  A value that we do not measure, or did not, is an empty
 *            cell.
 * Titles     are aligned with the values; UDPmon's own titles lack one cell after the
 *            cores of each host.  Only the session's interface is printed.
 * Exact      a histogram is written only if each of our bins lies within one bin
 *            of UDPmon's grid.
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

/* One configuration for all points of a result. */
struct pace_udpmon_cfg {
	bool		hists;		/* -H */
	bool		ipv6;
	uint32_t	ours, theirs;	/* cores of the client's host, of the responder's */
};

/* Enlarge ours and theirs to the cores of p. */
void	pace_udpmon_widen(struct pace_udpmon_cfg *cfg, const struct pace_point *p);

/* Print the line with which UDPmon describes itself. */
int	pace_udpmon_head(FILE *f, const struct pace_result *r);

/* Print a row, after titles if size_bytes differs from size_before (0: no row before).
 * *left_out: the histogram of times could not be written. */
int	pace_udpmon_stream(FILE *f, const struct pace_udpmon_cfg *cfg, const struct pace_point *p,
	    uint32_t size_before, bool *left_out);

int	pace_udpmon_rtt_head(FILE *f);
int	pace_udpmon_rtt(FILE *f, const struct pace_udpmon_cfg *cfg, const struct pace_latency *p,
	    bool *left_out);

#endif
