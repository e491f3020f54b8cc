/*
 * json.h - what happens, as it happens: one JSON object a line.
 *
 * Events     { "event": "start", head ... }, { "event": "point",
 *            "index": i from 0, point ... }, { "event": "end", "points": n,
 *            "interrupted", "notes" }; the members are the document's.
 * Buffering  each line is flushed.
 * Errors     0 or -errno of the stream; -ENOMEM.
 */
#ifndef PACE_OUT_JSON_H
#define PACE_OUT_JSON_H

#include <stddef.h>
#include <jansson.h>
#include <stdio.h>

#include "doc/result.h"

int	pace_jsonl_start(FILE *f, const struct pace_result *r);
/* With more members: those of the object extra, which stays the caller's. */
int	pace_jsonl_start_with(FILE *f, const struct pace_result *r, json_t *extra);
/* Any point's JSON, which is released. */
int	pace_jsonl_any(FILE *f, size_t index, json_t *point);
int	pace_jsonl_skipped(FILE *f, size_t index, json_t *point);
int	pace_jsonl_point(FILE *f, size_t index, const struct pace_point *p);
int	pace_jsonl_end(FILE *f, const struct pace_result *r, size_t points);
int	pace_jsonl_end_with(FILE *f, const struct pace_result *r, size_t points, json_t *extra);

#endif
