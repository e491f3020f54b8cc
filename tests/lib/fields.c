/*
 * fields.c - prints what the tables of fields (doc/field.h) define: the schema of a result or of a
 * status, or a man page with its generated lists.
 *
 *     fields schema result|status           fields man result|status <page
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doc/field.h"
#include "doc/result_doc.h"
#include "live/status.h"

#define WIDTH	100

static const struct document {
	const char	*name, *title;
	const struct pace_fields *whole, *const *tables;
} documents[] = {
	{ "result", "A result of udpace", &pace_result_fields, pace_result_tables },
	{ "status", "A line of udpace-status/1", &pace_status_fields, pace_status_tables },
};

#define DOCUMENTS	(sizeof(documents) / sizeof(documents[0]))

static const struct document *document;
static json_t *defs;

static json_t	*object_of(const struct pace_fields *t);

static json_t *
must(json_t *j, const char *what)
{
	if (j != NULL)
		return j;
	fprintf(stderr, "fields: %s\n", what);
	exit(1);
}

/* "'type': 'null'" and the like. */
static json_t *
literal(const char *members)
{
	size_t len = strlen(members);
	char *text = malloc(len + 3);
	json_t *j;

	if (text == NULL)
		return must(NULL, "no memory");
	snprintf(text, len + 3, "{%s}", members);
	for (char *c = text; *c != '\0'; c++)
		if (*c == '\'')
			*c = '"';
	j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	return must(j, members);
}

static json_t *
ref(const char *name)
{
	return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", name));
}

static json_t *
ref_table(const struct pace_fields *t)
{
	if (json_object_get(defs, t->name) == NULL) {
		json_object_set_new(defs, t->name, json_null());	/* its place */
		json_object_set_new(defs, t->name, object_of(t));
	}
	return ref(t->name);
}

/* --- the type of a row ------------------------------------------------------------- */

/* Bounds that a reader of doubles also has. */
static void
put_bounds(json_t *j, const struct pace_field *f)
{
	const int64_t most = INT64_C(1) << 53;
	bool from_0 = f->kind == PACE_F_COUNT || f->low != 0 || f->high != 0 ||
	    (f->flags & PACE_F_FROM_0) != 0;

	if ((f->flags & PACE_F_ABOVE_0) != 0)
		json_object_set_new(j, "exclusiveMinimum", json_integer(0));
	else if (from_0 && f->low > -most)
		json_object_set_new(j, "minimum", json_integer(f->low));
	if (f->high > 0 && f->high < most)
		json_object_set_new(j, "maximum", json_integer(f->high));
}

static json_t *
name_type(const struct pace_field *f)
{
	json_t *list = json_array();

	for (int64_t i = 0; i <= f->high; i++)
		json_array_append_new(list, f->names[i] != NULL ? json_string(f->names[i]) :
		    json_null());
	return json_pack("{s:o}", "enum", list);
}

static json_t *
scalar_type(const struct pace_field *f, const char *type, bool nullable)
{
	json_t *j = nullable ? json_pack("{s:[s, s]}", "type", type, "null") :
	    json_pack("{s:s}", "type", type);

	if (f->kind == PACE_F_COUNT || f->kind == PACE_F_INT || f->kind == PACE_F_REAL)
		put_bounds(j, f);
	return j;
}

static json_t *
or_null(json_t *j, bool nullable)
{
	return nullable ? json_pack("{s:[o, {s:s}]}", "anyOf", j, "type", "null") : j;
}

static json_t *
array_type(const struct pace_field *f)
{
	return json_pack("{s:s, s:I, s:o}", "type", "array", "maxItems", (json_int_t)f->most,
	    "items", ref_table(f->of));
}

static json_t *
type_of(const struct pace_field *f)
{
	bool nullable = f->when == PACE_F_OR_NULL;

	if (f->of != NULL && (f->kind == PACE_F_OWN || f->kind == PACE_F_FIXED))
		json_decref(ref_table(f->of));
	if (f->type != NULL)
		return literal(f->type);
	switch (f->kind) {
	case PACE_F_COUNT: case PACE_F_INT: return scalar_type(f, "integer", nullable);
	case PACE_F_REAL: return scalar_type(f, "number", nullable);
	case PACE_F_BOOL: return scalar_type(f, "boolean", nullable);
	case PACE_F_TEXT: case PACE_F_WORDS: return scalar_type(f, "string", nullable);
	case PACE_F_NAME: return name_type(f);
	case PACE_F_HIST:
		return or_null(ref(f->names == pace_unit_ns ? "hist_ns" : "hist_frames"), nullable);
	case PACE_F_ARRAY: return array_type(f);
	case PACE_F_OBJECT: case PACE_F_OWN:
		return f->of != NULL ? or_null(ref_table(f->of), nullable) : json_object();
	case PACE_F_PART: case PACE_F_FIXED: case PACE_F_RATIO: break;
	}
	return must(NULL, f->name);
}

/* --- a table ------------------------------------------------------------------------- */

/* The text of the row, or of the next row that has one; "": none. */
static const char *
text_of(const struct pace_field *f)
{
	while (f->name != NULL && f->text == NULL)
		f++;
	return f->name != NULL ? f->text : "";
}

static json_t *
plain(const char *text)
{
	char *words = strdup(text), *to = words;
	json_t *j;

	for (const char *c = text; words != NULL && *c != '\0'; c++)
		if (*c != '`')
			*to++ = *c;
	if (words != NULL)
		*to = '\0';
	j = must(words != NULL ? json_string(words) : NULL, text);
	free(words);
	return j;
}

static json_t *
described(const struct pace_field *f)
{
	json_t *j = type_of(f);
	const char *text = text_of(f);

	if (text[0] != '\0')
		json_object_set_new(j, "description", plain(text));
	return j;
}

struct object {
	json_t	*required, *properties, *all_of;
};

static void	add_rows(struct object *o, const struct pace_fields *t, bool required);

static json_t *
properties(const char *name, json_t *type)
{
	return json_pack("{s:{s:o}}", "properties", name, type);
}

/* Rows that are there, or not, together. */
static void
add_optional(struct object *o, const struct pace_field *f)
{
	struct object part = { json_array(), json_object(), o->all_of };
	json_t *none = json_object(), *v;
	const char *name;

	add_rows(&part, f->of, true);
	json_object_update(o->properties, part.properties);
	json_object_foreach(part.properties, name, v)
		if (strcmp(name, f->name) != 0)
			json_object_set_new(none, name, json_false());
	json_decref(part.properties);
	json_array_append_new(o->all_of, json_pack("{s:{s:[s]}, s:{s:o}, s:{s:o}}", "if", "required",
	    f->name, "then", "required", part.required, "else", "properties", none));
}

/* Rows that are null together. */
static void
add_nullable(struct object *o, const struct pace_field *f)
{
	struct object part = { o->required, json_object(), o->all_of };
	json_t *none = json_object(), *v;
	const char *name;

	add_rows(&part, f->of, true);
	json_object_foreach(part.properties, name, v)
		json_object_set_new(none, name, literal("'type': 'null'"));
	json_array_append_new(o->all_of, json_pack("{s:o, s:{s:o}, s:{s:o}}", "if",
	    properties(f->name, literal("'type': 'null'")), "then", "properties", none,
	    "else", "properties", part.properties));
}

static void
add_rows(struct object *o, const struct pace_fields *t, bool required)
{
	for (const struct pace_field *f = t->row; f->name != NULL; f++) {
		if (f->kind == PACE_F_PART && f->when == PACE_F_OR_ABSENT) {
			add_optional(o, f);
		} else if (f->kind == PACE_F_PART && f->when == PACE_F_OR_NULL) {
			add_nullable(o, f);
		} else if (f->kind == PACE_F_PART) {
			add_rows(o, f->of, required);
		} else if (json_object_get(o->properties, f->name) == NULL &&
		    (f->kind != PACE_F_OWN || f->type != NULL || f->of != NULL)) {
			json_object_set_new(o->properties, f->name, described(f));
			if (f->when == PACE_F_OR_NULL ||
			    (f->when == PACE_F_ALWAYS && (f->flags & PACE_F_LAX) == 0))
				json_array_append_new(o->required, json_string(f->name));
		}
	}
}

static json_t *
object_of(const struct pace_fields *t)
{
	struct object o = { json_array(), json_object(), json_array() };
	json_t *j = json_object(), *rules = t->rules != NULL ? literal(t->rules) : json_object();

	if (t->text != NULL)
		json_object_set_new(j, "description", plain(t->text));
	json_object_set_new(j, "type", json_string("object"));
	add_rows(&o, t, true);
	if (json_array_size(o.required) > 0)
		json_object_set(j, "required", o.required);
	json_object_set_new(j, "properties", o.properties);
	json_array_extend(o.all_of, json_object_get(rules, "allOf"));
	json_object_update(j, rules);
	if (json_array_size(o.all_of) > 0)
		json_object_set(j, "allOf", o.all_of);
	json_decref(o.required);
	json_decref(o.all_of);
	json_decref(rules);
	return j;
}

/* --- the schema ---------------------------------------------------------------------- */

static void
print(const json_t *j, size_t indent, size_t before)
{
	char *text = json_dumps(j, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
	const char *key, *comma = "";
	json_t *v;
	size_t i;

	if (text == NULL || indent + before + strlen(text) < WIDTH ||
	    (!json_is_object(j) && !json_is_array(j))) {
		fputs(text != NULL ? text : "", stdout);
		free(text);
		return;
	}
	free(text);
	putchar(json_is_object(j) ? '{' : '[');
	json_object_foreach((json_t *)(uintptr_t)j, key, v) {
		printf("%s\n%*s\"%s\": ", comma, (int)indent + 2, "", key);
		print(v, indent + 2, strlen(key) + 5);
		comma = ",";
	}
	json_array_foreach(j, i, v) {
		printf("%s\n%*s", comma, (int)indent + 2, "");
		print(v, indent + 2, 1);
		comma = ",";
	}
	printf("\n%*s%c", (int)indent, "", json_is_object(j) ? '}' : ']');
}

static int
print_schema(void)
{
	json_t *all, *doc;

	defs = json_object();
	for (const struct pace_fields *const *t = document->tables; *t != NULL; t++)
		json_decref(ref_table(*t));
	doc = object_of(document->whole);
	all = json_pack("{s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema",
	    "title", document->title);
	json_object_update(all, doc);
	json_object_set_new(all, "$defs", defs);
	print(all, 0, 0);
	putchar('\n');
	json_decref(doc);
	json_decref(all);
	return 0;
}

/* --- the manual ------------------------------------------------------------------------ */

static const struct pace_fields *
find(const struct pace_fields *t, const char *name, int depth)
{
	const struct pace_fields *found = NULL;

	if (t->name != NULL && strcmp(t->name, name) == 0)
		return t;
	for (const struct pace_field *f = t->row; found == NULL && depth > 0 && f->name != NULL; f++)
		if (f->of != NULL)
			found = find(f->of, name, depth - 1);
	return found;
}

static const struct pace_fields *
table(const char *name)
{
	const struct pace_fields *found = find(document->whole, name, 8);

	for (const struct pace_fields *const *t = document->tables; *t != NULL && found == NULL; t++)
		found = find(*t, name, 8);
	return found;
}

/* The word at text, and behind it: "two words" are one. */
static size_t
word_length(const char *text)
{
	const char *quote = text + strspn(text, "(");
	size_t len = strcspn(text, " ");

	if (*quote == '"' && strchr(quote + 1, '"') != NULL)
		len = (size_t)(strchr(quote + 1, '"') - text) +
		    strcspn(strchr(quote + 1, '"'), " ");
	return len;
}

static void
print_plain(const char *word, size_t len, size_t *column)
{
	if (*column > 0)
		putchar(*column + len < 80 ? ' ' : '\n');
	*column = *column + len < 80 ? *column + len + 1 : len;
	for (size_t i = 0; i < len; i++)
		if (strncmp(word + i, "\xc2\xb5", 2) == 0)
			i += (size_t)printf("\\(mc") - 3;
		else
			putchar(word[i]);
	if (word[len - 1] == '.') {
		putchar('\n');
		*column = 0;
	}
}

/* By its macro: `name`, "value", null, page(5), --option; NULL: it has none. */
static const char *
macro_of(const char **word, size_t *len)
{
	const char *w = *word, *page = memchr(w, '(', *len);
	bool quoted = *len > 2 && (*w == '`' || *w == '"') && w[*len - 1] == *w;

	if (quoted) {
		*word = w + 1;
		*len -= 2;
		return *w == '`' ? "Cm " : "Qq ";
	}
	if (*len > 2 && strncmp(w, "--", 2) == 0) {
		*word = w + 1;
		*len -= 1;
		return "Fl ";
	}
	if (page != NULL && *len == (size_t)(page - w) + 3)
		return "Xr ";
	return *len == 4 && strncmp(w, "null", 4) == 0 ? "Cm " : NULL;
}

static void
print_word(const char *whole, size_t len, size_t *column)
{
	size_t open = strspn(whole, "("), behind = len;
	const char *word = whole + open, *macro;
	size_t inner;

	while (behind > open && strchr(".,;:)", whole[behind - 1]) != NULL &&
	    !(whole[behind - 1] == ')' && behind > 2 && whole[behind - 3] == '('))
		behind--;
	inner = behind - open;
	macro = macro_of(&word, &inner);
	if (macro == NULL) {
		print_plain(whole, len, column);
		return;
	}
	printf("%s.%s%s", *column > 0 ? "\n" : "", open > 0 ? "Pf ( " : "", macro);
	if (strcmp(macro, "Xr ") == 0)
		printf("%.*s %c", (int)inner - 3, word, word[inner - 2]);
	else
		printf("%.*s", (int)inner, word);
	for (; behind < len; behind++)
		printf(" %c", whole[behind]);
	putchar('\n');
	*column = 0;
}

static void
print_text(const char *text)
{
	size_t column = 0;

	while (*text != '\0') {
		size_t len = word_length(text);

		print_word(text, len, &column);
		text += len + strspn(text + len, " ");
	}
	if (column > 0)
		putchar('\n');
}

/* Rows of a table, those from one to another if these are given. */
struct range {
	char	table[64], from[64], to[64];
	bool	inside, open;		/* open: names wait for their text */
};

static void
print_rows(const struct pace_fields *t, struct range *r)
{
	for (const struct pace_field *f = t->row; f->name != NULL; f++) {
		if (f->kind == PACE_F_PART) {
			print_rows(f->of, r);
			continue;
		}
		r->inside |= strcmp(f->name, r->from) == 0;
		if (!r->inside || f->name[0] == '\0' || (f->kind == PACE_F_OWN && (f->flags & PACE_F_WRITTEN) != 0 &&
		    f->when == PACE_F_OR_ABSENT))
			continue;
		printf(r->open ? " , %s" : ".It Cm %s", f->name);
		r->open = f->text == NULL;
		if (f->text != NULL) {
			putchar('\n');
			print_text(f->text);
		}
		r->inside = strcmp(f->name, r->to) != 0;
	}
}

static void
print_list(const char *line)
{
	struct range r = { .inside = false };
	int n = sscanf(line, ".\\\" fields of %63s from %63s to %63s", r.table, r.from, r.to);
	const struct pace_fields *t = n == 1 || n == 3 ? table(r.table) : NULL;

	if (t == NULL)
		must(NULL, line);
	r.inside = n == 1;
	print_rows(t, &r);
}

static int
print_man(void)
{
	char line[1024];
	bool made = false;

	while (fgets(line, sizeof(line), stdin) != NULL) {
		made &= strncmp(line, ".\\\" end of fields", 17) != 0;
		if (!made)
			fputs(line, stdout);
		if (!made && strncmp(line, ".\\\" fields of ", 14) == 0) {
			print_list(line);
			made = true;
		}
	}
	return 0;
}

int
main(int argc, char **argv)
{
	for (size_t i = 0; i < DOCUMENTS && argc == 3; i++)
		if (strcmp(argv[2], documents[i].name) == 0)
			document = &documents[i];
	if (document != NULL && strcmp(argv[1], "schema") == 0)
		return print_schema();
	if (document != NULL && strcmp(argv[1], "man") == 0)
		return print_man();
	fputs("usage: fields schema result|status | fields man result|status <page\n", stderr);
	return 2;
}
