#include "config.h"

#include "doc/intervals.h"

#include <stdlib.h>

#include "core/arith.h"
#include "doc/js.h"
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
	const int64_t most = PACE_INTERVALS_MAX / pace_params_streams(a);
	int64_t last = last_ns(a), n = most, times = 1;
	struct pace_intervals *v;

	if (a->interval_ns <= 0)
		return NULL;
	if (last >= 0) {
		n = last / a->interval_ns + 1;
		times = (n + most - 1) / most;
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

/* --- several streams -------------------------------------------------------------------- */

/* Return the longest length; lengths are multiples of each other.  0: no stream has two
 * intervals. */
static int64_t
longest(const struct pace_point *p)
{
	int64_t ns = 0;

	for (uint32_t i = 0; i < p->ask.streams; i++) {
		const struct pace_intervals *v = p->streams[i]->intervals;

		if (v->n > 1 && v->v[1].from_ns > ns)
			ns = v->v[1].from_ns;
	}
	return least(ns, PACE_JS_MAX / PACE_INTERVALS_MAX);	/* it may come from a responder */
}

/* The rate is known if that of every part is. */
static void
add_interval(struct pace_interval *to, const struct pace_interval *o)
{
	bool known_rate = (to->rx.received == 0 || to->rx.user_rate_bps > 0) &&
	    (o->rx.received == 0 || o->rx.user_rate_bps > 0);

	to->to_ns = o->to_ns > to->to_ns ? o->to_ns : to->to_ns;
	to->sent += o->sent;
	to->lost += o->lost;
	to->tx.refused = to->tx.refused == UINT64_MAX ? UINT64_MAX : to->tx.refused + o->tx.refused;
	to->tx.late_frames = to->tx.late_frames == UINT64_MAX ? UINT64_MAX :
	    to->tx.late_frames + o->tx.late_frames;
	if (to->tx.departure_ns == PACE_NO_FIGURE || (o->tx.departure_ns != PACE_NO_FIGURE &&
	    o->tx.departure_ns < to->tx.departure_ns))
		to->tx.departure_ns = o->tx.departure_ns;
	to->rx.received += o->rx.received;
	to->rx.reordered += o->rx.reordered;
	to->rx.duplicates += o->rx.duplicates;
	to->rx.socket_drops += o->rx.socket_drops;
	to->rx.unbinned += o->rx.unbinned;
	to->rx.user_rate_bps = known_rate ? to->rx.user_rate_bps + o->rx.user_rate_bps : 0;
	pace_figures_merge(&to->rx.gap, &o->rx.gap);
	pace_figures_merge(&to->rx.pdv, &o->rx.pdv);
}

static void
add_stream(struct pace_intervals *sum, const struct pace_intervals *v, int64_t length_ns)
{
	uint32_t last = UINT32_MAX;

	for (uint32_t i = 0; i < v->n; i++) {
		struct pace_interval one = v->v[i];
		int64_t at = length_ns > 0 ? one.from_ns / length_ns : 0;
		uint32_t to = at < sum->room ? (uint32_t)at : sum->room - 1;

		if (to == last)		/* merged with its neighbour: the rates do not add up */
			one.rx.user_rate_bps = 0;
		add_interval(&sum->v[to], &one);
		sum->n = to + 1 > sum->n ? to + 1 : sum->n;
		last = to;
	}
}

/* An interval ends where the next one begins; only the last one may end earlier or later. */
void
pace_intervals_sum(struct pace_point *p)
{
	struct pace_intervals *sum = p->intervals;
	int64_t length_ns;

	for (uint32_t i = 0; i < p->ask.streams && sum != NULL; i++)
		if (p->streams[i]->intervals == NULL) {
			free(sum);
			sum = p->intervals = NULL;
		}
	length_ns = sum != NULL ? longest(p) : 0;
	for (uint32_t i = 0; sum != NULL && i < sum->room; i++) {
		pace_intervals_none(sum, i);
		if (!pace_intervals_scheduled(&p->ask))
			sum->v[i].tx.refused = sum->v[i].tx.late_frames = UINT64_MAX;
	}
	for (uint32_t i = 0; i < p->ask.streams; i++) {
		if (sum != NULL)
			add_stream(sum, p->streams[i]->intervals, length_ns);
		free(p->streams[i]->intervals);
		p->streams[i]->intervals = NULL;
	}
	for (uint32_t i = 0; sum != NULL && i < sum->n; i++) {
		sum->v[i].from_ns = i * length_ns;
		if (i + 1 < sum->n)
			sum->v[i].to_ns = (i + 1) * length_ns;
		else if (sum->v[i].to_ns < sum->v[i].from_ns)
			sum->v[i].to_ns = sum->v[i].from_ns;
	}
}

/* --- location of losses ------------------------------------------------------------------ */

/* Return how many datagrams the socket may have dropped of interval i; last: the last interval of
 * which a frame arrived. */
static uint64_t
drops_of(const struct pace_point *p, uint32_t i, uint32_t last)
{
	const struct pace_intervals *v = p->intervals;
	uint64_t drops = v->v[i].rx.socket_drops;

	if (p->rx.reordered > 0 || p->streams != NULL)	/* several streams: several sockets */
		return p->rx.socket_drops;
	if (i > last)			/* drops behind the last arrival are counted in its interval */
		drops += v->v[last].rx.socket_drops;
	while (++i < v->n) {
		drops += v->v[i].rx.socket_drops;
		if (v->v[i].rx.received > 0)
			break;
	}
	return drops;
}

void
pace_intervals_locate(struct pace_point *p)
{
	struct pace_intervals *v = p->intervals;
	uint64_t left = p->ledger.place[PACE_RX_SOCKET].n, most = p->ledger.place[PACE_RX_SOCKET].high;
	uint64_t piece = pace_params_piece(&p->ask);
	uint32_t last = 0;

	for (uint32_t i = 0; v != NULL && i < v->n; i++)
		last = v->v[i].rx.received > 0 ? i : last;
	for (uint32_t i = 0; v != NULL && i < v->n; i++) {
		struct pace_interval *o = &v->v[i];

		o->socket_lost = 0;
		o->socket_lost_max = pace_least(most,
		    pace_least(o->lost, piece * drops_of(p, i, last)));
	}
	/* first where the count rose, then where the bound allows it */
	for (int round = 0; v != NULL && round < 3; round++)
		for (uint32_t i = 0; i < v->n && left > 0; i++) {
			struct pace_interval *o = &v->v[i];
			uint64_t room = round == 0 ? pace_least(o->socket_lost_max, piece *
			    o->rx.socket_drops) : round == 1 ? o->socket_lost_max : o->lost;
			uint64_t n = pace_least(left, pace_less(room, o->socket_lost));

			o->socket_lost += n;
			left -= n;
			if (o->socket_lost > o->socket_lost_max)
				o->socket_lost_max = o->socket_lost;
		}
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
		if (o->socket_lost > o->socket_lost_max || o->socket_lost_max > o->lost)
			return "an interval lost more in the socket than it lost";
		if (!figures_hold(&o->rx.gap, o->rx.received) ||
		    !figures_hold(&o->rx.pdv, o->rx.received) ||
		    (o->rx.pdv.n > 0 && o->rx.pdv.min < 0) ||
		    o->rx.reordered > o->rx.received || o->rx.unbinned > o->rx.received)
			return "an interval's figures contradict each other";
		sum.sent += o->sent;
		sum.lost += o->lost;
		sum.socket_lost += o->socket_lost;
		sum.tx.refused += o->tx.refused;
		sum.tx.late_frames += o->tx.late_frames;
		sum.rx.received += o->rx.received;
		sum.rx.reordered += o->rx.reordered;
		sum.rx.duplicates += o->rx.duplicates;
		sum.rx.socket_drops += o->rx.socket_drops;
	}
	if (sum.sent != p->tx.frames || sum.lost != p->rx.lost || sum.rx.received != p->rx.unique)
		return "the intervals do not sum to the frames of the point";
	if (sum.socket_lost > 0 && sum.socket_lost != p->ledger.place[PACE_RX_SOCKET].n)
		return "the intervals do not sum to the frames lost in the socket";
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
