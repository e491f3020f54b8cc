/*
 * result_doc.h - the whole document: its head, writing and loading it.
 *
 * Memory     a sweep keeps its points as text, dumped as they end
 *            (pace_point_dump), never as structs or trees.
 * Layout     one member a line down to those of "tx" and "rx"; a histogram
 *            is one line.  Reals have 12 digits.
 * Errors     -errno; a disk that is full is noticed.
 */
#ifndef PACE_DOC_RESULT_DOC_H
#define PACE_DOC_RESULT_DOC_H

#include <jansson.h>
#include <stdio.h>

#include "core/err.h"
#include "doc/point_doc.h"
#include "doc/result.h"

#define PACE_SCHEMA	"udpace-result/1"

/* A point as pace_result_write wants it; NULL: no memory.  Freed with free(). */
char	*pace_point_dump(const struct pace_point *p);
/* The same of any point's JSON, which is released. */
char	*pace_result_dump(json_t *point);

extern const struct pace_fields pace_head_fields;

/* For the schema: the document, and the tables that its parts name. */
extern const struct pace_fields pace_result_fields;
extern const struct pace_fields *const pace_result_tables[];	/* up to NULL */

/* The head alone, without "points"; NULL: no memory. */
json_t	*pace_result_head_to_json(const struct pace_result *r);

/* The document: the head and n dumped points. */
int	pace_result_write(FILE *f, const struct pace_result *r,
	    char *const *points, size_t n);
/* With more members of the document: those of the object extra, NULL: none. */
int	pace_result_write_with(FILE *f, const struct pace_result *r, json_t *extra,
	    char *const *points, size_t n);

/*
 * Read a document whose schema is ours; "-" is standard input.  *doc is the
 * caller's to json_decref.  -EPROTO: no document of ours, err->text says
 * where; -EPROTONOSUPPORT: of another version.
 */
int	pace_result_load(const char *path, json_t **doc, struct pace_err *err);

/* Is doc's schema ours?  0, -EPROTO, -EPROTONOSUPPORT. */
int	pace_result_check(const json_t *doc, const char *path, struct pace_err *err);

/* Is there nothing more to measure: not interrupted, points, and none that failed?  What was
 * skipped is not to be. */
bool	pace_result_is_whole(const json_t *doc);

/* A head read back, and what it owns.  r points into the struct: not to be
 * copied. */
struct pace_head {
	struct pace_result r;
	char	kind[32];
	char	**argv;
};

/* -EPROTO, -ENOMEM; nothing is left to free then. */
int	pace_head_from_json(struct pace_head *h, const json_t *doc);
void	pace_head_free(struct pace_head *h);

#endif
