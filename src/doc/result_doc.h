/*
 * result_doc.h - write and load a whole document.
 *
 * Memory     a sweep keeps its points as text, dumped as each one ends
 *            (pace_result_dump), never as structs or trees.
 * Layout     one member per line down to those of "tx" and "rx"; a histogram
 *            is one line.  Reals have 12 digits.
 * Errors     -errno; a full disk is reported.
 */
#ifndef PACE_DOC_RESULT_DOC_H
#define PACE_DOC_RESULT_DOC_H

#include <jansson.h>
#include <stdio.h>

#include "core/err.h"
#include "doc/point_doc.h"
#include "doc/result.h"

#define PACE_SCHEMA	"udpace-result/1"

/* Return the JSON text of a point, as pace_result_write_with takes it, and release the point.
 * list: its last member, or NULL.  NULL: no memory.  Release the text with free(). */
char	*pace_result_dump(json_t *point, const struct pace_js_list *list);

extern const struct pace_fields pace_head_fields;

/* For the schema: the document, and the tables that its parts refer to. */
extern const struct pace_fields pace_result_fields;
extern const struct pace_fields *const pace_result_tables[];	/* NULL ends it */

/* Return the words of the command line. */
json_t	*pace_command_to_json(const struct pace_result *r);

/* Return the head alone, without "points"; NULL: no memory. */
json_t	*pace_result_head_to_json(const struct pace_result *r);

/* Write the document: the head, the members of the object extra (not taken; NULL: none), and
 * n dumped points. */
int	pace_result_write_with(FILE *f, const struct pace_result *r, json_t *extra,
	    char *const *points, size_t n);

/*
 * Read a document with our schema; "-" is standard input.  The caller releases
 * *doc with json_decref.  -EPROTO: not such a document, err->text says where;
 * -EPROTONOSUPPORT: a later version.
 */
int	pace_result_load(const char *path, json_t **doc, struct pace_err *err);

/* Check doc's schema.  0, -EPROTO, -EPROTONOSUPPORT. */
int	pace_result_check(const json_t *doc, const char *path, struct pace_err *err);

/* Is the run complete: not interrupted, with points, and without a failed one?  Skipped points
 * do not count. */
bool	pace_result_is_whole(const json_t *doc);

/* A head that was read, with its memory.  r points into this struct: do not copy it. */
struct pace_head {
	struct pace_result r;
	char	kind[32];
	char	**argv;
};

/* Read the head.  -EPROTO, -ENOMEM; a failure leaves nothing to free. */
int	pace_head_from_json(struct pace_head *h, const json_t *doc);
void	pace_head_free(struct pace_head *h);

#endif
