/*
 * points_file.h - a result whose points can be asked for in any order, as often as
 * wanted: a document, or the JSON lines of a run that may have been killed.
 *
 * Reading    as result_read.h does.
 * Memory     the text of all points, a tenth of what their trees would take; one at
 *            a time is taken apart.
 * Trust      a file is hostile until checked: schema and kind are checked here,
 *            a point by who takes it apart.
 * Errors     0 or -errno with words in err: -EPROTO no such file, or broken;
 *            -EPROTONOSUPPORT of another version; -ENOMEM.
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
	bool		torn;		/* a line was cut off */
	bool		ended;		/* the run's end is told; always so in a document */
	struct pace_point_text *v;	/* private */
};

/* The rest of a stream; name is for the words of a failure. */
int	pace_points_read(FILE *f, const char *name, struct pace_points *p, struct pace_err *err);

/* Point i < n, the caller's to json_decref; *index: its number in the run. */
int	pace_points_get(const struct pace_points *p, size_t i, json_t **point,
	    uint32_t *index, struct pace_err *err);

/* Idempotent. */
void	pace_points_free(struct pace_points *p);

#endif
