/*
 * result_read.h - read a result one point at a time.
 *
 * Purpose    a campaign of thousands of points is hundreds of megabytes, and several
 *            times that as one tree of JSON.  The caller therefore takes what it needs
 *            from each point before the next one is read.
 * Reads      a document, or a file of --jsonl, also of a writer that was killed: an
 *            incomplete line is skipped and counted.  A later writer may have appended
 *            lines to it.
 * Order      the order of the file.  Each point is handed over when it is read, the head
 *            when everything is read, as the document without "points".  For JSON lines
 *            the head has the members of "start", overridden by those of "end".
 * Trust      the file is untrusted: the schema is checked here, each point by the
 *            function that takes it.
 * Errors     -EPROTO, -EPROTONOSUPPORT, -ENOMEM, the stream's -errno, or the error that
 *            the function for points returned; words in err.
 */
#ifndef PACE_DOC_RESULT_READ_H
#define PACE_DOC_RESULT_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/err.h"

struct pace_result_read {
	/* Take a point.  0, or -errno with words in err; the reader releases the point. */
	int	(*point)(const json_t *point, size_t index, void *ctx, struct pace_err *err);
	void	*ctx;
	json_t	*head;		/* released by the caller; NULL after an error */
	size_t	points;
	size_t	torn;		/* incomplete lines */
	bool	lines;		/* a file of JSON lines */
	bool	ended;		/* its last event is present; always for a document */
};

/* Read the rest of a stream with r->point and r->ctx; name: its name in messages. */
int	pace_result_read_from(FILE *f, const char *name, struct pace_result_read *r,
	    struct pace_err *err);

/* Read a file; "-" is standard input. */
int	pace_result_read(const char *path, struct pace_result_read *r, struct pace_err *err);

#endif
