#include "doc/field.h"

#include <string.h>

#include "doc/hist_doc.h"

const char *const pace_unit_ns[1] = { "ns" }, *const pace_unit_frames[1] = { "frames" };

/* --- members ------------------------------------------------------------------------ */

static uint64_t
load(uint32_t size, const void *p)
{
	return size == sizeof(uint64_t) ? *(const uint64_t *)p :
	    size == sizeof(uint32_t) ? *(const uint32_t *)p :
	    size == sizeof(uint16_t) ? *(const uint16_t *)p : *(const uint8_t *)p;
}

static int64_t
load_int(const struct pace_field *f, const char *m)
{
	uint64_t v = load(f->size, m);

	return f->size == sizeof(int32_t) ? (int32_t)(uint32_t)v : (int64_t)v;
}

static void
store(const struct pace_field *f, char *m, uint64_t v)
{
	void *p = m;

	if (f->size == sizeof(uint64_t))
		*(uint64_t *)p = v;
	else if (f->size == sizeof(uint32_t))
		*(uint32_t *)p = (uint32_t)v;
	else if (f->size == sizeof(uint16_t))
		*(uint16_t *)p = (uint16_t)v;
	else
		*(uint8_t *)p = (uint8_t)v;
}

static int
elements(const struct pace_field *f, const char *s)
{
	return *(const int *)(const void *)(s + f->n_at);
}

static const char *
words(const void *m)
{
	const char *text = *(const char *const *)m;

	return text != NULL ? text : "";
}

/* --- writing ------------------------------------------------------------------------ */

static bool
is_asked(const struct pace_field *f)
{
	return f->given != NULL || f->if_size != 0;
}

static bool
says_given(const struct pace_field *f, const char *s)
{
	return f->given != NULL ? f->given(s) : load(f->if_size, s + f->if_at) != 0;
}

static bool
is_given(const struct pace_field *f, const char *s)
{
	if (f->when == PACE_F_ALWAYS)
		return true;
	if (is_asked(f))
		return says_given(f, s);
	if (f->has != 0)
		return *(const bool *)(s + f->has - 1);
	switch (f->kind) {
	case PACE_F_TEXT: return s[f->at] != '\0';
	case PACE_F_WORDS: return words(s + f->at)[0] != '\0';
	case PACE_F_ARRAY: return elements(f, s) > 0;
	case PACE_F_REAL:
		return (f->flags & PACE_F_ABOVE_0) == 0 ||
		    *(const double *)(const void *)(s + f->at) > 0;
	case PACE_F_OWN: case PACE_F_OBJECT: return true;
	default: return load_int(f, s + f->at) != f->none;
	}
}

static json_t *
array_to_json(const struct pace_field *f, const char *s)
{
	json_t *list = json_array();

	for (int i = 0; i < elements(f, s); i++)
		list = pace_js_append(list, pace_fields_to_json(f->of,
		    s + f->at + (size_t)i * f->step));
	return list;
}

static json_t *
name_to_json(const char *name)
{
	return name != NULL ? json_string(name) : json_null();
}

static json_t *
hist_to_json(const struct pace_field *f, const char *s)
{
	const struct pace_linear_hist *linear = f->n_at != 0 ? (const void *)(s + f->n_at - 1) :
	    NULL;
	struct pace_jw w = { .o = pace_hist_to_json((const void *)(s + f->at), f->names[0]) };

	if (linear != NULL && linear->bins > 0)
		pace_jw_put(&w, "linear", pace_linear_hist_to_json(linear));
	return w.o;
}

static json_t *
value_to_json(const struct pace_field *f, const char *s)
{
	const char *m = s + f->at;
	double x;

	switch (f->kind) {
	case PACE_F_COUNT: return pace_js_count(load(f->size, m));
	case PACE_F_INT: return json_integer(load_int(f, m));
	case PACE_F_REAL:
		x = *(const double *)(const void *)m;
		return (f->flags & PACE_F_ABOVE_0) != 0 && !(x > 0) ? json_null() : pace_js_real(x);
	case PACE_F_RATIO: return pace_js_ratio(load(f->size, m), load(f->if_size, s + f->if_at));
	case PACE_F_BOOL: return json_boolean(*(const bool *)m);
	case PACE_F_TEXT: return pace_js_text(m);
	case PACE_F_WORDS: return pace_js_text(words(m));
	case PACE_F_FIXED: return f->names != NULL ? name_to_json(f->names[0]) :
	    json_integer(f->low);
	case PACE_F_NAME: return name_to_json(f->names[load(f->size, m)]);
	case PACE_F_HIST: return hist_to_json(f, s);
	case PACE_F_OBJECT: return pace_fields_to_json(f->of, m);
	case PACE_F_ARRAY: return array_to_json(f, s);
	case PACE_F_PART: case PACE_F_OWN: break;
	}
	return NULL;
}

static void
put_null(struct pace_jw *w, const struct pace_field *f)
{
	if (f->kind != PACE_F_PART)
		pace_jw_put(w, f->name, json_null());
	else
		for (const struct pace_field *g = f->of->row; g->name != NULL; g++)
			put_null(w, g);
}

static void
put_value(struct pace_jw *w, const struct pace_field *f, const char *s)
{
	json_t *v = value_to_json(f, s);

	if (f->kind == PACE_F_OBJECT && f->when == PACE_F_OR_ABSENT && v != NULL &&
	    json_object_size(v) == 0)
		json_decref(v);
	else
		pace_jw_put(w, f->name, v);
}

void
pace_fields_put(struct pace_jw *w, const struct pace_fields *t, const void *s)
{
	for (const struct pace_field *f = t->row; f->name != NULL; f++) {
		const char *m = (const char *)s + f->at;

		if (!is_given(f, s)) {
			if (f->when == PACE_F_OR_NULL)
				put_null(w, f);
		} else if (f->kind == PACE_F_PART) {
			pace_fields_put(w, f->of, m);
		} else if (f->kind != PACE_F_OWN) {
			put_value(w, f, s);
		} else if (f->put != NULL) {
			f->put(w, f->name, m);
		}
	}
}

json_t *
pace_fields_to_json(const struct pace_fields *t, const void *s)
{
	struct pace_jw w = pace_jw_begin();

	pace_fields_put(&w, t, s);
	return w.o;
}

/* --- reading ------------------------------------------------------------------------ */

static void
get_integer(struct pace_jr *j, const struct pace_field *f, char *m)
{
	int64_t low = f->low, high = f->high;

	if (low == 0 && high == 0 && f->kind == PACE_F_INT)
		low = -PACE_JS_MAX;
	if (high == 0)
		high = f->size == sizeof(uint16_t) ? UINT16_MAX : f->size == sizeof(uint32_t) ?
		    UINT32_MAX : PACE_JS_MAX;
	store(f, m, (uint64_t)pace_jr_int(j, f->name, low, high));
}

static void
get_real(struct pace_jr *j, const struct pace_field *f, char *m)
{
	double x = pace_jr_real(j, f->name);

	if (((f->flags & PACE_F_ABOVE_0) != 0 && !(x > 0)) ||
	    ((f->flags & PACE_F_FROM_0) != 0 && !(x >= 0)))
		j->bad = true;
	if ((f->low != 0 || f->high != 0) && !(x >= (double)f->low && x <= (double)f->high))
		j->bad = true;
	*(double *)(void *)m = x;
}

static void
get_name(struct pace_jr *j, const struct pace_field *f, char *m)
{
	const json_t *v = pace_jr_get(j, f->name);

	for (int64_t i = 0; i <= f->high; i++)
		if (f->names[i] != NULL ? json_is_string(v) &&
		    strcmp(json_string_value(v), f->names[i]) == 0 : json_is_null(v)) {
			store(f, m, (uint64_t)i);
			return;
		}
	j->bad = true;
}

static void
get_array(struct pace_jr *j, const struct pace_field *f, char *s)
{
	const json_t *list = pace_jr_get(j, f->name);
	int n = 0;

	j->bad |= !json_is_array(list) || json_array_size(list) > f->most;
	for (; !j->bad && (size_t)n < json_array_size(list); n++)
		j->bad |= !pace_fields_from_json(f->of, s + f->at + (size_t)n * f->step,
		    json_array_get(list, (size_t)n));
	*(int *)(void *)(s + f->n_at) = n;
}

static void
get_hist(struct pace_jr *j, const struct pace_field *f, char *s)
{
	struct pace_jr hist = { .o = pace_jr_get(j, f->name) };
	struct pace_linear_hist *linear = f->n_at != 0 ? (void *)(s + f->n_at - 1) : NULL;
	struct pace_hist *h = (void *)(s + f->at);

	j->bad |= pace_hist_from_json(h, hist.o, f->names[0]) != 0;
	/* it must hold as many values */
	if (linear != NULL && json_object_get(hist.o, "linear") != NULL)
		j->bad |= pace_linear_hist_from_json(linear, pace_jr_get(&hist, "linear")) != 0 ||
		    pace_linear_hist_total(linear) != h->stats.n;
}

static void
get_value(struct pace_jr *j, const struct pace_field *f, char *s)
{
	char *m = s + f->at;

	switch (f->kind) {
	case PACE_F_COUNT: case PACE_F_INT: get_integer(j, f, m); break;
	case PACE_F_REAL: get_real(j, f, m); break;
	case PACE_F_BOOL: *(bool *)m = pace_jr_bool(j, f->name); break;
	case PACE_F_TEXT: pace_jr_text(j, f->name, m, f->size); break;
	case PACE_F_NAME: get_name(j, f, m); break;
	case PACE_F_FIXED:
		if (f->names == NULL)
			(void)pace_jr_int(j, f->name, f->low, f->low);
		break;
	case PACE_F_HIST: get_hist(j, f, s); break;
	case PACE_F_OBJECT:
		j->bad |= !pace_fields_from_json(f->of, m, pace_jr_get(j, f->name));
		break;
	case PACE_F_ARRAY: get_array(j, f, s); break;
	case PACE_F_PART: pace_fields_get(j, f->of, m); break;
	case PACE_F_RATIO: case PACE_F_WORDS: break;
	case PACE_F_OWN:
		if (f->get != NULL)
			f->get(j, f->name, m);
		break;
	}
}

static void
get_none(const struct pace_field *f, char *m)
{
	if (f->kind == PACE_F_COUNT || f->kind == PACE_F_INT)
		store(f, m, (uint64_t)f->none);
	else if (f->kind == PACE_F_REAL || f->kind == PACE_F_BOOL || f->kind == PACE_F_TEXT)
		memset(m, 0, f->size);
}

/* Is there a value to read? */
static bool
is_there(struct pace_jr *j, const struct pace_field *f, char *s)
{
	bool there = pace_jr_has(j, f->name), lax = (f->flags & PACE_F_LAX) != 0;

	if (f->when == PACE_F_ALWAYS)
		return !lax || there;		/* if absent, reading it sets bad */
	if (f->when == PACE_F_OR_NULL && !lax)
		(void)pace_jr_get(j, f->name);
	if (is_asked(f) && !lax)
		j->bad |= says_given(f, s) ? !there && (f->flags & PACE_F_STRICT) != 0 : there;
	if (f->has != 0)
		*(bool *)(s + f->has - 1) = there;
	return there;
}

static void
get_lenient(const json_t *o, const struct pace_field *f, char *s)
{
	struct pace_jr own = { .o = o };

	get_value(&own, f, s);
	if (own.bad)
		get_none(f, s + f->at);
}

void
pace_fields_get(struct pace_jr *j, const struct pace_fields *t, void *s)
{
	for (const struct pace_field *f = t->row; f->name != NULL; f++) {
		if ((f->flags & PACE_F_WRITTEN) != 0)
			continue;
		if ((f->flags & PACE_F_LENIENT) != 0)
			get_lenient(j->o, f, s);
		else if ((f->kind == PACE_F_OWN && f->when == PACE_F_ALWAYS) || is_there(j, f, s))
			get_value(j, f, s);
		else
			get_none(f, (char *)s + f->at);
	}
}

bool
pace_fields_from_json(const struct pace_fields *t, void *s, const json_t *o)
{
	struct pace_jr j = { .o = o, .bad = !json_is_object(o) };

	pace_fields_get(&j, t, s);
	return !j.bad;
}
