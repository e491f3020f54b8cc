/*
 * report_data.h - what a report is of: results read back, as much of them as figures need.
 *
 * Purpose    every figure and every number of a report comes from here.
 * Runs       one for each file given, in that order.  A run has points of one
 *            kind: streams, round trips or clocks.  Streams of a capture have no
 *            sender's side: what was sent is then what arrived and what is missing.
 * Repeated   points of the same size, spacing and code point are kept apart;
 *            sweep.h puts them together.
 * Trust      documents and records are hostile until read; everything is checked
 *            on reading.  Texts are clean of control characters and of broken UTF-8,
 *            and need escaping for what they are put into.
 * Units      in the names, as in result.h.
 * Memory     pace_report_data_free.
 */
#ifndef PACE_REPORT_REPORT_DATA_H
#define PACE_REPORT_REPORT_DATA_H

#include <jansson.h>

#include "core/err.h"
#include "doc/capture.h"
#include "doc/latency.h"
#include "doc/record_file.h"
#include "doc/result_doc.h"
#include "report/bins.h"

/* Copied, no longer than there are. */
struct pace_remarks {
	int			n;
	struct pace_note	*v;
};

/* Every kind of point: when, and which of its repetitions. */
struct pace_origin {
	char		started[40];	/* RFC 3339; "": not told */
	uint64_t	repeat;		/* from 0 */
	int		dscp;		/* -1: not told */
};

struct pace_stream_point_tx {
	uint64_t	frames, bytes, late_frames, refused, slips, skipped, preempted;
	int64_t		duration_ns;
	double		user_rate_bps, wire_rate_bps;	/* 0: not told */
	enum pace_stamp	stamp;
	struct pace_bins gap, gap_error, stack;
};

struct pace_stream_point_rx {
	uint64_t	frames, unique, bytes, duplicates, corrupt, socket_drops, lost;
	uint64_t	reordered, beyond_window, window;
	uint64_t	free_runs, free_sum, free_sumsq;
	int64_t		duration_ns;
	double		user_rate_bps, wire_rate_bps;	/* 0: not told */
	uint32_t	rcvbuf_granted;
	enum pace_stamp	stamp;
	bool		has_owd;
	double		jitter_ns;	/* of ipdv.stats.n > 0 */
	struct pace_bins gap, gap_error, runs, distances, good_runs, extent, late_ns;
	struct pace_bins owd, owd_scheduled, pdv, ipdv;
};

/* What a host counted around a point; its cores are reduced to the busiest one. */
struct pace_host_load {
	struct pace_counters c;		/* without cores */
	uint32_t	cores;		/* that there were */
	bool		has_busiest;
	struct pace_core_use busiest;	/* the one that was idle least */
};

/* A stream. */
struct pace_stream_point {
	struct pace_params	ask;
	struct pace_origin origin;
	size_t		index;		/* in the document */
	enum pace_verdict verdict;
	bool		interrupted, has_rx, ipv6, owd_relative;
	bool		heaped;		/* of a capture: lost is told by bytes of heaps */
	double		heap_frames, heap_ratio;	/* as many frames as these, of all */
	char		name[120];	/* of a capture: whose it is, for people; "": asked for here */
	bool		numbered;	/* of a capture: loss and order are known */
	struct pace_stream_point_tx tx;
	struct pace_stream_point_rx rx;		/* of has_rx */
	struct pace_ledger ledger;
	struct pace_host_load ours, theirs;
	struct pace_clock clock;
	struct pace_remarks remarks;
};

/* Round trips. */
struct pace_rtt_point {
	struct pace_latency_params ask;
	struct pace_origin origin;
	size_t		index;
	enum pace_verdict verdict;
	bool		interrupted;
	uint64_t	sent, refused, received, timeouts, late_replies, duplicates;
	uint64_t	late_requests, unstamped;
	int64_t		duration_ns;
	struct pace_bins rtt, kernel, network, residence;	/* ns */
	struct pace_remarks remarks;
};

/* A point that could not be measured. */
struct pace_failed {
	uint32_t	size_bytes;
	int		dscp;		/* -1: not told */
	double		spacing_ns;
	char		reason[256];
};

struct pace_run {
	char		*file;		/* as given */
	char		*name;		/* its last part, cleaned, for people */
	struct pace_head head;
	json_t		*extra;		/* the document without "points" */
	size_t		n, trips, clocks, failures;
	size_t		skipped;	/* points at the user's wish */
	size_t		strange;	/* points of a kind that is not known here */
	struct pace_stream_point *point;
	struct pace_rtt_point *trip;
	struct pace_clock *clock;
	struct pace_failed *failed;
	bool		seen;		/* a capture: streams of others */
	struct pace_capture capture;	/* of it */
	bool		whole;		/* not interrupted, and its end is there */
	size_t		torn;		/* lines of it that were cut off */
	struct pace_record_file *records;	/* of this run; NULL: none */
};

struct pace_report_data {
	size_t		n, record_files;
	struct pace_run	**run;
	struct pace_record_file *records;
};

/* A file more: a document, JSON lines, or frame records, which must come behind the
 * result that they belong to.  The book is zeroed at first, and as it was after a failure. */
int	pace_report_data_add(struct pace_report_data *b, const char *path, struct pace_err *err);
/* Idempotent. */
void	pace_report_data_free(struct pace_report_data *b);

/* Does any of its streams know its one-way delays? */
bool	pace_run_has_delays(const struct pace_run *r);

/* Bytes on the line of one datagram of the stream: as its rates tell, else by IPv4 or IPv6
 * without a tag. */
double	pace_stream_point_wire_bytes(const struct pace_stream_point *l);

/* The rate of the slower one of the two interfaces; 0: not known. */
double	pace_run_line_bps(const struct pace_run *r);

#endif
