/*
 * field.h - the members of a JSON object as a table: one row a member.
 *
 * Purpose    the same table writes a struct as an object, reads and checks it, and
 *            gives the object's entry in the schema and its list in udpace-result(5);
 *            tests/lib/fields.c prints both.
 * Rows       are written and read in their order: a row stands after the rows it
 *            depends on.
 * Checks     a member that is missing, of another type or out of its range is bad (js.h).
 *            Rules between members of one object stay in the code next to its table.
 *            Members without a row are ignored when read.
 * Text       of a row, for people: `name` is a member, "word" a value.  NULL: the text of
 *            the next row describes both.
 */
#ifndef PACE_DOC_FIELD_H
#define PACE_DOC_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/js.h"

enum pace_field_kind {
	PACE_F_OWN,		/* put and get handle it; both NULL: another row or code does */
	PACE_F_COUNT,		/* unsigned, 2, 4 or 8 bytes; up to PACE_JS_MAX */
	PACE_F_INT,		/* int, int64_t */
	PACE_F_REAL,		/* double; written as null if it is not finite */
	PACE_F_RATIO,		/* its 8-byte count / that at if_at; null if that is 0; not read */
	PACE_F_BOOL,
	PACE_F_TEXT,		/* a buffer */
	PACE_F_WORDS,		/* a pointer to a text; NULL, "": none; not read */
	PACE_F_FIXED,		/* names[0], not read; NULL: null, which code replaces later.
				 * Without names: the integer low; other values are bad */
	PACE_F_NAME,		/* an enum with its names, or a bool with two */
	PACE_F_HIST,		/* struct pace_hist of unit names[0]; n_at: 1 + offset of the linear
				 * histogram, which is a member of it */
	PACE_F_OBJECT,		/* a struct with the table `of` */
	PACE_F_ARRAY,		/* an array of structs with the table `of` */
	PACE_F_PART,		/* the rows of the table `of`, in this object; they are present
				 * if the member of this name is */
};

/* How a missing value is written.  A value is missing if given, if_at or the flag says so;
 * without these: the value none, an empty text, array or object, a real that is not finite. */
enum pace_field_when {
	PACE_F_ALWAYS,		/* it is never missing */
	PACE_F_OR_NULL,
	PACE_F_OR_ABSENT,
};

enum {
	PACE_F_STRICT = 1,	/* read: bad if missing although given or if_at says that it is
				 * present */
	PACE_F_LAX = 2,		/* read: may be absent or null, whatever given or if_at says */
	PACE_F_WRITTEN = 4,	/* not read: it follows from others, or code reads it */
	PACE_F_ABOVE_0 = 8,	/* a real > 0: others are written as null, and bad when read */
	PACE_F_FROM_0 = 16,	/* a real >= 0 */
	PACE_F_LENIENT = 32,	/* read: a missing or bad value is read as none */
};

struct pace_fields;

struct pace_field {
	const char	*name;
	enum pace_field_kind kind;
	enum pace_field_when when;
	unsigned	flags;
	uint32_t	at, size;	/* of the member in its struct */
	uint32_t	has;		/* 1 + offset of the bool "present"; set when read */
	uint32_t	if_at, if_size;	/* a member that is not 0 if there is a value */
	bool		(*given)(const void *s);	/* or: is there a value?  s: the struct of
							 * the table */
	int64_t		low, high;	/* both 0: the range of the member's type */
	int64_t		none;		/* the integer that means "no value" */
	const char	*const *names;	/* from 0 to high; NULL: null */
	const struct pace_fields *of;
	uint32_t	n_at, most, step;	/* of an array: offset of its int count; largest
						 * count; bytes of an element */
	void		(*put)(struct pace_jw *w, const char *name, const void *member);
	void		(*get)(struct pace_jr *j, const char *name, void *member);
	const char	*type;		/* for the schema, if the rest does not give it: '...':
					 * ... */
	const char	*text;
};

struct pace_fields {
	const char	*name;		/* in the schema */
	const char	*text;
	const struct pace_field *row;	/* up to one without a name */
	const char	*rules;		/* for the schema: rules between members */
};

/* The rows of a table: .row = PACE_FIELDS(row, row, ) */
#define PACE_FIELDS(...)	(const struct pace_field[]){ __VA_ARGS__ { .name = NULL } }

/* Parts of a row: { "name", PACE_COUNT(struct x, member), .text = "..." } */
#define PACE_F_AT(s, m)		.at = offsetof(s, m), .size = sizeof(((s *)0)->m)
#define PACE_F_HAS(s, m)	.has = 1 + offsetof(s, m)
#define PACE_F_IF(s, m)		.if_at = offsetof(s, m), .if_size = sizeof(((s *)0)->m)
#define PACE_COUNT(s, m)	.kind = PACE_F_COUNT, PACE_F_AT(s, m)
#define PACE_INT(s, m)		.kind = PACE_F_INT, PACE_F_AT(s, m)
/* A duration or another value >= 0. */
#define PACE_NS(s, m)		PACE_INT(s, m), .high = PACE_JS_MAX
#define PACE_REAL(s, m)		.kind = PACE_F_REAL, PACE_F_AT(s, m)
#define PACE_RATIO(s, part, whole) .kind = PACE_F_RATIO, PACE_F_AT(s, part), PACE_F_IF(s, whole)
#define PACE_BOOL(s, m)		.kind = PACE_F_BOOL, PACE_F_AT(s, m)
#define PACE_TEXT(s, m)		.kind = PACE_F_TEXT, PACE_F_AT(s, m)
#define PACE_WORDS(s, m)	.kind = PACE_F_WORDS, PACE_F_AT(s, m)
#define PACE_FIXED(text)	.kind = PACE_F_FIXED, .names = (const char *const[]){ text }
#define PACE_LATER		PACE_FIXED(NULL)
#define PACE_NAME(s, m, list)	.kind = PACE_F_NAME, PACE_F_AT(s, m), .names = list, \
				.high = sizeof(list) / sizeof((list)[0]) - 1
#define PACE_HIST(s, m, unit)	.kind = PACE_F_HIST, PACE_F_AT(s, m), .names = unit
#define PACE_HIST_LENS(s, m, linear) PACE_HIST(s, m, pace_unit_ns), .n_at = 1 + offsetof(s, linear)
#define PACE_OBJECT(s, m, t)	.kind = PACE_F_OBJECT, PACE_F_AT(s, m), .of = &(t)
#define PACE_SELF(t)		.kind = PACE_F_OBJECT, .of = &(t)	/* of the same struct */
#define PACE_ROWS(t)		.kind = PACE_F_PART, .of = &(t)
#define PACE_PART(s, m, t)	.kind = PACE_F_PART, PACE_F_AT(s, m), .of = &(t)
#define PACE_ARRAY(s, m, n, t)	.kind = PACE_F_ARRAY, PACE_F_AT(s, m), .n_at = offsetof(s, n), \
				.step = sizeof(((s *)0)->m[0]), \
				.most = sizeof(((s *)0)->m) / sizeof(((s *)0)->m[0]), .of = &(t)
#define PACE_OWN(p, g)		.put = p, .get = g
#define PACE_OWN_OF(s, m, p, g)	PACE_F_AT(s, m), .put = p, .get = g

/* Schema types of rows with functions of their own. */
#define PACE_TYPE_COUNT		"'type': 'integer', 'minimum': 0"
#define PACE_TYPE_COUNT_OR_NULL	"'type': ['integer', 'null'], 'minimum': 0"
#define PACE_TYPE_POSITIVE	"'type': 'integer', 'minimum': 1"
#define PACE_TYPE_KNOWN		"'type': ['integer', 'null'], 'minimum': 1"
#define PACE_TYPE_RATIO		"'type': ['number', 'null'], 'minimum': 0, 'maximum': 1"
#define PACE_TYPE_NOT_BELOW_0	"'type': ['number', 'null'], 'minimum': 0"
#define PACE_TYPE_TIME		"'type': 'string', 'format': 'date-time'"

extern const char *const pace_unit_ns[1], *const pace_unit_frames[1];

/* Return s, a struct of table t, as an object; NULL: no memory. */
json_t	*pace_fields_to_json(const struct pace_fields *t, const void *s);
void	pace_fields_put(struct pace_jw *w, const struct pace_fields *t, const void *s);

/* Read o into s; true if all members are good.  Absent histograms and structs keep their
 * contents. */
bool	pace_fields_from_json(const struct pace_fields *t, void *s, const json_t *o);
void	pace_fields_get(struct pace_jr *j, const struct pace_fields *t, void *s);

#endif
