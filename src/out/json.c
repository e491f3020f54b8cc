#include "out/json.h"

#include <errno.h>
#include <jansson.h>

#include "doc/js.h"
#include "doc/point_doc.h"
#include "doc/result_doc.h"
#include "out/say.h"

static struct pace_jw
begin(const char *event)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "event", event);
	return w;
}

/* All members of o, which is taken. */
static void
put_members(struct pace_jw *w, json_t *o)
{
	const char *key;
	json_t *v;

	if (o == NULL)
		pace_jw_put(w, "event", NULL);
	json_object_foreach(o, key, v)
		pace_jw_put(w, key, json_incref(v));
	json_decref(o);
}

static int
put_line(FILE *f, struct pace_jw *w)
{
	const struct pace_say s = { f, true };
	int rc;

	if (w->o == NULL)
		return -ENOMEM;
	errno = 0;
	rc = json_dumpf(w->o, f, JSON_COMPACT | PACE_JS_REAL);
	json_decref(w->o);
	if (rc != 0)
		return errno != 0 ? -errno : -EIO;
	fputc('\n', f);
	return pace_say_end(&s);
}

int
pace_jsonl_start(FILE *f, const struct pace_result *r)
{
	return pace_jsonl_start_with(f, r, NULL);
}

int
pace_jsonl_start_with(FILE *f, const struct pace_result *r, json_t *extra)
{
	struct pace_jw w = begin("start");

	put_members(&w, pace_result_head_to_json(r));
	if (extra != NULL)
		put_members(&w, json_incref(extra));
	return put_line(f, &w);
}

static int
put_point(FILE *f, const char *event, size_t index, json_t *point)
{
	struct pace_jw w = begin(event);

	pace_jw_count(&w, "index", index);
	put_members(&w, point);
	return put_line(f, &w);
}

int
pace_jsonl_any(FILE *f, size_t index, json_t *point)
{
	return put_point(f, "point", index, point);
}

int
pace_jsonl_skipped(FILE *f, size_t index, json_t *point)
{
	return put_point(f, "skipped", index, point);
}

int
pace_jsonl_point(FILE *f, size_t index, const struct pace_point *p)
{
	return pace_jsonl_any(f, index, pace_point_to_json(p));
}

int
pace_jsonl_end(FILE *f, const struct pace_result *r, size_t points)
{
	return pace_jsonl_end_with(f, r, points, NULL);
}

int
pace_jsonl_end_with(FILE *f, const struct pace_result *r, size_t points, json_t *extra)
{
	struct pace_jw w = begin("end");

	pace_jw_count(&w, "points", points);
	pace_jw_bool(&w, "interrupted", r->interrupted);
	pace_jw_put(&w, "notes", pace_notes_to_json(&r->notes));
	if (extra != NULL)
		put_members(&w, json_incref(extra));
	return put_line(f, &w);
}
