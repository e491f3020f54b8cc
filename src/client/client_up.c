/*
 * Streams that a thread of the client sends.  In a two-way run it also receives: it sends a frame, or
 * a train, when it is due, and meanwhile reads what arrived (client_down.c).
 */
#include "config.h"

#include <errno.h>

#include "client/client_io.h"

const struct pace_tx *
pace_client_up_tx(const struct pace_client_up *u, uint32_t stream)
{
	return u->p->streams != NULL ? &u->p->streams[stream]->tx : &u->p->tx;
}

/* Begin stream i, whose results are those of `one`. */
static struct pace_sending *
begin_stream(struct pace_client_up *u, uint32_t i, struct pace_point *one)
{
	struct pace_sender s = u->sender;

	s.ask = &one->ask;
	s.intervals = one->intervals;
	s.stream = (uint8_t)i;
	s.framing = u->c->framing != NULL ? &u->c->framing[i] : NULL;
	if (i > 0) {
		s.io = pace_client_flow_io(u->c, i);
		s.pinger = NULL;
		s.echo = NULL;
		s.progress = NULL;
		s.beside = NULL;
		/* a freeze of the thread stops all its streams: it is counted once */
		s.stalls = &u->p->streams[u->sends.first]->tx.stalls;
	}
	return pace_sending_begin(&s, &one->tx);
}

static struct pace_point *
point_of(const struct pace_client_up *u, uint32_t i)
{
	return u->p->streams != NULL ? u->p->streams[pace_merged_stream(&u->sends, i)] : u->p;
}

void
pace_client_up_prepare(struct pace_client_up *u)
{
	uint32_t n = u->p->streams != NULL ? u->p->ask.streams : 1;
	uint32_t step = u->sends.step > 0 ? u->sends.step : 1, k = 0;

	u->prepared = true;
	for (uint32_t i = u->sends.first; i < n; i += step) {
		struct pace_point *one = point_of(u, k);

		u->sends.run[k] = begin_stream(u, i, one);
		if (u->sends.run[k] == NULL) {
			pace_client_up_end(u, -ENOMEM);
			return;
		}
		one->tx.has_core = step > 1;
		if (one->tx.has_core)
			one->tx.core = (uint32_t)u->c->threads->core[u->sends.first];
		u->sends.n = ++k;
	}
}

void
pace_client_up_begin(struct pace_client_up *u, int64_t t0_ns)
{
	if (!u->prepared)
		pace_client_up_prepare(u);
	u->begun = true;
	if (!u->over)
		pace_merged_begin(&u->sends, &u->p->ask, t0_ns);
}

void
pace_client_up_step(struct pace_client_up *u, int64_t now)
{
	int64_t due_ns = pace_client_up_due(u);
	uint32_t i;
	int rc;

	if (due_ns == INT64_MAX || (due_ns > now + PACE_CLIENT_UP_EARLY_NS &&
	    !pace_client_ends(u->c)))
		return;
	rc = pace_merged_step(&u->sends, due_ns > now ? due_ns + 1 : now + 1, &i);
	if (rc < 0 || pace_merged_due(&u->sends) == INT64_MAX)
		pace_client_up_end(u, rc < 0 ? rc : 0);
}

void
pace_client_up_end(struct pace_client_up *u, int rc)
{
	if (u->over)
		return;
	u->over = true;
	u->rc = rc;
	if (!u->prepared && rc == 0)	/* a result without frames is complete as well */
		pace_client_up_prepare(u);
	for (uint32_t i = 0; i < u->sends.n; i++) {
		struct pace_point *one = point_of(u, i);

		one->ledger.asked = pace_sending_end(u->sends.run[i]);
		if (i > 0)
			pace_merged_share(&one->tx, &point_of(u, 0)->tx);
		pace_client_describe_tx(u->c, &one->tx);
	}
}

int64_t
pace_client_up_due(const struct pace_client_up *u)
{
	return u->begun && !u->over ? pace_merged_due(&u->sends) : INT64_MAX;
}
