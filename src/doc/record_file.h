/*
 * record_file.h - a file of frame records: throughput --record writes it,
 *                 export reads it.
 *
 * Shape      8 bytes "UDPACER1"; length of the header in bytes, 32 bits big-
 *            endian; the header, one JSON object; then for each run the
 *            columns of record.h, big-endian, n records each; no more data.
 *            { "schema": "udpace-records/1", "version", "started",
 *              "command": [...], "runs": [ { "point": index, "stream", "size_bytes",
 *              "spacing_ns", "skip", "lost_only", "records": n, "missed": n,
 *              "sent": n,
 *              "clock": null or [ { "from_ns", "to_ns", "t_ns", "offset_ns",
 *              "frac_ns", "rate", "offset_error_max_ns" } ... ] } ... ] }
 *            Points are in ascending order.  A point with several streams has a run for
 *            each, in ascending order of "stream", which others lack.
 *            clock: the segments of the receiver's clock against the sender's,
 *            see clockfit.h; owd = rx - tx - theta(tx).  Segments ascend.
 * spacing_ns an integer if it is a whole number of ns, else a real: reading
 *            restores it to 1 part in 10^12.
 * Errors     0 or -errno with words in err: -EPROTO not such a file, cut
 *            short, or inconsistent (all lengths are checked against the
 *            size of the file before the rest is read);
 *            -EPROTONOSUPPORT a later version.
 * Memory     reading loads the whole file, 29 bytes per record.
 * Trust      a file is untrusted: lengths, the figures of the header and the
 *            flags of every record are checked.  Numbers and times of
 *            records are data, any value is accepted.
 */
#ifndef PACE_DOC_RECORD_FILE_H
#define PACE_DOC_RECORD_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "core/clockfit.h"
#include "core/err.h"
#include "core/record.h"
#include "doc/result.h"

#define PACE_RECORDS_SCHEMA	"udpace-records/1"

struct pace_record_run {
	uint32_t	point;		/* index in the result document */
	uint32_t	stream;		/* number of one of several streams, from 1; 0: one stream */
	uint32_t	size_bytes;
	uint64_t	spacing;	/* 32.32 ns */
	uint64_t	skip;
	bool		lost_only;
	uint64_t	n, missed;	/* records; frames beyond the room for records */
	uint64_t	sent;		/* frames of the run */
	struct pace_clock_estimate clock;	/* segments 0: not known; a file has segments
						 * and bound_ns only */
	uint8_t		*columns;	/* PACE_RECORD_SIZE n bytes, malloced; NULL when n is 0 */
};

struct pace_record_file {
	char		version[32], started[40];
	size_t		n;
	struct pace_record_run *runs;	/* malloced */
};

/* Write a file; version, started and command come from r. */
int	pace_record_file_write(FILE *f, const struct pace_result *r,
	    const struct pace_record_run *runs, size_t n);

/* Load a whole file, or nothing.  pace_record_file_read needs a stream that can seek to
 * its end and back. */
int	pace_record_file_load(const char *path, struct pace_record_file *file,
	    struct pace_err *err);
int	pace_record_file_read(FILE *f, struct pace_record_file *file,
	    struct pace_err *err);
void	pace_record_file_free(struct pace_record_file *file);

#endif
