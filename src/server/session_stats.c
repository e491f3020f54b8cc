#include "config.h"

#include "server/session_stats.h"

#include <string.h>

#define TRIES	64
#define MOVING	(offsetof(struct pace_session_stats, heard_ns) / 8)	/* first word of it */

_Static_assert(offsetof(struct pace_session_stats, heard_ns) % 8 == 0, "posted by whole words");
_Static_assert(sizeof(struct pace_session_stats) % 8 == 0, "posted by whole words");
_Static_assert(sizeof(struct pace_shapes) % 8 == 0, "posted by whole words");
_Static_assert(sizeof(struct pace_stream_stats) % 8 == 0, "posted by whole words");

/*
 * A word is stored after edition became odd, and a reader that loads the new word also sees the
 * odd edition: each store releases, each load acquires.  On x86 these are plain instructions.
 */
struct paper {
	_Atomic uint64_t *edition, *word;
	size_t		first, n;	/* words; those before first stay */
};

static void
post(const struct paper *p, const void *from)
{
	uint64_t e = atomic_load_explicit(p->edition, memory_order_relaxed), word;

	atomic_store_explicit(p->edition, e + 1, memory_order_relaxed);
	for (size_t i = p->first; i < p->n; i++) {
		memcpy(&word, (const char *)from + i * 8, 8);
		atomic_store_explicit(&p->word[i], word, memory_order_release);
	}
	atomic_store_explicit(p->edition, e + 2, memory_order_release);
}

/* words: room for a copy, which is complete before it is returned. */
static bool
copy(const struct paper *p, uint64_t *words, void *to)
{
	uint64_t e;

	for (int i = 0; i < TRIES; i++) {
		e = atomic_load_explicit(p->edition, memory_order_acquire);
		for (size_t k = 0; k < p->n; k++)
			words[k] = atomic_load_explicit(&p->word[k], memory_order_acquire);
		if (e % 2 == 0 &&
		    atomic_load_explicit(p->edition, memory_order_relaxed) == e) {
			memcpy(to, words, p->n * 8);
			return true;
		}
	}
	return false;
}

void
pace_stats_page_post(struct pace_stats_page *w, const struct pace_session_stats *v, bool all)
{
	const struct paper p = { &w->edition, w->word, all ? 0 : MOVING, PACE_SESSION_STATS_WORDS };

	post(&p, v);
}

bool
pace_stats_page_read(struct pace_stats_page *w, struct pace_session_stats *v)
{
	const struct paper p = { &w->edition, w->word, 0, PACE_SESSION_STATS_WORDS };
	uint64_t words[PACE_SESSION_STATS_WORDS];

	return copy(&p, words, v);
}

void
pace_stats_page_want(struct pace_stats_page *w, bool wanted)
{
	atomic_store_explicit(&w->wanted, wanted, memory_order_relaxed);
}

bool
pace_stats_page_wanted(struct pace_stats_page *w)
{
	return atomic_load_explicit(&w->wanted, memory_order_relaxed);
}

void
pace_stats_page_post_shapes(struct pace_stats_page *w, const struct pace_shapes *s)
{
	const struct paper p = { &w->shapes_edition, w->shapes_word, 0, PACE_SHAPES_WORDS };

	post(&p, s);
}

bool
pace_stats_page_read_shapes(struct pace_stats_page *w, struct pace_shapes *s)
{
	const struct paper p = { &w->shapes_edition, w->shapes_word, 0, PACE_SHAPES_WORDS };
	uint64_t words[PACE_SHAPES_WORDS];

	return copy(&p, words, s);
}

void
pace_stream_page_post(struct pace_stream_page *w, const struct pace_stream_stats *v)
{
	const struct paper p = { &w->edition, w->word, 0, PACE_STREAM_STATS_WORDS };

	post(&p, v);
}

bool
pace_stream_page_read(struct pace_stream_page *w, struct pace_stream_stats *v)
{
	const struct paper p = { &w->edition, w->word, 0, PACE_STREAM_STATS_WORDS };
	uint64_t words[PACE_STREAM_STATS_WORDS];

	return copy(&p, words, v);
}

void
pace_stats_page_turn(struct pace_stats_page *w)
{
	atomic_fetch_add_explicit(&w->turn, 1, memory_order_relaxed);
}

/* --- recent --- */

static uint64_t
turn_now(const struct pace_stats_page *w)
{
	return w == NULL ? 0 : atomic_load_explicit(&w->turn, memory_order_relaxed);
}

static void
add(struct pace_stats_page *w, struct pace_session_stats *v, const struct pace_recent *batch,
    uint64_t turn)
{
	if (v->recent.turn != turn)
		pace_recent_none(&v->recent);
	v->recent.turn = turn;
	pace_recent_add(&v->recent, batch);
	if (w != NULL)
		pace_stats_page_post(w, v, false);
}

void
pace_stats_page_add(struct pace_stats_page *w, struct pace_session_stats *v,
    const struct pace_recent *batch)
{
	uint64_t turn = turn_now(w);

	add(w, v, batch, turn);
	/* The reader took recent meanwhile; it may or may not have seen this batch. */
	if (turn_now(w) != turn)
		add(w, v, batch, turn_now(w));
}
