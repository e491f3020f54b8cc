/* Words and figures of one session. */
#include "ui/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "out/glyph.h"
#include "out/say.h"
#include "out/time_text.h"
#include "ui/line.h"
#include "ui/sweep_grid.h"

#define SILENT	(3 * PACE_SEC)	/* a client that measures is heard more often */
#define FAR_ABOVE	1000	/* times what is usual, is written without decimals */

const char *
pace_part_count_in(uint64_t n, int width, char buf[40])
{
	static const char letters[] = "kMGTPE";
	double x = (double)n;

	pace_print_count(n, buf);
	if (pace_text_cells(buf) <= width)
		return buf;
	for (const char *p = letters; x >= 1000 && *p != '\0'; p++) {
		x /= 1000;
		snprintf(buf, 40, "%.*f%c", x < 10 ? 2 : x < 100 ? 1 : 0, x, *p);
	}
	return buf;
}

void
pace_part_number(struct pace_canvas *g, int row, int col, int width, enum pace_role role, double v,
    int decimals)
{
	char text[400];

	pace_fixed(v, decimals, text, sizeof(text));
	while (pace_text_cells(text) > width && decimals > 0)
		pace_fixed(v, --decimals, text, sizeof(text));
	if (pace_text_cells(text) > width)
		snprintf(text, sizeof(text), "%.1e", v);
	pace_canvas_right(g, row, col, width, pace_text_cells(text) > width ? PACE_ROLE_WARN :
	    role, text);
}

int
pace_part_cut(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
    const char *text)
{
	int n = pace_canvas_text(g, row, col, width, role, text);

	if (n > 0 && pace_text_cells(text) > width)
		pace_canvas_put(g, row, col + n - 1, 0x2026, role);
	return n;
}

bool
pace_part_is_tcp(const struct pace_scene *c)
{
	return c->v != NULL && c->v->now.run.tcp > 0;
}

const char *
pace_part_way(const struct pace_scene *c)
{
	return pace_part_is_tcp(c) ? "Data of TCP" :
	    c->v != NULL && pace_session_sends(&c->v->now) ? "Sent" : "Received";
}

/* --- units ----------------------------------------------------------------- */

/* The largest requested or measured value decides, so that the unit only grows. */
struct pace_measure
pace_measure_rate(const struct pace_scene *c)
{
	double most = 0;

	if (c->v != NULL) {
		const struct pace_range *r = &c->v->of[c->ui->unit];

		most = fmax(pace_run_asked_bps(&c->v->now.run, c->ui->unit, c->v->now.ipv6),
		    fmax(r->n > 0 ? r->max : 0, r->known ? r->now : 0));
	}
	if (most >= 1e9)
		return (struct pace_measure){ "Gbit/s", 1e9, 3 };
	if (most >= 1e6)
		return (struct pace_measure){ "Mbit/s", 1e6, 3 };
	return (struct pace_measure){ "kbit/s", 1e3, 2 };
}

static struct pace_measure
measure_frames(const struct pace_scene *c)
{
	const struct pace_range *r = c->v != NULL ? &c->v->of[PACE_FIG_FRAMES] : NULL;
	double most = r == NULL ? 0 : fmax(r->n > 0 ? r->max : 0, r->known ? r->now : 0);

	if (most >= 1e4)
		return (struct pace_measure){ "kframes/s", 1e3, 2 };
	return (struct pace_measure){ "frames/s", 1, 1 };
}

/* The unit for a figure in ns.  Requested and usual values decide: one long stall among many short
 * times does not change the unit, as long as its number fits. */
static struct pace_measure
measure_time(const struct pace_scene *c, enum pace_live_figure f)
{
	const struct pace_range *r = c->v != NULL ? &c->v->of[f] : NULL;
	double usual = r != NULL && r->weight > 0 ? r->sum / r->weight : 0;

	if (r != NULL && r->n > 0)
		usual = fmax(usual, r->max / FAR_ABOVE);
	if (c->v != NULL && f == PACE_FIG_GAP)
		usual = fmax(usual, (double)c->v->now.run.spacing_ns);
	if (usual >= 1e10)
		return (struct pace_measure){ "s", 1e9, 3 };
	if (usual >= 1e7)
		return (struct pace_measure){ "ms", 1e6, 3 };
	return (struct pace_measure){ "\xc2\xb5s", 1e3, 2 };
}

/* --- words ----------------------------------------------------------------- */

/* Does the newest line contain it? */
static bool
is_live(const struct pace_scene *c)
{
	return c->v != NULL && c->v->seen && c->v->now.state != PACE_ENDED &&
	    (c->ui->replay || !c->ui->over);
}

const char *
pace_part_state(const struct pace_scene *c)
{
	static const char *const names[PACE_STATES] = { "OPEN", "RUNNING", "DRAINING", "DONE",
	    "ROUND TRIPS", "CLOSED", "SENDING", "ENDED" };

	if (c->ui->paused || c->ui->held)
		return "PAUSED";
	if (c->s->capture.now.known)
		return pace_capture_state(c);
	if (c->ui->over && !c->ui->replay)
		return "RESPONDER GONE";
	if (c->s->lines == 0 && c->s->campaign)
		return "RUNNING";
	if (c->s->lines == 0 && c->s->sweep != NULL)
		return c->s->sweep->ended ? "SWEEP DONE" : "SWEEP";
	if (c->s->lines == 0)
		return "WAITING";
	if (c->v == NULL)
		return "NO SESSION";
	if (is_live(c) && pace_snap_outage(c->v) > 0)
		return "OUTAGE";
	if (pace_part_is_tcp(c) && c->v->now.state == PACE_PINGING)
		return c->v->now.ended ? "DONE" : "RUNNING";
	return names[c->v->now.state];
}

void
pace_part_time(const struct pace_scene *c, char *buf, size_t size)
{
	char done[32], asked[32];
	bool least;

	buf[0] = '\0';
	if (c->ui->over && c->ui->gone_ns > 0) {
		pace_clock_text(c->ui->gone_ns, buf, size);
		return;
	}
	if (c->v == NULL && c->s->campaign && pace_sweep_all_left(c->s, &least) >= 0)
		snprintf(buf, size, "ETA %s%s",
		    pace_clock_text(pace_sweep_all_left(c->s, &least), done,
		    sizeof(done)), least ? "+" : "");
	if (c->v == NULL || c->v->now.run.number == 0)
		return;
	if (is_live(c) && pace_snap_outage(c->v) > 0) {
		pace_clock_text(pace_snap_outage(c->v), buf, size);
		return;
	}
	pace_clock_text(c->v->now.elapsed_ns, done, sizeof(done));
	if (c->v->now.run.duration_asked_ns > 0)
		snprintf(buf, size, "%s/%s", done,
		    pace_clock_text(c->v->now.run.duration_asked_ns, asked,
		    sizeof(asked)));
	else
		snprintf(buf, size, "%s", done);
}

void
pace_part_who(const struct pace_scene *c, char *buf, size_t size)
{
	const char *host = c->s->head.host[0] != '\0' ? c->s->head.host : "responder";

	if (c->s->capture.now.known)
		pace_capture_who(c, buf, size);
	else if (c->v == NULL && c->s->sweep != NULL)
		snprintf(buf, size, "%s > %s", c->s->campaign ? "campaign" : "sweep",
		    c->s->sweep->target[0] != '\0' ? c->s->sweep->target : "?");
	else if (c->v != NULL && (c->v->now.run.down || c->s->head.watch))
		snprintf(buf, size, "%s > %s", host, pace_session_name(c->v));
	else if (c->v != NULL)
		snprintf(buf, size, "%s > %s", pace_session_name(c->v), host);
	else
		snprintf(buf, size, "%s", host);
}

void
pace_part_run(const struct pace_scene *c, char *buf, size_t size)
{
	const struct pace_run_stats *r = c->v != NULL ? &c->v->now.run : NULL;
	const struct pace_snap_sweep *w = c->s->sweep;
	char spacing[40], streams[40] = "stream";

	if (r != NULL && r->streams > 1)
		snprintf(streams, sizeof(streams), "%u x", r->streams);
	else if (r != NULL && c->v->now.stream > 0)
		snprintf(streams, sizeof(streams), "stream %" PRIu64 ",", c->v->now.stream - 1);
	if (c->s->capture.now.known)
		pace_capture_run(c, buf, size);
	else if (r == NULL && c->s->campaign && w != NULL && w->is_now)
		snprintf(buf, size, "step %" PRIu64 " of %" PRIu64 ", point %" PRIu64 " of %" PRIu64,
		    w->step.number, w->step.of, w->now_index + 1, w->planned);
	else if (r == NULL && c->s->campaign && w != NULL)
		snprintf(buf, size, "step %" PRIu64 " of %" PRIu64, w->step.number, w->step.of);
	else if (r == NULL || r->number == 0)
		snprintf(buf, size, "%s", c->v != NULL ? "nothing measured yet" : "");
	else if (r->tcp > 0)
		snprintf(buf, size, "TCP, %u connection%s", r->tcp, r->tcp == 1 ? "" : "s");
	else if (r->pings)
		snprintf(buf, size, "round trips of %u B", r->size_bytes);
	else if (r->stamp)
		snprintf(buf, size, "STAMP %u B every %s", r->size_bytes, pace_print(PACE_UNIT_USEC,
		    (double)r->spacing_ns, spacing, sizeof(spacing)));
	else if (r->spacing_ns > 0 && r->train > 1)
		snprintf(buf, size, "trains of %" PRIu64 " x %u B, one every %s", r->train,
		    r->size_bytes, pace_print(PACE_UNIT_USEC,
		    (double)r->spacing_ns * (double)r->train,
		    spacing, sizeof(spacing)));
	else if (r->spacing_ns > 0)
		snprintf(buf, size, "%s %u B every %s", streams, r->size_bytes,
		    pace_print(PACE_UNIT_USEC, (double)r->spacing_ns, spacing, sizeof(spacing)));
	else
		snprintf(buf, size, "%s %u B, as fast as possible", streams, r->size_bytes);
}

const char *
pace_part_mood(const struct pace_scene *c, enum pace_role *role, const char **brief)
{
	const struct pace_tick *t = c->v != NULL ? pace_snap_tick(c->v, 0) : NULL;

	*role = PACE_ROLE_BAD;
	if (is_live(c) && t != NULL && t->out)
		return *brief = "silent!";
	if (is_live(c) && t != NULL && t->dead) {
		*brief = "no data!";
		return "nothing comes!";
	}
	if (is_live(c) && pace_part_is_stamp(c) && pace_snap_outage(c->v) > 0)
		return *brief = "silent!";
	if (is_live(c) && t != NULL && t->n.corrupt > 0)
		return *brief = "damaged!";
	if (is_live(c) && c->s->capture.now.just_dropped > 0) {
		*brief = "drops!";
		return "own drops!";
	}
	if (is_live(c) && t != NULL && t->n.lost > 0)
		return *brief = "loss!";
	if (c->ui->record_error != NULL) {
		*brief = "unsaved!";
		return "not recorded!";
	}
	*role = PACE_ROLE_WARN;
	if (is_live(c) && !c->v->now.flow.known && c->v->now.state == PACE_RUNNING &&
	    c->v->now.silent_ns > SILENT)
		return *brief = "silent!";
	*role = PACE_ROLE_FAINT;
	if (c->v == NULL && c->s->campaign)
		return *brief = "";
	if (t == NULL || t->kind == PACE_TICK_NONE || !is_live(c))
		return *brief = "idle";
	*role = PACE_ROLE_GOOD;
	return *brief = "ok";
}

/* --- the table ------------------------------------------------------------- */

/* Columns by the room there is. */
struct columns {
	int	label, number, unit, note;	/* where they are; note 0: there is none */
	int	width;				/* of a number */
	bool	extremes;
};

static struct columns
columns_of(int cols)
{
	if (cols >= 100)
		return (struct columns){ .label = 1, .number = 17, .unit = 60, .width = 10,
		    .extremes = true, .note = 76 };
	if (cols >= 66)
		return (struct columns){ .label = 1, .number = 16, .unit = 54, .width = 9,
		    .extremes = true, .note = cols >= 80 ? 54 : 0 };
	if (cols >= 44)
		return (struct columns){ .label = 1, .number = 16, .unit = 38, .width = 10 };
	return (struct columns){ .label = 0, .number = 12, .unit = 31, .width = 9 };
}

struct parts_table_line {
	const char	*label;
	enum pace_live_figure figure;
	double		one;
	int		decimals;
	const char	*unit;
	char		note[200];
	double		mean;
};

/* Both directions and their bound: with fewer decimals, then fewer words, but never without the
 * bound. */
static void
describe_ways(const struct pace_scene *c, struct parts_table_line *l, int room)
{
	const struct pace_probe_status *p = &c->v->now.probe;
	double there = p->way[PACE_WAY_THERE].mean, back = p->way[PACE_WAY_BACK].mean;
	const char *sign = c->g->utf8 ? "\xc2\xb1" : "+-";
	char a[40], b[40], bound[40];

	for (int form = 0; form < 5; form++) {
		int decimals = form == 2 || form == 4 ? 0 : l->one > 1e3 ? 3 : 1;

		if (form == 2 && fmin(fmin(there, back), p->bound_ns) < 10 * l->one)
			continue;
		pace_fixed(there / l->one, decimals, a, sizeof(a));
		pace_fixed(back / l->one, decimals, b, sizeof(b));
		pace_fixed(p->bound_ns / l->one, decimals, bound, sizeof(bound));
		if (form < 3)
			snprintf(l->note, sizeof(l->note), "there %s%s back %s%s %s%s", a,
			    form == 0 ? "," : "",
			    b, form == 0 ? "," : "", sign, bound);
		else
			snprintf(l->note, sizeof(l->note), "ways %s + %s %s%s", a, b, sign, bound);
		if (pace_text_cells(l->note) <= room)
			return;
	}
	l->note[0] = '\0';
}

static void
describe(const struct pace_scene *c, struct parts_table_line *l, int room)
{
	double rate_one = pace_measure_rate(c).one;
	const struct pace_range *r = &c->v->of[l->figure];
	struct pace_tally n = pace_tally_since(&c->v->now.all, &c->v->base);
	double asked = pace_run_asked_bps(&c->v->now.run, c->ui->unit, c->v->now.ipv6);
	uint64_t lost = pace_tally_lost(&n);
	char a[40], b[40];

	l->mean = r->weight > 0 ? r->sum / r->weight : NAN;
	if (l->figure == PACE_FIG_TCP_IN)
		snprintf(l->note, sizeof(l->note), "%s bytes", pace_part_count_in(n.tcp_bytes,
		    room - 6, a));
	else if (l->figure == PACE_FIG_TCP_OUT)
		snprintf(l->note, sizeof(l->note), "%s bytes", pace_part_count_in(n.tcp_sent_bytes,
		    room - 6, a));
	else if (l->figure == PACE_FIG_TCP_RTT)
		snprintf(l->note, sizeof(l->note), "segments sent again: %s",
		    pace_part_count_in(n.tcp_retransmits, room - 21, a));
	else if (l->figure == (c->v->now.probe.known ? PACE_FIG_SENT : c->ui->unit) && asked > 0)
		snprintf(l->note, sizeof(l->note), "asked %s",
		    pace_fixed(asked / rate_one, l->decimals, a,
		    sizeof(a)));
	else if (l->figure == PACE_FIG_FRAMES && c->v->now.probe.known)
		snprintf(l->note, sizeof(l->note), "sent %s",
		    pace_part_count_in(c->v->now.probe.sent,
		    room - 5, a));
	else if (l->figure == PACE_FIG_FRAMES && pace_session_sends(&c->v->now))
		snprintf(l->note, sizeof(l->note), "sent %s",
		    pace_part_count_in(n.sent_frames, room - 5, a));
	else if (l->figure == PACE_FIG_FRAMES)
		snprintf(l->note, sizeof(l->note), "received %s",
		    pace_part_count_in(n.frames, room - 9, a));
	else if (l->figure == PACE_FIG_LOSS && pace_tally_only_sent(&n))
		snprintf(l->note, sizeof(l->note), "the client counts");
	else if (l->figure == PACE_FIG_LOSS && n.frames > 0 && n.unnumbered >= n.frames &&
	    lost == 0)
		snprintf(l->note, sizeof(l->note), "no numbers");
	else if (l->figure == PACE_FIG_LOSS)
		snprintf(l->note, sizeof(l->note), "%s of %s",
		    pace_part_count_in(lost, (room - 4) / 2, a),
		    pace_part_count_in(n.frames - n.unnumbered + lost, (room - 4) / 2, b));
	else if (l->figure == PACE_FIG_ORDER && !pace_tally_only_sent(&n))
		snprintf(l->note, sizeof(l->note), "%s%s, duplicates %s", room < 24 ? "" :
		    "in all ",
		    pace_part_count_in(n.reordered, room - 18, a),
		    pace_part_count_in(n.duplicates, 5, b));
	else if ((l->figure == PACE_FIG_THERE || l->figure == PACE_FIG_BACK) &&
	    c->v->now.probe.has_bound)
		snprintf(l->note, sizeof(l->note), "%s%s", c->g->utf8 ? "\xc2\xb1" : "+-",
		    pace_fixed(c->v->now.probe.bound_ns / l->one, l->decimals, a, sizeof(a)));
	else if (l->figure == PACE_FIG_RTT && pace_part_is_stamp(c))
		snprintf(l->note, sizeof(l->note), "without it");
	else if (l->figure == PACE_FIG_RTT && pace_probe_has_ways(&c->v->now.probe))
		describe_ways(c, l, room);
	else if (l->figure == PACE_FIG_GAP && c->v->now.run.spacing_ns > 0)
		snprintf(l->note, sizeof(l->note), "asked %s%s",
		    pace_fixed((double)c->v->now.run.spacing_ns / l->one, l->decimals, a,
		    sizeof(a)),
		    c->v->now.run.train > 1 ? " mean" : "");
	if (l->figure == PACE_FIG_LOSS)
		l->mean = pace_tally_loss(&n);
}

/* Loss has three significant digits, other figures have fixed decimals.  The first cell stays
 * blank, so that columns never touch. */
static void
put_figure(const struct pace_scene *c, int row, int col, int width, enum pace_role role, double v,
    const struct parts_table_line *l)
{
	char text[40];

	col++;
	width--;
	if (l->figure == PACE_FIG_LOSS) {
		pace_percent(v, text, sizeof(text));
		text[strcspn(text, " ")] = '\0';
		pace_canvas_right(c->g, row, col, width, role, text);
	} else {
		pace_part_number(c->g, row, col, width, role, v / l->one, l->decimals);
	}
}

static void
put_line(const struct pace_scene *c, const struct pace_box *b, int row, const struct columns *k,
    struct parts_table_line *l)
{
	static const struct pace_range none;
	const struct pace_range *r = c->v != NULL ? &c->v->of[l->figure] : &none;
	int at = b->col + k->number, end = b->col + b->cols, note;
	double now = r->known ? r->now : NAN;
	enum pace_role role = l->figure == PACE_FIG_LOSS && now > 0 ? PACE_ROLE_BAD :
	    l->figure == PACE_FIG_ORDER && now > 0 ? PACE_ROLE_WARN : PACE_ROLE_NOW;

	l->mean = NAN;
	note = b->col + k->unit + pace_text_cells(l->unit) + 2;
	note = k->note > 0 && note < b->col + k->note ? b->col + k->note : note;
	if (c->v != NULL)
		describe(c, l, end - note);
	pace_canvas_text(c->g, row, b->col + k->label, k->number - k->label, PACE_ROLE_TEXT,
	    l->label);
	put_figure(c, row, at, k->width, role, now, l);
	put_figure(c, row, at + k->width, k->width, PACE_ROLE_TEXT, l->mean, l);
	if (k->extremes) {
		put_figure(c, row, at + 2 * k->width, k->width, PACE_ROLE_TEXT,
		    r->n > 0 ? r->min : NAN, l);
		put_figure(c, row, at + 3 * k->width, k->width, PACE_ROLE_TEXT,
		    r->n > 0 ? r->max : NAN, l);
	}
	at = b->col + k->unit;
	pace_canvas_text(c->g, row, at, end - at, PACE_ROLE_TEXT, l->unit);
	if (k->note > 0)
		pace_canvas_text(c->g, row, note, end - note, PACE_ROLE_FAINT, l->note);
}

/* Figures unknown to a capture, or meaningless for a sum, have no row. */
static bool
has_row(const struct pace_scene *c, enum pace_live_figure f)
{
	bool known = c->v != NULL && c->v->of[f].n > 0;
	bool of_tcp = f >= PACE_FIG_TCP_IN && f <= PACE_FIG_TCP_RTT;

	if (of_tcp || pace_part_is_tcp(c))
		return of_tcp && pace_part_is_tcp(c);
	if (f >= PACE_FIG_TOTAL)
		return pace_part_is_stamp(c);
	if (pace_part_is_stamp(c))
		return f == PACE_FIG_FRAMES || f == PACE_FIG_LOSS || f == PACE_FIG_ORDER ||
		    f == PACE_FIG_RTT;
	if (f == PACE_FIG_RTT || f == PACE_FIG_SENT)
		return c->v != NULL && c->v->now.probe.known;
	if (f < PACE_FIG_GAP || !c->s->capture.now.known)
		return true;
	return f == PACE_FIG_DELAY ? false : known;
}

int
pace_part_table_rows(const struct pace_scene *c)
{
	int rows = has_row(c, c->ui->unit);

	for (enum pace_live_figure f = PACE_FIG_FRAMES; f < PACE_FIG_GAP; f++)
		rows += has_row(c, f);

	for (enum pace_live_figure f = PACE_FIG_GAP; f < PACE_FIGURES; f++)
		rows += has_row(c, f);
	return rows;
}

/* The order in which rows are dropped if they do not fit: the sender's figures, jitter, frames,
 * and so on. */
void
pace_part_table(const struct pace_scene *c, const struct pace_box *b)
{
	static const int orders[2][15] = {	/* to stay in: of a stream, or TCP; of a reflector */
		{ 0, 1, 6, 2, 4, 5, 7, 3, 0, 0, 0, 0, 1, 2, 3 },
		{ 0, 0, 6, 2, 4, 0, 0, 0, 3, 1, 5, 7, 0, 0, 0 } };
	bool stamp = pace_part_is_stamp(c);
	const int *keep = orders[stamp];
	int rows = pace_part_table_rows(c), n = (int)(sizeof(orders[0]) / sizeof(orders[0][0]));
	bool ours = has_row(c, PACE_FIG_SENT);
	struct pace_measure rate = pace_measure_rate(c), frames = measure_frames(c);
	struct columns k = columns_of(b->cols);
	char unit[40];
	struct parts_table_line lines[] = {
		{ .label = "Sent", .figure = PACE_FIG_SENT, .decimals = rate.decimals, .unit = unit,
		    .one = ours ? rate.one / pace_run_frame_bits(&c->v->now.run, c->ui->unit,
		    c->v->now.ipv6) : 1 },
		{ .label = pace_part_way(c), .figure = c->ui->unit, .one = rate.one,
		    .decimals = rate.decimals, .unit = unit },
		{ .label = stamp ? "Replies" : "Frames", .figure = PACE_FIG_FRAMES, .one = frames.one,
		    .decimals = frames.decimals,
		    .unit = stamp && frames.one == 1 ? "replies/s" : frames.name },
		{ .label = "Lost", .figure = PACE_FIG_LOSS, .one = 1, .unit = "%" },
		{ .label = "Out of order", .figure = PACE_FIG_ORDER, .one = 1,
		    .unit = stamp ? "replies" : "frames" },
		{ .label = k.number >= 16 ? "Arrival spacing" : "Spacing", .figure = PACE_FIG_GAP },
		{ .label = k.number >= 16 ? "Arrival jitter" : "Jitter", .figure = PACE_FIG_JITTER,
		    .note = "RFC 3550" },
		{ .label = k.number >= 16 ? "One-way delay +" : "Delay +", .figure = PACE_FIG_DELAY,
		    .note = "above the quickest" },
		{ .label = "Round trip", .figure = PACE_FIG_TOTAL,
		    .note = "with the residence" },
		{ .label = stamp ? "Network" : "Round trip", .figure = PACE_FIG_RTT },
		{ .label = "Way there", .figure = PACE_FIG_THERE },
		{ .label = "Way back", .figure = PACE_FIG_BACK },
		{ .label = "Received", .figure = PACE_FIG_TCP_IN, .one = rate.one,
		    .decimals = rate.decimals, .unit = rate.name },
		{ .label = "Sent", .figure = PACE_FIG_TCP_OUT, .one = rate.one,
		    .decimals = rate.decimals, .unit = rate.name },
		{ .label = "Round trip", .figure = PACE_FIG_TCP_RTT },
	};
	static const char *const titles[] = { "now", "mean", "min", "max" };
	int row = b->row + 1;

	for (int i = 0; i < n; i++) {	/* a figure that is a time has the unit that fits it */
		struct pace_measure m = measure_time(c, lines[i].figure);

		if (lines[i].unit != NULL)
			continue;
		lines[i].one = m.one;
		lines[i].decimals = m.decimals;
		lines[i].unit = m.name;
	}
	snprintf(unit, sizeof(unit), b->cols >= 44 ? "%s %s" : "%s", rate.name,
	    pace_unit_name(c->ui->unit));
	for (int i = 0; i < (k.extremes ? 4 : 2); i++)
		pace_canvas_right(c->g, b->row, b->col + k.number + i * k.width, k.width,
		    PACE_ROLE_FAINT, titles[i]);
	pace_canvas_text(c->g, b->row, b->col + k.unit, b->cols - k.unit, PACE_ROLE_FAINT,
	    stamp || pace_part_is_tcp(c) ? "unit" : k.note > 0 ? "unit (u changes it)" : "unit (u)");
	for (int i = 0; i < n; i++)
		if (has_row(c, lines[i].figure) &&
		    (b->rows > rows || (keep[i] > 0 && keep[i] < b->rows)))
			put_line(c, b, row++, &k, &lines[i]);
}
