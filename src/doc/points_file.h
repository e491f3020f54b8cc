/*
 * points_file.h - a result with random access to its points: a document, or the JSON
 *                 lines of a run, also of a run that was killed.
 *
 * Reading    as in result_read.h.
 * Memory     the text of all points, a tenth of the memory of their trees; only one
 *            point at a time is parsed.
 * Trust      a file is untrusted: schema and kind are checked here, a point by
 *            the code that reads it.
 * Errors     0 or -errno with words in err: -EPROTO not a result, or damaged;
 *            -EPROTONOSUPPORT a later version; -ENOMEM.
 */
#ifndef PACE_DOC_POINTS_FILE_H
#define PACE_DOC_POINTS_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/err.h"

struct pace_point_text {
	char		*text;
	uint32_t	index;		/* its number in the run */
};

struct pace_points {
	json_t		*head;		/* the document without points */
	const char	*kind;		/* "throughput", of head */
	size_t		n;
	bool		torn;		/* a line was incomplete */
	bool		ended;		/* the run's end is in the file; always for a document */
	struct pace_point_text *v;	/* private */
};

/* Read the rest of a stream; name: its name in messages. */
int	pace_points_read(FILE *f, const char *name, struct pace_points *p, struct pace_err *err);

/* Read point i < n.  The caller releases it with json_decref; *index: its number in the
 * run. */
int	pace_points_get(const struct pace_points *p, size_t i, json_t **point,
	    uint32_t *index, struct pace_err *err);

/* Idempotent. */
void	pace_points_free(struct pace_points *p);

#endif
