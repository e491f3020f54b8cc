/*
 * report_data.h - the data of a report: results read back, as far as figures need them.
 *
 * Purpose    every figure and every number of a report comes from here.
 * Runs       one for each file, in the given order; two for a file with two-way points: up
 *            and down.  A run has points of one kind: streams, round trips or clocks.  Streams of a capture have no
 *            sender: received plus missing frames then count as sent.
 * Repeated   points of the same size, spacing and code point are kept separately;
 *            sweep.h combines them.
 * Trust      documents and records are hostile: everything is checked when it is
 *            read.  Texts have no control characters and no broken UTF-8 but
 *            must be escaped before they are written into anything.
 * Units      in the names, as in result.h.
 * Memory     pace_report_data_free.  Streams and round trips are not the document's structs: one
 *            stream is 1.5 MB there, with 21 histograms.  Even if only pages that are not zero
 *            count, it would take 160 to 220 KB more; here it takes 10 to 40 KB, and a campaign
 *            has thousands.
 */
#ifndef PACE_REPORT_REPORT_DATA_H
#define PACE_REPORT_REPORT_DATA_H

#include <jansson.h>

#include "core/err.h"
#include "doc/capture.h"
#include "doc/latency.h"
#include "doc/record_file.h"
#include "doc/tcp.h"
#include "doc/result_doc.h"
#include "report/bins.h"

/* A copy of a point's notes, without unused room. */
struct pace_remarks {
	int			n;
	struct pace_note	*v;
};

/*
 * A stream: the document's structs, but of the results of both ends only what figures show,
 * with histograms as lists.
 */
struct pace_stream_point {
	struct pace_params	ask;
	char		started[40];	/* RFC 3339; "": not known */
	struct pace_begin begin;
	size_t		index;		/* in the document */
	enum pace_verdict verdict;
	bool		has_rx, ipv6, owd_relative;
	struct {
		uint64_t	frames;
		int64_t		duration_ns;			/* first to last departure */
		double		user_rate_bps, wire_rate_bps;	/* 0: unknown */
		struct pace_bins gap_error, left_error;	/* left: of stamped gaps */
	} tx;
	struct {			/* valid if has_rx */
		uint64_t	frames, unique, duplicates, lost, reordered;
		double		user_rate_bps, wire_rate_bps;	/* 0: unknown */
		bool		has_owd;
		struct pace_bins gap, gap_error, runs, loss_distances, extent, owd, pdv;
	} rx;
	struct pace_ledger ledger;
	struct pace_counters sender, receiver;	/* of the hosts, around the run */
	struct pace_clock clock;
	double		departed_near;		/* departures.h's share; NAN: not known */
	struct pace_intervals *intervals;	/* NULL: none */
	struct pace_remarks remarks;
	/* the streams of a point that has several */
	uint32_t	parts;
	struct pace_part { double user_bps, lost_percent; } *part;
	/* streams of a capture */
	char		name[120];	/* the flow, for people; "": not of a capture */
	bool		numbered;	/* loss and order are known */
	struct pace_seen_heaps heaps;
};

/* Round trips. */
struct pace_rtt_point {
	struct pace_latency_params ask;
	size_t		index;
	uint64_t	sent, received, timeouts;
	struct pace_bins rtt;		/* ns */
	struct pace_remarks remarks;
};

/* A point that failed. */
struct pace_failed {
	uint32_t	size_bytes, streams;
	int		dscp;		/* -1: not known */
	double		spacing_ns;
	char		reason[256];
};

struct pace_run {
	char		*file;		/* as given */
	char		*name;		/* last part of file, cleaned, for people */
	struct pace_head head;
	json_t		*extra;		/* the document without "points" */
	size_t		n, trips, clocks, failures;
	size_t		skipped;	/* points that the user skipped */
	size_t		strange;	/* points of an unknown kind */
	struct pace_stream_point *point;
	struct pace_rtt_point *trip;
	struct pace_clock *clock;
	struct pace_failed *failed;
	size_t		tcps;
	struct pace_tcp_point **tcp;
	bool		tcp_down;	/* the direction of them that counts here */
	bool		tcp_borrowed;	/* they belong to the run of the other direction */
	bool		over_tcp;	/* the round trips over TCP; those over UDP are the run before */
	bool		seen;		/* a capture: streams of other applications */
	struct pace_capture capture;	/* valid if seen */
	bool		whole;		/* not interrupted, and the file is complete */
	size_t		torn;		/* lines of the file that were cut off */
	struct pace_record_file *records;	/* records of this run; may be NULL */
	const struct pace_run *other;	/* of two runs, the first has the second */
};

struct pace_report_data {
	size_t		n, record_files;
	struct pace_run	**run;
	struct pace_record_file *records;
};

/* Add a file: a document, JSON lines, or frame records, which must follow the result they
 * belong to.  b is zeroed before the first call and unchanged after a failure. */
int	pace_report_data_add(struct pace_report_data *b, const char *path, struct pace_err *err);
/* Release everything; may be called again. */
void	pace_report_data_free(struct pace_report_data *b);

/* Return whether any stream of the run has one-way delays. */
bool	pace_run_has_delays(const struct pace_run *r);

/* Return whether streams of more than one spacing were requested. */
bool	pace_run_has_sweep(const struct pace_run *r);

/* Return whether the frames of the run come from the responder. */
bool	pace_run_is_down(const struct pace_run *r);

/* Return whether these records are of a point of this run: a file has those of both directions. */
bool	pace_run_has_records(const struct pace_run *r, const struct pace_record_run *one);

/* Return the bytes of one frame on the line: from the ratio of its rates, else for IPv4 or
 * IPv6 without a VLAN tag. */
double	pace_stream_point_wire_bytes(const struct pace_stream_point *l);

/* Return the rate of the slower interface; 0: not known. */
double	pace_run_line_bps(const struct pace_run *r);

#endif
