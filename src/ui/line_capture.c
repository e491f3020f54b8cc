/* A capture without a screen: its flows, a line each, and their sum. */
#include "out/time_text.h"
#include "ui/line.h"

#include <inttypes.h>
#include <math.h>

#include "core/units.h"
#include "out/glyph.h"
#include "out/say.h"
#include "ui/canvas.h"

static void
put_loss(const struct pace_say *say, const struct pace_snap *s, const struct pace_tally *n)
{
	char a[40];

	if (n->frames > 0 && n->unnumbered >= n->frames && n->lost <= 0) {
		pace_say(say, ", no numbers: loss not known");
		return;
	}
	pace_say(say, ", lost %s", pace_print(PACE_UNIT_RATIO, pace_tally_loss(n), a, sizeof(a)));
	if (n->lost > 0)
		pace_say(say, " (%s by number%s%s)", pace_print_count(pace_tally_lost(n), a), s->capture.doubt_ns > 0 ?
		    ", perhaps the capture's own: it dropped " : "", s->capture.doubt_ns > 0 ?
		    pace_print_count(s->capture.doubt, (char[40]){ 0 }) : "");
	pace_say(say, ", out of order %s", pace_print_count(n->reordered, a));
	pace_say(say, ", duplicates %s", pace_print_count(n->duplicates, a));
}

static void
put_flow(const struct pace_say *say, const struct pace_snap *s, const struct pace_snap_session *v,
    enum pace_live_figure unit)
{
	const struct pace_tick *t = &v->newest;
	char day[32], name[256], format[64], a[40], b[40];

	pace_say(say, "%s  ", pace_day_text(s->at_ns, day, sizeof(day)));
	if (v->now.flow.sum)
		pace_say(say, "all of %s %s", pace_print_count(s->capture.now.streams, a), s->capture.now.streams == 1 ?
		    "stream" : "streams");
	else
		pace_say(say, "flow %" PRIu64 " %s %s", v->now.number, pace_glyph_clean(v->now.flow.format,
		    say->utf8, format, sizeof(format)), pace_glyph_clean(v->now.label, say->utf8, name,
		    sizeof(name)));
	pace_say(say, "  received %s %s, %s frames/s",
	    pace_print(PACE_UNIT_BPS, pace_tick_bps(t, unit, v->now.ipv6), a, sizeof(a)),
	    pace_unit_name(unit), pace_print(PACE_UNIT_COUNT, t->span_ns > 0 ?
	    1e9 * (double)t->n.frames / (double)t->span_ns : NAN, b, sizeof(b)));
	put_loss(say, s, &t->n);
	if (t->gaps.n > 0)
		pace_say(say, ", spacing %s", pace_print(PACE_UNIT_USEC, t->gaps.mean, a, sizeof(a)));
	if (v->now.flow.sum && s->capture.now.has_drops)
		pace_say(say, ", the capture itself dropped %s", pace_print_count(s->capture.now.just_dropped, a));
	pace_say(say, "\n");
}

void
pace_line_capture(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, bool utf8)
{
	struct pace_say say = { .f = f, .utf8 = utf8 };

	for (size_t i = 0; i < s->n; i++) {
		const struct pace_snap_session *v = &s->session[i];

		if (v->seen && v->newest.at_ns == s->at_ns && (v->now.flow.sum || v->newest.n.frames > 0 ||
		    v->newest.n.lost != 0))
			put_flow(&say, s, v, unit);
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
	pace_say_cell(say, 14, pace_print(PACE_UNIT_BPS, rate->weight > 0 ? rate->sum / rate->weight :
	    NAN, text, sizeof(text)));
	pace_say(say, "  %s", pace_glyph_clean(v->now.flow.format, say->utf8, text, sizeof(text)));
	pace_say(say, "%s%s%s\n", v->now.flow.sum ? "" : " ", pace_glyph_clean(v->now.label, say->utf8, text,
	    sizeof(text)), v->doubtful > 0 && n.lost > 0 ? " (?)" : "");
}

void
pace_line_capture_sum(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, size_t rows,
    bool utf8)
{
	struct pace_say say = { .f = f, .utf8 = utf8 };
	char where[128], seen[32], n[40];

	pace_say(&say, "capture on %s, seen for %s, %s streams", pace_glyph_clean(
	    s->head.interface[0] != '\0' ? s->head.interface : "?", utf8, where, sizeof(where)),
	    pace_clock_text(s->uptime_ns, seen, sizeof(seen)), pace_print_count(s->capture.now.streams, n));
	if (s->capture.now.has_drops)
		pace_say(&say, "; it dropped %s frames itself", pace_print_count(pace_capture_dropped(s), n));
	pace_say(&say, "%s\n", pace_capture_dropped(s) > 0 ? ": a loss with ? may be its own" : "");
	pace_say(&say, "    no.         frames        lost         %%     mean %-4s  stream\n",
	    pace_unit_name(unit));
	for (size_t i = 0; i < s->n && i < rows + 1; i++)
		put_row(&say, &s->session[i], unit);
	if (s->n > rows + 1)
		pace_say(&say, "    and %s more\n", pace_print_count(s->n - rows - 1, n));
}
