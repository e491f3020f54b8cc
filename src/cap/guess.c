/*
 * How it works.  Every format is tried on every datagram of the first few.
 * Those that have a magic are known by it; RTP, iperf and the like are known by
 * what their numbers do, for which each keeps the last number of a few streams.
 */
#include <string.h>

#include "cap/format.h"

#define STEPS_WANTED	3

void
pace_cap_guess_init(struct pace_cap_guess *g)
{
	memset(g, 0, sizeof(*g));
}

/* The step from one number to another is by 1 to PACE_CAP_NEAR, up or down. */
static bool
goes_on(uint64_t from, uint64_t to, uint64_t modulus)
{
	uint64_t up = to - from, down = from - to;

	if (modulus != 0 && modulus != PACE_CAP_SECONDS) {
		up += to < from ? modulus : 0;
		down += from < to ? modulus : 0;
	}
	return up != 0 && (up <= PACE_CAP_NEAR || down <= PACE_CAP_NEAR);
}

/* Where stream's last number is kept; false: it is new there. */
static bool
find_stream(struct pace_cap_tried *t, uint64_t stream, unsigned *at)
{
	for (*at = 0; *at < t->streams; ++*at)
		if (t->last[*at].stream == stream)
			return true;
	if (t->streams < PACE_CAP_STREAMS)
		t->streams++;
	else {
		*at = t->oldest;
		t->oldest = (t->oldest + 1) % PACE_CAP_STREAMS;
	}
	t->last[*at].stream = stream;
	return false;
}

void
pace_cap_guess_add(struct pace_cap_guess *g, const struct pace_cap_datagram *d)
{
	size_t n;
	const struct pace_cap_format *f = pace_cap_formats(&n);
	struct pace_cap_mark m;
	unsigned at;

	if (g->datagrams >= PACE_CAP_GUESS)
		return;
	g->datagrams++;
	for (size_t i = 0; i < n; i++) {
		struct pace_cap_tried *t = &g->of[i];
		int fit = f[i].fits(d);

		if (fit <= 0)
			continue;
		t->fit++;
		t->points += (unsigned)fit;
		if (!f[i].mark(NULL, d, &m) || !m.has_seq || m.last)
			continue;
		if (find_stream(t, m.stream, &at)) {
			uint64_t since = (uint64_t)m.time_ns - (uint64_t)t->last[at].time_ns;

			t->steps++;
			t->near += goes_on(t->last[at].seq, m.seq, m.modulus);
			t->ticks += m.has_time;
			t->soon += m.has_time && since > 0 && since <= (uint64_t)PACE_CAP_SOON_NS;
		}
		t->last[at].seq = m.seq;
		t->last[at].time_ns = m.time_ns;
	}
}

static bool
two_thirds(unsigned some, unsigned all)
{
	return some * 3 >= all * 2;
}

/* The mean fit; 0 if the format is out of the question. */
static unsigned
believed(const struct pace_cap_guess *g, const struct pace_cap_tried *t)
{
	unsigned mean = t->fit > 0 ? t->points / t->fit : 0;

	if (t->fit == 0 || t->fit * 5 < g->datagrams * 4)
		return 0;
	if (mean >= PACE_CAP_SURE)
		return mean;
	return t->steps >= STEPS_WANTED && two_thirds(t->near, t->steps) &&
	    two_thirds(t->soon, t->ticks) ? mean : 0;
}

const struct pace_cap_format *
pace_cap_guess_best(const struct pace_cap_guess *g)
{
	size_t n;
	const struct pace_cap_format *f = pace_cap_formats(&n), *best = &f[n - 1];
	unsigned most = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned points = believed(g, &g->of[i]);

		if (points > most) {
			most = points;
			best = &f[i];
		}
	}
	return best;
}
