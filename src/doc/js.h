/*
 * js.h - build and read JSON objects with one test at the end.
 *
 * Purpose    straight-line code for every object: a member that cannot be
 *            written or read sets an error that the caller checks once.
 * Errors     after a failure a writer has o == NULL.  A reader sets bad if a
 *            member is missing, has the wrong type or is out of range,
 *            and returns 0 from then on.
 * Numbers    counts are integers below 2^62, so two can be added without
 *            overflow.  A real that is not finite is written as null, never NaN.
 * Trust      reads input of the peer; texts are cleaned.  Text is parsed only
 *            while the tree of its values stays small, see PACE_JS_TIMES.
 */
#ifndef PACE_DOC_JS_H
#define PACE_DOC_JS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PACE_JS_MAX	((INT64_C(1) << 62) - 1)
#define PACE_JS_REAL	JSON_REAL_PRECISION(12)	/* how every document writes reals */

/*
 * All JSON from outside is parsed here.  "{}," takes 3 bytes of text and 300 of memory.
 * Text is therefore rejected if its tree would take more than PACE_JS_TIMES its length
 * plus PACE_JS_SPARE or, from the network, more than PACE_JS_NETWORK (a result with every
 * bin of every histogram takes 24 MiB).  NULL: not JSON, or rejected; at, unless NULL,
 * receives the reason.  Duplicate keys are rejected.
 */
#define PACE_JS_TIMES	32
#define PACE_JS_SPARE	((size_t)1 << 20)
#define PACE_JS_NETWORK	((size_t)32 << 20)
json_t	*pace_js_parse(const char *text, size_t len, json_error_t *at);
json_t	*pace_js_parse_line(const char *line, size_t len, json_error_t *at);	/* of a file */
/* Parse one value; flags: JSON_DISABLE_EOF_CHECK or 0.  Reads no byte after the value. */
json_t	*pace_js_parse_file(FILE *f, size_t flags, json_error_t *at);

/* Return a value; NULL: no memory. */
json_t	*pace_js_count(uint64_t v);	/* null if above PACE_JS_MAX */
json_t	*pace_js_known(uint64_t v);	/* null also for 0, which means "not known" */
json_t	*pace_js_real(double v);
json_t	*pace_js_ratio(uint64_t part, uint64_t whole);	/* null if whole is 0 */
json_t	*pace_js_text(const char *s);	/* bytes that are not UTF-8 become '?' */

/* Append v to list; takes both references.  NULL: no memory, or list was NULL. */
json_t	*pace_js_append(json_t *list, json_t *v);

/* Copy list to v; true if it is an array of n integers. */
bool	pace_js_integers(const json_t *list, int64_t *v, size_t n);

struct pace_jw {
	json_t	*o;
};

struct pace_jw	pace_jw_begin(void);
void	pace_jw_put(struct pace_jw *w, const char *key, json_t *v);	/* takes v's reference */
void	pace_jw_count(struct pace_jw *w, const char *key, uint64_t v);
void	pace_jw_real(struct pace_jw *w, const char *key, double v);
void	pace_jw_bool(struct pace_jw *w, const char *key, bool v);
void	pace_jw_text(struct pace_jw *w, const char *key, const char *s);

/* The last member of an object: an array whose elements are made and written one after the other,
 * because the tree of all would be large.  n 0: the object has no such member. */
struct pace_js_list {
	const char	*name;
	uint32_t	n;
	json_t		*(*make)(const void *of, uint32_t i);
	const void	*of;
};

struct pace_jr {
	const json_t	*o;
	bool		bad;
};

bool	pace_jr_has(const struct pace_jr *r, const char *key);	/* present and not null */
const json_t	*pace_jr_get(struct pace_jr *r, const char *key);
int64_t	pace_jr_int(struct pace_jr *r, const char *key, int64_t low, int64_t high);
uint64_t	pace_jr_count(struct pace_jr *r, const char *key);
uint64_t	pace_jr_count_or_0(struct pace_jr *r, const char *key);	/* absent, null: 0 */
double	pace_jr_real(struct pace_jr *r, const char *key);
bool	pace_jr_bool(struct pace_jr *r, const char *key);
void	pace_jr_text(struct pace_jr *r, const char *key, char *to, size_t size);
void	pace_jr_text_or_empty(struct pace_jr *r, const char *key, char *to, size_t size);

#endif
