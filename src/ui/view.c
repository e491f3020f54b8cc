/* The frame of every screen, and what each page puts into it. */
#include "ui/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "out/glyph.h"
#include "out/say.h"
#include "out/time_text.h"
#include "ui/line.h"
#include "ui/parts.h"

/* --- the frame ------------------------------------------------------------- */

/* All of the run, or what is clear without the kind of stream, or nothing. */
static void
put_run(const struct pace_scene *c, int row, int col, int room)
{
	static const char *const kinds[] = { "stream ", "trains of " };
	char run[160];
	const char *text = run;

	pace_part_run(c, run, sizeof(run));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (pace_text_cells(text) > room && strncmp(text, kinds[i], strlen(kinds[i])) == 0)
			text += strlen(kinds[i]);
	if (pace_text_cells(text) <= room)
		pace_canvas_text(c->g, row, col, room, PACE_ROLE_TEXT, text);
}

/* Session and run; at the right the state and its duration.  If the tabs have no room for a
 * warning, it stands here, and the names are shortened. */
static void
head(const struct pace_scene *c, int row)
{
	struct pace_canvas *g = c->g;
	char who[512], time[80], state[128];
	const char *mood;
	enum pace_role role;
	int end, col = 1, room, wide = g->cols >= 60;

	pace_part_who(c, who, sizeof(who));
	pace_part_time(c, time, sizeof(time));
	snprintf(state, sizeof(state), "%s%s%s", pace_part_state(c), time[0] != '\0' ? "  " : "",
	    time);
	end = g->cols - pace_text_cells(state) - 1;
	pace_canvas_text(g, row, end > 0 ? end : 0, g->cols, PACE_ROLE_NOW, state);
	(void)pace_part_mood(c, &role, &mood);
	if (role == PACE_ROLE_GOOD)
		mood = "";
	if (wide)
		col += pace_canvas_text(g, row, col, end - col - 1, PACE_ROLE_TITLE, "udpace") + 2;
	room = end - col - 1 - (wide ? 0 : pace_text_cells(mood) + 1);
	col += pace_canvas_text(g, row, col, room < 60 ? room : 60, PACE_ROLE_NOW, who);
	if (wide)
		put_run(c, row, col + 3, end - col - 4);
	else
		pace_canvas_text(g, row, col + 1, end - col - 2, role, mood);
}

/* " (3 light)", or nothing. */
static const char *
light_of(const struct pace_totals *t, char *buf, size_t size)
{
	buf[0] = '\0';
	if (t->light > 0)
		snprintf(buf, size, " (%" PRIu64 " light)", t->light);
	return buf;
}

/* The sender's figures of our own stream, or a capture's, or the responder's; and the record. */
static void
second_head(const struct pace_scene *c, int row)
{
	const struct pace_snap *s = c->s;
	const struct pace_capture_status *k = &s->capture.now;
	bool own = c->v != NULL && c->v->now.probe.known;
	char a[40], b[40], light[40];
	int col = 1, end = c->g->cols - 1;

	if (s->head.watch)
		col += pace_canvas_say(c->g, row, col, end - col, PACE_ROLE_FAINT,
		    "watcher %s on %s \xc2\xb7 paths %" PRIu64 "%s%s", s->head.version, s->head.host,
		    s->totals.active, c->v != NULL ? " \xc2\xb7 this one to " : "",
		    c->v != NULL ? c->v->now.peer : "");
	else if (own && c->v->now.run.down)
		col += pace_canvas_say(c->g, row, col, end - col, PACE_ROLE_FAINT,
		    "from %s port %" PRIu64 " \xc2\xb7 sent there %s \xc2\xb7 drawing takes %.1f %% of a "
		    "core", s->head.address, s->head.port,
		    pace_print_count(c->v->now.probe.sent, a), 100 * c->v->now.probe.core);
	else if (own)
		col += pace_canvas_say(c->g, row, col, end - col, PACE_ROLE_FAINT,
		    "to %s port %" PRIu64 " \xc2\xb7 sent %s \xc2\xb7 refused by this host %s \xc2\xb7 drawing "
		    "takes %.1f %% of a core", s->head.address, s->head.port,
		    pace_print_count(c->v->now.probe.sent, a),
		    pace_print_count(c->v->now.probe.refused, b),
		    100 * c->v->now.probe.core);
	else if (k->known)
		col += pace_canvas_say(c->g, row, col, end - col, PACE_ROLE_FAINT,
		    "udpace %s on %s \xc2\xb7 frames seen %s, of UDP %s \xc2\xb7 process %.1f %% of a core",
		    s->head.version, s->head.host[0] != '\0' ? s->head.host : "this host",
		    pace_print_count(k->frames, a), pace_print_count(k->udp, b),
		    100 * c->ui->own_share);
	else
		col += pace_canvas_say(c->g, row, col, end - col, PACE_ROLE_FAINT,
		    "responder %s at %s port %" PRIu64 " \xc2\xb7 up %s \xc2\xb7 sessions open %" PRIu64 "%s, ever %"
		    PRIu64 " \xc2\xb7 refused %" PRIu64 " \xc2\xb7 junk %" PRIu64,
		    s->head.version, s->head.address,
		    s->head.port, pace_clock_text(s->uptime_ns, a, sizeof(a)), s->totals.active,
		    light_of(&s->totals, light, sizeof(light)), s->totals.opened,
		    pace_totals_refused(&s->totals), s->totals.at_port.junk);
	if (!own && !k->known && c->ui->own_share > 0)
		col += pace_canvas_say(c->g, row, col, end - col, PACE_ROLE_FAINT,
		    " \xc2\xb7 display %.1f %% of a core", 100 * c->ui->own_share);
	if (c->ui->record != NULL && c->ui->record_error == NULL)
		pace_canvas_say(c->g, row, col, end - col, PACE_ROLE_TEXT, " \xc2\xb7 recording %s",
		    c->ui->record);
}

static const struct { const char *digit, *name, *brief; } tabs[PACE_PAGES] = {
	{ "1", "Overview", "Overview" }, { "2", "Rate", "Rate" }, { "3", "Histogram", "Hist" },
	{ "4", "Sweep", "Sweep" }, { "5", "Host", "Host" }, { "6", "Streams", "Streams" },
	{ "7", "Events", "Events" },
};

/* The texts of the tabs, from wide to narrow. */
enum tab_form { TABS_APART, TABS_FULL, TABS_BRIEF, TABS_PLUS, TABS_HERE, TABS_DIGITS, TABS_FORMS };

static void
tab_text(const struct pace_scene *c, int page, enum tab_form form, char *buf, size_t size)
{
	bool here = (int)c->ui->page == page;
	uint64_t unread = c->s->events > c->ui->events_seen ? c->s->events - c->ui->events_seen : 0;
	bool words = form <= TABS_PLUS || (form == TABS_HERE && here);
	const char *name = form <= TABS_FULL ? tabs[page].name : tabs[page].brief;
	char count[32] = "";

	if (page == PACE_PAGE_EVENTS && unread > 0 && !here && form <= TABS_BRIEF)
		snprintf(count, sizeof(count), " (%" PRIu64 ")", unread > 999 ? 999 : unread);
	else if (page == PACE_PAGE_EVENTS && unread > 0 && !here && form == TABS_PLUS)
		snprintf(count, sizeof(count), "+");
	snprintf(buf, size, "%s%s%s%s%s%s%s", here ? "[" : " ", tabs[page].digit, words ? " " : "",
	    words ? name : "", count, here ? "]" : " ", form == TABS_APART ? " " : "");
}

static int
tabs_cells(const struct pace_scene *c, enum tab_form form)
{
	char text[64];
	int n = 0;

	for (int i = 0; i < PACE_PAGES; i++) {
		tab_text(c, i, form, text, sizeof(text));
		n += pace_text_cells(text);
	}
	return n;
}

/* The position in a record, and its speed. */
static void
replay_text(const struct pace_scene *c, char *buf, size_t size)
{
	char at[32];

	buf[0] = '\0';
	if (!c->ui->replay)
		return;
	pace_day_text(c->s->at_ns, at, sizeof(at));
	if (c->ui->over)
		snprintf(buf, size, "record %s, its end", at);
	else if (c->ui->speed > 0)
		snprintf(buf, size, "record %s x%.*f", at, c->ui->speed < 1 ? 4 : 0,
		    c->ui->speed);
	else
		snprintf(buf, size, "record %s", at);
}

/* How it goes has its room first, in few words; then tabs have theirs; and many words where
 * there is more. */
static void
tab_row(const struct pace_scene *c, int row)
{
	enum pace_role role;
	const char *brief, *mood = pace_part_mood(c, &role, &brief);
	int col = c->g->cols >= 60 ? 1 : 0, end;
	int apart = c->ui->page == PACE_PAGE_EVENTS ? 2 : 1;	/* a tab ends with a blank or ']' */
	int form = c->g->cols >= 100 ? TABS_APART : TABS_FULL;
	char text[80];

	while (form < TABS_DIGITS && c->g->cols <
	    col + tabs_cells(c, (enum tab_form)form) + pace_text_cells(brief) + apart)
		form++;
	for (int i = 0; i < PACE_PAGES; i++) {
		tab_text(c, i, (enum tab_form)form, text, sizeof(text));
		col += pace_canvas_text(c->g, row, col, c->g->cols - col, (int)c->ui->page == i ?
		    PACE_ROLE_CHOSEN : PACE_ROLE_TEXT, text);
	}
	if (col + pace_text_cells(mood) + apart > c->g->cols)
		mood = brief;
	end = c->g->cols - pace_text_cells(mood) - 1;
	if (col <= end)
		pace_canvas_text(c->g, row, end, c->g->cols, role, mood);
	replay_text(c, text, sizeof(text));
	if (pace_text_cells(text) + 4 + col < end)
		pace_canvas_right(c->g, row, col + 1, end - col - 3, PACE_ROLE_FAINT, text);
}

/* A notice, or the keys of this page. */
static void
foot(const struct pace_scene *c, int row)
{
	static const char help[] = "? help";
	int col = 1, end = c->g->cols - (int)sizeof(help);

	if (c->ui->typing) {
		col += pace_canvas_text(c->g, row, col, c->g->cols - 2, PACE_ROLE_NOW, "note: ");
		col += pace_canvas_text(c->g, row, col, c->g->cols - col - 2, PACE_ROLE_TEXT,
		    c->ui->note);
		c->g->cursor_row = row;
		c->g->cursor_col = col;
		pace_canvas_text(c->g, row, col + 3, c->g->cols - col - 3, PACE_ROLE_FAINT,
		    "(Enter keeps it, Esc does not)");
		return;
	}
	if (c->ui->asking) {
		col += pace_canvas_text(c->g, row, col, c->g->cols - 2, PACE_ROLE_TITLE,
		    "Stop?") + 2;
		for (int i = 0; i < PACE_ANSWERS; i++) {
			pace_canvas_put(c->g, row, col, (uint32_t)pace_answers[i].key,
			    PACE_ROLE_NOW);
			col += 2 + pace_canvas_text(c->g, row, col + 2, c->g->cols - col - 2,
			    PACE_ROLE_TEXT,
			    pace_answers[i].words) + 3;
		}
		return;
	}
	if (c->ui->notice[0] != '\0') {
		pace_canvas_text(c->g, row, 1, c->g->cols - 2, PACE_ROLE_NOW, c->ui->notice);
		return;
	}
	pace_canvas_text(c->g, row, end, 1, PACE_ROLE_NOW, help);
	pace_canvas_text(c->g, row, end + 1, 5, PACE_ROLE_TEXT, help + 1);
	for (size_t i = 0; i < pace_hotkeys_n; i++) {
		const struct pace_hotkey *k = &pace_hotkeys[i];
		const char *brief = k->act == PACE_ACT_PAUSE && (c->ui->paused || c->ui->held) ?
		    "resume" :
		    k->brief;
		char name[32];

		if (brief == NULL || !pace_hotkey_holds(k, c->ui) || k->act == PACE_ACT_HELP)
			continue;
		snprintf(name, sizeof(name), "%s", strcmp(k->name, "-") == 0 ? "+/-" :
		    strcmp(k->name, ">") == 0 ? "</>" : k->name);
		name[strcspn(name, ",")] = '\0';
		if (col + pace_text_cells(name) + 1 + pace_text_cells(brief) >= end)
			break;
		col += pace_canvas_text(c->g, row, col, c->g->cols - col, PACE_ROLE_NOW, name) + 1;
		col += pace_canvas_text(c->g, row, col, c->g->cols - col, PACE_ROLE_TEXT,
		    brief) + 2;
	}
}

/* --- pages ----------------------------------------------------------------- */

/* The two directions of the monitor's own two-way stream beside each other; the one that the page
 * shows is emphasised.  Returns the rows used. */
static int
two_ways(const struct pace_scene *c, const struct pace_box *b)
{
	int half = b->cols / 2;

	if (c->s->head.watch || c->s->n != 2 || !c->s->session[0].now.probe.known ||
	    !c->s->session[1].now.probe.known || b->rows < 12)
		return 0;
	for (int i = 0; i < 2; i++) {
		const struct pace_snap_session *v = &c->s->session[i];
		const struct pace_range *r = &v->of[c->ui->unit];
		char rate[32] = "-", lost[64], delay[32] = "-";

		if (r->known)
			pace_print(PACE_UNIT_BPS, r->now, rate, sizeof(rate));
		if (v->newest.above.n > 0)
			pace_print(PACE_UNIT_USEC, v->newest.above.mean, delay, sizeof(delay));
		pace_percent(pace_tally_loss(&v->newest.n), lost, sizeof(lost));
		lost[strcspn(lost, " ")] = '\0';
		pace_canvas_say(c->g, b->row, b->col + i * half + 1, half - 2,
		    v == c->v ? PACE_ROLE_NOW : PACE_ROLE_TEXT, "%-4s %s \xc2\xb7 lost %s %% \xc2\xb7 "
		    "+%s", v->now.run.down ? "down" : "up", rate, lost, delay);
	}
	return 1;
}

/* Graph, strip, locations and hints below the table, as far as they fit. */
static void
draw_overview(const struct pace_scene *c, const struct pace_box *box)
{
	int ways = two_ways(c, box);
	struct pace_box below = { .row = box->row + ways, .col = box->col,
	    .rows = box->rows - ways, .cols = box->cols };
	const struct pace_box *b = &below;
	struct pace_box table = *b, graph = *b, hints = *b, state = *b;
	int side = b->cols >= 72 ? 14 : 0, left = b->rows, at;

	table.rows = left >= pace_part_table_rows(c) + 1 + 2 ? pace_part_table_rows(c) + 1 :
	    left > 4 ? left - 2 : left - 1;
	pace_part_table(c, &table);
	at = b->row + table.rows;
	left -= table.rows;
	state.rows = pace_part_is_stamp(c) && left >= 10 ? 2 : 0;
	left -= state.rows;
	hints.rows = left >= 11 ? 2 : left >= 8 ? 1 : 0;
	graph.row = at + 1;
	graph.rows = left - hints.rows - 3;	/* a rule, the strip, places */
	graph.cols -= side;
	if (graph.rows >= 4) {
		pace_canvas_rule(c->g, at, b->col, b->cols);
		if (pace_part_is_stamp(c))
			pace_part_delay(c, &graph);
		else
			pace_part_rate(c, &graph);
		if (side > 0)
			pace_canvas_text(c->g, graph.row + graph.rows - 1,
			    graph.col + graph.cols + 1, side,
			    PACE_ROLE_FAINT, "now");
		at = graph.row + graph.rows;
	} else {
		hints.rows = left - 2;
	}
	if (left >= 1)
		pace_part_strip(c, at++, b->col, b->cols - side, side > 0);
	if (left >= 2)
		pace_part_where(c, at++, b->col, b->cols);
	state.row = at;
	if (state.rows > 0)
		pace_part_stamp_state(c, &state);
	hints.row = at + state.rows;
	pace_part_hints(c, &hints);
}

/* Two halves of a height, a rule above them. */
static void
halves(const struct pace_scene *c, struct pace_box *left, struct pace_box *right, int row, int rows,
    bool first)
{
	pace_canvas_rule(c->g, row, 0, c->g->cols);
	left->row = right->row = row + 1;
	left->rows = right->rows = rows;
	pace_canvas_put(c->g, row, left->cols, first ? 0x252c : 0x253c, PACE_ROLE_RULE);
	for (int i = 1; i <= rows; i++)
		pace_canvas_put(c->g, row + i, left->cols, 0x2502, PACE_ROLE_RULE);
}

/* The table across, then three rows of panels. */
static void
draw_wide(const struct pace_scene *c, const struct pace_box *b)
{
	struct pace_box table = *b, left = { .col = 0, .cols = 46 };
	struct pace_box right = { .col = 47, .cols = b->cols - 47 }, one;
	int rest, high, middle, low, row;

	table.rows = pace_part_table_rows(c) + 1;
	pace_part_table(c, &table);
	row = b->row + table.rows;
	rest = b->rows - table.rows - 3;
	high = rest * 2 / 5 < 9 ? 9 : rest * 2 / 5;
	middle = (rest - high + 1) / 2;
	low = rest - high - middle;

	halves(c, &left, &right, row, high, true);
	pace_part_ladder(c, &left);
	one = right;
	one.rows = high - 2;
	pace_part_rate(c, &one);
	pace_part_strip(c, right.row + high - 2, right.col, right.cols, false);
	pace_part_order_strip(c, right.row + high - 1, right.col, right.cols);
	row += high + 1;

	halves(c, &left, &right, row, middle, false);
	if (c->s->n == 1)	/* the table above shows it already */
		pace_page_hist(c, &left);
	else
		pace_part_sessions(c, &left, false);
	pace_part_delay(c, &right);
	row += middle + 1;

	halves(c, &left, &right, row, low, false);
	pace_canvas_text(c->g, left.row, left.col + 1, left.cols, PACE_ROLE_TITLE,
	    "What to look at");
	one = left;
	one.row++;
	one.rows--;
	pace_part_hints(c, &one);
	pace_part_news(c, &right);
}

static void
draw_rate(const struct pace_scene *c, const struct pace_box *b)
{
	static const char *const legends[] = {
		". none 1 <0.01% 2 <0.1% 3 <1% 4 <10% 5 >=10% X all O no report",
		". none 1 <0.01% 2 <0.1% 3 <1% 4 <10% 5 >=10%",
		"1 <.01 2 <.1 3 <1 4 <10 5 more, %" };
	int strips = b->rows >= 8 ? 3 : b->rows >= 5 ? 2 : 1;
	bool two = b->rows >= 14 && !c->s->capture.now.known;	/* it knows no delay */
	struct pace_box rate = *b, delay = *b;

	rate.rows = two ? (b->rows - strips) * 3 / 5 : b->rows - strips;
	pace_part_rate(c, &rate);
	pace_part_strip(c, b->row + rate.rows, b->col, b->cols, false);
	if (strips > 1)
		pace_part_order_strip(c, b->row + rate.rows + 1, b->col, b->cols);
	for (size_t i = 0; strips > 2 && i < sizeof(legends) / sizeof(legends[0]); i++)
		if (PACE_CHART_MARGIN + pace_text_cells(legends[i]) <= b->cols) {
			pace_canvas_text(c->g, b->row + rate.rows + 2, b->col + PACE_CHART_MARGIN,
			    b->cols,
			    PACE_ROLE_FAINT, legends[i]);
			break;
		}
	delay.row += rate.rows + strips;
	delay.rows = b->rows - rate.rows - strips;
	if (two)
		pace_part_delay(c, &delay);
}

/* What the rows of the list are. */
static const char *
rows_are(const struct pace_snap *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->session[i].now.stream > 0)
			return "rows";
	return s->capture.now.known ? "rows" : s->n == 1 ? "session" : "sessions";
}

static void
draw_streams(const struct pace_scene *c, const struct pace_box *b)
{
	static const char *const sorts[PACE_SORTS] = { "number", "loss", "rate", "name",
	    "trouble" };
	struct pace_box list = *b;
	bool foot_line = b->rows > 4;

	list.rows -= foot_line;
	pace_part_sessions(c, &list, true);
	if (foot_line && c->s->head.watch)
		pace_canvas_say(c->g, b->row + b->rows - 1, b->col + 1, b->cols - 1,
		    PACE_ROLE_FAINT, "%zu path%s, by %s%s (s changes it)", c->s->n,
		    c->s->n == 1 ? "" : "s", sorts[c->ui->sort], c->ui->backwards ? ", backwards" : "");
	else if (foot_line && b->cols < 72)
		pace_canvas_say(c->g, b->row + b->rows - 1, b->col + 1, b->cols - 1,
		    PACE_ROLE_FAINT,
		    "by %s (s), rates: %s (u)", sorts[c->ui->sort], pace_unit_name(c->ui->unit));
	else if (foot_line)
		pace_canvas_say(c->g, b->row + b->rows - 1, b->col + 1, b->cols - 1,
		    PACE_ROLE_FAINT,
		    "%zu %s, sorted by %s%s (s changes it); rates: %s (u)", c->s->n,
		    rows_are(c->s),
		    sorts[c->ui->sort], c->ui->backwards ? ", backwards" : "",
		    pace_unit_name(c->ui->unit));
}

static void
draw_events(const struct pace_scene *c, const struct pace_box *b)
{
	uint64_t most = c->s->events < PACE_SNAP_EVENTS ? c->s->events : PACE_SNAP_EVENTS;
	int skip = c->ui->scroll, last = (int)most - b->rows;

	skip = skip > last ? last : skip;
	pace_part_events(c, b, skip < 0 ? 0 : skip);
}

/* Lines below the keys: the meaning of marks and words, if they fit, and the user's choices. */
static int
help_words(int rows)
{
	return rows >= 12 ? 3 : 1;
}

/* The table of keys, in two columns if they fit. */
static void
draw_help(const struct pace_scene *c, const struct pace_box *b)
{
	static const char *const bars[] = { "ASCII", "blocks", "braille" };
	static const char *const words[] = {
		"lost: . none  1 <0.01%  2 <0.1%  3 <1%  4 <10%  5 >=10%  X all  O no report",
		"delay + is above that of the quickest frame so far: no clocks are compared" };
	int n = (int)pace_hotkeys_n, columns = b->cols >= 116 ? 2 : 1, at = 0;
	int rows = b->rows - help_words(b->rows), lines = (n + columns - 1) / columns;
	int skip = c->ui->scroll > lines - rows ? lines - rows : c->ui->scroll;

	if (skip < 0)
		skip = 0;
	for (int i = skip; i < lines && at < rows; i++, at++)
		for (int k = 0; k < columns; k++) {
			int which = i + k * lines, col = b->col + k * 58;

			if (which >= n)
				continue;
			pace_canvas_text(c->g, b->row + at, col + 2, 12, PACE_ROLE_NOW,
			    pace_hotkeys[which].name);
			pace_canvas_text(c->g, b->row + at, col + 14,
			    (columns == 2 && k == 0 ? 58 : b->cols) - 15,
			    PACE_ROLE_TEXT, pace_hotkeys[which].help);
		}
	for (int i = 0; i + 1 < help_words(b->rows); i++)
		pace_canvas_text(c->g, b->row + rows + i, b->col + 1, b->cols - 1, PACE_ROLE_TEXT,
		    words[i]);
	pace_canvas_say(c->g, b->row + b->rows - 1, b->col + 1, b->cols - 1, PACE_ROLE_FAINT,
	    "%sgraphs: %s, theme: %s", lines > rows ? "j, k: more lines. " : "", bars[c->ui->bars],
	    pace_theme_name(c->ui->theme));
}

/* --- small screens --------------------------------------------------------- */

/* State, rate, loss; then the strip, then the keys. */
static void
one_line(const struct pace_scene *c)
{
	static const char *const states[PACE_STATES] = { "open", "run", "drain", "done", "trips",
	    "closed", "ended" };
	const struct pace_range *r = c->v != NULL ? &c->v->of[c->ui->unit] : NULL;
	const struct pace_range *l = c->v != NULL ? &c->v->of[PACE_FIG_LOSS] : NULL;
	struct pace_measure m = pace_measure_rate(c);
	bool gone = c->ui->over && !c->ui->replay && !c->s->capture.now.known;
	const char *state = c->ui->paused || c->ui->held ? "PAUSE" : gone ? "gone" :
	    c->v == NULL ? (c->s->lines == 0 ? "wait" : "none") :
	    !gone && pace_snap_outage(c->v) > 0 ? "OUT" : states[c->v->now.state];
	char rate[40], loss[40], text[160];
	const char *mood;
	enum pace_role role;
	int n;

	pace_fixed(r != NULL && r->known && !gone ? r->now / m.one : NAN, 2, rate, sizeof(rate));
	pace_percent(l != NULL && l->known && !gone ? l->now : NAN, loss, sizeof(loss));
	loss[strcspn(loss, " ")] = '\0';
	snprintf(text, sizeof(text), "%s %s%c %s%%", state, rate, m.name[0], loss);
	if (c->v == NULL && c->s->sweep != NULL)
		snprintf(text, sizeof(text), "sweep %zu/%" PRIu64, c->s->sweep->n,
		    c->s->sweep->planned);
	n = pace_canvas_text(c->g, 0, 0, c->g->cols, PACE_ROLE_NOW, text);
	if (n < c->g->cols - 1 && pace_part_mood(c, &role, &mood) != NULL &&
	    role == PACE_ROLE_BAD)
		pace_canvas_put(c->g, 0, n + 1, '!', role);
	for (int x = 0; c->v != NULL && c->g->rows > 1 && x < c->g->cols; x++)
		pace_canvas_put(c->g, 1, x, (uint32_t)(unsigned char)pace_loss_mark(c->v,
		    (uint64_t)(c->g->cols - 1 - x), 1), PACE_ROLE_TEXT);
	if (c->g->rows > 2)
		pace_canvas_text(c->g, 2, 0, c->g->cols, PACE_ROLE_FAINT, "lost above; q quit");
}

/* --- lists ------------------------------------------------------------------ */

/* Among the hints of the overview it stands anyway. */
static bool
tells_apart(const struct pace_ui *ui)
{
	return ui->record_error != NULL && (ui->page != PACE_PAGE_OVERVIEW || ui->help);
}

/* As pace_view_draw has its frame; help in two columns has as many lines less. */
int
pace_view_list_rows(const struct pace_ui *ui, int rows, int cols)
{
	int frame = 2 + (rows >= 40 && cols >= 120) + (rows >= 12) + 2 * (rows >= 20);
	int room = rows - frame - (tells_apart(ui) && rows >= 12);

	room -= ui->help ? help_words(room) : 0;
	return ui->help && cols >= 116 ? room + (int)pace_hotkeys_n / 2 : room;
}

/* --- a screen -------------------------------------------------------------- */

static void
page(const struct pace_scene *c, const struct pace_box *b)
{
	static void (*const pages[PACE_PAGES])(const struct pace_scene *c,
	    const struct pace_box *b) = {
	    [PACE_PAGE_RATE] = draw_rate, [PACE_PAGE_HIST] = pace_page_hist,
	    [PACE_PAGE_SWEEP] = pace_page_sweep, [PACE_PAGE_HOST] = pace_page_host,
	    [PACE_PAGE_STREAMS] = draw_streams, [PACE_PAGE_EVENTS] = draw_events };

	if (c->ui->help)
		draw_help(c, b);
	else if (c->s->campaign && c->v == NULL && c->ui->page != PACE_PAGE_SWEEP &&
	    c->ui->page != PACE_PAGE_EVENTS)
		pace_page_campaign(c, b);
	else if (pages[c->ui->page] != NULL)
		pages[c->ui->page](c, b);
	else if (c->s->capture.now.known)
		pace_page_capture(c, b);
	else if (c->g->rows >= 40 && c->g->cols >= 120)
		draw_wide(c, b);
	else
		draw_overview(c, b);
}

/* A sum has no distribution: that of the stream with most frames; none: at. */
static int
busiest(const struct pace_snap *s, int at)
{
	uint64_t most = 0;

	for (size_t i = 0; i < s->n; i++)
		if (!s->session[i].now.flow.sum && s->session[i].now.all.frames > most) {
			most = s->session[i].now.all.frames;
			at = (int)i;
		}
	return at;
}

void
pace_view_draw(struct pace_canvas *g, const struct pace_snap *s, const struct pace_ui *ui)
{
	int at = pace_ui_shown(ui, s);
	struct pace_scene c = { .g = g, .s = s, .ui = ui };
	struct pace_box b = { .cols = g->cols };
	bool wide = g->rows >= 40 && g->cols >= 120, rules = g->rows >= 20;

	if (ui->page == PACE_PAGE_HIST && at >= 0 && s->session[at].now.flow.sum)
		at = busiest(s, at);
	c.v = at >= 0 ? &s->session[at] : NULL;
	g->cursor_row = g->cursor_col = 0;
	if (g->rows < 10 || g->cols < 40) {
		one_line(&c);
		return;
	}
	head(&c, b.row++);
	wide = wide && (c.v != NULL || !s->campaign);	/* there is no responder to tell of */
	if (wide)
		second_head(&c, b.row++);
	if (g->rows >= 12)
		tab_row(&c, b.row++);
	if (rules)
		pace_canvas_rule(g, b.row++, 0, g->cols);
	if (tells_apart(ui) && g->rows >= 12)
		pace_canvas_say(g, b.row++, 1, g->cols - 1, PACE_ROLE_BAD,
		    "! nothing more is recorded: %s", ui->record_error);
	b.rows = g->rows - b.row - 1 - rules;
	page(&c, &b);
	if (rules)
		pace_canvas_rule(g, g->rows - 2, 0, g->cols);
	if (wide && ui->page == PACE_PAGE_OVERVIEW && !ui->help && !s->capture.now.known &&
	    (c.v != NULL || !s->campaign))
		pace_canvas_put(g, g->rows - 2, 46, 0x2534, PACE_ROLE_RULE);
	foot(&c, g->rows - 1);
}
