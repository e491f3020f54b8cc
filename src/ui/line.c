#include "out/time_text.h"
#include "ui/line.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/units.h"
#include "out/glyph.h"
#include "out/say.h"
#include "ui/canvas.h"

#define S	INT64_C(1000000000)

const char *
pace_unit_name(enum pace_live_figure unit)
{
	return unit == PACE_FIG_IP ? "IP" : unit == PACE_FIG_DATA ? "data" : "wire";
}

static const char *
bounds(struct pace_bounds b, char buf[PACE_BOUNDS_SIZE])
{
	return pace_bounds_text(&b, PACE_BOUNDS_SIZE, buf);
}

static void
stream(const struct pace_say *say, const struct pace_snap_session *v, const struct pace_tick *t,
    enum pace_live_figure unit)
{
	char a[40], b[40], low[PACE_BOUNDS_SIZE], high[PACE_BOUNDS_SIZE];
	double loss = pace_tally_loss(&t->n);

	pace_say(say, "  received %s %s, %s frames/s",
	    pace_print(PACE_UNIT_BPS, pace_tick_bps(t, unit, v->now.ipv6), a, sizeof(a)),
	    pace_unit_name(unit),
	    pace_print(PACE_UNIT_COUNT, pace_tick_fps(t), b, sizeof(b)));
	pace_say(say, ", lost %s", pace_print(PACE_UNIT_RATIO, loss, a, sizeof(a)));
	if (t->n.lost > 0)
		pace_say(say, " (%s: socket buffer %s, before it %s)", pace_print_count((uint64_t)t->n.lost, a),
		    bounds(pace_count_socket(&t->n), low), bounds(pace_count_elsewhere(&t->n), high));
	else if (t->dead)
		pace_say(say, " (nothing comes)");
	pace_say(say, ", out of order %s, duplicates %s", pace_print_count(t->n.reordered, a),
	    pace_print_count(t->n.duplicates, b));
	if (t->n.corrupt > 0)
		pace_say(say, ", damaged %s", pace_print_count(t->n.corrupt, a));
	if (t->gaps.n > 0)
		pace_say(say, ", spacing %s", pace_print(PACE_UNIT_USEC, t->gaps.mean, a, sizeof(a)));
	if (t->above.n > 0)
		pace_say(say, ", delay +%s up to %s",
		    pace_print(PACE_UNIT_USEC, t->above.mean, a, sizeof(a)),
		    pace_print(PACE_UNIT_USEC, (double)t->above.max, b, sizeof(b)));
}

/* What the sender of the stream knows. */
static void
probe(const struct pace_say *say, const struct pace_probe_status *p)
{
	const struct pace_moments *way = p->way;
	char a[40], b[40];

	if (way[PACE_WAY_BOTH].n > 0)
		pace_say(say, ", round trip %s up to %s",
		    pace_print(PACE_UNIT_USEC, way[PACE_WAY_BOTH].mean, a, sizeof(a)),
		    pace_print(PACE_UNIT_USEC, (double)way[PACE_WAY_BOTH].max, b, sizeof(b)));
	if (pace_probe_has_ways(p))
		pace_say(say, ", there %s, back %s",
		    pace_print(PACE_UNIT_USEC, way[PACE_WAY_THERE].mean, a, sizeof(a)),
		    pace_print(PACE_UNIT_USEC, way[PACE_WAY_BACK].mean, b, sizeof(b)));
	if (p->refused > 0)
		pace_say(say, ", refused by this host %s", pace_print_count(p->refused, a));
}

static void
session(const struct pace_say *say, const struct pace_snap *s, const struct pace_snap_session *v,
    const struct pace_tick *t, enum pace_live_figure unit)
{
	char day[32], name[256], age[32], n[40];

	pace_say(say, "%s  session %" PRIu64 " %s  %s %s", pace_day_text(s->at_ns, day, sizeof(day)),
	    v->now.number, pace_glyph_clean(pace_session_name(v), say->utf8, name, sizeof(name)),
	    v->now.state == PACE_PINGING ? "round trips" : pace_state_name(v->now.state),
	    pace_clock_text(v->now.elapsed_ns, age, sizeof(age)));
	if (t->kind != PACE_TICK_NONE)
		stream(say, v, t, unit);
	else
		pace_say(say, "  round trips %s", pace_print_count(t->n.round_trips, n));
	if (v->now.probe.known)
		probe(say, &v->now.probe);
	pace_say(say, "\n");
}

static void
point(const struct pace_say *say, const struct pace_snap_point *p)
{
	char a[40], b[40], diagnosis[2 * sizeof(p->diagnosis)];

	pace_say(say, "%" PRIu64 " B every %s  received %s wire", p->size_bytes,
	    pace_print(PACE_UNIT_USEC, p->spacing_ns, a, sizeof(a)),
	    pace_print(PACE_UNIT_BPS, p->wire_bps, b, sizeof(b)));
	if (isnan(p->loss))
		pace_say(say, ", failed\n");
	else
		pace_say(say, ", lost %s, out of order %s%s%s\n",
		    pace_print(PACE_UNIT_RATIO, p->loss, a, sizeof(a)), pace_print_count(p->reordered, b),
		    p->diagnosis[0] != '\0' ? ": " : "",
		    pace_glyph_clean(p->diagnosis, say->utf8, diagnosis, sizeof(diagnosis)));
}

/* Of a stream of our own: the responder does not answer. */
static void
silence(const struct pace_say *say, const struct pace_snap *s, const struct pace_snap_session *v)
{
	char day[32], name[256], text[40];

	pace_say(say, "%s  session %" PRIu64 " %s  nothing is heard of the responder for %s\n",
	    pace_day_text(s->at_ns, day, sizeof(day)), v->now.number,
	    pace_glyph_clean(pace_session_name(v), say->utf8, name, sizeof(name)),
	    pace_print(PACE_UNIT_SEC, (double)v->now.silent_ns, text, sizeof(text)));
}

void
pace_line_tick(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, bool utf8)
{
	struct pace_say say = { .f = f, .utf8 = utf8 };
	bool any = false;
	char day[32];

	if (s->told_point) {
		point(&say, &s->sweep->point[s->sweep->n - 1]);
		return;
	}
	if (s->capture.now.known) {
		pace_line_capture(f, s, unit, utf8);
		return;
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct pace_snap_session *v = &s->session[i];
		const struct pace_tick *t = &v->newest;	/* of graphs it may be parts */

		if (v->seen && t->at_ns != s->at_ns && v->now.probe.known && v->now.state == PACE_RUNNING) {
			any = true;
			silence(&say, s, v);
		}
		if (!v->seen || t->at_ns == 0 || t->at_ns != s->at_ns ||
		    (t->kind == PACE_TICK_NONE && t->n.round_trips == 0))
			continue;
		any = true;
		session(&say, s, v, t, unit);
	}
	if (!any)
		pace_say(&say, "%s  nothing is measured, sessions open %" PRIu64 "\n",
		    pace_day_text(s->at_ns, day, sizeof(day)), s->totals.active);
}

static void
say_bounds(const struct pace_say *say, const struct pace_bounds *b)
{
	char text[PACE_BOUNDS_SIZE];

	pace_say_cell(say, 10, pace_bounds_text(b, 9, text));
}

/* What a host counted is of all its traffic, and where the rest was lost is as far as it
 * counted that. */
static void
put_places(const struct pace_say *say, const struct pace_snap *s, const struct pace_snap_session *v)
{
	struct pace_loss_locations p;
	char socket[PACE_BOUNDS_SIZE], network[PACE_BOUNDS_SIZE], nic[40], ip[40];

	pace_snap_places(s, v, true, &p);
	if (p.lost == 0)
		return;
	pace_say(say, "  session %" PRIu64 " lost at its socket %s, before it %s%s\n", v->now.number,
	    bounds(p.socket, socket), bounds(p.before, network), p.host ? ", of these" : "");
	if (!p.host)
		return;
	pace_say(say, "    in the network, or counted nowhere: %s\n", bounds(p.network, network));
	pace_say(say, "    its host counted, of all traffic: NIC or backlog %s, firewall or IP %s%s\n",
	    pace_print_count(p.nic, nic), pace_print_count(p.ip, ip), p.pieces ? " frames or pieces" : "");
}

/* Of all that was seen, whatever was reset on the screen. */
static void
row(const struct pace_say *say, const struct pace_snap_session *v, enum pace_live_figure unit)
{
	double weight = v->past[unit].weight + v->of[unit].weight;
	struct pace_bounds socket = pace_count_socket(&v->now.all), before = pace_count_elsewhere(&v->now.all);
	struct pace_tally n = v->now.all;
	char name[256], text[40], number[24];

	snprintf(number, sizeof(number), "%" PRIu64, v->now.number);
	pace_glyph_clean(pace_session_name(v), say->utf8, name, 17);
	pace_say(say, "  %5s  %s", number, name);
	pace_say_cell(say, 16 - pace_text_cells(name), "");
	pace_say_count(say, 13, n.frames);
	pace_say_count(say, 10, pace_tally_lost(&n));
	pace_say(say, "  ");
	pace_say_cell(say, 7, pace_percent(pace_tally_loss(&n), text, sizeof(text)));
	say_bounds(say, &socket);
	say_bounds(say, &before);
	pace_say_cell(say, 12, pace_print(PACE_UNIT_BPS, weight > 0 ? (v->past[unit].sum +
	    v->of[unit].sum) / weight : NAN, text, sizeof(text)));
	pace_say(say, "\n");
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

/* What only the sender of a stream knows. */
static void
put_probe(struct pace_say *say, const struct pace_snap_session *v)
{
	const struct pace_probe_status *p = &v->now.probe;
	char sent[40], refused[40], bound[40];

	if (!p->known)
		return;
	pace_say(say, "  sent %s frames", pace_print(PACE_UNIT_COUNT, (double)p->sent, sent, sizeof(sent)));
	pace_say(say, ", %s more refused by this host\n", pace_print(PACE_UNIT_COUNT, (double)p->refused,
	    refused, sizeof(refused)));
	put_way(say, "round trip", &v->way[PACE_WAY_BOTH]);
	put_way(say, "way there", &v->way[PACE_WAY_THERE]);
	put_way(say, "way back", &v->way[PACE_WAY_BACK]);
	if (v->way[PACE_WAY_THERE].n > 0)
		pace_say(say, "    each way within %s, by the clocks\n", pace_print(PACE_UNIT_USEC,
		    p->bound_ns, bound, sizeof(bound)));
}

void
pace_line_summary(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, size_t rows, bool utf8)
{
	struct pace_say say = { .f = f, .utf8 = utf8 };
	size_t first = s->n > rows ? s->n - rows : 0;
	char host[256], seen[32];

	if (s->sweep != NULL)
		pace_say(&say, "sweep to %s: %zu points%s\n", pace_glyph_clean(s->sweep->target, utf8, host,
		    sizeof(host)), s->sweep->n, s->sweep->ended ? "" : ", it was not at its end");
	if (s->lines == 0)
		return;
	if (s->capture.now.known) {
		pace_line_capture_sum(f, s, unit, rows, utf8);
		return;
	}
	pace_say(&say, "responder on %s, seen for %s, %zu %s%s\n",
	    pace_glyph_clean(s->head.host[0] != '\0' ? s->head.host : "?", utf8, host, sizeof(host)),
	    pace_clock_text(s->at_ns - s->first_ns, seen, sizeof(seen)), s->n,
	    s->n == 1 ? "session" : "sessions", first > 0 ? ", the last of them:" : "");
	if (s->n == 0)
		return;
	pace_say(&say, "    no.  %-16s       frames      lost   %%       socket    before   mean %s\n",
	    "client", pace_unit_name(unit));
	for (size_t i = first; i < s->n; i++)
		row(&say, &s->session[i], unit);
	if (s->reset_ns != 0)
		pace_say(&say, "  the screen counted since %s (key r), this is all that was seen\n",
		    pace_day_text(s->reset_ns, seen, sizeof(seen)));
	for (size_t i = first; i < s->n; i++)
		put_places(&say, s, &s->session[i]);
	for (size_t i = first; i < s->n; i++)
		put_probe(&say, &s->session[i]);
}
