#include "config.h"

#include "cli/follow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "doc/ask.h"
#include "plat/affinity.h"

static int to = -1;

void
pace_follow_to(int fd)
{
	to = fd;
}

bool
pace_follow_is_on(void)
{
	return to >= 0;
}

/* Whole or not at all; released. */
static void
tell(json_t *line)
{
	char *text = to >= 0 && line != NULL ? json_dumps(line, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	int32_t core = pace_affinity_here(NULL);
	struct iovec v[] = { { .iov_base = &core, .iov_len = sizeof(core) },
		{ .iov_base = text, .iov_len = text != NULL ? strlen(text) : 0 } };
	const struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };

	json_decref(line);
	if (text != NULL && v[1].iov_len + sizeof(core) <= PACE_FOLLOW_ROOM)
		(void)sendmsg(to, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	free(text);
}

void
pace_follow_step(size_t number, size_t of, const char *name, const char *command)
{
	if (to >= 0)
		tell(json_pack("{s:s,s:I,s:I,s:s,s:s}", "event", "step", "number", (json_int_t)number,
		    "of", (json_int_t)of, "name", name, "command", command));
}

void
pace_follow_begin(const struct pace_result *r, size_t planned)
{
	if (to >= 0)
		tell(json_pack("{s:s,s:s,s:s,s:s,s:I}", "event", "start", "schema", "udpace-result/1",
		    "kind", "throughput", "target", r->target, "planned", (json_int_t)planned));
}

void
pace_follow_now(const struct pace_ask *a, int64_t left_ns)
{
	if (to >= 0)
		tell(json_pack("{s:s,s:I,s:f,s:I}", "event", "now", "size_bytes",
		    (json_int_t)a->size_bytes, "spacing_ns", pace_ask_spacing_ns(a), "left_ns",
		    (json_int_t)left_ns));
}

/* What the view shows of a point (ui/snap_sweep.c).  Its histograms alone can be more
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
pace_follow_point(json_t *point)
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
pace_follow_end(void)
{
	if (to >= 0)
		tell(json_pack("{s:s}", "event", "end"));
}
