/* What the responder's host counts: is it the network, or the machine? */
#include "ui/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "out/say.h"
#include "ui/line.h"

#define BAR	10	/* cells, of a busy core */
#define INTERFACES_COLS	120	/* of a screen that has their table, */
#define INTERFACES_SHOWN	8
#define INTERFACES_COL	60	/* and where that begins */

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
	{ "nobody listened at the port", "no listener", PACE_SUM_NO_PORT, false },
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
	enum pace_role role = grows ? PACE_ROLE_BAD : drop && n > 0 ? PACE_ROLE_WARN : PACE_ROLE_TEXT;
	char text[40];

	if (t->row >= t->b->rows)
		return;
	t->row++;
	pace_canvas_text(t->c->g, row, t->b->col + 1, now - t->b->col - 1, role, name);
	pace_canvas_right(t->c->g, row, now, 10, grows ? role : PACE_ROLE_NOW,
	    pace_print(PACE_UNIT_COUNT, rate, text, sizeof(text)));
	pace_canvas_right(t->c->g, row, now + 10, 13, role, known ? pace_print_count(n, text) : "-");
	if (grows)
		pace_canvas_put(t->c->g, row, now + 24, 0x25bc, role);
}

/* Of two counts, as far as both are known, what one has more. */
static void
put_between(struct table *t, const char *name)
{
	const struct pace_snap *s = t->c->s;
	double rate = pace_host_rate(s, PACE_SUM_NIC) - pace_host_rate(s, PACE_SUM_IP);
	uint64_t nic = pace_host_since(s, PACE_SUM_NIC), ip = pace_host_since(s, PACE_SUM_IP);

	put_place(t, name, rate > 0 ? rate : rate * 0, pace_host_counters_has(&s->host.sums, PACE_SUM_NIC) &&
	    pace_host_counters_has(&s->host.sums, PACE_SUM_IP), nic > ip ? nic - ip : 0, false);
}

static const char *
title_of(const struct table *t)
{
	if (!t->wide)
		return "Host";
	return pace_part_is_here(t->c) ? "Way of a frame through this host" :
	    "Way of a frame through its host";
}

/* Trains may pass a counter in pieces, many frames as one. */
static void
put_heads(const struct table *t, int now)
{
	const struct pace_scene *c = t->c;
	const struct pace_box *b = t->b;
	bool pieces = c->v != NULL && c->v->now.run.train > 1;
	int end = now + 23 + 4 * (pieces && t->wide);

	pace_canvas_text(c->g, b->row, b->col + 1, now - 2, PACE_ROLE_TITLE, title_of(t));
	pace_canvas_right(c->g, b->row, now, 10, PACE_ROLE_FAINT, "per s");
	pace_canvas_right(c->g, b->row, now + 10, end - now - 10, PACE_ROLE_FAINT,
	    !pieces ? "frames" : t->wide ? "frames or pieces" : "or pieces");
	if (b->cols >= 80)
		pace_canvas_text(c->g, b->row, end + 3, b->cols - (end + 3 - b->col), PACE_ROLE_FAINT,
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
	int now = b->col + (t.wide ? 34 : 15);

	put_heads(&t, now);
	for (int i = 0; i < PLACES; i++)
		if (places[i].c == PACE_HOST_COUNTERS && b->rows > PLACES)
			put_between(&t, t.wide ? places[i].name : places[i].brief);
		else if (places[i].drop || b->rows > PLACES)
			put_place(&t, t.wide ? places[i].name : places[i].brief,
			    pace_host_rate(s, places[i].c), pace_host_counters_has(&s->host.sums, places[i].c),
			    pace_host_since(s, places[i].c), places[i].drop);
	if (c->v != NULL && !c->s->capture.now.known) {
		struct pace_tally n = pace_tally_since(&c->v->now.all, &c->v->base);

		put_place(&t, t.wide ? "this session: buffer full" : "this: full", k != NULL ?
		    per_s * (double)k->n.socket_drops : NAN, true, n.socket_drops, true);
		put_place(&t, t.wide ? "this session: received" : "this: received", k != NULL ?
		    per_s * (double)k->n.frames : NAN, true, n.frames, false);
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
		pace_canvas_text(c->g, row, col + 27 + BAR, b->cols - 29 - BAR, role, "! no time left");
}

/* Of the first n, which are the busiest, the one with the k-th number: a core keeps its place
 * from look to look, however busy it is. */
static int
core_in_order(const struct pace_host_status *h, int n, int k)
{
	int at = 0;

	for (int i = 0; i < n; i++) {
		int before = 0;

		for (int j = 0; j < n; j++)
			before += h->core[j].core < h->core[i].core || (h->core[j].core == h->core[i].core &&
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
	pace_fixed(c->ui->own_share > 0 ? 100 * c->ui->own_share : NAN, 1, display, sizeof(display));
	pace_canvas_say(c->g, row, b->col + 1, b->cols - 1, PACE_ROLE_FAINT,
	    "%s %s %% of a core%s%s%s", c->s->capture.now.known ? "this capture" : "responder", own, c->ui->own_share > 0 ? ", this display " : "",
	    c->ui->own_share > 0 ? display : "", c->ui->own_share > 0 ? " %" : "");
}

/* A responder elsewhere tells a client of no cores. */
static void
put_untold(const struct pace_scene *c, const struct pace_box *b)
{
	int room = b->cols >= INTERFACES_COLS ? INTERFACES_COL - 2 : b->cols - 1;

	pace_canvas_text(c->g, b->row, b->col + 1, room, PACE_ROLE_FAINT, b->cols >= INTERFACES_COLS ?
	    "cores: on that host, udpace monitor --attach" :
	    "cores and interfaces: on that host, udpace monitor --attach");
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

static uint64_t
more(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
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
		const struct pace_if_use *u = &h->interface[i], *f = known_as(&c->s->host_first, u->name);
		uint64_t lost = f != NULL ? more(pace_if_rx_lost(u), pace_if_rx_lost(f)) : 0;

		if (f == NULL)
			continue;
		pace_canvas_text(c->g, row, b->col + 1, 16, PACE_ROLE_TEXT, u->name);
		pace_canvas_right(c->g, row, b->col + 17, 15, PACE_ROLE_TEXT,
		    pace_print_count(more(u->n[PACE_IF_RX_FRAMES], f->n[PACE_IF_RX_FRAMES]), text));
		pace_canvas_right(c->g, row, b->col + 32, 13, lost > 0 ? PACE_ROLE_BAD : PACE_ROLE_TEXT,
		    pace_print_count(lost, text));
		pace_canvas_right(c->g, row++, b->col + 45, 15, PACE_ROLE_TEXT,
		    pace_print_count(more(u->n[PACE_IF_TX_FRAMES], f->n[PACE_IF_TX_FRAMES]), text));
	}
}

/* --- the page --------------------------------------------------------------- */

static void
put_buffer(const struct pace_scene *c, const struct pace_box *b)
{
	char size[40];

	if (c->v == NULL || c->v->now.rcvbuf_bytes == 0)
		return;
	pace_canvas_say(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_TEXT,
	    "receive buffer of this session: %s", pace_print(PACE_UNIT_BYTES,
	    (double)c->v->now.rcvbuf_bytes, size, sizeof(size)));
}

void
pace_page_host(const struct pace_scene *c, const struct pace_box *b)
{
	int ladder = 1 + PLACES + 2 * (c->v != NULL && !c->s->capture.now.known);
	struct pace_box box = *b;

	if (b->rows < 1)
		return;
	if (!c->s->host.known) {
		pace_canvas_text(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE, "Host");
		if (b->rows > 1)
			pace_canvas_text(c->g, b->row + 1, b->col + 3, b->cols - 3, PACE_ROLE_FAINT,
			    c->s->capture.now.known ? "what this host counts is not told, or not yet" :
			    "the responder does not tell what its host counts, or not yet");
		return;
	}
	if (box.rows > ladder)
		box.rows = ladder;
	put_places(c, &box);
	box.row += box.rows;
	box.rows = b->row + b->rows - box.row;
	if (box.rows < 3)
		return;
	put_buffer(c, &box);
	pace_canvas_rule(c->g, box.row + 1, b->col, b->cols);
	box.row += 2;
	box.rows -= 2;
	if (b->cols >= INTERFACES_COLS) {
		struct pace_box right = box;

		right.col = INTERFACES_COL;
		right.cols = b->cols - INTERFACES_COL;
		put_interfaces(c, &right);
	}
	if (c->s->host.cores > 0)
		put_cores(c, &box);
	else
		put_untold(c, &box);
}
