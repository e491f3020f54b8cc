#include "config.h"

#include "server/session_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --- before there is a session ------------------------------------------------ */

bool
pace_keys_wanted(struct pace_shared *shared, const struct pace_addr *peer)
{
	return shared->keys_required && !pace_rules_invite(shared->rules, peer);
}

/* Of a HELLO that is refused no more is taken over than its number. */
static int
refuse_hello(const char *code, const char *text, uint64_t number, uint8_t *reply, size_t size)
{
	struct pace_hdr h = { .type = PACE_HELLO | PACE_REPLY, .seq = number };
	struct pace_msg_error e = { .wait_ns = 0 };

	snprintf(e.code, sizeof(e.code), "%s", code);
	snprintf(e.text, sizeof(e.text), "%s", text);
	return pace_msg_put(reply, size, &h, pace_msg_error_json(&e), 0);
}

static int
cookie_reply(struct pace_shared *shared, const struct pace_addr *peer, uint64_t session,
    int64_t now_ns, const struct pace_hello *m, uint8_t *reply, size_t size)
{
	uint8_t cookie[PACE_COOKIE_SIZE];
	struct pace_hdr h = m->h;

	pace_cookie_make(&shared->cookies, peer, session, now_ns, cookie);
	h.type |= PACE_REPLY;
	return pace_seal_put(&m->auth_peer.seal, reply, size,
	    pace_msg_put(reply, size, &h, pace_msg_cookie_json(cookie), 0));
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
		m->answer = wanted && !shared->polite ? PACE_HELLO_NONE : PACE_HELLO_VERSION;
	else if (pace_auth_admits(&shared->auth, wanted, &m->h, buf, len, &m->auth_peer))
		m->answer = PACE_HELLO_COOKIE;
	else
		m->answer = shared->polite || !wanted ? PACE_HELLO_KEY : PACE_HELLO_NO_KEY;
}

int
pace_hello_reply(struct pace_shared *shared, const struct pace_addr *peer, uint64_t session,
    int64_t now_ns, const struct pace_hello *m, uint8_t *reply, size_t size)
{
	int n = 0;

	if (m->answer == PACE_HELLO_VERSION)
		n = refuse_hello("version", "this responder speaks udpace protocol 1", m->h.seq, reply,
		    size);
	else if (m->answer == PACE_HELLO_KEY)
		n = refuse_hello("key", m->h.sealed ? "this responder does not know that key" :
		    "this responder wants a key", m->h.seq, reply, size);
	else if (m->answer == PACE_HELLO_COOKIE)
		n = cookie_reply(shared, peer, session, now_ns, m, reply, size);
	return n > 0 && (size_t)n <= m->len ? n : 0;
}

/* --- opening and closing ------------------------------------------------------ */

/* What this host uses from now on until the first run is what it uses idle. */
static void
begin_idle(struct pace_session *s)
{
	memset(&s->born, 0, sizeof(s->born));
	s->born_ns = s->cfg.io.energy != NULL ? s->cfg.io.energy(s->cfg.io.ctx, &s->born) : 0;
	s->born_grants = pace_lease_grants(&s->cfg.shared->lease, s->cfg.io.now(s->cfg.io.ctx));
	s->has_idle = false;
}

static void
answer_open(struct pace_session *s, uint64_t request)
{
	struct pace_hdr h = { .type = PACE_OPEN, .seq = request };
	struct pace_msg_opened m = { .host_bytes = s->host_size, .reports = true };
	struct pace_usage now;

	s->cfg.io.usage(s->cfg.io.ctx, &now);
	m.clock = now.clock;
	pace_session_answer(s, &h, pace_msg_opened_json(&m));
}

void
pace_session_welcome(struct pace_session *s, uint64_t request)
{
	begin_idle(s);
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

/* --- a client that comes again from the same port ------------------------- */

void
pace_session_hello(struct pace_session *s, const struct pace_in *in, int64_t now)
{
	struct pace_out out = { .buf = s->reply };
	struct pace_hello m;
	int len;

	pace_hello_judge(s->cfg.shared, &s->cfg.peer, in->buf,
	    in->len < in->size ? in->len : in->size, &m);
	len = pace_hello_reply(s->cfg.shared, &s->cfg.peer, s->id, now, &m, s->reply,
	    sizeof(s->reply));
	pace_auth_peer_wipe(&m.auth_peer);
	/* Anybody can say HELLO in its name: the answer, which is shorter, costs it nothing. */
	out.len = (size_t)len;
	if (len > 0)
		(void)s->cfg.io.send(s->cfg.io.ctx, &out, 1);
}

/*
 * Another client life.  It begins at the listener, which judges it as it does any other
 * (its key, its rule, its place): this session ends, and says nothing, so that the OPEN,
 * sent again, gets there.
 */
static void
make_way(struct pace_session *s, int64_t now)
{
	if (s->part_ns != 0 || now - s->born_at_ns < PACE_SESSION_LEAST_NS)
		return;			/* sent again, it may come in time */
	pace_session_over(s, "replaced");
	if (s->cfg.place != NULL)
		atomic_store(&s->cfg.place->replaced, true);
	s->state = PACE_CLOSED;
	s->end_ns = now;
}

/* An OPEN for another life needs a cookie of this session: an old one that is sent again
 * ends nothing.  The one that began the session has brought its own. */
static bool
said_hello(struct pace_session *s, const struct pace_msg_open *m, int64_t now)
{
	return m->nonce == s->cfg.open.nonce ||
	    pace_cookie_check(&s->cfg.shared->cookies, &s->cfg.peer, s->id, now, m->cookie);
}

/*
 * May this OPEN be taken?  The one that began the session may come again, but not
 * the very datagram; another one must not have opened a session before, and
 * none but the holder of its key ends a session with a key.
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

static void
take_open(struct pace_session *s, const struct pace_hdr *h, const struct pace_msg_open *m,
    int64_t now)
{
	if (m->nonce != s->cfg.open.nonce) {
		make_way(s, now);
		return;
	}
	s->heard_ns = now;
	if (s->state != PACE_CLOSED)
		answer_open(s, h->seq);
}

void
pace_session_open(struct pace_session *s, const struct pace_hdr *h, const struct pace_in *in, int64_t now)
{
	struct pace_shared *shared = s->cfg.shared;
	struct pace_auth_peer auth_peer;
	struct pace_msg_open m;

	if (in->len > in->size || !pace_auth_admits(&shared->auth,
	    pace_keys_wanted(shared, &s->cfg.peer), h, in->buf, in->len, &auth_peer)) {
		pace_session_stray(s);
		return;
	}
	if (pace_open_read(h, in->buf, in->len, &auth_peer, &m) == 0 &&
	    said_hello(s, &m, now) && may_open(s, h, &m, &auth_peer))
		take_open(s, h, &m, now);
	else
		pace_session_stray(s);
	pace_auth_peer_wipe(&auth_peer);
}
