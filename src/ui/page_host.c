/* page_host.c - the counters of the responder's host: was it the network, or the machine? */
#include "core/arith.h"
#include "ui/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "out/say.h"

#define BAR	10	/* cells, of a busy core */
#define WIDE_COLS	120	/* a screen this wide has two columns; */
#define RIGHT_COL	61	/* the right one begins here */
#define INTERFACES_SHOWN	8
#define MIDDLE_LEAST	5	/* rows of interfaces and hints */
#define GRAPH_LEAST	6	/* rows of the rate's graph with the loss strip */

/* --- places ----------------------------------------------------------------- */

/* On the way up; where frames die they are shown also where there is little room. */
static const struct place {
	const char	*name, *brief;
	enum pace_host_counter c;
	bool		drop;		/* frames die there */
} places[] = {
	{ "NIC received", "NIC received", PACE_SUM_NIC, false },
	{ "NIC dropped: ring full, errors", "NIC dropped", PACE_SUM_NIC_LOST, true },
	{ "backlog of a core full", "backlog full", PACE_SUM_BACKLOG_LOST, true },
	{ "receive core ran out of time", "out of time", PACE_SUM_SQUEEZED, false },
	{ "came by the NIC, not to IP", "not to IP", PACE_HOST_COUNTERS, false },	/* reckoned */
	{ "came to IP, not to UDP: firewall", "firewall, IP", PACE_SUM_UNDELIVERED, true },
	{ "UDP checksum wrong", "bad checksum", PACE_SUM_CHECKSUM, true },
	{ "no program had the port", "no listener", PACE_SUM_NO_PORT, false },
	{ "buffer full, of any socket", "buffer full", PACE_SUM_BUFFER_FULL, true },
	{ "delivered by UDP", "delivered", PACE_SUM_UDP, false },
};
#define PLACES	((int)(sizeof(places) / sizeof(places[0])))

struct table {
	const struct pace_scene *c;
	const struct pace_box *b;
	int		row;
	bool		wide;		/* names in full */
};

/* A rate, a count, and a mark where frames die now. */
static void
put_place(struct table *t, const char *name, double rate, bool known, uint64_t n, bool drop)
{
	int now = t->b->col + (t->wide ? 34 : 15), row = t->b->row + t->row;
	bool grows = drop && rate > 0;
	enum pace_role role = grows ? PACE_ROLE_BAD : drop && n > 0 ? PACE_ROLE_WARN :
	    PACE_ROLE_TEXT;
	char text[40];

	if (t->row >= t->b->rows)
		return;
	t->row++;
	pace_canvas_text(t->c->g, row, t->b->col + 1, now - t->b->col - 1, role, name);
	pace_canvas_right(t->c->g, row, now, 10, grows ? role : PACE_ROLE_NOW,
	    pace_print(PACE_UNIT_COUNT, rate, text, sizeof(text)));
	pace_canvas_right(t->c->g, row, now + 10, 13, role, known ? pace_print_count(n, text) :
	    "-");
	if (grows)
		pace_canvas_put(t->c->g, row, now + 24, 0x25bc, role);
}

/* Trains may pass a counter in pieces, many frames as one. */
static void
put_heads(const struct table *t, int now)
{
	const struct pace_scene *c = t->c;
	const struct pace_box *b = t->b;
	bool pieces = c->v != NULL && c->v->now.run.train > 1;
	int end = now + 23 + 4 * (pieces && t->wide);

	pace_canvas_text(c->g, b->row, b->col + 1, now - 2, PACE_ROLE_TITLE, !t->wide ? "Host" :
	    pace_part_is_here(c) ? "Way of a frame through this host" :
	    "Way of a frame through its host");
	pace_canvas_right(c->g, b->row, now, 10, PACE_ROLE_FAINT, "per s");
	pace_canvas_right(c->g, b->row, now + 10, end - now - 10, PACE_ROLE_FAINT,
	    !pieces ? "frames" : t->wide ? "frames or pieces" : "or pieces");
	if (b->cols >= 80)
		pace_canvas_text(c->g, b->row, end + 3, b->cols - (end + 3 - b->col),
		    PACE_ROLE_FAINT,
		    c->s->reset_ns == 0 ? "of all traffic" : pieces ? "since reset" :
		    "of all, since reset");
}

static void
put_places(const struct pace_scene *c, const struct pace_box *b)
{
	struct table t = { .c = c, .b = b, .row = 1, .wide = b->cols >= 60 };
	const struct pace_snap *s = c->s;
	const struct pace_tick *k = c->v != NULL ? pace_snap_tick(c->v, 0) : NULL;
	double per_s = k != NULL && k->span_ns > 0 ? 1e9 / (double)k->span_ns : NAN;
	double between = pace_host_rate(s, PACE_SUM_NIC) - pace_host_rate(s, PACE_SUM_IP);
	uint64_t nic = pace_host_since(s, PACE_SUM_NIC), ip = pace_host_since(s, PACE_SUM_IP);
	int now = b->col + (t.wide ? 34 : 15);

	put_heads(&t, now);
	for (int i = 0; i < PLACES; i++) {
		const char *name = t.wide ? places[i].name : places[i].brief;
		enum pace_host_counter what = places[i].c;

		if (what == PACE_HOST_COUNTERS && b->rows > PLACES)	/* as far as both are known */
			put_place(&t, name, between > 0 ? between : between * 0,
			    pace_host_counters_has(&s->host.sums, PACE_SUM_NIC) &&
			    pace_host_counters_has(&s->host.sums, PACE_SUM_IP), nic > ip ?
			    nic - ip : 0, false);
		else if (places[i].drop || b->rows > PLACES)
			put_place(&t, name, pace_host_rate(s, what),
			    pace_host_counters_has(&s->host.sums, what), pace_host_since(s, what),
			    places[i].drop);
	}
	if (c->v != NULL && !c->s->capture.now.known) {
		struct pace_tally n = pace_tally_since(&c->v->now.all, &c->v->base);

		put_place(&t, t.wide ? "this session: buffer full" : "this: full", k != NULL ?
		    per_s * (double)k->n.socket_drops : NAN, true, n.socket_drops, true);
		if (pace_tally_only_sent(&n))
			put_place(&t, t.wide ? "this session: sent" : "this: sent", k != NULL ?
			    per_s * (double)k->n.sent_frames : NAN, true, n.sent_frames, false);
		else
			put_place(&t, t.wide ? "this session: received" : "this: received",
			    k != NULL ? per_s * (double)k->n.frames : NAN, true, n.frames, false);
	}
}

/* --- cores ------------------------------------------------------------------ */

static void
put_core(const struct pace_scene *c, const struct pace_box *b, int row, int i)
{
	const double busy = c->s->host.core[i].busy, softirq = c->s->host.core[i].softirq;
	enum pace_role role = busy > 0.95 ? PACE_ROLE_WARN : PACE_ROLE_TEXT;
	int col = b->col + 1;
	char text[40];

	pace_canvas_say(c->g, row, col, 9, role, "core %" PRIu64, c->s->host.core[i].core);
	for (int x = 0; x < BAR; x++)
		pace_canvas_put(c->g, row, col + 9 + x, x + 0.5 < busy * BAR ? 0x2588 :
		    0x2591, PACE_ROLE_BAR);
	pace_canvas_right(c->g, row, col + 9 + BAR, 6, role,
	    pace_fixed(100 * busy, 1, text, sizeof(text)));
	pace_canvas_right(c->g, row, col + 17 + BAR, 8, PACE_ROLE_TEXT,
	    pace_fixed(100 * softirq, 1, text, sizeof(text)));
	if (busy > 0.95)
		pace_canvas_text(c->g, row, col + 27 + BAR, b->cols - 29 - BAR, role,
		    "! no time left");
}

/* The k-th core, by number, of the n busiest ones. Cores are listed by number, so each keeps its
 * row. */
static int
core_in_order(const struct pace_host_status *h, int n, int k)
{
	int at = 0;

	for (int i = 0; i < n; i++) {
		int before = 0;

		for (int j = 0; j < n; j++)
			before += h->core[j].core < h->core[i].core ||
			    (h->core[j].core == h->core[i].core &&
			    j < i);
		if (before == k)
			at = i;
	}
	return at;
}

static void
put_cores(const struct pace_scene *c, const struct pace_box *b)
{
	char own[40], display[40];
	double share = pace_host_own(c->s);
	int row = b->row, last = b->row + b->rows - 1, n;

	pace_canvas_say(c->g, row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE, "Cores, %" PRIu64,
	    c->s->host.cores);
	pace_canvas_right(c->g, row++, b->col + 10 + BAR, 6, PACE_ROLE_FAINT, "busy %");
	pace_canvas_text(c->g, row - 1, b->col + 18 + BAR, b->cols - 18 - BAR, PACE_ROLE_FAINT,
	    "softirq %");
	n = c->s->host.busiest < last - row ? c->s->host.busiest : last - row;
	for (int k = 0; k < n; k++)
		put_core(c, b, row++, core_in_order(&c->s->host, n, k));
	pace_fixed(100 * share, 1, own, sizeof(own));
	pace_fixed(c->ui->own_share > 0 ? 100 * c->ui->own_share : NAN, 1, display,
	    sizeof(display));
	pace_canvas_say(c->g, row, b->col + 1, b->cols - 1, PACE_ROLE_FAINT,
	    "%s %s %% of a core%s%s%s", c->s->capture.now.known ? "this capture" : "responder",
	    own, c->ui->own_share > 0 ? ", this display " : "",
	    c->ui->own_share > 0 ? display : "", c->ui->own_share > 0 ? " %" : "");
}

/* --- interfaces ------------------------------------------------------------- */

static const struct pace_if_use *
known_as(const struct pace_host_status *h, const char *name)
{
	for (int i = 0; i < h->interfaces; i++)
		if (strcmp(h->interface[i].name, name) == 0)
			return &h->interface[i];
	return NULL;
}

static void
put_interfaces(const struct pace_scene *c, const struct pace_box *b)
{
	const struct pace_host_status *h = &c->s->host;
	int row = b->row;
	char text[40];

	pace_canvas_text(c->g, row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE, "Interfaces");
	pace_canvas_right(c->g, row, b->col + 17, 15, PACE_ROLE_FAINT, "received");
	pace_canvas_right(c->g, row, b->col + 32, 13, PACE_ROLE_FAINT, "dropped");
	pace_canvas_right(c->g, row++, b->col + 45, 15, PACE_ROLE_FAINT, "sent");
	for (int i = 0; i < h->interfaces && i < INTERFACES_SHOWN && row < b->row + b->rows; i++) {
		const struct pace_if_use *u = &h->interface[i],
		    *f = known_as(&c->s->host_first, u->name);
		uint64_t lost = f != NULL ? pace_less(pace_if_rx_lost(u), pace_if_rx_lost(f)) : 0;

		if (f == NULL)
			continue;
		pace_canvas_text(c->g, row, b->col + 1, 16, PACE_ROLE_TEXT, u->name);
		pace_canvas_right(c->g, row, b->col + 17, 15, PACE_ROLE_TEXT,
		    pace_print_count(pace_less(u->n[PACE_IF_RX_FRAMES],
		    f->n[PACE_IF_RX_FRAMES]), text));
		pace_canvas_right(c->g, row, b->col + 32, 13, lost > 0 ? PACE_ROLE_BAD :
		    PACE_ROLE_TEXT,
		    pace_print_count(lost, text));
		pace_canvas_right(c->g, row++, b->col + 45, 15, PACE_ROLE_TEXT,
		    pace_print_count(pace_less(u->n[PACE_IF_TX_FRAMES],
		    f->n[PACE_IF_TX_FRAMES]), text));
	}
}

/* --- the page --------------------------------------------------------------- */

static void
put_no_counters(const struct pace_scene *c, const struct pace_box *b)
{
	pace_canvas_text(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE, "Host");
	if (b->rows > 1)
		pace_canvas_text(c->g, b->row + 1, b->col + 3, b->cols - 3, PACE_ROLE_FAINT,
		    c->s->capture.now.known ?
		    "the counters of this host are not known, or not yet" :
		    pace_part_is_stamp(c) ? "a STAMP reflector reports nothing of its host" :
		    "the responder reports no counters of its host, or not yet");
}

static void
put_buffer(const struct pace_scene *c, const struct pace_box *b, int row)
{
	char size[40];

	if (c->v != NULL && c->v->now.rcvbuf_bytes != 0)
		pace_canvas_say(c->g, row, b->col + 1, b->cols - 1, PACE_ROLE_TEXT,
		    "receive buffer of this session: %s", pace_print(PACE_UNIT_BYTES,
		    (double)c->v->now.rcvbuf_bytes, size, sizeof(size)));
}

/* A report of a remote responder has no cores. */
static void
put_cores_or_where(const struct pace_scene *c, const struct pace_box *b, const char *what)
{
	if (c->s->host.cores > 0)
		put_cores(c, b);
	else
		pace_canvas_say(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_FAINT,
		    "%s: on that host, udpace monitor --attach", what);
}

/* A rule, and a vertical one that divides the rows below it. */
static void
divide(const struct pace_scene *c, int row, int rows, bool first)
{
	if (!first)
		pace_canvas_rule(c->g, row - 1, 0, c->g->cols);
	for (int i = 0; i < rows; i++)
		pace_canvas_put(c->g, row + i, RIGHT_COL - 1, 0x2502, PACE_ROLE_RULE);
	pace_canvas_put(c->g, row - 1, RIGHT_COL - 1, first ? 0x252c : 0x253c, PACE_ROLE_RULE);
	pace_canvas_rule(c->g, row + rows, 0, c->g->cols);
	pace_canvas_put(c->g, row + rows, RIGHT_COL - 1, 0x2534, PACE_ROLE_RULE);
}

/* Rate and loss over time, as high as fits, to compare with the counters. */
static void
put_graph(const struct pace_scene *c, const struct pace_box *b, int row)
{
	struct pace_box graph = *b;
	int left = b->row + b->rows - row;

	if (left < GRAPH_LEAST)
		return;
	graph.row = row;
	graph.rows = left - 1;
	pace_part_rate(c, &graph);
	pace_part_strip(c, graph.row + graph.rows, b->col, b->cols, false);
}

/* The counters and the cores; the interfaces and the hints; the graph. */
static void
put_wide(const struct pace_scene *c, const struct pace_box *b, int ladder)
{
	const struct pace_host_status *h = &c->s->host;
	int shown = h->interfaces < INTERFACES_SHOWN ? h->interfaces : INTERFACES_SHOWN;
	struct pace_box left = *b, right = *b, hints;
	int room;

	left.cols = RIGHT_COL - 1;
	right.col = RIGHT_COL;
	right.cols = b->cols - RIGHT_COL;
	left.rows = ladder;
	right.rows = ladder + 1;
	put_places(c, &left);
	put_buffer(c, &left, b->row + ladder);
	put_cores_or_where(c, &right, "cores");
	divide(c, b->row, ladder + 1, true);

	left.row = right.row = b->row + ladder + 2;
	room = b->row + b->rows - left.row;
	left.rows = shown + 1 < MIDDLE_LEAST ? MIDDLE_LEAST : shown + 1;
	left.rows = right.rows = left.rows < room ? left.rows : room;
	put_interfaces(c, &left);
	pace_canvas_text(c->g, right.row, right.col + 1, right.cols, PACE_ROLE_TITLE,
	    "What to look at");
	hints = right;
	hints.row++;
	hints.rows--;
	if (c->s->capture.now.known)
		pace_capture_hints(c, &hints);
	else
		pace_part_hints(c, &hints);
	divide(c, left.row, left.rows, false);
	put_graph(c, b, left.row + left.rows + 1);
}

void
pace_page_host(const struct pace_scene *c, const struct pace_box *b)
{
	int ladder = 1 + PLACES + 2 * (c->v != NULL && !c->s->capture.now.known);
	struct pace_box box = *b;

	if (b->rows < 1)
		return;
	if (!c->s->host.known) {
		put_no_counters(c, b);
		return;
	}
	if (b->cols >= WIDE_COLS && b->rows >= ladder + 5) {
		put_wide(c, b, ladder);
		return;
	}
	if (box.rows > ladder)
		box.rows = ladder;
	put_places(c, &box);
	box.row += box.rows;
	box.rows = b->row + b->rows - box.row;
	if (box.rows < 3)
		return;
	put_buffer(c, b, box.row);
	pace_canvas_rule(c->g, box.row + 1, b->col, b->cols);
	box.row += 2;
	box.rows -= 2;
	put_cores_or_where(c, &box, "cores and interfaces");
}
