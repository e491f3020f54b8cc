/*
 * capture_doc.h - documents of kind "capture": points and their member "capture".
 *
 * Shape      see udpace-result(5).
 * Trust      input is untrusted and checked: -EPROTO, the output is then unspecified.
 * NULL       no memory.
 */
#ifndef PACE_DOC_CAPTURE_DOC_H
#define PACE_DOC_CAPTURE_DOC_H

#include <jansson.h>

#include "doc/capture.h"
#include "doc/field.h"

extern const struct pace_fields pace_seen_fields, pace_capture_fields;

json_t	*pace_seen_to_json(const struct pace_seen *s);
int	pace_seen_from_json(struct pace_seen *s, const json_t *j);

json_t	*pace_capture_to_json(const struct pace_capture *c);
int	pace_capture_from_json(struct pace_capture *c, const json_t *j);

#endif
