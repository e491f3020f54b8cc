#include "config.h"

#include "stream/echo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/payload.h"
#include "proto/random.h"

struct pace_echo_socket *
pace_echo_socket_new(void)
{
	struct pace_echo_socket *at = calloc(1, sizeof(*at));

	if (at != NULL)
		pace_payload_fill(at->out, PACE_FRAME_MAX, pace_random());
	return at;
}

int
pace_echo_init(struct pace_echo *e)
{
	memset(e, 0, sizeof(*e));
	e->room = PACE_ECHO_STAMPS;
	e->at = pace_echo_socket_new();
	e->stamps = calloc(e->room, sizeof(*e->stamps));
	if (e->at != NULL && e->stamps != NULL)
		return 0;
	pace_echo_free(e);
	return -ENOMEM;
}

void
pace_echo_share(struct pace_echo *e, struct pace_echo_socket *at)
{
	memset(e, 0, sizeof(*e));
	e->at = at;
	e->shares = true;
	e->room = PACE_ECHO_FEW;
	e->stamps = e->few;
}

/* Stamps that come later are nobody's. */
static void
leave(struct pace_echo *e)
{
	for (uint32_t i = 0; i < PACE_ECHO_STAMPS; i++)
		if (e->at->by[i].of == e)
			e->at->by[i].of = NULL;
}

void
pace_echo_free(struct pace_echo *e)
{
	if (e->shares) {
		leave(e);
	} else {
		free(e->at);
		free(e->stamps);
	}
	e->at = NULL;
	e->stamps = NULL;
}

/* Add the oldest departure stamp that was not sent yet. */
static void
put_follow_up(struct pace_echo *e, uint64_t number, struct pace_ping *body)
{
	if (e->known - e->reported > e->room)
		e->reported = e->known - e->room;
	while (e->reported != e->known) {
		const struct pace_echo_stamp *s = &e->stamps[e->reported++ % e->room];
		uint64_t back = number - s->number;

		if (s->number >= number || back > UINT32_MAX)
			continue;
		body->back = (uint32_t)back;
		body->departure_ns = s->t_ns;
		return;
	}
}

static void
ask(struct pace_echo *e, uint64_t number, int64_t frame_ns)
{
	uint32_t at = e->at->asked++ % PACE_ECHO_STAMPS;

	e->at->by[at].of = e;
	e->at->by[at].number = number;
	e->at->by[at].frame_ns = frame_ns;
}

void
pace_echo_sample(struct pace_echo *e, uint64_t number, int64_t t_ns)
{
	ask(e, number, t_ns);
}

/* The kernel refused a frame; it may or may not have used up a number. */
void
pace_echo_unsample(struct pace_echo *e, const struct pace_io *io)
{
	e->at->asked = e->at->back = 0;
	e->known = e->reported = 0;
	io->renumber(io->ctx);
}

bool
pace_echo_takes(const struct pace_echo *e, size_t len, const struct pace_ping *asked)
{
	return (asked->reply_bytes <= len || asked->reply_bytes <= e->most) &&
	    asked->reply_bytes >= PACE_PING_SIZE && asked->reply_bytes <= PACE_FRAME_MAX;
}

bool
pace_echo_answer(struct pace_echo *e, const struct pace_io *io, uint64_t id,
    const struct pace_hdr *h, const struct pace_in *in, uint64_t proof)
{
	struct pace_hdr reply = { .type = PACE_PING | PACE_REPLY, .run = h->run,
	    .stream = h->stream, .session = id, .seq = h->seq };
	struct pace_out out = { .buf = e->at->out };
	struct pace_ping body, asked;

	pace_ping_decode(&asked, in->buf, in->len);
	if (!pace_echo_takes(e, in->len, &asked))
		return false;
	body = (struct pace_ping){ .arrival_ns = in->stamp_ns, .stamp = (uint8_t)in->stamp,
	    .wall_ns = io->wall(io->ctx) };
	body.proof = proof;
	if (h->stream == 0) {
		put_follow_up(e, h->seq, &body);
		/* the reply to a copy could be taken for the first reply, which left earlier */
		out.stamp = asked.stamp_reply && h->seq >= e->next;
		e->next = h->seq >= e->next ? h->seq + 1 : e->next;
	}
	out.len = asked.reply_bytes;
	reply.tx_ns = io->now(io->ctx);
	if (pace_ping_encode(e->at->out, out.len, &reply, &body) < 0)
		return false;
	e->replies++;
	e->bytes += out.len;
	/* A reply that cannot be sent now is lost, as on any path. */
	if (out.stamp)
		ask(e, h->seq, 0);
	if (io->send(io->ctx, &out, 1) < 0 && out.stamp)
		pace_echo_unsample(e, io);
	return true;
}

static void
take_departure(struct pace_echo_socket *at, const struct pace_departure *d)
{
	uint32_t ago = at->asked - d->n, i = d->n % PACE_ECHO_STAMPS;
	int64_t frame_ns = at->by[i].frame_ns;
	struct pace_echo *e = at->by[i].of;

	if (ago == 0 || ago > PACE_ECHO_STAMPS)
		return;
	at->back++;
	if (e == NULL)
		return;
	if (frame_ns == 0)
		e->stamps[e->known++ % e->room] = (struct pace_echo_stamp){
		    .number = at->by[i].number, .t_ns = d->stamp_ns };
	else
		pace_tx_stamps_take(&e->frames, at->by[i].number, frame_ns, d->stamp_ns);
}

bool
pace_echo_waits(const struct pace_echo_socket *at)
{
	return at->back != at->asked;
}

void
pace_echo_departures(struct pace_echo_socket *at, const struct pace_io *io)
{
	struct pace_departure d[16];
	int n;

	do {
		n = io->departures(io->ctx, d, 16);
		for (int i = 0; i < n; i++)
			take_departure(at, &d[i]);
	} while (n == 16);
}
