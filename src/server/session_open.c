#include "config.h"

#include "server/session_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --- before a session is open ------------------------------------------------- */

bool
pace_keys_wanted(struct pace_shared *shared, const struct pace_addr *peer)
{
	return shared->keys_required && !pace_rules_invite(shared->rules, peer);
}

/* Refuse a HELLO; the refusal repeats only its number. */
static int
refuse_hello(const char *code, const char *text, uint64_t number, uint8_t *reply, size_t size)
{
	struct pace_hdr h = { .type = PACE_HELLO | PACE_REPLY, .seq = number };
	struct pace_msg_error e = { .wait_ns = 0 };

	snprintf(e.code, sizeof(e.code), "%s", code);
	snprintf(e.text, sizeof(e.text), "%s", text);
	return pace_msg_put(reply, size, &h, pace_msg_error_json(&e), 0);
}

void
pace_hello_judge(struct pace_shared *shared, const struct pace_addr *peer, const uint8_t *buf,
    size_t len, struct pace_hello *m)
{
	bool wanted;
	int rc;

	memset(m, 0, sizeof(*m));
	m->len = len;
	rc = pace_hdr_decode(&m->h, buf, len);
	if (len < PACE_HELLO_SIZE || (rc != 0 && rc != -EPROTONOSUPPORT) ||
	    m->h.type != PACE_HELLO)
		return;
	wanted = pace_keys_wanted(shared, peer);
	if (rc != 0)
		m->answer = wanted && !shared->explain_refusal ? PACE_HELLO_NONE :
		    PACE_HELLO_VERSION;
	else if (pace_auth_admits(&shared->auth, wanted, &m->h, buf, len, &m->auth_peer))
		m->answer = PACE_HELLO_COOKIE;
	else
		m->answer = shared->explain_refusal || !wanted ? PACE_HELLO_KEY : PACE_HELLO_NO_KEY;
}

int
pace_hello_reply(struct pace_shared *shared, const struct pace_addr *peer, uint64_t session,
    int64_t now_ns, const struct pace_hello *m, uint8_t *reply, size_t size)
{
	uint8_t cookie[PACE_COOKIE_SIZE];
	struct pace_hdr h = m->h;
	int n = 0;

	if (m->answer == PACE_HELLO_VERSION)
		n = refuse_hello("version", "this responder speaks udpace protocol 1", m->h.seq,
		    reply, size);
	else if (m->answer == PACE_HELLO_KEY)
		n = refuse_hello("key", m->h.sealed ? "this responder does not know that key" :
		    "this responder wants a key", m->h.seq, reply, size);
	else if (m->answer == PACE_HELLO_COOKIE) {
		pace_cookie_make(&shared->cookies, peer, session, now_ns, cookie);
		h.type |= PACE_REPLY;
		n = pace_seal_put(&m->auth_peer.seal, reply, size,
		    pace_msg_put(reply, size, &h, pace_msg_cookie_json(cookie), 0));
	}
	return n > 0 && (size_t)n <= m->len ? n : 0;
}

/* --- opening and closing ------------------------------------------------------ */

static void
answer_open(struct pace_session *s, uint64_t request)
{
	struct pace_hdr h = { .type = PACE_OPEN, .seq = request };
	struct pace_msg_opened m = { .host_bytes = s->host_size, .reports = true,
	    .light = pace_session_is_light(s) };
	struct pace_usage now;

	s->cfg.io.usage(s->cfg.io.ctx, &now);
	m.clock = now.clock;
	pace_session_answer(s, &h, pace_msg_opened_json(&m));
}

void
pace_session_welcome(struct pace_session *s, uint64_t request)
{
	/* The idle consumption of this host is measured from now to the first run. */
	memset(&s->born, 0, sizeof(s->born));
	s->born_ns = s->cfg.io.energy != NULL ? s->cfg.io.energy(s->cfg.io.ctx, &s->born) : 0;
	s->born_grants = pace_lease_grants(&s->cfg.shared->lease, s->cfg.io.now(s->cfg.io.ctx));
	s->has_idle = false;
	answer_open(s, request);
}

void
pace_session_close(struct pace_session *s, const struct pace_hdr *h, int64_t now)
{
	if (s->state != PACE_CLOSED) {
		s->state = PACE_CLOSED;
		s->end_ns = now + PACE_SESSION_LINGER_NS;
		pace_session_forget(s);
		pace_session_give_up(s);
		pace_lease_leave(&s->cfg.shared->lease, s->id);
		pace_session_over(s, "closed");
		if (s->cfg.place != NULL)
			atomic_store(&s->cfg.place->closed, true);
	}
	pace_session_answer(s, h, NULL);
}

bool
pace_session_leaves(const struct pace_session *s)
{
	return s->cfg.place != NULL && atomic_load(&s->cfg.place->leave);
}

void
pace_session_stray(struct pace_session *s)
{
	atomic_fetch_add_explicit(&s->cfg.shared->strays, 1, memory_order_relaxed);
}

/* --- a client that reconnects from the same port --------------------------- */

void
pace_session_hello(struct pace_session *s, struct pace_session_flow *f, const struct pace_in *in,
    int64_t now)
{
	struct pace_out out = { .buf = s->reply };
	struct pace_hello m;
	int len;

	if (in->len > in->size) {	/* only a part of it was read */
		pace_session_stray(s);
		return;
	}
	pace_hello_judge(s->cfg.shared, &f->at.peer, in->buf, in->len, &m);
	len = pace_hello_reply(s->cfg.shared, &f->at.peer, s->id, now, &m, s->reply,
	    PACE_CONTROL_ROOM);
	pace_auth_peer_wipe(&m.auth_peer);
	/* Anybody can forge this HELLO: the answer is shorter and costs the session nothing. */
	out.len = (size_t)len;
	if (len > 0)
		(void)f->at.io.send(f->at.io.ctx, &out, 1);
}

/*
 * A new client life begins at the listener, which checks key, rule and place as for any client.
 * This session ends without an answer, so that the repeated OPEN reaches the listener.
 */
static void
make_way(struct pace_session *s, int64_t now)
{
	bool unused = pace_session_is_light(s) && s->runs == 0;	/* the client needs a full one */

	if (s->part_ns != 0 || (!unused && now - s->born_at_ns < PACE_SESSION_LEAST_NS))
		return;			/* a repeat may come in time */
	pace_session_over(s, "replaced");
	if (s->cfg.place != NULL)
		atomic_store(&s->cfg.place->replaced, true);
	s->state = PACE_CLOSED;
	s->end_ns = now;
}

/*
 * True if this OPEN is acceptable.  The OPEN that began the session may be repeated, but not as
 * a replay of the same datagram.  Another OPEN must have a nonce that opened no session yet, and
 * only the holder of its key may end a session with a key.
 */
static bool
may_open(struct pace_session *s, const struct pace_hdr *h, const struct pace_msg_open *m,
    const struct pace_auth_peer *g)
{
	const struct pace_seal *own = &s->cfg.seal;

	if (own->on && (!g->seal.on || memcmp(g->seal.id, own->id, sizeof(own->id)) != 0))
		return false;
	if (m->nonce != s->cfg.open.nonce)
		return !g->seal.on || !pace_auth_nonce_used(&s->cfg.shared->auth, m->nonce);
	return g->seal.on == own->on && (!own->on || pace_replay_new(&s->replay, h));
}

void
pace_session_open(struct pace_session *s, const struct pace_hdr *h, const struct pace_in *in,
    int64_t now)
{
	struct pace_shared *shared = s->cfg.shared;
	struct pace_auth_peer auth_peer;
	struct pace_msg_open m;

	if (in->len > in->size || !pace_auth_admits(&shared->auth,
	    pace_keys_wanted(shared, &s->cfg.peer), h, in->buf, in->len, &auth_peer)) {
		pace_session_stray(s);
		return;
	}
	/* An OPEN for a new life needs a cookie of this session, so that a replayed OPEN ends
	 * nothing.  The OPEN that began the session has the listener's cookie. */
	if (pace_open_read(h, in->buf, in->len, &auth_peer, &m) != 0 ||
	    (m.nonce != s->cfg.open.nonce && !pace_cookie_check(&shared->cookies, &s->cfg.peer,
	    s->id, now, m.cookie)) || !may_open(s, h, &m, &auth_peer)) {
		pace_session_stray(s);
	} else if (m.nonce != s->cfg.open.nonce) {
		make_way(s, now);
	} else {
		s->heard_ns = now;
		if (s->state != PACE_CLOSED)
			answer_open(s, h->seq);
	}
	pace_auth_peer_wipe(&auth_peer);
}
