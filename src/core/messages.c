/*
 * How it works.  A message lies in the slot of its number, modulo the number of slots.  The numbers
 * in a slot only increase, so a message that lost its slot is never opened again.
 */
#include "core/messages.h"

#include <string.h>

#include "core/sparse.h"

#define COUNT_MAX	((UINT64_C(1) << 62) - 1)

void
pace_message_stats_reset(struct pace_message_stats *s)
{
	pace_sparse_zero(s, sizeof(*s));
}

void
pace_message_close(struct pace_message_stats *s, uint64_t missing, int64_t first_ns,
    int64_t last_ns)
{
	if (missing == 0) {
		s->complete++;
		pace_hist_add(&s->span, (int64_t)((uint64_t)last_ns - (uint64_t)first_ns));
	} else {
		s->incomplete++;
		pace_hist_add(&s->missing, missing < COUNT_MAX ? (int64_t)missing :
		    (int64_t)COUNT_MAX);
	}
}

uint32_t
pace_messages_slots(uint32_t window, uint64_t size)
{
	uint64_t need = window / size + 2;
	uint32_t slots = 2;

	while (slots < need)
		slots *= 2;
	return slots;
}

size_t
pace_messages_memory(uint32_t slots)
{
	return (size_t)slots * sizeof(struct pace_message);
}

static void
forget(struct pace_messages *m)
{
	memset(m->slot, 0, pace_messages_memory(m->mask + 1));
	m->begun = m->cut = false;
	m->opened = m->top = 0;
}

void
pace_messages_init(struct pace_messages *m, uint32_t slots, uint64_t size, bool from_start,
    void *mem)
{
	pace_message_stats_reset(&m->stats);
	m->late = m->most = m->first = m->high = 0;
	m->size = size;
	m->from = m->number = 0;
	m->mask = slots - 1;
	m->slot = mem;
	forget(m);
	m->begun = from_start;
}

static uint64_t
missing(const struct pace_messages *m, const struct pace_message *e)
{
	uint64_t size = e->size > 0 ? e->size : m->most;

	return size > e->came ? size - e->came : 0;
}

/* last: it is the last message and lacks its last frame. */
static void
close_message(struct pace_messages *m, struct pace_message *e, bool last)
{
	if (e->tag == 0 || e->closed)
		return;
	e->closed = true;
	if (last || (m->cut && e->tag == m->first + 1))
		m->stats.cut++;
	else
		pace_message_close(&m->stats, missing(m, e), e->first_ns, e->last_ns);
}

static void
begin(struct pace_messages *m, const struct pace_message_part *p)
{
	m->begun = true;
	m->cut = p->place > 0;
	m->first = m->high = p->number;
}

static void
open_message(struct pace_messages *m, struct pace_message *e, const struct pace_message_part *p,
    int64_t now_ns)
{
	close_message(m, e, false);
	*e = (struct pace_message){ .tag = p->number + 1, .size = p->size, .first_ns = now_ns };
	m->opened++;
	if (p->number > m->high) {
		m->high = p->number;
		m->top = 0;
	}
}

void
pace_messages_add(struct pace_messages *m, const struct pace_message_part *p, int64_t now_ns)
{
	struct pace_message *e = &m->slot[p->number & m->mask];

	if (!m->begun)
		begin(m, p);
	if (e->tag != p->number + 1) {
		if (e->tag > p->number + 1 || p->number < m->first) {
			m->late++;
			return;
		}
		open_message(m, e, p, now_ns);
	}
	if (e->closed) {
		m->late++;
		return;
	}
	e->came++;
	e->last_ns = now_ns;
	if (p->place >= m->most)
		m->most = p->place + 1;
	if (p->number == m->high && p->place > m->top)
		m->top = p->place;
	if (e->came == e->size)
		close_message(m, e, false);
}

static void
add_lost(struct pace_messages *m, uint64_t all)
{
	uint64_t lost = all > m->opened ? all - m->opened : 0;

	m->stats.lost = lost > COUNT_MAX - m->stats.lost ? COUNT_MAX : m->stats.lost + lost;
}

void
pace_messages_finish(struct pace_messages *m)
{
	for (uint32_t i = 0; i <= m->mask; i++) {
		struct pace_message *e = &m->slot[i];

		close_message(m, e, e->tag == m->high + 1 &&
		    m->top + 1 < (e->size > 0 ? e->size : m->most));
	}
	if (m->begun)
		add_lost(m, m->high - m->first + 1);
	forget(m);
}

void
pace_messages_end(struct pace_messages *m, uint64_t sent)
{
	uint64_t all = sent / m->size + (sent % m->size > 0);
	struct pace_message *last = &m->slot[(all - 1) & m->mask];

	if (all > 0 && last->tag == all)
		last->size = sent - (all - 1) * m->size;
	for (uint32_t i = 0; i <= m->mask; i++)
		close_message(m, &m->slot[i], false);
	add_lost(m, all);
	forget(m);
}
