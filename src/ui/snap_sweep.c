/* Lines of a result: the points of a sweep as they end. */
#include "config.h"

#include "ui/snap_read.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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
make_sweep(struct pace_snap *s)
{
	if (s->sweep == NULL)
		s->sweep = malloc(sizeof(*s->sweep));
	if (s->sweep == NULL)
		return -ENOMEM;
	memset(s->sweep, 0, sizeof(*s->sweep));
	return 0;
}

/* Of a campaign: its sweep, if it is one, is yet to begin. */
static int
begin_step(struct pace_snap *s, const json_t *line)
{
	struct pace_jr r = { .o = line };
	uint64_t number = (uint64_t)pace_jr_int(&r, "number", 1, PLANNED_MOST);
	uint64_t of = (uint64_t)pace_jr_int(&r, "of", 1, PLANNED_MOST);
	char name[64], command[16];

	pace_jr_text(&r, "name", name, sizeof(name));
	pace_jr_text(&r, "command", command, sizeof(command));
	if (r.bad)
		return -EINVAL;
	if (make_sweep(s) < 0)
		return -ENOMEM;
	snprintf(s->sweep->step, sizeof(s->sweep->step), "step %" PRIu64 " of %" PRIu64 ": %s, %s",
	    number, of, name, command);
	return 1;
}

static int
begin_point(struct pace_snap *s, const json_t *line)
{
	struct pace_jr r = { .o = line };
	uint64_t size = pace_jr_count(&r, "size_bytes");
	int64_t left_ns = pace_jr_int(&r, "left_ns", 0, INT64_MAX);
	double spacing_ns = figure(line, "spacing_ns");

	if (s->sweep == NULL || r.bad || isnan(spacing_ns))
		return -EINVAL;
	s->sweep->is_now = true;
	s->sweep->now_bytes = size;
	s->sweep->now_spacing_ns = spacing_ns;
	s->sweep->left_ns = left_ns;
	return 1;
}

static int
begin(struct pace_snap *s, const json_t *line)
{
	struct pace_jr r = { .o = line };
	char schema[32], kind[16], target[sizeof(s->sweep->target)], step[sizeof(s->sweep->step)] = "";
	uint64_t planned = pace_jr_has(&r, "planned") ?
	    (uint64_t)pace_jr_int(&r, "planned", 0, PLANNED_MOST) : 0;

	pace_jr_text(&r, "schema", schema, sizeof(schema));
	pace_jr_text(&r, "kind", kind, sizeof(kind));
	pace_jr_text_or_empty(&r, "target", target, sizeof(target));
	if (r.bad || strcmp(schema, RESULT) != 0 || strcmp(kind, "throughput") != 0)
		return -EINVAL;
	if (s->sweep != NULL && s->sweep->planned == 0 && s->sweep->n == 0)
		memcpy(step, s->sweep->step, sizeof(step));
	if (make_sweep(s) < 0)
		return -ENOMEM;
	memcpy(s->sweep->step, step, sizeof(step));
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
	s->sweep->is_now = false;
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
	if (strcmp(event, "step") == 0)
		return begin_step(s, line);
	if (strcmp(event, "now") == 0)
		return begin_point(s, line);
	if (strcmp(event, "point") == 0)
		return add_point(s, line);
	if (strcmp(event, "end") != 0 || s->sweep == NULL)
		return -EINVAL;
	s->sweep->is_now = false;
	s->sweep->ended = true;
	return 1;
}
