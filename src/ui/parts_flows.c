/* The flows of a capture: which of them loses frames? */
#include "ui/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/units.h"
#include "out/glyph.h"
#include "out/say.h"
#include "out/time_text.h"

/* Where columns begin (format, name) or end, from the left; 0: the column does not fit. */
struct parts_flows_list {
	int	format, name;
	int	rate, frames, lost, percent, state;
};

static struct parts_flows_list
list_of(int cols)
{
	if (cols >= 110)
		return (struct parts_flows_list){ 7, 16, 73, 87, 98, 107, 109 };
	if (cols >= 76)
		return (struct parts_flows_list){ 7, 15, 57, 0, 68, 78, 0 };
	return (struct parts_flows_list){ 0, 7, cols - 10, 0, 0, cols - 1, 0 };
}

/* The destination, with the source if it fits. */
static const char *
name_of(const struct pace_snap_session *v, int width, char *buf, size_t size)
{
	const struct pace_flow_status *f = &v->now.flow;
	char to[PACE_FLOW_END], id[40] = "";

	if (f->sum || pace_text_cells(v->now.label) <= width)
		return v->now.label;
	pace_flow_end(f->destination, f->destination_port, to);
	if (f->streams > 1)
		snprintf(id, sizeof(id), " #%s", f->stream);
	snprintf(buf, size, "%s > %s%s", f->source, to, id);
	if (pace_text_cells(buf) > width)
		snprintf(buf, size, "> %s%s", to, id);
	if (pace_text_cells(buf) > width)
		snprintf(buf, size, "%s :%u%s", f->format, f->destination_port, id);
	return buf;
}

static void
put_loss(const struct pace_scene *c, const struct pace_box *b, int row,
    const struct parts_flows_list *k,
    const struct pace_snap_session *v, enum pace_role role)
{
	struct pace_tally n = pace_tally_since(&v->now.all, &v->base);
	bool known = n.frames > n.unnumbered || n.lost > 0;
	char text[80];

	if (k->lost > 0 && known)
		pace_canvas_right(c->g, row, b->col + k->lost - 10, 10, role,
		    pace_print_count(pace_tally_lost(&n), text));
	else if (k->lost > 0)
		pace_canvas_right(c->g, row, b->col + k->lost - 10, 10, role, "no number");
	if (v->doubtful > 0 && n.lost > 0)
		pace_canvas_put(c->g, row, b->col + (k->lost > 0 ? k->lost : k->percent), '?',
		    role);
	pace_canvas_right(c->g, row, b->col + k->percent - 8, 8, role,
	    pace_percent(pace_tally_loss(&n), text, sizeof(text)));
}

void
pace_flow_row(const struct pace_scene *c, const struct pace_box *b, int row,
    const struct pace_snap_session *v, bool chosen)
{
	struct parts_flows_list k = list_of(b->cols);
	struct pace_measure m = pace_measure_rate(c);
	struct pace_tally n = pace_tally_since(&v->now.all, &v->base);
	const struct pace_range *r = &v->of[c->ui->unit];
	bool lives = v->now.state == PACE_RUNNING;
	enum pace_role role = lives || v->now.flow.sum ? PACE_ROLE_TEXT : PACE_ROLE_FAINT;
	enum pace_role bad = n.lost > 0 ? PACE_ROLE_BAD : role;
	int width = k.rate - 9 - k.name;
	char text[160];

	pace_canvas_put(c->g, row, b->col, chosen ? '>' : ' ', role);
	pace_canvas_say(c->g, row, b->col + 1, 5, role, "%4" PRIu64, v->now.number);
	if (n.lost > 0)
		pace_canvas_put(c->g, row, b->col + 5, '!', bad);
	if (k.format > 0 && !v->now.flow.sum)
		pace_canvas_text(c->g, row, b->col + k.format, k.name - k.format - 1, bad,
		    v->now.flow.format);
	if (v->now.flow.sum && k.format > 0)
		pace_canvas_text(c->g, row, b->col + k.format, width, bad, v->now.label);
	else
		pace_canvas_text(c->g, row, b->col + k.name, width, bad,
		    name_of(v, width, text, sizeof(text)));
	pace_part_number(c->g, row, b->col + k.rate - 8, 8, role, r->known ? r->now / m.one : NAN,
	    m.decimals);
	if (k.frames > 0)
		pace_canvas_right(c->g, row, b->col + k.frames - 13, 13, role,
		    pace_print_count(n.frames, text));
	put_loss(c, b, row, &k, v, bad);
	if (k.state > 0 && !lives && !v->now.flow.sum)
		pace_canvas_say(c->g, row, b->col + k.state, b->cols - k.state, role, "%s %s",
		    v->now.state == PACE_READY ? "silent" : "ended",
		    v->now.state == PACE_READY ?
		    pace_clock_text(v->now.silent_ns, text, sizeof(text)) : "");
	if (chosen)
		pace_canvas_role(c->g, row, b->col, b->cols, PACE_ROLE_CHOSEN);
}

void
pace_flow_titles(const struct pace_scene *c, const struct pace_box *b)
{
	struct pace_measure m = pace_measure_rate(c);
	struct parts_flows_list k = list_of(b->cols);

	pace_canvas_text(c->g, b->row, b->col + 1, k.name - 1, PACE_ROLE_TITLE, "Flows");
	if (k.format > 0)
		pace_canvas_text(c->g, b->row, b->col + k.name, 20, PACE_ROLE_FAINT, "from > to");
	pace_canvas_right(c->g, b->row, b->col + k.rate - 8, 8, PACE_ROLE_FAINT, m.name);
	if (k.frames > 0)
		pace_canvas_right(c->g, b->row, b->col + k.frames - 13, 13, PACE_ROLE_FAINT,
		    "frames");
	if (k.lost > 0)
		pace_canvas_right(c->g, b->row, b->col + k.lost - 10, 10, PACE_ROLE_FAINT, "lost");
	pace_canvas_right(c->g, b->row, b->col + k.percent - 8, 8, PACE_ROLE_FAINT, "% lost");
}

void
pace_flow_losers_first(const struct pace_snap *s, size_t *order)
{
	size_t *rest = calloc(s->n + 1, sizeof(*rest)), n = 0, at = 0;

	for (int turn = 0; rest != NULL && turn < 3; turn++)
		for (size_t i = 0; i < s->n; i++) {
			const struct pace_snap_session *v = &s->session[order[i]];
			bool sum = v->now.flow.known ? v->now.flow.sum : v->now.stream == 0;
			int mine = sum ? 0 : v->now.all.lost > v->base.lost ? 1 : 2;

			if (mine == turn)
				rest[n++] = order[i];
		}
	for (; at < n; at++)
		order[at] = rest[at];
	free(rest);
}
