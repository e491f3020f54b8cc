/*
 * How it works.  Flows lie in an array, found through a table of slots with open
 * addressing.  The previous frame's flow is tried first, because frames of a stream often
 * follow each other.  A flow's first datagrams are stored, as far as decoders read them,
 * until its format is clear; they are then counted as if they had just arrived.
 */
#include "cap/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cap/stream.h"
#include "cap/sum.h"

#define KEEP		192		/* bytes of payload: more than any header of a format */
#define LARGEST		9216		/* bytes of payload that some link carries in one frame */

struct pace_cap_kept {
	int64_t		now_ns;
	uint32_t	length, line_bytes;
	uint16_t	captured;
	uint8_t		payload[KEEP];
};

/* --- memory ------------------------------------------------------------------------ */

struct pace_cap_table *
pace_cap_table_new(const struct pace_cap_cfg *cfg)
{
	struct pace_cap_table *t = calloc(1, sizeof(*t));
	size_t slots = 16;

	if (t == NULL)
		return NULL;
	t->cfg = *cfg;
	if (t->cfg.flows == 0)
		t->cfg.flows = PACE_CAP_FLOWS;
	if (t->cfg.memory == 0)
		t->cfg.memory = PACE_CAP_MEMORY;
	if (t->cfg.window == 0)
		t->cfg.window = PACE_CAP_WINDOW;
	while (slots < 2 * t->cfg.flows)
		slots *= 2;
	t->mask = slots - 1;
	t->flow = calloc(t->cfg.flows, sizeof(*t->flow));
	t->slots = calloc(slots, sizeof(*t->slots));
	if (t->flow == NULL || t->slots == NULL) {
		pace_cap_table_free(t);
		return NULL;
	}
	return t;
}

void
pace_cap_table_free(struct pace_cap_table *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->flows; i++) {
		struct pace_cap_stream *s = t->flow[i].first, *next;

		for (; s != NULL; s = next) {
			next = s->next;
			pace_cap_stream_free(s);
		}
		free(t->flow[i].kept);
		free(t->flow[i].guess);
	}
	free(t->stream);
	free(t->flow);
	free(t->slots);
	free(t);
}

/* --- flows -------------------------------------------------------------------------- */

static void
make_key(struct pace_cap_key *k, const struct pace_cap_packet *p)
{
	memset(k, 0, sizeof(*k));
	memcpy(k->source, p->source, sizeof(k->source));
	memcpy(k->dest, p->dest, sizeof(k->dest));
	k->source_port = p->datagram.source_port;
	k->dest_port = p->datagram.dest_port;
	k->ip = (uint8_t)p->ip;
}

static size_t
hash(const struct pace_cap_key *k)
{
	uint8_t bytes[sizeof(*k)];
	uint64_t h = UINT64_C(0xcbf29ce484222325), word;

	memcpy(bytes, k, sizeof(bytes));
	for (size_t i = 0; i + sizeof(word) <= sizeof(bytes); i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return (size_t)(h ^ h >> 32);
}

static bool
is_same(const struct pace_cap_key *a, const struct pace_cap_key *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static void
begin_flow(struct pace_cap_table *t, struct pace_cap_flow *f, const struct pace_cap_key *k,
    const struct pace_cap_packet *p)
{
	f->key = *k;
	f->dscp = f->last_dscp = p->dscp;
	f->tags = p->tags;
	f->vlan = p->vlan;
	f->format = t->cfg.format;
	f->plain = f->format == pace_cap_format("plain");
	if (f->format != NULL)
		return;
	f->kept = calloc(PACE_CAP_GUESS, sizeof(*f->kept));
	f->guess = calloc(1, sizeof(*f->guess));
	if (f->kept != NULL && f->guess != NULL) {
		pace_cap_guess_init(f->guess);
		return;
	}
	f->format = pace_cap_format("plain");
	f->plain = true;
}

/* Where it is, or would be. */
static size_t
slot_of(const struct pace_cap_table *t, const struct pace_cap_key *k)
{
	size_t i = hash(k) & t->mask;

	while (t->slots[i] != 0 && !is_same(&t->flow[t->slots[i] - 1].key, k))
		i = (i + 1) & t->mask;
	return i;
}

struct pace_cap_flow *
pace_cap_table_find(const struct pace_cap_table *t, const struct pace_cap_packet *p)
{
	struct pace_cap_key k;
	uint32_t at;

	make_key(&k, p);
	at = t->slots[slot_of(t, &k)];
	return at != 0 ? &t->flow[at - 1] : NULL;
}

/* NULL: there is no room for it. */
static struct pace_cap_flow *
find_flow(struct pace_cap_table *t, const struct pace_cap_packet *p)
{
	struct pace_cap_key k;
	size_t i;

	make_key(&k, p);
	if (t->recent != NULL && is_same(&t->recent->key, &k))
		return t->recent;
	i = slot_of(t, &k);
	if (t->slots[i] != 0)
		return t->recent = &t->flow[t->slots[i] - 1];
	if (t->flows == t->cfg.flows)
		return NULL;
	t->recent = &t->flow[t->flows++];
	t->slots[i] = (uint32_t)t->flows;
	begin_flow(t, t->recent, &k, p);
	return t->recent;
}

/* --- recognising ------------------------------------------------------------------------ */

static void
recognise(struct pace_cap_table *t, struct pace_cap_flow *f)
{
	f->format = pace_cap_guess_best(f->guess);
	f->plain = f->format == pace_cap_format("plain");
	for (size_t i = 0; i < f->n_kept; i++) {
		const struct pace_cap_kept *k = &f->kept[i];
		const struct pace_cap_datagram d = { .payload = k->payload,
		    .captured = k->captured, .length = k->length,
		    .source_port = f->key.source_port, .dest_port = f->key.dest_port };

		pace_cap_stream_add(t, f, &d, &(struct pace_cap_arrival){ k->now_ns,
		    k->line_bytes });
	}
	free(f->kept);
	free(f->guess);
	f->kept = NULL;
	f->guess = NULL;
}

/* --- the capture ----------------------------------------------------------------------- */

static void
add_datagram(struct pace_cap_table *t, const struct pace_cap_packet *p, int64_t now_ns)
{
	struct pace_cap_flow *f = find_flow(t, p);

	t->large += !p->fragmented && p->datagram.length > LARGEST;
	if (f == NULL) {
		t->others++;
		return;
	}
	if (p->datagram.captured < p->datagram.length &&
	    (f->least == 0 || p->datagram.captured < f->least))
		f->least = (uint32_t)p->datagram.captured;
	if (f->frames++ == 0)
		f->first_ns = now_ns;
	f->bytes += p->datagram.length;
	f->line_bytes += p->line_bytes;
	f->dscp_changes += p->dscp != f->last_dscp;
	f->last_dscp = p->dscp;
	if (f->format == NULL) {
		const struct pace_cap_datagram *d = &p->datagram;
		struct pace_cap_kept *k = &f->kept[f->n_kept++];

		k->now_ns = now_ns;
		k->length = (uint32_t)d->length;
		k->line_bytes = p->line_bytes;
		k->captured = (uint16_t)(d->captured < KEEP ? d->captured : KEEP);
		memcpy(k->payload, d->payload, k->captured);
		pace_cap_guess_add(f->guess, d);
		if (f->n_kept == PACE_CAP_GUESS)
			recognise(t, f);
	} else {
		pace_cap_stream_add(t, f, &p->datagram,
		    &(struct pace_cap_arrival){ now_ns, p->line_bytes });
	}
}

static void
count_frame(struct pace_cap_table *t, enum pace_cap_kind kind, const struct pace_cap_frame *f,
    int64_t now_ns)
{
	if (t->frames == 0 || now_ns < t->first_ns)
		t->first_ns = now_ns;
	if (t->frames == 0 || now_ns > t->last_ns)
		t->last_ns = now_ns;
	t->fine |= now_ns % 1000 != 0;
	t->frames++;
	pace_cap_sum(&t->bytes, f->length);	/* 2^32 in 16 bytes of a file */
	t->cut += f->captured < f->length;
	t->kinds[kind]++;
}

void
pace_cap_table_add(struct pace_cap_table *t, enum pace_cap_link link,
    const struct pace_cap_frame *f, int64_t now_ns)
{
	struct pace_cap_packet p;
	enum pace_cap_kind kind = pace_cap_packet(&p, link, f);

	count_frame(t, kind, f, now_ns);
	if (kind == PACE_CAP_UDP)
		add_datagram(t, &p, now_ns);
}

void
pace_cap_table_add_datagram(struct pace_cap_table *t, const struct pace_cap_packet *p,
    size_t frame_bytes, int64_t now_ns)
{
	const struct pace_cap_datagram *d = &p->datagram;

	count_frame(t, PACE_CAP_UDP, &(struct pace_cap_frame){ .length = frame_bytes,
	    .captured = frame_bytes - (d->length - d->captured) }, now_ns);
	add_datagram(t, p, now_ns);
}

struct pace_cap_stream *
pace_cap_table_next(const struct pace_cap_table *t, const struct pace_cap_stream *s)
{
	size_t i = 0;

	if (s != NULL && s->next != NULL)
		return s->next;
	if (s != NULL)
		i = (size_t)(s->flow - t->flow) + 1;
	while (i < t->flows && t->flow[i].first == NULL)
		i++;
	return i < t->flows ? t->flow[i].first : NULL;
}

static int
by_bytes(const void *a, const void *b)
{
	const struct pace_cap_stream *x = *(struct pace_cap_stream *const *)a;
	const struct pace_cap_stream *y = *(struct pace_cap_stream *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

int
pace_cap_table_finish(struct pace_cap_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->flows; i++)
		if (t->flow[i].format == NULL)
			recognise(t, &t->flow[i]);
	t->stream = calloc(t->streams + 1, sizeof(struct pace_cap_stream *));
	if (t->stream == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < t->flows; i++)
		for (struct pace_cap_stream *s = t->flow[i].first; s != NULL; s = s->next) {
			pace_cap_stream_finish(s);
			if (s->frames > 0)
				t->stream[n++] = s;
			else
				s->flow->streams--;
		}
	t->streams = n;
	qsort(t->stream, n, sizeof(struct pace_cap_stream *), by_bytes);
	return 0;
}
