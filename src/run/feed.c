#include "config.h"

#include "run/feed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "doc/params.h"
#include "plat/affinity.h"
#include "plat/clock.h"

#define PLAN_PART	300	/* points in a packet: a real has 24 characters at most */

static int to = -1;
static int64_t cost_ns = -1;

void
pace_feed_to(int fd)
{
	to = fd;
}

bool
pace_feed_is_on(void)
{
	return to >= 0;
}

/* Whole or not at all; released. */
static void
tell(json_t *line)
{
	char *text;
	int32_t core = pace_affinity_here(NULL);
	struct iovec v[2] = { { .iov_base = &core, .iov_len = sizeof(core) } };
	const struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };

	if (line != NULL)
		json_object_set_new(line, "at_ns", json_integer((json_int_t)pace_clock_wall()));
	text = to >= 0 && line != NULL ? json_dumps(line, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	v[1].iov_base = text;
	v[1].iov_len = text != NULL ? strlen(text) : 0;
	json_decref(line);
	if (text != NULL && v[1].iov_len + sizeof(core) <= PACE_FEED_ROOM)
		(void)sendmsg(to, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	free(text);
}

void
pace_feed_step(const struct pace_feed_step *s)
{
	json_t *o = to >= 0 ? json_pack("{s:s,s:I,s:I,s:s,s:s,s:s,s:I,s:b}", "event", "step",
	    "number", (json_int_t)s->number, "of", (json_int_t)s->of, "name", s->name,
	    "command", s->command, "target", s->target, "after_ns", (json_int_t)s->after_ns,
	    "after_whole", (int)s->after_whole) : NULL;

	if (o != NULL && s->cost_ns >= 0)
		json_object_set_new(o, "step_ns", json_integer((json_int_t)s->cost_ns));
	tell(o);
}

/* Of points that are measured again and again the first time. */
static void
tell_plan(const struct pace_params *plan, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		if (plan[i].repeat > 0)
			continue;
		json_array_append_new(list, json_pack("[I,f]", (json_int_t)plan[i].size_bytes,
		    pace_params_spacing_ns(&plan[i])));
		if (json_array_size(list) < PLAN_PART)
			continue;
		tell(json_pack("{s:s,s:o}", "event", "plan", "points", list));
		list = json_array();
	}
	if (json_array_size(list) > 0)
		tell(json_pack("{s:s,s:o}", "event", "plan", "points", list));
	else
		json_decref(list);
}

/* Back to back all frames are in trains, of which nobody asked. */
static uint64_t
train_of(const struct pace_params *plan, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (plan[i].spacing > 0)
			return plan[i].train;
	return 1;
}

void
pace_feed_begin(const struct pace_result *r, const struct pace_params *plan, size_t n)
{
	if (to < 0)
		return;
	tell(json_pack("{s:s,s:s,s:s,s:s,s:I,s:I}", "event", "start", "schema", "udpace-result/1",
	    "kind", "throughput", "target", r->target, "planned", (json_int_t)n,
	    "train", (json_int_t)train_of(plan, n)));
	tell_plan(plan, n);
}

void
pace_feed_now(const struct pace_params *a, size_t index, int64_t point_ns, int64_t left_ns)
{
	if (to >= 0)
		tell(json_pack("{s:s,s:I,s:I,s:f,s:I,s:I}", "event", "now", "index", (json_int_t)index,
		    "size_bytes", (json_int_t)a->size_bytes, "spacing_ns", pace_params_spacing_ns(a),
		    "point_ns", (json_int_t)point_ns, "left_ns", (json_int_t)left_ns));
}

void
pace_feed_skipped(json_t *point)
{
	json_t *o = to >= 0 ? json_pack("{s:s}", "event", "skipped") : NULL;

	if (o != NULL && json_object_update(o, point) != 0) {
		json_decref(o);
		o = NULL;
	}
	json_decref(point);
	tell(o);
}

void
pace_feed_notice(const char *text)
{
	if (to >= 0)
		tell(json_pack("{s:s,s:s}", "event", "notice", "text", text));
}

void
pace_feed_cost(int64_t ns)
{
	cost_ns = cost_ns < 0 ? ns : ns > INT64_MAX - cost_ns ? INT64_MAX : cost_ns + ns;
}

int64_t
pace_feed_cost_take(void)
{
	int64_t ns = cost_ns;

	cost_ns = -1;
	return ns;
}

/* What the view shows of a point (live/snap_sweep.c).  Its histograms alone can be more
 * than a packet holds. */
static const struct {
	const char	*in;		/* NULL: of the point itself */
	const char	*key;
} shown[] = {
	{ NULL, "size_bytes" },
	{ NULL, "spacing_ns" },
	{ "rx", "wire_rate_bps" },
	{ "rx", "unique" },
	{ "loss", "ratio" },
	{ "loss", "frames" },
	{ "reordering", "frames" },
	{ "ledger", "diagnosis" },
};

/* The member of o that has that name; made where there is none. */
static json_t *
member(json_t *o, const char *name)
{
	if (name == NULL)
		return o;
	if (json_object_get(o, name) == NULL)
		json_object_set_new(o, name, json_object());
	return json_object_get(o, name);
}

void
pace_feed_point(json_t *point)
{
	json_t *o = to >= 0 ? json_pack("{s:s}", "event", "point") : NULL;

	for (size_t i = 0; o != NULL && i < sizeof(shown) / sizeof(shown[0]); i++) {
		const json_t *from = shown[i].in != NULL ? json_object_get(point, shown[i].in) : point;
		json_t *v = json_object_get(from, shown[i].key);

		if (v != NULL)
			json_object_set(member(o, shown[i].in), shown[i].key, v);
	}
	json_decref(point);
	tell(o);
}

void
pace_feed_end(void)
{
	if (to >= 0)
		tell(json_pack("{s:s}", "event", "end"));
}
