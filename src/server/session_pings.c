/*
 * The requests of a run of exchanges that arrived: FINISH reports them, so that its client can
 * attribute a lost round trip to a direction.  A light session counts in the memory that its
 * streams use; a full one allocates the memory with its first such run.
 */
#include "config.h"

#include "server/session_run.h"

#include <errno.h>
#include <stdlib.h>

#include "core/seq.h"

#define WINDOW	256

struct pace_session_pings {
	struct pace_seq	seq;		/* of number - base */
	uint64_t	base;
	bool		begun;
	uint64_t	unanswered;
	uint64_t	window[];
};

size_t
pace_session_pings_size(void)
{
	return sizeof(struct pace_session_pings) + pace_seq_lean_memory(WINDOW);
}

int
pace_session_pings_begin(struct pace_session *s, const struct pace_msg_start *m)
{
	if (pace_session_is_light(s)) {
		s->light = NULL;
		s->asked = (void *)(s + 1);
	} else if (s->asked == NULL && (s->asked = malloc(pace_session_pings_size())) == NULL) {
		return -ENOMEM;
	}
	s->asked->begun = false;
	s->asked->unanswered = 0;
	return pace_seq_init_lean(&s->asked->seq, WINDOW, m->ask.count + WINDOW, s->asked->window);
}

/* Numbers continue through a session: the first one that arrives may follow lost ones. */
bool
pace_session_pings_take(struct pace_session *s, const struct pace_hdr *h, size_t len)
{
	struct pace_session_pings *a = s->asked;
	uint64_t unique;

	if (s->state != PACE_PINGING || s->seen.run.ended_ns != 0 || h->run != s->run_number ||
	    h->stream != 0 || len != s->run.ask.size_bytes)
		return false;
	if (!a->begun)
		a->base = h->seq - WINDOW;
	a->begun = true;
	unique = a->seq.unique;
	(void)pace_seq_add(&a->seq, h->seq - a->base, 0);
	return a->seq.unique > unique;
}

void
pace_session_pings_unanswered(struct pace_session *s)
{
	s->asked->unanswered++;
}

void
pace_session_pings_tell(const struct pace_session *s, struct pace_msg_ready *m)
{
	const struct pace_session_pings *a = s->asked;

	if (s->state != PACE_PINGING || a->seq.beyond > 0)
		return;
	m->has_requests = true;
	m->requests = (struct pace_request_counts){ .arrived = a->seq.unique,
	    .duplicates = a->seq.duplicates, .reordered = a->seq.reordered,
	    .unanswered = a->unanswered };
}
