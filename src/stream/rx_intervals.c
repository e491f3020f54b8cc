#include "config.h"

#include "stream/rx_intervals.h"

#include <math.h>
#include <stdlib.h>

#include "core/rates.h"
#include "core/wide_time.h"
#include "core/wire.h"
#include "doc/params.h"

/* Histograms of an open interval. */
struct slot {
	uint32_t	i;
	bool		used;
	int64_t		t_ns, raw_ns;	/* reference: raw_ns at departure t_ns, moving at rate */
	double		rate;
	int64_t		last_ns;	/* newest departure */
	struct pace_hist gap, delay;	/* delay: of value - reference */
};

/* Members of an interval besides its result.  Its delays are raw, as if they left at t_ns. */
struct mark {
	int64_t		first_ns, last_ns;	/* arrivals */
	int64_t		first_tx_ns;
	uint64_t	head;			/* frames of its first train */
	int64_t		t_ns;
};

struct pace_rx_intervals {
	struct pace_params ask;
	bool		scheduled, begun;
	uint64_t	next;		/* scheduled: first number of the interval after the last */
	int64_t		origin_ns;	/* otherwise: departure of the first frame */
	uint64_t	last_seq;	/* newest number, and its departure */
	int64_t		last_tx_ns;
	uint32_t	at;		/* interval of the frame taken last */
	struct slot	slot[2];
	struct mark	*mark;
	struct pace_intervals *result;
};

struct pace_rx_intervals *
pace_rx_intervals_new(const struct pace_params *a)
{
	struct pace_intervals *result = pace_intervals_new(a);
	struct pace_rx_intervals *v = calloc(1, sizeof(*v));

	if (v == NULL || result == NULL || (v->mark = calloc(result->room, sizeof(*v->mark))) == NULL) {
		free(result);
		free(v);
		return NULL;
	}
	v->ask = *a;
	v->result = result;
	v->scheduled = pace_intervals_scheduled(a);
	for (int k = 0; k < 2; k++) {	/* touches them before the first frame */
		pace_hist_reset(&v->slot[k].gap);
		pace_hist_reset(&v->slot[k].delay);
	}
	return v;
}

void
pace_rx_intervals_free(struct pace_rx_intervals *v)
{
	if (v == NULL)
		return;
	free(v->mark);
	free(v->result);
	free(v);
}

const struct pace_intervals *
pace_rx_intervals_result(const struct pace_rx_intervals *v)
{
	return v->result;
}

/* --- histograms ---------------------------------------------------------------- */

static int64_t
drift(double rate, int64_t ns)
{
	return (int64_t)(rate * (double)ns);
}

static int64_t
quantile(const struct pace_hist *h, double q)
{
	return pace_hist_has_quantile(h->stats.n, q) ? pace_hist_quantile(h, q) : PACE_NO_FIGURE;
}

static void
add_figures(struct pace_figures *to, const struct pace_hist *h, int64_t by)
{
	struct pace_figures f = { .n = h->stats.n, .p50 = quantile(h, 0.5),
	    .p99 = quantile(h, 0.99), .min = pace_plus(h->stats.min, by),
	    .max = pace_plus(h->stats.max, by) };

	f.p50 = f.p50 != PACE_NO_FIGURE ? pace_plus(f.p50, by) : f.p50;
	f.p99 = f.p99 != PACE_NO_FIGURE ? pace_plus(f.p99, by) : f.p99;
	pace_figures_merge(to, &f);
}

/* Take the figures of an interval from its histograms. */
static void
close_slot(struct pace_rx_intervals *v, struct slot *s)
{
	struct pace_interval *o = &v->result->v[s->i];
	struct mark *m = &v->mark[s->i];

	if (!s->used)
		return;
	s->used = false;
	add_figures(&o->rx.gap, &s->gap, 0);
	if (o->rx.pdv.n == 0)
		m->t_ns = pace_plus(s->t_ns, pace_minus(s->last_ns, s->t_ns) / 2);
	add_figures(&o->rx.pdv, &s->delay,
	    pace_plus(s->raw_ns, drift(s->rate, pace_minus(m->t_ns, s->t_ns))));
}

/* Open histograms for interval i in place of the older ones. */
static void
open_slot(struct pace_rx_intervals *v, uint32_t i)
{
	struct slot *s = &v->slot[v->slot[0].used && (!v->slot[1].used ||
	    v->slot[1].i < v->slot[0].i)];

	close_slot(v, s);
	s->used = true;
	s->i = i;
	if (s->gap.stats.n > 0)
		pace_hist_reset(&s->gap);
	if (s->delay.stats.n > 0)
		pace_hist_reset(&s->delay);
}

static struct slot *
slot_of(struct pace_rx_intervals *v)
{
	for (int k = 0; k < 2; k++)
		if (v->slot[k].used && v->slot[k].i == v->at)
			return &v->slot[k];
	return NULL;
}

/* --- intervals ----------------------------------------------------------------- */

static void
merge_marks(struct mark *to, const struct mark *m, uint64_t had, uint64_t has)
{
	if (has == 0)
		return;
	if (had == 0) {
		*to = *m;
		return;
	}
	if (m->last_ns > to->last_ns)
		to->last_ns = m->last_ns;
}

/* Move the delays of an interval to the middle of another one, at the rate known now. */
static void
move_delays(struct pace_figures *f, int64_t by)
{
	int64_t *const p[] = { &f->min, &f->p50, &f->p99, &f->max };

	for (int k = 0; k < 4; k++)
		if (*p[k] != PACE_NO_FIGURE)
			*p[k] = pace_plus(*p[k], by);
}

/* Merge neighbours: half of the room becomes free, and an interval is twice as long. */
static void
merge_neighbours(struct pace_rx_intervals *v)
{
	struct pace_intervals *r = v->result;
	uint32_t n = r->n, half = (n + 1) / 2;
	double rate = v->slot[0].rate;

	close_slot(v, &v->slot[0]);
	close_slot(v, &v->slot[1]);
	for (uint32_t i = 0; i < half; i++) {
		struct pace_interval o = r->v[2 * i];
		struct mark m = v->mark[2 * i];

		if (2 * i + 1 < n) {
			struct pace_interval *b = &r->v[2 * i + 1];
			const struct mark *bm = &v->mark[2 * i + 1];

			if (o.rx.pdv.n > 0 && b->rx.pdv.n > 0)
				move_delays(&b->rx.pdv, drift(rate, pace_minus(m.t_ns, bm->t_ns)));
			merge_marks(&m, bm, o.rx.received, b->rx.received);
			if (o.rx.pdv.n == 0)
				m.t_ns = bm->t_ns;
			o.rx.received += b->rx.received;
			o.rx.reordered += b->rx.reordered;
			o.rx.duplicates += b->rx.duplicates;
			o.rx.socket_drops += b->rx.socket_drops;
			o.rx.unbinned += b->rx.unbinned;
			pace_figures_merge(&o.rx.gap, &b->rx.gap);
			pace_figures_merge(&o.rx.pdv, &b->rx.pdv);
		}
		r->v[i] = o;
		v->mark[i] = m;
	}
	for (uint32_t i = half; i < n; i++) {
		pace_intervals_none(r, i);
		v->mark[i] = (struct mark){ .first_ns = 0 };
	}
	r->n = half;
	r->length_ns *= 2;
	open_slot(v, half - 1);
}

/* Without a schedule: the interval of a new highest number, by its departure. */
static uint32_t
interval_by_time(struct pace_rx_intervals *v, const struct pace_hdr *h)
{
	struct pace_intervals *r = v->result;
	int64_t since = pace_minus(h->tx_ns, v->origin_ns);
	double pace, all = (double)pace_minus(h->tx_ns, v->last_tx_ns);
	int64_t i;

	while (since / r->length_ns >= r->room && r->n > 1 && r->length_ns < INT64_MAX / 2)
		merge_neighbours(v);
	i = since / r->length_ns;
	i = i < r->n - 1 ? r->n - 1 : i >= r->room ? r->room - 1 : i;
	/* Numbers lost across a border are divided in proportion to the time. */
	pace = all > 0 ? (double)(h->seq - v->last_seq) / all : 0;
	for (uint32_t k = r->n; k <= (uint32_t)i; k++) {
		double ns = (double)pace_minus(pace_plus(v->origin_ns, k * r->length_ns),
		    v->last_tx_ns);
		double n = ns * pace;
		uint64_t step = n > 0 ? (uint64_t)n : 0;

		step += (double)step < n;	/* due at or after the border */
		r->v[k].rx.first = v->last_seq + (step < 1 ? 1 :
		    step > h->seq - v->last_seq ? h->seq - v->last_seq : step);
	}
	return (uint32_t)i;
}

/* Go on to the interval of a new highest number. */
static void
go_on(struct pace_rx_intervals *v, const struct pace_hdr *h)
{
	struct pace_intervals *r = v->result;
	uint32_t n = r->n;

	if (!v->begun) {
		v->begun = true;
		v->origin_ns = v->last_tx_ns = h->tx_ns;
		v->last_seq = h->seq;
		r->n = 1;
		v->next = pace_intervals_first(r, &v->ask, 1);
	}
	if (v->scheduled && h->seq >= v->next) {
		r->n = pace_intervals_at(r, &v->ask, h->seq) + 1;
		v->next = pace_intervals_first(r, &v->ask, r->n);
	} else if (!v->scheduled) {
		uint32_t i = interval_by_time(v, h);

		n = n < r->n ? n : r->n;
		r->n = i + 1;
	}
	if (r->n != n)
		open_slot(v, r->n - 1);
	v->last_seq = h->seq;
	v->last_tx_ns = h->tx_ns;
}

/* The interval of an earlier number. */
static uint32_t
interval_of(const struct pace_rx_intervals *v, uint64_t seq)
{
	const struct pace_intervals *r = v->result;
	uint32_t low = 0, high = r->n - 1;

	if (v->scheduled)
		low = pace_intervals_at(r, &v->ask, seq);
	while (!v->scheduled && low < high) {
		uint32_t mid = low + (high - low + 1) / 2;

		if (r->v[mid].rx.first <= seq)
			low = mid;
		else
			high = mid - 1;
	}
	return low < r->n ? low : r->n - 1;
}

void
pace_rx_intervals_take(struct pace_rx_intervals *v, const struct pace_hdr *h, int64_t rx_ns,
    enum pace_seq_kind kind)
{
	struct pace_interval *o;
	struct mark *m;

	if (kind == PACE_SEQ_IN_ORDER) {
		go_on(v, h);
		v->at = v->result->n - 1;
	} else {
		v->at = interval_of(v, h->seq);
	}
	o = &v->result->v[v->at];
	m = &v->mark[v->at];
	if (kind == PACE_SEQ_DUPLICATE) {
		o->rx.duplicates++;
		return;
	}
	o->rx.reordered += kind == PACE_SEQ_REORDERED;
	o->rx.unbinned += slot_of(v) == NULL;
	if (o->rx.received++ == 0) {
		m->first_ns = m->last_ns = rx_ns;
		m->first_tx_ns = h->tx_ns;
	}
	m->head += h->tx_ns == m->first_tx_ns;
	if (rx_ns > m->last_ns)
		m->last_ns = rx_ns;
}

/* --- gaps, delays, drops -------------------------------------------------------- */

static void
add_late(struct pace_figures *to, int64_t v)
{
	const struct pace_figures f = { .n = 1, .min = v, .p50 = to->p50, .p99 = to->p99,
	    .max = v };
	int64_t p50 = to->p50, p99 = to->p99;

	pace_figures_merge(to, &f);
	to->p50 = p50;
	to->p99 = p99;
}

void
pace_rx_intervals_gap(struct pace_rx_intervals *v, int64_t gap_ns)
{
	struct slot *s = slot_of(v);

	if (s != NULL)
		pace_hist_add(&s->gap, gap_ns);
	else
		add_late(&v->result->v[v->at].rx.gap, gap_ns);
}

void
pace_rx_intervals_delay(struct pace_rx_intervals *v, const struct pace_delay *d, int64_t tx_ns,
    int64_t rx_ns)
{
	struct slot *s = slot_of(v);
	int64_t raw_ns = pace_minus(rx_ns, tx_ns), off = pace_minus(raw_ns, d->first_raw_ns);
	struct mark *m = &v->mark[v->at];
	struct pace_figures *f = &v->result->v[v->at].rx.pdv;

	if (off > PACE_DELAY_MAX_NS || off < -PACE_DELAY_MAX_NS)
		return;
	if (s == NULL) {
		if (f->n == 0)
			m->t_ns = tx_ns;
		add_late(f, pace_minus(raw_ns, drift(d->rate, pace_minus(tx_ns, m->t_ns))));
		return;
	}
	if (d->frames == 1 && s->delay.stats.n > 0)	/* the run's first delay was replaced */
		pace_hist_reset(&s->delay);
	if (s->delay.stats.n == 0) {
		s->t_ns = tx_ns;
		s->raw_ns = raw_ns;
		s->rate = d->rate;
	}
	s->last_ns = tx_ns;
	pace_hist_add(&s->delay, pace_minus(pace_minus(raw_ns, s->raw_ns),
	    drift(s->rate, pace_minus(tx_ns, s->t_ns))));
}

void
pace_rx_intervals_drops(struct pace_rx_intervals *v, uint32_t drops)
{
	if (v->result->n == 0)
		v->result->n = 1;		/* nothing arrived before */
	v->result->v[v->result->n - 1].rx.socket_drops += drops;
}

/* --- the end -------------------------------------------------------------------- */

void
pace_rx_intervals_finish(struct pace_rx_intervals *v, const struct pace_delay *d,
    const struct pace_delays *delays, const struct pace_clock_estimate *theta)
{
	struct pace_intervals *r = v->result;

	close_slot(v, &v->slot[0]);
	close_slot(v, &v->slot[1]);
	for (uint32_t i = 0; i < r->n; i++) {
		struct pace_interval *o = &r->v[i];
		const struct mark *m = &v->mark[i];
		int64_t zero = delays->low_ns;

		o->from_ns = i * r->length_ns;
		if (o->rx.pdv.n > 0)
			zero = pace_plus(zero, pace_delay_zero(d, delays->absolute ? theta : NULL,
			    m->t_ns));
		move_delays(&o->rx.pdv, pace_minus(0, zero));
		/* the reference and its rate have errors; a variation is never below 0 */
		for (int64_t *const *p = (int64_t *const[]){ &o->rx.pdv.min, &o->rx.pdv.p50,
		    &o->rx.pdv.p99, &o->rx.pdv.max, NULL }; *p != NULL; p++)
			if (**p != PACE_NO_FIGURE && **p < 0)
				**p = 0;
		if (m->last_ns > m->first_ns && o->rx.received > m->head)
			o->rx.user_rate_bps = floor(pace_rate_bps((o->rx.received - m->head) *
			    v->ask.size_bytes, m->last_ns - m->first_ns));
	}
}
