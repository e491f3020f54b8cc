/*
 * A run of TCP: the host accepts the connections and moves the bytes in a thread of its own, and the
 * session judges them by its rules, as those of a stream.  Requests go by UDP.
 */
#include "config.h"

#include "server/session_run.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "proto/tcp_hello.h"

#define STOP_NS		INT64_C(3000000000)	/* from a FINISH that stops the run to its end */
#define LATE_NS		INT64_C(8000000000)	/* from another FINISH to its end */

struct pace_session_tcp {
	struct pace_tcp_run *run;
	uint8_t		secret[PACE_TCP_SECRET];	/* as in the reply to START */
	uint64_t	in_bytes, out_bytes;	/* that were judged */
	int64_t		until_ns;	/* it ends then at the latest; 0: no FINISH came */
	bool		stopped;
};

int
pace_session_tcp_begin(struct pace_session *s, const struct pace_msg_start *m)
{
	const struct pace_tcp_host *host = s->cfg.tcp;
	struct pace_session_tcp *t = calloc(1, sizeof(*t));
	uint8_t key[PACE_TCP_SECRET];
	int rc;

	if (t == NULL)
		return -ENOMEM;
	randombytes_buf(t->secret, sizeof(t->secret));
	memcpy(key, t->secret, sizeof(key));
	pace_tcp_hello_key(&s->cfg.seal, key);
	rc = host->begin(host->ctx, &m->tcp, &s->cfg.peer, s->id, s->run_number, key, &t->run);
	sodium_memzero(key, sizeof(key));
	if (rc < 0)
		free(t);
	else
		s->tcp = t;
	return rc;
}

const uint8_t *
pace_session_tcp_secret(const struct pace_session *s)
{
	return s->tcp->secret;
}

void
pace_session_tcp_free(struct pace_session *s)
{
	struct pace_session_tcp *t = s->tcp;

	if (t == NULL)
		return;
	s->cfg.tcp->end(s->cfg.tcp->ctx, t->run);
	sodium_memzero(t->secret, sizeof(t->secret));
	free(t);
	s->tcp = NULL;
}

static void
stop(struct pace_session *s)
{
	if (!s->tcp->stopped)
		s->cfg.tcp->engine->stop(s->tcp->run);
	s->tcp->stopped = true;
}

void
pace_session_tcp_look(struct pace_session *s, int64_t now)
{
	struct pace_session_tcp *t = s->tcp;
	struct pace_tcp_counts c;
	struct pace_traffic l = { .frames = 0 };
	const uint32_t in = pace_tcp_segment(&s->run.tcp, false);
	const uint32_t out = pace_tcp_segment(&s->run.tcp, true);

	if (t == NULL)
		return;
	s->cfg.tcp->engine->look(t->run, &c);
	l.bytes = c.in_bytes - t->in_bytes;
	l.out_bytes = c.out_bytes - t->out_bytes;
	l.frames = (l.bytes + in - 1) / in;
	l.out_frames = (l.out_bytes + out - 1) / out;
	s->seen.this_run.tcp_bytes = c.in_bytes;
	s->seen.this_run.tcp_sent_bytes = c.out_bytes;
	s->seen.this_run.tcp_retransmits = c.retransmits;
	s->seen.tcp_rtt_ns = c.rtt_ns;
	t->in_bytes = c.in_bytes;
	t->out_bytes = c.out_bytes;
	if (!pace_run_limiter_count(&s->limiter, &l, now, pace_session_wall(s)))
		pace_session_cut(s);		/* this frees the run */
}

bool
pace_session_tcp_over(struct pace_session *s, bool asked_to_stop, int64_t now)
{
	struct pace_session_tcp *t = s->tcp;
	int64_t until_ns = now + (asked_to_stop ? STOP_NS : LATE_NS);
	struct pace_tcp_counts c;

	if (t->until_ns == 0 || until_ns < t->until_ns)
		t->until_ns = until_ns;
	if (asked_to_stop)
		stop(s);
	s->cfg.tcp->engine->look(t->run, &c);
	return c.over || now >= t->until_ns;
}

const struct pace_tcp_side *
pace_session_tcp_side(struct pace_session *s)
{
	const struct pace_tcp_host *host = s->cfg.tcp;

	return host->side(host->ctx, s->tcp->run);
}
