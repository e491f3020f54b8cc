#include "config.h"

#include "doc/intervals.h"

#include <stdlib.h>

#include "doc/params.h"

bool
pace_intervals_scheduled(const struct pace_params *a)
{
	return a->spacing > 0;
}

void
pace_intervals_none(struct pace_intervals *v, uint32_t i)
{
	const struct pace_figures none = { .min = PACE_NO_FIGURE, .p50 = PACE_NO_FIGURE,
	    .p99 = PACE_NO_FIGURE, .max = PACE_NO_FIGURE };

	v->v[i] = (struct pace_interval){ .tx.departure_ns = PACE_NO_FIGURE,
	    .rx = { .gap = none, .pdv = none } };
}

struct pace_intervals *
pace_intervals_of(uint32_t n)
{
	struct pace_intervals *v = malloc(sizeof(*v) + n * sizeof(v->v[0]));

	if (v == NULL)
		return NULL;
	*v = (struct pace_intervals){ .room = n };
	for (uint32_t i = 0; i < n; i++)	/* touches it before the first frame */
		pace_intervals_none(v, i);
	return v;
}

/* Return the time of the last frame, or of the end; -1: not known. */
static int64_t
last_ns(const struct pace_params *a)
{
	uint64_t frames = pace_params_frames(a);

	if (pace_intervals_scheduled(a))
		return frames > 0 ? pace_params_slot_ns(a, frames - 1) : -1;
	return a->duration_ns > 0 ? a->duration_ns : -1;
}

struct pace_intervals *
pace_intervals_new(const struct pace_params *a)
{
	int64_t last = last_ns(a), n = PACE_INTERVALS_MAX, times = 1;
	struct pace_intervals *v;

	if (a->interval_ns <= 0)
		return NULL;
	if (last >= 0) {
		n = last / a->interval_ns + 1;
		times = (n + PACE_INTERVALS_MAX - 1) / PACE_INTERVALS_MAX;
		n = last / (times * a->interval_ns) + 1;
	}
	v = pace_intervals_of((uint32_t)n);
	if (v != NULL)
		v->length_ns = times * a->interval_ns;
	for (int64_t i = 0; v != NULL && i < n && !pace_intervals_scheduled(a); i++)
		v->v[i].tx.refused = v->v[i].tx.late_frames = UINT64_MAX;
	return v;
}

uint32_t
pace_intervals_at(const struct pace_intervals *v, const struct pace_params *a, uint64_t seq)
{
	int64_t i = pace_params_slot_ns(a, seq) / v->length_ns;

	return i < v->room ? (uint32_t)i : v->room - 1;
}

uint64_t
pace_intervals_first(const struct pace_intervals *v, const struct pace_params *a, uint32_t i)
{
	uint64_t low = 0, high = UINT64_C(1) << 56, mid;	/* the header's numbers end here */
	int64_t ns = i * v->length_ns;

	if (i >= v->room)
		return high;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (pace_params_slot_ns(a, mid) < ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* End the last interval with the slot of the last frame; without a schedule with the last
 * departure, which may be much later: frames that were lost after the last arrival have no
 * other interval. */
static void
end_last(struct pace_interval *o, const struct pace_params *a, uint64_t sent, int64_t duration_ns)
{
	uint64_t step = a->spacing * a->train;
	int64_t end = duration_ns;

	if (pace_intervals_scheduled(a) && sent > 0)
		end = least(o->to_ns, pace_params_slot_ns(a, sent - 1) + (int64_t)(step >> 32) +
		    ((step & UINT32_MAX) > 0));
	if (sent > 0)
		o->to_ns = end > o->from_ns ? end : o->from_ns;
}

bool
pace_intervals_close(struct pace_intervals *v, const struct pace_params *a, uint64_t sent,
    int64_t duration_ns)
{
	bool slots = pace_intervals_scheduled(a);

	if (v->n == 0 && sent > 0)
		v->n = 1;		/* nothing arrived */
	if (slots && sent > 0) {
		uint32_t n = pace_intervals_at(v, a, sent - 1) + 1;

		if (v->n > n)
			return false;
		v->n = n;
	}
	for (uint32_t i = 0; slots && i < v->n; i++)
		v->v[i].rx.first = pace_intervals_first(v, a, i);
	for (uint32_t i = 0; i < v->n; i++) {
		struct pace_interval *o = &v->v[i];
		uint64_t next = i + 1 < v->n && o[1].rx.first < sent ? o[1].rx.first : sent;

		if (o->rx.first > next || (i == 0 && o->rx.first != 0))
			return false;
		if (slots)
			o->from_ns = i * v->length_ns;
		o->to_ns = slots || i + 1 == v->n ? o->from_ns + v->length_ns : o[1].from_ns;
		if (i + 1 == v->n)
			end_last(o, a, sent, duration_ns);
		o->sent = next - o->rx.first;
		if (o->rx.received > o->sent)
			return false;
		o->lost = o->sent - o->rx.received;
	}
	return true;
}

static bool
figures_hold(const struct pace_figures *f, uint64_t received)
{
	int64_t last = f->min;
	const int64_t v[] = { f->p50, f->p99, f->max };

	if (f->n > received || (f->n > 0) != (f->min != PACE_NO_FIGURE) ||
	    (f->n > 0) != (f->max != PACE_NO_FIGURE))
		return false;
	for (int i = 0; i < 3; i++) {
		if (v[i] == PACE_NO_FIGURE)
			continue;
		if (f->n == 0 || v[i] < last)
			return false;
		last = v[i];
	}
	return true;
}

const char *
pace_intervals_broken(const struct pace_point *p)
{
	const struct pace_intervals *v = p->intervals;
	struct pace_interval sum = { .sent = 0 };

	for (uint32_t i = 0; i < v->n; i++) {
		const struct pace_interval *o = &v->v[i];

		if (o->from_ns < (i > 0 ? o[-1].to_ns : 0) || o->to_ns < o->from_ns)
			return "the intervals overlap";
		if (o->rx.received > o->sent || o->lost != o->sent - o->rx.received)
			return "lost frames of an interval are not those sent minus those received";
		if (!figures_hold(&o->rx.gap, o->rx.received) ||
		    !figures_hold(&o->rx.pdv, o->rx.received) ||
		    (o->rx.pdv.n > 0 && o->rx.pdv.min < 0) ||
		    o->rx.reordered > o->rx.received || o->rx.unbinned > o->rx.received)
			return "an interval's figures contradict each other";
		sum.sent += o->sent;
		sum.lost += o->lost;
		sum.tx.refused += o->tx.refused;
		sum.tx.late_frames += o->tx.late_frames;
		sum.rx.received += o->rx.received;
		sum.rx.reordered += o->rx.reordered;
		sum.rx.duplicates += o->rx.duplicates;
		sum.rx.socket_drops += o->rx.socket_drops;
	}
	if (sum.sent != p->tx.frames || sum.lost != p->rx.lost || sum.rx.received != p->rx.unique)
		return "the intervals do not sum to the frames of the point";
	if (sum.rx.reordered != p->rx.reordered || sum.rx.duplicates != p->rx.duplicates ||
	    sum.rx.socket_drops != p->rx.socket_drops)
		return "the intervals do not sum to the point's reordered, duplicated or dropped "
		    "frames";
	if (pace_intervals_scheduled(&p->ask) && (sum.tx.refused != p->tx.refused ||
	    sum.tx.late_frames != p->tx.late_frames))
		return "the intervals do not sum to the point's refused or late frames";
	return NULL;
}

static int64_t
known(int64_t a, int64_t b)
{
	return a != PACE_NO_FIGURE ? a : b;
}

void
pace_figures_merge(struct pace_figures *to, const struct pace_figures *f)
{
	if (f->n == 0)
		return;
	if (to->n == 0) {
		*to = *f;
		return;
	}
	to->n += f->n;
	to->min = known(to->min, f->min) < known(f->min, to->min) ? to->min : f->min;
	to->max = to->max > f->max ? to->max : f->max;
	to->p50 = to->p99 = PACE_NO_FIGURE;
}
