/* Reads lines of a result: the points of a sweep as they end. */
#include "config.h"

#include "live/snap_read.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doc/js.h"

#define RESULT		"udpace-result/1"
#define PLANNED_MOST	10000000
#define TRAIN_MOST	65536
#define FIGURE_MOST	1e15

static double
figure(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	double x = json_number_value(v);

	return json_is_number(v) && isfinite(x) && x >= 0 && x < FIGURE_MOST ? x : NAN;
}

/* A line may have a time of its own. */
static bool
take_time(struct pace_snap *s, const json_t *line)
{
	struct pace_jr r = { .o = line };
	int64_t at_ns;

	if (!pace_jr_has(&r, "at_ns"))
		return true;
	at_ns = pace_jr_int(&r, "at_ns", 1, INT64_MAX);
	if (r.bad)
		return false;
	s->at_ns = at_ns;
	if (s->first_ns == 0)
		s->first_ns = at_ns;
	return true;
}

/* Begin a sweep; of a campaign, keep the last one that has points. */
static int
make_sweep(struct pace_snap *s)
{
	if (s->campaign && s->sweep != NULL && s->sweep->n > 0) {
		free(s->last_sweep);
		s->last_sweep = s->sweep;
		s->sweep = NULL;
	}
	if (s->sweep == NULL)
		s->sweep = malloc(sizeof(*s->sweep));
	if (s->sweep == NULL)
		return -ENOMEM;
	memset(s->sweep, 0, sizeof(*s->sweep));
	return 0;
}

/* Begin a step of a campaign; its sweep, if it has one, follows. */
static int
begin_step(struct pace_snap *s, const json_t *line)
{
	struct pace_jr r = { .o = line };
	uint64_t number = (uint64_t)pace_jr_int(&r, "number", 1, PLANNED_MOST);
	uint64_t of = (uint64_t)pace_jr_int(&r, "of", 1, PLANNED_MOST);
	bool costs = pace_jr_has(&r, "step_ns");
	int64_t step_ns = costs ? pace_jr_int(&r, "step_ns", 0, INT64_MAX) : -1;
	int64_t after_ns = pace_jr_has(&r, "after_ns") ?
	    pace_jr_int(&r, "after_ns", 0, INT64_MAX) : 0;
	bool whole = pace_jr_has(&r, "after_whole") && pace_jr_bool(&r, "after_whole");
	char name[64], command[16], target[sizeof(s->sweep->target)];

	pace_jr_text_or_empty(&r, "target", target, sizeof(target));
	pace_jr_text(&r, "name", name, sizeof(name));
	pace_jr_text(&r, "command", command, sizeof(command));
	if (r.bad)
		return -EINVAL;
	s->campaign = true;
	if (make_sweep(s) < 0)
		return -ENOMEM;
	memcpy(s->sweep->target, target, sizeof(target));
	s->sweep->step = (struct pace_snap_step){ .number = number, .of = of, .at_ns = s->at_ns,
	    .all_ns = step_ns, .after_ns = after_ns, .after_whole = whole };
	snprintf(s->sweep->step.text, sizeof(s->sweep->step.text),
	    "step %" PRIu64 " of %" PRIu64 ": %s, %s",
	    number, of, name, command);
	return 1;
}

static int
begin_point(struct pace_snap *s, const json_t *line)
{
	struct pace_jr r = { .o = line };
	uint64_t size = pace_jr_count(&r, "size_bytes");
	int64_t left_ns = pace_jr_int(&r, "left_ns", 0, INT64_MAX);
	int64_t point_ns = pace_jr_has(&r, "point_ns") ?
	    pace_jr_int(&r, "point_ns", 0, INT64_MAX) : 0;
	uint64_t index = pace_jr_has(&r, "index") ? pace_jr_count(&r, "index") : 0;
	double spacing_ns = figure(line, "spacing_ns");

	if (s->sweep == NULL || r.bad || isnan(spacing_ns))
		return -EINVAL;
	s->sweep->is_now = true;
	s->sweep->now_index = index;
	s->sweep->now_at_ns = pace_jr_has(&r, "at_ns") ? s->at_ns : 0;
	s->sweep->point_ns = point_ns;
	s->sweep->now_bytes = size;
	s->sweep->now_spacing_ns = spacing_ns;
	s->sweep->left_ns = left_ns;
	return 1;
}

/* Take the plan, or a part of it: [[bytes, ns], ...]. */
static int
take_plan(struct pace_snap *s, const json_t *line)
{
	const json_t *list = json_object_get(line, "points"), *v;
	struct pace_snap_sweep *w = s->sweep;
	size_t i, n = w != NULL ? w->plans : 0;

	if (w == NULL || !json_is_array(list))
		return -EINVAL;
	json_array_foreach(list, i, v) {
		const json_t *size = json_array_get(v, 0), *spacing = json_array_get(v, 1);
		double ns = json_number_value(spacing);

		if (!json_is_integer(size) || json_integer_value(size) < 0 ||
		    !json_is_number(spacing) ||
		    !(ns >= 0 && ns < FIGURE_MOST))
			return -EINVAL;
		if (n == PACE_POINTS)
			continue;
		w->plan[n].size_bytes = (uint64_t)json_integer_value(size);
		w->plan[n++].spacing_ns = ns;
	}
	w->plans = n;
	return 1;
}

static int
begin(struct pace_snap *s, const json_t *line)
{
	struct pace_jr r = { .o = line };
	char schema[32], kind[16], target[sizeof(s->sweep->target)];
	struct pace_snap_step step = { .number = 0 };
	uint64_t planned = pace_jr_has(&r, "planned") ?
	    (uint64_t)pace_jr_int(&r, "planned", 0, PLANNED_MOST) : 0;
	uint64_t train = pace_jr_has(&r, "train") ?
	    (uint64_t)pace_jr_int(&r, "train", 0, TRAIN_MOST) : 0;

	pace_jr_text(&r, "schema", schema, sizeof(schema));
	pace_jr_text(&r, "kind", kind, sizeof(kind));
	pace_jr_text_or_empty(&r, "target", target, sizeof(target));
	if (r.bad || strcmp(schema, RESULT) != 0 || strcmp(kind, "throughput") != 0)
		return -EINVAL;
	if (s->sweep != NULL && s->sweep->planned == 0 && s->sweep->n == 0)
		step = s->sweep->step;
	if (make_sweep(s) < 0)
		return -ENOMEM;
	s->sweep->step = step;
	s->sweep->planned = planned;
	s->sweep->train = train;
	memcpy(s->sweep->target, target, sizeof(target));
	return 1;
}

static int
add_point(struct pace_snap *s, const json_t *line)
{
	const json_t *rx = json_object_get(line, "rx"), *loss = json_object_get(line, "loss");
	struct pace_jr r = { .o = line }, l = { .o = loss };
	struct pace_jr order = { .o = json_object_get(line, "reordering") };
	struct pace_jr ledger = { .o = json_object_get(line, "ledger") };
	struct pace_snap_point p = { .size_bytes = pace_jr_count(&r, "size_bytes"),
	    .spacing_ns = figure(line, "spacing_ns"), .wire_bps = figure(rx, "wire_rate_bps"),
	    .loss = figure(loss, "ratio"),	/* without the receiver's result the point failed */
	    .lost = json_is_object(loss) ? pace_jr_count_or_0(&l, "frames") : 0,
	    .reordered = pace_jr_count_or_0(&order, "frames"),
	    .frames = pace_jr_count_or_0(&(struct pace_jr){ .o = rx }, "unique"),
	    .skipped = strcmp(json_string_value(json_object_get(line, "event")), "skipped") == 0 };

	pace_jr_text_or_empty(&ledger, "diagnosis", p.diagnosis, sizeof(p.diagnosis));
	if (s->sweep == NULL || r.bad || l.bad || isnan(p.spacing_ns) || p.loss > 1 ||
	    (p.skipped && !isnan(p.loss)))
		return -EINVAL;
	s->sweep->is_now = false;
	if (s->sweep->n == PACE_POINTS) {
		s->sweep->left_out++;
		return 1;
	}
	s->sweep->point[s->sweep->n++] = p;
	s->sweep->skipped += p.skipped;
	s->line_has_point = true;
	return 0;
}

int
pace_sweep_feed(struct pace_snap *s, const json_t *line)
{
	const char *event = json_string_value(json_object_get(line, "event"));
	struct pace_jr r = { .o = line };
	char text[700];

	if (event == NULL || !take_time(s, line))
		return -EINVAL;
	if (strcmp(event, "start") == 0)
		return begin(s, line);
	if (strcmp(event, "step") == 0)
		return begin_step(s, line);
	if (strcmp(event, "now") == 0)
		return begin_point(s, line);
	if (strcmp(event, "point") == 0 || strcmp(event, "skipped") == 0)
		return add_point(s, line);
	if (strcmp(event, "plan") == 0)
		return take_plan(s, line);
	if (strcmp(event, "notice") == 0) {	/* a message for the terminal */
		pace_jr_text(&r, "text", text, sizeof(text));
		if (r.bad || s->sweep == NULL)
			return -EINVAL;
		pace_snap_note(s, 0, PACE_MOOD_WARN, "%s", text);
		return 1;
	}
	if (strcmp(event, "time") == 0)
		return s->sweep != NULL && s->at_ns > 0 ? 1 : -EINVAL;
	if (strcmp(event, "end") != 0 || s->sweep == NULL)
		return -EINVAL;
	s->sweep->is_now = false;
	s->sweep->ended = true;
	return 1;
}
