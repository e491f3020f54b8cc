#include "out/time_text.h"
#include "ui/line.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "core/units.h"
#include "out/glyph.h"
#include "out/stamp_text.h"
#include "ui/parts.h"

const char *
pace_unit_name(enum pace_live_figure unit)
{
	return unit == PACE_FIG_IP ? "IP" : unit == PACE_FIG_DATA ? "data" : "wire";
}

static const char *
bounds_text(struct pace_bounds b, char buf[PACE_BOUNDS_SIZE])
{
	return pace_bounds_text(&b, PACE_BOUNDS_SIZE, buf);
}

/* --- rows ------------------------------------------------------------------ */

#define HEAD_ROWS	20		/* from one head to the next */

void
pace_line_row(const struct pace_say *say, const struct pace_row_table *t, struct pace_line_head *h,
    const char *const *text, const double *v)
{
	if (h->of != t->v || h->left_out != t->left_out || h->rows == HEAD_ROWS) {
		*h = (struct pace_line_head){ .of = t->v, .left_out = t->left_out };
		pace_say_heads(say, t);
	}
	h->rows++;
	for (size_t i = 0; i < t->n; i++) {
		struct pace_row_table one = *t;

		one.left_out |= ~(1U << i);
		if (text[i] == NULL) {
			pace_say_cells(say, &one, v);
		} else if ((t->left_out >> i & 1) == 0) {
			/* by cells: a name may have characters of two */
			int room = t->v[i].width - pace_text_cells(text[i]);

			pace_say(say, "%*s%s", room > 0 ? room : 0, "", text[i]);
		}
	}
}

const char *
pace_line_fit(const struct pace_say *say, const char *name, int width, char *buf, size_t size)
{
	int cells = 2;
	char clean[256];
	size_t used = 2;

	pace_glyph_clean(name, say->utf8, clean, sizeof(clean));
	snprintf(buf, size, "  ");
	for (const char *p = clean, *next = clean; *p != '\0'; p = next) {
		int glyph = pace_glyph_width(pace_glyph_next(&next));

		if (cells + pace_text_cells(p) > width && cells + glyph + 2 > width) {
			cells += snprintf(buf + used, size - used, "..");
			used += 2;
			break;
		}
		used += (size_t)snprintf(buf + used, size - used, "%.*s", (int)(next - p), p);
		cells += glyph;
	}
	snprintf(buf + used, size - used, "%*s", width - cells, "");
	return buf;
}

/* The best estimate, with a blank before it, and "~" where it is no more than that. */
static const char *
estimate(struct pace_bounds b, int width, char buf[PACE_BOUNDS_SIZE])
{
	pace_bounds_text(&b, width - 1, buf);
	if (pace_text_cells(buf) < width)
		return buf;
	buf[0] = '~';
	pace_part_count_in(b.n, width - 2, buf + (b.low != b.high));
	return buf;
}

enum { TIME, NUMBER, CLIENT, WAY, STREAM, RATE, FRAMES, LOST, SOCKET, BEFORE, REPLIES,
    LOST_OF_ALL, LOST_THERE, LOST_BACK, ORDER, DELAY, DELAY_MAX, RTT, RTT_MAX, TOTAL, THERE, BACK,
    COLUMNS };
enum { IS_UTC, IS_WHOLE, IS_TEXT, IS_RATE, IS_PERCENT, IS_SOCKET, IS_BEFORE, IS_THERE, IS_BACK,
    IS_ORDER, IS_TIME, UNITS };

static const struct pace_column columns[COLUMNS] = {
	[TIME] = { "time", 9, IS_UTC }, [NUMBER] = { "no.", 6, IS_WHOLE },
	[CLIENT] = { "client         ", 17, IS_TEXT }, [WAY] = { "way", 5, IS_TEXT },
	[STREAM] = { "stream", 8, IS_TEXT }, [RATE] = { "Mbit/s", 10, IS_RATE },
	[FRAMES] = { "frames/s", 9, IS_WHOLE }, [LOST] = { "lost", 8, IS_PERCENT },
	[SOCKET] = { "lost in", 8, IS_SOCKET }, [BEFORE] = { "lost", 8, IS_BEFORE },
	[REPLIES] = { "replies/s", 10, IS_WHOLE }, [LOST_OF_ALL] = { "lost", 10, IS_PERCENT },
	[LOST_THERE] = { "lost", 8, IS_THERE }, [LOST_BACK] = { "lost", 8, IS_BACK },
	[ORDER] = { "out of", 7, IS_ORDER }, [DELAY] = { "delay+", 9, IS_TIME },
	[DELAY_MAX] = { "max", 9, IS_TIME },
	[RTT] = { "RTT", 9, IS_TIME }, [RTT_MAX] = { "max", 9, IS_TIME },
	[TOTAL] = { "total", 9, IS_TIME }, [THERE] = { "there", 9, IS_TIME },
	[BACK] = { "back", 9, IS_TIME },
};
#define ROUND_TRIPS	(1U << RTT | 1U << RTT_MAX)	/* the client alone knows them */
/* of a STAMP reflector: requests and replies, not a stream */
#define REQUESTS	(1U << REPLIES | 1U << LOST_OF_ALL | 1U << LOST_THERE | 1U << LOST_BACK | \
			    1U << TOTAL | 1U << THERE | 1U << BACK)
#define OF_STREAM	(1U << RATE | 1U << FRAMES | 1U << LOST | 1U << SOCKET | 1U << BEFORE | \
			    1U << DELAY | 1U << DELAY_MAX)
#define WHO		(1U << NUMBER | 1U << CLIENT)	/* it has one session */

static void
put_figures(const struct pace_tick *t, double *v)
{
	if (t->kind != PACE_TICK_NONE && !pace_tally_only_sent(&t->n)) {
		v[LOST] = pace_tally_loss(&t->n);
		v[ORDER] = (double)t->n.reordered;
	}
	if (t->above.n > 0) {
		v[DELAY] = t->above.mean;
		v[DELAY_MAX] = t->above.has_extremes ? (double)t->above.max : NAN;
	}
}

/* Losses by direction are those so far; a later reply may lower them. */
static void
put_requests(const struct pace_snap_session *v, double *to)
{
	static const int ways[PACE_WAYS] = { [PACE_WAY_BOTH] = RTT, [PACE_WAY_THERE] = THERE,
	    [PACE_WAY_BACK] = BACK, [PACE_WAY_TOTAL] = TOTAL };
	const struct pace_probe_status *p = &v->now.probe;

	to[REPLIES] = to[FRAMES];
	to[LOST_OF_ALL] = to[LOST];
	for (int w = 0; w < PACE_WAYS; w++)
		to[ways[w]] = p->way[w].n > 0 ? p->way[w].mean : NAN;
	if (p->stamp.counter != PACE_COUNTER_OWN)
		return;
	to[LOST_THERE] = (double)p->stamp.lost_there;
	to[LOST_BACK] = (double)p->stamp.lost_back;
}

static void
session(const struct pace_say *say, const struct pace_snap *s, const struct pace_snap_session *v,
    enum pace_live_figure unit, struct pace_line_head *h)
{
	const struct pace_scale units[UNITS] =
	    { [IS_UTC] = { "UTC", 1, 0 }, [IS_WHOLE] = { "", 1, 0 },
	    [IS_TEXT] = { "", 1, 0 }, [IS_RATE] = { pace_unit_name(unit), 1e6, 3 },
	    [IS_PERCENT] = { "%", 1, PACE_AS_PERCENT }, [IS_THERE] = { "there", 1, 0 },
	    [IS_BACK] = { "back", 1, 0 }, [IS_SOCKET] = { "socket", 1, 0 },
	    [IS_BEFORE] = { "before", 1, 0 }, [IS_ORDER] = { "order", 1, 0 },
	    [IS_TIME] = { "\xc2\xb5s", 1e3, 2 } };
	const struct pace_tick *t = &v->newest;		/* of graphs it may be parts */
	const struct pace_moments *trips = &v->now.probe.way[PACE_WAY_BOTH];
	const bool several = v->now.stream > 0 || v->now.run.streams > 1;
	const bool two_way = v->now.probe.known &&
	    s->session[s->n - 1].now.number != s->session[0].now.number;
	const struct pace_row_table table = { columns, COLUMNS, units,
	    (v->now.probe.known ? WHO : ROUND_TRIPS) | (v->now.probe.has_stamp ? OF_STREAM : REQUESTS) |
	    (two_way ? 0 : 1U << WAY) | (two_way && several ? 1U << RTT_MAX : 0) |
	    (v->now.probe.known && several ? 0 : 1U << STREAM) };
	char day[32], client[64], socket[PACE_BOUNDS_SIZE], before[PACE_BOUNDS_SIZE];
	char key[PACE_KEY_SIZE], stream[24] = "all";
	const char *text[COLUMNS] =
	    { [TIME] = pace_day_text(s->at_ns, day, sizeof(day)), [CLIENT] = client,
	    [NUMBER] = v->now.stream > 0 ? pace_key_text(pace_session_key(&v->now), key) : NULL,
	    [STREAM] = stream, [WAY] = v->now.run.down ? "down" : "up" };
	double figures[COLUMNS];

	for (int i = 0; i < COLUMNS; i++)
		figures[i] = NAN;
	pace_line_fit(say, pace_session_name(v), columns[CLIENT].width, client, sizeof(client));
	if (v->now.stream > 0)
		snprintf(stream, sizeof(stream), "%" PRIu64, v->now.stream - 1);
	figures[NUMBER] = (double)v->now.number;
	figures[RATE] = t->kind != PACE_TICK_NONE ? pace_tick_bps(t, unit, v->now.ipv6) : NAN;
	figures[FRAMES] = t->kind != PACE_TICK_NONE ? pace_tick_fps(t) : NAN;
	put_figures(t, figures);
	if (!isnan(figures[LOST])) {
		text[SOCKET] = estimate(pace_count_socket(&t->n), columns[SOCKET].width, socket);
		text[BEFORE] = estimate(pace_count_elsewhere(&t->n), columns[BEFORE].width, before);
	}
	if (pace_session_sends(&v->now))
		text[LOST] = "sent";
	if (v->now.probe.known && trips->n > 0) {
		figures[RTT] = trips->mean;
		figures[RTT_MAX] = (double)trips->max;
	}
	if (v->now.probe.has_stamp)
		put_requests(v, figures);
	pace_line_row(say, &table, h, text, figures);
	pace_say(say, "\n");
}

/* Print a rare or different figure, which has no column, in a line of its own. */
__attribute__((format(printf, 4, 5))) static void
remark(const struct pace_say *say, const struct pace_snap *s, const struct pace_snap_session *v,
    const char *fmt, ...)
{
	char day[32], key[PACE_KEY_SIZE], client[64], text[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pace_day_text(s->at_ns, day, sizeof(day));
	if (v->now.probe.known && v->now.stream > 0)
		pace_say(say, "%s  stream %" PRIu64 ": %s\n", day, v->now.stream - 1, text);
	else if (v->now.probe.known)
		pace_say(say, "%s  %s\n", day, text);
	else
		pace_say(say, "%s%*s%s  %s\n", day, columns[NUMBER].width,
		    pace_key_text(pace_session_key(&v->now), key),
		    pace_line_fit(say, pace_session_name(v), columns[CLIENT].width, client,
		    sizeof(client)), text);
}

static void
interval(const struct pace_say *say, const struct pace_snap *s, const struct pace_snap_session *v,
    enum pace_live_figure unit, struct pace_line_head *h)
{
	const struct pace_tick *t = &v->newest;		/* of graphs it may be parts */
	char n[64];

	if (t->kind != PACE_TICK_NONE || v->now.probe.known)
		session(say, s, v, unit, h);
	else
		remark(say, s, v, "%s", pace_print_counted(t->n.round_trips, "round trip", n));
	if (t->n.duplicates > 0)
		remark(say, s, v, "%s", pace_print_counted(t->n.duplicates, "duplicate", n));
	if (t->n.corrupt > 0)
		remark(say, s, v, "%s", pace_print_counted(t->n.corrupt, "corrupted frame", n));
	if (t->dead)
		remark(say, s, v, v->now.probe.has_stamp ? "no reply arrived" : "no frame arrived");
}

/* --- points of a sweep ------------------------------------------------------- */

#define POINT_CELLS	48		/* of its row */

static void
point(const struct pace_say *say, const struct pace_snap_point *p, struct pace_line_head *h)
{
	static const struct pace_scale units[] =
	    { { "B", 1, 0 }, { "\xc2\xb5s", 1e3, 2 }, { "wire", 1e6, 3 },
	    { "%", 1, PACE_AS_PERCENT }, { "order", 1, 0 } };
	static const struct pace_column cells[] = { { "size", 7, 0 }, { "spacing", 12, 1 },
	    { "Mbit/s", 12, 2 }, { "lost", 9, 3 }, { "out of", 8, 4 } };
	static const struct pace_row_table table = { cells, PACE_COUNT_OF(cells), units, 0 };
	char text[2 * sizeof(p->diagnosis)];

	pace_line_row(say, &table, h, (const char *const [PACE_COUNT_OF(cells)]){ NULL },
	    (const double []){ (double)p->size_bytes, p->spacing_ns, p->wire_bps, p->loss,
	    isnan(p->loss) ? NAN : (double)p->reordered });
	pace_glyph_clean(isnan(p->loss) && p->diagnosis[0] == '\0' ? "failed" : p->diagnosis,
	    say->utf8, text,
	    sizeof(text));
	if (pace_text_cells(text) + POINT_CELLS + 2 <= PACE_LINE_WIDTH) {
		pace_say(say, "%s%s\n", text[0] != '\0' ? "  " : "", text);
		return;
	}
	pace_say(say, "\n");
	pace_say_wrapped(say, "         ", text);
}

/* Our own stream: the responder does not answer. */
static void
silence(const struct pace_say *say, const struct pace_snap *s, const struct pace_snap_session *v)
{
	const struct pace_outages *o = &v->now.probe.out;
	char span[40], reason[4 * PACE_OUTAGE_WHY];

	pace_print(PACE_UNIT_SEC, (double)(o->now_ns > 0 ? o->now_ns : v->now.silent_ns), span,
	    sizeof(span));
	if (o->now_ns > 0 && o->why[0] != '\0')
		remark(say, s, v, "OUTAGE for %s: %s", span,
		    pace_glyph_clean(o->why, say->utf8, reason,
		    sizeof(reason)));
	else
		remark(say, s, v, "%s for %s", o->now_ns > 0 ? "OUTAGE" :
		    v->now.probe.has_stamp ? "nothing is heard of the reflector" :
		    "nothing is heard of the responder",
		    span);
}

void
pace_line_tick(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, bool utf8,
    struct pace_line_head *h)
{
	struct pace_say say = { .f = f, .utf8 = utf8 };
	const struct pace_snap_session *worst = NULL;
	bool any = false;
	char day[32];

	if (s->line_has_point) {
		point(&say, &s->sweep->point[s->sweep->n - 1], h);
		return;
	}
	if (s->capture.now.known) {
		pace_line_capture(f, s, unit, utf8, h);
		return;
	}
	if (s->head.watch) {
		pace_line_paths(f, s, utf8, h);
		return;
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct pace_snap_session *v = &s->session[i];
		const struct pace_tick *t = &v->newest;	/* of graphs it may be parts */

		if (v->now.stream == 0)
			worst = pace_snap_worst(s, v);
		else if (v != worst)
			continue;
		if (v->now.stream == 0 && v->seen && t->at_ns != s->at_ns && v->now.probe.known &&
		    (v->now.state == PACE_RUNNING || v->now.probe.out.now_ns > 0)) {
			any = true;
			silence(&say, s, v);
		}
		if (!v->seen || t->at_ns == 0 || t->at_ns != s->at_ns ||
		    (t->kind == PACE_TICK_NONE && t->n.round_trips == 0))
			continue;
		any = true;
		interval(&say, s, v, unit, h);
		if (v->now.probe.has_stamp && v->now.probe.out.now_ns > 0)
			silence(&say, s, v);
	}
	if (!any)
		pace_say(&say, "%s  nothing is measured, sessions open %" PRIu64 "\n",
		    pace_day_text(s->at_ns, day, sizeof(day)), s->totals.active);
}

/* A host's counters include all its traffic, and the locations of the other losses depend on
 * them. */
static void
put_places(const struct pace_say *say, const struct pace_snap *s, const struct pace_snap_session *v)
{
	struct pace_loss_locations p;
	char socket[PACE_BOUNDS_SIZE], network[PACE_BOUNDS_SIZE], nic[40], ip[40];
	char key[PACE_KEY_SIZE];

	pace_snap_places(s, v, true, &p);
	if (p.lost == 0)
		return;
	pace_say_sentence(say, "  ", "session %s lost at its socket %s, before it %s%s",
	    pace_key_text(pace_session_key(&v->now), key),
	    bounds_text(p.socket, socket), bounds_text(p.before, network), p.host ? ", of these" :
	    "");
	if (!p.host)
		return;
	pace_say(say, "    in the network, or counted nowhere: %s\n",
	    bounds_text(p.network, network));
	pace_say(say, "    its host counted of them at most: NIC or backlog %s, firewall or IP %s%s\n",
	    pace_print_count(p.nic, nic), pace_print_count(p.ip, ip), p.pieces ?
	    " frames or pieces" : "");
}

/* The summary includes everything, even if figures on the screen were reset. */
static void
row(const struct pace_say *say, const struct pace_snap_session *v, enum pace_live_figure unit)
{
	double weight = v->past[unit].weight + v->of[unit].weight;
	struct pace_bounds socket = pace_count_socket(&v->now.all),
	    before = pace_count_elsewhere(&v->now.all);
	struct pace_tally n = v->now.all;
	bool sent = pace_tally_only_sent(&n);
	char name[256], text[40], key[PACE_KEY_SIZE], bounds[PACE_BOUNDS_SIZE];

	pace_glyph_clean(pace_session_name(v), say->utf8, name, 16);
	if (v->now.stream > 0)		/* the port does not fit */
		name[strcspn(name, ",")] = '\0';
	pace_say(say, "%4s  %s", pace_key_text(pace_session_key(&v->now), key), name);
	pace_say_cell(say, 15 - pace_text_cells(name), "");
	pace_say_count(say, 12, pace_tally_moved(&n));
	if (sent)
		pace_say_cell(say, 9, "sent");
	else
		pace_say_count(say, 9, pace_tally_lost(&n));
	pace_say(say, " ");
	pace_say_cell(say, 7, pace_percent(pace_tally_loss(&n), text, sizeof(text)));
	pace_say_cell(say, 9, sent ? "-" : pace_bounds_text(&socket, 8, bounds));
	pace_say_cell(say, 9, sent ? "-" : pace_bounds_text(&before, 8, bounds));
	pace_say_cell(say, 12, pace_print(PACE_UNIT_BPS, weight > 0 ? (v->past[unit].sum +
	    v->of[unit].sum) / weight : NAN, text, sizeof(text)));
	pace_say(say, "\n");
}

/* Below 0: a stands before b, because it lost more, or got less. */
static int
by_loss(const void *a, const void *b)
{
	const struct pace_snap_session *x = *(const struct pace_snap_session *const *)a;
	const struct pace_snap_session *y = *(const struct pace_snap_session *const *)b;
	uint64_t lost = pace_tally_lost(&x->now.all), other = pace_tally_lost(&y->now.all);
	uint64_t n = pace_tally_moved(&x->now.all), m = pace_tally_moved(&y->now.all);

	if (lost != other)
		return lost > other ? -1 : 1;
	return n != m ? (n < m ? -1 : 1) : x->now.stream < y->now.stream ? -1 : 1;
}

/* The streams of session i, the worst first, and how equal they are. */
static void
put_streams(const struct pace_say *say, const struct pace_snap *s, size_t i,
    enum pace_live_figure unit, size_t rows)
{
	const struct pace_snap_session *v[PACE_STREAMS];
	double sum = 0, sum2 = 0;
	size_t n = 0;

	for (size_t k = i + 1; k < s->n && n < PACE_STREAMS &&
	    s->session[k].now.number == s->session[i].now.number; k++) {
		double moved = (double)pace_tally_moved(&s->session[k].now.all);

		v[n++] = &s->session[k];
		sum += moved;
		sum2 += moved * moved;
	}
	if (n == 0)
		return;
	qsort(v, n, sizeof(v[0]), by_loss);
	for (size_t k = 0; k < n && k < rows; k++)
		row(say, v[k], unit);
	if (n > rows)
		pace_say(say, "      and %zu streams that lost no more\n", n - rows);
	if (sum2 > 0)
		pace_say(say, "  fairness %s  Jain's index of the frames of the streams; 1: all "
		    "equal\n", PACE_AS_FIXED(sum * sum / ((double)n * sum2), 4));
}

/* A STAMP reflector: nothing is known of a stream. */
static void
put_reflector(struct pace_say *say, const struct pace_snap_session *v)
{
	const struct pace_probe_status *p = &v->now.probe;
	const struct pace_offset clock = { p->offset_ns, p->offset_error_ns, p->bound_ns,
	    p->skew_ppm, p->skew_error_ppm };
	char lost[64];

	pace_percent(pace_tally_loss(&v->now.all), lost, sizeof(lost));
	lost[strcspn(lost, " ")] = '\0';
	pace_say(say, "  requests        %s sent, %s more refused by this host\n",
	    PACE_AS_COUNT(p->sent), PACE_AS_COUNT(p->refused));
	pace_say(say, "  replies         %s, lost %s (%s %%)\n", PACE_AS_COUNT(v->now.all.frames),
	    PACE_AS_COUNT(pace_tally_lost(&v->now.all)), lost);
	if (p->has_bound)
		pace_say_offset(say, "reflector - this host", &clock, "");
	pace_say_stamp(say, &p->stamp);
}

static void
put_way(struct pace_say *say, const char *name, const struct pace_moments *w)
{
	char least[40], mean[40], most[40];

	if (w->n == 0)
		return;
	pace_say(say, "    %-12s  %s to %s, mean %s\n", name,
	    pace_print(PACE_UNIT_USEC, (double)w->min, least, sizeof(least)),
	    pace_print(PACE_UNIT_USEC, (double)w->max, most, sizeof(most)),
	    pace_print(PACE_UNIT_USEC, w->mean, mean, sizeof(mean)));
}

/* Figures that only the sender of a stream knows. */
static void
put_probe(struct pace_say *say, const struct pace_snap_session *v)
{
	const struct pace_probe_status *p = &v->now.probe;
	char sent[64], refused[64], bound[40];

	if (!p->known)
		return;
	pace_print_counted(p->sent, "frame", sent);
	if (p->has_stamp)
		put_reflector(say, v);
	else if (v->now.run.down)
		pace_say(say, "  the responder sent %s\n", sent);
	else
		pace_say(say, "  sent %s, %s more refused by this host\n", sent,
		    pace_print(PACE_UNIT_COUNT, (double)p->refused, refused, sizeof(refused)));
	if (p->out.n > 0)
		pace_say(say, "  %s, %s in all%s, lost in %s %s\n",
		    pace_print_counted(p->out.n, "outage", sent),
		    pace_print(PACE_UNIT_SEC, (double)p->out.all_ns,
		    bound, sizeof(bound)), p->out.now_ns == 0 ? "" : p->out.n == 1 ?
		    " (it was not over)" :
		    " (the last was not over)", p->out.n == 1 ? "it" : "them",
		    pace_print_counted(p->out.lost, p->has_stamp ? "request" : "frame", refused));
	if (p->unreported > 0)
		pace_say(say, "  %s more %s received or lost: no report tells which\n",
		    pace_print_count(p->unreported, sent), p->unreported == 1 ? "frame was" : "frames were");
	if (p->has_stamp)
		put_way(say, "in total", &v->way[PACE_WAY_TOTAL]);
	put_way(say, "round trip", &v->way[PACE_WAY_BOTH]);
	put_way(say, "way there", &v->way[PACE_WAY_THERE]);
	put_way(say, "way back", &v->way[PACE_WAY_BACK]);
	if (v->way[PACE_WAY_THERE].n > 0)
		pace_say(say, "    each way within %s, by the clocks\n", pace_print(PACE_UNIT_USEC,
		    p->bound_ns, bound, sizeof(bound)));
}

void
pace_line_summary(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, size_t rows,
    bool utf8)
{
	struct pace_say say = { .f = f, .utf8 = utf8 };
	size_t sessions = 0, left;
	char host[256], seen[32];

	if (s->sweep != NULL)
		pace_say(&say, "sweep to %s: %zu points%s\n",
		    pace_glyph_clean(s->sweep->target, utf8, host,
		    sizeof(host)), s->sweep->n, s->sweep->ended ? "" : ", it was not at its end");
	if (s->lines == 0)
		return;
	if (s->capture.now.known) {
		pace_line_capture_sum(f, s, unit, rows, utf8);
		return;
	}
	if (s->head.watch) {
		pace_line_paths_sum(f, s, rows, utf8);
		return;
	}
	if (s->n == 1 && s->session[0].now.probe.has_stamp) {
		pace_say(&say, "STAMP reflector %s, seen for %s\n",
		    pace_glyph_clean(s->head.host, utf8, host, sizeof(host)),
		    pace_clock_text(s->at_ns - s->first_ns, seen, sizeof(seen)));
		put_probe(&say, &s->session[0]);
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		sessions += s->session[i].now.stream == 0;
	left = sessions > rows ? sessions - rows : 0;
	pace_say(&say, "responder on %s, seen for %s, %zu %s%s\n",
	    pace_glyph_clean(s->head.host[0] != '\0' ? s->head.host : "?", utf8, host,
	    sizeof(host)),
	    pace_clock_text(s->at_ns - s->first_ns, seen, sizeof(seen)), sessions,
	    sessions == 1 ? "session" : "sessions", left > 0 ? ", the last of them:" : "");
	if (s->n == 0)
		return;
	pace_say(&say, " no.  %-15s      frames     lost  %%        socket   before   mean %s\n",
	    "client", pace_unit_name(unit));
	for (size_t i = 0, skip = left; i < s->n; i++) {
		if (s->session[i].now.stream > 0 || (skip > 0 && skip-- > 0))
			continue;
		row(&say, &s->session[i], unit);
		put_streams(&say, s, i, unit, rows);
	}
	if (s->reset_ns != 0)
		pace_say(&say, "  the screen counted since %s (key r), this is all that was seen\n",
		    pace_day_text(s->reset_ns, seen, sizeof(seen)));
	for (size_t i = 0, skip = left; i < s->n; i++) {
		if (s->session[i].now.stream > 0 || (skip > 0 && skip-- > 0))
			continue;
		put_places(&say, s, &s->session[i]);
		put_probe(&say, &s->session[i]);
	}
}
