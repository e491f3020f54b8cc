/*
 * json.h - print events while the run goes on, one JSON object a line.
 *
 * Events     { "event": "start", head ... }, { "event": "point",
 *            "index": i from 0, point ... }, { "event": "end", "points": n,
 *            "interrupted", "notes" }; members are those of the document.
 * Buffering  each line is flushed.
 * Errors     0 or -errno of the stream; -ENOMEM.
 */
#ifndef PACE_OUT_JSON_H
#define PACE_OUT_JSON_H

#include <stddef.h>
#include <jansson.h>
#include <stdio.h>

#include "doc/js.h"
#include "doc/result.h"

/* extra: an object with more members, owned by the caller; may be NULL. */
int	pace_jsonl_start(FILE *f, const struct pace_result *r, json_t *extra);
/* event: "point", "skipped" or "interval" (of the point that goes on).  point: the JSON of any point; the function takes the
 * reference.  list: its last member, or NULL. */
int	pace_jsonl_point(FILE *f, const char *event, size_t index, json_t *point,
	    const struct pace_js_list *list);
int	pace_jsonl_end(FILE *f, const struct pace_result *r, size_t points, json_t *extra);

#endif
