/* A watcher without a screen: a line for each report of a path, and the worst paths at the end. */
#include "out/time_text.h"
#include "ui/line.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/units.h"
#include "out/glyph.h"
#include "ui/hotkeys.h"
#include "ui/parts.h"

enum { TIME, PATH, FRAMES, LOST, RATIO, ORDER, DELAY, RTT, THERE, BACK, COLUMNS };
enum { IS_UTC, IS_TEXT, IS_WHOLE, IS_FRAMES, IS_PERCENT, IS_ORDER, IS_TIME, UNITS };

static const struct pace_column columns[COLUMNS] = {
	[TIME] = { "time", 9, IS_UTC }, [PATH] = { "path             ", 19, IS_TEXT },
	[FRAMES] = { "frames/s", 9, IS_WHOLE }, [LOST] = { "lost", 8, IS_FRAMES },
	[RATIO] = { "lost", 8, IS_PERCENT }, [ORDER] = { "out of", 7, IS_ORDER },
	[DELAY] = { "delay+", 10, IS_TIME }, [RTT] = { "RTT", 10, IS_TIME },
	[THERE] = { "there", 10, IS_TIME }, [BACK] = { "back", 10, IS_TIME },
};
static const struct pace_scale units[UNITS] = { [IS_UTC] = { "UTC", 1, 0 },
	[IS_TEXT] = { "", 1, 0 }, [IS_WHOLE] = { "", 1, 0 }, [IS_FRAMES] = { "frames", 1, 0 },
	[IS_PERCENT] = { "%", 1, PACE_AS_PERCENT }, [IS_ORDER] = { "order", 1, 0 },
	[IS_TIME] = { "\xc2\xb5s", 1e3, 1 } };
static const struct pace_row_table table = { columns, COLUMNS, units, 0 };

static double
mean_of(const struct pace_moments *m)
{
	return m->n > 0 ? m->mean : NAN;
}

static void
put_report(const struct pace_say *say, const struct pace_snap *s, const struct pace_snap_session *v,
    struct pace_line_head *h)
{
	const struct pace_tick *t = &v->newest;
	const struct pace_moments *way = v->now.probe.way;
	char day[32], path[128];
	const char *text[COLUMNS] = { [TIME] = pace_day_text(s->at_ns, day, sizeof(day)),
	    [PATH] = pace_line_fit(say, pace_session_name(v), columns[PATH].width, path,
	    sizeof(path)) };
	const double figures[COLUMNS] = { [FRAMES] = pace_tick_fps(t), [LOST] = (double)t->n.lost,
	    [RATIO] = pace_tally_loss(&t->n), [ORDER] = (double)t->n.reordered,
	    [DELAY] = mean_of(&t->above), [RTT] = mean_of(&way[PACE_WAY_BOTH]),
	    [THERE] = mean_of(&way[PACE_WAY_THERE]), [BACK] = mean_of(&way[PACE_WAY_BACK]) };

	pace_line_row(say, &table, h, text, figures);
	pace_say(say, "\n");
}

/* Warnings that this status made, oldest first; losses stand in the rows. */
static void
put_events(const struct pace_say *say, const struct pace_snap *s)
{
	const struct pace_snap_event *e;
	uint64_t n = 0;
	char day[32], path[128], text[4 * sizeof(e->text)];

	while ((e = pace_snap_event(s, n)) != NULL && e->at_ns == s->at_ns)
		n++;
	while (n-- > 0) {
		int at;

		e = pace_snap_event(s, n);
		at = pace_snap_find(s, e->session);
		if (e->mood == PACE_MOOD_PLAIN || at < 0 || s->events - n == s->session[at].loss_event)
			continue;
		pace_say(say, "%s%s  %s\n", pace_day_text(e->at_ns, day, sizeof(day)),
		    pace_line_fit(say, pace_session_name(&s->session[at]), columns[PATH].width, path,
		    sizeof(path)), pace_glyph_clean(e->text, say->utf8, text, sizeof(text)));
	}
}

void
pace_line_paths(FILE *f, const struct pace_snap *s, bool utf8, struct pace_line_head *h)
{
	const struct pace_say say = { .f = f, .utf8 = utf8 };

	put_events(&say, s);
	for (size_t i = 0; i < s->n; i++) {
		const struct pace_snap_session *v = &s->session[i];

		if (v->seen && v->newest.at_ns == s->at_ns)
			put_report(&say, s, v, h);
	}
}

static void
put_path(const struct pace_say *say, const struct pace_snap_session *v)
{
	struct pace_tally n = v->now.all;
	char text[128];

	pace_say_count(say, 12, v->now.probe.sent);
	pace_say_count(say, 9, pace_tally_lost(&n));
	pace_say_cell(say, 9, pace_percent(pace_tally_loss(&n), text, sizeof(text)));
	pace_say_count(say, 9, n.reordered);
	pace_say_count(say, 9, v->now.probe.out.n);
	pace_say_cell(say, 12, pace_print(PACE_UNIT_USEC, mean_of(&v->way[PACE_WAY_BOTH]), text,
	    sizeof(text)));
	pace_say(say, "  %s%s\n", pace_glyph_clean(pace_session_name(v), say->utf8, text,
	    sizeof(text)), pace_snap_outage(v) > 0 ? " (down)" : "");
}

void
pace_line_paths_sum(FILE *f, const struct pace_snap *s, size_t rows, bool utf8)
{
	const struct pace_say say = { .f = f, .utf8 = utf8 };
	const struct pace_ui ui = { .sort = PACE_SORT_TROUBLE };
	size_t *order = calloc(s->n + 1, sizeof(*order));
	char host[256], seen[32];

	pace_say(&say, "watcher on %s, seen for %s, %zu path%s%s\n",
	    pace_glyph_clean(s->head.host[0] != '\0' ? s->head.host : "?", utf8, host,
	    sizeof(host)), pace_clock_text(s->at_ns - s->first_ns, seen, sizeof(seen)), s->n,
	    s->n == 1 ? "" : "s", s->n > rows ? ", the worst of them:" : "");
	if (order == NULL || s->n == 0) {
		free(order);
		return;
	}
	pace_ui_order(&ui, s, order);
	pace_say(&say, "        sent     lost  lost       reord  outages         RTT  path\n");
	for (size_t i = 0; i < s->n && i < rows; i++)
		put_path(&say, &s->session[order[i]]);
	free(order);
}
