/* A capture without a screen: its flows, a line each, and their sum. */
#include "out/time_text.h"
#include "ui/line.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/units.h"
#include "out/glyph.h"
#include "ui/parts.h"

enum { TIME, NUMBER, RATE, FRAMES, LOST, RATIO, ORDER, DUPLICATES, STREAM, COLUMNS };
enum { IS_UTC, IS_WHOLE, IS_RATE, IS_FRAMES, IS_PERCENT, IS_ORDER, IS_TEXT, UNITS };

static const struct pace_column columns[COLUMNS] = {
	[TIME] = { "time", 9, IS_UTC }, [NUMBER] = { "no.", 6, IS_WHOLE },
	[RATE] = { "Mbit/s", 10, IS_RATE }, [FRAMES] = { "frames/s", 9, IS_WHOLE },
	[LOST] = { "lost", 9, IS_FRAMES }, [RATIO] = { "lost", 8, IS_PERCENT },
	[ORDER] = { "out of", 7, IS_ORDER }, [DUPLICATES] = { "dup", 5, IS_WHOLE },
	[STREAM] = { "stream", 8, IS_TEXT },
};
#define NAME_CELLS	37		/* with two blanks before them: the rest of the line */

/* Format and addresses; where they are too long for it, where it goes to. */
static const char *
name_of(const struct pace_say *say, const struct pace_snap *s, const struct pace_snap_session *v,
    char *buf, size_t size)
{
	const char *to = strstr(v->now.label, " > ");
	char name[512], n[40];

	if (v->now.flow.sum)
		snprintf(name, sizeof(name), "all %s stream%s",
		    pace_print_count(s->capture.now.streams, n),
		    s->capture.now.streams == 1 ? "" : "s");
	else
		snprintf(name, sizeof(name), "%s %s", v->now.flow.format, v->now.label);
	if (to != NULL && pace_text_cells(name) + 2 > NAME_CELLS)
		snprintf(name, sizeof(name), "%s%s", v->now.flow.format, to);
	pace_line_fit(say, name, NAME_CELLS, buf, size);
	while (buf[0] != '\0' && buf[strlen(buf) - 1] == ' ')
		buf[strlen(buf) - 1] = '\0';
	return buf;
}

static void
put_flow(const struct pace_say *say, const struct pace_snap *s, const struct pace_snap_session *v,
    enum pace_live_figure unit, struct pace_line_head *h)
{
	const struct pace_scale units[UNITS] =
	    { [IS_UTC] = { "UTC", 1, 0 }, [IS_WHOLE] = { "", 1, 0 },
	    [IS_RATE] = { pace_unit_name(unit), 1e6, 3 }, [IS_FRAMES] = { "frames", 1, 0 },
	    [IS_PERCENT] = { "%", 1, PACE_AS_PERCENT }, [IS_ORDER] = { "order", 1, 0 },
	    [IS_TEXT] = { "", 1, 0 } };
	const struct pace_row_table table = { columns, COLUMNS, units, 0 };
	const struct pace_tick *t = &v->newest;
	bool known = t->n.frames == 0 || t->n.unnumbered < t->n.frames || t->n.lost > 0;
	char day[32], name[256], lost[48];
	const char *text[COLUMNS] = { [TIME] = pace_day_text(s->at_ns, day, sizeof(day)),
	    [NUMBER] = v->now.flow.sum ? "-" : NULL,
	    [STREAM] = name_of(say, s, v, name, sizeof(name)) };
	double figures[COLUMNS] = { [NUMBER] = (double)v->now.number,
	    [RATE] = pace_tick_bps(t, unit, v->now.ipv6),
	    [FRAMES] = t->span_ns > 0 ? 1e9 * (double)t->n.frames / (double)t->span_ns : NAN,
	    [LOST] = known ? (double)t->n.lost : NAN, [RATIO] = known ? pace_tally_loss(&t->n) :
	    NAN,
	    [ORDER] = known ? (double)t->n.reordered : NAN,
	    [DUPLICATES] = known ? (double)t->n.duplicates : NAN };

	if (t->n.lost > 0 && s->capture.doubt_ns > 0) {
		pace_part_count_in(pace_tally_lost(&t->n), columns[LOST].width - 2, lost);
		text[LOST] = strcat(lost, "?");
	}
	pace_line_row(say, &table, h, text, figures);
	pace_say(say, "\n");
	if (v->now.flow.sum && s->capture.now.just_dropped > 0)
		pace_say(say, "%s     -  the capture itself dropped %s frames: a loss with ? may be its own\n",
		    day, pace_print_count(s->capture.now.just_dropped, lost));
}

void
pace_line_capture(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, bool utf8,
    struct pace_line_head *h)
{
	struct pace_say say = { .f = f, .utf8 = utf8 };

	for (size_t i = 0; i < s->n; i++) {
		const struct pace_snap_session *v = &s->session[i];

		if (v->seen && v->newest.at_ns == s->at_ns &&
		    (v->now.flow.sum || v->newest.n.frames > 0 ||
		    v->newest.n.lost != 0))
			put_flow(&say, s, v, unit, h);
	}
}

static void
put_row(const struct pace_say *say, const struct pace_snap_session *v, enum pace_live_figure unit)
{
	const struct pace_range *rate = &v->of[unit];
	struct pace_tally n = pace_tally_since(&v->now.all, &v->base);
	bool known = n.frames > n.unnumbered || n.lost > 0;
	char text[256], number[24];

	snprintf(number, sizeof(number), "%" PRIu64, v->now.number);
	pace_say(say, "  %5s", number);
	pace_say_count(say, 15, n.frames);
	if (known)
		pace_say_count(say, 12, pace_tally_lost(&n));
	else
		pace_say_cell(say, 12, "-");
	pace_say_cell(say, 10, pace_percent(pace_tally_loss(&n), text, sizeof(text)));
	pace_say_cell(say, 14, pace_print(PACE_UNIT_BPS, rate->weight > 0 ?
	    rate->sum / rate->weight :
	    NAN, text, sizeof(text)));
	pace_say(say, "  %s", pace_glyph_clean(v->now.flow.format, say->utf8, text, sizeof(text)));
	pace_say(say, "%s%s%s\n", v->now.flow.sum ? "" : " ",
	    pace_glyph_clean(v->now.label, say->utf8, text,
	    sizeof(text)), v->doubtful > 0 && n.lost > 0 ? " (?)" : "");
}

void
pace_line_capture_sum(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, size_t rows,
    bool utf8)
{
	struct pace_say say = { .f = f, .utf8 = utf8 };
	char where[128], seen[32], n[40];

	pace_say(&say, "%s on %s, seen for %s, %s streams",
	    s->head.socket ? "receiving" : "capture", pace_glyph_clean(
	    s->head.interface[0] != '\0' ? s->head.interface : "?", utf8, where, sizeof(where)),
	    pace_clock_text(s->uptime_ns, seen, sizeof(seen)),
	    pace_print_count(s->capture.now.streams, n));
	if (s->capture.now.has_drops)
		pace_say(&say, "; it dropped %s frames itself",
		    pace_print_count(pace_capture_dropped(s), n));
	pace_say(&say, "%s\n", pace_capture_dropped(s) > 0 ? ": a loss with ? may be its own" : "");
	pace_say(&say, "    no.         frames        lost         %%     mean %-4s  stream\n",
	    pace_unit_name(unit));
	for (size_t i = 0; i < s->n && i < rows + 1; i++)
		put_row(&say, &s->session[i], unit);
	if (s->n > rows + 1)
		pace_say(&say, "    and %s more\n", pace_print_count(s->n - rows - 1, n));
}
