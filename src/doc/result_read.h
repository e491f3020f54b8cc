/*
 * result_read.h - a result, read a point at a time.
 *
 * Purpose    a campaign of thousands of points is hundreds of megabytes, as one
 *            tree of JSON some times that: what is wanted of a point is taken
 *            from it before the next one is read.
 * Reads      a document, or a file of --jsonl; also one whose writer was killed:
 *            a line cut off is left out and counted, and so is one that an older
 *            writer left before a newer one went on.
 * Order      of the file: points are handed over as they come, the head when all
 *            is read, as the document without "points".  Of JSON lines it is the
 *            members of "start" with those of "end" over them.
 * Trust      hostile until checked: the schema is checked here, points by who
 *            takes them.
 * Errors     -EPROTO, -EPROTONOSUPPORT, -ENOMEM, the stream's -errno, or what the
 *            taker of points returned; words in err.
 */
#ifndef PACE_DOC_RESULT_READ_H
#define PACE_DOC_RESULT_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/err.h"

struct pace_result_read {
	/* 0 or -errno, with words in err; the point stays the reader's. */
	int	(*point)(const json_t *point, size_t index, void *ctx, struct pace_err *err);
	void	*ctx;
	json_t	*head;		/* the caller's to json_decref; NULL after an error */
	size_t	points;
	size_t	torn;		/* lines that were cut off */
	bool	lines;		/* a file of JSON lines */
	bool	ended;		/* its last event is there; true of a document */
};

/* point and ctx are set; the rest of a stream, name is for the words of a failure. */
int	pace_result_read_from(FILE *f, const char *name, struct pace_result_read *r,
	    struct pace_err *err);

/* "-" is standard input. */
int	pace_result_read(const char *path, struct pace_result_read *r, struct pace_err *err);

#endif
