/*
 * mutate_json.h - mutates a JSON value in one place, and merges two values.
 *
 * Input      a value somewhere in the bytes; the bytes after it stay.
 * Changes    a number, alone or at every place where the same number occurs, or two
 *            numbers by the same amount, so that sums still hold; a text; a type; a
 *            member is removed, repeated, moved or renamed; the depth; and text that
 *            no writer produces: digits, escapes, bytes.
 */
#ifndef FUZZ_MUTATE_JSON_H
#define FUZZ_MUTATE_JSON_H

#include <ctype.h>

#include "lib/mutate.h"
#include "mutator.h"

#define JSON_NODES	4096		/* the bytes after it stay unchanged */

struct spoil_node {
	json_t		*parent, *v;
	const char	*key;		/* NULL: an array's */
	size_t		index;
};

struct spoil_nodes {
	size_t		n;
	struct spoil_node v[JSON_NODES];
};

static inline void
spoil_list(struct spoil_nodes *all, json_t *parent)
{
	const char *key;
	json_t *v;
	size_t i;

	json_object_foreach(parent, key, v) {
		if (all->n == JSON_NODES)
			return;
		all->v[all->n++] = (struct spoil_node){ parent, v, key, 0 };
		spoil_list(all, v);
	}
	json_array_foreach(parent, i, v) {
		if (all->n == JSON_NODES)
			return;
		all->v[all->n++] = (struct spoil_node){ parent, v, NULL, i };
		spoil_list(all, v);
	}
}

/* Put v in place of the value, and take it; NULL: remove the value. */
static inline void
spoil_replace(const struct spoil_node *at, json_t *v)
{
	if (at->key != NULL && v != NULL)
		json_object_set_new(at->parent, at->key, v);
	else if (at->key != NULL)
		json_object_del(at->parent, at->key);
	else if (v != NULL)
		json_array_set_new(at->parent, at->index, v);
	else
		json_array_remove(at->parent, at->index);
}

/* --- numbers -------------------------------------------------------------------- */

/* The next integer at or after one of them. */
static inline struct spoil_node *
spoil_next_number(struct spoil_nodes *all, size_t from)
{
	for (size_t i = 0; i < all->n; i++) {
		struct spoil_node *at = &all->v[(from + i) % all->n];

		if (json_is_integer(at->v))
			return at;
	}
	return NULL;
}

static inline void
spoil_new_number(struct chance *c, struct spoil_nodes *all)
{
	const struct spoil_node *at = spoil_next_number(all, chance_of(c, all->n));
	json_int_t old, v;

	if (at == NULL)
		return;
	old = json_integer_value(at->v);
	v = chance_near(c, old);
	if (chance_one_in(c, 2)) {
		json_integer_set(at->v, v);
		return;
	}
	for (size_t i = 0; i < all->n; i++)
		if (json_is_integer(all->v[i].v) && json_integer_value(all->v[i].v) == old)
			json_integer_set(all->v[i].v, v);
}

/* Increase two to four numbers, or increase some and decrease others. */
static inline void
spoil_move_numbers(struct chance *c, struct spoil_nodes *all)
{
	uint64_t by = chance_one_in(c, 2) ? 1 : (uint64_t)chance_number(c);
	bool both_ways = chance_one_in(c, 2);

	for (size_t n = 2 + chance_of(c, 3); n > 0; n--) {
		struct spoil_node *at = spoil_next_number(all, chance_of(c, all->n));

		if (at != NULL)
			json_integer_set(at->v, (json_int_t)((uint64_t)json_integer_value(at->v) +
			    (both_ways && n % 2 ? 0 - by : by)));
	}
}

static inline json_t *
spoil_any_real(struct chance *c, const json_t *old)
{
	static const double ends[] = { 0, 1, 0.5, 1e-3, 1e-9, 5e-324, 2.2e-308, 4294967296.0,
	    9007199254740993.0, 9223372036854775808.0, 1.8446744073709552e19, 1e100, 1.7e308 };
	double v = ends[chance_of(c, sizeof(ends) / sizeof(ends[0]))];

	if (chance_one_in(c, 2))
		v = json_number_value(old) * (double)chance_of(c, 9) / 4;
	return json_real(chance_one_in(c, 3) ? -v : v);
}

/* --- texts ----------------------------------------------------------------------- */

static inline json_t *
spoil_any_text(struct chance *c, struct spoil_nodes *all, const json_t *old)
{
	const struct spoil_node *other = &all->v[chance_of(c, all->n)];
	char text[300];
	size_t n = json_string_length(old);

	if (json_is_string(other->v) && chance_one_in(c, 3))
		return json_deep_copy(other->v);
	if (other->key != NULL && chance_one_in(c, 3))
		return json_string(other->key);
	if (n > sizeof(text) / 2)
		n = sizeof(text) / 2;
	memcpy(text, json_is_string(old) ? json_string_value(old) : "", n);
	if (chance_one_in(c, 4))
		for (size_t more = sizeof(text) - n; more > 0; more--)
			text[n++] = 'a';
	n = LLVMFuzzerMutate((uint8_t *)text, n, sizeof(text));
	for (size_t i = 0; i < n; i++)
		text[i] &= 0x7f;		/* not valid UTF-8: see spoil_text */
	return json_stringn(text, n);
}

/* --- shape ------------------------------------------------------------------------- */

static inline json_t *
spoil_nested(struct chance *c, json_t *v)		/* takes v */
{
	static const size_t depths[] = { 1, 1, 2, 3, 40, 2045, 2046, 2047, 2048, 2500 };

	for (size_t n = depths[chance_of(c, sizeof(depths) / sizeof(depths[0]))]; n > 0; n--) {
		json_t *outer = json_array();

		json_array_append_new(outer, v);
		v = outer;
	}
	return v;
}

/* Copy the value to another place: one more element of an array, or a member with any name. */
static inline void
spoil_copy(struct chance *c, struct spoil_nodes *all, json_t *root)
{
	const struct spoil_node *from = &all->v[chance_of(c, all->n)],
	    *to = &all->v[chance_of(c, all->n)];
	bool at_root = chance_one_in(c, 4), keeps = chance_one_in(c, 2);
	json_t *v = json_deep_copy(from->v);

	if (json_is_array(to->v))
		json_array_insert_new(to->v, chance_of(c, json_array_size(to->v) + 1), v);
	else if (json_is_array(to->parent))
		json_array_insert_new(to->parent, to->index, v);
	else
		json_object_set_new(at_root ? root : to->parent,
		    keeps && from->key != NULL ? from->key : to->key, v);
}

/* Repeat an element of an array beside itself. */
static inline void
spoil_twice(struct chance *c, struct spoil_nodes *all)
{
	size_t from = chance_of(c, all->n);

	for (size_t i = 0; i < all->n; i++) {
		const struct spoil_node *at = &all->v[(from + i) % all->n];

		if (at->key == NULL) {
			json_array_insert_new(at->parent, at->index, json_deep_copy(at->v));
			return;
		}
	}
}

static inline void
spoil_exchange(struct chance *c, struct spoil_nodes *all)
{
	const struct spoil_node *a = &all->v[chance_of(c, all->n)],
	    *b = &all->v[chance_of(c, all->n)];
	json_t *one = json_deep_copy(a->v), *two = json_deep_copy(b->v);

	spoil_replace(b, one);			/* one of them may have been inside the other */
	if (b->parent == a->parent)
		spoil_replace(a, two);
	else
		json_decref(two);
}

/* Cut the end off an array, or repeat its values. */
static inline void
spoil_other_length(struct chance *c, json_t *array)
{
	size_t n = json_array_size(array), keep = chance_of(c, n + 1);

	if (chance_one_in(c, 2)) {
		while (json_array_size(array) > keep)
			json_array_remove(array, keep);
		return;
	}
	for (size_t i = 0; i < n && n <= 256; i++)
		json_array_append_new(array, json_deep_copy(json_array_get(array, i)));
}

static inline void
spoil_one(struct chance *c, json_t *root)
{
	static struct spoil_nodes all;
	const struct spoil_node *at;

	all.n = 0;
	spoil_list(&all, root);
	if (all.n == 0) {
		if (json_is_object(root))
			json_object_set_new(root, "error", json_integer(chance_number(c)));
		return;
	}
	at = &all.v[chance_of(c, all.n)];
	switch (chance_of(c, 16)) {
	case 0: case 1: case 2: case 3:
		spoil_new_number(c, &all);
		break;
	case 4: case 5:
		spoil_move_numbers(c, &all);
		break;
	case 6:
		spoil_replace(at, spoil_any_real(c, at->v));
		break;
	case 7:
		spoil_replace(at, spoil_any_text(c, &all, at->v));
		break;
	case 8:
		spoil_replace(at, spoil_nested(c, json_deep_copy(at->v)));
		break;
	case 9:
		spoil_copy(c, &all, root);
		break;
	case 10:
		spoil_twice(c, &all);
		break;
	case 11:
		spoil_exchange(c, &all);
		break;
	case 12:
		spoil_replace(at, NULL);
		break;
	case 13:
		if (json_is_array(at->v))
			spoil_other_length(c, at->v);
		else
			spoil_replace(at, json_is_boolean(at->v) ? json_boolean(json_is_false(at->v)) :
			    json_integer(chance_near(c, json_integer_value(at->v))));
		break;
	default:		/* the last one always adds 1 */
		spoil_replace(at, mutate_value((int)chance_of(c, MUTATE_KINDS - 1), at->v));
	}
}

/* --- bytes ---------------------------------------------------------------------------- */

/* Insert text that jansson never writes into the used bytes, at `at`. */
static inline size_t
spoil_text(struct chance *c, uint8_t *data, size_t size, size_t max, size_t at, size_t used)
{
	static const struct { const char *bytes; size_t n; } odd[] = {
		{ "0", 1 }, { "00000000000000000000", 20 }, { "e9", 2 }, { "e-9", 3 },
		{ ".5", 2 }, { "-", 1 }, { "\\u0000", 6 }, { "\\ud800", 6 },
		{ "\\ud83d\\ude00", 12 }, { "\xff", 1 }, { "\xc0\x80", 2 }, { "\0", 1 },
		{ "\n", 1 }, { " ", 1 }, { "\xef\xbb\xbf", 3 }, { "\"", 1 }, { ",", 1 },
		{ "\\u001b[2J", 9 },
	};
	size_t i = chance_of(c, sizeof(odd) / sizeof(odd[0])), here = chance_of(c, used);

	for (size_t n = 0; i < 6 && n < used; n++)	/* these among digits */
		if (isdigit(data[at + (here + n) % used])) {
			here = (here + n) % used + (i != 5);
			break;
		}
	return put_bytes(data, size, max, at + here, 0, odd[i].bytes, odd[i].n);
}

static inline char *
spoil_write(const json_t *j, size_t *size)
{
	char *text = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));

	*size = text != NULL ? strlen(text) : 0;
	return text;
}

static inline json_t *
spoil_read(const uint8_t *data, size_t size, size_t *used)
{
	json_error_t e;
	json_t *j = size == 0 ? NULL : json_loadb((const char *)data, size,
	    JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY | JSON_ALLOW_NUL, &e);

	*used = j != NULL ? (size_t)e.position : 0;
	return j;
}

/* One change of the value that begins at `at`. Return the new size. */
static inline size_t
mutate_json(uint8_t *data, size_t size, size_t max, size_t at, struct chance *c)
{
	size_t used, n;
	json_t *j = at < size ? spoil_read(data + at, size - at, &used) : NULL;
	char *text;

	if (j == NULL || chance_bytes(c)) {
		json_decref(j);
		return LLVMFuzzerMutate(data, size, max);
	}
	if (chance_one_in(c, 12)) {
		json_decref(j);
		return spoil_text(c, data, size, max, at, used);
	}
	for (n = 1 + chance_one_in(c, 3); n > 0; n--)
		spoil_one(c, j);
	text = spoil_write(j, &n);
	json_decref(j);
	if (text != NULL)
		size = put_bytes(data, size, max, at, used, text, n);
	free(text);
	return size;
}

/* One member of the value at `at` in a gets its value in b, or the value of another member. */
static inline size_t
cross_json(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize, uint8_t *out,
    size_t max, size_t at, struct chance *c)
{
	static struct spoil_nodes to, from;
	size_t used = 0, behind = 0, n, size = asize < max ? asize : max;
	json_t *j = at < size ? spoil_read(a + at, size - at, &used) : NULL,
	    *k = at < bsize ? spoil_read(b + at, bsize - at, &behind) : NULL;
	const struct spoil_node *place, *v;
	char *text = NULL;

	memcpy(out, a, size);
	to.n = from.n = 0;
	spoil_list(&to, j);
	spoil_list(&from, k);
	if (to.n > 0 && from.n > 0) {
		place = &to.v[chance_of(c, to.n)];
		v = &from.v[chance_of(c, from.n)];
		for (size_t i = 0; i < from.n && place->key != NULL; i++) {
			if (v->key != NULL && strcmp(v->key, place->key) == 0)
				break;
			v = &from.v[(size_t)(v - from.v + 1) % from.n];
		}
		spoil_replace(place, json_deep_copy(v->v));
		text = spoil_write(j, &n);
	}
	json_decref(j);
	json_decref(k);
	if (text != NULL)
		size = put_bytes(out, size, max, at, used, text, n);
	free(text);
	return size;
}

#endif
