/* parts_list.c - hints, sessions, events. */
#include "ui/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "out/glyph.h"
#include "out/say.h"
#include "out/time_text.h"

#define RECENT		60	/* ticks that hints look at */
#define OFF_SPACING	0.01	/* of what was asked for */
#define GAP_MOST	(INT64_C(1) << 61)	/* another can be added: counts have 53 bits */

/* --- hints ----------------------------------------------------------------- */

/* The bytes of a text that fit into width cells, without the last word if that is broken. */
static int
fitting(const char *text, int width)
{
	const char *p = text, *blank = NULL;

	while (*p != '\0') {
		const char *at = p;

		if (*p == ' ')
			blank = p;
		width -= pace_glyph_width(pace_glyph_next(&p));
		if (width < 0)
			return (int)((*at != ' ' && blank != NULL && blank > text ? blank :
			    at) - text);
	}
	return (int)(p - text);
}

/* Mark the entries that do not fit. */
void
pace_part_hint(struct pace_hints *h, enum pace_role role, const char *fmt, ...)
{
	int width = h->b->cols - 4;
	char text[400], *p = text;
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	for (bool first = true; *p != '\0' && h->row < h->b->rows && width > 0; first = false) {
		int cut = h->unbroken ? (int)strlen(p) : fitting(p, width);

		if (first)
			pace_canvas_put(h->c->g, h->b->row + h->row, h->b->col + 1,
			    role == PACE_ROLE_FAINT ? ' ' : '!', role);
		pace_canvas_say(h->c->g, h->b->row + h->row++, h->b->col + 3, width, role, "%.*s",
		    cut, p);
		p += cut;
		p += strspn(p, " ");
	}
	if (*p != '\0' && !h->unbroken && h->row > 0 && h->b->cols > 0)
		pace_canvas_put(h->c->g, h->b->row + h->row - 1, h->b->col + h->b->cols - 1, 0x2026,
		    PACE_ROLE_NOW);
}

struct pace_recent_ticks
pace_part_recent(const struct pace_snap_session *v)
{
	struct pace_recent_ticks r = { .span_ns = 0 };
	const struct pace_tick *t;

	for (uint64_t i = 0; i < RECENT && (t = pace_snap_tick(v, i)) != NULL; i++) {
		pace_tally_add(&r.n, &t->n);
		r.nic += t->host_nic;
		r.ip += t->host_ip;
		if (llabs(r.gap) < GAP_MOST)
			r.gap += t->host_gap;
		r.span_ns += t->span_ns < PACE_SEC * 100000 ? t->span_ns : 0;
	}
	return r;
}

/* The location before the socket, from the host's counters that rose at that time. */
static const char *
place_of(const struct pace_scene *c, const struct pace_recent_ticks *r,
    const struct pace_bounds *before)
{
	bool here = pace_part_is_here(c);
	uint64_t half = before->low / 2, gap = r->gap > 0 ? (uint64_t)r->gap : 0;
	/* the frames in one of these drops, if trains arrive in pieces */
	uint64_t train = c->v->now.run.train, each = train > 1 ? train < 64 ? train : 64 : 1;

	if (!c->s->host.known)
		return "network or a queue: udpace doctor";
	if (r->ip > 0 && r->ip >= half / each)
		return here ? "firewall or IP here: nft list ruleset" :
		    "its firewall or IP: nft list ruleset";
	if (r->nic > 0 && r->nic >= half / each)
		return here ? "NIC or backlog here: ethtool -S" : "its NIC or backlog: ethtool -S";
	if (r->nic + r->ip + gap > half / 2 / each)
		return here ? "network, or this host: view Host" :
		    "network, or its host: view Host";
	if (r->nic + r->ip > 0 || gap > half / 8 / each)	/* frames for other hosts also arrive */
		return "network or a queue, mostly";
	return here ? "network or a queue, not this host" : "network or a queue, not its host";
}

static void
hint_of_loss(struct pace_hints *h, const struct pace_recent_ticks *r)
{
	const struct pace_bounds socket = pace_count_socket(&r->n);
	const struct pace_bounds before = pace_count_elsewhere(&r->n);
	char n[PACE_BOUNDS_SIZE], span[40], most[40];

	pace_span_text(r->span_ns, span);
	if (h->c->s->head.watch) {
		if (before.high > 0)
			pace_part_hint(h, PACE_ROLE_BAD, "%s lost in %s: the network, or the far host; at "
			    "its socket at most %s", pace_bounds_text(&before, 12, n), span,
			    pace_print_count(socket.high, most));
		return;
	}
	if (socket.high > 0)
		pace_part_hint(h, PACE_ROLE_BAD,
		    "socket full, %s lost in %s: raise --rcvbuf, or give it a core",
		    pace_bounds_text(&socket, 12, n), span);
	if (before.low > 0 && pace_part_is_stamp(h->c))
		pace_part_hint(h, PACE_ROLE_BAD, "%s without a reply in %s: the path, or a limit of the "
		    "reflector", pace_bounds_text(&before, 12, n), span);
	else if (before.low > 0)
		pace_part_hint(h, PACE_ROLE_BAD, "%s lost before the socket in %s: %s",
		    pace_bounds_text(&before, 12, n), span, place_of(h->c, r, &before));
}

/* One of several streams lost most of what its session lost. */
static void
hint_of_worst(struct pace_hints *h, const struct pace_snap_session *v)
{
	const struct pace_snap_session *one = pace_snap_worst(h->c->s, v);
	char lost[40], all[40];

	if (one == NULL || one->newest.n.lost <= 0 || 2 * one->newest.n.lost < v->newest.n.lost)
		return;
	pace_part_hint(h, PACE_ROLE_BAD, "stream %" PRIu64 " lost %s of these %s: see it in the view "
	    "Streams, key 6", one->now.stream - 1, pace_print_count(pace_tally_lost(&one->newest.n),
	    lost), pace_print_count(pace_tally_lost(&v->newest.n), all));
}

static void
hint_of_stream(struct pace_hints *h, const struct pace_snap_session *v, const struct pace_tick *t,
    const struct pace_tally *n)
{
	double asked = (double)v->now.run.spacing_ns, gap = t->gaps.mean;
	char a[64], b[40];

	if (t->dead && !v->now.probe.has_stamp)
		pace_part_hint(h, PACE_ROLE_BAD,
		    "nothing comes: is the path down, or the client? It was heard %s ago",
		    pace_print(PACE_UNIT_SEC,
		    (double)(v->now.silent_ns > 0 ? v->now.silent_ns : 0), a, sizeof(a)));
	if (n->corrupt > 0)
		pace_part_hint(h, PACE_ROLE_BAD,
		    "%s came damaged: by memory, a NIC or a middle box",
		    pace_print_counted(n->corrupt, "frame", a));
	if (t->kind == PACE_TICK_WHOLE && t->gaps.n > 0 && n->lost <= 0 && asked > 0 &&
	    v->now.run.train <= 1 && v->now.run.bursts <= 1 &&
	    fabs(gap - asked) > OFF_SPACING * asked)
		pace_part_hint(h, PACE_ROLE_WARN,
		    "frames come every %s, not %s: %s",
		    pace_print(PACE_UNIT_USEC, gap, a, sizeof(a)),
		    pace_print(PACE_UNIT_USEC, asked, b, sizeof(b)),
		    v->now.run.down ? "the responder does not keep it" :
		    "the client does not keep its spacing");
	if (n->reordered > 0)
		pace_part_hint(h, PACE_ROLE_WARN,
		    "%s came out of order: several ways, or several queues",
		    pace_print_counted(n->reordered, v->now.probe.has_stamp ? "reply" : "frame", a));
}

void
pace_part_hints(const struct pace_scene *c, const struct pace_box *b)
{
	struct pace_hints h = { .c = c, .b = b };
	const struct pace_tick *t = c->v != NULL ? pace_snap_tick(c->v, 0) : NULL;
	struct pace_recent_ticks r;
	char span[40], day[64], said[sizeof(c->s->error)];

	if (c->ui->paused || c->ui->held)
		pace_part_hint(&h, PACE_ROLE_WARN, c->ui->held ?
		    "the record stands still at %s: SPACE goes on" :
		    "display frozen at %s, the sessions go on: SPACE resumes",
		    pace_day_text(c->s->at_ns, day, sizeof(day)));
	if (c->ui->record_error != NULL)
		pace_part_hint(&h, PACE_ROLE_BAD, "nothing more is recorded: %s",
		    c->ui->record_error);
	if (c->s->error[0] != '\0')
		pace_part_hint(&h, PACE_ROLE_BAD, "the responder says: %s",
		    pace_glyph_clean(c->s->error, false, said,
		    sizeof(said)));
	if (c->s->left_out > 0)
		pace_part_hint(&h, PACE_ROLE_WARN, "there are more sessions than are shown");
	if (c->s->lines == 0 && c->s->sweep != NULL)
		pace_part_hint(&h, PACE_ROLE_FAINT,
		    "the points of a sweep are in the view Sweep, key 4");
	else if (c->s->lines == 0)
		pace_part_hint(&h, PACE_ROLE_FAINT, c->s->has_head ?
		    "waiting for the first figures of %s; q leaves" :
		    "waiting for a responder to say who it is%s; q leaves", c->s->has_head ?
		    c->s->head.host : "");
	else if (c->v == NULL)
		pace_part_hint(&h, PACE_ROLE_FAINT,
		    "no client is here yet: udpace throughput %s, on another host",
		    c->s->head.host[0] != '\0' ? c->s->head.host : "HOST");
	if (t == NULL)
		return;
	r = pace_part_recent(c->v);
	pace_span_text(r.span_ns, span);
	if (t->out)
		pace_part_hint(&h, PACE_ROLE_BAD, "%s: udpace asks until the %s answers",
		    c->v->now.probe.out.why[0] != '\0' ? c->v->now.probe.out.why :
		    "nothing is heard", pace_part_is_stamp(c) ? "reflector" : "responder");
	if (pace_part_is_stamp(c) && pace_snap_outage(c->v) > 0) {
		pace_part_hint(&h, PACE_ROLE_BAD, "no reply comes; the requests go on");
		return;
	}
	hint_of_loss(&h, &r);
	hint_of_worst(&h, c->v);
	hint_of_stream(&h, c->v, t, &r.n);
	if (c->v->now.probe.known && c->v->now.probe.refused > 0)
		pace_part_hint(&h, PACE_ROLE_WARN,
		    "this host refused to send %s: a smaller --rate, or larger --sndbuf",
		    pace_print_counted(c->v->now.probe.refused, "frame", day));
	if (h.row == 0 && r.n.frames > 0 && c->v->now.probe.known && !c->s->head.watch)
		pace_part_hint(&h, PACE_ROLE_FAINT,
		    "no loss in the last %s; drawing takes %.1f %% of a core", span,
		    100 * c->v->now.probe.core);
	else if (h.row == 0 && r.n.frames > 0)
		pace_part_hint(&h, PACE_ROLE_FAINT, "no loss in the last %s", span);
}

/* --- sessions -------------------------------------------------------------- */

/* Where columns end, from the left; 0: the column does not fit. */
struct parts_list_list {
	int	name;			/* its width */
	int	state, age, rate, frames, lost, percent;
};

static struct parts_list_list
list_of(int cols)
{
	if (cols >= 100)
		return (struct parts_list_list){ 23, 41, 50, 62, 79, 92, 100 };
	if (cols >= 76)
		return (struct parts_list_list){ 23, 41, 50, 61, 0, 71, 79 };
	return (struct parts_list_list){ cols > 26 ? cols - 22 : 4, 0, 0, cols - 9, 0, 0, cols };
}

static void
session_row(const struct pace_scene *c, const struct pace_box *b, int row,
    const struct pace_snap_session *v, bool chosen)
{
	struct pace_measure m = pace_measure_rate(c);
	struct pace_tally n = pace_tally_since(&v->now.all, &v->base);
	const struct pace_range *r = &v->of[c->ui->unit];
	enum pace_role role = v->now.state == PACE_ENDED ? PACE_ROLE_FAINT : PACE_ROLE_TEXT;
	enum pace_role bad = n.lost > 0 && role == PACE_ROLE_TEXT ? PACE_ROLE_BAD : role;
	struct parts_list_list k = list_of(b->cols);
	int col = b->col, more;
	char text[80];

	pace_canvas_put(c->g, row, col, chosen ? '>' : ' ', role);
	more = pace_canvas_say(c->g, row, col + 1, 20, role, "%4s",
	    pace_key_text(pace_session_key(&v->now), text)) - 4;
	if (k.name > more)		/* a long number leaves less room for the name */
		pace_canvas_text(c->g, row, col + 6 + more, k.name - more, role,
		    pace_session_name(v));
	if (k.state > 0) {
		pace_canvas_text(c->g, row, col + 30, 11, role, pace_state_name(v->now.state));
		pace_canvas_right(c->g, row, col + k.age - 8, 8, role,
		    pace_clock_text(v->now.age_ns, text,
		    sizeof(text)));
	}
	pace_part_number(c->g, row, col + k.rate - 7, 7, role, r->known ? r->now / m.one : NAN,
	    k.state > 0 ? m.decimals : 2);
	if (k.frames > 0)
		pace_canvas_right(c->g, row, col + k.frames - 15, 15, role,
		    pace_part_count_in(pace_tally_moved(&n), 15, text));
	if (k.lost > 0)
		pace_canvas_right(c->g, row, col + k.lost - 9, 9, bad, pace_tally_only_sent(&n) ?
		    "sent" : pace_part_count_in(pace_tally_lost(&n), 9, text));
	pace_canvas_right(c->g, row, col + k.percent - 8, 8, bad,
	    pace_percent(pace_tally_loss(&n), text, sizeof(text)));
	if (chosen)
		pace_canvas_role(c->g, row, b->col, b->cols, PACE_ROLE_CHOSEN);
}

static void
session_titles(const struct pace_scene *c, const struct pace_box *b)
{
	struct pace_measure m = pace_measure_rate(c);
	struct parts_list_list k = list_of(b->cols);
	int col = b->col;

	pace_canvas_text(c->g, b->row, col + 1, b->cols - 1, PACE_ROLE_TITLE, "Sessions");
	if (k.state > 0) {
		pace_canvas_text(c->g, b->row, col + 30, 11, PACE_ROLE_FAINT, "state");
		pace_canvas_right(c->g, b->row, col + k.age - 8, 8, PACE_ROLE_FAINT, "age");
	}
	pace_canvas_right(c->g, b->row, col + k.rate - 7, 7, PACE_ROLE_FAINT, m.name);
	if (k.frames > 0)
		pace_canvas_right(c->g, b->row, col + k.frames - 16, 16, PACE_ROLE_FAINT, "frames");
	if (k.lost > 0)
		pace_canvas_right(c->g, b->row, col + k.lost - 10, 10, PACE_ROLE_FAINT, "lost");
	pace_canvas_right(c->g, b->row, col + k.percent - 8, 8, PACE_ROLE_FAINT, "% lost");
}

/* The row of the cursor is in sight. */
void
pace_part_sessions(const struct pace_scene *c, const struct pace_box *b, bool cursor)
{
	size_t *order = calloc(c->s->n + 1, sizeof(*order)), first = 0, at = c->s->n;
	uint64_t mark = cursor && c->ui->cursor != 0 ? c->ui->cursor : c->v != NULL ?
	    pace_session_key(&c->v->now) : 0;
	size_t rows = b->rows > 1 ? (size_t)b->rows - 1 : 0;
	bool flows = c->s->capture.now.known, paths = c->s->head.watch;

	if (b->rows > 0)
		(flows ? pace_flow_titles : paths ? pace_path_titles : session_titles)(c, b);
	if (order != NULL)
		pace_ui_order(c->ui, c->s, order);
	if (order != NULL && !cursor && c->s->n > rows)
		pace_flow_losers_first(c->s, order);
	for (size_t i = 0; order != NULL && i < c->s->n; i++)
		if (pace_session_key(&c->s->session[order[i]].now) == mark)
			at = i;
	if (at < c->s->n && at >= rows && rows > 0)
		first = at - rows + 1;
	for (size_t i = 0; order != NULL && i < rows && first + i < c->s->n; i++) {
		const struct pace_snap_session *v = &c->s->session[order[first + i]];
		bool chosen = pace_session_key(&v->now) == mark;

		(flows ? pace_flow_row : paths ? pace_path_row : session_row)(c, b,
		    b->row + 1 + (int)i, v, chosen);
		if (chosen && cursor) {
			c->g->cursor_row = b->row + 1 + (int)i;
			c->g->cursor_col = b->col;
		}
	}
	if (c->s->n == 0 && b->rows > 1 && !flows)
		pace_canvas_text(c->g, b->row + 1, b->col + 3, b->cols - 3, PACE_ROLE_FAINT,
		    "none yet");
	free(order);
}

/* --- events ---------------------------------------------------------------- */

static const enum pace_role event_roles[] = { PACE_ROLE_TEXT, PACE_ROLE_WARN, PACE_ROLE_BAD };

/* The time, a mark and the session; returns the column of the text. */
static int
put_event_head(const struct pace_scene *c, const struct pace_box *b, int row,
    const struct pace_snap_event *e)
{
	int col = b->col + 1, end = b->col + b->cols;
	char day[32], key[PACE_KEY_SIZE];

	col += pace_canvas_text(c->g, row, col, end - col, PACE_ROLE_FAINT,
	    pace_day_text(e->at_ns, day, sizeof(day))) + 1;
	col += pace_canvas_text(c->g, row, col, end - col, event_roles[e->mood],
	    e->mood == PACE_MOOD_PLAIN ? "  " : "! ");
	if (e->session != 0)
		col += pace_canvas_say(c->g, row, col, end - col, PACE_ROLE_TEXT, "%s: ",
		    pace_key_text(e->session, key));
	return col;
}

static void
put_no_events(const struct pace_scene *c, const struct pace_box *b)
{
	if (c->s->events == 0 && b->rows > 0)
		pace_canvas_text(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_FAINT,
		    "nothing has happened yet");
}

void
pace_part_events(const struct pace_scene *c, const struct pace_box *b, int skip)
{
	const struct pace_snap_event *e;

	for (int i = 0; i < b->rows; i++) {
		int col, end = b->col + b->cols;

		e = pace_snap_event(c->s, (uint64_t)(i + skip));
		if (e == NULL)
			break;
		col = put_event_head(c, b, b->row + i, e);
		pace_part_cut(c->g, b->row + i, col, end - col, event_roles[e->mood], e->text);
	}
	put_no_events(c, b);
}

/* The last row cuts its text. */
void
pace_part_news(const struct pace_scene *c, const struct pace_box *b)
{
	struct pace_box list = { b->row + 1, b->col, b->rows - 1, b->cols };
	int row = list.row, last = list.row + list.rows - 1, end = b->col + b->cols;
	const struct pace_snap_event *e;

	pace_canvas_text(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE, "Events");
	for (uint64_t i = 0; row <= last && (e = pace_snap_event(c->s, i)) != NULL; i++) {
		int col = put_event_head(c, &list, row, e), n;
		const char *p = e->text;

		for (; row < last && (n = fitting(p, end - col)) > 0 && p[n] != '\0'; row++) {
			pace_canvas_say(c->g, row, col, end - col, event_roles[e->mood], "%.*s",
			    n, p);
			p += n;
			p += strspn(p, " ");
		}
		pace_part_cut(c->g, row++, col, end - col, event_roles[e->mood], p);
	}
	put_no_events(c, &list);
}
