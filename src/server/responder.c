#include "config.h"

#include "proto/random.h"
#include "server/responder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
pace_responder_init(struct pace_responder *r, int sessions, int lights)
{
	memset(r, 0, sizeof(*r));
	pace_lease_init(&r->shared.lease);
	pace_auth_init(&r->shared.auth);
	r->buffers = malloc((size_t)PACE_RESPONDER_BATCH * PACE_CONTROL_ROOM);
	if (pace_places_init(&r->places, sessions) < 0 ||
	    pace_lights_init(&r->lights, lights) < 0 || r->buffers == NULL)
		return -ENOMEM;
	r->lights.io = &r->io;
	if (pace_credit_pool_init(&r->shared.credit_pool) < 0 ||
	    pace_reply_limit_init(&r->reply_limit) < 0)
		return -EIO;
	return pace_cookies_init(&r->shared.cookies);
}

void
pace_responder_free(struct pace_responder *r)
{
	pace_lights_done(&r->lights);
	pace_places_done(&r->places);
	pace_auth_free(&r->shared.auth);
	free(r->buffers);
	r->buffers = NULL;
}

int
pace_responder_strangers(int max_sessions)
{
	return max_sessions == 1 ? 1 : max_sessions - (max_sessions + 3) / 4;
}

/* --- answers --------------------------------------------------------------- */

static void
send_back(struct pace_responder *r, const struct pace_in *in, const uint8_t *buf, int len)
{
	struct pace_out out = { .buf = buf, .len = (size_t)len, .to = in->from,
	    .from = in->local };

	if (len > 0)
		(void)r->io.send(r->io.ctx, &out, 1);
}

/* Answer a client with or without a tag, as in its request; only if the answer is no larger. */
static void
tell(struct pace_responder *r, const struct pace_in *in, const struct pace_hdr *request,
    const struct pace_auth_peer *g, const char *code, const char *text)
{
	struct pace_msg_error e = { .wait_ns = 0 };
	struct pace_hdr h = *request;
	uint8_t buf[512];
	int len;

	snprintf(e.code, sizeof(e.code), "%s", code);
	snprintf(e.text, sizeof(e.text), "%s", text);
	h.type |= PACE_REPLY;
	h.sealed = g->seal.on;
	len = pace_seal_put(&g->seal, buf, sizeof(buf),
	    pace_msg_put(buf, sizeof(buf), &h, pace_msg_error_json(&e), 0));
	if (len > 0 && (size_t)len <= in->len)
		send_back(r, in, buf, len);
	pace_observer_notify(&r->shared.observer,
	    &(struct pace_session_event){ .kind = PACE_SESSION_EVENT_REFUSED, .peer = &in->from,
	    .code = code, .text = text });
}

/* True if an answer may be sent now; otherwise count it.  It counts for the key of a valid tag. */
static bool
affords(struct pace_responder *r, enum pace_reply_limit_kind kind, const struct pace_in *in,
    const struct pace_auth_peer *g, int64_t now)
{
	bool yes = pace_reply_limit_take(&r->reply_limit, kind, &in->from,
	    g != NULL && g->seal.on ? g->key.id : NULL, now);

	r->counts.limited += !yes;
	return yes;
}

/* Answer a HELLO; its source address may be forged. */
static void
count_keyless(struct pace_responder *r, const struct pace_in *in)
{
	r->counts.keyless++;
	r->keyless_from = in->from;
}

static void
on_hello(struct pace_responder *r, const struct pace_in *in, int64_t now)
{
	uint8_t buf[PACE_HELLO_SIZE];
	struct pace_hello m;

	pace_hello_judge(&r->shared, &in->from, in->buf, in->len, &m);
	r->counts.junk += m.answer == PACE_HELLO_NONE;
	if (m.answer == PACE_HELLO_NO_KEY || m.answer == PACE_HELLO_KEY)
		count_keyless(r, in);
	if (m.answer > PACE_HELLO_NO_KEY &&
	    affords(r, PACE_REPLY_LIMIT_HELLO, in, &m.auth_peer, now)) {
		r->counts.hellos += m.answer != PACE_HELLO_KEY;
		send_back(r, in, buf, pace_hello_reply(&r->shared, &in->from, 0, now, &m, buf,
		    sizeof(buf)));
	}
	pace_auth_peer_wipe(&m.auth_peer);
}

/* True if the sender may be answered; otherwise count it. */
static bool
admits(struct pace_responder *r, const struct pace_in *in, const struct pace_hdr *h,
    struct pace_auth_peer *g)
{
	struct pace_shared *shared = &r->shared;
	bool yes = pace_auth_admits(&shared->auth, pace_keys_wanted(shared, &in->from), h,
	    in->buf, in->len, g);

	if (!yes)
		count_keyless(r, in);
	return yes;
}

/* Make the session for this slot. */
static int
give_birth(struct pace_responder *r, struct pace_birth *b, bool light,
    const struct pace_auth_peer *g)
{
	struct pace_session_cfg *c = &b->cfg;
	int rc;

	if (g->seal.on) {
		c->id = pace_random();
		pace_seal_derive(&c->seal, &g->key, c->open.nonce, c->id);
	}
	rc = light ? 0 : r->spawn(r->spawn_ctx, b);
	if (light)
		pace_lights_open(&r->lights, b->slot, &b->cfg, &b->local);
	if (rc == 0 && g->seal.on)
		pace_auth_remember(&r->shared.auth, c->open.nonce);
	pace_seal_wipe(&c->seal);
	return rc;
}

static void
refuse(struct pace_responder *r, const struct pace_in *in, const struct pace_hdr *h,
    const struct pace_auth_peer *g, const char *code, const char *text)
{
	r->counts.refused++;
	tell(r, in, h, g, code, text);
}

/* Claim a place; a light session that must leave for it does so at once. */
static int
claim(struct pace_responder *r, bool light, struct pace_comer *c)
{
	int slot = pace_places_claim(light ? &r->lights.places : &r->places, c);

	if (!light || slot != -EAGAIN || c->leaver < 0)
		return slot;
	pace_lights_evict(&r->lights, c->leaver);
	return pace_places_claim(&r->lights.places, c);
}

static void
open_session(struct pace_responder *r, const struct pace_in *in,
    const struct pace_hdr *h, const struct pace_msg_open *m, const struct pace_auth_peer *g,
    int64_t now)
{
	struct pace_birth b = {
		.local = in->local,
		.cfg = { .shared = &r->shared, .peer = in->from, .open = *m, .request = h->seq,
		    .request_tx_ns = h->tx_ns },
	};
	const struct pace_plan nothing = { .size_bytes = 0 };
	const struct pace_limits *l = &b.cfg.terms.limits;
	bool light = m->light && r->lights.places.max > 0;
	struct pace_places *places = light ? &r->lights.places : &r->places;
	struct pace_comer comer;
	char text[160];

	memcpy(b.cfg.key, g->key.name, sizeof(b.cfg.key));
	pace_rules_terms(r->shared.rules, &in->from, b.cfg.key, &b.cfg.terms);
	if (!l->allow) {
		(void)pace_limits_refuse(l, &nothing, text, sizeof(text));
		refuse(r, in, h, g, "policy", text);
		return;
	}
	comer = (struct pace_comer){ .peer = in->from, .local = in->local, .key = b.cfg.key,
	    .keyless_max = pace_auth_has_keys(&r->shared.auth) ?
	    pace_responder_strangers(places->max) : places->max, .now_ns = now,
	    .own_max = l->most[PACE_LIMIT_SESSIONS] };
	b.slot = claim(r, light, &comer);
	if (b.slot == -EEXIST || b.slot == -EAGAIN)
		return;			/* its socket gets the next OPEN, or a place will be
					 * free soon */
	if (b.slot == -EPERM) {
		snprintf(text, sizeof(text), "rule '%s': no more than %" PRId64 " session%s at "
		    "once", l->rule, comer.own_max, comer.own_max == 1 ? "" : "s");
		refuse(r, in, h, g, "policy", text);
	} else if (b.slot < 0) {
		refuse(r, in, h, g, "full", b.slot == -EDQUOT ?
		    "this host has reached its maximum number of sessions" :
		    "the responder has reached its maximum number of sessions");
	} else {
		b.cfg.place = &places->slot[b.slot].place;
		if (give_birth(r, &b, light, g) == 0) {
			r->counts.opened++;
			return;
		}
		pace_places_free(places, b.slot);
		refuse(r, in, h, g, "memory", "the responder could not start a session");
	}
}

/* Answer a request for a session that has ended, also before a restart or by a time-out. */
static void
send_away(struct pace_responder *r, const struct pace_in *in, const struct pace_hdr *h)
{
	struct pace_auth_peer g;

	if (!admits(r, in, h, &g))
		return;
	r->counts.resets += h->type != PACE_HELLO && h->type != PACE_OPEN;
	if (r->closing)
		tell(r, in, h, &g, "closing", PACE_CLOSING_TEXT);
	else
		tell(r, in, h, &g, "session", "no such session");
	pace_auth_peer_wipe(&g);
}

/* The flow is answered by its session. */
static void
open_flow(struct pace_responder *r, const struct pace_in *in, const struct pace_hdr *h,
    const struct pace_msg_open *m, const struct pace_auth_peer *g, int64_t now)
{
	struct pace_flow_birth b = { .local = in->local, .flow = { .session = h->session,
	    .stream = h->stream, .peer = in->from, .request = h->seq,
	    .rcvbuf_asked = m->rcvbuf_bytes, .sndbuf_asked = m->sndbuf_bytes } };
	const struct pace_plan plan = { .streams = h->stream + 1u };
	struct pace_terms terms;
	char text[160];

	b.slot = pace_places_find(&r->places, h->session, &in->from, g->key.name);
	if (b.slot < 0 || h->stream == 0) {
		if (affords(r, PACE_REPLY_LIMIT_REST, in, NULL, now))
			send_away(r, in, h);
		return;
	}
	if (!affords(r, PACE_REPLY_LIMIT_FLOW, in, g, now))
		return;
	pace_rules_terms(r->shared.rules, &in->from, g->key.name, &terms);
	if (pace_limits_refuse(&terms.limits, &plan, text, sizeof(text)))
		refuse(r, in, h, g, "policy", text);
	else if (r->join == NULL || r->join(r->spawn_ctx, &b) < 0)
		refuse(r, in, h, g, "memory", "the responder could not open a socket");
	else
		r->counts.flows++;
}

static void
on_open(struct pace_responder *r, const struct pace_in *in, const struct pace_hdr *h,
    int64_t now)
{
	struct pace_shared *shared = &r->shared;
	struct pace_auth_peer g;
	struct pace_msg_open m;

	if (!admits(r, in, h, &g))
		return;
	if (pace_open_read(h, in->buf, in->len, &g, &m) != 0) {
		r->counts.junk++;
	} else if (!pace_cookie_check(&shared->cookies, &in->from, 0, now, m.cookie)) {
		r->counts.cookies++;
		if (affords(r, PACE_REPLY_LIMIT_REST, in, NULL, now))
			tell(r, in, h, &g, "cookie", "say HELLO again");
	} else if (h->session != 0) {
		open_flow(r, in, h, &m, &g, now);
	} else if (!affords(r, PACE_REPLY_LIMIT_OPEN, in, &g, now)) {
		;			/* counted */
	} else if (g.seal.on && pace_auth_nonce_used(&shared->auth, m.nonce)) {
		r->counts.junk++;	/* a replayed request */
	} else {
		open_session(r, in, h, &m, &g, now);
	}
	pace_auth_peer_wipe(&g);
}

static bool
is_request(uint8_t type)
{
	return type == PACE_HELLO || type == PACE_OPEN || type == PACE_START ||
	    type == PACE_FINISH || type == PACE_FETCH || type == PACE_REPORT;
}

static void
handle(struct pace_responder *r, const struct pace_in *in, int64_t now)
{
	struct pace_hdr h = { .type = 0 };
	int rc = in->len > in->size ? -EMSGSIZE : pace_hdr_decode(&h, in->buf, in->len);

	if (rc == -EPROTONOSUPPORT && h.type != PACE_HELLO)
		rc = -EPROTO;		/* another version: its meaning is unknown */
	if ((rc != 0 && rc != -EPROTONOSUPPORT) || !is_request(h.type) ||
	    (h.type == PACE_HELLO && in->len < PACE_HELLO_SIZE)) {
		r->counts.junk++;
	} else if (rc == 0 && r->closing && (h.type == PACE_HELLO || h.type == PACE_OPEN)) {
		if (affords(r, PACE_REPLY_LIMIT_REST, in, NULL, now))
			send_away(r, in, &h);
	} else if (h.type == PACE_HELLO) {
		on_hello(r, in, now);
	} else if (h.type == PACE_OPEN) {
		on_open(r, in, &h, now);
	} else if (affords(r, PACE_REPLY_LIMIT_REST, in, NULL, now)) {
		send_away(r, in, &h);	/* before its body costs anything */
	}
}

/* True if this is a HELLO for a light session, above the limit of its address: unlike at a full
 * session, a flood of them would take the time of all. */
static bool
is_hello_too_many(struct pace_responder *r, const struct pace_in *in, int64_t now)
{
	return in->len >= PACE_HELLO_SIZE && in->buf[3] == PACE_HELLO &&
	    pace_lights_have(&r->lights, in) &&
	    !affords(r, PACE_REPLY_LIMIT_HELLO, in, NULL, now);
}

int
pace_responder_step(struct pace_responder *r)
{
	struct pace_in in[PACE_RESPONDER_BATCH];
	int64_t now = r->io.now(r->io.ctx);
	int n;

	for (int i = 0; i < PACE_RESPONDER_BATCH; i++) {
		in[i].buf = r->buffers + (size_t)i * PACE_CONTROL_ROOM;
		in[i].size = PACE_CONTROL_ROOM;
	}
	n = r->io.recv(r->io.ctx, in, PACE_RESPONDER_BATCH);
	for (int i = 0; i < n; i++)
		if (!is_hello_too_many(r, &in[i], now) && !pace_lights_take(&r->lights, &in[i]))
			handle(r, &in[i], now);
	pace_lights_turn(&r->lights);
	return n;
}

void
pace_responder_close(struct pace_responder *r, int64_t until_ns)
{
	r->closing = true;
	pace_lights_part(&r->lights, until_ns);
}

int
pace_responder_active(struct pace_responder *r, uint64_t *ended)
{
	uint64_t more;
	int active = pace_places_active(&r->places, ended) +
	    pace_places_active(&r->lights.places, &more);

	*ended += more;
	return active;
}

struct pace_responder_counts
pace_responder_counted(struct pace_responder *r)
{
	struct pace_responder_counts c = r->counts;

	c.strays = atomic_load_explicit(&r->shared.strays, memory_order_relaxed);
	c.leftovers = atomic_load_explicit(&r->shared.leftovers, memory_order_relaxed);
	c.light = r->lights.counts;
	c.unlogged = atomic_load_explicit(&r->shared.unlogged, memory_order_relaxed);
	if (r->reflector != NULL)
		c.stamp = pace_reflector_counted(r->reflector);
	return c;
}
