/*
 * A point without a responder: the streams are sent and nothing is asked.  The result is the
 * sender's half.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "client/client_io.h"
#include "doc/params.h"
#include "proto/random.h"

/* Send the datagrams that stand before the first frame, or at the end, of each stream; n: how many
 * left. */
static void
send_extras(struct pace_client *c, uint32_t streams, enum pace_extra when, uint64_t *n)
{
	uint8_t buf[PACE_EXTRA_ROOM];

	for (uint32_t i = 0; c->framing != NULL && i < streams; i++) {
		const struct pace_framing *f = &c->framing[i];
		struct pace_io *io = pace_client_flow_io(c, i);
		struct pace_out out = { .buf = buf,
		    .len = f->extra(f->ctx, when, buf, sizeof(buf)) };

		if (out.len > 0 && io->send(io->ctx, &out, 1) > 0)
			n[i]++;
	}
}

static int
send_streams(struct pace_client *c, struct pace_point *p, struct pace_echo *echo)
{
	struct pace_sender s = { .io = &c->io, .ask = &p->ask, .framing = c->framing,
	    .session = c->session, .run = c->run, .seed = pace_random(),
	    .wire_bytes = (uint32_t)pace_wire_bytes(&c->link, p->ask.size_bytes),
	    .stop = c->stop, .cut = c->cut, .progress = c->progress, .echo = echo,
	    .reads_stamps = true, .awake_ns = c->awake_ns };
	uint64_t extras[PACE_STREAMS] = { 0 };
	uint32_t n = pace_params_streams(&p->ask);
	int rc;

	send_extras(c, n, PACE_EXTRA_BEFORE, extras);
	rc = p->streams != NULL ? pace_client_streams_run(c, &s, p) :
	    pace_sender_run(&s, &p->tx, &p->ledger.asked);
	if (c->last_point || pace_client_ends(c))
		send_extras(c, n, PACE_EXTRA_END, extras);
	for (uint32_t i = 0; p->streams != NULL && i < n; i++)
		p->streams[i]->tx.extra_frames += extras[i];
	p->tx.extra_frames += extras[0];	/* of several streams the sum follows */
	return rc;
}

static void
close_point(struct pace_client *c, struct pace_point *p)
{
	p->interrupted = pace_client_ends(c);
	if (p->streams != NULL) {
		pace_client_streams_close(p, NULL);
		return;
	}
	pace_client_describe_tx(c, &p->tx);
	p->ledger.tx_refused = p->tx.refused;
	p->verdict = pace_sender_judge(&p->ask, &p->tx, p->ledger.asked, false, &p->notes);
}

int
pace_client_send_point(struct pace_client *c, struct pace_point *p, struct pace_err *err)
{
	struct pace_counters before = { .known = false };
	struct pace_echo echo;
	int rc;

	p->ipv6 = c->link.family == 6;
	rc = p->ask.streams > 1 ? pace_client_streams_prepare(c, p, err) : 0;
	if (rc == 0)
		rc = pace_io_stamps(&c->io, p->ask.nic, err);
	if (rc < 0)
		return rc;
	if (pace_echo_init(&echo) < 0)
		return pace_fail(err, ENOMEM, "stamps");
	c->run++;
	pace_io_counters(&c->io, &before, PACE_BEFORE);
	rc = send_streams(c, p, &echo);
	pace_io_counters(&c->io, &p->ours, PACE_AFTER);
	pace_counters_since(&p->ours, &before);
	pace_counters_free(&before);
	pace_echo_free(&echo);
	close_point(c, p);
	if (rc < 0)
		return pace_client_tell_send(c, rc, err);
	return p->interrupted ? pace_fail(err, EINTR, "stopped") : 0;
}
