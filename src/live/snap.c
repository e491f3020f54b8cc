#include "live/snap.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arith.h"
#include "core/err.h"
#include "live/snap_read.h"

/* --- the snapshot ---------------------------------------------------------- */

struct pace_snap *
pace_snap_new(void)
{
	return calloc(1, sizeof(struct pace_snap));
}

void
pace_snap_session_free(struct pace_snap_session *v)
{
	free(v->tick);
	free(v->dists);
}

void
pace_snap_forget(struct pace_snap *s)
{
	for (size_t i = 0; i < s->n; i++)
		pace_snap_session_free(&s->session[i]);
	free(s->session);
	free(s->sweep);
	free(s->last_sweep);
	memset(s, 0, offsetof(struct pace_snap, events));
}

void
pace_snap_clear(struct pace_snap *s)
{
	pace_snap_forget(s);
	memset(s, 0, sizeof(*s));
}

void
pace_snap_free(struct pace_snap *s)
{
	if (s != NULL)
		pace_snap_clear(s);
	free(s);
}

/* Copy memory.  NULL: no memory, or nothing to copy. */
static void *
copied(const void *from, size_t size)
{
	void *to = from != NULL && size > 0 ? malloc(size) : NULL;

	if (to != NULL)
		memcpy(to, from, size);
	return to;
}

static bool
copy_session(struct pace_snap_session *to, const struct pace_snap_session *from)
{
	*to = *from;
	to->tick = copied(from->tick, (size_t)from->room * sizeof(*to->tick));
	to->dists = copied(from->dists, sizeof(*to->dists));
	if ((to->tick != NULL || from->tick == NULL) && (to->dists != NULL || from->dists == NULL))
		return true;
	pace_snap_session_free(to);
	return false;
}

struct pace_snap *
pace_snap_copy(const struct pace_snap *s)
{
	struct pace_snap *c = malloc(sizeof(*c));

	if (c == NULL)
		return NULL;
	*c = *s;
	c->sweep = c->last_sweep = NULL;
	c->n = 0;
	c->room = s->n;
	c->session = calloc(s->n + 1, sizeof(*c->session));
	while (c->session != NULL && c->n < s->n &&
	    copy_session(&c->session[c->n], &s->session[c->n]))
		c->n++;
	c->sweep = copied(s->sweep, sizeof(*s->sweep));
	c->last_sweep = copied(s->last_sweep, sizeof(*s->last_sweep));
	if (c->session != NULL && c->n == s->n && (c->sweep != NULL || s->sweep == NULL) &&
	    (c->last_sweep != NULL || s->last_sweep == NULL))
		return c;
	pace_snap_free(c);
	return NULL;
}

void
pace_snap_reset(struct pace_snap *s)
{
	s->reset_ns = s->at_ns;
	s->host_first = s->host;
	s->capture.base = s->capture.now.dropped + s->capture.now.interface_dropped;
	for (size_t i = 0; i < s->n; i++) {
		struct pace_snap_session *v = &s->session[i];

		v->base = v->now.all;
		v->doubtful = 0;
		for (int f = 0; f < PACE_FIGURES; f++) {
			v->past[f].sum += v->of[f].sum;
			v->past[f].weight += v->of[f].weight;
		}
		memset(v->of, 0, sizeof(v->of));
	}
}

int
pace_snap_find(const struct pace_snap *s, uint64_t key)
{
	int best = -1, rank = 0;
	size_t low = 0, high = key != 0 ? s->n : 0;

	while (low < high) {
		size_t at = (low + high) / 2;

		int order = pace_key_compare(pace_session_key(&s->session[at].now), key);

		if (order == 0)
			return (int)at;
		if (order < 0)
			low = at + 1;
		else
			high = at;
	}
	for (size_t i = 0; key == 0 && i < s->n; i++) {
		const struct pace_snap_session *v = &s->session[i];
		bool lives = v->now.state != PACE_ENDED;
		int r = v->now.stream > 0 ? 0 : 1 + (v->now.run.number != 0) + 2 * lives +
		    4 * (lives && v->now.lease) +
		    8 * (v->now.state == PACE_RUNNING || v->now.state == PACE_SENDING) +
		    16 * v->now.flow.sum;

		if (r >= rank) {
			best = (int)i;
			rank = r;
		}
	}
	return best;
}

const struct pace_snap_session *
pace_snap_worst(const struct pace_snap *s, const struct pace_snap_session *v)
{
	const struct pace_snap_session *worst = NULL, *last = s->session + s->n;

	for (const struct pace_snap_session *one = v + 1; v->now.stream == 0 && one < last &&
	    one->now.number == v->now.number; one++) {
		const struct pace_tally *n = &one->newest.n;
		const struct pace_tally *most = worst != NULL ? &worst->newest.n : NULL;

		if (one->seen && (most == NULL || n->lost > most->lost ||
		    (n->lost == most->lost && n->frames < most->frames)))
			worst = one;
	}
	return worst;
}

/* --- history --------------------------------------------------------------- */

const struct pace_tick *
pace_snap_tick(const struct pace_snap_session *v, uint64_t age)
{
	if (age >= v->ticks || age >= v->room)
		return NULL;
	return &v->tick[(v->ticks - 1 - age) % v->room];
}

const struct pace_snap_event *
pace_snap_event(const struct pace_snap *s, uint64_t age)
{
	if (age >= s->events || age >= PACE_SNAP_EVENTS)
		return NULL;
	return &s->event[(s->events - 1 - age) % PACE_SNAP_EVENTS];
}

void
pace_snap_note(struct pace_snap *s, uint64_t session, enum pace_mood mood, const char *fmt, ...)
{
	struct pace_snap_event *e = &s->event[s->events++ % PACE_SNAP_EVENTS];
	char text[2 * sizeof(e->text)];
	va_list ap;

	*e = (struct pace_snap_event){ .at_ns = s->at_ns, .session = session, .mood = mood };
	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	pace_clean(e->text, sizeof(e->text), text, strlen(text));
}

/* --- distributions ---------------------------------------------------------- */

bool
pace_snap_dist(const struct pace_snap_session *v, enum pace_dist d, bool recent,
    struct pace_coarse_hist_list *l, int64_t *span_ns)
{
	const struct pace_snap_dists *k = v->dists;
	const struct pace_snap_dist *now, *then;
	uint64_t back;

	*span_ns = 0;
	if (k == NULL || k->lines == 0)
		return false;
	now = &k->kept[(k->lines - 1) % PACE_DISTS_KEPT];
	*l = now->of[d];
	back = k->lines > PACE_DISTS_KEPT - 1 ? PACE_DISTS_KEPT - 1 : k->lines - 1;
	then = &k->kept[(k->lines - 1 - back) % PACE_DISTS_KEPT];
	if (recent && back > 0) {
		pace_coarse_hist_since(l, &then->of[d]);
		*span_ns = now->at_ns - then->at_ns;
	}
	return pace_coarse_hist_count(&now->of[d]) > 0;
}

int64_t
pace_snap_outage(const struct pace_snap_session *v)
{
	return v->now.state == PACE_RUNNING && v->now.probe.known ? v->now.probe.out.now_ns : 0;
}

/* --- host ------------------------------------------------------------------- */

/* A counter that decreased was restarted; its increase is then not known. */
static double
per_second(const struct pace_snap *s, uint64_t now, uint64_t then)
{
	int64_t span_ns = s->host.sums.at_ns - s->host_was.sums.at_ns;

	if (!s->host.known || !s->host_was.known || span_ns <= 0)
		return NAN;
	return 1e9 * (double)pace_less(now, then) / (double)span_ns;
}

double
pace_host_rate(const struct pace_snap *s, enum pace_host_counter c)
{
	const struct pace_host_counters *now = &s->host.sums, *then = &s->host_was.sums;

	return pace_host_counters_has(now, c) && pace_host_counters_has(then, c) ?
	    per_second(s, now->n[c], then->n[c]) : NAN;
}

uint64_t
pace_host_since(const struct pace_snap *s, enum pace_host_counter c)
{
	return pace_host_counters_has(&s->host_first.sums, c) ?
	    pace_less(s->host.sums.n[c], s->host_first.sums.n[c]) : 0;
}

double
pace_host_own(const struct pace_snap *s)
{
	return per_second(s, s->host.user_ns + s->host.system_ns,
	    s->host_was.user_ns + s->host_was.system_ns) / 1e9;
}

/* --- counts ---------------------------------------------------------------- */

/* Bytes of the IP and UDP headers. */
static double
ip_bytes(bool ipv6)
{
	return ipv6 ? 48 : 28;
}

double
pace_tick_bps(const struct pace_tick *t, enum pace_live_figure unit, bool ipv6)
{
	double bytes = unit == PACE_FIG_WIRE ? (double)(t->n.wire_bytes + t->n.sent_wire_bytes) :
	    (double)(t->n.bytes + t->n.sent_bytes);

	bytes += (double)pace_tally_tcp(&t->n);
	if (t->kind == PACE_TICK_NONE || t->active_ns <= 0)
		return NAN;
	if (unit == PACE_FIG_IP)
		bytes += ip_bytes(ipv6) * (double)pace_tally_moved(&t->n);
	return 8e9 * bytes / (double)t->active_ns;
}

double
pace_tick_fps(const struct pace_tick *t)
{
	return t->kind == PACE_TICK_NONE || t->active_ns <= 0 || pace_tally_tcp(&t->n) > 0 ? NAN :
	    1e9 * (double)pace_tally_moved(&t->n) / (double)t->active_ns;
}

double
pace_run_frame_bits(const struct pace_run_stats *r, enum pace_live_figure unit, bool ipv6)
{
	double bytes = (double)(unit == PACE_FIG_WIRE ? r->wire_bytes : r->size_bytes);

	return 8 * (unit == PACE_FIG_IP ? bytes + ip_bytes(ipv6) : bytes);
}

double
pace_run_asked_bps(const struct pace_run_stats *r, enum pace_live_figure unit, bool ipv6)
{
	if (r->pings || r->spacing_ns <= 0 || r->bursts > 1)
		return 0;
	return 1e9 * pace_run_frame_bits(r, unit, ipv6) * (r->streams > 1 ? r->streams : 1) /
	    (double)r->spacing_ns;
}

char
pace_loss_mark(const struct pace_snap_session *v, uint64_t age, uint64_t count)
{
	struct pace_tally sum = { .frames = 0 };
	double measured = 0, dead = 0, loss;
	bool out = false;

	for (uint64_t i = age; i < age + count; i++) {
		const struct pace_tick *t = pace_snap_tick(v, i);

		out |= t != NULL && t->out;
		if (t == NULL || t->kind == PACE_TICK_NONE)
			continue;
		measured++;
		dead += t->dead;
		pace_tally_add(&sum, &t->n);
	}
	if (out)
		return 'O';
	loss = fmax(pace_tally_loss(&sum), dead / fmax(measured, 1));	/* fmax ignores NAN */
	if (measured < 1 || (sum.frames == 0 && !(loss > 0)))
		return ' ';
	if (sum.frames == 0)
		return 'X';
	if (sum.unnumbered >= sum.frames && !(loss > 0))
		return ' ';
	return pace_mark_of(loss > 0 ? loss : 0);
}

char
pace_mark_of(double loss)
{
	if (isnan(loss))
		return ' ';
	if (loss >= 1)
		return 'X';
	if (!(loss > 0))
		return '.';
	return loss < 1e-4 ? '1' : loss < 1e-3 ? '2' : loss < 1e-2 ? '3' : loss < 1e-1 ? '4' : '5';
}

const char *
pace_session_name(const struct pace_snap_session *v)
{
	return v->now.label[0] != '\0' ? v->now.label : v->now.peer[0] != '\0' ? v->now.peer : "?";
}
