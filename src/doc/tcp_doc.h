/*
 * tcp_doc.h - write and read a TCP run of a document, and the responder's part of it.
 *
 * Trust      what is read comes from the peer or from a file: numbers, names and their count
 *            are checked.
 * Memory     a side that was read is released by pace_tcp_side_free, a point by
 *            pace_tcp_point_free, also after a failure.
 * Errors     -EPROTO, -ENOMEM.  NULL: no memory.
 */
#ifndef PACE_DOC_TCP_DOC_H
#define PACE_DOC_TCP_DOC_H

#include <jansson.h>

#include "doc/field.h"
#include "doc/tcp.h"

/* The parameters, in START and in the point; read, they may still contradict each other. */
extern const struct pace_fields pace_tcp_params_fields;
bool	pace_tcp_params_hold(const struct pace_tcp_params *p);

/* For the schema. */
extern const struct pace_fields pace_tcp_info_fields, pace_tcp_fields, pace_tcp_way_fields, pace_tcp_stream_fields,
    pace_tcp_end_fields, pace_tcp_row_fields;

json_t	*pace_tcp_point_to_json(const struct pace_tcp_point *p);
/* p: from pace_tcp_point_new. */
int	pace_tcp_point_from_json(struct pace_tcp_point *p, const json_t *j);

/* The responder's part: what its engine says, and its host's counters. */
json_t	*pace_tcp_side_to_json(const struct pace_tcp_side *s, const struct pace_tcp_params *ask,
	    const struct pace_counters *c);
int	pace_tcp_side_from_json(struct pace_tcp_side *s, const struct pace_tcp_params *ask,
	    struct pace_counters *c, const json_t *j);

#endif
