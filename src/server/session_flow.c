/*
 * The further flows of a session: a client with several streams sends each from a socket of its
 * own.  The listener checks cookie, key, address and policy of each (responder.c).
 */
#include "config.h"

#include "server/session_run.h"

#include <stdlib.h>
#include <string.h>

uint32_t
pace_session_streams(const struct pace_session *s)
{
	return s->run.ask.streams > 1 ? s->run.ask.streams : 1;
}

/* True if a run uses the flows, in either direction. */
static bool
is_streaming(const struct pace_session *s)
{
	return pace_session_streaming(s) || s->state == PACE_SENDING;
}

static void
answer(struct pace_session *s, const struct pace_session_flow *f, uint64_t request)
{
	struct pace_hdr h = { .type = PACE_OPEN, .stream = f->at.stream, .seq = request };

	pace_session_answer_at(s, &f->at.io, &h, NULL);
}

void
pace_session_flow_close(struct pace_session *s, uint32_t stream)
{
	struct pace_session_flow *f = s->flow[stream];

	if (f == NULL)
		return;
	pace_session_drop_capture(s, f);
	pace_receiver_free(f->receiver);
	free(f->result);
	f->at.close(f->at.owner);
	free(f);
	s->flow[stream] = NULL;
}

void
pace_session_join(struct pace_session *s, const struct pace_flow *at)
{
	struct pace_session_flow *f = s->flow[at->stream];
	bool same = f != NULL && pace_addr_same(&f->at.peer, &at->peer);
	bool busy = is_streaming(s) && at->stream < pace_session_streams(s);

	if (at->session != s->id || s->state == PACE_CLOSED || at->stream == 0 || same || busy) {
		at->close(at->owner);
		if (same && at->session == s->id)
			answer(s, f, at->request);
		return;
	}
	pace_session_flow_close(s, at->stream);	/* its client has another port now */
	f = calloc(1, sizeof(*f));
	if (f == NULL) {
		at->close(at->owner);
		return;
	}
	f->at = *at;
	f->opened_ns = s->cfg.io.now(s->cfg.io.ctx);
	s->flow[at->stream] = f;
	if (s->flows <= at->stream)
		s->flows = at->stream + 1u;
	s->heard_ns = s->cfg.io.now(s->cfg.io.ctx);
	answer(s, f, at->request);
}

/* True if a client that restarted sent this OPEN from the flow's port: it has a cookie that this
 * session gave to this port, and the session's key if there is one. */
static bool
is_new_client(const struct pace_session *s, const struct pace_session_flow *f,
    const struct pace_msg_open *m, const struct pace_auth_peer *g, int64_t now)
{
	const struct pace_seal *own = &s->cfg.seal;

	return (!own->on || (g->seal.on && memcmp(g->seal.id, own->id, sizeof(own->id)) == 0)) &&
	    pace_cookie_check(&s->cfg.shared->cookies, &f->at.peer, s->id, now, m->cookie);
}

/*
 * A repeated OPEN is answered.  Anybody can forge another one: only with a cookie it closes the
 * flow, outside of a run, so that its repeats reach the listener.
 */
void
pace_session_flow_opened(struct pace_session *s, struct pace_session_flow *f,
    const struct pace_hdr *h, const struct pace_in *in, int64_t now)
{
	bool same = h->session == s->id && h->stream == f->at.stream;
	struct pace_auth_peer g;
	struct pace_msg_open m;

	if (in->len > in->size || !pace_auth_admits(&s->cfg.shared->auth,
	    pace_keys_wanted(s->cfg.shared, &f->at.peer), h, in->buf, in->len, &g)) {
		pace_session_stray(s);
		return;
	}
	if (pace_open_read(h, in->buf, in->len, &g, &m) != 0)
		pace_session_stray(s);
	else if (same && g.seal.on == s->cfg.seal.on && m.nonce == s->cfg.open.nonce)
		answer(s, f, h->seq);
	else if (!same && is_new_client(s, f, &m, &g, now))
		f->leaves = !is_streaming(s) &&
		    now - f->opened_ns >= PACE_SESSION_LEAST_NS;
	else
		pace_session_stray(s);
	pace_auth_peer_wipe(&g);
}
