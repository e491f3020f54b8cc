/*
 * mutate.h - changes one member of a JSON document, in every way that can break it.
 *
 * Nodes are numbered depth first; the root is 0.  Of a long array the first and the last elements
 * are nodes: those between are alike.
 */
#ifndef PACE_TEST_MUTATE_H
#define PACE_TEST_MUTATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUTATE_REMOVE	0
#define MUTATE_KINDS	10
#define MUTATE_FIRST	4
#define MUTATE_LAST	2

/* The text that replaces it; NULL: it is removed. */
static inline json_t *
mutate_value(int kind, const json_t *old)
{
	switch (kind) {
	case 1: return json_null();
	case 2: return json_string("x\033[2J");
	case 3: return json_integer(-1);
	case 4: return json_integer(INT64_MAX);
	case 5: return json_real(1e300);
	case 6: return json_array();
	case 7: return json_object();
	case 8: return json_true();
	case 9: return json_integer(json_integer_value(old) + 1);	/* a small lie */
	default: return NULL;
	}
}

struct mutate_at {
	int	wanted, now, kind;
	char	path[256];
};

static inline bool
mutate_below(json_t *j, struct mutate_at *m, const char *path)
{
	char here[256];
	const char *key;
	json_t *v;
	void *tmp;
	size_t i;

	json_object_foreach_safe(j, tmp, key, v) {
		json_t *value = NULL;

		snprintf(here, sizeof(here), "%.200s/%.40s", path, key);
		if (++m->now != m->wanted) {
			if (mutate_below(v, m, here))
				return true;
			continue;
		}
		snprintf(m->path, sizeof(m->path), "%s", here);
		value = mutate_value(m->kind, v);
		if (value == NULL)
			json_object_del(j, key);
		else
			json_object_set_new(j, key, value);
		return true;
	}
	json_array_foreach(j, i, v) {
		json_t *value = NULL;

		if (i >= MUTATE_FIRST && i + MUTATE_LAST < json_array_size(j))
			continue;
		snprintf(here, sizeof(here), "%.200s/%zu", path, i);
		if (++m->now != m->wanted) {
			if (mutate_below(v, m, here))
				return true;
			continue;
		}
		snprintf(m->path, sizeof(m->path), "%s", here);
		value = mutate_value(m->kind, v);
		if (value == NULL)
			json_array_remove(j, i);
		else
			json_array_set_new(j, i, value);
		return true;
	}
	return false;
}

/* A spoiled copy of j, and which member it is; NULL: there is no such node. */
static inline json_t *
mutate(const json_t *j, int node, int kind, char path[256])
{
	struct mutate_at m = { .wanted = node, .kind = kind };
	json_t *copy = json_deep_copy(j);

	if (mutate_below(copy, &m, "")) {
		memcpy(path, m.path, 256);
		return copy;
	}
	json_decref(copy);
	return NULL;
}

/* Is path one of the list, which ends with NULL?  A '*' at the end stands
 * for anything. */
static inline bool
mutate_listed(const char *const *list, const char *path)
{
	for (; *list != NULL; list++) {
		size_t n = strlen(*list);

		if ((*list)[n - 1] == '*' ? strncmp(*list, path, n - 1) == 0 :
		    strcmp(*list, path) == 0)
			return true;
	}
	return false;
}

/* Through text, as over the wire or in a file. */
static inline json_t *
mutate_through_text(const json_t *j)
{
	char *text = json_dumps(j, JSON_REAL_PRECISION(12));
	size_t len = strlen(text);
	char *exact = malloc(len);
	json_t *back;

	memcpy(exact, text, len);
	back = json_loadb(exact, len, 0, NULL);
	free(exact);
	free(text);
	return back;
}

#endif
