#include "core/delay.h"

#include <string.h>

#include "core/sparse.h"
#include "core/wide_time.h"

#define RATE_MAX	1e-3	/* no clock is that wrong: 1000 ppm */

/* Rounded; below 2^54 whatever ns is, for |rate| <= RATE_MAX. */
static inline int64_t
drift(double rate, int64_t ns)
{
	double moved = rate * (double)ns;

	return (int64_t)(moved < 0 ? moved - 0.5 : moved + 0.5);
}

static inline int64_t
reference_at(const struct pace_delay_window *w, int64_t t_ns)
{
	return pace_plus(w->raw_ns, drift(w->rate, pace_minus(t_ns, w->t_ns)));
}

static int64_t
middle_of(const struct pace_delay_window *w)
{
	return pace_plus(w->first_ns, pace_minus(w->last_ns, w->first_ns) / 2);
}

/* The reference turns to the rate now known, about the window's middle. */
static void
turn(struct pace_delay_window *w, double rate)
{
	int64_t t_ns = middle_of(w);

	w->raw_ns = reference_at(w, t_ns);
	w->t_ns = t_ns;
	w->rate = rate;
}

/*
 * Merge two neighbouring windows. The one with the lower reference stays, because its bins are
 * finer at the lowest delays; the values of the other are moved into it.
 */
static struct pace_delay_window *
merge(struct pace_delay_window *w, struct pace_delay_window *next, double rate)
{
	struct pace_delay_window *lower = w, *other = next;
	int64_t by;

	turn(w, rate);
	turn(next, rate);		/* parallel now */
	by = pace_minus(reference_at(next, w->t_ns), w->raw_ns);
	if (by < 0) {
		lower = next;
		other = w;
		by = pace_minus(0, by);
	}
	pace_hist_add_shifted(&lower->owd, &other->owd, by);
	pace_hist_add_shifted(&lower->sched, &other->sched, by);
	lower->first_ns = w->first_ns;
	lower->last_ns = next->last_ns;
	return lower;
}

static void
merge_neighbours(struct pace_delay *d)
{
	for (int i = 0; i < d->most / 2; i++) {
		struct pace_delay_window *w;

		w = merge(&d->w[2 * i], &d->w[2 * i + 1], d->rate);
		if (w != &d->w[i])
			pace_sparse_copy(&d->w[i], w, sizeof(*w));
	}
	d->n = d->most / 2;
	if (d->window_ns <= INT64_MAX / 2)
		d->window_ns *= 2;
}

static int
early_frames(const struct pace_delay *d)
{
	return d->frames < PACE_DELAY_EARLY ? (int)d->frames : PACE_DELAY_EARLY;
}

/* The lowest raw delay of the early frames, mapped to the time of the first. */
static int64_t
lowest_early(const struct pace_delay *d)
{
	int64_t low_ns = INT64_MAX;

	for (int i = 0; i < early_frames(d); i++) {
		int64_t since_ns = pace_minus(d->early[i].tx_ns, d->early[0].tx_ns);
		int64_t raw_ns = d->early[i].raw_ns - drift(d->rate, since_ns);

		if (raw_ns < low_ns)
			low_ns = raw_ns;
	}
	return low_ns;
}

/* The lowest raw delay so far, carried on to t_ns: the last window may be all
 * queue. */
static int64_t
lowest_so_far(const struct pace_delay *d, int64_t t_ns)
{
	int64_t low_ns = pace_plus(lowest_early(d),
	    drift(d->rate, pace_minus(t_ns, d->early[0].tx_ns)));

	for (int i = 0; i < d->n; i++) {
		const struct pace_delay_window *w = &d->w[i];
		int64_t from_ns = middle_of(w);
		int64_t raw_ns = pace_plus(pace_plus(reference_at(w, from_ns), w->owd.stats.min),
		    drift(d->rate, pace_minus(t_ns, from_ns)));

		if (raw_ns < low_ns)
			low_ns = raw_ns;
	}
	return low_ns;
}

/* Begin a window with a departure at t_ns. */
static struct pace_delay_window *
open_window(struct pace_delay *d, int64_t t_ns)
{
	struct pace_delay_window *w;

	if (d->n == d->most)
		merge_neighbours(d);
	w = &d->w[d->n];
	w->raw_ns = lowest_so_far(d, t_ns);
	w->t_ns = w->first_ns = w->last_ns = t_ns;
	w->rate = d->rate;
	pace_hist_reset(&w->owd);
	pace_hist_reset(&w->sched);
	d->n++;
	return w;
}

/* The window of a departure. */
static inline struct pace_delay_window *
window_of(struct pace_delay *d, int64_t t_ns)
{
	struct pace_delay_window *w;
	int64_t since_ns;

	if (d->n == 0)
		return open_window(d, t_ns);
	w = &d->w[d->n - 1];
	since_ns = pace_minus(t_ns, w->first_ns);
	if (since_ns >= d->window_ns)
		w = open_window(d, t_ns);
	else if (since_ns < 0 && d->n > 1 && pace_minus(t_ns, w[-1].first_ns) >= 0)
		w--;
	if (pace_minus(t_ns, w->last_ns) > 0)
		w->last_ns = t_ns;
	return w;
}

/* Whichever of a pair comes last finds the other in the ring. */
static inline void
add_ipdv(struct pace_delay *d, uint64_t seq, int64_t raw_ns)
{
	const uint64_t mask = PACE_DELAY_RING - 1;
	uint64_t at = seq & mask, before = (seq - 1) & mask, behind = (seq + 1) & mask;

	/* The ends of the numbers would pair with empty places. */
	if (d->ring[before].seq == seq && seq > 0)
		pace_hist_add(&d->ipdv, raw_ns - d->ring[before].raw_ns);
	if (d->ring[behind].seq == seq + 2 && seq < UINT64_MAX - 1)
		pace_hist_add(&d->ipdv, d->ring[behind].raw_ns - raw_ns);
	d->ring[at].seq = seq + 1;
	d->ring[at].raw_ns = raw_ns;
}

static inline void
add_jitter(struct pace_delay *d, int64_t raw_ns)
{
	int64_t moved_ns = raw_ns - d->last_raw_ns;

	d->jitter16 -= (d->jitter16 + 8) >> 4;	/* never above jitter16 */
	d->jitter16 += (uint64_t)(moved_ns < 0 ? -moved_ns : moved_ns);
	if (d->jitter16 > d->jitter16_max)
		d->jitter16_max = d->jitter16;
	d->last_raw_ns = raw_ns;
}

/* The first frame, which all others are measured against. */
static void
begin(struct pace_delay *d, uint64_t seq, int64_t raw_ns)
{
	const uint64_t mask = PACE_DELAY_RING - 1;

	if (d->frames > 0)
		d->ring[d->early[0].seq & mask].seq = 0;
	d->ring[seq & mask].seq = seq + 1;	/* its raw_ns is still 0 */
	d->first_raw_ns = raw_ns;
	d->frames = 0;
}

void
pace_delay_start(struct pace_delay *d, double rate)
{
	pace_sparse_zero(d, sizeof(*d));
	d->window_ns = PACE_DELAY_WINDOW_NS;
	d->most = PACE_DELAY_WINDOWS;
	pace_delay_rate(d, rate);
}

void
pace_delay_lean(struct pace_delay *d)
{
	d->most = PACE_DELAY_WINDOWS / 2;
}

void
pace_delay_rate(struct pace_delay *d, double rate)
{
	if (rate >= -RATE_MAX && rate <= RATE_MAX)	/* not NaN either */
		d->rate = rate;
}

static bool
agrees(const struct pace_delay *d, int64_t raw_ns)
{
	int64_t off_ns = pace_minus(raw_ns, d->first_raw_ns);

	return off_ns <= PACE_DELAY_MAX_NS && off_ns >= -PACE_DELAY_MAX_NS;
}

static void
add_to_window(struct pace_delay *d, const struct pace_delay_frame *f)
{
	struct pace_delay_window *w = window_of(d, f->tx_ns);
	int64_t value = pace_minus(f->raw_ns, reference_at(w, f->tx_ns));

	pace_hist_add(&w->owd, value);
	if (f->late_ns != PACE_DELAY_UNSCHEDULED)
		pace_hist_add(&w->sched, pace_plus(value, f->late_ns));
}

void
pace_delay_add(struct pace_delay *d, uint64_t seq, int64_t tx_ns, int64_t rx_ns,
    uint32_t late_ns)
{
	struct pace_delay_frame f = { .seq = seq, .tx_ns = tx_ns, .late_ns = late_ns };
	int64_t raw_ns = pace_minus(rx_ns, tx_ns);

	if (d->frames > 0 && !agrees(d, raw_ns)) {
		d->absurd++;
		if (d->frames > 1)
			return;
		begin(d, seq, raw_ns);	/* of the two the first is counted */
	} else if (d->frames == 0) {
		begin(d, seq, raw_ns);
	} else {
		f.raw_ns = pace_minus(raw_ns, d->first_raw_ns);
		add_ipdv(d, seq, f.raw_ns);
		add_jitter(d, f.raw_ns);
	}
	if (d->frames < PACE_DELAY_EARLY)
		d->early[d->frames] = f;
	else
		add_to_window(d, &f);
	d->frames++;
}

bool
pace_delay_above(const struct pace_delay *d, int64_t tx_ns, int64_t *above_ns)
{
	const struct pace_delay_window *w = &d->w[d->n - (d->n > 0)];
	int64_t low_ns;

	if (d->frames == 0)
		return false;
	if (d->n == 0) {
		low_ns = lowest_so_far(d, tx_ns);
	} else {
		low_ns = reference_at(w, tx_ns);
		if (w->owd.stats.n > 0 && w->owd.stats.min < 0)
			low_ns += w->owd.stats.min;
	}
	*above_ns = pace_minus(d->last_raw_ns, low_ns);
	return true;
}

/* The line that all are moved onto. */
int64_t
pace_delay_zero(const struct pace_delay *d, const struct pace_clock_estimate *theta, int64_t t_ns)
{
	if (theta != NULL)
		return pace_clock_at(theta, t_ns);
	return pace_plus(d->first_raw_ns, drift(d->rate, pace_minus(t_ns, d->early[0].tx_ns)));
}

/* Where everything belongs, once that line is known. */
struct places {
	int64_t		early[PACE_DELAY_EARLY];	/* their delays */
	int64_t		shift[PACE_DELAY_WINDOWS];
	int64_t		low_ns, high_ns;	/* the lowest delay of all, the highest */
};

static void
widen(struct places *p, int64_t low_ns, int64_t high_ns)
{
	if (low_ns < p->low_ns)
		p->low_ns = low_ns;
	if (high_ns > p->high_ns)
		p->high_ns = high_ns;
}

static void
find_places(const struct pace_delay *d, const struct pace_clock_estimate *theta,
    struct places *p)
{
	p->low_ns = INT64_MAX;
	p->high_ns = INT64_MIN;
	for (int i = 0; i < early_frames(d); i++) {
		p->early[i] = pace_minus(pace_plus(d->first_raw_ns, d->early[i].raw_ns),
		    pace_delay_zero(d, theta, d->early[i].tx_ns));
		widen(p, p->early[i], p->early[i]);
	}
	for (int i = 0; i < d->n; i++) {
		const struct pace_stats *s = &d->w[i].owd.stats;
		int64_t t_ns = middle_of(&d->w[i]);

		p->shift[i] = pace_minus(pace_plus(d->first_raw_ns, reference_at(&d->w[i], t_ns)),
		    pace_delay_zero(d, theta, t_ns));
		widen(p, pace_plus(s->min, p->shift[i]), pace_plus(s->max, p->shift[i]));
	}
}

static void
put_variation(const struct pace_delay *d, const struct places *p, struct pace_hist *pdv)
{
	for (int i = 0; i < early_frames(d); i++)
		pace_hist_add(pdv, pace_minus(p->early[i], p->low_ns));
	for (int i = 0; i < d->n; i++)
		pace_hist_add_shifted(pdv, &d->w[i].owd, pace_minus(p->shift[i], p->low_ns));
}

static void
put_delays(const struct pace_delay *d, const struct places *p, struct pace_delays *out)
{
	for (int i = 0; i < early_frames(d); i++) {
		uint32_t late_ns = d->early[i].late_ns;

		pace_hist_add(&out->owd, p->early[i]);
		if (late_ns != PACE_DELAY_UNSCHEDULED)
			pace_hist_add(&out->scheduled, pace_plus(p->early[i], late_ns));
	}
	for (int i = 0; i < d->n; i++) {
		pace_hist_add_shifted(&out->owd, &d->w[i].owd, p->shift[i]);
		pace_hist_add_shifted(&out->scheduled, &d->w[i].sched, p->shift[i]);
	}
}

void
pace_delay_finish(const struct pace_delay *d, const struct pace_clock_estimate *theta,
    struct pace_delays *out)
{
	struct places p;

	if (theta != NULL && theta->segments == 0)
		theta = NULL;
	pace_sparse_zero(out, sizeof(*out));
	out->absolute = theta != NULL;
	out->absurd = d->absurd;
	pace_sparse_copy(&out->ipdv, &d->ipdv, sizeof(out->ipdv));
	out->jitter_ns = (double)d->jitter16 / 16;
	out->jitter_max_ns = (double)d->jitter16_max / 16;
	find_places(d, theta, &p);
	if (out->absolute &&
	    (p.low_ns < -PACE_DELAY_FAR_NS || p.high_ns > PACE_DELAY_FAR_NS)) {
		out->absolute = false;
		find_places(d, NULL, &p);
	}
	out->low_ns = p.low_ns;
	put_variation(d, &p, &out->pdv);
	if (out->absolute)
		put_delays(d, &p, out);
}
