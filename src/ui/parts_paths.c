/* The paths of a watcher: which of them has trouble? */
#include "ui/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/units.h"
#include "out/glyph.h"
#include "out/say.h"
#include "out/time_text.h"

/* Where columns begin (state) or end, from the left; 0: the column does not fit. */
struct parts_paths_list {
	int	name;			/* its width */
	int	state, now, lost, percent, rtt, there, back;
};

static struct parts_paths_list
list_of(int cols)
{
	if (cols >= 110)
		return (struct parts_paths_list){ 29, 36, 56, 66, 75, 85, 95, 105 };
	if (cols >= 76)
		return (struct parts_paths_list){ 21, 28, 48, 58, 67, 78, 0, 0 };
	return (struct parts_paths_list){ cols > 26 ? cols - 16 : 8, 0, cols - 1, 0, 0, 0, 0, 0 };
}

static void
put_delay(const struct pace_scene *c, int row, int end, const struct pace_range *r,
    enum pace_role role)
{
	char text[40];

	if (end > 0)
		pace_canvas_right(c->g, row, end - 10, 10, role, r->known ?
		    pace_print(PACE_UNIT_USEC, r->now, text, sizeof(text)) : "-");
}

static enum pace_role
role_of(const struct pace_snap_session *v)
{
	const struct pace_range *loss = &v->of[PACE_FIG_LOSS];

	if (v->now.state == PACE_ENDED)
		return PACE_ROLE_FAINT;
	return pace_snap_outage(v) > 0 || (loss->known && loss->now > 0) ? PACE_ROLE_BAD :
	    v->now.all.lost > v->base.lost ? PACE_ROLE_WARN : PACE_ROLE_TEXT;
}

static void
put_state(const struct pace_scene *c, int row, int col, const struct pace_snap_session *v,
    enum pace_role role)
{
	int64_t out = pace_snap_outage(v);
	char time[40];

	pace_clock_text(out > 0 ? out : v->now.age_ns, time, sizeof(time));
	pace_canvas_say(c->g, row, col, 13, role, "%s %s", out > 0 ? "down" :
	    v->now.state == PACE_RUNNING ? "up" : v->now.state == PACE_ENDED ? "ended" : "opening",
	    time);
}

void
pace_path_row(const struct pace_scene *c, const struct pace_box *b, int row,
    const struct pace_snap_session *v, bool chosen)
{
	struct parts_paths_list k = list_of(b->cols);
	struct pace_tally n = pace_tally_since(&v->now.all, &v->base);
	const struct pace_range *loss = &v->of[PACE_FIG_LOSS];
	enum pace_role role = role_of(v);
	char text[80];

	pace_canvas_put(c->g, row, b->col, chosen ? '>' : ' ', role);
	pace_canvas_put(c->g, row, b->col + 2, role == PACE_ROLE_BAD ? '!' : ' ', role);
	pace_canvas_text(c->g, row, b->col + 4, k.name, role, pace_session_name(v));
	if (k.state > 0)
		put_state(c, row, b->col + k.state, v, role);
	pace_canvas_right(c->g, row, b->col + k.now - 8, 8, role, pace_snap_outage(v) > 0 ? "down" :
	    pace_percent(loss->known ? loss->now : NAN, text, sizeof(text)));
	if (k.lost > 0)
		pace_canvas_right(c->g, row, b->col + k.lost - 9, 9, role,
		    pace_part_count_in(pace_tally_lost(&n), 9, text));
	if (k.percent > 0)
		pace_canvas_right(c->g, row, b->col + k.percent - 8, 8, role,
		    pace_percent(pace_tally_loss(&n), text, sizeof(text)));
	put_delay(c, row, k.rtt > 0 ? b->col + k.rtt : 0, &v->of[PACE_FIG_RTT], role);
	put_delay(c, row, k.there > 0 ? b->col + k.there : 0, &v->of[PACE_FIG_THERE], role);
	put_delay(c, row, k.back > 0 ? b->col + k.back : 0, &v->of[PACE_FIG_BACK], role);
	if (chosen)
		pace_canvas_role(c->g, row, b->col, b->cols, PACE_ROLE_CHOSEN);
}

void
pace_path_titles(const struct pace_scene *c, const struct pace_box *b)
{
	struct parts_paths_list k = list_of(b->cols);
	const struct { int end; const char *title; } v[] = { { k.now, "% now" }, { k.lost, "lost" },
	    { k.percent, "% lost" }, { k.rtt, "RTT" }, { k.there, "there" }, { k.back, "back" } };

	pace_canvas_text(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE, "Paths");
	if (k.state > 0)
		pace_canvas_text(c->g, b->row, b->col + k.state, 13, PACE_ROLE_FAINT, "state");
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		if (v[i].end > 0)
			pace_canvas_right(c->g, b->row, b->col + v[i].end - 8, 8, PACE_ROLE_FAINT,
			    v[i].title);
}
