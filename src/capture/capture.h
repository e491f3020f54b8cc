/*
 * capture.h - udpace capture and udpace receive: streams of other programs, from an interface,
 *             from files, or from a socket.
 *
 * Purpose    does the work of the command once its options are checked.
 * Rights     sources are opened with the rights that udpace has.  It then gives them up, and
 *            only after that reads from the sources.
 * Errors     printed on stderr; returns an exit status.
 */
#ifndef PACE_CAPTURE_CAPTURE_H
#define PACE_CAPTURE_CAPTURE_H

#include "opt/opt.h"
#include "run/peer.h"
#include "run/sink.h"

#define PACE_CAPTURE_FORMATS	"auto|udpace|udpmon|iperf3|iperf2|rtp|spead|vdif|vtp|lofar|plain"

struct capture_cfg {
	struct pace_given given;
	const char	*interface, *user, *sequence, *join;
	const char	*port;		/* of receive: [ADDR:]PORT; NULL: libpcap reads frames */
	int64_t		snap, buffer, duration, count, format, message, rcvbuf;
	bool		rcvbuf_given;	/* a smaller buffer is a fault then */
	bool		pair, promiscuous, private, quiet;
	bool		monitor, plain;
	const char	*record;	/* file for each frame, NULL: none */
	const char	*lines;		/* file for the monitor's lines, NULL: none */
	int64_t		interval_ns;
	struct pace_sink_cfg sink;
};

/* Options of capture and receive. */
#define CAPTURE_AT(field)	offsetof(struct capture_cfg, field)
#define CAPTURE_JOIN_ROW(help) \
	{ "join", 0, PACE_OPT_STR, CAPTURE_AT(join), 0, 0, 0, NULL, "GROUP[,SOURCE]", help, "Live" }
#define CAPTURE_USER_ROW \
	{ "user", 0, PACE_OPT_STR, CAPTURE_AT(user), 0, 0, 0, NULL, "NAME", \
	    "run as this user once the source is open", "Live" }
#define CAPTURE_MONITOR_ROWS \
	{ "monitor", 0, PACE_OPT_FLAG, CAPTURE_AT(monitor), 0, 0, 0, NULL, NULL, \
	    "show flows and their loss live", "Monitor" }, \
	{ "interval", 0, PACE_OPT_NUM, CAPTURE_AT(interval_ns), PACE_UNIT_SEC, \
	    INT64_C(100000000), INT64_C(60000000000), "1s", "TIME", \
	    "of --monitor: time from one update to the next", "Monitor" }, \
	{ "plain", 0, PACE_OPT_FLAG, CAPTURE_AT(plain), 0, 0, 0, NULL, NULL, \
	    "of --monitor: one line per flow and interval, no screen", "Monitor" }, \
	{ "monitor-jsonl", 0, PACE_OPT_STR, CAPTURE_AT(lines), 0, 0, 0, NULL, "FILE", \
	    "of --monitor: record the display, for udpace monitor --replay", "Monitor" }
#define CAPTURE_LENGTH_ROWS(end) \
	{ "duration", 't', PACE_OPT_NUM, CAPTURE_AT(duration), PACE_UNIT_SEC, 1000000, \
	    INT64_C(1000000000000000), NULL, "TIME", end, "Length" }, \
	{ "count", 'l', PACE_OPT_NUM, CAPTURE_AT(count), PACE_UNIT_COUNT, 1, INT64_MAX, NULL, "N", \
	    "end after this number of frames", "Length" }
#define CAPTURE_PAYLOAD_ROWS \
	{ "format", 0, PACE_OPT_CHOICE, CAPTURE_AT(format), 0, 0, 0, "auto", \
	    PACE_CAPTURE_FORMATS, "format of all payloads, instead of recognising it", \
	    "Payload" }, \
	{ "sequence", 0, PACE_OPT_STR, CAPTURE_AT(sequence), 0, 0, 0, NULL, "RULE", \
	    "position of sequence numbers: OFFSET:BYTES:big|little[:MODULUS]", "Payload" }, \
	{ "message", 0, PACE_OPT_NUM, CAPTURE_AT(message), PACE_UNIT_COUNT, 2, \
	    INT64_C(1000000000000), NULL, "N", \
	    "every N numbers are a message, whatever the format says", "Payload" }
#define CAPTURE_OUTPUT_ROWS \
	PACE_SINK_ROWS(struct capture_cfg, "text", "a stream"), \
	PACE_SHORT_ROWS(struct capture_cfg), \
	{ "no-host-info", 0, PACE_OPT_FLAG, CAPTURE_AT(private), 0, 0, 0, NULL, NULL, \
	    "leave facts of this host out of the result", "Output" }, \
	{ "quiet", 'q', PACE_OPT_FLAG, CAPTURE_AT(quiet), 0, 0, 0, NULL, NULL, \
	    "print no progress and no notices", "Output" }, \
	{ "verbose", 'v', PACE_OPT_FLAG, CAPTURE_AT(sink.detail), 0, 0, 0, NULL, NULL, \
	    "print a block with more figures for each stream", "Output" }

/* Do options of these rows exclude each other?  If so, prints an error. */
bool	pace_capture_contradicts(const struct pace_cmd *cmd, const struct capture_cfg *cfg);

/* Run the command.  argv: the files, as many as cfg requires, then the words of the filter;
 * all_argv is recorded in the document. */
int	pace_capture_command(const struct capture_cfg *cfg, int argc, char **argv, int all_argc,
	    char **all_argv);

#endif
