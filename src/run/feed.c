#include "config.h"

#include "run/feed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "doc/params.h"
#include "plat/affinity.h"
#include "plat/clock.h"

#define PLAN_PART	300	/* points in a packet: a number has 24 characters at most */

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

/* Send the line completely or not at all; release it. */
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

static void
tell_list(json_t *list)
{
	if (json_array_size(list) > 0)
		tell(json_pack("{s:s,s:o}", "event", "plan", "points", list));
	else
		json_decref(list);
}

/* The plan lists a repeated point once, with its first repeat. */
void
pace_feed_begin(const struct pace_result *r, const struct pace_params *plan, size_t n)
{
	json_t *list = json_array();
	uint64_t train = 1;	/* spacing 0 always uses trains, even if no train was requested */

	for (size_t i = n; i > 0; i--)
		if (plan[i - 1].spacing > 0)
			train = plan[i - 1].train;
	if (to >= 0)
		tell(json_pack("{s:s,s:s,s:s,s:s,s:I,s:I}", "event", "start", "schema",
		    "udpace-result/1", "kind", "throughput", "target", r->target, "planned",
		    (json_int_t)n, "train", (json_int_t)train));
	for (size_t i = 0; i < n && to >= 0; i++) {
		if (plan[i].repeat > 0)
			continue;
		json_array_append_new(list, json_pack("[I,f]", (json_int_t)plan[i].size_bytes,
		    pace_params_spacing_ns(&plan[i])));
		if (json_array_size(list) == PLAN_PART) {
			tell_list(list);
			list = json_array();
		}
	}
	tell_list(list);
}

void
pace_feed_now(const struct pace_params *a, size_t index, int64_t point_ns, int64_t left_ns)
{
	if (to >= 0)
		tell(json_pack("{s:s,s:I,s:I,s:f,s:I,s:I}", "event", "now", "index",
		    (json_int_t)index, "size_bytes", (json_int_t)a->size_bytes, "spacing_ns",
		    pace_params_spacing_ns(a), "point_ns", (json_int_t)point_ns, "left_ns",
		    (json_int_t)left_ns));
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

/* Members of a point that the view shows (live/snap_sweep.c).  Other members are omitted: the
 * histograms alone may exceed a packet. */
static const struct {
	const char	*in;		/* NULL: a member of the point itself */
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

void
pace_feed_point(json_t *point)
{
	json_t *o = to >= 0 ? json_pack("{s:s}", "event", "point") : NULL;

	for (size_t i = 0; o != NULL && i < sizeof(shown) / sizeof(shown[0]); i++) {
		const json_t *from = shown[i].in != NULL ? json_object_get(point, shown[i].in) :
		    point;
		json_t *v = json_object_get(from, shown[i].key), *in = o;

		if (v == NULL)
			continue;
		if (shown[i].in != NULL && (in = json_object_get(o, shown[i].in)) == NULL) {
			in = json_object();
			json_object_set_new(o, shown[i].in, in);
		}
		json_object_set(in, shown[i].key, v);
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
