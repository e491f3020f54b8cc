#include "doc/conclusions.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doc/clock_doc.h"
#include "doc/departures.h"
#include "doc/flag.h"
#include "doc/latency_doc.h"
#include "doc/point_doc.h"
#include "doc/result_read.h"
#include "doc/tcp_doc.h"

void
pace_point_facts(struct pace_point_facts *f, const struct pace_point *p)
{
	const struct pace_hist *owd = &p->rx.owd;
	bool known = p->has_rx && p->rx.has_owd && !p->owd_relative && owd->stats.n > 0;
	struct pace_departures d;

	*f = (struct pace_point_facts){ .ask = &p->ask, .ledger = &p->ledger, .clock = &p->clock,
	    .has_rx = p->has_rx, .degraded = p->verdict == PACE_DEGRADED,
	    .interrupted = p->interrupted, .sent_bps = p->tx.user_rate_bps,
	    .user_bps = p->rx.user_rate_bps, .wire_bps = p->rx.wire_rate_bps,
	    .received = p->rx.unique, .lost = p->rx.lost,
	    .owd_min_ns = known ? (double)owd->stats.min : NAN,
	    .owd_p50_ns = known ? (double)pace_hist_quantile(owd, 0.5) : NAN,
	    .departed_near = pace_departures(p, &d) ? d.share : NAN,
	    .note = p->notes.v, .notes = p->notes.n };
}

void
pace_conclusions_begin(struct pace_conclusions *c)
{
	memset(c, 0, sizeof(*c));
	for (int i = 0; i < PACE_PLACES; i++)
		c->place[i].known = true;
	c->rtt_ns = c->owd_min_ns = c->owd_p50_low_ns = c->owd_p50_high_ns = NAN;
	c->owd_error_ns = c->owd_bound_ns = NAN;
}

static void
add_rate(struct pace_conclusions *c, const struct pace_point_facts *f)
{
	if (c->rated.n == c->rated.room) {
		size_t room = c->rated.room > 0 ? 2 * c->rated.room : 64;
		struct pace_rated *more = realloc(c->rated.v, room * sizeof(*more));

		if (more == NULL) {
			c->rated.failed = true;
			return;
		}
		c->rated.v = more;
		c->rated.room = room;
	}
	c->rated.v[c->rated.n++] = (struct pace_rated){ .size_bytes = f->ask->size_bytes,
	    .dscp = f->ask->dscp, .streams = f->ask->streams, .spacing = f->ask->spacing,
	    .sent_bps = f->sent_bps, .user_bps = f->user_bps, .wire_bps = f->wire_bps,
	    .received = f->received, .lost = f->lost, .where = c->where,
	    .direction = f->ask->direction };
}

static void
add_departures(struct pace_conclusions *c, const struct pace_point_facts *f)
{
	if (isnan(f->departed_near))
		return;
	if (c->departed == 0 || f->departed_near < c->departed_low) {
		c->departed_low = f->departed_near;
		c->departed_spacing = f->ask->spacing;
	}
	if (c->departed == 0 || f->departed_near > c->departed_high)
		c->departed_high = f->departed_near;
	c->departed++;
}

static void
add_rtt(struct pace_conclusions *c, const struct pace_clock *k)
{
	if (k->exchanges > 0 && k->min_rtt_ns != PACE_NO_TIME)
		c->rtt_ns = fmin(c->rtt_ns, (double)k->min_rtt_ns);
}

static void
add_delays(struct pace_conclusions *c, const struct pace_point_facts *f)
{
	const struct pace_clock_estimate *e = &f->clock->fit;

	add_rtt(c, f->clock);
	c->clocks += e->segments > 0;
	if (isnan(f->owd_p50_ns) || e->segments == 0)
		return;
	c->delays++;
	c->owd_min_ns = fmin(c->owd_min_ns, f->owd_min_ns);
	c->owd_p50_low_ns = fmin(c->owd_p50_low_ns, f->owd_p50_ns);
	c->owd_p50_high_ns = fmax(c->owd_p50_high_ns, f->owd_p50_ns);
	c->owd_error_ns = fmax(c->owd_error_ns, e->uncertainty_ns);
	c->owd_bound_ns = fmax(c->owd_bound_ns, e->bound_ns);
}

static void
add_doubt(struct pace_conclusions *c, const struct pace_note *note)
{
	for (int i = 0; i < c->doubts; i++)
		if (strcmp(c->doubt[i].note.code, note->code) == 0) {
			c->doubt[i].points++;
			return;
		}
	if (c->doubts < PACE_NOTES)
		c->doubt[c->doubts++] = (struct pace_doubt){ *note, 1 };
}

static void
add_doubts(struct pace_conclusions *c, bool degraded, bool interrupted, const struct pace_note *v,
    int n)
{
	c->degraded += degraded;
	c->interrupted += interrupted;
	for (int i = 0; i < n; i++)
		if (pace_flag_doubts(v[i].code, degraded))
			add_doubt(c, &v[i]);
}

void
pace_conclusions_add(struct pace_conclusions *c, const struct pace_point_facts *f)
{
	c->points++;
	c->refused += f->ledger->tx_refused;
	add_doubts(c, f->degraded, f->interrupted, f->note, f->notes);
	if (!f->has_rx)
		return;
	c->answered++;
	c->ways[f->ask->direction]++;
	c->received += f->received;
	c->lost += f->lost;
	c->lost_way[f->ask->direction] += f->lost;
	c->lossy += f->lost > 0;
	add_rate(c, f);
	add_departures(c, f);
	for (int i = 0; i < PACE_PLACES; i++) {
		c->place[i].known &= f->ledger->place[i].known;
		c->place[i].n += f->ledger->place[i].n;
		c->place[i].low += f->ledger->place[i].low;
		c->place[i].high += f->ledger->place[i].high;
	}
	add_delays(c, f);
}

void
pace_conclusions_add_trips(struct pace_conclusions *c, const struct pace_latency *p)
{
	struct pace_tripped t = { p->ask.size_bytes, (double)p->rtt.stats.min,
	    (double)pace_hist_quantile(&p->rtt, 0.5), NAN, NAN, p->clock.fit.uncertainty_ns,
	    p->clock.fit.bound_ns };

	if (p->there.stats.n > 0) {
		t.there_ns = (double)pace_hist_quantile(&p->there, 0.5);
		t.back_ns = (double)pace_hist_quantile(&p->back, 0.5);
	}
	if (p->ask.tcp)			/* sizes and times are those of UDP */
		return;
	c->trips++;
	c->requests += p->sent;
	c->timeouts += p->timeouts;
	add_doubts(c, p->verdict == PACE_DEGRADED, p->interrupted, p->notes.v, p->notes.n);
	if (p->rtt.stats.n == 0)
		return;
	if (c->answered_trips == 0 || t.size_bytes < c->smallest.size_bytes ||
	    (t.size_bytes == c->smallest.size_bytes && t.min_ns < c->smallest.min_ns))
		c->smallest = t;
	if (c->answered_trips == 0 || t.size_bytes > c->largest.size_bytes ||
	    (t.size_bytes == c->largest.size_bytes && t.min_ns < c->largest.min_ns))
		c->largest = t;
	c->answered_trips++;
}

/* --- documents ------------------------------------------------------------------------- */

struct conclusions_reading {
	struct pace_conclusions *c;
	struct pace_point *point;
	struct pace_latency *trips;
	struct pace_clock clock;
};

/* Add a run of TCP.  -EPROTO, -ENOMEM. */
static int
add_tcp(struct pace_conclusions *c, const json_t *j)
{
	struct pace_tcp_point *p = pace_tcp_point_new();
	int rc = p != NULL ? pace_tcp_point_from_json(p, j) : -ENOMEM;

	for (int down = 0; down < 2 && rc == 0; down++) {
		const struct pace_tcp_way *w = &p->way[down];

		if (w->known && w->sums.goodput_bps > c->tcp[down].goodput_bps)
			c->tcp[down] = (struct pace_achieved){ w->sums.goodput_bps, p->ask.streams,
			    w->limit, c->where };
	}
	if (rc == 0) {
		c->tcp_points++;
		add_doubts(c, false, p->interrupted, p->notes.v, p->notes.n);
	}
	pace_tcp_point_free(p);
	return rc;
}

/* Add a point of any kind; its members show which kind it is. */
static int
read_point(const json_t *j, size_t index, void *ctx, struct pace_err *err)
{
	struct conclusions_reading *r = ctx;
	struct pace_point_facts facts;
	int rc = 0;

	if (json_object_get(j, "tx") != NULL) {
		rc = pace_point_from_json(r->point, j);
		if (rc == 0) {
			pace_point_facts(&facts, r->point);
			pace_conclusions_add(r->c, &facts);
		}
	} else if (json_object_get(j, "rtt_ns") != NULL) {
		rc = pace_latency_from_json(r->trips, j);
		if (rc == 0)
			pace_conclusions_add_trips(r->c, r->trips);
	} else if (json_object_get(j, "write_bytes") != NULL) {
		rc = add_tcp(r->c, j);
	} else if (json_object_get(j, "exchanges") != NULL) {
		rc = pace_clock_from_json(&r->clock, j);
		if (rc == 0)
			add_rtt(r->c, &r->clock);
	}
	return rc == 0 ? 0 : pace_failf(err, -rc, "read result", "point %zu is damaged", index);
}

static int
pass_point(const json_t *j, size_t index, void *ctx, struct pace_err *err)
{
	(void)j; (void)index; (void)ctx; (void)err;
	return 0;
}

static double
rate_of(const json_t *found, const char *name)
{
	return fmax(json_number_value(json_object_get(found, name)), 0);
}

static void
read_search(struct pace_conclusions *c, const json_t *j)
{
	const json_t *found = json_object_get(j, "found");
	const char *limit = json_string_value(json_object_get(j, "limit"));
	const char *direction = json_string_value(json_object_get(j, "direction"));
	struct pace_searched s = { .where = c->where, .user_bps = rate_of(found, "user_rate_bps"),
	    .wire_bps = rate_of(found, "wire_rate_bps"), .size_bytes = (uint32_t)
	    json_integer_value(json_object_get(json_object_get(j, "asked"), "size_bytes")) };

	if (direction != NULL && strcmp(direction, pace_direction_names[PACE_DOWN]) == 0)
		s.direction = PACE_DOWN;
	if (limit != NULL)
		pace_clean(s.limit, sizeof(s.limit), limit, strlen(limit));
	if (c->searches < PACE_SEARCHES)
		c->search[c->searches++] = s;
}

int
pace_conclusions_read(struct pace_conclusions *c, const char *path, bool capacity,
    struct pace_err *err)
{
	struct conclusions_reading g = { .c = c, .point = pace_point_new(),
	    .trips = pace_latency_new() };
	struct pace_result_read r = { .point = capacity ? pass_point : read_point, .ctx = &g };
	int rc = -ENOMEM;

	if (g.point != NULL && g.trips != NULL)
		rc = access(path, F_OK) == 0 ? pace_result_read(path, &r, err) : -ENOENT;
	if (rc == 0) {
		c->failed_points += json_array_size(json_object_get(r.head, "failed"));
		c->skipped += json_array_size(json_object_get(r.head, "skipped"));
		if (capacity)
			read_search(c, json_object_get(r.head, "capacity"));
		json_decref(r.head);
	}
	c->unmeasured += rc == -ENOENT;
	c->unread += rc != 0 && rc != -ENOENT;
	pace_point_free(g.point);
	free(g.trips);
	return rc;
}

/* --- at the end ------------------------------------------------------------------------ */

static int
by_point(const void *a, const void *b)
{
	const struct pace_rated *x = a, *y = b;

	if (x->direction != y->direction)
		return x->direction < y->direction ? -1 : 1;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	if (x->spacing != y->spacing)
		return x->spacing < y->spacing ? -1 : 1;
	if (x->streams != y->streams)
		return x->streams < y->streams ? -1 : 1;
	return x->dscp < y->dscp ? -1 : x->dscp > y->dscp;
}

void
pace_conclusions_close(struct pace_conclusions *c)
{
	if (c->rated.failed || c->rated.n == 0)
		return;
	qsort(c->rated.v, c->rated.n, sizeof(*c->rated.v), by_point);
	for (size_t i = 0; i < c->rated.n; ) {
		struct pace_rated g = c->rated.v[i++];

		for (; i < c->rated.n && by_point(&g, &c->rated.v[i]) == 0; i++) {
			g.sent_bps = fmin(g.sent_bps, c->rated.v[i].sent_bps);
			g.user_bps = fmin(g.user_bps, c->rated.v[i].user_bps);
			g.wire_bps = fmin(g.wire_bps, c->rated.v[i].wire_bps);
			g.received += c->rated.v[i].received;
			g.lost += c->rated.v[i].lost;
		}
		if (g.lost == 0 && g.user_bps > c->clean[g.direction].user_bps)
			c->clean[g.direction] = g;
		if (g.lost > 0 && g.sent_bps > 0 && (c->failed[g.direction].sent_bps <= 0 ||
		    g.sent_bps < c->failed[g.direction].sent_bps))
			c->failed[g.direction] = g;
	}
}

void
pace_conclusions_free(struct pace_conclusions *c)
{
	free(c->rated.v);
	c->rated.v = NULL;
	c->rated.n = c->rated.room = 0;
}
