#include "ui/hotkeys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/glyph.h"
#include "ui/sweep_grid.h"

#define O	PACE_IN(PACE_PAGE_OVERVIEW)
#define R	PACE_IN(PACE_PAGE_RATE)
#define H	PACE_IN(PACE_PAGE_HIST)
#define T	PACE_IN(PACE_PAGE_HOST)
#define W	PACE_IN(PACE_PAGE_SWEEP)
#define S	PACE_IN(PACE_PAGE_STREAMS)
#define E	PACE_IN(PACE_PAGE_EVENTS)
#define ALL	PACE_IN_ALL
#define CTRL(c)	((c) & 0x1f)
#define ESC	27
#define PAGE	10			/* rows */
#define PAN_MOST	100000		/* halves of a screen */
#define ZOOM_MOST	40		/* steps of 2 */

const int pace_windows[PACE_WINDOWS] = { 1, 2, 5, 10, 30, 60 };

const struct pace_hotkey pace_hotkeys[] = {
	{ { 'q' }, "q", ALL, PACE_ACT_QUIT, "quit", "leave, and sum up; a campaign: asks first" },
	{ { 'Q' }, "Q", ALL, PACE_ACT_QUIT_KEEP, NULL, "leave, and print the last screen as well" },
	{ { ' ', 'p' }, "SPACE, p", ALL, PACE_ACT_PAUSE, "pause",
	    "freeze what is shown; sessions go on" },
	{ { 'r' }, "r", ALL, PACE_ACT_RESET, "reset",
	    "restart the figures on the screen" },
	{ { '1' }, "1", ALL, PACE_ACT_PAGE_1, NULL, "overview of one session" },
	{ { '2' }, "2", ALL, PACE_ACT_PAGE_2, NULL, "rate, loss and delay over time" },
	{ { '3' }, "3", ALL, PACE_ACT_PAGE_3, NULL, "how spacing and delay are distributed" },
	{ { '4' }, "4", ALL, PACE_ACT_PAGE_4, NULL, "the points of a sweep" },
	{ { '5' }, "5", ALL, PACE_ACT_PAGE_5, NULL, "what the responder's host counts" },
	{ { '6' }, "6", ALL, PACE_ACT_PAGE_6, NULL, "all sessions" },
	{ { '7' }, "7", ALL, PACE_ACT_PAGE_7, NULL, "what happened when" },
	{ { '\t' }, "TAB", ALL, PACE_ACT_NEXT_PAGE, "view", "next view" },
	{ { PACE_HOTKEY_BACK_TAB }, "Shift-TAB", ALL, PACE_ACT_LAST_PAGE, NULL, "view before" },
	{ { PACE_HOTKEY_UP, 'k' }, "Up, k", ALL, PACE_ACT_UP, NULL,
	    "session before, or a line or size up" },
	{ { PACE_HOTKEY_DOWN, 'j' }, "Down, j", ALL, PACE_ACT_DOWN, NULL,
	    "next session, or a line or size down" },
	{ { PACE_HOTKEY_PAGE_UP }, "PgUp", S | E, PACE_ACT_PAGE_UP, NULL, "ten lines up" },
	{ { PACE_HOTKEY_PAGE_DOWN }, "PgDn", S | E, PACE_ACT_PAGE_DOWN, NULL, "ten lines down" },
	{ { PACE_HOTKEY_HOME }, "Home", S | E, PACE_ACT_TOP, NULL, "first line" },
	{ { PACE_HOTKEY_END }, "End", S | E, PACE_ACT_BOTTOM, NULL, "last line" },
	{ { '\r', '\n' }, "Enter", S, PACE_ACT_OPEN, "open", "show the session under the cursor" },
	{ { 's' }, "s", S, PACE_ACT_SORT, "sort", "sort by number, loss, rate, name, trouble" },
	{ { 'S' }, "S", S, PACE_ACT_BACKWARDS, NULL, "the other way round" },
	{ { 'u' }, "u", ALL & ~(H | W | T), PACE_ACT_UNIT, "units",
	    "rates on the wire, of IP, of data" },
	{ { 'n' }, "n", W | PACE_IN_CAMPAIGN, PACE_ACT_SKIP, "skip point",
	    "of a campaign: skip the running point" },
	{ { 'm' }, "m", W, PACE_ACT_METRIC, "metric", "sweep: loss, rate or order of points" },
	{ { PACE_HOTKEY_LEFT }, "Left", W, PACE_ACT_POINT_LEFT, NULL,
	    "sweep: point of shorter spacing" },
	{ { PACE_HOTKEY_RIGHT }, "Right", W, PACE_ACT_POINT_RIGHT, NULL,
	    "sweep: point of longer spacing" },
	{ { 'i' }, "i", H, PACE_ACT_QUANTITY, "quantity", "spacing of arrivals, or delay" },
	{ { 't' }, "t", H, PACE_ACT_RECENT, "recent", "of the newest lines, or of the whole run" },
	{ { 'l' }, "l", O | R | H, PACE_ACT_LOG, NULL, "delay, or counts: linear, or logarithmic" },
	{ { '+', '=' }, "+", O | R, PACE_ACT_LONGER, NULL, "graph: more time in a column" },
	{ { '-' }, "-", O | R, PACE_ACT_SHORTER, "window", "graph: less time in a column" },
	{ { '+', '=' }, "+", H, PACE_ACT_FINER, NULL, "histogram: finer columns" },
	{ { '-' }, "-", H, PACE_ACT_COARSER, "zoom", "histogram: coarser columns" },
	{ { '<', ',' }, "<", H, PACE_ACT_PAN_LEFT, NULL, "histogram: shorter times" },
	{ { '>', '.' }, ">", H, PACE_ACT_PAN_RIGHT, "pan", "histogram: longer times" },
	{ { 'z' }, "z", O | R, PACE_ACT_HOLD_SCALE, NULL, "hold the scales as they are, or not" },
	{ { PACE_HOTKEY_LEFT }, "Left", (ALL & ~W) | PACE_IN_REPLAY, PACE_ACT_BACK, "back",
	    "of a record: 10 s back" },
	{ { PACE_HOTKEY_RIGHT }, "Right", (ALL & ~W) | PACE_IN_REPLAY, PACE_ACT_ON, NULL,
	    "of a record: 10 s on" },
	{ { '<' }, "<", (ALL & ~H) | PACE_IN_REPLAY, PACE_ACT_SLOWER, NULL,
	    "of a record: half as fast" },
	{ { '>' }, ">", (ALL & ~H) | PACE_IN_REPLAY, PACE_ACT_FASTER, "speed",
	    "of a record: twice as fast" },
	{ { 'a' }, "a", ALL, PACE_ACT_NOTE, NULL, "mark this moment, with a note" },
	{ { 'w' }, "w", ALL, PACE_ACT_SAVE, NULL, "write the screen to a file" },
	{ { 'c' }, "c", ALL, PACE_ACT_THEME, NULL, "next theme of colours" },
	{ { '?', 'h', PACE_HOTKEY_F1 }, "?, h", ALL, PACE_ACT_HELP, "help", "this list, and away" },
	{ { ESC }, "Esc", ALL, PACE_ACT_CLOSE, NULL,
	    "close the list; let go; follow who measures" },
	{ { CTRL('L') }, "Ctrl-L", ALL, PACE_ACT_REPAINT, NULL, "redraw the screen" },
};
const size_t pace_hotkeys_n = sizeof(pace_hotkeys) / sizeof(pace_hotkeys[0]);

bool
pace_hotkey_holds(const struct pace_hotkey *k, const struct pace_ui *ui)
{
	return (k->pages & PACE_IN(ui->page)) != 0 &&
	    ((k->pages & PACE_IN_REPLAY) == 0 || ui->replay) &&
	    ((k->pages & PACE_IN_CAMPAIGN) == 0 || ui->campaign);
}

const struct pace_answer pace_answers[PACE_ANSWERS] = {
	{ 's', PACE_ACT_STOP_AFTER, "after this point" },
	{ 'x', PACE_ACT_STOP_NOW, "now" },
	{ 'l', PACE_ACT_LINES, "lines, no screen" },
	{ 'g', PACE_ACT_NONE, "go on" },
};

enum pace_act
pace_ui_answer(struct pace_ui *ui, int key)
{
	for (int i = 0; i < PACE_ANSWERS; i++)
		if (pace_answers[i].key == key ||
		    (pace_answers[i].act == PACE_ACT_NONE && key == ESC)) {
			ui->asking = false;
			return pace_answers[i].act;
		}
	return PACE_ACT_NONE;
}

enum pace_act
pace_hotkey_act(int code, const struct pace_ui *ui)
{
	for (size_t i = 0; i < pace_hotkeys_n; i++)
		for (int k = 0; k < 3; k++)
			if (code != 0 && pace_hotkeys[i].code[k] == code &&
			    pace_hotkey_holds(&pace_hotkeys[i], ui))
				return pace_hotkeys[i].act;
	return PACE_ACT_NONE;
}

const char *
pace_theme_name(enum pace_theme t)
{
	static const char *const names[PACE_THEMES] = { "default", "contrast", "mono", "red-free" };

	return (unsigned)t < PACE_THEMES ? names[t] : "?";
}

/* --- the list -------------------------------------------------------------- */

/* Below 0: outages, then loss in the newest interval, loss since the begin, disorder. */
static double
trouble(const struct pace_snap_session *v, const struct pace_tally *n)
{
	const struct pace_range *now = &v->of[PACE_FIG_LOSS];

	if (v->now.state == PACE_ENDED)
		return 1;
	if (pace_snap_outage(v) > 0)
		return -3;
	if (now->known && now->now > 0)
		return -2 - now->now;
	if (n->lost > 0)
		return -1 - pace_tally_loss(n);
	return n->reordered > 0 ? -1 : 0;
}

static double
rank(const struct pace_ui *ui, const struct pace_snap_session *v)
{
	struct pace_tally n = pace_tally_since(&v->now.all, &v->base);
	double loss = pace_tally_loss(&n), rate = v->of[ui->unit].now;

	if (ui->sort == PACE_SORT_LOST)
		return isnan(loss) ? 1 : -loss;
	if (ui->sort == PACE_SORT_RATE)
		return v->of[ui->unit].known ? -rate : 1;
	if (ui->sort == PACE_SORT_TROUBLE)
		return trouble(v, &n);
	return 0;
}

/* Below 0: a stands before b. */
static int
compare(const struct pace_ui *ui, const struct pace_snap_session *a,
    const struct pace_snap_session *b)
{
	bool one = a->now.stream > 0, other = b->now.stream > 0;
	double x = rank(ui, a), y = rank(ui, b);
	int c = ui->sort == PACE_SORT_NAME && !one ?
	    strcmp(pace_session_name(a), pace_session_name(b)) : (x > y) - (x < y);

	if (one != other)		/* sessions, then their streams */
		return one ? 1 : -1;
	if (c == 0)
		c = pace_key_compare(pace_session_key(&a->now), pace_session_key(&b->now));
	return ui->backwards ? -c : c;
}

/* Few at a time: sessions come in the order of their numbers. */
void
pace_ui_order(const struct pace_ui *ui, const struct pace_snap *s, size_t *v)
{
	bool taken[PACE_SNAP_SESSIONS] = { false };
	size_t first = 0, n;

	for (size_t i = 0; i < ui->ordered && i < PACE_SNAP_SESSIONS; i++) {	/* their order is held */
		int at = pace_snap_find(s, ui->order[i]);

		if (at < 0 || taken[at])
			continue;
		taken[at] = true;
		v[first++] = (size_t)at;
	}
	n = first;
	for (size_t i = 0; i < s->n; i++) {
		size_t at = n;

		if (taken[i])
			continue;
		while (at > first && compare(ui, &s->session[v[at - 1]], &s->session[i]) > 0) {
			v[at] = v[at - 1];
			at--;
		}
		v[at] = i;
		n++;
	}
}

int
pace_ui_shown(const struct pace_ui *ui, const struct pace_snap *s)
{
	const struct pace_ui by = { .sort = PACE_SORT_TROUBLE };
	int at = pace_snap_find(s, ui->session);

	if (!s->head.watch || s->n == 0 || (ui->session != 0 && at >= 0))
		return at >= 0 ? at : pace_snap_find(s, 0);
	at = 0;
	for (size_t i = 1; i < s->n; i++)
		at = compare(&by, &s->session[i], &s->session[at]) < 0 ? (int)i : at;
	return at;
}

static void
hold_order(struct pace_ui *ui, const struct pace_snap *s)
{
	size_t *v = calloc(s->n + 1, sizeof(*v));

	ui->ordered = 0;
	if (v != NULL)
		pace_ui_order(ui, s, v);
	for (; v != NULL && ui->ordered < s->n && ui->ordered < PACE_SNAP_SESSIONS; ui->ordered++)
		ui->order[ui->ordered] = pace_session_key(&s->session[v[ui->ordered]].now);
	free(v);
}

/* --- acts ------------------------------------------------------------------ */

static uint64_t
step_in(const struct pace_ui *ui, const struct pace_snap *s, uint64_t from, int step)
{
	size_t *v = calloc(s->n + 1, sizeof(*v)), at = 0;
	int64_t to;
	uint64_t key;

	if (v == NULL || s->n == 0) {
		free(v);
		return from;
	}
	pace_ui_order(ui, s, v);
	while (at < s->n && pace_session_key(&s->session[v[at]].now) != from)
		at++;
	to = at < s->n ? (int64_t)at + step : 0;
	to = to < 0 ? 0 : to >= (int64_t)s->n ? (int64_t)s->n - 1 : to;
	key = pace_session_key(&s->session[v[to]].now);
	free(v);
	return key;
}

static uint64_t
shown(const struct pace_ui *ui, const struct pace_snap *s)
{
	int at = pace_ui_shown(ui, s);

	return at >= 0 ? pace_session_key(&s->session[at].now) : 0;
}

static void
move(struct pace_ui *ui, const struct pace_snap *s, int step)
{
	if (ui->help || ui->page == PACE_PAGE_EVENTS) {
		int64_t to = (int64_t)ui->scroll + step, lines = ui->help ?
		    (int64_t)pace_hotkeys_n :
		    s->events < PACE_SNAP_EVENTS ? (int64_t)s->events : PACE_SNAP_EVENTS;

		/* no further than the last lines, so that a key up is seen at once */
		to = to > lines - ui->rows ? lines - ui->rows : to;
		ui->scroll = (int)(to < 0 ? 0 : to);
	} else if (ui->page == PACE_PAGE_SWEEP) {
		pace_sweep_move(&ui->point, s, step, 0);
	} else if (ui->page == PACE_PAGE_STREAMS) {
		if (ui->ordered == 0)
			hold_order(ui, s);
		ui->cursor = step_in(ui, s, ui->cursor != 0 ? ui->cursor : shown(ui, s),
		    ui->cursor != 0 ? step : 0);
	} else {
		ui->session = step_in(ui, s, shown(ui, s), step);
	}
}

static void
turn_to(struct pace_ui *ui, int page)
{
	ui->page = (enum pace_page)((page + PACE_PAGES) % PACE_PAGES);
	ui->help = false;
	ui->scroll = 0;
	ui->ordered = 0;
}

static void
change_unit(struct pace_ui *ui)
{
	ui->unit = ui->unit == PACE_FIG_DATA ? PACE_FIG_WIRE :
	    (enum pace_live_figure)(ui->unit + 1);
	ui->held_bps = 0;
	snprintf(ui->notice, sizeof(ui->notice), "rates: %s", ui->unit == PACE_FIG_WIRE ?
	    "all that a frame takes on the line" : ui->unit == PACE_FIG_IP ? "IP packets" :
	    "payload of UDP");
}

static void
widen(struct pace_ui *ui, int by)
{
	int to = ui->window + by;

	ui->window = to < 0 ? 0 : to >= PACE_WINDOWS ? PACE_WINDOWS - 1 : to;
}

/* The left edge keeps its time, nearly. */
static void
zoom(struct pace_ui *ui, int by)
{
	int to = ui->dist_zoom + by;

	ui->dist_zoom = to < -ZOOM_MOST ? -ZOOM_MOST : to > ZOOM_MOST ? ZOOM_MOST : to;
	ui->dist_pan = by > 0 ? 2 * ui->dist_pan : ui->dist_pan / 2;
	ui->dist_pan = ui->dist_pan > PAN_MOST ? PAN_MOST : ui->dist_pan;
}

enum pace_act
pace_ui_act(struct pace_ui *ui, const struct pace_snap *s, enum pace_act act)
{
	if (act != PACE_ACT_REPAINT)
		ui->notice[0] = '\0';
	switch (act) {
	case PACE_ACT_QUIT:
	case PACE_ACT_QUIT_KEEP:
		if (!ui->campaign)
			return act;
		ui->asking = true;
		ui->keeps = act == PACE_ACT_QUIT_KEEP;
		break;
	case PACE_ACT_PAGE_1: case PACE_ACT_PAGE_2: case PACE_ACT_PAGE_3: case PACE_ACT_PAGE_4:
	case PACE_ACT_PAGE_5: case PACE_ACT_PAGE_6: case PACE_ACT_PAGE_7:
		turn_to(ui, (int)(act - PACE_ACT_PAGE_1));
		break;
	case PACE_ACT_NEXT_PAGE: turn_to(ui, (int)ui->page + 1); break;
	case PACE_ACT_LAST_PAGE: turn_to(ui, (int)ui->page - 1); break;
	case PACE_ACT_UP:	move(ui, s, -1); break;
	case PACE_ACT_DOWN:	move(ui, s, 1); break;
	case PACE_ACT_PAGE_UP:	move(ui, s, -PAGE); break;
	case PACE_ACT_PAGE_DOWN: move(ui, s, PAGE); break;
	case PACE_ACT_TOP:	move(ui, s, -PACE_SNAP_SESSIONS); break;
	case PACE_ACT_BOTTOM:	move(ui, s, PACE_SNAP_SESSIONS); break;
	case PACE_ACT_LOG:
		if (ui->page == PACE_PAGE_HIST) {
			ui->dist_linear = !ui->dist_linear;
			break;
		}
		ui->linear = !ui->linear;
		ui->held_ns = 0;
		break;
	case PACE_ACT_QUANTITY:
		ui->dist = (enum pace_dist)((ui->dist + 1) % PACE_DISTS);
		ui->dist_zoom = ui->dist_pan = 0;
		break;
	case PACE_ACT_NOTE:
		ui->typing = true;
		ui->note[0] = '\0';
		break;
	case PACE_ACT_METRIC:
		ui->metric = (enum pace_metric)((ui->metric + 1) % PACE_METRICS);
		break;
	case PACE_ACT_POINT_LEFT: pace_sweep_move(&ui->point, s, 0, -1); break;
	case PACE_ACT_POINT_RIGHT: pace_sweep_move(&ui->point, s, 0, 1); break;
	case PACE_ACT_RECENT:	ui->dist_recent = !ui->dist_recent; break;
	case PACE_ACT_FINER:	zoom(ui, 1); break;
	case PACE_ACT_COARSER:	zoom(ui, -1); break;
	case PACE_ACT_PAN_LEFT:	ui->dist_pan -= ui->dist_pan > 0; break;
	case PACE_ACT_PAN_RIGHT: ui->dist_pan += ui->dist_pan < PAN_MOST; break;
	case PACE_ACT_LONGER:	widen(ui, 1); break;
	case PACE_ACT_SHORTER:	widen(ui, -1); break;
	case PACE_ACT_BACKWARDS:
		ui->backwards = !ui->backwards;
		ui->ordered = 0;
		break;
	case PACE_ACT_UNIT:	change_unit(ui); break;
	case PACE_ACT_HELP:
		ui->help = !ui->help;
		ui->scroll = 0;
		break;
	case PACE_ACT_CLOSE:
		if (!ui->help)
			ui->session = ui->cursor = ui->ordered = 0;
		ui->help = false;
		break;
	case PACE_ACT_OPEN:
		if (ui->cursor != 0)
			ui->session = ui->cursor;
		turn_to(ui, PACE_PAGE_OVERVIEW);
		break;
	case PACE_ACT_SORT:
		ui->sort = (enum pace_sort)((ui->sort + 1) % PACE_SORTS);
		ui->ordered = 0;
		break;
	case PACE_ACT_THEME:
		ui->theme = (enum pace_theme)((ui->theme + 1) % PACE_THEMES);
		snprintf(ui->notice, sizeof(ui->notice), "theme: %s", pace_theme_name(ui->theme));
		break;
	default:
		return act;
	}
	return PACE_ACT_NONE;
}

/* --- notes ----------------------------------------------------------------- */

/* The figures that a screen may show, if they fit. */
static void
add_character(struct pace_ui *ui, int code)
{
	size_t used = strlen(ui->note);
	char text[5];
	const char *p = text;
	int n;

	if (code < ' ' || code >= PACE_HOTKEY_UP)
		return;
	n = pace_glyph_put((uint32_t)code, text);
	if (pace_glyph_next(&p) == (uint32_t)code && used + (size_t)n < sizeof(ui->note))
		memcpy(ui->note + used, text, (size_t)n + 1);
}

bool
pace_ui_type(struct pace_ui *ui, int code)
{
	bool enter = code == '\r' || code == '\n';
	size_t n = strlen(ui->note);

	if (enter || code == ESC) {
		ui->typing = false;
	} else if (code == PACE_HOTKEY_BACKSPACE || code == '\b') {
		while (n > 0 && (ui->note[n - 1] & 0xc0) == 0x80)
			n--;
		ui->note[n > 0 ? n - 1 : 0] = '\0';
	} else {
		add_character(ui, code);
	}
	return enter && ui->note[0] != '\0';
}
