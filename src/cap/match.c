/*
 * How it works.  Frames sent lie in a ring by their number, and in chains by their
 * key's hash, the newest first: so the one that leaves the ring is the last of its
 * chain.  Frames received that are not sent yet wait in a queue, and nothing overtakes
 * in it, or order would depend on how the captures are read.
 */
#include "cap/match.h"

#include <errno.h>
#include <string.h>

#include "core/splitmix.h"
#include "core/wide_time.h"

#define WINDOW_MIN	256
#define WIDE		(UINT64_C(1) << 32)	/* numbers that do not come again in a window */

static uint64_t
mix(uint64_t a, uint64_t b)
{
	uint64_t state = a ^ b;

	return pace_splitmix64(&state);
}

uint64_t
pace_cap_match_key(const struct pace_cap_datagram *d, const struct pace_cap_mark *m, size_t most)
{
	uint64_t sum;
	size_t n;

	if (m != NULL && m->has_seq && (m->modulus == 0 || m->modulus >= WIDE))
		return mix(mix(mix(m->seq, 2 + m->last), m->stream), (uint64_t)m->time_ns);
	sum = mix(d->length, 1);
	n = d->captured < most ? d->captured : most;
	if (n > PACE_CAP_MATCH_BYTES)
		n = PACE_CAP_MATCH_BYTES;
	for (size_t i = 0; i < n; i += 8) {
		uint64_t word = 0;

		memcpy(&word, d->payload + i, n - i < 8 ? n - i : 8);
		sum = mix(sum, word);
	}
	return sum;
}

static uint32_t
queue_size(uint32_t window)
{
	return window / 4;
}

size_t
pace_cap_match_memory(uint32_t window)
{
	size_t tracker = pace_seq_memory(window);

	if (tracker == 0 || window < WINDOW_MIN)
		return 0;
	return tracker + window * sizeof(struct pace_cap_sent) +
	    queue_size(window) * sizeof(struct pace_cap_waiting) + window * sizeof(uint32_t);
}

int
pace_cap_match_init(struct pace_cap_match *m, const struct pace_cap_match_cfg *cfg, void *mem)
{
	size_t size = pace_cap_match_memory(cfg->window);
	unsigned char *p = mem;

	if (size == 0)
		return -EINVAL;
	memset(m, 0, sizeof(*m));
	memset(mem, 0, size);
	m->cfg = *cfg;
	(void)pace_seq_init(&m->seq, cfg->window, UINT64_MAX, p);
	p += pace_seq_memory(cfg->window);
	m->ring = (void *)p;
	p += cfg->window * sizeof(struct pace_cap_sent);
	m->queue = (void *)p;
	p += queue_size(cfg->window) * sizeof(struct pace_cap_waiting);
	m->heads = (void *)p;
	return 0;
}

/* --- frames sent ------------------------------------------------------------------- */

static uint32_t *
chain_of(const struct pace_cap_match *m, uint64_t key)
{
	return &m->heads[mix(key, 3) & (m->cfg.window - 1)];
}

/* Find the slot of a sent frame, and the length of its chain; false: none. */
static bool
find(const struct pace_cap_match *m, uint64_t key, uint32_t *slot, unsigned *length)
{
	*length = 0;
	for (uint32_t link = *chain_of(m, key); link != 0; link = m->ring[*slot].link) {
		*slot = link - 1;
		if (m->ring[*slot].key == key)
			return true;
		++*length;
	}
	return false;
}

static void
remember(struct pace_cap_match *m, uint64_t key, int64_t t_ns)
{
	uint32_t slot = (uint32_t)(m->next & (m->cfg.window - 1)), *head;

	if (m->next >= m->cfg.window) {
		uint32_t *link = chain_of(m, m->ring[slot].key);

		/* The oldest frame sent leaves its chain, whose end it is. */
		while (*link != slot + 1)
			link = &m->ring[*link - 1].link;
		*link = 0;
	}
	head = chain_of(m, key);
	m->ring[slot] = (struct pace_cap_sent){ key, t_ns, *head };
	*head = slot + 1;
	m->next++;
}

/* --- frames received ------------------------------------------------------------------ */

static void
first_copy(struct pace_cap_match *m, uint64_t number, int64_t sent_ns,
    const struct pace_cap_came *came)
{
	m->last_came = *came;
	m->bytes += came->bytes;
	m->line_bytes += came->line_bytes;
	if (m->matched == 0) {
		m->first_came = *came;
		m->first = m->last = number;
		m->foreign_before_first = m->foreign;
	}
	m->foreign_after_last = 0;
	m->first = number < m->first ? number : m->first;
	m->last = number > m->last ? number : m->last;
	m->matched++;
	if (m->cfg.delay != NULL)
		pace_delay_add(m->cfg.delay, number, sent_ns, came->t_ns,
		    PACE_DELAY_UNSCHEDULED);
	if (m->cfg.fit != NULL && m->cfg.from_b)
		pace_clockfit_lower(m->cfg.fit, came->t_ns, pace_minus(sent_ns, came->t_ns));
	else if (m->cfg.fit != NULL)
		pace_clockfit_upper(m->cfg.fit, sent_ns, pace_minus(came->t_ns, sent_ns));
}

static void
stranger(struct pace_cap_match *m, const struct pace_cap_came *came)
{
	m->foreign++;
	m->foreign_after_last++;
	m->foreign_bytes += came->bytes;
}

/* Add the gap before a datagram of the flow, matched or not. */
static void
add_gap(struct pace_cap_match *m, int64_t t_ns)
{
	if (m->cfg.gap != NULL && m->matched + m->duplicates > 0)
		pace_hist_add(m->cfg.gap, pace_minus(t_ns, m->before_ns));
	m->before_ns = t_ns;
}

/* False: it is not among those sent. */
static bool
arrive(struct pace_cap_match *m, uint64_t key, const struct pace_cap_came *came)
{
	uint64_t number, back;
	unsigned length;
	uint32_t slot;

	if (!find(m, key, &slot, &length))
		return false;
	/* The number of the frame in a slot of the ring. */
	back = (m->next - 1 - slot) & (m->cfg.window - 1);
	number = m->next - 1 - back;
	switch (pace_seq_add(&m->seq, number, came->t_ns)) {
	case PACE_SEQ_IN_ORDER:
	case PACE_SEQ_REORDERED:
		add_gap(m, came->t_ns);
		first_copy(m, number, m->ring[slot].t_ns, came);
		break;
	case PACE_SEQ_DUPLICATE:
		add_gap(m, came->t_ns);
		m->duplicates++;
		m->duplicate_bytes += came->bytes;
		break;
	case PACE_SEQ_BEYOND:		/* the ring is as long as the tracker's window */
	case PACE_SEQ_REFUSED:
		stranger(m, came);
		break;
	}
	return true;
}

/* Those that wait and are found now; hopeless: the first one, and whatever waits if all. */
static void
drain(struct pace_cap_match *m, bool hopeless, bool all)
{
	for (; m->taken < m->put; m->taken++) {
		const struct pace_cap_waiting *w =
		    &m->queue[m->taken % queue_size(m->cfg.window)];

		if (arrive(m, w->key, &w->came))
			continue;
		if (!hopeless)
			return;
		stranger(m, &w->came);
		hopeless = all;
	}
}

void
pace_cap_match_sent(struct pace_cap_match *m, uint64_t key, int64_t t_ns)
{
	unsigned length;
	uint32_t slot;

	m->sent++;
	if (find(m, key, &slot, &length) || length >= PACE_CAP_MATCH_CHAIN) {
		m->ambiguous++;
		return;
	}
	remember(m, key, t_ns);
	if (m->taken < m->put &&
	    m->queue[m->taken % queue_size(m->cfg.window)].key == key)
		drain(m, false, false);
}

void
pace_cap_match_received(struct pace_cap_match *m, uint64_t key,
    const struct pace_cap_came *came)
{
	m->received++;
	if (m->put - m->taken == queue_size(m->cfg.window))
		drain(m, true, false);
	if (m->taken == m->put && arrive(m, key, came))
		return;
	m->queue[m->put++ % queue_size(m->cfg.window)] = (struct pace_cap_waiting){ key, *came };
}

void
pace_cap_match_finish(struct pace_cap_match *m)
{
	drain(m, true, true);
	(void)pace_seq_finish(&m->seq, m->next);
	m->before_first = m->matched > 0 ? m->first : m->next;
	m->after_last = m->matched > 0 ? m->next - 1 - m->last : 0;
	if (m->matched == 0) {
		m->foreign_before_first = m->foreign;
		m->foreign_after_last = 0;
	}
}

/* --- clocks --- */

void
pace_cap_match_turn(const struct pace_clock_estimate *theta, struct pace_clock_estimate *turned)
{
	*turned = *theta;
	for (int i = 0; i < theta->segments; i++) {
		const struct pace_clock_segment *s = &theta->v[i];
		struct pace_clock_line *l = &turned->v[i].line;

		l->t_ns = pace_minus(s->line.t_ns, -s->line.offset_ns);
		l->offset_ns = -s->line.offset_ns;
		l->frac_ns = -s->line.frac_ns;
		if (s->line.frac_ns > 0) {
			l->offset_ns--;
			l->frac_ns = 1 - s->line.frac_ns;
		}
		l->rate = -s->line.rate / (1 + s->line.rate);
		turned->v[i].from_ns = s->from_ns + pace_clock_line_at(&s->line, s->from_ns);
		turned->v[i].to_ns = s->to_ns + pace_clock_line_at(&s->line, s->to_ns);
	}
	turned->uppers = theta->lowers;
	turned->lowers = theta->uppers;
}
