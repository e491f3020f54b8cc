/*
 * responder_runner.h - the runner of fuzz_responder: opens, steps and closes sessions as the
 * program's threads do, with a capture that sees nothing.
 */
#ifndef FUZZ_RESPONDER_RUNNER_H
#define FUZZ_RESPONDER_RUNNER_H

#include "responder_net.h"

/* --- the runner: births, steps, deaths -------------------------------------- */

static struct port *
port_of(int peer)
{
	for (int i = 0; i < SESSIONS; i++)
		if (w.ports[i].session != NULL && (peer < 0 || w.ports[i].peer == peer))
			return &w.ports[i];
	return NULL;
}

/* A cookie made now or half a minute ago. */
static bool
proven(const struct pace_session_cfg *cfg)
{
	return pace_cookie_check(&w.responder.shared.cookies, &cfg->peer, 0, w.now, cfg->open.cookie);
}

/* --- a capture that sees nothing, of few at once ------------------------------------------ */

static enum pace_capture_answer
tap_begin(void *ctx, const struct pace_capture_request *a, struct pace_captured_stream **t)
{
	MUST(ctx == &w && a->size_bytes >= PACE_HDR_SIZE && a->limit > 0 && a->train > 0);
	if (w.rx_captured == 1)
		return PACE_CAPTURE_ROOM;
	w.rx_captured++;
	*t = malloc(1);
	MUST(*t != NULL);
	return PACE_CAPTURE_GRANTED;
}

static bool
tap_settled(void *ctx, struct pace_captured_stream *t, uint64_t sent, int64_t since_ns)
{
	(void)ctx; (void)t;
	MUST(since_ns <= w.now);
	return sent % 3 > 0;
}

static void
tap_end(void *ctx, struct pace_captured_stream *t, struct pace_wire_check *found, const int64_t *stamps,
    uint64_t n)
{
	static volatile int64_t last;

	MUST(ctx == &w && w.rx_captured == 1 && (found != NULL || n == 0));
	for (uint64_t i = 0; i < n; i++)
		last = stamps[i];	/* all of them are there */
	(void)last;
	if (found != NULL)
		pace_wire_check_reset(found);
	w.rx_captured--;
	free(t);
}

static const struct pace_capture_hook a_tap = { .ctx = &w, .begin = tap_begin, .settled = tap_settled,
	.end = tap_end };

static int
spawn(void *ctx, const struct pace_birth *b)
{
	static const struct pace_host host = { .version = "fuzz" };
	struct pace_session_cfg cfg = b->cfg;
	struct port *p = w.ports;

	(void)ctx;
	MUST(proven(&cfg) && cfg.peer.family != 0);
	MUST(strcmp(cfg.key, keyed_key[w.listener.asked_key].name) == 0);
	MUST(w.listener.asked_key != KEY_NONE ? w.known[w.listener.asked_key] : !w.required);
	if (w.trouble & NO_SPAWN)
		return -EMFILE;
	while (p->session != NULL)
		MUST(++p < w.ports + SESSIONS);
	for (p->peer = 0; !pace_addr_same(&w.clients[p->peer].addr, &cfg.peer); p->peer++)
		MUST(p->peer < PEERS - 1);
	for (int i = 0; i < SESSIONS; i++)	/* an address has one session */
		MUST(&w.ports[i] == p || w.ports[i].session == NULL ||
		    w.ports[i].peer != p->peer);
	p->slot = b->slot;
	p->key = w.listener.asked_key;
	p->nonce = w.listener.asked_nonce;
	p->times_n = 0;
	p->heard_ns = w.now;
	(void)is_copy(p, cfg.request_tx_ns);
	p->joins = false;
	p->fresh = true;
	p->departed = p->told = p->shown_n = p->proven = 0;
	p->pinged = 0;
	p->frames = 0;
	cfg.io = io_of(p);
	cfg.rcvbuf_granted = cfg.open.rcvbuf_bytes % (1 << 24);
	p->session = pace_session_new(&cfg);
	if (p->session != NULL && cfg.terms.limits.host_facts)
		(void)pace_session_tell(p->session, &host);
	p->wake = (struct pace_wake){ .at_ns = w.now, .on_data = true };
	return p->session != NULL ? 0 : -ENOMEM;
}

static void
empty_queue(struct port *p)
{
	while (p->queued > 0)
		free(p->queue[--p->queued].buf);
}

static void
bury(struct port *p)
{
	pace_session_free(p->session);
	p->session = NULL;
	empty_queue(p);
	w.replaced += atomic_load(&w.responder.places.slot[p->slot].place.replaced);
	pace_places_free(&w.responder.places, p->slot);
}

static void
step(struct port *p)
{
	int64_t began_ns = w.now;

	p->allowed = p->replies = p->asks = 0;
	if (p->fresh)
		p->allowed = 1;
	p->fresh = false;
	if (p->peer < 0) {
		p->light = false;
		MUST(pace_responder_step(&w.responder) <= 1);
		for (int i = 0; i < PEERS; i++)
			w.clients[i].offers = 0, w.clients[i].offered_reply = 0;
		w.turned_ns = w.now;
		return;
	}
	p->wake = pace_session_step(p->session);
	w.clients[p->peer].offers = 0;
	w.clients[p->peer].offered_reply = 0;
	/* a session that sends frames continues at once, but its frames take time */
	MUST(p->wake.done || !p->wake.on_data || p->wake.at_ns > began_ns || w.now > began_ns);
	MUST(p->wake.done || w.now - p->heard_ns < PACE_SESSION_IDLE_NS);
	if (p->wake.done)
		bury(p);
}

static int64_t
due(const struct port *p)
{
	if (p->peer < 0)
		return p->queued > 0 ? w.now : w.responder.lights.counts.opened !=
		    w.responder.lights.counts.ended ? w.turned_ns + SECOND_NS : INT64_MAX;
	if (p->session == NULL)
		return INT64_MAX;
	return p->queued > 0 && p->wake.on_data ? w.now : p->wake.at_ns;
}

static struct port *
next_due(void)
{
	struct port *first = &w.listener;

	for (int i = 0; i < SESSIONS; i++)
		if (due(&w.ports[i]) < due(first))
			first = &w.ports[i];
	return first;
}

/* Let time pass; after STEPS steps, do nothing until its end. */
static void
run_until(int64_t t_ns)
{
	for (int n = 0; n < STEPS && due(next_due()) <= t_ns; n++) {
		struct port *p = next_due();

		if (due(p) > w.now)
			pass_until(due(p));
		step(p);
	}
	if (t_ns > w.now)		/* frames take time themselves */
		pass_until(t_ns);
	for (int i = 0; i < SESSIONS; i++)
		if (due(&w.ports[i]) <= w.now)
			step(&w.ports[i]);
}

#endif
