#include "config.h"

#include "stream/light_receiver.h"

#include <math.h>
#include <string.h>

#include "core/seq.h"
#include "core/stats.h"
#include "core/wide_time.h"

#define LOW_NS		INT64_C(300000000000)	/* the lowest delay is looked for in two such times */
#define FAR_NS		((double)PACE_ABOVE_MOST)
/* bytes for seq with PACE_LIGHT_WINDOW: two bitmaps, ring, holes */
#define WINDOW_ROOM	(2 * PACE_LIGHT_WINDOW / 8 + PACE_SEQ_DEGREES * 8 + \
			    PACE_LIGHT_WINDOW / 2 * sizeof(struct pace_seq_hole))

/* The lowest raw delay of a time, which begins at from_ns. */
struct low {
	bool		known;
	int64_t		from_ns, tx_ns, raw_ns;
};

struct pace_light_receiver {
	struct pace_seq	seq;
	struct pace_stats gaps;
	int64_t		last_ns;	/* arrival of the last unique frame */
	int64_t		last_raw_ns;	/* and its raw delay: arrival - departure */
	uint64_t	jitter16;	/* ns * 16 */
	double		rate;
	struct low	low, before;
	struct pace_recent recent;	/* since the last look */
	uint64_t	foreign, marked, dscp_changed, ecn_changed;
	uint32_t	drops0, drops;
	uint32_t	size_bytes, wire_bytes, dscp;
	enum pace_ecn	ecn;
	struct pace_coarse_hist gap, delay;
	uint64_t	window[(WINDOW_ROOM + 7) / 8];
};

size_t
pace_light_receiver_size(void)
{
	return sizeof(struct pace_light_receiver);
}

void
pace_light_receiver_start(struct pace_light_receiver *r, const struct pace_msg_start *m,
    bool keep, uint32_t drops)
{
	double rate = keep ? r->rate : 0;	/* of the hosts, not of a run */

	memset(r, 0, sizeof(*r));
	r->rate = rate;
	(void)pace_seq_init_lean(&r->seq, PACE_LIGHT_WINDOW, m->limit, r->window);
	pace_stats_reset(&r->gaps);
	pace_recent_none(&r->recent);
	r->drops0 = r->drops = drops;
	r->size_bytes = m->ask.size_bytes;
	r->wire_bytes = m->wire_bytes;
	r->dscp = m->ask.dscp;
	r->ecn = m->ask.ecn;
}

void
pace_light_receiver_rate(struct pace_light_receiver *r, double rate)
{
	r->rate = rate;
}

void
pace_light_receiver_foreign(struct pace_light_receiver *r)
{
	r->foreign++;
}

/* --- a frame ------------------------------------------------------------------- */

/* The delay above the lowest of that time. */
static double
above(const struct pace_light_receiver *r, const struct low *l, int64_t tx_ns, int64_t raw_ns)
{
	return (double)pace_minus(raw_ns, l->raw_ns) -
	    r->rate * (double)pace_minus(tx_ns, l->tx_ns);
}

static void
take_delay(struct pace_light_receiver *r, int64_t tx_ns, int64_t raw_ns)
{
	const struct low now = { .known = true, .from_ns = tx_ns, .tx_ns = tx_ns, .raw_ns = raw_ns };
	struct pace_recent *p = &r->recent;
	int64_t since_ns = pace_minus(tx_ns, r->low.from_ns), ns;
	double a;

	if (!r->low.known || since_ns >= LOW_NS || since_ns < -LOW_NS) {
		r->before = r->low;
		r->low = now;
	} else if (above(r, &r->low, tx_ns, raw_ns) < 0) {
		r->low.tx_ns = tx_ns;
		r->low.raw_ns = raw_ns;
	}
	a = above(r, &r->low, tx_ns, raw_ns);
	if (r->before.known)
		a = fmax(a, above(r, &r->before, tx_ns, raw_ns));
	ns = (int64_t)fmin(fmax(a, 0), FAR_NS);
	pace_coarse_hist_add(&r->delay, ns);
	pace_recent_add(p, &(struct pace_recent){ .samples = 1, .gap_min_ns = INT64_MAX,
	    .gap_max_ns = INT64_MIN, .above_min_ns = ns, .above_max_ns = ns, .above_sum_ns = ns });
}

static void
take_gap(struct pace_light_receiver *r, int64_t gap_ns, int64_t raw_ns)
{
	int64_t d = pace_minus(raw_ns, r->last_raw_ns);
	uint64_t change = d < 0 ? 0 - (uint64_t)d : (uint64_t)d;

	pace_stats_add(&r->gaps, gap_ns);
	pace_coarse_hist_add(&r->gap, gap_ns);
	if (gap_ns < r->recent.gap_min_ns)
		r->recent.gap_min_ns = gap_ns;
	if (gap_ns > r->recent.gap_max_ns)
		r->recent.gap_max_ns = gap_ns;
	if (change > (uint64_t)PACE_ABOVE_MOST)
		change = (uint64_t)PACE_ABOVE_MOST;
	r->jitter16 += change - (r->jitter16 + 8) / 16;		/* RFC 3550 A.8 */
}

static void
take_mark(struct pace_light_receiver *r, uint8_t mark)
{
	enum pace_ecn ecn = (enum pace_ecn)(mark & 3);
	bool capable = r->ecn == PACE_ECN_ECT0 || r->ecn == PACE_ECN_ECT1;

	r->marked += ecn == PACE_ECN_CE;
	r->dscp_changed += (uint32_t)(mark >> 2) != r->dscp;
	r->ecn_changed += ecn != r->ecn && !(capable && ecn == PACE_ECN_CE);
}

void
pace_light_receiver_take(struct pace_light_receiver *r, const struct pace_hdr *h,
    const struct pace_in *in)
{
	int64_t raw_ns = pace_minus(in->stamp_ns, h->tx_ns);
	enum pace_seq_kind kind;

	kind = in->len == r->size_bytes ? pace_seq_add(&r->seq, h->seq, in->stamp_ns) :
	    PACE_SEQ_REFUSED;
	r->foreign += kind == PACE_SEQ_REFUSED;
	if (in->has_drops)
		r->drops = in->drops;
	if (kind != PACE_SEQ_IN_ORDER && kind != PACE_SEQ_REORDERED)
		return;
	if (r->seq.unique > 1)
		take_gap(r, pace_minus(in->stamp_ns, r->last_ns), raw_ns);
	take_delay(r, h->tx_ns, raw_ns);
	r->last_ns = in->stamp_ns;
	r->last_raw_ns = raw_ns;
	if (in->has_mark)
		take_mark(r, in->mark);
}

/* --- figures --------------------------------------------------------------------- */

bool
pace_light_receiver_complete(const struct pace_light_receiver *r, uint64_t sent)
{
	return r->seq.unique >= sent;
}

void
pace_light_receiver_finish(struct pace_light_receiver *r, uint64_t sent)
{
	(void)pace_seq_finish(&r->seq, sent);
}

void
pace_light_receiver_look(struct pace_light_receiver *r, struct pace_tally *t,
    struct pace_stats *gaps, int64_t *jitter_ns, struct pace_recent *recent)
{
	const struct pace_seq *s = &r->seq;
	uint64_t lost = s->next - s->unique, drops = r->drops - r->drops0;

	*t = (struct pace_tally){ .frames = s->unique, .bytes = s->unique * r->size_bytes,
	    .wire_bytes = s->unique * r->wire_bytes, .duplicates = s->duplicates,
	    .reordered = s->reordered, .late = s->beyond, .foreign = r->foreign,
	    .congestion_marks = r->marked, .dscp_changed = r->dscp_changed,
	    .ecn_changed = r->ecn_changed, .lost = (int64_t)lost, .socket_drops = drops,
	    .socket_lost_max = drops < lost ? drops : lost };
	*gaps = r->gaps;
	*jitter_ns = (int64_t)(r->jitter16 / 16);
	*recent = r->recent;
	pace_recent_none(&r->recent);
}

const struct pace_coarse_hist *
pace_light_receiver_gaps(const struct pace_light_receiver *r)
{
	return &r->gap;
}

const struct pace_coarse_hist *
pace_light_receiver_delays(const struct pace_light_receiver *r)
{
	return &r->delay;
}
