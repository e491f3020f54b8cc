/* What the replies of a STAMP reflector say: losses by direction, its clock, the IP header. */
#include "ui/parts.h"

#include <math.h>
#include <stdio.h>

#include "core/units.h"
#include "out/say.h"

static const struct pace_probe_status *
probe_of(const struct pace_scene *c)
{
	return &c->v->now.probe;
}

bool
pace_part_is_stamp(const struct pace_scene *c)
{
	return c->v != NULL && c->v->now.probe.known && c->v->now.probe.has_stamp;
}

void
pace_part_stamp_where(const struct pace_scene *c, int row, int col, int cols)
{
	static const char *const why[PACE_COUNTERS] = {
		[PACE_COUNTER_UNKNOWN] = "too few replies to know the direction",
		[PACE_COUNTER_COPIED] = "no direction: the reflector copies numbers",
		[PACE_COUNTER_CONTRADICTS] = "no direction: the reflector's count is wrong",
	};
	const struct pace_stamp_result *r = &probe_of(c)->stamp;
	enum pace_role role = r->lost_there + r->lost_back + r->lost_unknown > 0 ? PACE_ROLE_BAD :
	    PACE_ROLE_TEXT;
	char there[40], back[40], rest[40];
	int end = col + cols;

	col += pace_canvas_text(c->g, row, col, cols, PACE_ROLE_TITLE, cols < 66 ? " Lost" :
	    " Lost where");
	if (r->counter != PACE_COUNTER_OWN)
		pace_canvas_say(c->g, row, col, end - col, PACE_ROLE_FAINT, "   %s", why[r->counter]);
	else
		pace_canvas_say(c->g, row, col, end - col, role, cols < 66 ? "   there %s, back %s, "
		    "not known %s" : "   there %s, back %s, direction not known %s",
		    pace_print_count(r->lost_there, there), pace_print_count(r->lost_back, back),
		    pace_print_count(r->lost_unknown, rest));
}

/* A narrow screen has the offset's error for any delays only. */
static void
put_clock(const struct pace_scene *c, int row, int col, int cols)
{
	const struct pace_probe_status *p = probe_of(c);
	const char *pm = c->g->utf8 ? " \xc2\xb1" : " +-";
	const int decimals = cols >= 100 ? 4 : 2;
	char offset[40], error[40], bound[40], skew[64];

	if (!p->has_bound) {
		pace_canvas_say(c->g, row, col, cols, PACE_ROLE_FAINT, " Clock    not known: no "
		    "usable times came");
		return;
	}
	pace_print(PACE_UNIT_USEC, p->offset_ns, offset, sizeof(offset));
	pace_print(PACE_UNIT_USEC, p->offset_error_ns, error, sizeof(error));
	pace_print(PACE_UNIT_USEC, p->bound_ns, bound, sizeof(bound));
	pace_skew_text(p->skew_ppm, p->skew_error_ppm, decimals, pm, skew, sizeof(skew));
	if (cols >= 78)
		pace_canvas_say(c->g, row, col, cols, PACE_ROLE_TEXT, " Clock    %s%s%s, symmetric "
		    "delays%s%s; skew %s", offset, pm, bound, pm, error, skew);
	else
		pace_canvas_say(c->g, row, col, cols, PACE_ROLE_TEXT, " Clock %s%s%s, %.2f ppm",
		    offset, pm, bound, p->skew_ppm);
}

static void
range_text(const struct pace_stamp_range *r, char text[32])
{
	snprintf(text, 32, r->high == 0 ? "-" : r->low == r->high ? "%u" : "%u-%u", r->low, r->high);
}

static void
dscp_text(uint32_t dscp, uint64_t known, uint64_t changed, char text[64])
{
	snprintf(text, 64, known == 0 ? "-" : changed > 0 ? "%u (changed)" : "%u", dscp);
}

static void
put_header(const struct pace_scene *c, int row, int col, int cols)
{
	const struct pace_stamp_result *r = &probe_of(c)->stamp;
	bool changed = r->changed_there + r->changed_back > 0;
	char ttl[2][32], dscp[2][64];

	range_text(&r->ttl_there, ttl[0]);
	range_text(&r->ttl_back, ttl[1]);
	dscp_text(r->dscp_there, r->marks_there, r->changed_there, dscp[0]);
	dscp_text(r->dscp_back, r->marks_back, r->changed_back, dscp[1]);
	pace_canvas_say(c->g, row, col, cols, changed ? PACE_ROLE_WARN : PACE_ROLE_TEXT,
	    "%sTTL %u, there %s, back %s; DSCP %u, there %s, back %s",
	    cols >= 78 ? " Header   " : " ", r->ttl_sent, ttl[0], ttl[1], r->dscp_sent, dscp[0],
	    dscp[1]);
}

void
pace_part_stamp_state(const struct pace_scene *c, const struct pace_box *b)
{
	if (b->rows > 0)
		put_clock(c, b->row, b->col, b->cols);
	if (b->rows > 1)
		put_header(c, b->row + 1, b->col, b->cols);
}
