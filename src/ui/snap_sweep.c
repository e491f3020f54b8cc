/* Lines of a result: the points of a sweep as they end. */
#include "config.h"

#include "ui/snap_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc/js.h"

#define RESULT		"udpace-result/1"
#define PLANNED_MOST	10000000
#define FIGURE_MOST	1e15

static double
figure(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	double x = json_number_value(v);

	return json_is_number(v) && isfinite(x) && x >= 0 && x < FIGURE_MOST ? x : NAN;
}

static int
begin(struct pace_snap *s, const json_t *line)
{
	struct pace_jr r = { .o = line };
	char schema[32], kind[16], target[sizeof(s->sweep->target)];
	uint64_t planned = pace_jr_has(&r, "planned") ?
	    (uint64_t)pace_jr_int(&r, "planned", 0, PLANNED_MOST) : 0;

	pace_jr_text(&r, "schema", schema, sizeof(schema));
	pace_jr_text(&r, "kind", kind, sizeof(kind));
	pace_jr_text_or_empty(&r, "target", target, sizeof(target));
	if (r.bad || strcmp(schema, RESULT) != 0 || strcmp(kind, "throughput") != 0)
		return -EINVAL;
	if (s->sweep == NULL)
		s->sweep = malloc(sizeof(*s->sweep));
	if (s->sweep == NULL)
		return -ENOMEM;
	memset(s->sweep, 0, sizeof(*s->sweep));
	s->sweep->planned = planned;
	memcpy(s->sweep->target, target, sizeof(target));
	return 1;
}

/* Of a point without a receipt there is no loss: it failed. */
static bool
read_point(struct pace_snap_point *p, const json_t *line)
{
	const json_t *rx = json_object_get(line, "rx"), *loss = json_object_get(line, "loss");
	struct pace_jr r = { .o = line }, l = { .o = loss };
	struct pace_jr order = { .o = json_object_get(line, "reordering") };
	struct pace_jr ledger = { .o = json_object_get(line, "ledger") };

	memset(p, 0, sizeof(*p));
	p->size_bytes = pace_jr_count(&r, "size_bytes");
	p->spacing_ns = figure(line, "spacing_ns");
	p->wire_bps = figure(rx, "wire_rate_bps");
	p->loss = figure(loss, "ratio");
	p->lost = json_is_object(loss) ? pace_jr_count_or_0(&l, "frames") : 0;
	p->reordered = pace_jr_count_or_0(&order, "frames");
	p->frames = pace_jr_count_or_0(&(struct pace_jr){ .o = rx }, "unique");
	pace_jr_text_or_empty(&ledger, "diagnosis", p->diagnosis, sizeof(p->diagnosis));
	return !r.bad && !l.bad && !isnan(p->spacing_ns) && !(p->loss > 1);
}

static int
add_point(struct pace_snap *s, const json_t *line)
{
	struct pace_snap_point p;

	if (s->sweep == NULL || !read_point(&p, line))
		return -EINVAL;
	if (s->sweep->n == PACE_POINTS) {
		s->sweep->left_out++;
		return 1;
	}
	s->sweep->point[s->sweep->n++] = p;
	s->told_point = true;
	return 0;
}

int
pace_sweep_feed(struct pace_snap *s, const json_t *line)
{
	const char *event = json_string_value(json_object_get(line, "event"));

	if (event == NULL)
		return -EINVAL;
	if (strcmp(event, "start") == 0)
		return begin(s, line);
	if (strcmp(event, "point") == 0)
		return add_point(s, line);
	if (strcmp(event, "end") != 0 || s->sweep == NULL)
		return -EINVAL;
	s->sweep->ended = true;
	return 1;
}
