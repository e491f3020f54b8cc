/* parts_where.c - loss locations: in a row, or as a ladder. */
#include "ui/parts.h"

#include <stdio.h>
#include <string.h>

#include "out/glyph.h"

#define PLACE	12		/* cells of one in a row */
#define NUMBER	15		/* cells of a number in the ladder */

/* A figure of loss with its bounds is worse than one that may be 0. */
static enum pace_role
role_of(const struct pace_bounds *b)
{
	return b->n > 0 ? PACE_ROLE_BAD : b->high > 0 ? PACE_ROLE_WARN : PACE_ROLE_NOW;
}

/* Of nothing, nothing is known. */
static bool
is_nothing(const struct pace_tally *n)
{
	return n->frames == 0 && n->lost <= 0;
}

static struct pace_tally
counts(const struct pace_scene *c)
{
	static const struct pace_tally none;

	return c->v != NULL ? pace_tally_since(&c->v->now.all, &c->v->base) : none;
}

static struct pace_loss_locations
places(const struct pace_scene *c)
{
	struct pace_loss_locations p = { .lost = 0 };

	if (c->v != NULL)
		pace_snap_places(c->s, c->v, false, &p);
	else
		p.host = c->s->host.known;
	return p;
}

bool
pace_part_is_here(const struct pace_scene *c)
{
	return !c->ui->replay && (c->v == NULL || !c->v->now.probe.known);
}

/* --- a row ------------------------------------------------------------------ */

struct parts_where_row {
	const struct pace_scene *c;
	int		row, col, end;
	bool		nothing;
};

static void
put(struct parts_where_row *r, const char *name, const struct pace_bounds *b, int cells)
{
	char text[PACE_BOUNDS_SIZE];

	r->col += pace_canvas_text(r->c->g, r->row, r->col, r->end - r->col, PACE_ROLE_TEXT, name);
	r->col += pace_part_cut(r->c->g, r->row, r->col, r->end - r->col, r->nothing ?
	    PACE_ROLE_NOW : role_of(b), r->nothing ? "-" : pace_bounds_text(b, cells, text));
}

/* As many of the host's counters as fit. */
static void
put_host(struct parts_where_row *r, const struct pace_loss_locations *p)
{
	const char *its = pace_part_is_here(r->c) ? "here: " : "its ";
	char text[4][160] = { " (network, NIC, queues)" }, nic[40], ip[40];

	pace_print_count(p->nic, nic);
	pace_print_count(p->ip, ip);
	if (p->host) {
		snprintf(text[0], sizeof(text[0]), " (%sNIC or backlog %s, firewall or IP %s)",
		    its, nic, ip);
		snprintf(text[1], sizeof(text[1]), " (%sNIC %s, firewall %s)", its, nic, ip);
		snprintf(text[2], sizeof(text[2]), " (NIC %s, firewall %s)", nic, ip);
		if (p->nic + p->ip > 0)
			snprintf(text[3], sizeof(text[3]), " (%s %s)", p->ip >= p->nic ?
			    "firewall" : "NIC",
			    p->ip >= p->nic ? ip : nic);
	}
	for (int i = 0; i < 4; i++)
		if (r->end - r->col > pace_text_cells(text[i])) {
			pace_canvas_text(r->c->g, r->row, r->col, r->end - r->col,
			    PACE_ROLE_FAINT, text[i]);
			return;
		}
}

void
pace_part_where(const struct pace_scene *c, int row, int col, int cols)
{
	struct pace_tally n = counts(c);
	struct pace_loss_locations p = places(c);
	struct parts_where_row r = { c, row, col, col + cols, is_nothing(&n) };
	bool here = pace_part_is_here(c);

	if (pace_part_is_tcp(c))	/* its losses are sent again */
		return;
	if (pace_part_is_stamp(c)) {
		pace_part_stamp_where(c, row, col, cols);
		return;
	}
	if (cols < 66) {
		r.col += pace_canvas_text(c->g, row, col, cols, PACE_ROLE_TITLE, " Lost");
		put(&r, cols >= 44 ? ": at the socket " : ": socket ", &p.socket, (cols - 24) / 2);
		put(&r, ", before ", &p.before, (cols - 24) / 2);
		return;
	}
	r.col += pace_canvas_text(c->g, row, col, cols, PACE_ROLE_TITLE, " Lost where");
	put(&r, here ? "   socket buffer " : "   its socket ", &p.socket, PLACE);
	put(&r, "   before it ", &p.before, PLACE);
	put_host(&r, &p);
}

/* --- the ladder ------------------------------------------------------------- */

struct parts_where_ladder {
	const struct pace_scene *c;
	const struct pace_box *b;
	int		row;
	bool		nothing;
};

static void
step(struct parts_where_ladder *l, const char *name, const struct pace_bounds *n, bool drop)
{
	const struct pace_box *b = l->b;
	enum pace_role role = drop && n->high > 0 ? role_of(n) : PACE_ROLE_TEXT;
	int row = b->row + l->row;
	char text[PACE_BOUNDS_SIZE];

	if (l->row++ >= b->rows)
		return;
	pace_canvas_text(l->c->g, row, b->col + 1, b->cols - NUMBER - 4, role, name);
	pace_canvas_right(l->c->g, row, b->col + b->cols - NUMBER - 3, NUMBER, role,
	    l->nothing ? "-" : pace_bounds_text(n, NUMBER, text));
	if (drop && n->high > 0)
		pace_canvas_put(l->c->g, row, b->col + b->cols - 2, 0x25bc, role);
}

static void
exactly(struct parts_where_ladder *l, const char *name, uint64_t n, bool drop)
{
	step(l, name, &(struct pace_bounds){ n, n, n }, drop);
}

/* Of requests to a reflector and their replies. */
static void
stamp_ladder(struct parts_where_ladder *l, const struct pace_tally *n)
{
	const struct pace_stamp_result *r = &l->c->v->now.probe.stamp;
	bool known = r->counter == PACE_COUNTER_OWN;

	exactly(l, "should have come", n->frames + pace_tally_lost(n), false);
	if (known)
		exactly(l, "lost on the way there", r->lost_there, true);
	if (known)
		exactly(l, "lost on the way back", r->lost_back, true);
	exactly(l, "lost, direction not known", r->lost_unknown, true);
	exactly(l, "replies", n->frames, false);
	exactly(l, "  of these out of order", n->reordered, false);
	exactly(l, "duplicates, beside them", n->duplicates, false);
	exactly(l, "foreign datagrams", n->foreign, false);
}

void
pace_part_ladder(const struct pace_scene *c, const struct pace_box *b)
{
	struct pace_tally n = counts(c);
	struct pace_loss_locations p = places(c);
	struct parts_where_ladder l = { c, b, 1, is_nothing(&n) };
	bool here = pace_part_is_here(c);

	if (b->rows < 1)
		return;
	pace_canvas_text(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE,
	    pace_part_is_stamp(c) ? "Where requests went" : "Where frames went");
	if (pace_part_is_stamp(c)) {
		stamp_ladder(&l, &c->v->now.all);
		return;
	}
	pace_canvas_right(c->g, b->row, b->col + b->cols - NUMBER - 6, NUMBER + 3, PACE_ROLE_FAINT,
	    p.pieces && p.host ? "frames or pieces" : "frames");
	exactly(&l, "should have come", n.frames + p.lost, false);
	step(&l, "lost before the socket", &p.before, true);
	if (p.host) {		/* what its host counted is of all traffic: no more than that is ours */
		exactly(&l, here ? "  NIC or backlog counted" : " its NIC or backlog counted",
		    p.nic, true);
		exactly(&l, here ? "  firewall or IP counted" : " its firewall or IP counted",
		    p.ip, true);
		step(&l, here ? "  network, or not counted" : " network, or not counted",
		    &p.network, true);
	}
	step(&l, here ? "dropped by socket buffer" : "dropped by its socket", &p.socket,
	    true);
	exactly(&l, "received", n.frames, false);
	exactly(&l, "  of these damaged", n.corrupt, true);
	exactly(&l, "  of these out of order", n.reordered, false);
	exactly(&l, "duplicates, beside them", n.duplicates, false);
	exactly(&l, "foreign datagrams", n.foreign, false);
}
