#include "out/json.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "doc/js.h"
#include "doc/point_doc.h"
#include "doc/result_doc.h"
#include "out/say.h"

/* Add all members of o and release it. */
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

#define COMPACT		(JSON_COMPACT | PACE_JS_REAL)

/* Write the elements of a list, and the end of the object that it is the last member of. */
static int
put_list(FILE *f, const struct pace_js_list *list)
{
	int rc = 0;

	fprintf(f, ",\"%s\":", list->name);
	for (uint32_t i = 0; i < list->n && rc == 0; i++) {
		json_t *one = list->make(list->of, i);

		fputc(i == 0 ? '[' : ',', f);
		rc = one != NULL ? json_dumpf(one, f, COMPACT) : -1;
		json_decref(one);
	}
	fputs("]}", f);
	return rc;
}

/* Write an object that goes on with the list, or is complete (NULL). */
static int
put_object(FILE *f, const json_t *o, const struct pace_js_list *list)
{
	char *text;
	size_t len;

	if (list == NULL || list->n == 0)
		return json_dumpf(o, f, COMPACT);
	text = json_dumps(o, COMPACT);
	if (text == NULL)
		return -1;
	len = strlen(text) - 1;		/* without its brace */
	fwrite(text, 1, len, f);
	free(text);
	return put_list(f, list);
}

static int
put_line(FILE *f, struct pace_jw *w, const struct pace_js_list *list)
{
	const struct pace_say s = { f, true };
	int rc;

	if (w->o == NULL)
		return -ENOMEM;
	errno = 0;
	rc = put_object(f, w->o, list);
	json_decref(w->o);
	if (rc != 0)
		return errno != 0 ? -errno : -EIO;
	fputc('\n', f);
	return pace_say_end(&s);
}

int
pace_jsonl_start(FILE *f, const struct pace_result *r, json_t *extra)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "event", "start");
	put_members(&w, pace_result_head_to_json(r));
	if (extra != NULL)
		put_members(&w, json_incref(extra));
	return put_line(f, &w, NULL);
}

int
pace_jsonl_point(FILE *f, const char *event, size_t index, json_t *point,
    const struct pace_js_list *list)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "event", event);
	pace_jw_count(&w, "index", index);
	put_members(&w, point);
	return put_line(f, &w, list);
}

int
pace_jsonl_end(FILE *f, const struct pace_result *r, size_t points, json_t *extra)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "event", "end");
	pace_jw_count(&w, "points", points);
	pace_jw_bool(&w, "interrupted", r->interrupted);
	pace_jw_put(&w, "notes", pace_notes_to_json(&r->notes));
	if (extra != NULL)
		put_members(&w, json_incref(extra));
	return put_line(f, &w, NULL);
}
