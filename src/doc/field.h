/*
 * field.h - the members of a JSON object as a table: one row a member.
 *
 * Purpose    the same table writes a struct as an object, reads it back with all checks,
 *            and is the object's entry in the schema and its list in udpace-result(5),
 *            which tests/lib/fields.c prints.
 * Rows       stand in the order in which they are written, and are read in that order:
 *            what a row depends on stands before it.
 * Checks     a member that is missing, of another type or out of its range is bad (js.h);
 *            what relates members of one object to each other stays in the code beside its
 *            table.  Members that no row has are ignored when read.
 * Text       of a row, for people: `name` is a member, "word" a value; NULL: that of the
 *            next row is of both.
 */
#ifndef PACE_DOC_FIELD_H
#define PACE_DOC_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/js.h"

enum pace_field_kind {
	PACE_F_OWN,		/* put and get do it; neither: another row's do, or code */
	PACE_F_COUNT,		/* unsigned, of 2, 4 or 8 bytes; up to PACE_JS_MAX */
	PACE_F_INT,		/* int, int64_t */
	PACE_F_REAL,		/* double; what is not finite is written as null */
	PACE_F_BOOL,
	PACE_F_TEXT,		/* a buffer */
	PACE_F_NAME,		/* an enum by names, a bool by two */
	PACE_F_HIST,		/* struct pace_hist, of names[0] */
	PACE_F_OBJECT,		/* a struct, by the table of */
	PACE_F_ARRAY,		/* of structs, by the table of */
	PACE_F_PART,		/* the rows of the table of, in this object; the one of this
				 * name says whether they are there */
};

/* What is written where there is no value: where given, if or the flag has say so; without
 * these a value of none, an empty text, a real that is not finite, an empty array. */
enum pace_field_when {
	PACE_F_ALWAYS,		/* there always is one */
	PACE_F_OR_NULL,
	PACE_F_OR_ABSENT,
};

enum {
	PACE_F_STRICT = 1,	/* read: where given or if say that there is a value there must be */
	PACE_F_LAX = 2,		/* read: may be absent, or null, and these are not asked */
	PACE_F_WRITTEN = 4,	/* not read: it follows from others, or code reads it */
	PACE_F_ABOVE_0 = 8,	/* a real: what is not is written as null, and bad */
	PACE_F_FROM_0 = 16,	/* a real without an upper bound */
	PACE_F_LENIENT = 32,	/* read: what is missing or not good is none */
};

struct pace_fields;

struct pace_field {
	const char	*name;
	enum pace_field_kind kind;
	enum pace_field_when when;
	unsigned	flags;
	uint32_t	at, size;	/* of the member in its struct */
	uint32_t	has;		/* 1 + where the bool is; read: it is set */
	uint32_t	if_at, if_size;	/* of a member that is not 0 where there is a value */
	bool		(*given)(const void *s);	/* or this says so; s: the struct of the table */
	int64_t		low, high;	/* both 0: what the member holds */
	int64_t		none;		/* no value, of integers */
	const char	*const *names;	/* from 0 to high; NULL: null */
	const struct pace_fields *of;
	uint32_t	n_at, most, step;	/* of an array: where its int is; elements; bytes of one */
	void		(*put)(struct pace_jw *w, const char *name, const void *member);
	void		(*get)(struct pace_jr *j, const char *name, void *member);
	const char	*type;		/* for the schema, where the rest does not say it: '...': ... */
	const char	*text;
};

struct pace_fields {
	const char	*name;		/* in the schema */
	const char	*text;
	const struct pace_field *row;	/* up to one without a name */
	const char	*rules;		/* for the schema, what relates members */
};

/* Parts of a row: { "name", PACE_COUNT(struct x, member), .text = "..." } */
#define PACE_F_AT(s, m)		.at = offsetof(s, m), .size = sizeof(((s *)0)->m)
#define PACE_F_HAS(s, m)	.has = 1 + offsetof(s, m)
#define PACE_F_IF(s, m)		.if_at = offsetof(s, m), .if_size = sizeof(((s *)0)->m)
#define PACE_COUNT(s, m)	.kind = PACE_F_COUNT, PACE_F_AT(s, m)
#define PACE_INT(s, m)		.kind = PACE_F_INT, PACE_F_AT(s, m)
/* A duration, or any other one that is not below 0. */
#define PACE_NS(s, m)		PACE_INT(s, m), .high = PACE_JS_MAX
#define PACE_REAL(s, m)		.kind = PACE_F_REAL, PACE_F_AT(s, m)
#define PACE_BOOL(s, m)		.kind = PACE_F_BOOL, PACE_F_AT(s, m)
#define PACE_TEXT(s, m)		.kind = PACE_F_TEXT, PACE_F_AT(s, m)
#define PACE_NAME(s, m, list)	.kind = PACE_F_NAME, PACE_F_AT(s, m), .names = list, \
				.high = sizeof(list) / sizeof((list)[0]) - 1
#define PACE_HIST(s, m, unit)	.kind = PACE_F_HIST, PACE_F_AT(s, m), .names = unit
#define PACE_OBJECT(s, m, t)	.kind = PACE_F_OBJECT, PACE_F_AT(s, m), .of = &(t)
#define PACE_SELF(t)		.kind = PACE_F_OBJECT, .of = &(t)	/* of the same struct */
#define PACE_ROWS(t)		.kind = PACE_F_PART, .of = &(t)
#define PACE_PART(s, m, t)	.kind = PACE_F_PART, PACE_F_AT(s, m), .of = &(t)
#define PACE_ARRAY(s, m, n, t)	.kind = PACE_F_ARRAY, PACE_F_AT(s, m), .n_at = offsetof(s, n), \
				.step = sizeof(((s *)0)->m[0]), \
				.most = sizeof(((s *)0)->m) / sizeof(((s *)0)->m[0]), .of = &(t)
#define PACE_OWN(p, g)		.put = p, .get = g
#define PACE_OWN_OF(s, m, p, g)	PACE_F_AT(s, m), .put = p, .get = g

/* Types of what has rows of its own functions. */
#define PACE_TYPE_COUNT		"'type': 'integer', 'minimum': 0"
#define PACE_TYPE_COUNT_OR_NULL	"'type': ['integer', 'null'], 'minimum': 0"
#define PACE_TYPE_POSITIVE	"'type': 'integer', 'minimum': 1"
#define PACE_TYPE_KNOWN		"'type': ['integer', 'null'], 'minimum': 1"
#define PACE_TYPE_RATIO		"'type': ['number', 'null'], 'minimum': 0, 'maximum': 1"
#define PACE_TYPE_NOT_BELOW_0	"'type': ['number', 'null'], 'minimum': 0"
#define PACE_TYPE_REAL		"'type': ['number', 'null']"
#define PACE_TYPE_TIME		"'type': 'string', 'format': 'date-time'"
#define PACE_TYPE_HIST		"'$ref': '#/$defs/hist_ns'"

extern const char *const pace_unit_ns[1], *const pace_unit_frames[1];

/* s, the table's struct, as an object; NULL: no memory. */
json_t	*pace_fields_to_json(const struct pace_fields *t, const void *s);
void	pace_fields_put(struct pace_jw *w, const struct pace_fields *t, const void *s);

/* Read into s: is all of it good?  What is absent leaves histograms and structs as they are. */
bool	pace_fields_from_json(const struct pace_fields *t, void *s, const json_t *o);
void	pace_fields_get(struct pace_jr *j, const struct pace_fields *t, void *s);

#endif
