/*
 * Fuzzes arbitrary captured datagrams: every decoder, the recognition of a flow's format, and the
 * use of sequence numbers, heaps and keys.
 *
 *   byte    length of a --sequence rule (below 128), and the rule; 128 added: with
 *           matching, whose memory takes long to clear
 *   then    datagrams: 2 bytes length as sent, 1 byte captured length, those bytes
 *
 * The memory of a datagram ends where its bytes end.  Checks: a mark is within its modulus and is
 * the same each time; `fits` is from 0 to 100, and only datagrams that fit have a mark; a datagram
 * that is recognised stays recognised with more captured bytes; heaps, numbers and matches keep
 * the promises of their headers.
 */
#include "cap/format.h"
#include "cap/heaps.h"
#include "cap/match.h"
#include "cap/unwrap.h"
#include "fuzz.h"

#define WINDOW	256

struct reader {
	const uint8_t	*p;
	size_t		left;
};

/* All that one input fills. */
static struct world {
	struct pace_cap_rule rule;
	bool		has_rule;
	struct pace_cap_guess guess;
	struct pace_cap_unwrap unwrap[PACE_CAP_FORMATS];
	bool		begun[PACE_CAP_FORMATS];
	struct pace_cap_heaps heaps;
	struct pace_messages messages;	/* of frames that may come twice */
	struct pace_message slot[4];
	struct pace_cap_match *match;	/* NULL: without */
	unsigned	n;
} *world;

static size_t
take(struct reader *r, size_t n)		/* so many, or what there is */
{
	n = n < r->left ? n : r->left;
	r->p += n;
	r->left -= n;
	return n;
}

static void
read_rule(struct reader *r)
{
	struct pace_cap_rule *rule = &world->rule;
	struct pace_err err = { 0 };
	char text[128];
	size_t n;

	if (r->left == 0)
		return;
	n = r->p[0] & 127;
	take(r, 1);
	n = take(r, n);
	memcpy(text, r->p - n, n);
	text[n] = '\0';
	world->has_rule = pace_cap_rule_parse(text, rule, &err) == 0;
	MUST(world->has_rule || (err.code != 0 && rule->bytes == 0));
	MUST(!world->has_rule || (rule->bytes >= 1 && rule->bytes <= 8));
}

static void
check_mark(const struct pace_cap_mark *m)
{
	MUST(m->has_seq || (m->seq == 0 && m->modulus == 0));
	MUST(m->modulus == 0 || m->seq < m->modulus);
	MUST(m->has_time || m->time_ns == 0);
	MUST(!(m->has_seq && m->has_heap));
	MUST(m->has_heap || (m->heap | m->heap_size | m->heap_offset | m->heap_bytes) == 0);
	MUST(m->heap_bytes <= 65535);
	MUST(m->has_seq || !m->has_message);
	MUST(m->has_message || (m->message | m->message_place | m->message_frames) == 0);
	MUST(m->message_frames == 0 || m->message_place < m->message_frames);
}

static bool
same(const struct pace_cap_mark *a, const struct pace_cap_mark *b)
{
	return a->stream == b->stream && a->has_seq == b->has_seq && a->seq == b->seq &&
	    a->modulus == b->modulus && a->time_ns == b->time_ns && a->last == b->last &&
	    a->heap == b->heap && a->heap_offset == b->heap_offset;
}

static void
number(size_t i, const struct pace_cap_mark *m)
{
	struct pace_cap_unwrap *u = &world->unwrap[i];
	uint64_t outliers = u->outliers, restarts = u->restarts;
	int64_t top = u->top, at = -1;

	if (!world->begun[i])
		pace_cap_unwrap_init(u, m->modulus);
	switch (pace_cap_unwrap(u, m->seq, &at)) {
	case PACE_CAP_NUMBERED:
		MUST(u->outliers == outliers && u->restarts == restarts);
		MUST(at <= u->top && (u->top == top || u->top == at));
		MUST(at >= u->top - (INT64_C(1) << 32));
		break;
	case PACE_CAP_RESTARTED:
		MUST(u->restarts == restarts + 1 && at == top + 1 && u->top == at);
		break;
	case PACE_CAP_STRAY:
		MUST(u->outliers == outliers + 1 && at == -1 && u->top == top);
		break;
	}
	MUST(!world->begun[i] || u->top >= top);
	world->begun[i] = true;
	if (m->last)
		pace_cap_unwrap_end(u);
}

static void
match(const struct pace_cap_datagram *d, const struct pace_cap_mark *m)
{
	uint64_t key = pace_cap_match_key(d, m, PACE_CAP_MATCH_BYTES);

	if (world->match == NULL || d->captured == 0)
		return;
	if (d->payload[d->captured - 1] % 4 != 0)
		pace_cap_match_sent(world->match, key, world->n);
	if (d->payload[d->captured - 1] % 4 != 1)
		pace_cap_match_received(world->match, key, &(struct pace_cap_came){
		    world->n + 7, (uint32_t)d->length, (uint32_t)d->length });
}

static void
try_format(size_t i, const struct pace_cap_format *f, const struct pace_cap_datagram *d)
{
	const struct pace_cap_rule *rule = world->has_rule ? &world->rule : NULL;
	int fits = f->fits(d);
	struct pace_cap_mark m, again;
	bool good;

	memset(&m, 0x5a, sizeof(m));
	memset(&again, 0xa5, sizeof(again));
	good = f->mark(rule, d, &m);
	MUST(fits >= 0 && fits <= 100);
	MUST(f->mark(rule, d, &again) == good);
	MUST(rule != NULL || !good || fits > 0 || strcmp(f->name, "plain") == 0);
	if (!good)
		return;
	check_mark(&m);
	MUST(same(&m, &again));
	if (m.has_seq)
		number(i, &m);
	pace_cap_heaps_add(&world->heaps, &m, 0);
	if (m.has_message)
		pace_messages_add(&world->messages, &(struct pace_message_part){ m.message,
		    m.message_place, m.message_frames }, (int64_t)world->n);
	match(d, &m);
}

/* Cut, and cut by one byte less. */
static void
try_datagram(const uint8_t *p, size_t captured, size_t length)
{
	uint8_t *exact = fuzz_exact(p, captured);
	struct pace_cap_datagram d = { exact, captured, length, 5001, 5004 };
	size_t n;
	const struct pace_cap_format *f = pace_cap_formats(&n);

	for (size_t i = 0; i < n; i++)
		try_format(i, &f[i], &d);
	pace_cap_guess_add(&world->guess, &d);
	free(exact);
	if (captured > 0) {
		exact = fuzz_exact(p, captured - 1);
		d.payload = exact;
		d.captured = captured - 1;
		for (size_t i = 0; i < n; i++)
			MUST(f[i].fits(&d) >= 0);
		free(exact);
	}
	world->n++;
}

static void
read_datagrams(struct reader *r)
{
	while (r->left >= 3) {
		size_t length = (size_t)r->p[0] << 8 | r->p[1], captured = r->p[2];

		take(r, 3);
		captured = take(r, captured < length ? captured : length);
		try_datagram(r->p - captured, captured, length);
	}
}

static void
check_heaps(struct pace_cap_heaps *h)
{
	MUST(h->pieces == h->used + h->duplicates + h->late + h->absurd);
	pace_cap_heaps_finish(h);
	MUST(h->heaps == h->stats.complete + h->stats.incomplete + h->size_unknown);
	MUST(pace_cap_heaps_lost(h) <= 17 * (h->heaps + 1));
	MUST(pace_cap_heaps_datagram_loss(h) >= 0 && pace_cap_heaps_datagram_loss(h) <= 1);
	MUST(h->bytes + h->duplicate_bytes <= h->pieces * 65535);
}

static void
check_messages(struct pace_messages *m)
{
	const struct pace_message_stats *s = &m->stats;

	pace_messages_finish(m);
	MUST(s->complete + s->incomplete + s->cut + m->late <= 8 * (uint64_t)world->n);
	MUST(s->missing.stats.n == s->incomplete && s->span.stats.n == s->complete);
	MUST(s->incomplete == 0 || s->missing.stats.min > 0);
}

static void
check_match(struct pace_cap_match *m)
{
	pace_cap_match_finish(m);
	MUST(m->sent == m->matched + m->ambiguous + m->seq.lost);
	MUST(m->received == m->matched + m->duplicates + m->foreign);
	MUST(m->before_first + m->after_last <= m->seq.lost);
	MUST(m->foreign_before_first + m->foreign_after_last <= m->foreign);
}

static void *
begin_match(void)
{
	void *mem = malloc(pace_cap_match_memory(WINDOW));

	world->match = malloc(sizeof(*world->match));
	MUST(mem != NULL && world->match != NULL);
	MUST(pace_cap_match_init(world->match, &(struct pace_cap_match_cfg){ .window = WINDOW },
	    mem) == 0);
	return mem;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader r = { data, size };
	void *mem = NULL;

	world = calloc(1, sizeof(*world));
	MUST(world != NULL);
	pace_cap_guess_init(&world->guess);
	pace_cap_heaps_init(&world->heaps);
	pace_messages_init(&world->messages, 4, 0, false, world->slot);
	if (size > 0 && data[0] >= 128)
		mem = begin_match();
	read_rule(&r);
	read_datagrams(&r);
	MUST(pace_cap_format(pace_cap_guess_best(&world->guess)->name) != NULL);
	check_heaps(&world->heaps);
	check_messages(&world->messages);
	if (world->match != NULL)
		check_match(world->match);
	free(world->match);
	free(world);
	free(mem);
	return 0;
}
