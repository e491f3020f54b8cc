#include "doc/js.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"

/* --- parsing ------------------------------------------------------------------- */

/* Memory that jansson takes for an object, an array, a member's name, a value; estimates. */
#define OBJECT	300
#define ARRAY	130
#define NAME	80
#define VALUE	40

/* Measures the text parsed so far. */
struct meter {
	FILE		*f;
	size_t		bytes, cost;
	bool		quoted, escaped, refused;
};

static void
weigh(struct meter *m, char c)
{
	m->bytes++;
	if (m->quoted) {
		m->quoted = c != '"' || m->escaped;
		m->escaped = c == '\\' && !m->escaped;
		return;
	}
	m->quoted = c == '"';
	m->cost += c == '{' ? OBJECT : c == '[' ? ARRAY : c == ':' ? NAME : c == ',' ? VALUE : 0;
}

static bool
is_heavy(const struct meter *m)
{
	return m->cost > PACE_JS_SPARE && (m->cost - PACE_JS_SPARE) / PACE_JS_TIMES > m->bytes;
}

static json_t *
refuse(json_error_t *at)
{
	if (at != NULL) {
		memset(at, 0, sizeof(*at));
		snprintf(at->text, sizeof(at->text), "more values than udpace writes");
	}
	return NULL;
}

static json_t *
parse(const char *text, size_t len, size_t most, json_error_t *at)
{
	struct meter m = { .bytes = 0 };

	for (size_t i = 0; i < len; i++)
		weigh(&m, text[i]);
	if (is_heavy(&m) || m.cost > most)
		return refuse(at);
	return json_loadb(text, len, JSON_REJECT_DUPLICATES, at);
}

json_t *
pace_js_parse(const char *text, size_t len, json_error_t *at)
{
	return parse(text, len, PACE_JS_NETWORK, at);
}

json_t *
pace_js_parse_line(const char *line, size_t len, json_error_t *at)
{
	return parse(line, len, SIZE_MAX, at);
}

/* Read one byte at a time, so the bytes after the value stay in the file. */
static size_t
next_byte(void *buf, size_t size, void *ctx)
{
	struct meter *m = ctx;
	int c = getc(m->f);

	(void)size;
	if (c == EOF)
		return 0;
	weigh(m, (char)c);
	m->refused = is_heavy(m);
	*(char *)buf = (char)c;
	return m->refused ? (size_t)-1 : 1;
}

json_t *
pace_js_parse_file(FILE *f, size_t flags, json_error_t *at)
{
	struct meter m = { .f = f };
	json_t *j = json_load_callback(next_byte, &m, JSON_REJECT_DUPLICATES | flags, at);

	return j == NULL && m.refused ? refuse(at) : j;
}

/* --- building -------------------------------------------------------------------- */

json_t *
pace_js_count(uint64_t v)
{
	return v <= (uint64_t)PACE_JS_MAX ? json_integer((json_int_t)v) : json_null();
}

json_t *
pace_js_known(uint64_t v)
{
	return v > 0 ? pace_js_count(v) : json_null();
}

json_t *
pace_js_real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *
pace_js_ratio(uint64_t part, uint64_t whole)
{
	return whole > 0 ? json_real((double)part / (double)whole) : json_null();
}

json_t *
pace_js_text(const char *s)
{
	size_t len = strlen(s);
	char *clean = malloc(len + 1);
	json_t *j;

	if (clean == NULL)
		return NULL;
	pace_clean(clean, len + 1, s, len);
	j = json_string(clean);
	free(clean);
	return j;
}

json_t *
pace_js_append(json_t *list, json_t *v)
{
	if (list == NULL) {
		json_decref(v);
		return NULL;
	}
	if (json_array_append_new(list, v) == 0)
		return list;
	json_decref(list);
	return NULL;
}

bool
pace_js_integers(const json_t *list, int64_t *v, size_t n)
{
	bool good = json_array_size(list) == n;	/* 0 if it is not an array */

	for (size_t i = 0; good && i < n; i++) {
		const json_t *one = json_array_get(list, i);

		good = json_is_integer(one);
		v[i] = json_integer_value(one);
	}
	return good;
}

struct pace_jw
pace_jw_begin(void)
{
	return (struct pace_jw){ .o = json_object() };
}

void
pace_jw_put(struct pace_jw *w, const char *key, json_t *v)
{
	if (w->o == NULL) {
		json_decref(v);
		return;
	}
	if (json_object_set_new(w->o, key, v) == -1) {	/* v NULL: no memory */
		json_decref(w->o);
		w->o = NULL;
	}
}

void
pace_jw_count(struct pace_jw *w, const char *key, uint64_t v)
{
	pace_jw_put(w, key, pace_js_count(v));
}

void
pace_jw_real(struct pace_jw *w, const char *key, double v)
{
	pace_jw_put(w, key, pace_js_real(v));
}

void
pace_jw_bool(struct pace_jw *w, const char *key, bool v)
{
	pace_jw_put(w, key, json_boolean(v));
}

void
pace_jw_text(struct pace_jw *w, const char *key, const char *s)
{
	pace_jw_put(w, key, pace_js_text(s));
}

bool
pace_jr_has(const struct pace_jr *r, const char *key)
{
	const json_t *v = json_object_get(r->o, key);

	return v != NULL && !json_is_null(v);
}

const json_t *
pace_jr_get(struct pace_jr *r, const char *key)
{
	const json_t *v = r->bad ? NULL : json_object_get(r->o, key);

	if (v == NULL)
		r->bad = true;
	return v;
}

int64_t
pace_jr_int(struct pace_jr *r, const char *key, int64_t low, int64_t high)
{
	const json_t *v = pace_jr_get(r, key);
	int64_t n = json_is_integer(v) ? json_integer_value(v) : 0;

	if (!json_is_integer(v) || n < low || n > high) {
		r->bad = true;
		return 0;
	}
	return n;
}

uint64_t
pace_jr_count(struct pace_jr *r, const char *key)
{
	return (uint64_t)pace_jr_int(r, key, 0, PACE_JS_MAX);
}

uint64_t
pace_jr_count_or_0(struct pace_jr *r, const char *key)
{
	return pace_jr_has(r, key) ? pace_jr_count(r, key) : 0;
}

double
pace_jr_real(struct pace_jr *r, const char *key)
{
	const json_t *v = pace_jr_get(r, key);
	double x = json_number_value(v);

	if (!json_is_number(v) || !isfinite(x)) {
		r->bad = true;
		return 0;
	}
	return x;
}

bool
pace_jr_bool(struct pace_jr *r, const char *key)
{
	const json_t *v = pace_jr_get(r, key);

	if (!json_is_boolean(v))
		r->bad = true;
	return json_is_true(v);
}

void
pace_jr_text(struct pace_jr *r, const char *key, char *to, size_t size)
{
	const json_t *v = pace_jr_get(r, key);

	to[0] = '\0';
	if (json_is_string(v))
		pace_clean(to, size, json_string_value(v), json_string_length(v));
	else
		r->bad = true;
}

void
pace_jr_text_or_empty(struct pace_jr *r, const char *key, char *to, size_t size)
{
	to[0] = '\0';
	if (pace_jr_has(r, key))
		pace_jr_text(r, key, to, size);
}
