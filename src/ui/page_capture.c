/* page_capture.c - the page of a capture: the sum, and the flows below it. */
#include "ui/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "out/time_text.h"

#define GRAPH		10	/* rows, at most; it has the axis and its title */
#define GRAPH_LEAST	5

/* --- words ------------------------------------------------------------------ */

const char *
pace_capture_state(const struct pace_scene *c)
{
	if (c->s->capture.now.over || c->v == NULL)
		return c->s->capture.now.over ? "DONE" : "WAITING";
	if (c->v->now.flow.sum || c->v->now.state == PACE_RUNNING)
		return "CAPTURING";
	return c->v->now.state == PACE_READY ? "SILENT" : "ENDED";
}

void
pace_capture_run(const struct pace_scene *c, char *buf, size_t size)
{
	const struct pace_capture_status *k = &c->s->capture.now;
	const char *filter = c->s->head.filter;
	const struct pace_snap_session *v = c->v;

	if (v == NULL)
		buf[0] = '\0';
	else if (!v->now.flow.sum)
		snprintf(buf, size, "%s, %u B", v->now.flow.format, v->now.run.size_bytes);
	else
		snprintf(buf, size, "%" PRIu64 " %s of %" PRIu64 " %s%s%s", k->streams,
		    k->streams == 1 ?
		    "stream" : "streams", k->flows, k->flows == 1 ? "flow" : "flows",
		    filter[0] != '\0' ? ", " : "", filter);
}

void
pace_capture_who(const struct pace_scene *c, char *buf, size_t size)
{
	const char *where = c->s->head.interface[0] != '\0' ? c->s->head.interface : "?";

	if (c->v == NULL || c->v->now.flow.sum)
		snprintf(buf, size, "%s on %s", c->s->head.socket ? "receiving" : "capture",
		    where);
	else
		snprintf(buf, size, "%s", c->v->now.label);
}

/* --- where ------------------------------------------------------------------ */

/* "; what n", where there are any and room: the column behind it. */
static int
say_more(struct pace_canvas *g, int row, int col, int end, const char *what, uint64_t n)
{
	char text[40];

	if (n == 0 || end - col <= 30)
		return col;
	col += pace_canvas_text(g, row, col, end - col, PACE_ROLE_TEXT, "; ");
	return col + pace_canvas_say(g, row, col, end - col, PACE_ROLE_WARN, "%s %s", what,
	    pace_print_count(n, text));
}

/* The loss location, as far as a capture knows it. */
static void
draw_where(const struct pace_scene *c, int row, int col, int cols)
{
	struct pace_tally n = { .frames = 0 };
	uint64_t dropped = pace_capture_dropped(c->s), missing;
	int end = col + cols;
	char text[40];

	if (c->v != NULL)
		n = pace_tally_since(&c->v->now.all, &c->v->base);
	missing = pace_tally_lost(&n);
	col += pace_canvas_text(c->g, row, col + 1, end - col - 1, PACE_ROLE_TITLE,
	    cols >= 66 ? "Missing by number " : "Missing ") + 1;
	col += pace_canvas_text(c->g, row, col, end - col, missing > 0 ? PACE_ROLE_BAD :
	    PACE_ROLE_NOW,
	    n.frames <= n.unnumbered && missing == 0 ? "-" : pace_print_count(missing, text));
	col += pace_canvas_text(c->g, row, col, end - col, PACE_ROLE_TEXT, cols >= 66 ?
	    "; the capture itself dropped " : "; own drops ");
	col += pace_canvas_text(c->g, row, col, end - col, dropped > 0 ? PACE_ROLE_BAD :
	    PACE_ROLE_NOW,
	    c->s->capture.now.has_drops ? pace_print_count(dropped, text) : "-");
	col = say_more(c->g, row, col, end, "streams not shown", c->s->capture.now.unlisted);
	say_more(c->g, row, col, end, "frames not followed", c->s->capture.now.untracked);
}

/* --- hints ------------------------------------------------------------------ */

/* The flow with the highest loss ratio among those not yet mentioned. */
static const struct pace_snap_session *
worst(const struct pace_snap *s, double below, double *loss)
{
	const struct pace_snap_session *w = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct pace_snap_session *v = &s->session[i];
		struct pace_tally n = pace_part_recent(v).n;
		double x = n.lost > 0 && !v->now.flow.sum ? pace_tally_loss(&n) : 0;

		if (x > 0 && x < below && (w == NULL || x > *loss)) {
			w = v;
			*loss = x;
		}
	}
	return w;
}

static void
hint_of_losses(struct pace_hints *h)
{
	const struct pace_snap_session *v;
	char lost[40], all[40], share[40], span[40], to[PACE_FLOW_END];
	double below = 2, loss = 0;

	while (h->row < h->b->rows && (v = worst(h->c->s, below, &loss)) != NULL) {
		struct pace_recent_ticks r = pace_part_recent(v);

		pace_part_hint(h, PACE_ROLE_BAD, "%" PRIu64 " %s > %s loses %s: %s of %s in %s%s",
		    v->now.number,
		    v->now.flow.format, pace_flow_end(v->now.flow.destination,
		    v->now.flow.destination_port, to),
		    pace_print(PACE_UNIT_RATIO, loss, share, sizeof(share)),
		    pace_print_count((uint64_t)r.n.lost, lost),
		    pace_print_count((uint64_t)r.n.lost + r.n.frames, all),
		    pace_span_text(r.span_ns, span),
		    v->doubtful > 0 ? " (?)" : "");
		below = loss;
	}
}

/* The part of the frames in streams whose loss is known. */
static void
hint_of_none(struct pace_hints *h)
{
	const struct pace_snap *s = h->c->s;
	size_t numbered = 0, streams = 0;

	for (size_t i = 0; i < s->n; i++) {
		streams += !s->session[i].now.flow.sum;
		numbered += !s->session[i].now.flow.sum && s->session[i].now.flow.numbered;
	}
	if (streams == 0)
		pace_part_hint(h, PACE_ROLE_FAINT, s->capture.now.udp > 0 ?
		    "no stream is known yet: that takes "
		    "32 datagrams of it" : "no UDP datagram came yet");
	else if (numbered == 0)
		pace_part_hint(h, PACE_ROLE_FAINT,
		    "no stream has numbers that are known: what is lost cannot be "
		    "seen");
	else
		pace_part_hint(h, PACE_ROLE_FAINT,
		    "no loss in the last minute in %zu %s with numbers",
		    numbered, numbered == 1 ? "stream" : "streams");
}

void
pace_capture_hints(const struct pace_scene *c, const struct pace_box *b)
{
	struct pace_hints h = { .c = c, .b = b, .unbroken = true };
	uint64_t dropped = pace_capture_dropped(c->s);
	char n[40], day[32];

	if (c->ui->paused || c->ui->held)
		pace_part_hint(&h, PACE_ROLE_WARN, "display frozen at %s, %s: SPACE resumes",
		    pace_day_text(c->s->at_ns, day, sizeof(day)), c->ui->held ? "so is the record" :
		    "the capture goes on");
	if (c->ui->record_error != NULL)
		pace_part_hint(&h, PACE_ROLE_BAD, "nothing more is recorded: %s",
		    c->ui->record_error);
	if (dropped > 0)
		pace_part_hint(&h, PACE_ROLE_BAD,
		    "the capture itself dropped %s frames: a loss with ? may be "
		    "its own", pace_print_count(dropped, n));
	hint_of_losses(&h);
	if (h.row == 0)
		hint_of_none(&h);
}

/* --- the page --------------------------------------------------------------- */

/* Divide the rows: first the flows, then the graph, then events. */
struct page_capture_share {
	int	table, flows, graph, hints, events;
};

static struct page_capture_share
share_out(const struct pace_scene *c, int rows)
{
	struct page_capture_share h = { .table = pace_part_table_rows(c) + 1 };
	int left, want = (int)(c->s->n < 1000 ? c->s->n : 1000) + 1;

	h.hints = rows >= 14 ? 2 : rows >= 10 ? 1 : 0;
	if (rows < h.table + 6)
		h.table = rows >= 9 ? 3 : 2;
	left = rows - h.table - h.hints - 3;	/* a rule, the strip, what is missing */
	left = left < 0 ? 0 : left;
	h.flows = want < left ? want : left;
	if (left >= 20 && h.flows > left * 2 / 3)
		h.flows = left * 2 / 3;
	left -= h.flows;
	h.graph = left > GRAPH_LEAST ? (left - 1 < GRAPH ? left - 1 : GRAPH) : 0;
	left -= h.graph > 0 ? h.graph + 1 : 0;
	h.events = left >= 3 ? left - 1 : 0;
	if (h.events == 0 && h.graph == 0)
		h.flows += left;
	return h;
}

void
pace_page_capture(const struct pace_scene *c, const struct pace_box *b)
{
	struct page_capture_share h = share_out(c, b->rows);
	int side = b->cols >= 72 ? 14 : 0, end = b->row + b->rows;
	struct pace_box box = *b;

	box.rows = h.table;
	pace_part_table(c, &box);
	box.row += h.table;
	pace_canvas_rule(c->g, box.row++, b->col, b->cols);
	box.rows = h.flows;
	pace_part_sessions(c, &box, false);
	box.row += h.flows;
	if (h.graph > 0) {
		struct pace_box graph = { .row = box.row + 1, .col = b->col, .rows = h.graph,
		    .cols = b->cols - side };

		pace_canvas_rule(c->g, box.row, b->col, b->cols);
		pace_part_rate(c, &graph);
		box.row += h.graph + 1;
	}
	if (box.row < end)
		pace_part_strip(c, box.row++, b->col, b->cols - side, side > 0);
	if (box.row < end)
		draw_where(c, box.row++, b->col, b->cols);
	box.rows = h.hints;
	pace_capture_hints(c, &box);
	box.row += h.hints;
	if (h.events <= 0)
		return;
	pace_canvas_rule(c->g, box.row++, b->col, b->cols);
	box.rows = end - box.row;
	pace_part_events(c, &box, 0);
}
