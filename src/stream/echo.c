#include "config.h"

#include "stream/echo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/payload.h"
#include "proto/random.h"

#define STAMP_NS	INT64_C(1000000000)	/* the longest delay of a departure stamp */
#define SLACK_NS	10000			/* the largest error of a mapped stamp */

int
pace_echo_init(struct pace_echo *e)
{
	memset(e, 0, sizeof(*e));
	e->out = malloc(PACE_FRAME_MAX);
	if (e->out == NULL)
		return -ENOMEM;
	pace_payload_fill(e->out, PACE_FRAME_MAX, pace_random());
	return 0;
}

void
pace_echo_free(struct pace_echo *e)
{
	free(e->out);
	e->out = NULL;
}

/* Add the oldest departure stamp that was not sent yet. */
static void
put_follow_up(struct pace_echo *e, uint64_t number, struct pace_ping *body)
{
	if (e->known - e->told > PACE_ECHO_STAMPS)
		e->told = e->known - PACE_ECHO_STAMPS;
	while (e->told != e->known) {
		uint32_t at = e->told++ % PACE_ECHO_STAMPS;
		uint64_t back = number - e->stamps[at].number;

		if (e->stamps[at].number >= number || back > UINT32_MAX)
			continue;
		body->back = (uint32_t)back;
		body->departure_ns = e->stamps[at].t_ns;
		return;
	}
}

static void
ask(struct pace_echo *e, uint64_t number, int64_t frame_ns)
{
	uint32_t at = e->asked++ % PACE_ECHO_STAMPS;

	e->by[at].number = number;
	e->by[at].frame_ns = frame_ns;
}

void
pace_echo_sample(struct pace_echo *e, int64_t t_ns)
{
	ask(e, 0, t_ns);
}

/* The kernel refused a frame; it may or may not have used up a number. */
void
pace_echo_unsample(struct pace_echo *e, const struct pace_io *io)
{
	e->asked = e->back = e->known = e->told = 0;
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
    const struct pace_hdr *h, const struct pace_in *in)
{
	struct pace_hdr reply = { .type = PACE_PING | PACE_REPLY, .run = h->run,
	    .session = id, .seq = h->seq };
	struct pace_out out = { .buf = e->out };
	struct pace_ping body, asked;

	pace_ping_decode(&asked, in->buf, in->len);
	if (!pace_echo_takes(e, in->len, &asked))
		return false;
	body = (struct pace_ping){ .arrival_ns = in->stamp_ns, .stamp = (uint8_t)in->stamp,
	    .wall_ns = io->wall(io->ctx) };
	body.proof = e->proof;
	put_follow_up(e, h->seq, &body);
	/* the reply to a copy could be taken for the first reply, which left earlier */
	out.stamp = asked.stamp_reply && h->seq >= e->next;
	e->next = h->seq >= e->next ? h->seq + 1 : e->next;
	out.len = asked.reply_bytes;
	reply.tx_ns = io->now(io->ctx);
	if (pace_ping_encode(e->out, out.len, &reply, &body) < 0)
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
take_departure(struct pace_echo *e, const struct pace_departure *d)
{
	uint32_t ago = e->asked - d->n, at = e->known % PACE_ECHO_STAMPS;
	int64_t frame_ns = e->by[d->n % PACE_ECHO_STAMPS].frame_ns, took = d->stamp_ns - frame_ns;

	if (ago == 0 || ago > PACE_ECHO_STAMPS)
		return;
	e->back++;
	if (frame_ns == 0) {
		e->stamps[at].number = e->by[d->n % PACE_ECHO_STAMPS].number;
		e->stamps[at].t_ns = d->stamp_ns;
		e->known++;
	} else if (e->stack != NULL && took > -SLACK_NS && took < STAMP_NS) {
		pace_hist_add(e->stack, took);
	}
}

void
pace_echo_departures(struct pace_echo *e, const struct pace_io *io)
{
	struct pace_departure d[16];
	int n;

	do {
		n = io->departures(io->ctx, d, 16);
		for (int i = 0; i < n; i++)
			take_departure(e, &d[i]);
	} while (n == 16);
}
