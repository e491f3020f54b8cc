/*
 * sink.h - writes results: table, CSV, JSON, JSON lines, file.
 *
 * Purpose    one call when the run begins, one for each point, one at the end.  Points
 *            are kept as JSON text until the document is written.
 * Errors     reported at once, once for each output, and remembered in failed.
 */
#ifndef PACE_RUN_SINK_H
#define PACE_RUN_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "doc/js.h"
#include "doc/result.h"

struct pace_journal;

/* How results of one kind are written; point and plan have the kind's own types. */
struct pace_sink_kind {
	json_t	*(*to_json)(const void *point);
	/* The last member of that object, written element by element; bare: without bins.  NULL: the
	 * object is complete. */
	void	(*list)(const void *point, bool bare, struct pace_js_list *list);
	int	(*csv_head)(FILE *f);
	int	(*csv_point)(FILE *f, const void *point);
	const char *csv_short;	/* names of the columns in --csv-short; NULL: the kind has no
				 * short form */
	int	(*head)(FILE *f, const struct pace_result *r, const void *plan, bool utf8);
	int	(*row_head)(FILE *f, const void *plan, bool utf8);
	int	(*row)(FILE *f, const void *plan, const void *point, bool utf8);
	/* used if the result has a single point */
	int	(*block)(FILE *f, const void *point, bool detail, bool utf8);
};

/* Define a pace_sink_kind from functions that take the kind's own types; the second, with a list. */
#define PACE_SINK_KIND(name, json, ...)	PACE_SINK_LIST_KIND(name, json, NULL, __VA_ARGS__)
#define PACE_SINK_LIST_KIND(name, json, list, csv_head, csv_point, brief, head, row_head, row, \
    block) \
	static json_t *name##_json(const void *point) { return json(point); } \
	static int name##_csv(FILE *f, const void *point) { return csv_point(f, point); } \
	static int name##_head(FILE *f, const struct pace_result *r, const void *plan, bool utf8) \
	{ return head(f, r, plan, utf8); } \
	static int name##_row_head(FILE *f, const void *plan, bool utf8) \
	{ return row_head(f, plan, utf8); } \
	static int name##_row(FILE *f, const void *plan, const void *point, bool utf8) \
	{ return row(f, plan, point, utf8); } \
	static int name##_block(FILE *f, const void *point, bool detail, bool utf8) \
	{ return block(f, point, detail, utf8); } \
	static const struct pace_sink_kind name = { name##_json, list, csv_head, name##_csv, brief, \
	    name##_head, name##_row_head, name##_row, name##_block }

struct pace_sink_cfg {
	bool		json, csv;	/* JSON or CSV on stdout; neither: the table */
	bool		csv_short;	/* fewer columns */
	const char	*jsonl;		/* file, "-" for stdout, NULL: none */
	const char	*output;	/* file, NULL: no document */
	bool		force, detail;
	bool		no_bins;	/* write histograms without their bins */
	struct pace_journal *journal;	/* not an option: the journal of a resumed run; NULL: a
					 * new run */
};

/* Options; the config struct has a member sink. */
#define PACE_SINK_AT(cfg, member) \
	(offsetof(cfg, sink) + offsetof(struct pace_sink_cfg, member))
#define PACE_SINK_ROWS(cfg, text, row) \
	{ "json", 0, PACE_OPT_FLAG, PACE_SINK_AT(cfg, json), 0, 0, 0, NULL, NULL, \
	    "one JSON document instead of the " text, "Output" }, \
	{ "csv", 0, PACE_OPT_FLAG, PACE_SINK_AT(cfg, csv), 0, 0, 0, NULL, NULL, \
	    "CSV, one row " row ", instead of the " text, "Output" }, \
	{ "jsonl", 0, PACE_OPT_STR, PACE_SINK_AT(cfg, jsonl), 0, 0, 0, NULL, "FILE", \
	    "also write events as JSON lines while they happen; - is stdout", "Output" }, \
	{ "output", 'o', PACE_OPT_STR, PACE_SINK_AT(cfg, output), 0, 0, 0, NULL, "FILE", \
	    "also write the JSON document to FILE", "Output" }, \
	{ "force", 0, PACE_OPT_FLAG, PACE_SINK_AT(cfg, force), 0, 0, 0, NULL, NULL, \
	    "let --output and --jsonl replace an existing file", "Output" }

/* Options for short output, for kinds that have histograms. */
#define PACE_SHORT_ROWS(cfg) \
	{ "csv-short", 0, PACE_OPT_FLAG, PACE_SINK_AT(cfg, csv_short), 0, 0, 0, NULL, NULL, \
	    "CSV with the most important columns only", "Output" }, \
	{ "no-bins", 0, PACE_OPT_FLAG, PACE_SINK_AT(cfg, no_bins), 0, 0, 0, NULL, NULL, \
	    "omit the bins of histograms from JSON documents", "Output" }

struct pace_sink {
	struct pace_sink_cfg cfg;
	bool		utf8;
	bool		failed;
	bool		one;		/* print the single point as a block */
	bool		fresh;		/* --output did not exist before */
	FILE		*jsonl;
	bool		jsonl_stuck;	/* nobody reads it: it gets nothing more */
	char		*csv_names;	/* the CSV header line; NULL: not printed */
	const struct pace_sink_kind *kind;
	const void	*plan;
	size_t		written;		/* points written so far */
	char		**points;
	size_t		n, room;
};

/* Check that the file of an option (NULL: no file given) can be written: 0, or 2 after an error
 * message. */
int	pace_sink_may_write(const char *option, const char *path, bool force);

/* Is path, the file of another option, also the file of --output or --jsonl?  If so, prints an
 * error. */
/* Would one file replace the other?  Devices are written to, not replaced. */
bool	pace_sink_one_file(const char *a, const char *b);
bool	pace_sink_writes_to(const struct pace_sink_cfg *cfg, const char *option, const char *path);

/* Do two options use stdout, or the same file?  If so, prints an error. */
bool	pace_sink_contradicts(const struct pace_sink_cfg *cfg);

/* Check that every output can be written: 0, or 2 after an error message.  Call it before
 * anything is sent. */
int	pace_sink_open(struct pace_sink *s, const struct pace_sink_cfg *cfg);

/* Begin a run of n points.  plan must outlive the sink. */
void	pace_sink_begin(struct pace_sink *s, const struct pace_sink_kind *kind,
	    const void *plan, const struct pace_result *r, size_t n);
/* Write a point.  *json is the point as an object.  If it is NULL it is made when an output
 * needs it, and the caller releases it.  json NULL: the caller does not need the object. */
void	pace_sink_point(struct pace_sink *s, const void *point, json_t **json);
/* Write one more row of CSV, of a part of a point; nothing if CSV was not requested. */
void	pace_sink_csv(struct pace_sink *s, const void *point);
/* Return a new reference to *json, which is made first if it is NULL.  NULL: no memory.  _list: the
 * rest of this object. */
json_t	*pace_sink_json(const struct pace_sink *s, const void *point, json_t **json);
struct pace_js_list	pace_sink_list(const struct pace_sink *s, const void *point);
/* Write the document.  extra: an object with more members of the document, released here; NULL:
 * no more.  Without a point no file is made. */
void	pace_sink_end(struct pace_sink *s, const struct pace_result *r, json_t *extra);

/* Does the table go to stdout? */
bool	pace_sink_has_table(const struct pace_sink *s);
/* Report that the caller wrote something: rc is 0 or -errno. */
void	pace_sink_check(struct pace_sink *s, int rc);
/* Report that a file that belongs to the result could not be written. */
void	pace_sink_fail(struct pace_sink *s, int rc, const char *where);
void	pace_sink_close(struct pace_sink *s);

#endif
