/*
 * export.h - what export.c and export_result.c share.
 *
 * Errors     exit statuses; everything is told.
 */
#ifndef PACE_CMD_EXPORT_H
#define PACE_CMD_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "opt/opt.h"

enum { EXIT_USAGE = 2, EXIT_NO_RESULT = 3, EXIT_NOT_WRITTEN = 4 };

#define PACE_EXPORT_FORMATS	"csv|tsv|gnuplot|hdr|udpmon"
enum pace_export_format { EXPORT_CSV, EXPORT_TSV, EXPORT_GNUPLOT, EXPORT_HDR, EXPORT_UDPMON };

struct pace_export_cfg {
	struct pace_given given;
	int64_t		format, point;
	const char	*histogram;	/* NULL: none asked for */
	const char	*output;
	bool		absolute, force;
	/* not options */
	bool		one;		/* point counts */
	const char	*name;		/* of the file, for messages */
};

/* By fn, to where cfg says. */
int	pace_export_write(const struct pace_export_cfg *cfg, int (*fn)(FILE *f, void *ctx),
	    void *ctx);

/* What is left of f: a result. */
int	pace_export_result(const struct pace_export_cfg *cfg, FILE *f);

#endif
