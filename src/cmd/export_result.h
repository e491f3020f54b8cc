/*
 * export_result.h - writes the points of a result as rows; and output for all exports.
 *
 * Errors     an exit status after an error message.
 */
#ifndef PACE_CMD_EXPORT_RESULT_H
#define PACE_CMD_EXPORT_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "opt/opt.h"
#include "out/columns.h"

#define PACE_EXPORT_FORMATS	"csv|tsv|gnuplot|hdr|udpmon"
enum pace_export_format { EXPORT_CSV, EXPORT_TSV, EXPORT_GNUPLOT, EXPORT_HDR, EXPORT_UDPMON };

struct pace_export_cfg {
	struct pace_given given;
	int64_t		format, point;
	const char	*histogram;	/* NULL: not requested */
	const char	*output;
	bool		absolute, force;
	bool		brief;		/* --short */
	bool		intervals;	/* rows are intervals, not points */
	bool		per_stream;
	/* not options */
	bool		one;		/* point was given */
	const char	*name;		/* of the file, for messages */
};

/* The format, for data that have only columns. */
enum pace_columns_format	pace_export_columns(const struct pace_export_cfg *cfg);

/* Write the output with fn, to the file or stdout as cfg requests. */
int	pace_export_write(const struct pace_export_cfg *cfg, int (*fn)(FILE *f, void *ctx),
	    void *ctx);

/* Export the result in f; its first byte may already have been read. */
int	pace_export_result(const struct pace_export_cfg *cfg, FILE *f);

#endif
