/*
 * intervals_doc.h - write and read intervals: members of a point, and the rows in which a
 * responder reports its part.
 *
 * Rows       an array of integers for each interval: objects would take several times the
 *            memory, which is limited for a result from the network (js.h).
 * Errors     NULL: no memory.
 * Trust      rows come from the network: types, ranges and the number are checked here,
 *            consistency by pace_intervals_close and pace_intervals_broken.
 */
#ifndef PACE_DOC_INTERVALS_DOC_H
#define PACE_DOC_INTERVALS_DOC_H

#include <jansson.h>

#include "doc/field.h"
#include "doc/intervals.h"

extern const struct pace_fields pace_interval_fields, pace_figures_fields;

/* Member functions of a point's field table. */
void	pace_intervals_put(struct pace_jw *w, const char *name, const void *point);
void	pace_intervals_get(struct pace_jr *j, const char *name, void *point);

enum pace_interval_part { PACE_INTERVAL_TX, PACE_INTERVAL_RX };

json_t	*pace_interval_rows(const struct pace_intervals *v, enum pace_interval_part part);
/* Read rows into v, which has room; v->n becomes the larger number of both parts. */
bool	pace_interval_rows_read(struct pace_intervals *v, enum pace_interval_part part,
	    const json_t *rows);

#endif
