/*
 * sink.h - where results go: table, CSV, JSON, JSON lines, file.
 *
 * Purpose    one call when the run begins, one a point, one at the end;
 *            points are kept as dumped text for the document.
 * Errors     told at once, once for each output; remembered in failed.
 */
#ifndef PACE_RUN_SINK_H
#define PACE_RUN_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "doc/result.h"

/* How one kind of result is written; point and plan are the kind's own. */
struct pace_sink_kind {
	json_t	*(*to_json)(const void *point);
	int	(*csv_head)(FILE *f);
	int	(*csv_point)(FILE *f, const void *point);
	int	(*head)(FILE *f, const struct pace_result *r, const void *plan, bool utf8);
	int	(*row_head)(FILE *f, const void *plan, bool utf8);
	int	(*row)(FILE *f, const void *plan, const void *point, bool utf8);
	int	(*block)(FILE *f, const void *point, bool detail, bool utf8);	/* of a single point */
};

struct pace_sink_cfg {
	bool		json, csv;	/* stdout; neither: the table */
	const char	*jsonl;		/* file, "-" for stdout, NULL: none */
	const char	*output;	/* file, NULL: none */
	bool		force, detail;
};

/* Options; the config struct has a member sink. */
#define PACE_SINK_AT(cfg, member)	(offsetof(cfg, sink) + offsetof(struct pace_sink_cfg, member))
#define PACE_SINK_ROWS(cfg, text, row) \
	{ "json", 0, PACE_OPT_FLAG, PACE_SINK_AT(cfg, json), 0, 0, 0, NULL, NULL, \
	    "one JSON document instead of the " text, "Output" }, \
	{ "csv", 0, PACE_OPT_FLAG, PACE_SINK_AT(cfg, csv), 0, 0, 0, NULL, NULL, \
	    "CSV, one row " row ", instead of the " text, "Output" }, \
	{ "jsonl", 0, PACE_OPT_STR, PACE_SINK_AT(cfg, jsonl), 0, 0, 0, NULL, "FILE", \
	    "also one JSON object a line as it happens; - is stdout", "Output" }, \
	{ "output", 'o', PACE_OPT_STR, PACE_SINK_AT(cfg, output), 0, 0, 0, NULL, "FILE", \
	    "also the JSON document, to a file", "Output" }, \
	{ "force", 0, PACE_OPT_FLAG, PACE_SINK_AT(cfg, force), 0, 0, 0, NULL, NULL, \
	    "let --output and --jsonl replace a file", "Output" }

struct pace_sink {
	struct pace_sink_cfg cfg;
	bool		utf8;
	bool		failed;
	bool		one;		/* a single point is told as a block */
	bool		fresh;		/* --output was not there */
	FILE		*jsonl;
	const struct pace_sink_kind *kind;
	const void	*plan;
	size_t		told;		/* points so far */
	char		**points;
	size_t		n, room;
};

/* Can the file of an option (NULL: none) be written?  Told where not: 2, else 0. */
int	pace_sink_may_write(const char *option, const char *path, bool force);

/* Is path, of another option, what --output or --jsonl writes to?  Told. */
bool	pace_sink_writes_to(const struct pace_sink_cfg *cfg, const char *option, const char *path);

/* Do two options want the standard output, or one file?  Told. */
bool	pace_sink_contradicts(const struct pace_sink_cfg *cfg);

/* Can everything be written?  Told where not: 2, else 0.  Nothing is sent
 * before this. */
int	pace_sink_open(struct pace_sink *s, const struct pace_sink_cfg *cfg);

/* plan must outlive the sink; of n points. */
void	pace_sink_begin(struct pace_sink *s, const struct pace_sink_kind *kind,
	    const void *plan, const struct pace_result *r, size_t n);
/* *json: the point as an object, made when it is wanted and NULL, and the caller's; json NULL:
 * nobody else wants it. */
void	pace_sink_point(struct pace_sink *s, const void *point, json_t **json);
/* One more of *json, which is made when it is NULL.  NULL: no memory. */
json_t	*pace_sink_json(const struct pace_sink *s, const void *point, json_t **json);
/* extra: more members of the document, an object, released; NULL: none.  Without a point
 * no file is made. */
void	pace_sink_end(struct pace_sink *s, const struct pace_result *r, json_t *extra);

/* Is the table wanted on stdout? */
bool	pace_sink_has_table(const struct pace_sink *s);
/* Something was written by the caller: 0 or -errno. */
void	pace_sink_check(struct pace_sink *s, int rc);
/* A file that belongs to the result could not be written. */
void	pace_sink_fail(struct pace_sink *s, int rc, const char *where);
void	pace_sink_close(struct pace_sink *s);

#endif
