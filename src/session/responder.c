#include "config.h"

#include "session/responder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH	32

int
pace_responder_init(struct pace_responder *r)
{
	memset(r, 0, sizeof(*r));
	pthread_mutex_init(&r->lock, NULL);
	pace_lease_init(&r->shared.lease);
	r->buffers = malloc((size_t)BATCH * PACE_CONTROL_ROOM);
	if (r->buffers == NULL)
		return -ENOMEM;
	return pace_gate_init(&r->shared.gate);
}

void
pace_responder_free(struct pace_responder *r)
{
	free(r->buffers);
	r->buffers = NULL;
}

/* --- the table of proven peers --------------------------------------------- */

/* Of one host, or of one IPv6 network of 64 bits? */
static bool
same_house(const struct pace_addr *a, const struct pace_addr *b)
{
	return a->family == b->family && memcmp(a->ip, b->ip, a->family == 4 ? 4 : 8) == 0;
}

/* Look through the slots: -EEXIST: these two have one, -EUSERS: all are taken,
 * or a quarter of them by this one house. */
static int
find_slot(const struct pace_responder *r, const struct pace_addr *peer,
    const struct pace_addr *local)
{
	int most = r->max_sessions < 8 ? r->max_sessions : r->max_sessions / 4, slot = -EUSERS;

	for (int i = 0; i < r->max_sessions; i++) {
		const struct pace_slot *s = &r->slots[i];

		if (s->peer.family == 0 && slot < 0)
			slot = i;
		if (s->peer.family == 0)
			continue;
		if (pace_addr_same(&s->peer, peer) && same_house(&s->local, local))
			return -EEXIST;
		most -= same_house(&s->peer, peer);
	}
	return most > 0 ? slot : -EUSERS;
}

static int
claim_slot(struct pace_responder *r, const struct pace_addr *peer,
    const struct pace_addr *local)
{
	int slot;

	pthread_mutex_lock(&r->lock);
	slot = find_slot(r, peer, local);
	if (slot >= 0) {
		r->slots[slot] = (struct pace_slot){ *peer, *local };
		r->active++;
	}
	pthread_mutex_unlock(&r->lock);
	return slot;
}

void
pace_responder_ended(struct pace_responder *r, int slot)
{
	pthread_mutex_lock(&r->lock);
	r->slots[slot].peer.family = 0;
	r->active--;
	r->ended++;
	pthread_mutex_unlock(&r->lock);
}

int
pace_responder_active(struct pace_responder *r, uint64_t *ended)
{
	int active;

	pthread_mutex_lock(&r->lock);
	active = r->active;
	*ended = r->ended;
	pthread_mutex_unlock(&r->lock);
	return active;
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

/* Tell a client; only where the answer is no larger than what it sent. */
static void
tell(struct pace_responder *r, const struct pace_in *in, const struct pace_hdr *request,
    const char *code, const char *text)
{
	struct pace_msg_error e = { .wait_ns = 0 };
	struct pace_hdr h = *request;
	uint8_t buf[512];
	int len;

	snprintf(e.code, sizeof(e.code), "%s", code);
	snprintf(e.text, sizeof(e.text), "%s", text);
	h.type |= PACE_REPLY;
	len = pace_msg_put(buf, sizeof(buf), &h, pace_msg_error_json(&e), 0);
	if (len > 0 && (size_t)len <= in->len)
		send_back(r, in, buf, len);
}

static void
on_hello(struct pace_responder *r, const struct pace_in *in, int64_t now)
{
	uint8_t buf[PACE_HELLO_SIZE];
	int len = pace_hello_reply(&r->shared.gate, &in->from, now, in->buf, in->len,
	    buf, sizeof(buf));

	if (len > 0)
		r->counts.hellos++;
	else
		r->counts.junk++;
	send_back(r, in, buf, len);
}

static void
open_session(struct pace_responder *r, const struct pace_in *in,
    const struct pace_hdr *h, const struct pace_msg_open *m)
{
	struct pace_birth b = {
		.local = in->local,
		.cfg = { .shared = &r->shared, .peer = in->from, .open = *m, .request = h->seq },
	};
	int rc;

	b.slot = claim_slot(r, &in->from, &in->local);
	if (b.slot == -EEXIST)
		return;			/* its socket will hear the next one */
	if (b.slot < 0) {
		r->counts.refused++;
		tell(r, in, h, "full", "as many sessions as it may have, or as one host may");
		return;
	}
	rc = r->spawn(r->spawn_ctx, &b);
	if (rc == 0) {
		r->counts.opened++;
		return;
	}
	pace_responder_ended(r, b.slot);
	r->counts.refused++;
	tell(r, in, h, "memory", "the responder could not start a session");
}

static void
on_open(struct pace_responder *r, const struct pace_in *in, const struct pace_hdr *h,
    int64_t now)
{
	json_t *body = pace_msg_body(in->buf, in->len);
	struct pace_msg_open m;

	if (body == NULL || pace_msg_open(body, &m) != 0)
		r->counts.junk++;
	else if (!pace_gate_opens(&r->shared.gate, &in->from, now, m.cookie))
		tell(r, in, h, "cookie", "say HELLO again");
	else
		open_session(r, in, h, &m);
	json_decref(body);
}

static void
handle(struct pace_responder *r, const struct pace_in *in, int64_t now)
{
	struct pace_hdr h;
	int rc;

	if (in->len > in->size) {
		r->counts.junk++;
		return;
	}
	rc = pace_hdr_decode(&h, in->buf, in->len);
	if (rc == -EPROTONOSUPPORT || (rc == 0 && h.type == PACE_HELLO)) {
		on_hello(r, in, now);
	} else if (rc == 0 && h.type == PACE_OPEN) {
		on_open(r, in, &h, now);
	} else if (rc == 0 && (h.type == PACE_START || h.type == PACE_FINISH ||
	    h.type == PACE_FETCH)) {
		/* After a restart, or when it forgot a silent client. */
		r->counts.resets++;
		tell(r, in, &h, "session", "no such session");
	} else {
		r->counts.junk++;
	}
}

int
pace_responder_step(struct pace_responder *r)
{
	struct pace_in in[BATCH];
	int64_t now = r->io.now(r->io.ctx);
	int n;

	for (int i = 0; i < BATCH; i++) {
		in[i].buf = r->buffers + (size_t)i * PACE_CONTROL_ROOM;
		in[i].size = PACE_CONTROL_ROOM;
	}
	n = r->io.recv(r->io.ctx, in, BATCH);
	for (int i = 0; i < n; i++)
		handle(r, &in[i], now);
	return n;
}
