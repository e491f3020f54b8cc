/*
 * capture.h - udpace capture: streams of other programs, from an interface or from files.
 *
 * Purpose    does the work of the command once its options are checked.
 * Rights     sources are opened with the rights that udpace has.  It then gives them up, and
 *            only after that reads from the sources.
 * Errors     printed on stderr; returns an exit status.
 */
#ifndef PACE_CAPTURE_CAPTURE_H
#define PACE_CAPTURE_CAPTURE_H

#include "run/peer.h"
#include "run/sink.h"

#define PACE_CAPTURE_FORMATS	"auto|udpace|udpmon|iperf3|iperf2|rtp|spead|vdif|vtp|lofar|plain"

struct capture_cfg {
	struct pace_given given;
	const char	*interface, *user, *sequence;
	int64_t		snap, buffer, duration, count, format;
	bool		between, promiscuous, private, quiet;
	bool		monitor, plain;
	const char	*lines;		/* file for the monitor's lines, NULL: none */
	int64_t		interval_ns;
	struct pace_sink_cfg sink;
};

/* Run the command.  argv: the files, as many as cfg requires, then the words of the filter;
 * all_argv is recorded in the document. */
int	pace_capture_command(const struct capture_cfg *cfg, int argc, char **argv, int all_argc,
	    char **all_argv);

#endif
