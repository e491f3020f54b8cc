/* One datagram of a flow whose format is known: its stream, and what it adds there. */
#include "cap/stream.h"

#include <stdlib.h>
#include <string.h>

#include "cap/sum.h"
#include "core/wide_time.h"

#define HOUR_NS		INT64_C(3600000000000)

/* Zeroed, within cfg.memory; NULL: there is no more. */
static void *
get(struct pace_cap_table *t, size_t size)
{
	void *p;

	if (size > t->cfg.memory - t->used)
		return NULL;
	p = calloc(1, size);
	if (p != NULL)
		t->used += size;
	return p;
}

/* --- streams ------------------------------------------------------------------------ */

/* The one of this number, made when it is not there; NULL: there is no room for it. */
static struct pace_cap_stream *
find_stream(struct pace_cap_table *t, struct pace_cap_flow *f, uint64_t id)
{
	struct pace_cap_stream *s;

	if (f->recent != NULL && f->recent->id == id)
		return f->recent;
	for (s = f->first; s != NULL && s->id != id; s = s->next)
		;
	if (s == NULL) {
		s = get(t, sizeof(*s));
		if (s == NULL)
			return NULL;
		s->flow = f;
		s->id = id;
		s->next = f->first;
		f->first = s;
		f->streams++;
		t->streams++;
	}
	f->recent = s;
	return s;
}

/* --- one datagram of a stream ---------------------------------------------------------- */

static void
add_frame(struct pace_cap_stream *s, const struct pace_cap_datagram *d,
    const struct pace_cap_arrival *a)
{
	uint32_t size = (uint32_t)d->length;

	if (s->frames == 0) {
		s->order = ++s->flow->begun;
		s->first_ns = a->now_ns;
		s->size_min = s->size_max = size;
	} else {
		int64_t gap = pace_minus(a->now_ns, s->last_ns);

		pace_hist_add(&s->gap, gap);
		s->coalesced += gap >= 0 && gap < PACE_CAP_COALESCED_NS;
		s->backwards += gap < 0;
	}
	s->last_ns = a->now_ns;
	s->size_min = size < s->size_min ? size : s->size_min;
	s->size_max = size > s->size_max ? size : s->size_max;
	s->frames++;
}

static void
add_bytes(struct pace_cap_stream *s, const struct pace_cap_datagram *d,
    const struct pace_cap_arrival *a)
{
	if (s->bytes == 0 && s->line_bytes == 0) {
		s->first_bytes = d->length;
		s->first_line_bytes = a->line_bytes;
	}
	s->bytes += d->length;
	s->line_bytes += a->line_bytes;
}

/* Its first number; false: there is no room for it. */
static bool
begin_numbers(struct pace_cap_table *t, struct pace_cap_stream *s, const struct pace_cap_mark *m)
{
	const struct pace_cap_format *f = s->flow->format;

	s->seq = get(t, sizeof(*s->seq) + pace_seq_memory(t->cfg.window));
	if (s->seq == NULL)
		return false;
	(void)pace_seq_init(s->seq, t->cfg.window, UINT64_MAX, s->seq + 1);
	pace_cap_unwrap_init(&s->unwrap, m->modulus);
	s->from_start = f->begins && m->seq >= f->first && m->seq - f->first < PACE_CAP_BEGIN;
	s->origin = INT64_MIN;		/* until its number is known */
	return true;
}

/* Unwrap a stamp: the possible value that is nearest to the last one. */
static int64_t
unwrap_transit(int64_t transit, int64_t last, int64_t wraps)
{
	int64_t step = pace_minus(transit, last) % wraps;

	if (step > wraps / 2)
		step -= wraps;
	else if (step < -(wraps / 2))
		step += wraps;
	return (int64_t)((uint64_t)last + (uint64_t)step);
}

/* RFC 3550 6.4.1, from unique datagrams in order of arrival. */
static void
add_delay(struct pace_cap_table *t, struct pace_cap_stream *s, const struct pace_cap_mark *m,
    int64_t now_ns)
{
	int64_t transit = pace_minus(now_ns, m->time_ns), from_base, step;
	struct pace_cap_delays *d = s->delays;
	double size;

	if (d == NULL) {
		d = s->delays = get(t, sizeof(*d));
		if (d != NULL) {
			d->base_ns = d->last_ns = transit;
			pace_hist_add(&d->transit, 0);
		}
		return;
	}
	if (m->time_wraps_ns > 0)
		transit = unwrap_transit(transit, d->last_ns, m->time_wraps_ns);
	from_base = pace_minus(transit, d->base_ns);
	if (from_base > HOUR_NS || from_base < -HOUR_NS) {
		d->absurd++;
		return;
	}
	step = pace_minus(transit, d->last_ns);
	d->last_ns = transit;
	pace_hist_add(&d->transit, from_base);
	pace_hist_add(&d->ipdv, step);
	size = step < 0 ? -(double)step : (double)step;
	d->jitter_ns += (size - d->jitter_ns) / 16;
	if (d->jitter_ns > d->jitter_max_ns)
		d->jitter_max_ns = d->jitter_ns;
}

/* The sender counts from its format's first number on.  If its numbers restart, so do messages. */
static void
note_start(struct pace_cap_stream *s, uint64_t seq, uint64_t at)
{
	const uint64_t first = s->flow->format->first;

	if (s->messages != NULL)
		pace_messages_finish(s->messages);
	s->has_message = false;
	s->shift = (seq > first ? seq - first : 0) - at;
}

/* Its place in the stream's own count from 0; false: it has none, which is counted. */
static bool
place(struct pace_cap_stream *s, uint64_t seq, uint64_t *at)
{
	enum pace_cap_unwrapped how;
	bool starts;
	int64_t number;

	how = pace_cap_unwrap(&s->unwrap, seq, &number);
	if (how == PACE_CAP_STRAY)
		return false;
	starts = how == PACE_CAP_RESTARTED || s->origin == INT64_MIN;
	if (s->origin == INT64_MIN)
		s->origin = s->from_start ? (int64_t)s->flow->format->first : number;
	if (number < s->origin) {
		s->early++;
		return false;
	}
	*at = (uint64_t)number - (uint64_t)s->origin;
	if (starts)
		note_start(s, seq, *at);
	return true;
}

/* The format states the number of the message: does it follow from the frames so far?  Each message
 * has at least one frame, and a forged header must not add any number of lost ones.  Some in a row
 * that do not follow are the true ones, and messages begin anew. */
static bool
message_follows(struct pace_cap_stream *s, const struct pace_cap_mark *m, uint64_t at)
{
	const bool newer = at > s->message_at;

	if (s->has_message && (newer ? m->message < s->message ||
	    m->message - s->message > at - s->message_at : m->message > s->message)) {
		if (++s->odd_messages < PACE_CAP_UNWRAP_AHEAD)
			return false;
		pace_messages_finish(s->messages);
		s->has_message = false;
	}
	s->odd_messages = 0;
	if (newer || !s->has_message) {
		s->has_message = true;
		s->message = m->message;
		s->message_at = at;
	}
	return true;
}

/* Room for messages; without it there are none. */
static void
begin_messages(struct pace_cap_table *t, struct pace_cap_stream *s)
{
	const uint64_t size = t->cfg.message;
	uint32_t slots = size > 0 ? pace_messages_slots(t->cfg.window, size) : PACE_CAP_MESSAGES;

	s->messages = get(t, sizeof(*s->messages) + pace_messages_memory(slots));
	if (s->messages != NULL)
		pace_messages_init(s->messages, slots, size, size > 0 && s->from_start,
		    s->messages + 1);
}

/* A unique frame with a number, at its place in the stream. */
static void
add_message(struct pace_cap_table *t, struct pace_cap_stream *s, const struct pace_cap_mark *m,
    uint64_t at, int64_t now_ns)
{
	if (t->cfg.message == 0 && !m->has_message)
		return;
	if (s->messages == NULL)
		begin_messages(t, s);
	if (s->messages == NULL) {
		s->without_message++;
		return;
	}
	if (t->cfg.message > 0 && at + s->shift <= INT64_MAX)	/* not before the restart */
		pace_messages_frame(s->messages, at + s->shift, now_ns);
	else if (t->cfg.message == 0 && message_follows(s, m, at))
		pace_messages_add(s->messages, &(struct pace_message_part){ m->message,
		    m->message_place, m->message_frames }, now_ns);
	else
		s->messages->late++;
}

/* Use the other fields of the sender's header, for a datagram that counts. */
static void
add_unique(struct pace_cap_table *t, struct pace_cap_stream *s,
    const struct pace_cap_datagram *d, const struct pace_cap_mark *m,
    const struct pace_cap_arrival *a)
{
	add_bytes(s, d, a);
	if (m->has_time)
		add_delay(t, s, m, a->now_ns);
	if (m->has_heap && s->heaps == NULL) {
		s->heaps = get(t, sizeof(*s->heaps));
		if (s->heaps != NULL)
			pace_cap_heaps_init(s->heaps);
	}
	if (m->has_heap && s->heaps != NULL)
		pace_cap_heaps_add(s->heaps, m, a->now_ns);
}

static void
add_number(struct pace_cap_table *t, struct pace_cap_stream *s,
    const struct pace_cap_datagram *d, const struct pace_cap_mark *m,
    const struct pace_cap_arrival *a)
{
	enum pace_seq_kind kind;
	uint64_t at;

	if (s->seq == NULL && !begin_numbers(t, s, m)) {
		s->flow->untracked++;
		return;
	}
	if (!place(s, m->seq, &at))
		return;
	kind = pace_seq_add(s->seq, at, a->now_ns);
	if (kind == PACE_SEQ_BEYOND || kind == PACE_SEQ_REFUSED)
		return;
	add_frame(s, d, a);
	if (kind == PACE_SEQ_DUPLICATE)
		return;
	add_unique(t, s, d, m, a);
	add_message(t, s, m, at, a->now_ns);
}

/* An end without a number does not give the number of frames; the numbering restarts with the
 * next frame, even if its number is larger. */
static void
end_stream(struct pace_cap_stream *s, const struct pace_cap_mark *m)
{
	uint64_t at;

	if (!m->has_seq) {
		pace_cap_unwrap_end(&s->unwrap);
		return;
	}
	if (s->seq != NULL && !s->ended && place(s, m->seq, &at))
		s->end = at;
	s->ended = true;
}

void
pace_cap_stream_add(struct pace_cap_table *t, struct pace_cap_flow *f,
    const struct pace_cap_datagram *d, const struct pace_cap_arrival *a)
{
	struct pace_cap_mark m = { .stream = 0 };
	struct pace_cap_stream *s;

	if (!f->plain) {
		if (!f->format->mark(t->cfg.rule, d, &m) ||
		    !(m.has_seq || m.has_heap || m.last)) {
			f->unnumbered++;
			return;
		}
		f->unnumbered += m.last;
	}
	s = find_stream(t, f, m.stream);
	if (s == NULL) {
		f->untracked++;
	} else if (m.last) {
		end_stream(s, &m);
	} else if (m.has_seq) {
		add_number(t, s, d, &m, a);
	} else {
		add_frame(s, d, a);
		if (f->plain)
			add_bytes(s, d, a);
		else
			add_unique(t, s, d, &m, a);
	}
}

uint64_t
pace_cap_stream_lost(const struct pace_cap_stream *s)
{
	return s->seq != NULL ? s->seq->next - s->seq->unique : 0;
}

/* If the sender said where it ended, all messages from the first on are known. */
static void
finish_messages(struct pace_cap_stream *s)
{
	if (s->messages->size > 0 && s->ended && s->from_start && s->restarts == 0)
		pace_messages_end(s->messages, s->seq->next);
	else
		pace_messages_finish(s->messages);
}

void
pace_cap_stream_finish(struct pace_cap_stream *s)
{
	s->outliers = s->unwrap.outliers;
	s->restarts = s->unwrap.restarts;
	if (s->seq != NULL)
		(void)pace_seq_finish(s->seq, s->end > s->seq->next ? s->end :
		    s->seq->next);
	if (s->heaps != NULL)
		pace_cap_heaps_finish(s->heaps);
	if (s->messages != NULL)
		finish_messages(s);
}

void
pace_cap_stream_free(struct pace_cap_stream *s)
{
	free(s->seq);
	free(s->delays);
	free(s->heaps);
	free(s->messages);
	free(s);
}
