#include "config.h"

#include "doc/points_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doc/result_read.h"

#define STEP	"read result"

static int
no_memory(struct pace_err *err)
{
	return pace_failf(err, ENOMEM, STEP, "out of memory");
}

/* A line has its number in the run; points of a document are counted. */
static int
take_point(const json_t *point, size_t i, void *ctx, struct pace_err *err)
{
	const json_t *index = json_object_get(point, "index");
	bool line = json_object_get(point, "event") != NULL;
	json_int_t n = line ? json_integer_value(index) : (json_int_t)i;
	struct pace_point_text *more;
	struct pace_points *p = ctx;

	if ((line && !json_is_integer(index)) || n < 0 || n > UINT32_MAX)
		return pace_failf(err, EPROTO, STEP, "damaged: point %zu has no number", i);
	if (p->n % 64 == 0) {
		more = realloc(p->v, (p->n + 64) * sizeof(*more));
		if (more == NULL)
			return no_memory(err);
		p->v = more;
	}
	p->v[p->n].text = json_dumps(point, JSON_COMPACT | JSON_REAL_PRECISION(17));
	p->v[p->n].index = (uint32_t)n;
	if (p->v[p->n].text == NULL)
		return no_memory(err);
	p->n++;
	return 0;
}

int
pace_points_read(FILE *f, const char *name, struct pace_points *p, struct pace_err *err)
{
	struct pace_result_read r = { .point = take_point, .ctx = p };
	int rc;

	memset(p, 0, sizeof(*p));
	rc = pace_result_read_from(f, name, &r, err);
	p->head = r.head;
	p->torn = r.torn > 0;
	p->ended = r.ended;
	p->kind = json_string_value(json_object_get(p->head, "kind"));
	if (rc == 0 && p->kind == NULL)
		rc = pace_failf(err, EPROTO, STEP, "%s: damaged: has no kind", name);
	if (rc != 0)
		pace_points_free(p);
	return rc;
}

int
pace_points_get(const struct pace_points *p, size_t i, json_t **point, uint32_t *index,
    struct pace_err *err)
{
	*index = p->v[i].index;
	*point = json_loads(p->v[i].text, 0, NULL);
	return *point != NULL ? 0 : no_memory(err);
}

void
pace_points_free(struct pace_points *p)
{
	json_decref(p->head);
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].text);
	free(p->v);
	memset(p, 0, sizeof(*p));
}
